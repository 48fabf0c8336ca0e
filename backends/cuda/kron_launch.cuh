#pragma once
// How a batch of square factors is cut into passes and launched.
#include "kron_pass.cuh"
#include "kron_tuned.hpp"

namespace heron::HERON_LEVEL::kron_cuda {

// Shared memory of a block that every supported device grants.
constexpr int most_shared_bytes = 99 * 1024;
// Neighbours that a pass over leading factors reads at once.
constexpr int run_width = 8;
// A partial result between two passes stays in the second-level cache.
constexpr int64_t chunk_bytes = int64_t{16} << 20;
constexpr int64_t slot_bytes = int64_t{32} << 20;
// Tiles up to this size belong to a warp or less.
constexpr int warp_tile_bytes = 8 * 1024;
// Blocks per multiprocessor beyond which a grid strides.
constexpr int64_t most_blocks = 32;

inline operand as_operand(const heron_batch_operand& o) {
    return {o.base, o.list, o.stride, o.list_step, plans::kron_kind(o)};
}

// Modes [begin, end) of the item, applied in one launch.
struct mode_range {
    int begin, end;
    int width;  // run_width, or 1 for the last modes
};

// A list of items, or all in order.
struct kron_order_of {
    const void* list = nullptr;
    int is_wide = 1;
};

// Size, team and memory of a launch.
struct tile_layout {
    int size = 0, team = 0, teams = 0, factor_stride = 0;
    size_t shared_bytes = 0;

    int threads() const { return team * teams; }
};

inline int power_of_two_up_to(int most) {
    int p = 1;
    while (2 * p <= most) p *= 2;
    return p;
}

template <class CT, int N>
class square_kron {
  public:
    square_kron(cuda_device& device, heron_phase phase, const heron_kronmult_args& args,
                heron_workspace& workspace)
        : device_(device), phase_(phase), args_(args), workspace_(workspace) {
        sums_ = args.output == HERON_KRON_ADD_GROUPED || args.output == HERON_KRON_ADD_DETERMINISTIC;
        for (int i = 0; i < args.ndim; ++i) rows_ *= N;
    }

    // False when it does not apply; nothing has been done then.
    bool apply() {
        if (args_.output == HERON_KRON_ADD_DETERMINISTIC && is_distinct()) sums_ = false;
        if (!find_passes()) return false;
        if (args_.output == HERON_KRON_ADD_DETERMINISTIC && sums_ && passes_ > 1) return false;
        workspace_layout layout(phase_, workspace_);
        take_chunk(layout);
        if (!sums_)
            units(layout);
        else if (args_.output == HERON_KRON_ADD_GROUPED)
            grouped(layout);
        else
            sorted(layout);
        return true;
    }

  private:
    bool is_distinct() const {
        return args_.count == 1 ||
               (args_.y.kind == HERON_BATCH_STRIDED && args_.y.stride >= plans::kron_output_span(args_));
    }

    // As few passes of similar length as fit.
    bool find_passes() {
        for (passes_ = 1; passes_ <= args_.ndim; ++passes_) {
            bool fits = true;
            for (int i = 0; i < passes_; ++i) {
                const mode_range r = range(i);
                fits = fits && layout_of(r, i == passes_ - 1 && sums_).teams > 0;
            }
            if (fits) return true;
        }
        return false;
    }

    // Pass 0 has the last modes.
    mode_range range(int pass) const {
        const int d = args_.ndim;
        const int end = d - d * pass / passes_;
        const int begin = d - d * (pass + 1) / passes_;
        return {begin, end, pass == 0 ? 1 : run_width};
    }

