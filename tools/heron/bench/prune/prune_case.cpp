#include "prune_case.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "matrix/generators.hpp"

namespace heron::tools {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// Halves get multiples of 2^-11, which all of them between -1 and 1 can be.
constexpr double half_steps = 2048;

template <class T>
T rounded(double value) {
    if constexpr (sizeof(T) != 2) {
        return static_cast<T>(value);
    } else {
        const double multiple = std::trunc(value * half_steps) / half_steps;
        int exponent = 0;
        const double fraction = std::frexp(std::abs(multiple), &exponent);
        int bits = multiple < 0 ? 0x8000 : 0;
        if (fraction > 0) bits |= (exponent + 14) << 10 | static_cast<int>(fraction * 2048 - 1024);
        const auto word = static_cast<std::uint16_t>(bits);
        T result;
        std::memcpy(static_cast<void*>(&result), &word, sizeof result);
        return result;
    }
}

// Numbers whose order is that of the absolute values.
template <class T>
double size_of(const T& value) {
    if constexpr (sizeof(T) != 2) {
        return std::abs(static_cast<double>(value));
    } else {
        std::uint16_t word;
        std::memcpy(&word, &value, sizeof word);
        return word & 0x7fff;
    }
}

template <class T>
std::vector<T> random_values(std::int64_t count, std::uint64_t seed) {
    std::vector<T> values(at(count));
#pragma omp parallel for
    for (std::int64_t k = 0; k < count; ++k) {
        splitmix64 random(seed + static_cast<std::uint64_t>(k));
        values[at(k)] = rounded<T>(random.symmetric_unit());
    }
    return values;
}

// The element that a percentage names, NVIDIA's way.
template <class T>
T ranked(std::vector<T> values, float percentage) {
    const auto size = static_cast<double>(values.size());
    const double place = std::ceil(size * (static_cast<double>(percentage) / 100)) - 1;
    const auto nth = values.begin() + static_cast<std::ptrdiff_t>(std::clamp(place, 0.0, size - 1));
    std::nth_element(values.begin(), nth, values.end(),
                     [](const T& x, const T& y) { return size_of(x) < size_of(y); });
    return *nth;
}

// Goes through a dense matrix as it lies in memory, whose columns come in their order in every row:
// f(row, column, element).
template <class T, class F>
void for_each_element(const prune_case<T>& what, F&& f) {
    const int lines = what.is_row_order ? what.rows : what.cols;
    const int length = what.is_row_order ? what.cols : what.rows;
    for (int line = 0; line < lines; ++line)
        for (int k = 0; k < length; ++k) {
            const T& element = what.dense[at(std::int64_t{line} * length + k)];
            what.is_row_order ? f(line, k, element) : f(k, line, element);
        }
}

template <class T>
void make_dense(prune_case<T>& what) {
    const double limit = size_of(what.threshold);
    if (what.function.is_generic || what.is("nnz") || what.is("nnzColumns"))
        for (T& element : what.dense)
            if (!(size_of(element) > limit)) element = T{};
    csr_arrays<T>& kept = what.kept;
    kept.offsets.assign(at(what.rows) + 1, 0);
    what.counts.assign(at(what.cols), 0);
    for_each_element(what, [&](int row, int column, const T& element) {
        if (!(size_of(element) > limit)) return;
        ++kept.offsets[at(row) + 1];
        ++what.counts[at(column)];
    });
    std::partial_sum(kept.offsets.begin(), kept.offsets.end(), kept.offsets.begin());
    if (what.is("nnz"))
        what.counts.assign(at(what.rows), 0),
            std::transform(kept.offsets.begin() + 1, kept.offsets.end(), kept.offsets.begin(),
                           what.counts.begin(), std::minus<>());
    std::vector<std::int32_t> next = kept.offsets;
    kept.columns.resize(at(kept.offsets.back()));
    kept.values.resize(kept.columns.size());
    for_each_element(what, [&](int row, int column, const T& element) {
        if (!(size_of(element) > limit)) return;
        const std::size_t to = at(next[at(row)]++);
        kept.columns[to] = column;
        kept.values[to] = element;
    });
}

template <class T>
void make_sparse(prune_case<T>& what) {
    const double limit = size_of(what.threshold);
    for (int row = 0; row < what.rows; ++row) {
        for (int k = what.sparse.offsets[at(row)]; k < what.sparse.offsets[at(row + 1)]; ++k) {
            if (!(size_of(what.sparse.values[at(k)]) > limit)) continue;
            what.kept.columns.push_back(what.sparse.columns[at(k)]);
            what.kept.values.push_back(what.sparse.values[at(k)]);
        }
        what.kept.offsets.push_back(what.kept.nnz());
        what.counts.push_back(what.kept.offsets[at(row + 1)] - what.kept.offsets[at(row)]);
    }
}

}  // namespace

