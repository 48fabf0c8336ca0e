// SparseToDense and DenseToSparse. Elements are moved and never computed with, so everything is compared bit
// for bit.
#include "ops/operands.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <span>
#include <tuple>

using namespace heron::test;

namespace {

// One of each size comes first.
constexpr cudaDataType all_types[] = {CUDA_R_8I,   CUDA_R_16F, CUDA_R_32F,  CUDA_R_64F, CUDA_C_64F,
                                      CUDA_R_16BF, CUDA_C_16F, CUDA_C_16BF, CUDA_C_32F};
std::span<const cudaDataType> tried_types() {
    return std::span(all_types).first(is_short() ? 5 : std::size(all_types));
}
constexpr cusparseOrder_t both_orders[] = {CUSPARSE_ORDER_COL, CUSPARSE_ORDER_ROW};
constexpr std::int64_t padding = 3;

using bytes = std::vector<unsigned char>;
using byte_view = std::span<const unsigned char>;

// Every format that both conversions know. Shuffled ones are read only.
std::vector<layout> convert_layouts() {
    std::vector<layout> all = spmv_layouts();
    for (const std::int64_t block : {1, 3, 4})
        all.push_back(
            {fmt::format("Blocked-ELL {}", block), CUSPARSE_FORMAT_BLOCKED_ELL, false, block, block});
    return all;
}

// Arbitrary bits: NaNs with payloads, subnormal numbers, zeros of both signs.
bytes noise(std::size_t count, cudaDataType type, random_source& random) {
    bytes result(count * size_of(type));
    for (unsigned char& b : result) b = static_cast<unsigned char>(random.below(256));
    return result;
}

byte_view element(const bytes& all, std::size_t k, cudaDataType type) {
    return byte_view(all).subspan(k * size_of(type), size_of(type));
}
bool are_equal(byte_view a, byte_view b) { return std::ranges::equal(a, b); }

void put(bytes& all, std::size_t k, byte_view value) {
    std::ranges::copy(value, all.begin() + static_cast<std::ptrdiff_t>(k * value.size()));
}

// A NaN is not zero, a zero of either sign is.
bool is_zero(byte_view value, cudaDataType type) { return decode_element(facts(type), value.data()) == 0.0; }

// A dense matrix in memory: rows*cols elements in row order on the host, any order and leading dimension on
// the device, where all that is not the matrix holds a pattern.
class dense_operand {
  public:
    dense_operand(std::int64_t rows, std::int64_t cols, cudaDataType type, cusparseOrder_t order,
                  std::int64_t pad)
        : rows_(rows),
          cols_(cols),
          ld_((order == CUSPARSE_ORDER_ROW ? cols : rows) + pad),
          type_(type),
          order_(order),
          all_(static_cast<std::size_t>(ld_ * (order == CUSPARSE_ORDER_ROW ? rows : cols)) * size_of(type),
               pattern),
          memory_(all_.size(), size_of(type), all_.data()) {
        cusparseDnMatDescr_t m = nullptr;
        expect(cusparseCreateDnMat(&m, rows, cols, ld_, memory_.data(), type, order));
        descriptor_.reset(m);
    }

    cusparseDnMatDescr_t get() const { return descriptor_.get(); }
    void* data() const { return memory_.data(); }

    void upload(const bytes& by_rows) {
        for (std::int64_t i = 0; i < rows_; ++i)
            for (std::int64_t j = 0; j < cols_; ++j)
                put(all_, place(i, j), element(by_rows, static_cast<std::size_t>(i * cols_ + j), type_));
        memory_.upload(all_.data());
    }

    // The matrix; fails the test if anything between its rows or columns was written.
    bytes download() const {
        const bytes all = memory_.bytes();
        bytes rest = all, by_rows(static_cast<std::size_t>(rows_ * cols_) * size_of(type_));
        const bytes untouched(size_of(type_), pattern);
        for (std::int64_t i = 0; i < rows_; ++i)
            for (std::int64_t j = 0; j < cols_; ++j) {
                put(by_rows, static_cast<std::size_t>(i * cols_ + j), element(all, place(i, j), type_));
                put(rest, place(i, j), untouched);
            }
        CHECK((rest == bytes(rest.size(), pattern)));
        return by_rows;
    }

