#include "sparse_vector_contender.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <complex>

#include "measure/device_array.hpp"

namespace heron::tools {
namespace {

using number = std::complex<double>;

// Powers of two, and a rotation that keeps lengths but for rounding: repeated calls overflow nothing.
constexpr double alpha = 0.25, cosine = 0.8, sine = 0.6;

number at(const number_array& numbers, std::size_t i) { return {numbers.real[i], numbers.imag_at(i)}; }

std::vector<std::byte> scalar(scalar_type type, double value) {
    number_array one{.real = {value}};
    if (traits_of(type).is_complex) one.imag = {0};
    return encode(type, one);
}

// The cosine as the type has it, as the library gets it.
double rounded(scalar_type type, double value) { return decode(type, scalar(type, value)).real[0]; }

class cusparse_vectors : public function_contender {
  public:
    cusparse_vectors(const contestant& who, const sparse_vector_case& what)
        : library_(who.handle->library()),
          handle_(who.handle->get()),
          where_(*who.where),
          what_(what),
          type_(data_type_of(what.type)),
          indices_(*who.where, what.indices),
          x_(*who.where, encode(what.type, what.x)),
          y_(*who.where, encode(what.type, what.y)),
          dense_(describe_vector(library_, static_cast<std::int64_t>(what.y.size()), y_.get(), what.type)),
          alpha_(scalar(what.type, alpha)),
          beta_(scalar(what.type, what.beta)),
          cosine_(scalar(what.type, cosine)),
          sine_(scalar(what.type, sine)) {
        cusparseSpVecDescr_t made = nullptr;
        library_.check(
            HERON_PEER(library_, cusparseCreateSpVec)(
                &made, static_cast<std::int64_t>(what.y.size()), static_cast<std::int64_t>(what.x.size()),
                indices_.get(), x_.get(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type_),
            "cusparseCreateSpVec");
        sparse_ = {made, HERON_PEER(library_, cusparseDestroySpVec)};
        call_ = function();
    }

    void call() override { call_(); }

    std::string check() override {
        where_.synchronize();
        if (what_.function == "spvv") return check_dot(decode(what_.type, result_));
        const number_array x = decode(what_.type, x_.download()), y = decode(what_.type, y_.download());
        std::string wrong;
        std::size_t next = 0;
        for (std::size_t i = 0; wrong.empty() && i < what_.y.size(); ++i) {
            const bool stored =
                next < what_.indices.size() && static_cast<std::size_t>(what_.indices[next]) == i;
            wrong = stored ? check_stored(next, i, x, y) : check_other(i, y);
            next += stored;
        }
        return wrong;
    }

  private:
    std::function<void()> function() {
        if (what_.function == "axpby")
            return [this, f = HERON_PEER(library_, cusparseAxpby)] {
                library_.check(f(handle_, alpha_.data(), sparse_.get(), beta_.data(), dense_.get()),
                               "cusparseAxpby");
            };
        if (what_.function == "gather")
            return [this, f = HERON_PEER(library_, cusparseGather)] {
                library_.check(f(handle_, dense_.get(), sparse_.get()), "cusparseGather");
            };
        if (what_.function == "scatter")
            return [this, f = HERON_PEER(library_, cusparseScatter)] {
                library_.check(f(handle_, sparse_.get(), dense_.get()), "cusparseScatter");
            };
        if (what_.function == "rot")
            return [this, f = HERON_PEER(library_, cusparseRot)] {
                library_.check(f(handle_, cosine_.data(), sine_.data(), sparse_.get(), dense_.get()),
                               "cusparseRot");
            };
        return dot();
    }

    std::function<void()> dot() {
        std::size_t bytes = 0;
        library_.check(HERON_PEER(library_, cusparseSpVV_bufferSize)(
                           handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, sparse_.get(), dense_.get(),
                           result_.data(), type_, &bytes),
                       "cusparseSpVV_bufferSize");
        buffer_ = std::make_unique<device_array<std::byte>>(where_, bytes);
        return [this, f = HERON_PEER(library_, cusparseSpVV)] {
            library_.check(f(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, sparse_.get(), dense_.get(),
                             result_.data(), type_, buffer_->get()),
                           "cusparseSpVV");
        };
    }

    // allowed: the sum of the absolute values of what was added.
    std::string compare(const char* name, std::size_t i, number found, number expected, double terms) const {
        if (std::abs(found - expected) <= 8 * traits_of(what_.type).epsilon * terms) return {};
        return fmt::format("{} {} is {}, not {}", name, i, found.real(), expected.real());
    }

    std::string check_stored(std::size_t k, std::size_t i, const number_array& x,
                             const number_array& y) const {
        const number old_x = at(what_.x, k), old_y = at(what_.y, i);
        number new_x = old_x, new_y = old_y;
        if (what_.function == "axpby") new_y = alpha * old_x + what_.beta * old_y;
        if (what_.function == "gather") new_x = old_y;
        if (what_.function == "scatter") new_y = old_x;
        if (what_.function == "rot") {
            const double c = rounded(what_.type, cosine), s = rounded(what_.type, sine);
            new_x = c * old_x + s * old_y;
            new_y = c * old_y - s * old_x;
        }
        const double terms = std::abs(old_x) + std::abs(old_y);
        const std::string wrong = compare("X", k, at(x, k), new_x, terms);
        return wrong.empty() ? compare("Y", i, at(y, i), new_y, terms) : wrong;
    }

    std::string check_other(std::size_t i, const number_array& y) const {
        const number old = at(what_.y, i);
        const number expected = what_.function == "axpby" ? what_.beta * old : old;
        return compare("Y", i, at(y, i), expected, std::abs(old));
    }

    std::string check_dot(const number_array& found) const {
        number sum = 0;
        double terms = 0;
        for (std::size_t k = 0; k < what_.x.size(); ++k) {
            const number product = at(what_.x, k) * at(what_.y, static_cast<std::size_t>(what_.indices[k]));
            sum += product;
            terms += std::abs(product);
        }
        return compare("the result", 0, at(found, 0), sum,
                       terms * std::sqrt(static_cast<double>(what_.x.size())));
    }

    const cusparse_library& library_;
    cusparseHandle_t handle_;
    const device& where_;
    const sparse_vector_case& what_;
    cudaDataType type_;
    device_array<std::int32_t> indices_;
    device_array<std::byte> x_, y_;
    vector_descriptor dense_;
    std::unique_ptr<cusparseSpVecDescr, decltype(&cusparseDestroySpVec)> sparse_{nullptr, nullptr};
    std::vector<std::byte> alpha_, beta_, cosine_, sine_;
    std::vector<std::byte> result_{traits_of(what_.type).size};
    std::unique_ptr<device_array<std::byte>> buffer_;
    std::function<void()> call_;
};

}  // namespace

double sparse_vector_case::bytes() const {
    const auto size = static_cast<double>(traits_of(type).size), stored = static_cast<double>(x.size());
    const double indices_bytes = 4 * stored;
    if (function == "axpby" && beta != 1)
        return indices_bytes + size * stored + 2 * size * static_cast<double>(y.size());
    if (function == "rot") return indices_bytes + 4 * size * stored;
    return indices_bytes + (function == "axpby" ? 3 : 2) * size * stored;
}

std::unique_ptr<function_contender> make_sparse_vector_contender(const contestant& who,
                                                                 const sparse_vector_case& what) {
    return std::make_unique<cusparse_vectors>(who, what);
}

}  // namespace heron::tools
