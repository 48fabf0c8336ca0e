// What the incomplete factorisations make of their arguments, seen by a plug-in that only records them.
#include "facade/recorder.hpp"
#include "typed_functions.hpp"

using namespace heron::test;

namespace {

constexpr auto levels = CUSPARSE_SOLVE_POLICY_USE_LEVEL;
alignas(128) char workspace[256];
int32_t* const row_offsets = reinterpret_cast<int32_t*>(offsets);
int32_t* const indices = reinterpret_cast<int32_t*>(columns);

heron_type type_of(cudaDataType type) {
    for (const element_case& e : uniform)
        if (e.cuda == type) return e.type;
    FAIL("no element type");
    return HERON_R_64F;
}

template <class Info, cusparseStatus_t (*destroy)(Info)>
using info = owned<Info, destroy>;
using csr_lu = info<csrilu02Info_t, &cusparseDestroyCsrilu02Info>;
using csr_cholesky = info<csric02Info_t, &cusparseDestroyCsric02Info>;
using bsr_lu = info<bsrilu02Info_t, &cusparseDestroyBsrilu02Info>;
using bsr_cholesky = info<bsric02Info_t, &cusparseDestroyBsric02Info>;

void check_matrix(const heron_spmat& a, heron_format format, int size, int base, heron_type type) {
    CHECK(a.format == format);
    CHECK(a.rows == 5 * size);
    CHECK(a.cols == 5 * size);
    CHECK(a.nnz == 7);
    CHECK(a.offsets == row_offsets);
    CHECK(a.indices == indices);
    CHECK(a.values == values);
    CHECK(a.offset_type == HERON_INDEX_32);
    CHECK(a.index_type == HERON_INDEX_32);
    CHECK(a.base == base);
    CHECK(a.type == type);
    if (format == HERON_FORMAT_BSR) CHECK((a.block_rows == size && a.block_cols == size));
}

// The call before was this phase, in memory of the analysis's own.
heron_factor_args last(const char* operation, heron_phase phase) {
    CHECK(recorded().memory != nullptr);
    CHECK(recorded().memory != workspace);
    CHECK((recorded().plan != nullptr) == (phase == HERON_PHASE_RUN));
    const auto args = arguments<heron_factor_args>(operation, phase, recorded().memory);
    CHECK(args.zero_pivot != nullptr);
    return args;
}

}  // namespace

TEST_CASE("factorisations pass everything on, in memory of their own") {
    REQUIRE(recorder_chosen);
    const handle h(cusparseCreate);
    const owned<cusparseMatDescr_t, &cusparseDestroyMatDescr> descr(cusparseCreateMatDescr);
    for_each_type([&]<class F>(F f) {
        using T = typename F::scalar;
        const heron_type type = type_of(F::type);
        T* const a = static_cast<T*>(static_cast<void*>(values));
        for (const cusparseIndexBase_t base : bases) {
            CAPTURE(F::type, base);
            REQUIRE(cusparseSetMatIndexBase(descr, base) == ok);
            const csr_lu lu(cusparseCreateCsrilu02Info);
            const csr_cholesky cholesky(cusparseCreateCsric02Info);
            REQUIRE(f.csrilu02_analysis(h, 5, 7, descr, a, row_offsets, indices, lu, levels, workspace) ==
                    ok);
            check_matrix(last("ilu0", HERON_PHASE_ANALYSE).a, HERON_FORMAT_CSR, 1, base, type);
            REQUIRE(f.csrilu02(h, 5, 7, descr, a, row_offsets, indices, lu, levels, workspace) == ok);
            check_matrix(last("ilu0", HERON_PHASE_RUN).a, HERON_FORMAT_CSR, 1, base, type);
            CHECK(last("ilu0", HERON_PHASE_RUN).boost == 0);
            REQUIRE(f.csric02_analysis(h, 5, 7, descr, a, row_offsets, indices, cholesky, levels,
                                       workspace) == ok);
            check_matrix(last("ic0", HERON_PHASE_ANALYSE).a, HERON_FORMAT_CSR, 1, base, type);
            REQUIRE(f.csric02(h, 5, 7, descr, a, row_offsets, indices, cholesky, levels, workspace) == ok);
            check_matrix(last("ic0", HERON_PHASE_RUN).a, HERON_FORMAT_CSR, 1, base, type);

            for (const auto direction : {CUSPARSE_DIRECTION_ROW, CUSPARSE_DIRECTION_COLUMN}) {
                const bsr_lu blocks(cusparseCreateBsrilu02Info);
                const bsr_cholesky lower(cusparseCreateBsric02Info);
                const heron_order order =
                    direction == CUSPARSE_DIRECTION_ROW ? HERON_ORDER_ROW : HERON_ORDER_COLUMN;
                REQUIRE(f.bsrilu02_analysis(h, direction, 5, 7, descr, a, row_offsets, indices, 3, blocks,
                                            levels, workspace) == ok);
                check_matrix(last("ilu0", HERON_PHASE_ANALYSE).a, HERON_FORMAT_BSR, 3, base, type);
                REQUIRE(f.bsrilu02(h, direction, 5, 7, descr, a, row_offsets, indices, 3, blocks, levels,
                                   workspace) == ok);
                check_matrix(last("ilu0", HERON_PHASE_RUN).a, HERON_FORMAT_BSR, 3, base, type);
                CHECK(last("ilu0", HERON_PHASE_RUN).a.block_order == order);
                REQUIRE(f.bsric02_analysis(h, direction, 5, 7, descr, a, row_offsets, indices, 3, lower,
                                           levels, workspace) == ok);
                check_matrix(last("ic0", HERON_PHASE_ANALYSE).a, HERON_FORMAT_BSR, 3, base, type);
                REQUIRE(f.bsric02(h, direction, 5, 7, descr, a, row_offsets, indices, 3, lower, levels,
                                  workspace) == ok);
                CHECK(last("ic0", HERON_PHASE_RUN).a.block_order == order);
            }
        }
    });
}

