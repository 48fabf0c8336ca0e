// What Heron's installed libraries have: read from their dynamic symbols.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "api.hpp"

namespace heron::tools {

// The folder heron/ beside libheron, whose folders hold the libraries with other vendors' names.
std::string folder_of_installation();

class installed_libraries {
  public:
    struct library {
        std::string path;
        std::map<std::string, std::set<std::string>> functions;  // and the version nodes that each is in
        std::set<std::string>
            unsupported;  // of these the ones that are there for programs to load, and answer NOT_SUPPORTED
    };

    installed_libraries();

    // By soname; NULL where Heron has no such library.
    const library* find(std::string_view soname) const;
    // Whether that library, or with an empty soname any of the interface's, has the function at the version,
    // or at any if that is empty.
    bool has(api a, const std::string& soname, const std::string& function, const std::string& version) const;
    // Whether it only answers NOT_SUPPORTED there: such functions are in a section of their own.
    bool is_unsupported(api a, const std::string& soname, const std::string& function) const;
    // The files of an interface, by soname.
    std::map<std::string, std::string> files_of(api a) const;
    // A function's name as it is spelled, of names that are compared without case; empty if there is none.
    std::string spelled(const std::string& lower_case) const;

  private:
    void add(const std::string& path);

    std::map<std::string, library, std::less<>> libraries_;
    std::map<std::string, std::string> by_lower_case_;
};

}  // namespace heron::tools
