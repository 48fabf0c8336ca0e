// The arguments of csrmvEx, ConstrainedGeMM, COO AoS and the settings that NVIDIA has removed.
#include "families.hpp"
#include "subject.hpp"
#include "wrong_enumerators.hpp"

namespace heron::test {
namespace {

constexpr auto mismatch = CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr auto f64 = CUDA_R_64F;

using matrix_descriptor = owned<cusparseMatDescr_t, &cusparseDestroyMatDescr>;

template <class T>
T* misaligned(T* p) {
    return reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(p) + 1);
}

// A 4 x 3 matrix with one element per row, vectors and dense matrices.
struct helper_operands {
    helper_operands() { REQUIRE(cusparseSetMatType(symmetric, CUSPARSE_MATRIX_TYPE_SYMMETRIC) == ok); }

    handle h{cusparseCreate};
    matrix_descriptor general{cusparseCreateMatDescr}, symmetric{cusparseCreateMatDescr};
    alignas(16) double values[4] = {}, x[12] = {}, y[12] = {}, one = 1;
    int offsets[5] = {0, 1, 2, 3, 4}, columns[8] = {0, 1, 2, 0, 0, 1, 2, 0};
    size_t bytes = 0;
    alignas(16) char buffer[4096] = {};
    sparse_matrix csr{
        cusparseCreateCsr,        4,  3, 4, offsets, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
        CUSPARSE_INDEX_BASE_ZERO, f64};
    sparse_matrix coo{cusparseCreateCoo,        4,  3, 4, columns, columns, values, CUSPARSE_INDEX_32I,
                      CUSPARSE_INDEX_BASE_ZERO, f64};
    sparse_matrix csc{
        cusparseCreateCsc,        4,  3, 4, offsets, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
        CUSPARSE_INDEX_BASE_ZERO, f64};
    sparse_matrix pairs{cusparseCreateCooAoS,     4,  3, 4, columns, values, CUSPARSE_INDEX_32I,
                        CUSPARSE_INDEX_BASE_ZERO, f64};
    dense_matrix left{cusparseCreateDnMat, 4, 2, 4, x, f64, CUSPARSE_ORDER_COL};
    dense_matrix right{cusparseCreateDnMat, 2, 3, 2, y, f64, CUSPARSE_ORDER_COL};
};

// What csrmvEx and its size are asked for alike.
template <class Subject>
void try_mixed_product(Subject& s, helper_operands& o) {
    s.works().template bad<0>("handle", nullptr, not_initialized);
    s.template bad<1>("alg", static_cast<cusparseAlgMode_t>(2)).template bad<2>("transA", no_operation);
    s.template bad<3>("m", -1).template bad<4>("n", -1).template bad<5>("nnz", -1).template bad<5>("nnz", 13);
    s.template bad<6>("alpha", nullptr).template bad<7>("alphatype", no_type);
    s.template bad<7>("alphatype", CUDA_R_32F, not_supported).template bad<8>("descrA", nullptr);
    s.template bad<8>("descrA", o.symmetric, mismatch).template bad<9>("csrValA", misaligned(o.values));
    s.template bad<10>("csrValAtype", no_type).template bad<11>("csrRowPtrA", misaligned(o.offsets));
    s.template bad<10>("executiontype", CUDA_C_64F, not_supported);
    s.template bad<12>("csrColIndA", misaligned(o.columns)).template bad<13>("x", misaligned(o.x));
    s.template bad<14>("xtype", no_type).template bad<15>("beta", nullptr);
    s.template bad<16>("betatype", no_type).template bad<16>("betatype", CUDA_R_32F, not_supported);
    s.template bad<17>("y", misaligned(o.y)).template bad<18>("ytype", no_type);
    s.template bad<19>("executiontype", no_type);
}

void try_csrmv_ex(helper_operands& o) {
    SUBJECT(size, cusparseCsrmvEx_bufferSize, o.h, CUSPARSE_ALG_MERGE_PATH, plain, 4, 3, 4, &o.one, f64,
            o.general, o.values, f64, o.offsets, o.columns, o.x, f64, &o.one, f64, o.y, f64, f64, &o.bytes);
    try_mixed_product(size.watch(&o.bytes, sizeof o.bytes), o);
    size.bad<20>("bufferSizeInBytes", nullptr);
    SUBJECT(product, cusparseCsrmvEx, o.h, CUSPARSE_ALG_NAIVE, plain, 4, 3, 4, &o.one, f64, o.general,
            o.values, f64, o.offsets, o.columns, o.x, f64, &o.one, f64, o.y, f64, f64, o.buffer);
    try_mixed_product(product.watch(o.y, sizeof o.y), o);
    product.bad<9>("csrValA", nullptr).bad<11>("csrRowPtrA", nullptr).bad<12>("csrColIndA", nullptr);
    product.bad<13>("x", nullptr).bad<17>("y", nullptr).any<20>();
}

template <class Subject>
void try_sampled(Subject& s, helper_operands& o) {
    s.works().template bad<0>("handle", nullptr).template bad<1>("opA", no_operation);
    s.template bad<2>("opB", no_operation).template bad<3>("alpha", nullptr).template bad<4>("matA", nullptr);
    s.template bad<5>("matB", nullptr).template bad<5>("matB", o.left).template bad<6>("beta", nullptr);
    s.template bad<7>("matC", nullptr).template bad<7>("matC", o.pairs, not_supported);
    s.template bad<8>("computeType", no_type).template bad<8>("computeType", CUDA_R_32F, not_supported);
}

void try_constrained_gemm(helper_operands& o) {
    SUBJECT(size, cusparseConstrainedGeMM_bufferSize, o.h, plain, plain, &o.one, o.left, o.right, &o.one,
            o.csr, f64, &o.bytes);
    try_sampled(size.watch(&o.bytes, sizeof o.bytes), o);
    size.bad<9>("bufferSize", nullptr);
    SUBJECT(product, cusparseConstrainedGeMM, o.h, plain, plain, &o.one, o.left, o.right, &o.one, o.csr, f64,
            o.buffer);
    try_sampled(product.watch(o.values, sizeof o.values), o);
    product.any<9>();
}

void try_settings(helper_operands& o) {
    SUBJECT(copy, cusparseCopyMatDescr, o.general, o.general);
    copy.works().bad<0>("dest", nullptr).bad<1>("src", nullptr);
    SUBJECT(precision, cusparseSetMatFullPrecision, o.general, true);
    precision.works().bad<0>("descrA", nullptr, not_initialized).any<1>();
    const owned<cusparseColorInfo_t, &cusparseDestroyColorInfo> info(cusparseCreateColorInfo);
    SUBJECT(set, cusparseSetColorAlgs, info, CUSPARSE_COLOR_ALG1);
    set.works().bad<0>("info", nullptr).bad<1>("alg", static_cast<cusparseColorAlg_t>(2));
    cusparseColorAlg_t found{};
    SUBJECT(get, cusparseGetColorAlgs, info, &found);
    get.works().bad<0>("info", nullptr).bad<1>("alg", nullptr);
    CHECK(found == CUSPARSE_COLOR_ALG1);
}

void try_pairs(helper_operands& o) {
    SUBJECT(create, cusparseCreateCooAoS, nullptr, 4, 3, 4, o.columns, o.values, CUSPARSE_INDEX_32I,
            CUSPARSE_INDEX_BASE_ZERO, f64);
    create.bad<0>("spMatDescr", nullptr);
    cusparseSpMatDescr_t made = nullptr;
    SUBJECT(others, cusparseCreateCooAoS, &made, 4, 3, 4, o.columns, o.values, CUSPARSE_INDEX_32I,
            CUSPARSE_INDEX_BASE_ZERO, f64);
    others.watch(&made, sizeof made).any<0>().bad<1>("rows", -1).bad<2>("cols", -1).bad<3>("nnz", -1);
    others.bad<3>("nnz", 13)
        .bad<4>("cooInd", misaligned(o.columns))
        .bad<5>("cooValues", misaligned(o.values));
    others.bad<6>("cooIdxType", CUSPARSE_INDEX_16U, not_supported);
    others.bad<6>("cooIdxType", static_cast<cusparseIndexType_t>(4));
    others.bad<7>("idxBase", static_cast<cusparseIndexBase_t>(2)).bad<8>("valueType", no_type);
    create.any<1>().any<2>().any<3>().any<4>().any<5>().any<6>().any<7>().any<8>();

    int64_t rows = 0, cols = 0, nnz = 0;
    void *indices = nullptr, *values = nullptr;
    cusparseIndexType_t index_type{};
    cusparseIndexBase_t base{};
    cudaDataType type{};
    SUBJECT(get, cusparseCooAoSGet, o.pairs, &rows, &cols, &nnz, &indices, &values, &index_type, &base,
            &type);
    get.works();
    CHECK(rows == 4);
    CHECK(cols == 3);
    CHECK(nnz == 4);
    CHECK(indices == o.columns);
    CHECK(values == o.values);
    CHECK(index_type == CUSPARSE_INDEX_32I);
    CHECK(base == CUSPARSE_INDEX_BASE_ZERO);
    CHECK(type == f64);
    get.watch(&rows, sizeof rows).watch(&type, sizeof type).watch(&values, sizeof values);
    get.bad<0>("spMatDescr", nullptr).bad<0>("spMatDescr", o.coo).bad<1>("rows", nullptr);
    get.bad<2>("cols", nullptr).bad<3>("nnz", nullptr).bad<4>("cooInd", nullptr).bad<5>("cooValues", nullptr);
    get.bad<6>("idxType", nullptr).bad<7>("idxBase", nullptr).bad<8>("valueType", nullptr);
    CHECK(cusparseCooGet(o.pairs, &rows, &cols, &nnz, &indices, &indices, &values, &index_type, &base,
                         &type) == invalid);
    cusparseFormat_t format{};
    REQUIRE(cusparseSpMatGetFormat(o.pairs, &format) == ok);
    CHECK(format == CUSPARSE_FORMAT_COO_AOS);
    CHECK(static_cast<int>(format) == 4);
}

void try_batches(helper_operands& o) {
    SUBJECT(set, cusparseSpMatSetStridedBatch, o.csr, 2);
    set.works().bad<0>("spMatDescr", nullptr).bad<0>("spMatDescr", o.csc).bad<0>("spMatDescr", o.pairs);
    set.bad<1>("batchCount", 0);
    SUBJECT(set_first, cusparseSpMatSetNumBatches, o.coo, 3);
    set_first.works().bad<0>("spMatDescr", nullptr).bad<1>("batchCount", -1);
    int count = 0;
    SUBJECT(get, cusparseSpMatGetNumBatches, o.coo, &count);
    get.works();
    CHECK(count == 3);
    get.watch(&count, sizeof count).bad<0>("spMatDescr", nullptr).bad<1>("batchCount", nullptr);
    REQUIRE(cusparseSpMatGetStridedBatch(o.csr, &count) == ok);
    CHECK(count == 2);
}

}  // namespace

