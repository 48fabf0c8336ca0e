// Settings, names of statuses, the log, and functions that are not served.
#include "facade.hpp"
#include <cstdlib>
#include <cuda_runtime_api.h>

using namespace heron::test;

namespace {

// The recorder takes the host plug-in's place: nothing is computed here.
const bool recorder_chosen =
    setenv("HERON_PLUGIN_PATH", HERON_RECORDER_DIR, 1) == 0 && setenv("HERON_BACKEND", "host", 1) == 0;

std::vector<std::string>& messages() {
    static std::vector<std::string> m;
    return m;
}
void collect(const char* message) { messages().emplace_back(message); }

}  // namespace

TEST_CASE("settings begin with their defaults and are kept") {
    const blas_handle h;
    cublasPointerMode_t pointer_mode;
    cublasAtomicsMode_t atomics_mode;
    cublasMath_t math_mode;
    int target;
    REQUIRE(cublasGetPointerMode_v2(h, &pointer_mode) == blas_ok);
    CHECK(pointer_mode == CUBLAS_POINTER_MODE_HOST);
    REQUIRE(cublasGetAtomicsMode(h, &atomics_mode) == blas_ok);
    CHECK(atomics_mode == CUBLAS_ATOMICS_NOT_ALLOWED);
    REQUIRE(cublasGetMathMode(h, &math_mode) == blas_ok);
    CHECK(math_mode == CUBLAS_DEFAULT_MATH);
    REQUIRE(cublasGetSmCountTarget(h, &target) == blas_ok);
    CHECK(target == 0);
    REQUIRE(cublasSetPointerMode_v2(h, CUBLAS_POINTER_MODE_DEVICE) == blas_ok);
    REQUIRE(cublasSetAtomicsMode(h, CUBLAS_ATOMICS_ALLOWED) == blas_ok);
    const auto pedantic =
        static_cast<cublasMath_t>(CUBLAS_PEDANTIC_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
    REQUIRE(cublasSetMathMode(h, pedantic) == blas_ok);
    REQUIRE(cublasSetSmCountTarget(h, 8) == blas_ok);
    REQUIRE(cublasGetPointerMode_v2(h, &pointer_mode) == blas_ok);
    CHECK(pointer_mode == CUBLAS_POINTER_MODE_DEVICE);
    REQUIRE(cublasGetAtomicsMode(h, &atomics_mode) == blas_ok);
    CHECK(atomics_mode == CUBLAS_ATOMICS_ALLOWED);
    REQUIRE(cublasGetMathMode(h, &math_mode) == blas_ok);
    CHECK(math_mode == pedantic);
    REQUIRE(cublasGetSmCountTarget(h, &target) == blas_ok);
    CHECK(target == 8);
}

TEST_CASE("versions") {
    const blas_handle h;
    int version, major, minor, patch;
    REQUIRE(cublasGetVersion_v2(h, &version) == blas_ok);
    REQUIRE(cublasGetProperty(MAJOR_VERSION, &major) == blas_ok);
    REQUIRE(cublasGetProperty(MINOR_VERSION, &minor) == blas_ok);
    REQUIRE(cublasGetProperty(PATCH_LEVEL, &patch) == blas_ok);
    CHECK(version == CUBLAS_VERSION);
    CHECK(major * 10000 + minor * 100 + patch == version);
    CHECK(cublasGetCudartVersion() == CUDART_VERSION);
}

TEST_CASE("every status has a name") {
    CHECK(std::string(cublasGetStatusName(CUBLAS_STATUS_SUCCESS)) == "CUBLAS_STATUS_SUCCESS");
    CHECK(std::string(cublasGetStatusName(CUBLAS_STATUS_LICENSE_ERROR)) == "CUBLAS_STATUS_LICENSE_ERROR");
    CHECK(std::string(cublasGetStatusString(CUBLAS_STATUS_ALLOC_FAILED)) == "the resource allocation failed");
    CHECK(std::string(cublasGetStatusName(static_cast<cublasStatus_t>(2))) == "unrecognized status");
}

TEST_CASE("a cuBLAS handle is a handle of Heron's, too") {
    const blas_handle h;
    CHECK(heron_synchronize(reinterpret_cast<heron_handle>(static_cast<cublasHandle_t>(h))) == HERON_SUCCESS);
}

TEST_CASE("the log tells what is wrong through cuBLAS's callback") {
    const blas_handle h;
    cublasLogCallback callback;
    REQUIRE(cublasSetLoggerCallback(&collect) == blas_ok);
    REQUIRE(cublasGetLoggerCallback(&callback) == blas_ok);
    CHECK(callback == &collect);
    REQUIRE(cublasLoggerConfigure(1, 0, 0, nullptr) == blas_ok);
    messages().clear();
    CHECK(cublasSetSmCountTarget(h, -1) == blas_invalid);
    REQUIRE(cublasLoggerConfigure(0, 0, 0, nullptr) == blas_ok);
    REQUIRE(cublasSetLoggerCallback(nullptr) == blas_ok);
    bool found = false;
    for (const std::string& message : messages())
        found |= message == "cublasSetSmCountTarget: smCountTarget: is negative\n";
    CHECK(found);
}
