#include "operations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "operands.hpp"

namespace heron::tools {
namespace {

constexpr cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;

bool coin(splitmix64& random) { return random.below(2) == 0; }

cusparseOperation_t operation(bool transpose) {
    return transpose ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
}

// One of the descriptors of the matrix, and whether it is of the transpose.
struct chosen_matrix {
    cusparseSpMatDescr_t descr;
    bool turned;
};
chosen_matrix choose(const stressed_matrix& a, splitmix64& random) {
    switch (random.below(3)) {
        case 0: return {a.csc_of_transpose(), true};
        case 1: return {a.coo(), false};
        default: return {a.csr(), false};
    }
}

void multiply_vector(const lane& on, const stressed_matrix& a, splitmix64& random) {
    const auto [matrix, turned] = choose(a, random);
    const bool transpose = coin(random);
    const std::vector<double> numbers = small_numbers(static_cast<std::size_t>(a.n()), random);
    const vector_operand x(on, a.type(), numbers), y(on, a.type(), numbers.size());
    const auto arguments = [&](auto&& call) {
        call(on.sparse(), operation(transpose), on.one(a.type()), matrix, x.descr(), on.zero(a.type()),
             y.descr(), a.data_type(), CUSPARSE_SPMV_ALG_DEFAULT);
    };
    std::size_t bytes = 0;
    arguments([&](auto... all) {
        on.check(on.library().spmv_buffer_size(all..., &bytes), "cusparseSpMV_bufferSize");
    });
    const device_buffer buffer(on.native(), bytes);
    if (on.library().spmv_preprocess && coin(random))
        arguments([&](auto... all) {
            on.check(on.library().spmv_preprocess(all..., buffer.get()), "cusparseSpMV_preprocess");
        });
    for (auto repeats = 1 + random.below(3); repeats > 0; --repeats)
        arguments([&](auto... all) { on.check(on.library().spmv(all..., buffer.get()), "cusparseSpMV"); });
    expect_equal(y.read(on), product(a.host(), transpose != turned, numbers));
}

void multiply_matrix(const lane& on, const stressed_matrix& a, splitmix64& random) {
    const auto [matrix, turned] = choose(a, random);
    const bool transpose = coin(random);
    const int columns = 1 + static_cast<int>(random.below(20));
    const std::vector<double> numbers = small_numbers(static_cast<std::size_t>(a.n()) * columns, random);
    const matrix_operand b(on, a.type(), numbers, columns, coin(random)),
        c(on, a.type(), a.n(), columns, coin(random));
    const auto arguments = [&](auto&& call) {
        call(on.sparse(), operation(transpose), plain, on.one(a.type()), matrix, b.descr(), on.zero(a.type()),
             c.descr(), a.data_type(), CUSPARSE_SPMM_ALG_DEFAULT);
    };
    std::size_t bytes = 0;
    arguments([&](auto... all) {
        on.check(on.library().spmm_buffer_size(all..., &bytes), "cusparseSpMM_bufferSize");
    });
    const device_buffer buffer(on.native(), bytes);
    if (coin(random))
        arguments([&](auto... all) {
            on.check(on.library().spmm_preprocess(all..., buffer.get()), "cusparseSpMM_preprocess");
        });
    arguments([&](auto... all) { on.check(on.library().spmm(all..., buffer.get()), "cusparseSpMM"); });
    expect_equal(c.read(on), product(a.host(), transpose != turned, numbers, columns));
}

void solve_vector(const lane& on, const stressed_matrix& a, splitmix64& random) {
    const cusparse_library& library = on.library();
    const bool transpose = coin(random);
    const std::vector<double> solution = small_numbers(static_cast<std::size_t>(a.n()), random);
    const vector_operand b(on, a.type(), unit_lower_product(a.host(), transpose, solution)),
        x(on, a.type(), solution.size());
    cusparseSpSVDescr_t made = nullptr;
    on.check(library.spsv_create(&made), "cusparseSpSV_createDescr");
    const std::unique_ptr<cusparseSpSVDescr, decltype(library.spsv_destroy)> solve(made,
                                                                                   library.spsv_destroy);
    const auto arguments = [&](auto&& call) {
        call(on.sparse(), operation(transpose), on.one(a.type()), a.csr(), b.descr(), x.descr(),
             a.data_type(), CUSPARSE_SPSV_ALG_DEFAULT, solve.get());
    };
    std::size_t bytes = 0;
    arguments(
        [&](auto... all) { on.check(library.spsv_buffer_size(all..., &bytes), "cusparseSpSV_bufferSize"); });
    const device_buffer buffer(on.native(), bytes);
    arguments(
        [&](auto... all) { on.check(library.spsv_analysis(all..., buffer.get()), "cusparseSpSV_analysis"); });
    for (auto repeats = 1 + random.below(3); repeats > 0; --repeats)
        arguments([&](auto... all) { on.check(library.spsv_solve(all...), "cusparseSpSV_solve"); });
    expect_equal(x.read(on), solution);
}

void solve_matrix(const lane& on, const stressed_matrix& a, splitmix64& random) {
    const cusparse_library& library = on.library();
    const bool transpose = coin(random);
    const int columns = 1 + static_cast<int>(random.below(8));
    const std::vector<double> solution = small_numbers(static_cast<std::size_t>(a.n()) * columns, random);
    const matrix_operand b(on, a.type(), unit_lower_product(a.host(), transpose, solution, columns), columns,
                           false),
        x(on, a.type(), a.n(), columns, false);
    cusparseSpSMDescr_t made = nullptr;
    on.check(library.spsm_create(&made), "cusparseSpSM_createDescr");
    const std::unique_ptr<cusparseSpSMDescr, decltype(library.spsm_destroy)> solve(made,
                                                                                   library.spsm_destroy);
    const auto arguments = [&](auto&& call) {
        call(on.sparse(), operation(transpose), plain, on.one(a.type()), a.csr(), b.descr(), x.descr(),
             a.data_type(), CUSPARSE_SPSM_ALG_DEFAULT, solve.get());
    };
    std::size_t bytes = 0;
    arguments(
        [&](auto... all) { on.check(library.spsm_buffer_size(all..., &bytes), "cusparseSpSM_bufferSize"); });
    const device_buffer buffer(on.native(), bytes);
    arguments(
        [&](auto... all) { on.check(library.spsm_analysis(all..., buffer.get()), "cusparseSpSM_analysis"); });
    arguments([&](auto... all) { on.check(library.spsm_solve(all...), "cusparseSpSM_solve"); });
    expect_equal(x.read(on), solution);
}

// C := A A, compared by what it does to a vector.
void square(const lane& on, const stressed_matrix& a, splitmix64& random) {
    const auto& functions = on.library().spgemm;
    const int n = a.n();
    const device_array<int> offsets(on.native(), static_cast<std::size_t>(n) + 1);
    const auto c = describe_csr(on, n, n, 0, a.data_type(), offsets.get(), nullptr, nullptr);
    cusparseSpGEMMDescr_t made = nullptr;
    on.check(functions.create_descr(&made), "cusparseSpGEMM_createDescr");
    const std::unique_ptr<cusparseSpGEMMDescr, decltype(functions.destroy_descr)> descr(
        made, functions.destroy_descr);
    const auto arguments = [&](auto&& call) {
        call(on.sparse(), plain, plain, on.one(a.type()), a.csr(), a.csr(), on.zero(a.type()), c.get(),
             a.data_type(), CUSPARSE_SPGEMM_DEFAULT, descr.get());
    };
    const auto phase = [&](auto function, const char* name) {
        std::size_t bytes = 0;
        arguments([&](auto... all) { on.check(function(all..., &bytes, nullptr), name); });
        device_buffer buffer(on.native(), bytes);
        arguments([&](auto... all) { on.check(function(all..., &bytes, buffer.get()), name); });
        return buffer;
    };
    const device_buffer estimate = phase(functions.work_estimation, "cusparseSpGEMM_workEstimation");
    const device_buffer work = phase(functions.compute, "cusparseSpGEMM_compute");
    std::int64_t rows = 0, cols = 0, nnz = 0;
    on.check(on.library().sp_mat_get_size(c.get(), &rows, &cols, &nnz), "cusparseSpMatGetSize");
    const device_array<int> columns(on.native(), static_cast<std::size_t>(nnz));
    const device_numbers values(on.native(), a.type(), static_cast<std::size_t>(nnz));
    on.check(on.library().csr_set_pointers(c.get(), offsets.get(), columns.get(), values.get()),
             "cusparseCsrSetPointers");
    arguments([&](auto... all) { on.check(functions.copy(all...), "cusparseSpGEMM_copy"); });

    const csr_matrix found = read_csr(on, n, n, offsets, columns, values);
    const std::vector<double> x = small_numbers(static_cast<std::size_t>(n), random);
    expect_equal(product(found, false, x), product(a.host(), false, product(a.host(), false, x)));
}

void sample_product(const lane& on, const stressed_matrix& a, splitmix64& random) {
    const int inner = 1 + static_cast<int>(random.below(16));
    const auto n = static_cast<std::size_t>(a.n());
    // B by columns is its transpose by rows.
    const std::vector<double> left = small_numbers(n * inner, random),
                              right = small_numbers(n * inner, random);
    const matrix_operand x(on, a.type(), left, inner, false);
    const device_numbers y_values(on.native(), a.type(), right);
    const auto y = describe_dense(on, inner, a.n(), inner, a.data_type(), y_values.get(), CUSPARSE_ORDER_COL);
    const device_numbers values(on.native(), a.type(), static_cast<std::size_t>(a.nnz()));
    const auto c = describe_csr(on, a.n(), a.n(), a.nnz(), a.data_type(), a.offsets().get(),
                                a.columns().get(), values.get());
    const auto arguments = [&](auto&& call) {
        call(on.sparse(), plain, plain, on.one(a.type()), x.descr(), y.get(), on.zero(a.type()), c.get(),
             a.data_type(), CUSPARSE_SDDMM_ALG_DEFAULT);
    };
    std::size_t bytes = 0;
    arguments([&](auto... all) {
        on.check(on.library().sddmm_buffer_size(all..., &bytes), "cusparseSDDMM_bufferSize");
    });
    const device_buffer buffer(on.native(), bytes);
    arguments([&](auto... all) { on.check(on.library().sddmm(all..., buffer.get()), "cusparseSDDMM"); });

    std::vector<double> expected(static_cast<std::size_t>(a.nnz()));
    for (std::size_t row = 0; row < n; ++row)
        for (auto k = static_cast<std::size_t>(a.host().offsets[row]);
             k < static_cast<std::size_t>(a.host().offsets[row + 1]); ++k)
            for (std::size_t i = 0; i < static_cast<std::size_t>(inner); ++i)
                expected[k] +=
                    left[row * inner + i] * right[static_cast<std::size_t>(a.host().columns[k]) * inner + i];
    expect_equal(values.read(on.native()), expected);
}

void transpose(const lane& on, const stressed_matrix& a, splitmix64& random) {
    const auto nnz = static_cast<std::size_t>(a.nnz());
    const device_array<int> offsets(on.native(), static_cast<std::size_t>(a.n()) + 1);
    const device_array<int> rows(on.native(), nnz);
    const device_numbers values(on.native(), a.type(), nnz);
    const auto arguments = [&](auto&& call) {
        call(on.sparse(), a.n(), a.n(), static_cast<int>(a.nnz()), a.values().get(), a.offsets().get(),
             a.columns().get(), values.get(), offsets.get(), rows.get(), a.data_type(),
             CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG_DEFAULT);
    };
    std::size_t bytes = 0;
    arguments([&](auto... all) {
        on.check(on.library().function<decltype(&cusparseCsr2cscEx2_bufferSize)>(
                     "cusparseCsr2cscEx2_bufferSize")(all..., &bytes),
                 "cusparseCsr2cscEx2_bufferSize");
    });
    const device_buffer buffer(on.native(), bytes);
    arguments([&](auto... all) {
        on.check(
            on.library().function<decltype(&cusparseCsr2cscEx2)>("cusparseCsr2cscEx2")(all..., buffer.get()),
            "cusparseCsr2cscEx2");
    });
    const csr_matrix found = read_csr(on, a.n(), a.n(), offsets, rows, values);
    const std::vector<double> x = small_numbers(static_cast<std::size_t>(a.n()), random);
    expect_equal(product(found, false, x), product(a.host(), true, x));
}

void spread_and_gather(const lane& on, const stressed_matrix& a, splitmix64&) {
    const auto to_dense = on.library().function<decltype(&cusparseSparseToDense)>("cusparseSparseToDense");
    const auto to_dense_size = on.library().function<decltype(&cusparseSparseToDense_bufferSize)>(
        "cusparseSparseToDense_bufferSize");
    const matrix_operand dense(on, a.type(), a.n(), a.n(), false);
    std::size_t bytes = 0;
    on.check(to_dense_size(on.sparse(), a.csr(), dense.descr(), CUSPARSE_SPARSETODENSE_ALG_DEFAULT, &bytes),
             "cusparseSparseToDense_bufferSize");
    const device_buffer buffer(on.native(), bytes);
    on.check(to_dense(on.sparse(), a.csr(), dense.descr(), CUSPARSE_SPARSETODENSE_ALG_DEFAULT, buffer.get()),
             "cusparseSparseToDense");
    std::vector<double> identity(static_cast<std::size_t>(a.n()) * static_cast<std::size_t>(a.n()));
    for (std::size_t i = 0; i < static_cast<std::size_t>(a.n()); ++i)
        identity[i * static_cast<std::size_t>(a.n()) + i] = 1;
    expect_equal(dense.read(on), product(a.host(), false, identity, a.n()));
}

// C := A B, dense and by rows, of the size of the matrix.
void multiply_dense(const lane& on, const stressed_matrix& a, splitmix64& random) {
    const int n = a.n(), inner = 1 + static_cast<int>(random.below(40));
    const auto left = small_numbers(static_cast<std::size_t>(n) * inner, random);
    const auto right = small_numbers(static_cast<std::size_t>(inner) * n, random);
    const device_numbers x(on.native(), a.type(), left), y(on.native(), a.type(), right);
    const device_numbers c(on.native(), a.type(), static_cast<std::size_t>(n) * n);
    const heron_type type = a.type() == scalar_type::f64 ? HERON_R_64F : HERON_R_32F;
    check(heron_gemm(on.native(), type, HERON_ORDER_ROW, HERON_OP_NONE, HERON_OP_NONE, n, n, inner,
                     on.one(a.type()), x.get(), inner, y.get(), n, on.zero(a.type()), c.get(), n,
                     HERON_GEMM_DEFAULT),
          "heron_gemm");
    std::vector<double> expected(static_cast<std::size_t>(n) * n);
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
        for (std::size_t k = 0; k < static_cast<std::size_t>(inner); ++k)
            for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j)
                expected[i * n + j] += left[i * inner + k] * right[k * n + j];
    expect_equal(c.read(on.native()), expected);
}

// A call with a vector that is too short is refused, and what it would have written stays as it is.
void refuse(const lane& on, const stressed_matrix& a, splitmix64& random) {
    const std::vector<double> numbers = small_numbers(static_cast<std::size_t>(a.n()), random);
    const vector_operand x(on, a.type(), std::vector<double>(numbers.size() + 1)), y(on, a.type(), numbers);
    const cusparseStatus_t status =
        on.library().spmv(on.sparse(), plain, on.one(a.type()), a.csr(), x.descr(), on.zero(a.type()),
                          y.descr(), a.data_type(), CUSPARSE_SPMV_ALG_DEFAULT, nullptr);
    if (status == CUSPARSE_STATUS_SUCCESS) throw wrong_result("a vector of another size was accepted");
    expect_equal(y.read(on), numbers);
}

constexpr stress_operation operations[] = {
    {"spmv", multiply_vector},
    {"spmm", multiply_matrix},
    {"spsv", solve_vector},
    {"spsm", solve_matrix},
    {"spgemm", square},
    {"sddmm", sample_product},
    {"transpose", transpose},
    {"dense", spread_and_gather, true},
    {"gemm", multiply_dense, true},
    {"refused", refuse},
};

}  // namespace

std::span<const stress_operation> stress_operations() { return operations; }

}  // namespace heron::tools
