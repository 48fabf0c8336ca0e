// What the facade and the core make of the arguments of vector operations, SpMV and the conversions, seen by
// a plug-in that only records them.
#include "facade/recorder.hpp"
#include <vector>

using namespace heron::test;

TEST_CASE("vector operations pass on element, index and compute types, bases and scalars") {
    REQUIRE(recorder_chosen);
    const handle h(cusparseCreate);
    for (const element_case& e : uniform)
        for (const index_case& i : index_types)
            for (const cusparseIndexBase_t base : bases) {
                CAPTURE(e.cuda, i.cusparse, base);
                const sparse_vector x(cusparseCreateSpVec, 9, 3, columns, x_values, i.cusparse, base, e.cuda);
                const dense_vector y(cusparseCreateDnVec, 9, y_values, e.cuda);
                const double im = is_complex(e.type) ? -0.5 : 0;
                const scalar alpha(e.compute, 2, im), beta(e.compute, 3, -im);

                REQUIRE(cusparseAxpby(h, alpha, x, beta, y) == ok);
                const auto axpby = arguments<heron_axpby_args>("axpby", HERON_PHASE_RUN);
                CHECK(is_host_value(axpby.alpha, 2, im));
                CHECK(is_host_value(axpby.beta, 3, -im));
                CHECK(axpby.compute_type == e.compute);
                check_sparse_x(axpby.x, i.type, base, e.type);
                check_vector(axpby.y, 9, y_values, e.type);

                REQUIRE(cusparseGather(h, y, x) == ok);
                const auto gather = arguments<heron_gather_args>("gather", HERON_PHASE_RUN);
                check_sparse_x(gather.x, i.type, base, e.type);
                check_vector(gather.y, 9, y_values, e.type);

                REQUIRE(cusparseScatter(h, x, y) == ok);
                const auto scatter = arguments<heron_scatter_args>("scatter", HERON_PHASE_RUN);
                check_sparse_x(scatter.x, i.type, base, e.type);
                check_vector(scatter.y, 9, y_values, e.type);

                REQUIRE(cusparseRot(h, alpha, beta, x, y) == ok);
                const auto rot = arguments<heron_rot_args>("rot", HERON_PHASE_RUN);
                CHECK(is_host_value(rot.c, 2, im));
                CHECK(is_host_value(rot.s, 3, -im));
                CHECK(rot.compute_type == e.compute);
                check_sparse_x(rot.x, i.type, base, e.type);
                check_vector(rot.y, 9, y_values, e.type);
            }
}

TEST_CASE("gather and scatter move integers too") {
    const handle h(cusparseCreate);
    for (const auto& [cuda, type] : {std::pair{CUDA_R_8I, HERON_R_8I}, std::pair{CUDA_R_32I, HERON_R_32I}}) {
        const sparse_vector x(cusparseCreateSpVec, 9, 3, columns, x_values, CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_BASE_ZERO, cuda);
        const dense_vector y(cusparseCreateDnVec, 9, y_values, cuda);
        REQUIRE(cusparseGather(h, y, x) == ok);
        CHECK(arguments<heron_gather_args>("gather", HERON_PHASE_RUN).x.type == type);
        REQUIRE(cusparseScatter(h, x, y) == ok);
        CHECK(arguments<heron_scatter_args>("scatter", HERON_PHASE_RUN).y.type == type);
    }
}

