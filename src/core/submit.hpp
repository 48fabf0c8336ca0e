#pragma once
// The last step of every operation in the core: the plug-in's slot.
#include "context.hpp"
#include "error.hpp"
#include "operations.hpp"
#include "status.hpp"
#include <fmt/format.h>
#include <algorithm>
#include <vector>

namespace heron::core {

template <class Args>
using slot_pointer = heron_status (*)(heron_queue*, heron_phase, const Args*, heron_workspace*);

// Throws what a slot has answered, unless it is success.
inline void require_success(const context& c, const char* operation, heron_status status) {
    if (status != HERON_SUCCESS)
        throw error(status, fmt::format("{} on {}", operation, c.backend().name), status_string(status));
}

template <class Args>
void call_slot(context& c, const char* operation, slot_pointer<Args> slot, heron_phase phase,
               const Args& args, heron_workspace& workspace) {
    if (!slot)
        not_supported(operation, fmt::format("the {} plug-in is older and lacks it", c.backend().name));
    heron_status status = HERON_SUCCESS;
    c.with_queue([&](heron_queue* queue) { status = slot(queue, phase, &args, &workspace); });
    require_success(c, operation, status);
}

// RUN of an operation that takes its workspace from the handle's scratch.
template <class Args>
void run_in_scratch(context& c, const char* operation, slot_pointer<Args> slot, const Args& args,
                    size_t bytes) {
    heron_status status = HERON_SUCCESS;
    c.with_scratch(bytes, [&](heron_queue* queue, void* memory) {
        heron_workspace workspace{bytes, memory, nullptr};
        status = slot(queue, HERON_PHASE_RUN, &args, &workspace);
    });
    require_success(c, operation, status);
}

// The workspace that operations ask for whose callers expect to allocate one, where the plug-in needs less.
// Programs that get NULL for an allocation of no bytes take it for a failure.
constexpr size_t least_workspace = 8;

// Throws when the operation needs a workspace and got none.
template <class Args>
void require_workspace(context& c, const char* operation, slot_pointer<Args> slot, const Args& args,
                       const void* memory, size_t least) {
    if (memory) return;
    heron_workspace needed{};
    call_slot(c, operation, slot, HERON_PHASE_SIZE, args, needed);
    if (const size_t bytes = std::max(needed.size, least); bytes > 0)
        invalid("externalBuffer", fmt::format("is NULL, but {} bytes are needed", bytes));
}

// Submits one phase. plan: NULL or where the plan goes in ANALYSE and comes from in RUN. least: the bytes
// that SIZE answers at least.
template <class Args>
void submit(context& c, const char* operation, slot_pointer<Args> slot, const phase_call& phase,
            const Args& args, heron_plan** plan = nullptr, size_t least = 0) {
    heron_workspace workspace{};
    if (phase.phase != HERON_PHASE_SIZE) require_workspace(c, operation, slot, args, phase.memory, least);
    workspace.memory = phase.memory;
    workspace.plan = plan ? *plan : nullptr;
    call_slot(c, operation, slot, phase.phase, args, workspace);
    if (phase.phase == HERON_PHASE_SIZE)
        *required(phase.size, "bufferSize") = std::max(workspace.size, least);
    if (plan) *plan = workspace.plan;
}

// A scalar argument in the handle's pointer mode.
heron_scalar scalar_argument(const context& c, const void* pointer, heron_type compute_type,
                             const char* argument);

// The same of a 16-bit compute type, which the documentation's rows of 16-bit operands ask for; the sums have
// 32 bits. There are none in device memory.
heron_scalar short_scalar_argument(const context& c, const void* pointer, heron_type compute_type,
                                   const char* argument);

// Throw unless the arrays that the operation reads or writes are there. An empty operand needs none.
void require_arrays(const heron_dnvec& v, const char* argument);
void require_arrays(const heron_dnmat& m, const char* argument);
void require_arrays(const heron_spvec& v, const char* argument);
void require_arrays(const heron_spmat& m, const char* argument);

// The matrix as one that the plug-ins know: CSC becomes CSR of the transpose, and an empty matrix becomes an
// empty COO, so that NULL offsets are never read. op is changed to match.
heron_spmat canonical(const heron_spmat& m, heron_operation& op);

bool transposes(heron_operation op);
bool conjugates(heron_operation op);

// What turns A^T into op(A).
heron_operation of_the_transpose(heron_operation op);

// HERON_VALIDATE=1: the contents of arrays are checked before each use.
bool validating();

// The first count numbers of an array in device memory, for that. Waits for the queue.
std::vector<int64_t> download(context& c, const void* array, int64_t count, heron_index_type type);

// With HERON_VALIDATE=1, copies the indices to the host and throws HERON_INVALID_VALUE naming the first bad
// row.
void validate_contents(context& c, const heron_spmat& m, const char* argument);
void validate_contents(context& c, const heron_spvec& v, const char* argument);

}  // namespace heron::core
