// Batched Kronecker products on the CPU, compiled once per instruction set level. Threads take contiguous
// ranges of items.
#include "common/kron/plan.hpp"
#include "common/runtime/slot.hpp"
#include "host/runtime/device.hpp"
#include "host/runtime/most_threads.hpp"
#include "item.hpp"

namespace heron::HERON_LEVEL::kron_host {

// Overlapping outputs are added under locks on stretches of memory, far cheaper than an atomic addition per
// element. A stretch maps to one of a fixed number of locks; a thread takes those that it needs in ascending
// order.
class stretch_locks {
  public:
    // Takes the locks of [begin, begin + bytes).
    void lock(const void* begin, int64_t bytes) {
        each(begin, bytes, [this](uintptr_t i) { take(flags_[i].taken); });
    }
    void unlock(const void* begin, int64_t bytes) {
        each(begin, bytes, [this](uintptr_t i) { __atomic_clear(&flags_[i].taken, __ATOMIC_RELEASE); });
    }

  private:
    static constexpr uintptr_t count = 256;
    static constexpr int stretch_bits = 14;

    template <class F>
    static void each(const void* begin, int64_t bytes, F&& f) {
        const uintptr_t first = reinterpret_cast<uintptr_t>(begin) >> stretch_bits;
        const uintptr_t last =
            (reinterpret_cast<uintptr_t>(begin) + static_cast<uintptr_t>(bytes) - 1) >> stretch_bits;
        if (last - first >= count - 1) {
            for (uintptr_t i = 0; i < count; ++i) f(i);
            return;
        }
        const uintptr_t low = first % count;
        const uintptr_t high = last % count;
        if (low <= high) {
            for (uintptr_t i = low; i <= high; ++i) f(i);
            return;
        }
        for (uintptr_t i = 0; i <= high; ++i) f(i);
        for (uintptr_t i = low; i < count; ++i) f(i);
    }

    static void take(char& taken) {
        while (__atomic_test_and_set(&taken, __ATOMIC_ACQUIRE))
            while (__atomic_load_n(&taken, __ATOMIC_RELAXED)) continue;
    }

    struct alignas(64) flag {
        char taken = 0;
    };
    flag flags_[count];
};

// One for the process: handles that add to the same memory from several threads exclude each other too.
inline stretch_locks& output_locks() {
    static stretch_locks locks;
    return locks;
}

// Which items a group consists of, in positions; groups ascend. Without groups every position is its own.
struct item_groups {
    const heron_kronmult_args& args;
    const i64* keys = nullptr;   // ADD_DETERMINISTIC: addresses of the outputs, ascending
    const i64* order = nullptr;  // and the items in that order

    int is_wide() const { return args.group_type == HERON_INDEX_64; }
    int64_t offset(int64_t g) const { return kernels::kron_entry(args.group_offsets, is_wide(), g); }

    int64_t item(int64_t position) const {
        return order ? order[position] : kernels::kron_entry(args.group_items, is_wide(), position);
    }

    // The group of a position, as a number to call the others with.
    int64_t group_at(int64_t position) const {
        if (keys) return position;
        return kernels::kron_group_of(args.group_offsets, is_wide(), args.group_count, position);
    }
    bool begins_at(int64_t group, int64_t position) const {
        if (keys) return position == 0 || keys[position - 1] != keys[position];
        return offset(group) == position;
    }
    // The first position behind `position` that belongs to another group, `end` at most.
    int64_t end_of(int64_t group, int64_t position, int64_t end) const {
        if (!keys) return offset(group + 1) < end ? offset(group + 1) : end;
        int64_t p = position;
        while (p < end && keys[p] == keys[position]) ++p;
        return p;
    }
    template <class CT>
    CT* output(int64_t group) const {
        return keys ? reinterpret_cast<CT*>(keys[group]) : locate<CT>(args.y, group);
    }
};

template <class CT>
class kron_run {
  public:
    using shape = item_shape<CT>;
    using worker = item_worker<CT>;
    using R = typename shape::R;
    static constexpr int parts = shape::parts;

    kron_run(host_device& device, heron_phase phase, const heron_kronmult_args& args,
             heron_workspace& workspace)
        : device_(device), phase_(phase), args_(args), layout_(phase, workspace), shape_(args) {}

