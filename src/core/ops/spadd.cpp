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

size_t size_of_both(context& c, const heron_spadd_args& args) {
    return std::max({workspace_size<operation::spadd_count>(c, args),
                     workspace_size<operation::spadd>(c, args), least_workspace});
}

}  // namespace

void spadd_size(context& c, const phase_call& phase, const heron_spmat& a, const heron_spmat& b,
                const heron_spmat& sum) {
    *required(phase.size, role::workspace_size) = size_of_both(c, arguments_of(a, b, sum));
}

void spadd_count(context& c, const phase_call& phase, const heron_spmat& a, const heron_spmat& b,
                 const heron_spmat& sum, int32_t* nnz) {
    heron_spadd_count_args args = arguments_of(a, b, sum);
    args.nnz = count_result(c, nnz);
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
