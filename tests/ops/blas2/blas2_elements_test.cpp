// Operations that touch every element of matrices once, and batches, against the definitions.
#include <heron/kronmult.h>
#include "stored_problem.hpp"

using namespace heron::test;

namespace {

std::int64_t any_of(random_source& random, std::initializer_list<std::int64_t> values) {
    return values.begin()[random.below(static_cast<std::int64_t>(values.size()))];
}

stored_case full_matrix(random_source& random, heron_type type, heron_order order, std::int64_t rows,
                        std::int64_t columns) {
    return random_stored(random, {type, order, HERON_STORAGE_FULL, HERON_FILL_LOWER, rows, columns},
                         [](std::int64_t, std::int64_t) { return true; });
}

bool transposes(heron_operation op) { return op == HERON_OP_TRANSPOSE || op == HERON_OP_CONJUGATE_TRANSPOSE; }
bool conjugates(heron_operation op) { return op == HERON_OP_CONJUGATE || op == HERON_OP_CONJUGATE_TRANSPOSE; }

number element_of(const stored_case& m, heron_operation op, std::int64_t i, std::int64_t j) {
    const number v = transposes(op) ? m.at(j, i) : m.at(i, j);
    return conjugates(op) ? std::conj(v) : v;
}

// Items of a batch behind each other, `apart` elements from one to the next, and how the library finds them.
// aligned: as wide accesses want them, where the items' columns are; else by no more than their type's
// alignment.
struct batch {
    batch(const std::vector<vector_case>& items, std::int64_t gap, heron_batch_kind batch_kind,
          bool aligned = false)
        : kind(batch_kind), all{items[0].type, 0, 1, {}} {
        const auto bytes = static_cast<std::int64_t>(encode(cuda_type(all.type), {number{0, 0}}).size());
        for (const vector_case& item : items)
            length = std::max(length, static_cast<std::int64_t>(item.memory.size()));
        apart = length + gap;
        if (aligned) apart = (apart + 3) / 4 * 4;
        // device_vector's memory begins one element behind an aligned address.
        first = aligned ? 16 / bytes - 1 : 0;
        all.memory.resize(static_cast<std::size_t>(first), number{3, 0});
        for (const vector_case& item : items) {
            all.memory.insert(all.memory.end(), item.memory.begin(), item.memory.end());
            all.memory.resize(all.memory.size() + static_cast<std::size_t>(apart) - item.memory.size(),
                              number{3, 0});
        }
        all.n = static_cast<std::int64_t>(all.memory.size());
        device = std::make_unique<device_vector>(all);
        std::vector<std::int64_t> entries;
        for (std::int64_t k = 0; k < static_cast<std::int64_t>(items.size()); ++k)
            entries.push_back(kind == HERON_BATCH_INDEXED
                                  ? k
                                  : static_cast<std::int64_t>(
                                        reinterpret_cast<std::intptr_t>(device->element(first + k * apart))));
        list = std::make_unique<device_array<std::int64_t>>(entries);
    }
    heron_batch_operand operand() const {
        void* const base = device->element(first);
        if (kind == HERON_BATCH_STRIDED) return {kind, HERON_INDEX_32, base, apart, nullptr, 0};
        if (kind == HERON_BATCH_POINTERS) return {kind, HERON_INDEX_32, nullptr, 0, list->data(), 1};
        return {kind, HERON_INDEX_64, base, apart, list->data(), 1};
    }
    number& at(std::size_t item, std::size_t place) {
        return all.memory[static_cast<std::size_t>(first) + item * static_cast<std::size_t>(apart) + place];
    }

    heron_batch_kind kind;
    std::int64_t length = 0, apart = 0, first = 0;
    vector_case all;
    std::unique_ptr<device_vector> device;
    std::unique_ptr<device_array<std::int64_t>> list;
};

}  // namespace

