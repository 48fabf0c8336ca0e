// What a program needs of the interfaces that Heron stands in for, with the libraries that it needs in turn.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "api.hpp"
#include "elf_file.hpp"
#include "library_search.hpp"

namespace heron::tools {

enum class found_as { imported, weakly_imported, looked_up, called };

struct needed_function {
    api of = api::none;
    std::string name, library, version;  // library: a soname, or empty
    found_as how = found_as::imported;
    std::set<std::string> files;  // that need it
};

struct device_code {
    std::string file;
    std::vector<std::string> kernels;
};

struct program_needs {
    std::vector<std::string> files;  // that were read
    std::vector<needed_function> functions;
    std::set<std::string> libraries;         // sonames of these interfaces that are needed
    std::set<std::string> opened_libraries;  // and those that occur as texts
    std::set<std::string> others_of_nvidia;  // libraries that Heron has nothing for
    std::set<std::string> not_found;         // libraries that are nowhere
    bool has_old_run_paths = false;          // RPATH, which the loader asks before LD_LIBRARY_PATH
    std::vector<device_code> device;
    std::set<std::string>
        statically_linked;                 // interfaces that are part of a file, where nothing can stand in
    std::set<std::string> absolute_paths;  // of such libraries, as texts: opening those goes past everything
};

// Of programs and libraries, each with what it needs in turn. Files that Heron stands in for are not entered.
program_needs needs_of(const std::vector<std::string>& files, const library_search& search);

// The ELF files below a folder.
std::vector<std::string> elf_files_below(const std::string& folder);

}  // namespace heron::tools
