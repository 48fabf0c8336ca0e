#pragma once
// C := alpha*op(A)*B + beta*C for any device: one item per element of C where A's rows can be summed, else
// atomic adds, into C itself where it has the compute type.
#include "common/runtime/dispatch.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family spmm{"spmm", "VA VC CT OT IT"};
#include "kernels.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

template <class A, class B>
inline constexpr bool is_same_type = false;
template <class A>
inline constexpr bool is_same_type<A, A> = true;

inline kernels::spmm_shape shape_of(const heron_spmm_args& args) {
    const heron_dnmat& b = args.b;
    const heron_dnmat& c = args.c;
    const bool conjugated = is_conjugated(args.op);
    return {.rows = c.rows,
            .columns = c.cols,
            .b_row_step = b.order == HERON_ORDER_ROW ? b.ld : 1,
            .b_column_step = b.order == HERON_ORDER_ROW ? 1 : b.ld,
            .b_stride = b.batch_stride,
            .c_row_step = c.order == HERON_ORDER_ROW ? c.ld : 1,
            .c_column_step = c.order == HERON_ORDER_ROW ? 1 : c.ld,
            .c_stride = c.batch_stride,
            .offsets_stride = args.a.offsets_stride,
            .indices_stride = args.a.indices_stride,
            .values_stride = args.a.values_stride,
            .base = args.a.base,
            .conjugate_a = conjugated,
            .conjugate_b = args.conjugate_b};
}

inline kernels::spmm_blocks blocks_of(const heron_spmat& a) {
    if (a.format == HERON_FORMAT_BLOCKED_ELL)
        return {a.block_rows, a.block_rows, a.ell_cols, 1, a.ell_cols / a.block_rows, a.cols};
    if (a.format != HERON_FORMAT_BSR) return {1, 1, 1, 1, 0, a.cols};
    const bool by_rows = a.block_order == HERON_ORDER_ROW;
    return {a.block_rows, a.block_cols, by_rows ? a.block_cols : 1, by_rows ? 1 : a.block_rows, 0, a.cols};
}

// The plan makes offsets for COO: they count its elements.
inline heron_index_type spmm_offset_type(const heron_spmat& a) {
    const bool is_long = a.format == HERON_FORMAT_COO && a.nnz >= INT32_MAX;
    return is_long ? HERON_INDEX_64 : offset_type_of(a);
}

// Calls f with A's and B's type, C's, the compute, offset and index type.
template <class F>
void visit_spmm_args(const heron_spmm_args& args, F&& f) {
    visit_spmm(args.a.type, args.c.type, args.compute_type,
               [&]<class VA, class VC, class CT>(type<VA>, type<VC>, type<CT>) {
                   visit_offsets_and_indices(spmm_offset_type(args.a), args.a.index_type,
                                             [&]<class OT, class IT>(type<OT>, type<IT>) {
                                                 f(type<VA>{}, type<VC>{}, type<CT>{}, type<OT>{},
                                                   type<IT>{});
                                             });
               });
}

template <class Device, class VA, class VC, class CT, class OT, class IT>
class spmm_plan {
  public:
    spmm_plan(Device& device, heron_phase phase, const heron_spmm_args& args, heron_workspace& workspace)
        : device_(device), phase_(phase), args_(args), layout_(phase, workspace) {}

    void apply() {
        const bool transposed = is_transposed(args_.op);
        if (args_.a.format == HERON_FORMAT_COO) return transposed ? coo_columns() : coo_rows();
        if (transposed) return columns();
        if (phase_ == HERON_PHASE_RUN) rows();
    }

  private:
    template <template <class...> class Kernel, class... Args>
    void launch(int64_t count, Args... args) {
        device_.template launch<Kernel<VA, VC, CT, OT, IT>>(kernels::spmm, count, args...);
    }

