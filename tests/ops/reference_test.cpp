// The oracle against the compiler's arithmetic, known bit patterns, and itself.
#include "operands.hpp"

#include <bit>

using namespace heron::test;

namespace {

std::uint64_t half_bits(double v) { return encode_ieee(v, 10, 5); }
std::uint64_t bfloat_bits(double v) { return encode_ieee(v, 7, 8); }

}  // namespace

TEST_CASE("the oracle rounds to fp32 and fp64 as the machine does") {
    random_source random;
    std::vector<double> values{
        0.0,   -0.0,   1.0, 0x1p-149, 0x1p-150, 0x1.8p-150, 0x1p-126, 0x1.fffffep127, 0x1.ffffffp127,
        1e300, -1e-300};
    for (int k = 0; k < 20000; ++k)
        values.push_back(std::ldexp(random.symmetric_unit(), static_cast<int>(random.below(320)) - 160));
    std::size_t wrong = 0;
    for (const double v : values) {
        wrong += encode_ieee(v, 23, 8) != std::bit_cast<std::uint32_t>(static_cast<float>(v));
        wrong += encode_ieee(v, 52, 11) != std::bit_cast<std::uint64_t>(v);
        wrong += decode_ieee(std::bit_cast<std::uint64_t>(v), 52, 11) != v;
        const auto narrow = static_cast<float>(v);
        wrong += decode_ieee(std::bit_cast<std::uint32_t>(narrow), 23, 8) != static_cast<double>(narrow);
    }
    CHECK(wrong == 0);
}

TEST_CASE("the oracle's halves and bfloat16") {
    CHECK(half_bits(1.0) == 0x3c00);
    CHECK(half_bits(-2.0) == 0xc000);
    CHECK(half_bits(65504.0) == 0x7bff);
    CHECK(half_bits(65519.0) == 0x7bff);
    CHECK(half_bits(65520.0) == 0x7c00);
    CHECK(half_bits(0x1p-14) == 0x0400);
    CHECK(half_bits(0x1p-24) == 0x0001);
    CHECK(half_bits(0x1p-25) == 0x0000);
    CHECK(half_bits(0x1.8p-24) == 0x0002);
    CHECK(half_bits(1.0 + 0x1p-11) == 0x3c00);
    CHECK(half_bits(1.0 + 0x1.8p-10) == 0x3c02);
    CHECK(bfloat_bits(1.0) == 0x3f80);
    CHECK(bfloat_bits(3.140625) == 0x4049);
    CHECK(bfloat_bits(1.0 + 0x1p-8) == 0x3f80);
    CHECK(bfloat_bits(1.0 + 0x1.8p-7) == 0x3f82);
    CHECK(bfloat_bits(0x1.ffp127) == 0x7f80);
    std::size_t wrong = 0;
    for (std::uint64_t bits = 0; bits < 0x10000; ++bits) {
        const double h = decode_ieee(bits, 10, 5), b = decode_ieee(bits, 7, 8);
        wrong += !std::isnan(h) && half_bits(h) != bits;
        wrong += !std::isnan(b) && bfloat_bits(b) != bits;
    }
    CHECK(wrong == 0);
}

TEST_CASE("the oracle's integers keep their sign") {
    const std::vector<number> values{0.0, 1.0, -1.0, 127.0, -128.0};
    CHECK(rounded(CUDA_R_8I, values) == values);
    CHECK(rounded(CUDA_R_32I, values) == values);
    CHECK(encode(CUDA_R_8I, {-1.0}) == std::vector<unsigned char>{0xff});
}

TEST_CASE("the oracle expands every layout to the same matrix") {
    random_source random;
    for (const named_pattern& pattern : small_patterns()) {
        const entries matrix = with_values(pattern.matrix, CUDA_C_32F, random);
        for (const layout& l : spmv_layouts()) {
            INFO(pattern.name << " as " << l.name);
            entries expanded = expand(arrange(matrix, l, index_choices()[1], CUDA_C_32F, random));
            // BSR rounds the size up.
            expanded.rows = matrix.rows;
            expanded.cols = matrix.cols;
            std::erase_if(expanded.list,
                          [&](const entry& e) { return e.row >= matrix.rows || e.col >= matrix.cols; });
            CHECK(dense(expanded) == dense(matrix));
        }
    }
}

TEST_CASE("the oracle's product is the textbook's") {
    // [1 2i 0; 0 0 3] and its transposes.
    const entries a{2, 3, {{0, 0, 1.0}, {0, 1, {0.0, 2.0}}, {1, 2, 3.0}}};
    const auto run = [&](cusparseOperation_t op, const std::vector<number>& x, std::size_t n) {
        return spmv(a, op, 2.0, x, 1.0, std::vector<number>(n, 10.0), CUDA_C_64F, CUDA_C_64F).value;
    };
    CHECK(run(CUSPARSE_OPERATION_NON_TRANSPOSE, {1.0, 1.0, 1.0}, 2) ==
          std::vector<number>{{12.0, 4.0}, 16.0});
    CHECK(run(CUSPARSE_OPERATION_TRANSPOSE, {1.0, 1.0}, 3) == std::vector<number>{12.0, {10.0, 4.0}, 16.0});
    CHECK(run(CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, {1.0, 1.0}, 3) ==
          std::vector<number>{12.0, {10.0, -4.0}, 16.0});
}

TEST_CASE("the oracle notices what is wrong") {
    const expectation expected{{1.0, 2.0}, {0.01, 0.01}};
    CHECK(difference({1.0, 2.0}, expected) == "");
    CHECK(difference({1.005, 2.0}, expected) == "");
    CHECK(difference({1.0, 2.02}, expected) != "");
    CHECK(difference({1.0, std::numeric_limits<double>::quiet_NaN()}, expected) != "");
    CHECK(difference({1.0}, expected) != "");
}

TEST_CASE("the oracle takes no infinite solution of a triangular system") {
    const double infinity = std::numeric_limits<double>::infinity();
    const entries lower{2, 2, {{0, 0, 2.0}, {1, 0, 1.0}, {1, 1, 4.0}}};
    const auto residual = [&](const std::vector<number>& x) {
        const system_residual found =
            triangular_residual(lower, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_DIAG_TYPE_NON_UNIT, {}, 1.0,
                                {4.0, 10.0}, x, 1, CUDA_R_64F);
        return difference(found.left, found.right);
    };
    CHECK(residual({2.0, 2.0}) == "");
    CHECK(residual({2.0, 2.1}) != "");
    CHECK(residual({2.0, infinity}) != "");
    CHECK(residual({infinity, 2.0}) != "");
    CHECK(residual({infinity, -infinity}) != "");
    CHECK(residual({2.0, std::numeric_limits<double>::quiet_NaN()}) != "");
}

TEST_CASE("an infinite bound tells nothing") {
    const double infinity = std::numeric_limits<double>::infinity();
    CHECK(is_within(0.0, 0.0));
    CHECK_FALSE(is_within(infinity, infinity));
    CHECK_FALSE(is_within(0.0, infinity));
    CHECK_FALSE(is_within(std::numeric_limits<double>::quiet_NaN(), 1.0));
}
