// Settings, names and peers of devices, memory pools, functions of the host in a stream: what host programs
// call besides memory, copies, streams and events. All but the cases tagged [heron] hold for NVIDIA's runtime
// too.
#include "rig.hpp"
#include <cuda_profiler_api.h>
#include <cstdint>
#include <string>

namespace {

int device_count() {
    int count = 0;
    REQUIRE(cudaGetDeviceCount(&count) == cudaSuccess);
    return count;
}

cudaMemPool_t default_pool() {
    cudaMemPool_t pool = nullptr;
    REQUIRE(cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess);
    REQUIRE(pool != nullptr);
    return pool;
}

uint64_t bytes_of(cudaMemPool_t pool, cudaMemPoolAttr attribute) {
    uint64_t bytes = ~uint64_t{0};
    REQUIRE(cudaMemPoolGetAttribute(pool, attribute, &bytes) == cudaSuccess);
    return bytes;
}

cudaMemPoolProps pool_of_device_0() {
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = {cudaMemLocationTypeDevice, 0};
    return properties;
}

// What the stream had written when the function ran.
struct visit {
    const int* watched = nullptr;
    std::vector<int> seen;
    cudaStream_t stream = nullptr;
    cudaError_t status = cudaErrorUnknown;
};

void look(void* data) {
    auto& v = *static_cast<visit*>(data);
    v.seen.push_back(*v.watched);
}

void look_with_status(cudaStream_t stream, cudaError_t status, void* data) {
    auto& v = *static_cast<visit*>(data);
    v.stream = stream;
    v.status = status;
    look(data);
}

}  // namespace

TEST_CASE("flags of the device") {
    unsigned flags = 0;
    REQUIRE(cudaDeviceReset() == cudaSuccess);
    REQUIRE(cudaSetDeviceFlags(cudaDeviceScheduleYield) == cudaSuccess);
    REQUIRE(cudaGetDeviceFlags(&flags) == cudaSuccess);
    CHECK((flags & cudaDeviceScheduleMask) == cudaDeviceScheduleYield);
    REQUIRE(cudaDeviceReset() == cudaSuccess);
    CHECK(cudaGetDeviceFlags(nullptr) == cudaErrorInvalidValue);
    clear_last_error();
}

TEST_CASE("limits of the device") {
    size_t before = 0, value = 0;
    REQUIRE(cudaDeviceGetLimit(&before, cudaLimitStackSize) == cudaSuccess);
    CHECK(before > 0);
    REQUIRE(cudaDeviceSetLimit(cudaLimitStackSize, 2 * before) == cudaSuccess);
    REQUIRE(cudaDeviceGetLimit(&value, cudaLimitStackSize) == cudaSuccess);
    CHECK(value == 2 * before);
    REQUIRE(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize) == cudaSuccess);
    CHECK(value > 0);
    CHECK(cudaDeviceGetLimit(nullptr, cudaLimitStackSize) == cudaErrorInvalidValue);
    CHECK(cudaDeviceGetLimit(&value, static_cast<cudaLimit>(99)) == cudaErrorUnsupportedLimit);
    CHECK(cudaDeviceSetLimit(static_cast<cudaLimit>(99), 1) == cudaErrorUnsupportedLimit);
    REQUIRE(cudaDeviceReset() == cudaSuccess);
    REQUIRE(cudaDeviceGetLimit(&value, cudaLimitStackSize) == cudaSuccess);
    CHECK(value == before);
    clear_last_error();
}

TEST_CASE("preferences of the caches") {
    cudaFuncCache config = cudaFuncCachePreferNone;
    REQUIRE(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1) == cudaSuccess);
    REQUIRE(cudaDeviceGetCacheConfig(&config) == cudaSuccess);
    CHECK(config == cudaFuncCachePreferL1);
    REQUIRE(cudaDeviceSetCacheConfig(cudaFuncCachePreferNone) == cudaSuccess);
    CHECK(cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(9)) == cudaErrorInvalidValue);
    CHECK(cudaDeviceGetCacheConfig(nullptr) == cudaErrorInvalidValue);
    cudaSharedMemConfig banks = cudaSharedMemBankSizeDefault;
    CHECK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte) == cudaSuccess);
    CHECK(cudaDeviceGetSharedMemConfig(&banks) == cudaSuccess);
    CHECK(banks == cudaSharedMemBankSizeFourByte);
    clear_last_error();
}

