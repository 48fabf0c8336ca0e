#pragma once
// How rows of a triangular system tell each other that they are solved. Blocks draw tickets, so that a row
// waits only for rows whose blocks are running or done. Everything that a solve leaves behind is stamped with
// its number, which the last block of a solve increments on the device: nothing has to be cleared between
// solves, and a solve that was captured in a graph can be replayed.
#include "cuda/runtime/warp.cuh"
#include <heron/args/factor.h>
#include <cstdint>

namespace heron::HERON_LEVEL {

static __device__ inline void store_relaxed(uint64_t* p, uint64_t value) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(value) : "memory");
}
// Each of the two words is one access; together they are none.
static __device__ inline void store_relaxed(unsigned* p, unsigned first, unsigned second) {
    asm volatile("st.relaxed.gpu.global.v2.u32 [%0], {%1, %2};" ::"l"(p), "r"(first), "r"(second) : "memory");
}
static __device__ inline void store_relaxed(uint64_t* p, uint64_t first, uint64_t second) {
    asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(p), "l"(first), "l"(second) : "memory");
}
static __device__ inline void store_relaxed(unsigned* p, unsigned first, unsigned second, unsigned third,
                                            unsigned fourth) {
    asm volatile("st.relaxed.gpu.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(first), "r"(second),
                 "r"(third), "r"(fourth)
                 : "memory");
}
// As load_relaxed_if() of one word.
static __device__ inline void load_relaxed_if(bool wanted, const unsigned* p, unsigned& first,
                                              unsigned& second) {
    asm volatile(
        "{.reg .pred q; setp.ne.s32 q, %2, 0;\n"
        "@q ld.relaxed.gpu.global.v2.u32 {%0, %1}, [%3];}"
        : "+r"(first), "+r"(second)
        : "r"(static_cast<int>(wanted)), "l"(p)
        : "memory");
}
static __device__ inline void load_relaxed_if(bool wanted, const uint64_t* p, uint64_t& first,
                                              uint64_t& second) {
    asm volatile(
        "{.reg .pred q; setp.ne.s32 q, %2, 0;\n"
        "@q ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%3];}"
        : "+l"(first), "+l"(second)
        : "r"(static_cast<int>(wanted)), "l"(p)
        : "memory");
}

static __device__ inline void load_relaxed_if(bool wanted, const unsigned* p, unsigned& first,
                                              unsigned& second, unsigned& third, unsigned& fourth) {
    asm volatile(
        "{.reg .pred q; setp.ne.s32 q, %4, 0;\n"
        "@q ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%5];}"
        : "+r"(first), "+r"(second), "+r"(third), "+r"(fourth)
        : "r"(static_cast<int>(wanted)), "l"(p)
        : "memory");
}

// Between the threads of a block, through shared memory.
static __device__ inline void post_in_block(unsigned* p, unsigned value) { atomicExch(p, value); }
static __device__ inline unsigned fetch_in_block(unsigned* p) { return atomicOr(p, 0u); }

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

// And last. The last of `blocks` blocks, all of the launch that have drawn a ticket, calls finish(), which
// sees what others have done before a fence, and makes the control ready for the next solve.
template <class F>
static __device__ inline void give_ticket_back(solve_control* control, block_ticket ticket, F&& finish,
                                               unsigned blocks = gridDim.x) {
    __syncthreads();
    if (threadIdx.x != 0 || atomicAdd(&control->blocks_done, 1u) != blocks - 1) return;
    finish();
    control->next_ticket = 0;
    control->blocks_done = 0;
    control->solves_done = ticket.stamp == 0xffffffffu ? 0u : ticket.stamp;
}
// Makes known what the rows of a solve have told of their pivots, if that is asked for.
static __device__ inline void give_ticket_back(solve_control* control, block_ticket ticket,
                                               heron_zero_pivot* pivots, unsigned blocks = gridDim.x) {
    const auto tell = [&] {
        if (!pivots) return;
        __threadfence();
        pivots->first = atomicExch(&pivots->next, HERON_NO_PIVOT);
    };
    give_ticket_back(control, ticket, tell, blocks);
}

