#pragma once
// The dense kernels of one device for one type: their shape and program.
#include "shape.hpp"
#include "opencl/runtime/program.hpp"
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

namespace heron::opencl {

struct dense_kit {
    dense_shape shape;
    program_key products, solves;
    // Batches: on processors of this shape too, on GPUs of the first that covers an item, or the last.
    struct batch_kernel {
        dense_shape shape;
        program_key key;
        char id;  // its address stands for the kernel
    };
    std::vector<batch_kernel> batches;
    // Single products that are not packed; start and wave as in direct_shape.
    struct single_kernel {
        batch_kernel kernel;
        double start, wave;
    };
    std::vector<single_kernel> singles;
    // Packed operands beyond HERON_OPENCL_SCRATCH bytes are packed in parts.
    int64_t scratch_bytes = int64_t{256} << 20;
    // Addresses that stand for the kernels of the programs.
    struct {
        char pack, product, solve;
    } ids;
};

// The kits of a device, each made at its first use. They live as long as this.
class dense_kits {
  public:
    // is_small: for products that give the large shape too few tiles. left_out: the HERON_GEMM_WITHOUT_...
    // that concern the product's kernel.
    const dense_kit& get(const device_traits& traits, heron_type type, bool is_small, int left_out);

  private:
    std::mutex mutex_;
    std::map<std::tuple<heron_type, bool, int>, dense_kit> kits_;
};

}  // namespace heron::opencl
