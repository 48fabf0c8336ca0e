#include "source_scan.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>

namespace heron::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* c_endings[] = {".c",   ".h",   ".cc", ".hh",  ".cpp", ".hpp",
                                     ".cxx", ".hxx", ".cu", ".cuh", ".inc", ".inl"};
constexpr const char* fortran_endings[] = {".f", ".for", ".f77", ".f90", ".f95", ".f03", ".f08", ".cuf"};

template <std::size_t n>
bool is_one_of(const std::string& ending, const char* const (&endings)[n]) {
    return std::any_of(std::begin(endings), std::end(endings), [&](const char* e) { return ending == e; });
}

std::string lower_case(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

// Blanks from `from` to `to`; lines stay.
void blank(std::string& text, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < std::min(to, text.size()); ++i)
        if (text[i] != '\n') text[i] = ' ';
}

// Past the end of a literal that begins at `at`.
std::size_t end_of_literal(const std::string& text, std::size_t at, bool has_escapes) {
    for (std::size_t i = at + 1; i < text.size() && text[i] != '\n'; ++i) {
        if (has_escapes && text[i] == '\\')
            ++i;
        else if (text[i] == text[at])
            return i + 1;
    }
    return std::min(text.find('\n', at), text.size());
}

std::size_t end_of_line(const std::string& text, std::size_t at) {
    return std::min(text.find('\n', at), text.size());
}

bool begins_line(const std::string& text, std::size_t at) { return at == 0 || text[at - 1] == '\n'; }

class source_scanner {
  public:
    explicit source_scanner(const installed_libraries& installed) : installed_(installed) {}

    void scan(const fs::path& file) {
        const std::string ending = lower_case(file.extension().string());
        const bool is_fortran = is_one_of(ending, fortran_endings);
        if (!is_fortran && !is_one_of(ending, c_endings)) return;
        std::ifstream stream(file, std::ios::binary);
        const std::string whole((std::istreambuf_iterator<char>(stream)), {});
        const std::string text = without_comments(whole, is_fortran);
        needs_.files.push_back(file.string());
        add_calls(text, is_fortran, file.string());
        if (!is_fortran) add_kernels(text, file.string());
    }

    program_needs take() {
        for (auto& [name, function] : functions_) needs_.functions.push_back(std::move(function));
        return std::move(needs_);
    }

  private:
    void add_calls(const std::string& text, bool is_fortran, const std::string& file) {
        static const std::regex call(R"((^|[^A-Za-z0-9_])((__)?c[ul][A-Za-z0-9_]+)\s*\()", std::regex::icase);
        for (std::sregex_iterator it(text.begin(), text.end(), call), end; it != end; ++it) {
            std::string name = (*it)[2];
            if (is_fortran) {
                // Without case, and what is not Heron's is not known to be a function.
                name = installed_.spelled(lower_case(name));
            }
            const api a = api_of_function(name);
            if (a == api::none) continue;
            needed_function& f = functions_[name];
            if (f.files.empty()) f = {a, name, "", "", found_as::called, {}};
            f.files.insert(file);
        }
    }

    void add_kernels(const std::string& text, const std::string& file) {
        static const std::regex kernel(R"(__global__[^;{(]*?([A-Za-z_][A-Za-z0-9_]*)\s*\()");
        device_code found{file, {}};
        for (std::sregex_iterator it(text.begin(), text.end(), kernel), end; it != end; ++it) {
            const std::string name = (*it)[1];
            if (name != "__launch_bounds__") found.kernels.push_back(name);
        }
        if (!found.kernels.empty() || text.find("<<<") != std::string::npos)
            needs_.device.push_back(std::move(found));
    }

    const installed_libraries& installed_;
    program_needs needs_;
    std::map<std::string, needed_function> functions_;
};

}  // namespace

std::string without_comments(std::string text, bool is_fortran) {
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i;
        if (text[i] == '"' || text[i] == '\'')
            end = end_of_literal(text, i, !is_fortran);
        else if (is_fortran &&
                 (text[i] == '!' || ((text[i] == 'c' || text[i] == 'C' || text[i] == '*') &&
                                     begins_line(text, i) && i + 1 < text.size() && text[i + 1] == ' ')))
            end = end_of_line(text, i);
        else if (!is_fortran && text.compare(i, 2, "//") == 0)
            end = end_of_line(text, i);
        else if (!is_fortran && text.compare(i, 2, "/*") == 0)
            end = std::min(text.find("*/", i + 2), text.size() - 2) + 2;
        if (end == i) {
            ++i;
            continue;
        }
        blank(text, i, end);
        i = end;
    }
    return text;
}

program_needs needs_of_sources(const std::string& path, const installed_libraries& installed) {
    source_scanner scanner(installed);
    std::error_code ignored;
    if (!fs::is_directory(path)) {
        scanner.scan(path);
        return scanner.take();
    }
    std::vector<fs::path> files;
    for (const auto& entry :
         fs::recursive_directory_iterator(path, fs::directory_options::skip_permission_denied, ignored))
        if (entry.is_regular_file(ignored)) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) scanner.scan(file);
    return scanner.take();
}

}  // namespace heron::tools
