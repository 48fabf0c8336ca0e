#pragma once
// Sparse matrices from and to dense ones, for any device. Elements are moved and tested as integers, so that
// every type works on every device. Between sparse formats: the files included below.
#include "common/runtime/prompt.hpp"
#include "common/scan/plan.hpp"
#include "pointers.hpp"
#include "reblock.hpp"
#include "transpose.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family convert{"convert", "RT WT OT IT"};
#include "kernels.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

template <class RT>
struct raw_word {
    using type = RT;
};
template <>
struct raw_word<raw128> {
    using type = raw64;
};

// The bits of a raw word that tell zero from nonzero: all but the signs of floating-point parts.
inline uint64_t nonzero_mask(heron_type t) {
    switch (t) {
        case HERON_R_8I:
        case HERON_R_32I: return ~uint64_t{0};
        case HERON_R_16F:
        case HERON_R_16BF: return 0x7fff;
        case HERON_R_32F: return 0x7fffffff;
        case HERON_C_16F:
        case HERON_C_16BF: return 0x7fff7fff;
        case HERON_C_32F: return 0x7fffffff7fffffff;
        case HERON_R_64F:
        case HERON_C_64F: return 0x7fffffffffffffff;
    }
    no_such_types();
}

// Calls f with raw element, raw word, offset and index type. Offsets of COO are counts, which have 64 bits.
template <class F>
void visit_conversion(const heron_spmat& sparse, F&& f) {
    visit_raw(sparse.type, [&]<class RT>(type<RT>) {
        visit_offsets_and_indices(sparse.format == HERON_FORMAT_COO ? HERON_INDEX_64 : offset_type_of(sparse),
                                  sparse.index_type, [&]<class OT, class IT>(type<OT>, type<IT>) {
                                      f(type<RT>{}, type<typename raw_word<RT>::type>{}, type<OT>{},
                                        type<IT>{});
                                  });
    });
}

inline heron_index row_step(const heron_dnmat& m) { return m.order == HERON_ORDER_ROW ? m.ld : 1; }
inline heron_index column_step(const heron_dnmat& m) { return m.order == HERON_ORDER_ROW ? 1 : m.ld; }
inline heron_index block_row_step(const heron_spmat& m) {
    return m.block_order == HERON_ORDER_ROW ? m.block_cols : 1;
}
inline heron_index block_column_step(const heron_spmat& m) {
    return m.block_order == HERON_ORDER_ROW ? 1 : m.block_rows;
}
inline heron_index ceil_div(heron_index a, heron_index b) { return (a + b - 1) / b; }

// A dense matrix from a CSR matrix, an item per row. clear() clears it.
struct dense_by_items {
    template <class RT, class WT, class OT, class IT, class Device, class Clear>
    static void expand(Device& device, const heron_spmat& a, const heron_dnmat& b, Clear&& clear) {
        clear();
        device.template launch<kernels::csr_to_dense<RT, WT, OT, IT>>(
            kernels::convert, a.rows, as<const OT>(static_cast<const void*>(a.offsets)),
            as<const IT>(static_cast<const void*>(a.indices)),
            as<const RT>(static_cast<const void*>(a.values)), heron_index{a.base}, as<RT>(b.values),
            row_step(b), column_step(b));
    }
};

// Way: how CSR is taken, such as dense_by_items.
template <class Way, class Device, class RT, class WT, class OT, class IT>
class sparse_to_dense_plan {
  public:
    sparse_to_dense_plan(Device& device, const heron_sparse_to_dense_args& args)
        : device_(device), a_(args.a), b_(args.b) {}

    void apply() {
        convert();
        for (int32_t batch = 1; batch < b_.batch_count; ++batch) {
            advance();
            convert();
        }
    }

  private:
    void convert() {
        if (a_.format == HERON_FORMAT_CSR)
            return Way::template expand<RT, WT, OT, IT>(device_, a_, b_, [&] { clear(); });
        clear();
        scatter();
    }

    template <template <class...> class Kernel, class... Args>
    void launch(int64_t count, Args... args) {
        device_.template launch<Kernel<RT, WT, OT, IT>>(kernels::convert, count, args...);
    }

    // To the next matrix of the batch. A stride of 0 stays on the same one.
    void advance() {
        advance<OT>(a_.offsets, a_.offsets_stride);
        advance<IT>(a_.row_indices, a_.indices_stride);
        advance<IT>(a_.indices, a_.indices_stride);
        advance<RT>(a_.values, a_.values_stride);
        advance<RT>(b_.values, b_.batch_stride);
    }

    template <class T>
    static void advance(void*& pointer, int64_t stride) {
        if (pointer) pointer = as<T>(pointer) + stride;
    }

