// The memory that a handle keeps for operations without an argument for a workspace: one block, in the order
// of the calls on whatever streams, never freed before the handle.
#include "recorder.hpp"
#include <heron/dense.h>
#include <heron/kronmult.h>
#include <algorithm>

using namespace heron::test;

namespace {

std::vector<recorded_step> take_steps() {
    recorded_call& call = recorded();
    const std::vector<recorded_step> steps(call.steps, call.steps + call.step_count);
    call.step_count = 0;
    return steps;
}

std::vector<std::string> functions(const std::vector<recorded_step>& steps) {
    std::vector<std::string> names;
    for (const recorded_step& s : steps) names.emplace_back(s.function);
    return names;
}

using names = std::vector<std::string>;

char token_a, token_b;
void* const stream_a = &token_a;
void* const stream_b = &token_b;

// A handle that the KRONMULT functions use, whose plug-in wants so many bytes for them.
class kron_handle {
  public:
    kron_handle() {
        REQUIRE(recorder_chosen);
        REQUIRE(heron_create(&handle_) == HERON_SUCCESS);
        REQUIRE(heron_kronmult_set_handle(handle_) == HERON_SUCCESS);
        recorded().size = RECORDED_SIZE;
        take_steps();
    }
    ~kron_handle() {
        heron_kronmult_set_handle(nullptr);
        heron_destroy(handle_);
        recorded().size = RECORDED_SIZE;
    }
    kron_handle(const kron_handle&) = delete;
    kron_handle& operator=(const kron_handle&) = delete;

    heron_handle get() const { return handle_; }
    void multiply() {
        auto* const numbers = reinterpret_cast<double*>(values);
        REQUIRE(heron_dkronmult1_batched(2, numbers, numbers, reinterpret_cast<double*>(y_values), nullptr,
                                         1) == HERON_SUCCESS);
    }
    void multiply_with(size_t bytes) {
        recorded().size = bytes;
        multiply();
    }

  private:
    heron_handle handle_ = nullptr;
};

heron_status product_by_3m(heron_handle h) {
    const cuDoubleComplex one{1, 0}, zero{0, 0};
    return heron_gemm(h, HERON_C_64F, HERON_ORDER_COLUMN, HERON_OP_NONE, HERON_OP_NONE, 2, 2, 2, &one,
                      x_values, 2, values, 2, &zero, y_values, 2, HERON_GEMM_3M);
}

}  // namespace

TEST_CASE("the scratch is allocated once, and on one stream nothing waits") {
    kron_handle h;
    h.multiply();
    const auto first = take_steps();
    REQUIRE(functions(first) == names{"memory_alloc", "kronmult"});
    CHECK(first[0].bytes == RECORDED_SIZE);
    CHECK(first[1].object == first[0].object);
    h.multiply();
    CHECK(functions(take_steps()) == names{"kronmult"});
    // Other functions of the handle take the same memory.
    REQUIRE(product_by_3m(h.get()) == HERON_SUCCESS);
    const auto other = take_steps();
    REQUIRE(functions(other) == names{"gemm"});
    CHECK(other[0].object == first[0].object);
}

TEST_CASE("after the default stream another waits for it, and then each for the last") {
    kron_handle h;
    h.multiply();
    take_steps();
    REQUIRE(heron_set_stream(h.get(), stream_a) == HERON_SUCCESS);
    h.multiply();
    const auto on_a = take_steps();
    REQUIRE(functions(on_a) == names{"event_record", "stream_wait_event", "kronmult", "event_record"});
    CHECK(on_a[0].stream == nullptr);
    CHECK(on_a[1].stream == stream_a);
    CHECK(on_a[1].object == on_a[0].object);
    CHECK(on_a[3].stream == stream_a);
    REQUIRE(heron_set_stream(h.get(), nullptr) == HERON_SUCCESS);
    h.multiply();
    const auto back = take_steps();
    REQUIRE(functions(back) == names{"stream_wait_event", "kronmult", "event_record"});
    CHECK(back[0].stream == nullptr);
    CHECK(back[2].stream == nullptr);
}

