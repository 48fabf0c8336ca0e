#include "matrix_market.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

namespace heron::tools {
namespace {

enum class matrix_format { coordinate, array };
enum class matrix_field { real, complex, integer, pattern };

struct header {
    matrix_format format;
    matrix_field field;
    matrix_symmetry symmetry;
};

constexpr std::size_t transfer_size = std::size_t{1} << 20;

struct gzip_closer {
    void operator()(gzFile file) const { gzclose(file); }
};
using gzip_file = std::unique_ptr<gzFile_s, gzip_closer>;

gzip_file open_gzip(const std::filesystem::path& file, const char* mode) {
    errno = 0;
    gzip_file result(gzopen(file.c_str(), mode));
    if (!result) {
        const char* reason = errno != 0 ? std::strerror(errno) : "out of memory";
        throw matrix_market_error(file.string(), 0, fmt::format("cannot open: {}", reason));
    }
    return result;
}

std::string gzip_reason(gzFile file) {
    int code = Z_OK;
    const char* reason = gzerror(file, &code);
    return code == Z_ERRNO ? std::strerror(errno) : reason;
}

std::string read_text(const std::filesystem::path& file) {
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored)) {
        throw matrix_market_error(file.string(), 0, "cannot open: it is a directory");
    }
    const gzip_file input = open_gzip(file, "rb");
    gzbuffer(input.get(), transfer_size);
    std::string text;
    for (std::size_t used = 0;;) {
        if (text.size() - used < transfer_size) text.resize(std::max(2 * text.size(), used + transfer_size));
        const auto room = static_cast<unsigned>(std::min(text.size() - used, std::size_t{1} << 30));
        const int count = gzread(input.get(), text.data() + used, room);
        int code = Z_OK;
        if (count <= 0) gzerror(input.get(), &code);
        if (count < 0 || code != Z_OK) {
            throw matrix_market_error(file.string(), 0,
                                      fmt::format("cannot read: {}", gzip_reason(input.get())));
        }
        used += static_cast<std::size_t>(count);
        if (count == 0) {
            text.resize(used);
            return text;
        }
    }
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

std::string lower_case(std::string_view word) {
    std::string result(word);
    for (char& c : result) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return result;
}

// A word of the file as an error message may show it: short and printable.
std::string quoted(std::string_view word) {
    constexpr std::size_t longest = 40;
    std::string result(word.substr(0, longest));
    std::replace_if(
        result.begin(), result.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return word.size() > longest ? fmt::format("'{}...'", result) : fmt::format("'{}'", result);
}

// Walks through the text line by line and reads the words of the current line.
class line_scanner {
  public:
    line_scanner(std::string file, std::string_view text)
        : file_(std::move(file)), next_(text.data()), end_(text.data() + text.size()) {}

    template <class... Args>
    [[noreturn]] void fail(fmt::format_string<Args...> reason, Args&&... args) const {
        throw matrix_market_error(file_, line_, fmt::format(reason, std::forward<Args>(args)...));
    }

    std::size_t bytes_left() const { return static_cast<std::size_t>(end_ - next_); }

    bool next_line() {
        if (next_ == end_) return false;
        ++line_;
        at_ = next_;
        const void* newline = std::memchr(next_, '\n', bytes_left());
        line_end_ = newline != nullptr ? static_cast<const char*>(newline) : end_;
        next_ = newline != nullptr ? line_end_ + 1 : end_;
        return true;
    }

    // Moves to the next line that is neither blank nor a comment.
    bool next_data_line() {
        while (next_line()) {
            skip_blanks();
            if (at_ != line_end_ && *at_ != '%') return true;
        }
        return false;
    }

    std::string_view word() {
        skip_blanks();
        const char* first = at_;
        at_ = std::find_if(at_, line_end_, is_blank);
        return {first, static_cast<std::size_t>(at_ - first)};
    }

    std::int64_t whole_number(const char* what) {
        const auto [value, code] = number<std::int64_t>(what);
        if (code == std::errc::result_out_of_range) fail("{} does not fit 64 bits", what);
        return value;
    }

    double real_number(const char* what) {
        const char* start = skip_blanks();
        const auto [value, code] = number<double>(nullptr);
        return code == std::errc{} ? value : unusual_real_number(start, what);
    }

    void end_of_line() {
        if (skip_blanks() != line_end_) fail("unexpected {} at the end of the line", quoted(word()));
    }

  private:
    const char* skip_blanks() {
        while (at_ != line_end_ && is_blank(*at_)) ++at_;
        return at_;
    }

    // Reads one word as a number. What is no number fails, unless `what` is null: then the code says so.
    template <class T>
    std::pair<T, std::errc> number(const char* what) {
        skip_blanks();
        const char* first = at_;
        if (line_end_ - first > 1 && first[0] == '+' && first[1] != '-') ++first;
        T value{};
        const auto [stop, code] = std::from_chars(first, line_end_, value);
        const bool whole_word = stop == line_end_ || is_blank(*stop);
        if (code == std::errc::invalid_argument || !whole_word) {
            if (what == nullptr) return {value, std::errc::invalid_argument};
            fail_at_number(what, std::is_integral_v<T> ? "a whole number" : "a number");
        }
        at_ = stop;
        return {value, code};
    }

    [[noreturn]] void fail_at_number(const char* what, const char* kind) {
        const std::string_view found = word();
        if (found.empty()) fail("the line ends where the {} should be", what);
        fail("the {} is {}, which is not {}", what, quoted(found), kind);
    }

    // Numbers that std::from_chars declines: with Fortran's exponent letter, or beyond the range of double.
    // The latter are accepted when they are merely too small.
    double unusual_real_number(const char* start, const char* what) {
        at_ = start;
        const std::string_view found = word();
        std::string copy(found);
        std::replace_if(
            copy.begin(), copy.end(), [](char c) { return c == 'd' || c == 'D'; }, 'e');
        const bool numeric = copy.find_first_not_of("+-.0123456789eE") == std::string::npos;
        char* stop = copy.data();
        const double value = numeric ? std::strtod(copy.c_str(), &stop) : 0;
        if (copy.empty() || stop != copy.data() + copy.size()) {
            at_ = start;
            fail_at_number(what, "a number");
        }
        if (std::isinf(value)) fail("the {} is {}, which is too large", what, quoted(found));
        return value;
    }

    std::string file_;
    std::int64_t line_ = 0;
    const char* next_;
    const char* end_;
    const char* at_ = nullptr;
    const char* line_end_ = nullptr;
};

template <class Value, std::size_t N>
Value keyword(line_scanner& scan, const char* what,
              const std::array<std::pair<const char*, Value>, N>& known) {
    const std::string_view found = scan.word();
    if (found.empty()) scan.fail("the banner names no {}", what);
    const std::string name = lower_case(found);
    for (const auto& [text, value] : known) {
        if (name == text) return value;
    }
    scan.fail("unknown {} {}", what, quoted(found));
}

constexpr std::array<std::pair<const char*, matrix_format>, 2> formats{{
    {"coordinate", matrix_format::coordinate},
    {"array", matrix_format::array},
}};
constexpr std::array<std::pair<const char*, matrix_field>, 5> fields{{
    {"real", matrix_field::real},
    {"double", matrix_field::real},
    {"complex", matrix_field::complex},
    {"integer", matrix_field::integer},
    {"pattern", matrix_field::pattern},
}};
constexpr std::array<std::pair<const char*, matrix_symmetry>, 4> symmetries{{
    {"general", matrix_symmetry::general},
    {"symmetric", matrix_symmetry::symmetric},
    {"skew-symmetric", matrix_symmetry::skew_symmetric},
    {"hermitian", matrix_symmetry::hermitian},
}};

const char* symmetry_name(matrix_symmetry symmetry) {
    return symmetries[static_cast<std::size_t>(symmetry)].first;
}

header read_banner(line_scanner& scan) {
    if (!scan.next_line()) scan.fail("the file is empty");
    if (lower_case(scan.word()) != "%%matrixmarket") {
        scan.fail("no Matrix Market file: the first line does not begin with %%MatrixMarket");
    }
    const std::string_view object = scan.word();
    if (lower_case(object) != "matrix") scan.fail("the object is {}, which is not 'matrix'", quoted(object));
    const header result{.format = keyword(scan, "format", formats),
                        .field = keyword(scan, "field", fields),
                        .symmetry = keyword(scan, "symmetry", symmetries)};
    scan.end_of_line();
    if (result.format == matrix_format::array && result.field == matrix_field::pattern) {
        scan.fail("an array file cannot have the field 'pattern'");
    }
    if (result.symmetry == matrix_symmetry::skew_symmetric && result.field == matrix_field::pattern) {
        scan.fail("a pattern cannot be skew-symmetric");
    }
    if (result.symmetry == matrix_symmetry::hermitian && result.field != matrix_field::complex) {
        scan.fail("only a complex matrix can be hermitian");
    }
    return result;
}

std::int64_t size_number(line_scanner& scan, const char* what) {
    const std::int64_t value = scan.whole_number(what);
    if (value < 0) scan.fail("the {} is {}, which is negative", what, value);
    return value;
}

class body_reader {
  public:
    body_reader(line_scanner& scan, const header& banner) : scan_(scan), banner_(banner) {
        result_.is_complex = banner.field == matrix_field::complex;
    }

    coo_matrix read() {
        read_size_line();
        reserve();
        if (banner_.format == matrix_format::coordinate) {
            read_coordinates();
        } else {
            read_array();
        }
        if (scan_.next_data_line()) {
            scan_.fail("more entries than the {} that {}", announced_, announcement());
        }
        return std::move(result_);
    }

  private:
    struct number {
        double real = 1;
        double imag = 0;
    };

    bool general() const { return banner_.symmetry == matrix_symmetry::general; }
    bool skew() const { return banner_.symmetry == matrix_symmetry::skew_symmetric; }

    const char* announcement() const {
        if (banner_.format == matrix_format::coordinate) return "the size line announces";
        if (skew()) return "a skew-symmetric array of this size has (below the diagonal only)";
        return general() ? "an array of this size has" : "the lower triangle of this size has";
    }

    void read_size_line() {
        if (!scan_.next_data_line()) scan_.fail("the file ends before the size line");
        result_.rows = size_number(scan_, "number of rows");
        result_.cols = size_number(scan_, "number of columns");
        if (banner_.format == matrix_format::coordinate) announced_ = size_number(scan_, "number of entries");
        scan_.end_of_line();
        if (!general() && result_.rows != result_.cols) {
            scan_.fail("a {} matrix must be square, not {} x {}", symmetry_name(banner_.symmetry),
                       result_.rows, result_.cols);
        }
        if (banner_.format == matrix_format::array) announced_ = array_entries();
    }

    std::int64_t array_entries() const {
        constexpr std::int64_t largest = std::int64_t{1} << 30;
        const std::int64_t rows = result_.rows;
        const std::int64_t cols = result_.cols;
        if (std::max(rows, cols) > largest) scan_.fail("an array of {} x {} is too large", rows, cols);
        if (general()) return rows * cols;
        return skew() ? rows * (rows - 1) / 2 : rows * (rows + 1) / 2;
    }

    // A false size line must not make the reader ask for memory that the file cannot fill.
    void reserve() {
        const std::size_t bytes_per_entry = banner_.format == matrix_format::coordinate ? 4 : 2;
        std::size_t count =
            std::min(static_cast<std::size_t>(announced_), scan_.bytes_left() / bytes_per_entry + 1);
        if (!general()) count *= 2;
        result_.row.reserve(count);
        result_.col.reserve(count);
        result_.real.reserve(count);
        if (result_.is_complex) result_.imag.reserve(count);
    }

    void next_entry_line(std::int64_t count_so_far) {
        if (scan_.next_data_line()) return;
        scan_.fail("the file ends after {} of the {} entries that {}", count_so_far, announced_,
                   announcement());
    }

    void read_coordinates() {
        for (std::int64_t k = 0; k < announced_; ++k) {
            next_entry_line(k);
            const std::int64_t row = read_index("row index", result_.rows);
            const std::int64_t col = read_index("column index", result_.cols);
            const number value = read_value();
            scan_.end_of_line();
            if (!general()) check_place(row, col);
            add(row, col, value);
        }
    }

    void read_array() {
        std::int64_t count = 0;
        for (std::int64_t col = 0; col < result_.cols; ++col) {
            for (std::int64_t row = general() ? 0 : col + (skew() ? 1 : 0); row < result_.rows; ++row) {
                next_entry_line(count++);
                const number value = read_value();
                scan_.end_of_line();
                add(row, col, value);
            }
        }
    }

    std::int64_t read_index(const char* what, std::int64_t size) {
        const std::int64_t index = scan_.whole_number(what);
        if (index < 1 || index > size) scan_.fail("the {} is {}, which is not in 1..{}", what, index, size);
        return index - 1;
    }

    number read_value() {
        switch (banner_.field) {
            case matrix_field::real: return {scan_.real_number("value"), 0};
            case matrix_field::integer: return {static_cast<double>(scan_.whole_number("value")), 0};
            case matrix_field::complex: {
                const double real = scan_.real_number("real part");
                return {real, scan_.real_number("imaginary part")};
            }
            case matrix_field::pattern: break;
        }
        return {};
    }

    // Entries in both triangles would be added twice, so the first one decides which triangle the file
    // stores.
    void check_place(std::int64_t row, std::int64_t col) {
        if (row == col) {
            if (skew()) scan_.fail("a skew-symmetric matrix has no entry on the diagonal");
            return;
        }
        const int triangle = row > col ? -1 : 1;
        if (triangle_ == 0) triangle_ = triangle;
        if (triangle != triangle_) {
            scan_.fail(
                "the entry ({}, {}) lies {} the diagonal and earlier ones {} it: a {} file stores one "
                "triangle",
                row + 1, col + 1, triangle > 0 ? "above" : "below", triangle > 0 ? "below" : "above",
                symmetry_name(banner_.symmetry));
        }
    }

    void add(std::int64_t row, std::int64_t col, number value) {
        if (row == col && banner_.symmetry == matrix_symmetry::hermitian && value.imag != 0) {
            scan_.fail("the diagonal of a hermitian matrix must be real");
        }
        push(row, col, value);
        if (general() || row == col) return;
        const bool conjugate = banner_.symmetry == matrix_symmetry::hermitian;
        push(col, row, {skew() ? -value.real : value.real, skew() || conjugate ? -value.imag : value.imag});
    }

    void push(std::int64_t row, std::int64_t col, number value) {
        result_.row.push_back(row);
        result_.col.push_back(col);
        result_.real.push_back(value.real);
        if (result_.is_complex) result_.imag.push_back(value.imag);
    }

    line_scanner& scan_;
    const header& banner_;
    coo_matrix result_;
    std::int64_t announced_ = 0;
    int triangle_ = 0;
};

// Position of the entry (row, col), or -1.
std::int64_t find_entry(const csr_matrix& matrix, std::int64_t row, std::int64_t col) {
    const auto begin = matrix.columns.begin();
    const auto first = begin + matrix.offsets[static_cast<std::size_t>(row)];
    const auto last = begin + matrix.offsets[static_cast<std::size_t>(row) + 1];
    const auto found = std::lower_bound(first, last, col);
    return found != last && *found == col ? found - begin : -1;
}

bool same_value(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool mirrors(const csr_matrix& matrix, std::int64_t place, std::int64_t mirror, matrix_symmetry symmetry) {
    const auto k = static_cast<std::size_t>(place);
    const auto m = static_cast<std::size_t>(mirror);
    const bool skew = symmetry == matrix_symmetry::skew_symmetric;
    const bool negated = skew || symmetry == matrix_symmetry::hermitian;
    if (!same_value(matrix.real[k], skew ? -matrix.real[m] : matrix.real[m])) return false;
    return !matrix.is_complex || same_value(matrix.imag[k], negated ? -matrix.imag[m] : matrix.imag[m]);
}

void check_symmetry(const csr_matrix& matrix, matrix_symmetry symmetry) {
    if (symmetry == matrix_symmetry::hermitian && !matrix.is_complex) {
        throw std::invalid_argument("a real matrix cannot be written as hermitian");
    }
    if (matrix.rows != matrix.cols) {
        throw std::invalid_argument(fmt::format("a matrix of {} x {} cannot be written as {}", matrix.rows,
                                                matrix.cols, symmetry_name(symmetry)));
    }
    for (std::int64_t row = 0; row < matrix.rows; ++row) {
        const std::int64_t end = matrix.offsets[static_cast<std::size_t>(row) + 1];
        for (std::int64_t k = matrix.offsets[static_cast<std::size_t>(row)]; k < end; ++k) {
            const std::int64_t col = matrix.columns[static_cast<std::size_t>(k)];
            const std::int64_t mirror = find_entry(matrix, col, row);
            const bool skew_diagonal = row == col && symmetry == matrix_symmetry::skew_symmetric;
            if (mirror < 0 || skew_diagonal || !mirrors(matrix, k, mirror, symmetry)) {
                throw std::invalid_argument(fmt::format("the matrix is not {}: see the entry ({}, {})",
                                                        symmetry_name(symmetry), row + 1, col + 1));
            }
        }
    }
}

// Modes of gzopen. Higher levels take several times as long and save little: digits do not compress well.
constexpr const char* fast_gzip = "wb1";
constexpr const char* no_gzip = "wbT";

class text_writer {
  public:
    explicit text_writer(const std::filesystem::path& file)
        : name_(file.string()), output_(open_gzip(file, file.extension() == ".gz" ? fast_gzip : no_gzip)) {}

    template <class... Args>
    void print(fmt::format_string<Args...> text, Args&&... args) {
        fmt::format_to(std::back_inserter(buffer_), text, std::forward<Args>(args)...);
        if (buffer_.size() >= transfer_size) flush();
    }

    void close() {
        flush();
        if (gzclose(output_.release()) != Z_OK) fail(std::strerror(errno));
    }

  private:
    void flush() {
        if (buffer_.size() == 0) return;
        if (gzwrite(output_.get(), buffer_.data(), static_cast<unsigned>(buffer_.size())) == 0) {
            fail(gzip_reason(output_.get()));
        }
        buffer_.clear();
    }

    [[noreturn]] void fail(const std::string& reason) const {
        throw matrix_market_error(name_, 0, fmt::format("cannot write: {}", reason));
    }

    std::string name_;
    gzip_file output_;
    fmt::memory_buffer buffer_;
};

std::int64_t count_written(const csr_matrix& matrix, bool lower_only) {
    if (!lower_only) return matrix.nnz();
    std::int64_t count = 0;
    for (std::size_t row = 0; row < static_cast<std::size_t>(matrix.rows); ++row) {
        const auto first = matrix.columns.begin() + matrix.offsets[row];
        const auto last = matrix.columns.begin() + matrix.offsets[row + 1];
        count += std::upper_bound(first, last, static_cast<std::int64_t>(row)) - first;
    }
    return count;
}

void write_entries(text_writer& out, const csr_matrix& matrix, bool lower_only) {
    for (std::int64_t row = 0; row < matrix.rows; ++row) {
        const auto end = static_cast<std::size_t>(matrix.offsets[static_cast<std::size_t>(row) + 1]);
        for (auto k = static_cast<std::size_t>(matrix.offsets[static_cast<std::size_t>(row)]); k < end; ++k) {
            const std::int64_t col = matrix.columns[k];
            if (lower_only && col > row) break;
            if (matrix.is_complex) {
                out.print("{} {} {} {}\n", row + 1, col + 1, matrix.real[k], matrix.imag[k]);
            } else {
                out.print("{} {} {}\n", row + 1, col + 1, matrix.real[k]);
            }
        }
    }
}

std::string located(const std::string& file, std::int64_t line, const std::string& reason) {
    return line > 0 ? fmt::format("{}:{}: {}", file, line, reason) : fmt::format("{}: {}", file, reason);
}

}  // namespace

matrix_market_error::matrix_market_error(const std::string& file, std::int64_t line,
                                         const std::string& reason)
    : std::runtime_error(located(file, line, reason)), line_(line) {}

coo_matrix read_matrix_market(const std::filesystem::path& file) {
    const std::string text = read_text(file);
    line_scanner scan(file.string(), text);
    const header banner = read_banner(scan);
    return body_reader(scan, banner).read();
}

void write_matrix_market(const std::filesystem::path& file, const csr_matrix& matrix,
                         matrix_symmetry symmetry) {
    const bool lower_only = symmetry != matrix_symmetry::general;
    if (lower_only) check_symmetry(matrix, symmetry);
    text_writer out(file);
    out.print("%%MatrixMarket matrix coordinate {} {}\n", matrix.is_complex ? "complex" : "real",
              symmetry_name(symmetry));
    out.print("{} {} {}\n", matrix.rows, matrix.cols, count_written(matrix, lower_only));
    write_entries(out, matrix, lower_only);
    out.close();
}

}  // namespace heron::tools
