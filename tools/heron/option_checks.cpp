#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <string>

#include "commands.hpp"

namespace heron::tools {
namespace {

// Empty if the file can be written.
std::string obstacle_to(const std::string& file) {
    if (file.empty()) return "the name of the file is empty";
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored)) return fmt::format("{} is a folder", file);
    const bool is_there = std::filesystem::exists(file, ignored);
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    const std::string place = is_there ? file : folder.empty() ? "." : folder.string();
    if (access(place.c_str(), is_there ? W_OK : W_OK | X_OK) == 0) return {};
    return fmt::format("cannot write {}: {}: {}", file, place, std::strerror(errno));
}

}  // namespace

CLI::Validator writable_file() {
    return CLI::Validator([](const std::string& file) { return obstacle_to(file); }, "");
}

CLI::Validator number_between(double least, double most) {
    const auto obstacle = [least, most](const std::string& text) -> std::string {
        double number = 0;
        const char* const end = text.data() + text.size();
        const auto [stop, code] = std::from_chars(text.data(), end, number);
        if (code == std::errc{} && stop == end && number >= least && number <= most) return {};
        return fmt::format("'{}' is not a number from {} to {}", text, least, most);
    };
    return CLI::Validator(obstacle, "");
}

}  // namespace heron::tools
