// Operations beside NVIDIA's own library on a GPU: every function is called with valid arguments and with one
// argument changed at a time, in both libraries; statuses and, where both succeed, results must be the same.
// Without a GPU or NVIDIA's library (HERON_NVIDIA_CUSPARSE, or where a CUDA toolkit has it) the test counts
// as skipped.
#include "parity.hpp"
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmath>
#include <cstring>
#include <map>
#include <sstream>
#include <tuple>
#include <typeindex>
#include <utility>

namespace heron::test {

inline std::vector<cusparseOperation_t> variants(cusparseOperation_t) {
    return {CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE,
            CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, cusparseOperation_t(3), cusparseOperation_t(-1)};
}
// A workspace that is NULL is an illegal address to NVIDIA's kernels, which ends the context.
inline std::vector<void*> variants(void*) { return {}; }
template <class Enum>
std::vector<Enum> numbers(int last) {
    std::vector<Enum> all;
    for (int value = -1; value <= last; ++value) all.push_back(static_cast<Enum>(value));
    return all;
}
inline auto variants(cusparseSpMVAlg_t) { return numbers<cusparseSpMVAlg_t>(8); }
inline auto variants(cusparseSpMMAlg_t) { return numbers<cusparseSpMMAlg_t>(16); }
inline auto variants(cusparseSDDMMAlg_t) { return numbers<cusparseSDDMMAlg_t>(1); }
inline auto variants(cusparseSpSVAlg_t) { return numbers<cusparseSpSVAlg_t>(1); }
inline auto variants(cusparseSpSMAlg_t) { return numbers<cusparseSpSMAlg_t>(1); }
inline auto variants(cusparseSparseToDenseAlg_t) { return numbers<cusparseSparseToDenseAlg_t>(1); }
inline auto variants(cusparseDenseToSparseAlg_t) { return numbers<cusparseDenseToSparseAlg_t>(1); }

}  // namespace heron::test

namespace {

using namespace heron::test;

// The status where the device was left with an error: its number from here on.
constexpr int device_error = 10000;

struct answer {
    int status = 0;
    std::vector<double> outputs;
};
using answers = std::map<std::string, answer>;

constexpr auto i32 = CUSPARSE_INDEX_32I;
constexpr auto zero_based = CUSPARSE_INDEX_BASE_ZERO;
constexpr auto f64 = CUDA_R_64F;
constexpr auto column_order = CUSPARSE_ORDER_COL;

// Device memory that every call finds with the same content.
class memory {
  public:
    template <class T>
    T* make(std::vector<T> values) {
        values.resize(64);
        void* address = nullptr;
        if (cudaMalloc(&address, values.size() * sizeof(T)) != cudaSuccess) std::_Exit(1);
        std::vector<char> bytes(values.size() * sizeof(T));
        std::memcpy(bytes.data(), values.data(), bytes.size());
        arrays_.push_back({address, std::move(bytes), std::is_same_v<T, double>});
        return static_cast<T*>(address);
    }
    void reset() const {
        for (const array& a : arrays_)
            cudaMemcpy(a.address, a.bytes.data(), a.bytes.size(), cudaMemcpyHostToDevice);
    }
    std::vector<double> read() const {
        std::vector<double> all;
        for (const array& a : arrays_) {
            std::vector<char> now(a.bytes.size());
            cudaMemcpy(now.data(), a.address, now.size(), cudaMemcpyDeviceToHost);
            if (a.is_real)
                append<double>(all, now);
            else
                append<int>(all, now);
        }
        return all;
    }

  private:
    struct array {
        void* address;
        std::vector<char> bytes;
        bool is_real;
    };
    template <class T>
    static void append(std::vector<double>& all, const std::vector<char>& bytes) {
        std::vector<T> values(bytes.size() / sizeof(T));
        std::memcpy(values.data(), bytes.data(), bytes.size());
        all.insert(all.end(), values.begin(), values.end());
    }
    std::vector<array> arrays_;
};

// One library in a process of its own, which writes what it does into `to`. The first `skipped` calls are
// left out.
class session {
  public:
    session(const std::string& path, int to, int skipped) : library_(path), to_(to), skipped_(skipped) {}

