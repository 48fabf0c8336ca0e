#include "gemm_tuner.hpp"

#include <heron/dense.h>
#include <sys/types.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>

#include "measure/device.hpp"
#include "bench/dense/gemm_shapes.hpp"
#include "measure/measure.hpp"
#include "tuning_file.hpp"

namespace heron::tools {
namespace {

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point start) {
    return std::chrono::duration<double>(clock::now() - start).count();
}

heron_type type_of(const std::string& name) {
    if (name == "f32") return HERON_R_32F;
    if (name == "f64") return HERON_R_64F;
    if (name == "c32") return HERON_C_32F;
    if (name == "c64") return HERON_C_64F;
    throw std::runtime_error(fmt::format("{} is none of f32, f64, c32, c64", name));
}

// GFLOP/s, or 0 when the process failed. An empty shape is none, and the one in use now is timed.
double speed_of(const std::string& type, const std::string& shape, std::int64_t size, unsigned limit) {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    const std::string command = fmt::format(
        "HERON_OPENCL_GEMM='{} {}' '{}' tune gemm --measure --type {} --size {} --limit {} 2>/dev/null", type,
        shape, self, type, size, limit);
    const std::unique_ptr<FILE, int (*)(FILE*)> output(popen(command.c_str(), "r"), pclose);
    double speed = 0;
    if (!output || std::fscanf(output.get(), "%lf", &speed) != 1) return 0;
    return speed;
}

struct candidate {
    gemm_shape shape;
    double speed = 0;
};

// First what has been good elsewhere, then neighbours of the best so far, then any.
class search {
  public:
    search(const std::string& type, bool is_processor)
        : open_(gemm_shapes(type, is_processor)), promising_(promising_shapes(type, is_processor)) {
        std::shuffle(open_.begin(), open_.end(), std::mt19937(1));
    }

    bool is_done() const { return open_.empty(); }
    std::size_t left() const { return open_.size(); }

    gemm_shape next() {
        auto found = open_.begin();
        if (tried_ < static_cast<int>(promising_.size()))
            found = std::find(open_.begin(), open_.end(), promising_[static_cast<std::size_t>(tried_)]);
        else if (best_.speed > 0)
            found =
                std::min_element(open_.begin(), open_.end(), [&](const gemm_shape& a, const gemm_shape& b) {
                    return distance(a, best_.shape) < distance(b, best_.shape);
                });
        gemm_shape result = *found;
        open_.erase(found);
        return result;
    }

    void learn(const gemm_shape& shape, double speed) {
        ++tried_;
        if (speed > best_.speed) best_ = {shape, speed};
    }

    const candidate& best() const { return best_; }
    int tried() const { return tried_; }

  private:
    std::vector<gemm_shape> open_, promising_;
    candidate best_;
    int tried_ = 0;
};

// entry: what the shape is for in the file, the type or "f32-small".
record tune_type(const std::string& type, const std::string& entry, const device& device, std::int64_t size,
                 double budget, bool keep, progress& steps) {
    constexpr unsigned candidate_limit = 60;
    // A gain below this may be noise.
    constexpr double worthwhile = 1.03;
    const auto start = clock::now();
    const double before = speed_of(type, "", size, candidate_limit);
    search candidates(type, device.is_processor());
    while (!candidates.is_done() && seconds_since(start) < budget) {
        const gemm_shape shape = candidates.next();
        steps.step(fmt::format("{}: {} tried, {} left, {:.0f} of {:.0f} s; best {} {:.1f} GFLOP/s, now {}",
                               entry, candidates.tried(), candidates.left(), seconds_since(start), budget,
                               candidates.best().shape.text(), candidates.best().speed, shape.text()));
        candidates.learn(shape, speed_of(type, shape.text(), size, candidate_limit));
    }
    const candidate& best = candidates.best();
    const bool is_better = best.speed > worthwhile * before;
    record row;
    row["type"] = entry;
    row["size"] = size;
    row["tried"] = candidates.tried();
    row["before"] = before;
    row["best"] = best.speed;
    row["shape"] = best.shape.text();
    row["kept"] = is_better && keep;
    if (is_better && keep) tuning_file("opencl", device.info().name).keep(entry, best.shape.text());
    return row;
}

// Elements with little rounding: small integers.
void fill(std::vector<double>& values, std::mt19937& engine) {
    for (double& value : values) value = static_cast<double>(engine() % 7) - 3;
}

std::vector<std::byte> as_bytes(const std::vector<double>& values, bool is_double) {
    std::vector<std::byte> bytes(values.size() * (is_double ? sizeof(double) : sizeof(float)));
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (is_double)
            reinterpret_cast<double*>(bytes.data())[i] = values[i];
        else
            reinterpret_cast<float*>(bytes.data())[i] = static_cast<float>(values[i]);
    }
    return bytes;
}

double number_at(const std::vector<std::byte>& bytes, std::size_t i, bool is_double) {
    return is_double ? reinterpret_cast<const double*>(bytes.data())[i]
                     : static_cast<double>(reinterpret_cast<const float*>(bytes.data())[i]);
}

