// Wait lists, returned events, several queues and queues out of order for the functions of levels 1 and 2.
#include "typed_rig.hpp"
#include <chrono>
#include <thread>

using namespace heron::test::cl;

namespace {

constexpr cl_command_queue_properties all_properties[] = {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE};
// So many that a sum takes several work-groups and a kernel that adds theirs up.
constexpr std::size_t many = 40000;

struct setup_scope {
    setup_scope() { REQUIRE(clblasSetup() == clblasSuccess); }
    ~setup_scope() { clblasTeardown(); }
};

}  // namespace

TEST_CASE("reductions wait for their lists, and their events come after the result") {
    const setup_scope scope;
    const owned_context context = make_context();
    for (const auto properties : all_properties) {
        CAPTURE(properties);
        const owned_queue queue = make_queue(context.get(), properties);
        const owned_queue reader = make_queue(context.get());
        cl_command_queue queues[] = {queue.get()};
        const owned_buffer x = upload(context.get(), std::vector<float>(many, 1.0f)),
                           result = upload(context.get(), std::vector<float>(2, -1.0f));
        const owned_event gate = make_user_event(context.get());
        const cl_event waits[] = {gate.get()};
        owned_event scaled, done;
        REQUIRE(clblasSscal(many, 0.5f, x.get(), 0, 1, 1, queues, 1, waits, scaled.out()) == clblasSuccess);
        const cl_event after[] = {scaled.get()};
        REQUIRE(clblasSdot(many, result.get(), 1, x.get(), 0, 1, x.get(), 0, 1, nullptr, 1, queues, 1, after,
                           done.out()) == clblasSuccess);
        clFlush(queue.get());
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        CHECK_FALSE(is_complete(scaled.get()));
        CHECK_FALSE(is_complete(done.get()));
        CHECK(download<float>(reader.get(), result.get(), 2) == std::vector<float>{-1, -1});
        REQUIRE(clSetUserEventStatus(gate.get(), CL_COMPLETE) == CL_SUCCESS);
        CHECK(download<float>(reader.get(), result.get(), 2, done.get()) == std::vector<float>{-1, many / 4});
    }
}

TEST_CASE("every queue's event covers a product, a solution and an update") {
    const setup_scope scope;
    const owned_context context = make_context();
    const owned_queue first = make_queue(context.get(), CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    const owned_queue second = make_queue(context.get());
    cl_command_queue queues[] = {first.get(), second.get()};
    constexpr std::size_t n = 200;
    // A lower triangle of ones, whose product with ones is 1, 2, 3, ...
    std::vector<float> ones(n * n, 1.0f), expected(n);
    for (std::size_t i = 0; i < n; ++i) expected[i] = static_cast<float>(i + 1);
    const owned_buffer a = upload(context.get(), ones),
                       x = upload(context.get(), std::vector<float>(n, 1.0f));
    const auto call = [&](auto function) {
        const owned_event gate = make_user_event(context.get());
        const cl_event waits[] = {gate.get()};
        cl_event events[2] = {};
        REQUIRE(function(waits, events) == clblasSuccess);
        for (const cl_event event : events) {
            REQUIRE(event != nullptr);
            CHECK_FALSE(is_complete(event));
        }
        clSetUserEventStatus(gate.get(), CL_COMPLETE);
        CHECK(clWaitForEvents(1, &events[1]) == CL_SUCCESS);
        CHECK(is_complete(events[0]));
        for (const cl_event event : events) clReleaseEvent(event);
    };
    call([&](const cl_event* waits, cl_event* events) {
        return clblasStrmv(clblasColumnMajor, clblasLower, clblasNoTrans, clblasNonUnit, n, a.get(), 0, n,
                           x.get(), 0, 1, nullptr, 2, queues, 1, waits, events);
    });
    CHECK(download<float>(second.get(), x.get(), n) == expected);
    call([&](const cl_event* waits, cl_event* events) {
        return clblasStrsv(clblasColumnMajor, clblasLower, clblasNoTrans, clblasNonUnit, n, a.get(), 0, n,
                           x.get(), 0, 1, 2, queues, 1, waits, events);
    });
    CHECK(download<float>(second.get(), x.get(), n) == std::vector<float>(n, 1.0f));
    call([&](const cl_event* waits, cl_event* events) {
        return clblasSger(clblasColumnMajor, n, n, 2, x.get(), 0, 1, x.get(), 0, 1, a.get(), 0, n, 2, queues,
                          1, waits, events);
    });
    CHECK(download<float>(second.get(), a.get(), n * n) == std::vector<float>(n * n, 3.0f));
}

TEST_CASE("calls on one queue that is out of order follow each other by their events") {
    const setup_scope scope;
    const owned_context context = make_context();
    const owned_queue queue = make_queue(context.get(), CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_command_queue queues[] = {queue.get()};
    const owned_buffer x = upload(context.get(), std::vector<double>(many, 1.0)),
                       y = upload(context.get(), std::vector<double>(many, 0.0)),
                       result = upload(context.get(), std::vector<double>(1, 0.0));
    owned_event last;
    for (int i = 0; i < 20; ++i) {
        owned_event done;
        const cl_event wait = last.get();
        REQUIRE(clblasDaxpy(many, 1, x.get(), 0, 1, y.get(), 0, 1, 1, queues, wait ? 1 : 0,
                            wait ? &wait : nullptr, done.out()) == clblasSuccess);
        last = std::move(done);
    }
    owned_event done;
    const cl_event wait = last.get();
    REQUIRE(clblasDasum(many, result.get(), 0, y.get(), 0, 1, nullptr, 1, queues, 1, &wait, done.out()) ==
            clblasSuccess);
    CHECK(download<double>(queue.get(), result.get(), 1, done.get())[0] == 20.0 * many);
}
