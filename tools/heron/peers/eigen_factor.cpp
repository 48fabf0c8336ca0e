// Eigen's incomplete LU factorisation as a peer on the processor.
#include <Eigen/Core>
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>

#include <chrono>
#include <complex>

#include "bench/factor/factor_contenders.hpp"

namespace heron::tools {
namespace {

template <class T>
class eigen_factor : public factor_contender {
  public:
    eigen_factor(const factor_operands& operands, const factor_case& what) {
        using view = Eigen::Map<const matrix>;
        a_ = view(what.matrix.rows, what.matrix.rows, what.matrix.nnz,
                  static_cast<const int*>(operands.matrix.offsets),
                  static_cast<const int*>(operands.matrix.indices),
                  static_cast<const T*>(operands.matrix.values));
        factors_.setDroptol(0);
        factors_.setFillfactor(1);
    }
    double analyse() override {
        const auto start = std::chrono::steady_clock::now();
        factors_.analyzePattern(a_);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    void factor() override { factors_.factorize(a_); }
    bool is_in_place() const override { return false; }

  private:
    using matrix = Eigen::SparseMatrix<T, Eigen::RowMajor, int>;
    matrix a_;
    Eigen::IncompleteLUT<T, int> factors_;
};

}  // namespace

std::unique_ptr<factor_contender> make_eigen_factor(const factor_operands& operands,
                                                    const factor_case& what) {
    if (!what.lu || what.matrix.how.format != sparse_format::csr) return nullptr;
    switch (what.type) {
        case scalar_type::f32: return std::make_unique<eigen_factor<float>>(operands, what);
        case scalar_type::f64: return std::make_unique<eigen_factor<double>>(operands, what);
        default: return nullptr;
    }
}

}  // namespace heron::tools
