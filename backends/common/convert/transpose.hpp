#pragma once
// B := A^T of a CSR matrix, or of a BSR matrix whose blocks are taken as elements, for any device: the
// pattern's transpose with the order of its elements, in which the values are then gathered.
#include "common/spgemm/plan.hpp"
#include "blocks.hpp"
#include "pointers.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family convert_transpose{"convert_transpose", "RT"};
#include "transpose.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// b[k] := a[order[k]] for blocks, or elements, of any type.
template <class Device>
void move_values(Device& device, const heron_transpose_args& args, const i32* order) {
    const heron_index size = blocks_of(args.a).size();
    visit_raw(args.a.type, [&]<class RT>(type<RT>) {
        device.template launch<kernels::move_block_element<RT>>(kernels::convert_transpose, args.a.nnz * size,
                                                                as<const RT>(args.a.values), order, size,
                                                                as<RT>(args.b.values));
    });
}

template <class Device>
class transpose_plan {
  public:
    transpose_plan(Device& device, const heron_transpose_args& args, workspace_layout& layout)
        : device_(device),
          args_(args),
          pattern_{pattern_of_blocks(args.a), args.b.offsets, args.b.indices, layout.take<i32>(args.a.nnz)},
          turn_(device, pattern_, layout) {}

    void run() {
        turn_.run();
        const int base = args_.b.base;
        if (base != 0) {
            add(args_.b.offsets, pattern_.a.cols + 1, base);
            add(args_.b.indices, args_.a.nnz, base);
        }
        if (args_.values) move_values(device_, args_, as<const i32>(pattern_.permutation));
    }

  private:
    void add(void* numbers, int64_t count, int base) {
        device_.template launch<kernels::add_base<raw32>>(kernels::convert_transpose, count, as<i32>(numbers),
                                                          base);
    }

    Device& device_;
    const heron_transpose_args& args_;
    heron_transpose_pattern_args pattern_;
    transpose_pattern_plan<Device, i32, i32> turn_;
};

// Whether there are no elements: then that is all.
template <class Device>
bool transpose_empty(Device& device, heron_phase phase, const heron_transpose_args& args) {
    if (args.a.nnz != 0) return false;
    const heron_index base = args.b.base;
    if (phase == HERON_PHASE_RUN)
        set_empty_offsets(device, as<i32>(args.b.offsets), blocks_of(args.a).columns, base);
    return true;
}

template <class Device>
void transpose_matrix(Device& device, heron_phase phase, const heron_transpose_args& args,
                      heron_workspace& workspace) {
    workspace_layout layout(phase, workspace);
    if (transpose_empty(device, phase, args)) return;
    transpose_plan<Device> plan(device, args, layout);
    if (phase == HERON_PHASE_RUN) plan.run();
}

}  // namespace heron::HERON_LEVEL::plans
