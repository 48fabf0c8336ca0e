// SpMMOp and SpMVOp with operators that NVRTC has compiled to LTO-IR, as C++ and as extern "C" functions.
#include "captured_stream.hpp"

#include <cusparse.h>
#include <nvrtc.h>
#include <string>
#include <vector>

namespace {

void expect(cusparseStatus_t actual) {
    INFO(cusparseGetErrorString(actual));
    REQUIRE(actual == CUSPARSE_STATUS_SUCCESS);
}

std::vector<char> lto_ir(const std::string& text) {
    cudaDeviceProp properties{};
    REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
    const std::string target =
        "--gpu-architecture=sm_" + std::to_string(properties.major) + std::to_string(properties.minor);
    const char* const options[] = {target.c_str(), "-dlto", "--relocatable-device-code=true"};
    nvrtcProgram program = nullptr;
    REQUIRE(nvrtcCreateProgram(&program, text.c_str(), "operator.cu", 0, nullptr, nullptr) == NVRTC_SUCCESS);
    REQUIRE(nvrtcCompileProgram(program, 3, options) == NVRTC_SUCCESS);
    std::size_t size = 0;
    REQUIRE(nvrtcGetLTOIRSize(program, &size) == NVRTC_SUCCESS);
    std::vector<char> code(size);
    REQUIRE(nvrtcGetLTOIR(program, code.data()) == NVRTC_SUCCESS);
    REQUIRE(nvrtcDestroyProgram(&program) == NVRTC_SUCCESS);
    return code;
}

template <class T>
class device_array {
  public:
    explicit device_array(const std::vector<T>& values) : size_(values.size()) {
        REQUIRE(cudaMalloc(reinterpret_cast<void**>(&data_), size_ * sizeof(T)) == cudaSuccess);
        REQUIRE(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice) == cudaSuccess);
    }
    ~device_array() { cudaFree(data_); }
    device_array(const device_array&) = delete;
    device_array& operator=(const device_array&) = delete;
    std::vector<T> read() const {
        std::vector<T> values(size_);
        REQUIRE(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost) == cudaSuccess);
        return values;
    }
    T* data() const { return data_; }

  private:
    std::size_t size_;
    T* data_ = nullptr;
};