const std::vector<prune_function>& prune_function_list() {
    static const std::vector<prune_function> all{
        {"pruneDense2csrNnz", true},
        {"pruneDense2csr", true},
        {"pruneDense2csrNnzByPercentage", true},
        {"pruneDense2csrByPercentage", true},
        {"pruneCsr2csrNnz", false},
        {"pruneCsr2csr", false},
        {"pruneCsr2csrNnzByPercentage", false},
        {"pruneCsr2csrByPercentage", false},
        {.name = "nnz", .takes_dense = true, .has_halves = false},
        {.name = "nnzColumns", .takes_dense = true, .has_halves = false},
        {.name = "nnz_compress", .takes_dense = false, .has_halves = false},
        {.name = "csr2csr_compress", .takes_dense = false, .has_halves = false},
        {.name = "DenseToSparse", .takes_dense = true, .is_generic = true},  // both of its steps
        {.name = "DenseToSparse_analysis", .takes_dense = true, .is_generic = true},
        {.name = "DenseToSparse_convert", .takes_dense = true, .is_generic = true},
        {.name = "SparseToDense", .takes_dense = true, .is_generic = true}};
    return all;
}

template <class T>
double prune_case<T>::bytes() const {
    const double element = sizeof(T), nnz = kept.nnz(), line = 4.0 * rows;
    const double read =
        element * static_cast<double>(function.takes_dense ? dense.size() : sparse.values.size()) +
        (function.takes_dense ? 0 : line);
    const bool writes = is("pruneDense2csr") || is("pruneDense2csrByPercentage") || is("pruneCsr2csr") ||
                        is("pruneCsr2csrByPercentage") || is("csr2csr_compress") || function.is_generic;
    if (!writes || is("DenseToSparse_analysis")) return read + line;
    return read + line + (element + 4) * nnz + (function.takes_dense ? 0 : 4 * nnz) + (is_coo ? 4 * nnz : 0);
}

template <class T>
void make_operands(prune_case<T>& what, const csr_matrix* pattern) {
    std::vector<T>& values = pattern ? what.sparse.values : what.dense;
    values = random_values<T>(pattern ? pattern->nnz() : std::int64_t{what.rows} * what.cols, what.seed);
    const bool by_share = what.function.name.find("Percentage") != std::string::npos;
    what.threshold = by_share ? ranked(values, what.percentage()) : rounded<T>(1 - what.share);
    if (!pattern) return make_dense(what);
    what.sparse.offsets = pattern->offsets_as<std::int32_t>();
    what.sparse.columns = pattern->columns_as<std::int32_t>();
    make_sparse(what);
}

template struct prune_case<__half>;
template struct prune_case<float>;
template struct prune_case<double>;
template void make_operands(prune_case<__half>&, const csr_matrix*);
template void make_operands(prune_case<float>&, const csr_matrix*);
template void make_operands(prune_case<double>&, const csr_matrix*);

}  // namespace heron::tools
