#include "operands.hpp"

#include <map>

namespace heron::test {
namespace {

std::vector<unsigned char> index_bytes(cusparseIndexType_t type, const std::vector<std::int64_t>& values) {
    const std::size_t size = type == CUSPARSE_INDEX_32I ? 4 : 8;
    std::vector<unsigned char> bytes(values.size() * size);
    for (std::size_t k = 0; k < values.size(); ++k) std::memcpy(bytes.data() + k * size, &values[k], size);
    return bytes;
}

std::size_t index_size(cusparseIndexType_t type) { return type == CUSPARSE_INDEX_32I ? 4 : 8; }

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

// ---- values ----

number random_value(cudaDataType type, random_source& random) {
    if (type == CUDA_R_8I) return static_cast<double>(random.below(256) - 128);
    if (is_integer(type)) return static_cast<double>(random.below(2001) - 1000);
    const double re = random.symmetric_unit();
    return {re, is_complex(type) ? random.symmetric_unit() : 0.0};
}

std::vector<number> random_values(cudaDataType type, std::size_t count, random_source& random) {
    std::vector<number> values(count);
    for (number& v : values) v = random_value(type, random);
    return rounded(type, values);
}

number poison(cudaDataType type) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    if (type == CUDA_R_8I) return -128.0;
    if (is_integer(type)) return -2147483648.0;
    return {nan, is_complex(type) ? nan : 0.0};
}

number representable(cudaDataType type, number value) {
    const bool is_whole = std::nearbyint(value.real()) == value.real();
    if (is_integer(type)) return is_whole ? value.real() : std::nearbyint(value.real() * 4);
    return rounded(type, is_complex(type) ? value : number{value.real()});
}

bool device_has(cudaDataType type) { return !is_double(type) || device_info().has_fp64; }

typed_array::typed_array(cudaDataType type, const std::vector<number>& values, std::size_t misalignment)
    : type_(type),
      memory_(values.size() * size_of(type), misalignment * size_of(type), encode(type, values).data()) {}

void typed_array::upload(const std::vector<number>& values) { upload_bytes(encode(type_, values)); }

void typed_array::upload_bytes(const std::vector<unsigned char>& bytes) {
    REQUIRE(bytes.size() == memory_.size());
    memory_.upload(bytes.data());
}

index_array::index_array(cusparseIndexType_t type, const std::vector<std::int64_t>& values,
                         std::size_t misalignment)
    : type_(type),
      memory_(values.size() * index_size(type), misalignment * index_size(type),
              index_bytes(type, values).data()) {}

std::vector<std::int64_t> index_array::numbers() const {
    const std::vector<unsigned char> bytes = memory_.bytes();
    std::vector<std::int64_t> values(bytes.size() / index_size(type_));
    for (std::size_t k = 0; k < values.size(); ++k) {
        std::int32_t narrow = 0;
        if (type_ == CUSPARSE_INDEX_64I)
            std::memcpy(&values[k], bytes.data() + k * 8, 8);
        else
            std::memcpy(&narrow, bytes.data() + k * 4, 4);
        if (type_ == CUSPARSE_INDEX_32I) values[k] = narrow;
    }
    return values;
}

scalar_operand::scalar_operand(cudaDataType type, number value, cusparsePointerMode_t mode) : host_{} {
    const std::vector<unsigned char> bytes = encode(type, {value});
    std::memcpy(host_, bytes.data(), bytes.size());
    if (mode == CUSPARSE_POINTER_MODE_DEVICE)
        device_.emplace_back(type, std::vector<number>{value}, std::size_t{1});
}

// ---- patterns ----

entries random_pattern(std::int64_t rows, std::int64_t cols, std::int64_t sparsity, random_source& random) {
    entries result{rows, cols, {}};
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < cols; ++j)
            if (random.below(sparsity) == 0) result.list.push_back({i, j, 1.0});
    return result;
}

