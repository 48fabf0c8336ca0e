#include "eigen_spmv.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include <complex>

namespace heron::tools {
namespace {

template <class T, class Index>
class eigen_product {
  public:
    eigen_product(const spmv_problem& problem, int threads, const eigen_operands& operands)
        : problem_(problem), threads_(threads), operands_(operands) {}

    void operator()() const {
        Eigen::setNbThreads(threads_);
        const bool transposed = problem_.op != 'N';
        const Eigen::Index inner = transposed ? operands_.rows : operands_.cols;
        const Eigen::Index outer = transposed ? operands_.cols : operands_.rows;
        const Eigen::Map<const matrix> a(
            operands_.rows, operands_.cols, operands_.nnz, static_cast<const Index*>(operands_.offsets),
            static_cast<const Index*>(operands_.columns), static_cast<const T*>(operands_.values));
        const Eigen::Map<const vector> x(static_cast<const T*>(operands_.x), inner);
        Eigen::Map<vector> y(static_cast<T*>(operands_.y), outer);
        if (problem_.op == 'N') {
            assign(y, a * x);
        } else if (problem_.op == 'T') {
            assign(y, a.transpose() * x);
        } else {
            assign(y, a.adjoint() * x);
        }
    }

  private:
    using matrix = Eigen::SparseMatrix<T, Eigen::RowMajor, Index>;
    using vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

    template <class Product>
    void assign(Eigen::Map<vector>& y, const Product& product) const {
        const T alpha = static_cast<T>(problem_.alpha);
        if (problem_.beta == 0 && problem_.alpha == 1) {
            y.noalias() = product;
        } else if (problem_.beta == 0) {
            y.noalias() = alpha * product;
        } else {
            if (problem_.beta != 1) y *= static_cast<T>(problem_.beta);
            y.noalias() += alpha * product;
        }
    }

    spmv_problem problem_;
    int threads_;
    eigen_operands operands_;
};

template <class T>
std::function<void()> with_index(index_widths widths, const spmv_problem& problem, int threads,
                                 const eigen_operands& operands) {
    if (widths.offsets != widths.indices) return {};
    if (widths.indices == 4) return eigen_product<T, std::int32_t>(problem, threads, operands);
    return eigen_product<T, std::int64_t>(problem, threads, operands);
}

}  // namespace

bool has_eigen() { return true; }

std::string eigen_version() {
    return fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION);
}

std::function<void()> make_eigen_spmv(const product_type& type, index_widths widths,
                                      const spmv_problem& problem, int threads,
                                      const eigen_operands& operands) {
    if (type.input != type.output) return {};
    switch (type.input) {
        case scalar_type::f32: return with_index<float>(widths, problem, threads, operands);
        case scalar_type::f64: return with_index<double>(widths, problem, threads, operands);
        case scalar_type::c32: return with_index<std::complex<float>>(widths, problem, threads, operands);
        case scalar_type::c64: return with_index<std::complex<double>>(widths, problem, threads, operands);
        default: return {};
    }
}

}  // namespace heron::tools