TEST_CASE("geam") {
    random_source random(61);
    int count = 0;
    for (const heron_type type : matrix_types())
        for (int code = 0; code < 36; ++code) {
            const auto order = static_cast<heron_order>(code % 2);
            const auto op_a = static_cast<heron_operation>(code / 2 % 3),
                       op_b = static_cast<heron_operation>(code / 6 % 3);
            const std::int64_t m = any_of(random, {0, 1, 5, 33, 70}), n = any_of(random, {0, 1, 4, 40, 67});
            const auto stored = [&](heron_operation op) {
                return transposes(op) ? full_matrix(random, type, order, n, m)
                                      : full_matrix(random, type, order, m, n);
            };
            stored_case a = stored(op_a), b = stored(op_b);
            stored_case c = full_matrix(random, type, order, m, n);
            const number factors[] = {number{0, 0}, number{1, 0}, random_number(random, type)};
            const number alpha = factors[random.below(3)], beta = factors[random.below(3)];
            const auto poisoned = [](stored_case& v) {
                for (number& e : v.memory) e = number{std::nan(""), is_complex(v.type) ? std::nan("") : 0};
            };
            if (alpha == 0.0) poisoned(a);
            if (beta == 0.0) poisoned(b);
            const bool on_device = ++count % 2 == 0;
            CAPTURE(type, order, op_a, op_b, m, n, alpha, beta, on_device);
            const device_vector da(memory_of(a)), db(memory_of(b)), dc(memory_of(c));
            scalar_place alpha_place(on_device, type, {alpha}), beta_place(on_device, type, {beta});
            expect(heron_geam(native(), type, order, op_a, op_b, m, n, alpha_place.data(), da.data(), a.ld,
                              beta_place.data(), db.data(), b.ld, dc.data(), c.ld));
            for (std::int64_t j = 0; j < n; ++j)
                for (std::int64_t i = 0; i < m; ++i)
                    c.at(i, j) = (alpha == 0.0 ? number{0, 0} : product(alpha, element_of(a, op_a, i, j))) +
                                 (beta == 0.0 ? number{0, 0} : product(beta, element_of(b, op_b, i, j)));
            CHECK(difference(dc.download(), memory_of(c), 16 * unit(type)) == "");
        }
}

TEST_CASE("geam in place") {
    random_source random(62);
    stored_case a = full_matrix(random, HERON_R_32F, HERON_ORDER_COLUMN, 9, 7);
    stored_case b = full_matrix(random, HERON_R_32F, HERON_ORDER_COLUMN, 7, 9);
    const device_vector da(memory_of(a)), db(memory_of(b));
    scalar_place two(false, HERON_R_32F, {2.0});
    expect(heron_geam(native(), HERON_R_32F, HERON_ORDER_COLUMN, HERON_OP_NONE, HERON_OP_TRANSPOSE, 9, 7,
                      two.data(), da.data(), a.ld, two.data(), db.data(), b.ld, da.data(), a.ld));
    for (std::int64_t j = 0; j < 7; ++j)
        for (std::int64_t i = 0; i < 9; ++i) a.at(i, j) = 2.0 * a.at(i, j) + 2.0 * b.at(j, i);
    CHECK(difference(da.download(), memory_of(a), 0x1p-20) == "");
}

TEST_CASE("dgmm") {
    random_source random(63);
    for (const heron_type type : matrix_types())
        for (int code = 0; code < 24; ++code) {
            const auto order = static_cast<heron_order>(code % 2);
            const auto side = static_cast<heron_side>(code / 2 % 2);
            const std::int64_t m = any_of(random, {0, 1, 5, 33}), n = any_of(random, {0, 1, 4, 70});
            const stored_case a = full_matrix(random, type, order, m, n);
            stored_case c = full_matrix(random, type, order, m, n);
            const std::int64_t incs[] = {1, 2, -1, 0};
            const vector_case x =
                random_vector(random, type, side == HERON_SIDE_LEFT ? m : n, incs[code / 4 % 4]);
            CAPTURE(type, order, side, m, n, x.inc);
            const device_vector da(memory_of(a)), dc(memory_of(c)), dx(x);
            expect(heron_dgmm(native(), type, order, side, m, n, da.data(), a.ld, dx.data(), x.inc, dc.data(),
                              c.ld));
            for (std::int64_t j = 0; j < n; ++j)
                for (std::int64_t i = 0; i < m; ++i)
                    c.at(i, j) = product(x.at(side == HERON_SIDE_LEFT ? i : j), a.at(i, j));
            CHECK(difference(dc.download(), memory_of(c), 8 * unit(type)) == "");
        }
}

