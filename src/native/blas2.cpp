// The native API of a dense matrix and vectors: arguments into the core's call structs.
#include <heron/dense.h>
#include "names.hpp"
#include "core/ops/blas2.hpp"

using namespace heron::core;

namespace {

constexpr argument_name names[] = {
    {role::operation_a, "op"},      {{role::a, part::ld}, "lda"},   {{role::c, part::ld}, "ldc"},
    {{role::x, part::inc}, "incx"}, {{role::y, part::inc}, "incy"}, {{role::x, part::extent}, "x"},
    {{role::y, part::extent}, "y"}, {role::result_type, "y_type"},  {{role::b, part::ld}, "ldb"},
};
constexpr argument_name sum_names[] = {
    {{role::a, part::ld}, "lda"},
    {{role::b, part::ld}, "ldb"},
    {{role::c, part::ld}, "ldc"},
};
constexpr argument_name pack_names[] = {
    {role::b, "packed"},
    {{role::a, part::ld}, "lda"},
};
constexpr argument_name unpack_names[] = {
    {role::a, "packed"},
    {role::b, "a"},
    {{role::b, part::ld}, "lda"},
};

// own: what the function calls arguments that others call otherwise.
template <const auto& own = names, class F>
heron_status guarded(const char* function, heron_handle handle, F&& f) noexcept {
    return guard<heron_status>(
        function, [&] { return native(function, own); }, [&] { f(context::from(handle)); });
}

stored_matrix_operand stored(heron_matrix_storage storage, const void* a, int64_t lda, int64_t k = 0) {
    return {storage, {a, lda}, 0, 0, k};
}

}  // namespace

heron_status heron_gemv(heron_handle handle, heron_type type, heron_order order, heron_operation op,
                        int64_t m, int64_t n, const void* alpha, const void* a, int64_t lda, const void* x,
                        int64_t incx, const void* beta, void* y, int64_t incy) {
    return guarded(__func__, handle, [&](context& c) {
        gemv(c,
             {type, order, op, m, n, alpha, stored(HERON_STORAGE_FULL, a, lda), {x, incx}, beta, {y, incy}});
    });
}

heron_status heron_gbmv(heron_handle handle, heron_type type, heron_order order, heron_operation op,
                        int64_t m, int64_t n, int64_t kl, int64_t ku, const void* alpha, const void* a,
                        int64_t lda, const void* x, int64_t incx, const void* beta, void* y, int64_t incy) {
    return guarded(__func__, handle, [&](context& c) {
        const stored_matrix_operand band{HERON_STORAGE_BANDED, {a, lda}, kl, ku};
        gemv(c, {type, order, op, m, n, alpha, band, {x, incx}, beta, {y, incy}});
    });
}

heron_status heron_gemv_batched(heron_handle handle, heron_type type, heron_order order, heron_operation op,
                                int64_t m, int64_t n, const void* alpha, heron_batch_operand a, int64_t lda,
                                heron_batch_operand x, int64_t incx, const void* beta, heron_type y_type,
                                heron_batch_operand y, int64_t incy, int64_t count) {
    return guarded(__func__, handle, [&](context& c) {
        gemv_batched(c, {type, y_type, order, op, m, n, count, alpha, a, lda, x, incx, beta, y, incy});
    });
}

heron_status heron_symv(heron_handle handle, heron_type type, heron_order order, heron_fill_mode uplo,
                        heron_matrix_storage storage, int64_t n, int64_t k, const void* alpha, const void* a,
                        int64_t lda, const void* x, int64_t incx, const void* beta, void* y, int64_t incy) {
    return guarded(__func__, handle, [&](context& c) {
        symv(c, {type, order, uplo, false, n, alpha, stored(storage, a, lda, k), {x, incx}, beta, {y, incy}});
    });
}

heron_status heron_hemv(heron_handle handle, heron_type type, heron_order order, heron_fill_mode uplo,
                        heron_matrix_storage storage, int64_t n, int64_t k, const void* alpha, const void* a,
                        int64_t lda, const void* x, int64_t incx, const void* beta, void* y, int64_t incy) {
    return guarded(__func__, handle, [&](context& c) {
        symv(c, {type, order, uplo, true, n, alpha, stored(storage, a, lda, k), {x, incx}, beta, {y, incy}});
    });
}

heron_status heron_trmv(heron_handle handle, heron_type type, heron_order order, heron_fill_mode uplo,
                        heron_operation op, heron_diag_type diag, heron_matrix_storage storage, int64_t n,
                        int64_t k, const void* a, int64_t lda, void* x, int64_t incx) {
    return guarded(__func__, handle, [&](context& c) {
        trmv(c, {type, order, uplo, op, diag, n, stored(storage, a, lda, k), {x, incx}});
    });
}

heron_status heron_trsv(heron_handle handle, heron_type type, heron_order order, heron_fill_mode uplo,
                        heron_operation op, heron_diag_type diag, heron_matrix_storage storage, int64_t n,
                        int64_t k, const void* a, int64_t lda, void* x, int64_t incx) {
    return guarded(__func__, handle, [&](context& c) {
        trsv(c, {type, order, uplo, op, diag, n, stored(storage, a, lda, k), {x, incx}});
    });
}

