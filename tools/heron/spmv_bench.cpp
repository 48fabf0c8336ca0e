#include "spmv_bench.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include <omp.h>

#include "bandwidth.hpp"
#include "cusparse_library.hpp"
#include "device.hpp"
#include "device_record.hpp"
#include "eigen_spmv.hpp"
#include "spmv_contenders.hpp"

namespace heron::tools {
namespace {

constexpr std::array<std::pair<const char*, cusparseSpMVAlg_t>, 7> algorithms{{
    {"default", CUSPARSE_SPMV_ALG_DEFAULT},
    {"coo1", CUSPARSE_SPMV_COO_ALG1},
    {"coo2", CUSPARSE_SPMV_COO_ALG2},
    {"csr1", CUSPARSE_SPMV_CSR_ALG1},
    {"csr2", CUSPARSE_SPMV_CSR_ALG2},
    {"sell1", CUSPARSE_SPMV_SELL_ALG1},
    {"bsr1", CUSPARSE_SPMV_BSR_ALG1},
}};

cusparseSpMVAlg_t find_algorithm(const std::string& name) {
    for (const auto& [known, value] : algorithms) {
        if (name == known) return value;
    }
    throw std::invalid_argument(
        fmt::format("'{}' is not one of the algorithms {}", name, spmv_algorithm_names()));
}

char find_op(const std::string& name) {
    if (name == "N" || name == "T" || name == "C") return name[0];
    throw std::invalid_argument(fmt::format("'{}' is not one of the operations N T C", name));
}

// Who takes part, in all cases of a run.
struct engine {
    std::string name;
    const device* where = nullptr;
    const cusparse_handle* handle = nullptr;  // null for Eigen
    int eigen_threads = 0;
    bool is_heron = false;
};

// What Heron is to be compared with: others on the same kind of device, and for OpenCL also Heron's plug-in
// that is native to that kind.
bool is_baseline(const engine& of, const engine& peer) {
    if (&of == &peer || !of.is_heron || of.where->is_processor() != peer.where->is_processor()) return false;
    return !peer.is_heron || (of.where->backend() == "opencl" && peer.where->backend() != "opencl");
}

// Everything that stays open during a run.
class arena {
  public:
    explicit arena(const spmv_bench_options& options) {
        open_devices(options);
        open_libraries(options);
        open_eigen(options);
        if (engines_.empty()) throw std::runtime_error("there is nobody to measure");
    }

    const std::vector<engine>& engines() const { return engines_; }
    const std::vector<std::unique_ptr<device>>& devices() const { return devices_; }
    bandwidth_probe& probe(const device& where) {
        auto& found = probes_[&where];
        if (!found) found = make_bandwidth_probe(where);
        return *found;
    }

    record libraries_record() const {
        record result = record::array();
        for (const engine& e : engines_) {
            record entry;
            entry["name"] = e.name;
            entry["backend"] = e.where->backend();
            entry["version"] = e.handle ? e.handle->version() : eigen_version();
            if (e.handle) entry["file"] = e.handle->library().path();
            result.push_back(std::move(entry));
        }
        return result;
    }

  private:
    const device* find(const std::string& backend) const {
        const auto found = std::find_if(devices_.begin(), devices_.end(),
                                        [&](const auto& d) { return d->backend() == backend; });
        return found == devices_.end() ? nullptr : found->get();
    }

    const device& open(const std::string& backend) {
        if (const device* opened = find(backend)) return *opened;
        return *devices_.emplace_back(std::make_unique<device>(backend));
    }

    void open_devices(const spmv_bench_options& options) {
        backends_ = options.backends;
        if (backends_.empty()) {
            for (const backend_state& backend : list_backends()) {
                if (backend.available) backends_.push_back(backend.name);
            }
        }
        for (const std::string& backend : backends_) open(backend);
    }

    void open_libraries(const spmv_bench_options& options) {
        // Others first: the linker takes a plain name for a library that it has already loaded under that
        // name.
        for (const std::string& against : options.against) open_peer(against);
        const std::string file = options.library.empty() ? heron_cusparse_file() : options.library;
        const auto& own = *libraries_.emplace_back(
            std::make_unique<cusparse_library>("heron", std::filesystem::absolute(file)));
        for (const auto& library : libraries_) {
            if (library.get() != &own && library->is_same_file(own)) {
                throw std::runtime_error(
                    fmt::format("{} is Heron's own libcusparse ({}): give the other library's full path",
                                library->name(), own.path()));
            }
        }
        for (const std::string& backend : backends_) {
            setenv("HERON_BACKEND", backend.c_str(), 1);
            add_engine("heron-" + backend, open(backend), own, true);
        }
        for (const auto& library : libraries_) {
            if (library.get() != &own) add_engine(library->name(), open("cuda"), *library, false);
        }
    }

