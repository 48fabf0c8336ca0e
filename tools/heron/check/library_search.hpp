// Where the dynamic loader would find a library, by its own rules.
#pragma once

#include <string>
#include <vector>

#include "elf_file.hpp"

namespace heron::tools {

class library_search {
  public:
    // Folders that come last, for libraries that a program finds in ways of its own.
    explicit library_search(std::vector<std::string> others = {});

    // The library's file, or nothing. chain: who needs it, who needs that, and so on up to the program.
    std::string find(const std::string& soname, const std::vector<const elf_file*>& chain) const;

    // In the folders of the system and of LD_LIBRARY_PATH alone.
    std::string find_in_system(const std::string& soname) const;

  private:
    std::vector<std::string> by_environment_, system_, others_;
};

// $ORIGIN, $LIB and $PLATFORM put in place.
std::string expanded(const std::string& path, const std::string& of_file);

}  // namespace heron::tools
