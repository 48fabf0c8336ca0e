// Operations are captured in a CUDA graph and replayed after their inputs have changed: no call may allocate,
// wait for the device or look at a value while it is captured.
#include "cusparse_session.hpp"

namespace {

constexpr int size = 10000;

// Small whole numbers: every sum is exact in double precision.
std::vector<double> numbers(int seed, std::size_t count = size) {
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = static_cast<double>((i * 7 + static_cast<std::size_t>(seed) * 13) % 11) - 5;
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

// That matrix on the device.
class device_matrix {
  public:
    device_matrix() {
        expect(cusparseCreateCsr(&descriptor_, size, size, count(), offsets_.data(), columns_.data(),
                                 values.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                 CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    }
    ~device_matrix() { cusparseDestroySpMat(descriptor_); }
    device_matrix(const device_matrix&) = delete;
    device_matrix& operator=(const device_matrix&) = delete;

    cusparseSpMatDescr_t get() const { return descriptor_; }
    int64_t count() const { return static_cast<int64_t>(host_.columns.size()); }

  private:
    const tridiagonal host_;
    device_array<int> offsets_{host_.offsets};
    device_array<int> columns_{host_.columns};

  public:
    device_array<double> values{host_.values};

  private:
    cusparseSpMatDescr_t descriptor_ = nullptr;
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
        expect(cusparseCreateDnVec(&x_vector_, size, x.data(), CUDA_R_64F));
        expect(cusparseCreateDnVec(&y_vector_, size, y.data(), CUDA_R_64F));
        std::size_t bytes = 0;
        expect(cusparseSpMV_bufferSize(s.handle(), op, alpha, a_.get(), x_vector_, beta, y_vector_,
                                       CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
        expect(cudaMalloc(&buffer_, bytes + 1));
        if (preprocessed)
            expect(cusparseSpMV_preprocess(s.handle(), op, alpha, a_.get(), x_vector_, beta, y_vector_,
                                           CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, buffer_));
    }
    ~product() {
        cusparseDestroyDnVec(x_vector_);
        cusparseDestroyDnVec(y_vector_);
        cudaFree(buffer_);
    }
    product(const product&) = delete;
    product& operator=(const product&) = delete;

    void submit() const {
        expect(cusparseSpMV(session_.handle(), op_, alpha_, a_.get(), x_vector_, beta_, y_vector_, CUDA_R_64F,
                            CUSPARSE_SPMV_ALG_DEFAULT, buffer_));
    }

    device_array<double> x{size}, y{size};

  private:
    const session& session_;
    const cusparseOperation_t op_;
    const double* const alpha_;
    const double* const beta_;
    const device_matrix a_;
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

// With every input, what f submits gives the same output from a graph as directly.
void check_replay(const session& s, device_array<double>& input, std::size_t inputs,
                  device_array<double>& output, std::size_t outputs, const std::function<void()>& f) {
    const auto result_of = [&](int seed, const std::function<void()>& submit) {
        std::vector<double> start(outputs, 3.0);
        output = start;
        input = numbers(seed, inputs);
        submit();
        expect(cudaDeviceSynchronize());
        return output.read();
    };
    const cudaGraphExec_t graph = s.capture(f);
    const std::vector<double> first = result_of(1, f), second = result_of(2, f);
    CHECK(first != second);
    CHECK(result_of(1, [&] { s.replay(graph); }) == first);
    CHECK(result_of(2, [&] { s.replay(graph); }) == second);
    expect(cudaGraphExecDestroy(graph));
}

// A dense matrix of `columns` columns on the device.
struct dense_columns {
    explicit dense_columns(int64_t columns) : values(static_cast<std::size_t>(size * columns)) {
        expect(cusparseCreateDnMat(&descriptor, size, columns, columns, values.data(), CUDA_R_64F,
                                   CUSPARSE_ORDER_ROW));
    }
    ~dense_columns() { cusparseDestroyDnMat(descriptor); }
    dense_columns(const dense_columns&) = delete;
    dense_columns& operator=(const dense_columns&) = delete;

    device_array<double> values;
    cusparseDnMatDescr_t descriptor = nullptr;
};

constexpr auto N = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr auto f64 = CUDA_R_64F;
constexpr int64_t columns = 6;
constexpr std::size_t elements = static_cast<std::size_t>(size * columns);
const double one = 1;
const double two = 2;

}  // namespace

TEST_CASE("vector operations are replayed from a graph") {
    const session s;
    std::vector<int> places(size / 2);
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int>(2 * i + 1);
    device_array<int> indices(places);
    device_array<double> x(numbers(5, places.size()));
    device_array<double> y(numbers(6));
    cusparseSpVecDescr_t sparse = nullptr;
    cusparseDnVecDescr_t dense = nullptr;
    expect(cusparseCreateSpVec(&sparse, size, static_cast<int64_t>(places.size()), indices.data(), x.data(),
                               CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, f64));
    expect(cusparseCreateDnVec(&dense, size, y.data(), f64));
    check_replay(s, x, places.size(), y, size,
                 [&] { expect(cusparseAxpby(s.handle(), &two, sparse, &one, dense)); });
    check_replay(s, x, places.size(), y, size, [&] { expect(cusparseScatter(s.handle(), sparse, dense)); });
    check_replay(s, y, size, x, places.size(), [&] { expect(cusparseGather(s.handle(), dense, sparse)); });
    check_replay(s, y, size, x, places.size(),
                 [&] { expect(cusparseRot(s.handle(), &two, &one, sparse, dense)); });
    expect(cusparseDestroySpVec(sparse));
    expect(cusparseDestroyDnVec(dense));
}

TEST_CASE("SpMM is replayed from a graph") {
    const session s;
    const device_matrix a;
    dense_columns b(columns), c(columns);
    for (const auto op : {N, CUSPARSE_OPERATION_TRANSPOSE}) {
        std::size_t bytes = 0;
        expect(cusparseSpMM_bufferSize(s.handle(), op, N, &two, a.get(), b.descriptor, &one, c.descriptor,
                                       f64, CUSPARSE_SPMM_CSR_ALG3, &bytes));
        device_array<char> buffer(bytes);
        const auto submit = [&] {
            expect(cusparseSpMM(s.handle(), op, N, &two, a.get(), b.descriptor, &one, c.descriptor, f64,
                                CUSPARSE_SPMM_CSR_ALG3, buffer.data()));
        };
        check_replay(s, b.values, elements, c.values, elements, submit);
        expect(cusparseSpMM_preprocess(s.handle(), op, N, &two, a.get(), b.descriptor, &one, c.descriptor,
                                       f64, CUSPARSE_SPMM_CSR_ALG3, buffer.data()));
        check_replay(s, b.values, elements, c.values, elements, submit);
    }
}

TEST_CASE("SDDMM is replayed from a graph") {
    const session s;
    device_matrix c;
    dense_columns a(columns), b(columns);
    b.values = numbers(9, elements);
    const auto count = static_cast<std::size_t>(c.count());
    std::size_t bytes = 0;
    const auto transposed = CUSPARSE_OPERATION_TRANSPOSE;
    expect(cusparseSDDMM_bufferSize(s.handle(), N, transposed, &two, a.descriptor, b.descriptor, &one,
                                    c.get(), f64, CUSPARSE_SDDMM_ALG_DEFAULT, &bytes));
    device_array<char> buffer(bytes);
    check_replay(s, a.values, elements, c.values, count, [&] {
        expect(cusparseSDDMM(s.handle(), N, transposed, &two, a.descriptor, b.descriptor, &one, c.get(), f64,
                             CUSPARSE_SDDMM_ALG_DEFAULT, buffer.data()));
    });
}

TEST_CASE("triangular solves are replayed from a graph") {
    const session s;
    const device_matrix a;
    device_array<double> x(size), y(size);
    cusparseDnVecDescr_t x_vector = nullptr, y_vector = nullptr;
    expect(cusparseCreateDnVec(&x_vector, size, x.data(), f64));
    expect(cusparseCreateDnVec(&y_vector, size, y.data(), f64));
    cusparseSpSVDescr_t sv = nullptr;
    expect(cusparseSpSV_createDescr(&sv));
    std::size_t bytes = 0;
    expect(cusparseSpSV_bufferSize(s.handle(), N, &two, a.get(), x_vector, y_vector, f64,
                                   CUSPARSE_SPSV_ALG_DEFAULT, sv, &bytes));
    device_array<char> sv_buffer(bytes);
    expect(cusparseSpSV_analysis(s.handle(), N, &two, a.get(), x_vector, y_vector, f64,
                                 CUSPARSE_SPSV_ALG_DEFAULT, sv, sv_buffer.data()));
    check_replay(s, x, size, y, size, [&] {
        expect(cusparseSpSV_solve(s.handle(), N, &two, a.get(), x_vector, y_vector, f64,
                                  CUSPARSE_SPSV_ALG_DEFAULT, sv));
    });
    expect(cusparseSpSV_destroyDescr(sv));
    expect(cusparseDestroyDnVec(x_vector));
    expect(cusparseDestroyDnVec(y_vector));

    dense_columns b(columns), c(columns);
    cusparseSpSMDescr_t sm = nullptr;
    expect(cusparseSpSM_createDescr(&sm));
    expect(cusparseSpSM_bufferSize(s.handle(), N, N, &two, a.get(), b.descriptor, c.descriptor, f64,
                                   CUSPARSE_SPSM_ALG_DEFAULT, sm, &bytes));
    device_array<char> sm_buffer(bytes);
    expect(cusparseSpSM_analysis(s.handle(), N, N, &two, a.get(), b.descriptor, c.descriptor, f64,
                                 CUSPARSE_SPSM_ALG_DEFAULT, sm, sm_buffer.data()));
    check_replay(s, b.values, elements, c.values, elements, [&] {
        expect(cusparseSpSM_solve(s.handle(), N, N, &two, a.get(), b.descriptor, c.descriptor, f64,
                                  CUSPARSE_SPSM_ALG_DEFAULT, sm));
    });
    expect(cusparseSpSM_destroyDescr(sm));
}

TEST_CASE("the last phase of SpGEMMreuse is replayed from a graph") {
    const session s;
    device_matrix a;
    const device_matrix b;
    device_array<int> offsets(size + 1);
    cusparseSpMatDescr_t c = nullptr;
    expect(cusparseCreateCsr(&c, size, size, 0, offsets.data(), nullptr, nullptr, CUSPARSE_INDEX_32I,
                             CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, f64));
    cusparseSpGEMMDescr_t d = nullptr;
    expect(cusparseSpGEMM_createDescr(&d));
    constexpr auto alg = CUSPARSE_SPGEMM_CSR_ALG_DETERMINITIC;
    std::size_t bytes[5] = {};
    const auto estimate = [&](void* buffer) {
        expect(cusparseSpGEMMreuse_workEstimation(s.handle(), N, N, a.get(), b.get(), c, alg, d, &bytes[0],
                                                  buffer));
    };
    estimate(nullptr);
    device_array<char> buffer1(bytes[0]);
    estimate(buffer1.data());
    const auto count = [&](void* buffer2, void* buffer3, void* buffer4) {
        expect(cusparseSpGEMMreuse_nnz(s.handle(), N, N, a.get(), b.get(), c, alg, d, &bytes[1], buffer2,
                                       &bytes[2], buffer3, &bytes[3], buffer4));
    };
    count(nullptr, nullptr, nullptr);
    device_array<char> buffer2(bytes[1]), buffer3(bytes[2]), buffer4(bytes[3]);
    count(buffer2.data(), buffer3.data(), buffer4.data());
    int64_t rows = 0, cols = 0, nnz = 0;
    expect(cusparseSpMatGetSize(c, &rows, &cols, &nnz));
    device_array<int> c_columns(static_cast<std::size_t>(nnz));
    device_array<double> c_values(static_cast<std::size_t>(nnz));
    expect(cusparseCsrSetPointers(c, offsets.data(), c_columns.data(), c_values.data()));
    const auto copy = [&](void* buffer) {
        expect(cusparseSpGEMMreuse_copy(s.handle(), N, N, a.get(), b.get(), c, alg, d, &bytes[4], buffer));
    };
    copy(nullptr);
    device_array<char> buffer5(bytes[4]);
    copy(buffer5.data());
    check_replay(
        s, a.values, static_cast<std::size_t>(a.count()), c_values, static_cast<std::size_t>(nnz), [&] {
            expect(
                cusparseSpGEMMreuse_compute(s.handle(), N, N, &two, a.get(), b.get(), &one, c, f64, alg, d));
        });
    expect(cusparseSpGEMM_destroyDescr(d));
    expect(cusparseDestroySpMat(c));
}

TEST_CASE("conversions are replayed from a graph") {
    const session s;
    // 100 rows of the dense matrices are enough.
    constexpr int64_t rows = 100;
    constexpr auto cells = static_cast<std::size_t>(rows * columns);
    device_array<double> from(cells), values(cells), to(cells);
    device_array<int> offsets(rows + 1), indices(cells);
    cusparseDnMatDescr_t dense = nullptr, result = nullptr;
    cusparseSpMatDescr_t sparse = nullptr;
    expect(cusparseCreateDnMat(&dense, rows, columns, columns, from.data(), f64, CUSPARSE_ORDER_ROW));
    expect(cusparseCreateDnMat(&result, rows, columns, columns, to.data(), f64, CUSPARSE_ORDER_ROW));
    expect(cusparseCreateCsr(&sparse, rows, columns, 0, offsets.data(), nullptr, nullptr, CUSPARSE_INDEX_32I,
                             CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, f64));
    std::size_t bytes = 0;
    expect(cusparseDenseToSparse_bufferSize(s.handle(), dense, sparse, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT,
                                            &bytes));
    device_array<char> buffer(bytes);
    // A pattern without zeros; the values that are converted may then be any.
    from = std::vector<double>(cells, 1.0);
    expect(cusparseDenseToSparse_analysis(s.handle(), dense, sparse, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT,
                                          buffer.data()));
    expect(cusparseCsrSetPointers(sparse, offsets.data(), indices.data(), values.data()));
    expect(cusparseDenseToSparse_convert(s.handle(), dense, sparse, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT,
                                         buffer.data()));
    expect(cusparseSparseToDense_bufferSize(s.handle(), sparse, result, CUSPARSE_SPARSETODENSE_ALG_DEFAULT,
                                            &bytes));
    device_array<char> other_buffer(bytes);
    check_replay(s, values, cells, to, cells, [&] {
        expect(cusparseSparseToDense(s.handle(), sparse, result, CUSPARSE_SPARSETODENSE_ALG_DEFAULT,
                                     other_buffer.data()));
    });
    expect(cusparseDestroyDnMat(dense));
    expect(cusparseDestroyDnMat(result));
    expect(cusparseDestroySpMat(sparse));
}

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
