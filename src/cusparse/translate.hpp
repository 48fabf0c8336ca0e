#pragma once
// cuSPARSE's enums and Heron's, both ways. Values out of range throw with the argument's public name.
#include "core/context.hpp"
#include "core/facade_check.hpp"
#include "core/error.hpp"
#include "core/guard.hpp"
#define DISABLE_CUSPARSE_DEPRECATED
#include <cusparse.h>

namespace heron::cusparse {

// What the functions of the generic interface call their arguments, for those that have no names of their
// own.
extern const core::argument_names generic_names;

struct function : core::public_function {
    function(const char* called, core::argument_names names = {}, core::argument_names others = generic_names)
        : public_function{called, names, others} {}
};

// guarded(__func__, f), or guarded({__func__, own names}, f), or with the names of another interface.
template <class F>
cusparseStatus_t guarded(const function& called, F&& f) noexcept {
    if (!core::fits_core()) return CUSPARSE_STATUS_NOT_INITIALIZED;
    return core::guard<cusparseStatus_t>(called, std::forward<F>(f));
}

// NVIDIA's library answers INVALID_VALUE to a NULL handle in all functions but those of the legacy interface,
// which answer NOT_INITIALIZED, as core::context::from does by itself.
inline core::context& context_of(cusparseHandle_t handle) {
    return core::context::from(handle, HERON_INVALID_VALUE);
}

heron_type type_from(cudaDataType type, const core::subject& about);
cudaDataType to_cuda(heron_type type);
heron_index_type index_type_from(cusparseIndexType_t type, const core::subject& about);
cusparseIndexType_t to_cusparse(heron_index_type type);
int32_t base_from(cusparseIndexBase_t base, const core::subject& about);
heron_order order_from(cusparseOrder_t order, const core::subject& about);
cusparseOrder_t to_cusparse(heron_order order);
heron_operation operation_from(cusparseOperation_t operation, const core::subject& about);
cusparseFormat_t to_cusparse(heron_format format);

// What a public handle or descriptor stands for; destroying NULL succeeds, as in cuSPARSE.
template <class T, class Handle>
void destroy(Handle* handle) {
    core::destroy_opaque(reinterpret_cast<const T*>(handle), "the object");
}

}  // namespace heron::cusparse
