#pragma once
// The launches of the passes that an item of square factors is cut into.
#include "items.cuh"
#include "passes.cuh"
#include "tile_groups.cuh"
#include <atomic>
#include <utility>

namespace heron::HERON_LEVEL::kron_cuda {

// Of a partial result between two passes, whose launches are to fill the device.
constexpr int64_t least_chunk_bytes = int64_t{24} << 20;
// A list of items, or all in order.
struct kron_order_of {
    const void* list = nullptr;
    int is_wide = 1;
};

// Items of up to this many factors may fit on chip.
template <class CT, int N>
constexpr int most_item_modes() {
    int modes = 1;
    while (modes < most_modes && power(N, modes + 1) <= most_block_bytes / static_cast<int>(sizeof(CT)))
        ++modes;
    return modes;
}
template <class CT, int N>
using item_modes = std::make_integer_sequence<int, most_item_modes<CT, N>()>;

// Tiles of leading modes; where these would be larger, more passes have been measured to take less time
// (kron-6, c64 (6, 10)).
constexpr int most_leading_bytes = 128 * 1024;

template <class CT, int N>
class square_launch : protected square_passes<CT, N> {
    using base = square_passes<CT, N>;
    static constexpr leading_row leading = leading_modes_of<CT, N>();

  protected:
    using base::args_, base::rows_, base::passes_, base::keeps_results_, base::chunk_;
    using base::range, base::item_parameters_of, base::scalar_of;

    square_launch(cuda_device& device, const heron_kronmult_args& args) : base(args), device_(device) {}

    // As few passes of similar length as fit.
    bool find_passes() {
        for (passes_ = 1; passes_ <= args_.ndim; ++passes_) {
            bool fits = true;
            for (int i = 0; i < passes_; ++i) fits = fits && with_shape(i, [](auto) {});
            if (fits) return true;
        }
        return false;
    }

    // Calls use(shape) with the shape of the items, or tiles of items, that a pass has a kernel of its own
    // for; false if there is none.
    template <class Use>
    bool with_shape(int pass, const Use& use) const {
        if (pass == 0) return with_items(item_modes<CT, N>{}, use);
        return with_leading_tiles<false>(pass, use);
    }

    template <int... D, class Use>
    bool with_items(std::integer_sequence<int, D...>, const Use& use) const {
        const int modes = range(0).count();
        return ((modes == D + 1 && with_fitting<item_shape<CT, N, D + 1, 1>>(use)) || ...);
    }

    template <bool sums, int modes = leading.least, class Use>
    bool with_leading_tiles(int pass, const Use& use) const {
        if constexpr (modes > leading.most) {
            return false;
        } else {
            constexpr int run = sums ? run_of_sums<CT, N>(modes) : run_of_items<CT, N>(modes);
            const mode_range r = range(pass);
            const bool may =
                r.count() == modes && rows_ <= INT32_MAX && power(N, args_.ndim - r.end) % run == 0;
            using tile = item_shape<CT, N, modes, run>;
            bool fits = false;
            if constexpr (tile::bytes <= most_leading_bytes) fits = may && with_fitting<tile>(use);
            return fits || with_leading_tiles<sums, modes + 1>(pass, use);
        }
    }

    template <class Shape, class Use>
    bool with_fitting(const Use& use) const {
        if constexpr (Shape::fits) {
            if (fits_device<Shape>()) {
                use(Shape{});
                return true;
            }
        }
        return false;
    }

    template <class Shape>
    bool fits_device() const {
        return Shape::fits && Shape::shared_bytes <= device_.shared_bytes() - cuda_device::declared_at_most;
    }

    int64_t all_units() const { return args_.count * args_.vectors; }

    // A partial result between two passes stays in the second-level cache, where that is large.
    int64_t chunk_bytes() const {
        const int64_t most = device_.cache_bytes() / 10 * 9;
        return most > least_chunk_bytes ? most : least_chunk_bytes;
    }

