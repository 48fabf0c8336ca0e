// csr2dense, csc2dense, dense2csr and dense2csc in four types. Elements are moved and never computed with, so
// everything is compared bit for bit: with what the matrix was made from, and with DenseToSparse.
#include "ops/typed_csr.hpp"

using namespace heron::test;

namespace {

std::vector<named_pattern> patterns(random_source& random) {
    std::vector<named_pattern> all = small_patterns();
    all.push_back({"irregular", irregular_pattern()});
    all.push_back({"large", random_pattern(700, 300, 20, random)});
    all.push_back({"wide", random_pattern(40, 3000, 60, random)});
    all.push_back({"tall", random_pattern(3000, 3, 1, random)});
    return all;
}

// A matrix without two elements at one place.
entries without_duplicates(entries matrix) {
    std::map<std::pair<std::int64_t, std::int64_t>, number> places;
    for (const entry& e : matrix.list) places[{e.row, e.col}] = e.value;
    matrix.list.clear();
    for (const auto& [place, value] : places) matrix.list.push_back({place.first, place.second, value});
    return matrix;
}

// In column order, with `padding` elements of poison between the columns.
std::vector<number> as_dense(const entries& matrix, std::int64_t ld, cudaDataType type, number zero = 0.0) {
    std::vector<number> all(static_cast<std::size_t>(ld * matrix.cols), poison(type));
    for (std::int64_t j = 0; j < matrix.cols; ++j)
        for (std::int64_t i = 0; i < matrix.rows; ++i) all[static_cast<std::size_t>(j * ld + i)] = zero;
    for (const entry& e : matrix.list) all[static_cast<std::size_t>(e.col * ld + e.row)] = e.value;
    return all;
}

template <class F>
void check_to_dense(const entries& matrix, const layout& l, int base, std::int64_t padding,
                    random_source& random) {
    using T = typename F::scalar;
    const csr_operand<T> a(arrange(matrix, l, indices_of_base(base), F::type, random), true);
    const std::int64_t ld = matrix.rows + padding;
    const std::vector<number> untouched(static_cast<std::size_t>(ld * matrix.cols), poison(F::type));
    const typed_array dense(F::type, untouched, 1), expected(F::type, as_dense(matrix, ld, F::type));
    T* const to = static_cast<T*>(dense.data());
    if (l.format == CUSPARSE_FORMAT_CSR)
        expect(F::csr2dense(cusparse(), a.rows, a.cols, a.descr.get(), a.values(), a.offsets(), a.indices(),
                            to, static_cast<int>(ld)));
    else
        expect(F::csc2dense(cusparse(), a.rows, a.cols, a.descr.get(), a.values(), a.indices(), a.offsets(),
                            to, static_cast<int>(ld)));
    CHECK((dense.bytes() == expected.bytes()));
}

template <class F>
void check_to_sparse(const entries& matrix, const layout& l, int base, std::int64_t padding, number zero,
                     random_source& random) {
    using T = typename F::scalar;
    const bool rows_first = l.format == CUSPARSE_FORMAT_CSR;
    const sparse_arrays wanted = arrange(matrix, l, indices_of_base(base), F::type, random);
    const std::int64_t ld = matrix.rows + padding, lines = rows_first ? matrix.rows : matrix.cols;
    const typed_array dense(F::type, as_dense(matrix, ld, F::type, zero), 1);
    std::vector<std::int64_t> counts;
    for (std::size_t i = 0; i < static_cast<std::size_t>(lines); ++i)
        counts.push_back(wanted.offsets[i + 1] - wanted.offsets[i]);
    const index_array given(CUSPARSE_INDEX_32I, counts, 1);
    const csr_result<T> found(lines, wanted.nnz, base), newer(lines, wanted.nnz, base);
    const bool none = wanted.nnz == 0;
    const auto* const count_array = static_cast<const int*>(given.data());
    const int m = static_cast<int>(matrix.rows), n = static_cast<int>(matrix.cols);
    T *const values = none ? nullptr : found.values(), *const from = static_cast<T*>(dense.data());
    int* const indices = none ? nullptr : found.indices();
    if (rows_first)
        expect(F::dense2csr(cusparse(), m, n, found.descr.get(), from, static_cast<int>(ld), count_array,
                            values, found.offsets(), indices));
    else
        expect(F::dense2csc(cusparse(), m, n, found.descr.get(), from, static_cast<int>(ld), count_array,
                            values, indices, found.offsets()));
    CHECK((found.found_offsets() == std::vector<int>(wanted.offsets.begin(), wanted.offsets.end())));
    CHECK((found.found_indices() == std::vector<int>(wanted.indices.begin(), wanted.indices.end())));
    const typed_array expected(F::type, wanted.values);
    CHECK((found.found_bytes() == expected.bytes()));

    cusparseDnMatDescr_t dense_made = nullptr;
    expect(cusparseCreateDnMat(&dense_made, m, n, ld, from, F::type, CUSPARSE_ORDER_COL));
    const dense_matrix a(dense_made);
    cusparseSpMatDescr_t sparse_made = nullptr;
    expect((rows_first ? cusparseCreateCsr : cusparseCreateCsc)(
        &sparse_made, m, n, 0, newer.offsets(), nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
        static_cast<cusparseIndexBase_t>(base), F::type));
    const sparse_matrix b(sparse_made);
    std::size_t bytes = 0;
    expect(cusparseDenseToSparse_bufferSize(cusparse(), a.get(), b.get(), CUSPARSE_DENSETOSPARSE_ALG_DEFAULT,
                                            &bytes));
    const workspace buffer(bytes);
    expect(cusparseDenseToSparse_analysis(cusparse(), a.get(), b.get(), CUSPARSE_DENSETOSPARSE_ALG_DEFAULT,
                                          buffer.data()));
    expect((rows_first ? cusparseCsrSetPointers : cusparseCscSetPointers)(b.get(), newer.offsets(),
                                                                          newer.indices(), newer.values()));
    expect(cusparseDenseToSparse_convert(cusparse(), a.get(), b.get(), CUSPARSE_DENSETOSPARSE_ALG_DEFAULT,
                                         buffer.data()));
    CHECK((found.found_offsets() == newer.found_offsets()));
    CHECK((found.found_indices() == newer.found_indices()));
    CHECK((found.found_bytes() == newer.found_bytes()));
}

}  // namespace

