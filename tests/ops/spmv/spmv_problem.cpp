#include "spmv_problem.hpp"

namespace heron::test {
namespace {

sparse_arrays poisoned(sparse_arrays a) {
    a.values.assign(a.values.size(), poison(a.type));
    return a;
}

std::vector<number> numbers(cudaDataType type, std::int64_t count, std::uint64_t stream) {
    random_source random(stream);
    return random_values(type, static_cast<std::size_t>(count), random);
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

const char* width(cusparseIndexType_t type) { return type == CUSPARSE_INDEX_32I ? "32" : "64"; }

}  // namespace

std::string product_types::name() const {
    return fmt::format("{} x {} -> {} in {}", facts(a).name, facts(x).name, facts(y).name,
                       facts(compute).name);
}

product_types uniform(cudaDataType type) {
    switch (type) {
        case CUDA_R_16F:
        case CUDA_R_16BF: return {type, type, type, CUDA_R_32F};
        case CUDA_C_16F:
        case CUDA_C_16BF: return {type, type, type, CUDA_C_32F};
        default: return {type, type, type, type};
    }
}

std::vector<product_types> product_rows() {
    std::vector<product_types> rows;
    for (cudaDataType type :
         {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F, CUDA_R_16F, CUDA_R_16BF, CUDA_C_16F, CUDA_C_16BF})
        rows.push_back(uniform(type));
    rows.push_back({CUDA_R_8I, CUDA_R_8I, CUDA_R_32I, CUDA_R_32I});
    rows.push_back({CUDA_R_8I, CUDA_R_8I, CUDA_R_32F, CUDA_R_32F});
    rows.push_back({CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, CUDA_R_32F});
    rows.push_back({CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F});
    rows.push_back({CUDA_R_32F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F});
    rows.push_back({CUDA_R_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F});
    rows.push_back({CUDA_R_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F});
    std::erase_if(rows, [](const product_types& row) { return !device_has(row.compute); });
    return rows;
}

number some_alpha(const product_types& types) { return representable(types.compute, {0.75, -0.5}); }
number some_beta(const product_types& types) { return representable(types.compute, {-1.25, 0.625}); }

spmv_problem::spmv_problem(const sparse_arrays& arrays, const product_types& types, cusparseOperation_t op,
                           const problem_options& options)
    : arrays_(arrays),
      types_(types),
      op_(op),
      options_(options),
      entries_(expand(arrays)),
      x_start_(numbers(types.x, cols_of(entries_, op), 1)),
      y_start_(numbers(types.y, rows_of(entries_, op), 2)),
      a_(options.poisoned_inputs ? poisoned(arrays) : arrays, options.misalignment, options.absent_arrays),
      x_(types.x, options.poisoned_inputs ? std::vector<number>(x_start_.size(), poison(types.x)) : x_start_,
         options.misalignment),
      y_(types.y, y_start_, options.misalignment),
      x_descriptor_(describe(types.x, x_start_.size(), x_)),
      y_descriptor_(describe(types.y, y_start_.size(), y_)) {}

cusparseStatus_t spmv_problem::try_buffer_size(const product_call& call, std::size_t* size) {
    const pointer_mode_scope mode(call.mode);
    const scalar_operand alpha(types_.compute, call.alpha, call.mode),
        beta(types_.compute, call.beta, call.mode);
    return cusparseSpMV_bufferSize(cusparse(), op_, alpha.data(), a_.get(), x_descriptor_.get(), beta.data(),
                                   y_descriptor_.get(), types_.compute, call.algorithm, size);
}

std::size_t spmv_problem::buffer_size(const product_call& call) {
    INFO(description(call));
    std::size_t size = 0;
    expect(try_buffer_size(call, &size));
    return size;
}

void spmv_problem::preprocess(const product_call& call, void* buffer) {
    INFO(description(call));
    const pointer_mode_scope mode(call.mode);
    const scalar_operand alpha(types_.compute, call.alpha, call.mode),
        beta(types_.compute, call.beta, call.mode);
    expect(cusparseSpMV_preprocess(cusparse(), op_, alpha.data(), a_.get(), x_descriptor_.get(), beta.data(),
                                   y_descriptor_.get(), types_.compute, call.algorithm, buffer));
}

cusparseStatus_t spmv_problem::try_run(const product_call& call, void* buffer) {
    const bool unread = call.beta == 0.0;
    y_.upload(unread ? std::vector<number>(y_start_.size(), poison(types_.y)) : y_start_);
    const pointer_mode_scope mode(call.mode);
    const scalar_operand alpha(types_.compute, call.alpha, call.mode),
        beta(types_.compute, call.beta, call.mode);
    const cusparseStatus_t status =
        cusparseSpMV(cusparse(), op_, alpha.data(), a_.get(), x_descriptor_.get(), beta.data(),
                     y_descriptor_.get(), types_.compute, call.algorithm, buffer);
    // The scalars in device memory must live until the product is done.
    expect(heron_synchronize(native()));
    return status;
}

void spmv_problem::run(const product_call& call, void* buffer) {
    INFO(description(call));
    expect(try_run(call, buffer));
    check(call);
}

void spmv_problem::run(const product_call& call, bool with_preprocess) {
    const workspace buffer(buffer_size(call));
    if (with_preprocess) preprocess(call, buffer.data());
    run(call, buffer.data());
}

void spmv_problem::set_values(const std::vector<number>& values) {
    arrays_.values = values;
    entries_ = expand(arrays_);
    new_values_.emplace_back(arrays_.type, values, std::size_t{1});
    expect(cusparseSpMatSetValues(a_.get(), new_values_.back().data()));
}

void spmv_problem::check(const product_call& call) const {
    const expectation expected =
        spmv(entries_, op_, call.alpha, x_start_, call.beta, y_start_, types_.compute, types_.y);
    const std::string wrong = difference(y_.numbers(), expected);
    if (!wrong.empty()) FAIL_CHECK(wrong);
    if (!options_.poisoned_inputs && x_.bytes() != encode(types_.x, x_start_)) FAIL_CHECK("x was written");
}

std::string spmv_problem::description(const product_call& call) const {
    return fmt::format(
        "{} {} x {}, nnz {}, base {}, blocks {} x {}, slices {}, offsets/indices {}/{}, {}, op {}, alpha {}, "
        "beta {}, algorithm {}, {} scalars",
        name_of(arrays_.format), arrays_.rows, arrays_.cols, arrays_.nnz, arrays_.base, arrays_.block_rows,
        arrays_.block_cols, arrays_.slice_size, width(arrays_.offset_type), width(arrays_.index_type),
        types_.name(), name_of(op_), text(call.alpha), text(call.beta), static_cast<int>(call.algorithm),
        call.mode == CUSPARSE_POINTER_MODE_DEVICE ? "device" : "host");
}

}  // namespace heron::test
