#include "call.hpp"
#include "core/loader.hpp"
#include <fmt/format.h>

namespace heron::clblas {
namespace {

clblasStatus of_matrix(char name, clblasStatus a, clblasStatus b, clblasStatus c) {
    return name == 'A' ? a : name == 'B' ? b : c;
}

std::unique_ptr<core::context> adopt(cl_command_queue queue, size_t index) {
    try {
        return std::make_unique<core::context>(core::find_backend("opencl"), core::command_queue{queue});
    } catch (const core::error& e) {
        if (e.status() != HERON_INVALID_VALUE) throw;
        fail(clblasInvalidCommandQueue, fmt::format("commandQueues[{}]: is no command queue", index));
    }
}

void wait(core::context& context, const tail& t) {
    if (t.wait_count == 0) return;
    if (!t.waits)
        fail(clblasInvalidEventWaitList, "eventWaitList: is NULL, but numEventsInWaitList is not 0");
    const std::vector<void*> events(t.waits, t.waits + t.wait_count);
    try {
        context.wait_for(events.size(), events.data());
    } catch (const core::error& e) {
        if (e.status() != HERON_MAPPING_ERROR && e.status() != HERON_INVALID_VALUE) throw;
        fail(e.status() == HERON_MAPPING_ERROR ? clblasInvalidContext : clblasInvalidEventWaitList,
             "eventWaitList: holds what is no event of the queue's context");
    }
}

size_t bytes_of(core::context& context, const char* name, cl_mem memory, clblasStatus if_none) {
    try {
        return context.buffer_bytes(memory);
    } catch (const core::error& e) {
        if (e.status() == HERON_MAPPING_ERROR)
            fail(clblasInvalidContext,
                 fmt::format("{}: belongs to another context than a command queue", name));
        if (e.status() != HERON_INVALID_VALUE) throw;
        fail(if_none, fmt::format("{}: is no buffer", name));
    }
}

constexpr core::argument_name all_names[] = {
    {core::role::a, "A"},
    {core::role::b, "B"},
    {core::role::c, "C"},
    {core::role::x, "X"},
    {core::role::y, "Y"},
    {{core::role::a, core::part::extent}, "A"},
    {{core::role::b, core::part::extent}, "B"},
    {{core::role::c, core::part::extent}, "C"},
    {{core::role::x, core::part::extent}, "X"},
    {{core::role::y, core::part::extent}, "Y"},
    {{core::role::a, core::part::offset}, "offA"},
    {{core::role::b, core::part::offset}, "offB"},
    {{core::role::c, core::part::offset}, "offC"},
    {{core::role::x, core::part::offset}, "offx"},
    {{core::role::y, core::part::offset}, "offy"},
    {{core::role::x, core::part::inc}, "incx"},
    {{core::role::y, core::part::inc}, "incy"},
    {{core::role::a, core::part::ld}, "lda"},
    {{core::role::b, core::part::ld}, "ldb"},
    {{core::role::c, core::part::ld}, "ldc"},
    {core::role::operation_a, "transA"},
    {core::role::rows, "M"},
    {core::role::columns, "N"},
    {core::role::inner, "K"},
    {core::role::lower_bandwidth, "KL"},
    {core::role::upper_bandwidth, "KU"},
    {core::role::queue, "commandQueues"},
};

// A number of the caller's that the core takes as signed; what does not fit is negative there, and so
// refused.
int64_t as_signed(size_t n) { return static_cast<int64_t>(n); }

}  // namespace

constinit const core::argument_names names = all_names;

call::call(const tail& t) : tail_(t) {
    if (t.queue_count == 0) fail(clblasInvalidValue, "numCommandQueues: is 0");
    if (!t.queues) fail(clblasInvalidValue, "commandQueues: is NULL");
    for (cl_uint i = 0; i < t.queue_count; ++i) queues_.push_back(adopt(t.queues[i], i));
    wait(context(), t);
}

size_t call::bytes_of(const char* name, cl_mem memory, clblasStatus if_none) {
    size_t bytes = 0;
    for (const auto& queue : queues_) bytes = clblas::bytes_of(*queue, name, memory, if_none);
    return bytes;
}

core::dense_matrix_operand call::operand(char name, const matrix& m, size_t element_bytes) {
    const char text[] = {name, '\0'};
    const clblasStatus if_none = of_matrix(name, clblasInvalidMatA, clblasInvalidMatB, clblasInvalidMatC);
    const size_t bytes = bytes_of(text, m.memory, if_none);
    return {m.memory, as_signed(m.ld), as_signed(m.offset), as_signed(bytes / element_bytes)};
}

core::dense_vector_operand call::operand(char name, const vector& v, size_t element_bytes) {
    const bool is_x = name == 'X';
    if (v.inc == 0) fail(is_x ? clblasInvalidIncX : clblasInvalidIncY, is_x ? "incx: is 0" : "incy: is 0");
    const char text[] = {name, '\0'};
    const size_t bytes = bytes_of(text, v.memory, is_x ? clblasInvalidVecX : clblasInvalidVecY);
    return {v.memory, v.inc, as_signed(v.offset), as_signed(bytes / element_bytes)};
}

core::number_operand call::operand(const char* name, char counts_as, const number& n, size_t element_bytes) {
    context().set_pointer_mode(core::pointer_mode::device);
    const size_t bytes = bytes_of(name, n.memory, counts_as == 'X' ? clblasInvalidVecX : clblasInvalidVecY);
    return {n.memory, as_signed(n.offset), as_signed(bytes / element_bytes)};
}

void call::finish() {
    if (!tail_.events) return;
    void* const done = context().mark();
    tail_.events[0] = static_cast<cl_event>(done);
    for (size_t i = 1; i < queues_.size(); ++i) {
        try {
            queues_[i]->wait_for(1, &done);
            tail_.events[i] = static_cast<cl_event>(queues_[i]->mark());
        } catch (const core::error&) {
            // The work is under way: its own event serves as well, though later work of that queue need not
            // follow it.
            tail_.events[i] = static_cast<cl_event>(context().mark());
        }
    }
}

clblasStatus status_of(heron_status status) {
    switch (status) {
        case HERON_SUCCESS: return clblasSuccess;
        case HERON_NOT_INITIALIZED: return clblasCompilerNotAvailable;
        case HERON_ALLOC_FAILED:
        case HERON_EXECUTION_FAILED:
        case HERON_INSUFFICIENT_RESOURCES: return clblasOutOfResources;
        case HERON_INVALID_VALUE: return clblasInvalidValue;
        case HERON_ARCH_MISMATCH: return clblasInvalidDevice;
        case HERON_MAPPING_ERROR: return clblasInvalidContext;
        case HERON_INTERNAL_ERROR: return clblasBuildProgramFailure;
        default: return clblasNotImplemented;
    }
}

clblasStatus status_of(const core::error& e) { return status_of(e, e.argument().role); }

clblasStatus status_of(const core::error& e, core::role as) {
    if (e.status() != HERON_INVALID_VALUE) return status_of(e.status());
    const auto first_of = [](core::part p) {
        switch (p) {
            case core::part::ld: return clblasInvalidLeadDimA;
            case core::part::inc: return clblasInvalidIncX;
            case core::part::offset:
            case core::part::extent: return clblasInsufficientMemMatA;
            default: return clblasInvalidMatA;
        }
    };
    // The statuses of A, B, C, X and Y follow each other.
    const clblasStatus first = first_of(e.argument().part);
    const int of_x = e.argument().part == core::part::inc ? 0 : 3;
    switch (as) {
        case core::role::a: return first;
        case core::role::b: return clblasStatus(first + 1);
        case core::role::c: return clblasStatus(first + 2);
        case core::role::x: return clblasStatus(first + of_x);
        case core::role::y: return clblasStatus(first + of_x + 1);
        case core::role::rows:
        case core::role::columns:
        case core::role::inner:
        case core::role::lower_bandwidth:
        case core::role::upper_bandwidth: return clblasInvalidDim;
        default: return clblasInvalidValue;
    }
}

}  // namespace heron::clblas
