#include "dense_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <stdexcept>

#include "bench_values.hpp"
#include "device_record.hpp"
#include "flop_peak.hpp"

namespace heron::tools {
namespace {

struct element_type {
    const char* name;
    heron_type type;
    scalar_type scalar;
};
constexpr element_type types[] = {{"f32", HERON_R_32F, scalar_type::f32},
                                  {"f64", HERON_R_64F, scalar_type::f64},
                                  {"c32", HERON_C_32F, scalar_type::c32},
                                  {"c64", HERON_C_64F, scalar_type::c64}};

const element_type& find_type(const std::string& name) {
    for (const element_type& t : types)
        if (name == t.name) return t;
    throw std::invalid_argument(fmt::format("'{}' is not one of the types f32 f64 c32 c64", name));
}

heron_operation find_operation(char letter) {
    switch (letter) {
        case 'N':
            return HERON_OP_NONE;
        case 'T':
            return HERON_OP_TRANSPOSE;
        case 'C':
            return HERON_OP_CONJUGATE_TRANSPOSE;
        default:
            throw std::invalid_argument(fmt::format("'{}' is not one of the operations N T C", letter));
    }
}

// "300", "100x20x30", for rank updates "100x30".
void set_sizes(dense_problem& p, const std::string& text) {
    std::vector<int> numbers;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find('x', at), text.size());
        try {
            numbers.push_back(std::stoi(text.substr(at, end - at)));
        } catch (const std::logic_error&) {
            numbers.push_back(0);
        }
        at = end + 1;
    }
    const bool is_gemm = p.operation == dense_operation::gemm;
    const std::size_t wanted = is_gemm ? 3 : 2;
    const bool is_right = numbers.size() == 1 || numbers.size() == wanted;
    if (!is_right || *std::min_element(numbers.begin(), numbers.end()) < 1)
        throw std::invalid_argument(
            fmt::format("'{}' is not a size such as 256 or {}", text, is_gemm ? "1000x20x300" : "500x30"));
    p.m = numbers.front();
    p.k = numbers.back();
    p.n = is_gemm && numbers.size() == 3 ? numbers[1] : p.m;
}

const char* name_of(dense_operation operation, bool complex) {
    switch (operation) {
        case dense_operation::gemm:
            return "gemm";
        case dense_operation::rank_k:
            return complex ? "herk" : "syrk";
        default:
            return complex ? "her2k" : "syr2k";
    }
}

// Operands on a device, and some elements of the result in double.
class dense_operands {
  public:
    dense_operands(const device& where, const dense_problem& problem, const element_type& type,
                   std::uint64_t seed)
        : where_(where), problem_(problem), type_(type), random_(seed) {
        const auto m = static_cast<std::size_t>(problem.m), n = static_cast<std::size_t>(problem.n),
                   k = static_cast<std::size_t>(problem.k);
        a_ = random_numbers(type.scalar, m * k, random_);
        b_ = random_numbers(type.scalar, n * k, random_);
        on_device_[0] = uploaded(a_);
        on_device_[1] = uploaded(b_);
        c_bytes_ = m * n * traits_of(type.scalar).size;
        on_device_[2] = where.allocate(c_bytes_);
        problem_.a = on_device_[0].get();
        problem_.b = on_device_[1].get();
        problem_.c = on_device_[2].get();
    }

    const dense_problem& problem() const { return problem_; }

