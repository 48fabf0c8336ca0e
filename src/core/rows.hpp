#pragma once
// Rows of bytes that are copied and filled on a caller's command queue.
#include "context.hpp"

namespace heron::core {

// Rows in a buffer or in memory of the host, as the ABI has them.
struct row_operand {
    heron_rows rows;
    // The bytes that a buffer holds; the extent of memory of the host is unknown.
    size_t size = SIZE_MAX;
};

// Both return when it is done if `wait`. Nothing happens where there is nothing to do. Of the operands,
// `from` is role a and `to` role b; their extent is at fault where they do not fit, their ld where rows
// overlap.
void copy_rows(context& context, const row_operand& to, const row_operand& from, size_t row_bytes,
               size_t rows, bool wait);
void fill_rows(context& context, const row_operand& to, size_t row_bytes, size_t rows, const void* pattern,
               size_t pattern_bytes, bool wait);

// A buffer in a context of the caller's, whose it is. Throws MAPPING_ERROR for what is no context.
void* create_buffer(const backend& backend, void* owner, size_t bytes);
void destroy_buffer(const backend& backend, void* buffer) noexcept;

}  // namespace heron::core
