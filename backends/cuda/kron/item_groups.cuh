#pragma once
// Groups of items that fit on chip as a whole. A crew has a slice of the items, in the order of the groups,
// and adds up what belongs together, element by element for each place of a chunk, and over the places where
// a group ends. The sums are in shared memory, or where that leaves a multiprocessor too few items to work
// on, in memory of the crew's own that stays in the second-level cache.
#include "groups.cuh"
#include "items.cuh"

namespace heron::HERON_LEVEL::kron_cuda {

template <class Shape>
class group_sums {
    using shape = Shape;
    using CT = typename Shape::CT;
    static constexpr sum_memory where = Shape::where;
    using crew_type = crew_threads<shape::in_warp>;
    static constexpr int width = shape::size % shape::quad == 0 ? shape::quad : 1;
    using part = neighbours<CT, width>;

  public:
    __device__ group_sums(CT* sums, const crew_type& crew) : sums_(sums), crew_(crew) {}

    // Adds items [from, to) of a chunk. A thread always has the same places.
    __device__ void add(const CT* chunk, int from, int to) {
        if (from == 0 && to == shape::items && low_ == 0 && high_ == shape::items) {
            for (int e = crew_.rank * width; e < shape::chunk; e += crew_.size * width)
                accumulate(chunk, e, true, true);
            return;
        }
        // Places between the new items and those of an earlier chunk become zero.
        const int stop = high_ > 0 && low_ > to ? low_ : to;
        for (int e = crew_.rank * width; e < shape::chunk; e += crew_.size * width) {
            const int item = e / shape::size;
            if (item >= from && item < stop) accumulate(chunk, e, item >= low_ && item < high_, item < to);
        }
        low_ = high_ > 0 && low_ < from ? low_ : from;
        high_ = high_ > stop ? high_ : stop;
    }

    // Sum over the places; to[e*step] := alpha*sum + before, or the bare sum for a slot.
    __device__ void flush(CT* to, int64_t step, CT alpha, bool is_slot) {
        crew_.sync();
        for (int e = crew_.rank; e < shape::size; e += crew_.size) {
            CT sum = sums_[place(low_ * shape::size + e)];
            for (int i = low_ + 1; i < high_; ++i) sum = add_of(sum, sums_[place(i * shape::size + e)]);
            to[e * step] = is_slot ? sum : mad(alpha, sum, to[e * step]);
        }
        low_ = high_ = 0;
        crew_.sync();
    }

    __device__ bool is_empty() const { return high_ == 0; }

    // For chunks of one item: where the last stage adds up.
    __device__ item_sums<shape, where> take_item() {
        const item_sums<shape, where> target{sums_, high_ > 0};
        high_ = 1;
        return target;
    }

  private:
    __device__ static int place(int element) { return place_of_sum<shape, where>(element); }

    __device__ static CT add_of(CT a, CT b) { return heron::HERON_LEVEL::add(a, b); }

    __device__ void accumulate(const CT* chunk, int e, bool adds, bool exists) {
        part value{};
        if (exists) value = *reinterpret_cast<const part*>(chunk + shape::place(e));
        part& sum = *reinterpret_cast<part*>(sums_ + place(e));
        if (adds) {
            const part before = sum;
#pragma unroll
            for (int w = 0; w < width; ++w) value.a[w] = add_of(before.a[w], value.a[w]);
        }
        sum = value;
    }

    CT* sums_;
    const crew_type& crew_;
    int low_ = 0, high_ = 0;  // places that hold sums
};

// What a crew has in shared memory, and where the sums are.
template <class Element, int N, int D>
struct summed_item : item_shape<Element, N, D, 1> {
    using item = item_shape<Element, N, D, 1>;
    static constexpr int item_sum_bytes = item::chunk_room * static_cast<int>(sizeof(Element));
    static constexpr bool fits_on_chip = item::buffer_bytes + item_sum_bytes <= most_block_bytes;
    static constexpr room_row off_chip = row_of(sums_off_chip, {element_of<Element>, N, D, 1});
    static constexpr sum_memory where =
        fits_on_chip && !off_chip.result ? sum_memory::shared : sum_memory::second_level;

