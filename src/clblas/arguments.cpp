#include "arguments.hpp"
#include "state.hpp"
#include <fmt/format.h>

namespace heron::clblas {

void require_setup() {
    if (!is_set_up()) fail(clblasNotInitialized, "Setup was not called");
}

heron_order order_of(int order) {
    if (order == clblasRowMajor) return HERON_ORDER_ROW;
    if (order == clblasColumnMajor) return HERON_ORDER_COLUMN;
    fail(clblasInvalidValue, fmt::format("order: {} is no order", order));
}

heron_operation operation_of(int transpose, const char* argument) {
    if (transpose == clblasNoTrans) return HERON_OP_NONE;
    if (transpose == clblasTrans) return HERON_OP_TRANSPOSE;
    if (transpose == clblasConjTrans) return HERON_OP_CONJUGATE_TRANSPOSE;
    fail(clblasInvalidValue, fmt::format("{}: {} is no operation", argument, transpose));
}

heron_fill_mode fill_of(int uplo) {
    if (uplo == clblasUpper) return HERON_FILL_UPPER;
    if (uplo == clblasLower) return HERON_FILL_LOWER;
    fail(clblasInvalidValue, fmt::format("uplo: {} is no triangle", uplo));
}

heron_side side_of_product(int side) {
    if (side == clblasLeft) return HERON_SIDE_LEFT;
    if (side == clblasRight) return HERON_SIDE_RIGHT;
    fail(clblasInvalidValue, fmt::format("side: {} is no side", side));
}

heron_diag_type diag_of(int diag) {
    if (diag == clblasUnit) return HERON_DIAG_UNIT;
    if (diag == clblasNonUnit) return HERON_DIAG_NON_UNIT;
    fail(clblasInvalidValue, fmt::format("diag: {} is no kind of diagonal", diag));
}

int64_t count(size_t n, const char* argument) {
    if (n > static_cast<size_t>(INT64_MAX))
        fail(clblasInvalidDim, fmt::format("{}: exceeds 63 bits", argument));
    return static_cast<int64_t>(n);
}

int64_t size(size_t n, const char* argument) {
    if (n == 0) fail(clblasInvalidDim, fmt::format("{}: is 0", argument));
    return count(n, argument);
}

}  // namespace heron::clblas
