// What the facade and the core make of every operation's arguments, seen by a plug-in that only records them.
#include "facade.hpp"
#include "recording.h"
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

using namespace heron::test;

namespace {

// The recorder takes the host plug-in's place. Set before the library's first use.
const bool recorder_chosen =
    setenv("HERON_PLUGIN_PATH", HERON_RECORDER_DIR, 1) == 0 && setenv("HERON_BACKEND", "host", 1) == 0;

const recorded_call& recorded() {
    static const auto function = [] {
        void* const plugin = dlopen(HERON_RECORDER_DIR "/libheron-host.so", RTLD_NOW | RTLD_NOLOAD);
        REQUIRE(plugin);
        return reinterpret_cast<heron_recorded_function>(dlsym(plugin, "heron_recorded"));
    }();
    REQUIRE(function);
    return *function();
}

// The arguments of the last call, which must have been this operation in this phase.
template <class Args>
Args arguments(const char* operation, heron_phase phase, const void* memory = nullptr) {
    const recorded_call& call = recorded();
    REQUIRE(std::string(call.operation) == operation);
    CHECK(call.phase == phase);
    CHECK(call.memory == memory);
    REQUIRE(call.args_size == sizeof(Args));
    Args args;
    std::memcpy(&args, call.args, sizeof args);
    return args;
}

// Operands; nothing reads them.
alignas(16) char x_values[256], y_values[256], values[256], buffer[RECORDED_SIZE];
alignas(16) int64_t offsets[16], rows[16], columns[16];

bool is_host_value(const heron_scalar& s, double re, double im = 0) {
    return !s.device && s.re == re && s.im == im;
}

void check_vector(const heron_dnvec& v, int64_t size, const void* data, heron_type type) {
    CHECK(v.size == size);
    CHECK(v.values == data);
    CHECK(v.type == type);
}

void check_sparse_x(const heron_spvec& v, heron_index_type index_type, int base, heron_type type) {
    CHECK(v.size == 9);
    CHECK(v.nnz == 3);
    CHECK(v.indices == columns);
    CHECK(v.values == x_values);
    CHECK(v.index_type == index_type);
    CHECK(v.base == base);
    CHECK(v.type == type);
}

struct element_case {
    cudaDataType cuda;
    heron_type type;
    cudaDataType cuda_compute;
    heron_type compute;
};

constexpr element_case uniform[] = {
    {CUDA_R_32F, HERON_R_32F, CUDA_R_32F, HERON_R_32F}, {CUDA_R_64F, HERON_R_64F, CUDA_R_64F, HERON_R_64F},
    {CUDA_C_32F, HERON_C_32F, CUDA_C_32F, HERON_C_32F}, {CUDA_C_64F, HERON_C_64F, CUDA_C_64F, HERON_C_64F},
    {CUDA_R_16F, HERON_R_16F, CUDA_R_32F, HERON_R_32F}, {CUDA_R_16BF, HERON_R_16BF, CUDA_R_32F, HERON_R_32F},
    {CUDA_C_16F, HERON_C_16F, CUDA_C_32F, HERON_C_32F}, {CUDA_C_16BF, HERON_C_16BF, CUDA_C_32F, HERON_C_32F},
};

// A scalar of any compute type, in host memory.
struct scalar {
    scalar(heron_type type, double re, double im = 0) { fill(type, re, im); }
    void fill(heron_type type, double re, double im) {
        switch (type) {
            case HERON_R_32I:
                return put(static_cast<int32_t>(re));
            case HERON_R_32F:
                return put(static_cast<float>(re));
            case HERON_R_64F:
                return put(re);
            case HERON_C_32F:
                return put(cuComplex{static_cast<float>(re), static_cast<float>(im)});
            default:
                return put(cuDoubleComplex{re, im});
        }
    }
    template <class T>
    void put(T value) {
        std::memcpy(bytes, &value, sizeof value);
    }
    operator const void*() const { return bytes; }
    alignas(16) char bytes[16]{};
};

struct index_case {
    cusparseIndexType_t cusparse;
    heron_index_type type;
};
constexpr index_case index_types[] = {{CUSPARSE_INDEX_32I, HERON_INDEX_32},
                                      {CUSPARSE_INDEX_64I, HERON_INDEX_64}};
constexpr cusparseIndexBase_t bases[] = {CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_INDEX_BASE_ONE};

bool is_complex(heron_type type) { return type >= HERON_C_16F; }

}  // namespace

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

