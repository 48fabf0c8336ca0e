#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <set>
#include <stdexcept>

#include "check_text.hpp"
#include "commands.hpp"
#include "source_scan.hpp"

namespace heron::tools {
namespace {

namespace fs = std::filesystem;

struct check_arguments {
    std::string program, sources, output = "table", backend;
    bool shows_all = false;
};

std::vector<std::string> folders_of(const std::vector<std::string>& files) {
    std::set<std::string> folders;
    for (const std::string& file : files) folders.insert(fs::path(file).parent_path().string());
    return {folders.begin(), folders.end()};
}

check_result check_program(const std::string& path) {
    const bool is_folder = fs::is_directory(path);
    const std::vector<std::string> files = is_folder ? elf_files_below(path) : std::vector<std::string>{path};
    if (is_folder && files.empty()) throw std::runtime_error(fmt::format("there is no ELF file in {}", path));
    if (!is_folder && !fs::exists(path)) throw std::runtime_error(fmt::format("there is no file {}", path));
    if (!is_folder && !is_elf(path))
        throw std::runtime_error(
            fmt::format("{} is no ELF file: name the program or library that it starts, or --sources", path));
    const library_search search(is_folder ? folders_of(files) : std::vector<std::string>{});
    const installed_libraries installed;
    return judge(needs_of(files, search), installed, search);
}

check_result check_sources(const std::string& path) {
    if (!fs::exists(path)) throw std::runtime_error(fmt::format("there is no folder {}", path));
    const installed_libraries installed;
    return judge(needs_of_sources(path, installed), installed, library_search());
}

void check_and_write(const check_arguments& arguments) {
    if (!can_read_elf())
        throw std::runtime_error("this heron was built without libelf and cannot read programs or libraries");
    if (arguments.program.empty() == arguments.sources.empty())
        throw std::runtime_error("give a program, library or folder, or --sources with a folder");
    const bool is_program = !arguments.program.empty();
    const std::string& what = is_program ? arguments.program : arguments.sources;
    const check_result result = is_program ? check_program(what) : check_sources(what);
    write_text("", arguments.output == "json" ? check_record(what, result, arguments.backend).dump(2) + "\n"
                                              : check_text(what, result, arguments.shows_all));
    if (const int status = exit_status_of(result, arguments.backend)) throw CLI::RuntimeError(status);
}

// What cannot be checked has the status of what cannot run.
void run_check(const check_arguments& arguments) {
    try {
        check_and_write(arguments);
    } catch (const std::exception& error) {
        if (dynamic_cast<const CLI::Error*>(&error)) throw;
        fmt::print(stderr, "heron check: {}\n", error.what());
        throw CLI::RuntimeError(2);
    }
}

}  // namespace

void add_check_command(CLI::App& app) {
    const auto arguments = std::make_shared<check_arguments>();
    CLI::App* command = app.add_subcommand("check", "Say whether a program will run on Heron, and where");
    command->add_option("program", arguments->program, "Program, library, or a folder with such");
    command->add_option("--sources", arguments->sources,
                        "Folder or file of C, C++, CUDA or Fortran, instead of a program");
    command
        ->add_option("--backend", arguments->backend,
                     "What the exit status is about; without it the best one")
        ->check(CLI::IsMember({"host", "opencl", "cuda"}));
    command->add_option("--output", arguments->output, "table or json")
        ->check(CLI::IsMember({"table", "json"}))
        ->capture_default_str();
    command->add_flag("--all", arguments->shows_all, "Show also the functions that are provided everywhere");
    command->footer(
        "Exit status: 0 all is provided, 1 there are limits, 2 it cannot run.\n"
        "Nothing is run: what a program loads by names that it makes is not seen.");
    command->callback([arguments] { run_check(*arguments); });
}

}  // namespace heron::tools
