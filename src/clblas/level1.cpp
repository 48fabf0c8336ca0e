#include "level1.hpp"
#include "core/ops/blas1_calls.hpp"
#include "arguments.hpp"
#include "core/element_types.hpp"
#include <cstdlib>
#include <fmt/format.h>

namespace heron::clblas {
namespace {

using core::role;

constexpr core::argument_name dot_names[] = {{role::result, "dotProduct"}};
constexpr core::argument_name nrm2_names[] = {{role::result, "NRM2"}};
constexpr core::argument_name asum_names[] = {{role::result, "asum"}};
constexpr core::argument_name iamax_names[] = {{role::result, "iMax"}};
constexpr core::argument_name rot_names[] = {{role::cosine, "C"}, {role::sine, "S"}};
constexpr core::argument_name rotm_names[] = {{role::parameters, "PARAM"}};
constexpr core::argument_name rotmg_names[] = {
    {role::a, "D1"}, {role::b, "D2"}, {role::x, "X1"}, {role::y, "Y1"}, {role::parameters, "PARAM"}};

// clBLAS has statuses for two vectors, and counts every number as one of them.
clblasStatus status_of_numbers(const core::error& e) {
    switch (e.argument().role) {
        case role::a:
        case role::cosine: return status_of(e, role::x);
        case role::b:
        case role::sine:
        case role::parameters:
        case role::result: return status_of(e, role::y);
        default: return status_of(e);
    }
}

clblasStatus status_with_result_as_x(const core::error& e) {
    return e.argument().role == role::result ? status_of(e, role::x) : status_of(e);
}

// n vectors' elements fit, though none of them is used.
void require_extent(const core::dense_vector_operand& x, int64_t n) {
    int64_t needed = 0;
    if (x.offset < 0 || __builtin_mul_overflow(n - 1, std::abs(x.inc), &needed) ||
        __builtin_add_overflow(needed, x.offset, &needed) || needed >= x.size)
        fail(clblasInsufficientMemVecX, fmt::format("X: holds {} elements, which are too few", x.size));
}

// The elements that functions of one vector work on: with a negative increment none, as in reference BLAS.
int64_t elements_used(const core::dense_vector_operand& x, size_t n) {
    const int64_t all = size(n, "N");
    if (x.inc > 0) return all;
    require_extent(x, all);
    return 0;
}

clblasStatus two_vectors(const char* function, void (*operation)(core::context&, const core::copy_call&),
                         heron_type type, size_t n, const vector& x, const vector& y, const tail& t) {
    return guarded(function, [&] {
        require_setup();
        call current(t);
        const size_t bytes = core::size_of(type);
        const auto first = current.operand('X', x, bytes), second = current.operand('Y', y, bytes);
        operation(current.context(), {type, size(n, "N"), first, second});
        current.finish();
    });
}

clblasStatus norm(const function& function, char counts_as,
                  void (*operation)(core::context&, const core::norm_call&), heron_type type, heron_type real,
                  size_t n, const number& result, const vector& x, const tail& t) {
    return guarded(function, [&] {
        require_setup();
        call current(t);
        const auto first = current.operand('X', x, core::size_of(type));
        const auto target =
            current.operand(function.called.own[0].name, counts_as, result, core::size_of(real));
        operation(current.context(), {type, real, elements_used(first, n), first, target});
        current.finish();
    });
}

}  // namespace

clblasStatus swap(const char* function, heron_type type, size_t n, const vector& x, const vector& y,
                  const tail& t) {
    return two_vectors(function, &core::exchange, type, n, x, y, t);
}

clblasStatus copy(const char* function, heron_type type, size_t n, const vector& x, const vector& y,
                  const tail& t) {
    return two_vectors(function, &core::copy, type, n, x, y, t);
}

clblasStatus scal(const char* function, heron_type type, heron_type alpha_type, size_t n, const void* alpha,
                  const vector& x, const tail& t) {
    return guarded(function, [&] {
        require_setup();
        call current(t);
        const auto first = current.operand('X', x, core::size_of(type));
        core::scal(current.context(), {type, alpha_type, elements_used(first, n), alpha, first});
        current.finish();
    });
}

clblasStatus axpy(const char* function, heron_type type, size_t n, const void* alpha, const vector& x,
                  const vector& y, const tail& t) {
    return guarded(function, [&] {
        require_setup();
        call current(t);
        const size_t bytes = core::size_of(type);
        const auto first = current.operand('X', x, bytes), second = current.operand('Y', y, bytes);
        core::axpy(current.context(), {type, size(n, "N"), alpha, first, second});
        current.finish();
    });
}

clblasStatus dot(const char* function, heron_type type, bool conjugate, size_t n, const number& result,
                 const vector& x, const vector& y, const tail& t) {
    return guarded({function, dot_names, &status_of_numbers}, [&] {
        require_setup();
        call current(t);
        const size_t bytes = core::size_of(type);
        const auto first = current.operand('X', x, bytes), second = current.operand('Y', y, bytes);
        const auto target = current.operand("dotProduct", 'Y', result, bytes);
        core::dot(current.context(), {type, type, size(n, "N"), conjugate, first, second, target});
        current.finish();
    });
}

clblasStatus rot(const char* function, heron_type type, heron_type real, size_t n, const vector& x,
                 const vector& y, const void* cosine, const void* sine, const tail& t) {
    return guarded({function, rot_names}, [&] {
        require_setup();
        call current(t);
        const size_t bytes = core::size_of(type);
        const auto first = current.operand('X', x, bytes), second = current.operand('Y', y, bytes);
        core::rot(current.context(), {type, real, real, size(n, "N"), first, second, cosine, sine});
        current.finish();
    });
}

clblasStatus rotg(const char* function, heron_type type, heron_type real, const number& a, const number& b,
                  const number& cosine, const number& sine, const tail& t) {
    return guarded({function, rot_names, &status_of_numbers}, [&] {
        require_setup();
        call current(t);
        const size_t bytes = core::size_of(type);
        const auto first = current.operand("A", 'X', a, bytes), second = current.operand("B", 'Y', b, bytes);
        const auto c = current.operand("C", 'X', cosine, core::size_of(real));
        const auto s = current.operand("S", 'Y', sine, bytes);
        core::rotg(current.context(), {type, first, second, c, s});
        current.finish();
    });
}

clblasStatus rotm(const char* function, heron_type type, size_t n, const vector& x, const vector& y,
                  const number& parameters, const tail& t) {
    return guarded({function, rotm_names, &status_of_numbers}, [&] {
        require_setup();
        call current(t);
        const size_t bytes = core::size_of(type);
        const auto first = current.operand('X', x, bytes), second = current.operand('Y', y, bytes);
        const auto numbers = current.operand("PARAM", 'Y', parameters, bytes);
        core::rotm(current.context(), {type, size(n, "N"), first, second, numbers});
        current.finish();
    });
}

clblasStatus rotmg(const char* function, heron_type type, const number& d1, const number& d2,
                   const number& x1, const number& y1, const number& parameters, const tail& t) {
    return guarded({function, rotmg_names, &status_of_numbers}, [&] {
        require_setup();
        call current(t);
        const size_t bytes = core::size_of(type);
        const auto first = current.operand("D1", 'X', d1, bytes);
        const auto second = current.operand("D2", 'Y', d2, bytes);
        const auto x = current.operand("X1", 'X', x1, bytes), y = current.operand("Y1", 'Y', y1, bytes);
        const auto numbers = current.operand("PARAM", 'Y', parameters, bytes);
        core::rotmg(current.context(), {type, first, second, x, y, numbers});
        current.finish();
    });
}

clblasStatus nrm2(const char* function, heron_type type, heron_type real, size_t n, const number& result,
                  const vector& x, const tail& t) {
    return norm({function, nrm2_names, &status_of_numbers}, 'Y', &core::nrm2, type, real, n, result, x, t);
}

clblasStatus asum(const char* function, heron_type type, heron_type real, size_t n, const number& result,
                  const vector& x, const tail& t) {
    return norm({function, asum_names, &status_with_result_as_x}, 'X', &core::asum, type, real, n, result, x,
                t);
}

clblasStatus iamax(const char* function, heron_type type, size_t n, const number& result, const vector& x,
                   const tail& t) {
    return guarded({function, iamax_names, &status_with_result_as_x}, [&] {
        require_setup();
        call current(t);
        const auto first = current.operand('X', x, core::size_of(type));
        const auto target = current.operand("iMax", 'X', result, sizeof(cl_uint));
        core::iamax(current.context(), {type, elements_used(first, n), false, first, HERON_INDEX_32, target});
        current.finish();
    });
}

}  // namespace heron::clblas
