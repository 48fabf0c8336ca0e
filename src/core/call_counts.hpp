#pragma once
// What a report counts, by thread and function.
#include "preparation.hpp"
#include "recorded_call.hpp"
#include <heron/backend.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <new>
#include <string>

namespace heron::core {

class context;

using report_clock = std::chrono::steady_clock;

// Written by one thread and read by the one that ends the process, so that no addition has to be indivisible.
template <class T>
class counter {
  public:
    T get() const { return value_.load(std::memory_order_relaxed); }
    void set(T value) { value_.store(value, std::memory_order_relaxed); }
    void add(T value) { set(get() + value); }
    void raise(T value) {
        if (value > get()) set(value);
    }

  private:
    std::atomic<T> value_{};
};

// Runs on each of a few matrices; the one with fewest makes room for another.
class matrix_runs {
  public:
    void add(const void* indices, const preparation_gain& gain, uint64_t runs) {
        run* fewest = &runs_[0];
        for (run& r : runs_) {
            if (r.indices == indices && r.gain == &gain) return count(r, runs);
            if (r.count < fewest->count) fewest = &r;
        }
        *fewest = {indices, &gain, 0};
        count(*fewest, runs);
    }
    uint64_t most() const { return most_.get(); }
    // By a preparation, of the matrix with most runs. NULL: there is none.
    const preparation_gain* gain() const { return gain_.get(); }
    void clear() {
        runs_ = {};
        most_.set(0);
        gain_.set(nullptr);
    }

  private:
    struct run {
        const void* indices = nullptr;
        const preparation_gain* gain = nullptr;
        uint64_t count = 0;
    };
    void count(run& r, uint64_t runs) {
        r.count += runs;
        if (r.count <= most_.get()) return;
        most_.set(r.count);
        gain_.set(r.gain);
    }
    std::array<run, 8> runs_{};
    counter<uint64_t> most_;
    counter<const preparation_gain*> gain_;
};

// Of what class the device is that a function is called on, asked when it is another one.
class latest_device {
  public:
    device_class class_of(const context& c);

  private:
    const heron_backend* table_ = nullptr;
    int device_ = 0;
    device_class class_{};
};

// The first few matrices that a function gets.
class first_matrices {
  public:
    bool takes(const void* indices) {
        const auto end = indices_.begin() + count_;
        if (count_ == indices_.size() || std::find(indices_.begin(), end, indices) != end) return false;
        indices_[count_++] = indices;
        return true;
    }

  private:
    std::array<const void*, 16> indices_{};
    size_t count_ = 0;
};

// Counts the calls of a function, and says which are measured: all until there were a thousand, and then as
// many as cost little beside the time that the function takes. How many are left out between two is random,
// so that what repeats in a program does not always fall on the same. A measured call stands for those left
// out before it, too.
class sampled_calls {
  public:
    // Counts a call that begins, unless it is to be measured.
    bool skips() {
        const uint64_t skipped = skipped_.get();
        if (skipped >= to_skip_) return false;
        skipped_.set(skipped + 1);
        return true;
    }
    // Counts the call that is.
    void measure() {
        stands_for_ = skipped_.get() + 1;
        represented_.add(stands_for_);
        skipped_.set(0);
    }
    // Of the call that was measured. One that takes much longer than the others, such as one that the system
    // has interrupted, stands for itself alone; the next ones are measured then, lest it be the first of
    // many.
    void end(int64_t nanoseconds) {
        const auto before = static_cast<int64_t>(represented_.get() - stands_for_);
        const int64_t mean = before > 0 ? time_.get() / before : nanoseconds;
        const bool is_unusual = before >= measured_first && nanoseconds > 16 * mean;
        time_.add(nanoseconds + (is_unusual ? mean : nanoseconds) * static_cast<int64_t>(stands_for_ - 1));
        if (is_unusual) to_measure_ = 8;
        to_skip_ = before < measured_first ? 0 : chosen_skip();
    }
    // How many calls the measured one under way stands for.
    uint64_t stands_for() const { return stands_for_; }
    uint64_t count() const { return represented_.get() + skipped_.get(); }
    // Nanoseconds that the measured calls took, with those that they stand for.
    int64_t time() const { return time_.get(); }
    // By how much the measured calls grow to stand for the last ones, too.
    double share_of_all() const {
        const auto represented = static_cast<double>(represented_.get());
        return represented > 0 ? static_cast<double>(count()) / represented : 1;
    }
    void clear() {
        represented_.set(0);
        skipped_.set(0);
        time_.set(0);
        to_skip_ = to_measure_ = 0;
    }

