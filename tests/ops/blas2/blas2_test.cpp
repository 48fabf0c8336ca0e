// A matrix and vectors, in every storage and order, against the definitions.
#include "stored_problem.hpp"

using namespace heron::test;

namespace {

constexpr std::int64_t increments[] = {1, 2, -1, -3};

std::int64_t any_of(random_source& random, std::initializer_list<std::int64_t> values) {
    return values.begin()[random.below(static_cast<std::int64_t>(values.size()))];
}

std::int64_t any_increment(random_source& random) { return increments[random.below(4)]; }

// 0, 1 or any number; every other time on the device.
struct scalars {
    scalars(random_source& random, heron_type type, bool device)
        : alpha(pick(random, type)), beta(pick(random, type)), on_device(device) {}
    scalars(number alpha_value, number beta_value) : alpha(alpha_value), beta(beta_value) {}
    static number pick(random_source& random, heron_type type) {
        const std::int64_t kind = random.below(4);
        return kind < 2 ? number{static_cast<double>(kind), 0} : random_number(random, type);
    }
    number alpha, beta;
    bool on_device = false;
};

number operated(heron_operation op, number v) {
    return op == HERON_OP_CONJUGATE || op == HERON_OP_CONJUGATE_TRANSPOSE ? std::conj(v) : v;
}
bool transposes(heron_operation op) { return op == HERON_OP_TRANSPOSE || op == HERON_OP_CONJUGATE_TRANSPOSE; }

// y against alpha*sum + beta*y for each element, where sum(i) is a term.
template <class Sum>
void check_product(const vector_case& before, const device_vector& after, const scalars& s,
                   std::int64_t terms, const Sum& sum) {
    vector_case expected = before;
    double largest = 0;
    for (std::int64_t i = 0; i < before.n; ++i) {
        number value = s.beta == 0.0 ? number{0, 0} : product(s.beta, before.at(i));
        double size = std::abs(value);
        if (s.alpha != 0.0) {
            const term t = sum(i);
            value += product(s.alpha, t.value);
            size += std::abs(s.alpha) * t.size;
        }
        expected.at(i) = value;
        largest = std::max(largest, size);
    }
    CHECK(difference(after.download(), expected,
                     unit(before.type) * (static_cast<double>(terms) + 8) * largest) == "");
}

// Row r of op(A) times v, A a triangle.
term row_of_triangle(const stored_case& a, heron_fill_mode fill, heron_diag_type diag, heron_operation op,
                     const vector_case& v, std::int64_t r) {
    const auto element = [&](std::int64_t l) {
        const std::int64_t i = transposes(op) ? l : r, j = transposes(op) ? r : l;
        if (i == j && diag == HERON_DIAG_UNIT) return number{1, 0};
        return in_triangle(fill, i, j) && a.in_band(i, j) ? operated(op, a.at(i, j)) : number{0, 0};
    };
    return dot(v.n, element, [&](std::int64_t l) { return v.at(l); });
}

}  // namespace

