#pragma once
// How items of two passes are launched at once.
#include "pair_groups.cuh"
#include "passes.cuh"

namespace heron::HERON_LEVEL::kron_cuda {

// Workspace for partial results: few enough to stay in the second-level cache.
constexpr int64_t pair_slot_bytes = int64_t{36} << 20;
// Of it, what items may be ahead with their last modes.
constexpr int64_t pair_lead_bytes = int64_t{20} << 20;

// Items of D modes.
template <class CT, int N, int D>
class pair_kron : square_passes<CT, N> {
    using base = square_passes<CT, N>;
    using base::args_, base::rows_, base::passes_, base::last_modes_, base::chunk_;
    using base::item_parameters_of;

  public:
    pair_kron(cuda_device& device, heron_phase phase, const heron_kronmult_args& args)
        : base(args), device_(device), phase_(phase) {
        passes_ = 2;
        last_modes_ = row.last_modes;
    }

    // False when it does not apply; nothing has been done then.
    bool apply(workspace_layout& layout) {
        constexpr int shared_bytes = pair_block<stages>::shared_bytes;
        if (!fits(shared_bytes)) return false;
        const int64_t units = args_.count * args_.vectors;
        pair_parameters<CT> p{};
        p.slot_count = smaller(items_in(pair_slot_bytes), units);
        p.slots = chunk_ = layout.take<CT>(rows_ * p.slot_count);
        const int64_t counters = 1 + 2 * p.slot_count;
        p.claims = layout.take<unsigned long long>(counters);
        p.done = p.claims + 1;
        if (phase_ != HERON_PHASE_RUN) return true;
        p.last = item_parameters_of(0, 0, units);
        p.first = item_parameters_of(1, 0, units);
        p.lead = smaller(items_in(pair_lead_bytes), p.slot_count);
        p.task_count = 2 * units * stages::shape::tasks;
        const kron_scalar<CT>& beta = p.first.beta;
        p.prefetches = !p.first.atomic && (beta.device || beta.value != CT{});
        const auto kernel = &kron_pair<stages>;
        const int64_t resident = device_.blocks_at_once(kernel, stages::threads, shared_bytes);
        device_.fill(p.claims, 0, sizeof(*p.claims) * static_cast<size_t>(counters));
        device_.launch_blocks(kernel, smaller(p.task_count, resident), stages::threads, shared_bytes, p);
        return true;
    }

    // Long groups, likewise, by teams that fill the device. `add_slots` adds what slices have of groups that
    // begin before them.
    template <class AddSlots>
    bool apply_to_groups(workspace_layout& layout, AddSlots&& add_slots) {
        if (args_.count < 4 * args_.group_count) return false;
        group_parameters g{};
        g.offsets = args_.group_offsets;
        g.offsets_are_wide = args_.group_type == HERON_INDEX_64;
        g.groups = args_.group_count;
        g.items = args_.group_items;
        g.items_are_wide = g.offsets_are_wide;
        using member = pair_team_member<team_stages>;
        const auto kernel = &kron_pair_groups<team_stages>;
        constexpr int shared_bytes = member::shared_bytes;
        constexpr int threads = team_stages::threads, tasks = team_stages::shape::tasks;
        if (!fits(shared_bytes) || !device_.can_launch_together()) return false;
        const int64_t teams = device_.blocks_at_once(kernel, threads, shared_bytes) / tasks;
        if (teams == 0) return false;
        g.rows = rows_;
        g.count = args_.count;
        g.slices = smaller(teams, args_.count / 4 + 1);
        g.slots = layout.take<CT>(rows_ * g.slices);
        g.owners = layout.take<int64_t>(g.slices);
        pair_parameters<CT> p{};
        p.slots = chunk_ = layout.take<CT>(rows_ * member::slots * g.slices);
        const int64_t counters = member::counters * g.slices;
        p.done = layout.take<unsigned long long>(counters);
        if (phase_ != HERON_PHASE_RUN || g.groups == 0) return true;
        p.last = team_parameters_of(0);
        p.first = team_parameters_of(1);
        for (g.vector = 0; g.vector < args_.vectors; ++g.vector) {
            p.last.column = p.first.column = g.vector;
            device_.fill(p.done, 0, sizeof(*p.done) * static_cast<size_t>(counters));
            device_.launch_together(kernel, g.slices * tasks, threads, shared_bytes, p, g);
            if (g.slices > 1) add_slots(g);
        }
        return true;
    }

  private:
    static constexpr pair_row row = row_of(pairs, {element_of<CT>, N, D, 1});
    static constexpr int first_modes = D - row.last_modes;
    template <pair_cut cut>
    using stages_of =
        pair_stages<CT, N, row.last_modes, first_modes, cut.width, cut.run, cut.threads, cut.blocks>;
    using stages = stages_of<row.items>;
    using team_stages = stages_of<row.groups>;

    bool fits(int shared_bytes) const {
        return shared_bytes <= device_.shared_bytes() - cuda_device::declared_at_most;
    }

    item_parameters<CT> team_parameters_of(int pass) const {
        item_parameters<CT> p = item_parameters_of(pass, 0, args_.count);
        p.vectors = 1;
        p.beta = {CT{1}, nullptr};
        return p;
    }

    static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

    int64_t items_in(int64_t bytes) const {
        const int64_t items = bytes / (rows_ * static_cast<int64_t>(sizeof(CT)));
        return items > 1 ? items : 1;
    }

    cuda_device& device_;
    heron_phase phase_;
};

}  // namespace heron::HERON_LEVEL::kron_cuda
