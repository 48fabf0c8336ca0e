// Sums of sparse matrices: validation. The three matrices have one size, since their functions have.
#include "spadd.hpp"
#include "core/element_types.hpp"
#include "core/submit.hpp"

namespace heron::core {
namespace {

heron_spadd_args arguments_of(const heron_spmat& a, const heron_spmat& b, const heron_spmat& sum) {
    heron_spadd_args args{};
    args.a = a;
    args.b = b;
    args.c = sum;
    args.type = sum.type;
    return args;
}

void require_pattern(context& c, const heron_spmat& m, argument operand) {
    require_offsets(m, operand);
    if (m.nnz > 0) require_element(m.indices, size_of(m.index_type), operand[part::indices]);
    validate_contents(c, m, operand);
    if (m.nnz > 0) validate_ascending(c, m, operand);
}

// What the kernels read of a matrix without elements is its offsets.
void require_operands(context& c, const heron_spmat& a, const heron_spmat& b, const heron_spmat& sum) {
    require_pattern(c, a, role::a);
    require_pattern(c, b, role::b);
    require_offsets(sum, role::c);
}

void require_summand(const heron_spmat& m, const heron_spmat& sum, argument operand) {
    if (m.rows != sum.rows || m.cols != sum.cols)
        invalid(operand,
                fmt::format("size {} x {} differs from @'s {} x {}", m.rows, m.cols, sum.rows, sum.cols),
                role::c);
    if (m.type != sum.type)
        not_supported(operand, fmt::format("type {} differs from @'s {}", name_of(m.type), name_of(sum.type)),
                      role::c);
}

void require_csr(const heron_spmat& m, argument operand) {
    if (m.format != HERON_FORMAT_CSR) not_supported(operand, "only CSR is supported");
    if (m.offset_type != HERON_INDEX_32 || m.index_type != HERON_INDEX_32)
        not_supported(operand, "only 32-bit indices are supported");
    if (m.batch_count > 1) not_supported(operand, "batches are not supported");
}

size_t size_of_both(context& c, const heron_spadd_args& args) {
    return std::max({workspace_size<operation::spadd_count>(c, args),
                     workspace_size<operation::spadd>(c, args), least_workspace});
}

}  // namespace

void spadd_size(context& c, const phase_call& phase, const heron_spmat& a, const heron_spmat& b,
                const heron_spmat& sum) {
    *required(phase.size, role::workspace_size) = size_of_both(c, arguments_of(a, b, sum));
}

void require_sum(heron_operation op_a, heron_operation op_b, const heron_spmat& a, const heron_spmat& b,
                 const heron_spmat& sum, heron_type compute_type) {
    if (op_a != HERON_OP_NONE) not_supported(role::operation_a, "only NON_TRANSPOSE is supported");
    if (op_b != HERON_OP_NONE) not_supported(role::operation_b, "only NON_TRANSPOSE is supported");
    require_csr(a, role::a);
    require_csr(b, role::b);
    require_csr(sum, role::c);
    require_summand(a, sum, role::a);
    require_summand(b, sum, role::b);
    const bool full = sum.type == HERON_R_32F || sum.type == HERON_R_64F || sum.type == HERON_C_32F ||
                      sum.type == HERON_C_64F;
    if (!full || compute_type != sum.type)
        not_supported(role::compute_type,
                      fmt::format("matrices of {}, compute type {}: not a supported combination",
                                  name_of(sum.type), name_of(compute_type)));
}

void spadd_count(context& c, const phase_call& phase, const heron_spmat& a, const heron_spmat& b,
                 const heron_spmat& sum, int32_t* nnz) {
    heron_spadd_count_args args = arguments_of(a, b, sum);
    args.nnz = count_result(c, nnz);
    require_operands(c, a, b, sum);
    submit<operation::spadd_count>(c, phase, args);
}

void spadd_count_on_host(context& c, const phase_call& phase, const heron_spmat& a, const heron_spmat& b,
                         const heron_spmat& sum, int32_t* nnz) {
    heron_spadd_count_args args = arguments_of(a, b, sum);
    args.nnz = {nnz, 0};
    require_operands(c, a, b, sum);
    submit<operation::spadd_count>(c, phase, args);
}

void spadd(context& c, const phase_call& phase, const void* alpha, const heron_spmat& a, const void* beta,
           const heron_spmat& b, const heron_spmat& sum) {
    const heron_scalar first = scalar_argument(c, alpha, sum.type, role::alpha);
    spadd(c, phase, first, a, scalar_argument(c, beta, sum.type, role::beta), b, sum);
}

void spadd(context& c, const phase_call& phase, const heron_scalar& alpha, const heron_spmat& a,
           const heron_scalar& beta, const heron_spmat& b, const heron_spmat& sum) {
    heron_spadd_args args = arguments_of(a, b, sum);
    args.alpha = alpha;
    args.beta = beta;
    require_operands(c, a, b, sum);
    require_arrays(a, role::a);
    require_arrays(b, role::b);
    if (a.nnz + b.nnz > 0) {
        require_element(sum.indices, sizeof(int32_t), argument{role::c, part::indices});
        require_element(sum.values, size_of(sum.type), argument{role::c, part::values});
    }
    submit<operation::spadd>(c, phase, args);
}

}  // namespace heron::core
