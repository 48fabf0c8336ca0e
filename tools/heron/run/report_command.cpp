#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <stdexcept>

#include "commands.hpp"
#include "core/report_text.hpp"
#include "measure/report.hpp"

namespace heron::tools {
namespace {

using heron::report::function_counts;
using heron::report::process_report;

struct report_arguments {
    std::vector<std::string> files;
    std::string output = "table";
};

heron::report::measured_gain gain_from(const record& r) {
    return {r.at("typical"), r.at("least"), r.at("most"), r.at("device"), r.at("result")};
}

function_counts counts_from(const record& r) {
    function_counts f;
    f.function = r.at("function");
    f.calls = r.at("calls");
    f.failures = r.at("failures");
    f.host_seconds = r.at("host_seconds");
    f.longest_seconds = r.at("longest_seconds");
    f.device_seconds = r.value("device_seconds", -1.0);
    f.flops = r.value("flops", 0.0);
    f.bytes = r.value("bytes", 0.0);
    f.unprepared = r.value("unprepared", std::uint64_t{0});
    if (r.contains("preparation_gain")) f.gain = gain_from(r.at("preparation_gain"));
    f.unsorted = r.value("unsorted", std::int64_t{0});
    f.reason = r.value("reason", "");
    return f;
}

process_report read_report(const std::string& file) {
    std::ifstream stream(file);
    if (!stream) throw std::runtime_error(fmt::format("cannot read {}", file));
    try {
        const record r = record::parse(stream);
        process_report report;
        report.program = r.at("program");
        report.process = r.at("process");
        report.rank = r.value("rank", -1);
        report.backend = r.at("backend");
        report.seconds = r.at("seconds");
        report.bandwidth = r.value("bandwidth", 0.0);
        for (const record& f : r.at("functions")) report.functions.push_back(counts_from(f));
        return report;
    } catch (const nlohmann::json::exception& error) {
        throw std::runtime_error(fmt::format("{} is no report in JSON: {}", file, error.what()));
    }
}

process_report sum_of(const std::vector<process_report>& reports) {
    process_report sum = reports.front();
    std::map<std::string, function_counts> functions;
    sum.rank = -1;
    for (const process_report& r : reports) {
        sum.seconds = std::max(sum.seconds, r.seconds);
        for (const function_counts& f : r.functions) {
            auto [place, is_new] = functions.try_emplace(f.function, f);
            if (!is_new) heron::report::add(place->second, f);
        }
    }
    sum.functions.clear();
    for (auto& [name, f] : functions) sum.functions.push_back(std::move(f));
    return sum;
}

double seconds_in_calls(const process_report& r) {
    double seconds = 0;
    for (const function_counts& f : r.functions) seconds += f.host_seconds;
    return seconds;
}

std::string processes_text(const std::vector<process_report>& reports) {
    std::string text = fmt::format("{:>6} {:>9} {:<24} {:<8} {:>10} {:>10}\n", "rank", "process", "program",
                                   "backend", "seconds", "in calls");
    for (const process_report& r : reports)
        text += fmt::format("{:>6} {:>9} {:<24} {:<8} {:>10.3f} {:>10.3f}\n",
                            r.rank < 0 ? "-" : std::to_string(r.rank), r.process, r.program, r.backend,
                            r.seconds, seconds_in_calls(r));
    return text + "\nAll of them; seconds are added up:\n";
}

void run_report(const report_arguments& arguments) {
    std::vector<process_report> reports;
    for (const std::string& file : arguments.files) reports.push_back(read_report(file));
    std::stable_sort(reports.begin(), reports.end(),
                     [](const auto& a, const auto& b) { return a.rank < b.rank; });
    const process_report sum = sum_of(reports);
    if (arguments.output == "json")
        write_text("", heron::report::json_of(sum));
    else
        write_text("", (reports.size() > 1 ? processes_text(reports) : "") + heron::report::table_of(sum));
}

}  // namespace

void add_report_command(CLI::App& app) {
    const auto arguments = std::make_shared<report_arguments>();
    CLI::App* command =
        app.add_subcommand("report", "Add up the reports of several processes, such as MPI's");
    command->add_option("files", arguments->files, "Reports in JSON, of heron run --report FILE.json")
        ->required();
    command->add_option("--output", arguments->output, "table or json")
        ->check(CLI::IsMember({"table", "json"}))
        ->capture_default_str();
    command->callback([arguments] { run_report(*arguments); });
}

}  // namespace heron::tools