TEST_CASE("after a change of the stream the next use waits for the last") {
    kron_handle h;
    REQUIRE(heron_set_stream(h.get(), stream_a) == HERON_SUCCESS);
    h.multiply();
    const auto on_a = take_steps();
    REQUIRE(functions(on_a) == names{"memory_alloc", "kronmult", "event_record"});
    CHECK(on_a[2].stream == stream_a);
    REQUIRE(heron_set_stream(h.get(), stream_b) == HERON_SUCCESS);
    h.multiply();
    const auto on_b = take_steps();
    REQUIRE(functions(on_b) == names{"stream_wait_event", "kronmult", "event_record"});
    CHECK(on_b[0].stream == stream_b);
    CHECK(on_b[0].object == on_a[2].object);
    CHECK(on_b[1].stream == stream_b);
    CHECK(on_b[1].object == on_a[1].object);
    CHECK(on_b[2].stream == stream_b);
    REQUIRE(heron_set_stream(h.get(), stream_a) == HERON_SUCCESS);
    h.multiply();
    const auto again = take_steps();
    REQUIRE(functions(again) == names{"stream_wait_event", "kronmult", "event_record"});
    CHECK(again[0].stream == stream_a);
    // What needs no memory waits for nothing.
    REQUIRE(heron_set_stream(h.get(), nullptr) == HERON_SUCCESS);
    h.multiply_with(0);
    CHECK(functions(take_steps()) == names{"kronmult"});
}

// The stream that had the address may have been destroyed with work under way.
TEST_CASE("after a stream was set again the next use waits, though the address is that of the last") {
    kron_handle h;
    REQUIRE(heron_set_stream(h.get(), stream_a) == HERON_SUCCESS);
    h.multiply();
    take_steps();
    h.multiply();
    CHECK(functions(take_steps()) == names{"kronmult", "event_record"});
    REQUIRE(heron_set_stream(h.get(), stream_a) == HERON_SUCCESS);
    h.multiply();
    const auto again = take_steps();
    REQUIRE(functions(again) == names{"stream_wait_event", "kronmult", "event_record"});
    CHECK(again[0].stream == stream_a);
    CHECK(again[0].object == again[2].object);
}

TEST_CASE("the default stream that is set again is the same") {
    kron_handle h;
    h.multiply();
    take_steps();
    REQUIRE(heron_set_stream(h.get(), nullptr) == HERON_SUCCESS);
    h.multiply();
    CHECK(functions(take_steps()) == names{"kronmult"});
}

TEST_CASE("the scratch grows, and what it was lives as long as the handle") {
    std::vector<void*> blocks;
    {
        kron_handle h;
        for (const size_t bytes : {size_t{100}, size_t{150}, size_t{180}, size_t{5000}, size_t{100}}) {
            h.multiply_with(bytes);
            const auto steps = take_steps();
            CHECK(std::none_of(steps.begin(), steps.end(), [](const recorded_step& s) {
                return std::string(s.function) == "memory_free";
            }));
            if (std::string(steps[0].function) != "memory_alloc") continue;
            CHECK(steps[0].bytes >= bytes);
            blocks.push_back(steps[0].object);
        }
        CHECK(blocks.size() == 3);
    }
    std::vector<void*> freed;
    for (const recorded_step& s : take_steps())
        if (std::string(s.function) == "memory_free") freed.push_back(s.object);
    CHECK(freed == blocks);
}

TEST_CASE("memory of the caller's takes the scratch's place, in the same order") {
    kron_handle h;
    char small = 0;
    REQUIRE(heron_set_workspace(h.get(), buffer, sizeof buffer) == HERON_SUCCESS);
    REQUIRE(heron_set_stream(h.get(), stream_a) == HERON_SUCCESS);
    REQUIRE(product_by_3m(h.get()) == HERON_SUCCESS);
    const auto steps = take_steps();
    REQUIRE(functions(steps) == names{"gemm", "event_record"});
    CHECK(steps[0].object == buffer);
    REQUIRE(heron_set_stream(h.get(), stream_b) == HERON_SUCCESS);
    REQUIRE(product_by_3m(h.get()) == HERON_SUCCESS);
    CHECK(functions(take_steps()) == names{"stream_wait_event", "gemm", "event_record"});
    REQUIRE(heron_set_workspace(h.get(), &small, sizeof small) == HERON_SUCCESS);
    log_capture log;
    CHECK(product_by_3m(h.get()) == HERON_INSUFFICIENT_RESOURCES);
    const auto lines = log.take();
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].message == "workspace: 4096 bytes are needed, but the handle was given 1");
    CHECK(take_steps().empty());
    REQUIRE(heron_set_workspace(h.get(), nullptr, 0) == HERON_SUCCESS);
    CHECK(product_by_3m(h.get()) == HERON_SUCCESS);
    CHECK(functions(take_steps()) == names{"memory_alloc", "stream_wait_event", "gemm", "event_record"});
}
