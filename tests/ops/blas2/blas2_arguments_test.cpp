// Every argument of the operations on a matrix and vectors made wrong in turn: the status, a log line that
// names it, and operands that stay as they are.
#include <functional>

#include "stored_problem.hpp"

using namespace heron::test;

namespace {

struct arguments {
    heron_handle handle = native();
    heron_type type = HERON_C_32F;
    heron_order order = HERON_ORDER_COLUMN;
    heron_side side = HERON_SIDE_LEFT;
    heron_fill_mode uplo = HERON_FILL_UPPER;
    heron_operation op = HERON_OP_NONE, op_b = HERON_OP_NONE;
    heron_diag_type diag = HERON_DIAG_NON_UNIT;
    heron_matrix_storage storage = HERON_STORAGE_FULL;
    std::int64_t m = 3, n = 3, k = 1, kl = 1, ku = 1, lda = 4, ldb = 4, ldc = 4, incx = 1, incy = -2,
                 count = 2;
    void *a, *b, *x, *y;
    float two[2] = {2, 0}, three[2] = {3, 0};
    const void* alpha = two;
    const void* beta = three;
    heron_batch_operand a_batch{}, b_batch{}, x_batch{}, y_batch{};
};

// Letters: o order, s side, u uplo, t op, r op_b, d diag, S storage, m, n, k, L kl, U ku, l alpha, e beta, a
// A, b B, x, y, i incx, j incy, q count, C complex types only, P packed storage is built, B band storage is
// built.
struct function {
    const char* name;
    const char* takes;
    std::function<heron_status(arguments&)> run;
};

std::vector<function> functions() {
    using args = arguments&;
    return {
        {"heron_gemv", "otmnleaxyij",
         [](args g) {
             return heron_gemv(g.handle, g.type, g.order, g.op, g.m, g.n, g.alpha, g.a, g.lda, g.x, g.incx,
                               g.beta, g.y, g.incy);
         }},
        {"heron_gbmv", "otmnLUleaxyij",
         [](args g) {
             return heron_gbmv(g.handle, g.type, g.order, g.op, g.m, g.n, g.kl, g.ku, g.alpha, g.a, g.lda,
                               g.x, g.incx, g.beta, g.y, g.incy);
         }},
        {"heron_symv", "ounSleaxyijPB",
         [](args g) {
             return heron_symv(g.handle, g.type, g.order, g.uplo, g.storage, g.n, g.k, g.alpha, g.a, g.lda,
                               g.x, g.incx, g.beta, g.y, g.incy);
         }},
        {"heron_hemv", "ounSleaxyijCPB",
         [](args g) {
             return heron_hemv(g.handle, g.type, g.order, g.uplo, g.storage, g.n, g.k, g.alpha, g.a, g.lda,
                               g.x, g.incx, g.beta, g.y, g.incy);
         }},
        {"heron_trmv", "outdnSaxiPB",
         [](args g) {
             return heron_trmv(g.handle, g.type, g.order, g.uplo, g.op, g.diag, g.storage, g.n, g.k, g.a,
                               g.lda, g.x, g.incx);
         }},
        {"heron_trsv", "outdnSaxiPB",
         [](args g) {
             return heron_trsv(g.handle, g.type, g.order, g.uplo, g.op, g.diag, g.storage, g.n, g.k, g.a,
                               g.lda, g.x, g.incx);
         }},
        {"heron_ger", "omnlaxyij",
         [](args g) {
             return heron_ger(g.handle, g.type, g.order, g.m, g.n, g.alpha, g.x, g.incx, g.y, g.incy, g.a,
                              g.lda);
         }},
        {"heron_gerc", "omnlaxyij",
         [](args g) {
             return heron_gerc(g.handle, g.type, g.order, g.m, g.n, g.alpha, g.x, g.incx, g.y, g.incy, g.a,
                               g.lda);
         }},
        {"heron_syr", "ounSlaxiP",
         [](args g) {
             return heron_syr(g.handle, g.type, g.order, g.uplo, g.storage, g.n, g.alpha, g.x, g.incx, g.a,
                              g.lda);
         }},
        {"heron_her", "ounSlaxiCP",
         [](args g) {
             return heron_her(g.handle, g.type, g.order, g.uplo, g.storage, g.n, g.alpha, g.x, g.incx, g.a,
                              g.lda);
         }},
        {"heron_syr2", "ounSlaxyijP",
         [](args g) {
             return heron_syr2(g.handle, g.type, g.order, g.uplo, g.storage, g.n, g.alpha, g.x, g.incx, g.y,
                               g.incy, g.a, g.lda);
         }},
        {"heron_her2", "ounSlaxyijCP",
         [](args g) {
             return heron_her2(g.handle, g.type, g.order, g.uplo, g.storage, g.n, g.alpha, g.x, g.incx, g.y,
                               g.incy, g.a, g.lda);
         }},
        {"heron_geam", "oTrmnleabc",
         [](args g) {
             return heron_geam(g.handle, g.type, g.order, g.op, g.op_b, g.m, g.n, g.alpha, g.a, g.lda, g.beta,
                               g.b, g.ldb, g.y, g.ldc);
         }},
        {"heron_dgmm", "osmnaxc",
         [](args g) {
             return heron_dgmm(g.handle, g.type, g.order, g.side, g.m, g.n, g.a, g.lda, g.x, g.incx, g.y,
                               g.ldc);
         }},
        {"heron_pack", "ouna",
         [](args g) { return heron_pack(g.handle, g.type, g.order, g.uplo, g.n, g.a, g.lda, g.y); }},
        {"heron_unpack", "ouna",
         [](args g) { return heron_unpack(g.handle, g.type, g.order, g.uplo, g.n, g.y, g.a, g.lda); }},
        {"heron_gemv_batched", "otmnqleij",
         [](args g) {
             return heron_gemv_batched(g.handle, g.type, g.order, g.op, g.m, g.n, g.alpha, g.a_batch, g.lda,
                                       g.x_batch, g.incx, g.beta, g.type, g.y_batch, g.incy, g.count);
         }},
        {"heron_trsm_batched", "osutdmnql",
         [](args g) {
             return heron_trsm_batched(g.handle, g.type, g.order, g.side, g.uplo, g.op, g.diag, g.m, g.n,
                                       g.alpha, g.a_batch, g.lda, g.b_batch, g.ldb, g.count);
         }},
    };
}

template <class Enum>
Enum no_such() {
    return static_cast<Enum>(99);
}

struct mistake {
    char letter;
    const char* argument;
    std::function<void(arguments&)> make;
    heron_status status = HERON_INVALID_VALUE;
};

void shift(void*& p) { p = static_cast<char*>(p) + 4; }

const mistake mistakes[] = {
    {'o', "order", [](arguments& g) { g.order = no_such<heron_order>(); }},
    {'s', "side", [](arguments& g) { g.side = no_such<heron_side>(); }},
    {'u', "uplo", [](arguments& g) { g.uplo = no_such<heron_fill_mode>(); }},
    {'t', "op", [](arguments& g) { g.op = no_such<heron_operation>(); }},
    {'T', "op_a", [](arguments& g) { g.op = HERON_OP_CONJUGATE; }},
    {'r', "op_b", [](arguments& g) { g.op_b = HERON_OP_CONJUGATE; }},
    {'d', "diag", [](arguments& g) { g.diag = no_such<heron_diag_type>(); }},
    {'S', "storage", [](arguments& g) { g.storage = no_such<heron_matrix_storage>(); }},
    {'m', "m", [](arguments& g) { g.m = -1; }},
    {'n', "n", [](arguments& g) { g.n = -1; }},
    {'q', "count", [](arguments& g) { g.count = -1; }},
    {'L', "kl", [](arguments& g) { g.kl = -1; }},
    {'U', "ku", [](arguments& g) { g.ku = -1; }},
    {'L', "lda", [](arguments& g) { g.kl = 3; }},
    {'L', "lda", [](arguments& g) { g.kl = g.ku = INT64_MAX; }},
    {'l', "alpha", [](arguments& g) { g.alpha = nullptr; }},
    {'e', "beta", [](arguments& g) { g.beta = nullptr; }},
    {'a', "a", [](arguments& g) { g.a = nullptr; }},
    {'a', "a", [](arguments& g) { shift(g.a); }},
    {'a', "lda", [](arguments& g) { g.lda = 2; }},
    {'a', "a", [](arguments& g) { g.lda = INT64_MAX; }},
    {'b', "b", [](arguments& g) { g.b = nullptr; }},
    {'b', "ldb", [](arguments& g) { g.ldb = 2; }},
    {'c', "c", [](arguments& g) { g.y = nullptr; }},
    {'c', "ldc", [](arguments& g) { g.ldc = 2; }},
    {'x', "x", [](arguments& g) { g.x = nullptr; }},
    {'x', "x", [](arguments& g) { shift(g.x); }},
    {'y', "y", [](arguments& g) { g.y = nullptr; }},
    {'y', "y", [](arguments& g) { shift(g.y); }},
    {'i', "incx", [](arguments& g) { g.incx = 0; }},
    {'j', "incy", [](arguments& g) { g.incy = 0; }},
    {'C', "type", [](arguments& g) { g.type = HERON_R_32F; }},
    {'P', "a", [](arguments& g) { g.storage = HERON_STORAGE_PACKED, g.a = nullptr; }},
    {'B', "lda", [](arguments& g) { g.storage = HERON_STORAGE_BANDED, g.k = 4; }},
    {'B', "k", [](arguments& g) { g.storage = HERON_STORAGE_BANDED, g.k = -1; }},
    {'q', "a", [](arguments& g) { g.a_batch.base = nullptr; }},
    {'q', "a", [](arguments& g) { g.a_batch.kind = no_such<heron_batch_kind>(); }},
};

}  // namespace

