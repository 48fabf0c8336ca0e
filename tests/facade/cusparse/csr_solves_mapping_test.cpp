// What csrsv2 and csrsm2 make of their arguments, seen by a plug-in that only records them.
#include "facade/recorder.hpp"
#include "typed_functions.hpp"

using namespace heron::test;

namespace {

template <class T>
T* typed(void* p) {
    return static_cast<T*>(p);
}
heron_type type_of(cudaDataType type) {
    for (const element_case& e : uniform)
        if (e.cuda == type) return e.type;
    FAIL("no element type");
    return HERON_R_64F;
}

int32_t* const row_offsets = reinterpret_cast<int32_t*>(offsets);
int32_t* const indices = reinterpret_cast<int32_t*>(columns);
constexpr auto levels = CUSPARSE_SOLVE_POLICY_USE_LEVEL;
alignas(128) char own_buffer[256];

// A 5 x 5 matrix with 7 elements, of whose triangle all is set to what is not the default.
struct triangle_case {
    triangle_case(const operation_case& operation, bool is_upper) : op(operation), upper(is_upper) {
        REQUIRE(cusparseSetMatIndexBase(descr, CUSPARSE_INDEX_BASE_ONE) == ok);
        REQUIRE(cusparseSetMatFillMode(descr, upper ? CUSPARSE_FILL_MODE_UPPER : CUSPARSE_FILL_MODE_LOWER) ==
                ok);
        REQUIRE(cusparseSetMatDiagType(descr,
                                       upper ? CUSPARSE_DIAG_TYPE_UNIT : CUSPARSE_DIAG_TYPE_NON_UNIT) == ok);
    }

    // The last call was this phase of a solve, in memory of the analysis's own.
    heron_trisolve_args last(heron_phase phase, heron_type type) const {
        CHECK(recorded().memory != own_buffer);
        const auto s = arguments<heron_trisolve_args>("trisolve", phase, recorded().memory);
        CHECK(s.op == op.direct);
        CHECK(s.a.format == HERON_FORMAT_CSR);
        CHECK(s.a.rows == 5);
        CHECK(s.a.cols == 5);
        CHECK(s.a.nnz == 7);
        CHECK(s.a.offsets == row_offsets);
        CHECK(s.a.indices == indices);
        CHECK(s.a.values == values);
        CHECK(s.a.offset_type == HERON_INDEX_32);
        CHECK(s.a.index_type == HERON_INDEX_32);
        CHECK(s.a.base == 1);
        CHECK(s.a.type == type);
        CHECK(s.a.fill == (upper ? HERON_FILL_UPPER : HERON_FILL_LOWER));
        CHECK(s.a.diag == (upper ? HERON_DIAG_UNIT : HERON_DIAG_NON_UNIT));
        CHECK(s.diagonal == nullptr);
        CHECK(s.type == type);
        if (phase == HERON_PHASE_RUN) CHECK(is_host_value(s.alpha, 2));
        return s;
    }

    const operation_case& op;
    const bool upper;
    owned<cusparseMatDescr_t, &cusparseDestroyMatDescr> descr{cusparseCreateMatDescr};
};

void check_sides(const heron_dnmat& m, int64_t count, heron_order order, int64_t ld, const void* data) {
    CHECK(m.rows == 5);
    CHECK(m.cols == count);
    CHECK(m.order == order);
    CHECK(m.ld == ld);
    CHECK(m.values == data);
    CHECK(m.batch_count == 1);
}

template <class F>
void for_each_triangle(F&& f) {
    for_each_type([&]<class Functions>(Functions functions) {
        for (const auto& op : operations)
            for (const bool upper : {false, true}) {
                CAPTURE(Functions::type, op.cusparse, upper);
                f(functions, triangle_case(op, upper));
            }
    });
}

}  // namespace

