#include "product_report.hpp"

#include <algorithm>
#include <iterator>

#include "device_record.hpp"

namespace heron::tools {
namespace {

void append(std::vector<report_column>& to, const std::vector<report_column>& from) {
    to.insert(to.end(), from.begin(), from.end());
}

std::vector<std::string> keys_of(const std::vector<report_column>& columns) {
    std::vector<std::string> keys;
    for (const report_column& column : columns) keys.push_back(column.key);
    return keys;
}

}  // namespace

char find_op(const std::string& name) {
    if (name == "N" || name == "T" || name == "C") return name[0];
    throw std::invalid_argument(fmt::format("'{}' is not one of the operations N T C", name));
}

std::string product_report::title() const {
    return fmt::format("heron bench {}, Heron {}", benchmark_, library_version());
}

record product_report::run_record(record options) const {
    record result;
    result["benchmark"] = benchmark_;
    result["version"] = library_version();
    result["options"] = std::move(options);
    result["devices"] = who_.devices_record();
    result["contenders"] = who_.names_record();
    return result;
}

std::vector<report_column> product_report::table(std::vector<report_column> before,
                                                 std::vector<report_column> after,
                                                 std::vector<report_column> last) const {
    std::vector<report_column> result{{.key = "/matrix", .title = "matrix"},
                                      {.key = "/nnz", .title = "nnz", .format = "{:.0f}"}};
    append(result, shown_.cases);
    append(result, before);
    append(result, {{.key = "/contender", .title = "contender"},
                    {.key = "/result", .title = "result", .fold = true},
                    {.key = "/seconds", .title = "us", .format = "{:.1f}", .scale = 1e6},
                    {.key = "/seconds_min", .title = "us min", .format = "{:.1f}", .scale = 1e6}});
    append(result, after);
    append(result, shown_.rates);
    append(result, last);
    who_.add_ratio_columns(result);
    result.push_back({.key = "/message", .title = "message"});
    return result;
}

std::vector<report_column> product_report::mean_table() const {
    std::vector<report_column> result{{.key = "/contender", .title = "contender"}};
    append(result, shown_.cases);
    result.push_back({.key = "/count", .title = "matrices", .format = "{:.0f}"});
    append(result, shown_.rates);
    who_.add_mean_ratio_columns(result);
    return result;
}

std::vector<record> product_report::means(std::span<const record> rows) const {
    std::vector<record> measured;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(measured),
                 [](const record& row) { return row.contains("seconds"); });
    std::vector<std::string> group = keys_of(shown_.cases);
    group.insert(group.begin(), "/contender");
    std::vector<std::string> values = keys_of(shown_.rates);
    for (std::string& key : who_.ratio_keys()) values.push_back(std::move(key));
    std::vector<record> result;
    for (record& mean : geometric_means(measured, group, values)) {
        record row;
        row["matrix"] = "geometric mean";
        row.update(mean);
        result.push_back(std::move(row));
    }
    return result;
}

}  // namespace heron::tools
