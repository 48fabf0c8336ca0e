// Handles, descriptors and analyses by the thousand, all alive at once.
#include "rig.hpp"

using namespace heron::test;

namespace {

constexpr cusparseStatus_t ok = CUSPARSE_STATUS_SUCCESS;

// A CSR matrix of diagonal elements, in memory that others share.
struct diagonal {
    diagonal(int n, const device_array<int>& offsets, const device_array<int>& columns,
             const device_array<float>& values) {
        cusparseSpMatDescr_t made = nullptr;
        expect(cusparseCreateCsr(&made, n, n, n, offsets.data(), columns.data(), values.data(),
                                 CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                 CUDA_R_32F));
        descr.reset(made);
    }
    sparse_matrix descr;
};

dense_vector vector_of(float* values, int n) {
    cusparseDnVecDescr_t made = nullptr;
    expect(cusparseCreateDnVec(&made, n, values, CUDA_R_32F));
    return dense_vector(made);
}

std::vector<int> counted(int count) {
    std::vector<int> numbers;
    for (int k = 0; k < count; ++k) numbers.push_back(k);
    return numbers;
}

constexpr int n = 8;
const std::vector<float> factors{1, 2, 3, 4, 5, 6, 7, 8};
constexpr float one = 1, zero = 0;

}  // namespace

TEST_CASE("a thousand handles, each of which computes") {
    constexpr int count = 1000;
    const device_array<int> offsets(counted(n + 1)), columns(counted(n));
    const device_array<float> values(factors), x(factors);
    const diagonal a(n, offsets, columns, values);
    const auto x_descr = vector_of(x.data(), n);
    std::vector<cusparseHandle_t> handles(count);
    for (cusparseHandle_t& handle : handles) REQUIRE(cusparseCreate(&handle) == ok);
    const device_array<float> results(std::vector<float>(static_cast<size_t>(count * n), -1));
    const auto with = [&](int k, auto&& call) {
        const auto y = vector_of(results.data() + k * n, n);
        call(handles[static_cast<size_t>(k)], CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a.descr.get(),
             x_descr.get(), &zero, y.get(), CUDA_R_32F, CUSPARSE_SPMV_CSR_ALG1);
    };
    size_t bytes = 0;
    with(0, [&](auto... all) { REQUIRE(cusparseSpMV_bufferSize(all..., &bytes) == ok); });
    // All are on one stream, so that they may share it.
    const workspace buffer(bytes);
    for (int k = 0; k < count; ++k)
        with(k, [&](auto... all) { REQUIRE(cusparseSpMV(all..., buffer.data()) == ok); });
    // From the last to the first, as they were not made.
    for (int k = count; k-- > 0;) REQUIRE(cusparseDestroy(handles[static_cast<size_t>(k)]) == ok);
    expect(heron_synchronize(native()));
    const std::vector<float> found = results.download();
    for (size_t k = 0; k < found.size(); ++k) REQUIRE(found[k] == factors[k % n] * factors[k % n]);
}

TEST_CASE("a hundred thousand descriptors, each with a size of its own") {
    constexpr int count = 100000;
    float value = 0;
    std::vector<dense_vector> vectors;
    for (int k = 0; k < count; ++k) vectors.push_back(vector_of(&value, k));
    // Every second one goes, and others come in their places.
    for (int k = 0; k < count; k += 2) vectors[static_cast<size_t>(k)] = vector_of(&value, count + k);
    for (int k = 0; k < count; ++k) {
        int64_t size = 0;
        void* values = nullptr;
        cudaDataType type{};
        REQUIRE(cusparseDnVecGet(vectors[static_cast<size_t>(k)].get(), &size, &values, &type) == ok);
        REQUIRE(size == (k % 2 == 0 ? count + k : k));
    }
}

TEST_CASE("ten thousand matrices, each analysed with a workspace of its own") {
    // Where each of them is launches on a device, a tenth: it is the same for the library.
    const int count = backend_name() == "opencl" ? 1000 : 10000;
    const device_array<int> offsets(counted(n + 1)), columns(counted(n));
    const device_array<float> values(factors), x(factors);
    const device_array<float> results(std::vector<float>(static_cast<size_t>(count * n), -1));
    const auto x_descr = vector_of(x.data(), n);
    std::vector<diagonal> matrices;
    for (int k = 0; k < count; ++k) matrices.emplace_back(n, offsets, columns, values);

    const auto with = [&](int k, auto&& call) {
        const auto y = vector_of(results.data() + k * n, n);
        call(cusparse(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrices[static_cast<size_t>(k)].descr.get(),
             x_descr.get(), &zero, y.get(), CUDA_R_32F, CUSPARSE_SPMV_CSR_ALG1);
    };
    size_t bytes = 0;
    with(0, [&](auto... all) { REQUIRE(cusparseSpMV_bufferSize(all..., &bytes) == ok); });
    // Workspaces of one allocation.
    const size_t step = (bytes + 256) / 256 * 256;
    const workspace buffers(step * static_cast<size_t>(count));
    const auto buffer = [&](int k) {
        return static_cast<char*>(buffers.data()) + step * static_cast<size_t>(k);
    };
    for (int k = 0; k < count; ++k)
        with(k, [&](auto... all) { REQUIRE(cusparseSpMV_preprocess(all..., buffer(k)) == ok); });
    for (int k = 0; k < count; ++k)
        with(k, [&](auto... all) { REQUIRE(cusparseSpMV(all..., buffer(k)) == ok); });
    expect(heron_synchronize(native()));
    const std::vector<float> found = results.download();
    for (size_t k = 0; k < found.size(); ++k) REQUIRE(found[k] == factors[k % n] * factors[k % n]);
}

TEST_CASE("one matrix analysed with a thousand workspaces, of which it remembers the latest") {
    constexpr int count = 1000;
    const device_array<int> offsets(counted(n + 1)), columns(counted(n));
    const device_array<float> values(factors), x(factors), result(std::vector<float>(n, -1));
    const diagonal a(n, offsets, columns, values);
    const auto x_descr = vector_of(x.data(), n), y = vector_of(result.data(), n);
    const auto call = [&](auto&& function) {
        return function(cusparse(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a.descr.get(), x_descr.get(),
                        &zero, y.get(), CUDA_R_32F, CUSPARSE_SPMV_CSR_ALG1);
    };
    size_t bytes = 0;
    REQUIRE(call([&](auto... all) { return cusparseSpMV_bufferSize(all..., &bytes); }) == ok);
    const size_t step = (bytes + 256) / 256 * 256;
    const workspace buffers(step * count);
    const auto buffer = [&](size_t k) { return static_cast<char*>(buffers.data()) + step * k; };
    for (size_t k = 0; k < count; ++k)
        REQUIRE(call([&](auto... all) { return cusparseSpMV_preprocess(all..., buffer(k)); }) == ok);
    // A workspace that it has forgotten is as good as one without an analysis.
    for (const size_t k : {size_t{0}, size_t{count - 1}}) {
        REQUIRE(call([&](auto... all) { return cusparseSpMV(all..., buffer(k)); }) == ok);
        expect(heron_synchronize(native()));
        const std::vector<float> found = result.download();
        for (size_t i = 0; i < n; ++i) REQUIRE(found[i] == factors[i] * factors[i]);
    }
}
