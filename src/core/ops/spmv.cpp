// y := alpha*op(A)*x + beta*y: validation, composition of the formats, and the plans that preprocess leaves.
#include "core/element_types.hpp"
#include "core/submit.hpp"
#include <algorithm>

namespace heron::core {
namespace {

constexpr int operation_id = 1;

const char* name_of_format(heron_format format) {
    static constexpr const char* names[] = {"COO", "CSR", "CSC", "BSR", "SELL", "Blocked-ELL"};
    return names[format];
}

void require_sizes(heron_operation op, const heron_spmat& a, const heron_dnvec& x, const heron_dnvec& y) {
    const int64_t inner = transposes(op) ? a.rows : a.cols;
    const int64_t outer = transposes(op) ? a.cols : a.rows;
    if (x.size != inner)
        invalid("vecX", fmt::format("size {} differs from op(A)'s {} columns", x.size, inner));
    if (y.size != outer) invalid("vecY", fmt::format("size {} differs from op(A)'s {} rows", y.size, outer));
}

void require_format(const heron_spmat& a, const spmv_algorithm& algorithm) {
    if (a.format == HERON_FORMAT_BLOCKED_ELL) not_supported("matA", "SpMV takes no Blocked-ELL matrix");
    const heron_format* const end = algorithm.formats + algorithm.format_count;
    if (algorithm.formats && std::find(algorithm.formats, end, a.format) == end)
        not_supported("alg", fmt::format("is not for {} matrices", name_of_format(a.format)));
    if (a.batch_count > 1) not_supported("matA", "SpMV takes no batches");
}

size_t least_workspace_of(heron_format format) {
    return format == HERON_FORMAT_CSR || format == HERON_FORMAT_COO ? least_workspace : 0;
}

plan_key key_of(const context& c, const heron_spmv_args& args, const void* workspace) {
    return {&c.table(),
            c.device(),
            operation_id,
            args.op,
            args.reproducibility,
            {args.a.type, args.x.type, args.y.type, args.compute_type},
            args.a.offsets,
            args.a.row_indices,
            args.a.indices,
            workspace,
            args.a.nnz};
}

}  // namespace

void spmv(context& c, const phase_call& phase, heron_operation op, const void* alpha, const sparse_matrix& a,
          const dense_vector& x, const void* beta, dense_vector& y, heron_type compute_type,
          const spmv_algorithm& algorithm) {
    require_format(a.value, algorithm);
    require_sizes(op, a.value, x.value, y.value);
    require_product_types(a.value.type, x.value.type, y.value.type, compute_type);
    if (phase.phase != HERON_PHASE_SIZE) {
        require_arrays(a.value, "matA");
        require_arrays(x.value, "vecX");
        require_arrays(y.value, "vecY");
        validate_contents(c, a.value, "matA");
    }
    heron_spmv_args args{};
    args.op = op;
    args.alpha = scalar_argument(c, alpha, compute_type, "alpha");
    args.a = canonical(a.value, args.op);
    args.x = x.value;
    args.beta = scalar_argument(c, beta, compute_type, "beta");
    args.y = y.value;
    args.compute_type = compute_type;
    args.reproducibility = algorithm.reproducibility;

    const plan_key key = key_of(c, args, phase.memory);
    const plan_cache::shared_plan kept = phase.phase == HERON_PHASE_RUN ? a.plans.find(key) : nullptr;
    heron_plan* plan = kept.get();
    submit(c, "spmv", c.table().spmv, phase, args, &plan, least_workspace_of(a.value.format));
    if (phase.phase == HERON_PHASE_ANALYSE) a.plans.store(key, plan);
}

}  // namespace heron::core