    void open_peer(const std::string& against) {
        const char* const number = std::getenv("HERON_DEVICE");
        if (number && std::atoi(number) != 0) {
            throw std::runtime_error(
                "other libraries run on the first device: choose it by CUDA_VISIBLE_DEVICES, not by "
                "HERON_DEVICE");
        }
        open("cuda");
        const std::size_t equals = against.find('=');
        const std::string file = equals == std::string::npos ? against : against.substr(equals + 1);
        std::string name = equals == std::string::npos ? std::filesystem::path(file).filename().string()
                                                       : against.substr(0, equals);
        const bool is_taken = std::any_of(libraries_.begin(), libraries_.end(),
                                          [&](const auto& library) { return library->name() == name; });
        if (is_taken)
            throw std::runtime_error(fmt::format("two libraries are named {}: use NAME=FILE", name));
        libraries_.push_back(std::make_unique<cusparse_library>(std::move(name), file));
    }

    void add_engine(const std::string& name, const device& where, const cusparse_library& library,
                    bool is_heron) {
        const auto& handle = *handles_.emplace_back(std::make_unique<cusparse_handle>(library));
        engines_.push_back({.name = name, .where = &where, .handle = &handle, .is_heron = is_heron});
    }

    void open_eigen(const spmv_bench_options& options) {
        if (!options.eigen) return;
        std::vector<int> counts{1};
        if (omp_get_max_threads() > 1) counts.push_back(omp_get_max_threads());
        for (const int count : counts) {
            engines_.push_back(
                {.name = fmt::format("eigen-{}t", count), .where = &open("host"), .eigen_threads = count});
        }
    }

    std::vector<std::string> backends_;
    std::vector<std::unique_ptr<device>> devices_;
    std::vector<std::unique_ptr<cusparse_library>> libraries_;
    std::vector<std::unique_ptr<cusparse_handle>> handles_;
    std::vector<engine> engines_;
    std::map<const device*, std::unique_ptr<bandwidth_probe>> probes_;
};

// One matrix in one format and type, with x and y, here and on the devices.
class packed_case {
  public:
    packed_case(const arena& where, const csr_matrix& given, const product_type& type, const packing& how,
                const spmv_bench_options& options)
        : type_(type),
          pattern_(how.format == sparse_format::bsr ? padded_to_blocks(given, how.block) : given),
          random_(options.seed),
          values_(random_numbers(type.input, pattern_.columns.size(), random_)),
          matrix_(pack(pattern_, values_, how)) {
        const auto longest = static_cast<std::size_t>(std::max(pattern_.rows, pattern_.cols));
        x_ = random_numbers(type.input, longest, random_);
        y_ = random_numbers(type.output, longest, random_);
        for (const auto& device : where.devices()) open(*device, options.warm);
    }

    const product_type& type() const { return type_; }
    const packed_matrix& matrix() const { return matrix_; }
    std::int64_t nnz() const { return pattern_.nnz(); }

    // Throws why the device has no copies of the operands.
    const spmv_operands& operands(const device& where) const {
        const auto found = operands_.find(&where);
        if (found == operands_.end()) throw std::runtime_error(errors_.at(&where));
        return *found->second;
    }

    spmv_reference reference(const spmv_problem& problem) const {
        return compute_reference(problem, type_, pattern_, values_, x_, y_);
    }

    void set_vectors(const spmv_operands& operands, const spmv_problem& problem, std::size_t y_size) const {
        const std::vector<std::byte> y =
            problem.beta == 0 ? std::vector<std::byte>() : encode(type_.output, y_);
        operands.set_vectors(encode(type_.input, x_), y, y_size * traits_of(type_.output).size);
    }

  private:
    void open(const device& where, bool warm) {
        try {
            operands_[&where] = std::make_unique<spmv_operands>(where, matrix_, type_, warm);
        } catch (const std::exception& error) {
            operands_.erase(&where);
            errors_[&where] = error.what();
        }
    }

