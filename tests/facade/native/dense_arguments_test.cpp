// Every argument of the dense operations made wrong in turn: the status, one log line that names the
// argument, and an output that stays as it is. Also what quick returns leave unread, and what the core makes
// of the scalars' places.
#include "facade/cusparse/facade.hpp"
#include <cstdint>
#include <cstring>
#include <functional>

using namespace heron::test;

namespace {

class host_handle {
  public:
    host_handle() { REQUIRE(heron_create_on("host", 0, &handle_) == HERON_SUCCESS); }
    ~host_handle() { heron_destroy(handle_); }
    host_handle(const host_handle&) = delete;
    host_handle& operator=(const host_handle&) = delete;
    operator heron_handle() const { return handle_; }

  private:
    heron_handle handle_ = nullptr;
};

constexpr int elements = 64;

// The arguments of all operations; each takes its own. As it stands every call is right.
struct arguments {
    heron_handle handle;
    heron_type type = HERON_C_64F;
    heron_order order = HERON_ORDER_COLUMN;
    heron_side side = HERON_SIDE_LEFT;
    heron_fill_mode uplo = HERON_FILL_UPPER;
    heron_operation op_a = HERON_OP_NONE, op_b = HERON_OP_NONE;
    heron_diag_type diag = HERON_DIAG_UNIT;
    int64_t m = 3, n = 3, k = 3, count = 2;
    const void* alpha;
    const void* a;
    const void* b;
    void* c;
    int64_t lda = 4, ldb = 4, ldc = 4;
    const void* beta;
    heron_gemm_algorithm algorithm = HERON_GEMM_DEFAULT;
    heron_rank_2k_algorithm passes = HERON_RANK_2K_FUSED;
    heron_batch_operand a_batch{}, b_batch{}, c_batch{};
};

struct function {
    const char* name;
    const char* takes;  // letters of the arguments that it has
    std::function<heron_status(const arguments&)> call;
};

// Letters: o order, s side, u uplo, d diag, A op_a as "trans_a", B op_b as "trans_b", t op_a as "trans", m,
// n, k, q count, l alpha, e beta, a b c operands with their leading dimensions, g algorithm, p passes, C
// complex types only, H no plain transpose.
std::vector<function> functions() {
    using args = const arguments&;
    return {
        {"heron_gemm", "oABmnkleabcg",
         [](args x) {
             return heron_gemm(x.handle, x.type, x.order, x.op_a, x.op_b, x.m, x.n, x.k, x.alpha, x.a, x.lda,
                               x.b, x.ldb, x.beta, x.c, x.ldc, x.algorithm);
         }},
        {"heron_gemm_batched", "oABmnkqleg",
         [](args x) {
             return heron_gemm_batched(x.handle, x.type, x.order, x.op_a, x.op_b, x.m, x.n, x.k, x.alpha,
                                       x.a_batch, x.lda, x.b_batch, x.ldb, x.beta, x.c_batch, x.ldc, x.count,
                                       x.algorithm);
         }},
        {"heron_gemmt", "ouABnkleabc",
         [](args x) {
             return heron_gemmt(x.handle, x.type, x.order, x.uplo, x.op_a, x.op_b, x.n, x.k, x.alpha, x.a,
                                x.lda, x.b, x.ldb, x.beta, x.c, x.ldc);
         }},
        {"heron_syrk", "outnkleac",
         [](args x) {
             return heron_syrk(x.handle, x.type, x.order, x.uplo, x.op_a, x.n, x.k, x.alpha, x.a, x.lda,
                               x.beta, x.c, x.ldc);
         }},
        {"heron_herk", "outnkleacCH",
         [](args x) {
             return heron_herk(x.handle, x.type, x.order, x.uplo, x.op_a, x.n, x.k, x.alpha, x.a, x.lda,
                               x.beta, x.c, x.ldc);
         }},
        {"heron_syr2k", "outnkleabcp",
         [](args x) {
             return heron_syr2k(x.handle, x.type, x.order, x.uplo, x.op_a, x.n, x.k, x.alpha, x.a, x.lda, x.b,
                                x.ldb, x.beta, x.c, x.ldc, x.passes);
         }},
        {"heron_her2k", "outnkleabcpCH",
         [](args x) {
             return heron_her2k(x.handle, x.type, x.order, x.uplo, x.op_a, x.n, x.k, x.alpha, x.a, x.lda, x.b,
                                x.ldb, x.beta, x.c, x.ldc, x.passes);
         }},
        {"heron_symm", "osumnleabc",
         [](args x) {
             return heron_symm(x.handle, x.type, x.order, x.side, x.uplo, x.m, x.n, x.alpha, x.a, x.lda, x.b,
                               x.ldb, x.beta, x.c, x.ldc);
         }},
        {"heron_hemm", "osumnleabcC",
         [](args x) {
             return heron_hemm(x.handle, x.type, x.order, x.side, x.uplo, x.m, x.n, x.alpha, x.a, x.lda, x.b,
                               x.ldb, x.beta, x.c, x.ldc);
         }},
        // The output is B here.
        {"heron_trmm", "osutdmnlaO",
         [](args x) {
             return heron_trmm(x.handle, x.type, x.order, x.side, x.uplo, x.op_a, x.diag, x.m, x.n, x.alpha,
                               x.a, x.lda, x.c, x.ldc);
         }},
        {"heron_trsm", "osutdmnlaO",
         [](args x) {
             return heron_trsm(x.handle, x.type, x.order, x.side, x.uplo, x.op_a, x.diag, x.m, x.n, x.alpha,
                               x.a, x.lda, x.c, x.ldc);
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
};

alignas(16) char a_values[16 * elements + 16], b_values[16 * elements + 16];

const mistake mistakes[] = {
    {'o', "order", [](arguments& x) { x.order = no_such<heron_order>(); }},
    {'s', "side", [](arguments& x) { x.side = no_such<heron_side>(); }},
    {'u', "uplo", [](arguments& x) { x.uplo = no_such<heron_fill_mode>(); }},
    {'d', "diag", [](arguments& x) { x.diag = no_such<heron_diag_type>(); }},
    {'A', "trans_a", [](arguments& x) { x.op_a = no_such<heron_operation>(); }},
    {'B', "trans_b", [](arguments& x) { x.op_b = no_such<heron_operation>(); }},
    {'t', "trans", [](arguments& x) { x.op_a = no_such<heron_operation>(); }},
    {'t', "trans", [](arguments& x) { x.op_a = HERON_OP_CONJUGATE; }},
    {'H', "trans", [](arguments& x) { x.op_a = HERON_OP_TRANSPOSE; }},
    {'m', "m", [](arguments& x) { x.m = -1; }},
    {'n', "n", [](arguments& x) { x.n = -1; }},
    {'k', "k", [](arguments& x) { x.k = -1; }},
    {'q', "count", [](arguments& x) { x.count = -1; }},
    {'l', "alpha", [](arguments& x) { x.alpha = nullptr; }},
    {'e', "beta", [](arguments& x) { x.beta = nullptr; }},
    {'a', "a", [](arguments& x) { x.a = nullptr; }},
    {'a', "a", [](arguments& x) { x.a = a_values + 1; }},
    {'a', "lda", [](arguments& x) { x.lda = 2; }},
    {'a', "lda", [](arguments& x) { x.lda = -1; }},
    {'b', "b", [](arguments& x) { x.b = nullptr; }},
    {'b', "b", [](arguments& x) { x.b = b_values + 4; }},
    {'b', "ldb", [](arguments& x) { x.ldb = 0; }},
    {'c', "c", [](arguments& x) { x.c = nullptr; }},
    {'c', "ldc", [](arguments& x) { x.ldc = 2; }},
    {'O', "b", [](arguments& x) { x.c = nullptr; }},
    {'O', "ldb", [](arguments& x) { x.ldc = 2; }},
    {'g', "algorithm", [](arguments& x) { x.algorithm = no_such<heron_gemm_algorithm>(); }},
    {'p', "algorithm", [](arguments& x) { x.passes = no_such<heron_rank_2k_algorithm>(); }},
    {'C', "type", [](arguments& x) { x.type = HERON_R_64F; }},
    {'q', "lda", [](arguments& x) { x.lda = 2; }},
    {'q', "ldb", [](arguments& x) { x.ldb = 2; }},
    {'q', "ldc", [](arguments& x) { x.ldc = 2; }},
    {'q', "a", [](arguments& x) { x.a_batch.kind = no_such<heron_batch_kind>(); }},
    {'q', "a", [](arguments& x) { x.a_batch.base = nullptr; }},
    {'q', "a", [](arguments& x) { x.a_batch.stride = -1; }},
    {'q', "b", [](arguments& x) { x.b_batch = heron_batch_pointers(nullptr); }},
    {'q', "b", [](arguments& x) { x.b_batch = heron_batch_indexed(b_values, 16, nullptr, HERON_INDEX_32); }},
    {'q', "b",
     [](arguments& x) {
         x.b_batch = heron_batch_indexed(b_values, 16, b_values, no_such<heron_index_type>());
     }},
    {'q', "c", [](arguments& x) { x.c_batch.stride = 0; }},
};

class problem {
  public:
    problem() {
        std::memset(c_, 42, sizeof c_);
        arguments_.handle = handle_;
        arguments_.alpha = one_;
        arguments_.beta = one_;
        arguments_.a = a_values;
        arguments_.b = b_values;
        arguments_.c = c_;
        arguments_.a_batch = heron_batch_strided(a_values, 12);
        arguments_.b_batch = heron_batch_strided(b_values, 12);
        arguments_.c_batch = heron_batch_strided(c_, 12);
    }
    const arguments& good() const { return arguments_; }

    // The status, one line that begins with the argument, and an output that is what it was.
    void check_refused(const function& f, const arguments& x, const char* argument, heron_status expected) {
        CAPTURE(f.name, argument);
        unsigned char before[sizeof c_];
        std::memcpy(before, c_, sizeof c_);
        log_capture log;
        CHECK(f.call(x) == expected);
        CHECK(std::memcmp(before, c_, sizeof c_) == 0);
        const std::vector<log_line> lines = log.take();
        REQUIRE(lines.size() == 1);
        CAPTURE(lines[0].message);
        CHECK(lines[0].function == f.name);
        CHECK(lines[0].message.find(std::string(argument) + ":") == 0);
    }

  private:
    host_handle handle_;
    alignas(16) double one_[2] = {1, 0};
    alignas(16) unsigned char c_[16 * elements];
    arguments arguments_{};
};

bool takes(const function& f, char letter) { return std::strchr(f.takes, letter) != nullptr; }

}  // namespace

TEST_CASE("every argument wrong in turn") {
    problem p;
    for (const function& f : functions()) {
        CAPTURE(f.name);
        arguments none = p.good();
        none.handle = nullptr;
        p.check_refused(f, none, "handle", HERON_NOT_INITIALIZED);
        arguments type = p.good();
        type.type = no_such<heron_type>();
        p.check_refused(f, type, "type", HERON_INVALID_VALUE);
        for (const mistake& m : mistakes) {
            if (!takes(f, m.letter)) continue;
            arguments x = p.good();
            m.make(x);
            p.check_refused(f, x, m.argument, HERON_INVALID_VALUE);
        }
        CHECK(f.call(p.good()) == HERON_SUCCESS);
    }
}

TEST_CASE("types that are not built") {
    problem p;
    for (const function& f : functions()) {
        arguments x = p.good();
        x.type = HERON_R_8I;
        const bool is_gemm = takes(f, 'g');
        p.check_refused(f, x, is_gemm ? "compute_type" : "type", HERON_NOT_SUPPORTED);
        x.type = HERON_R_16F;
        if (!is_gemm) p.check_refused(f, x, "type", HERON_NOT_SUPPORTED);
    }
}

TEST_CASE("sizes beyond 63 bits") {
    problem p;
    for (const function& f : functions()) {
        CAPTURE(f.name);
        arguments x = p.good();
        x.m = x.n = x.k = int64_t{1} << 40;
        x.lda = x.ldb = x.ldc = int64_t{1} << 40;
        log_capture log;
        const heron_status status = f.call(x);
        CHECK((status == HERON_INSUFFICIENT_RESOURCES || status == HERON_INVALID_VALUE));
    }
}

TEST_CASE("empty products do nothing, and read nothing") {
    problem p;
    for (const function& f : functions()) {
        CAPTURE(f.name);
        arguments x = p.good();
        x.m = x.n = 0;
        x.a = x.b = x.c = nullptr;
        x.a_batch.base = x.b_batch.base = x.c_batch.base = nullptr;
        CHECK(f.call(x) == HERON_SUCCESS);
        if (!takes(f, 'k')) continue;
        x = p.good();
        x.k = 0;
        x.a = x.b = nullptr;
        x.a_batch.base = x.b_batch.base = nullptr;
        CHECK(f.call(x) == HERON_SUCCESS);
    }
}

TEST_CASE("two passes need scalars of the host") {
    problem p;
    arguments x = p.good();
    x.passes = HERON_RANK_2K_TWO_PASSES;
    CHECK(heron_set_pointer_mode(x.handle, HERON_POINTER_DEVICE) == HERON_SUCCESS);
    heron_pointer_mode mode = HERON_POINTER_HOST;
    CHECK(heron_get_pointer_mode(x.handle, &mode) == HERON_SUCCESS);
    CHECK(mode == HERON_POINTER_DEVICE);
    for (const function& f : functions())
        if (takes(f, 'p')) p.check_refused(f, x, "algorithm", HERON_NOT_SUPPORTED);
}

TEST_CASE("products by 3M are refused in too small a workspace, in batches, and for real numbers") {
    problem p;
    arguments x = p.good();
    x.algorithm = HERON_GEMM_3M;
    char small = 0;
    REQUIRE(heron_set_workspace(x.handle, &small, sizeof small) == HERON_SUCCESS);
    for (const function& f : functions()) {
        if (!takes(f, 'g')) continue;
        const bool is_batch = takes(f, 'q');
        for (const heron_type type : {HERON_C_32F, HERON_C_64F}) {
            x.type = type;
            p.check_refused(f, x, is_batch ? "algorithm" : "workspace",
                            is_batch ? HERON_NOT_SUPPORTED : HERON_INSUFFICIENT_RESOURCES);
        }
        for (const heron_type type : {HERON_R_32F, HERON_R_64F, HERON_C_16F}) {
            x.type = type;
            p.check_refused(f, x, "algorithm", HERON_NOT_SUPPORTED);
        }
    }
}

TEST_CASE("wrong arguments of the workspace's functions") {
    problem p;
    const heron_handle h = p.good().handle;
    log_capture log;
    std::size_t bytes = 1;
    const auto size = [&](heron_type type, std::int64_t m, heron_gemm_algorithm algorithm, std::size_t* to) {
        return heron_gemm_workspace(h, type, m, 3, 4, algorithm, to);
    };
    CHECK(heron_gemm_workspace(nullptr, HERON_C_32F, 2, 3, 4, HERON_GEMM_3M, &bytes) ==
          HERON_NOT_INITIALIZED);
    CHECK(size(HERON_C_32F, -1, HERON_GEMM_3M, &bytes) == HERON_INVALID_VALUE);
    CHECK(size(HERON_C_32F, 2, no_such<heron_gemm_algorithm>(), &bytes) == HERON_INVALID_VALUE);
    CHECK(size(no_such<heron_type>(), 2, HERON_GEMM_3M, &bytes) == HERON_INVALID_VALUE);
    CHECK(size(HERON_C_32F, 2, HERON_GEMM_3M, nullptr) == HERON_INVALID_VALUE);
    CHECK(size(HERON_R_32F, 2, HERON_GEMM_3M, &bytes) == HERON_NOT_SUPPORTED);
    CHECK(size(HERON_C_64F, std::int64_t{1} << 61, HERON_GEMM_3M, &bytes) == HERON_INSUFFICIENT_RESOURCES);
    CHECK(heron_set_workspace(nullptr, nullptr, 0) == HERON_NOT_INITIALIZED);
    CHECK(heron_set_workspace(h, nullptr, 5) == HERON_INVALID_VALUE);
    CHECK(log.take().size() == 9);
    CHECK(bytes == 1);
    CHECK(size(HERON_C_32F, 2, HERON_GEMM_DEFAULT, &bytes) == HERON_SUCCESS);
    CHECK(bytes == 0);
    CHECK(size(HERON_C_32F, 2, HERON_GEMM_3M, &bytes) == HERON_SUCCESS);
    CHECK(bytes >= (2 * 4 + 4 * 3 + 3 * 2 * 3) * sizeof(float));
}

TEST_CASE("pointer modes that are none") {
    problem p;
    log_capture log;
    CHECK(heron_set_pointer_mode(p.good().handle, no_such<heron_pointer_mode>()) == HERON_INVALID_VALUE);
    CHECK(heron_set_pointer_mode(nullptr, HERON_POINTER_HOST) == HERON_NOT_INITIALIZED);
    CHECK(heron_get_pointer_mode(p.good().handle, nullptr) == HERON_INVALID_VALUE);
    CHECK(log.take().size() == 3);
}
