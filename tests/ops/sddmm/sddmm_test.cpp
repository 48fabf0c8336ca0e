// SDDMM: every type, format, layout, operation, index type, scalar, shape and batch.
#include "sddmm_problem.hpp"

using namespace heron::test;

namespace {

constexpr cusparsePointerMode_t both_modes[] = {CUSPARSE_POINTER_MODE_HOST, CUSPARSE_POINTER_MODE_DEVICE};
constexpr std::int64_t inner_sizes[] = {5, 16, 1, 33, 8, 64, 2};

const dense_layout row_major{CUSPARSE_ORDER_ROW};
const dense_layout column_major{CUSPARSE_ORDER_COL};

// COO, CSR and CSC, sorted and not, and BSR with blocks of many shapes.
std::vector<layout> sampled_layouts() {
    std::vector<layout> all = spmv_layouts();
    std::erase_if(all, [](const layout& l) { return l.format == CUSPARSE_FORMAT_SLICED_ELLPACK; });
    all.push_back({"BSR 16x16 by rows", CUSPARSE_FORMAT_BSR, false, 16, 16, CUSPARSE_ORDER_ROW});
    all.push_back({"BSR 5x1 by columns", CUSPARSE_FORMAT_BSR, false, 5, 1, CUSPARSE_ORDER_COL});
    return all;
}

std::vector<sddmm_types> two_rows() {
    std::vector<sddmm_types> rows{{CUDA_R_32F, CUDA_R_32F, CUDA_R_32F}};
    if (device_has(CUDA_C_64F)) rows.push_back({CUDA_C_64F, CUDA_C_64F, CUDA_C_64F});
    return rows;
}

sddmm_call general_call(const sddmm_types& types) {
    return {representable(types.compute, {0.75, -0.5}), representable(types.compute, {-1.25, 0.625})};
}

sparse_arrays irregular(const layout& l, const index_choice& index, cudaDataType type) {
    random_source random(3);
    return arrange(with_values(irregular_pattern(), type, random), l, index, type, random);
}

// Large enough for several threads or work-groups, with one dense row.
entries medium_pattern() {
    random_source random(8);
    entries pattern = random_pattern(300, 260, 40, random);
    std::erase_if(pattern.list, [](const entry& e) { return e.row == 77; });
    for (std::int64_t j = 0; j < pattern.cols; ++j) pattern.list.push_back({77, j, 1.0});
    return pattern;
}

}  // namespace

TEST_CASE("SDDMM of every type, format, layout of A and B, operation and index type") {
    std::size_t turn = 0;
    for (const sddmm_types& types : sddmm_rows())
        for (const layout& l : sampled_layouts())
            for (const dense_layout& a : dense_layouts())
                for (const dense_layout& b : dense_layouts()) {
                    const index_choice& index = index_choices()[turn % index_choices().size()];
                    const std::int64_t k = inner_sizes[turn++ % std::size(inner_sizes)];
                    sddmm_problem({irregular(l, index, types.sparse)}, types, k, a, b)
                        .run(general_call(types));
                }
}

TEST_CASE("SDDMM with alpha and beta 0, 1, -1 and others, on the host and on the device") {
    for (const sddmm_types& types : sddmm_rows())
        for (const layout& l : sampled_layouts()) {
            sddmm_problem problem({irregular(l, {}, types.sparse)}, types, 9, row_major, column_major);
            const sddmm_call general = general_call(types);
            for (const number alpha : {number{0.0}, number{1.0}, number{-1.0}, general.alpha})
                for (const number beta : {number{0.0}, number{1.0}, number{-1.0}, general.beta})
                    for (const cusparsePointerMode_t mode : both_modes) problem.run({alpha, beta, mode});
        }
}

TEST_CASE("SDDMM with alpha = 0 reads neither A nor B") {
    const sddmm_options poisoned{0, false, true};
    for (const sddmm_types& types : two_rows())
        for (const layout& l : sampled_layouts())
            for (const dense_layout& a : dense_layouts()) {
                sddmm_problem problem({irregular(l, {}, types.sparse)}, types, 12, a, a, poisoned);
                for (const number beta : {number{0.0}, number{1.0}, general_call(types).beta})
                    for (const cusparsePointerMode_t mode : both_modes) problem.run({0.0, beta, mode}, true);
            }
}

