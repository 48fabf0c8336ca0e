#include "products.hpp"
#include <limits>

namespace heron::test {
namespace {

constexpr float one = 1, zero = 0;

float small_integer(random_source& random) {
    const auto value = static_cast<float>(random.below(6)) - 3;
    return value < 0 ? value : value + 1;
}

cusparseOperation_t operation(bool transpose) {
    return transpose ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
}

std::vector<int> plus(std::vector<int> indices, int base) {
    for (int& index : indices) index += base;
    return indices;
}

std::vector<int> rows_of(const csr& a) {
    std::vector<int> rows;
    for (int row = 0; row < a.rows; ++row)
        rows.insert(rows.end(),
                    static_cast<size_t>(a.offsets[static_cast<size_t>(row) + 1] -
                                        a.offsets[static_cast<size_t>(row)]),
                    row);
    return rows;
}

// A matrix on the device, as the library is told of it.
class sparse_operand {
  public:
    explicit sparse_operand(const csr& a, const representation& how = {})
        : stored_(how.format == CUSPARSE_FORMAT_CSC ? transposed(a) : a),
          first_(plus(how.format == CUSPARSE_FORMAT_COO ? rows_of(stored_) : stored_.offsets, how.base),
                 static_cast<size_t>(how.misalignment)),
          indices_(plus(stored_.columns, how.base), static_cast<size_t>(how.misalignment)),
          values_(stored_.values, static_cast<size_t>(how.misalignment)),
          descr_(describe(a, how)) {}

    cusparseSpMatDescr_t descr() const { return descr_.get(); }
    csr read() const {
        csr result = stored_;
        result.offsets = first_.download();
        result.columns = indices_.download();
        result.values = values_.download();
        return result;
    }

  private:
    sparse_matrix describe(const csr& a, const representation& how) const {
        constexpr auto i32 = CUSPARSE_INDEX_32I;
        const auto base = static_cast<cusparseIndexBase_t>(how.base);
        cusparseSpMatDescr_t made = nullptr;
        if (how.format == CUSPARSE_FORMAT_COO)
            expect(cusparseCreateCoo(&made, a.rows, a.cols, a.nnz(), first_.data(), indices_.data(),
                                     values_.data(), i32, base, CUDA_R_32F));
        else if (how.format == CUSPARSE_FORMAT_CSC)
            expect(cusparseCreateCsc(&made, a.rows, a.cols, a.nnz(), first_.data(), indices_.data(),
                                     values_.data(), i32, i32, base, CUDA_R_32F));
        else
            expect(cusparseCreateCsr(&made, a.rows, a.cols, a.nnz(), first_.data(), indices_.data(),
                                     values_.data(), i32, i32, base, CUDA_R_32F));
        return sparse_matrix(made);
    }

    csr stored_;
    device_array<int> first_, indices_;
    device_array<float> values_;
    sparse_matrix descr_;
};

class vector_operand {
  public:
    explicit vector_operand(const std::vector<float>& values) : values_(values) {
        cusparseDnVecDescr_t made = nullptr;
        expect(cusparseCreateDnVec(&made, static_cast<int64_t>(values.size()), values_.data(), CUDA_R_32F));
        descr_.reset(made);
    }
    cusparseDnVecDescr_t descr() const { return descr_.get(); }
    std::vector<float> read() const { return values_.download(); }

  private:
    device_array<float> values_;
    dense_vector descr_;
};

// The image of the transpose of a matrix with so many columns.
image turned(const image& values, size_t columns) {
    const size_t rows = values.size() / columns;
    image result(values.size());
    for (size_t row = 0; row < rows; ++row)
        for (size_t col = 0; col < columns; ++col) result[col * rows + row] = values[row * columns + col];
    return result;
}

class image_operand {
  public:
    image_operand(const image& values, int columns, const representation& how = {})
        : rows_(values.size() / static_cast<size_t>(columns)),
          is_by_rows_(how.order == CUSPARSE_ORDER_ROW),
          values_(is_by_rows_ ? values : turned(values, static_cast<size_t>(columns)),
                  static_cast<size_t>(how.misalignment)) {
        const auto rows = static_cast<int64_t>(rows_);
        cusparseDnMatDescr_t made = nullptr;
        expect(cusparseCreateDnMat(&made, rows, columns, is_by_rows_ ? columns : rows, values_.data(),
                                   CUDA_R_32F, how.order));
        descr_.reset(made);
    }
    cusparseDnMatDescr_t descr() const { return descr_.get(); }
    image read() const { return is_by_rows_ ? values_.download() : turned(values_.download(), rows_); }

