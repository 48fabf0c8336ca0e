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

// join(join(f(part 0), f(part 1)), ...) for the parts of [0, n).
template <class Result, class F, class Join>
[[gnu::noinline]] Result reduce_parts(const host_device& device, int64_t n, const F& f, const Join& join) {
    const int parts = parts_for(n);
    Result results[most_parts];
    run_team(team_for(device, n), [&](int member, int members) {
        const range own = equal_part(parts, member, members);
        for (int64_t part = own.begin; part < own.end; ++part)
            results[part] = f(aligned_part(n, static_cast<int>(part), parts));
    });
    for (int part = 1; part < parts; ++part) results[0] = join(results[0], results[part]);
    return results[0];
}

// The same of a vector that may be short: it is done sooner than it is divided.
template <class F, class Join>
[[gnu::always_inline]] inline auto reduced(const host_device& device, int64_t n, const F& f,
                                           const Join& join) {
    using Result = decltype(f(range{}));
    return parts_for(n) == 1 ? f(range{0, n}) : reduce_parts<Result>(device, n, f, join);
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
        const CT all = reduced(
            device, a.n, [&](range part) { return dot_of<VT, CT>(a, part); },
            [](CT sum, CT next) { return add(sum, next); });
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
        const R all = reduced(
            device, a.n, [&](range part) { return total_of<size_sums<R>, VT, CT>(a.x, part); },
            [](R sum, R next) { return sum + next; });
        put_real(a, all);
    });
}

template <class VT, class CT>
[[gnu::noinline]] double scaled_norm(const host_device& device, const heron_nrm2_args& a) {
    const auto squares = reduced(
        device, a.n, [&](range part) { return total_of<scaled_squares, VT, CT>(a.x, part); },
        [](scaled_squares sum, const scaled_squares& next) {
            sum.add(next);
            return sum;
        });
    return squares.norm();
}

