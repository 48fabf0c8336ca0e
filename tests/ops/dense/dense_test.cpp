// Dense products: gemm, batched and triangular ones, rank-k and rank-2k updates, symm and hemm, against the
// oracle.
#include "dense_problem.hpp"

using namespace heron::test;

namespace {

// Each kernel that OpenCL builds costs a compilation.
std::vector<heron_type> types() {
    if (backend_name() == "opencl") return {HERON_R_32F, HERON_C_64F};
    return {HERON_R_32F, HERON_R_64F, HERON_C_32F, HERON_C_64F};
}

constexpr heron_order orders[] = {HERON_ORDER_COLUMN, HERON_ORDER_ROW};
constexpr heron_fill_mode fills[] = {HERON_FILL_LOWER, HERON_FILL_UPPER};
constexpr heron_side sides[] = {HERON_SIDE_LEFT, HERON_SIDE_RIGHT};
constexpr std::int64_t small_sizes[] = {0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 23, 25, 31, 33, 40};

std::int64_t small_size(random_source& random) { return small_sizes[random.below(std::size(small_sizes))]; }

// 0, 1 and something else, each often.
number random_scalar(random_source& random, heron_type type, bool real) {
    const std::int64_t kind = random.below(4);
    if (kind < 2) return static_cast<double>(kind);
    const number v = random_number(random, type);
    return real ? number{v.real(), 0} : v;
}

heron_type compute_type(heron_type type) {
    if (type == HERON_R_16F || type == HERON_R_16BF) return HERON_R_32F;
    return type == HERON_C_16F || type == HERON_C_16BF ? HERON_C_32F : type;
}

heron_type real_of(heron_type type) {
    return type == HERON_C_32F ? HERON_R_32F : type == HERON_C_64F ? HERON_R_64F : type;
}

// alpha and beta where the handle's pointer mode wants them.
class scalars {
  public:
    scalars(heron_type alpha_type, number alpha, heron_type beta_type, number beta, bool on_device)
        : alpha_(scalar_bytes(alpha_type, alpha)),
          beta_(scalar_bytes(beta_type, beta)),
          on_device_(on_device) {
        if (!on_device) return;
        device_.emplace_back(alpha_);
        device_.emplace_back(beta_);
        expect(heron_set_pointer_mode(native(), HERON_POINTER_DEVICE));
    }
    ~scalars() { heron_set_pointer_mode(native(), HERON_POINTER_HOST); }
    scalars(const scalars&) = delete;
    scalars& operator=(const scalars&) = delete;
    const void* alpha() const { return on_device_ ? device_[0].data() : alpha_.data(); }
    const void* beta() const { return on_device_ ? device_[1].data() : beta_.data(); }

  private:
    std::vector<unsigned char> alpha_, beta_;
    bool on_device_;
    std::vector<device_array<unsigned char>> device_;
};

bool everywhere(std::int64_t, std::int64_t) { return true; }

double roundings(std::int64_t k) { return static_cast<double>(4 * k + 16); }

// alpha*sum + beta*c with its size. As in BLAS, what is multiplied by zero is not looked at.
term combine(number alpha, const term& sum, number beta, number c) {
    term result;
    if (alpha != 0.0) result = {product(alpha, sum.value), std::abs(alpha) * sum.size};
    if (beta != 0.0) {
        result.value += product(beta, c);
        result.size += std::abs(beta) * std::abs(c);
    }
    return result;
}

// The workspace that a product asks for, and no byte more, while it is in scope.
class gemm_workspace {
  public:
    gemm_workspace(heron_type type, std::int64_t m, std::int64_t n, std::int64_t k,
                   heron_gemm_algorithm algorithm)
        : memory_(size(type, m, n, k, algorithm)) {
        expect(heron_set_workspace(native(), memory_.data(), memory_.size()));
    }
    ~gemm_workspace() { heron_set_workspace(native(), nullptr, 0); }
    gemm_workspace(const gemm_workspace&) = delete;
    gemm_workspace& operator=(const gemm_workspace&) = delete;
    bool is_kept_to() const { return memory_.canaries_are_whole(); }

  private:
    static std::size_t size(heron_type type, std::int64_t m, std::int64_t n, std::int64_t k,
                            heron_gemm_algorithm algorithm) {
        std::size_t bytes = 0;
        expect(heron_gemm_workspace(native(), type, m, n, k, algorithm, &bytes));
        return bytes;
    }

