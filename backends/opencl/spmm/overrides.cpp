// SpMM for GPUs: spmm_tuned.cl where it applies, BSR by blocks, few additions to C by spmv_scatter, else the
// shared plan.
#include "opencl/runtime/device.hpp"
#include "opencl/runtime/kernels.hpp"
#include "opencl/spmv/scattered.hpp"
#include "common/runtime/known_scalars.hpp"
#include "common/runtime/slot.hpp"
#include "common/spmm/sorted_columns.hpp"
#include "common/spmm/strips.hpp"
#include "common/spmm/blocks.hpp"
#include "common/spmm/plan.hpp"
#include <algorithm>
#include <bit>
#include <memory>

namespace heron::opencl {
namespace {

constexpr kernel_family tuned{"scan_holder columns spmm_tuned", "CT OT IT"};
struct find_places {
    static constexpr const char* name = "find_places";
};
struct multiply_shares {
    static constexpr const char* name = "multiply_shares";
};
struct join_rows {
    static constexpr const char* name = "join_rows";
};
struct turn_dense {
    static constexpr const char* name = "turn_dense";
};
struct count_columns {
    static constexpr const char* name = "count_columns";
};
struct sort_columns {
    static constexpr const char* name = "sort_columns";
};
struct set_stamps {
    static constexpr const char* name = "set_stamps";
};
struct compare_stamps {
    static constexpr const char* name = "compare_stamps";
};
struct scale_if_lost {
    static constexpr const char* name = "scale_if_lost";
};
struct scatter_if_lost {
    static constexpr const char* name = "scatter_if_lost";
};

// These mirror spmm_tuned.cl.
constexpr int64_t group_size = 256;
constexpr int64_t places_per_group = 8;
constexpr int slack = 32;
constexpr int64_t turned_bytes = 512;
constexpr int64_t turned_columns = 32;
constexpr int64_t sorted_per_item = 16;
struct product_shape {
    heron_index rows, columns, nnz, base, shares, tiles, patterns;
    heron_index b_vectors;
    heron_index c_row_step, c_column_step;
    heron_index offsets_stride, indices_stride, values_stride, b_stride, c_stride;
    heron_index partial_stride;
    heron_index conjugate_a, conjugate_b;
};
struct place {
    heron_index row, element;
};

constexpr uint64_t local_bytes_needed = 32 * 1024;
constexpr int64_t most_local_bytes = 48 * 1024;
constexpr int most_lane_bits = 5;

// How a group divides its work.
struct division {
    int units, lane_bits, share, row_cost;
    bool has_tile;

    bool operator==(const division&) const = default;
    int64_t columns(int width) const { return int64_t{units} * width << lane_bits; }
    int64_t local_bytes(int64_t element, int64_t index) const {
        const int64_t rows = share / row_cost + 4;
        const int64_t own = columns(static_cast<int>(16 / element));
        const int64_t sums = group_size * units * 16;
        const int64_t teams = 2 * ((group_size >> lane_bits) + 1);
        return (share + slack) * (element + index) + 4 * (rows + teams) + 2 * sums +
               (has_tile ? rows * (own + 1) * element : 0) + 256;
    }
    std::string definitions() const {
        return "#define UNITS " + std::to_string(units) + "\n#define LANE_BITS " + std::to_string(lane_bits) +
               "\n#define SHARE " + std::to_string(share) + "\n#define ROW_COST " + std::to_string(row_cost) +
               "\n#define TILE " + std::to_string(int{has_tile}) + "\n";
    }
};

template <class CT, class OT, class IT>
class shared_spmm {
  public:
    shared_spmm(opencl_device& device, heron_phase phase, const heron_spmm_args& args,
                heron_workspace& workspace)
        : device_(device),
          phase_(phase),
          args_(args),
          a_(args.a),
          workspace_(workspace),
          layout_(phase, workspace) {}

    // Where not even one vector of each of B's rows is within what A warrants, A has so few elements that the
    // shared plan, which copies nothing, serves it better.
    bool fits() const { return !turns_b() || bytes_for(strip_) <= strip_budget(); }

    void by_rows() {
        take_operands();
        if (phase_ != HERON_PHASE_RUN) return;
        multiply(as<const OT>(a_.offsets), as<const IT>(a_.indices), nullptr, nullptr);
    }

