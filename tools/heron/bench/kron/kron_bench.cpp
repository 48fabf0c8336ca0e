#include "kron_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <map>
#include <stdexcept>

#include "measure/bandwidth.hpp"
#include "measure/bench_values.hpp"
#include "measure/device.hpp"
#include "measure/device_record.hpp"
#include "measure/measured_rows.hpp"
#include "whole_number.hpp"

namespace heron::tools {
namespace {

template <class Value, std::size_t count>
Value find_name(const std::array<std::pair<const char*, Value>, count>& names, const std::string& name,
                const char* what) {
    std::string known;
    for (const auto& [text, value] : names) {
        if (name == text) return value;
        known += fmt::format(" {}", text);
    }
    throw std::invalid_argument(fmt::format("'{}' is not one of the {}{}", name, what, known));
}

constexpr std::array<std::pair<const char*, heron_kron_output>, 5> modes{
    {{"store", HERON_KRON_STORE},
     {"add", HERON_KRON_ADD},
     {"atomic", HERON_KRON_ADD_ATOMIC},
     {"grouped", HERON_KRON_ADD_GROUPED},
     {"deterministic", HERON_KRON_ADD_DETERMINISTIC}}};
constexpr std::array<std::pair<const char*, heron_kron_algorithm>, 4> algorithms{
    {{"fused", HERON_KRON_FUSED},
     {"forward", HERON_KRON_993_FORWARD},
     {"backward", HERON_KRON_993_BACKWARD},
     {"recursive", HERON_KRON_RECURSIVE}}};

struct element_type {
    heron_type type;
    scalar_type scalar;
};
constexpr std::array<std::pair<const char*, element_type>, 4> types{
    {{"f32", {HERON_R_32F, scalar_type::f32}},
     {"f64", {HERON_R_64F, scalar_type::f64}},
     {"c32", {HERON_C_32F, scalar_type::c32}},
     {"c64", {HERON_C_64F, scalar_type::c64}}}};

// Floating-point operations per second of a GPU's vector units, fused multiply-adds counted twice; 0 when
// unknown.
double vector_peak(const heron_device_info& device, const std::string& backend, scalar_type type) {
    if (backend != "cuda" || device.major < 8) return 0;
    const bool is_double = type == scalar_type::f64 || type == scalar_type::c64;
    const bool is_server = device.minor == 0;
    const int per_clock = is_double ? (is_server ? 64 : 2) : device.major == 8 && is_server ? 64 : 128;
    return 2.0 * per_clock * device.compute_units * device.clock_mhz * 1e6;
}

// "3" or "2..10"
std::vector<int> numbers(const std::vector<std::string>& texts, int least, int most, const char* what) {
    std::vector<int> result;
    for (const std::string& text : texts) {
        const std::string_view all = text;
        const std::size_t dots = all.find("..");
        const auto first = whole_number(all.substr(0, dots));
        const auto last = dots == std::string::npos ? first : whole_number(all.substr(dots + 2));
        if (!first || !last || *first < least || *last > most || *first > *last)
            throw std::invalid_argument(
                fmt::format("'{}': {} are numbers from {} to {}, or FIRST..LAST", text, what, least, most));
        for (std::int64_t n = *first; n <= *last; ++n) result.push_back(static_cast<int>(n));
    }
    return result;
}

struct kron_case {
    std::string type;
    int n;
    int dims;
    std::string mode;
    std::string algorithm;
};

// After so many, random numbers repeat.
constexpr std::size_t distinct_numbers = 1000003;

// Operands on a device, prepared to be run and checked.
class kron_operands {
  public:
    // `values`: encoded numbers of the type, distinct_numbers of them.
    kron_operands(const device& where, const kron_case& what, const kron_bench_options& options,
                  const std::vector<std::byte>& values)
        : where_(where), type_(find_name(types, what.type, "types")), what_(what), values_(values) {
        for (int i = 0; i < what.dims; ++i) size_ *= what.n;
        element_ = traits_of(type_.scalar).size;
        count_ = options.batch > 0 ? options.batch : fitting(options);
        const std::vector<std::int64_t> sizes(static_cast<std::size_t>(what.dims), what.n);
        check(heron_kronmult_init(&desc_, type_.type, what.dims, sizes.data(), sizes.data(), count_),
              "heron_kronmult_init");
        desc_.output = find_name(modes, what.mode, "modes");
        desc_.algorithm = find_name(algorithms, what.algorithm, "algorithms");
        place_factors(options.shared_factors);
        x_ = filled(size_ * count_, distinct_numbers / 2);
        desc_.x.base = x_.get();
        place_outputs(options.outputs);
        for (int i = 0; i < what.dims; ++i) list(desc_.factors[i].a, options.operands, count_);
        list(desc_.x, options.operands, count_);
        list(desc_.y, options.operands, outputs_);
        std::size_t bytes = 0;
        check(heron_kronmult_workspace(where_.handle(), &desc_, &bytes), "heron_kronmult_workspace");
        workspace_bytes_ = bytes;
        if (bytes > 0) workspace_ = where_.allocate(bytes);
    }

