#include "verdict.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace heron::tools {
namespace {

void worsen(backend_verdict& verdict, support state, std::string reason) {
    verdict.state = std::max(verdict.state, state);
    if (!reason.empty()) verdict.reasons.push_back(std::move(reason));
}

class judge_of_needs {
  public:
    judge_of_needs(check_result& result, const installed_libraries& installed, const library_search& search)
        : result_(result), installed_(installed), search_(search) {}

    void judge() {
        for (const needed_function& f : result_.needs.functions) add_function(f);
        for (int b = 0; b < backend_count; ++b) add_files(static_cast<backend_number>(b));
    }

  private:
    // NVIDIA's own serves an NVIDIA GPU.
    bool is_on_system(const std::string& soname, backend_number backend) const {
        const api a = api_of_library(soname);
        return backend == on_cuda && (a == api::cudart || a == api::cublas) &&
               !search_.find_in_system(soname).empty();
    }

    limit state_of(const needed_function& f, backend_number backend) const {
        limit found{support::missing, {}};
        if (installed_.has(f.of, f.library, f.name, f.version))
            found = installed_.is_unsupported(f.of, f.library, f.name) && !is_on_system(f.library, backend)
                        ? limit{support::not_supported, "it answers NOT_SUPPORTED"}
                        : limit_of(f.name, backend);
        else if (is_on_system(f.library, backend))
            found = {support::provided, "by NVIDIA's library"};
        const bool must_be_there = f.how == found_as::imported || f.how == found_as::called;
        if (found.state > support::limited && !must_be_there)
            return {support::limited,
                    fmt::format("{}, but the program may do without", name_of(found.state))};
        return found;
    }

    void add_function(const needed_function& f) {
        function_verdict verdict{&f, {}};
        for (int b = 0; b < backend_count; ++b) {
            verdict.on[static_cast<std::size_t>(b)] = state_of(f, static_cast<backend_number>(b));
            worsen(result_.backends[static_cast<std::size_t>(b)],
                   verdict.on[static_cast<std::size_t>(b)].state, {});
        }
        result_.functions.push_back(verdict);
    }

    void add_files(backend_number b) {
        backend_verdict& verdict = result_.backends[b];
        const program_needs& needs = result_.needs;
        for (const std::string& soname : needs.libraries)
            if (!installed_.find(soname) && !is_on_system(soname, b))
                worsen(verdict, support::missing, fmt::format("Heron has no {}", soname));
        for (const std::string& soname : needs.not_found)
            worsen(verdict, support::missing, fmt::format("{} is not found", soname));
        if (!needs.device.empty())
            worsen(verdict, b == on_cuda ? support::limited : support::not_supported,
                   "it has kernels of its own, which need an NVIDIA GPU");
        for (const std::string& soname : needs.others_of_nvidia)
            worsen(verdict, b == on_cuda ? support::limited : support::not_supported,
                   fmt::format("{} is NVIDIA's and needs an NVIDIA GPU", soname));
        for (const std::string& title : needs.statically_linked) {
            const bool is_runtime = title == title_of(api::cudart);
            worsen(verdict, is_runtime && b == on_cuda ? support::limited : support::not_supported,
                   fmt::format("the {} is linked in: nothing can stand in for it", title));
        }
        for (const std::string& path : needs.absolute_paths)
            worsen(verdict, support::limited,
                   fmt::format("it may open {}: a path goes past Heron's library", path));
    }

    check_result& result_;
    const installed_libraries& installed_;
    const library_search& search_;
};

}  // namespace

support function_verdict::worst() const {
    support worst = support::provided;
    for (const limit& l : on) worst = std::max(worst, l.state);
    return worst;
}

bool check_result::uses_interfaces() const {
    return !needs.functions.empty() || !needs.libraries.empty() || !needs.device.empty() ||
           !needs.statically_linked.empty();
}

check_result judge(program_needs needs, const installed_libraries& installed, const library_search& search) {
    check_result result;
    result.needs = std::move(needs);
    judge_of_needs(result, installed, search).judge();
    return result;
}

int exit_status_of(const check_result& result, const std::string& backend) {
    support best = support::missing;
    for (std::size_t b = 0; b < backend_count; ++b)
        if (backend.empty() || backend == backend_titles[b]) best = std::min(best, result.backends[b].state);
    return std::min(static_cast<int>(best), 2);
}

}  // namespace heron::tools