    void rows() {
        switch (args_.a.format) {
            case HERON_FORMAT_CSR: return csr_rows(offsets(), nullptr);
            case HERON_FORMAT_BSR:
                return launch<kernels::spmm_bsr>(elements(), offsets(), indices(), values(), b(), c(), shape_,
                                                 blocks_, alpha_.value, alpha_.device, beta_.value,
                                                 beta_.device);
            case HERON_FORMAT_BLOCKED_ELL:
                return launch<kernels::spmm_ell>(elements(), indices(), values(), b(), c(), shape_, blocks_,
                                                 alpha_.value, alpha_.device, beta_.value, beta_.device);
            default: throw plan_error{HERON_NOT_SUPPORTED, "SpMM is not built for this format"};
        }
    }

    void csr_rows(const OT* offsets, const int* skipped) {
        launch<kernels::spmm_csr>(elements(), offsets, indices(), values(), b(), c(), shape_, alpha_.value,
                                  alpha_.device, beta_.value, beta_.device, skipped);
    }

    void columns() {
        const bool deterministic = args_.reproducibility == HERON_DETERMINISTIC;
        const int* const none = nullptr;
        scatter(args_.a.rows, deterministic, nullptr, [&](CT* sums, const kernels::spmm_sums& t) {
            const int64_t count = shape_.columns * t.parts * batches();
            switch (args_.a.format) {
                case HERON_FORMAT_CSR:
                    return launch<kernels::spmm_csr_scatter>(count, offsets(), indices(), values(), b(), sums,
                                                             shape_, t, alpha_.value, alpha_.device, none);
                case HERON_FORMAT_BSR:
                    return launch<kernels::spmm_bsr_scatter>(count, offsets(), indices(), values(), b(), sums,
                                                             shape_, blocks_, t, alpha_.value, alpha_.device);
                case HERON_FORMAT_BLOCKED_ELL:
                    return launch<kernels::spmm_ell_scatter>(count, indices(), values(), b(), sums, shape_,
                                                             blocks_, t, alpha_.value, alpha_.device);
                default: throw plan_error{HERON_NOT_SUPPORTED, "SpMM is not built for this format"};
            }
        });
    }

    // Where the rows ascend, as the format promises, this is CSR with offsets that are found first. A matrix
    // that breaks the promise is still multiplied correctly, by atomic adds.
    void coo_rows() {
        if (args_.a.nnz == 0) return scale(nullptr);
        const heron_spmat& a = args_.a;
        const heron_index sets = a.indices_stride == 0 ? 1 : batches();
        OT* const offsets = layout_.template take<OT>(sets * (a.rows + 1));
        int* const unsorted = layout_.template take<int>(1);
        if (phase_ == HERON_PHASE_RUN) {
            shape_.offsets_stride = sets == 1 ? 0 : a.rows + 1;
            device_.fill(unsorted, 0, sizeof(int));
            launch<kernels::spmm_coo_find_unsorted>(sets * (a.nnz - 1), row_indices(), a.nnz - 1,
                                                    a.indices_stride, unsorted);
            launch<kernels::spmm_coo_offsets>(sets * (a.rows + 1), row_indices(), a.rows, a.nnz,
                                              a.indices_stride, shape_.base, offsets);
            csr_rows(offsets, unsorted);
        }
        scatter(a.nnz, false, unsorted, [&](CT* sums, const kernels::spmm_sums& t) {
            coo_scatter(row_indices(), indices(), sums, t, unsorted);
        });
    }

    void coo_columns() {
        if (args_.a.nnz == 0) return scale(nullptr);
        const bool deterministic = args_.reproducibility == HERON_DETERMINISTIC;
        scatter(args_.a.nnz, deterministic, nullptr, [&](CT* sums, const kernels::spmm_sums& t) {
            coo_scatter(indices(), row_indices(), sums, t, nullptr);
        });
    }

