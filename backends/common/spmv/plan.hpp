#pragma once
// y := alpha*op(A)*x + beta*y for any device: one item per row where rows can be summed, else atomic adds
// into a workspace of compute type, which one last pass turns into y.
#include "common/runtime/dispatch.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family spmv{"spmv", "VA VX VY CT OT IT"};
#include "kernels.h"
inline constexpr kernel_family partial_products{"spmv_partial", "CT"};
#include "partial.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// What a backend asks the plan for. Kernels for what it never does are not compiled.
struct all_products {
    static constexpr bool csr = true, sell = true;
};

template <class Device, class VA, class VX, class VY, class CT, class OT, class IT,
          class Asked = all_products>
class spmv_plan {
  public:
    spmv_plan(Device& device, heron_phase phase, const heron_spmv_args& args, heron_workspace& workspace)
        : device_(device), phase_(phase), args_(args), layout_(phase, workspace) {}

    void apply() {
        if (args_.a.format == HERON_FORMAT_COO) return coo();
        if (is_transposed(args_.op)) return transposed();
        if (phase_ == HERON_PHASE_RUN) rows();
    }

  private:
    template <template <class...> class Kernel, class... Args>
    void launch(int64_t count, Args... args) {
        device_.template launch<Kernel<VA, VX, VY, CT, OT, IT>>(kernels::spmv, count, args...);
    }

    void rows() {
        const heron_spmat& a = args_.a;
        switch (a.format) {
            case HERON_FORMAT_CSR:
                if constexpr (Asked::csr)
                    return launch<kernels::csr_row>(a.rows, offsets(), indices(), values(), base(),
                                                    conjugate(), x(), y(), alpha_.value, alpha_.device,
                                                    beta_.value, beta_.device);
                break;
            case HERON_FORMAT_SELL:
                if constexpr (Asked::sell)
                    return launch<kernels::sell_row>(a.rows, offsets(), indices(), values(), a.slice_size,
                                                     base(), conjugate(), x(), y(), alpha_.value,
                                                     alpha_.device, beta_.value, beta_.device);
                break;
            case HERON_FORMAT_BSR:
                return launch<kernels::bsr_row>(a.rows, offsets(), indices(), values(), a.block_rows,
                                                a.block_cols, row_step(), column_step(), base(), conjugate(),
                                                x(), y(), alpha_.value, alpha_.device, beta_.value,
                                                beta_.device);
            default: break;
        }
        no_such_format();
    }

    void transposed() {
        CT* const acc = accumulator();
        if (phase_ != HERON_PHASE_RUN) return;
        const heron_spmat& a = args_.a;
        switch (a.format) {
            case HERON_FORMAT_CSR:
                if constexpr (Asked::csr)
                    launch<kernels::csr_row_scatter>(a.rows, offsets(), indices(), values(), base(),
                                                     conjugate(), x(), acc, alpha_.value, alpha_.device);
                else
                    no_such_format();
                break;
            case HERON_FORMAT_SELL:
                if constexpr (Asked::sell)
                    launch<kernels::sell_row_scatter>(a.rows, offsets(), indices(), values(), a.slice_size,
                                                      base(), conjugate(), x(), acc, alpha_.value,
                                                      alpha_.device);
                else
                    no_such_format();
                break;
            case HERON_FORMAT_BSR:
                launch<kernels::bsr_row_scatter>(a.rows, offsets(), indices(), values(), a.block_rows,
                                                 a.block_cols, row_step(), column_step(), base(), conjugate(),
                                                 x(), acc, alpha_.value, alpha_.device);
                break;
            default: no_such_format();
        }
        finish(acc);
    }

    // Deterministic only where the rows ascend, as the format promises; a matrix that breaks the promise is
    // still multiplied correctly, by atomic adds.
    void coo() {
        CT* const acc = accumulator();
        int* const unsorted = layout_.template take<int>(1);
        if (phase_ != HERON_PHASE_RUN) return;
        const heron_spmat& a = args_.a;
        const IT* const rows = as<const IT>(a.row_indices);
        const bool transpose = is_transposed(args_.op);
        const bool by_rows = args_.reproducibility == HERON_DETERMINISTIC && !transpose;
        if (by_rows) {
            device_.fill(unsorted, 0, sizeof(int));
            launch<kernels::coo_find_unsorted>(a.nnz > 0 ? a.nnz - 1 : 0, rows, unsorted);
            launch<kernels::coo_row>(a.rows, rows, indices(), values(), a.nnz, base(), conjugate(), x(), acc,
                                     alpha_.value, alpha_.device, static_cast<const int*>(unsorted));
        }
        launch<kernels::coo_scatter>(a.nnz, transpose ? indices() : rows, transpose ? rows : indices(),
                                     values(), base(), conjugate(), x(), acc, alpha_.value, alpha_.device,
                                     static_cast<const int*>(by_rows ? unsorted : nullptr));
        finish(acc);
    }

