// The native API of dense vectors: arguments into the core's call structs.
#include <heron/dense.h>
#include "dense_types.hpp"
#include "names.hpp"
#include "core/ops/blas1_calls.hpp"

using namespace heron::core;

namespace {

constexpr argument_name names[] = {
    {{role::x, part::inc}, "incx"}, {{role::y, part::inc}, "incy"}, {{role::x, part::extent}, "x"},
    {{role::y, part::extent}, "y"}, {role::result_type, "type"},
};
constexpr argument_name modified_names[] = {
    {role::a, "d1"},
    {role::b, "d2"},
    {role::x, "x1"},
    {role::y, "y1"},
};

// own: what the function calls arguments that others call otherwise.
template <const auto& own = names, class F>
heron_status guarded(const char* function, heron_handle handle, F&& f) noexcept {
    return guard<heron_status>(
        function, [&] { return native(function, own); }, [&] { f(context::from(handle)); });
}

}  // namespace

heron_status heron_vector_copy(heron_handle handle, heron_type type, int64_t n, const void* x, int64_t incx,
                               void* y, int64_t incy) {
    return guarded(__func__, handle, [&](context& c) { copy(c, {type, n, {x, incx}, {y, incy}}); });
}

heron_status heron_vector_swap(heron_handle handle, heron_type type, int64_t n, void* x, int64_t incx,
                               void* y, int64_t incy) {
    return guarded(__func__, handle, [&](context& c) { exchange(c, {type, n, {x, incx}, {y, incy}}); });
}

heron_status heron_scal(heron_handle handle, heron_type type, int64_t n, heron_type alpha_type,
                        const void* alpha, void* x, int64_t incx) {
    return guarded(__func__, handle, [&](context& c) { scal(c, {type, alpha_type, n, alpha, {x, incx}}); });
}

heron_status heron_axpy(heron_handle handle, heron_type type, int64_t n, const void* alpha, const void* x,
                        int64_t incx, void* y, int64_t incy) {
    return guarded(__func__, handle, [&](context& c) { axpy(c, {type, n, alpha, {x, incx}, {y, incy}}); });
}

heron_status heron_dot(heron_handle handle, heron_type type, int64_t n, const void* x, int64_t incx,
                       const void* y, int64_t incy, void* result) {
    return guarded(__func__, handle, [&](context& c) {
        dot(c, {type, type_of_scalars(type), n, false, {x, incx}, {y, incy}, result});
    });
}

heron_status heron_dotc(heron_handle handle, heron_type type, int64_t n, const void* x, int64_t incx,
                        const void* y, int64_t incy, void* result) {
    return guarded(__func__, handle, [&](context& c) {
        dot(c, {type, type_of_scalars(type), n, true, {x, incx}, {y, incy}, result});
    });
}

heron_status heron_nrm2(heron_handle handle, heron_type type, int64_t n, const void* x, int64_t incx,
                        void* result) {
    return guarded(__func__, handle, [&](context& c) {
        nrm2(c, {type, real_type_of_scalars(type), n, {x, incx}, result});
    });
}

heron_status heron_asum(heron_handle handle, heron_type type, int64_t n, const void* x, int64_t incx,
                        void* result) {
    return guarded(__func__, handle, [&](context& c) {
        asum(c, {type, real_type_of_scalars(type), n, {x, incx}, result});
    });
}

heron_status heron_iamax(heron_handle handle, heron_type type, int64_t n, const void* x, int64_t incx,
                         int64_t* result) {
    return guarded(__func__, handle, [&](context& c) {
        iamax(c, {type, n, false, {x, incx}, HERON_INDEX_64, result});
    });
}

heron_status heron_iamin(heron_handle handle, heron_type type, int64_t n, const void* x, int64_t incx,
                         int64_t* result) {
    return guarded(__func__, handle, [&](context& c) {
        iamax(c, {type, n, true, {x, incx}, HERON_INDEX_64, result});
    });
}

heron_status heron_rot(heron_handle handle, heron_type type, int64_t n, void* x, int64_t incx, void* y,
                       int64_t incy, const void* c, heron_type s_type, const void* s) {
    return guarded(__func__, handle, [&](context& h) {
        rot(h, {type, real_type_of_scalars(type), s_type, n, {x, incx}, {y, incy}, c, s});
    });
}

heron_status heron_rotg(heron_handle handle, heron_type type, void* a, void* b, void* c, void* s) {
    return guarded(__func__, handle, [&](context& h) { rotg(h, {type, a, b, c, s}); });
}

heron_status heron_rotm(heron_handle handle, heron_type type, int64_t n, void* x, int64_t incx, void* y,
                        int64_t incy, const void* parameters) {
    return guarded(__func__, handle, [&](context& c) {
        rotm(c, {type, n, {x, incx}, {y, incy}, parameters});
    });
}

heron_status heron_rotmg(heron_handle handle, heron_type type, void* d1, void* d2, void* x1, const void* y1,
                         void* parameters) {
    return guarded<modified_names>(__func__, handle, [&](context& c) {
        rotmg(c, {type, d1, d2, x1, y1, parameters});
    });
}
