#include "dense_problem.hpp"

namespace heron::test {

cudaDataType cuda_type(heron_type type) {
    switch (type) {
        case HERON_R_16F: return CUDA_R_16F;
        case HERON_R_16BF: return CUDA_R_16BF;
        case HERON_C_16F: return CUDA_C_16F;
        case HERON_C_16BF: return CUDA_C_16BF;
        case HERON_R_32F: return CUDA_R_32F;
        case HERON_R_64F: return CUDA_R_64F;
        case HERON_C_32F: return CUDA_C_32F;
        default: return CUDA_C_64F;
    }
}

namespace {

const number not_a_number{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};

bool transposes(heron_operation op) { return op == HERON_OP_TRANSPOSE || op == HERON_OP_CONJUGATE_TRANSPOSE; }
bool conjugates(heron_operation op) { return op == HERON_OP_CONJUGATE || op == HERON_OP_CONJUGATE_TRANSPOSE; }

bool same_bits(heron_type type, number a, number b) {
    return encode(cuda_type(type), {a}) == encode(cuda_type(type), {b});
}

}  // namespace

number random_number(random_source& random, heron_type type) {
    const double re = random.symmetric_unit();
    return rounded(cuda_type(type), number{re, is_complex(type) ? random.symmetric_unit() : 0.0});
}

dense_case random_dense(random_source& random, heron_type type, heron_order order, std::int64_t rows,
                        std::int64_t columns, std::int64_t padding) {
    dense_case m{type, order, rows, columns, 1};
    m.ld = std::max<std::int64_t>(m.line(), 1) + padding;
    m.values.assign(static_cast<std::size_t>(m.ld * m.lines()), not_a_number);
    for (std::int64_t j = 0; j < columns; ++j)
        for (std::int64_t i = 0; i < rows; ++i) m.at(i, j) = random_number(random, type);
    return m;
}

dense_case random_operand(random_source& random, heron_type type, heron_order order, heron_operation op,
                          std::int64_t rows, std::int64_t columns, std::int64_t padding) {
    if (transposes(op)) std::swap(rows, columns);
    return random_dense(random, type, order, rows, columns, padding);
}

number element(const dense_case& m, heron_operation op, std::int64_t i, std::int64_t j) {
    const number v = transposes(op) ? m.at(j, i) : m.at(i, j);
    return conjugates(op) ? std::conj(v) : v;
}

bool in_triangle(heron_fill_mode fill, std::int64_t i, std::int64_t j) {
    return fill == HERON_FILL_LOWER ? i >= j : i <= j;
}

void poison(dense_case& m, const std::function<bool(std::int64_t, std::int64_t)>& where) {
    for (std::int64_t j = 0; j < m.columns; ++j)
        for (std::int64_t i = 0; i < m.rows; ++i)
            if (where(i, j)) m.at(i, j) = not_a_number;
}

number symmetric_element(const dense_case& m, heron_fill_mode fill, bool hermitian, std::int64_t i,
                         std::int64_t j) {
    const bool stored = in_triangle(fill, i, j);
    const number v = stored ? m.at(i, j) : m.at(j, i);
    if (!hermitian) return v;
    return i == j ? number{v.real(), 0} : stored ? v : std::conj(v);
}

number triangular_element(const dense_case& m, heron_fill_mode fill, heron_diag_type diag, heron_operation op,
                          std::int64_t i, std::int64_t j) {
    if (i == j && diag == HERON_DIAG_UNIT) return 1.0;
    const bool stored = transposes(op) ? in_triangle(fill, j, i) : in_triangle(fill, i, j);
    return stored ? element(m, op, i, j) : 0.0;
}

std::vector<unsigned char> scalar_bytes(heron_type type, number value) {
    return encode(cuda_type(type), {value});
}

device_dense::device_dense(const dense_case& m)
    : shape_(m), memory_(m.values.size() * size_of(cuda_type(m.type))) {
    if (memory_.size() > 0) memory_.upload(encode(cuda_type(m.type), m.values).data());
}

dense_case device_dense::download() const {
    dense_case m = shape_;
    if (memory_.size() > 0) m.values = decode(cuda_type(m.type), memory_.bytes());
    return m;
}

std::string difference(const dense_case& before, const dense_case& after, heron_type type, double roundings,
                       const std::function<bool(std::int64_t, std::int64_t, term&)>& expected) {
    const double unit = epsilon(cuda_type(type)) * roundings;
    for (std::int64_t p = 0; p < before.lines(); ++p)
        for (std::int64_t q = 0; q < before.ld; ++q) {
            const bool by_rows = before.order == HERON_ORDER_ROW;
            const std::int64_t i = by_rows ? p : q, j = by_rows ? q : p;
            const std::size_t at = static_cast<std::size_t>(p * before.ld + q);
            const number got = after.values[at];
            term want;
            if (q >= before.line() || !expected(i, j, want)) {
                if (!same_bits(type, got, before.values[at]))
                    return fmt::format("element ({}, {}) was {}+{}i and must not change, but is {}+{}i", i, j,
                                       before.values[at].real(), before.values[at].imag(), got.real(),
                                       got.imag());
                continue;
            }
            const double error = std::abs(got - want.value);
            if (!is_within(error, unit * want.size + smallest(cuda_type(type))))
                return fmt::format("element ({}, {}) is {}+{}i, expected {}+{}i: error {} > {}", i, j,
                                   got.real(), got.imag(), want.value.real(), want.value.imag(), error,
                                   unit * want.size);
        }
    return "";
}

}  // namespace heron::test
