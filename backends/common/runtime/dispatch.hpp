#pragma once
// From runtime type codes to template parameters. visit_* call f with one `type<T>` per type code.
#include "device.hpp"

namespace heron::HERON_LEVEL {

template <class T>
struct type {
    using value = T;
};

// The real type of a compute type, and how many of it make a number.
template <class CT>
struct parts_of {
    using real = CT;
    static constexpr int count = 1;
};
template <>
struct parts_of<c32> {
    using real = f32;
    static constexpr int count = 2;
};
template <>
struct parts_of<c64> {
    using real = f64;
    static constexpr int count = 2;
};
template <class CT>
using real_of = typename parts_of<CT>::real;

[[noreturn]] inline void no_such_types() {
    throw plan_error{HERON_NOT_SUPPORTED, "this combination of data types is not built"};
}

template <class F>
void visit_index(heron_index_type t, F&& f) {
    t == HERON_INDEX_32 ? f(type<i32>{}) : f(type<i64>{});
}

// The offset/index pairs that are built: 32/32, 64/64 and 64/32.
template <class F>
void visit_offsets_and_indices(heron_index_type offsets, heron_index_type indices, F&& f) {
    if (offsets == HERON_INDEX_32 && indices == HERON_INDEX_32) return f(type<i32>{}, type<i32>{});
    if (offsets == HERON_INDEX_64 && indices == HERON_INDEX_64) return f(type<i64>{}, type<i64>{});
    if (offsets == HERON_INDEX_64 && indices == HERON_INDEX_32) return f(type<i64>{}, type<i32>{});
    throw plan_error{HERON_NOT_SUPPORTED, "32-bit offsets with 64-bit indices are not built"};
}

// The type of a matrix's offsets. A format that has none gets what its indices have, and with it CSR's
// instance of a kernel.
inline heron_index_type offset_type_of(const heron_spmat& m) {
    const bool has_offsets = m.format != HERON_FORMAT_COO && m.format != HERON_FORMAT_BLOCKED_ELL;
    return has_offsets ? m.offset_type : m.index_type;
}

// The element type of an operation that knows only one and stores what it computes.
template <class F>
void visit_full(heron_type t, F&& f) {
    switch (t) {
        case HERON_R_32F: return f(type<f32>{});
        case HERON_R_64F: return f(type<f64>{});
        case HERON_C_32F: return f(type<c32>{});
        case HERON_C_64F: return f(type<c64>{});
        default: no_such_types();
    }
}

// Storage and compute type of an operation on vectors of one type.
template <class F>
void visit_uniform(heron_type storage, heron_type compute, F&& f) {
    const auto is = [&](heron_type s, heron_type c) { return storage == s && compute == c; };
    if (is(HERON_R_32F, HERON_R_32F)) return f(type<f32>{}, type<f32>{});
    if (is(HERON_R_64F, HERON_R_64F)) return f(type<f64>{}, type<f64>{});
    if (is(HERON_C_32F, HERON_C_32F)) return f(type<c32>{}, type<c32>{});
    if (is(HERON_C_64F, HERON_C_64F)) return f(type<c64>{}, type<c64>{});
    if (is(HERON_R_16F, HERON_R_32F)) return f(type<f16>{}, type<f32>{});
    if (is(HERON_R_16BF, HERON_R_32F)) return f(type<bf16>{}, type<f32>{});
    if (is(HERON_C_16F, HERON_C_32F)) return f(type<cf16>{}, type<c32>{});
    if (is(HERON_C_16BF, HERON_C_32F)) return f(type<cbf16>{}, type<c32>{});
    no_such_types();
}

// As above, and the integer rows of SpVV.
template <class F>
void visit_dot(heron_type storage, heron_type compute, F&& f) {
    if (storage == HERON_R_8I && compute == HERON_R_32I) return f(type<i8>{}, type<i32>{});
    if (storage == HERON_R_8I && compute == HERON_R_32F) return f(type<i8>{}, type<f32>{});
    visit_uniform(storage, compute, f);
}

// Matrix, x, y and compute type of a sparse matrix product: the rows of the SpMV table, which SpMM shares.
template <class F>
void visit_product(heron_type a, heron_type x, heron_type y, heron_type compute, F&& f) {
    const auto is = [&](heron_type va, heron_type vx, heron_type vy, heron_type ct) {
        return a == va && x == vx && y == vy && compute == ct;
    };
    if (a == x && x == y && a != HERON_R_8I)
        return visit_uniform(a, compute, [&](auto v, auto c) { f(v, v, v, c); });
    if (is(HERON_R_8I, HERON_R_8I, HERON_R_32I, HERON_R_32I))
        return f(type<i8>{}, type<i8>{}, type<i32>{}, type<i32>{});
    if (is(HERON_R_8I, HERON_R_8I, HERON_R_32F, HERON_R_32F))
        return f(type<i8>{}, type<i8>{}, type<f32>{}, type<f32>{});
    if (is(HERON_R_16F, HERON_R_16F, HERON_R_32F, HERON_R_32F))
        return f(type<f16>{}, type<f16>{}, type<f32>{}, type<f32>{});
    if (is(HERON_R_16BF, HERON_R_16BF, HERON_R_32F, HERON_R_32F))
        return f(type<bf16>{}, type<bf16>{}, type<f32>{}, type<f32>{});
    if (is(HERON_R_32F, HERON_R_64F, HERON_R_64F, HERON_R_64F))
        return f(type<f32>{}, type<f64>{}, type<f64>{}, type<f64>{});
    if (is(HERON_R_32F, HERON_C_32F, HERON_C_32F, HERON_C_32F))
        return f(type<f32>{}, type<c32>{}, type<c32>{}, type<c32>{});
    if (is(HERON_R_64F, HERON_C_64F, HERON_C_64F, HERON_C_64F))
        return f(type<f64>{}, type<c64>{}, type<c64>{}, type<c64>{});
    no_such_types();
}

// Type of A and B, type of C and compute type of a sparse matrix times a dense one.
template <class F>
void visit_spmm(heron_type ab, heron_type c, heron_type compute, F&& f) {
    const auto is = [&](heron_type vab, heron_type vc, heron_type ct) {
        return ab == vab && c == vc && compute == ct;
    };
    if (is(HERON_R_8I, HERON_R_32I, HERON_R_32I)) return f(type<i8>{}, type<i32>{}, type<i32>{});
    if (is(HERON_R_8I, HERON_R_32F, HERON_R_32F)) return f(type<i8>{}, type<f32>{}, type<f32>{});
    if (is(HERON_R_16F, HERON_R_32F, HERON_R_32F)) return f(type<f16>{}, type<f32>{}, type<f32>{});
    if (is(HERON_R_16BF, HERON_R_32F, HERON_R_32F)) return f(type<bf16>{}, type<f32>{}, type<f32>{});
    if (ab != c) no_such_types();
    visit_uniform(ab, compute, [&](auto v, auto ct) { f(v, v, ct); });
}

// Elements that are only moved.
template <class F>
void visit_raw(heron_type t, F&& f) {
    switch (t) {
        case HERON_R_8I: return f(type<raw8>{});
        case HERON_R_16F:
        case HERON_R_16BF: return f(type<raw16>{});
        case HERON_R_32I:
        case HERON_R_32F:
        case HERON_C_16F:
        case HERON_C_16BF: return f(type<raw32>{});
        case HERON_R_64F:
        case HERON_C_32F: return f(type<raw64>{});
        case HERON_C_64F: return f(type<raw128>{});
    }
    no_such_types();
}

namespace plans {

inline bool is_transposed(heron_operation op) {
    return op == HERON_OP_TRANSPOSE || op == HERON_OP_CONJUGATE_TRANSPOSE;
}
inline bool is_conjugated(heron_operation op) {
    return op == HERON_OP_CONJUGATE || op == HERON_OP_CONJUGATE_TRANSPOSE;
}

}  // namespace plans

}  // namespace heron::HERON_LEVEL