    memory device;
    // Host memory that calls write to.
    double result = 0;
    size_t size = 0;

    // What a descriptor is changed to, beside NULL.
    template <class T>
    void add_other(T* descriptor) {
        others_[typeid(T*)].push_back(descriptor);
    }

    template <class... P>
    void make(const char* name, cusparseStatus_t (*)(P...), std::type_identity_t<P>... arguments) {
        if (library_.find<cusparseStatus_t(P...)>(name)(arguments...) != CUSPARSE_STATUS_SUCCESS)
            std::_Exit(1);
    }

    template <class... P>
    void ask(const std::string& scene, const char* name, cusparseStatus_t (*)(P...),
             std::type_identity_t<P>... arguments) {
        const std::tuple<P...> valid(arguments...);
        auto* const function = library_.find<cusparseStatus_t(P...)>(name);
        const std::string call = std::string(name) + "[" + scene + "]";
        record(call + "()", function, valid);
        ask_variants(call, function, valid, std::index_sequence_for<P...>());
    }

  private:
    template <class F, class Tuple, size_t... position>
    void ask_variants(const std::string& call, F* function, const Tuple& valid,
                      std::index_sequence<position...>) {
        (ask_variants_of<position>(call, function, valid), ...);
    }
    template <size_t position, class F, class Tuple>
    void ask_variants_of(const std::string& call, F* function, const Tuple& valid) {
        using T = std::tuple_element_t<position, Tuple>;
        const auto changed = [&](T value) {
            Tuple arguments = valid;
            std::get<position>(arguments) = value;
            return arguments;
        };
        for (const auto variant : variants(std::get<position>(valid)))
            record(fmt::format("{}(argument {} = {})", call, position + 1, text(variant)), function,
                   changed(variant));
        if constexpr (std::is_pointer_v<T>) {
            int number = 0;
            for (void* const other : others_[typeid(std::remove_cv_t<std::remove_pointer_t<T>>*)])
                record(fmt::format("{}(argument {} = other {})", call, position + 1, ++number), function,
                       changed(static_cast<T>(other)));
        }
    }

    template <class F, class Tuple>
    void record(const std::string& call, F* function, const Tuple& arguments) {
        if (skipped_-- > 0) return;
        say("begin " + call + "\n");
        device.reset();
        result = 0;
        size = 0;
        int status = std::apply(function, arguments);
        const cudaError_t error = cudaDeviceSynchronize();
        if (error != cudaSuccess) status = device_error + error;
        std::string line = fmt::format("end {} {:.17g}", status, result);
        if (error == cudaSuccess)
            for (const double value : device.read()) line += fmt::format(" {:.17g}", value);
        say(line + "\n");
        // The context is lost.
        if (error != cudaSuccess) std::_Exit(0);
    }

    void say(const std::string& text) const {
        if (write(to_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) std::_Exit(1);
    }

    library library_;
    int to_, skipped_;
    std::map<std::type_index, std::vector<void*>> others_;
};

#define ASK(scene, name, ...) s.ask(scene, #name, type_of<decltype(name)>, __VA_ARGS__)
#define MAKE(name, ...) s.make(#name, type_of<decltype(name)>, __VA_ARGS__)

// Scalars have room for the widest type.
double alpha[2] = {2, 0}, beta[2] = {3, 0};

struct scene {
    explicit scene(session& session) : s(session) {
        MAKE(cusparseCreate, &handle);
        dense_vectors();
        sparse_vectors();
        sparse_matrices();
        dense_matrices();
        if (cudaMalloc(&buffer, 1 << 22) != cudaSuccess) std::_Exit(1);
    }

