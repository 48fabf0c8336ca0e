#include "preparation.hpp"

namespace heron::core {
namespace {

struct measured_gain {
    device_class where;
    operation slot;
    bool is_transposed;
    preparation_gain gain;
};

// On a processor SpMV goes without a plan; SDDMM has none anywhere, and SpMM only where op(A) is transposed,
// of more than one column: the elements in the order of their columns.
constexpr measured_gain gains[] = {
    {device_class::host, operation::spmm, true, {1.8, 1.1, 4.1, "report-2"}},
};

bool is_transposed(heron_operation op) {
    return op == HERON_OP_TRANSPOSE || op == HERON_OP_CONJUGATE_TRANSPOSE;
}

}  // namespace

const preparation_gain* gain_of_preparation(device_class where, const repeated_product& product) {
    const bool is_one_column = product.slot == operation::spmm && product.columns == 1;
    if (product.format != HERON_FORMAT_CSR || is_one_column) return nullptr;
    for (const measured_gain& g : gains)
        if (g.where == where && g.slot == product.slot && g.is_transposed == is_transposed(product.op))
            return &g.gain;
    return nullptr;
}

}  // namespace heron::core
