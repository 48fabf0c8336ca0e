#include "spmv_match.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <stdexcept>
#include <utility>

#include "measure/launch_count.hpp"

namespace heron::tools {
namespace {

// One product by all contestants: checks them, times them together, and makes a record of each.
class spmv_match {
  public:
    spmv_match(contestants& who, const packed_case& data, const spmv_match_options& options)
        : contestants_(who),
          data_(data),
          case_{data.matrix(), data.type(), options.problem, options.algorithm, options.preprocess},
          options_(options),
          reference_(data.reference(options.problem)) {}

    // `head` is what all records begin with.
    std::vector<record> run(const record& head) {
        for (const contestant& e : contestants_.all()) enter(e, head);
        // A GPU would slow its clock down while it waits for turns of the processor.
        if (!options_.check_only) {
            for (const bool processor : {false, true}) measure_kind(processor);
            count_launches(entries_, options_.timing, [](entry& each) { each.contender->call(0); });
        }
        for (entry& each : entries_) add_ratios(each);
        std::vector<record> rows;
        for (entry& each : entries_) rows.push_back(std::move(each.row));
        return rows;
    }

  private:
    struct entry {
        const contestant* who = nullptr;
        record row;
        std::unique_ptr<spmv_contender> contender{};
        double seconds = 0;  // 0: not measured
    };

    void enter(const contestant& who, const record& head) {
        entry& each = entries_.emplace_back(entry{.who = &who, .row = head});
        each.row["contender"] = who.name;
        each.row["device"] = who.where->info().name;
        try {
            each.contender = make(who);
            if (!each.contender) return entries_.pop_back();
            check(each);
        } catch (const cusparse_error& error) {
            give_up(each, error.is_unsupported() ? "not supported" : "failed", error.what());
        } catch (const std::exception& error) {
            give_up(each, "failed", reason_of(error));
        }
    }

    // Null if Eigen does not do it.
    std::unique_ptr<spmv_contender> make(const contestant& who) const {
        const spmv_operands& operands = data_.operands(*who.where);
        if (who.handle) return make_cusparse_contender(*who.handle, operands, case_);
        if (who.eigen_threads > 1 && case_.problem.op != 'N') return nullptr;
        return make_eigen_contender(who.eigen_threads, operands, case_);
    }

    static void give_up(entry& each, const char* result, const std::string& why) {
        each.row["result"] = result;
        each.row["message"] = why;
        each.contender.reset();
    }

    // Looks at the first and the last copy of the operands.
    void check(entry& each) const {
        const spmv_operands& operands = data_.operands(*each.who->where);
        data_.set_vectors(operands, case_.problem, reference_.allowed.size());
        const std::size_t last = operands.copies().size() - 1;
        double worst = error_of(*each.contender, operands, 0);
        if (last > 0) worst = std::max(worst, error_of(*each.contender, operands, last));
        each.row["result"] = worst <= 1 ? "right" : "WRONG";
        each.row["error"] = std::isfinite(worst) ? record(worst) : record(nullptr);
        if (worst > 1) each.contender.reset();
    }

    double error_of(spmv_contender& contender, const spmv_operands& operands, std::size_t copy) const {
        contender.call(copy);
        operands.where().synchronize();
        const std::size_t bytes = reference_.allowed.size() * traits_of(case_.type.output).size;
        return worst_error(reference_, decode(case_.type.output, operands.read_y(copy, bytes)));
    }

    void measure_kind(bool processor) {
        std::vector<timed_task> tasks;
        std::vector<entry*> timed;
        std::vector<const device*> devices;
        for (entry& each : entries_) {
            if (!each.contender || each.who->where->is_processor() != processor) continue;
            timed.push_back(&each);
            tasks.push_back(task_of(each));
            const device* const where = each.who->where;
            if (std::find(devices.begin(), devices.end(), where) == devices.end()) devices.push_back(where);
        }
        for (const device* where : devices) {
            bandwidth_probe& probe = contestants_.probe(*where);
            tasks.push_back({[&probe](std::int64_t calls) { return probe.seconds(calls); }});
        }
        const std::vector<timing> timings = measure_interleaved(tasks, options_.timing);
        for (std::size_t i = 0; i < timed.size(); ++i) {
            const auto device = static_cast<std::size_t>(
                std::find(devices.begin(), devices.end(), timed[i]->who->where) - devices.begin());
            const timing& limit = timings[timed.size() + device];
            add_timing(*timed[i], timings[i], limit);
        }
    }

    timed_task task_of(entry& each) const {
        const spmv_operands& operands = data_.operands(*each.who->where);
        return {[&each, &operands, next = std::size_t{0}](std::int64_t calls) mutable {
            return operands.where().seconds([&] {
                for (std::int64_t i = 0; i < calls; ++i) {
                    each.contender->call(next);
                    if (++next == operands.copies().size()) next = 0;
                }
            });
        }};
    }

