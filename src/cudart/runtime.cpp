#include "runtime.hpp"
#include "module.hpp"
#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>

namespace heron::cudart {
namespace {

thread_local int thread_ordinal = 0;

// The devices that the program sees: HERON_DEVICE alone, as its cuSPARSE handles will use that one, else all.
std::vector<int> visible_devices(const core::backend& backend) {
    if (const char* const wanted = std::getenv("HERON_DEVICE"); wanted && *wanted) {
        int number = -1;
        const char* const end = wanted + std::strlen(wanted);
        if (std::from_chars(wanted, end, number).ptr != end || number < 0 || number >= backend.device_count)
            fail(cudaErrorNoDevice, fmt::format("HERON_DEVICE={} is not one of the {} device(s) of {}",
                                                wanted, backend.device_count, backend.name));
        return {number};
    }
    std::vector<int> all(static_cast<size_t>(backend.device_count));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

// CUDA promises at least this for what it allocates; OpenCL promises only 128.
constexpr size_t alignment = 256;

bool is_aligned(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer) % alignment == 0; }

void* allocate_block(const device& target, size_t bytes, heron_memory kind) {
    void* base = nullptr;
    core::check(target.table().memory_alloc(target.number, bytes, kind, &base), "allocation");
    return base;
}

template <class Key, class Value, class Belongs>
void erase_all(std::map<Key, Value>& items, Belongs belongs) {
    std::erase_if(items, [&](const auto& item) { return belongs(item.second); });
}

}  // namespace

stream::stream(const core::backend& backend, int device_number, int ordinal, kind k)
    : context_(backend, device_number), ordinal_(ordinal), kind_(k) {
    if (k == kind::device_default) return;
    core::check(backend.table.stream_create(device_number, &native_), "stream creation");
    context_.set_stream(native_);
}

stream::~stream() {
    if (!native_) return;
    context_.table().stream_sync(context_.device(), native_);
    context_.with_queue([&](heron_queue* queue) { context_.table().queue_bind(queue, nullptr); });
    context_.table().stream_destroy(context_.device(), native_);
}

void stream::copy(void* destination, const void* source, size_t bytes) {
    context_.with_queue([&](heron_queue* queue) {
        core::check(context_.table().copy(queue, destination, source, bytes), "copy");
    });
}

void stream::copy_rows(char* destination, size_t destination_pitch, const char* source, size_t source_pitch,
                       size_t width, size_t height) {
    context_.with_queue([&](heron_queue* queue) {
        for (size_t row = 0; row < height; ++row)
            core::check(context_.table().copy(queue, destination + row * destination_pitch,
                                              source + row * source_pitch, width),
                        "copy");
    });
}

void stream::fill(void* destination, unsigned char byte, size_t bytes) {
    context_.with_queue([&](heron_queue* queue) {
        core::check(context_.table().fill(queue, destination, byte, bytes), "fill");
    });
}

void stream::fill_rows(char* destination, size_t pitch, unsigned char byte, size_t width, size_t height) {
    context_.with_queue([&](heron_queue* queue) {
        for (size_t row = 0; row < height; ++row)
            core::check(context_.table().fill(queue, destination + row * pitch, byte, width), "fill");
    });
}

void stream::synchronize() {
    core::check(context_.table().stream_sync(context_.device(), native_), "synchronisation");
}

void stream::record(void* event) {
    core::check(context_.table().event_record(context_.device(), native_, event), "event");
}

void stream::wait_for(void* event) {
    core::check(context_.table().stream_wait_event(context_.device(), native_, event), "event");
}

bool stream::is_idle() {
    int ready = 0;
    core::check(context_.table().stream_ready(context_.device(), native_, &ready), "stream query");
    return ready != 0;
}

event::event(const core::backend& backend, int device_number, int device_ordinal, unsigned event_flags)
    : table_(backend.table), ordinal_(device_ordinal), flags_(event_flags) {
    core::check(table_.event_create(device_number, &native_), "event creation");
}

event::~event() { table_.event_destroy(native_); }

void event::record(stream& on) {
    const std::lock_guard lock(mutex_);
    on.record(native_);
    is_recorded_ = true;
}

void event::hold_back(stream& waiting) {
    const std::lock_guard lock(mutex_);
    if (is_recorded_) waiting.wait_for(native_);
}

bool event::is_complete() {
    const std::lock_guard lock(mutex_);
    int ready = 1;
    if (is_recorded_) core::check(table_.event_ready(native_, &ready), "event");
    return ready != 0;
}

void event::synchronize() {
    const std::lock_guard lock(mutex_);
    if (is_recorded_) core::check(table_.event_sync(native_), "event");
}

float event::elapsed_since(event& start) {
    // Both at once: two threads may ask for the same pair the other way round. One event may be both.
    std::unique_lock<std::recursive_mutex> first(start.mutex_, std::defer_lock);
    std::unique_lock<std::recursive_mutex> second(mutex_, std::defer_lock);
    std::lock(first, second);
    float milliseconds = 0;
    core::check(table_.event_elapsed(start.native_, native_, &milliseconds), "event");
    return milliseconds;
}

device::device(const core::backend& b, int device_ordinal, int device_number)
    : backend(b),
      ordinal(device_ordinal),
      number(device_number),
      default_stream(b, device_number, device_ordinal, stream::kind::device_default) {
    core::check(b.table.device_info(device_number, &info), "device query");
}

void device::synchronize() const { core::check(table().device_sync(number), "synchronisation"); }

runtime& runtime::get() {
    static auto* const only = new runtime;
    return *only;
}

const core::backend& runtime::backend() {
    const std::lock_guard lock(mutex_);
    if (!backend_) {
        const core::backend& chosen = core::default_backend();
        numbers_ = visible_devices(chosen);
        devices_.resize(numbers_.size());
        device_flags_.resize(numbers_.size());
        backend_ = &chosen;
    }
    return *backend_;
}

int runtime::device_count() {
    backend();
    return static_cast<int>(numbers_.size());
}

int runtime::current_ordinal() const { return thread_ordinal; }

void runtime::set_current(int ordinal) {
    if (ordinal < 0 || ordinal >= device_count())
        fail(cudaErrorInvalidDevice,
             fmt::format("device: {} is not one of the {} device(s)", ordinal, device_count()));
    thread_ordinal = ordinal;
    core::choose_thread_device(numbers_[static_cast<size_t>(ordinal)]);
}

unsigned runtime::device_flags() {
    const std::lock_guard lock(mutex_);
    device_count();
    return device_flags_[static_cast<size_t>(current_ordinal())];
}

void runtime::set_device_flags(unsigned flags) {
    const std::lock_guard lock(mutex_);
    device_count();
    device_flags_[static_cast<size_t>(current_ordinal())] = flags;
}

std::shared_ptr<device> runtime::at(int ordinal) {
    const std::lock_guard lock(mutex_);
    if (ordinal < 0 || ordinal >= device_count())
        fail(cudaErrorInvalidDevice,
             fmt::format("device: {} is not one of the {} device(s)", ordinal, device_count()));
    if (device_fault() != cudaSuccess)
        fail(device_fault(), "the device has failed before; cudaDeviceReset revives it");
    auto& slot = devices_[static_cast<size_t>(ordinal)];
    if (!slot) slot = std::make_shared<device>(backend(), ordinal, numbers_[static_cast<size_t>(ordinal)]);
    return slot;
}

void runtime::reset_current() {
    const std::lock_guard lock(mutex_);
    device_count();
    clear_device_fault();
    const int ordinal = current_ordinal();
    device_flags_[static_cast<size_t>(ordinal)] = 0;
    auto& slot = devices_[static_cast<size_t>(ordinal)];
    if (!slot) return;
    // A device that has failed cannot be waited for; what belongs to it must go all the same.
    slot->table().device_sync(slot->number);
    erase_all(events_, [&](const auto& e) { return e->ordinal() == ordinal; });
    erase_all(streams_, [&](const auto& s) { return s->ordinal() == ordinal; });
    for (const auto& [pointer, block] : allocations_)
        if (block.ordinal == ordinal && !block.registered) slot->table().memory_free(block.base);
    erase_all(allocations_, [&](const allocation& block) { return block.ordinal == ordinal; });
    forget_managed_variables(ordinal);
    slot.reset();
}

void* runtime::allocate_on(const device& target, size_t bytes, heron_memory kind, unsigned flags,
                           std::shared_ptr<void> share) {
    if (bytes > target.info.memory_bytes)
        fail(cudaErrorMemoryAllocation,
             fmt::format("size: {} bytes are more than the device's {}", bytes, target.info.memory_bytes));
    void* base = allocate_block(target, bytes, kind);
    void* pointer = base;
    if (!is_aligned(base)) {
        core::check(target.table().memory_free(base), "allocation");
        base = pointer = allocate_block(target, bytes + alignment - 1, kind);
        size_t space = bytes + alignment - 1;
        std::align(alignment, bytes, pointer, space);
    }
    const std::lock_guard lock(mutex_);
    allocations_[pointer] = {base, bytes, kind, flags, target.ordinal, false, std::move(share)};
    return pointer;
}

void runtime::release(void* pointer, bool is_host) {
    const allocation block = forget(pointer, is_host);
    const auto owner = at(block.ordinal);
    // Kernels may still use the memory, on any stream.
    owner->synchronize();
    core::check(owner->table().memory_free(block.base), "ptr");
}

allocation runtime::forget(void* pointer, bool is_host) {
    const std::lock_guard lock(mutex_);
    const auto found = allocations_.find(pointer);
    if (found == allocations_.end() || found->second.registered)
        fail(cudaErrorInvalidValue, "ptr: is not the start of a live allocation of this runtime");
    if ((found->second.kind == HERON_MEMORY_HOST) != is_host)
        fail(cudaErrorInvalidValue, is_host ? "ptr: is device memory" : "devPtr: is host memory");
    allocation block = found->second;
    allocations_.erase(found);
    return block;
}

void runtime::register_host(void* pointer, size_t bytes, unsigned flags) {
    const auto target = current();
    const char* const start = static_cast<const char*>(pointer);
    uintptr_t end = 0;
    if (__builtin_add_overflow(reinterpret_cast<uintptr_t>(pointer), bytes, &end))
        fail(cudaErrorInvalidValue, "size: the range reaches beyond the end of memory");
    const std::lock_guard lock(mutex_);
    const auto next = allocations_.lower_bound(reinterpret_cast<const void*>(end));
    if (next != allocations_.begin()) {
        const auto& [base, block] = *std::prev(next);
        if (static_cast<const char*>(base) + block.bytes > start)
            fail(block.registered ? cudaErrorHostMemoryAlreadyRegistered : cudaErrorInvalidValue,
                 "ptr: the range overlaps memory that is registered or allocated");
    }
    allocations_[pointer] = {pointer, bytes, HERON_MEMORY_HOST, flags, target->ordinal, true, nullptr};
}

void runtime::unregister_host(void* pointer) {
    const auto target = current();
    const std::lock_guard lock(mutex_);
    const auto found = allocations_.find(pointer);
    if (found == allocations_.end() || !found->second.registered)
        fail(locate(pointer).is_known ? cudaErrorInvalidValue : cudaErrorHostMemoryNotRegistered,
             "ptr: is not the start of a registered range");
    target->synchronize();
    allocations_.erase(found);
}

place runtime::locate(const void* pointer) {
    const core::backend& owner = backend();
    const char* const address = static_cast<const char*>(pointer);
    const std::lock_guard lock(mutex_);
    if (const auto next = allocations_.upper_bound(pointer); next != allocations_.begin()) {
        const auto& [start, block] = *std::prev(next);
        const auto offset = static_cast<size_t>(address - static_cast<const char*>(start));
        if (offset < block.bytes)
            return {true, block.registered, block.kind, block.ordinal, block.bytes - offset, block.flags};
    }
    void* base = nullptr;
    size_t bytes = 0;
    heron_memory kind{};
    int number = 0;
    if (owner.table.memory_owner(pointer, &base, &bytes, &kind, &number) != HERON_SUCCESS) return {};
    const auto seen = std::find(numbers_.begin(), numbers_.end(), number);
    return {true,
            false,
            kind,
            static_cast<int>(seen - numbers_.begin()),
            bytes - static_cast<size_t>(address - static_cast<char*>(base)),
            0};
}

size_t runtime::bytes_allocated(int ordinal) {
    const std::lock_guard lock(mutex_);
    size_t sum = 0;
    for (const auto& [pointer, block] : allocations_)
        if (block.ordinal == ordinal && !block.registered) sum += block.bytes;
    return sum;
}

cudaStream_t runtime::create_stream(stream::kind k) {
    const auto target = current();
    // Work of the default stream that is under way comes before all of the new stream.
    if (k == stream::kind::blocking) target->default_stream.synchronize();
    const auto created = std::make_shared<stream>(target->backend, target->number, target->ordinal, k);
    const std::lock_guard lock(mutex_);
    streams_[created->native()] = created;
    return static_cast<cudaStream_t>(created->native());
}

void runtime::destroy_stream(cudaStream_t s) {
    std::shared_ptr<stream> last;  // destroyed after the lock is gone, as it waits for the stream
    const std::lock_guard lock(mutex_);
    const auto found = streams_.find(s);
    if (found == streams_.end())
        fail(cudaErrorInvalidResourceHandle, "stream: is not a live stream of this runtime");
    last = found->second;
    streams_.erase(found);
}

std::shared_ptr<stream> runtime::find(cudaStream_t s) {
    if (s == nullptr || s == cudaStreamLegacy || s == cudaStreamPerThread) {
        const auto target = current();
        return {target, &target->default_stream};
    }
    const std::lock_guard lock(mutex_);
    const auto found = streams_.find(s);
    if (found == streams_.end())
        fail(cudaErrorInvalidResourceHandle, "stream: is not a live stream of this runtime");
    at(found->second->ordinal());
    return found->second;
}

std::vector<std::shared_ptr<stream>> runtime::streams_before(const stream& s) {
    std::vector<std::shared_ptr<stream>> found;
    if (s.sort() != stream::kind::device_default) return found;
    const std::lock_guard lock(mutex_);
    for (const auto& [native, other] : streams_)
        if (other->ordinal() == s.ordinal() && other->sort() == stream::kind::blocking)
            found.push_back(other);
    return found;
}

cudaEvent_t runtime::create_event(unsigned flags) {
    const auto target = current();
    const auto created = std::make_shared<event>(target->backend, target->number, target->ordinal, flags);
    const std::lock_guard lock(mutex_);
    events_[created->native()] = created;
    return static_cast<cudaEvent_t>(created->native());
}

void runtime::destroy_event(cudaEvent_t e) {
    const std::lock_guard lock(mutex_);
    if (events_.erase(e) == 0)
        fail(cudaErrorInvalidResourceHandle, "event: is not a live event of this runtime");
}

std::shared_ptr<event> runtime::find(cudaEvent_t e) {
    const std::lock_guard lock(mutex_);
    const auto found = events_.find(e);
    if (found == events_.end())
        fail(cudaErrorInvalidResourceHandle, "event: is not a live event of this runtime");
    at(found->second->ordinal());
    return found->second;
}

}  // namespace heron::cudart
