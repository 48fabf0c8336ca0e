#include "bench/dense/gemm_shapes.hpp"

#include "catch.hpp"

#include <algorithm>
#include <set>

using namespace heron::tools;

TEST_CASE("shapes of dense kernels") {
    for (const std::string type : {"f32", "f64", "c32", "c64"})
        for (const bool is_processor : {false, true}) {
            CAPTURE(type, is_processor);
            const std::vector<gemm_shape> shapes = gemm_shapes(type, is_processor);
            CHECK(shapes.size() > 20);
            CHECK(std::set<gemm_shape>(shapes.begin(), shapes.end()).size() == shapes.size());
            for (const gemm_shape& shape : shapes) {
                CHECK(shape.columns == is_processor);
                CHECK(distance(shape, shape) == 0);
                CHECK(distance(shape, shapes.front()) <= static_cast<int>(shape.parameters.size()));
            }
            for (const gemm_shape& shape : promising_shapes(type, is_processor)) {
                CAPTURE(shape.text());
                CHECK(std::count(shapes.begin(), shapes.end(), shape) == 1);
            }
        }
    CHECK(gemm_shape{true, {16, 2, 12}}.text() == "columns 16 2 12");
    CHECK(gemm_shape{false, {16, 16, 4, 2, 4, 2, 16}}.text() == "tiles 16 16 4 2 4 2 16");
}

TEST_CASE("a line of the tuning file") {
    CHECK(with_shape("", "f32", "columns 4 1 6") == "f32 columns 4 1 6\n");
    CHECK(with_shape("f32 a\nf64 b\n", "f32", "c") == "f64 b\nf32 c\n");
    CHECK(with_shape("f32 a", "c64", "b") == "f32 a\nc64 b\n");
}
