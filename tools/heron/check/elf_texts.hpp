// What the data of an ELF file tells as text: names that are looked up, and kernels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heron::tools {

// Calls f(text) for each string in the bytes that ends with a zero and whose characters may be in an
// identifier or a file name.
template <class F>
void for_each_text(std::string_view bytes, F&& f) {
    const auto may_be_part = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               c == '.' || c == '/' || c == '-' || c == '+' || c == '$';
    };
    std::size_t start = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (may_be_part(bytes[i])) continue;
        if (bytes[i] == '\0' && i > start) f(bytes.substr(start, i - start));
        start = i + 1;
    }
}

// "saxpy(int, float*)" of "_Z5saxpyiPf"; empty unless that is a function's name.
std::string function_of_mangled(std::string_view text);

// The names behind .entry in PTX that is not compressed.
std::vector<std::string> ptx_entries(std::string_view bytes);

}  // namespace heron::tools
