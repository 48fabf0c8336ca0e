#include "factor_problem.hpp"

namespace heron::test {
namespace {

bool is_finite(number v) { return std::isfinite(v.real()) && std::isfinite(v.imag()); }

// Elements with the place of their value, in the storage's order.
struct placed_entry {
    std::int64_t row, col;
};

std::vector<placed_entry> places_of(sparse_arrays arrays) {
    // Each value's own number, carried through the expansion.
    for (std::size_t k = 0; k < arrays.values.size(); ++k) arrays.values[k] = static_cast<double>(k);
    std::vector<placed_entry> places(arrays.values.size());
    for (const entry& e : expand(arrays).list)
        places[static_cast<std::size_t>(e.value.real())] = {e.row, e.col};
    return places;
}

number_rows rows_of(const entries& m, bool lower_only) {
    number_rows rows(static_cast<std::size_t>(m.rows));
    for (const entry& e : m.list)
        if (!lower_only || e.col <= e.row) rows[static_cast<std::size_t>(e.row)][e.col] = e.value;
    return rows;
}

}  // namespace

std::string factor_choice::name() const {
    return fmt::format("{} of {}{}, base {}, policy {}", lu ? "LU" : "Cholesky",
                       block == 0 ? std::string("CSR") : fmt::format("BSR {}", block),
                       direction == CUSPARSE_DIRECTION_ROW ? " by rows" : " by columns", base,
                       static_cast<int>(policy));
}

number_rows incomplete_lu(number_rows a, const std::optional<pivot_boost>& boost) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        const auto own = static_cast<std::int64_t>(i);
        for (auto& [k, value] : a[i]) {
            if (k >= own) break;
            const auto& pivot_row = a[static_cast<std::size_t>(k)];
            const auto pivot = pivot_row.find(k);
            value = value / (pivot == pivot_row.end() ? number{} : pivot->second);
            for (auto& [j, other] : a[i])
                if (j > k)
                    if (const auto u = pivot_row.find(j); u != pivot_row.end())
                        other -= product(value, u->second);
        }
        const auto pivot = a[i].find(own);
        if (boost && pivot != a[i].end() && absolute(pivot->second) <= boost->tolerance)
            pivot->second = boost->value;
    }
    return a;
}

number_rows incomplete_cholesky(number_rows a) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        const auto own = static_cast<std::int64_t>(i);
        for (auto& [j, value] : a[i]) {
            const auto& other = j == own ? a[i] : a[static_cast<std::size_t>(j)];
            number sum = j == own ? number{value.real(), 0} : value;
            for (const auto& [k, factor] : a[i]) {
                if (k >= j) break;
                if (const auto l = other.find(k); l != other.end())
                    sum -= product(factor, std::conj(l->second));
            }
            if (j == own) {
                value = sum.real() >= 0 ? std::sqrt(sum.real()) : std::numeric_limits<double>::quiet_NaN();
            } else {
                const auto pivot = other.find(j);
                value = sum / (pivot == other.end() ? number{} : pivot->second);
            }
        }
    }
    return a;
}

entries banded_pattern(std::int64_t n, const std::vector<std::int64_t>& distances) {
    entries result{n, n, {}};
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j)
            if (std::find(distances.begin(), distances.end(), std::abs(i - j)) != distances.end())
                result.list.push_back({i, j, 1.0});
    return result;
}

entries grid_pattern(std::int64_t nx, std::int64_t ny, std::int64_t nz, bool corners) {
    entries result{nx * ny * nz, nx * ny * nz, {}};
    for (std::int64_t z = 0; z < nz; ++z)
        for (std::int64_t y = 0; y < ny; ++y)
            for (std::int64_t x = 0; x < nx; ++x)
                for (std::int64_t dz = -1; dz <= 1; ++dz)
                    for (std::int64_t dy = -1; dy <= 1; ++dy)
                        for (std::int64_t dx = -1; dx <= 1; ++dx) {
                            if (!corners && std::abs(dx) + std::abs(dy) + std::abs(dz) > 1) continue;
                            if (x + dx < 0 || x + dx >= nx || y + dy < 0 || y + dy >= ny || z + dz < 0 ||
                                z + dz >= nz)
                                continue;
                            result.list.push_back(
                                {(z * ny + y) * nx + x, ((z + dz) * ny + y + dy) * nx + x + dx, 1.0});
                        }
    return result;
}

entries random_square_pattern(std::int64_t n, std::int64_t per_row, std::uint64_t stream) {
    random_source random(stream);
    entries result{n, n, {}};
    for (std::int64_t i = 0; i < n; ++i) {
        std::vector<std::int64_t> columns{i};
        for (std::int64_t k = 0; k < per_row; ++k) columns.push_back(random.below(n));
        std::sort(columns.begin(), columns.end());
        columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
        for (const std::int64_t j : columns) result.list.push_back({i, j, 1.0});
    }
    return result;
}

entries scattered_blocks_pattern(std::int64_t blocks, std::int64_t size, std::int64_t others,
                                 std::uint64_t stream) {
    entries result{blocks * size, blocks * size, {}};
    std::vector<std::vector<std::int64_t>> columns(static_cast<std::size_t>(blocks));
    for (const entry& e : random_square_pattern(blocks, others, stream).list)
        columns[static_cast<std::size_t>(e.row)].push_back(e.col);
    for (std::int64_t i = 0; i < result.rows; ++i)
        for (const std::int64_t block : columns[static_cast<std::size_t>(i / size)])
            for (std::int64_t j = block * size; j < (block + 1) * size; ++j)
                result.list.push_back({i, j, 1.0});
    return result;
}