heron_status heron_ger(heron_handle handle, heron_type type, heron_order order, int64_t m, int64_t n,
                       const void* alpha, const void* x, int64_t incx, const void* y, int64_t incy, void* a,
                       int64_t lda) {
    return guarded(__func__, handle, [&](context& c) {
        ger(c, {type, order, false, m, n, alpha, {x, incx}, {y, incy}, {a, lda}});
    });
}

heron_status heron_gerc(heron_handle handle, heron_type type, heron_order order, int64_t m, int64_t n,
                        const void* alpha, const void* x, int64_t incx, const void* y, int64_t incy, void* a,
                        int64_t lda) {
    return guarded(__func__, handle, [&](context& c) {
        ger(c, {type, order, true, m, n, alpha, {x, incx}, {y, incy}, {a, lda}});
    });
}

heron_status heron_syr(heron_handle handle, heron_type type, heron_order order, heron_fill_mode uplo,
                       heron_matrix_storage storage, int64_t n, const void* alpha, const void* x,
                       int64_t incx, void* a, int64_t lda) {
    return guarded(__func__, handle, [&](context& c) {
        syr(c, {type, order, uplo, false, n, alpha, {x, incx}, stored(storage, a, lda)});
    });
}

heron_status heron_her(heron_handle handle, heron_type type, heron_order order, heron_fill_mode uplo,
                       heron_matrix_storage storage, int64_t n, const void* alpha, const void* x,
                       int64_t incx, void* a, int64_t lda) {
    return guarded(__func__, handle, [&](context& c) {
        syr(c, {type, order, uplo, true, n, alpha, {x, incx}, stored(storage, a, lda)});
    });
}

heron_status heron_syr2(heron_handle handle, heron_type type, heron_order order, heron_fill_mode uplo,
                        heron_matrix_storage storage, int64_t n, const void* alpha, const void* x,
                        int64_t incx, const void* y, int64_t incy, void* a, int64_t lda) {
    return guarded(__func__, handle, [&](context& c) {
        syr2(c, {type, order, uplo, false, n, alpha, {x, incx}, {y, incy}, stored(storage, a, lda)});
    });
}

heron_status heron_her2(heron_handle handle, heron_type type, heron_order order, heron_fill_mode uplo,
                        heron_matrix_storage storage, int64_t n, const void* alpha, const void* x,
                        int64_t incx, const void* y, int64_t incy, void* a, int64_t lda) {
    return guarded(__func__, handle, [&](context& c) {
        syr2(c, {type, order, uplo, true, n, alpha, {x, incx}, {y, incy}, stored(storage, a, lda)});
    });
}

heron_status heron_geam(heron_handle handle, heron_type type, heron_order order, heron_operation op_a,
                        heron_operation op_b, int64_t m, int64_t n, const void* alpha, const void* a,
                        int64_t lda, const void* beta, const void* b, int64_t ldb, void* c, int64_t ldc) {
    return guarded<sum_names>(__func__, handle, [&](context& h) {
        geam(h, {type, order, op_a, op_b, m, n, alpha, {a, lda}, beta, {b, ldb}, {c, ldc}});
    });
}

heron_status heron_dgmm(heron_handle handle, heron_type type, heron_order order, heron_side side, int64_t m,
                        int64_t n, const void* a, int64_t lda, const void* x, int64_t incx, void* c,
                        int64_t ldc) {
    return guarded(__func__, handle, [&](context& h) {
        dgmm(h, {type, order, side, m, n, {a, lda}, {x, incx}, {c, ldc}});
    });
}

heron_status heron_pack(heron_handle handle, heron_type type, heron_order order, heron_fill_mode uplo,
                        int64_t n, const void* a, int64_t lda, void* packed) {
    return guarded<pack_names>(__func__, handle, [&](context& c) {
        repack(c, {type, order, uplo, n, stored(HERON_STORAGE_FULL, a, lda),
                   stored(HERON_STORAGE_PACKED, packed, 0)});
    });
}

heron_status heron_unpack(heron_handle handle, heron_type type, heron_order order, heron_fill_mode uplo,
                          int64_t n, const void* packed, void* a, int64_t lda) {
    return guarded<unpack_names>(__func__, handle, [&](context& c) {
        repack(c, {type, order, uplo, n, stored(HERON_STORAGE_PACKED, packed, 0),
                   stored(HERON_STORAGE_FULL, a, lda)});
    });
}

heron_status heron_trsm_batched(heron_handle handle, heron_type type, heron_order order, heron_side side,
                                heron_fill_mode uplo, heron_operation op, heron_diag_type diag, int64_t m,
                                int64_t n, const void* alpha, heron_batch_operand a, int64_t lda,
                                heron_batch_operand b, int64_t ldb, int64_t count) {
    return guarded(__func__, handle, [&](context& c) {
        trsm_batched(c, {type, order, side, uplo, op, diag, m, n, count, alpha, a, lda, b, ldb});
    });
}
