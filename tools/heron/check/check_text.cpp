#include "check_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace heron::tools {
namespace {

const char* how_text(found_as how) {
    constexpr const char* texts[] = {"imported", "imported weakly", "looked up", "called"};
    return texts[static_cast<int>(how)];
}

const char* verdict_text(support state) {
    constexpr const char* texts[] = {"runs", "runs, with limits", "cannot run", "cannot run"};
    return texts[static_cast<int>(state)];
}

std::string origin_of(const needed_function& f) {
    if (f.library.empty()) return fmt::format("{} ({})", title_of(f.of), how_text(f.how));
    return f.version.empty() || f.version == f.library ? f.library
                                                       : fmt::format("{} ({})", f.library, f.version);
}

// The limits by their texts, with the backends that have each.
std::string limits_text(const function_verdict& v) {
    std::map<std::string, std::string> backends_of;
    for (std::size_t b = 0; b < backend_count; ++b) {
        if (v.on[b].state == support::provided || v.on[b].text.empty()) continue;
        std::string& backends = backends_of[v.on[b].text];
        backends += (backends.empty() ? "" : ", ") + std::string(backend_titles[b]);
    }
    std::string text;
    for (const auto& [limit, backends] : backends_of) text += fmt::format("    {}: {}\n", backends, limit);
    return text;
}

std::string function_line(const function_verdict& v) {
    return fmt::format("  {:<42} {:<32} {:<14} {:<14} {}\n", v.function->name, origin_of(*v.function),
                       name_of(v.on[on_host].state), name_of(v.on[on_opencl].state),
                       name_of(v.on[on_cuda].state));
}

std::string summary_text(const check_result& result) {
    std::map<std::string, std::pair<int, int>> by_origin;
    for (const function_verdict& v : result.functions) {
        auto& [all, provided] = by_origin[origin_of(*v.function)];
        ++all;
        for (const limit& l : v.on)
            if (l.state == support::provided) {
                ++provided;
                break;
            }
    }
    std::string text;
    for (const auto& [origin, counts] : by_origin)
        text += fmt::format("  {}: {} function{}, {} provided without limits\n", origin, counts.first,
                            counts.first == 1 ? "" : "s", counts.second);
    for (const std::string& soname : result.needs.opened_libraries)
        text += fmt::format("  may open {}\n", soname);
    return text;
}

std::string device_text(const check_result& result) {
    std::string text;
    for (const device_code& d : result.needs.device) {
        text += fmt::format("  kernels in {}:", d.file);
        constexpr std::size_t most = 10;
        for (std::size_t i = 0; i < std::min(d.kernels.size(), most); ++i) text += "\n    " + d.kernels[i];
        if (d.kernels.size() > most) text += fmt::format("\n    and {} more", d.kernels.size() - most);
        text += d.kernels.empty() ? " their names cannot be read\n" : "\n";
    }
    return text;
}

std::string counts_text(const check_result& result, std::size_t backend) {
    int counts[4] = {};
    for (const function_verdict& v : result.functions) ++counts[static_cast<int>(v.on[backend].state)];
    std::string text;
    for (const support state : {support::missing, support::not_supported, support::limited})
        if (const int n = counts[static_cast<int>(state)])
            text += fmt::format("; {} function{} {}", n, n == 1 ? "" : "s", name_of(state));
    for (const std::string& reason : result.backends[backend].reasons) text += "; " + reason;
    return text;
}

record limit_record(const limit& l) {
    record result;
    result["state"] = name_of(l.state);
    if (!l.text.empty()) result["limit"] = l.text;
    return result;
}

record function_record(const function_verdict& v) {
    record result;
    result["function"] = v.function->name;
    result["interface"] = title_of(v.function->of);
    result["found"] = how_text(v.function->how);
    if (!v.function->library.empty()) result["library"] = v.function->library;
    if (!v.function->version.empty()) result["version"] = v.function->version;
    result["files"] = v.function->files;
    for (std::size_t b = 0; b < backend_count; ++b) result[backend_titles[b]] = limit_record(v.on[b]);
    return result;
}

}  // namespace

std::string check_text(const std::string& what, const check_result& result, bool all_functions) {
    std::string text = what + "\n";
    if (!result.uses_interfaces())
        text += "  uses none of cuSPARSE, cuBLAS, clBLAS, clAmdBlas and the CUDA runtime\n";
    text += summary_text(result) + device_text(result);
    std::string lines;
    for (const function_verdict& v : result.functions)
        if (all_functions || v.worst() != support::provided) lines += function_line(v) + limits_text(v);
    if (!lines.empty())
        text += fmt::format("\n  {:<42} {:<32} {:<14} {:<14} {}\n{}", "function", "library", "host", "opencl",
                            "cuda", lines);
    text += "\n";
    for (std::size_t b = 0; b < backend_count; ++b)
        text += fmt::format("  {:<7} {}{}\n", std::string(backend_titles[b]) + ":",
                            verdict_text(result.backends[b].state), counts_text(result, b));
    return text;
}

record check_record(const std::string& what, const check_result& result, const std::string& backend) {
    record r;
    r["what"] = what;
    r["files"] = result.needs.files;
    r["libraries"] = result.needs.libraries;
    r["opened"] = result.needs.opened_libraries;
    r["not_found"] = result.needs.not_found;
    r["others_of_nvidia"] = result.needs.others_of_nvidia;
    r["linked_in"] = result.needs.statically_linked;
    r["device_code"] = record::array();
    for (const device_code& d : result.needs.device)
        r["device_code"].push_back({{"file", d.file}, {"kernels", d.kernels}});
    r["functions"] = record::array();
    for (const function_verdict& v : result.functions) r["functions"].push_back(function_record(v));
    for (std::size_t b = 0; b < backend_count; ++b) {
        record verdict;
        verdict["verdict"] = verdict_text(result.backends[b].state);
        verdict["reasons"] = result.backends[b].reasons;
        r["backends"][backend_titles[b]] = verdict;
    }
    r["status"] = exit_status_of(result, backend);
    return r;
}

}  // namespace heron::tools
