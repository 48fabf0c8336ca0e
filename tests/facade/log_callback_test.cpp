// A log callback may call the library, on the handle whose call has logged too: plug-ins log while that
// handle is held.
#include "recorder.hpp"
#include <algorithm>
#include <unistd.h>

using namespace heron::test;

namespace {

heron_handle native = nullptr;
cusparseHandle_t facade = nullptr;
int calls = 0;
std::vector<std::string> heard;

// A deadlock ends the process.
class time_limit {
  public:
    time_limit() { alarm(60); }
    ~time_limit() { alarm(0); }
    time_limit(const time_limit&) = delete;
    time_limit& operator=(const time_limit&) = delete;
};

void call_back(int, const char* function, const char*) {
    heard.emplace_back(function);
    // What it calls is logged too.
    if (++calls > 1) return;
    cusparseHandle_t another = nullptr;
    CHECK(cusparseCreate(&another) == ok);
    CHECK(cusparseDestroy(another) == ok);
    if (!facade) return;
    void* stream = nullptr;
    char bytes[8] = {};
    CHECK(cusparseSetStream(facade, nullptr) == ok);
    CHECK(heron_get_stream(native, &stream) == HERON_SUCCESS);
    CHECK(heron_fill(native, bytes, 1, sizeof bytes) == HERON_SUCCESS);
    CHECK(bytes[7] == 1);
}

// The callback sees the lines of the levels in the mask.
class listening {
  public:
    explicit listening(int mask) {
        REQUIRE(heron_log_open_file("/dev/null") == HERON_SUCCESS);
        REQUIRE(heron_log_set_callback(&call_back) == HERON_SUCCESS);
        REQUIRE(heron_log_set_mask(mask) == HERON_SUCCESS);
        calls = 0;
        heard.clear();
    }
    ~listening() {
        heron_log_set_mask(0);
        heron_log_set_callback(nullptr);
        heron_log_open_file(nullptr);
    }
    listening(const listening&) = delete;
    listening& operator=(const listening&) = delete;
};

constexpr int info = 8, everything = 31;

}  // namespace

TEST_CASE("a log callback calls the library while the first plug-in is loaded") {
    REQUIRE(recorder_chosen);
    const time_limit limit;
    const listening scope(info);
    REQUIRE(heron_create(&native) == HERON_SUCCESS);
    calls = 1;
    REQUIRE(cusparseCreate(&facade) == ok);
    CHECK(std::find(heard.begin(), heard.end(), "loader") != heard.end());
}

TEST_CASE("a log callback calls the handle whose plug-in has logged") {
    const time_limit limit;
    for (const int mask : {info, everything}) {
        const listening scope(mask);
        REQUIRE(cusparseSetStream(facade, nullptr) == ok);
        CHECK(std::find(heard.begin(), heard.end(), "queue_bind") != heard.end());
        CHECK(calls > 1);
    }
    const listening scope(info);
    const sparse_matrix a(cusparseCreateCsr, 5, 7, 4, offsets, columns, values, CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
    const dense_vector x(cusparseCreateDnVec, 7, x_values, CUDA_R_64F);
    const dense_vector y(cusparseCreateDnVec, 5, y_values, CUDA_R_64F);
    const double one = 1;
    REQUIRE(cusparseSpMV(facade, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, x, &one, y, CUDA_R_64F,
                         CUSPARSE_SPMV_ALG_DEFAULT, buffer) == ok);
    REQUIRE(!heard.empty());
    CHECK(heard.front() == "spmv");
}

TEST_CASE("the callback hears of a call's lines in their order") {
    const time_limit limit;
    const listening scope(everything);
    calls = 1;
    REQUIRE(cusparseSetStream(facade, nullptr) == ok);
    CHECK(heard == std::vector<std::string>{"cusparseSetStream", "queue_bind"});
    heard.clear();
    CHECK(cusparseSpMV(facade, CUSPARSE_OPERATION_NON_TRANSPOSE, nullptr, nullptr, nullptr, nullptr, nullptr,
                       CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr) == invalid);
    CHECK(heard == std::vector<std::string>{"cusparseSpMV", "cusparseSpMV"});
    CHECK(cusparseDestroy(facade) == ok);
    CHECK(heron_destroy(native) == HERON_SUCCESS);
}
