#include "format_matrices.hpp"

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
    const auto begin = a.values.begin() + static_cast<std::ptrdiff_t>(k * a.element_size);
    return {begin, begin + static_cast<std::ptrdiff_t>(a.element_size)};
}

void put(block_arrays& a, std::size_t k, const element_bytes& value) {
    std::copy(value.begin(), value.end(), a.values.begin() + static_cast<std::ptrdiff_t>(k * a.element_size));
}

}  // namespace

element_map noisy(const entries& pattern, std::size_t element_size, random_source& random) {
    element_map result{pattern.rows, pattern.cols, {}};
    for (const entry& e : pattern.list) {
        element_bytes value(element_size);
        for (unsigned char& b : value) b = static_cast<unsigned char>(random.below(256));
        result.elements[{e.row, e.col}] = value;
    }
    return result;
}

block_arrays arranged(const element_map& matrix, std::size_t element_size, const block_layout& l) {
    std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> blocks;
    for (const auto& [place_of, value] : matrix.elements)
        blocks[{place_of.first / l.rows, place_of.second / l.cols}] = 0;
    block_arrays result;
    result.layout = l;
    result.mb = static_cast<int>((matrix.rows + l.rows - 1) / l.rows);
    result.nb = static_cast<int>((matrix.cols + l.cols - 1) / l.cols);
    result.element_size = element_size;
    result.offsets.assign(at(result.mb) + 1, l.base);
    for (auto& [where, position] : blocks) {
        position = result.indices.size();
        result.indices.push_back(static_cast<std::int32_t>(where.second + l.base));
        ++result.offsets[at(where.first) + 1];
    }
    for (std::size_t row = 1; row < result.offsets.size(); ++row)
        result.offsets[row] += result.offsets[row - 1] - l.base;
    const std::size_t size = at(l.rows) * at(l.cols);
    result.values.assign(blocks.size() * size * element_size, 0);
    for (const auto& [where, value] : matrix.elements) {
        const std::size_t block = blocks[{where.first / l.rows, where.second / l.cols}];
        put(result, block * size + place(l, where.first % l.rows, where.second % l.cols), value);
    }
    return result;
}

element_map all_elements(const block_arrays& a) {
    const block_layout& l = a.layout;
    element_map result{std::int64_t{a.mb} * l.rows, std::int64_t{a.nb} * l.cols, {}};
    for (int row = 0; row < a.mb; ++row)
        for (int k = a.offsets[at(row)] - l.base; k < a.offsets[at(row) + 1] - l.base; ++k)
            for (int i = 0; i < l.rows; ++i)
                for (int j = 0; j < l.cols; ++j)
                    result.elements[{std::int64_t{row} * l.rows + i,
                                     std::int64_t{a.indices[at(k)] - l.base} * l.cols + j}] =
                        element(a, at(k) * at(l.rows) * at(l.cols) + place(l, i, j));
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