    const product_type& type_;
    csr_matrix pattern_;
    splitmix64 random_;
    number_array values_;
    packed_matrix matrix_;
    number_array x_;
    number_array y_;
    std::map<const device*, std::unique_ptr<spmv_operands>> operands_;
    std::map<const device*, std::string> errors_;
};

// One product by all engines: checks them, times them together, and makes a record of each.
class spmv_match {
  public:
    spmv_match(arena& where, const packed_case& data, const spmv_problem& problem,
               cusparseSpMVAlg_t algorithm, bool preprocess)
        : arena_(where),
          data_(data),
          case_{data.matrix(), data.type(), problem, algorithm, preprocess},
          reference_(data.reference(problem)) {}

    // `head` is what all records begin with.
    std::vector<record> run(const record& head, const measure_options& timing) {
        for (const engine& e : arena_.engines()) enter(e, head);
        measure(timing);
        for (entry& each : entries_) add_ratios(each);
        std::vector<record> rows;
        for (entry& each : entries_) rows.push_back(std::move(each.row));
        return rows;
    }

  private:
    struct entry {
        const engine* who = nullptr;
        record row;
        std::unique_ptr<spmv_contender> contender{};
        double seconds = 0;  // 0: not measured
    };

    void enter(const engine& who, const record& head) {
        entry& each = entries_.emplace_back(entry{.who = &who, .row = head});
        each.row["contender"] = who.name;
        each.row["device"] = who.where->info().name;
        try {
            each.contender = make(who);
            if (each.contender) {
                check(each);
            } else {
                give_up(each, "not supported", "Eigen has no such product");
            }
        } catch (const cusparse_error& error) {
            give_up(each, error.is_unsupported() ? "not supported" : "failed", error.what());
        } catch (const std::exception& error) {
            give_up(each, "failed", error.what());
        }
    }

    std::unique_ptr<spmv_contender> make(const engine& who) const {
        const spmv_operands& operands = data_.operands(*who.where);
        if (who.handle) return make_cusparse_contender(*who.handle, operands, case_);
        // A transposed product takes one thread in any case.
        const int threads = case_.problem.op == 'N' ? who.eigen_threads : 1;
        return make_eigen_contender(threads, operands, case_);
    }

    static void give_up(entry& each, const char* result, const std::string& why) {
        each.row["result"] = result;
        each.row["message"] = why;
        each.contender.reset();
    }

    // Looks at the first and the last copy of the operands.
    void check(entry& each) const {
        const spmv_operands& operands = data_.operands(*each.who->where);
        data_.set_vectors(operands, case_.problem, reference_.allowed.size());
        const std::size_t last = operands.copies().size() - 1;
        double worst = error_of(*each.contender, operands, 0);
        if (last > 0) worst = std::max(worst, error_of(*each.contender, operands, last));
        each.row["result"] = worst <= 1 ? "right" : "WRONG";
        each.row["error"] = std::isfinite(worst) ? record(worst) : record(nullptr);
        if (worst > 1) each.contender.reset();
    }

    double error_of(spmv_contender& contender, const spmv_operands& operands, std::size_t copy) const {
        contender.call(copy);
        operands.where().synchronize();
        const std::size_t bytes = reference_.allowed.size() * traits_of(case_.type.output).size;
        return worst_error(reference_, decode(case_.type.output, operands.read_y(copy, bytes)));
    }

    void measure(const measure_options& options) {
        std::vector<timed_task> tasks;
        std::vector<entry*> timed;
        std::vector<const device*> devices;
        for (entry& each : entries_) {
            if (!each.contender) continue;
            timed.push_back(&each);
            tasks.push_back(task_of(each));
            const device* const where = each.who->where;
            if (std::find(devices.begin(), devices.end(), where) == devices.end()) devices.push_back(where);
        }
        for (const device* where : devices) {
            bandwidth_probe& probe = arena_.probe(*where);
            tasks.push_back({[&probe](std::int64_t calls) { return probe.seconds(calls); }});
        }
        const std::vector<timing> timings = measure_interleaved(tasks, options);
        for (std::size_t i = 0; i < timed.size(); ++i) {
            const auto device = static_cast<std::size_t>(
                std::find(devices.begin(), devices.end(), timed[i]->who->where) - devices.begin());
            const timing& limit = timings[timed.size() + device];
            add_timing(*timed[i], timings[i], limit);
        }
    }

