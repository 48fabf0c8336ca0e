// What the functions of levels 1 and 2 of both generations make of their arguments, seen by a plug-in in
// OpenCL's place that only records them. Queues, buffers and events are mere addresses here.
#include "catch.hpp"
#include "facade/recording.h"
#include "typed.hpp"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>

using namespace heron::test::cl;

namespace {

const bool recorder_chosen = setenv("HERON_PLUGIN_PATH", HERON_RECORDER_DIR, 1) == 0;

recorded_call& recorded() {
    static const auto function = [] {
        void* const plugin = dlopen(HERON_RECORDER_DIR "/libheron-opencl.so", RTLD_NOW | RTLD_NOLOAD);
        REQUIRE(plugin);
        return reinterpret_cast<heron_recorded_function>(dlsym(plugin, "heron_recorded"));
    }();
    REQUIRE(function);
    return *function();
}

char tokens[16];
template <class Handle>
Handle token(int i) {
    return reinterpret_cast<Handle>(&tokens[i]);
}
cl_mem const matrix = token<cl_mem>(0), x = token<cl_mem>(1), y = token<cl_mem>(2), result = token<cl_mem>(3),
             other = token<cl_mem>(4), unused = token<cl_mem>(5);
cl_command_queue queues[] = {token<cl_command_queue>(8)};
const cl_event waits[] = {token<cl_event>(9)};
using number = std::complex<double>;
const number two{2, 3}, half{0.5, -4};

struct setup_scope {
    setup_scope() {
        REQUIRE(recorder_chosen);
        REQUIRE(clblasSetup() == clblasSuccess);
    }
    ~setup_scope() { clblasTeardown(); }
};

// Calls the function with the arguments, and those at the end of all, and returns what reached the operation.
// The wait list comes before it and the event behind.
template <class Args, class Function, class... A>
Args reached(const char* operation, Function function, A... arguments) {
    recorded().step_count = 0;
    cl_event event = nullptr;
    REQUIRE(invoke(function, arguments..., 1, queues, 1, waits, &event) == clblasSuccess);
    const recorded_call& call = recorded();
    REQUIRE(call.step_count == 3);
    CHECK(std::string(call.steps[0].function) == "queue_wait_for");
    CHECK(call.steps[0].object == static_cast<void*>(waits[0]));
    CHECK(std::string(call.steps[1].function) == operation);
    CHECK(std::string(call.steps[2].function) == "queue_mark");
    CHECK(static_cast<void*>(event) == call.steps[2].object);
    REQUIRE(std::string(call.operation) == operation);
    CHECK(call.phase == HERON_PHASE_RUN);
    REQUIRE(call.args_size == sizeof(Args));
    Args args;
    std::memcpy(&args, call.args, sizeof args);
    return args;
}

template <class F>
constexpr heron_type type_of(F) {
    if (F::is_complex) return sizeof(typename F::real) == 4 ? HERON_C_32F : HERON_C_64F;
    return sizeof(typename F::real) == 4 ? HERON_R_32F : HERON_R_64F;
}
template <class F>
constexpr heron_type real_type_of(F) {
    return sizeof(typename F::real) == 4 ? HERON_R_32F : HERON_R_64F;
}

template <class F>
void check_scalar(F, const heron_scalar& s, number expected) {
    CHECK(s.device == nullptr);
    CHECK(s.re == expected.real());
    CHECK(s.im == (F::is_complex ? expected.imag() : 0));
}

void check_vector(const heron_vector_operand& v, cl_mem memory, int64_t first, int64_t inc) {
    CHECK(v.memory == static_cast<void*>(memory));
    CHECK(v.offset == first);
    CHECK(v.inc == inc);
}

void check_number(const heron_result& r, cl_mem memory, int64_t offset) {
    CHECK(r.memory == static_cast<void*>(memory));
    CHECK(r.offset == offset);
    CHECK(r.on_device == 1);
}

void check_matrix(const heron_stored_matrix& a, heron_matrix_storage storage, int64_t offset, int64_t ld) {
    CHECK(a.storage == storage);
    CHECK(a.memory == static_cast<void*>(matrix));
    CHECK(a.offset == offset);
    CHECK(a.ld == ld);
}

constexpr int orders[] = {clblasRowMajor, clblasColumnMajor};

// op(A) in column order: a matrix in row order is the transpose of what its memory holds.
heron_operation expected_operation(bool is_complex, int order, int trans) {
    constexpr heron_operation columns[] = {HERON_OP_NONE, HERON_OP_TRANSPOSE, HERON_OP_CONJUGATE_TRANSPOSE};
    constexpr heron_operation rows[] = {HERON_OP_TRANSPOSE, HERON_OP_NONE, HERON_OP_CONJUGATE};
    const heron_operation op = (order == clblasRowMajor ? rows : columns)[trans];
    if (is_complex) return op;
    return op == HERON_OP_CONJUGATE_TRANSPOSE ? HERON_OP_TRANSPOSE
           : op == HERON_OP_CONJUGATE         ? HERON_OP_NONE
                                              : op;
}

heron_fill_mode expected_fill(int order, int uplo) {
    return (uplo == clblasUpper) == (order == clblasColumnMajor) ? HERON_FILL_UPPER : HERON_FILL_LOWER;
}

}  // namespace

