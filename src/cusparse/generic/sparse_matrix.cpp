// Sparse matrix descriptors of every format.
#include "descriptors.hpp"
#include "cusparse/translate.hpp"
#include <cstring>

using namespace heron;
using namespace heron::cusparse;

namespace {

using core::part;
using core::role;

// What a matrix's parts are called, by format.
constexpr core::argument_name coo_names[] = {
    {{role::a, part::rows}, "rows"},
    {{role::a, part::cols}, "cols"},
    {{role::a, part::nnz}, "nnz"},
    {{role::a, part::row_indices}, "cooRowInd"},
    {{role::a, part::indices}, "cooColInd"},
    {{role::a, part::values}, "cooValues"},
    {{role::a, part::batch_count}, "batchCount"},
    {{role::a, part::indices_stride}, "batchStride"},
    {{role::a, part::values_stride}, "batchStride"},
};
constexpr core::argument_name csr_names[] = {
    {{role::a, part::rows}, "rows"},
    {{role::a, part::cols}, "cols"},
    {{role::a, part::nnz}, "nnz"},
    {{role::a, part::offsets}, "csrRowOffsets"},
    {{role::a, part::indices}, "csrColInd"},
    {{role::a, part::values}, "csrValues"},
    {{role::a, part::offset_type}, "csrRowOffsetsType"},
    {{role::a, part::index_type}, "csrColIndType"},
    {{role::a, part::batch_count}, "batchCount"},
    {{role::a, part::offsets_stride}, "offsetsBatchStride"},
    {{role::a, part::indices_stride}, "columnsValuesBatchStride"},
    {{role::a, part::values_stride}, "columnsValuesBatchStride"},
};
constexpr core::argument_name csc_names[] = {
    {{role::a, part::rows}, "rows"},
    {{role::a, part::cols}, "cols"},
    {{role::a, part::nnz}, "nnz"},
    {{role::a, part::offsets}, "cscColOffsets"},
    {{role::a, part::indices}, "cscRowInd"},
    {{role::a, part::values}, "cscValues"},
    {{role::a, part::offset_type}, "cscColOffsetsType"},
    {{role::a, part::index_type}, "cscRowIndType"},
};
constexpr core::argument_name bsr_names[] = {
    {{role::a, part::rows}, "brows"},
    {{role::a, part::cols}, "bcols"},
    {{role::a, part::nnz}, "bnnz"},
    {{role::a, part::block_rows}, "rowBlockSize"},
    {{role::a, part::block_cols}, "colBlockSize"},
    {{role::a, part::offsets}, "bsrRowOffsets"},
    {{role::a, part::indices}, "bsrColInd"},
    {{role::a, part::values}, "bsrValues"},
    {{role::a, part::index_type}, "bsrColIndType"},
    {{role::a, part::batch_count}, "batchCount"},
    {{role::a, part::offsets_stride}, "offsetsBatchStride"},
    {{role::a, part::indices_stride}, "columnsBatchStride"},
    {{role::a, part::values_stride}, "ValuesBatchStride"},
};
constexpr core::argument_name sell_names[] = {
    {{role::a, part::rows}, "rows"},
    {{role::a, part::cols}, "cols"},
    {{role::a, part::nnz}, "nnz"},
    {{role::a, part::values_size}, "sellValuesSize"},
    {{role::a, part::slice_size}, "sliceSize"},
    {{role::a, part::offsets}, "sellSliceOffsets"},
    {{role::a, part::indices}, "sellColInd"},
    {{role::a, part::values}, "sellValues"},
    {{role::a, part::index_type}, "sellColIndType"},
};
constexpr core::argument_name ell_names[] = {
    {{role::a, part::rows}, "rows"},
    {{role::a, part::cols}, "cols"},
    {{role::a, part::block_rows}, "ellBlockSize"},
    {{role::a, part::ell_cols}, "ellCols"},
    {{role::a, part::indices}, "ellColInd"},
    {{role::a, part::values}, "ellValue"},
};
constexpr core::argument_name values_name[] = {{{role::a, part::values}, "values"}};

sparse_matrix& sparse(cusparseSpMatDescr_t m) { return object<sparse_matrix>(m, "spMatDescr"); }
const sparse_matrix& sparse(cusparseConstSpMatDescr_t m) { return object<sparse_matrix>(m, "spMatDescr"); }

void* untyped(const void* p) { return const_cast<void*>(p); }

heron_spmat shape(heron_format format, int64_t rows, int64_t cols, int64_t nnz, cusparseIndexBase_t base,
                  cudaDataType type) {
    heron_spmat m{};
    m.format = format;
    m.rows = rows;
    m.cols = cols;
    m.nnz = nnz;
    m.base = base_from(base, "idxBase");
    m.type = type_from(type, "valueType");
    m.batch_count = 1;
    return m;
}

template <class Descr>
void create(Descr* descr, const heron_spmat& m, cusparse::access access) {
    core::required(descr, "spMatDescr");
    *descr = reinterpret_cast<Descr>(new sparse_matrix(m, access));
}

// Writes through a pointer that must not be NULL.
template <class T, class V>
void give(T* to, V value, const char* argument) {
    *core::required(to, argument) = value;
}

const heron_spmat& of_format(const sparse_matrix& m, heron_format format) {
    if (m.is_aos || m.value.format != format) core::invalid("spMatDescr", "has another format");
    return m.value;
}

void require_shape(const int64_t* rows, const int64_t* cols, const cusparseIndexBase_t* base,
                   const cudaDataType* type) {
    core::required(rows, "rows");
    core::required(cols, "cols");
    core::required(base, "idxBase");
    core::required(type, "valueType");
}

void give_shape(const heron_spmat& m, int64_t* rows, int64_t* cols, cusparseIndexBase_t* base,
                cudaDataType* type) {
    *rows = m.rows;
    *cols = m.cols;
    *base = static_cast<cusparseIndexBase_t>(m.base);
    *type = to_cuda(m.type);
}

template <class Descr, class Void>
void create_coo(Descr* descr, int64_t rows, int64_t cols, int64_t nnz, Void* row_indices, Void* columns,
                Void* values, cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type) {
    heron_spmat m = shape(HERON_FORMAT_COO, rows, cols, nnz, base, type);
    m.row_indices = untyped(row_indices);
    m.indices = untyped(columns);
    m.values = untyped(values);
    m.index_type = m.offset_type = index_type_from(index_type, "cooIdxType");
    create(descr, m, access_of(values));
}

template <class Descr, class Void>
void get_coo(Descr descr, int64_t* rows, int64_t* cols, int64_t* nnz, Void** row_indices, Void** columns,
             Void** values, cusparseIndexType_t* index_type, cusparseIndexBase_t* base, cudaDataType* type) {
    const heron_spmat& m = of_format(sparse(descr), HERON_FORMAT_COO);
    require_shape(rows, cols, base, type);
    core::required(nnz, "nnz");
    core::required(row_indices, "cooRowInd");
    core::required(columns, "cooColInd");
    core::required(values, "cooValues");
    core::required(index_type, "idxType");
    give_shape(m, rows, cols, base, type);
    *nnz = m.nnz;
    *row_indices = m.row_indices;
    *columns = m.indices;
    *values = m.values;
    *index_type = to_cusparse(m.index_type);
}

template <class Descr, class Void>
void create_compressed(heron_format format, Descr* descr, int64_t rows, int64_t cols, int64_t nnz,
                       Void* offsets, Void* indices, Void* values, cusparseIndexType_t offset_type,
                       cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type) {
    heron_spmat m = shape(format, rows, cols, nnz, base, type);
    m.offsets = untyped(offsets);
    m.indices = untyped(indices);
    m.values = untyped(values);
    m.offset_type = index_type_from(offset_type, core::argument{role::a, part::offset_type});
    m.index_type = index_type_from(index_type, core::argument{role::a, part::index_type});
    create(descr, m, access_of(values));
}

template <class Descr, class Void>
void get_compressed(heron_format format, Descr descr, int64_t* rows, int64_t* cols, int64_t* nnz,
                    Void** offsets, Void** indices, Void** values, cusparseIndexType_t* offset_type,
                    cusparseIndexType_t* index_type, cusparseIndexBase_t* base, cudaDataType* type) {
    const heron_spmat& m = of_format(sparse(descr), format);
    require_shape(rows, cols, base, type);
    core::required(nnz, "nnz");
    core::required(offsets, core::argument{role::a, part::offsets});
    core::required(indices, core::argument{role::a, part::indices});
    core::required(values, core::argument{role::a, part::values});
    core::required(offset_type, core::argument{role::a, part::offset_type});
    core::required(index_type, core::argument{role::a, part::index_type});
    give_shape(m, rows, cols, base, type);
    *nnz = m.nnz;
    *offsets = m.offsets;
    *indices = m.indices;
    *values = m.values;
    *offset_type = to_cusparse(m.offset_type);
    *index_type = to_cusparse(m.index_type);
}

template <class Descr, class Void>
void create_bsr(Descr* descr, int64_t block_rows, int64_t block_cols, int64_t nnz, int64_t row_block_size,
                int64_t col_block_size, Void* offsets, Void* indices, Void* values,
                cusparseIndexType_t offset_type, cusparseIndexType_t index_type, cusparseIndexBase_t base,
                cudaDataType type, cusparseOrder_t order) {
    core::require(block_rows >= 0, "brows", "must not be negative");
    core::require(block_cols >= 0, "bcols", "must not be negative");
    core::require(row_block_size > 0, "rowBlockSize", "must be positive");
    core::require(col_block_size > 0, "colBlockSize", "must be positive");
    core::require(block_rows <= INT64_MAX / row_block_size, "brows", "times rowBlockSize overflows");
    core::require(block_cols <= INT64_MAX / col_block_size, "bcols", "times colBlockSize overflows");
    heron_spmat m =
        shape(HERON_FORMAT_BSR, block_rows * row_block_size, block_cols * col_block_size, nnz, base, type);
    m.block_rows = row_block_size;
    m.block_cols = col_block_size;
    m.block_order = order_from(order, "order");
    m.offsets = untyped(offsets);
    m.indices = untyped(indices);
    m.values = untyped(values);
    m.offset_type = index_type_from(offset_type, "bsrRowOffsetsType");
    m.index_type = index_type_from(index_type, "bsrColIndType");
    create(descr, m, access_of(values));
}

template <class Descr, class Void>
void create_sell(Descr* descr, int64_t rows, int64_t cols, int64_t nnz, int64_t values_size,
                 int64_t slice_size, Void* offsets, Void* columns, Void* values,
                 cusparseIndexType_t offset_type, cusparseIndexType_t index_type, cusparseIndexBase_t base,
                 cudaDataType type) {
    heron_spmat m = shape(HERON_FORMAT_SELL, rows, cols, nnz, base, type);
    m.values_size = values_size;
    m.slice_size = slice_size;
    m.offsets = untyped(offsets);
    m.indices = untyped(columns);
    m.values = untyped(values);
    m.offset_type = index_type_from(offset_type, "sellSliceOffsetsType");
    m.index_type = index_type_from(index_type, "sellColIndType");
    create(descr, m, access_of(values));
}

template <class Descr, class Void>
void create_blocked_ell(Descr* descr, int64_t rows, int64_t cols, int64_t block_size, int64_t ell_cols,
                        Void* columns, Void* values, cusparseIndexType_t index_type, cusparseIndexBase_t base,
                        cudaDataType type) {
    heron_spmat m = shape(HERON_FORMAT_BLOCKED_ELL, rows, cols, 0, base, type);
    m.block_rows = m.block_cols = block_size;
    m.ell_cols = ell_cols;
    m.indices = untyped(columns);
    m.values = untyped(values);
    m.index_type = m.offset_type = index_type_from(index_type, "ellIdxType");
    if (rows > 0 && ell_cols > 0 && ell_cols <= INT64_MAX / rows) m.nnz = rows * ell_cols;
    create(descr, m, access_of(values));
}

template <class Descr, class Void>
void get_blocked_ell(Descr descr, int64_t* rows, int64_t* cols, int64_t* block_size, int64_t* ell_cols,
                     Void** columns, Void** values, cusparseIndexType_t* index_type,
                     cusparseIndexBase_t* base, cudaDataType* type) {
    const heron_spmat& m = of_format(sparse(descr), HERON_FORMAT_BLOCKED_ELL);
    require_shape(rows, cols, base, type);
    core::required(block_size, "ellBlockSize");
    core::required(ell_cols, "ellCols");
    core::required(columns, "ellColInd");
    core::required(values, "ellValue");
    core::required(index_type, "ellIdxType");
    give_shape(m, rows, cols, base, type);
    *block_size = m.block_rows;
    *ell_cols = m.ell_cols;
    *columns = m.indices;
    *values = m.values;
    *index_type = to_cusparse(m.index_type);
}

// One attribute: an int-sized enum behind a void pointer.
int read_attribute(const void* data, size_t size, int last) {
    core::required(data, "data");
    core::require(size == sizeof(int), "dataSize", "is not the size of the attribute's enum");
    int value;
    std::memcpy(&value, data, sizeof value);
    core::require(value >= 0 && value <= last, "data", "is not a value of the attribute");
    return value;
}

}  // namespace

cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t* descr, int64_t rows, int64_t cols, int64_t nnz,
                                   void* row_indices, void* columns, void* values,
                                   cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                   cudaDataType type) {
    return guarded({__func__, coo_names}, [&] {
        create_coo(descr, rows, cols, nnz, row_indices, columns, values, index_type, base, type);
    });
}
cusparseStatus_t cusparseCreateConstCoo(cusparseConstSpMatDescr_t* descr, int64_t rows, int64_t cols,
                                        int64_t nnz, const void* row_indices, const void* columns,
                                        const void* values, cusparseIndexType_t index_type,
                                        cusparseIndexBase_t base, cudaDataType type) {
    return guarded({__func__, coo_names}, [&] {
        create_coo(descr, rows, cols, nnz, row_indices, columns, values, index_type, base, type);
    });
}
cusparseStatus_t cusparseCooGet(cusparseSpMatDescr_t descr, int64_t* rows, int64_t* cols, int64_t* nnz,
                                void** row_indices, void** columns, void** values,
                                cusparseIndexType_t* index_type, cusparseIndexBase_t* base,
                                cudaDataType* type) {
    return guarded({__func__, coo_names}, [&] {
        get_coo(descr, rows, cols, nnz, row_indices, columns, values, index_type, base, type);
    });
}
cusparseStatus_t cusparseConstCooGet(cusparseConstSpMatDescr_t descr, int64_t* rows, int64_t* cols,
                                     int64_t* nnz, const void** row_indices, const void** columns,
                                     const void** values, cusparseIndexType_t* index_type,
                                     cusparseIndexBase_t* base, cudaDataType* type) {
    return guarded({__func__, coo_names}, [&] {
        get_coo(descr, rows, cols, nnz, row_indices, columns, values, index_type, base, type);
    });
}
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t descr, void* row_indices, void* columns,
                                        void* values) {
    return guarded({__func__, coo_names}, [&] {
        sparse_matrix& m = sparse(descr);
        of_format(m, HERON_FORMAT_COO);
        m.set_pattern(nullptr, row_indices, columns, values);
    });
}
cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t descr, int count, int64_t stride) {
    return guarded({__func__, coo_names}, [&] {
        sparse_matrix& m = sparse(descr);
        of_format(m, HERON_FORMAT_COO);
        m.set_batch(count, 0, stride, stride);
    });
}

cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t* descr, int64_t rows, int64_t cols, int64_t nnz,
                                   void* offsets, void* columns, void* values,
                                   cusparseIndexType_t offset_type, cusparseIndexType_t index_type,
                                   cusparseIndexBase_t base, cudaDataType type) {
    return guarded({__func__, csr_names}, [&] {
        create_compressed(HERON_FORMAT_CSR, descr, rows, cols, nnz, offsets, columns, values, offset_type,
                          index_type, base, type);
    });
}
cusparseStatus_t cusparseCreateConstCsr(cusparseConstSpMatDescr_t* descr, int64_t rows, int64_t cols,
                                        int64_t nnz, const void* offsets, const void* columns,
                                        const void* values, cusparseIndexType_t offset_type,
                                        cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                        cudaDataType type) {
    return guarded({__func__, csr_names}, [&] {
        create_compressed(HERON_FORMAT_CSR, descr, rows, cols, nnz, offsets, columns, values, offset_type,
                          index_type, base, type);
    });
}
cusparseStatus_t cusparseCsrGet(cusparseSpMatDescr_t descr, int64_t* rows, int64_t* cols, int64_t* nnz,
                                void** offsets, void** columns, void** values,
                                cusparseIndexType_t* offset_type, cusparseIndexType_t* index_type,
                                cusparseIndexBase_t* base, cudaDataType* type) {
    return guarded({__func__, csr_names}, [&] {
        get_compressed(HERON_FORMAT_CSR, descr, rows, cols, nnz, offsets, columns, values, offset_type,
                       index_type, base, type);
    });
}
cusparseStatus_t cusparseConstCsrGet(cusparseConstSpMatDescr_t descr, int64_t* rows, int64_t* cols,
                                     int64_t* nnz, const void** offsets, const void** columns,
                                     const void** values, cusparseIndexType_t* offset_type,
                                     cusparseIndexType_t* index_type, cusparseIndexBase_t* base,
                                     cudaDataType* type) {
    return guarded({__func__, csr_names}, [&] {
        get_compressed(HERON_FORMAT_CSR, descr, rows, cols, nnz, offsets, columns, values, offset_type,
                       index_type, base, type);
    });
}
cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t descr, void* offsets, void* columns,
                                        void* values) {
    return guarded({__func__, csr_names}, [&] {
        sparse_matrix& m = sparse(descr);
        of_format(m, HERON_FORMAT_CSR);
        m.set_pattern(offsets, nullptr, columns, values);
    });
}
cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t descr, int count, int64_t offsets_stride,
                                            int64_t columns_values_stride) {
    return guarded({__func__, csr_names}, [&] {
        sparse_matrix& m = sparse(descr);
        of_format(m, HERON_FORMAT_CSR);
        m.set_batch(count, offsets_stride, columns_values_stride, columns_values_stride);
    });
}

cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t* descr, int64_t rows, int64_t cols, int64_t nnz,
                                   void* offsets, void* row_indices, void* values,
                                   cusparseIndexType_t offset_type, cusparseIndexType_t index_type,
                                   cusparseIndexBase_t base, cudaDataType type) {
    return guarded({__func__, csc_names}, [&] {
        create_compressed(HERON_FORMAT_CSC, descr, rows, cols, nnz, offsets, row_indices, values, offset_type,
                          index_type, base, type);
    });
}
cusparseStatus_t cusparseCreateConstCsc(cusparseConstSpMatDescr_t* descr, int64_t rows, int64_t cols,
                                        int64_t nnz, const void* offsets, const void* row_indices,
                                        const void* values, cusparseIndexType_t offset_type,
                                        cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                        cudaDataType type) {
    return guarded({__func__, csc_names}, [&] {
        create_compressed(HERON_FORMAT_CSC, descr, rows, cols, nnz, offsets, row_indices, values, offset_type,
                          index_type, base, type);
    });
}
cusparseStatus_t cusparseCscGet(cusparseSpMatDescr_t descr, int64_t* rows, int64_t* cols, int64_t* nnz,
                                void** offsets, void** row_indices, void** values,
                                cusparseIndexType_t* offset_type, cusparseIndexType_t* index_type,
                                cusparseIndexBase_t* base, cudaDataType* type) {
    return guarded({__func__, csc_names}, [&] {
        get_compressed(HERON_FORMAT_CSC, descr, rows, cols, nnz, offsets, row_indices, values, offset_type,
                       index_type, base, type);
    });
}
cusparseStatus_t cusparseConstCscGet(cusparseConstSpMatDescr_t descr, int64_t* rows, int64_t* cols,
                                     int64_t* nnz, const void** offsets, const void** row_indices,
                                     const void** values, cusparseIndexType_t* offset_type,
                                     cusparseIndexType_t* index_type, cusparseIndexBase_t* base,
                                     cudaDataType* type) {
    return guarded({__func__, csc_names}, [&] {
        get_compressed(HERON_FORMAT_CSC, descr, rows, cols, nnz, offsets, row_indices, values, offset_type,
                       index_type, base, type);
    });
}
cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t descr, void* offsets, void* row_indices,
                                        void* values) {
    return guarded({__func__, csc_names}, [&] {
        sparse_matrix& m = sparse(descr);
        of_format(m, HERON_FORMAT_CSC);
        m.set_pattern(offsets, nullptr, row_indices, values);
    });
}

