#pragma once
// Device memory for what an operation needs between its kernels, such as packed operands. A buffer serves the
// next call as soon as its last one is done, and the next call on the same in-order queue at once, so that
// nobody waits and nothing is allocated in the long run.
#include "api.hpp"
#include <memory>
#include <mutex>
#include <vector>

namespace heron::opencl {

struct scratch_buffer {
    ~scratch_buffer();
    bool is_idle();

    cl_mem memory = nullptr;
    size_t bytes = 0;
    // Guarded by the pool: whether a call has it, the in-order queue that used it last, which no other object
    // can be while work is pending, and the event behind that use.
    bool held = false;
    cl_command_queue owner = nullptr;
    cl_event last = nullptr;
};

class scratch_pool {
  public:
    // At least `bytes`; throws plan_error when the device has no memory. owner: the queue, or NULL when it is
    // out of order.
    std::shared_ptr<scratch_buffer> take(cl_context context, size_t bytes, cl_command_queue owner);

    // The call has submitted what it has to, which ends with this event; NULL if that is nothing. The event
    // stays the caller's.
    void give_back(const std::shared_ptr<scratch_buffer>& buffer, cl_event last);

  private:
    std::mutex mutex_;
    std::vector<std::shared_ptr<scratch_buffer>> buffers_;
};

}  // namespace heron::opencl
