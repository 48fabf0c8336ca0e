// The host plug-in: the CPU as a device. Memory is ordinary memory, a stream has nothing to wait for.
#include "levels.hpp"
#include "queue.hpp"
#include <heron/backend.h>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <omp.h>
#include <pthread.h>
#include <system_error>
#include <unistd.h>

#include "common/runtime/allocation_registry.hpp"
#include "common/runtime/plugin_table.hpp"

namespace heron::host {
namespace {

const heron_host_services* services = nullptr;

struct core_log {
    static void log_failure(const char* function, const char* reason) noexcept {
        log_error(function, reason);
    }
};

// Never destroyed: handles free their memory while the process exits.
allocation_registry& allocations() {
    static allocation_registry& registry = *new allocation_registry;
    return registry;
}

struct event {
    std::chrono::steady_clock::time_point time{};
    bool recorded = false;
};

// OpenMP's runtimes do not survive fork: the child's first team waits for members that only its parent has.
// So the thread that forks works alone in the child, unless the parent had no threads yet. Threads that the
// child starts have teams of their own.
bool had_company = false;

bool has_other_threads() noexcept {
    std::error_code error;
    int count = 0;
    for (std::filesystem::directory_iterator task("/proc/self/task", error), end; !error && task != end;
         task.increment(error))
        count += 1;
    return error || count != 1;
}

void before_fork() noexcept { had_company = has_other_threads(); }
void in_forked_child() noexcept {
    if (had_company) omp_set_max_active_levels(0);
}

// The functions of the table that are no operations.
struct entries {
    using log = core_log;

    static heron_status device_count(int* count, const char** why) {
        *count = chosen_level() ? 1 : 0;
        *why = *count ? "" : "the processor runs no instruction set level that this build holds";
        return HERON_SUCCESS;
    }

    static void read_cpu_name(char* name, size_t size) {
        std::strncpy(name, "CPU", size - 1);
        std::FILE* file = std::fopen("/proc/cpuinfo", "r");
        if (!file) return;
        char line[512];
        while (std::fgets(line, sizeof line, file)) {
            const char* colon = std::strchr(line, ':');
            if (std::strncmp(line, "model name", 10) != 0 || !colon) continue;
            std::strncpy(name, colon + 2, size - 1);
            name[std::strcspn(name, "\n")] = '\0';
            break;
        }
        std::fclose(file);
    }

    static heron_status device_info(int device, heron_device_info* info) {
        if (device != 0 || !chosen_level()) return HERON_INVALID_VALUE;
        *info = {};
        read_cpu_name(info->name, sizeof info->name);
        std::strcpy(info->vendor, "host");
        std::snprintf(info->driver, sizeof info->driver, "OpenMP %d", _OPENMP);
        std::strncpy(info->isa, chosen_level()->name, sizeof info->isa - 1);
        const long page = sysconf(_SC_PAGESIZE);
        info->memory_bytes = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(page);
        info->memory_free = static_cast<uint64_t>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<uint64_t>(page);
#ifdef _SC_LEVEL3_CACHE_SIZE
        const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
        info->cache_bytes = cache > 0 ? static_cast<uint64_t>(cache) : 0;
#endif
        info->compute_units = static_cast<uint32_t>(omp_get_max_threads());
        info->has_fp64 = 1;
        info->is_host_accessible = 1;
        return HERON_SUCCESS;
    }

    static heron_status device_sync(int) { return HERON_SUCCESS; }

    // Pages of large blocks are touched first by the kernels' own threads, so nothing is cleared here.
    static heron_status memory_alloc(int, size_t bytes, heron_memory kind, void** pointer) {
        constexpr size_t alignment = 256;
        if (bytes > SIZE_MAX - alignment) return HERON_ALLOC_FAILED;
        struct releaser {
            void operator()(void* memory) const { std::free(memory); }
        };
        std::unique_ptr<void, releaser> memory(
            std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment));
        if (!memory) return HERON_ALLOC_FAILED;
        allocations().add(memory.get(), bytes, kind, 0);
        *pointer = memory.release();
        return HERON_SUCCESS;
    }