    device_memory memory_;
};

void check_gemm(random_source& random, heron_type type, heron_order order, heron_operation op_a,
                heron_operation op_b, std::int64_t m, std::int64_t n, std::int64_t k, bool on_device,
                heron_gemm_algorithm algorithm = HERON_GEMM_DEFAULT) {
    const heron_type compute = compute_type(type);
    const number alpha = random_scalar(random, compute, false), beta = random_scalar(random, compute, false);
    dense_case a = random_operand(random, type, order, op_a, m, k, random.below(3));
    dense_case b = random_operand(random, type, order, op_b, k, n, random.below(3));
    dense_case c = random_dense(random, type, order, m, n, random.below(3));
    if (beta == 0.0) poison(c, everywhere);
    if (alpha == 0.0) poison(a, everywhere), poison(b, everywhere);
    const device_dense da(a), db(b), dc(c);
    const scalars s(compute, alpha, compute, beta, on_device);
    CAPTURE(type, order, op_a, op_b, m, n, k, alpha, beta, on_device, a.ld, b.ld, c.ld, algorithm);
    const gemm_workspace workspace(type, m, n, k, algorithm);
    expect(heron_gemm(native(), type, order, op_a, op_b, m, n, k, s.alpha(), da.data(), a.ld, db.data(), b.ld,
                      s.beta(), dc.data(), c.ld, algorithm));
    const auto expected = [&](std::int64_t i, std::int64_t j, term& want) {
        want = combine(alpha,
                       dot(
                           k, [&](auto l) { return element(a, op_a, i, l); },
                           [&](auto l) { return element(b, op_b, l, j); }),
                       beta, c.at(i, j));
        // A 16-bit result is rounded once more, and the sum in single precision.
        if (type != compute) want.size = std::abs(want.value) + want.size * 1e-4;
        // What 3M's bound for the imaginary part is beside that of moduli.
        if (algorithm == HERON_GEMM_3M) want.size *= 3;
        return true;
    };
    CHECK(difference(c, dc.download(), type, type == compute ? roundings(k) : 1.0, expected) == "");
    CHECK(workspace.is_kept_to());
}

struct rank_shape {
    heron_type type;
    heron_order order;
    heron_fill_mode fill;
    heron_operation op;
    std::int64_t n, k;
    bool hermitian, two, on_device;
    heron_rank_2k_algorithm algorithm;
};

void check_rank(random_source& random, const rank_shape& r) {
    const heron_type alpha_type = r.hermitian && !r.two ? real_of(r.type) : r.type;
    const heron_type beta_type = r.hermitian ? real_of(r.type) : r.type;
    const number alpha = random_scalar(random, r.type, r.hermitian && !r.two);
    const number beta = random_scalar(random, r.type, r.hermitian);
    dense_case a = random_operand(random, r.type, r.order, r.op, r.n, r.k, random.below(3));
    dense_case b = random_operand(random, r.type, r.order, r.op, r.n, r.k, random.below(3));
    dense_case c = random_dense(random, r.type, r.order, r.n, r.n, random.below(3));
    const bool nothing = (alpha == 0.0 || r.k == 0) && beta == 1.0;
    if (alpha == 0.0) poison(a, everywhere), poison(b, everywhere);
    poison(c, [&](std::int64_t i, std::int64_t j) { return !in_triangle(r.fill, i, j) || beta == 0.0; });
    if (r.hermitian && beta != 0.0 && !nothing)
        for (std::int64_t i = 0; i < r.n; ++i) c.at(i, i) = {c.at(i, i).real(), std::nan("")};
    const device_dense da(a), db(b), dc(c);
    const scalars s(alpha_type, alpha, beta_type, beta, r.on_device);
    CAPTURE(r.type, r.order, r.fill, r.op, r.n, r.k, r.hermitian, r.two, r.on_device, r.algorithm, alpha,
            beta);
    if (r.two) {
        const auto call = r.hermitian ? heron_her2k : heron_syr2k;
        expect(call(native(), r.type, r.order, r.fill, r.op, r.n, r.k, s.alpha(), da.data(), a.ld, db.data(),
                    b.ld, s.beta(), dc.data(), c.ld, r.algorithm));
    } else {
        const auto call = r.hermitian ? heron_herk : heron_syrk;
        expect(call(native(), r.type, r.order, r.fill, r.op, r.n, r.k, s.alpha(), da.data(), a.ld, s.beta(),
                    dc.data(), c.ld));
    }
    const auto turned = [&](const dense_case& x, std::int64_t l, std::int64_t j) {
        const number v = element(x, r.op, j, l);
        return r.hermitian ? std::conj(v) : v;
    };
    const auto expected = [&](std::int64_t i, std::int64_t j, term& want) {
        if (!in_triangle(r.fill, i, j) || nothing) return false;
        number old = c.at(i, j);
        if (r.hermitian && i == j) old = old.real();
        want = combine(alpha,
                       dot(
                           r.k, [&](auto l) { return element(a, r.op, i, l); },
                           [&](auto l) { return turned(r.two ? b : a, l, j); }),
                       beta, old);
        if (r.two) {
            const term second = combine(r.hermitian ? std::conj(alpha) : alpha,
                                        dot(
                                            r.k, [&](auto l) { return element(b, r.op, i, l); },
                                            [&](auto l) { return turned(a, l, j); }),
                                        0.0, 0.0);
            want.value += second.value;
            want.size += second.size;
        }
        if (r.hermitian && i == j) want.value = want.value.real();
        return true;
    };
    const dense_case result = dc.download();
    CHECK(difference(c, result, r.type, roundings(2 * r.k), expected) == "");
    if (r.hermitian && !nothing)
        for (std::int64_t i = 0; i < r.n; ++i) CHECK(result.at(i, i).imag() == 0.0);
}

void check_symm(random_source& random, heron_type type, heron_order order, heron_side side,
                heron_fill_mode fill, bool hermitian, std::int64_t m, std::int64_t n) {
    const number alpha = random_scalar(random, type, false), beta = random_scalar(random, type, false);
    const bool left = side == HERON_SIDE_LEFT;
    const std::int64_t k = left ? m : n;
    dense_case a = random_dense(random, type, order, k, k, random.below(3));
    dense_case b = random_dense(random, type, order, m, n, random.below(3));
    dense_case c = random_dense(random, type, order, m, n, random.below(3));
    poison(a, [&](std::int64_t i, std::int64_t j) { return !in_triangle(fill, i, j); });
    if (hermitian)
        for (std::int64_t i = 0; i < k; ++i) a.at(i, i) = {a.at(i, i).real(), std::nan("")};
    if (beta == 0.0) poison(c, everywhere);
    if (alpha == 0.0) poison(a, everywhere), poison(b, everywhere);
    const device_dense da(a), db(b), dc(c);
    const scalars s(type, alpha, type, beta, random.below(2) == 0);
    CAPTURE(type, order, side, fill, hermitian, m, n, alpha, beta);
    const auto call = hermitian ? heron_hemm : heron_symm;
    expect(call(native(), type, order, side, fill, m, n, s.alpha(), da.data(), a.ld, db.data(), b.ld,
                s.beta(), dc.data(), c.ld));
    const auto expected = [&](std::int64_t i, std::int64_t j, term& want) {
        const term sum = left ? dot(
                                    k, [&](auto l) { return symmetric_element(a, fill, hermitian, i, l); },
                                    [&](auto l) { return b.at(l, j); })
                              : dot(
                                    k, [&](auto l) { return b.at(i, l); },
                                    [&](auto l) { return symmetric_element(a, fill, hermitian, l, j); });
        want = combine(alpha, sum, beta, c.at(i, j));
        return true;
    };
    CHECK(difference(c, dc.download(), type, roundings(k), expected) == "");
}

}  // namespace