    static tile_layout layout_of(const mode_range& r, bool sums) {
        tile_layout t;
        const int modes = r.end - r.begin;
        double size = r.width;
        for (int i = 0; i < modes; ++i) size *= N;
        const int copies = sums ? 2 : 1;
        if (size * copies * sizeof(CT) > most_shared_bytes) return t;
        t.size = static_cast<int>(size);
        const int fibres = t.size / power(N, modes < fused_modes<CT, N> ? modes : fused_modes<CT, N>);
        // Odd where a thread reads single numbers, so that the teams of a warp meet different banks; else
        // aligned to the loads.
        const int factors = modes * N * N;
        t.factor_stride = keeps_factors<CT, N, 1> ? factors / 2 * 2 + 1 : (factors + 3) / 4 * 4;
        const bool in_warp = t.size * static_cast<int>(sizeof(CT)) <= warp_tile_bytes;
        t.team = in_warp ? power_of_two_up_to(fibres < 32 ? fibres : 32) : block_team(fibres);
        t.teams = in_warp ? 128 / t.team : 1;
        t.shared_bytes = bytes_of(t, copies);
        while (t.teams > 32 / t.team && t.teams > 1 && t.shared_bytes > 48 * 1024) {
            t.teams /= 2;
            t.shared_bytes = bytes_of(t, copies);
        }
        if (t.shared_bytes > most_shared_bytes) t.teams = 0;
        return t;
    }

    static int block_team(int fibres) {
        int threads = 64;
        while (threads < most_threads && threads * 2 < fibres) threads *= 2;
        return threads;
    }

    static size_t bytes_of(const tile_layout& t, int copies) {
        const size_t tiles = static_cast<size_t>((t.teams * t.size + 3) / 4 * 4);
        return (tiles * static_cast<size_t>(copies) + static_cast<size_t>(t.teams * t.factor_stride)) *
               sizeof(CT);
    }

    int64_t all_units() const { return args_.count * args_.vectors; }

    void take_chunk(workspace_layout& layout) {
        chunk_units_ = all_units();
        if (passes_ == 1) return;
        const int64_t fitting = chunk_bytes / (rows_ * static_cast<int64_t>(sizeof(CT)));
        if (fitting < chunk_units_) chunk_units_ = fitting > 1 ? fitting : 1;
        chunk_ = layout.take<CT>(rows_ * chunk_units_);
    }

    pass_parameters<CT> parameters(int pass, const tile_layout& t) const {
        const mode_range r = range(pass);
        pass_parameters<CT> p{};
        p.modes = r.end - r.begin;
        p.factors_are_shared = 1;
        for (int i = 0; i < p.modes; ++i) {
            const heron_kron_factor_args& f = args_.factors[r.end - 1 - i];
            p.factors[i] = {as_operand(f.a), f.row_step, f.column_step, f.conjugate};
            p.factors_are_shared = p.factors_are_shared && f.a.kind == HERON_BATCH_STRIDED && f.a.stride == 0;
        }
        p.outer = p.inner = 1;
        for (int i = 0; i < r.begin; ++i) p.outer *= N;
        for (int i = r.end; i < args_.ndim; ++i) p.inner *= N;
        p.tiles = p.outer * ((p.inner + r.width - 1) / r.width);
        const operand chunk{chunk_, nullptr, rows_, 0, 0};
        const bool last = pass == passes_ - 1;
        p.in = pass == 0 ? as_operand(args_.x) : chunk;
        p.in_is_chunk = pass > 0;
        p.in_step = pass == 0 ? args_.x_step : 1;
        p.in_vector = args_.x_column_step;
        p.out = last ? as_operand(args_.y) : chunk;
        p.out_is_chunk = !last;
        p.out_step = last ? args_.y_step : 1;
        p.out_vector = args_.y_column_step;
        p.vectors = args_.vectors;
        p.size = t.size;
        p.team = t.team;
        p.teams = t.teams;
        p.factor_stride = t.factor_stride;
        p.alpha = last ? value_of(args_.alpha) : one_on_host();
        p.beta = last ? value_of(args_.beta) : CT{};
        p.atomic = last && args_.output == HERON_KRON_ADD_ATOMIC;
        return p;
    }