  private:
    static constexpr unsigned char pattern = 0xa5;
    std::size_t place(std::int64_t i, std::int64_t j) const {
        return static_cast<std::size_t>(order_ == CUSPARSE_ORDER_ROW ? i * ld_ + j : j * ld_ + i);
    }

    std::int64_t rows_, cols_, ld_;
    cudaDataType type_;
    cusparseOrder_t order_;
    bytes all_;  // what was written last
    device_memory memory_;
    dense_matrix descriptor_;
};

// The arrays with each value replaced by its own position, so that the oracle tells where every element goes.
entries positions(sparse_arrays a) {
    for (std::size_t k = 0; k < a.values.size(); ++k) a.values[k] = static_cast<double>(k);
    return expand(a);
}

std::size_t position(const entry& e) { return static_cast<std::size_t>(e.value.real()); }

std::size_t values_of(const sparse_arrays& a) { return a.values.size(); }

bytes dense_bytes(const sparse_arrays& a, const bytes& values) {
    bytes result(static_cast<std::size_t>(a.rows * a.cols) * size_of(a.type));
    for (const entry& e : positions(a).list)
        put(result, static_cast<std::size_t>(e.row * a.cols + e.col), element(values, position(e), a.type));
    return result;
}

void convert_to_dense(cusparseSpMatDescr_t a, cusparseDnMatDescr_t b) {
    std::size_t size = 0;
    expect(cusparseSparseToDense_bufferSize(cusparse(), a, b, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, &size));
    const workspace buffer(size, 1);
    expect(cusparseSparseToDense(cusparse(), a, b, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, buffer.data()));
}

void check_to_dense(const sparse_arrays& a, cusparseOrder_t order, std::int64_t pad, random_source& random) {
    const bytes values = noise(values_of(a), a.type, random);
    device_matrix sparse(a);
    sparse.values().upload_bytes(values);
    const dense_operand dense(a.rows, a.cols, a.type, order, pad);
    convert_to_dense(sparse.get(), dense.get());
    CHECK((dense.download() == dense_bytes(a, values)));
}

// Zeros of both signs, NaNs and noise where the pattern has nothing, something or anything.
bytes dense_content(const entries& pattern, std::int64_t rows, std::int64_t cols, cudaDataType type,
                    random_source& random) {
    bytes result = encode(type, std::vector<number>(static_cast<std::size_t>(rows * cols)));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const number negative_zero = is_integer(type) ? number{0.0} : number{-0.0, is_complex(type) ? -0.0 : 0.0};
    for (std::size_t k = 0; k < static_cast<std::size_t>(rows * cols);
         k += 1 + static_cast<std::size_t>(random.below(4)))
        put(result, k, encode(type, {negative_zero}));
    for (const entry& e : pattern.list) {
        const auto k = static_cast<std::size_t>(e.row * cols + e.col);
        const bool special = random.below(8) == 0 && !is_integer(type);
        put(result, k,
            special ? encode(type, {number{random.below(2) ? nan : 0.0, is_complex(type) ? nan : 0.0}})
                    : noise(1, type, random));
    }
    return result;
}

// B's arrays on the device while DenseToSparse makes them: the offsets exist from the start, the rest once it
// is known how long it is.
class sparse_result {
  public:
    // Blocked-ELL's columns are the caller's, taken from `shape`.
    explicit sparse_result(sparse_arrays shape) : a_(std::move(shape)), ell_indices_(a_.indices) {
        a_.nnz = 0;
        a_.values.clear();
        a_.indices.clear();
        a_.row_indices.clear();
        offsets_ = std::make_unique<index_array>(a_.offset_type,
                                                 std::vector<std::int64_t>(a_.offsets.size(), -77), 1);
        if (a_.format == CUSPARSE_FORMAT_BLOCKED_ELL) allocate(0);
        analysed_ = make_descriptor();
    }

    cusparseSpMatDescr_t analysed() const { return analysed_.get(); }
    cusparseSpMatDescr_t filled() const { return filled_ ? filled_.get() : analysed_.get(); }

