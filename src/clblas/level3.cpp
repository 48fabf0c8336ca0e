// The order of the checks is clBLAS's: initialised, queues, wait list, buffers, enumerations, sizes, then
// each matrix.
#include "level3.hpp"
#include "arguments.hpp"
#include "core/element_types.hpp"

namespace heron::clblas {
namespace {

using operand = core::dense_matrix_operand;

clblasStatus rank_k(const char* function, void (*operation)(core::context&, const core::rank_k_call&),
                    heron_type type, int order, const update_of& update, size_t n, size_t k,
                    const void* alpha, const matrix& a, const void* beta, const matrix& c, const tail& t) {
    return guarded(function, [&] {
        require_setup();
        call current(t);
        const size_t bytes = core::size_of(type);
        const operand first = current.operand('A', a, bytes);
        const operand result = current.operand('C', c, bytes);
        operation(current.context(),
                  {type, order_of(order), fill_of(update.uplo), operation_of(update.transpose, "transA"),
                   size(n, "N"), count(k, "K"), alpha, first, beta, result});
        current.finish();
    });
}

clblasStatus rank_2k(const char* function, void (*operation)(core::context&, const core::rank_2k_call&),
                     heron_type type, int order, const update_of& update, size_t n, size_t k,
                     const void* alpha, const matrix& a, const matrix& b, const void* beta, const matrix& c,
                     const tail& t) {
    return guarded(function, [&] {
        require_setup();
        call current(t);
        const size_t bytes = core::size_of(type);
        const operand first = current.operand('A', a, bytes);
        const operand second = current.operand('B', b, bytes);
        const operand result = current.operand('C', c, bytes);
        operation(current.context(),
                  {type, order_of(order), fill_of(update.uplo), operation_of(update.transpose, "trans"),
                   size(n, "N"), count(k, "K"), alpha, first, second, beta, result});
        current.finish();
    });
}

clblasStatus one_sided(const char* function, void (*operation)(core::context&, const core::symm_call&),
                       heron_type type, int order, const side_of& stored, size_t m, size_t n,
                       const void* alpha, const matrix& a, const matrix& b, const void* beta, const matrix& c,
                       const tail& t) {
    return guarded(function, [&] {
        require_setup();
        call current(t);
        const size_t bytes = core::size_of(type);
        const operand first = current.operand('A', a, bytes);
        const operand second = current.operand('B', b, bytes);
        const operand result = current.operand('C', c, bytes);
        operation(current.context(),
                  {type, order_of(order), side_of_product(stored.side), fill_of(stored.uplo), size(m, "M"),
                   size(n, "N"), alpha, first, second, beta, result});
        current.finish();
    });
}

clblasStatus in_place(const char* function, void (*operation)(core::context&, const core::triangular_call&),
                      heron_type type, int order, const triangle_of& triangle, size_t m, size_t n,
                      const void* alpha, const matrix& a, const matrix& b, const tail& t) {
    return guarded(function, [&] {
        require_setup();
        call current(t);
        const size_t bytes = core::size_of(type);
        const operand first = current.operand('A', a, bytes);
        const operand result = current.operand('B', b, bytes);
        operation(current.context(),
                  {type, order_of(order), side_of_product(triangle.side), fill_of(triangle.uplo),
                   operation_of(triangle.transpose, "transA"), diag_of(triangle.diag), size(m, "M"),
                   size(n, "N"), alpha, first, result});
        current.finish();
    });
}

}  // namespace

// As in clBLAS, the only one that works without Setup.
clblasStatus gemm(const char* function, heron_type type, int order, int transpose_a, int transpose_b,
                  size_t m, size_t n, size_t k, const void* alpha, const matrix& a, const matrix& b,
                  const void* beta, const matrix& c, const tail& t) {
    return guarded(function, [&] {
        call current(t);
        const size_t bytes = core::size_of(type);
        const operand first = current.operand('A', a, bytes);
        const operand second = current.operand('B', b, bytes);
        const operand result = current.operand('C', c, bytes);
        core::gemm(current.context(), {type, type, order_of(order), operation_of(transpose_a, "transA"),
                                       operation_of(transpose_b, "transB"), size(m, "M"), size(n, "N"),
                                       count(k, "K"), alpha, first, second, beta, result});
        current.finish();
    });
}

clblasStatus trmm(const char* function, heron_type type, int order, const triangle_of& triangle, size_t m,
                  size_t n, const void* alpha, const matrix& a, const matrix& b, const tail& t) {
    return in_place(function, &core::trmm, type, order, triangle, m, n, alpha, a, b, t);
}

clblasStatus trsm(const char* function, heron_type type, int order, const triangle_of& triangle, size_t m,
                  size_t n, const void* alpha, const matrix& a, const matrix& b, const tail& t) {
    return in_place(function, &core::trsm, type, order, triangle, m, n, alpha, a, b, t);
}

clblasStatus syrk(const char* function, heron_type type, int order, const update_of& update, size_t n,
                  size_t k, const void* alpha, const matrix& a, const void* beta, const matrix& c,
                  const tail& t) {
    return rank_k(function, &core::syrk, type, order, update, n, k, alpha, a, beta, c, t);
}

clblasStatus herk(const char* function, heron_type type, int order, const update_of& update, size_t n,
                  size_t k, const void* alpha, const matrix& a, const void* beta, const matrix& c,
                  const tail& t) {
    return rank_k(function, &core::herk, type, order, update, n, k, alpha, a, beta, c, t);
}

clblasStatus syr2k(const char* function, heron_type type, int order, const update_of& update, size_t n,
                   size_t k, const void* alpha, const matrix& a, const matrix& b, const void* beta,
                   const matrix& c, const tail& t) {
    return rank_2k(function, &core::syr2k, type, order, update, n, k, alpha, a, b, beta, c, t);
}

clblasStatus her2k(const char* function, heron_type type, int order, const update_of& update, size_t n,
                   size_t k, const void* alpha, const matrix& a, const matrix& b, const void* beta,
                   const matrix& c, const tail& t) {
    return rank_2k(function, &core::her2k, type, order, update, n, k, alpha, a, b, beta, c, t);
}

clblasStatus symm(const char* function, heron_type type, int order, const side_of& stored, size_t m, size_t n,
                  const void* alpha, const matrix& a, const matrix& b, const void* beta, const matrix& c,
                  const tail& t) {
    return one_sided(function, &core::symm, type, order, stored, m, n, alpha, a, b, beta, c, t);
}

clblasStatus hemm(const char* function, heron_type type, int order, const side_of& stored, size_t m, size_t n,
                  const void* alpha, const matrix& a, const matrix& b, const void* beta, const matrix& c,
                  const tail& t) {
    return one_sided(function, &core::hemm, type, order, stored, m, n, alpha, a, b, beta, c, t);
}

}  // namespace heron::clblas