    // Leaves alone what lies between the lines of a matrix with a larger leading dimension.
    void clear() {
        const bool by_rows = b_.order == HERON_ORDER_ROW;
        const heron_index lines = by_rows ? b_.rows : b_.cols;
        const heron_index length = by_rows ? b_.cols : b_.rows;
        if (lines == 0 || length == 0) return;
        if (length == b_.ld)
            return device_.fill(b_.values, 0, static_cast<size_t>(lines * length) * sizeof(RT));
        constexpr heron_index most = 1024;
        const heron_index step = !Device::strided ? 1 : length < most ? length : most;
        launch<kernels::dense_clear>(lines * step, b(), length, b_.ld, step);
    }

    void scatter() {
        const heron_index base = a_.base;
        const heron_index rs = row_step(b_);
        const heron_index cs = column_step(b_);
        switch (a_.format) {
            case HERON_FORMAT_COO:
                return launch<kernels::coo_to_dense>(a_.nnz, as<const IT>(a_.row_indices), columns(),
                                                     values(), base, b(), rs, cs);
            case HERON_FORMAT_SELL:
                return launch<kernels::sell_to_dense>(a_.rows, offsets(), columns(), values(), a_.slice_size,
                                                      base, b(), rs, cs);
            case HERON_FORMAT_BSR:
                return launch<kernels::bsr_to_dense>(a_.rows, offsets(), columns(), values(), a_.block_rows,
                                                     a_.block_cols, block_row_step(a_), block_column_step(a_),
                                                     base, b(), rs, cs);
            case HERON_FORMAT_BLOCKED_ELL: {
                const heron_index slots = ceil_div(a_.ell_cols, a_.block_rows);
                return launch<kernels::ell_to_dense>(a_.rows * slots, columns(), values(), slots,
                                                     a_.block_rows, a_.ell_cols, base, a_.cols, b(), rs, cs);
            }
            default: throw plan_error{HERON_NOT_SUPPORTED, "sparse to dense is not built for this format"};
        }
    }

    const OT* offsets() const { return as<const OT>(a_.offsets); }
    const IT* columns() const { return as<const IT>(a_.indices); }
    const RT* values() const { return as<const RT>(a_.values); }
    RT* b() const { return as<RT>(b_.values); }

    Device& device_;
    heron_spmat a_;
    heron_dnmat b_;
};

template <class Way, class Device>
void sparse_to_dense_by(Device& device, heron_phase phase, const heron_sparse_to_dense_args& args,
                        heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_conversion(args.a,
                     [&]<class RT, class WT, class OT, class IT>(type<RT>, type<WT>, type<OT>, type<IT>) {
                         sparse_to_dense_plan<Way, Device, RT, WT, OT, IT>(device, args).apply();
                     });
}

template <class Device>
void sparse_to_dense(Device& device, heron_phase phase, const heron_sparse_to_dense_args& args,
                     heron_workspace& workspace) {
    sparse_to_dense_by<dense_by_items>(device, phase, args, workspace);
}

// The nonzero elements of a dense matrix by rows, an item per row.
struct rows_by_items {
    template <class Device, class RT, class WT, class OT, class IT>
    class rows {
      public:
        rows(Device& device, workspace_layout&, const heron_dense_to_sparse_args& args)
            : device_(device), args_(args) {}

        // counts[row] := nonzero elements
        void count(i64* counts) { launch<kernels::dense_count_row>(counts); }

        // Whether B's offsets were written, counted from `first` on, without count.
        static bool write_offsets(heron_index, OT*) { return false; }

        // B's elements, their columns and, unless NULL, rows. counts: NULL after both, else room for count.
        void fill(const OT* offsets, heron_index offsets_base, IT* row_indices, i64*) {
            launch<kernels::dense_to_csr>(offsets, offsets_base, heron_index{args_.b.nnz},
                                          heron_index{args_.b.base}, row_indices, as<IT>(args_.b.indices),
                                          as<RT>(args_.b.values));
        }

      private:
        template <template <class...> class Kernel, class... Args>
        void launch(Args... args) {
            device_.template launch<Kernel<RT, WT, OT, IT>>(
                kernels::convert, args_.a.rows, as<const RT>(static_cast<const void*>(args_.a.values)),
                heron_index{args_.a.cols}, row_step(args_.a), column_step(args_.a),
                static_cast<WT>(nonzero_mask(args_.a.type)), args...);
        }

        Device& device_;
        const heron_dense_to_sparse_args& args_;
    };
};

