// Each tile that CUDA has for dense products, in each layout of the operands in memory. The matrices are of
// small whole numbers, so that products are exact. On the host these are products like any.
#include "dense_problem.hpp"
#include <array>
#include <cstdlib>

using namespace heron::test;

namespace {

struct shape {
    const char* size_class;  // as HERON_CUDA_GEMM names it
    std::int64_t m, n, k;
};
constexpr std::array shapes{shape{"32", 40, 40, 36},      shape{"64", 72, 68, 36},
                            shape{"128", 132, 136, 20},   shape{"256", 264, 260, 20},
                            shape{"narrow", 640, 40, 36}, shape{"long", 40, 36, 400},
                            shape{"512", 368, 364, 20},   shape{"16", 34, 10, 36}};

struct tile {
    int rows, columns;
};
struct tiles_of_type {
    heron_type type;
    const char* name;
    std::vector<tile> tiles;
};
const std::array all_tiles{
    tiles_of_type{HERON_R_32F, "f32", {{256, 128}, {128, 128}, {128, 64}, {64, 64}, {32, 32}, {64, 16}}},
    tiles_of_type{
        HERON_R_64F, "f64", {{128, 128}, {128, 64}, {96, 96}, {64, 64}, {32, 32}, {64, 16}, {64, 16}}},
    tiles_of_type{HERON_C_32F,
                  "c32",
                  {{128, 128}, {128, 64}, {96, 96}, {64, 64}, {32, 32}, {64, 16}, {64, 32}, {48, 24}}},
    tiles_of_type{
        HERON_C_64F, "c64", {{64, 64}, {32, 64}, {32, 32}, {64, 16}, {64, 32}, {64, 32}, {64, 32}}}};

// A class of sizes for each tile, and for that of narrow matrices low ones, too. The library reads the
// variable at its first use.
const bool choosing = [] {
    std::string entries;
    const auto add = [&](const char* type, const std::string& size_class, const tile& choice) {
        entries += fmt::format("{}--{} tile {} {};", type, size_class, choice.rows, choice.columns);
    };
    for (const tiles_of_type& of : all_tiles)
        for (std::size_t k = 0; k < of.tiles.size(); ++k) {
            add(of.name, shapes[k].size_class, of.tiles[k]);
            if (shapes[k].m > 10 * shapes[k].n) add(of.name, "low", of.tiles[k]);
        }
    return setenv("HERON_CUDA_GEMM", entries.c_str(), 1) == 0;
}();

number small_number(random_source& random, heron_type type) {
    const auto part = [&] { return static_cast<double>(random.below(5) - 2); };
    const double re = part();
    return {re, is_complex(type) ? part() : 0.0};
}

dense_case small_dense(random_source& random, heron_type type, std::int64_t rows, std::int64_t columns,
                       std::int64_t padding) {
    dense_case m{type, HERON_ORDER_COLUMN, rows, columns, rows + padding};
    m.values.resize(static_cast<std::size_t>(m.ld * columns));
    for (std::int64_t j = 0; j < columns; ++j)
        for (std::int64_t i = 0; i < rows; ++i) m.at(i, j) = small_number(random, type);
    return m;
}

bool transposes(heron_operation op) { return op == HERON_OP_TRANSPOSE || op == HERON_OP_CONJUGATE_TRANSPOSE; }

dense_case small_operand(random_source& random, heron_type type, heron_operation op, std::int64_t rows,
                         std::int64_t columns, std::int64_t padding) {
    return transposes(op) ? small_dense(random, type, columns, rows, padding)
                          : small_dense(random, type, rows, columns, padding);
}

// Element l of line i of what stands left of a product, or right of it.
using lines = std::vector<std::vector<number>>;

lines rows_of(const dense_case& m, heron_operation op, std::int64_t rows, std::int64_t columns) {
    lines all(static_cast<std::size_t>(rows), std::vector<number>(static_cast<std::size_t>(columns)));
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t l = 0; l < columns; ++l)
            all[static_cast<std::size_t>(i)][static_cast<std::size_t>(l)] = element(m, op, i, l);
    return all;
}

