// The native C API: translation to the core.
#include <heron/heron.h>
#include "names.hpp"
#include "core/context.hpp"
#include "core/last_error.hpp"
#include "core/log.hpp"
#include "core/status.hpp"

using namespace heron::core;

namespace {

template <class F>
heron_status guarded(const char* function, F&& f) noexcept {
    return guard<heron_status>(native(function), std::forward<F>(f));
}

context& handle_of(heron_handle handle) { return context::from(handle); }

const backend& backend_at(int i) {
    if (i < 0 || i >= heron_backend_count()) invalid("i", "is not a backend's number");
    return find_backend(backend_names()[static_cast<size_t>(i)]);
}

}  // namespace

int heron_version(void) { return HERON_VERSION; }
const char* heron_status_name(heron_status status) { return status_name(status); }
const char* heron_status_string(heron_status status) { return status_string(status); }

int heron_backend_count(void) { return static_cast<int>(backend_names().size()); }

const char* heron_backend_name(int i) {
    return i >= 0 && i < heron_backend_count() ? backend_names()[static_cast<size_t>(i)].c_str() : nullptr;
}

heron_status heron_backend_status(int i, int* available, const char** reason, const char** version,
                                  const char** path) {
    return guarded(__func__, [&] {
        const backend& b = backend_at(i);
        if (available) *available = b.usable();
        if (reason) *reason = b.reason.c_str();
        if (version) *version = b.version.c_str();
        if (path) *path = b.path.c_str();
    });
}

heron_status heron_device_count(const char* name, int* count) {
    return guarded(__func__, [&] {
        required(count, "count");
        *count = find_backend(required(name, "backend")).device_count;
    });
}

heron_status heron_device_query(const char* name, int device, heron_device_info* info) {
    return guarded(__func__, [&] {
        required(info, "info");
        const backend& b = find_backend(required(name, "backend"));
        if (!b.usable()) throw error(HERON_NOT_INITIALIZED, b.name.c_str(), b.reason);
        if (device < 0 || device >= b.device_count) invalid("device", "is not a device of this backend");
        heron_device_info found{};
        check(b.table.device_info(device, &found), "device query");
        *info = found;
    });
}

heron_status heron_create(heron_handle* handle) {
    return guarded(__func__, [&] {
        required(handle, "handle");
        *handle = reinterpret_cast<heron_handle>(new context);
    });
}

heron_status heron_create_on(const char* name, int device, heron_handle* handle) {
    return guarded(__func__, [&] {
        required(handle, "handle");
        *handle =
            reinterpret_cast<heron_handle>(new context(find_backend(required(name, "backend")), device));
    });
}

heron_status heron_destroy(heron_handle handle) {
    return guarded(__func__, [&] { delete &handle_of(handle); });
}

heron_status heron_get_backend(heron_handle handle, const char** name, int* device) {
    return guarded(__func__, [&] {
        const context& c = handle_of(handle);
        if (name) *name = c.backend().name.c_str();
        if (device) *device = c.device();
    });
}

heron_status heron_alloc(heron_handle handle, size_t bytes, heron_memory kind, void** pointer) {
    return guarded(__func__, [&] {
        const context& c = handle_of(handle);
        required(pointer, "pointer");
        require(kind >= HERON_MEMORY_DEVICE && kind <= HERON_MEMORY_MANAGED, "kind",
                "is not a kind of memory");
        void* p = nullptr;
        if (bytes > 0) check(c.table().memory_alloc(c.device(), bytes, kind, &p), "allocation");
        *pointer = p;
    });
}

heron_status heron_free(heron_handle handle, void* pointer) {
    return guarded(__func__, [&] {
        const context& c = handle_of(handle);
        if (pointer) check(c.table().memory_free(pointer), "pointer");
    });
}

heron_status heron_copy(heron_handle handle, void* destination, const void* source, size_t bytes) {
    return guarded(__func__, [&] {
        context& c = handle_of(handle);
        if (bytes == 0) return;
        required(destination, "destination");
        required(source, "source");
        c.with_queue(
            [&](heron_queue* queue) { check(c.table().copy(queue, destination, source, bytes), "copy"); });
    });
}