TEST_CASE("a boost is kept with the info until it is switched off") {
    const handle h(cusparseCreate);
    const owned<cusparseMatDescr_t, &cusparseDestroyMatDescr> descr(cusparseCreateMatDescr);
    for_each_type([&]<class F>(F f) {
        using T = typename F::scalar;
        const heron_type type = type_of(F::type);
        const double im = F::is_complex ? -0.5 : 0;
        T* const a = static_cast<T*>(static_cast<void*>(values));
        scalar value(type, 3, im);
        T* const boost_value = static_cast<T*>(static_cast<void*>(value.bytes));
        double tolerance = 0.125;
        const csr_lu lu(cusparseCreateCsrilu02Info);
        const auto run = [&] {
            REQUIRE(f.csrilu02(h, 5, 7, descr, a, row_offsets, indices, lu, levels, workspace) == ok);
            return last("ilu0", HERON_PHASE_RUN);
        };
        REQUIRE(f.csrilu02_numericBoost(h, lu, 1, &tolerance, boost_value) == ok);
        tolerance = 7;
        REQUIRE(f.csrilu02_analysis(h, 5, 7, descr, a, row_offsets, indices, lu, levels, workspace) == ok);
        CHECK(run().boost == 1);
        CHECK(is_host_value(run().tolerance, 0.125));
        CHECK(is_host_value(run().boost_value, 3, im));
        REQUIRE(f.csrilu02_numericBoost(h, lu, 0, nullptr, nullptr) == ok);
        CHECK(run().boost == 0);

        REQUIRE(cusparseSetPointerMode(h, CUSPARSE_POINTER_MODE_DEVICE) == ok);
        // Addresses that nobody may read on the host.
        auto* const somewhere = reinterpret_cast<T*>(uintptr_t{64});
        auto* const elsewhere = reinterpret_cast<double*>(uintptr_t{128});
        REQUIRE(f.csrilu02_numericBoost(h, lu, 1, elsewhere, somewhere) == ok);
        REQUIRE(cusparseSetPointerMode(h, CUSPARSE_POINTER_MODE_HOST) == ok);
        CHECK(run().tolerance.device == elsewhere);
        CHECK(run().boost_value.device == somewhere);
    });
}

TEST_CASE("an info's memory serves all of its analyses and is freed with it") {
    const handle h(cusparseCreate);
    const owned<cusparseMatDescr_t, &cusparseDestroyMatDescr> descr(cusparseCreateMatDescr);
    auto* const a = static_cast<double*>(static_cast<void*>(values));
    recorded().step_count = 0;
    {
        const csr_lu lu(cusparseCreateCsrilu02Info);
        for (int turn = 0; turn < 3; ++turn)
            REQUIRE(cusparseDcsrilu02_analysis(h, 5, 7, descr, a, row_offsets, indices, lu, levels,
                                               workspace) == ok);
    }
    int allocated = 0, freed = 0;
    for (int k = 0; k < recorded().step_count; ++k) {
        allocated += recorded().steps[k].function == std::string("memory_alloc");
        freed += recorded().steps[k].function == std::string("memory_free");
    }
    CHECK(allocated == 2);
    CHECK(freed == 2);
}