TEST_CASE("csrsv2 passes everything on") {
    REQUIRE(recorder_chosen);
    const handle h(cusparseCreate);
    for_each_triangle([&]<class F>(F f, const triangle_case& t) {
        using T = typename F::scalar;
        const heron_type type = type_of(F::type);
        scalar two(type, 2);
        T *const x = typed<T>(x_values), *const y = typed<T>(y_values), *const a = typed<T>(values);
        const owned<csrsv2Info_t, &cusparseDestroyCsrsv2Info> info(cusparseCreateCsrsv2Info);
        size_t bytes = 0;
        REQUIRE(f.csrsv2_bufferSizeExt(h, t.op.cusparse, 5, 7, t.descr, a, row_offsets, indices, info,
                                       &bytes) == ok);
        check_sides(t.last(HERON_PHASE_SIZE, type).b, 1, HERON_ORDER_COLUMN, 5, nullptr);
        REQUIRE(f.csrsv2_analysis(h, t.op.cusparse, 5, 7, t.descr, a, row_offsets, indices, info, levels,
                                  own_buffer) == ok);
        check_sides(t.last(HERON_PHASE_ANALYSE, type).b, 1, HERON_ORDER_COLUMN, 5, nullptr);
        REQUIRE(f.csrsv2_solve(h, t.op.cusparse, 5, 7, typed<T>(two.bytes), t.descr, a, row_offsets, indices,
                               info, x, y, levels, own_buffer) == ok);
        check_sides(t.last(HERON_PHASE_RUN, type).b, 1, HERON_ORDER_COLUMN, 5, x);
        check_sides(t.last(HERON_PHASE_RUN, type).c, 1, HERON_ORDER_COLUMN, 5, y);
    });
}

TEST_CASE("csrsm2 passes everything on") {
    const handle h(cusparseCreate);
    for_each_triangle([&]<class F>(F f, const triangle_case& t) {
        using T = typename F::scalar;
        const heron_type type = type_of(F::type);
        scalar two(type, 2);
        T *const b = typed<T>(x_values), *const a = typed<T>(values);
        for (const bool turned : {false, true}) {
            const owned<csrsm2Info_t, &cusparseDestroyCsrsm2Info> info(cusparseCreateCsrsm2Info);
            const auto op_b = turned ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
            const heron_order order = turned ? HERON_ORDER_ROW : HERON_ORDER_COLUMN;
            const int ld = turned ? 3 : 6;
            size_t bytes = 0;
            REQUIRE(f.csrsm2_bufferSizeExt(h, 0, t.op.cusparse, op_b, 5, 2, 7, nullptr, t.descr, a,
                                           row_offsets, indices, nullptr, ld, info, levels, &bytes) == ok);
            CHECK(t.last(HERON_PHASE_SIZE, type).b.cols == 2);
            REQUIRE(f.csrsm2_analysis(h, 0, t.op.cusparse, op_b, 5, 2, 7, nullptr, t.descr, a, row_offsets,
                                      indices, nullptr, ld, info, levels, own_buffer) == ok);
            CHECK(t.last(HERON_PHASE_ANALYSE, type).b.cols == 2);
            REQUIRE(f.csrsm2_solve(h, 1, t.op.cusparse, op_b, 5, 2, 7, typed<T>(two.bytes), t.descr, a,
                                   row_offsets, indices, b, ld, info, levels, own_buffer) == ok);
            check_sides(t.last(HERON_PHASE_RUN, type).b, 2, order, ld, b);
            check_sides(t.last(HERON_PHASE_RUN, type).c, 2, order, ld, b);
        }
    });
}

TEST_CASE("csrsv2's analysis allocates nothing that its size has not") {
    const handle h(cusparseCreate);
    const triangle_case t(operations[0], false);
    auto* const a = typed<double>(values);
    const owned<csrsv2Info_t, &cusparseDestroyCsrsv2Info> info(cusparseCreateCsrsv2Info);
    int bytes = 0;
    const auto allocated = [] {
        int count = 0;
        for (int k = 0; k < recorded().step_count; ++k)
            count += recorded().steps[k].function == std::string("memory_alloc");
        return count;
    };
    recorded().step_count = 0;
    REQUIRE(cusparseDcsrsv2_bufferSize(h, t.op.cusparse, 5, 7, t.descr, a, row_offsets, indices, info,
                                       &bytes) == ok);
    CHECK(allocated() == 2);
    REQUIRE(cusparseDcsrsv2_analysis(h, t.op.cusparse, 5, 7, t.descr, a, row_offsets, indices, info, levels,
                                     own_buffer) == ok);
    CHECK(allocated() == 2);
}
