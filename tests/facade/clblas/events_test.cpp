// Wait lists, returned events, several queues, queues out of order, threads, and what is left behind.
#include "rig.hpp"
#include <chrono>
#include <thread>

using namespace heron::test::cl;

namespace {

constexpr std::size_t n = 24;

std::vector<float> filled(float value) { return std::vector<float>(n * n, value); }

// C := A*B + beta*C with matrices of one value each, so that every element of C is the same.
struct square {
    square(cl_context context, float a_value, float b_value, float c_value)
        : a(upload(context, filled(a_value))),
          b(upload(context, filled(b_value))),
          c(upload(context, filled(c_value))) {}

    arguments call(cl_command_queue* queues, cl_uint count, cl_event* events) const {
        arguments x;
        x.m = x.n = x.k = n;
        x.lda = x.ldb = x.ldc = n;
        x.a = a.get();
        x.b = b.get();
        x.c = c.get();
        x.beta = {1, 0};
        x.queue_count = count;
        x.queues = queues;
        x.events = events;
        return x;
    }

    owned_buffer a, b, c;
};

int gemm(const arguments& x) { return run(generation::clblas, operation::gemm, scalar::s, x); }

struct setup_scope {
    setup_scope() { REQUIRE(clblasSetup() == clblasSuccess); }
    ~setup_scope() { clblasTeardown(); }
};

cl_uint references(cl_context context) {
    cl_uint count = 0;
    REQUIRE(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, nullptr) ==
            CL_SUCCESS);
    return count;
}

cl_uint references(cl_command_queue queue) {
    cl_uint count = 0;
    REQUIRE(clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof count, &count, nullptr) ==
            CL_SUCCESS);
    return count;
}

cl_uint references(cl_event event) {
    cl_uint count = 0;
    REQUIRE(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof count, &count, nullptr) == CL_SUCCESS);
    return count;
}

// The driver lets go of finished commands on a thread of its own.
template <class Handle>
bool falls_to(Handle handle, cl_uint expected) {
    for (int i = 0; i < 200; ++i) {
        if (references(handle) <= expected) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return references(handle) <= expected;
}

}  // namespace

TEST_CASE("a call waits for its list, does not wait itself, and its event comes after C") {
    const setup_scope scope;
    const owned_context context = make_context();
    for (const cl_command_queue_properties properties : {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}) {
        CAPTURE(properties);
        const owned_queue queue = make_queue(context.get(), properties);
        const owned_queue reader = make_queue(context.get());
        const square s(context.get(), 1, 2, 5);
        cl_command_queue queues[] = {queue.get()};
        const owned_event gate = make_user_event(context.get());
        const cl_event waits[] = {gate.get()};
        owned_event done;
        arguments x = s.call(queues, 1, done.out());
        x.wait_count = 1;
        x.waits = waits;
        REQUIRE(gemm(x) == clblasSuccess);
        clFlush(queue.get());
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        CHECK_FALSE(is_complete(done.get()));
        CHECK(download<float>(reader.get(), s.c.get(), n * n) == filled(5));
        REQUIRE(clSetUserEventStatus(gate.get(), CL_COMPLETE) == CL_SUCCESS);
        CHECK(download<float>(reader.get(), s.c.get(), n * n, done.get()) == filled(5 + 2 * n));
        CHECK(is_complete(done.get()));
    }
}