    static heron_status memory_free(void* pointer) {
        if (pointer && !allocations().remove(pointer)) return HERON_INVALID_VALUE;
        std::free(pointer);
        return HERON_SUCCESS;
    }

    static heron_status memory_owner(const void* pointer, void** base, size_t* bytes, heron_memory* kind,
                                     int* device) {
        return allocations().find(pointer, base, bytes, kind, device) ? HERON_SUCCESS : HERON_INVALID_VALUE;
    }

    static heron_status stream_create(int, void** stream) {
        *stream = new char;
        return HERON_SUCCESS;
    }
    static heron_status stream_destroy(int, void* stream) {
        delete static_cast<char*>(stream);
        return HERON_SUCCESS;
    }
    static heron_status stream_sync(int, void*) { return HERON_SUCCESS; }
    static heron_status stream_ready(int, void*, int* ready) {
        *ready = 1;
        return HERON_SUCCESS;
    }
    static heron_status stream_wait_event(int, void*, void*) { return HERON_SUCCESS; }

    static heron_status event_create(int, void** out) {
        *out = new event;
        return HERON_SUCCESS;
    }
    static heron_status event_destroy(void* e) {
        delete static_cast<event*>(e);
        return HERON_SUCCESS;
    }
    static heron_status event_record(int, void*, void* e) {
        *static_cast<event*>(e) = {std::chrono::steady_clock::now(), true};
        return HERON_SUCCESS;
    }
    static heron_status event_sync(void*) { return HERON_SUCCESS; }
    static heron_status event_ready(void*, int* ready) {
        *ready = 1;
        return HERON_SUCCESS;
    }
    static heron_status event_elapsed(void* start, void* stop, float* milliseconds) {
        const auto& from = *static_cast<event*>(start);
        const auto& to = *static_cast<event*>(stop);
        if (!from.recorded || !to.recorded) return HERON_INVALID_VALUE;
        *milliseconds = std::chrono::duration<float, std::milli>(to.time - from.time).count();
        return HERON_SUCCESS;
    }

    static heron_status queue_create(int device, heron_queue** queue) {
        if (device != 0) return HERON_INVALID_VALUE;
        auto created = std::make_unique<heron_queue>();
        // Without this memory the dense operations are slower, and nothing else changes.
        created->packing.reserve(omp_get_max_threads());
        *queue = created.release();
        return HERON_SUCCESS;
    }
    static heron_status queue_destroy(heron_queue* queue) {
        delete queue;
        return HERON_SUCCESS;
    }
    static heron_status queue_bind(heron_queue*, void*) { return HERON_SUCCESS; }
    static heron_status queue_sync(heron_queue*) { return HERON_SUCCESS; }
    static heron_status queue_threads(heron_queue* queue, int threads) {
        queue->threads = threads;
        queue->packing.reserve(threads);
        return HERON_SUCCESS;
    }

    static heron_status copy(heron_queue*, void* destination, const void* source, size_t bytes) {
        std::memmove(destination, source, bytes);
        return HERON_SUCCESS;
    }
    static heron_status fill(heron_queue*, void* destination, unsigned char byte, size_t bytes) {
        std::memset(destination, byte, bytes);
        return HERON_SUCCESS;
    }

    static heron_status plan_destroy(heron_plan* plan) { return host::plan_destroy(plan); }
};

}  // namespace

void log_error(const char* operation, const char* reason) noexcept {
    if (services && services->log) services->log(1, operation, reason);
}

void log_hint(const char* subject, const char* message) noexcept {
    if (services && services->log) services->log(3, subject, message);
}

}  // namespace heron::host

const heron_backend* heron_plugin(const heron_host_services* services) {
    heron::host::services = services;
    static const int ignored =
        pthread_atfork(heron::host::before_fork, nullptr, heron::host::in_forked_child);
    static_cast<void>(ignored);
    static const heron_backend table =
        heron::make_table<heron::host::entries>("host", &heron::host::fill_slots);
    return &table;
}
