#pragma once
// Long rows of a triangle, which a sweep's groups share (units.cl).
#include "opencl/runtime/device.hpp"

#include "common/runtime/host_array.hpp"
#include "order.hpp"
#include <algorithm>

namespace heron::opencl {

// These mirror units.cl and long_rows.cl.
struct long_row {
    i32 place, length;
};
struct sweep_unit {
    i32 place, end, piece, pieces, slot;
};
inline constexpr kernel_family finding_long_rows{"trisolve_long_rows", ""};
struct find_long_rows {
    static constexpr const char* name = "find_long_rows";
};

// A triangle of n rows and so many stored elements, if a row of it can be long.
class long_row_rule {
  public:
    // A row with more elements, and with sixteen times the average, is long. Each of its pieces is a group's:
    // of 1024 elements an item has 16 where 64 share them, which takes it some microseconds.
    static constexpr int64_t never_long = 2048;
    static constexpr int64_t piece = 1024;

    // No row is long.
    long_row_rule() = default;
    long_row_rule(int64_t n, int64_t stored)
        : n_(n), stored_(stored), longest_(std::max<int64_t>(never_long, plans::longest_row(stored, n))) {}

    bool applies() const { return n_ > longest_ && stored_ > longest_; }
    int64_t longest() const { return longest_; }
    int64_t most_rows() const { return applies() ? stored_ / longest_ : 0; }
    int64_t most_pieces() const { return applies() ? stored_ / piece + most_rows() : 0; }
    // Where so many short rows make a unit.
    int64_t most_units(int64_t short_rows) const {
        return applies() ? n_ / short_rows + 2 + 2 * most_rows() + most_pieces() : 0;
    }

  private:
    int64_t n_ = 0, stored_ = 0, longest_ = 0;
};

// All units of a sweep; none where no row is long.
struct unit_list {
    const sweep_unit* units = nullptr;
    int64_t count = 0;
};

inline int64_t pieces_of(const long_row& row) { return quotient_up(row.length, long_row_rule::piece); }
inline int64_t pieces_of(const host_array<long_row>& rows) {
    int64_t all = 0;
    for (int64_t k = 0; k < rows.size(); ++k) all += pieces_of(rows[k]);
    return all;
}

// The units of n places, of which `rows` are long, in their order; the others are shared out by short_rows.
inline host_array<sweep_unit> units_of(int64_t n, const host_array<long_row>& rows, int64_t short_rows,
                                       int64_t most, int64_t& count) {
    host_array<sweep_unit> units(most);
    count = 0;
    int slot = 0;
    const auto add_short_rows = [&](int64_t first, int64_t end) {
        for (; first < end; first += short_rows)
            units[count++] = {static_cast<i32>(first), static_cast<i32>(std::min(first + short_rows, end)), 0,
                              0, 0};
    };
    int64_t next = 0;
    for (int64_t k = 0; k < rows.size(); ++k) {
        const long_row& row = rows[k];
        add_short_rows(next, row.place);
        next = int64_t{row.place} + 1;
        const int pieces = static_cast<int>(pieces_of(row));
        for (int piece = 0; piece < pieces; ++piece)
            units[count++] = {row.place, static_cast<i32>(next), piece, pieces, slot};
        slot += pieces;
    }
    add_short_rows(next, n);
    return units;
}

// Memory for what ANALYSE finds out about long rows. An analysis waits for the device where a row can be
// long, and looks for long ones only where the order has seen some.
class long_row_memory {
  public:
    // short_rows: how many make a unit, for one right-hand side and for many (0: there are not many).
    long_row_memory(workspace_layout& layout, const long_row_rule& rule, int64_t short_rows_of_one,
                    int64_t short_rows_of_many)
        : rule_(rule),
          count_(layout.take<i32>(rule.applies() ? 1 : 0)),
          found_(layout.take<long_row>(rule.most_rows())),
          of_one_(layout, rule, short_rows_of_one),
          of_many_(layout, rule, short_rows_of_many) {}

    // In the order of their places.
    host_array<long_row> find(opencl_device& device, const plans::row_order_memory& order, int64_t n) const {
        if (!rule_.applies() || !has_long(device, order)) return {};
        static const kept_program& program = keep_program(make_program_key(finding_long_rows, nullptr, 0));
        device.fill(count_, 0, sizeof *count_);
        device.launch_program<find_long_rows>(program, n, static_cast<const int4*>(order.records),
                                              static_cast<int>(rule_.longest()), count_, found_);
        i32 count = 0;
        device.read(&count, count_, sizeof count);
        host_array<long_row> rows(count);
        if (count > 0) device.read(rows.data(), found_, rows.bytes());
        std::sort(rows.data(), rows.data() + count,
                  [](const long_row& a, const long_row& b) { return a.place < b.place; });
        return rows;
    }

    unit_list list_of_one(opencl_device& device, int64_t n, const host_array<long_row>& rows) const {
        return list(device, n, rows, of_one_);
    }
    unit_list list_of_many(opencl_device& device, int64_t n, const host_array<long_row>& rows) const {
        return list(device, n, rows, of_many_);
    }

  private:
    struct memory {
        memory(workspace_layout& layout, const long_row_rule& rule, int64_t rows)
            : short_rows(rows),
              most(rows > 0 ? rule.most_units(rows) : 0),
              units(layout.take<sweep_unit>(most)) {}
        int64_t short_rows, most;
        sweep_unit* units;
    };

    static bool has_long(opencl_device& device, const plans::row_order_memory& order) {
        row_schedule schedule;
        device.read(&schedule, order.schedule, sizeof schedule);
        return schedule.has_long != 0;
    }

    static unit_list list(opencl_device& device, int64_t n, const host_array<long_row>& rows,
                          const memory& to) {
        if (rows.size() == 0 || to.short_rows == 0) return {};
        unit_list result{to.units};
        const host_array<sweep_unit> units = units_of(n, rows, to.short_rows, to.most, result.count);
        device.write(to.units, units.data(), static_cast<size_t>(result.count) * sizeof units[0]);
        return result;
    }

    long_row_rule rule_;
    i32* count_;
    long_row* found_;
    memory of_one_, of_many_;
};

}  // namespace heron::opencl
