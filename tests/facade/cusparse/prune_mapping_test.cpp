// What counting, compression and pruning make of their arguments, seen by a plug-in that only records them.
#include "facade/recorder.hpp"
#include "prune_functions.hpp"
#include "typed_functions.hpp"

using namespace heron::test;

namespace {

using matrix_descriptor = owned<cusparseMatDescr_t, &cusparseDestroyMatDescr>;
using prune_info = owned<pruneInfo_t, &cusparseDestroyPruneInfo>;

int* ints(void* p) { return static_cast<int*>(p); }

int* const offset_list = ints(offsets);
int* const column_list = ints(columns);
int* const c_offsets = ints(rows);
int* const c_columns = ints(x_values);
int* const lengths = ints(y_values);
alignas(16) char c_values[64];

heron_type type_of(cudaDataType type) {
    for (const element_case& e : uniform)
        if (e.cuda == type) return e.type;
    FAIL("no element type");
    return HERON_R_64F;
}

struct descriptors {
    descriptors(cusparseIndexBase_t of_a, cusparseIndexBase_t of_c) {
        REQUIRE(cusparseSetMatIndexBase(a, of_a) == ok);
        REQUIRE(cusparseSetMatIndexBase(c, of_c) == ok);
    }
    matrix_descriptor a{cusparseCreateMatDescr}, c{cusparseCreateMatDescr};
};

void check_dense(const heron_dnmat& a, heron_type type) {
    CHECK(a.rows == 5);
    CHECK(a.cols == 7);
    CHECK(a.ld == 6);
    CHECK(a.values == values);
    CHECK(a.type == type);
    CHECK(a.order == HERON_ORDER_COLUMN);
}

void check_csr(const heron_spmat& a, int base, heron_type type) {
    CHECK(a.format == HERON_FORMAT_CSR);
    CHECK(a.rows == 5);
    CHECK(a.cols == 7);
    CHECK(a.nnz == 4);
    CHECK(a.offsets == offset_list);
    CHECK(a.indices == column_list);
    CHECK(a.values == values);
    CHECK(a.offset_type == HERON_INDEX_32);
    CHECK(a.index_type == HERON_INDEX_32);
    CHECK(a.base == base);
    CHECK(a.type == type);
}

void check_result(const heron_spmat& b, int base, heron_type type, bool has_elements) {
    CHECK(b.format == HERON_FORMAT_CSR);
    CHECK(b.rows == 5);
    CHECK(b.cols == 7);
    CHECK(b.offsets == c_offsets);
    CHECK(b.indices == (has_elements ? c_columns : nullptr));
    CHECK(b.values == (has_elements ? c_values : nullptr));
    CHECK(b.offset_type == HERON_INDEX_32);
    CHECK(b.index_type == HERON_INDEX_32);
    CHECK(b.base == base);
    CHECK(b.type == type);
}

template <class T>
T* typed(void* p) {
    return static_cast<T*>(p);
}

// A threshold of 0.5.
template <class T>
T half_of_one() {
    T result{};
    if constexpr (sizeof(T) == 2) {
        const unsigned short bits = 0x3800;
        std::memcpy(static_cast<void*>(&result), &bits, sizeof result);
    } else
        result = 0.5;
    return result;
}

}  // namespace

TEST_CASE("nnz passes on its matrix, direction and where the sum goes") {
    REQUIRE(recorder_chosen);
    const handle h(cusparseCreate);
    const matrix_descriptor descr(cusparseCreateMatDescr);
    for_each_type([&]<class F>(F f) {
        int count = 0;
        for (const cusparseDirection_t direction : {CUSPARSE_DIRECTION_ROW, CUSPARSE_DIRECTION_COLUMN})
            for (const cusparsePointerMode_t mode :
                 {CUSPARSE_POINTER_MODE_HOST, CUSPARSE_POINTER_MODE_DEVICE}) {
                REQUIRE(cusparseSetPointerMode(h, mode) == ok);
                REQUIRE(f.nnz(h, direction, 5, 7, descr, typed<typename F::scalar>(values), 6, lengths,
                              &count) == ok);
                CHECK(recorded().memory != nullptr);
                const auto args = arguments<heron_count_nonzeros_args>("count_nonzeros", HERON_PHASE_RUN,
                                                                       recorded().memory);
                check_dense(args.a, type_of(F::type));
                CHECK(args.by_columns == (direction == CUSPARSE_DIRECTION_COLUMN));
                CHECK(args.counts == lengths);
                CHECK(args.nnz.value == &count);
                CHECK(args.nnz.on_device == (mode == CUSPARSE_POINTER_MODE_DEVICE));
            }
    });
}

