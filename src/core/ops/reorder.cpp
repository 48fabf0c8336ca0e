// Sorting, csru2csr and colouring: validation, quick returns, and the order that csru2csr keeps.
#include "reorder.hpp"
#include "core/element_types.hpp"
#include "core/submit.hpp"

namespace heron::core {
namespace {

void require_index_array(const int32_t* array, argument about) {
    require_element(array, sizeof *array, about);
}

heron_sort_rows_args rows_to_sort(const heron_spmat& a, int32_t* permutation) {
    heron_operation op = HERON_OP_NONE;
    const heron_spmat m = canonical(a, op);
    return {
        m.rows,      m.cols, m.nnz, static_cast<const int32_t*>(m.offsets), static_cast<int32_t*>(m.indices),
        permutation, m.base};
}

void require_pattern(context& c, const heron_spmat& a) {
    require_offsets(a, role::a);
    if (a.nnz > 0) require_index_array(static_cast<const int32_t*>(a.indices), {role::a, part::indices});
    validate_contents(c, a, role::a);
}

heron_permute_args permutation_of(void* array, int64_t count, size_t element_size, const int32_t* order,
                                  bool inverse) {
    return {count, static_cast<int64_t>(element_size), array, order, inverse};
}

// In whose workspace all steps of csru2csr and csr2csru fit.
size_t element_workspace(context& c, const heron_spmat& a) {
    const size_t sorting = workspace_size<operation::sort_rows>(c, rows_to_sort(a, nullptr));
    const size_t moving = workspace_size<operation::permute>(
        c, permutation_of(nullptr, a.nnz, std::max(size_of(a.type), sizeof(int32_t)), nullptr, false));
    return std::max({sorting, moving, least_workspace});
}

void require_elements(context& c, const phase_call& phase, const heron_spmat& a) {
    require_pattern(c, a);
    require_arrays(a, role::a);
    if (!phase.memory) workspace_missing(element_workspace(c, a));
}

void move_elements(context& c, const phase_call& phase, void* array, const heron_spmat& a, size_t size,
                   const int32_t* order, bool inverse) {
    run_in<operation::permute>(c, permutation_of(array, a.nnz, size, order, inverse), phase.memory);
}

}  // namespace

void sort_coordinates(context& c, const phase_call& phase, const coordinate_list& list, sort_order order) {
    require_count(list.rows, argument{role::a, part::rows});
    require_count(list.cols, argument{role::a, part::cols});
    require_count(list.nnz, argument{role::a, part::nnz});
    const bool by_row = order == sort_order::by_row;
    heron_sort_pairs_args args{list.nnz,         list.rows,    list.cols,
                               list.row_indices, list.indices, list.permutation};
    if (!by_row) {
        std::swap(args.major, args.minor);
        std::swap(args.majors, args.minors);
    }
    if (phase.phase == HERON_PHASE_RUN) {
        if (list.nnz == 0) return;
        require_index_array(list.row_indices, {role::a, part::row_indices});
        require_index_array(list.indices, {role::a, part::indices});
        require_aligned(list.permutation, sizeof(int32_t), role::permutation);
    }
    submit<operation::sort_pairs>(c, phase, args, least_workspace);
}

void sort_indices(context& c, const phase_call& phase, const heron_spmat& a, int32_t* permutation) {
    if (phase.phase == HERON_PHASE_RUN) {
        require_pattern(c, a);
        require_aligned(permutation, sizeof(int32_t), role::permutation);
        if (a.nnz == 0) return;
    }
    submit<operation::sort_rows>(c, phase, rows_to_sort(a, permutation), least_workspace);
}

void identity_permutation(context& c, int64_t count, int32_t* permutation) {
    require_count(count, role::count);
    if (count == 0) return;
    require_index_array(permutation, role::permutation);
    run_in<operation::identity_permutation>(c, heron_identity_permutation_args{count, permutation}, nullptr);
}

int32_t* element_order::reserve(context& c, int64_t nnz) {
    matrix_.reset();
    return static_cast<int32_t*>(memory_.at_least(static_cast<size_t>(nnz) * sizeof(int32_t), c));
}

void element_order::find_anew() { matrix_->offsets = matrix_->indices = nullptr; }

const int32_t* element_order::of(const context& c, const heron_spmat& a) const {
    const bool matches =
        matrix_ && matrix_->rows == a.rows && matrix_->cols == a.cols && matrix_->nnz == a.nnz;
    return matches ? static_cast<const int32_t*>(memory_.on(c)) : nullptr;
}

bool element_order::was_found_in(const heron_spmat& a) const {
    return matrix_ && matrix_->offsets == a.offsets && matrix_->indices == a.indices;
}

void sort_elements(context& c, const phase_call& phase, const heron_spmat& a, element_order& kept) {
    if (phase.phase == HERON_PHASE_SIZE) {
        size_t* const size = required(phase.size, role::workspace_size);
        const size_t bytes = element_workspace(c, a);
        if (kept.of(c, a))
            kept.find_anew();
        else
            kept.reserve(c, a.nnz);
        *size = bytes;
        return;
    }
    if (a.nnz == 0) return;
    require_elements(c, phase, a);
    const int32_t* order = kept.was_found_in(a) ? kept.of(c, a) : nullptr;
    if (order) {
        move_elements(c, phase, a.indices, a, sizeof(int32_t), order, false);
    } else {
        int32_t* const found = kept.reserve(c, a.nnz);
        identity_permutation(c, a.nnz, found);
        run_in<operation::sort_rows>(c, rows_to_sort(a, found), phase.memory);
        kept.keep(a);
        order = found;
    }
    move_elements(c, phase, a.values, a, size_of(a.type), order, false);
}

void unsort_elements(context& c, const phase_call& phase, const heron_spmat& a, const element_order& kept) {
    if (a.nnz == 0) return;
    require_elements(c, phase, a);
    const int32_t* const order = kept.of(c, a);
    if (!order) invalid(role::info, "holds no order of a matrix of this size on this device");
    move_elements(c, phase, a.indices, a, sizeof(int32_t), order, true);
    move_elements(c, phase, a.values, a, size_of(a.type), order, true);
}

void color_rows(context& c, const heron_spmat& a, const void* fraction, int32_t* color_count, int32_t* colors,
                int32_t* reordering) {
    const bool is_double = a.type == HERON_R_64F || a.type == HERON_C_64F;
    const heron_scalar share =
        scalar_argument(c, fraction, is_double ? HERON_R_64F : HERON_R_32F, role::fraction);
    if (!share.device && !(share.re >= 0 && share.re <= 1))
        invalid(role::fraction, fmt::format("{} is not in [0, 1]", share.re));
    required(color_count, role::color_count);
    if (a.rows > 0) {
        require_index_array(colors, role::coloring);
        require_aligned(reordering, sizeof(int32_t), role::reordering);
        require_pattern(c, a);
    }
    if (a.rows == 0) {
        *color_count = 0;
        return;
    }
    submit<operation::color>(c, run_in_own_scratch,
                             heron_color_args{a, share, color_count, colors, reordering});
}

}  // namespace heron::core
