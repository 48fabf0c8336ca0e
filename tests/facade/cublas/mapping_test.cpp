// What the functions make of their arguments, seen by a plug-in that only records them.
#include "blas_functions.hpp"
#include "facade.hpp"
#include "facade/recorder.hpp"

using namespace heron::test;

namespace {

alignas(16) char a[64], b[64], c[64], x[64], y[64];

constexpr heron_type type_of(const float*) { return HERON_R_32F; }
constexpr heron_type type_of(const double*) { return HERON_R_64F; }
constexpr heron_type type_of(const cuComplex*) { return HERON_C_32F; }
constexpr heron_type type_of(const cuDoubleComplex*) { return HERON_C_64F; }

template <class Args>
Args running(const char* operation) {
    return arguments<Args>(operation, HERON_PHASE_RUN, recorded().memory);
}

void check_operand(const heron_dense_operand& o, const void* memory, int64_t ld) {
    CHECK(o.memory == memory);
    CHECK(o.offset == 0);
    CHECK(o.ld == ld);
}

void check_vector(const heron_vector_operand& v, const void* memory, int64_t inc) {
    CHECK(v.memory == memory);
    CHECK(v.inc == inc);
}

// What each test needs of one type with one type of integers.
template <class F>
struct typed {
    using T = typename F::scalar;
    using R = typename F::real;
    using I = typename F::integer;
    static constexpr heron_type type = type_of(static_cast<T*>(nullptr));
    static constexpr double im = F::is_complex ? -0.5 : 0;

    const scalar two{type, 2, im}, three{type, 3, -im};
    const T* const alpha = static_cast<const T*>(static_cast<const void*>(two));
    const T* const beta = static_cast<const T*>(static_cast<const void*>(three));
    T *const A = reinterpret_cast<T*>(a), *const B = reinterpret_cast<T*>(b),
             *const C = reinterpret_cast<T*>(c);
    T *const X = reinterpret_cast<T*>(x), *const Y = reinterpret_cast<T*>(y);

    void check_scalars(const heron_scalar& first, const heron_scalar& second) const {
        CHECK(is_host_value(first, 2, im));
        CHECK(is_host_value(second, 3, -im));
    }
};

template <class F>
void for_each_integer_type(F&& f) {
    for_each_blas_type(f);
    f(blas_functions<float, int64_t>{});
    f(blas_functions<double, int64_t>{});
    f(blas_functions<cuComplex, int64_t>{});
    f(blas_functions<cuDoubleComplex, int64_t>{});
}

}  // namespace

TEST_CASE("vectors") {
    REQUIRE(recorder_chosen);
    const blas_handle h;
    for_each_integer_type([&]<class F>(F f) {
        const typed<F> t;
        typename F::real norm;
        typename F::integer place;
        REQUIRE(f.axpy(h, 5, t.alpha, t.X, 2, t.Y, -3) == blas_ok);
        const auto axpy = running<heron_axpy_args>("axpy");
        CHECK(axpy.type == t.type);
        CHECK(axpy.n == 5);
        CHECK(is_host_value(axpy.alpha, 2, t.im));
        check_vector(axpy.x, x, 2);
        check_vector(axpy.y, y, -3);
        CHECK(axpy.y.offset == 12);
        REQUIRE(f.nrm2(h, 5, t.X, 2, &norm) == blas_ok);
        const auto nrm2 = running<heron_norm_args>("nrm2");
        CHECK(nrm2.n == 5);
        CHECK(nrm2.result.memory == &norm);
        CHECK(nrm2.result_type == (F::is_single ? HERON_R_32F : HERON_R_64F));
        for (const bool smallest : {false, true}) {
            REQUIRE((smallest ? f.amin : f.amax)(h, 5, t.X, 2, &place) == blas_ok);
            const auto iamax = running<heron_iamax_args>("iamax");
            CHECK(iamax.smallest == smallest);
            CHECK(iamax.result_type == (sizeof(typename F::integer) == 4 ? HERON_INDEX_32 : HERON_INDEX_64));
        }
        // Nothing to do never reaches the plug-in.
        const int calls = recorded().count;
        REQUIRE(f.scal(h, 5, t.alpha, t.X, 0) == blas_ok);
        REQUIRE(f.asum(h, 5, t.X, -1, &norm) == blas_ok);
        CHECK(norm == 0);
        CHECK(recorded().count == calls);
        if constexpr (F::is_complex) {
            typename F::scalar sum;
            for (const bool conjugate : {false, true}) {
                REQUIRE((conjugate ? f.dotc : f.dotu)(h, 5, t.X, 1, t.Y, 1, &sum) == blas_ok);
                CHECK(running<heron_dot_args>("dot").conjugate == conjugate);
            }
        }
    });
}