    [[noreturn]] static void no_such_format() {
        throw plan_error{HERON_NOT_SUPPORTED, "SpMV is not built for this format"};
    }

    CT* accumulator() {
        CT* const acc = layout_.template take<CT>(args_.y.size);
        if (phase_ == HERON_PHASE_RUN) device_.fill(acc, 0, static_cast<size_t>(args_.y.size) * sizeof(CT));
        return acc;
    }

    void finish(const CT* acc) {
        launch<kernels::finish>(args_.y.size, acc, y(), alpha_.value, alpha_.device, beta_.value,
                                beta_.device);
    }

    const OT* offsets() const { return as<const OT>(args_.a.offsets); }
    const IT* indices() const { return as<const IT>(args_.a.indices); }
    const VA* values() const { return as<const VA>(args_.a.values); }
    const VX* x() const { return as<const VX>(args_.x.values); }
    VY* y() const { return as<VY>(args_.y.values); }
    heron_index base() const { return args_.a.base; }
    int conjugate() const { return is_conjugated(args_.op); }
    heron_index row_step() const { return args_.a.block_order == HERON_ORDER_ROW ? args_.a.block_cols : 1; }
    heron_index column_step() const {
        return args_.a.block_order == HERON_ORDER_ROW ? 1 : args_.a.block_rows;
    }

    Device& device_;
    heron_phase phase_;
    const heron_spmv_args& args_;
    workspace_layout layout_;
    scalar_argument<CT> alpha_ = as_argument<CT>(args_.alpha);
    scalar_argument<CT> beta_ = as_argument<CT>(args_.beta);
};

template <class Device>
void spmv(Device& device, heron_phase phase, const heron_spmv_args& a, heron_workspace& workspace) {
    visit_product(a.a.type, a.x.type, a.y.type, a.compute_type,
                  [&]<class VA, class VX, class VY, class CT>(type<VA>, type<VX>, type<VY>, type<CT>) {
                      visit_offsets_and_indices(
                          offset_type_of(a.a), a.a.index_type, [&]<class OT, class IT>(type<OT>, type<IT>) {
                              spmv_plan<Device, VA, VX, VY, CT, OT, IT>(device, phase, a, workspace).apply();
                          });
                  });
}

template <class Device>
void gemvi(Device& device, heron_phase phase, const heron_gemvi_args& args, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_full(args.type, [&]<class CT>(type<CT>) {
        const bool by_rows = (args.a.order == HERON_ORDER_ROW) != is_transposed(args.op);
        const scalar_argument<CT> alpha = as_argument<CT>(args.alpha);
        const scalar_argument<CT> beta = as_argument<CT>(args.beta);
        device.template launch<kernels::dense_row<CT>>(
            kernels::partial_products, args.y.size, as<const CT>(args.a.values),
            heron_index{by_rows ? args.a.ld : 1}, heron_index{by_rows ? 1 : args.a.ld},
            int{is_conjugated(args.op)}, heron_index{args.x.nnz}, as<const int>(args.x.indices),
            heron_index{args.x.base}, as<const CT>(args.x.values), as<CT>(args.y.values), alpha.value,
            alpha.device, beta.value, beta.device);
    });
}

template <class Device>
void masked_spmv(Device& device, heron_phase phase, const heron_masked_spmv_args& args,
                 heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_full(args.type, [&]<class CT>(type<CT>) {
        const heron_spmat& a = args.a;
        const bool by_rows = a.block_order == HERON_ORDER_ROW;
        const scalar_argument<CT> alpha = as_argument<CT>(args.alpha);
        const scalar_argument<CT> beta = as_argument<CT>(args.beta);
        device.template launch<kernels::masked_row<CT>>(
            kernels::partial_products, args.mask_count * a.block_rows, as<const int>(args.mask),
            as<const int>(a.offsets), as<const int>(args.ends), as<const int>(a.indices),
            as<const CT>(a.values), heron_index{a.block_rows}, heron_index{a.block_cols},
            heron_index{by_rows ? a.block_cols : 1}, heron_index{by_rows ? 1 : a.block_rows},
            heron_index{a.base}, as<const CT>(args.x.values), as<CT>(args.y.values), alpha.value,
            alpha.device, beta.value, beta.device);
    });
}

}  // namespace heron::HERON_LEVEL::plans
