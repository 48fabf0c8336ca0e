// The same for the products and solves with several columns.
#include "facade/recorder.hpp"
#include <vector>

using namespace heron::test;

namespace {

// Runs the three SpMM functions, which must hand on the same, and returns it.
heron_spmm_args record_spmm(cusparseHandle_t h, cusparseOperation_t op_a, cusparseOperation_t op_b,
                            cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b, cusparseDnMatDescr_t c,
                            cusparseSpMMAlg_t alg = CUSPARSE_SPMM_ALG_DEFAULT) {
    const scalar alpha(HERON_C_64F, 2, 1), beta(HERON_C_64F, -3);
    size_t size = 0;
    REQUIRE(cusparseSpMM_bufferSize(h, op_a, op_b, alpha, a, b, beta, c, CUDA_C_64F, alg, &size) == ok);
    CHECK(size == RECORDED_SIZE);
    const auto sizing = arguments<heron_spmm_args>("spmm", HERON_PHASE_SIZE);
    REQUIRE(cusparseSpMM_preprocess(h, op_a, op_b, alpha, a, b, beta, c, CUDA_C_64F, alg, buffer) == ok);
    const auto analysing = arguments<heron_spmm_args>("spmm", HERON_PHASE_ANALYSE, buffer);
    REQUIRE(cusparseSpMM(h, op_a, op_b, alpha, a, b, beta, c, CUDA_C_64F, alg, buffer) == ok);
    const auto running = arguments<heron_spmm_args>("spmm", HERON_PHASE_RUN, buffer);
    CHECK(std::memcmp(&sizing, &running, sizeof running) == 0);
    CHECK(std::memcmp(&analysing, &running, sizeof running) == 0);
    CHECK(is_host_value(running.alpha, 2, 1));
    CHECK(is_host_value(running.beta, -3));
    CHECK(running.compute_type == HERON_C_64F);
    CHECK(running.a.values == values);
    CHECK(running.b.values == x_values);
    CHECK(running.c.values == y_values);
    return running;
}

}  // namespace

TEST_CASE("SpMM passes CSC on as CSR of the transpose, and a transposed B as one with the other order") {
    const handle h(cusparseCreate);
    for (const bool csr : {true, false})
        for (const auto& op_a : operations)
            for (const auto& op_b : operations) {
                CAPTURE(csr, op_a.cusparse, op_b.cusparse);
                const bool turned_a = op_a.cusparse != CUSPARSE_OPERATION_NON_TRANSPOSE;
                const bool turned_b = op_b.cusparse != CUSPARSE_OPERATION_NON_TRANSPOSE;
                const int64_t m = turned_a ? 7 : 5, k = turned_a ? 5 : 7;
                const sparse_matrix a(csr ? cusparseCreateCsr : cusparseCreateCsc, 5, 7, 4, offsets, columns,
                                      values, CUSPARSE_INDEX_64I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE,
                                      CUDA_C_64F);
                const const_dense_matrix b(cusparseCreateConstDnMat, turned_b ? 2 : k, turned_b ? k : 2, 9,
                                           x_values, CUDA_C_64F, CUSPARSE_ORDER_COL);
                const dense_matrix c(cusparseCreateDnMat, m, 2, 3, y_values, CUDA_C_64F, CUSPARSE_ORDER_ROW);
                const heron_spmm_args args = record_spmm(h, op_a.cusparse, op_b.cusparse, a, b, c);
                CHECK(args.op == (csr ? op_a.direct : op_a.of_csc));
                CHECK(args.a.format == HERON_FORMAT_CSR);
                CHECK(args.a.rows == (csr ? 5 : 7));
                CHECK(args.a.offset_type == HERON_INDEX_64);
                CHECK(args.a.base == 1);
                CHECK(args.b.rows == k);
                CHECK(args.b.cols == 2);
                CHECK(args.b.ld == 9);
                CHECK(args.b.order == (turned_b ? HERON_ORDER_ROW : HERON_ORDER_COLUMN));
                CHECK(args.conjugate_b == (op_b.cusparse == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE));
                CHECK(args.c.rows == m);
                CHECK(args.c.cols == 2);
                CHECK(args.c.ld == 3);
                CHECK(args.c.order == HERON_ORDER_ROW);
                CHECK(args.reproducibility == HERON_DEFAULT);
            }
}

