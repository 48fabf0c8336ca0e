#include "views.hpp"
#include "element_types.hpp"
#include <fmt/format.h>

namespace heron::core {
namespace {

int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

// No address space holds more bytes, and workspaces in proportion can still be counted.
constexpr int64_t most = int64_t{1} << 56;

void require_size(int64_t n, argument a) {
    require_count(n, a);
    if (n > most) invalid(a, fmt::format("{} is more than any memory holds", n));
}

// rows*cols >= count without overflow.
bool fits(int64_t rows, int64_t cols, int64_t count) {
    if (rows == 0 || cols == 0) return count == 0;
    return count / rows < cols || (count / rows == cols && count % rows == 0);
}

// Index values run up to last, counted from the base.
void require_indices_hold(heron_index_type type, int64_t last, int32_t base, argument a) {
    if (last > largest(type) - base)
        invalid(a, fmt::format("{} with base {} does not fit into {}-bit indices", last, base,
                               size_of(type) * 8));
}

void require_index_pair(const heron_spmat& m, argument operand) {
    if (m.offset_type == HERON_INDEX_32 && m.index_type == HERON_INDEX_64)
        not_supported(operand[part::index_type], "64-bit indices with 32-bit offsets are not supported");
}

void require_aligned_arrays(const heron_spmat& m, argument operand) {
    require_aligned(m.offsets, size_of(m.offset_type), operand[part::offsets]);
    require_aligned(m.row_indices, size_of(m.index_type), operand[part::row_indices]);
    require_aligned(m.indices, size_of(m.index_type), operand[part::indices]);
    require_aligned(m.values, size_of(m.type), operand[part::values]);
}

void require_nnz(const heron_spmat& m, argument operand) {
    if (!fits(m.rows, m.cols, m.nnz))
        invalid(operand[part::nnz], fmt::format("{} is more than {} x {} elements", m.nnz, m.rows, m.cols));
}

void check_compressed(const heron_spmat& m, argument operand) {
    const bool by_rows = m.format == HERON_FORMAT_CSR;
    require_nnz(m, operand);
    require_index_pair(m, operand);
    require_indices_hold(m.offset_type, m.nnz, m.base, operand[part::nnz]);
    require_indices_hold(m.index_type, (by_rows ? m.cols : m.rows) - 1, m.base,
                         operand[by_rows ? part::cols : part::rows]);
}

void check_coo(const heron_spmat& m, argument operand) {
    require_nnz(m, operand);
    require_indices_hold(m.index_type, m.rows - 1, m.base, operand[part::rows]);
    require_indices_hold(m.index_type, m.cols - 1, m.base, operand[part::cols]);
}

void check_bsr(const heron_spmat& m, argument operand) {
    require(m.block_rows > 0, operand[part::block_rows], "must be positive");
    require(m.block_cols > 0, operand[part::block_cols], "must be positive");
    if (m.block_rows > most / m.block_cols)
        invalid(operand[part::block_rows], "times @ is more than any memory holds",
                operand[part::block_cols]);
    const int64_t block_rows = m.rows / m.block_rows;
    const int64_t block_cols = m.cols / m.block_cols;
    if (!fits(block_rows, block_cols, m.nnz))
        invalid(operand[part::nnz],
                fmt::format("{} is more than {} x {} blocks", m.nnz, block_rows, block_cols));
    require(m.nnz <= most / m.block_rows / m.block_cols, operand[part::nnz],
            "times the block's size is more than any memory holds");
    require_index_pair(m, operand);
    require_indices_hold(m.offset_type, m.nnz, m.base, operand[part::nnz]);
    require_indices_hold(m.index_type, block_cols - 1, m.base, operand[part::cols]);
}

void check_sell(const heron_spmat& m, argument operand) {
    require(m.slice_size > 0, operand[part::slice_size], "must be positive");
    require_size(m.slice_size, operand[part::slice_size]);
    require_size(m.values_size, operand[part::values_size]);
    if (m.nnz > m.values_size) invalid(operand[part::nnz], "is more than @", operand[part::values_size]);
    require_index_pair(m, operand);
    require_indices_hold(m.offset_type, m.values_size, m.base, operand[part::values_size]);
    require_indices_hold(m.index_type, m.cols - 1, m.base, operand[part::cols]);
}

void check_blocked_ell(const heron_spmat& m, argument operand) {
    const argument width = operand[part::ell_cols];
    require(m.block_rows > 0, operand[part::block_rows], "must be positive");
    if (m.ell_cols < 0 || m.ell_cols % m.block_rows != 0)
        invalid(width, "must be a multiple of @", operand[part::block_rows]);
    if (m.ell_cols > ceil_div(m.cols, m.block_rows) * m.block_rows)
        invalid(width, "is more than @", operand[part::cols]);
    if (m.rows > 0 && m.ell_cols > most / m.rows)
        invalid(width, "times @ is more than any memory holds", operand[part::rows]);
    require_indices_hold(m.index_type, ceil_div(m.cols, m.block_rows) - 1, m.base, operand[part::cols]);
}

void check_format(const heron_spmat& m, argument operand) {
    switch (m.format) {
        case HERON_FORMAT_COO: return check_coo(m, operand);
        case HERON_FORMAT_CSR:
        case HERON_FORMAT_CSC: return check_compressed(m, operand);
        case HERON_FORMAT_BSR: return check_bsr(m, operand);
        case HERON_FORMAT_SELL: return check_sell(m, operand);
        case HERON_FORMAT_BLOCKED_ELL: return check_blocked_ell(m, operand);
    }
}

// Matrices of a batch may share an array (stride 0) but not overlap.
void require_stride(int64_t stride, int64_t size, argument a) {
    require_size(stride, a);
    if (stride > 0 && stride < size)
        invalid(a, fmt::format("{} is less than the {} elements of one matrix", stride, size));
}

void check_batch(const heron_spmat& m, argument operand) {
    const bool blocks = m.format == HERON_FORMAT_BSR;
    const int64_t block_size = blocks ? m.block_rows * m.block_cols : 1;
    require(m.batch_count > 0, operand[part::batch_count], "must be positive");
    require_stride(m.offsets_stride, m.rows / (blocks ? m.block_rows : 1) + 1, operand[part::offsets_stride]);
    require_stride(m.indices_stride, m.nnz, operand[part::indices_stride]);
    require_stride(m.values_stride, m.nnz * block_size, operand[part::values_stride]);
}

}  // namespace

void require_aligned(const void* p, size_t size, const subject& about) {
    if (reinterpret_cast<uintptr_t>(p) % size != 0)
        invalid(about, fmt::format("is not aligned to {} bytes", size));
}

void require_count(int64_t n, const subject& about) {
    if (n < 0) invalid(about, fmt::format("{} is negative", n));
}

void require_element(const void* p, size_t size, const subject& about) {
    require_aligned(required(p, about), size, about);
}

const heron_dnvec& checked(const heron_dnvec& v, argument operand) {
    require_size(v.size, operand[part::size]);
    require_aligned(v.values, size_of(v.type), operand[part::values]);
    return v;
}

const heron_spvec& checked(const heron_spvec& v, argument operand) {
    require_size(v.size, operand[part::size]);
    require_size(v.nnz, operand[part::nnz]);
    if (v.nnz > v.size) invalid(operand[part::nnz], fmt::format("{} is more than size {}", v.nnz, v.size));
    require_indices_hold(v.index_type, v.size - 1, v.base, operand[part::size]);
    require_aligned(v.indices, size_of(v.index_type), operand[part::indices]);
    require_aligned(v.values, size_of(v.type), operand[part::values]);
    return v;
}

const heron_dnmat& checked(const heron_dnmat& m, argument operand) {
    const int64_t lines = m.order == HERON_ORDER_ROW ? m.rows : m.cols;
    const int64_t line = m.order == HERON_ORDER_ROW ? m.cols : m.rows;
    require_size(m.rows, operand[part::rows]);
    require_size(m.cols, operand[part::cols]);
    if (m.ld < line) invalid(operand[part::ld], fmt::format("{} is less than {}", m.ld, line));
    if (lines > 0)
        require(m.ld <= most / lines, operand[part::ld],
                "times the matrix's other size is more than any memory holds");
    require_aligned(m.values, size_of(m.type), operand[part::values]);
    require(m.batch_count > 0, operand[part::batch_count], "must be positive");
    // The stride of one matrix means nothing.
    if (m.batch_count == 1) return m;
    require_size(m.batch_stride, operand[part::stride]);
    if (m.batch_stride != 0 && lines > 0 && m.batch_stride / lines < m.ld)
        invalid(operand[part::stride],
                fmt::format("{} is neither 0 nor at least ld * {}", m.batch_stride, lines));
    return m;
}

const heron_spmat& checked(const heron_spmat& m, argument operand) {
    require_size(m.rows, operand[part::rows]);
    require_size(m.cols, operand[part::cols]);
    require_size(m.nnz, operand[part::nnz]);
    check_format(m, operand);
    require_aligned_arrays(m, operand);
    check_batch(m, operand);
    return m;
}

void require_arrays(const heron_dnvec& v, argument operand) {
    if (v.size > 0) required(v.values, operand[part::values]);
}

void require_arrays(const heron_dnmat& m, argument operand) {
    if (m.rows > 0 && m.cols > 0) required(m.values, operand[part::values]);
}

void require_arrays(const heron_spvec& v, argument operand) {
    if (v.nnz == 0) return;
    required(v.indices, operand[part::indices]);
    required(v.values, operand[part::values]);
}

namespace {

bool stores_nothing(const heron_spmat& m) {
    const bool ell = m.format == HERON_FORMAT_BLOCKED_ELL;
    const int64_t stored = ell ? m.rows * m.ell_cols : m.format == HERON_FORMAT_SELL ? m.values_size : m.nnz;
    return m.rows == 0 || m.cols == 0 || stored == 0;
}

}  // namespace

void require_arrays(const heron_spmat& m, argument operand) {
    require_pattern(m, operand);
    if (!stores_nothing(m)) required(m.values, operand[part::values]);
}

void require_pattern(const heron_spmat& m, argument operand) {
    if (stores_nothing(m)) return;
    required(m.indices, operand[part::indices]);
    if (m.format == HERON_FORMAT_COO) required(m.row_indices, operand[part::row_indices]);
    require_offsets(m, operand);
}

void require_offsets(const heron_spmat& m, argument operand) {
    if (m.format != HERON_FORMAT_COO && m.format != HERON_FORMAT_BLOCKED_ELL)
        required(m.offsets, operand[part::offsets]);
}

const char* name_of(heron_format format) {
    static constexpr const char* names[] = {"COO", "CSR", "CSC", "BSR", "SELL", "Blocked-ELL"};
    return names[format];
}

bool conjugates(heron_operation op) { return op == HERON_OP_CONJUGATE || op == HERON_OP_CONJUGATE_TRANSPOSE; }

int64_t rows_of(heron_operation op, const heron_spmat& m) { return transposes(op) ? m.cols : m.rows; }
int64_t cols_of(heron_operation op, const heron_spmat& m) { return transposes(op) ? m.rows : m.cols; }
int64_t rows_of(heron_operation op, const heron_dnmat& m) { return transposes(op) ? m.cols : m.rows; }
int64_t cols_of(heron_operation op, const heron_dnmat& m) { return transposes(op) ? m.rows : m.cols; }

heron_operation of_the_transpose(heron_operation op) {
    switch (op) {
        case HERON_OP_NONE: return HERON_OP_TRANSPOSE;
        case HERON_OP_TRANSPOSE: return HERON_OP_NONE;
        case HERON_OP_CONJUGATE_TRANSPOSE: return HERON_OP_CONJUGATE;
        default: return HERON_OP_CONJUGATE_TRANSPOSE;
    }
}

heron_dnmat transposed(heron_dnmat m) {
    std::swap(m.rows, m.cols);
    m.order = m.order == HERON_ORDER_ROW ? HERON_ORDER_COLUMN : HERON_ORDER_ROW;
    return m;
}

void make_canonical(heron_spmat& m, heron_operation& op) {
    const bool empty = m.format == HERON_FORMAT_SELL ? m.values_size == 0 : m.nnz == 0;
    if (m.format != HERON_FORMAT_BLOCKED_ELL && (empty || m.rows == 0 || m.cols == 0)) {
        m.format = HERON_FORMAT_COO;
        m.nnz = 0;
    } else if (m.format == HERON_FORMAT_CSC) {
        m.format = HERON_FORMAT_CSR;
        std::swap(m.rows, m.cols);
        op = of_the_transpose(op);
    }
}

bool same_pattern(const heron_spmat& a, const heron_spmat& b) {
    return a.format == b.format && a.rows == b.rows && a.cols == b.cols && a.nnz == b.nnz &&
           a.offsets == b.offsets && a.row_indices == b.row_indices && a.indices == b.indices &&
           a.offset_type == b.offset_type && a.index_type == b.index_type && a.base == b.base &&
           a.block_rows == b.block_rows && a.block_cols == b.block_cols && a.block_order == b.block_order &&
           a.slice_size == b.slice_size && a.values_size == b.values_size && a.ell_cols == b.ell_cols &&
           a.batch_count == b.batch_count;
}

}  // namespace heron::core
