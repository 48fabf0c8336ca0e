// Every argument of every function that is served made invalid in turn: the status, the log line, and nothing
// written. Every other function that NVIDIA's library exports answers that it is not supported.
#include "operands.hpp"
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>

using namespace heron::test;

namespace {

// The recorder takes the host plug-in's place: nothing is computed here.
const bool recorder_chosen =
    setenv("HERON_PLUGIN_PATH", HERON_RECORDER_DIR, 1) == 0 && setenv("HERON_BACKEND", "host", 1) == 0;

#define HERON_FAMILY "facade/cublas/typed_arguments.inc"
#include <cublas/foreach_type.inc>
#define HERON_INT_ONLY
#define HERON_FAMILY "facade/cublas/int_arguments.inc"
#include <cublas/foreach_type.inc>
#define HERON_FAMILY "facade/cublas/extended_arguments.inc"
#include <cublas/foreach_integer.inc>
#define HERON_FAMILY "facade/cublas/short_arguments.inc"
#include <cublas/foreach_short_type.inc>
#define HERON_FAMILY "facade/cublas/transfer_arguments.inc"
#include <cublas/foreach_integer.inc>

template <class Short>
void try_short_type(const operands& o) {
    try_short_products(o, Short{}, Short{}, int{});
    try_short_products(o, Short{}, Short{}, int64_t{});
    try_short_products(o, Short{}, float{}, int{});
    try_short_products(o, Short{}, float{}, int64_t{});
}

template <class T>
void try_type(const operands& o) {
    try_typed(o, T{}, int{});
    try_typed(o, T{}, int64_t{});
    try_int_only(o, T{});
}

// A setting with valid values from 0 to `last` and the function that tells it.
template <class Set, class Get, class Mode>
void try_mode(const char* set_name, Set set, const char* get_name, Get get, Mode last) {
    const blas_handle h;
    subject setter(set_name, set, h, Mode{});
    setter.works().template bad<0>("handle", nullptr, blas_not_initialized);
    setter.template bad<1>("mode", static_cast<Mode>(last + 1))
        .template bad<1>("mode", static_cast<Mode>(-1));
    Mode mode;
    subject getter(get_name, get, h, &mode);
    getter.works().watch(&mode, sizeof mode);
    getter.template bad<0>("handle", nullptr, blas_not_initialized).template bad<1>("mode", nullptr);
}

#define FUNCTION(name) #name, &name

void try_handles() {
    cublasHandle_t created = nullptr;
    subject create(FUNCTION(cublasCreate_v2), &created);
    create.bad<0>("handle", nullptr);
    REQUIRE(cublasCreate_v2(&created) == blas_ok);
    subject destroy(FUNCTION(cublasDestroy_v2), created);
    destroy.works().bad<0>("handle", nullptr, blas_not_initialized);
    int version;
    subject get_version(FUNCTION(cublasGetVersion_v2), nullptr, &version);
    get_version.works().watch(&version, sizeof version).any<0>().bad<1>("version", nullptr);
    subject property(FUNCTION(cublasGetProperty), MAJOR_VERSION, &version);
    property.works().watch(&version, sizeof version);
    property.bad<0>("type", static_cast<libraryPropertyType>(3)).bad<1>("value", nullptr);
}

void try_settings() {
    try_mode(FUNCTION(cublasSetPointerMode_v2), FUNCTION(cublasGetPointerMode_v2),
             CUBLAS_POINTER_MODE_DEVICE);
    try_mode(FUNCTION(cublasSetAtomicsMode), FUNCTION(cublasGetAtomicsMode), CUBLAS_ATOMICS_ALLOWED);
    try_mode(FUNCTION(cublasSetMathMode), FUNCTION(cublasGetMathMode), CUBLAS_FP32_EMULATED_BF16X9_MATH);
    const blas_handle h;
    subject set_stream(FUNCTION(cublasSetStream_v2), h, nullptr);
    set_stream.works().bad<0>("handle", nullptr, blas_not_initialized).any<1>();
    cudaStream_t stream;
    subject get_stream(FUNCTION(cublasGetStream_v2), h, &stream);
    get_stream.works().watch(&stream, sizeof stream);
    get_stream.bad<0>("handle", nullptr, blas_not_initialized).bad<1>("streamId", nullptr);
    alignas(256) static char workspace[1024];
    subject set_workspace(FUNCTION(cublasSetWorkspace_v2), h, workspace, sizeof workspace);
    set_workspace.works().bad<0>("handle", nullptr, blas_not_initialized);
    set_workspace.bad<1>("workspace", nullptr).bad<1>("workspace", workspace + 128).any<2>();
    int target;
    subject set_target(FUNCTION(cublasSetSmCountTarget), h, 3);
    set_target.works().bad<0>("handle", nullptr, blas_not_initialized).bad<1>("smCountTarget", -1);
    subject get_target(FUNCTION(cublasGetSmCountTarget), h, &target);
    get_target.works().watch(&target, sizeof target);
    get_target.bad<0>("handle", nullptr, blas_not_initialized).bad<1>("smCountTarget", nullptr);
}

// What has no invalid argument, or no status.
const std::set<std::string> without_bad_arguments = {"cublasGetCudartVersion",
                                                     "cublasGetStatusName",
                                                     "cublasGetStatusString",
                                                     "cublasXerbla",
                                                     "cublasLoggerConfigure",
                                                     "cublasSetLoggerCallback",
                                                     "cublasGetLoggerCallback",
                                                     "cublasInit",
                                                     "cublasShutdown",
                                                     "cublasGetError",
                                                     "cublasGetVersion",
                                                     "cublasAlloc",
                                                     "cublasFree",
                                                     "cublasSetKernelStream"};

// The first interface tells no status; first_interface_test has its errors.
bool is_of_first_interface(const std::string& name) { return tried().count(name + "_v2") == 1; }

void expect_not_supported(const std::string& name) {
    INFO(name);
    const auto function = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, name.c_str()));
    REQUIRE(function);
    log_capture log;
    CHECK(function() == blas_not_supported);
    const std::vector<log_line> lines = log.take();
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].function == name);
}

}  // namespace

TEST_CASE("every invalid argument is refused by name and nothing is written") {
    const operands real(CUDA_R_32F), complex(CUDA_C_32F);
    try_type<float>(real);
    try_type<double>(real);
    try_type<cuComplex>(real);
    try_type<cuDoubleComplex>(real);
    try_extended(real, complex, int{});
    try_extended(real, complex, int64_t{});
    try_short_type<__half>(real);
    try_short_type<__nv_bfloat16>(real);
    try_transfers(int{});
    try_transfers(int64_t{});
    try_handles();
    try_settings();

    std::ifstream file(HERON_EXPORTED_SYMBOLS);
    int served = 0;
    for (std::string name; file >> name;) {
        const bool is_served = tried().count(name) + without_bad_arguments.count(name) > 0;
        if (is_served || is_of_first_interface(name))
            ++served;
        else
            expect_not_supported(name);
    }
    CHECK(served > 600);
}
