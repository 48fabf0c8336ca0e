// The OpenCL plug-in: every device with shared virtual memory and a compiler for OpenCL C 1.2.
#include "common/runtime/plan_record.hpp"
#include "common/runtime/slot.hpp"
#include "adopt.hpp"
#include "device.hpp"
#include <cstring>
#include <new>

heron_plan::~heron_plan() = default;

namespace heron::opencl {

void fill_slots(heron_backend& table);

namespace {

template <class F>
heron_status guard(const char* operation, F&& f) noexcept {
    return guarded<opencl_device>(operation, std::forward<F>(f));
}

template <size_t size>
void put(char (&to)[size], const std::string& text) {
    to[0] = '\0';
    std::strncat(to, text.c_str(), size - 1);
}

heron_status device_count(int* count, const char** why) {
    return guard("device_count", [&] {
        const device_list& list = all_devices();
        *count = static_cast<int>(list.devices.size());
        *why = list.devices.empty() ? list.why_none.c_str() : "";
    });
}

heron_status device_info(int index, heron_device_info* info) {
    return guard("device_info", [&] {
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
    });
}

heron_status device_sync(int index) {
    return guard("device_sync", [&] { device_at(index).finish(); });
}

heron_status memory_alloc(int index, size_t bytes, heron_memory kind, void** pointer) {
    return guard("memory_alloc", [&] { *pointer = allocate(index, bytes, kind); });
}

heron_status memory_free(void* pointer) {
    return guard("memory_free", [&] { release(pointer); });
}

heron_status memory_owner(const void* pointer, void** base, size_t* bytes, heron_memory* kind, int* device) {
    return find_owner(pointer, base, bytes, kind, device) ? HERON_SUCCESS : HERON_INVALID_VALUE;
}

heron_status stream_create(int index, void** stream) {
    return guard("stream_create", [&] { *stream = device_at(index).create_stream(); });
}

// As on CUDA, work that is under way finishes.
heron_status stream_destroy(int index, void* stream) {
    return guard("stream_destroy", [&] { device_at(index).destroy_stream(stream); });
}

heron_status stream_sync(int index, void* stream) {
    return guard("stream_sync", [&] {
        device& d = device_at(index);
        d.finish(*d.stream_of(stream));
    });
}

heron_status stream_ready(int index, void* stream, int* ready) {
    return guard("stream_ready", [&] {
        device& d = device_at(index);
        *ready = d.is_done(*d.stream_of(stream));
    });
}

heron_status stream_wait_event(int index, void* stream, void* e) {
    return guard("stream_wait_event", [&] {
        device& d = device_at(index);
        static_cast<event*>(e)->hold_back(d, *d.stream_of(stream));
    });
}

heron_status event_create(int index, void** out) {
    return guard("event_create", [&] {
        device_at(index);
        *out = new event;
    });
}

heron_status event_destroy(void* e) {
    delete static_cast<event*>(e);
    return HERON_SUCCESS;
}

heron_status event_record(int index, void* stream, void* e) {
    return guard("event_record", [&] {
        device& d = device_at(index);
        static_cast<event*>(e)->record(d, *d.stream_of(stream));
    });
}

heron_status event_sync(void* e) {
    return guard("event_sync", [&] { static_cast<event*>(e)->wait(); });
}

heron_status event_ready(void* e, int* ready) {
    return guard("event_ready", [&] { *ready = static_cast<event*>(e)->is_complete(); });
}

heron_status event_elapsed(void* start, void* stop, float* milliseconds) {
    return guard("event_elapsed", [&] {
        *milliseconds = event::elapsed(*static_cast<event*>(start), *static_cast<event*>(stop));
    });
}

heron_status queue_create(int index, heron_queue** queue) {
    return guard("queue_create", [&] { *queue = new heron_queue(device_at(index), index); });
}

heron_status queue_destroy(heron_queue* queue) {
    delete queue;
    return HERON_SUCCESS;
}

heron_status queue_bind(heron_queue* queue, void* stream) {
    return guard("queue_bind", [&] { queue->stream = queue->device.stream_of(stream); });
}

heron_status queue_sync(heron_queue* queue) {
    return guard("queue_sync", [&] { queue->finish(); });
}

heron_status queue_threads(heron_queue*, int) { return HERON_SUCCESS; }

heron_status copy_slot(heron_queue* queue, void* destination, const void* source, size_t bytes) {
    return guard("copy", [&] { copy(*queue, destination, source, bytes); });
}

heron_status fill_slot(heron_queue* queue, void* destination, unsigned char byte, size_t bytes) {
    return guard("fill", [&] { fill(*queue, destination, byte, bytes); });
}

heron_status plan_destroy(heron_plan* plan) {
    delete plan;
    return HERON_SUCCESS;
}

heron_status queue_adopt(void* command_queue, heron_queue** queue) {
    return guard("queue_adopt", [&] { *queue = adopt(command_queue); });
}

heron_status queue_wait_for(heron_queue* queue, size_t count, void* const* events) {
    return guard("queue_wait_for", [&] { wait_for(*queue, count, events); });
}

heron_status queue_mark(heron_queue* queue, void** event) {
    return guard("queue_mark", [&] { *event = mark(*queue); });
}

heron_status buffer_info(heron_queue* queue, void* memory, size_t* bytes) {
    return guard("buffer_info", [&] { *bytes = buffer_bytes(*queue, memory); });
}

heron_status adoptions_forget() {
    return guard("adoptions_forget", [&] { forget_adoptions(); });
}

heron_backend make_table() {
    heron_backend table{};
    table.abi = HERON_BACKEND_ABI;
    table.size = sizeof table;
    table.name = "opencl";
    table.version = HERON_PLUGIN_VERSION;
    table.device_count = device_count;
    table.device_info = device_info;
    table.device_sync = device_sync;
    table.memory_alloc = memory_alloc;
    table.memory_free = memory_free;
    table.memory_owner = memory_owner;
    table.stream_create = stream_create;
    table.stream_destroy = stream_destroy;
    table.stream_sync = stream_sync;
    table.stream_ready = stream_ready;
    table.stream_wait_event = stream_wait_event;
    table.event_create = event_create;
    table.event_destroy = event_destroy;
    table.event_record = event_record;
    table.event_sync = event_sync;
    table.event_ready = event_ready;
    table.event_elapsed = event_elapsed;
    table.queue_create = queue_create;
    table.queue_destroy = queue_destroy;
    table.queue_bind = queue_bind;
    table.queue_sync = queue_sync;
    table.queue_threads = queue_threads;
    table.copy = copy_slot;
    table.fill = fill_slot;
    table.plan_destroy = plan_destroy;
    table.queue_adopt = queue_adopt;
    table.queue_wait_for = queue_wait_for;
    table.queue_mark = queue_mark;
    table.buffer_info = buffer_info;
    table.adoptions_forget = adoptions_forget;
    fill_slots(table);
    return table;
}

}  // namespace
}  // namespace heron::opencl

const heron_backend* heron_plugin(const heron_host_services* services) {
    heron::opencl::set_services(services);
    static const heron_backend table = heron::opencl::make_table();
    return &table;
}
