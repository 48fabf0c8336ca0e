#include "packing.hpp"
#include <sys/mman.h>

namespace heron::host {

bool packing_memory::reserve(int threads) noexcept {
    if (threads <= threads_) return true;
    constexpr size_t huge_page = size_t{2} << 20;
    const size_t needed = shared_bytes + slack + static_cast<size_t>(threads) * (own_bytes + slack);
    const size_t bytes = (needed + huge_page - 1) / huge_page * huge_page;
    void* const p =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return false;
    madvise(p, bytes, MADV_HUGEPAGE);
    release();
    base_ = static_cast<char*>(p);
    bytes_ = bytes;
    threads_ = threads;
    return true;
}

void packing_memory::release() noexcept {
    if (base_) munmap(base_, bytes_);
    base_ = nullptr;
    threads_ = 0;
}

}  // namespace heron::host