TEST_CASE("gemv and gbmv") {
    random_source random(51);
    int count = 0;
    const auto check = [&](heron_type type, std::int64_t m, std::int64_t n, bool is_band) {
        const auto order = static_cast<heron_order>(random.below(2));
        const auto op = static_cast<heron_operation>(random.below(4));
        stored_case a{type, order, is_band ? HERON_STORAGE_BANDED : HERON_STORAGE_FULL, HERON_FILL_LOWER,
                      m,    n};
        if (is_band) {
            a.kl = any_of(random, {0, 1, 2, 5, 16, 33});
            a.ku = any_of(random, {0, 1, 3, 15, 40, n + 2});
        }
        a = random_stored(random, a, [](std::int64_t, std::int64_t) { return true; });
        const scalars s(random, type, ++count % 2 == 0);
        const std::int64_t size = transposes(op) ? m : n, rows = transposes(op) ? n : m;
        vector_case x = random_vector(random, type, size, any_increment(random));
        vector_case y = random_vector(random, type, rows, any_increment(random));
        if (s.beta == 0.0) poison(y);
        if (s.alpha == 0.0) poison(x);
        CAPTURE(type, order, op, m, n, is_band, a.kl, a.ku, x.inc, y.inc, s.alpha, s.beta, s.on_device);
        const device_vector da(memory_of(a)), dx(x), dy(y);
        scalar_place alpha(s.on_device, type, {s.alpha}), beta(s.on_device, type, {s.beta});
        expect(is_band ? heron_gbmv(native(), type, order, op, m, n, a.kl, a.ku, alpha.data(), da.data(),
                                    a.ld, dx.data(), x.inc, beta.data(), dy.data(), y.inc)
                       : heron_gemv(native(), type, order, op, m, n, alpha.data(), da.data(), a.ld, dx.data(),
                                    x.inc, beta.data(), dy.data(), y.inc));
        if (m == 0 || n == 0) {
            CHECK(difference(dy.download(), y, 0) == "");
            return;
        }
        check_product(y, dy, s, size, [&](std::int64_t r) {
            const auto element = [&](std::int64_t l) {
                const std::int64_t i = transposes(op) ? l : r, j = transposes(op) ? r : l;
                return a.in_band(i, j) ? operated(op, a.at(i, j)) : number{0, 0};
            };
            return dot(size, element, [&](std::int64_t l) { return x.at(l); });
        });
    };
    for (const heron_type type : matrix_types()) {
        for (int i = 0; i < 60; ++i)
            check(type, any_of(random, {0, 1, 2, 3, 7, 16, 33, 64}), any_of(random, {0, 1, 2, 5, 8, 31, 65}),
                  i % 3 == 0);
        for (int i = 0; i < 4; ++i) {
            check(type, 1, 700, false);
            check(type, 700, 1, false);
            check(type, 301, 203, false);
            check(type, 37, 1100, false);
            check(type, 1100, 37, false);
            check(type, 300, 301, true);
        }
        // Parts of the sums, and several threads.
        for (int i = 0; i < 3; ++i) {
            check(type, 1500, 260, false);
            check(type, 70, 4000, false);
            check(type, 4000, 70, false);
            check(type, 5000, 4900, true);
        }
    }
}

// An infinite element of x comes to those alone that have an element of the matrix there.
TEST_CASE("gbmv, sbmv and tbmv: elements that a band does not have are not multiplied") {
    random_source random(60);
    const std::int64_t n = 90;
    for (const heron_type type : matrix_types())
        for (const std::int64_t band : {0, 1, 7, 20})
            for (int code = 0; code < 6; ++code) {
                const auto op = static_cast<heron_operation>(code % 2);
                const auto fill = code / 2 == 0 ? HERON_FILL_LOWER : HERON_FILL_UPPER;
                const bool is_general = code / 2 == 2;
                const std::int64_t place = random.below(n);
                stored_case a = is_general
                                    ? stored_case{type, HERON_ORDER_COLUMN, HERON_STORAGE_BANDED, fill, n, n}
                                    : random_triangle(random, type, HERON_ORDER_COLUMN, HERON_STORAGE_BANDED,
                                                      fill, n, band);
                if (is_general) {
                    a.kl = band / 2;
                    a.ku = band;
                    a = random_stored(random, a, [](std::int64_t, std::int64_t) { return true; });
                }
                vector_case x = random_vector(random, type, n, 1);
                x.at(place) = std::numeric_limits<double>::infinity();
                CAPTURE(type, band, code, place);
                const device_vector da(memory_of(a)), dx(x), dy(x), dz(x);
                scalar_place one(false, type, {1.0}), zero(false, type, {0.0});
                if (is_general)
                    expect(heron_gbmv(native(), type, HERON_ORDER_COLUMN, op, n, n, a.kl, a.ku, one.data(),
                                      da.data(), a.ld, dx.data(), 1, zero.data(), dy.data(), 1));
                else
                    expect(heron_symv(native(), type, HERON_ORDER_COLUMN, fill, HERON_STORAGE_BANDED, n, band,
                                      one.data(), da.data(), a.ld, dx.data(), 1, zero.data(), dy.data(), 1));
                if (!is_general)
                    expect(heron_trmv(native(), type, HERON_ORDER_COLUMN, fill, op, HERON_DIAG_NON_UNIT,
                                      HERON_STORAGE_BANDED, n, band, da.data(), a.ld, dz.data(), 1));
                const vector_case y = dy.download(), z = dz.download();
                for (std::int64_t i = 0; i < n; ++i) {
                    const bool meets = is_general
                                           ? (op == HERON_OP_NONE ? a.in_band(i, place) : a.in_band(place, i))
                                           : std::abs(i - place) <= band;
                    REQUIRE(std::isfinite(std::abs(y.at(i))) == !meets);
                    if (is_general) continue;
                    const bool is_below = (fill == HERON_FILL_LOWER) == (op == HERON_OP_NONE);
                    const bool meets_triangle = meets && (i == place || (i > place) == is_below);
                    REQUIRE(std::isfinite(std::abs(z.at(i))) == !meets_triangle);
                }
            }
}