lines transposed(const lines& m) {
    lines turned(m.empty() ? 0 : m[0].size(), std::vector<number>(m.size()));
    for (std::size_t i = 0; i < m.size(); ++i)
        for (std::size_t l = 0; l < m[i].size(); ++l) turned[l][i] = m[i][l];
    return turned;
}

// By columns, without gaps.
std::vector<number> product_of(const lines& rows, const lines& columns) {
    std::vector<number> all;
    for (const std::vector<number>& column : columns)
        for (const std::vector<number>& row : rows) {
            number sum = 0;
            for (std::size_t l = 0; l < row.size(); ++l) sum += product(row[l], column[l]);
            all.push_back(sum);
        }
    return all;
}

std::vector<heron_operation> operations_of(heron_type type) {
    if (!is_complex(type)) return {HERON_OP_NONE, HERON_OP_TRANSPOSE};
    return {HERON_OP_NONE, HERON_OP_TRANSPOSE, HERON_OP_CONJUGATE_TRANSPOSE, HERON_OP_CONJUGATE};
}

// Calls use(type, op_a, op_b, padding): leading dimensions of whole 16 bytes, and others.
template <class Use>
void each_layout(heron_type type, Use&& use) {
    for (const heron_operation op_a : {HERON_OP_NONE, HERON_OP_TRANSPOSE})
        for (const heron_operation op_b : operations_of(type))
            for (const std::int64_t padding : {4, 1}) use(type, op_a, op_b, padding);
}

// What lies between two lines of A, and of B.
struct gaps {
    std::int64_t a, b;
};

void check_product(random_source& random, heron_type type, heron_operation op_a, heron_operation op_b,
                   const shape& s, gaps apart, heron_gemm_algorithm algorithm = HERON_GEMM_DEFAULT) {
    CAPTURE(type, op_a, op_b, s.m, s.n, s.k, apart.a, apart.b, algorithm);
    const dense_case a = small_operand(random, type, op_a, s.m, s.k, apart.a);
    const dense_case b = small_operand(random, type, op_b, s.k, s.n, apart.b);
    const dense_case c{type, HERON_ORDER_COLUMN,
                       s.m,  s.n,
                       s.m,  std::vector<number>(static_cast<std::size_t>(s.m * s.n), std::nan(""))};
    const device_dense da(a), db(b), dc(c);
    const auto one = scalar_bytes(type, 1.0), zero = scalar_bytes(type, 0.0);
    expect(heron_gemm(native(), type, HERON_ORDER_COLUMN, op_a, op_b, s.m, s.n, s.k, one.data(), da.data(),
                      a.ld, db.data(), b.ld, zero.data(), dc.data(), c.ld, algorithm));
    const bool same = dc.download().values ==
                      product_of(rows_of(a, op_a, s.m, s.k), transposed(rows_of(b, op_b, s.k, s.n)));
    CHECK(same);
}

heron_type compute_type(heron_type type) {
    if (type == HERON_R_16F || type == HERON_R_16BF) return HERON_R_32F;
    return type == HERON_C_16F || type == HERON_C_16BF ? HERON_C_32F : type;
}

