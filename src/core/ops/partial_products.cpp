#include "partial_products.hpp"
#include "core/submit.hpp"

namespace heron::core {
namespace {

void require_sizes(int64_t rows, int64_t cols, int64_t x, int64_t y) {
    if (x != cols) invalid(role::x, fmt::format("size {} differs from op(A)'s {} columns", x, cols));
    if (y != rows) invalid(role::y, fmt::format("size {} differs from op(A)'s {} rows", y, rows));
}

void require_mask(const row_mask& mask, const heron_spmat& a) {
    const int64_t block_rows = a.rows / a.block_rows;
    require_count(mask.count, role::count);
    if (mask.count > block_rows)
        invalid(role::count, fmt::format("{} is more than {} block rows", mask.count, block_rows));
    require_aligned(mask.rows, sizeof *mask.rows, role::mask);
    require_aligned(mask.ends, sizeof *mask.ends, role::ends);
    if (mask.count == 0) return;
    required(mask.rows, role::mask);
    required(mask.ends, role::ends);
    require_offsets(a, role::a);
}

// HERON_VALIDATE=1: the rows of the mask, where these begin and end, and their columns.
void validate_mask(context& c, const row_mask& mask, const heron_spmat& a) {
    if (!validating() || mask.count == 0) return;
    const int64_t block_rows = a.rows / a.block_rows;
    const auto rows = download(c, mask.rows, mask.count, HERON_INDEX_32);
    const auto begins = download(c, a.offsets, block_rows, HERON_INDEX_32);
    const auto ends = download(c, mask.ends, block_rows, HERON_INDEX_32);
    const auto columns = download(c, a.indices, a.nnz, HERON_INDEX_32);
    for (const int64_t named : rows) {
        const int64_t row = named - a.base;
        if (row < 0 || row >= block_rows) invalid(role::mask, fmt::format("has {}, out of range", named));
        const int64_t begin = begins[static_cast<size_t>(row)] - a.base;
        const int64_t end = ends[static_cast<size_t>(row)] - a.base;
        if (begin < 0 || begin > end || end > a.nnz)
            invalid(role::ends, fmt::format("block row {} has the blocks {} to {}", row, begin, end - 1));
        for (int64_t k = begin; k < end; ++k)
            if (const int64_t column = columns[static_cast<size_t>(k)] - a.base;
                column < 0 || column >= a.cols / a.block_cols)
                invalid(argument{role::a, part::indices},
                        fmt::format("block row {} has column {}", row, column));
    }
}

}  // namespace

void gemvi(context& c, const phase_call& phase, heron_operation op, const void* alpha, const heron_dnmat& a,
           const heron_spvec& x, const void* beta, const heron_dnvec& y) {
    require_sizes(rows_of(op, a), cols_of(op, a), x.size, y.size);
    if (phase.phase == HERON_PHASE_SIZE) {
        *required(phase.size, role::workspace_size) = least_workspace;
        return;
    }
    if (x.nnz > 0) require_arrays(a, role::a);
    require_arrays(x, role::x);
    require_arrays(y, role::y);
    validate_contents(c, x, role::x);
    heron_gemvi_args args{};
    args.op = op;
    args.alpha = scalar_argument(c, alpha, a.type, role::alpha);
    args.a = a;
    args.x = x;
    args.beta = scalar_argument(c, beta, a.type, role::beta);
    args.y = y;
    args.type = a.type;
    if (y.size > 0) run_in<operation::gemvi>(c, args, nullptr);
}

void masked_spmv(context& c, const row_mask& mask, const void* alpha, const heron_spmat& a,
                 const heron_dnvec& x, const void* beta, const heron_dnvec& y) {
    require_sizes(a.rows, a.cols, x.size, y.size);
    require_mask(mask, a);
    require_arrays(a, role::a);
    require_arrays(x, role::x);
    require_arrays(y, role::y);
    validate_mask(c, mask, a);
    heron_masked_spmv_args args{};
    args.alpha = scalar_argument(c, alpha, a.type, role::alpha);
    args.a = a;
    args.ends = mask.ends;
    args.mask = mask.rows;
    args.mask_count = mask.count;
    args.x = x;
    args.beta = scalar_argument(c, beta, a.type, role::beta);
    args.y = y;
    args.type = a.type;
    if (mask.count > 0) run_in<operation::masked_spmv>(c, args, nullptr);
}

}  // namespace heron::core