void try_removed_helpers() {
    helper_operands o;
    try_csrmv_ex(o);
    try_constrained_gemm(o);
    try_settings(o);
    try_pairs(o);
    try_batches(o);
}

}  // namespace heron::test

TEST_CASE("CopyMatDescr copies every field") {
    using namespace heron::test;
    const owned<cusparseMatDescr_t, &cusparseDestroyMatDescr> from(cusparseCreateMatDescr),
        to(cusparseCreateMatDescr);
    REQUIRE(cusparseSetMatType(from, CUSPARSE_MATRIX_TYPE_TRIANGULAR) == ok);
    REQUIRE(cusparseSetMatFillMode(from, CUSPARSE_FILL_MODE_UPPER) == ok);
    REQUIRE(cusparseSetMatDiagType(from, CUSPARSE_DIAG_TYPE_UNIT) == ok);
    REQUIRE(cusparseSetMatIndexBase(from, CUSPARSE_INDEX_BASE_ONE) == ok);
    REQUIRE(cusparseCopyMatDescr(to, from) == ok);
    CHECK(cusparseGetMatType(to) == CUSPARSE_MATRIX_TYPE_TRIANGULAR);
    CHECK(cusparseGetMatFillMode(to) == CUSPARSE_FILL_MODE_UPPER);
    CHECK(cusparseGetMatDiagType(to) == CUSPARSE_DIAG_TYPE_UNIT);
    CHECK(cusparseGetMatIndexBase(to) == CUSPARSE_INDEX_BASE_ONE);
}