TEST_CASE("a device has a name on the bus") {
    cudaDeviceProp p;
    char name[32] = "";
    for (int i = 0; i < device_count(); ++i) {
        REQUIRE(cudaDeviceGetPCIBusId(name, sizeof name, i) == cudaSuccess);
        CHECK(std::string(name).size() == 12);
        int found = -1;
        REQUIRE(cudaDeviceGetByPCIBusId(&found, name) == cudaSuccess);
        CHECK(found == i);
        REQUIRE(cudaGetDeviceProperties(&p, i) == cudaSuccess);
        CHECK(std::stoi(std::string(name).substr(5, 2), nullptr, 16) == p.pciBusID);
    }
    int found = -1;
    CHECK(cudaDeviceGetByPCIBusId(&found, "nonsense") == cudaErrorInvalidValue);
    CHECK(cudaDeviceGetByPCIBusId(&found, nullptr) == cudaErrorInvalidValue);
    CHECK(cudaDeviceGetPCIBusId(nullptr, 32, 0) == cudaErrorInvalidValue);
    CHECK(cudaDeviceGetPCIBusId(name, sizeof name, 99) == cudaErrorInvalidDevice);
    clear_last_error();
}

TEST_CASE("peers") {
    const int count = device_count();
    int can = -1;
    CHECK(cudaDeviceCanAccessPeer(&can, 0, 0) == cudaSuccess);
    CHECK(can == 0);
    CHECK(cudaDeviceCanAccessPeer(&can, 0, count) == cudaErrorInvalidDevice);
    CHECK(cudaDeviceCanAccessPeer(nullptr, 0, 0) == cudaErrorInvalidValue);
    CHECK(cudaDeviceEnablePeerAccess(0, 0) == cudaErrorInvalidDevice);
    CHECK(cudaDeviceEnablePeerAccess(count, 0) == cudaErrorInvalidDevice);
    CHECK(cudaDeviceEnablePeerAccess(0, 1) == cudaErrorInvalidValue);
    clear_last_error();
}

