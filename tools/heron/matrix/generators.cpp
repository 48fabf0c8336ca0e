#include "generators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <span>
#include <system_error>

#include "matrix_market.hpp"
#include "transforms.hpp"

namespace heron::tools {
namespace {

using sizes = std::span<const std::int64_t>;

// Refuses what no machine holds before the arithmetic on sizes can overflow.
constexpr std::int64_t most_entries = std::int64_t{1} << 36;

struct family {
    std::string_view name;
    std::string_view arguments;
    std::string_view description;
    std::size_t fewest_arguments;
    std::size_t most_arguments;
    csr_matrix (*generate)(sizes, splitmix64&);
};

void require_capacity(double entries) {
    if (entries > static_cast<double>(most_entries)) {
        throw matrix_spec_error(fmt::format("it would have {:.3g} rows or entries", entries));
    }
}

void require_at_most(const char* what, std::int64_t value, const char* limit_name, std::int64_t limit) {
    if (value > limit)
        throw matrix_spec_error(fmt::format("{} = {} exceeds {} = {}", what, value, limit_name, limit));
}

// Appends rows from top to bottom, each with ascending columns.
class row_builder {
  public:
    row_builder(std::int64_t rows, std::int64_t cols, std::int64_t entries) {
        result_.rows = rows;
        result_.cols = cols;
        result_.offsets.reserve(static_cast<std::size_t>(rows) + 1);
        result_.columns.reserve(static_cast<std::size_t>(entries));
        result_.real.reserve(static_cast<std::size_t>(entries));
    }

    void add(std::int64_t column, double value) {
        result_.columns.push_back(column);
        result_.real.push_back(value);
    }
    void end_row() { result_.offsets.push_back(result_.nnz()); }
    csr_matrix take() { return std::move(result_); }

  private:
    csr_matrix result_;
};

// Draws sets of distinct columns (Floyd's algorithm: Bentley and Floyd, "A sample of brilliance", CACM 1987).
class column_sampler {
  public:
    explicit column_sampler(std::int64_t cols) : cols_(cols), taken_in_(static_cast<std::size_t>(cols), 0) {}

    // Ascending; valid until the next call.
    const std::vector<std::int64_t>& draw(std::int64_t count, splitmix64& random) {
        ++round_;
        sample_.clear();
        for (std::int64_t last = cols_ - count; last < cols_; ++last) {
            const std::int64_t column = random.below(last + 1);
            take(taken_in_[static_cast<std::size_t>(column)] == round_ ? last : column);
        }
        std::sort(sample_.begin(), sample_.end());
        return sample_;
    }

  private:
    void take(std::int64_t column) {
        taken_in_[static_cast<std::size_t>(column)] = round_;
        sample_.push_back(column);
    }

