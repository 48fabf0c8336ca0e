// Pictures made of rectangles and lettering, written as PNG.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "bitmap_font.hpp"

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

struct point {
    std::int64_t x;
    std::int64_t y;
};

// What is drawn must lie inside.
class canvas {
  public:
    canvas(std::int64_t width, std::int64_t height);

    void fill(point corner, std::int64_t width, std::int64_t height, rgb colour);
    // One pixel wide, around the given area.
    void frame(point corner, std::int64_t width, std::int64_t height);
    void text(point corner, const bitmap& letters, rgb colour);

    rgb_image take() { return std::move(image_); }

  private:
    rgb_image image_;
};

inline std::int64_t width_of(const bitmap& letters) { return static_cast<std::int64_t>(letters.width); }

// Throws std::runtime_error with the file's name and the reason.
void write_png(const std::filesystem::path& file, const rgb_image& image);

}  // namespace heron::tools
