#pragma once
// Kronecker products of items that fit on chip as a whole, each N^D elements, the factors N x N. A crew (a
// warp, or for large items a block) takes a chunk of items at a time: the next chunk and its factors travel
// to shared memory by asynchronous copies while the current one is worked on. A team (some lanes of a warp, a
// warp, or a block) has one item, and each of its threads takes fibres of several modes into registers, so
// that few modes need an exchange through shared memory. The last modes applied are the item's first: their
// fibres run along memory, and go from registers to the output.
#include "outputs.cuh"

namespace heron::HERON_LEVEL::kron_cuda {

// A factor from shared memory. `is_aligned`: it begins at a multiple of 16 bytes, and there is room up to
// one.
template <bool is_aligned, class CT, int count>
static __device__ inline void read_block(const CT* from, CT (&to)[count]) {
    constexpr int width = is_aligned ? 16 / static_cast<int>(sizeof(CT)) : access_width<CT>(count);
    using part = neighbours<CT, width>;
#pragma unroll
    for (int i = 0; i < count; i += width) {
        const part v = *reinterpret_cast<const part*>(from + i);
#pragma unroll
        for (int w = 0; w < width; ++w)
            if (i + w < count) to[i + w] = v.a[w];
    }
}

// An item's modes, one stage after the other. `returns`: the results go back to shared memory in any case.
template <class Shape, bool returns = false, class Output = item_output<typename Shape::CT>>
class item_stages {
    using shape = Shape;
    using CT = typename Shape::CT;
    static constexpr int N = Shape::N, D = Shape::modes, W = Shape::width;
    using crew_type = crew_threads<shape::in_warp>;

  public:
    // The results go out where lanes next to each other have whole sectors, or where a warp would meet parts
    // of lines, return to shared memory.
    static constexpr int last_modes =
        D % shape::modes_at_once == 0 ? shape::modes_at_once : D % shape::modes_at_once;
    static constexpr int run = W * power(N, D - last_modes);
    static constexpr int together = shape::in_warp && shape::team < run ? shape::team : run;
    static constexpr bool has_sectors = together * static_cast<int>(sizeof(CT)) >= 32 && run > 1;
    static constexpr bool has_lines =
        is_power_of_two(N) && !shape::uses_tensor && together * static_cast<int>(sizeof(CT)) >= 128;
    static constexpr bool wants_lines = W == 1 && shape::in_warp && !shape::uses_planes;
    static constexpr bool is_direct = !returns && (Output::sums || (wants_lines ? has_lines : has_sectors));

    __device__ item_stages(CT* item, const CT* factors, const crew_type& crew, const Output& output)
        : item_(item),
          factors_(factors),
          crew_(crew),
          output_(output),
          lane_(shape::in_warp ? crew.rank % (shape::in_warp ? shape::team : 1) : crew.rank),
          team_(shape::in_warp ? shape::team : crew.size) {}

    __device__ void apply() const {
        apply([] {});
    }

    // before_last(): before the last stage, which may write to the output.
    template <class Before>
    __device__ void apply(Before&& before_last) const {
        if constexpr (shape::uses_tensor) {
            before_last();
            by_tensor();
        } else if constexpr (shape::uses_planes) {
            by_planes(before_last);
        } else {
            from_mode<0>(before_last);
        }
    }

  private:
    // Modes K and up, counted from the last.
    template <int K, class Before>
    __device__ void from_mode(Before&& before_last) const {
        if constexpr (K < D) {
            constexpr int G = D - K < shape::modes_at_once ? D - K : shape::modes_at_once;
            if constexpr (K + G == D) before_last();
            if constexpr (G > 1 || shape::template keeps<G>)
                in_registers<K, G>();
            else
                streamed<K, shape::streamed_at_once>();
            if constexpr (K + G < D || !is_direct) crew_.sync();
            from_mode<K + G>(before_last);
        }
    }

