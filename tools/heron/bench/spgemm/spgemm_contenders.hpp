// Who multiplies sparse matrices in heron bench spgemm.
#pragma once

#include <memory>
#include <vector>

#include "peers/cusparse_library.hpp"
#include "measure/device.hpp"

namespace heron::tools {

// A and B in CSR with 32-bit indices, on the host. They may be the same.
struct spgemm_case {
    const packed_matrix& a;
    const packed_matrix& b;
    cusparseSpGEMMAlg_t algorithm = CUSPARSE_SPGEMM_DEFAULT;
    bool reuse = false;  // only the product with a known pattern counts
};

struct spgemm_output {
    std::vector<std::int32_t> offsets{}, columns{};
    std::vector<std::byte> values{};
};

class spgemm_contender {
  public:
    virtual ~spgemm_contender() = default;
    // The whole product, from descriptors to C's values; with reuse the values alone. Memory is kept from the
    // first call on.
    virtual void call() = 0;
    virtual spgemm_output output() const = 0;
    std::size_t work_bytes = 0;  // of all workspaces that live at one time
};

std::unique_ptr<spgemm_contender> make_cusparse_spgemm(const cusparse_handle& handle, const device& where,
                                                       const spgemm_case& what);
// Null where Eigen has no such product.
std::unique_ptr<spgemm_contender> make_eigen_spgemm(const spgemm_case& what);

}  // namespace heron::tools
