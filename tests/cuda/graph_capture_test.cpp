// SpMV and SpVV are captured in a CUDA graph and replayed after their inputs have changed: no call may
// allocate, wait for the device or look at a value while it is captured.
#include "catch.hpp"

#include <cuda_runtime_api.h>
#include <cusparse.h>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

namespace {

void expect(cudaError_t actual) {
    INFO(cudaGetErrorString(actual));
    REQUIRE(actual == cudaSuccess);
}
void expect(cusparseStatus_t actual) {
    INFO(cusparseGetErrorString(actual));
    REQUIRE(actual == CUSPARSE_STATUS_SUCCESS);
}

// Status 77 tells ctest that the test was skipped.
void skip_without_device() {
    int count = 0;
    if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0) return;
    std::puts("no CUDA device");
    std::exit(77);
}

template <class T>
class device_array {
  public:
    explicit device_array(std::size_t size) : size_(size) {
        expect(cudaMalloc(reinterpret_cast<void**>(&data_), (size + 1) * sizeof(T)));
    }
    explicit device_array(const std::vector<T>& values) : device_array(values.size()) { *this = values; }
    ~device_array() { cudaFree(data_); }
    device_array(const device_array&) = delete;

    device_array& operator=(const std::vector<T>& values) {
        expect(cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice));
        return *this;
    }
    std::vector<T> read() const {
        std::vector<T> values(size_);
        expect(cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost));
        return values;
    }
    T* data() const { return data_; }

  private:
    std::size_t size_;
    T* data_ = nullptr;
};

// A cuSPARSE handle on a stream of its own.
class session {
  public:
    session() {
        skip_without_device();
        expect(cudaStreamCreate(&stream_));
        expect(cusparseCreate(&handle_));
        expect(cusparseSetStream(handle_, stream_));
    }
    ~session() {
        cusparseDestroy(handle_);
        cudaStreamDestroy(stream_);
    }
    session(const session&) = delete;
    session& operator=(const session&) = delete;

    cusparseHandle_t handle() const { return handle_; }

    // Everything that f submits becomes a graph.
    cudaGraphExec_t capture(const std::function<void()>& f) const {
        expect(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
        f();
        cudaGraph_t graph = nullptr;
        expect(cudaStreamEndCapture(stream_, &graph));
        cudaGraphExec_t executable = nullptr;
        expect(cudaGraphInstantiate(&executable, graph, 0));
        expect(cudaGraphDestroy(graph));
        return executable;
    }
    void replay(cudaGraphExec_t graph) const {
        expect(cudaGraphLaunch(graph, stream_));
        expect(cudaStreamSynchronize(stream_));
    }

  private:
    cudaStream_t stream_ = nullptr;
    cusparseHandle_t handle_ = nullptr;
};

constexpr int size = 10000;

// Small whole numbers: every sum is exact in double precision.
std::vector<double> numbers(int seed) {
    std::vector<double> values(size);
    for (int i = 0; i < size; ++i) values[static_cast<std::size_t>(i)] = (i * 7 + seed * 13) % 11 - 5;
    return values;
}

// The matrix of the recurrence y[i] = 2x[i] - x[i-1] - 3x[i+1].
struct tridiagonal {
    std::vector<int> offsets{0}, columns;
    std::vector<double> values;