    __device__ void by_tensor() const {
        const auto put = [&](const f64(&v)[2], int first) {
            if constexpr (is_direct)
                output_.template put_pair<W>(v, first);
            else
                *reinterpret_cast<f64_pair*>(item_ + shape::place(first)) = {{v[0], v[1]}};
        };
        if constexpr (D == 2)
            tensor_squares(item_, factors_, crew_.rank, put);
        else if constexpr (W == 1)
            tensor_cube(item_, factors_, crew_.rank, put);
        else
            tensor_runs(item_, factors_, crew_.rank, crew_.size, put);
        if constexpr (!is_direct) crew_.sync();
    }

    template <class Before>
    __device__ void by_planes(Before&& before_last) const {
        const auto keep = [&](const f64(&v)[2], int first) {
            *reinterpret_cast<f64_pair*>(item_ + shape::place(first)) = {{v[0], v[1]}};
        };
        const auto put = [&](const f64(&v)[2], int first) {
            if constexpr (is_direct)
                output_.template put_pair<W>(v, first);
            else
                keep(v, first);
        };
        if constexpr (D == 2) {
            before_last();
            tensor_planes(item_, factors_, 1, crew_.rank, crew_.size, put);
        } else {
            tensor_planes(item_, factors_, 16, crew_.rank, crew_.size, keep);
            crew_.sync();
            before_last();
            tensor_across_planes(item_, factors_, crew_.rank, crew_.size, put);
        }
        if constexpr (!is_direct) crew_.sync();
    }

    template <int K>
    static constexpr int step = W* power(N, K);
    template <int K, int G>
    static constexpr bool goes_out = is_direct&& K + G == D;

    __device__ const CT* factor(int mode) const { return factors_ + (D - 1 - mode) * shape::factor_pitch; }

    // Lanes next to each other meet other banks along an odd step than along a short run.
    template <int K, int length>
    static constexpr bool turns_outer = W == 1 && N % 2 == 1 && K > 0 && step<K> < 32 &&
                                        shape::size / (step<K> * length) >= 16;

    // First element of fibre q.
    template <int K, int length>
    static __device__ int fibre(int q) {
        if constexpr (turns_outer<K, length>) {
            constexpr int outer = shape::size / (step<K> * length);
            return q % outer * (step<K> * length) + q / outer;
        }
        if constexpr (W == 1 && N % 4 == 2 && N > 2 && K == 1) {
            // Rows are 4 banks or a multiple of 32 and 4 apart: four neighbours of each.
            constexpr int outer = shape::size / (step<K> * length);
            const int block = q / (4 * outer);
            const int in_block = q - block * (4 * outer);
            const int width = block < step<K> / 4 ? 4 : step<K> % 4;
            return block * 4 + in_block % width + in_block / width * (step<K> * length);
        }
        return q / step<K> * (step<K> * length) + q % step<K>;
    }

    // Fibres that lie along memory, aligned to what one access covers.
    template <int K>
    static constexpr bool along_memory = K == 0 && W == 1 && N % 2 == 0 && !shape::shifts;

    template <int K, int length>
    __device__ void read(const CT* from, CT (&v)[length]) const {
        constexpr int width = along_memory<K> ? access_width<CT>(length) : 1;
        using part = neighbours<CT, width>;
#pragma unroll
        for (int j = 0; j < length; j += width) {
            const part values = *reinterpret_cast<const part*>(from + shape::place(j * step<K>));
#pragma unroll
            for (int w = 0; w < width; ++w) v[j + w] = values.a[w];
        }
    }

    template <int K, int length>
    __device__ void write_back(CT* to, const CT (&v)[length]) const {
        constexpr int width = along_memory<K> ? access_width<CT>(length) : 1;
        using part = neighbours<CT, width>;
#pragma unroll
        for (int j = 0; j < length; j += width) {
            part values;
#pragma unroll
            for (int w = 0; w < width; ++w) values.a[w] = v[j + w];
            *reinterpret_cast<part*>(to + shape::place(j * step<K>)) = values;
        }
    }