TEST_CASE("matrices and vectors") {
    REQUIRE(recorder_chosen);
    const blas_handle h;
    for_each_integer_type([&]<class F>(F f) {
        const typed<F> t;
        REQUIRE(f.gemv(h, CUBLAS_OP_T, 3, 4, t.alpha, t.A, 11, t.X, 2, t.beta, t.Y, 3) == blas_ok);
        const auto gemv = running<heron_gemv_args>("gemv");
        CHECK(gemv.type == t.type);
        CHECK(gemv.op == HERON_OP_TRANSPOSE);
        CHECK(gemv.m == 3);
        CHECK(gemv.n == 4);
        CHECK(gemv.a.storage == HERON_STORAGE_FULL);
        CHECK(gemv.a.memory == a);
        CHECK(gemv.a.ld == 11);
        t.check_scalars(gemv.alpha, gemv.beta);
        check_vector(gemv.x, x, 2);
        check_vector(gemv.y, y, 3);
        REQUIRE(f.gbmv(h, CUBLAS_OP_N, 6, 7, 1, 2, t.alpha, t.A, 11, t.X, 2, t.beta, t.Y, 3) == blas_ok);
        const auto gbmv = running<heron_gemv_args>("gemv");
        CHECK(gbmv.a.storage == HERON_STORAGE_BANDED);
        CHECK(gbmv.a.lower == 1);
        CHECK(gbmv.a.upper == 2);
        REQUIRE(f.tbsv(h, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, CUBLAS_DIAG_UNIT, 6, 2, t.A, 11, t.X, 2) ==
                blas_ok);
        const auto tbsv = running<heron_triangular_vector_args>("trsv");
        CHECK(tbsv.fill == HERON_FILL_UPPER);
        CHECK(tbsv.op == HERON_OP_TRANSPOSE);
        CHECK(tbsv.diag == HERON_DIAG_UNIT);
        CHECK(tbsv.a.storage == HERON_STORAGE_BANDED);
        CHECK(tbsv.a.upper == 2);
        REQUIRE(f.tpmv(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 6, t.A, t.X, 2) ==
                blas_ok);
        const auto tpmv = running<heron_triangular_vector_args>("trmv");
        CHECK(tpmv.fill == HERON_FILL_LOWER);
        CHECK(tpmv.a.storage == HERON_STORAGE_PACKED);
        if constexpr (F::is_complex) {
            REQUIRE(f.gerc(h, 3, 4, t.alpha, t.X, 1, t.Y, 2, t.A, 11) == blas_ok);
            const auto gerc = running<heron_ger_args>("ger");
            CHECK(gerc.conjugate_x == 0);
            CHECK(gerc.conjugate_y == 1);
            REQUIRE(f.hpmv(h, CUBLAS_FILL_MODE_UPPER, 4, t.alpha, t.A, t.X, 1, t.beta, t.Y, 2) == blas_ok);
            const auto hpmv = running<heron_symv_args>("symv");
            CHECK(hpmv.hermitian == 1);
            CHECK(hpmv.a.storage == HERON_STORAGE_PACKED);
        }
    });
}

