#pragma once
// Products by warp groups, on compute capability 9.0: one warp of a block brings panels of both operands into
// shared memory by bulk copies, as many steps ahead as there is room for, and each of its warp groups
// multiplies 64 lines of the first operand by all lines of the second. A block goes from tile to tile, and
// its copies run ahead into the next one. Lines are rows of op(A) or columns of op(B), and neighbours of a
// column of C are stored together.
#include "kernel.cuh"
#include "wgmma.cuh"
#include "wgmma_registers.cuh"
#include "common/dialect/dialect.hpp"

namespace heron::HERON_LEVEL::dense_cuda {

// Which numbers are multiplied, and the steps of one instruction.
struct f16_input {
    using storage = f16;
    static constexpr int depth = 16;
    static constexpr bool takes_lines = true;
};
struct bf16_input {
    using storage = bf16;
    static constexpr int depth = 16;
    static constexpr bool takes_lines = true;
};
struct tf32_input {
    using storage = f32;
    static constexpr int depth = 8;
    static constexpr bool takes_lines = false;  // but by registers
};

struct wgmma_product {
    CUtensorMap first, second;
    int64_t first_lines, second_lines, k, count;
    int first_items, second_items;  // 0 where all items have the same operand
    scalar<f32> alpha, beta;
    places c;
    int64_t ldc;
};

// How the operands lie. lines: neighbours in memory are neighbours among the lines; depth: along the inner
// dimension. registers: a first operand of TF32 that lies by lines goes through registers.
enum class wgmma_layout { depth, lines, registers };

// A tile of C has 64 lines of the first operand for each of the groups, and SecondLines of the second.
// first_is_a: these are rows of C, otherwise columns.
template <class Input, int Groups, int SecondLines, int Stages, int Blocks, wgmma_layout First,
          wgmma_layout Second, bool FirstIsA>
struct wgmma_tile {
    using input = Input;
    using VT = typename Input::storage;
    // Where its sums and the first operand would not fit into what registers there are for all, the warp
    // groups that multiply take some of another one, one warp of which copies.
    static constexpr bool takes_registers = First == wgmma_layout::registers && SecondLines == 256;
    static constexpr int groups = Groups, stages = Stages, blocks = Blocks, multiplying = 128 * Groups;
    static constexpr int threads = multiplying + (takes_registers ? 128 : 32);
    static constexpr int first_lines = 64 * Groups, second_lines = SecondLines;
    static constexpr int sums = SecondLines / 2;  // of a thread
    static constexpr bool first_by_lines = First != wgmma_layout::depth,
                          second_by_lines = Second == wgmma_layout::lines;
    static constexpr bool in_registers = First == wgmma_layout::registers, first_is_a = FirstIsA;
    // Of a line by depth; by lines it is the length of a block of lines, each step of which is there.
    static constexpr int row_bytes = 128, depth = row_bytes / static_cast<int>(sizeof(VT)),
                         block_lines = depth;
    static constexpr int block_bytes = depth * row_bytes;
    static constexpr int first_bytes = first_lines * row_bytes, second_bytes = second_lines * row_bytes;
    static constexpr int stage_bytes = first_bytes + second_bytes;
    static constexpr int alignment = 1024;  // of the pattern of swizzled bytes
    static constexpr int shared_bytes = stages * stage_bytes + alignment;
    static_assert(!(first_by_lines || second_by_lines) || Input::takes_lines || in_registers);
    static_assert(!in_registers || std::is_same_v<VT, f32>);
};

#if HERON_HAS_WGMMA

template <int turns_first, int turns_second, int size>
static __device__ __forceinline__ void multiply_tiles(f16_input, float (&d)[size], uint64_t first,
                                                      uint64_t second, int adds) {
    multiply_f16<turns_first, turns_second>(d, first, second, adds);
}
template <int turns_first, int turns_second, int size>
static __device__ __forceinline__ void multiply_tiles(bf16_input, float (&d)[size], uint64_t first,
                                                      uint64_t second, int adds) {
    multiply_bf16<turns_first, turns_second>(d, first, second, adds);
}
template <int turns_first, int turns_second, int size>
static __device__ __forceinline__ void multiply_tiles(tf32_input, float (&d)[size], uint64_t first,
                                                      uint64_t second, int adds) {
    multiply_tf32_groups<turns_first, turns_second>(d, first, second, adds);
}

// Which panel comes next, and the parity of its barriers' phases.
template <int stages>
struct stage_counter {
    int stage = 0;
    unsigned parity = 0;