TEST_CASE("symv and hemv in every storage") {
    random_source random(52);
    int count = 0;
    const auto check = [&](heron_type type, int code, std::int64_t n) {
        const bool hermitian = code % 2 == 1;
        if (hermitian && !is_complex(type)) return;
        const auto order = static_cast<heron_order>(code / 2 % 2);
        const auto fill = static_cast<heron_fill_mode>(code / 4 % 2);
        const auto storage = static_cast<heron_matrix_storage>(code / 8 % 3);
        const std::int64_t k = any_of(random, {0, 1, 4, 17, n + 1});
        stored_case a = random_triangle(random, type, order, storage, fill, n, k);
        // Imaginary parts on a Hermitian diagonal are not read.
        if (hermitian)
            for (std::int64_t i = 0; i < n; ++i) a.at(i, i) = number{a.at(i, i).real(), std::nan("")};
        const scalars s(random, type, ++count % 2 == 0);
        vector_case x = random_vector(random, type, n, n > 500 ? 1 : any_increment(random));
        vector_case y = random_vector(random, type, n, any_increment(random));
        if (s.beta == 0.0) poison(y);
        if (s.alpha == 0.0) poison(x);
        CAPTURE(type, hermitian, order, fill, storage, n, k, x.inc, y.inc, s.alpha, s.beta, s.on_device);
        const device_vector da(memory_of(a)), dx(x), dy(y);
        scalar_place alpha(s.on_device, type, {s.alpha}), beta(s.on_device, type, {s.beta});
        expect((hermitian ? heron_hemv : heron_symv)(native(), type, order, fill, storage, n, k, alpha.data(),
                                                     da.data(), a.ld, dx.data(), x.inc, beta.data(),
                                                     dy.data(), y.inc));
        check_product(y, dy, s, n, [&](std::int64_t i) {
            const auto element = [&](std::int64_t j) {
                const bool stored = in_triangle(fill, i, j);
                if (!(stored ? a.in_band(i, j) : a.in_band(j, i))) return number{0, 0};
                const number v = stored ? a.at(i, j) : a.at(j, i);
                if (!hermitian) return v;
                return i == j ? number{v.real(), 0} : stored ? v : std::conj(v);
            };
            return dot(n, element, [&](std::int64_t j) { return x.at(j); });
        });
    };
    for (const heron_type type : matrix_types()) {
        for (int code = 0; code < 96; ++code)
            check(type, code, any_of(random, {0, 1, 2, 3, 9, 32, 65, 130, 330}));
        // Parts of the sums, and several threads: full and packed.
        for (int code = 0; code < 8; ++code) check(type, code, 1100);
        for (const int code : {16, 20}) check(type, code, 520);
    }
    // More rows than the host works on at a time.
    for (const int code : {0, 4}) check(HERON_R_32F, code, 2100);
}

