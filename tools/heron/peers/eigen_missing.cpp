// Takes the place of the eigen_*.cpp files in a build without Eigen.
#include "eigen_spmv.hpp"
#include "bench/convert/convert_case.hpp"
#include "bench/factor/factor_contenders.hpp"
#include "bench/spgemm/spgemm_contenders.hpp"
#include "bench/trisolve/trisolve_contenders.hpp"

namespace heron::tools {

bool has_eigen() { return false; }

std::string eigen_version() { return ""; }

std::function<void()> make_eigen_spmv(const product_type&, index_widths, const spmv_problem&, int,
                                      const eigen_operands&) {
    return {};
}

std::function<void()> eigen_triangular_solve(const trisolve_operands&, const trisolve_case&) { return {}; }

std::unique_ptr<factor_contender> make_eigen_factor(const factor_operands&, const factor_case&) {
    return nullptr;
}

std::unique_ptr<function_contender> make_eigen_transpose(const convert_case<float>&) { return nullptr; }
std::unique_ptr<function_contender> make_eigen_transpose(const convert_case<double>&) { return nullptr; }

std::unique_ptr<spgemm_contender> make_eigen_spgemm(const spgemm_case&) { return nullptr; }

}  // namespace heron::tools
