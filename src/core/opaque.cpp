#include "opaque.hpp"
#include <new>

namespace heron::core {

void* opaque_pool::take(size_t bytes) {
    const std::lock_guard lock(mutex_);
    block* taken = free_;
    if (taken && taken->bytes >= bytes)
        free_ = taken->next;
    else
        taken = ::new (::operator new(sizeof(block) + bytes)) block{dead_mark, nullptr, bytes};
    taken->mark = live_mark;
    return taken + 1;
}

void opaque_pool::give(void* object) noexcept {
    const std::lock_guard lock(mutex_);
    block* const given = block_of(object);
    given->mark = dead_mark;
    given->next = free_;
    free_ = given;
}

}  // namespace heron::core