TEST_CASE("trmv and trsv in every storage") {
    random_source random(53);
    const auto check = [&](heron_type type, int code, std::int64_t n) {
        const bool solves = code % 2 == 1;
        const auto order = static_cast<heron_order>(code / 2 % 2);
        const auto fill = static_cast<heron_fill_mode>(code / 4 % 2);
        const auto diag = static_cast<heron_diag_type>(code / 8 % 2);
        const auto op = static_cast<heron_operation>(code / 16 % 4);
        const auto storage = static_cast<heron_matrix_storage>(code / 64);
        const std::int64_t k = any_of(random, {0, 1, 4, 15, 40, n + 1});
        stored_case a = random_triangle(random, type, order, storage, fill, n, k);
        // Solutions must not grow without bound.
        const double scale =
            std::ldexp(1.0, -static_cast<int>(std::ceil(std::log2(static_cast<double>(n) + 2))));
        for (number& v : a.memory) v *= solves ? scale : 1;
        for (std::int64_t i = 0; i < n; ++i) {
            if (solves) a.at(i, i) += number{a.at(i, i).real() < 0 ? -1.0 : 1.0, 0};
            if (diag == HERON_DIAG_UNIT)
                a.at(i, i) = number{std::nan(""), is_complex(type) ? std::nan("") : 0};
        }
        a.memory = rounded(cuda_type(type), a.memory);
        const vector_case x = random_vector(random, type, n, any_increment(random));
        CAPTURE(type, solves, order, fill, diag, op, storage, n, k, x.inc);
        const device_vector da(memory_of(a)), dx(x);
        expect((solves ? heron_trsv : heron_trmv)(native(), type, order, fill, op, diag, storage, n, k,
                                                  da.data(), a.ld, dx.data(), x.inc));
        const auto row = [&](const vector_case& v, std::int64_t r) {
            return row_of_triangle(a, fill, diag, op, v, r);
        };
        const vector_case after = dx.download();
        vector_case expected = x;
        double largest = 0;
        if (solves) {
            // The residual; gaps are compared with themselves.
            vector_case left = after;
            for (std::int64_t i = 0; i < n; ++i) {
                const term t = row(after, i);
                left.at(i) = t.value;
                largest = std::max(largest, t.size + std::abs(x.at(i)));
            }
            CHECK(difference(left, expected, unit(type) * (4.0 * static_cast<double>(n) + 16) * largest) ==
                  "");
            return;
        }
        for (std::int64_t i = 0; i < n; ++i) {
            const term t = row(x, i);
            expected.at(i) = t.value;
            largest = std::max(largest, t.size);
        }
        CHECK(difference(after, expected, unit(type) * (static_cast<double>(n) + 8) * largest) == "");
    };
    for (const heron_type type : matrix_types()) {
        for (int code = 0; code < 192; ++code)
            check(type, code, any_of(random, {0, 1, 2, 3, 9, 32, 65, 130, 190, 420}));
        // Several tiles of the result: products with either triangle, as it is and turned.
        for (const int code : {0, 4, 8, 16, 20, 28}) check(type, code, 1100);
        // At and beside the ends of tiles, either triangle as it is and turned.
        for (const std::int64_t n : {31, 64, 257})
            for (const int code : {0, 4, 12, 16, 20, 52}) check(type, code, n);
    }
}

