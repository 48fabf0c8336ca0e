#pragma once
// Where results go: from registers to an output or to sums, or from shared memory along an output.
#include "chunk.cuh"

namespace heron::HERON_LEVEL::kron_cuda {

// y := beta*y for all that a launch puts its results to, by all of its blocks: what alpha = 0 makes of a
// launch, whatever is in its inputs. `rows` elements a unit.
template <class CT>
static __device__ inline void scale_outputs(const item_parameters<CT>& p, int64_t rows, CT beta) {
    if (p.atomic) return;
    for (int64_t unit = blockIdx.x; unit < p.units; unit += gridDim.x) {
        CT* const y = output_of(p, origin_of<1, 1>(p, unit * p.tiles));
        for (int64_t row = threadIdx.x; row < rows; row += blockDim.x) {
            CT* const to = y + row * p.out_step;
            store_global(to, equal(beta, CT{}) ? CT{} : mul(beta, *to));
        }
    }
}

// Where the results of the last modes go.
template <class CT>
struct item_output {
    static constexpr bool sums = false;

    CT* y;  // NULL: there is no item
    int64_t step, inner;
    CT alpha, beta;
    bool adds, atomic;

    // Elements first, first + apart, ..., with apart a multiple of W, or all within a run.
    template <int W, int apart, int count>
    __device__ void put(const CT (&v)[count], int first) const {
        CT before[count];
        get<W, apart>(before, first);
        put<W, apart>(v, before, first);
    }

    // What these elements are before, where that matters.
    template <int W, int apart, int count>
    __device__ void get(CT (&before)[count], int first) const {
        if (!y || !adds) return;
        if (step == 1)
            read(before, y + place<W>(first), distance<W, apart>());
        else
            read(before, y + place<W>(first) * step, distance<W, apart>() * step);
    }

    template <int W, int apart, int count>
    __device__ void put(const CT (&v)[count], const CT (&before)[count], int first) const {
        if (!y) return;
        if (atomic)
            write_atomically(v, y + place<W>(first) * step, distance<W, apart>() * step);
        else if (step == 1)
            write(v, before, y + place<W>(first), distance<W, apart>());
        else
            write(v, before, y + place<W>(first) * step, distance<W, apart>() * step);
    }

    // Elements first and first + 1, where first is even.
    template <int W>
    __device__ void put_pair(const CT (&v)[2], int first) const {
        CT* const to = y + place<W>(first);
        if (atomic || step != 1 || reinterpret_cast<uintptr_t>(to) % sizeof(f64_pair) != 0)
            return put<W, 1>(v, first);
        __builtin_assume(__isGlobal(to));
        f64_pair* const place = reinterpret_cast<f64_pair*>(to);
        f64_pair value{{alpha * v[0], alpha * v[1]}};
        if (adds) {
            const f64_pair before = *place;
            value = {{mad(beta, before.a[0], value.a[0]), mad(beta, before.a[1], value.a[1])}};
        }
        store_global(place, value);
    }

  private:
    template <int W>
    __device__ int place(int element) const {
        return offset_in_tile<W>(element, static_cast<int>(inner));
    }
    template <int W, int apart>
    __device__ int distance() const {
        return distance_in_tile<W, apart>(static_cast<int>(inner));
    }

    template <int count, class Distance>
    __device__ void read(CT (&before)[count], const CT* from, Distance apart) const {
        __builtin_assume(__isGlobal(from));
#pragma unroll
        for (int j = 0; j < count; ++j) before[j] = from[int64_t{j} * apart];
    }

    template <int count, class Distance>
    __device__ void write(const CT (&v)[count], const CT (&before)[count], CT* to, Distance apart) const {
        __builtin_assume(__isGlobal(to));
#pragma unroll
        for (int j = 0; j < count; ++j) {
            const CT value = mul(alpha, v[j]);
            store_global(to + int64_t{j} * apart, adds ? mad(beta, before[j], value) : value);
        }
    }

