#pragma once
// What the functions share whose operands' types are arguments.
#include "translate.hpp"
#include "core/ops/dense.hpp"
#include <initializer_list>

namespace heron::cublas {

// An argument that is a type.
struct type_argument {
    cudaDataType type;
    const char* name;
};

// The one type that all of them are. Throws NOT_SUPPORTED, naming the first that differs.
heron_type common_type(std::initializer_list<type_argument> arguments);

// Throws NOT_SUPPORTED unless vectors of this type are computed in that one.
void require_execution(heron_type type, cudaDataType execution, const char* name);

// How a product is computed, from the compute type of GemmEx: also a cudaDataType, which binaries of CUDA 8
// to 10 pass, and which no compute type equals.
struct product_types {
    heron_type type, compute_type;
    heron_gemm_algorithm algorithm;
    bool short_scalars;  // of 16 bits
};
product_types product_types_of(const handle& h, heron_type type, int compute_type);

void require_algorithm(cublasGemmAlgo_t algorithm);

// Scalars of a product in the handle's pointer mode: those of 16 bits widened, which device memory may not
// have.
class product_scalars {
  public:
    product_scalars(const core::context& c, const product_types& types, const void* alpha, const void* beta);
    product_scalars(const product_scalars&) = delete;
    product_scalars& operator=(const product_scalars&) = delete;

    const void* alpha() const { return alpha_; }
    const void* beta() const { return beta_; }

  private:
    float wide_alpha_ = 0, wide_beta_ = 0;
    const void* alpha_;
    const void* beta_;
};

// What all products of operands with types share.
struct product_shape {
    cublasOperation_t transa, transb;
    int64_t m, n, k;
};
struct array_operand {
    const void* memory;
    int64_t ld;
};
struct batch_operand {
    heron_batch_operand items;
    int64_t ld;
};

void product(handle& h, const product_types& types, const product_shape& shape, const void* alpha,
             const array_operand& a, const array_operand& b, const void* beta, const array_operand& c);
void product(handle& h, const product_types& types, const product_shape& shape, const void* alpha,
             const batch_operand& a, const batch_operand& b, const void* beta, const batch_operand& c,
             int64_t count);

}  // namespace heron::cublas
