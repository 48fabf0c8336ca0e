#include "rows.hpp"
#include "error.hpp"
#include <fmt/format.h>
#include <bit>

namespace heron::core {
namespace {

void check_operand(role r, const row_operand& o, size_t row_bytes, size_t rows) {
    const argument operand(r);
    if (!o.rows.memory) invalid(operand, "is NULL");
    if (o.rows.pitch < row_bytes)
        invalid(operand[part::ld], fmt::format("makes rows of {} bytes overlap", row_bytes));
    size_t needed = 0;
    if (__builtin_mul_overflow(rows - 1, o.rows.pitch, &needed) ||
        __builtin_add_overflow(needed, row_bytes, &needed) ||
        __builtin_add_overflow(needed, o.rows.offset, &needed))
        invalid(operand[part::extent], "the size exceeds 64 bits");
    if (needed > o.size)
        invalid(operand[part::extent], fmt::format("holds {} bytes, but {} are needed", o.size, needed));
}

template <class Slot>
Slot required_slot(Slot slot) {
    if (!slot) not_supported(role::queue, "the plug-in is older than these functions");
    return slot;
}

// What OpenCL fills buffers with.
bool is_pattern_size(size_t bytes) { return std::has_single_bit(bytes) && bytes <= 128; }

}  // namespace

void copy_rows(context& context, const row_operand& to, const row_operand& from, size_t row_bytes,
               size_t rows, bool wait) {
    if (row_bytes == 0 || rows == 0) return;
    check_operand(role::a, from, row_bytes, rows);
    check_operand(role::b, to, row_bytes, rows);
    const auto copy = required_slot(context.table().rows_copy);
    context.with_queue([&](heron_queue* queue) {
        check(copy(queue, &to.rows, &from.rows, row_bytes, rows, wait), "copying rows");
    });
}

void fill_rows(context& context, const row_operand& to, size_t row_bytes, size_t rows, const void* pattern,
               size_t pattern_bytes, bool wait) {
    if (row_bytes == 0 || rows == 0) return;
    check_operand(role::b, to, row_bytes, rows);
    if (!pattern) invalid(role::alpha, "is NULL");
    if (!is_pattern_size(pattern_bytes))
        invalid(role::count, fmt::format("{} is not 1, 2, 4, 8, 16, 32, 64 or 128", pattern_bytes));
    const auto fill = required_slot(context.table().rows_fill);
    context.with_queue([&](heron_queue* queue) {
        check(fill(queue, &to.rows, row_bytes, rows, pattern, pattern_bytes, wait), "filling rows");
    });
}

void* create_buffer(const backend& backend, void* owner, size_t bytes) {
    if (!backend.table.abi) throw error(HERON_NOT_INITIALIZED, backend.name.c_str(), backend.reason);
    void* buffer = nullptr;
    check(required_slot(backend.table.buffer_create)(owner, bytes, &buffer), "creating a buffer");
    return buffer;
}

void destroy_buffer(const backend& backend, void* buffer) noexcept {
    if (backend.table.buffer_destroy) backend.table.buffer_destroy(buffer);
}

}  // namespace heron::core
