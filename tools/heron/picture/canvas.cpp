#include "canvas.hpp"

#include <cairo-svg.h>
#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string_view>

namespace heron::tools {
namespace {

constexpr double text_size = 15;

using surface_pointer = std::shared_ptr<cairo_surface_t>;
using pen_pointer = std::shared_ptr<cairo_t>;

void check(cairo_status_t status, const std::string& what) {
    if (status != CAIRO_STATUS_SUCCESS)
        throw std::runtime_error(fmt::format("{}: {}", what, cairo_status_to_string(status)));
}

surface_pointer owned(cairo_surface_t* surface, const std::string& what) {
    surface_pointer result(surface, cairo_surface_destroy);
    check(cairo_surface_status(surface), what);
    return result;
}

surface_pointer image_surface(std::int64_t width, std::int64_t height) {
    return owned(
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width), static_cast<int>(height)),
        fmt::format("a picture of {} x {} pixels", width, height));
}

pen_pointer pen_on(const surface_pointer& surface) {
    pen_pointer pen(cairo_create(surface.get()), cairo_destroy);
    cairo_select_font_face(pen.get(), "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(pen.get(), text_size);
    check(cairo_status(pen.get()), "drawing");
    return pen;
}

void set_colour(cairo_t* pen, rgb colour) {
    cairo_set_source_rgb(pen, colour.red / 255.0, colour.green / 255.0, colour.blue / 255.0);
}

// The bytes of the character that starts there, or 0.
std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const std::size_t length = byte(0) < 0x80   ? 1
                               : byte(0) < 0xc2 ? 0
                               : byte(0) < 0xe0 ? 2
                               : byte(0) < 0xf0 ? 3
                               : byte(0) < 0xf5 ? 4
                                                : 0;
    if (length > text.size() || (length == 1 && (byte(0) < 0x20 || byte(0) == 0x7f))) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    // Forms that are too long, halves of pairs, and what is past the last character.
    if (length == 3 && ((byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xed && byte(1) > 0x9f))) return 0;
    if (length == 4 && ((byte(0) == 0xf0 && byte(1) < 0x90) || (byte(0) == 0xf4 && byte(1) > 0x8f))) return 0;
    return length;
}

std::string printable(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        result += length == 0 ? std::string_view("?") : text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return result;
}

// Cairo's own pixels, which the surface owns.
template <class F>
void for_each_row(cairo_surface_t* surface, std::int64_t height, F&& f) {
    cairo_surface_flush(surface);
    unsigned char* const data = cairo_image_surface_get_data(surface);
    const std::ptrdiff_t stride = cairo_image_surface_get_stride(surface);
    for (std::int64_t y = 0; y < height; ++y) f(y, reinterpret_cast<std::uint32_t*>(data + y * stride));
    cairo_surface_mark_dirty(surface);
}

void paint(const drawing& what, const surface_pointer& to) {
    const pen_pointer pen = pen_on(to);
    set_colour(pen.get(), white);
    cairo_paint(pen.get());
    cairo_set_source_surface(pen.get(), what.record.get(), 0, 0);
    cairo_paint(pen.get());
    check(cairo_status(pen.get()), "drawing");
}

surface_pointer painted(const drawing& what) {
    const surface_pointer result = image_surface(what.width, what.height);
    paint(what, result);
    return result;
}

}  // namespace

canvas::canvas(std::int64_t width, std::int64_t height) : drawing_{width, height} {
    const cairo_rectangle_t extents{0, 0, static_cast<double>(width), static_cast<double>(height)};
    drawing_.record = owned(cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, &extents), "drawing");
    pen_ = pen_on(drawing_.record);
}

void canvas::fill(pixel corner, std::int64_t width, std::int64_t height, rgb colour) {
    set_colour(pen_.get(), colour);
    cairo_rectangle(pen_.get(), static_cast<double>(corner.x), static_cast<double>(corner.y),
                    static_cast<double>(width), static_cast<double>(height));
    cairo_fill(pen_.get());
}

void canvas::frame(pixel corner, std::int64_t width, std::int64_t height) {
    fill({corner.x - 1, corner.y - 1}, width + 2, 1, frame_colour);
    fill({corner.x - 1, corner.y + height}, width + 2, 1, frame_colour);
    fill({corner.x - 1, corner.y}, 1, height, frame_colour);
    fill({corner.x + width, corner.y}, 1, height, frame_colour);
}

void canvas::text(pixel corner, const std::string& letters, rgb colour) {
    set_colour(pen_.get(), colour);
    cairo_move_to(pen_.get(), static_cast<double>(corner.x), static_cast<double>(corner.y) + text_size);
    cairo_show_text(pen_.get(), printable(letters).c_str());
}

void canvas::image(pixel corner, const rgb_image& pixels, std::int64_t zoom) {
    if (pixels.width == 0 || pixels.height == 0) return;
    const surface_pointer source = image_surface(pixels.width, pixels.height);
    for_each_row(source.get(), pixels.height, [&](std::int64_t y, std::uint32_t* row) {
        for (std::int64_t x = 0; x < pixels.width; ++x) {
            const rgb& p = pixels.at(x, y);
            row[x] = static_cast<std::uint32_t>(p.red << 16 | p.green << 8 | p.blue);
        }
    });
    cairo_save(pen_.get());
    cairo_translate(pen_.get(), static_cast<double>(corner.x), static_cast<double>(corner.y));
    cairo_scale(pen_.get(), static_cast<double>(zoom), static_cast<double>(zoom));
    cairo_set_source_surface(pen_.get(), source.get(), 0, 0);
    cairo_pattern_set_filter(cairo_get_source(pen_.get()), CAIRO_FILTER_NEAREST);
    cairo_paint(pen_.get());
    cairo_restore(pen_.get());
}

drawing canvas::take() {
    check(cairo_status(pen_.get()), "drawing");
    return drawing_;
}

std::int64_t width_of(const std::string& letters) {
    static const pen_pointer pen = pen_on(image_surface(1, 1));
    cairo_text_extents_t extents;
    cairo_text_extents(pen.get(), printable(letters).c_str(), &extents);
    return static_cast<std::int64_t>(std::ceil(extents.x_advance));
}

rgb_image pixels_of(const drawing& what) {
    const surface_pointer surface = painted(what);
    rgb_image result{what.width, what.height};
    result.pixels.reserve(static_cast<std::size_t>(what.width * what.height));
    for_each_row(surface.get(), what.height, [&](std::int64_t, const std::uint32_t* row) {
        for (std::int64_t x = 0; x < what.width; ++x)
            result.pixels.push_back({static_cast<std::uint8_t>(row[x] >> 16),
                                     static_cast<std::uint8_t>(row[x] >> 8),
                                     static_cast<std::uint8_t>(row[x])});
    });
    return result;
}

void write_picture(const std::string& file, const drawing& what) {
    require_picture_name(file);
    const std::string failure = fmt::format("{}: cannot write", file);
    if (file.ends_with(".png"))
        return check(cairo_surface_write_to_png(painted(what).get(), file.c_str()), failure);
    const surface_pointer svg = owned(cairo_svg_surface_create(file.c_str(), static_cast<double>(what.width),
                                                               static_cast<double>(what.height)),
                                      failure);
    paint(what, svg);
    cairo_surface_finish(svg.get());
    check(cairo_surface_status(svg.get()), failure);
}

void require_picture_name(const std::string& file) {
    if (!file.ends_with(".png") && !file.ends_with(".svg"))
        throw std::runtime_error(fmt::format("{}: a picture's name ends with .png or .svg", file));
}

}  // namespace heron::tools
