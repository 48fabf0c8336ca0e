// Every argument of SpSV and SpSM made invalid in turn. Part of bad_arguments_test.
#include "families.hpp"
#include "subject.hpp"
#include "wrong_enumerators.hpp"

namespace heron::test {
namespace {

constexpr auto i32 = CUSPARSE_INDEX_32I;
constexpr auto zero_based = CUSPARSE_INDEX_BASE_ZERO;
constexpr auto f64 = CUDA_R_64F;
constexpr auto none = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr auto conjugate = CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
constexpr auto by_columns = CUSPARSE_ORDER_COL;

// A 4 x 4 diagonal matrix.
alignas(16) double values[16] = {1, 2, 3, 4}, x_values[16], y_values[16];
alignas(16) int32_t offsets[8] = {0, 1, 2, 3, 4}, columns[8] = {0, 1, 2, 3};
alignas(16) char buffer[65536];
constexpr double one = 1;
size_t bytes;

using spsv_descriptor = owned<cusparseSpSVDescr_t, &cusparseSpSV_destroyDescr>;
using spsm_descriptor = owned<cusparseSpSMDescr_t, &cusparseSpSM_destroyDescr>;

struct matrices {
    const sparse_matrix a{cusparseCreateCsr, 4, 4, 4, offsets, columns, values, i32, i32, zero_based, f64};
    const sparse_matrix wide{cusparseCreateCsr, 4, 5, 4, offsets, columns, values, i32, i32, zero_based, f64};
    const sparse_matrix floats{cusparseCreateCsr, 4,         4, 4, offsets, columns, values, i32, i32,
                               zero_based,        CUDA_R_32F};
    const sparse_matrix ell{cusparseCreateBlockedEll, 4, 4, 1, 2, columns, values, i32, zero_based, f64};
    const sparse_matrix batch{cusparseCreateCsr, 4,  4, 4, offsets, columns, values, i32, i32,
                              zero_based,        f64};
    const sparse_matrix without_offsets{cusparseCreateCsr, 4,  4, 4, nullptr, columns, values, i32, i32,
                                        zero_based,        f64};
    const sparse_matrix without_values{cusparseCreateCsr, 4,   4,   4,          offsets, columns,
                                       nullptr,           i32, i32, zero_based, f64};
    const sparse_matrix other{cusparseCreateCsr, 4,  4, 3, offsets, columns, values, i32, i32,
                              zero_based,        f64};

    matrices() { REQUIRE(cusparseCsrSetStridedBatch(batch, 2, 0, 4) == ok); }
};

struct vectors {
    const dense_vector x{cusparseCreateDnVec, 4, x_values, f64};
    const dense_vector y{cusparseCreateDnVec, 4, y_values, f64};
    const dense_vector longer{cusparseCreateDnVec, 5, x_values, f64};
    const dense_vector floats{cusparseCreateDnVec, 4, x_values, CUDA_R_32F};
    const dense_vector without_values{cusparseCreateDnVec, 4, nullptr, f64};
    const const_dense_vector constant{cusparseCreateConstDnVec, 4, y_values, f64};
};

struct dense_operands {
    const dense_matrix b{cusparseCreateDnMat, 4, 2, 4, x_values, f64, by_columns};
    const dense_matrix c{cusparseCreateDnMat, 4, 2, 4, y_values, f64, by_columns};
    const dense_matrix taller{cusparseCreateDnMat, 5, 2, 5, x_values, f64, by_columns};
    const dense_matrix wider{cusparseCreateDnMat, 4, 3, 4, x_values, f64, by_columns};
    const dense_matrix floats{cusparseCreateDnMat, 4, 2, 4, x_values, CUDA_R_32F, by_columns};
    const dense_matrix without_values{cusparseCreateDnMat, 4, 2, 4, nullptr, f64, by_columns};
    const dense_matrix batch{cusparseCreateDnMat, 4, 2, 4, x_values, f64, by_columns};
    const const_dense_matrix constant{cusparseCreateConstDnMat, 4, 2, 4, y_values, f64, by_columns};

