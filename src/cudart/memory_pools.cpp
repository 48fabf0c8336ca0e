#include "memory_pools.hpp"
#include "runtime.hpp"
#include <fmt/format.h>
#include <algorithm>

using namespace heron;
using namespace heron::cudart;

namespace {

bool is_reuse(cudaMemPoolAttr attribute) {
    return attribute >= cudaMemPoolReuseFollowEventDependencies &&
           attribute <= cudaMemPoolReuseAllowInternalDependencies;
}

cudaMemPool_t handle_of(memory_pool& pool) { return reinterpret_cast<cudaMemPool_t>(&pool); }

[[noreturn]] void refuse(cudaMemPoolAttr attribute) {
    fail(cudaErrorInvalidValue,
         fmt::format("attr: {} is no attribute that takes this", static_cast<int>(attribute)));
}

void create_pool(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
    required(pool, "memPool");
    required(properties, "poolProps");
    require(properties->allocType == cudaMemAllocationTypePinned, cudaErrorInvalidValue,
            "poolProps: allocType must be cudaMemAllocationTypePinned");
    require(properties->handleTypes == cudaMemHandleTypeNone, cudaErrorNotSupported,
            "poolProps: memory cannot be shared with other processes");
    require(properties->location.type == cudaMemLocationTypeDevice, cudaErrorNotSupported,
            "poolProps: pools are of device memory only");
    const auto target = runtime::get().at(properties->location.id);
    *pool = memory_pools::get().create(target->ordinal, properties->maxSize);
}

void allocate(void** pointer, size_t size, memory_pool& pool, cudaStream_t stream) {
    runtime& all = runtime::get();
    required(pointer, "ptr");
    all.find(stream);
    const auto target = all.at(pool.ordinal());
    *pointer = size > 0 ? all.allocate_on(*target, size, HERON_MEMORY_DEVICE, 0, pool.share(size)) : nullptr;
}

}  // namespace

std::shared_ptr<void> memory_pool::share(size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (largest_ > 0 && bytes > largest_ - used_)
        fail(cudaErrorMemoryAllocation,
             fmt::format("size: {} bytes and the {} in use are more than the pool's {}", bytes, used_,
                         largest_));
    used_ += bytes;
    most_used_ = std::max(most_used_, used_);
    return {this, [self = shared_from_this(), bytes](void*) {
                const std::lock_guard again(self->mutex_);
                self->used_ -= bytes;
            }};
}

int memory_pool::reuse(cudaMemPoolAttr attribute) const {
    const std::lock_guard lock(mutex_);
    const auto found = reuse_.find(attribute);
    return found == reuse_.end() ? 1 : found->second;
}

void memory_pool::set_reuse(cudaMemPoolAttr attribute, int value) {
    const std::lock_guard lock(mutex_);
    reuse_[attribute] = value != 0;
}

uint64_t memory_pool::bytes(cudaMemPoolAttr attribute) const {
    const std::lock_guard lock(mutex_);
    switch (attribute) {
        case cudaMemPoolAttrReleaseThreshold: return release_threshold_;
        case cudaMemPoolAttrReservedMemCurrent:
        case cudaMemPoolAttrUsedMemCurrent: return used_;
        case cudaMemPoolAttrReservedMemHigh:
        case cudaMemPoolAttrUsedMemHigh: return most_used_;
        default: refuse(attribute);
    }
}

void memory_pool::set_bytes(cudaMemPoolAttr attribute, uint64_t value) {
    const std::lock_guard lock(mutex_);
    const bool is_high =
        attribute == cudaMemPoolAttrReservedMemHigh || attribute == cudaMemPoolAttrUsedMemHigh;
    if (attribute == cudaMemPoolAttrReleaseThreshold)
        release_threshold_ = value;
    else if (is_high && value == 0)
        most_used_ = used_;
    else
        refuse(attribute);
}

memory_pools& memory_pools::get() {
    static auto* const only = new memory_pools;
    return *only;
}

std::shared_ptr<memory_pool> memory_pools::default_of(int ordinal) {
    const std::lock_guard lock(mutex_);
    auto& pool = defaults_[ordinal];
    if (!pool) {
        pool = std::make_shared<memory_pool>(ordinal, 0);
        pools_[pool.get()] = pool;
    }
    return pool;
}

std::shared_ptr<memory_pool> memory_pools::current_of(int ordinal) {
    const std::lock_guard lock(mutex_);
    const auto chosen = currents_.find(ordinal);
    return chosen == currents_.end() ? default_of(ordinal) : chosen->second;
}

void memory_pools::set_current(int ordinal, cudaMemPool_t pool) {
    const std::lock_guard lock(mutex_);
    const auto chosen = find(pool);
    require(chosen->ordinal() == ordinal, cudaErrorInvalidValue, "memPool: belongs to another device");
    currents_[ordinal] = chosen;
}

cudaMemPool_t memory_pools::create(int ordinal, size_t largest) {
    const std::lock_guard lock(mutex_);
    const auto pool = std::make_shared<memory_pool>(ordinal, largest);
    pools_[pool.get()] = pool;
    return handle_of(*pool);
}

void memory_pools::destroy(cudaMemPool_t pool) {
    const std::lock_guard lock(mutex_);
    const auto found = find(pool);
    require(found != default_of(found->ordinal()), cudaErrorInvalidValue,
            "memPool: is the default pool of its device");
    std::erase_if(currents_, [&](const auto& current) { return current.second == found; });
    pools_.erase(pool);
}

std::shared_ptr<memory_pool> memory_pools::find(cudaMemPool_t pool) {
    const std::lock_guard lock(mutex_);
    const auto found = pools_.find(pool);
    if (found == pools_.end()) fail(cudaErrorInvalidValue, "memPool: is not a live pool of this runtime");
    return found->second;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
    return guarded(__func__, [&] {
        required(pool, "memPool");
        *pool = handle_of(*memory_pools::get().default_of(runtime::get().at(device)->ordinal));
    });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
    return guarded(__func__, [&] {
        required(pool, "memPool");
        *pool = handle_of(*memory_pools::get().current_of(runtime::get().at(device)->ordinal));
    });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
    return guarded(__func__,
                   [&] { memory_pools::get().set_current(runtime::get().at(device)->ordinal, pool); });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
    return guarded(__func__, [&] { create_pool(pool, properties); });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    return guarded(__func__, [&] { memory_pools::get().destroy(pool); });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    return guarded(__func__, [&] {
        const auto target = memory_pools::get().find(pool);
        required(value, "value");
        if (is_reuse(attribute))
            target->set_reuse(attribute, *static_cast<const int*>(value));
        else
            target->set_bytes(attribute, *static_cast<const uint64_t*>(value));
    });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    return guarded(__func__, [&] {
        const auto target = memory_pools::get().find(pool);
        required(value, "value");
        if (is_reuse(attribute))
            *static_cast<int*>(value) = target->reuse(attribute);
        else
            *static_cast<uint64_t*>(value) = target->bytes(attribute);
    });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
    return guarded(__func__, [&] { memory_pools::get().find(pool); });
}

cudaError_t cudaMallocAsync(void** pointer, size_t size, cudaStream_t stream) {
    return guarded(__func__, [&] {
        const auto target = runtime::get().current();
        allocate(pointer, size, *memory_pools::get().current_of(target->ordinal), stream);
    });
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
    return guarded(__func__, [&] { allocate(pointer, size, *memory_pools::get().find(pool), stream); });
}
