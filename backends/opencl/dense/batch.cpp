// Many dense products in one call, and single ones that are too small to be packed.
#include "common/dense/plan.hpp"
#include "overrides.hpp"
#include <algorithm>

namespace heron::opencl {
namespace {

// These mirror dense_common.cl.
struct items {
    int64_t kind, stride, list_step;
};
struct batch {
    int64_t m, n, k, count, a_row, a_step, b_row, b_step, conjugate_a, conjugate_b;
    items a, b, c;
    int64_t a_offset, b_offset, c_offset;
    int64_t ldc;
};

items items_of(const heron_batch_operand& o) { return {plans::dense_kind(o), o.stride, o.list_step}; }

batch batch_of(const heron_gemm_batched_args& g) {
    batch b{};
    b.m = g.m;
    b.n = g.n;
    b.k = g.k;
    b.count = g.count;
    b.a_row = plans::dense_row_step(g.op_a, g.lda);
    b.a_step = plans::dense_column_step(g.op_a, g.lda);
    b.b_row = plans::dense_column_step(g.op_b, g.ldb);
    b.b_step = plans::dense_row_step(g.op_b, g.ldb);
    b.conjugate_a = plans::is_conjugated(g.op_a);
    b.conjugate_b = plans::is_conjugated(g.op_b);
    b.a = items_of(g.a);
    b.b = items_of(g.b);
    b.c = items_of(g.c);
    b.ldc = g.ldc;
    return b;
}

bool has_addresses(const heron_gemm_batched_args& g) {
    return g.a.kind == HERON_BATCH_POINTERS || g.b.kind == HERON_BATCH_POINTERS ||
           g.c.kind == HERON_BATCH_POINTERS;
}

int64_t up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

template <class CT>
class batch_engine {
  public:
    batch_engine(opencl_device& device, const heron_gemm_batched_args& args)
        : device_(device), args_(args), kit_(device.dense_kernels(args.type, false, 0)) {}

    void run() {
        if (args_.m == 0 || args_.n == 0 || args_.count == 0) return;
        if (kit_.shape.columns)
            on_processor(kit_.batches.front());
        else
            on_gpu(kernel_for_size(), batch_of(args_));
    }

    // For one product.
    void run_single(const heron_gemm_args& g) {
        batch b = batch_of(args_);
        b.a_offset = g.a.offset;
        b.b_offset = g.b.offset;
        b.c_offset = g.c.offset;
        on_gpu(fastest_single(), b);
    }

  private:
    using RT = real_of<CT>;
    using kernel = dense_kit::batch_kernel;

    int64_t tiles_of(const kernel& k) const {
        return up(args_.m, k.shape.rows()) / k.shape.rows() * (up(args_.n, k.shape.cols()) / k.shape.cols());
    }

    double time_of_step(const dense_kit::single_kernel& k) const {
        const int64_t units = device_.traits().compute_units;
        return k.start + k.wave * static_cast<double>((tiles_of(k.kernel) + units - 1) / units);
    }

    const kernel& fastest_single() const {
        const auto best = std::min_element(
            kit_.singles.begin(), kit_.singles.end(),
            [&](const auto& one, const auto& other) { return time_of_step(one) < time_of_step(other); });
        return best->kernel;
    }

    const kernel& kernel_for_size() const {
        for (const kernel& each : kit_.batches)
            if (std::max(args_.m, args_.n) <= each.shape.rows()) return each;
        return kit_.batches.back();
    }

    void on_gpu(const kernel& k, const batch& b) {
        launch(k, b, static_cast<size_t>(tiles_of(k) * args_.count));
    }

    // Every work-item has memory for the packed operands of one item.
    void on_processor(const kernel& k) {
        const int64_t members = std::min<int64_t>(args_.count, 8 * int64_t{device_.traits().compute_units});
        const int64_t lines = up(args_.m, k.shape.rows()) + up(args_.n, k.shape.cols());
        const int64_t elements = members * lines * std::max<int64_t>(args_.k, 1);
        launch(k, batch_of(args_), static_cast<size_t>(members),
               device_.take_scratch(static_cast<size_t>(elements) * sizeof(CT)));
    }

