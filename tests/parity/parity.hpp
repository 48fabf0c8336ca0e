// What the tests beside NVIDIA's own library share: that library, what an argument is changed to, and the
// differences that are meant.
#pragma once

#include "catch.hpp"
#define DISABLE_CUSPARSE_DEPRECATED
#include <cusparse.h>
#include <dlfcn.h>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

namespace heron::test {

inline std::string nvidias_path() {
    if (const char* const path = std::getenv("HERON_NVIDIA_CUSPARSE")) return path;
    return "/usr/local/cuda/lib64/libcusparse.so.12";
}

class library {
  public:
    explicit library(const std::string& path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
        if (handle_) return;
        std::printf("skipped: %s\n", dlerror());
        std::fflush(stdout);
        std::_Exit(77);
    }
    template <class F>
    F* find(const char* name) const {
        F* const function = reinterpret_cast<F*>(dlsym(handle_, name));
        INFO(name);
        REQUIRE(function);
        return function;
    }

  private:
    void* handle_;
};

// Tells a function's type without a reference to the function, which no library is linked for.
template <class F>
constexpr F* type_of = nullptr;

// What an argument of each type is changed to.
inline std::vector<int64_t> variants(int64_t) { return {-1, 0, 1, 2, 3, 100}; }
inline std::vector<int> variants(int) { return {-1, 0, 1}; }
inline std::vector<size_t> variants(size_t) { return {0, 1}; }
inline std::vector<cusparseIndexType_t> variants(cusparseIndexType_t) {
    return {cusparseIndexType_t{}, CUSPARSE_INDEX_16U, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_64I,
            cusparseIndexType_t(9)};
}
inline std::vector<cusparseIndexBase_t> variants(cusparseIndexBase_t) {
    return {CUSPARSE_INDEX_BASE_ONE, cusparseIndexBase_t(2), cusparseIndexBase_t(-1)};
}
inline std::vector<cusparseOrder_t> variants(cusparseOrder_t) {
    return {CUSPARSE_ORDER_COL, CUSPARSE_ORDER_ROW, cusparseOrder_t{}, cusparseOrder_t(3)};
}
inline std::vector<cusparseSpMatAttribute_t> variants(cusparseSpMatAttribute_t) {
    return {CUSPARSE_SPMAT_DIAG_TYPE, cusparseSpMatAttribute_t(2), cusparseSpMatAttribute_t(-1)};
}
inline std::vector<cusparseMatrixType_t> variants(cusparseMatrixType_t) {
    return {CUSPARSE_MATRIX_TYPE_TRIANGULAR, cusparseMatrixType_t(4), cusparseMatrixType_t(-1)};
}
inline std::vector<cusparseFillMode_t> variants(cusparseFillMode_t) {
    return {CUSPARSE_FILL_MODE_UPPER, cusparseFillMode_t(2), cusparseFillMode_t(-1)};
}
inline std::vector<cusparseDiagType_t> variants(cusparseDiagType_t) {
    return {CUSPARSE_DIAG_TYPE_UNIT, cusparseDiagType_t(2), cusparseDiagType_t(-1)};
}
inline std::vector<cudaDataType> variants(cudaDataType) {
    std::vector<cudaDataType> all;
    for (int type = -1; type < 40; ++type) all.push_back(static_cast<cudaDataType>(type));
    return all;
}
template <class T>
std::vector<T*> variants(T*) {
    return {nullptr};
}

template <class T>
std::string text(T value) {
    if constexpr (std::is_pointer_v<T>)
        return value ? "address" : "NULL";
    else
        return std::to_string(static_cast<long long>(value));
}

// Where Heron answers otherwise, and why. A call is named by its beginning.
struct deviation {
    const char* call;
    int nvidias, ours;
};
constexpr int success = CUSPARSE_STATUS_SUCCESS;
constexpr int invalid = CUSPARSE_STATUS_INVALID_VALUE;
constexpr int unsupported = CUSPARSE_STATUS_NOT_SUPPORTED;
constexpr int crash = -SIGSEGV;

inline bool is_meant(const deviation& d, const std::string& call, int nvidias, int ours) {
    return call.starts_with(d.call) && d.nvidias == nvidias && d.ours == ours;
}

}  // namespace heron::test
