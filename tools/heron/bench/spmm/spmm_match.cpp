#include "spmm_match.hpp"
#include "measure/time_contenders.hpp"
#include "measure/launch_count.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <map>
#include <set>
#include <utility>

namespace heron::tools {
namespace {

using dense_descriptor = std::unique_ptr<cusparseDnMatDescr, decltype(&cusparseDestroyDnMat)>;

cusparseOperation_t operation_of(char op) {
    if (op == 'N') return CUSPARSE_OPERATION_NON_TRANSPOSE;
    return op == 'T' ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
}

// A column of a dense matrix without gaps, and back.
std::size_t place(std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t cols, bool by_rows) {
    return static_cast<std::size_t>(by_rows ? i * cols + j : j * rows + i);
}
number_array column_of(const number_array& m, std::int64_t j, std::int64_t rows, std::int64_t cols,
                       bool by_rows) {
    number_array result;
    for (std::int64_t i = 0; i < rows; ++i) {
        const std::size_t at = place(i, j, rows, cols, by_rows);
        result.real.push_back(m.real[at]);
        if (!m.imag.empty()) result.imag.push_back(m.imag[at]);
    }
    return result;
}

// A, B and C on one device.
struct spmm_operands {
    device_buffer offsets, row_indices, indices, values, b, c;
};

class spmm_contender {
  public:
    spmm_contender(const cusparse_handle& handle, const device& where, const spmm_operands& operands,
                   const spmm_case& what, std::int64_t inner, std::int64_t outer)
        : library_(handle.library()),
          handle_(handle.get()),
          operation_(operation_of(what.op)),
          compute_(data_type_of(what.type.compute)),
          algorithm_(what.algorithm),
          alpha_(encode(what.type.compute, {.real = {what.alpha}})),
          beta_(encode(what.type.compute, {.real = {what.beta}})),
          a_(describe_matrix(library_, what.matrix,
                             {operands.offsets.get(), operands.row_indices.get(), operands.indices.get(),
                              operands.values.get()})),
          b_(describe(inner, what.n, operands.b.get(), what.type.input, what.b_by_rows)),
          c_(describe(outer, what.n, operands.c.get(), what.type.output, what.c_by_rows)) {
        if (!library_.spmm || !library_.spmm_buffer_size)
            throw cusparse_error(CUSPARSE_STATUS_NOT_SUPPORTED, library_.path() + " has no cusparseSpMM");
        library_.check(
            library_.spmm_buffer_size(handle_, operation_, no_operation, alpha_.data(), a_.get(), b_.get(),
                                      beta_.data(), c_.get(), compute_, algorithm_, &buffer_bytes),
            "cusparseSpMM_bufferSize");
        buffer_ = where.allocate(buffer_bytes);
        if (what.preprocess && library_.spmm_preprocess) preprocess(where);
    }

    void call() {
        library_.check(library_.spmm(handle_, operation_, no_operation, alpha_.data(), a_.get(), b_.get(),
                                     beta_.data(), c_.get(), compute_, algorithm_, buffer_.get()),
                       "cusparseSpMM");
    }

    double preprocess_seconds = 0;
    std::size_t buffer_bytes = 0;

  private:
    static constexpr cusparseOperation_t no_operation = CUSPARSE_OPERATION_NON_TRANSPOSE;

    dense_descriptor describe(std::int64_t rows, std::int64_t cols, void* values, scalar_type type,
                              bool by_rows) const {
        cusparseDnMatDescr_t matrix = nullptr;
        if (!library_.create_dn_mat)
            throw cusparse_error(CUSPARSE_STATUS_NOT_SUPPORTED,
                                 library_.path() + " has no cusparseCreateDnMat");
        library_.check(
            library_.create_dn_mat(&matrix, rows, cols, by_rows ? cols : rows, values, data_type_of(type),
                                   by_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL),
            "cusparseCreateDnMat");
        return {matrix, library_.destroy_dn_mat};
    }

    void preprocess(const device& where) {
        const auto start = std::chrono::steady_clock::now();
        library_.check(
            library_.spmm_preprocess(handle_, operation_, no_operation, alpha_.data(), a_.get(), b_.get(),
                                     beta_.data(), c_.get(), compute_, algorithm_, buffer_.get()),
            "cusparseSpMM_preprocess");
        where.synchronize();
        preprocess_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

    const cusparse_library& library_;
    cusparseHandle_t handle_;
    cusparseOperation_t operation_;
    cudaDataType compute_;
    cusparseSpMMAlg_t algorithm_;
    std::vector<std::byte> alpha_, beta_;
    sparse_matrix_descriptor a_;
    dense_descriptor b_, c_;
    device_buffer buffer_;
};

class spmm_match {
  public:
    spmm_match(const contestants& who, const spmm_case& what)
        : who_(who),
          what_(what),
          inner_(what.op == 'N' ? what.matrix.cols : what.matrix.rows),
          outer_(what.op == 'N' ? what.matrix.rows : what.matrix.cols) {
        splitmix64 random(what.seed + 1);
        b_ = random_numbers(what.type.input, static_cast<std::size_t>(inner_ * what.n), random);
        c_ = random_numbers(what.type.output, static_cast<std::size_t>(outer_ * what.n), random);
    }

    std::vector<record> run(const record& head) {
        for (const contestant& each : who_.all())
            if (each.handle) enter(each, head);
        if (!what_.check_only) {
            for (const bool processor : {false, true}) measure_kind(processor);
            count_launches(entries_, what_.timing, [](entry& each) { each.contender->call(); });
        }
        std::vector<record> rows;
        for (entry& each : entries_) {
            add_ratios(each);
            rows.push_back(std::move(each.row));
        }
        return rows;
    }

