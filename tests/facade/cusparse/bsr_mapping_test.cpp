// What the functions of BSR matrices make of their arguments, seen by a plug-in that only records them.
#include "facade/recorded_operands.hpp"
#include "facade/recorder.hpp"
#include "typed_functions.hpp"

using namespace heron::test;

namespace {

constexpr auto by_columns = CUSPARSE_DIRECTION_COLUMN;

template <class T>
T* typed(void* p) {
    return static_cast<T*>(p);
}
template <class T>
const T* typed(const scalar& s) {
    return static_cast<const T*>(static_cast<const void*>(s));
}
heron_type type_of(cudaDataType type) {
    for (const element_case& e : uniform)
        if (e.cuda == type) return e.type;
    FAIL("no element type");
    return HERON_R_64F;
}

using matrix_descriptor = owned<cusparseMatDescr_t, &cusparseDestroyMatDescr>;
int32_t* const row_offsets = reinterpret_cast<int32_t*>(offsets);
int32_t* const indices = reinterpret_cast<int32_t*>(columns);
int32_t* const mask = reinterpret_cast<int32_t*>(rows);

// 5 x 7 or 5 x 5 blocks of 3 x 3 elements in column order, 4 of them stored.
void check_matrix(const heron_spmat& a, int64_t cols, heron_type type, int base) {
    CHECK(a.format == HERON_FORMAT_BSR);
    CHECK(a.rows == 15);
    CHECK(a.cols == cols);
    CHECK(a.nnz == 4);
    CHECK(a.offsets == row_offsets);
    CHECK(a.indices == indices);
    CHECK(a.values == values);
    CHECK(a.offset_type == HERON_INDEX_32);
    CHECK(a.index_type == HERON_INDEX_32);
    CHECK(a.base == base);
    CHECK(a.type == type);
    CHECK(a.block_rows == 3);
    CHECK(a.block_cols == 3);
    CHECK(a.block_order == HERON_ORDER_COLUMN);
}

}  // namespace

TEST_CASE("products of BSR matrices pass everything on") {
    REQUIRE(recorder_chosen);
    const handle h(cusparseCreate);
    const matrix_descriptor descr(cusparseCreateMatDescr);
    for_each_type([&]<class F>(F f) {
        using T = typename F::scalar;
        const heron_type type = type_of(F::type);
        const scalar two(type, 2), three(type, 3);
        const T *const alpha = typed<T>(two), *const beta = typed<T>(three);
        T *const x = typed<T>(x_values), *const y = typed<T>(y_values), *const a = typed<T>(values);
        for (const auto& op : operations)
            for (const cusparseIndexBase_t base : bases) {
                CAPTURE(F::type, op.cusparse, base);
                REQUIRE(cusparseSetMatIndexBase(descr, base) == ok);
                const bool turned = op.direct != HERON_OP_NONE;
                REQUIRE(f.bsrmv(h, by_columns, op.cusparse, 5, 7, 4, alpha, descr, a, row_offsets, indices, 3,
                                x, beta, y) == ok);
                const auto mv = arguments<heron_spmv_args>("spmv", HERON_PHASE_RUN, recorded().memory);
                CHECK(mv.op == op.direct);
                check_matrix(mv.a, 21, type, base);
                check_vector(mv.x, turned ? 15 : 21, x, type);
                check_vector(mv.y, turned ? 21 : 15, y, type);
                CHECK(is_host_value(mv.alpha, 2));
                CHECK(is_host_value(mv.beta, 3));
                CHECK(mv.compute_type == type);

                REQUIRE(f.bsrmm(h, by_columns, op.cusparse, CUSPARSE_OPERATION_TRANSPOSE, 5, 2, 7, 4, alpha,
                                descr, a, row_offsets, indices, 3, x, 9, beta, y, 22) == ok);
                const auto mm = arguments<heron_spmm_args>("spmm", HERON_PHASE_RUN, recorded().memory);
                CHECK(mm.op == op.direct);
                check_matrix(mm.a, 21, type, base);
                check_dense(mm.b, turned ? 15 : 21, 2, HERON_ORDER_ROW, 9, x);
                check_dense(mm.c, turned ? 21 : 15, 2, HERON_ORDER_COLUMN, 22, y);
                CHECK(is_host_value(mm.alpha, 2));
                CHECK(is_host_value(mm.beta, 3));

                REQUIRE(f.gemvi(h, op.cusparse, 6, 5, alpha, a, 8, 3, x, indices, beta, y, base, nullptr) ==
                        ok);
                const auto vi = arguments<heron_gemvi_args>("gemvi", HERON_PHASE_RUN);
                CHECK(vi.op == op.direct);
                check_dense(vi.a, 6, 5, HERON_ORDER_COLUMN, 8, a);
                CHECK(vi.x.size == (turned ? 6 : 5));
                CHECK(vi.x.nnz == 3);
                CHECK(vi.x.indices == indices);
                CHECK(vi.x.values == x);
                CHECK(vi.x.base == base);
                check_vector(vi.y, turned ? 5 : 6, y, type);
                CHECK(is_host_value(vi.alpha, 2));
                CHECK(is_host_value(vi.beta, 3));
                CHECK(vi.type == type);
            }
        REQUIRE(f.bsrxmv(h, by_columns, CUSPARSE_OPERATION_NON_TRANSPOSE, 2, 5, 7, 4, alpha, descr, a, mask,
                         row_offsets, row_offsets + 1, indices, 3, x, beta, y) == ok);
        const auto masked = arguments<heron_masked_spmv_args>("masked_spmv", HERON_PHASE_RUN);
        check_matrix(masked.a, 21, type, 1);
        CHECK(masked.mask == mask);
        CHECK(masked.mask_count == 2);
        CHECK(masked.ends == row_offsets + 1);
        check_vector(masked.x, 21, x, type);
        check_vector(masked.y, 15, y, type);
        CHECK(is_host_value(masked.alpha, 2));
        CHECK(is_host_value(masked.beta, 3));
        CHECK(masked.type == type);
    });
}