namespace {

entries filled(std::int64_t rows, std::int64_t cols) {
    random_source any;
    return random_pattern(rows, cols, 1, any);
}

// Scattered elements, and one full row or column through them.
entries with_line(std::int64_t rows, std::int64_t cols, std::int64_t full_row, std::int64_t full_col,
                  random_source& random) {
    entries result{rows, cols, {}};
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < cols; ++j) {
            const bool line = i == full_row || j == full_col;
            const bool scattered = i % 5 != 1 && j % 7 != 2 && random.below(12) == 0;
            if (line || scattered) result.list.push_back({i, j, 1.0});
        }
    return result;
}

}  // namespace

entries irregular_pattern() {
    random_source random(7);
    entries result = with_line(41, 37, 17, 23, random);
    // The full lines end early, so that the first and last rows and columns can be empty.
    std::erase_if(result.list, [](const entry& e) {
        return e.row == 0 || e.row == 40 || e.col == 0 || e.col == 36 || e.row == 11 || e.col == 9;
    });
    return result;
}

std::vector<named_pattern> small_patterns() {
    random_source random(11);
    entries hypersparse{500, 430, {{3, 17, 1.0}, {3, 429, 1.0}, {250, 0, 1.0}, {499, 200, 1.0}}};
    entries diagonal{70, 70, {}};
    for (std::int64_t i = 0; i < 70; ++i) diagonal.list.push_back({i, i, 1.0});
    return {{"1x1 stored", {1, 1, {{0, 0, 1.0}}}},
            {"1x1 empty", {1, 1, {}}},
            {"0x0", {0, 0, {}}},
            {"0x5", {0, 5, {}}},
            {"5x0", {5, 0, {}}},
            {"nothing stored", {7, 4, {}}},
            {"single row", random_pattern(1, 90, 2, random)},
            {"single column", random_pattern(90, 1, 2, random)},
            {"dense", filled(17, 19)},
            {"dense row", with_line(37, 300, 5, -1, random)},
            {"dense column", with_line(300, 37, -1, 36, random)},
            {"tall", random_pattern(333, 3, 3, random)},
            {"wide", random_pattern(3, 333, 3, random)},
            {"hypersparse", hypersparse},
            {"diagonal", diagonal},
            {"irregular", irregular_pattern()}};
}

entries with_values(entries pattern, cudaDataType type, random_source& random) {
    const std::vector<number> values = random_values(type, pattern.list.size(), random);
    for (std::size_t k = 0; k < values.size(); ++k) pattern.list[k].value = values[k];
    return pattern;
}

// ---- layouts ----

const std::vector<layout>& spmv_layouts() {
    static const std::vector<layout> all = [] {
        const auto sell = [](std::int64_t slice) {
            return layout{fmt::format("SELL {}", slice),
                          CUSPARSE_FORMAT_SLICED_ELLPACK,
                          false,
                          1,
                          1,
                          CUSPARSE_ORDER_ROW,
                          slice};
        };
        const auto bsr = [](std::int64_t rows, std::int64_t cols, cusparseOrder_t order) {
            return layout{
                fmt::format("BSR {}x{} by {}", rows, cols, order == CUSPARSE_ORDER_ROW ? "rows" : "columns"),
                CUSPARSE_FORMAT_BSR,
                false,
                rows,
                cols,
                order};
        };
        return std::vector<layout>{{"COO", CUSPARSE_FORMAT_COO},
                                   {"COO unsorted", CUSPARSE_FORMAT_COO, true},
                                   {"CSR", CUSPARSE_FORMAT_CSR},
                                   {"CSR shuffled", CUSPARSE_FORMAT_CSR, true},
                                   {"CSC", CUSPARSE_FORMAT_CSC},
                                   {"CSC shuffled", CUSPARSE_FORMAT_CSC, true},
                                   sell(1),
                                   sell(2),
                                   sell(7),
                                   sell(32),
                                   sell(1000),
                                   bsr(1, 1, CUSPARSE_ORDER_ROW),
                                   bsr(2, 3, CUSPARSE_ORDER_ROW),
                                   bsr(3, 2, CUSPARSE_ORDER_COL),
                                   bsr(4, 4, CUSPARSE_ORDER_COL),
                                   // Sizes that a backend may have loops of their own for.
                                   bsr(2, 2, CUSPARSE_ORDER_ROW),
                                   bsr(3, 3, CUSPARSE_ORDER_COL),
                                   bsr(4, 4, CUSPARSE_ORDER_ROW),
                                   bsr(6, 6, CUSPARSE_ORDER_ROW),
                                   bsr(8, 8, CUSPARSE_ORDER_COL)};
    }();
    return all;
}

