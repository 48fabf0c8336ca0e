// Sorting of pairs on the CPU: words with all that a pair has, where these fit and threads are few; else the
// shared plan.
#include "common/reorder/plan.hpp"
#include "common/runtime/slot.hpp"
#include "host/runtime/device.hpp"
#include "packed_sort.hpp"

namespace heron::HERON_LEVEL {

// Whether one thread is as fast with words as all threads are with the shared plan (results: reorder-5).
static bool suits_one_thread(const host_device& device, int64_t pairs) {
    constexpr int64_t few = 1 << 16, most = 1 << 20;
    constexpr int few_threads = 2;
    return pairs <= few || (pairs <= most && device.threads() <= few_threads);
}

static void sort_pairs(host_device& device, heron_phase phase, const heron_sort_pairs_args& args,
                       heron_workspace& workspace) {
    const int64_t n = args.nnz;
    if (n < 2) return plans::sort_pairs(device, phase, args, workspace);
    workspace_layout layout(phase, workspace);
    uint64_t* const words = layout.take<uint64_t>(n);
    uint64_t* const others = layout.take<uint64_t>(n);
    const size_t bytes_of_words = workspace.size;
    if (phase == HERON_PHASE_RUN && suits_one_thread(device, n)) {
        const packed_sort sort({args.major, args.minor, args.permutation}, n);
        if (sort.fits()) return sort.run(words, others);
    }
    // In the same memory.
    plans::sort_pairs(device, phase, args, workspace);
    if (phase == HERON_PHASE_SIZE && workspace.size < bytes_of_words) workspace.size = bytes_of_words;
}

void override_reorder(heron_backend& table) {
    table.sort_pairs = &slot<host_device, heron_sort_pairs_args, &sort_pairs, operation_names::sort_pairs>;
}

}  // namespace heron::HERON_LEVEL
