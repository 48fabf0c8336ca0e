#include "stressed_matrix.hpp"

#include <cstddef>

namespace heron::tools {
namespace {

double small_number(splitmix64& random) {
    const auto number = static_cast<double>(random.below(6)) - 3;
    return number < 0 ? number : number + 1;
}

csr_matrix random_matrix(int n, int row_length, splitmix64& random) {
    coo_matrix entries;
    entries.rows = entries.cols = n;
    for (int row = 0; row < n; ++row) {
        // Now and then a long row, and an empty one.
        const auto length = random.below(50) == 0 ? 8 * row_length : random.below(2 * row_length + 1);
        for (std::int64_t k = 0; k < length; ++k) {
            entries.row.push_back(row);
            entries.col.push_back(random.below(n));
            entries.real.push_back(small_number(random));
        }
    }
    return to_csr(entries);
}

std::vector<int> row_indices(const csr_matrix& a) {
    std::vector<int> rows;
    for (std::int64_t row = 0; row < a.rows; ++row)
        rows.insert(rows.end(),
                    static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(row) + 1] -
                                             a.offsets[static_cast<std::size_t>(row)]),
                    static_cast<int>(row));
    return rows;
}

// visit(row, column, value) for every element.
template <class F>
void for_elements(const csr_matrix& a, F&& visit) {
    for (std::size_t row = 0; row < static_cast<std::size_t>(a.rows); ++row)
        for (auto k = static_cast<std::size_t>(a.offsets[row]);
             k < static_cast<std::size_t>(a.offsets[row + 1]); ++k)
            visit(row, static_cast<std::size_t>(a.columns[k]), a.real[k]);
}

void add_multiple(std::vector<double>& y, std::size_t to, double factor, const std::vector<double>& x,
                  std::size_t from, int columns) {
    const auto width = static_cast<std::size_t>(columns);
    for (std::size_t j = 0; j < width; ++j) y[to * width + j] += factor * x[from * width + j];
}

}  // namespace

std::vector<double> small_numbers(std::size_t count, splitmix64& random) {
    std::vector<double> numbers(count);
    for (double& number : numbers) number = small_number(random);
    return numbers;
}

std::vector<double> product(const csr_matrix& a, bool transpose, const std::vector<double>& x, int columns) {
    std::vector<double> y(static_cast<std::size_t>(transpose ? a.cols : a.rows) *
                          static_cast<std::size_t>(columns));
    for_elements(a, [&](std::size_t row, std::size_t column, double value) {
        add_multiple(y, transpose ? column : row, value, x, transpose ? row : column, columns);
    });
    return y;
}

std::vector<double> unit_lower_product(const csr_matrix& a, bool transpose, const std::vector<double>& x,
                                       int columns) {
    std::vector<double> y = x;
    for_elements(a, [&](std::size_t row, std::size_t column, double value) {
        if (column < row)
            add_multiple(y, transpose ? column : row, value, x, transpose ? row : column, columns);
    });
    return y;
}

stressed_matrix::stressed_matrix(const lane& keeper, int n, int row_length, splitmix64& random)
    : host_(random_matrix(n, row_length, random)),
      type_(random.below(2) == 0 ? scalar_type::f32 : scalar_type::f64),
      offsets_(keeper.native(), host_.offsets_as<int>()),
      rows_(keeper.native(), row_indices(host_)),
      columns_(keeper.native(), host_.columns_as<int>()),
      values_(keeper.native(), type_, host_.real),
      csr_(nullptr, keeper.library().destroy_sp_mat),
      csc_(nullptr, keeper.library().destroy_sp_mat),
      coo_(nullptr, keeper.library().destroy_sp_mat) {
    const cusparse_library& library = keeper.library();
    constexpr auto i32 = CUSPARSE_INDEX_32I;
    constexpr auto base = CUSPARSE_INDEX_BASE_ZERO;
    cusparseSpMatDescr_t made = nullptr;
    keeper.check(library.create_csr(&made, n, n, nnz(), offsets_.get(), columns_.get(), values_.get(), i32,
                                    i32, base, data_type()),
                 "cusparseCreateCsr");
    csr_.reset(made);
    keeper.check(library.create_csc(&made, n, n, nnz(), offsets_.get(), columns_.get(), values_.get(), i32,
                                    i32, base, data_type()),
                 "cusparseCreateCsc");
    csc_.reset(made);
    keeper.check(library.create_coo(&made, n, n, nnz(), rows_.get(), columns_.get(), values_.get(), i32, base,
                                    data_type()),
                 "cusparseCreateCoo");
    coo_.reset(made);
    // For the solves. Products do not look at it.
    cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
    cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_UNIT;
    keeper.check(library.sp_mat_set_attribute(csr(), CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill),
                 "cusparseSpMatSetAttribute");
    keeper.check(library.sp_mat_set_attribute(csr(), CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof diagonal),
                 "cusparseSpMatSetAttribute");
    // Other streams read it from now on.
    keeper.finish();
}

}  // namespace heron::tools