// Columns as wide accesses want them, and shapes that small tiles and large ones get.
TEST_CASE("geam and dgmm of aligned columns") {
    random_source random(66);
    struct shape {
        std::int64_t m, n;
    };
    for (const heron_type type : matrix_types())
        for (const shape e : {shape{64, 30}, shape{71, 300}, shape{66001, 9}, shape{3301, 180}}) {
            const std::int64_t ld = (e.m + 3) / 4 * 4 + 4;
            const vector_case a = random_vector(random, type, 4 + ld * e.n, 1),
                              b = random_vector(random, type, 4 + ld * e.n, 1),
                              x = random_vector(random, type, e.n, 1);
            vector_case c = random_vector(random, type, 4 + ld * e.n, 1), d = c;
            const number alpha = random_number(random, type), beta = random_number(random, type);
            CAPTURE(type, e.m, e.n);
            const device_vector da(a), db(b), dx(x), dc(c), dd(d);
            const std::int64_t lead = da.lead(true);
            scalar_place alpha_place(false, type, {alpha}), beta_place(false, type, {beta});
            expect(heron_geam(native(), type, HERON_ORDER_COLUMN, HERON_OP_NONE, HERON_OP_NONE, e.m, e.n,
                              alpha_place.data(), da.element(lead), ld, beta_place.data(), db.element(lead),
                              ld, dc.element(lead), ld));
            expect(heron_dgmm(native(), type, HERON_ORDER_COLUMN, HERON_SIDE_RIGHT, e.m, e.n,
                              da.element(lead), ld, dx.data(), 1, dd.element(lead), ld));
            for (std::int64_t j = 0; j < e.n; ++j)
                for (std::int64_t i = 0; i < e.m; ++i) {
                    const auto k = static_cast<std::size_t>(lead + i + j * ld);
                    c.memory[k] = product(alpha, a.memory[k]) + product(beta, b.memory[k]);
                    d.memory[k] = product(x.at(j), a.memory[k]);
                }
            CHECK(difference(dc.download(), c, 16 * unit(type)) == "");
            CHECK(difference(dd.download(), d, 8 * unit(type)) == "");
        }
}

TEST_CASE("pack and unpack") {
    random_source random(64);
    for (const heron_type type : matrix_types())
        for (int code = 0; code < 24; ++code) {
            const auto order = static_cast<heron_order>(code % 2);
            const auto fill = static_cast<heron_fill_mode>(code / 2 % 2);
            const std::int64_t n = any_of(random, {0, 1, 2, 7, 40});
            const stored_case full = random_triangle(random, type, order, HERON_STORAGE_FULL, fill, n, 0);
            stored_case packed = random_triangle(random, type, order, HERON_STORAGE_PACKED, fill, n, 0);
            CAPTURE(type, order, fill, n);
            const device_vector from(memory_of(full)), to(memory_of(packed));
            expect(heron_pack(native(), type, order, fill, n, from.data(), full.ld, to.data()));
            stored_case back = full_matrix(random, type, order, n, n);
            for (std::int64_t j = 0; j < n; ++j)
                for (std::int64_t i = 0; i < n; ++i)
                    if (in_triangle(fill, i, j)) packed.at(i, j) = full.at(i, j);
            CHECK(difference(to.download(), memory_of(packed), 0) == "");
            const device_vector unpacked(memory_of(back));
            expect(heron_unpack(native(), type, order, fill, n, to.data(), unpacked.data(), back.ld));
            for (std::int64_t j = 0; j < n; ++j)
                for (std::int64_t i = 0; i < n; ++i)
                    if (in_triangle(fill, i, j)) back.at(i, j) = full.at(i, j);
            CHECK(difference(unpacked.download(), memory_of(back), 0) == "");
        }
}