    // After analysis: takes nnz from the descriptor and hands it the arrays, or puts another descriptor in
    // its place.
    void make_room(bool same_descriptor) {
        std::int64_t rows = 0, cols = 0, nnz = 0;
        expect(cusparseSpMatGetSize(analysed_.get(), &rows, &cols, &nnz));
        CHECK(rows == a_.rows);
        CHECK(cols == a_.cols);
        a_.offsets = offsets_->numbers();
        if (a_.format == CUSPARSE_FORMAT_BLOCKED_ELL) return;
        // cuSPARSE counts elements where BSR is created with blocks.
        a_.nnz = a_.format == CUSPARSE_FORMAT_BSR ? nnz / (a_.block_rows * a_.block_cols) : nnz;
        allocate(nnz);
        if (same_descriptor && set_pointers()) return;
        filled_ = make_descriptor();
    }

    // The arrays as they are now; values hold their own positions.
    sparse_arrays arrays() const {
        sparse_arrays result = a_;
        result.row_indices = row_indices_->numbers();
        result.indices = indices_->numbers();
        result.values.resize(values_->size() / size_of(a_.type));
        return result;
    }
    bytes values() const { return values_->bytes(); }

  private:
    std::int64_t stored(std::int64_t nnz) const {
        if (a_.format == CUSPARSE_FORMAT_BLOCKED_ELL) return a_.rows * a_.ell_cols;
        if (a_.format == CUSPARSE_FORMAT_SLICED_ELLPACK) return a_.offsets.back() - a_.offsets.front();
        return nnz;
    }

    void allocate(std::int64_t nnz) {
        const bool is_ell = a_.format == CUSPARSE_FORMAT_BLOCKED_ELL,
                   is_coo = a_.format == CUSPARSE_FORMAT_COO;
        const auto count = static_cast<std::size_t>(stored(nnz));
        const std::size_t columns =
            a_.format == CUSPARSE_FORMAT_BSR ? static_cast<std::size_t>(a_.nnz) : count;
        const std::vector<std::int64_t> unset(columns, -77);
        row_indices_ =
            std::make_unique<index_array>(a_.index_type, is_coo ? unset : std::vector<std::int64_t>{}, 1);
        indices_ = std::make_unique<index_array>(a_.index_type, is_ell ? ell_indices_ : unset, 1);
        values_ = std::make_unique<device_memory>(count * size_of(a_.type), size_of(a_.type));
        a_.values.resize(count);
    }

    sparse_matrix make_descriptor() const {
        if (!values_) return describe(a_, offsets_->data(), nullptr, nullptr, nullptr);
        return describe(a_, offsets_->data(), row_indices_->data(), indices_->data(), values_->data());
    }

    // False for the formats that have no function for it.
    bool set_pointers() {
        void* const indices = indices_->data();
        void* const values = values_->data();
        switch (a_.format) {
            case CUSPARSE_FORMAT_COO:
                expect(cusparseCooSetPointers(analysed_.get(), row_indices_->data(), indices, values));
                return true;
            case CUSPARSE_FORMAT_CSR:
                expect(cusparseCsrSetPointers(analysed_.get(), offsets_->data(), indices, values));
                return true;
            case CUSPARSE_FORMAT_CSC:
                expect(cusparseCscSetPointers(analysed_.get(), offsets_->data(), indices, values));
                return true;
            default: return false;
        }
    }

