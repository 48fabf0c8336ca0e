#include "catch.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "matrix/generators.hpp"
#include "matrix/matrix_market.hpp"

namespace {

using heron::tools::csr_matrix;
using heron::tools::load_matrix;
using heron::tools::matrix_name;
using heron::tools::matrix_spec_error;
using indices = std::vector<std::int64_t>;
using reals = std::vector<double>;

bool well_formed(const csr_matrix& m) {
    if (m.offsets.size() != static_cast<std::size_t>(m.rows) + 1 || m.offsets.front() != 0) return false;
    if (m.offsets.back() != m.nnz() || m.real.size() != m.columns.size() || !m.imag.empty()) return false;
    for (std::size_t row = 0; row + 1 < m.offsets.size(); ++row) {
        if (m.offsets[row] > m.offsets[row + 1]) return false;
        for (std::int64_t k = m.offsets[row]; k < m.offsets[row + 1]; ++k) {
            const std::int64_t column = m.columns[static_cast<std::size_t>(k)];
            if (column < 0 || column >= m.cols) return false;
            if (k > m.offsets[row] && m.columns[static_cast<std::size_t>(k) - 1] >= column) return false;
        }
    }
    return true;
}

double entry(const csr_matrix& m, std::int64_t row, std::int64_t col) {
    const auto first = m.columns.begin() + m.offsets[static_cast<std::size_t>(row)];
    const auto last = m.columns.begin() + m.offsets[static_cast<std::size_t>(row) + 1];
    const auto found = std::lower_bound(first, last, col);
    return found != last && *found == col ? m.real[static_cast<std::size_t>(found - m.columns.begin())] : 0;
}

bool symmetric(const csr_matrix& m) {
    for (std::int64_t row = 0; row < m.rows; ++row) {
        for (std::int64_t k = m.offsets[static_cast<std::size_t>(row)];
             k < m.offsets[static_cast<std::size_t>(row) + 1]; ++k) {
            const auto place = static_cast<std::size_t>(k);
            if (entry(m, m.columns[place], row) != m.real[place]) return false;
        }
    }
    return true;
}

bool values_in_unit_range(const csr_matrix& m) {
    return std::all_of(m.real.begin(), m.real.end(), [](double v) { return v >= -1 && v <= 1; });
}

std::int64_t row_length(const csr_matrix& m, std::int64_t row) {
    return m.offsets[static_cast<std::size_t>(row) + 1] - m.offsets[static_cast<std::size_t>(row)];
}

csr_matrix checked(const std::string& spec, std::int64_t rows, std::int64_t cols, std::int64_t nnz) {
    const csr_matrix m = load_matrix(spec);
    CAPTURE(spec);
    CHECK(m.rows == rows);
    CHECK(m.cols == cols);
    CHECK(m.nnz() == nnz);
    CHECK(well_formed(m));
    return m;
}

std::string error_of(const std::string& spec) {
    try {
        load_matrix(spec);
    } catch (const matrix_spec_error& error) {
        return error.what();
    }
    return "";
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("Generators: stencils", "[generators]") {
    for (const std::int64_t n : {1, 2, 3, 7}) {
        const std::string size = std::to_string(n);
        const std::int64_t points2d = n * n;
        const std::int64_t points3d = n * n * n;
        const std::int64_t line27 = 3 * n - 2;
        CHECK(symmetric(checked("poisson2d:" + size, points2d, points2d, 5 * points2d - 4 * n)));
        CHECK(symmetric(checked("poisson3d:" + size, points3d, points3d, 7 * points3d - 6 * points2d)));
        CHECK(symmetric(checked("poisson3d27:" + size, points3d, points3d, line27 * line27 * line27)));
    }
    const csr_matrix plane = load_matrix("poisson2d:3");
    CHECK(entry(plane, 4, 4) == 4);
    CHECK(entry(plane, 4, 1) == -1);
    CHECK(entry(plane, 4, 3) == -1);
    CHECK(entry(plane, 2, 3) == 0);
    const csr_matrix space = load_matrix("poisson3d:3");
    CHECK(entry(space, 13, 13) == 6);
    CHECK(entry(space, 13, 4) == -1);
    CHECK(entry(space, 13, 22) == -1);
    CHECK(row_length(space, 13) == 7);
    const csr_matrix dense_stencil = load_matrix("poisson3d27:3");
    CHECK(entry(dense_stencil, 13, 13) == 26);
    CHECK(entry(dense_stencil, 13, 0) == -1);
    CHECK(row_length(dense_stencil, 13) == 27);
    CHECK(row_length(dense_stencil, 0) == 8);
}

TEST_CASE("Generators: sizes that a formula gives", "[generators]") {
    checked("banded:10,0", 10, 10, 10);
    const csr_matrix band = checked("banded:10,3", 10, 10, 10 * 7 - 3 * 4);
    CHECK(entry(band, 0, 4) == 0);
    CHECK(entry(band, 0, 3) != 0);
    checked("banded:10,9", 10, 10, 100);
    const csr_matrix even = checked("uniform:100,7", 100, 100, 700);
    for (std::int64_t row = 0; row < 100; ++row) CHECK(row_length(even, row) == 7);
    checked("uniform:10,10", 10, 10, 100);
    checked("uniform:10,0", 10, 10, 0);
    checked("diag:9", 9, 9, 9);
    const csr_matrix arrow = checked("arrow:9", 9, 9, 3 * 9 - 2);
    CHECK(entry(arrow, 8, 0) != 0);
    CHECK(entry(arrow, 0, 8) != 0);
    CHECK(entry(arrow, 8, 7) == 0);
    checked("arrow:1", 1, 1, 1);
    checked("dense:3,5", 3, 5, 15);
    checked("dense:3,0", 3, 0, 0);
    const csr_matrix blocks = checked("blocks:12,2,3", 12, 12, 72);
    for (std::int64_t k = 0; k < blocks.nnz(); ++k)
        CHECK(blocks.columns[static_cast<std::size_t>(k)] % 3 == k % 3);
    checked("hypersparse:1000,20", 1000, 1000, 20);
    checked("hypersparse:2,2", 2, 2, 2);
}

TEST_CASE("Generators: long rows", "[generators]") {
    const csr_matrix m = checked("longrows:160,4", 160, 160, 4 * 150 + 156 * 5);
    int long_rows = 0;
    for (std::int64_t row = 0; row < 160; ++row) long_rows += row_length(m, row) == 150 ? 1 : 0;
    CHECK(long_rows == 4);
    CHECK(row_length(m, 20) == 150);
    checked("longrows:3,0", 3, 3, 9);
    checked("longrows:16,16", 16, 16, 16 * 15);
}

TEST_CASE("Generators: R-MAT", "[generators]") {
    const csr_matrix m = load_matrix("rmat:10");
    CHECK(m.rows == 1024);
    CHECK(m.cols == 1024);
    CHECK(well_formed(m));
    CHECK(m.nnz() < 16 * 1024);
    CHECK(m.nnz() > 8 * 1024);
    // 76 % of the edges start in the first half of the vertices.
    const std::int64_t upper_half = m.offsets[512];
    CHECK(upper_half > m.nnz() * 65 / 100);
    CHECK(load_matrix("rmat:10,1").nnz() <= 1024);
}

TEST_CASE("Generators: the same on every run and platform", "[generators]") {
    heron::tools::splitmix64 random(1234567);
    CHECK(random.next() == 6457827717110365317u);
    CHECK(random.next() == 3203168211198807973u);

    for (const char* spec : {"banded:50,3", "uniform:50,5", "rmat:8", "longrows:50,2", "hypersparse:100,9",
                             "diag:5", "arrow:5", "dense:4,5", "blocks:8,2,2"}) {
        CAPTURE(spec);
        const csr_matrix a = load_matrix(spec, 7);
        const csr_matrix b = load_matrix(spec, 7);
        CHECK(a.columns == b.columns);
        CHECK(a.real == b.real);
        CHECK(load_matrix(spec, 8).real != a.real);
        CHECK(well_formed(a));
        CHECK((values_in_unit_range(a) || std::string(spec) == "rmat:8"));
    }
    CHECK(load_matrix("uniform:6,2", 1).columns == indices{0, 1, 1, 2, 0, 4, 4, 5, 0, 5, 0, 1});
    CHECK(load_matrix("diag:3", 1).real ==
          reals{0x1.10a2dec890258p-3, 0x1.f75c6d0b2c774p-2, 0x1.e24e8bbbecc94p-1});
}

TEST_CASE("Generators: a bad spec is explained", "[generators]") {
    for (const char* spec : {"",
                             "nothing",
                             "poisson4d:10",
                             ":",
                             "poisson2d",
                             "poisson2d:",
                             "poisson2d:x",
                             "poisson2d:3,",
                             "poisson2d:3,4",
                             "poisson2d:0",
                             "poisson2d:-3",
                             "banded:10",
                             "banded:10,10",
                             "uniform:5,6",
                             "rmat:33",
                             "hypersparse:3,4",
                             "longrows:3,4",
                             "blocks:10,1,3",
                             "blocks:9,4,3",
                             "dense:1000000000,1000000000",
                             "poisson3d:99999999",
                             "uniform:9999999999999,0",
                             "diag:99999999999999999999",
                             "diag:1e6"}) {
        CAPTURE(spec);
        const std::string error = error_of(spec);
        CHECK(contains(error, std::string("'") + spec + "'"));
        CHECK(contains(error, "poisson3d27:N"));
        CHECK(contains(error, "rmat:SCALE[,EDGEFACTOR]"));
        CHECK_FALSE(contains(error, "\n"));
    }
    CHECK(contains(error_of("banded:10"), "it takes N,W, not 10"));
    CHECK(contains(error_of("uniform:5,6"), "D = 6 exceeds N = 5"));
    CHECK(contains(error_of("diag:1e6"), "'1e6' is not a list of whole numbers"));
    CHECK_THROWS_AS(load_matrix("missing.mtx"), heron::tools::matrix_market_error);
}

TEST_CASE("Generators: names", "[generators]") {
    CHECK(matrix_name("some/folder/wing.mtx.gz") == "wing");
    CHECK(matrix_name("wing.mtx") == "wing");
    CHECK(matrix_name("rmat:10,8") == "rmat:10,8");
    CHECK(contains(heron::tools::matrix_families(), "  banded:N,W "));
}

TEST_CASE("rectangle and gaps put so many entries into rows") {
    const csr_matrix wide = checked("rectangle:20,300,7", 20, 300, 140);
    const csr_matrix gaps = checked("gaps:100,3,4", 100, 100, 75);
    for (std::int64_t row = 0; row < 20; ++row) CHECK(row_length(wide, row) == 7);
    for (std::int64_t row = 0; row < 100; ++row) CHECK(row_length(gaps, row) == (row % 4 == 0 ? 3 : 0));
}

TEST_CASE("a matrix transposed, shuffled and made of blocks has the same entries elsewhere") {
    const csr_matrix m = load_matrix("rectangle:12,40,5");
    const csr_matrix turned = checked("rectangle:12,40,5@transposed", 40, 12, 60);
    for (std::int64_t row = 0; row < 12; ++row)
        for (std::int64_t col = 0; col < 40; ++col) CHECK(entry(turned, col, row) == entry(m, row, col));

    const csr_matrix mixed = checked("poisson2d:6@shuffled", 36, 36, load_matrix("poisson2d:6").nnz());
    CHECK(symmetric(mixed));
    CHECK(mixed.columns != load_matrix("poisson2d:6").columns);
    for (std::int64_t row = 0; row < 36; ++row) CHECK(entry(mixed, row, row) == 4);

    const csr_matrix blocks = checked("poisson2d:4@dof3", 48, 48, 9 * load_matrix("poisson2d:4").nnz());
    CHECK(entry(blocks, 0, 0) == 4);
    CHECK(entry(blocks, 0, 1) != 0);
    CHECK(entry(blocks, 0, 3) == -1);
    CHECK(entry(blocks, 0, 6) == 0);

    for (const char* wrong : {"diag:5@", "diag:5@turned", "diag:5@dof", "diag:5@dof0", "diag:5@dof100000000",
                              "nothing:5@transposed"}) {
        CAPTURE(wrong);
        CHECK_THROWS_AS(load_matrix(wrong), matrix_spec_error);
    }
    CHECK(matrix_name("/a/b.mtx.gz@transposed") == "b@transposed");
}
