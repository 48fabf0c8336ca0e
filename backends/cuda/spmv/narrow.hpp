#pragma once
// CSR times vector that reads fewer bytes than the matrix has: ANALYSE writes to the workspace what takes the
// place of the column indices. Values stay the caller's, and may change.
//
// Where the rows have few shapes, a row has the number of its shape. Elsewhere an element has 16 bits, which
// count from the first column of a band of rows.
#include "cuda/runtime/device.cuh"
#include "common/spmv/plan.hpp"

namespace heron::HERON_LEVEL {

enum class narrow_kind { none, shapes, bands };

// Rows of one shape have their columns at the same distances from the diagonal. The first of them, and its
// first element.
struct row_shape {
    int32_t row, begin;
};

constexpr uint16_t no_shape = 0xffff;

// In the workspace.
struct narrow_columns {
    uint64_t* front;           // a stamp before and one behind: all is as ANALYSE left it
    uint16_t* packed;          // shapes of the rows, or columns of the elements
    int64_t* first_columns;    // of the bands, or -1 for a band that is too wide
    row_shape* shapes;         // by their numbers
    unsigned long long* keys;  // of the shapes
    unsigned* misfits;         // rows or bands that go without
    uint64_t* back;
};

// How groups of lanes share the rows.
struct narrow_shares {
    int lanes;   // of a row, a power of two
    int bands;   // rows of which a group works on at once, 1 or 2
    int pieces;  // of a row that a lane loads at once, 1 or 2
};

// What ANALYSE leaves on the host.
struct narrow_plan {
    narrow_kind kind = narrow_kind::none;
    uint64_t stamp = 0;
    narrow_shares shares{};
};

// Whether there is anything to find out, as far as type and sizes tell.
bool can_be_narrow(const heron_spmat& a);

// `front` lies where other products write first.
narrow_columns lay_out_narrow_columns(workspace_layout& layout, const heron_spmat& a, void* front);

// For a matrix whose rows are alike. What is found depends on the pattern alone if it is to be deterministic.
// Waits for the device.
narrow_plan find_narrow_columns(cuda_device& device, const heron_spmat& a,
                                heron_reproducibility reproducibility, const narrow_columns& columns);

// For f32, f64, c32 and c64. The values are aligned to 16 bytes.
template <class CT>
void multiply_narrow(cuda_device& device, const heron_spmv_args& args, const narrow_columns& columns,
                     const narrow_plan& plan);

}  // namespace heron::HERON_LEVEL