    template <int count>
    __device__ void write_atomically(const CT (&v)[count], CT* to, int64_t apart) const {
        __builtin_assume(__isGlobal(to));
#pragma unroll
        for (int j = 0; j < count; ++j) atomic_add(to + j * apart, mul(alpha, v[j]));
    }
};

// Where the sums of a group's items are.
enum class sum_memory { shared, second_level };

// The place of an element's sum: in shared memory as in an item, across the banks.
template <class Shape, sum_memory where>
__device__ constexpr int place_of_sum(int element) {
    return where == sum_memory::shared ? Shape::place(element) : element;
}

// Sums of the results of several items. The last stage always gives a thread the same places.
template <class Shape, sum_memory where>
struct item_sums {
    using CT = typename Shape::CT;
    static constexpr int N = Shape::N;
    static constexpr bool sums = true;

    CT* places;
    bool adds;

    template <int, int apart, int count>
    __device__ void put(const CT (&v)[count], int first) const {
        // Several at once hide latency, one at a time takes fewer registers, which gains more where factors
        // have 4 or 8 rows: as measured.
        constexpr bool one_by_one = where == sum_memory::shared && (N == 4 || N == 8);
        constexpr int at_once = one_by_one ? 1 : 16;
#pragma unroll
        for (int begin = 0; begin < count; begin += at_once) {
            CT before[at_once];
#pragma unroll
            for (int j = 0; j < at_once && begin + j < count; ++j)
                if (adds) before[j] = *place(first + (begin + j) * apart);
#pragma unroll
            for (int j = 0; j < at_once && begin + j < count; ++j)
                set(first + (begin + j) * apart, adds ? add(before[j], v[begin + j]) : v[begin + j]);
        }
    }
    template <int, int apart, int count>
    __device__ void get(CT (&before)[count], int first) const {
        if (!adds) return;
#pragma unroll
        for (int j = 0; j < count; ++j) before[j] = *place(first + j * apart);
    }
    template <int W, int apart, int count>
    __device__ void put(const CT (&v)[count], const CT (&before)[count], int first) const {
#pragma unroll
        for (int j = 0; j < count; ++j) set(first + j * apart, adds ? add(before[j], v[j]) : v[j]);
    }
    template <int W>
    __device__ void put_pair(const CT (&v)[2], int first) const {
        if constexpr (where == sum_memory::second_level) return put<W, 1>(v, first);
        f64_pair* const pair = reinterpret_cast<f64_pair*>(place(first));
        const f64_pair before = adds ? *pair : f64_pair{};
        *pair = {{before.a[0] + v[0], before.a[1] + v[1]}};
    }

  private:
    __device__ CT* place(int element) const {
        CT* const p = places + place_of_sum<Shape, where>(element);
        if constexpr (where == sum_memory::second_level) __builtin_assume(__isGlobal(p));
        return p;
    }
    // In order: the compiler would read more sums ahead than there are registers for.
    __device__ void set(int element, CT sum) const {
        if constexpr (where == sum_memory::second_level)
            store_global(place(element), sum);
        else
            *place(element) = sum;
    }
};

// Results that are in shared memory, along memory.
template <class CT, int N, int D, int W>
class chunk_store {
    using shape = item_shape<CT, N, D, W>;
    using crew_type = crew_threads<shape::in_warp>;
    using part = neighbours<CT, shape::quad>;

  public:
    __device__ chunk_store(const item_parameters<CT>& p, const crew_type& crew)
        : p_(p), crew_(crew), alpha_(p.alpha.get()), beta_(p.beta.get()), adds_(!equal(beta_, CT{})) {}

    // `shift` elements lie between the results and the last multiple of 16 bytes.
    __device__ void operator()(int64_t chunk, const CT* results, int shift) const {
        const int64_t first = chunk * shape::items;
        const int64_t left = p_.units * p_.tiles - first;
        const int count = (left < shape::items ? static_cast<int>(left) : shape::items) * shape::size;
        if (W == 1 && p_.dense_out && !p_.atomic)
            return along(p_.dense_out + first * shape::size, results, count, shift);
        if constexpr (shape::items == 1) {
            CT* const to = output_of(p_, origin(first));
            if (W == 1 && p_.out_step == 1 && !p_.atomic) return along(to, results, count, shift);
#pragma unroll 1
            for (int e = crew_.rank; e < count; e += crew_.size)
                put(to + offset_in_tile<W>(e, static_cast<int>(p_.inner)) * p_.out_step,
                    results[shape::place(e)]);
        } else {
            const int64_t tile = first + crew_.rank % shape::items;
            const auto mine = reinterpret_cast<unsigned long long>(
                tile < p_.units * p_.tiles ? output_of(p_, origin(tile)) : nullptr);
            if (W == 1 && shape::size % shape::quad == 0 && p_.out_step == 1 && !p_.atomic &&
                __all_sync(0xffffffffu, mine % 16 == 0))
                return quads_of_lanes(mine, results, count);
#pragma unroll 2
            for (int begin = 0; begin < shape::chunk; begin += 32) {
                const int e = begin + crew_.rank;
                CT* const to = reinterpret_cast<CT*>(from_lane(mine, e / shape::size % shape::items));
                if (e < count) put(to + e % shape::size * p_.out_step, results[shape::place(e)]);
            }
        }
    }

