#pragma once
// Which tile a large product gets, and its launch.
#include "dense_large.cuh"
#include "dense_tuned.hpp"
#include <tuple>

namespace heron::HERON_LEVEL::dense_cuda {

// The tiles of a type: `large` is a tuple of candidates, `small` is for what they do not take, and `tiny` for
// matrices not larger than it.
template <class CT>
struct tiles_for;

// A tile with what a multiprocessor does when it is full of blocks, and when it has one, in percent of its
// peak, as measured.
template <class Tile, int Full, int Alone>
struct candidate {
    using tile = Tile;
    static constexpr int full = Full, alone = Alone;
};

inline int64_t tiles_of_any(int64_t m, int64_t n, bool is_triangle, int rows, int columns) {
    const int64_t r = tiles_of(m, rows), c = tiles_of(n, columns);
    return is_triangle ? r * (r + 1) / 2 * (rows / columns) : r * c;
}

// How long the busiest multiprocessor works, in no particular unit. splits: blocks that share the inner
// dimension of a tile.
template <class Candidate, class CT>
double duration(const parameters<CT>& p, int multiprocessors, int splits = 1) {
    using tile = typename Candidate::tile;
    const int64_t tiles =
        tiles_of_any(p.m, p.n, p.stored != part::all, tile::rows, tile::columns) * p.count * splits;
    const int64_t turns = tiles_of(tiles, multiprocessors);
    constexpr int blocks = tile::blocks;
    const auto resident = static_cast<double>(turns < blocks ? turns : blocks);
    const double speed =
        blocks == 1 ? Candidate::full
                    : Candidate::alone + (Candidate::full - Candidate::alone) * (resident - 1) / (blocks - 1);
    // Begin and end of a tile, and what blocks tell each other, in steps of the inner dimension.
    constexpr double ends = 24 + 72.0 / blocks, exchange = 80;
    const double steps = static_cast<double>(p.k * p.terms) / splits + (splits > 1 ? ends + exchange : ends);
    return static_cast<double>(turns) * (tile::rows * tile::columns) * steps / speed;
}

template <class CT>
bool is_aligned(const places& at, int64_t step) {
    const auto is_multiple = [](int64_t bytes) { return bytes % 16 == 0; };
    constexpr int64_t size = sizeof(CT);
    return at.kind == 0 && is_multiple(static_cast<int64_t>(reinterpret_cast<intptr_t>(at.base))) &&
           is_multiple(at.stride * size) && is_multiple(step * size);
}

// Of addresses in a list the kernel finds out itself.
template <class CT>
bool may_be_aligned(const places& at, int64_t step) {
    constexpr int64_t size = sizeof(CT);
    return at.kind == 0 ? is_aligned<CT>(at, step) : step * size % 16 == 0;
}

template <class CT, bool keeps_depth>
layout layout_of(const operand& o, int64_t lines) {
    constexpr int64_t wide = 16 / sizeof(CT);
    if (o.line_step == 1 && may_be_aligned<CT>(o.at, o.depth_step) && lines % wide == 0) return layout::lines;
    if (o.depth_step == 1 && (!keeps_depth || may_be_aligned<CT>(o.at, o.line_step))) return layout::depth;
    return layout::any;
}

// One layout for all terms.
template <class CT, bool keeps_depth>
layout layout_of(const operand (&o)[2], int terms, int64_t lines) {
    const layout first = layout_of<CT, keeps_depth>(o[0], lines);
    return terms < 2 || layout_of<CT, keeps_depth>(o[1], lines) == first ? first : layout::any;
}

template <class... Args>
void launch_clusters(cuda_device& device, void (*kernel)(Args...), int64_t clusters, int blocks, int threads,
                     int shared_bytes, std::type_identity_t<Args>... args) {
    const auto address = reinterpret_cast<const void*>(kernel);
    if (shared_bytes > cuda_device::shared_without_asking)
        check(cudaFuncSetAttribute(
            address, cudaFuncAttributeMaxDynamicSharedMemorySize,
            std::max(shared_bytes, device.shared_bytes() - cuda_device::declared_at_most)));
    if (blocks > 8) check(cudaFuncSetAttribute(address, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    cudaLaunchAttribute size{};
    size.id = cudaLaunchAttributeClusterDimension;
    size.val.clusterDim = {static_cast<unsigned>(blocks), 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(clusters * blocks));
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.dynamicSmemBytes = static_cast<size_t>(shared_bytes);
    config.stream = device.stream();
    config.attrs = &size;
    config.numAttrs = 1;
    void* pointers[] = {&args...};
    check(cudaLaunchKernelExC(&config, address, pointers));
}

template <class Tile, layout HowA, layout HowB, bool conjugates_b>
void launch_large(cuda_device& device, const parameters<typename Tile::CT>& p) {
    const auto kernel = &multiply_large<Tile, HowA, HowB, conjugates_b>;
    using product = large_product<Tile, HowA, HowB, conjugates_b>;
    const int64_t blocks = large_tiles_of_item<Tile>(p) * p.count;
    if (p.splits > 1)
        launch_clusters(device, kernel, blocks, p.splits, Tile::threads, product::split_bytes, p);
    else
        device.launch_blocks(kernel, blocks, Tile::threads, product::shared_bytes, p);
}

template <class Tile, bool conjugates_b>
void launch_layouts(cuda_device& device, const parameters<typename Tile::CT>& p) {
    using enum layout;
    using CT = typename Tile::CT;
    const layout a = layout_of<CT, Tile::keeps_depth>(p.a, p.terms, p.m);
    const layout b = layout_of<CT, Tile::keeps_depth>(p.b, p.terms, p.n);
    if (a == any || b == any) return launch_large<Tile, any, any, conjugates_b>(device, p);
    if (a == lines && b == lines) return launch_large<Tile, lines, lines, conjugates_b>(device, p);
    if (a == lines) return launch_large<Tile, lines, depth, conjugates_b>(device, p);
    if (b == lines) return launch_large<Tile, depth, lines, conjugates_b>(device, p);
    launch_large<Tile, depth, depth, conjugates_b>(device, p);
}

// What a block needs at most, whatever the layouts.
template <class Tile>
constexpr int most_shared_bytes() {
    using enum layout;
    constexpr int by_lines = large_product<Tile, lines, lines, false>::shared_bytes;
    constexpr int by_depth = large_product<Tile, depth, depth, false>::shared_bytes;
    return by_lines > by_depth ? by_lines : by_depth;
}

// Whether a large tile's offsets and numbers of steps and blocks fit into 32 bits.
template <class CT>
bool fits_large_tiles(const parameters<CT>& p) {
    constexpr int64_t most_step = INT32_MAX / 512, most_tiles = INT32_MAX / 4;
    for (int t = 0; t < p.terms; ++t)
        for (const operand& o : {p.a[t], p.b[t]})
            if (o.line_step > most_step || o.depth_step > most_step) return false;
    return p.k < INT32_MAX / 2 && tiles_of_any(p.m, p.n, false, 64, 64) * p.count < most_tiles;
}

template <class Tile>
bool is_usable(const cuda_device& device, const parameters<typename Tile::CT>& p) {
    return fits_large_tiles(p) && most_shared_bytes<Tile>() <= device.shared_bytes();
}

template <class Tile>
void launch_usable(cuda_device& device, const parameters<typename Tile::CT>& p, bool conjugates_b) {
    if constexpr (!std::is_same_v<typename Tile::CT, real_of<typename Tile::CT>>)
        if (conjugates_b) return launch_layouts<Tile, true>(device, p);
    launch_layouts<Tile, false>(device, p);
}

// False where the tile cannot be used.
template <class Tile>
bool launch_large(cuda_device& device, const parameters<typename Tile::CT>& p, bool conjugates_b) {
    if (!is_usable<Tile>(device, p)) return false;
    launch_usable<Tile>(device, p, conjugates_b);
    return true;
}

// The most blocks that can share a tile's inner dimension.
template <class Tile>
int most_splits(const cuda_device& device) {
    using product = large_product<Tile, layout::depth, layout::depth, false>;
    int current = 0, has_clusters = 0;
    check(cudaGetDevice(&current));
    check(cudaDeviceGetAttribute(&has_clusters, cudaDevAttrClusterLaunch, current));
    return has_clusters && product::split_bytes <= device.shared_bytes() ? 16 : 1;
}

// Launches the large tile that is the soonest ready; false if none is before `limit`.
template <class CT, size_t... N>
bool launch_fastest(cuda_device& device, parameters<CT>& p, bool conjugates_b, double limit,
                    std::index_sequence<N...>) {
    using all = typename tiles_for<CT>::large;
    void (*launch)(cuda_device&, const parameters<CT>&, bool) = nullptr;
    const auto consider = [&]<class C>(const C*) {
        using tile = typename C::tile;
        if (!is_usable<tile>(device, p)) return;
        const int most = most_splits<tile>(device);
        for (int splits = 1; splits <= most && (splits == 1 || p.k >= 4 * splits * tile::depth);
             splits *= 2) {
            const double time = duration<C>(p, device.multiprocessors(), splits);
            if (time >= limit) continue;
            limit = time;
            launch = &launch_usable<tile>;
            p.splits = splits;
        }
    };
    (consider(static_cast<const std::tuple_element_t<N, all>*>(nullptr)), ...);
    if (launch) launch(device, p, conjugates_b);
    return launch;
}

}  // namespace heron::HERON_LEVEL::dense_cuda
