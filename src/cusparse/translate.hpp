#pragma once
// cuSPARSE's enums and Heron's, both ways. Values out of range throw with the argument's public name.
#include "core/context.hpp"
#include "core/descriptors.hpp"
#include "core/facade_check.hpp"
#include "core/guard.hpp"
#include "core/operations.hpp"
#define DISABLE_CUSPARSE_DEPRECATED
#include <cusparse.h>

namespace heron::cusparse {

template <class F>
cusparseStatus_t guarded(const char* function, F&& f) noexcept {
    if (!core::fits_core()) return CUSPARSE_STATUS_NOT_INITIALIZED;
    return core::guard<cusparseStatus_t>(function, std::forward<F>(f));
}

inline core::context& context_of(cusparseHandle_t handle) { return core::context::from(handle); }

heron_type type_from(cudaDataType type, const char* argument);
cudaDataType to_cuda(heron_type type);
heron_index_type index_type_from(cusparseIndexType_t type, const char* argument);
cusparseIndexType_t to_cusparse(heron_index_type type);
int32_t base_from(cusparseIndexBase_t base, const char* argument);
heron_order order_from(cusparseOrder_t order, const char* argument);
cusparseOrder_t to_cusparse(heron_order order);
heron_operation operation_from(cusparseOperation_t operation, const char* argument);
cusparseFormat_t to_cusparse(heron_format format);

// What a public handle or descriptor stands for; destroying NULL succeeds, as in cuSPARSE.
template <class T, class Handle>
void destroy(Handle* handle) {
    delete reinterpret_cast<const T*>(handle);
}

inline core::access access_of(const void*) { return core::access::read_only; }
inline core::access access_of(void*) { return core::access::read_write; }

}  // namespace heron::cusparse
