// Reductions of dense vectors on the CPU. The vector is cut into parts whose number depends on its length
// alone, and their results are put together in their order: the same bits on every run, with any number of
// threads.
#include "elements.hpp"
#include "sums.hpp"
#include "common/runtime/slot.hpp"

namespace heron::HERON_LEVEL {
namespace {

using plans::real_type;
using plans::visit_uniform_real;

constexpr int most_parts = 256;

int parts_for(int64_t n) {
    constexpr int64_t least = 16 * vector_block;
    const int64_t parts = n / least;
    return static_cast<int>(parts < 1 ? 1 : parts > most_parts ? most_parts : parts);
}

// results[part] := f(range) for the parts of [0, n). Returns how many there are.
template <class Result, class F>
int reduce_parts(const host_device& device, int64_t n, Result* results, const F& f) {
    const int parts = parts_for(n);
    // Short vectors are done sooner than they are divided.
    if (parts == 1) {
        results[0] = f(range{0, n});
        return 1;
    }
    run_team(team_for(device, n), [&](int member, int members) {
        const range own = equal_part(parts, member, members);
        for (int64_t part = own.begin; part < own.end; ++part)
            results[part] = f(aligned_part(n, static_cast<int>(part), parts));
    });
    return parts;
}

template <class VT, class CT>
void put(const heron_result& r, bool is_short, CT value) {
    if (is_short)
        store(as<VT>(r.memory)[r.offset], value);
    else
        store(as<CT>(r.memory)[r.offset], value);
}

template <class VT, class CT>
[[gnu::noinline]] CT dot_of_blocks(const heron_dot_args& a, range part) {
    vector_blocks<VT, CT> x(a.x), y(a.y);
    product_sums<CT> sums;
    for_blocks_of(part, x, y, [&](int64_t begin, int64_t count) {
        sums.add(x.read(begin, count), y.read(begin, count), count);
    });
    return sums.total(a.conjugate);
}

template <class VT, class CT>
CT dot_of(const heron_dot_args& a, range part) {
    if (!is_in_place<VT, CT>(a.x) || !is_in_place<VT, CT>(a.y)) return dot_of_blocks<VT, CT>(a, part);
    product_sums<CT> sums;
    sums.add(in_place<const CT>(a.x, part), in_place<const CT>(a.y, part), part.end - part.begin);
    return sums.total(a.conjugate);
}

void dot(host_device& device, heron_phase phase, const heron_dot_args& a, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_uniform(a.type, a.compute_type, [&]<class VT, class CT>(type<VT>, type<CT>) {
        CT results[most_parts];
        const int parts =
            reduce_parts(device, a.n, results, [&](range part) { return dot_of<VT, CT>(a, part); });
        CT all = results[0];
        for (int part = 1; part < parts; ++part) all = add(all, results[part]);
        put<VT>(a.result, a.result_type != a.compute_type, all);
    });
}

// A sum over a vector, whose complex numbers are pairs of real ones.
template <class Sums, class VT, class CT>
[[gnu::noinline]] auto total_of_blocks(const heron_vector_operand& v, range part) {
    vector_blocks<VT, CT> x(v);
    Sums sums;
    for_blocks_of(part, x, [&](int64_t begin, int64_t count) {
        sums.add(reinterpret_cast<const real_of<CT>*>(x.read(begin, count)), count * parts_of<CT>::count);
    });
    return sums.total();
}
template <class Sums, class VT, class CT>
auto total_of(const heron_vector_operand& v, range part) {
    if (!is_in_place<VT, CT>(v)) return total_of_blocks<Sums, VT, CT>(v, part);
    Sums sums;
    sums.add(reinterpret_cast<const real_of<CT>*>(in_place<const CT>(v, part)),
             (part.end - part.begin) * parts_of<CT>::count);
    return sums.total();
}

template <class R>
void put_real(const heron_norm_args& a, R value) {
    visit_uniform_real(a.result_type, real_type(a.compute_type), [&]<class VR, class CR>(type<VR>, type<CR>) {
        store(as<VR>(a.result.memory)[a.result.offset], static_cast<CR>(value));
    });
}

void asum(host_device& device, heron_phase phase, const heron_asum_args& a, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_uniform(a.type, a.compute_type, [&]<class VT, class CT>(type<VT>, type<CT>) {
        using R = real_of<CT>;
        R results[most_parts];
        const int parts = reduce_parts(device, a.n, results,
                                       [&](range part) { return total_of<size_sums<R>, VT, CT>(a.x, part); });
        R all = results[0];
        for (int part = 1; part < parts; ++part) all += results[part];
        put_real(a, all);
    });
}

void nrm2(host_device& device, heron_phase phase, const heron_nrm2_args& a, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_uniform(a.type, a.compute_type, [&]<class VT, class CT>(type<VT>, type<CT>) {
        using R = real_of<CT>;
        double results[most_parts];
        const int parts = reduce_parts(device, a.n, results,
                                       [&](range part) { return total_of<square_sums, VT, CT>(a.x, part); });
        double squares = 0;
        for (int part = 0; part < parts; ++part) squares += results[part];
        double norm = square_root(squares);
        if constexpr (sizeof(R) == 8) {
            // What has underflown is lost beside such a sum.
            if (!(squares > 0x1p-900 && squares < 0x1p1000)) {
                scaled_squares scaled[most_parts];
                reduce_parts(device, a.n, scaled,
                             [&](range part) { return total_of<scaled_squares, VT, CT>(a.x, part); });
                for (int part = 1; part < parts; ++part) scaled[0].add(scaled[part]);
                norm = scaled[0].norm();
            }
        }
        put_real(a, static_cast<R>(norm));
    });
}

// The first number of the largest size, or of the smallest one.
template <class R>
struct extreme {
    R size;
    int64_t place;
};

template <class CT>
real_of<CT> size_of(CT v) {
    if constexpr (parts_of<CT>::count == 1)
        return magnitude(v);
    else
        return magnitude(v).re;
}

// Comparisons with NaNs are false: they are passed over.
template <bool smallest, class R>
bool comes_before(R a, R b) {
    return smallest ? a < b : a > b;
}

// The extreme sizes of a block by lanes, and at which step of the block each was found first.
template <class R, int L>
struct extreme_lanes {
    using number = std::conditional_t<sizeof(R) == 4, int32_t, int64_t>;
    lanes<R, L> size;
    lanes<number, L> place;

