// A plug-in whose faults are chosen by definitions at compile time. It computes nothing.
#include <heron/backend.h>
#include <cstring>

namespace {

heron_status device_count(int* count, const char** why) {
    *count = VARIANT_DEVICES;
    *why = VARIANT_DEVICES ? "" : "this variant has no device";
    return HERON_SUCCESS;
}

heron_status device_info(int, heron_device_info* info) {
    *info = {};
    std::strcpy(info->name, "variant");
    info->is_gpu = VARIANT_IS_GPU;
    return HERON_SUCCESS;
}

heron_status queue_create(int, heron_queue** queue) {
    static char token;
    *queue = reinterpret_cast<heron_queue*>(&token);
    return VARIANT_QUEUE_STATUS;
}

template <class... Args>
heron_status nothing(Args...) {
    return HERON_SUCCESS;
}

template <class Args>
heron_status slot(heron_queue*, heron_phase phase, const Args*, heron_workspace* workspace) {
    if (phase == HERON_PHASE_SIZE) workspace->size = 0;
    return VARIANT_RUN_STATUS;
}

heron_backend make_table() {
    heron_backend table{};
    table.abi = VARIANT_ABI;
    table.size = VARIANT_SIZE;
    table.name = "variant";
    table.version = "1.0";
    table.device_count = device_count;
    table.device_info = device_info;
    table.device_sync = nothing;
    table.memory_alloc = nothing;
    table.memory_free = nothing;
    table.memory_owner = nothing;
    table.stream_create = nothing;
    table.stream_destroy = nothing;
    table.stream_sync = nothing;
    table.stream_ready = nothing;
    table.stream_wait_event = nothing;
    table.event_create = nothing;
    table.event_destroy = nothing;
    table.event_record = nothing;
    table.event_sync = nothing;
    table.event_ready = nothing;
    table.event_elapsed = nothing;
    table.queue_create = queue_create;
    table.queue_destroy = nothing;
    table.queue_bind = nothing;
    table.queue_sync = nothing;
    table.queue_threads = nothing;
    table.copy = nothing;
    table.fill = nothing;
    table.plan_destroy = nothing;
#define HERON_OP(family, op) table.op = slot<heron_##op##_args>;
#include <heron/ops.def>
#undef HERON_OP
    return table;
}

}  // namespace

const heron_backend* VARIANT_ENTRY(const heron_host_services*) {
    static const heron_backend table = make_table();
    return VARIANT_REFUSES ? nullptr : &table;
}