TEST_CASE("wrong arguments of operations on a matrix and vectors") {
    const vector_case memory{HERON_C_32F, 64, 1, std::vector<number>(64, number{1, 0})};
    const device_vector a(memory), b(memory), x(memory), y(memory);
    const auto right = [&] {
        arguments g;
        g.a = a.data();
        g.b = b.data();
        g.x = x.data();
        g.y = y.data();
        g.a_batch = {HERON_BATCH_STRIDED, HERON_INDEX_32, a.data(), 16, nullptr, 0};
        g.b_batch = {HERON_BATCH_STRIDED, HERON_INDEX_32, b.data(), 16, nullptr, 0};
        g.x_batch = {HERON_BATCH_STRIDED, HERON_INDEX_32, x.data(), 16, nullptr, 0};
        g.y_batch = {HERON_BATCH_STRIDED, HERON_INDEX_32, y.data(), 16, nullptr, 0};
        return g;
    };
    const auto unchanged = [&] {
        for (const device_vector* v : {&a, &b, &x, &y}) CHECK(difference(v->download(), memory, 0) == "");
    };
    for (const function& f : functions()) {
        CAPTURE(f.name);
        const auto refused = [&](const char* argument, heron_status status,
                                 const std::function<void(arguments&)>& make) {
            arguments g = right();
            make(g);
            const log_capture log;
            CAPTURE(argument);
            expect(f.run(g), status);
            CHECK(log.lines().size() == 1);
            CHECK(log.contains(argument));
        };
        refused("handle", HERON_NOT_INITIALIZED, [](arguments& g) { g.handle = nullptr; });
        refused("type", HERON_INVALID_VALUE, [](arguments& g) { g.type = no_such<heron_type>(); });
        refused("type", HERON_NOT_SUPPORTED, [](arguments& g) { g.type = HERON_R_32I; });
        for (const mistake& m : mistakes)
            if (std::string(f.takes).find(m.letter) != std::string::npos)
                refused(m.argument, m.status, m.make);
        unchanged();
    }
    // Only full and packed matrices are updated.
    arguments g = right();
    expect(heron_syr(native(), g.type, g.order, g.uplo, HERON_STORAGE_BANDED, 3, g.alpha, g.x, 1, g.a, 4),
           HERON_NOT_SUPPORTED);
    // In place, but stored otherwise.
    expect(heron_geam(native(), g.type, g.order, HERON_OP_TRANSPOSE, HERON_OP_NONE, 3, 3, g.alpha, g.a, 4,
                      g.beta, g.b, 4, g.a, 4),
           HERON_INVALID_VALUE);
    unchanged();
}

