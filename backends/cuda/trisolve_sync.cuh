#pragma once
// How rows of a triangular system tell each other that they are solved. Blocks draw tickets, so that a row
// waits only for rows whose blocks are running or done. Everything that a solve leaves behind is stamped with
// its number, which the last block of a solve increments on the device: nothing has to be cleared between
// solves, and a solve that was captured in a graph can be replayed.
#include "warp.cuh"
#include <cstdint>

namespace heron::HERON_LEVEL {

static __device__ inline unsigned load_relaxed(const unsigned* p) {
    unsigned value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
}
static __device__ inline unsigned load_acquire(const unsigned* p) {
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
}
static __device__ inline void store_release(unsigned* p, unsigned value) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
}
static __device__ inline uint64_t load_relaxed(const uint64_t* p) {
    uint64_t value;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(p) : "memory");
    return value;
}
static __device__ inline void store_relaxed(uint64_t* p, uint64_t value) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(value) : "memory");
}

// Zero before the first solve.
struct solve_control {
    unsigned next_ticket;
    unsigned blocks_done;
    unsigned solves_done;
};

// What a block knows of its solve.
struct block_ticket {
    unsigned number;
    unsigned stamp;  // of this solve; never 0
};

// Every thread of a block calls it first.
static __device__ inline block_ticket draw_ticket(solve_control* control) {
    __shared__ block_ticket drawn;
    if (threadIdx.x == 0)
        drawn = {atomicAdd(&control->next_ticket, 1u), load_relaxed(&control->solves_done) + 1u};
    __syncthreads();
    return drawn;
}

// And last. The last block of the launch makes the control ready for the next solve.
static __device__ inline void give_ticket_back(solve_control* control, block_ticket ticket) {
    __syncthreads();
    if (threadIdx.x != 0 || atomicAdd(&control->blocks_done, 1u) != gridDim.x - 1) return;
    control->next_ticket = 0;
    control->blocks_done = 0;
    control->solves_done = ticket.stamp == 0xffffffffu ? 0u : ticket.stamp;
}

// A value in 32-bit parts, each beside its stamp in one 64-bit word. Such a word is written and read as a
// whole, so that a reader who sees the stamps sees the value, without any fence.
template <class T>
struct mailbox {
    static constexpr int parts = words<T>::count;

    static __device__ void post(uint64_t* box, T value, unsigned stamp) {
        const words<T> w = to_words(value);
        for (int i = 0; i < parts; ++i) store_relaxed(box + i, packed(w.word[i], stamp));
    }
    static __device__ bool fetch(const uint64_t* box, T& value, unsigned stamp) {
        uint64_t word[parts];
        for (int i = 0; i < parts; ++i) word[i] = load_relaxed(box + i);
        return unpack(word, value, stamp);
    }
    // The same within a block, through shared memory.
    static __device__ void post_in_block(volatile uint64_t* box, T value, unsigned stamp) {
        const words<T> w = to_words(value);
        for (int i = 0; i < parts; ++i) box[i] = packed(w.word[i], stamp);
    }
    static __device__ bool fetch_in_block(const volatile uint64_t* box, T& value, unsigned stamp) {
        uint64_t word[parts];
        for (int i = 0; i < parts; ++i) word[i] = box[i];
        return unpack(word, value, stamp);
    }

  private:
    static __device__ uint64_t packed(int part, unsigned stamp) {
        return static_cast<uint64_t>(stamp) << 32 | static_cast<unsigned>(part);
    }
    static __device__ bool unpack(const uint64_t (&word)[parts], T& value, unsigned stamp) {
        words<T> w;
        bool stamped = true;
        for (int i = 0; i < parts; ++i) {
            w.word[i] = static_cast<int>(static_cast<unsigned>(word[i]));
            stamped = stamped && static_cast<unsigned>(word[i] >> 32) == stamp;
        }
        if (stamped) value = from_words(w);
        return stamped;
    }
};

}  // namespace heron::HERON_LEVEL