// What one row hands to others: a value in 32-bit parts, each beside its stamp in one 64-bit word. Such a
// word is written and read as a whole, so that a reader who sees the stamps sees the value, without any
// fence.
template <class T>
struct mailbox {
    static constexpr int parts = words<T>::count;
    struct alignas(parts == 1 ? 8 : 16) slot {
        uint64_t part[parts];
    };

    static __device__ void post(slot* box, T value, unsigned stamp) {
        const slot s = packed(value, stamp);
        if constexpr (parts == 1)
            store_relaxed(box->part, s.part[0]);
        else
            for (int i = 0; i < parts; i += 2) store_relaxed(box->part + i, s.part[i], s.part[i + 1]);
    }
    // Looks into a box, if that is wanted; an empty slot opens as one that has not been posted.
    static __device__ void peek(bool wanted, const slot* box, slot& s) {
        if constexpr (parts == 1)
            load_relaxed_if(wanted, box->part, s.part[0]);
        else
            for (int i = 0; i < parts; i += 2)
                load_relaxed_if(wanted, box->part + i, s.part[i], s.part[i + 1]);
    }
    static __device__ bool open(const slot& s, T& value, unsigned stamp) {
        words<T> w;
        bool stamped = true;
        for (int i = 0; i < parts; ++i) {
            w.word[i] = static_cast<int>(static_cast<unsigned>(s.part[i]));
            stamped = stamped && static_cast<unsigned>(s.part[i] >> 32) == stamp;
        }
        if (stamped) value = from_words(w);
        return stamped;
    }
    // What has been posted, by a launch before.
    static __device__ T value_of(const slot& s) {
        words<T> w;
        for (int i = 0; i < parts; ++i) w.word[i] = static_cast<int>(static_cast<unsigned>(s.part[i]));
        return from_words(w);
    }
    // The same within a block, through shared memory. compute-sanitizer's racecheck reports these two
    // functions against each other, as it does all accesses that are no atomic operations; by those, chains
    // of rows take 11 to 20 % longer. By the PTX memory model there is no race:
    // * Volatile accesses have the semantics of relaxed ones of system scope. Both threads are within that
    // scope,
    //   and both access a whole aligned word of 64 bits, one at a time, or the other's not at all: the two
    //   are morally strong, so they are no data race, and a reader gets a word as some thread has written it.
    // * Each word has its stamp in it. A word whose stamp is this solve's has its part of the value too,
    // whatever
    //   has become of the slot's other words, and nothing but these words is handed over: no order among
    //   them, and so no fence, is needed.
    // * clear_in_block's plain writes come before draw_ticket's barrier and all other accesses after it. 0 is
    // no
    //   solve's stamp, and a slot is posted at most once per launch: a word changes once.
    // tools/sanitize leaves out what racecheck says of this pair in sweep_rows, and nothing else.
    static __device__ void clear_in_block(slot* box) {
        for (int i = 0; i < parts; ++i) box->part[i] = 0;
    }
    static __device__ void post_in_block(slot* box, T value, unsigned stamp) {
        const slot s = packed(value, stamp);
        for (int i = 0; i < parts; ++i) static_cast<volatile slot*>(box)->part[i] = s.part[i];
    }
    static __device__ bool fetch_in_block(const slot* box, T& value, unsigned stamp) {
        slot s;
        for (int i = 0; i < parts; ++i) s.part[i] = static_cast<const volatile slot*>(box)->part[i];
        return open(s, value, stamp);
    }

  private:
    static __device__ slot packed(T value, unsigned stamp) {
        const words<T> w = to_words(value);
        slot s;
        for (int i = 0; i < parts; ++i)
            s.part[i] = static_cast<uint64_t>(stamp) << 32 | static_cast<unsigned>(w.word[i]);
        return s;
    }
};

}  // namespace heron::HERON_LEVEL