TEST_CASE("gemm: every combination of types, orders and operations") {
    random_source random(1);
    for (const heron_type type : types())
        for (const heron_order order : orders)
            for (int op_a = 0; op_a < 4; ++op_a)
                for (int op_b = 0; op_b < 4; ++op_b)
                    for (int n = 0; n < 6; ++n)
                        check_gemm(random, type, order, static_cast<heron_operation>(op_a),
                                   static_cast<heron_operation>(op_b), small_size(random), small_size(random),
                                   small_size(random), n == 0);
}

TEST_CASE("gemm: 16-bit types are computed in single precision") {
    random_source random(2);
    for (const heron_type type : {HERON_R_16F, HERON_R_16BF, HERON_C_16F, HERON_C_16BF}) {
        if (backend_name() == "opencl" && type != HERON_R_16F) continue;
        for (int n = 0; n < 12; ++n)
            check_gemm(random, type, orders[n % 2], static_cast<heron_operation>(random.below(4)),
                       static_cast<heron_operation>(random.below(4)), small_size(random), small_size(random),
                       small_size(random), n % 3 == 0);
    }
}

TEST_CASE("gemm: shapes beyond a tile, vectors, tall and flat matrices") {
    random_source random(3);
    constexpr std::int64_t shapes[][3] = {{130, 70, 50},  {1, 300, 40}, {300, 1, 40},    {1, 1, 1000},
                                          {500, 3, 17},   {3, 500, 17}, {65, 66, 600},   {193, 97, 385},
                                          {129, 257, 33}, {64, 64, 64}, {1000, 12, 260}, {12, 1000, 260}};
    for (const heron_type type : types())
        for (const auto& s : shapes)
            check_gemm(random, type, orders[random.below(2)], static_cast<heron_operation>(random.below(3)),
                       static_cast<heron_operation>(random.below(3)), s[0], s[1], s[2], false);
}

TEST_CASE("gemm: few elements of long sums") {
    random_source random(14);
    constexpr std::int64_t shapes[][3] = {
        {20, 20, 5000}, {64, 65, 3001}, {130, 16, 2048}, {7, 100, 4000}, {40, 33, 20001}};
    for (const heron_type type : types())
        for (const auto& s : shapes)
            for (const heron_order order : orders)
                check_gemm(random, type, order, static_cast<heron_operation>(random.below(3)),
                           static_cast<heron_operation>(random.below(3)), s[0], s[1], s[2], false);
}

TEST_CASE("gemm: three real products for a complex one") {
    random_source random(15);
    for (const heron_type type : {HERON_C_32F, HERON_C_64F}) {
        for (const heron_order order : orders)
            for (int op_a = 0; op_a < 4; ++op_a)
                for (int op_b = 0; op_b < 4; ++op_b)
                    for (const bool on_device : {false, true})
                        check_gemm(random, type, order, static_cast<heron_operation>(op_a),
                                   static_cast<heron_operation>(op_b), small_size(random), small_size(random),
                                   small_size(random), on_device, HERON_GEMM_3M);
        check_gemm(random, type, HERON_ORDER_COLUMN, HERON_OP_NONE, HERON_OP_CONJUGATE_TRANSPOSE, 130, 70,
                   300, false, HERON_GEMM_3M);
    }
}

TEST_CASE("gemm: 3M loses an imaginary part beside a large real one, DEFAULT does not") {
    const float tiny = 0x1p-40f;
    const dense_case one{HERON_C_32F, HERON_ORDER_COLUMN, 1, 1, 1, {number{1, tiny}}};
    const device_dense a(one), b(one), c(one);
    const scalars s(HERON_C_32F, 1.0, HERON_C_32F, 0.0, false);
    const auto imaginary_part = [&](heron_gemm_algorithm algorithm) {
        const gemm_workspace workspace(HERON_C_32F, 1, 1, 1, algorithm);
        expect(heron_gemm(native(), HERON_C_32F, HERON_ORDER_COLUMN, HERON_OP_NONE, HERON_OP_NONE, 1, 1, 1,
                          s.alpha(), a.data(), 1, b.data(), 1, s.beta(), c.data(), 1, algorithm));
        return c.download().at(0, 0).imag();
    };
    CHECK(imaginary_part(HERON_GEMM_DEFAULT) == 2.0 * tiny);
    CHECK(imaginary_part(HERON_GEMM_3M) <= 0.0);
}

TEST_CASE("gemm: row order is column order of the transposes, bit for bit") {
    random_source random(4);
    for (const heron_type type : types()) {
        const std::int64_t m = 19, n = 34, k = 21;
        dense_case a = random_dense(random, type, HERON_ORDER_ROW, m, k, 1);
        dense_case b = random_dense(random, type, HERON_ORDER_ROW, k, n, 2);
        dense_case c = random_dense(random, type, HERON_ORDER_ROW, m, n, 3);
        const device_dense da(a), db(b), first(c), second(c);
        const scalars s(type, random_number(random, type), type, random_number(random, type), false);
        expect(heron_gemm(native(), type, HERON_ORDER_ROW, HERON_OP_NONE, HERON_OP_NONE, m, n, k, s.alpha(),
                          da.data(), a.ld, db.data(), b.ld, s.beta(), first.data(), c.ld,
                          HERON_GEMM_DEFAULT));
        expect(heron_gemm(native(), type, HERON_ORDER_COLUMN, HERON_OP_NONE, HERON_OP_NONE, n, m, k,
                          s.alpha(), db.data(), b.ld, da.data(), a.ld, s.beta(), second.data(), c.ld,
                          HERON_GEMM_DEFAULT));
        CHECK(first.bytes() == second.bytes());
    }
}

