// SpMV on OpenCL: on a GPU CSR by tiles of equally many stored elements, BSR by blocks, transposed sliced
// ELLPACK of few rows by shares of these, and COO, and transposed CSR where y is short or the elements are
// few, added up where they fall; everything else by the shared plan.
#include "opencl/runtime/device.hpp"
#include "opencl/runtime/kernels.hpp"
#include "common/runtime/slot.hpp"
#include "columns.hpp"
#include "scattered.hpp"
#include "common/spmv/blocks.hpp"
#include "common/spmv/plan.hpp"
#include "common/vector/plan.hpp"
#include "common/runtime/known_scalars.hpp"
#include "common/runtime/plan_record.hpp"
#include <algorithm>
#include <memory>

namespace heron::opencl {
namespace {

constexpr kernel_family tuned{"spmv_tuned", "VA VX VY CT OT IT"};
template <class...>
struct csr_tile {
    static constexpr const char* name = "csr_tile";
};
template <class...>
struct csr_tile_finish {
    static constexpr const char* name = "csr_tile_finish";
};
template <class...>
struct csr_tile_scatter {
    static constexpr const char* name = "csr_tile_scatter";
};

constexpr kernel_family sharing{"spmv_sell", "VA VX VY CT OT IT"};
template <class...>
struct sell_share_scatter {
    static constexpr const char* name = "sell_share_scatter";
};

template <class...>
struct measure_rows {
    static constexpr const char* name = "measure_rows";
};
template <class...>
struct csr_row_tile {
    static constexpr const char* name = "csr_row_tile";
};

// These mirror spmv_tuned.cl.
template <class CT>
constexpr int small_tile = sizeof(CT) > 8 ? 1024 : 2048;
constexpr int64_t measured_rows = 3072;
constexpr int candidates[] = {8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512};
constexpr size_t candidate_count = std::size(candidates);
constexpr int64_t group_size = 256;
constexpr int64_t tile_bytes = 16384;
constexpr int64_t finish_items = 32;
constexpr uint64_t local_bytes_needed = 24 * 1024;

// Long tiles share one row search among more elements; a small matrix needs short ones to reach every compute
// unit.
int64_t tile_length(const device_traits& traits, int64_t nnz, int64_t element_bytes) {
    int64_t tile = tile_bytes / element_bytes;
    while (tile > group_size && nnz / tile < 4 * int64_t{traits.compute_units}) tile /= 2;
    return tile;
}

// How many items share a row of a sliced ELLPACK matrix, whose product is transposed: as many as fill the
// device, with several elements for each.
int64_t sell_shares(const device_traits& traits, const heron_spmat& a) {
    constexpr int64_t items_of_unit = 1024;
    constexpr int64_t least_elements = 4;
    const int64_t wanted = items_of_unit * traits.compute_units / a.rows;
    return std::max<int64_t>(std::min(wanted, a.values_size / (a.rows * least_elements)), 1);
}

// What ANALYSE finds out. It depends on nothing in the workspace, and the kernel is right for any matrix.
struct row_plan final : plan_of<row_plan> {
    int rows_per_tile = 0;  // 0: the matrix is not one for it
};

// How the products of a COO matrix or of a transposed CSR matrix are added up in a vector of compute type.
template <class VX, class CT>
plans::scattered_operands<VX, CT> scattered_vectors(const heron_spmv_args& args, CT* sums) {
    return {.a = args.a,
            .transposed = plans::is_transposed(args.op),
            .b = as<const VX>(args.x.values),
            .c = sums,
            .rows = args.y.size,
            .columns = 1,
            .batches = 1,
            .b_row_step = 1,
            .b_column_step = args.x.size,
            .b_stride = 0,
            .c_row_step = 1,
            .c_column_step = args.y.size,
            .c_stride = 0,
            .conjugate_a = plans::is_conjugated(args.op),
            .conjugate_b = false,
            .alpha = as_argument<CT>(args.alpha)};
}

// y takes the additions itself where it has the compute type; else a workspace does.
template <class VA, class VX, class VY, class CT, class OT, class IT>
class scattered_spmv {
    static constexpr bool adds_into_y = std::is_same_v<VY, CT>;

