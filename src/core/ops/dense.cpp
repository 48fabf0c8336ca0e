// Dense products and triangular solves: validation, row order turned into column order, one operation
// submitted.
#include "dense.hpp"
#include "core/element_types.hpp"
#include "core/submit.hpp"
#include <algorithm>
#include <cmath>

namespace heron::core {

namespace {

template <class Enum>
void require_enum(Enum value, Enum last, const subject& about, const char* reason) {
    if (value < Enum{} || value > last) invalid(about, reason);
}

void require_size(int64_t size, role r) {
    if (size < 0) invalid(r, fmt::format("is negative ({})", size));
}

void require_operation(heron_operation op, role r) {
    require_enum(op, HERON_OP_CONJUGATE, r, "is not an operation");
}

void require_order(heron_order order) {
    require_enum(order, HERON_ORDER_ROW, role::order, "is not an order");
}
void require_fill(heron_fill_mode fill) {
    require_enum(fill, HERON_FILL_UPPER, role::fill, "is not a triangle");
}
void require_side(heron_side side) { require_enum(side, HERON_SIDE_RIGHT, role::side, "is not a side"); }

void require_type(heron_type type) {
    require_enum(type, HERON_C_64F, role::type, "is not an element type");
    if (type != HERON_R_32F && type != HERON_R_64F && type != HERON_C_32F && type != HERON_C_64F)
        not_supported(role::type, fmt::format("{} is not one of R_32F, R_64F, C_32F, C_64F", name_of(type)));
}

void require_complex(heron_type type) {
    require_type(type);
    if (!is_complex(type)) invalid(role::type, fmt::format("{} is not complex", name_of(type)));
}

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

// Sizes are checked against overflow where they are multiplied: elements times bytes must fit 63 bits.
void require_countable(std::initializer_list<int64_t> sizes, heron_type type) {
    int64_t product = static_cast<int64_t>(size_of(type));
    for (const int64_t size : sizes)
        if (__builtin_mul_overflow(product, std::max<int64_t>(size, 1), &product))
            throw error(HERON_INSUFFICIENT_RESOURCES, role::rows, "the size exceeds 63 bits");
}

// What 3M needs of memory, which is less than nine times the largest of the matrices.
void require_3m_sizes(int64_t m, int64_t n, int64_t k, heron_type type) {
    require_countable({m, k, 9}, type);
    require_countable({k, n, 9}, type);
    require_countable({m, n, 9}, type);
}

void require_leading_dimension(argument operand, int64_t ld, int64_t line) {
    if (ld < std::max<int64_t>(line, 1))
        invalid(operand[part::ld],
                fmt::format("is {}, but at least {} are needed", ld, std::max<int64_t>(line, 1)));
}

// The elements from the first to the last of a matrix, both included.
int64_t extent(argument operand, int64_t offset, int64_t ld, int64_t lines, int64_t line) {
    int64_t result = 0;
    const bool overflows = __builtin_mul_overflow(lines - 1, ld, &result) ||
                           __builtin_add_overflow(result, line, &result) ||
                           __builtin_add_overflow(result, offset, &result);
    if (overflows) invalid(operand[part::extent], "the size exceeds 63 bits");
    return result;
}

// A stored matrix of rows x columns in `order`. reads: it is used at all.
heron_dense_operand checked(argument operand, const dense_matrix_operand& o, heron_order order, int64_t rows,
                            int64_t columns, heron_type type, bool reads) {
    const int64_t line = order == HERON_ORDER_ROW ? columns : rows;
    const int64_t lines = order == HERON_ORDER_ROW ? rows : columns;
    require_leading_dimension(operand, o.ld, line);
    if (o.offset < 0) invalid(operand[part::offset], fmt::format("is negative ({})", o.offset));
    const heron_dense_operand result{const_cast<void*>(o.memory), o.offset, o.ld};
    if (line == 0 || lines == 0 || !reads) return result;
    if (!o.memory) invalid(operand, "is NULL");
    const int64_t needed = extent(operand, o.offset, o.ld, lines, line);
    if (o.size >= 0 && needed > o.size)
        invalid(operand[part::extent], fmt::format("holds {} elements, but {} are needed", o.size, needed));
    if (o.size < 0 && reinterpret_cast<uintptr_t>(o.memory) % size_of(type) != 0)
        invalid(operand, fmt::format("is not aligned to {} bytes", size_of(type)));
    return result;
}

heron_dense_operand checked(argument operand, const dense_matrix_operand& o, heron_order order,
                            heron_operation op, int64_t rows, int64_t columns, heron_type type, bool reads) {
    const bool turned = transposes(op);
    return checked(operand, o, order, turned ? columns : rows, turned ? rows : columns, type, reads);
}

void check_batch(argument operand, const heron_batch_operand& o, int64_t ld, heron_order order,
                 heron_operation op, int64_t rows, int64_t columns, int64_t count, heron_type type,
                 bool reads) {
    if (transposes(op)) std::swap(rows, columns);
    const int64_t line = order == HERON_ORDER_ROW ? columns : rows;
    const int64_t lines = order == HERON_ORDER_ROW ? rows : columns;
    require_leading_dimension(operand, ld, line);
    require_enum(o.kind, HERON_BATCH_INDEXED, operand, "is not a kind of batch operand");
    const bool listed = o.kind != HERON_BATCH_STRIDED;
    const bool based = o.kind != HERON_BATCH_POINTERS;
    if (based && o.stride < 0) invalid(operand, "has a negative stride");
    if (listed && o.list_step < 0) invalid(operand, "has a negative list_step");
    if (o.kind == HERON_BATCH_INDEXED)
        require_enum(o.index_type, HERON_INDEX_64, operand, "has no such index type");
    if (line == 0 || lines == 0 || count == 0 || !reads) return;
    const int64_t needed = extent(operand, 0, ld, lines, line);
    if (!listed) extent(operand, needed, o.stride, count, 0);
    if (listed && !o.list) invalid(operand, "has a NULL list");
    if (based && !o.base) invalid(operand, "is NULL");
    if (based && reinterpret_cast<uintptr_t>(o.base) % size_of(type) != 0)
        invalid(operand, fmt::format("is not aligned to {} bytes", size_of(type)));
    const bool is_output = operand.role == role::c;
    if (is_output && !listed && count > 1 && o.stride < line)
        invalid(operand, fmt::format("has stride {}, with which the items' outputs overlap", o.stride));
}

heron_type real_of(heron_type type) {
    return type == HERON_C_32F ? HERON_R_32F : type == HERON_C_64F ? HERON_R_64F : type;
}

heron_scalar scalar(const context& context, const void* pointer, heron_type type, role r) {
    return scalar_argument(context, required(pointer, r), type, r);
}

bool is_zero(const heron_scalar& s) { return !s.device && s.re == 0 && s.im == 0; }
bool is_one(const heron_scalar& s) { return !s.device && s.re == 1 && s.im == 0; }

constexpr heron_scalar host_one{nullptr, 1, 0};

void run_3m(context& context, const heron_gemm_args& args) {
    run_in_scratch<operation::gemm>(context, args, workspace_size<operation::gemm>(context, args));
}

// A real matrix is its own conjugate: the plug-ins see fewer cases.
heron_operation simplified(heron_operation op, heron_type type) {
    if (is_complex(type)) return op;
    return transposes(op) ? HERON_OP_TRANSPOSE : HERON_OP_NONE;
}

heron_fill_mode other(heron_fill_mode fill) {
    return fill == HERON_FILL_LOWER ? HERON_FILL_UPPER : HERON_FILL_LOWER;
}
heron_side other(heron_side side) { return side == HERON_SIDE_LEFT ? HERON_SIDE_RIGHT : HERON_SIDE_LEFT; }

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
    require_enum(call.diag, HERON_DIAG_UNIT, role::diagonal, "is not a kind of diagonal");
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
    run_in<operation::gemm>(context, args, nullptr);
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
    run_in<operation::gemm_batched>(context, args, nullptr);
}

void gemmt(context& context, const gemmt_call& call) {
    require_type(call.type);
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
    args.alpha = scalar(context, call.alpha, call.type, role::alpha);
    args.beta = scalar(context, call.beta, call.type, role::beta);
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
