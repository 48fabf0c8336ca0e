#include "platform.hpp"
#include "queue.hpp"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace heron::opencl {
namespace {

template <class T>
T number(cl_device_id id, cl_device_info what) {
    T value{};
    return clGetDeviceInfo(id, what, sizeof value, &value, nullptr) == CL_SUCCESS ? value : T{};
}

// What OpenCL returns is NUL-terminated; some drivers pad names with blanks.
std::string trimmed(std::string text) {
    text.resize(std::char_traits<char>::length(text.c_str()));
    const size_t first = text.find_first_not_of(' ');
    if (first == std::string::npos) return {};
    return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

template <class Get, class Object>
std::string text(Get get, Object object, cl_uint what) {
    size_t size = 0;
    if (get(object, what, 0, nullptr, &size) != CL_SUCCESS) return {};
    std::string value(size, '\0');
    if (get(object, what, size, value.data(), nullptr) != CL_SUCCESS) return {};
    return trimmed(std::move(value));
}

bool contains_word(const std::string& list, const std::string& word) {
    return (" " + list + " ").find(" " + word + " ") != std::string::npos;
}

device_traits read_traits(cl_device_id id, cl_platform_id platform) {
    device_traits t;
    t.name = text(clGetDeviceInfo, id, CL_DEVICE_NAME);
    t.vendor = text(clGetDeviceInfo, id, CL_DEVICE_VENDOR);
    t.driver = text(clGetDeviceInfo, id, CL_DRIVER_VERSION);
    t.c_version = text(clGetDeviceInfo, id, CL_DEVICE_OPENCL_C_VERSION);
    t.platform_name = text(clGetPlatformInfo, platform, CL_PLATFORM_NAME);
    t.platform_version = text(clGetPlatformInfo, platform, CL_PLATFORM_VERSION);
    std::sscanf(text(clGetDeviceInfo, id, CL_DEVICE_VERSION).c_str(), "OpenCL %u.%u", &t.major, &t.minor);
    t.memory_bytes = number<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_SIZE);
    t.cache_bytes = number<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
    t.local_bytes = number<cl_ulong>(id, CL_DEVICE_LOCAL_MEM_SIZE);
    t.largest_allocation = number<cl_ulong>(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    t.compute_units = number<cl_uint>(id, CL_DEVICE_MAX_COMPUTE_UNITS);
    t.clock_mhz = number<cl_uint>(id, CL_DEVICE_MAX_CLOCK_FREQUENCY);
    t.largest_group = number<size_t>(id, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    t.is_gpu = number<cl_device_type>(id, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU;
    t.is_cpu = number<cl_device_type>(id, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU;
    constexpr cl_device_info compute_capability_major = 0x4000;  // cl_nv_device_attribute_query
    constexpr cl_uint nvidia = 0x10de, first_with_own_progress = 7;
    if (t.is_gpu && number<cl_uint>(id, CL_DEVICE_VENDOR_ID) == nvidia) {
        const auto major = number<cl_uint>(id, compute_capability_major);
        t.nvidia_major = major >= first_with_own_progress ? major : 0;
    }
    t.float_vector = number<cl_uint>(id, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT);
    const std::string extensions = text(clGetDeviceInfo, id, CL_DEVICE_EXTENSIONS);
    t.has_fp64 =
        contains_word(extensions, "cl_khr_fp64") && contains_word(extensions, "cl_khr_int64_base_atomics");
    return t;
}

bool speaks_c12(const std::string& c_version) {
    unsigned major = 0, minor = 0;
    std::sscanf(c_version.c_str(), "OpenCL C %u.%u", &major, &minor);
    return major > 1 || (major == 1 && minor >= 2);
}

// Why a device cannot be used; empty for a good one. An older platform does not even have the entry points of
// SVM.
std::string why_unusable(cl_device_id id, const device_traits& t, cl_device_svm_capabilities svm) {
    if (!number<cl_bool>(id, CL_DEVICE_AVAILABLE)) return "is not available";
    if (!number<cl_bool>(id, CL_DEVICE_COMPILER_AVAILABLE)) return "has no compiler";
    if (!number<cl_bool>(id, CL_DEVICE_ENDIAN_LITTLE)) return "is big-endian";
    if (number<cl_uint>(id, CL_DEVICE_ADDRESS_BITS) != 64) return "has no 64-bit addresses";
    if (!speaks_c12(t.c_version)) return "does not compile OpenCL C 1.2";
    if (!(svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER)) return "has no shared virtual memory";
    return {};
}

std::vector<cl_device_id> devices_of(cl_platform_id platform) {
    cl_uint count = 0;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) return {};
    std::vector<cl_device_id> ids(count);
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr) != CL_SUCCESS) return {};
    return ids;
}

bool is_wanted(const device_traits& t) {
    const char* const filter = std::getenv("HERON_OPENCL_DEVICE");
    return !filter || t.name.find(filter) != std::string::npos ||
           t.platform_name.find(filter) != std::string::npos;
}

void add_devices(cl_platform_id platform, device_list& list) {
    for (cl_device_id id : devices_of(platform)) {
        std::string why;
        auto candidate = std::make_unique<device>(id, platform, &why);
        if (!why.empty()) {
            list.why_none += (list.why_none.empty() ? "" : "; ") + candidate->traits().name + " " + why;
        } else if (!is_wanted(candidate->traits())) {
            list.why_none += (list.why_none.empty() ? "" : "; ") + candidate->traits().name +
                             " does not match HERON_OPENCL_DEVICE";
        } else {
            list.devices.push_back(candidate.release());
        }
    }
}

device_list find_devices() {
    device_list list;
    cl_uint count = 0;
    const cl_int code = clGetPlatformIDs(0, nullptr, &count);
    if (code != CL_SUCCESS || count == 0) {
        list.why_none = "no OpenCL platform (no driver registered in /etc/OpenCL/vendors)";
        return list;
    }
    std::vector<cl_platform_id> platforms(count);
    check(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
    for (cl_platform_id platform : platforms) add_devices(platform, list);
    std::stable_partition(list.devices.begin(), list.devices.end(),
                          [](const device* d) { return d->traits().is_gpu; });
    if (list.devices.empty() && list.why_none.empty()) list.why_none = "no OpenCL platform has a device";
    if (!list.why_none.empty()) log(log_level::info, "device_count", list.why_none.c_str());
    return list;
}

cl_command_queue create_queue(cl_context context, cl_device_id device, cl_queue_properties properties) {
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
    cl_int code = CL_SUCCESS;
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, list, &code);
    check(code, "clCreateCommandQueueWithProperties");
    return queue;
}

// What `after` gets from now on starts when what `before` has got is done.
void join(cl_command_queue before, cl_command_queue after) {
    const cl_event reached = mark_behind(before);
    const cl_int code = clEnqueueBarrierWithWaitList(after, 1, &reached, nullptr);
    clReleaseEvent(reached);
    check(code, "clEnqueueBarrierWithWaitList");
}

}  // namespace

cl_event mark_behind(cl_command_queue queue) {
    cl_event reached = nullptr;
    check(clEnqueueMarkerWithWaitList(queue, 0, nullptr, &reached), "clEnqueueMarkerWithWaitList");
    const cl_int code = clFlush(queue);
    if (code != CL_SUCCESS) clReleaseEvent(reached);
    check(code, "clFlush");
    return reached;
}

bool has_passed(cl_event event) {
    cl_int state = CL_QUEUED;
    check(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr),
          "clGetEventInfo");
    if (state < 0) fail(state, "a command before the event");
    return state == CL_COMPLETE;
}

