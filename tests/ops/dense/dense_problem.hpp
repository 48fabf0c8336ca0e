// Dense matrices as a test sees them, and what must become of one.
#pragma once

#include "reference.hpp"
#include "rig.hpp"
#include <functional>

namespace heron::test {

cudaDataType cuda_type(heron_type type);
inline bool is_complex(heron_type type) { return is_complex(cuda_type(type)); }

// A stored matrix with `ld` elements per line. What lies behind a line's end is NaN.
struct dense_case {
    heron_type type = HERON_R_64F;
    heron_order order = HERON_ORDER_COLUMN;
    std::int64_t rows = 0, columns = 0, ld = 1;
    std::vector<number> values{};

    std::int64_t lines() const { return order == HERON_ORDER_ROW ? rows : columns; }
    std::int64_t line() const { return order == HERON_ORDER_ROW ? columns : rows; }
    std::size_t index(std::int64_t i, std::int64_t j) const {
        return static_cast<std::size_t>(order == HERON_ORDER_ROW ? i * ld + j : i + j * ld);
    }
    number& at(std::int64_t i, std::int64_t j) { return values[index(i, j)]; }
    number at(std::int64_t i, std::int64_t j) const { return values[index(i, j)]; }
};

number random_number(random_source& random, heron_type type);
dense_case random_dense(random_source& random, heron_type type, heron_order order, std::int64_t rows,
                        std::int64_t columns, std::int64_t padding);
// The stored matrix whose op is rows x columns.
dense_case random_operand(random_source& random, heron_type type, heron_order order, heron_operation op,
                          std::int64_t rows, std::int64_t columns, std::int64_t padding);

// Element (i, j) of op(m).
number element(const dense_case& m, heron_operation op, std::int64_t i, std::int64_t j);

bool in_triangle(heron_fill_mode fill, std::int64_t i, std::int64_t j);
// NaN where the predicate holds.
void poison(dense_case& m, const std::function<bool(std::int64_t, std::int64_t)>& where);

// Element (i, j) of a symmetric or Hermitian matrix of which one triangle is stored, or of a triangular one.
number symmetric_element(const dense_case& m, heron_fill_mode fill, bool hermitian, std::int64_t i,
                         std::int64_t j);
number triangular_element(const dense_case& m, heron_fill_mode fill, heron_diag_type diag, heron_operation op,
                          std::int64_t i, std::int64_t j);

// A number as the library takes a scalar.
std::vector<unsigned char> scalar_bytes(heron_type type, number value);

// A matrix on the device.
class device_dense {
  public:
    explicit device_dense(const dense_case& m);
    void* data() const { return memory_.data(); }
    dense_case download() const;
    std::vector<unsigned char> bytes() const { return memory_.bytes(); }

  private:
    dense_case shape_;
    device_memory memory_;
};

struct term {
    number value = 0;
    double size = 0;  // sum of the absolute values of what was added
};
// sum over l < k of a(l)*b(l)
template <class A, class B>
term dot(std::int64_t k, A&& a, B&& b) {
    term sum;
    for (std::int64_t l = 0; l < k; ++l) {
        const number summand = product(a(l), b(l));
        sum.value += summand;
        sum.size += absolute(summand);
    }
    return sum;
}

// Every element that `expected` gives a term for is that within `roundings` units of its size; all other
// elements, padding included, have the bits that they had. Returns the first difference, or "".
std::string difference(const dense_case& before, const dense_case& after, heron_type type, double roundings,
                       const std::function<bool(std::int64_t, std::int64_t, term&)>& expected);

}  // namespace heron::test