entries arrow_of(std::int64_t n) {
    entries result{n, n, {}};
    for (std::int64_t i = 0; i < n; ++i) {
        if (i == 0 || i == n - 1) {
            for (std::int64_t j = 0; j < n; ++j) result.list.push_back({i, j, 1.0});
            continue;
        }
        for (const std::int64_t j : {std::int64_t{0}, i, n - 1}) result.list.push_back({i, j, 1.0});
    }
    return result;
}

entries full_pattern(std::int64_t n) {
    entries result{n, n, {}};
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j) result.list.push_back({i, j, 1.0});
    return result;
}

entries runs_pattern(std::int64_t n) {
    entries result{n, n, {}};
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j)
            if (i == j || ((j + 4 * (i % 3)) / 9 + i / 7) % 3 == 0) result.list.push_back({i, j, 1.0});
    return result;
}

sparse_arrays factor_arrays(const entries& pattern, const factor_choice& choice, cudaDataType type,
                            std::uint64_t stream) {
    const std::int64_t size = std::max<std::int64_t>(choice.block, 1);
    sparse_arrays a;
    a.format = choice.block == 0 ? CUSPARSE_FORMAT_CSR : CUSPARSE_FORMAT_BSR;
    a.rows = a.cols = pattern.rows * size;
    a.nnz = static_cast<std::int64_t>(pattern.list.size());
    a.base = choice.base;
    a.type = type;
    a.block_rows = a.block_cols = size;
    a.block_order = choice.direction == CUSPARSE_DIRECTION_ROW ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
    std::vector<std::int64_t> lengths(static_cast<std::size_t>(pattern.rows));
    std::vector<double> rows(static_cast<std::size_t>(pattern.rows), 0), cols = rows;
    for (const entry& e : pattern.list) {
        ++lengths[static_cast<std::size_t>(e.row)];
        a.indices.push_back(e.col + choice.base);
        rows[static_cast<std::size_t>(e.row)] += static_cast<double>(size);
        cols[static_cast<std::size_t>(e.col)] += static_cast<double>(size);
    }
    a.offsets = {choice.base};
    for (const std::int64_t length : lengths) a.offsets.push_back(a.offsets.back() + length);
    a.values.resize(pattern.list.size() * static_cast<std::size_t>(size * size));
    random_source random(stream);
    const std::vector<placed_entry> places = places_of(a);
    for (std::size_t k = 0; k < places.size(); ++k) {
        const auto [row, col] = places[k];
        const auto block_row = static_cast<std::size_t>(row / size),
                   block_col = static_cast<std::size_t>(col / size);
        const double count = std::max({rows[block_row], cols[block_col], rows[block_col], 1.0});
        const number v = random_value(type, random);
        const number value = row == col ? number{1.5 + 0.5 * v.real(), v.imag()} : 1.0 / count * v;
        a.values[k] = !choice.lu && col > row ? poison(type) : rounded(type, representable(type, value));
    }
    return a;
}

factor_infos::factor_infos() {
    expect(cusparseCreateCsrilu02Info(&csr_lu));
    expect(cusparseCreateCsric02Info(&csr_cholesky));
    expect(cusparseCreateBsrilu02Info(&bsr_lu));
    expect(cusparseCreateBsric02Info(&bsr_cholesky));
}

factor_infos::~factor_infos() {
    const cusparseStatus_t statuses[] = {
        cusparseDestroyCsrilu02Info(csr_lu), cusparseDestroyCsric02Info(csr_cholesky),
        cusparseDestroyBsrilu02Info(bsr_lu), cusparseDestroyBsric02Info(bsr_cholesky)};
    for (const cusparseStatus_t status : statuses)
        if (status != CUSPARSE_STATUS_SUCCESS) FAIL_CHECK("an info could not be destroyed");
}

std::string factor_difference(const sparse_arrays& start, const std::vector<unsigned char>& found, bool lu,
                              const std::optional<pivot_boost>& boosted) {
    const number_rows a = rows_of(expand(start), !lu);
    const number_rows factors = lu ? incomplete_lu(a, boosted) : incomplete_cholesky(a);
    const std::vector<number> numbers = decode(start.type, found);
    const std::vector<unsigned char> before = encode(start.type, start.values);
    const std::vector<placed_entry> places = places_of(start);
    const std::size_t size = size_of(start.type);
    for (std::size_t k = 0; k < places.size(); ++k) {
        const auto [row, col] = places[k];
        if (!lu && col > row) {
            if (std::memcmp(&before[k * size], &found[k * size], size) != 0)
                return fmt::format("element ({}, {}) above the diagonal was written", row, col);
            continue;
        }
        const auto& factor_row = factors[static_cast<std::size_t>(row)];
        const number expected = factor_row.at(col);
        // Sums of up to a row's length, of numbers of about one.
        const double limit = 16 * epsilon(start.type) * (8.0 + static_cast<double>(factor_row.size())) *
                             std::max(1.0, absolute(expected));
        // What depends on a zero pivot is infinite or NaN, or zero again where it was divided by infinity.
        const bool agrees = !is_finite(expected) || absolute(numbers[k] - expected) <= limit;
        if (!agrees)
            return fmt::format("element ({}, {}) is {} + {}i, not {} + {}i", row, col, numbers[k].real(),
                               numbers[k].imag(), expected.real(), expected.imag());
    }
    return {};
}

}  // namespace heron::test
