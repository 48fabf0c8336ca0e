#pragma once
// A triangular solve in one launch: the rows wait for each other (trisolve_sweep.cuh). ANALYSE gathers op(A)
// by rows where A is not that already, and puts the rows into the order of their levels where that helps.
#include "trisolve_many.cuh"
#include "trisolve_pattern.hpp"
#include "trisolve_tuned.hpp"

namespace heron::HERON_LEVEL {

// The solution of one right-hand side as a sweep.
template <class CT>
struct solve_work {
    using value = CT;
    solve_operands<CT> o;

    __device__ bool is_void() const { return equal(o.scale(), CT{}); }
    __device__ CT prepare(int64_t row) const { return is_void() ? CT{} : mul(o.scale(), o.b[row * o.b_row]); }
    __device__ CT load(int64_t k) const { return o.element(k); }
    __device__ CT add(CT sum, CT element, CT x) const { return mad(element, x, sum); }
    __device__ CT join(CT a, CT b) const { return heron::HERON_LEVEL::add(a, b); }
    __device__ CT add_pivot(CT pivot, CT element) const { return heron::HERON_LEVEL::add(pivot, element); }
    __device__ CT finish(int64_t row, CT right, CT sum, CT pivot) const {
        const CT x = is_void() ? CT{} : o.solve(row, right, sum, pivot);
        o.c[row * o.c_row] = x;
        return x;
    }
};

struct sweep_plan final : heron_plan {
    gathered_triangle triangle;
    bool is_ordered = false;
};

template <class CT>
class tuned_trisolve_run {
  public:
    tuned_trisolve_run(cuda_device& device, heron_phase phase, const heron_trisolve_args& args,
                       heron_workspace& workspace)
        : device_(device),
          args_(args),
          workspace_(workspace),
          layout_(phase, workspace),
          n_(args.a.rows),
          stored_(plans::stored_elements(args.a)),
          control_(layout_.template take<solve_control>(2)),
          boxes_(layout_.template take<uint64_t>(n_ * mailbox<CT>::parts)),
          flags_(layout_.template take<unsigned>(n_ * tiles_per_launch)),
          order_(layout_.template take<unsigned>(n_)),

          staged_(layout_.template take<CT>(n_ * args.staged_columns)) {}

    // Takes what the analysis needs beside what the solves use.
    void analyse(heron_phase phase) {
        static_assert(tiles_per_launch == 2, "the scratch memory of the ordering is that of the flags");
        const size_t sort_bytes = sort_workspace(n_);
        void* const sort_memory = layout_.template take<char>(static_cast<int64_t>(sort_bytes));
        const order_memory memory{boxes_, flags_, order_, control_, sort_bytes, sort_memory};
        const gather_memory gathering(layout_, n_, is_gathered() ? stored_ : 0);
        if (phase == HERON_PHASE_SIZE) return;
        sweep_plan plan;
        if (is_gathered()) {
            plan.triangle = gather_triangle(device_, args_, gathering);

            plan.is_ordered = order_by_levels(device_, plan.triangle, n_, stored_, is_lower(), memory);
        } else {
            plan.is_ordered = order_by_levels(device_, args_.a, is_lower(), memory);
        }
        // Stamps of no solve.
        device_.fill(control_, 0, 2 * sizeof(solve_control));
        device_.fill(boxes_, 0, static_cast<size_t>(n_) * mailbox<CT>::parts * sizeof(uint64_t));
        device_.fill(flags_, 0, static_cast<size_t>(n_) * tiles_per_launch * sizeof(unsigned));
        plans::leave_plan(static_cast<sweep_plan&&>(plan), workspace_);
    }

    void run() {
        const sweep_plan& plan = plans::required_plan<sweep_plan>(workspace_);
        const row_order order{plan.is_ordered ? order_ : nullptr, n_, is_lower()};
        if (is_gathered()) {
            const gathered_triangle& t = plan.triangle;
            return solve(
                triangle_rows<int, int>{t.offsets, t.columns, t.sources, n_, 0, is_lower(), is_unit()},
                order);
        }
        visit_offsets_and_indices(
            args_.a.offset_type, args_.a.index_type, [&]<class OT, class IT>(type<OT>, type<IT>) {
                solve(triangle_rows<OT, IT>{as<const OT>(args_.a.offsets), as<const IT>(args_.a.indices),
                                            nullptr, n_, args_.a.base, is_lower(), is_unit()},
                      order);
            });
    }

