// What the typed functions make of their arguments, seen by a plug-in that only records them.
#include "facade/recorder.hpp"
#include "typed_functions.hpp"
#include <algorithm>
#include <climits>

using namespace heron::test;

namespace {

heron_type type_of(cudaDataType type) {
    for (const element_case& e : uniform)
        if (e.cuda == type) return e.type;
    FAIL("no element type");
    return HERON_R_64F;
}

template <class T>
T* typed(void* p) {
    return static_cast<T*>(p);
}

int32_t* const indices = reinterpret_cast<int32_t*>(columns);

void check_x(const heron_spvec& x, int nnz, int base, heron_type type) {
    CHECK(x.size == (nnz == 0 ? 0 : INT_MAX));
    CHECK(x.nnz == nnz);
    CHECK(x.indices == indices);
    CHECK(x.values == x_values);
    CHECK(x.index_type == HERON_INDEX_32);
    CHECK(x.base == base);
    CHECK(x.type == type);
}

// The arguments of a call that took its workspace from the handle.
template <class Args>
Args arguments_in_scratch(const char* operation) {
    CHECK(recorded().memory != nullptr);
    return arguments<Args>(operation, HERON_PHASE_RUN, recorded().memory);
}

}  // namespace

TEST_CASE("typed vector functions pass on their arrays, base and scalars") {
    REQUIRE(recorder_chosen);
    const handle h(cusparseCreate);
    for_each_type([&]<class F>(F f) {
        using T = typename F::scalar;
        const heron_type type = type_of(F::type);
        const double im = F::is_complex ? -0.5 : 0;
        const scalar two(type, 2, im), three(type, 3, -im);
        const auto* const alpha = static_cast<const T*>(static_cast<const void*>(two));
        const auto* const beta = static_cast<const T*>(static_cast<const void*>(three));
        T *const x = typed<T>(x_values), *const y = typed<T>(y_values);
        alignas(16) T result;
        for (const cusparseIndexBase_t base : bases)
            for (const int nnz : {0, 3}) {
                CAPTURE(F::type, base, nnz);
                REQUIRE(f.axpyi(h, nnz, alpha, x, indices, y, base) == ok);
                const auto axpby = arguments<heron_axpby_args>("axpby", HERON_PHASE_RUN);
                check_x(axpby.x, nnz, base, type);
                // Nothing but what lies at x's indices may be scaled.
                check_vector(axpby.y, 0, y_values, type);
                CHECK(is_host_value(axpby.alpha, 2, im));
                CHECK(is_host_value(axpby.beta, 1));
                CHECK(axpby.compute_type == type);

                REQUIRE(f.gthr(h, nnz, y, x, indices, base) == ok);
                const auto gather = arguments<heron_gather_args>("gather", HERON_PHASE_RUN);
                check_x(gather.x, nnz, base, type);
                CHECK(gather.y.values == y_values);

                REQUIRE(f.sctr(h, nnz, x, indices, y, base) == ok);
                const auto scatter = arguments<heron_scatter_args>("scatter", HERON_PHASE_RUN);
                check_x(scatter.x, nnz, base, type);
                CHECK(scatter.y.values == y_values);

                REQUIRE(f.gthrz(h, nnz, y, x, indices, base) == ok);
                const auto zeros = arguments<heron_scatter_args>("scatter", HERON_PHASE_RUN);
                CHECK(zeros.x.indices == indices);
                CHECK(zeros.x.nnz == nnz);
                CHECK(zeros.x.values != x_values);
                CHECK(zeros.y.values == y_values);

                REQUIRE(f.doti(h, nnz, x, indices, y, &result, base) == ok);
                const auto dot = arguments_in_scratch<heron_spvv_args>("spvv");
                check_x(dot.x, nnz, base, type);
                CHECK(dot.op == HERON_OP_NONE);
                CHECK(dot.y.values == y_values);
                CHECK(dot.result == &result);
                CHECK(dot.result_on_device == 0);
                CHECK(dot.compute_type == type);

                if constexpr (F::is_complex) {
                    REQUIRE(f.dotci(h, nnz, x, indices, y, &result, base) == ok);
                    CHECK(arguments_in_scratch<heron_spvv_args>("spvv").op == HERON_OP_CONJUGATE_TRANSPOSE);
                } else {
                    REQUIRE(f.roti(h, nnz, x, indices, y, alpha, beta, base) == ok);
                    const auto rot = arguments<heron_rot_args>("rot", HERON_PHASE_RUN);
                    check_x(rot.x, nnz, base, type);
                    CHECK(is_host_value(rot.c, 2));
                    CHECK(is_host_value(rot.s, 3));
                    CHECK(rot.y.values == y_values);
                }
            }
    });
}

