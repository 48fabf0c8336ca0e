#include "dense_checks.hpp"
#include "core/element_types.hpp"
#include <algorithm>
#include <cstdlib>

namespace heron::core {

void size_is_negative(int64_t size, role r) { invalid(r, fmt::format("is negative ({})", size)); }

void type_is_another(heron_type type) {
    require_enum(type, HERON_C_64F, role::type, "is not an element type");
    not_supported(role::type, fmt::format("{} is not one of R_32F, R_64F, C_32F, C_64F", name_of(type)));
}

void require_complex(heron_type type) {
    require_type(type);
    if (!is_complex(type)) invalid(role::type, fmt::format("{} is not complex", name_of(type)));
}

// Sizes are checked against overflow where they are multiplied: elements times bytes must fit 63 bits.
void require_countable_in_full(std::initializer_list<int64_t> sizes, heron_type type) {
    int64_t product = static_cast<int64_t>(size_of(type));
    for (const int64_t size : sizes)
        if (__builtin_mul_overflow(product, std::max<int64_t>(size, 1), &product))
            throw error(HERON_INSUFFICIENT_RESOURCES, role::rows, "the size exceeds 63 bits");
}

void require_leading_dimension(argument operand, int64_t ld, int64_t line) {
    if (ld < std::max<int64_t>(line, 1))
        invalid(operand[part::ld],
                fmt::format("is {}, but at least {} are needed", ld, std::max<int64_t>(line, 1)));
}

int64_t extent(argument operand, int64_t offset, int64_t ld, int64_t lines, int64_t line) {
    int64_t result = 0;
    const bool overflows = __builtin_mul_overflow(lines - 1, ld, &result) ||
                           __builtin_add_overflow(result, line, &result) ||
                           __builtin_add_overflow(result, offset, &result);
    if (overflows) invalid(operand[part::extent], "the size exceeds 63 bits");
    return result;
}

void require_memory(argument operand, const void* memory, int64_t size, int64_t needed, heron_type type) {
    if (!memory) invalid(operand, "is NULL");
    if (size >= 0 && needed > size)
        invalid(operand[part::extent], fmt::format("holds {} elements, but {} are needed", size, needed));
    // Sizes of types are powers of two: no division.
    if (size < 0 && (reinterpret_cast<uintptr_t>(memory) & (size_of(type) - 1)) != 0)
        invalid(operand, fmt::format("is not aligned to {} bytes", size_of(type)));
}

heron_dense_operand checked_in_full(argument operand, dense_matrix_operand o, heron_order order, int64_t rows,
                                    int64_t columns, heron_type type, bool reads) {
    const int64_t line = order == HERON_ORDER_ROW ? columns : rows;
    const int64_t lines = order == HERON_ORDER_ROW ? rows : columns;
    require_leading_dimension(operand, o.ld, line);
    if (o.offset < 0) invalid(operand[part::offset], fmt::format("is negative ({})", o.offset));
    const heron_dense_operand result{const_cast<void*>(o.memory), o.offset, o.ld};
    if (line == 0 || lines == 0 || !reads) return result;
    require_memory(operand, o.memory, o.size, extent(operand, o.offset, o.ld, lines, line), type);
    return result;
}

heron_dense_operand checked(argument operand, const dense_matrix_operand& o, heron_order order,
                            heron_operation op, int64_t rows, int64_t columns, heron_type type, bool reads) {
    const bool turned = transposes(op);
    return checked(operand, o, order, turned ? columns : rows, turned ? rows : columns, type, reads);
}

void check_batch(argument operand, const heron_batch_operand& o, int64_t ld, heron_order order,
                 heron_operation op, int64_t rows, int64_t columns, int64_t count, heron_type type,
                 bool reads) {
    if (transposes(op)) std::swap(rows, columns);
    const int64_t line = order == HERON_ORDER_ROW ? columns : rows;
    const int64_t lines = order == HERON_ORDER_ROW ? rows : columns;
    require_leading_dimension(operand, ld, line);
    require_enum(o.kind, HERON_BATCH_INDEXED, operand, "is not a kind of batch operand");
    const bool listed = o.kind != HERON_BATCH_STRIDED;
    const bool based = o.kind != HERON_BATCH_POINTERS;
    if (based && o.stride < 0) invalid(operand, "has a negative stride");
    if (listed && o.list_step < 0) invalid(operand, "has a negative list_step");
    if (o.kind == HERON_BATCH_INDEXED)
        require_enum(o.index_type, HERON_INDEX_64, operand, "has no such index type");
    if (line == 0 || lines == 0 || count == 0 || !reads) return;
    const int64_t needed = extent(operand, 0, ld, lines, line);
    if (!listed) extent(operand, needed, o.stride, count, 0);
    if (listed && !o.list) invalid(operand, "has a NULL list");
    if (based && !o.base) invalid(operand, "is NULL");
    if (based && reinterpret_cast<uintptr_t>(o.base) % size_of(type) != 0)
        invalid(operand, fmt::format("is not aligned to {} bytes", size_of(type)));
    const bool is_output = operand.role == role::c;
    if (is_output && !listed && count > 1 && o.stride < line)
        invalid(operand, fmt::format("has stride {}, with which the items' outputs overlap", o.stride));
}

// BLAS begins with the last element in memory where the increment is negative.
heron_vector_operand checked_in_full(argument operand, dense_vector_operand v, int64_t n, heron_type type,
                                     bool uses) {
    if (v.offset < 0) invalid(operand[part::offset], fmt::format("is negative ({})", v.offset));
    heron_vector_operand result{const_cast<void*>(v.memory), v.offset, v.inc};
    if (n <= 0 || !uses) return result;
    if (v.inc < -INT64_MAX) invalid(operand[part::inc], "exceeds 63 bits");
    const int64_t needed = extent(operand, v.offset, std::abs(v.inc), n, 1);
    require_memory(operand, v.memory, v.size, needed, type);
    if (v.inc < 0) result.offset = needed - 1;
    return result;
}

heron_scalar scalar_in_full(const context& context, const void* pointer, heron_type type, role r) {
    return scalar_argument(context, required(pointer, r), type, r);
}

}  // namespace heron::core
