#include "spy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "canvas.hpp"

namespace heron::tools {
namespace {

constexpr std::int64_t margin = 20;
constexpr std::int64_t line_height = 24;
constexpr std::int64_t least_side = 48;
constexpr std::int64_t scale_width = 160;
constexpr std::int64_t scale_height = 14;

// A colour in Björn Ottosson's Oklab space, where equal steps look equal.
struct oklab {
    double lightness;
    double a;
    double b;
};

constexpr std::array<oklab, 6> ramp{{
    {0.80, -0.045, -0.070},
    {0.69, -0.040, -0.115},
    {0.57, -0.015, -0.155},
    {0.45, 0.045, -0.155},
    {0.33, 0.080, -0.090},
    {0.20, 0.050, -0.030},
}};

std::uint8_t to_srgb_byte(double linear) {
    const double x = std::clamp(linear, 0.0, 1.0);
    const double encoded = x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055;
    return static_cast<std::uint8_t>(std::lround(255 * encoded));
}

double cubed(double x) { return x * x * x; }

rgb to_rgb(const oklab& colour) {
    const double l = cubed(colour.lightness + 0.3963377774 * colour.a + 0.2158037573 * colour.b);
    const double m = cubed(colour.lightness - 0.1055613458 * colour.a - 0.0638541728 * colour.b);
    const double s = cubed(colour.lightness - 0.0894841775 * colour.a - 1.2914855480 * colour.b);
    return {to_srgb_byte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
            to_srgb_byte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
            to_srgb_byte(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

std::int64_t divided_up(std::int64_t value, std::int64_t divisor) { return (value + divisor - 1) / divisor; }

std::int64_t places_per_cell(std::int64_t size, std::int64_t other_size, std::int64_t longest_side) {
    const std::int64_t square = divided_up(std::max(size, other_size), longest_side);
    const std::int64_t least_cells = std::min({size, least_side, longest_side});
    return std::max<std::int64_t>(1, std::min(square, size / std::max<std::int64_t>(1, least_cells)));
}

// Positions on the logarithmic scale between the thinnest and the densest cell that is not empty.
class density_scale {
  public:
    explicit density_scale(const density_grid& grid) {
        for (const double d : grid.density) {
            if (d == 0) continue;
            lowest_ = highest_ == 0 ? d : std::min(lowest_, d);
            highest_ = std::max(highest_, d);
        }
    }

    bool is_empty() const { return highest_ == 0; }
    bool is_single() const { return lowest_ == highest_; }
    double lowest() const { return lowest_; }
    double highest() const { return highest_; }

    rgb colour(double density) const {
        if (density == 0) return white;
        if (is_single()) return density_colour(single_position);
        return density_colour(std::log(density / lowest_) / std::log(highest_ / lowest_));
    }

  private:
    static constexpr double single_position = 0.6;
    double lowest_ = 0;
    double highest_ = 0;
};

std::string with_commas(std::int64_t number) {
    std::string digits = std::to_string(number);
    for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
        digits.insert(static_cast<std::size_t>(at), 1, ',');
    }
    return digits;
}

std::string percent(double share) {
    if (share >= 0.1) return fmt::format("{:.0f} %", 100 * share);
    return share >= 0.0001 ? fmt::format("{:.2g} %", 100 * share) : fmt::format("{:.1e} %", 100 * share);
}

std::string size_line(const csr_matrix& matrix) {
    return fmt::format("{} x {}, {} nonzeros", with_commas(matrix.rows), with_commas(matrix.cols),
                       with_commas(matrix.nnz()));
}

std::string row_line(const csr_matrix& matrix) {
    const row_lengths rows = measure_rows(matrix);
    return fmt::format("per row: min {}, mean {:.4g}, max {}", with_commas(rows.min), rows.mean,
                       with_commas(rows.max));
}

std::string cell_line(const density_grid& grid, std::int64_t zoom) {
    if (grid.rows_per_cell == 1 && grid.cols_per_cell == 1) {
        return zoom == 1 ? "1 pixel = 1 entry" : fmt::format("1 entry = {0} x {0} pixels", zoom);
    }
    return fmt::format("1 pixel = {} x {} entries", grid.rows_per_cell, grid.cols_per_cell);
}

struct caption {
    std::string letters;
    rgb colour;
};

// The colour scale with the densities of its two ends.
struct legend {
    explicit legend(const density_scale& scale)
        : low(percent(scale.lowest())), high(percent(scale.highest())) {}

    static constexpr std::int64_t gap = 10;
    std::int64_t width() const { return width_of(low) + gap + scale_width + gap + width_of(high); }

    void draw(canvas& out, pixel corner, const density_scale& scale) const {
        out.text(corner, low, faint_text_colour);
        const pixel bar{corner.x + width_of(low) + gap, corner.y};
        for (std::int64_t x = 0; x < scale_width; ++x) {
            const double position = static_cast<double>(x) / (scale_width - 1);
            const double density = scale.lowest() * std::pow(scale.highest() / scale.lowest(), position);
            out.fill({bar.x + x, bar.y}, 1, scale_height, scale.colour(density));
        }
        out.frame(bar, scale_width, scale_height);
        out.text({bar.x + scale_width + gap, corner.y}, high, faint_text_colour);
    }

    std::string low;
    std::string high;
};

// A pixel for each cell.
rgb_image image_of(const density_grid& grid, const density_scale& scale) {
    rgb_image image{grid.cols, grid.rows};
    image.pixels.reserve(grid.density.size());
    for (const double density : grid.density) image.pixels.push_back(scale.colour(density));
    return image;
}

// Heading, pattern and footing below each other.
class spy_picture {
  public:
    spy_picture(const csr_matrix& matrix, const spy_options& options)
        : grid_(measure_density(matrix, options.longest_side)),
          scale_(grid_),
          zoom_(std::max<std::int64_t>(
              1, options.longest_side / std::max<std::int64_t>({1, grid_.rows, grid_.cols}))),
          pattern_width_(grid_.cols * zoom_),
          pattern_height_(grid_.rows * zoom_),
          heading_{{{options.title, text_colour},
                    {size_line(matrix), faint_text_colour},
                    {row_line(matrix), faint_text_colour}}},
          cell_text_(cell_line(grid_, zoom_)),
          legend_(scale_) {
        const bool with_legend = !scale_.is_empty() && !scale_.is_single();
        const std::int64_t legend_width = with_legend ? legend_.width() : 0;
        width_ = std::max({pattern_width_, width_of(cell_text_), legend_width});
        for (const caption& line : heading_) width_ = std::max(width_, width_of(line.letters));
        const bool beside = width_of(cell_text_) + 2 * margin + legend_width <= width_;
        if (with_legend) legend_place_ = beside ? place::beside_text : place::below_text;
    }

    drawing draw() const {
        const std::int64_t footing_lines = legend_place_ == place::below_text ? 2 : 1;
        const std::int64_t text_height =
            (static_cast<std::int64_t>(heading_.size()) + footing_lines) * line_height;
        canvas out(width_ + 2 * margin, pattern_height_ + text_height + 3 * margin + half_margin);
        const std::int64_t pattern_top = draw_heading(out) + half_margin;
        draw_pattern(out, pattern_top);
        draw_footing(out, pattern_top + pattern_height_ + margin);
        return out.take();
    }

  private:
    enum class place { nowhere, beside_text, below_text };
    static constexpr std::int64_t half_margin = margin / 2;

    std::int64_t draw_heading(canvas& out) const {
        std::int64_t top = margin;
        for (const caption& line : heading_) {
            out.text({margin, top}, line.letters, line.colour);
            top += line_height;
        }
        return top;
    }

    void draw_pattern(canvas& out, std::int64_t top) const {
        const pixel corner{margin + (width_ - pattern_width_) / 2, top};
        out.image(corner, image_of(grid_, scale_), zoom_);
        out.frame(corner, pattern_width_, pattern_height_);
    }

    void draw_footing(canvas& out, std::int64_t top) const {
        out.text({margin, top}, cell_text_, faint_text_colour);
        if (legend_place_ == place::beside_text) {
            legend_.draw(out, {margin + width_ - legend_.width(), top}, scale_);
        } else if (legend_place_ == place::below_text) {
            legend_.draw(out, {margin, top + line_height}, scale_);
        }
    }

    density_grid grid_;
    density_scale scale_;
    std::int64_t zoom_;
    std::int64_t pattern_width_;
    std::int64_t pattern_height_;
    std::array<caption, 3> heading_;
    std::string cell_text_;
    legend legend_;
    std::int64_t width_ = 0;
    place legend_place_ = place::nowhere;
};

}  // namespace

density_grid measure_density(const csr_matrix& matrix, std::int64_t longest_side) {
    density_grid grid{.rows_per_cell = places_per_cell(matrix.rows, matrix.cols, longest_side),
                      .cols_per_cell = places_per_cell(matrix.cols, matrix.rows, longest_side)};
    grid.rows = divided_up(matrix.rows, grid.rows_per_cell);
    grid.cols = divided_up(matrix.cols, grid.cols_per_cell);
    grid.density.assign(static_cast<std::size_t>(grid.rows * grid.cols), 0);
    for (std::int64_t row = 0; row < matrix.rows; ++row) {
        double* cells = grid.density.data() + row / grid.rows_per_cell * grid.cols;
        const auto end = static_cast<std::size_t>(matrix.offsets[static_cast<std::size_t>(row) + 1]);
        for (auto k = static_cast<std::size_t>(matrix.offsets[static_cast<std::size_t>(row)]); k < end; ++k) {
            ++cells[matrix.columns[k] / grid.cols_per_cell];
        }
    }
    for (std::int64_t row = 0; row < grid.rows; ++row) {
        const std::int64_t height = std::min(grid.rows_per_cell, matrix.rows - row * grid.rows_per_cell);
        for (std::int64_t col = 0; col < grid.cols; ++col) {
            const std::int64_t width = std::min(grid.cols_per_cell, matrix.cols - col * grid.cols_per_cell);
            grid.density[static_cast<std::size_t>(row * grid.cols + col)] /=
                static_cast<double>(height * width);
        }
    }
    return grid;
}

rgb density_colour(double position) {
    const double scaled = std::clamp(position, 0.0, 1.0) * static_cast<double>(ramp.size() - 1);
    const std::size_t step = std::min(static_cast<std::size_t>(scaled), ramp.size() - 2);
    const double share = scaled - static_cast<double>(step);
    const oklab& from = ramp[step];
    const oklab& to = ramp[step + 1];
    return to_rgb({std::lerp(from.lightness, to.lightness, share), std::lerp(from.a, to.a, share),
                   std::lerp(from.b, to.b, share)});
}

drawing draw_spy(const csr_matrix& matrix, const spy_options& options) {
    return spy_picture(matrix, options).draw();
}

}  // namespace heron::tools
