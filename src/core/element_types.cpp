#include "element_types.hpp"
#include "error.hpp"
#include <fmt/format.h>
#include <algorithm>
#include <iterator>

namespace heron::core {
namespace {

struct product_row {
    heron_type a, x, y, compute;
};

// The products whose operands differ in type; the others are uniform.
constexpr product_row mixed_rows[] = {
    {HERON_R_8I, HERON_R_8I, HERON_R_32I, HERON_R_32I},
    {HERON_R_8I, HERON_R_8I, HERON_R_32F, HERON_R_32F},
    {HERON_R_16F, HERON_R_16F, HERON_R_32F, HERON_R_32F},
    {HERON_R_16BF, HERON_R_16BF, HERON_R_32F, HERON_R_32F},
    {HERON_R_32F, HERON_R_64F, HERON_R_64F, HERON_R_64F},
    {HERON_R_32F, HERON_C_32F, HERON_C_32F, HERON_C_32F},
    {HERON_R_64F, HERON_C_64F, HERON_C_64F, HERON_C_64F},
};

// The sampled products that narrow or widen; A and B are of one type.
constexpr product_row sampled_rows[] = {
    {HERON_R_16F, HERON_R_16F, HERON_R_16F, HERON_R_32F},
    {HERON_R_16F, HERON_R_16F, HERON_R_32F, HERON_R_32F},
    {HERON_R_16BF, HERON_R_16BF, HERON_R_16BF, HERON_R_32F},
    {HERON_R_16BF, HERON_R_16BF, HERON_R_32F, HERON_R_32F},
};

bool is_uniform_row(heron_type storage, heron_type compute) {
    return facts_of_types[storage].computes && facts_of_types[storage].compute_type == compute;
}

}  // namespace

void computes_not(heron_type storage, const subject& about) {
    not_supported(about, fmt::format("type {} is not supported", name_of(storage)));
}

void require_dot_types(heron_type x, heron_type y, heron_type compute) {
    const bool integer = x == HERON_R_8I && (compute == HERON_R_32I || compute == HERON_R_32F);
    if (x == y && (integer || is_uniform_row(x, compute))) return;
    not_supported(role::compute_type,
                  fmt::format("x {}, y {}, compute type {} is not a supported combination", name_of(x),
                              name_of(y), name_of(compute)));
}

void require_product_types(heron_type a, heron_type x, heron_type y, heron_type compute) {
    const bool uniform = a == x && x == y && is_uniform_row(a, compute);
    const bool mixed = std::any_of(std::begin(mixed_rows), std::end(mixed_rows), [&](const product_row& r) {
        return r.a == a && r.x == x && r.y == y && r.compute == compute;
    });
    if (uniform || mixed) return;
    not_supported(role::compute_type,
                  fmt::format("A {}, x {}, y {}, compute type {} is not a supported combination", name_of(a),
                              name_of(x), name_of(y), name_of(compute)));
}

void require_spmm_types(heron_type a, heron_type b, heron_type c, heron_type compute) {
    const bool uniform = a == c && is_uniform_row(a, compute);
    const bool mixed = std::any_of(std::begin(mixed_rows), std::end(mixed_rows), [&](const product_row& r) {
        return r.a == a && r.x == a && r.y == c && r.compute == compute;
    });
    if (a == b && (uniform || mixed)) return;
    not_supported(role::compute_type,
                  fmt::format("A {}, B {}, C {}, compute type {} is not a supported combination", name_of(a),
                              name_of(b), name_of(c), name_of(compute)));
}

void require_sampled_product_types(heron_type a, heron_type b, heron_type c, heron_type compute) {
    const bool full = a == HERON_R_32F || a == HERON_R_64F || a == HERON_C_32F || a == HERON_C_64F;
    const bool uniform = full && a == b && b == c && c == compute;
    const bool mixed = std::any_of(
        std::begin(sampled_rows), std::end(sampled_rows),
        [&](const product_row& r) { return r.a == a && r.x == b && r.y == c && r.compute == compute; });
    if (uniform || mixed) return;
    not_supported(role::compute_type,
                  fmt::format("A {}, B {}, C {}, compute type {} is not a supported combination", name_of(a),
                              name_of(b), name_of(c), name_of(compute)));
}

}  // namespace heron::core