TEST_CASE("copies between devices") {
    const auto values = counting(1000);
    const size_t bytes = values.size() * sizeof(int);
    const int last = device_count() - 1;
    int* const a = device_array<int>(values.size());
    REQUIRE(cudaMemcpy(a, values.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess);
    REQUIRE(cudaSetDevice(last) == cudaSuccess);
    int* const b = device_array<int>(values.size());
    int* const c = device_array<int>(values.size());
    REQUIRE(cudaMemset(b, 0, bytes) == cudaSuccess);
    CHECK(cudaMemcpyPeer(b, last, a, 0, bytes) == cudaSuccess);
    CHECK(download(b, values.size()) == values);
    REQUIRE(cudaMemset(c, 0, bytes) == cudaSuccess);
    cudaStream_t stream = nullptr;
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
    CHECK(cudaMemcpyPeerAsync(c, last, a, 0, bytes, stream) == cudaSuccess);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(download(c, values.size()) == values);
    CHECK(cudaMemcpyPeer(b, last, a, last + 1, bytes) == cudaErrorInvalidDevice);
    CHECK(cudaMemcpyPeer(b, last, a, 0, 0) == cudaSuccess);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
    for (int* p : {a, b, c}) CHECK(cudaFree(p) == cudaSuccess);
    REQUIRE(cudaSetDevice(0) == cudaSuccess);
    clear_last_error();
}

TEST_CASE("fills of rows in stream order") {
    constexpr size_t pitch = 8, width = 5, height = 3;
    auto* const p = device_array<unsigned char>(pitch * height);
    REQUIRE(cudaMemset(p, 0, pitch * height) == cudaSuccess);
    cudaStream_t stream = nullptr;
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
    CHECK(cudaMemset2DAsync(p, pitch, 7, width, height, stream) == cudaSuccess);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    std::vector<unsigned char> seen(pitch * height);
    REQUIRE(cudaMemcpy(seen.data(), p, seen.size(), cudaMemcpyDeviceToHost) == cudaSuccess);
    for (size_t i = 0; i < seen.size(); ++i) CHECK(seen[i] == (i % pitch < width ? 7 : 0));
    CHECK(cudaMemset2DAsync(p, 2, 7, width, height, stream) == cudaErrorInvalidValue);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
    CHECK(cudaFree(p) == cudaSuccess);
    clear_last_error();
}

TEST_CASE("flags of host memory") {
    void* p = nullptr;
    unsigned flags = 0;
    REQUIRE(cudaHostAlloc(&p, 64, cudaHostAllocPortable | cudaHostAllocWriteCombined) == cudaSuccess);
    CHECK(cudaHostGetFlags(&flags, p) == cudaSuccess);
    CHECK((flags & cudaHostAllocPortable) != 0);
    CHECK((flags & cudaHostAllocWriteCombined) != 0);
    CHECK(cudaFreeHost(p) == cudaSuccess);
    int plain = 0;
    CHECK(cudaHostGetFlags(&flags, &plain) == cudaErrorInvalidValue);
    CHECK(cudaHostGetFlags(nullptr, &plain) == cudaErrorInvalidValue);
    clear_last_error();
}

TEST_CASE("advice on managed memory, where the device has it") {
    int* values = nullptr;
    if (cudaMallocManaged(&values, 64) == cudaSuccess) {
        const cudaMemLocation host{cudaMemLocationTypeHost, 0};
        CHECK(cudaMemAdvise(values, 64, cudaMemAdviseSetReadMostly, 0) == cudaSuccess);
        CHECK(cudaMemAdvise(values, 64, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId) == cudaSuccess);
        CHECK(cudaMemAdvise(values, 64, cudaMemAdviseSetAccessedBy, host) == cudaSuccess);
        CHECK(cudaMemAdvise(values, 64, static_cast<cudaMemoryAdvise>(99), 0) == cudaErrorInvalidValue);
        CHECK(cudaMemAdvise(values, 64, cudaMemAdviseSetPreferredLocation, 99) == cudaErrorInvalidDevice);
        CHECK(cudaFree(values) == cudaSuccess);
    }
    clear_last_error();
}

TEST_CASE("managed memory is attached to a stream, where the device has it") {
    int* values = nullptr;
    cudaStream_t stream = nullptr;
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
    if (cudaMallocManaged(&values, 64) == cudaSuccess) {
        CHECK(cudaStreamAttachMemAsync(stream, values) == cudaSuccess);
        CHECK(cudaStreamAttachMemAsync(stream, values, 64, cudaMemAttachHost) == cudaSuccess);
        CHECK(cudaStreamAttachMemAsync(nullptr, values, 0, cudaMemAttachGlobal) == cudaSuccess);
        CHECK(cudaStreamAttachMemAsync(nullptr, values, 0, cudaMemAttachSingle) == cudaErrorInvalidValue);
        CHECK(cudaStreamAttachMemAsync(stream, values, 65, cudaMemAttachSingle) == cudaErrorInvalidValue);
        CHECK(cudaStreamAttachMemAsync(stream, values, 0, 0) == cudaErrorInvalidValue);
        values[15] = 7;
        CHECK(values[15] == 7);
        CHECK(cudaFree(values) == cudaSuccess);
    }
    int plain = 0;
    CHECK(cudaStreamAttachMemAsync(stream, &plain) == cudaErrorInvalidValue);
    CHECK(cudaStreamAttachMemAsync(stream, nullptr) == cudaErrorInvalidValue);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
    clear_last_error();
}

TEST_CASE("memory pools") {
    const cudaMemPool_t pool = default_pool();
    cudaMemPool_t current = nullptr;
    REQUIRE(cudaDeviceGetMemPool(&current, 0) == cudaSuccess);
    CHECK(current == pool);
    uint64_t threshold = ~uint64_t{0};
    REQUIRE(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold) == cudaSuccess);
    CHECK(bytes_of(pool, cudaMemPoolAttrReleaseThreshold) == threshold);
    int reuse = 0;
    REQUIRE(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse) == cudaSuccess);
    reuse = -1;
    REQUIRE(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse) == cudaSuccess);
    CHECK(reuse == 0);
    reuse = 1;
    REQUIRE(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse) == cudaSuccess);

    const uint64_t before = bytes_of(pool, cudaMemPoolAttrUsedMemCurrent);
    int *p = nullptr, *q = nullptr;
    REQUIRE(cudaMallocAsync(&p, 4096, nullptr) == cudaSuccess);
    REQUIRE(cudaMallocFromPoolAsync(&q, 4096, pool, nullptr) == cudaSuccess);
    CHECK(bytes_of(pool, cudaMemPoolAttrUsedMemCurrent) == before + 8192);
    CHECK(bytes_of(pool, cudaMemPoolAttrReservedMemCurrent) >= before + 8192);
    CHECK(cudaMemset(p, 1, 4096) == cudaSuccess);
    CHECK(cudaFreeAsync(p, nullptr) == cudaSuccess);
    CHECK(cudaFree(q) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(bytes_of(pool, cudaMemPoolAttrUsedMemCurrent) == before);
    CHECK(bytes_of(pool, cudaMemPoolAttrUsedMemHigh) >= before + 8192);
    uint64_t zero = 0, one = 1;
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero) == cudaSuccess);
    CHECK(bytes_of(pool, cudaMemPoolAttrUsedMemHigh) == before);
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &one) == cudaErrorInvalidValue);
    CHECK(cudaMemPoolTrimTo(pool, 0) == cudaSuccess);
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &zero) == cudaSuccess);
    CHECK(cudaDeviceGetDefaultMemPool(&current, 99) == cudaErrorInvalidDevice);
    CHECK(cudaDeviceGetDefaultMemPool(nullptr, 0) == cudaErrorInvalidValue);
    CHECK(cudaMemPoolDestroy(pool) == cudaErrorInvalidValue);
    clear_last_error();
}

