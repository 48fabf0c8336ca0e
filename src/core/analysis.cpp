#include "analysis.hpp"
#include "views.hpp"
#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace heron::core {

const char* name_of(operation op) {
    static constexpr const char* names[] = {
#define HERON_OP(family, op) #op,
#include <heron/ops.def>
#undef HERON_OP
    };
    return names[static_cast<size_t>(op)];
}

bool analysed_problem::matches(const analysed_problem& other) const {
    return slot == other.slot && op == other.op && reproducibility == other.reproducibility &&
           std::equal(std::begin(types), std::end(types), other.types) && a.type == other.a.type &&
           same_pattern(a, other.a);
}

analysis::~analysis() { forget(); }

void analysis::require_kind(operation kind) const {
    if (kind != kind_)
        invalid(role::analysis, fmt::format("is one of {}, not of {}", name_of(kind_), name_of(kind)));
}

void analysis::keep(const context& c, const analysed_problem& made_for, const heron_workspace& workspace) {
    forget();
    backend_ = &c.table();
    device_ = c.device();
    made_for_ = made_for;
    workspace_ = workspace.memory;
    plan_ = workspace.plan;
}

void analysis::forget() {
    if (plan_) backend_->plan_destroy(plan_);
    plan_ = nullptr;
    backend_ = nullptr;
}

heron_plan* analysis::plan_for(const context& c, const analysed_problem& p, const void* workspace) const {
    return plan_ && is_of(c) && workspace == workspace_ && made_for_.matches(p) ? plan_ : nullptr;
}

std::shared_ptr<analysis> analysis_cache::find_kept(operation kind, const void* workspace) const {
    const std::lock_guard lock(mutex_);
    for (const auto& a : kept_)
        if (a->kind() == kind && a->workspace() == workspace) return a;
    return nullptr;
}

void analysis_cache::store(std::shared_ptr<analysis> made) {
    const std::lock_guard lock(mutex_);
    std::erase_if(kept_, [&](const auto& a) { return a->workspace() == made->workspace(); });
    is_empty_ = kept_.empty();
    if (!made->plan()) return;
    if (kept_.size() == most) kept_.erase(kept_.begin());
    kept_.push_back(std::move(made));
    is_empty_ = false;
}

void analysis_cache::clear() {
    const std::lock_guard lock(mutex_);
    kept_.clear();
    is_empty_ = true;
}

}  // namespace heron::core