// ANALYSE counts every row (block row for BSR) and scans the counts into B's offsets; RUN reads the dense
// matrix once more and fills each row from its offset on. COO has no offsets of its own: they stay in the
// workspace. The columns of Blocked-ELL are the caller's, so that there is nothing to count and RUN only
// gathers the values. Way: how rows are counted and filled, such as rows_by_items.
template <class Way, class Device, class RT, class WT, class OT, class IT>
class dense_to_sparse_plan {
  public:
    dense_to_sparse_plan(Device& device, heron_phase phase, const heron_dense_to_sparse_args& args,
                         heron_workspace& workspace)
        : device_(device), phase_(phase), args_(args), layout_(phase, workspace) {}

    void apply() {
        switch (args_.b.format) {
            case HERON_FORMAT_COO: return coo();
            case HERON_FORMAT_CSR: return csr();
            case HERON_FORMAT_SELL: return sell();
            case HERON_FORMAT_BSR: return bsr();
            case HERON_FORMAT_BLOCKED_ELL: return blocked_ell();
            default: throw plan_error{HERON_NOT_SUPPORTED, "dense to sparse is not built for this format"};
        }
    }

  private:
    using rows_of_matrix = typename Way::template rows<Device, RT, WT, OT, IT>;

    template <template <class...> class Kernel, class... Args>
    void launch(int64_t count, Args... args) {
        device_.template launch<Kernel<RT, WT, OT, IT>>(kernels::convert, count, args...);
    }

    // OT is i64 here: visit_conversion sees to it.
    void coo() {
        i64* const counts = layout_.template take<i64>(args_.b.rows + 1);
        const exclusive_scan<Device> scan(layout_, args_.b.rows);
        rows_of_matrix rows(device_, layout_, args_);
        if (phase_ == HERON_PHASE_ANALYSE) {
            if (!rows.write_offsets(0, as<OT>(static_cast<void*>(counts)))) {
                rows.count(counts);
                scan.template apply<i64>(device_, counts, 0, counts);
            }
            *args_.nnz = read_last(counts, args_.b.rows, 0);
        }
        if (phase_ == HERON_PHASE_RUN)
            rows.fill(as<const OT>(static_cast<const void*>(counts)), 0, as<IT>(args_.b.row_indices),
                      nullptr);
    }

    void csr() {
        i64* const counts = layout_.template take<i64>(args_.b.rows);
        const exclusive_scan<Device> scan(layout_, args_.b.rows);
        rows_of_matrix rows(device_, layout_, args_);
        if (phase_ == HERON_PHASE_ANALYSE) {
            if (rows.write_offsets(base(), offsets())) {
                *args_.nnz = read_last(offsets(), args_.b.rows, base());
                return;
            }
            rows.count(counts);
            *args_.nnz = has_few_elements() ? write_few_offsets(scan, counts) : write_offsets(scan, counts);
        }
        if (phase_ == HERON_PHASE_RUN)
            rows.fill(static_cast<const OT*>(offsets()), base(), static_cast<IT*>(nullptr),
                      args_.unanalysed ? counts : nullptr);
    }

    void sell() {
        const heron_index slice_size = args_.b.slice_size;
        const heron_index slices = ceil_div(args_.b.rows, slice_size);
        i64* const counts = layout_.template take<i64>(args_.b.rows);
        i64* const sizes = layout_.template take<i64>(slices);
        const exclusive_scan<Device> row_scan(layout_, args_.b.rows);
        const exclusive_scan<Device> slice_scan(layout_, slices);
        rows_of_matrix rows(device_, layout_, args_);
        if (phase_ == HERON_PHASE_ANALYSE) {
            rows.count(counts);
            launch<kernels::sell_measure_slice>(slices, static_cast<const i64*>(counts), args_.b.rows,
                                                slice_size, sizes);
            row_scan.add(device_, counts);
            *args_.values_size = write_offsets(slice_scan, sizes);
            *args_.nnz = row_scan.read_total(device_);
        }
        if (phase_ == HERON_PHASE_RUN)
            launch<kernels::dense_to_sell>(slices * slice_size, dense(), args_.b.rows, args_.a.cols,
                                           row_step(args_.a), column_step(args_.a), mask(),
                                           static_cast<const OT*>(offsets()), slice_size, base(), columns(),
                                           values());
    }

    void bsr() {
        const heron_index block_rows = args_.b.block_rows;
        const heron_index block_cols = args_.b.block_cols;
        const heron_index lines = ceil_div(args_.b.rows, block_rows);
        const heron_index blocks = ceil_div(args_.b.cols, block_cols);
        i64* const counts = layout_.template take<i64>(lines);
        const exclusive_scan<Device> scan(layout_, lines);
        if (phase_ == HERON_PHASE_ANALYSE) {
            launch<kernels::dense_count_blocks>(lines, dense(), blocks, block_rows, block_cols,
                                                row_step(args_.a), column_step(args_.a), mask(), counts);
            *args_.nnz = write_offsets(scan, counts);
        }
        if (phase_ == HERON_PHASE_RUN)
            launch<kernels::dense_to_bsr>(lines, dense(), blocks, block_rows, block_cols, row_step(args_.a),
                                          column_step(args_.a), mask(), static_cast<const OT*>(offsets()),
                                          args_.b.nnz, base(), block_row_step(args_.b),
                                          block_column_step(args_.b), columns(), values());
    }

