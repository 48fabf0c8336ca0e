#include "report_text.hpp"
#include <fmt/format.h>
#include <algorithm>
#include <string_view>

namespace heron::report {
namespace {

constexpr std::uint64_t often = 100;

std::string duration(double seconds) {
    if (seconds < 0) return "-";
    if (seconds < 1e-3) return fmt::format("{:.1f} us", seconds * 1e6);
    return seconds < 1 ? fmt::format("{:.1f} ms", seconds * 1e3) : fmt::format("{:.2f} s", seconds);
}

// In units of 10^9 a second, of the device's time where that is known.
std::string rate(const function_counts& f, double amount) {
    const double seconds = f.device_seconds > 0 ? f.device_seconds : f.host_seconds;
    return amount > 0 && seconds > 0 ? fmt::format("{:.2f}", amount / seconds / 1e9) : "-";
}

std::vector<function_counts> by_time(std::vector<function_counts> functions) {
    std::stable_sort(functions.begin(), functions.end(),
                     [](const auto& a, const auto& b) { return a.host_seconds > b.host_seconds; });
    return functions;
}

// Of what the memory moves in that time.
std::string share_of(const function_counts& f, double bandwidth) {
    const double seconds = f.device_seconds > 0 ? f.device_seconds : 0;
    return bandwidth > 0 && seconds > 0 && f.bytes > 0
               ? fmt::format("{:.0f} %", 100 * f.bytes / seconds / bandwidth)
               : "-";
}

std::string line_of(const function_counts& f, double bandwidth) {
    const double mean = f.calls ? f.host_seconds / static_cast<double>(f.calls) : 0;
    return fmt::format("{:<44} {:>9} {:>7} {:>10} {:>10} {:>10} {:>10} {:>9} {:>7} {:>9}\n", f.function,
                       f.calls, f.failures, duration(f.host_seconds), duration(mean),
                       duration(f.longest_seconds), duration(f.device_seconds), rate(f, f.bytes),
                       share_of(f, bandwidth), rate(f, f.flops));
}

bool ends_with(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

std::uint64_t calls_of(const std::vector<function_counts>& functions, std::string_view name) {
    for (const function_counts& f : functions)
        if (f.function == name) return f.calls;
    return 0;
}

// The calls of what NAME_SUFFIX prepares: NAME, NAME_solve or NAME_compute.
std::uint64_t runs_of(const std::vector<function_counts>& functions, const std::string& name) {
    return std::max({calls_of(functions, name), calls_of(functions, name + "_solve"),
                     calls_of(functions, name + "_compute")});
}

// For a function NAME_SUFFIX that was called for nearly every run: the number of runs, else 0.
std::uint64_t runs_per_preparation(const std::vector<function_counts>& functions, const function_counts& f,
                                   std::string_view suffix) {
    if (f.calls < often || !ends_with(f.function, suffix)) return 0;
    const std::uint64_t runs = runs_of(functions, f.function.substr(0, f.function.size() - suffix.size()));
    return runs > 0 && 2 * f.calls >= runs ? runs : 0;
}

// The gain is another program's: the range says how much it varies with the matrix and the type.
std::string preparation_hint(const function_counts& f) {
    return fmt::format(
        "{0} was called {1} times on one matrix without preprocess: about {2:.1f}x with {0}_preprocess once "
        "before ({3:.1f}x to {4:.1f}x where it was measured, on {5}: {6})",
        f.function, f.unprepared, f.gain.typical, f.gain.least, f.gain.most, f.gain.device, f.gain.result);
}

void add_hints(std::vector<std::string>& hints, const std::vector<function_counts>& all,
               const function_counts& f) {
    if (f.failures > 0)
        hints.push_back(fmt::format("{} failed in {} of {} calls{}{}", f.function, f.failures, f.calls,
                                    f.reason.empty() ? "" : "; the first: ", f.reason));
    if (f.unprepared >= often && f.gain.typical > 1) hints.push_back(preparation_hint(f));
    if (f.unsorted > 0)
        hints.push_back(fmt::format(
            "{} got a matrix whose indices do not ascend, as in row {}: sort it once, memory is then read in "
            "order, and functions that need sorted rows take it",
            f.function, f.unsorted - 1));
    for (const char* suffix : {"_bufferSize", "_bufferSizeExt"})
        if (const std::uint64_t runs = runs_per_preparation(all, f, suffix))
            hints.push_back(fmt::format(
                "{} was called {} times for {} runs: keep the workspace for all runs of one shape",
                f.function, f.calls, runs));
    if (const std::uint64_t runs = runs_per_preparation(all, f, "_analysis"))
        hints.push_back(fmt::format(
            "{} was called {} times for {} runs: it depends on the pattern alone, new values need no new one",
            f.function, f.calls, runs));
    if (f.calls >= often && f.function.find("Create") != std::string::npos)
        hints.push_back(fmt::format("{} was called {} times ({}): what it makes may serve many calls",
                                    f.function, f.calls, duration(f.host_seconds)));
    if (f.calls >= often && ends_with(f.function, "Malloc"))
        hints.push_back(fmt::format("{} was called {} times ({}): keep memory that is needed again",
                                    f.function, f.calls, duration(f.host_seconds)));
}

std::string in_quotes(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            result += {'\\', c};
        else if (code < 0x20)
            result += fmt::format("\\u{:04x}", static_cast<unsigned>(code));
        else
            result += c;
    }
    return result + '"';
}

std::string json_of(const measured_gain& gain) {
    return fmt::format("{{\"typical\": {}, \"least\": {}, \"most\": {}, \"device\": {}, \"result\": {}}}",
                       gain.typical, gain.least, gain.most, in_quotes(gain.device), in_quotes(gain.result));
}

std::string json_of(const function_counts& f) {
    std::string text = fmt::format(
        "    {{\"function\": {}, \"calls\": {}, \"failures\": {}, \"host_seconds\": {:.9f}, "
        "\"longest_seconds\": {:.9f}",
        in_quotes(f.function), f.calls, f.failures, f.host_seconds, f.longest_seconds);
    if (f.device_seconds >= 0) text += fmt::format(", \"device_seconds\": {:.9f}", f.device_seconds);
    if (f.flops > 0) text += fmt::format(", \"flops\": {:.0f}", f.flops);
    if (f.bytes > 0) text += fmt::format(", \"bytes\": {:.0f}", f.bytes);
    if (f.unprepared > 0)
        text += fmt::format(", \"unprepared\": {}, \"preparation_gain\": {}", f.unprepared, json_of(f.gain));
    if (f.unsorted > 0) text += fmt::format(", \"unsorted\": {}", f.unsorted);
    if (!f.reason.empty()) text += fmt::format(", \"reason\": {}", in_quotes(f.reason));
    return text + "}";
}

std::string title_of(const process_report& r) {
    std::string title = fmt::format("Heron: calls of {}, process {}", r.program, r.process);
    if (r.rank >= 0) title += fmt::format(", rank {}", r.rank);
    if (!r.backend.empty()) title += fmt::format(", on {}", r.backend);
    title += fmt::format(", {}", duration(r.seconds));
    if (r.bandwidth > 0) title += fmt::format("; the memory moves {:.3g} GB/s", r.bandwidth / 1e9);
    return title + "\n";
}

}  // namespace

void add(function_counts& sum, const function_counts& row) {
    sum.calls += row.calls;
    sum.failures += row.failures;
    sum.host_seconds += row.host_seconds;
    sum.longest_seconds = std::max(sum.longest_seconds, row.longest_seconds);
    if (row.device_seconds >= 0) sum.device_seconds = std::max(sum.device_seconds, 0.0) + row.device_seconds;
    sum.flops += row.flops;
    sum.bytes += row.bytes;
    if (row.unprepared > sum.unprepared) {
        sum.unprepared = row.unprepared;
        sum.gain = row.gain;
    }
    if (sum.unsorted == 0) sum.unsorted = row.unsorted;
    if (sum.reason.empty()) sum.reason = row.reason;
}

std::vector<std::string> hints_of(const std::vector<function_counts>& functions) {
    std::vector<std::string> hints;
    for (const function_counts& f : functions) add_hints(hints, functions, f);
    return hints;
}

std::string table_of(const process_report& report) {
    const std::vector<function_counts> functions = by_time(report.functions);
    std::string text = title_of(report);
    text +=
        fmt::format("{:<44} {:>9} {:>7} {:>10} {:>10} {:>10} {:>10} {:>9} {:>7} {:>9}\n", "function", "calls",
                    "failed", "host time", "mean", "longest", "device", "GB/s", "share", "Gflop/s");
    for (const function_counts& f : functions) text += line_of(f, report.bandwidth);
    for (const std::string& hint : hints_of(functions)) text += fmt::format("hint: {}\n", hint);
    return text;
}

std::string json_of(const process_report& report) {
    const std::vector<function_counts> functions = by_time(report.functions);
    std::string text = fmt::format("{{\n  \"program\": {},\n  \"process\": {},\n", in_quotes(report.program),
                                   report.process);
    if (report.rank >= 0) text += fmt::format("  \"rank\": {},\n", report.rank);
    if (report.bandwidth > 0) text += fmt::format("  \"bandwidth\": {:.4g},\n", report.bandwidth);
    text += fmt::format("  \"backend\": {},\n  \"seconds\": {:.6f},\n  \"functions\": [",
                        in_quotes(report.backend), report.seconds);
    const char* separator = "\n";
    for (const function_counts& f : functions) {
        text += separator + json_of(f);
        separator = ",\n";
    }
    text += "\n  ],\n  \"hints\": [";
    separator = "\n    ";
    for (const std::string& hint : hints_of(functions)) {
        text += separator + in_quotes(hint);
        separator = ",\n    ";
    }
    return text + "\n  ]\n}\n";
}

}  // namespace heron::report
