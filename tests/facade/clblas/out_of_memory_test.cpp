// Host memory that runs out in a call of clBLAS: what failed is not taken for a bad buffer or event.
#include "rig.hpp"
#include "failing_allocations.hpp"

using namespace heron::test;
using namespace heron::test::cl;

TEST_CASE("running out of memory is no fault of the arguments") {
    REQUIRE(clblasSetup() == clblasSuccess);
    const owned_context context = make_context();
    const owned_queue queue = make_queue(context.get());
    const owned_buffer a = upload(context.get(), std::vector<float>(64, 1.0f));
    const owned_buffer b = upload(context.get(), std::vector<float>(64, 1.0f));
    const owned_buffer c = upload(context.get(), std::vector<float>(64, 1.0f));
    const owned_event done = make_user_event(context.get());
    clSetUserEventStatus(done.get(), CL_COMPLETE);
    cl_command_queue queues[] = {queue.get()};
    const cl_event waits[] = {done.get()};
    const auto multiply = [&](cl_mem first) {
        return static_cast<int>(clblasSgemm(clblasColumnMajor, clblasNoTrans, clblasNoTrans, 8, 8, 8, 1.0f,
                                            first, 0, 8, b.get(), 0, 8, 0.0f, c.get(), 0, 8, 1, queues, 1,
                                            waits, nullptr));
    };
    // Compilers are no subject: what they build is built first.
    skip_unless_counted([&] { REQUIRE(multiply(a.get()) == clblasSuccess); });
    REQUIRE(clFinish(queue.get()) == CL_SUCCESS);
    const auto is_out_of_memory = [](int status) {
        return status == clblasOutOfHostMemory || status == clblasOutOfResources;
    };
    int refused = 0;
    fail_every_allocation([&] { return multiply(a.get()); },
                          [&](int status, bool has_failed) {
                              CHECK((status == clblasSuccess || (has_failed && is_out_of_memory(status))));
                              refused += status != clblasSuccess;
                          });
    CHECK(refused > 0);
    // A sum takes memory of Heron's own on the device.
    const auto add_up = [&] {
        return static_cast<int>(
            clblasSasum(64, c.get(), 0, a.get(), 0, 1, nullptr, 1, queues, 1, waits, nullptr));
    };
    skip_unless_counted([&] { REQUIRE(add_up() == clblasSuccess); });
    REQUIRE(clFinish(queue.get()) == CL_SUCCESS);
    fail_every_allocation(add_up, [&](int status, bool has_failed) {
        CHECK((status == clblasSuccess || (has_failed && is_out_of_memory(status))));
    });
    // What is no buffer is said so, once there is memory for it.
    fail_every_allocation([&] { return multiply(nullptr); },
                          [&](int status, bool has_failed) {
                              if (has_failed)
                                  CHECK((status == clblasInvalidMatA || is_out_of_memory(status)));
                              else
                                  CHECK(status == clblasInvalidMatA);
                          });
    CHECK(clFinish(queue.get()) == CL_SUCCESS);
    clblasTeardown();
}
