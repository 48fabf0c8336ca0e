// C := alpha*(op(A)*op(B)) on C's pattern + beta*C: validation, and the dense operands as vectors along the
// inner dimension.
#include "core/element_types.hpp"
#include "core/submit.hpp"

namespace heron::core {
namespace {

// op(m), whose vectors are its rows or its columns.
heron_sddmm_vectors vectors_of(const heron_dnmat& m, heron_operation op, bool by_rows) {
    const bool rows_of_storage = by_rows != transposes(op);
    const int64_t row_step = m.order == HERON_ORDER_ROW ? m.ld : 1;
    const int64_t column_step = m.order == HERON_ORDER_ROW ? 1 : m.ld;
    heron_sddmm_vectors v{};
    v.values = m.values;
    v.type = m.type;
    v.conjugate = is_complex(m.type) && op == HERON_OP_CONJUGATE_TRANSPOSE;
    v.vector_step = rows_of_storage ? row_step : column_step;
    v.element_step = rows_of_storage ? column_step : row_step;
    v.batch_stride = m.batch_count > 1 ? m.batch_stride : 0;
    return v;
}

void require_sizes(heron_operation op_a, heron_operation op_b, const heron_dnmat& a, const heron_dnmat& b,
                   const heron_spmat& c) {
    const int64_t k = cols_of(op_a, a);
    if (rows_of(op_b, b) != k)
        invalid(role::b, fmt::format("op(B) has {} rows, op(A) has {} columns", rows_of(op_b, b), k));
    if (rows_of(op_a, a) != c.rows || cols_of(op_b, b) != c.cols)
        invalid(role::c, fmt::format("size {} x {} differs from op(A)*op(B)'s {} x {}", c.rows, c.cols,
                                     rows_of(op_a, a), cols_of(op_b, b)));
}

// Every item has a C of its own; A and B have as many, or one for all.
void require_batches(const heron_dnmat& a, const heron_dnmat& b, const heron_spmat& c) {
    if (a.batch_count != 1 && a.batch_count != c.batch_count)
        invalid(role::a, fmt::format("batch count {} is neither 1 nor @'s {}", a.batch_count, c.batch_count),
                role::c);
    if (b.batch_count != 1 && b.batch_count != c.batch_count)
        invalid(role::b, fmt::format("batch count {} is neither 1 nor @'s {}", b.batch_count, c.batch_count),
                role::c);
    if (c.batch_count > 1 && c.nnz > 0 && c.values_stride == 0)
        invalid(role::c, "the items of a batch that is written cannot share their values");
}

void require_format(const heron_spmat& c) {
    if (c.format == HERON_FORMAT_SELL || c.format == HERON_FORMAT_BLOCKED_ELL)
        not_supported(role::c, "SDDMM takes COO, CSR, CSC and BSR matrices");
}

}  // namespace

void sddmm(context& c, const phase_call& phase, heron_operation op_a, heron_operation op_b, const void* alpha,
           const heron_dnmat& a, const heron_dnmat& b, const void* beta, const heron_spmat& matrix,
           heron_type compute_type) {
    require_format(matrix);
    require_sizes(op_a, op_b, a, b, matrix);
    require_batches(a, b, matrix);
    require_sampled_product_types(a.type, b.type, matrix.type, compute_type);
    if (phase.phase != HERON_PHASE_SIZE) {
        require_arrays(a, role::a);
        require_arrays(b, role::b);
        require_arrays(matrix, role::c);
        validate_contents(c, matrix, role::c);
    }
    heron_operation op_c = HERON_OP_NONE;
    heron_sddmm_args args{};
    args.alpha = scalar_argument(c, alpha, compute_type, role::alpha);
    args.a = vectors_of(a, op_a, true);
    args.b = vectors_of(b, op_b, false);
    args.k = cols_of(op_a, a);
    args.beta = scalar_argument(c, beta, compute_type, role::beta);
    args.c = canonical(matrix, op_c);
    args.compute_type = compute_type;
    if (transposes(op_c)) std::swap(args.a, args.b);
    submit<operation::sddmm>(c, phase, args);
}

}  // namespace heron::core