    template <class... Scratch>
    void launch(const kernel& k, const batch& b, size_t groups, Scratch... scratch) {
        const auto alpha = as_argument<CT>(args_.alpha);
        const auto beta = as_argument<CT>(args_.beta);
        const size_t grid[] = {groups, 1};
        const size_t local[] = {static_cast<size_t>(k.shape.wx),
                                static_cast<size_t>(k.shape.wy * k.shape.slices)};
        device_.launch_program(&k.id, "dense_batch", k.key, grid, local, b, alpha.value,
                               reinterpret_cast<const RT*>(alpha.device), as<const CT>(args_.a.base),
                               args_.a.list, as<const CT>(args_.b.base), args_.b.list, beta.value,
                               reinterpret_cast<const RT*>(beta.device), as<CT>(args_.c.base), args_.c.list,
                               scratch...);
    }

    opencl_device& device_;
    const heron_gemm_batched_args& args_;
    const dense_kit& kit_;
};

// One large product after the other fills the device as well and packs its operands.
bool is_for_single_products(const opencl_device& device, const heron_gemm_batched_args& g) {
    const bool is_strided =
        g.a.kind == HERON_BATCH_STRIDED && g.b.kind == HERON_BATCH_STRIDED && g.c.kind == HERON_BATCH_STRIDED;
    const double edge = device.traits().is_cpu ? 256 : 1024;
    return is_strided && static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(g.k) >=
                             edge * edge * edge;
}

void single_products(opencl_device& device, const heron_gemm_batched_args& g, heron_workspace& workspace) {
    heron_gemm_args one{};
    one.type = g.type;
    one.compute_type = g.compute_type;
    one.op_a = g.op_a;
    one.op_b = g.op_b;
    one.m = g.m;
    one.n = g.n;
    one.k = g.k;
    one.alpha = g.alpha;
    one.beta = g.beta;
    for (int64_t item = 0; item < g.count; ++item) {
        one.a = {g.a.base, item * g.a.stride, g.lda};
        one.b = {g.b.base, item * g.b.stride, g.ldb};
        one.c = {g.c.base, item * g.c.stride, g.ldc};
        gemm(device, HERON_PHASE_RUN, one, workspace);
    }
}

// Up to cubes of this size it was faster not to pack on an H200.
double largest_direct(heron_type type) {
    switch (type) {
        case HERON_R_32F: return 1100;
        case HERON_C_32F: return 1600;
        case HERON_R_64F: return 1300;
        default: return 900;
    }
}

heron_batch_operand item_of(const heron_dense_operand& x) {
    heron_batch_operand o{};
    o.base = x.memory;
    o.kind = HERON_BATCH_STRIDED;
    return o;
}

}  // namespace

bool multiply_unpacked(opencl_device& device, const heron_gemm_args& g) {
    const double edge = largest_direct(g.type);
    const double work = static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(g.k);
    if (work > edge * edge * edge || g.m == 0 || g.n == 0) return false;
    if (device.dense_kernels(g.type, false, 0).singles.empty()) return false;
    heron_gemm_batched_args one{};
    one.type = g.type;
    one.compute_type = g.compute_type;
    one.op_a = g.op_a;
    one.op_b = g.op_b;
    one.m = g.m;
    one.n = g.n;
    one.k = g.k;
    one.count = 1;
    one.alpha = g.alpha;
    one.beta = g.beta;
    one.a = item_of(g.a);
    one.b = item_of(g.b);
    one.c = item_of(g.c);
    one.lda = g.a.ld;
    one.ldb = g.b.ld;
    one.ldc = g.c.ld;
    visit_full(g.type, [&]<class CT>(type<CT>) { batch_engine<CT>(device, one).run_single(g); });
    return true;
}

void gemm_batched(opencl_device& device, heron_phase phase, const heron_gemm_batched_args& args,
                  heron_workspace& workspace) {
    if (phase == HERON_PHASE_RUN && has_addresses(args)) device.follow_addresses();
    if (!has_dense_kernels(args.type)) return plans::gemm_batched(device, phase, args, workspace);
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    if (is_for_single_products(device, args)) return single_products(device, args, workspace);
    visit_full(args.type, [&]<class CT>(type<CT>) { batch_engine<CT>(device, args).run(); });
}

}  // namespace heron::opencl