// C(i, j) := min over the stored A(i, l) of A(i, l) + B(l, j), then minus C(i, j).
void check(const std::string& linkage) {
    const std::vector<char> add =
        lto_ir(linkage + " __device__ float add_op(float a, float b) { return a < b ? a : b; }");
    const std::vector<char> mul =
        lto_ir(linkage + " __device__ float mul_op(float a, float b) { return a + b; }");
    const std::vector<char> epilogue =
        lto_ir(linkage + " __device__ float epilogue(float a, float b) { return a - b; }");
    const device_array<int> offsets({0, 2, 3}), columns({0, 2, 1});
    const device_array<float> a({1, 2, 3}), b({10, 20, 30, 40, 5, 6}), c({1, 2, 3, 4});
    cusparseHandle_t handle = nullptr;
    cusparseSpMatDescr_t a_descr = nullptr;
    cusparseDnMatDescr_t b_descr = nullptr, c_descr = nullptr;
    expect(cusparseCreate(&handle));
    expect(cusparseCreateCsr(&a_descr, 2, 3, 3, offsets.data(), columns.data(), a.data(), CUSPARSE_INDEX_32I,
                             CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    expect(cusparseCreateDnMat(&b_descr, 3, 2, 2, b.data(), CUDA_R_32F, CUSPARSE_ORDER_ROW));
    expect(cusparseCreateDnMat(&c_descr, 2, 2, 2, c.data(), CUDA_R_32F, CUSPARSE_ORDER_ROW));
    constexpr auto n = CUSPARSE_OPERATION_NON_TRANSPOSE;
    cusparseSpMMOpPlan_t plan = nullptr;
    std::size_t size = 0;
    expect(cusparseSpMMOp_createPlan(handle, &plan, n, n, a_descr, b_descr, c_descr, CUDA_R_32F,
                                     CUSPARSE_SPMM_OP_ALG_DEFAULT, add.data(), add.size(), mul.data(),
                                     mul.size(), epilogue.data(), epilogue.size(), &size));
    const device_array<char> workspace(std::vector<char>(size + 1));
    expect(cusparseSpMMOp(plan, workspace.data()));
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(c.read() == std::vector<float>{7 - 1, 8 - 2, 33 - 3, 43 - 4});
    expect(cusparseSpMMOp_destroyPlan(plan));
    expect(cusparseDestroySpMat(a_descr));
    expect(cusparseDestroyDnMat(b_descr));
    expect(cusparseDestroyDnMat(c_descr));
    expect(cusparseDestroy(handle));
}

}  // namespace

TEST_CASE("SpMMOp links operators of either linkage") {
    skip_without_device();
    check("");
    check("extern \"C\"");
}

// Z := A X + 3 Y, times a variable of the epilogue's that differs for even and odd rows.
static void check_rows(const std::string& linkage) {
    const std::vector<char> code =
        lto_ir("struct factors { double even, odd; };\n__constant__ factors data;\n" + linkage +
               " __device__ double spmvop_epilogue(int row, double v) { return v * (row % 2 ? data.odd : "
               "data.even); }");
    const device_array<int> offsets({0, 2, 3}), columns({0, 2, 1});
    const device_array<double> a({1, 2, 3}), x({10, 20, 30}), y({1, 2}), z({0, 0});
    constexpr auto n = CUSPARSE_OPERATION_NON_TRANSPOSE;
    constexpr auto alg = CUSPARSE_SPMVOP_ALG_DEFAULT;
    cusparseHandle_t handle = nullptr;
    cusparseSpMatDescr_t a_descr = nullptr;
    cusparseDnVecDescr_t x_descr = nullptr, y_descr = nullptr, z_descr = nullptr;
    expect(cusparseCreate(&handle));
    expect(cusparseCreateCsr(&a_descr, 2, 3, 3, offsets.data(), columns.data(), a.data(), CUSPARSE_INDEX_32I,
                             CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    expect(cusparseCreateDnVec(&x_descr, 3, x.data(), CUDA_R_64F));
    expect(cusparseCreateDnVec(&y_descr, 2, y.data(), CUDA_R_64F));
    expect(cusparseCreateDnVec(&z_descr, 2, z.data(), CUDA_R_64F));
    std::size_t size = 0;
    expect(cusparseSpMVOp_bufferSize(handle, n, a_descr, x_descr, y_descr, z_descr, CUDA_R_64F, alg, &size));
    const device_array<char> buffer(std::vector<char>(size + 1));
    cusparseSpMVOpDescr_t descr = nullptr;
    expect(cusparseSpMVOp_createDescr(handle, &descr, n, a_descr, x_descr, y_descr, z_descr, CUDA_R_64F, alg,
                                      buffer.data()));
    // Two plans of one code have variables of their own.
    cusparseSpMVOpPlan_t plans[2] = {};
    const double one = 1, three = 3;
    for (int k = 0; k < 2; ++k) {
        double factors[2] = {2.0 + k, -1.0 - k};
        expect(cusparseSpMVOp_createPlan(handle, descr, &plans[k], code.data(), code.size()));
        CHECK(cusparseSpMVOp_setGlobalUserData(handle, plans[k], "nothing", factors, sizeof factors) ==
              CUSPARSE_STATUS_INVALID_VALUE);
        CHECK(cusparseSpMVOp_setGlobalUserData(handle, plans[k], "data", factors, 4) ==
              CUSPARSE_STATUS_INVALID_VALUE);
        expect(cusparseSpMVOp_setGlobalUserData(handle, plans[k], "data", factors, sizeof factors));
    }
    for (int k = 0; k < 2; ++k) {
        expect(cusparseSpMVOp(handle, plans[k], &one, &three, x_descr, y_descr, z_descr));
        REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
        CHECK(z.read() == std::vector<double>{73 * (2.0 + k), 66 * (-1.0 - k)});
        expect(cusparseSpMVOp_destroyPlan(plans[k]));
    }
    expect(cusparseSpMVOp_destroyDescr(descr));
    expect(cusparseDestroySpMat(a_descr));
    for (const auto v : {x_descr, y_descr, z_descr}) expect(cusparseDestroyDnVec(v));
    expect(cusparseDestroy(handle));
}

TEST_CASE("SpMVOp links an epilogue of either linkage, with variables") {
    skip_without_device();
    check_rows("");
    check_rows("extern \"C\"");
}
