#pragma once
// Values of a sparse product again and again, on GPUs: ANALYSE of the numeric phase lists all products by the
// elements of C that they add to, and RUN is one pass over the list. The list lies in the workspace.
#include "common/dialect/dialect_group.hpp"
#include "common/reorder/pair_sort.hpp"
#include "common/runtime/plan_record.hpp"
#include "plan.hpp"
#include <new>
#include <optional>

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family spgemm_product_list{"scan_holder spgemm_product_list", "OT IT"};
#include "product_list.h"
inline constexpr kernel_family spgemm_listed_sum{"spgemm_listed_sums", "CT GROUP LANES"};
#include "listed_sums.h"
inline constexpr kernel_family spgemm_list_order{"spgemm_listed_order", "GROUP"};
#include "listed_order.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// What ANALYSE left.
struct listed_products final : plan_of<listed_products> {
    void* memory = nullptr;
    const i64* list = nullptr;
    const i32* firsts = nullptr;
    const i32* targets = nullptr;  // with slices
    const i32* owners = nullptr;
    const i32* spans = nullptr;
    u32* arrived = nullptr;
};

// The operands of a pass over the list.
template <class CT>
struct listed_pass {
    const listed_products& plan;
    const heron_spgemm_args& args;
    heron_index tiles, most;
    CT* values;  // C's, or those of its slices
    scalar_argument<CT> alpha, beta;
    CT* edges;

    const CT* a_values() const { return as<const CT>(args.a.matrix.values); }
    const CT* b_values() const { return as<const CT>(args.b.matrix.values); }
};

// By two launches: of the tiles, and of what they share.
struct joined_afterwards {
    template <class Program, class CT, class Device>
    static void run(Device& device, const listed_pass<CT>& p) {
        device.template launch_groups<typename Program::sum_tiles>(
            kernels::spgemm_listed_sum, p.tiles, p.plan.list, heron_index{p.args.products}, p.plan.firsts,
            p.plan.targets, p.a_values(), static_cast<int>(p.args.a.conjugate), p.b_values(),
            static_cast<int>(p.args.b.conjugate), p.values, p.most, p.alpha.value, p.alpha.device,
            p.beta.value, p.beta.device, p.edges);
        if (p.tiles == 1) return;
        constexpr int group = Program::join_tiles::group;
        device.template launch_groups<typename Program::join_tiles>(
            kernels::spgemm_listed_sum, (p.tiles + group - 1) / group, p.tiles, p.plan.firsts, p.plan.targets,
            p.plan.owners, p.plan.spans, p.values, p.alpha.value, p.alpha.device, p.beta.value, p.beta.device,
            static_cast<const CT*>(p.edges));
    }
};

// Whether SIZE and ANALYSE with these arguments are about the list. It takes no more memory than the operands
// ask for, or 2^25 products do, and never more than 2^28.
inline bool lists_products(const heron_spgemm_args& args) {
    constexpr int64_t always = int64_t{1} << 25, never = int64_t{1} << 28, most_per_element = 128;
    constexpr int64_t most_nnz = int64_t{1} << 25;  // an entry of the list has so many bits for an element
    const heron_spmat &a = args.a.matrix, &b = args.b.matrix;
    const heron_type t = args.c.type;
    const bool has_kernel = t == HERON_R_32F || t == HERON_R_64F || t == HERON_C_32F || t == HERON_C_64F;
    if (args.parts != HERON_SPGEMM_VALUES || args.scratch_stays || !has_kernel || is_empty_product(args))
        return false;
    if (args.products <= 0 || args.products > never || a.nnz > most_nnz || b.nnz > most_nnz) return false;
    return args.products <= always || args.products <= most_per_element * (a.nnz + b.nnz + a.rows);
}

// The memory of a list of `room` entries, and of the places and numbers of n of them while these are sorted.
// Sort: as pair_sort.
template <class Device, class Sort>
class sorted_in_pairs {
  public:
    sorted_in_pairs(workspace_layout& layout, int64_t n, int64_t room)
        : pairs_{layout.take<i32>(n), layout.take<i32>(n), nullptr},
          list_(layout.take<i64>(room)),
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

// Memory: as sorted_in_pairs. Joins: as joined_afterwards.
template <class Device, class Memory, class Joins = joined_afterwards>
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

