// csrmvEx of every combination of types against the oracle, and against SpMV.
#include "ops/spmv/spmv_problem.hpp"
#include "ops/typed_csr.hpp"

using namespace heron::test;

namespace {

struct mixed_types {
    cudaDataType a, x, y, compute;
};

constexpr mixed_types all_types[] = {
    {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F}, {CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F},
    {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F}, {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F},
    {CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_32F}, {CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, CUDA_R_32F},
    {CUDA_R_8I, CUDA_R_8I, CUDA_R_32F, CUDA_R_32F},   {CUDA_R_8I, CUDA_R_8I, CUDA_R_32I, CUDA_R_32I},
};

class mixed_problem {
  public:
    mixed_problem(const mixed_types& types, const sparse_arrays& arrays, cusparseOperation_t op,
                  random_source& random)
        : types_(types),
          arrays_(arrays),
          op_(op),
          matrix_(expand(arrays)),
          descr_(describe_general(arrays.base)),
          offsets_(CUSPARSE_INDEX_32I, arrays.offsets, 1),
          columns_(CUSPARSE_INDEX_32I, arrays.indices, 1),
          values_(types.a, arrays.values, 1),
          x_start_(random_values(types.x, static_cast<std::size_t>(cols_of(matrix_, op)), random)),
          y_start_(random_values(types.y, static_cast<std::size_t>(rows_of(matrix_, op)), random)),
          x_(types.x, x_start_, 1) {}

    void run(cusparseAlgMode_t algorithm, number alpha, number beta, cusparsePointerMode_t mode) const {
        const pointer_mode_scope scope(mode);
        const scalar_operand a(types_.compute, alpha, mode), b(types_.compute, beta, mode);
        const typed_array y(types_.y, y_start_, 1);
        const auto call = [&](auto* function, auto last) {
            expect(function(
                cusparse(), algorithm, op_, static_cast<int>(arrays_.rows), static_cast<int>(arrays_.cols),
                static_cast<int>(arrays_.nnz), a.data(), types_.compute, descr_.get(), values_.data(),
                types_.a, static_cast<const int*>(offsets_.data()), static_cast<const int*>(columns_.data()),
                x_.data(), types_.x, b.data(), types_.compute, y.data(), types_.y, types_.compute, last));
        };
        std::size_t bytes = 0;
        call(&cusparseCsrmvEx_bufferSize, &bytes);
        const workspace buffer(bytes);
        call(&cusparseCsrmvEx, buffer.data());
        const std::string wrong = difference(
            y.numbers(), spmv(matrix_, op_, alpha, x_start_, beta, y_start_, types_.compute, types_.y));
        if (!wrong.empty()) FAIL_CHECK(wrong);
        if (op_ == CUSPARSE_OPERATION_NON_TRANSPOSE) CHECK((y.bytes() == newer(a, b)));
    }

  private:
    // The same by SpMV.
    std::vector<unsigned char> newer(const scalar_operand& alpha, const scalar_operand& beta) const {
        const typed_array y(types_.y, y_start_, 1);
        const sparse_matrix a = describe(arrays_, offsets_.data(), nullptr, columns_.data(), values_.data());
        const auto vector = [](const typed_array& values, std::size_t size, cudaDataType type) {
            cusparseDnVecDescr_t made = nullptr;
            expect(cusparseCreateDnVec(&made, static_cast<std::int64_t>(size), values.data(), type));
            return dense_vector(made);
        };
        const dense_vector x = vector(x_, x_start_.size(), types_.x),
                           result = vector(y, y_start_.size(), types_.y);
        const auto call = [&](auto* function, auto last) {
            expect(function(cusparse(), op_, alpha.data(), a.get(), x.get(), beta.data(), result.get(),
                            types_.compute, CUSPARSE_SPMV_ALG_DEFAULT, last));
        };
        std::size_t bytes = 0;
        call(&cusparseSpMV_bufferSize, &bytes);
        const workspace buffer(bytes);
        call(&cusparseSpMV, buffer.data());
        return y.bytes();
    }

    mixed_types types_;
    sparse_arrays arrays_;
    cusparseOperation_t op_;
    entries matrix_;
    matrix_descriptor descr_;
    index_array offsets_, columns_;
    typed_array values_;
    std::vector<number> x_start_, y_start_;
    typed_array x_;
};

}  // namespace

TEST_CASE("csrmvEx of all types, operations and algorithms") {
    for (const mixed_types& types : all_types) {
        if (!device_has(types.compute)) continue;
        random_source random(91);
        const number alpha = representable(types.compute, {2, -0.5}),
                     beta = representable(types.compute, -1.0);
        for (const named_pattern& pattern : {named_pattern{"irregular", irregular_pattern()},
                                             named_pattern{"large", random_pattern(700, 500, 20, random)}})
            for (const int base : {0, 1}) {
                const sparse_arrays arrays = arrange(with_values(pattern.matrix, types.a, random), by_rows,
                                                     indices_of_base(base), types.a, random);
                for (const cusparseOperation_t op : all_operations) {
                    INFO(facts(types.a).name << ", y " << facts(types.y).name << ", " << pattern.name
                                             << ", base " << base << ", op " << op);
                    const mixed_problem problem(types, arrays, op, random);
                    problem.run(CUSPARSE_ALG_NAIVE, alpha, beta, CUSPARSE_POINTER_MODE_HOST);
                    problem.run(CUSPARSE_ALG_MERGE_PATH, alpha, beta, CUSPARSE_POINTER_MODE_DEVICE);
                }
            }
    }
}
