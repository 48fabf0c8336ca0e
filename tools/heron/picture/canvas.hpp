// Pictures made of rectangles, images and lettering, by Cairo.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct _cairo;
struct _cairo_surface;

namespace heron::tools {

struct rgb {
    std::uint8_t red;
    std::uint8_t green;
    std::uint8_t blue;

    friend bool operator==(const rgb&, const rgb&) = default;
};

struct rgb_image {
    std::int64_t width = 0;
    std::int64_t height = 0;
    std::vector<rgb> pixels{};  // row by row

    rgb& at(std::int64_t x, std::int64_t y) { return pixels[static_cast<std::size_t>(y * width + x)]; }
    const rgb& at(std::int64_t x, std::int64_t y) const {
        return pixels[static_cast<std::size_t>(y * width + x)];
    }
};

inline constexpr rgb white{255, 255, 255};
inline constexpr rgb text_colour{40, 40, 48};
inline constexpr rgb faint_text_colour{105, 105, 115};
inline constexpr rgb frame_colour{150, 150, 158};

struct pixel {
    std::int64_t x;
    std::int64_t y;
};

// What was drawn, on white.
struct drawing {
    std::int64_t width = 0;
    std::int64_t height = 0;
    std::shared_ptr<_cairo_surface> record{};
};

// All of these throw std::runtime_error with a reason; where this program was built without Cairo, any does.
class canvas {
  public:
    canvas(std::int64_t width, std::int64_t height);

    void fill(pixel corner, std::int64_t width, std::int64_t height, rgb colour);
    // One pixel wide, around the given area.
    void frame(pixel corner, std::int64_t width, std::int64_t height);
    // The corner is the line's upper left one. Bytes that are no UTF-8 become '?'.
    void text(pixel corner, const std::string& letters, rgb colour);
    // Every pixel of the image as a square of so many.
    void image(pixel corner, const rgb_image& pixels, std::int64_t zoom);

    drawing take();

  private:
    drawing drawing_;
    std::shared_ptr<_cairo> pen_;
};

// Of one line of lettering, in pixels.
std::int64_t width_of(const std::string& letters);

rgb_image pixels_of(const drawing& what);

// PNG or SVG by the name's ending.
void write_picture(const std::string& file, const drawing& what);
// Throws unless the name has one of these endings.
void require_picture_name(const std::string& file);

}  // namespace heron::tools
