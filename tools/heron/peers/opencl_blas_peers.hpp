// CLBlast and clBLAS, opened at run time, as opponents of Heron on an OpenCL device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "blas_peers.hpp"
#include "shared_library.hpp"

namespace heron::tools {

struct opencl_library {
    std::string name;
    shared_library library;
};

// They compute in a context of their own on that OpenCL device, with copies of a problem's operands. Each
// library must have the functions of CLBlast or of clBLAS. The call of the last problem asked for is the one
// that may be made.
std::vector<std::unique_ptr<blas_peer>> open_opencl_peers(const device& where,
                                                          const std::vector<opencl_library>& libraries);

}  // namespace heron::tools
