#include "function_contest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "device_record.hpp"
#include "launch_count.hpp"
#include "time_contenders.hpp"

namespace heron::tools {

struct function_contest::entry {
    const contestant* who;
    record row;
    std::unique_ptr<function_contender> contender{};
    double seconds = 0;  // 0: not measured

    void give_up(const char* result, const std::string& why) {
        row["result"] = result;
        row["message"] = why;
        contender.reset();
    }

    void prepare(const std::function<std::unique_ptr<function_contender>(const contestant&)>& make) {
        row["contender"] = who->name;
        try {
            contender = make(*who);
            contender->call();
            who->where->synchronize();
            const std::string wrong = contender->check();
            if (!wrong.empty()) return give_up("WRONG", wrong);
            row["result"] = "right";
        } catch (const cusparse_error& error) {
            give_up(error.is_unsupported() ? "not supported" : "failed", error.what());
        } catch (const std::exception& error) {
            give_up("failed", reason_of(error));
        }
    }

    void add_timing(const timing& measured, double bytes) {
        if (!measured.error.empty()) return give_up("failed", measured.error);
        seconds = measured.median;
        row["seconds"] = measured.median;
        row["seconds_min"] = measured.min;
        row["bytes_per_second"] = bytes / measured.median;
    }
};

void function_contest::run(
    const record& head, double bytes, const std::function<bool(const contestant&)>& takes_part,
    const std::function<std::unique_ptr<function_contender>(const contestant&)>& make) {
    std::vector<entry> entries;
    for (const contestant& who : contestants_.all()) {
        if (!takes_part(who)) continue;
        entries.push_back({&who, head});
        entries.back().prepare(make);
    }
    for (const bool processor : {false, true})
        time_contenders(
            entries, processor, timing_, [](entry& each) { each.contender->call(); },
            [&](entry& each, const timing& measured) { each.add_timing(measured, bytes); });
    count_launches(entries, timing_, [](entry& each) { each.contender->call(); });
    for (entry& each : entries) {
        for (const entry& peer : entries)
            if (each.seconds > 0 && peer.seconds > 0 && is_baseline(*each.who, *peer.who))
                each.row["ratio"][peer.who->name] = peer.seconds / each.seconds;
        rows_.push_back(std::move(each.row));
    }
}

report function_contest::make_report(const std::string& benchmark, std::vector<report_column> columns,
                                     std::vector<std::string> notes) const {
    report result;
    result.run["benchmark"] = benchmark;
    result.run["version"] = library_version();
    result.run["devices"] = contestants_.devices_record();
    result.run["contenders"] = contestants_.names_record();
    result.rows = rows_;
    result.heading = contestants_.heading();
    result.heading.insert(result.heading.begin(),
                          fmt::format("heron bench {}, Heron {}", benchmark, library_version()));
    result.notes = std::move(notes);

    std::vector<record> measured;
    std::copy_if(rows_.begin(), rows_.end(), std::back_inserter(measured),
                 [](const record& row) { return row.contains("seconds"); });
    std::vector<std::string> values{"/bytes_per_second"};
    for (std::string& key : contestants_.ratio_keys()) values.push_back(std::move(key));
    const std::vector<std::string> group{"/contender", "/type", "/function"};
    result.means = geometric_means(measured, group, values);

    const report_column contender{.key = "/contender", .title = "contender"};
    const report_column rate{.key = "/bytes_per_second", .title = "GB/s", .format = "{:.1f}", .scale = 1e-9};
    result.columns = std::move(columns);
    result.columns.insert(result.columns.end(),
                          {contender,
                           {.key = "/result", .title = "result", .fold = true},
                           {.key = "/seconds", .title = "ms", .format = "{:.4f}", .scale = 1e3},
                           rate});
    contestants_.add_ratio_columns(result.columns);
    result.columns.push_back({.key = "/message", .title = "message"});
    result.mean_columns = {contender,
                           {.key = "/type", .title = "type", .fold = true},
                           {.key = "/function", .title = "function"},
                           {.key = "/count", .title = "rows", .format = "{:.0f}"},
                           rate};
    contestants_.add_mean_ratio_columns(result.mean_columns);
    return result;
}

}  // namespace heron::tools
