#include "../../backends/cuda/dense/choice.hpp"

#include "catch.hpp"

using namespace heron::cuda;

namespace {

int rows_of(const gemm_choices& choices, heron_type type, product_kind kind, int64_t n) {
    const auto found = choices.find(type, kind, n, n, n);
    return found ? found->rows : 0;
}

}  // namespace

TEST_CASE("the most exact choice of a tile is taken") {
    const gemm_choices choices(
        "c64 tile 64 64\nc64-NN tile 128 64\nc64-NN-1024 tile 32 32\nf32-rankN-4096 tile 256 128", '\n');
    CHECK(rows_of(choices, HERON_C_64F, product_kind::nn, 1024) == 32);
    CHECK(rows_of(choices, HERON_C_64F, product_kind::nn, 4096) == 128);
    CHECK(rows_of(choices, HERON_C_64F, product_kind::tn, 1024) == 64);
    CHECK(rows_of(choices, HERON_R_32F, product_kind::rank_n, 4000) == 256);
    CHECK(rows_of(choices, HERON_R_32F, product_kind::rank_n, 2000) == 0);
    CHECK(rows_of(choices, HERON_R_32F, product_kind::nn, 4096) == 0);
    CHECK(choices.find(HERON_R_32F, product_kind::rank_n, 4096, 4096, 64)->columns == 128);
}

TEST_CASE("what is no choice of a tile is passed over") {
    const gemm_choices choices(
        "f16 tile 64 64;c64-XX tile 64 64;f64 tiles 8 8;f64 tile 8;; ;f64 tile 8 8 x;f32 tile 1 2", ';');
    CHECK(choices.ignored() == std::vector<std::string>{"f16 tile 64 64", "c64-XX tile 64 64",
                                                        "f64 tiles 8 8", "f64 tile 8", "f64 tile 8 8 x"});
    CHECK(rows_of(choices, HERON_C_64F, product_kind::nn, 512) == 0);
    CHECK(rows_of(choices, HERON_R_64F, product_kind::nn, 512) == 0);
    CHECK(rows_of(choices, HERON_R_32F, product_kind::nn, 512) == 1);
}

TEST_CASE("classes of sizes of dense products") {
    CHECK(size_class(1024, 1024, 1024) == "1024");
    CHECK(size_class(700, 1400, 10) == "1024");
    CHECK(size_class(3000, 3000, 3000) == "4096");
    CHECK(size_class(16, 4096, 4096) == "low");
    CHECK(size_class(4096, 16, 4096) == "narrow");
    CHECK(size_class(256, 256, 16384) == "long");
    CHECK(size_class(1, 1, 1) == "1");
}
