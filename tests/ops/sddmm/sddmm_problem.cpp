#include "sddmm_problem.hpp"

namespace heron::test {
namespace {

constexpr std::int64_t gap = 3;  // elements between the items of a batch

std::vector<std::vector<number>> random_items(cudaDataType type, std::int64_t count, std::int64_t size,
                                              std::uint64_t stream) {
    random_source random(stream);
    std::vector<std::vector<number>> items;
    for (std::int64_t i = 0; i < count; ++i)
        items.push_back(random_values(type, static_cast<std::size_t>(size), random));
    return items;
}

struct stored_shape {
    std::int64_t rows, cols, ld, lines, stride;
};

stored_shape shape_of(std::int64_t rows, std::int64_t cols, const dense_layout& l) {
    const bool transposed = l.op != CUSPARSE_OPERATION_NON_TRANSPOSE;
    stored_shape s{transposed ? cols : rows, transposed ? rows : cols, 0, 0, 0};
    const bool by_rows = l.order == CUSPARSE_ORDER_ROW;
    s.ld = std::max<std::int64_t>((by_rows ? s.cols : s.rows) + l.padding, 1);
    s.lines = by_rows ? s.rows : s.cols;
    s.stride = s.ld * s.lines + gap;
    return s;
}

std::vector<number> stored(cudaDataType type, std::int64_t rows, std::int64_t cols,
                           const std::vector<std::vector<number>>& items, const dense_layout& l,
                           bool poisoned) {
    const stored_shape s = shape_of(rows, cols, l);
    const auto size = s.lines == 0 ? 0 : static_cast<std::int64_t>(items.size()) * s.stride;
    std::vector<number> result(static_cast<std::size_t>(size), poison(type));
    if (poisoned) return result;
    const bool transposed = l.op != CUSPARSE_OPERATION_NON_TRANSPOSE;
    for (std::size_t item = 0; item < items.size(); ++item)
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < cols; ++j) {
                const std::int64_t r = transposed ? j : i, c = transposed ? i : j;
                const std::int64_t at = l.order == CUSPARSE_ORDER_ROW ? r * s.ld + c : c * s.ld + r;
                const number v = items[item][static_cast<std::size_t>(i * cols + j)];
                result[item * static_cast<std::size_t>(s.stride) + static_cast<std::size_t>(at)] =
                    l.op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? std::conj(v) : v;
            }
    return result;
}

sparse_arrays concatenated(const std::vector<sparse_arrays>& items, bool shared_pattern) {
    sparse_arrays all = items[0];
    const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    for (std::size_t i = 1; i < items.size(); ++i) {
        append(all.values, items[i].values);
        if (shared_pattern) continue;
        append(all.offsets, items[i].offsets);
        append(all.row_indices, items[i].row_indices);
        append(all.indices, items[i].indices);
    }
    return all;
}

std::string name_of(const dense_layout& l) {
    static constexpr const char* ops[] = {"N", "T", "C"};
    return fmt::format("{} by {}, padding {}", ops[l.op], l.order == CUSPARSE_ORDER_ROW ? "rows" : "columns",
                       l.padding);
}

const std::vector<number>& item_of(const std::vector<std::vector<number>>& items, std::size_t i) {
    return items[items.size() == 1 ? 0 : i];
}

}  // namespace

std::string sddmm_types::name() const {
    return fmt::format("{} -> {} in {}", facts(dense).name, facts(sparse).name, facts(compute).name);
}