    dense_operands() { REQUIRE(cusparseDnMatSetStridedBatch(batch, 2, 8) == ok); }
};

// What every phase refuses of the matrix, which is argument number i.
template <size_t i, class Subject>
void try_matrix(Subject& s, const matrices& m) {
    s.template bad<i>("matA", nullptr).template bad<i>("matA", m.wide);
    s.template bad<i>("matA", m.ell, not_supported).template bad<i>("matA", m.batch, not_supported);
    s.template bad<i>("computeType", m.floats, not_supported);
}

template <class Subject>
void try_spsv_arguments(Subject& s, const matrices& m, const vectors& v) {
    s.template bad<0>("handle", nullptr).template bad<1>("opA", no_operation);
    s.template bad<2>("alpha", nullptr);
    try_matrix<3>(s, m);
    s.template bad<4>("vecX", v.longer).template bad<4>("computeType", v.floats, not_supported);
    s.template bad<5>("vecY", v.longer).template bad<5>("computeType", v.floats, not_supported);
    s.template bad<5>("vecY",
                      const_cast<cusparseDnVecDescr_t>(static_cast<cusparseConstDnVecDescr_t>(v.constant)));
    s.template bad<6>("computeType", no_type).template bad<6>("computeType", CUDA_R_32F, not_supported);
    s.template bad<7>("alg", static_cast<cusparseSpSVAlg_t>(1)).template bad<8>("spsvDescr", nullptr);
}

template <class Subject>
void try_spsm_arguments(Subject& s, const matrices& m, const dense_operands& d) {
    s.template bad<0>("handle", nullptr).template bad<1>("opA", no_operation);
    s.template bad<2>("opB", no_operation).template bad<2>("opB", conjugate, not_supported);
    s.template bad<2>("matB", CUSPARSE_OPERATION_TRANSPOSE).template bad<3>("alpha", nullptr);
    try_matrix<4>(s, m);
    s.template bad<5>("matB", nullptr).template bad<5>("matB", d.taller);
    s.template bad<5>("matC", d.wider).template bad<5>("computeType", d.floats, not_supported);
    s.template bad<5>("matB", d.batch, not_supported);
    s.template bad<6>("matC", nullptr).template bad<6>("matC", d.taller);
    s.template bad<6>("matC", d.wider).template bad<6>("computeType", d.floats, not_supported);
    s.template bad<6>("matC", d.batch, not_supported);
    s.template bad<6>("matC",
                      const_cast<cusparseDnMatDescr_t>(static_cast<cusparseConstDnMatDescr_t>(d.constant)));
    s.template bad<7>("computeType", no_type).template bad<7>("computeType", CUDA_R_32F, not_supported);
    s.template bad<8>("alg", static_cast<cusparseSpSMAlg_t>(1)).template bad<9>("spsmDescr", nullptr);
}

void* misaligned_values() { return reinterpret_cast<char*>(values) + 1; }

void try_spsv(const handle& h, const matrices& m) {
    constexpr auto alg = CUSPARSE_SPSV_ALG_DEFAULT;
    const vectors v;
    cusparseSpSVDescr_t made = nullptr;
    SUBJECT(create, cusparseSpSV_createDescr, &made);
    create.works().bad<0>("spsvDescr", nullptr);
    CHECK(cusparseSpSV_destroyDescr(made) == ok);
    SUBJECT(destroy, cusparseSpSV_destroyDescr, nullptr);
    destroy.works().any<0>();

    const spsv_descriptor d(cusparseSpSV_createDescr), fresh(cusparseSpSV_createDescr);
    SUBJECT(size, cusparseSpSV_bufferSize, h, none, &one, m.a, v.x, v.y, f64, alg, d, &bytes);
    size.works().watch(&bytes, sizeof bytes).bad<9>("bufferSize", nullptr);
    try_spsv_arguments(size, m, v);
    SUBJECT(analysis, cusparseSpSV_analysis, h, none, &one, m.a, v.x, v.y, f64, alg, d, buffer);
    analysis.works()
        .watch(y_values, sizeof y_values)
        .bad<9>("externalBuffer", nullptr)
        .bad<8>("spsvDescr", fresh);
    try_spsv_arguments(analysis, m, v);
    analysis.bad<3>("matA", m.without_offsets).bad<3>("matA", m.without_values);
    analysis.works();
    SUBJECT(solve, cusparseSpSV_solve, h, none, &one, m.a, v.x, v.y, f64, alg, d);
    solve.works().watch(y_values, sizeof y_values).bad<8>("spsvDescr", fresh);
    try_spsv_arguments(solve, m, v);
    solve.bad<1>("opA", conjugate).bad<3>("matA", m.other).bad<3>("matA", m.without_values);
    solve.bad<4>("vecX", nullptr).bad<4>("vecX", v.without_values);
    solve.bad<5>("vecY", nullptr).bad<5>("vecY", v.without_values);
    SUBJECT(update, cusparseSpSV_updateMatrix, h, d, values, CUSPARSE_SPSV_UPDATE_GENERAL);
    update.works().bad<0>("handle", nullptr).bad<1>("spsvDescr", nullptr);
    update.bad<1>("spsvDescr", fresh).bad<2>("newValues", nullptr).bad<2>("newValues", misaligned_values());
    update.bad<3>("updatePart", static_cast<cusparseSpSVUpdate_t>(2));
}

void try_spsm(const handle& h, const matrices& m) {
    constexpr auto alg = CUSPARSE_SPSM_ALG_DEFAULT;
    const dense_operands o;
    cusparseSpSMDescr_t made = nullptr;
    SUBJECT(create, cusparseSpSM_createDescr, &made);
    create.works().bad<0>("spsmDescr", nullptr);
    CHECK(cusparseSpSM_destroyDescr(made) == ok);
    SUBJECT(destroy, cusparseSpSM_destroyDescr, nullptr);
    destroy.works().any<0>();

    const spsm_descriptor d(cusparseSpSM_createDescr), fresh(cusparseSpSM_createDescr);
    SUBJECT(size, cusparseSpSM_bufferSize, h, none, none, &one, m.a, o.b, o.c, f64, alg, d, &bytes);
    size.works().watch(&bytes, sizeof bytes).bad<10>("bufferSize", nullptr);
    try_spsm_arguments(size, m, o);
    SUBJECT(analysis, cusparseSpSM_analysis, h, none, none, &one, m.a, o.b, o.c, f64, alg, d, buffer);
    analysis.works()
        .watch(y_values, sizeof y_values)
        .bad<10>("externalBuffer", nullptr)
        .bad<9>("spsmDescr", fresh);
    try_spsm_arguments(analysis, m, o);
    analysis.bad<4>("matA", m.without_offsets).bad<4>("matA", m.without_values);
    analysis.works();
    SUBJECT(solve, cusparseSpSM_solve, h, none, none, &one, m.a, o.b, o.c, f64, alg, d);
    solve.works().watch(y_values, sizeof y_values).bad<9>("spsmDescr", fresh);
    try_spsm_arguments(solve, m, o);
    solve.bad<1>("opA", conjugate).bad<4>("matA", m.other).bad<4>("matA", m.without_values);
    solve.bad<5>("matB", o.without_values).bad<6>("matC", o.without_values);
    SUBJECT(update, cusparseSpSM_updateMatrix, h, d, values, CUSPARSE_SPSM_UPDATE_GENERAL);
    update.works().bad<0>("handle", nullptr).bad<1>("spsmDescr", nullptr);
    update.bad<1>("spsmDescr", fresh).bad<2>("newValues", nullptr).bad<2>("newValues", misaligned_values());
    update.bad<3>("updatePart", static_cast<cusparseSpSMUpdate_t>(-1));
}

}  // namespace

void try_trisolve() {
    const handle h(cusparseCreate);
    const matrices m;
    try_spsv(h, m);
    try_spsm(h, m);
}

}  // namespace heron::test