TEST_CASE("gemm_batched: strided, pointers and indices") {
    random_source random(5);
    for (const heron_type type : types())
        for (int n = 0; n < 24; ++n) {
            const heron_order order = orders[random.below(2)];
            const auto op_a = static_cast<heron_operation>(random.below(4));
            const auto op_b = static_cast<heron_operation>(random.below(4));
            const std::int64_t m = small_size(random), columns = small_size(random), k = small_size(random);
            const std::int64_t count = random.below(7);
            const number alpha = random_scalar(random, type, false),
                         beta = random_scalar(random, type, false);
            // The items lie behind one another in one matrix of count*lines lines; A's are shared in every
            // third case.
            const bool shared = n % 3 == 0;
            std::vector<dense_case> as, bs, cs;
            for (std::int64_t q = 0; q < count; ++q) {
                as.push_back(shared && q > 0 ? as[0] : random_operand(random, type, order, op_a, m, k, 1));
                bs.push_back(random_operand(random, type, order, op_b, k, columns, 2));
                cs.push_back(random_dense(random, type, order, m, columns, 1));
                if (beta == 0.0) poison(cs.back(), everywhere);
                if (alpha == 0.0) poison(as.back(), everywhere), poison(bs.back(), everywhere);
            }
            const auto joined = [&](const std::vector<dense_case>& items) {
                dense_case all{type};
                for (const dense_case& item : items)
                    all.values.insert(all.values.end(), item.values.begin(), item.values.end());
                return all;
            };
            const device_dense da(joined(as)), db(joined(bs)), dc(joined(cs));
            const auto stride = [&](const std::vector<dense_case>& items) {
                return items.empty() ? std::int64_t{1} : static_cast<std::int64_t>(items[0].values.size());
            };
            std::vector<void*> addresses;
            std::vector<std::int32_t> indices;
            const std::size_t size = size_of(cuda_type(type));
            for (std::int64_t q = 0; q < count; ++q) {
                addresses.push_back(static_cast<unsigned char*>(db.data()) +
                                    static_cast<std::size_t>(q * stride(bs)) * size);
                indices.push_back(static_cast<std::int32_t>(q));
            }
            const device_array<void*> b_list(addresses);
            const device_array<std::int32_t> c_list(indices);
            const heron_batch_operand a = heron_batch_strided(da.data(), shared ? 0 : stride(as));
            const heron_batch_operand b =
                n % 2 ? heron_batch_pointers(b_list.data()) : heron_batch_strided(db.data(), stride(bs));
            const bool indexed = stride(cs) > 0 && random.below(2) == 0;
            const heron_batch_operand c =
                indexed ? heron_batch_indexed(dc.data(), stride(cs), c_list.data(), HERON_INDEX_32)
                        : heron_batch_strided(dc.data(), stride(cs));
            const scalars s(type, alpha, type, beta, random.below(3) == 0);
            CAPTURE(type, order, op_a, op_b, m, columns, k, count, alpha, beta, shared, indexed);
            expect(heron_gemm_batched(native(), type, order, op_a, op_b, m, columns, k, s.alpha(), a,
                                      count ? as[0].ld : 1000, b, count ? bs[0].ld : 1000, s.beta(), c,
                                      count ? cs[0].ld : 1000, count, HERON_GEMM_DEFAULT));
            const dense_case result = dc.download();
            for (std::int64_t q = 0; q < count; ++q) {
                const dense_case& old = cs[static_cast<std::size_t>(q)];
                dense_case got = old;
                std::copy_n(result.values.begin() + q * stride(cs), stride(cs), got.values.begin());
                const auto expected = [&](std::int64_t i, std::int64_t j, term& want) {
                    want = combine(
                        alpha,
                        dot(
                            k, [&](auto l) { return element(as[static_cast<std::size_t>(q)], op_a, i, l); },
                            [&](auto l) { return element(bs[static_cast<std::size_t>(q)], op_b, l, j); }),
                        beta, old.at(i, j));
                    return true;
                };
                CHECK(difference(old, got, type, roundings(k), expected) == "");
            }
        }
}

TEST_CASE("gemm_batched: more items than a device works on at a time") {
    random_source random(16);
    constexpr std::int64_t count = 140, distinct = 5;  // the others are these again
    constexpr std::int64_t shapes[][3] = {{24, 20, 17},  {40, 33, 35},  {48, 48, 16},   {90, 96, 19},
                                          {64, 64, 8},   {3, 100, 40},  {128, 128, 18}, {100, 70, 18},
                                          {80, 80, 16},  {96, 96, 24},  {112, 112, 16}, {98, 109, 21},
                                          {100, 72, 20}, {112, 104, 36}};
    for (const heron_type type : types())
        for (const auto& [m, n, k] : shapes) {
            const auto op_a = static_cast<heron_operation>(random.below(4));
            const auto op_b = static_cast<heron_operation>(random.below(4));
            // Items are aligned to 16 bytes or to an element.
            const std::int64_t apart_a = m * k + random.below(2), apart_b = k * n + random.below(2);
            const dense_case a = random_dense(random, type, HERON_ORDER_COLUMN, apart_a, distinct, 0);
            const dense_case b = random_dense(random, type, HERON_ORDER_COLUMN, apart_b, distinct, 0);
            const dense_case c = random_dense(random, type, HERON_ORDER_COLUMN, m, n * distinct, 1);
            const device_dense da(a), db(b);
            const std::vector<unsigned char> some = encode(cuda_type(type), c.values);
            std::vector<unsigned char> all;
            for (std::int64_t q = 0; q < count; q += distinct)
                all.insert(all.end(), some.begin(), some.end());
            device_memory dc(all.size());
            dc.upload(all.data());
            const auto addresses = [&](void* base, std::int64_t apart) {
                std::vector<void*> items;
                for (std::int64_t q = 0; q < count; ++q)
                    items.push_back(static_cast<unsigned char*>(base) +
                                    static_cast<std::size_t>(q % distinct * apart) *
                                        size_of(cuda_type(type)));
                return device_array<void*>(items);
            };
            const device_array<void*> a_list = addresses(da.data(), apart_a),
                                      b_list = addresses(db.data(), apart_b);
            const number alpha = random_number(random, type), beta = random_scalar(random, type, false);
            const scalars s(type, alpha, type, beta, false);
            const auto turned = [](heron_operation op) {
                return op == HERON_OP_TRANSPOSE || op == HERON_OP_CONJUGATE_TRANSPOSE;
            };
            CAPTURE(type, op_a, op_b, m, n, k, apart_a, apart_b, alpha, beta);
            expect(heron_gemm_batched(native(), type, HERON_ORDER_COLUMN, op_a, op_b, m, n, k, s.alpha(),
                                      heron_batch_pointers(a_list.data()), turned(op_a) ? k : m,
                                      heron_batch_pointers(b_list.data()), turned(op_b) ? n : k, s.beta(),
                                      heron_batch_strided(dc.data(), c.ld * n), c.ld, count,
                                      HERON_GEMM_DEFAULT));
            const auto item = [&](const dense_case& items, std::int64_t rows, std::int64_t columns,
                                  std::int64_t apart, std::int64_t q) {
                dense_case one{type, HERON_ORDER_COLUMN, rows, columns, rows};
                const auto begin = items.values.begin() + q * apart;
                one.values.assign(begin, begin + rows * columns);
                return one;
            };
            std::vector<term> products;
            for (std::int64_t q = 0; q < distinct; ++q) {
                const dense_case x = turned(op_a) ? item(a, k, m, apart_a, q) : item(a, m, k, apart_a, q);
                const dense_case y = turned(op_b) ? item(b, n, k, apart_b, q) : item(b, k, n, apart_b, q);
                for (std::int64_t j = 0; j < n; ++j)
                    for (std::int64_t i = 0; i < m; ++i)
                        products.push_back(dot(
                            k, [&](auto l) { return element(x, op_a, i, l); },
                            [&](auto l) { return element(y, op_b, l, j); }));
            }
            const auto expected = [&](std::int64_t i, std::int64_t column, term& want) {
                want =
                    combine(alpha, products[static_cast<std::size_t>(column * m + i)], beta, c.at(i, column));
                return true;
            };
            // What has the bits of what was right before is right.
            const std::vector<unsigned char> results = dc.bytes();
            const auto size = static_cast<std::ptrdiff_t>(some.size());
            std::vector<unsigned char> right;
            for (auto at = results.begin(); at != results.end(); at += size) {
                if (std::equal(right.begin(), right.end(), at, at + size)) continue;
                right.assign(at, at + size);
                dense_case got = c;
                got.values = decode(cuda_type(type), right);
                CHECK(difference(c, got, type, roundings(k), expected) == "");
            }
        }
}

