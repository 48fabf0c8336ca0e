// SpMVOp. createDescr and bufferSize have had several lists of arguments under one name, so they are defined
// with what the names were called with, and the reported version tells which list that is.
#include "core/ops/spmm_op.hpp"
#include "core/ops/spmv_op.hpp"
#include "core/submit.hpp"
#include "cusparse/operands.hpp"
#include "cusparse/version.hpp"
#include <heron/semiring.h>
#include <cstring>

using namespace heron;
using namespace heron::cusparse;

namespace {

constexpr core::argument_name names[] = {
    {core::role::c, "vecZ"}, {core::role::workspace, "buffer"}, {core::role::analysis, "plan"}};

// What a public descriptor stands for; plans share the product with it.
struct spmv_op_description : core::opaque<spmv_op_description> {
    explicit spmv_op_description(std::shared_ptr<core::spmv_op_product> p) : product(std::move(p)) {}

    std::shared_ptr<core::spmv_op_product> product;
};

// What the vectors say of sizes and types counts; their arrays come with the run.
core::spmv_op_problem problem_of(cusparseOperation_t op, cusparseConstSpMatDescr_t a,
                                 cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y, cusparseDnVecDescr_t z,
                                 cudaDataType compute_type, int alg) {
    core::require(alg >= CUSPARSE_SPMVOP_ALG_DEFAULT && alg <= CUSPARSE_SPMVOP_ALG2, core::role::algorithm,
                  "is not an SpMVOp algorithm");
    core::spmv_op_problem p;
    p.op = operation_from(op, "opA");
    p.a = in(a, "matA").value;
    p.x = in(x, "vecX").value;
    p.y = out(y, "vecY").value;
    p.z = out(z, "vecZ").value;
    p.compute_type = type_from(compute_type, "computeType");
    return p;
}

// Source text is compiled with operators that the epilogue does without.
constexpr char unused_add[] = "HERON_OPERATOR heron_value add_op(heron_value a, heron_value b) { return a; }";
constexpr char unused_mul[] = "HERON_OPERATOR heron_value mul_op(heron_value a, heron_value b) { return a; }";

void require_named(const heron_operators& o, bool complex) {
    core::require(o.semiring >= HERON_PLUS_TIMES && o.semiring <= HERON_OR_AND, "code: semiring",
                  "is not one of its values");
    core::require(o.epilogue_kind != HERON_EPILOGUE_CUSTOM, "code: epilogue_kind",
                  "CUSTOM needs an operator of your own");
    if (complex && (o.semiring == HERON_MIN_PLUS || o.semiring == HERON_MAX_TIMES))
        core::not_supported("code: semiring", "is one of real numbers");
}

heron_spmm_op_args operators_from(const heron_operators& o, heron_type compute_type) {
    heron_spmm_op_args args{};
    args.form = o.form;
    args.semiring = o.semiring;
    args.epilogue_kind = o.epilogue_kind;
    args.identity =
        core::identity_of(o.form == HERON_OPERATORS_NAMED ? o.semiring : HERON_PLUS_TIMES, compute_type);
    switch (o.form) {
        case HERON_OPERATORS_NAMED:
            require_named(o, compute_type == HERON_C_32F || compute_type == HERON_C_64F);
            break;
        case HERON_OPERATORS_SOURCE:
            core::require(o.epilogue_kind == HERON_EPILOGUE_CUSTOM, "code: epilogue_kind", "is not CUSTOM");
            args.epilogue_code.data = core::required(o.epilogue_source, "code: epilogue_source");
            args.epilogue_code.size = std::strlen(o.epilogue_source);
            args.add_code = {unused_add, sizeof unused_add - 1};
            args.mul_code = {unused_mul, sizeof unused_mul - 1};
            break;
        case HERON_OPERATORS_CALLBACK:
            core::require(o.epilogue_kind == HERON_EPILOGUE_CUSTOM, "code: epilogue_kind", "is not CUSTOM");
            args.add = args.mul = args.epilogue = core::required(o.epilogue, "code: epilogue");
            args.context = o.context;
            break;
        default: core::invalid("code: form", "is not one of its values");
    }
    if (o.identity) args.identity = core::scalar_on_host(o.identity, compute_type, "code: identity");
    return args;
}

heron_spmm_op_args operators_of(const void* code, size_t size, heron_type compute_type) {
    heron_spmm_op_args args{};
    args.epilogue_kind = HERON_EPILOGUE_STORE;
    if (!code && size == 0) return args;
    core::required(code, "code");
    core::require(size > 0, "codeSize", "is 0");
    if (size == sizeof(heron_operators)) {
        heron_operators operators;
        std::memcpy(&operators, code, sizeof operators);
        return operators_from(operators, compute_type);
    }
    args.form = HERON_OPERATORS_LTO_IR;
    args.epilogue_kind = HERON_EPILOGUE_CUSTOM;
    args.epilogue_code = {code, size};
    return args;
}

// An argument of which it depends on the version what it is.
struct varying {
    uintptr_t word;
    int number() const { return static_cast<int>(static_cast<uint32_t>(word)); }
    template <class T>
    T* pointer() const {
        return reinterpret_cast<T*>(word);
    }
};

// Those of CUDA 13.0 and before, which is the default, have no SpMVOp, so that a program has looked for the
// function itself, in its latest form.
bool has_algorithm() {
    return reported_version() >= version_with_spmv_op_algorithm ||
           reported_version() < first_version_with_spmv_op;
}
bool has_buffer() { return has_algorithm() || reported_version() >= version_with_spmv_op_buffer; }

cusparseStatus_t size_of_spmv_op(cusparseHandle_t handle, cusparseOperation_t op, cusparseConstSpMatDescr_t a,
                                 cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y, cusparseDnVecDescr_t z,
                                 cudaDataType compute_type, varying eighth, size_t* size) {
    return guarded({"cusparseSpMVOp_bufferSize", names}, [&] {
        core::context& c = context_of(handle);
        const int alg = has_algorithm() ? eighth.number() : CUSPARSE_SPMVOP_ALG_DEFAULT;
        const core::spmv_op_problem p = problem_of(op, a, x, y, z, compute_type, alg);
        core::spmv_op_size(c, sizing(has_algorithm() ? size : eighth.pointer<size_t>()), p);
    });
}

cusparseStatus_t make_spmv_op(cusparseHandle_t handle, cusparseSpMVOpDescr_t* descr, cusparseOperation_t op,
                              cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                              cusparseDnVecDescr_t y, cusparseDnVecDescr_t z, cudaDataType compute_type,
                              varying ninth, void* buffer) {
    return guarded({"cusparseSpMVOp_createDescr", names}, [&] {
        core::context& c = context_of(handle);
        core::required(descr, "descr");
        const int alg = has_algorithm() ? ninth.number() : CUSPARSE_SPMVOP_ALG_DEFAULT;
        const core::spmv_op_problem p = problem_of(op, a, x, y, z, compute_type, alg);
        void* const given = has_algorithm() ? buffer : ninth.pointer<void>();
        auto made = has_buffer() ? std::make_shared<core::spmv_op_product>(c, p, given)
                                 : std::make_shared<core::spmv_op_product>(c, p);
        *descr = reinterpret_cast<cusparseSpMVOpDescr_t>(new spmv_op_description(std::move(made)));
    });
}

}  // namespace

