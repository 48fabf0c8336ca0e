#include "launch.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "check/installed.hpp"
#include "check/needs.hpp"

namespace heron::tools {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

void add_once(std::vector<std::string>& list, const std::string& item) {
    if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

// Of a driver of NVIDIA's, on Linux or on the Linux of Windows: nothing is started to find out.
bool has_gpu() {
    std::error_code ignored;
    for (const char* device : {"/dev/nvidiactl", "/dev/nvgpu", "/dev/nvhost-gpu", "/dev/dxg"})
        if (fs::exists(device, ignored)) return true;
    return false;
}

class launch_planner {
  public:
    launch_planner(const launch_request& request, launch& result) : request_(request), result_(result) {}

    void plan() {
        read_program();
        for (const api a : {api::cusparse, api::clblas, api::clamdblas}) stand_in(a);
        for (const api a : {api::cudart, api::cublas}) stand_in_or_back(a);
    }

  private:
    void read_program() {
        struct stat file {};
        if (stat(result_.path.c_str(), &file) == 0 && file.st_mode & (S_ISUID | S_ISGID))
            warn(
                "the program changes its user or group, so that the loader ignores where Heron's libraries "
                "are");
        if (!is_elf(result_.path)) {
            note("the program is a script: what its interpreter loads is not known before");
            return;
        }
        const auto elf = read_elf(result_.path, elf_part::links);
        if (elf && elf->interpreter.empty() && elf->needed.empty())
            warn("the program is linked statically: no library can stand in for another");
        needs_ = needs_of({result_.path}, search_);
        for (const std::string& title : needs_.statically_linked)
            warn(fmt::format("the {} is linked in: nothing can stand in for it", title));
        for (const std::string& path : needs_.absolute_paths)
            warn(fmt::format("if it opens {} by this path, that one is loaded", path));
    }

    bool is_named(const std::string& soname) const {
        return needs_.libraries.contains(soname) || needs_.opened_libraries.contains(soname);
    }

    // The program itself names no library of these: what it loads later may.
    bool names_none() const { return needs_.libraries.empty() && needs_.opened_libraries.empty(); }

    void take(const std::string& soname, const std::string& file, const char* why) {
        add_once(result_.library_path, fs::path(file).parent_path().string());
        if (!why) return;
        add_once(result_.preload, file);
        note(fmt::format("{} is loaded before the program: {}", soname, why));
    }

    // A run path of the older kind comes before LD_LIBRARY_PATH, and so do libraries that Python's extensions
    // name.
    const char* reason_to_preload(const std::string& soname) const {
        if (needs_.has_old_run_paths && is_named(soname)) return "a run path (RPATH) would come first";
        return names_none() && soname == "libcusparse.so.12"
                   ? "the program names no library, what it loads later may"
                   : nullptr;
    }

    void stand_in(api a) {
        for (const auto& [soname, file] : installed_.files_of(a))
            take(soname, file, reason_to_preload(soname));
    }

    bool is_asked_for(api a) const {
        const std::string name = a == api::cudart ? "cudart" : "cublas";
        const auto& own = request_.own_libraries;
        return std::find(own.begin(), own.end(), name) != own.end();
    }

    void stand_in_or_back(api a) {
        const auto& own = installed_.files_of(a);
        const bool any_theirs = std::any_of(own.begin(), own.end(), [&](const auto& library) {
            return stands_back(a, path_of_theirs(library.first));
        });
        for (const auto& [soname, file] : own) {
            const std::string theirs = path_of_theirs(soname);
            if (stands_back(a, theirs)) {
                if (is_named(soname)) note(fmt::format("{} is NVIDIA's, {}", soname, theirs));
            } else if (!any_theirs) {
                take(soname, file, is_named(soname) && !theirs.empty() ? reason_against_theirs(a) : nullptr);
                if (is_named(soname) && theirs.empty())
                    note(fmt::format("{} is Heron's: there is no other", soname));
            } else if (is_named(soname)) {
                // Its folder has others, too, that must not hide NVIDIA's.
                add_once(result_.preload, file);
                note(fmt::format("{} is Heron's: there is no other", soname));
            }
        }
    }

    bool stands_back(api a, const std::string& theirs) const {
        return !theirs.empty() && !reason_against_theirs(a);
    }

    std::string path_of_theirs(const std::string& soname) const {
        const auto elf = is_elf(result_.path) ? read_elf(result_.path, elf_part::links) : std::nullopt;
        const std::string path = elf ? search_.find(soname, {&*elf}) : search_.find_in_system(soname);
        std::error_code ignored;
        const auto relative =
            path.empty() ? std::string() : fs::relative(path, folder_of_installation(), ignored).string();
        return relative.starts_with("..") ? path : std::string();
    }

    const char* reason_against_theirs(api a) const {
        if (is_asked_for(a)) return "it was asked for";
        if (request_.backend == "cuda") return nullptr;
        if (!request_.backend.empty()) return "NVIDIA's works on no other backend than cuda";
        return has_gpu() ? nullptr : "there is no NVIDIA GPU";
    }

    void note(std::string text) { result_.notes.push_back(std::move(text)); }
    void warn(std::string text) { result_.warnings.push_back(std::move(text)); }

    const launch_request& request_;
    launch& result_;
    const installed_libraries installed_;
    const library_search search_;
    program_needs needs_;
};

// Without libelf nothing is known of the program: all that is there stands in, before everything.
void plan_without_elf(launch& result) {
    const fs::path folder = folder_of_installation();
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        if (entry.is_directory(ignored)) result.library_path.push_back(entry.path().string());
    if (const fs::path library = folder / "compat/libcusparse.so.12"; fs::exists(library))
        result.preload.push_back(library.string());
    result.notes.emplace_back("built without libelf: the program is not looked at");
}

}  // namespace

std::string find_program(const std::string& name) {
    if (name.find('/') != std::string::npos) return is_program(name) ? name : "";
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path ? path : "/usr/local/bin:/usr/bin:/bin");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (const fs::path file = fs::path(folder.empty() ? "." : folder) / name; is_program(file))
            return file.string();
    return {};
}

launch plan_launch(const launch_request& request) {
    launch result;
    result.path = find_program(request.program);
    if (result.path.empty())
        throw std::runtime_error(fmt::format("there is no program {} that can be run", request.program));
    if (can_read_elf())
        launch_planner(request, result).plan();
    else
        plan_without_elf(result);
    return result;
}

}  // namespace heron::tools
