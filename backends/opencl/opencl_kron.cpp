#include "../common/plans/kron.hpp"
#include "opencl_kron.hpp"

namespace heron::opencl {

// A number among the parameters of a program.
template <int>
struct number;
template <>
inline constexpr const char* type_name<number<2>> = "2";
template <>
inline constexpr const char* type_name<number<3>> = "3";
template <>
inline constexpr const char* type_name<number<4>> = "4";
template <>
inline constexpr const char* type_name<number<5>> = "5";
template <>
inline constexpr const char* type_name<number<6>> = "6";
template <>
inline constexpr const char* type_name<number<7>> = "7";
template <>
inline constexpr const char* type_name<number<8>> = "8";
template <>
inline constexpr const char* type_name<number<9>> = "9";
template <>
inline constexpr const char* type_name<number<10>> = "10";
template <>
inline constexpr const char* type_name<number<16>> = "16";
template <>
inline constexpr const char* type_name<number<8192>> = "8192";
template <>
inline constexpr const char* type_name<number<32768>> = "32768";

namespace {

constexpr kernel_family tuned{"kron_tuned", "CT N BYTES"};
template <class...>
struct kron_tiles {
    static constexpr const char* name = "kron_tiles";
};
template <class...>
struct kron_items {
    static constexpr const char* name = "kron_items";
};

// These mirror kron_tuned.cl.
constexpr int64_t group_size = 128;
constexpr int64_t factor_bytes = 8192;
constexpr int64_t small_tile_bytes = 8192;
constexpr int64_t large_tile_bytes = 32768;
constexpr uint64_t local_bytes_needed = 44 * 1024;

struct operand {
    int64_t base, list, kind, stride, list_step;
};
struct factor {
    operand a;
    int64_t row_step, column_step, conjugate;
};
struct parameters {
    factor factors[plans::kron_most_factors];
    operand in, out;
    int64_t in_is_chunk, out_is_chunk, in_step, in_vector, out_step, out_vector;
    int64_t modes, outer, inner, width, tiles, first, units, vectors, size, team, teams, factor_stride,
        atomic;
};

int64_t as_number(const void* p) { return static_cast<int64_t>(reinterpret_cast<intptr_t>(p)); }

operand as_operand(const heron_batch_operand& o) {
    return {as_number(o.base), as_number(o.list), plans::kron_kind(o), o.stride, o.list_step};
}

int64_t power(int64_t n, int d) {
    int64_t result = 1;
    for (int i = 0; i < d; ++i) result *= n;
    return result;
}

// A partial result between two passes stays in the cache of most GPUs.
constexpr int64_t chunk_bytes = int64_t{8} << 20;
// Neighbours that a pass over leading factors reads at once.
constexpr int64_t run_width = 8;
constexpr int64_t groups_per_unit = 64;

template <class CT, int N>
class square_kron {
  public:
    square_kron(opencl_device& device, heron_phase phase, const heron_kronmult_args& args,
                heron_workspace& workspace)
        : device_(device),
          phase_(phase),
          args_(args),
          layout_(phase, workspace),
          size_(power(N, args.ndim)) {}

    void on_processor() {
        constexpr int64_t padding = 16;
        const int64_t buffer = (size_ + padding + 15) / 16 * 16;
        const int64_t units = args_.count * args_.vectors;
        const int64_t most = 4 * int64_t{device_.traits().compute_units};
        const int64_t worth = units * size_ / 4096 + 1;
        int64_t workers = units < most ? units : most;
        if (workers > worth) workers = worth;
        CT* const work = layout_.take<CT>(2 * buffer * workers);
        if (phase_ != HERON_PHASE_RUN) return;
        parameters p = whole_items();
        device_.launch_groups<kron_items<CT, number<N>, number<8192>>>(tuned, workers, 1, p, alpha(), beta(),
                                                                       work, buffer);
    }

    // False when no division into passes fits the device; nothing has been done then.
    bool on_gpu() {
        while (!passes_fit())
            if (++passes_ > args_.ndim) return false;
        const int64_t units = args_.count * args_.vectors;
        int64_t chunk_units = units;
        CT* chunk = nullptr;
        if (passes_ > 1) {
            const int64_t fitting = chunk_bytes / (size_ * static_cast<int64_t>(sizeof(CT)));
            if (fitting < units) chunk_units = fitting > 1 ? fitting : 1;
            chunk = layout_.take<CT>(size_ * chunk_units);
        }
        if (phase_ != HERON_PHASE_RUN) return true;
        for (int64_t first = 0; first < units; first += chunk_units)
            for (int pass = 0; pass < passes_; ++pass)
                launch_pass(pass, first, units - first < chunk_units ? units - first : chunk_units, chunk);
        return true;
    }

  private:
    CT alpha() const { return scalar_value<CT>(args_.alpha.re, args_.alpha.im); }
    CT beta() const { return scalar_value<CT>(args_.beta.re, args_.beta.im); }

    int begin_of(int pass) const { return args_.ndim - args_.ndim * (pass + 1) / passes_; }
    int end_of(int pass) const { return args_.ndim - args_.ndim * pass / passes_; }
    int64_t width_of(int pass) const { return pass == 0 ? 1 : run_width; }
    int64_t tile_of(int pass) const { return width_of(pass) * power(N, end_of(pass) - begin_of(pass)); }

    bool passes_fit() const {
        for (int pass = 0; pass < passes_; ++pass)
            if (tile_of(pass) * static_cast<int64_t>(sizeof(CT)) > large_tile_bytes) return false;
        return true;
    }

