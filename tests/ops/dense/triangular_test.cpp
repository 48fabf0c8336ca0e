// trmm and trsm against the oracle.
#include <array>
#include <initializer_list>

#include "dense_problem.hpp"

using namespace heron::test;

namespace {

std::vector<heron_type> types() {
    if (backend_name() == "opencl") return {HERON_R_32F, HERON_C_64F};
    return {HERON_R_32F, HERON_R_64F, HERON_C_32F, HERON_C_64F};
}

struct triangular_shape {
    heron_type type;
    heron_order order;
    heron_side side;
    heron_fill_mode fill;
    heron_operation op;
    heron_diag_type diag;
    std::int64_t m, n;
    int alpha;  // 0, 1, or any
    int most_padding = 2;
};

void check_triangular(random_source& random, const triangular_shape& t, bool solves) {
    const bool left = t.side == HERON_SIDE_LEFT;
    const std::int64_t k = left ? t.m : t.n;
    dense_case a = random_dense(random, t.type, t.order, k, k, random.below(t.most_padding + 1));
    dense_case b = random_dense(random, t.type, t.order, t.m, t.n, random.below(t.most_padding + 1));
    // Solutions must not grow without bound: a diagonal away from zero, and small elements beside it.
    if (solves) {
        const double scale =
            std::ldexp(1.0, -static_cast<int>(std::ceil(std::log2(static_cast<double>(k) + 2))));
        for (std::int64_t j = 0; j < k; ++j)
            for (std::int64_t i = 0; i < k; ++i)
                a.at(i, j) =
                    i == j ? a.at(i, j) + number{a.at(i, j).real() < 0 ? -1.0 : 1.0, 0} : a.at(i, j) * scale;
        a.values = rounded(cuda_type(t.type), a.values);
    }
    poison(a, [&](std::int64_t i, std::int64_t j) {
        return !in_triangle(t.fill, i, j) || (i == j && t.diag == HERON_DIAG_UNIT);
    });
    const number alpha = t.alpha < 2 ? number(t.alpha) : random_number(random, t.type);
    if (t.alpha == 0) poison(b, [](std::int64_t, std::int64_t) { return true; });
    const device_dense da(a), db(b);
    const std::vector<unsigned char> scalar = scalar_bytes(t.type, alpha);
    const device_array<unsigned char> on_device(scalar);
    const bool device_mode = random.below(3) == 0;
    CAPTURE(t.type, t.order, t.side, t.fill, t.op, t.diag, t.m, t.n, alpha, device_mode);
    if (device_mode) expect(heron_set_pointer_mode(native(), HERON_POINTER_DEVICE));
    const auto call = solves ? heron_trsm : heron_trmm;
    const heron_status status =
        call(native(), t.type, t.order, t.side, t.fill, t.op, t.diag, t.m, t.n,
             device_mode ? on_device.data() : scalar.data(), da.data(), a.ld, db.data(), b.ld);
    expect(heron_set_pointer_mode(native(), HERON_POINTER_HOST));
    expect(status);
    const dense_case x = db.download();
    const auto entry = [&](std::int64_t i, std::int64_t j) {
        return triangular_element(a, t.fill, t.diag, t.op, i, j);
    };
    const auto multiplied = [&](const dense_case& y, std::int64_t i, std::int64_t j) {
        return left ? dot(
                          k, [&](auto l) { return entry(i, l); }, [&](auto l) { return y.at(l, j); })
                    : dot(
                          k, [&](auto l) { return y.at(i, l); }, [&](auto l) { return entry(l, j); });
    };
    const double roundings = static_cast<double>(4 * k + 16);
    if (!solves || t.alpha == 0) {
        const auto expected = [&](std::int64_t i, std::int64_t j, term& want) {
            if (t.alpha == 0) return true;
            const term sum = multiplied(b, i, j);
            want = {product(alpha, sum.value), std::abs(alpha) * sum.size};
            return true;
        };
        CHECK(difference(b, x, t.type, roundings, expected) == "");
        return;
    }
    // The residual op(A)*X - alpha*B, componentwise; x itself wherever that is within the bound, so padding
    // is compared too.
    const auto expected = [&](std::int64_t i, std::int64_t j, term& want) {
        const term sum = multiplied(x, i, j);
        const number target = product(alpha, b.at(i, j));
        const double bound = epsilon(cuda_type(t.type)) * roundings * (sum.size + std::abs(target));
        want = {x.at(i, j), 1.0};
        if (!is_within(std::abs(sum.value - target), bound)) want.value = std::nan("");
        return true;
    };
    CHECK(difference(b, x, t.type, roundings, expected) == "");
}

void check_all(bool solves, std::uint64_t stream) {
    random_source random(stream);
    constexpr std::int64_t sizes[] = {0, 1, 2, 3, 5, 7, 8, 9, 16, 17, 24, 31, 33, 65};
    for (const heron_type type : types())
        for (int code = 0; code < 48; ++code) {
            const triangular_shape base{type,
                                        static_cast<heron_order>(code % 2),
                                        static_cast<heron_side>(code / 2 % 2),
                                        static_cast<heron_fill_mode>(code / 4 % 2),
                                        static_cast<heron_operation>(code / 8 % 3),
                                        static_cast<heron_diag_type>(code / 24),
                                        0,
                                        0,
                                        2};
            for (int n = 0; n < (is_short() ? 1 : 4); ++n) {
                triangular_shape t = base;
                t.m = sizes[random.below(std::size(sizes))];
                t.n = sizes[random.below(std::size(sizes))];
                t.alpha = static_cast<int>(random.below(4));
                check_triangular(random, t, solves);
            }
        }
}

void check_larger(bool solves, std::uint64_t stream) {
    random_source random(stream);
    const int codes = is_short() ? 2 : 4;
    constexpr std::int64_t shapes[][2] = {{150, 40}, {40, 150}, {260, 19}, {19, 260}, {129, 1}, {1, 129}};
    for (const heron_type type : types())
        for (const auto& s : shapes)
            for (int code = 0; code < codes; ++code)
                check_triangular(
                    random,
                    {type, static_cast<heron_order>(random.below(2)), static_cast<heron_side>(code % 2),
                     static_cast<heron_fill_mode>(code / 2), static_cast<heron_operation>(random.below(3)),
                     static_cast<heron_diag_type>(random.below(2)), s[0], s[1], 2},
                    solves);
}

// Where lines are aligned: triangles that are several bands of rows, the last of which may be a part of one.
void check_bands(bool solves, std::uint64_t stream,
                 std::initializer_list<std::array<std::int64_t, 2>> shapes) {
    random_source random(stream);
    int number = 0;
    for (const heron_type type : types())
        for (const auto& [m, n] : shapes)
            for (int op = 0; op < 3; ++op)
                check_triangular(
                    random,
                    {type, HERON_ORDER_COLUMN, HERON_SIDE_LEFT, static_cast<heron_fill_mode>(number++ % 2),
                     static_cast<heron_operation>(op), static_cast<heron_diag_type>(random.below(2)), m, n, 2,
                     0},
                    solves);
}

// All operations with two bands, the second one with few rows. Blocks have 32 columns, for three quarters of
// the multiprocessors at least.
void check_bands_of(heron_type type, std::uint64_t stream) {
    if (backend_name() == "opencl") return;
    random_source random(stream);
    const std::int64_t columns =
        backend_name() == "cuda" ? 24 * std::int64_t{device_info().compute_units} : 60;
    for (int op = 0; op < (is_complex(type) ? 3 : 2); ++op)
        check_triangular(random,
                         {type, HERON_ORDER_COLUMN, HERON_SIDE_LEFT, HERON_FILL_LOWER,
                          static_cast<heron_operation>(op), HERON_DIAG_NON_UNIT, 132, columns, 2, 0},
                         false);
}

// Few rows, and as many columns as give a warp of a GPU one, two or four of them.
void check_many_columns(bool solves, std::uint64_t stream) {
    random_source random(stream);
    const std::int64_t some = backend_name() == "cuda" ? 12 * std::int64_t{device_info().compute_units} : 20;
    for (const heron_type type : types())
        for (std::int64_t columns = some; columns <= 16 * some; columns *= 2)
            check_triangular(random,
                             {type, HERON_ORDER_COLUMN, HERON_SIDE_LEFT, HERON_FILL_LOWER, HERON_OP_NONE,
                              HERON_DIAG_NON_UNIT, 3, columns, 2},
                             solves);
}

}  // namespace

