// Handles and descriptors in several threads at once. The tsan preset runs this to find data races.
#define DISABLE_CUSPARSE_DEPRECATED
#include "catch.hpp"
#include "skip_without_backend.hpp"
#include <cusparse.h>
#include <heron/heron.h>
#include <atomic>
#include <barrier>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

namespace {

[[maybe_unused]] const bool backend_works = (heron::test::skip_without_backend(), true);

constexpr cusparseStatus_t ok = CUSPARSE_STATUS_SUCCESS;
constexpr int thread_count = 2;
constexpr int repetitions = 50;

// Catch2's assertions are for one thread: workers only count what fails.
std::atomic<int> failures;
void expect(bool condition) {
    if (!condition) failures += 1;
}

// Runs work(thread) in several threads that start together.
template <class Work>
void in_threads(Work&& work) {
    failures = 0;
    std::barrier start(thread_count);
    std::vector<std::thread> threads;
    for (int t = 0; t < thread_count; ++t)
        threads.emplace_back([&, t] {
            start.arrive_and_wait();
            work(t);
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(failures == 0);
}

// Memory of the backend under test, filled from the host.
template <class T>
class device_array {
  public:
    device_array(heron_handle h, const std::vector<T>& values) : handle_(h), size_(values.size()) {
        expect(heron_alloc(h, size_ * sizeof(T), HERON_MEMORY_DEVICE, &memory_) == HERON_SUCCESS);
        expect(heron_copy(h, memory_, values.data(), size_ * sizeof(T)) == HERON_SUCCESS);
    }
    ~device_array() { heron_free(handle_, memory_); }
    device_array(const device_array&) = delete;
    device_array& operator=(const device_array&) = delete;
    void* get() const { return memory_; }
    std::vector<T> read() const {
        std::vector<T> values(size_);
        expect(heron_copy(handle_, values.data(), memory_, size_ * sizeof(T)) == HERON_SUCCESS);
        return values;
    }

  private:
    heron_handle handle_;
    size_t size_;
    void* memory_ = nullptr;
};

// The bidiagonal matrix with 2 on the diagonal and -1 beside it, and a vector of ones. Native handles for
// memory are per object, so that a test decides itself which cuSPARSE handle is shared.
class problem {
  public:
    explicit problem(int n)
        : n_(n),
          offsets_(memory_, make_offsets(n)),
          columns_(memory_, make_columns(n)),
          values_(memory_, make_values(n)),
          x_(memory_, std::vector<double>(static_cast<size_t>(n), 1.0)),
          y_(memory_, std::vector<double>(static_cast<size_t>(n), 7.0)) {
        expect(cusparseCreateCsr(&a_, n, n, 2 * n - 1, offsets_.get(), columns_.get(), values_.get(),
                                 CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                 CUDA_R_64F) == ok);
        expect(cusparseCreateDnVec(&x_descr_, n, x_.get(), CUDA_R_64F) == ok);
        expect(cusparseCreateDnVec(&y_descr_, n, y_.get(), CUDA_R_64F) == ok);
    }
    ~problem() {
        cusparseDestroyDnVec(y_descr_);
        cusparseDestroyDnVec(x_descr_);
        cusparseDestroySpMat(a_);
    }
    problem(const problem&) = delete;
    problem& operator=(const problem&) = delete;

    // y := A*x with matrix a, which may be another problem's of the same size.
    void multiply(cusparseHandle_t h, cusparseSpMatDescr_t a, cusparseOperation_t op) {
        const double one = 1, zero = 0;
        size_t bytes = 0;
        expect(cusparseSpMV_bufferSize(h, op, &one, a, x_descr_, &zero, y_descr_, CUDA_R_64F,
                                       CUSPARSE_SPMV_ALG_DEFAULT, &bytes) == ok);
        const device_array<char> buffer(memory_, std::vector<char>(bytes + 1));
        expect(cusparseSpMV_preprocess(h, op, &one, a, x_descr_, &zero, y_descr_, CUDA_R_64F,
                                       CUSPARSE_SPMV_ALG_DEFAULT, buffer.get()) == ok);
        for (int i = 0; i < 3; ++i)
            expect(cusparseSpMV(h, op, &one, a, x_descr_, &zero, y_descr_, CUDA_R_64F,
                                CUSPARSE_SPMV_ALG_DEFAULT, buffer.get()) == ok);
        check_result(h, op);
    }

    cusparseSpMatDescr_t matrix() const { return a_; }

  private:
    struct memory_handle {
        memory_handle() { expect(heron_create(&h) == HERON_SUCCESS); }
        ~memory_handle() { heron_destroy(h); }
        operator heron_handle() const { return h; }
        heron_handle h = nullptr;
    };

    static std::vector<int> make_offsets(int n) {
        std::vector<int> offsets{0};
        for (int row = 0; row < n; ++row) offsets.push_back(offsets.back() + (row + 1 < n ? 2 : 1));
        return offsets;
    }
    static std::vector<int> make_columns(int n) {
        std::vector<int> columns;
        for (int row = 0; row < n; ++row) {
            columns.push_back(row);
            if (row + 1 < n) columns.push_back(row + 1);
        }
        return columns;
    }
    static std::vector<double> make_values(int n) {
        std::vector<double> values;
        for (int row = 0; row < n; ++row) {
            values.push_back(2);
            if (row + 1 < n) values.push_back(-1);
        }
        return values;
    }

    void check_result(cusparseHandle_t, cusparseOperation_t op) {
        const std::vector<double> y = y_.read();
        const int lone = op == CUSPARSE_OPERATION_NON_TRANSPOSE ? n_ - 1 : 0;
        for (int i = 0; i < n_; ++i) expect(y[static_cast<size_t>(i)] == (i == lone ? 2 : 1));
    }

    int n_;
    memory_handle memory_;
    device_array<int> offsets_, columns_;
    device_array<double> values_, x_, y_;
    cusparseSpMatDescr_t a_ = nullptr;
    cusparseDnVecDescr_t x_descr_ = nullptr, y_descr_ = nullptr;
};

// A lower triangular matrix with 2 on the diagonal and -1 beside it, but for every 100th row: groups of rows
// that can be solved at the same time. The analysis is one for all threads.
class grouped_solve {
  public:
    static constexpr int n = 20000, group = 100;

    grouped_solve(cusparseHandle_t h, int sides) : sides_(sides) {
        expect(heron_create(&memory_) == HERON_SUCCESS);
        std::vector<int> offsets{0}, columns;
        std::vector<double> values;
        for (int row = 0; row < n; ++row) {
            if (row % group != 0) {
                columns.push_back(row - 1);
                values.push_back(-1);
            }
            columns.push_back(row);
            values.push_back(2);
            offsets.push_back(static_cast<int>(columns.size()));
        }
        offsets_ = std::make_unique<device_array<int>>(memory_, offsets);
        columns_ = std::make_unique<device_array<int>>(memory_, columns);
        values_ = std::make_unique<device_array<double>>(memory_, values);
        expect(cusparseCreateCsr(&a_, n, n, offsets.back(), offsets_->get(), columns_->get(), values_->get(),
                                 CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                 CUDA_R_64F) == ok);
        expect(cusparseSpSM_createDescr(&descr_) == ok);
        size_t bytes = 0;
        const cusparseDnMatDescr_t shape = matrix(nullptr);
        expect(cusparseSpSM_bufferSize(h, op, op, &one, a_, shape, shape, CUDA_R_64F,
                                       CUSPARSE_SPSM_ALG_DEFAULT, descr_, &bytes) == ok);
        workspace_ = std::make_unique<device_array<char>>(memory_, std::vector<char>(bytes));
        expect(cusparseSpSM_analysis(h, op, op, &one, a_, shape, shape, CUDA_R_64F, CUSPARSE_SPSM_ALG_DEFAULT,
                                     descr_, workspace_->get()) == ok);
        cusparseDestroyDnMat(shape);
    }
    ~grouped_solve() {
        cusparseSpSM_destroyDescr(descr_);
        cusparseDestroySpMat(a_);
        workspace_.reset();
        values_.reset();
        columns_.reset();
        offsets_.reset();
        heron_destroy(memory_);
    }
    grouped_solve(const grouped_solve&) = delete;
    grouped_solve& operator=(const grouped_solve&) = delete;

    // The right-hand sides of solutions of ones, and of twos, ..., in memory of this thread's.
    void solve(cusparseHandle_t h, int times) const {
        heron_handle own = nullptr;
        expect(heron_create(&own) == HERON_SUCCESS);
        {
            std::vector<double> right;
            for (int k = 0; k < n * sides_; ++k) right.push_back(k % group == 0 ? 2 : 1);
            const device_array<double> b(own, right), c(own, std::vector<double>(right.size()));
            const cusparseDnMatDescr_t b_descr = matrix(b.get()), c_descr = matrix(c.get());
            for (int i = 1; i <= times; ++i) {
                const double alpha = i;
                expect(cusparseSpSM_solve(h, op, op, &alpha, a_, b_descr, c_descr, CUDA_R_64F,
                                          CUSPARSE_SPSM_ALG_DEFAULT, descr_) == ok);
                expect(c.read() == std::vector<double>(right.size(), i));
            }
            cusparseDestroyDnMat(c_descr);
            cusparseDestroyDnMat(b_descr);
        }
        heron_destroy(own);
    }

  private:
    static constexpr cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    static constexpr double one = 1;

    // Columns of n, each a multiple of the group.
    cusparseDnMatDescr_t matrix(void* values) const {
        cusparseDnMatDescr_t m = nullptr;
        expect(cusparseCreateDnMat(&m, n, sides_, n, values, CUDA_R_64F, CUSPARSE_ORDER_COL) == ok);
        return m;
    }

    int sides_;
    heron_handle memory_ = nullptr;
    std::unique_ptr<device_array<int>> offsets_, columns_;
    std::unique_ptr<device_array<double>> values_;
    std::unique_ptr<device_array<char>> workspace_;
    cusparseSpMatDescr_t a_ = nullptr;
    cusparseSpSMDescr_t descr_ = nullptr;
};

constexpr cusparseOperation_t operations[] = {CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE};

}  // namespace

// First, so that the library's own first use is concurrent too.
TEST_CASE("handles are created and destroyed concurrently") {
    in_threads([](int) {
        for (int i = 0; i < repetitions; ++i) {
            cusparseHandle_t h = nullptr;
            expect(cusparseCreate(&h) == ok);
            int version = 0;
            expect(cusparseGetVersion(h, &version) == ok);
            expect(version == CUSPARSE_VERSION);
            expect(cusparseDestroy(h) == ok);
        }
    });
}

TEST_CASE("descriptors are created and destroyed concurrently") {
    in_threads([](int) {
        for (int i = 0; i < repetitions; ++i) problem p(8);
    });
}

TEST_CASE("two threads with a handle each") {
    in_threads([](int thread) {
        cusparseHandle_t h = nullptr;
        expect(cusparseCreate(&h) == ok);
        problem p(100 + thread);
        for (int i = 0; i < repetitions; ++i) p.multiply(h, p.matrix(), operations[i % 2]);
        expect(cusparseDestroy(h) == ok);
    });
}

TEST_CASE("two threads with one handle") {
    cusparseHandle_t h = nullptr;
    REQUIRE(cusparseCreate(&h) == ok);
    in_threads([&](int thread) {
        problem p(100 + thread);
        for (int i = 0; i < repetitions; ++i) p.multiply(h, p.matrix(), operations[i % 2]);
    });
    REQUIRE(cusparseDestroy(h) == ok);
}

TEST_CASE("two threads with one matrix, whose analyses belong to each thread's workspace") {
    cusparseHandle_t h = nullptr;
    REQUIRE(cusparseCreate(&h) == ok);
    const problem shared(64);
    in_threads([&](int) {
        problem own(64);
        for (int i = 0; i < repetitions; ++i) own.multiply(h, shared.matrix(), operations[i % 2]);
    });
    REQUIRE(cusparseDestroy(h) == ok);
}

TEST_CASE("two threads with one analysis of a triangular solve, on one stream") {
    cusparseHandle_t h = nullptr;
    REQUIRE(cusparseCreate(&h) == ok);
    for (const int sides : {1, 8}) {
        const grouped_solve shared(h, sides);
        in_threads([&](int) {
            cusparseHandle_t own = nullptr;
            expect(cusparseCreate(&own) == ok);
            shared.solve(own, repetitions);
            expect(cusparseDestroy(own) == ok);
        });
    }
    REQUIRE(cusparseDestroy(h) == ok);
}

TEST_CASE("one handle's state is set and read concurrently") {
    cusparseHandle_t h = nullptr;
    REQUIRE(cusparseCreate(&h) == ok);
    in_threads([&](int thread) {
        for (int i = 0; i < repetitions; ++i) {
            cusparsePointerMode_t mode = CUSPARSE_POINTER_MODE_HOST;
            cudaStream_t stream = nullptr;
            if (thread == 0) {
                expect(cusparseSetPointerMode(h, CUSPARSE_POINTER_MODE_DEVICE) == ok);
                expect(cusparseSetStream(h, nullptr) == ok);
            }
            expect(cusparseGetPointerMode(h, &mode) == ok);
            expect(cusparseGetStream(h, &stream) == ok);
        }
    });
    REQUIRE(cusparseDestroy(h) == ok);
}

namespace {
std::atomic<int> lines;
void count_line(int, const char*, const char*) { lines += 1; }
}  // namespace

TEST_CASE("two threads log at once") {
    REQUIRE(heron_log_open_file("/dev/null") == HERON_SUCCESS);
    REQUIRE(heron_log_set_mask(1) == HERON_SUCCESS);
    REQUIRE(heron_log_set_callback(count_line) == HERON_SUCCESS);
    in_threads([](int thread) {
        for (int i = 0; i < repetitions; ++i) {
            if (thread == 0) expect(heron_log_set_mask(1) == HERON_SUCCESS);
            expect(cusparseGetVersion(nullptr, nullptr) == CUSPARSE_STATUS_INVALID_VALUE);
        }
    });
    CHECK(lines == thread_count * repetitions);
    REQUIRE(heron_log_set_callback(nullptr) == HERON_SUCCESS);
    REQUIRE(heron_log_set_mask(0) == HERON_SUCCESS);
}
