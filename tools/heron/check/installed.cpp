#include "installed.hpp"

#include <dlfcn.h>
#include <heron/heron.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <stdexcept>

#include "elf_file.hpp"

namespace heron::tools {
namespace {

namespace fs = std::filesystem;

std::string lower_case(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

}  // namespace

std::string folder_of_installation() {
    Dl_info info{};
    if (!dladdr(reinterpret_cast<const void*>(&heron_version), &info) || !info.dli_fname)
        throw std::runtime_error("cannot find where libheron is");
    return (fs::canonical(info.dli_fname).parent_path() / "heron").string();
}

installed_libraries::installed_libraries() {
    std::error_code ignored;
    for (const fs::directory_entry& folder : fs::directory_iterator(folder_of_installation(), ignored))
        if (folder.is_directory(ignored))
            for (const fs::directory_entry& entry : fs::directory_iterator(folder.path(), ignored))
                if (entry.is_regular_file(ignored)) add(entry.path().string());
}

void installed_libraries::add(const std::string& path) {
    const auto elf = read_elf(path, elf_part::links);
    if (!elf || api_of_library(elf->soname) == api::none) return;
    library& known = libraries_[elf->soname];
    known.path = (fs::path(path).parent_path() / elf->soname).string();
    for (const elf_symbol& s : elf->defined) {
        if (api_of_function(s.name) == api::none) continue;
        known.functions[s.name].insert(s.version);
        if (s.section == "heron_unsupported") known.unsupported.insert(s.name);
        by_lower_case_[lower_case(s.name)] = s.name;
    }
}

const installed_libraries::library* installed_libraries::find(std::string_view soname) const {
    const auto found = libraries_.find(soname);
    return found == libraries_.end() ? nullptr : &found->second;
}

bool installed_libraries::has(api a, const std::string& soname, const std::string& function,
                              const std::string& version) const {
    for (const auto& [name, known] : libraries_) {
        if (soname.empty() ? api_of_library(name) != a : name != soname) continue;
        const auto found = known.functions.find(function);
        if (found != known.functions.end() && (version.empty() || found->second.contains(version)))
            return true;
    }
    return false;
}

bool installed_libraries::is_unsupported(api a, const std::string& soname,
                                         const std::string& function) const {
    for (const auto& [name, known] : libraries_)
        if ((soname.empty() ? api_of_library(name) == a : name == soname) &&
            known.functions.contains(function))
            return known.unsupported.contains(function);
    return false;
}

std::map<std::string, std::string> installed_libraries::files_of(api a) const {
    std::map<std::string, std::string> files;
    for (const auto& [soname, known] : libraries_)
        if (api_of_library(soname) == a) files[soname] = known.path;
    return files;
}

std::string installed_libraries::spelled(const std::string& lower_case_name) const {
    const auto found = by_lower_case_.find(lower_case_name);
    return found == by_lower_case_.end() ? "" : found->second;
}

}  // namespace heron::tools
