#include "limits.hpp"

#include <fnmatch.h>

#include <string>

namespace heron::tools {
namespace {

constexpr unsigned host = 1u << on_host, opencl = 1u << on_opencl, cuda = 1u << on_cuda;

struct limit_entry {
    const char* functions;  // a pattern of the shell
    unsigned backends;
    support state;
    const char* text;
};

// include/README.md has the same for people. The first entry that fits counts.
constexpr limit_entry limits[] = {
    {"cusparseSpMMOp*", host | opencl, support::not_supported,
     "operators come as LTO-IR of NVIDIA's compiler"},
    {"cusparseSpMMOp*", cuda, support::limited,
     "needs NVRTC and nvJitLink; A neither transposed nor in batches"},
    {"cusparse[SDCZ]csrmv", host | opencl | cuda, support::limited, "only matrices of type GENERAL"},
    {"cusparse[SDCZ]csrmv_mp", host | opencl | cuda, support::limited, "only matrices of type GENERAL"},
    {"cusparse[SDCZ]csrmm", host | opencl | cuda, support::limited, "only matrices of type GENERAL"},
    {"cusparse[SDCZ]csrm[mv]_v2", host | opencl | cuda, support::limited, "only matrices of type GENERAL"},
    {"cusparse[SDCZ]csrsm2_*", host | opencl | cuda, support::limited, "op(B) is none or the transpose"},
    {"cusparseCsrsv_*Ex", host | opencl | cuda, support::limited, "all types the same, one of S, D, C, Z"},
    {"cusparseCsrilu0Ex", host | opencl | cuda, support::limited, "all types the same, one of S, D, C, Z"},
    {"cusparseCsrmvEx*", host | opencl | cuda, support::limited, "scalars of the execution type"},
    {"cusparseCreateCooAoS", host | opencl | cuda, support::limited, "no operation takes such a matrix"},
    {"cudaLaunch*", host | opencl, support::not_supported, "kernels of the program's own need an NVIDIA GPU"},
    {"cudaGraph*", host | opencl, support::not_supported, "there are no graphs without an NVIDIA GPU"},
    {"cudaStreamBeginCapture", host | opencl, support::not_supported,
     "there are no graphs without an NVIDIA GPU"},
    {"cudaIpc*", host | opencl, support::not_supported, "memory is not shared with other processes"},
    {"clblas*", host | cuda, support::not_supported, "runs on the program's own OpenCL queues"},
    {"clAmdBlas*", host | cuda, support::not_supported, "runs on the program's own OpenCL queues"},
};

}  // namespace

const char* name_of(support s) {
    constexpr const char* names[] = {"provided", "limited", "not supported", "missing"};
    return names[static_cast<int>(s)];
}

limit limit_of(std::string_view function, backend_number backend) {
    const std::string name(function);
    for (const limit_entry& entry : limits)
        if (entry.backends & (1u << backend) && fnmatch(entry.functions, name.c_str(), 0) == 0)
            return {entry.state, entry.text};
    return {};
}

}  // namespace heron::tools
