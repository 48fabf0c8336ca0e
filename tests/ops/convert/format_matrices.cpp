#include "format_matrices.hpp"
#include <algorithm>
#include <cstring>

namespace heron::test {
namespace {

std::size_t at(std::int64_t k) { return static_cast<std::size_t>(k); }

template <class T>
std::vector<T> content(const device_memory& memory) {
    std::vector<T> all(memory.size() / sizeof(T));
    memory.download(all.data());
    return all;
}

template <class T>
std::string difference_of(const char* name, const std::vector<T>& found, const std::vector<T>& expected) {
    for (std::size_t k = 0; k < expected.size(); ++k)
        if (found[k] != expected[k])
            return fmt::format("{}[{}] is {}, not {}", name, k, static_cast<int>(found[k]),
                               static_cast<int>(expected[k]));
    return "";
}

// Where element (i, j) of a block lies in it.
std::size_t place(const block_layout& l, std::int64_t i, std::int64_t j) {
    return at(l.by_columns ? j * l.rows + i : i * l.cols + j);
}

element_bytes element(const block_arrays& a, std::size_t k) {
    element_bytes value{};
    std::memcpy(value.data(), a.values.data() + k * a.element_size, a.element_size);
    return value;
}

void put(block_arrays& a, std::size_t k, const element_bytes& value) {
    std::memcpy(a.values.data() + k * a.element_size, value.data(), a.element_size);
}

// Row and column, of an element or of a block.
using row_and_column = std::pair<std::int64_t, std::int64_t>;

row_and_column place_of(const placed_element& e) { return {e.row, e.col}; }

row_and_column block_of(const placed_element& e, const block_layout& l) {
    return {e.row / l.rows, e.col / l.cols};
}

// The blocks that hold an element, by rows and columns. Elements side by side are mostly of the same one.
std::vector<row_and_column> blocks_of(const element_list& matrix, const block_layout& l) {
    std::vector<row_and_column> blocks;
    for (const placed_element& e : matrix.elements)
        if (const row_and_column block = block_of(e, l); blocks.empty() || blocks.back() != block)
            blocks.push_back(block);
    std::sort(blocks.begin(), blocks.end());
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    return blocks;
}

}  // namespace

element_list noisy(const entries& pattern, std::size_t element_size, random_source& random) {
    element_list result{pattern.rows, pattern.cols, {}};
    for (const entry& e : pattern.list) {
        placed_element made{e.row, e.col, {}};
        for (std::size_t b = 0; b < element_size; ++b)
            made.value[b] = static_cast<unsigned char>(random.below(256));
        result.elements.push_back(made);
    }
    std::ranges::stable_sort(result.elements, {}, place_of);
    const auto repeated = std::ranges::unique(result.elements, {}, place_of);
    result.elements.erase(repeated.begin(), repeated.end());
    return result;
}

block_arrays arranged(const element_list& matrix, std::size_t element_size, const block_layout& l) {
    const std::vector<row_and_column> blocks = blocks_of(matrix, l);
    block_arrays result;
    result.layout = l;
    result.mb = static_cast<int>((matrix.rows + l.rows - 1) / l.rows);
    result.nb = static_cast<int>((matrix.cols + l.cols - 1) / l.cols);
    result.element_size = element_size;
    result.offsets.assign(at(result.mb) + 1, l.base);
    for (const auto& [row, col] : blocks) {
        result.indices.push_back(static_cast<std::int32_t>(col + l.base));
        ++result.offsets[at(row) + 1];
    }
    for (std::size_t row = 1; row < result.offsets.size(); ++row)
        result.offsets[row] += result.offsets[row - 1] - l.base;
    const std::size_t size = at(l.rows) * at(l.cols);
    result.values.assign(blocks.size() * size * element_size, 0);
    for (const placed_element& e : matrix.elements) {
        const auto block = std::lower_bound(blocks.begin(), blocks.end(), block_of(e, l)) - blocks.begin();
        put(result, at(block) * size + place(l, e.row % l.rows, e.col % l.cols), e.value);
    }
    return result;
}

element_list all_elements(const block_arrays& a) {
    const block_layout& l = a.layout;
    element_list result{std::int64_t{a.mb} * l.rows, std::int64_t{a.nb} * l.cols, {}};
    for (int row = 0; row < a.mb; ++row)
        for (int i = 0; i < l.rows; ++i)
            for (int k = a.offsets[at(row)] - l.base; k < a.offsets[at(row) + 1] - l.base; ++k)
                for (int j = 0; j < l.cols; ++j)
                    result.elements.push_back({std::int64_t{row} * l.rows + i,
                                               std::int64_t{a.indices[at(k)] - l.base} * l.cols + j,
                                               element(a, at(k) * at(l.rows) * at(l.cols) + place(l, i, j))});
    return result;
}

block_arrays shuffled(block_arrays csr, random_source& random) {
    const block_arrays sorted = csr;
    for (int row = 0; row < csr.mb; ++row) {
        std::vector<int> order;
        const int base = csr.layout.base, begin = csr.offsets[at(row)] - base;
        for (int k = begin; k < csr.offsets[at(row) + 1] - base; ++k) order.push_back(k);
        random.shuffle(order);
        for (std::size_t k = 0; k < order.size(); ++k) {
            csr.indices[at(begin) + k] = sorted.indices[at(order[k])];
            put(csr, at(begin) + k, element(sorted, at(order[k])));
        }
    }
    return csr;
}

block_arrays turned(const block_arrays& a) {
    block_arrays result = a;
    const std::size_t size = at(a.layout.rows) * at(a.layout.cols);
    result.mb = a.nb;
    result.nb = a.mb;
    std::vector<std::vector<std::pair<int, int>>> columns(at(a.nb));  // rows and blocks
    for (int row = 0; row < a.mb; ++row)
        for (int k = a.offsets[at(row)] - a.layout.base; k < a.offsets[at(row) + 1] - a.layout.base; ++k)
            columns[at(a.indices[at(k)] - a.layout.base)].push_back({row, k});
    result.offsets.assign(1, a.layout.base);
    result.indices.clear();
    result.values.clear();
    for (const auto& column : columns) {
        for (const auto& [row, k] : column) {
            result.indices.push_back(row + a.layout.base);
            const auto bytes = static_cast<std::ptrdiff_t>(size * a.element_size);
            const auto begin = a.values.begin() + k * bytes;
            result.values.insert(result.values.end(), begin, begin + bytes);
        }
        result.offsets.push_back(static_cast<std::int32_t>(result.indices.size()) + a.layout.base);
    }
    return result;
}

// Not more aligned than an element.
device_blocks::device_blocks(const block_arrays& from, bool absent)
    : absent_(absent),
      offsets_(from.offsets.size() * 4, 4, from.offsets.data()),
      indices_(from.indices.size() * 4, 4, from.indices.data()),
      values_(from.values.size(), from.element_size, from.values.data()) {}

device_result::device_result(const block_arrays& expected)
    : expected_(expected),
      offsets_(expected.offsets.size() * 4, 4),
      indices_(expected.indices.size() * 4, 4),
      values_(expected.values.size(), expected.element_size) {}

std::string device_result::offsets_differ() const {
    return difference_of("offsets", content<std::int32_t>(offsets_), expected_.offsets);
}

std::string device_result::pattern_differs() const {
    const std::string wrong = offsets_differ();
    if (!wrong.empty()) return wrong;
    return difference_of("indices", content<std::int32_t>(indices_), expected_.indices);
}

std::string device_result::differs() const {
    const std::string wrong = pattern_differs();
    if (!wrong.empty()) return wrong;
    return difference_of("bytes of values", content<unsigned char>(values_), expected_.values);
}

matrix_descriptor general_descriptor(int base) {
    cusparseMatDescr_t descr = nullptr;
    expect(cusparseCreateMatDescr(&descr));
    expect(cusparseSetMatIndexBase(descr, static_cast<cusparseIndexBase_t>(base)));
    return matrix_descriptor(descr);
}

}  // namespace heron::test
