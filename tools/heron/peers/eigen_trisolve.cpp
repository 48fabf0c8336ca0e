// Eigen's triangular solve as a peer on the processor.
#include <Eigen/Core>
#include <Eigen/SparseCore>

#include <complex>

#include "bench/trisolve/trisolve_contenders.hpp"

namespace heron::tools {
namespace {

template <class T, int order>
class eigen_solve {
  public:
    eigen_solve(const trisolve_operands& operands, const trisolve_case& what)
        : operands_(operands),
          op_(what.op),
          is_upper_(what.is_upper),
          n_(what.matrix.rows),
          nnz_(what.matrix.nnz),
          columns_(what.right_sides) {}

    void operator()() const {
        const Eigen::Map<const matrix> a(n_, n_, nnz_, static_cast<const int*>(operands_.matrix.offsets),
                                         static_cast<const int*>(operands_.matrix.indices),
                                         static_cast<const T*>(operands_.matrix.values));
        const Eigen::Map<const dense> b(static_cast<const T*>(operands_.b), n_, columns_);
        Eigen::Map<dense> c(static_cast<T*>(operands_.c), n_, columns_);
        c = b;
        if (op_ == 'N') is_upper_ ? solve<Eigen::Upper>(a, c) : solve<Eigen::Lower>(a, c);
        if (op_ == 'T')
            is_upper_ ? solve<Eigen::Lower>(a.transpose(), c) : solve<Eigen::Upper>(a.transpose(), c);
        if (op_ == 'C') is_upper_ ? solve<Eigen::Lower>(a.adjoint(), c) : solve<Eigen::Upper>(a.adjoint(), c);
    }

  private:
    using matrix = Eigen::SparseMatrix<T, Eigen::RowMajor, int>;
    using dense = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, order>;

    template <unsigned triangle, class A>
    static void solve(const A& a, Eigen::Map<dense>& c) {
        a.template triangularView<triangle>().solveInPlace(c);
    }

    const trisolve_operands& operands_;
    char op_;
    bool is_upper_;
    Eigen::Index n_, nnz_, columns_;
};

template <class T>
std::function<void()> make(const trisolve_operands& operands, const trisolve_case& what) {
    if (what.by_rows && what.right_sides > 1) return eigen_solve<T, Eigen::RowMajor>(operands, what);
    return eigen_solve<T, Eigen::ColMajor>(operands, what);
}

}  // namespace

std::function<void()> eigen_triangular_solve(const trisolve_operands& operands, const trisolve_case& what) {
    switch (what.type) {
        case scalar_type::f32: return make<float>(operands, what);
        case scalar_type::f64: return make<double>(operands, what);
        case scalar_type::c32: return make<std::complex<float>>(operands, what);
        case scalar_type::c64: return make<std::complex<double>>(operands, what);
        default: return {};
    }
}

}  // namespace heron::tools
