// SpMMOp.
#include "cusparse/operands.hpp"
#include "core/ops/spmm_op.hpp"

using namespace heron;
using namespace heron::cusparse;

namespace {

heron_operator_code code_of(const void* buffer, size_t size, const char* argument,
                            const char* size_argument) {
    core::required(buffer, argument);
    core::require(size > 0, size_argument, "is 0");
    return {buffer, size};
}

// The sum without terms, which NVIDIA leaves undefined, is 0.
core::spmm_op_problem problem_of(cusparseOperation_t op_a, cusparseOperation_t op_b,
                                 cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                 cusparseDnMatDescr_t c, cudaDataType compute_type) {
    core::spmm_op_problem p;
    p.op_a = operation_from(op_a, "opA");
    p.op_b = operation_from(op_b, "opB");
    p.a = in(a, "matA").value;
    p.b = in(b, "matB").value;
    p.c = out(c, "matC").value;
    p.compute_type = type_from(compute_type, "computeType");
    p.operators.form = HERON_OPERATORS_LTO_IR;
    p.operators.epilogue_kind = HERON_EPILOGUE_CUSTOM;
    return p;
}

}  // namespace

cusparseStatus_t cusparseSpMMOp_createPlan(cusparseHandle_t handle, cusparseSpMMOpPlan_t* plan,
                                           cusparseOperation_t op_a, cusparseOperation_t op_b,
                                           cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                           cusparseDnMatDescr_t c, cudaDataType compute_type,
                                           cusparseSpMMOpAlg_t alg, const void* add, size_t add_size,
                                           const void* mul, size_t mul_size, const void* epilogue,
                                           size_t epilogue_size, size_t* workspace_size) {
    return guarded(__func__, [&] {
        core::context& context = context_of(handle);
        core::required(plan, "plan");
        require_default(alg);
        core::spmm_op_problem p = problem_of(op_a, op_b, a, b, c, compute_type);
        p.operators.add_code = code_of(add, add_size, "addOperationNvvmBuffer", "addOperationBufferSize");
        p.operators.mul_code = code_of(mul, mul_size, "mulOperationNvvmBuffer", "mulOperationBufferSize");
        p.operators.epilogue_code =
            code_of(epilogue, epilogue_size, "epilogueNvvmBuffer", "epilogueBufferSize");
        core::required(workspace_size, "SpMMWorkspaceSize");
        size_t size = 0;
        auto made = std::make_unique<core::spmm_op_plan>(context, p, &size);
        *workspace_size = size;
        *plan = reinterpret_cast<cusparseSpMMOpPlan_t>(made.release());
    });
}

cusparseStatus_t cusparseSpMMOp_destroyPlan(cusparseSpMMOpPlan_t plan) {
    return guarded(__func__, [&] { destroy<core::spmm_op_plan>(plan); });
}

cusparseStatus_t cusparseSpMMOp(cusparseSpMMOpPlan_t plan, void* buffer) {
    return guarded(__func__, [&] { object<const core::spmm_op_plan>(plan, "plan").run(buffer); });
}
