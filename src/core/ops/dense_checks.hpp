#pragma once
// What the calls of the dense operations share: checks of their arguments, and row order turned into column
// order.
#include "blas1.hpp"
#include "dense.hpp"
#include "core/element_types.hpp"
#include "core/submit.hpp"
#include <cstring>

namespace heron::core {

// What is as it should be is seen here: a call of a few numbers takes no longer than its checks. What an
// error is about is made a subject of when there is one, and what is looked at elsewhere goes there as a
// copy, so that until then it stays in registers.
template <class Enum, class About>
void require_enum(Enum value, Enum last, About about, const char* reason) {
    if (value < Enum{} || value > last) invalid(about, reason);
}
[[noreturn]] void size_is_negative(int64_t size, role r);
inline void require_size(int64_t size, role r) {
    if (size < 0) size_is_negative(size, r);
}
inline void require_operation(heron_operation op, role r) {
    require_enum(op, HERON_OP_CONJUGATE, r, "is not an operation");
}
inline void require_order(heron_order order) {
    require_enum(order, HERON_ORDER_ROW, role::order, "is not an order");
}
inline void require_fill(heron_fill_mode fill) {
    require_enum(fill, HERON_FILL_UPPER, role::fill, "is not a triangle");
}
inline void require_side(heron_side side) {
    require_enum(side, HERON_SIDE_RIGHT, role::side, "is not a side");
}
inline void require_diag(heron_diag_type diag) {
    require_enum(diag, HERON_DIAG_UNIT, role::diagonal, "is not a kind of diagonal");
}

// R_32F, R_64F, C_32F or C_64F; of them a complex one.
[[noreturn]] void type_is_another(heron_type type);
inline void require_type(heron_type type) {
    if (type != HERON_R_32F && type != HERON_R_64F && type != HERON_C_32F && type != HERON_C_64F)
        type_is_another(type);
}
void require_complex(heron_type type);

// Throws INSUFFICIENT_RESOURCES unless the product of the sizes, in bytes, fits 63 bits.
void require_countable_in_full(std::initializer_list<int64_t> sizes, heron_type type);
inline void require_countable(std::initializer_list<int64_t> sizes, heron_type type) {
    constexpr int64_t small = int64_t{1} << 29;
    int64_t largest = 0;
    for (const int64_t size : sizes) largest |= size;
    if (sizes.size() > 2 || largest >= small) require_countable_in_full(sizes, type);
}

void require_leading_dimension(argument operand, int64_t ld, int64_t line);

// The elements from the first to the last of a matrix, both included.
int64_t extent(argument operand, int64_t offset, int64_t ld, int64_t lines, int64_t line);

// Memory that holds elements from `offset` to before `needed`: size as in dense_matrix_operand.
void require_memory(argument operand, const void* memory, int64_t size, int64_t needed, heron_type type);

// A stored matrix of rows x columns in `order`. reads: it is used at all.
heron_dense_operand checked_in_full(argument operand, dense_matrix_operand o, heron_order order, int64_t rows,
                                    int64_t columns, heron_type type, bool reads);
inline heron_dense_operand checked(argument operand, const dense_matrix_operand& o, heron_order order,
                                   int64_t rows, int64_t columns, heron_type type, bool reads) {
    // Most are as simple as that, and of a size that cannot overflow.
    constexpr int64_t small = int64_t{1} << 31;
    const int64_t line = order == HERON_ORDER_ROW ? columns : rows;
    const int64_t lines = order == HERON_ORDER_ROW ? rows : columns;
    const bool is_simple =
        o.offset == 0 && o.size < 0 && o.memory && o.ld > 0 && o.ld >= line && o.ld < small && lines < small;
    if (is_simple && (reinterpret_cast<uintptr_t>(o.memory) & (size_of(type) - 1)) == 0)
        return {const_cast<void*>(o.memory), 0, o.ld};
    return checked_in_full(operand, o, order, rows, columns, type, reads);
}
// The same of a matrix whose op is rows x columns.
heron_dense_operand checked(argument operand, const dense_matrix_operand& o, heron_order order,
                            heron_operation op, int64_t rows, int64_t columns, heron_type type, bool reads);

void check_batch(argument operand, const heron_batch_operand& o, int64_t ld, heron_order order,
                 heron_operation op, int64_t rows, int64_t columns, int64_t count, heron_type type,
                 bool reads);

// A vector of n elements as the plug-ins take it. uses: it is read or written at all.
heron_vector_operand checked_in_full(argument operand, dense_vector_operand v, int64_t n, heron_type type,
                                     bool uses);
[[gnu::always_inline]] inline heron_vector_operand checked(argument operand, const dense_vector_operand& v,
                                                           int64_t n, heron_type type, bool uses) {
    // Most are as simple as that, and of them little can be wrong.
    const bool is_simple = v.inc == 1 && v.offset == 0 && v.size < 0 && v.memory;
    if (is_simple && (reinterpret_cast<uintptr_t>(v.memory) & (size_of(type) - 1)) == 0)
        return {const_cast<void*>(v.memory), 0, 1};
    return checked_in_full(operand, v, n, type, uses);
}

// Of the same precision.
inline heron_type real_of(heron_type type) {
    switch (type) {
        case HERON_C_16F: return HERON_R_16F;
        case HERON_C_16BF: return HERON_R_16BF;
        case HERON_C_32F: return HERON_R_32F;
        case HERON_C_64F: return HERON_R_64F;
        default: return type;
    }
}

heron_scalar scalar_in_full(const context& context, const void* pointer, heron_type type, role r);
inline heron_scalar scalar(const context& context, const void* pointer, heron_type type, role r) {
    // Most are real numbers on the host, of any alignment.
    const bool is_near = pointer && context.pointer_mode() == pointer_mode::host;
    if (is_near && type == HERON_R_32F) {
        float value;
        std::memcpy(&value, pointer, sizeof value);
        return {nullptr, static_cast<double>(value), 0};
    }
    if (is_near && type == HERON_R_64F) {
        double value;
        std::memcpy(&value, pointer, sizeof value);
        return {nullptr, value, 0};
    }
    return scalar_in_full(context, pointer, type, r);
}
inline bool is_zero(const heron_scalar& s) { return !s.device && s.re == 0 && s.im == 0; }
inline bool is_one(const heron_scalar& s) { return !s.device && s.re == 1 && s.im == 0; }

// A real matrix is its own conjugate: the plug-ins see fewer cases.
inline heron_operation simplified(heron_operation op, heron_type type) {
    if (is_complex(type)) return op;
    return transposes(op) ? HERON_OP_TRANSPOSE : HERON_OP_NONE;
}

inline heron_fill_mode other(heron_fill_mode fill) {
    return fill == HERON_FILL_LOWER ? HERON_FILL_UPPER : HERON_FILL_LOWER;
}
inline heron_side other(heron_side side) {
    return side == HERON_SIDE_LEFT ? HERON_SIDE_RIGHT : HERON_SIDE_LEFT;
}

template <operation op, class Args>
[[gnu::noinline]] void run_in_scratch_as_needed(context& c, const Args& args) {
    const auto slot = required_slot<op>(c);
    heron_status status = HERON_SUCCESS;
    const auto size = [&](heron_queue* queue) -> size_t {
        heron_workspace needed{};
        status = slot(queue, HERON_PHASE_SIZE, &args, &needed);
        return status == HERON_SUCCESS && c.device() >= 0 ? needed.size : 0;
    };
    c.with_scratch_of(size, [&](heron_queue* queue, void* memory, size_t bytes) {
        heron_workspace workspace{bytes, memory, nullptr};
        if (status == HERON_SUCCESS) status = run_slot<op>(c, slot, queue, HERON_PHASE_RUN, args, workspace);
    });
    if (status != HERON_SUCCESS) slot_failed(c, op, status);
}

// RUN in the handle's scratch if the plug-in needs memory. On a caller's command queue it takes its own.
template <operation op, class Args>
[[gnu::always_inline]] inline void run_with_scratch(context& c, const Args& args) {
    needs_no_workspace<op>(c) ? run_in<op>(c, args, nullptr) : run_in_scratch_as_needed<op>(c, args);
}

// RUN in the handle's scratch if the plug-in can use it and it may be as large; without any otherwise.
template <operation op, class Args>
void run_with_optional_scratch(context& c, const Args& args) {
    c.exclusively([&] {
        const size_t bytes = c.device() < 0 ? 0 : workspace_size<op>(c, args);
        if (bytes == 0 || !c.may_have_scratch(bytes)) return run_in<op>(c, args, nullptr);
        run_in_scratch<op>(c, args, bytes);
    });
}

}  // namespace heron::core