// Elements beside the diagonal as large as those on it: solutions grow, and the inverse of a triangle more
// than these. Residuals are as small as those of the substitution, row by row.
TEST_CASE("trmv and trsv: solutions that grow") {
    random_source random(56);
    for (const heron_type type : matrix_types())
        for (int code = 0; code < 32; ++code) {
            const auto fill = static_cast<heron_fill_mode>(code % 2);
            const auto diag = static_cast<heron_diag_type>(code / 2 % 2);
            const auto op = static_cast<heron_operation>(code / 4 % 4);
            const auto storage = code / 16 == 0 ? HERON_STORAGE_FULL : HERON_STORAGE_PACKED;
            const std::int64_t n = any_of(random, {40, 64, 150, 257});
            // Triangles that grow alternate with ones that do not, block by block.
            stored_case a = random_triangle(random, type, HERON_ORDER_COLUMN, storage, fill, n, 0);
            for (std::int64_t j = 0; j < n; ++j)
                for (std::int64_t i = 0; i < n; ++i) {
                    if (!in_triangle(fill, i, j)) continue;
                    if (i / 64 != j / 64 || i / 64 % 2 == 1) a.at(i, j) *= 1.0 / 256;
                    if (i == j) a.at(i, j) = number{i % 3 == 0 ? 1.0 : -0.75, 0};
                }
            a.memory = rounded(cuda_type(type), a.memory);
            const vector_case x = random_vector(random, type, n, any_increment(random));
            CAPTURE(type, fill, diag, op, storage, n, x.inc);
            const device_vector da(memory_of(a)), dx(x);
            expect(heron_trsv(native(), type, HERON_ORDER_COLUMN, fill, op, diag, storage, n, 0, da.data(),
                              a.ld, dx.data(), x.inc));
            const vector_case after = dx.download();
            for (std::int64_t i = 0; i < n; ++i) {
                const term t = row_of_triangle(a, fill, diag, op, after, i);
                const double most =
                    unit(type) * (4.0 * static_cast<double>(n) + 16) * (t.size + std::abs(x.at(i)));
                REQUIRE(std::abs(t.value - x.at(i)) <= most);
            }
        }
}

TEST_CASE("trmv and trsv: what is not finite spoils no unknown before it") {
    for (const heron_type type : matrix_types())
        for (int code = 0; code < 4; ++code) {
            // A zero on the diagonal, or an infinite right-hand side.
            const bool is_zero = code / 2 == 0;
            const auto fill = static_cast<heron_fill_mode>(code % 2);
            const std::int64_t n = 200, place = fill == HERON_FILL_LOWER ? 130 : 69;
            random_source random(57);
            stored_case a = random_triangle(random, type, HERON_ORDER_COLUMN, HERON_STORAGE_FULL, fill, n, 0);
            for (number& v : a.memory) v *= 1.0 / 256;
            for (std::int64_t i = 0; i < n; ++i) a.at(i, i) = i == place && is_zero ? 0.0 : 1.0;
            a.memory = rounded(cuda_type(type), a.memory);
            vector_case x = random_vector(random, type, n, 1);
            if (!is_zero) x.at(place) = std::numeric_limits<double>::infinity();
            CAPTURE(type, fill, is_zero);
            const device_vector da(memory_of(a)), dx(x);
            expect(heron_trsv(native(), type, HERON_ORDER_COLUMN, fill, HERON_OP_NONE, HERON_DIAG_NON_UNIT,
                              HERON_STORAGE_FULL, n, 0, da.data(), a.ld, dx.data(), 1));
            vector_case after = dx.download();
            CHECK(!std::isfinite(std::abs(after.at(place))));
            const auto is_spoilt = [&](std::int64_t i) {
                return fill == HERON_FILL_LOWER ? i >= place : i <= place;
            };
            for (std::int64_t i = 0; i < n; ++i)
                if (is_spoilt(i)) after.at(i) = 0;
            for (std::int64_t i = 0; i < n; ++i) {
                if (is_spoilt(i)) continue;
                const term t = row_of_triangle(a, fill, HERON_DIAG_NON_UNIT, HERON_OP_NONE, after, i);
                REQUIRE(std::abs(t.value - x.at(i)) <= unit(type) * 1000 * (t.size + std::abs(x.at(i))));
            }
        }
}