TEST_CASE("a pool of one's own") {
    const cudaMemPoolProps properties = pool_of_device_0();
    cudaMemPool_t pool = nullptr, current = nullptr;
    REQUIRE(cudaMemPoolCreate(&pool, &properties) == cudaSuccess);
    CHECK(pool != default_pool());
    REQUIRE(cudaDeviceSetMemPool(0, pool) == cudaSuccess);
    REQUIRE(cudaDeviceGetMemPool(&current, 0) == cudaSuccess);
    CHECK(current == pool);
    int* p = nullptr;
    REQUIRE(cudaMallocAsync(&p, 4096, nullptr) == cudaSuccess);
    CHECK(bytes_of(pool, cudaMemPoolAttrUsedMemCurrent) == 4096);
    CHECK(cudaMemset(p, 0, 4096) == cudaSuccess);
    CHECK(cudaFreeAsync(p, nullptr) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    REQUIRE(cudaDeviceSetMemPool(0, default_pool()) == cudaSuccess);
    CHECK(cudaMemPoolDestroy(pool) == cudaSuccess);
    CHECK(cudaMemPoolCreate(nullptr, &properties) == cudaErrorInvalidValue);
    CHECK(cudaMemPoolCreate(&pool, nullptr) == cudaErrorInvalidValue);
    clear_last_error();
}

TEST_CASE("what a stream is") {
    cudaStream_t blocking = nullptr, apart = nullptr;
    REQUIRE(cudaStreamCreate(&blocking) == cudaSuccess);
    REQUIRE(cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking) == cudaSuccess);
    unsigned flags = 99;
    int number = 99;
    CHECK(cudaStreamGetFlags(blocking, &flags) == cudaSuccess);
    CHECK(flags == cudaStreamDefault);
    CHECK(cudaStreamGetFlags(apart, &flags) == cudaSuccess);
    CHECK(flags == cudaStreamNonBlocking);
    CHECK(cudaStreamGetPriority(apart, &number) == cudaSuccess);
    CHECK(number == 0);
    number = 99;
    CHECK(cudaStreamGetDevice(blocking, &number) == cudaSuccess);
    CHECK(number == 0);
    CHECK(cudaStreamGetFlags(blocking, nullptr) == cudaErrorInvalidValue);
    CHECK(cudaStreamGetPriority(blocking, nullptr) == cudaErrorInvalidValue);
    CHECK(cudaStreamDestroy(blocking) == cudaSuccess);
    CHECK(cudaStreamDestroy(apart) == cudaSuccess);
    clear_last_error();
}