  public:
    scattered_spmv(opencl_device& device, heron_phase phase, const heron_spmv_args& args,
                   heron_workspace& workspace)
        : device_(device), phase_(phase), args_(args), layout_(phase, workspace) {}

    void apply() {
        CT* const sums = accumulator();
        if (phase_ != HERON_PHASE_RUN) return;
        const scalar_argument<CT> beta =
            adds_into_y ? as_argument<CT>(args_.beta) : scalar_argument<CT>{CT{}, nullptr};
        with_scattered_product<VA, VX, CT, OT, IT>(
            device_, scattered_vectors<VX>(args_, sums), [&](auto product) {
                if (product.kind() != plans::scatter_kind::whole && !is_known_one(beta))
                    device_.launch<kernels::scale<CT, CT, IT>>(kernels::vector, args_.y.size, sums,
                                                               beta.value, beta.device);
                product.run(beta);
            });
        finish(sums);
    }

  private:
    CT* accumulator() {
        if constexpr (adds_into_y)
            return as<CT>(args_.y.values);
        else
            return layout_.template take<CT>(args_.y.size);
    }

    // alpha is in the sums already.
    void finish(const CT* sums) {
        if constexpr (!adds_into_y) {
            const scalar_argument<CT> unit{scalar_value<CT>(1, 0), nullptr};
            const auto beta = as_argument<CT>(args_.beta);
            device_.launch<kernels::finish<VA, VX, VY, CT, OT, IT>>(kernels::spmv, args_.y.size, sums,
                                                                    as<VY>(args_.y.values), unit.value,
                                                                    unit.device, beta.value, beta.device);
        }
    }

    opencl_device& device_;
    const heron_phase phase_;
    const heron_spmv_args& args_;
    workspace_layout layout_;
};

template <class VA, class VX, class VY, class CT, class OT, class IT>
class tiled_spmv {
  public:
    tiled_spmv(opencl_device& device, heron_phase phase, const heron_spmv_args& args,
               heron_workspace& workspace)
        : device_(device), phase_(phase), args_(args), workspace_(workspace), layout_(phase, workspace) {}

    void apply() { plans::is_transposed(args_.op) ? transposed() : rows(); }

  private:
    template <template <class...> class Kernel, class... Args>
    void launch(int64_t groups, Args... args) {
        device_.launch_groups<Kernel<VA, VX, VY, CT, OT, IT>>(tuned, groups, group_size, args...);
    }

    void rows() {
        heron_index* const head_row = layout_.take<heron_index>(tiles_);
        CT* const head = layout_.take<CT>(tiles_);
        CT* const carry = layout_.take<CT>(tiles_);
        int* const most = layout_.take<int>(candidate_count + 1);
        if (phase_ == HERON_PHASE_ANALYSE) analyse_rows(most);
        if (phase_ != HERON_PHASE_RUN) return;
        const auto* const plan = plan_as<row_plan>(workspace_.plan);
        if (plan && plan->rows_per_tile > 0) return multiply_rows(plan->rows_per_tile);
        const heron_spmat& a = args_.a;
        launch<csr_tile>(tiles_, offsets(), indices(), values(), a.rows, a.nnz, static_cast<int>(tile_),
                         base(), conjugate(), x(), y(), alpha_.value, alpha_.device, beta_.value,
                         beta_.device, head_row, head, carry);
        launch<csr_tile_finish>((tiles_ * finish_items + group_size - 1) / group_size, offsets(), tiles_,
                                static_cast<int>(tile_), base(), y(), alpha_.value, alpha_.device,
                                beta_.value, beta_.device, static_cast<const heron_index*>(head_row),
                                static_cast<const CT*>(head), static_cast<const CT*>(carry));
    }

    void multiply_rows(int rows_per_tile) {
        launch<csr_row_tile>(quotient_up(args_.a.rows, rows_per_tile), offsets(), indices(), values(),
                             args_.a.rows, rows_per_tile, base(), conjugate(), x(), y(), alpha_.value,
                             alpha_.device, beta_.value, beta_.device);
    }