TEST_CASE("trmv and trsv: many blocks, and the same bits every time") {
    random_source random(59);
    for (const heron_type type : matrix_types())
        for (const auto op : {HERON_OP_NONE, HERON_OP_TRANSPOSE}) {
            const std::int64_t n = 1300;
            const auto fill = static_cast<heron_fill_mode>(random.below(2));
            stored_case a = random_triangle(random, type, HERON_ORDER_COLUMN, HERON_STORAGE_FULL, fill, n, 0);
            for (number& v : a.memory) v *= 1.0 / 512;
            for (std::int64_t i = 0; i < n; ++i) a.at(i, i) += 1.0;
            a.memory = rounded(cuda_type(type), a.memory);
            const vector_case x = random_vector(random, type, n, 1);
            CAPTURE(type, op, fill);
            const device_vector da(memory_of(a));
            const auto solution = [&] {
                const device_vector dx(x);
                expect(heron_trsv(native(), type, HERON_ORDER_COLUMN, fill, op, HERON_DIAG_NON_UNIT,
                                  HERON_STORAGE_FULL, n, 0, da.data(), a.ld, dx.data(), 1));
                return dx.download();
            };
            const vector_case after = solution();
            CHECK(difference(solution(), after, 0) == "");
            for (std::int64_t i = 0; i < n; ++i) {
                const term t = row_of_triangle(a, fill, HERON_DIAG_NON_UNIT, op, after, i);
                REQUIRE(std::abs(t.value - x.at(i)) <= unit(type) * 200 * (t.size + std::abs(x.at(i))));
            }
        }
}

TEST_CASE("ger and gerc") {
    random_source random(54);
    int count = 0;
    for (const heron_type type : matrix_types())
        for (int i = 0; i < 40; ++i) {
            const bool conjugate = i % 2 == 1;
            const auto order = static_cast<heron_order>(i / 2 % 2);
            const std::int64_t m = any_of(random, {0, 1, 3, 17, 64, 150, 5000}),
                               n = any_of(random, {0, 1, 2, 33, 120});
            stored_case a = random_stored(random, {type, order, HERON_STORAGE_FULL, HERON_FILL_LOWER, m, n},
                                          [](std::int64_t, std::int64_t) { return true; });
            const scalars s(random, type, ++count % 2 == 0);
            vector_case x = random_vector(random, type, m, any_increment(random));
            const vector_case y = random_vector(random, type, n, any_increment(random));
            if (s.alpha == 0.0) poison(x);
            CAPTURE(type, conjugate, order, m, n, x.inc, y.inc, s.alpha, s.on_device);
            const device_vector da(memory_of(a)), dx(x), dy(y);
            scalar_place alpha(s.on_device, type, {s.alpha});
            expect((conjugate ? heron_gerc : heron_ger)(native(), type, order, m, n, alpha.data(), dx.data(),
                                                        x.inc, dy.data(), y.inc, da.data(), a.ld));
            for (std::int64_t j = 0; j < n && s.alpha != 0.0; ++j)
                for (std::int64_t r = 0; r < m; ++r)
                    a.at(r, j) +=
                        product(product(s.alpha, x.at(r)), conjugate ? std::conj(y.at(j)) : y.at(j));
            CHECK(difference(da.download(), memory_of(a), 32 * unit(type)) == "");
        }
}

