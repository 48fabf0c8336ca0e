#include "descriptors.hpp"
#include "element_types.hpp"
#include <atomic>
#include <fmt/format.h>

namespace heron::core {
namespace {

int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

// No address space holds more bytes, and workspaces in proportion can still be counted.
constexpr int64_t most = int64_t{1} << 56;

void require_size(int64_t n, const char* argument) {
    if (n < 0) invalid(argument, fmt::format("{} is negative", n));
    if (n > most) invalid(argument, fmt::format("{} is more than any memory holds", n));
}

// rows*cols >= count without overflow.
bool fits(int64_t rows, int64_t cols, int64_t count) {
    if (rows == 0 || cols == 0) return count == 0;
    return count / rows < cols || (count / rows == cols && count % rows == 0);
}

// Index values run up to last, counted from the base.
void require_indices_hold(heron_index_type type, int64_t last, int32_t base, const char* argument) {
    if (last > largest(type) - base)
        invalid(argument, fmt::format("{} with base {} does not fit into {}-bit indices", last, base,
                                      size_of(type) * 8));
}

void require_index_pair(const heron_spmat& m, const char* argument) {
    if (m.offset_type == HERON_INDEX_32 && m.index_type == HERON_INDEX_64)
        not_supported(argument, "64-bit indices with 32-bit offsets are not supported");
}

void validate_compressed(const heron_spmat& m, int64_t indexed, const char* offsets, const char* indices,
                         const char* values, const char* index_type) {
    if (!fits(m.rows, m.cols, m.nnz))
        invalid("nnz", fmt::format("{} is more than {} x {} elements", m.nnz, m.rows, m.cols));
    require_index_pair(m, index_type);
    require_indices_hold(m.offset_type, m.nnz, m.base, "nnz");
    require_indices_hold(m.index_type, indexed - 1, m.base, m.format == HERON_FORMAT_CSR ? "cols" : "rows");
    require_aligned(m.offsets, size_of(m.offset_type), offsets);
    require_aligned(m.indices, size_of(m.index_type), indices);
    require_aligned(m.values, size_of(m.type), values);
}

void validate_csr(const heron_spmat& m) {
    validate_compressed(m, m.cols, "csrRowOffsets", "csrColInd", "csrValues", "csrColIndType");
}

void validate_csc(const heron_spmat& m) {
    validate_compressed(m, m.rows, "cscColOffsets", "cscRowInd", "cscValues", "cscRowIndType");
}

void validate_coo(const heron_spmat& m) {
    if (!fits(m.rows, m.cols, m.nnz))
        invalid("nnz", fmt::format("{} is more than {} x {} elements", m.nnz, m.rows, m.cols));
    require_indices_hold(m.index_type, m.rows - 1, m.base, "rows");
    require_indices_hold(m.index_type, m.cols - 1, m.base, "cols");
    require_aligned(m.row_indices, size_of(m.index_type), "cooRowInd");
    require_aligned(m.indices, size_of(m.index_type), "cooColInd");
    require_aligned(m.values, size_of(m.type), "cooValues");
}

void validate_bsr(const heron_spmat& m) {
    require(m.block_rows > 0, "rowBlockSize", "must be positive");
    require(m.block_cols > 0, "colBlockSize", "must be positive");
    const int64_t block_rows = m.rows / m.block_rows;
    const int64_t block_cols = m.cols / m.block_cols;
    if (!fits(block_rows, block_cols, m.nnz))
        invalid("bnnz", fmt::format("{} is more than {} x {} blocks", m.nnz, block_rows, block_cols));
    require(m.nnz <= most / m.block_rows / m.block_cols, "bnnz",
            "times the block's size is more than any memory holds");
    require_index_pair(m, "bsrColIndType");
    require_indices_hold(m.offset_type, m.nnz, m.base, "bnnz");
    require_indices_hold(m.index_type, block_cols - 1, m.base, "bcols");
    require_aligned(m.offsets, size_of(m.offset_type), "bsrRowOffsets");
    require_aligned(m.indices, size_of(m.index_type), "bsrColInd");
    require_aligned(m.values, size_of(m.type), "bsrValues");
}

void validate_sell(const heron_spmat& m) {
    require(m.slice_size > 0, "sliceSize", "must be positive");
    require_size(m.slice_size, "sliceSize");
    require_size(m.values_size, "sellValuesSize");
    require(m.nnz <= m.values_size, "nnz", "is more than sellValuesSize");
    require_index_pair(m, "sellColIndType");
    require_indices_hold(m.offset_type, m.values_size, m.base, "sellValuesSize");
    require_indices_hold(m.index_type, m.cols - 1, m.base, "cols");
    require_aligned(m.offsets, size_of(m.offset_type), "sellSliceOffsets");
    require_aligned(m.indices, size_of(m.index_type), "sellColInd");
    require_aligned(m.values, size_of(m.type), "sellValues");
}

void validate_blocked_ell(const heron_spmat& m) {
    require(m.block_rows > 0, "ellBlockSize", "must be positive");
    require(m.ell_cols >= 0 && m.ell_cols % m.block_rows == 0, "ellCols",
            "must be a multiple of ellBlockSize");
    require(m.ell_cols <= ceil_div(m.cols, m.block_rows) * m.block_rows, "ellCols", "is more than cols");
    require(m.rows == 0 || m.ell_cols <= most / m.rows, "ellCols",
            "times rows is more than any memory holds");
    require_indices_hold(m.index_type, ceil_div(m.cols, m.block_rows) - 1, m.base, "cols");
    require_aligned(m.indices, size_of(m.index_type), "ellColInd");
    require_aligned(m.values, size_of(m.type), "ellValue");
}

void validate(const heron_spmat& m) {
    require_size(m.rows, m.format == HERON_FORMAT_BSR ? "brows" : "rows");
    require_size(m.cols, m.format == HERON_FORMAT_BSR ? "bcols" : "cols");
    require_size(m.nnz, m.format == HERON_FORMAT_BSR ? "bnnz" : "nnz");
    switch (m.format) {
        case HERON_FORMAT_COO: return validate_coo(m);
        case HERON_FORMAT_CSR: return validate_csr(m);
        case HERON_FORMAT_CSC: return validate_csc(m);
        case HERON_FORMAT_BSR: return validate_bsr(m);
        case HERON_FORMAT_SELL: return validate_sell(m);
        case HERON_FORMAT_BLOCKED_ELL: return validate_blocked_ell(m);
    }
}

// Matrices of a batch may share an array (stride 0) but not overlap.
void require_stride(int64_t stride, int64_t size, const char* argument) {
    require_size(stride, argument);
    if (stride > 0 && stride < size)
        invalid(argument, fmt::format("{} is less than the {} elements of one matrix", stride, size));
}

struct stride_names {
    const char *offsets, *indices, *values;
};

stride_names stride_names_of(heron_format format) {
    switch (format) {
        case HERON_FORMAT_COO: return {"batchStride", "batchStride", "batchStride"};
        case HERON_FORMAT_BSR: return {"offsetsBatchStride", "columnsBatchStride", "ValuesBatchStride"};
        default: return {"offsetsBatchStride", "columnsValuesBatchStride", "columnsValuesBatchStride"};
    }
}

}  // namespace

uint64_t next_stamp() {
    static std::atomic<uint64_t> stamp{0};
    return ++stamp;
}

void require_aligned(const void* p, size_t size, const char* argument) {
    if (reinterpret_cast<uintptr_t>(p) % size != 0)
        invalid(argument, fmt::format("is not aligned to {} bytes", size));
}

void require_element(const void* p, size_t size, const char* argument) {
    require_aligned(required(p, argument), size, argument);
}

dense_vector::dense_vector(const heron_dnvec& v, core::access a) : value(v), access(a) {
    require_size(v.size, "size");
    require_aligned(v.values, size_of(v.type), "values");
}

void dense_vector::set_values(void* values) {
    require_aligned(values, size_of(value.type), "values");
    value.values = values;
}

sparse_vector::sparse_vector(const heron_spvec& v, core::access a) : value(v), access(a) {
    require_size(v.size, "size");
    require_size(v.nnz, "nnz");
    if (v.nnz > v.size) invalid("nnz", fmt::format("{} is more than size {}", v.nnz, v.size));
    require_indices_hold(v.index_type, v.size - 1, v.base, "size");
    require_aligned(v.indices, size_of(v.index_type), "indices");
    require_aligned(v.values, size_of(v.type), "values");
}

void sparse_vector::set_values(void* values) {
    require_aligned(values, size_of(value.type), "values");
    value.values = values;
}

dense_matrix::dense_matrix(const heron_dnmat& m, core::access a) : value(m), access(a) {
    require_size(m.rows, "rows");
    require_size(m.cols, "cols");
    const int64_t smallest = m.order == HERON_ORDER_ROW ? m.cols : m.rows;
    if (m.ld < smallest) invalid("ld", fmt::format("{} is less than {}", m.ld, smallest));
    const int64_t lines = m.order == HERON_ORDER_ROW ? m.rows : m.cols;
    if (lines > 0)
        require(m.ld <= most / lines, "ld", "times the matrix's other size is more than any memory holds");
    require_aligned(m.values, size_of(m.type), "values");
    value.batch_count = 1;
}

void dense_matrix::set_values(void* values) {
    require_aligned(values, size_of(value.type), "values");
    value.values = values;
}

void dense_matrix::set_batch(int count, int64_t stride) {
    require(count > 0, "batchCount", "must be positive");
    require_size(stride, "batchStride");
    const int64_t lines = value.order == HERON_ORDER_ROW ? value.rows : value.cols;
    if (stride != 0 && lines > 0 && stride / lines < value.ld)
        invalid("batchStride", fmt::format("{} is neither 0 nor at least ld * {}", stride, lines));
    value.batch_count = count;
    value.batch_stride = stride;
}

sparse_matrix::sparse_matrix(const heron_spmat& m, core::access a) : value(m), access(a) {
    validate(m);
    value.batch_count = 1;
}

void sparse_matrix::set_batch(int count, int64_t offsets_stride, int64_t indices_stride,
                              int64_t values_stride) {
    require(count > 0, "batchCount", "must be positive");
    const stride_names names = stride_names_of(value.format);
    const int64_t block_rows = value.format == HERON_FORMAT_BSR ? value.block_rows : 1;
    const int64_t block_cols = value.format == HERON_FORMAT_BSR ? value.block_cols : 1;
    require_stride(offsets_stride, value.rows / block_rows + 1, names.offsets);
    require_stride(indices_stride, value.nnz, names.indices);
    require_stride(values_stride, value.nnz * block_rows * block_cols, names.values);
    value.batch_count = count;
    value.offsets_stride = offsets_stride;
    value.indices_stride = indices_stride;
    value.values_stride = values_stride;
}

void sparse_matrix::set_pattern(void* offsets, void* row_indices, void* indices, void* values) {
    heron_spmat changed = value;
    changed.offsets = offsets;
    changed.row_indices = row_indices;
    changed.indices = indices;
    changed.values = values;
    validate(changed);
    value = changed;
    values_stamp = next_stamp();
    plans.clear();
}

void sparse_matrix::set_values(void* values) {
    require_aligned(values, size_of(value.type), "values");
    value.values = values;
    values_stamp = next_stamp();
}

}  // namespace heron::core
