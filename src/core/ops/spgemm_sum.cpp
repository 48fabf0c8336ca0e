#include "spgemm_sum.hpp"
#include "spadd.hpp"
#include "core/element_types.hpp"
#include "core/scratch_uses.hpp"
#include "core/submit.hpp"

namespace heron::core {
namespace {

spgemm_scalars constants(heron_type type) { return {nullptr, nullptr, type, true}; }

void answer(context& c, int64_t nnz, int32_t* total) {
    const heron_count_result result = count_result(c, total);
    if (!result.value) return;
    const auto known = static_cast<int32_t>(nnz);
    if (!result.on_device) {
        *result.value = known;
        return;
    }
    c.with_queue([&](heron_queue* queue) {
        check(c.table().copy(queue, result.value, &known, sizeof known), "copying the number of elements");
    });
}

void require_result_offsets(const heron_spmat& result) {
    if (result.rows > 0) require_offsets(result, role::c);
}

// Runs then(memory) with the product estimated and counted, all in the handle's scratch, whose first part
// holds what the estimate leaves. Growing moves the scratch, so that the estimate is made anew.
template <class F>
void count_in_scratch(context& c, const spgemm_operands& x, F&& then) {
    require_result_offsets(x.c);
    const spgemm_scalars s = constants(x.a.type);
    spgemm_description description;
    size_t first = 0, second = 0;
    const auto estimate = [&](void* memory) { description.work_estimation(c, x, s, {&first, memory, 1}); };
    estimate(nullptr);
    c.exclusively([&] {
        void* estimated_in = nullptr;
        c.with_scratch(first, [&](heron_queue*, void* memory) { estimate(estimated_in = memory); });
        description.compute(c, x, s, {&second, nullptr, 2});
        c.with_scratch(first + second, [&](heron_queue*, void* memory) {
            if (memory != estimated_in) estimate(memory);
            description.compute(c, x, s, {&second, static_cast<char*>(memory) + first, 2});
            then(description);
        });
    });
}

}  // namespace

void product_count(context& c, const spgemm_operands& x, int32_t* total) {
    count_result(c, total);
    spgemm_operands patterns = x;
    patterns.are_patterns = true;
    count_in_scratch(c, patterns, [](const spgemm_description&) {});
    answer(c, x.c.nnz, total);
}

void product(context& c, const spgemm_operands& x) {
    count_in_scratch(c, x,
                     [&](spgemm_description& description) { description.copy(c, x, constants(x.a.type)); });
}

const product_sum::terms& product_sum::asked() const {
    if (!sized_by_) invalid(role::info, "@ has not been called yet with this info", role::size_phase);
    return *sized_by_;
}

void product_sum::estimate(context& c, const spgemm_operands& x, const sized_buffer& buffer) {
    if (sized_by_->summand)
        description_.reuse_work_estimation(c, x, buffer);
    else
        description_.work_estimation(c, x, constants(sized_by_->type), buffer);
}

// Whether the arrays of both factors are those that the size was asked for with.
bool product_sum::is_estimated(const spgemm_operands& x) const {
    const auto is_same = [](const heron_spmat& m, const heron_spmat& n) {
        return m.rows == n.rows && m.cols == n.cols && m.nnz == n.nnz && m.base == n.base &&
               m.offsets == n.offsets && m.indices == n.indices;
    };
    return estimated_ && is_same(estimated_->first, x.a) && is_same(estimated_->second, x.b);
}

// Counts with the estimate that the size has left in the scratch, if it is still there. It is copied into the
// buffer behind the count, while the host is told of the result.
bool product_sum::count_in_place(context& c, const spgemm_operands& x, void* buffer) {
    bool is_there = false;
    c.exclusively([&] {
        if (scratch_uses() != estimated_at_) return;
        c.with_scratch(estimate_bytes_, [&](heron_queue*, void* left) {
            is_there = left == estimated_in_;
            if (!is_there) return;
            size_t rest = promised_ - estimate_bytes_;
            description_.adopt_estimate(x);
            description_.compute(c, x, constants(sized_by_->type),
                                 {&rest, static_cast<char*>(buffer) + estimate_bytes_, 2});
            description_.move_estimate(c, x, buffer);
        });
    });
    return is_there;
}

// Estimates once more, without waiting for what is known of the same factors, and counts.
void product_sum::count_again(context& c, const spgemm_operands& x, bool is_known, void* buffer) {
    size_t first = estimate_size(c, x);
    void* memory = first <= promised_ ? buffer : counting_.at_least(first, c);
    const sized_buffer of_estimate{&first, memory, 1};
    is_known ? description_.estimate_again(c, x, of_estimate) : estimate(c, x, of_estimate);
    size_t second = count_size(c, x);
    if (first + second > promised_) {
        memory = counting_.at_least(first + second, c);
        estimate(c, x, {&first, memory, 1});
    }
    description_.compute(c, x, constants(sized_by_->type), {&second, static_cast<char*>(memory) + first, 2});
}

size_t product_sum::estimate_size(context& c, const spgemm_operands& x) {
    size_t bytes = 0;
    estimate(c, x, {&bytes, nullptr, 1});
    return std::max(bytes, least_workspace);
}

size_t product_sum::count_size(context& c, const spgemm_operands& x) {
    size_t bytes = 0, unused = 0, kept = 0;
    if (sized_by_->summand)
        description_.reuse_nnz(c, x, {&bytes, nullptr, 2}, {&unused, nullptr, 3}, {&kept, nullptr, 4});
    else
        description_.compute(c, x, constants(sized_by_->type), {&bytes, nullptr, 2});
    return std::max(bytes, least_workspace);
}

void product_sum::size(context& c, const product_sum_operands& x, size_t* bytes) {
    required(bytes, role::workspace_size);
    if (!x.a && !x.d) invalid(role::alpha, "is NULL, and so is @", role::beta);
    sized_by_ = terms{x.a != nullptr, x.d != nullptr, x.c.type};
    estimated_.reset();
    nnz_ = -1;
    promised_ = least_workspace;
    if (x.a) {
        heron_spmat result = x.c;
        const spgemm_operands patterns{HERON_OP_NONE, HERON_OP_NONE, *x.a, *x.b, result, true};
        size_t first = estimate_size(c, patterns);
        c.with_scratch(first, [&](heron_queue*, void* memory) {
            estimate(c, patterns, {&first, memory, 1});
            estimated_in_ = memory;
            estimated_at_ = scratch_uses();
        });
        estimate_bytes_ = first;
        promised_ = (x.d ? 0 : first) + count_size(c, patterns);
        if (!x.d) estimated_ = {*x.a, *x.b};
    }
    *bytes = promised_;
}

// The caller's, unless the pattern has come to need more than the size that was answered.
void* product_sum::memory_for_count(context& c, const spgemm_operands& x, void* buffer) {
    const size_t bytes = count_size(c, x);
    if (!buffer) workspace_missing(bytes);
    return bytes <= promised_ ? buffer : counting_.at_least(bytes, c);
}

void product_sum::count_product(context& c, const product_sum_operands& x, void* buffer) {
    if (!buffer) workspace_missing(promised_);
    heron_spmat result = x.c;
    const spgemm_operands patterns{HERON_OP_NONE, HERON_OP_NONE, *x.a, *x.b, result, true};
    const bool is_known = is_estimated(patterns);
    estimated_.reset();
    if (!is_known || !count_in_place(c, patterns, buffer)) count_again(c, patterns, is_known, buffer);
    buffer_ = buffer;
    nnz_ = result.nnz;
}

heron_spmat product_sum::kept_product(const heron_spmat& c) const {
    heron_spmat p = c;
    p.base = 0;
    p.offsets = p.indices = p.values = nullptr;
    p.nnz = nnz_;
    return p;
}

void product_sum::count_sum(context& c, const product_sum_operands& x, void* buffer, int32_t* total) {
    nnz_ = 0;
    heron_spmat p = kept_product(x.c);
    p.offsets = offsets_.at_least(static_cast<size_t>(p.rows + 1) * sizeof(int32_t), c);
    const spgemm_operands patterns{HERON_OP_NONE, HERON_OP_NONE, *x.a, *x.b, p, true};
    size_t first = estimate_size(c, patterns);
    estimate(c, patterns, {&first, estimate_.at_least(first, c), 1});
    void* const memory = memory_for_count(c, patterns, buffer);
    size_t scratch = 0, unused = 0, kept = 0, numeric = 0;
    description_.reuse_nnz(c, patterns, {&scratch, nullptr, 2}, {&unused, nullptr, 3}, {&kept, nullptr, 4});
    description_.reuse_nnz(c, patterns, {&scratch, memory, 2}, {&unused, memory, 3},
                           {&kept, counts_.at_least(kept, c), 4});
    p.indices = indices_.at_least(static_cast<size_t>(p.nnz) * sizeof(int32_t), c);
    p.values = values_.at_least(static_cast<size_t>(p.nnz) * size_of(p.type), c);
    constexpr bool prepares = false;  // hardly a program computes twice
    description_.reuse_copy(c, patterns, {&numeric, nullptr, 5}, prepares);
    description_.reuse_copy(c, patterns, {&numeric, numeric_.at_least(numeric, c), 5}, prepares);
    nnz_ = p.nnz;
    spadd_count(c, run_in_own_scratch, p, *x.d, x.c, total);
}

void product_sum::count(context& c, const product_sum_operands& x, void* buffer, int32_t* total) {
    count_result(c, total);
    require_result_offsets(x.c);
    nnz_ = -1;
    if (!has_product()) {
        spadd_count(c, run_in_own_scratch, *x.d, *x.d, x.c, total);
        nnz_ = 0;
    } else if (has_summand()) {
        count_sum(c, x, buffer, total);
    } else {
        count_product(c, x, buffer);
        answer(c, nnz_, total);
    }
}

void product_sum::compute(context& c, const product_sum_operands& x, const void* alpha, const void* beta,
                          void* buffer) {
    if (nnz_ < 0) invalid(role::info, "@ has not been called yet with this info", role::count_phase);
    if (x.c.type != type()) invalid(role::info, "is of another type");
    const spgemm_scalars scalars{alpha, nullptr, x.c.type, true};
    if (!has_product()) {
        const heron_scalar zero{nullptr, 0, 0}, factor = scalar_argument(c, beta, x.c.type, role::beta);
        return spadd(c, run_in_own_scratch, zero, *x.d, factor, *x.d, x.c);
    }
    if (!has_summand()) {
        if (!buffer) workspace_missing(promised_);
        if (buffer != buffer_) count_product(c, x, buffer);
        heron_spmat result = x.c;
        result.nnz = nnz_;
        constexpr bool with_offsets = false;  // those of the count
        return description_.copy(c, {HERON_OP_NONE, HERON_OP_NONE, *x.a, *x.b, result}, scalars,
                                 with_offsets);
    }
    heron_spmat p = kept_product(x.c);
    p.offsets = offsets_.on(c);
    p.indices = indices_.on(c);
    p.values = values_.on(c);
    const heron_scalar one{nullptr, 1, 0}, factor = scalar_argument(c, beta, x.c.type, role::beta);
    require_arrays(*x.d, role::x);
    description_.reuse_compute(c, {HERON_OP_NONE, HERON_OP_NONE, *x.a, *x.b, p}, scalars);
    spadd(c, run_in_own_scratch, one, p, factor, *x.d, x.c);
}

}  // namespace heron::core