TEST_CASE("gemv_batched") {
    random_source random(65);
    int count = 0;
    struct shape_of_batch {
        std::int64_t m, n, items;
        bool aligned = false;
    };
    const auto check = [&](heron_type type, int code, const shape_of_batch& e) {
        const std::int64_t m = e.m, n = e.n, items = e.items;
        const auto order = static_cast<heron_order>(code % 2);
        const auto op = static_cast<heron_operation>(code / 2 % 4);
        const auto kind = static_cast<heron_batch_kind>(code / 8 % 3);
        const heron_type scalars = scalar_type(type), y_type = code / 4 % 2 ? type : scalars;
        const std::int64_t size = transposes(op) ? m : n, rows = transposes(op) ? n : m;
        const std::int64_t x_inc = e.aligned ? 1 : any_of(random, {1, -2}),
                           y_inc = any_of(random, {1, 2, -1});
        stored_case shape = full_matrix(random, type, order, m, n);
        while (e.aligned && shape.ld % 4 != 0) shape = full_matrix(random, type, order, m, n);
        std::vector<stored_case> as;
        std::vector<vector_case> a_memory, xs, ys;
        for (std::int64_t q = 0; q < items; ++q) {
            as.push_back(shape);
            for (std::int64_t j = 0; j < n; ++j)
                for (std::int64_t i = 0; i < m; ++i) as.back().at(i, j) = random_number(random, type);
            a_memory.push_back(memory_of(as.back()));
            xs.push_back(random_vector(random, type, size, x_inc));
            ys.push_back(random_vector(random, y_type, rows, y_inc));
        }
        const number alpha = random_number(random, scalars);
        const number beta = random.below(2) ? number{0, 0} : random_number(random, scalars);
        if (beta == 0.0)
            for (vector_case& y : ys) poison(y);
        const bool on_device = ++count % 2 == 0;
        CAPTURE(type, y_type, order, op, kind, m, n, items, x_inc, y_inc, alpha, beta, on_device);
        batch a(a_memory, 3, kind, e.aligned), x(xs, 0, kind, e.aligned), y(ys, 2, kind);
        scalar_place alpha_place(on_device, scalars, {alpha}), beta_place(on_device, scalars, {beta});
        expect(heron_gemv_batched(native(), type, order, op, m, n, alpha_place.data(), a.operand(), shape.ld,
                                  x.operand(), x_inc, beta_place.data(), y_type, y.operand(), y_inc, items));
        for (std::int64_t q = 0; q < items; ++q) {
            const auto item = static_cast<std::size_t>(q);
            for (std::int64_t r = 0; r < rows; ++r) {
                const term t = dot(
                    size, [&](std::int64_t l) { return element_of(as[item], op, r, l); },
                    [&](std::int64_t l) { return xs[item].at(l); });
                const number old = beta == 0.0 ? number{0, 0} : product(beta, ys[item].at(r));
                y.at(item, ys[item].index(r)) = product(alpha, t.value) + old;
            }
        }
        const double bound = unit(y_type) * 64 + unit(scalars) * 64 * static_cast<double>(size);
        CHECK(difference(y.device->download(), y.all, bound) == "");
    };
    for (const heron_type type : vector_types())
        for (int code = 0; code < 24; ++code)
            check(type, code,
                  {any_of(random, {1, 3, 17}), any_of(random, {1, 2, 30}), any_of(random, {1, 5})});
    for (const heron_type type : matrix_types())
        for (int code = 0; code < 6; ++code)
            for (const shape_of_batch& e :
                 {shape_of_batch{12, 28, 7, true}, shape_of_batch{13, 20, 1000},
                  shape_of_batch{20, 12, 1700, true}, shape_of_batch{148, 24, 3, true},
                  shape_of_batch{24, 300, 2, true}, shape_of_batch{700, 9, 2}})
                check(type, code * 4 + static_cast<int>(random.below(4)), e);
    for (const heron_type type : matrix_types()) {
        check(type, 0, {2, 3, 66000});
        check(type, 3, {4, 2, 33000, true});
        // One, which is a product like any other, and few large ones.
        for (int code = 0; code < 16; code += 5) check(type, code, {70, 90, 1});
        check(type, 0, {640, 640, 8, true});
        check(type, 8, {639, 650, 8});
    }
}