    void run_heron(heron_rank_2k_algorithm algorithm) const {
        const dense_problem& p = problem_;
        const float single_one[2] = {1, 0}, single_zero[2] = {0, 0};
        const double double_one[2] = {1, 0}, double_zero[2] = {0, 0};
        const void* const one = p.is_single() ? static_cast<const void*>(single_one) : double_one;
        const void* const zero = p.is_single() ? static_cast<const void*>(single_zero) : double_zero;
        const heron_handle handle = where_.handle();
        if (p.operation == dense_operation::gemm) {
            check(heron_gemm(handle, p.type, HERON_ORDER_COLUMN, p.op_a, p.op_b, p.m, p.n, p.k, one, p.a,
                             p.lda(), p.b, p.ldb(), zero, p.c, p.m, HERON_GEMM_DEFAULT),
                  "heron_gemm");
        } else if (p.operation == dense_operation::rank_k) {
            const auto f = p.is_complex() ? heron_herk : heron_syrk;
            check(f(handle, p.type, HERON_ORDER_COLUMN, HERON_FILL_LOWER, HERON_OP_NONE, p.n, p.k, one, p.a,
                    p.n, zero, p.c, p.n),
                  "heron_herk");
        } else {
            const auto f = p.is_complex() ? heron_her2k : heron_syr2k;
            check(f(handle, p.type, HERON_ORDER_COLUMN, HERON_FILL_LOWER, HERON_OP_NONE, p.n, p.k, one, p.a,
                    p.n, p.b, p.n, zero, p.c, p.n, algorithm),
                  "heron_her2k");
        }
    }

    // Compares elements here and there, corners included.
    bool is_right(const std::function<void()>& run) const {
        where_.fill(problem_.c, 0xff, c_bytes_);
        where_.synchronize();  // a peer on the processor would not wait
        run();
        where_.synchronize();
        std::vector<std::byte> bytes(c_bytes_);
        where_.copy(bytes.data(), problem_.c, c_bytes_);
        const number_array c = decode(type_.scalar, bytes);
        splitmix64 random(1);
        constexpr int samples = 200;
        for (int s = 0; s < samples; ++s) {
            int i = s == 0 ? problem_.m - 1 : static_cast<int>(random.below(problem_.m));
            int j = s < 2 ? problem_.n - 1 : static_cast<int>(random.below(problem_.n));
            if (problem_.operation != dense_operation::gemm && i < j) std::swap(i, j);
            if (!is_right(c, i, j)) return false;
        }
        return true;
    }

  private:
    using number = std::complex<double>;

    device_buffer uploaded(const number_array& values) const {
        const std::vector<std::byte> bytes = encode(type_.scalar, values);
        device_buffer memory = where_.allocate(bytes.size());
        where_.copy(memory.get(), bytes.data(), bytes.size());
        return memory;
    }

    static number at(const number_array& values, int i, int j, int ld, heron_operation op) {
        const bool turned = op != HERON_OP_NONE;
        const auto index = static_cast<std::size_t>(turned ? j : i) +
                           static_cast<std::size_t>(turned ? i : j) * static_cast<std::size_t>(ld);
        const number v{values.real[index], values.imag_at(index)};
        return op == HERON_OP_CONJUGATE_TRANSPOSE ? std::conj(v) : v;
    }

    bool is_right(const number_array& c, int i, int j) const {
        const dense_problem& p = problem_;
        number sum = 0;
        double size = 0;
        const auto add = [&](number x, number y) {
            sum += x * y;
            size += std::abs(x) * std::abs(y);
        };
        for (int l = 0; l < p.k; ++l) {
            if (p.operation == dense_operation::gemm) {
                add(at(a_, i, l, p.lda(), p.op_a), at(b_, l, j, p.ldb(), p.op_b));
            } else {
                const number_array& other = p.operation == dense_operation::rank_k ? a_ : b_;
                add(at(a_, i, l, p.n, HERON_OP_NONE), std::conj(at(other, j, l, p.n, HERON_OP_NONE)));
                if (p.operation == dense_operation::rank_2k)
                    add(at(b_, i, l, p.n, HERON_OP_NONE), std::conj(at(a_, j, l, p.n, HERON_OP_NONE)));
            }
        }
        const auto index =
            static_cast<std::size_t>(i) + static_cast<std::size_t>(j) * static_cast<std::size_t>(p.m);
        const number got{c.real[index], c.imag_at(index)};
        return std::abs(got - sum) <= traits_of(type_.scalar).epsilon * (4.0 * p.k + 16) * size;
    }

