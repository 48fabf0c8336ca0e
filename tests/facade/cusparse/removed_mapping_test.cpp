// What the products, conversions and sums that NVIDIA has removed make of their arguments, seen by a plug-in
// that only records them.
#include "facade/recorded_operands.hpp"
#include "facade/recorder.hpp"
#include "typed_functions.hpp"

using namespace heron::test;

namespace {

heron_type type_of(cudaDataType type) {
    for (const element_case& e : uniform)
        if (e.cuda == type) return e.type;
    FAIL("no element type");
    return HERON_R_64F;
}

template <class T>
T* typed(void* p) {
    return static_cast<T*>(p);
}
template <class T>
const T* typed(const scalar& s) {
    return static_cast<const T*>(static_cast<const void*>(s));
}

using matrix_descriptor = owned<cusparseMatDescr_t, &cusparseDestroyMatDescr>;
int32_t* const row_offsets = reinterpret_cast<int32_t*>(offsets);
int32_t* const indices = reinterpret_cast<int32_t*>(columns);

void check_csr(const heron_spmat& a, int64_t rows, int64_t cols, int64_t nnz, heron_type type, int base) {
    CHECK(a.format == HERON_FORMAT_CSR);
    CHECK(a.rows == rows);
    CHECK(a.cols == cols);
    CHECK(a.nnz == nnz);
    CHECK(a.offsets == row_offsets);
    CHECK(a.indices == indices);
    CHECK(a.values == values);
    CHECK(a.offset_type == HERON_INDEX_32);
    CHECK(a.index_type == HERON_INDEX_32);
    CHECK(a.base == base);
    CHECK(a.type == type);
}

}  // namespace

TEST_CASE("removed products pass everything on and take their workspace from the handle") {
    REQUIRE(recorder_chosen);
    const handle h(cusparseCreate);
    const matrix_descriptor descr(cusparseCreateMatDescr);
    for_each_type([&]<class F>(F f) {
        using T = typename F::scalar;
        const heron_type type = type_of(F::type);
        const scalar two(type, 2), three(type, 3);
        const T *const alpha = typed<T>(two), *const beta = typed<T>(three);
        T *const x = typed<T>(x_values), *const y = typed<T>(y_values), *const a = typed<T>(values);
        const auto check_product = [&](heron_operation op, int base, int64_t inner, int64_t outer,
                                       heron_order order_b, int64_t ldb) {
            CHECK(recorded().memory != nullptr);
            const auto mm = arguments<heron_spmm_args>("spmm", HERON_PHASE_RUN, recorded().memory);
            CHECK(mm.op == op);
            check_csr(mm.a, 5, 7, 4, type, base);
            check_dense(mm.b, inner, 2, order_b, ldb, x);
            check_dense(mm.c, outer, 2, HERON_ORDER_COLUMN, 22, y);
            CHECK(is_host_value(mm.alpha, 2));
            CHECK(is_host_value(mm.beta, 3));
            CHECK(mm.compute_type == type);
            CHECK(mm.reproducibility == HERON_DEFAULT);
            return mm;
        };
        for (const auto& op : operations)
            for (const cusparseIndexBase_t base : bases) {
                CAPTURE(F::type, op.cusparse, base);
                REQUIRE(cusparseSetMatIndexBase(descr, base) == ok);
                const bool turned = op.direct != HERON_OP_NONE;
                const int64_t inner = turned ? 5 : 7, outer = turned ? 7 : 5;
                REQUIRE(f.csrmv_mp(h, op.cusparse, 5, 7, 4, alpha, descr, a, row_offsets, indices, x, beta,
                                   y) == ok);
                CHECK(recorded().memory != nullptr);
                const auto mv = arguments<heron_spmv_args>("spmv", HERON_PHASE_RUN, recorded().memory);
                CHECK(mv.op == op.direct);
                check_csr(mv.a, 5, 7, 4, type, base);
                check_vector(mv.x, inner, x, type);
                check_vector(mv.y, outer, y, type);
                CHECK(is_host_value(mv.alpha, 2));
                CHECK(is_host_value(mv.beta, 3));
                CHECK(mv.compute_type == type);

                REQUIRE(f.csrmm(h, op.cusparse, 5, 2, 7, 4, alpha, descr, a, row_offsets, indices, x, 9, beta,
                                y, 22) == ok);
                CHECK(!check_product(op.direct, base, inner, outer, HERON_ORDER_COLUMN, 9).conjugate_b);
                for (const auto& op_b : operations) {
                    const bool by_rows = op_b.direct != HERON_OP_NONE;
                    REQUIRE(f.csrmm2(h, op.cusparse, op_b.cusparse, 5, 2, 7, 4, alpha, descr, a, row_offsets,
                                     indices, x, 9, beta, y, 22) == ok);
                    const auto mm = check_product(op.direct, base, inner, outer,
                                                  by_rows ? HERON_ORDER_ROW : HERON_ORDER_COLUMN, 9);
                    CHECK((mm.conjugate_b != 0) ==
                          (op_b.direct == HERON_OP_CONJUGATE_TRANSPOSE && F::is_complex));
                }
            }
        // A 6 x 7 and dense, B 7 x 5: the product of the transposes.
        REQUIRE(f.gemmi(h, 6, 5, 7, 4, alpha, x, 8, a, row_offsets, indices, beta, y, 9) == ok);
        CHECK(recorded().memory != nullptr);
        const auto mm = arguments<heron_spmm_args>("spmm", HERON_PHASE_RUN, recorded().memory);
        CHECK(mm.op == HERON_OP_NONE);
        check_csr(mm.a, 5, 7, 4, type, 0);
        check_dense(mm.b, 7, 6, HERON_ORDER_ROW, 8, x);
        check_dense(mm.c, 5, 6, HERON_ORDER_ROW, 9, y);
        CHECK(!mm.conjugate_b);
        CHECK(is_host_value(mm.alpha, 2));
        CHECK(is_host_value(mm.beta, 3));
    });
}

