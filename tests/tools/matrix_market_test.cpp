#include "catch.hpp"

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "matrix/matrix_market.hpp"
#include "matrix/sparse_matrix.hpp"

namespace {

namespace fs = std::filesystem;
using heron::tools::coo_matrix;
using heron::tools::csr_matrix;
using heron::tools::matrix_market_error;
using heron::tools::matrix_symmetry;
using heron::tools::read_matrix_market;
using heron::tools::to_csr;
using heron::tools::write_matrix_market;
using indices = std::vector<std::int64_t>;
using reals = std::vector<double>;

// A folder of its own that goes away with the object.
class scratch_folder {
  public:
    scratch_folder()
        : path_(fs::temp_directory_path() / ("heron-test-" + std::to_string(std::random_device{}()))) {
        fs::create_directory(path_);
    }
    ~scratch_folder() { fs::remove_all(path_); }
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;

    fs::path file(const std::string& name) const { return path_ / name; }

    fs::path write(const std::string& name, std::string_view text) const {
        std::ofstream(file(name), std::ios::binary) << text;
        return file(name);
    }

  private:
    fs::path path_;
};

constexpr std::string_view small_file = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1.25\n";

// small_file as the program gzip packs it.
const std::string small_file_packed(
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x53\x55\xf5\x4d\x2c\x29\xca\xac\xf0\x4d\x2c\xca\x4e\x2d"
    "\x51\xc8\x05\x73\x14\x92\xf3\xf3\x8b\x52\x32\xf3\x12\x4b\x52\x15\x8a\x52\x13\x73\x14\xd2\x53\xf3"
    "\x52\x8b\x12\x73\xb8\x0c\x15\x80\x10\x42\xea\x19\x99\x72\x01\x00\x6a\xd3\xd7\x65\x3d\x00\x00\x00",
    72);

std::string content(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

coo_matrix parse(std::string_view text) {
    const scratch_folder folder;
    return read_matrix_market(folder.write("m.mtx", text));
}

// "LINE: reason" of the error that the text causes, or nothing.
std::string error_of(std::string_view text) {
    const scratch_folder folder;
    const fs::path file = folder.write("m.mtx", text);
    try {
        read_matrix_market(file);
    } catch (const matrix_market_error& error) {
        const std::string what = error.what();
        const std::string prefix = file.string() + ":";
        REQUIRE(what.substr(0, prefix.size()) == prefix);
        const std::string rest = what.substr(prefix.size());
        CHECK(rest.substr(0, rest.find(':')) == std::to_string(error.line()));
        return rest;
    }
    return "";
}

bool same_bits(const reals& a, const reals& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t k = 0; k < a.size(); ++k) {
        const bool both_nan = std::isnan(a[k]) && std::isnan(b[k]);
        if (!both_nan && (a[k] != b[k] || std::signbit(a[k]) != std::signbit(b[k]))) return false;
    }
    return true;
}

void check_same(const csr_matrix& a, const csr_matrix& b) {
    CHECK(a.rows == b.rows);
    CHECK(a.cols == b.cols);
    CHECK(a.is_complex == b.is_complex);
    CHECK(a.offsets == b.offsets);
    CHECK(a.columns == b.columns);
    CHECK(same_bits(a.real, b.real));
    CHECK(same_bits(a.imag, b.imag));
}

// Every kind of double that text may spoil.
csr_matrix awkward_matrix(bool is_complex) {
    using limits = std::numeric_limits<double>;
    coo_matrix m;
    m.rows = 3;
    m.cols = 5;
    m.is_complex = is_complex;
    m.row = {0, 0, 0, 2, 2, 2, 2, 2};
    m.col = {0, 3, 4, 0, 1, 2, 3, 4};
    m.real = {0.1, -1.0 / 3, 5e-324, limits::max(), limits::lowest(), -0.0, limits::infinity(), 123456789};
    if (is_complex)
        m.imag = {limits::epsilon(), 1e300, limits::min(), 0, -0.0, 2.0 / 3, limits::quiet_NaN(), -1};
    return to_csr(m);
}

}  // namespace

