// Takes the place of eigen_spmv.cpp in a build without Eigen.
#include "eigen_spmv.hpp"

namespace heron::tools {

bool has_eigen() { return false; }

std::string eigen_version() { return ""; }

std::function<void()> make_eigen_spmv(const product_type&, index_widths, const spmv_problem&, int,
                                      const eigen_operands&) {
    return {};
}

}  // namespace heron::tools
