#include "preparation.hpp"
#include <algorithm>

namespace heron::core {
namespace {

bool is_transposed(heron_operation op) {
    return op == HERON_OP_TRANSPOSE || op == HERON_OP_CONJUGATE_TRANSPOSE;
}

struct measured_gain {
    device_class where;
    operation slot;
    bool is_transposed;
    int64_t longest_mean;  // elements of a row
    preparation_gain gain;
};

constexpr int64_t any = INT64_MAX;

// The analysis of SpMV has none on a processor, and on CUDA one for op(A) = A that products find out by
// themselves. That of SpMM is for transposed matrices: the elements in the order of their columns. SDDMM's
// leaves nothing.
constexpr measured_gain gains[] = {
    {device_class::cuda, operation::spmv, true, any, {1.3, 0.8, 2.5, "an H200", "report-2"}},
    {device_class::opencl_gpu, operation::spmv, false, 20, {1.5, 1.0, 2.1, "an H200", "report-2"}},
    {device_class::opencl_gpu, operation::spmv, true, any, {1.4, 0.7, 5.0, "an H200", "report-2"}},
    {device_class::cuda, operation::spmm, true, any, {2.6, 1.6, 3.9, "an H200", "report-2"}},
    {device_class::opencl_gpu, operation::spmm, true, any, {5.1, 2.8, 8.7, "an H200", "report-2"}},
    {device_class::one_core, operation::spmm, true, any, {1.9, 1.1, 2.9, "one core", "report-2"}},
    {device_class::several_cores, operation::spmm, true, any, {14, 3.6, 47, "16 cores", "report-2"}},
};

bool serves(const measured_gain& g, device_class where, const repeated_product& product) {
    return g.where == where && g.slot == product.slot && g.is_transposed == is_transposed(product.op) &&
           product.a.nnz / std::max<int64_t>(product.a.rows, 1) <= g.longest_mean;
}

}  // namespace

const preparation_gain* gain_of_preparation(device_class where, const repeated_product& product) {
    // A product with one column is SpMV's.
    const bool is_one_column = product.slot == operation::spmm && product.columns == 1;
    if (product.a.format != HERON_FORMAT_CSR || is_one_column) return nullptr;
    for (const measured_gain& g : gains)
        if (serves(g, where, product)) return &g.gain;
    return nullptr;
}

}  // namespace heron::core
