// In place of elf_file.cpp where there is no libelf.
#include <stdexcept>

#include "elf_file.hpp"

namespace heron::tools {

bool can_read_elf() { return false; }

std::optional<elf_file> read_elf(const std::string&, elf_part) {
    throw std::runtime_error("this program was built without libelf and cannot read programs");
}

}  // namespace heron::tools