// All items have the same operands.
void check_batch(random_source& random, heron_type type, heron_operation op_a, heron_operation op_b,
                 const shape& s, std::int64_t padding, heron_gemm_algorithm algorithm = HERON_GEMM_DEFAULT,
                 std::int64_t more = 3) {
    // More than a device has multiprocessors, or as many.
    const std::int64_t count = backend_name() == "cuda" ? device_info().compute_units + more : 3;
    CAPTURE(type, op_a, op_b, s.m, s.n, s.k, padding, algorithm, count);
    const dense_case a = small_operand(random, type, op_a, s.m, s.k, padding);
    const dense_case b = small_operand(random, type, op_b, s.k, s.n, padding);
    const dense_case c{type, HERON_ORDER_COLUMN,
                       s.m,  s.n * count,
                       s.m,  std::vector<number>(static_cast<std::size_t>(s.m * s.n * count), std::nan(""))};
    const device_dense da(a), db(b), dc(c);
    const auto one = scalar_bytes(compute_type(type), 1.0), zero = scalar_bytes(compute_type(type), 0.0);
    expect(heron_gemm_batched(native(), type, HERON_ORDER_COLUMN, op_a, op_b, s.m, s.n, s.k, one.data(),
                              heron_batch_strided(da.data(), 0), a.ld, heron_batch_strided(db.data(), 0),
                              b.ld, zero.data(), heron_batch_strided(dc.data(), s.m * s.n), c.ld, count,
                              algorithm));
    const std::vector<number> expected =
        product_of(rows_of(a, op_a, s.m, s.k), transposed(rows_of(b, op_b, s.k, s.n)));
    const std::vector<unsigned char> item = encode(cuda_type(type), expected), all = dc.bytes();
    bool same = true;
    for (std::size_t at = 0; at < all.size() && same; at += item.size()) {
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(at);
        const auto end = begin + static_cast<std::ptrdiff_t>(item.size());
        // A zero may have either sign.
        same =
            std::equal(item.begin(), item.end(), begin) || decode(cuda_type(type), {begin, end}) == expected;
    }
    CHECK(same);
}

void check_symmetric(random_source& random, heron_type type, heron_side side, heron_fill_mode fill,
                     bool hermitian, const shape& s) {
    CAPTURE(type, side, fill, hermitian, s.m, s.n);
    const bool left = side == HERON_SIDE_LEFT;
    const std::int64_t k = left ? s.m : s.n;
    const dense_case a = small_dense(random, type, k, k, 0), b = small_dense(random, type, s.m, s.n, 0);
    const dense_case c{type, HERON_ORDER_COLUMN,
                       s.m,  s.n,
                       s.m,  std::vector<number>(static_cast<std::size_t>(s.m * s.n), std::nan(""))};
    const device_dense da(a), db(b), dc(c);
    const auto one = scalar_bytes(type, 1.0), zero = scalar_bytes(type, 0.0);
    const auto call = hermitian ? heron_hemm : heron_symm;
    expect(call(native(), type, HERON_ORDER_COLUMN, side, fill, s.m, s.n, one.data(), da.data(), a.ld,
                db.data(), b.ld, zero.data(), dc.data(), c.ld));
    lines whole(static_cast<std::size_t>(k), std::vector<number>(static_cast<std::size_t>(k)));
    for (std::int64_t i = 0; i < k; ++i)
        for (std::int64_t j = 0; j < k; ++j)
            whole[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] =
                symmetric_element(a, fill, hermitian, i, j);
    const lines other = rows_of(b, HERON_OP_NONE, s.m, s.n);
    const bool same = dc.download().values ==
                      (left ? product_of(whole, transposed(other)) : product_of(other, transposed(whole)));
    CHECK(same);
}

// C := A^T*B + B^T*A, or with conj(A) and conj(B), of lines of one number each, in the lower triangle.
void check_rank_update(random_source& random, heron_type type, bool hermitian, std::int64_t n) {
    CAPTURE(type, hermitian, n);
    const heron_operation op = hermitian ? HERON_OP_CONJUGATE_TRANSPOSE : HERON_OP_TRANSPOSE;
    const dense_case a = small_dense(random, type, 1, n, 0), b = small_dense(random, type, 1, n, 1);
    const dense_case c{type, HERON_ORDER_COLUMN,
                       n,    n,
                       n,    std::vector<number>(static_cast<std::size_t>(n * n), std::nan(""))};
    const device_dense da(a), db(b), dc(c);
    const auto one = scalar_bytes(type, 1.0), zero = scalar_bytes(type, 0.0);  // her2k reads a part of it
    const auto call = hermitian ? heron_her2k : heron_syr2k;
    expect(call(native(), type, HERON_ORDER_COLUMN, HERON_FILL_LOWER, op, n, 1, one.data(), da.data(), a.ld,
                db.data(), b.ld, zero.data(), dc.data(), c.ld, HERON_RANK_2K_FUSED));
    const dense_case found = dc.download();
    const auto turned = [&](number v) { return hermitian ? std::conj(v) : v; };
    std::size_t wrong = 0;
    for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = j; i < n; ++i)
            wrong += found.at(i, j) !=
                     product(turned(a.at(0, i)), b.at(0, j)) + product(turned(b.at(0, i)), a.at(0, j));
    CHECK(wrong == 0);
}