TEST_CASE("SDDMM without an inner dimension only scales C") {
    for (const sddmm_types& types : two_rows())
        for (const layout& l : sampled_layouts())
            for (const dense_layout& a : dense_layouts()) {
                sddmm_problem problem({irregular(l, {}, types.sparse)}, types, 0, a, a);
                problem.run(general_call(types));
                problem.run({1.0, 0.0});
            }
}

TEST_CASE("SDDMM of every shape") {
    random_source random(5);
    for (const named_pattern& pattern : small_patterns())
        for (const sddmm_types& types : two_rows())
            for (const layout& l : sampled_layouts())
                for (const std::int64_t k : {1, 37}) {
                    INFO(pattern.name << " as " << l.name);
                    const entries matrix = with_values(pattern.matrix, types.sparse, random);
                    const index_choice index{CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                             static_cast<int>(random.below(2))};
                    const auto layouts = dense_layouts();
                    const dense_layout& a = layouts[static_cast<std::size_t>(random.below(6))];
                    const dense_layout& b = layouts[static_cast<std::size_t>(random.below(6))];
                    sddmm_problem problem({arrange(matrix, l, index, types.sparse, random)}, types, k, a, b);
                    problem.run(general_call(types), random.below(2) == 0);
                    problem.run({general_call(types).alpha, 0.0}, random.below(2) == 0);
                }
}

TEST_CASE("SDDMM with many empty rows between the elements") {
    random_source random(11);
    entries pattern{9000, 50, {}};
    for (std::int64_t i = 0; i < pattern.rows; i += i < 4000 ? 37 : i < 8000 ? 1300 : 1)
        for (std::int64_t j = i % 3; j < pattern.cols; j += 20) pattern.list.push_back({i, j, 1.0});
    for (const sddmm_types& types : two_rows())
        for (const layout& l : sampled_layouts()) {
            if (l.block_rows * l.block_cols > 6) continue;
            const entries matrix = with_values(pattern, types.sparse, random);
            sddmm_problem({arrange(matrix, l, {}, types.sparse, random)}, types, 64, row_major, column_major)
                .run(general_call(types));
        }
}

TEST_CASE("SDDMM needs no more than element alignment") {
    for (const sddmm_types& types : sddmm_rows())
        for (const layout& l : sampled_layouts())
            for (const std::size_t misalignment : {1, 3})
                sddmm_problem({irregular(l, {}, types.sparse)}, types, 32, row_major, column_major,
                              {misalignment})
                    .run(general_call(types), misalignment == 3);
}

TEST_CASE("SDDMM on a matrix that stores nothing and has NULL arrays") {
    random_source random;
    for (const sddmm_types& types : two_rows())
        for (const entries& matrix :
             {entries{7, 4, {}}, entries{0, 0, {}}, entries{0, 6, {}}, entries{6, 0, {}}})
            for (const layout& l : sampled_layouts())
                sddmm_problem({arrange(matrix, l, {}, types.sparse, random)}, types, 6, row_major, row_major,
                              {0, true})
                    .run(general_call(types), true);
}

TEST_CASE("SDDMM of larger matrices and inner dimensions, preprocessed or not, twice with the same bits") {
    for (const sddmm_types& types : sddmm_rows())
        for (const layout& l : sampled_layouts()) {
            if (l.block_rows * l.block_cols > 6) continue;
            random_source random(9);
            const sparse_arrays c =
                arrange(with_values(medium_pattern(), types.sparse, random), l, {}, types.sparse, random);
            for (const auto& [a, b] :
                 {std::pair{row_major, column_major}, std::pair{column_major, row_major}}) {
                sddmm_problem problem({c}, types, 64, a, b);
                const sddmm_call call = general_call(types);
                workspace buffer(problem.buffer_size(call), 8);
                problem.preprocess(call, buffer.data());
                problem.run(call, buffer.data());
                const std::vector<unsigned char> first = problem.c_bytes();
                buffer.overwrite(0xff);
                problem.run(call, buffer.data());
                CHECK((problem.c_bytes() == first));
                CHECK(buffer.canaries_are_whole());
            }
        }
}