TEST_CASE("csr2dense and csc2dense of every shape, type and base") {
    for_each_type([]<class F>(F) {
        if (!device_has(F::type)) return;
        random_source random(71);
        for (const named_pattern& pattern : patterns(random))
            for (const int base : {0, 1})
                for (const layout& l : {by_rows, by_columns}) {
                    INFO(facts(F::type).name << ", " << pattern.name << ", base " << base << ", " << l.name);
                    const entries matrix = without_duplicates(with_values(pattern.matrix, F::type, random));
                    check_to_dense<F>(matrix, l, base, base * 3, random);
                }
    });
}

TEST_CASE("dense2csr and dense2csc of every shape, type and base") {
    for_each_type([]<class F>(F) {
        if (!device_has(F::type)) return;
        random_source random(72);
        for (const named_pattern& pattern : patterns(random))
            for (const int base : {0, 1})
                for (const layout& l : {by_rows, by_columns}) {
                    INFO(facts(F::type).name << ", " << pattern.name << ", base " << base << ", " << l.name);
                    entries matrix = without_duplicates(with_values(pattern.matrix, F::type, random));
                    std::erase_if(matrix.list, [](const entry& e) { return e.value == 0.0; });
                    check_to_sparse<F>(matrix, l, base, base * 2, base ? number{-0.0, -0.0} : number{},
                                       random);
                }
    });
}

TEST_CASE("a NaN is an element") {
    for_each_type([]<class F>(F) {
        if (!device_has(F::type)) return;
        random_source random(73);
        const entries matrix{3, 2, {{0, 0, 1.0}, {1, 1, poison(F::type)}, {2, 0, -2.0}}};
        check_to_sparse<F>(matrix, by_rows, 1, 0, 0.0, random);
        check_to_sparse<F>(matrix, by_columns, 0, 0, 0.0, random);
    });
}
