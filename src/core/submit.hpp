#pragma once
// The last step of every operation in the core: the plug-in's slot.
#include "operations.hpp"
#include "report.hpp"
#include <fmt/format.h>
#include <algorithm>

namespace heron::core {

[[noreturn]] void slot_missing(const context& c, operation op);
[[noreturn]] void slot_failed(const context& c, operation op, heron_status status);
[[noreturn]] void workspace_missing(size_t needed);

template <operation op, class Slot, class Args>
[[gnu::noinline]] heron_status run_measured_slot(context& c, Slot slot, heron_queue* queue, heron_phase phase,
                                                 const Args& args, heron_workspace& workspace) {
    const recorded_phase record(c, phase == HERON_PHASE_RUN ? work_of<op>(args) : work{});
    return slot(queue, phase, &args, &workspace);
}

// Runs a phase, for a report with what it works.
template <operation op, class Slot, class Args>
[[gnu::always_inline]] inline heron_status run_slot(context& c, Slot slot, heron_queue* queue,
                                                    heron_phase phase, const Args& args,
                                                    heron_workspace& workspace) {
    if (phase == HERON_PHASE_SIZE || !measuring()) return slot(queue, phase, &args, &workspace);
    return run_measured_slot<op>(c, slot, queue, phase, args, workspace);
}

// The products that may do without an analysis, but are slower, say so to a report.
inline void note_unprepared_run(context& c, const heron_spmv_args& args) {
    note_unprepared(c, {operation::spmv, args.op, args.a, 1}, args.a.indices);
}
inline void note_unprepared_run(context& c, const heron_spmm_args& args) {
    note_unprepared(c, {operation::spmm, args.op, args.a, args.c.cols}, args.a.indices);
}
template <class Args>
void note_unprepared_run(context&, const Args&) {}

// So do those that read a sparse matrix of its order.
inline void note_order_of(context& c, const heron_spmv_args& args) { note_order(c, args.a); }
inline void note_order_of(context& c, const heron_spmm_args& args) { note_order(c, args.a); }
inline void note_order_of(context& c, const heron_trisolve_args& args) { note_order(c, args.a); }
inline void note_order_of(context& c, const heron_factor_args& args) { note_order(c, args.a); }
template <class Args>
void note_order_of(context&, const Args&) {}

template <operation op>
auto required_slot(const context& c) {
    const auto slot = c.table().*slot_of(operation_constant<op>{});
    if (!slot) slot_missing(c, op);
    return slot;
}

template <operation op, class Args>
[[gnu::always_inline]] inline void call_slot(context& c, heron_phase phase, const Args& args,
                                             heron_workspace& workspace) {
    const auto slot = required_slot<op>(c);
    heron_status status = HERON_SUCCESS;
    c.with_queue([&](heron_queue* queue) { status = run_slot<op>(c, slot, queue, phase, args, workspace); });
    if (status != HERON_SUCCESS) slot_failed(c, op, status);
}

// Whether the plug-in needs no memory for an operation, whatever the arguments.
template <operation op>
bool needs_no_workspace(const context& c) {
    constexpr auto number = static_cast<unsigned>(op);
    return (c.table().without_workspace[number / 64] >> number % 64 & 1) != 0;
}

// The bytes that the plug-in needs.
template <operation op, class Args>
size_t workspace_size(context& c, const Args& args) {
    heron_workspace needed{};
    call_slot<op>(c, HERON_PHASE_SIZE, args, needed);
    return needed.size;
}

// Runs in memory of the right size.
template <operation op, class Args>
[[gnu::always_inline]] inline void run_in(context& c, const Args& args, void* memory,
                                          heron_plan* plan = nullptr) {
    heron_workspace workspace{0, memory, plan};
    call_slot<op>(c, HERON_PHASE_RUN, args, workspace);
}

// RUN of an operation that takes its workspace from the handle's scratch.
template <operation op, class Args>
void run_in_scratch(context& c, const Args& args, size_t bytes) {
    const auto slot = c.table().*slot_of(operation_constant<op>{});
    heron_status status = HERON_SUCCESS;
    c.with_scratch(bytes, [&](heron_queue* queue, void* memory) {
        heron_workspace workspace{bytes, memory, nullptr};
        status = run_slot<op>(c, slot, queue, HERON_PHASE_RUN, args, workspace);
    });
    if (status != HERON_SUCCESS) slot_failed(c, op, status);
}

// The workspace that operations ask for whose callers expect to allocate one, where the plug-in needs less.
// Programs that get NULL for an allocation of no bytes take it for a failure.
constexpr size_t least_workspace = 8;
// What the functions with an analysis and those of tridiagonal systems ask of a workspace's address.
constexpr size_t documented_alignment = 128;

// Submits one phase. SIZE writes the size, which is `least` at least; the others throw when memory is needed
// and there is none. ANALYSE leaves its plan in the analysis, and RUN goes with what there is for the same
// problem, which is made when it is asked for, or without.
template <operation op, class Args, class Problem>
void submit(context& c, const phase_call& phase, const Args& args, size_t least, analysis* kept,
            Problem&& problem) {
    const auto needed = [&] { return std::max(workspace_size<op>(c, args), least); };
    if (phase.phase == HERON_PHASE_SIZE) {
        *required(phase.size, role::workspace_size) = needed();
        return;
    }
    if (phase.takes_scratch) return run_in_scratch<op>(c, args, workspace_size<op>(c, args));
    if (!phase.memory)
        if (const size_t bytes = needed()) workspace_missing(bytes);
    heron_workspace workspace{0, phase.memory, nullptr};
    if (kept && phase.phase == HERON_PHASE_RUN) workspace.plan = kept->plan_for(c, problem(), phase.memory);
    if (measuring()) {
        note_order_of(c, args);
        if (phase.phase == HERON_PHASE_RUN && !workspace.plan) note_unprepared_run(c, args);
    }
    call_slot<op>(c, phase.phase, args, workspace);
    if (kept && phase.phase == HERON_PHASE_ANALYSE) kept->keep(c, problem(), workspace);
}
// Of an operation without analyses.
template <operation op, class Args>
void submit(context& c, const phase_call& phase, const Args& args, size_t least = 0) {
    submit<op>(c, phase, args, least, nullptr, [] { return analysed_problem{}; });
}

// A scalar argument in the handle's pointer mode.
heron_scalar scalar_argument(const context& c, const void* pointer, heron_type compute_type,
                             const subject& about);
// One that is on the host whatever the pointer mode.
heron_scalar scalar_on_host(const void* pointer, heron_type compute_type, const subject& about);

// The same of a 16-bit compute type, which the documentation's rows of 16-bit operands ask for; the sums have
// 32 bits. There are none in device memory.
heron_scalar short_scalar_argument(const context& c, const void* pointer, heron_type compute_type,
                                   const subject& about);

// Where a number of elements goes, in the handle's pointer mode. NULL goes on as it is.
heron_count_result count_result(const context& c, int32_t* total);

// HERON_VALIDATE=1: the contents of arrays are checked before each use.
bool validating();

// The first count numbers of an array in device memory, for that. Waits for the queue.
std::vector<int64_t> download(context& c, const void* array, int64_t count, heron_index_type type);

// With HERON_VALIDATE=1, copies the indices to the host and throws HERON_INVALID_VALUE naming the first bad
// row.
void validate_contents(context& c, const heron_spmat& m, argument operand);
void validate_contents(context& c, const heron_spvec& v, argument operand);
// The same for columns that do not ascend in a row of a CSR or BSR matrix whose contents are valid.
void validate_ascending(context& c, const heron_spmat& m, argument operand);

}  // namespace heron::core
