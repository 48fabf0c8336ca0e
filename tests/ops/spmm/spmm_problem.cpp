#include "spmm_problem.hpp"

namespace heron::test {
namespace {

std::vector<number> numbers(cudaDataType type, std::size_t count, std::uint64_t stream) {
    random_source random(stream);
    return random_values(type, count, random);
}

const char* name_of(cusparseOperation_t op) {
    static constexpr const char* names[] = {"N", "T", "C"};
    return names[op];
}

const char* name_of(cusparseFormat_t format) {
    static constexpr const char* names[] = {"?", "CSR", "CSC", "COO", "?", "Blocked-ELL", "BSR", "SELL"};
    return names[format];
}

std::string text(number v) { return fmt::format("({:.6g},{:.6g})", v.real(), v.imag()); }

std::int64_t rows_of_op(const sparse_arrays& a, cusparseOperation_t op) {
    return op == CUSPARSE_OPERATION_NON_TRANSPOSE ? a.rows : a.cols;
}
std::int64_t cols_of_op(const sparse_arrays& a, cusparseOperation_t op) {
    return op == CUSPARSE_OPERATION_NON_TRANSPOSE ? a.cols : a.rows;
}

bool transposes(cusparseOperation_t op) { return op != CUSPARSE_OPERATION_NON_TRANSPOSE; }

// What a product in this compute type is summed in.
cudaDataType sum_type(cudaDataType compute) { return compute == CUDA_R_16F ? CUDA_R_32F : compute; }

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from, std::int64_t gap, T filler) {
    to.insert(to.end(), from.begin(), from.end());
    to.insert(to.end(), static_cast<std::size_t>(gap), filler);
}

}  // namespace

std::string spmm_types::name() const {
    return fmt::format("{} -> {} in {}", facts(ab).name, facts(c).name, facts(compute).name);
}

spmm_types uniform_spmm(cudaDataType type) {
    switch (type) {
        case CUDA_R_16F:
        case CUDA_R_16BF: return {type, type, CUDA_R_32F};
        case CUDA_C_16F:
        case CUDA_C_16BF: return {type, type, CUDA_C_32F};
        default: return {type, type, type};
    }
}

std::vector<spmm_types> spmm_rows() {
    std::vector<spmm_types> rows;
    for (cudaDataType type :
         {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F, CUDA_R_16F, CUDA_R_16BF, CUDA_C_16F, CUDA_C_16BF})
        rows.push_back(uniform_spmm(type));
    rows.push_back({CUDA_R_8I, CUDA_R_32I, CUDA_R_32I});
    rows.push_back({CUDA_R_8I, CUDA_R_32F, CUDA_R_32F});
    rows.push_back({CUDA_R_16F, CUDA_R_32F, CUDA_R_32F});
    rows.push_back({CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F});
    std::erase_if(rows, [](const spmm_types& row) { return !device_has(row.compute); });
    return rows;
}

spmm_call general_call(const spmm_types& types) {
    return {representable(types.compute, {0.75, -0.5}), representable(types.compute, {-1.25, 0.625})};
}

std::size_t spmm_problem::placement::at(std::int64_t item, std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>(item * stride + (order == CUSPARSE_ORDER_ROW ? i * ld + j : j * ld + i));
}

spmm_problem::placement spmm_problem::place(std::int64_t rows, std::int64_t cols, cusparseOrder_t order,
                                            int items, const spmm_options& options) {
    const bool by_rows = order == CUSPARSE_ORDER_ROW;
    const std::int64_t ld = (by_rows ? cols : rows) + options.padding;
    return {rows, cols, ld, ld * (by_rows ? rows : cols) + options.padding, order, items};
}

sparse_arrays spmm_problem::concatenated(const std::vector<sparse_arrays>& matrices,
                                         const spmm_options& options) {
    sparse_arrays all = matrices[0];
    if (options.poisoned_inputs) all.values.assign(all.values.size(), poison(all.type));
    if (matrices.size() == 1) return all;
    all.offsets.clear();
    all.row_indices.clear();
    all.indices.clear();
    all.values.clear();
    for (const sparse_arrays& m : matrices) {
        if (!options.same_offsets || all.offsets.empty())
            append(all.offsets, m.offsets, options.padding, std::int64_t{-77});
        if (!m.row_indices.empty())
            append(all.row_indices, m.row_indices, options.padding, std::int64_t{-77});
        append(all.indices, m.indices, options.padding, std::int64_t{-77});
        append(all.values, m.values,
               options.padding * static_cast<std::int64_t>(m.values.size() / m.indices.size()), number{});
    }
    return all;
}

