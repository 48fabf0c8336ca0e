#include "calls_rig.hpp"

namespace heron::test {

cublasHandle_t cublas() {
    static const cublasHandle_t handle = [] {
        native();  // ends the process where the backend cannot be used
        cublasHandle_t made = nullptr;
        expect(cublasCreate_v2(&made));
        return made;
    }();
    return handle;
}

void expect(cublasStatus_t actual, cublasStatus_t expected, std::source_location where) {
    INFO(where.file_name() << ":" << where.line());
    REQUIRE(std::string(cublasGetStatusName(actual)) == cublasGetStatusName(expected));
}

namespace {

std::vector<number> random_numbers(cudaDataType type, int64_t count, random_source& random) {
    std::vector<number> values(static_cast<size_t>(count));
    for (number& v : values) v = {random.symmetric_unit(), is_complex(type) ? random.symmetric_unit() : 0};
    return values;
}

}  // namespace

numbers::numbers(cudaDataType type, int64_t count, random_source& random)
    : numbers(type, random_numbers(type, count, random)) {}

numbers::numbers(cudaDataType type, std::vector<number> values)
    : type_(type),
      values_(rounded(type, std::move(values))),
      memory_(values_.size() * size_of(type), 0, encode(type, values_).data()) {}

elements full_matrix(const numbers& a, int64_t ld, int64_t first) {
    return [&a, ld, first](int64_t i, int64_t j) { return a[first + i + j * ld]; };
}

elements operated(const elements& a, cublasOperation_t op) {
    return [a, op](int64_t i, int64_t j) {
        const number v = op == CUBLAS_OP_N ? a(i, j) : a(j, i);
        return op == CUBLAS_OP_C ? std::conj(v) : v;
    };
}

elements symmetric(const elements& a, cublasFillMode_t fill, bool hermitian) {
    return [=](int64_t i, int64_t j) {
        const bool stored = fill == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j;
        if (hermitian && i == j) return number{a(i, i).real()};
        if (stored) return a(i, j);
        return hermitian ? std::conj(a(j, i)) : a(j, i);
    };
}

elements triangular(const elements& a, cublasFillMode_t fill, cublasDiagType_t diag) {
    return [=](int64_t i, int64_t j) {
        if (i == j && diag == CUBLAS_DIAG_UNIT) return number{1};
        const bool stored = fill == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j;
        return stored ? a(i, j) : number{};
    };
}

number dot(const elements& a, const elements& b, int64_t i, int64_t j, int64_t k) {
    number sum{};
    for (int64_t l = 0; l < k; ++l) sum += product(a(i, l), b(l, j));
    return sum;
}

void check_matrix(const numbers& c, int64_t m, int64_t n, int64_t ld, const elements& expected,
                  double magnitude, int64_t first) {
    const std::vector<number> now = c.now();
    const bool is_double = test::is_double(c.type());
    const double bound = magnitude * (is_double ? 1e-13 : 1e-5);
    for (int64_t k = 0; k < static_cast<int64_t>(now.size()); ++k) {
        const int64_t place = k - first, i = place % ld, j = place / ld;
        const bool written = place >= 0 && i < m && j < n;
        const number wanted = written ? expected(i, j) : c[k];
        CAPTURE(k, i, j, wanted, now[static_cast<size_t>(k)]);
        REQUIRE(absolute(now[static_cast<size_t>(k)] - wanted) <= (written ? bound : 0));
    }
}

}  // namespace heron::test