std::vector<sddmm_types> sddmm_rows() {
    std::vector<sddmm_types> rows{{CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
                                  {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F},
                                  {CUDA_R_16F, CUDA_R_32F, CUDA_R_32F},
                                  {CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F}};
    if (backend_name() != "opencl") {
        rows.push_back({CUDA_R_64F, CUDA_R_64F, CUDA_R_64F});
        rows.push_back({CUDA_C_32F, CUDA_C_32F, CUDA_C_32F});
        rows.push_back({CUDA_R_16F, CUDA_R_16F, CUDA_R_32F});
        rows.push_back({CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F});
    }
    std::erase_if(rows, [](const sddmm_types& row) { return !device_has(row.compute); });
    return rows;
}

std::vector<dense_layout> dense_layouts() {
    std::vector<dense_layout> all;
    for (const cusparseOrder_t order : {CUSPARSE_ORDER_ROW, CUSPARSE_ORDER_COL})
        for (const cusparseOperation_t op : {CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE,
                                             CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE})
            all.push_back({order, op, op == CUSPARSE_OPERATION_TRANSPOSE ? 0 : 3});
    return all;
}

dense_operand::dense_operand(cudaDataType type, std::int64_t rows, std::int64_t cols,
                             const std::vector<std::vector<number>>& items, const dense_layout& l,
                             std::size_t misalignment, bool poisoned)
    : type_(type),
      stored_(stored(type, rows, cols, items, l, poisoned)),
      memory_(type, stored_, misalignment) {
    const stored_shape s = shape_of(rows, cols, l);
    cusparseDnMatDescr_t m = nullptr;
    expect(cusparseCreateDnMat(&m, s.rows, s.cols, s.ld, memory_.data(), type, l.order));
    descriptor_.reset(m);
    if (items.size() > 1) expect(cusparseDnMatSetStridedBatch(m, static_cast<int>(items.size()), s.stride));
}

sddmm_problem::sddmm_problem(const std::vector<sparse_arrays>& items, const sddmm_types& types,
                             std::int64_t k, const dense_layout& a, const dense_layout& b,
                             const sddmm_options& options)
    : items_(items),
      types_(types),
      k_(k),
      a_layout_(a),
      b_layout_(b),
      options_(options),
      all_(concatenated(items, options.shared_pattern)),
      a_items_(random_items(types.dense, options.shared_a ? 1 : static_cast<std::int64_t>(items.size()),
                            all_.rows * k, 21)),
      b_items_(random_items(types.dense, options.shared_b ? 1 : static_cast<std::int64_t>(items.size()),
                            k * all_.cols, 22)),
      a_(types.dense, all_.rows, k, a_items_, a, options.misalignment, options.poisoned_inputs),
      b_(types.dense, k, all_.cols, b_items_, b, options.misalignment, options.poisoned_inputs),
      c_(all_, options.misalignment, options.absent_arrays) {
    if (items.size() > 1) set_batch();
}

void sddmm_problem::set_batch() {
    const int count = static_cast<int>(items_.size());
    const auto offsets = static_cast<std::int64_t>(items_[0].offsets.size());
    const auto indices = static_cast<std::int64_t>(items_[0].indices.size());
    const auto values = static_cast<std::int64_t>(items_[0].values.size());
    const bool shared = options_.shared_pattern;
    if (all_.format == CUSPARSE_FORMAT_COO)
        return expect(cusparseCooSetStridedBatch(c_.get(), count, values));
    if (all_.format == CUSPARSE_FORMAT_BSR)
        return expect(
            cusparseBsrSetStridedBatch(c_.get(), count, shared ? 0 : offsets, shared ? 0 : indices, values));
    expect(cusparseCsrSetStridedBatch(c_.get(), count, offsets, values));
}

cusparseStatus_t sddmm_problem::try_buffer_size(const sddmm_call& call, std::size_t* size) {
    const pointer_mode_scope mode(call.mode);
    const scalar_operand alpha(types_.compute, call.alpha, call.mode),
        beta(types_.compute, call.beta, call.mode);
    return cusparseSDDMM_bufferSize(cusparse(), a_layout_.op, b_layout_.op, alpha.data(), a_.get(), b_.get(),
                                    beta.data(), c_.get(), types_.compute, CUSPARSE_SDDMM_ALG_DEFAULT, size);
}

std::size_t sddmm_problem::buffer_size(const sddmm_call& call) {
    INFO(description(call));
    std::size_t size = 0;
    expect(try_buffer_size(call, &size));
    return size;
}

void sddmm_problem::preprocess(const sddmm_call& call, void* buffer) {
    INFO(description(call));
    const pointer_mode_scope mode(call.mode);
    const scalar_operand alpha(types_.compute, call.alpha, call.mode),
        beta(types_.compute, call.beta, call.mode);
    expect(cusparseSDDMM_preprocess(cusparse(), a_layout_.op, b_layout_.op, alpha.data(), a_.get(), b_.get(),
                                    beta.data(), c_.get(), types_.compute, CUSPARSE_SDDMM_ALG_DEFAULT,
                                    buffer));
}

cusparseStatus_t sddmm_problem::try_run(const sddmm_call& call, void* buffer) {
    const bool unread = call.beta == 0.0;
    c_.values().upload(unread ? std::vector<number>(all_.values.size(), poison(types_.sparse)) : all_.values);
    const pointer_mode_scope mode(call.mode);
    const scalar_operand alpha(types_.compute, call.alpha, call.mode),
        beta(types_.compute, call.beta, call.mode);
    const cusparseStatus_t status =
        cusparseSDDMM(cusparse(), a_layout_.op, b_layout_.op, alpha.data(), a_.get(), b_.get(), beta.data(),
                      c_.get(), types_.compute, CUSPARSE_SDDMM_ALG_DEFAULT, buffer);
    // The scalars in device memory must live until the product is done.
    expect(heron_synchronize(native()));
    return status;
}

void sddmm_problem::run(const sddmm_call& call, void* buffer) {
    INFO(description(call));
    expect(try_run(call, buffer));
    check(call);
}

void sddmm_problem::run(const sddmm_call& call, bool with_preprocess) {
    const workspace buffer(buffer_size(call), 1);
    if (with_preprocess) preprocess(call, buffer.data());
    run(call, buffer.data());
}

void sddmm_problem::check(const sddmm_call& call) {
    const std::vector<number> results = c_.values().numbers();
    const std::size_t size = items_[0].values.size();
    for (std::size_t i = 0; i < items_.size(); ++i) {
        sparse_arrays result = items_[i];
        const auto first = results.begin() + static_cast<std::ptrdiff_t>(i * size);
        result.values.assign(first, first + static_cast<std::ptrdiff_t>(size));
        std::vector<number> actual;
        for (const entry& e : expand(result).list) actual.push_back(e.value);
        const expectation expected = sddmm(expand(items_[i]), k_, call.alpha, item_of(a_items_, i),
                                           item_of(b_items_, i), call.beta, types_.compute, types_.sparse);
        const std::string wrong = difference(actual, expected);
        if (!wrong.empty()) FAIL_CHECK("item " << i << ": " << wrong);
    }
    if (!a_.is_unchanged()) FAIL_CHECK("A was written");
    if (!b_.is_unchanged()) FAIL_CHECK("B was written");
}

std::string sddmm_problem::description(const sddmm_call& call) const {
    return fmt::format(
        "format {}, {} x {}, k {}, nnz {}, base {}, blocks {} x {}, {} items, {}, A {}, B {}, alpha {}+{}i, "
        "beta {}+{}i",
        static_cast<int>(all_.format), all_.rows, all_.cols, k_, all_.nnz, all_.base, all_.block_rows,
        all_.block_cols, items_.size(), types_.name(), name_of(a_layout_), name_of(b_layout_),
        call.alpha.real(), call.alpha.imag(), call.beta.real(), call.beta.imag());
}

}  // namespace heron::test
