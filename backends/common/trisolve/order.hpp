#pragma once
// The order of the rows of a triangle by levels on GPUs (order.h), for solves in which rows wait for each
// other.
#include "common/dialect/dialect_group.hpp"
#include "common/runtime/dispatch.hpp"

namespace heron::HERON_LEVEL {
#include "rows.h"
}  // namespace heron::HERON_LEVEL
namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family row_ordering{"trisolve_rows trisolve_order", "OT IT GUESS_GROUP LEVEL_GROUP"};
#include "order.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

using grid_guess = kernels::trisolve_order<i32, i32, 32, 32>::grid_guess;

// The pattern of a matrix by rows, or of one in BSR by rows of blocks.
struct row_pattern {
    const void *offsets, *columns;
    heron_index_type offset_type, index_type;
    int64_t base, rows, stored;
    const void* ends = nullptr;  // of the part of each row that needs others; NULL: its end
};
inline row_pattern rows_of(const heron_spmat& a) {
    const int64_t rows = a.format == HERON_FORMAT_BSR ? a.rows / a.block_rows : a.rows;
    return {a.offsets, a.indices, a.offset_type, a.index_type, a.base, rows, a.nnz};
}
inline row_pattern rows_of(const i32* offsets, const i32* columns, int64_t rows, int64_t stored) {
    return {offsets, columns, HERON_INDEX_32, HERON_INDEX_32, 0, rows, stored};
}

// Memory for the order of n rows, and what stands there afterwards. Those who use an order need the first
// four alone.
struct row_order_memory {
    // own_bytes: of the caller, which are set to zero too.
    row_order_memory(workspace_layout& layout, int64_t n, int64_t own_bytes = 0)
        : control(layout.take<u32>(control_words)),
          schedule(layout.take<row_schedule>(1)),
          guess(layout.take<grid_guess>(1)),
          grid_starts(layout.take<u32>(grid_room(n))),
          levels(layout.take<u32>(n)),
          counts(layout.take<u32>(n)),
          own(layout.take<char>(own_bytes)),
          records(layout.take<int4>(n)),
          places(layout.take<u32>(n)) {}

    static constexpr int control_words = 8;
    static constexpr int64_t grid_room(int64_t n) { return n / 4; }
    // What is set to zero.
    size_t zeroed_bytes() const {
        return static_cast<size_t>(reinterpret_cast<char*>(records) - reinterpret_cast<char*>(levels));
    }

    u32* control;  // zeros, for the tickets of those who use the order
    row_schedule* schedule;
    grid_guess* guess;
    u32* grid_starts;  // where the rows of a level begin that lie in a plane
    u32* levels;       // one more than the level of each row, if it was searched
    u32* counts;       // rows per level, then where the level begins
    char* own;
    int4* records;  // in the order: row, where its elements begin and end
    u32* places;    // of each row in the order
};

// Where the device tells the host whether there are long rows: a word of the host's memory, or NULL.
struct long_rows_report {
    u32* address = nullptr;
    u32 long_word = 0, short_word = 0;
};

// Items of the group that guesses a grid, rows of a group that finds levels, and how many groups clear memory
// meanwhile. Every device whose order is asked for has a function
//     visit_order_groups(device, f)      calls f(order_groups<...>)
// A device without lanes finds levels row by row: groups of one row.
template <int guess_items, int level_rows>
struct order_groups {
    static constexpr int guess = guess_items;
    static constexpr int level = level_rows;
    int64_t clearing;
};

// Rows with more elements than that are walked by whole groups. They must be few, since they stop the others
// of their group.
inline u32 longest_row(int64_t stored, int64_t rows) {
    const int64_t longest = 16 * stored / rows;
    return static_cast<u32>(longest > 256 ? longest : 256);
}

// Rows that an average level must have: of a grid, and of other rows, whose levels are searched.
struct least_widths {
    int of_grids, of_others;
};

template <class Program, class Device, class OT, class IT>
void launch_ordering(Device& device, const OT* offsets, const OT* ends, const IT* columns,
                     const triangle_shape& shape, u32 longest, const least_widths& least,
                     int64_t clearing_groups, const row_order_memory& memory,
                     const long_rows_report& report) {
    const int64_t n = shape.n;
    const auto groups = [n](int64_t items) { return (n + items - 1) / items; };
    const auto launch = [&]<class Kernel>(type<Kernel>, int64_t count, auto... args) {
        device.template launch_groups<Kernel>(kernels::row_ordering, count, args...);
    };
    auto* const guess = reinterpret_cast<typename Program::grid_guess*>(memory.guess);
    const auto* const found = as<const typename Program::grid_guess>(guess);
    const auto* const schedule = as<const row_schedule>(memory.schedule);
    // As many groups as have place by their items.
    const auto launch_many = [&]<class Kernel>(type<Kernel>, auto... args) {
        constexpr int most_items = 2048;
        launch(type<at_once<Kernel, most_items / Kernel::group>>{}, groups(Kernel::group), args...);
    };
    launch(type<at_once<typename Program::prepare_order, 1>>{}, 1 + clearing_groups, offsets, ends, columns,
           shape, longest, heron_index{memory.grid_room(n)}, int{least.of_grids},
           reinterpret_cast<uint4*>(memory.levels),
           static_cast<heron_index>(memory.zeroed_bytes() / sizeof(uint4)), memory.control,
           int{memory.control_words}, guess, memory.schedule, memory.grid_starts);
    launch_many(type<typename Program::place_grid_rows>{}, offsets, ends, columns, shape, longest, guess,
                memory.schedule, as<const u32>(memory.grid_starts), memory.records, memory.places);
    launch_many(type<typename Program::find_levels>{}, offsets, ends, columns, shape, longest, found,
                memory.control, memory.levels, memory.counts, memory.places, memory.schedule);
    launch(type<typename Program::start_levels>{}, 1, found, shape.n, int{least.of_others}, memory.schedule,
           memory.counts);
    launch_many(type<typename Program::place_rows>{}, offsets, ends, columns, shape, longest, found, schedule,
                as<const u32>(memory.levels), as<const u32>(memory.counts), memory.records, memory.places,
                report.address, report.long_word, report.short_word);
}

// Sorts the rows of a triangle by levels where these are wide enough, and says so in the schedule, all on
// the device. A row needs those whose columns it has before it, or if the triangle is an upper one, behind
// it: triangular solves need the order, and so do factorisations. Records leave out what a row has of the
// other triangle at its ends, and of the diagonal if that is a unit.
template <class Device>
void order_rows(Device& device, const row_pattern& rows, bool is_lower, bool is_unit,
                const least_widths& least, const row_order_memory& memory,
                const long_rows_report& report = {}) {
    const triangle_shape shape{rows.base, static_cast<int>(rows.rows), is_lower, is_unit};
    visit_offsets_and_indices(rows.offset_type, rows.index_type, [&]<class OT, class IT>(type<OT>, type<IT>) {
        visit_order_groups(device, [&]<class Groups>(const Groups& groups) {
            using program = kernels::trisolve_order<OT, IT, Groups::guess, Groups::level>;
            const auto* const offsets = as<const OT>(rows.offsets);
            const auto* const ends = rows.ends ? as<const OT>(rows.ends) : offsets + 1;
            launch_ordering<program>(device, offsets, ends, as<const IT>(rows.columns), shape,
                                     longest_row(rows.stored, rows.rows), least, groups.clearing, memory,
                                     report);
        });
    });
}

}  // namespace heron::HERON_LEVEL::plans