TEST_CASE("Matrix Market: coordinate files of every field", "[matrix_market]") {
    SECTION("real") {
        const coo_matrix m = parse(
            "%%MatrixMarket matrix coordinate real general\n"
            "% a comment\n"
            "3 4 5\n"
            "1 1 1.5\n3 4 -2e-3\n2 1 +7\n1 4 .25\n3 1 1.\n");
        CHECK(m.rows == 3);
        CHECK(m.cols == 4);
        CHECK_FALSE(m.is_complex);
        CHECK(m.row == indices{0, 2, 1, 0, 2});
        CHECK(m.col == indices{0, 3, 0, 3, 0});
        CHECK(m.real == reals{1.5, -2e-3, 7, 0.25, 1});
        CHECK(m.imag.empty());
    }
    SECTION("double is another name of real") {
        CHECK(parse("%%MatrixMarket matrix coordinate double general\n1 1 1\n1 1 2.5\n").real == reals{2.5});
    }
    SECTION("complex") {
        const coo_matrix m =
            parse("%%MatrixMarket matrix coordinate complex general\n2 2 2\n1 2 1 -2\n2 2 0.5 0\n");
        CHECK(m.is_complex);
        CHECK(m.real == reals{1, 0.5});
        CHECK(m.imag == reals{-2, 0});
    }
    SECTION("integer") {
        const coo_matrix m =
            parse("%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 -3\n2 2 +4\n");
        CHECK(m.real == reals{-3, 4});
        CHECK_FALSE(m.is_complex);
    }
    SECTION("pattern") {
        const coo_matrix m = parse("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 2\n");
        CHECK(m.real == reals{1, 1});
    }
}

TEST_CASE("Matrix Market: symmetric files are expanded", "[matrix_market]") {
    SECTION("symmetric") {
        const coo_matrix m =
            parse("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 4\n2 1 -1\n3 2 5\n");
        CHECK(m.row == indices{0, 1, 0, 2, 1});
        CHECK(m.col == indices{0, 0, 1, 1, 2});
        CHECK(m.real == reals{4, -1, -1, 5, 5});
    }
    SECTION("symmetric, upper triangle stored") {
        const coo_matrix m = parse("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n1 2\n2 3\n");
        CHECK(m.row == indices{0, 1, 1, 2});
        CHECK(m.col == indices{1, 0, 2, 1});
    }
    SECTION("complex symmetric is not conjugated") {
        const coo_matrix m =
            parse("%%MatrixMarket matrix coordinate complex symmetric\n2 2 2\n1 1 1 9\n2 1 2 3\n");
        CHECK(m.real == reals{1, 2, 2});
        CHECK(m.imag == reals{9, 3, 3});
    }
    SECTION("skew-symmetric") {
        const coo_matrix m = parse("%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 6\n");
        CHECK(m.row == indices{1, 0});
        CHECK(m.real == reals{6, -6});
    }
    SECTION("complex skew-symmetric") {
        const coo_matrix m =
            parse("%%MatrixMarket matrix coordinate complex skew-symmetric\n2 2 1\n2 1 6 7\n");
        CHECK(m.real == reals{6, -6});
        CHECK(m.imag == reals{7, -7});
    }
    SECTION("hermitian") {
        const coo_matrix m =
            parse("%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 3 0\n2 1 6 7\n");
        CHECK(m.row == indices{0, 1, 0});
        CHECK(m.real == reals{3, 6, 6});
        CHECK(m.imag == reals{0, 7, -7});
    }
}

