#include "helpers.hpp"
#include "core/loader.hpp"
#include "core/rows.hpp"
#include "state.hpp"
#include <fmt/format.h>

namespace heron::clblas {
namespace {

constexpr core::argument_name part_names[] = {
    {{core::role::a, core::part::ld}, "ldA"},
    {{core::role::b, core::part::ld}, "ldB"},
};
constexpr core::argument_name fill_names[] = {
    {core::role::b, "A"},
    {{core::role::b, core::part::ld}, "ldA"},
    {{core::role::b, core::part::extent}, "A"},
    {core::role::alpha, "pattern"},
    {core::role::count, "element_size"},
};

// As OpenCL's own functions, these have one status for all that is wrong with numbers.
clblasStatus status_of_helper(const core::error& e) { return status_of(e.status()); }

bool is_row_order(int order) {
    if (order != clblasRowMajor && order != clblasColumnMajor)
        fail(clblasInvalidValue, fmt::format("order: {} is no order", order));
    return order == clblasRowMajor;
}

size_t product(size_t a, size_t b, const char* what) {
    size_t result = 0;
    if (__builtin_mul_overflow(a, b, &result))
        fail(clblasInvalidValue, fmt::format("{}: exceeds 64 bits", what));
    return result;
}

size_t sum(size_t a, size_t b, const char* what) {
    size_t result = 0;
    if (__builtin_add_overflow(a, b, &result))
        fail(clblasInvalidValue, fmt::format("{}: exceeds 64 bits", what));
    return result;
}

// In lines of contiguous elements: rows of a matrix in row order, columns of one in column order.
struct lines {
    lines(bool row_order, const part_size& size)
        : length(row_order ? size.columns : size.rows), count(row_order ? size.rows : size.columns) {}
    size_t length, count;
};

void require_within(const char* name, const part& p, const part_size& size) {
    const auto fits = [](size_t first, size_t count, size_t all) {
        return first < all && count <= all - first;
    };
    if (!fits(p.x, size.rows, p.rows) || !fits(p.y, size.columns, p.columns))
        fail(clblasInvalidValue,
             fmt::format("{}: {} x {} elements at ({}, {}) are not within the matrix of {} x {}", name,
                         size.rows, size.columns, p.x, p.y, p.rows, p.columns));
}

core::row_operand rows_of(call& current, const char* name, const part& p, bool row_order,
                          size_t element_bytes) {
    const size_t within = row_order ? p.y : p.x, line = row_order ? p.x : p.y;
    const size_t first = sum(sum(p.offset, within, name), product(line, p.ld, name), name);
    core::row_operand result{
        {p.memory, product(first, element_bytes, name), product(p.ld, element_bytes, name), p.is_host}};
    if (!p.is_host)
        result.size = current.bytes_of(name, static_cast<cl_mem>(p.memory), clblasInvalidMemObject);
    return result;
}

// A single line needs no leading dimension.
void ignore_pitch(core::row_operand& o, size_t row_bytes, size_t rows) {
    if (rows == 1) o.rows.pitch = row_bytes;
}

tail tail_of(const command& command) {
    return {1, &command.queue, command.wait_count, command.waits, command.event};
}

void copy(call& current, clblasOrder order, size_t element_bytes, const part& from, const part& to,
          const part_size& size, bool is_blocking) {
    const bool row_order = is_row_order(order);
    if (size.rows > 0 && size.columns > 0) {
        require_within("A", from, size);
        require_within("B", to, size);
    }
    core::row_operand source = rows_of(current, "A", from, row_order, element_bytes);
    core::row_operand target = rows_of(current, "B", to, row_order, element_bytes);
    const lines region(row_order, size);
    const size_t row_bytes = product(region.length, element_bytes, "nx, ny");
    ignore_pitch(source, row_bytes, region.count);
    ignore_pitch(target, row_bytes, region.count);
    core::copy_rows(current.context(), target, source, row_bytes, region.count, is_blocking);
}

size_t buffer_bytes(const lines& matrix, size_t ld, size_t element_bytes) {
    if (ld < matrix.length)
        fail(clblasInvalidValue, fmt::format("ld: is {}, but at least {} are needed", ld, matrix.length));
    return product(product(ld, matrix.count, "rows, columns"), element_bytes, "elemsize");
}

// What OpenCL says where a buffer cannot be.
cl_mem create_buffer(cl_context context, size_t bytes) {
    if (bytes == 0) fail(clblasStatus(CL_INVALID_BUFFER_SIZE), "the matrix: has no elements");
    try {
        return static_cast<cl_mem>(core::create_buffer(core::find_backend("opencl"), context, bytes));
    } catch (const core::error& e) {
        if (e.status() == HERON_MAPPING_ERROR) fail(clblasInvalidContext, "context: is no context");
        if (e.status() != HERON_ALLOC_FAILED) throw;
        fail(clblasStatus(CL_MEM_OBJECT_ALLOCATION_FAILURE), fmt::format("no memory for {} bytes", bytes));
    }
}

class new_buffer {
  public:
    new_buffer(cl_context context, size_t bytes) : memory_(create_buffer(context, bytes)) {}
    ~new_buffer() {
        if (memory_) core::destroy_buffer(core::find_backend("opencl"), memory_);
    }
    new_buffer(const new_buffer&) = delete;
    new_buffer& operator=(const new_buffer&) = delete;

