// Operands and work past 2^31: elements stored, elements of dense matrices, products of a sparse product.
// HERON_TEST_SIZE_BITS [31] is the power of two to be past. A device whose free memory is short skips the
// case.
#include "rig.hpp"
#include <cstdlib>

using namespace heron::test;

namespace {

int64_t past() {
    const char* const bits = std::getenv("HERON_TEST_SIZE_BITS");
    return int64_t{1} << (bits ? std::atoi(bits) : 31);
}

// Device memory of any size, without canaries and copies on the host.
class large_array {
  public:
    explicit large_array(int64_t bytes, unsigned char filling = 0) {
        expect(heron_alloc(native(), static_cast<size_t>(bytes), HERON_MEMORY_DEVICE, &memory_));
        expect(heron_fill(native(), memory_, filling, static_cast<size_t>(bytes)));
    }
    ~large_array() { heron_free(native(), memory_); }
    large_array(const large_array&) = delete;
    large_array& operator=(const large_array&) = delete;

    void* get() const { return memory_; }
    template <class T>
    void write(int64_t at, const std::vector<T>& values) {
        expect(heron_copy(native(), static_cast<T*>(memory_) + at, values.data(), values.size() * sizeof(T)));
    }
    template <class T>
    std::vector<T> read(int64_t at, size_t count) const {
        std::vector<T> values(count);
        expect(heron_copy(native(), values.data(), static_cast<const T*>(memory_) + at, count * sizeof(T)));
        return values;
    }

  private:
    void* memory_ = nullptr;
};

bool has_memory(int64_t bytes) {
    heron_device_info info{};
    int device = 0;
    expect(heron_get_backend(native(), nullptr, &device));
    expect(heron_device_query(backend_name().c_str(), device, &info));
    const auto room = static_cast<int64_t>(info.memory_free ? info.memory_free : info.memory_bytes);
    if (room > bytes + bytes / 8) return true;
    WARN("skipped: " << bytes << " bytes of device memory are needed, " << room << " are free");
    return false;
}

constexpr float one = 1, zero = 0;
constexpr size_t last = 64;  // elements that are looked at from the end

}  // namespace