  private:
    size_t rows_;
    bool is_by_rows_;
    device_array<float> values_;
    dense_matrix descr_;
};

std::vector<float> nans(int count) {
    return std::vector<float>(static_cast<size_t>(count), std::numeric_limits<float>::quiet_NaN());
}

}  // namespace

csr random_csr(int rows, int cols, int percent, random_source& random) {
    image a(static_cast<size_t>(rows) * static_cast<size_t>(cols));
    for (float& element : a)
        if (random.below(100) < percent) element = small_integer(random);
    return csr_of(rows, cols, a);
}

csr random_lower(int n, int percent, random_source& random) {
    constexpr float diagonals[] = {1, 2, -1};
    image a(static_cast<size_t>(n) * static_cast<size_t>(n));
    for (int row = 0; row < n; ++row)
        for (int col = 0; col <= row; ++col) {
            float& element = a[static_cast<size_t>(row * n + col)];
            if (row == col)
                element = diagonals[random.below(3)];
            else if (random.below(100) < percent)
                element = small_integer(random);
        }
    return csr_of(n, n, a);
}

csr identity_csr(int n) {
    image a(static_cast<size_t>(n) * static_cast<size_t>(n));
    for (int row = 0; row < n; ++row) a[static_cast<size_t>(row * n + row)] = 1;
    return csr_of(n, n, a);
}

std::vector<float> random_vector(int n, random_source& random) {
    std::vector<float> x(static_cast<size_t>(n));
    for (float& element : x) element = small_integer(random);
    return x;
}

image image_of(const csr& a) {
    image dense(static_cast<size_t>(a.rows) * static_cast<size_t>(a.cols));
    const std::vector<int> rows = rows_of(a);
    for (size_t k = 0; k < rows.size(); ++k)
        dense[static_cast<size_t>(rows[k] * a.cols + a.columns[k])] += a.values[k];
    return dense;
}

csr csr_of(int rows, int cols, const image& a) {
    csr result{rows, cols, {0}, {}, {}};
    for (int row = 0; row < rows; ++row) {
        for (int col = 0; col < cols; ++col)
            if (const float value = a[static_cast<size_t>(row * cols + col)]; value != 0) {
                result.columns.push_back(col);
                result.values.push_back(value);
            }
        result.offsets.push_back(result.nnz());
    }
    return result;
}

csr transposed(const csr& a) {
    const image dense = image_of(a);
    image turned(dense.size());
    for (int row = 0; row < a.rows; ++row)
        for (int col = 0; col < a.cols; ++col)
            turned[static_cast<size_t>(col * a.rows + row)] = dense[static_cast<size_t>(row * a.cols + col)];
    return csr_of(a.cols, a.rows, turned);
}

csr with_rows(const csr& a, const std::vector<int>& order) {
    const image dense = image_of(a);
    image moved;
    for (const int row : order) {
        const auto first = dense.begin() + row * a.cols;
        moved.insert(moved.end(), first, first + a.cols);
    }
    return csr_of(a.rows, a.cols, moved);
}

csr scaled(csr a, float factor) {
    for (float& value : a.values) value *= factor;
    return a;
}

std::vector<float> spmv(const csr& a, const std::vector<float>& x, bool transpose,
                        const representation& how) {
    const sparse_operand matrix(a, how);
    const vector_operand in(x), out(nans(transpose ? a.cols : a.rows));
    const auto op = operation(transpose);
    size_t bytes = 0;
    expect(cusparseSpMV_bufferSize(cusparse(), op, &one, matrix.descr(), in.descr(), &zero, out.descr(),
                                   CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
    const workspace buffer(bytes);
    expect(cusparseSpMV(cusparse(), op, &one, matrix.descr(), in.descr(), &zero, out.descr(), CUDA_R_32F,
                        CUSPARSE_SPMV_ALG_DEFAULT, buffer.data()));
    return out.read();
}

image spmm(const csr& a, const image& b, int columns, bool transpose, const representation& how) {
    const sparse_operand matrix(a, how);
    const image_operand in(b, columns, how), out(nans((transpose ? a.cols : a.rows) * columns), columns, how);
    const auto op = operation(transpose), same = CUSPARSE_OPERATION_NON_TRANSPOSE;
    size_t bytes = 0;
    expect(cusparseSpMM_bufferSize(cusparse(), op, same, &one, matrix.descr(), in.descr(), &zero, out.descr(),
                                   CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, &bytes));
    const workspace buffer(bytes);
    expect(cusparseSpMM(cusparse(), op, same, &one, matrix.descr(), in.descr(), &zero, out.descr(),
                        CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, buffer.data()));
    return out.read();
}

csr spgemm(const csr& a, const csr& b) {
    const sparse_operand left(a), right(b);
    const csr empty{a.rows, b.cols, std::vector<int>(static_cast<size_t>(a.rows) + 1), {}, {}};
    const sparse_operand pattern(empty);
    constexpr auto op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    cusparseSpGEMMDescr_t state = nullptr;
    expect(cusparseSpGEMM_createDescr(&state));
    size_t first = 0, second = 0;
    const auto estimate = [&](void* buffer) {
        expect(cusparseSpGEMM_workEstimation(cusparse(), op, op, &one, left.descr(), right.descr(), &zero,
                                             pattern.descr(), CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT, state,
                                             &first, buffer));
    };
    const auto compute = [&](void* buffer) {
        expect(cusparseSpGEMM_compute(cusparse(), op, op, &one, left.descr(), right.descr(), &zero,
                                      pattern.descr(), CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT, state, &second,
                                      buffer));
    };
    estimate(nullptr);
    const workspace first_buffer(first);
    estimate(first_buffer.data());
    compute(nullptr);
    const workspace second_buffer(second);
    compute(second_buffer.data());
    int64_t rows = 0, cols = 0, nnz = 0;
    expect(cusparseSpMatGetSize(pattern.descr(), &rows, &cols, &nnz));
    csr result{a.rows, b.cols, {}, {}, {}};
    const device_array<int> offsets(static_cast<size_t>(rows) + 1), columns(static_cast<size_t>(nnz));
    const device_array<float> values(static_cast<size_t>(nnz));
    expect(cusparseCsrSetPointers(pattern.descr(), offsets.data(), columns.data(), values.data()));
    expect(cusparseSpGEMM_copy(cusparse(), op, op, &one, left.descr(), right.descr(), &zero, pattern.descr(),
                               CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT, state));
    result.offsets = offsets.download();
    result.columns = columns.download();
    result.values = values.download();
    expect(cusparseSpGEMM_destroyDescr(state));
    return result;
}

std::vector<float> spsv(const csr& a, const std::vector<float>& b, bool transpose) {
    const sparse_operand matrix(a);
    const vector_operand in(b), out(nans(a.rows));
    const auto op = operation(transpose);
    cusparseSpSVDescr_t state = nullptr;
    expect(cusparseSpSV_createDescr(&state));
    size_t bytes = 0;
    expect(cusparseSpSV_bufferSize(cusparse(), op, &one, matrix.descr(), in.descr(), out.descr(), CUDA_R_32F,
                                   CUSPARSE_SPSV_ALG_DEFAULT, state, &bytes));
    const workspace buffer(bytes);
    expect(cusparseSpSV_analysis(cusparse(), op, &one, matrix.descr(), in.descr(), out.descr(), CUDA_R_32F,
                                 CUSPARSE_SPSV_ALG_DEFAULT, state, buffer.data()));
    expect(cusparseSpSV_solve(cusparse(), op, &one, matrix.descr(), in.descr(), out.descr(), CUDA_R_32F,
                              CUSPARSE_SPSV_ALG_DEFAULT, state));
    const std::vector<float> solution = out.read();
    expect(cusparseSpSV_destroyDescr(state));
    return solution;
}

csr sddmm(const csr& mask, const image& a, const image& b, int inner) {
    const sparse_operand result(mask);
    const image_operand left(a, inner), right(b, mask.cols);
    constexpr auto op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    size_t bytes = 0;
    expect(cusparseSDDMM_bufferSize(cusparse(), op, op, &one, left.descr(), right.descr(), &zero,
                                    result.descr(), CUDA_R_32F, CUSPARSE_SDDMM_ALG_DEFAULT, &bytes));
    const workspace buffer(bytes);
    expect(cusparseSDDMM(cusparse(), op, op, &one, left.descr(), right.descr(), &zero, result.descr(),
                         CUDA_R_32F, CUSPARSE_SDDMM_ALG_DEFAULT, buffer.data()));
    return result.read();
}

}  // namespace heron::test
