// SDDMM on OpenCL: on a GPU small problems and short inner products by one launch that copies nothing, other
// CSR by groups of work-items that share the products; everything else by the shared plan.
#include "opencl/runtime/device.hpp"
#include "opencl/runtime/kernels.hpp"
#include "common/runtime/slot.hpp"
#include "common/sddmm/direct.hpp"

namespace heron::opencl {
namespace {

constexpr kernel_family tuned{"scan_holder sddmm_sample sddmm_tuned", "VX VC CT OT IT"};
template <class...>
struct pack_vectors {
    static constexpr const char* name = "pack_vectors";
};
template <class...>
struct sample_csr {
    static constexpr const char* name = "sample_csr";
};

// These mirror sddmm_tuned.cl.
constexpr int64_t group_size = 256;
template <class VX>
constexpr int64_t packed_tile = sizeof(VX) > 8 ? 32 : 64;
constexpr uint64_t local_bytes_needed = 40 * 1024;
struct packed_operand {
    heron_index vectors, k, vector_step, element_step, batch_stride, tiles, lines, groups;
};

template <class VX, class VC, class CT, class OT, class IT>
class grouped_sddmm {
  public:
    grouped_sddmm(opencl_device& device, heron_phase phase, const heron_sddmm_args& args,
                  heron_workspace& workspace)
        : device_(device), phase_(phase), args_(args), layout_(phase, workspace) {}

    void apply() {
        VX* const packed_a = packing_space(args_.a, args_.c.rows);
        VX* const packed_b = packing_space(args_.b, args_.c.cols);
        if (phase_ != HERON_PHASE_RUN) return;
        pack(packed_a, packed_b);
        const vectors a = contiguous(args_.a, args_.c.rows, packed_a);
        const vectors b = contiguous(args_.b, args_.c.cols, packed_b);
        const heron_spmat& c = args_.c;
        const auto alpha = as_argument<CT>(args_.alpha);
        const auto beta = as_argument<CT>(args_.beta);
        const heron_index groups = quotient_up(c.nnz, group_size);
        device_.launch_groups<sample_csr<VX, VC, CT, OT, IT>>(
            tuned, groups * c.batch_count, group_size, as<const OT>(c.offsets), as<const IT>(c.indices),
            as<VC>(c.values), heron_index{c.rows}, heron_index{c.nnz}, groups, heron_index{c.base},
            heron_index{c.offsets_stride}, heron_index{c.indices_stride}, heron_index{c.values_stride},
            a.values, a.step, a.stride, int{args_.a.conjugate}, b.values, b.step, b.stride,
            int{args_.b.conjugate}, heron_index{args_.k}, alpha.value, alpha.device, beta.value, beta.device);
    }

  private:
    struct vectors {
        const VX* values;
        heron_index step, stride;
    };

    int64_t items_of(const heron_sddmm_vectors& v) const {
        return v.batch_stride == 0 ? 1 : args_.c.batch_count;
    }

    VX* packing_space(const heron_sddmm_vectors& v, int64_t count) {
        if (v.element_step == 1 || args_.k <= 1) return nullptr;
        return layout_.take<VX>(items_of(v) * count * args_.k);
    }

    // The operand as it is, or where it was packed.
    vectors contiguous(const heron_sddmm_vectors& v, int64_t count, const VX* packed) const {
        if (!packed) return {as<const VX>(v.values), v.vector_step, v.batch_stride};
        return {packed, args_.k, v.batch_stride == 0 ? 0 : count * args_.k};
    }

    // Whichever has memory to be packed into, both by one launch.
    void pack(VX* packed_a, VX* packed_b) {
        const packed_operand a = operand(args_.a, args_.c.rows, packed_a);
        const packed_operand b = operand(args_.b, args_.c.cols, packed_b);
        if (a.groups + b.groups == 0) return;
        device_.launch_groups<pack_vectors<VX, VC, CT, OT, IT>>(tuned, a.groups + b.groups, group_size,
                                                                as<const VX>(args_.a.values), a, packed_a,
                                                                as<const VX>(args_.b.values), b, packed_b);
    }

    packed_operand operand(const heron_sddmm_vectors& v, int64_t count, const VX* packed) const {
        const int64_t tiles = quotient_up(args_.k, packed_tile<VX>);
        const int64_t lines = quotient_up(count, packed_tile<VX>);
        return {count,          args_.k, v.vector_step, v.element_step,
                v.batch_stride, tiles,   lines,         packed ? tiles * lines * items_of(v) : 0};
    }

    opencl_device& device_;
    const heron_phase phase_;
    const heron_sddmm_args& args_;
    workspace_layout layout_;
};

// The same for SIZE and RUN: does not look at addresses. Strided operands cost a sector of 32 bytes per
// number, as long as that is less than another launch is.
template <class VX>
bool is_direct(const device_traits& traits, const heron_sddmm_args& args) {
    constexpr int64_t short_bytes = 32, few_products = int64_t{1} << 20, fewest_uses = 4;
    constexpr double most_sectors = 9 << 18;  // that take as long as a launch that packs
    const int64_t elements = plans::elements_of(args.c) * args.c.batch_count;
    const auto is_strided = [&](const heron_sddmm_vectors& v) { return v.element_step != 1 && args.k > 1; };
    const auto is_seldom_used = [&](const heron_sddmm_vectors& v, int64_t vectors) {
        return is_strided(v) && args.c.nnz * fewest_uses < vectors;
    };
    if (args.c.format != HERON_FORMAT_CSR || args.k * int64_t{sizeof(VX)} <= short_bytes) return true;
    if (!is_strided(args.a) && !is_strided(args.b)) return elements <= int64_t{256} * traits.compute_units;
    return elements <= few_products / args.k || is_seldom_used(args.a, args.c.rows) ||
           is_seldom_used(args.b, args.c.cols) ||
           plans::sectors_spared_by_packing<VX>(args, traits.compute_units) <= most_sectors;
}

bool takes_groups(const device_traits& traits, const heron_sddmm_args& args) {
    return args.c.nnz > 0 && takes_gpu_kernels("sddmm", traits.is_gpu) &&
           traits.largest_group >= group_size && traits.local_bytes >= local_bytes_needed &&
           plans::direct_sddmm_counts(args);
}

template <class VX, class VC, class CT>
void sddmm_by_groups(opencl_device& device, heron_phase phase, const heron_sddmm_args& args,
                     heron_workspace& workspace) {
    if (!is_direct<VX>(device.traits(), args))
        return visit_offsets_and_indices(
            args.c.offset_type, args.c.index_type, [&]<class OT, class IT>(type<OT>, type<IT>) {
                grouped_sddmm<VX, VC, CT, OT, IT>(device, phase, args, workspace).apply();
            });
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_index(args.c.index_type, [&]<class IT>(type<IT>) {
        plans::direct_sddmm<opencl_device, VX, VC, CT, IT>(device, device.traits().compute_units, args)
            .apply();
    });
}

}  // namespace

void sddmm(opencl_device& device, heron_phase phase, const heron_sddmm_args& args,
           heron_workspace& workspace) {
    if (!takes_groups(device.traits(), args)) return plans::sddmm(device, phase, args, workspace);
    plans::visit_sddmm(args.a.type, args.c.type, args.compute_type,
                       [&]<class VX, class VC, class CT>(type<VX>, type<VC>, type<CT>) {
                           sddmm_by_groups<VX, VC, CT>(device, phase, args, workspace);
                       });
}

void override_sddmm(heron_backend& table) {
    table.sddmm = &slot<opencl_device, heron_sddmm_args, &sddmm, operation_names::sddmm>;
}

}  // namespace heron::opencl
