#pragma once
// The helper functions of clBLAS: matrices of any element size between host memory and buffers.
#include "call.hpp"

namespace heron::clblas {

// A part of a matrix, in elements: rows x columns are the matrix's, (x, y) is the part's first row and
// column.
struct part {
    void* memory;
    bool is_host;
    size_t offset, ld, rows, columns;
    size_t x = 0, y = 0;
};

// What a command of the caller's one queue waits for and gives.
struct command {
    cl_command_queue queue;
    cl_uint wait_count;
    const cl_event* waits;
    cl_event* event;
    bool is_blocking;
};

struct part_size {
    size_t rows, columns;
};

clblasStatus matrix_size(const char* function, clblasOrder order, part_size matrix, size_t element_bytes,
                         size_t padding, size_t* ld, size_t* bytes);
// Both answer NULL where they fail, with the reason in *error.
cl_mem create_matrix(const char* function, cl_context context, clblasOrder order, part_size matrix,
                     size_t element_bytes, size_t padding, size_t* ld, size_t* bytes, cl_int* error);
// With elements of a matrix in host memory where source is not NULL, and then by that command.
cl_mem create_matrix(const char* function, cl_context context, clblasOrder order, part_size matrix,
                     size_t element_bytes, size_t ld, size_t* bytes, const part* source,
                     const command* command, cl_int* error);

clblasStatus copy_part(const char* function, clblasOrder order, size_t element_bytes, const part& from,
                       const part& to, part_size size, const command& command);
clblasStatus fill_part(const char* function, clblasOrder order, size_t element_bytes, const part& to,
                       part_size size, const void* pattern, const command& command);

// One of the values of clBLAS's enumeration of kernels for gemm, trmm and trsm, which choose nothing here.
clblasStatus select_implementation(const char* function, int implementation);

// Keeps count of an image; 0 where it fails.
cl_ulong add_scratch_image(const char* function, cl_context context, size_t width, size_t height,
                           clblasStatus* status);
clblasStatus remove_scratch_image(const char* function, cl_ulong id);

}  // namespace heron::clblas
