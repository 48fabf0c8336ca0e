#pragma once
// How a crew has items on chip: how many, by how many lanes, and where their elements and factors are in
// shared memory.
#include "policy.cuh"
#include "tensor.cuh"

namespace heron::HERON_LEVEL::kron_cuda {

constexpr int warp_item_bytes = 4 * 1024;
// Of items that are not of powers of two, whose fibres seldom fill a block.
constexpr int most_warp_item_bytes = 8 * 1024;
// What a warp has on chip with both of its buffers.
constexpr int most_warp_chunk_bytes = 16 * 1024;
// Shared memory of a block where a multiprocessor is to hold two.
constexpr int most_item_bytes = 96 * 1024;
// Where it holds three.
constexpr int most_buffered_bytes = 76 * 1024;
// That of a block that has one to itself.
constexpr int most_block_bytes = 226 * 1024;

// Registers of data that a stage has use for where it keeps its factors.
template <class CT, int N, int G>
constexpr int stage_registers = (G * N * N + power(N, G) + N) * static_cast<int>(sizeof(CT)) / 4;

// D modes of tensors with an innermost run of W neighbours. `Outer` of them, one behind the other, have the
// same factors and count as one item.
template <class Element, int factor_rows, int D, int W, int Outer = 1>
struct item_shape {
    using CT = Element;
    static constexpr int N = factor_rows, modes = D, width = W;
    static constexpr int size = Outer * W * power(N, D);
    static constexpr int bytes = size * static_cast<int>(sizeof(CT));
    static constexpr int quad = 16 / static_cast<int>(sizeof(CT));  // elements of 16 bytes
    static constexpr bool in_thread = W > 1 ? false : size <= 16 || (size == 27 && sizeof(CT) <= 8);
    static constexpr bool is_odd_sized = W == 1 && D >= 3 && N >= 5 && !is_power_of_two(N) && sizeof(CT) <= 8;
    static constexpr bool in_warp = bytes <= (is_odd_sized ? most_warp_item_bytes : warp_item_bytes);

    // Two larger factors at once where there are fibres for the threads and, of 8-byte elements, registers.
    static constexpr int wanted_modes() {
        if (in_thread) return D;
        const bool is_real = std::is_same_v<CT, f32> || std::is_same_v<CT, f64>;
        const bool has_registers = sizeof(CT) == 4 ? N <= 7 : N <= 6 && D > 3 && bytes <= most_item_bytes;
        if (is_real && is_odd_sized && has_registers && (in_warp || size / (N * N) >= 64)) return 2;
        return fused_modes<CT, N> < D ? fused_modes<CT, N> : D;
    }
    static constexpr int modes_at_once = wanted_modes();

    // Items with factors that are worth registers and room.
    static constexpr bool has_large_factors = N >= 5 && (D >= 3 || W > 1);
    // Whether the factors of a stage stay in a thread's registers from fibre to fibre.
    template <int G>
    static constexpr bool keeps = has_large_factors && sizeof(CT) <= 8 ? stage_registers<CT, N, G> <= 130
                                                                       : keeps_factors<CT, N, G>;
    static constexpr bool is_streamed = modes_at_once == 1 && !keeps<1>;
    static constexpr bounds_row measured = row_of(item_bounds, {element_of<CT>, N, D, W});
    // Threads of a block for one item: as many as have the registers.
    static constexpr int most_block_threads =
        measured.threads > 0                                                               ? measured.threads
        : W > 1                                                                            ? 256
        : has_large_factors && !is_streamed && stage_registers<CT, N, modes_at_once> > 110 ? 384
                                                                                           : most_threads;

    // Whether the matrix units do it.
    static constexpr bool uses_tensor =
        std::is_same_v<CT, f64> && N == 8 &&
        ((W == 1 && (D == 2 || D == 3) && size == 512) || (W == 8 && D == 3 && Outer == 1));

    static constexpr bool uses_planes = std::is_same_v<CT, f64> && N == 16 && (D == 2 || D == 3) && W == 1;

    // Items whose factors take more room than they do: a warp has few of them, each with lanes for all of its
    // fibres.
    static constexpr bool has_heavy_factors = in_warp && D == 2 && N > 8 && W == 1 && bytes > 512;