const std::vector<index_choice>& index_choices() {
    constexpr auto narrow = CUSPARSE_INDEX_32I, wide = CUSPARSE_INDEX_64I;
    static const std::vector<index_choice> all{{narrow, narrow, 0}, {wide, wide, 1}, {wide, narrow, 0},
                                               {narrow, narrow, 1}, {wide, wide, 0}, {wide, narrow, 1}};
    static const std::vector<index_choice> few{all.begin(), all.begin() + 3};
    return is_short() ? few : all;
}

bool has_all_types() { return backend_name() != "opencl"; }

const std::vector<index_choice>& index_choices(bool representative) {
    constexpr auto narrow = CUSPARSE_INDEX_32I;
    static const std::vector<index_choice> few{{narrow, narrow, 0}, {narrow, narrow, 1}};
    return representative || has_all_types() ? index_choices() : few;
}

namespace {

// The elements of each row, or of each column: ascending, or in any order.
std::vector<std::vector<entry>> by_lines(const entries& m, bool rows, bool shuffled, random_source& random) {
    std::vector<std::vector<entry>> lines(static_cast<std::size_t>(rows ? m.rows : m.cols));
    for (const entry& e : m.list) lines[static_cast<std::size_t>(rows ? e.row : e.col)].push_back(e);
    for (auto& line : lines) {
        std::stable_sort(line.begin(), line.end(), [&](const entry& a, const entry& b) {
            return rows ? a.col < b.col : a.row < b.row;
        });
        if (shuffled) random.shuffle(line);
    }
    return lines;
}

void arrange_coo(const entries& m, bool shuffled, sparse_arrays& a, random_source& random) {
    std::vector<entry> list = m.list;
    // Within a row the order is any in both cases.
    random.shuffle(list);
    if (!shuffled)
        std::stable_sort(list.begin(), list.end(),
                         [](const entry& p, const entry& q) { return p.row < q.row; });
    for (const entry& e : list) {
        a.row_indices.push_back(e.row + a.base);
        a.indices.push_back(e.col + a.base);
        a.values.push_back(e.value);
    }
}

void arrange_compressed(const entries& m, bool shuffled, sparse_arrays& a, random_source& random) {
    const bool rows = a.format == CUSPARSE_FORMAT_CSR;
    a.offsets.push_back(a.base);
    for (const auto& line : by_lines(m, rows, shuffled, random)) {
        for (const entry& e : line) {
            a.indices.push_back((rows ? e.col : e.row) + a.base);
            a.values.push_back(e.value);
        }
        a.offsets.push_back(a.base + static_cast<std::int64_t>(a.indices.size()));
    }
}

void arrange_sell(const entries& m, sparse_arrays& a, random_source& random) {
    const auto rows = by_lines(m, true, true, random);
    const std::int64_t slices = ceil_div(m.rows, a.slice_size);
    const std::vector<entry> none;
    a.offsets.push_back(a.base);
    for (std::int64_t slice = 0; slice < slices; ++slice) {
        const std::int64_t first = slice * a.slice_size;
        const auto row = [&](std::int64_t r) -> const std::vector<entry>& {
            return first + r < m.rows ? rows[static_cast<std::size_t>(first + r)] : none;
        };
        std::size_t width = 0;
        for (std::int64_t r = 0; r < a.slice_size; ++r) width = std::max(width, row(r).size());
        for (std::size_t k = 0; k < width; ++k)
            for (std::int64_t r = 0; r < a.slice_size; ++r) {
                const bool stored = k < row(r).size();
                a.indices.push_back(stored ? row(r)[k].col + a.base : -1);
                a.values.push_back(stored ? row(r)[k].value : poison(a.type));
            }
        a.offsets.push_back(a.base + static_cast<std::int64_t>(a.indices.size()));
    }
}

void arrange_bsr(const entries& m, sparse_arrays& a) {
    a.rows = ceil_div(m.rows, a.block_rows) * a.block_rows;
    a.cols = ceil_div(m.cols, a.block_cols) * a.block_cols;
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<number>> blocks;
    for (const entry& e : m.list) {
        auto& block = blocks[{e.row / a.block_rows, e.col / a.block_cols}];
        block.resize(static_cast<std::size_t>(a.block_rows * a.block_cols));
        const std::int64_t r = e.row % a.block_rows, c = e.col % a.block_cols;
        const bool by_rows = a.block_order == CUSPARSE_ORDER_ROW;
        block[static_cast<std::size_t>(by_rows ? r * a.block_cols + c : c * a.block_rows + r)] = e.value;
    }
    a.offsets.assign(static_cast<std::size_t>(a.rows / a.block_rows + 1), 0);
    for (const auto& [place, block] : blocks) {
        ++a.offsets[static_cast<std::size_t>(place.first + 1)];
        a.indices.push_back(place.second + a.base);
        a.values.insert(a.values.end(), block.begin(), block.end());
    }
    for (std::size_t k = 1; k < a.offsets.size(); ++k) a.offsets[k] += a.offsets[k - 1];
    for (std::int64_t& offset : a.offsets) offset += a.base;
}

// As many slots as the fullest block row needs; a block row with fewer has empty slots behind.
void arrange_blocked_ell(const entries& m, sparse_arrays& a) {
    const std::int64_t block = a.block_rows;
    std::vector<std::vector<std::int64_t>> columns(static_cast<std::size_t>(ceil_div(m.rows, block)));
    for (const entry& e : m.list) {
        auto& line = columns[static_cast<std::size_t>(e.row / block)];
        if (std::find(line.begin(), line.end(), e.col / block) == line.end()) line.push_back(e.col / block);
    }
    std::size_t slots = 0;
    for (const auto& line : columns) slots = std::max(slots, line.size());
    a.ell_cols = static_cast<std::int64_t>(slots) * block;
    for (const auto& line : columns)
        for (std::size_t slot = 0; slot < slots; ++slot)
            a.indices.push_back(slot < line.size() ? line[slot] + a.base : -1);
    a.values.assign(static_cast<std::size_t>(m.rows * a.ell_cols), number{});
    for (const entry& e : m.list) {
        const auto& line = columns[static_cast<std::size_t>(e.row / block)];
        const auto slot = std::find(line.begin(), line.end(), e.col / block) - line.begin();
        a.values[static_cast<std::size_t>(e.row * a.ell_cols + slot * block + e.col % block)] = e.value;
    }
}

}  // namespace