    sparse_arrays a_;
    std::vector<std::int64_t> ell_indices_;
    std::unique_ptr<index_array> offsets_, row_indices_, indices_;
    std::unique_ptr<device_memory> values_;
    sparse_matrix analysed_, filled_;
};

// Lines are rows, or columns for CSC.
bool is_ascending(const entries& m, bool by_columns) {
    for (std::size_t k = 1; k < m.list.size(); ++k) {
        const entry &a = m.list[k - 1], &b = m.list[k];
        const auto before = by_columns ? std::pair(a.col, a.row) : std::pair(a.row, a.col);
        const auto after = by_columns ? std::pair(b.col, b.row) : std::pair(b.row, b.col);
        if (!(before < after)) return false;
    }
    return true;
}

bool is_blocked(cusparseFormat_t format) {
    return format == CUSPARSE_FORMAT_BSR || format == CUSPARSE_FORMAT_BLOCKED_ELL;
}

// Every nonzero of the dense matrix is stored once with its own bits, and no other zero than a block brings
// along.
void check_stored(const sparse_arrays& a, const bytes& values, const bytes& dense) {
    std::vector<bool> stored(static_cast<std::size_t>(a.rows * a.cols));
    std::vector<bool> used(values_of(a));
    std::size_t wrong = 0, zeros = 0, missing = 0, twice = 0;
    const entries where = positions(a);
    const auto is_inside = [&](const entry& e) {
        return e.row >= 0 && e.row < a.rows && e.col >= 0 && e.col < a.cols;
    };
    REQUIRE(std::all_of(where.list.begin(), where.list.end(), is_inside));
    for (const entry& e : where.list) {
        const auto k = static_cast<std::size_t>(e.row * a.cols + e.col);
        const byte_view value = element(values, position(e), a.type);
        wrong += !are_equal(value, element(dense, k, a.type));
        zeros += !is_blocked(a.format) && is_zero(value, a.type);
        twice += stored[k];
        stored[k] = true;
        used[position(e)] = true;
    }
    for (std::size_t k = 0; k < stored.size(); ++k)
        missing += !stored[k] && !is_zero(element(dense, k, a.type), a.type);
    // Padding is zero, and exactly +0.
    const bytes zero(size_of(a.type), 0);
    std::size_t dirty = 0;
    for (std::size_t k = 0; k < used.size(); ++k)
        dirty += !used[k] && !are_equal(element(values, k, a.type), zero);
    CHECK(wrong == 0);
    CHECK(zeros == 0);
    CHECK(twice == 0);
    CHECK(missing == 0);
    CHECK(dirty == 0);
    if (a.format == CUSPARSE_FORMAT_COO || a.format == CUSPARSE_FORMAT_CSR || a.format == CUSPARSE_FORMAT_CSC)
        CHECK(is_ascending(where, a.format == CUSPARSE_FORMAT_CSC));
}

// No block of zeros is stored, and block columns ascend.
void check_blocks(const sparse_arrays& a, const bytes& values) {
    const std::size_t block = static_cast<std::size_t>(a.block_rows * a.block_cols);
    for (std::size_t b = 0; b < a.indices.size(); ++b) {
        bool zero = true;
        for (std::size_t k = b * block; k < (b + 1) * block; ++k)
            zero = zero && is_zero(element(values, k, a.type), a.type);
        if (zero) FAIL_CHECK("block " << b << " is all zeros");
    }
    for (std::size_t line = 0; line + 1 < a.offsets.size(); ++line)
        for (std::int64_t b = a.offsets[line] - a.base + 1; b < a.offsets[line + 1] - a.base; ++b)
            if (a.indices[static_cast<std::size_t>(b - 1)] >= a.indices[static_cast<std::size_t>(b)])
                FAIL_CHECK("block columns of row " << line << " do not ascend");
}

void convert_to_sparse(const dense_operand& dense, sparse_result& result, bool same_descriptor) {
    constexpr auto alg = CUSPARSE_DENSETOSPARSE_ALG_DEFAULT;
    std::size_t size = 0;
    expect(cusparseDenseToSparse_bufferSize(cusparse(), dense.get(), result.analysed(), alg, &size));
    const workspace buffer(size, 1);
    expect(cusparseDenseToSparse_analysis(cusparse(), dense.get(), result.analysed(), alg, buffer.data()));
    result.make_room(same_descriptor);
    expect(cusparseDenseToSparse_convert(cusparse(), dense.get(), result.filled(), alg, buffer.data()));
}

// The matrix arranged in the layout says how long the offsets are, and which columns Blocked-ELL has.
void check_to_sparse(const entries& pattern, const sparse_arrays& shape, cusparseOrder_t order,
                     std::int64_t pad, random_source& random) {
    const bytes content = dense_content(pattern, shape.rows, shape.cols, shape.type, random);
    dense_operand dense(shape.rows, shape.cols, shape.type, order, pad);
    dense.upload(content);
    sparse_result result(shape);
    convert_to_sparse(dense, result, random.below(2) == 0);
    const sparse_arrays arrays = result.arrays();
    if (arrays.format != CUSPARSE_FORMAT_COO && arrays.format != CUSPARSE_FORMAT_BLOCKED_ELL)
        CHECK(arrays.offsets.front() == arrays.base);
    check_stored(arrays, result.values(), content);
    if (arrays.format == CUSPARSE_FORMAT_BSR) check_blocks(arrays, result.values());
    CHECK((dense.download() == content));

    // And back: zeros of either sign come back as +0.
    const dense_operand again(shape.rows, shape.cols, shape.type, order, 0);
    convert_to_dense(result.filled(), again.get());
    CHECK((again.download() == dense_bytes(arrays, result.values())));
}

// Calls f(pattern name, arrays, layout) for every small shape and layout.
template <class F>
void for_each_shape(cudaDataType type, random_source& random, F&& f) {
    const std::vector<index_choice>& indices = index_choices(type == CUDA_R_32F);
    for (const named_pattern& pattern : small_patterns())
        for (const layout& l : convert_layouts()) {
            const index_choice& index =
                indices[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(indices.size())))];
            const sparse_arrays arrays = arrange(pattern.matrix, l, index, type, random);
            INFO(pattern.name << " as " << l.name << ", " << facts(type).name << ", base " << index.base);
            f(pattern.matrix, arrays, l);
        }
}

}  // namespace

