#pragma once
// A stable sort of pairs of numbers for any device: by digits from the last one (Knuth, The Art of Computer
// Programming, vol. 3, 5.2.5), as many as the numbers that occur need, which the device finds out itself.
#include "common/scan/plan.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family reorder{"reorder", "RT"};
#include "kernels.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// Pairs and what goes along with them, which may be NULL.
struct pair_arrays {
    i32* major;
    i32* minor;
    i32* permutation;
};

// Sorts n pairs in place by (major, minor). Construct it in every phase: its workspace, of about 12 bytes per
// pair, comes from the layout. Nothing waits.
template <class Device>
class pair_sort {
  public:
    pair_sort(workspace_layout& layout, int64_t n)
        : n_(n),
          chunk_(chunk_length(n)),
          chunks_((n + chunk_ - 1) / chunk_),
          facts_chunk_(root(n)),
          other_{layout.take<i32>(n), layout.take<i32>(n), layout.take<i32>(n)},
          control_(layout.take<i64>(4)),
          facts_(layout.take<i64>(5 * ((n + facts_chunk_ - 1) / facts_chunk_))),
          counts_(layout.take<i64>((chunks_ << digit_bits) + 1)),
          scan_(layout, chunks_ << digit_bits) {}

    // Rows that are short enough: where all are, run finds nothing to do.
    static void sort_short_rows(Device& device, const heron_sort_rows_args& args) {
        launch<kernels::sort_short_row>(device, args.rows, args.offsets, args.indices, args.permutation);
    }

    void run(Device& device, const pair_arrays& pairs) const {
        if (n_ < 2) return;
        measure(device, pairs);
        pair_arrays from = pairs, to = other_;
        if (!pairs.permutation) to.permutation = nullptr;
        const int64_t bits = bits_to_sort(device);
        for (int shift = 0; shift < bits; shift += digit_bits) {
            pass(device, shift, from, to);
            const pair_arrays sorted = to;
            to = from;
            from = sorted;
        }
        launch<kernels::sort_return>(device, n_, c(other_.major), c(other_.minor), c(other_.permutation),
                                     control(), int{digit_bits}, pairs.major, pairs.minor, pairs.permutation);
    }

  private:
    // Neighbouring items of a GPU want many chunks, which are affordable where digits are small.
    static constexpr int digit_bits = Device::strided ? 4 : 8;

    static heron_index chunk_length(int64_t n) {
        if (Device::strided) return 256;
        // Enough of them for a launch to use all threads.
        constexpr heron_index least = 1024, most_chunks = 600;
        const heron_index share = (n + most_chunks - 1) / most_chunks;
        return share > least ? share : least;
    }
    static heron_index root(int64_t n) {
        heron_index length = 1;
        while (length * length < n) length *= 2;
        return length;
    }

    template <template <class...> class Kernel, class... Args>
    static void launch(Device& device, int64_t count, Args... args) {
        device.template launch<Kernel<i32>>(kernels::reorder, count, args...);
    }

    static const i32* c(const i32* p) { return p; }
    const i64* control() const { return control_; }

    void measure(Device& device, const pair_arrays& pairs) const {
        const heron_index chunks = (n_ + facts_chunk_ - 1) / facts_chunk_;
        launch<kernels::sort_measure>(device, chunks, c(pairs.major), c(pairs.minor), n_, facts_chunk_,
                                      facts_);
        launch<kernels::sort_control>(device, 1, static_cast<const i64*>(facts_), chunks, control_);
    }

    // On the host it is known by now; elsewhere passes that are not needed end at once.
    int64_t bits_to_sort(Device& device) const {
        if (Device::strided) return 64;
        int64_t bits = 0;
        device.read(&bits, control_ + 3, sizeof bits);
        return bits;
    }

    void pass(Device& device, int shift, const pair_arrays& from, const pair_arrays& to) const {
        launch<kernels::sort_count>(device, chunks_, c(from.major), c(from.minor), n_, chunk_, chunks_,
                                    control(), shift, int{digit_bits}, counts_);
        scan_.apply(device, counts_, 0, counts_);
        launch<kernels::sort_move>(device, chunks_, c(from.major), c(from.minor), c(from.permutation), n_,
                                   chunk_, chunks_, control(), shift, int{digit_bits},
                                   static_cast<const i64*>(counts_), to.major, to.minor, to.permutation);
    }

    heron_index n_, chunk_, chunks_, facts_chunk_;
    pair_arrays other_;
    i64* control_;
    i64* facts_;
    i64* counts_;
    exclusive_scan<Device> scan_;
};

// row_of[k] := the row of element k of a CSR matrix.
template <class Device>
void find_rows(Device& device, const i32* offsets, int64_t rows, int64_t nnz, i32* row_of) {
    if constexpr (Device::strided)
        device.template launch<kernels::sort_row_of<i32>>(kernels::reorder, nnz, offsets, heron_index{rows},
                                                          row_of);
    else
        device.template launch<kernels::sort_number_row<i32>>(kernels::reorder, rows, offsets, row_of);
}

}  // namespace heron::HERON_LEVEL::plans
