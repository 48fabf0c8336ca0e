// What the core makes of the dense operations: row order as column order of the transposes, rank updates as
// one triangular product with one or two terms, and calls that never reach the plug-in. Seen by a plug-in
// that only records.
#include "facade/cusparse/facade.hpp"
#include "facade/recording.h"
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

using namespace heron::test;

namespace {

// The recorder takes the host plug-in's place. Set before the library's first use.
const bool recorder_chosen =
    setenv("HERON_PLUGIN_PATH", HERON_RECORDER_DIR, 1) == 0 && setenv("HERON_BACKEND", "host", 1) == 0;

class native_handle {
  public:
    native_handle() { REQUIRE(heron_create(&handle_) == HERON_SUCCESS); }
    ~native_handle() { heron_destroy(handle_); }
    native_handle(const native_handle&) = delete;
    native_handle& operator=(const native_handle&) = delete;
    operator heron_handle() const { return handle_; }

  private:
    heron_handle handle_ = nullptr;
};

const recorded_call& recorded() {
    static const auto function = [] {
        void* const plugin = dlopen(HERON_RECORDER_DIR "/libheron-host.so", RTLD_NOW | RTLD_NOLOAD);
        REQUIRE(plugin);
        return reinterpret_cast<heron_recorded_function>(dlsym(plugin, "heron_recorded"));
    }();
    REQUIRE(function);
    return *function();
}

template <class Args>
Args arguments(const char* operation) {
    const recorded_call& call = recorded();
    REQUIRE(std::string(call.operation) == operation);
    CHECK(call.phase == HERON_PHASE_RUN);
    REQUIRE(call.args_size == sizeof(Args));
    Args args;
    std::memcpy(&args, call.args, sizeof args);
    return args;
}

alignas(16) char a[64], b[64], c[64];
const double two[2] = {2, 3}, a_half[2] = {0.5, 0}, one[2] = {1, 0}, zero[2] = {0, 0};

void check_operand(const heron_dense_operand& o, const void* memory, int64_t ld) {
    CHECK(o.memory == memory);
    CHECK(o.offset == 0);
    CHECK(o.ld == ld);
}

}  // namespace

TEST_CASE("gemm in row order is the product of the transposes") {
    const native_handle h;
    for (const heron_order order : {HERON_ORDER_COLUMN, HERON_ORDER_ROW}) {
        const bool rows = order == HERON_ORDER_ROW;
        REQUIRE(heron_gemm(h, HERON_C_64F, order, HERON_OP_CONJUGATE_TRANSPOSE, HERON_OP_NONE, 3, 4, 5, two,
                           a, 11, b, 12, a_half, c, 13, HERON_GEMM_3XTF32) == HERON_SUCCESS);
        const auto args = arguments<heron_gemm_args>("gemm");
        CHECK(args.type == HERON_C_64F);
        CHECK(args.compute_type == HERON_C_64F);
        CHECK(args.op_a == (rows ? HERON_OP_NONE : HERON_OP_CONJUGATE_TRANSPOSE));
        CHECK(args.op_b == (rows ? HERON_OP_CONJUGATE_TRANSPOSE : HERON_OP_NONE));
        CHECK(args.m == (rows ? 4 : 3));
        CHECK(args.n == (rows ? 3 : 4));
        CHECK(args.k == 5);
        CHECK(args.alpha.re == 2);
        CHECK(args.alpha.im == 3);
        CHECK(args.beta.re == 0.5);
        check_operand(args.a, rows ? b : a, rows ? 12 : 11);
        check_operand(args.b, rows ? a : b, rows ? 11 : 12);
        check_operand(args.c, c, 13);
        CHECK(args.algorithm == HERON_GEMM_3XTF32);
    }
}

TEST_CASE("16-bit matrices are computed in single precision, real ones never conjugated") {
    const native_handle h;
    const float scalar = 2;
    REQUIRE(heron_gemm(h, HERON_R_16BF, HERON_ORDER_COLUMN, HERON_OP_CONJUGATE, HERON_OP_CONJUGATE_TRANSPOSE,
                       3, 4, 5, &scalar, a, 11, b, 12, &scalar, c, 13, HERON_GEMM_DEFAULT) == HERON_SUCCESS);
    const auto args = arguments<heron_gemm_args>("gemm");
    CHECK(args.compute_type == HERON_R_32F);
    CHECK(args.op_a == HERON_OP_NONE);
    CHECK(args.op_b == HERON_OP_TRANSPOSE);
}

