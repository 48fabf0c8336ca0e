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
using heron::tools::drawing;
using heron::tools::load_matrix;
using heron::tools::measure_density;
using heron::tools::pixels_of;
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
        const rgb_image image =
            pixels_of(draw_spy(load_matrix("diag:10"), {.title = "diag", .longest_side = 400}));
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
                const rgb_image image =
                    pixels_of(draw_spy(load_matrix(spec), {.title = "t", .longest_side = side}));
                CHECK(image.pixels.size() == static_cast<std::size_t>(image.width * image.height));
            }
        }
    }
    SECTION("a title of any length and alphabet") {
        CHECK(draw_spy(load_matrix("diag:1"), {.title = std::string(100, 'W'), .longest_side = 16}).width >=
              800);
        for (const char* title : {"\xc3\xa4\x01\xff", "\xed\xa0\x80", "\xf0\x80\x80\x80", "\xe2\x82"})
            CHECK_NOTHROW(draw_spy(load_matrix("diag:1"), {.title = title, .longest_side = 16}));
        CHECK_NOTHROW(draw_spy(load_matrix("diag:1"), {.title = "", .longest_side = 16}));
    }
}

TEST_CASE("Spy: the title is lettered", "[spy]") {
    const auto inked = [](const char* title) {
        const rgb_image image =
            pixels_of(draw_spy(load_matrix("diag:10"), {.title = title, .longest_side = 400}));
        std::int64_t count = 0;
        for (std::int64_t y = 20; y < 20 + 24; ++y)
            for (std::int64_t x = 0; x < image.width; ++x) count += image.at(x, y) != rgb{255, 255, 255};
        return count;
    };
    CHECK(inked("") == 0);
    CHECK(inked("iii") > 0);
    CHECK(inked("mmm") > inked("iii"));
}

TEST_CASE("Spy: files", "[spy]") {
    namespace fs = std::filesystem;
    const drawing picture = draw_spy(load_matrix("arrow:30"), {.title = "arrow", .longest_side = 100});
    const auto start_of = [&](const char* ending, std::size_t length) {
        const fs::path file =
            fs::temp_directory_path() / ("heron-spy-" + std::to_string(std::random_device{}()) + ending);
        write_picture(file.string(), picture);
        std::string start(length, ' ');
        std::ifstream(file, std::ios::binary).read(start.data(), static_cast<std::streamsize>(length));
        fs::remove(file);
        return start;
    };
    CHECK(start_of(".png", 8) == "\x89PNG\r\n\x1a\n");
    CHECK(start_of(".svg", 5) == "<?xml");
    CHECK_THROWS_AS(write_picture("/nowhere/a.png", picture), std::runtime_error);
    CHECK_THROWS_AS(write_picture("/nowhere/a.svg", picture), std::runtime_error);
    CHECK_THROWS_AS(write_picture("picture.jpg", picture), std::runtime_error);
}
