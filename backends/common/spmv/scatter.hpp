#pragma once
// Products of COO matrices and transposed CSR matrices on GPUs that are added up where they fall (scatter.h).
#include "common/dialect/dialect_group.hpp"
#include "common/runtime/dispatch.hpp"
#include "common/scan/holder.hpp"
#include <algorithm>

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family scattered_products{"scan_holder spmv_scatter", "VA VX CT OT IT GROUP"};
#include "scatter.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// What suits a device.
struct scatter_policy {
    int64_t compute_units;
    int64_t sum_bytes;  // of local memory, for the sums of a group
};

// A product that adds to C, or to a vector of one column.
template <class VX, class CT>
struct scattered_operands {
    const heron_spmat& a;
    bool transposed;
    const VX* b;
    CT* c;
    int64_t rows, columns, batches;  // of C
    int64_t b_row_step, b_column_step, b_stride;
    int64_t c_row_step, c_column_step, c_stride;
    bool conjugate_a, conjugate_b;
    scalar_argument<CT> alpha;
};

enum class scatter_kind {
    whole,     // one launch: a group has all elements for its columns, and writes them
    by_sums,   // added up in local memory before C gets them
    by_places  // added to C
};

template <class Device, class VA, class VX, class CT, class OT, class IT, int GROUP>
class scattered_product {
    using program = kernels::spmv_scatter<VA, VX, CT, OT, IT, GROUP>;
    using kernel = typename program::scatter_products;

  public:
    scattered_product(Device& device, const scattered_operands<VX, CT>& p, const scatter_policy& policy)
        : device_(device), p_(p), policy_(policy), kind_(find_kind()) {}

    scatter_kind kind() const { return kind_; }

    // C := alpha*op(A)*B + beta*C if it is one launch, else C += alpha*op(A)*B.
    void run(const scalar_argument<CT>& beta) {
        const int bits = lane_bits();
        const int64_t tiles = quotient(p_.columns, int64_t{1} << bits);
        const int64_t shares = shares_for(tiles, bits);
        const int64_t elements = int64_t{program::team} >> bits;  // of a team at once
        const int64_t team_share = quotient(quotient(p_.a.nnz, shares * teams), elements) * elements;
        const heron_spmat& a = p_.a;
        const typename program::scattering s{p_.rows,
                                             p_.columns,
                                             a.rows,
                                             a.nnz,
                                             a.base,
                                             a.offsets_stride,
                                             a.indices_stride,
                                             a.values_stride,
                                             p_.b_row_step,
                                             p_.b_column_step,
                                             p_.b_stride,
                                             p_.c_row_step,
                                             p_.c_column_step,
                                             p_.c_stride,
                                             shares,
                                             std::max<int64_t>(team_share, elements),
                                             tiles,
                                             bits,
                                             p_.conjugate_a,
                                             p_.conjugate_b,
                                             has_sums(),
                                             kind_ == scatter_kind::whole};
        const auto* const columns = as<const IT>(a.indices);
        const auto* const rows = as<const IT>(a.row_indices);
        const bool is_coo = a.format == HERON_FORMAT_COO;
        const size_t sums = has_sums() ? static_cast<size_t>(p_.rows << bits) : 1;
        device_.template launch_groups<kernel>(
            kernels::scattered_products, shares * tiles * p_.batches,
            is_coo ? nullptr : as<const OT>(a.offsets), p_.transposed ? columns : rows,
            !is_coo         ? nullptr
            : p_.transposed ? rows
                            : columns,
            as<const VA>(a.values), p_.b, p_.c, s, p_.alpha.value, p_.alpha.device, beta.value, beta.device,
            local_memory{sums * sizeof(CT)});
    }

  private:
    static constexpr int64_t teams = GROUP / program::team;

    static int64_t quotient(int64_t a, int64_t b) { return (a + b - 1) / b; }

    bool has_sums() const { return kind_ != scatter_kind::by_places; }
    bool fits_sums(int bits) const { return p_.rows << bits <= policy_.sum_bytes / int64_t{sizeof(CT)}; }

    // A group's sums pay where it has several elements for each of them, and still all compute units work.
    scatter_kind find_kind() const {
        constexpr int64_t most_of_group = 8192;
        if (!fits_sums(0)) return scatter_kind::by_places;
        if (p_.a.nnz <= most_of_group) return scatter_kind::whole;
        const int64_t groups = p_.a.nnz / least_share() * p_.columns * p_.batches;
        return groups >= policy_.compute_units ? scatter_kind::by_sums : scatter_kind::by_places;
    }
    int64_t least_share() const {
        constexpr int64_t elements_of_sum = 4;
        return std::max<int64_t>(elements_of_sum * p_.rows, GROUP);
    }

    // Lanes beside each other for columns: where sums lie in memory, where these are neighbours there; in
    // local memory no more than leave every compute unit a group.
    int lane_bits() const {
        constexpr int most = 5;
        int bits = 0;
        const auto is_enough = [&] { return bits == most || int64_t{1} << bits >= p_.columns; };
        if (!has_sums()) {
            if (p_.c_column_step == 1)
                while (!is_enough()) ++bits;
            return bits;
        }
        const int64_t shares = kind_ == scatter_kind::whole ? 1 : p_.a.nnz / least_share();
        while (!is_enough() && fits_sums(bits + 1) &&
               shares * (p_.columns >> (bits + 1)) * p_.batches >= policy_.compute_units)
            ++bits;
        return bits;
    }

    int64_t shares_for(int64_t tiles, int bits) const {
        if (kind_ == scatter_kind::whole) return 1;
        constexpr int64_t groups_of_unit = 8, groups_with_sums = 2;
        const int64_t least = has_sums() ? least_share() : int64_t{GROUP} >> bits;
        const int64_t wanted =
            policy_.compute_units * (has_sums() ? groups_with_sums : groups_of_unit) / (tiles * p_.batches);
        return std::clamp<int64_t>(p_.a.nnz / least, 1, std::max<int64_t>(wanted, 1));
    }

    Device& device_;
    const scattered_operands<VX, CT> p_;
    const scatter_policy policy_;
    const scatter_kind kind_;
};

}  // namespace heron::HERON_LEVEL::plans
