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

void dot(host_device& device, heron_phase phase, const heron_dot_args& a, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_uniform(a.type, a.compute_type, [&]<class VT, class CT>(type<VT>, type<CT>) {
        CT results[most_parts];
        const int parts = reduce_parts(device, a.n, results, [&](range part) {
            vector_blocks<VT, CT> x(a.x), y(a.y);
            product_sums<CT> sums;
            for_blocks_of(part, x, y, [&](int64_t begin, int64_t count) {
                sums.add(x.read(begin, count), y.read(begin, count), count);
            });
            return sums.total(a.conjugate);
        });
        CT all = results[0];
        for (int part = 1; part < parts; ++part) all = add(all, results[part]);
        put<VT>(a.result, a.result_type != a.compute_type, all);
    });
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
        const int parts = reduce_parts(device, a.n, results, [&](range part) {
            vector_blocks<VT, CT> x(a.x);
            size_sums<R> sums;
            for_blocks_of(part, x, [&](int64_t begin, int64_t count) {
                sums.add(reinterpret_cast<const R*>(x.read(begin, count)), count * parts_of<CT>::count);
            });
            return sums.sums.total();
        });
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
        const auto sum = [&]<class Sums>(type<Sums>, range part) {
            vector_blocks<VT, CT> x(a.x);
            Sums sums;
            for_blocks_of(part, x, [&](int64_t begin, int64_t count) {
                sums.add(reinterpret_cast<const R*>(x.read(begin, count)), count * parts_of<CT>::count);
            });
            return sums;
        };
        double results[most_parts];
        const int parts = reduce_parts(device, a.n, results,
                                       [&](range part) { return sum(type<square_sums>{}, part).total(); });
        double squares = 0;
        for (int part = 0; part < parts; ++part) squares += results[part];
        double norm = square_root(squares);
        if constexpr (sizeof(R) == 8) {
            // What has underflown is lost beside such a sum.
            if (!(squares > 0x1p-900 && squares < 0x1p1000)) {
                scaled_squares scaled[most_parts];
                reduce_parts(device, a.n, scaled,
                             [&](range part) { return sum(type<scaled_squares>{}, part); });
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

template <bool smallest, class R, int L>
[[gnu::always_inline]] inline lanes<R, L> first_of(lanes<R, L> a, lanes<R, L> b) {
    return (smallest ? a < b : a > b) ? a : b;
}

template <bool smallest, class R, int L>
R extreme_lane(lanes<R, L> v) {
    const halves<R, L> half(v);
    if constexpr (L == 2)
        return comes_before<smallest>(R{half.low}, R{half.high}) ? half.low : half.high;
    else
        return extreme_lane<smallest, R, L / 2>(first_of<smallest, R, L / 2>(half.low, half.high));
}

// The largest size of a block, or the smallest one, in lanes without branches. The sizes of complex numbers
// are there twice. What is no number's size comes behind all of them.
template <bool smallest, class CT, class R>
R extreme_size(const CT* numbers, int64_t count) {
    constexpr int L = most_lanes<R>, parts = parts_of<CT>::count;
    constexpr R last = smallest ? static_cast<R>(__builtin_inf()) : R(-1);
    const R* const x = reinterpret_cast<const R*>(numbers);
    const lanes<R, L> before = lanes<R, L>{} + last;
    R found = last;
    lanes<R, L> best[4] = {before, before, before, before};
    for_lanes<R>(parts * count, [&]<int k, int width>(int64_t i, std::integral_constant<int, k>,
                                                      std::integral_constant<int, width>) {
        if constexpr (width == 1) {
            const R size = size_of(numbers[i / parts]);
            if (comes_before<smallest>(size, found)) found = size;
        } else {
            auto size = without_signs<R, L>(load_lanes<L>(x + i));
            if constexpr (parts == 2) size += exchanged_lanes<1>(size);
            best[k] = first_of<smallest, R, L>(size, best[k]);
        }
    });
    const R all = extreme_lane<smallest, R, L>(first_of<smallest, R, L>(
        first_of<smallest, R, L>(best[0], best[1]), first_of<smallest, R, L>(best[2], best[3])));
    return comes_before<smallest>(all, found) ? all : found;
}

// The first place of a size that one of the numbers has, by ever smaller blocks.
template <bool smallest, class CT, class R>
int64_t place_of(const CT* x, int64_t count, R size) {
    int64_t begin = 0;
    for (int64_t block = count / 8; block >= 64; block /= 8)
        while (begin + block <= count && extreme_size<smallest, CT, R>(x + begin, block) != size)
            begin += block;
    while (size_of(x[begin]) != size) ++begin;
    return begin;
}

// The extreme size of a block, and where it is, if that is news.
template <bool smallest, class CT, class R>
void search(const CT* x, int64_t begin, int64_t count, extreme<R>& found) {
    const R all = extreme_size<smallest, CT, R>(x, count);
    if (comes_before<smallest>(all, found.size)) found = {all, begin + place_of<smallest>(x, count, all)};
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
            search<smallest>(x.read(begin, count), begin, count, found);
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
