// The lettering of pictures: printable ASCII in cells of 6 x 10 pixels.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace heron::tools {

struct bitmap {
    std::size_t width = 0;
    std::size_t height = 0;
    std::vector<bool> ink{};  // row by row

    bool at(std::size_t x, std::size_t y) const { return ink[y * width + x]; }
};

// One line of text, at double size with smoothed steps. Other characters than printable ASCII become '?'.
bitmap render_text(std::string_view text);

}  // namespace heron::tools
