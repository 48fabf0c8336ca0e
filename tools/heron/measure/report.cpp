#include "report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <new>
#include <stdexcept>

namespace heron::tools {
namespace {

using json_pointer = record::json_pointer;

const record* find(const record& row, const std::string& key) {
    const json_pointer pointer(key);
    if (!row.contains(pointer)) return nullptr;
    const record& value = row.at(pointer);
    return value.is_null() ? nullptr : &value;
}

std::string cell(const record& row, const report_column& column) {
    const record* const value = find(row, column.key);
    if (!value) return "";
    if (value->is_string()) return value->get<std::string>();
    if (value->is_boolean()) return value->get<bool>() ? "yes" : "no";
    return fmt::format(fmt::runtime(column.format), value->get<double>() * column.scale);
}

bool is_text(const std::vector<record>& rows, const report_column& column) {
    return std::any_of(rows.begin(), rows.end(), [&](const record& row) {
        const record* const value = find(row, column.key);
        return value && value->is_string();
    });
}

bool is_constant(const std::vector<record>& rows, const report_column& column) {
    return std::all_of(rows.begin(), rows.end(),
                       [&](const record& row) { return cell(row, column) == cell(rows.front(), column); });
}

struct table_column {
    std::vector<std::string> cells;  // the title first
    std::size_t width = 0;
    bool left = false;
};

table_column lay_out(const std::vector<record>& rows, const report_column& column) {
    table_column result{.cells = {column.title}, .left = is_text(rows, column)};
    for (const record& row : rows) result.cells.push_back(cell(row, column));
    for (const std::string& text : result.cells) result.width = std::max(result.width, text.size());
    return result;
}

std::string join_columns(const std::vector<table_column>& columns) {
    std::string text;
    for (std::size_t line = 0; !columns.empty() && line < columns.front().cells.size(); ++line) {
        std::string row;
        for (const table_column& column : columns) {
            row += column.left ? fmt::format("{:<{}}  ", column.cells[line], column.width)
                               : fmt::format("{:>{}}  ", column.cells[line], column.width);
        }
        row.erase(row.find_last_not_of(' ') + 1);
        text += row;
        text += '\n';
    }
    return text;
}

std::string render_rows(const std::vector<record>& rows, const std::vector<report_column>& columns) {
    if (rows.empty()) return "";
    std::string folded;
    std::vector<table_column> shown;
    for (const report_column& column : columns) {
        if (column.fold && is_constant(rows, column)) {
            const std::string text = cell(rows.front(), column);
            if (text.empty()) continue;
            folded += fmt::format("{}{} {}", folded.empty() ? "" : ", ", column.title, text);
            continue;
        }
        table_column laid_out = lay_out(rows, column);
        const bool is_empty = std::all_of(laid_out.cells.begin() + 1, laid_out.cells.end(),
                                          [](const std::string& text) { return text.empty(); });
        if (!is_empty) shown.push_back(std::move(laid_out));
    }
    if (!folded.empty()) folded += '\n';
    return folded + join_columns(shown);
}

std::string render_table(const report& what) {
    const auto shown = static_cast<std::ptrdiff_t>(std::min(what.rows.size(), what.most_table_rows));
    std::string text = fmt::format("{}\n\n{}", fmt::join(what.heading, "\n"),
                                   render_rows({what.rows.begin(), what.rows.begin() + shown}, what.columns));
    if (!what.means.empty()) {
        text += fmt::format("\nGeometric means over the matrices\n{}",
                            render_rows(what.means, what.mean_columns));
    }
    if (!what.notes.empty()) text += fmt::format("\n{}\n", fmt::join(what.notes, "\n"));
    return text;
}

std::string csv_field(const record& value) {
    if (value.is_null()) return "";
    std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string quoted(1, '"');
    for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
    quoted += '"';
    return quoted;
}

// "/ratio/eigen" becomes "ratio.eigen".
std::string csv_title(std::string key) {
    std::replace(key.begin(), key.end(), '/', '.');
    return key.substr(1);
}

void collect_leaves(const record& value, const std::string& prefix,
                    std::vector<std::pair<std::string, record>>& leaves) {
    if (!value.is_object()) {
        leaves.emplace_back(prefix, value);
        return;
    }
    for (const auto& [key, member] : value.items()) {
        collect_leaves(member, fmt::format("{}/{}", prefix, key), leaves);
    }
}

std::string render_csv(const report& what) {
    std::vector<std::string> keys;
    std::vector<std::map<std::string, record>> lines;
    for (const std::vector<record>* rows : {&what.rows, &what.means}) {
        for (const record& row : *rows) {
            std::vector<std::pair<std::string, record>> leaves;
            collect_leaves(row, "", leaves);
            std::map<std::string, record>& line = lines.emplace_back();
            for (auto& [key, value] : leaves) {
                if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
                line.emplace(key, std::move(value));
            }
        }
    }
    std::string text;
    for (const std::string& key : keys) {
        if (!text.empty()) text += ',';
        text += csv_field(csv_title(key));
    }
    text += '\n';
    for (const auto& line : lines) {
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const auto found = line.find(keys[i]);
            if (i > 0) text += ',';
            if (found != line.end()) text += csv_field(found->second);
        }
        text += '\n';
    }
    return text;
}

std::string render_json(const report& what) {
    record document = what.run;
    document["results"] = what.rows;
    document["geometric_means"] = what.means;
    return fmt::format("{}\n", document.dump(2));
}

class mean_builder {
  public:
    void add(double value) {
        if (!(value > 0)) return;
        logarithms_ += std::log(value);
        smallest_ = count_ == 0 ? value : std::min(smallest_, value);
        ++count_;
    }
    bool empty() const { return count_ == 0; }
    double mean() const { return std::exp(logarithms_ / count_); }
    double smallest() const { return smallest_; }

