// CBLAS over clBLAS on the first OpenCL device: every function copies its arrays to buffers, calls clBLAS,
// and copies them back. It is preloaded into the test programs of reference BLAS.
#include "typed.hpp"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

using namespace heron::test::cl;

enum : int { by_rows = 101, no_trans = 111, on_the_left = 141 };

[[noreturn]] void give_up(const char* what, int status) {
    std::fprintf(stderr, "cblas over clBLAS: %s (%d)\n", what, status);
    std::_Exit(3);
}

void check(const char* what, cl_int status) {
    if (status != CL_SUCCESS) give_up(what, status);
}

// Who runs the tests learns that they came here.
int calls = 0;
void say_calls() { std::fprintf(stderr, "cblas over clBLAS: %d calls\n", calls); }

struct device {
    device() {
        cl_platform_id platform = nullptr;
        cl_device_id id = nullptr;
        check("clGetPlatformIDs", clGetPlatformIDs(1, &platform, nullptr));
        check("clGetDeviceIDs", clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &id, nullptr));
        cl_int code = CL_SUCCESS;
        context = clCreateContext(nullptr, 1, &id, nullptr, nullptr, &code);
        check("clCreateContext", code);
        queue = clCreateCommandQueue(context, id, 0, &code);
        check("clCreateCommandQueue", code);
        check("clblasSetup", clblasSetup());
        std::atexit(say_calls);
    }

    cl_context context = nullptr;
    cl_command_queue queue = nullptr;
};

device& the_device() {
    static device& d = *new device;
    return d;
}

// An array of the caller's for the time of a call. Only what a function may write comes back.
class array {
  public:
    array(std::size_t bytes, const void* host, std::size_t least = 1) { write(bytes, host, least); }
    array(std::size_t bytes, void* host) : host_(host), bytes_(bytes) { write(bytes, host, 1); }
    ~array() {
        if (host_ && bytes_ > 0)
            check("clEnqueueReadBuffer", clEnqueueReadBuffer(the_device().queue, memory_, CL_TRUE, 0, bytes_,
                                                             host_, 0, nullptr, nullptr));
        clReleaseMemObject(memory_);
    }
    array(const array&) = delete;
    array& operator=(const array&) = delete;

    cl_mem get() const { return memory_; }

  private:
    void write(std::size_t bytes, const void* host, std::size_t least) {
        cl_int code = CL_SUCCESS;
        memory_ = clCreateBuffer(the_device().context, CL_MEM_READ_WRITE, bytes < least ? least : bytes,
                                 nullptr, &code);
        check("clCreateBuffer", code);
        if (bytes > 0)
            check("clEnqueueWriteBuffer", clEnqueueWriteBuffer(the_device().queue, memory_, CL_TRUE, 0, bytes,
                                                               host, 0, nullptr, nullptr));
    }

    void* host_ = nullptr;
    std::size_t bytes_ = 0;
    cl_mem memory_ = nullptr;
};

std::size_t elements(int lines, int length, int step) {
    if (lines <= 0 || length <= 0) return 0;
    return static_cast<std::size_t>(lines - 1) * static_cast<std::size_t>(step) +
           static_cast<std::size_t>(length);
}

template <class T>
struct vector : array {
    template <class Host>
    vector(int n, Host* host, int inc) : array(elements(n, 1, std::abs(inc)) * sizeof(T), host) {}
};

template <class T>
struct matrix : array {
    template <class Host>
    matrix(int order, int m, int n, Host* host, int ld)
        : array((order == by_rows ? elements(m, n, ld) : elements(n, m, ld)) * sizeof(T), host) {}
};

// `count` lines with a band's diagonals; in memory there may be only so many that have elements of the
// matrix.
template <class T>
struct band : array {
    band(int count, int with_elements, int diagonals, const void* host, int ld)
        : array(elements(std::min(count, with_elements), diagonals, ld) * sizeof(T), host,
                elements(count, diagonals, ld) * sizeof(T)) {}
};

template <class T>
struct packed : array {
    template <class Host>
    packed(int n, Host* host) : array(elements(1, n * (n + 1) / 2, 0) * sizeof(T), host) {}
};

// The matrix whose operation is m x n.
template <class T>
matrix<T> operated(int order, int trans, int m, int n, const void* host, int ld) {
    return trans == no_trans ? matrix<T>(order, m, n, host, ld) : matrix<T>(order, n, m, host, ld);
}

// A value of CBLAS's enumerations as clBLAS has it.
int known(int value) {
    switch (value) {
        case 101: return clblasRowMajor;
        case 102: return clblasColumnMajor;
        case 111: return clblasNoTrans;
        case 112: return clblasTrans;
        case 113: return clblasConjTrans;
        case 121: return clblasUpper;
        case 122: return clblasLower;
        case 131: return clblasNonUnit;
        case 132: return clblasUnit;
        case 141: return clblasLeft;
        case 142: return clblasRight;
        default: give_up("no value of CBLAS's enumerations", value);
    }
}

template <class T>
T value_of(T number) {
    return number;
}
template <class T>
T value_of(const void* number) {
    T value;
    std::memcpy(&value, number, sizeof value);
    return value;
}

template <class T>
using on = typed<T, false>;

template <class Function, class... A>
void run(Function function, A... arguments) {
    ++calls;
    check("a function of clBLAS",
          invoke(function, arguments..., 1, &the_device().queue, 0, nullptr, nullptr));
}

