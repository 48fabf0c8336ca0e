#include "elf_texts.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace heron::tools {
namespace {

bool is_identifier_part(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

}  // namespace

std::string function_of_mangled(std::string_view text) {
    if (!text.starts_with("_Z")) return {};
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> name(
        abi::__cxa_demangle(std::string(text).c_str(), nullptr, nullptr, &status), std::free);
    if (status != 0 || !name) return {};
    const std::string_view demangled = name.get();
    return demangled.find('(') == std::string_view::npos ? std::string() : std::string(demangled);
}

std::vector<std::string> ptx_entries(std::string_view bytes) {
    constexpr std::string_view word = ".entry ";
    std::vector<std::string> names;
    for (std::size_t at = bytes.find(word); at != std::string_view::npos; at = bytes.find(word, at + 1)) {
        std::size_t end = at + word.size();
        while (end < bytes.size() && is_identifier_part(bytes[end])) ++end;
        const std::string_view name = bytes.substr(at + word.size(), end - at - word.size());
        if (name.empty()) continue;
        const std::string function = function_of_mangled(name);
        names.push_back(function.empty() ? std::string(name) : function);
    }
    return names;
}

}  // namespace heron::tools