TEST_CASE("compression passes on its arrays and the real part of its tolerance") {
    const handle h(cusparseCreate);
    for_each_type([&]<class F>(F f) {
        using T = typename F::scalar;
        const heron_type type = type_of(F::type);
        T tolerance{};
        reinterpret_cast<typename F::real&>(tolerance) = 0.5;
        int count = 0;
        for (const cusparseIndexBase_t base : bases)
            for (const cusparsePointerMode_t mode :
                 {CUSPARSE_POINTER_MODE_HOST, CUSPARSE_POINTER_MODE_DEVICE}) {
                REQUIRE(cusparseSetPointerMode(h, mode) == ok);
                const descriptors d(base, base);
                REQUIRE(f.nnz_compress(h, 5, d.a, typed<T>(values), offset_list, lengths, &count,
                                       tolerance) == ok);
                const auto counting =
                    arguments<heron_prune_args>("prune_count", HERON_PHASE_RUN, recorded().memory);
                CHECK(counting.sparse.rows == 5);
                CHECK(counting.sparse.nnz > 0);
                CHECK(counting.sparse.offsets == offset_list);
                CHECK(counting.sparse.values == values);
                CHECK(counting.sparse.base == base);
                CHECK(counting.b.offsets == nullptr);
                CHECK(counting.b.rows == 5);
                CHECK(is_host_value(counting.threshold, 0.5));
                CHECK(counting.counts == lengths);
                CHECK(counting.nnz.value == &count);
                CHECK(counting.nnz.on_device == (mode == CUSPARSE_POINTER_MODE_DEVICE));

                REQUIRE(f.csr2csr_compress(h, 5, 7, d.a, typed<T>(values), column_list, offset_list, 4,
                                           lengths, typed<T>(c_values), c_columns, c_offsets,
                                           tolerance) == ok);
                const auto keeping = arguments<heron_prune_args>("prune", HERON_PHASE_RUN, recorded().memory);
                check_csr(keeping.sparse, base, type);
                check_result(keeping.b, base, type, true);
                CHECK(is_host_value(keeping.threshold, 0.5));
                CHECK(keeping.counts == lengths);
                CHECK(keeping.nnz.value == nullptr);
            }
    });
}

TEST_CASE("pruning passes on both matrices with their bases, and thresholds of the host as numbers") {
    const handle h(cusparseCreate);
    for_each_prunable_type([&]<class F>(F f) {
        using T = typename F::scalar;
        const heron_type type = type_of(F::type);
        const T threshold = half_of_one<T>();
        T* const a = typed<T>(values);
        int count = 0;
        size_t bytes = 0;
        for (const cusparseIndexBase_t base : bases) {
            const descriptors d(
                base, base == CUSPARSE_INDEX_BASE_ZERO ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO);
            REQUIRE(f.dense_size(h, 5, 7, a, 6, &threshold, d.c, nullptr, nullptr, nullptr, &bytes) == ok);
            CHECK(bytes == RECORDED_SIZE);
            REQUIRE(f.dense_count(h, 5, 7, a, 6, &threshold, d.c, c_offsets, &count, buffer) == ok);
            const auto dense_count = arguments<heron_prune_args>("prune_count", HERON_PHASE_RUN, buffer);
            CHECK(dense_count.is_dense == 1);
            check_dense(dense_count.dense, type);
            check_result(dense_count.b, 1 - base, type, false);
            CHECK(is_host_value(dense_count.threshold, 0.5));
            CHECK(dense_count.counts == nullptr);
            CHECK(dense_count.nnz.value == &count);
            CHECK(dense_count.nnz.on_device == 0);
            REQUIRE(f.dense_values(h, 5, 7, a, 6, &threshold, d.c, typed<T>(c_values), c_offsets, c_columns,
                                   buffer) == ok);
            const auto dense = arguments<heron_prune_args>("prune", HERON_PHASE_RUN, buffer);
            check_dense(dense.dense, type);
            check_result(dense.b, 1 - base, type, true);
            CHECK(is_host_value(dense.threshold, 0.5));
            CHECK(dense.counts == nullptr);

            REQUIRE(f.csr_size(h, 5, 7, 4, d.a, a, offset_list, column_list, &threshold, d.c, nullptr,
                               nullptr, nullptr, &bytes) == ok);
            CHECK(bytes == RECORDED_SIZE);
            REQUIRE(f.csr_count(h, 5, 7, 4, d.a, a, offset_list, column_list, &threshold, d.c, c_offsets,
                                &count, buffer) == ok);
            const auto csr_count = arguments<heron_prune_args>("prune_count", HERON_PHASE_RUN, buffer);
            CHECK(csr_count.is_dense == 0);
            check_csr(csr_count.sparse, base, type);
            check_result(csr_count.b, 1 - base, type, false);
            CHECK(csr_count.nnz.value == &count);
            REQUIRE(f.csr_values(h, 5, 7, 4, d.a, a, offset_list, column_list, &threshold, d.c,
                                 typed<T>(c_values), c_offsets, c_columns, buffer) == ok);
            const auto csr = arguments<heron_prune_args>("prune", HERON_PHASE_RUN, buffer);
            check_csr(csr.sparse, base, type);
            check_result(csr.b, 1 - base, type, true);
        }
    });
}

