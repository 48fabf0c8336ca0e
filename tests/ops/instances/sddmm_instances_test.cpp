// SDDMM of every type and index type by every length of inner products that has a kernel of its own.
#include "ops/sddmm/sddmm_problem.hpp"
#include "patterns.hpp"

using namespace heron::test;

namespace {

const dense_layout row_major{CUSPARSE_ORDER_ROW}, column_major{CUSPARSE_ORDER_COL};

// More elements than a GPU gives a few lanes each.
entries many_elements() {
    const bool is_gpu = backend_name() == "cuda";
    const std::int64_t rows = is_gpu ? 35 * static_cast<std::int64_t>(device_info().compute_units) : 60;
    return rows_alike(rows, 64, 8);
}

sddmm_call general_call(const sddmm_types& types) {
    return {representable(types.compute, {0.75, -0.5}), representable(types.compute, {-1.25, 0.625})};
}

// k elements of a column of op(B), in pieces of 16 bytes and some numbers more.
void check(const entries& pattern, const layout& stored, std::int64_t pieces, const dense_layout& a,
           const dense_layout& b = column_major, std::int64_t more = 0,
           const std::vector<index_choice>& indices = index_pairs()) {
    for (const sddmm_types& types : sddmm_rows())
        for (const index_choice& index : indices) {
            random_source random(53);
            const entries c = with_values(pattern, types.sparse, random);
            const std::int64_t k = pieces * 16 / static_cast<std::int64_t>(size_of(types.dense)) + more;
            sddmm_problem({arrange(c, stored, index, types.sparse, random)}, types, k, a, b)
                .run(general_call(types));
        }
}

}  // namespace

namespace {

// Kernels for rows have no offsets in their types.
std::vector<index_choice> pairs_of_different_indices() {
    std::vector<index_choice> pairs = index_pairs();
    if (is_short()) std::erase_if(pairs, [](const index_choice& i) { return i.offsets != i.indices; });
    return pairs;
}

void check_lengths(std::initializer_list<std::int64_t> lengths) {
    const layout csr{"CSR", CUSPARSE_FORMAT_CSR};
    for (const std::int64_t pieces : lengths) {
        CAPTURE(pieces);
        check(many_elements(), csr, pieces, row_major, column_major, 0, pairs_of_different_indices());
    }
}

}  // namespace

TEST_CASE("SDDMM of short inner products of every type and index type") {
    check_lengths({4, 8, 12});
    check(many_elements(), {"CSR", CUSPARSE_FORMAT_CSR}, 20, column_major);
}
TEST_CASE("SDDMM of inner products of every type and index type, 16 and 24 pieces") {
    check_lengths({16, 24});
}
TEST_CASE("SDDMM of inner products of every type and index type, 32 pieces") { check_lengths({32}); }
TEST_CASE("SDDMM of inner products of every type and index type, 48 pieces") { check_lengths({48}); }
TEST_CASE("SDDMM of inner products of every type and index type, 64 pieces") { check_lengths({64}); }

TEST_CASE("SDDMM of few elements of every type, format and index type") {
    for (const layout& stored : {layout{"CSR", CUSPARSE_FORMAT_CSR}, layout{"COO", CUSPARSE_FORMAT_COO},
                                 layout{"BSR 2 x 3", CUSPARSE_FORMAT_BSR, false, 2, 3}})
        for (const dense_layout& a : {row_major, column_major})
            for (const dense_layout& b : {row_major, column_major})
                check(irregular_pattern(), stored, 3, a, b);
}

// Where a copy by rows spares more than it costs.
TEST_CASE("SDDMM of many elements and a long A by columns of every size of elements") {
    for (const cudaDataType type : {CUDA_R_32F, CUDA_R_64F, CUDA_C_64F}) {
        if (!device_has(type)) continue;
        random_source random(54);
        const sddmm_types types{type, type, type};
        const entries c = with_values(many_elements(), type, random);
        const std::int64_t k = backend_name() == "cuda" ? 280 : 30;
        sddmm_problem({arrange(c, {"CSR", CUSPARSE_FORMAT_CSR}, {}, type, random)}, types, k, column_major,
                      column_major)
            .run(general_call(types));
    }
}

TEST_CASE("SDDMM of vectors of no whole number of pieces, of every type, format and index type") {
    for (const layout& stored : {layout{"CSR", CUSPARSE_FORMAT_CSR}, layout{"COO", CUSPARSE_FORMAT_COO}})
        check(irregular_pattern(), stored, 2, row_major, column_major, 1);
}

// Few lanes for an element, so that a lane has many pieces.
TEST_CASE("SDDMM of many elements whose operands are read where they are") {
    const layout csr{"CSR", CUSPARSE_FORMAT_CSR};
    const bool is_gpu = backend_name() == "cuda";
    for (const entries& pattern : {band(is_gpu ? 2500 : 90, 17), dense_pattern(is_gpu ? 330 : 40, 290)}) {
        check(pattern, csr, 4, column_major);
        check(pattern, csr, 4, row_major, row_major);
        check(pattern, csr, 5, column_major, row_major);
    }
}

// Rows of so many elements that a GPU's warps take several parts of them in turn: with many empty ones
// between them, and one that is long.
TEST_CASE("SDDMM of so many elements that warps have several parts") {
    const std::int64_t rows = backend_name() == "cuda" ? 80 * device_info().compute_units : 100;
    entries pattern{rows, 700, {}};
    for (std::int64_t i = 0; i < rows; ++i) {
        if (i % 997 > 880 && i != rows - 1) continue;
        const std::int64_t length = i % 1500 == 70 ? pattern.cols : 15 + i % 13;
        for (std::int64_t j = 0; j < length; ++j)
            pattern.list.push_back({i, (i / 3 + j * (pattern.cols / length)) % pattern.cols, 1.0});
    }
    const sddmm_types types{CUDA_R_64F, CUDA_R_64F, CUDA_R_64F};
    if (!device_has(types.dense)) return;
    for (const layout& stored : {layout{"CSR", CUSPARSE_FORMAT_CSR}, layout{"COO", CUSPARSE_FORMAT_COO}})
        for (const std::int64_t k : {16, 64}) {
            random_source random(59);
            const entries c = with_values(pattern, types.sparse, random);
            sddmm_problem({arrange(c, stored, {}, types.sparse, random)}, types, k, row_major, column_major)
                .run(general_call(types));
        }
}
