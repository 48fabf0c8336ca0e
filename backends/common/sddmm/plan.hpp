#pragma once
// C := alpha*(op(A)*op(B)) on C's pattern + beta*C for any device: one item per stored element, of all batch
// items at once. Each element is summed by one item in one order, so the result is the same on every run.
#include "common/runtime/dispatch.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family sddmm{"sddmm_sample sddmm", "VX VC CT OT IT"};
#include "sample.h"
#include "kernels.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

template <class Device, class VX, class VC, class CT, class OT, class IT>
class sddmm_plan {
  public:
    sddmm_plan(Device& device, const heron_sddmm_args& args) : device_(device), args_(args) {}

    void apply() {
        switch (args_.c.format) {
            case HERON_FORMAT_COO: return coo();
            case HERON_FORMAT_CSR: return blocks(args_.c.rows, 1, 1, 1);
            case HERON_FORMAT_BSR: return bsr();
            default: throw plan_error{HERON_NOT_SUPPORTED, "SDDMM is not built for this format"};
        }
    }

  private:
    template <template <class...> class Kernel, class... Args>
    void launch(int64_t count, Args... args) {
        device_.template launch<Kernel<VX, VC, CT, OT, IT>>(kernels::sddmm, count * args_.c.batch_count,
                                                            args...);
    }

    void coo() {
        const heron_spmat& c = args_.c;
        launch<kernels::sddmm_coo>(c.nnz, as<const IT>(c.row_indices), indices(), values(), c.nnz, base(),
                                   c.indices_stride, c.values_stride, vectors(args_.a), args_.a.vector_step,
                                   args_.a.element_step, args_.a.batch_stride, args_.a.conjugate,
                                   vectors(args_.b), args_.b.vector_step, args_.b.element_step,
                                   args_.b.batch_stride, args_.b.conjugate, args_.k, alpha_.value,
                                   alpha_.device, beta_.value, beta_.device);
    }

    void bsr() {
        const heron_spmat& c = args_.c;
        blocks(c.rows / c.block_rows, c.block_rows, c.block_cols,
               c.block_order == HERON_ORDER_ROW ? c.block_cols : 1);
    }

    void blocks(heron_index lines, heron_index block_rows, heron_index block_cols,
                heron_index block_row_step) {
        const heron_spmat& c = args_.c;
        const heron_index count = c.nnz * block_rows * block_cols;
        launch<kernels::sddmm_blocks>(
            count, as<const OT>(c.offsets), indices(), values(), lines, count, block_rows, block_cols,
            block_row_step, base(), c.offsets_stride, c.indices_stride, c.values_stride, vectors(args_.a),
            args_.a.vector_step, args_.a.element_step, args_.a.batch_stride, args_.a.conjugate,
            vectors(args_.b), args_.b.vector_step, args_.b.element_step, args_.b.batch_stride,
            args_.b.conjugate, args_.k, alpha_.value, alpha_.device, beta_.value, beta_.device);
    }

    static const VX* vectors(const heron_sddmm_vectors& v) { return as<const VX>(v.values); }
    const IT* indices() const { return as<const IT>(args_.c.indices); }
    VC* values() const { return as<VC>(args_.c.values); }
    heron_index base() const { return args_.c.base; }

    Device& device_;
    const heron_sddmm_args& args_;
    scalar_argument<CT> alpha_ = as_argument<CT>(args_.alpha);
    scalar_argument<CT> beta_ = as_argument<CT>(args_.beta);
};

// Storage type of A and B, of C, and compute type.
template <class F>
void visit_sddmm(heron_type dense, heron_type sparse, heron_type compute, F&& f) {
    const auto is = [&](heron_type d, heron_type s, heron_type c) {
        return dense == d && sparse == s && compute == c;
    };
    if (is(HERON_R_32F, HERON_R_32F, HERON_R_32F)) return f(type<f32>{}, type<f32>{}, type<f32>{});
    if (is(HERON_R_64F, HERON_R_64F, HERON_R_64F)) return f(type<f64>{}, type<f64>{}, type<f64>{});
    if (is(HERON_C_32F, HERON_C_32F, HERON_C_32F)) return f(type<c32>{}, type<c32>{}, type<c32>{});
    if (is(HERON_C_64F, HERON_C_64F, HERON_C_64F)) return f(type<c64>{}, type<c64>{}, type<c64>{});
    if (is(HERON_R_16F, HERON_R_16F, HERON_R_32F)) return f(type<f16>{}, type<f16>{}, type<f32>{});
    if (is(HERON_R_16F, HERON_R_32F, HERON_R_32F)) return f(type<f16>{}, type<f32>{}, type<f32>{});
    if (is(HERON_R_16BF, HERON_R_16BF, HERON_R_32F)) return f(type<bf16>{}, type<bf16>{}, type<f32>{});
    if (is(HERON_R_16BF, HERON_R_32F, HERON_R_32F)) return f(type<bf16>{}, type<f32>{}, type<f32>{});
    no_such_types();
}

template <class Device>
void sddmm(Device& device, heron_phase phase, const heron_sddmm_args& args, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_sddmm(args.a.type, args.c.type, args.compute_type,
                [&]<class VX, class VC, class CT>(type<VX>, type<VC>, type<CT>) {
                    visit_offsets_and_indices(
                        offset_type_of(args.c), args.c.index_type,
                        [&]<class OT, class IT>(type<OT>, type<IT>) {
                            sddmm_plan<Device, VX, VC, CT, OT, IT>(device, args).apply();
                        });
                });
}

}  // namespace heron::HERON_LEVEL::plans
