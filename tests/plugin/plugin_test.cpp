// Plug-ins that are missing, broken, old or without a device: a clear status and a logged reason, never a
// crash. What is loaded is decided once per process, so that every case runs in a child of its own.
#define DISABLE_CUSPARSE_DEPRECATED
#include "catch.hpp"
#include "child_process.hpp"
#include "scratch_folder.hpp"
#include <cusparse.h>
#include <heron/heron.h>
#include <cstdlib>
#include <filesystem>

using namespace heron::test;
namespace fs = std::filesystem;

namespace {

// What a child that makes a handle prints: "created <backend>" or "status <number>", besides the log.
std::string create_with(const std::string& environment) {
    const child_result child = run_child("CUSPARSE_LOG_LEVEL=4 " + environment, "child: create");
    CHECK(child.status == 0);
    INFO(child.output);
    return child.output;
}

std::string variant(const std::string& folder) {
    return std::string("HERON_PLUGIN_PATH='" HERON_VARIANTS_DIR "/").append(folder).append("' ");
}

void check_fails(const std::string& environment, int status, const std::string& reason) {
    const std::string output = create_with(environment);
    check_contains(output, std::string("status ").append(std::to_string(status)).append("\n"));
    check_contains(output, reason);
    check_contains(output, "[Error][cusparseCreate]");
}

void check_creates(const std::string& environment, const std::string& backend) {
    check_contains(create_with(environment), std::string("created ").append(backend).append("\n"));
}

constexpr const char* host = "HERON_BACKEND=host";

}  // namespace

TEST_CASE("child: create", "[.]") {
    cusparseHandle_t handle = nullptr;
    const cusparseStatus_t status = cusparseCreate(&handle);
    if (status != CUSPARSE_STATUS_SUCCESS) {
        CHECK(handle == nullptr);
        std::printf("status %d\n", status);
        return;
    }
    heron_handle native = nullptr;
    const char* name = nullptr;
    REQUIRE(heron_create(&native) == HERON_SUCCESS);
    REQUIRE(heron_get_backend(native, &name, nullptr) == HERON_SUCCESS);
    std::printf("created %s\n", name);
    REQUIRE(heron_destroy(native) == HERON_SUCCESS);
    REQUIRE(cusparseDestroy(handle) == CUSPARSE_STATUS_SUCCESS);
}

TEST_CASE("a plug-in that is not installed") {
    // The library is copied away from its plug-ins.
    const scratch_folder folder;
    fs::copy_file(HERON_LIBRARY, folder.path / "libheron.so.0");
    fs::copy_file(HERON_CUSPARSE_LIBRARY, folder.path / "libcusparse.so.12");
    fs::create_directory(folder.path / "empty");
    const std::string lonely = std::string("LD_LIBRARY_PATH='")
                                   .append(folder.path)
                                   .append("' HERON_PLUGIN_PATH='")
                                   .append(folder.path)
                                   .append("/empty' ");
    check_fails(lonely + "HERON_BACKEND=host", CUSPARSE_STATUS_NOT_INITIALIZED,
                "libheron-host.so is not installed");
    check_fails(lonely + "HERON_BACKEND=cuda", CUSPARSE_STATUS_NOT_INITIALIZED,
                "libheron-cuda.so is not installed");
    const std::string output = create_with(lonely);
    check_contains(output, "status 1\n");
    for (const char* name : {"cuda", "opencl", "host"})
        check_contains(
            output,
            std::string(name).append(" is skipped: libheron-").append(name).append(".so is not installed"));
}

TEST_CASE("a plug-in found in HERON_PLUGIN_PATH comes before the one beside the library") {
    check_contains(create_with(variant("fallback") + host), HERON_VARIANTS_DIR "/fallback/libheron-host.so");
    check_contains(create_with("HERON_PLUGIN_PATH=:/no/such/folder::" HERON_VARIANTS_DIR
                               "/fallback: HERON_BACKEND=host"),
                   HERON_VARIANTS_DIR "/fallback/libheron-host.so");
    check_creates(std::string("HERON_PLUGIN_PATH=/no/such/folder ") + host, "host");
}

TEST_CASE("files that are no plug-in of this version") {
    check_fails(variant("garbage") + host, CUSPARSE_STATUS_NOT_INITIALIZED, "cannot be loaded");
    check_fails(variant("no_entry") + host, CUSPARSE_STATUS_NOT_INITIALIZED, "it has no heron_plugin");
    check_fails(variant("refuses") + host, CUSPARSE_STATUS_NOT_INITIALIZED,
                "refuses to work with this version");
    check_fails(variant("wrong_abi") + host, CUSPARSE_STATUS_NOT_INITIALIZED,
                "plug-in ABI 99 does not match");
    check_fails(variant("too_short") + host, CUSPARSE_STATUS_NOT_INITIALIZED,
                "plug-in table of 64 bytes is too short");
}

