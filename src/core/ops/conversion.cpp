#include "conversion.hpp"
#include "reorder.hpp"
#include "core/element_types.hpp"
#include "core/submit.hpp"
#include <climits>

namespace heron::core {
namespace {

constexpr size_t index_size = sizeof(int32_t);
constexpr size_t order_alignment = 256;

void require_rows(const row_arrays& arrays) {
    require_count(arrays.rows, argument{role::a, part::rows});
    require_count(arrays.nnz, argument{role::a, part::nnz});
    if (arrays.nnz > INT_MAX - arrays.base)
        invalid(argument{role::a, part::nnz},
                fmt::format("{} with base {} does not fit into 32 bits", arrays.nnz, arrays.base));
    if (arrays.rows == 0 && arrays.nnz > 0)
        invalid(argument{role::a, part::nnz}, fmt::format("{} elements without a row", arrays.nnz));
    require_aligned(arrays.offsets, index_size, argument{role::a, part::offsets});
    require_aligned(arrays.indices, index_size, argument{role::a, part::indices});
    if (arrays.nnz == 0) return;
    required(arrays.offsets, argument{role::a, part::offsets});
    required(arrays.indices, argument{role::a, part::indices});
}

int64_t lines_of(const heron_spmat& m) {
    if (m.format == HERON_FORMAT_CSC) return m.cols;
    return m.rows / (m.format == HERON_FORMAT_BSR ? m.block_rows : 1);
}

// Throws unless the arrays of a matrix that has offsets are there, or not needed.
void require_elements(context& c, const heron_spmat& m, bool values, argument operand) {
    if (m.indices && (m.values || !values)) return;
    if (stored(c, m) == 0) return;
    required(m.indices, operand[part::indices]);
    required(m.values, operand[part::values]);
}

void validate_blocks(context& c, heron_spmat m, bool sorted) {
    if (!validating()) return;
    m.nnz = stored(c, m);
    validate_contents(c, m, argument{role::a, part::indices});
    if (sorted) validate_ascending(c, m, argument{role::a, part::indices});
}

bool is_empty(const heron_spmat& m) { return m.rows == 0 || m.cols == 0; }

// Throws where B's arrays lack while there are elements, or with HERON_VALIDATE=1 where a line cannot have as
// many.
void require_counts(context& c, const int32_t* counts, int64_t lines, const heron_spmat& b) {
    if (b.indices && b.values && !validating()) return;
    const int64_t length = b.format == HERON_FORMAT_CSC ? b.rows : b.cols;
    for (const int64_t count : download(c, counts, lines, HERON_INDEX_32)) {
        if (count < 0 || count > length) invalid(role::counts, fmt::format("has {}, out of range", count));
        if (count == 0) continue;
        required(b.indices, argument{role::b, part::indices});
        required(b.values, argument{role::b, part::values});
    }
}

// Columns are compared, and written, as elements of 32 bits.
void require_fits(int64_t size, argument a) {
    if (size > INT_MAX) invalid(a, fmt::format("{} elements do not fit into 32-bit indices", size));
}

void require_sizes(const heron_spmat& a) {
    require_fits(a.rows, {role::a, part::rows});
    require_fits(a.cols, {role::a, part::cols});
}

// One workspace serves the count and the conversion.
void measure(context& c, const phase_call& phase, const heron_reblock_args& args) {
    const size_t counting = workspace_size<operation::reblock_count>(c, args);
    const size_t filling = workspace_size<operation::reblock>(c, args);
    *required(phase.size, role::workspace_size) = std::max({counting, filling, least_workspace});
}

}  // namespace

int64_t stored(context& c, const heron_spmat& m) {
    const int64_t lines = lines_of(m);
    const auto* const offsets = static_cast<const int32_t*>(m.offsets);
    return download(c, offsets + lines, 1, HERON_INDEX_32)[0] - download(c, offsets, 1, HERON_INDEX_32)[0];
}

void pointers_to_indices(context& c, const row_arrays& arrays) {
    require_rows(arrays);
    if (arrays.nnz == 0) return;
    const heron_pointers_to_indices_args args{static_cast<const int32_t*>(arrays.offsets),
                                              static_cast<int32_t*>(arrays.indices), arrays.rows, arrays.nnz,
                                              arrays.base};
    submit<operation::pointers_to_indices>(c, run_in_own_scratch, args);
}

void indices_to_pointers(context& c, const row_arrays& arrays) {
    require_rows(arrays);
    if (arrays.rows > 0) required(arrays.offsets, argument{role::a, part::offsets});
    if (!arrays.offsets) return;
    const heron_indices_to_pointers_args args{static_cast<const int32_t*>(arrays.indices),
                                              static_cast<int32_t*>(arrays.offsets), arrays.rows, arrays.nnz,
                                              arrays.base};
    submit<operation::indices_to_pointers>(c, run_in_own_scratch, args);
}

void transpose(context& c, const phase_call& phase, const heron_spmat& a, const heron_spmat& b, bool values) {
    const heron_transpose_args args{a, b, values};
    if (phase.phase == HERON_PHASE_SIZE) return submit<operation::transpose>(c, phase, args, least_workspace);
    if (!is_empty(a)) {
        require_offsets(b, role::b);
        if (a.nnz > 0) {
            require_offsets(a, role::a);
            required(a.indices, argument{role::a, part::indices});
            required(b.indices, argument{role::b, part::indices});
            if (values) {
                required(a.values, argument{role::a, part::values});
                required(b.values, argument{role::b, part::values});
            }
            validate_contents(c, a, argument{role::a, part::indices});
        }
    }
    submit<operation::transpose>(c, phase, args);
}

void transpose_pattern(context& c, const phase_call& phase, const heron_spmat& a, const heron_spmat& b,
                       int32_t* order) {
    heron_spmat from = a, to = b;
    from.type = to.type = HERON_R_32I;
    to.values = order;
    const size_t places = (static_cast<size_t>(a.nnz) * index_size / order_alignment + 1) * order_alignment;
    if (phase.phase == HERON_PHASE_SIZE) {
        const size_t own = workspace_size<operation::transpose>(c, heron_transpose_args{from, to, true});
        *required(phase.size, role::workspace_size) = places + order_alignment + own;
        return;
    }
    require_aligned(order, index_size, role::permutation);
    if (a.nnz > 0) required(order, role::permutation);
    const auto begin = reinterpret_cast<uintptr_t>(required(phase.memory, role::workspace));
    from.values = reinterpret_cast<void*>((begin + order_alignment - 1) / order_alignment * order_alignment);
    identity_permutation(c, a.nnz, static_cast<int32_t*>(from.values));
    transpose(c, {HERON_PHASE_RUN, nullptr, static_cast<char*>(from.values) + places}, from, to, true);
}

void expand(context& c, const heron_spmat& a, const heron_dnmat& b) {
    heron_spmat from = a;
    if (!is_empty(a)) {
        require_offsets(a, role::a);
        const bool exactly = validating() || !a.indices || !a.values;
        from.nnz = exactly ? stored(c, a) : INT32_MAX;
    }
    sparse_to_dense(c, run_in_own_scratch, from, b);
}

void extract(context& c, const heron_dnmat& a, const int32_t* counts, const heron_spmat& b) {
    const int64_t lines = lines_of(b);
    require_arrays(a, role::a);
    require_aligned(counts, sizeof *counts, role::counts);
    if (lines > 0) {
        required(counts, role::counts);
        require_offsets(b, role::b);
        require_counts(c, counts, lines, b);
    }
    heron_prune_args offsets{};
    offsets.sparse.type = b.type;
    offsets.b = b;
    offsets.counts = const_cast<int32_t*>(counts);
    heron_dense_to_sparse_args elements{a, b, nullptr, nullptr, true};
    elements.b.nnz = INT32_MAX;
    if (b.format == HERON_FORMAT_CSC) {
        elements.a = transposed(a);
        elements.b.format = offsets.b.format = HERON_FORMAT_CSR;
        elements.b.rows = offsets.b.rows = b.cols;
        elements.b.cols = offsets.b.cols = b.rows;
    }
    submit<operation::prune>(c, run_in_own_scratch, offsets);
    if (!is_empty(b) && b.indices && b.values)
        submit<operation::dense_to_sparse>(c, run_in_own_scratch, elements);
}

void reblock_count(context& c, const phase_call& phase, const heron_spmat& a, const heron_spmat& b,
                   int32_t* nnz) {
    require_sizes(a);
    if (phase.phase == HERON_PHASE_SIZE) return measure(c, phase, {a, b, {nnz, 0}});
    const heron_reblock_args args{a, b, count_result(c, nnz)};
    if (!is_empty(a)) {
        require_offsets(a, role::a);
        require_offsets(b, role::b);
        require_elements(c, a, false, role::a);
        validate_blocks(c, a, b.format == HERON_FORMAT_BSR);
    }
    submit<operation::reblock_count>(c, phase, args);
}

void reblock(context& c, const phase_call& phase, const heron_spmat& a, const heron_spmat& b, bool values) {
    require_sizes(a);
    heron_reblock_args args{a, b, {nullptr, 0}};
    if (!values) args.b.values = nullptr;
    if (phase.phase == HERON_PHASE_SIZE) return measure(c, phase, args);
    if (!is_empty(a)) {
        require_offsets(a, role::a);
        require_offsets(b, role::b);
        require_elements(c, a, values, role::a);
        if (!b.indices || (values && !b.values)) {
            if (stored(c, a) != 0) {
                required(b.indices, argument{role::b, part::indices});
                required(b.values, argument{role::b, part::values});
            }
        }
        validate_blocks(c, a, b.format == HERON_FORMAT_BSR);
    }
    submit<operation::reblock>(c, phase, args);
}

}  // namespace heron::core