// So many that a GPU packs operands, and that its warps take several parts.
TEST_CASE("SDDMM of many elements") {
    random_source random(15);
    const entries pattern = random_pattern(500, 450, 5, random);
    REQUIRE(pattern.list.size() > 40000);
    const std::vector<layout> all = sampled_layouts();
    constexpr std::int64_t inner[] = {64, 37, 128, 20, 16};
    std::size_t turn = 0;
    for (const sddmm_types& types : sddmm_rows())
        for (const auto& [a, b] : {std::pair{row_major, column_major}, std::pair{column_major, row_major}}) {
            const layout& l = all[turn % all.size()];
            const std::int64_t k = inner[turn++ % std::size(inner)];
            INFO(l.name << ", k = " << k);
            sddmm_problem({arrange(with_values(pattern, types.sparse, random), l, {}, types.sparse, random)},
                          types, k, a, b)
                .run(general_call(types));
        }
}

TEST_CASE("SDDMM of a long inner dimension") {
    for (const sddmm_types& types : sddmm_rows())
        for (const dense_layout& a : {row_major, column_major})
            for (const dense_layout& b : {row_major, column_major})
                sddmm_problem({irregular(sampled_layouts()[2], {}, types.sparse)}, types, 1037, a, b)
                    .run(general_call(types));
}

// Few elements whose operands are worth packing all the same.
TEST_CASE("SDDMM of a long inner dimension and operands that lie across it") {
    random_source random(16);
    const layout l = sampled_layouts()[2];
    for (const sddmm_types& types : sddmm_rows())
        sddmm_problem(
            {arrange(with_values(medium_pattern(), types.sparse, random), l, {}, types.sparse, random)},
            types, 2601, column_major, row_major)
            .run(general_call(types));
}

TEST_CASE("SDDMM of batches, with A and B of each item or shared") {
    for (const sddmm_types& types : two_rows())
        for (const layout& l : sampled_layouts()) {
            if (l.format == CUSPARSE_FORMAT_CSC) continue;
            for (const bool shared_a : {false, true})
                for (const bool shared_b : {false, true}) {
                    random_source random(31);
                    const bool shared_pattern = l.format == CUSPARSE_FORMAT_BSR && shared_a != shared_b;
                    std::vector<sparse_arrays> items;
                    for (int i = 0; i < 3; ++i) {
                        entries pattern = irregular_pattern();
                        // Another pattern of as many elements, and as many blocks: the same one turned upside
                        // down.
                        if (i == 1 && l.format != CUSPARSE_FORMAT_BSR)
                            for (entry& e : pattern.list) e.row = pattern.rows - 1 - e.row;
                        items.push_back(
                            arrange(with_values(pattern, types.sparse, random), l, {}, types.sparse, random));
                    }
                    sddmm_problem problem(items, types, 11, row_major,
                                          {CUSPARSE_ORDER_ROW, CUSPARSE_OPERATION_TRANSPOSE, 2},
                                          {0, false, false, shared_a, shared_b, shared_pattern});
                    problem.run(general_call(types));
                    problem.run({general_call(types).alpha, 0.0}, true);
                }
        }
}

TEST_CASE("SDDMM takes no sliced or blocked ELLPACK matrix") {
    const sddmm_types types{CUDA_R_32F, CUDA_R_32F, CUDA_R_32F};
    const std::vector<layout> refused{
        {"SELL", CUSPARSE_FORMAT_SLICED_ELLPACK, false, 1, 1, CUSPARSE_ORDER_ROW, 4},
        {"Blocked-ELL", CUSPARSE_FORMAT_BLOCKED_ELL, false, 4, 4}};
    for (const layout& l : refused) {
        sddmm_problem problem({irregular(l, {}, types.sparse)}, types, 8, row_major, row_major);
        const log_capture log;
        std::size_t size = 12345;
        expect(problem.try_buffer_size(general_call(types), &size), CUSPARSE_STATUS_NOT_SUPPORTED);
        CHECK(size == 12345);
        CHECK(log.contains("cusparseSDDMM_bufferSize: matC"));
        expect(problem.try_run(general_call(types), nullptr), CUSPARSE_STATUS_NOT_SUPPORTED);
    }
}
