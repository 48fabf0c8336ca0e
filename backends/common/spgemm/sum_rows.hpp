#pragma once
// C := alpha*A + beta*B on GPUs whose items run in step, in one launch: teams and groups take rows
// (sum_rows.h). Where there is so much of the matrices that one long row could keep a group busy for longer
// than all the others, items own elements (spadd.hpp).
#include "common/dialect/dialect_group.hpp"
#include "spadd.hpp"
#include <algorithm>

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family spgemm_row_sums{"spgemm_sum_rows", "CT GROUP LANES EACH"};
#include "sum_rows.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

inline bool has_rows_for_teams(const heron_spadd_args& args) {
    constexpr int64_t most_elements = int64_t{1} << 25;
    return args.c.rows > 0 && args.a.nnz + args.b.nnz <= most_elements;
}

// How many items share a group: a device without lanes has one team in each.
enum class team_groups { of_256, of_one_team };

// Calls f with the lanes of a team and the elements that an item has at a time: rows of the mean length of
// both are a tile of a team, in which an item has a few elements.
template <class F>
void visit_team_for_rows(const heron_spadd_args& args, F&& f) {
    // So few rows leave places for more lanes.
    constexpr int64_t few_rows = 3000;
    const int64_t elements = args.a.nnz + args.b.nnz;
    const auto visit = [&]<int lanes, int each>() {
        return f(std::integral_constant<int, lanes>{}, std::integral_constant<int, each>{});
    };
    if (elements <= 12 * args.c.rows)
        return args.c.rows > few_rows ? visit.template operator()<4, 4>()
                                      : visit.template operator()<16, 4>();
    if (args.c.rows > few_rows && elements <= 96 * args.c.rows) return visit.template operator()<16, 8>();
    if (elements <= 512 * args.c.rows) return visit.template operator()<32, 8>();
    visit.template operator()<32, 4>();
}

// The rows of a group, one for each of its teams at most, and the elements of both rows that a team takes: a
// few tiles. Few long rows are spread over the device, and the fewer a group has the sooner it takes them as
// a whole.
struct row_shares {
    row_shares(const heron_spadd_args& args, int teams, int tile, int64_t groups_at_once) : each(teams) {
        constexpr int most_tiles = 4;
        constexpr int64_t long_row = 512;
        const int64_t rows = args.c.rows;
        if (args.a.nnz + args.b.nnz > long_row * rows) {
            const int64_t wanted = (rows + groups_at_once - 1) / groups_at_once;
            each = static_cast<int>(std::clamp<int64_t>(wanted, 1, teams));
        }
        longest = std::min(each, most_tiles) * tile;
        groups = (rows + each - 1) / each;
    }

    int each, longest;
    int64_t groups;
};

// The backend declares int64_t row_groups_at_once(Device&).
template <team_groups groups, class Device>
class row_sums {
  public:
    row_sums(Device& device, const heron_spadd_args& args) : device_(device), args_(args) {}

    void count(i64* counts) const {
        visit_team_for_rows(args_, [&](auto lanes, auto each) {
            using shape = shape_of<f32, lanes, each>;
            const row_shares shares = shares_of<shape>(lanes * each);
            launch<typename shape::count_rows>(
                shares, pattern_of(args_.a.offsets), pattern_of(args_.a.indices), args_.a.base,
                pattern_of(args_.b.offsets), pattern_of(args_.b.indices), args_.b.base,
                heron_index{args_.c.rows}, shares.each, shares.longest, counts);
        });
    }

    template <class CT>
    void add() const {
        const auto alpha = as_argument<CT>(args_.alpha);
        const auto beta = as_argument<CT>(args_.beta);
        visit_team_for_rows(args_, [&](auto lanes, auto each) {
            using shape = shape_of<CT, lanes, each>;
            const row_shares shares = shares_of<shape>(lanes * each);
            constexpr int at_a_time =
                (each == 4 ? 4 : 3) - (sizeof(CT) == 16) + (sizeof(CT) == 4 && each == 8);
            launch<at_once<typename shape::add_rows, at_a_time>>(
                shares, alpha.value, alpha.device, pattern_of(args_.a.offsets), pattern_of(args_.a.indices),
                as<const CT>(args_.a.values), args_.a.base, beta.value, beta.device,
                pattern_of(args_.b.offsets), pattern_of(args_.b.indices), as<const CT>(args_.b.values),
                args_.b.base, heron_index{args_.c.rows}, shares.each, shares.longest,
                pattern_of(args_.c.offsets), args_.c.base, as<i32>(args_.c.indices), as<CT>(args_.c.values));
        });
    }

  private:
    template <class CT, int lanes, int each>
    using shape_of = kernels::spgemm_sum_rows<CT, groups == team_groups::of_256 ? 256 : lanes, lanes, each>;

    template <class Shape>
    row_shares shares_of(int tile) const {
        return {args_, Shape::teams, tile, row_groups_at_once(device_)};
    }

    template <class Kernel, class... Args>
    void launch(const row_shares& shares, Args... args) const {
        device_.template launch_groups<Kernel>(kernels::spgemm_row_sums, shares.groups, args...);
    }

    Device& device_;
    const heron_spadd_args& args_;
};

template <team_groups groups, class Scan, class Device>
void spadd_count_by_rows(Device& device, heron_phase phase, const heron_spadd_count_args& args,
                         heron_workspace& workspace) {
    if (!has_rows_for_teams(args)) return plans::spadd_count(device, phase, args, workspace);
    workspace_layout layout(phase, workspace);
    i64* const counts = layout.take<i64>(args.c.rows + 1);
    const Scan scan(layout, args.c.rows);
    i32* const cell = layout.take<i32>(1);
    if (phase != HERON_PHASE_RUN) return;
    row_sums<groups, Device>(device, args).count(counts);
    scan.apply(device, counts, args.c.base, as<i32>(args.c.offsets));
    report_sum(device, args, cell);
}

template <team_groups groups, class Device>
void spadd_by_rows(Device& device, heron_phase phase, const heron_spadd_args& args,
                   heron_workspace& workspace) {
    if (!has_rows_for_teams(args)) return plans::spadd(device, phase, args, workspace);
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_full(args.type,
               [&]<class CT>(type<CT>) { row_sums<groups, Device>(device, args).template add<CT>(); });
}

}  // namespace heron::HERON_LEVEL::plans
