#pragma once
// Which version of cuSPARSE the library says it is.

namespace heron::cusparse {

// HERON_CUSPARSE_VERSION, or CUSPARSE_VERSION where that is unset or no version. Read once.
int reported_version() noexcept;

// From which versions on SpMVOp is there, and its functions have more arguments.
inline constexpr int first_version_with_spmv_op = 12700, version_with_spmv_op_buffer = 12703,
                     version_with_spmv_op_algorithm = 12800;

}  // namespace heron::cusparse
