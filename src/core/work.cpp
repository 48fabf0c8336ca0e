#include "work.hpp"
#include "element_types.hpp"

namespace heron::core {
namespace {

double real(int64_t n) { return static_cast<double>(n); }

// A multiplication and an addition.
double flops_per_step(heron_type type) { return is_complex(type) ? 8 : 2; }

double bytes_of(int64_t count, heron_type type) { return real(count) * static_cast<double>(size_of(type)); }
double bytes_of(int64_t count, heron_index_type type) {
    return real(count) * static_cast<double>(size_of(type));
}

bool is_read(const heron_scalar& beta) { return beta.device || beta.re != 0 || beta.im != 0; }

int64_t stored(const heron_spmat& m) {
    switch (m.format) {
        case HERON_FORMAT_BSR: return m.nnz * m.block_rows * m.block_cols;
        case HERON_FORMAT_SELL: return m.values_size;
        case HERON_FORMAT_BLOCKED_ELL: return m.rows * m.ell_cols;
        default: return m.nnz;
    }
}

int64_t offsets_of(const heron_spmat& m) {
    if (!m.offsets) return 0;
    const int64_t lines = m.format == HERON_FORMAT_BSR    ? m.rows / (m.block_rows ? m.block_rows : 1)
                          : m.format == HERON_FORMAT_SELL ? m.rows / (m.slice_size ? m.slice_size : 1)
                                                          : m.rows;
    return lines + 1;
}

double bytes_of(const heron_spmat& m) {
    const int64_t indices = m.format == HERON_FORMAT_SELL ? m.values_size : m.nnz;
    return bytes_of(stored(m), m.type) + bytes_of(m.row_indices ? 2 * indices : indices, m.index_type) +
           bytes_of(offsets_of(m), m.offset_type);
}

double bytes_of(const heron_dnmat& m) { return bytes_of(m.rows * m.cols, m.type); }

int64_t at_least_one(int32_t count) { return count > 1 ? count : 1; }

}  // namespace

work work_of_args(const heron_spmv_args& args) {
    const double y = bytes_of(args.y.size, args.y.type);
    return {flops_per_step(args.compute_type) * real(stored(args.a)),
            bytes_of(args.a) + bytes_of(args.x.size, args.x.type) + (is_read(args.beta) ? 2 * y : y)};
}

work work_of_args(const heron_spmm_args& args) {
    const double batch = real(at_least_one(args.c.batch_count)), c = bytes_of(args.c);
    return {flops_per_step(args.compute_type) * real(stored(args.a)) * real(args.c.cols) * batch,
            batch * (bytes_of(args.a) + bytes_of(args.b) + (is_read(args.beta) ? 2 * c : c))};
}

work work_of_args(const heron_sddmm_args& args) {
    const double batch = real(at_least_one(args.c.batch_count));
    const double values = bytes_of(stored(args.c), args.c.type);
    return {
        batch * flops_per_step(args.compute_type) * real(stored(args.c)) * real(args.k),
        batch * (bytes_of(args.c) + (is_read(args.beta) ? values : 0) +
                 bytes_of(args.c.rows * args.k, args.a.type) + bytes_of(args.c.cols * args.k, args.b.type))};
}

work work_of_args(const heron_trisolve_args& args) {
    return {flops_per_step(args.type) * real(stored(args.a)) * real(args.c.cols),
            bytes_of(args.a) + bytes_of(args.b) + bytes_of(args.c)};
}

work work_of_args(const heron_gemm_args& args) {
    const double c = bytes_of(args.m * args.n, args.type);
    return {flops_per_step(args.type) * real(args.m) * real(args.n) * real(args.k),
            bytes_of(args.m * args.k + args.k * args.n, args.type) + (is_read(args.beta) ? 2 * c : c)};
}

work work_of_args(const heron_gemm_batched_args& args) {
    const double count = real(args.count), c = bytes_of(args.m * args.n, args.type);
    return {
        count * flops_per_step(args.type) * real(args.m) * real(args.n) * real(args.k),
        count * (bytes_of(args.m * args.k + args.k * args.n, args.type) + (is_read(args.beta) ? 2 * c : c))};
}

work work_of_args(const heron_gemmt_args& args) {
    // C's triangle is half of it; one term has one operand, or two of which each is half needed.
    const double c = bytes_of(args.n * (args.n + 1) / 2, args.type);
    return {flops_per_step(args.type) * args.terms * real(args.n) * real(args.n + 1) / 2 * real(args.k),
            args.terms * bytes_of(args.n * args.k, args.type) + (is_read(args.beta) ? 2 * c : c)};
}

work work_of_args(const heron_symm_args& args) {
    const int64_t order = args.side == HERON_SIDE_LEFT ? args.m : args.n;
    const double c = bytes_of(args.m * args.n, args.type);
    return {
        flops_per_step(args.type) * real(args.m) * real(args.n) * real(order),
        bytes_of(order * (order + 1) / 2 + args.m * args.n, args.type) + (is_read(args.beta) ? 2 * c : c)};
}

work work_of_args(const heron_triangular_args& args) {
    const int64_t order = args.side == HERON_SIDE_LEFT ? args.m : args.n;
    return {flops_per_step(args.type) * real(args.m) * real(args.n) * real(order) / 2,
            bytes_of(order * (order + 1) / 2 + 2 * args.m * args.n, args.type)};
}

work work_of_numeric_product(const heron_spgemm_args& args) {
    return {flops_per_step(args.compute_type) * real(args.products),
            bytes_of(args.a.matrix) + bytes_of(args.b.matrix) + bytes_of(args.c)};
}

}  // namespace heron::core