    timed_task task_of(entry& each) const {
        const spmv_operands& operands = data_.operands(*each.who->where);
        return {[&each, &operands, next = std::size_t{0}](std::int64_t calls) mutable {
            return operands.where().seconds([&] {
                for (std::int64_t i = 0; i < calls; ++i) {
                    each.contender->call(next);
                    if (++next == operands.copies().size()) next = 0;
                }
            });
        }};
    }

    void add_timing(entry& each, const timing& measured, const timing& limit) {
        if (!measured.error.empty()) return give_up(each, "failed", measured.error);
        const spmv_operands& operands = data_.operands(*each.who->where);
        const double bytes = compulsory_bytes();
        const double flops =
            (traits_of(case_.type.compute).is_complex ? 8.0 : 2.0) * static_cast<double>(data_.nnz());
        each.seconds = measured.median;
        record& row = each.row;
        row["seconds"] = measured.median;
        row["seconds_min"] = measured.min;
        row["rounds"] = measured.rounds;
        row["calls"] = measured.calls;
        row["gflops"] = flops / measured.median * 1e-9;
        row["compulsory_bytes"] = bytes;
        row["gbytes_per_second"] = bytes / measured.median * 1e-9;
        if (limit.error.empty()) {
            const bandwidth_probe& probe = arena_.probe(*each.who->where);
            add_bandwidth(row, bytes / measured.median, probe.rate(limit.median));
        }
        row["cache"] = operands.cache_state();
        row["copies"] = operands.copies().size();
        row["preprocess_seconds"] = each.contender->preprocess_seconds;
        row["buffer_bytes"] = each.contender->buffer_bytes;
    }

    static void add_bandwidth(record& row, double reached, const bandwidth& limit) {
        row["bandwidth"]["kind"] = limit.kind;
        row["bandwidth"]["gbytes_per_second"] = limit.bytes_per_second * 1e-9;
        row["bandwidth"]["percent"] = 100 * reached / limit.bytes_per_second;
        if (limit.with_write_allocate > 0) {
            row["bandwidth"]["gbytes_per_second_with_write_allocate"] = limit.with_write_allocate * 1e-9;
            row["bandwidth"]["percent_with_write_allocate"] = 100 * reached / limit.with_write_allocate;
        }
    }

    // The least that a product has to move: the matrix, x once, y once, and y once more if beta is not 0.
    double compulsory_bytes() const {
        const bool transposed = case_.problem.op != 'N';
        const std::int64_t x_size = transposed ? case_.matrix.rows : case_.matrix.cols;
        const std::int64_t y_size = transposed ? case_.matrix.cols : case_.matrix.rows;
        return static_cast<double>(case_.matrix.compulsory_bytes()) +
               static_cast<double>(x_size) * static_cast<double>(traits_of(case_.type.input).size) +
               static_cast<double>(y_size) * static_cast<double>(traits_of(case_.type.output).size) *
                   (case_.problem.beta == 0 ? 1 : 2);
    }

    void add_ratios(entry& each) const {
        if (each.seconds == 0) return;
        for (const entry& peer : entries_) {
            if (peer.seconds > 0 && is_baseline(*each.who, *peer.who)) {
                each.row["ratio"][peer.who->name] = peer.seconds / each.seconds;
            }
        }
    }

    arena& arena_;
    const packed_case& data_;
    spmv_case case_;
    spmv_reference reference_;
    std::vector<entry> entries_;
};

record head_of(const std::string& name, const csr_matrix& matrix) {
    const row_lengths lengths = measure_rows(matrix);
    record head;
    head["matrix"] = name;
    head["rows"] = matrix.rows;
    head["cols"] = matrix.cols;
    head["nnz"] = matrix.nnz();
    head["longest_row"] = lengths.max;
    return head;
}

class spmv_bench {
  public:
    spmv_bench(const spmv_bench_options& options, progress& progress)
        : options_(options), progress_(progress), arena_(options) {}

    spmv_bench_result run() {
        for (const std::string& spec : options_.matrices) run_matrix(spec);
        progress_.clear();
        spmv_bench_result result;
        result.table = make_report();
        result.failures = static_cast<int>(std::count_if(rows_.begin(), rows_.end(), [](const record& row) {
            return row["result"] == "WRONG" || row["result"] == "failed";
        }));
        return result;
    }

  private:
    void run_matrix(const std::string& spec) {
        const std::string name = matrix_name(spec);
        progress_.step(fmt::format("{}: reading", name));
        const csr_matrix matrix = load_matrix(spec, options_.seed);
        for (const std::string& type : options_.types) {
            for (const std::string& index : options_.indices) {
                for (const std::string& format : options_.formats) {
                    record head = head_of(name, matrix);
                    head["type"] = type;
                    head["index"] = index;
                    head["format"] = format;
                    run_packed(head, matrix);
                }
            }
        }
    }

