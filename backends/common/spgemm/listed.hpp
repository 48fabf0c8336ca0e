#pragma once
// Values of a sparse product again and again, on GPUs: ANALYSE of the numeric phase lists all products by the
// elements of C that they add to, and RUN is one pass over the list. The list lies in the workspace.
#include "common/dialect/dialect_group.hpp"
#include "common/reorder/pair_sort.hpp"
#include "common/runtime/plan_record.hpp"
#include "plan.hpp"
#include <new>

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family spgemm_product_list{"spgemm_product_list", "OT IT"};
#include "product_list.h"
inline constexpr kernel_family spgemm_listed_sum{"spgemm_listed_sums", "CT GROUP LANES"};
#include "listed_sums.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// What ANALYSE left.
struct listed_products final : plan_of<listed_products> {
    void* memory = nullptr;
    const i64* list = nullptr;
    const i32* firsts = nullptr;
};

// Whether SIZE and ANALYSE with these arguments are about the list. It takes no more memory than the operands
// ask for, or 2^25 products do, and never more than 2^28.
inline bool lists_products(const heron_spgemm_args& args) {
    constexpr int64_t always = int64_t{1} << 25, never = int64_t{1} << 28, most_per_element = 128;
    const heron_spmat &a = args.a.matrix, &b = args.b.matrix;
    const heron_type t = args.c.type;
    const bool has_kernel = t == HERON_R_32F || t == HERON_R_64F || t == HERON_C_32F || t == HERON_C_64F;
    if (args.parts != HERON_SPGEMM_VALUES || args.scratch_stays || !has_kernel || is_empty_product(args))
        return false;
    if (args.products <= 0 || args.products > never || a.nnz > INT32_MAX || b.nnz > INT32_MAX) return false;
    return args.products <= always || args.products <= most_per_element * (a.nnz + b.nnz + a.rows);
}

// The memory of a list of n entries, and of its entries' places and numbers while they are sorted. Sort: as
// pair_sort.
template <class Device, class Sort>
class sorted_in_pairs {
  public:
    sorted_in_pairs(workspace_layout& layout, int64_t n)
        : pairs_{layout.take<i32>(n), layout.take<i32>(n), nullptr},
          list_(layout.take<i64>(n)),
          sort_(layout, n) {}

    i32* places() const { return pairs_.major; }
    i32* numbers() const { return pairs_.minor; }
    // By places, which are below nnz, and then by numbers.
    void sort(Device& device, int64_t) const { sort_.run(device, pairs_); }
    // Free once they are sorted.
    i64* list() const { return list_; }

  private:
    pair_arrays pairs_;
    i64* list_;
    Sort sort_;
};

// Memory: as sorted_in_pairs.
template <class Device, class Memory>
class listed_product {
  public:
    listed_product(Device& device, const heron_spgemm_args& args) : device_(device), args_(args) {}

    // False without a list.
    bool serve(heron_phase phase, heron_workspace& workspace) const {
        return phase == HERON_PHASE_RUN ? run(workspace) : analyse(phase, workspace);
    }

  private:
    static constexpr int group = 256, lanes = 32;
    static constexpr heron_index tile = kernels::spgemm_listed_sums<f32, group, lanes>::tile;

    heron_index tiles() const { return (args_.products + tile - 1) / tile; }

    bool analyse(heron_phase phase, heron_workspace& workspace) const {
        if (!lists_products(args_)) return false;
        visit_full(args_.c.type, [&]<class CT>(type<CT>) {
            visit_spgemm_pattern(args_, [&]<class OT, class IT>(type<OT>, type<IT>) {
                analyse<CT, OT, IT>(phase, workspace);
            });
        });
        return true;
    }

    bool run(heron_workspace& workspace) const {
        const auto* const plan = plan_as<listed_products>(workspace.plan);
        if (!plan || plan->memory != workspace.memory) return false;
        visit_full(args_.c.type, [&]<class CT>(type<CT>) {
            workspace_layout layout(HERON_PHASE_RUN, workspace);
            add_up<CT>(*plan, layout.take<CT>(2 * tiles()));
        });
        return true;
    }