    // Lanes of a team: as many as have fibres, most of the time.
    static constexpr int lanes() {
        const int fibres = size / power(N, modes_at_once);
        if (uses_planes) return 32;
        int lanes = 32;
        if (has_heavy_factors) {
            while (lanes / 2 >= fibres) lanes /= 2;
            return lanes;
        }
        if (is_odd_sized) {
            const auto has_idle = [&] { return fibres * 10 < (fibres + lanes - 1) / lanes * lanes * 8; };
            const int buffered = bytes * (bytes <= warp_item_bytes ? 2 : 1);
            while (!is_streamed && lanes > 8 && has_idle() && 64 / lanes * buffered <= most_warp_chunk_bytes)
                lanes /= 2;
        } else {
            while (lanes > 1 && (lanes > fibres || fibres * 10 < (fibres + lanes - 1) / lanes * lanes * 7))
                lanes /= 2;
        }
        // Fewer items at a time where their factors are large.
        while (lanes < 32 &&
               32 / lanes * (size + D * N * N) * static_cast<int>(sizeof(CT)) > most_item_bytes / 2)
            lanes *= 2;
        return lanes;
    }
    static constexpr int team = in_warp ? lanes() : 0;

    // Fibres that a thread takes at once where it reads the factor from shared memory.
    static constexpr int streamed_fibres() {
        if (has_heavy_factors) return 1;
        if (D < 3 || W > 1 || N < 9 || sizeof(CT) < 8) return fibres_at_once<CT, N>;
        if (!in_warp) return N % 2 == 1 && sizeof(CT) == 8 ? 3 : fibres_at_once<CT, N>;
        const int needed = (size / N + 31) / 32;
        return needed < 4 ? needed : 4;
    }
    static constexpr int streamed_at_once = streamed_fibres();
    static constexpr int per_thread = is_streamed ? streamed_at_once : 1;
    static constexpr int items = in_warp ? 32 / team : 1;

    // An element's place in shared memory. For powers of two there is a gap of 16 bytes in every 128 (and for
    // 4-byte elements and N other than 8 another one), so that fibres of any mode meet all banks. Additive
    // where the elements' numbers have no common bits.
    static constexpr bool has_gaps = is_power_of_two(N * W);
    __host__ __device__ static constexpr int place(int element) {
        if (uses_tensor) return W == 1 ? tensor_cube_place(element) : tensor_runs_place(element);
        if (uses_planes) return tensor_planes_place(element);
        if (!has_gaps) return element;
        return element + element / (8 * quad) * quad +
               (sizeof(CT) == 4 && N != 8 ? element / (64 * quad) * (4 * quad) : 0);
    }
    static constexpr int chunk = items * size;
    // Chunks that do not begin at multiples of 16 bytes lie as far from one in shared memory too.
    static constexpr bool shifts = W == 1 && chunk % quad != 0 && !has_gaps;
    static constexpr int last_place = place(chunk - 1) + (shifts ? quad - 1 : 0);
    static constexpr int chunk_room =
        (uses_tensor && W > 1) || uses_planes ? chunk : (last_place + quad) / quad * quad;

    // Large factors begin at multiples of 16 bytes. Those of items next to each other lie an odd number of
    // accesses apart.
    static constexpr int factor_size = D * N * N;
    static constexpr int factor_pitch = has_large_factors ? (N * N + quad - 1) / quad * quad : N * N;
    static constexpr bool spaces_factors = D * factor_pitch % quad == 0 && items > 1;
    static constexpr int factor_stride =
        spaces_factors ? (D * factor_pitch / quad | 1) * quad : D * factor_pitch;
    static constexpr int factor_room = uses_tensor   ? tensor_factor_place(factor_size)
                                       : uses_planes ? tensor_wide_factor_place(factor_size)
                                                     : (items * factor_stride + quad - 1) / quad * quad;
    // Whether 16 bytes of factors that follow each other are such in shared memory.
    static constexpr bool copies_factor_quads =
        N * N % quad == 0 || (factor_stride == factor_size && items * factor_size % quad == 0);

    // Whether tiles that a crew has at a time are of one item, of which each has so many, with the same
    // factors.
    __host__ __device__ static constexpr bool has_one_set(int64_t tiles) {
        return items == 1 || (N * N % quad == 0 && tiles > 1 && tiles % items == 0);
    }

    static constexpr int buffer_bytes = (chunk_room + factor_room) * static_cast<int>(sizeof(CT));
    static constexpr bool is_buffered =
        in_warp ? bytes <= warp_item_bytes : 2 * buffer_bytes <= most_buffered_bytes;
    static constexpr int buffers = is_buffered ? 2 : 1;
    static constexpr bool fits = buffer_bytes <= most_block_bytes;
    // Crews of a block.
    __host__ __device__ static constexpr int crews_with(int bytes_each) {
        int crews = in_warp ? 4 : 1;
        while (crews > 1 && crews * bytes_each > most_item_bytes) crews /= 2;
        return crews;
    }
    static constexpr int crews = crews_with(buffers * buffer_bytes);
    static constexpr int shared_bytes = crews * buffers * buffer_bytes;

    // Blocks that a multiprocessor is to have registers for; 0: the compiler's choice.
    static constexpr int least_blocks = has_heavy_factors && sizeof(CT) == 8 ? 4 : measured.blocks;
};

}  // namespace heron::HERON_LEVEL::kron_cuda
