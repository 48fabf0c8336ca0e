#include "level2.hpp"
#include "arguments.hpp"
#include "core/element_types.hpp"

namespace heron::clblas {
namespace {

core::stored_matrix_operand operand_of(call& current, const stored& a, size_t element_bytes) {
    core::stored_matrix_operand result;
    result.storage = a.storage;
    result.matrix = current.operand('A', a.place, element_bytes);
    result.k = count(a.diagonals, "K");
    return result;
}

clblasStatus triangular(const char* function,
                        void (*operation)(core::context&, const core::triangular_vector_call&),
                        heron_type type, int order, const triangle& how, size_t n, const stored& a,
                        const vector& x, const tail& t) {
    return guarded(function, [&] {
        require_setup();
        call current(t);
        const size_t bytes = core::size_of(type);
        const auto first = operand_of(current, a, bytes);
        const auto result = current.operand('X', x, bytes);
        operation(current.context(),
                  {type, order_of(order), fill_of(how.uplo), operation_of(how.transpose, "trans"),
                   diag_of(how.diag), size(n, "N"), first, result});
        current.finish();
    });
}

// With the matrix as the core takes it.
clblasStatus product(const char* function, heron_type type, int order, int transpose,
                     const char* transpose_name, size_t m, size_t n, const void* alpha, const stored& a,
                     size_t lower, size_t upper, const vector& x, const void* beta, const vector& y,
                     const tail& t) {
    return guarded(function, [&] {
        require_setup();
        call current(t);
        const size_t bytes = core::size_of(type);
        auto matrix = operand_of(current, a, bytes);
        matrix.kl = count(lower, "KL");
        matrix.ku = count(upper, "KU");
        const auto first = current.operand('X', x, bytes), result = current.operand('Y', y, bytes);
        core::gemv(current.context(), {type, order_of(order), operation_of(transpose, transpose_name),
                                       size(m, "M"), size(n, "N"), alpha, matrix, first, beta, result});
        current.finish();
    });
}

}  // namespace

clblasStatus gemv(const char* function, heron_type type, int order, int transpose, size_t m, size_t n,
                  const void* alpha, const matrix& a, const vector& x, const void* beta, const vector& y,
                  const tail& t) {
    return product(function, type, order, transpose, "transA", m, n, alpha, stored::full(a), 0, 0, x, beta, y,
                   t);
}

clblasStatus gbmv(const char* function, heron_type type, int order, int transpose, size_t m, size_t n,
                  size_t lower, size_t upper, const void* alpha, const matrix& a, const vector& x,
                  const void* beta, const vector& y, const tail& t) {
    return product(function, type, order, transpose, "trans", m, n, alpha, stored::banded(0, a), lower, upper,
                   x, beta, y, t);
}

clblasStatus symv(const char* function, heron_type type, bool hermitian, int order, int uplo, size_t n,
                  const void* alpha, const stored& a, const vector& x, const void* beta, const vector& y,
                  const tail& t) {
    return guarded(function, [&] {
        require_setup();
        call current(t);
        const size_t bytes = core::size_of(type);
        const auto matrix = operand_of(current, a, bytes);
        const auto first = current.operand('X', x, bytes), result = current.operand('Y', y, bytes);
        core::symv(current.context(), {type, order_of(order), fill_of(uplo), hermitian, size(n, "N"), alpha,
                                       matrix, first, beta, result});
        current.finish();
    });
}

clblasStatus trmv(const char* function, heron_type type, int order, const triangle& how, size_t n,
                  const stored& a, const vector& x, const tail& t) {
    return triangular(function, &core::trmv, type, order, how, n, a, x, t);
}

clblasStatus trsv(const char* function, heron_type type, int order, const triangle& how, size_t n,
                  const stored& a, const vector& x, const tail& t) {
    return triangular(function, &core::trsv, type, order, how, n, a, x, t);
}

clblasStatus ger(const char* function, heron_type type, bool conjugate, int order, size_t m, size_t n,
                 const void* alpha, const vector& x, const vector& y, const matrix& a, const tail& t) {
    return guarded(function, [&] {
        require_setup();
        call current(t);
        const size_t bytes = core::size_of(type);
        const auto result = current.operand('A', a, bytes);
        const auto first = current.operand('X', x, bytes), second = current.operand('Y', y, bytes);
        core::ger(current.context(), {type, order_of(order), conjugate, size(m, "M"), size(n, "N"), alpha,
                                      first, second, result});
        current.finish();
    });
}

clblasStatus syr(const char* function, heron_type type, bool hermitian, int order, int uplo, size_t n,
                 const void* alpha, const vector& x, const stored& a, const tail& t) {
    return guarded(function, [&] {
        require_setup();
        call current(t);
        const size_t bytes = core::size_of(type);
        const auto result = operand_of(current, a, bytes);
        const auto first = current.operand('X', x, bytes);
        core::syr(current.context(),
                  {type, order_of(order), fill_of(uplo), hermitian, size(n, "N"), alpha, first, result});
        current.finish();
    });
}

clblasStatus syr2(const char* function, heron_type type, bool hermitian, int order, int uplo, size_t n,
                  const void* alpha, const vector& x, const vector& y, const stored& a, const tail& t) {
    return guarded(function, [&] {
        require_setup();
        call current(t);
        const size_t bytes = core::size_of(type);
        const auto result = operand_of(current, a, bytes);
        const auto first = current.operand('X', x, bytes), second = current.operand('Y', y, bytes);
        core::syr2(current.context(), {type, order_of(order), fill_of(uplo), hermitian, size(n, "N"), alpha,
                                       first, second, result});
        current.finish();
    });
}

}  // namespace heron::clblas