TEST_CASE("SpMM passes batches and reproducibility on") {
    const handle h(cusparseCreate);
    const auto none = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const sparse_matrix csr(cusparseCreateCsr, 5, 7, 4, offsets, columns, values, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_C_64F);
    const sparse_matrix coo(cusparseCreateCoo, 5, 7, 4, rows, columns, values, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_BASE_ZERO, CUDA_C_64F);
    const dense_matrix b(cusparseCreateDnMat, 7, 2, 7, x_values, CUDA_C_64F, CUSPARSE_ORDER_COL);
    const dense_matrix c(cusparseCreateDnMat, 5, 2, 5, y_values, CUDA_C_64F, CUSPARSE_ORDER_COL);
    REQUIRE(cusparseCsrSetStridedBatch(csr, 3, 6, 11) == ok);
    REQUIRE(cusparseCooSetStridedBatch(coo, 3, 4) == ok);
    REQUIRE(cusparseDnMatSetStridedBatch(c, 3, 17) == ok);
    const heron_spmm_args args = record_spmm(h, none, none, csr, b, c, CUSPARSE_SPMM_CSR_ALG3);
    CHECK(args.reproducibility == HERON_DETERMINISTIC);
    CHECK(args.a.offsets_stride == 6);
    CHECK(args.a.indices_stride == 11);
    CHECK(args.a.values_stride == 11);
    CHECK(args.b.batch_stride == 0);
    CHECK(args.c.batch_count == 3);
    CHECK(args.c.batch_stride == 17);
    CHECK(record_spmm(h, none, none, coo, b, c, CUSPARSE_SPMM_COO_ALG2).reproducibility ==
          HERON_DETERMINISTIC);
    CHECK(record_spmm(h, none, none, coo, b, c, CUSPARSE_SPMM_COO_ALG4).reproducibility == HERON_DEFAULT);
}

