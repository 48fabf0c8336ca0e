#pragma once
// What is known of the rows of matrices that are multiplied again and again without an analysis. The second
// product of a pattern has its rows measured, without waiting, and those after the measurement take the way
// that suits the rows. All ways are right for every matrix, so what no longer holds costs time only.
#include <array>
#include <cstdint>
#include <mutex>

namespace heron::cuda {

// How a matrix goes through multiply_row_blocks, multiply_row_vectors or multiply_rows.
struct row_choice {
    int threads_per_row = 0;  // of multiply_row_blocks; 0: the matrix is not one for it
    int lanes_per_row = 0;    // of multiply_row_vectors, as well
    int rows_per_tile = 0;    // of multiply_rows, as well
    int lane_bits = 0;        // how its rows are shared
    int batch = 1;
    int64_t blocks = 1;
};

// Where a measurement is to be reported: the words, then the stamp behind them.
struct row_report {
    unsigned* words = nullptr;  // of the host, written by a kernel. NULL: none is wanted
    unsigned stamp = 0;
};

// Of a process; its calls may come from several threads. Its memory is never freed, because kernels may write
// until the process ends.
class known_rows {
  public:
    static constexpr int most_words = 31;

    struct pattern {
        const void* kernel;  // stands for the types
        const void* offsets;
        int64_t rows, nnz;
        int device;
        bool operator==(const pattern&) const = default;
    };

    static known_rows& of_process() noexcept {
        static known_rows only;
        return only;
    }

    // Takes the host's memory, once. Not while a stream is captured.
    void prepare() noexcept;

    // What suits the pattern as far as is known; by default nothing is. choose makes it of the words, once
    // they are there. `report` is set where the caller is to measure, which it may if can_measure says so.
    template <class Choose, class CanMeasure>
    row_choice ask(const pattern& p, row_report& report, Choose&& choose, CanMeasure&& can_measure) {
        const std::lock_guard lock(mutex_);
        if (!words_) return {};
        record& r = record_of(p);
        r.last_use = ++uses_;
        if (r.state == progress::measuring && has_arrived(r)) {
            r.choice = choose(words_of(r));
            r.state = progress::known;
        }
        if (r.state == progress::seen && can_measure()) report = begin(r);
        if (r.state == progress::fresh) r.state = progress::seen;
        return r.choice;
    }

  private:
    enum class progress { fresh, seen, measuring, known };
    struct record {
        pattern of{};
        progress state = progress::fresh;
        unsigned stamp = 0;
        uint64_t last_use = 0;
        row_choice choice;
    };
    static constexpr int most = 64;

    unsigned* words_of(const record& r) const { return words_ + (&r - records_.data()) * (most_words + 1); }
    record& record_of(const pattern& p) noexcept;
    bool has_arrived(const record& r) const noexcept;
    row_report begin(record& r) noexcept;

    std::mutex mutex_;
    std::array<record, most> records_{};
    unsigned* words_ = nullptr;
    uint64_t uses_ = 0;
    unsigned stamps_ = 0;
};

}  // namespace heron::cuda