    void dense_vectors() {
        double* const a = s.device.make<double>({1, 2, 3, 4, 5, 6, 7, 8});
        double* const b = s.device.make<double>({8, 7, 6, 5, 4, 3, 2, 1});
        MAKE(cusparseCreateDnVec, &x3, 3, a, f64);
        MAKE(cusparseCreateDnVec, &x4, 4, a, f64);
        MAKE(cusparseCreateDnVec, &y3, 3, b, f64);
        MAKE(cusparseCreateDnVec, &y4, 4, b, f64);
        MAKE(cusparseCreateDnVec, &y8, 8, b, f64);
        cusparseDnVecDescr_t longer = nullptr, single = nullptr;
        MAKE(cusparseCreateDnVec, &longer, 9, s.device.make<double>({1}), f64);
        MAKE(cusparseCreateDnVec, &single, 4, s.device.make<double>({1}), CUDA_R_32F);
        s.add_other(longer);
        s.add_other(single);
    }

    void sparse_vectors() {
        int* const indices = s.device.make<int>({1, 3, 4, 6});
        MAKE(cusparseCreateSpVec, &sparse, 8, 4, indices, s.device.make<double>({10, 20, 30, 40}), i32,
             zero_based, f64);
        cusparseSpVecDescr_t longer = nullptr, single = nullptr;
        MAKE(cusparseCreateSpVec, &longer, 9, 4, indices, s.device.make<double>({1}), i32, zero_based, f64);
        MAKE(cusparseCreateSpVec, &single, 8, 4, indices, s.device.make<double>({1}), i32, zero_based,
             CUDA_R_32F);
        s.add_other(longer);
        s.add_other(single);
    }

    // [1 . 2; . 3 .; 4 5 .; . . 6], a lower triangle of four rows, and an empty matrix of the first one's
    // pattern.
    void sparse_matrices() {
        int* const offsets = s.device.make<int>({0, 2, 3, 5, 6});
        int* const rows = s.device.make<int>({0, 0, 1, 2, 2, 3});
        int* const columns = s.device.make<int>({0, 2, 1, 0, 1, 2});
        double* const values = s.device.make<double>({1, 2, 3, 4, 5, 6});
        MAKE(cusparseCreateCsr, &csr, 4, 3, 6, offsets, columns, values, i32, i32, zero_based, f64);
        MAKE(cusparseCreateCoo, &coo, 4, 3, 6, rows, columns, values, i32, zero_based, f64);
        MAKE(cusparseCreateCsc, &csc, 4, 3, 6, s.device.make<int>({0, 2, 4, 6}),
             s.device.make<int>({0, 2, 1, 2, 0, 3}), s.device.make<double>({1, 4, 3, 5, 2, 6}), i32, i32,
             zero_based, f64);
        MAKE(cusparseCreateCsr, &triangle, 4, 4, 7, s.device.make<int>({0, 1, 3, 5, 7}),
             s.device.make<int>({0, 0, 1, 1, 2, 0, 3}), s.device.make<double>({2, 1, 4, 1, 5, 3, 8}), i32,
             i32, zero_based, f64);
        MAKE(cusparseCreateCsr, &compressed, 4, 2, 0, s.device.make<int>({0}), nullptr, nullptr, i32, i32,
             zero_based, f64);
        // Every call finds the offsets that the analysis of a dense matrix without zeros leaves.
        MAKE(cusparseCreateCsr, &full, 4, 2, 8, s.device.make<int>({0, 2, 4, 6, 8}), s.device.make<int>({0}),
             s.device.make<double>({0}), i32, i32, zero_based, f64);
        cusparseSpMatDescr_t larger = nullptr, single = nullptr;
        MAKE(cusparseCreateCsr, &larger, 5, 4, 6, s.device.make<int>({0, 2, 3, 5, 6, 6}), columns, values,
             i32, i32, zero_based, f64);
        MAKE(cusparseCreateCsr, &single, 4, 3, 6, offsets, columns, s.device.make<double>({1}), i32, i32,
             zero_based, CUDA_R_32F);
        s.add_other(larger);
        s.add_other(single);
    }

