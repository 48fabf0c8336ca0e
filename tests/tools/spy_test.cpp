#include "catch.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>

#include "matrix/generators.hpp"
#include "picture/spy.hpp"

namespace {

using heron::tools::density_colour;
using heron::tools::density_grid;
using heron::tools::draw_spy;
using heron::tools::load_matrix;
using heron::tools::measure_density;
using heron::tools::rgb;
using heron::tools::rgb_image;

double density(const density_grid& grid, std::int64_t row, std::int64_t col) {
    return grid.density[static_cast<std::size_t>(row * grid.cols + col)];
}

double brightness(rgb colour) { return 0.21 * colour.red + 0.72 * colour.green + 0.07 * colour.blue; }

}  // namespace

TEST_CASE("Spy: cells", "[spy]") {
    SECTION("a small matrix has one cell per entry") {
        const density_grid grid = measure_density(load_matrix("diag:10"), 100);
        CHECK(grid.rows == 10);
        CHECK(grid.cols_per_cell == 1);
        CHECK(density(grid, 3, 3) == 1);
        CHECK(density(grid, 3, 4) == 0);
    }
    SECTION("a large one is cut into equal cells, the last one smaller") {
        const density_grid grid = measure_density(load_matrix("diag:1001"), 100);
        CHECK(grid.rows_per_cell == 11);
        CHECK(grid.rows == 91);
        CHECK(grid.cols == 91);
        CHECK(density(grid, 5, 5) == 1.0 / 11);
        CHECK(density(grid, 90, 90) == 1.0 / 11);
        const density_grid uneven = measure_density(load_matrix("diag:1002"), 100);
        CHECK(uneven.rows == 92);
        CHECK(density(uneven, 91, 91) == 1);
    }
    SECTION("the short side of a long matrix does not vanish") {
        const density_grid grid = measure_density(load_matrix("dense:10000,3"), 100);
        CHECK(grid.rows == 100);
        CHECK(grid.cols == 3);
        CHECK(density(grid, 99, 2) == 1);
    }
    SECTION("the grid never exceeds its limit") {
        for (const char* spec :
             {"dense:1,1000", "dense:999,37", "dense:101,100", "dense:5,5", "uniform:777,3"}) {
            const density_grid grid = measure_density(load_matrix(spec), 100);
            CAPTURE(spec);
            CHECK(std::max(grid.rows, grid.cols) <= 100);
            CHECK(std::min(grid.rows, grid.cols) >= 1);
        }
    }
}

TEST_CASE("Spy: the colour scale falls evenly in brightness and stays off white", "[spy]") {
    CHECK(brightness(density_colour(0)) < 200);
    for (int step = 0; step < 50; ++step) {
        CAPTURE(step);
        CHECK(brightness(density_colour(step / 50.0)) > brightness(density_colour((step + 1) / 50.0)));
    }
}

TEST_CASE("Spy: pictures", "[spy]") {
    SECTION("pattern in its frame on white") {
        const rgb_image image = draw_spy(load_matrix("diag:10"), {.title = "diag", .longest_side = 400});
        CHECK(image.width == 440);
        CHECK(image.height > 400);
        CHECK(image.at(0, 0) == rgb{255, 255, 255});
        const std::int64_t middle_of_pattern = 20 + 3 * 24 + 10 + 5 * 40;
        CHECK(image.at(20 + 5 * 40 + 20, middle_of_pattern + 20) == density_colour(0.6));
        CHECK(image.at(20 + 6 * 40 + 20, middle_of_pattern + 20) == rgb{255, 255, 255});
    }
    SECTION("every shape can be drawn") {
        for (const char* spec : {"uniform:10,0", "dense:1,1", "dense:2,0", "dense:1,5000", "dense:5000,1",
                                 "arrow:50", "rmat:10", "hypersparse:100000,5"}) {
            for (const std::int64_t side : {16, 100, 801}) {
                CAPTURE(spec, side);
                const rgb_image image = draw_spy(load_matrix(spec), {.title = "t", .longest_side = side});
                CHECK(image.pixels.size() == static_cast<std::size_t>(image.width * image.height));
            }
        }
    }
    SECTION("a title of any length and alphabet") {
        CHECK(draw_spy(load_matrix("diag:1"), {.title = std::string(100, 'W'), .longest_side = 16}).width >=
              1200);
        CHECK_NOTHROW(draw_spy(load_matrix("diag:1"), {.title = "\xc3\xa4\x01\xff", .longest_side = 16}));
        CHECK_NOTHROW(draw_spy(load_matrix("diag:1"), {.title = "", .longest_side = 16}));
    }
}

TEST_CASE("Spy: PNG files", "[spy]") {
    namespace fs = std::filesystem;
    const rgb_image image = draw_spy(load_matrix("arrow:30"), {.title = "arrow", .longest_side = 100});
    const fs::path file =
        fs::temp_directory_path() / ("heron-spy-" + std::to_string(std::random_device{}()) + ".png");
    write_png(file, image);
    std::string start(8, ' ');
    std::ifstream(file, std::ios::binary).read(start.data(), 8);
    CHECK(start == "\x89PNG\r\n\x1a\n");
    fs::remove(file);
    CHECK_THROWS_AS(write_png(file / "none" / "a.png", image), std::runtime_error);
}