    // Waits for the device.
    void analyse_rows(int* most) {
        device_.fill(most, 0, (candidate_count + 1) * sizeof *most);
        launch<measure_rows>(quotient_up(args_.a.rows, measured_rows), offsets(), args_.a.rows, most);
        int found[candidate_count + 1] = {};
        device_.read(found, most, sizeof found);
        auto plan = std::make_unique<row_plan>();
        plan->rows_per_tile = rows_per_tile(found);
        workspace_.plan = plan.release();
    }

    // As many as fit a small tile everywhere; 0 where that leaves most of a tile empty, and for rows so long
    // that few fit.
    int rows_per_tile(const int (&most)[candidate_count + 1]) const {
        constexpr double least_filled = 0.4;
        constexpr double longest_mean = sizeof(CT) <= 4 ? 20 : 32;
        const int largest = candidates[candidate_count - 1];
        const int by_longest = small_tile<CT> / std::max(most[candidate_count], 1) / 8 * 8;
        int best = std::min(by_longest, largest);
        for (size_t c = 0; c < candidate_count; ++c)
            if (most[c] <= small_tile<CT>) best = std::max(best, candidates[c]);
        const double mean = static_cast<double>(args_.a.nnz) / static_cast<double>(args_.a.rows);
        if (mean > longest_mean) return 0;
        if (best < largest && best * mean < least_filled * small_tile<CT>) return 0;
        // A small matrix reaches every compute unit by small tiles.
        while (best > candidates[0] && args_.a.rows / best < 4 * int64_t{device_.traits().compute_units})
            best /= 2;
        return best;
    }

    // Where y has the compute type it takes the atomic adds itself; else a workspace does, as in the shared
    // plan.
    void transposed() {
        if constexpr (std::is_same_v<VY, CT>)
            if (by_columns()) return;
        if (groups_add_up())
            return scattered_spmv<VA, VX, VY, CT, OT, IT>(device_, phase_, args_, workspace_).apply();
        if constexpr (std::is_same_v<VY, CT>) {
            if (phase_ != HERON_PHASE_RUN) return;
            if (!is_known_one(beta_))
                device_.launch<kernels::scale<VY, CT, IT>>(kernels::vector, args_.y.size, y(), beta_.value,
                                                           beta_.device);
            scatter(y(), 1);
        } else {
            CT* const acc = layout_.take<CT>(args_.y.size);
            if (phase_ != HERON_PHASE_RUN) return;
            device_.fill(acc, 0, static_cast<size_t>(args_.y.size) * sizeof(CT));
            scatter(acc, 0);
            device_.launch<kernels::finish<VA, VX, VY, CT, OT, IT>>(
                kernels::spmv, args_.y.size, static_cast<const CT*>(acc), y(), alpha_.value, alpha_.device,
                beta_.value, beta_.device);
        }
    }

    // Whether y is so short, or the elements so few, that groups add up in local memory.
    bool groups_add_up() {
        if (args_.a.format != HERON_FORMAT_CSR || !takes_scattered_products(device_.traits())) return false;
        plans::scatter_kind kind{};
        with_scattered_product<VA, VX, CT, OT, IT>(device_, scattered_vectors<VX, CT>(args_, nullptr),
                                                   [&](const auto& product) { kind = product.kind(); });
        return kind != plans::scatter_kind::by_places;
    }

    // True if there is nothing left to do in this phase.
    bool by_columns() {
        if (!serves_columns(args_)) return false;
        if (phase_ == HERON_PHASE_RUN) return multiply_by_columns(device_, args_, workspace_);
        analyse_columns(device_, phase_, args_, workspace_);
        return true;
    }

    void scatter(CT* acc, int apply_alpha) {
        const heron_spmat& a = args_.a;
        if (a.format == HERON_FORMAT_SELL) {
            const int64_t shares = sell_shares(device_.traits(), a);
            device_.launch<sell_share_scatter<VA, VX, VY, CT, OT, IT>>(
                sharing, a.rows * shares, offsets(), indices(), values(), heron_index{a.rows},
                heron_index{a.slice_size}, heron_index{shares}, base(), conjugate(), x(), acc, apply_alpha,
                alpha_.value, alpha_.device);
            return;
        }
        launch<csr_tile_scatter>(tiles_, offsets(), indices(), values(), a.rows, a.nnz,
                                 static_cast<int>(tile_), base(), conjugate(), x(), acc, apply_alpha,
                                 alpha_.value, alpha_.device);
    }