    void take_chunk(workspace_layout& layout) {
        chunk_units_ = all_units();
        if (passes_ == 1 && !keeps_results_) return;
        const int64_t item_bytes = rows_ * static_cast<int64_t>(sizeof(CT));
        const int64_t most = chunk_bytes() / item_bytes;
        // Sums read it once more and bring outputs into the cache.
        const int64_t comfortable = keeps_results_ ? chunk_bytes() / 9 * 8 / item_bytes : most;
        const int64_t step = plans::kron_chunk_step(item_bytes);
        if (most < chunk_units_ && most >= step)
            chunk_units_ = best_chunk(rounds(), most, step, comfortable, item_bytes);
        else if (most < chunk_units_)
            chunk_units_ = most > 1 ? most : 1;
        chunk_ = layout.take<CT>(rows_ * chunk_units_);
    }

    std::vector<pass_rounds> rounds() {
        std::vector<pass_rounds> all;
        for (int pass = 0; pass < passes_; ++pass) {
            pass_rounds r{1, 1, rows_ * static_cast<int64_t>(sizeof(CT))};
            const auto by = [&]<class Shape>(Shape, auto kernel) {
                const block_plan plan = plan_blocks<Shape>(kernel, Shape::crews, Shape::shared_bytes);
                r = {rows_ / Shape::size, plan.resident * Shape::crews * Shape::items, Shape::bytes};
            };
            const bool is_summed =
                keeps_results_ && pass + 1 == passes_ &&
                with_summed_tiles([&]<class Shape>(Shape shape) { by(shape, sum_kernel_of<Shape>); });
            if (!is_summed) with_shape(pass, [&]<class Shape>(Shape shape) { by(shape, kernel_of<Shape>); });
            all.push_back(r);
        }
        return all;
    }

    template <class Shape>
    static constexpr auto kernel_of = &kron_items<CT, N, Shape::modes, Shape::width>;

    template <class Shape>
    void launch_items(item_parameters<CT> p) {
        const block_plan plan = plan_blocks<Shape>(kernel_of<Shape>, Shape::crews, Shape::shared_bytes);
        cut_into<Shape>(p);
        const int64_t per_block = int64_t{Shape::items} * Shape::crews;
        const int64_t needed = (p.units * p.tiles + per_block - 1) / per_block;
        const int64_t blocks = needed < plan.resident ? needed : plan.resident;
        device_.launch_blocks(kernel_of<Shape>, blocks, plan.threads, Shape::shared_bytes, p);
    }

    template <class Shape>
    void cut_into(item_parameters<CT>& p) const {
        p.tiles = rows_ / Shape::size;
        if (p.tiles > 1 && !Shape::has_one_set(p.tiles)) p.dense_factors = nullptr;
    }

    // Threads of a block, and blocks that the device works on at a time.
    struct block_plan {
        int threads;
        int64_t resident;
    };

    // Asking the runtime takes as long as a launch, so the answer is kept for every device.
    template <class Shape, class Kernel>
    block_plan plan_blocks(Kernel kernel, int crews, size_t shared_bytes) {
        static std::atomic<int64_t> known[16];
        std::atomic<int64_t>* const kept = device_.number() < 16 ? &known[device_.number()] : nullptr;
        if (const int64_t plan = kept ? kept->load(std::memory_order_relaxed) : 0)
            return {static_cast<int>(plan & 0xffff), plan >> 16};
        const int threads = Shape::in_warp ? 32 * crews : find_threads<Shape>(kernel, shared_bytes);
        const int64_t resident = device_.blocks_at_once(kernel, threads, shared_bytes);
        if (kept) kept->store(resident << 16 | threads, std::memory_order_relaxed);
        return {threads, resident};
    }

    // As many as keep as many of a multiprocessor busy as it has use for.
    template <class Shape, class Kernel>
    int find_threads(Kernel kernel, size_t shared_bytes) {
        constexpr double enough = 32 * 32;
        constexpr int fibres = Shape::size / power(N, Shape::modes_at_once);
        constexpr int per_thread = Shape::per_thread;
        int best = 64;
        double most = 0;
        for (const int threads : {64, 96, 128, 192, 256, 384, 512}) {
            if (threads > Shape::most_block_threads) break;
            const int at_once = threads * per_thread;
            const int trips = (fibres + at_once - 1) / at_once;
            const double resident =
                static_cast<double>(device_.blocks_at_once(kernel, threads, shared_bytes)) * threads /
                device_.multiprocessors();
            const double busy = (resident < enough ? resident : enough) * fibres / (trips * at_once);
            if (busy > 1.02 * most) {
                most = busy;
                best = threads;
            }
        }
        return best;
    }

