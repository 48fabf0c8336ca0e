#include "descriptors.hpp"
#include "element_types.hpp"
#include <fmt/format.h>

namespace heron::core {
namespace {

int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

void require_size(int64_t n, const char* argument) {
    if (n < 0) invalid(argument, fmt::format("{} is negative", n));
}

// rows*cols >= count without overflow.
bool fits(int64_t rows, int64_t cols, int64_t count) {
    if (rows == 0 || cols == 0) return count == 0;
    return count / rows < cols || (count / rows == cols && count % rows == 0);
}

void require_indices_hold(heron_index_type type, int64_t largest_index, const char* argument) {
    if (largest_index > largest(type)) invalid(argument, fmt::format("32-bit indices cannot hold {}", largest_index));
}

void validate_compressed(const heron_spmat& m, int64_t segments, int64_t indexed, const char* offsets, const char* indices,
                         const char* values) {
    if (!fits(m.rows, m.cols, m.nnz))
        invalid("nnz", fmt::format("{} is more than {} x {} elements", m.nnz, m.rows, m.cols));
    require_indices_hold(m.offset_type, m.nnz + m.base, "nnz");
    require_indices_hold(m.index_type, indexed - 1 + m.base, "cols");
    // Old programs pass NULL offsets for an empty matrix.
    require_array(m.offsets, m.offsets || m.nnz > 0 ? segments + 1 : 0, size_of(m.offset_type), offsets);
    require_array(m.indices, m.indices ? m.nnz : 0, size_of(m.index_type), indices);
    require_array(m.values, m.values ? m.nnz : 0, size_of(m.type), values);
}

void validate_coo(const heron_spmat& m) {
    if (!fits(m.rows, m.cols, m.nnz))
        invalid("nnz", fmt::format("{} is more than {} x {} elements", m.nnz, m.rows, m.cols));
    require_indices_hold(m.index_type, m.rows - 1 + m.base, "rows");
    require_indices_hold(m.index_type, m.cols - 1 + m.base, "cols");
    require_array(m.row_indices, m.row_indices ? m.nnz : 0, size_of(m.index_type), "cooRowInd");
    require_array(m.indices, m.indices ? m.nnz : 0, size_of(m.index_type), "cooColInd");
    require_array(m.values, m.values ? m.nnz : 0, size_of(m.type), "cooValues");
}

void validate_bsr(const heron_spmat& m) {
    require(m.block_rows > 0, "rowBlockSize", "must be positive");
    require(m.block_cols > 0, "colBlockSize", "must be positive");
    const int64_t block_rows = m.rows / m.block_rows;
    const int64_t block_cols = m.cols / m.block_cols;
    if (!fits(block_rows, block_cols, m.nnz))
        invalid("bnnz", fmt::format("{} is more than {} x {} blocks", m.nnz, block_rows, block_cols));
    require_indices_hold(m.offset_type, m.nnz + m.base, "bnnz");
    require_indices_hold(m.index_type, block_cols - 1 + m.base, "bcols");
    require_array(m.offsets, m.offsets || m.nnz > 0 ? block_rows + 1 : 0, size_of(m.offset_type), "bsrRowOffsets");
    require_array(m.indices, m.indices ? m.nnz : 0, size_of(m.index_type), "bsrColInd");
    require_array(m.values, m.values ? m.nnz : 0, size_of(m.type), "bsrValues");
}

void validate_sell(const heron_spmat& m) {
    require(m.slice_size > 0, "sliceSize", "must be positive");
    require_size(m.values_size, "sellValuesSize");
    require(m.nnz <= m.values_size, "nnz", "is more than sellValuesSize");
    require_indices_hold(m.offset_type, m.values_size + m.base, "sellValuesSize");
    require_indices_hold(m.index_type, m.cols - 1 + m.base, "cols");
    const int64_t slices = ceil_div(m.rows, m.slice_size);
    require_array(m.offsets, m.offsets || m.values_size > 0 ? slices + 1 : 0, size_of(m.offset_type), "sellSliceOffsets");
    require_array(m.indices, m.indices ? m.values_size : 0, size_of(m.index_type), "sellColInd");
    require_array(m.values, m.values ? m.values_size : 0, size_of(m.type), "sellValues");
}

void validate_blocked_ell(const heron_spmat& m) {
    require(m.block_rows > 0, "ellBlockSize", "must be positive");
    require(m.ell_cols >= 0 && m.ell_cols % m.block_rows == 0, "ellCols", "must be a multiple of ellBlockSize");
    require(m.ell_cols <= ceil_div(m.cols, m.block_rows) * m.block_rows, "ellCols", "is more than cols");
    require_indices_hold(m.index_type, ceil_div(m.cols, m.block_rows) - 1 + m.base, "cols");
    const int64_t block_rows = ceil_div(m.rows, m.block_rows);
    require_array(m.indices, m.indices ? block_rows * (m.ell_cols / m.block_rows) : 0, size_of(m.index_type), "ellColInd");
    require_array(m.values, m.values ? m.rows * m.ell_cols : 0, size_of(m.type), "ellValue");
}

void validate(const heron_spmat& m) {
    require_size(m.rows, m.format == HERON_FORMAT_BSR ? "brows" : "rows");
    require_size(m.cols, m.format == HERON_FORMAT_BSR ? "bcols" : "cols");
    require_size(m.nnz, m.format == HERON_FORMAT_BSR ? "bnnz" : "nnz");
    switch (m.format) {
        case HERON_FORMAT_COO: return validate_coo(m);
        case HERON_FORMAT_CSR: return validate_compressed(m, m.rows, m.cols, "csrRowOffsets", "csrColInd", "csrValues");
        case HERON_FORMAT_CSC: return validate_compressed(m, m.cols, m.rows, "cscColOffsets", "cscRowInd", "cscValues");
        case HERON_FORMAT_BSR: return validate_bsr(m);
        case HERON_FORMAT_SELL: return validate_sell(m);
        case HERON_FORMAT_BLOCKED_ELL: return validate_blocked_ell(m);
    }
}

}  // namespace

void require_array(const void* p, int64_t count, size_t size, const char* argument) {
    if (!p && count > 0) invalid(argument, "is NULL");
    // Complex elements need the alignment of their parts only.
    const size_t alignment = size == 16 ? 8 : size;
    if (reinterpret_cast<uintptr_t>(p) % alignment != 0)
        invalid(argument, fmt::format("is not aligned to {} bytes", alignment));
}

dense_vector::dense_vector(const heron_dnvec& v, core::access a) : value(v), access(a) {
    require_size(v.size, "size");
    require_array(v.values, v.size, size_of(v.type), "values");
}

void dense_vector::set_values(void* values) {
    require_array(values, value.size, size_of(value.type), "values");
    value.values = values;
}

sparse_vector::sparse_vector(const heron_spvec& v, core::access a) : value(v), access(a) {
    require_size(v.size, "size");
    require_size(v.nnz, "nnz");
    if (v.nnz > v.size) invalid("nnz", fmt::format("{} is more than size {}", v.nnz, v.size));
    require_indices_hold(v.index_type, v.size - 1 + v.base, "size");
    require_array(v.indices, v.nnz, size_of(v.index_type), "indices");
    require_array(v.values, v.nnz, size_of(v.type), "values");
}

void sparse_vector::set_values(void* values) {
    require_array(values, value.nnz, size_of(value.type), "values");
    value.values = values;
}

dense_matrix::dense_matrix(const heron_dnmat& m, core::access a) : value(m), access(a) {
    require_size(m.rows, "rows");
    require_size(m.cols, "cols");
    const int64_t smallest = m.order == HERON_ORDER_ROW ? m.cols : m.rows;
    if (m.ld < smallest) invalid("ld", fmt::format("{} is less than {}", m.ld, smallest));
    require_array(m.values, m.rows > 0 && m.cols > 0, size_of(m.type), "values");
    value.batch_count = 1;
}

void dense_matrix::set_values(void* values) {
    require_array(values, value.rows > 0 && value.cols > 0, size_of(value.type), "values");
    value.values = values;
}

void dense_matrix::set_batch(int count, int64_t stride) {
    require(count > 0, "batchCount", "must be positive");
    const int64_t lines = value.order == HERON_ORDER_ROW ? value.rows : value.cols;
    if (stride != 0 && stride < value.ld * lines && count > 1)
        invalid("batchStride", fmt::format("{} is neither 0 nor at least ld * {} = {}", stride, lines, value.ld * lines));
    value.batch_count = count;
    value.batch_stride = stride;
}

sparse_matrix::sparse_matrix(const heron_spmat& m, core::access a) : value(m), access(a) {
    validate(m);
    value.batch_count = 1;
}

void sparse_matrix::set_batch(int count, int64_t offsets_stride, int64_t indices_stride, int64_t values_stride) {
    require(count > 0, "batchCount", "must be positive");
    require_size(offsets_stride, "offsetsBatchStride");
    require_size(indices_stride, "columnsBatchStride");
    require_size(values_stride, "valuesBatchStride");
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
    plans.clear();
}

void sparse_matrix::set_values(void* values) {
    require_array(values, value.nnz, size_of(value.type), "values");
    value.values = values;
}

}  // namespace heron::core
