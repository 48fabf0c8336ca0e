// SpMV of small matrices: every type, format, operation, index type, scalar, shape and algorithm.
#include "spmv_problem.hpp"

using namespace heron::test;

namespace {

constexpr cusparsePointerMode_t both_modes[] = {CUSPARSE_POINTER_MODE_HOST, CUSPARSE_POINTER_MODE_DEVICE};

// Types that between them take every path of the arithmetic.
std::vector<product_types> representative_rows() {
    std::vector<product_types> rows{uniform(CUDA_R_32F),
                                    uniform(CUDA_C_32F),
                                    uniform(CUDA_C_64F),
                                    uniform(CUDA_R_16F),
                                    {CUDA_R_8I, CUDA_R_8I, CUDA_R_32I, CUDA_R_32I},
                                    {CUDA_R_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F}};
    std::erase_if(rows, [](const product_types& row) { return !device_has(row.compute); });
    return rows;
}

sparse_arrays irregular(const layout& l, const index_choice& index, cudaDataType type) {
    random_source random(3);
    return arrange(with_values(irregular_pattern(), type, random), l, index, type, random);
}

bool is_plain(const product_types& types) { return types.a == CUDA_R_32F && types.y == CUDA_R_32F; }

product_call general_call(const product_types& types) { return {some_alpha(types), some_beta(types)}; }

}  // namespace

TEST_CASE("SpMV of every type, format, operation and index type") {
    for (const product_types& types : product_rows())
        for (const layout& l : spmv_layouts())
            for (const cusparseOperation_t op : all_operations)
                for (const index_choice& index : index_choices(is_plain(types)))
                    spmv_problem(irregular(l, index, types.a), types, op).run(general_call(types));
}

TEST_CASE("SpMV with alpha and beta 0, 1, -1 and others, on the host and on the device") {
    for (const product_types& types : representative_rows())
        for (const layout& l : spmv_layouts())
            for (const cusparseOperation_t op : all_operations) {
                spmv_problem problem(irregular(l, {}, types.a), types, op);
                for (const number alpha : {number{0.0}, number{1.0}, number{-1.0}, some_alpha(types)})
                    for (const number beta : {number{0.0}, number{1.0}, number{-1.0}, some_beta(types)})
                        for (const cusparsePointerMode_t mode : both_modes) problem.run({alpha, beta, mode});
            }
}

TEST_CASE("SpMV with alpha = 0 reads neither the matrix's values nor x") {
    const problem_options poisoned{0, false, true};
    for (const product_types& types : representative_rows())
        for (const layout& l : spmv_layouts())
            for (const cusparseOperation_t op : all_operations) {
                spmv_problem problem(irregular(l, {}, types.a), types, op, poisoned);
                for (const number beta : {number{0.0}, number{1.0}, some_beta(types)})
                    for (const cusparsePointerMode_t mode : both_modes) problem.run({0.0, beta, mode});
            }
}

TEST_CASE("SpMV of every shape") {
    random_source random(5);
    std::vector<product_types> rows{uniform(CUDA_R_32F)};
    if (device_has(CUDA_C_64F)) rows.push_back(uniform(CUDA_C_64F));
    for (const named_pattern& pattern : small_patterns())
        for (const product_types& types : rows)
            for (const layout& l : spmv_layouts())
                for (const cusparseOperation_t op : all_operations) {
                    INFO(pattern.name << " as " << l.name);
                    const index_choice index{CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                             static_cast<int>(random.below(2))};
                    const entries matrix = with_values(pattern.matrix, types.a, random);
                    spmv_problem problem(arrange(matrix, l, index, types.a, random), types, op);
                    problem.run(general_call(types), random.below(2) == 0);
                    problem.run({some_alpha(types), 0.0}, random.below(2) == 0);
                }
}

// Rows of up to 900 elements, which many items of a GPU share, and empty ones among them.
TEST_CASE("SpMV of few long rows in slices") {
    random_source random(6);
    entries pattern = random_pattern(70, 900, 3, random);
    std::erase_if(pattern.list, [](const entry& e) {
        return e.row % 9 == 4 || (e.row % 9 == 5 && e.col > 40) || (e.row > 60 && e.col % 8 != 0);
    });
    for (const product_types& types : representative_rows())
        for (const layout& l : spmv_layouts())
            for (const cusparseOperation_t op : all_operations) {
                if (l.format != CUSPARSE_FORMAT_SLICED_ELLPACK) continue;
                INFO(l.name);
                const index_choice& index =
                    index_choices()[is_plain(types) ? random.below(index_choices().size()) : 0];
                const entries matrix = with_values(pattern, types.a, random);
                spmv_problem problem(arrange(matrix, l, index, types.a, random), types, op);
                problem.run(general_call(types), random.below(2) == 0);
                problem.run({some_alpha(types), 0.0}, random.below(2) == 0);
                problem.run({0.0, some_beta(types)});
            }
}

TEST_CASE("SpMV of one matrix again and again, without an analysis") {
    // A backend may learn from the first products of a pattern how to go through it.
    random_source random(8);
    const entries patterns[] = {random_pattern(2000, 300, 10, random),
                                random_pattern(3000, 3000, 1000, random)};
    for (const product_types& types : representative_rows())
        for (const entries& pattern : patterns) {
            const entries matrix = with_values(pattern, types.a, random);
            const layout by_rows{"CSR", CUSPARSE_FORMAT_CSR};
            spmv_problem problem(arrange(matrix, by_rows, {}, types.a, random), types,
                                 CUSPARSE_OPERATION_NON_TRANSPOSE);
            for (int product = 0; product < 5; ++product) problem.run(general_call(types));
        }
}