spmm_problem::spmm_problem(const std::vector<sparse_arrays>& matrices, const spmm_types& types,
                           const spmm_options& options)
    : matrices_(matrices),
      types_(types),
      options_(options),
      b_place_(transposes(options.op_b) ? place(options.n, cols_of_op(matrices[0], options.op_a),
                                                options.order_b, options.one_b ? 1 : options.items, options)
                                        : place(cols_of_op(matrices[0], options.op_a), options.n,
                                                options.order_b, options.one_b ? 1 : options.items, options)),
      c_place_(
          place(rows_of_op(matrices[0], options.op_a), options.n, options.order_c, options.items, options)),
      b_start_(numbers(types.ab, b_place_.size(), 1)),
      c_start_(numbers(types.c, c_place_.size(), 2)),
      a_(concatenated(matrices, options), options.misalignment, options.absent_arrays),
      b_(types.ab,
         options.poisoned_inputs ? std::vector<number>(b_start_.size(), poison(types.ab)) : b_start_,
         options.misalignment),
      c_(types.c, c_start_, options.misalignment),
      b_descriptor_(describe(types.ab, b_place_, b_)),
      c_descriptor_(describe(types.c, c_place_, c_)) {
    if (matrices_.size() > 1) set_batch_of_a();
}

dense_matrix spmm_problem::describe(cudaDataType type, const placement& p, const typed_array& values) const {
    cusparseDnMatDescr_t m = nullptr;
    expect(cusparseCreateDnMat(&m, p.rows, p.cols, p.ld, values.data(), type, p.order));
    if (p.items > 1) expect(cusparseDnMatSetStridedBatch(m, p.items, p.stride));
    return dense_matrix(m);
}

void spmm_problem::set_batch_of_a() {
    const sparse_arrays& m = matrices_[0];
    const auto count = static_cast<int>(matrices_.size());
    const auto length = [&](const auto& array) {
        return static_cast<std::int64_t>(array.size()) + options_.padding;
    };
    const std::int64_t offsets = options_.same_offsets ? 0 : length(m.offsets);
    const std::int64_t block = m.block_rows * m.block_cols;
    switch (m.format) {
        case CUSPARSE_FORMAT_COO:
            return expect(cusparseCooSetStridedBatch(a_.get(), count, length(m.indices)));
        case CUSPARSE_FORMAT_BSR:
            return expect(cusparseBsrSetStridedBatch(a_.get(), count, offsets, length(m.indices),
                                                     length(m.indices) * block));
        default: return expect(cusparseCsrSetStridedBatch(a_.get(), count, offsets, length(m.indices)));
    }
}

cusparseStatus_t spmm_problem::try_buffer_size(const spmm_call& call, std::size_t* size) {
    const pointer_mode_scope mode(call.mode);
    const scalar_operand alpha(types_.compute, call.alpha, call.mode),
        beta(types_.compute, call.beta, call.mode);
    return cusparseSpMM_bufferSize(cusparse(), options_.op_a, options_.op_b, alpha.data(), a_.get(),
                                   b_descriptor_.get(), beta.data(), c_descriptor_.get(), types_.compute,
                                   call.algorithm, size);
}

std::size_t spmm_problem::buffer_size(const spmm_call& call) {
    INFO(description(call));
    std::size_t size = 0;
    expect(try_buffer_size(call, &size));
    return size;
}

void spmm_problem::preprocess(const spmm_call& call, void* buffer) {
    INFO(description(call));
    const pointer_mode_scope mode(call.mode);
    const scalar_operand alpha(types_.compute, call.alpha, call.mode),
        beta(types_.compute, call.beta, call.mode);
    expect(cusparseSpMM_preprocess(cusparse(), options_.op_a, options_.op_b, alpha.data(), a_.get(),
                                   b_descriptor_.get(), beta.data(), c_descriptor_.get(), types_.compute,
                                   call.algorithm, buffer));
}

