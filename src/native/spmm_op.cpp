// The native API of products with operators of the caller's.
#include <heron/heron.h>
#include "names.hpp"
#include "core/ops/spmm_op.hpp"
#include "core/submit.hpp"
#include <cstring>

using namespace heron::core;

namespace {

void require_enum(int value, int last, const subject& about) {
    if (value < 0 || value > last) invalid(about, fmt::format("{} is not one of its values", value));
}

heron_spmat sparse_of(const heron_csr_matrix& m) {
    require_enum(m.type, HERON_C_64F, "a.type");
    require_enum(m.offset_type, HERON_INDEX_64, "a.offset_type");
    require_enum(m.index_type, HERON_INDEX_64, "a.index_type");
    require_enum(m.base, 1, "a.base");
    heron_spmat s{};
    s.format = HERON_FORMAT_CSR;
    s.rows = m.rows;
    s.cols = m.cols;
    s.nnz = m.nnz;
    s.offsets = const_cast<void*>(m.offsets);
    s.indices = const_cast<void*>(m.indices);
    s.values = const_cast<void*>(m.values);
    s.offset_type = m.offset_type;
    s.index_type = m.index_type;
    s.base = m.base;
    s.type = m.type;
    s.batch_count = 1;
    return checked(s, role::a);
}

heron_dnmat dense_of(const heron_dense_matrix& m, argument operand) {
    require_enum(m.type, HERON_C_64F, operand[part::type]);
    require_enum(m.order, HERON_ORDER_ROW, operand[part::order]);
    heron_dnmat d{};
    d.rows = m.rows;
    d.cols = m.cols;
    d.ld = m.ld;
    d.values = m.values;
    d.type = m.type;
    d.order = m.order;
    d.batch_count = 1;
    return checked(d, operand);
}

heron_operator_code text(const char* source, const char* argument) {
    required(source, argument);
    const size_t size = std::strlen(source);
    require(size > 0, argument, "is empty");
    return {source, size};
}

void require_named(const heron_operators& o, heron_type compute_type) {
    const bool complex = compute_type == HERON_C_32F || compute_type == HERON_C_64F;
    if (complex && (o.semiring == HERON_MIN_PLUS || o.semiring == HERON_MAX_TIMES))
        not_supported("operators.semiring", "is one of real numbers");
    require(o.epilogue_kind != HERON_EPILOGUE_CUSTOM, "operators.epilogue_kind",
            "CUSTOM needs operators of your own");
}

// The operators' fields of the arguments.
heron_spmm_op_args operators_of(const heron_operators& o, heron_type compute_type) {
    require_enum(o.form, HERON_OPERATORS_CALLBACK, "operators.form");
    require_enum(o.semiring, HERON_OR_AND, "operators.semiring");
    require_enum(o.epilogue_kind, HERON_EPILOGUE_CUSTOM, "operators.epilogue_kind");
    const bool custom = o.epilogue_kind == HERON_EPILOGUE_CUSTOM;
    const bool named = o.form == HERON_OPERATORS_NAMED;
    heron_spmm_op_args args{};
    args.form = o.form;
    args.semiring = o.semiring;
    args.epilogue_kind = o.epilogue_kind;
    args.identity = o.identity ? scalar_on_host(o.identity, compute_type, "operators.identity")
                               : identity_of(named ? o.semiring : HERON_PLUS_TIMES, compute_type);
    if (named) require_named(o, compute_type);
    if (o.form == HERON_OPERATORS_SOURCE) {
        args.add_code = text(o.add_source, "operators.add_source");
        args.mul_code = text(o.mul_source, "operators.mul_source");
        if (custom) args.epilogue_code = text(o.epilogue_source, "operators.epilogue_source");
    }
    if (o.form == HERON_OPERATORS_CALLBACK) {
        args.add = required(o.add, "operators.add");
        args.mul = required(o.mul, "operators.mul");
        if (custom) args.epilogue = required(o.epilogue, "operators.epilogue");
        args.context = o.context;
    }
    return args;
}

spmm_op_problem problem_of(const heron_spmm_op_desc* desc) {
    if (!desc) throw error(HERON_NOT_INITIALIZED, "desc", "is NULL");
    require_enum(desc->op_b, HERON_OP_CONJUGATE_TRANSPOSE, "op_b");
    require_enum(desc->compute_type, HERON_C_64F, "compute_type");
    spmm_op_problem p;
    p.a = sparse_of(desc->a);
    p.op_b = desc->op_b;
    p.b = dense_of(desc->b, role::b);
    p.c = dense_of(desc->c, role::c);
    p.compute_type = desc->compute_type;
    p.operators = operators_of(desc->operators, desc->compute_type);
    return p;
}

}  // namespace

heron_status heron_spmm_op_workspace(heron_handle handle, const heron_spmm_op_desc* desc, size_t* bytes) {
    return guard<heron_status>(native(__func__), [&] {
        context& c = context::from(handle);
        const spmm_op_problem p = problem_of(desc);
        required(bytes, "bytes");
        spmm_op(c, {HERON_PHASE_SIZE, bytes}, p);
    });
}

heron_status heron_spmm_op(heron_handle handle, const heron_spmm_op_desc* desc, void* workspace,
                           size_t workspace_bytes) {
    return guard<heron_status>(native(__func__), [&] {
        context& c = context::from(handle);
        const spmm_op_problem p = problem_of(desc);
        size_t needed = 0;
        spmm_op(c, {HERON_PHASE_SIZE, &needed}, p);
        if (workspace_bytes < needed)
            throw error(HERON_INSUFFICIENT_RESOURCES, "workspace_bytes",
                        fmt::format("is {}, but {} are needed", workspace_bytes, needed));
        spmm_op(c, {HERON_PHASE_RUN, nullptr, workspace}, p);
    });
}