// A matrix whose first element is at an address that is aligned as wide accesses want it, and so is every
// column, or that has its elements' alignment and no more.
TEST_CASE("gemv and ger of aligned columns") {
    random_source random(58);
    struct shape {
        std::int64_t m, n;
    };
    for (const heron_type type : matrix_types())
        for (const shape e : {shape{64, 300}, shape{131, 70}, shape{13, 9001}, shape{39, 9001},
                              shape{66000, 3}, shape{66001, 35}, shape{2101, 1010}})
            for (const bool aligned : {true, false}) {
                if (!aligned && e.n == 35) continue;
                const std::int64_t ld = (e.m + 3) / 4 * 4 + 4;
                vector_case a = random_vector(random, type, 4 + ld * (e.n - 1) + e.m, 1);
                const vector_case x = random_vector(random, type, e.n, 1),
                                  y = random_vector(random, type, e.m, 2);
                const number alpha = random_number(random, type), beta = random_number(random, type);
                const scalars s(alpha, beta);
                CAPTURE(type, e.m, e.n, aligned);
                const device_vector da(a), dx(x), dy(y);
                const std::int64_t lead = da.lead(aligned);
                const auto at = [&](std::int64_t i, std::int64_t j) { return lead + i + j * ld; };
                char* const first = da.element(lead);
                scalar_place alpha_place(false, type, {alpha}), beta_place(false, type, {beta});
                expect(heron_gemv(native(), type, HERON_ORDER_COLUMN, HERON_OP_NONE, e.m, e.n,
                                  alpha_place.data(), first, ld, dx.data(), 1, beta_place.data(), dy.data(),
                                  2));
                check_product(y, dy, s, e.n, [&](std::int64_t i) {
                    return dot(
                        e.n, [&](std::int64_t l) { return a.at(at(i, l)); },
                        [&](std::int64_t l) { return x.at(l); });
                });
                const device_vector du(y);
                expect(heron_gerc(native(), type, HERON_ORDER_COLUMN, e.m, e.n, alpha_place.data(), du.data(),
                                  2, dx.data(), 1, first, ld));
                for (std::int64_t j = 0; j < e.n; ++j)
                    for (std::int64_t i = 0; i < e.m; ++i)
                        a.at(at(i, j)) += product(product(alpha, y.at(i)), std::conj(x.at(j)));
                CHECK(difference(da.download(), a, 32 * unit(type)) == "");
            }
}

TEST_CASE("gemv of aligned columns, transposed") {
    random_source random(60);
    struct shape {
        std::int64_t m, n;
    };
    for (const heron_type type : matrix_types())
        for (const shape e : {shape{13, 600}, shape{61, 16400}, shape{1003, 37}, shape{8209, 9}})
            for (const bool aligned : {true, false}) {
                if (!aligned && e.n > 1000) continue;
                const std::int64_t ld = (e.m + 3) / 4 * 4 + 4;
                const vector_case a = random_vector(random, type, 4 + ld * (e.n - 1) + e.m, 1),
                                  x = random_vector(random, type, 4 + e.m, 1),
                                  y = random_vector(random, type, e.n, 2);
                const number alpha = random_number(random, type), beta = random_number(random, type);
                CAPTURE(type, e.m, e.n, aligned);
                const device_vector da(a), dx(x), dy(y);
                const std::int64_t lead = da.lead(aligned), x_lead = dx.lead(aligned);
                scalar_place alpha_place(false, type, {alpha}), beta_place(false, type, {beta});
                expect(heron_gemv(native(), type, HERON_ORDER_COLUMN, HERON_OP_CONJUGATE_TRANSPOSE, e.m, e.n,
                                  alpha_place.data(), da.element(lead), ld, dx.element(x_lead), 1,
                                  beta_place.data(), dy.data(), 2));
                check_product(y, dy, scalars(alpha, beta), e.m, [&](std::int64_t j) {
                    return dot(
                        e.m, [&](std::int64_t i) { return std::conj(a.at(lead + i + j * ld)); },
                        [&](std::int64_t i) { return x.at(x_lead + i); });
                });
            }
}