    void run() const {
        check(heron_kronmult(where_.handle(), nullptr, &desc_, nullptr, workspace_.get(), workspace_bytes_),
              "heron_kronmult");
    }

    // Compares some rows of all items that share the outputs of the first and the last item.
    bool is_right() const {
        where_.fill(y_.get(), 0, static_cast<std::size_t>(outputs_ * size_) * element_);
        run();
        where_.synchronize();
        return output_is_right(0) && output_is_right(outputs_ - 1);
    }

    const heron_kronmult_desc& desc() const { return desc_; }
    scalar_type scalar() const { return type_.scalar; }
    std::int64_t count() const { return count_; }
    std::int64_t outputs() const { return outputs_; }
    std::int64_t elements() const { return count_ * size_; }
    std::size_t workspace_bytes() const { return workspace_bytes_; }
    // X, and as much again for outputs of their own.
    std::int64_t vector_bytes() const { return 2 * elements() * static_cast<std::int64_t>(element_); }
    std::int64_t factor_bytes() const { return factor_elements_ * static_cast<std::int64_t>(element_); }

  private:
    // X and Y together are several times what the caches hold, on a GPU so large that the first and last
    // items of a launch matter little, as far as there is memory for them and for the factors.
    std::int64_t fitting(const kron_bench_options& options) const {
        constexpr std::size_t on_gpu = std::size_t{1} << 30;
        const std::int64_t vectors = 2 * size_ * static_cast<std::int64_t>(element_);
        if (options.batch_bytes > 0) return std::max<std::int64_t>(options.batch_bytes / vectors, 1);
        const heron_device_info& info = where_.info();
        const std::size_t wanted = info.is_gpu ? std::max(where_.cold_bytes(), on_gpu) : where_.cold_bytes();
        const std::int64_t factors =
            options.shared_factors ? 0 : std::int64_t{what_.dims} * what_.n * what_.n * element_;
        const std::int64_t affordable =
            static_cast<std::int64_t>(info.memory_bytes / 4) / (vectors + factors);
        return std::max<std::int64_t>(std::min(static_cast<std::int64_t>(wanted) / vectors, affordable), 1);
    }

    // The numbers of the sequence from `first`, again and again.
    device_buffer filled(std::int64_t elements, std::size_t first) {
        const std::size_t all = static_cast<std::size_t>(elements) * element_;
        const std::size_t distinct = std::min(all, values_.size() - first * element_);
        device_buffer memory = where_.allocate(all);
        where_.copy(memory.get(), values_.data() + first * element_, distinct);
        for (std::size_t done = distinct; done < all;) {
            const std::size_t more = std::min(done, all - done);
            where_.copy(memory.at(done), memory.get(), more);
            done += more;
        }
        return memory;
    }

    void place_factors(bool shared) {
        const std::int64_t factor = std::int64_t{what_.n} * what_.n;
        const std::int64_t per_item = factor * what_.dims;
        factor_elements_ = per_item * (shared ? 1 : count_);
        factors_ = filled(factor_elements_, 0);
        factors_stride_ = shared ? 0 : per_item;
        for (int i = 0; i < what_.dims; ++i)
            desc_.factors[i].a = heron_batch_strided(
                factors_.at(static_cast<std::size_t>(i * factor) * element_), factors_stride_);
    }

    void place_outputs(std::int64_t wanted) {
        const bool may_overlap = desc_.output > HERON_KRON_ADD;
        outputs_ = may_overlap && wanted > 0 ? std::min(wanted, count_) : count_;
        y_ = where_.allocate(static_cast<std::size_t>(outputs_ * size_) * element_);
        where_.fill(y_.get(), 0, static_cast<std::size_t>(outputs_ * size_) * element_);
        desc_.y = heron_batch_strided(y_.get(), size_);
        if (outputs_ == count_ && desc_.output != HERON_KRON_ADD_GROUPED) return;
        if (desc_.output == HERON_KRON_ADD_GROUPED) {
            std::vector<std::int64_t> offsets;
            for (std::int64_t g = 0; g <= outputs_; ++g) offsets.push_back(group_begin(g));
            desc_.group_offsets = upload(offsets);
            desc_.group_count = outputs_;
            desc_.group_type = HERON_INDEX_64;
            return;
        }
        std::vector<std::int64_t> indices;
        for (std::int64_t k = 0; k < count_; ++k) indices.push_back(k % outputs_);
        desc_.y = heron_batch_indexed(y_.get(), size_, upload(indices), HERON_INDEX_64);
    }

