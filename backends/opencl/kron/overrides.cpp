// Kronecker products on OpenCL: square factors by kernels for GPUs or for processors, everything else by the
// shared plan.
#include "common/kron/plan.hpp"
#include "common/runtime/slot.hpp"
#include "opencl/runtime/device.hpp"
#include "opencl/runtime/kernels.hpp"

namespace heron::opencl {

namespace {

// These mirror kron_common.cl.
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
    int64_t modes, n, first, units, vectors, size, atomic;
    int64_t dense_in, dense_out, dense_factors, factor_stride;
    int64_t alpha, beta;
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

// What a kernel holds in registers and in local memory, and how it moves it.
struct tile_shape {
    int64_t modes, width, size, tiles, inner;  // of the pass; tiles of a unit
    int64_t team, teams;
    int64_t at_once, keeps, fibres, wide;
    int64_t copied, factors_copied, buffers;
    bool is_dense, is_shared;
};

// How an item lies in the registers of a work-group, as kron_held.cl has it.
struct held_shape {
    int64_t count, planes, group, fibres, ends, slab;
    int64_t resident;   // groups of a multiprocessor at a time
    int64_t registers;  // that a work-item may have then
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
        launch(id, "kron_items", program_key{"kron_common kron_items", definitions("N", known)}, workers, 1,
               p, alpha(), beta(), work, buffer);
    }