template <class T, class Function>
void dot(Function function, int n, const void* x, int incx, const void* y, int incy, void* result) {
    std::memset(result, 0, sizeof(T));
    if (n <= 0) return;
    const vector<T> dx(n, x, incx), dy(n, y, incy), to(1, result, 1);
    run(function, n, to.get(), 0, dx.get(), 0, incx, dy.get(), 0, incy, nullptr);
}

template <class T, class Result, class Function>
Result norm(Function function, int n, const void* x, int incx) {
    Result result{};
    if (n <= 0) return result;
    {
        const vector<T> dx(n, x, incx);
        const vector<Result> to(1, &result, 1);
        run(function, n, to.get(), 0, dx.get(), 0, incx, nullptr);
    }
    return result;
}

template <class T, class Function>
void one_sided(Function function, int order, int side, int uplo, int m, int n, T alpha, const void* a,
               int lda, const void* b, int ldb, T beta, void* c, int ldc) {
    if (m <= 0 || n <= 0) return;
    const int size = side == on_the_left ? m : n;
    const matrix<T> da(order, size, size, a, lda), db(order, m, n, b, ldb), dc(order, m, n, c, ldc);
    run(function, known(order), known(side), known(uplo), m, n, alpha, da.get(), 0, lda, db.get(), 0, ldb,
        beta, dc.get(), 0, ldc);
}

template <class T, class Function, class Scalar>
void rank_k(Function function, int order, int uplo, int trans, int n, int k, Scalar alpha, const void* a,
            int lda, Scalar beta, void* c, int ldc) {
    if (n <= 0) return;
    const auto da = operated<T>(order, trans, n, k, a, lda);
    const matrix<T> dc(order, n, n, c, ldc);
    run(function, known(order), known(uplo), known(trans), n, k, alpha, da.get(), 0, lda, beta, dc.get(), 0,
        ldc);
}

template <class T, class Function, class Scalar>
void rank_2k(Function function, int order, int uplo, int trans, int n, int k, T alpha, const void* a, int lda,
             const void* b, int ldb, Scalar beta, void* c, int ldc) {
    if (n <= 0) return;
    const auto da = operated<T>(order, trans, n, k, a, lda), db = operated<T>(order, trans, n, k, b, ldb);
    const matrix<T> dc(order, n, n, c, ldc);
    run(function, known(order), known(uplo), known(trans), n, k, alpha, da.get(), 0, lda, db.get(), 0, ldb,
        beta, dc.get(), 0, ldc);
}

template <class T, class Function>
void triangular(Function function, int order, int side, int uplo, int trans, int diag, int m, int n, T alpha,
                const void* a, int lda, void* b, int ldb) {
    if (m <= 0 || n <= 0) return;
    const int size = side == on_the_left ? m : n;
    const matrix<T> da(order, size, size, a, lda), db(order, m, n, b, ldb);
    run(function, known(order), known(side), known(uplo), known(trans), known(diag), m, n, alpha, da.get(), 0,
        lda, db.get(), 0, ldb);
}

}  // namespace

// Included for each scalar type; CBLAS_NAMED(letter, name) is a function's full name.
#define HERON_NAMED CBLAS_NAMED
#define HERON_TYPE_S cl_float
#define HERON_TYPE_D cl_double
#define HERON_TYPE_C FloatComplex
#define HERON_TYPE_Z DoubleComplex

#pragma GCC visibility push(default)
extern "C" {
// The test programs tell reference CBLAS's error handler the order by it.
int RowMajorStrg = 0;

#define CBLAS_S(name) cblas_s##name
#define CBLAS_D(name) cblas_d##name
#define CBLAS_C(name) cblas_c##name
#define CBLAS_Z(name) cblas_z##name
#define CBLAS_NAMED(letter, name) CBLAS_##letter(name)
#define HERON_FAMILY "facade/clblas/cblas_over_clblas.inc"
#include <foreach_type.inc>
#undef HERON_FAMILY
#undef CBLAS_C
#undef CBLAS_Z

#define CBLAS_C(name) cblas_sc##name
#define CBLAS_Z(name) cblas_dz##name
#define HERON_FAMILY "facade/clblas/cblas_results_over_clblas.inc"
#include <foreach_type.inc>
#undef HERON_FAMILY
#undef CBLAS_NAMED

#define CBLAS_NAMED(letter, name) CBLAS_INDEX_##letter(name)
#define CBLAS_INDEX_S(name) cblas_is##name
#define CBLAS_INDEX_D(name) cblas_id##name
#define CBLAS_INDEX_C(name) cblas_ic##name
#define CBLAS_INDEX_Z(name) cblas_iz##name
#define HERON_FAMILY "facade/clblas/cblas_index_over_clblas.inc"
#include <foreach_type.inc>
#undef HERON_FAMILY

void cblas_csscal(int n, float alpha, void* x, int incx) {
    if (n <= 0) return;
    const vector<FloatComplex> dx(n, x, incx);
    run(on<FloatComplex>::real_scal, n, alpha, dx.get(), 0, incx);
}

void cblas_zdscal(int n, double alpha, void* x, int incx) {
    if (n <= 0) return;
    const vector<DoubleComplex> dx(n, x, incx);
    run(on<DoubleComplex>::real_scal, n, alpha, dx.get(), 0, incx);
}
}
#pragma GCC visibility pop