TEST_CASE("functions of the host run in the order of their stream") {
    int* const p = device_array<int>(1);
    int* pinned = nullptr;
    REQUIRE(cudaMallocHost(&pinned, sizeof(int)) == cudaSuccess);
    cudaStream_t stream = nullptr;
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
    *pinned = -1;
    visit first, second;
    first.watched = second.watched = pinned;
    CHECK(cudaMemsetAsync(p, 1, sizeof(int), stream) == cudaSuccess);
    CHECK(cudaMemcpyAsync(pinned, p, sizeof(int), cudaMemcpyDeviceToHost, stream) == cudaSuccess);
    CHECK(cudaLaunchHostFunc(stream, look, &first) == cudaSuccess);
    CHECK(cudaMemsetAsync(p, 2, sizeof(int), stream) == cudaSuccess);
    CHECK(cudaMemcpyAsync(pinned, p, sizeof(int), cudaMemcpyDeviceToHost, stream) == cudaSuccess);
    CHECK(cudaStreamAddCallback(stream, look_with_status, &second, 0) == cudaSuccess);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(first.seen == std::vector<int>{0x01010101});
    CHECK(second.seen == std::vector<int>{0x02020202});
    CHECK(second.stream == stream);
    CHECK(second.status == cudaSuccess);
    CHECK(cudaLaunchHostFunc(stream, nullptr, nullptr) == cudaErrorInvalidValue);
    CHECK(cudaStreamAddCallback(stream, nullptr, nullptr, 0) == cudaErrorInvalidValue);
    CHECK(cudaStreamAddCallback(stream, look_with_status, &second, 1) == cudaErrorInvalidValue);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
    CHECK(cudaFreeHost(pinned) == cudaSuccess);
    CHECK(cudaFree(p) == cudaSuccess);
    clear_last_error();
}

TEST_CASE("recording with flags") {
    cudaEvent_t event = nullptr;
    REQUIRE(cudaEventCreate(&event) == cudaSuccess);
    CHECK(cudaEventRecordWithFlags(event, nullptr, cudaEventRecordDefault) == cudaSuccess);
    CHECK(cudaEventSynchronize(event) == cudaSuccess);
    CHECK(cudaEventRecordWithFlags(event, nullptr, 0x80) == cudaErrorInvalidValue);
    CHECK(cudaEventDestroy(event) == cudaSuccess);
    clear_last_error();
}

TEST_CASE("names of older toolkits") {
    CHECK(cudaProfilerStart() == cudaSuccess);
    CHECK(cudaProfilerStop() == cudaSuccess);
    CHECK(cudaThreadSynchronize() == cudaSuccess);
    cudaDeviceProp p;
    int clock = -1;
    REQUIRE(cudaGetDeviceProperties(&p, 0) == cudaSuccess);
    REQUIRE(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0) == cudaSuccess);
    CHECK(p.clockRate == clock);
    CHECK(p.computeMode == cudaComputeModeDefault);
    CHECK(p.deviceOverlap == (p.asyncEngineCount > 0));
    int* const a = device_array<int>(1);
    CHECK(cudaThreadExit() == cudaSuccess);
    CHECK(cudaFree(a) == cudaErrorInvalidValue);
    clear_last_error();
}

// From here on the answers are this runtime's own.