TEST_CASE("removed conversions and sums pass everything on and take their workspace from the handle") {
    const handle h(cusparseCreate);
    const matrix_descriptor from_0(cusparseCreateMatDescr), from_1(cusparseCreateMatDescr);
    REQUIRE(cusparseSetMatIndexBase(from_1, CUSPARSE_INDEX_BASE_ONE) == ok);
    int32_t* const to_offsets = reinterpret_cast<int32_t*>(rows);
    for_each_type([&]<class F>(F f) {
        using T = typename F::scalar;
        const heron_type type = type_of(F::type);
        CAPTURE(F::type);
        T *const x = typed<T>(x_values), *const y = typed<T>(y_values), *const a = typed<T>(values);
        REQUIRE(f.csr2dense(h, 5, 7, from_1, a, row_offsets, indices, x, 6) == ok);
        const auto rows_of =
            arguments<heron_sparse_to_dense_args>("sparse_to_dense", HERON_PHASE_RUN, recorded().memory);
        CHECK(rows_of.a.nnz > 0);
        check_csr(rows_of.a, 5, 7, rows_of.a.nnz, type, 1);
        check_dense(rows_of.b, 5, 7, HERON_ORDER_COLUMN, 6, x);
        REQUIRE(f.csc2dense(h, 5, 7, from_0, a, indices, row_offsets, x, 6) == ok);
        const auto columns_of =
            arguments<heron_sparse_to_dense_args>("sparse_to_dense", HERON_PHASE_RUN, recorded().memory);
        check_csr(columns_of.a, 7, 5, columns_of.a.nnz, type, 0);
        check_dense(columns_of.b, 7, 5, HERON_ORDER_ROW, 6, x);

        REQUIRE(f.dense2csr(h, 5, 7, from_1, x, 6, to_offsets, a, row_offsets, indices) == ok);
        const auto to_rows =
            arguments<heron_dense_to_sparse_args>("dense_to_sparse", HERON_PHASE_RUN, recorded().memory);
        check_dense(to_rows.a, 5, 7, HERON_ORDER_COLUMN, 6, x);
        check_csr(to_rows.b, 5, 7, to_rows.b.nnz, type, 1);
        REQUIRE(f.dense2csc(h, 5, 7, from_0, x, 6, to_offsets, a, indices, row_offsets) == ok);
        const auto to_columns =
            arguments<heron_dense_to_sparse_args>("dense_to_sparse", HERON_PHASE_RUN, recorded().memory);
        check_dense(to_columns.a, 7, 5, HERON_ORDER_ROW, 6, x);
        check_csr(to_columns.b, 7, 5, to_columns.b.nnz, type, 0);

        REQUIRE(f.csr2csc(h, 5, 7, 4, a, row_offsets, indices, y, to_offsets + 8, to_offsets,
                          CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ONE) == ok);
        CHECK(recorded().memory != nullptr);
        const auto turned = arguments<heron_transpose_args>("transpose", HERON_PHASE_RUN, recorded().memory);
        check_csr(turned.a, 5, 7, 4, type, 1);
        CHECK(turned.b.rows == 7);
        CHECK(turned.b.cols == 5);
        CHECK(turned.b.values == y);
        CHECK(turned.b.offsets == to_offsets);
        CHECK(turned.b.indices == to_offsets + 8);
        CHECK(turned.values == 1);

        const scalar two(type, 2), three(type, 3);
        REQUIRE(f.csrgeam(h, 5, 7, typed<T>(two), from_0, 4, a, row_offsets, indices, typed<T>(three), from_1,
                          4, a, row_offsets, indices, from_1, y, to_offsets, to_offsets + 8) == ok);
        CHECK(recorded().memory != nullptr);
        const auto sum = arguments<heron_spadd_args>("spadd", HERON_PHASE_RUN, recorded().memory);
        check_csr(sum.a, 5, 7, 4, type, 0);
        check_csr(sum.b, 5, 7, 4, type, 1);
        CHECK(sum.c.offsets == to_offsets);
        CHECK(sum.c.indices == to_offsets + 8);
        CHECK(sum.c.values == y);
        CHECK(sum.c.base == 1);
        CHECK(is_host_value(sum.alpha, 2));
        CHECK(is_host_value(sum.beta, 3));
    });
}

