#include "status.hpp"
#include <iterator>

namespace heron::core {
namespace {

struct text {
    const char* name;
    const char* sentence;
};

// Indexed by heron_status.
constexpr text texts[] = {
    {"HERON_SUCCESS", "success"},
    {"HERON_NOT_INITIALIZED", "initialization error: no handle or no usable backend"},
    {"HERON_ALLOC_FAILED", "out of host or device memory"},
    {"HERON_INVALID_VALUE", "invalid value"},
    {"HERON_ARCH_MISMATCH", "the device lacks a required feature"},
    {"HERON_MAPPING_ERROR", "device memory could not be mapped"},
    {"HERON_EXECUTION_FAILED", "a kernel or copy failed on the device"},
    {"HERON_INTERNAL_ERROR", "internal error"},
    {"HERON_MATRIX_TYPE_NOT_SUPPORTED", "matrix type not supported"},
    {"HERON_ZERO_PIVOT", "zero pivot"},
    {"HERON_NOT_SUPPORTED", "operation not supported"},
    {"HERON_INSUFFICIENT_RESOURCES", "insufficient resources"},
};

const text* find(heron_status status) {
    const auto i = static_cast<unsigned>(status);
    return i < std::size(texts) ? &texts[i] : nullptr;
}

}  // namespace

const char* status_name(heron_status status) noexcept {
    const text* const t = find(status);
    return t ? t->name : "unrecognized error code";
}

const char* status_string(heron_status status) noexcept {
    const text* const t = find(status);
    return t ? t->sentence : "unrecognized error code";
}

}  // namespace heron::core
