// What the tridiagonal and pentadiagonal solves make of their arguments, seen by a plug-in that only records
// them.
#include "facade/recorder.hpp"
#include "typed_functions.hpp"

using namespace heron::test;

namespace {

heron_type native_type(cudaDataType type) {
    for (const element_case& e : uniform)
        if (e.cuda == type) return e.type;
    FAIL("no element type");
    return HERON_R_64F;
}

alignas(16) char lower[16], middle[16], upper[16], second_lower[16], second_upper[16];
alignas(128) char memory[RECORDED_SIZE];

template <class T>
T* typed(char* p) {
    return static_cast<T*>(static_cast<void*>(p));
}

}  // namespace

TEST_CASE("tridiagonal solves pass everything on") {
    const handle h(cusparseCreate);
    for_each_type([&]<class F>(F f) {
        using T = typename F::scalar;
        const heron_type type = native_type(F::type);
        T *const l = typed<T>(lower), *const d = typed<T>(middle), *const u = typed<T>(upper),
                 *const x = typed<T>(x_values);
        for (const bool pivoting : {true, false}) {
            const auto size = pivoting ? f.gtsv2_bufferSizeExt : f.gtsv2_nopivot_bufferSizeExt;
            const auto run = pivoting ? f.gtsv2 : f.gtsv2_nopivot;
            size_t bytes = 0;
            const auto check = [&](const heron_gtsv_args& args) {
                CHECK(args.type == type);
                CHECK(args.pivoting == pivoting);
                CHECK(args.m == 5);
                CHECK(args.n == 3);
                CHECK(args.lower == lower);
                CHECK(args.main == middle);
                CHECK(args.upper == upper);
                CHECK(args.b == x_values);
                CHECK(args.ldb == 7);
            };
            REQUIRE(size(h, 5, 3, l, d, u, x, 7, &bytes) == ok);
            CHECK(bytes == RECORDED_SIZE);
            check(arguments<heron_gtsv_args>("gtsv", HERON_PHASE_SIZE));
            REQUIRE(run(h, 5, 3, l, d, u, x, 7, memory) == ok);
            check(arguments<heron_gtsv_args>("gtsv", HERON_PHASE_RUN, memory));
        }
    });
}

TEST_CASE("tridiagonal solves in batches pass everything on") {
    const handle h(cusparseCreate);
    for_each_type([&]<class F>(F f) {
        using T = typename F::scalar;
        T *const l = typed<T>(lower), *const d = typed<T>(middle), *const u = typed<T>(upper),
                 *const x = typed<T>(x_values);
        const auto check = [&](const heron_gtsv_batch_args& args) {
            CHECK(args.type == native_type(F::type));
            CHECK(args.m == 5);
            CHECK(args.count == 3);
            CHECK(args.stride == 7);
            CHECK(args.lower == lower);
            CHECK(args.main == middle);
            CHECK(args.upper == upper);
            CHECK(args.x == x_values);
        };
        size_t bytes = 0;
        REQUIRE(f.gtsv2StridedBatch_bufferSizeExt(h, 5, l, d, u, x, 3, 7, &bytes) == ok);
        CHECK(bytes == RECORDED_SIZE);
        check(arguments<heron_gtsv_batch_args>("gtsv_batch", HERON_PHASE_SIZE));
        REQUIRE(f.gtsv2StridedBatch(h, 5, l, d, u, x, 3, 7, memory) == ok);
        check(arguments<heron_gtsv_batch_args>("gtsv_batch", HERON_PHASE_RUN, memory));
    });
}

TEST_CASE("interleaved solves pass everything on") {
    const handle h(cusparseCreate);
    for_each_type([&]<class F>(F f) {
        using T = typename F::scalar;
        T *const l = typed<T>(lower), *const d = typed<T>(middle), *const u = typed<T>(upper),
                 *const x = typed<T>(x_values), *const s = typed<T>(second_lower),
                 *const w = typed<T>(second_upper);
        const auto check = [&](const heron_interleaved_args& args, int solver, bool is_wide) {
            CHECK(args.type == native_type(F::type));
            CHECK(args.solver == solver);
            CHECK(args.m == 5);
            CHECK(args.count == 3);
            CHECK(args.second_lower == (is_wide ? second_lower : nullptr));
            CHECK(args.lower == lower);
            CHECK(args.main == middle);
            CHECK(args.upper == upper);
            CHECK(args.second_upper == (is_wide ? second_upper : nullptr));
            CHECK(args.x == x_values);
        };
        const heron_interleaved_solver solvers[] = {HERON_INTERLEAVED_THOMAS, HERON_INTERLEAVED_LU,
                                                    HERON_INTERLEAVED_QR};
        size_t bytes = 0;
        for (int algorithm = 0; algorithm < 3; ++algorithm) {
            REQUIRE(f.gtsvInterleavedBatch_bufferSizeExt(h, algorithm, 5, l, d, u, x, 3, &bytes) == ok);
            CHECK(bytes == RECORDED_SIZE);
            check(arguments<heron_interleaved_args>("gtsv_interleaved", HERON_PHASE_SIZE), solvers[algorithm],
                  false);
            REQUIRE(f.gtsvInterleavedBatch(h, algorithm, 5, l, d, u, x, 3, memory) == ok);
            check(arguments<heron_interleaved_args>("gtsv_interleaved", HERON_PHASE_RUN, memory),
                  solvers[algorithm], false);
        }
        REQUIRE(f.gpsvInterleavedBatch_bufferSizeExt(h, 0, 5, s, l, d, u, w, x, 3, &bytes) == ok);
        check(arguments<heron_interleaved_args>("gpsv_interleaved", HERON_PHASE_SIZE), HERON_INTERLEAVED_QR,
              true);
        REQUIRE(f.gpsvInterleavedBatch(h, 0, 5, s, l, d, u, w, x, 3, memory) == ok);
        check(arguments<heron_interleaved_args>("gpsv_interleaved", HERON_PHASE_RUN, memory),
              HERON_INTERLEAVED_QR, true);
    });
}