    void run_packed(record head, const csr_matrix& matrix) {
        const std::string what =
            fmt::format("{} {} {} {}", head["matrix"].get<std::string>(), head["type"].get<std::string>(),
                        head["index"].get<std::string>(), head["format"].get<std::string>());
        progress_.step(fmt::format("{}: preparing", what));
        const product_type& type = find_product_type(head["type"].get<std::string>());
        const packing how{.format = find_sparse_format(head["format"].get<std::string>()),
                          .widths = find_index_widths(head["index"].get<std::string>()),
                          .type = type.input,
                          .slice = options_.slice,
                          .block = options_.block};
        const packed_case data(arena_, matrix, type, how, options_);
        for (const std::string& op : options_.ops) {
            for (const std::string& algorithm : options_.algorithms) {
                progress_.step(fmt::format("{} {} {}: measuring", what, op, algorithm));
                head["op"] = op;
                head["algorithm"] = algorithm;
                const spmv_problem problem{.op = find_op(op), .alpha = options_.alpha, .beta = options_.beta};
                spmv_match match(arena_, data, problem, find_algorithm(algorithm), options_.preprocess);
                for (record& row : match.run(head, options_.timing)) rows_.push_back(std::move(row));
            }
        }
    }

    report make_report() const {
        report result;
        result.run = run_record();
        result.rows = rows_;
        result.means = means();
        result.columns = columns();
        result.mean_columns = mean_columns();
        result.heading = heading();
        result.notes = notes();
        return result;
    }

    record run_record() const {
        record options;
        options["alpha"] = options_.alpha;
        options["beta"] = options_.beta;
        options["preprocess"] = options_.preprocess;
        options["warm"] = options_.warm;
        options["slice"] = options_.slice;
        options["block"] = options_.block;
        options["seed"] = options_.seed;
        options["rounds"] = options_.timing.rounds;
        options["round_seconds"] = options_.timing.round_seconds;
        record result;
        result["benchmark"] = "spmv";
        result["version"] = library_version();
        result["options"] = std::move(options);
        result["devices"] = record::array();
        for (const auto& device : arena_.devices()) {
            record entry = device_record(device->info());
            entry["backend"] = device->backend();
            result["devices"].push_back(std::move(entry));
        }
        result["contenders"] = arena_.libraries_record();
        return result;
    }

    std::vector<std::string> ratio_keys() const {
        std::vector<std::string> keys;
        for (const engine& peer : arena_.engines()) {
            const bool is_used = std::any_of(arena_.engines().begin(), arena_.engines().end(),
                                             [&](const engine& of) { return is_baseline(of, peer); });
            if (is_used) keys.push_back("/ratio/" + peer.name);
        }
        return keys;
    }

    std::vector<record> means() const {
        std::vector<record> measured;
        std::copy_if(rows_.begin(), rows_.end(), std::back_inserter(measured),
                     [](const record& row) { return row.contains("seconds"); });
        const std::vector<std::string> group{"/contender", "/type", "/index", "/format", "/op", "/algorithm"};
        std::vector<std::string> values{"/gflops", "/gbytes_per_second", "/bandwidth/percent",
                                        "/bandwidth/percent_with_write_allocate"};
        for (std::string& key : ratio_keys()) values.push_back(std::move(key));
        std::vector<record> result;
        for (record& mean : geometric_means(measured, group, values)) {
            record row;
            row["matrix"] = "geometric mean";
            row.update(mean);
            result.push_back(std::move(row));
        }
        return result;
    }

    static std::vector<report_column> case_columns() {
        return {{.key = "/type", .title = "type", .fold = true},
                {.key = "/index", .title = "index", .fold = true},
                {.key = "/format", .title = "format", .fold = true},
                {.key = "/op", .title = "op", .fold = true},
                {.key = "/algorithm", .title = "alg", .fold = true}};
    }

    static std::vector<report_column> rate_columns() {
        return {{.key = "/gflops", .title = "GFLOP/s", .format = "{:.2f}"},
                {.key = "/gbytes_per_second", .title = "GB/s", .format = "{:.1f}"},
                {.key = "/bandwidth/percent", .title = "% bw", .format = "{:.1f}"},
                {.key = "/bandwidth/percent_with_write_allocate", .title = "% bw wa", .format = "{:.1f}"}};
    }