    // What C can have elements.
    heron_index most_elements() const { return args_.a.matrix.rows * args_.longest; }
    // Of B's rows, where elements of C have very many products: about as many as tiles.
    heron_index slices() const {
        constexpr heron_index many_products = tile / 2, least_of_slice = 16, least_tiles = 64;
        if (args_.products < many_products * most_elements() || tiles() < least_tiles) return 1;
        const heron_index most = args_.products / (least_of_slice * most_elements());
        return tiles() < most ? tiles() : most;
    }
    heron_index part_count() const { return slices() > 1 ? slices() * most_elements() : 0; }

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
            CT* const edges = layout.take<CT>(2 * tiles());
            add_up<CT>(*plan, edges, layout.take<CT>(part_count()));
        });
        return true;
    }

    template <class CT, class OT, class IT>
    void analyse(heron_phase phase, heron_workspace& workspace) const {
        workspace_layout layout(phase, workspace);
        layout.take<CT>(2 * tiles());
        CT* const parts = layout.take<CT>(part_count());
        const segment_numbers segments(layout, tiles(), part_count());
        i32* const firsts = layout.take<i32>(tiles());
        i32* const owners = layout.take<i32>(tiles());
        i32* const spans = layout.take<i32>(tiles());
        u32* const arrived = layout.take<u32>(tiles());
        Memory memory(layout, args_.products, tiles() * tile);
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
            as<const IT>(c.indices), heron_index{c.base}, heron_index{c.nnz}, slices(), heron_index{b.rows},
            memory.places(), memory.numbers());
        memory.sort(device_, slices() * c.nnz);
        device_.template launch_groups<typename kernels::spgemm_listed_order<group>::order_tiles>(
            kernels::spgemm_list_order, tiles(), static_cast<const i32*>(memory.places()),
            static_cast<const i32*>(memory.numbers()), heron_index{args_.products}, memory.list(), firsts);
        launch<kernels::list_product<OT, IT>>(
            args_.products, static_cast<const OT*>(starts), as<const IT>(a.indices), permutation<OT>(args_.a),
            static_cast<int>(args_.a.permutation != nullptr), heron_index{a.base}, heron_index{a.nnz},
            as<const OT>(b.offsets), permutation<OT>(args_.b),
            static_cast<int>(args_.b.permutation != nullptr), heron_index{b.base}, memory.list());
        if (slices() > 1) {
            device_.fill(parts, 0, static_cast<size_t>(part_count()) * sizeof(CT));
            segments.find(device_, memory.places(), args_.products, c.nnz, slices(), firsts);
        }
        launch<kernels::link_tile<OT, IT>>(tiles(), static_cast<const i32*>(firsts), tiles(), owners, spans);
        device_.fill(arrived, 0, static_cast<size_t>(tiles()) * sizeof(u32));
        auto* const plan = new (std::nothrow) listed_products;
        if (!plan) throw plan_error{HERON_ALLOC_FAILED, "out of host memory"};
        plan->memory = workspace.memory;
        plan->list = memory.list();
        plan->firsts = firsts;
        plan->targets = segments.targets();
        plan->owners = owners;
        plan->spans = spans;
        plan->arrived = arrived;
        workspace.plan = plan;
    }

    // Of the sums of slices, which some elements have none of.
    class segment_numbers {
      public:
        segment_numbers(workspace_layout& layout, heron_index tiles, heron_index parts) : tiles_(tiles) {
            if (parts == 0) return;
            targets_ = layout.take<i32>(parts);
            counts_ = layout.take<i64>(tiles + 1);
            scan_.emplace(layout, tiles);
        }

        const i32* targets() const { return targets_; }
        void find(Device& device, const i32* places, heron_index products, heron_index nnz,
                  heron_index slices, i32* firsts) const {
            constexpr heron_index in_tile = tile;
            device.template launch<kernels::count_segments<i32, i32>>(kernels::spgemm_product_list, tiles_,
                                                                      places, products, in_tile, counts_);
            scan_->apply(device, counts_, 0, counts_);
            device.template launch<kernels::number_segments<i32, i32>>(
                kernels::spgemm_product_list, tiles_, places, products, in_tile, nnz, slices,
                static_cast<const i64*>(counts_), firsts, targets_);
        }

      private:
        heron_index tiles_;
        i32* targets_ = nullptr;
        i64* counts_ = nullptr;
        std::optional<exclusive_scan<Device>> scan_;
    };

    // An operand's permutation, or something of its type where there is none.
    template <class OT>
    static const OT* permutation(const heron_spgemm_operand& o) {
        return as<const OT>(o.permutation ? o.permutation : o.matrix.offsets);
    }

    template <class CT>
    void add_up(const listed_products& plan, CT* edges, CT* parts) const {
        using program = kernels::spgemm_listed_sums<CT, group, lanes>;
        const bool has_slices = slices() > 1;
        const scalar_argument<CT> beta = as_argument<CT>(args_.beta);
        Joins::template run<program, CT>(
            device_,
            {plan, args_, tiles(), slices() * args_.c.nnz, has_slices ? parts : as<CT>(args_.c.values),
             as_argument<CT>(args_.alpha), has_slices ? scalar_argument<CT>{} : beta, edges});
        if (has_slices)
            device_.template launch_groups<typename program::add_slices>(
                kernels::spgemm_listed_sum, args_.c.nnz, static_cast<const CT*>(parts), slices(),
                as<CT>(args_.c.values), beta.value, beta.device);
    }

    template <class Kernel, class... Args>
    void launch(int64_t count, Args... args) const {
        device_.template launch<Kernel>(kernels::spgemm_product_list, count, args...);
    }

    Device& device_;
    const heron_spgemm_args& args_;
};

}  // namespace heron::HERON_LEVEL::plans
