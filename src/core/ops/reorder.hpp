#pragma once
// The typed calls of sorting and colouring. All offsets and indices have 32 bits.
#include "core/kept_memory.hpp"
#include "core/operations.hpp"
#include <optional>

namespace heron::core {

// Elements of a COO matrix by their places. rows and cols are not looked at but for their signs: numbers may
// be any. permutation may be NULL; else it is taken along.
struct coordinate_list {
    int64_t rows, cols, nnz;
    int32_t* row_indices;
    int32_t* indices;
    int32_t* permutation;
};

// Stably by row, then column, or by column, then row.
enum class sort_order { by_row, by_column };
void sort_coordinates(context& c, const phase_call& phase, const coordinate_list& list, sort_order order);

// The indices of every row of a CSR matrix, or column of a CSC one, stably. The values stay.
void sort_indices(context& c, const phase_call& phase, const heron_spmat& a, int32_t* permutation);

// permutation[k] := k for k < count
void identity_permutation(context& c, int64_t count, int32_t* permutation);

// The order that the elements of a CSR matrix had before they were sorted, in device memory of its own.
class element_order {
  public:
    // Memory for nnz elements on the context's device. Forgets the order.
    int32_t* reserve(context& c, int64_t nnz);
    void keep(const heron_spmat& a) { matrix_ = a; }
    // The order there is was found in no arrays, but still undoes what it did.
    void find_anew();
    // NULL unless it is the order of such a matrix on this device.
    const int32_t* of(const context& c, const heron_spmat& a) const;
    // Whether it was found in these very arrays.
    bool was_found_in(const heron_spmat& a) const;

  private:
    kept_memory memory_;
    std::optional<heron_spmat> matrix_;
};

// Sorts the rows of a CSR matrix in place, values too. The first call for these arrays leaves the order in
// `kept`; later ones apply it, whatever the arrays hold. SIZE makes room for the order, which the next call
// finds anew; until then that of a matrix of this size can be undone.
void sort_elements(context& c, const phase_call& phase, const heron_spmat& a, element_order& kept);
// Undoes that, in place. INVALID_VALUE without an order of a matrix of this size.
void unsort_elements(context& c, const phase_call& phase, const heron_spmat& a, const element_order& kept);

// Colours the rows of a square CSR matrix, whose values are not read, so that neighbours differ: at least the
// fraction, a real number of a's precision, of them in turn, and the others with colours of their own.
// *color_count is on the host. reordering may be NULL. Waits for the stream.
void color_rows(context& c, const heron_spmat& a, const void* fraction, int32_t* color_count, int32_t* colors,
                int32_t* reordering);

}  // namespace heron::core