TEST_CASE("products of matrices") {
    REQUIRE(recorder_chosen);
    const blas_handle h;
    for_each_integer_type([&]<class F>(F f) {
        const typed<F> t;
        const heron_operation conjugated = F::is_complex ? HERON_OP_CONJUGATE_TRANSPOSE : HERON_OP_TRANSPOSE;
        for (const cublasMath_t mode : {CUBLAS_DEFAULT_MATH, CUBLAS_TF32_TENSOR_OP_MATH}) {
            REQUIRE(cublasSetMathMode(h, mode) == blas_ok);
            REQUIRE(f.gemm(h, CUBLAS_OP_C, CUBLAS_OP_N, 3, 4, 5, t.alpha, t.A, 11, t.B, 12, t.beta, t.C,
                           13) == blas_ok);
            const auto gemm = running<heron_gemm_args>("gemm");
            const bool rounds = mode == CUBLAS_TF32_TENSOR_OP_MATH && t.type == HERON_R_32F;
            CHECK(gemm.algorithm == (rounds ? HERON_GEMM_TF32 : HERON_GEMM_DEFAULT));
            CHECK(gemm.type == t.type);
            CHECK(gemm.op_a == conjugated);
            CHECK(gemm.op_b == HERON_OP_NONE);
            CHECK(gemm.m == 3);
            CHECK(gemm.n == 4);
            CHECK(gemm.k == 5);
            t.check_scalars(gemm.alpha, gemm.beta);
            check_operand(gemm.a, a, 11);
            check_operand(gemm.b, b, 12);
            check_operand(gemm.c, c, 13);
        }
        REQUIRE(cublasSetMathMode(h, CUBLAS_DEFAULT_MATH) == blas_ok);
        REQUIRE(f.syrkx(h, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, 4, 5, t.alpha, t.A, 11, t.B, 12, t.beta, t.C,
                        13) == blas_ok);
        const auto syrkx = running<heron_gemmt_args>("gemmt");
        CHECK(syrkx.fill == HERON_FILL_UPPER);
        CHECK(syrkx.op_a == HERON_OP_TRANSPOSE);
        CHECK(syrkx.op_b == HERON_OP_NONE);
        CHECK(syrkx.terms == 1);
        check_operand(syrkx.a[0], a, 11);
        check_operand(syrkx.b[0], b, 12);
        REQUIRE(f.trmm(h, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, CUBLAS_DIAG_UNIT, 3, 4,
                       t.alpha, t.A, 11, t.B, 12, t.C, 13) == blas_ok);
        const auto trmm = running<heron_triangular_args>("trmm");
        CHECK(trmm.side == HERON_SIDE_RIGHT);
        CHECK(trmm.fill == HERON_FILL_UPPER);
        CHECK(trmm.op_a == HERON_OP_TRANSPOSE);
        CHECK(trmm.diag == HERON_DIAG_UNIT);
        check_operand(trmm.b, c, 13);
        if constexpr (F::is_complex) {
            REQUIRE(f.gemm3m(h, CUBLAS_OP_N, CUBLAS_OP_T, 3, 4, 5, t.alpha, t.A, 11, t.B, 12, t.beta, t.C,
                             13) == blas_ok);
            CHECK(running<heron_gemm_args>("gemm").algorithm == HERON_GEMM_3M);
            const typename F::real real_beta = 3;
            REQUIRE(f.herkx(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, 4, 5, t.alpha, t.A, 11, t.B, 12,
                            &real_beta, t.C, 13) == blas_ok);
            const auto herkx = running<heron_gemmt_args>("gemmt");
            CHECK(herkx.op_a == HERON_OP_NONE);
            CHECK(herkx.op_b == HERON_OP_CONJUGATE_TRANSPOSE);
            CHECK(herkx.hermitian == 2);
            CHECK(is_host_value(herkx.beta, 3));
        }
    });
}

// As NVIDIA's library takes them, which an H200 told: op T of herk is C's, and op C of syrk is T's.
TEST_CASE("rank updates take either transpose for the one that they have") {
    REQUIRE(recorder_chosen);
    const blas_handle h;
    for_each_integer_type([&]<class F>(F f) {
        const typed<F> t;
        const auto fill = CUBLAS_FILL_MODE_LOWER;
        const auto turned = [](heron_operation op_a) {
            const auto args = running<heron_gemmt_args>("gemmt");
            CHECK(args.op_a == op_a);
            CHECK(args.op_b == HERON_OP_NONE);
        };
        for (const cublasOperation_t op : {CUBLAS_OP_T, CUBLAS_OP_C}) {
            REQUIRE(f.syrk(h, fill, op, 4, 5, t.alpha, t.A, 11, t.beta, t.C, 13) == blas_ok);
            turned(HERON_OP_TRANSPOSE);
            REQUIRE(f.syr2k(h, fill, op, 4, 5, t.alpha, t.A, 11, t.B, 12, t.beta, t.C, 13) == blas_ok);
            turned(HERON_OP_TRANSPOSE);
            REQUIRE(f.syrkx(h, fill, op, 4, 5, t.alpha, t.A, 11, t.B, 12, t.beta, t.C, 13) == blas_ok);
            turned(HERON_OP_TRANSPOSE);
            if constexpr (F::is_complex) {
                const typename F::real real = 3;
                REQUIRE(f.herk(h, fill, op, 4, 5, &real, t.A, 11, &real, t.C, 13) == blas_ok);
                turned(HERON_OP_CONJUGATE_TRANSPOSE);
                REQUIRE(f.her2k(h, fill, op, 4, 5, t.alpha, t.A, 11, t.B, 12, &real, t.C, 13) == blas_ok);
                turned(HERON_OP_CONJUGATE_TRANSPOSE);
                REQUIRE(f.herkx(h, fill, op, 4, 5, t.alpha, t.A, 11, t.B, 12, &real, t.C, 13) == blas_ok);
                turned(HERON_OP_CONJUGATE_TRANSPOSE);
            }
        }
    });
}

TEST_CASE("a triangular product into another matrix copies first") {
    REQUIRE(recorder_chosen);
    const blas_handle h;
    const double one = 1;
    auto* const A = reinterpret_cast<double*>(a);
    auto* const B = reinterpret_cast<double*>(b);
    auto* const C = reinterpret_cast<double*>(c);
    const auto steps = [&](double* result, int ld) {
        recorded().step_count = 0;
        REQUIRE(cublasDtrmm_v2(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT,
                               2, 2, &one, A, 2, B, 2, result, ld) == blas_ok);
        std::string names;
        for (int i = 0; i < recorded().step_count; ++i)
            names += std::string(recorded().steps[i].function) + " ";
        return names;
    };
    CHECK(steps(B, 2) == "trmm ");
    CHECK(steps(C, 2) == "geam trmm ");
}