    void dense_matrices() {
        double* const a = s.device.make<double>({1, 2, 3, 4, 5, 6, 7, 8});
        double* const b = s.device.make<double>({8, 7, 6, 5, 4, 3, 2, 1, 9, 10, 11, 12});
        MAKE(cusparseCreateDnMat, &in3x2, 3, 2, 3, a, f64, column_order);
        MAKE(cusparseCreateDnMat, &in4x2, 4, 2, 4, a, f64, column_order);
        MAKE(cusparseCreateDnMat, &in2x3, 2, 3, 2, a, f64, column_order);
        MAKE(cusparseCreateDnMat, &out4x2, 4, 2, 4, b, f64, column_order);
        MAKE(cusparseCreateDnMat, &out4x3, 4, 3, 4, b, f64, column_order);
        cusparseDnMatDescr_t larger = nullptr, single = nullptr, by_rows = nullptr;
        MAKE(cusparseCreateDnMat, &larger, 5, 5, 5, s.device.make<double>({1}), f64, column_order);
        MAKE(cusparseCreateDnMat, &single, 4, 2, 4, s.device.make<double>({1}), CUDA_R_32F, column_order);
        MAKE(cusparseCreateDnMat, &by_rows, 4, 2, 2, s.device.make<double>({1}), f64, CUSPARSE_ORDER_ROW);
        s.add_other(larger);
        s.add_other(single);
        s.add_other(by_rows);
    }

