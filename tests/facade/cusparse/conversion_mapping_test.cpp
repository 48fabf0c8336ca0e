// What the conversions between sparse formats make of their arguments, seen by a plug-in that only records
// them.
#include "facade/recorder.hpp"
#include "typed_functions.hpp"

using namespace heron::test;

namespace {

using matrix_descriptor = owned<cusparseMatDescr_t, &cusparseDestroyMatDescr>;

// Addresses; nothing reads them.
int32_t* const a_offsets = reinterpret_cast<int32_t*>(offsets);
int32_t* const a_indices = reinterpret_cast<int32_t*>(columns);
int32_t* const c_offsets = a_offsets + 16;
int32_t* const c_indices = reinterpret_cast<int32_t*>(rows);

heron_type type_of(cudaDataType type) {
    for (const element_case& e : uniform)
        if (e.cuda == type) return e.type;
    FAIL("no element type");
    return HERON_R_64F;
}

struct shape {
    heron_format format;
    int64_t rows, cols, block_rows, block_cols;
    heron_order order;
    int base;
};

void check_matrix(const heron_spmat& m, const shape& s, const void* m_offsets, const void* m_indices,
                  const void* m_values) {
    CHECK(m.format == s.format);
    CHECK(m.rows == s.rows);
    CHECK(m.cols == s.cols);
    CHECK(m.offsets == m_offsets);
    CHECK(m.indices == m_indices);
    CHECK(m.values == m_values);
    CHECK(m.offset_type == HERON_INDEX_32);
    CHECK(m.index_type == HERON_INDEX_32);
    CHECK(m.base == s.base);
    CHECK(m.batch_count == 1);
    if (s.format != HERON_FORMAT_BSR) return;
    CHECK(m.block_rows == s.block_rows);
    CHECK(m.block_cols == s.block_cols);
    CHECK(m.block_order == s.order);
}

heron_order order_of(cusparseDirection_t direction) {
    return direction == CUSPARSE_DIRECTION_ROW ? HERON_ORDER_ROW : HERON_ORDER_COLUMN;
}

// Calls f(direction, descrA, its base, descrC, its base) for all of them.
template <class F>
void for_each_setting(F&& f) {
    const matrix_descriptor zero(cusparseCreateMatDescr), one(cusparseCreateMatDescr);
    REQUIRE(cusparseSetMatIndexBase(one, CUSPARSE_INDEX_BASE_ONE) == ok);
    for (const cusparseDirection_t direction : {CUSPARSE_DIRECTION_ROW, CUSPARSE_DIRECTION_COLUMN})
        for (const int a_base : {0, 1})
            for (const int c_base : {0, 1}) {
                CAPTURE(direction, a_base, c_base);
                f(direction, a_base ? one : zero, a_base, c_base ? one : zero, c_base);
            }
}

// Of the last call, which took its workspace from the handle or was given one.
template <class Args>
Args run_arguments(const char* operation, bool scratch) {
    CHECK((recorded().memory == buffer) == !scratch);
    return arguments<Args>(operation, HERON_PHASE_RUN, recorded().memory);
}

}  // namespace

TEST_CASE("csr2coo and coo2csr pass on their arrays and base") {
    REQUIRE(recorder_chosen);
    const handle h(cusparseCreate);
    for (const cusparseIndexBase_t base : bases) {
        REQUIRE(cusparseXcsr2coo(h, a_offsets, 5, 7, c_indices, base) == ok);
        const auto expand = run_arguments<heron_pointers_to_indices_args>("pointers_to_indices", true);
        CHECK(expand.offsets == a_offsets);
        CHECK(expand.indices == c_indices);
        CHECK(expand.rows == 7);
        CHECK(expand.nnz == 5);
        CHECK(expand.base == base);
        REQUIRE(cusparseXcoo2csr(h, a_indices, 5, 7, c_offsets, base) == ok);
        const auto compress = run_arguments<heron_indices_to_pointers_args>("indices_to_pointers", true);
        CHECK(compress.offsets == c_offsets);
        CHECK(compress.indices == a_indices);
        CHECK(compress.rows == 7);
        CHECK(compress.nnz == 5);
        CHECK(compress.base == base);
    }
}

