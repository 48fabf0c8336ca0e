#include "bench/spgemm/spgemm_contenders.hpp"

#include <Eigen/SparseCore>

#include <cstring>

namespace heron::tools {
namespace {

template <class T>
class eigen_spgemm : public spgemm_contender {
  public:
    explicit eigen_spgemm(const spgemm_case& what) : a_(map(what.a)), b_(map(what.b)) {}

    void call() override { c_ = a_ * b_; }

    spgemm_output output() const override {
        spgemm_output result;
        const auto nnz = static_cast<std::size_t>(c_.nonZeros());
        result.offsets.assign(c_.outerIndexPtr(), c_.outerIndexPtr() + c_.rows() + 1);
        result.columns.assign(c_.innerIndexPtr(), c_.innerIndexPtr() + nnz);
        result.values.resize(nnz * sizeof(T));
        std::memcpy(result.values.data(), c_.valuePtr(), result.values.size());
        return result;
    }

  private:
    using matrix = Eigen::SparseMatrix<T, Eigen::RowMajor, std::int32_t>;

    static Eigen::Map<const matrix> map(const packed_matrix& m) {
        return {m.rows,
                m.cols,
                m.nnz,
                reinterpret_cast<const std::int32_t*>(m.offsets.data()),
                reinterpret_cast<const std::int32_t*>(m.indices.data()),
                reinterpret_cast<const T*>(m.values.data())};
    }

    Eigen::Map<const matrix> a_, b_;
    matrix c_;
};

}  // namespace

std::unique_ptr<spgemm_contender> make_eigen_spgemm(const spgemm_case& what) {
    if (what.reuse) return nullptr;
    if (what.a.how.type == scalar_type::f32) return std::make_unique<eigen_spgemm<float>>(what);
    return std::make_unique<eigen_spgemm<double>>(what);
}

}  // namespace heron::tools