TEST_CASE("trsm_batched") {
    random_source random(66);
    for (const heron_type type : matrix_types())
        for (int code = 0; code < 48; ++code) {
            const auto order = static_cast<heron_order>(code % 2);
            const auto side = static_cast<heron_side>(code / 2 % 2);
            const auto fill = static_cast<heron_fill_mode>(code / 4 % 2);
            const auto op = static_cast<heron_operation>(code / 8 % 3);
            const auto diag = static_cast<heron_diag_type>(code / 24 % 2);
            const auto kind = static_cast<heron_batch_kind>(code % 3);
            const std::int64_t m = any_of(random, {1, 4, 19}), n = any_of(random, {1, 3, 12}),
                               items = any_of(random, {1, 4});
            const std::int64_t k = side == HERON_SIDE_LEFT ? m : n;
            stored_case shape = random_triangle(random, type, order, HERON_STORAGE_FULL, fill, k, 0);
            stored_case b_shape = full_matrix(random, type, order, m, n);
            std::vector<stored_case> as, bs;
            std::vector<vector_case> a_memory, b_memory;
            for (std::int64_t q = 0; q < items; ++q) {
                as.push_back(shape);
                bs.push_back(b_shape);
                for (std::int64_t j = 0; j < k; ++j)
                    for (std::int64_t i = 0; i < k; ++i) {
                        if (!in_triangle(fill, i, j)) continue;
                        number v = random_number(random, type) / 32.0;
                        if (i == j) v += v.real() < 0 ? -1.0 : 1.0;
                        if (i == j && diag == HERON_DIAG_UNIT)
                            v = number{std::nan(""), is_complex(type) ? std::nan("") : 0};
                        as.back().at(i, j) = rounded(cuda_type(type), v);
                    }
                for (std::int64_t j = 0; j < n; ++j)
                    for (std::int64_t i = 0; i < m; ++i) bs.back().at(i, j) = random_number(random, type);
                a_memory.push_back(memory_of(as.back()));
                b_memory.push_back(memory_of(bs.back()));
            }
            const number alpha = random.below(4) == 0 ? number{0, 0} : random_number(random, type);
            CAPTURE(type, order, side, fill, op, diag, kind, m, n, items, alpha);
            batch a(a_memory, 1, kind), b(b_memory, 2, kind);
            scalar_place place(code % 2 == 0, type, {alpha});
            expect(heron_trsm_batched(native(), type, order, side, fill, op, diag, m, n, place.data(),
                                      a.operand(), shape.ld, b.operand(), b_shape.ld, items));
            vector_case after = b.device->download();
            // op(A)*X or X*op(A) in place of X gives alpha*B back.
            for (std::int64_t q = 0; q < items; ++q) {
                const auto item = static_cast<std::size_t>(q);
                const auto entry = [&](std::int64_t i, std::int64_t j) {
                    if (i == j && diag == HERON_DIAG_UNIT) return number{1, 0};
                    const bool stored = transposes(op) ? in_triangle(fill, j, i) : in_triangle(fill, i, j);
                    return stored ? element_of(as[item], op, i, j) : number{0, 0};
                };
                const auto x = [&](std::int64_t i, std::int64_t j) {
                    return after.memory[item * static_cast<std::size_t>(b.apart) + b_shape.index(i, j)];
                };
                for (std::int64_t j = 0; j < n; ++j)
                    for (std::int64_t i = 0; i < m; ++i) {
                        const term t = dot(
                            k,
                            [&](std::int64_t l) { return side == HERON_SIDE_LEFT ? entry(i, l) : x(i, l); },
                            [&](std::int64_t l) { return side == HERON_SIDE_LEFT ? x(l, j) : entry(l, j); });
                        const number target = product(alpha, bs[item].at(i, j));
                        CHECK(is_within(std::abs(t.value - target), 128 * unit(type)));
                        b.at(item, b_shape.index(i, j)) = x(i, j);
                    }
            }
            CHECK(difference(after, b.all, 0) == "");
        }
}