  private:
    bool is_gathered() const {
        return args_.a.format != HERON_FORMAT_CSR || plans::is_transposed(args_.op);
    }
    bool is_lower() const { return (args_.a.fill == HERON_FILL_LOWER) != plans::is_transposed(args_.op); }
    bool is_unit() const { return args_.a.diag == HERON_DIAG_UNIT; }

    template <class OT, class IT>
    void solve(const triangle_rows<OT, IT>& triangle, const row_order& order) {
        solve_operands<CT> o = operands();
        if (args_.c.cols == 1) return solve_one(o, triangle, order);
        for (int64_t first = 0; first < args_.c.cols; first += sides_per_launch) {
            const int64_t left = args_.c.cols - first;
            const int64_t sides = left < sides_per_launch ? left : sides_per_launch;
            solve_some(o, triangle, order, sides);
            o.b += sides * o.b_column;
            o.c += sides * o.c_column;
        }
    }

    template <class OT, class IT>
    void solve_one(const solve_operands<CT>& o, const triangle_rows<OT, IT>& triangle,
                   const row_order& order) {
        const solve_work<CT> work{o};
        // As many lanes as most rows have elements to wait for.
        constexpr int64_t short_row = 6;
        if (stored_ <= short_row * n_)
            device_.launch_blocks(sweep_rows<solve_work<CT>, OT, IT, 4>, sweep_blocks(n_, 4), sweep_threads,
                                  0, work, triangle, order, control_, boxes_);
        else
            device_.launch_blocks(sweep_rows<solve_work<CT>, OT, IT, 16>, sweep_blocks(n_, 16), sweep_threads,
                                  0, work, triangle, order, control_, boxes_);
    }

    template <class OT, class IT>
    void solve_some(const solve_operands<CT>& o, const triangle_rows<OT, IT>& triangle,
                    const row_order& order, int64_t sides) {
        const int tiles = static_cast<int>((sides + warp_size - 1) / warp_size);
        device_.launch_blocks(solve_many<CT, OT, IT>, sweep_blocks(n_, warp_size) * tiles, sweep_threads, 0,
                              o, triangle, order, sides, tiles, control_ + 1, flags_);
    }

    solve_operands<CT> operands() {
        const plans::element_steps c = plans::steps_of(args_.c);
        plans::element_steps b = plans::steps_of(args_.b);
        const CT* from = as<const CT>(args_.b.values);
        if (plans::must_stage(args_)) {
            device_.launch<kernels::stage_right_side<CT, i32>>(kernels::trisolve, n_ * args_.c.cols,
                                                               args_.c.cols, from, b.row, b.column, staged_);
            b = {args_.c.cols, 1};
            from = staged_;
        }
        return {as<const CT>(args_.a.values),
                static_cast<const CT*>(args_.diagonal),
                is_unit(),
                plans::is_conjugated(args_.op),
                as_argument<CT>(args_.alpha),
                from,
                b.row,
                b.column,
                as<CT>(args_.c.values),
                c.row,
                c.column};
    }

    cuda_device& device_;
    const heron_trisolve_args& args_;
    heron_workspace& workspace_;
    workspace_layout layout_;
    int64_t n_, stored_;
    solve_control* control_;  // of one right-hand side, and of many
    uint64_t* boxes_;
    unsigned* flags_;
    unsigned* order_;

    CT* staged_;
};

template <class CT>
void tuned_trisolve(cuda_device& device, heron_phase phase, const heron_trisolve_args& args,
                    heron_workspace& workspace) {
    tuned_trisolve_run<CT> run(device, phase, args, workspace);
    phase == HERON_PHASE_RUN ? run.run() : run.analyse(phase);
}

}  // namespace heron::HERON_LEVEL
