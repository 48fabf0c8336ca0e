#include "canvas.hpp"

#include <fmt/format.h>
#include <png.h>

#include <stdexcept>

namespace heron::tools {

canvas::canvas(std::int64_t width, std::int64_t height) {
    image_.width = width;
    image_.height = height;
    image_.pixels.assign(static_cast<std::size_t>(width * height), white);
}

void canvas::fill(point corner, std::int64_t width, std::int64_t height, rgb colour) {
    for (std::int64_t y = corner.y; y < corner.y + height; ++y)
        for (std::int64_t x = corner.x; x < corner.x + width; ++x) image_.at(x, y) = colour;
}

void canvas::frame(point corner, std::int64_t width, std::int64_t height) {
    fill({corner.x - 1, corner.y - 1}, width + 2, 1, frame_colour);
    fill({corner.x - 1, corner.y + height}, width + 2, 1, frame_colour);
    fill({corner.x - 1, corner.y}, 1, height, frame_colour);
    fill({corner.x + width, corner.y}, 1, height, frame_colour);
}

void canvas::text(point corner, const bitmap& letters, rgb colour) {
    for (std::size_t y = 0; y < letters.height; ++y)
        for (std::size_t x = 0; x < letters.width; ++x)
            if (letters.at(x, y))
                image_.at(corner.x + static_cast<std::int64_t>(x), corner.y + static_cast<std::int64_t>(y)) =
                    colour;
}

void write_png(const std::filesystem::path& file, const rgb_image& image) {
    static_assert(sizeof(rgb) == 3);
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    png.width = static_cast<png_uint_32>(image.width);
    png.height = static_cast<png_uint_32>(image.height);
    png.format = PNG_FORMAT_RGB;
    if (png_image_write_to_file(&png, file.c_str(), 0, image.pixels.data(), 0, nullptr) == 0) {
        throw std::runtime_error(fmt::format("{}: cannot write: {}", file.string(), png.message));
    }
}

}  // namespace heron::tools