heron_status heron_fill(heron_handle handle, void* destination, unsigned char byte, size_t bytes) {
    return guarded(__func__, [&] {
        context& c = handle_of(handle);
        if (bytes == 0) return;
        required(destination, "destination");
        c.with_queue(
            [&](heron_queue* queue) { check(c.table().fill(queue, destination, byte, bytes), "fill"); });
    });
}

heron_status heron_stream_create(heron_handle handle, void** stream) {
    return guarded(__func__, [&] {
        const context& c = handle_of(handle);
        required(stream, "stream");
        void* created = nullptr;
        check(c.table().stream_create(c.device(), &created), "stream creation");
        *stream = created;
    });
}

heron_status heron_stream_destroy(heron_handle handle, void* stream) {
    return guarded(__func__, [&] {
        const context& c = handle_of(handle);
        check(c.table().stream_destroy(c.device(), required(stream, "stream")), "stream destruction");
    });
}

heron_status heron_set_stream(heron_handle handle, void* stream) {
    return guarded(__func__, [&] { handle_of(handle).set_stream(stream); });
}

heron_status heron_get_stream(heron_handle handle, void** stream) {
    return guarded(__func__, [&] {
        const context& c = handle_of(handle);
        *required(stream, "stream") = c.stream();
    });
}

heron_status heron_synchronize(heron_handle handle) {
    return guarded(__func__, [&] {
        context& c = handle_of(handle);
        c.with_queue([&](heron_queue* queue) { check(c.table().queue_sync(queue), "synchronisation"); });
    });
}

heron_status heron_event_create(heron_handle handle, void** event) {
    return guarded(__func__, [&] {
        const context& c = handle_of(handle);
        required(event, "event");
        void* created = nullptr;
        check(c.table().event_create(c.device(), &created), "event creation");
        *event = created;
    });
}

heron_status heron_event_destroy(heron_handle handle, void* event) {
    return guarded(__func__, [&] {
        const context& c = handle_of(handle);
        check(c.table().event_destroy(required(event, "event")), "event destruction");
    });
}

heron_status heron_event_record(heron_handle handle, void* event) {
    return guarded(__func__, [&] {
        const context& c = handle_of(handle);
        check(c.table().event_record(c.device(), c.stream(), required(event, "event")), "event");
    });
}

heron_status heron_event_synchronize(heron_handle handle, void* event) {
    return guarded(__func__, [&] {
        const context& c = handle_of(handle);
        check(c.table().event_sync(required(event, "event")), "event");
    });
}

heron_status heron_event_elapsed(heron_handle handle, void* start, void* stop, float* milliseconds) {
    return guarded(__func__, [&] {
        const context& c = handle_of(handle);
        required(milliseconds, "milliseconds");
        float elapsed = 0;
        check(c.table().event_elapsed(required(start, "start"), required(stop, "stop"), &elapsed), "event");
        *milliseconds = elapsed;
    });
}

heron_status heron_set_threads(heron_handle handle, int threads) {
    return guarded(__func__, [&] { handle_of(handle).set_threads(threads); });
}

heron_status heron_get_threads(heron_handle handle, int* threads) {
    return guarded(__func__, [&] {
        const context& c = handle_of(handle);
        *required(threads, "threads") = c.threads();
    });
}

const char* heron_last_error(void) { return last_error(); }

heron_status heron_log_set_level(int level) {
    return guarded(__func__, [&] { set_log_level(level); });
}
heron_status heron_log_set_mask(int mask) {
    return guarded(__func__, [&] { set_log_mask(mask); });
}
heron_status heron_log_open_file(const char* path) {
    return guarded(__func__, [&] { open_log_file(path); });
}
heron_status heron_log_set_callback(heron_log_callback callback) {
    return guarded(__func__, [&] { set_log_callback(callback); });
}
