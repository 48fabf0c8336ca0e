#include "opaque.hpp"
#include <new>

namespace heron::core {
namespace {

constexpr uint64_t live_mark = 0x48'45'52'4f'4e'4c'49'56, dead_mark = 0x48'45'52'4f'4e'44'45'44;

}  // namespace

opaque_pool::block* opaque_pool::block_of(const void* object) noexcept {
    return static_cast<block*>(const_cast<void*>(object)) - 1;
}

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

bool is_alive(const void* object) noexcept { return opaque_pool::block_of(object)->mark == live_mark; }

}  // namespace heron::core