    void set_factors(parameters& p, int begin, int end) const {
        p.modes = end - begin;
        for (int i = 0; i < p.modes; ++i) {
            const heron_kron_factor_args& f = args_.factors[end - 1 - i];
            p.factors[i] = {as_operand(f.a), f.row_step, f.column_step, f.conjugate};
        }
    }

    parameters whole_items() const {
        parameters p{};
        set_factors(p, 0, args_.ndim);
        p.in = as_operand(args_.x);
        p.in_step = args_.x_step;
        p.in_vector = args_.x_column_step;
        p.out = as_operand(args_.y);
        p.out_step = args_.y_step;
        p.out_vector = args_.y_column_step;
        p.outer = p.inner = p.width = p.tiles = 1;
        p.units = args_.count * args_.vectors;
        p.vectors = args_.vectors;
        p.size = size_;
        p.atomic = args_.output == HERON_KRON_ADD_ATOMIC;
        return p;
    }

    void launch_pass(int pass, int64_t first, int64_t units, CT* chunk) {
        const bool last = pass == passes_ - 1;
        parameters p = whole_items();
        set_factors(p, begin_of(pass), end_of(pass));
        p.outer = power(N, begin_of(pass));
        p.inner = power(N, args_.ndim - end_of(pass));
        p.width = width_of(pass);
        p.tiles = p.outer * ((p.inner + p.width - 1) / p.width);
        p.first = first;
        p.units = units;
        p.size = tile_of(pass);
        const operand partial{as_number(chunk), 0, 0, size_, 0};
        if (pass > 0) {
            p.in = partial;
            p.in_is_chunk = p.in_step = 1;
        }
        if (!last) {
            p.out = partial;
            p.out_is_chunk = p.out_step = 1;
            p.atomic = 0;
        }
        const bool is_small = p.size * static_cast<int64_t>(sizeof(CT)) <= small_tile_bytes;
        set_teams(p, is_small ? small_tile_bytes : large_tile_bytes);
        const CT a = last ? alpha() : scalar_value<CT>(1, 0);
        const CT b = last ? beta() : CT{};
        if (is_small)
            launch<8192>(p, a, b);
        else
            launch<32768>(p, a, b);
    }

    // As many work-items per item as it has fibres, and as many items per group as memory has room for.
    static void set_teams(parameters& p, int64_t bytes) {
        const int64_t fibres = p.size / N;
        p.team = 1;
        while (p.team < group_size && 2 * p.team <= fibres) p.team *= 2;
        p.factor_stride = p.modes * N * N / 2 * 2 + 1;
        const int64_t element = sizeof(CT);
        p.teams = group_size / p.team;
        while (p.teams > 1 &&
               (p.teams * p.size * element > bytes || p.teams * p.factor_stride * element > factor_bytes))
            p.teams /= 2;
        if (p.teams == 1) p.factor_stride = p.modes * N * N;
    }

    template <int bytes>
    void launch(const parameters& p, CT a, CT b) {
        const int64_t needed = (p.units * p.tiles + p.teams - 1) / p.teams;
        const int64_t most = groups_per_unit * device_.traits().compute_units;
        device_.launch_groups<kron_tiles<CT, number<N>, number<bytes>>>(tuned, needed < most ? needed : most,
                                                                        group_size, p, a, b);
    }

    opencl_device& device_;
    heron_phase phase_;
    const heron_kronmult_args& args_;
    workspace_layout layout_;
    int64_t size_;
    int passes_ = 1;
};

int64_t common_size(const heron_kronmult_args& args) {
    for (int i = 0; i < args.ndim; ++i)
        if (args.factors[i].m != args.factors[0].n || args.factors[i].n != args.factors[0].n) return 0;
    return args.factors[0].n;
}

bool may_use_tuned(const heron_kronmult_args& args) {
    return args.algorithm == HERON_KRON_FUSED && args.count > 0 && args.vectors > 0 &&
           !plans::kron_is_zero(args) && !args.alpha.device && !args.beta.device &&
           args.output != HERON_KRON_ADD_GROUPED && args.output != HERON_KRON_ADD_DETERMINISTIC;
}

template <class CT, int... sizes>
bool try_tuned(opencl_device& device, heron_phase phase, const heron_kronmult_args& args,
               heron_workspace& workspace) {
    const int64_t n = common_size(args);
    const auto run = [&]<int N>() {
        if (n != N) return false;
        square_kron<CT, N> k(device, phase, args, workspace);
        if (device.traits().is_gpu) {
            const bool fits = device.traits().local_bytes >= local_bytes_needed &&
                              device.traits().largest_group >= group_size;
            return fits && power(N, args.ndim) * N <= INT32_MAX && k.on_gpu();
        }
        if constexpr (std::is_same_v<CT, f32> || std::is_same_v<CT, f64>) {
            k.on_processor();
            return true;
        }
        return false;
    };
    return (run.template operator()<sizes>() || ...);
}

}  // namespace

void kronmult(opencl_device& device, heron_phase phase, const heron_kronmult_args& args,
              heron_workspace& workspace) {
    visit_full(args.type, [&]<class CT>(type<CT>) {
        if (may_use_tuned(args) &&
            try_tuned<CT, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16>(device, phase, args, workspace))
            return;
        plans::kron_plan<opencl_device, CT>(device, phase, args, workspace).apply();
    });
}

void kron_gemm(opencl_device& device, heron_phase phase, const heron_kron_gemm_args& args, heron_workspace& workspace) {
    device.follow_addresses();
    plans::kron_gemm(device, phase, args, workspace);
}

}  // namespace heron::opencl
