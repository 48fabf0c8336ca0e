// The oracle: what the operations mean, in the plainest words. Everything is held as std::complex<double>,
// whatever its type on the device, and nothing here is shared with the library.
#pragma once

#include <cusparse.h>
#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace heron::test {

// Holds every value of every storage type exactly.
using number = std::complex<double>;

// std::complex multiplies through a library call that repairs infinities; the oracle wants the textbook's.
inline number product(number a, number b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// std::abs without the time that it takes for numbers that are real, or whose square is far from overflow and
// underflow.
inline double absolute(number v) {
    if (v.imag() == 0) return std::fabs(v.real());
    const double square = v.real() * v.real() + v.imag() * v.imag();
    return square > 1e-280 && square < 1e280 ? std::sqrt(square) : std::abs(v);
}

// ---- element types ----

enum class encoding { integer, ieee };

struct type_facts {
    cudaDataType type;
    const char* name;
    std::size_t part_size;  // bytes of one real component
    bool complex;
    encoding kind;
    int mantissa_bits;  // stored ones
    int exponent_bits;
};

inline const type_facts& facts(cudaDataType type) {
    static constexpr type_facts all[] = {
        {CUDA_R_8I, "R_8I", 1, false, encoding::integer, 0, 0},
        {CUDA_R_32I, "R_32I", 4, false, encoding::integer, 0, 0},
        {CUDA_R_16F, "R_16F", 2, false, encoding::ieee, 10, 5},
        {CUDA_R_16BF, "R_16BF", 2, false, encoding::ieee, 7, 8},
        {CUDA_R_32F, "R_32F", 4, false, encoding::ieee, 23, 8},
        {CUDA_R_64F, "R_64F", 8, false, encoding::ieee, 52, 11},
        {CUDA_C_16F, "C_16F", 2, true, encoding::ieee, 10, 5},
        {CUDA_C_16BF, "C_16BF", 2, true, encoding::ieee, 7, 8},
        {CUDA_C_32F, "C_32F", 4, true, encoding::ieee, 23, 8},
        {CUDA_C_64F, "C_64F", 8, true, encoding::ieee, 52, 11},
    };
    for (const type_facts& f : all)
        if (f.type == type) return f;
    throw std::invalid_argument("not a type of the oracle");
}

inline std::size_t size_of(cudaDataType type) {
    return facts(type).part_size * (facts(type).complex ? 2 : 1);
}
inline bool is_integer(cudaDataType type) { return facts(type).kind == encoding::integer; }
inline bool is_complex(cudaDataType type) { return facts(type).complex; }
inline bool is_double(cudaDataType type) { return type == CUDA_R_64F || type == CUDA_C_64F; }

// Distance from 1 to the next number, and the smallest positive number; 0 for integers.
inline double epsilon(cudaDataType type) {
    return is_integer(type) ? 0.0 : std::ldexp(1.0, -facts(type).mantissa_bits);
}
inline double smallest(cudaDataType type) {
    if (is_integer(type)) return 0.0;
    return std::ldexp(1.0, 2 - (1 << (facts(type).exponent_bits - 1)) - facts(type).mantissa_bits);
}

// The bits of the number of the given format that is nearest to v, ties to even.
inline std::uint64_t encode_ieee(double v, int mantissa_bits, int exponent_bits) {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const std::uint64_t infinity = ((std::uint64_t{1} << exponent_bits) - 1) << mantissa_bits;
    const std::uint64_t sign = std::uint64_t{std::signbit(v)} << (mantissa_bits + exponent_bits);
    if (std::isnan(v)) return sign | infinity | (std::uint64_t{1} << (mantissa_bits - 1));
    if (std::isinf(v)) return sign | infinity;
    if (v == 0) return sign;
    const int exponent = std::max(std::ilogb(v), 1 - bias);
    // The hidden bit, and a carry of the rounding, add to the exponent field where they belong.
    const auto units =
        static_cast<std::uint64_t>(std::nearbyint(std::ldexp(std::abs(v), mantissa_bits - exponent)));
    const std::uint64_t magnitude =
        (static_cast<std::uint64_t>(exponent + bias - 1) << mantissa_bits) + units;
    return sign | std::min(magnitude, infinity);
}

inline double decode_ieee(std::uint64_t bits, int mantissa_bits, int exponent_bits) {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const std::uint64_t mantissa = bits & ((std::uint64_t{1} << mantissa_bits) - 1);
    const auto field = static_cast<int>((bits >> mantissa_bits) & ((std::uint64_t{1} << exponent_bits) - 1));
    const double sign = (bits >> (mantissa_bits + exponent_bits)) & 1 ? -1.0 : 1.0;
    if (field == (1 << exponent_bits) - 1)
        return mantissa ? std::numeric_limits<double>::quiet_NaN()
                        : sign * std::numeric_limits<double>::infinity();
    const double whole = static_cast<double>(mantissa) + (field > 0 ? std::ldexp(1.0, mantissa_bits) : 0.0);
    return sign * std::ldexp(whole, std::max(field, 1) - bias - mantissa_bits);
}

// The bits of one real component of a type, rounded to nearest, and what they stand for. The processor's own
// two formats are left to it, for time.
inline std::uint64_t encode_part(const type_facts& f, double part) {
    if (f.kind == encoding::integer) return static_cast<std::uint64_t>(static_cast<std::int64_t>(part));
    if (f.part_size == sizeof(double)) return std::bit_cast<std::uint64_t>(part);
    if (f.part_size == sizeof(float)) return std::bit_cast<std::uint32_t>(static_cast<float>(part));
    return encode_ieee(part, f.mantissa_bits, f.exponent_bits);
}
inline double decode_part(const type_facts& f, std::uint64_t bits) {
    const int unused = 64 - 8 * static_cast<int>(f.part_size);
    if (f.kind == encoding::integer)
        return static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
    if (f.part_size == sizeof(double)) return std::bit_cast<double>(bits);
    if (f.part_size == sizeof(float)) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    return decode_ieee(bits, f.mantissa_bits, f.exponent_bits);
}

// Elements of a type as they lie in memory (little-endian), rounded to nearest; and back.
inline std::vector<unsigned char> encode(cudaDataType type, const std::vector<number>& values) {
    const type_facts& f = facts(type);
    std::vector<unsigned char> bytes(values.size() * size_of(type));
    unsigned char* to = bytes.data();
    const auto put = [&](double part) {
        const std::uint64_t bits = encode_part(f, part);
        std::memcpy(to, &bits, f.part_size);
        to += f.part_size;
    };
    for (const number& v : values) {
        put(v.real());
        if (f.complex) put(v.imag());
    }
    return bytes;
}

inline number decode_element(const type_facts& f, const unsigned char* from) {
    const auto part = [&](std::size_t k) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, from + k * f.part_size, f.part_size);
        return decode_part(f, bits);
    };
    return {part(0), f.complex ? part(1) : 0.0};
}
inline std::vector<number> decode(cudaDataType type, const std::vector<unsigned char>& bytes) {
    const type_facts& f = facts(type);
    std::vector<number> values(bytes.size() / size_of(type));
    for (std::size_t k = 0; k < values.size(); ++k)
        values[k] = decode_element(f, bytes.data() + k * size_of(type));
    return values;
}