TEST_CASE("csrmvEx passes on every type, and takes either algorithm") {
    const handle h(cusparseCreate);
    const matrix_descriptor descr(cusparseCreateMatDescr);
    for (const element_case& e : uniform)
        for (const int algorithm : {0, 1}) {
            CAPTURE(e.cuda, algorithm);
            const scalar two(e.compute, 2), three(e.compute, 3);
            REQUIRE(cusparseCsrmvEx(h, static_cast<cusparseAlgMode_t>(algorithm),
                                    CUSPARSE_OPERATION_TRANSPOSE, 5, 7, 4, two, e.cuda_compute, descr, values,
                                    e.cuda, row_offsets, indices, x_values, e.cuda, three, e.cuda_compute,
                                    y_values, e.cuda, e.cuda_compute, buffer) == ok);
            const auto mv = arguments<heron_spmv_args>("spmv", HERON_PHASE_RUN, buffer);
            CHECK(mv.op == HERON_OP_TRANSPOSE);
            check_csr(mv.a, 5, 7, 4, e.type, 0);
            check_vector(mv.x, 5, x_values, e.type);
            check_vector(mv.y, 7, y_values, e.type);
            CHECK(is_host_value(mv.alpha, 2));
            CHECK(is_host_value(mv.beta, 3));
            CHECK(mv.compute_type == e.compute);
        }
}

TEST_CASE("SpMatSetStridedBatch takes matrices one behind the other") {
    const handle h(cusparseCreate);
    const double one = 1;
    const sparse_matrix a(cusparseCreateCsr, 5, 7, 4, offsets, columns, values, CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
    const dense_matrix b(cusparseCreateDnMat, 7, 2, 7, x_values, CUDA_R_64F, CUSPARSE_ORDER_COL),
        c(cusparseCreateDnMat, 5, 2, 5, y_values, CUDA_R_64F, CUSPARSE_ORDER_COL);
    REQUIRE(cusparseSpMatSetStridedBatch(a, 3) == ok);
    REQUIRE(cusparseDnMatSetStridedBatch(b, 3, 14) == ok);
    REQUIRE(cusparseDnMatSetStridedBatch(c, 3, 10) == ok);
    REQUIRE(cusparseSpMM(h, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, b,
                         &one, c, CUDA_R_64F, CUSPARSE_SPMM_ALG_DEFAULT, buffer) == ok);
    const auto mm = arguments<heron_spmm_args>("spmm", HERON_PHASE_RUN, buffer);
    CHECK(mm.a.batch_count == 3);
    CHECK(mm.a.offsets_stride == 6);
    CHECK(mm.a.indices_stride == 4);
    CHECK(mm.a.values_stride == 4);
}

TEST_CASE("ConstrainedGeMM is SDDMM") {
    const handle h(cusparseCreate);
    const double two = 2, three = 3;
    const dense_matrix a(cusparseCreateDnMat, 5, 6, 5, x_values, CUDA_R_64F, CUSPARSE_ORDER_COL),
        b(cusparseCreateDnMat, 7, 6, 7, y_values, CUDA_R_64F, CUSPARSE_ORDER_COL);
    const sparse_matrix c(cusparseCreateCsr, 5, 7, 4, offsets, columns, values, CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, CUDA_R_64F);
    REQUIRE(cusparseConstrainedGeMM(h, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, &two,
                                    a, b, &three, c, CUDA_R_64F, buffer) == ok);
    const auto old = arguments<heron_sddmm_args>("sddmm", HERON_PHASE_RUN, buffer);
    REQUIRE(cusparseSDDMM(h, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, &two, a, b,
                          &three, c, CUDA_R_64F, CUSPARSE_SDDMM_ALG_DEFAULT, buffer) == ok);
    const auto newer = arguments<heron_sddmm_args>("sddmm", HERON_PHASE_RUN, buffer);
    CHECK(std::memcmp(&old, &newer, sizeof old) == 0);
    CHECK(is_host_value(old.alpha, 2));
    CHECK(is_host_value(old.beta, 3));
    check_csr(old.c, 5, 7, 4, HERON_R_64F, 1);
}
