// What HYB matrices make of their arguments, seen by a plug-in that only records them.
#include "facade/recorder.hpp"
#include "typed_functions.hpp"

using namespace heron::test;

namespace {

using matrix_descriptor = owned<cusparseMatDescr_t, &cusparseDestroyMatDescr>;
using hyb_matrix = owned<cusparseHybMat_t, &cusparseDestroyHybMat>;

heron_type type_of(cudaDataType type) {
    for (const element_case& e : uniform)
        if (e.cuda == type) return e.type;
    FAIL("no element type");
    return HERON_R_64F;
}

void check_kept(const heron_spmat& a, heron_type type) {
    CHECK(a.format == HERON_FORMAT_CSR);
    CHECK(a.rows == 5);
    CHECK(a.cols == 4);
    CHECK(a.nnz == RECORDED_NNZ);
    CHECK(a.base == 0);
    CHECK(a.offset_type == HERON_INDEX_32);
    CHECK(a.index_type == HERON_INDEX_32);
    CHECK(a.type == type);
    CHECK(a.batch_count == 1);
}

void check_given(const heron_spmat& b, int64_t rows, int64_t cols, int base, heron_type type) {
    CHECK(b.format == HERON_FORMAT_CSR);
    CHECK(b.rows == rows);
    CHECK(b.cols == cols);
    CHECK(b.offsets == offsets);
    CHECK(b.indices == columns);
    CHECK(b.values == values);
    CHECK(b.base == base);
    CHECK(b.type == type);
}

}  // namespace

TEST_CASE("HYB matrices hand their own copy to the operations, and products what was found out about it") {
    REQUIRE(recorder_chosen);
    const handle h(cusparseCreate);
    const matrix_descriptor descr(cusparseCreateMatDescr);
    auto* const to_offsets = reinterpret_cast<int*>(offsets);
    auto* const to_indices = reinterpret_cast<int*>(columns);
    for_each_type([&]<class F>(F f) {
        using T = typename F::scalar;
        const heron_type type = type_of(F::type);
        const scalar two(type, 2), three(type, 3);
        const auto* const alpha = static_cast<const T*>(static_cast<const void*>(two));
        const auto* const beta = static_cast<const T*>(static_cast<const void*>(three));
        auto* const v = reinterpret_cast<T*>(values);
        auto* const x = reinterpret_cast<T*>(x_values);
        auto* const y = reinterpret_cast<T*>(y_values);
        for (const cusparseIndexBase_t base : bases) {
            CAPTURE(F::type, base);
            REQUIRE(cusparseSetMatIndexBase(descr, base) == ok);
            const hyb_matrix hyb(cusparseCreateHybMat);
            REQUIRE(f.dense2hyb(h, 5, 4, descr, x, 6, to_indices, hyb, 0, CUSPARSE_HYB_PARTITION_AUTO) == ok);
            const auto analysed = arguments<heron_spmv_args>("spmv", HERON_PHASE_ANALYSE, recorded().memory);
            check_kept(analysed.a, type);
            CHECK(analysed.op == HERON_OP_NONE);
            void* const workspace = recorded().memory;
            REQUIRE(workspace);

            REQUIRE(f.hybmv(h, CUSPARSE_OPERATION_NON_TRANSPOSE, alpha, descr, hyb, x, beta, y) == ok);
            CHECK(recorded().plan != nullptr);
            const auto product = arguments<heron_spmv_args>("spmv", HERON_PHASE_RUN, workspace);
            check_kept(product.a, type);
            CHECK(product.a.values == analysed.a.values);
            CHECK(is_host_value(product.alpha, 2));
            CHECK(is_host_value(product.beta, 3));
            check_vector(product.x, 4, x_values, type);
            check_vector(product.y, 5, y_values, type);
            CHECK(product.compute_type == type);

            REQUIRE(f.hybmv(h, CUSPARSE_OPERATION_TRANSPOSE, alpha, descr, hyb, x, beta, y) == ok);
            CHECK(recorded().plan == nullptr);
            const auto turned = arguments<heron_spmv_args>("spmv", HERON_PHASE_RUN, recorded().memory);
            CHECK(turned.op == HERON_OP_TRANSPOSE);
            CHECK(recorded().memory != workspace);
            check_vector(turned.x, 5, x_values, type);
            check_vector(turned.y, 4, y_values, type);

            REQUIRE(f.hyb2csr(h, descr, hyb, v, to_offsets, to_indices) == ok);
            const auto csr = arguments<heron_reblock_args>("reblock", HERON_PHASE_RUN, recorded().memory);
            check_kept(csr.a, type);
            check_given(csr.b, 5, 4, base, type);

            REQUIRE(f.hyb2csc(h, descr, hyb, v, to_indices, to_offsets) == ok);
            const auto csc = arguments<heron_transpose_args>("transpose", HERON_PHASE_RUN, recorded().memory);
            check_kept(csc.a, type);
            check_given(csc.b, 4, 5, base, type);
            CHECK(csc.b.nnz == RECORDED_NNZ);

            REQUIRE(f.hyb2dense(h, descr, hyb, y, 7) == ok);
            const auto dense =
                arguments<heron_sparse_to_dense_args>("sparse_to_dense", HERON_PHASE_RUN, recorded().memory);
            check_kept(dense.a, type);
            CHECK(dense.b.rows == 5);
            CHECK(dense.b.cols == 4);
            CHECK(dense.b.ld == 7);
            CHECK(dense.b.order == HERON_ORDER_COLUMN);
            CHECK(dense.b.values == y_values);
        }
    });
}
