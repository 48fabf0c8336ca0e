#pragma once
// Enumerators that cuSPARSE's types do not have, as a C program may pass them.
#include <cusparse.h>

namespace heron::test {

inline const auto no_type = static_cast<cudaDataType>(99);
inline const auto no_index_type = static_cast<cusparseIndexType_t>(9);
inline const auto no_base = static_cast<cusparseIndexBase_t>(2);
inline const auto no_order = static_cast<cusparseOrder_t>(0);
inline const auto no_operation = static_cast<cusparseOperation_t>(3);
inline const auto no_direction = static_cast<cusparseDirection_t>(2);
inline const auto no_action = static_cast<cusparseAction_t>(2);
inline const auto no_policy = static_cast<cusparseSolvePolicy_t>(2);
inline const auto no_partition = static_cast<cusparseHybPartition_t>(3);
inline const auto no_attribute = static_cast<cusparseSpMatAttribute_t>(2);
inline const auto no_spgemm_algorithm = static_cast<cusparseSpGEMMAlg_t>(6);

}  // namespace heron::test
