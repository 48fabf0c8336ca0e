// SpMM of small matrices: every type, format, operation, order, index type, scalar, shape, batch and
// algorithm.
#include "skip_without_backend.hpp"
#include "spmm_problem.hpp"

using namespace heron::test;

namespace {

constexpr cusparseOperation_t operations[] = {CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE,
                                              CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};
constexpr cusparseOrder_t orders[] = {CUSPARSE_ORDER_ROW, CUSPARSE_ORDER_COL};
constexpr cusparsePointerMode_t both_modes[] = {CUSPARSE_POINTER_MODE_HOST, CUSPARSE_POINTER_MODE_DEVICE};

std::vector<layout> spmm_layouts() {
    const auto ell = [](std::int64_t block) {
        return layout{fmt::format("Blocked-ELL {}", block), CUSPARSE_FORMAT_BLOCKED_ELL, false, block, block};
    };
    return {{"COO", CUSPARSE_FORMAT_COO},
            {"COO unsorted", CUSPARSE_FORMAT_COO, true},
            {"CSR", CUSPARSE_FORMAT_CSR},
            {"CSR shuffled", CUSPARSE_FORMAT_CSR, true},
            {"CSC", CUSPARSE_FORMAT_CSC},
            {"BSR 1x1", CUSPARSE_FORMAT_BSR, false, 1, 1, CUSPARSE_ORDER_ROW},
            {"BSR 2x3 by rows", CUSPARSE_FORMAT_BSR, false, 2, 3, CUSPARSE_ORDER_ROW},
            {"BSR 4x4 by columns", CUSPARSE_FORMAT_BSR, false, 4, 4, CUSPARSE_ORDER_COL},
            ell(1),
            ell(3),
            ell(8)};
}

// Types that between them take every path of the arithmetic.
std::vector<spmm_types> representative_rows() {
    std::vector<spmm_types> rows{uniform_spmm(CUDA_R_32F), uniform_spmm(CUDA_C_32F),
                                 uniform_spmm(CUDA_R_16BF)};
    if (device_has(CUDA_R_64F) && has_all_types()) rows.push_back(uniform_spmm(CUDA_C_64F));
    return rows;
}

sparse_arrays irregular(const layout& l, const index_choice& index, cudaDataType type) {
    random_source random(3);
    return arrange(with_values(irregular_pattern(), type, random), l, index, type, random);
}

// Where types are dear, other offsets and indices than those of 32 bits are tried with one type alone.
bool is_tried(const spmm_types& types, const index_choice& index) {
    if (has_all_types() || types.ab == CUDA_R_32F) return true;
    const bool narrow = index.offsets == CUSPARSE_INDEX_32I && index.indices == CUSPARSE_INDEX_32I;
    const bool same_c = types.ab == types.c || is_integer(types.ab);
    return narrow && same_c && types.c != CUDA_C_16BF;
}

// Alone, after an analysis, and where that was overwritten.
void run_in_every_state(spmm_problem& problem, const spmm_call& call) {
    workspace buffer(problem.buffer_size(call), 3);
    problem.run(call, buffer.data());
    problem.preprocess(call, buffer.data());
    problem.run({call.alpha, 0.0}, buffer.data());
    if (!buffer.data()) return;
    buffer.overwrite(0x7f);
    problem.run(call, buffer.data());
    CHECK(buffer.canaries_are_whole());
}

}  // namespace

TEST_CASE("SpMM of every type, format, operation and index type") {
    std::size_t turn = 0;
    for (const spmm_types& types : spmm_rows())
        for (const layout& l : spmm_layouts())
            for (const index_choice& index : index_choices()) {
                if (!is_tried(types, index)) continue;
                const sparse_arrays matrix = irregular(l, index, types.ab);
                for (const cusparseOperation_t op_a : operations)
                    for (const cusparseOperation_t op_b : operations) {
                        if (is_short() && turn++ % 4 != 0) continue;
                        spmm_problem(matrix, types, {.op_a = op_a, .op_b = op_b, .n = 5})
                            .run(general_call(types));
                    }
            }
}

TEST_CASE("SpMM of every order and number of columns") {
    for (const spmm_types& types : representative_rows())
        for (const layout& l : spmm_layouts()) {
            const sparse_arrays matrix = irregular(l, {}, types.ab);
            for (const cusparseOperation_t op_a : operations)
                for (const cusparseOrder_t order_b : orders)
                    for (const cusparseOrder_t order_c : orders)
                        for (const std::int64_t n : {1, 2, 3, 4, 7, 8, 16, 33, 75})
                            for (const std::int64_t padding : {0, 3}) {
                                spmm_options o{.op_a = op_a, .n = n, .order_b = order_b, .order_c = order_c};
                                o.padding = padding;
                                o.op_b = operations[(n + padding) % 3];
                                if (n > 8 && padding == 0) continue;
                                if (!has_all_types() && n % 3 == 1 && n > 1) continue;
                                spmm_problem(matrix, types, o).run(general_call(types));
                            }
        }
}