TEST_CASE("functions of two vectors") {
    const setup_scope scope;
    for_each_type([](auto f) {
        const auto moved = [&](const heron_vector_copy_args& args) {
            CHECK(args.type == type_of(f));
            CHECK(args.n == 5);
            check_vector(args.x, x, 3, 2);
            // The first element of y is the last in memory.
            check_vector(args.y, y, 4 + 4 * 3, -3);
        };
        moved(reached<heron_vector_copy_args>("vector_copy", f.copy, 5, x, 3, 2, y, 4, -3));
        moved(reached<heron_vector_copy_args>("vector_swap", f.swap, 5, x, 3, 2, y, 4, -3));

        const auto axpy = reached<heron_axpy_args>("axpy", f.axpy, 5, two, x, 3, -2, y, 4, 3);
        CHECK(axpy.type == type_of(f));
        CHECK(axpy.n == 5);
        check_scalar(f, axpy.alpha, two);
        check_vector(axpy.x, x, 3 + 4 * 2, -2);
        check_vector(axpy.y, y, 4, 3);

        const auto dotted = [&](const heron_dot_args& args, bool conjugate) {
            CHECK(args.type == type_of(f));
            CHECK(args.result_type == type_of(f));
            CHECK(args.n == 5);
            CHECK(args.conjugate == conjugate);
            check_vector(args.x, x, 3, 2);
            check_vector(args.y, y, 4, 3);
            check_number(args.result, result, 6);
        };
        dotted(reached<heron_dot_args>("dot", f.dot, 5, result, 6, x, 3, 2, y, 4, 3, unused), false);
        if constexpr (decltype(f)::is_complex)
            dotted(reached<heron_dot_args>("dot", f.dotc, 5, result, 6, x, 3, 2, y, 4, 3, unused), true);

        const auto rot = reached<heron_plane_rot_args>("plane_rot", f.rot, 5, x, 3, 2, y, 4, 3, 0.25, -0.5);
        CHECK(rot.type == type_of(f));
        CHECK(rot.n == 5);
        check_vector(rot.x, x, 3, 2);
        check_vector(rot.y, y, 4, 3);
        CHECK(rot.c.re == 0.25);
        CHECK(rot.s.re == -0.5);
        CHECK(rot.real_s == f.is_complex);
    });
}

TEST_CASE("functions of one vector") {
    const setup_scope scope;
    for_each_type([](auto f) {
        const auto scal = reached<heron_scal_args>("scal", f.scal, 5, two, x, 3, 2);
        CHECK(scal.type == type_of(f));
        CHECK(scal.n == 5);
        check_scalar(f, scal.alpha, two);
        CHECK(scal.real_alpha == 0);
        check_vector(scal.x, x, 3, 2);
        if constexpr (decltype(f)::is_complex) {
            const auto real = reached<heron_scal_args>("scal", f.real_scal, 5, 0.25, x, 3, 2);
            CHECK(real.type == type_of(f));
            CHECK(real.real_alpha == 1);
            CHECK(real.alpha.re == 0.25);
        }
        const auto reduced = [&](const auto& args, int64_t n) {
            CHECK(args.type == type_of(f));
            CHECK(args.n == n);
            check_number(args.result, result, 6);
            if (n > 0) check_vector(args.x, x, 3, 2);
        };
        const auto normed = [&](const heron_norm_args& args, int64_t n) {
            reduced(args, n);
            CHECK(args.result_type == real_type_of(f));
        };
        // With a negative increment there is nothing to add up.
        normed(reached<heron_norm_args>("nrm2", f.nrm2, 5, result, 6, x, 3, 2, unused), 5);
        normed(reached<heron_norm_args>("nrm2", f.nrm2, 5, result, 6, x, 3, -2, unused), 0);
        normed(reached<heron_norm_args>("asum", f.asum, 5, result, 6, x, 3, 2, nullptr), 5);
        normed(reached<heron_norm_args>("asum", f.asum, 5, result, 6, x, 3, -2, nullptr), 0);
        for (const int sign : {1, -1}) {
            const auto args =
                reached<heron_iamax_args>("iamax", f.iamax, 5, result, 6, x, 3, 2 * sign, unused);
            reduced(args, sign > 0 ? 5 : 0);
            CHECK(args.result_type == HERON_INDEX_32);
            CHECK(args.smallest == 0);
        }
    });
}