    const device& where_;
    dense_problem problem_;
    element_type type_;
    splitmix64 random_;
    number_array a_, b_;
    device_buffer on_device_[3];
    std::size_t c_bytes_ = 0;
};

class dense_bench {
  public:
    dense_bench(const dense_bench_options& options, progress& steps) : options_(options), progress_(steps) {}

    dense_bench_result run() {
        for (const std::string& name : backends()) run_backend(name);
        progress_.clear();
        return {make_report(), failures_};
    }

  private:
    std::vector<std::string> backends() const {
        if (!options_.backends.empty()) return options_.backends;
        std::vector<std::string> usable;
        for (const backend_state& backend : list_backends())
            if (backend.available) usable.push_back(backend.name);
        return usable;
    }

    void run_backend(const std::string& name) {
        const device where(name);
        const auto peers = open_blas_peers(where);
        heading_.push_back(fmt::format("{}: {}, {}, {} compute units", name, where.info().name,
                                       where.info().isa, where.info().compute_units));
        record described = device_record(where.info());
        described["backend"] = name;
        for (const auto& peer : peers) {
            heading_.push_back(fmt::format("{}: {}", peer->name(), peer->version()));
            described["peers"][peer->name()] = peer->version();
            if (std::find(peer_names_.begin(), peer_names_.end(), peer->name()) == peer_names_.end())
                peer_names_.push_back(peer->name());
        }
        const double peaks[2] = {flop_peak(where, false), flop_peak(where, true)};
        described["peak_gflops"]["f64"] = peaks[0] * 1e-9;
        described["peak_gflops"]["f32"] = peaks[1] * 1e-9;
        devices_.push_back(std::move(described));
        for (const std::string& type_name : options_.types)
            for (const std::string& ops : options_.operation == dense_operation::gemm
                                              ? options_.operations
                                              : std::vector<std::string>{"NN"})
                for (const std::string& size : options_.sizes) {
                    const element_type& type = find_type(type_name);
                    dense_problem p;
                    p.operation = options_.operation;
                    p.type = type.type;
                    p.op_a = find_operation(ops.at(0));
                    p.op_b = find_operation(ops.at(1));
                    set_sizes(p, size);
                    run_case(where, peers, p, type, ops, peaks[p.is_single() ? 1 : 0]);
                }
    }

    void run_case(const device& where, const std::vector<std::unique_ptr<blas_peer>>& peers,
                  const dense_problem& p, const element_type& type, const std::string& ops, double peak) {
        record row;
        row["backend"] = where.backend();
        row["operation"] = name_of(p.operation, p.is_complex());
        row["type"] = type.name;
        row["ops"] = ops;
        row["m"] = p.m;
        row["n"] = p.n;
        row["k"] = p.k;
        progress_.step(fmt::format("{} {} {} {}x{}x{}", where.backend(), row["operation"].get<std::string>(),
                                   type.name, p.m, p.n, p.k));
        try {
            const dense_operands data(where, p, type, options_.seed);
            time(where, peers, data, peak, row);
        } catch (const std::exception& error) {
            row["result"] = "failed";
            row["message"] = error.what();
            ++failures_;
        }
        rows_.push_back(std::move(row));
    }