TEST_CASE("trmm: every combination of options") { check_all(false, 1); }
TEST_CASE("trmm: beyond a tile") { check_larger(false, 2); }
TEST_CASE("trmm: bands of rows") { check_bands(false, 5, {{256, 40}, {388, 9}, {301, 6}, {520, 5}}); }
// As many columns as blocks for all multiprocessors want.
TEST_CASE("trmm: bands of rows and many columns") {
    if (backend_name() == "cuda" && !is_short()) check_bands(false, 7, {{260, 4300}});
}
TEST_CASE("trmm: bands of rows and as many columns as are enough, f32") { check_bands_of(HERON_R_32F, 10); }
TEST_CASE("trmm: bands of rows and as many columns as are enough, f64") { check_bands_of(HERON_R_64F, 11); }
TEST_CASE("trmm: bands of rows and as many columns as are enough, c32") { check_bands_of(HERON_C_32F, 12); }
TEST_CASE("trmm: few rows and many columns") { check_many_columns(false, 8); }
TEST_CASE("trsm: every combination of options") { check_all(true, 3); }
TEST_CASE("trsm: beyond a tile") { check_larger(true, 4); }
TEST_CASE("trsm: bands of rows") { check_bands(true, 6, {{256, 40}, {388, 9}, {301, 6}, {520, 5}}); }
TEST_CASE("trsm: few rows and many columns") { check_many_columns(true, 9); }
