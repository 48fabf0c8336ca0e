// C := epilogue(A times B, C) with operators of the caller's: validation and composition.
#include "spmm_op.hpp"
#include "core/element_types.hpp"
#include "core/submit.hpp"
#include <algorithm>
#include <iterator>
#include <limits>

namespace heron::core {
namespace {

struct operator_types {
    heron_type ab, c, compute;
};

constexpr operator_types type_rows[] = {
    {HERON_R_32F, HERON_R_32F, HERON_R_32F},  {HERON_R_64F, HERON_R_64F, HERON_R_64F},
    {HERON_C_32F, HERON_C_32F, HERON_C_32F},  {HERON_C_64F, HERON_C_64F, HERON_C_64F},
    {HERON_R_32I, HERON_R_32I, HERON_R_32I},  {HERON_R_8I, HERON_R_32I, HERON_R_32I},
    {HERON_R_8I, HERON_R_32F, HERON_R_32F},   {HERON_R_16F, HERON_R_16F, HERON_R_32F},
    {HERON_R_16F, HERON_R_32F, HERON_R_32F},  {HERON_R_16BF, HERON_R_16BF, HERON_R_32F},
    {HERON_R_16BF, HERON_R_32F, HERON_R_32F},
};

void require_types(const spmm_op_problem& p) {
    const bool known = std::any_of(std::begin(type_rows), std::end(type_rows), [&](const operator_types& r) {
        return p.a.type == r.ab && p.b.type == r.ab && p.c.type == r.c && p.compute_type == r.compute;
    });
    if (!known)
        not_supported(
            role::compute_type,
            fmt::format("A {}, B {}, C {}, compute type {} is not a supported combination", name_of(p.a.type),
                        name_of(p.b.type), name_of(p.c.type), name_of(p.compute_type)));
}

void require_sizes(const spmm_op_problem& p) {
    const int64_t rows = rows_of(p.op_a, p.a);
    const int64_t inner = cols_of(p.op_a, p.a);
    if (rows_of(p.op_b, p.b) != inner)
        invalid(role::b, fmt::format("op(B) has {} rows, op(A) has {} columns", rows_of(p.op_b, p.b), inner));
    if (p.c.rows != rows || p.c.cols != cols_of(p.op_b, p.b))
        invalid(role::c, fmt::format("size {} x {} differs from op(A)*op(B)'s {} x {}", p.c.rows, p.c.cols,
                                     rows, cols_of(p.op_b, p.b)));
}

void require_operations(const spmm_op_problem& p) {
    const bool direct = p.a.format == HERON_FORMAT_CSR && p.op_a == HERON_OP_NONE;
    const bool turned = p.a.format == HERON_FORMAT_CSC && p.op_a == HERON_OP_TRANSPOSE;
    if (!direct && p.a.format == HERON_FORMAT_CSR)
        not_supported(role::operation_a, "only NON_TRANSPOSE of a CSR matrix is supported");
    if (!direct && !turned) not_supported(role::a, "only CSR is supported");
    if (p.op_b == HERON_OP_CONJUGATE_TRANSPOSE && is_complex(p.b.type))
        not_supported(role::operation_b, "the conjugate transpose is not supported");
    if (p.a.batch_count > 1) not_supported(role::a, "batches are not supported");
    if (p.b.batch_count > 1) not_supported(role::b, "batches are not supported");
    if (p.c.batch_count > 1) not_supported(role::c, "batches are not supported");
}

int64_t row_step(const heron_dnmat& m, bool transposed) {
    return (m.order == HERON_ORDER_ROW) != transposed ? m.ld : 1;
}
int64_t column_step(const heron_dnmat& m, bool transposed) { return row_step(m, !transposed); }

// A as CSR, or as an empty COO of op(A)'s rows.
heron_spmat as_rows(const spmm_op_problem& p) {
    heron_operation op = p.op_a;
    heron_spmat a = canonical(p.a, op);
    if (transposes(op)) std::swap(a.rows, a.cols);
    return a;
}

heron_spmm_op_args arguments_of(const spmm_op_problem& p) {
    heron_spmm_op_args args = p.operators;
    args.a = as_rows(p);
    args.b = p.b.values;
    args.b_row_step = row_step(p.b, transposes(p.op_b));
    args.b_column_step = column_step(p.b, transposes(p.op_b));
    args.c = p.c.values;
    args.c_type = p.c.type;
    args.c_row_step = row_step(p.c, false);
    args.c_column_step = column_step(p.c, false);
    args.columns = p.c.cols;
    args.compute_type = p.compute_type;
    return args;
}

}  // namespace

heron_scalar identity_of(heron_semiring semiring, heron_type compute_type) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const bool whole = compute_type == HERON_R_32I;
    switch (semiring) {
        case HERON_MIN_PLUS: return {nullptr, whole ? std::numeric_limits<int32_t>::max() : infinity, 0};
        case HERON_MAX_TIMES: return {nullptr, whole ? std::numeric_limits<int32_t>::min() : -infinity, 0};
        default: return {nullptr, 0, 0};
    }
}

void spmm_op(context& c, const phase_call& phase, const spmm_op_problem& p) {
    require_operations(p);
    require_sizes(p);
    require_types(p);
    if (phase.phase != HERON_PHASE_SIZE) {
        require_arrays(p.a, role::a);
        require_arrays(p.b, role::b);
        require_arrays(p.c, role::c);
        validate_contents(c, p.a, role::a);
    }
    submit<operation::spmm_op>(c, phase, arguments_of(p));
}

spmm_op_plan::spmm_op_plan(context& c, const spmm_op_problem& problem, size_t* workspace_size)
    : context_(c), problem_(problem) {
    const auto keep = [](std::string& copy, heron_operator_code& code) {
        copy.assign(static_cast<const char*>(code.data), code.size);
        code.data = copy.data();
    };
    keep(add_, problem_.operators.add_code);
    keep(mul_, problem_.operators.mul_code);
    keep(epilogue_, problem_.operators.epilogue_code);
    spmm_op(context_, {HERON_PHASE_SIZE, workspace_size}, problem_);
}

void spmm_op_plan::run(void* workspace) const {
    spmm_op(context_, {HERON_PHASE_RUN, nullptr, workspace}, problem_);
}

}  // namespace heron::core
