#include "progress.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <cstdio>

namespace heron::tools {

progress::progress(bool always) : is_terminal_(isatty(STDERR_FILENO)), shown_(is_terminal_ || always) {}

void progress::step(std::string_view text) {
    if (!shown_) return;
    constexpr std::string_view back_and_clear_line = "\r\033[K";
    if (is_terminal_) {
        fmt::print(stderr, "{}{}", back_and_clear_line, text.substr(0, 100));
    } else {
        fmt::print(stderr, "{}\n", text);
    }
    std::fflush(stderr);
}

void progress::keep(std::string_view line) {
    if (!shown_) return;
    clear();
    fmt::print(stderr, "{}\n", line);
    std::fflush(stderr);
}

void progress::clear() {
    if (is_terminal_) step("");
}

}  // namespace heron::tools
