#include "adopt.hpp"
#include <algorithm>

namespace heron::opencl {
namespace {

// A device in a caller's context.
struct guest {
    cl_context context;
    cl_device_id id;
    std::shared_ptr<device> place;
};

struct guest_list {
    std::mutex mutex;
    std::vector<guest> guests;
};

guest_list& guests() {
    static guest_list& list = *new guest_list;
    return list;
}

template <class T>
T queue_property(cl_command_queue queue, cl_command_queue_info what) {
    T value{};
    if (clGetCommandQueueInfo(queue, what, sizeof value, &value, nullptr) != CL_SUCCESS)
        fail(HERON_INVALID_VALUE, "this is no command queue");
    return value;
}

cl_uint references(cl_context context) {
    cl_uint count = 0;
    check(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, nullptr),
          "clGetContextInfo");
    return count;
}

// Drops the contexts that only Heron still holds. What is kept for a context may hold references to it, and
// how many is the driver's business: so the contexts that no call uses now lose it, and build again what is
// on disk if they are used later.
void sweep(std::vector<guest>& list) {
    const auto is_idle = [](const guest& g) { return g.place.use_count() == 1; };
    for (const guest& g : list)
        if (is_idle(g)) g.place->empty_caches();
    std::erase_if(list, [&](const guest& g) {
        const auto same = std::count_if(list.begin(), list.end(),
                                        [&](const guest& other) { return other.context == g.context; });
        return is_idle(g) && references(g.context) <= static_cast<cl_uint>(same);
    });
}

std::shared_ptr<device> guest_of(cl_context context, cl_device_id id) {
    guest_list& list = guests();
    const std::lock_guard lock(list.mutex);
    for (const guest& g : list.guests)
        if (g.context == context && g.id == id) return g.place;
    sweep(list.guests);
    list.guests.push_back({context, id, std::make_shared<device>(id, context)});
    return list.guests.back().place;
}

}  // namespace

heron_queue* adopt(void* command_queue) {
    if (!command_queue) fail(HERON_INVALID_VALUE, "the command queue is NULL");
    const auto commands = static_cast<cl_command_queue>(command_queue);
    const auto context = queue_property<cl_context>(commands, CL_QUEUE_CONTEXT);
    const auto id = queue_property<cl_device_id>(commands, CL_QUEUE_DEVICE);
    const auto properties = queue_property<cl_command_queue_properties>(commands, CL_QUEUE_PROPERTIES);
    return new heron_queue(guest_of(context, id), commands,
                           !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE));
}

size_t buffer_bytes(heron_queue& queue, void* memory) {
    const auto buffer = static_cast<cl_mem>(memory);
    cl_mem_object_type type = 0;
    if (!buffer || clGetMemObjectInfo(buffer, CL_MEM_TYPE, sizeof type, &type, nullptr) != CL_SUCCESS ||
        type != CL_MEM_OBJECT_BUFFER)
        fail(HERON_INVALID_VALUE, "this is no buffer");
    cl_context context = nullptr;
    size_t bytes = 0;
    check(clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof context, &context, nullptr),
          "clGetMemObjectInfo");
    if (context != queue.device.context()) fail(HERON_MAPPING_ERROR, "the buffer belongs to another context");
    check(clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, nullptr), "clGetMemObjectInfo");
    return bytes;
}

void wait_for(heron_queue& queue, size_t count, void* const* events) {
    for (size_t i = 0; i < count; ++i) {
        const auto event = static_cast<cl_event>(events[i]);
        cl_context context = nullptr;
        if (!event ||
            clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof context, &context, nullptr) != CL_SUCCESS)
            fail(HERON_INVALID_VALUE, "event " + std::to_string(i) + " of the wait list is none");
        if (context != queue.device.context())
            fail(HERON_MAPPING_ERROR,
                 "event " + std::to_string(i) + " of the wait list belongs to another context");
    }
    for (size_t i = 0; i < count; ++i) queue.adopted->add_wait(static_cast<cl_event>(events[i]));
}

// Without a command of ours since the adoption, or with events that no command has waited for, a marker takes
// their place.
cl_event mark(heron_queue& queue) {
    adoption& a = *queue.adopted;
    if (!a.last())
        queue.enqueue("clEnqueueMarkerWithWaitList",
                      [](cl_command_queue commands, cl_uint count, const cl_event* waits, cl_event* event) {
                          return clEnqueueMarkerWithWaitList(commands, count, waits, event);
                      });
    queue.flush();
    check(clRetainEvent(a.last()), "clRetainEvent");
    return a.last();
}

void forget_adoptions() {
    std::vector<guest> forgotten;
    const std::lock_guard lock(guests().mutex);
    forgotten.swap(guests().guests);
}

}  // namespace heron::opencl
