// Dense problems with operands on a device, and what their results should be.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <string>

#include "measure/bench_values.hpp"
#include "peers/blas_peers.hpp"

namespace heron::tools {

struct dense_element {
    const char* name;
    heron_type type;
    scalar_type scalar;
};

// "f16", "bf16" (products), "f32", "f64", "c32", "c64", or std::invalid_argument.
const dense_element& find_dense_element(const std::string& name);

// "NT": of A and of B. std::invalid_argument if they are not two of N T C.
void set_operations(dense_problem& problem, const std::string& letters);

// "default", "3m", "tf32", "3xtf32" or std::invalid_argument.
heron_gemm_algorithm find_gemm_algorithm(const std::string& name);

// "300", "100x20x30", for rank updates "100x30". Throws std::invalid_argument.
void set_sizes(dense_problem& problem, const std::string& text);

// Random operands on a device, and some elements of the result in double. The operands of large batches
// repeat after some millions of numbers, at other places in memory.
class dense_operands {
  public:
    dense_operands(const device& where, const dense_problem& problem, const dense_element& element,
                   std::uint64_t seed);

    const dense_problem& problem() const { return problem_; }

    // Products are computed by another handle of the same device from now on.
    void use(heron_handle handle) { handle_ = handle; }

    void run_heron(heron_rank_2k_algorithm algorithm) const;
    // A product by the given algorithm.
    void run_gemm(heron_gemm_algorithm algorithm) const;

    // Compares elements here and there, corners included.
    bool is_right(const std::function<void()>& run) const;

  private:
    using number = std::complex<double>;

    device_buffer uploaded(const number_array& values) const;
    void tame_triangle();
    void provide_workspace();
    void run_structured() const;
    void run_batch(heron_gemm_algorithm algorithm) const;
    number_array column_of_c(std::int64_t item, int j) const;
    // c: column j of the item's result; item: which of the different ones.
    bool is_right(const number_array& c, std::int64_t item, int i, int j) const;
    double rounding_of_operands() const;
    const void* one() const;
    const void* zero() const;

    const device& where_;
    heron_handle handle_;
    dense_problem problem_;
    dense_element element_;
    splitmix64 random_;
    number_array a_, b_;
    device_buffer on_device_[3], workspace_;
    std::int64_t different_ = 1;  // items
    std::size_t c_bytes_ = 0;
};

}  // namespace heron::tools