    // Of two lanes the one that is wanted, or that comes first.
    template <bool smallest>
    [[gnu::always_inline]] extreme_lanes wanted(const extreme_lanes& other) const {
        const auto is_before = smallest ? size < other.size : size > other.size;
        const auto stays = is_before | ((size == other.size) & (place < other.place));
        return {stays ? size : other.size, stays ? place : other.place};
    }
};

template <bool smallest, class R, int L>
[[gnu::always_inline]] inline extreme<R> wanted_lane(const extreme_lanes<R, L>& v) {
    using number = typename extreme_lanes<R, L>::number;
    const halves<R, L> size(v.size);
    const halves<number, L> place(v.place);
    if constexpr (L == 2) {
        const bool is_low = comes_before<smallest>(R{size.low}, R{size.high}) ||
                            (size.low == size.high && place.low < place.high);
        return is_low ? extreme<R>{size.low, place.low} : extreme<R>{size.high, place.high};
    } else {
        const extreme_lanes<R, L / 2> low{size.low, place.low}, high{size.high, place.high};
        return wanted_lane<smallest, R, L / 2>(low.template wanted<smallest>(high));
    }
}

// The extreme size of a block and where it is found first, in lanes without branches. Complex numbers' sizes
// are there twice. What is no number's size comes behind all of them.
template <bool smallest, class CT, class R>
extreme<R> extreme_of(const CT* numbers, int64_t count) {
    constexpr int L = most_lanes<R>, parts = parts_of<CT>::count;
    using found = extreme_lanes<R, L>;
    using number = typename found::number;
    constexpr R last = smallest ? static_cast<R>(__builtin_inf()) : R(-1);
    const R* const x = reinterpret_cast<const R*>(numbers);
    const lanes<R, L> nothing = lanes<R, L>{} + last;
    lanes<number, L> lane;
    for (int l = 0; l < L; ++l) lane[l] = l;
    found best[4] = {{nothing, lane}, {nothing, lane}, {nothing, lane}, {nothing, lane}};
    for_steps<R>(parts * count, [&]<int k>(const auto& at, std::integral_constant<int, k>) {
        auto size = without_signs<R, L>(at.load(x));
        if constexpr (parts == 2) size += exchanged_lanes<1>(size);
        size = at.only(size, nothing);
        const auto is_before = smallest ? size < best[k].size : size > best[k].size;
        best[k].size = is_before ? size : best[k].size;
        best[k].place = is_before ? lane + static_cast<number>(at.place) : best[k].place;
    });
    const auto all =
        wanted_lane<smallest, R, L>(best[0].template wanted<smallest>(best[1]).template wanted<smallest>(
            best[2].template wanted<smallest>(best[3])));
    return {all.size, all.place / parts};
}

template <bool smallest, class VT, class CT>
int64_t place_of_extreme(const host_device& device, const heron_iamax_args& a) {
    using R = real_of<CT>;
    vector_blocks<VT, CT> first(a.x);
    const R size = size_of(*first.read(0, 1));
    if (size != size) return 0;
    extreme<R> results[most_parts];
    const int parts = reduce_parts(device, a.n, results, [&](range part) {
        vector_blocks<VT, CT> x(a.x);
        extreme<R> found{size, 0};
        constexpr int64_t searched = 4096;
        for_blocks(part, x.longest() < searched ? x.longest() : searched, [&](int64_t begin, int64_t count) {
            const auto next = extreme_of<smallest, CT, R>(x.read(begin, count), count);
            if (comes_before<smallest>(next.size, found.size)) found = {next.size, begin + next.place};
        });
        return found;
    });
    extreme<R> all{size, 0};
    for (int part = 0; part < parts; ++part)
        if (comes_before<smallest>(results[part].size, all.size)) all = results[part];
    return all.place;
}

void iamax(host_device& device, heron_phase phase, const heron_iamax_args& a, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    int64_t place = 0;
    visit_uniform(a.type, a.compute_type, [&]<class VT, class CT>(type<VT>, type<CT>) {
        if (a.n > 0)
            place = 1 + (a.smallest ? place_of_extreme<true, VT, CT>(device, a)
                                    : place_of_extreme<false, VT, CT>(device, a));
    });
    if (a.result_type == HERON_INDEX_32)
        as<i32>(a.result.memory)[a.result.offset] = static_cast<i32>(place);
    else
        as<i64>(a.result.memory)[a.result.offset] = place;
}

}  // namespace

void override_blas1(heron_backend& table) {
    override_blas1_elements(table);
    table.dot = &slot<host_device, heron_dot_args, &dot, operation_names::dot>;
    table.asum = &slot<host_device, heron_asum_args, &asum, operation_names::asum>;
    table.nrm2 = &slot<host_device, heron_nrm2_args, &nrm2, operation_names::nrm2>;
    table.iamax = &slot<host_device, heron_iamax_args, &iamax, operation_names::iamax>;
}

}  // namespace heron::HERON_LEVEL