TEST_CASE("her2k is one triangular product with two terms") {
    const native_handle h;
    for (const heron_order order : {HERON_ORDER_COLUMN, HERON_ORDER_ROW})
        for (const heron_operation op : {HERON_OP_NONE, HERON_OP_CONJUGATE_TRANSPOSE}) {
            const bool rows = order == HERON_ORDER_ROW;
            const heron_operation turned = op == HERON_OP_NONE ? HERON_OP_CONJUGATE_TRANSPOSE : HERON_OP_NONE;
            REQUIRE(heron_her2k(h, HERON_C_64F, order, HERON_FILL_UPPER, op, 3, 5, two, a, 11, b, 12, a_half,
                                c, 13, HERON_RANK_2K_FUSED) == HERON_SUCCESS);
            const auto args = arguments<heron_gemmt_args>("gemmt");
            CHECK(args.fill == (rows ? HERON_FILL_LOWER : HERON_FILL_UPPER));
            CHECK(args.op_a == (rows ? turned : op));
            CHECK(args.op_b == (rows ? op : turned));
            CHECK(args.n == 3);
            CHECK(args.k == 5);
            CHECK(args.terms == 2);
            CHECK(args.conjugate_second == 1);
            CHECK(args.hermitian == 1);
            CHECK(args.alpha.im == 3);
            // In row order the operands change places instead of alpha being conjugated.
            check_operand(args.a[0], rows ? b : a, rows ? 12 : 11);
            check_operand(args.b[0], rows ? a : b, rows ? 11 : 12);
            check_operand(args.a[1], rows ? a : b, rows ? 11 : 12);
            check_operand(args.b[1], rows ? b : a, rows ? 12 : 11);
            check_operand(args.c, c, 13);
        }
}

TEST_CASE("her2k by two passes: the second adds with conj(alpha)") {
    const native_handle h;
    const int before = recorded().count;
    REQUIRE(heron_her2k(h, HERON_C_64F, HERON_ORDER_COLUMN, HERON_FILL_LOWER, HERON_OP_NONE, 3, 5, two, a, 11,
                        b, 12, a_half, c, 13, HERON_RANK_2K_TWO_PASSES) == HERON_SUCCESS);
    CHECK(recorded().count == before + 2);
    const auto args = arguments<heron_gemmt_args>("gemmt");
    CHECK(args.terms == 1);
    CHECK(args.alpha.re == 2);
    CHECK(args.alpha.im == -3);
    CHECK(args.beta.re == 1);
    check_operand(args.a[0], b, 12);
    check_operand(args.b[0], a, 11);
}

TEST_CASE("sides and triangles change places in row order") {
    const native_handle h;
    REQUIRE(heron_hemm(h, HERON_C_64F, HERON_ORDER_ROW, HERON_SIDE_LEFT, HERON_FILL_UPPER, 3, 4, two, a, 11,
                       b, 12, a_half, c, 13) == HERON_SUCCESS);
    const auto symm = arguments<heron_symm_args>("symm");
    CHECK(symm.side == HERON_SIDE_RIGHT);
    CHECK(symm.fill == HERON_FILL_LOWER);
    CHECK(symm.hermitian == 1);
    CHECK(symm.m == 4);
    CHECK(symm.n == 3);
    check_operand(symm.a, a, 11);
    check_operand(symm.b, b, 12);
    REQUIRE(heron_trsm(h, HERON_C_64F, HERON_ORDER_ROW, HERON_SIDE_RIGHT, HERON_FILL_LOWER,
                       HERON_OP_CONJUGATE_TRANSPOSE, HERON_DIAG_UNIT, 3, 4, two, a, 11, c,
                       13) == HERON_SUCCESS);
    const auto trsm = arguments<heron_trsm_args>("trsm");
    CHECK(trsm.side == HERON_SIDE_LEFT);
    CHECK(trsm.fill == HERON_FILL_UPPER);
    CHECK(trsm.op_a == HERON_OP_CONJUGATE_TRANSPOSE);
    CHECK(trsm.diag == HERON_DIAG_UNIT);
    CHECK(trsm.m == 4);
    CHECK(trsm.n == 3);
}

TEST_CASE("device scalars stay where they are") {
    const native_handle h;
    REQUIRE(heron_set_pointer_mode(h, HERON_POINTER_DEVICE) == HERON_SUCCESS);
    REQUIRE(heron_herk(h, HERON_C_32F, HERON_ORDER_ROW, HERON_FILL_LOWER, HERON_OP_NONE, 3, 5, a, b, 11,
                       a + 4, c, 13) == HERON_SUCCESS);
    const auto args = arguments<heron_gemmt_args>("gemmt");
    CHECK(args.terms == 1);
    CHECK(args.alpha.device == a);
    CHECK(args.beta.device == a + 4);
}

TEST_CASE("what changes nothing never reaches the plug-in") {
    const native_handle h;
    const int before = recorded().count;
    const auto gemm = [&](int64_t m, int64_t k, const void* alpha, const void* beta) {
        return heron_gemm(h, HERON_C_64F, HERON_ORDER_COLUMN, HERON_OP_NONE, HERON_OP_NONE, m, 4, k, alpha, a,
                          11, b, 12, beta, c, 13, HERON_GEMM_DEFAULT);
    };
    CHECK(gemm(0, 5, two, a_half) == HERON_SUCCESS);
    CHECK(gemm(3, 0, two, one) == HERON_SUCCESS);
    CHECK(gemm(3, 5, zero, one) == HERON_SUCCESS);
    CHECK(heron_herk(h, HERON_C_64F, HERON_ORDER_COLUMN, HERON_FILL_LOWER, HERON_OP_NONE, 3, 0, two, a, 11,
                     one, c, 13) == HERON_SUCCESS);
    CHECK(recorded().count == before);
    CHECK(gemm(3, 0, two, a_half) == HERON_SUCCESS);
    CHECK(recorded().count == before + 1);
}