TEST_CASE("SpMM with alpha and beta 0, 1, -1 and others, on the host and on the device") {
    for (const spmm_types& types : representative_rows())
        for (const layout& l : spmm_layouts())
            for (const cusparseOperation_t op : operations) {
                spmm_problem problem(irregular(l, {}, types.ab), types, {.op_a = op, .n = 4});
                const spmm_call some = general_call(types);
                for (const number alpha : {number{0.0}, number{1.0}, number{-1.0}, some.alpha})
                    for (const number beta : {number{0.0}, number{1.0}, number{-1.0}, some.beta})
                        for (const cusparsePointerMode_t mode : both_modes) problem.run({alpha, beta, mode});
            }
}

TEST_CASE("SpMM with alpha = 0 reads neither A's values nor B") {
    for (const spmm_types& types : representative_rows())
        for (const layout& l : spmm_layouts())
            for (const cusparseOperation_t op : operations) {
                spmm_options o{.op_a = op};
                o.poisoned_inputs = true;
                o.order_b = orders[op == CUSPARSE_OPERATION_TRANSPOSE];
                spmm_problem problem(irregular(l, {}, types.ab), types, o);
                for (const number beta : {number{0.0}, number{1.0}, general_call(types).beta})
                    for (const cusparsePointerMode_t mode : both_modes) problem.run({0.0, beta, mode});
            }
}

TEST_CASE("SpMM of every shape") {
    random_source random(5);
    std::vector<spmm_types> rows{uniform_spmm(CUDA_R_32F)};
    if (device_has(CUDA_C_64F) && has_all_types()) rows.push_back(uniform_spmm(CUDA_C_64F));
    for (const named_pattern& pattern : small_patterns())
        for (const spmm_types& types : rows)
            for (const layout& l : spmm_layouts())
                for (const cusparseOperation_t op : operations)
                    for (const std::int64_t n : {0, 1, 9}) {
                        INFO(pattern.name << " as " << l.name);
                        const index_choice index{CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                                 static_cast<int>(random.below(2))};
                        const entries matrix = with_values(pattern.matrix, types.ab, random);
                        spmm_options o{.op_a = op, .n = n};
                        o.order_b = orders[random.below(2)];
                        o.order_c = orders[random.below(2)];
                        spmm_problem problem(arrange(matrix, l, index, types.ab, random), types, o);
                        problem.run(general_call(types), random.below(2) == 0);
                        problem.run({general_call(types).alpha, 0.0}, random.below(2) == 0);
                    }
}

TEST_CASE("SpMM needs no more than element alignment") {
    for (const spmm_types& types : representative_rows())
        for (const layout& l : spmm_layouts())
            for (const cusparseOperation_t op : operations)
                for (const cusparseOrder_t order : orders) {
                    spmm_options o{.op_a = op, .n = 20, .order_b = order, .order_c = order};
                    o.padding = 1;
                    o.misalignment = 1;
                    spmm_problem(irregular(l, {}, types.ab), types, o).run(general_call(types), true);
                }
}

TEST_CASE("SpMM of a matrix that stores nothing and has NULL arrays") {
    const std::vector<entries> empty{{7, 4, {}}, {0, 0, {}}, {0, 6, {}}, {6, 0, {}}, {300, 1, {}}};
    random_source random;
    for (const spmm_types& types : representative_rows())
        for (const entries& matrix : empty)
            for (const layout& l : spmm_layouts())
                for (const cusparseOperation_t op : operations) {
                    spmm_options o{.op_a = op};
                    o.absent_arrays = true;
                    spmm_problem problem(arrange(matrix, l, {}, types.ab, random), types, o);
                    for (const number beta : {number{0.0}, number{1.0}, general_call(types).beta})
                        problem.run({general_call(types).alpha, beta}, true);
                }
}

TEST_CASE("SpMM of rows and columns of very different lengths") {
    entries pattern{7, 1700, {}};
    const std::int64_t lengths[] = {0, 1700, 512, 3, 513, 0, 1025};
    for (std::int64_t i = 0; i < 7; ++i)
        for (std::int64_t k = 0; k < lengths[i]; ++k) pattern.list.push_back({i, k * 17 % 1700, 1.0});
    random_source random(17);
    for (const spmm_types& types : representative_rows())
        for (const layout& l : {layout{"COO", CUSPARSE_FORMAT_COO}, layout{"CSR", CUSPARSE_FORMAT_CSR, true},
                                layout{"CSC", CUSPARSE_FORMAT_CSC}})
            for (const cusparseOperation_t op : operations)
                for (const std::int64_t n : {3, 40}) {
                    spmm_options o{.op_a = op, .n = n};
                    o.order_b = o.order_c = orders[n == 3];
                    spmm_problem(arrange(with_values(pattern, types.ab, random), l, {}, types.ab, random),
                                 types, o)
                        .run(general_call(types), true);
                }
}