    template <class CT, class OT, class IT>
    void analyse(heron_phase phase, heron_workspace& workspace) const {
        workspace_layout layout(phase, workspace);
        layout.take<CT>(2 * tiles());
        i32* const firsts = layout.take<i32>(tiles());
        Memory memory(layout, args_.products);
        OT* const starts = layout.take<OT>(args_.a.matrix.nnz + 1);
        i64* const counts = layout.take<i64>(args_.a.matrix.nnz + 1);
        const exclusive_scan<Device> scan(layout, args_.a.matrix.nnz);
        if (phase != HERON_PHASE_ANALYSE) return;
        const heron_spmat &a = args_.a.matrix, &b = args_.b.matrix, &c = args_.c;
        launch<kernels::count_of_element<OT, IT>>(a.nnz, as<const IT>(a.indices), heron_index{a.base},
                                                  as<const OT>(b.offsets), counts);
        scan.apply(device_, counts, 0, starts);
        launch<kernels::place_product<OT, IT>>(
            args_.products, static_cast<const OT*>(starts), as<const OT>(a.offsets), as<const IT>(a.indices),
            heron_index{a.base}, heron_index{a.rows}, heron_index{a.nnz}, as<const OT>(b.offsets),
            as<const IT>(b.indices), heron_index{b.base}, static_cast<const i64*>(args_.row_offsets),
            as<const IT>(c.indices), heron_index{c.base}, heron_index{c.nnz}, memory.places(),
            memory.numbers());
        memory.sort(device_, c.nnz);
        launch<kernels::list_product<OT, IT>>(
            args_.products, static_cast<const i32*>(memory.places()),
            static_cast<const i32*>(memory.numbers()), static_cast<const OT*>(starts),
            as<const IT>(a.indices), permutation<OT>(args_.a),
            static_cast<int>(args_.a.permutation != nullptr), heron_index{a.base}, heron_index{a.nnz},
            as<const OT>(b.offsets), permutation<OT>(args_.b),
            static_cast<int>(args_.b.permutation != nullptr), heron_index{b.base}, tile, memory.list(),
            firsts);
        auto* const plan = new (std::nothrow) listed_products;
        if (!plan) throw plan_error{HERON_ALLOC_FAILED, "out of host memory"};
        plan->memory = workspace.memory;
        plan->list = memory.list();
        plan->firsts = firsts;
        workspace.plan = plan;
    }

    // An operand's permutation, or something of its type where there is none.
    template <class OT>
    static const OT* permutation(const heron_spgemm_operand& o) {
        return as<const OT>(o.permutation ? o.permutation : o.matrix.offsets);
    }

    template <class CT>
    void add_up(const listed_products& plan, CT* edges) const {
        using program = kernels::spgemm_listed_sums<CT, group, lanes>;
        // Items wait for memory: as many as fit hide it best.
        using sum_tiles = at_once<typename program::sum_tiles, sizeof(CT) == 16 ? 3 : 4>;
        const scalar_argument<CT> alpha = as_argument<CT>(args_.alpha), beta = as_argument<CT>(args_.beta);
        device_.template launch_groups<sum_tiles>(
            kernels::spgemm_listed_sum, tiles(), plan.list, heron_index{args_.products}, plan.firsts,
            as<const CT>(args_.a.matrix.values), static_cast<int>(args_.a.conjugate),
            as<const CT>(args_.b.matrix.values), static_cast<int>(args_.b.conjugate), as<CT>(args_.c.values),
            heron_index{args_.c.nnz}, alpha.value, alpha.device, beta.value, beta.device, edges);
        if (tiles() == 1) return;
        device_.template launch_groups<typename program::join_tiles>(
            kernels::spgemm_listed_sum, (tiles() + group - 1) / group, plan.list, tiles(), plan.firsts,
            as<CT>(args_.c.values), alpha.value, alpha.device, beta.value, beta.device,
            static_cast<const CT*>(edges));
    }

    template <class Kernel, class... Args>
    void launch(int64_t count, Args... args) const {
        device_.template launch<Kernel>(kernels::spgemm_product_list, count, args...);
    }

    Device& device_;
    const heron_spgemm_args& args_;
};

}  // namespace heron::HERON_LEVEL::plans
