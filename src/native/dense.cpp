// The native API of the dense operations: arguments into the core's call structs.
#include <heron/dense.h>
#include "dense_types.hpp"
#include "names.hpp"
#include "core/context.hpp"
#include "core/element_types.hpp"
#include "core/ops/dense.hpp"

using namespace heron::core;

namespace {

constexpr argument_name names[] = {
    {role::operation_a, "trans_a"}, {role::operation_b, "trans_b"}, {{role::a, part::ld}, "lda"},
    {{role::b, part::ld}, "ldb"},   {{role::c, part::ld}, "ldc"},
};
// Of the updates and triangular operations, which take one operation.
constexpr argument_name one_operation[] = {
    {role::operation_a, "trans"},
    {{role::a, part::ld}, "lda"},
    {{role::b, part::ld}, "ldb"},
    {{role::c, part::ld}, "ldc"},
};

template <class F>
heron_status guarded(const public_function& function, heron_handle handle, F&& f) noexcept {
    return guard<heron_status>(function, [&] { f(context::from(handle)); });
}

}  // namespace

heron_status heron_set_pointer_mode(heron_handle handle, heron_pointer_mode mode) {
    return guarded(native(__func__), handle, [&](context& c) {
        require(mode == HERON_POINTER_HOST || mode == HERON_POINTER_DEVICE, "mode", "is not a pointer mode");
        c.set_pointer_mode(static_cast<pointer_mode>(mode));
    });
}

heron_status heron_get_pointer_mode(heron_handle handle, heron_pointer_mode* mode) {
    return guarded(native(__func__), handle, [&](context& c) {
        *required(mode, "mode") = static_cast<heron_pointer_mode>(c.pointer_mode());
    });
}

heron_status heron_set_workspace(heron_handle handle, void* memory, size_t bytes) {
    return guarded(native(__func__), handle, [&](context& c) {
        require(memory || bytes == 0, "memory", "is NULL");
        c.set_workspace(memory, bytes);
    });
}

heron_status heron_gemm_workspace(heron_handle handle, heron_type type, int64_t m, int64_t n, int64_t k,
                                  heron_gemm_algorithm algorithm, size_t* bytes) {
    return guarded(native(__func__, names), handle, [&](context& c) {
        required(bytes, "bytes");
        *bytes = gemm_workspace(c, type, m, n, k, algorithm);
    });
}

heron_status heron_gemm(heron_handle handle, heron_type type, heron_order order, heron_operation op_a,
                        heron_operation op_b, int64_t m, int64_t n, int64_t k, const void* alpha,
                        const void* a, int64_t lda, const void* b, int64_t ldb, const void* beta, void* c,
                        int64_t ldc, heron_gemm_algorithm algorithm) {
    return guarded(native(__func__, names), handle, [&](context& x) {
        gemm(x, {type,
                 type_of_scalars(type),
                 order,
                 op_a,
                 op_b,
                 m,
                 n,
                 k,
                 alpha,
                 {a, lda},
                 {b, ldb},
                 beta,
                 {c, ldc},
                 algorithm});
    });
}

heron_status heron_gemm_batched(heron_handle handle, heron_type type, heron_order order, heron_operation op_a,
                                heron_operation op_b, int64_t m, int64_t n, int64_t k, const void* alpha,
                                heron_batch_operand a, int64_t lda, heron_batch_operand b, int64_t ldb,
                                const void* beta, heron_batch_operand c, int64_t ldc, int64_t count,
                                heron_gemm_algorithm algorithm) {
    return guarded(native(__func__, names), handle, [&](context& x) {
        gemm_batched(x, {type, type_of_scalars(type), order, op_a, op_b, m, n, k, count, alpha, a, lda, b,
                         ldb, beta, c, ldc, algorithm});
    });
}

heron_status heron_gemmt(heron_handle handle, heron_type type, heron_order order, heron_fill_mode uplo,
                         heron_operation op_a, heron_operation op_b, int64_t n, int64_t k, const void* alpha,
                         const void* a, int64_t lda, const void* b, int64_t ldb, const void* beta, void* c,
                         int64_t ldc) {
    return guarded(native(__func__, names), handle, [&](context& x) {
        gemmt(x, {type, order, uplo, op_a, op_b, n, k, alpha, {a, lda}, {b, ldb}, beta, {c, ldc}});
    });
}

