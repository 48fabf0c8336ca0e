// What sorting, csru2csr, csrcolor and csrgeam2 make of their arguments, seen by a plug-in that only records
// them.
#include "facade/recorder.hpp"
#include "typed_functions.hpp"

using namespace heron::test;

namespace {

using matrix_descriptor = owned<cusparseMatDescr_t, &cusparseDestroyMatDescr>;
using csru_info = owned<csru2csrInfo_t, &cusparseDestroyCsru2csrInfo>;
using color_info = owned<cusparseColorInfo_t, &cusparseDestroyColorInfo>;

int* ints(void* p) { return static_cast<int*>(p); }

int* const row_list = ints(rows);
int* const column_list = ints(columns);
int* const offset_list = ints(offsets);
int* const permutation = ints(x_values);
int* const other_list = ints(y_values);

heron_type type_of(cudaDataType type) {
    for (const element_case& e : uniform)
        if (e.cuda == type) return e.type;
    FAIL("no element type");
    return HERON_R_64F;
}

void check_csr(const heron_spmat& a, int row_count, int col_count, int nnz, int base, heron_type type) {
    CHECK(a.format == HERON_FORMAT_CSR);
    CHECK(a.rows == row_count);
    CHECK(a.cols == col_count);
    CHECK(a.nnz == nnz);
    CHECK(a.offsets == offset_list);
    CHECK(a.offset_type == HERON_INDEX_32);
    CHECK(a.index_type == HERON_INDEX_32);
    CHECK(a.base == base);
    CHECK(a.type == type);
}

}  // namespace

TEST_CASE("coosort passes on its arrays, the one that comes first as the major one") {
    REQUIRE(recorder_chosen);
    const handle h(cusparseCreate);
    size_t bytes = 0;
    REQUIRE(cusparseXcoosort_bufferSizeExt(h, 5, 7, 3, row_list, column_list, &bytes) == ok);
    CHECK(bytes == RECORDED_SIZE);
    CHECK(arguments<heron_sort_pairs_args>("sort_pairs", HERON_PHASE_SIZE).nnz == 3);

    REQUIRE(cusparseXcoosortByRow(h, 5, 7, 3, row_list, column_list, permutation, buffer) == ok);
    const auto by_row = arguments<heron_sort_pairs_args>("sort_pairs", HERON_PHASE_RUN, buffer);
    CHECK(by_row.nnz == 3);
    CHECK(by_row.majors == 5);
    CHECK(by_row.minors == 7);
    CHECK(by_row.major == row_list);
    CHECK(by_row.minor == column_list);
    CHECK(by_row.permutation == permutation);

    REQUIRE(cusparseXcoosortByColumn(h, 5, 7, 3, row_list, column_list, nullptr, buffer) == ok);
    const auto by_column = arguments<heron_sort_pairs_args>("sort_pairs", HERON_PHASE_RUN, buffer);
    CHECK(by_column.majors == 7);
    CHECK(by_column.minors == 5);
    CHECK(by_column.major == column_list);
    CHECK(by_column.minor == row_list);
    CHECK(by_column.permutation == nullptr);
}

TEST_CASE("csrsort and cscsort sort by what their offsets belong to") {
    const handle h(cusparseCreate);
    const matrix_descriptor descr(cusparseCreateMatDescr);
    for (const cusparseIndexBase_t base : bases) {
        REQUIRE(cusparseSetMatIndexBase(descr, base) == ok);
        REQUIRE(cusparseXcsrsort(h, 5, 7, 3, descr, offset_list, column_list, permutation, buffer) == ok);
        const auto csr = arguments<heron_sort_rows_args>("sort_rows", HERON_PHASE_RUN, buffer);
        CHECK(csr.rows == 5);
        CHECK(csr.cols == 7);
        REQUIRE(cusparseXcscsort(h, 5, 7, 3, descr, offset_list, column_list, permutation, buffer) == ok);
        const auto csc = arguments<heron_sort_rows_args>("sort_rows", HERON_PHASE_RUN, buffer);
        CHECK(csc.rows == 7);
        CHECK(csc.cols == 5);
        for (const auto& args : {csr, csc}) {
            CHECK(args.nnz == 3);
            CHECK(args.offsets == offset_list);
            CHECK(args.indices == column_list);
            CHECK(args.permutation == permutation);
            CHECK(args.base == base);
        }
    }
}

TEST_CASE("CreateIdentityPermutation") {
    const handle h(cusparseCreate);
    REQUIRE(cusparseCreateIdentityPermutation(h, 9, permutation) == ok);
    const auto args = arguments<heron_identity_permutation_args>("identity_permutation", HERON_PHASE_RUN);
    CHECK(args.count == 9);
    CHECK(args.permutation == permutation);
}