  private:
    double logarithms_ = 0;
    double smallest_ = 0;
    int count_ = 0;
};

record summarise(std::span<const record* const> rows, std::span<const std::string> group,
                 std::span<const std::string> values) {
    record result;
    for (const std::string& key : group) {
        if (const record* value = find(*rows.front(), key)) result[json_pointer(key)] = *value;
    }
    result["count"] = rows.size();
    for (const std::string& key : values) {
        mean_builder mean;
        for (const record* row : rows) {
            if (const record* value = find(*row, key)) mean.add(value->get<double>());
        }
        if (mean.empty()) continue;
        result[json_pointer(key)] = mean.mean();
        result[json_pointer("/smallest" + key)] = mean.smallest();
    }
    return result;
}

}  // namespace

std::string summary_of(const record& row) {
    const auto is_size = [](const std::string& key) {
        constexpr std::array<std::string_view, 5> sizes{"/m", "/n", "/k", "/rhs", "/dims"};
        return std::find(sizes.begin(), sizes.end(), key) != sizes.end();
    };
    std::vector<std::pair<std::string, record>> leaves;
    collect_leaves(row, "", leaves);
    std::string line;
    const auto append = [&](const std::string& text) { line += line.empty() ? text : ' ' + text; };
    for (const auto& [key, value] : leaves) {
        if (key == "/device") continue;
        if (value.is_string()) {
            append(value.get<std::string>());
        } else if (key.find("seconds") != std::string::npos) {
            append(fmt::format("{} {:.4g} us", key.substr(1), value.get<double>() * 1e6));
        } else if (is_size(key)) {
            append(fmt::format("{} {}", key.substr(1), value.dump()));
        } else if (key == "/gflops" || key == "/bandwidth/percent" || key.starts_with("/ratio/")) {
            append(fmt::format("{} {:.4g}", key.substr(1), value.get<double>()));
        }
    }
    return line;
}

std::string render(const report& what, report_format format) {
    switch (format) {
        case report_format::csv: return render_csv(what);
        case report_format::json: return render_json(what);
        case report_format::table: break;
    }
    return render_table(what);
}

void write_text(const std::string& file, std::string_view text) {
    std::FILE* const stream = file.empty() ? stdout : std::fopen(file.c_str(), "w");
    if (!stream) throw std::runtime_error(fmt::format("cannot write {}", file));
    const bool complete = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
    const bool closed = (file.empty() ? std::fflush(stream) : std::fclose(stream)) == 0;
    if (!complete || !closed) {
        throw std::runtime_error(fmt::format("cannot write {}", file.empty() ? "the output" : file));
    }
}

std::vector<record> geometric_means(std::span<const record> rows, std::span<const std::string> group,
                                    std::span<const std::string> values) {
    std::vector<std::string> names;
    std::map<std::string, std::vector<const record*>> groups;
    for (const record& row : rows) {
        std::string name;
        for (const std::string& key : group) {
            const record* const value = find(row, key);
            if (value) name += value->dump();
            name += '\n';
        }
        auto& members = groups[name];
        if (members.empty()) names.push_back(name);
        members.push_back(&row);
    }
    std::vector<record> result;
    for (const std::string& name : names) result.push_back(summarise(groups[name], group, values));
    return result;
}

std::string reason_of(const std::exception& error) {
    const bool is_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
                           dynamic_cast<const std::length_error*>(&error) != nullptr;
    return is_memory ? "not enough memory" : error.what();
}

int failure_count(std::span<const record> rows) {
    return static_cast<int>(std::count_if(rows.begin(), rows.end(), [](const record& row) {
        return row["result"] == "WRONG" || row["result"] == "failed";
    }));
}

}  // namespace heron::tools