TEST_CASE(
    "triangular solves of BSR matrices pass everything on, and keep the analysis apart from the buffer") {
    const handle h(cusparseCreate);
    const matrix_descriptor descr(cusparseCreateMatDescr);
    constexpr auto levels = CUSPARSE_SOLVE_POLICY_USE_LEVEL;
    alignas(128) static char own_buffer[256];
    for_each_type([&]<class F>(F f) {
        using T = typename F::scalar;
        const heron_type type = type_of(F::type);
        const scalar two(type, 2);
        T *const x = typed<T>(x_values), *const y = typed<T>(y_values), *const a = typed<T>(values);
        for (const auto& op : operations)
            for (const bool upper : {false, true}) {
                CAPTURE(F::type, op.cusparse, upper);
                REQUIRE(cusparseSetMatIndexBase(descr, CUSPARSE_INDEX_BASE_ONE) == ok);
                REQUIRE(cusparseSetMatFillMode(
                            descr, upper ? CUSPARSE_FILL_MODE_UPPER : CUSPARSE_FILL_MODE_LOWER) == ok);
                REQUIRE(cusparseSetMatDiagType(
                            descr, upper ? CUSPARSE_DIAG_TYPE_UNIT : CUSPARSE_DIAG_TYPE_NON_UNIT) == ok);
                const auto check = [&](heron_phase phase, int64_t sides, const void* from, const void* to,
                                       heron_order order, int64_t ld) {
                    CHECK(recorded().memory != own_buffer);
                    const auto s = arguments<heron_trisolve_args>("trisolve", phase, recorded().memory);
                    CHECK(s.op == op.direct);
                    check_matrix(s.a, 15, type, 1);
                    CHECK(s.a.fill == (upper ? HERON_FILL_UPPER : HERON_FILL_LOWER));
                    CHECK(s.a.diag == (upper ? HERON_DIAG_UNIT : HERON_DIAG_NON_UNIT));
                    CHECK(s.diagonal == nullptr);
                    CHECK(s.type == type);
                    if (phase == HERON_PHASE_RUN) CHECK(is_host_value(s.alpha, 2));
                    check_dense(s.b, 15, sides, order, ld, from);
                    check_dense(s.c, 15, sides, order, ld, to);
                };
                const owned<bsrsv2Info_t, &cusparseDestroyBsrsv2Info> sv(cusparseCreateBsrsv2Info);
                REQUIRE(f.bsrsv2_analysis(h, by_columns, op.cusparse, 5, 4, descr, a, row_offsets, indices, 3,
                                          sv, levels, own_buffer) == ok);
                check(HERON_PHASE_ANALYSE, 1, nullptr, nullptr, HERON_ORDER_COLUMN, 15);
                REQUIRE(f.bsrsv2_solve(h, by_columns, op.cusparse, 5, 4, typed<T>(two), descr, a, row_offsets,
                                       indices, 3, sv, x, y, levels, own_buffer) == ok);
                check(HERON_PHASE_RUN, 1, x, y, HERON_ORDER_COLUMN, 15);

                const owned<bsrsm2Info_t, &cusparseDestroyBsrsm2Info> sm(cusparseCreateBsrsm2Info);
                REQUIRE(f.bsrsm2_analysis(h, by_columns, op.cusparse, CUSPARSE_OPERATION_TRANSPOSE, 5, 2, 4,
                                          descr, a, row_offsets, indices, 3, sm, levels, own_buffer) == ok);
                check(HERON_PHASE_ANALYSE, 2, nullptr, nullptr, HERON_ORDER_COLUMN, 15);
                REQUIRE(f.bsrsm2_solve(h, by_columns, op.cusparse, CUSPARSE_OPERATION_TRANSPOSE, 5, 2, 4,
                                       typed<T>(two), descr, a, row_offsets, indices, 3, sm, x, 4, y, 4,
                                       levels, own_buffer) == ok);
                check(HERON_PHASE_RUN, 2, x, y, HERON_ORDER_ROW, 4);
            }
    });
}