heron_status heron_syrk(heron_handle handle, heron_type type, heron_order order, heron_fill_mode uplo,
                        heron_operation op, int64_t n, int64_t k, const void* alpha, const void* a,
                        int64_t lda, const void* beta, void* c, int64_t ldc) {
    return guarded(native(__func__, one_operation), handle, [&](context& x) {
        syrk(x, {type, order, uplo, op, n, k, alpha, {a, lda}, beta, {c, ldc}});
    });
}

heron_status heron_herk(heron_handle handle, heron_type type, heron_order order, heron_fill_mode uplo,
                        heron_operation op, int64_t n, int64_t k, const void* alpha, const void* a,
                        int64_t lda, const void* beta, void* c, int64_t ldc) {
    return guarded(native(__func__, one_operation), handle, [&](context& x) {
        herk(x, {type, order, uplo, op, n, k, alpha, {a, lda}, beta, {c, ldc}});
    });
}

heron_status heron_syr2k(heron_handle handle, heron_type type, heron_order order, heron_fill_mode uplo,
                         heron_operation op, int64_t n, int64_t k, const void* alpha, const void* a,
                         int64_t lda, const void* b, int64_t ldb, const void* beta, void* c, int64_t ldc,
                         heron_rank_2k_algorithm algorithm) {
    return guarded(native(__func__, one_operation), handle, [&](context& x) {
        syr2k(x, {type, order, uplo, op, n, k, alpha, {a, lda}, {b, ldb}, beta, {c, ldc}, algorithm});
    });
}

heron_status heron_her2k(heron_handle handle, heron_type type, heron_order order, heron_fill_mode uplo,
                         heron_operation op, int64_t n, int64_t k, const void* alpha, const void* a,
                         int64_t lda, const void* b, int64_t ldb, const void* beta, void* c, int64_t ldc,
                         heron_rank_2k_algorithm algorithm) {
    return guarded(native(__func__, one_operation), handle, [&](context& x) {
        her2k(x, {type, order, uplo, op, n, k, alpha, {a, lda}, {b, ldb}, beta, {c, ldc}, algorithm});
    });
}

heron_status heron_symm(heron_handle handle, heron_type type, heron_order order, heron_side side,
                        heron_fill_mode uplo, int64_t m, int64_t n, const void* alpha, const void* a,
                        int64_t lda, const void* b, int64_t ldb, const void* beta, void* c, int64_t ldc) {
    return guarded(native(__func__, names), handle, [&](context& x) {
        symm(x, {type, order, side, uplo, m, n, alpha, {a, lda}, {b, ldb}, beta, {c, ldc}});
    });
}

heron_status heron_hemm(heron_handle handle, heron_type type, heron_order order, heron_side side,
                        heron_fill_mode uplo, int64_t m, int64_t n, const void* alpha, const void* a,
                        int64_t lda, const void* b, int64_t ldb, const void* beta, void* c, int64_t ldc) {
    return guarded(native(__func__, names), handle, [&](context& x) {
        hemm(x, {type, order, side, uplo, m, n, alpha, {a, lda}, {b, ldb}, beta, {c, ldc}});
    });
}

heron_status heron_trmm(heron_handle handle, heron_type type, heron_order order, heron_side side,
                        heron_fill_mode uplo, heron_operation op, heron_diag_type diag, int64_t m, int64_t n,
                        const void* alpha, const void* a, int64_t lda, void* b, int64_t ldb) {
    return guarded(native(__func__, one_operation), handle, [&](context& x) {
        trmm(x, {type, order, side, uplo, op, diag, m, n, alpha, {a, lda}, {b, ldb}});
    });
}

heron_status heron_trsm(heron_handle handle, heron_type type, heron_order order, heron_side side,
                        heron_fill_mode uplo, heron_operation op, heron_diag_type diag, int64_t m, int64_t n,
                        const void* alpha, const void* a, int64_t lda, void* b, int64_t ldb) {
    return guarded(native(__func__, one_operation), handle, [&](context& x) {
        trsm(x, {type, order, side, uplo, op, diag, m, n, alpha, {a, lda}, {b, ldb}});
    });
}
