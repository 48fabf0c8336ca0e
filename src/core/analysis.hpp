#pragma once
// What an ANALYSE phase leaves for the runs that follow: the plug-in's plan, which operation it is of, what
// it was made for, and the workspace that holds its part in device memory. A public API's opaque objects for
// analyses point to one of these; operations that keep more derive their own.
#include "context.hpp"
#include "operation.hpp"
#include <atomic>
#include <memory>
#include <vector>

namespace heron::core {

// What a plan depends on. Of the matrix the pattern counts, and where an operation says so the rest.
struct analysed_problem {
    operation slot;
    heron_operation op;
    heron_reproducibility reproducibility;
    heron_type types[4];
    heron_spmat a;

    bool matches(const analysed_problem& other) const;
};

class analysis {
  public:
    explicit analysis(operation kind) : kind_(kind) {}
    virtual ~analysis();
    analysis(const analysis&) = delete;
    analysis& operator=(const analysis&) = delete;

    operation kind() const { return kind_; }
    // Throws INVALID_VALUE when it is of another operation.
    void require_kind(operation kind) const;

    // Takes over the plan. Forgets the one before.
    void keep(const context& c, const analysed_problem& made_for, const heron_workspace& workspace);
    void forget();

    bool is_of(const context& c) const { return backend_ == &c.table() && device_ == c.device(); }
    const analysed_problem& made_for() const { return made_for_; }
    void* workspace() const { return workspace_; }
    heron_plan* plan() const { return plan_; }
    // The plan if it was made for this and the workspace still holds its part, else NULL.
    heron_plan* plan_for(const context& c, const analysed_problem& p, const void* workspace) const;

  private:
    operation kind_;
    const heron_backend* backend_ = nullptr;
    int device_ = 0;
    analysed_problem made_for_{};
    void* workspace_ = nullptr;
    heron_plan* plan_ = nullptr;
};

// The analysis as the kind that an operation keeps its own state in.
template <class T>
T& as(analysis& a) {
    a.require_kind(T::kind_of_all);
    return static_cast<T&>(a);
}

// The analyses of one matrix, by their workspaces, for interfaces that have no object for them. They live
// until nobody uses them.
class analysis_cache {
  public:
    // NULL if there is none.
    std::shared_ptr<analysis> find(operation kind, const void* workspace) const {
        if (is_empty_.load(std::memory_order_acquire)) return nullptr;
        return find_kept(kind, workspace);
    }
    // Takes the place of the one with the same workspace, or of the oldest of too many. One without a plan
    // is not kept.
    void store(std::shared_ptr<analysis> made);
    void clear();

  private:
    // A program that takes a new workspace for each preprocess leaves the old ones behind.
    static constexpr size_t most = 16;

    std::shared_ptr<analysis> find_kept(operation kind, const void* workspace) const;

    mutable std::mutex mutex_;
    std::vector<std::shared_ptr<analysis>> kept_;
    std::atomic<bool> is_empty_ = true;  // for those who only ask: no lock
};

}  // namespace heron::core