  private:
    static constexpr int64_t measured_first = 1000;
    // Nanoseconds. A measured call takes 120 more than another one.
    static constexpr int64_t time_per_measurement = 96'000;

    uint64_t chosen_skip() {
        if (to_measure_ > 0) {
            --to_measure_;
            return 0;
        }
        const int64_t mean = time_.get() / static_cast<int64_t>(represented_.get()) + 1;
        return random() % static_cast<uint64_t>(2 * time_per_measurement / mean + 1);
    }

    // Knuth's MMIX generator (The Art of Computer Programming 2, 3.3.4).
    uint64_t random() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return state_ >> 33;
    }
    counter<uint64_t> represented_, skipped_;
    counter<int64_t> time_;
    uint64_t to_skip_ = 0, to_measure_ = 0, stands_for_ = 1, state_ = 1;
};

// Events around a phase. They are asked for their times when the next phase is measured, and then used again.
struct device_sample {
    const heron_backend* table = nullptr;
    int device = 0;
    void *start = nullptr, *stop = nullptr;
    bool is_pending = false;
    uint64_t phases = 0;
};

struct call_counts {
    explicit call_counts(const char* function) : name(function) {}

    // Of facades that may have been unloaded when the report is written.
    const std::string name;
    sampled_calls calls;
    counter<uint64_t> failures;
    counter<int64_t> longest;
    // Of the measured calls, with those that they stand for.
    counter<uint64_t> phases;
    counter<double> flops, bytes;
    matrix_runs unprepared;
    latest_device devices;
    // Of the phases that were measured on the device.
    counter<int64_t> device, longest_device;
    counter<uint64_t> measured_phases;
    first_matrices matrices;
    counter<int64_t> unsorted;  // the first row of a matrix whose indices do not ascend, from 1
    std::string reason;
    device_sample sample;

    void clear() {
        calls.clear();
        for (auto* c : {&failures, &phases, &measured_phases}) c->set(0);
        for (auto* c : {&longest, &device, &longest_device, &unsorted}) c->set(0);
        for (auto* c : {&flops, &bytes}) c->set(0);
        unprepared.clear();
        matrices = {};
        reason.clear();
        sample = {};
    }
};

// The counts of one thread, by the address of a function's name. Outlives its thread, and then serves another
// one.
class thread_counts {
  public:
    // NULL where they are not at the first place, or not at all.
    call_counts* known(const char* function) {
        const place& p = places_[hash_of(function) % places_.size()];
        return p.function == function ? p.counts.load(std::memory_order_relaxed) : nullptr;
    }
    // NULL where there is no room.
    call_counts* of(const char* function) {
        const size_t hash = hash_of(function);
        for (size_t i = 0; i < places_.size(); ++i) {
            place& p = places_[(hash + i) % places_.size()];
            if (p.function == function) return p.counts.load(std::memory_order_relaxed);
            if (!p.function) return fill(p, function);
        }
        return nullptr;
    }

    template <class F>
    void for_each(F&& f) {
        for (place& p : places_)
            if (call_counts* const counts = p.counts.load(std::memory_order_acquire)) f(*counts);
    }

    call_under_way call;
    thread_counts* next = nullptr;
    std::atomic<bool> is_free = false;

  private:
    struct place {
        const char* function = nullptr;
        std::atomic<call_counts*> counts = nullptr;
    };
    static size_t hash_of(const char* function) {
        constexpr int shortest_name = 8;  // names lie one behind the other
        return reinterpret_cast<uintptr_t>(function) / shortest_name;
    }
    static call_counts* fill(place& p, const char* function) {
        auto* const made = new (std::nothrow) call_counts(function);
        if (!made) return nullptr;
        p.function = function;
        p.counts.store(made, std::memory_order_release);
        return made;
    }
    std::array<place, 2048> places_;
};

// Of this thread. NULL before its first call.
extern constinit thread_local thread_counts* own_counts;
// Of all threads that have called something.
extern std::atomic<thread_counts*> all_counts;
// Guards the texts of reasons.
extern std::mutex reason_mutex;
// The name of the backend that was used last.
extern std::atomic<const char*> latest_backend;

// This thread's call, if it is being measured.
call_counts* measured_call();

// What the parent has called is in its own report.
void forget_calls();

}  // namespace heron::core