TEST_CASE("SparseToDense of every type, format and index type") {
    random_source random(41);
    for (const cudaDataType type : tried_types())
        for (const layout& l : convert_layouts())
            for (const index_choice& index : index_choices(type == CUDA_R_32F))
                for (const cusparseOrder_t order : both_orders) {
                    INFO(l.name << ", " << facts(type).name << ", base " << index.base << ", order "
                                << order);
                    check_to_dense(arrange(irregular_pattern(), l, index, type, random), order, padding,
                                   random);
                }
}

TEST_CASE("SparseToDense of every shape") {
    random_source random(42);
    for (const cudaDataType type : {CUDA_R_8I, CUDA_R_32F, CUDA_C_64F})
        for_each_shape(type, random, [&](const entries&, const sparse_arrays& arrays, const layout&) {
            for (const cusparseOrder_t order : both_orders)
                for (const std::int64_t pad : {std::int64_t{0}, padding})
                    check_to_dense(arrays, order, pad, random);
        });
}

TEST_CASE("SparseToDense of long and of many rows") {
    random_source random(47);
    entries long_rows{2, 540001, {}};
    for (std::int64_t k = 0; k < 3000; ++k) long_rows.list.push_back({k % 2, 179 * k, 1.0});
    entries full_rows{3, 5000, {}};
    for (std::int64_t k = 0; k < 15000; ++k) full_rows.list.push_back({k / 5000, k % 5000, 1.0});
    const named_pattern patterns[] = {{"long rows", long_rows},
                                      {"full rows", full_rows},
                                      {"many rows", random_pattern(20000, 5, 2, random)}};
    for (const named_pattern& pattern : patterns)
        for (const cusparseFormat_t format : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC})
            for (const cusparseOrder_t order : both_orders)
                for (const int base : {0, 1}) {
                    INFO(pattern.name << ", format " << format << ", base " << base << ", order " << order);
                    const index_choice index{CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, base};
                    check_to_dense(arrange(pattern.matrix, {"", format}, index, CUDA_R_32F, random), order,
                                   base * padding, random);
                }
}

TEST_CASE("SparseToDense of a matrix that stores nothing and has NULL arrays") {
    random_source random(43);
    for (const entries& matrix : {entries{7, 4, {}}, entries{0, 0, {}}, entries{0, 6, {}}, entries{6, 0, {}}})
        for (const layout& l : convert_layouts())
            for (const cusparseOrder_t order : both_orders) {
                INFO(matrix.rows << " x " << matrix.cols << " as " << l.name);
                const sparse_arrays arrays = arrange(matrix, l, {}, CUDA_R_32F, random);
                const device_matrix sparse(arrays, 0, true);
                const dense_operand dense(arrays.rows, arrays.cols, arrays.type, order, padding);
                convert_to_dense(sparse.get(), dense.get());
                const bytes zeros(static_cast<std::size_t>(arrays.rows * arrays.cols) * 4);
                CHECK((dense.download() == zeros));
            }
}