stream::stream(cl_context context, cl_device_id device)
    : context_(context), device_(device), work_(create_queue(context, device, 0)) {}

stream::stream(cl_command_queue adopted) : work_(adopted) {
    check(clRetainCommandQueue(work_), "clRetainCommandQueue");
}

stream::~stream() {
    if (mark_) clReleaseEvent(mark_);
    clReleaseCommandQueue(work_);
    if (clock_) clReleaseCommandQueue(clock_);
}

cl_command_queue stream::clock() {
    const std::lock_guard lock(mutex_);
    if (!clock_) clock_ = create_queue(context_, device_, CL_QUEUE_PROFILING_ENABLE);
    return clock_;
}

device::device(cl_device_id id, cl_platform_id platform, std::string* why)
    : id_(id),
      traits_(read_traits(id, platform)),
      programs_(*this),
      scratch_(std::make_unique<scratch_pool>()) {
    const auto svm =
        traits_.major >= 2 ? number<cl_device_svm_capabilities>(id, CL_DEVICE_SVM_CAPABILITIES) : 0;
    traits_.is_fine_grained = svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
    traits_.is_unified =
        traits_.is_fine_grained && (traits_.is_cpu || number<cl_bool>(id, CL_DEVICE_HOST_UNIFIED_MEMORY));
    *why = why_unusable(id, traits_, svm);
}

device::device(cl_device_id id, cl_context context)
    : id_(id),
      traits_(read_traits(id, number<cl_platform_id>(id, CL_DEVICE_PLATFORM))),
      context_(context),
      programs_(*this),
      scratch_(std::make_unique<scratch_pool>()),
      is_guest_(true) {
    check(clRetainContext(context_), "clRetainContext");
}

device::~device() {
    empty_caches();
    if (is_guest_) clReleaseContext(context_);
}

