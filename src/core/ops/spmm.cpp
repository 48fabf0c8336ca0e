// C := alpha*op(A)*op(B) + beta*C: validation, composition of the formats, one column as SpMV, and the
// plans that preprocess leaves.
#include "products.hpp"
#include "core/element_types.hpp"

namespace heron::core {
namespace {

void require_sizes(heron_operation op, const heron_spmat& a, const heron_dnmat& b, const heron_dnmat& c) {
    const int64_t inner = cols_of(op, a), outer = rows_of(op, a);
    if (b.rows != inner)
        invalid(role::b, fmt::format("op(B) has {} rows, but op(A) has {} columns", b.rows, inner));
    if (c.rows != outer) invalid(role::c, fmt::format("has {} rows, but op(A) has {}", c.rows, outer));
    if (c.cols != b.cols) invalid(role::c, fmt::format("has {} columns, but op(B) has {}", c.cols, b.cols));
}

void require_batch_of(int32_t count, int32_t items, argument operand) {
    if (count != 1 && count != items)
        invalid(operand, fmt::format("is a batch of {}, but C is one of {}", count, items));
}

void require_batches(const heron_spmat& a, const heron_dnmat& b, const heron_dnmat& c) {
    require_batch_of(a.batch_count, c.batch_count, role::a);
    require_batch_of(b.batch_count, c.batch_count, role::b);
    if (c.batch_count > 1 && a.batch_count == 1 && b.batch_count == 1)
        invalid(role::c, fmt::format("is a batch of {}, but A and B are one matrix each", c.batch_count));
    if (c.batch_count > 1 && c.batch_stride == 0 && c.rows > 0 && c.cols > 0)
        invalid(role::c, "has the batch stride 0: the items of a result may not overlap");
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
          const heron_spmat& a, const heron_dnmat& b, const void* beta, const heron_dnmat& result,
          heron_type compute_type, const product_algorithm& algorithm, analysis* kept) {
    if (kept) kept->require_kind(operation::spmm);
    heron_spmm_args args{};
    args.op = op_a;
    // A transposed matrix is one with the other order, which is at most conjugated.
    args.b = transposes(op_b) ? transposed(b) : b;
    args.c = result;
    if (a.format == HERON_FORMAT_SELL) not_supported(role::a, "SpMM takes no SELL matrix");
    require_format(a, algorithm);
    require_sizes(op_a, a, args.b, args.c);
    require_batches(a, args.b, args.c);
    const bool half = computes_in_half(args, a.format, compute_type);
    args.compute_type = half ? HERON_R_32F : compute_type;
    require_spmm_types(a.type, args.b.type, args.c.type, args.compute_type);
    if (phase.phase != HERON_PHASE_SIZE) {
        require_arrays(a, role::a);
        require_arrays(b, role::b);
        require_arrays(result, role::c);
        validate_contents(c, a, role::a);
    }
    args.conjugate_b = op_b == HERON_OP_CONJUGATE_TRANSPOSE && is_complex(b.type);
    const auto scalar = half ? &short_scalar_argument : &scalar_argument;
    args.alpha = scalar(c, alpha, compute_type, role::alpha);
    args.a = canonical(a, args.op);
    args.beta = scalar(c, beta, compute_type, role::beta);
    args.reproducibility = algorithm.reproducibility;
    share(args.a);
    share(args.b);
    share(args.c);
    is_spmv(args) ? submit_product(c, phase, as_spmv(args), 0, kept) : submit_product(c, phase, args, kept);
}

}  // namespace heron::core
