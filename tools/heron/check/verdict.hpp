// Whether what a program needs is there, by backend.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "installed.hpp"
#include "limits.hpp"
#include "needs.hpp"

namespace heron::tools {

struct function_verdict {
    const needed_function* function;
    std::array<limit, backend_count> on;
    support worst() const;
};

struct backend_verdict {
    support state = support::provided;
    std::vector<std::string> reasons;  // for what is not provided, without the functions'
};

struct check_result {
    program_needs needs;
    std::vector<function_verdict> functions;
    std::array<backend_verdict, backend_count> backends;
    bool uses_interfaces() const;
};

check_result judge(program_needs needs, const installed_libraries& installed, const library_search& search);

// 0: provided, 1: with limits, 2: not. Of one backend, or of the one that has most.
int exit_status_of(const check_result& result, const std::string& backend);

}  // namespace heron::tools
