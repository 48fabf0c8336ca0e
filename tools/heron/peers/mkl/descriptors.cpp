// Handles and descriptors. MKL's own handle of a matrix is made with the descriptor.
#include "mkl.hpp"

#include <cstdlib>
#include <memory>

using namespace heron::tools;

namespace heron::tools::mkl {

const shared_library& library() {
    const char* const file = std::getenv("HERON_BENCH_MKL");
    static const shared_library found(file ? file : "libmkl_rt.so");
    return found;
}

}  // namespace heron::tools::mkl

namespace {

using namespace heron::tools::mkl;

int* as_indices(const void* array) { return static_cast<int*>(const_cast<void*>(array)); }

void destroy(matrix handle) {
    if (handle) library().get<int(matrix)>("mkl_sparse_destroy")(handle);
}

// make(descriptor, values) calls MKL's function that makes a matrix of its type.
template <class Make>
cusparseStatus_t create(cusparseSpMatDescr_t* made, std::int64_t rows, std::int64_t cols, const void* values,
                        cudaDataType type, bool has_short_indices, Make&& make) {
    if (!has_short_indices) return CUSPARSE_STATUS_NOT_SUPPORTED;
    auto m = std::make_unique<cusparseSpMatDescr>(
        cusparseSpMatDescr{static_cast<int>(rows), static_cast<int>(cols), type});
    const cusparseStatus_t status = by_type(type, [&]<class T>(T) {
        return status_of(make(functions<T>::all(), *m, static_cast<T*>(const_cast<void*>(values))));
    });
    if (status == CUSPARSE_STATUS_SUCCESS) *made = m.release();
    return status;
}

}  // namespace

extern "C" {

cusparseStatus_t cusparseCreate(cusparseHandle_t* handle) {
    if (!library()) return CUSPARSE_STATUS_NOT_INITIALIZED;
    *handle = new cusparseContext;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) {
    delete handle;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetVersion(cusparseHandle_t, int* version) {
    struct {
        int major, minor, update;
        const char* texts[4];
    } known{};
    if (library().has("MKL_Get_Version")) library().get<void(void*)>("MKL_Get_Version")(&known);
    *version = known.major * 1000 + known.minor * 100 + known.update;
    return CUSPARSE_STATUS_SUCCESS;
}

const char* cusparseGetErrorString(cusparseStatus_t status) {
    switch (status) {
        case CUSPARSE_STATUS_SUCCESS: return "success";
        case CUSPARSE_STATUS_NOT_INITIALIZED: return "MKL is not found: HERON_BENCH_MKL names its library";
        case CUSPARSE_STATUS_NOT_SUPPORTED: return "MKL has no such function";
        default: return "MKL failed";
    }
}

cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t* made, int64_t, void* values, cudaDataType) {
    *made = new cusparseDnVecDescr{values};
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t vector) {
    delete vector;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t* made, int64_t, int64_t cols, int64_t ld,
                                     void* values, cudaDataType, cusparseOrder_t order) {
    *made = new cusparseDnMatDescr{static_cast<int>(cols), static_cast<int>(ld), values, order};
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t dense) {
    delete dense;
    return CUSPARSE_STATUS_SUCCESS;
}

// One whose arrays come later is a result.
cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t* made, int64_t rows, int64_t cols, int64_t,
                                   void* offsets, void* columns, void* values,
                                   cusparseIndexType_t offset_type, cusparseIndexType_t index_type,
                                   cusparseIndexBase_t, cudaDataType type) {
    const bool is_short = offset_type == CUSPARSE_INDEX_32I && index_type == CUSPARSE_INDEX_32I;
    return create(made, rows, cols, values, type, is_short, [&](const auto& f, auto& m, auto* v) {
        m.offsets = as_indices(offsets);
        if (!columns) return success;
        if (!f.create_csr) return not_supported;
        return f.create_csr(&m.handle, from_zero, m.rows, m.cols, m.offsets, m.offsets + 1,
                            as_indices(columns), v);
    });
}

cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t* made, int64_t rows, int64_t cols, int64_t,
                                   void* offsets, void* indices, void* values,
                                   cusparseIndexType_t offset_type, cusparseIndexType_t index_type,
                                   cusparseIndexBase_t, cudaDataType type) {
    const bool is_short = offset_type == CUSPARSE_INDEX_32I && index_type == CUSPARSE_INDEX_32I;
    return create(made, rows, cols, values, type, is_short, [&](const auto& f, auto& m, auto* v) {
        if (!f.create_csc) return not_supported;
        return f.create_csc(&m.handle, from_zero, m.rows, m.cols, as_indices(offsets),
                            as_indices(offsets) + 1, as_indices(indices), v);
    });
}

cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t* made, int64_t rows, int64_t cols, int64_t nnz,
                                   void* row_indices, void* columns, void* values,
                                   cusparseIndexType_t index_type, cusparseIndexBase_t, cudaDataType type) {
    return create(made, rows, cols, values, type, index_type == CUSPARSE_INDEX_32I,
                  [&](const auto& f, auto& m, auto* v) {
                      if (!f.create_coo) return not_supported;
                      return f.create_coo(&m.handle, from_zero, m.rows, m.cols, static_cast<int>(nnz),
                                          as_indices(row_indices), as_indices(columns), v);
                  });
}

cusparseStatus_t cusparseCreateBsr(cusparseSpMatDescr_t* made, int64_t rows, int64_t cols, int64_t,
                                   int64_t block, int64_t, void* offsets, void* columns, void* values,
                                   cusparseIndexType_t offset_type, cusparseIndexType_t index_type,
                                   cusparseIndexBase_t, cudaDataType type, cusparseOrder_t) {
    const bool is_short = offset_type == CUSPARSE_INDEX_32I && index_type == CUSPARSE_INDEX_32I;
    return create(made, rows, cols, values, type, is_short, [&](const auto& f, auto& m, auto* v) {
        if (!f.create_bsr) return not_supported;
        return f.create_bsr(&m.handle, from_zero, blocks_by_rows, m.rows, m.cols, static_cast<int>(block),
                            as_indices(offsets), as_indices(offsets) + 1, as_indices(columns), v);
    });
}

cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t m) {
    if (!m) return CUSPARSE_STATUS_SUCCESS;
    destroy(m->handle);
    delete m;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t m, int64_t* rows, int64_t* cols,
                                      int64_t* nnz) {
    *rows = m->rows;
    *cols = m->cols;
    *nnz = m->nnz;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t m, void* offsets, void* columns, void* values) {
    m->offsets = as_indices(offsets);
    m->columns = as_indices(columns);
    m->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t m, cusparseSpMatAttribute_t which,
                                           void* value, size_t) {
    if (which == CUSPARSE_SPMAT_FILL_MODE)
        m->triangle.fill =
            *static_cast<const cusparseFillMode_t*>(value) == CUSPARSE_FILL_MODE_UPPER ? upper : lower;
    else
        m->triangle.diagonal =
            *static_cast<const cusparseDiagType_t*>(value) == CUSPARSE_DIAG_TYPE_UNIT ? unit : non_unit;
    return CUSPARSE_STATUS_SUCCESS;
}

}  // extern "C"