TEST_CASE("SpMM of rows of one length, short and long") {
    random_source random(31);
    struct {
        std::int64_t rows, cols, length, n;
    } const shapes[] = {{900, 700, 5, 20}, {900, 700, 5, 130}, {300, 400, 60, 40}, {150, 400, 130, 130}};
    for (const auto& shape : shapes) {
        entries pattern{shape.rows, shape.cols, {}};
        for (std::int64_t i = 0; i < shape.rows; ++i)
            for (std::int64_t k = 0; k < shape.length; ++k)
                pattern.list.push_back({i, (i + k * 3) % shape.cols, 1.0});
        for (const spmm_types& types : representative_rows())
            for (const layout& l :
                 {layout{"COO", CUSPARSE_FORMAT_COO}, layout{"CSR", CUSPARSE_FORMAT_CSR, true}}) {
                spmm_options o{.n = shape.n};
                o.order_c = orders[random.below(2)];
                spmm_problem(arrange(with_values(pattern, types.ab, random), l, {}, types.ab, random), types,
                             o)
                    .run(general_call(types));
            }
    }
}

namespace {

// Empty slots, and the columns of the last block that the matrix lacks, are never read.
void poison_padding(sparse_arrays& a) {
    const std::int64_t block = a.block_rows;
    const std::int64_t slots = a.ell_cols / block;
    for (std::int64_t row = 0; row < a.rows; ++row)
        for (std::int64_t k = 0; k < a.ell_cols; ++k) {
            const std::int64_t index = a.indices[static_cast<std::size_t>(row / block * slots + k / block)];
            if (index < 0 || (index - a.base) * block + k % block >= a.cols)
                a.values[static_cast<std::size_t>(row * a.ell_cols + k)] = poison(a.type);
        }
}

// Elements in about a third of the squares of 8 x 8, with empty lines of squares between them.
entries scattered_squares() {
    random_source random(23);
    entries pattern{141, 205, {}};
    for (std::int64_t i = 0; i < pattern.rows; ++i)
        for (std::int64_t j = 0; j < pattern.cols; ++j)
            if (i / 8 % 7 != 3 && (i / 8 * 5 + j / 8 * 3) % 8 < 3 && random.below(4) > 0)
                pattern.list.push_back({i, j, 1.0});
    return pattern;
}

}  // namespace

TEST_CASE("SpMM of matrices of dense blocks") {
    std::vector<spmm_types> rows{uniform_spmm(CUDA_R_16BF), uniform_spmm(CUDA_R_32F),
                                 uniform_spmm(CUDA_R_64F)};
    if (has_all_types())
        rows.insert(rows.end(), {uniform_spmm(CUDA_R_16F),
                                 {CUDA_R_16F, CUDA_R_32F, CUDA_R_32F},
                                 {CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F}});
    random_source random(24);
    for (const spmm_types& types : rows)
        for (const std::int64_t block : {8, 16, 32, 64, 128})
            for (const cusparseFormat_t format : {CUSPARSE_FORMAT_BSR, CUSPARSE_FORMAT_BLOCKED_ELL})
                for (const std::int64_t n : {1, 24, 64, 130}) {
                    const layout l{fmt::format("blocks of {}", block), format, false, block, block};
                    const index_choice index = has_all_types()
                                                   ? index_choices()[random.below(index_choices().size())]
                                                   : index_choice{};
                    sparse_arrays a = arrange(with_values(scattered_squares(), types.ab, random), l, index,
                                              types.ab, random);
                    if (format == CUSPARSE_FORMAT_BLOCKED_ELL) poison_padding(a);
                    INFO(l.name << ", format " << format);
                    spmm_options o{.n = n};
                    o.order_b = orders[random.below(2)];
                    o.order_c = orders[random.below(2)];
                    o.padding = o.order_b == CUSPARSE_ORDER_ROW ? (n + 7) / 8 * 8 - n + 8
                                                                : (a.cols + 7) / 8 * 8 - a.cols;
                    o.items = 1 + static_cast<int>(random.below(2));
                    spmm_problem problem(a, types, o);
                    problem.run(general_call(types));
                    problem.run({general_call(types).alpha, 0.0, CUSPARSE_POINTER_MODE_DEVICE});
                }
}

TEST_CASE("SpMM of Blocked-ELL in the documented 16-bit compute type") {
    const spmm_types types{CUDA_R_16F, CUDA_R_16F, CUDA_R_16F};
    const spmm_call call = general_call(types);
    for (const layout& l : spmm_layouts()) {
        INFO(l.name);
        const sparse_arrays matrix = irregular(l, {}, types.ab);
        spmm_problem problem(matrix, types, {.n = 7});
        std::size_t size = 0;
        if (l.format != CUSPARSE_FORMAT_BLOCKED_ELL) {
            expect(problem.try_buffer_size(call, &size), CUSPARSE_STATUS_NOT_SUPPORTED);
            continue;
        }
        problem.run(call, true);
        problem.run({call.alpha, 0.0});
        problem.run({0.0, call.beta});
        spmm_problem(matrix, types, {.op_a = operations[1], .op_b = operations[1], .n = 7}).run(call);
        const log_capture log;
        spmm_call on_device = call;
        on_device.mode = CUSPARSE_POINTER_MODE_DEVICE;
        expect(problem.try_buffer_size(on_device, &size), CUSPARSE_STATUS_NOT_SUPPORTED);
        CHECK(log.contains("cusparseSpMM_bufferSize: computeType"));
    }
}

