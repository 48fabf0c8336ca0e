#pragma once
// What an argument is for. The core knows no public function's names: an error says which role is at fault,
// and the facade what its function calls that.
#include <cstdint>
#include <span>
#include <string>

namespace heron::core {

enum class role : uint8_t {
    none,
    handle,
    device,
    queue,
    backend,
    threads,
    log_level,
    log_mask,
    log_file,
    // Operands. A vector is x or y, a matrix a, b or c; the last one is the result.
    a,
    b,
    c,
    x,
    y,
    // Scalars.
    alpha,
    beta,
    cosine,
    sine,
    result,
    // How an operand is taken.
    operation_a,
    operation_b,
    order,
    fill,
    side,
    diagonal,
    type,
    compute_type,
    algorithm,
    // The problem's size where the operands have none: m, n, k, and the items of a batch.
    rows,
    columns,
    inner,
    count,
    // Memory of the caller's and its bytes. Numbered where there are several.
    workspace,
    workspace_size,
    new_values,
    fraction,
    // What an analysis is kept in, and the functions that an operation in phases is made of.
    analysis,
    size_phase,
    analysis_phase,
    estimate_phase,
    count_phase,
    copy_phase,
    // Of factorisations and of functions that keep what they found in an info.
    info,
    policy,
    position,
    tolerance,
    boost,
    // Diagonals of banded systems, from the lowest.
    second_lower,
    lower,
    main,
    upper,
    second_upper,
    // Of conversions, sorting, pruning and colouring.
    direction,
    action,
    base,
    mask,
    ends,
    counts,
    permutation,
    threshold,
    color_count,
    coloring,
    reordering,
    // Of a Kronecker product.
    dimensions,
    factors,
    vectors,
    output,
    groups,
    // Of the levels 1 and 2 of BLAS: the numbers of rotm, and the diagonals of a band.
    parameters,
    lower_bandwidth,
    upper_bandwidth,
    storage,
    result_type,
};

// What of an operand, where a function takes it apart.
enum class part : uint8_t {
    whole,
    rows,
    cols,
    nnz,
    size,
    offsets,
    row_indices,
    indices,
    values,
    type,
    offset_type,
    index_type,
    block_rows,
    block_cols,
    slice_size,
    values_size,
    ell_cols,
    ld,
    offset,
    extent,  // does not fit into its memory
    order,
    operation,
    batch_count,
    stride,
    offsets_stride,
    indices_stride,
    values_stride,
    kind,
    base,
    list,
    list_step,
    inc,
};

struct argument {
    constexpr argument(core::role r = core::role::none, core::part p = core::part::whole, int n = -1)
        : role(r), part(p), number(n) {}

    constexpr argument operator[](core::part p) const { return {role, p, number}; }

    core::role role;
    core::part part;
    int number;  // of several of this role, or of the item of a batch; negative: there is one
};

// What a function calls an argument. '#' stands for its number; without it the number is an item's.
struct argument_name {
    core::argument argument;
    const char* name;
};
using argument_names = std::span<const argument_name>;

// A function of a public API. Where neither its own names nor the API's have one for a part, the part comes
// behind the name of the whole, with the joint between them.
struct public_function {
    const char* name;
    argument_names own, api;
    const char* joint = ": ";

    // Empty when the argument has no name.
    std::string name_of(core::argument a) const;
};

}  // namespace heron::core