TEST_CASE("SpMV needs no more than element alignment") {
    for (const product_types& types : product_rows())
        for (const layout& l : spmv_layouts())
            for (const cusparseOperation_t op : all_operations)
                for (const std::size_t misalignment : {1, 3}) {
                    spmv_problem problem(irregular(l, {}, types.a), types, op, {misalignment});
                    problem.run(general_call(types), misalignment == 3);
                }
}

TEST_CASE("SpMV of a matrix that stores nothing and has NULL arrays") {
    const std::vector<entries> empty{{7, 4, {}}, {0, 0, {}}, {0, 6, {}}, {6, 0, {}}, {300, 1, {}}};
    random_source random;
    for (const product_types& types : representative_rows())
        for (const entries& matrix : empty)
            for (const layout& l : spmv_layouts())
                for (const cusparseOperation_t op : all_operations) {
                    spmv_problem problem(arrange(matrix, l, {}, types.a, random), types, op, {0, true});
                    for (const number beta : {number{0.0}, number{1.0}, some_beta(types)})
                        problem.run({some_alpha(types), beta}, true);
                }
}

TEST_CASE("SELL slice offsets may start at 0 where columns start at 1") {
    for (const product_types& types : representative_rows())
        for (const layout& l : spmv_layouts()) {
            if (l.format != CUSPARSE_FORMAT_SLICED_ELLPACK) continue;
            sparse_arrays arrays = irregular(l, {CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, 1}, types.a);
            for (std::int64_t& offset : arrays.offsets) --offset;
            for (const cusparseOperation_t op : all_operations)
                spmv_problem(arrays, types, op).run(general_call(types));
        }
}

TEST_CASE("SpMV adds up elements that are stored twice") {
    random_source random(6);
    entries pattern = irregular_pattern();
    const std::vector<entry> once = pattern.list;
    pattern.list.insert(pattern.list.end(), once.begin(), once.begin() + 60);
    pattern.list.insert(pattern.list.end(), once.begin(), once.begin() + 20);
    const product_types types = uniform(CUDA_R_32F);
    const entries matrix = with_values(pattern, types.a, random);
    for (const layout& l : spmv_layouts()) {
        if (l.format == CUSPARSE_FORMAT_BSR) continue;
        for (const cusparseOperation_t op : all_operations)
            spmv_problem(arrange(matrix, l, {}, types.a, random), types, op).run(general_call(types));
    }
}

TEST_CASE("SpMV algorithms serve their formats and no others") {
    struct algorithm {
        cusparseSpMVAlg_t value;
        std::vector<cusparseFormat_t> formats;
    };
    const std::vector<algorithm> algorithms{
        {CUSPARSE_SPMV_COO_ALG1, {CUSPARSE_FORMAT_COO}},
        {CUSPARSE_SPMV_COO_ALG2, {CUSPARSE_FORMAT_COO}},
        {CUSPARSE_SPMV_CSR_ALG1, {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC}},
        {CUSPARSE_SPMV_CSR_ALG2, {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC}},
        {CUSPARSE_SPMV_SELL_ALG1, {CUSPARSE_FORMAT_SLICED_ELLPACK}},
        {CUSPARSE_SPMV_BSR_ALG1, {CUSPARSE_FORMAT_BSR}},
    };
    std::vector<product_types> rows{uniform(CUDA_R_32F), uniform(CUDA_C_32F), uniform(CUDA_R_16BF)};
    if (device_has(CUDA_R_64F)) rows.push_back(uniform(CUDA_R_64F));
    for (const product_types& types : rows)
        for (const algorithm& a : algorithms)
            for (const layout& l : spmv_layouts())
                for (const cusparseOperation_t op : all_operations) {
                    INFO(l.name << " with algorithm " << a.value);
                    spmv_problem problem(irregular(l, {}, types.a), types, op);
                    product_call call = general_call(types);
                    call.algorithm = a.value;
                    const bool serves =
                        std::find(a.formats.begin(), a.formats.end(), l.format) != a.formats.end();
                    if (serves) {
                        problem.run(call);
                        continue;
                    }
                    const log_capture log;
                    std::size_t size = 12345;
                    expect(problem.try_buffer_size(call, &size), CUSPARSE_STATUS_NOT_SUPPORTED);
                    CHECK(size == 12345);
                    CHECK(log.contains("cusparseSpMV_bufferSize: alg"));
                    const std::vector<unsigned char> before = problem.y_bytes();
                    expect(problem.try_run(call, nullptr), CUSPARSE_STATUS_NOT_SUPPORTED);
                    CHECK((problem.y_bytes() == before));
                }
}

TEST_CASE("SpMV takes no Blocked-ELL matrix and no unknown algorithm") {
    random_source random;
    const product_types types = uniform(CUDA_R_32F);
    const entries matrix = with_values(irregular_pattern(), types.a, random);
    const layout ell{"Blocked-ELL", CUSPARSE_FORMAT_BLOCKED_ELL, false, 4, 4};
    std::size_t size = 0;
    spmv_problem blocked(arrange(matrix, ell, {}, types.a, random), types, CUSPARSE_OPERATION_NON_TRANSPOSE);
    expect(blocked.try_buffer_size(general_call(types), &size), CUSPARSE_STATUS_NOT_SUPPORTED);
    expect(blocked.try_run(general_call(types), nullptr), CUSPARSE_STATUS_NOT_SUPPORTED);
    spmv_problem csr(irregular(spmv_layouts()[2], {}, types.a), types, CUSPARSE_OPERATION_NON_TRANSPOSE);
    product_call call = general_call(types);
    call.algorithm = static_cast<cusparseSpMVAlg_t>(99);
    expect(csr.try_buffer_size(call, &size), CUSPARSE_STATUS_INVALID_VALUE);
}