TEST_CASE("syr, her, syr2 and her2, full and packed") {
    random_source random(55);
    int count = 0;
    for (const heron_type type : matrix_types())
        for (int code = 0; code < 96; ++code) {
            const bool hermitian = code % 2 == 1, has_two = code / 2 % 2 == 1;
            if (hermitian && !is_complex(type)) continue;
            const auto order = static_cast<heron_order>(code / 4 % 2);
            const auto fill = static_cast<heron_fill_mode>(code / 8 % 2);
            const auto storage = code / 16 % 2 ? HERON_STORAGE_PACKED : HERON_STORAGE_FULL;
            const std::int64_t n = any_of(random, {0, 1, 2, 3, 17, 66, 120});
            stored_case a = random_triangle(random, type, order, storage, fill, n, 0);
            if (hermitian)
                for (std::int64_t i = 0; i < n; ++i) a.at(i, i) = number{a.at(i, i).real(), std::nan("")};
            const heron_type alpha_type = hermitian && !has_two ? real_type(type) : type;
            const scalars s(random, alpha_type, ++count % 2 == 0);
            vector_case x = random_vector(random, type, n, any_increment(random));
            const vector_case y = random_vector(random, type, n, any_increment(random));
            if (s.alpha == 0.0) poison(x);
            CAPTURE(type, hermitian, has_two, order, fill, storage, n, x.inc, y.inc, s.alpha, s.on_device);
            const device_vector da(memory_of(a)), dx(x), dy(y);
            scalar_place alpha(s.on_device, alpha_type, {s.alpha});
            expect(has_two ? (hermitian ? heron_her2 : heron_syr2)(native(), type, order, fill, storage, n,
                                                                   alpha.data(), dx.data(), x.inc, dy.data(),
                                                                   y.inc, da.data(), a.ld)
                           : (hermitian ? heron_her : heron_syr)(native(), type, order, fill, storage, n,
                                                                 alpha.data(), dx.data(), x.inc, da.data(),
                                                                 a.ld));
            const auto turned = [&](number v) { return hermitian ? std::conj(v) : v; };
            for (std::int64_t j = 0; j < n && s.alpha != 0.0; ++j)
                for (std::int64_t i = 0; i < n; ++i) {
                    if (!in_triangle(fill, i, j)) continue;
                    const number old = hermitian && i == j ? number{a.at(i, i).real(), 0} : a.at(i, j);
                    number added = product(product(s.alpha, x.at(i)), turned(has_two ? y.at(j) : x.at(j)));
                    if (has_two) added += product(product(turned(s.alpha), y.at(i)), turned(x.at(j)));
                    a.at(i, j) = hermitian && i == j ? number{(old + added).real(), 0} : old + added;
                }
            CHECK(difference(da.download(), memory_of(a), 64 * unit(type)) == "");
        }
}

TEST_CASE("the same bits on each run") {
    random_source random(59);
    const std::int64_t n = 700, wide = 5000;
    for (const heron_type type : matrix_types()) {
        stored_case a =
            random_stored(random, {type, HERON_ORDER_COLUMN, HERON_STORAGE_FULL, HERON_FILL_LOWER, n, wide},
                          [](std::int64_t, std::int64_t) { return true; });
        for (std::int64_t i = 0; i < n; ++i) a.at(i, i) = number{static_cast<double>(n), 0};
        const vector_case x = random_vector(random, type, wide, 1);
        const device_vector da(memory_of(a)), dx(x);
        scalar_place one(false, type, {number{1, 0}}), zero(false, type, {number{0, 0}});
        const auto bits = [&](const auto& call) {
            const device_vector result(x);
            expect(call(result.data()));
            return result.download();
        };
        const auto is_repeated = [&](const auto& call) {
            const vector_case first = bits(call);
            for (int run = 0; run < 2; ++run) CHECK(difference(bits(call), first, 0) == "");
        };
        const auto column = HERON_ORDER_COLUMN;
        const auto full = HERON_STORAGE_FULL;
        const auto lower = HERON_FILL_LOWER;
        CAPTURE(type);
        for (const heron_operation op : {HERON_OP_NONE, HERON_OP_TRANSPOSE})
            is_repeated([&](void* y) {
                return heron_gemv(native(), type, column, op, n, wide, one.data(), da.data(), a.ld, dx.data(),
                                  1, zero.data(), y, 1);
            });
        is_repeated([&](void* y) {
            return heron_symv(native(), type, column, lower, full, n, 0, one.data(), da.data(), a.ld,
                              dx.data(), 1, zero.data(), y, 1);
        });
        for (const heron_operation op : {HERON_OP_NONE, HERON_OP_TRANSPOSE})
            for (const auto triangular : {&heron_trmv, &heron_trsv})
                is_repeated([&](void* y) {
                    return triangular(native(), type, column, lower, op, HERON_DIAG_NON_UNIT, full, n, 0,
                                      da.data(), a.ld, y, 1);
                });
    }
}