TEST_CASE("Csr2cscEx2 passes on its arrays, base and action") {
    const handle h(cusparseCreate);
    for (const element_case& e : uniform)
        for (const cusparseIndexBase_t base : bases)
            for (const cusparseAction_t action : {CUSPARSE_ACTION_SYMBOLIC, CUSPARSE_ACTION_NUMERIC}) {
                CAPTURE(e.cuda, base, action);
                const bool copies = action == CUSPARSE_ACTION_NUMERIC;
                size_t bytes = 0;
                REQUIRE(cusparseCsr2cscEx2_bufferSize(h, 5, 7, 4, values, a_offsets, a_indices, x_values,
                                                      c_offsets, c_indices, e.cuda, action, base,
                                                      CUSPARSE_CSR2CSC_ALG1, &bytes) == ok);
                CHECK(bytes == RECORDED_SIZE);
                REQUIRE(cusparseCsr2cscEx2(h, 5, 7, 4, values, a_offsets, a_indices, x_values, c_offsets,
                                           c_indices, e.cuda, action, base, CUSPARSE_CSR2CSC_ALG1,
                                           buffer) == ok);
                const auto args = run_arguments<heron_transpose_args>("transpose", false);
                check_matrix(args.a, {HERON_FORMAT_CSR, 5, 7, 1, 1, HERON_ORDER_ROW, base}, a_offsets,
                             a_indices, copies ? values : nullptr);
                check_matrix(args.b, {HERON_FORMAT_CSR, 7, 5, 1, 1, HERON_ORDER_ROW, base}, c_offsets,
                             c_indices, copies ? x_values : nullptr);
                CHECK(args.a.nnz == 4);
                CHECK(args.b.nnz == 4);
                CHECK(args.a.type == e.type);
                CHECK(args.b.type == e.type);
                CHECK(args.values == copies);
            }
}

TEST_CASE("counts of blocks pass on sizes, bases and where the number goes") {
    const handle h(cusparseCreate);
    for_each_setting([&](cusparseDirection_t dir, cusparseMatDescr_t a, int a_base, cusparseMatDescr_t c,
                         int c_base) {
        const heron_order order = order_of(dir);
        int nnz = 0;
        for (const cusparsePointerMode_t mode : {CUSPARSE_POINTER_MODE_HOST, CUSPARSE_POINTER_MODE_DEVICE}) {
            REQUIRE(cusparseSetPointerMode(h, mode) == ok);
            const auto check = [&](bool scratch, const shape& from, const shape& to) {
                const auto args = run_arguments<heron_reblock_count_args>("reblock_count", scratch);
                check_matrix(args.a, from, a_offsets, a_indices, nullptr);
                check_matrix(args.b, to, c_offsets, nullptr, nullptr);
                CHECK(args.nnz.value == &nnz);
                CHECK(args.nnz.on_device == (mode == CUSPARSE_POINTER_MODE_DEVICE));
            };
            const shape csr{HERON_FORMAT_CSR, 5, 7, 1, 1, order, a_base};
            REQUIRE(cusparseXcsr2bsrNnz(h, dir, 5, 7, a, a_offsets, a_indices, 3, c, c_offsets, &nnz) == ok);
            check(true, csr, {HERON_FORMAT_BSR, 6, 9, 3, 3, order, c_base});
            for (const bool scratch : {false, true}) {
                void* const memory = scratch ? nullptr : buffer;
                REQUIRE(cusparseXcsr2gebsrNnz(h, dir, 5, 7, a, a_offsets, a_indices, c, c_offsets, 3, 4, &nnz,
                                              memory) == ok);
                check(scratch, csr, {HERON_FORMAT_BSR, 6, 8, 3, 4, order, c_base});
                REQUIRE(cusparseXgebsr2gebsrNnz(h, dir, 5, 7, 4, a, a_offsets, a_indices, 3, 2, c, c_offsets,
                                                4, 5, &nnz, memory) == ok);
                check(scratch, {HERON_FORMAT_BSR, 15, 14, 3, 2, order, a_base},
                      {HERON_FORMAT_BSR, 16, 15, 4, 5, order, c_base});
            }
        }
    });
}

