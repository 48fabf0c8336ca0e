// What works on every element of dense vectors by itself, on the CPU: shares of blocks. Outputs with
// increment 0 are the shared plans'.
#include "elements.hpp"
#include "steps.hpp"
#include "common/blas1/plan.hpp"
#include "common/runtime/slot.hpp"

namespace heron::HERON_LEVEL {
namespace {

template <class F>
void share_blocks(const host_device& device, int64_t n, const F& f) {
    const int team = team_for(device, n);
    // Short vectors are done sooner than they are divided.
    if (team == 1) return f(range{0, n});
    run_team(team, [&](int member, int members) { f(aligned_part(n, member, members)); });
}

// A vector of numbers times a number.
template <class CT, class V>
[[gnu::always_inline]] inline V multiple(CT alpha, V v) {
    using R = real_of<CT>;
    if constexpr (parts_of<CT>::count == 1)
        return v * alpha;
    else
        return v * alpha.re + times_i<R, most_lanes<R>>(v) * alpha.im;
}

// y += alpha*x.
template <class CT>
void add_multiple(CT alpha, const CT* xs, CT* ys, int64_t count) {
    using R = real_of<CT>;
    const R* const x = reinterpret_cast<const R*>(xs);
    R* const y = reinterpret_cast<R*>(ys);
    for_steps<R>(parts_of<CT>::count * count,
                 [&](const auto& at, auto) { at.store(y, at.load(y) + multiple<CT>(alpha, at.load(x))); });
}

// x := alpha*x.
template <class CT>
void scale_block(CT alpha, CT* numbers, int64_t count) {
    using R = real_of<CT>;
    R* const x = reinterpret_cast<R*>(numbers);
    for_steps<R>(parts_of<CT>::count * count,
                 [&](const auto& at, auto) { at.store(x, multiple<CT>(alpha, at.load(x))); });
}

template <class VT, class CT>
[[gnu::noinline]] void add_blocks(CT alpha, const heron_axpy_args& a, range part) {
    vector_blocks<VT, CT> xs(a.x), ys(a.y);
    for_blocks_of(part, xs, ys, [&](int64_t begin, int64_t count) {
        add_multiple(alpha, xs.read(begin, count), ys.load(begin, count), count);
        ys.store(begin, count);
    });
}

void axpy(host_device& device, heron_phase phase, const heron_axpy_args& a, heron_workspace& workspace) {
    if (phase != HERON_PHASE_RUN || a.y.inc == 0) return plans::axpy(device, phase, a, workspace);
    visit_uniform(a.type, a.compute_type, [&]<class VT, class CT>(type<VT>, type<CT>) {
        const auto argument = as_argument<CT>(a.alpha);
        const CT alpha = argument.device ? *argument.device : argument.value;
        if (equal(alpha, CT{})) return;
        share_blocks(device, a.n, [&](range part) {
            if (!is_in_place<VT, CT>(a.x) || !is_in_place<VT, CT>(a.y))
                return add_blocks<VT, CT>(alpha, a, part);
            add_multiple(alpha, in_place<const CT>(a.x, part), in_place<CT>(a.y, part),
                         part.end - part.begin);
        });
    });
}

template <class VT, class CT>
[[gnu::noinline]] void scale_blocks(CT alpha, const heron_vector_operand& x, range part) {
    vector_blocks<VT, CT> xs(x);
    for_blocks_of(part, xs, [&](int64_t begin, int64_t count) {
        scale_block(alpha, xs.load(begin, count), count);
        xs.store(begin, count);
    });
}

template <class VT, class CT>
void scale(const host_device& device, const heron_vector_operand& x, int64_t n, CT alpha) {
    if (equal(alpha, one<CT>())) return;
    share_blocks(device, n, [&](range part) {
        if (!is_in_place<VT, CT>(x)) return scale_blocks<VT, CT>(alpha, x, part);
        scale_block(alpha, in_place<CT>(x, part), part.end - part.begin);
    });
}

// A real number with a complex one, part by part.
template <class R>
R product(R a, R b) {
    return mul(a, b);
}
c32 product(f32 a, c32 b) { return {a * b.re, a * b.im}; }
c64 product(f64 a, c64 b) { return {a * b.re, a * b.im}; }

// -conj(s)
template <class R>
R opposite(R s) {
    return -s;
}
c32 opposite(c32 s) { return {-s.re, s.im}; }
c64 opposite(c64 s) { return {-s.re, s.im}; }

template <class VT, class CT, class R>
void scale_parts(const host_device& device, const heron_vector_operand& x, int64_t n, R alpha) {
    if (alpha == 1) return;
    share_blocks(device, n, [&](range part) {
        vector_blocks<VT, CT> xs(x);
        for_blocks_of(part, xs, [&](int64_t begin, int64_t count) {
            scale_block(alpha, reinterpret_cast<R*>(xs.load(begin, count)), parts_of<CT>::count * count);
            xs.store(begin, count);
        });
    });
}

void scal(host_device& device, heron_phase phase, const heron_scal_args& a, heron_workspace& workspace) {
    if (phase != HERON_PHASE_RUN || a.x.inc == 0) return plans::scal(device, phase, a, workspace);
    visit_uniform(a.type, a.compute_type, [&]<class VT, class CT>(type<VT>, type<CT>) {
        if constexpr (parts_of<CT>::count == 2) {
            if (a.real_alpha) {
                const auto alpha = as_argument<real_of<CT>>(a.alpha);
                return scale_parts<VT, CT>(device, a.x, a.n, alpha.device ? *alpha.device : alpha.value);
            }
        }
        const auto alpha = as_argument<CT>(a.alpha);
        scale<VT, CT>(device, a.x, a.n, alpha.device ? *alpha.device : alpha.value);
    });
}

template <class VT, class CT, class S>
void rotate(const host_device& device, const heron_plane_rot_args& a, real_of<CT> c, S s) {
    share_blocks(device, a.n, [&](range part) {
        vector_blocks<VT, CT> xs(a.x), ys(a.y);
        for_blocks_of(part, xs, ys, [&](int64_t begin, int64_t count) {
            CT* const x = xs.load(begin, count);
            CT* const y = ys.load(begin, count);
#pragma GCC ivdep
            for (int64_t i = 0; i < count; ++i) {
                const CT xi = x[i], yi = y[i];
                x[i] = add(product(c, xi), product(s, yi));
                y[i] = add(product(c, yi), product(opposite(s), xi));
            }
            xs.store(begin, count);
            ys.store(begin, count);
        });
    });
}

void plane_rot(host_device& device, heron_phase phase, const heron_plane_rot_args& a,
               heron_workspace& workspace) {
    if (phase != HERON_PHASE_RUN || a.x.inc == 0 || a.y.inc == 0)
        return plans::plane_rot(device, phase, a, workspace);
    visit_uniform(a.type, a.compute_type, [&]<class VT, class CT>(type<VT>, type<CT>) {
        using R = real_of<CT>;
        const auto number = [](const auto& argument) {
            return argument.device ? *argument.device : argument.value;
        };
        const R c = number(as_argument<R>(a.c));
        if constexpr (parts_of<CT>::count == 2)
            if (a.real_s) return rotate<VT, CT>(device, a, c, number(as_argument<R>(a.s)));
        rotate<VT, CT>(device, a, c, number(as_argument<CT>(a.s)));
    });
}

// Elements, whose address is that of the first.
template <class RT>
RT* first_of(const heron_vector_operand& v) {
    return as<RT>(v.memory) + v.offset;
}

void vector_copy(host_device& device, heron_phase phase, const heron_vector_copy_args& a,
                 heron_workspace& workspace) {
    if (phase != HERON_PHASE_RUN || a.y.inc == 0) return plans::vector_copy(device, phase, a, workspace);
    visit_raw(a.type, [&]<class RT>(type<RT>) {
        const RT* const x = first_of<RT>(a.x);
        RT* const y = first_of<RT>(a.y);
        share_blocks(device, a.n, [&](range part) {
            const auto bytes = static_cast<size_t>(part.end - part.begin) * sizeof(RT);
            if (a.x.inc == 1 && a.y.inc == 1)
                __builtin_memmove(y + part.begin, x + part.begin, bytes);
            else
                for (int64_t i = part.begin; i < part.end; ++i) y[i * a.y.inc] = x[i * a.x.inc];
        });
    });
}

void vector_swap(host_device& device, heron_phase phase, const heron_vector_swap_args& a,
                 heron_workspace& workspace) {
    if (phase != HERON_PHASE_RUN || a.x.inc == 0 || a.y.inc == 0)
        return plans::vector_swap(device, phase, a, workspace);
    visit_raw(a.type, [&]<class RT>(type<RT>) {
        RT* const x = first_of<RT>(a.x);
        RT* const y = first_of<RT>(a.y);
        const auto exchange = [&](int64_t x_inc, int64_t y_inc, range part) {
#pragma GCC ivdep
            for (int64_t i = part.begin; i < part.end; ++i) {
                const RT kept = x[i * x_inc];
                x[i * x_inc] = y[i * y_inc];
                y[i * y_inc] = kept;
            }
        };
        share_blocks(device, a.n, [&](range part) {
            // A loop of its own, which becomes one of vectors.
            a.x.inc == 1 && a.y.inc == 1 ? exchange(1, 1, part) : exchange(a.x.inc, a.y.inc, part);
        });
    });
}

}  // namespace

void override_blas1_elements(heron_backend& table) {
    table.vector_copy =
        &slot<host_device, heron_vector_copy_args, &vector_copy, operation_names::vector_copy>;
    table.vector_swap =
        &slot<host_device, heron_vector_swap_args, &vector_swap, operation_names::vector_swap>;
    table.scal = &slot<host_device, heron_scal_args, &scal, operation_names::scal>;
    table.axpy = &slot<host_device, heron_axpy_args, &axpy, operation_names::axpy>;
    table.plane_rot = &slot<host_device, heron_plane_rot_args, &plane_rot, operation_names::plane_rot>;
}

}  // namespace heron::HERON_LEVEL