    void apply() {
        if (args_.count == 0 || args_.vectors == 0 || shape_.rows == 0) return;
        if (plans::kron_is_zero(args_) || equal(alpha_, CT{})) {
            if (phase_ == HERON_PHASE_RUN) plans::kron_scale_outputs<host_device, CT>(device_, args_);
            return;
        }
        scratch_ = layout_.template take<R>(shape_.scratch_size() * team());
        if (args_.output == HERON_KRON_ADD_GROUPED) return grouped({args_});
        if (args_.output == HERON_KRON_ADD_DETERMINISTIC) return sorted();
        if (phase_ == HERON_PHASE_RUN) each_item();
    }

  private:
    // Threads that may find work, and that the workspace has room for whatever the calling thread's OpenMP
    // state is.
    int team() const {
        const int64_t items = args_.count * args_.vectors;
        const int64_t worth = 1 + items * shape_.columns / 4096;
        const int wanted = phase_ == HERON_PHASE_SIZE || device_.threads() > most_threads()
                               ? most_threads()
                               : device_.threads();
        const int64_t useful = worth < items ? worth : items;
        return useful < wanted ? static_cast<int>(useful) : wanted;
    }

    worker make_worker(int thread) const { return worker(shape_, scratch_ + shape_.scratch_size() * thread); }

    void each_item() {
        const int64_t units = args_.count * args_.vectors;
        const int threads = team();
        const item_kernel<CT> product = kernel_for(shape_);
#pragma omp parallel num_threads(threads) if (threads > 1)
        {
            const int members = omp_get_num_threads();
            const int thread = omp_get_thread_num();
            worker w = make_worker(thread);
            const int64_t end = share(units, thread + 1, members);
            for (int64_t u = share(units, thread, members); u < end; ++u) {
                const int64_t k = args_.vectors == 1 ? u : u / args_.vectors;
                const int64_t v = args_.vectors == 1 ? 0 : u % args_.vectors;
                finish(product(w, k, v), locate<CT>(args_.y, k) + v * args_.y_column_step, members > 1);
            }
        }
    }

    static int64_t share(int64_t units, int64_t part, int64_t parts_) {
        return units / parts_ * part + units % parts_ * part / parts_;
    }

    [[gnu::always_inline]] inline void finish(const R* w, CT* y, bool concurrent) const {
        if (args_.output != HERON_KRON_ADD_ATOMIC) return write(w, y, beta_);
        if (!concurrent) return write(w, y, one<CT>());
        const int64_t bytes = ((shape_.rows - 1) * args_.y_step + 1) * static_cast<int64_t>(sizeof(CT));
        output_locks().lock(y, bytes);
        write(w, y, one<CT>());
        output_locks().unlock(y, bytes);
    }

    // y := alpha*w + beta*y
    [[gnu::always_inline]] inline void write(const R* __restrict w, CT* y, CT beta) const {
        const int64_t step = args_.y_step;
        if (step == 1 && equal(alpha_, one<CT>())) {
            R* __restrict to = reinterpret_cast<R*>(y);
            const int64_t size = shape_.rows * parts;
            if (equal(beta, CT{})) return copy(w, to, size);
            if (equal(beta, one<CT>())) return add_to(w, to, size);
        }
        const CT* const from = reinterpret_cast<const CT*>(w);
        const bool reads = !equal(beta, CT{});
        for (int64_t e = 0; e < shape_.rows; ++e) {
            const CT value = mul(alpha_, from[e]);
            y[e * step] = reads ? mad(beta, y[e * step], value) : value;
        }
    }

    [[gnu::always_inline]] static inline void copy(const R* __restrict w, R* __restrict y, int64_t size) {
        constexpr int L = most_lanes<R>;
        int64_t e = 0;
        for (; e + L <= size; e += L) store_lanes<L>(y + e, load_lanes<L>(w + e));
        for (; e < size; ++e) y[e] = w[e];
    }
    [[gnu::always_inline]] static inline void add_to(const R* __restrict w, R* __restrict y, int64_t size) {
        constexpr int L = most_lanes<R>;
        int64_t e = 0;
        for (; e + L <= size; e += L) store_lanes<L>(y + e, load_lanes<L>(y + e) + load_lanes<L>(w + e));
        for (; e < size; ++e) y[e] += w[e];
    }

    void sorted() {
        plans::kron_sorting<host_device, CT> sorting(layout_, args_.count);
        int* const mixed = layout_.take<int>(1);
        if (phase_ == HERON_PHASE_RUN) sorting.sort(device_, args_.y);
        grouped({args_, sorting.keys(), sorting.order()}, mixed);
    }

