// Takes the place of eigen_spmv.cpp and eigen_spgemm.cpp in a build without Eigen.
#include "eigen_spmv.hpp"
#include "spgemm_contenders.hpp"

namespace heron::tools {

bool has_eigen() { return false; }

std::string eigen_version() { return ""; }

std::function<void()> make_eigen_spmv(const product_type&, index_widths, const spmv_problem&, int,
                                      const eigen_operands&) {
    return {};
}

std::unique_ptr<spgemm_contender> make_eigen_spgemm(const spgemm_case&) { return nullptr; }

}  // namespace heron::tools