    template <int K, int G>
    __device__ void in_registers() const {
        constexpr int length = power(N, G);
        constexpr int fibres = shape::size / length;
        constexpr bool keeps = shape::template keeps<G>;
        // Sums come while results are computed, if there are registers for them.
        constexpr bool gets_early = Output::sums && goes_out<K, G> && G == 1;
        CT a[G][N * N];
        if constexpr (keeps) {
#pragma unroll
            for (int g = 0; g < G; ++g) read_block<shape::has_large_factors>(factor(K + g), a[g]);
        }
#pragma unroll 1
        for (int q = lane_; q < fibres; q += team_) {
            const int first = fibre<K, length>(q);
            CT* const at = item_ + shape::place(first);
            CT v[length];
            read<K>(at, v);
            CT before[gets_early ? length : 1];
            if constexpr (gets_early) output_.template get<W, step<K>>(before, first);
            int apart = 1;
#pragma unroll
            for (int g = 0; g < G; ++g, apart *= N) {
                if constexpr (!keeps) read_block<shape::has_large_factors>(factor(K + g), a[g]);
                turn<CT, N, length>(a[g], v, apart);
            }
            if constexpr (gets_early)
                output_.template put<W, step<K>>(v, before, first);
            else if constexpr (goes_out<K, G>)
                output_.template put<W, step<K>>(v, first);
            else
                write_back<K>(at, v);
        }
    }

    // One larger factor, which is read from shared memory for `count` fibres at a time.
    template <int K, int count>
    __device__ void streamed() const {
        constexpr int fibres = shape::size / N;
        constexpr int wide = column_step<CT, N>;
        // Results that go out together: the places of those in runs take long to find.
        constexpr int block = !goes_out<K, 1> ? wide : W > 1 ? N : wide == 1 && N % 3 == 0 ? 3 : wide;
        using part = neighbours<CT, wide>;
        const CT* const a = factor(K);
#pragma unroll 1
        for (int q = lane_; q < fibres; q += count * team_) {
            int first[count];
            CT v[count][N];
#pragma unroll
            for (int c = 0; c < count; ++c) {
                // A fibre that is not there is another view of the first, which only its owner stores.
                first[c] = fibre<K, N>(q + c * team_ < fibres ? q + c * team_ : q);
                read<K>(item_ + shape::place(first[c]), v[c]);
            }
#pragma unroll
            for (int i = 0; i < N; i += block) {
                CT before[count][block], sum[count][block];
                if constexpr (goes_out<K, 1>) {
#pragma unroll
                    for (int c = 0; c < count; ++c)
                        output_.template get<W, step<K>>(before[c], first[c] + i * step<K>);
                }
#pragma unroll
                for (int b = 0; b < block; b += wide)
#pragma unroll
                    for (int j = 0; j < N; ++j) {
                        const part column = *reinterpret_cast<const part*>(a + j * N + i + b);
#pragma unroll
                        for (int c = 0; c < count; ++c)
#pragma unroll
                            for (int w = 0; w < wide; ++w)
                                sum[c][b + w] = j == 0 ? mul(column.a[w], v[c][0])
                                                       : mad(column.a[w], v[c][j], sum[c][b + w]);
                    }
#pragma unroll
                for (int c = 0; c < count; ++c) {
                    if (q + c * team_ >= fibres) continue;
                    if constexpr (goes_out<K, 1>)
                        output_.template put<W, step<K>>(sum[c], before[c], first[c] + i * step<K>);
                    else
                        write_part<K, block>(first[c], i, sum[c]);
                }
            }
        }
    }

    template <int K, int wide>
    __device__ void write_part(int first, int i, const CT (&sum)[wide]) const {
        CT* const to = item_ + shape::place(first);
        if constexpr (along_memory<K>) {
            write_back<0>(to + shape::place(i), sum);
        } else {
#pragma unroll
            for (int w = 0; w < wide; ++w) to[shape::place((i + w) * step<K>)] = sum[w];
        }
    }