    const OT* offsets() const { return as<const OT>(args_.a.offsets); }
    const IT* indices() const { return as<const IT>(args_.a.indices); }
    const VA* values() const { return as<const VA>(args_.a.values); }
    const VX* x() const { return as<const VX>(args_.x.values); }
    VY* y() const { return as<VY>(args_.y.values); }
    heron_index base() const { return args_.a.base; }
    int conjugate() const { return plans::is_conjugated(args_.op); }

    opencl_device& device_;
    heron_phase phase_;
    const heron_spmv_args& args_;
    heron_workspace& workspace_;
    workspace_layout layout_;
    int64_t tile_ = tile_length(device_.traits(), args_.a.nnz, sizeof(CT));
    int64_t tiles_ = (args_.a.nnz + tile_ - 1) / tile_;
    scalar_argument<CT> alpha_ = as_argument<CT>(args_.alpha);
    scalar_argument<CT> beta_ = as_argument<CT>(args_.beta);
};

bool takes_shares(const device_traits& traits, const heron_spmv_args& args) {
    return args.a.format == HERON_FORMAT_SELL && plans::is_transposed(args.op) &&
           sell_shares(traits, args.a) > 1;
}

bool takes_tiles(const device_traits& traits, const heron_spmv_args& args) {
    return (args.a.format == HERON_FORMAT_CSR || takes_shares(traits, args)) &&
           takes_gpu_kernels("spmv", traits.is_gpu) && traits.largest_group >= group_size &&
           traits.local_bytes >= local_bytes_needed;
}

// Rows of COO that must be the same on every run are the shared plan's.
bool takes_coo(const device_traits& traits, const heron_spmv_args& args) {
    return args.a.format == HERON_FORMAT_COO && takes_gpu_kernels("spmv", traits.is_gpu) &&
           takes_scattered_products(traits) && args.y.size < INT32_MAX &&
           (plans::is_transposed(args.op) || args.reproducibility != HERON_DETERMINISTIC);
}

// A matrix that stores nothing leaves beta*y.
void scale(opencl_device& device, const heron_spmv_args& args) {
    visit_product(args.a.type, args.x.type, args.y.type, args.compute_type,
                  [&]<class VA, class VX, class VY, class CT>(type<VA>, type<VX>, type<VY>, type<CT>) {
                      const scalar_argument<CT> beta = as_argument<CT>(args.beta);
                      device.launch<kernels::scale<VY, CT, int32_t>>(
                          kernels::vector, args.y.size, as<VY>(args.y.values), beta.value, beta.device);
                  });
}

}  // namespace

void spmv(opencl_device& device, heron_phase phase, const heron_spmv_args& args, heron_workspace& workspace) {
    if (args.a.nnz == 0) {
        if (phase == HERON_PHASE_RUN) scale(device, args);
        return;
    }
    if (phase == HERON_PHASE_RUN && plans::takes_blocks(args) &&
        takes_gpu_kernels("spmv", device.traits().is_gpu))
        return plans::multiply_by_blocks(device, args);
    const bool is_coo = takes_coo(device.traits(), args);
    if (!is_coo && !takes_tiles(device.traits(), args)) return plans::spmv(device, phase, args, workspace);
    visit_product(
        args.a.type, args.x.type, args.y.type, args.compute_type,
        [&]<class VA, class VX, class VY, class CT>(type<VA>, type<VX>, type<VY>, type<CT>) {
            visit_offsets_and_indices(
                offset_type_of(args.a), args.a.index_type, [&]<class OT, class IT>(type<OT>, type<IT>) {
                    if (is_coo)
                        scattered_spmv<VA, VX, VY, CT, OT, IT>(device, phase, args, workspace).apply();
                    else
                        tiled_spmv<VA, VX, VY, CT, OT, IT>(device, phase, args, workspace).apply();
                });
        });
}

void override_spmv(heron_backend& table) {
    table.spmv = &slot<opencl_device, heron_spmv_args, &spmv, operation_names::spmv>;
}

}  // namespace heron::opencl
