// One sampled dense-dense product of a benchmark: operands in memory, and a library that computes it.
#pragma once

#include <memory>
#include <vector>

#include "peers/cusparse_library.hpp"
#include "measure/device.hpp"
#include "matrix/packed_matrix.hpp"

namespace heron::tools {

// C := alpha A B on the pattern of C + beta C. A is rows x inner, B is inner x cols; both as numbers in row
// order and as bytes in the order that their layout says.
class sddmm_case {
  public:
    // layout: "rc" for A by rows and B by columns, and so on.
    sddmm_case(const csr_matrix& pattern, const product_type& type, std::int64_t inner,
               const std::string& layout, double alpha, double beta, std::uint64_t seed);

    const product_type& type() const { return type_; }
    const packed_matrix& c() const { return c_; }
    const std::vector<std::byte>& a_bytes() const { return a_bytes_; }
    const std::vector<std::byte>& b_bytes() const { return b_bytes_; }
    std::int64_t inner() const { return inner_; }
    cusparseOrder_t a_order() const { return a_order_; }
    cusparseOrder_t b_order() const { return b_order_; }
    double alpha() const { return alpha_; }
    double beta() const { return beta_; }

    // The largest error of some elements of C, as a multiple of what rounding allows.
    double worst_error(const std::vector<std::byte>& c_values) const;

  private:
    double error_of(std::int64_t row, std::size_t k, const number_array& found) const;

    const csr_matrix& pattern_;
    const product_type& type_;
    std::int64_t inner_;
    cusparseOrder_t a_order_, b_order_;
    double alpha_, beta_;
    number_array a_, b_, values_;
    packed_matrix c_;
    std::vector<std::byte> a_bytes_, b_bytes_;
};

// The operands on a device as often as it takes to exceed its cache, and descriptors of one library for each.
class sddmm_contender {
  public:
    // Throws cusparse_error where the library does not do it.
    sddmm_contender(const cusparse_handle& handle, const device& where, const sddmm_case& what,
                    bool preprocess, bool warm);

    void call();
    // C of a call on fresh operands.
    std::vector<std::byte> result();

  private:
    using dense_descriptor = std::unique_ptr<cusparseDnMatDescr, decltype(&cusparseDestroyDnMat)>;
    struct instance {
        device_buffer memory, buffer;
        void* values;
        sparse_matrix_descriptor c;
        dense_descriptor a, b;
    };

    instance make_instance() const;
    dense_descriptor describe(std::int64_t rows, std::int64_t cols, void* values,
                              cusparseOrder_t order) const;
    void run(const instance& i) const;

    const cusparse_library& library_;
    cusparseHandle_t handle_;
    const device& where_;
    const sddmm_case& case_;
    bool preprocess_;
    cudaDataType compute_;
    std::vector<std::byte> alpha_, beta_;
    std::vector<instance> instances_;
    std::size_t next_ = 0;
};

}  // namespace heron::tools
