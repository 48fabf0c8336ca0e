// Figures by Cairo.
#include <cairo-svg.h>
#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <string_view>

#include "figure.hpp"

namespace heron::tools {
namespace {

struct colour {
    double red, green, blue;
};

// Okabe and Ito's colours, which people with any kind of colour vision tell apart, but for yellow, which is
// too light for lines.
constexpr std::array<colour, 7> colours = {{{0.00, 0.45, 0.70},
                                            {0.84, 0.37, 0.00},
                                            {0.00, 0.62, 0.45},
                                            {0.80, 0.47, 0.65},
                                            {0.34, 0.71, 0.91},
                                            {0.90, 0.62, 0.00},
                                            {0.00, 0.00, 0.00}}};

struct destroy {
    void operator()(cairo_t* c) const { cairo_destroy(c); }
    void operator()(cairo_surface_t* s) const { cairo_surface_destroy(s); }
};

struct box {
    double left, top, right, bottom;
};

class painter {
  public:
    painter(cairo_t* c, const figure& what, double width, double height) : c_(c), what_(what) {
        cairo_set_source_rgb(c_, 1, 1, 1);
        cairo_paint(c_);
        cairo_select_font_face(c_, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
        cairo_set_font_size(c_, text_size);
        const double legend = 8 + 1.5 * text_size * static_cast<double>(legend_lines());
        turns_ticks_ = widest_tick(what.x) * static_cast<double>(what.x.ticks.size()) > 0.8 * width;
        const double below = turns_ticks_ ? 0.75 * widest_tick(what.x) : text_size;
        area_ = {widest_tick(what.y) + 3.2 * text_size, 2.6 * text_size + legend, width - 1.5 * text_size,
                 height - below - (what.x.title.empty() ? 1.5 : 3) * text_size};
        if (turns_ticks_) make_room_for_turned_ticks();
    }

    void paint() {
        paint_title();
        paint_grid();
        for (const series& guide : what_.guides) paint_guide(guide);
        for (std::size_t i = 0; i < what_.data.size(); ++i) paint_series(i);
        paint_legend();
        set({0.3, 0.3, 0.3});
        cairo_set_line_width(c_, 1);
        cairo_rectangle(c_, area_.left, area_.top, area_.right - area_.left, area_.bottom - area_.top);
        cairo_stroke(c_);
    }

  private:
    static constexpr double text_size = 13;

    void set(const colour& c) const { cairo_set_source_rgb(c_, c.red, c.green, c.blue); }

    double width_of(const std::string& text) const {
        cairo_text_extents_t e;
        cairo_text_extents(c_, text.c_str(), &e);
        return e.x_advance;
    }

    double widest_tick(const axis& a) const {
        double widest = 0;
        for (const auto& [value, text] : a.ticks) widest = std::max(widest, width_of(text));
        return widest;
    }

    // They end at their places and begin below and to the left; where they are too many, some are left out.
    void make_room_for_turned_ticks() {
        const double shift = std::numbers::sqrt2 / 2;
        for (const auto& [value, text] : what_.x.ticks) {
            const double along = share(what_.x, value);
            const double needed = shift * width_of(text) + shift * text_size - along * area_.right;
            if (along < 0.9) area_.left = std::max(area_.left, needed / (1 - along));
        }
        const double distance = (area_.right - area_.left) / static_cast<double>(what_.x.ticks.size());
        ticks_per_label_ = static_cast<std::size_t>(std::max(1.0, std::ceil(1.1 * text_size / distance)));
    }

    std::size_t legend_lines() const { return what_.data.size(); }

    // From 0 to 1 along the axis.
    static double share(const axis& a, double value) {
        if (!a.is_logarithmic) return (value - a.least) / (a.most - a.least);
        return std::log(value / a.least) / std::log(a.most / a.least);
    }
    double x_of(double value) const {
        return area_.left + share(what_.x, value) * (area_.right - area_.left);
    }
    double y_of(double value) const {
        return area_.bottom - share(what_.y, value) * (area_.bottom - area_.top);
    }

    void write(double x, double y, const std::string& text, double alignment, double angle = 0) const {
        cairo_save(c_);
        cairo_translate(c_, x, y);
        cairo_rotate(c_, angle);
        cairo_move_to(c_, -alignment * width_of(text), 0);
        cairo_show_text(c_, text.c_str());
        cairo_restore(c_);
    }

    void paint_title() const {
        set({0, 0, 0});
        cairo_set_font_size(c_, 1.2 * text_size);
        write(area_.left, 1.6 * text_size, what_.title, 0);
        cairo_set_font_size(c_, text_size);
    }

    // Through the middle of pixels, so that a line of one pixel is one.
    void line(double x1, double y1, double x2, double y2) const {
        cairo_move_to(c_, std::floor(x1) + 0.5, std::floor(y1) + 0.5);
        cairo_line_to(c_, std::floor(x2) + 0.5, std::floor(y2) + 0.5);
        cairo_stroke(c_);
    }

    void paint_grid() const {
        cairo_set_line_width(c_, 1);
        for (std::size_t i = 0; i < what_.x.ticks.size(); ++i) {
            const auto& [value, text] = what_.x.ticks[i];
            set({0.88, 0.88, 0.88});
            line(x_of(value), area_.top, x_of(value), area_.bottom);
            set({0, 0, 0});
            if (i % ticks_per_label_ != 0) continue;
            if (turns_ticks_)
                write(x_of(value) + 0.3 * text_size, area_.bottom + text_size, text, 1,
                      -std::numbers::pi / 4);
            else
                write(x_of(value), area_.bottom + 1.4 * text_size, text, 0.5);
        }
        for (const auto& [value, text] : what_.y.ticks) {
            set({0.88, 0.88, 0.88});
            line(area_.left, y_of(value), area_.right, y_of(value));
            set({0, 0, 0});
            write(area_.left - 0.5 * text_size, y_of(value) + 0.35 * text_size, text, 1);
        }
        write((area_.left + area_.right) / 2, area_.bottom + 3 * text_size, what_.x.title, 0.5);
        write(1.4 * text_size, (area_.top + area_.bottom) / 2, what_.y.title, 0.5, -std::numbers::pi / 2);
    }

    void trace(const series& s) const {
        cairo_new_path(c_);
        for (const point& p : s.points) cairo_line_to(c_, x_of(p.x), y_of(p.y));
    }

    void paint_guide(const series& guide) const {
        cairo_save(c_);
        const double dashes[] = {6, 4};
        cairo_set_dash(c_, dashes, 2, 0);
        cairo_set_line_width(c_, 1.5);
        set({0.3, 0.3, 0.3});
        trace(guide);
        cairo_stroke(c_);
        cairo_restore(c_);
        name_guide(guide);
    }

    // Below the right end of a straight guide, clear of it.
    void name_guide(const series& guide) const {
        const point &begin = guide.points.front(), &end = guide.points.back();
        const double right = x_of(end.x), slope = (y_of(end.y) - y_of(begin.y)) / (right - x_of(begin.x));
        const double length = width_of(guide.name) + text_size;
        const double lowest = std::max(y_of(end.y), y_of(end.y) - slope * length);
        write(right - 0.5 * text_size, lowest + 1.3 * text_size, guide.name, 1);
    }

    // Series differ by shape as well as by colour.
    void marker(std::size_t number, double x, double y) const {
        constexpr double r = 4.5;
        cairo_new_path(c_);
        const std::size_t corners[] = {0, 4, 3, 5};
        const std::size_t n = corners[number % 4];
        if (n == 0) cairo_arc(c_, x, y, r, 0, 2 * std::numbers::pi);
        for (std::size_t i = 0; i < n; ++i) {
            const double angle =
                2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n) - std::numbers::pi / 2;
            cairo_line_to(c_, x + 1.25 * r * std::cos(angle), y + 1.25 * r * std::sin(angle));
        }
        cairo_close_path(c_);
        cairo_fill(c_);
    }