TEST_CASE("pools that do not exist or cannot be are refused", "[heron]") {
    char byte = 0;
    const auto none = reinterpret_cast<cudaMemPool_t>(&byte);
    uint64_t value = 0;
    void* p = nullptr;
    CHECK(cudaMemPoolGetAttribute(none, cudaMemPoolAttrUsedMemCurrent, &value) == cudaErrorInvalidValue);
    CHECK(cudaMemPoolSetAttribute(none, cudaMemPoolAttrReleaseThreshold, &value) == cudaErrorInvalidValue);
    CHECK(cudaMemPoolSetAttribute(default_pool(), cudaMemPoolAttrUsedMemCurrent, &value) ==
          cudaErrorInvalidValue);
    CHECK(cudaMemPoolGetAttribute(default_pool(), static_cast<cudaMemPoolAttr>(99), &value) ==
          cudaErrorInvalidValue);
    CHECK(cudaMemPoolTrimTo(none, 0) == cudaErrorInvalidValue);
    CHECK(cudaDeviceSetMemPool(0, none) == cudaErrorInvalidValue);
    CHECK(cudaMallocFromPoolAsync(&p, 16, none, nullptr) == cudaErrorInvalidValue);
    CHECK(cudaMemPoolDestroy(none) == cudaErrorInvalidValue);

    cudaMemPoolProps properties = pool_of_device_0();
    cudaMemPool_t pool = nullptr;
    properties.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    CHECK(cudaMemPoolCreate(&pool, &properties) == cudaErrorNotSupported);
    properties = pool_of_device_0();
    properties.maxSize = 1000;
    REQUIRE(cudaMemPoolCreate(&pool, &properties) == cudaSuccess);
    CHECK(cudaMallocFromPoolAsync(&p, 1001, pool, nullptr) == cudaErrorMemoryAllocation);
    REQUIRE(cudaMallocFromPoolAsync(&p, 1000, pool, nullptr) == cudaSuccess);
    void* q = nullptr;
    CHECK(cudaMallocFromPoolAsync(&q, 1, pool, nullptr) == cudaErrorMemoryAllocation);
    REQUIRE(cudaFreeAsync(p, nullptr) == cudaSuccess);
    CHECK(cudaMallocFromPoolAsync(&q, 1, pool, nullptr) == cudaSuccess);

    // Memory outlives its pool, and a pool that goes makes way for the default one.
    REQUIRE(cudaDeviceSetMemPool(0, pool) == cudaSuccess);
    REQUIRE(cudaMemPoolDestroy(pool) == cudaSuccess);
    CHECK(cudaMemset(q, 0, 1) == cudaSuccess);
    CHECK(cudaFree(q) == cudaSuccess);
    cudaMemPool_t current = nullptr;
    REQUIRE(cudaDeviceGetMemPool(&current, 0) == cudaSuccess);
    CHECK(current == default_pool());
    clear_last_error();
}

TEST_CASE("copies between devices stay inside their allocations", "[heron]") {
    int* const a = device_array<int>(4);
    int plain[4] = {};
    CHECK(cudaMemcpyPeer(a, 0, a + 2, 0, 12) == cudaErrorInvalidValue);
    CHECK(cudaMemcpyPeer(a, 0, plain, 0, 16) == cudaErrorInvalidValue);
    CHECK(cudaFree(a) == cudaSuccess);
    clear_last_error();
}

TEST_CASE("questions about kernels are refused", "[heron]") {
    const auto kernel = reinterpret_cast<const void*>(&look);
    cudaFuncAttributes attributes;
    int blocks = 0;
    CHECK(cudaFuncGetAttributes(&attributes, kernel) == cudaErrorNoKernelImageForDevice);
    CHECK(cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferL1) == cudaErrorNoKernelImageForDevice);
    CHECK(cudaLaunchCooperativeKernel(kernel, dim3(1), dim3(1), nullptr, 0, nullptr) ==
          cudaErrorNoKernelImageForDevice);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, kernel, 32, 0, 0) ==
          cudaErrorNoKernelImageForDevice);
    clear_last_error();
}
