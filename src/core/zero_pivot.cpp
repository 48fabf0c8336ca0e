#include "zero_pivot.hpp"
#include "error.hpp"
#include "views.hpp"
#include <fmt/format.h>

namespace heron::core {
namespace {

constexpr heron_zero_pivot none{HERON_NO_PIVOT, HERON_NO_PIVOT, HERON_NO_PIVOT};

void copy_and_wait(context& c, void* to, const void* from, size_t bytes) {
    c.with_queue([&](heron_queue* queue) {
        check(c.table().copy(queue, to, from, bytes), "copying the position of a zero pivot");
        check(c.table().queue_sync(queue), "waiting for the position of a zero pivot");
    });
}

}  // namespace

heron_zero_pivot* zero_pivot_cell::on(context& c) {
    void* memory = memory_.on(c);
    if (!memory) {
        memory = memory_.at_least(sizeof none, c);
        copy_and_wait(c, memory, &none, sizeof none);
    }
    return static_cast<heron_zero_pivot*>(memory);
}

heron_zero_pivot zero_pivot_cell::read(context& c) const {
    if (memory_.is_empty()) return none;
    const void* const memory = memory_.on(c);
    if (!memory) invalid(role::handle, "is on another device than that of the analysis");
    heron_zero_pivot found = none;
    copy_and_wait(c, &found, memory, sizeof found);
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
