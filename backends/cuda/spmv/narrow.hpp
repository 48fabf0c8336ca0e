#pragma once
// CSR times vector with columns of 16 bits, which ANALYSE has written to the workspace: for a matrix whose
// rows are alike, and whose neighbouring rows have their columns close together. Values stay the caller's.
#include "cuda/runtime/device.cuh"
#include "common/spmv/plan.hpp"
#include "known_rows.hpp"

namespace heron::HERON_LEVEL {

// The first row of a shape, and its first element.
struct row_shape {
    int32_t row, begin;
};
constexpr int most_shapes = 1024;
constexpr uint16_t no_shape = 0xffff;

// Rows in bands, each of which counts its columns from its first one. All in the workspace.
struct narrow_columns {
    uint64_t* front;  // a stamp before and one behind, by which a run knows that all is as ANALYSE left it
    uint16_t* of_elements;  // and of a few behind the last one
    int64_t* of_bands;      // the first column, or -1 for a band that is too wide
    unsigned* wide_bands;   // how many there are of these
    uint16_t* shapes;       // of the rows
    row_shape* table;
    unsigned long long* keys;  // of the shapes
    uint64_t* back;
};

// What ANALYSE leaves on the host. stamp 0: the matrix is not one for this.
struct narrow_plan {
    row_choice rows;
    uint64_t stamp = 0;
    bool has_shapes = false;
    int most_bands_of_block = 21;

    int rows_of_band() const;
};

constexpr int least_rows_of_band = 8;

// Whether there is anything to find out, as far as sizes tell.
bool can_be_narrow(const heron_spmat& a);

// Fills `columns` for a plan whose rows are chosen, and its stamp if that is worthwhile. Waits for the
// device.
void find_narrow_columns(cuda_device& device, const heron_spmat& a, const narrow_columns& columns,
                         narrow_plan& plan);

// The same for a matrix of few shapes.
void find_shapes(cuda_device& device, const heron_spmat& a, const narrow_columns& columns, narrow_plan& plan);

// For f32, f64, c32 and c64. The values are aligned to 16 bytes if the plan has lanes_per_row.
template <class CT>
void multiply_narrow(cuda_device& device, const heron_spmv_args& args, const narrow_columns& columns,
                     const narrow_plan& plan);

// How many blocks of the kernel for short rows the device works on at a time.
template <class CT>
int64_t narrow_blocks_at_once(cuda_device& device, heron_index_type offsets);

}  // namespace heron::HERON_LEVEL