    // A is sorted by columns first, where ANALYSE is called only once, and then multiplied by rows.
    void by_columns() {
        const sorted_columns<opencl_device, OT, IT> sorted(layout_, a_);
        take_operands();
        if (phase_ == HERON_PHASE_SIZE) return;
        const auto* const known = sorted_columns_plan::of(workspace_);
        if (!known || phase_ == HERON_PHASE_ANALYSE) {
            sort(sorted);
            if (phase_ == HERON_PHASE_ANALYSE) return leave_plan(sorted);
        }
        shape_.base = 0;
        if (known)
            launch_items<compare_stamps>(1, static_cast<const uint64_t*>(sorted.front),
                                         static_cast<const uint64_t*>(sorted.back),
                                         static_cast<heron_index>(known->stamp), sorted.is_lost);
        multiply(sorted.offsets, sorted.rows, sorted.positions, known ? sorted.is_lost : nullptr);
        shape_.base = a_.base;
        if (known) scatter_if_lost_stamps(sorted.is_lost);
    }

  private:
    static constexpr int width = 16 / sizeof(CT);

    void leave_plan(const sorted_columns<opencl_device, OT, IT>& sorted) {
        auto plan = std::make_unique<sorted_columns_plan>(workspace_);
        launch_items<set_stamps>(1, sorted.front, sorted.back, static_cast<heron_index>(plan->stamp));
        workspace_.plan = plan.release();
    }

    void sort(const sorted_columns<opencl_device, OT, IT>& s) {
        const auto* const indices = as<const IT>(a_.indices);
        int* const next = reinterpret_cast<int*>(s.counts);
        device_.fill(s.counts, 0, static_cast<size_t>(a_.cols + 1) * sizeof *s.counts);
        launch_items<count_columns>(a_.nnz, indices, heron_index{a_.base}, next);
        s.scan.add(device_, s.counts);
        s.scan.write(device_, s.counts, 0, s.offsets);
        s.scan.write(device_, s.counts, 0, s.counts);
        launch_items<sort_columns>(quotient_up(a_.nnz, sorted_per_item), as<const OT>(a_.offsets), indices,
                                   heron_index{a_.rows}, heron_index{a_.nnz}, heron_index{a_.base}, next,
                                   s.rows, s.positions);
    }

    // The largest shares that fit local memory; the same for SIZE and RUN. For strips of so many columns.
    division division_for(int64_t strip) const {
        const heron_spmm_args& args = args_;
        const int64_t vectors = strip / width;
        division d{};
        d.has_tile = args.c.order != HERON_ORDER_ROW || args.c.ld % width != 0 || args.c.cols % width != 0 ||
                     args.c.batch_stride % width != 0;
        // A row costs more where C goes through the tile. That holds all rows of a share, which is small
        // where the tile is wide.
        d.row_cost = d.has_tile ? 8 : 4;
        d.units = vectors > 1 << most_lane_bits && !d.has_tile ? 2 : 1;
        const auto lanes = static_cast<uint64_t>(quotient_up(vectors, d.units));
        d.lane_bits = std::min(static_cast<int>(std::bit_width(lanes - 1)), most_lane_bits);
        d.share = 2048;
        const int64_t local = std::min(static_cast<int64_t>(device_.traits().local_bytes), most_local_bytes);
        while (d.share > 64 && d.local_bytes(sizeof(CT), sizeof(IT)) > local) d.share /= 2;
        // A small product is cut finer, so that every compute unit has some of it, but not below a few places
        // for each team.
        constexpr int places_of_team = 8;
        const int finest = places_of_team * static_cast<int>(group_size >> d.lane_bits);
        const int64_t groups = quotient_up(strip, d.columns(width)) * batches();
        while (d.share > finest && shares_for(d) * groups < device_.traits().compute_units) d.share /= 2;
        return d;
    }

