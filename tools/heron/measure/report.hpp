// What a benchmark hands back, as a table for people, as CSV or as JSON. One record is one measurement.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heron::tools {

using record = nlohmann::ordered_json;

// A column of the table. `key` is a JSON pointer into the records, such as "/ratio/eigen".
struct report_column {
    std::string key;
    std::string title;
    std::string format = "{}";  // of fmt; numbers are passed as double
    double scale = 1;
    bool fold = false;  // a value that is the same in all records goes into a line above the table
};

struct report {
    record run;                 // how it was measured: options, devices, libraries
    std::vector<record> rows;   // one per measurement
    std::vector<record> means;  // as rows, over all matrices
    std::vector<report_column> columns;
    std::vector<report_column> mean_columns;
    std::size_t most_table_rows = SIZE_MAX;  // CSV and JSON have all of them
    std::vector<std::string> heading;        // lines above the table
    std::vector<std::string> notes;          // lines below the table: what the columns mean
};

// What is named in a record, its times, rates and ratios in one line, such as
// "poisson3d:100 f64 N heron-host right seconds 2972 us gflops 4.67".
std::string summary_of(const record& row);

enum class report_format { table, csv, json };

std::string render(const report& what, report_format format);

// To the file, or to standard output if the name is empty. Throws std::runtime_error if it cannot be written.
void write_text(const std::string& file, std::string_view text);

// One record for each combination of the values at `group`, in the order in which they come: these values,
// "count", the geometric means of the positive numbers at `values`, and the smallest of them below
// "/smallest". Keys are JSON pointers.
std::vector<record> geometric_means(std::span<const record> rows, std::span<const std::string> group,
                                    std::span<const std::string> values);

// What a failed measurement's record says of the error.
std::string reason_of(const std::exception& error);

// How many measurements failed or gave a wrong result.
int failure_count(std::span<const record> rows);

}  // namespace heron::tools
