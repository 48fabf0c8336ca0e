#include "library_search.hpp"

#include <glob.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace heron::tools {
namespace {

namespace fs = std::filesystem;

void add_configured(const std::string& file, std::vector<std::string>& folders, int depth) {
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line.substr(0, line.find('#')));
        std::string word;
        if (!(words >> word)) continue;
        if (word != "include") {
            folders.push_back(word);
            continue;
        }
        while (depth < 8 && words >> word) {
            if (word.front() != '/') word = (fs::path(file).parent_path() / word).string();
            glob_t found{};
            if (glob(word.c_str(), 0, nullptr, &found) == 0)
                for (std::size_t i = 0; i < found.gl_pathc; ++i)
                    add_configured(found.gl_pathv[i], folders, depth + 1);
            globfree(&found);
        }
    }
}

std::vector<std::string> system_folders() {
    std::vector<std::string> folders;
    add_configured("/etc/ld.so.conf", folders, 0);
    for (const char* folder : {"/lib64", "/usr/lib64", "/lib", "/usr/lib"}) folders.emplace_back(folder);
    return folders;
}

std::vector<std::string> environment_folders() {
    std::vector<std::string> folders;
    const char* const path = std::getenv("LD_LIBRARY_PATH");
    std::istringstream parts(path ? path : "");
    for (std::string part; std::getline(parts, part, ':');) folders.push_back(part.empty() ? "." : part);
    return folders;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

std::string first_in(const std::vector<std::string>& folders, const std::string& name) {
    std::error_code ignored;
    for (const std::string& folder : folders)
        if (const fs::path file = fs::path(folder) / name; fs::is_regular_file(file, ignored))
            return file.string();
    return {};
}

std::vector<std::string> run_paths(const std::vector<std::string>& paths, const elf_file& of) {
    std::vector<std::string> result;
    for (const std::string& path : paths) result.push_back(expanded(path, of.path));
    return result;
}

}  // namespace

std::string expanded(const std::string& path, const std::string& of_file) {
    std::string result = path;
    std::error_code ignored;
    const std::string origin = fs::absolute(of_file, ignored).parent_path().string();
    for (const char* name : {"${ORIGIN}", "$ORIGIN"}) replace_all(result, name, origin);
    for (const char* name : {"${LIB}", "$LIB"}) replace_all(result, name, "lib64");
    return result;
}

library_search::library_search(std::vector<std::string> others)
    : by_environment_(environment_folders()), system_(system_folders()), others_(std::move(others)) {}

std::string library_search::find(const std::string& soname, const std::vector<const elf_file*>& chain) const {
    std::error_code ignored;
    if (soname.find('/') != std::string::npos) return fs::exists(soname, ignored) ? soname : "";
    // A run path of the newer kind switches the older kind off, and counts for its own file's needs only.
    if (!chain.empty() && chain.front()->runpath.empty())
        for (const elf_file* file : chain)
            if (file->runpath.empty())
                if (std::string found = first_in(run_paths(file->rpath, *file), soname); !found.empty())
                    return found;
    if (std::string found = first_in(by_environment_, soname); !found.empty()) return found;
    if (!chain.empty())
        if (std::string found = first_in(run_paths(chain.front()->runpath, *chain.front()), soname);
            !found.empty())
            return found;
    if (std::string found = first_in(system_, soname); !found.empty()) return found;
    return first_in(others_, soname);
}

std::string library_search::find_in_system(const std::string& soname) const { return find(soname, {}); }

}  // namespace heron::tools
