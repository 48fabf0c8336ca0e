// A plug-in that computes nothing: every operation only records its phase and its arguments.
#include "recording.h"
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace {

const heron_host_services* services = nullptr;
recorded_call last = [] {
    recorded_call call{};
    call.size = RECORDED_SIZE;
    return call;
}();
alignas(16) char last_args[1024];
char plan_token;

// The vector operations have no argument for a workspace, so they must not ask for one.
template <class Args>
constexpr bool takes_workspace = true;
template <>
constexpr bool takes_workspace<heron_axpby_args> = false;
template <>
constexpr bool takes_workspace<heron_gather_args> = false;
template <>
constexpr bool takes_workspace<heron_scatter_args> = false;
template <>
constexpr bool takes_workspace<heron_rot_args> = false;

void add_step(const char* function, void* stream, void* object, size_t bytes = 0) {
    const int most = static_cast<int>(sizeof last.steps / sizeof last.steps[0]);
    if (last.step_count < most) last.steps[last.step_count++] = {function, stream, object, bytes};
}

// Plug-ins log while the core holds the handle.
void log(const char* function) {
    if (services && services->log) services->log(4, function, "recorded");
}

void record(const char* operation, heron_phase phase, const void* args, size_t size,
            heron_workspace* workspace) {
    static_assert(sizeof(heron_spmv_args) <= sizeof last_args);
    std::memcpy(last_args, args, size);
    last.count += 1;
    last.operation = operation;
    last.phase = phase;
    last.args = last_args;
    last.args_size = size;
    last.memory = workspace->memory;
    last.plan = workspace->plan;
}

template <class Args>
void answer(heron_phase, const Args&, heron_workspace*) {}

void answer(heron_phase phase, const heron_spmv_args&, heron_workspace* workspace) {
    if (phase == HERON_PHASE_ANALYSE) workspace->plan = reinterpret_cast<heron_plan*>(&plan_token);
}

void answer(heron_phase phase, const heron_trisolve_args&, heron_workspace* workspace) {
    if (phase == HERON_PHASE_ANALYSE) workspace->plan = reinterpret_cast<heron_plan*>(&plan_token);
}

void answer(heron_phase phase, const heron_factor_args&, heron_workspace* workspace) {
    if (phase == HERON_PHASE_ANALYSE) workspace->plan = reinterpret_cast<heron_plan*>(&plan_token);
}

void answer(heron_phase phase, const heron_dense_to_sparse_args& args, heron_workspace*) {
    if (phase != HERON_PHASE_ANALYSE) return;
    *args.nnz = RECORDED_NNZ;
    *args.values_size = RECORDED_VALUES_SIZE;
}

void answer(heron_phase phase, const heron_spgemm_args& args, heron_workspace* workspace) {
    if (phase == HERON_PHASE_ANALYSE) workspace->plan = reinterpret_cast<heron_plan*>(&plan_token);
    if (phase != HERON_PHASE_RUN) return;
    for (int64_t* const found : {args.products_found, args.longest_found, args.nnz_found})
        if (found) *found = RECORDED_NNZ;
}

template <class Args, const char* name>
heron_status slot(heron_queue*, heron_phase phase, const Args* args, heron_workspace* workspace) {
    record(name, phase, args, sizeof *args, workspace);
    if (phase == HERON_PHASE_SIZE) workspace->size = takes_workspace<Args> ? last.size : 0;
    if (phase == HERON_PHASE_RUN) add_step(name, last.stream, workspace->memory);
    log(name);
    answer(phase, *args, workspace);
    return HERON_SUCCESS;
}

namespace names {
#define HERON_OP(family, op) constexpr char op[] = #op;
#include <heron/ops.def>
#undef HERON_OP
}  // namespace names

heron_status device_count(int* count, const char** why) {
    *count = 1;
    *why = "";
    return HERON_SUCCESS;
}

heron_status device_info(int, heron_device_info* info) {
    *info = {};
    std::strcpy(info->name, "recorder");
    return HERON_SUCCESS;
}

heron_status memory_alloc(int, size_t bytes, heron_memory, void** pointer) {
    *pointer = std::malloc(bytes);
    add_step("memory_alloc", nullptr, *pointer, bytes);
    return *pointer ? HERON_SUCCESS : HERON_ALLOC_FAILED;
}

heron_status memory_free(void* pointer) {
    add_step("memory_free", nullptr, pointer);
    std::free(pointer);
    return HERON_SUCCESS;
}

heron_status queue_create(int, heron_queue** queue) {
    *queue = reinterpret_cast<heron_queue*>(&last);
    return HERON_SUCCESS;
}

heron_status queue_bind(heron_queue*, void* stream) {
    log("queue_bind");
    last.stream = stream;
    return HERON_SUCCESS;
}

heron_status event_create(int, void** event) {
    static char tokens[8];
    static int next = 0;
    *event = &tokens[next++ % 8];
    return HERON_SUCCESS;
}

heron_status event_record(int, void* stream, void* event) {
    add_step("event_record", stream, event);
    return HERON_SUCCESS;
}

heron_status stream_wait_event(int, void* stream, void* event) {
    add_step("stream_wait_event", stream, event);
    return HERON_SUCCESS;
}

heron_status queue_threads(heron_queue*, int threads) {
    last.threads = threads;
    return HERON_SUCCESS;
}

heron_status copy(heron_queue*, void* destination, const void* source, size_t bytes) {
    std::memmove(destination, source, bytes);
    return HERON_SUCCESS;
}

heron_status fill(heron_queue*, void* destination, unsigned char byte, size_t bytes) {
    std::memset(destination, byte, bytes);
    return HERON_SUCCESS;
}

heron_status queue_adopt(void* command_queue, heron_queue** queue) {
    *queue = reinterpret_cast<heron_queue*>(&last);
    return command_queue ? HERON_SUCCESS : HERON_INVALID_VALUE;
}

heron_status queue_wait_for(heron_queue*, size_t count, void* const* events) {
    for (size_t i = 0; i < count; ++i) add_step("queue_wait_for", nullptr, events[i]);
    return HERON_SUCCESS;
}

heron_status queue_mark(heron_queue*, void** event) {
    static char token;
    *event = &token;
    add_step("queue_mark", nullptr, *event);
    return HERON_SUCCESS;
}

heron_status buffer_info(heron_queue*, void* memory, size_t* bytes) {
    *bytes = RECORDED_BUFFER_SIZE;
    return memory ? HERON_SUCCESS : HERON_INVALID_VALUE;
}

heron_status plan_destroy(heron_plan*) {
    last.plans_destroyed += 1;
    return HERON_SUCCESS;
}

// For the slots that the facade never reaches in these tests.
template <class... Args>
heron_status nothing(Args...) {
    return HERON_SUCCESS;
}

heron_backend make_table() {
    heron_backend table{};
    table.abi = HERON_BACKEND_ABI;
    table.size = sizeof table;
    table.name = RECORDED_BACKEND;
    table.version = "recorder";
    table.device_count = device_count;
    table.device_info = device_info;
    table.device_sync = nothing;
    table.memory_alloc = memory_alloc;
    table.memory_free = memory_free;
    table.memory_owner = nothing;
    table.stream_create = nothing;
    table.stream_destroy = nothing;
    table.stream_sync = nothing;
    table.stream_ready = nothing;
    table.stream_wait_event = stream_wait_event;
    table.event_create = event_create;
    table.event_destroy = nothing;
    table.event_record = event_record;
    table.event_sync = nothing;
    table.event_ready = nothing;
    table.event_elapsed = nothing;
    table.queue_create = queue_create;
    table.queue_destroy = nothing;
    table.queue_bind = queue_bind;
    table.queue_sync = nothing;
    table.queue_threads = queue_threads;
    table.copy = copy;
    table.fill = fill;
    table.plan_destroy = plan_destroy;
    table.queue_adopt = queue_adopt;
    table.queue_wait_for = queue_wait_for;
    table.queue_mark = queue_mark;
    table.buffer_info = buffer_info;
    table.adoptions_forget = nothing;
#define HERON_OP(family, op) table.op = slot<heron_##op##_args, names::op>;
#include <heron/ops.def>
#undef HERON_OP
    return table;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) recorded_call* heron_recorded() { return &last; }

const heron_backend* heron_plugin(const heron_host_services* host_services) {
    services = host_services;
    static const heron_backend table = make_table();
    return &table;
}
