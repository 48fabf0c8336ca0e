#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>

#include "elf_file.hpp"

namespace heron::tools {

bool elf_file::imports(std::string_view name) const {
    return std::any_of(undefined.begin(), undefined.end(),
                       [&](const elf_symbol& s) { return s.name == name; });
}

bool is_elf(const std::string& path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
    char magic[4] = {};
    return file && std::fread(magic, 1, sizeof magic, file.get()) == sizeof magic &&
           std::memcmp(magic, "\177ELF", 4) == 0;
}

}  // namespace heron::tools