// One product of matrices of integers, of which some elements are checked exactly and which is then timed.
class trial {
  public:
    trial(const std::string& type, std::int64_t size)
        : type_(type_of(type)),
          size_(size),
          parts_(type[0] == 'c' ? 2 : 1),
          is_double_(type == "f64" || type == "c64"),
          a_(static_cast<std::size_t>(size * size * parts_)),
          b_(a_.size()) {
        std::mt19937 engine(7);
        fill(a_, engine);
        fill(b_, engine);
        const std::vector<std::byte> a = as_bytes(a_, is_double_), b = as_bytes(b_, is_double_);
        bytes_ = a.size();
        da_ = device_.allocate(bytes_);
        db_ = device_.allocate(bytes_);
        dc_ = device_.allocate(bytes_);
        device_.copy(da_.get(), a.data(), bytes_);
        device_.copy(db_.get(), b.data(), bytes_);
    }

    void multiply() const {
        const double one[] = {1, 0}, zero[] = {0, 0};
        const float one_f[] = {1, 0}, zero_f[] = {0, 0};
        const auto pick = [&](const double* d, const float* f) {
            return is_double_ ? static_cast<const void*>(d) : f;
        };
        check(heron_gemm(device_.handle(), type_, HERON_ORDER_COLUMN, HERON_OP_NONE, HERON_OP_NONE, size_,
                         size_, size_, pick(one, one_f), da_.get(), size_, db_.get(), size_,
                         pick(zero, zero_f), dc_.get(), size_, HERON_GEMM_DEFAULT),
              "heron_gemm");
    }

    bool is_right() const {
        multiply();
        std::vector<std::byte> c(bytes_);
        device_.copy(c.data(), dc_.get(), bytes_);
        std::mt19937 engine(11);
        for (int sample = 0; sample < 64; ++sample) {
            const auto bound = static_cast<std::uint32_t>(size_);
            const std::size_t i = sample == 0 ? bound - 1 : engine() % bound,
                              j = sample == 0 ? bound - 1 : engine() % bound;
            double re = 0, im = 0;
            product(i, j, re, im);
            const std::size_t at =
                (i + j * static_cast<std::size_t>(size_)) * static_cast<std::size_t>(parts_);
            if (number_at(c, at, is_double_) != re || (parts_ == 2 && number_at(c, at + 1, is_double_) != im))
                return false;
        }
        return true;
    }

    // Of the fastest of several rounds.
    double speed() const {
        double best = 0;
        const double operations = 2.0 * std::pow(static_cast<double>(size_), 3) * (parts_ == 2 ? 4 : 1);
        const auto start = clock::now();
        for (int round = 0; round < 3 || (round < 20 && seconds_since(start) < 0.5); ++round)
            best = std::max(best, operations / device_.seconds([&] { multiply(); }) * 1e-9);
        return best;
    }

  private:
    void product(std::size_t i, std::size_t j, double& re, double& im) const {
        const auto n = static_cast<std::size_t>(size_);
        for (std::size_t k = 0; k < n; ++k) {
            if (parts_ == 1) {
                re += a_[i + k * n] * b_[k + j * n];
                continue;
            }
            const double* const x = &a_[2 * (i + k * n)];
            const double* const y = &b_[2 * (k + j * n)];
            re += x[0] * y[0] - x[1] * y[1];
            im += x[0] * y[1] + x[1] * y[0];
        }
    }

    device device_{"opencl"};
    heron_type type_;
    std::int64_t size_;
    int parts_;
    bool is_double_;
    std::vector<double> a_, b_;
    std::size_t bytes_ = 0;
    device_buffer da_, db_, dc_;
};

}  // namespace

record tune_gemm(const gemm_tuning_options& options, progress& steps) {
    if (options.backend == "cuda") return tune_gemm_tiles(options, steps);
    if (options.backend != "opencl")
        throw std::runtime_error(
            fmt::format("the kernels of {} have no parameters to tune", options.backend));
    const device device("opencl");
    // GPUs have another shape for products that give the large one too few tiles.
    const std::int64_t size = options.size > 0 ? options.size : device.is_processor() ? 768 : 4096;
    constexpr std::int64_t small_size = 1024;
    const bool has_small = options.size == 0 && !device.is_processor();
    const double budget =
        options.budget_seconds / static_cast<double>(options.types.size() * (has_small ? 2 : 1));
    record rows = record::array();
    for (const std::string& type : options.types) {
        type_of(type);
        rows.push_back(tune_type(type, type, device, size, budget, options.keep, steps));
        if (has_small)
            rows.push_back(tune_type(type, type + "-small", device, small_size, budget, options.keep, steps));
    }
    steps.clear();
    record result;
    result["device"] = std::string(device.info().name);
    result["file"] = tuning_file("opencl", device.info().name).path().string();
    result["rows"] = std::move(rows);
    return result;
}

void measure_gemm_shape(const std::string& type, std::int64_t size, unsigned seconds) {
    alarm(seconds);
    const trial t(type, size > 0 ? size : 512);
    if (!t.is_right()) throw std::runtime_error("the product is wrong");
    fmt::print("{:.3f}\n", t.speed());
}

}  // namespace heron::tools