    static constexpr int sum_bytes = where == sum_memory::shared ? item_sum_bytes : 0;
    static constexpr int two_buffers = 2 * item::buffer_bytes + sum_bytes;
    static constexpr int one_buffer = item::buffer_bytes + sum_bytes;
    // A multiprocessor that has room for one block only may as well hold the next item.
    static constexpr bool is_alone = where == sum_memory::shared && 2 * one_buffer > most_block_bytes;
    // Four blocks with one buffer each instead of two with two (kron-3).
    static constexpr bool has_small_blocks = !item::in_warp && (N == 4 || N == 16) &&
                                             4 * two_buffers > most_block_bytes &&
                                             4 * one_buffer <= most_block_bytes;
    static constexpr bool fits_twice = two_buffers <= (is_alone ? most_block_bytes : most_item_bytes);
    static constexpr int buffers = where == sum_memory::second_level ? item::buffers
                                   : fits_twice && !has_small_blocks ? 2
                                                                     : 1;
    static constexpr int crew_bytes = buffers * item::buffer_bytes + sum_bytes;
    static constexpr bool fits = crew_bytes <= most_block_bytes;
    static constexpr int crews = item::crews_with(crew_bytes);
    static constexpr int shared_bytes = crews * crew_bytes;
};

template <class Shape>
__global__ void __launch_bounds__(Shape::in_warp ? 32 * Shape::crews : Shape::most_block_threads)
    kron_item_groups(const __grid_constant__ item_parameters<typename Shape::CT> p,
                     const __grid_constant__ group_parameters g) {
    using shape = Shape;
    using CT = typename Shape::CT;
    constexpr sum_memory where = Shape::where;
    // One item at a time is added up as its last stage goes.
    using summing_stages = item_stages<shape, false, item_sums<shape, where>>;
    constexpr bool sums_at_once = shape::items == 1 && summing_stages::is_direct;
    constexpr int buffers = shape::buffers;
    constexpr int buffer_room = shape::chunk_room + shape::factor_room;
    extern __shared__ __align__(16) unsigned char memory[];
    if (g.mixed && (*g.mixed != 0) != (g.runs_mixed != 0)) return;
    const crew_threads<shape::in_warp> crew;
    const int number = shape::in_warp ? static_cast<int>(threadIdx.x) / 32 : 0;
    CT* const room =
        reinterpret_cast<CT*>(memory) + number * (shape::crew_bytes / static_cast<int>(sizeof(CT)));
    const int64_t slice = static_cast<int64_t>(blockIdx.x) * shape::crews + number;
    if (slice >= g.slices) return;
    const int64_t chunks = (p.units + shape::items - 1) / shape::items;
    const int64_t begin = share(chunks, slice, g.slices);
    const int64_t end = share(chunks, slice + 1, g.slices);
    const int item = shape::in_warp ? crew.rank / (shape::in_warp ? shape::team : 1) : 0;
    const chunk_fetch<shape> fetch(p, crew);
    const auto start = [&](int64_t chunk, int buffer) {
        if (chunk < end) {
            fetch.template vectors<(shape::bytes > most_item_bytes / 2)>(chunk, room + buffer * buffer_room);
            if (!p.factors_are_shared || chunk == begin)
                fetch.factors(chunk,
                              room + (p.factors_are_shared ? 0 : buffer) * buffer_room + shape::chunk_room);
        }
        commit_copies();
    };
    CT* const place_of_sums = where == sum_memory::shared
                                  ? room + buffers * buffer_room
                                  : static_cast<CT*>(g.sums) + slice * shape::chunk_room;
    group_sums<shape> sums(place_of_sums, crew);
    group_walk walk(g, begin * shape::items);
    CT* const slot = static_cast<CT*>(g.slots) + slice * g.rows;
    bool is_own = g.slices == 1 || walk.begins_at(begin * shape::items);
    if (crew.rank == 0) g.owners[slice] = 0;
    const CT alpha = p.alpha.get();
    if (equal(alpha, CT{})) return;
    const auto flush = [&](CT* y) {
        if (is_own) {
            sums.flush(y, p.out_step, alpha, false);
        } else {
            sums.flush(slot, 1, alpha, true);
            if (crew.rank == 0) g.owners[slice] = reinterpret_cast<int64_t>(y);
        }
    };
    CT* y = nullptr;
    start(begin, 0);
    int buffer = 0;
    for (int64_t chunk = begin; chunk < end; ++chunk) {
        if constexpr (buffers == 2) {
            start(chunk + 1, buffer ^ 1);
            wait_for_copies<1>();
        } else {
            if (chunk != begin) start(chunk, 0);
            wait_for_copies<0>();
        }
        crew.sync();
        CT* const vectors = room + buffer * buffer_room + fetch.shift_of(chunk);
        const CT* const factors =
            room + (p.factors_are_shared ? 0 : buffer) * buffer_room + shape::chunk_room;
        const CT* const item_factors = factors + (p.factors_are_shared ? 0 : item * shape::factor_stride);
        const int64_t first = chunk * shape::items;
        if constexpr (sums_at_once) {
            walk.move_to(first);
            if (walk.is_over()) break;
            const auto target = sums.take_item();
            summing_stages(vectors, item_factors, crew, target).apply();
        } else {
            const item_output<CT> nowhere{};
            item_stages<shape, true>(vectors + shape::place(item * shape::size), item_factors, crew, nowhere)
                .apply();
        }
        const int here = p.units - first < shape::items ? static_cast<int>(p.units - first) : shape::items;
        for (int done = 0; done < here;) {
            walk.move_to(first + done);
            if (walk.is_over()) break;
            y = walk.template output<CT>(p.out, first + done) + p.column * p.out_vector;
            const int64_t stop = walk.end(first + done, first + here);
            const int to = stop - first < here ? static_cast<int>(stop - first) : here;
            if constexpr (!sums_at_once) sums.add(vectors, done, to);
            if (stop <= first + here) {
                flush(y);
                is_own = true;
            }
            done = to;
        }
        crew.sync();
        if (buffers == 2) buffer ^= 1;
    }
    if (!sums.is_empty()) flush(y);
}

}  // namespace heron::HERON_LEVEL::kron_cuda
