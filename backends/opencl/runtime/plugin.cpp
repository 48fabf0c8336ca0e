// The OpenCL plug-in: every device with shared virtual memory and a compiler for OpenCL C 1.2.
#include "common/runtime/plan_record.hpp"
#include "common/runtime/plugin_table.hpp"
#include "common/runtime/slot.hpp"
#include "adopt.hpp"
#include "buffers.hpp"
#include "device.hpp"
#include <cstring>

heron_plan::~heron_plan() = default;

namespace heron::opencl {

void fill_slots(heron_backend& table);

namespace {

template <size_t size>
void put(char (&to)[size], const std::string& text) {
    to[0] = '\0';
    std::strncat(to, text.c_str(), size - 1);
}

// The functions of the table that are no operations.
struct entries {
    using log = opencl_device;

    static void device_count(int* count, const char** why) {
        const device_list& list = all_devices();
        *count = static_cast<int>(list.devices.size());
        *why = list.devices.empty() ? list.why_none.c_str() : "";
    }

    static void device_info(int index, heron_device_info* info) {
        const device_traits& t = device_at(index).traits();
        *info = {};
        put(info->name, t.name);
        put(info->vendor, t.vendor);
        put(info->driver, t.driver);
        put(info->isa, t.c_version);
        info->memory_bytes = t.memory_bytes;
        info->cache_bytes = t.cache_bytes;
        info->compute_units = t.compute_units;
        info->clock_mhz = t.clock_mhz;
        info->has_fp64 = t.has_fp64;
        info->is_gpu = t.is_gpu;
        info->is_host_accessible = t.is_unified;
        info->major = t.major;
        info->minor = t.minor;
    }

    static void device_sync(int index) { device_at(index).finish(); }

    static void memory_alloc(int index, size_t bytes, heron_memory kind, void** pointer) {
        *pointer = allocate(index, bytes, kind);
    }

    static void memory_free(void* pointer) { release(pointer); }

    static heron_status memory_owner(const void* pointer, void** base, size_t* bytes, heron_memory* kind,
                                     int* device) {
        return find_owner(pointer, base, bytes, kind, device) ? HERON_SUCCESS : HERON_INVALID_VALUE;
    }

    static void stream_create(int index, void** stream) { *stream = device_at(index).create_stream(); }

    // As on CUDA, work that is under way finishes.
    static void stream_destroy(int index, void* stream) { device_at(index).destroy_stream(stream); }

    static void stream_sync(int index, void* stream) {
        device& d = device_at(index);
        d.finish(*d.stream_of(stream));
    }

    static void stream_ready(int index, void* stream, int* ready) {
        device& d = device_at(index);
        *ready = d.is_done(*d.stream_of(stream));
    }

    static void stream_wait_event(int index, void* stream, void* e) {
        device& d = device_at(index);
        static_cast<event*>(e)->hold_back(d, *d.stream_of(stream));
    }

    static void event_create(int index, void** out) {
        device_at(index);
        *out = new event;
    }

    static void event_destroy(void* e) { delete static_cast<event*>(e); }

    static void event_record(int index, void* stream, void* e) {
        device& d = device_at(index);
        static_cast<event*>(e)->record(d, *d.stream_of(stream));
    }

    static void event_sync(void* e) { static_cast<event*>(e)->wait(); }

    static void event_ready(void* e, int* ready) { *ready = static_cast<event*>(e)->is_complete(); }

    static void event_elapsed(void* start, void* stop, float* milliseconds) {
        *milliseconds = event::elapsed(*static_cast<event*>(start), *static_cast<event*>(stop));
    }

    static void queue_create(int index, heron_queue** queue) {
        *queue = new heron_queue(device_at(index), index);
    }

    static void queue_destroy(heron_queue* queue) { delete queue; }

    static void queue_bind(heron_queue* queue, void* stream) {
        queue->stream = queue->device.stream_of(stream);
    }

    static void queue_sync(heron_queue* queue) { queue->finish(); }

    static void queue_threads(heron_queue*, int) {}

    static void copy(heron_queue* queue, void* destination, const void* source, size_t bytes) {
        opencl::copy(*queue, destination, source, bytes);
    }

    static void fill(heron_queue* queue, void* destination, unsigned char byte, size_t bytes) {
        opencl::fill(*queue, destination, byte, bytes);
    }

    static void plan_destroy(heron_plan* plan) { delete plan; }

    static void queue_adopt(void* command_queue, heron_queue** queue) { *queue = adopt(command_queue); }

    static void queue_wait_for(heron_queue* queue, size_t count, void* const* events) {
        wait_for(*queue, count, events);
    }

    static void queue_mark(heron_queue* queue, void** event) { *event = mark(*queue); }

    static void buffer_info(heron_queue* queue, void* memory, size_t* bytes) {
        *bytes = buffer_bytes(*queue, memory);
    }

    static void adoptions_forget() { forget_adoptions(); }

    static void buffer_create(void* context, size_t bytes, void** memory) {
        *memory = create_buffer(context, bytes);
    }

    static void buffer_destroy(void* memory) {
        check(clReleaseMemObject(static_cast<cl_mem>(memory)), "clReleaseMemObject");
    }

    static void rows_copy(heron_queue* queue, const heron_rows* to, const heron_rows* from, size_t row_bytes,
                          size_t rows, int32_t wait) {
        copy_rows(*queue, *to, *from, {row_bytes, rows});
        if (wait) wait_for_last(*queue);
    }

    static void rows_fill(heron_queue* queue, const heron_rows* to, size_t row_bytes, size_t rows,
                          const void* pattern, size_t pattern_bytes, int32_t wait) {
        fill_rows(*queue, *to, {row_bytes, rows}, pattern, pattern_bytes);
        if (wait) wait_for_last(*queue);
    }
};

}  // namespace
}  // namespace heron::opencl

const heron_backend* heron_plugin(const heron_host_services* services) {
    heron::opencl::set_services(services);
    static const heron_backend table =
        heron::make_table<heron::opencl::entries>("opencl", &heron::opencl::fill_slots);
    return &table;
}