    void coo_scatter(const IT* to, const IT* from, CT* sums, const kernels::spmm_sums& t, const int* wanted) {
        launch<kernels::spmm_coo_scatter>(shape_.columns * t.parts * batches(), to, from, values(), b(), sums,
                                          shape_, t, alpha_.value, alpha_.device, wanted);
    }

    // Adds up products that fall on C in any order; add(sums, where) launches them. Deterministic: every part
    // of A's lines has sums of its own, which no two items share and which are added in order.
    template <class Add>
    void scatter(heron_index lines, bool deterministic, const int* wanted, Add&& add) {
        if constexpr (is_same_type<VC, CT>) {
            if (!deterministic) return scatter_into_c(lines, wanted, add);
        }
        const heron_index places = shape_.rows * shape_.columns;
        const heron_index parts = deterministic ? private_parts(lines) : 1;
        CT* const sums = layout_.template take<CT>(parts * places * batches());
        if (phase_ != HERON_PHASE_RUN) return;
        kernels::spmm_sums t{lines, 1, lines, shape_.columns, 1, 0, parts * places, 0};
        if (deterministic) {
            t.parts = parts;
            t.lines_per_part = (lines + parts - 1) / parts;
            t.part_stride = places;
        }
        device_.fill(sums, 0, static_cast<size_t>(parts * places * batches()) * sizeof(CT));
        add(sums, t);
        launch<kernels::spmm_finish>(elements(), static_cast<const CT*>(sums), c(), shape_, t, parts,
                                     alpha_.value, alpha_.device, beta_.value, beta_.device, wanted);
    }

    template <class Add>
    void scatter_into_c(heron_index lines, const int* wanted, Add&& add) {
        if (phase_ != HERON_PHASE_RUN) return;
        scale(wanted);
        add(c(), kernels::spmm_sums{lines, 1, lines, shape_.c_row_step, shape_.c_column_step, 0,
                                    shape_.c_stride, 1});
    }

    // More items than this make no device faster, and every part has a C of its own.
    heron_index private_parts(heron_index lines) const {
        constexpr heron_index items = 256;
        constexpr heron_index most = 16;
        const heron_index wanted = items / (shape_.columns > 0 ? shape_.columns : 1);
        const heron_index parts = wanted < 1 ? 1 : wanted < most ? wanted : most;
        return parts < lines ? parts : lines > 0 ? lines : 1;
    }

    void scale(const int* wanted) {
        if (phase_ == HERON_PHASE_RUN)
            launch<kernels::spmm_scale>(elements(), c(), shape_, beta_.value, beta_.device, wanted);
    }

    heron_index batches() const { return args_.c.batch_count; }
    heron_index elements() const { return shape_.rows * shape_.columns * batches(); }
    const OT* offsets() const { return as<const OT>(args_.a.offsets); }
    const IT* row_indices() const { return as<const IT>(args_.a.row_indices); }
    const IT* indices() const { return as<const IT>(args_.a.indices); }
    const VA* values() const { return as<const VA>(args_.a.values); }
    const VA* b() const { return as<const VA>(args_.b.values); }
    VC* c() const { return as<VC>(args_.c.values); }

    Device& device_;
    heron_phase phase_;
    const heron_spmm_args& args_;
    workspace_layout layout_;
    kernels::spmm_shape shape_ = shape_of(args_);
    kernels::spmm_blocks blocks_ = blocks_of(args_.a);
    scalar_argument<CT> alpha_ = as_argument<CT>(args_.alpha);
    scalar_argument<CT> beta_ = as_argument<CT>(args_.beta);
};

template <class Device>
void spmm(Device& device, heron_phase phase, const heron_spmm_args& args, heron_workspace& workspace) {
    visit_spmm_args(args, [&]<class VA, class VC, class CT, class OT, class IT>(type<VA>, type<VC>, type<CT>,
                                                                                type<OT>, type<IT>) {
        spmm_plan<Device, VA, VC, CT, OT, IT>(device, phase, args, workspace).apply();
    });
}

}  // namespace heron::HERON_LEVEL::plans
