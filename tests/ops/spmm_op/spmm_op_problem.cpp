#include "spmm_op_problem.hpp"

namespace heron::test {
namespace {

std::vector<number> numbers(cudaDataType type, std::int64_t count, std::uint64_t stream) {
    random_source random(stream);
    return random_values(type, static_cast<std::size_t>(count), random);
}

heron_index_type native_index(cusparseIndexType_t type) {
    return type == CUSPARSE_INDEX_32I ? HERON_INDEX_32 : HERON_INDEX_64;
}

number smaller(number a, number b) { return b.real() < a.real() ? b : a; }
number larger(number a, number b) { return a.real() < b.real() ? b : a; }
number truth(bool v) { return v ? 1.0 : 0.0; }

}  // namespace

std::string operator_types::name() const {
    return fmt::format("{} -> {} in {}", facts(ab).name, facts(c).name, facts(compute).name);
}

std::vector<operator_types> operator_rows() {
    std::vector<operator_types> rows{{CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
                                     {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F},
                                     {CUDA_R_8I, CUDA_R_32I, CUDA_R_32I},
                                     {CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F}};
    // Kernels that are compiled at run time take their time.
    if (backend_name() != "opencl") {
        rows.push_back({CUDA_R_64F, CUDA_R_64F, CUDA_R_64F});
        rows.push_back({CUDA_C_64F, CUDA_C_64F, CUDA_C_64F});
        rows.push_back({CUDA_R_32I, CUDA_R_32I, CUDA_R_32I});
        rows.push_back({CUDA_R_8I, CUDA_R_32F, CUDA_R_32F});
        rows.push_back({CUDA_R_16F, CUDA_R_16F, CUDA_R_32F});
        rows.push_back({CUDA_R_16F, CUDA_R_32F, CUDA_R_32F});
        rows.push_back({CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F});
    }
    std::erase_if(rows, [](const operator_types& row) { return !device_has(row.compute); });
    return rows;
}

heron_type native_type(cudaDataType type) {
    switch (type) {
        case CUDA_R_8I: return HERON_R_8I;
        case CUDA_R_32I: return HERON_R_32I;
        case CUDA_R_16F: return HERON_R_16F;
        case CUDA_R_16BF: return HERON_R_16BF;
        case CUDA_R_32F: return HERON_R_32F;
        case CUDA_R_64F: return HERON_R_64F;
        case CUDA_C_32F: return HERON_C_32F;
        default: return HERON_C_64F;
    }
}

oracle_operators named_operators(heron_semiring semiring, heron_epilogue epilogue, cudaDataType compute) {
    const double infinity = std::numeric_limits<double>::infinity();
    oracle_operators o;
    o.reads_c = epilogue != HERON_EPILOGUE_STORE;
    switch (semiring) {
        case HERON_PLUS_TIMES:
            o.add = [](number a, number b) { return a + b; };
            o.mul = product;
            break;
        case HERON_MIN_PLUS:
            o.add = smaller;
            o.mul = [](number a, number b) { return a + b; };
            o.identity = is_integer(compute) ? 2147483647.0 : infinity;
            break;
        case HERON_MAX_TIMES:
            o.add = larger;
            o.mul = product;
            o.identity = is_integer(compute) ? -2147483648.0 : -infinity;
            break;
        case HERON_OR_AND:
            o.add = [](number a, number b) { return truth(a != 0.0 || b != 0.0); };
            o.mul = [](number a, number b) { return truth(a != 0.0 && b != 0.0); };
            break;
    }
    o.epilogue = o.add;
    return o;
}

std::vector<operand_layout> operand_layouts() {
    std::vector<operand_layout> all;
    for (const heron_order b : {HERON_ORDER_ROW, HERON_ORDER_COLUMN})
        for (const heron_order c : {HERON_ORDER_ROW, HERON_ORDER_COLUMN})
            for (const heron_operation op : {HERON_OP_NONE, HERON_OP_TRANSPOSE})
                all.push_back({b, c, op, op == HERON_OP_NONE ? 3 : 0});
    return all;
}

spmm_op_problem::spmm_op_problem(const sparse_arrays& csr, const operator_types& types, std::int64_t columns,
                                 const operand_layout& l, std::size_t misalignment)
    : arrays_(csr),
      types_(types),
      columns_(columns),
      layout_(l),
      b_rows_(l.op_b == HERON_OP_NONE ? csr.cols : columns),
      b_cols_(l.op_b == HERON_OP_NONE ? columns : csr.cols),
      b_ld_((l.b_order == HERON_ORDER_ROW ? b_cols_ : b_rows_) + l.padding),
      c_ld_((l.c_order == HERON_ORDER_ROW ? columns : csr.rows) + l.padding),
      b_start_(numbers(types.ab, b_ld_ * (l.b_order == HERON_ORDER_ROW ? b_rows_ : b_cols_), 41)),
      c_start_(numbers(types.c, c_ld_ * (l.c_order == HERON_ORDER_ROW ? csr.rows : columns), 42)),
      offsets_(csr.offset_type, csr.offsets, misalignment),
      indices_(csr.index_type, csr.indices, misalignment),
      values_(types.ab, csr.values, misalignment),
      b_(types.ab, b_start_, misalignment),
      c_(types.c, c_start_, misalignment) {
    desc_.a = {csr.rows,
               csr.cols,
               csr.nnz,
               offsets_.data(),
               indices_.data(),
               values_.data(),
               native_index(csr.offset_type),
               native_index(csr.index_type),
               csr.base,
               native_type(types.ab)};
    desc_.op_b = l.op_b;
    desc_.b = {b_rows_, b_cols_, b_ld_, b_.data(), native_type(types.ab), l.b_order};
    desc_.c = {csr.rows, columns, c_ld_, c_.data(), native_type(types.c), l.c_order};
    desc_.compute_type = native_type(types.compute);
}

heron_status spmm_op_problem::try_run(const heron_operators& operators, bool poisoned) {
    c_.upload(poisoned ? std::vector<number>(c_start_.size(), poison(types_.c)) : c_start_);
    heron_spmm_op_desc desc = desc_;
    desc.operators = operators;
    std::size_t bytes = 0;
    const heron_status sized = heron_spmm_op_workspace(native(), &desc, &bytes);
    if (sized != HERON_SUCCESS) return sized;
    const workspace buffer(bytes, 1);
    const heron_status status = heron_spmm_op(native(), &desc, buffer.data(), bytes);
    expect(heron_synchronize(native()));
    return status;
}

void spmm_op_problem::run(const heron_operators& operators, const oracle_operators& oracle) {
    INFO(fmt::format("{} x {}, nnz {}, {} columns, {}, B {} op {}, C {}, semiring {}, epilogue {}",
                     arrays_.rows, arrays_.cols, arrays_.nnz, columns_, types_.name(),
                     static_cast<int>(layout_.b_order), static_cast<int>(layout_.op_b),
                     static_cast<int>(layout_.c_order), static_cast<int>(operators.semiring),
                     static_cast<int>(operators.epilogue_kind)));
    expect(try_run(operators, !oracle.reads_c));
    const std::vector<number> before =
        oracle.reads_c ? c_start_ : std::vector<number>(c_start_.size(), poison(types_.c));
    const expectation wanted = expected(oracle, before);
    const std::vector<number> after = c_.numbers();
    std::vector<bool> is_padding(after.size(), true);
    std::vector<number> actual;
    for (std::int64_t i = 0; i < arrays_.rows; ++i)
        for (std::int64_t j = 0; j < columns_; ++j) {
            actual.push_back(after[c_place(i, j)]);
            is_padding[c_place(i, j)] = false;
        }
    const std::string wrong = difference(actual, wanted);
    if (!wrong.empty()) FAIL_CHECK(wrong);
    const std::vector<unsigned char> old_bytes = encode(types_.c, before), new_bytes = c_.bytes();
    const std::size_t size = size_of(types_.c);
    for (std::size_t k = 0; k < after.size(); ++k)
        if (is_padding[k] &&
            !std::equal(&old_bytes[k * size], &old_bytes[k * size] + size, &new_bytes[k * size])) {
            FAIL_CHECK("the padding of C was written");
            break;
        }
    if (b_.bytes() != encode(types_.ab, b_start_)) FAIL_CHECK("B was written");
}

std::size_t spmm_op_problem::c_place(std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>(layout_.c_order == HERON_ORDER_ROW ? i * c_ld_ + j : j * c_ld_ + i);
}

number spmm_op_problem::b_value(std::int64_t l, std::int64_t j) const {
    const std::int64_t r = layout_.op_b == HERON_OP_NONE ? l : j, c = layout_.op_b == HERON_OP_NONE ? j : l;
    return b_start_[static_cast<std::size_t>(layout_.b_order == HERON_ORDER_ROW ? r * b_ld_ + c
                                                                                : c * b_ld_ + r)];
}

expectation spmm_op_problem::expected(const oracle_operators& o, const std::vector<number>& before) const {
    expectation result;
    for (std::int64_t i = 0; i < arrays_.rows; ++i)
        for (std::int64_t j = 0; j < columns_; ++j) {
            const std::int64_t begin = arrays_.offsets[static_cast<std::size_t>(i)] - arrays_.base;
            const std::int64_t end = arrays_.offsets[static_cast<std::size_t>(i + 1)] - arrays_.base;
            number sum = o.identity;
            double magnitude = 0;
            for (std::int64_t k = begin; k < end; ++k) {
                const auto at = static_cast<std::size_t>(k);
                const number b = b_value(arrays_.indices[at] - arrays_.base, j), a = arrays_.values[at];
                sum = k == begin ? o.mul(a, b) : o.add(sum, o.mul(a, b));
                magnitude += std::abs(a) + std::abs(b);
            }
            const number c = before[c_place(i, j)];
            const number value = o.reads_c ? o.epilogue(sum, c) : sum;
            result.value.push_back(value);
            const double kept = o.reads_c ? std::abs(c) : 0.0;
            const double bound = error_bound(types_.compute, types_.c, end - begin, magnitude + kept, value);
            // An infinite result is that of a row that stores nothing, and exact.
            result.bound.push_back(std::isfinite(std::abs(value)) ? bound : 0.0);
        }
    return result;
}

}  // namespace heron::test
