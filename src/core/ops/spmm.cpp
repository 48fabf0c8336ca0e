// C := alpha*op(A)*op(B) + beta*C: validation, composition of the formats, one column as SpMV, and the
// plans that preprocess leaves.
#include "core/element_types.hpp"
#include "core/submit.hpp"
#include <algorithm>
#include <utility>

namespace heron::core {
namespace {

// Unique among the operations that keep plans.
constexpr int matrix_operation_id = 10;
constexpr int vector_operation_id = 11;

const char* name_of_format(heron_format format) {
    static constexpr const char* names[] = {"COO", "CSR", "CSC", "BSR", "SELL", "Blocked-ELL"};
    return names[format];
}

void require_format(const heron_spmat& a, const spmm_algorithm& algorithm) {
    if (a.format == HERON_FORMAT_SELL) not_supported("matA", "SpMM takes no SELL matrix");
    const heron_format* const end = algorithm.formats + algorithm.format_count;
    if (std::find(algorithm.formats, end, a.format) == end)
        not_supported("alg", fmt::format("is not for {} matrices", name_of_format(a.format)));
}

// B as a matrix that is only conjugated: a transposed matrix is one with the other order.
heron_dnmat without_transposition(const heron_dnmat& b, heron_operation op) {
    heron_dnmat result = b;
    if (!transposes(op)) return result;
    std::swap(result.rows, result.cols);
    result.order = b.order == HERON_ORDER_ROW ? HERON_ORDER_COLUMN : HERON_ORDER_ROW;
    return result;
}

void require_sizes(heron_operation op, const heron_spmat& a, const heron_dnmat& b, const heron_dnmat& c) {
    const int64_t inner = transposes(op) ? a.rows : a.cols;
    const int64_t outer = transposes(op) ? a.cols : a.rows;
    if (b.rows != inner)
        invalid("matB", fmt::format("op(B) has {} rows, but op(A) has {} columns", b.rows, inner));
    if (c.rows != outer) invalid("matC", fmt::format("has {} rows, but op(A) has {}", c.rows, outer));
    if (c.cols != b.cols) invalid("matC", fmt::format("has {} columns, but op(B) has {}", c.cols, b.cols));
}

void require_batch_of(int32_t count, int32_t items, const char* argument) {
    if (count != 1 && count != items)
        invalid(argument, fmt::format("is a batch of {}, but C is one of {}", count, items));
}

void require_batches(const heron_spmat& a, const heron_dnmat& b, const heron_dnmat& c) {
    require_batch_of(a.batch_count, c.batch_count, "matA");
    require_batch_of(b.batch_count, c.batch_count, "matB");
    if (c.batch_count > 1 && a.batch_count == 1 && b.batch_count == 1)
        invalid("matC", fmt::format("is a batch of {}, but A and B are one matrix each", c.batch_count));
    if (c.batch_count > 1 && c.batch_stride == 0 && c.rows > 0 && c.cols > 0)
        invalid("matC", "has the batch stride 0: the items of a result may not overlap");
}

// A matrix that all items share has no stride.
void share(heron_spmat& a) {
    if (a.batch_count == 1) a.offsets_stride = a.indices_stride = a.values_stride = 0;
}
void share(heron_dnmat& m) {
    if (m.batch_count == 1) m.batch_stride = 0;
}

// The documented row of Blocked-ELL whose compute type is 16-bit; it is summed in 32 bits.
bool computes_in_half(const heron_spmm_args& args, heron_format format, heron_type compute_type) {
    return format == HERON_FORMAT_BLOCKED_ELL && compute_type == HERON_R_16F && args.c.type == HERON_R_16F;
}

plan_key key_of(const context& c, const heron_spmm_args& args, int operation_id, const void* workspace) {
    return {&c.table(),
            c.device(),
            operation_id,
            args.op,
            args.reproducibility,
            {args.a.type, args.b.type, args.c.type, args.compute_type},
            args.a.offsets,
            args.a.row_indices,
            args.a.indices,
            workspace,
            args.a.nnz};
}

template <class Args>
void submit_with_plan(context& c, slot_pointer<Args> slot, const phase_call& phase, const Args& args,
                      const sparse_matrix& a, const plan_key& key) {
    const plan_cache::shared_plan kept = phase.phase == HERON_PHASE_RUN ? a.plans.find(key) : nullptr;
    heron_plan* plan = kept.get();
    submit(c, "spmm", slot, phase, args, &plan);
    if (phase.phase == HERON_PHASE_ANALYSE) a.plans.store(key, plan);
}

// One column without gaps is a vector.
bool is_vector(const heron_dnmat& m) { return m.cols == 1 && (m.order == HERON_ORDER_COLUMN || m.ld == 1); }

bool is_spmv(const heron_spmm_args& args) {
    return is_vector(args.b) && is_vector(args.c) && !args.conjugate_b && args.c.batch_count == 1 &&
           args.a.format != HERON_FORMAT_BLOCKED_ELL;
}

heron_spmv_args as_spmv(const heron_spmm_args& args) {
    heron_spmv_args result{};
    result.op = args.op;
    result.alpha = args.alpha;
    result.a = args.a;
    result.x = {args.b.rows, args.b.values, args.b.type};
    result.beta = args.beta;
    result.y = {args.c.rows, args.c.values, args.c.type};
    result.compute_type = args.compute_type;
    result.reproducibility = args.reproducibility;
    return result;
}

}  // namespace

void spmm(context& c, const phase_call& phase, heron_operation op_a, heron_operation op_b, const void* alpha,
          const sparse_matrix& a, const dense_matrix& b, const void* beta, dense_matrix& result,
          heron_type compute_type, const spmm_algorithm& algorithm) {
    heron_spmm_args args{};
    args.op = op_a;
    args.b = without_transposition(b.value, op_b);
    args.c = result.value;
    require_format(a.value, algorithm);
    require_sizes(op_a, a.value, args.b, args.c);
    require_batches(a.value, args.b, args.c);
    const bool half = computes_in_half(args, a.value.format, compute_type);
    args.compute_type = half ? HERON_R_32F : compute_type;
    require_spmm_types(a.value.type, args.b.type, args.c.type, args.compute_type);
    if (phase.phase != HERON_PHASE_SIZE) {
        require_arrays(a.value, "matA");
        require_arrays(b.value, "matB");
        require_arrays(result.value, "matC");
        validate_contents(c, a.value, "matA");
    }
    args.conjugate_b = op_b == HERON_OP_CONJUGATE_TRANSPOSE && is_complex(b.value.type);
    const auto scalar = half ? &short_scalar_argument : &scalar_argument;
    args.alpha = scalar(c, alpha, compute_type, "alpha");
    args.a = canonical(a.value, args.op);
    args.beta = scalar(c, beta, compute_type, "beta");
    args.reproducibility = algorithm.reproducibility;
    share(args.a);
    share(args.b);
    share(args.c);

    if (is_spmv(args))
        return submit_with_plan(c, c.table().spmv, phase, as_spmv(args), a,
                                key_of(c, args, vector_operation_id, phase.memory));
    submit_with_plan(c, c.table().spmm, phase, args, a, key_of(c, args, matrix_operation_id, phase.memory));
}

}  // namespace heron::core