TEST_CASE("DenseToSparse of every type, format and index type") {
    random_source random(44);
    for (const cudaDataType type : tried_types())
        for (const layout& l : convert_layouts()) {
            if (l.shuffled) continue;
            for (const index_choice& index : index_choices(type == CUDA_R_32F))
                for (const cusparseOrder_t order : both_orders) {
                    INFO(l.name << ", " << facts(type).name << ", base " << index.base << ", order "
                                << order);
                    const entries pattern = irregular_pattern();
                    check_to_sparse(pattern, arrange(pattern, l, index, type, random), order, padding,
                                    random);
                }
        }
}

TEST_CASE("DenseToSparse of every shape") {
    random_source random(45);
    for (const cudaDataType type : {CUDA_R_32F, CUDA_C_64F})
        for_each_shape(type, random,
                       [&](const entries& pattern, const sparse_arrays& arrays, const layout& l) {
                           if (l.shuffled) return;
                           for (const cusparseOrder_t order : both_orders)
                               for (const std::int64_t pad : {std::int64_t{0}, padding})
                                   check_to_sparse(pattern, arrays, order, pad, random);
                       });
}

TEST_CASE("DenseToSparse of many short rows") {
    random_source random(48);
    for (const auto& [rows, format, type] : {std::tuple{5000, CUSPARSE_FORMAT_COO, CUDA_C_64F},
                                             {5000, CUSPARSE_FORMAT_CSR, CUDA_R_32F},
                                             {70000, CUSPARSE_FORMAT_CSR, CUDA_R_32F}}) {
        INFO(rows << " rows, format " << format);
        const entries pattern = random_pattern(rows, 3, 2, random);
        const sparse_arrays arrays =
            arrange(pattern, {"", format}, {CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, 1}, type, random);
        check_to_sparse(pattern, arrays, CUSPARSE_ORDER_COL, padding, random);
    }
}

// So many that each item of a GPU has a row.
TEST_CASE("DenseToSparse of the shortest rows of every type and index type") {
    random_source random(50);
    const std::int64_t rows =
        backend_name() == "cuda" ? 512 * std::int64_t{device_info().compute_units} + 1 : 700;
    const entries pattern = random_pattern(rows, 2, 2, random);
    for (const cudaDataType type : tried_types())
        for (const index_choice& index : index_choices(type == CUDA_R_32F)) {
            INFO(facts(type).name << ", base " << index.base);
            check_to_sparse(pattern, arrange(pattern, {"", CUSPARSE_FORMAT_CSR}, index, type, random),
                            CUSPARSE_ORDER_COL, padding, random);
        }
}

// More than one group of a GPU adds up, and so long that groups share them.
TEST_CASE("DenseToSparse of many rows of every type that are cut into strips") {
    random_source random(52);
    const std::int64_t rows = backend_name() == "cuda" ? 4100 : 300;
    const entries pattern = random_pattern(rows, 70, 9, random);
    for (const cudaDataType type : tried_types()) {
        INFO(facts(type).name);
        check_to_sparse(pattern, arrange(pattern, {"", CUSPARSE_FORMAT_CSR}, {}, type, random),
                        CUSPARSE_ORDER_COL, padding, random);
    }
}

// It is cleared before its few elements are written.
TEST_CASE("SparseToDense of one long row of every type and index type") {
    random_source random(51);
    entries matrix{1, backend_name() == "cuda" ? 524'800 : 1'000, {}};
    for (std::int64_t k = 0; k < 300; ++k) matrix.list.push_back({0, k * (matrix.cols / 300), 1.0});
    for (const cudaDataType type : tried_types())
        for (const index_choice& index : index_choices(type == CUDA_R_32F)) {
            INFO(facts(type).name << ", base " << index.base);
            check_to_dense(arrange(matrix, {"", CUSPARSE_FORMAT_CSR}, index, type, random),
                           CUSPARSE_ORDER_ROW, padding, random);
        }
}

TEST_CASE("SparseToDense of few elements by columns") {
    random_source random(49);
    const index_choice index{CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, 0};
    for (const auto& [rows, cols] : {std::pair{3000, 1500}, {8200, 1030}}) {
        entries matrix{rows, cols, {}};
        for (std::int64_t k = 0; k < 1500; ++k) matrix.list.push_back({(k * 2) % rows, (k * 37) % cols, 1.0});
        INFO(rows << " x " << cols);
        check_to_dense(arrange(matrix, {"", CUSPARSE_FORMAT_CSR}, index, CUDA_R_32F, random),
                       CUSPARSE_ORDER_COL, padding, random);
    }
}