    std::vector<report_column> columns() const {
        std::vector<report_column> result{{.key = "/matrix", .title = "matrix"},
                                          {.key = "/nnz", .title = "nnz", .format = "{:.0f}"}};
        for (report_column& column : case_columns()) result.push_back(std::move(column));
        result.push_back({.key = "/cache", .title = "cache", .fold = true});
        result.push_back({.key = "/copies", .title = "copies", .format = "{:.0f}"});
        result.push_back({.key = "/contender", .title = "contender"});
        result.push_back({.key = "/result", .title = "result", .fold = true});
        result.push_back({.key = "/seconds", .title = "us", .format = "{:.1f}", .scale = 1e6});
        result.push_back({.key = "/seconds_min", .title = "us min", .format = "{:.1f}", .scale = 1e6});
        for (report_column& column : rate_columns()) result.push_back(std::move(column));
        result.push_back({.key = "/bandwidth/gbytes_per_second", .title = "bw GB/s", .format = "{:.1f}"});
        for (const std::string& key : ratio_keys()) {
            result.push_back({.key = key, .title = "vs " + key.substr(7), .format = "{:.2f}"});
        }
        result.push_back({.key = "/message", .title = "message"});
        return result;
    }

    std::vector<report_column> mean_columns() const {
        std::vector<report_column> result{{.key = "/contender", .title = "contender"}};
        for (report_column& column : case_columns()) result.push_back(std::move(column));
        result.push_back({.key = "/count", .title = "matrices", .format = "{:.0f}"});
        for (report_column& column : rate_columns()) result.push_back(std::move(column));
        for (const std::string& key : ratio_keys()) {
            result.push_back({.key = key, .title = "vs " + key.substr(7), .format = "{:.2f}"});
            result.push_back({.key = "/smallest" + key, .title = "least", .format = "{:.2f}"});
        }
        return result;
    }

    std::vector<std::string> heading() const {
        std::vector<std::string> lines{fmt::format("heron bench spmv, Heron {}", library_version())};
        for (const auto& device : arena_.devices()) {
            const heron_device_info& info = device->info();
            lines.push_back(fmt::format("{}: {}, {}, {} compute units, cache {}", device->backend(),
                                        info.name, info.isa, info.compute_units,
                                        size_text(info.cache_bytes)));
        }
        for (const record& library : arena_.libraries_record()) {
            lines.push_back(fmt::format(
                "{}: version {}{}", library["name"].get<std::string>(), library["version"].get<std::string>(),
                library.contains("file") ? ", " + library["file"].get<std::string>() : ""));
        }
        lines.push_back(
            fmt::format("alpha {}, beta {}, {} preprocess, seed {}, {} rounds of at least {:g} ms",
                        options_.alpha, options_.beta, options_.preprocess ? "with" : "without",
                        options_.seed, options_.timing.rounds, options_.timing.round_seconds * 1e3));
        return lines;
    }

    std::vector<std::string> notes() const {
        std::vector<std::string> lines{
            "us: median per call over the rounds; GB/s: compulsory bytes (matrix, x and y once) per second;",
            "% bw: of what the memory was measured to do in between (bw GB/s): on a GPU a copy, bytes read "
            "and written;",
            "on the processor a triad of all threads, 24 bytes per element, or 32 with the write-allocate (% "
            "bw wa).",
            "cache cold: the copies of A, x and y together exceed four times the cache; vs: how many times "
            "as fast."};
        if (!options_.preprocess) lines.push_back("No side preprocessed its matrix.");
        return lines;
    }

    const spmv_bench_options& options_;
    progress& progress_;
    arena arena_;
    std::vector<record> rows_;
};

}  // namespace

std::string spmv_algorithm_names() {
    std::vector<const char*> names;
    for (const auto& [name, value] : algorithms) names.push_back(name);
    return fmt::format("{}", fmt::join(names, ", "));
}

spmv_bench_result run_spmv_bench(const spmv_bench_options& options, progress& progress) {
    for (const std::string& name : options.types) find_product_type(name);
    for (const std::string& name : options.ops) find_op(name);
    for (const std::string& name : options.indices) find_index_widths(name);
    for (const std::string& name : options.formats) find_sparse_format(name);
    for (const std::string& name : options.algorithms) find_algorithm(name);
    return spmv_bench(options, progress).run();
}

}  // namespace heron::tools