  private:
    __device__ tile_origin origin(int64_t tile) const { return origin_of<shape::size, W>(p_, tile); }

    __device__ void put(CT* to, CT result) const {
        __builtin_assume(__isGlobal(to));
        const CT value = mul(alpha_, result);
        if (p_.atomic)
            atomic_add(to, value);
        else
            store_global(to, adds_ ? mad(beta_, *to, value) : value);
    }

    // To the outputs that lanes 0, 1, ... have found. What is read comes together, before any is written.
    __device__ void quads_of_lanes(unsigned long long mine, const CT* results, int count) const {
        constexpr int at_once = 2, stride = 32 * shape::quad;
#pragma unroll 1
        for (int begin = 0; begin < shape::chunk; begin += at_once * stride) {
            part values[at_once], before[at_once];
            part* to[at_once];
#pragma unroll
            for (int i = 0; i < at_once; ++i) {
                const int e = begin + i * stride + crew_.rank * shape::quad;
                CT* const output = reinterpret_cast<CT*>(from_lane(mine, e / shape::size % shape::items));
                to[i] = e < count ? reinterpret_cast<part*>(output + e % shape::size) : nullptr;
                if (!to[i]) continue;
                __builtin_assume(__isGlobal(to[i]));
                values[i] = *reinterpret_cast<const part*>(results + shape::place(e));
                if (adds_) before[i] = *to[i];
            }
#pragma unroll
            for (int i = 0; i < at_once; ++i)
                if (to[i]) store_global(to[i], combined(values[i], before[i]));
        }
    }

    __device__ part combined(part values, const part& before) const {
#pragma unroll
        for (int w = 0; w < shape::quad; ++w) {
            const CT value = mul(alpha_, values.a[w]);
            values.a[w] = adds_ ? mad(beta_, before.a[w], value) : value;
        }
        return values;
    }

    __device__ void along(CT* to, const CT* results, int count, int shift) const {
        __builtin_assume(__isGlobal(to));
        const int skew = static_cast<int>(reinterpret_cast<uintptr_t>(to) / sizeof(CT) % shape::quad);
        if (skew != shift) {
#pragma unroll 4
            for (int e = crew_.rank; e < count; e += crew_.size) put(to + e, results[shape::place(e)]);
            return;
        }
        const int head = (shape::quad - skew) % shape::quad;
        const int body = (count - head) / shape::quad * shape::quad;
        // What is read comes together, before anything is written.
        constexpr int at_once = 4;
        const int stride = crew_.size * shape::quad;
#pragma unroll 1
        for (int first = head + crew_.rank * shape::quad; first < head + body; first += at_once * stride) {
            part values[at_once], before[at_once];
#pragma unroll
            for (int i = 0; i < at_once; ++i) {
                const int e = first + i * stride;
                if (e >= head + body) break;
                values[i] = *reinterpret_cast<const part*>(results + shape::place(e));
                if (adds_) before[i] = *reinterpret_cast<const part*>(to + e);
            }
#pragma unroll
            for (int i = 0; i < at_once; ++i) {
                const int e = first + i * stride;
                if (e >= head + body) break;
                store_global(reinterpret_cast<part*>(to + e), combined(values[i], before[i]));
            }
        }
        if (crew_.rank < count - body) {
            const int e = crew_.rank < head ? crew_.rank : crew_.rank + body;
            put(to + e, results[shape::place(e)]);
        }
    }

    const item_parameters<CT>& p_;
    const crew_type& crew_;
    CT alpha_, beta_;
    bool adds_;
};

}  // namespace heron::HERON_LEVEL::kron_cuda
