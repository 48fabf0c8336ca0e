// y := alpha*op(A)*x + beta*y: validation, composition of the formats, and the plans that preprocess leaves.
#include "products.hpp"
#include "core/element_types.hpp"

namespace heron::core {
namespace {

void require_sizes(heron_operation op, const heron_spmat& a, const heron_dnvec& x, const heron_dnvec& y) {
    if (const int64_t inner = cols_of(op, a); x.size != inner)
        invalid(role::x, fmt::format("size {} differs from op(A)'s {} columns", x.size, inner));
    if (const int64_t outer = rows_of(op, a); y.size != outer)
        invalid(role::y, fmt::format("size {} differs from op(A)'s {} rows", y.size, outer));
}

size_t least_workspace_of(heron_format format) {
    return format == HERON_FORMAT_CSR || format == HERON_FORMAT_COO ? least_workspace : 0;
}

}  // namespace

void spmv(context& c, const phase_call& phase, heron_operation op, const void* alpha, const heron_spmat& a,
          const heron_dnvec& x, const void* beta, const heron_dnvec& y, heron_type compute_type,
          const product_algorithm& algorithm, analysis* kept) {
    if (kept) kept->require_kind(operation::spmv);
    if (a.format == HERON_FORMAT_BLOCKED_ELL) not_supported(role::a, "SpMV takes no Blocked-ELL matrix");
    require_format(a, algorithm);
    if (a.batch_count > 1) not_supported(role::a, "SpMV takes no batches");
    require_sizes(op, a, x, y);
    require_product_types(a.type, x.type, y.type, compute_type);
    if (phase.phase != HERON_PHASE_SIZE) {
        require_arrays(a, role::a);
        require_arrays(x, role::x);
        require_arrays(y, role::y);
        validate_contents(c, a, role::a);
    }
    heron_spmv_args args{};
    args.op = op;
    args.alpha = scalar_argument(c, alpha, compute_type, role::alpha);
    args.a = a;
    args.x = x;
    args.beta = scalar_argument(c, beta, compute_type, role::beta);
    args.y = y;
    args.compute_type = compute_type;
    args.reproducibility = algorithm.reproducibility;
    make_canonical(args.a, args.op);
    submit_product(c, phase, args, least_workspace_of(a.format), kept);
}

}  // namespace heron::core