TEST_CASE("gemm_batched: addresses that are aligned to an element and no more") {
    random_source random(15);
    constexpr std::int64_t n = 48, count = 5, apart = n * n + 1;
    for (const heron_type type : types()) {
        const dense_case a = random_dense(random, type, HERON_ORDER_COLUMN, apart, count, 0);
        const dense_case b = random_dense(random, type, HERON_ORDER_COLUMN, apart, count, 0);
        const dense_case c = random_dense(random, type, HERON_ORDER_COLUMN, n, n * count, 0);
        const device_dense da(a), db(b), dc(c);
        const auto addresses = [&](void* base) {
            std::vector<void*> items;
            for (std::int64_t q = 0; q < count; ++q)
                items.push_back(static_cast<unsigned char*>(base) +
                                static_cast<std::size_t>(q * apart) * size_of(cuda_type(type)));
            return device_array<void*>(items);
        };
        const device_array<void*> a_list = addresses(da.data()), b_list = addresses(db.data());
        for (const heron_operation op : {HERON_OP_NONE, HERON_OP_TRANSPOSE}) {
            const scalars s(type, 1.0, type, 0.0, false);
            CAPTURE(type, op);
            expect(heron_gemm_batched(native(), type, HERON_ORDER_COLUMN, op, HERON_OP_NONE, n, n, n,
                                      s.alpha(), heron_batch_pointers(a_list.data()), n,
                                      heron_batch_pointers(b_list.data()), n, s.beta(),
                                      heron_batch_strided(dc.data(), n * n), n, count, HERON_GEMM_DEFAULT));
            const auto expected = [&](std::int64_t i, std::int64_t column, term& want) {
                const std::int64_t q = column / n, j = column % n;
                want = dot(
                    n, [&](auto l) { return a.at(op == HERON_OP_NONE ? i + l * n : l + i * n, q); },
                    [&](auto l) { return b.at(l + j * n, q); });
                return true;
            };
            CHECK(difference(c, dc.download(), type, roundings(n), expected) == "");
        }
    }
}

TEST_CASE("gemmt: one triangle of a product with any operations") {
    random_source random(6);
    for (const heron_type type : types())
        for (const heron_order order : orders)
            for (const heron_fill_mode fill : fills)
                for (int op_a = 0; op_a < 4; ++op_a)
                    for (int op_b = 0; op_b < 4; ++op_b) {
                        const auto a_op = static_cast<heron_operation>(op_a),
                                   b_op = static_cast<heron_operation>(op_b);
                        const std::int64_t n = small_size(random), k = small_size(random);
                        const number alpha = random_scalar(random, type, false),
                                     beta = random_scalar(random, type, false);
                        dense_case a = random_operand(random, type, order, a_op, n, k, random.below(3));
                        dense_case b = random_operand(random, type, order, b_op, k, n, random.below(3));
                        dense_case c = random_dense(random, type, order, n, n, random.below(3));
                        poison(c, [&](std::int64_t i, std::int64_t j) {
                            return !in_triangle(fill, i, j) || beta == 0.0;
                        });
                        if (alpha == 0.0) poison(a, everywhere), poison(b, everywhere);
                        const device_dense da(a), db(b), dc(c);
                        const scalars s(type, alpha, type, beta, random.below(3) == 0);
                        CAPTURE(type, order, fill, op_a, op_b, n, k, alpha, beta);
                        expect(heron_gemmt(native(), type, order, fill, a_op, b_op, n, k, s.alpha(),
                                           da.data(), a.ld, db.data(), b.ld, s.beta(), dc.data(), c.ld));
                        const auto expected = [&](std::int64_t i, std::int64_t j, term& want) {
                            if (!in_triangle(fill, i, j)) return false;
                            want = combine(alpha,
                                           dot(
                                               k, [&](auto l) { return element(a, a_op, i, l); },
                                               [&](auto l) { return element(b, b_op, l, j); }),
                                           beta, c.at(i, j));
                            return true;
                        };
                        CHECK(difference(c, dc.download(), type, roundings(k), expected) == "");
                    }
}