TEST_CASE("a plug-in without a device, or that cannot make a queue") {
    check_fails(variant("no_device") + host, CUSPARSE_STATUS_NOT_INITIALIZED, "this variant has no device");
    check_fails(variant("no_memory") + host, CUSPARSE_STATUS_ALLOC_FAILED, "creating a queue");
}

TEST_CASE("an instruction set level that does not exist is no more than a hint") {
    const std::string output = create_with("HERON_BACKEND=host HERON_ISA=abacus");
    check_contains(output, "[Hint][HERON_ISA] names no level");
    check_contains(output, "created host\n");
}

TEST_CASE("backends and devices that do not exist") {
    check_fails("HERON_BACKEND=abacus", CUSPARSE_STATUS_INVALID_VALUE,
                "'abacus' is not one of cuda, opencl, host");
    check_fails(variant("fallback") + "HERON_BACKEND=host HERON_DEVICE=5", CUSPARSE_STATUS_INVALID_VALUE,
                "5 is not one of the 1 device(s) of host");
    check_fails(variant("fallback") + "HERON_BACKEND=host HERON_DEVICE=-1", CUSPARSE_STATUS_INVALID_VALUE,
                "-1 is not one of the 1 device(s) of host");
    check_fails(variant("fallback") + "HERON_BACKEND=host HERON_DEVICE=first", CUSPARSE_STATUS_INVALID_VALUE,
                "'first' is not a device number");
    check_creates(variant("fallback") + "HERON_BACKEND=host HERON_DEVICE=0", "host");
}

TEST_CASE("without HERON_BACKEND the first that works is taken, and the log says why the others are not") {
    const std::string output = create_with(variant("fallback"));
    check_contains(output, "created host\n");
    check_contains(output, "cuda is skipped: this variant has no device");
    check_contains(output, "opencl is skipped: no GPU");
    CHECK(output.find("cuda is skipped") < output.find("opencl is skipped"));
    check_creates(variant("gpu"), "opencl");
    check_creates(variant("fallback") + "HERON_BACKEND=opencl", "opencl");
}

namespace {

// Axpby, which the oldest plug-in has, and SpMV, which it lacks.
struct operations {
    cusparseStatus_t axpby, spmv;
};

operations run_operations() {
    static double values[4] = {}, x_values[4] = {}, y_values[4] = {};
    static int offsets[5] = {0, 1, 2, 3, 4}, columns[4] = {0, 1, 2, 3};
    const double one = 1;
    cusparseHandle_t h = nullptr;
    cusparseSpMatDescr_t a = nullptr;
    cusparseDnVecDescr_t x = nullptr, y = nullptr;
    cusparseSpVecDescr_t sparse_x = nullptr;
    REQUIRE(cusparseCreate(&h) == CUSPARSE_STATUS_SUCCESS);
    REQUIRE(cusparseCreateCsr(&a, 4, 4, 4, offsets, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F) == CUSPARSE_STATUS_SUCCESS);
    REQUIRE(cusparseCreateDnVec(&x, 4, x_values, CUDA_R_64F) == CUSPARSE_STATUS_SUCCESS);
    REQUIRE(cusparseCreateDnVec(&y, 4, y_values, CUDA_R_64F) == CUSPARSE_STATUS_SUCCESS);
    REQUIRE(cusparseCreateSpVec(&sparse_x, 4, 4, columns, x_values, CUSPARSE_INDEX_32I,
                                CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F) == CUSPARSE_STATUS_SUCCESS);
    const operations result{cusparseAxpby(h, &one, sparse_x, &one, y),
                            cusparseSpMV(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, x, &one, y, CUDA_R_64F,
                                         CUSPARSE_SPMV_ALG_DEFAULT, nullptr)};
    cusparseDestroySpVec(sparse_x);
    cusparseDestroyDnVec(x);
    cusparseDestroyDnVec(y);
    cusparseDestroySpMat(a);
    cusparseDestroy(h);
    return result;
}

}  // namespace

TEST_CASE("child: operations", "[.]") {
    const operations result = run_operations();
    std::printf("axpby %d spmv %d\n", result.axpby, result.spmv);
}

TEST_CASE("an operation that an older plug-in lacks is not supported, and the others work") {
    const child_result child =
        run_child(variant("old") + "CUSPARSE_LOG_LEVEL=1 HERON_BACKEND=host", "child: operations");
    CHECK(child.status == 0);
    check_contains(child.output, "axpby 0 spmv 10\n");
    check_contains(child.output, "[Error][cusparseSpMV] spmv: the host plug-in is older and lacks it");
}

TEST_CASE("a plug-in that fails in the middle gives its status") {
    const child_result child =
        run_child(variant("dies") + "CUSPARSE_LOG_LEVEL=1 HERON_BACKEND=host", "child: operations");
    CHECK(child.status == 0);
    check_contains(child.output, "axpby 6 spmv 6\n");
    check_contains(child.output, "[Error][cusparseSpMV] spmv on host: ");
}