    std::int64_t cols_;
    std::int64_t round_ = 0;
    std::vector<std::int64_t> taken_in_;
    std::vector<std::int64_t> sample_;
};

csr_matrix poisson2d(sizes args, splitmix64&) {
    const std::int64_t n = args[0];
    require_capacity(5.0 * static_cast<double>(n) * static_cast<double>(n));
    row_builder rows(n * n, n * n, 5 * n * n - 4 * n);
    for (std::int64_t y = 0; y < n; ++y) {
        for (std::int64_t x = 0; x < n; ++x) {
            const std::int64_t row = y * n + x;
            if (y > 0) rows.add(row - n, -1);
            if (x > 0) rows.add(row - 1, -1);
            rows.add(row, 4);
            if (x < n - 1) rows.add(row + 1, -1);
            if (y < n - 1) rows.add(row + n, -1);
            rows.end_row();
        }
    }
    return rows.take();
}

void require_cube(std::int64_t n, double points) {
    const auto side = static_cast<double>(n);
    require_capacity(points * side * side * side);
}

csr_matrix poisson3d(sizes args, splitmix64&) {
    const std::int64_t n = args[0];
    require_cube(n, 7);
    const std::int64_t plane = n * n;
    row_builder rows(plane * n, plane * n, 7 * plane * n - 6 * plane);
    for (std::int64_t z = 0; z < n; ++z) {
        for (std::int64_t y = 0; y < n; ++y) {
            for (std::int64_t x = 0; x < n; ++x) {
                const std::int64_t row = z * plane + y * n + x;
                if (z > 0) rows.add(row - plane, -1);
                if (y > 0) rows.add(row - n, -1);
                if (x > 0) rows.add(row - 1, -1);
                rows.add(row, 6);
                if (x < n - 1) rows.add(row + 1, -1);
                if (y < n - 1) rows.add(row + n, -1);
                if (z < n - 1) rows.add(row + plane, -1);
                rows.end_row();
            }
        }
    }
    return rows.take();
}

struct neighbours {
    std::int64_t first;
    std::int64_t last;
};

neighbours around(std::int64_t position, std::int64_t radius, std::int64_t size) {
    return {std::max<std::int64_t>(position - radius, 0), std::min(position + radius, size - 1)};
}

csr_matrix poisson3d27(sizes args, splitmix64&) {
    const std::int64_t n = args[0];
    require_cube(n, 27);
    const std::int64_t per_line = 3 * n - 2;
    row_builder rows(n * n * n, n * n * n, per_line * per_line * per_line);
    const auto add_row = [&](std::int64_t row, neighbours zs, neighbours ys, neighbours xs) {
        for (std::int64_t z = zs.first; z <= zs.last; ++z) {
            for (std::int64_t y = ys.first; y <= ys.last; ++y) {
                const std::int64_t line = (z * n + y) * n;
                for (std::int64_t x = xs.first; x <= xs.last; ++x)
                    rows.add(line + x, line + x == row ? 26 : -1);
            }
        }
        rows.end_row();
    };
    for (std::int64_t z = 0; z < n; ++z) {
        for (std::int64_t y = 0; y < n; ++y) {
            for (std::int64_t x = 0; x < n; ++x) {
                add_row((z * n + y) * n + x, around(z, 1, n), around(y, 1, n), around(x, 1, n));
            }
        }
    }
    return rows.take();
}

csr_matrix banded(sizes args, splitmix64& random) {
    const std::int64_t n = args[0];
    const std::int64_t width = args[1];
    require_at_most("W", width, "N - 1", n - 1);
    require_capacity(static_cast<double>(n) * (2.0 * static_cast<double>(width) + 1.0));
    row_builder rows(n, n, n * (2 * width + 1) - width * (width + 1));
    for (std::int64_t row = 0; row < n; ++row) {
        const neighbours band = around(row, width, n);
        for (std::int64_t col = band.first; col <= band.last; ++col) rows.add(col, random.symmetric_unit());
        rows.end_row();
    }
    return rows.take();
}

void add_random_row(row_builder& rows, column_sampler& columns, std::int64_t length, splitmix64& random) {
    for (const std::int64_t column : columns.draw(length, random)) rows.add(column, random.symmetric_unit());
    rows.end_row();
}

csr_matrix rectangle(sizes args, splitmix64& random) {
    const std::int64_t m = args[0], n = args[1], per_row = args[2];
    require_at_most("D", per_row, "N", n);
    require_capacity(static_cast<double>(n));
    require_capacity(static_cast<double>(m) * (static_cast<double>(per_row) + 1.0));
    row_builder rows(m, n, m * per_row);
    column_sampler columns(n);
    for (std::int64_t row = 0; row < m; ++row) add_random_row(rows, columns, per_row, random);
    return rows.take();
}

csr_matrix uniform(sizes args, splitmix64& random) {
    const std::array<std::int64_t, 3> square{args[0], args[0], args[1]};
    return rectangle(square, random);
}

csr_matrix gaps(sizes args, splitmix64& random) {
    const std::int64_t n = args[0], per_row = args[1], step = std::max<std::int64_t>(args[2], 1);
    require_at_most("D", per_row, "N", n);
    require_capacity(static_cast<double>(n) * (static_cast<double>(per_row) + 1.0));
    row_builder rows(n, n, (n / step + 1) * per_row);
    column_sampler columns(n);
    for (std::int64_t row = 0; row < n; ++row)
        add_random_row(rows, columns, row % step == 0 ? per_row : 0, random);
    return rows.take();
}

// The recursive matrix of Chakrabarti, Zhan and Faloutsos, "R-MAT: a recursive model for graph mining" (SDM
// 2004), with the quadrant probabilities of the Graph500 benchmark.
csr_matrix rmat(sizes args, splitmix64& random) {
    constexpr double upper_left = 0.57;
    constexpr double upper_right = upper_left + 0.19;
    constexpr double lower_left = upper_right + 0.19;
    const std::int64_t scale = args[0];
    require_at_most("SCALE", scale, "the limit", 32);
    const std::int64_t n = std::int64_t{1} << scale;
    const std::int64_t edge_factor = args.size() > 1 ? args[1] : 16;
    require_capacity(static_cast<double>(n) * static_cast<double>(edge_factor));
    const auto edges = static_cast<std::size_t>(n * edge_factor);
    coo_matrix result{.rows = n, .cols = n};
    result.row.resize(edges);
    result.col.resize(edges);
    result.real.resize(edges);
    for (std::size_t k = 0; k < edges; ++k) {
        std::int64_t row = 0;
        std::int64_t col = 0;
        for (std::int64_t level = 0; level < scale; ++level) {
            const double u = random.unit();
            const bool lower = u >= upper_right;
            const bool right = lower ? u >= lower_left : u >= upper_left;
            row = 2 * row + (lower ? 1 : 0);
            col = 2 * col + (right ? 1 : 0);
        }
        result.row[k] = row;
        result.col[k] = col;
        result.real[k] = random.symmetric_unit();
    }
    return to_csr(result);
}

csr_matrix longrows(sizes args, splitmix64& random) {
    const std::int64_t n = args[0];
    const std::int64_t long_count = args[1];
    require_at_most("K", long_count, "N", n);
    const std::int64_t short_length = std::min<std::int64_t>(5, n);
    const std::int64_t long_length = n - n / 16;
    require_capacity(static_cast<double>(n) * static_cast<double>(long_count + short_length));
    row_builder rows(n, n, long_count * long_length + (n - long_count) * short_length);
    column_sampler columns(n);
    std::int64_t long_rows_done = 0;
    for (std::int64_t row = 0; row < n; ++row) {
        // The long rows lie in the middles of long_count equal slices of the matrix.
        const bool is_long =
            long_rows_done < long_count && row == (2 * long_rows_done + 1) * n / (2 * long_count);
        if (is_long) ++long_rows_done;
        add_random_row(rows, columns, is_long ? long_length : short_length, random);
    }
    return rows.take();
}

csr_matrix hypersparse(sizes args, splitmix64& random) {
    const std::int64_t n = args[0];
    const std::int64_t entries = args[1];
    require_at_most("NNZ", entries, "N", n);
    require_at_most("N", n, "the limit", std::int64_t{1} << 31);
    std::vector<std::int64_t> places;
    const auto wanted = static_cast<std::size_t>(entries);
    while (places.size() < wanted) {
        while (places.size() < wanted) places.push_back(random.below(n) * n + random.below(n));
        std::sort(places.begin(), places.end());
        places.erase(std::unique(places.begin(), places.end()), places.end());
    }
    row_builder rows(n, n, entries);
    auto place = places.begin();
    for (std::int64_t row = 0; row < n; ++row) {
        for (; place != places.end() && *place / n == row; ++place)
            rows.add(*place % n, random.symmetric_unit());
        rows.end_row();
    }
    return rows.take();
}

csr_matrix diag(sizes args, splitmix64& random) {
    const std::int64_t n = args[0];
    require_capacity(static_cast<double>(n));
    row_builder rows(n, n, n);
    for (std::int64_t row = 0; row < n; ++row) {
        rows.add(row, random.symmetric_unit());
        rows.end_row();
    }
    return rows.take();
}

csr_matrix arrow(sizes args, splitmix64& random) {
    const std::int64_t n = args[0];
    require_capacity(3.0 * static_cast<double>(n));
    row_builder rows(n, n, 3 * n - 2);
    for (std::int64_t col = 0; col < n; ++col) rows.add(col, random.symmetric_unit());
    rows.end_row();
    for (std::int64_t row = 1; row < n; ++row) {
        rows.add(0, random.symmetric_unit());
        rows.add(row, random.symmetric_unit());
        rows.end_row();
    }
    return rows.take();
}

csr_matrix dense(sizes args, splitmix64& random) {
    const std::int64_t m = args[0];
    const std::int64_t n = args[1];
    require_capacity(static_cast<double>(m) * (static_cast<double>(n) + 1.0));
    row_builder rows(m, n, m * n);
    for (std::int64_t row = 0; row < m; ++row) {
        for (std::int64_t col = 0; col < n; ++col) rows.add(col, random.symmetric_unit());
        rows.end_row();
    }
    return rows.take();
}

csr_matrix blocks(sizes args, splitmix64& random) {
    const std::int64_t block = std::max<std::int64_t>(args[2], 1);
    const std::int64_t lines = args[0] / block;
    const std::int64_t per_line = args[1];
    if (lines * block != args[0]) throw matrix_spec_error("N is not a multiple of B");
    require_at_most("D", per_line, "N / B", lines);
    require_capacity(static_cast<double>(args[0]) * (static_cast<double>(per_line * block) + 1.0));
    row_builder rows(args[0], args[0], args[0] * per_line * block);
    column_sampler columns(lines);
    for (std::int64_t line = 0; line < lines; ++line) {
        const std::vector<std::int64_t>& own = columns.draw(per_line, random);
        for (std::int64_t row = 0; row < block; ++row) {
            for (const std::int64_t column : own)
                for (std::int64_t i = 0; i < block; ++i)
                    rows.add(column * block + i, random.symmetric_unit());
            rows.end_row();
        }
    }
    return rows.take();
}

constexpr std::array<family, 14> families{{
    {"poisson2d", "N", "5-point stencil on an N x N grid", 1, 1, poisson2d},
    {"poisson3d", "N", "7-point stencil on an N x N x N grid", 1, 1, poisson3d},
    {"poisson3d27", "N", "27-point stencil on an N x N x N grid", 1, 1, poisson3d27},
    {"banded", "N,W", "N x N, W full diagonals on each side of the main one", 2, 2, banded},
    {"uniform", "N,D", "N x N, D entries at random places of each row", 2, 2, uniform},
    {"rectangle", "M,N,D", "M x N, D entries at random places of each row", 3, 3, rectangle},
    {"gaps", "N,D,S", "N x N, D entries at random places of each S-th row, the others empty", 3, 3, gaps},
    {"rmat", "SCALE[,EDGEFACTOR]", "R-MAT graph of 2^SCALE vertices, EDGEFACTOR (16) edges each", 1, 2, rmat},
    {"longrows", "N,K", "N x N, 5 entries per row, but K rows almost full", 2, 2, longrows},
    {"hypersparse", "N,NNZ", "N x N, NNZ <= N entries anywhere, most rows empty", 2, 2, hypersparse},
    {"diag", "N", "diagonal", 1, 1, diag},
    {"arrow", "N", "first row, first column and diagonal", 1, 1, arrow},
    {"dense", "M,N", "M x N, every entry stored", 2, 2, dense},
    {"blocks", "N,D,B", "N x N, D dense blocks of B x B at random places of each B rows", 3, 3, blocks},
}};

std::vector<std::int64_t> parse_sizes(std::string_view text) {
    std::vector<std::int64_t> result;
    const char* at = text.data();
    const char* end = at + text.size();
    while (true) {
        std::int64_t value = 0;
        const auto [stop, code] = std::from_chars(at, end, value);
        const bool ends_well = stop == end || *stop == ',';
        if (code != std::errc{} || !ends_well) {
            throw matrix_spec_error(fmt::format("'{}' is not a list of whole numbers", text));
        }
        if (value < 0) throw matrix_spec_error(fmt::format("{} is negative", value));
        result.push_back(value);
        if (stop == end) return result;
        at = stop + 1;
    }
}

csr_matrix generate(const family& chosen, std::string_view arguments, std::uint64_t seed) {
    if (arguments.empty()) throw matrix_spec_error(fmt::format("it takes {}", chosen.arguments));
    const std::vector<std::int64_t> values = parse_sizes(arguments);
    if (values.size() < chosen.fewest_arguments || values.size() > chosen.most_arguments) {
        throw matrix_spec_error(fmt::format("it takes {}, not {}", chosen.arguments, arguments));
    }
    if (values[0] == 0) throw matrix_spec_error("its size must be positive");
    splitmix64 random(seed);
    return chosen.generate(values, random);
}

std::string family_usages() {
    std::string text;
    for (const family& f : families) {
        text += fmt::format("{}{}:{}", text.empty() ? "" : ", ", f.name, f.arguments);
    }
    return text;
}

bool names_file(std::string_view spec) {
    std::error_code ignored;
    return spec.ends_with(".mtx") || spec.ends_with(".mtx.gz") ||
           std::filesystem::is_regular_file(spec, ignored);
}

csr_matrix changed(const csr_matrix& matrix, std::string_view spec, std::string_view change,
                   std::uint64_t seed) {
    splitmix64 random(seed);
    if (change == "transposed") return transposed(matrix);
    if (change == "shuffled") return shuffled(matrix, random);
    if (change.starts_with("dof")) {
        const std::vector<std::int64_t> size = parse_sizes(change.substr(3));
        if (size.size() == 1 && size[0] > 0) {
            const auto side = static_cast<double>(size[0]);
            require_capacity(static_cast<double>(matrix.nnz()) * side * side);
            require_capacity(static_cast<double>(std::max(matrix.rows, matrix.cols)) * side);
            return blocks_of_entries(matrix, size[0]);
        }
    }
    throw matrix_spec_error(fmt::format(
        "cannot make the matrix '{}': '@{}' is not one of @transposed, @shuffled and @dofB", spec, change));
}

}  // namespace

std::string matrix_families() {
    std::string text;
    for (const family& f : families) {
        text += fmt::format("  {:<24}  {}\n", fmt::format("{}:{}", f.name, f.arguments), f.description);
    }
    return text +
           "Behind any of them: @transposed; @shuffled, rows and columns in a random order; @dofB, a block "
           "of B x B "
           "for each entry.\n";
}

csr_matrix load_matrix(std::string_view spec, std::uint64_t seed) {
    if (names_file(spec)) return to_csr(read_matrix_market(spec));
    if (const std::size_t change = spec.rfind('@'); change != std::string_view::npos)
        return changed(load_matrix(spec.substr(0, change), seed), spec, spec.substr(change + 1), seed);
    const std::size_t colon = std::min(spec.find(':'), spec.size());
    const std::string_view name = spec.substr(0, colon);
    const auto* chosen =
        std::find_if(families.begin(), families.end(), [&](const family& f) { return f.name == name; });
    std::string reason = "it is neither a Matrix Market file nor a known family";
    if (chosen != families.end()) {
        try {
            return generate(*chosen, spec.substr(std::min(colon + 1, spec.size())), seed);
        } catch (const matrix_spec_error& error) {
            reason = error.what();
        }
    }
    throw matrix_spec_error(
        fmt::format("cannot make the matrix '{}': {}; give a file (.mtx, .mtx.gz) or one of {}", spec, reason,
                    family_usages()));
}

std::string matrix_name(std::string_view spec) {
    if (!names_file(spec)) {
        const std::size_t change = spec.rfind('@');
        if (change == std::string_view::npos) return std::string(spec);
        return matrix_name(spec.substr(0, change)) + std::string(spec.substr(change));
    }
    std::string name = std::filesystem::path(spec).filename().string();
    for (const std::string_view ending : {".gz", ".mtx"}) {
        if (name.ends_with(ending)) name.resize(name.size() - ending.size());
    }
    return name;
}

}  // namespace heron::tools