TEST_CASE("scal with a negative increment changes nothing, and has an event") {
    const setup_scope scope;
    for_each_type([](auto f) {
        recorded().step_count = 0;
        cl_event event = nullptr;
        REQUIRE(invoke(f.scal, 5, two, x, 3, -2, 1, queues, 0, nullptr, &event) == clblasSuccess);
        REQUIRE(recorded().step_count == 1);
        CHECK(std::string(recorded().steps[0].function) == "queue_mark");
        CHECK(event != nullptr);
    });
}

TEST_CASE("rotations whose numbers are in buffers") {
    const setup_scope scope;
    for_each_type([](auto f) {
        const auto rotg = reached<heron_rotg_args>("rotg", f.rotg, x, 1, y, 2, result, 3, other, 4);
        CHECK(rotg.type == type_of(f));
        check_number(rotg.a, x, 1);
        check_number(rotg.b, y, 2);
        check_number(rotg.c, result, 3);
        check_number(rotg.s, other, 4);
        if constexpr (!decltype(f)::is_complex) {
            const auto rotm = reached<heron_rotm_args>("rotm", f.rotm, 5, x, 3, 2, y, 4, -3, result, 6);
            CHECK(rotm.type == type_of(f));
            CHECK(rotm.n == 5);
            check_vector(rotm.x, x, 3, 2);
            check_vector(rotm.y, y, 4 + 4 * 3, -3);
            check_number(rotm.parameters, result, 6);
            const auto rotmg =
                reached<heron_rotmg_args>("rotmg", f.rotmg, x, 1, y, 2, result, 3, other, 4, matrix, 5);
            CHECK(rotmg.type == type_of(f));
            check_number(rotmg.d1, x, 1);
            check_number(rotmg.d2, y, 2);
            check_number(rotmg.x1, result, 3);
            check_number(rotmg.y1, other, 4);
            check_number(rotmg.parameters, matrix, 5);
        }
    });
}

TEST_CASE("products with general matrices") {
    const setup_scope scope;
    for_each_type([](auto f) {
        for (const int order : orders)
            for (const int trans : {clblasNoTrans, clblasTrans, clblasConjTrans}) {
                CAPTURE(order, trans);
                const bool rows = order == clblasRowMajor;
                const auto check = [&](const heron_gemv_args& args) {
                    CHECK(args.type == type_of(f));
                    CHECK(args.op == expected_operation(f.is_complex, order, trans));
                    CHECK(args.m == (rows ? 6 : 4));
                    CHECK(args.n == (rows ? 4 : 6));
                    check_scalar(f, args.alpha, two);
                    check_scalar(f, args.beta, half);
                    check_vector(args.x, x, 3, 2);
                    check_vector(args.y, y, 5, 3);
                };
                const auto full = reached<heron_gemv_args>("gemv", f.gemv, order, trans, 4, 6, two, matrix, 7,
                                                           9, x, 3, 2, half, y, 5, 3);
                check(full);
                check_matrix(full.a, HERON_STORAGE_FULL, 7, 9);
                const auto banded = reached<heron_gemv_args>("gemv", f.gbmv, order, trans, 4, 6, 1, 2, two,
                                                             matrix, 7, 9, x, 3, 2, half, y, 5, 3);
                check(banded);
                check_matrix(banded.a, HERON_STORAGE_BANDED, 7, 9);
                CHECK(banded.a.lower == (rows ? 2 : 1));
                CHECK(banded.a.upper == (rows ? 1 : 2));
            }
    });
}

