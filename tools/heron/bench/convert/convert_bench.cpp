#include "convert_bench.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "convert_case.hpp"
#include "matrix/shared_matrix.hpp"
#include "measure/function_contest.hpp"

namespace heron::tools {
namespace {

class convert_bench {
  public:
    convert_bench(const convert_bench_options& options, progress& steps)
        : options_(options), progress_(steps) {}

    convert_bench_result run() {
        for (const std::string& spec : options_.matrices) run_matrix(spec);
        progress_.clear();
        return {make_report(), failure_count(contest_.rows())};
    }

  private:
    void run_matrix(const std::string& spec) {
        record head;
        head["matrix"] = matrix_name(spec);
        try {
            progress_.step(fmt::format("{}: reading", matrix_name(spec)));
            const std::shared_ptr<const csr_matrix> kept = shared_matrix(spec, options_.seed);
            const csr_matrix& matrix = *kept;
            head["rows"] = matrix.rows;
            head["nnz"] = matrix.nnz();
            for (const std::string& type : options_.types)
                for (const std::string& function : options_.functions)
                    for (const int block : blocks_of(function)) {
                        head["type"] = type;
                        head["function"] = function;
                        head["block"] = block > 0 ? record(block) : record(nullptr);
                        progress_.step(fmt::format("{} {} {}", matrix_name(spec), type, function));
                        type == "f32" ? run_case(make_convert_case<float>(matrix, function, block), head)
                                      : run_case(make_convert_case<double>(matrix, function, block), head);
                    }
        } catch (const std::exception& error) {
            head["result"] = "failed";
            head["message"] = reason_of(error);
            contest_.add(std::move(head));
        }
    }

    std::vector<int> blocks_of(const std::string& function) const {
        return has_blocks(function) ? options_.blocks : std::vector<int>{0};
    }

    template <class T>
    void run_case(const convert_case<T>& what, const record& head) {
        contest_.run(
            head, what.bytes(),
            [&](const contestant& who) {
                return who.handle || (who.eigen_threads <= 1 && what.function == "csr2csc");
            },
            [&](const contestant& who) {
                return who.handle ? make_convert_contender(who, what) : make_eigen_transpose(what);
            });
    }

    report make_report() const {
        return contest_.make_report(
            "convert", columns(),
            {"block: B x B; csr2gebsr and gebsr2csr have B x 2B, gebsr2gebsr goes to 2B x B.",
             "GB/s: what is read and written at least."});
    }

    static std::vector<report_column> columns() {
        return {{.key = "/matrix", .title = "matrix"},
                {.key = "/rows", .title = "rows", .format = "{:.0f}"},
                {.key = "/nnz", .title = "nnz", .format = "{:.0f}"},
                {.key = "/type", .title = "type", .fold = true},
                {.key = "/function", .title = "function"},
                {.key = "/block", .title = "block", .format = "{:.0f}"}};
    }

    const convert_bench_options& options_;
    progress& progress_;
    const std::shared_ptr<contestants> opened_ = contestants_of(options_.who);
    contestants& contestants_ = *opened_;
    function_contest contest_{contestants_, options_.timing, progress_};
};

}  // namespace

convert_bench_result run_convert_bench(const convert_bench_options& options, progress& progress) {
    return convert_bench(options, progress).run();
}

}  // namespace heron::tools
