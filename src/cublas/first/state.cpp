// The state of the first interface, and the functions that are about it.
#include "state.hpp"
#include <cctype>
#include <mutex>

namespace heron::cublas::first {
namespace {

struct state {
    std::mutex mutex;
    cublasHandle_t handle = nullptr;
    cublasStatus_t error = CUBLAS_STATUS_SUCCESS;
};

state& the_state() {
    static state s;
    return s;
}

// The value of the letter's place in a pair of letters and values, or one that no enum has.
template <class Enum>
Enum chosen(char letter, std::initializer_list<std::pair<char, Enum>> choices) {
    const int upper = std::toupper(static_cast<unsigned char>(letter));
    for (const auto& [candidate, value] : choices)
        if (candidate == upper) return value;
    return static_cast<Enum>(-1);
}

}  // namespace

cublasHandle_t current_handle() {
    state& s = the_state();
    const std::lock_guard lock(s.mutex);
    return s.handle;
}

void report(cublasStatus_t status) {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    state& s = the_state();
    const std::lock_guard lock(s.mutex);
    s.error = status;
}

cublasOperation_t operation_of(char letter) {
    return chosen<cublasOperation_t>(letter, {{'N', CUBLAS_OP_N}, {'T', CUBLAS_OP_T}, {'C', CUBLAS_OP_C}});
}
cublasFillMode_t fill_of(char letter) {
    return chosen<cublasFillMode_t>(letter, {{'L', CUBLAS_FILL_MODE_LOWER}, {'U', CUBLAS_FILL_MODE_UPPER}});
}
cublasSideMode_t side_of(char letter) {
    return chosen<cublasSideMode_t>(letter, {{'L', CUBLAS_SIDE_LEFT}, {'R', CUBLAS_SIDE_RIGHT}});
}
cublasDiagType_t diagonal_of(char letter) {
    return chosen<cublasDiagType_t>(letter, {{'U', CUBLAS_DIAG_UNIT}, {'N', CUBLAS_DIAG_NON_UNIT}});
}

}  // namespace heron::cublas::first

using namespace heron;
using namespace heron::cublas;
using first::the_state;

cublasStatus_t cublasInit(void) {
    first::state& s = the_state();
    const std::lock_guard lock(s.mutex);
    return s.handle ? CUBLAS_STATUS_SUCCESS : cublasCreate_v2(&s.handle);
}

cublasStatus_t cublasShutdown(void) {
    first::state& s = the_state();
    const std::lock_guard lock(s.mutex);
    return cublasDestroy_v2(std::exchange(s.handle, nullptr));
}

cublasStatus_t cublasGetError(void) {
    first::state& s = the_state();
    const std::lock_guard lock(s.mutex);
    return std::exchange(s.error, CUBLAS_STATUS_SUCCESS);
}

cublasStatus_t cublasGetVersion(int* version) {
    return cublasGetVersion_v2(first::current_handle(), version);
}

cublasStatus_t cublasSetKernelStream(cudaStream_t stream) {
    return cublasSetStream_v2(first::current_handle(), stream);
}

cublasStatus_t cublasAlloc(int n, int elemSize, void** devicePtr) {
    return guarded(__func__, [&] {
        core::context& c = context_of(first::current_handle());
        core::require(n > 0, "n", "is not positive");
        core::require(elemSize > 0, "elemSize", "is not positive");
        core::required(devicePtr, "devicePtr");
        const size_t bytes = static_cast<size_t>(n) * static_cast<size_t>(elemSize);
        core::check(c.table().memory_alloc(c.device(), bytes, HERON_MEMORY_DEVICE, devicePtr),
                    "allocating device memory");
    });
}

cublasStatus_t cublasFree(void* devicePtr) {
    return guarded(__func__, [&] {
        const core::context& c = context_of(first::current_handle());
        core::check(c.table().memory_free(devicePtr), "freeing device memory");
    });
}