    __device__ void advance() {
        if (++stage == stages) {
            stage = 0;
            parity ^= 1;
        }
    }
};

template <class Tile>
class wgmma_block {
  public:
    using VT = typename Tile::VT;

    struct barriers {
        uint64_t full[Tile::stages], empty[Tile::stages];
    };

    __device__ wgmma_block(const wgmma_product& p, unsigned char* shared, barriers& at)
        : p_(p),
          shared_(shared),
          at_(at),
          steps_(reads(p) ? static_cast<int>(tiles_of(p.k, Tile::depth)) : 0) {}

    __device__ void run() {
        if (threadIdx.x == 0) {
            for (int s = 0; s < Tile::stages; ++s) {
                begin_barrier(at_.full + s, 1);
                begin_barrier(at_.empty + s, 4 * Tile::groups);
            }
            show_to_async_proxy();
        }
        __syncthreads();
        if (threadIdx.x >= Tile::multiplying) {
            if constexpr (Tile::takes_registers) leave_registers<40>();
            if (threadIdx.x == Tile::multiplying) bring_all();
        } else {
            if constexpr (Tile::takes_registers) take_registers<232>();
            multiply_all();
        }
    }

  private:
    struct unit_place {
        int item, first, second;
    };

    static __device__ bool reads(const wgmma_product& p) { return p.k > 0 && p.alpha.get() != 0; }

    template <class F>
    __device__ void each_tile(F&& f) const {
        const auto first_tiles = static_cast<unsigned>(tiles_of(p_.first_lines, Tile::first_lines));
        const auto second_tiles = static_cast<unsigned>(tiles_of(p_.second_lines, Tile::second_lines));
        const unsigned per_item = first_tiles * second_tiles,
                       all = per_item * static_cast<unsigned>(p_.count);
        for (unsigned unit = blockIdx.x; unit < all; unit += gridDim.x) {
            const tile_place place = place_of(unit % per_item, second_tiles, first_tiles);
            f(unit_place{static_cast<int>(unit / per_item),
                         static_cast<int>(place.column) * Tile::first_lines,
                         static_cast<int>(place.row) * Tile::second_lines});
        }
    }

    // One thread's work.
    __device__ void bring_all() {
        prefetch_map(&p_.first);
        prefetch_map(&p_.second);
        stage_counter<Tile::stages> next;
        each_tile([&](const unit_place& at) {
            for (int s = 0; s < steps_; ++s, next.advance()) {
                wait_for_phase(at_.empty + next.stage, next.parity ^ 1);
                bring_step(at, s * Tile::depth, shared_ + next.stage * Tile::stage_bytes,
                           at_.full + next.stage);
            }
        });
    }

    __device__ void bring_step(const unit_place& at, int step, unsigned char* to, uint64_t* barrier) {
        arrive_announcing(barrier, Tile::stage_bytes);
        bring_panel<Tile::first_by_lines, Tile::first_lines>(p_.first, at.first, step,
                                                             at.item * p_.first_items, to, barrier);
        bring_panel<Tile::second_by_lines, Tile::second_lines>(
            p_.second, at.second, step, at.item * p_.second_items, to + Tile::first_bytes, barrier);
    }

