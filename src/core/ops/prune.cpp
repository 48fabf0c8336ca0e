// Pruning: validation, and what the functions by percentage do one after the other.
#include "prune.hpp"
#include "core/element_types.hpp"
#include "core/submit.hpp"
#include <cmath>
#include <numeric>

namespace heron::core {
namespace {

void require_counts(const int32_t* counts, int64_t lines) {
    require_aligned(counts, sizeof *counts, role::counts);
    if (lines > 0) required(counts, role::counts);
}

// One row has an offset where it begins; a matrix without rows may lack even that one.
void require_row_offsets(const heron_spmat& m, argument operand) {
    if (m.rows > 0) require_offsets(m, operand);
}

void require_source(context& c, const prune_problem& p) {
    if (p.is_dense) return require_arrays(p.dense, role::a);
    require_arrays(p.sparse, role::a);
    validate_contents(c, p.sparse, role::a);
}

bool is_empty(const prune_problem& p) {
    return p.is_dense ? p.dense.rows == 0 || p.dense.cols == 0 : p.sparse.nnz == 0;
}

// B's number of elements is on the device, which is asked only for the sake of arrays that are NULL.
template <class Count>
bool has_nothing_to_write(const heron_spmat& b, Count&& count) {
    if (b.indices && b.values) return false;
    if (count() > 0) {
        required(b.values, argument{role::b, part::values});
        required(b.indices, argument{role::b, part::indices});
    }
    return true;
}

int64_t last_offset(context& c, const heron_spmat& b) {
    const auto* const last = static_cast<const int32_t*>(b.offsets) + b.rows;
    return download(c, last, 1, HERON_INDEX_32)[0] - b.base;
}

heron_prune_args arguments(const prune_problem& p, const heron_scalar& threshold) {
    heron_prune_args args{};
    args.is_dense = p.is_dense;
    args.dense = p.dense;
    args.sparse = p.sparse;
    args.b = p.b;
    args.threshold = threshold;
    return args;
}

heron_prune_args compress_arguments(const heron_spmat& a, double tolerance, int32_t* counts) {
    if (!(tolerance >= 0)) invalid(role::tolerance, fmt::format("{} is not at least 0", tolerance));
    require_counts(counts, a.rows);
    heron_prune_args args{};
    args.sparse = a;
    args.b = a;
    args.b.offsets = args.b.indices = args.b.values = nullptr;
    args.threshold = {nullptr, tolerance, 0};
    args.counts = counts;
    return args;
}

size_t size_of_both(context& c, const heron_prune_args& args) {
    return std::max(workspace_size<operation::prune_count>(c, args),
                    workspace_size<operation::prune>(c, args));
}

void answer_size(const phase_call& phase, size_t bytes) {
    *required(phase.size, role::workspace_size) = std::max(bytes, least_workspace);
}

// The fraction of so many elements that stands for the rank ceil(size * percentage / 100) however it is
// multiplied: half an element away from where the rank changes. A hundredth of the percentage is not, because
// 0.07 * 100 is more than 7.
double fraction_of(float percentage, int64_t size) {
    if (size == 0) return 0;
    const auto elements = static_cast<double>(size);
    const double rank = std::ceil(elements * static_cast<double>(percentage) / 100);
    return (std::max(rank, 1.0) - 0.5) / elements;
}

heron_percentile_args percentile_arguments(const prune_problem& p, float percentage, void* threshold) {
    if (!(percentage >= 0 && percentage <= 100))
        invalid(role::fraction, fmt::format("{} is not in [0, 100]", percentage));
    const int64_t size = p.is_dense ? p.dense.rows * p.dense.cols : p.sparse.nnz;
    return {p.is_dense, p.dense, p.sparse, fraction_of(percentage, size), threshold};
}

heron_prune_args count_arguments(context& c, const prune_problem& p, const heron_scalar& threshold,
                                 int32_t* total) {
    require_source(c, p);
    require_row_offsets(p.b, role::b);
    heron_prune_args args = arguments(p, threshold);
    args.nnz = count_result(c, required(total, role::result));
    return args;
}

void prune_by(context& c, const phase_call& phase, const prune_problem& p, const heron_scalar& threshold) {
    require_source(c, p);
    require_row_offsets(p.b, role::b);
    if (is_empty(p) || has_nothing_to_write(p.b, [&] { return last_offset(c, p.b); })) return;
    submit<operation::prune>(c, phase, arguments(p, threshold), least_workspace);
}

}  // namespace

void count_nonzeros(context& c, const heron_dnmat& a, bool by_columns, int32_t* counts, int32_t* total) {
    require_arrays(a, role::a);
    require_counts(counts, by_columns ? a.cols : a.rows);
    submit<operation::count_nonzeros>(
        c, run_in_own_scratch,
        heron_count_nonzeros_args{a, by_columns, counts, count_result(c, required(total, role::result))});
}

heron_scalar prune_threshold(const context& c, const void* threshold, heron_type type) {
    if (c.pointer_mode() == pointer_mode::device) {
        require_element(threshold, size_of(type), role::threshold);
        return {threshold, 0, 0};
    }
    const heron_scalar s = type == HERON_R_16F ? short_scalar_argument(c, threshold, type, role::threshold)
                                               : scalar_argument(c, threshold, type, role::threshold);
    if (!(s.re >= 0)) invalid(role::threshold, fmt::format("{} is not at least 0", s.re));
    return s;
}

void prune_size(context& c, const phase_call& phase, const prune_problem& p) {
    answer_size(phase, size_of_both(c, arguments(p, {})));
}

void prune_count(context& c, const phase_call& phase, const prune_problem& p, const void* threshold,
                 int32_t* total) {
    const heron_scalar value = prune_threshold(c, threshold, p.b.type);
    submit<operation::prune_count>(c, phase, count_arguments(c, p, value, total), least_workspace);
}

void prune(context& c, const phase_call& phase, const prune_problem& p, const void* threshold) {
    prune_by(c, phase, p, prune_threshold(c, threshold, p.b.type));
}

void* kept_threshold::on(context& c) {
    if (!memory_.on(c)) type_.reset();
    return memory_.at_least(sizeof(double), c);
}

void kept_threshold::found(heron_type type) { type_ = type; }

heron_scalar kept_threshold::get(const context& c, heron_type type) const {
    if (!type_) invalid(role::info, "has no threshold before @", role::count_phase);
    const void* const threshold = memory_.on(c);
    if (!threshold) invalid(role::handle, "is on another device than the info's threshold");
    if (type_ != type)
        invalid(role::info,
                fmt::format("has a threshold of type {}, not {}", name_of(*type_), name_of(type)));
    return {threshold, 0, 0};
}

void prune_size(context& c, const phase_call& phase, const prune_problem& p, float percentage,
                kept_threshold& kept) {
    const heron_percentile_args rank = percentile_arguments(p, percentage, nullptr);
    required(phase.size, role::workspace_size);
    const heron_scalar on_device{kept.on(c), 0, 0};
    answer_size(phase, std::max(workspace_size<operation::percentile>(c, rank),
                                size_of_both(c, arguments(p, on_device))));
}

void prune_count(context& c, const phase_call& phase, const prune_problem& p, float percentage,
                 kept_threshold& kept, int32_t* total) {
    heron_percentile_args rank = percentile_arguments(p, percentage, nullptr);
    heron_prune_args args = count_arguments(c, p, {}, total);
    if (!phase.memory) workspace_missing(workspace_size<operation::percentile>(c, rank));
    rank.threshold = kept.on(c);
    args.threshold.device = rank.threshold;
    run_in<operation::percentile>(c, rank, phase.memory);
    kept.found(p.b.type);
    run_in<operation::prune_count>(c, args, phase.memory);
}

void prune(context& c, const phase_call& phase, const prune_problem& p, float percentage,
           const kept_threshold& kept) {
    percentile_arguments(p, percentage, nullptr);
    prune_by(c, phase, p, kept.get(c, p.b.type));
}

void compress_count(context& c, const heron_spmat& a, double tolerance, int32_t* counts, int32_t* total) {
    heron_prune_args args = compress_arguments(a, tolerance, counts);
    if (a.rows > 0) {
        required(a.values, argument{role::a, part::values});
        required(a.offsets, argument{role::a, part::offsets});
        args.sparse.nnz = INT32_MAX;
    }
    args.nnz = count_result(c, required(total, role::result));
    submit<operation::prune_count>(c, run_in_own_scratch, args);
}

void compress(context& c, const heron_spmat& a, double tolerance, const int32_t* counts,
              const heron_spmat& b) {
    heron_prune_args args = compress_arguments(a, tolerance, const_cast<int32_t*>(counts));
    args.b = b;
    require_arrays(a, role::a);
    validate_contents(c, a, role::a);
    require_row_offsets(b, role::b);
    const auto sum = [&] {
        const auto lengths = download(c, counts, a.rows, HERON_INDEX_32);
        return std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
    };
    if (a.nnz == 0 || has_nothing_to_write(b, sum)) args.sparse.nnz = 0;
    submit<operation::prune>(c, run_in_own_scratch, args);
}

}  // namespace heron::core