TEST_CASE("csru2csr allocates in bufferSizeExt alone and moves the values last") {
    const handle h(cusparseCreate);
    const matrix_descriptor descr(cusparseCreateMatDescr);
    for_each_type([&]<class F>(F f) {
        using T = typename F::scalar;
        CAPTURE(F::type);
        const csru_info info(cusparseCreateCsru2csrInfo);
        auto* const numbers = reinterpret_cast<T*>(values);
        size_t bytes = 0;
        REQUIRE(f.csru2csr_bufferSizeExt(h, 5, 7, 3, numbers, offset_list, column_list, info, &bytes) == ok);
        CHECK(bytes == RECORDED_SIZE);
        recorded().step_count = 0;
        const void* order = nullptr;
        // The second time the order is there.
        for (const int steps : {3, 2}) {
            recorded().step_count = 0;
            REQUIRE(f.csru2csr(h, 5, 7, 3, descr, numbers, offset_list, column_list, info, buffer) == ok);
            CHECK(recorded().step_count == steps);
            CHECK(std::string(recorded().steps[0].function) ==
                  (steps == 3 ? "identity_permutation" : "permute"));
            const auto moved = arguments<heron_permute_args>("permute", HERON_PHASE_RUN, buffer);
            CHECK(moved.count == 3);
            CHECK(moved.element_size == sizeof(T));
            CHECK(moved.array == numbers);
            CHECK(moved.inverse == 0);
            CHECK(moved.permutation != nullptr);
            order = moved.permutation;
        }
        REQUIRE(f.csr2csru(h, 5, 7, 3, descr, numbers, offset_list, column_list, info, buffer) == ok);
        const auto back = arguments<heron_permute_args>("permute", HERON_PHASE_RUN, buffer);
        CHECK(back.inverse == 1);
        CHECK(back.permutation == order);
        CHECK(back.array == numbers);
    });
}

TEST_CASE("csrcolor passes on the pattern and the fraction in its pointer mode") {
    const handle h(cusparseCreate);
    const matrix_descriptor descr(cusparseCreateMatDescr);
    REQUIRE(cusparseSetMatIndexBase(descr, CUSPARSE_INDEX_BASE_ONE) == ok);
    const color_info info(cusparseCreateColorInfo);
    for_each_type([&]<class F>(F f) {
        using T = typename F::scalar;
        using R = typename F::real;
        CAPTURE(F::type);
        const R fraction = R(0.75);
        int count = 0;
        auto* const numbers = reinterpret_cast<T*>(values);
        const auto call = [&](const R* share) {
            REQUIRE(f.csrcolor(h, 5, 3, descr, numbers, offset_list, column_list, share, &count, permutation,
                               other_list, info) == ok);
            return arguments<heron_color_args>("color", HERON_PHASE_RUN, recorded().memory);
        };
        const auto args = call(&fraction);
        check_csr(args.a, 5, 5, 3, 1, type_of(F::type));
        CHECK(is_host_value(args.fraction, 0.75));
        CHECK(args.color_count == &count);
        CHECK(args.colors == permutation);
        CHECK(args.reordering == other_list);

        REQUIRE(cusparseSetPointerMode(h, CUSPARSE_POINTER_MODE_DEVICE) == ok);
        auto* const somewhere = reinterpret_cast<const R*>(uintptr_t{64});
        CHECK(call(somewhere).fraction.device == somewhere);
        REQUIRE(cusparseSetPointerMode(h, CUSPARSE_POINTER_MODE_HOST) == ok);
    });
}

TEST_CASE("csrgeam2 passes on three matrices and two factors") {
    const handle h(cusparseCreate);
    const matrix_descriptor from_0(cusparseCreateMatDescr), from_1(cusparseCreateMatDescr);
    REQUIRE(cusparseSetMatIndexBase(from_1, CUSPARSE_INDEX_BASE_ONE) == ok);
    int nnz = 0;
    REQUIRE(cusparseXcsrgeam2Nnz(h, 5, 7, from_0, 4, offset_list, column_list, from_1, 6, offset_list,
                                 row_list, from_1, offset_list, &nnz, buffer) == ok);
    const auto counted = arguments<heron_spadd_args>("spadd_count", HERON_PHASE_RUN, buffer);
    check_csr(counted.a, 5, 7, 4, 0, HERON_R_32F);
    check_csr(counted.b, 5, 7, 6, 1, HERON_R_32F);
    CHECK(counted.c.offsets == offset_list);
    CHECK(counted.c.base == 1);
    CHECK(counted.nnz.value == &nnz);
    CHECK(counted.nnz.on_device == 0);
    for_each_type([&]<class F>(F f) {
        using T = typename F::scalar;
        const heron_type type = type_of(F::type);
        CAPTURE(F::type);
        const scalar two(type, 2), three(type, 3);
        const auto* const alpha = static_cast<const T*>(static_cast<const void*>(two));
        const auto* const beta = static_cast<const T*>(static_cast<const void*>(three));
        auto* const numbers = reinterpret_cast<T*>(values);
        auto* const sums = reinterpret_cast<T*>(buffer);
        size_t bytes = 0;
        REQUIRE(f.csrgeam2_bufferSizeExt(h, 5, 7, alpha, from_0, 4, numbers, offset_list, column_list, beta,
                                         from_1, 6, numbers, offset_list, row_list, from_1, sums, offset_list,
                                         permutation, &bytes) == ok);
        CHECK(bytes == RECORDED_SIZE);
        REQUIRE(f.csrgeam2(h, 5, 7, alpha, from_0, 4, numbers, offset_list, column_list, beta, from_1, 6,
                           numbers, offset_list, row_list, from_1, sums, offset_list, permutation,
                           buffer) == ok);
        const auto args = arguments<heron_spadd_args>("spadd", HERON_PHASE_RUN, buffer);
        CHECK(is_host_value(args.alpha, 2));
        CHECK(is_host_value(args.beta, 3));
        check_csr(args.a, 5, 7, 4, 0, type);
        check_csr(args.b, 5, 7, 6, 1, type);
        check_csr(args.c, 5, 7, 0, 1, type);
        CHECK(args.a.indices == column_list);
        CHECK(args.b.indices == row_list);
        CHECK(args.c.indices == permutation);
        CHECK(args.c.values == sums);
        CHECK(args.type == type);
    });
}