constexpr struct {
    cusparseOperation_t cusparse;
    heron_operation direct, of_csc;
} operations[] = {
    {CUSPARSE_OPERATION_NON_TRANSPOSE, HERON_OP_NONE, HERON_OP_TRANSPOSE},
    {CUSPARSE_OPERATION_TRANSPOSE, HERON_OP_TRANSPOSE, HERON_OP_NONE},
    {CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, HERON_OP_CONJUGATE_TRANSPOSE, HERON_OP_CONJUGATE},
};

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

namespace {

// Runs the three SDDMM functions, which must hand on the same, and returns it.
heron_sddmm_args record_sddmm(cusparseHandle_t h, cusparseOperation_t op_a, cusparseOperation_t op_b,
                              cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b, cusparseSpMatDescr_t c,
                              cudaDataType compute, const void* alpha, const void* beta) {
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
    const sparse_matrix csr(cusparseCreateCsr, 5, 7, 4, offsets, columns, values, i64, i64, one_based, CUDA_C_32F);
    const sparse_matrix csc(cusparseCreateCsc, 5, 7, 4, offsets, columns, values, i64, i64, one_based, CUDA_C_32F);
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

TEST_CASE("SpGEMMreuse passes on which parts of C it wants") {
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
    CHECK(arguments<heron_spgemm_args>("spgemm_numeric", HERON_PHASE_RUN, recorded().memory).parts ==
          HERON_SPGEMM_COLUMNS);
    REQUIRE(cusparseSpGEMMreuse_compute(h, n, n, one, a, a, one, c, CUDA_R_64F, alg, d) == ok);
    CHECK(arguments<heron_spgemm_args>("spgemm_numeric", HERON_PHASE_RUN, recorded().memory).parts ==
          HERON_SPGEMM_VALUES);
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
    REQUIRE(cusparseSpMMOp_createPlan(h, &plan, n, t, a, b, c, CUDA_R_32F, CUSPARSE_SPMM_OP_ALG_DEFAULT, add, 3, mul, 4,
                                      finish, 6, &size) == ok);
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
    CHECK(std::string(static_cast<const char*>(args.epilogue_code.data), args.epilogue_code.size) == "finish");
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
    check("cusparseSDDMM", cusparseSDDMM(h, n, n, one, five, seven, one, a, f64, CUSPARSE_SDDMM_ALG_DEFAULT, nullptr));
    check("cusparseSparseToDense",
          cusparseSparseToDense(h, a, b, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr));
    check("cusparseDenseToSparse_analysis",
          cusparseDenseToSparse_analysis(h, b, a, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, nullptr));
    check("cusparseDenseToSparse_convert",
          cusparseDenseToSparse_convert(h, b, a, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, nullptr));
}

TEST_CASE("SpSV is a triangular solve with one column") {
    const handle h(cusparseCreate);
    const bool is_csr = GENERATE(true, false);
    const sparse_matrix a(is_csr ? cusparseCreateCsr : cusparseCreateCsc, 5, 5, 4, offsets, columns, values,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, CUDA_C_32F);
    cusparseFillMode_t upper = CUSPARSE_FILL_MODE_UPPER;
    REQUIRE(cusparseSpMatSetAttribute(a, CUSPARSE_SPMAT_FILL_MODE, &upper, sizeof upper) == ok);
    const dense_vector x(cusparseCreateDnVec, 5, x_values, CUDA_C_32F), y(cusparseCreateDnVec, 5, y_values, CUDA_C_32F);
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

TEST_CASE("SpSM's transposed B is the same memory in the other order") {
    const handle h(cusparseCreate);
    const sparse_matrix a(cusparseCreateCoo, 5, 5, 4, rows, columns, values, CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
    const dense_matrix b(cusparseCreateDnMat, 3, 5, 4, x_values, CUDA_R_64F, CUSPARSE_ORDER_COL);
    const dense_matrix c(cusparseCreateDnMat, 5, 3, 6, y_values, CUDA_R_64F, CUSPARSE_ORDER_COL);
    const owned<cusparseSpSMDescr_t, &cusparseSpSM_destroyDescr> d(cusparseSpSM_createDescr);
    const scalar alpha(HERON_R_64F, 2);
    const auto call = [&](auto function, auto... last) {
        REQUIRE(function(h, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, alpha, a, b, c, CUDA_R_64F,
                         CUSPARSE_SPSM_ALG_DEFAULT, d, last...) == ok);
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