TEST_CASE("Matrix Market: array files", "[matrix_market]") {
    SECTION("general runs down the columns and keeps zeros") {
        const coo_matrix m = parse("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n0\n5\n6\n");
        CHECK(m.row == indices{0, 1, 0, 1, 0, 1});
        CHECK(m.col == indices{0, 0, 1, 1, 2, 2});
        CHECK(m.real == reals{1, 2, 3, 0, 5, 6});
    }
    SECTION("complex") {
        const coo_matrix m = parse("%%MatrixMarket matrix array complex general\n1 2\n1 2\n3 4\n");
        CHECK(m.real == reals{1, 3});
        CHECK(m.imag == reals{2, 4});
    }
    SECTION("integer symmetric") {
        const csr_matrix m = to_csr(parse("%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n"));
        CHECK(m.real == reals{1, 2, 2, 3});
    }
    SECTION("skew-symmetric has no diagonal") {
        const csr_matrix m = to_csr(parse("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n"));
        CHECK(m.offsets == indices{0, 2, 4, 6});
        CHECK(m.columns == indices{1, 2, 0, 2, 0, 1});
        CHECK(m.real == reals{-1, -2, 1, -3, 2, 3});
    }
    SECTION("hermitian") {
        const csr_matrix m =
            to_csr(parse("%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 5\n3 0\n"));
        CHECK(m.real == reals{1, 2, 2, 3});
        CHECK(m.imag == reals{0, -5, 5, 0});
    }
}

TEST_CASE("Matrix Market: what the layout may be", "[matrix_market]") {
    SECTION("keywords in any case, CRLF, tabs, blank lines, comments inside, no newline at the end") {
        const coo_matrix m = parse(
            "%%matrixmarket MATRIX Coordinate Real GENERAL \r\n"
            "\r\n% c\r\n%\r\n  2\t2   2 \r\n"
            "\n 1 1  1 \r\n%inside\n\t2\t2\t2");
        CHECK(m.real == reals{1, 2});
    }
    SECTION("blank lines at the end") {
        CHECK(parse("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n\n\n  \n").nnz() == 1);
    }
    SECTION("Fortran exponents, infinities, values that underflow") {
        const coo_matrix m =
            parse("%%MatrixMarket matrix array real general\n6 1\n1.5D+02\n-2d0\ninf\n-Inf\n1e-999\n+4E1\n");
        const double inf = std::numeric_limits<double>::infinity();
        CHECK(m.real == reals{150, -2, inf, -inf, 0, 40});
    }
    SECTION("empty matrices") {
        CHECK(parse("%%MatrixMarket matrix coordinate real general\n0 0 0\n").nnz() == 0);
        const csr_matrix m = to_csr(parse("%%MatrixMarket matrix coordinate real general\n3 0 0\n"));
        CHECK(m.offsets == indices{0, 0, 0, 0});
        CHECK(parse("%%MatrixMarket matrix array real general\n0 7\n").nnz() == 0);
    }
}

