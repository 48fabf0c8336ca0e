#pragma once
// What an operation's ANALYSE leaves on the host. Every operation derives its own from plan_of.
struct heron_plan {
    const void* tag = nullptr;  // of the type that it is
    // Defined once per plug-in: an inline one would be merged across the host's instruction set levels.
    virtual ~heron_plan();
};

namespace heron {

// Its address tells one type of plans from the others.
template <class Plan>
inline constexpr char plan_tag = 0;

template <class Plan>
struct plan_of : heron_plan {
    plan_of() { tag = &plan_tag<Plan>; }
};

// NULL where there is no plan, or one of another type.
template <class Plan>
const Plan* plan_as(const heron_plan* plan) {
    return plan && plan->tag == &plan_tag<Plan> ? static_cast<const Plan*>(plan) : nullptr;
}

}  // namespace heron
