#pragma once
// Which tile the items of a batch get, and the launch of the blocks that go through them.
#include "large_launch.cuh"
#include "stream.cuh"
#include "tile_stream.cuh"
#include <cmath>

namespace heron::HERON_LEVEL::dense_cuda {

// How much a tile for batches does at a time, in no particular unit, as measured (dense-1, dense-6), and for
// items of how many rows and columns it is.
struct batch_speed {
    int value;
    int most_lines = INT32_MAX;
};
// Tiles of units (dense_stream.cuh) adapt to the items; of large ones (dense_tile_stream.cuh) an item has
// several.
template <class Tile, batch_speed Speed>
struct batch_candidate {
    using tile = Tile;
    static constexpr batch_speed speed = Speed;
};

template <class Tile>
concept has_units = requires {
    Tile::unit;
};

// The layout for p's items; items is 0 where the tile does not take them.
template <class Tile, bool a_by_depth, bool b_by_depth>
stream_layout stream_layout_of(const cuda_device& device, const parameters<typename Tile::CT>& p) {
    using stream = item_stream<Tile, a_by_depth, b_by_depth>;
    constexpr int64_t most_step = INT32_MAX / 1024;
    stream_layout s{};
    const int64_t rows = tiles_of(p.m, Tile::rows), columns = tiles_of(p.n, Tile::columns);
    const int64_t step = std::max({p.a[0].line_step, p.a[0].depth_step, p.b[0].line_step, p.b[0].depth_step});
    if (rows * columns * Tile::unit > Tile::threads || step > most_step || p.k > INT32_MAX / 2 ||
        p.count > INT32_MAX / 2)
        return s;
    s.row_units = static_cast<int>(rows);
    s.column_units = static_cast<int>(columns);
    s.group = s.row_units * s.column_units * Tile::unit;
    const int m = static_cast<int>(p.m), n = static_cast<int>(p.n);
    if (stream::a_panel::chunks_of(m) > s.group || stream::b_panel::chunks_of(n) > s.group) return s;
    s.items = 1;
    const int most = device.shared_bytes() / Tile::blocks - cuda_device::declared_at_most;
    s.items = std::min(Tile::threads / s.group, most / stream::shared_bytes(s));
    return s;
}

// f<a_by_depth, b_by_depth>()
template <class CT, class F>
auto visit_layouts(const parameters<CT>& p, F&& f) {
    const bool a = p.a[0].depth_step == 1, b = p.b[0].depth_step == 1;
    if (a) return b ? f.template operator()<true, true>() : f.template operator()<true, false>();
    return b ? f.template operator()<false, true>() : f.template operator()<false, false>();
}

template <class Tile>
bool takes_units(const cuda_device& device, const parameters<typename Tile::CT>& p) {
    return visit_layouts(p, [&]<bool a_by_depth, bool b_by_depth> {
        return stream_layout_of<Tile, a_by_depth, b_by_depth>(device, p).items > 0;
    });
}

template <class Tile>
void launch_units(cuda_device& device, const parameters<typename Tile::CT>& p, bool conjugates_b) {
    visit_layouts(p, [&]<bool a_by_depth, bool b_by_depth> {
        const auto kernel = &multiply_stream<Tile, a_by_depth, b_by_depth>;
        const stream_layout s = stream_layout_of<Tile, a_by_depth, b_by_depth>(device, p);
        const auto bytes = static_cast<size_t>(item_stream<Tile, a_by_depth, b_by_depth>::shared_bytes(s));
        const int threads = static_cast<int>(tiles_of(s.group * s.items, 32)) * 32;
        const int64_t blocks =
            std::min(tiles_of(p.count, s.items), device.blocks_at_once(kernel, threads, bytes));
        device.launch_blocks(kernel, blocks, threads, bytes, p, s, conjugates_b);
    });
}

template <class Tile>
bool takes_tiles(const cuda_device& device, const parameters<typename Tile::CT>& p) {
    using CT = typename Tile::CT;
    return is_usable<Tile>(device, p) && layout_of<CT, Tile::keeps_depth>(p.a[0], p.m) != layout::any &&
           layout_of<CT, Tile::keeps_depth>(p.b[0], p.n) != layout::any;
}

template <class Tile, layout HowA, layout HowB, bool conjugates_b>
void launch_tile_stream(cuda_device& device, const parameters<typename Tile::CT>& p) {
    const auto kernel = &multiply_tiles<Tile, HowA, HowB, conjugates_b>;
    constexpr size_t bytes = tile_stream<Tile, HowA, HowB, conjugates_b>::shared_bytes;
    const int64_t tiles = large_tiles_of_item<Tile>(p) * p.count;
    device.launch_blocks(kernel, std::min(tiles, device.blocks_at_once(kernel, Tile::threads, bytes)),
                         Tile::threads, bytes, p);
}

template <class Tile, bool conjugates_b>
void launch_tile_stream(cuda_device& device, const parameters<typename Tile::CT>& p) {
    using enum layout;
    using CT = typename Tile::CT;
    const bool a_by_lines = layout_of<CT, Tile::keeps_depth>(p.a[0], p.m) == lines;
    const bool b_by_lines = layout_of<CT, Tile::keeps_depth>(p.b[0], p.n) == lines;
    if (a_by_lines && b_by_lines)
        launch_tile_stream<Tile, lines, lines, conjugates_b>(device, p);
    else if (a_by_lines)
        launch_tile_stream<Tile, lines, depth, conjugates_b>(device, p);
    else if (b_by_lines)
        launch_tile_stream<Tile, depth, lines, conjugates_b>(device, p);
    else
        launch_tile_stream<Tile, depth, depth, conjugates_b>(device, p);
}

template <class Tile>
void launch_tiles(cuda_device& device, const parameters<typename Tile::CT>& p, bool conjugates_b) {
    if constexpr (!std::is_same_v<typename Tile::CT, real_of<typename Tile::CT>>)
        if (conjugates_b) return launch_tile_stream<Tile, true>(device, p);
    launch_tile_stream<Tile, false>(device, p);
}

// By the tile that is the soonest ready; false if none takes the items, or if they are better off without.
template <class CT, class... Candidates>
bool launch_batch(cuda_device& device, const parameters<CT>& p, bool conjugates_b,
                  const std::tuple<Candidates...>*) {
    void (*launch)(cuda_device&, const parameters<CT>&, bool) = nullptr;
    double least = tiles_for<CT>::batch_limit(p);
    const auto consider = [&]<class C>(const C*) {
        using tile = typename C::tile;
        const int64_t rows = tiles_of(p.m, tile::rows) * tile::rows;
        const int64_t columns = tiles_of(p.n, tile::columns) * tile::columns;
        const double time = static_cast<double>(rows * columns) / C::speed.value;
        if (time >= least || std::max(p.m, p.n) > C::speed.most_lines) return;
        if constexpr (has_units<tile>) {
            if (!takes_units<tile>(device, p)) return;
            launch = &launch_units<tile>;
        } else {
            if (!takes_tiles<tile>(device, p)) return;
            launch = &launch_tiles<tile>;
        }
        least = time;
    };
    (consider(static_cast<const Candidates*>(nullptr)), ...);
    if (launch) launch(device, p, conjugates_b);
    return launch;
}

}  // namespace heron::HERON_LEVEL::dense_cuda