TEST_CASE("SpMM adds up elements that are stored twice") {
    random_source random(6);
    entries pattern = irregular_pattern();
    const std::vector<entry> once = pattern.list;
    pattern.list.insert(pattern.list.end(), once.begin(), once.begin() + 60);
    const spmm_types types = uniform_spmm(CUDA_R_32F);
    const entries matrix = with_values(pattern, types.ab, random);
    for (const layout& l : spmm_layouts()) {
        if (l.format == CUSPARSE_FORMAT_BSR || l.format == CUSPARSE_FORMAT_BLOCKED_ELL) continue;
        for (const cusparseOperation_t op : operations)
            spmm_problem(arrange(matrix, l, {}, types.ab, random), types, {.op_a = op})
                .run(general_call(types));
    }
}

namespace {

// The irregular matrix with its columns moved on by `item`, so that the items of a batch differ.
std::vector<sparse_arrays> irregular_items(const layout& l, int items, cudaDataType type) {
    random_source random(13);
    // BSR's items must store equally many blocks: whole block columns move.
    std::vector<sparse_arrays> result;
    for (int item = 0; item < items; ++item) {
        entries pattern = irregular_pattern();
        pattern.cols = 39;
        for (entry& e : pattern.list) e.col = (e.col + item * 3) % 39;
        result.push_back(arrange(with_values(pattern, type, random), l, {}, type, random));
    }
    return result;
}

}  // namespace

TEST_CASE("SpMM of batches: A shared, B shared, nothing shared, offsets shared") {
    const std::vector<layout> layouts{{"COO", CUSPARSE_FORMAT_COO},
                                      {"COO unsorted", CUSPARSE_FORMAT_COO, true},
                                      {"CSR", CUSPARSE_FORMAT_CSR},
                                      {"CSC", CUSPARSE_FORMAT_CSC},
                                      {"BSR", CUSPARSE_FORMAT_BSR, false, 2, 3, CUSPARSE_ORDER_ROW},
                                      {"Blocked-ELL", CUSPARSE_FORMAT_BLOCKED_ELL, false, 3, 3}};
    constexpr int items = 3;
    for (const spmm_types& types : representative_rows())
        for (const layout& l : layouts)
            for (const cusparseOperation_t op : operations)
                for (const cusparseOrder_t order_b : orders)
                    for (const cusparseOrder_t order_c : orders) {
                        const std::vector<sparse_arrays> a = irregular_items(l, items, types.ab);
                        spmm_options o{.op_a = op, .n = order_b == order_c ? 4 : 9};
                        o.order_b = order_b;
                        o.order_c = order_c;
                        o.items = items;
                        INFO(l.name);
                        spmm_problem(a[0], types, o).run(general_call(types));
                        // Only the other formats have functions that make a batch of them.
                        if (l.format == CUSPARSE_FORMAT_BLOCKED_ELL || l.format == CUSPARSE_FORMAT_CSC)
                            continue;
                        spmm_problem(a, types, o).run(general_call(types), true);
                        o.one_b = true;
                        spmm_problem(a, types, o).run(general_call(types));
                        if (l.format != CUSPARSE_FORMAT_CSR && l.format != CUSPARSE_FORMAT_BSR) continue;
                        o.same_offsets = true;
                        spmm_problem(a, types, o).run({general_call(types).alpha, 0.0});
                    }
}

TEST_CASE("SpMM of more columns than a grid has blocks") {
    random_source random(8);
    const spmm_types types = uniform_spmm(CUDA_R_32F);
    const entries matrix = with_values({3, 2, {{0, 1, 1.0}, {2, 0, 1.0}, {2, 1, 1.0}}}, types.ab, random);
    for (const bool transposed : {false, true}) {
        spmm_options o{.op_a = operations[transposed], .n = 1'048'561};
        o.order_b = o.order_c = orders[transposed];
        o.padding = transposed;
        spmm_problem(arrange(matrix, spmm_layouts()[2], {}, types.ab, random), types, o)
            .run(general_call(types));
    }
}