TEST_CASE("Matrix Market: every error names its line", "[matrix_market]") {
    struct example {
        const char* text;
        const char* error;
    };
    const std::vector<example> examples{
        {"1 1 1\n1 1 1\n", "1: no Matrix Market file: the first line does not begin with %%MatrixMarket"},
        {"\n%%MatrixMarket matrix coordinate real general\n",
         "1: no Matrix Market file: the first line does not begin with %%MatrixMarket"},
        {"%%MatrixMarket vector coordinate real general\n",
         "1: the object is 'vector', which is not 'matrix'"},
        {"%%MatrixMarket matrix\n", "1: the banner names no format"},
        {"%%MatrixMarket matrix elemental real general\n", "1: unknown format 'elemental'"},
        {"%%MatrixMarket matrix coordinate quaternion general\n", "1: unknown field 'quaternion'"},
        {"%%MatrixMarket matrix coordinate real\n", "1: the banner names no symmetry"},
        {"%%MatrixMarket matrix coordinate real diagonal\n", "1: unknown symmetry 'diagonal'"},
        {"%%MatrixMarket matrix coordinate real general more\n",
         "1: unexpected 'more' at the end of the line"},
        {"%%MatrixMarket matrix array pattern general\n", "1: an array file cannot have the field 'pattern'"},
        {"%%MatrixMarket matrix coordinate pattern skew-symmetric\n",
         "1: a pattern cannot be skew-symmetric"},
        {"%%MatrixMarket matrix coordinate real hermitian\n", "1: only a complex matrix can be hermitian"},
        {"%%MatrixMarket matrix coordinate real general\n% c\n", "2: the file ends before the size line"},
        {"%%MatrixMarket matrix coordinate real general\n2 x 1\n",
         "2: the number of columns is 'x', which is not a whole number"},
        {"%%MatrixMarket matrix coordinate real general\n2 2\n1 1 1\n",
         "2: the line ends where the number of entries should be"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1 4\n",
         "2: unexpected '4' at the end of the line"},
        {"%%MatrixMarket matrix coordinate real general\n-2 2 1\n",
         "2: the number of rows is -2, which is negative"},
        {"%%MatrixMarket matrix coordinate real general\n99999999999999999999 2 1\n",
         "2: number of rows does not fit 64 bits"},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n",
         "2: a symmetric matrix must be square, not 2 x 3"},
        {"%%MatrixMarket matrix array real general\n9999999999 9999999999\n",
         "2: an array of 9999999999 x 9999999999 is too large"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n\n",
         "4: the file ends after 1 of the 2 entries that the size line announces"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 9000000000000000000\n1 1 1\n",
         "3: the file ends after 1 of the 9000000000000000000 entries that the size line announces"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1\n%\n2 2 2\n",
         "5: more entries than the 1 that the size line announces"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n0 1 1\n",
         "3: the row index is 0, which is not in 1..2"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 1\n",
         "3: the column index is 3, which is not in 1..2"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 -1 1\n",
         "3: the column index is -1, which is not in 1..2"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1.5 1 1\n",
         "3: the row index is '1.5', which is not a whole number"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 1,5\n",
         "3: the value is '1,5', which is not a number"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 seven\n",
         "3: the value is 'seven', which is not a number"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 +-1\n",
         "3: the value is '+-1', which is not a number"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2\n",
         "3: the line ends where the value should be"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 1e999\n",
         "3: the value is '1e999', which is too large"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 3 4\n",
         "3: unexpected '4' at the end of the line"},
        {"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2 3\n",
         "3: unexpected '3' at the end of the line"},
        {"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 3.5\n",
         "3: the value is '3.5', which is not a whole number"},
        {"%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 2 3\n",
         "3: the line ends where the imaginary part should be"},
        {"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 2 0\n",
         "3: a skew-symmetric matrix has no entry on the diagonal"},
        {"%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 2 1 1\n",
         "3: the diagonal of a hermitian matrix must be real"},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 1 1\n1 2 1\n",
         "4: the entry (1, 2) lies above the diagonal and earlier ones below it: a symmetric file stores one "
         "triangle"},
        {"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n",
         "5: the file ends after 3 of the 4 entries that an array of this size has"},
        {"%%MatrixMarket matrix array real general\n1 1\n1 2\n", "3: unexpected '2' at the end of the line"},
        {"%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n4\n",
         "6: more entries than the 3 that the lower triangle of this size has"},
        {"%%MatrixMarket matrix array real skew-symmetric\n2 2\n0\n2\n0\n",
         "4: more entries than the 1 that a skew-symmetric array of this size has (below the diagonal only)"},
        {"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 "
         "abcdefghijabcdefghijabcdefghijabcdefghij\x01klm\n",
         "3: the value is 'abcdefghijabcdefghijabcdefghijabcdefghij...', which is not a number"},
    };
    for (const example& e : examples) {
        INFO(e.text);
        CHECK(error_of(e.text) == e.error);
    }
}