    session& s;
    cusparseHandle_t handle = nullptr;
    cusparseDnVecDescr_t x3 = nullptr, x4 = nullptr, y3 = nullptr, y4 = nullptr, y8 = nullptr;
    cusparseSpVecDescr_t sparse = nullptr;
    cusparseSpMatDescr_t csr = nullptr, csc = nullptr, coo = nullptr, triangle = nullptr,
                         compressed = nullptr, full = nullptr;
    cusparseDnMatDescr_t in3x2 = nullptr, in4x2 = nullptr, in2x3 = nullptr, out4x2 = nullptr,
                         out4x3 = nullptr;
    void* buffer = nullptr;
};

void vectors(scene& p) {
    session& s = p.s;
    const double c = 0.6, sine = 0.8;
    ASK("", cusparseAxpby, p.handle, alpha, p.sparse, beta, p.y8);
    ASK("", cusparseGather, p.handle, p.y8, p.sparse);
    ASK("", cusparseScatter, p.handle, p.sparse, p.y8);
    ASK("", cusparseRot, p.handle, &c, &sine, p.sparse, p.y8);
    constexpr auto op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    ASK("", cusparseSpVV_bufferSize, p.handle, op, p.sparse, p.y8, &s.result, f64, &s.size);
    ASK("", cusparseSpVV, p.handle, op, p.sparse, p.y8, &s.result, f64, p.buffer);
}

void spmv(scene& p, const char* format, cusparseSpMatDescr_t a) {
    session& s = p.s;
    constexpr auto alg = CUSPARSE_SPMV_ALG_DEFAULT;
    for (const auto op : {CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE}) {
        const bool turned = op == CUSPARSE_OPERATION_TRANSPOSE;
        const auto x = turned ? p.x4 : p.x3;
        const auto y = turned ? p.y3 : p.y4;
        const std::string name = std::string(format) + (turned ? " T" : " N");
        ASK(name, cusparseSpMV_bufferSize, p.handle, op, alpha, a, x, beta, y, f64, alg, &s.size);
        ASK(name, cusparseSpMV_preprocess, p.handle, op, alpha, a, x, beta, y, f64, alg, p.buffer);
        ASK(name, cusparseSpMV, p.handle, op, alpha, a, x, beta, y, f64, alg, p.buffer);
    }
}

void conversions(scene& p) {
    session& s = p.s;
    constexpr auto to_dense = CUSPARSE_SPARSETODENSE_ALG_DEFAULT;
    constexpr auto to_sparse = CUSPARSE_DENSETOSPARSE_ALG_DEFAULT;
    ASK("", cusparseSparseToDense_bufferSize, p.handle, p.csr, p.out4x3, to_dense, &s.size);
    ASK("", cusparseSparseToDense, p.handle, p.csr, p.out4x3, to_dense, p.buffer);
    ASK("", cusparseDenseToSparse_bufferSize, p.handle, p.in4x2, p.compressed, to_sparse, &s.size);
    ASK("", cusparseDenseToSparse_analysis, p.handle, p.in4x2, p.compressed, to_sparse, p.buffer);
    MAKE(cusparseDenseToSparse_analysis, p.handle, p.in4x2, p.full, to_sparse, p.buffer);
    ASK("", cusparseDenseToSparse_convert, p.handle, p.in4x2, p.full, to_sparse, p.buffer);
}

void products(scene& p) {
    session& s = p.s;
    constexpr auto op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    constexpr auto spmm = CUSPARSE_SPMM_ALG_DEFAULT;
    constexpr auto sddmm = CUSPARSE_SDDMM_ALG_DEFAULT;
    ASK("", cusparseSpMM_bufferSize, p.handle, op, op, alpha, p.csr, p.in3x2, beta, p.out4x2, f64, spmm,
        &s.size);
    ASK("", cusparseSpMM, p.handle, op, op, alpha, p.csr, p.in3x2, beta, p.out4x2, f64, spmm, p.buffer);
    ASK("", cusparseSDDMM_bufferSize, p.handle, op, op, alpha, p.in4x2, p.in2x3, beta, p.csr, f64, sddmm,
        &s.size);
    ASK("", cusparseSDDMM, p.handle, op, op, alpha, p.in4x2, p.in2x3, beta, p.csr, f64, sddmm, p.buffer);
}

void triangular_solves(scene& p) {
    session& s = p.s;
    constexpr auto op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    constexpr auto sv = CUSPARSE_SPSV_ALG_DEFAULT;
    constexpr auto sm = CUSPARSE_SPSM_ALG_DEFAULT;
    cusparseSpSVDescr_t vector = nullptr;
    cusparseSpSMDescr_t matrix = nullptr;
    MAKE(cusparseSpSV_createDescr, &vector);
    MAKE(cusparseSpSM_createDescr, &matrix);
    ASK("", cusparseSpSV_bufferSize, p.handle, op, alpha, p.triangle, p.x4, p.y4, f64, sv, vector, &s.size);
    ASK("", cusparseSpSV_analysis, p.handle, op, alpha, p.triangle, p.x4, p.y4, f64, sv, vector, p.buffer);
    s.device.reset();
    MAKE(cusparseSpSV_analysis, p.handle, op, alpha, p.triangle, p.x4, p.y4, f64, sv, vector, p.buffer);
    ASK("", cusparseSpSV_solve, p.handle, op, alpha, p.triangle, p.x4, p.y4, f64, sv, vector);
    ASK("", cusparseSpSM_bufferSize, p.handle, op, op, alpha, p.triangle, p.in4x2, p.out4x2, f64, sm, matrix,
        &s.size);
    ASK("", cusparseSpSM_analysis, p.handle, op, op, alpha, p.triangle, p.in4x2, p.out4x2, f64, sm, matrix,
        p.buffer);
    s.device.reset();
    MAKE(cusparseSpSM_analysis, p.handle, op, op, alpha, p.triangle, p.in4x2, p.out4x2, f64, sm, matrix,
         p.buffer);
    ASK("", cusparseSpSM_solve, p.handle, op, op, alpha, p.triangle, p.in4x2, p.out4x2, f64, sm, matrix);
}

void perform(const std::string& path, int to, int skipped) {
    session s(path, to, skipped);
    scene p(s);
    vectors(p);
    spmv(p, "CSR", p.csr);
    spmv(p, "CSC", p.csc);
    spmv(p, "COO", p.coo);
    conversions(p);
    products(p);
    triangular_solves(p);
}

// Where Heron answers otherwise, and why: calls of functions whose names begin so, with this argument
// changed; 0 is any.
struct difference {
    const char* function;
    int argument;
    int nvidias, ours;
};
const difference differences[] = {
    // What exists but is not built, such as compute types and other formats' algorithms, is legal; with
    // NVIDIA's it is invalid.
    {"cusparse", 0, invalid, unsupported},
    // The conjugate of a real matrix or vector is itself.
    {"cusparseSpMV", 2, invalid, success},
    {"cusparseSpVV", 2, invalid, success},
    {"cusparseSpSV_bufferSize", 2, invalid, success},
    {"cusparseSpSV_analysis", 2, invalid, success},
    {"cusparseSpSM_bufferSize", 2, invalid, success},
    {"cusparseSpSM_analysis", 2, invalid, success},
    // NVIDIA's looks at vectors, types and a change of the operation only when it solves, or not at all.
    {"cusparseSpS", 0, success, invalid},
    {"cusparseSpS", 0, success, unsupported},
};

bool is_meant(const std::string& call, int nvidias, int ours) {
    for (const difference& d : differences) {
        const std::string argument =
            d.argument == 0 ? "(argument " : fmt::format("(argument {} = ", d.argument);
        const bool is_same_call = call.starts_with(d.function) && call.find(argument) != std::string::npos;
        if (is_same_call && d.nvidias == nvidias && d.ours == ours) return true;
    }
    return false;
}

std::string read_all(int from) {
    std::string text;
    char block[1 << 16];
    for (ssize_t n; (n = read(from, block, sizeof block)) > 0;) text.append(block, static_cast<size_t>(n));
    return text;
}

// Adds what a process reported and returns how many calls it began.
int take(const std::string& report, int wait_status, answers& to) {
    std::istringstream lines(report);
    std::string line, call;
    int begun = 0;
    while (std::getline(lines, line)) {
        if (line.starts_with("begin ")) {
            call = line.substr(6);
            to[call] = {WIFSIGNALED(wait_status) ? -WTERMSIG(wait_status) : device_error, {}};
            ++begun;
            continue;
        }
        std::istringstream fields(line.substr(4));
        answer& a = to[call];
        a.outputs.clear();
        fields >> a.status;
        for (std::string value; fields >> value;) a.outputs.push_back(std::strtod(value.c_str(), nullptr));
    }
    return begun;
}

// A call that ends the process, or the device's context, is followed by another process for the rest.
answers answers_of(const std::string& path) {
    answers all;
    for (int done = 0;;) {
        int ends[2];
        REQUIRE(pipe(ends) == 0);
        const pid_t child = fork();
        if (child == 0) {
            close(ends[0]);
            const int nowhere = open("/dev/null", O_WRONLY);
            dup2(nowhere, 1);
            dup2(nowhere, 2);
            for (const int signal : {SIGSEGV, SIGABRT, SIGBUS}) std::signal(signal, SIG_DFL);
            perform(path, ends[1], done);
            std::_Exit(0);
        }
        close(ends[1]);
        const std::string report = read_all(ends[0]);
        close(ends[0]);
        int status = 0;
        waitpid(child, &status, 0);
        const int begun = take(report, status, all);
        if (begun == 0) return all;
        done += begun;
    }
}

// The parent never touches the device: a process cannot use it after a fork.
void skip_without_device() {
    const pid_t child = fork();
    if (child == 0) {
        int count = 0;
        _exit(cudaGetDeviceCount(&count) == cudaSuccess && count > 0 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status == 0) return;
    std::puts("skipped: no CUDA device");
    std::fflush(stdout);
    std::_Exit(77);
}

bool is_close(double a, double b) {
    if (!std::isfinite(a) || !std::isfinite(b)) return a == b || (std::isnan(a) && std::isnan(b));
    return std::fabs(a - b) <= 1e-12 * (std::fabs(a) + std::fabs(b));
}

bool are_close(const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i)
        if (!is_close(a[i], b[i])) return false;
    return true;
}

}  // namespace

TEST_CASE("operations answer as NVIDIA's do") {
    skip_without_device();
    { const library present(nvidias_path()); }
    const answers nvidias = answers_of(nvidias_path());
    const answers ours = answers_of(HERON_CUSPARSE);
    CHECK(nvidias.size() == ours.size());
    REQUIRE(nvidias.size() > 1000);
    for (const auto& [call, theirs] : nvidias) {
        INFO(call);
        const auto found = ours.find(call);
        REQUIRE(found != ours.end());
        const answer& our = found->second;
        if (!is_meant(call, theirs.status, our.status)) CHECK(our.status == theirs.status);
        if (our.status == success && theirs.status == success) CHECK(are_close(our.outputs, theirs.outputs));
    }
}
