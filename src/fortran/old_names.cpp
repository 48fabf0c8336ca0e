// Names of NVIDIA's wrappers for functions that cuSPARSE has renamed.
#include "by_reference.hpp"
#include <cusparse.h>

using namespace heron::fortran;

extern "C" int cusparse_set_kernel_stream_(const address* handle, const address* stream) {
    return cusparseSetStream(address_of<cusparseHandle_t>(handle), address_of<cudaStream_t>(stream));
}