TEST_CASE("syrk, herk, syr2k and her2k") {
    random_source random(7);
    for (const heron_type type : types())
        for (const heron_order order : orders)
            for (const heron_fill_mode fill : fills)
                for (const bool hermitian : {false, true}) {
                    if (hermitian && !is_complex(type)) continue;
                    for (const bool turned : {false, true})
                        for (const bool two : {false, true})
                            for (int n = 0; n < 5; ++n) {
                                const bool on_device = n == 0;
                                const heron_operation op = !turned     ? HERON_OP_NONE
                                                           : hermitian ? HERON_OP_CONJUGATE_TRANSPOSE
                                                                       : HERON_OP_TRANSPOSE;
                                check_rank(random, {type, order, fill, op, small_size(random),
                                                    small_size(random), hermitian, two, on_device,
                                                    n == 1 ? HERON_RANK_2K_TWO_PASSES : HERON_RANK_2K_FUSED});
                            }
                }
}

TEST_CASE("rank updates beyond a tile") {
    random_source random(8);
    constexpr std::int64_t shapes[][2] = {{150, 20}, {97, 400}, {201, 33}, {64, 300}, {41, 9000}, {700, 12}};
    for (const heron_type type : types())
        for (const auto& s : shapes)
            for (const bool two : {false, true})
                check_rank(random, {type, orders[random.below(2)], fills[random.below(2)], HERON_OP_NONE,
                                    s[0], s[1], is_complex(type), two, false, HERON_RANK_2K_FUSED});
}

TEST_CASE("symm and hemm") {
    random_source random(9);
    for (const heron_type type : types())
        for (const heron_order order : orders)
            for (const heron_side side : sides)
                for (const heron_fill_mode fill : fills)
                    for (const bool hermitian : {false, true}) {
                        if (hermitian && !is_complex(type)) continue;
                        for (int n = 0; n < 5; ++n)
                            check_symm(random, type, order, side, fill, hermitian, small_size(random),
                                       small_size(random));
                        check_symm(random, type, order, side, fill, hermitian, 90 + random.below(60),
                                   90 + random.below(60));
                    }
}

TEST_CASE("symm and hemm beyond a tile") {
    random_source random(15);
    constexpr std::int64_t shapes[][2] = {{256, 128}, {200, 264}, {320, 72}};
    for (const heron_type type : types())
        for (const bool hermitian : {false, true}) {
            if (hermitian && !is_complex(type)) continue;
            for (const heron_side side : sides)
                for (const heron_fill_mode fill : fills)
                    for (const auto& s : shapes)
                        check_symm(random, type, orders[random.below(2)], side, fill, hermitian, s[0], s[1]);
        }
}

TEST_CASE("a product without its stores leaves C, and one without its arithmetic is wrong") {
    random_source random(11);
    const heron_type type = HERON_R_64F;
    const std::int64_t n = 70, k = 40;
    const dense_case a = random_dense(random, type, HERON_ORDER_COLUMN, n, k, 0);
    const dense_case b = random_dense(random, type, HERON_ORDER_COLUMN, k, n, 0);
    const dense_case c = random_dense(random, type, HERON_ORDER_COLUMN, n, n, 0);
    const device_dense da(a), db(b);
    const double one = 1, zero = 0;
    const auto result = [&](int left_out) {
        device_dense dc(c);
        const heron_status status = heron_gemm(
            native(), type, HERON_ORDER_COLUMN, HERON_OP_NONE, HERON_OP_NONE, n, n, k, &one, da.data(), n,
            db.data(), k, &zero, dc.data(), n, static_cast<heron_gemm_algorithm>(left_out));
        return std::pair{status, dc.download().values};
    };
    const auto [status, whole] = result(HERON_GEMM_DEFAULT);
    expect(status);
    const auto without_stores = result(HERON_GEMM_WITHOUT_STORES);
    expect(without_stores.first);
    CHECK(without_stores.second == c.values);
    const auto without_arithmetic = result(HERON_GEMM_WITHOUT_ARITHMETIC | HERON_GEMM_WITHOUT_PACKING);
    expect(without_arithmetic.first);
    CHECK(without_arithmetic.second != whole);
    CHECK(result(HERON_GEMM_WITHOUT_STORES | HERON_GEMM_TF32).first == HERON_INVALID_VALUE);
}

namespace {

// A product that Tensor Cores may compute, of matrices with more or less between their lines.
struct tensor_product {
    heron_type type;
    heron_gemm_algorithm algorithm;
    heron_operation op_a, op_b;
    std::int64_t m, n, k;
    std::int64_t apart[3];
    heron_order order = HERON_ORDER_COLUMN;

    // Operands have 11 bits, or 22, or those of their type; sums are cut off, not rounded.
    double rounding() const {
        const double operands = type != HERON_R_32F ? 0 : algorithm == HERON_GEMM_3XTF32 ? 0x1p-20 : 0x1p-10;
        return operands + static_cast<double>(k + 4) * 0x1p-22;
    }
};

void check_tensor_product(random_source& random, const tensor_product& p, bool on_device = false,
                          number alpha = 1.5, number beta = 0.5) {
    const dense_case a = random_operand(random, p.type, p.order, p.op_a, p.m, p.k, p.apart[0]);
    const dense_case b = random_operand(random, p.type, p.order, p.op_b, p.k, p.n, p.apart[1]);
    dense_case c = random_dense(random, p.type, p.order, p.m, p.n, p.apart[2]);
    if (beta == 0.0) poison(c, everywhere);
    const device_dense da(a), db(b), dc(c);
    CAPTURE(p.type, p.algorithm, p.order, p.op_a, p.op_b, p.m, p.n, p.k, a.ld, b.ld, c.ld);
    const scalars s(HERON_R_32F, alpha, HERON_R_32F, beta, on_device);
    expect(heron_gemm(native(), p.type, p.order, p.op_a, p.op_b, p.m, p.n, p.k, s.alpha(), da.data(), a.ld,
                      db.data(), b.ld, s.beta(), dc.data(), c.ld, p.algorithm));
    const double unit = epsilon(cuda_type(p.type));
    const auto expected = [&](std::int64_t i, std::int64_t j, term& t) {
        const term sum = dot(
            p.k, [&](std::int64_t l) { return element(a, p.op_a, i, l); },
            [&](std::int64_t l) { return element(b, p.op_b, l, j); });
        t = combine(alpha, sum, beta, c.at(i, j));
        t.size = t.size * p.rounding() / unit + std::abs(t.value);
        return true;
    };
    CHECK(difference(c, dc.download(), p.type, 1, expected) == "");
}

}  // namespace