// <cusparse.h> declares the same names with the arguments of today.
extern "C" {

cusparseStatus_t spmv_op_buffer_size(cusparseHandle_t, cusparseOperation_t, cusparseConstSpMatDescr_t,
                                     cusparseConstDnVecDescr_t, cusparseDnVecDescr_t, cusparseDnVecDescr_t,
                                     cudaDataType, uintptr_t, size_t*) __asm__("cusparseSpMVOp_bufferSize");
cusparseStatus_t spmv_op_buffer_size(cusparseHandle_t handle, cusparseOperation_t op,
                                     cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                     cusparseDnVecDescr_t y, cusparseDnVecDescr_t z,
                                     cudaDataType compute_type, uintptr_t alg_or_size, size_t* size) {
    return size_of_spmv_op(handle, op, a, x, y, z, compute_type, {alg_or_size}, size);
}

cusparseStatus_t spmv_op_create_descr(cusparseHandle_t, cusparseSpMVOpDescr_t*, cusparseOperation_t,
                                      cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t,
                                      cusparseDnVecDescr_t, cusparseDnVecDescr_t, cudaDataType, uintptr_t,
                                      void*) __asm__("cusparseSpMVOp_createDescr");
cusparseStatus_t spmv_op_create_descr(cusparseHandle_t handle, cusparseSpMVOpDescr_t* descr,
                                      cusparseOperation_t op, cusparseConstSpMatDescr_t a,
                                      cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y,
                                      cusparseDnVecDescr_t z, cudaDataType compute_type,
                                      uintptr_t alg_or_buffer, void* buffer) {
    return make_spmv_op(handle, descr, op, a, x, y, z, compute_type, {alg_or_buffer}, buffer);
}

}  // extern "C"

cusparseStatus_t cusparseSpMVOp_destroyDescr(cusparseSpMVOpDescr_t descr) {
    return guarded(__func__, [&] { destroy<spmv_op_description>(descr); });
}

cusparseStatus_t cusparseSpMVOp_createPlan(cusparseHandle_t handle, cusparseSpMVOpDescr_t descr,
                                           cusparseSpMVOpPlan_t* plan, const void* code, size_t size) {
    return guarded(__func__, [&] {
        core::context& c = context_of(handle);
        const auto& product = object<spmv_op_description>(descr, "descr").product;
        core::required(plan, "plan");
        const heron_spmm_op_args operators = operators_of(code, size, product->problem().compute_type);
        auto made = std::make_unique<core::spmv_op_plan>(c, product, operators);
        *plan = reinterpret_cast<cusparseSpMVOpPlan_t>(made.release());
    });
}
cusparseStatus_t cusparseSpMVOp_destroyPlan(cusparseSpMVOpPlan_t plan) {
    return guarded(__func__, [&] { destroy<core::spmv_op_plan>(plan); });
}

cusparseStatus_t cusparseSpMVOp_setGlobalUserData(cusparseHandle_t handle, cusparseSpMVOpPlan_t plan,
                                                  const char* name, void* data, size_t size) {
    return guarded({__func__, names}, [&] {
        core::context& c = context_of(handle);
        auto& p = object<core::spmv_op_plan>(plan, "plan");
        core::required(name, "global_data_name");
        core::required(data, "input_data");
        core::require(size > 0, "data_size", "is 0");
        p.set_global(c, name, data, size);
    });
}

cusparseStatus_t cusparseSpMVOp(cusparseHandle_t handle, cusparseSpMVOpPlan_t plan, const void* alpha,
                                const void* beta, cusparseConstDnVecDescr_t x, cusparseConstDnVecDescr_t y,
                                cusparseDnVecDescr_t z) {
    return guarded({__func__, names}, [&] {
        core::context& c = context_of(handle);
        auto& p = object<core::spmv_op_plan>(plan, "plan");
        const heron_dnvec &right = in(x, "vecX").value, &added = in(y, "vecY").value;
        p.run(c, alpha, right, beta, added, out(z, "vecZ").value);
    });
}