    template <bool by_lines, int lines>
    static __device__ void bring_panel(const CUtensorMap& map, int line, int step, int item,
                                       unsigned char* to, uint64_t* barrier) {
        if constexpr (by_lines) {
#pragma unroll
            for (int b = 0; b < lines / Tile::block_lines; ++b)
                copy_box(to + b * Tile::block_bytes, &map, line + b * Tile::block_lines, step, item, barrier);
        } else {
            copy_box(to, &map, step, line, item, barrier);
        }
    }

    // A warp group's work.
    __device__ void multiply_all() {
        stage_counter<Tile::stages> next;
        each_tile([&](const unit_place& at) {
            float sums[Tile::sums];
            if (steps_ == 0)
                clear(sums);
            else if constexpr (Tile::in_registers)
                add_steps_by_registers(sums, next);
            else
                add_steps(sums, next);
            store(at, sums);
        });
    }

    static __device__ __forceinline__ void clear(float (&sums)[Tile::sums]) {
#pragma unroll
        for (float& s : sums) s = 0;
    }

    // A panel is free again when the products after its own have begun and its own have ended.
    __device__ __forceinline__ void add_steps(float (&sums)[Tile::sums], stage_counter<Tile::stages>& next) {
        int last = 0;
#pragma unroll 1
        for (int s = 0; s < steps_; ++s, next.advance()) {
            wait_for_phase(at_.full + next.stage, next.parity);
            begin_products();
            add_step(sums, next.stage, s > 0);
            commit_products();
            if (s > 0) {
                wait_for_products<1>();
                release(last);
            }
            last = next.stage;
        }
        end_products(sums, last);
    }

    __device__ __forceinline__ void end_products(float (&sums)[Tile::sums], int last) {
        wait_for_products<0>();
        release(last);
        // The compiler does not know that the sums changed until here.
#pragma unroll
        for (float& sum : sums) asm volatile("" : "+f"(sum)::"memory");
    }

    __device__ __forceinline__ void add_step(float (&sums)[Tile::sums], int stage, int adds) {
        const unsigned panel = panel_address(stage);
        const uint64_t first =
            panel_descriptor<Tile::first_by_lines>(panel + threadIdx.x / 128 * 64 * Tile::row_bytes);
        const uint64_t second = panel_descriptor<Tile::second_by_lines>(panel + Tile::first_bytes);
#pragma unroll
        for (int i = 0; i < instructions; ++i)
            multiply_tiles<Tile::first_by_lines, Tile::second_by_lines>(
                typename Tile::input{}, sums, first + i * descriptor_step<Tile::first_by_lines>,
                second + i * descriptor_step<Tile::second_by_lines>, adds || i > 0);
    }

    static constexpr int instructions = Tile::depth / Tile::input::depth;  // of a panel

    __device__ unsigned panel_address(int stage) const {
        return shared_address(shared_) + static_cast<unsigned>(stage * Tile::stage_bytes);
    }

    // From one instruction's steps to the next ones', in descriptors: steps lie beside each other by depth
    // and 128 bytes apart by lines.
    template <bool by_lines>
    static constexpr uint64_t descriptor_step = (by_lines ? Tile::input::depth * Tile::row_bytes
                                                          : Tile::input::depth * sizeof(VT)) /
                                                16;

    template <bool by_lines>
    static __device__ uint64_t panel_descriptor(unsigned address) {
        constexpr unsigned eight_rows = 8 * Tile::row_bytes;
        return descriptor_of(address, by_lines ? Tile::block_bytes : 16, eight_rows);
    }

    // What a thread has of the first operand's panel: of each instruction two neighbouring lines of two
    // steps.
    using registers = unsigned[instructions][4];

