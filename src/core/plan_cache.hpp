#pragma once
// The analyses of one sparse matrix. A plan serves a run only if everything that it was made for is the same.
#include <heron/backend.h>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace heron::core {

// What an analysis depends on: the operation, the pattern's arrays and the workspace that holds its device
// part.
struct plan_key {
    const heron_backend* backend;
    int device;
    int operation;  // which slot; any number that is unique to it
    heron_operation op;
    heron_reproducibility reproducibility;
    heron_type types[4];
    const void* offsets;
    const void* row_indices;
    const void* indices;
    const void* workspace;
    int64_t nnz;

    bool operator==(const plan_key&) const = default;
};

// Plans of one matrix, which live until nobody uses them.
class plan_cache {
  public:
    using shared_plan = std::shared_ptr<heron_plan>;

    plan_cache() = default;
    plan_cache(const plan_cache&) = delete;
    plan_cache& operator=(const plan_cache&) = delete;

    // The plan for this key, or NULL.
    shared_plan find(const plan_key& key) const {
        const std::lock_guard lock(mutex_);
        for (const entry& e : entries_)
            if (e.key == key) return e.plan;
        return nullptr;
    }

    // Takes ownership of the plan. It replaces what was stored for the same workspace, or the oldest of too
    // many.
    void store(const plan_key& key, heron_plan* plan) {
        shared_plan kept(plan, [backend = key.backend](heron_plan* p) {
            if (p) backend->plan_destroy(p);
        });
        const std::lock_guard lock(mutex_);
        std::erase_if(entries_, [&](const entry& e) { return e.key.workspace == key.workspace; });
        if (!plan) return;
        if (entries_.size() == most) entries_.erase(entries_.begin());
        entries_.push_back({key, std::move(kept)});
    }

    void clear() {
        const std::lock_guard lock(mutex_);
        entries_.clear();
    }

  private:
    // A program that takes a new workspace for each preprocess leaves the old plans behind.
    static constexpr size_t most = 16;

    struct entry {
        plan_key key;
        shared_plan plan;
    };
    mutable std::mutex mutex_;
    std::vector<entry> entries_;
};

}  // namespace heron::core