TEST_CASE("device pointer mode passes addresses on and reads nothing") {
    const handle h(cusparseCreate);
    REQUIRE(cusparseSetPointerMode(h, CUSPARSE_POINTER_MODE_DEVICE) == ok);
    const sparse_vector x(cusparseCreateSpVec, 9, 3, columns, x_values, CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
    const dense_vector y(cusparseCreateDnVec, 9, y_values, CUDA_R_64F);
    // Addresses that nobody may read on the host.
    const auto alpha = reinterpret_cast<const void*>(uintptr_t{64});
    const auto beta = reinterpret_cast<const void*>(uintptr_t{128});
    REQUIRE(cusparseAxpby(h, alpha, x, beta, y) == ok);
    const auto axpby = arguments<heron_axpby_args>("axpby", HERON_PHASE_RUN);
    CHECK(axpby.alpha.device == alpha);
    CHECK(axpby.beta.device == beta);
    REQUIRE(cusparseRot(h, alpha, beta, x, y) == ok);
    const auto rot = arguments<heron_rot_args>("rot", HERON_PHASE_RUN);
    CHECK(rot.c.device == alpha);
    CHECK(rot.s.device == beta);
    const auto result = reinterpret_cast<void*>(uintptr_t{256});
    REQUIRE(cusparseSpVV(h, CUSPARSE_OPERATION_NON_TRANSPOSE, x, y, result, CUDA_R_64F, buffer) == ok);
    const auto spvv = arguments<heron_spvv_args>("spvv", HERON_PHASE_RUN, buffer);
    CHECK(spvv.result == result);
    CHECK(spvv.result_on_device == 1);
}

TEST_CASE("SpVV passes on its operation, result and workspace") {
    const handle h(cusparseCreate);
    alignas(16) char result[16];
    const auto check = [&](const element_case& e, cusparseOperation_t op, heron_operation expected) {
        CAPTURE(e.cuda, e.cuda_compute, op);
        const const_sparse_vector x(cusparseCreateConstSpVec, 9, 3, columns, x_values, CUSPARSE_INDEX_64I,
                                    CUSPARSE_INDEX_BASE_ONE, e.cuda);
        const const_dense_vector y(cusparseCreateConstDnVec, 9, y_values, e.cuda);
        size_t size = 0;
        REQUIRE(cusparseSpVV_bufferSize(h, op, x, y, result, e.cuda_compute, &size) == ok);
        CHECK(size == RECORDED_SIZE);
        CHECK(arguments<heron_spvv_args>("spvv", HERON_PHASE_SIZE).op == expected);
        REQUIRE(cusparseSpVV(h, op, x, y, result, e.cuda_compute, buffer) == ok);
        const auto args = arguments<heron_spvv_args>("spvv", HERON_PHASE_RUN, buffer);
        CHECK(args.op == expected);
        CHECK(args.result == result);
        CHECK(args.result_on_device == 0);
        CHECK(args.compute_type == e.compute);
        check_sparse_x(args.x, HERON_INDEX_64, 1, e.type);
        check_vector(args.y, 9, y_values, e.type);
    };
    for (const element_case& e : uniform) {
        check(e, CUSPARSE_OPERATION_NON_TRANSPOSE, HERON_OP_NONE);
        // A transposed vector is the same vector.
        check(e, CUSPARSE_OPERATION_TRANSPOSE, HERON_OP_NONE);
        check(e, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, HERON_OP_CONJUGATE_TRANSPOSE);
    }
    check({CUDA_R_8I, HERON_R_8I, CUDA_R_32I, HERON_R_32I}, CUSPARSE_OPERATION_NON_TRANSPOSE, HERON_OP_NONE);
    check({CUDA_R_8I, HERON_R_8I, CUDA_R_32F, HERON_R_32F}, CUSPARSE_OPERATION_NON_TRANSPOSE, HERON_OP_NONE);
}

namespace {

struct spmv_call {
    cusparseConstSpMatDescr_t a;
    int64_t rows, cols;
    cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    cudaDataType x = CUDA_R_64F, y = CUDA_R_64F, cuda_compute = CUDA_R_64F;
    heron_type compute = HERON_R_64F;
    cusparseSpMVAlg_t alg = CUSPARSE_SPMV_ALG_DEFAULT;
};

// Runs the three SpMV functions, which must hand on the same, and returns it.
heron_spmv_args record_spmv(cusparseHandle_t h, const spmv_call& c) {
    const bool transposed = c.op != CUSPARSE_OPERATION_NON_TRANSPOSE;
    const const_dense_vector x(cusparseCreateConstDnVec, transposed ? c.rows : c.cols, x_values, c.x);
    const dense_vector y(cusparseCreateDnVec, transposed ? c.cols : c.rows, y_values, c.y);
    const scalar alpha(c.compute, 2), beta(c.compute, -3);
    size_t size = 0;
    REQUIRE(cusparseSpMV_bufferSize(h, c.op, alpha, c.a, x, beta, y, c.cuda_compute, c.alg, &size) == ok);
    CHECK(size == RECORDED_SIZE);
    const auto sizing = arguments<heron_spmv_args>("spmv", HERON_PHASE_SIZE);
    REQUIRE(cusparseSpMV_preprocess(h, c.op, alpha, c.a, x, beta, y, c.cuda_compute, c.alg, buffer) == ok);
    const auto analysing = arguments<heron_spmv_args>("spmv", HERON_PHASE_ANALYSE, buffer);
    REQUIRE(cusparseSpMV(h, c.op, alpha, c.a, x, beta, y, c.cuda_compute, c.alg, buffer) == ok);
    const auto running = arguments<heron_spmv_args>("spmv", HERON_PHASE_RUN, buffer);
    CHECK(recorded().plan != nullptr);
    CHECK(std::memcmp(&sizing, &running, sizeof running) == 0);
    CHECK(std::memcmp(&analysing, &running, sizeof running) == 0);
    CHECK(is_host_value(running.alpha, 2));
    CHECK(is_host_value(running.beta, -3));
    CHECK(running.compute_type == c.compute);
    CHECK(running.x.values == x_values);
    CHECK(running.y.values == y_values);
    return running;
}

}  // namespace

TEST_CASE("SpMV on CSR passes everything on, and CSC as CSR of the transpose") {
    const handle h(cusparseCreate);
    const auto check = [&](bool csr, const auto& op, cusparseIndexBase_t base) {
        CAPTURE(csr, op.cusparse, base);
        const sparse_matrix a(csr ? cusparseCreateCsr : cusparseCreateCsc, 5, 7, 4, offsets, columns, values,
                              CUSPARSE_INDEX_64I, CUSPARSE_INDEX_32I, base, CUDA_R_64F);
        const heron_spmv_args args = record_spmv(h, {a, 5, 7, op.cusparse});
        CHECK(args.op == (csr ? op.direct : op.of_csc));
        CHECK(args.a.format == HERON_FORMAT_CSR);
        CHECK(args.a.rows == (csr ? 5 : 7));
        CHECK(args.a.cols == (csr ? 7 : 5));
        CHECK(args.a.nnz == 4);
        CHECK(args.a.offsets == offsets);
        CHECK(args.a.indices == columns);
        CHECK(args.a.values == values);
        CHECK(args.a.offset_type == HERON_INDEX_64);
        CHECK(args.a.index_type == HERON_INDEX_32);
        CHECK(args.a.base == base);
        CHECK(args.a.type == HERON_R_64F);
        CHECK(args.reproducibility == HERON_DEFAULT);
    };
    for (const auto& op : operations)
        for (const cusparseIndexBase_t base : bases) {
            check(true, op, base);
            check(false, op, base);
        }
}

TEST_CASE("SpMV on COO, SELL and BSR passes everything on") {
    const handle h(cusparseCreate);
    SECTION("COO") {
        const sparse_matrix a(cusparseCreateCoo, 5, 7, 4, rows, columns, values, CUSPARSE_INDEX_64I,
                              CUSPARSE_INDEX_BASE_ONE, CUDA_R_64F);
        const heron_spmat m = record_spmv(h, {a, 5, 7}).a;
        CHECK(m.format == HERON_FORMAT_COO);
        CHECK(m.rows == 5);
        CHECK(m.cols == 7);
        CHECK(m.nnz == 4);
        CHECK(m.row_indices == rows);
        CHECK(m.indices == columns);
        CHECK(m.values == values);
        CHECK(m.index_type == HERON_INDEX_64);
        CHECK(m.base == 1);
    }
    SECTION("SELL") {
        const sparse_matrix a(cusparseCreateSlicedEll, 5, 7, 4, 6, 2, offsets, columns, values,
                              CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
        const heron_spmat m = record_spmv(h, {a, 5, 7}).a;
        CHECK(m.format == HERON_FORMAT_SELL);
        CHECK(m.nnz == 4);
        CHECK(m.values_size == 6);
        CHECK(m.slice_size == 2);
        CHECK(m.offsets == offsets);
        CHECK(m.indices == columns);
        CHECK(m.values == values);
    }
    SECTION("BSR") {
        for (const bool row_order : {true, false}) {
            const sparse_matrix a(cusparseCreateBsr, 2, 3, 4, 2, 5, offsets, columns, values,
                                  CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                  CUDA_R_64F, row_order ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL);
            const heron_spmat m = record_spmv(h, {a, 4, 15}).a;
            CHECK(m.format == HERON_FORMAT_BSR);
            CHECK(m.rows == 4);
            CHECK(m.cols == 15);
            CHECK(m.nnz == 4);
            CHECK(m.block_rows == 2);
            CHECK(m.block_cols == 5);
            CHECK(m.block_order == (row_order ? HERON_ORDER_ROW : HERON_ORDER_COLUMN));
        }
    }
}

TEST_CASE("SpMV's algorithms become reproducibility") {
    const handle h(cusparseCreate);
    const sparse_matrix coo(cusparseCreateCoo, 5, 7, 4, rows, columns, values, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
    const sparse_matrix csr(cusparseCreateCsr, 5, 7, 4, offsets, columns, values, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
    const sparse_matrix sell(cusparseCreateSlicedEll, 5, 7, 4, 6, 2, offsets, columns, values,
                             CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
    const sparse_matrix bsr(cusparseCreateBsr, 5, 7, 4, 1, 1, offsets, columns, values, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F, CUSPARSE_ORDER_ROW);
    const auto reproducibility = [&](cusparseConstSpMatDescr_t a, cusparseSpMVAlg_t alg) {
        spmv_call call{a, 5, 7};
        call.alg = alg;
        return record_spmv(h, call).reproducibility;
    };
    CHECK(reproducibility(coo, CUSPARSE_SPMV_ALG_DEFAULT) == HERON_DEFAULT);
    CHECK(reproducibility(coo, CUSPARSE_SPMV_COO_ALG1) == HERON_DEFAULT);
    CHECK(reproducibility(coo, CUSPARSE_SPMV_COO_ALG2) == HERON_DETERMINISTIC);
    CHECK(reproducibility(csr, CUSPARSE_SPMV_CSR_ALG1) == HERON_DEFAULT);
    CHECK(reproducibility(csr, CUSPARSE_SPMV_CSR_ALG2) == HERON_DETERMINISTIC);
    CHECK(reproducibility(sell, CUSPARSE_SPMV_SELL_ALG1) == HERON_DETERMINISTIC);
    CHECK(reproducibility(bsr, CUSPARSE_SPMV_BSR_ALG1) == HERON_DEFAULT);
}

TEST_CASE("SpMV passes on every row of the table of types") {
    const handle h(cusparseCreate);
    struct product {
        cudaDataType a, x, y, cuda_compute;
        heron_type ha, hx, hy, compute;
    };
    std::vector<product> products = {
        {CUDA_R_8I, CUDA_R_8I, CUDA_R_32I, CUDA_R_32I, HERON_R_8I, HERON_R_8I, HERON_R_32I, HERON_R_32I},
        {CUDA_R_8I, CUDA_R_8I, CUDA_R_32F, CUDA_R_32F, HERON_R_8I, HERON_R_8I, HERON_R_32F, HERON_R_32F},
        {CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, CUDA_R_32F, HERON_R_16F, HERON_R_16F, HERON_R_32F, HERON_R_32F},
        {CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F, HERON_R_16BF, HERON_R_16BF, HERON_R_32F,
         HERON_R_32F},
        {CUDA_R_32F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, HERON_R_32F, HERON_R_64F, HERON_R_64F, HERON_R_64F},
        {CUDA_R_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, HERON_R_32F, HERON_C_32F, HERON_C_32F, HERON_C_32F},
        {CUDA_R_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, HERON_R_64F, HERON_C_64F, HERON_C_64F, HERON_C_64F},
    };
    for (const element_case& e : uniform)
        products.push_back({e.cuda, e.cuda, e.cuda, e.cuda_compute, e.type, e.type, e.type, e.compute});
    for (const product& p : products) {
        CAPTURE(p.a, p.x, p.y, p.cuda_compute);
        const sparse_matrix a(cusparseCreateCsr, 5, 7, 4, offsets, columns, values, CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, p.a);
        const heron_spmv_args args =
            record_spmv(h, {a, 5, 7, CUSPARSE_OPERATION_NON_TRANSPOSE, p.x, p.y, p.cuda_compute, p.compute});
        CHECK(args.a.type == p.ha);
        CHECK(args.x.type == p.hx);
        CHECK(args.y.type == p.hy);
        CHECK(args.compute_type == p.compute);
    }
}

TEST_CASE("an empty matrix reaches the plug-in as an empty COO, so that nothing reads its NULL offsets") {
    const handle h(cusparseCreate);
    for (const auto create : {cusparseCreateCsr, cusparseCreateCsc}) {
        const sparse_matrix a(create, 5, 7, 0, nullptr, nullptr, nullptr, CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
        const heron_spmv_args args = record_spmv(h, {a, 5, 7});
        CHECK(args.a.format == HERON_FORMAT_COO);
        CHECK(args.a.nnz == 0);
        CHECK(args.y.size == 5);
    }
}

TEST_CASE("the plan that preprocess leaves serves only runs with the same pattern and workspace") {
    const handle h(cusparseCreate);
    alignas(16) static char other_buffer[RECORDED_SIZE];
    const sparse_matrix a(cusparseCreateCsr, 5, 7, 4, offsets, columns, values, CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
    const dense_vector x(cusparseCreateDnVec, 7, x_values, CUDA_R_64F);
    const dense_vector y(cusparseCreateDnVec, 5, y_values, CUDA_R_64F);
    const scalar one(HERON_R_64F, 1);
    const auto plan_of_run = [&](void* workspace, cusparseSpMVAlg_t alg = CUSPARSE_SPMV_ALG_DEFAULT) {
        REQUIRE(cusparseSpMV(h, CUSPARSE_OPERATION_NON_TRANSPOSE, one, a, x, one, y, CUDA_R_64F, alg,
                             workspace) == ok);
        return recorded().plan;
    };
    const auto preprocess = [&] {
        REQUIRE(cusparseSpMV_preprocess(h, CUSPARSE_OPERATION_NON_TRANSPOSE, one, a, x, one, y, CUDA_R_64F,
                                        CUSPARSE_SPMV_ALG_DEFAULT, buffer) == ok);
    };
    CHECK(plan_of_run(buffer) == nullptr);
    preprocess();
    CHECK(plan_of_run(buffer) != nullptr);
    CHECK(plan_of_run(other_buffer) == nullptr);
    CHECK(plan_of_run(buffer, CUSPARSE_SPMV_CSR_ALG2) == nullptr);
    CHECK(plan_of_run(buffer) != nullptr);

    const int destroyed = recorded().plans_destroyed;
    preprocess();
    CHECK(recorded().plans_destroyed == destroyed + 1);
    REQUIRE(cusparseSpMatSetValues(a, x_values) == ok);
    CHECK(plan_of_run(buffer) != nullptr);
    REQUIRE(cusparseCsrSetPointers(a, offsets, rows, values) == ok);
    CHECK(recorded().plans_destroyed == destroyed + 2);
    CHECK(plan_of_run(buffer) == nullptr);
}

TEST_CASE("a matrix keeps few plans, of the latest workspaces") {
    const handle h(cusparseCreate);
    constexpr int count = 40;
    static char buffers[count][RECORDED_SIZE];
    const dense_vector x(cusparseCreateDnVec, 7, x_values, CUDA_R_64F);
    const dense_vector y(cusparseCreateDnVec, 5, y_values, CUDA_R_64F);
    const scalar one(HERON_R_64F, 1);
    const int destroyed = recorded().plans_destroyed;
    {
        const sparse_matrix a(cusparseCreateCsr, 5, 7, 4, offsets, columns, values, CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
        for (char* workspace : buffers)
            REQUIRE(cusparseSpMV_preprocess(h, CUSPARSE_OPERATION_NON_TRANSPOSE, one, a, x, one, y,
                                            CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, workspace) == ok);
        CHECK(recorded().plans_destroyed == destroyed + count - 16);
        const auto plan_of_run = [&](void* workspace) {
            REQUIRE(cusparseSpMV(h, CUSPARSE_OPERATION_NON_TRANSPOSE, one, a, x, one, y, CUDA_R_64F,
                                 CUSPARSE_SPMV_ALG_DEFAULT, workspace) == ok);
            return recorded().plan;
        };
        CHECK(plan_of_run(buffers[count - 1]) != nullptr);
        CHECK(plan_of_run(buffers[0]) == nullptr);
    }
    CHECK(recorded().plans_destroyed == destroyed + count);
}

namespace {

heron_dnmat check_dense(const heron_dnmat& m, int64_t rows_expected, int64_t cols_expected,
                        heron_order order) {
    CHECK(m.rows == rows_expected);
    CHECK(m.cols == cols_expected);
    CHECK(m.ld == 8);
    CHECK(m.values == y_values);
    CHECK(m.order == order);
    return m;
}

constexpr cusparseOrder_t orders[] = {CUSPARSE_ORDER_COL, CUSPARSE_ORDER_ROW};

heron_order expected_order(cusparseOrder_t order, bool transposed) {
    return (order == CUSPARSE_ORDER_ROW) != transposed ? HERON_ORDER_ROW : HERON_ORDER_COLUMN;
}

}  // namespace

TEST_CASE("SparseToDense passes both matrices on, a CSC one and its result transposed") {
    const handle h(cusparseCreate);
    const auto check_pair = [&](bool csc, cusparseOrder_t order) {
        CAPTURE(csc, order);
        const const_sparse_matrix a(csc ? cusparseCreateConstCsc : cusparseCreateConstCsr, 5, 7, 4, offsets,
                                    columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                    CUSPARSE_INDEX_BASE_ONE, CUDA_C_32F);
        const dense_matrix b(cusparseCreateDnMat, 5, 7, 8, y_values, CUDA_C_32F, order);
        size_t size = 0;
        REQUIRE(cusparseSparseToDense_bufferSize(h, a, b, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, &size) == ok);
        CHECK(size == RECORDED_SIZE);
        arguments<heron_sparse_to_dense_args>("sparse_to_dense", HERON_PHASE_SIZE);
        REQUIRE(cusparseSparseToDense(h, a, b, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, buffer) == ok);
        const auto args = arguments<heron_sparse_to_dense_args>("sparse_to_dense", HERON_PHASE_RUN, buffer);
        check_dense(args.b, csc ? 7 : 5, csc ? 5 : 7, expected_order(order, csc));
        CHECK(args.b.type == HERON_C_32F);
        CHECK(args.a.format == HERON_FORMAT_CSR);
        CHECK(args.a.rows == args.b.rows);
        CHECK(args.a.cols == args.b.cols);
        CHECK(args.a.nnz == 4);
        CHECK(args.a.base == 1);
        CHECK(args.a.offsets == offsets);
        CHECK(args.a.indices == columns);
        CHECK(args.a.values == values);
    };
    for (const cusparseOrder_t order : orders) {
        check_pair(false, order);
        check_pair(true, order);
    }
}

TEST_CASE("SparseToDense passes on Blocked-ELL and batches") {
    const handle h(cusparseCreate);
    SECTION("Blocked-ELL") {
        const sparse_matrix a(cusparseCreateBlockedEll, 4, 8, 2, 6, columns, values, CUSPARSE_INDEX_64I,
                              CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
        const dense_matrix b(cusparseCreateDnMat, 4, 8, 8, y_values, CUDA_R_64F, CUSPARSE_ORDER_COL);
        REQUIRE(cusparseSparseToDense(h, a, b, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, buffer) == ok);
        const heron_spmat m =
            arguments<heron_sparse_to_dense_args>("sparse_to_dense", HERON_PHASE_RUN, buffer).a;
        CHECK(m.format == HERON_FORMAT_BLOCKED_ELL);
        CHECK(m.block_rows == 2);
        CHECK(m.ell_cols == 6);
        CHECK(m.indices == columns);
        CHECK(m.index_type == HERON_INDEX_64);
    }
    SECTION("a batch") {
        const sparse_matrix a(cusparseCreateCsr, 5, 7, 4, offsets, columns, values, CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
        const dense_matrix b(cusparseCreateDnMat, 5, 7, 8, y_values, CUDA_R_64F, CUSPARSE_ORDER_COL);
        REQUIRE(cusparseCsrSetStridedBatch(a, 3, 6, 4) == ok);
        REQUIRE(cusparseDnMatSetStridedBatch(b, 3, 60) == ok);
        REQUIRE(cusparseSparseToDense(h, a, b, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, buffer) == ok);
        const auto args = arguments<heron_sparse_to_dense_args>("sparse_to_dense", HERON_PHASE_RUN, buffer);
        CHECK(args.a.batch_count == 3);
        CHECK(args.a.offsets_stride == 6);
        CHECK(args.a.indices_stride == 4);
        CHECK(args.a.values_stride == 4);
        CHECK(args.b.batch_count == 3);
        CHECK(args.b.batch_stride == 60);
    }
}

TEST_CASE("DenseToSparse passes both matrices on and takes over what analysis counts") {
    const handle h(cusparseCreate);
    const auto check_pair = [&](bool csc, cusparseOrder_t order) {
        CAPTURE(csc, order);
        const const_dense_matrix a(cusparseCreateConstDnMat, 5, 7, 8, y_values, CUDA_R_16F, order);
        const sparse_matrix b(csc ? cusparseCreateCsc : cusparseCreateCsr, 5, 7, 0, offsets, nullptr, nullptr,
                              CUSPARSE_INDEX_64I, CUSPARSE_INDEX_64I, CUSPARSE_INDEX_BASE_ONE, CUDA_R_16F);
        const auto check = [&](heron_phase phase, const void* memory) {
            const auto args = arguments<heron_dense_to_sparse_args>("dense_to_sparse", phase, memory);
            check_dense(args.a, csc ? 7 : 5, csc ? 5 : 7, expected_order(order, csc));
            CHECK(args.a.type == HERON_R_16F);
            CHECK(args.b.format == HERON_FORMAT_CSR);
            CHECK(args.b.rows == args.a.rows);
            CHECK(args.b.cols == args.a.cols);
            CHECK(args.b.offsets == offsets);
            CHECK(args.b.base == 1);
            CHECK(args.b.offset_type == HERON_INDEX_64);
            return args;
        };
        size_t size = 0;
        REQUIRE(cusparseDenseToSparse_bufferSize(h, a, b, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, &size) == ok);
        CHECK(size == RECORDED_SIZE);
        check(HERON_PHASE_SIZE, nullptr);
        REQUIRE(cusparseDenseToSparse_analysis(h, a, b, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer) == ok);
        check(HERON_PHASE_ANALYSE, buffer);
        int64_t r = 0, c = 0, nnz = 0;
        REQUIRE(cusparseSpMatGetSize(b, &r, &c, &nnz) == ok);
        CHECK(nnz == RECORDED_NNZ);
        REQUIRE((csc ? cusparseCscSetPointers : cusparseCsrSetPointers)(b, offsets, columns, values) == ok);
        REQUIRE(cusparseDenseToSparse_convert(h, a, b, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer) == ok);
        const auto args = check(HERON_PHASE_RUN, buffer);
        CHECK(args.b.nnz == RECORDED_NNZ);
        CHECK(args.b.indices == columns);
        CHECK(args.b.values == values);
    };
    for (const cusparseOrder_t order : orders) {
        check_pair(false, order);
        check_pair(true, order);
    }
}

TEST_CASE("a NULL workspace is refused where the plug-in asks for one") {
    const handle h(cusparseCreate);
    const sparse_matrix a(cusparseCreateCsr, 5, 7, 4, offsets, columns, values, CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
    const sparse_vector sparse_x(cusparseCreateSpVec, 7, 3, columns, x_values, CUSPARSE_INDEX_32I,
                                 CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
    const dense_vector x(cusparseCreateDnVec, 7, x_values, CUDA_R_64F);
    const dense_vector y(cusparseCreateDnVec, 5, y_values, CUDA_R_64F);
    const dense_matrix b(cusparseCreateDnMat, 5, 7, 5, y_values, CUDA_R_64F, CUSPARSE_ORDER_COL);
    const dense_matrix five(cusparseCreateDnMat, 5, 1, 5, y_values, CUDA_R_64F, CUSPARSE_ORDER_COL);
    const dense_matrix seven(cusparseCreateDnMat, 1, 7, 1, x_values, CUDA_R_64F, CUSPARSE_ORDER_COL);
    const scalar one(HERON_R_64F, 1);
    constexpr auto n = CUSPARSE_OPERATION_NON_TRANSPOSE;
    constexpr auto f64 = CUDA_R_64F;
    log_capture log;
    const auto check = [&](const char* function, cusparseStatus_t status) {
        CAPTURE(function);
        CHECK(status == invalid);
        CHECK(recorded().phase == HERON_PHASE_SIZE);
        const auto lines = log.take();
        REQUIRE(lines.size() == 1);
        CHECK(lines[0].function == function);
        CHECK(lines[0].message == "externalBuffer: is NULL, but 4096 bytes are needed");
    };
    double result = 0;
    check("cusparseSpVV", cusparseSpVV(h, n, sparse_x, x, &result, f64, nullptr));
    check("cusparseSpMV", cusparseSpMV(h, n, one, a, x, one, y, f64, CUSPARSE_SPMV_ALG_DEFAULT, nullptr));
    check("cusparseSpMV_preprocess",
          cusparseSpMV_preprocess(h, n, one, a, x, one, y, f64, CUSPARSE_SPMV_ALG_DEFAULT, nullptr));
    check("cusparseSDDMM",
          cusparseSDDMM(h, n, n, one, five, seven, one, a, f64, CUSPARSE_SDDMM_ALG_DEFAULT, nullptr));
    check("cusparseSparseToDense",
          cusparseSparseToDense(h, a, b, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr));
    check("cusparseDenseToSparse_analysis",
          cusparseDenseToSparse_analysis(h, b, a, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, nullptr));
    check("cusparseDenseToSparse_convert",
          cusparseDenseToSparse_convert(h, b, a, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, nullptr));
}

TEST_CASE("streams and thread counts reach the plug-in") {
    const handle h(cusparseCreate);
    const auto stream = reinterpret_cast<cudaStream_t>(&buffer);
    REQUIRE(cusparseSetStream(h, stream) == ok);
    CHECK(recorded().stream == stream);
    REQUIRE(cusparseSetStream(h, nullptr) == ok);
    CHECK(recorded().stream == nullptr);
    heron_handle native = nullptr;
    REQUIRE(heron_create(&native) == HERON_SUCCESS);
    REQUIRE(heron_set_threads(native, 3) == HERON_SUCCESS);
    CHECK(recorded().threads == 3);
    CHECK(heron_destroy(native) == HERON_SUCCESS);
}