sparse_arrays arrange(const entries& m, const layout& l, const index_choice& index, cudaDataType type,
                      random_source& random) {
    sparse_arrays a;
    a.format = l.format;
    a.rows = m.rows;
    a.cols = m.cols;
    a.base = index.base;
    a.offset_type = index.offsets;
    a.index_type = index.indices;
    a.type = type;
    a.block_rows = l.block_rows;
    a.block_cols = l.block_cols;
    a.block_order = l.block_order;
    a.slice_size = l.slice_size;
    switch (l.format) {
        case CUSPARSE_FORMAT_COO: arrange_coo(m, l.shuffled, a, random); break;
        case CUSPARSE_FORMAT_CSR:
        case CUSPARSE_FORMAT_CSC: arrange_compressed(m, l.shuffled, a, random); break;
        case CUSPARSE_FORMAT_SLICED_ELLPACK: arrange_sell(m, a, random); break;
        case CUSPARSE_FORMAT_BSR: arrange_bsr(m, a); break;
        case CUSPARSE_FORMAT_BLOCKED_ELL: arrange_blocked_ell(m, a); break;
    }
    a.nnz = static_cast<std::int64_t>(l.format == CUSPARSE_FORMAT_BSR ? a.indices.size() : m.list.size());
    return a;
}

