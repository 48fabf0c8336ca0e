#pragma once
// B := A^T on GPUs: the elements in their order, which is by rows, are sorted stably by columns. Values of up
// to 32 bits go along, of others and of blocks their number.
#include "grouped_rows.hpp"
#include "transpose.hpp"
#include <bit>

namespace heron::HERON_LEVEL::plans {

// What is sorted: keys, and what goes along.
struct packed_arrays {
    u32* keys;
    u64* packed;
};

// Sorter(layout, n, spare): a stable sort of n keys by their lowest bits; `spare` is memory for n keys that
// is free meanwhile. input() says where the arrays are put, and sort(device, bits) where they are afterwards.
template <class Device, class Sorter>
class sorted_transpose {
  public:
    sorted_transpose(Device& device, const heron_transpose_args& args, workspace_layout& layout)
        : device_(device), args_(args), a_(args.a), sorter_(layout, args.a.nnz, as<u32>(args.b.indices)) {}

    void run() {
        visit_carried([&]<class VT>(type<VT>, bool carries) {
            const VT* const values = carries ? as<const VT>(args_.a.values) : nullptr;
            const packed_arrays in = sorter_.input();
            launch<typename typed_row_kernels<VT>::pack_elements>(
                as<const i32>(args_.a.offsets), as<const i32>(args_.a.indices), values, int{args_.a.base},
                static_cast<int>(a_.lines), heron_index{args_.a.nnz}, args_.b.base - args_.a.base, in.keys,
                in.packed);
            const packed_arrays sorted = sorter_.sort(device_, key_bits());
            // The row numbers of B may take the place of the keys.
            compress_indices(device_, {as<const i32>(static_cast<const void*>(sorted.keys)),
                                       as<i32>(args_.b.offsets), a_.columns, args_.a.nnz, args_.b.base});
            unpack<VT>(sorted.packed, carries);
        });
    }

  private:
    // Calls f with the type of values, or of none that are carried.
    template <class F>
    void visit_carried(F&& f) const {
        const bool is_single = args_.values && a_.size() == 1;
        switch (args_.a.type) {
            case HERON_R_8I: return is_single ? f(type<raw8>{}, true) : f(type<raw32>{}, false);
            case HERON_R_16F:
            case HERON_R_16BF: return is_single ? f(type<raw16>{}, true) : f(type<raw32>{}, false);
            case HERON_R_32I:
            case HERON_R_32F:
            case HERON_C_16F:
            case HERON_C_16BF: return f(type<raw32>{}, is_single);
            default: return f(type<raw32>{}, false);
        }
    }

    template <class VT>
    void unpack(const u64* packed, bool carries) {
        i32* const indices = as<i32>(args_.b.indices);
        if (args_.values && !carries) return move_blocks(packed, indices);
        launch<typename typed_row_kernels<VT>::unpack_elements>(packed, int{args_.b.base},
                                                                heron_index{args_.a.nnz}, indices,
                                                                carries ? as<VT>(args_.b.values) : nullptr);
    }

    void move_blocks(const u64* packed, i32* indices) {
        visit_raw(args_.a.type, [&]<class RT>(type<RT>) {
            device_.template launch<kernels::move_packed_element<RT>>(
                kernels::convert_transpose, args_.a.nnz * a_.size(), as<const RT>(args_.a.values),
                as<const i64>(static_cast<const void*>(packed)), a_.size(), int{args_.b.base}, indices,
                as<RT>(args_.b.values));
        });
    }

    template <class Kernel, class... Args>
    void launch(Args... args) {
        device_.template launch_groups<Kernel>(kernels::convert_row_search, tiles_of(args_.a.nnz), args...);
    }

    int key_bits() const {
        return std::max(
            1, static_cast<int>(std::bit_width(static_cast<uint64_t>(a_.columns - 1 + args_.b.base))));
    }

    Device& device_;
    const heron_transpose_args& args_;
    blocks_of a_;
    Sorter sorter_;
};

template <class Sorter, class Device>
void transpose_by_sorting(Device& device, heron_phase phase, const heron_transpose_args& args,
                          heron_workspace& workspace) {
    workspace_layout layout(phase, workspace);
    if (transpose_empty(device, phase, args)) return;
    sorted_transpose<Device, Sorter> plan(device, args, layout);
    if (phase == HERON_PHASE_RUN) plan.run();
}

}  // namespace heron::HERON_LEVEL::plans
