#include "survey_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace heron::tools {
namespace {

// Between workspaces of a few bytes and none there is no difference worth a line.
constexpr double small_workspace = 1 << 20;

// Negative where the benchmark does not say.
double workspace_of(const record& row) {
    for (const char* key : {"buffer_bytes", "work_bytes"})
        if (row.contains(key) && row[key].is_number()) return row[key].get<double>();
    return -1;
}

std::string text_of(const record& row, const char* key) {
    return row.contains(key) && row[key].is_string() ? row[key].get<std::string>() : "";
}

void add_worst(record& row) {
    if (!row.contains("ratio")) return;
    // A copy, since new members move the others.
    const record ratios = row["ratio"];
    for (const auto& [peer, ratio] : ratios.items()) {
        if (row.contains("worst") && row["worst"] <= ratio) continue;
        row["worst"] = ratio;
        row["peer"] = peer;
    }
}

bool is_compared(const record& row) { return row.contains("worst"); }

}  // namespace

void add_comparisons(std::vector<record>& rows) {
    std::map<std::pair<std::string, std::string>, double> workspaces;
    std::map<std::pair<std::string, std::string>, record> launches;
    for (const record& row : rows) {
        const std::pair who(text_of(row, "key"), text_of(row, "contender"));
        workspaces[who] = workspace_of(row);
        if (row.contains("launches")) launches[who] = row["launches"];
    }
    for (record& row : rows) {
        add_worst(row);
        const auto of_peer = launches.find({text_of(row, "key"), text_of(row, "peer")});
        if (of_peer != launches.end()) row["peer_launches"] = of_peer->second;
        const double own = workspace_of(row);
        if (!is_compared(row) || own < 0) continue;
        const record ratios = row["ratio"];
        for (const auto& [peer, ratio] : ratios.items()) {
            const auto other = workspaces.find({text_of(row, "key"), peer});
            if (other != workspaces.end() && other->second >= 0)
                row["workspace_ratio"][peer] = (other->second + small_workspace) / (own + small_workspace);
        }
    }
}

void sort_by_worst(std::vector<record>& rows) {
    std::stable_sort(rows.begin(), rows.end(), [](const record& a, const record& b) {
        if (!is_compared(a) || !is_compared(b)) return is_compared(a) && !is_compared(b);
        return a["worst"].get<double>() < b["worst"].get<double>();
    });
}

std::vector<record> survey_means(const std::vector<record>& rows, const std::vector<std::string>& peers,
                                 double floor) {
    std::vector<record> compared;
    std::map<std::pair<std::string, std::string>, int> below;
    for (const record& row : rows) {
        if (!is_compared(row)) continue;
        compared.push_back(row);
        below[{text_of(row, "contender"), text_of(row, "operation")}] += row["worst"] < floor;
    }
    const std::vector<std::string> group{"/contender", "/operation"};
    std::vector<std::string> values;
    for (const std::string& peer : peers) {
        values.push_back("/ratio/" + peer);
        values.push_back("/workspace_ratio/" + peer);
    }
    std::vector<record> means = geometric_means(compared, group, values);
    for (record& mean : means)
        mean["below"] = below[{text_of(mean, "contender"), text_of(mean, "operation")}];
    std::stable_sort(means.begin(), means.end(), [](const record& a, const record& b) {
        return text_of(a, "contender") + text_of(a, "operation") <
               text_of(b, "contender") + text_of(b, "operation");
    });
    return means;
}

std::vector<std::string> failure_lines(const std::vector<record>& rows, std::size_t most) {
    std::vector<std::string> lines;
    std::size_t left = 0;
    for (const record& row : rows) {
        const std::string result = text_of(row, "result");
        if (result != "WRONG" && result != "failed") continue;
        if (lines.size() == most) {
            ++left;
            continue;
        }
        lines.push_back(fmt::format("{}: {}, {}: {}", result, text_of(row, "key"), text_of(row, "contender"),
                                    text_of(row, "message")));
    }
    if (left > 0) lines.push_back(fmt::format("and {} more that failed or were wrong", left));
    return lines;
}

}  // namespace heron::tools