    bool turns_b() const {
        const heron_dnmat& b = args_.b;
        return b.order != HERON_ORDER_ROW || b.ld % width != 0 || args_.c.cols % width != 0 ||
               b.batch_stride % width != 0;
    }
    int64_t shares_for(const division& d) const {
        return quotient_up(a_.nnz + d.row_cost * shape_.rows, d.share);
    }
    int64_t strip_budget() const { return spmm_strip_budget<CT, OT, IT>(a_, plans::is_transposed(args_.op)); }
    // Of workspace, for strips of so many columns.
    int64_t bytes_for(int64_t strip) const {
        return layout_of_shares().bytes(shares_for(division_for(strip)), strip);
    }
    spmm_shares_layout layout_of_shares() const {
        return {args_, turns_b(), sizeof(CT), sizeof(CT), sizeof(place)};
    }
    int64_t batches() const { return args_.c.batch_count; }
    int64_t b_items() const { return layout_of_shares().packed_items; }

    void take_operands() {
        const spmm_shares_layout sizes = layout_of_shares();
        if (turns_b()) turned_b_ = layout_.take<CT>(sizes.packed_rows * strip_);
        shape_.shares = shares_for(division_);
        shape_.patterns = sizes.patterns;
        shape_.partial_stride = strip_;
        const int64_t partials = shape_.shares * batches();
        places_ = layout_.take<place>((shape_.shares + 1) * shape_.patterns);
        heads_ = layout_.take<CT>(partials * strip_);
        tails_ = layout_.take<CT>(partials * strip_);
        split_ = layout_.take<heron_index>(partials);
        split_count_ = layout_.take<int>(1);
    }

    static product_shape shape_of(const heron_spmm_args& args) {
        const kernels::spmm_shape s = plans::shape_of(args);
        product_shape p{};
        p.rows = s.rows;
        p.columns = s.columns;
        p.nnz = args.a.nnz;
        p.base = s.base;
        p.c_row_step = s.c_row_step;
        p.c_column_step = s.c_column_step;
        p.offsets_stride = s.offsets_stride;
        p.indices_stride = s.indices_stride;
        p.values_stride = s.values_stride;
        p.b_stride = s.b_stride;
        p.c_stride = s.c_stride;
        p.conjugate_a = s.conjugate_a;
        p.conjugate_b = s.conjugate_b;
        return p;
    }

    void multiply(const OT* offsets, const IT* indices, const OT* positions, const int* skipped) {
        const kernels::spmm_shape where = plans::shape_of(args_);
        for (int64_t first = 0; first < shape_.columns; first += strip_) {
            product_shape s = shape_;
            s.columns = std::min<int64_t>(strip_, shape_.columns - first);
            s.tiles = quotient_up(s.columns, division_.columns(width));
            s.b_vectors = args_.b.ld / width;
            const CT* b = as<const CT>(args_.b.values) + first * where.b_column_step;
            if (turned_b_) {
                turn_b(b, s.columns);
                b = turned_b_;
                s.b_vectors = strip_ / width;
                s.b_stride = b_items() == 1 ? 0 : args_.b.rows * strip_;
            }
            multiply_strip(s, offsets, indices, positions, b, c() + first * shape_.c_column_step, skipped);
        }
    }

    void multiply_strip(const product_shape& s, const OT* offsets, const IT* indices, const OT* positions,
                        const CT* b, CT* c, const int* skipped) {
        const int64_t most_groups = 4 * int64_t{device_.traits().compute_units};
        const auto* const places = static_cast<const place*>(places_);
        launch<find_places>(quotient_up((s.shares + 1) * s.patterns, places_per_group), offsets, s, places_,
                            split_count_, skipped);
        launch<multiply_shares>(s.shares * s.tiles * batches(), offsets, indices, as<const CT>(a_.values),
                                positions, b, c, s, alpha_.value, alpha_.device, beta_.value, beta_.device,
                                places, heads_, tails_, split_count_, split_, skipped);
        launch<join_rows>(std::min(s.shares * batches(), most_groups), offsets, c, s, alpha_.value,
                          alpha_.device, beta_.value, beta_.device, places, static_cast<const CT*>(heads_),
                          static_cast<const CT*>(tails_), static_cast<const int*>(split_count_),
                          static_cast<const heron_index*>(split_), skipped);
    }

    void turn_b(const CT* b, int64_t columns) {
        const kernels::spmm_shape s = plans::shape_of(args_);
        const int64_t down = quotient_up(args_.b.rows, turned_bytes / static_cast<int64_t>(sizeof(CT)));
        const int64_t across = quotient_up(strip_, turned_columns);
        launch<turn_dense>(down * across * b_items(), b, heron_index{args_.b.rows}, heron_index{columns},
                           s.b_row_step, s.b_column_step, s.b_stride, turned_b_, heron_index{strip_},
                           heron_index{down}, heron_index{across});
    }

