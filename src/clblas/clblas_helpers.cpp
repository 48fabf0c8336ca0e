// The exported helper functions of clBLAS.
#include "helpers.hpp"

using heron::clblas::copy_part;
using heron::clblas::create_matrix;
using heron::clblas::fill_part;

extern "C" {

clblasStatus clblasMatrixSizeInfo(clblasOrder order, size_t rows, size_t columns, size_t elemsize,
                                  size_t padding, size_t* ld, size_t* fullsize) {
    return heron::clblas::matrix_size("clblasMatrixSizeInfo", order, {rows, columns}, elemsize, padding, ld,
                                      fullsize);
}

cl_mem clblasCreateMatrix(cl_context context, clblasOrder order, size_t rows, size_t columns, size_t elemsize,
                          size_t padding, size_t* ld, size_t* fullsize, cl_int* err) {
    return create_matrix("clblasCreateMatrix", context, order, {rows, columns}, elemsize, padding, ld,
                         fullsize, err);
}

cl_mem clblasCreateMatrixWithLd(cl_context context, clblasOrder order, size_t rows, size_t columns,
                                size_t elemsize, size_t ld, size_t* fullsize, cl_int* err) {
    return create_matrix("clblasCreateMatrixWithLd", context, order, {rows, columns}, elemsize, ld, fullsize,
                         nullptr, nullptr, err);
}

cl_mem clblasCreateMatrixFromHost(cl_context context, clblasOrder order, size_t rows, size_t columns,
                                  size_t elemsize, size_t ld, void* host_matrix, size_t off_host,
                                  size_t ld_host, cl_command_queue command_queue, cl_uint numEventsInWaitList,
                                  const cl_event* eventWaitList, cl_int* err) {
    const heron::clblas::part source{host_matrix, true, off_host, ld_host, rows, columns};
    const heron::clblas::command command{command_queue, numEventsInWaitList, eventWaitList, nullptr, true};
    return create_matrix("clblasCreateMatrixFromHost", context, order, {rows, columns}, elemsize, ld, nullptr,
                         &source, &command, err);
}

clblasStatus clblasWriteSubMatrix(clblasOrder order, size_t element_size, const void* A, size_t offA,
                                  size_t ldA, size_t nrA, size_t ncA, size_t xA, size_t yA, cl_mem B,
                                  size_t offB, size_t ldB, size_t nrB, size_t ncB, size_t xB, size_t yB,
                                  size_t nx, size_t ny, cl_command_queue command_queue,
                                  cl_uint numEventsInWaitList, const cl_event* eventWaitList) {
    return copy_part("clblasWriteSubMatrix", order, element_size,
                     {const_cast<void*>(A), true, offA, ldA, nrA, ncA, xA, yA},
                     {B, false, offB, ldB, nrB, ncB, xB, yB}, {nx, ny},
                     {command_queue, numEventsInWaitList, eventWaitList, nullptr, true});
}

clblasStatus clblasWriteMatrix(clblasOrder order, size_t sx, size_t sy, size_t element_size, const void* A,
                               size_t offA, size_t ldA, cl_mem B, size_t offB, size_t ldB,
                               cl_command_queue command_queue, cl_uint numEventsInWaitList,
                               const cl_event* eventWaitList) {
    return copy_part("clblasWriteMatrix", order, element_size,
                     {const_cast<void*>(A), true, offA, ldA, sx, sy}, {B, false, offB, ldB, sx, sy}, {sx, sy},
                     {command_queue, numEventsInWaitList, eventWaitList, nullptr, true});
}

clblasStatus clblasWriteVector(size_t nb_elem, size_t element_size, const void* A, size_t offA, cl_mem B,
                               size_t offB, cl_command_queue command_queue, cl_uint numEventsInWaitList,
                               const cl_event* eventWaitList) {
    return copy_part("clblasWriteVector", clblasColumnMajor, element_size,
                     {const_cast<void*>(A), true, offA, nb_elem, nb_elem, 1},
                     {B, false, offB, nb_elem, nb_elem, 1}, {nb_elem, 1},
                     {command_queue, numEventsInWaitList, eventWaitList, nullptr, true});
}

clblasStatus clblasWriteSubMatrixAsync(clblasOrder order, size_t element_size, const void* A, size_t offA,
                                       size_t ldA, size_t nrA, size_t ncA, size_t xA, size_t yA, cl_mem B,
                                       size_t offB, size_t ldB, size_t nrB, size_t ncB, size_t xB, size_t yB,
                                       size_t nx, size_t ny, cl_command_queue command_queue,
                                       cl_uint numEventsInWaitList, const cl_event* eventWaitList,
                                       cl_event* event) {
    return copy_part("clblasWriteSubMatrixAsync", order, element_size,
                     {const_cast<void*>(A), true, offA, ldA, nrA, ncA, xA, yA},
                     {B, false, offB, ldB, nrB, ncB, xB, yB}, {nx, ny},
                     {command_queue, numEventsInWaitList, eventWaitList, event, false});
}

clblasStatus clblasWriteMatrixAsync(clblasOrder order, size_t sx, size_t sy, size_t element_size,
                                    const void* A, size_t offA, size_t ldA, cl_mem B, size_t offB, size_t ldB,
                                    cl_command_queue command_queue, cl_uint numEventsInWaitList,
                                    const cl_event* eventWaitList, cl_event* events) {
    return copy_part("clblasWriteMatrixAsync", order, element_size,
                     {const_cast<void*>(A), true, offA, ldA, sx, sy}, {B, false, offB, ldB, sx, sy}, {sx, sy},
                     {command_queue, numEventsInWaitList, eventWaitList, events, false});
}

clblasStatus clblasWriteVectorAsync(size_t nb_elem, size_t element_size, const void* A, size_t offA, cl_mem B,
                                    size_t offB, cl_command_queue command_queue, cl_uint numEventsInWaitList,
                                    const cl_event* eventWaitList, cl_event* events) {
    return copy_part("clblasWriteVectorAsync", clblasColumnMajor, element_size,
                     {const_cast<void*>(A), true, offA, nb_elem, nb_elem, 1},
                     {B, false, offB, nb_elem, nb_elem, 1}, {nb_elem, 1},
                     {command_queue, numEventsInWaitList, eventWaitList, events, false});
}

clblasStatus clblasReadSubMatrix(clblasOrder order, size_t element_size, const cl_mem A, size_t offA,
                                 size_t ldA, size_t nrA, size_t ncA, size_t xA, size_t yA, void* B,
                                 size_t offB, size_t ldB, size_t nrB, size_t ncB, size_t xB, size_t yB,
                                 size_t nx, size_t ny, cl_command_queue command_queue,
                                 cl_uint numEventsInWaitList, const cl_event* eventWaitList) {
    return copy_part("clblasReadSubMatrix", order, element_size, {A, false, offA, ldA, nrA, ncA, xA, yA},
                     {B, true, offB, ldB, nrB, ncB, xB, yB}, {nx, ny},
                     {command_queue, numEventsInWaitList, eventWaitList, nullptr, true});
}

clblasStatus clblasReadMatrix(clblasOrder order, size_t sx, size_t sy, size_t element_size, const cl_mem A,
                              size_t offA, size_t ldA, void* B, size_t offB, size_t ldB,
                              cl_command_queue command_queue, cl_uint numEventsInWaitList,
                              const cl_event* eventWaitList) {
    return copy_part("clblasReadMatrix", order, element_size, {A, false, offA, ldA, sx, sy},
                     {B, true, offB, ldB, sx, sy}, {sx, sy},
                     {command_queue, numEventsInWaitList, eventWaitList, nullptr, true});
}

clblasStatus clblasReadVector(size_t nb_elem, size_t element_size, const cl_mem A, size_t offA, void* B,
                              size_t offB, cl_command_queue command_queue, cl_uint numEventsInWaitList,
                              const cl_event* eventWaitList) {
    return copy_part("clblasReadVector", clblasColumnMajor, element_size,
                     {A, false, offA, nb_elem, nb_elem, 1}, {B, true, offB, nb_elem, nb_elem, 1},
                     {nb_elem, 1}, {command_queue, numEventsInWaitList, eventWaitList, nullptr, true});
}

clblasStatus clblasReadSubMatrixAsync(clblasOrder order, size_t element_size, const cl_mem A, size_t offA,
                                      size_t ldA, size_t nrA, size_t ncA, size_t xA, size_t yA, void* B,
                                      size_t offB, size_t ldB, size_t nrB, size_t ncB, size_t xB, size_t yB,
                                      size_t nx, size_t ny, cl_command_queue command_queue,
                                      cl_uint numEventsInWaitList, const cl_event* eventWaitList,
                                      cl_event* event) {
    return copy_part("clblasReadSubMatrixAsync", order, element_size, {A, false, offA, ldA, nrA, ncA, xA, yA},
                     {B, true, offB, ldB, nrB, ncB, xB, yB}, {nx, ny},
                     {command_queue, numEventsInWaitList, eventWaitList, event, false});
}

clblasStatus clblasReadMatrixAsync(clblasOrder order, size_t sx, size_t sy, size_t element_size,
                                   const cl_mem A, size_t offA, size_t ldA, void* B, size_t offB, size_t ldB,
                                   cl_command_queue command_queue, cl_uint numEventsInWaitList,
                                   const cl_event* eventWaitList, cl_event* events) {
    return copy_part("clblasReadMatrixAsync", order, element_size, {A, false, offA, ldA, sx, sy},
                     {B, true, offB, ldB, sx, sy}, {sx, sy},
                     {command_queue, numEventsInWaitList, eventWaitList, events, false});
}

clblasStatus clblasReadVectorAsync(size_t nb_elem, size_t element_size, const cl_mem A, size_t offA, void* B,
                                   size_t offB, cl_command_queue command_queue, cl_uint numEventsInWaitList,
                                   const cl_event* eventWaitList, cl_event* events) {
    return copy_part("clblasReadVectorAsync", clblasColumnMajor, element_size,
                     {A, false, offA, nb_elem, nb_elem, 1}, {B, true, offB, nb_elem, nb_elem, 1},
                     {nb_elem, 1}, {command_queue, numEventsInWaitList, eventWaitList, events, false});
}

clblasStatus clblasCopySubMatrix(clblasOrder order, size_t element_size, const cl_mem A, size_t offA,
                                 size_t ldA, size_t nrA, size_t ncA, size_t xA, size_t yA, cl_mem B,
                                 size_t offB, size_t ldB, size_t nrB, size_t ncB, size_t xB, size_t yB,
                                 size_t nx, size_t ny, cl_command_queue command_queue,
                                 cl_uint numEventsInWaitList, const cl_event* eventWaitList) {
    return copy_part("clblasCopySubMatrix", order, element_size, {A, false, offA, ldA, nrA, ncA, xA, yA},
                     {B, false, offB, ldB, nrB, ncB, xB, yB}, {nx, ny},
                     {command_queue, numEventsInWaitList, eventWaitList, nullptr, true});
}

clblasStatus clblasCopyMatrix(clblasOrder order, size_t sx, size_t sy, size_t element_size, const cl_mem A,
                              size_t offA, size_t ldA, cl_mem B, size_t offB, size_t ldB,
                              cl_command_queue command_queue, cl_uint numEventsInWaitList,
                              const cl_event* eventWaitList) {
    return copy_part("clblasCopyMatrix", order, element_size, {A, false, offA, ldA, sx, sy},
                     {B, false, offB, ldB, sx, sy}, {sx, sy},
                     {command_queue, numEventsInWaitList, eventWaitList, nullptr, true});
}

clblasStatus clblasCopyVector(size_t nb_elem, size_t element_size, const cl_mem A, size_t offA, cl_mem B,
                              size_t offB, cl_command_queue command_queue, cl_uint numEventsInWaitList,
                              const cl_event* eventWaitList) {
    return copy_part("clblasCopyVector", clblasColumnMajor, element_size,
                     {A, false, offA, nb_elem, nb_elem, 1}, {B, false, offB, nb_elem, nb_elem, 1},
                     {nb_elem, 1}, {command_queue, numEventsInWaitList, eventWaitList, nullptr, true});
}

clblasStatus clblasCopySubMatrixAsync(clblasOrder order, size_t element_size, const cl_mem A, size_t offA,
                                      size_t ldA, size_t nrA, size_t ncA, size_t xA, size_t yA, cl_mem B,
                                      size_t offB, size_t ldB, size_t nrB, size_t ncB, size_t xB, size_t yB,
                                      size_t nx, size_t ny, cl_command_queue command_queue,
                                      cl_uint numEventsInWaitList, const cl_event* eventWaitList,
                                      cl_event* event) {
    return copy_part("clblasCopySubMatrixAsync", order, element_size, {A, false, offA, ldA, nrA, ncA, xA, yA},
                     {B, false, offB, ldB, nrB, ncB, xB, yB}, {nx, ny},
                     {command_queue, numEventsInWaitList, eventWaitList, event, false});
}

clblasStatus clblasCopyMatrixAsync(clblasOrder order, size_t sx, size_t sy, size_t element_size,
                                   const cl_mem A, size_t offA, size_t ldA, cl_mem B, size_t offB, size_t ldB,
                                   cl_command_queue command_queue, cl_uint numEventsInWaitList,
                                   const cl_event* eventWaitList, cl_event* events) {
    return copy_part("clblasCopyMatrixAsync", order, element_size, {A, false, offA, ldA, sx, sy},
                     {B, false, offB, ldB, sx, sy}, {sx, sy},
                     {command_queue, numEventsInWaitList, eventWaitList, events, false});
}

clblasStatus clblasCopyVectorAsync(size_t nb_elem, size_t element_size, const cl_mem A, size_t offA, cl_mem B,
                                   size_t offB, cl_command_queue command_queue, cl_uint numEventsInWaitList,
                                   const cl_event* eventWaitList, cl_event* events) {
    return copy_part("clblasCopyVectorAsync", clblasColumnMajor, element_size,
                     {A, false, offA, nb_elem, nb_elem, 1}, {B, false, offB, nb_elem, nb_elem, 1},
                     {nb_elem, 1}, {command_queue, numEventsInWaitList, eventWaitList, events, false});
}

clblasStatus clblasFillVector(size_t nb_elem, size_t element_size, cl_mem A, size_t offA, const void* pattern,
                              cl_command_queue command_queue, cl_uint numEventsInWaitList,
                              const cl_event* eventWaitList) {
    return fill_part("clblasFillVector", clblasColumnMajor, element_size,
                     {A, false, offA, nb_elem, nb_elem, 1}, {nb_elem, 1}, pattern,
                     {command_queue, numEventsInWaitList, eventWaitList, nullptr, true});
}

clblasStatus clblasFillMatrix(clblasOrder order, size_t element_size, cl_mem A, size_t offA, size_t ldA,
                              size_t nrA, size_t ncA, const void* pattern, cl_command_queue command_queue,
                              cl_uint numEventsInWaitList, const cl_event* eventWaitList) {
    return fill_part("clblasFillMatrix", order, element_size, {A, false, offA, ldA, nrA, ncA}, {nrA, ncA},
                     pattern, {command_queue, numEventsInWaitList, eventWaitList, nullptr, true});
}

clblasStatus clblasFillSubMatrix(clblasOrder order, size_t element_size, cl_mem A, size_t offA, size_t ldA,
                                 size_t nrA, size_t ncA, size_t xA, size_t yA, size_t nx, size_t ny,
                                 const void* pattern, cl_command_queue command_queue,
                                 cl_uint numEventsInWaitList, const cl_event* eventWaitList) {
    return fill_part("clblasFillSubMatrix", order, element_size, {A, false, offA, ldA, nrA, ncA, xA, yA},
                     {nx, ny}, pattern, {command_queue, numEventsInWaitList, eventWaitList, nullptr, true});
}

clblasStatus clblasFillVectorAsync(size_t nb_elem, size_t element_size, cl_mem A, size_t offA,
                                   const void* pattern, cl_command_queue command_queue,
                                   cl_uint numEventsInWaitList, const cl_event* eventWaitList,
                                   cl_event* event) {
    return fill_part("clblasFillVectorAsync", clblasColumnMajor, element_size,
                     {A, false, offA, nb_elem, nb_elem, 1}, {nb_elem, 1}, pattern,
                     {command_queue, numEventsInWaitList, eventWaitList, event, false});
}

clblasStatus clblasFillMatrixAsync(clblasOrder order, size_t element_size, cl_mem A, size_t offA, size_t ldA,
                                   size_t nrA, size_t ncA, const void* pattern,
                                   cl_command_queue command_queue, cl_uint numEventsInWaitList,
                                   const cl_event* eventWaitList, cl_event* event) {
    return fill_part("clblasFillMatrixAsync", order, element_size, {A, false, offA, ldA, nrA, ncA},
                     {nrA, ncA}, pattern, {command_queue, numEventsInWaitList, eventWaitList, event, false});
}

// A negative position becomes one behind every matrix.
clblasStatus clblasFillSubMatrixAsync(clblasOrder order, size_t element_size, cl_mem A, size_t offA,
                                      size_t ldA, size_t sxA, size_t syA, int xA, int yA, size_t nx,
                                      size_t ny, const void* pattern, cl_command_queue command_queue,
                                      cl_uint numEventsInWaitList, const cl_event* eventWaitList,
                                      cl_event* event) {
    return fill_part("clblasFillSubMatrixAsync", order, element_size,
                     {A, false, offA, ldA, sxA, syA, static_cast<size_t>(xA), static_cast<size_t>(yA)},
                     {nx, ny}, pattern, {command_queue, numEventsInWaitList, eventWaitList, event, false});
}
}
