// The summary of a survey.
#pragma once

#include <string>
#include <vector>

#include "measure/report.hpp"

namespace heron::tools {

// Rows as benchmarks make them, with what the summary needs: "worst", the least of the ratios, "peer", who it
// is with, its "peer_launches", and "workspace_ratio", of the peers' workspaces to this one.
void add_comparisons(std::vector<record>& rows);

// Sorts the worst first, and puts those that were not compared behind.
void sort_by_worst(std::vector<record>& rows);

// By contender and operation: how many rows were compared, for each of `peers` the geometric mean of the
// ratios and the least, of the workspaces too, and how many rows are below `floor`.
std::vector<record> survey_means(const std::vector<record>& rows, const std::vector<std::string>& peers,
                                 double floor);

// What went wrong, a line for each row, at most so many.
std::vector<std::string> failure_lines(const std::vector<record>& rows, std::size_t most);

}  // namespace heron::tools