    void scatter_if_lost_stamps(const int* is_lost) {
        const kernels::spmm_shape s = plans::shape_of(args_);
        const heron_index items = 8 * group_size * int64_t{device_.traits().compute_units};
        launch_items<scale_if_lost>(items, items, c(), shape_,
                                    heron_index{shape_.rows * shape_.columns * batches()}, beta_.value,
                                    beta_.device, is_lost);
        launch_items<scatter_if_lost>(items, items, as<const OT>(a_.offsets), as<const IT>(a_.indices),
                                      as<const CT>(a_.values), as<const CT>(args_.b.values), s.b_row_step,
                                      s.b_column_step, s.b_stride, c(), shape_, heron_index{a_.rows},
                                      heron_index{a_.rows * shape_.columns * batches()}, alpha_.value,
                                      alpha_.device, is_lost);
    }

    const kept_program& program() const {
        static program_list<division> programs;
        return programs.get(division_, [&] {
            const char* const names[] = {type_name<CT>, type_name<OT>, type_name<IT>};
            program_key key = make_program_key(tuned, names, std::size(names));
            key.definitions += division_.definitions();
            return key;
        });
    }
    template <class Kernel, class... Args>
    void launch(int64_t groups, Args... args) {
        device_.launch_program_groups<Kernel>(program(), groups, group_size, args...);
    }
    template <class Kernel, class... Args>
    void launch_items(int64_t count, Args... args) {
        device_.launch_program<Kernel>(program(), count, args...);
    }

    CT* c() const { return as<CT>(args_.c.values); }

