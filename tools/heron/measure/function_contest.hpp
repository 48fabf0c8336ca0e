// Functions of several libraries on the same operands, side by side: each is called once and checked, and
// those that are right are timed in turns.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "contestants.hpp"
#include "measure.hpp"
#include "measured_rows.hpp"
#include "report.hpp"

namespace heron::tools {

// A function of one library with its operands.
class function_contender {
  public:
    virtual ~function_contender() = default;
    virtual void call() = 0;
    // What is wrong with the results of the call before; empty where nothing is.
    virtual std::string check() = 0;
};

class function_contest {
  public:
    function_contest(contestants& all, const measure_options& timing, progress& steps)
        : contestants_(all), timing_(timing), rows_(steps) {}

    // A row, with `head` before it, for each contestant that takes part. bytes: that a call reads and writes.
    void run(const record& head, double bytes, const std::function<bool(const contestant&)>& takes_part,
             const std::function<std::unique_ptr<function_contender>(const contestant&)>& make);

    // A row of what could not be run at all.
    void add(record row) { rows_.push_back(std::move(row)); }

    const measured_rows& rows() const { return rows_; }

    // The rows so far, and their means by type and function. columns: those before the contender.
    report make_report(const std::string& benchmark, std::vector<report_column> columns,
                       std::vector<std::string> notes) const;

  private:
    struct entry;

    contestants& contestants_;
    const measure_options& timing_;
    measured_rows rows_;
};

}  // namespace heron::tools
