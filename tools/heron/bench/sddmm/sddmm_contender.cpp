#include "sddmm_contender.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace heron::tools {
namespace {

cusparseOrder_t order_of(char letter) {
    if (letter == 'r') return CUSPARSE_ORDER_ROW;
    if (letter == 'c') return CUSPARSE_ORDER_COL;
    throw std::invalid_argument("a layout is two letters, r or c each: the orders of A and B");
}

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// A matrix given in row order, in this order.
number_array in_order(const number_array& m, std::int64_t rows, std::int64_t cols, cusparseOrder_t order) {
    if (order == CUSPARSE_ORDER_ROW) return m;
    number_array result = m;
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < cols; ++j) {
            result.real[at(j * rows + i)] = m.real[at(i * cols + j)];
            if (!m.imag.empty()) result.imag[at(j * rows + i)] = m.imag[at(i * cols + j)];
        }
    return result;
}

constexpr std::size_t alignment = 256;
std::size_t padded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

}  // namespace

sddmm_case::sddmm_case(const csr_matrix& pattern, const product_type& type, std::int64_t inner,
                       const std::string& layout, double alpha, double beta, std::uint64_t seed)
    : pattern_(pattern),
      type_(type),
      inner_(inner),
      a_order_(order_of(layout.empty() ? ' ' : layout[0])),
      b_order_(order_of(layout.size() == 2 ? layout[1] : ' ')),
      alpha_(alpha),
      beta_(beta) {
    splitmix64 random(seed);
    a_ = random_numbers(type.input, at(pattern.rows * inner), random);
    b_ = random_numbers(type.input, at(inner * pattern.cols), random);
    values_ = random_numbers(type.output, at(pattern.nnz()), random);
    c_ = pack(pattern, values_, {.type = type.output});
    a_bytes_ = encode(type.input, in_order(a_, pattern.rows, inner, a_order_));
    b_bytes_ = encode(type.input, in_order(b_, inner, pattern.cols, b_order_));
}

double sddmm_case::worst_error(const std::vector<std::byte>& c_values) const {
    constexpr std::int64_t most_products = 50'000'000;
    const number_array found = decode(type_.output, c_values);
    const std::int64_t step = std::max<std::int64_t>(1, pattern_.nnz() * inner_ / most_products);
    double worst = 0;
    for (std::int64_t row = 0; row < pattern_.rows; ++row)
        for (auto k = at(pattern_.offsets[at(row)]); k < at(pattern_.offsets[at(row + 1)]); ++k)
            if (static_cast<std::int64_t>(k) % step == 0) {
                const double error = error_of(row, k, found);
                if (!(error <= worst)) worst = error;
            }
    return worst;
}

double sddmm_case::error_of(std::int64_t row, std::size_t k, const number_array& found) const {
    const std::int64_t column = pattern_.columns[k];
    double re = 0, im = 0, magnitude = 0;
    for (std::int64_t l = 0; l < inner_; ++l) {
        const std::size_t i = at(row * inner_ + l), j = at(l * pattern_.cols + column);
        const double ai = a_.imag_at(i), bi = b_.imag_at(j);
        re += a_.real[i] * b_.real[j] - ai * bi;
        im += a_.real[i] * bi + ai * b_.real[j];
        magnitude += (std::abs(a_.real[i]) + std::abs(ai)) * (std::abs(b_.real[j]) + std::abs(bi));
    }
    const double wanted_re = alpha_ * re + beta_ * values_.real[k];
    const double wanted_im = alpha_ * im + beta_ * values_.imag_at(k);
    const double kept = std::abs(beta_) * (std::abs(values_.real[k]) + std::abs(values_.imag_at(k)));
    const double allowed = 2 * static_cast<double>(inner_ + 3) * traits_of(type_.compute).epsilon *
                               (std::abs(alpha_) * magnitude + kept) +
                           2 * traits_of(type_.output).epsilon * (std::abs(wanted_re) + std::abs(wanted_im));
    return (std::abs(found.real[k] - wanted_re) + std::abs(found.imag_at(k) - wanted_im)) / allowed;
}