void device::empty_caches() {
    const std::lock_guard lock(mutex_);
    idle_kernels_.clear();
    programs_.clear();
    scratch_ = std::make_unique<scratch_pool>();
}

std::unique_ptr<kernel_cache> device::borrow_kernels() {
    const std::lock_guard lock(mutex_);
    if (idle_kernels_.empty()) return std::make_unique<kernel_cache>();
    auto kernels = std::move(idle_kernels_.back());
    idle_kernels_.pop_back();
    return kernels;
}

void device::return_kernels(std::unique_ptr<kernel_cache> kernels) noexcept {
    const std::lock_guard lock(mutex_);
    try {
        idle_kernels_.push_back(std::move(kernels));
    } catch (const std::bad_alloc&) {
        kernels.reset();
    }
}

void device::open(const std::lock_guard<std::mutex>&) {
    if (default_stream_) return;
    cl_int code = CL_SUCCESS;
    if (!context_) context_ = clCreateContext(nullptr, 1, &id_, nullptr, nullptr, &code);
    check(code, "clCreateContext");
    default_stream_ = std::make_shared<stream>(context_, id_);
}

cl_context device::context() {
    if (is_guest_) return context_;
    const std::lock_guard lock(mutex_);
    open(lock);
    return context_;
}

std::shared_ptr<stream> device::stream_of(void* handle) {
    const std::lock_guard lock(mutex_);
    open(lock);
    // NULL, and CUDA's two other names for default streams.
    if (reinterpret_cast<uintptr_t>(handle) <= 2) return default_stream_;
    for (const auto& s : streams_)
        if (s.get() == handle) return s;
    fail(HERON_INVALID_VALUE, "the stream does not exist on this device");
}

void* device::create_stream() {
    const std::lock_guard lock(mutex_);
    open(lock);
    streams_.push_back(std::make_shared<stream>(context_, id_));
    return streams_.back().get();
}

void device::destroy_stream(void* handle) {
    const std::lock_guard lock(mutex_);
    const auto found =
        std::find_if(streams_.begin(), streams_.end(), [&](const auto& s) { return s.get() == handle; });
    if (found == streams_.end()) fail(HERON_INVALID_VALUE, "the stream does not exist on this device");
    // Nobody else waits for what it was still given.
    if ((*found)->seen_by_default_ != (*found)->submitted_) join((*found)->work_, default_stream_->work_);
    streams_.erase(found);
}

void device::finish() {
    std::vector<std::shared_ptr<stream>> all;
    {
        const std::lock_guard lock(mutex_);
        all = streams_;
        if (default_stream_) all.push_back(default_stream_);
    }
    for (const auto& s : all) finish(*s);
}

void device::finish(stream& s) {
    std::unique_lock lock(mutex_);
    const uint64_t submitted = s.submitted_;
    lock.unlock();
    check(clFinish(s.work_), "clFinish");
    lock.lock();
    s.done_ = std::max(s.done_, submitted);
}

// A mark stays until there is more to ask about: on a device that others use too, one that each question sets
// anew may never be passed when the question looks.
bool device::is_done(stream& s) {
    const std::lock_guard lock(mutex_);
    if (s.done_ == s.submitted_) return true;
    if (s.marked_ != s.submitted_) {
        const cl_event reached = mark_behind(s.work_);
        if (s.mark_) clReleaseEvent(s.mark_);
        s.mark_ = reached;
        s.marked_ = s.submitted_;
    }
    if (!has_passed(s.mark_)) return false;
    s.done_ = s.marked_;
    return true;
}

void device::order_before_submission(stream& s) {
    if (is_guest_) return;
    const std::lock_guard lock(mutex_);
    if (&s != default_stream_.get()) {
        if (s.seen_of_default_ == default_stream_->submitted_) return;
        join(default_stream_->work_, s.work_);
        s.seen_of_default_ = default_stream_->submitted_;
        return;
    }
    for (const auto& other : streams_) {
        if (other->seen_by_default_ == other->submitted_) continue;
        join(other->work_, s.work_);
        other->seen_by_default_ = other->submitted_;
    }
}

// Counted only now: a join by another thread in between may or may not have covered the work, and is then
// repeated.
void device::count_submission(stream& s) {
    if (is_guest_) return;
    const std::lock_guard lock(mutex_);
    ++s.submitted_;
}

const device_list& all_devices() {
    static const device_list& list = *new device_list(find_devices());
    return list;
}

device& device_at(int index) {
    const auto& devices = all_devices().devices;
    if (index < 0 || static_cast<size_t>(index) >= devices.size())
        fail(HERON_INVALID_VALUE, "there is no OpenCL device " + std::to_string(index));
    return *devices[static_cast<size_t>(index)];
}

}  // namespace heron::opencl