    void time(const device& where, const std::vector<std::unique_ptr<blas_peer>>& peers,
              const dense_operands& data, double peak, record& row) {
        std::vector<std::string> names{"heron"};
        std::vector<std::function<void()>> calls{[&] { data.run_heron(HERON_RANK_2K_FUSED); }};
        if (options_.two_passes && data.problem().operation == dense_operation::rank_2k) {
            names.emplace_back("two_passes");
            calls.emplace_back([&] { data.run_heron(HERON_RANK_2K_TWO_PASSES); });
        }
        for (const auto& peer : peers) {
            names.push_back(peer->name());
            calls.push_back(peer->call(data.problem()));
        }
        row["result"] = "ok";
        std::vector<timed_task> tasks;
        for (std::size_t i = 0; i < calls.size(); ++i) {
            if (!data.is_right(calls[i])) {
                row["result"] = names[i] + " WRONG";
                ++failures_;
                return;
            }
            tasks.push_back({[&where, call = calls[i]](std::int64_t count) {
                return where.seconds([&] {
                    for (std::int64_t n = 0; n < count; ++n) call();
                });
            }});
        }
        const std::vector<timing> times = measure_interleaved(tasks, options_.timing);
        const double own = times[0].median;
        const double operations = data.problem().operations();
        row["seconds"] = own;
        row["gflops"] = operations / own * 1e-9;
        if (peak > 0) row["percent"] = 100 * operations / own / peak;
        for (std::size_t i = 1; i < times.size(); ++i) {
            if (!times[i].error.empty()) continue;
            row["peer"][names[i]] = operations / times[i].median * 1e-9;
            row["ratio"][names[i]] = times[i].median / own;
        }
    }

    report make_report() const {
        report result;
        const char* const name = name_of(options_.operation, true);
        result.run["benchmark"] = name;
        result.run["version"] = library_version();
        result.run["devices"] = devices_;
        result.run["options"]["seed"] = options_.seed;
        result.run["options"]["rounds"] = options_.timing.rounds;
        result.rows = rows_;
        result.heading = heading_;
        result.heading.insert(result.heading.begin(),
                              fmt::format("heron bench {}, Heron {}", name, library_version()));
        result.columns = {{.key = "/backend", .title = "backend"},
                          {.key = "/operation", .title = "op"},
                          {.key = "/type", .title = "type"},
                          {.key = "/ops", .title = "ops", .fold = true},
                          {.key = "/m", .title = "m", .format = "{:.0f}"},
                          {.key = "/n", .title = "n", .format = "{:.0f}"},
                          {.key = "/k", .title = "k", .format = "{:.0f}"},
                          {.key = "/result", .title = "result", .fold = true},
                          {.key = "/seconds", .title = "ms", .format = "{:.3f}", .scale = 1e3},
                          {.key = "/gflops", .title = "GFLOP/s", .format = "{:.1f}"},
                          {.key = "/percent", .title = "% peak", .format = "{:.1f}"}};
        std::vector<std::string> others = peer_names_;
        if (options_.two_passes) others.insert(others.begin(), "two_passes");
        for (const std::string& other : others) {
            result.columns.push_back({.key = "/peer/" + other, .title = other, .format = "{:.1f}"});
            result.columns.push_back({.key = "/ratio/" + other, .title = "ratio", .format = "{:.2f}"});
        }
        result.columns.push_back({.key = "/message", .title = "message"});
        result.notes = {
            "GFLOP/s: from the median per call, a complex multiply-add counted as 8; ratio: above 1 Heron is",
            "faster; % peak: of multiply-adds between registers on all cores, measured (processors) or from",
            "clock and multiprocessors (CUDA)."};
        return result;
    }

    const dense_bench_options& options_;
    progress& progress_;
    std::vector<std::string> heading_{};
    std::vector<std::string> peer_names_{};
    record devices_ = record::array();
    std::vector<record> rows_{};
    int failures_ = 0;
};

}  // namespace

dense_bench_result run_dense_bench(const dense_bench_options& options, progress& progress) {
    for (const std::string& name : options.types) find_type(name);
    for (const std::string& ops : options.operations) {
        if (ops.size() != 2) throw std::invalid_argument(fmt::format("'{}' is not two of N T C", ops));
        find_operation(ops[0]);
        find_operation(ops[1]);
    }
    for (const std::string& size : options.sizes) {
        dense_problem p;
        p.operation = options.operation;
        set_sizes(p, size);
    }
    return dense_bench(options, progress).run();
}

}  // namespace heron::tools