inline number rounded(cudaDataType type, number value) {
    const type_facts& f = facts(type);
    const auto part = [&](double v) { return decode_part(f, encode_part(f, v)); };
    return {part(value.real()), f.complex ? part(value.imag()) : 0.0};
}
inline std::vector<number> rounded(cudaDataType type, std::vector<number> values) {
    for (number& v : values) v = rounded(type, v);
    return values;
}

// ---- sparse matrices ----

struct entry {
    std::int64_t row, col;
    number value;
};

// A matrix as the list of its elements, in any order; elements at the same place add up.
struct entries {
    std::int64_t rows = 0, cols = 0;
    std::vector<entry> list{};
};

// The arrays of a matrix in one of cuSPARSE's formats. Indices and offsets include the base; unused arrays
// are empty.
struct sparse_arrays {
    cusparseFormat_t format{};
    std::int64_t rows = 0, cols = 0, nnz = 0;
    int base = 0;
    cusparseIndexType_t offset_type = CUSPARSE_INDEX_32I;
    cusparseIndexType_t index_type = CUSPARSE_INDEX_32I;
    cudaDataType type = CUDA_R_64F;
    std::vector<std::int64_t> offsets{}, row_indices{}, indices{};
    std::vector<number> values{};
    std::int64_t block_rows = 1, block_cols = 1;  // BSR; Blocked-ELL: both are the block size
    cusparseOrder_t block_order = CUSPARSE_ORDER_ROW;
    std::int64_t slice_size = 1;
    std::int64_t ell_cols = 0;
};

