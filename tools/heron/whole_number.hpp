// Whole numbers in the values of options.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace heron::tools {

// Nothing unless all of the text is a number of 64 bits.
inline std::optional<std::int64_t> whole_number(std::string_view text) {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, code] = std::from_chars(text.data(), end, number);
    return code == std::errc{} && stop == end ? std::optional(number) : std::nullopt;
}

}  // namespace heron::tools
