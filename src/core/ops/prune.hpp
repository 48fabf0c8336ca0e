#pragma once
// Counting and dropping small elements of dense and CSR matrices.
#include "core/kept_memory.hpp"
#include "core/operations.hpp"
#include <optional>

namespace heron::core {

// The nonzero elements of A's rows, or columns, and in the handle's pointer mode their sum. Runs in the
// handle's scratch.
void count_nonzeros(context& c, const heron_dnmat& a, bool by_columns, int32_t* counts, int32_t* total);

// What is pruned, and the result B: CSR, with its own base and 32-bit indices.
struct prune_problem {
    bool is_dense = false;
    heron_dnmat dense{};
    heron_spmat sparse{};
    heron_spmat b{};
};

// A threshold in the handle's pointer mode. Throws for a number of the host that is negative or NaN.
heron_scalar prune_threshold(const context& c, const void* threshold, heron_type type);

// The workspace of both that follow.
void prune_size(context& c, const phase_call& phase, const prune_problem& p);
// Writes B's offsets and, in the handle's pointer mode, their number of elements.
void prune_count(context& c, const phase_call& phase, const prune_problem& p, const void* threshold,
                 int32_t* total);
// Reads B's offsets and writes its other arrays.
void prune(context& c, const phase_call& phase, const prune_problem& p, const void* threshold);

// The threshold that lets a share of the elements go, on its way from the count to the values.
class kept_threshold {
  public:
    // Its device address for work of this context, which forgets one on another device.
    void* on(context& c);
    // From now on there is one, of a matrix of this type.
    void found(heron_type type);
    // Throws where there is none of this type on the context's device.
    heron_scalar get(const context& c, heron_type type) const;

  private:
    kept_memory memory_;
    std::optional<heron_type> type_;
};

// The same by a percentage, 0 to 100. The count leaves its threshold for the values.
void prune_size(context& c, const phase_call& phase, const prune_problem& p, float percentage,
                kept_threshold& kept);
void prune_count(context& c, const phase_call& phase, const prune_problem& p, float percentage,
                 kept_threshold& kept, int32_t* total);
void prune(context& c, const phase_call& phase, const prune_problem& p, float percentage,
           const kept_threshold& kept);

// In two steps without a workspace of the caller's: the lengths of the rows that keep what is larger than
// the tolerance, whose sum is in the handle's pointer mode; then B of rows of these lengths. A has its
// offsets and values; in the first step its number of elements is not known.
void compress_count(context& c, const heron_spmat& a, double tolerance, int32_t* counts, int32_t* total);
void compress(context& c, const heron_spmat& a, double tolerance, const int32_t* counts,
              const heron_spmat& b);

}  // namespace heron::core