namespace expansion {

inline void coo(const sparse_arrays& a, std::vector<entry>& out) {
    for (std::size_t k = 0; k < a.values.size(); ++k)
        out.push_back({a.row_indices[k] - a.base, a.indices[k] - a.base, a.values[k]});
}

inline void compressed(const sparse_arrays& a, std::vector<entry>& out) {
    const bool by_rows = a.format == CUSPARSE_FORMAT_CSR;
    for (std::size_t line = 0; line + 1 < a.offsets.size(); ++line)
        for (std::int64_t k = a.offsets[line] - a.base; k < a.offsets[line + 1] - a.base; ++k) {
            const auto at = static_cast<std::size_t>(k);
            const std::int64_t major = static_cast<std::int64_t>(line), minor = a.indices[at] - a.base;
            out.push_back({by_rows ? major : minor, by_rows ? minor : major, a.values[at]});
        }
}

inline void bsr(const sparse_arrays& a, std::vector<entry>& out) {
    const bool by_rows = a.block_order == CUSPARSE_ORDER_ROW;
    for (std::size_t line = 0; line + 1 < a.offsets.size(); ++line)
        for (std::int64_t b = a.offsets[line] - a.base; b < a.offsets[line + 1] - a.base; ++b)
            for (std::int64_t r = 0; r < a.block_rows; ++r)
                for (std::int64_t c = 0; c < a.block_cols; ++c) {
                    const std::int64_t inside = by_rows ? r * a.block_cols + c : c * a.block_rows + r;
                    const std::int64_t block_col = a.indices[static_cast<std::size_t>(b)] - a.base;
                    out.push_back(
                        {static_cast<std::int64_t>(line) * a.block_rows + r, block_col * a.block_cols + c,
                         a.values[static_cast<std::size_t>(b * a.block_rows * a.block_cols + inside)]});
                }
}

// Slices are stored by columns: first the first element of each of the slice's rows. Column -1 pads.
inline void sliced_ell(const sparse_arrays& a, std::vector<entry>& out) {
    for (std::size_t slice = 0; slice + 1 < a.offsets.size(); ++slice) {
        const std::int64_t begin = a.offsets[slice] - a.offsets[0], end = a.offsets[slice + 1] - a.offsets[0];
        for (std::int64_t k = begin; k < end; ++k) {
            const auto at = static_cast<std::size_t>(k);
            const std::int64_t row =
                static_cast<std::int64_t>(slice) * a.slice_size + (k - begin) % a.slice_size;
            if (a.indices[at] != -1) out.push_back({row, a.indices[at] - a.base, a.values[at]});
        }
    }
}

// Values are rows x ell_cols in row order; a run of block_rows of these columns holds one block column, or
// none (-1).
inline void blocked_ell(const sparse_arrays& a, std::vector<entry>& out) {
    const std::int64_t slots = a.ell_cols / a.block_rows;
    for (std::int64_t row = 0; row < a.rows; ++row)
        for (std::int64_t k = 0; k < a.ell_cols; ++k) {
            const auto slot = static_cast<std::size_t>(row / a.block_rows * slots + k / a.block_rows);
            const std::int64_t col = (a.indices[slot] - a.base) * a.block_rows + k % a.block_rows;
            if (a.indices[slot] != -1 && col < a.cols)
                out.push_back({row, col, a.values[static_cast<std::size_t>(row * a.ell_cols + k)]});
        }
}

}  // namespace expansion

// The elements that the arrays store, explicit zeros included.
inline entries expand(const sparse_arrays& a) {
    entries result{a.rows, a.cols, {}};
    switch (a.format) {
        case CUSPARSE_FORMAT_COO: expansion::coo(a, result.list); break;
        case CUSPARSE_FORMAT_CSR:
        case CUSPARSE_FORMAT_CSC: expansion::compressed(a, result.list); break;
        case CUSPARSE_FORMAT_BSR: expansion::bsr(a, result.list); break;
        case CUSPARSE_FORMAT_SLICED_ELLPACK: expansion::sliced_ell(a, result.list); break;
        case CUSPARSE_FORMAT_BLOCKED_ELL: expansion::blocked_ell(a, result.list); break;
    }
    return result;
}

// The matrix as rows*cols numbers in row order.
inline std::vector<number> dense(const entries& a) {
    std::vector<number> result(static_cast<std::size_t>(a.rows * a.cols));
    for (const entry& e : a.list) result[static_cast<std::size_t>(e.row * a.cols + e.col)] += e.value;
    return result;
}

