// SpGEAM.
#include "core/ops/spadd.hpp"
#include "cusparse/operands.hpp"

using namespace heron;
using namespace heron::cusparse;

namespace {

constexpr core::argument_name names[] = {{core::role::analysis, "spgeamDescr"}};

// Which offsets of C have been counted.
struct spgeam_description : core::opaque<spgeam_description> {
    const void* counted = nullptr;
};

spgeam_description& description(cusparseSpGEAMDescr_t d) {
    return object<spgeam_description>(d, core::role::analysis);
}

struct operands {
    const heron_spmat &a, &b, &sum;
};

// The scalars are read when there is something to multiply; until then they only have to be there.
operands operands_of(cusparseOperation_t op_a, cusparseOperation_t op_b, const void* alpha,
                     cusparseConstSpMatDescr_t a, const void* beta, cusparseConstSpMatDescr_t b,
                     cusparseSpMatDescr_t c, cudaDataType compute_type, cusparseSpGEAMAlg_t alg) {
    core::require(alg == CUSPARSE_SPGEAM_ALG_DEFAULT || alg == CUSPARSE_SPGEAM_ALG1, core::role::algorithm,
                  "is not an SpGEAM algorithm");
    core::required(alpha, core::role::alpha);
    core::required(beta, core::role::beta);
    const heron_operation first = operation_from(op_a, "opA"), second = operation_from(op_b, "opB");
    const operands x{in(a, "matA").value, in(b, "matB").value, out(c, "matC").value};
    core::require_sum(first, second, x.a, x.b, x.sum, type_from(compute_type, "computeType"));
    return x;
}

}  // namespace

cusparseStatus_t cusparseSpGEAM_createDescr(cusparseSpGEAMDescr_t* descr) {
    return guarded({__func__, names}, [&] {
        core::required(descr, "descr");
        *descr = reinterpret_cast<cusparseSpGEAMDescr_t>(new spgeam_description);
    });
}
cusparseStatus_t cusparseSpGEAM_destroyDescr(cusparseSpGEAMDescr_t descr) {
    return guarded({__func__, names}, [&] { destroy<spgeam_description>(descr); });
}

cusparseStatus_t cusparseSpGEAM_bufferSize(cusparseHandle_t handle, cusparseOperation_t op_a,
                                           cusparseOperation_t op_b, const void* alpha,
                                           cusparseSpMatDescr_t a, const void* beta, cusparseSpMatDescr_t b,
                                           cusparseSpMatDescr_t c, cudaDataType compute_type,
                                           cusparseSpGEAMAlg_t alg, cusparseSpGEAMDescr_t descr,
                                           size_t* size) {
    return guarded({__func__, names}, [&] {
        core::context& context = context_of(handle);
        description(descr);
        const operands x = operands_of(op_a, op_b, alpha, a, beta, b, c, compute_type, alg);
        core::spadd_size(context, sizing(size), x.a, x.b, x.sum);
    });
}
cusparseStatus_t cusparseSpGEAM_nnz(cusparseHandle_t handle, cusparseOperation_t op_a,
                                    cusparseOperation_t op_b, const void* alpha, cusparseSpMatDescr_t a,
                                    const void* beta, cusparseSpMatDescr_t b, cusparseSpMatDescr_t c,
                                    cudaDataType compute_type, cusparseSpGEAMAlg_t alg,
                                    cusparseSpGEAMDescr_t descr, void* buffer) {
    return guarded({__func__, names}, [&] {
        core::context& context = context_of(handle);
        spgeam_description& d = description(descr);
        const operands x = operands_of(op_a, op_b, alpha, a, beta, b, c, compute_type, alg);
        int32_t nnz = 0;
        core::spadd_count_on_host(context, running(buffer), x.a, x.b, x.sum, &nnz);
        sparse_matrix& result = out(c, "matC");
        result.change([&](heron_spmat& m) { m.nnz = nnz; });
        result.analyses.clear();
        d.counted = result.value.offsets;
    });
}
cusparseStatus_t cusparseSpGEAM(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                const void* alpha, cusparseSpMatDescr_t a, const void* beta,
                                cusparseSpMatDescr_t b, cusparseSpMatDescr_t c, cudaDataType compute_type,
                                cusparseSpGEAMAlg_t alg, cusparseSpGEAMDescr_t descr, void* buffer) {
    return guarded({__func__, names}, [&] {
        core::context& context = context_of(handle);
        const spgeam_description& d = description(descr);
        const operands x = operands_of(op_a, op_b, alpha, a, beta, b, c, compute_type, alg);
        if (!d.counted || d.counted != x.sum.offsets)
            core::invalid("matC", "its offsets are not those that SpGEAM_nnz was given with this descriptor");
        core::spadd(context, running(buffer), alpha, x.a, beta, x.b, x.sum);
        out(c, "matC").values_changed = core::next_stamp();
    });
}
