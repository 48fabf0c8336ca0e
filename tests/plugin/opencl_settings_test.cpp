// Settings of the OpenCL kernels: what they cannot mean is named in the log, and the product is right.
#include "catch.hpp"
#include "child_process.hpp"
#include "skip_without_backend.hpp"
#include <heron/dense.h>
#include <heron/kronmult.h>
#include <algorithm>

using namespace heron::test;

namespace {

void expect(heron_status actual) { REQUIRE(actual == HERON_SUCCESS); }

// What a process with these settings logs; its product has to be right.
std::string product_with(const std::string& settings, const std::string& child_case = "child: product") {
    const child_result child = run_child(settings + " HERON_LOG_LEVEL=3", child_case);
    CHECK(child.status == 0);
    check_contains(child.output, "product ok");
    return child.output;
}

}  // namespace

TEST_CASE("child: product", "[.]") {
    heron_handle handle = nullptr;
    void* memory = nullptr;
    expect(heron_create(&handle));
    expect(heron_alloc(handle, 3 * 4 * sizeof(float), HERON_MEMORY_DEVICE, &memory));
    auto* const a = static_cast<float*>(memory);
    const float operands[8] = {1, 2, 3, 4, 5, 6, 7, 8}, one = 1, zero = 0;
    expect(heron_copy(handle, a, operands, sizeof operands));
    expect(heron_gemm(handle, HERON_R_32F, HERON_ORDER_ROW, HERON_OP_NONE, HERON_OP_NONE, 2, 2, 2, &one, a, 2,
                      a + 4, 2, &zero, a + 8, 2, HERON_GEMM_DEFAULT));
    expect(heron_synchronize(handle));
    float result[4];
    expect(heron_copy(handle, result, a + 8, sizeof result));
    const float expected[4] = {19, 22, 43, 50};
    std::puts(std::equal(result, result + 4, expected) ? "product ok" : "product wrong");
    heron_free(handle, memory);
    heron_destroy(handle);
}

TEST_CASE("shapes that no dense kernel has are named and ignored") {
    skip_without_backend();
    const std::string ignored = " is no type with a shape that the kernels can have; it is ignored";
    for (const char* const entry :
         {"f32 tiles 8 8", "f16 columns 16 2 12", "f32 columns 3 2 12", "f32 tiles 8 8 4 1 2 2 8 x",
          "columns 16 2 12", "f32-direct tiles 8 8 4 2 4 1 16 3", "nonsense"}) {
        const std::string output =
            product_with(std::string("HERON_OPENCL_GEMM='f64 columns 8 2 12;").append(entry).append("; '"));
        check_contains(
            output, std::string("[Hint][HERON_OPENCL_GEMM] \"").append(entry).append("\"").append(ignored));
        CHECK(output.find("f64 columns") == std::string::npos);
    }
    const std::string output = product_with(
        "HERON_OPENCL_GEMM='f32 tiles 8 8 4 1 2 2 8;c64-direct tiles 8 8 2 2 2 2 16 4;f64-small columns 8 2 "
        "12;'");
    CHECK(output.find("HERON_OPENCL_GEMM") == std::string::npos);
}

TEST_CASE("a scratch size that is no number of bytes is named and ignored") {
    skip_without_backend();
    for (const char* const bytes : {"'256 MiB'", "-1", "''", "much"})
        check_contains(product_with(std::string("HERON_OPENCL_SCRATCH=").append(bytes)),
                       "[Hint][HERON_OPENCL_SCRATCH] is no number of bytes; it is ignored");
    CHECK(product_with("HERON_OPENCL_SCRATCH=8192").find("SCRATCH") == std::string::npos);
}

TEST_CASE("child: Kronecker product", "[.]") {
    heron_handle handle = nullptr;
    void* memory = nullptr;
    expect(heron_create(&handle));
    expect(heron_kronmult_set_handle(handle));
    expect(heron_alloc(handle, 3 * 4 * sizeof(float), HERON_MEMORY_DEVICE, &memory));
    auto* const a = static_cast<float*>(memory);
    // A, x and y := 1; y += A*x.
    const float operands[8] = {1, 2, 3, 4, 5, 6, 1, 1};
    expect(heron_copy(handle, a, operands, sizeof operands));
    expect(heron_skronmult1_batched(2, a, a + 4, a + 6, nullptr, 1));
    expect(heron_synchronize(handle));
    float y[2];
    expect(heron_copy(handle, y, a + 6, sizeof y));
    std::puts(y[0] == 24 && y[1] == 35 ? "product ok" : "product wrong");
    heron_kronmult_set_handle(nullptr);
    heron_free(handle, memory);
    heron_destroy(handle);
}

TEST_CASE("choices of kernels that mean nothing are named and ignored") {
    skip_without_backend();
    const std::string child = "child: Kronecker product";
    for (const char* const entry : {"tiles", "spmv=rows", "spmv=registers", "registers", "gemm=gpu",
                                    "kron=", "=gpu", "kron", " kron=gpu"}) {
        const std::string output = product_with(
            std::string("HERON_OPENCL_KERNELS='kron=generic,").append(entry).append(",'"), child);
        check_contains(output, std::string("[Hint][HERON_OPENCL_KERNELS] \"")
                                   .append(entry)
                                   .append("\" names no kernels; it is ignored"));
        CHECK(output.find("kron=generic") == std::string::npos);
    }
    for (const char* const setting : {"", "gpu", "generic", "kron=registers",
                                      "generic,spmv=gpu,spmm=gpu,sddmm=gpu,spgemm=gpu,trisolve=gpu"})
        CHECK(product_with(std::string("HERON_OPENCL_KERNELS=").append(setting), child)
                  .find("HERON_OPENCL_KERNELS") == std::string::npos);
}
