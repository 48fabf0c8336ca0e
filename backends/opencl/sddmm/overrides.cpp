// SDDMM on OpenCL: CSR on a GPU by groups of work-items, everything else by the shared plan.
#include "opencl/runtime/device.hpp"
#include "opencl/runtime/kernels.hpp"
#include "common/runtime/slot.hpp"
#include "common/sddmm/plan.hpp"

namespace heron::opencl {
namespace {

constexpr kernel_family tuned{"scan_holder sddmm_tuned", "VX VC CT OT IT"};
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

template <class VX, class VC, class CT, class OT, class IT>
class grouped_sddmm {
  public:
    grouped_sddmm(opencl_device& device, heron_phase phase, const heron_sddmm_args& args,
                  heron_workspace& workspace)
        : device_(device), phase_(phase), args_(args), layout_(phase, workspace) {}

    void apply() {
        const vectors a = contiguous(args_.a, args_.c.rows);
        const vectors b = contiguous(args_.b, args_.c.cols);
        if (phase_ != HERON_PHASE_RUN) return;
        const heron_spmat& c = args_.c;
        const auto alpha = as_argument<CT>(args_.alpha);
        const auto beta = as_argument<CT>(args_.beta);
        const heron_index groups = (c.nnz + group_size - 1) / group_size;
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

    // The operand as it is, or packed into the workspace.
    vectors contiguous(const heron_sddmm_vectors& v, int64_t count) {
        if (v.element_step == 1 || args_.k <= 1)
            return {as<const VX>(v.values), v.vector_step, v.batch_stride};
        const int64_t items = v.batch_stride == 0 ? 1 : args_.c.batch_count;
        VX* const packed = layout_.take<VX>(items * count * args_.k);
        if (phase_ == HERON_PHASE_RUN) pack(v, count, items, packed);
        return {packed, args_.k, v.batch_stride == 0 ? 0 : count * args_.k};
    }

    void pack(const heron_sddmm_vectors& v, int64_t count, int64_t items, VX* to) {
        const heron_index tiles = (args_.k + packed_tile<VX> - 1) / packed_tile<VX>;
        const heron_index lines = (count + packed_tile<VX> - 1) / packed_tile<VX>;
        device_.launch_groups<pack_vectors<VX, VC, CT, OT, IT>>(
            tuned, tiles * lines * items, group_size, as<const VX>(v.values), heron_index{count},
            heron_index{args_.k}, heron_index{v.vector_step}, heron_index{v.element_step},
            heron_index{v.batch_stride}, tiles, lines, to);
    }

    opencl_device& device_;
    const heron_phase phase_;
    const heron_sddmm_args& args_;
    workspace_layout layout_;
};

// Packing an operand has to pay.
bool takes_groups(const device_traits& traits, const heron_sddmm_args& args) {
    constexpr int64_t fewest_uses = 4;
    const auto takes = [&](const heron_sddmm_vectors& v, int64_t vectors) {
        return v.element_step == 1 || args.k <= 1 || args.c.nnz * fewest_uses >= vectors;
    };
    return args.c.format == HERON_FORMAT_CSR && args.c.nnz > 0 && takes_gpu_kernels("sddmm", traits.is_gpu) &&
           traits.largest_group >= group_size && traits.local_bytes >= local_bytes_needed &&
           takes(args.a, args.c.rows) && takes(args.b, args.c.cols);
}

}  // namespace

void sddmm(opencl_device& device, heron_phase phase, const heron_sddmm_args& args,
           heron_workspace& workspace) {
    if (!takes_groups(device.traits(), args)) return plans::sddmm(device, phase, args, workspace);
    plans::visit_sddmm(args.a.type, args.c.type, args.compute_type,
                       [&]<class VX, class VC, class CT>(type<VX>, type<VC>, type<CT>) {
                           visit_offsets_and_indices(
                               args.c.offset_type, args.c.index_type,
                               [&]<class OT, class IT>(type<OT>, type<IT>) {
                                   grouped_sddmm<VX, VC, CT, OT, IT>(device, phase, args, workspace).apply();
                               });
                       });
}

void override_sddmm(heron_backend& table) {
    table.sddmm = &slot<opencl_device, heron_sddmm_args, &sddmm, operation_names::sddmm>;
}

}  // namespace heron::opencl