// In a short test as few as reach all kernels of the type.
std::vector<std::int64_t> sides_of_batches(heron_type type) {
    if (!is_short()) return {1, 8, 16, 20, 24, 32, 40, 48, 56, 64, 72, 80, 96, 104, 112, 128};
    if (type == HERON_R_32F) return {1, 20, 64, 96, 104, 128};
    if (type == HERON_R_64F) return {1, 20, 32, 56, 96, 128};
    if (type == HERON_C_32F) return {1, 20, 40, 56, 72, 96, 104, 128};
    return {1, 20, 40};
}

void check_batches(heron_type of_type) {
    random_source random(43);
    const std::vector<std::int64_t> sides = sides_of_batches(of_type);
    each_layout(of_type,
                [&](heron_type type, heron_operation op_a, heron_operation op_b, std::int64_t padding) {
                    for (const std::int64_t side : sides)
                        check_batch(random, type, op_a, op_b, {"", side, side, 20}, padding);
                });
}

}  // namespace

TEST_CASE("products by every large tile in every layout") {
    random_source random(41);
    for (const tiles_of_type& of : all_tiles)
        each_layout(of.type,
                    [&](heron_type type, heron_operation op_a, heron_operation op_b, std::int64_t padding) {
                        for (const shape& s : shapes)
                            check_product(random, type, op_a, op_b, s, {padding, padding});
                    });
}

TEST_CASE("products whose lines lie too far apart for large tiles") {
    random_source random(42);
    // Of one step no second line is there.
    for (const tiles_of_type& of : all_tiles)
        for (const heron_operation op_b : operations_of(of.type)) {
            if (is_short() && (op_b == HERON_OP_TRANSPOSE || op_b == HERON_OP_CONJUGATE)) continue;
            check_product(random, of.type, HERON_OP_NONE, op_b, {"", 40, 36, 1}, {4'200'000, 0});
        }
}

TEST_CASE("batches of every size in every layout, f32") { check_batches(HERON_R_32F); }
TEST_CASE("batches of every size in every layout, f64") { check_batches(HERON_R_64F); }
TEST_CASE("batches of every size in every layout, c32") { check_batches(HERON_C_32F); }
TEST_CASE("batches of every size in every layout, c64") { check_batches(HERON_C_64F); }

TEST_CASE("batches of 16-bit numbers with a factor of 0") {
    random_source random(51);
    for (const heron_type type : {HERON_R_16F, HERON_R_16BF}) {
        const dense_case a = small_dense(random, type, 20, 12, 0), c = small_dense(random, type, 20, 24, 0);
        const device_dense da(a), db(a), dc(c);
        const auto zero = scalar_bytes(compute_type(type), 0.0), two = scalar_bytes(compute_type(type), 2.0);
        expect(heron_gemm_batched(native(), type, HERON_ORDER_COLUMN, HERON_OP_NONE, HERON_OP_TRANSPOSE, 20,
                                  12, 12, zero.data(), heron_batch_strided(da.data(), 0), a.ld,
                                  heron_batch_strided(db.data(), 0), a.ld, two.data(),
                                  heron_batch_strided(dc.data(), 20 * 12), c.ld, 2, HERON_GEMM_DEFAULT));
        std::vector<number> expected = c.values;
        for (number& v : expected) v *= 2;
        CHECK((dc.download().values == expected));
    }
}

TEST_CASE("symm of one row") {
    random_source random(52);
    for (const tiles_of_type& of : all_tiles)
        check_symmetric(random, of.type, HERON_SIDE_LEFT, HERON_FILL_LOWER, false, {"", 1, 40, 1});
}

TEST_CASE("batches of 16-bit numbers") {
    random_source random(46);
    for (const heron_type type : {HERON_R_16F, HERON_R_16BF, HERON_C_16F, HERON_C_16BF})
        check_batch(random, type, HERON_OP_NONE, HERON_OP_TRANSPOSE, {"", 20, 24, 12}, 4);
}