    opencl_device& device_;
    const heron_phase phase_;
    const heron_spmm_args& args_;
    const heron_spmat& a_;
    heron_workspace& workspace_;
    workspace_layout layout_;
    product_shape shape_ = shape_of(args_);
    scalar_argument<CT> alpha_ = as_argument<CT>(args_.alpha);
    scalar_argument<CT> beta_ = as_argument<CT>(args_.beta);
    // Columns of B and C at a time; the same in all phases.
    const int64_t strip_ = spmm_strip_columns(args_.c.cols, width, strip_budget(),
                                              [this](int64_t strip) { return bytes_for(strip); });
    const division division_ = division_for(strip_);
    CT* turned_b_ = nullptr;
    place* places_ = nullptr;
    CT* heads_ = nullptr;
    CT* tails_ = nullptr;
    heron_index* split_ = nullptr;
    int* split_count_ = nullptr;
};

bool is_uniform(const heron_spmm_args& args) {
    const heron_type t = args.a.type;
    return t == args.c.type && t == args.compute_type &&
           (t == HERON_R_32F || t == HERON_R_64F || t == HERON_C_32F || t == HERON_C_64F);
}

// What the kernels count in 32 bits.
bool is_near(int64_t n) { return n < INT32_MAX; }

bool takes_shares(const device_traits& traits, const heron_spmm_args& args) {
    const heron_spmat& a = args.a;
    if (a.format != HERON_FORMAT_CSR || a.nnz == 0 || args.c.rows == 0 || args.c.cols == 0) return false;
    if (!takes_gpu_kernels("spmm", traits.is_gpu) || traits.largest_group < group_size ||
        traits.local_bytes < local_bytes_needed)
        return false;
    if (!is_uniform(args) || !is_near(args.b.ld) || !is_near(args.c.cols)) return false;
    if (!plans::is_transposed(args.op)) return true;
    return args.reproducibility != HERON_DETERMINISTIC && is_near(a.nnz) && is_near(a.rows) &&
           a.offsets_stride == 0 && a.indices_stride == 0;
}

// Whether C gets so few additions that fewer launches count for more than fewer additions: of a matrix whose
// rows or columns would be found first. A transposed COO matrix is added up in any case.
bool takes_few_additions(const device_traits& traits, const heron_spmm_args& args) {
    constexpr int64_t most = int64_t{1} << 20;
    const heron_spmat& a = args.a;
    const bool transposed = plans::is_transposed(args.op);
    const bool is_coo = a.format == HERON_FORMAT_COO;
    if (!is_coo && !(a.format == HERON_FORMAT_CSR && transposed)) return false;
    if (!takes_gpu_kernels("spmm", traits.is_gpu) || !takes_scattered_products(traits)) return false;
    if (args.c.type != args.compute_type || args.reproducibility == HERON_DETERMINISTIC) return false;
    if (a.nnz == 0 || args.c.rows == 0 || args.c.cols == 0 || !is_near(args.c.rows)) return false;
    return (is_coo && transposed) || a.nnz * args.c.cols * args.c.batch_count <= most;
}

template <class VA, class CT, class OT, class IT>
void add_up(opencl_device& device, const heron_spmm_args& args) {
    const kernels::spmm_shape shape = plans::shape_of(args);
    const int64_t batches = args.c.batch_count;
    const auto beta = as_argument<CT>(args.beta);
    CT* const c = as<CT>(args.c.values);
    const plans::scattered_operands<VA, CT> operands{.a = args.a,
                                                     .transposed = plans::is_transposed(args.op),
                                                     .b = as<const VA>(args.b.values),
                                                     .c = c,
                                                     .rows = shape.rows,
                                                     .columns = shape.columns,
                                                     .batches = batches,
                                                     .b_row_step = shape.b_row_step,
                                                     .b_column_step = shape.b_column_step,
                                                     .b_stride = shape.b_stride,
                                                     .c_row_step = shape.c_row_step,
                                                     .c_column_step = shape.c_column_step,
                                                     .c_stride = shape.c_stride,
                                                     .conjugate_a = shape.conjugate_a != 0,
                                                     .conjugate_b = shape.conjugate_b != 0,
                                                     .alpha = as_argument<CT>(args.alpha)};
    with_scattered_product<VA, VA, CT, OT, IT>(device, operands, [&](auto product) {
        if (product.kind() != plans::scatter_kind::whole && !is_known_one(beta))
            device.launch<kernels::spmm_scale<VA, CT, CT, OT, IT>>(
                kernels::spmm, shape.rows * shape.columns * batches, c, shape, beta.value, beta.device,
                static_cast<const int*>(nullptr));
        product.run(beta);
    });
}

bool is_aligned(const void* p) { return reinterpret_cast<uintptr_t>(p) % 16 == 0; }

}  // namespace

void spmm(opencl_device& device, heron_phase phase, const heron_spmm_args& args, heron_workspace& workspace) {
    if (phase == HERON_PHASE_RUN && plans::takes_blocks(args) &&
        takes_gpu_kernels("spmm", device.traits().is_gpu))
        return plans::multiply_by_blocks(device, args);
    if (takes_few_additions(device.traits(), args)) {
        workspace_layout(phase, workspace);
        if (phase != HERON_PHASE_RUN) return;
        return plans::visit_spmm_args(args, [&]<class VA, class VC, class CT, class OT, class IT>(
                                                type<VA>, type<VC>, type<CT>, type<OT>, type<IT>) {
            if constexpr (std::is_same_v<VC, CT>) add_up<VA, CT, OT, IT>(device, args);
        });
    }
    // The shared plan needs less workspace than the shares do, so that operands that lie badly can be left to
    // it.
    const bool lies_well =
        phase != HERON_PHASE_RUN || (is_aligned(args.b.values) && is_aligned(args.c.values));
    if (!takes_shares(device.traits(), args) || !lies_well)
        return plans::spmm(device, phase, args, workspace);
    plans::visit_spmm_args(args, [&]<class VA, class VC, class CT, class OT, class IT>(
                                     type<VA>, type<VC>, type<CT>, type<OT>, type<IT>) {
        if constexpr (std::is_same_v<VA, CT> && std::is_same_v<VC, CT> && !std::is_same_v<CT, i32>) {
            shared_spmm<CT, OT, IT> product(device, phase, args, workspace);
            if (!product.fits()) return plans::spmm(device, phase, args, workspace);
            plans::is_transposed(args.op) ? product.by_columns() : product.by_rows();
        }
    });
}

void override_spmm(heron_backend& table) {
    table.spmm = &slot<opencl_device, heron_spmm_args, &spmm, operation_names::spmm>;
}

}  // namespace heron::opencl