TEST_CASE("SpMM of one column without gaps is SpMV") {
    const handle h(cusparseCreate);
    const auto none = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const sparse_matrix a(cusparseCreateCsr, 5, 7, 4, offsets, columns, values, CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
    const dense_matrix b(cusparseCreateDnMat, 7, 1, 9, x_values, CUDA_R_64F, CUSPARSE_ORDER_COL);
    const dense_matrix c(cusparseCreateDnMat, 5, 1, 1, y_values, CUDA_R_64F, CUSPARSE_ORDER_ROW);
    const dense_matrix with_gaps(cusparseCreateDnMat, 5, 1, 2, y_values, CUDA_R_64F, CUSPARSE_ORDER_ROW);
    const scalar alpha(HERON_R_64F, 2), beta(HERON_R_64F, -3);
    const auto alg = CUSPARSE_SPMM_CSR_ALG3;
    REQUIRE(cusparseSpMM(h, none, none, alpha, a, b, beta, c, CUDA_R_64F, alg, buffer) == ok);
    const auto args = arguments<heron_spmv_args>("spmv", HERON_PHASE_RUN, buffer);
    CHECK(args.op == HERON_OP_NONE);
    CHECK(is_host_value(args.alpha, 2));
    CHECK(is_host_value(args.beta, -3));
    CHECK(args.a.values == values);
    check_vector(args.x, 7, x_values, HERON_R_64F);
    check_vector(args.y, 5, y_values, HERON_R_64F);
    CHECK(args.compute_type == HERON_R_64F);
    CHECK(args.reproducibility == HERON_DETERMINISTIC);
    REQUIRE(cusparseSpMM(h, none, none, alpha, a, b, beta, with_gaps, CUDA_R_64F, alg, buffer) == ok);
    CHECK(arguments<heron_spmm_args>("spmm", HERON_PHASE_RUN, buffer).c.ld == 2);
}

namespace {

// Runs the three SDDMM functions, which must hand on the same, and returns it.
heron_sddmm_args record_sddmm(cusparseHandle_t h, cusparseOperation_t op_a, cusparseOperation_t op_b,
                              cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                              cusparseSpMatDescr_t c, cudaDataType compute, const void* alpha,
                              const void* beta) {
    constexpr auto alg = CUSPARSE_SDDMM_ALG_DEFAULT;
    size_t size = 0;
    REQUIRE(cusparseSDDMM_bufferSize(h, op_a, op_b, alpha, a, b, beta, c, compute, alg, &size) == ok);
    CHECK(size == RECORDED_SIZE);
    const auto sizing = arguments<heron_sddmm_args>("sddmm", HERON_PHASE_SIZE);
    REQUIRE(cusparseSDDMM_preprocess(h, op_a, op_b, alpha, a, b, beta, c, compute, alg, buffer) == ok);
    const auto analysing = arguments<heron_sddmm_args>("sddmm", HERON_PHASE_ANALYSE, buffer);
    REQUIRE(cusparseSDDMM(h, op_a, op_b, alpha, a, b, beta, c, compute, alg, buffer) == ok);
    const auto running = arguments<heron_sddmm_args>("sddmm", HERON_PHASE_RUN, buffer);
    CHECK(std::memcmp(&sizing, &running, sizeof sizing) == 0);
    CHECK(std::memcmp(&analysing, &running, sizeof analysing) == 0);
    return running;
}

void check_vectors(const heron_sddmm_vectors& v, const void* data, int64_t vector_step, int64_t element_step,
                   bool conjugate) {
    CHECK(v.values == data);
    CHECK(v.type == HERON_C_32F);
    CHECK(v.vector_step == vector_step);
    CHECK(v.element_step == element_step);
    CHECK(v.conjugate == conjugate);
}

}  // namespace

TEST_CASE("SDDMM passes on the rows of op(A) and the columns of op(B), exchanged for CSC") {
    constexpr auto n = CUSPARSE_OPERATION_NON_TRANSPOSE;
    constexpr auto h_op = CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
    constexpr auto i64 = CUSPARSE_INDEX_64I;
    constexpr auto one_based = CUSPARSE_INDEX_BASE_ONE;
    const handle h(cusparseCreate);
    const scalar alpha(HERON_C_32F, 2, -1), beta(HERON_C_32F, 3, 4);
    const dense_matrix a(cusparseCreateDnMat, 5, 6, 9, x_values, CUDA_C_32F, CUSPARSE_ORDER_ROW);
    const dense_matrix b(cusparseCreateDnMat, 7, 6, 8, y_values, CUDA_C_32F, CUSPARSE_ORDER_COL);
    const sparse_matrix csr(cusparseCreateCsr, 5, 7, 4, offsets, columns, values, i64, i64, one_based,
                            CUDA_C_32F);
    const sparse_matrix csc(cusparseCreateCsc, 5, 7, 4, offsets, columns, values, i64, i64, one_based,
                            CUDA_C_32F);
    const auto by_rows = record_sddmm(h, n, h_op, a, b, csr, CUDA_C_32F, alpha, beta);
    CHECK(is_host_value(by_rows.alpha, 2, -1));
    CHECK(is_host_value(by_rows.beta, 3, 4));
    CHECK(by_rows.compute_type == HERON_C_32F);
    CHECK(by_rows.k == 6);
    CHECK(by_rows.c.format == HERON_FORMAT_CSR);
    CHECK(by_rows.c.base == 1);
    CHECK(by_rows.c.values == values);
    check_vectors(by_rows.a, x_values, 9, 1, false);
    check_vectors(by_rows.b, y_values, 1, 8, true);
    const auto by_columns = record_sddmm(h, n, h_op, a, b, csc, CUDA_C_32F, alpha, beta);
    CHECK(by_columns.c.format == HERON_FORMAT_CSR);
    CHECK(by_columns.c.rows == 7);
    CHECK(by_columns.c.cols == 5);
    check_vectors(by_columns.a, y_values, 1, 8, true);
    check_vectors(by_columns.b, x_values, 9, 1, false);
}

TEST_CASE("SDDMM passes on batches") {
    constexpr auto n = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const handle h(cusparseCreate);
    const scalar one(HERON_C_32F, 1);
    const dense_matrix a(cusparseCreateDnMat, 5, 6, 9, x_values, CUDA_C_32F, CUSPARSE_ORDER_ROW);
    const dense_matrix b(cusparseCreateDnMat, 6, 7, 8, y_values, CUDA_C_32F, CUSPARSE_ORDER_COL);
    const sparse_matrix c(cusparseCreateCsr, 5, 7, 4, offsets, columns, values, CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_C_32F);
    REQUIRE(cusparseDnMatSetStridedBatch(a, 3, 50) == ok);
    REQUIRE(cusparseCsrSetStridedBatch(c, 3, 6, 4) == ok);
    const auto args = record_sddmm(h, n, n, a, b, c, CUDA_C_32F, one, one);
    CHECK(args.a.batch_stride == 50);
    CHECK(args.b.batch_stride == 0);
    CHECK(args.c.batch_count == 3);
    CHECK(args.c.offsets_stride == 6);
    CHECK(args.c.values_stride == 4);
}

namespace {

// Large enough for what the core adds to RECORDED_SIZE.
alignas(256) char large_buffers[3][65536];

void check_spgemm(const heron_spgemm_args& args, const element_case& e) {
    // op(A) is a CSC matrix transposed, which needs no transposition; op(B) is a CSR matrix that does.
    CHECK(args.a.matrix.format == HERON_FORMAT_CSR);
    CHECK(args.a.matrix.rows == 5);
    CHECK(args.a.matrix.cols == 7);
    CHECK(args.a.matrix.offsets == offsets);
    CHECK(args.a.matrix.indices == rows);
    CHECK(args.a.matrix.values == x_values);
    CHECK(args.a.matrix.base == 1);
    CHECK(args.a.permutation == nullptr);
    CHECK(args.a.conjugate == 0);
    CHECK(args.b.matrix.rows == 7);
    CHECK(args.b.matrix.cols == 6);
    CHECK(args.b.matrix.nnz == 4);
    CHECK(args.b.matrix.values == y_values);
    CHECK(args.b.matrix.offsets != offsets);
    CHECK(args.b.matrix.base == 0);
    CHECK(args.b.permutation != nullptr);
    CHECK(args.b.conjugate == is_complex(e.type));
    CHECK(args.c.rows == 5);
    CHECK(args.c.cols == 6);
    CHECK(args.c.offsets == columns);
    CHECK(args.compute_type == e.compute);
    CHECK(args.longest == RECORDED_NNZ);
}

}  // namespace

TEST_CASE("SpGEMM passes on its factors, scalars and buffers") {
    const handle h(cusparseCreate);
    constexpr auto transposed = CUSPARSE_OPERATION_TRANSPOSE;
    constexpr auto adjoint = CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
    constexpr auto i64 = CUSPARSE_INDEX_64I;
    constexpr auto one_based = CUSPARSE_INDEX_BASE_ONE;
    constexpr auto alg = CUSPARSE_SPGEMM_ALG2;
    for (const element_case& e : uniform) {
        CAPTURE(e.cuda);
        const sparse_matrix a(cusparseCreateCsc, 7, 5, 4, offsets, rows, x_values, i64, i64, one_based,
                              e.cuda);
        const sparse_matrix b(cusparseCreateCsr, 6, 7, 4, offsets, columns, y_values, i64, i64, one_based,
                              e.cuda);
        const sparse_matrix c(cusparseCreateCsr, 5, 6, 0, columns, nullptr, nullptr, i64, i64,
                              CUSPARSE_INDEX_BASE_ZERO, e.cuda);
        const owned<cusparseSpGEMMDescr_t, &cusparseSpGEMM_destroyDescr> d(cusparseSpGEMM_createDescr);
        const double im = is_complex(e.type) ? -0.5 : 0;
        const scalar alpha(e.compute, 2, im), beta(e.compute, 3, -im);
        size_t size1 = sizeof large_buffers[0], size2 = sizeof large_buffers[1];
        REQUIRE(cusparseSpGEMM_workEstimation(h, transposed, adjoint, alpha, a, b, beta, c, e.cuda_compute,
                                              alg, d, &size1, large_buffers[0]) == ok);
        CHECK(std::string(recorded().operation) == "spgemm_estimate");
        REQUIRE(cusparseSpGEMM_compute(h, transposed, adjoint, alpha, a, b, beta, c, e.cuda_compute, alg, d,
                                       &size2, large_buffers[1]) == ok);
        CHECK(std::string(recorded().operation) == "spgemm_symbolic");
        REQUIRE(cusparseCsrSetPointers(c, columns, columns, values) == ok);
        REQUIRE(cusparseSpGEMM_copy(h, transposed, adjoint, alpha, a, b, beta, c, e.cuda_compute, alg, d) ==
                ok);
        const auto args = arguments<heron_spgemm_args>("spgemm_numeric", HERON_PHASE_RUN, recorded().memory);
        check_spgemm(args, e);
        CHECK(args.c.nnz == RECORDED_NNZ);
        CHECK(args.c.values == values);
        CHECK(args.parts == (HERON_SPGEMM_COLUMNS | HERON_SPGEMM_VALUES));
        CHECK(is_host_value(args.alpha, 2, im));
        CHECK(is_host_value(args.beta, 3, -im));
    }
}

TEST_CASE("SpGEMMreuse prepares the values and passes on which parts of C it wants") {
    const handle h(cusparseCreate);
    constexpr auto n = CUSPARSE_OPERATION_NON_TRANSPOSE;
    constexpr auto i64 = CUSPARSE_INDEX_64I;
    constexpr auto alg = CUSPARSE_SPGEMM_DEFAULT;
    const sparse_matrix a(cusparseCreateCsr, 5, 5, 4, offsets, columns, x_values, i64, i64,
                          CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
    const sparse_matrix c(cusparseCreateCsr, 5, 5, 0, rows, nullptr, nullptr, i64, i64,
                          CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
    const owned<cusparseSpGEMMDescr_t, &cusparseSpGEMM_destroyDescr> d(cusparseSpGEMM_createDescr);
    const scalar one(HERON_R_64F, 1);
    size_t size = sizeof large_buffers[0], none = 0;
    REQUIRE(cusparseSpGEMMreuse_workEstimation(h, n, n, a, a, c, alg, d, &size, large_buffers[0]) == ok);
    REQUIRE(cusparseSpGEMMreuse_nnz(h, n, n, a, a, c, alg, d, &size, large_buffers[1], &none, nullptr, &size,
                                    large_buffers[2]) == ok);
    const auto counted = arguments<heron_spgemm_args>("spgemm_symbolic", HERON_PHASE_RUN, recorded().memory);
    CHECK(counted.row_offsets == static_cast<void*>(large_buffers[2]));
    REQUIRE(cusparseCsrSetPointers(c, rows, columns, values) == ok);
    REQUIRE(cusparseSpGEMMreuse_copy(h, n, n, a, a, c, alg, d, &size, large_buffers[1]) == ok);
    void* const kept = recorded().memory;
    CHECK(arguments<heron_spgemm_args>("spgemm_numeric", HERON_PHASE_ANALYSE, kept).parts ==
          HERON_SPGEMM_VALUES);
    REQUIRE(cusparseSpGEMMreuse_compute(h, n, n, one, a, a, one, c, CUDA_R_64F, alg, d) == ok);
    CHECK(arguments<heron_spgemm_args>("spgemm_numeric", HERON_PHASE_RUN, kept).parts == HERON_SPGEMM_VALUES);
    CHECK(recorded().plan != nullptr);
    const int destroyed = recorded().plans_destroyed;
    REQUIRE(cusparseSpGEMMreuse_workEstimation(h, n, n, a, a, c, alg, d, &size, large_buffers[0]) == ok);
    CHECK(recorded().plans_destroyed == destroyed + 1);
}

TEST_CASE("SpMMOp compiles when the plan is made and runs with copies of its operators") {
    constexpr auto n = CUSPARSE_OPERATION_NON_TRANSPOSE;
    constexpr auto t = CUSPARSE_OPERATION_TRANSPOSE;
    const handle h(cusparseCreate);
    const sparse_matrix a(cusparseCreateCsr, 5, 7, 4, offsets, columns, values, CUSPARSE_INDEX_64I,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, CUDA_R_32F);
    const dense_matrix b(cusparseCreateDnMat, 3, 7, 8, x_values, CUDA_R_32F, CUSPARSE_ORDER_ROW);
    const dense_matrix c(cusparseCreateDnMat, 5, 3, 6, y_values, CUDA_R_32F, CUSPARSE_ORDER_COL);
    char add[] = "add", mul[] = "mul!", finish[] = "finish";
    cusparseSpMMOpPlan_t plan = nullptr;
    size_t size = 0;
    REQUIRE(cusparseSpMMOp_createPlan(h, &plan, n, t, a, b, c, CUDA_R_32F, CUSPARSE_SPMM_OP_ALG_DEFAULT, add,
                                      3, mul, 4, finish, 6, &size) == ok);
    CHECK(size == RECORDED_SIZE);
    const auto made = arguments<heron_spmm_op_args>("spmm_op", HERON_PHASE_SIZE);
    std::memset(add, 0, sizeof add);
    REQUIRE(cusparseSpMMOp(plan, buffer) == ok);
    const auto args = arguments<heron_spmm_op_args>("spmm_op", HERON_PHASE_RUN, buffer);
    CHECK(std::memcmp(&made, &args, sizeof made) == 0);
    CHECK(args.form == HERON_OPERATORS_LTO_IR);
    CHECK(args.epilogue_kind == HERON_EPILOGUE_CUSTOM);
    CHECK(std::string(static_cast<const char*>(args.add_code.data), args.add_code.size) == "add");
    CHECK(std::string(static_cast<const char*>(args.mul_code.data), args.mul_code.size) == "mul!");
    CHECK(std::string(static_cast<const char*>(args.epilogue_code.data), args.epilogue_code.size) ==
          "finish");
    CHECK(args.a.format == HERON_FORMAT_CSR);
    CHECK(args.a.offset_type == HERON_INDEX_64);
    CHECK(args.a.base == 1);
    CHECK(args.b == x_values);
    CHECK(args.b_row_step == 1);
    CHECK(args.b_column_step == 8);
    CHECK(args.c == y_values);
    CHECK(args.c_row_step == 1);
    CHECK(args.c_column_step == 6);
    CHECK(args.columns == 3);
    CHECK(args.compute_type == HERON_R_32F);
    CHECK(cusparseSpMMOp(plan, nullptr) == invalid);
    CHECK(cusparseSpMMOp_destroyPlan(plan) == ok);
}

TEST_CASE("SpSV is a triangular solve with one column") {
    const handle h(cusparseCreate);
    for (const bool is_csr : {true, false}) {
        const sparse_matrix a(is_csr ? cusparseCreateCsr : cusparseCreateCsc, 5, 5, 4, offsets, columns,
                              values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE,
                              CUDA_C_32F);
        cusparseFillMode_t upper = CUSPARSE_FILL_MODE_UPPER;
        REQUIRE(cusparseSpMatSetAttribute(a, CUSPARSE_SPMAT_FILL_MODE, &upper, sizeof upper) == ok);
        const dense_vector x(cusparseCreateDnVec, 5, x_values, CUDA_C_32F),
            y(cusparseCreateDnVec, 5, y_values, CUDA_C_32F);
        const owned<cusparseSpSVDescr_t, &cusparseSpSV_destroyDescr> d(cusparseSpSV_createDescr);
        const scalar alpha(HERON_C_32F, 2, -1);
        const auto call = [&](auto function, auto... last) {
            REQUIRE(function(h, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, alpha, a, x, y, CUDA_C_32F,
                             CUSPARSE_SPSV_ALG_DEFAULT, d, last...) == ok);
        };
        size_t size = 0;
        call(cusparseSpSV_bufferSize, &size);
        CHECK(size >= RECORDED_SIZE + 9 * 8);
        std::vector<char> memory(size);
        call(cusparseSpSV_analysis, memory.data());
        arguments<heron_trisolve_args>("trisolve", HERON_PHASE_ANALYSE, memory.data());
        call(cusparseSpSV_solve);
        const auto args = arguments<heron_trisolve_args>("trisolve", HERON_PHASE_RUN, memory.data());
        CHECK(recorded().plan != nullptr);
        CHECK(args.op == (is_csr ? HERON_OP_CONJUGATE_TRANSPOSE : HERON_OP_CONJUGATE));
        CHECK(args.a.fill == (is_csr ? HERON_FILL_UPPER : HERON_FILL_LOWER));
        CHECK(args.a.diag == HERON_DIAG_NON_UNIT);
        CHECK(args.a.values == values);
        CHECK(args.diagonal == nullptr);
        CHECK(args.type == HERON_C_32F);
        CHECK(is_host_value(args.alpha, 2, -1));
        CHECK(args.b.values == x_values);
        CHECK(args.c.values == y_values);
        CHECK(args.b.rows == 5);
        CHECK(args.c.cols == 1);

        REQUIRE(cusparseSpSV_updateMatrix(h, d, x_values, CUSPARSE_SPSV_UPDATE_GENERAL) == ok);
        REQUIRE(cusparseSpSV_updateMatrix(h, d, x_values, CUSPARSE_SPSV_UPDATE_DIAGONAL) == ok);
        call(cusparseSpSV_solve);
        const auto updated = arguments<heron_trisolve_args>("trisolve", HERON_PHASE_RUN, memory.data());
        CHECK(updated.a.values != values);
        CHECK(std::memcmp(updated.a.values, x_values, 4 * 8) == 0);
        CHECK(std::memcmp(updated.diagonal, x_values, 5 * 8) == 0);
        REQUIRE(cusparseSpMatSetValues(a, values) == ok);
        call(cusparseSpSV_solve);
        CHECK(arguments<heron_trisolve_args>("trisolve", HERON_PHASE_RUN, memory.data()).a.values == values);
    }
}

TEST_CASE("SpSM's transposed B is the same memory in the other order") {
    const handle h(cusparseCreate);
    const sparse_matrix a(cusparseCreateCoo, 5, 5, 4, rows, columns, values, CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
    const dense_matrix b(cusparseCreateDnMat, 3, 5, 4, x_values, CUDA_R_64F, CUSPARSE_ORDER_COL);
    const dense_matrix c(cusparseCreateDnMat, 5, 3, 6, y_values, CUDA_R_64F, CUSPARSE_ORDER_COL);
    const owned<cusparseSpSMDescr_t, &cusparseSpSM_destroyDescr> d(cusparseSpSM_createDescr);
    const scalar alpha(HERON_R_64F, 2);
    const auto call = [&](auto function, auto... last) {
        REQUIRE(function(h, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, alpha, a, b, c,
                         CUDA_R_64F, CUSPARSE_SPSM_ALG_DEFAULT, d, last...) == ok);
    };
    size_t size = 0;
    call(cusparseSpSM_bufferSize, &size);
    std::vector<char> memory(size);
    call(cusparseSpSM_analysis, memory.data());
    call(cusparseSpSM_solve);
    const auto args = arguments<heron_trisolve_args>("trisolve", HERON_PHASE_RUN, memory.data());
    CHECK(args.a.format == HERON_FORMAT_COO);
    CHECK(args.b.rows == 5);
    CHECK(args.b.cols == 3);
    CHECK(args.b.ld == 4);
    CHECK(args.b.order == HERON_ORDER_ROW);
    CHECK(args.c.ld == 6);
    CHECK(args.c.order == HERON_ORDER_COLUMN);
    CHECK(args.staged_columns == 0);
}

TEST_CASE("SpMVOp is SpMV into Z, and an operation on Z's elements") {
    const handle h(cusparseCreate);
    constexpr auto none = CUSPARSE_OPERATION_NON_TRANSPOSE;
    constexpr auto alg = CUSPARSE_SPMVOP_ALG_DEFAULT;
    alignas(16) char z_values[64];
    const sparse_matrix a(cusparseCreateCsr, 5, 7, 4, offsets, columns, values, CUSPARSE_INDEX_64I,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, CUDA_R_64F);
    const dense_vector x(cusparseCreateDnVec, 7, x_values, CUDA_R_64F),
        y(cusparseCreateDnVec, 5, y_values, CUDA_R_64F);
    const dense_vector z(cusparseCreateDnVec, 5, z_values, CUDA_R_64F);
    const scalar alpha(HERON_R_64F, 2), beta(HERON_R_64F, -3);
    size_t size = 0;
    REQUIRE(cusparseSpMVOp_bufferSize(h, none, a, x, y, z, CUDA_R_64F, alg, &size) == ok);
    CHECK(size == RECORDED_SIZE);
    cusparseSpMVOpDescr_t made = nullptr;
    REQUIRE(cusparseSpMVOp_createDescr(h, &made, none, a, x, y, z, CUDA_R_64F, alg, buffer) == ok);
    const auto analysed = arguments<heron_spmv_args>("spmv", HERON_PHASE_ANALYSE, buffer);
    CHECK(analysed.a.values == values);
    cusparseSpMVOpPlan_t plan = nullptr;
    REQUIRE(cusparseSpMVOp_createPlan(h, made, &plan, nullptr, 0) == ok);
    REQUIRE(cusparseSpMVOp(h, plan, alpha, beta, x, y, z) == ok);
    const auto args = arguments<heron_spmv_args>("spmv", HERON_PHASE_RUN, buffer);
    CHECK(args.op == HERON_OP_NONE);
    CHECK(is_host_value(args.alpha, 2));
    CHECK(is_host_value(args.beta, -3));
    check_vector(args.x, 7, x_values, HERON_R_64F);
    check_vector(args.y, 5, z_values, HERON_R_64F);
    CHECK(args.a.base == 1);
    CHECK(args.compute_type == HERON_R_64F);
    REQUIRE(cusparseSpMVOp_destroyPlan(plan) == ok);

    const char code[] = "code";
    REQUIRE(cusparseSpMVOp_createPlan(h, made, &plan, code, sizeof code) == ok);
    REQUIRE(cusparseSpMVOp(h, plan, alpha, beta, x, y, z) == ok);
    const auto last = arguments<heron_spmm_op_args>("spmm_op", HERON_PHASE_RUN);
    CHECK(last.form == HERON_OPERATORS_LTO_IR);
    CHECK(last.epilogue_kind == HERON_EPILOGUE_CUSTOM);
    CHECK(last.add_code.size == 0);
    CHECK(last.epilogue_code.size == sizeof code);
    CHECK(last.context == nullptr);
    CHECK(last.a.rows == 5);
    CHECK(last.a.nnz == 0);
    CHECK(last.c == z_values);
    CHECK(last.columns == 1);
    CHECK(last.c_row_step == 1);
    double number = 4;
    REQUIRE(cusparseSpMVOp_setGlobalUserData(h, plan, "number", &number, sizeof number) == ok);
    CHECK(arguments<heron_spmm_op_args>("spmm_op", HERON_PHASE_ANALYSE).context != nullptr);
    REQUIRE(cusparseSpMVOp_destroyPlan(plan) == ok);
    REQUIRE(cusparseSpMVOp_destroyDescr(made) == ok);
}

TEST_CASE("SpGEAM's count goes to the host in either pointer mode") {
    const handle h(cusparseCreate);
    constexpr auto none = CUSPARSE_OPERATION_NON_TRANSPOSE;
    constexpr auto alg = CUSPARSE_SPGEAM_ALG_DEFAULT;
    const auto csr = [](int64_t nnz, void* its_values) {
        return sparse_matrix(cusparseCreateCsr, 5, 7, nnz, offsets, columns, its_values, CUSPARSE_INDEX_32I,
                             CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, CUDA_R_32F);
    };
    const sparse_matrix a = csr(4, values), b = csr(3, x_values), c = csr(0, y_values);
    const owned<cusparseSpGEAMDescr_t, &cusparseSpGEAM_destroyDescr> d(cusparseSpGEAM_createDescr);
    for (const auto mode : {CUSPARSE_POINTER_MODE_HOST, CUSPARSE_POINTER_MODE_DEVICE}) {
        const scalar alpha(HERON_R_32F, 2), beta(HERON_R_32F, -3);
        REQUIRE(cusparseSetPointerMode(h, mode) == ok);
        const auto call = [&](auto function, auto last) {
            REQUIRE(function(h, none, none, alpha, a, beta, b, c, CUDA_R_32F, alg, d, last) == ok);
        };
        call(cusparseSpGEAM_nnz, static_cast<void*>(buffer));
        const auto counted = arguments<heron_spadd_args>("spadd_count", HERON_PHASE_RUN, buffer);
        CHECK(counted.nnz.on_device == 0);
        CHECK(counted.nnz.value != nullptr);
        CHECK(counted.a.nnz == 4);
        CHECK(counted.b.nnz == 3);
        call(cusparseSpGEAM, static_cast<void*>(buffer));
        const auto added = arguments<heron_spadd_args>("spadd", HERON_PHASE_RUN, buffer);
        CHECK(added.a.values == values);
        CHECK(added.b.values == x_values);
        CHECK(added.c.values == y_values);
        CHECK(added.type == HERON_R_32F);
        if (mode == CUSPARSE_POINTER_MODE_HOST) CHECK(is_host_value(added.beta, -3));
        if (mode == CUSPARSE_POINTER_MODE_DEVICE)
            CHECK(added.alpha.device == static_cast<const void*>(alpha));
    }
}