cusparseStatus_t cusparseCreateBsr(cusparseSpMatDescr_t* descr, int64_t block_rows, int64_t block_cols,
                                   int64_t nnz, int64_t row_block_size, int64_t col_block_size, void* offsets,
                                   void* columns, void* values, cusparseIndexType_t offset_type,
                                   cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                   cudaDataType type, cusparseOrder_t order) {
    return guarded({__func__, bsr_names}, [&] {
        create_bsr(descr, block_rows, block_cols, nnz, row_block_size, col_block_size, offsets, columns,
                   values, offset_type, index_type, base, type, order);
    });
}
cusparseStatus_t cusparseCreateConstBsr(cusparseConstSpMatDescr_t* descr, int64_t block_rows,
                                        int64_t block_cols, int64_t nnz, int64_t row_block_size,
                                        int64_t col_block_size, const void* offsets, const void* columns,
                                        const void* values, cusparseIndexType_t offset_type,
                                        cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                        cudaDataType type, cusparseOrder_t order) {
    return guarded({__func__, bsr_names}, [&] {
        create_bsr(descr, block_rows, block_cols, nnz, row_block_size, col_block_size, offsets, columns,
                   values, offset_type, index_type, base, type, order);
    });
}
cusparseStatus_t cusparseBsrSetStridedBatch(cusparseSpMatDescr_t descr, int count, int64_t offsets_stride,
                                            int64_t columns_stride, int64_t values_stride) {
    return guarded({__func__, bsr_names}, [&] {
        sparse_matrix& m = sparse(descr);
        of_format(m, HERON_FORMAT_BSR);
        m.set_batch(count, offsets_stride, columns_stride, values_stride);
    });
}