sddmm_contender::sddmm_contender(const cusparse_handle& handle, const device& where, const sddmm_case& what,
                                 bool preprocess, bool warm)
    : library_(handle.library()),
      handle_(handle.get()),
      where_(where),
      case_(what),
      preprocess_(preprocess),
      compute_(data_type_of(what.type().compute)),
      alpha_(encode(what.type().compute, {.real = {what.alpha()}})),
      beta_(encode(what.type().compute, {.real = {what.beta()}})) {
    if (!library_.sddmm || !library_.create_dn_mat)
        throw cusparse_error(CUSPARSE_STATUS_NOT_SUPPORTED, library_.path() + " has no cusparseSDDMM");
    constexpr std::size_t most_copies = 64;
    const std::size_t bytes =
        what.a_bytes().size() + what.b_bytes().size() + what.c().values.size() + what.c().indices.size();
    const std::size_t cold = where.cold_bytes() / std::max<std::size_t>(bytes, 1) + 1;
    const std::size_t copies = warm ? 1 : std::min(cold, most_copies);
    for (std::size_t i = 0; i < copies; ++i) instances_.push_back(make_instance());
}

sddmm_contender::dense_descriptor sddmm_contender::describe(std::int64_t rows, std::int64_t cols,
                                                            void* values, cusparseOrder_t order) const {
    cusparseDnMatDescr_t m = nullptr;
    const std::int64_t ld = order == CUSPARSE_ORDER_ROW ? cols : rows;
    library_.check(
        library_.create_dn_mat(&m, rows, cols, ld, values, data_type_of(case_.type().input), order),
        "cusparseCreateDnMat");
    return {m, library_.destroy_dn_mat};
}

sddmm_contender::instance sddmm_contender::make_instance() const {
    const packed_matrix& c = case_.c();
    const std::vector<std::byte>* const arrays[] = {&c.offsets, &c.indices, &c.values, &case_.a_bytes(),
                                                    &case_.b_bytes()};
    std::size_t bytes = 0;
    for (const auto* array : arrays) bytes += padded(array->size());
    device_buffer memory = where_.allocate(bytes);
    void* places[5];
    std::size_t offset = 0;
    for (int i = 0; i < 5; ++i) {
        places[i] = memory.at(offset);
        where_.copy(places[i], arrays[i]->data(), arrays[i]->size());
        offset += padded(arrays[i]->size());
    }
    instance made{std::move(memory),
                  {},
                  places[2],
                  describe_matrix(library_, c, {places[0], nullptr, places[1], places[2]}),
                  describe(c.rows, case_.inner(), places[3], case_.a_order()),
                  describe(case_.inner(), c.cols, places[4], case_.b_order())};
    constexpr auto n = CUSPARSE_OPERATION_NON_TRANSPOSE;
    constexpr auto alg = CUSPARSE_SDDMM_ALG_DEFAULT;
    std::size_t size = 0;
    library_.check(library_.sddmm_buffer_size(handle_, n, n, alpha_.data(), made.a.get(), made.b.get(),
                                              beta_.data(), made.c.get(), compute_, alg, &size),
                   "cusparseSDDMM_bufferSize");
    made.buffer = where_.allocate(size);
    if (preprocess_)
        library_.check(
            library_.sddmm_preprocess(handle_, n, n, alpha_.data(), made.a.get(), made.b.get(), beta_.data(),
                                      made.c.get(), compute_, alg, made.buffer.get()),
            "cusparseSDDMM_preprocess");
    return made;
}

void sddmm_contender::run(const instance& i) const {
    constexpr auto n = CUSPARSE_OPERATION_NON_TRANSPOSE;
    library_.check(library_.sddmm(handle_, n, n, alpha_.data(), i.a.get(), i.b.get(), beta_.data(), i.c.get(),
                                  compute_, CUSPARSE_SDDMM_ALG_DEFAULT, i.buffer.get()),
                   "cusparseSDDMM");
}

void sddmm_contender::call() {
    run(instances_[next_]);
    next_ = next_ + 1 == instances_.size() ? 0 : next_ + 1;
}

std::vector<std::byte> sddmm_contender::result() {
    const instance& i = instances_.back();
    std::vector<std::byte> values = case_.c().values;
    where_.copy(i.values, values.data(), values.size());
    run(i);
    where_.synchronize();
    where_.copy(values.data(), i.values, values.size());
    where_.synchronize();
    return values;
}

}  // namespace heron::tools