TEST_CASE("Matrix Market: files that cannot be read at all", "[matrix_market]") {
    const scratch_folder folder;
    const auto message = [](const fs::path& file) -> std::string {
        try {
            read_matrix_market(file);
        } catch (const matrix_market_error& error) {
            CHECK(error.line() == 0);
            return error.what();
        }
        return "";
    };
    const auto says = [&](const fs::path& file, const std::string& reason) {
        const std::string what = message(file);
        INFO(what);
        return what.find(file.string() + ": " + reason) == 0;
    };
    CHECK(says(folder.file("missing.mtx"), "cannot open: No such file or directory"));
    CHECK(says(folder.file("."), "cannot open: it is a directory"));
    CHECK(says(folder.write("empty.mtx", ""), "the file is empty"));

    CHECK(says(folder.write("cut.mtx.gz", small_file_packed.substr(0, small_file_packed.size() - 12)),
               "cannot read: "));
    std::string broken = small_file_packed;
    broken[broken.size() - 6] = static_cast<char>(~broken[broken.size() - 6]);
    CHECK(says(folder.write("broken.mtx.gz", broken), "cannot read: "));
}

TEST_CASE("Matrix Market: gzip", "[matrix_market]") {
    const scratch_folder folder;
    CHECK(read_matrix_market(folder.write("a.mtx.gz", small_file_packed)).real == reals{1.25});
    SECTION("the content decides, not the name") {
        CHECK(read_matrix_market(folder.write("plain.mtx.gz", small_file)).real == reals{1.25});
        CHECK(read_matrix_market(folder.write("packed.mtx", small_file_packed)).real == reals{1.25});
    }
    SECTION("the writer packs by the name") {
        const csr_matrix m = awkward_matrix(false);
        write_matrix_market(folder.file("out.mtx.gz"), m);
        write_matrix_market(folder.file("out.mtx"), m);
        CHECK(content(folder.file("out.mtx.gz")).substr(0, 2) == "\x1f\x8b");
        CHECK(content(folder.file("out.mtx")).substr(0, 14) == "%%MatrixMarket");
    }
}

TEST_CASE("Matrix Market: what is written reads back bit for bit", "[matrix_market]") {
    const scratch_folder folder;
    for (const char* name : {"m.mtx", "m.mtx.gz"}) {
        for (const bool is_complex : {false, true}) {
            CAPTURE(name, is_complex);
            const csr_matrix m = awkward_matrix(is_complex);
            write_matrix_market(folder.file(name), m);
            check_same(to_csr(read_matrix_market(folder.file(name))), m);
        }
    }
}

TEST_CASE("Matrix Market: writing one triangle", "[matrix_market]") {
    const scratch_folder folder;
    const fs::path file = folder.file("m.mtx");
    const csr_matrix symmetric =
        to_csr(parse("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 4\n3 1 .1\n3 2 5\n"));
    const csr_matrix skew = to_csr(parse("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n"));
    const csr_matrix hermitian =
        to_csr(parse("%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 5\n3 0\n"));
    const csr_matrix complex_skew =
        to_csr(parse("%%MatrixMarket matrix coordinate complex skew-symmetric\n2 2 1\n2 1 6 7\n"));

    SECTION("round trip") {
        write_matrix_market(file, symmetric, matrix_symmetry::symmetric);
        CHECK(content(file) ==
              "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 4\n3 1 0.1\n3 2 5\n");
        check_same(to_csr(read_matrix_market(file)), symmetric);
        write_matrix_market(file, skew, matrix_symmetry::skew_symmetric);
        check_same(to_csr(read_matrix_market(file)), skew);
        write_matrix_market(file, hermitian, matrix_symmetry::hermitian);
        check_same(to_csr(read_matrix_market(file)), hermitian);
        write_matrix_market(file, complex_skew, matrix_symmetry::skew_symmetric);
        check_same(to_csr(read_matrix_market(file)), complex_skew);
    }
    SECTION("refused without the symmetry, and nothing is written") {
        const auto refused = [&](const csr_matrix& m, matrix_symmetry symmetry) {
            CHECK_THROWS_AS(write_matrix_market(file, m, symmetry), std::invalid_argument);
        };
        refused(skew, matrix_symmetry::symmetric);
        refused(symmetric, matrix_symmetry::skew_symmetric);
        refused(symmetric, matrix_symmetry::hermitian);
        refused(hermitian, matrix_symmetry::symmetric);
        refused(awkward_matrix(false), matrix_symmetry::symmetric);
        refused(to_csr(parse("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 1\n")),
                matrix_symmetry::symmetric);
        CHECK_FALSE(fs::exists(file));
    }
    SECTION("a folder that is not there") {
        CHECK_THROWS_AS(write_matrix_market(folder.file("none/m.mtx"), symmetric), matrix_market_error);
    }
}