    item_parameters<CT> ordered_items(int pass, int64_t first, int64_t units, const kron_order_of& order,
                                      int64_t column) const {
        item_parameters<CT> p = item_parameters_of(pass, first, units);
        if (order.list) {
            p.order = order.list;
            p.order_is_wide = order.is_wide;
            p.dense_factors = nullptr;
            if (pass == 0) p.dense_in = nullptr;
        }
        if (column >= 0) {
            p.vectors = 1;
            p.column = column;
        }
        return p;
    }

    void all_passes(int64_t first, int64_t count, const kron_order_of& order, int64_t column) {
        for (int pass = 0; pass < passes_; ++pass) one_pass(pass, first, count, order, column);
    }

    void one_pass(int pass, int64_t first, int64_t count, const kron_order_of& order, int64_t column) {
        const item_parameters<CT> p = ordered_items(pass, first, count, order, column);
        with_shape(pass, [&]<class Shape>(Shape) { launch_items<Shape>(p); });
    }

    // Calls use(shape) with the shape of tiles of the last pass that are added up on chip; false if there is
    // none.
    template <class Use>
    bool with_summed_tiles(const Use& use) const {
        bool fits = false;
        with_leading_tiles<true>(passes_ - 1,
                                 [&]<class Tile>(Tile) { fits = with_fitting<summed_tile<Tile>>(use); });
        return fits;
    }

    // Says how the results lie in the workspace; runs of length 0 are in the outputs already.
    sum_runs last_pass_of_groups(const group_parameters& g, int64_t first, const kron_order_of& order) {
        sum_runs runs;
        if (!with_summed_tiles([&]<class Shape>(Shape) { runs = launch_summed<Shape>(g, first, order); }))
            one_pass(passes_ - 1, first, g.count, order, g.vector);
        return runs;
    }

    template <class Shape>
    static constexpr auto sum_kernel_of = &kron_tile_groups<Shape, false>;

    template <class Shape>
    sum_runs launch_summed(const group_parameters& g, int64_t first, const kron_order_of& order) {
        const block_plan plan = plan_blocks<Shape>(sum_kernel_of<Shape>, Shape::crews, Shape::shared_bytes);
        item_parameters<CT> p = ordered_items(passes_ - 1, first, g.count, order, g.vector);
        cut_into<Shape>(p);
        const int64_t crews = plan.resident * Shape::crews;
        const int64_t run = (g.count * p.tiles + crews - 1) / crews;
        if constexpr (has_large_items)
            if (add_whole_runs<Shape>(p, g, run, plan)) return {0};
        launch_runs<Shape>(sum_kernel_of<Shape>, p, g, run, plan);
        return {static_cast<int>(run), Shape::width, static_cast<int>(p.inner)};
    }

    // Runs of all of a few large items: they are added to the outputs. False where too few crews would work.
    template <class Shape>
    bool add_whole_runs(item_parameters<CT> p, const group_parameters& g, int64_t run,
                        const block_plan& plan) {
        const int64_t whole = (run + g.count - 1) / g.count * g.count;
        if (args_.y_step != 1 || whole > run + run / 8) return false;
        p.out = as_operand(args_.y);
        p.alpha = scalar_of(args_.alpha);
        launch_runs<Shape>(&kron_tile_groups<Shape, true>, p, g, whole, plan);
        return true;
    }

    template <class Shape, class Kernel>
    void launch_runs(Kernel kernel, const item_parameters<CT>& p, const group_parameters& g, int64_t run,
                     const block_plan& plan) {
        const int64_t per_block = run * Shape::crews;
        const int64_t blocks = (p.units * p.tiles + per_block - 1) / per_block;
        device_.launch_blocks(kernel, blocks, plan.threads, Shape::shared_bytes, p, g, run);
    }

    // Whether the second-level cache may hold few items of several passes only.
    static constexpr bool has_large_items = N >= 8;

    cuda_device& device_;
    int64_t chunk_units_ = 1;
};

}  // namespace heron::HERON_LEVEL::kron_cuda