TEST_CASE("pruning reads no threshold of device memory and writes no count of the host") {
    const handle h(cusparseCreate);
    REQUIRE(cusparseSetPointerMode(h, CUSPARSE_POINTER_MODE_DEVICE) == ok);
    const descriptors d(CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_INDEX_BASE_ZERO);
    for_each_prunable_type([&]<class F>(F f) {
        using T = typename F::scalar;
        // Addresses that nobody may read on the host.
        auto* const somewhere = reinterpret_cast<T*>(uintptr_t{64});
        auto* const elsewhere = reinterpret_cast<int*>(uintptr_t{128});
        REQUIRE(f.dense_count(h, 5, 7, typed<T>(values), 6, somewhere, d.c, c_offsets, elsewhere, buffer) ==
                ok);
        const auto args = arguments<heron_prune_args>("prune_count", HERON_PHASE_RUN, buffer);
        CHECK(args.threshold.device == somewhere);
        CHECK(args.nnz.value == elsewhere);
        CHECK(args.nnz.on_device == 1);
    });
}

TEST_CASE("a percentage becomes a threshold in the info, which both phases take from there") {
    const handle h(cusparseCreate);
    const descriptors d(CUSPARSE_INDEX_BASE_ONE, CUSPARSE_INDEX_BASE_ZERO);
    for_each_prunable_type([&]<class F>(F f) {
        using T = typename F::scalar;
        const heron_type type = type_of(F::type);
        const prune_info info(cusparseCreatePruneInfo);
        T* const a = typed<T>(values);
        int count = 0;
        size_t bytes = 0;
        REQUIRE(f.csr_share_size(h, 5, 7, 4, d.a, a, offset_list, column_list, 25, d.c, nullptr, nullptr,
                                 nullptr, info, &bytes) == ok);
        CHECK(bytes == RECORDED_SIZE);
        recorded().step_count = 0;
        REQUIRE(f.csr_share_count(h, 5, 7, 4, d.a, a, offset_list, column_list, 25, d.c, c_offsets, &count,
                                  info, buffer) == ok);
        REQUIRE(recorded().step_count == 2);
        CHECK(std::string(recorded().steps[0].function) == "percentile");
        const auto counting = arguments<heron_prune_args>("prune_count", HERON_PHASE_RUN, buffer);
        check_csr(counting.sparse, 1, type);
        check_result(counting.b, 0, type, false);
        REQUIRE(counting.threshold.device != nullptr);
        REQUIRE(f.csr_share_values(h, 5, 7, 4, d.a, a, offset_list, column_list, 25, d.c, typed<T>(c_values),
                                   c_offsets, c_columns, info, buffer) == ok);
        const auto keeping = arguments<heron_prune_args>("prune", HERON_PHASE_RUN, buffer);
        check_csr(keeping.sparse, 1, type);
        CHECK(keeping.threshold.device == counting.threshold.device);

        REQUIRE(f.dense_share_size(h, 5, 7, a, 6, 25, d.c, nullptr, nullptr, nullptr, info, &bytes) == ok);
        REQUIRE(f.dense_share_count(h, 5, 7, a, 6, 25, d.c, c_offsets, &count, info, buffer) == ok);
        const auto dense = arguments<heron_prune_args>("prune_count", HERON_PHASE_RUN, buffer);
        check_dense(dense.dense, type);
        CHECK(dense.threshold.device == counting.threshold.device);
        REQUIRE(f.dense_share_values(h, 5, 7, a, 6, 25, d.c, typed<T>(c_values), c_offsets, c_columns, info,
                                     buffer) == ok);
        CHECK(arguments<heron_prune_args>("prune", HERON_PHASE_RUN, buffer).threshold.device ==
              counting.threshold.device);
    });
}
