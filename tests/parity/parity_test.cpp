// Statuses beside NVIDIA's own library: every function of the descriptors is called with one argument changed
// at a time, in both libraries, and must answer the same. No GPU is needed, because descriptors live on the
// host. Without NVIDIA's library (HERON_NVIDIA_CUSPARSE, or where a CUDA toolkit has it) the test counts as
// skipped.
#include "parity.hpp"
#include <fmt/format.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using namespace heron::test;

// The status that call() answers in a process of its own, whose output is dropped; minus the signal where it
// dies.
template <class F>
int in_child(F&& call) {
    const pid_t child = fork();
    if (child == 0) {
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, 1);
        dup2(nowhere, 2);
        for (const int signal : {SIGSEGV, SIGABRT, SIGBUS}) std::signal(signal, SIG_DFL);
        _exit(static_cast<int>(call()));
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// Answers of one library by call: "cusparseCreateCoo(argument 3 = -1)".
using answers = std::map<std::string, int>;

class session {
  public:
    session(const std::string& path, answers& a) : library_(path), answers_(a) {}

    template <class F, class... Args>
    void ask(const char* name, F*, Args... arguments) {
        const std::tuple<Args...> valid(arguments...);
        F* const function = library_.find<F>(name);
        answers_[std::string(name) + "()"] = in_child([&] { return std::apply(function, valid); });
        ask_variants(name, function, valid, std::index_sequence_for<Args...>());
    }
    // Makes an object of this library.
    template <class F, class... Args>
    void make(const char* name, F*, Args... arguments) {
        REQUIRE(library_.find<F>(name)(arguments...) == CUSPARSE_STATUS_SUCCESS);
    }

  private:
    template <class F, class Tuple, size_t... position>
    void ask_variants(const char* name, F* function, const Tuple& valid, std::index_sequence<position...>) {
        (ask_variants_of<position>(name, function, valid), ...);
    }
    template <size_t position, class F, class Tuple>
    void ask_variants_of(const char* name, F* function, const Tuple& valid) {
        for (const auto variant : variants(std::get<position>(valid))) {
            Tuple changed = valid;
            std::get<position>(changed) = variant;
            const std::string call = fmt::format("{}(argument {} = {})", name, position + 1, text(variant));
            answers_[call] = in_child([&] { return std::apply(function, changed); });
        }
    }

    library library_;
    answers& answers_;
};

#define ASK(name, ...) s.ask(#name, type_of<decltype(name)>, __VA_ARGS__)
#define MAKE(name, ...) s.make(#name, type_of<decltype(name)>, __VA_ARGS__)

constexpr auto i32 = CUSPARSE_INDEX_32I;
constexpr auto zero_based = CUSPARSE_INDEX_BASE_ZERO;
constexpr auto f64 = CUDA_R_64F;

// Arrays of a 4 x 3 matrix with 4 elements.
alignas(16) double values[64];
int32_t offsets[8] = {0, 1, 2, 3, 4}, rows[8] = {0, 1, 2, 3}, columns[16] = {0, 1, 2, 0};

void vectors(session& s) {
    cusparseSpVecDescr_t sparse = nullptr, kept_sparse = nullptr;
    cusparseDnVecDescr_t dense = nullptr, kept_dense = nullptr;
    cusparseConstSpVecDescr_t const_sparse = nullptr;
    cusparseConstDnVecDescr_t const_dense = nullptr;
    int64_t size, nnz;
    void *a, *b;
    const void* c;
    cusparseIndexType_t index_type;
    cusparseIndexBase_t base;
    cudaDataType type;
    MAKE(cusparseCreateSpVec, &kept_sparse, int64_t{8}, int64_t{4}, rows, values, i32, zero_based, f64);
    MAKE(cusparseCreateDnVec, &kept_dense, int64_t{8}, values, f64);
    ASK(cusparseCreateSpVec, &sparse, int64_t{8}, int64_t{4}, static_cast<void*>(rows),
        static_cast<void*>(values), i32, zero_based, f64);
    ASK(cusparseCreateConstSpVec, &const_sparse, int64_t{8}, int64_t{4}, static_cast<const void*>(rows),
        static_cast<const void*>(values), i32, zero_based, f64);
    ASK(cusparseCreateDnVec, &dense, int64_t{8}, static_cast<void*>(values), f64);
    ASK(cusparseCreateConstDnVec, &const_dense, int64_t{8}, static_cast<const void*>(values), f64);
    ASK(cusparseSpVecGet, kept_sparse, &size, &nnz, &a, &b, &index_type, &base, &type);
    ASK(cusparseSpVecGetIndexBase, kept_sparse, &base);
    ASK(cusparseSpVecGetValues, kept_sparse, &a);
    ASK(cusparseConstSpVecGetValues, kept_sparse, &c);
    ASK(cusparseSpVecSetValues, kept_sparse, static_cast<void*>(values));
    ASK(cusparseDnVecGet, kept_dense, &size, &a, &type);
    ASK(cusparseDnVecGetValues, kept_dense, &a);
    ASK(cusparseDnVecSetValues, kept_dense, static_cast<void*>(values));
}

void dense_matrices(session& s) {
    cusparseDnMatDescr_t made = nullptr, kept = nullptr;
    cusparseConstDnMatDescr_t const_made = nullptr;
    int64_t m, n, ld, stride;
    void* a;
    cudaDataType type;
    cusparseOrder_t order;
    int count;
    MAKE(cusparseCreateDnMat, &kept, int64_t{4}, int64_t{3}, int64_t{4}, values, f64, CUSPARSE_ORDER_COL);
    ASK(cusparseCreateDnMat, &made, int64_t{4}, int64_t{3}, int64_t{4}, static_cast<void*>(values), f64,
        CUSPARSE_ORDER_COL);
    ASK(cusparseCreateConstDnMat, &const_made, int64_t{4}, int64_t{3}, int64_t{3},
        static_cast<const void*>(values), f64, CUSPARSE_ORDER_ROW);
    ASK(cusparseDnMatGet, kept, &m, &n, &ld, &a, &type, &order);
    ASK(cusparseDnMatGetValues, kept, &a);
    ASK(cusparseDnMatSetValues, kept, static_cast<void*>(values));
    ASK(cusparseDnMatSetStridedBatch, kept, 2, int64_t{12});
    ASK(cusparseDnMatGetStridedBatch, kept, &count, &stride);
}

void compressed_matrices(session& s) {
    cusparseSpMatDescr_t made = nullptr, coo = nullptr, csr = nullptr, csc = nullptr;
    int64_t m, n, nnz;
    void *a, *b, *c;
    cusparseIndexType_t index_type, other;
    cusparseIndexBase_t base;
    cudaDataType type;
    const int64_t four = 4, three = 3;
    void* const o = offsets;
    void* const r = rows;
    void* const k = columns;
    void* const v = values;
    MAKE(cusparseCreateCoo, &coo, four, three, four, r, k, v, i32, zero_based, f64);
    MAKE(cusparseCreateCsr, &csr, four, three, four, o, k, v, i32, i32, zero_based, f64);
    MAKE(cusparseCreateCsc, &csc, four, three, four, o, k, v, i32, i32, zero_based, f64);
    ASK(cusparseCreateCoo, &made, four, three, four, r, k, v, i32, zero_based, f64);
    ASK(cusparseCreateCsr, &made, four, three, four, o, k, v, i32, i32, zero_based, f64);
    ASK(cusparseCreateCsc, &made, four, three, four, o, k, v, i32, i32, zero_based, f64);
    ASK(cusparseCooGet, coo, &m, &n, &nnz, &a, &b, &c, &index_type, &base, &type);
    ASK(cusparseCsrGet, csr, &m, &n, &nnz, &a, &b, &c, &index_type, &other, &base, &type);
    ASK(cusparseCscGet, csc, &m, &n, &nnz, &a, &b, &c, &index_type, &other, &base, &type);
    ASK(cusparseCooSetPointers, coo, r, k, v);
    ASK(cusparseCsrSetPointers, csr, o, k, v);
    ASK(cusparseCscSetPointers, csc, o, k, v);
    ASK(cusparseCooSetStridedBatch, coo, 2, int64_t{4});
    ASK(cusparseCsrSetStridedBatch, csr, 2, int64_t{5}, int64_t{4});
}

void blocked_matrices(session& s) {
    cusparseSpMatDescr_t made = nullptr, bsr = nullptr;
    const int64_t two = 2, four = 4;
    void* const o = offsets;
    void* const k = columns;
    void* const v = values;
    MAKE(cusparseCreateBsr, &bsr, two, two, four, two, two, o, k, v, i32, i32, zero_based, f64,
         CUSPARSE_ORDER_ROW);
    ASK(cusparseCreateBsr, &made, two, two, four, two, two, o, k, v, i32, i32, zero_based, f64,
        CUSPARSE_ORDER_ROW);
    ASK(cusparseCreateSlicedEll, &made, four, int64_t{3}, four, four, two, o, k, v, i32, i32, zero_based,
        f64);
    ASK(cusparseCreateBlockedEll, &made, four, four, two, two, k, v, i32, zero_based, f64);
    ASK(cusparseBsrSetStridedBatch, bsr, 2, int64_t{3}, int64_t{4}, int64_t{16});
}

void attributes(session& s) {
    cusparseSpMatDescr_t csr = nullptr;
    cusparseMatDescr_t legacy = nullptr;
    int64_t m, n, nnz;
    cusparseFormat_t format;
    cusparseIndexBase_t base;
    cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
    void* a;
    int count;
    MAKE(cusparseCreateCsr, &csr, int64_t{4}, int64_t{4}, int64_t{4}, offsets, columns, values, i32, i32,
         zero_based, f64);
    ASK(cusparseSpMatGetFormat, csr, &format);
    ASK(cusparseSpMatGetIndexBase, csr, &base);
    ASK(cusparseSpMatGetSize, csr, &m, &n, &nnz);
    ASK(cusparseSpMatGetValues, csr, &a);
    ASK(cusparseSpMatSetValues, csr, static_cast<void*>(values));
    ASK(cusparseSpMatGetStridedBatch, csr, &count);
    ASK(cusparseSpMatSetAttribute, csr, CUSPARSE_SPMAT_FILL_MODE, static_cast<void*>(&fill), sizeof fill);
    ASK(cusparseSpMatGetAttribute, csr, CUSPARSE_SPMAT_FILL_MODE, static_cast<void*>(&fill), sizeof fill);

    MAKE(cusparseCreateMatDescr, &legacy);
    ASK(cusparseSetMatType, legacy, CUSPARSE_MATRIX_TYPE_GENERAL);
    ASK(cusparseSetMatFillMode, legacy, CUSPARSE_FILL_MODE_LOWER);
    ASK(cusparseSetMatDiagType, legacy, CUSPARSE_DIAG_TYPE_NON_UNIT);
    ASK(cusparseSetMatIndexBase, legacy, zero_based);
}

const deviation deviations[] = {
    // Types that exist but that nothing computes with are legal and unbuilt; with NVIDIA's they are invalid.
    {"cusparseCreate", invalid, unsupported},
    // 16-bit indices are unbuilt. NVIDIA's makes the descriptor and refuses the operations.
    {"cusparseCreateCoo(argument 8 = 1)", success, unsupported},
    {"cusparseCreateSpVec(argument 6 = 1)", success, unsupported},
    {"cusparseCreateConstSpVec(argument 6 = 1)", success, unsupported},
    {"cusparseCreateBlockedEll(argument 8 = 1)", success, unsupported},
    // 64-bit offsets with 32-bit indices.
    {"cusparseCreateCsr(argument 8 = 3)", unsupported, success},
    {"cusparseCreateCsc(argument 8 = 3)", unsupported, success},
    {"cusparseCreateBsr(argument 10 = 3)", unsupported, success},
    {"cusparseCreateSlicedEll(argument 10 = 3)", unsupported, success},
    // Blocks need not be square, nor the last ones whole, and there may be none.
    {"cusparseCreateBsr(argument 5 = ", invalid, success},
    {"cusparseCreateBsr(argument 6 = ", invalid, success},
    {"cusparseCreateBlockedEll(argument 2 = ", invalid, success},
    {"cusparseCreateBlockedEll(argument 3 = ", invalid, success},
    // Slices without rows hold no matrix.
    {"cusparseCreateSlicedEll(argument 6 = 0)", success, invalid},
    {"cusparseDnVecGetValues(argument ", crash, invalid},
};

bool is_meant(const std::string& call, int nvidias, int ours) {
    for (const deviation& d : deviations)
        if (heron::test::is_meant(d, call, nvidias, ours)) return true;
    return false;
}

answers answers_of(const std::string& path) {
    answers a;
    session s(path, a);
    vectors(s);
    dense_matrices(s);
    compressed_matrices(s);
    blocked_matrices(s);
    attributes(s);
    return a;
}

}  // namespace

TEST_CASE("descriptors answer as NVIDIA's do") {
    const answers nvidias = answers_of(nvidias_path());
    const answers ours = answers_of(HERON_CUSPARSE);
    REQUIRE(nvidias.size() == ours.size());
    REQUIRE(nvidias.size() > 300);
    for (const auto& [call, status] : nvidias) {
        INFO(call);
        if (!is_meant(call, status, ours.at(call))) CHECK(ours.at(call) == status);
    }
}
