#pragma once
// From an operation's arguments to a launch: which tile, and what the kernel is told.
#include "items.cuh"
#include "large_launch.cuh"
#include "stream_launch.cuh"
#include <cmath>

namespace heron::HERON_LEVEL::dense_cuda {

template <class CT>
operand as_operand(const places& at, int64_t line_step, int64_t depth_step) {
    return {at, line_step, depth_step, line_step == 1 && is_aligned<CT>(at, depth_step)};
}

// op(A) by rows and op(B) by columns.
template <class CT>
operand row_operand(const places& at, heron_operation op, int64_t ld) {
    return as_operand<CT>(at, plans::dense_row_step(op, ld), plans::dense_column_step(op, ld));
}
template <class CT>
operand column_operand(const places& at, heron_operation op, int64_t ld) {
    return as_operand<CT>(at, plans::dense_column_step(op, ld), plans::dense_row_step(op, ld));
}

template <class CT>
places place_of(const heron_dense_operand& o) {
    return {static_cast<const CT*>(o.memory) + o.offset, nullptr, 0, 0, 0};
}
inline places place_of(const heron_batch_operand& o) {
    return {o.base, o.list, o.stride, o.list_step, plans::dense_kind(o)};
}

// real: the number on the device is a real one.
template <class CT>
scalar<CT> as_scalar(const heron_scalar& s, bool real) {
    using R = real_of<CT>;
    return {scalar_value<CT>(s.re, s.im), real ? nullptr : static_cast<const CT*>(s.device),
            real ? static_cast<const R*>(s.device) : nullptr};
}

template <class Tile, bool conjugates_b>
void launch(cuda_device& device, const parameters<typename Tile::CT>& p) {
    const auto kernel = &multiply<Tile, conjugates_b>;
    constexpr int bytes = tile_product<Tile, conjugates_b>::shared_bytes;
    static_assert(bytes <= 99 * 1024);
    device.launch_blocks(kernel, tiles_of_item<Tile>(p) * p.count, Tile::threads, bytes, p);
}

template <class Tile>
void launch(cuda_device& device, const parameters<typename Tile::CT>& p, bool conjugates_b) {
    if constexpr (!std::is_same_v<typename Tile::CT, real_of<typename Tile::CT>>)
        if (conjugates_b) return launch<Tile, true>(device, p);
    launch<Tile, false>(device, p);
}

template <class Tile, bool a_by_depth, bool b_by_depth>
void launch_items(cuda_device& device, const parameters<typename Tile::CT>& p, bool conjugates_b) {
    constexpr int bytes = item_product<Tile, a_by_depth, b_by_depth>::shared_bytes;
    device.launch_blocks(&multiply_items<Tile, a_by_depth, b_by_depth>, tiles_of(p.count, Tile::items),
                         Tile::threads, bytes, p, conjugates_b);
}

// False where items are not small, or lie in memory in ways that they seldom do.
template <class Tile>
bool launch_items(cuda_device& device, const parameters<typename Tile::CT>& p, bool conjugates_b) {
    if (p.m > Tile::lines || p.n > Tile::lines || p.count / Tile::items >= INT32_MAX) return false;
    const bool a_by_depth = p.a[0].depth_step == 1, b_by_depth = p.b[0].depth_step == 1;
    if (a_by_depth && b_by_depth)
        launch_items<Tile, true, true>(device, p, conjugates_b);
    else if (a_by_depth)
        launch_items<Tile, true, false>(device, p, conjugates_b);
    else if (b_by_depth)
        launch_items<Tile, false, true>(device, p, conjugates_b);
    else
        launch_items<Tile, false, false>(device, p, conjugates_b);
    return true;
}

// The transpose of the product: C^T = B^T*A^T.
template <class CT>
void turn(parameters<CT>& p) {
    std::swap(p.m, p.n);
    for (int t = 0; t < p.terms; ++t) std::swap(p.a[t], p.b[t]);
    std::swap(p.c_step, p.ldc);
}

// The tile that is the soonest ready; the smallest for matrices not larger than it.
template <class CT>
void choose(cuda_device& device, parameters<CT> p, bool conjugates_a, bool conjugates_b) {
    using tiles = tiles_for<CT>;
    // Tiles are narrow rather than low.
    constexpr int64_t low = 16;
    if (p.count == 1 && p.stored == part::all && p.m <= low && p.n > 4 * low) {
        turn(p);
        std::swap(conjugates_a, conjugates_b);
    }
    // conj(A)*B = conj(A*conj(B)): at most B is conjugated while it is multiplied.
    p.conjugate_sum = conjugates_a;
    const bool conjugates = conjugates_a != conjugates_b;
    if (p.count > 1 && launch_items<typename tiles::items16>(device, p, conjugates)) return;
    constexpr int64_t most_lines = 128;
    if (p.count >= device.multiprocessors() && p.m <= most_lines && p.n <= most_lines &&
        launch_batch(device, p, conjugates, static_cast<const typename tiles::batches*>(nullptr)))
        return;
    if (p.m <= tiles::tiny::rows && p.n <= tiles::tiny::columns)
        return launch<typename tiles::tiny>(device, p, conjugates);
    using small = typename tiles::small;
    if (!launch_fastest(device, p, conjugates, duration<small>(p, device.multiprocessors()),
                        std::make_index_sequence<std::tuple_size_v<typename tiles::large>>{}))
        launch<typename small::tile>(device, p, conjugates);
}

template <class CT>
parameters<CT> parameters_of(const heron_gemm_args& g) {
    parameters<CT> p{};
    p.m = g.m;
    p.n = g.n;
    p.k = g.k;
    p.count = p.terms = p.splits = 1;
    p.a[0] = row_operand<CT>(place_of<CT>(g.a), g.op_a, g.a.ld);
    p.b[0] = column_operand<CT>(place_of<CT>(g.b), g.op_b, g.b.ld);
    p.alpha = as_scalar<CT>(g.alpha, false);
    p.beta = as_scalar<CT>(g.beta, false);
    p.c = place_of<CT>(g.c);
    p.ldc = g.c.ld;
    p.c_step = 1;
    return p;
}

template <class CT>
parameters<CT> parameters_of(const heron_gemm_batched_args& g) {
    parameters<CT> p{};
    p.m = g.m;
    p.n = g.n;
    p.k = g.k;
    p.count = g.count;
    p.terms = p.splits = 1;
    p.a[0] = row_operand<CT>(place_of(g.a), g.op_a, g.lda);
    p.b[0] = column_operand<CT>(place_of(g.b), g.op_b, g.ldb);
    p.alpha = as_scalar<CT>(g.alpha, false);
    p.beta = as_scalar<CT>(g.beta, false);
    p.c = place_of(g.c);
    p.ldc = g.ldc;
    p.c_step = 1;
    return p;
}

// A product with a symmetric matrix. False where the matrices cannot be copied in pieces of 16 bytes.
template <class CT>
bool symm_of(cuda_device& device, const heron_symm_args& s) {
    const bool is_left = s.side == HERON_SIDE_LEFT, is_lower = s.fill == HERON_FILL_LOWER;
    operand whole{place_of<CT>(s.a), is_lower ? 1 : s.a.ld, is_lower ? s.a.ld : 1, 0};
    whole.mirrored = !s.hermitian          ? mirror::symmetric
                     : is_lower == is_left ? mirror::hermitian_behind
                                           : mirror::hermitian_before;
    parameters<CT> p{};
    p.m = s.m;
    p.n = s.n;
    p.k = is_left ? s.m : s.n;
    p.count = p.terms = p.splits = 1;
    p.a[0] = is_left ? whole : row_operand<CT>(place_of<CT>(s.b), HERON_OP_NONE, s.b.ld);
    p.b[0] = is_left ? column_operand<CT>(place_of<CT>(s.b), HERON_OP_NONE, s.b.ld) : whole;
    const operand by_lines = as_operand<CT>(whole.at, 1, s.a.ld);
    const layout other = is_left ? layout_of<CT, true>(p.b[0], p.n) : layout_of<CT, true>(p.a[0], p.m);
    if (other != (is_left ? layout::depth : layout::lines) ||
        layout_of<CT, true>(by_lines, p.k) != layout::lines)
        return false;
    p.alpha = as_scalar<CT>(s.alpha, false);
    p.beta = as_scalar<CT>(s.beta, false);
    p.c = place_of<CT>(s.c);
    p.ldc = s.c.ld;
    p.c_step = 1;
    return launch_fastest(device, p, false, HUGE_VAL,
                          std::make_index_sequence<std::tuple_size_v<typename tiles_for<CT>::large>>{});
}

template <class CT, class Args>
void gemm_of(cuda_device& device, const Args& g) {
    choose(device, parameters_of<CT>(g), plans::is_conjugated(g.op_a), plans::is_conjugated(g.op_b));
}

// A product of matrices as they are, by the first of the large tiles.
template <class CT>
void study_of(cuda_device& device, const heron_gemm_args& g) {
    using tile = typename std::tuple_element_t<0, typename tiles_for<CT>::large>::tile;
    const parameters<CT> p = parameters_of<CT>(g);
    if (layout_of<CT, tile::keeps_depth>(p.a[0], p.m) != layout::lines ||
        layout_of<CT, tile::keeps_depth>(p.b[0], p.n) != layout::depth || !is_usable<tile>(device, p))
        throw plan_error{HERON_NOT_SUPPORTED, "parts of this product's kernel cannot be left out"};
    const int left_out = plans::parts_left_out(g);
    const auto does = [&](int part) { return (left_out & part) == 0; };
    const part_of_work work{does(HERON_GEMM_WITHOUT_PACKING), does(HERON_GEMM_WITHOUT_LOADS),
                            does(HERON_GEMM_WITHOUT_ARITHMETIC), does(HERON_GEMM_WITHOUT_STORES)};
    device.launch_blocks(&study_large<tile, layout::lines, layout::depth>, large_tiles_of_item<tile>(p),
                         tile::threads,
                         large_product<tile, layout::lines, layout::depth, false>::shared_bytes, p, work);
}

template <class CT>
void gemmt_of(cuda_device& device, const heron_gemmt_args& g) {
    parameters<CT> p{};
    p.m = p.n = g.n;
    p.k = g.k;
    p.count = p.splits = 1;
    p.terms = g.terms;
    p.conjugate_second = g.conjugate_second;
    p.hermitian = g.hermitian;
    p.stored = g.fill == HERON_FILL_LOWER ? part::lower : part::upper;
    for (int t = 0; t < g.terms; ++t) {
        p.a[t] = row_operand<CT>(place_of<CT>(g.a[t]), g.op_a, g.a[t].ld);
        p.b[t] = column_operand<CT>(place_of<CT>(g.b[t]), g.op_b, g.b[t].ld);
    }
    p.alpha = as_scalar<CT>(g.alpha, plans::has_real_alpha(g));
    p.beta = as_scalar<CT>(g.beta, g.hermitian != 0);
    p.c = place_of<CT>(g.c);
    p.ldc = g.c.ld;
    p.c_step = 1;
    choose(device, p, plans::is_conjugated(g.op_a), plans::is_conjugated(g.op_b));
}

}  // namespace heron::HERON_LEVEL::dense_cuda