// A with few elements and a B of more than 64 MiB, more columns of which than one do not fit, or not even
// that.
TEST_CASE("SpMM takes no more workspace than A has bytes and 64 MiB") {
    const bool wide = device_has(CUDA_R_64F);
    const spmm_types types = uniform_spmm(wide ? CUDA_C_64F : CUDA_C_32F);
    const std::int64_t element = wide ? 16 : 8, most = (std::int64_t{64} << 20) / element;
    for (const std::int64_t n : {3, 1})
        for (const bool transposed : {false, true}) {
            const std::int64_t inner = n == 1 ? most + 1000 : most / 3 + 200'000;
            random_source random(18);
            std::vector<entry> places;
            for (std::int64_t k = 0; k < 60; ++k) {
                const std::int64_t far = k * (inner / 60) + k;
                places.push_back(transposed ? entry{far, k % 7, 1.0} : entry{k % 7, far, 1.0});
            }
            std::sort(places.begin(), places.end(), [](const entry& a, const entry& b) {
                return std::pair(a.row, a.col) < std::pair(b.row, b.col);
            });
            const entries matrix = with_values(
                {transposed ? inner : 7, transposed ? 7 : inner, std::move(places)}, types.ab, random);
            spmm_options o{.op_a = operations[transposed], .n = n};
            o.order_b = o.order_c = CUSPARSE_ORDER_COL;
            spmm_problem problem(arrange(matrix, spmm_layouts()[2], {}, types.ab, random), types, o);
            CAPTURE(n, transposed);
            // Offsets, columns and values of A; transposed as much again for the pattern by columns.
            const std::int64_t a_bytes = 8 * ((transposed ? inner : 7) + 1) + 60 * (8 + element);
            CHECK(static_cast<std::int64_t>(problem.buffer_size(general_call(types))) <=
                  (std::int64_t{64} << 20) + 2 * a_bytes);
            problem.run(general_call(types));
        }
}