    // Outputs that overlap without being the same are summed by one thread, one after the other.
    bool overlaps_partly(const i64* keys, int* found) const {
        const int64_t span = plans::kron_output_span(args_) * static_cast<int64_t>(sizeof(CT));
        const int64_t count = args_.count;
        *found = 0;
#pragma omp parallel for num_threads(team()) if (team() > 1)
        for (int64_t k = 1; k < count; ++k)
            if (keys[k] != keys[k - 1] && keys[k] - keys[k - 1] < span)
                __atomic_store_n(found, 1, __ATOMIC_RELAXED);
        return *found != 0;
    }

    // The positions are cut into slices, whose number does not depend on the threads, so that the sums never
    // change. A slice adds up what belongs together and then to y; what belongs to a group that began in an
    // earlier slice goes to a slot of its own and is added in the end, in order.
    void grouped(const item_groups& groups, int* mixed = nullptr) {
        constexpr int64_t most_slices = 64;
        constexpr int64_t most_bytes = int64_t{32} << 20;
        const int64_t reals = shape_.rows * parts;
        const int64_t fitting = most_bytes / (reals * static_cast<int64_t>(sizeof(R)));
        int64_t slices = args_.count / 4 + 1;
        if (slices > most_slices) slices = most_slices;
        if (slices > fitting) slices = fitting > 1 ? fitting : 1;
        R* const slots = layout_.template take<R>(reals * slices);
        R* const sums = layout_.template take<R>(reals * team());
        i64* const owners = layout_.take<i64>(slices);
        if (phase_ != HERON_PHASE_RUN) return;
        if (mixed && overlaps_partly(groups.keys, mixed)) slices = 1;
        for (int64_t v = 0; v < args_.vectors; ++v) {
            each_slice(groups, v, slices, slots, sums, owners);
            for (int64_t s = 0; s < slices; ++s)
                if (owners[s] >= 0) write(slots + reals * s, output(groups, owners[s], v), one<CT>());
        }
    }

    CT* output(const item_groups& groups, int64_t group, int64_t v) const {
        return groups.output<CT>(group) + v * args_.y_column_step;
    }

    void each_slice(const item_groups& groups, int64_t v, int64_t slices, R* slots, R* sums, i64* owners) {
        const int64_t reals = shape_.rows * parts;
        const int64_t count =
            args_.output == HERON_KRON_ADD_GROUPED ? groups.offset(args_.group_count) : args_.count;
        const int threads = team();
        const item_kernel<CT> product = kernel_for(shape_);
#pragma omp parallel num_threads(threads) if (threads > 1)
        {
            const int thread = omp_get_thread_num();
            worker w = make_worker(thread);
#pragma omp for schedule(dynamic, 1)
            for (int64_t s = 0; s < slices; ++s) {
                const int64_t end = share(count, s + 1, slices);
                owners[s] = -1;
                for (int64_t p = share(count, s, slices); p < end;) {
                    const int64_t group = groups.group_at(p);
                    const bool is_own = groups.begins_at(group, p);
                    const int64_t stop = groups.end_of(group, p, end);
                    R* const sum = is_own ? sums + reals * thread : slots + reals * s;
                    copy(product(w, groups.item(p), v), sum, reals);
                    for (++p; p < stop; ++p) add_to(product(w, groups.item(p), v), sum, reals);
                    if (is_own)
                        write(sum, output(groups, group, v), one<CT>());
                    else
                        owners[s] = group;
                }
            }
        }
    }

    host_device& device_;
    heron_phase phase_;
    const heron_kronmult_args& args_;
    workspace_layout layout_;
    shape shape_;
    R* scratch_ = nullptr;
    CT alpha_ = value_of(args_.alpha);
    CT beta_ = value_of(args_.beta);

    static CT value_of(const heron_scalar& s) {
        return s.device ? *static_cast<const CT*>(s.device) : scalar_value<CT>(s.re, s.im);
    }
};

// The other algorithms turn the data, which these passes do not; they go through the shared plan.
inline void kronmult(host_device& device, heron_phase phase, const heron_kronmult_args& args,
                     heron_workspace& workspace) {
    const bool turns = args.algorithm == HERON_KRON_993_FORWARD || args.algorithm == HERON_KRON_993_BACKWARD;
    if (turns) return plans::kronmult(device, phase, args, workspace);
    visit_full(args.type, [&]<class CT>(type<CT>) { kron_run<CT>(device, phase, args, workspace).apply(); });
}

}  // namespace heron::HERON_LEVEL::kron_host

namespace heron::HERON_LEVEL {

void override_kron(heron_backend& table) {
    table.kronmult = &slot<host_device, heron_kronmult_args, &kron_host::kronmult, operation_names::kronmult>;
}

}  // namespace heron::HERON_LEVEL
