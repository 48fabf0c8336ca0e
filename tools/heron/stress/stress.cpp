#include "stress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "memory_use.hpp"
#include "operations.hpp"

namespace heron::tools {
namespace {

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point start) {
    return std::chrono::duration<double>(clock::now() - start).count();
}

// Objects that threads take for a call at a time. Who replaces one lets go of the old one; whoever uses that
// last destroys it.
template <class T>
class pool {
  public:
    explicit pool(std::size_t size) : objects_(size) {}
    void put(std::size_t place, std::shared_ptr<T> object) {
        const std::lock_guard lock(mutex_);
        objects_[place].swap(object);
        // The old one goes when the lock does, unless others use it.
    }
    std::shared_ptr<T> take(splitmix64& random) {
        const std::lock_guard lock(mutex_);
        return objects_[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(objects_.size())))];
    }
    void let_go() {
        const std::lock_guard lock(mutex_);
        for (std::shared_ptr<T>& object : objects_) object.reset();
    }
    std::size_t size() const { return objects_.size(); }

  private:
    std::mutex mutex_;
    std::vector<std::shared_ptr<T>> objects_;
};

// What the threads have done.
class tally {
  public:
    void count(const std::string& name) {
        const std::lock_guard lock(mutex_);
        counts_[name] += 1;
    }
    void fail(const std::string& text) {
        constexpr std::size_t most = 20;
        const std::lock_guard lock(mutex_);
        failures_ += 1;
        if (texts_.size() < most) texts_.push_back(text);
    }
    std::int64_t total() const {
        const std::lock_guard lock(mutex_);
        std::int64_t sum = 0;
        for (const auto& [name, count] : counts_) sum += count;
        return sum;
    }
    void write(record& to) const {
        const std::lock_guard lock(mutex_);
        for (const auto& [name, count] : counts_) to["operations"][name] = count;
        to["failures"] = failures_;
        to["messages"] = texts_;
    }

  private:
    mutable std::mutex mutex_;
    std::map<std::string, std::int64_t> counts_;
    std::int64_t failures_ = 0;
    std::vector<std::string> texts_;
};

class stress {
  public:
    explicit stress(const stress_options& options)
        : options_(options),
          where_(options.backend),
          library_("library", options.library.empty() ? heron_cusparse_file() : options.library),
          keeper_(library_, false),
          lanes_(static_cast<std::size_t>(options.handles)),
          matrices_(static_cast<std::size_t>(options.matrices)),
          random_(options.seed) {}

    record run(progress& steps) {
        start_ = clock::now();
        for (int round = 1; round <= rounds; ++round) {
            make_shared_objects();
            work_until(options_.minutes * 60 * round / rounds, steps);
            lanes_.let_go();
            matrices_.let_go();
            settle();
            watch(&memory_use::add);
        }
        steps.clear();
        return result(seconds_since(start_));
    }

  private:
    void make_shared_objects() {
        for (std::size_t k = 0; k < lanes_.size(); ++k) lanes_.put(k, new_lane(random_));
        for (std::size_t k = 0; k < matrices_.size(); ++k) matrices_.put(k, new_matrix(random_));
    }

    void work_until(double seconds, progress& steps) {
        stop_ = false;
        std::vector<std::thread> threads;
        for (int t = 0; t < options_.threads; ++t)
            threads.emplace_back([this, seed = random_.next()] { work(seed); });
        for (double now = seconds_since(start_); now < seconds; now = seconds_since(start_)) {
            watch(&memory_use::peak);
            steps.step(fmt::format("{:.0f} s, {} operations", now, tally_.total()));
            std::this_thread::sleep_for(std::chrono::duration<double>(std::min(0.2, seconds - now)));
        }
        stop_ = true;
        for (std::thread& thread : threads) thread.join();
    }

    void watch(void (memory_use::*note)(double, std::int64_t)) {
        const double now = seconds_since(start_);
        (resident_.*note)(now, resident_bytes());
        const std::int64_t bytes = device_bytes(options_.backend, where_.info().name);
        if (bytes > 0) (device_.*note)(now, bytes);
    }

    record result(double seconds) const {
        record all{{"backend", options_.backend}, {"device", where_.info().name}, {"seed", options_.seed},
                   {"threads", options_.threads}, {"seconds", seconds},           {"calls", tally_.total()}};
        tally_.write(all);
        all["memory"]["resident"] = resident_.summary();
        all["memory"]["device"] = device_.summary();
        return all;
    }

    std::shared_ptr<lane> new_lane(splitmix64& random) const {
        return std::make_shared<lane>(library_, random.below(3) == 0);
    }
    int random_size(splitmix64& random, int most) const {
        return 1 + static_cast<int>(random.below(std::max(1, most)));
    }
    std::shared_ptr<stressed_matrix> new_matrix(splitmix64& random) const {
        const bool is_large = random.below(4) == 0;
        const int n = random_size(random, is_large ? options_.largest : std::min(options_.largest, small));
        return std::make_shared<stressed_matrix>(keeper_, n, 1 + static_cast<int>(random.below(8)), random);
    }

    void work(std::uint64_t seed) {
        splitmix64 random(seed);
        const std::unique_ptr<lane> own = attempt<std::unique_ptr<lane>>(
            "handle", [&] { return std::make_unique<lane>(library_, random.below(2) == 0); });
        while (!stop_) {
            switch (random.below(40)) {
                case 0:
                    attempt<int>("handle", [&] { return replace(lanes_, random, new_lane(random)); });
                    break;
                case 1:
                case 2:
                    attempt<int>("matrix", [&] { return replace(matrices_, random, new_matrix(random)); });
                    break;
                case 3:
                    if (own) attempt<int>("stream", [&] { return own->change_stream(), 0; });
                    break;
                default: operate(own.get(), random);
            }
        }
    }

    template <class T>
    static int replace(pool<T>& in, splitmix64& random, std::shared_ptr<T> by) {
        in.put(static_cast<std::size_t>(random.below(static_cast<std::int64_t>(in.size()))), std::move(by));
        return 0;
    }

    void operate(const lane* own, splitmix64& random) {
        const std::shared_ptr<lane> shared = lanes_.take(random);
        const std::shared_ptr<stressed_matrix> matrix = matrices_.take(random);
        const lane& on = own && random.below(2) == 0 ? *own : *shared;
        const auto all = stress_operations();
        const stress_operation& what =
            all[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(all.size())))];
        if (what.small_only && matrix->n() > small) return;
        attempt<int>(what.name, [&] {
            what.run(on, *matrix, random);
            // Nothing may use what is freed now.
            on.finish();
            return 0;
        });
    }

    // The result of f, or an empty one where it throws.
    template <class T, class F>
    T attempt(const std::string& name, F&& f) {
        tally_.count(name);
        try {
            return f();
        } catch (const std::exception& error) {
            tally_.fail(fmt::format("{}: {}", name, error.what()));
            return T{};
        }
    }

    static constexpr int small = 300;
    static constexpr int rounds = 16;

    stress_options options_;
    device where_;
    cusparse_library library_;
    lane keeper_;
    pool<lane> lanes_;
    pool<stressed_matrix> matrices_;
    splitmix64 random_;
    tally tally_;
    memory_use resident_, device_;
    clock::time_point start_;
    std::atomic<bool> stop_ = false;
};

}  // namespace

record run_stress(const stress_options& options, progress& steps) { return stress(options).run(steps); }

}  // namespace heron::tools