    // False when no division into passes fits the device; nothing has been done then.
    bool on_gpu() {
        const bool needs_registers = device_.traits().nvidia_major > 0 && !passes_fit();
        const kernel_choice wanted = wanted_kernels("kron");
        if (wanted == kernel_choice::by_device ? needs_registers : wanted == kernel_choice::registers) {
            const held_shape t = best_held();
            if (t.planes > 0 && phase_ == HERON_PHASE_RUN) launch_held(t);
            if (t.planes > 0) return true;
        }
        while (!passes_fit())
            if (++passes_ > args_.ndim) return false;
        const int64_t units = args_.count * args_.vectors;
        int64_t chunk_units = units;
        CT* chunk = nullptr;
        if (passes_ > 1) {
            const int64_t fitting = chunk_bytes / (size_ * element_bytes);
            const int64_t step = plans::kron_chunk_step(size_ * element_bytes);
            if (fitting < units)
                chunk_units = fitting >= step ? fitting / step * step : std::max<int64_t>(fitting, 1);
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

    static constexpr int64_t element_bytes = sizeof(CT);
    static constexpr int64_t quad = 16 / element_bytes;
    // Local memory of a group.
    static constexpr int64_t small_bytes = 4 * 1024;
    static constexpr int64_t pair_bytes = 12 * 1024;
    static constexpr int64_t most_tile_bytes = 32 * 1024;
    static constexpr int64_t most_first_tile_bytes = 24 * 1024;
    static constexpr int64_t most_bytes_for_runs = 40 * 1024;
    static constexpr int64_t few_fibres = 64;
    static constexpr int64_t groups_per_unit = 32;
    // One after the other, where there are more groups than a device holds at once.
    static constexpr int64_t chunks_of_group = 16;

    // A partial result between two passes stays in the cache of large GPUs.
    static constexpr int64_t chunk_bytes = int64_t{48} << 20;

    // Pass 0 has the last modes.
    int end_of(int pass) const {
        if (passes_ == 2 && pass == 1) return args_.ndim - modes_of_first_pass();
        return args_.ndim - (args_.ndim * pass + passes_ - 1) / passes_;
    }
    // Of two: half of them, or more where their tiles would have few fibres or where those of the other pass
    // would have short runs.
    int modes_of_first_pass() const {
        int modes = (args_.ndim + 1) / 2;
        while (modes + 1 < args_.ndim && power(N, modes - 1) < few_fibres &&
               power(N, modes + 1) * element_bytes <= most_first_tile_bytes)
            ++modes;
        if ((N & (N - 1)) != 0)
            while (modes + 2 < args_.ndim && power(N, modes + 1) * element_bytes <= most_bytes_for_runs)
                ++modes;
        return modes;
    }
    int begin_of(int pass) const { return end_of(pass + 1); }

    bool passes_fit() const {
        for (int pass = 0; pass < passes_; ++pass)
            if (!fits(shape_of(pass))) return false;
        return true;
    }

    bool fits(const tile_shape& t) const {
        constexpr int64_t reserved = 1024;
        const int64_t least_run = t.inner < 4 ? t.inner : 4;
        const bool has_runs = t.inner == 1 || t.width * element_bytes >= 24 || t.width >= least_run;
        return has_runs && t.size <= INT32_MAX / 32 &&
               t.team * t.teams <= static_cast<int64_t>(device_.traits().largest_group) &&
               t.buffers * bytes_of(t) + reserved <= static_cast<int64_t>(device_.traits().local_bytes);
    }

    // Neighbours of tiles of `base` elements each: whole sectors where they divide what is behind the modes,
    // and fibres for a group.
    static int64_t width_of(int64_t base, int64_t inner) {
        int64_t best = 1;
        for (int64_t w = 1; w <= inner; ++w) {
            if (inner % w != 0) continue;
            if (w > 1 && (base * w * element_bytes > most_tile_bytes || w * element_bytes > 1024)) break;
            best = w;
            const bool has_sectors = w * element_bytes % 32 == 0 && w * element_bytes >= 64;
            if (has_sectors && base * w / N >= few_fibres) break;
        }
        return best;
    }

    // Extents of chunk and factors in local memory, as kron_tiles.cl has them.
    static int64_t place(int64_t e, const tile_shape& t) {
        if ((N * t.width & (N * t.width - 1)) != 0) return e;
        return e + e / (8 * quad) * quad + (quad == 4 ? e / (64 * quad) * (4 * quad) : 0);
    }
    static int64_t bytes_of(const tile_shape& t) {
        const int64_t room = place(t.teams * t.size - 1, t) + quad;
        const int64_t factors = t.teams * (t.modes * N * N + 2 * quad);
        constexpr int64_t addresses = 3 * sizeof(int64_t);
        return (room + factors) * element_bytes + t.teams * addresses;
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
        p.units = args_.count * args_.vectors;
        p.vectors = args_.vectors;
        p.size = size_;
        p.atomic = args_.output == HERON_KRON_ADD_ATOMIC;
        p.alpha = as_number(args_.alpha.device);
        p.beta = as_number(args_.beta.device);
        return p;
    }

    void launch_pass(int pass, int64_t first, int64_t units, CT* chunk) {
        const bool last = pass == passes_ - 1;
        parameters p = whole_items();
        set_factors(p, begin_of(pass), end_of(pass));
        tile_shape t = shape_of(pass);
        p.first = first;
        p.units = units;
        const operand partial{as_number(chunk), 0, 0, size_, 0};
        p.dense_in = p.dense_out = partial.base;
        if (pass > 0) {
            p.in = partial;
            p.in_is_chunk = p.in_step = 1;
        } else {
            p.dense_in = dense_units(args_.x, args_.x_step, first);
        }
        if (!last) {
            p.out = partial;
            p.out_is_chunk = p.out_step = 1;
            p.atomic = p.alpha = p.beta = 0;
        } else {
            p.dense_out = dense_units(args_.y, args_.y_step, first);
        }
        place_factors(t, p, begin_of(pass), end_of(pass));
        t.is_dense = p.dense_in && p.dense_out && p.dense_factors && !p.atomic;
        if (!t.is_dense) t.is_shared = false;
        const int64_t needed = (p.units * t.tiles + t.teams - 1) / t.teams;
        const int64_t most = groups_per_unit * device_.traits().compute_units;
        const int64_t worth = needed / chunks_of_group;
        const int64_t groups = needed < most ? needed : worth < most ? most : worth;
        if (!t.is_dense) t.buffers = 1;
        const local_memory local{static_cast<size_t>(t.buffers * bytes_of(t))};
        // An address for every program.
        static const char ids[plans::kron_most_factors + 1][plans::kron_most_factors][2][4] = {};
        const program_key key{"kron_common kron_quads kron_tiles", definitions(t)};
        launch(ids[args_.ndim][pass][t.factors_copied > 1][t.is_dense * 2 + t.is_shared], "kron_tiles", key,
               groups, t.team * t.teams, p, last ? alpha() : scalar_value<CT>(1, 0), last ? beta() : CT{},
               local);
    }

    // The first of the launch's units where units follow each other, aligned to 16 bytes; else 0.
    int64_t dense_units(const heron_batch_operand& o, int64_t step, int64_t first) const {
        const int64_t at = as_number(o.base) + first * size_ * element_bytes;
        const bool is_dense = args_.vectors == 1 && step == 1 && o.kind == HERON_BATCH_STRIDED &&
                              o.stride == size_ && at % 16 == 0;
        return is_dense ? at : 0;
    }

    // Where the pass's factors of an item follow each other, and are shared by all items or, where a chunk
    // has those of several, follow the ones of the item before.
    void place_factors(tile_shape& t, parameters& p, int begin, int end) const {
        const heron_kron_factor_args& f0 = args_.factors[begin];
        for (int i = begin; i < end; ++i) {
            const heron_kron_factor_args& f = args_.factors[i];
            const int64_t distance = as_number(f.a.base) - as_number(f0.a.base);
            if (f.a.kind != HERON_BATCH_STRIDED || f.a.stride != f0.a.stride || f.row_step != 1 ||
                f.column_step != N || f.conjugate || distance != (i - begin) * N * N * element_bytes)
                return;
        }
        const int64_t stride = f0.a.stride;
        const int64_t all = t.modes * N * N;
        t.is_shared = stride == 0;
        if (t.teams > 1 && !t.is_shared && stride != all) return;
        const int64_t step = t.teams > 1 ? t.teams * all : stride;
        const bool has_quads = (t.is_shared ? all : t.teams * all) % quad == 0 && step % quad == 0 &&
                               as_number(f0.a.base) % 16 == 0;
        t.factors_copied = has_quads ? quad : 1;
        p.dense_factors = as_number(f0.a.base);
        p.factor_stride = stride;
    }

    tile_shape shape_of(int pass) const {
        tile_shape t{};
        t.modes = end_of(pass) - begin_of(pass);
        t.inner = power(N, args_.ndim - end_of(pass));
        const int64_t base = power(N, static_cast<int>(t.modes));
        t.width = pass == 0 ? 1 : width_of(base, t.inner);
        t.size = base * t.width;
        t.tiles = size_ / t.size;
        set_registers(t);
        t.teams = 1;
        if (t.size * element_bytes <= small_bytes)
            set_teams(t);
        else
            t.team = best_team(t);
        if (fibres_of(t) < t.fibres * t.team) t.fibres = 1;
        const bool has_quads =
            t.width == 1 ? t.teams * t.size % quad == 0 : t.width % quad == 0 && t.inner % quad == 0;
        t.copied = has_quads ? quad : 1;
        t.factors_copied = 1;
        t.buffers = 2 * bytes_of(t) <= pair_bytes ? 2 : 1;
        return t;
    }

    static void set_registers(tile_shape& t) {
        const bool in_one = t.width == 1 && (t.size <= 16 || (t.size == 27 && element_bytes <= 8));
        constexpr int64_t usual = plans::kron_fused_modes(element_bytes, N);
        t.at_once = in_one || t.modes < usual ? t.modes : usual;
        t.keeps = plans::kron_keeps_factors(element_bytes, N, static_cast<int>(t.at_once));
        t.fibres = plans::kron_fibres_at_once(element_bytes, N);
        t.wide = plans::kron_column_step(element_bytes, N);
    }

    static int64_t fibres_of(const tile_shape& t) { return t.size / power(N, static_cast<int>(t.at_once)); }

    // As many work-items per tile as have fibres, most of the time, and tiles for a group.
    void set_teams(tile_shape& t) const {
        const int64_t group = device_.traits().nvidia_major > 0 ? 32 : 64;
        const int64_t fibres = fibres_of(t);
        t.team = group;
        if (t.tiles > 1) return;  // which share their factors from one chunk to the next
        while (t.team > 1 && (t.team > fibres || fibres * 10 < (fibres + t.team - 1) / t.team * t.team * 7))
            t.team /= 2;
        for (; t.team < group; t.team *= 2) {
            t.teams = group / t.team;
            if (bytes_of(t) <= pair_bytes) break;
        }
        t.teams = group / t.team;
    }

    // As many work-items as keep a multiprocessor busy.
    int64_t best_team(const tile_shape& t) const {
        constexpr int64_t memory = 200 * 1024;
        // Registers allow no more.
        constexpr int64_t enough = element_bytes == 4 ? 1024 : 640;
        const int64_t per_item = t.keeps || t.at_once > 1 ? 1 : t.fibres;
        const int64_t groups = memory / bytes_of(t);
        int64_t best = 64;
        double most = 0;
        for (const int64_t items : {64, 96, 128, 192, 256}) {
            const int64_t at_once = items * per_item;
            const int64_t trips = (fibres_of(t) + at_once - 1) / at_once;
            const double resident = static_cast<double>(groups * items < enough ? groups * items : enough);
            const double busy =
                resident * static_cast<double>(fibres_of(t)) / static_cast<double>(trips * at_once);
            if (busy > 1.02 * most) {
                most = busy;
                best = items;
            }
        }
        return best;
    }

    // Registers of an NVIDIA multiprocessor, and of a work-item.
    static constexpr int64_t all_registers = 64 * 1024;
    static constexpr int64_t most_registers = 255;

    static constexpr int64_t registers_of_elements(int64_t elements) { return elements * element_bytes / 4; }

    // Of a work-item that has a fibre's results in each plane.
    static constexpr int64_t registers_of_planes(int64_t planes) {
        constexpr int64_t others = 18;
        return registers_of_elements(planes * (N * N + N)) + others;
    }

    // From four modes on items are read and written as neighbours. As many groups at a time as possible.
    held_shape best_held() const {
        held_shape best{};
        const auto largest = static_cast<int64_t>(device_.traits().largest_group);
        for (int64_t planes = 1; planes <= 4 && args_.ndim >= 4; ++planes) {
            held_shape t{};
            t.count = power(N, args_.ndim - 2);
            t.planes = planes;
            t.group = (t.count + planes - 1) / planes;
            const int64_t lanes = (t.group + 31) / 32 * 32;
            const int64_t needed = (registers_of_planes(planes) + 7) / 8 * 8;
            t.resident = needed > most_registers + 1 ? 0 : all_registers / (lanes * needed);
            if (t.group > largest || t.resident <= best.resident || !set_fibres(t)) continue;
            t.registers = all_registers / (lanes * t.resident) / 8 * 8;
            if (t.registers > most_registers) t.registers = most_registers;
            const bool has_two =
                registers_of_planes(planes) + registers_of_elements(planes * N) <= t.registers;
            t.ends = has_two && t.fibres > 1 ? 2 : 1;
            best = t;
        }
        return best;
    }

    // False when local memory is too small. Compilers do not unroll any loop, hence the bound on a fibre's
    // length.
    bool set_fibres(held_shape& t) const {
        constexpr int64_t banks = 128 / element_bytes, most_fibres = 4, most_unrolled = 28;
        const int64_t odd_runs = t.count * (N | 1), padded_rows = N * (t.count + banks - 1);
        t.slab = odd_runs > padded_rows ? odd_runs : padded_rows;
        const int64_t room =
            static_cast<int64_t>(device_.traits().local_bytes) - held_factors() * element_bytes;
        int64_t fitting = room / (t.slab * element_bytes);
        if (fitting < 1) return false;
        for (const int64_t most : {most_fibres, most_unrolled / N})
            if (fitting > most / t.planes) fitting = most / t.planes;
        if (fitting < 1) fitting = 1;
        const int64_t rounds = (N + fitting - 1) / fitting;
        t.fibres = (N + rounds - 1) / rounds;
        return true;
    }

    int64_t held_factors() const { return args_.ndim * N * ((N + quad - 1) / quad * quad); }

    void launch_held(const held_shape& t) {
        parameters p = whole_items();
        const bool has_steps = p.in_step != 1 || p.out_step != 1;
        std::string text =
            definitions("N", N, "MODES", args_.ndim, "COUNT", t.count, "PLANES", t.planes, "GROUP", t.group,
                        "QUAD", quad, "FIBRES", t.fibres, "ENDS", t.ends, "SLAB", t.slab);
        if (has_steps) text += "#define STEPS\n";
        const program_key key{"kron_common kron_quads kron_held", text, static_cast<int>(t.registers)};
        const local_memory local{static_cast<size_t>((held_factors() + t.fibres * t.slab) * element_bytes)};
        static const char ids[plans::kron_most_factors + 1][2] = {};
        constexpr int64_t most = int64_t{1} << 20;
        for (; p.first < p.units; p.first += most) {
            const int64_t groups = p.units - p.first < most ? p.units - p.first : most;
            launch(ids[args_.ndim][has_steps], "kron_held", key, groups, t.group, p, alpha(), beta(), local);
        }
    }

    // Names and values by turns.
    template <class... Rest>
    static std::string definitions(const char* name, int64_t value, const Rest&... rest) {
        return std::string("#define ") + name + " " + std::to_string(value) + "\n" + definitions(rest...);
    }
    static std::string definitions() { return std::string("#define CT ") + type_name<CT> + "\n"; }
    static std::string definitions(const tile_shape& t) {
        const int rest = static_cast<int>(t.modes % t.at_once);
        std::string text =
            definitions("N", N, "MODES", t.modes, "WIDTH", t.width, "SIZE", t.size, "TILES", t.tiles, "INNER",
                        t.inner, "TEAM", t.team, "TEAMS", t.teams, "QUAD", quad, "AT_ONCE", t.at_once,
                        "LENGTH", power(N, static_cast<int>(t.at_once)), "REST_LENGTH", power(N, rest),
                        "KEEPS", t.keeps, "FIBRES", t.fibres, "WIDE", t.wide, "COPIED", t.copied,
                        "FACTORS_COPIED", t.factors_copied, "BUFFERS", t.buffers);
        if (t.is_dense) text += "#define DENSE\n";
        if (t.is_shared) text += "#define SHARED\n";
        return text;
    }

    template <class... Args>
    void launch(const char& id, const char* name, const program_key& key, int64_t groups, int64_t local,
                Args... args) {
        const size_t counts[2] = {static_cast<size_t>(groups), 1};
        const size_t sizes[2] = {static_cast<size_t>(local), 1};
        device_.launch_program(&id, name, key, counts, sizes, args...);
    }

    opencl_device& device_;
    heron_phase phase_;
    const heron_kronmult_args& args_;
    workspace_layout layout_;
    int64_t size_;
    int passes_ = 1;
};

bool may_use_tuned(const heron_kronmult_args& args) {
    return args.algorithm == HERON_KRON_FUSED && args.count > 0 && args.vectors > 0 &&
           !plans::kron_is_zero(args) && args.output != HERON_KRON_ADD_GROUPED &&
           args.output != HERON_KRON_ADD_DETERMINISTIC;
}

template <class CT, int... sizes>
bool try_tuned(opencl_device& device, heron_phase phase, const heron_kronmult_args& args,
               heron_workspace& workspace) {
    const int64_t n = plans::kron_common_size(args);
    const auto run = [&]<int N>() {
        if (n != N) return false;
        square_kron<CT, N> k(device, phase, args, workspace);
        if (takes_gpu_kernels("kron", device.traits().is_gpu))
            return power(N, args.ndim) * N <= INT32_MAX && k.on_gpu();
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
    // Operands are addresses in the kernels' parameters.
    if (phase == HERON_PHASE_RUN) device.follow_addresses();
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

void override_kron(heron_backend& table) {
    table.kronmult = &slot<opencl_device, heron_kronmult_args, &kronmult, operation_names::kronmult>;
    table.kron_gemm = &slot<opencl_device, heron_kron_gemm_args, &kron_gemm, operation_names::kron_gemm>;
}

}  // namespace heron::opencl