TEST_CASE("products with symmetric and Hermitian matrices") {
    const setup_scope scope;
    for_each_type([](auto f) {
        for (const int order : orders)
            for (const int uplo : {clblasUpper, clblasLower}) {
                CAPTURE(order, uplo);
                const heron_fill_mode fill = expected_fill(order, uplo);
                const auto check = [&](const heron_symv_args& args) {
                    CHECK(args.type == type_of(f));
                    CHECK(args.fill == fill);
                    CHECK(args.hermitian == f.is_complex);
                    CHECK(args.conjugate == (f.is_complex && order == clblasRowMajor));
                    CHECK(args.n == 6);
                    check_scalar(f, args.alpha, two);
                    check_scalar(f, args.beta, half);
                    check_vector(args.x, x, 3, 2);
                    check_vector(args.y, y, 5, 3);
                };
                const auto full = reached<heron_symv_args>("symv", f.symv, order, uplo, 6, two, matrix, 7, 9,
                                                           x, 3, 2, half, y, 5, 3);
                check(full);
                check_matrix(full.a, HERON_STORAGE_FULL, 7, 9);
                const auto packed = reached<heron_symv_args>("symv", f.spmv, order, uplo, 6, two, matrix, 7,
                                                             x, 3, 2, half, y, 5, 3);
                check(packed);
                check_matrix(packed.a, HERON_STORAGE_PACKED, 7, 0);
                const auto banded = reached<heron_symv_args>("symv", f.sbmv, order, uplo, 6, 2, two, matrix,
                                                             7, 9, x, 3, 2, half, y, 5, 3);
                check(banded);
                check_matrix(banded.a, HERON_STORAGE_BANDED, 7, 9);
                CHECK(banded.a.lower == (fill == HERON_FILL_LOWER ? 2 : 0));
                CHECK(banded.a.upper == (fill == HERON_FILL_LOWER ? 0 : 2));
            }
    });
}

TEST_CASE("triangular matrices") {
    const setup_scope scope;
    for_each_type([](auto f) {
        for (const int order : orders)
            for (const int uplo : {clblasUpper, clblasLower})
                for (const int trans : {clblasNoTrans, clblasTrans, clblasConjTrans})
                    for (const int diag : {clblasUnit, clblasNonUnit}) {
                        CAPTURE(order, uplo, trans, diag);
                        const auto check = [&](const heron_triangular_vector_args& args,
                                               heron_matrix_storage storage) {
                            CHECK(args.type == type_of(f));
                            CHECK(args.fill == expected_fill(order, uplo));
                            CHECK(args.op == expected_operation(f.is_complex, order, trans));
                            CHECK(args.diag == (diag == clblasUnit ? HERON_DIAG_UNIT : HERON_DIAG_NON_UNIT));
                            CHECK(args.n == 6);
                            check_vector(args.x, x, 3 + 5 * 2, -2);
                            check_matrix(args.a, storage, 7, storage == HERON_STORAGE_PACKED ? 0 : 9);
                            if (storage == HERON_STORAGE_BANDED) CHECK(args.a.lower + args.a.upper == 2);
                        };
                        using args = heron_triangular_vector_args;
                        check(reached<args>("trmv", f.trmv, order, uplo, trans, diag, 6, matrix, 7, 9, x, 3,
                                            -2, unused),
                              HERON_STORAGE_FULL);
                        check(reached<args>("trmv", f.tpmv, order, uplo, trans, diag, 6, matrix, 7, x, 3, -2,
                                            unused),
                              HERON_STORAGE_PACKED);
                        check(reached<args>("trmv", f.tbmv, order, uplo, trans, diag, 6, 2, matrix, 7, 9, x,
                                            3, -2, unused),
                              HERON_STORAGE_BANDED);
                        check(reached<args>("trsv", f.trsv, order, uplo, trans, diag, 6, matrix, 7, 9, x, 3,
                                            -2),
                              HERON_STORAGE_FULL);
                        check(reached<args>("trsv", f.tpsv, order, uplo, trans, diag, 6, matrix, 7, x, 3, -2),
                              HERON_STORAGE_PACKED);
                        check(reached<args>("trsv", f.tbsv, order, uplo, trans, diag, 6, 2, matrix, 7, 9, x,
                                            3, -2),
                              HERON_STORAGE_BANDED);
                    }
    });
}