    cl_mem get() const { return memory_; }
    cl_mem release() { return std::exchange(memory_, nullptr); }

  private:
    cl_mem memory_;
};

void require_elements(size_t element_bytes) {
    if (element_bytes == 0) fail(clblasInvalidValue, "elemsize: is 0");
}

cl_mem answer(cl_mem memory, clblasStatus status, cl_int* error) {
    if (error) *error = status;
    return memory;
}

}  // namespace

clblasStatus matrix_size(const char* function, clblasOrder order, part_size matrix, size_t element_bytes,
                         size_t padding, size_t* ld, size_t* bytes) {
    return guarded(function, [&] {
        const lines stored(is_row_order(order), matrix);
        require_elements(element_bytes);
        if (matrix.rows == 0 && matrix.columns == 0) fail(clblasInvalidValue, "rows, columns: are 0");
        const size_t length = sum(stored.length, padding, "padding");
        const size_t all = buffer_bytes(stored, length, element_bytes);
        if (ld) *ld = length;
        if (bytes) *bytes = all;
    });
}

cl_mem create_matrix(const char* function, cl_context context, clblasOrder order, part_size matrix,
                     size_t element_bytes, size_t padding, size_t* ld, size_t* bytes, cl_int* error) {
    cl_mem made = nullptr;
    const clblasStatus status = guarded(function, [&] {
        const lines stored(is_row_order(order), matrix);
        const size_t length = sum(stored.length, padding, "padding");
        const size_t all = buffer_bytes(stored, length, element_bytes);
        made = create_buffer(context, all);
        if (ld) *ld = length;
        if (bytes) *bytes = all;
    });
    return answer(made, status, error);
}

cl_mem create_matrix(const char* function, cl_context context, clblasOrder order, part_size matrix,
                     size_t element_bytes, size_t ld, size_t* bytes, const part* source,
                     const command* command, cl_int* error) {
    cl_mem made = nullptr;
    const clblasStatus status = guarded({function, part_names, &status_of_helper}, [&] {
        const size_t all = buffer_bytes(lines(is_row_order(order), matrix), ld, element_bytes);
        new_buffer buffer(context, all);
        if (source) {
            call current(tail_of(*command));
            const part target{buffer.get(), false, 0, ld, matrix.rows, matrix.columns};
            copy(current, order, element_bytes, *source, target, matrix, true);
        }
        if (bytes) *bytes = all;
        made = buffer.release();
    });
    return answer(made, status, error);
}

clblasStatus copy_part(const char* function, clblasOrder order, size_t element_bytes, const part& from,
                       const part& to, part_size size, const command& command) {
    return guarded({function, part_names, &status_of_helper}, [&] {
        require_elements(element_bytes);
        call current(tail_of(command));
        copy(current, order, element_bytes, from, to, size, command.is_blocking);
        current.finish();
    });
}

clblasStatus fill_part(const char* function, clblasOrder order, size_t element_bytes, const part& to,
                       part_size size, const void* pattern, const command& command) {
    return guarded({function, fill_names, &status_of_helper}, [&] {
        const bool row_order = is_row_order(order);
        require_elements(element_bytes);
        call current(tail_of(command));
        if (size.rows > 0 && size.columns > 0) require_within("A", to, size);
        core::row_operand target = rows_of(current, "A", to, row_order, element_bytes);
        const lines region(row_order, size);
        const size_t row_bytes = product(region.length, element_bytes, "nx, ny");
        ignore_pitch(target, row_bytes, region.count);
        core::fill_rows(current.context(), target, row_bytes, region.count, pattern, element_bytes,
                        command.is_blocking);
        current.finish();
    });
}

clblasStatus select_implementation(const char* function, int implementation) {
    return guarded(function, [&] {
        // Four of gemm's, four of trmm's and five of trsm's, each with those that it lacks left out.
        const bool is_one = (implementation >= 0 && implementation <= 3) ||
                            (implementation >= 5 && implementation <= 8) ||
                            (implementation >= 10 && implementation <= 14);
        if (!is_one) fail(clblasInvalidValue, fmt::format("impl: {} is no implementation", implementation));
    });
}

cl_ulong add_scratch_image(const char* function, cl_context context, size_t width, size_t height,
                           clblasStatus* status) {
    cl_ulong id = 0;
    const clblasStatus result = guarded(function, [&] {
        if (!is_set_up()) fail(clblasNotInitialized, "Setup was not called");
        if (!context) fail(clblasInvalidContext, "context: is NULL");
        if (width == 0 || height == 0) fail(clblasInvalidValue, "width, height: is 0");
        id = add_image();
    });
    if (status) *status = result;
    return id;
}

clblasStatus remove_scratch_image(const char* function, cl_ulong id) {
    return guarded(function, [&] {
        if (!is_set_up()) fail(clblasNotInitialized, "Setup was not called");
        if (!remove_image(id)) fail(clblasInvalidValue, "imageID: was not added");
    });
}

}  // namespace heron::clblas