// ---- operations ----

// What a result must be, and how far each element may be off.
struct expectation {
    std::vector<number> value;
    std::vector<double> bound;
};

// A sum of `terms` products of absolute sum `magnitude`, computed in one type and rounded once to another.
inline double error_bound(cudaDataType compute, cudaDataType stored, std::int64_t terms, double magnitude,
                          number value) {
    const double summing = 2 * static_cast<double>(terms + 3) * epsilon(compute) * magnitude;
    return summing + epsilon(stored) * absolute(value) + 2 * smallest(stored) + 2 * smallest(compute);
}

inline std::int64_t rows_of(const entries& a, cusparseOperation_t op) {
    return op == CUSPARSE_OPERATION_NON_TRANSPOSE ? a.rows : a.cols;
}
inline std::int64_t cols_of(const entries& a, cusparseOperation_t op) {
    return op == CUSPARSE_OPERATION_NON_TRANSPOSE ? a.cols : a.rows;
}

// alpha*op(A)*x + beta*y. alpha = 0 reads neither A nor x, beta = 0 does not read y.
inline expectation spmv(const entries& a, cusparseOperation_t op, number alpha, const std::vector<number>& x,
                        number beta, const std::vector<number>& y, cudaDataType compute,
                        cudaDataType stored) {
    const std::size_t n = y.size();
    std::vector<number> sum(n);
    std::vector<double> magnitude(n);
    std::vector<std::int64_t> terms(n);
    for (const entry& e : a.list) {
        if (alpha == 0.0) break;
        const bool transposed = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
        const auto i = static_cast<std::size_t>(transposed ? e.col : e.row);
        const auto j = static_cast<std::size_t>(transposed ? e.row : e.col);
        const number v = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? std::conj(e.value) : e.value;
        sum[i] += product(v, x[j]);
        magnitude[i] += absolute(v) * absolute(x[j]);
        ++terms[i];
    }
    expectation result{std::vector<number>(n), std::vector<double>(n)};
    for (std::size_t i = 0; i < n; ++i) {
        const number kept = beta == 0.0 ? number{} : product(beta, y[i]);
        result.value[i] = product(alpha, sum[i]) + kept;
        result.bound[i] = error_bound(compute, stored, terms[i],
                                      absolute(alpha) * magnitude[i] + absolute(kept), result.value[i]);
    }
    return result;
}

// alpha*op(A)*B + beta*C; B is op(B) here. Matrices are in column order without gaps and have n columns.
inline expectation spmm(const entries& a, cusparseOperation_t op, number alpha, const std::vector<number>& b,
                        number beta, const std::vector<number>& c, std::int64_t n, cudaDataType compute,
                        cudaDataType stored) {
    const std::int64_t rows = rows_of(a, op), inner = cols_of(a, op);
    // In row order, so that what an element of A meets lies together.
    std::vector<number> x(b.size()), sum(c.size());
    for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < inner; ++i)
            x[static_cast<std::size_t>(i * n + j)] = b[static_cast<std::size_t>(j * inner + i)];
    std::vector<double> magnitude(c.size());
    std::vector<std::int64_t> terms(static_cast<std::size_t>(rows));
    for (const entry& e : a.list) {
        if (alpha == 0.0) break;
        const bool transposed = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
        const std::int64_t row = transposed ? e.col : e.row, from = transposed ? e.row : e.col;
        const number v = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? std::conj(e.value) : e.value;
        const double size = absolute(v);
        ++terms[static_cast<std::size_t>(row)];
        for (std::int64_t j = 0; j < n; ++j) {
            const auto to = static_cast<std::size_t>(row * n + j),
                       with = static_cast<std::size_t>(from * n + j);
            sum[to] += product(v, x[with]);
            magnitude[to] += size * absolute(x[with]);
        }
    }
    expectation result{std::vector<number>(c.size()), std::vector<double>(c.size())};
    for (std::size_t i = 0; i < c.size(); ++i) {
        const auto column = static_cast<std::int64_t>(i) / rows, row = static_cast<std::int64_t>(i) % rows;
        const auto at = static_cast<std::size_t>(row * n + column);
        const number kept = beta == 0.0 ? number{} : product(beta, c[i]);
        result.value[i] = product(alpha, sum[at]) + kept;
        result.bound[i] = error_bound(compute, stored, terms[static_cast<std::size_t>(row)],
                                      absolute(alpha) * magnitude[at] + absolute(kept), result.value[i]);
    }
    return result;
}