    tridiagonal() {
        for (int i = 0; i < size; ++i) {
            if (i > 0) add(i - 1, -1);
            add(i, 2);
            if (i < size - 1) add(i + 1, -3);
            offsets.push_back(static_cast<int>(columns.size()));
        }
    }
    void add(int column, double value) {
        columns.push_back(column);
        values.push_back(value);
    }
    static std::vector<double> times(const std::vector<double>& x, bool transposed) {
        const double below = transposed ? -3 : -1;
        const double above = transposed ? -1 : -3;
        std::vector<double> y(x.size());
        for (std::size_t i = 0; i < x.size(); ++i)
            y[i] = 2 * x[i] + (i > 0 ? below * x[i - 1] : 0) + (i + 1 < x.size() ? above * x[i + 1] : 0);
        return y;
    }
};

std::vector<double> combine(double alpha, const std::vector<double>& a, double beta,
                            const std::vector<double>& b) {
    std::vector<double> result(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) result[i] = alpha * a[i] + beta * b[i];
    return result;
}

// One SpMV with its descriptors and workspace.
class product {
  public:
    product(const session& s, cusparseOperation_t op, const double* alpha, const double* beta,
            bool preprocessed)
        : session_(s), op_(op), alpha_(alpha), beta_(beta) {
        expect(cusparseCreateCsr(&a_, size, size, static_cast<int64_t>(matrix_.columns.size()),
                                 offsets_.data(), columns_.data(), values_.data(), CUSPARSE_INDEX_32I,
                                 CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
        expect(cusparseCreateDnVec(&x_vector_, size, x.data(), CUDA_R_64F));
        expect(cusparseCreateDnVec(&y_vector_, size, y.data(), CUDA_R_64F));
        std::size_t bytes = 0;
        expect(cusparseSpMV_bufferSize(s.handle(), op, alpha, a_, x_vector_, beta, y_vector_, CUDA_R_64F,
                                       CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
        expect(cudaMalloc(&buffer_, bytes + 1));
        if (preprocessed)
            expect(cusparseSpMV_preprocess(s.handle(), op, alpha, a_, x_vector_, beta, y_vector_, CUDA_R_64F,
                                           CUSPARSE_SPMV_ALG_DEFAULT, buffer_));
    }
    ~product() {
        cusparseDestroySpMat(a_);
        cusparseDestroyDnVec(x_vector_);
        cusparseDestroyDnVec(y_vector_);
        cudaFree(buffer_);
    }
    product(const product&) = delete;
    product& operator=(const product&) = delete;

    void submit() const {
        expect(cusparseSpMV(session_.handle(), op_, alpha_, a_, x_vector_, beta_, y_vector_, CUDA_R_64F,
                            CUSPARSE_SPMV_ALG_DEFAULT, buffer_));
    }

    device_array<double> x{size}, y{size};

  private:
    const session& session_;
    const cusparseOperation_t op_;
    const double* const alpha_;
    const double* const beta_;
    const tridiagonal matrix_;
    device_array<int> offsets_{matrix_.offsets};
    device_array<int> columns_{matrix_.columns};
    device_array<double> values_{matrix_.values};
    cusparseSpMatDescr_t a_ = nullptr;
    cusparseDnVecDescr_t x_vector_ = nullptr;
    cusparseDnVecDescr_t y_vector_ = nullptr;
    void* buffer_ = nullptr;
};

void check_spmv_in_graph(cusparseOperation_t op, bool preprocessed) {
    const session s;
    const bool transposed = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
    // The host scalars may change after the call has returned.
    double alpha = 2;
    double beta = 3;
    product p(s, op, &alpha, &beta, preprocessed);
    const cudaGraphExec_t graph = s.capture([&] { p.submit(); });
    alpha = beta = -100;
    for (int round = 0; round < 3; ++round) {
        const auto x = numbers(round);
        const auto y = numbers(round + 50);
        p.x = x;
        p.y = y;
        s.replay(graph);
        CHECK(p.y.read() == combine(2, tridiagonal::times(x, transposed), 3, y));
    }
    expect(cudaGraphExecDestroy(graph));
}

void check_spmv_with_device_scalars(cusparseOperation_t op) {
    const session s;
    const bool transposed = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
    device_array<double> scalars(2);
    expect(cusparseSetPointerMode(s.handle(), CUSPARSE_POINTER_MODE_DEVICE));
    product p(s, op, scalars.data(), scalars.data() + 1, false);
    const cudaGraphExec_t graph = s.capture([&] { p.submit(); });
    for (const double factor : {1.0, -2.0, 0.0}) {
        const auto x = numbers(3);
        const auto y = numbers(4);
        p.x = x;
        p.y = y;
        scalars = {factor + 1, factor};
        s.replay(graph);
        CHECK(p.y.read() == combine(factor + 1, tridiagonal::times(x, transposed), factor, y));
    }
    expect(cudaGraphExecDestroy(graph));
}

// x has every second place of y.
void check_spvv_in_graph(cusparsePointerMode_t mode) {
    const session s;
    expect(cusparseSetPointerMode(s.handle(), mode));
    std::vector<int> places(size / 2);
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int>(2 * i);
    device_array<int> indices(places);
    device_array<double> x(places.size());
    device_array<double> y(size);
    device_array<double> on_device(1);
    double on_host = -1;
    double* const result = mode == CUSPARSE_POINTER_MODE_DEVICE ? on_device.data() : &on_host;

    cusparseSpVecDescr_t x_vector = nullptr;
    cusparseDnVecDescr_t y_vector = nullptr;
    expect(cusparseCreateSpVec(&x_vector, size, static_cast<int64_t>(places.size()), indices.data(), x.data(),
                               CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    expect(cusparseCreateDnVec(&y_vector, size, y.data(), CUDA_R_64F));
    std::size_t bytes = 0;
    expect(cusparseSpVV_bufferSize(s.handle(), CUSPARSE_OPERATION_NON_TRANSPOSE, x_vector, y_vector, result,
                                   CUDA_R_64F, &bytes));
    device_array<char> buffer(bytes);
    const cudaGraphExec_t graph = s.capture([&] {
        expect(cusparseSpVV(s.handle(), CUSPARSE_OPERATION_NON_TRANSPOSE, x_vector, y_vector, result,
                            CUDA_R_64F, buffer.data()));
    });
    for (int round = 0; round < 3; ++round) {
        auto x_values = numbers(round);
        x_values.resize(places.size());
        const auto y_values = numbers(round + 20);
        x = x_values;
        y = y_values;
        s.replay(graph);
        double expected = 0;
        for (std::size_t i = 0; i < places.size(); ++i) expected += x_values[i] * y_values[2 * i];
        CHECK((mode == CUSPARSE_POINTER_MODE_DEVICE ? on_device.read()[0] : on_host) == expected);
    }
    expect(cudaGraphExecDestroy(graph));
    expect(cusparseDestroySpVec(x_vector));
    expect(cusparseDestroyDnVec(y_vector));
}

}  // namespace

TEST_CASE("SpMV is replayed from a graph with other vectors") {
    check_spmv_in_graph(CUSPARSE_OPERATION_NON_TRANSPOSE, false);
    check_spmv_in_graph(CUSPARSE_OPERATION_NON_TRANSPOSE, true);
    check_spmv_in_graph(CUSPARSE_OPERATION_TRANSPOSE, false);
    check_spmv_in_graph(CUSPARSE_OPERATION_TRANSPOSE, true);
}

TEST_CASE("SpMV is replayed from a graph with other scalars on the device") {
    check_spmv_with_device_scalars(CUSPARSE_OPERATION_NON_TRANSPOSE);
    check_spmv_with_device_scalars(CUSPARSE_OPERATION_TRANSPOSE);
}

TEST_CASE("SpVV is replayed from a graph with its result on the host") {
    check_spvv_in_graph(CUSPARSE_POINTER_MODE_HOST);
}

TEST_CASE("SpVV is replayed from a graph with its result on the device") {
    check_spvv_in_graph(CUSPARSE_POINTER_MODE_DEVICE);
}