void nrm2(host_device& device, heron_phase phase, const heron_nrm2_args& a, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_uniform(a.type, a.compute_type, [&]<class VT, class CT>(type<VT>, type<CT>) {
        using R = real_of<CT>;
        const double squares = reduced(
            device, a.n, [&](range part) { return total_of<square_sums, VT, CT>(a.x, part); },
            [](double sum, double next) { return sum + next; });
        double norm = square_root(squares);
        // What has underflown is lost beside such a sum.
        if constexpr (sizeof(R) == 8)
            if (!(squares > 0x1p-900 && squares < 0x1p1000)) norm = scaled_norm<VT, CT>(device, a);
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

// The sizes of a vector of numbers, those of complex ones twice.
template <class CT, class V>
[[gnu::always_inline]] inline V sizes_of(V v) {
    using R = real_of<CT>;
    V sizes = without_signs<R, most_lanes<R>>(v);
    if constexpr (parts_of<CT>::count == 2) sizes += exchanged_lanes<1>(sizes);
    return sizes;
}

// Lane by lane the one that is wanted; `other` where v is no number.
template <bool smallest, class V>
[[gnu::always_inline]] inline V wanted(V v, V other) {
    return smallest ? v < other ? v : other : v > other ? v : other;
}

// Of all lanes.
template <bool smallest, int L, class T>
[[gnu::always_inline]] inline T wanted_lane(lanes<T, L> v) {
    const halves<T, L> half(v);
    const auto one = wanted<smallest>(half.low, half.high);
    if constexpr (L == 2)
        return one;
    else
        return wanted_lane<smallest, L / 2, T>(one);
}

// What is found in up to 2^31 real numbers, four vectors of them at a time: the extreme sizes by lanes, and
// where the four begin in which each was found first. What is no number's size comes behind all of them.
template <bool smallest, class CT>
class extreme_search {
  public:
    using R = real_of<CT>;
    using number = std::conditional_t<sizeof(R) == 4, int32_t, int64_t>;
    static constexpr int L = most_lanes<R>, parts = parts_of<CT>::count;

    // For count > 0.
    [[gnu::always_inline]] extreme_search(const CT* numbers, int64_t count)
        : x_(reinterpret_cast<const R*>(numbers)), count_(parts * count) {}

    [[gnu::always_inline]] extreme<R> run() const {
        vector size = nothing();
        places four{};
        const auto add = [&](vector next, int64_t begin) {
            const auto is_before = smallest ? next < size : next > size;
            size = is_before ? next : size;
            four = is_before ? places{} + static_cast<number>(begin) : four;
        };
        int64_t i = 0;
        for (; i + 4 * L <= count_; i += 4 * L) add(size_of_four(i), i);
        if (i < count_) add(size_of_rest(i), i);
        const R wanted_size = wanted_lane<smallest, L, R>(size);
        const places none = places{} + number{INT32_MAX};
        const int64_t begin = wanted_lane<true, L, number>(size == wanted_size ? four : none);
        return {wanted_size, (begin + first_in_four(begin, wanted_size)) / parts};
    }

    static constexpr R last = smallest ? static_cast<R>(__builtin_inf()) : R(-1);

  private:
    using vector = lanes<R, L>;
    using places = lanes<number, L>;

    [[gnu::always_inline]] static vector nothing() { return vector{} + last; }
    [[gnu::always_inline]] vector size_at(int64_t i) const { return sizes_of<CT>(load_lanes<L>(x_ + i)); }

    // By lanes.
    [[gnu::always_inline]] vector size_of_four(int64_t i) const {
        const vector first = wanted<smallest>(size_at(i), nothing());
        const vector second = wanted<smallest>(size_at(i + L), first);
        const vector third = wanted<smallest>(size_at(i + 2 * L), second);
        return wanted<smallest>(size_at(i + 3 * L), third);
    }
    // Of what there is behind the last four.
    [[gnu::always_inline]] vector size_of_rest(int64_t begin) const {
        vector size = nothing();
        int64_t i = begin;
        for (; i + L <= count_; i += L) size = wanted<smallest>(size_at(i), size);
        if (i == count_) return size;
        const some_lanes<R, L> own(0, count_ - i);
        return wanted<smallest>(own.only(sizes_of<CT>(own.load(x_ + i)), nothing()), size);
    }

    [[gnu::always_inline]] int64_t first_in_four(int64_t begin, R size) const {
        places lane, place = places{} + number{4 * L};
        for (int l = 0; l < L; ++l) lane[l] = l;
        const auto look = [&](vector sizes, int64_t i) {
            const places here = sizes == size ? lane + static_cast<number>(i - begin) : place;
            place = here < place ? here : place;
        };
        const int64_t end = begin + 4 * L < count_ ? begin + 4 * L : count_;
        int64_t i = begin;
        for (; i + L <= end; i += L) look(size_at(i), i);
        // Zeros behind the last element come behind it.
        if (i < end) look(sizes_of<CT>(some_lanes<R, L>(0, end - i).load(x_ + i)), i);
        return wanted_lane<true, L, number>(place);
    }

    const R* x_;
    int64_t count_;
};

template <bool smallest, class VT, class CT>
[[gnu::noinline]] extreme<real_of<CT>> extreme_of_blocks(const heron_vector_operand& v, range part) {
    using search = extreme_search<smallest, CT>;
    vector_blocks<VT, CT> x(v);
    extreme<real_of<CT>> found{search::last, 0};
    for_blocks_of(part, x, [&](int64_t begin, int64_t count) {
        const auto next = search(x.read(begin, count), count).run();
        if (comes_before<smallest>(next.size, found.size)) found = {next.size, begin + next.place};
    });
    return found;
}
template <bool smallest, class VT, class CT>
extreme<real_of<CT>> extreme_of(const heron_vector_operand& v, range part) {
    if (!is_in_place<VT, CT>(v)) return extreme_of_blocks<smallest, VT, CT>(v, part);
    const auto found = extreme_search<smallest, CT>(in_place<const CT>(v, part), part.end - part.begin).run();
    return {found.size, part.begin + found.place};
}

template <bool smallest, class VT, class CT>
int64_t place_of_extreme(const host_device& device, const heron_iamax_args& a) {
    using R = real_of<CT>;
    const R first = size_of(load<CT>(as<const VT>(a.x.memory)[a.x.offset]));
    if (first != first) return 0;
    const auto found = reduced(
        device, a.n, [&](range part) { return extreme_of<smallest, VT, CT>(a.x, part); },
        [](const extreme<R>& one, const extreme<R>& next) {
            return comes_before<smallest>(next.size, one.size) ? next : one;
        });
    return comes_before<smallest>(found.size, first) ? found.place : 0;
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
    for (const heron_slot reduction : {heron_slot_dot, heron_slot_asum, heron_slot_nrm2, heron_slot_iamax})
        set_without_workspace(table, reduction);
}

}  // namespace heron::HERON_LEVEL