TEST_CASE("csrmv passes everything on and takes its workspace from the handle") {
    const handle h(cusparseCreate);
    const owned<cusparseMatDescr_t, &cusparseDestroyMatDescr> descr(cusparseCreateMatDescr);
    int32_t* const row_offsets = reinterpret_cast<int32_t*>(offsets);
    for_each_type([&]<class F>(F f) {
        using T = typename F::scalar;
        const heron_type type = type_of(F::type);
        const scalar two(type, 2), three(type, 3);
        const auto* const alpha = static_cast<const T*>(static_cast<const void*>(two));
        const auto* const beta = static_cast<const T*>(static_cast<const void*>(three));
        for (const auto& op : operations)
            for (const cusparseIndexBase_t base : bases) {
                CAPTURE(F::type, op.cusparse, base);
                REQUIRE(cusparseSetMatIndexBase(descr, base) == ok);
                REQUIRE(f.csrmv(h, op.cusparse, 5, 7, 4, alpha, descr, typed<T>(values), row_offsets, indices,
                                typed<T>(x_values), beta, typed<T>(y_values)) == ok);
                const auto args = arguments_in_scratch<heron_spmv_args>("spmv");
                const bool transposed = op.direct != HERON_OP_NONE;
                CHECK(args.op == op.direct);
                CHECK(is_host_value(args.alpha, 2));
                CHECK(is_host_value(args.beta, 3));
                CHECK(args.a.format == HERON_FORMAT_CSR);
                CHECK(args.a.rows == 5);
                CHECK(args.a.cols == 7);
                CHECK(args.a.nnz == 4);
                CHECK(args.a.offsets == row_offsets);
                CHECK(args.a.indices == indices);
                CHECK(args.a.values == values);
                CHECK(args.a.offset_type == HERON_INDEX_32);
                CHECK(args.a.index_type == HERON_INDEX_32);
                CHECK(args.a.base == base);
                CHECK(args.a.type == type);
                check_vector(args.x, transposed ? 5 : 7, x_values, type);
                check_vector(args.y, transposed ? 7 : 5, y_values, type);
                CHECK(args.compute_type == type);
            }
    });
}

TEST_CASE("typed functions read no scalar of device memory") {
    const handle h(cusparseCreate);
    REQUIRE(cusparseSetPointerMode(h, CUSPARSE_POINTER_MODE_DEVICE) == ok);
    for_each_type([&]<class F>(F f) {
        using T = typename F::scalar;
        // Addresses that nobody may read on the host.
        auto* const somewhere = reinterpret_cast<T*>(uintptr_t{64});
        T *const x = typed<T>(x_values), *const y = typed<T>(y_values);
        REQUIRE(f.axpyi(h, 3, somewhere, x, indices, y, CUSPARSE_INDEX_BASE_ZERO) == ok);
        const auto axpby = arguments<heron_axpby_args>("axpby", HERON_PHASE_RUN);
        CHECK(axpby.alpha.device == somewhere);
        CHECK(is_host_value(axpby.beta, 1));
        REQUIRE(f.doti(h, 3, x, indices, y, somewhere, CUSPARSE_INDEX_BASE_ZERO) == ok);
        const auto dot = arguments_in_scratch<heron_spvv_args>("spvv");
        CHECK(dot.result == somewhere);
        CHECK(dot.result_on_device == 1);
    });
}

TEST_CASE("right after a change of the stream, functions wait for what used the handle's memory") {
    const handle h(cusparseCreate);
    const owned<cusparseMatDescr_t, &cusparseDestroyMatDescr> descr(cusparseCreateMatDescr);
    auto* const x = typed<double>(x_values);
    auto* const y = typed<double>(y_values);
    const double one = 1;
    const auto run_on = [&](void* stream) {
        recorded().step_count = 0;
        REQUIRE(cusparseSetStream(h, static_cast<cudaStream_t>(stream)) == ok);
        REQUIRE(cusparseDcsrmv(h, CUSPARSE_OPERATION_NON_TRANSPOSE, 5, 7, 4, &one, descr,
                               typed<double>(values), reinterpret_cast<int*>(offsets), indices, x, &one,
                               y) == ok);
        REQUIRE(cusparseDgthrz(h, 3, y, x, indices, CUSPARSE_INDEX_BASE_ZERO) == ok);
        std::vector<std::string> steps;
        for (int k = 0; k < recorded().step_count; ++k) {
            CHECK((recorded().steps[k].stream == stream || !recorded().steps[k].stream));
            steps.emplace_back(recorded().steps[k].function);
        }
        return steps;
    };
    char a, b;
    const std::vector<std::string> first = run_on(&a), second = run_on(&b);
    CAPTURE(first, second);
    CHECK(std::count(first.begin(), first.end(), "stream_wait_event") == 0);
    CHECK(std::count(first.begin(), first.end(), "event_record") == 2);
    REQUIRE(!second.empty());
    CHECK(second.front() == "stream_wait_event");
    CHECK(std::count(second.begin(), second.end(), "memory_alloc") == 0);
}