TEST_CASE("products by TF32 keep their bounds") {
    random_source random(12);
    constexpr std::int64_t shapes[][3] = {{3, 2, 1}, {128, 64, 48}, {77, 131, 45}};
    for (const auto algorithm : {HERON_GEMM_TF32, HERON_GEMM_3XTF32})
        for (const heron_operation op_a : {HERON_OP_NONE, HERON_OP_TRANSPOSE})
            for (const heron_operation op_b : {HERON_OP_NONE, HERON_OP_TRANSPOSE})
                for (const auto& [m, n, k] : shapes)
                    check_tensor_product(random, {HERON_R_32F, algorithm, op_a, op_b, m, n, k, {1, 3, 2}});
}

TEST_CASE("products for Tensor Cores, whatever their layout") {
    random_source random(31);
    std::vector<heron_type> types{HERON_R_16F};
    if (backend_name() != "opencl") types = {HERON_R_16F, HERON_R_16BF, HERON_R_32F};
    const bool is_quick = backend_name() == "cuda";
    for (const heron_type type : types)
        for (const heron_operation op_a : {HERON_OP_NONE, HERON_OP_TRANSPOSE})
            for (const heron_operation op_b : {HERON_OP_NONE, HERON_OP_TRANSPOSE}) {
                const auto algorithm = type == HERON_R_32F ? HERON_GEMM_TF32 : HERON_GEMM_DEFAULT;
                const auto check = [&](std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t apart,
                                       heron_order order = HERON_ORDER_COLUMN) {
                    check_tensor_product(
                        random, {type, algorithm, op_a, op_b, m, n, k, {apart, apart, apart}, order});
                };
                check(8, 16, 24, 0);
                check(72, 40, 200, 8);
                check(71, 41, 201, 1);
                check(1, 300, 40, 0, HERON_ORDER_ROW);
                if (!is_quick) continue;
                check(264, 136, 512, 0);
                check(520, 264, 328, 8, HERON_ORDER_ROW);
                check(513, 259, 333, 3);
                check(300, 1100, 96, 4);
            }
}

TEST_CASE("products for Tensor Cores by every tile") {
    if (backend_name() != "cuda") return;
    random_source random(34);
    // By the number of tiles that there are, large ones and those between.
    constexpr std::int64_t shapes[][3] = {{2048, 1600, 24}, {1024, 1408, 40}};
    for (const auto& [m, n, k] : shapes)
        for (const heron_operation op_a : {HERON_OP_NONE, HERON_OP_TRANSPOSE})
            for (const heron_operation op_b : {HERON_OP_NONE, HERON_OP_TRANSPOSE}) {
                check_tensor_product(random,
                                     {HERON_R_16F, HERON_GEMM_DEFAULT, op_a, op_b, m, n, k, {0, 0, 0}});
                check_tensor_product(random, {HERON_R_32F, HERON_GEMM_TF32, op_a, op_b, m, n, k, {0, 0, 0}});
            }
    check_tensor_product(
        random, {HERON_R_16BF, HERON_GEMM_DEFAULT, HERON_OP_NONE, HERON_OP_NONE, 2048, 1600, 24, {0, 0, 1}});
}

TEST_CASE("products for Tensor Cores: scalars") {
    random_source random(32);
    for (const heron_type type : {HERON_R_16F, HERON_R_32F})
        for (const bool on_device : {false, true})
            for (const double alpha : {0.0, 1.0, -0.75})
                for (const double beta : {0.0, 1.0, 0.5})
                    check_tensor_product(random,
                                         {type,
                                          type == HERON_R_32F ? HERON_GEMM_TF32 : HERON_GEMM_DEFAULT,
                                          HERON_OP_TRANSPOSE,
                                          HERON_OP_NONE,
                                          136,
                                          72,
                                          1024,
                                          {0, 0, 0}},
                                         on_device, alpha, beta);
}

TEST_CASE("gemm_batched: products for Tensor Cores") {
    random_source random(33);
    constexpr std::int64_t count = 3, m = 136, n = 72, k = 600;
    std::vector<heron_type> types{HERON_R_16F};
    if (backend_name() != "opencl") types = {HERON_R_16F, HERON_R_16BF, HERON_R_32F};
    for (const heron_type type : types)
        for (const bool turns : {false, true})
            for (const std::int64_t apart : {0, 1})
                for (const bool by_address : {false, true}) {
                    // The items lie beside each other in one matrix.
                    const std::int64_t rows = turns ? k : m, columns = turns ? m : k;
                    const dense_case a =
                        random_dense(random, type, HERON_ORDER_COLUMN, rows, columns * count, apart);
                    const dense_case b = random_dense(random, type, HERON_ORDER_COLUMN, k, n * count, apart);
                    const dense_case c = random_dense(random, type, HERON_ORDER_COLUMN, m, n * count, apart);
                    const device_dense da(a), db(b), dc(c);
                    std::vector<void*> addresses;
                    const auto size = static_cast<std::int64_t>(size_of(cuda_type(type)));
                    for (std::int64_t q = 0; q < count; ++q)
                        addresses.push_back(static_cast<unsigned char*>(da.data()) +
                                            q * columns * a.ld * size);
                    const device_array<void*> list(addresses);
                    const float alpha = 0.5F, beta = 2;
                    CAPTURE(type, turns, apart, by_address);
                    const auto algorithm = type == HERON_R_32F ? HERON_GEMM_TF32 : HERON_GEMM_DEFAULT;
                    expect(heron_gemm_batched(
                        native(), type, HERON_ORDER_COLUMN, turns ? HERON_OP_TRANSPOSE : HERON_OP_NONE,
                        HERON_OP_NONE, m, n, k, &alpha,
                        by_address ? heron_batch_pointers(list.data())
                                   : heron_batch_strided(da.data(), columns * a.ld),
                        a.ld, heron_batch_strided(db.data(), n * b.ld), b.ld, &beta,
                        heron_batch_strided(dc.data(), n * c.ld), c.ld, count, algorithm));
                    const tensor_product p{type, algorithm, HERON_OP_NONE, HERON_OP_NONE, m, n, k, {}};
                    const double unit = epsilon(cuda_type(type));
                    const auto expected = [&](std::int64_t i, std::int64_t column, term& t) {
                        const std::int64_t first = column / n * columns;
                        const term sum = dot(
                            k, [&](auto l) { return turns ? a.at(l, first + i) : a.at(i, first + l); },
                            [&](auto l) { return b.at(l, column); });
                        t = combine(alpha, sum, beta, c.at(i, column));
                        t.size = t.size * p.rounding() / unit + std::abs(t.value);
                        return true;
                    };
                    CHECK(difference(c, dc.download(), type, 1, expected) == "");
                }
}