// Poison only where C's elements are: what lies between its lines must stay.
std::vector<number> spmm_problem::start_of_c(const spmm_call& call) const {
    std::vector<number> start = c_start_;
    if (call.beta != 0.0) return start;
    for (int item = 0; item < c_place_.items; ++item)
        for (std::int64_t i = 0; i < c_place_.rows; ++i)
            for (std::int64_t j = 0; j < c_place_.cols; ++j)
                start[c_place_.at(item, i, j)] = poison(types_.c);
    return start;
}

cusparseStatus_t spmm_problem::try_run(const spmm_call& call, void* buffer) {
    c_.upload(start_of_c(call));
    const pointer_mode_scope mode(call.mode);
    const scalar_operand alpha(types_.compute, call.alpha, call.mode),
        beta(types_.compute, call.beta, call.mode);
    const cusparseStatus_t status =
        cusparseSpMM(cusparse(), options_.op_a, options_.op_b, alpha.data(), a_.get(), b_descriptor_.get(),
                     beta.data(), c_descriptor_.get(), types_.compute, call.algorithm, buffer);
    // The scalars in device memory must live until the product is done.
    expect(heron_synchronize(native()));
    return status;
}

void spmm_problem::run(const spmm_call& call, void* buffer) {
    INFO(description(call));
    expect(try_run(call, buffer));
    const std::string wrong = difference(c_.numbers(), expected(call));
    if (!wrong.empty()) FAIL_CHECK(wrong);
    if (!options_.poisoned_inputs && b_.bytes() != encode(types_.ab, b_start_)) FAIL_CHECK("B was written");
}

void spmm_problem::run(const spmm_call& call, bool with_preprocess) {
    const workspace buffer(buffer_size(call));
    if (with_preprocess) preprocess(call, buffer.data());
    run(call, buffer.data());
}

expectation spmm_problem::expected(const spmm_call& call) const {
    expectation all{c_start_, std::vector<double>(c_start_.size())};
    const std::int64_t m = c_place_.rows, n = c_place_.cols, k = cols_of_op(matrices_[0], options_.op_a);
    for (int item = 0; item < c_place_.items; ++item) {
        const entries a = expand(matrices_[matrices_.size() == 1 ? 0 : static_cast<std::size_t>(item)]);
        std::vector<number> b, c;
        for (std::int64_t j = 0; j < n; ++j) {
            for (std::int64_t i = 0; i < k; ++i) {
                const std::int64_t from = b_place_.items == 1 ? 0 : item;
                const number v =
                    b_start_[transposes(options_.op_b) ? b_place_.at(from, j, i) : b_place_.at(from, i, j)];
                b.push_back(options_.op_b == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? std::conj(v) : v);
            }
            for (std::int64_t i = 0; i < m; ++i) c.push_back(c_start_[c_place_.at(item, i, j)]);
        }
        const expectation one =
            spmm(a, options_.op_a, call.alpha, b, call.beta, c, n, sum_type(types_.compute), types_.c);
        for (std::int64_t j = 0; j < n; ++j)
            for (std::int64_t i = 0; i < m; ++i) {
                all.value[c_place_.at(item, i, j)] = one.value[static_cast<std::size_t>(j * m + i)];
                all.bound[c_place_.at(item, i, j)] = one.bound[static_cast<std::size_t>(j * m + i)];
            }
    }
    return all;
}

std::string spmm_problem::description(const spmm_call& call) const {
    const sparse_arrays& a = matrices_[0];
    const auto order = [](cusparseOrder_t o) { return o == CUSPARSE_ORDER_ROW ? "rows" : "columns"; };
    const auto width = [](cusparseIndexType_t type) { return type == CUSPARSE_INDEX_32I ? 32 : 64; };
    return fmt::format(
        "{} of {} {} x {}, nnz {}, base {}, blocks {} x {}, offsets/indices {}/{}, {}, opA {}, opB {}, n {}, "
        "B by {} "
        "({}), C by {} ({}), padding {}, alpha {}, beta {}, algorithm {}, {} scalars",
        name_of(a.format), matrices_.size(), a.rows, a.cols, a.nnz, a.base, a.block_rows, a.block_cols,
        width(a.offset_type), width(a.index_type), types_.name(), name_of(options_.op_a),
        name_of(options_.op_b), options_.n, order(options_.order_b), b_place_.items, order(options_.order_c),
        c_place_.items, options_.padding, text(call.alpha), text(call.beta), static_cast<int>(call.algorithm),
        call.mode == CUSPARSE_POINTER_MODE_DEVICE ? "device" : "host");
}

}  // namespace heron::test