    // Finds a strided operand by a list instead.
    void list(heron_batch_operand& operand, const std::string& how, std::int64_t count) {
        if (how == "strided" || operand.kind != HERON_BATCH_STRIDED) return;
        const bool by_index = how == "indexed";
        const auto first = by_index ? 0 : reinterpret_cast<std::int64_t>(operand.base);
        const auto step = by_index ? 1 : operand.stride * static_cast<std::int64_t>(element_);
        std::vector<std::int64_t> entries;
        for (std::int64_t k = 0; k < count; ++k) entries.push_back(first + k * step);
        const void* const uploaded = upload(entries);
        operand = by_index ? heron_batch_indexed(operand.base, operand.stride, uploaded, HERON_INDEX_64)
                           : heron_batch_pointers(static_cast<const void* const*>(uploaded));
    }

    const void* upload(const std::vector<std::int64_t>& values) {
        lists_.push_back(where_.allocate(values.size() * sizeof values[0]));
        where_.copy(lists_.back().get(), values.data(), values.size() * sizeof values[0]);
        return lists_.back().get();
    }

    std::int64_t group_begin(std::int64_t g) const {
        return count_ / outputs_ * g + count_ % outputs_ * g / outputs_;
    }

    std::vector<std::complex<double>> download(const std::byte* from, std::int64_t elements) const {
        std::vector<std::byte> bytes(static_cast<std::size_t>(elements) * element_);
        where_.copy(bytes.data(), from, bytes.size());
        return complex_numbers(decode(type_.scalar, bytes));
    }

    std::vector<std::int64_t> items_of(std::int64_t output) const {
        std::vector<std::int64_t> items;
        if (desc_.output == HERON_KRON_ADD_GROUPED) {
            for (std::int64_t k = group_begin(output); k < group_begin(output + 1); ++k) items.push_back(k);
        } else {
            for (std::int64_t k = output; k < count_; k += outputs_) items.push_back(k);
        }
        return items;
    }

    bool output_is_right(std::int64_t output) const {
        constexpr std::int64_t most_checked_items = 2000;
        constexpr std::int64_t most_rows = 16;
        const std::vector<std::int64_t> items = items_of(output);
        if (static_cast<std::int64_t>(items.size()) * size_ > most_checked_items * 512) return true;
        const auto y = download(y_.at(static_cast<std::size_t>(output * size_) * element_), size_);
        const std::int64_t step = std::max<std::int64_t>(size_ / most_rows, 1);
        std::vector<std::complex<double>> sums(static_cast<std::size_t>(size_));
        std::vector<double> sizes(static_cast<std::size_t>(size_));
        const std::int64_t factor = std::int64_t{what_.n} * what_.n;
        for (const std::int64_t k : items) {
            const auto x = download(x_.at(static_cast<std::size_t>(k * size_) * element_), size_);
            const auto a = download(factors_.at(static_cast<std::size_t>(k * factors_stride_) * element_),
                                    factor * what_.dims);
            for (std::int64_t row = 0; row < size_; row += step) add_row(row, a, x, sums, sizes);
        }
        const double weight = 4.0 * traits_of(type_.scalar).epsilon *
                              (what_.n * what_.dims + static_cast<double>(items.size()) + 8.0);
        for (std::int64_t row = 0; row < size_; row += step) {
            const auto at = static_cast<std::size_t>(row);
            if (!(std::abs(y[at] - sums[at]) <= weight * sizes[at])) return false;
        }
        return true;
    }

    void add_row(std::int64_t row, const std::vector<std::complex<double>>& a,
                 const std::vector<std::complex<double>>& x, std::vector<std::complex<double>>& sums,
                 std::vector<double>& sizes) const {
        const std::int64_t n = what_.n;
        std::vector<std::complex<double>> line{1.0};
        std::int64_t below = size_;
        for (int f = 0; f < what_.dims; ++f) {
            below /= n;
            const std::int64_t i = row / below % n;
            std::vector<std::complex<double>> next;
            for (const auto& l : line)
                for (std::int64_t j = 0; j < n; ++j)
                    next.push_back(l * a[static_cast<std::size_t>(f * n * n + j * n + i)]);
            line.swap(next);
        }
        for (std::size_t j = 0; j < line.size(); ++j) {
            sums[static_cast<std::size_t>(row)] += line[j] * x[j];
            sizes[static_cast<std::size_t>(row)] += std::abs(line[j]) * std::abs(x[j]);
        }
    }