TEST_CASE("TF32 rounds the operands on CUDA, 3xTF32 does not") {
    if (backend_name() != "cuda") return;
    // A 1 and a bit that TF32 does not have.
    const float fine = 1.0F + 0x1p-13F, alpha = 1, beta = 0;
    dense_case one{HERON_R_32F, HERON_ORDER_COLUMN, 1, 1, 1, {1}}, a = one;
    a.values = {fine};
    const device_dense da(a), db(one), dc(one);
    const auto product = [&](heron_gemm_algorithm algorithm) {
        expect(heron_gemm(native(), HERON_R_32F, HERON_ORDER_COLUMN, HERON_OP_NONE, HERON_OP_NONE, 1, 1, 1,
                          &alpha, da.data(), 1, db.data(), 1, &beta, dc.data(), 1, algorithm));
        return dc.download().at(0, 0).real();
    };
    CHECK(product(HERON_GEMM_DEFAULT) == static_cast<double>(fine));
    CHECK(product(HERON_GEMM_TF32) == 1);
    CHECK(product(HERON_GEMM_3XTF32) == static_cast<double>(fine));
}

TEST_CASE("her2k is what her2k by two passes is") {
    random_source random(10);
    for (const heron_type type : {HERON_C_32F, HERON_C_64F}) {
        if (backend_name() == "opencl" && type == HERON_C_32F) continue;
        const std::int64_t n = 37, k = 29;
        dense_case a = random_dense(random, type, HERON_ORDER_COLUMN, n, k, 0);
        dense_case b = random_dense(random, type, HERON_ORDER_COLUMN, n, k, 0);
        dense_case c = random_dense(random, type, HERON_ORDER_COLUMN, n, n, 0);
        const device_dense da(a), db(b), fused(c), twice(c);
        const scalars s(type, random_number(random, type), real_of(type), 0.5, false);
        for (const auto& [to, algorithm] :
             {std::pair{&fused, HERON_RANK_2K_FUSED}, {&twice, HERON_RANK_2K_TWO_PASSES}})
            expect(heron_her2k(native(), type, HERON_ORDER_COLUMN, HERON_FILL_LOWER, HERON_OP_NONE, n, k,
                               s.alpha(), da.data(), n, db.data(), n, s.beta(), to->data(), n, algorithm));
        const dense_case want = twice.download();
        const auto expected = [&](std::int64_t i, std::int64_t j, term& t) {
            t = {want.at(i, j), static_cast<double>(2 * k)};
            return i >= j;
        };
        CHECK(difference(c, fused.download(), type, 8.0, expected) == "");
    }
}

TEST_CASE("her2k is Hermitian, and what herk of A + B has beyond those of A and B") {
    random_source random(17);
    const heron_type type = HERON_C_64F;
    const std::int64_t n = 45, k = 31;
    const dense_case a = random_dense(random, type, HERON_ORDER_COLUMN, n, k, 0);
    const dense_case b = random_dense(random, type, HERON_ORDER_COLUMN, n, k, 0);
    dense_case sum = a, zeros = random_dense(random, type, HERON_ORDER_COLUMN, n, n, 0);
    for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += b.values[i];
    for (number& v : zeros.values) v = 0;
    const scalars one(type, 1.0, HERON_R_64F, 1.0, false), minus(HERON_R_64F, -1.0, HERON_R_64F, 1.0, false);
    const device_dense da(a), db(b), dsum(sum), lower(zeros), upper(zeros), rest(zeros);
    const auto her2k = [&](heron_fill_mode fill, const device_dense& c) {
        expect(heron_her2k(native(), type, HERON_ORDER_COLUMN, fill, HERON_OP_NONE, n, k, one.alpha(),
                           da.data(), n, db.data(), n, one.beta(), c.data(), n, HERON_RANK_2K_FUSED));
    };
    her2k(HERON_FILL_LOWER, lower);
    her2k(HERON_FILL_UPPER, upper);
    for (const auto& [x, scale] : {std::pair{&dsum, &one}, {&da, &minus}, {&db, &minus}})
        expect(heron_herk(native(), type, HERON_ORDER_COLUMN, HERON_FILL_LOWER, HERON_OP_NONE, n, k,
                          scale->alpha(), x->data(), n, scale->beta(), rest.data(), n));
    const dense_case of_her2k = lower.download(), mirrored = upper.download();
    const auto within_triangle = [&](const auto& want) {
        return [&, want](std::int64_t i, std::int64_t j, term& t) {
            t = {want(i, j), static_cast<double>(6 * k)};
            return i >= j;
        };
    };
    const auto value = [&](std::int64_t i, std::int64_t j) { return of_her2k.at(i, j); };
    const auto conjugate = [&](std::int64_t i, std::int64_t j) { return std::conj(mirrored.at(j, i)); };
    CHECK(difference(zeros, rest.download(), type, 8.0, within_triangle(value)) == "");
    CHECK(difference(zeros, of_her2k, type, 8.0, within_triangle(conjugate)) == "");
}
