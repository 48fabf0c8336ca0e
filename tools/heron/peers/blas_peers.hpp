// Other BLAS libraries, opened at run time, as opponents in a benchmark: OpenBLAS on the processor, cuBLAS on
// CUDA, CLBlast and clBLAS on OpenCL.
#pragma once

#include <heron/heron.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "measure/device.hpp"

namespace heron::tools {

enum class dense_operation { gemm, rank_k, rank_2k, symmetric, triangular, solve };

// In column order with alpha = 1 and beta = 0: C := op(A)*op(B), or the lower triangle of C := A*A^H, or of
// C := A*B^H + B*A^H (without conjugation for real types), or C := A*B with the lower triangle of a Hermitian
// A, or C := A*C or A^-1*C with a lower triangular A. Leading dimensions are as short as can be.
struct dense_problem {
    dense_operation operation = dense_operation::gemm;
    heron_type type = HERON_R_32F;
    heron_operation op_a = HERON_OP_NONE;
    heron_operation op_b = HERON_OP_NONE;
    int m = 0, n = 0, k = 0;
    heron_gemm_algorithm algorithm = HERON_GEMM_DEFAULT;  // gemm; peers take their own nearest
    int batch = 1;  // gemm: products of their own, whose matrices follow each other without gaps
    const void* a = nullptr;
    const void* b = nullptr;
    void* c = nullptr;

    // Of one triangle of C.
    bool is_rank_update() const {
        return operation == dense_operation::rank_k || operation == dense_operation::rank_2k;
    }
    // C is an operand too: in the beginning it is B.
    bool is_in_place() const {
        return operation == dense_operation::triangular || operation == dense_operation::solve;
    }
    bool is_complex() const { return type == HERON_C_32F || type == HERON_C_64F; }
    // Stored in 16 bits, with scalars and sums in single precision.
    bool is_half() const { return type == HERON_R_16F || type == HERON_R_16BF; }
    bool is_single() const { return type == HERON_R_32F || type == HERON_C_32F || is_half(); }
    int lda() const { return op_a == HERON_OP_NONE ? m : k; }
    int ldb() const { return operation == dense_operation::rank_2k ? n : op_b == HERON_OP_NONE ? k : n; }
    // Elements of one item.
    std::int64_t a_size() const { return std::int64_t{m} * k; }
    std::int64_t b_size() const { return std::int64_t{n} * k; }
    std::int64_t c_size() const { return std::int64_t{m} * n; }
    std::int64_t element_bytes() const {
        return is_half() ? 2 : (is_single() ? 4 : 8) * (is_complex() ? 2 : 1);
    }
    // What the names of BLAS's functions for it have in common: "sgemm".
    std::string function_stem() const;
    // Floating-point operations.
    double operations() const;
};

class blas_peer {
  public:
    virtual ~blas_peer() = default;
    virtual std::string name() const = 0;
    virtual std::string version() const = 0;
    // Submits the problem to the device's default stream, or computes it. Empty for operations that the peer
    // is not asked for.
    virtual std::function<void()> call(const dense_problem& problem) const = 0;
    // For peers with a queue and memory of their own: waits for what was submitted; copies the result to
    // problem.c.
    virtual void wait() const {}
    virtual void collect(const dense_problem&) const {}
    // Returns when the library's threads leave the processor to others. Not part of what is timed.
    virtual void rest() const {}
};

// The libraries that compute on this device and are installed; and on OpenCL those of `against`, each FILE or
// NAME=FILE. Throws std::runtime_error where such a file is no library of that kind.
std::vector<std::unique_ptr<blas_peer>> open_blas_peers(const device& where,
                                                        const std::vector<std::string>& against);

}  // namespace heron::tools
