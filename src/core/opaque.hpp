#pragma once
// Objects that public APIs hand out as opaque handles. The memory of one that was destroyed is kept for the
// next of its type and never given back, so that it can be asked at any time whether it holds a live object:
// a handle that is used after its end is an error and no crash, until its memory holds another object.
#include "error.hpp"
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <type_traits>

namespace heron::core {

// Memory for objects of one type.
class opaque_pool {
  public:
    void* take(size_t bytes);
    void give(void* object) noexcept;

  private:
    struct alignas(std::max_align_t) block {
        uint64_t mark;
        block* next;
        size_t bytes;
    };
    friend bool is_alive(const void* object) noexcept;
    static constexpr uint64_t live_mark = 0x48'45'52'4f'4e'4c'49'56, dead_mark = 0x48'45'52'4f'4e'44'45'44;
    static block* block_of(const void* object) noexcept {
        return static_cast<block*>(const_cast<void*>(object)) - 1;
    }

    std::mutex mutex_;
    block* free_ = nullptr;
};

// Whether this address is that of a live object of a pool. Only for what was once such an object.
inline bool is_alive(const void* object) noexcept {
    return opaque_pool::block_of(object)->mark == opaque_pool::live_mark;
}

struct pooled {};

// The base of a class whose objects come from new and are handed out.
template <class T>
class opaque : public pooled {
  public:
    static void* operator new(size_t bytes) { return pool().take(bytes); }
    static void operator delete(void* object) noexcept { pool().give(object); }

  private:
    // Never destroyed: handles may be destroyed while the process exits.
    static opaque_pool& pool() {
        static opaque_pool& instance = *::new opaque_pool;
        return instance;
    }
};

// Whether what handles of this type stand for lies in a pool; a base of such classes says so itself.
template <class T>
constexpr bool is_pooled = std::is_base_of_v<pooled, T>;
class analysis;
template <>
inline constexpr bool is_pooled<analysis> = true;

// The object behind a handle; INVALID_VALUE where it is NULL or, of a class with a pool, was destroyed.
template <class T, class About>
T* alive(T* handle, const About& about) {
    required(handle, about);
    if (is_pooled<std::remove_cv_t<T>> && !is_alive(handle))
        invalid(about, "was destroyed, or is no object of this kind");
    return handle;
}

// Destroys the object behind a handle, of which there may be none.
template <class T>
void destroy_opaque(T* handle, const subject& about) {
    if (handle) delete alive(handle, about);
}

}  // namespace heron::core