TEST_CASE("CSR: sorted, duplicates summed in order", "[sparse_matrix]") {
    const csr_matrix m =
        to_csr(parse("%%MatrixMarket matrix coordinate complex general\n3 3 7\n3 2 1 1\n1 3 2 2\n3 1 3 3\n1 "
                     "3 5 -1\n1 1 4 4\n"
                     "3 2 -1 -1\n1 3 1 0\n"));
    CHECK(m.offsets == indices{0, 2, 2, 4});
    CHECK(m.columns == indices{0, 2, 0, 1});
    CHECK(m.real == reals{4, 8, 3, 0});
    CHECK(m.imag == reals{4, 1, 3, 0});

    CHECK(m.offsets_as<std::int32_t>(1) == std::vector<std::int32_t>{1, 3, 3, 5});
    CHECK(m.columns_as<std::int32_t>(1) == std::vector<std::int32_t>{1, 3, 1, 2});
    CHECK(m.values_as<float>() == std::vector<float>{4, 8, 3, 0});
    using c32 = std::complex<float>;
    CHECK(m.values_as<c32>() == std::vector<c32>{{4, 4}, {8, 1}, {3, 3}, {0, 0}});

    const heron::tools::row_lengths lengths = heron::tools::measure_rows(m);
    CHECK(lengths.min == 0);
    CHECK(lengths.max == 2);
    CHECK(lengths.mean == 4.0 / 3);
}

TEST_CASE("CSR: indices that do not fit are refused", "[sparse_matrix]") {
    csr_matrix m;
    m.cols = 128;
    CHECK_NOTHROW(m.columns_as<std::int8_t>());
    CHECK_THROWS_AS(m.columns_as<std::int8_t>(1), std::overflow_error);
}

TEST_CASE("Matrix Market: real matrices", "[matrix_market]") {
    const char* folder = std::getenv("HERON_TEST_DATA");
    if (folder == nullptr) {
        WARN("skipped: HERON_TEST_DATA names no folder with matrices");
        return;
    }
    struct known_matrix {
        const char* name;
        std::int64_t rows;
        std::int64_t cols;
        std::int64_t nnz;
    };
    const std::vector<known_matrix> known{
        {"bcsstk16", 4884, 4884, 290378}, {"lp_pilot87", 2031, 4883, 73804}, {"rajat01", 6833, 6833, 43250},
        {"wing", 62032, 62032, 243088},   {"cryg2500", 2500, 2500, 12349},
    };
    int found = 0;
    for (const known_matrix& k : known) {
        const fs::path file = fs::path(folder) / (std::string(k.name) + ".mtx.gz");
        if (!fs::exists(file)) continue;
        ++found;
        CAPTURE(k.name);
        const csr_matrix m = to_csr(read_matrix_market(file));
        CHECK(m.rows == k.rows);
        CHECK(m.cols == k.cols);
        CHECK(m.nnz() == k.nnz);
        const scratch_folder scratch;
        write_matrix_market(scratch.file("m.mtx"), m);
        check_same(to_csr(read_matrix_market(scratch.file("m.mtx"))), m);
    }
    if (found == 0) WARN("skipped: none of the known matrices is in " << folder);
}
