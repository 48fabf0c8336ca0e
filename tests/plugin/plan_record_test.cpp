// A plan that was left for one operation is none for another.
#include "catch.hpp"
#include "common/runtime/plan_record.hpp"
#include <memory>

heron_plan::~heron_plan() = default;

namespace {

struct levels final : heron::plan_of<levels> {
    int count = 3;
};

struct tiles final : heron::plan_of<tiles> {
    int rows = 5;
};

}  // namespace

TEST_CASE("a plan is found as what it is, and as nothing else") {
    const std::unique_ptr<heron_plan> plan(new levels);
    REQUIRE(heron::plan_as<levels>(plan.get()));
    CHECK(heron::plan_as<levels>(plan.get())->count == 3);
    CHECK(heron::plan_as<tiles>(plan.get()) == nullptr);
    CHECK(heron::plan_as<levels>(nullptr) == nullptr);
}

TEST_CASE("a copy of a plan is one of the same type") {
    const levels plan;
    const std::unique_ptr<heron_plan> copy(new levels(plan));
    CHECK(heron::plan_as<levels>(copy.get()) != nullptr);
    CHECK(heron::plan_as<tiles>(copy.get()) == nullptr);
}