    // Lines that lie on each other stay visible.
    void set_dashes(std::size_t number) const {
        const double dashes[] = {10 - 3.0 * static_cast<double>(number % 3), 4};
        cairo_set_dash(c_, dashes, number % 3 == 0 ? 0 : 2, 0);
    }

    void paint_series(std::size_t number) const {
        const series& s = what_.data[number];
        set(colours[number % colours.size()]);
        cairo_set_line_width(c_, 2.2);
        if (s.is_line) {
            set_dashes(number);
            trace(s);
            cairo_stroke(c_);
            cairo_set_dash(c_, nullptr, 0, 0);
            return;
        }
        for (const point& p : s.points) marker(number, x_of(p.x), y_of(p.y));
    }

    void paint_legend() const {
        for (std::size_t i = 0; i < what_.data.size(); ++i) {
            const double y = (3.2 + 1.5 * static_cast<double>(i)) * text_size;
            set(colours[i % colours.size()]);
            cairo_set_line_width(c_, 2.2);
            set_dashes(i);
            if (what_.data[i].is_line)
                line(area_.left, y, area_.left + 2 * text_size, y);
            else
                marker(i, area_.left + text_size, y);
            cairo_set_dash(c_, nullptr, 0, 0);
            set({0, 0, 0});
            write(area_.left + 2.6 * text_size, y + 0.35 * text_size, what_.data[i].name, 0);
        }
    }

    cairo_t* c_;
    const figure& what_;
    box area_{};
    bool turns_ticks_ = false;
    std::size_t ticks_per_label_ = 1;
};

void check(cairo_status_t status, const std::string& file) {
    if (status != CAIRO_STATUS_SUCCESS)
        throw std::runtime_error(fmt::format("cannot write {}: {}", file, cairo_status_to_string(status)));
}

}  // namespace

void draw(const figure& what, const std::string& file, int width, int height) {
    const bool is_svg = std::string_view(file).ends_with(".svg");
    const std::unique_ptr<cairo_surface_t, destroy> surface(
        is_svg ? cairo_svg_surface_create(file.c_str(), width, height)
               : cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height));
    check(cairo_surface_status(surface.get()), file);
    {
        const std::unique_ptr<cairo_t, destroy> context(cairo_create(surface.get()));
        painter(context.get(), what, width, height).paint();
        check(cairo_status(context.get()), file);
    }
    if (!is_svg) return check(cairo_surface_write_to_png(surface.get(), file.c_str()), file);
    cairo_surface_finish(surface.get());
    check(cairo_surface_status(surface.get()), file);
}

}  // namespace heron::tools