  private:
    struct entry {
        const contestant* who;
        record row;
        std::unique_ptr<spmm_contender> contender{};
        double seconds = 0;
    };

    void enter(const contestant& who, const record& head) {
        entry& each = entries_.emplace_back(entry{&who, head});
        each.row["contender"] = who.name;
        each.row["device"] = who.where->info().name;
        try {
            const spmm_operands& operands = operands_on(*who.where);
            each.contender =
                std::make_unique<spmm_contender>(*who.handle, *who.where, operands, what_, inner_, outer_);
            check(each, operands);
        } catch (const cusparse_error& error) {
            give_up(each, error.is_unsupported() ? "not supported" : "failed", error.what());
        } catch (const std::exception& error) {
            give_up(each, "failed", reason_of(error));
        }
    }

    static void give_up(entry& each, const char* result, const std::string& why) {
        each.row["result"] = result;
        each.row["message"] = why;
        each.contender.reset();
    }

    const spmm_operands& operands_on(const device& where) {
        const auto found = operands_.find(&where);
        if (found != operands_.end()) return found->second;
        const auto upload = [&](const std::vector<std::byte>& bytes) {
            device_buffer memory = where.allocate(std::max<std::size_t>(bytes.size(), 1));
            where.copy(memory.get(), bytes.data(), bytes.size());
            where.synchronize();
            return memory;
        };
        const packed_matrix& m = what_.matrix;
        return operands_
            .emplace(&where, spmm_operands{upload(m.offsets), upload(m.row_indices), upload(m.indices),
                                           upload(m.values), upload(encode(what_.type.input, b_)),
                                           upload(encode(what_.type.output, c_))})
            .first->second;
    }

    // The first, the last and a middle column against a product with a vector.
    void check(entry& each, const spmm_operands& operands) {
        const device& where = *each.who->where;
        std::vector<std::byte> bytes = encode(what_.type.output, c_);
        if (what_.beta == 0) std::fill(bytes.begin(), bytes.end(), std::byte{0xff});
        where.copy(operands.c.get(), bytes.data(), bytes.size());
        each.contender->call();
        where.copy(bytes.data(), operands.c.get(), bytes.size());
        where.synchronize();
        const number_array result = decode(what_.type.output, bytes);
        double worst = 0;
        for (const std::int64_t j : std::set<std::int64_t>{0, what_.n / 3, what_.n - 1})
            worst = std::max(
                worst, worst_error(reference(j), column_of(result, j, outer_, what_.n, what_.c_by_rows)));
        each.row["result"] = worst <= 1 ? "right" : "WRONG";
        each.row["error"] = std::isfinite(worst) ? record(worst) : record(nullptr);
        if (worst > 1) each.contender.reset();
    }

    const spmv_reference& reference(std::int64_t j) {
        const auto found = references_.find(j);
        if (found != references_.end()) return found->second;
        const spmv_problem problem{.op = what_.op, .alpha = what_.alpha, .beta = what_.beta};
        return references_
            .emplace(j, compute_reference(problem, what_.type, what_.pattern, what_.values,
                                          column_of(b_, j, inner_, what_.n, what_.b_by_rows),
                                          column_of(c_, j, outer_, what_.n, what_.c_by_rows)))
            .first->second;
    }

    void measure_kind(bool processor) {
        time_contenders(
            entries_, processor, what_.timing, [](entry& each) { each.contender->call(); },
            [this](entry& each, const timing& measured) { add_timing(each, measured); });
    }

    void add_timing(entry& each, const timing& measured) {
        if (!measured.error.empty()) return give_up(each, "failed", measured.error);
        const double flops = (traits_of(what_.type.compute).is_complex ? 8.0 : 2.0) *
                             static_cast<double>(what_.pattern.nnz()) * static_cast<double>(what_.n);
        each.seconds = measured.median;
        record& row = each.row;
        row["seconds"] = measured.median;
        row["seconds_min"] = measured.min;
        row["rounds"] = measured.rounds;
        row["calls"] = measured.calls;
        row["gflops"] = flops / measured.median * 1e-9;
        row["gbytes_per_second"] = compulsory_bytes() / measured.median * 1e-9;
        row["preprocess_seconds"] = each.contender->preprocess_seconds;
        row["buffer_bytes"] = each.contender->buffer_bytes;
    }

    // A once, B once, C once, and once more if beta is not 0.
    double compulsory_bytes() const {
        const auto n = static_cast<double>(what_.n);
        return static_cast<double>(what_.matrix.compulsory_bytes()) +
               n * static_cast<double>(inner_) * static_cast<double>(traits_of(what_.type.input).size) +
               n * static_cast<double>(outer_) * static_cast<double>(traits_of(what_.type.output).size) *
                   (what_.beta == 0 ? 1 : 2);
    }

    void add_ratios(entry& each) const {
        if (each.seconds == 0) return;
        for (const entry& peer : entries_)
            if (peer.seconds > 0 && is_baseline(*each.who, *peer.who))
                each.row["ratio"][peer.who->name] = peer.seconds / each.seconds;
    }

    const contestants& who_;
    const spmm_case& what_;
    std::int64_t inner_, outer_;
    number_array b_, c_;
    std::map<const device*, spmm_operands> operands_;
    std::map<std::int64_t, spmv_reference> references_;
    std::vector<entry> entries_;
};

}  // namespace

std::vector<record> run_spmm_match(const contestants& who, const spmm_case& what, const record& head) {
    return spmm_match(who, what).run(head);
}

}  // namespace heron::tools