TEST_CASE("batches") {
    REQUIRE(recorder_chosen);
    const blas_handle h;
    for_each_integer_type([&]<class F>(F f) {
        using T = typename F::scalar;
        const typed<F> t;
        T* list[3] = {t.A, t.B, t.C};
        REQUIRE(f.gemmBatched(h, CUBLAS_OP_N, CUBLAS_OP_T, 3, 4, 5, t.alpha, list, 11, list + 1, 12, t.beta,
                              list + 2, 13, 1) == blas_ok);
        const auto listed = running<heron_gemm_batched_args>("gemm_batched");
        CHECK(listed.count == 1);
        CHECK(listed.a.kind == HERON_BATCH_POINTERS);
        CHECK(listed.a.list == list);
        CHECK(listed.a.list_step == 1);
        CHECK(listed.b.list == list + 1);
        CHECK(listed.c.list == list + 2);
        CHECK(listed.lda == 11);
        CHECK(listed.ldc == 13);
        REQUIRE(f.gemmStridedBatched(h, CUBLAS_OP_N, CUBLAS_OP_T, 3, 4, 5, t.alpha, t.A, 11, 100, t.B, 12,
                                     101, t.beta, t.C, 13, 102, 7) == blas_ok);
        const auto strided = running<heron_gemm_batched_args>("gemm_batched");
        CHECK(strided.count == 7);
        CHECK(strided.a.kind == HERON_BATCH_STRIDED);
        CHECK(strided.a.base == a);
        CHECK(strided.a.stride == 100);
        CHECK(strided.b.stride == 101);
        CHECK(strided.c.stride == 102);
        REQUIRE(f.trsmBatched(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 3,
                              4, t.alpha, list, 11, list + 1, 12, 2) == blas_ok);
        CHECK(running<heron_trsm_batched_args>("trsm_batched").count == 2);
    });
}

TEST_CASE("compute types") {
    REQUIRE(recorder_chosen);
    const blas_handle h;
    const float one = 1;
    const auto algorithm = [&](cudaDataType type, int compute_type) {
        const cublasStatus_t status =
            cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, a, type, 2, b, type, 2, &one, c, type, 2,
                         static_cast<cublasComputeType_t>(compute_type), CUBLAS_GEMM_DEFAULT_TENSOR_OP);
        REQUIRE(status == blas_ok);
        const auto args = running<heron_gemm_args>("gemm");
        CHECK(args.compute_type == HERON_R_32F);
        return args.algorithm;
    };
    CHECK(algorithm(CUDA_R_32F, CUBLAS_COMPUTE_32F) == HERON_GEMM_DEFAULT);
    CHECK(algorithm(CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32) == HERON_GEMM_TF32);
    CHECK(algorithm(CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_16F) == HERON_GEMM_TF32);
    CHECK(algorithm(CUDA_R_16BF, CUBLAS_COMPUTE_32F) == HERON_GEMM_DEFAULT);
    // What binaries of CUDA 8 to 10 pass.
    CHECK(algorithm(CUDA_R_32F, CUDA_R_32F) == HERON_GEMM_DEFAULT);
    REQUIRE(cublasSetMathMode(h, CUBLAS_TF32_TENSOR_OP_MATH) == blas_ok);
    CHECK(algorithm(CUDA_R_32F, CUBLAS_COMPUTE_32F) == HERON_GEMM_TF32);
    CHECK(algorithm(CUDA_R_32F, CUBLAS_COMPUTE_32F_PEDANTIC) == HERON_GEMM_DEFAULT);
}

TEST_CASE("a handle's stream is bound, and setting it takes the workspace back") {
    REQUIRE(recorder_chosen);
    const blas_handle h;
    alignas(256) static char workspace[8192];
    const auto stream = reinterpret_cast<cudaStream_t>(&workspace);
    REQUIRE(cublasSetWorkspace_v2(h, workspace, sizeof workspace) == blas_ok);
    double result;
    const auto* const vector = reinterpret_cast<const double*>(x);
    REQUIRE(cublasDdot_v2(h, 4, vector, 1, vector, 1, &result) == blas_ok);
    CHECK(recorded().memory == workspace);
    REQUIRE(cublasSetStream_v2(h, stream) == blas_ok);
    CHECK(recorded().stream == stream);
    REQUIRE(cublasDdot_v2(h, 4, vector, 1, vector, 1, &result) == blas_ok);
    CHECK(recorded().memory != workspace);
    REQUIRE(cublasSetStream_v2(h, nullptr) == blas_ok);
}