TEST_CASE("updates of general matrices") {
    const setup_scope scope;
    for_each_type([](auto f) {
        for (const int order : orders) {
            CAPTURE(order);
            const bool rows = order == clblasRowMajor;
            const auto check = [&](const heron_ger_args& args, bool conjugate) {
                CHECK(args.type == type_of(f));
                CHECK(args.m == (rows ? 6 : 4));
                CHECK(args.n == (rows ? 4 : 6));
                CHECK(args.conjugate_x == (conjugate && rows));
                CHECK(args.conjugate_y == (conjugate && !rows));
                check_scalar(f, args.alpha, two);
                check_vector(rows ? args.y : args.x, x, 3, 2);
                check_vector(rows ? args.x : args.y, y, 5, 3);
                check_matrix(args.a, HERON_STORAGE_FULL, 7, 9);
            };
            check(reached<heron_ger_args>("ger", f.ger, order, 4, 6, two, x, 3, 2, y, 5, 3, matrix, 7, 9),
                  false);
            if constexpr (decltype(f)::is_complex)
                check(
                    reached<heron_ger_args>("ger", f.gerc, order, 4, 6, two, x, 3, 2, y, 5, 3, matrix, 7, 9),
                    true);
        }
    });
}

TEST_CASE("updates of symmetric and Hermitian matrices") {
    const setup_scope scope;
    for_each_type([](auto f) {
        for (const int order : orders)
            for (const int uplo : {clblasUpper, clblasLower}) {
                CAPTURE(order, uplo);
                const bool conjugates = f.is_complex && order == clblasRowMajor;
                const auto check = [&](const heron_rank_update_args& args, heron_matrix_storage storage) {
                    CHECK(args.type == type_of(f));
                    CHECK(args.fill == expected_fill(order, uplo));
                    CHECK(args.hermitian == f.is_complex);
                    CHECK(args.conjugate == conjugates);
                    CHECK(args.n == 6);
                    check_matrix(args.a, storage, 7, storage == HERON_STORAGE_PACKED ? 0 : 9);
                };
                const auto one = [&](const heron_rank_update_args& args, heron_matrix_storage storage) {
                    check(args, storage);
                    CHECK(args.alpha.re == 0.25);
                    CHECK(args.alpha.im == 0);
                    check_vector(args.x, x, 3, 2);
                };
                const auto both = [&](const heron_rank_update_args& args, heron_matrix_storage storage) {
                    check(args, storage);
                    check_scalar(f, args.alpha, two);
                    check_vector(conjugates ? args.y : args.x, x, 3, 2);
                    check_vector(conjugates ? args.x : args.y, y, 5, 3);
                };
                using args = heron_rank_update_args;
                one(reached<args>("syr", f.syr, order, uplo, 6, 0.25, x, 3, 2, matrix, 7, 9),
                    HERON_STORAGE_FULL);
                one(reached<args>("syr", f.spr, order, uplo, 6, 0.25, x, 3, 2, matrix, 7),
                    HERON_STORAGE_PACKED);
                both(reached<args>("syr2", f.syr2, order, uplo, 6, two, x, 3, 2, y, 5, 3, matrix, 7, 9),
                     HERON_STORAGE_FULL);
                both(reached<args>("syr2", f.spr2, order, uplo, 6, two, x, 3, 2, y, 5, 3, matrix, 7),
                     HERON_STORAGE_PACKED);
            }
    });
}

TEST_CASE("the functions of clAmdBlas without offsets begin at the first element") {
    const setup_scope scope;
    for (const int order : orders) {
        const auto check = [](const heron_stored_matrix& a) { check_matrix(a, HERON_STORAGE_FULL, 0, 9); };
        check(reached<heron_gemv_args>("gemv", &clAmdBlasSgemv, order, clblasNoTrans, 4, 6, two, matrix, 9, x,
                                       3, 2, half, y, 5, 3)
                  .a);
        check(reached<heron_gemv_args>("gemv", &clAmdBlasDgemv, order, clblasNoTrans, 4, 6, two, matrix, 9, x,
                                       3, 2, half, y, 5, 3)
                  .a);
        check(reached<heron_gemv_args>("gemv", &clAmdBlasCgemv, order, clblasNoTrans, 4, 6, two, matrix, 9, x,
                                       3, 2, half, y, 5, 3)
                  .a);
        check(reached<heron_gemv_args>("gemv", &clAmdBlasZgemv, order, clblasNoTrans, 4, 6, two, matrix, 9, x,
                                       3, 2, half, y, 5, 3)
                  .a);
        check(reached<heron_symv_args>("symv", &clAmdBlasSsymv, order, clblasLower, 6, two, matrix, 9, x, 3,
                                       2, half, y, 5, 3)
                  .a);
        check(reached<heron_symv_args>("symv", &clAmdBlasDsymv, order, clblasLower, 6, two, matrix, 9, x, 3,
                                       2, half, y, 5, 3)
                  .a);
    }
}