TEST_CASE("SpMM of few elements that meet few of very many rows of B") {
    random_source random(25);
    for (const spmm_types& types : representative_rows())
        for (const layout& l : spmm_layouts())
            for (const cusparseOperation_t op : operations) {
                const bool transposed = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
                const index_choice index = index_choices()[random.below(index_choices().size())];
                if (!is_tried(types, index)) continue;
                std::vector<entry> places;
                for (std::int64_t k = 0; k < 20; ++k) {
                    const std::int64_t far = k < 15 ? random.below(2'400) : 77 + k, near = random.below(9);
                    places.push_back(transposed ? entry{far, near, 1.0} : entry{near, far, 1.0});
                }
                const auto is_before = [](const entry& x, const entry& y) {
                    return std::pair(x.row, x.col) < std::pair(y.row, y.col);
                };
                std::sort(places.begin(), places.end(), is_before);
                places.erase(std::unique(places.begin(), places.end(),
                                         [](const entry& x, const entry& y) {
                                             return x.row == y.row && x.col == y.col;
                                         }),
                             places.end());
                const entries matrix{transposed ? 2'400 : 9, transposed ? 9 : 2'400, places};
                // Only the other formats have functions that make a batch of them.
                const bool is_alone =
                    l.format == CUSPARSE_FORMAT_BLOCKED_ELL || l.format == CUSPARSE_FORMAT_CSC;
                std::vector<sparse_arrays> matrices;
                for (int item = 0; item < (is_alone ? 1 : 2); ++item)
                    matrices.push_back(
                        arrange(with_values(matrix, types.ab, random), l, index, types.ab, random));
                const std::int64_t columns[] = {1, 5, 70};
                spmm_options o{.op_a = op, .n = columns[random.below(3)]};
                o.order_b = orders[random.below(2)];
                o.order_c = orders[random.below(2)];
                o.items = is_alone ? 1 : 2;
                INFO(l.name << ", op " << op << ", n " << o.n << ", orders " << o.order_b << ' '
                            << o.order_c);
                spmm_problem problem(matrices, types, o);
                run_in_every_state(problem, general_call(types));
            }
}

TEST_CASE("SpMM algorithms serve their formats and no others") {
    struct algorithm {
        cusparseSpMMAlg_t value;
        std::vector<cusparseFormat_t> formats;
        bool deterministic = false;
    };
    const std::vector<algorithm> algorithms{
        {CUSPARSE_SPMM_COO_ALG1, {CUSPARSE_FORMAT_COO}},
        {CUSPARSE_SPMM_COO_ALG2, {CUSPARSE_FORMAT_COO}, true},
        {CUSPARSE_SPMM_COO_ALG3, {CUSPARSE_FORMAT_COO}},
        {CUSPARSE_SPMM_COO_ALG4, {CUSPARSE_FORMAT_COO}},
        {CUSPARSE_SPMM_CSR_ALG1, {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC}},
        {CUSPARSE_SPMM_CSR_ALG2, {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC}},
        {CUSPARSE_SPMM_CSR_ALG3, {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC}, true},
        {CUSPARSE_SPMM_BLOCKED_ELL_ALG1, {CUSPARSE_FORMAT_BLOCKED_ELL}},
        {CUSPARSE_SPMM_BSR_ALG1, {CUSPARSE_FORMAT_BSR}},
    };
    for (const spmm_types& types : representative_rows())
        for (const algorithm& a : algorithms)
            for (const layout& l : spmm_layouts())
                for (const cusparseOperation_t op : operations) {
                    INFO(l.name << " with algorithm " << a.value);
                    spmm_problem problem(irregular(l, {}, types.ab), types, {.op_a = op, .n = 6});
                    spmm_call call = general_call(types);
                    call.algorithm = a.value;
                    if (std::find(a.formats.begin(), a.formats.end(), l.format) != a.formats.end()) {
                        problem.run(call);
                        const std::vector<unsigned char> once = problem.c_bytes();
                        problem.run(call, true);
                        // Rows of a COO matrix that do not ascend break the format's promise.
                        if (a.deterministic && !(l.shuffled && l.format == CUSPARSE_FORMAT_COO))
                            CHECK((problem.c_bytes() == once));
                        continue;
                    }
                    const log_capture log;
                    std::size_t size = 12345;
                    expect(problem.try_buffer_size(call, &size), CUSPARSE_STATUS_NOT_SUPPORTED);
                    CHECK(size == 12345);
                    CHECK(log.contains("cusparseSpMM_bufferSize: alg"));
                    expect(problem.try_run(call, nullptr), CUSPARSE_STATUS_NOT_SUPPORTED);
                }
}

TEST_CASE("a deterministic SpMM of a large matrix has the same bits every time") {
    random_source random(21);
    const spmm_types types = uniform_spmm(CUDA_R_32F);
    const entries matrix = with_values(random_pattern(700, 600, 9, random), types.ab, random);
    const layout formats[] = {
        {"COO", CUSPARSE_FORMAT_COO}, {"CSR", CUSPARSE_FORMAT_CSR}, {"CSC", CUSPARSE_FORMAT_CSC}};
    for (const layout& l : formats)
        for (const cusparseOperation_t op : operations) {
            spmm_problem problem(arrange(matrix, l, {}, types.ab, random), types, {.op_a = op, .n = 20});
            spmm_call call = general_call(types);
            call.algorithm =
                l.format == CUSPARSE_FORMAT_COO ? CUSPARSE_SPMM_COO_ALG2 : CUSPARSE_SPMM_CSR_ALG3;
            const workspace buffer(problem.buffer_size(call));
            problem.run(call, buffer.data());
            const std::vector<unsigned char> once = problem.c_bytes();
            for (int repetition = 0; repetition < 3; ++repetition) {
                expect(problem.try_run(call, buffer.data()));
                CHECK((problem.c_bytes() == once));
            }
        }
}

TEST_CASE("SpMM is right when the workspace was overwritten after preprocess") {
    for (const spmm_types& types : representative_rows())
        for (const layout& l : spmm_layouts())
            for (const cusparseOperation_t op : operations) {
                spmm_problem problem(irregular(l, {}, types.ab), types, {.op_a = op, .n = 12});
                const spmm_call call = general_call(types);
                workspace buffer(problem.buffer_size(call), 3);
                problem.preprocess(call, buffer.data());
                problem.run(call, buffer.data());
                if (!buffer.data()) continue;
                for (const unsigned char byte : {0x00, 0x7f, 0xff}) {
                    buffer.overwrite(byte);
                    problem.run(call, buffer.data());
                }
            }
}

namespace {

// Scattered elements below a full row.
entries many_elements(std::int64_t rows, std::int64_t columns, std::int64_t sparsity) {
    random_source random(26);
    entries pattern = random_pattern(rows, columns, sparsity, random);
    std::erase_if(pattern.list, [](const entry& e) { return e.row == 3; });
    for (std::int64_t j = 0; j < pattern.cols; ++j) pattern.list.push_back({3, j, 1.0});
    std::sort(pattern.list.begin(), pattern.list.end(), [](const entry& a, const entry& b) {
        return std::pair(a.row, a.col) < std::pair(b.row, b.col);
    });
    return pattern;
}

// One element in each row but every fifth, and many rows without any behind them.
entries short_rows(std::int64_t filled, std::int64_t empty) {
    entries pattern{filled + empty, filled, {}};
    for (std::int64_t i = 0; i < filled; ++i)
        if (i % 5 != 4) pattern.list.push_back({i, i * 7 % filled, 1.0});
    return pattern;
}

}  // namespace

// More products than GPUs add to C one by one: they sort A, find offsets, and turn a B by columns.
TEST_CASE("SpMM of many products, preprocessed and with the workspace overwritten") {
    random_source random(27);
    std::size_t turn = 0;
    for (const spmm_types& types : representative_rows())
        for (const layout& l : {layout{"COO", CUSPARSE_FORMAT_COO}, layout{"CSR", CUSPARSE_FORMAT_CSR, true},
                                layout{"CSC", CUSPARSE_FORMAT_CSC}}) {
            const sparse_arrays matrix =
                arrange(with_values(many_elements(700, 600, 9), types.ab, random), l, {}, types.ab, random);
            for (const cusparseOperation_t op : operations) {
                spmm_options o{.op_a = op, .n = 22};
                o.order_b = orders[turn % 2];
                o.order_c = orders[turn++ / 2 % 2];
                o.padding = 2 * static_cast<std::int64_t>(turn % 3);
                spmm_problem problem(matrix, types, o);
                run_in_every_state(problem, general_call(types));
            }
        }
}

// So many that a single product is worth it that they sort a transposed A, or find the offsets of COO.
TEST_CASE("SpMM of very many products, alone, preprocessed and with the workspace overwritten") {
    random_source random(31);
    std::size_t turn = 0;
    std::vector<spmm_types> rows{uniform_spmm(CUDA_R_32F)};
    if (device_has(CUDA_R_64F)) rows.push_back(uniform_spmm(CUDA_C_64F));
    for (const spmm_types& types : rows)
        for (const layout& l :
             {layout{"COO", CUSPARSE_FORMAT_COO}, layout{"COO unsorted", CUSPARSE_FORMAT_COO, true},
              layout{"CSR", CUSPARSE_FORMAT_CSR}})
            for (const bool transposed : {false, true}) {
                const cusparseIndexType_t width = turn % 3 == 1 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
                spmm_options o{.op_a = operations[transposed ? 1 + turn / 2 % 2 : 0],
                               .n = types.ab == CUDA_R_32F ? 140 : 70};
                o.order_b = orders[turn % 2];
                o.order_c = orders[turn / 2 % 2];
                CAPTURE(l.name, turn++);
                spmm_problem problem(arrange(with_values(many_elements(8000, 1000, 250), types.ab, random), l,
                                             {width, width, transposed}, types.ab, random),
                                     types, o);
                run_in_every_state(problem, general_call(types));
            }
}

// Elements so many that two columns are enough for what many products take, in rows of hundreds of elements
// and in rows that GPUs cut into several shares.
TEST_CASE("SpMM of few columns of many elements, alone and preprocessed") {
    random_source random(41);
    std::size_t turn = 0;
    std::vector<spmm_types> rows{uniform_spmm(CUDA_R_32F)};
    if (device_has(CUDA_R_64F)) rows.push_back(uniform_spmm(CUDA_C_64F));
    for (const entries& pattern : {many_elements(1000, 900, 4), many_elements(40, 11'000, 1)})
        for (const layout& l : {layout{"COO", CUSPARSE_FORMAT_COO}, layout{"CSR", CUSPARSE_FORMAT_CSR},
                                layout{"CSC", CUSPARSE_FORMAT_CSC}})
            for (const cusparseOperation_t op : {operations[0], operations[2]}) {
                const spmm_types& types = rows[turn % rows.size()];
                spmm_options o{.op_a = op, .n = 2 + static_cast<std::int64_t>(turn / 2 % 2)};
                o.order_b = orders[pattern.rows == 40 || turn % 3 > 0];
                o.order_c = orders[turn % 4 > 0];
                CAPTURE(l.name, turn++);
                spmm_problem problem(arrange(with_values(pattern, types.ab, random), l, {}, types.ab, random),
                                     types, o);
                problem.run(general_call(types));
                problem.run({general_call(types).alpha, 0.0}, true);
            }
}

// Few rows and so many columns that the products are one to two million, in both orders of B and C.
TEST_CASE("SpMM of few rows and a wide B, alone, preprocessed and with the workspace overwritten") {
    random_source random(47);
    std::size_t turn = 0;
    std::vector<spmm_types> rows{uniform_spmm(CUDA_R_32F)};
    if (device_has(CUDA_R_64F)) {
        rows.push_back(uniform_spmm(CUDA_R_64F));
        rows.push_back(uniform_spmm(CUDA_C_64F));
    }
    for (const spmm_types& types : rows)
        for (const layout& l :
             {layout{"COO", CUSPARSE_FORMAT_COO}, layout{"COO unsorted", CUSPARSE_FORMAT_COO, true},
              layout{"CSR", CUSPARSE_FORMAT_CSR}})
            for (const cusparseOrder_t order_b : orders)
                for (const cusparseOrder_t order_c : orders) {
                    CAPTURE(types.name(), l.name, order_b, order_c, ++turn);
                    if (is_short() && turn % 3 != 1) continue;
                    spmm_options o{.n = 512, .order_b = order_b, .order_c = order_c};
                    spmm_problem problem(
                        arrange(with_values(many_elements(120, 216, 10), types.ab, random), l,
                                {CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, static_cast<int>(turn % 2)},
                                types.ab, random),
                        types, o);
                    run_in_every_state(problem, general_call(types));
                }
}

// Two columns of more than 200 thousand elements, or of rows of more than 512, which GPUs multiply as
// vectors.
TEST_CASE("SpMM of two columns, of every order, alone, preprocessed and with the workspace overwritten") {
    random_source random(43);
    std::size_t turn = 0;
    std::vector<spmm_types> rows{uniform_spmm(CUDA_R_32F), uniform_spmm(CUDA_C_32F),
                                 uniform_spmm(CUDA_R_16BF)};
    if (device_has(CUDA_R_64F)) {
        rows.push_back(uniform_spmm(CUDA_R_64F));
        rows.push_back(uniform_spmm(CUDA_C_64F));
    }
    for (const entries& pattern :
         {many_elements(900, 1000, 4), many_elements(40, 1100, 1), many_elements(6000, 4000, 100)})
        for (const spmm_types& types : rows)
            for (const layout& l :
                 {layout{"COO", CUSPARSE_FORMAT_COO}, layout{"COO unsorted", CUSPARSE_FORMAT_COO, true},
                  layout{"CSR", CUSPARSE_FORMAT_CSR}, layout{"CSR transposed", CUSPARSE_FORMAT_CSR},
                  layout{"CSC", CUSPARSE_FORMAT_CSC}}) {
                CAPTURE(l.name, ++turn);
                if (is_short() && turn % 3 != 0) continue;
                spmm_options o{.op_a = operations[l.name == "CSR transposed" ? 1 + turn % 2 : 0], .n = 2};
                o.order_b = orders[turn % 2];
                o.order_c = orders[turn / 2 % 2];
                o.padding = static_cast<std::int64_t>(turn % 3);
                const cusparseIndexType_t width = turn % 7 == 1 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
                const index_choice index{width, width, static_cast<int>(turn % 2)};
                spmm_problem problem(
                    arrange(with_values(pattern, types.ab, random), l, index, types.ab, random), types, o);
                const spmm_call call = general_call(types);
                workspace buffer(problem.buffer_size(call), 3);
                problem.run(call, buffer.data());
                problem.preprocess(call, buffer.data());
                problem.run({call.alpha, 0.0}, buffer.data());
                problem.run({call.alpha, 1.0}, buffer.data());
                problem.run({0.0, call.beta}, buffer.data());
                if (!buffer.data()) continue;
                buffer.overwrite(0x7f);
                problem.run(call, buffer.data());
                CHECK(buffer.canaries_are_whole());
            }
}

// Neighbouring rows name neighbouring columns, which an analysis finds out.
TEST_CASE("SpMM by columns of a grid") {
    constexpr std::int64_t side = 130, points = side * side;
    entries grid{points, points + 1, {}};
    for (std::int64_t i = 0; i < points; ++i)
        for (const std::int64_t neighbour : {i - side, i, i + 1, i + side})
            if (neighbour >= 0 && neighbour < points) grid.list.push_back({i, neighbour, 1.0});
    random_source random(29);
    for (const spmm_types& types : representative_rows())
        for (const std::int64_t n : {13, 16, 64})
            for (const cusparseOperation_t op_b : {operations[0], operations[2]}) {
                spmm_options o{.op_b = op_b, .n = n};
                o.order_b = op_b == operations[0] ? CUSPARSE_ORDER_COL : CUSPARSE_ORDER_ROW;
                o.order_c = CUSPARSE_ORDER_COL;
                if (n == 64 && types.ab != CUDA_R_32F) continue;
                const index_choice index{CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, n == 13};
                spmm_problem problem(arrange(with_values(grid, types.ab, random),
                                             {"", n < 64 ? CUSPARSE_FORMAT_CSR : CUSPARSE_FORMAT_COO}, index,
                                             types.ab, random),
                                     types, o);
                problem.run(general_call(types), true);
                problem.run({general_call(types).alpha, 0.0}, true);
            }
}

TEST_CASE("SpMM of many rows with an element or none") {
    random_source random(28);
    const spmm_types types = uniform_spmm(CUDA_R_32F);
    for (const layout& l :
         {layout{"COO", CUSPARSE_FORMAT_COO}, layout{"COO unsorted", CUSPARSE_FORMAT_COO, true},
          layout{"CSR", CUSPARSE_FORMAT_CSR}})
        for (const cusparseOperation_t op : {operations[0], operations[1]})
            for (const std::int64_t empty : {0, 500'000}) {
                const entries pattern = short_rows(40'000, empty);
                spmm_options o{.op_a = op, .n = empty > 0 ? 3 : 40};
                o.order_b = orders[empty == 0];
                CAPTURE(l.name, empty);
                spmm_problem(arrange(with_values(pattern, types.ab, random), l, {}, types.ab, random), types,
                             o)
                    .run(general_call(types), true);
            }
}

TEST_CASE("SpMM takes no SELL matrix and no unknown algorithm") {
    random_source random;
    const spmm_types types = uniform_spmm(CUDA_R_32F);
    const entries matrix = with_values(irregular_pattern(), types.ab, random);
    layout sell{"SELL", CUSPARSE_FORMAT_SLICED_ELLPACK};
    sell.slice_size = 4;
    std::size_t size = 0;
    spmm_problem sliced(arrange(matrix, sell, {}, types.ab, random), types, {});
    expect(sliced.try_buffer_size(general_call(types), &size), CUSPARSE_STATUS_NOT_SUPPORTED);
    expect(sliced.try_run(general_call(types), nullptr), CUSPARSE_STATUS_NOT_SUPPORTED);
    spmm_problem csr(irregular(spmm_layouts()[2], {}, types.ab), types, {});
    spmm_call call = general_call(types);
    call.algorithm = static_cast<cusparseSpMMAlg_t>(99);
    expect(csr.try_buffer_size(call, &size), CUSPARSE_STATUS_INVALID_VALUE);
}
