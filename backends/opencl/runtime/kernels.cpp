#include "kernels.hpp"
#include "error.hpp"
#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

namespace heron::opencl {
namespace {

constexpr std::array<std::string_view, 14> families{"spmv",   "spmm",    "sddmm",   "spgemm",  "trisolve",
                                                    "kron",   "convert", "reorder", "tridiag", "prune",
                                                    "factor", "blas1",   "blas2",   "trsv"};
using choices = std::array<kernel_choice, families.size()>;

std::optional<kernel_choice> choice_named(std::string_view name) {
    if (name == "gpu") return kernel_choice::gpu;
    if (name == "generic") return kernel_choice::generic;
    if (name == "registers") return kernel_choice::registers;
    return std::nullopt;
}

// False when the entry has no meaning.
bool apply(std::string_view entry, choices& to) {
    const size_t equals = entry.find('=');
    const bool is_for_all = equals == std::string_view::npos;
    const auto choice = choice_named(is_for_all ? entry : entry.substr(equals + 1));
    const std::string_view family = is_for_all ? std::string_view() : entry.substr(0, equals);
    if (!choice || (*choice == kernel_choice::registers && family != "kron")) return false;
    if (is_for_all) {
        to.fill(*choice);
        return true;
    }
    const auto found = std::find(families.begin(), families.end(), family);
    if (found == families.end()) return false;
    to[static_cast<size_t>(found - families.begin())] = *choice;
    return true;
}

choices read_setting() {
    choices result{};
    const char* const text = std::getenv("HERON_OPENCL_KERNELS");
    for (std::string_view rest = text ? text : ""; !rest.empty();) {
        const std::string_view entry = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(entry.size() + 1, rest.size()));
        if (entry.empty() || apply(entry, result)) continue;
        const std::string line = "\"" + std::string(entry) + "\" names no kernels; it is ignored";
        log(log_level::hint, "HERON_OPENCL_KERNELS", line.c_str());
    }
    return result;
}

}  // namespace

kernel_choice wanted_kernels(std::string_view family) {
    static const choices wanted = read_setting();
    const auto found = std::find(families.begin(), families.end(), family);
    return found == families.end() ? kernel_choice::by_device
                                   : wanted[static_cast<size_t>(found - families.begin())];
}

bool takes_gpu_kernels(std::string_view family, bool by_itself) {
    const kernel_choice wanted = wanted_kernels(family);
    return wanted == kernel_choice::by_device ? by_itself : wanted != kernel_choice::generic;
}

}  // namespace heron::opencl