TEST_CASE("conversions of a matrix that many threads share") {
    random_source random(46);
    const entries pattern = random_pattern(1500, 400, 30, random);
    for (const layout& l : convert_layouts()) {
        if (l.shuffled) continue;
        INFO(l.name);
        const sparse_arrays arrays = arrange(pattern, l, {}, CUDA_R_32F, random);
        check_to_dense(arrays, CUSPARSE_ORDER_COL, padding, random);
        check_to_sparse(pattern, arrays, CUSPARSE_ORDER_ROW, padding, random);
    }
}

TEST_CASE("DenseToSparse keeps the explicit columns of Blocked-ELL, empty slots too") {
    sparse_arrays a;
    a.format = CUSPARSE_FORMAT_BLOCKED_ELL;
    a.rows = 5;
    a.cols = 7;
    a.type = CUDA_R_32F;
    a.block_rows = a.block_cols = 2;
    a.ell_cols = 4;
    a.indices = {3, -1, -1, 0, 2, 1};
    random_source random(47);
    const bytes content = noise(35, a.type, random);
    dense_operand dense(5, 7, a.type, CUSPARSE_ORDER_COL, padding);
    dense.upload(content);
    sparse_result result(a);
    convert_to_sparse(dense, result, true);
    const sparse_arrays arrays = result.arrays();
    CHECK(arrays.indices == a.indices);
    const bytes values = result.values();
    std::size_t wrong = 0;
    for (const entry& e : positions(arrays).list)
        wrong += !are_equal(element(values, position(e), a.type),
                            element(content, static_cast<std::size_t>(e.row * 7 + e.col), a.type));
    CHECK(wrong == 0);
    CHECK(positions(arrays).list.size() == 2 * 1 + 2 * 2 + 1 * 4);
}

TEST_CASE("SparseToDense of a batch") {
    random_source random(48);
    constexpr int batches = 3;
    const entries pattern = irregular_pattern();
    const sparse_arrays one = arrange(pattern, {"CSR", CUSPARSE_FORMAT_CSR}, {}, CUDA_R_32F, random);
    const std::int64_t gap = 5, nnz = one.nnz, values_stride = nnz + gap,
                       dense_stride = one.rows * one.cols + gap;
    const index_array offsets(CUSPARSE_INDEX_32I, one.offsets);
    std::vector<std::int64_t> columns;
    for (int batch = 0; batch < batches; ++batch) {
        columns.insert(columns.end(), one.indices.begin(), one.indices.end());
        columns.insert(columns.end(), static_cast<std::size_t>(gap), -1);
    }
    const index_array indices(CUSPARSE_INDEX_32I, columns);
    const bytes values = noise(static_cast<std::size_t>(values_stride * batches), one.type, random);
    const device_array<unsigned char> values_memory(values);
    device_array<unsigned char> dense_memory(static_cast<std::size_t>(dense_stride * batches) * 4);
    dense_memory.memory().fill(0xa5);

    const sparse_matrix sparse = describe(one, offsets.data(), nullptr, indices.data(), values_memory.data());
    expect(cusparseCsrSetStridedBatch(sparse.get(), batches, 0, values_stride));
    cusparseDnMatDescr_t m = nullptr;
    expect(cusparseCreateDnMat(&m, one.rows, one.cols, one.cols, dense_memory.data(), one.type,
                               CUSPARSE_ORDER_ROW));
    const dense_matrix dense(m);
    expect(cusparseDnMatSetStridedBatch(m, batches, dense_stride));
    convert_to_dense(sparse.get(), m);

    bytes expected(dense_memory.size(), 0xa5);
    for (int batch = 0; batch < batches; ++batch) {
        const auto from = values.begin() + batch * values_stride * 4;
        const bytes block = dense_bytes(one, bytes(from, from + nnz * 4));
        std::copy(block.begin(), block.end(), expected.begin() + batch * dense_stride * 4);
    }
    CHECK((dense_memory.download() == expected));
}