// alpha*(a*b) + beta*c at the places of c's elements, in the order of its list. a is c.rows x k and b is k x
// c.cols, both in row order. alpha = 0 reads neither a nor b, beta = 0 does not read c.
inline expectation sddmm(const entries& c, std::int64_t k, number alpha, const std::vector<number>& a,
                         const std::vector<number>& b, number beta, cudaDataType compute,
                         cudaDataType stored) {
    expectation result;
    for (const entry& e : c.list) {
        number sum;
        double magnitude = 0;
        for (std::int64_t l = 0; l < k && alpha != 0.0; ++l) {
            const number al = a[static_cast<std::size_t>(e.row * k + l)];
            const number bl = b[static_cast<std::size_t>(l * c.cols + e.col)];
            sum += product(al, bl);
            magnitude += absolute(al) * absolute(bl);
        }
        const number kept = beta == 0.0 ? number{} : product(beta, e.value);
        const number value = product(alpha, sum) + kept;
        result.value.push_back(value);
        result.bound.push_back(
            error_bound(compute, stored, k, absolute(alpha) * magnitude + absolute(kept), value));
    }
    return result;
}

// A sparse vector; indices are 0-based.
struct sparse_elements {
    std::int64_t size = 0;
    std::vector<std::int64_t> indices{};
    std::vector<number> values{};
};

// alpha*x + beta*y
inline expectation axpby(number alpha, const sparse_elements& x, number beta, const std::vector<number>& y,
                         cudaDataType compute, cudaDataType stored) {
    entries column{x.size, 1, {}};
    for (std::size_t k = 0; k < x.indices.size(); ++k) column.list.push_back({x.indices[k], 0, x.values[k]});
    expectation result =
        spmv(column, CUSPARSE_OPERATION_NON_TRANSPOSE, alpha, {1.0}, beta, y, compute, stored);
    // beta*y may be stored before alpha*x is added.
    for (std::size_t i = 0; i < y.size(); ++i)
        if (beta != 0.0) result.bound[i] += epsilon(stored) * std::abs(product(beta, y[i]));
    return result;
}

// The sum of op(x[k])*y[index of k].
inline expectation spvv(const sparse_elements& x, bool conjugate, const std::vector<number>& y,
                        cudaDataType compute) {
    entries row{1, x.size, {}};
    for (std::size_t k = 0; k < x.indices.size(); ++k)
        row.list.push_back({0, x.indices[k], conjugate ? std::conj(x.values[k]) : x.values[k]});
    return spmv(row, CUSPARSE_OPERATION_NON_TRANSPOSE, 1.0, y, 0.0, {0.0}, compute, compute);
}

// The left side op(A)*X of a triangular system and its right side alpha*B, which it must equal within
// rounding: a solution computed row by row is exact for a matrix and a right-hand side that differ in the
// last bits (Higham, "Accuracy and stability of numerical algorithms", theorem 8.5). Both are rows of
// `columns` numbers, as B and X are.
struct system_residual {
    std::vector<number> left;
    expectation right;
};

// The elements are those of the named triangle, without a unit diagonal. diagonal: n numbers in place of
// theirs, or none.
inline system_residual triangular_residual(const entries& triangle, cusparseOperation_t op,
                                           cusparseDiagType_t diag, const std::vector<number>& diagonal,
                                           number alpha, const std::vector<number>& b,
                                           const std::vector<number>& x, std::int64_t columns,
                                           cudaDataType type) {
    const std::size_t size = x.size();
    system_residual result{std::vector<number>(size), {std::vector<number>(size), std::vector<double>(size)}};
    std::vector<double> magnitude(size);
    std::vector<std::int64_t> terms(static_cast<std::size_t>(triangle.rows), 1);
    const auto add = [&](std::int64_t row, std::int64_t col, number v) {
        ++terms[static_cast<std::size_t>(row)];
        for (std::int64_t j = 0; j < columns; ++j) {
            const auto to = static_cast<std::size_t>(row * columns + j);
            const number term = product(v, x[static_cast<std::size_t>(col * columns + j)]);
            result.left[to] += term;
            magnitude[to] += std::abs(term);
        }
    };
    const bool conjugated = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
    const auto used = [&](number v) { return conjugated ? std::conj(v) : v; };
    for (const entry& e : triangle.list) {
        if (e.row == e.col && !diagonal.empty()) continue;
        op == CUSPARSE_OPERATION_NON_TRANSPOSE ? add(e.row, e.col, e.value)
                                               : add(e.col, e.row, used(e.value));
    }
    for (std::int64_t i = 0; i < triangle.rows; ++i) {
        if (diag == CUSPARSE_DIAG_TYPE_UNIT)
            add(i, i, 1.0);
        else if (!diagonal.empty())
            add(i, i, used(diagonal[static_cast<std::size_t>(i)]));
    }
    for (std::size_t k = 0; k < size; ++k) {
        result.right.value[k] = product(alpha, b[k]);
        const std::int64_t row_terms = terms[k / static_cast<std::size_t>(columns)];
        result.right.bound[k] =
            2 * error_bound(type, type, row_terms, magnitude[k] + std::abs(result.right.value[k]),
                            result.right.value[k]);
    }
    return result;
}