TEST_CASE("a CSR matrix with more elements stored than that") {
    constexpr int64_t length = 1 << 12;
    const int64_t rows = past() / length + 3, nnz = rows * length, cols = length;
    if (!has_memory(nnz * 8 + rows * 16)) return;
    std::vector<int64_t> starts;
    for (int64_t row = 0; row <= rows; ++row) starts.push_back(row * length);
    large_array offsets((rows + 1) * 8), columns(nnz * 4), values(nnz * 4);
    offsets.write(0, starts);
    // Zeros but for the ends of the first and the last row, whose elements are 1, 2, 3, ... in columns 0, 1,
    // 2, ...
    std::vector<int> index;
    std::vector<float> number;
    float sum = 0;
    for (size_t k = 0; k < last; ++k) {
        index.push_back(static_cast<int>(k));
        number.push_back(static_cast<float>(k + 1));
        sum += static_cast<float>((k + 1) * (k + 1));
    }
    for (const int64_t end : {length, nnz}) {
        columns.write(end - static_cast<int64_t>(last), index);
        values.write(end - static_cast<int64_t>(last), number);
    }
    std::vector<float> numbers = number;
    numbers.resize(cols);
    const device_array<float> x(numbers);
    large_array y(rows * 4, 0xff);

    cusparseSpMatDescr_t matrix = nullptr;
    cusparseDnVecDescr_t in = nullptr, out = nullptr;
    expect(cusparseCreateCsr(&matrix, rows, cols, nnz, offsets.get(), columns.get(), values.get(),
                             CUSPARSE_INDEX_64I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    expect(cusparseCreateDnVec(&in, cols, x.data(), CUDA_R_32F));
    expect(cusparseCreateDnVec(&out, rows, y.get(), CUDA_R_32F));
    const sparse_matrix owned_matrix(matrix);
    const dense_vector owned_in(in), owned_out(out);
    const auto call = [&](auto&& function) {
        expect(function(cusparse(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, in, &zero, out,
                        CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT));
    };
    size_t bytes = 0;
    call([&](auto... all) { return cusparseSpMV_bufferSize(all..., &bytes); });
    const large_array buffer(static_cast<int64_t>(bytes) + 1);
    for (const bool analysed : {false, true}) {
        if (analysed) call([&](auto... all) { return cusparseSpMV_preprocess(all..., buffer.get()); });
        call([&](auto... all) { return cusparseSpMV(all..., buffer.get()); });
        const std::vector<float> found = y.read<float>(0, static_cast<size_t>(rows));
        for (int64_t row = 0; row < rows; ++row)
            REQUIRE(found[static_cast<size_t>(row)] == (row == 0 || row == rows - 1 ? sum : 0));
    }
}

TEST_CASE("dense matrices with more elements than that") {
    // C := a b^T, by columns.
    const int64_t m = (int64_t{1} << 14) + 64, columns = past() / m + 2;
    if (!has_memory(m * columns * 4)) return;
    std::vector<float> a(static_cast<size_t>(m)), b(static_cast<size_t>(columns));
    for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 1000);
    for (size_t j = 0; j < b.size(); ++j) b[j] = static_cast<float>(j % 900) + 1;
    const device_array<float> left(a), right(b);
    const large_array c(m * columns * 4, 0xff);
    expect(heron_gemm(native(), HERON_R_32F, HERON_ORDER_COLUMN, HERON_OP_NONE, HERON_OP_TRANSPOSE, m,
                      columns, 1, &one, left.data(), m, right.data(), columns, &zero, c.get(), m,
                      HERON_GEMM_DEFAULT));
    for (const int64_t column : {int64_t{0}, columns / 2, columns - 1}) {
        const std::vector<float> found = c.read<float>(column * m, a.size());
        for (size_t i = 0; i < a.size(); ++i) REQUIRE(found[i] == a[i] * b[static_cast<size_t>(column)]);
    }
}

TEST_CASE("a sparse product of more products than that") {
    // All of A's rows are 0 to 255, all of B's are full: C is full, and each of its elements the sum of 256
    // ones.
    constexpr int64_t width = 256;
    const int64_t rows = past() / (width * width) + 3, nnz = rows * width;
    if (!has_memory(nnz * 8 * 4)) return;
    std::vector<int> starts, index;
    for (int64_t row = 0; row <= rows; ++row) starts.push_back(static_cast<int>(row * width));
    for (int64_t k = 0; k < std::max(rows, width) * width; ++k) index.push_back(static_cast<int>(k % width));
    std::vector<int> b_starts;
    for (int64_t row = 0; row <= width; ++row) b_starts.push_back(static_cast<int>(row * width));
    const device_array<int> offsets(starts), b_offsets(b_starts), columns(index),
        c_offsets(std::vector<int>(starts.size()));
    const device_array<float> values(std::vector<float>(index.size(), 1.0f));

    const auto csr = [&](int64_t size, int64_t stored, int* at, int* of, float* numbers) {
        cusparseSpMatDescr_t made = nullptr;
        expect(cusparseCreateCsr(&made, size, width, stored, at, of, numbers, CUSPARSE_INDEX_32I,
                                 CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
        return sparse_matrix(made);
    };
    const auto a = csr(rows, nnz, offsets.data(), columns.data(), values.data());
    const auto b = csr(width, width * width, b_offsets.data(), columns.data(), values.data());
    const auto c = csr(rows, 0, c_offsets.data(), nullptr, nullptr);
    cusparseSpGEMMDescr_t descr = nullptr;
    expect(cusparseSpGEMM_createDescr(&descr));
    const auto call = [&](auto&& function) {
        expect(function(cusparse(), CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one,
                        a.get(), b.get(), &zero, c.get(), CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT, descr));
    };
    size_t bytes = 0;
    call([&](auto... all) { return cusparseSpGEMM_workEstimation(all..., &bytes, nullptr); });
    const large_array estimate(static_cast<int64_t>(bytes) + 1);
    call([&](auto... all) { return cusparseSpGEMM_workEstimation(all..., &bytes, estimate.get()); });
    int64_t products = 0;
    expect(cusparseSpGEMM_getNumProducts(descr, &products));
    CHECK(products == rows * width * width);
    call([&](auto... all) { return cusparseSpGEMM_compute(all..., &bytes, nullptr); });
    const large_array work(static_cast<int64_t>(bytes) + 1);
    call([&](auto... all) { return cusparseSpGEMM_compute(all..., &bytes, work.get()); });
    int64_t c_rows = 0, c_cols = 0, c_nnz = 0;
    expect(cusparseSpMatGetSize(c.get(), &c_rows, &c_cols, &c_nnz));
    REQUIRE(c_nnz == nnz);
    const large_array c_columns(nnz * 4, 0xff), c_values(nnz * 4, 0xff);
    expect(cusparseCsrSetPointers(c.get(), c_offsets.data(), c_columns.get(), c_values.get()));
    call([&](auto... all) { return cusparseSpGEMM_copy(all...); });
    expect(cusparseSpGEMM_destroyDescr(descr));
    const std::vector<float> found = c_values.read<float>(0, static_cast<size_t>(nnz));
    const std::vector<int> found_columns = c_columns.read<int>(0, static_cast<size_t>(nnz));
    CHECK(c_offsets.download() == starts);
    for (size_t k = 0; k < found.size(); ++k) {
        REQUIRE(found[k] == width);
        REQUIRE(found_columns[k] == static_cast<int>(k % width));
    }
}
