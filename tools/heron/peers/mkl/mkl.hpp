// MKL's sparse BLAS with 32-bit indices, from a library that is opened at run time: HERON_BENCH_MKL names it.
#pragma once

#include <cusparse.h>

#include <complex>
#include <string>

#include "peers/shared_library.hpp"

namespace heron::tools::mkl {

// Numbers of MKL's enumerations.
constexpr int from_zero = 0, blocks_by_rows = 101, by_rows = 101, by_columns = 102;
constexpr int general = 20, triangular = 23, lower = 40, upper = 41, non_unit = 50, unit = 51;
constexpr int success = 0, not_supported = 6;
constexpr int many_calls = 1000;

struct matrix_kind {
    int type = general, fill = lower, diagonal = non_unit;
};

using matrix = void*;

const shared_library& library();

inline int operation(cusparseOperation_t op) { return 10 + static_cast<int>(op); }

inline cusparseStatus_t status_of(int status) {
    if (status == success) return CUSPARSE_STATUS_SUCCESS;
    return status == not_supported ? CUSPARSE_STATUS_NOT_SUPPORTED : CUSPARSE_STATUS_EXECUTION_FAILED;
}

// What MKL finds out about a matrix before many calls, where the library has it.
template <class... Types, class... Arguments>
cusparseStatus_t prepare(matrix a, const char* hint, Arguments... arguments) {
    if (!library().has("mkl_sparse_optimize") || !library().has(hint)) return CUSPARSE_STATUS_SUCCESS;
    library().get<int(matrix, Types...)>(hint)(a, arguments...);
    return status_of(library().get<int(matrix)>("mkl_sparse_optimize")(a));
}

template <class T>
constexpr char letter = 'z';
template <>
inline constexpr char letter<float> = 's';
template <>
inline constexpr char letter<double> = 'd';
template <>
inline constexpr char letter<std::complex<float>> = 'c';

// The functions for one type of elements.
template <class T>
struct functions {
    using csr_maker = int(matrix*, int, int, int, int*, int*, int*, T*);
    using coo_maker = int(matrix*, int, int, int, int, int*, int*, T*);
    using bsr_maker = int(matrix*, int, int, int, int, int, int*, int*, int*, T*);
    using vector_product = int(int, T, matrix, matrix_kind, const T*, T, T*);
    using product = int(int, T, matrix, matrix_kind, int, const T*, int, int, T, T*, int);
    using vector_solve = int(int, T, matrix, matrix_kind, const T*, T*);
    using solve = int(int, T, matrix, matrix_kind, int, const T*, int, int, T*, int);
    using exporter = int(matrix, int*, int*, int*, int**, int**, int**, T**);

    static const functions& all() {
        static const functions found;
        return found;
    }

    csr_maker* create_csr = find<csr_maker>("create_csr");
    csr_maker* create_csc = find<csr_maker>("create_csc");
    coo_maker* create_coo = find<coo_maker>("create_coo");
    bsr_maker* create_bsr = find<bsr_maker>("create_bsr");
    vector_product* mv = find<vector_product>("mv");
    product* mm = find<product>("mm");
    vector_solve* trsv = find<vector_solve>("trsv");
    solve* trsm = find<solve>("trsm");
    exporter* export_csr = find<exporter>("export_csr");

  private:
    // Libraries that hold a part of MKL lack some.
    template <class F>
    static F* find(const char* what) {
        const std::string name = fmt::format("mkl_sparse_{}_{}", letter<T>, what);
        return library().has(name) ? library().get<F>(name) : nullptr;
    }
};

// f(T{}) for the type of the elements.
template <class F>
cusparseStatus_t by_type(cudaDataType type, F&& f) {
    switch (type) {
        case CUDA_R_32F: return f(float{});
        case CUDA_R_64F: return f(double{});
        case CUDA_C_32F: return f(std::complex<float>{});
        case CUDA_C_64F: return f(std::complex<double>{});
        default: return CUSPARSE_STATUS_NOT_SUPPORTED;
    }
}

}  // namespace heron::tools::mkl

// What cuSPARSE's handles point to here.
struct cusparseContext {};

struct cusparseDnVecDescr {
    void* values;
};

struct cusparseDnMatDescr {
    int cols, ld;
    void* values;
    cusparseOrder_t order;
    int layout() const {
        return order == CUSPARSE_ORDER_ROW ? heron::tools::mkl::by_rows : heron::tools::mkl::by_columns;
    }
};

struct cusparseSpMatDescr {
    int rows, cols;
    cudaDataType type;
    heron::tools::mkl::matrix handle = nullptr;
    heron::tools::mkl::matrix_kind triangle{heron::tools::mkl::triangular};
    // Of a result.
    int nnz = 0;
    int *offsets = nullptr, *columns = nullptr;
    void* values = nullptr;
};