// A sparse product: C's pattern, rows sorted, and its values with their bounds.
struct sparse_expectation {
    std::vector<std::int64_t> offsets, columns;
    expectation values;
};

// op(m) by rows.
inline std::vector<std::vector<entry>> rows_of_op(const entries& m, cusparseOperation_t op) {
    std::vector<std::vector<entry>> rows(static_cast<std::size_t>(rows_of(m, op)));
    for (const entry& e : m.list) {
        const bool transposed = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
        const entry turned{transposed ? e.col : e.row, transposed ? e.row : e.col,
                           op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? std::conj(e.value) : e.value};
        rows[static_cast<std::size_t>(turned.row)].push_back(turned);
    }
    return rows;
}

// alpha*op(A)*op(B) + beta*C, where C's old values are those on the pattern of the product, in its order;
// they are read if beta is not 0. alpha = 0 reads no values of A and B.
inline sparse_expectation spgemm(const entries& a, cusparseOperation_t op_a, const entries& b,
                                 cusparseOperation_t op_b, number alpha, number beta,
                                 const std::vector<number>& c, cudaDataType compute, cudaDataType stored) {
    struct sum {
        number value{};
        double magnitude = 0;
        std::int64_t terms = 0;
    };
    const auto a_rows = rows_of_op(a, op_a), b_rows = rows_of_op(b, op_b);
    sparse_expectation result;
    result.offsets.push_back(0);
    for (const auto& row : a_rows) {
        std::map<std::int64_t, sum> sums;
        for (const entry& x : row)
            for (const entry& y : b_rows[static_cast<std::size_t>(x.col)]) {
                sum& s = sums[y.col];
                if (alpha == 0.0) continue;
                s.value += product(x.value, y.value);
                s.magnitude += absolute(x.value) * absolute(y.value);
                ++s.terms;
            }
        for (const auto& [col, s] : sums) {
            const std::size_t k = result.columns.size();
            const number kept = beta == 0.0 ? number{} : product(beta, c.at(k));
            const number value = (alpha == 0.0 ? number{} : product(alpha, s.value)) + kept;
            result.columns.push_back(col);
            result.values.value.push_back(value);
            result.values.bound.push_back(
                error_bound(compute, stored, s.terms, std::abs(alpha) * s.magnitude + std::abs(kept), value));
        }
        result.offsets.push_back(static_cast<std::int64_t>(result.columns.size()));
    }
    return result;
}

// A bound that comes from the result itself, like that of a residual, is infinite where the result is, and
// then tells nothing: only a finite bound holds, and within it neither NaN nor an infinity.
inline bool is_within(double error, double bound) { return std::isfinite(bound) && error <= bound; }

// Empty when every element is within its bound (a NaN never is), else the first that is not and how many.
inline std::string difference(const std::vector<number>& actual, const expectation& expected) {
    if (actual.size() != expected.value.size()) return "the sizes differ";
    std::size_t wrong = 0, first = 0;
    for (std::size_t i = actual.size(); i-- > 0;) {
        if (is_within(absolute(actual[i] - expected.value[i]), expected.bound[i])) continue;
        first = i;
        ++wrong;
    }
    if (wrong == 0) return {};
    const auto text = [](number v) { return fmt::format("{:.9g}{:+.9g}i", v.real(), v.imag()); };
    return fmt::format("{} of {} elements are wrong; element {} is {}, not {} within {:.3g}", wrong,
                       actual.size(), first, text(actual[first]), text(expected.value[first]),
                       expected.bound[first]);
}

}  // namespace heron::test