    const device& where_;
    element_type type_;
    kron_case what_;
    const std::vector<std::byte>& values_;
    std::int64_t size_ = 1;
    std::size_t element_ = 0;
    std::int64_t count_ = 0;
    std::int64_t outputs_ = 0;
    std::int64_t factor_elements_ = 0;
    heron_kronmult_desc desc_{};
    device_buffer factors_, x_, y_, workspace_;
    std::vector<device_buffer> lists_;
    std::int64_t factors_stride_ = 0;
    std::size_t workspace_bytes_ = 0;
};

class kron_bench {
  public:
    kron_bench(const kron_bench_options& options, progress& steps) : options_(options), progress_(steps) {}

    kron_bench_result run() {
        for (const std::string& name : usable_backends(options_.backends)) run_backend(name);
        progress_.clear();
        kron_bench_result result;
        result.table = make_report();
        result.failures = was_run_ ? failures_ : 1;
        return result;
    }

  private:
    void run_backend(const std::string& name) {
        const device where(name);
        heading_.push_back(fmt::format("{}: {}, {}, {} compute units, cache {}", name, where.info().name,
                                       where.info().isa, where.info().compute_units,
                                       size_text(where.info().cache_bytes)));
        record described = device_record(where.info());
        described["backend"] = name;
        devices_.push_back(std::move(described));
        const auto probe = make_bandwidth_probe(where);
        for (const std::string& type : options_.types)
            for (const int dims : numbers(options_.dims, 1, 8, "dimensions"))
                for (const int n : numbers(options_.sizes, 1, 64, "sizes"))
                    for (const std::string& mode : options_.modes)
                        for (const std::string& algorithm : options_.algorithms)
                            run_case(where, *probe, {type, n, dims, mode, algorithm});
    }

    const std::vector<std::byte>& values_of(const std::string& type) {
        std::vector<std::byte>& values = values_[type];
        if (values.empty()) {
            const scalar_type scalar = find_name(types, type, "types").scalar;
            splitmix64 random(options_.seed);
            values = encode(scalar, random_numbers(scalar, distinct_numbers, random));
        }
        return values;
    }

    void run_case(const device& where, bandwidth_probe& probe, const kron_case& what) {
        record row;
        row["backend"] = where.backend();
        row["type"] = what.type;
        row["dims"] = what.dims;
        row["n"] = what.n;
        row["mode"] = what.mode;
        row["algorithm"] = what.algorithm;
        if (std::pow(what.n, what.dims) > 1 << 26) {
            row["result"] = "skipped";
            row["message"] = "an item would have more than 2^26 elements";
            rows_.push_back(std::move(row));
            return;
        }
        was_run_ = true;
        progress_.step(fmt::format("{} {} d={} n={} {} {}", where.backend(), what.type, what.dims, what.n,
                                   what.mode, what.algorithm));
        try {
            const kron_operands data(where, what, options_, values_of(what.type));
            row["batch"] = data.count();
            row["vector_bytes"] = data.vector_bytes();
            row["outputs"] = data.outputs();
            row["workspace"] = data.workspace_bytes();
            const bool right = data.is_right();
            row["result"] = right ? "ok" : "WRONG";
            failures_ += right ? 0 : 1;
            if (right) time(where, probe, data, row);
        } catch (const std::exception& error) {
            row["result"] = "failed";
            row["message"] = reason_of(error);
            ++failures_;
        }
        rows_.push_back(std::move(row));
    }