    void add_timing(entry& each, const timing& measured, const timing& limit) {
        if (!measured.error.empty()) return give_up(each, "failed", measured.error);
        const spmv_operands& operands = data_.operands(*each.who->where);
        const double bytes = compulsory_bytes();
        const double flops =
            (traits_of(case_.type.compute).is_complex ? 8.0 : 2.0) * static_cast<double>(data_.nnz());
        each.seconds = measured.median;
        record& row = each.row;
        row["seconds"] = measured.median;
        row["seconds_min"] = measured.min;
        row["rounds"] = measured.rounds;
        row["calls"] = measured.calls;
        row["gflops"] = flops / measured.median * 1e-9;
        row["compulsory_bytes"] = bytes;
        row["gbytes_per_second"] = bytes / measured.median * 1e-9;
        if (limit.error.empty()) {
            const bandwidth_probe& probe = contestants_.probe(*each.who->where);
            add_bandwidth(row, bytes / measured.median, probe.rate(limit.median));
        }
        row["cache"] = operands.cache_state();
        row["copies"] = operands.copies().size();
        row["preprocess_seconds"] = each.contender->preprocess_seconds;
        row["buffer_bytes"] = each.contender->buffer_bytes;
    }

    static void add_bandwidth(record& row, double reached, const bandwidth& limit) {
        row["bandwidth"]["kind"] = limit.kind;
        row["bandwidth"]["gbytes_per_second"] = limit.bytes_per_second * 1e-9;
        row["bandwidth"]["percent"] = 100 * reached / limit.bytes_per_second;
        if (limit.with_write_allocate > 0) {
            row["bandwidth"]["gbytes_per_second_with_write_allocate"] = limit.with_write_allocate * 1e-9;
            row["bandwidth"]["percent_with_write_allocate"] = 100 * reached / limit.with_write_allocate;
        }
    }

    // The least that a product has to move: the matrix, x once, y once, and y once more if beta is not 0.
    double compulsory_bytes() const {
        const bool transposed = case_.problem.op != 'N';
        const std::int64_t x_size = transposed ? case_.matrix.rows : case_.matrix.cols;
        const std::int64_t y_size = transposed ? case_.matrix.cols : case_.matrix.rows;
        return static_cast<double>(case_.matrix.compulsory_bytes()) +
               static_cast<double>(x_size) * static_cast<double>(traits_of(case_.type.input).size) +
               static_cast<double>(y_size) * static_cast<double>(traits_of(case_.type.output).size) *
                   (case_.problem.beta == 0 ? 1 : 2);
    }

    void add_ratios(entry& each) const {
        if (each.seconds == 0) return;
        for (const entry& peer : entries_) {
            if (peer.seconds > 0 && is_baseline(*each.who, *peer.who)) {
                each.row["ratio"][peer.who->name] = peer.seconds / each.seconds;
            }
        }
    }

    contestants& contestants_;
    const packed_case& data_;
    spmv_case case_;
    const spmv_match_options& options_;
    spmv_reference reference_;
    std::vector<entry> entries_;
};

}  // namespace

packed_case::packed_case(const contestants& who, const csr_matrix& given, const product_type& type,
                         const packing& how, std::uint64_t seed, bool warm)
    : type_(type),
      pattern_(how.has_blocks() ? padded_to_blocks(given, how.block) : given),
      random_(seed),
      values_(random_numbers(type.input, pattern_.columns.size(), random_)),
      matrix_(pack(pattern_, values_, how)) {
    const auto longest = static_cast<std::size_t>(std::max(pattern_.rows, pattern_.cols));
    x_ = random_numbers(type.input, longest, random_);
    y_ = random_numbers(type.output, longest, random_);
    for (const auto& device : who.devices()) open(*device, warm);
}

const spmv_operands& packed_case::operands(const device& where) const {
    const auto found = operands_.find(&where);
    if (found == operands_.end()) throw std::runtime_error(errors_.at(&where));
    return *found->second;
}

spmv_reference packed_case::reference(const spmv_problem& problem) const {
    return compute_reference(problem, type_, pattern_, values_, x_, y_);
}

void packed_case::set_vectors(const spmv_operands& operands, const spmv_problem& problem,
                              std::size_t y_size) const {
    const std::vector<std::byte> y = problem.beta == 0 ? std::vector<std::byte>() : encode(type_.output, y_);
    operands.set_vectors(encode(type_.input, x_), y, y_size * traits_of(type_.output).size);
}

void packed_case::open(const device& where, bool warm) {
    try {
        operands_[&where] = std::make_unique<spmv_operands>(where, matrix_, type_, warm);
    } catch (const std::exception& error) {
        operands_.erase(&where);
        errors_[&where] = error.what();
    }
}

std::vector<record> run_spmv_match(contestants& who, const packed_case& data,
                                   const spmv_match_options& options, const record& head) {
    return spmv_match(who, data, options).run(head);
}

}  // namespace heron::tools
