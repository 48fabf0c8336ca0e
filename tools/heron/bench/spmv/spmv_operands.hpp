// A, x and y of a product on a device, as often as it takes to keep them out of its cache.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "peers/cusparse_library.hpp"
#include "measure/device.hpp"
#include "matrix/packed_matrix.hpp"

namespace heron::tools {

// x and y have room for the longer side of the matrix, so that they serve op(A) too.
class spmv_operands {
  public:
    struct copy {
        device_buffer memory;
        matrix_addresses matrix;
        void* x = nullptr;
        void* y = nullptr;
    };

    // One copy if `warm`, else as many as exceed four times the device's cache, but not more than 1024.
    spmv_operands(const device& where, const packed_matrix& matrix, const product_type& type, bool warm);

    const device& where() const { return where_; }
    const std::vector<copy>& copies() const { return copies_; }
    // "cold": together the copies exceed four times the cache; otherwise "warm".
    std::string cache_state() const;

    // Before each check: x and y in every copy. An empty `y` is filled with NaN (integers: -1).
    void set_vectors(const std::vector<std::byte>& x, const std::vector<std::byte>& y,
                     std::size_t y_bytes) const;
    std::vector<std::byte> read_y(std::size_t copy, std::size_t bytes) const;

  private:
    const device& where_;
    std::size_t copy_bytes_ = 0;
    std::vector<copy> copies_;
};

}  // namespace heron::tools