    // While one group loads, another one multiplies.
    __device__ __forceinline__ void add_steps_by_registers(float (&sums)[Tile::sums],
                                                           stage_counter<Tile::stages>& next) {
#pragma unroll 1
        for (int s = 0; s < steps_; ++s, next.advance()) {
            registers first;
            wait_for_phase(at_.full + next.stage, next.parity);
            load(first, next.stage);
            const uint64_t second = panel_descriptor<false>(panel_address(next.stage) + Tile::first_bytes);
            begin_products();
#pragma unroll
            for (int i = 0; i < instructions; ++i)
                multiply_tf32_registers(sums, first[i], second + i * descriptor_step<false>, s > 0 || i > 0);
            commit_products();
            end_products(sums, next.stage);
        }
    }

    // A warp has 4 of the 8 16-byte chunks of a block's lines, of which the threads that load together meet
    // different banks: their steps are 4 different ones, whose chunks the swizzle exchanges within halves
    // of 4.
    __device__ __forceinline__ void load(registers& to, int stage) const {
        const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32,
                  step = lane % 4;
        const unsigned char* const from =
            shared_ + stage * Tile::stage_bytes + warp / 2 * Tile::block_bytes + lane / 4 % 2 * 8;
#pragma unroll
        for (int i = 0; i < instructions; ++i)
#pragma unroll
            for (int e = 0; e < 2; ++e) {
                const int l = 8 * i + 4 * e + step, chunk = chunk_of_thread() ^ (4 * e + step);
                const auto both = *reinterpret_cast<const uint2*>(from + l * Tile::row_bytes + chunk * 16);
                to[i][2 * e] = both.x;
                to[i][2 * e + 1] = both.y;
            }
    }

    // Of a block of lines.
    static __device__ int chunk_of_thread() {
        const int group = static_cast<int>(threadIdx.x) % 32 / 4, warp = static_cast<int>(threadIdx.x) / 32;
        return warp % 2 * 2 + group / 2 % 2 * 4 + group / 4;
    }

    __device__ void release(int stage) {
        if (threadIdx.x % 32 == 0) arrive(at_.empty + stage);
    }

    // The thread's first one of the first operand's lines in a tile, and from there to its other one.
    static __device__ int line_of_thread() {
        const int thread = static_cast<int>(threadIdx.x);
        if constexpr (Tile::in_registers)
            return thread / 64 * Tile::block_lines + chunk_of_thread() * 4 + thread / 4 % 2 * 2;
        return thread / 32 * 16 + thread % 32 / 4;
    }
    static constexpr int next_line = Tile::in_registers ? 1 : 8;

    struct alignas(2 * sizeof(VT)) neighbours {
        VT values[2];
    };

    // Where neighbours are stored together: C with its columns at multiples of two elements.
    struct c_tile {
        VT* c;
        int64_t ldc, rows, columns;
        float alpha, beta;
        bool is_aligned;
    };

    __device__ __forceinline__ void store(const unit_place& at, const float (&sums)[Tile::sums]) const {
        VT* const c = const_cast<VT*>(p_.c.template of<VT>(at.item));
        const bool is_aligned =
            (reinterpret_cast<uintptr_t>(c) % sizeof(neighbours) | static_cast<uintptr_t>(p_.ldc % 2)) == 0;
        const int first = at.first + line_of_thread(),
                  second = at.second + static_cast<int>(threadIdx.x) % 4 * 2;
        const c_tile to{c,
                        p_.ldc,
                        Tile::first_is_a ? p_.first_lines : p_.second_lines,
                        Tile::first_is_a ? p_.second_lines : p_.first_lines,
                        p_.alpha.get(),
                        p_.beta.get(),
                        is_aligned};
#pragma unroll
        for (int j = 0; j < Tile::second_lines / 8; ++j)
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                if constexpr (Tile::first_is_a) {
                    // Neighbours among the first operand's lines.
                    const float pair[2] = {sums[4 * j + i], sums[4 * j + i + 2]};
                    store_pair(to, first, second + 8 * j + i, pair);
                } else {
                    const float pair[2] = {sums[4 * j + 2 * i], sums[4 * j + 2 * i + 1]};
                    store_pair(to, second + 8 * j, first + next_line * i, pair);
                }
            }
    }