    static CT value_of(const heron_scalar& s) { return scalar_value<CT>(s.re, s.im); }
    static CT one_on_host() { return scalar_value<CT>(1, 0); }

    template <class... Args>
    void launch(void (*kernel)(Args...), int64_t blocks, const tile_layout& t,
                std::type_identity_t<Args>... args) {
        if (t.shared_bytes > 48 * 1024)
            check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                       cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(t.shared_bytes)));
        device_.launch_blocks(kernel, blocks, t.threads(), t.shared_bytes, args...);
    }

    // The units first, first + 1, ... go through a pass: pairs of item and column, or with `column` items
    // alone.
    void launch_units(int pass, int64_t first, int64_t count, const kron_order_of& order,
                      int64_t column = -1) {
        const tile_layout t = layout_of(range(pass), false);
        pass_parameters<CT> p = parameters(pass, t);
        p.first = first;
        p.units = count;
        p.order = order.list;
        p.order_is_wide = order.is_wide;
        if (column >= 0) {
            p.vectors = 1;
            p.first_vector = column;
        }
        int64_t blocks = (count * p.tiles + t.teams - 1) / t.teams;
        const int64_t most = most_blocks * device_.multiprocessors();
        if (blocks > most) blocks = most;
        if (pass == 0)
            launch(&kron_units<CT, N, 1>, blocks, t, p);
        else
            launch(&kron_units<CT, N, run_width>, blocks, t, p);
    }

    void units(workspace_layout&) {
        if (phase_ != HERON_PHASE_RUN) return;
        for (int64_t first = 0; first < all_units(); first += chunk_units_) {
            const int64_t left = all_units() - first;
            for (int pass = 0; pass < passes_; ++pass)
                launch_units(pass, first, left < chunk_units_ ? left : chunk_units_, kron_order_of{});
        }
    }

    void launch_groups(pass_parameters<CT> p, const tile_layout& t, const group_parameters& g) {
        const int64_t blocks = (g.slices * p.tiles + t.teams - 1) / t.teams;
        if (passes_ == 1)
            launch(&kron_groups<CT, N, 1>, blocks, t, p, g);
        else
            launch(&kron_groups<CT, N, run_width>, blocks, t, p, g);
    }

    // Slices that fill the device, each of some items, and slots for them.
    int64_t slices_for(const tile_layout& t) const {
        const int64_t by_threads = 2048 / t.threads();
        const int64_t by_memory = 2 * most_shared_bytes / static_cast<int64_t>(t.shared_bytes);
        int64_t blocks = by_threads < by_memory ? by_threads : by_memory;
        if (blocks > 16) blocks = 16;
        int64_t slices = (blocks > 1 ? blocks : 1) * device_.multiprocessors() * t.teams;
        const int64_t worth = args_.count / 4 + 1;
        const int64_t fitting = slot_bytes / (rows_ * static_cast<int64_t>(sizeof(CT))) + 1;
        if (slices > worth) slices = worth;
        return slices < fitting ? slices : fitting;
    }

    group_parameters take_slices(workspace_layout& layout, const tile_layout& t) const {
        group_parameters g{};
        g.rows = rows_;
        g.count = args_.count;
        g.slices = passes_ == 1 ? slices_for(t) : 1;
        g.slots = layout.take<CT>(rows_ * g.slices);
        g.owners = layout.take<int64_t>(g.slices);
        return g;
    }

    void combine(const group_parameters& g) {
        const int64_t blocks = g.slices * ((rows_ + combine_rows - 1) / combine_rows);
        device_.launch_blocks(&kron_combine<CT>, blocks, combine_rows * combine_lanes, 0, g, args_.y_step,
                              value_of(args_.alpha));
    }

    void grouped(workspace_layout& layout) {
        const int last = passes_ - 1;
        const tile_layout t = layout_of(range(last), true);
        group_parameters g = take_slices(layout, t);
        if (phase_ != HERON_PHASE_RUN || args_.group_count == 0) return;
        g.offsets = args_.group_offsets;
        g.offsets_are_wide = args_.group_type == HERON_INDEX_64;
        g.groups = args_.group_count;
        const kron_order_of order{args_.group_items, args_.group_type == HERON_INDEX_64};
        if (passes_ > 1) return grouped_chunks(g, t, order);
        pass_parameters<CT> p = parameters(last, t);
        p.order = order.list;
        p.order_is_wide = order.is_wide;
        sum(p, t, g);
    }

    void sum(const pass_parameters<CT>& p, const tile_layout& t, group_parameters g) {
        for (g.vector = 0; g.vector < args_.vectors; ++g.vector) {
            launch_groups(p, t, g);
            if (g.mixed) {
                group_parameters alone = g;
                alone.slices = 1;
                alone.runs_mixed = 1;
                launch_groups(p, t, alone);
            }
            if (g.slices > 1) combine(g);
        }
    }

    // The items of a chunk go through all but the last pass, which sums them.
    void grouped_chunks(group_parameters g, const tile_layout& t, const kron_order_of& order) {
        pass_parameters<CT> p = parameters(passes_ - 1, t);
        for (g.vector = 0; g.vector < args_.vectors; ++g.vector)
            for (int64_t first = 0; first < args_.count; first += chunk_units_) {
                const int64_t left = args_.count - first;
                g.count = left < chunk_units_ ? left : chunk_units_;
                for (int pass = 0; pass < passes_ - 1; ++pass)
                    launch_units(pass, first, g.count, order, g.vector);
                p.first = first;
                launch_groups(p, t, g);
            }
    }

    void sorted(workspace_layout& layout) {
        const tile_layout t = layout_of(range(0), true);
        plans::kron_sorting<cuda_device, CT> sorting(layout, args_.count);
        group_parameters g = take_slices(layout, t);
        int* const mixed = layout.take<int>(1);
        if (phase_ != HERON_PHASE_RUN) return;
        sorting.sort(device_, args_.y);
        device_.fill(mixed, 0, sizeof(int));
        device_.launch_blocks(&kron_find_mixed<CT>, (args_.count + 255) / 256, 256, 0, sorting.keys(),
                              args_.count, plans::kron_output_span(args_) * static_cast<int64_t>(sizeof(CT)),
                              mixed);
        g.keys = sorting.keys();
        g.mixed = mixed;
        pass_parameters<CT> p = parameters(0, t);
        p.order = sorting.order();
        p.order_is_wide = 1;
        sum(p, t, g);
    }

    cuda_device& device_;
    heron_phase phase_;
    const heron_kronmult_args& args_;
    heron_workspace& workspace_;
    int64_t rows_ = 1;
    bool sums_ = false;
    int passes_ = 1;
    int64_t chunk_units_ = 1;
    CT* chunk_ = nullptr;
};

// The size of all factors, or 0.
inline int64_t common_size(const heron_kronmult_args& args) {
    for (int i = 0; i < args.ndim; ++i)
        if (args.factors[i].m != args.factors[0].n || args.factors[i].n != args.factors[0].n) return 0;
    return args.factors[0].n;
}

template <class CT, int... sizes>
bool for_sizes(cuda_device& device, heron_phase phase, const heron_kronmult_args& args,
               heron_workspace& workspace) {
    if (args.algorithm != HERON_KRON_FUSED || args.count == 0 || args.vectors == 0 ||
        plans::kron_is_zero(args))
        return false;
    // The kernels take scalars by value.
    if (args.alpha.device || args.beta.device) return false;
    const int64_t n = common_size(args);
    return ((n == sizes && square_kron<CT, sizes>(device, phase, args, workspace).apply()) || ...);
}

}  // namespace heron::HERON_LEVEL::kron_cuda