cusparseStatus_t cusparseCreateSlicedEll(cusparseSpMatDescr_t* descr, int64_t rows, int64_t cols, int64_t nnz,
                                         int64_t values_size, int64_t slice_size, void* offsets,
                                         void* columns, void* values, cusparseIndexType_t offset_type,
                                         cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                         cudaDataType type) {
    return guarded({__func__, sell_names}, [&] {
        create_sell(descr, rows, cols, nnz, values_size, slice_size, offsets, columns, values, offset_type,
                    index_type, base, type);
    });
}
cusparseStatus_t cusparseCreateConstSlicedEll(cusparseConstSpMatDescr_t* descr, int64_t rows, int64_t cols,
                                              int64_t nnz, int64_t values_size, int64_t slice_size,
                                              const void* offsets, const void* columns, const void* values,
                                              cusparseIndexType_t offset_type, cusparseIndexType_t index_type,
                                              cusparseIndexBase_t base, cudaDataType type) {
    return guarded({__func__, sell_names}, [&] {
        create_sell(descr, rows, cols, nnz, values_size, slice_size, offsets, columns, values, offset_type,
                    index_type, base, type);
    });
}

cusparseStatus_t cusparseCreateBlockedEll(cusparseSpMatDescr_t* descr, int64_t rows, int64_t cols,
                                          int64_t block_size, int64_t ell_cols, void* columns, void* values,
                                          cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                          cudaDataType type) {
    return guarded({__func__, ell_names}, [&] {
        create_blocked_ell(descr, rows, cols, block_size, ell_cols, columns, values, index_type, base, type);
    });
}
cusparseStatus_t cusparseCreateConstBlockedEll(cusparseConstSpMatDescr_t* descr, int64_t rows, int64_t cols,
                                               int64_t block_size, int64_t ell_cols, const void* columns,
                                               const void* values, cusparseIndexType_t index_type,
                                               cusparseIndexBase_t base, cudaDataType type) {
    return guarded({__func__, ell_names}, [&] {
        create_blocked_ell(descr, rows, cols, block_size, ell_cols, columns, values, index_type, base, type);
    });
}
cusparseStatus_t cusparseBlockedEllGet(cusparseSpMatDescr_t descr, int64_t* rows, int64_t* cols,
                                       int64_t* block_size, int64_t* ell_cols, void** columns, void** values,
                                       cusparseIndexType_t* index_type, cusparseIndexBase_t* base,
                                       cudaDataType* type) {
    return guarded({__func__, ell_names}, [&] {
        get_blocked_ell(descr, rows, cols, block_size, ell_cols, columns, values, index_type, base, type);
    });
}
cusparseStatus_t cusparseConstBlockedEllGet(cusparseConstSpMatDescr_t descr, int64_t* rows, int64_t* cols,
                                            int64_t* block_size, int64_t* ell_cols, const void** columns,
                                            const void** values, cusparseIndexType_t* index_type,
                                            cusparseIndexBase_t* base, cudaDataType* type) {
    return guarded({__func__, ell_names}, [&] {
        get_blocked_ell(descr, rows, cols, block_size, ell_cols, columns, values, index_type, base, type);
    });
}

cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t descr) {
    return guarded(__func__, [&] { destroy<sparse_matrix>(descr); });
}
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t descr, cusparseFormat_t* format) {
    return guarded(__func__, [&] {
        const auto& m = sparse(descr);
        give(format, m.is_aos ? CUSPARSE_FORMAT_COO_AOS : to_cusparse(m.value.format), "format");
    });
}
cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t descr, cusparseIndexBase_t* base) {
    return guarded(__func__, [&] {
        const auto& m = sparse(descr);
        give(base, static_cast<cusparseIndexBase_t>(m.value.base), "idxBase");
    });
}
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t descr, int64_t* rows, int64_t* cols,
                                      int64_t* nnz) {
    return guarded(__func__, [&] {
        const heron_spmat& m = sparse(descr).value;
        core::required(rows, "rows");
        core::required(cols, "cols");
        core::required(nnz, "nnz");
        *rows = m.rows;
        *cols = m.cols;
        // cuSPARSE counts elements, for BSR too.
        *nnz = m.format == HERON_FORMAT_BSR ? m.nnz * m.block_rows * m.block_cols : m.nnz;
    });
}
cusparseStatus_t cusparseSpMatGetValues(cusparseSpMatDescr_t descr, void** values) {
    return guarded(__func__, [&] {
        const auto& m = sparse(descr);
        give(values, m.value.values, "values");
    });
}
cusparseStatus_t cusparseConstSpMatGetValues(cusparseConstSpMatDescr_t descr, const void** values) {
    return guarded(__func__, [&] {
        const auto& m = sparse(descr);
        give(values, m.value.values, "values");
    });
}
cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t descr, void* values) {
    return guarded({__func__, values_name}, [&] { sparse(descr).set_values(values); });
}
cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t descr, int* count) {
    return guarded(__func__, [&] {
        const auto& m = sparse(descr);
        give(count, m.value.batch_count, "batchCount");
    });
}

cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t descr,
                                           cusparseSpMatAttribute_t attribute, void* data, size_t size) {
    return guarded(__func__, [&] {
        const sparse_matrix& m = sparse(descr);
        core::required(data, "data");
        core::require(size == sizeof(int), "dataSize", "is not the size of the attribute's enum");
        switch (attribute) {
            case CUSPARSE_SPMAT_FILL_MODE: std::memcpy(data, &m.value.fill, size); return;
            case CUSPARSE_SPMAT_DIAG_TYPE: std::memcpy(data, &m.value.diag, size); return;
        }
        core::invalid("attribute", "is not an attribute");
    });
}
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t descr, cusparseSpMatAttribute_t attribute,
                                           void* data, size_t size) {
    return guarded(__func__, [&] {
        sparse_matrix& m = sparse(descr);
        switch (attribute) {
            case CUSPARSE_SPMAT_FILL_MODE:
                m.value.fill = static_cast<heron_fill_mode>(read_attribute(data, size, HERON_FILL_UPPER));
                return;
            case CUSPARSE_SPMAT_DIAG_TYPE:
                m.value.diag = static_cast<heron_diag_type>(read_attribute(data, size, HERON_DIAG_UNIT));
                return;
        }
        core::invalid("attribute", "is not an attribute");
    });
}