    static __device__ __forceinline__ void store_pair(const c_tile& t, int row, int column,
                                                      const float (&sums)[2]) {
        if (column >= t.columns) return;
        VT* const to = t.c + column * t.ldc + row;
        const auto left = static_cast<int>(t.rows - row);
        if (t.is_aligned && left >= 2) {
            store_neighbours(to, sums, t.alpha, t.beta);
        } else {
#pragma unroll
            for (int e = 0; e < 2; ++e)
                if (e < left)
                    heron::HERON_LEVEL::store(to[e],
                                              finished(sums[e], t.alpha, t.beta, t.beta != 0 ? to[e] : VT{}));
        }
    }

    static __device__ __forceinline__ void store_neighbours(VT* to, const float (&sums)[2], float alpha,
                                                            float beta) {
        auto* const both = reinterpret_cast<neighbours*>(to);
        neighbours old{}, values;
        if (beta != 0) old = *both;
#pragma unroll
        for (int e = 0; e < 2; ++e)
            heron::HERON_LEVEL::store(values.values[e], finished(sums[e], alpha, beta, old.values[e]));
        *both = values;
    }

    static __device__ float finished(float sum, float alpha, float beta, VT old) {
        const float value = alpha * sum;
        return beta != 0 ? beta * heron::HERON_LEVEL::load<f32>(old) + value : value;
    }

    static_assert(!Tile::first_is_a ||
                  Tile::in_registers);  // whose threads have neighbours among the first operand's lines

    const wgmma_product& p_;
    unsigned char* shared_;
    barriers& at_;
    int steps_;
};

#endif

template <class Tile>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    multiply_by_groups(const __grid_constant__ wgmma_product p) {
#if HERON_HAS_WGMMA
    extern __shared__ unsigned char bytes[];
    __shared__ typename wgmma_block<Tile>::barriers barriers;
    const unsigned misplaced = shared_address(bytes) % Tile::alignment;
    wgmma_block<Tile>(p, bytes + (Tile::alignment - misplaced) % Tile::alignment, barriers).run();
#endif
}

// Lines of an operand by depth, `length` elements apart, whatever their order was: 64 x 64 elements by a
// block.
constexpr int turned_at_once = 64, turning_threads = 256;
struct turned_lines {
    operand from;
    int64_t first_item, items, first_line, lines, depth, length;
};

template <class VT>
__global__ void __launch_bounds__(turning_threads)
    turn_lines(const __grid_constant__ turned_lines t, VT* to) {
    constexpr int size = turned_at_once, per_pass = turning_threads / size;
    __shared__ VT tile[size][size + 2 / sizeof(VT) + 1];
    const int64_t across = tiles_of(t.depth, size), per_item = across * tiles_of(t.lines, size);
    const int64_t item = blockIdx.x / per_item, within = blockIdx.x % per_item;
    const int64_t line = within / across * size, step = within % across * size;
    const VT* const from = t.from.at.template of<VT>(t.first_item + item);
    const int fast = static_cast<int>(threadIdx.x) % size, slow = static_cast<int>(threadIdx.x) / size;
    const bool by_depth = t.from.depth_step == 1;
#pragma unroll 8
    for (int n = slow; n < size; n += per_pass) {
        const int i = by_depth ? n : fast, l = by_depth ? fast : n;
        if (line + i < t.lines && step + l < t.depth)
            tile[i][l] = from[(t.first_line + line + i) * t.from.line_step + (step + l) * t.from.depth_step];
    }
    __syncthreads();
#pragma unroll 8
    for (int n = slow; n < size; n += per_pass)
        if (line + n < t.lines && step + fast < t.depth)
            to[(item * t.lines + line + n) * t.length + step + fast] = tile[n][fast];
}

}  // namespace heron::HERON_LEVEL::dense_cuda