    CT* item_;
    const CT* factors_;
    const crew_type& crew_;
    const Output& output_;
    int lane_, team_;
};

// y := alpha*w + beta*y, or atomically y += alpha*w.
template <class CT, int N, int D, int W>
__global__ void __launch_bounds__(item_shape<CT, N, D, W>::in_warp
                                      ? 32 * item_shape<CT, N, D, W>::crews
                                      : item_shape<CT, N, D, W>::most_block_threads,
                                  item_shape<CT, N, D, W>::least_blocks)
    kron_items(const __grid_constant__ item_parameters<CT> p) {
    using shape = item_shape<CT, N, D, W>;
    extern __shared__ __align__(16) unsigned char memory[];
    const crew_threads<shape::in_warp> crew;
    const int number = shape::in_warp ? static_cast<int>(threadIdx.x) / 32 : 0;
    const int64_t tiles = p.units * p.tiles;
    const int64_t chunks = (tiles + shape::items - 1) / shape::items;
    // Tiles of one item are neighbours and share their factors.
    const int64_t crews = static_cast<int64_t>(gridDim.x) * shape::crews;
    const int64_t me = static_cast<int64_t>(blockIdx.x) * shape::crews + number;
    const bool in_row = p.tiles > 1;
    const int64_t begin = in_row ? share(chunks, me, crews) : me;
    const int64_t end = in_row ? share(chunks, me + 1, crews) : chunks;
    const int64_t step = in_row ? 1 : crews;
    const int item = shape::in_warp ? crew.rank / (shape::in_warp ? shape::team : 1) : 0;
    const CT alpha = p.alpha.get(), beta = p.beta.get();
    if (equal(alpha, CT{})) return scale_outputs(p, p.tiles * shape::size, beta);
    const chunk_fetch<shape> fetch(p, crew);
    const bool adds = !equal(beta, CT{}) && !p.atomic;
    // Into the second-level cache, where there is no room for it yet. Outputs that are added to need the
    // cache.
    const auto prefetch = [&](int64_t chunk) {
        if (chunk >= end || p.in_step != 1 || adds) return;
        prefetch_run(input_of(p, origin_of<shape::size, W>(p, chunk * shape::items)), shape::size, crew);
    };
    chunk_buffers<shape> buffers(fetch, reinterpret_cast<CT*>(memory) + number * chunk_buffers<shape>::room);
    const auto start = [&](int64_t chunk, int buffer) {
        if (chunk < end) buffers.start(chunk, buffer);
        commit_copies();
    };
    start(begin, 0);
    int buffer = 0;
    for (int64_t chunk = begin; chunk < end; chunk += step) {
        int factor_buffer = buffers.factor_buffer();
        if constexpr (shape::buffers == 2) {
            start(chunk + step, buffer ^ 1);
            wait_for_copies<1>();
        } else {
            if (chunk != begin) start(chunk, 0);
            factor_buffer = 0;
            wait_for_copies<0>();
            if constexpr (W == 1 && shape::items == 1) prefetch(chunk + step);
        }
        crew.sync();
        item_output<CT> output{nullptr, p.out_step, p.inner, alpha, beta, adds, p.atomic != 0};
        using stages = item_stages<shape>;
        const int64_t tile = chunk * shape::items + item;
        if (stages::is_direct && tile < tiles) output.y = output_of(p, origin_of<shape::size, W>(p, tile));
        CT* const vectors = buffers.vectors(buffer) + fetch.shift_of(chunk);
        stages(vectors + shape::place(item * shape::size),
               buffers.factors(factor_buffer) + (fetch.has_one_set() ? 0 : item * shape::factor_stride), crew,
               output)
            .apply([&] {
                // No earlier: it would leave the cache again.
                if (adds) prefetch_outputs<CT, N, D, W>(p, crew, chunk);
            });
        if constexpr (!stages::is_direct)
            chunk_store<CT, N, D, W>(p, crew)(chunk, vectors, fetch.shift_of(chunk));
        crew.sync();
        if (shape::buffers == 2) buffer ^= 1;
    }
}

}  // namespace heron::HERON_LEVEL::kron_cuda
