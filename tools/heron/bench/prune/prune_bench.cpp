#include "prune_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "matrix/shared_matrix.hpp"
#include "measure/function_contest.hpp"
#include "prune_case.hpp"

namespace heron::tools {
namespace {

struct matrix_size {
    int rows = 0, cols = 0;
};

matrix_size parse_size(const std::string& text) {
    matrix_size size;
    const char* const end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, size.rows);
    const bool has_two = first.ec == std::errc() && first.ptr != end && *first.ptr == 'x';
    const auto second = has_two ? std::from_chars(first.ptr + 1, end, size.cols) : first;
    if (!has_two || second.ec != std::errc() || second.ptr != end || size.rows < 1 || size.cols < 1 ||
        size.rows > INT32_MAX / size.cols)
        throw std::invalid_argument(fmt::format("'{}' is no size such as 4096x512 that an int counts", text));
    return size;
}

class prune_bench {
  public:
    prune_bench(const prune_bench_options& options, progress& steps) : options_(options), progress_(steps) {}

    prune_bench_result run() {
        for (const prune_function& function : prune_function_list())
            if (std::count(options_.functions.begin(), options_.functions.end(), function.name) > 0)
                (function.takes_dense ? dense_ : sparse_).push_back(function);
        if (!dense_.empty())
            for (const std::string& text : options_.sizes) run_matrix(text, dense_, parse_size(text));
        if (!sparse_.empty())
            for (const std::string& spec : options_.matrices) run_matrix(spec, sparse_, std::nullopt);
        progress_.clear();
        return {make_report(), failure_count(contest_.rows())};
    }

  private:
    void run_matrix(const std::string& spec, const std::vector<prune_function>& functions,
                    const std::optional<matrix_size>& size) {
        record head;
        head["matrix"] = size ? spec : matrix_name(spec);
        try {
            progress_.step(spec);
            const auto kept =
                size ? std::make_shared<const csr_matrix>() : shared_matrix(spec, options_.seed);
            const csr_matrix& pattern = *kept;
            for (const std::string& type : options_.types)
                for (const prune_function& function : functions)
                    for (const double share : options_.shares) {
                        head["type"] = type;
                        head["function"] = function.name;
                        head["share"] = share;
                        if (type == "f16" && function.has_halves)
                            run_variants<__half>(function, share, size, pattern, head);
                        if (type == "f32") run_variants<float>(function, share, size, pattern, head);
                        if (type == "f64") run_variants<double>(function, share, size, pattern, head);
                    }
        } catch (const std::exception& error) {
            head["result"] = "failed";
            head["message"] = reason_of(error);
            contest_.add(std::move(head));
        }
    }

    template <class T>
    void run_variants(const prune_function& function, double share, const std::optional<matrix_size>& size,
                      const csr_matrix& pattern, record head) {
        static const std::vector<std::string> fixed{""};
        for (const std::string& format : function.is_generic ? options_.formats : fixed)
            for (const std::string& order : function.is_generic ? options_.orders : fixed) {
                prune_case<T> what;
                what.function = function;
                what.rows = size ? size->rows : static_cast<int>(pattern.rows);
                what.cols = size ? size->cols : static_cast<int>(pattern.cols);
                what.is_coo = format == "coo";
                what.is_row_order = order == "row";
                what.share = share;
                what.seed = options_.seed;
                make_operands(what, size ? nullptr : &pattern);
                head["format"] = format;
                head["order"] = order;
                head["nnz"] = what.kept.nnz();
                progress_.step(fmt::format("{} {}", head["matrix"].get<std::string>(), function.name));
                run_case(what, head);
            }
    }

    template <class T>
    void run_case(const prune_case<T>& what, const record& head) {
        contest_.run(
            head, what.bytes(), [](const contestant& who) { return who.handle != nullptr; },
            [&](const contestant& who) { return make_prune_contender(who, what); });
    }

    report make_report() const {
        return contest_.make_report(
            "prune", columns(),
            {"share: of the elements that are kept; GB/s: what is read and written at least.",
             "nnzColumns: nnz by columns."});
    }

    static std::vector<report_column> columns() {
        return {{.key = "/matrix", .title = "matrix"},
                {.key = "/nnz", .title = "kept", .format = "{:.0f}"},
                {.key = "/share", .title = "share", .format = "{:.3f}", .fold = true},
                {.key = "/type", .title = "type", .fold = true},
                {.key = "/function", .title = "function"},
                {.key = "/format", .title = "format", .fold = true},
                {.key = "/order", .title = "order", .fold = true}};
    }

    const prune_bench_options& options_;
    progress& progress_;
    const std::shared_ptr<contestants> opened_ = contestants_of(options_.who);
    contestants& contestants_ = *opened_;
    std::vector<prune_function> dense_{}, sparse_{};
    function_contest contest_{contestants_, options_.timing, progress_};
};

}  // namespace

std::vector<std::string> prune_function_names() {
    std::vector<std::string> names;
    for (const prune_function& function : prune_function_list()) names.push_back(function.name);
    return names;
}

prune_bench_result run_prune_bench(const prune_bench_options& options, progress& progress) {
    return prune_bench(options, progress).run();
}

}  // namespace heron::tools
