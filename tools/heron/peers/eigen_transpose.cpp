#include "bench/convert/convert_case.hpp"

#include <Eigen/SparseCore>

#include <cstring>

namespace heron::tools {
namespace {

template <class T>
class eigen_transpose : public function_contender {
  public:
    explicit eigen_transpose(const convert_case<T>& what)
        : case_(what),
          a_(what.from.rows, what.from.cols, what.from.nnz(), what.from.offsets.data(),
             what.from.columns.data(), what.from.values.data()) {}

    void call() override { b_ = a_.transpose(); }

    std::string check() override {
        const block_matrix<T>& b = case_.to;
        const auto same = [](const auto* found, const auto& expected) {
            return std::memcmp(found, expected.data(), expected.size() * sizeof expected[0]) == 0;
        };
        if (!same(b_.outerIndexPtr(), b.offsets)) return "offsets differ";
        if (!same(b_.innerIndexPtr(), b.columns)) return "indices differ";
        return same(b_.valuePtr(), b.values) ? "" : "values differ";
    }

  private:
    using matrix = Eigen::SparseMatrix<T, Eigen::RowMajor, std::int32_t>;
    const convert_case<T>& case_;
    Eigen::Map<const matrix> a_;
    matrix b_;
};

template <class T>
std::unique_ptr<function_contender> make(const convert_case<T>& what) {
    if (what.function != "csr2csc") return nullptr;
    return std::make_unique<eigen_transpose<T>>(what);
}

}  // namespace

std::unique_ptr<function_contender> make_eigen_transpose(const convert_case<float>& what) {
    return make(what);
}
std::unique_ptr<function_contender> make_eigen_transpose(const convert_case<double>& what) {
    return make(what);
}

}  // namespace heron::tools
