// Dense products and triangular solves: validation, row order turned into column order, one operation
// submitted.
#include "dense.hpp"
#include "dense_checks.hpp"
#include "core/element_types.hpp"
#include "core/submit.hpp"
#include <algorithm>
#include <cmath>

namespace heron::core {

namespace {

void require_types(heron_type type, heron_type compute_type) {
    require_enum(type, HERON_C_64F, role::type, "is not an element type");
    require_enum(compute_type, HERON_C_64F, role::compute_type, "is not an element type");
    const bool integer = type == HERON_R_8I || type == HERON_R_32I;
    if (integer || compute_type_of(type, role::type) != compute_type)
        not_supported(role::compute_type, fmt::format("{} matrices are not computed in {}", name_of(type),
                                                      name_of(compute_type)));
}

void require_algorithm(heron_gemm_algorithm algorithm) {
    require_enum(algorithm, HERON_GEMM_3XTF32, role::algorithm, "is not an algorithm");
}

void require_type_for(heron_gemm_algorithm algorithm, heron_type type) {
    if (algorithm == HERON_GEMM_3M && type != HERON_C_32F && type != HERON_C_64F)
        not_supported(role::algorithm, fmt::format("3M is not for {} matrices", name_of(type)));
}

// Besides algorithms, any of the parts that a study leaves out.
void require_algorithm_or_study(heron_gemm_algorithm algorithm) {
    constexpr unsigned parts = HERON_GEMM_WITHOUT_PACKING | HERON_GEMM_WITHOUT_LOADS |
                               HERON_GEMM_WITHOUT_ARITHMETIC | HERON_GEMM_WITHOUT_STORES;
    if ((static_cast<unsigned>(algorithm) & ~parts) != 0) require_algorithm(algorithm);
}

// What 3M needs of memory, which is less than nine times the largest of the matrices.
void require_3m_sizes(int64_t m, int64_t n, int64_t k, heron_type type) {
    require_countable({m, k, 9}, type);
    require_countable({k, n, 9}, type);
    require_countable({m, n, 9}, type);
}

constexpr heron_scalar host_one{nullptr, 1, 0};

// Of a Hermitian gemmt, whose alpha is no real number.
constexpr int32_t complex_alpha = 2;

void run_3m(context& context, const heron_gemm_args& args) {
    run_in_scratch<operation::gemm>(context, args, workspace_size<operation::gemm>(context, args));
}

// Those whose operands a plug-in may turn for its Tensor Cores, if there is memory for it.
bool is_for_tensor_cores(heron_type type, heron_gemm_algorithm algorithm) {
    if (type == HERON_R_32F) return algorithm == HERON_GEMM_TF32;
    return (type == HERON_R_16F || type == HERON_R_16BF) && algorithm == HERON_GEMM_DEFAULT;
}

template <operation op, class Args>
void run_product(context& context, const Args& args) {
    if (is_for_tensor_cores(args.type, args.algorithm)) return run_with_optional_scratch<op>(context, args);
    run_in<op>(context, args, nullptr);
}

// Rank-k updates in column order. In row order the arrays hold the transposes, C^T = alpha*conj(A)*A^T +
// beta*C^T: the other operation on the other triangle.
struct rank_update {
    heron_fill_mode fill;
    heron_operation op;
};

rank_update in_column_order(heron_order order, heron_fill_mode fill, heron_operation op, bool hermitian,
                            heron_type type) {
    require_order(order);
    require_fill(fill);
    const heron_operation turned = hermitian ? HERON_OP_CONJUGATE_TRANSPOSE : HERON_OP_TRANSPOSE;
    if (!hermitian && !is_complex(type) && op == HERON_OP_CONJUGATE_TRANSPOSE) op = HERON_OP_TRANSPOSE;
    if (op != HERON_OP_NONE && op != turned)
        invalid(role::operation_a,
                hermitian ? "is neither NONE nor CONJUGATE_TRANSPOSE" : "is neither NONE nor TRANSPOSE");
    if (order == HERON_ORDER_COLUMN) return {fill, op};
    return {other(fill), op == HERON_OP_NONE ? turned : HERON_OP_NONE};
}

void set_operations(heron_gemmt_args& args, heron_operation op, bool hermitian) {
    const heron_operation turned = hermitian ? HERON_OP_CONJUGATE_TRANSPOSE : HERON_OP_TRANSPOSE;
    args.op_a = op;
    args.op_b = op == HERON_OP_NONE ? turned : HERON_OP_NONE;
}

// True when C stays as it is.
bool changes_nothing(const heron_gemmt_args& args) {
    return args.n == 0 || ((args.k == 0 || is_zero(args.alpha)) && is_one(args.beta));
}

void rank_k(context& context, const rank_k_call& call, bool hermitian) {
    hermitian ? require_complex(call.type) : require_type(call.type);
    const rank_update update = in_column_order(call.order, call.fill, call.op, hermitian, call.type);
    require_size(call.n, role::columns);
    require_size(call.k, role::inner);
    const heron_type scalars = hermitian ? real_of(call.type) : call.type;
    heron_gemmt_args args{};
    args.type = call.type;
    args.fill = update.fill;
    set_operations(args, update.op, hermitian);
    args.n = call.n;
    args.k = call.k;
    args.terms = 1;
    args.hermitian = hermitian;
    args.alpha = scalar(context, call.alpha, scalars, role::alpha);
    args.beta = scalar(context, call.beta, scalars, role::beta);
    const bool reads = call.n > 0 && call.k > 0 && !is_zero(args.alpha);
    args.a[0] = args.b[0] = checked(role::a, call.a, call.order, call.op, call.n, call.k, call.type, reads);
    args.c = checked(role::c, call.c, call.order, call.n, call.n, call.type, true);
    require_countable({call.n, call.n}, call.type);
    if (!changes_nothing(args)) run_in<operation::gemmt>(context, args, nullptr);
}

// One product and its pass over C after the other. The first leaves the part of the diagonal that the second
// would cancel.
void two_passes(context& context, heron_gemmt_args args) {
    if (args.alpha.device || args.beta.device)
        not_supported(role::algorithm, "TWO_PASSES takes scalars from the host only");
    heron_gemmt_args second = args;
    args.terms = second.terms = 1;
    second.a[0] = args.a[1];
    second.b[0] = args.b[1];
    if (args.conjugate_second) second.alpha.im = -args.alpha.im;
    args.conjugate_second = second.conjugate_second = 0;
    second.beta = host_one;
    run_in<operation::gemmt>(context, args, nullptr);
    run_in<operation::gemmt>(context, second, nullptr);
}

void rank_2k(context& context, const rank_2k_call& call, bool hermitian) {
    hermitian ? require_complex(call.type) : require_type(call.type);
    const rank_update update = in_column_order(call.order, call.fill, call.op, hermitian, call.type);
    require_size(call.n, role::columns);
    require_size(call.k, role::inner);
    require_enum(call.algorithm, HERON_RANK_2K_TWO_PASSES, role::algorithm, "is not an algorithm");
    heron_gemmt_args args{};
    args.type = call.type;
    args.fill = update.fill;
    set_operations(args, update.op, hermitian);
    args.n = call.n;
    args.k = call.k;
    args.terms = 2;
    args.hermitian = args.conjugate_second = hermitian;
    args.alpha = scalar(context, call.alpha, call.type, role::alpha);
    args.beta = scalar(context, call.beta, hermitian ? real_of(call.type) : call.type, role::beta);
    const bool reads = call.n > 0 && call.k > 0 && !is_zero(args.alpha);
    heron_dense_operand a = checked(role::a, call.a, call.order, call.op, call.n, call.k, call.type, reads);
    heron_dense_operand b = checked(role::b, call.b, call.order, call.op, call.n, call.k, call.type, reads);
    // The transpose of alpha*A*B^H is alpha*conj(B)*A^T: with A and B exchanged alpha need not be conjugated.
    if (call.order == HERON_ORDER_ROW) std::swap(a, b);
    args.a[0] = args.b[1] = a;
    args.a[1] = args.b[0] = b;
    args.c = checked(role::c, call.c, call.order, call.n, call.n, call.type, true);
    require_countable({call.n, call.n}, call.type);
    if (changes_nothing(args)) return;
    if (call.algorithm == HERON_RANK_2K_TWO_PASSES) return two_passes(context, args);
    run_in<operation::gemmt>(context, args, nullptr);
}

void symmetric_product(context& context, const symm_call& call, bool hermitian) {
    hermitian ? require_complex(call.type) : require_type(call.type);
    require_order(call.order);
    require_side(call.side);
    require_fill(call.fill);
    require_size(call.m, role::rows);
    require_size(call.n, role::columns);
    heron_symm_args args{};
    args.type = call.type;
    args.hermitian = hermitian;
    args.alpha = scalar(context, call.alpha, call.type, role::alpha);
    args.beta = scalar(context, call.beta, call.type, role::beta);
    const bool is_empty = call.m == 0 || call.n == 0;
    const bool reads = !is_empty && !is_zero(args.alpha);
    const int64_t order = call.side == HERON_SIDE_LEFT ? call.m : call.n;
    args.a = checked(role::a, call.a, call.order, order, order, call.type, reads);
    args.b = checked(role::b, call.b, call.order, call.m, call.n, call.type, reads);
    args.c = checked(role::c, call.c, call.order, call.m, call.n, call.type, true);
    require_countable({call.m, call.n}, call.type);
    if (is_empty || (!reads && is_one(args.beta))) return;
    const bool turned = call.order == HERON_ORDER_ROW;
    args.side = turned ? other(call.side) : call.side;
    args.fill = turned ? other(call.fill) : call.fill;
    args.m = turned ? call.n : call.m;
    args.n = turned ? call.m : call.n;
    run_in<operation::symm>(context, args, nullptr);
}

template <operation op>
void triangular(context& context, const triangular_call& call) {
    require_type(call.type);
    require_order(call.order);
    require_side(call.side);
    require_fill(call.fill);
    require_enum(call.op, HERON_OP_CONJUGATE_TRANSPOSE, role::operation_a,
                 "is not NONE, TRANSPOSE or CONJUGATE_TRANSPOSE");
    require_diag(call.diag);
    require_size(call.m, role::rows);
    require_size(call.n, role::columns);
    heron_triangular_args args{};
    args.type = call.type;
    args.alpha = scalar(context, call.alpha, call.type, role::alpha);
    const bool is_empty = call.m == 0 || call.n == 0;
    const int64_t order = call.side == HERON_SIDE_LEFT ? call.m : call.n;
    args.a = checked(role::a, call.a, call.order, order, order, call.type, !is_empty && !is_zero(args.alpha));
    args.b = checked(role::b, call.b, call.order, call.m, call.n, call.type, true);
    require_countable({call.m, call.n}, call.type);
    if (is_empty) return;
    // Row order: B^T = alpha*B^T*op(A)^T, and the array of A holds A^T.
    const bool turned = call.order == HERON_ORDER_ROW;
    args.side = turned ? other(call.side) : call.side;
    args.fill = turned ? other(call.fill) : call.fill;
    args.op_a = simplified(call.op, call.type);
    args.diag = call.diag;
    args.m = turned ? call.n : call.m;
    args.n = turned ? call.m : call.n;
    run_in<op>(context, args, nullptr);
}

}  // namespace

void gemm(context& context, const gemm_call& call) {
    require_types(call.type, call.compute_type);
    require_order(call.order);
    require_operation(call.op_a, role::operation_a);
    require_operation(call.op_b, role::operation_b);
    require_size(call.m, role::rows);
    require_size(call.n, role::columns);
    require_size(call.k, role::inner);
    require_algorithm_or_study(call.algorithm);
    require_type_for(call.algorithm, call.type);
    heron_gemm_args args{};
    args.type = call.type;
    args.compute_type = call.compute_type;
    args.algorithm = call.algorithm;
    args.alpha = scalar(context, call.alpha, call.compute_type, role::alpha);
    args.beta = scalar(context, call.beta, call.compute_type, role::beta);
    const bool is_empty = call.m == 0 || call.n == 0;
    const bool reads = !is_empty && call.k > 0 && !is_zero(args.alpha);
    args.a = checked(role::a, call.a, call.order, call.op_a, call.m, call.k, call.type, reads);
    args.b = checked(role::b, call.b, call.order, call.op_b, call.k, call.n, call.type, reads);
    args.c = checked(role::c, call.c, call.order, call.m, call.n, call.type, true);
    require_countable({call.m, call.n}, call.type);
    if (is_empty || (!reads && is_one(args.beta))) return;
    args.op_a = simplified(call.op_a, call.type);
    args.op_b = simplified(call.op_b, call.type);
    args.m = call.m;
    args.n = call.n;
    args.k = call.k;
    if (call.order == HERON_ORDER_ROW) {
        std::swap(args.a, args.b);
        std::swap(args.op_a, args.op_b);
        std::swap(args.m, args.n);
    }
    if (args.algorithm == HERON_GEMM_3M && reads) {
        require_3m_sizes(call.m, call.n, call.k, call.type);
        return run_3m(context, args);
    }
    if (args.algorithm == HERON_GEMM_3M) args.algorithm = HERON_GEMM_DEFAULT;
    run_product<operation::gemm>(context, args);
}

size_t gemm_workspace(context& context, heron_type type, int64_t m, int64_t n, int64_t k,
                      heron_gemm_algorithm algorithm) {
    require_enum(type, HERON_C_64F, role::type, "is not an element type");
    require_algorithm(algorithm);
    require_type_for(algorithm, type);
    require_size(m, role::rows);
    require_size(n, role::columns);
    require_size(k, role::inner);
    if (algorithm != HERON_GEMM_3M || m == 0 || n == 0 || k == 0) return 0;
    require_3m_sizes(m, n, k, type);
    heron_gemm_args args{};
    args.type = args.compute_type = type;
    args.m = m;
    args.n = n;
    args.k = k;
    args.algorithm = algorithm;
    return workspace_size<operation::gemm>(context, args);
}

void gemm_batched(context& context, const gemm_batched_call& call) {
    require_types(call.type, call.compute_type);
    require_order(call.order);
    require_operation(call.op_a, role::operation_a);
    require_operation(call.op_b, role::operation_b);
    require_size(call.m, role::rows);
    require_size(call.n, role::columns);
    require_size(call.k, role::inner);
    require_size(call.count, role::count);
    require_algorithm(call.algorithm);
    if (call.algorithm == HERON_GEMM_3M) not_supported(role::algorithm, "3M is not for batches");
    heron_gemm_batched_args args{};
    args.type = call.type;
    args.compute_type = call.compute_type;
    args.algorithm = call.algorithm;
    args.count = call.count;
    args.alpha = scalar(context, call.alpha, call.compute_type, role::alpha);
    args.beta = scalar(context, call.beta, call.compute_type, role::beta);
    const bool is_empty = call.m == 0 || call.n == 0 || call.count == 0;
    const bool reads = !is_empty && call.k > 0 && !is_zero(args.alpha);
    check_batch(role::a, call.a, call.lda, call.order, call.op_a, call.m, call.k, call.count, call.type,
                reads);
    check_batch(role::b, call.b, call.ldb, call.order, call.op_b, call.k, call.n, call.count, call.type,
                reads);
    check_batch(role::c, call.c, call.ldc, call.order, HERON_OP_NONE, call.m, call.n, call.count, call.type,
                !is_empty);
    require_countable({call.m, call.n, call.count}, call.type);
    if (is_empty || (!reads && is_one(args.beta))) return;
    const bool turned = call.order == HERON_ORDER_ROW;
    args.op_a = simplified(turned ? call.op_b : call.op_a, call.type);
    args.op_b = simplified(turned ? call.op_a : call.op_b, call.type);
    args.m = turned ? call.n : call.m;
    args.n = turned ? call.m : call.n;
    args.k = call.k;
    args.a = turned ? call.b : call.a;
    args.b = turned ? call.a : call.b;
    args.lda = turned ? call.ldb : call.lda;
    args.ldb = turned ? call.lda : call.ldb;
    args.c = call.c;
    args.ldc = call.ldc;
    run_product<operation::gemm_batched>(context, args);
}

void gemmt(context& context, const gemmt_call& call) {
    call.hermitian ? require_complex(call.type) : require_type(call.type);
    require_order(call.order);
    require_fill(call.fill);
    require_operation(call.op_a, role::operation_a);
    require_operation(call.op_b, role::operation_b);
    require_size(call.n, role::columns);
    require_size(call.k, role::inner);
    heron_gemmt_args args{};
    args.type = call.type;
    args.n = call.n;
    args.k = call.k;
    args.terms = 1;
    args.hermitian = call.hermitian ? complex_alpha : 0;
    args.alpha = scalar(context, call.alpha, call.type, role::alpha);
    args.beta = scalar(context, call.beta, call.hermitian ? real_of(call.type) : call.type, role::beta);
    const bool reads = call.n > 0 && call.k > 0 && !is_zero(args.alpha);
    args.a[0] = checked(role::a, call.a, call.order, call.op_a, call.n, call.k, call.type, reads);
    args.b[0] = checked(role::b, call.b, call.order, call.op_b, call.k, call.n, call.type, reads);
    args.c = checked(role::c, call.c, call.order, call.n, call.n, call.type, true);
    require_countable({call.n, call.n}, call.type);
    if (changes_nothing(args)) return;
    args.fill = call.fill;
    args.op_a = simplified(call.op_a, call.type);
    args.op_b = simplified(call.op_b, call.type);
    if (call.order == HERON_ORDER_ROW) {
        args.fill = other(call.fill);
        std::swap(args.a[0], args.b[0]);
        std::swap(args.op_a, args.op_b);
    }
    run_in<operation::gemmt>(context, args, nullptr);
}

void syrk(context& context, const rank_k_call& call) { rank_k(context, call, false); }
void herk(context& context, const rank_k_call& call) { rank_k(context, call, true); }
void syr2k(context& context, const rank_2k_call& call) { rank_2k(context, call, false); }
void her2k(context& context, const rank_2k_call& call) { rank_2k(context, call, true); }
void symm(context& context, const symm_call& call) { symmetric_product(context, call, false); }
void hemm(context& context, const symm_call& call) { symmetric_product(context, call, true); }

void trmm(context& context, const triangular_call& call) { triangular<operation::trmm>(context, call); }
void trsm(context& context, const triangular_call& call) { triangular<operation::trsm>(context, call); }

}  // namespace heron::core
