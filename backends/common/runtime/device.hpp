#pragma once
// What a plan may ask of a device. Every backend provides one class that satisfies this concept:
//
//   Device(heron_queue*)                              bound to one queue; cheap to construct
//   launch<Kernel>(family, count, args...)            runs Kernel for items [0, count), ordered on the queue
//   launch_groups<Kernel>(family, groups, args...)    runs a kernel of the group dialect
//   temporary<T>(part, count)                         memory for so many T: `part` of the workspace, or where
//   the
//                                                     queue is a caller's, which has none, memory of the
//                                                     device's own
//   follow_addresses()                                kernels launched from now on read addresses in memory
//   fill(pointer, byte, bytes)                        memset on the queue
//   copy(to, from, bytes)                             device to device on the queue
//   read(to_host, from, bytes)                        device to host; waits, unless the queue is being
//   captured write(to, from_host, bytes)                       host to device on the queue; from_host may be
//   reused at once log_failure(operation, reason)                    static, noexcept: one error line in the
//   core's log static constexpr bool strided                     true: neighbouring items should touch
//   neighbouring elements (GPU);
//                                                     false: an item should own a contiguous range (CPU)
//
// launch takes kernel arguments by value, in the kernel's own order and exactly of its parameter types.
#include "common/dialect/dialect.hpp"
#include "guard.hpp"
#include <heron/backend.h>

namespace heron::HERON_LEVEL {

// One file of kernels/: its name and the names of the type parameters that all of its kernels share.
struct kernel_family {
    const char* name;
    const char* types;  // "VT CT IT"
};

// An argument of a group kernel (dialect_group.hpp) that is local memory of a group.
struct local_memory {
    size_t bytes;
};

// Hands out consecutive aligned parts of a workspace. In the SIZE phase there is no memory and only the sum
// counts, so that the layout of an operation is written once.
class workspace_layout {
  public:
    workspace_layout(heron_phase phase, heron_workspace& workspace)
        : workspace_(workspace), sizing_(phase == HERON_PHASE_SIZE) {
        if (sizing_) workspace_.size = 0;
    }

    template <class T>
    T* take(int64_t count) {
        const size_t begin = used_;
        used_ += (static_cast<size_t>(count) * sizeof(T) + alignment - 1) / alignment * alignment;
        if (sizing_) {
            // The caller's memory may have any alignment: one more unit lets RUN align it.
            workspace_.size = used_ + alignment;
            return nullptr;
        }
        const uintptr_t base =
            (reinterpret_cast<uintptr_t>(workspace_.memory) + alignment - 1) / alignment * alignment;
        return reinterpret_cast<T*>(base + begin);
    }

  private:
    static constexpr size_t alignment = 256;
    heron_workspace& workspace_;
    size_t used_ = 0;
    bool sizing_;
};

// A scalar as a kernel takes it: the value and, in device pointer mode, the address that overrides it.
template <class CT>
struct scalar_argument {
    CT value;
    const CT* device;
};

template <class CT>
CT scalar_value(double re, double) {
    return static_cast<CT>(re);
}
template <>
inline c32 scalar_value<c32>(double re, double im) {
    return {static_cast<float>(re), static_cast<float>(im)};
}
template <>
inline c64 scalar_value<c64>(double re, double im) {
    return {re, im};
}

template <class CT>
scalar_argument<CT> as_argument(const heron_scalar& s) {
    return {scalar_value<CT>(s.re, s.im), static_cast<const CT*>(s.device)};
}

template <class T>
const T* as(const void* p) {
    return static_cast<const T*>(p);
}
template <class T>
T* as(void* p) {
    return static_cast<T*>(p);
}

}  // namespace heron::HERON_LEVEL
