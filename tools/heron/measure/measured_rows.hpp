// The rows of a report while they are measured. Each is shown at once where progress is, so that a run that
// is cut short has shown what it found.
#pragma once

#include <utility>
#include <vector>

#include "progress.hpp"
#include "report.hpp"

namespace heron::tools {

class measured_rows {
  public:
    explicit measured_rows(progress& steps) : steps_(steps) {}

    void push_back(record row) {
        steps_.keep(summary_of(row));
        rows_.push_back(std::move(row));
    }

    operator const std::vector<record>&() const { return rows_; }
    auto begin() const { return rows_.begin(); }
    auto end() const { return rows_.end(); }

  private:
    progress& steps_;
    std::vector<record> rows_{};
};

}  // namespace heron::tools
