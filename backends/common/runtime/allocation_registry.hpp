#pragma once
// Which addresses a plug-in has handed out: for interior pointers, canary checks and refusing to free a
// foreign address.
#include <heron/types.h>
#include <map>
#include <mutex>

namespace heron {

class allocation_registry {
  public:
    void add(void* base, size_t bytes, heron_memory kind, int device) {
        const std::lock_guard lock(mutex_);
        blocks_[reinterpret_cast<uintptr_t>(base)] = {bytes, kind, device};
    }

    // False when base is not the start of a live block.
    bool remove(void* base) {
        const std::lock_guard lock(mutex_);
        return blocks_.erase(reinterpret_cast<uintptr_t>(base)) == 1;
    }

    // The block that contains the address. False when there is none.
    bool find(const void* address, void** base, size_t* bytes, heron_memory* kind, int* device) const {
        const auto wanted = reinterpret_cast<uintptr_t>(address);
        const std::lock_guard lock(mutex_);
        auto next = blocks_.upper_bound(wanted);
        if (next == blocks_.begin()) return false;
        const auto& [start, found] = *--next;
        if (wanted >= start + found.bytes) return false;
        *base = reinterpret_cast<void*>(start);
        *bytes = found.bytes;
        *kind = found.kind;
        *device = found.device;
        return true;
    }

    // Calls f(base, kind) for every live block of a device.
    template <class F>
    void each(int device, F&& f) const {
        const std::lock_guard lock(mutex_);
        for (const auto& [start, found] : blocks_)
            if (found.device == device) f(reinterpret_cast<void*>(start), found.kind);
    }

  private:
    struct block {
        size_t bytes;
        heron_memory kind;
        int device;
    };
    mutable std::mutex mutex_;
    std::map<uintptr_t, block> blocks_;
};

}  // namespace heron
