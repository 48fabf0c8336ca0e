// A dense matrix and vectors: validation, row order turned into column order, one operation submitted.
#include "blas2.hpp"
#include "core/element_types.hpp"
#include "dense_checks.hpp"
#include <algorithm>

namespace heron::core {

namespace {

[[gnu::always_inline]] inline heron_vector_operand vector(argument operand, const dense_vector_operand& v,
                                                          int64_t n, heron_type type, bool uses) {
    if (v.inc == 0) invalid(operand[part::inc], "is 0");
    return checked(operand, v, n, type, uses);
}

// Storages as bits of their numbers.
using storages = unsigned;
constexpr storages only(heron_matrix_storage storage) { return 1u << storage; }

[[noreturn]] void storage_is_another(argument operand, heron_matrix_storage storage) {
    require_enum(storage, HERON_STORAGE_PACKED, role::storage, "is not a storage");
    not_supported(role::storage, "is not built for @", operand);
}
void require_storage(argument operand, heron_matrix_storage storage, storages built) {
    if (storage < heron_matrix_storage{} || storage > HERON_STORAGE_PACKED || !(built & only(storage)))
        storage_is_another(operand, storage);
}

// A band of `lines` columns (row order: rows) with so many diagonals before and behind the main one.
heron_stored_matrix band(argument operand, const dense_matrix_operand& o, int64_t lines, int64_t lower,
                         int64_t upper, heron_type type, bool reads) {
    int64_t beside = 0;
    if (__builtin_add_overflow(lower, upper, &beside) || o.ld <= beside)
        invalid(operand[part::ld],
                fmt::format("is {}, but at least one more than {} + {} are needed", o.ld, lower, upper));
    if (o.offset < 0) invalid(operand[part::offset], fmt::format("is negative ({})", o.offset));
    if (reads)
        require_memory(operand, o.memory, o.size, extent(operand, o.offset, o.ld, lines, beside + 1), type);
    return {HERON_STORAGE_BANDED, const_cast<void*>(o.memory), o.offset, o.ld, lower, upper};
}

heron_stored_matrix packed(argument operand, const dense_matrix_operand& o, int64_t n, heron_type type,
                           bool reads) {
    if (o.offset < 0) invalid(operand[part::offset], fmt::format("is negative ({})", o.offset));
    if (reads) {
        // n*(n + 1)/2 without a product that is too large.
        const int64_t even = n % 2 == 0 ? n / 2 : n;
        const int64_t odd = n % 2 == 0 ? n + 1 : (n + 1) / 2;
        require_memory(operand, o.memory, o.size, extent(operand, o.offset, even, odd + 1, 0), type);
    }
    return {HERON_STORAGE_PACKED, const_cast<void*>(o.memory), o.offset, 0, 0, 0};
}

heron_stored_matrix full(const heron_dense_operand& o) {
    return {HERON_STORAGE_FULL, o.memory, o.offset, o.ld, 0, 0};
}

heron_fill_mode in_column_order(heron_order order, heron_fill_mode fill) {
    return order == HERON_ORDER_ROW ? other(fill) : fill;
}

// The triangle of an n x n matrix, whose fill is that of the column order.
heron_stored_matrix triangle(argument operand, const stored_matrix_operand& o, heron_order order,
                             heron_fill_mode fill, int64_t n, heron_type type, bool reads) {
    reads = reads && n > 0;
    if (o.storage == HERON_STORAGE_PACKED) return packed(operand, o.matrix, n, type, reads);
    if (o.storage == HERON_STORAGE_FULL) return full(checked(operand, o.matrix, order, n, n, type, reads));
    require_size(o.k, role::inner);
    const bool is_lower = fill == HERON_FILL_LOWER;
    return band(operand, o.matrix, n, is_lower ? o.k : 0, is_lower ? 0 : o.k, type, reads);
}

constexpr storages full_or_banded = only(HERON_STORAGE_FULL) | only(HERON_STORAGE_BANDED);
constexpr storages full_or_packed = only(HERON_STORAGE_FULL) | only(HERON_STORAGE_PACKED);
constexpr storages any_storage = full_or_banded | only(HERON_STORAGE_PACKED);

// n numbers of each item of a batch. Returns where BLAS begins in an item.
int64_t check_vectors(argument operand, const heron_batch_operand& o, int64_t inc, int64_t n, int64_t count,
                      heron_type type, bool uses) {
    if (inc == 0 || inc < -INT64_MAX) invalid(operand[part::inc], fmt::format("is {}", inc));
    const int64_t needed = n > 0 ? extent(operand, 0, std::abs(inc), n, 1) : 0;
    check_batch(operand, o, std::max<int64_t>(needed, 1), HERON_ORDER_COLUMN, HERON_OP_NONE, needed, 1, count,
                type, uses);
    return inc < 0 ? std::max<int64_t>(needed - 1, 0) : 0;
}

// Items that all have the same output.
void require_distinct(argument operand, const heron_batch_operand& o, int64_t count) {
    const int64_t step = o.kind == HERON_BATCH_STRIDED ? o.stride : o.list_step;
    if (count > 1 && step == 0) invalid(operand, "is one output for all items");
}

template <operation op>
void triangular_vector(context& c, const triangular_vector_call& call) {
    require_type(call.type);
    require_order(call.order);
    require_fill(call.fill);
    require_operation(call.op, role::operation_a);
    require_diag(call.diag);
    require_size(call.n, role::columns);
    require_storage(role::a, call.a.storage, any_storage);
    const bool turned = call.order == HERON_ORDER_ROW;
    const heron_fill_mode fill = in_column_order(call.order, call.fill);
    const heron_triangular_vector_args args{
        call.type,
        fill,
        simplified(turned ? of_the_transpose(call.op) : call.op, call.type),
        call.diag,
        call.n,
        triangle(role::a, call.a, call.order, fill, call.n, call.type, true),
        vector(role::x, call.x, call.n, call.type, true)};
    if (call.n > 0) run_with_scratch<op>(c, args);
}

// y may be NULL: the update has one vector.
template <operation op, class Call>
void rank_update(context& c, const Call& call, heron_type alpha_type, const dense_vector_operand* y) {
    call.hermitian ? require_complex(call.type) : require_type(call.type);
    require_order(call.order);
    require_fill(call.fill);
    require_size(call.n, role::columns);
    require_storage(role::a, call.a.storage, full_or_packed);
    heron_rank_update_args args{};
    args.type = call.type;
    args.fill = in_column_order(call.order, call.fill);
    args.hermitian = call.hermitian;
    args.conjugate = call.hermitian && call.order == HERON_ORDER_ROW;
    args.n = call.n;
    args.alpha = scalar(c, call.alpha, alpha_type, role::alpha);
    const bool changes = call.n > 0 && !is_zero(args.alpha);
    args.x = vector(role::x, call.x, call.n, call.type, changes);
    if (y) args.y = vector(role::y, *y, call.n, call.type, changes);
    args.a = triangle(role::a, call.a, call.order, args.fill, call.n, call.type, changes);
    // The transpose of alpha*x*y^H is alpha*conj(y)*x^T.
    if (args.conjugate && y) std::swap(args.x, args.y);
    if (changes) run_with_scratch<op>(c, args);
}

void require_no_overlap(argument operand, const heron_dense_operand& o, heron_operation op,
                        const heron_dense_operand& c) {
    const bool is_c = o.memory == c.memory && o.offset == c.offset;
    if (is_c && (transposes(op) || o.ld != c.ld)) invalid(operand, "is the output, but not stored alike");
}

// A batch of one item that is not in a list is a product like any other, which has more ways to go.
bool is_one_product(const context& c, const gemv_batched_call& call, heron_type compute_type) {
    const auto is_strided = [](const heron_batch_operand& o) { return o.kind == HERON_BATCH_STRIDED; };
    return call.count == 1 && c.device() >= 0 && call.type == compute_type && call.y_type == compute_type &&
           is_strided(call.a) && is_strided(call.x) && is_strided(call.y);
}

gemv_call product_of(const gemv_batched_call& call) {
    return {call.type,
            call.order,
            call.op,
            call.m,
            call.n,
            call.alpha,
            {.matrix = {.memory = call.a.base, .ld = call.lda}},
            {.memory = call.x.base, .inc = call.x_inc},
            call.beta,
            {.memory = call.y.base, .inc = call.y_inc}};
}

}  // namespace

void gemv(context& c, const gemv_call& call) {
    require_type(call.type);
    require_order(call.order);
    require_operation(call.op, role::operation_a);
    require_size(call.m, role::rows);
    require_size(call.n, role::columns);
    require_storage(role::a, call.a.storage, full_or_banded);
    heron_gemv_args args{};
    args.type = call.type;
    args.alpha = scalar(c, call.alpha, call.type, role::alpha);
    args.beta = scalar(c, call.beta, call.type, role::beta);
    const bool is_empty = call.m == 0 || call.n == 0;
    const bool reads = !is_empty && !is_zero(args.alpha);
    const bool turned = call.order == HERON_ORDER_ROW;
    args.m = turned ? call.n : call.m;
    args.n = turned ? call.m : call.n;
    args.op = simplified(turned ? of_the_transpose(call.op) : call.op, call.type);
    if (call.a.storage == HERON_STORAGE_BANDED) {
        require_size(call.a.kl, role::lower_bandwidth);
        require_size(call.a.ku, role::upper_bandwidth);
        args.a = band(role::a, call.a.matrix, args.n, turned ? call.a.ku : call.a.kl,
                      turned ? call.a.kl : call.a.ku, call.type, reads);
    } else {
        args.a = full(checked(role::a, call.a.matrix, call.order, call.m, call.n, call.type, reads));
    }
    const bool transposed = transposes(call.op);
    args.x = vector(role::x, call.x, transposed ? call.m : call.n, call.type, reads);
    args.y = vector(role::y, call.y, transposed ? call.n : call.m, call.type, !is_empty);
    require_countable({call.m, call.n}, call.type);
    if (is_empty || (!reads && is_one(args.beta))) return;
    run_with_scratch<operation::gemv>(c, args);
}

void gemv_batched(context& c, const gemv_batched_call& call) {
    require_enum(call.type, HERON_C_64F, role::type, "is not an element type");
    require_enum(call.y_type, HERON_C_64F, role::result_type, "is not an element type");
    if (call.type == HERON_R_8I || call.type == HERON_R_32I)
        not_supported(role::type, fmt::format("{} matrices are not built", name_of(call.type)));
    const heron_type compute_type = compute_type_of(call.type, role::type);
    if (call.y_type != call.type && call.y_type != compute_type)
        not_supported(role::result_type,
                      fmt::format("{} is not built for {}", name_of(call.y_type), name_of(call.type)));
    require_order(call.order);
    require_operation(call.op, role::operation_a);
    require_size(call.m, role::rows);
    require_size(call.n, role::columns);
    require_size(call.count, role::count);
    heron_gemv_batched_args args{};
    args.type = call.type;
    args.y_type = call.y_type;
    args.compute_type = compute_type;
    args.count = call.count;
    args.alpha = scalar(c, call.alpha, compute_type, role::alpha);
    args.beta = scalar(c, call.beta, compute_type, role::beta);
    const bool is_empty = call.m == 0 || call.n == 0 || call.count == 0;
    const bool reads = !is_empty && !is_zero(args.alpha);
    check_batch(role::a, call.a, call.lda, call.order, HERON_OP_NONE, call.m, call.n, call.count, call.type,
                reads);
    const bool transposed = transposes(call.op);
    args.x_offset = check_vectors(role::x, call.x, call.x_inc, transposed ? call.m : call.n, call.count,
                                  call.type, reads);
    args.y_offset = check_vectors(role::y, call.y, call.y_inc, transposed ? call.n : call.m, call.count,
                                  call.y_type, !is_empty);
    if (!is_empty) require_distinct(role::y, call.y, call.count);
    require_countable({call.m, call.n, call.count}, compute_type);
    if (is_empty || (!reads && is_one(args.beta))) return;
    if (is_one_product(c, call, compute_type)) return gemv(c, product_of(call));
    const bool turned = call.order == HERON_ORDER_ROW;
    args.m = turned ? call.n : call.m;
    args.n = turned ? call.m : call.n;
    args.op = simplified(turned ? of_the_transpose(call.op) : call.op, call.type);
    args.a = call.a;
    args.lda = call.lda;
    args.x = call.x;
    args.x_inc = call.x_inc;
    args.y = call.y;
    args.y_inc = call.y_inc;
    run_in<operation::gemv_batched>(c, args, nullptr);
}

void symv(context& c, const symv_call& call) {
    call.hermitian ? require_complex(call.type) : require_type(call.type);
    require_order(call.order);
    require_fill(call.fill);
    require_size(call.n, role::columns);
    require_storage(role::a, call.a.storage, any_storage);
    heron_symv_args args{};
    args.type = call.type;
    args.fill = in_column_order(call.order, call.fill);
    args.hermitian = call.hermitian;
    args.conjugate = call.hermitian && call.order == HERON_ORDER_ROW;
    args.n = call.n;
    args.alpha = scalar(c, call.alpha, call.type, role::alpha);
    args.beta = scalar(c, call.beta, call.type, role::beta);
    const bool reads = call.n > 0 && !is_zero(args.alpha);
    args.a = triangle(role::a, call.a, call.order, args.fill, call.n, call.type, reads);
    args.x = vector(role::x, call.x, call.n, call.type, reads);
    args.y = vector(role::y, call.y, call.n, call.type, true);
    if (call.n == 0 || (!reads && is_one(args.beta))) return;
    run_with_scratch<operation::symv>(c, args);
}

void trmv(context& c, const triangular_vector_call& call) { triangular_vector<operation::trmv>(c, call); }
void trsv(context& c, const triangular_vector_call& call) { triangular_vector<operation::trsv>(c, call); }

void ger(context& c, const ger_call& call) {
    require_type(call.type);
    require_order(call.order);
    require_size(call.m, role::rows);
    require_size(call.n, role::columns);
    heron_ger_args args{};
    args.type = call.type;
    args.m = call.m;
    args.n = call.n;
    args.alpha = scalar(c, call.alpha, call.type, role::alpha);
    const bool changes = call.m > 0 && call.n > 0 && !is_zero(args.alpha);
    args.x = vector(role::x, call.x, call.m, call.type, changes);
    args.y = vector(role::y, call.y, call.n, call.type, changes);
    args.a = full(checked(role::a, call.a, call.order, call.m, call.n, call.type, changes));
    args.conjugate_y = call.conjugate && is_complex(call.type);
    require_countable({call.m, call.n}, call.type);
    if (!changes) return;
    if (call.order == HERON_ORDER_ROW) {
        std::swap(args.m, args.n);
        std::swap(args.x, args.y);
        std::swap(args.conjugate_x, args.conjugate_y);
    }
    run_in<operation::ger>(c, args, nullptr);
}

void syr(context& c, const syr_call& call) {
    rank_update<operation::syr>(c, call, call.hermitian ? real_of(call.type) : call.type, nullptr);
}
void syr2(context& c, const syr2_call& call) { rank_update<operation::syr2>(c, call, call.type, &call.y); }

void geam(context& c, const geam_call& call) {
    require_type(call.type);
    require_order(call.order);
    const auto operation = [](heron_operation op, role r) {
        require_enum(op, HERON_OP_CONJUGATE_TRANSPOSE, r, "is not NONE, TRANSPOSE or CONJUGATE_TRANSPOSE");
    };
    operation(call.op_a, role::operation_a);
    operation(call.op_b, role::operation_b);
    require_size(call.m, role::rows);
    require_size(call.n, role::columns);
    heron_geam_args args{};
    args.type = call.type;
    args.alpha = scalar(c, call.alpha, call.type, role::alpha);
    args.beta = scalar(c, call.beta, call.type, role::beta);
    const bool is_empty = call.m == 0 || call.n == 0;
    const bool reads_a = !is_empty && !is_zero(args.alpha);
    const bool reads_b = !is_empty && !is_zero(args.beta);
    const auto a = checked(role::a, call.a, call.order, call.op_a, call.m, call.n, call.type, reads_a);
    const auto b = checked(role::b, call.b, call.order, call.op_b, call.m, call.n, call.type, reads_b);
    const auto output = checked(role::c, call.c, call.order, call.m, call.n, call.type, true);
    if (reads_a) require_no_overlap(role::a, a, call.op_a, output);
    if (reads_b) require_no_overlap(role::b, b, call.op_b, output);
    require_countable({call.m, call.n}, call.type);
    if (is_empty) return;
    const bool turned = call.order == HERON_ORDER_ROW;
    args.op_a = simplified(call.op_a, call.type);
    args.op_b = simplified(call.op_b, call.type);
    args.m = turned ? call.n : call.m;
    args.n = turned ? call.m : call.n;
    args.a = full(a);
    args.b = full(b);
    args.c = full(output);
    run_in<operation::geam>(c, args, nullptr);
}

void dgmm(context& c, const dgmm_call& call) {
    require_type(call.type);
    require_order(call.order);
    require_side(call.side);
    require_size(call.m, role::rows);
    require_size(call.n, role::columns);
    const bool is_empty = call.m == 0 || call.n == 0;
    const bool turned = call.order == HERON_ORDER_ROW;
    const auto a = checked(role::a, call.a, call.order, call.m, call.n, call.type, true);
    const auto x =
        checked(role::x, call.x, call.side == HERON_SIDE_LEFT ? call.m : call.n, call.type, !is_empty);
    const auto output = checked(role::c, call.c, call.order, call.m, call.n, call.type, true);
    if (!is_empty) require_no_overlap(role::a, a, HERON_OP_NONE, output);
    require_countable({call.m, call.n}, call.type);
    const heron_dgmm_args args{call.type,
                               turned ? other(call.side) : call.side,
                               turned ? call.n : call.m,
                               turned ? call.m : call.n,
                               full(a),
                               x,
                               full(output)};
    if (!is_empty) run_in<operation::dgmm>(c, args, nullptr);
}

void repack(context& c, const repack_call& call) {
    require_type(call.type);
    require_order(call.order);
    require_fill(call.fill);
    require_size(call.n, role::columns);
    require_storage(role::a, call.from.storage, full_or_packed);
    require_storage(role::b, call.to.storage, full_or_packed);
    if (call.from.storage == call.to.storage) invalid(role::storage, "is the same of both matrices");
    const heron_fill_mode fill = in_column_order(call.order, call.fill);
    const heron_repack_args args{call.type, fill, call.n,
                                 triangle(role::a, call.from, call.order, fill, call.n, call.type, true),
                                 triangle(role::b, call.to, call.order, fill, call.n, call.type, true)};
    if (call.n > 0) run_in<operation::repack>(c, args, nullptr);
}

void trsm_batched(context& c, const trsm_batched_call& call) {
    require_type(call.type);
    require_order(call.order);
    require_side(call.side);
    require_fill(call.fill);
    require_enum(call.op, HERON_OP_CONJUGATE_TRANSPOSE, role::operation_a,
                 "is not NONE, TRANSPOSE or CONJUGATE_TRANSPOSE");
    require_diag(call.diag);
    require_size(call.m, role::rows);
    require_size(call.n, role::columns);
    require_size(call.count, role::count);
    heron_trsm_batched_args args{};
    args.type = call.type;
    args.alpha = scalar(c, call.alpha, call.type, role::alpha);
    const bool is_empty = call.m == 0 || call.n == 0 || call.count == 0;
    const int64_t order = call.side == HERON_SIDE_LEFT ? call.m : call.n;
    check_batch(role::a, call.a, call.lda, call.order, HERON_OP_NONE, order, order, call.count, call.type,
                !is_empty && !is_zero(args.alpha));
    check_batch(role::b, call.b, call.ldb, call.order, HERON_OP_NONE, call.m, call.n, call.count, call.type,
                !is_empty);
    if (!is_empty) require_distinct(role::b, call.b, call.count);
    require_countable({call.m, call.n, call.count}, call.type);
    if (is_empty) return;
    const bool turned = call.order == HERON_ORDER_ROW;
    args.side = turned ? other(call.side) : call.side;
    args.fill = in_column_order(call.order, call.fill);
    args.op_a = simplified(call.op, call.type);
    args.diag = call.diag;
    args.m = turned ? call.n : call.m;
    args.n = turned ? call.m : call.n;
    args.count = call.count;
    args.a = call.a;
    args.lda = call.lda;
    args.b = call.b;
    args.ldb = call.ldb;
    run_in<operation::trsm_batched>(c, args, nullptr);
}

}  // namespace heron::core
