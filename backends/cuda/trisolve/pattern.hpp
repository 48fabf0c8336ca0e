#pragma once
// What ANALYSE finds out about the pattern of a triangular system on a GPU.
#include "cuda/runtime/sort.hpp"
#include "common/trisolve/plan.hpp"

namespace heron::HERON_LEVEL {

// The triangle of op(A) by rows where that is not a CSR matrix's own. Its arrays lie in the workspace.
struct gathered_triangle {
    const int* offsets = nullptr;
    const int* columns = nullptr;
    const int* sources = nullptr;
};

// Memory for the gathering of `stored` elements.
struct gather_memory {
    gather_memory(workspace_layout& layout, int64_t n, int64_t stored);
    int64_t stored;
    array_pair keys, sources;
    unsigned* others;
    int* offsets;
    size_t sort_bytes;
    void* sort_memory;
};

gathered_triangle gather_triangle(cuda_device& device, const heron_trisolve_args& args,
                                  const gather_memory& memory);

struct solve_control;
struct row_schedule;
struct row_record;
struct grid_guess;

// Memory of a workspace that is set to zero.
struct zeroed_memory {
    void* begin;
    size_t bytes;  // a multiple of 16
};

// Memory for the ordering of n rows. Solves need the controls, the schedule, the records and the places.
struct order_memory {
    solve_control* controls;  // 2
    row_schedule* schedule;
    grid_guess* guess;
    unsigned* grid_starts;  // grid_room(n): where the rows of a level begin that lie in a plane
    row_record* records;    // n, in the order
    unsigned* places;       // n: of each row in the order
    unsigned* levels;       // n, zero: one more than the level
    unsigned* counts;       // n, zero: rows per level, then where the level begins
    zeroed_memory zeroed;   // levels, counts and what else a solve begins with
    unsigned* report;       // of the host's memory, or NULL: whether there are long rows
    unsigned long_rows, no_long_rows;
};
constexpr int64_t grid_room(int64_t n) { return n / 4; }

// Fewer rows run all at once in any order.
constexpr int64_t fewest_ordered_rows = 8192;

// Sorts the rows by levels where that lets more rows run at the same time than their own order does, and
// says so in the schedule, all on the device.
void order_by_levels(cuda_device& device, const heron_spmat& csr, bool lower, const order_memory& memory);
void order_by_levels(cuda_device& device, const gathered_triangle& triangle, int64_t n, int64_t stored,
                     bool lower, const order_memory& memory);

}  // namespace heron::HERON_LEVEL
