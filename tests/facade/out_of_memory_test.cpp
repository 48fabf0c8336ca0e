// Host memory that runs out at any point of a call: the call answers ALLOC_FAILED, nothing is thrown, nothing
// ends the process, and the next call works.
#include "facade/cusparse/facade.hpp"
#include "failing_allocations.hpp"
#include "skip_without_backend.hpp"
#include <cstring>
#include <numeric>

using namespace heron::test;

namespace {

// What a call may answer whose allocations fail. A failure inside a driver may leave a call that works.
void check_answer(heron_status status, bool has_failed) {
    if (has_failed)
        CHECK((status == HERON_ALLOC_FAILED || status == HERON_SUCCESS));
    else
        CHECK(status == HERON_SUCCESS);
}
void check_answer(cusparseStatus_t status, bool has_failed) {
    check_answer(static_cast<heron_status>(status), has_failed);
}

class shared_handle {
  public:
    shared_handle() {
        skip_without_backend();
        skip_unless_counted([&] { REQUIRE(heron_create(&handle_) == HERON_SUCCESS); });
    }
    ~shared_handle() { heron_destroy(handle_); }
    shared_handle(const shared_handle&) = delete;
    shared_handle& operator=(const shared_handle&) = delete;
    operator heron_handle() const { return handle_; }

    template <class T>
    T* upload(const std::vector<T>& values) const {
        void* memory = nullptr;
        REQUIRE(heron_alloc(handle_, values.size() * sizeof(T), HERON_MEMORY_DEVICE, &memory) ==
                HERON_SUCCESS);
        REQUIRE(heron_copy(handle_, memory, values.data(), values.size() * sizeof(T)) == HERON_SUCCESS);
        return static_cast<T*>(memory);
    }

  private:
    heron_handle handle_ = nullptr;
};

}  // namespace

TEST_CASE("device memory is allocated while host memory runs out") {
    const shared_handle h;
    int failed = 0;
    void* memory = nullptr;
    fail_every_allocation([&] { return heron_alloc(h, 1000, HERON_MEMORY_DEVICE, &memory); },
                          [&](heron_status status, bool has_failed) {
                              check_answer(status, has_failed);
                              CHECK((status == HERON_SUCCESS) == (memory != nullptr));
                              failed += status != HERON_SUCCESS;
                              CHECK(heron_free(h, memory) == HERON_SUCCESS);
                              memory = nullptr;
                          });
    // The plug-in keeps a list of its memory.
    CHECK(failed > 0);
}

TEST_CASE("handles, streams and events are made while host memory runs out") {
    const shared_handle h;
    const auto check = [](heron_status status, bool has_failed) { check_answer(status, has_failed); };
    fail_every_allocation(
        [&] {
            heron_handle made = nullptr;
            const heron_status status = heron_create(&made);
            if (made) heron_destroy(made);
            return status;
        },
        check);
    fail_every_allocation(
        [&] {
            void* stream = nullptr;
            const heron_status status = heron_stream_create(h, &stream);
            if (stream) heron_stream_destroy(h, stream);
            return status;
        },
        check);
    fail_every_allocation(
        [&] {
            void* event = nullptr;
            const heron_status status = heron_event_create(h, &event);
            if (event) heron_event_destroy(h, event);
            return status;
        },
        check);
}

TEST_CASE("a product and its preparation while host memory runs out") {
    const shared_handle h;
    const handle facade(cusparseCreate);
    constexpr int n = 300;
    std::vector<int> offsets(n + 1), columns(n);
    std::iota(offsets.begin(), offsets.end(), 0);
    std::iota(columns.begin(), columns.end(), 0);
    auto* const y_values = h.upload(std::vector<double>(n, 5.0));
    const sparse_matrix a(cusparseCreateCsr, n, n, n, h.upload(offsets), h.upload(columns),
                          h.upload(std::vector<double>(n, 2.0)), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
    const dense_vector x(cusparseCreateDnVec, n, h.upload(std::vector<double>(n, 3.0)), CUDA_R_64F);
    const dense_vector y(cusparseCreateDnVec, n, y_values, CUDA_R_64F);
    const double one = 1, zero = 0;
    for (const cusparseOperation_t op : {CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE}) {
        size_t bytes = 0;
        REQUIRE(cusparseSpMV_bufferSize(facade, op, &one, a, x, &zero, y, CUDA_R_64F,
                                        CUSPARSE_SPMV_ALG_DEFAULT, &bytes) == ok);
        void* const workspace = h.upload(std::vector<char>(bytes));
        const auto preprocess = [&] {
            return cusparseSpMV_preprocess(facade, op, &one, a, x, &zero, y, CUDA_R_64F,
                                           CUSPARSE_SPMV_ALG_DEFAULT, workspace);
        };
        const auto run = [&] {
            return cusparseSpMV(facade, op, &one, a, x, &zero, y, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT,
                                workspace);
        };
        const auto check = [](cusparseStatus_t status, bool has_failed) { check_answer(status, has_failed); };
        // Compilers are no subject: what they build is built first.
        REQUIRE(preprocess() == ok);
        REQUIRE(run() == ok);
        REQUIRE(heron_synchronize(h) == HERON_SUCCESS);
        fail_every_allocation(preprocess, check);
        fail_every_allocation(run, check);
        std::vector<double> result(n);
        REQUIRE(heron_copy(h, result.data(), y_values, n * sizeof(double)) == HERON_SUCCESS);
        CHECK(result == std::vector<double>(n, 6.0));
    }
}
