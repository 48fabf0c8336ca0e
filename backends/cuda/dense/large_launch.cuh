#pragma once
// Which tile a large product gets, and its launch.
#include "large.cuh"
#include "tuned.hpp"
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <tuple>

namespace heron::HERON_LEVEL::dense_cuda {

// The tiles of a type: `large` is a tuple of candidates, `small` is for what they do not take, and `tiny` for
// matrices not larger than it.
template <class CT>
struct tiles_for;

// What a multiprocessor does when it is full of a tile's blocks, and when it has one, as measured (dense-2,
// dense-9, dense-10).
struct percent_of_peak {
    int full, alone;
};
template <class Tile, percent_of_peak Speed>
struct candidate {
    using tile = Tile;
    static constexpr percent_of_peak speed = Speed;
};

// What the times of products are computed from.
struct device_model {
    double real_peak, complex_peak;    // multiply-adds per microsecond of a multiprocessor
    double memory, cache;              // bytes per microsecond: operands, and results of parts
    double real_split, complex_split;  // microseconds for each block of a cluster
    double second_launch;              // microseconds
    // Begin and end of a tile, in steps of the inner dimension: of every block, and what those of a
    // multiprocessor share.
    double ends, shared_ends;
};
// The numbers fit what was measured (dense-10).
constexpr device_model h200 = {.real_peak = 253e3,
                               .complex_peak = 63e3,
                               .memory = 3.6e6,
                               .cache = 2.5e6,
                               .real_split = 1.2,
                               .complex_split = 3,
                               .second_launch = 3,
                               .ends = 24,
                               .shared_ends = 72};

inline int64_t tiles_of_any(int64_t m, int64_t n, bool is_triangle, int rows, int columns) {
    if (is_triangle) return triangle_tiles(m, rows, columns).count();
    return tiles_of(m, rows) * tiles_of(n, columns);
}

// How the inner dimension is shared: by `splits` blocks of a cluster, and in `parts` that are items of a
// batch.
struct shares {
    int splits = 1, parts = 1;
    int count() const { return splits * parts; }
};

// How long `count` blocks of a multiprocessor that work at a time take for a multiply-add each, in hundredths
// of what it takes at the peak. The more there are, the less another one adds to the speed.
template <class Candidate>
double time_of_blocks(int64_t count) {
    double lost = 1;
    for (int64_t i = 0; i < count; ++i)
        lost *= 1 - static_cast<double>(Candidate::speed.alone) / Candidate::speed.full;
    return count > 0 ? 100 * static_cast<double>(count) / (Candidate::speed.full * (1 - lost)) : 0;
}

// How long the busiest multiprocessor works, in microseconds.
template <class Candidate, class CT>
double duration(const parameters<CT>& p, int multiprocessors, shares s = {}) {
    using tile = typename Candidate::tile;
    constexpr bool is_complex = !std::is_same_v<CT, real_of<CT>>;
    constexpr device_model model = h200;
    constexpr double peak = is_complex ? model.complex_peak : model.real_peak;
    constexpr double split = is_complex ? model.complex_split : model.real_split;
    const int64_t tiles = tiles_of_any(p.m, p.n, p.stored != part::all, tile::rows, tile::columns) * p.count;
    const int64_t turns = tiles_of(tiles * s.count(), multiprocessors);
    const double blocks =
        static_cast<double>(turns / tile::blocks) * time_of_blocks<Candidate>(tile::blocks) +
        time_of_blocks<Candidate>(turns % tile::blocks);
    constexpr double ends = model.ends + model.shared_ends / tile::blocks;
    const auto all_steps = static_cast<double>(p.k * p.terms * p.count);
    const double steps = static_cast<double>(p.k * p.terms) / s.count() + ends;
    const double work = blocks * (tile::rows * tile::columns) * steps / peak;
    const double copies = static_cast<double>(p.m + p.n) * all_steps * sizeof(CT) / model.memory;
    const double exchange = s.splits > 1 ? s.splits * split : 0;
    const double sums = static_cast<double>(p.m * p.n) * s.parts * sizeof(CT);
    return std::max(work, copies) + exchange + (s.parts > 1 ? model.second_launch + sums / model.cache : 0);
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
    if constexpr (Tile::takes_depths) launch_large<Tile, depth, depth, conjugates_b>(device, p);
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
bool takes_layouts(const parameters<typename Tile::CT>& p) {
    using CT = typename Tile::CT;
    if (p.a[0].mirrored != mirror::none || p.b[0].mirrored != mirror::none) return Tile::mirrors;
    if (Tile::mirrors_only) return false;
    return Tile::takes_depths || layout_of<CT, Tile::keeps_depth>(p.a, p.terms, p.m) != layout::depth ||
           layout_of<CT, Tile::keeps_depth>(p.b, p.terms, p.n) != layout::depth;
}

template <class Tile>
bool is_usable(const cuda_device& device, const parameters<typename Tile::CT>& p) {
    constexpr bool covers_triangles = Tile::rows % Tile::columns == 0 || Tile::columns % Tile::rows == 0;
    return fits_large_tiles(p) && (covers_triangles || p.stored == part::all) && takes_layouts<Tile>(p) &&
           most_shared_bytes<Tile>() <= device.shared_bytes();
}

// A product with an operand that is mirrored; the other one is a matrix as it is.
template <class Tile>
void launch_mirrored(cuda_device& device, const parameters<typename Tile::CT>& p) {
    if (p.a[0].mirrored != mirror::none)
        launch_large<Tile, layout::mirrored, layout::depth, false>(device, p);
    else
        launch_large<Tile, layout::lines, layout::mirrored, false>(device, p);
}

template <class Tile>
void launch_usable(cuda_device& device, const parameters<typename Tile::CT>& p, bool conjugates_b) {
    if constexpr (Tile::mirrors)
        if (p.a[0].mirrored != mirror::none || p.b[0].mirrored != mirror::none)
            return launch_mirrored<Tile>(device, p);
    if constexpr (!Tile::mirrors_only) {
        if constexpr (!std::is_same_v<typename Tile::CT, real_of<typename Tile::CT>>)
            if (conjugates_b) return launch_layouts<Tile, true>(device, p);
        launch_layouts<Tile, false>(device, p);
    }
}

// False where the tile cannot be used.
template <class Tile>
bool launch_large(cuda_device& device, const parameters<typename Tile::CT>& p, bool conjugates_b) {
    if (!is_usable<Tile>(device, p)) return false;
    launch_usable<Tile>(device, p, conjugates_b);
    return true;
}

// compute-sanitizer's racecheck does not end kernels whose blocks read each other's shared memory.
inline bool clusters_are_wanted() {
    static const bool are_wanted = [] {
        const char* const text = std::getenv("HERON_CUDA_CLUSTERS");
        return !text || std::string_view(text) != "0";
    }();
    return are_wanted;
}

// The most blocks that can share a tile's inner dimension.
template <class Tile>
int most_splits(const cuda_device& device) {
    using product = large_product<Tile, layout::depth, layout::depth, false>;
    const bool can_share = device.has_clusters() && clusters_are_wanted();
    return can_share && product::split_bytes <= device.shared_bytes() ? 16 : 1;
}

// A product whose inner dimension is cut into parts, which are items of a batch; their results are added up
// in their order. The queue has memory for these.
template <class Tile>
void launch_parts(cuda_device& device, const parameters<typename Tile::CT>& p, bool conjugates_b, int parts) {
    using CT = typename Tile::CT;
    const int64_t size = p.m * p.n;
    auto* const sums = static_cast<CT*>(device.borrow_scratch());
    parameters<CT> of_parts = p, of_sum = p;
    of_parts.count = parts;
    of_parts.part = tiles_of(p.k, Tile::depth * parts) * Tile::depth;
    of_parts.beta = {};
    of_parts.hermitian = of_sum.conjugate_sum = 0;
    of_parts.c = {sums, nullptr, size, 0, 0};
    of_parts.ldc = p.m;
    of_parts.c_step = 1;
    launch_usable<Tile>(device, of_parts, conjugates_b);
    constexpr int threads = 128;
    device.launch_blocks(&join_parts<CT>, tiles_of(size, threads), threads, 0, of_sum, sums, parts);
    device.return_scratch();
}

// Calls f(shares) for all ways to share the inner dimension that may be worth while: a share has several
// steps, the device has room for all of them at a time, and the results of parts fit into scratch_bytes.
template <class Tile, class F>
void each_shares(const cuda_device& device, const parameters<typename Tile::CT>& p, size_t scratch_bytes,
                 F&& f) {
    f(shares{});
    const int64_t tiles = tiles_of_any(p.m, p.n, p.stored != part::all, Tile::rows, Tile::columns) * p.count;
    const int64_t room = tiles > 0 ? int64_t{device.multiprocessors()} * Tile::blocks / tiles : 0;
    const int64_t most = std::min(room, p.k / (4 * Tile::depth));
    if (most < 2) return;
    const int most_of_cluster = most_splits<Tile>(device);
    const auto bytes_of_part = static_cast<size_t>(p.m * p.n) * sizeof(typename Tile::CT);
    const auto most_parts = std::max<int64_t>(1, static_cast<int64_t>(scratch_bytes / bytes_of_part));
    for (shares s; s.parts <= std::min(most, most_parts); s.parts *= 2)
        for (s.splits = 1; s.splits <= most_of_cluster && s.count() <= most; s.splits *= 2)
            if (s.count() > 1) f(s);
}

template <class Tile>
void launch_shares(cuda_device& device, const parameters<typename Tile::CT>& p, bool conjugates_b,
                   int parts) {
    if (parts > 1)
        launch_parts<Tile>(device, p, conjugates_b, parts);
    else
        launch_usable<Tile>(device, p, conjugates_b);
}

template <class CT>
constexpr heron_type type_code = std::is_same_v<CT, f32>   ? HERON_R_32F
                                 : std::is_same_v<CT, f64> ? HERON_R_64F
                                 : std::is_same_v<CT, c32> ? HERON_C_32F
                                                           : HERON_C_64F;

// As the caller gave it, whether it has been turned or not.
template <class CT>
cuda::product_kind kind_of(const parameters<CT>& p, bool is_turned) {
    using enum cuda::product_kind;
    const operand &a = is_turned ? p.b[0] : p.a[0], &b = is_turned ? p.a[0] : p.b[0];
    if (a.mirrored != mirror::none) return left;
    if (b.mirrored != mirror::none) return right;
    if (p.stored != part::all) return a.line_step == 1 ? rank_n : rank_t;
    if (a.line_step == 1) return b.depth_step == 1 ? nn : nt;
    return b.depth_step == 1 ? tn : tt;
}

// What has been measured to be the best, if anything.
template <class CT>
std::optional<cuda::tile_choice> measured_choice(cuda_device& device, const parameters<CT>& p) {
    if (p.count > 1) return {};
    const bool is_turned = p.c_step != 1;
    return device.gemm_choices().find(type_code<CT>, kind_of(p, is_turned), is_turned ? p.n : p.m,
                                      is_turned ? p.m : p.n, p.k * p.terms);
}

// Launches the large tile that is the soonest ready; false if none is before `limit`.
template <class CT, size_t... N>
bool launch_fastest(cuda_device& device, parameters<CT>& p, bool conjugates_b, double limit,
                    std::index_sequence<N...>) {
    using all = typename tiles_for<CT>::large;
    void (*launch)(cuda_device&, const parameters<CT>&, bool, int) = nullptr;
    int parts = 1;
    auto choice = measured_choice(device, p);
    const auto is_eligible = [&]<class Tile>(const Tile*) {
        return is_usable<Tile>(device, p) &&
               (!choice || (Tile::rows == choice->rows && Tile::columns == choice->columns));
    };
    if (choice &&
        !(is_eligible(static_cast<const typename std::tuple_element_t<N, all>::tile*>(nullptr)) || ...))
        choice.reset();
    if (choice) limit = HUGE_VAL;
    const size_t scratch_bytes = p.count == 1 ? device.scratch_bytes() : 0;
    const auto consider = [&]<class C>(const C*) {
        using tile = typename C::tile;
        if (!is_eligible(static_cast<const tile*>(nullptr))) return;
        each_shares<tile>(device, p, scratch_bytes, [&](shares s) {
            const double time = duration<C>(p, device.multiprocessors(), s);
            if (time >= limit) return;
            limit = time;
            launch = &launch_shares<tile>;
            p.splits = s.splits;
            parts = s.parts;
        });
    };
    (consider(static_cast<const std::tuple_element_t<N, all>*>(nullptr)), ...);
    if (launch) launch(device, p, conjugates_b, parts);
    return launch;
}

}  // namespace heron::HERON_LEVEL::dense_cuda
