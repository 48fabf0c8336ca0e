#include "zero_pivot.hpp"
#include "error.hpp"
#include "views.hpp"
#include <fmt/format.h>

namespace heron::core {
namespace {

constexpr heron_zero_pivot none{HERON_NO_PIVOT, HERON_NO_PIVOT};

void copy_and_wait(context& c, void* to, const void* from, size_t bytes) {
    c.with_queue([&](heron_queue* queue) {
        check(c.table().copy(queue, to, from, bytes), "copying the position of a zero pivot");
        check(c.table().queue_sync(queue), "waiting for the position of a zero pivot");
    });
}

}  // namespace

zero_pivot_cell::~zero_pivot_cell() { release(); }

void zero_pivot_cell::release() {
    if (memory_) backend_->memory_free(memory_);
    memory_ = nullptr;
}

heron_zero_pivot* zero_pivot_cell::on(context& c) {
    if (memory_ && backend_ == &c.table() && device_ == c.device()) return memory_;
    release();
    void* memory = nullptr;
    check(c.table().memory_alloc(c.device(), sizeof none, HERON_MEMORY_DEVICE, &memory), "allocation");
    memory_ = static_cast<heron_zero_pivot*>(memory);
    backend_ = &c.table();
    device_ = c.device();
    copy_and_wait(c, memory_, &none, sizeof none);
    return memory_;
}

heron_zero_pivot zero_pivot_cell::read(context& c) const {
    if (!memory_) return none;
    if (backend_ != &c.table() || device_ != c.device())
        invalid(role::handle, "is on another device than that of the analysis");
    heron_zero_pivot found = none;
    copy_and_wait(c, &found, memory_, sizeof found);
    return found;
}

void report_zero_pivot(context& c, const zero_pivot_cell& cell, int base, int32_t* position) {
    require_element(position, sizeof *position, role::position);
    const int32_t first = cell.read(c).first;
    const int32_t reported = first == HERON_NO_PIVOT ? -1 : first + base;
    if (c.pointer_mode() == pointer_mode::device)
        copy_and_wait(c, position, &reported, sizeof reported);
    else
        *position = reported;
    if (first != HERON_NO_PIVOT)
        throw error(HERON_ZERO_PIVOT, role::position, fmt::format("row {} has a zero pivot", reported));
}

}  // namespace heron::core