TEST_CASE("products of every type without a part of their work") {
    random_source random(47);
    for (const tiles_of_type& of : all_tiles) {
        const dense_case a = small_dense(random, of.type, 72, 72, 0),
                         c = small_dense(random, of.type, 72, 72, 0);
        const device_dense da(a), dc(c);
        const auto one = scalar_bytes(of.type, 1.0);
        expect(heron_gemm(native(), of.type, HERON_ORDER_COLUMN, HERON_OP_NONE, HERON_OP_NONE, 72, 72, 72,
                          one.data(), da.data(), a.ld, da.data(), a.ld, one.data(), dc.data(), c.ld,
                          HERON_GEMM_WITHOUT_STORES));
        const bool same = dc.download().values == c.values;
        CHECK(same);
    }
}

TEST_CASE("products by TF32 in every layout") {
    random_source random(44);
    for (const auto algorithm : {HERON_GEMM_TF32, HERON_GEMM_3XTF32})
        for (const heron_operation op_a : {HERON_OP_NONE, HERON_OP_TRANSPOSE})
            for (const heron_operation op_b : {HERON_OP_NONE, HERON_OP_TRANSPOSE})
                for (const std::int64_t padding : {4, 1}) {
                    check_product(random, HERON_R_32F, op_a, op_b, {"", 72, 68, 36}, {padding, padding},
                                  algorithm);
                    check_batch(random, HERON_R_32F, op_a, op_b, {"", 72, 68, 36}, padding, algorithm);
                }
}

TEST_CASE("batches of small products by TF32 in every layout") {
    random_source random(48);
    for (const heron_operation op_a : {HERON_OP_NONE, HERON_OP_TRANSPOSE})
        for (const heron_operation op_b : {HERON_OP_NONE, HERON_OP_TRANSPOSE})
            for (const std::int64_t padding : {4, 1})
                check_batch(random, HERON_R_32F, op_a, op_b, {"", 20, 24, 12}, padding, HERON_GEMM_TF32);
}

// An item for each multiprocessor, of the size of each tile.
TEST_CASE("batches for Tensor Cores by every tile in every layout") {
    random_source random(49);
    for (const heron_type type : {HERON_R_16F, HERON_R_16BF, HERON_R_32F})
        for (const heron_operation op_a : {HERON_OP_NONE, HERON_OP_TRANSPOSE})
            for (const heron_operation op_b : {HERON_OP_NONE, HERON_OP_TRANSPOSE})
                for (const shape& s :
                     {shape{"", 256, 128, 16}, shape{"", 128, 256, 16}, shape{"", 128, 128, 16},
                      shape{"", 64, 128, 16}, shape{"", 128, 64, 16}})
                    check_batch(random, type, op_a, op_b, s, 0,
                                type == HERON_R_32F ? HERON_GEMM_TF32 : HERON_GEMM_DEFAULT, 0);
}

// With one step, an operand whose leading dimension is 1 lies by lines and by depth, another one by depth.
TEST_CASE("rank updates of one step by every large tile, of operands that lie in different ways") {
    random_source random(50);
    for (const tiles_of_type& of : all_tiles)
        for (const bool hermitian : {false, true})
            for (const shape& s : shapes) {
                if ((hermitian && !is_complex(of.type)) || s.m > 2 * s.n || s.k > 100) continue;
                check_rank_update(random, of.type, hermitian, s.n);
            }
}

TEST_CASE("products with a symmetric matrix by every large tile") {
    random_source random(45);
    for (const tiles_of_type& of : all_tiles)
        for (const heron_side side : {HERON_SIDE_LEFT, HERON_SIDE_RIGHT})
            for (const heron_fill_mode fill : {HERON_FILL_LOWER, HERON_FILL_UPPER})
                for (const bool hermitian : {false, true}) {
                    if (hermitian && !is_complex(of.type)) continue;
                    for (shape s : shapes) {
                        // So that the symmetric matrix is small.
                        if (side == HERON_SIDE_LEFT && s.m > 10 * s.n) std::swap(s.m, s.n);
                        check_symmetric(random, of.type, side, fill, hermitian, s);
                    }
                }
}
