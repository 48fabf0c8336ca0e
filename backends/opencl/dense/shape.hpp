#pragma once
// The shapes that the dense kernels can have, and which one a device gets.
//
// As text, "columns VW MV NR" or "tiles WX WY VW MV UW NV KT", which SLICES follows where operands are not
// packed. What HERON_OPENCL_GEMM names wins ("f32 columns 16 2 12;c64 tiles 16 16 2 2 2 2 8"), then the
// tuner's result in the cache directory, then the table of known devices, then a default. GPUs have a second
// shape per type for small products, "f32-small" in settings. "f32-direct" there names one for all single
// products that are not packed.
#include "opencl/runtime/traits.hpp"
#include <heron/types.h>
#include <optional>
#include <string>
#include <vector>

namespace heron::opencl {

struct dense_shape {
    bool columns = false;    // for processors
    int vw = 0, mv = 0;      // rows of a work-item: elements of a vector, vectors
    int nr = 0;              // its columns on processors
    int wx = 1, wy = 1;      // on GPUs work-items of a group along rows and columns
    int uw = 0, nv = 0;      // and columns of one: elements of a vector, vectors
    int kt = 1, slices = 1;  // steps in local memory at a time, and teams that share them

    constexpr int rows() const { return vw * mv * (columns ? 1 : wx); }
    constexpr int cols() const { return columns ? nr : wy * uw * nv; }
    std::string text() const;
    // As lines of an OpenCL program.
    std::string definitions(heron_type type) const;
};

// Nothing for text that is no shape, or one that the kernels cannot have.
std::optional<dense_shape> parse_dense_shape(const std::string& text, heron_type type);

// The type in settings: "f32", "f64", "c32", "c64".
const char* dense_type_name(heron_type type);

// For products whose operands are not packed: a step of k takes start + wave*n, in a unit that the shapes of
// a type share, where a compute unit has up to n tiles.
struct direct_shape {
    dense_shape shape;
    double start, wave;
};

// What a device can have; none on processors, and where a shape for packed operands is wanted.
std::vector<direct_shape> direct_shapes_of(const device_traits& traits, heron_type type);

dense_shape dense_shape_of(const device_traits& traits, heron_type type, bool is_small);

}  // namespace heron::opencl