TEST_CASE("conversions of blocks pass on their arrays, sizes, bases and directions") {
    const handle h(cusparseCreate);
    for_each_type([&]<class F>(F f) {
        using T = typename F::scalar;
        auto* const from = reinterpret_cast<T*>(values);
        auto* const to = reinterpret_cast<T*>(x_values);
        for_each_setting([&](cusparseDirection_t dir, cusparseMatDescr_t a, int a_base, cusparseMatDescr_t c,
                             int c_base) {
            const heron_order order = order_of(dir);
            const auto check = [&](bool scratch, const shape& from_shape, const shape& to_shape,
                                   bool with_values = true) {
                const auto args = run_arguments<heron_reblock_args>("reblock", scratch);
                check_matrix(args.a, from_shape, a_offsets, a_indices, with_values ? values : nullptr);
                check_matrix(args.b, to_shape, c_offsets, c_indices, with_values ? x_values : nullptr);
                if (with_values) CHECK(args.a.type == type_of(F::type));
                if (with_values) CHECK(args.b.type == type_of(F::type));
            };
            const shape csr{HERON_FORMAT_CSR, 5, 7, 1, 1, order, a_base};
            const shape from_blocks{HERON_FORMAT_BSR, 15, 14, 3, 2, order, a_base};
            REQUIRE(f.csr2bsr(h, dir, 5, 7, a, from, a_offsets, a_indices, 3, c, to, c_offsets, c_indices) ==
                    ok);
            check(true, csr, {HERON_FORMAT_BSR, 6, 9, 3, 3, order, c_base});
            REQUIRE(f.bsr2csr(h, dir, 5, 7, a, from, a_offsets, a_indices, 3, c, to, c_offsets, c_indices) ==
                    ok);
            check(true, {HERON_FORMAT_BSR, 15, 21, 3, 3, order, a_base},
                  {HERON_FORMAT_CSR, 15, 21, 1, 1, order, c_base});
            REQUIRE(f.gebsr2csr(h, dir, 5, 7, a, from, a_offsets, a_indices, 3, 2, c, to, c_offsets,
                                c_indices) == ok);
            check(true, from_blocks, {HERON_FORMAT_CSR, 15, 14, 1, 1, order, c_base});
            REQUIRE(cusparseXgebsr2csr(h, dir, 5, 7, a, a_offsets, a_indices, 3, 2, c, c_offsets,
                                       c_indices) == ok);
            check(true, from_blocks, {HERON_FORMAT_CSR, 15, 14, 1, 1, order, c_base}, false);
            for (const bool scratch : {false, true}) {
                void* const memory = scratch ? nullptr : buffer;
                REQUIRE(f.csr2gebsr(h, dir, 5, 7, a, from, a_offsets, a_indices, c, to, c_offsets, c_indices,
                                    3, 4, memory) == ok);
                check(scratch, csr, {HERON_FORMAT_BSR, 6, 8, 3, 4, order, c_base});
                REQUIRE(f.gebsr2gebsr(h, dir, 5, 7, 4, a, from, a_offsets, a_indices, 3, 2, c, to, c_offsets,
                                      c_indices, 4, 5, memory) == ok);
                check(scratch, from_blocks, {HERON_FORMAT_BSR, 16, 15, 4, 5, order, c_base});
            }
        });
    });
}

TEST_CASE("gebsr2gebsc passes on blocks in the place of elements") {
    const handle h(cusparseCreate);
    for_each_type([&]<class F>(F f) {
        using T = typename F::scalar;
        for (const cusparseIndexBase_t base : bases)
            for (const cusparseAction_t action : {CUSPARSE_ACTION_SYMBOLIC, CUSPARSE_ACTION_NUMERIC})
                for (const bool scratch : {false, true}) {
                    CAPTURE(F::type, base, action, scratch);
                    const bool copies = action == CUSPARSE_ACTION_NUMERIC;
                    REQUIRE(f.gebsr2gebsc(h, 5, 7, 4, reinterpret_cast<T*>(values), a_offsets, a_indices, 3,
                                          2, reinterpret_cast<T*>(x_values), c_indices, c_offsets, action,
                                          base, scratch ? nullptr : buffer) == ok);
                    const auto args = run_arguments<heron_transpose_args>("transpose", scratch);
                    check_matrix(args.a, {HERON_FORMAT_BSR, 15, 14, 3, 2, HERON_ORDER_ROW, base}, a_offsets,
                                 a_indices, copies ? values : nullptr);
                    check_matrix(args.b, {HERON_FORMAT_BSR, 21, 10, 3, 2, HERON_ORDER_ROW, base}, c_offsets,
                                 c_indices, copies ? x_values : nullptr);
                    CHECK(args.a.nnz == 4);
                    CHECK(args.b.nnz == 4);
                    CHECK(args.a.type == type_of(F::type));
                    CHECK(args.values == copies);
                }
    });
}
