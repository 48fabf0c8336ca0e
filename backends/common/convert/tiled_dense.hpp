#pragma once
// Dense matrices from CSR by groups on GPUs: to_dense.h.
#include "common/prune/dense_tiles.hpp"
#include "group_memory.hpp"
#include "plan.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family convert_to_dense_tiles{"convert_to_dense", "RT WT OT IT GROUP"};
#include "to_dense.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// The tiles of a dense matrix: bands of rows, cut into strips of columns where there are few. Every strip
// costs another look at the columns of all elements of its band.
struct dense_strips {
    dense_strips(const heron_dnmat& b, int64_t element_bytes, int64_t most_rows, int64_t groups_at_once) {
        constexpr int64_t line_bytes = 128, tile_elements = 4096, most_strips = 8, least_strip = 64;
        const bool by_rows = b.order == HERON_ORDER_ROW;
        band = by_rows ? 1 : std::max<int64_t>(line_bytes / element_bytes, 8);
        while (2 * band <= most_rows && band * b.cols < tile_elements && b.rows >= 2 * band * groups_at_once)
            band *= 2;
        const int64_t bands = ceil_div(b.rows, band);
        const int64_t wanted = std::min(groups_at_once / bands, ceil_div(b.cols, least_strip));
        constexpr int64_t aligned = 32;  // elements, for wide accesses
        strip = ceil_div(ceil_div(b.cols, std::clamp<int64_t>(wanted, 1, most_strips)), aligned) * aligned;
        strips = ceil_div(b.cols, strip);
        groups = bands * strips;
        // Few groups would have much to write each.
        constexpr int64_t most_elements = 1 << 16;
        is_busy = 2 * groups > groups_at_once || std::min(band, b.rows) * strip <= most_elements;
    }

    int64_t band, strip, strips, groups;
    bool is_busy;
};

// The backend declares tile_policy tiles_on(Device&).
struct dense_by_tiles {
    template <class RT, class WT, class OT, class IT, class Device, class Clear>
    static void expand(Device& device, const heron_spmat& a, const heron_dnmat& b, Clear&& clear) {
        using element = element_bits<RT>;
        using program = kernels::convert_to_dense<element, element_word<RT>, OT, IT, 256>;
        if (b.rows == 0 || b.cols == 0) return;
        const int64_t at_once = tiles_on(device).groups_at_once;
        const dense_strips tiles(b, sizeof(RT), program::most_rows, at_once);
        const auto* const offsets = as<const OT>(static_cast<const void*>(a.offsets));
        const auto* const columns = as<const IT>(static_cast<const void*>(a.indices));
        const auto* const values = as<const element>(static_cast<const void*>(a.values));
        if (tiles.is_busy)
            return device.template launch_groups<typename program::write_tiles>(
                kernels::convert_to_dense_tiles, tiles.groups, offsets, columns, values, heron_index{a.base},
                heron_index{a.rows}, heron_index{b.cols}, static_cast<int>(tiles.band),
                heron_index{tiles.strip}, static_cast<int>(tiles.strips), as<element>(b.values), row_step(b),
                column_step(b));
        clear();
        device.template launch_groups<typename program::scatter_elements>(
            kernels::convert_to_dense_tiles, at_once, offsets, columns, values, heron_index{a.base},
            heron_index{a.rows}, as<element>(b.values), row_step(b), column_step(b));
    }
};

}  // namespace heron::HERON_LEVEL::plans
