#pragma once
// The dense kernels of one device for one type: their shape and program.
#include "opencl_dense_shape.hpp"
#include "opencl_program.hpp"
#include <map>
#include <mutex>
#include <utility>

namespace heron::opencl {

struct dense_kit {
    dense_shape shape;
    program_key key;
    // Packed operands beyond HERON_OPENCL_SCRATCH bytes are packed in parts.
    int64_t scratch_bytes = int64_t{256} << 20;
    // Addresses that stand for the kernels of this program.
    struct {
        char pack_a, pack_b, product, solve;
    } ids;
};

// The kits of a device, each made at its first use. They live as long as this.
class dense_kits {
  public:
    // left_out: the HERON_GEMM_WITHOUT_... that concern the product's kernel.
    const dense_kit& get(const device_traits& traits, heron_type type, int left_out);

  private:
    std::mutex mutex_;
    std::map<std::pair<heron_type, int>, dense_kit> kits_;
};

}  // namespace heron::opencl