TEST_CASE("operations on empty matrices and with factors that need nothing read nothing") {
    float zero[2] = {0, 0}, one[2] = {1, 0};
    expect(heron_gemv(native(), HERON_C_32F, HERON_ORDER_COLUMN, HERON_OP_NONE, 0, 5, one, nullptr, 1,
                      nullptr, 1, one, nullptr, 1));
    expect(heron_gemv(native(), HERON_C_32F, HERON_ORDER_COLUMN, HERON_OP_NONE, 5, 0, one, nullptr, 5,
                      nullptr, 1, one, nullptr, 1));
    expect(
        heron_ger(native(), HERON_C_32F, HERON_ORDER_COLUMN, 5, 5, zero, nullptr, 1, nullptr, 1, nullptr, 5));
    expect(heron_trsv(native(), HERON_R_32F, HERON_ORDER_ROW, HERON_FILL_LOWER, HERON_OP_NONE,
                      HERON_DIAG_UNIT, HERON_STORAGE_PACKED, 0, 0, nullptr, 0, nullptr, 1));
    expect(heron_her(native(), HERON_C_32F, HERON_ORDER_COLUMN, HERON_FILL_LOWER, HERON_STORAGE_FULL, 4, zero,
                     nullptr, 1, nullptr, 4));
}
