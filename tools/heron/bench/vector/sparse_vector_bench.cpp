#include "sparse_vector_bench.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "measure/function_contest.hpp"
#include "sparse_vector_contender.hpp"
#include "whole_number.hpp"

namespace heron::tools {
namespace {

struct vector_size {
    std::int64_t all = 0, stored = 0;
};

vector_size parse_size(const std::string& text) {
    const std::size_t colon = text.find(':');
    if (colon != std::string::npos) {
        const vector_size size{whole_number(text.substr(0, colon)).value_or(0),
                               whole_number(text.substr(colon + 1)).value_or(0)};
        if (size.all >= 1 && size.all <= INT32_MAX && size.stored >= 1 && size.stored <= size.all)
            return size;
    }
    throw std::invalid_argument(fmt::format("'{}' is no size N:STORED, such as 100000:5000", text));
}

class sparse_vector_bench {
  public:
    sparse_vector_bench(const sparse_vector_bench_options& options, progress& steps)
        : options_(options), progress_(steps) {}

    sparse_vector_bench_result run() {
        for (const std::string& size : options_.sizes)
            for (const std::string& type : options_.types)
                for (const std::string& function : options_.functions) run_case(size, type, function);
        progress_.clear();
        return {make_report(), failure_count(contest_.rows())};
    }

  private:
    void run_case(const std::string& size, const std::string& type, const std::string& function) {
        record head;
        head["size"] = size;
        head["type"] = type;
        head["function"] = function;
        try {
            progress_.step(fmt::format("{} {} {}", size, type, function));
            const sparse_vector_case what =
                make_case(parse_size(size), find_product_type(type).input, function);
            head["nnz"] = what.x.size();
            contest_.run(
                head, what.bytes(), [](const contestant& who) { return who.handle != nullptr; },
                [&](const contestant& who) { return make_sparse_vector_contender(who, what); });
        } catch (const std::exception& error) {
            head["result"] = "failed";
            head["message"] = reason_of(error);
            contest_.add(std::move(head));
        }
    }

    sparse_vector_case make_case(const vector_size& size, scalar_type type,
                                 const std::string& function) const {
        splitmix64 random(options_.seed);
        sparse_vector_case what{.function = function, .type = type, .beta = options_.beta};
        // One place in each of so many equal pieces of the dense vector.
        for (std::int64_t k = 0; k < size.stored; ++k) {
            const std::int64_t first = k * size.all / size.stored, end = (k + 1) * size.all / size.stored;
            what.indices.push_back(static_cast<std::int32_t>(first + random.below(end - first)));
        }
        what.x = random_numbers(type, static_cast<std::size_t>(size.stored), random);
        what.y = random_numbers(type, static_cast<std::size_t>(size.all), random);
        return what;
    }

    report make_report() const {
        return contest_.make_report(
            "vector",
            {{.key = "/size", .title = "size:stored"},
             {.key = "/type", .title = "type", .fold = true},
             {.key = "/function", .title = "function"}},
            {"GB/s: what is read and written at least; the dense vector as a whole only by "
             "axpby, where beta is not 1."});
    }

    const sparse_vector_bench_options& options_;
    progress& progress_;
    const std::shared_ptr<contestants> opened_ = contestants_of(options_.who);
    contestants& contestants_ = *opened_;
    function_contest contest_{contestants_, options_.timing, progress_};
};

}  // namespace

std::vector<std::string> sparse_vector_functions() { return {"axpby", "gather", "scatter", "rot", "spvv"}; }

sparse_vector_bench_result run_sparse_vector_bench(const sparse_vector_bench_options& options,
                                                   progress& progress) {
    for (const std::string& size : options.sizes) parse_size(size);
    for (const std::string& type : options.types) find_product_type(type);
    return sparse_vector_bench(options, progress).run();
}

}  // namespace heron::tools
