// How a program is started so that it loads Heron's libraries.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "check/api.hpp"

namespace heron::tools {

struct launch_request {
    std::string program;
    std::string backend;                     // that was chosen; empty: none
    std::vector<std::string> own_libraries;  // "cudart", "cublas": Heron's even where NVIDIA's are
};

struct launch {
    std::string path;  // of the program
    std::vector<std::string> library_path, preload;
    std::vector<std::string> notes;     // what was decided, and why
    std::vector<std::string> warnings;  // what will not work
};

// Throws std::runtime_error where there is no such program.
launch plan_launch(const launch_request& request);

// As the shell finds a program; empty where it finds none.
std::string find_program(const std::string& name);

}  // namespace heron::tools