    void time(const device& where, bandwidth_probe& probe, const kron_operands& data, record& row) const {
        const std::array<timed_task, 2> tasks{{{[&](std::int64_t calls) {
                                                   return where.seconds([&] {
                                                       for (std::int64_t i = 0; i < calls; ++i) data.run();
                                                   });
                                               }},
                                               {[&](std::int64_t calls) { return probe.seconds(calls); }}}};
        const std::vector<timing> times = measure_interleaved(tasks, options_.timing);
        if (!times[0].error.empty()) throw std::runtime_error(times[0].error);
        double operations = 0, bytes = 0;
        check(heron_kronmult_cost(&data.desc(), &operations, &bytes), "heron_kronmult_cost");
        const double seconds = times[0].median;
        row["seconds"] = seconds;
        row["seconds_min"] = times[0].min;
        row["gflops"] = operations / seconds * 1e-9;
        row["gbytes_per_second"] = bytes / seconds * 1e-9;
        row["elements_per_second"] = static_cast<double>(data.elements()) / seconds;
        const double all_bytes = bytes + static_cast<double>(data.factor_bytes());
        row["with_factors"]["gbytes_per_second"] = all_bytes / seconds * 1e-9;
        if (!times[1].error.empty()) return;
        const double peak = probe.rate(times[1].median).bytes_per_second;
        row["bandwidth"]["gbytes_per_second"] = peak * 1e-9;
        row["bandwidth"]["percent"] = 100 * bytes / seconds / peak;
        row["with_factors"]["percent"] = 100 * all_bytes / seconds / peak;
        const double flops = vector_peak(where.info(), where.backend(), data.scalar());
        const double arithmetic = flops > 0 ? operations / flops : 0;
        row["bound"]["percent"] = 100 * std::max(all_bytes / peak, arithmetic) / seconds;
    }

    report make_report() const {
        report result;
        result.run["benchmark"] = "kron";
        result.run["version"] = library_version();
        result.run["devices"] = devices_;
        result.run["options"]["seed"] = options_.seed;
        result.run["options"]["operands"] = options_.operands;
        result.run["options"]["shared_factors"] = options_.shared_factors;
        result.run["options"]["rounds"] = options_.timing.rounds;
        result.rows = rows_;
        result.heading = heading_;
        result.heading.insert(result.heading.begin(),
                              fmt::format("heron bench kron, Heron {}", library_version()));
        result.heading.push_back(
            fmt::format("operands {}, factors {}, seed {}, {} rounds of at least {:g} ms", options_.operands,
                        options_.shared_factors ? "shared by all items" : "different for every item",
                        options_.seed, options_.timing.rounds, options_.timing.round_seconds * 1e3));
        result.columns = {
            {.key = "/backend", .title = "backend"},
            {.key = "/type", .title = "type"},
            {.key = "/dims", .title = "d", .format = "{:.0f}"},
            {.key = "/n", .title = "n", .format = "{:.0f}"},
            {.key = "/batch", .title = "batch", .format = "{:.0f}"},
            {.key = "/vector_bytes", .title = "X+Y MiB", .format = "{:.0f}", .scale = 0x1p-20},
            {.key = "/outputs", .title = "outputs", .format = "{:.0f}"},
            {.key = "/mode", .title = "mode"},
            {.key = "/algorithm", .title = "alg", .fold = true},
            {.key = "/result", .title = "result", .fold = true},
            {.key = "/seconds", .title = "ms", .format = "{:.3f}", .scale = 1e3},
            {.key = "/gflops", .title = "GFLOP/s", .format = "{:.2f}"},
            {.key = "/gbytes_per_second", .title = "GB/s", .format = "{:.1f}"},
            {.key = "/elements_per_second", .title = "Gelem/s", .format = "{:.3f}", .scale = 1e-9},
            {.key = "/bandwidth/percent", .title = "% bw", .format = "{:.1f}"},
            {.key = "/with_factors/percent", .title = "% with A", .format = "{:.1f}"},
            {.key = "/bound/percent", .title = "% bound", .format = "{:.1f}"},
            {.key = "/bandwidth/gbytes_per_second", .title = "bw GB/s", .format = "{:.1f}"},
            {.key = "/message", .title = "message"}};
        result.notes = {
            "ms: median per call over the rounds; GB/s: compulsory bytes of X and Y alone (X read, Y "
            "written, Y read",
            "where it is added to); % bw: of what the memory was measured to do in between, as in heron "
            "bench spmv; % with A: the same with the bytes of the factors, each of which is read once; % "
            "bound: "
            "of what that or",
            "the arithmetic of the vector units allows, where these are known (CUDA)."};
        return result;
    }

    const kron_bench_options& options_;
    progress& progress_;
    std::vector<std::string> heading_{};
    record devices_ = record::array();
    std::map<std::string, std::vector<std::byte>> values_{};
    measured_rows rows_{progress_};
    int failures_ = 0;
    bool was_run_ = false;
};

}  // namespace

kron_bench_result run_kron_bench(const kron_bench_options& options, progress& progress) {
    for (const std::string& name : options.types) find_name(types, name, "types");
    for (const std::string& name : options.modes) find_name(modes, name, "modes");
    for (const std::string& name : options.algorithms) find_name(algorithms, name, "algorithms");
    return kron_bench(options, progress).run();
}

}  // namespace heron::tools
