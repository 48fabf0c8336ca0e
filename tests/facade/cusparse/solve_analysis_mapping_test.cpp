// What csrsv, csrsm, csrilu0, csric0 and gtsv make of their arguments, seen by a plug-in that only records
// them.
#include "facade/recorder.hpp"
#include "typed_functions.hpp"

using namespace heron::test;

namespace {

template <class T>
T* typed(void* p) {
    return static_cast<T*>(p);
}
heron_type type_of(cudaDataType type) {
    for (const element_case& e : uniform)
        if (e.cuda == type) return e.type;
    FAIL("no element type");
    return HERON_R_64F;
}

int32_t* const row_offsets = reinterpret_cast<int32_t*>(offsets);
int32_t* const indices = reinterpret_cast<int32_t*>(columns);
using matrix_descriptor = owned<cusparseMatDescr_t, &cusparseDestroyMatDescr>;
using analysis_info = owned<cusparseSolveAnalysisInfo_t, &cusparseDestroySolveAnalysisInfo>;

// A 5 x 5 matrix with 7 elements and base 1.
void check_matrix(const heron_spmat& a, heron_type type, heron_fill_mode fill, heron_diag_type diag) {
    CHECK(a.format == HERON_FORMAT_CSR);
    CHECK(a.rows == 5);
    CHECK(a.cols == 5);
    CHECK(a.nnz == 7);
    CHECK(a.offsets == row_offsets);
    CHECK(a.indices == indices);
    CHECK(a.values == values);
    CHECK(a.offset_type == HERON_INDEX_32);
    CHECK(a.index_type == HERON_INDEX_32);
    CHECK(a.base == 1);
    CHECK(a.type == type);
    CHECK(a.fill == fill);
    CHECK(a.diag == diag);
}

void check_dense(const heron_dnmat& m, int64_t count, int64_t ld, const void* data) {
    CHECK(m.rows == 5);
    CHECK(m.cols == count);
    CHECK(m.order == HERON_ORDER_COLUMN);
    CHECK(m.ld == ld);
    CHECK(m.values == data);
    CHECK(m.batch_count == 1);
}

template <class Args>
Args last(const char* operation, heron_phase phase) {
    return arguments<Args>(operation, phase, recorded().memory);
}

}  // namespace

TEST_CASE("csrsv and csrsm pass everything on, with the diagonal that the solve names") {
    REQUIRE(recorder_chosen);
    const handle h(cusparseCreate);
    for_each_type([&]<class F>(F f) {
        using T = typename F::scalar;
        const heron_type type = type_of(F::type);
        scalar two(type, 2);
        T *const x = typed<T>(x_values), *const y = typed<T>(y_values), *const a = typed<T>(values);
        for (const auto& op : operations)
            for (const bool upper : {false, true}) {
                CAPTURE(F::type, op.cusparse, upper);
                const matrix_descriptor descr(cusparseCreateMatDescr);
                const analysis_info info(cusparseCreateSolveAnalysisInfo);
                const heron_fill_mode fill = upper ? HERON_FILL_UPPER : HERON_FILL_LOWER;
                REQUIRE(cusparseSetMatIndexBase(descr, CUSPARSE_INDEX_BASE_ONE) == ok);
                REQUIRE(cusparseSetMatFillMode(
                            descr, upper ? CUSPARSE_FILL_MODE_UPPER : CUSPARSE_FILL_MODE_LOWER) == ok);
                REQUIRE(f.csrsv_analysis(h, op.cusparse, 5, 7, descr, a, row_offsets, indices, info) == ok);
                auto s = last<heron_trisolve_args>("trisolve", HERON_PHASE_ANALYSE);
                check_matrix(s.a, type, fill, HERON_DIAG_NON_UNIT);
                CHECK(s.op == op.direct);
                check_dense(s.b, 1, 5, nullptr);

                REQUIRE(cusparseSetMatDiagType(descr, CUSPARSE_DIAG_TYPE_UNIT) == ok);
                REQUIRE(cusparseSetMatType(descr, CUSPARSE_MATRIX_TYPE_TRIANGULAR) == ok);
                REQUIRE(f.csrsv_solve(h, op.cusparse, 5, typed<T>(two.bytes), descr, a, row_offsets, indices,
                                      info, x, y) == ok);
                s = last<heron_trisolve_args>("trisolve", HERON_PHASE_RUN);
                check_matrix(s.a, type, fill, HERON_DIAG_UNIT);
                CHECK(s.op == op.direct);
                CHECK(s.type == type);
                CHECK(is_host_value(s.alpha, 2));
                check_dense(s.b, 1, 5, x);
                check_dense(s.c, 1, 5, y);

                REQUIRE(f.csrsm_solve(h, op.cusparse, 5, 3, typed<T>(two.bytes), descr, a, row_offsets,
                                      indices, info, x, 6, y, 8) == ok);
                s = last<heron_trisolve_args>("trisolve", HERON_PHASE_RUN);
                check_matrix(s.a, type, fill, HERON_DIAG_UNIT);
                check_dense(s.b, 3, 6, x);
                check_dense(s.c, 3, 8, y);

                REQUIRE(f.csrsm_analysis(h, op.cusparse, 5, 7, descr, a, row_offsets, indices, info) == ok);
                check_matrix(last<heron_trisolve_args>("trisolve", HERON_PHASE_ANALYSE).a, type, fill,
                             HERON_DIAG_UNIT);
            }
    });
}

