#pragma once
// What operations work, for reports: floating-point operations, and the bytes of their operands, each counted
// once. Zero where it depends on more than the arguments say.
#include "operation.hpp"
#include <cstdint>

namespace heron::core {

struct work {
    double flops = 0, bytes = 0;
};

template <class Args>
work work_of_args(const Args&) {
    return {};
}
work work_of_args(const heron_spmv_args& args);
work work_of_args(const heron_spmm_args& args);
work work_of_args(const heron_sddmm_args& args);
work work_of_args(const heron_trisolve_args& args);
work work_of_args(const heron_gemm_args& args);
work work_of_args(const heron_gemm_batched_args& args);
work work_of_args(const heron_gemmt_args& args);
work work_of_args(const heron_symm_args& args);
work work_of_args(const heron_triangular_args& args);
// The one of three operations with these arguments that multiplies.
work work_of_numeric_product(const heron_spgemm_args& args);

template <operation op, class Args>
work work_of(const Args& args) {
    if constexpr (op == operation::spgemm_numeric)
        return work_of_numeric_product(args);
    else
        return work_of_args(args);
}

}  // namespace heron::core