// ---- on the device ----

namespace {

// Offsets, row indices, indices and values.
std::vector<device_memory> on_device(const sparse_arrays& a, std::size_t misalignment) {
    const std::vector<unsigned char> contents[] = {
        index_bytes(a.offset_type, a.offsets), index_bytes(a.index_type, a.row_indices),
        index_bytes(a.index_type, a.indices), encode(a.type, a.values)};
    const std::size_t offset_size = index_size(a.offset_type), size = index_size(a.index_type);
    const std::size_t element_sizes[] = {offset_size, size, size, size_of(a.type)};
    std::vector<memory_extent> extents;
    for (std::size_t k = 0; k < std::size(contents); ++k)
        extents.push_back({contents[k].size(), misalignment * element_sizes[k], contents[k].data()});
    return device_memory::together(extents);
}

}  // namespace

sparse_matrix describe(const sparse_arrays& a, void* offsets, void* row_indices, void* indices,
                       void* values) {
    cusparseSpMatDescr_t m = nullptr;
    const auto base = static_cast<cusparseIndexBase_t>(a.base);
    switch (a.format) {
        case CUSPARSE_FORMAT_COO:
            expect(cusparseCreateCoo(&m, a.rows, a.cols, a.nnz, row_indices, indices, values, a.index_type,
                                     base, a.type));
            break;
        case CUSPARSE_FORMAT_CSR:
            expect(cusparseCreateCsr(&m, a.rows, a.cols, a.nnz, offsets, indices, values, a.offset_type,
                                     a.index_type, base, a.type));
            break;
        case CUSPARSE_FORMAT_CSC:
            expect(cusparseCreateCsc(&m, a.rows, a.cols, a.nnz, offsets, indices, values, a.offset_type,
                                     a.index_type, base, a.type));
            break;
        case CUSPARSE_FORMAT_BSR:
            expect(cusparseCreateBsr(&m, a.rows / a.block_rows, a.cols / a.block_cols, a.nnz, a.block_rows,
                                     a.block_cols, offsets, indices, values, a.offset_type, a.index_type,
                                     base, a.type, a.block_order));
            break;
        case CUSPARSE_FORMAT_SLICED_ELLPACK:
            expect(cusparseCreateSlicedEll(&m, a.rows, a.cols, a.nnz,
                                           static_cast<std::int64_t>(a.values.size()), a.slice_size, offsets,
                                           indices, values, a.offset_type, a.index_type, base, a.type));
            break;
        case CUSPARSE_FORMAT_BLOCKED_ELL:
            expect(cusparseCreateBlockedEll(&m, a.rows, a.cols, a.block_rows, a.ell_cols, indices, values,
                                            a.index_type, base, a.type));
            break;
    }
    return sparse_matrix(m);
}

dense_vector describe(cudaDataType type, std::size_t size, const typed_array& values) {
    cusparseDnVecDescr_t v = nullptr;
    expect(cusparseCreateDnVec(&v, static_cast<std::int64_t>(size), values.data(), type));
    return dense_vector(v);
}

device_matrix::device_matrix(const sparse_arrays& a, std::size_t misalignment, bool absent)
    : device_matrix(a, on_device(a, misalignment), absent) {}

device_matrix::device_matrix(const sparse_arrays& a, std::vector<device_memory> memory, bool absent)
    : offsets_(a.offset_type, std::move(memory[0])),
      row_indices_(a.index_type, std::move(memory[1])),
      indices_(a.index_type, std::move(memory[2])),
      values_(a.type, std::move(memory[3])),
      descriptor_(absent
                      ? describe(a, nullptr, nullptr, nullptr, nullptr)
                      : describe(a, offsets_.data(), row_indices_.data(), indices_.data(), values_.data())) {}

}  // namespace heron::test
