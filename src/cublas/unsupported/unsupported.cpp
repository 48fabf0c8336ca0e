#include "cublas/translate.hpp"

using namespace heron;

// CUBLAS_STATUS_NOT_SUPPORTED, and the line that says which function was called.
extern "C" int heron_cublas_unsupported(const char* name);

int heron_cublas_unsupported(const char* name) {
    return cublas::guarded(name, [] {
        throw core::error(HERON_NOT_SUPPORTED, core::role::none,
                          "Heron does not serve this function of cuBLAS");
    });
}
