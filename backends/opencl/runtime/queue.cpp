#include "queue.hpp"
#include <algorithm>

namespace heron::opencl {

void event::release() {
    if (reached_) clReleaseEvent(reached_);
    if (timed_) clReleaseEvent(timed_);
    reached_ = timed_ = nullptr;
}

void event::record(device& d, stream& s) {
    release();
    const submission submitted(d, s);
    reached_ = mark_behind(s.work());
    check(clEnqueueMarkerWithWaitList(s.clock(), 1, &reached_, &timed_), "clEnqueueMarkerWithWaitList");
    check(clFlush(s.clock()), "clFlush");
}

void event::wait() const {
    if (timed_) check(clWaitForEvents(1, &timed_), "clWaitForEvents");
}

bool event::is_complete() const { return !timed_ || has_passed(timed_); }

void event::hold_back(device& d, stream& s) const {
    if (!reached_) return;
    const submission submitted(d, s);
    check(clEnqueueBarrierWithWaitList(s.work(), 1, &reached_, nullptr), "clEnqueueBarrierWithWaitList");
}

cl_ulong event::nanoseconds() const {
    cl_ulong time = 0;
    check(clGetEventProfilingInfo(timed_, CL_PROFILING_COMMAND_END, sizeof time, &time, nullptr),
          "clGetEventProfilingInfo");
    return time;
}

float event::elapsed(const event& start, const event& stop) {
    if (!start.timed_ || !stop.timed_) fail(HERON_INVALID_VALUE, "an event was never recorded");
    if (!start.is_complete() || !stop.is_complete())
        fail(HERON_INVALID_VALUE, "an event is not complete yet");
    const auto difference = static_cast<cl_long>(stop.nanoseconds() - start.nanoseconds());
    return static_cast<float>(static_cast<double>(difference) * 1e-6);
}

kernel_cache::~kernel_cache() {
    for (const auto& [id, instance] : kernels) clReleaseKernel(instance.kernel);
}

adoption::~adoption() {
    drop_waits();
    if (last_) clReleaseEvent(last_);
}

void adoption::add_wait(cl_event event) {
    check(clRetainEvent(event), "clRetainEvent");
    waits_.push_back(event);
}

void adoption::drop_waits() {
    for (cl_event event : waits_) clReleaseEvent(event);
    waits_.clear();
}

void adoption::follow(cl_event event) {
    drop_waits();
    if (last_) clReleaseEvent(last_);
    last_ = event;
    if (!is_in_order_) add_wait(event);
}

namespace {

// CPU drivers vectorise over the items of a work-group.
constexpr size_t local_size_cpu = 128;
constexpr size_t local_size_gpu = 256;

size_t local_size_of(cl_kernel kernel, const device& d) {
    size_t largest = 0;
    check(clGetKernelWorkGroupInfo(kernel, d.id(), CL_KERNEL_WORK_GROUP_SIZE, sizeof largest, &largest,
                                   nullptr),
          "clGetKernelWorkGroupInfo");
    const size_t wanted = d.traits().is_gpu ? local_size_gpu : local_size_cpu;
    return std::max<size_t>(1, std::min(wanted, largest));
}

}  // namespace

pinned_window::pinned_window(cl_context context, std::shared_ptr<stream> mapped_by)
    : mapped_by_(std::move(mapped_by)),
      memory_(clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, nullptr, nullptr)) {
    if (memory_)
        address_ = clEnqueueMapBuffer(mapped_by_->work(), memory_, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                      bytes, 0, nullptr, nullptr, nullptr);
}

pinned_window::~pinned_window() {
    if (address_) clEnqueueUnmapMemObject(mapped_by_->work(), memory_, address_, 0, nullptr, nullptr);
    if (memory_) clReleaseMemObject(memory_);
}

}  // namespace heron::opencl

heron_queue::heron_queue(heron::opencl::device& d, int device_index)
    : device(d),
      index(device_index),
      stream(d.stream_of(nullptr)),
      kernels_(std::make_unique<heron::opencl::kernel_cache>()) {}

heron_queue::heron_queue(std::shared_ptr<heron::opencl::device> guest, cl_command_queue commands,
                         bool is_in_order)
    : device(*guest),
      index(-1),
      stream(std::make_shared<heron::opencl::stream>(commands)),
      adopted(std::make_unique<heron::opencl::adoption>(guest, is_in_order)),
      kernels_(guest->borrow_kernels()) {}

void* heron_queue::window() {
    if (adopted || !device.traits().is_gpu) return nullptr;
    if (!window_) window_ = std::make_unique<heron::opencl::pinned_window>(device.context(), stream);
    return window_->address();
}

heron_queue::~heron_queue() {
    if (adopted) device.return_kernels(std::move(kernels_));
}

const heron::opencl::kernel_instance& heron_queue::add_kernel(const heron::opencl::kernel_id& id,
                                                              const heron::opencl::program_key& key) {
    using namespace heron::opencl;
    cl_int code = CL_SUCCESS;
    kernel_instance instance;
    instance.name = id.name;
    instance.kernel =
        clCreateKernel(device.programs().get(key), (std::string("heron_") + id.name).c_str(), &code);
    check(code, "clCreateKernel");
    std::unique_ptr<_cl_kernel, decltype(&clReleaseKernel)> owned(instance.kernel, &clReleaseKernel);
    instance.local_size = local_size_of(instance.kernel, device);
    const kernel_instance& kept = kernels_->kernels.emplace(id, std::move(instance)).first->second;
    static_cast<void>(owned.release());
    return kept;
}