TEST_CASE("a solve analyses again only for more right-hand sides, or for a diagonal") {
    const handle h(cusparseCreate);
    const matrix_descriptor descr(cusparseCreateMatDescr);
    const analysis_info info(cusparseCreateSolveAnalysisInfo);
    auto *const a = typed<double>(values), *const x = typed<double>(x_values),
                *const y = typed<double>(y_values);
    const double one = 1;
    const auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    REQUIRE(cusparseSetMatIndexBase(descr, CUSPARSE_INDEX_BASE_ONE) == ok);
    REQUIRE(cusparseSetMatDiagType(descr, CUSPARSE_DIAG_TYPE_UNIT) == ok);
    REQUIRE(cusparseDcsrsm_analysis(h, plain, 5, 7, descr, a, row_offsets, indices, info) == ok);
    // What the plug-in is called for: the solution, and before it an analysis and its size.
    const auto calls = [&](int columns) {
        const int before = recorded().count;
        REQUIRE(cusparseDcsrsm_solve(h, plain, 5, columns, &one, descr, a, row_offsets, indices, info, x, 5,
                                     y, 5) == ok);
        return recorded().count - before;
    };
    CHECK(calls(1) == 1);
    CHECK(calls(4) == 3);
    CHECK(calls(4) == 1);
    CHECK(calls(2) == 1);
    REQUIRE(cusparseSetMatDiagType(descr, CUSPARSE_DIAG_TYPE_NON_UNIT) == ok);
    CHECK(calls(1) == 3);
    CHECK(calls(4) == 1);
    REQUIRE(cusparseSetMatDiagType(descr, CUSPARSE_DIAG_TYPE_UNIT) == ok);
    CHECK(calls(4) == 1);
}

TEST_CASE("csrilu0 and csric0 pass everything on") {
    const handle h(cusparseCreate);
    for_each_type([&]<class F>(F f) {
        using T = typename F::scalar;
        const heron_type type = type_of(F::type);
        T* const a = typed<T>(values);
        const auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
        const matrix_descriptor descr(cusparseCreateMatDescr);
        const analysis_info info(cusparseCreateSolveAnalysisInfo);
        REQUIRE(cusparseSetMatIndexBase(descr, CUSPARSE_INDEX_BASE_ONE) == ok);
        REQUIRE(f.csrsv_analysis(h, plain, 5, 7, descr, a, row_offsets, indices, info) == ok);
        REQUIRE(f.csrilu0(h, plain, 5, descr, a, row_offsets, indices, info) == ok);
        const auto lu = last<heron_factor_args>("ilu0", HERON_PHASE_RUN);
        check_matrix(lu.a, type, HERON_FILL_LOWER, HERON_DIAG_NON_UNIT);
        CHECK(lu.boost == 0);
        CHECK(recorded().plan != nullptr);
        REQUIRE(cusparseSetMatType(descr, CUSPARSE_MATRIX_TYPE_SYMMETRIC) == ok);
        REQUIRE(f.csric0(h, plain, 5, descr, a, row_offsets, indices, info) == ok);
        check_matrix(last<heron_factor_args>("ic0", HERON_PHASE_RUN).a, type, HERON_FILL_LOWER,
                     HERON_DIAG_NON_UNIT);

        // The upper triangle comes back from the matrix that was turned.
        REQUIRE(cusparseSetMatFillMode(descr, CUSPARSE_FILL_MODE_UPPER) == ok);
        REQUIRE(f.csric0(h, plain, 5, descr, a, row_offsets, indices, info) == ok);
        const auto back = arguments<heron_scatter_args>("scatter", HERON_PHASE_RUN);
        CHECK(back.y.values == values);
        CHECK(back.y.size == 7);
        CHECK(back.y.type == type);
        CHECK(back.x.nnz == 7);
        CHECK(back.x.values != values);
        CHECK(back.x.index_type == HERON_INDEX_32);
        CHECK(back.x.base == 0);
        CHECK(back.x.type == type);
        REQUIRE(cusparseSetMatType(descr, CUSPARSE_MATRIX_TYPE_GENERAL) == ok);
        REQUIRE(f.csrilu0(h, CUSPARSE_OPERATION_TRANSPOSE, 5, descr, a, row_offsets, indices, info) == ok);
        CHECK(arguments<heron_scatter_args>("scatter", HERON_PHASE_RUN).y.values == values);
    });
}

TEST_CASE("tridiagonal solves without a buffer run in the handle's scratch") {
    const handle h(cusparseCreate);
    for_each_type([&]<class F>(F f) {
        using T = typename F::scalar;
        const heron_type type = type_of(F::type);
        alignas(16) char lower[16], middle[16], upper[16];
        T *const l = typed<T>(lower), *const d = typed<T>(middle), *const u = typed<T>(upper),
                 *const x = typed<T>(x_values);
        for (const bool pivoting : {true, false}) {
            REQUIRE((pivoting ? f.gtsv : f.gtsv_nopivot)(h, 5, 3, l, d, u, x, 7) == ok);
            CHECK(recorded().memory != nullptr);
            const auto args = last<heron_gtsv_args>("gtsv", HERON_PHASE_RUN);
            CHECK(args.type == type);
            CHECK(args.pivoting == pivoting);
            CHECK(args.m == 5);
            CHECK(args.n == 3);
            CHECK(args.lower == lower);
            CHECK(args.main == middle);
            CHECK(args.upper == upper);
            CHECK(args.b == x_values);
            CHECK(args.ldb == 7);
        }
        REQUIRE(f.gtsvStridedBatch(h, 5, l, d, u, x, 3, 7) == ok);
        CHECK(recorded().memory != nullptr);
        const auto args = last<heron_gtsv_batch_args>("gtsv_batch", HERON_PHASE_RUN);
        CHECK(args.type == type);
        CHECK(args.m == 5);
        CHECK(args.count == 3);
        CHECK(args.stride == 7);
        CHECK(args.lower == lower);
        CHECK(args.main == middle);
        CHECK(args.upper == upper);
        CHECK(args.x == x_values);
    });
}
