// What an ELF file says of itself: what it needs, what it defines, what its texts name.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace heron::tools {

struct elf_symbol {
    std::string name;
    std::string version;  // of its node; empty: none
    std::string library;  // undefined ones: the soname that the version is asked of; empty: any
    bool is_weak = false;
    std::string section;  // that defines it
};

struct elf_file {
    std::string path;
    int elf_class = 0, machine = 0;  // EI_CLASS, e_machine
    std::string machine_name;
    std::string soname, interpreter;
    std::vector<std::string> needed, rpath, runpath;
    std::vector<elf_symbol> undefined, defined;
    std::vector<std::string> static_functions;  // defined in .symtab alone: linked in
    std::vector<std::string> texts;  // whole strings of its data that are identifiers or file names
    bool has_device_code = false;
    std::vector<std::string> kernels;  // of its device code, where their names can be read

    bool imports(std::string_view name) const;
};

// False where this program was built without libelf.
bool can_read_elf();

// Whether the file begins as an ELF file does.
bool is_elf(const std::string& path);

// Links are what a file needs and defines: all but static_functions, texts and kernels, for which the whole
// file is read.
enum class elf_part { links, all };

// Nothing for a file that is no ELF file. Throws std::runtime_error for one that is broken, or without
// libelf.
std::optional<elf_file> read_elf(const std::string& path, elf_part part = elf_part::all);

}  // namespace heron::tools
