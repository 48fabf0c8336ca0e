#include "../common/plans/kron.hpp"
#include "opencl_kron.hpp"

namespace heron::opencl {

namespace {

// These mirror kron_tuned.cl.
constexpr int64_t group_size = 128;
// Local memory of a group: no more than a tile where that is larger.
constexpr int64_t group_bytes = 8192;
constexpr int64_t tile_bytes = 32768;
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
    int64_t modes, n, inner, tiles, first, units, vectors, size, atomic;
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

// What the program of a pass is built for.
struct tile_shape {
    int64_t modes, width, size, team, teams;
};

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
        static const char id = 0;
        // Compilers of processors take seconds for a program: only frequent sizes have one of their own.
        constexpr int known = N <= 4 || N == 8 ? N : 0;
        launch(id, "kron_items", definitions(known), workers, 1, p, alpha(), beta(), work, buffer);
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
            if (tile_of(pass) * static_cast<int64_t>(sizeof(CT)) > tile_bytes) return false;
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
        p.n = N;
        p.inner = p.tiles = 1;
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
        const tile_shape t = shape_of(pass);
        p.inner = power(N, args_.ndim - end_of(pass));
        p.tiles = power(N, begin_of(pass)) * ((p.inner + t.width - 1) / t.width);
        p.first = first;
        p.units = units;
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
        const int64_t needed = (p.units * p.tiles + t.teams - 1) / t.teams;
        const int64_t most = groups_per_unit * device_.traits().compute_units;
        // An address for every program.
        static const char ids[plans::kron_most_factors + 1][2] = {};
        launch(ids[t.modes][t.width > 1], "kron_tiles", definitions(t), needed < most ? needed : most,
               group_size, p, last ? alpha() : scalar_value<CT>(1, 0), last ? beta() : CT{});
    }

    // As many work-items per item as it has fibres, and as many items per group as memory has room for.
    tile_shape shape_of(int pass) const {
        tile_shape t{end_of(pass) - begin_of(pass), width_of(pass), tile_of(pass), 1, 1};
        constexpr int fused = N == 2 ? 3 : N <= 4 ? 2 : 1;
        const int64_t fibres = t.size / power(N, t.modes < fused ? 1 : fused);
        while (t.team < group_size && 2 * t.team <= fibres) t.team *= 2;
        const int64_t bytes = (t.size + t.modes * N * N) * static_cast<int64_t>(sizeof(CT));
        while (2 * t.teams * t.team <= group_size && 2 * t.teams * bytes <= group_bytes) t.teams *= 2;
        return t;
    }

    static std::string definition(const char* name, int64_t value) {
        return std::string("#define ") + name + " " + std::to_string(value) + "\n";
    }
    static std::string definitions(int n) {
        return std::string("#define CT ") + type_name<CT> + "\n" + definition("N", n);
    }
    static std::string definitions(const tile_shape& t) {
        return definitions(N) + definition("MODES", t.modes) + definition("WIDTH", t.width) +
               definition("SIZE", t.size) + definition("TEAM", t.team) + definition("TEAMS", t.teams);
    }

    template <class... Args>
    void launch(const char& id, const char* name, const std::string& definitions, int64_t groups,
                int64_t local, Args... args) {
        const size_t counts[2] = {static_cast<size_t>(groups), 1};
        const size_t sizes[2] = {static_cast<size_t>(local), 1};
        device_.launch_program(&id, name, program_key{"kron_tuned", definitions}, counts, sizes, args...);
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

void kron_gemm(opencl_device& device, heron_phase phase, const heron_kron_gemm_args& args,
               heron_workspace& workspace) {
    device.follow_addresses();
    plans::kron_gemm(device, phase, args, workspace);
}

}  // namespace heron::opencl