TEST_CASE("each of several queues gets an event that covers the whole work") {
    const setup_scope scope;
    const owned_context context = make_context();
    const owned_queue first = make_queue(context.get());
    const owned_queue second = make_queue(context.get());
    const owned_queue third = make_queue(context.get(), CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    const square s(context.get(), 1, 1, 0);
    cl_command_queue queues[] = {first.get(), second.get(), third.get()};
    for (const operation op :
         {operation::gemm, operation::trmm, operation::trsm, operation::syrk, operation::syr2k,
          operation::symm, operation::hemm, operation::herk, operation::her2k}) {
        CAPTURE(name_of(op));
        const owned_event gate = make_user_event(context.get());
        const cl_event waits[] = {gate.get()};
        cl_event events[3] = {};
        arguments x = s.call(queues, 3, events);
        x.m = x.n = x.k = n / 2;  // complex matrices fit, too
        x.wait_count = 1;
        x.waits = waits;
        REQUIRE(run(generation::clblas, op, is_hermitian(op) ? scalar::c : scalar::s, x) == clblasSuccess);
        for (cl_event event : events) {
            REQUIRE(event != nullptr);
            CHECK_FALSE(is_complete(event));
        }
        clSetUserEventStatus(gate.get(), CL_COMPLETE);
        CHECK(clWaitForEvents(1, &events[2]) == CL_SUCCESS);
        CHECK(is_complete(events[0]));
        CHECK(clWaitForEvents(3, events) == CL_SUCCESS);
        for (cl_event event : events) clReleaseEvent(event);
    }
}

TEST_CASE("a call that fails keeps no event, and one that succeeds only until it is done") {
    const setup_scope scope;
    const owned_context context = make_context();
    const owned_queue queue = make_queue(context.get());
    const square s(context.get(), 1, 1, 0);
    cl_command_queue queues[] = {queue.get()};
    const owned_event gate = make_user_event(context.get());
    const cl_event waits[] = {gate.get()};
    cl_event done = nullptr;
    arguments x = s.call(queues, 1, &done);
    x.wait_count = 1;
    x.waits = waits;
    const cl_uint before = references(gate.get());
    for (const std::size_t ld : {n - 1, n + 1}) {
        x.ldc = ld;
        CHECK(gemm(x) != clblasSuccess);
        CHECK(done == nullptr);
        CHECK(references(gate.get()) == before);
    }
    x.ldc = n;
    REQUIRE(gemm(x) == clblasSuccess);
    REQUIRE(clSetUserEventStatus(gate.get(), CL_COMPLETE) == CL_SUCCESS);
    // A driver may keep the last command of a queue.
    REQUIRE(gemm(s.call(queues, 1, nullptr)) == clblasSuccess);
    REQUIRE(clFinish(queue.get()) == CL_SUCCESS);
    CHECK(falls_to(gate.get(), before));
    CHECK(falls_to(done, 1));
    clReleaseEvent(done);
}

TEST_CASE("calls on two queues follow each other by their events") {
    const setup_scope scope;
    const owned_context context = make_context();
    for (const cl_command_queue_properties properties : {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}) {
        const owned_queue first = make_queue(context.get(), properties);
        const owned_queue second = make_queue(context.get(), properties);
        cl_command_queue queues[] = {first.get(), second.get()};
        const square s(context.get(), 1, 1, 0);
        owned_event before;
        for (int i = 0; i < 20; ++i) {
            owned_event done;
            const cl_event wait = before.get();
            arguments x = s.call(&queues[i % 2], 1, done.out());
            x.wait_count = wait ? 1 : 0;
            x.waits = wait ? &wait : nullptr;
            REQUIRE(gemm(x) == clblasSuccess);
            before = std::move(done);
        }
        CHECK(download<float>(first.get(), s.c.get(), n * n, before.get()) == filled(20 * n));
    }
}

TEST_CASE("the kernels of one call are in order on a queue that is not") {
    const setup_scope scope;
    const owned_context context = make_context();
    const owned_queue queue = make_queue(context.get(), CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    // A triangular system of several blocks: the solution of L*X = L*ones is ones.
    constexpr std::size_t order = 150;
    std::vector<float> l(order * order, 0), b(order * order);
    for (std::size_t j = 0; j < order; ++j)
        for (std::size_t i = j; i < order; ++i)
            l[i + j * order] = i == j ? 2.0f : 0.5f / static_cast<float>(order);
    for (std::size_t j = 0; j < order; ++j)
        for (std::size_t i = 0; i < order; ++i)
            b[i + j * order] = 2.0f + 0.5f * static_cast<float>(i) / static_cast<float>(order);
    const owned_buffer da = upload(context.get(), l);
    const owned_buffer db = upload(context.get(), b);
    cl_command_queue queues[] = {queue.get()};
    owned_event done;
    arguments x;
    x.m = x.n = order;
    x.lda = x.ldb = order;
    x.a = da.get();
    x.b = db.get();
    x.queue_count = 1;
    x.queues = queues;
    x.events = done.out();
    REQUIRE(run(generation::amd, operation::trsm, scalar::s, x) == clblasSuccess);
    for (const float value : download<float>(queue.get(), db.get(), order * order, done.get()))
        if (!(value > 0.9999f && value < 1.0001f)) FAIL("the solution is wrong: " << value);
}

TEST_CASE("a call that does nothing has an event all the same") {
    const setup_scope scope;
    const owned_context context = make_context();
    for (const cl_command_queue_properties properties : {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}) {
        const owned_queue queue = make_queue(context.get(), properties);
        const square s(context.get(), 1, 1, 3);
        cl_command_queue queues[] = {queue.get()};
        const owned_event gate = make_user_event(context.get());
        const cl_event waits[] = {gate.get()};
        owned_event done;
        arguments x = s.call(queues, 1, done.out());
        x.alpha = {0, 0};
        x.wait_count = 1;
        x.waits = waits;
        REQUIRE(gemm(x) == clblasSuccess);
        CHECK_FALSE(is_complete(done.get()));
        clSetUserEventStatus(gate.get(), CL_COMPLETE);
        CHECK(download<float>(queue.get(), s.c.get(), n * n, done.get()) == filled(3));
    }
}

TEST_CASE("no events are asked for") {
    const setup_scope scope;
    const owned_context context = make_context();
    const owned_queue queue = make_queue(context.get());
    const square s(context.get(), 1, 1, 0);
    cl_command_queue queues[] = {queue.get()};
    for (int i = 0; i < 50; ++i) REQUIRE(gemm(s.call(queues, 1, nullptr)) == clblasSuccess);
    CHECK(download<float>(queue.get(), s.c.get(), n * n) == filled(50 * n));
}

TEST_CASE("Teardown leaves nothing behind") {
    const owned_context context = make_context();
    const owned_queue queue = make_queue(context.get());
    const square s(context.get(), 1, 1, 0);
    cl_command_queue queues[] = {queue.get()};
    const cl_uint context_before = references(context.get());
    cl_uint queue_before = 0;
    for (int cycle = 0; cycle < 6; ++cycle) {
        // A driver may keep the last command of a queue.
        if (cycle == 1) queue_before = references(queue.get());
        REQUIRE(clblasSetup() == clblasSuccess);
        owned_event done;
        REQUIRE(gemm(s.call(queues, 1, done.out())) == clblasSuccess);
        clFinish(queue.get());
        CHECK(is_complete(done.get()));
        clblasTeardown();
    }
    CHECK(falls_to(queue.get(), queue_before));
    CHECK(falls_to(context.get(), context_before));
}

TEST_CASE("contexts that the caller has let go of are let go of at the next new one") {
    const setup_scope scope;
    std::vector<owned_context> kept;
    for (int i = 0; i < 3; ++i) {
        owned_context context = make_context();
        const owned_queue queue = make_queue(context.get());
        const square s(context.get(), 1, 1, 0);
        cl_command_queue queues[] = {queue.get()};
        REQUIRE(gemm(s.call(queues, 1, nullptr)) == clblasSuccess);
        CHECK(download<float>(queue.get(), s.c.get(), n * n) == filled(n));
        kept.push_back(std::move(context));
    }
    // Later contexts emptied the caches of the first; it still works.
    const owned_queue queue = make_queue(kept[0].get());
    const square s(kept[0].get(), 1, 1, 0);
    cl_command_queue queues[] = {queue.get()};
    REQUIRE(gemm(s.call(queues, 1, nullptr)) == clblasSuccess);
    CHECK(download<float>(queue.get(), s.c.get(), n * n) == filled(n));
}

TEST_CASE("threads call with queues of one context and of their own") {
    const setup_scope scope;
    const owned_context shared = make_context();
    std::vector<std::thread> threads;
    std::vector<int> wrong(4, -1);
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            cl_device_id const id = device();
            cl_int code = CL_SUCCESS;
            const owned_context own(t % 2 ? clCreateContext(nullptr, 1, &id, nullptr, nullptr, &code)
                                          : nullptr);
            cl_context const context = own.get() ? own.get() : shared.get();
            const owned_queue queue(clCreateCommandQueue(context, id, 0, &code));
            const std::vector<float> start = filled(0), ones = filled(static_cast<float>(t + 1));
            const auto make = [&](const std::vector<float>& values) {
                return owned_buffer(clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                                   values.size() * sizeof(float),
                                                   const_cast<float*>(values.data()), &code));
            };
            const owned_buffer a = make(ones), b = make(filled(1)), c = make(start);
            cl_command_queue queues[] = {queue.get()};
            int failures = 0;
            for (int i = 0; i < 25; ++i)
                failures += clblasSgemm(clblasColumnMajor, clblasNoTrans, clblasNoTrans, n, n, n, 1, a.get(),
                                        0, n, b.get(), 0, n, 1, c.get(), 0, n, 1, queues, 0, nullptr,
                                        nullptr) != clblasSuccess;
            std::vector<float> result(n * n);
            failures += clEnqueueReadBuffer(queue.get(), c.get(), CL_TRUE, 0, result.size() * sizeof(float),
                                            result.data(), 0, nullptr, nullptr) != CL_SUCCESS;
            failures += result != filled(static_cast<float>(25 * n * static_cast<std::size_t>(t + 1)));
            wrong[static_cast<std::size_t>(t)] = failures;
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == std::vector<int>(4, 0));
}