    void blocked_ell() {
        const heron_spmat& b = args_.b;
        const heron_index slots = ceil_div(b.ell_cols, b.block_rows);
        if (phase_ == HERON_PHASE_ANALYSE) *args_.nnz = b.rows * b.ell_cols;
        if (phase_ == HERON_PHASE_RUN)
            launch<kernels::dense_to_ell>(b.rows * slots, dense(), args_.a.cols, row_step(args_.a),
                                          column_step(args_.a), static_cast<const IT*>(columns()), slots,
                                          b.block_rows, b.ell_cols, base(), values());
    }

    // The scan of the counts as B's offsets. Returns their sum; writes nothing if it does not fit into the
    // offset type.
    int64_t write_offsets(const exclusive_scan<Device>& scan, const i64* counts) {
        scan.add(device_, counts);
        const int64_t total = scan.read_total(device_);
        if (sizeof(OT) < sizeof(i64) && total > INT32_MAX - base())
            throw plan_error{HERON_INSUFFICIENT_RESOURCES,
                             "more nonzero elements than 32-bit offsets can count"};
        scan.write(device_, counts, base(), offsets());
        return total;
    }

    // Whether all elements could be counted by the offset type.
    bool has_few_elements() const {
        return sizeof(OT) == sizeof(i64) || args_.b.cols == 0 ||
               args_.b.rows <= (INT32_MAX - base()) / args_.b.cols;
    }

    // The same where the sum is sure to fit: the host waits behind the last launch.
    int64_t write_few_offsets(const exclusive_scan<Device>& scan, const i64* counts) {
        scan.apply(device_, counts, base(), offsets());
        return read_last(offsets(), args_.b.rows, base());
    }

    // The sum of counts that were scanned from `first` on. Waits for the device.
    template <class T>
    int64_t read_last(const T* offsets, heron_index lines, heron_index first) {
        T last{};
        read_number(device_, &last, offsets + lines);
        return int64_t{last} - first;
    }

    const RT* dense() const { return as<const RT>(args_.a.values); }
    WT mask() const { return static_cast<WT>(nonzero_mask(args_.a.type)); }
    heron_index base() const { return args_.b.base; }
    OT* offsets() const { return as<OT>(args_.b.offsets); }
    IT* columns() const { return as<IT>(args_.b.indices); }
    RT* values() const { return as<RT>(args_.b.values); }

    Device& device_;
    heron_phase phase_;
    const heron_dense_to_sparse_args& args_;
    workspace_layout layout_;
};

template <class Way, class Device>
void dense_to_sparse_by(Device& device, heron_phase phase, const heron_dense_to_sparse_args& args,
                        heron_workspace& workspace) {
    visit_conversion(
        args.b, [&]<class RT, class WT, class OT, class IT>(type<RT>, type<WT>, type<OT>, type<IT>) {
            dense_to_sparse_plan<Way, Device, RT, WT, OT, IT>(device, phase, args, workspace).apply();
        });
}

template <class Device>
void dense_to_sparse(Device& device, heron_phase phase, const heron_dense_to_sparse_args& args,
                     heron_workspace& workspace) {
    dense_to_sparse_by<rows_by_items>(device, phase, args, workspace);
}

template <class Device>
void pointers_to_indices(Device& device, heron_phase phase, const heron_pointers_to_indices_args& args,
                         heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase == HERON_PHASE_RUN) expand_pointers(device, args);
}

template <class Device>
void indices_to_pointers(Device& device, heron_phase phase, const heron_indices_to_pointers_args& args,
                         heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase == HERON_PHASE_RUN) compress_indices(device, args);
}

template <class Device>
void transpose(Device& device, heron_phase phase, const heron_transpose_args& args,
               heron_workspace& workspace) {
    transpose_matrix(device, phase, args, workspace);
}

template <class Device>
void reblock_count(Device& device, heron_phase phase, const heron_reblock_count_args& args,
                   heron_workspace& workspace) {
    count_blocks<reblock_plan<Device>>(device, phase, args, workspace);
}

template <class Device>
void reblock(Device& device, heron_phase phase, const heron_reblock_args& args, heron_workspace& workspace) {
    fill_blocks<reblock_plan<Device>>(device, phase, args, workspace);
}

}  // namespace heron::HERON_LEVEL::plans
