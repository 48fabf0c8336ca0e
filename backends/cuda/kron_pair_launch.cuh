#pragma once
// How items of two passes are launched at once.
#include "kron_pair.cuh"
#include "kron_passes.cuh"

namespace heron::HERON_LEVEL::kron_cuda {

// Workspace for partial results: few enough to stay in the second-level cache.
constexpr int64_t pair_slot_bytes = int64_t{36} << 20;
// Of it, what items may be ahead with their last modes.
constexpr int64_t pair_lead_bytes = int64_t{20} << 20;

template <class CT, int N>
constexpr bool has_pair = N == 8 && (std::is_same_v<CT, f32> || std::is_same_v<CT, f64>);

template <class CT, int N>
class pair_kron : square_passes<CT, N> {
    using base = square_passes<CT, N>;
    using base::args_, base::rows_, base::passes_, base::sums_, base::chunk_;
    using base::item_parameters_of, base::run_of_items;

  public:
    pair_kron(cuda_device& device, heron_phase phase, const heron_kronmult_args& args)
        : base(args), device_(device), phase_(phase) {
        passes_ = 2;
        sums_ = false;
    }

    // False when it does not apply; nothing has been done then.
    bool apply(workspace_layout& layout) {
        if (args_.ndim != 2 * modes ||
            shape::shared_bytes > device_.shared_bytes() - cuda_device::declared_at_most)
            return false;
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
        p.task_count = 2 * units * shape::tasks;
        const auto kernel = &kron_pair<CT, N, modes, modes, run_of_items, runs>;
        const int64_t resident = device_.blocks_at_once(kernel, pair_threads, shape::shared_bytes);
        device_.fill(p.claims, 0, sizeof(*p.claims) * static_cast<size_t>(counters));
        device_.launch_blocks(kernel, smaller(p.task_count, resident), pair_threads, shape::shared_bytes, p);
        return true;
    }

  private:
    static constexpr int modes = 3;
    static constexpr int runs = 2;
    using shape = pair_shape<CT, N, modes, modes, run_of_items, runs>;

    static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

    int64_t items_in(int64_t bytes) const {
        const int64_t items = bytes / (rows_ * static_cast<int64_t>(sizeof(CT)));
        return items > 1 ? items : 1;
    }

    cuda_device& device_;
    heron_phase phase_;
};

}  // namespace heron::HERON_LEVEL::kron_cuda
