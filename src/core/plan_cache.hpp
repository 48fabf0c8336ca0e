#pragma once
// The analyses of one sparse matrix. A plan serves a run only if everything that it was made for is the same.
#include <heron/backend.h>
#include <cstring>
#include <mutex>
#include <vector>

namespace heron::core {

// What an analysis depends on: the operation, the pattern's arrays and the workspace that holds its device part.
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

class plan_cache {
  public:
    plan_cache() = default;
    ~plan_cache() { clear(); }
    plan_cache(const plan_cache&) = delete;
    plan_cache& operator=(const plan_cache&) = delete;

    // The plan for this key, or NULL.
    heron_plan* find(const plan_key& key) const {
        const std::lock_guard lock(mutex_);
        for (const entry& e : entries_)
            if (e.key == key) return e.plan;
        return nullptr;
    }

    // Takes ownership of the plan. It replaces what was stored for the same key or the same workspace.
    void store(const plan_key& key, heron_plan* plan) {
        const std::lock_guard lock(mutex_);
        std::erase_if(entries_, [&](const entry& e) {
            const bool replaced = e.key.workspace == key.workspace;
            if (replaced) e.key.backend->plan_destroy(e.plan);
            return replaced;
        });
        if (plan) entries_.push_back({key, plan});
    }

    void clear() {
        const std::lock_guard lock(mutex_);
        for (const entry& e : entries_) e.key.backend->plan_destroy(e.plan);
        entries_.clear();
    }

  private:
    struct entry {
        plan_key key;
        heron_plan* plan;
    };
    mutable std::mutex mutex_;
    std::vector<entry> entries_;
};

}  // namespace heron::core
