// The CUDA runtime's calls, through the public headers alone. All but the cases tagged [heron] hold for
// NVIDIA's runtime too.
#include "rig.hpp"
#include <cuda_runtime.h>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

// Ends the program as skipped (77) when the backend asked for has no device on this machine; the host always
// has one.
bool skip_without_device() {
    const char* const backend = std::getenv("HERON_BACKEND");
    int count = 0;
    if (!backend || std::string(backend) == "host" || cudaGetDeviceCount(&count) == cudaSuccess) return false;
    std::fprintf(stderr, "skipped: no device for HERON_BACKEND=%s\n", backend);
    std::_Exit(77);
}

[[maybe_unused]] const bool was_skipped = skip_without_device();

}  // namespace

TEST_CASE("versions") {
    int runtime = 0, driver = 0;
    CHECK(cudaRuntimeGetVersion(&runtime) == cudaSuccess);
    CHECK(cudaDriverGetVersion(&driver) == cudaSuccess);
    CHECK(runtime == CUDART_VERSION);
    CHECK(driver >= runtime);
    CHECK(cudaRuntimeGetVersion(nullptr) == cudaErrorInvalidValue);
    CHECK(cudaDriverGetVersion(nullptr) == cudaErrorInvalidValue);
    clear_last_error();
}

TEST_CASE("names and texts of statuses") {
    CHECK(std::string(cudaGetErrorName(cudaSuccess)) == "cudaSuccess");
    CHECK(std::string(cudaGetErrorName(cudaErrorMemoryAllocation)) == "cudaErrorMemoryAllocation");
    CHECK(std::string(cudaGetErrorName(cudaErrorUnknown)) == "cudaErrorUnknown");
    CHECK(std::string(cudaGetErrorString(cudaSuccess)) == "no error");
    CHECK(std::string(cudaGetErrorString(cudaErrorMemoryAllocation)) == "out of memory");
    CHECK(std::string(cudaGetErrorString(cudaErrorInvalidValue)) == "invalid argument");
    for (const int unknown : {-1, 10, 998, 123456}) {
        CHECK(std::string(cudaGetErrorName(static_cast<cudaError_t>(unknown))) == "unrecognized error code");
        CHECK(std::string(cudaGetErrorString(static_cast<cudaError_t>(unknown))) ==
              "unrecognized error code");
    }
}

TEST_CASE("the last error is kept per thread until it is asked for") {
    clear_last_error();
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(cudaMalloc(static_cast<void**>(nullptr), 16) == cudaErrorInvalidValue);
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidValue);
    int count = 0;
    CHECK(cudaGetDeviceCount(&count) == cudaSuccess);
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidValue);
    cudaError_t of_other_thread = cudaErrorUnknown;
    std::thread([&] { of_other_thread = cudaGetLastError(); }).join();
    CHECK(of_other_thread == cudaSuccess);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("devices") {
    int count = 0;
    REQUIRE(cudaGetDeviceCount(&count) == cudaSuccess);
    REQUIRE(count >= 1);
    int device = -1;
    CHECK(cudaGetDevice(&device) == cudaSuccess);
    CHECK(device == 0);
    CHECK(cudaSetDevice(count - 1) == cudaSuccess);
    CHECK(cudaGetDevice(&device) == cudaSuccess);
    CHECK(device == count - 1);
    CHECK(cudaSetDevice(count) == cudaErrorInvalidDevice);
    CHECK(cudaSetDevice(-1) == cudaErrorInvalidDevice);
    CHECK(cudaGetDevice(&device) == cudaSuccess);
    CHECK(device == count - 1);
    CHECK(cudaSetDevice(0) == cudaSuccess);
    CHECK(cudaGetDeviceCount(nullptr) == cudaErrorInvalidValue);
    CHECK(cudaGetDevice(nullptr) == cudaErrorInvalidValue);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    clear_last_error();
}

TEST_CASE("properties and attributes agree") {
    cudaDeviceProp p;
    REQUIRE(cudaGetDeviceProperties(&p, 0) == cudaSuccess);
    CHECK(std::strlen(p.name) > 0);
    CHECK(p.totalGlobalMem > 0);
    CHECK(p.warpSize == 32);
    CHECK(p.maxThreadsPerBlock == 1024);
    CHECK(p.multiProcessorCount > 0);
    CHECK(p.major >= 1);
    const auto attribute = [](cudaDeviceAttr a) {
        int value = -1;
        CHECK(cudaDeviceGetAttribute(&value, a, 0) == cudaSuccess);
        return value;
    };
    CHECK(attribute(cudaDevAttrWarpSize) == p.warpSize);
    CHECK(attribute(cudaDevAttrMultiProcessorCount) == p.multiProcessorCount);
    CHECK(attribute(cudaDevAttrComputeCapabilityMajor) == p.major);
    CHECK(attribute(cudaDevAttrComputeCapabilityMinor) == p.minor);
    CHECK(attribute(cudaDevAttrMaxGridDimX) == p.maxGridSize[0]);
    CHECK(attribute(cudaDevAttrMaxBlockDimZ) == p.maxThreadsDim[2]);
    CHECK(attribute(cudaDevAttrL2CacheSize) == p.l2CacheSize);
    CHECK(attribute(cudaDevAttrManagedMemory) == p.managedMemory);
    // Programs multiply and divide by these to find the fastest device.
    CHECK(attribute(cudaDevAttrClockRate) > 0);
    CHECK(attribute(cudaDevAttrClockRate) == p.clockRate);
    CHECK(attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio) > 0);
    CHECK(attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio) == p.singleToDoublePrecisionPerfRatio);

    int value = 0;
    CHECK(cudaGetDeviceProperties(nullptr, 0) == cudaErrorInvalidValue);
    CHECK(cudaGetDeviceProperties(&p, 12345) == cudaErrorInvalidDevice);
    CHECK(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0) == cudaErrorInvalidValue);
    CHECK(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(99999), 0) == cudaErrorInvalidValue);
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, -1) == cudaErrorInvalidDevice);
    int least = -1, greatest = 1;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest) == cudaSuccess);
    CHECK(least >= greatest);
    clear_last_error();
}

TEST_CASE("allocation") {
    void* p = &p;
    CHECK(cudaMalloc(&p, 0) == cudaSuccess);
    CHECK(p == nullptr);
    CHECK(cudaFree(nullptr) == cudaSuccess);
    CHECK(cudaMalloc(static_cast<void**>(nullptr), 8) == cudaErrorInvalidValue);

    CHECK(cudaMalloc(&p, ~size_t{0}) == cudaErrorMemoryAllocation);
    CHECK(cudaMalloc(&p, size_t{1} << 60) == cudaErrorMemoryAllocation);

    int* const a = device_array<int>(100);
    CHECK(reinterpret_cast<uintptr_t>(a) % 256 == 0);
    CHECK(cudaFree(a + 1) == cudaErrorInvalidValue);
    CHECK(cudaFree(a) == cudaSuccess);
    CHECK(cudaFree(a) == cudaErrorInvalidValue);
    int on_stack = 0;
    CHECK(cudaFree(&on_stack) == cudaErrorInvalidValue);

    size_t free = 0, total = 0;
    CHECK(cudaMemGetInfo(&free, &total) == cudaSuccess);
    CHECK(total > 0);
    CHECK(free <= total);
    CHECK(cudaMemGetInfo(nullptr, nullptr) == cudaSuccess);
    clear_last_error();
}

TEST_CASE("pitched memory") {
    void* p = nullptr;
    size_t pitch = 0;
    REQUIRE(cudaMallocPitch(&p, &pitch, 100, 7) == cudaSuccess);
    CHECK(pitch >= 100);
    CHECK(pitch % 32 == 0);

    const auto values = counting(25 * 7);
    REQUIRE(cudaMemset2D(p, pitch, 0xff, 100, 7) == cudaSuccess);
    REQUIRE(cudaMemcpy2D(p, pitch, values.data(), 100, 100, 7, cudaMemcpyHostToDevice) == cudaSuccess);
    std::vector<int> back(25 * 7, -1);
    REQUIRE(cudaMemcpy2D(back.data(), 100, p, pitch, 100, 7, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(back == values);

    CHECK(cudaMemcpy2D(back.data(), 99, p, pitch, 100, 7, cudaMemcpyDeviceToHost) ==
          cudaErrorInvalidPitchValue);
    CHECK(cudaMemcpy2D(back.data(), 100, p, 99, 100, 7, cudaMemcpyDeviceToHost) ==
          cudaErrorInvalidPitchValue);
    CHECK(cudaMemset2D(p, 99, 0, 100, 7) == cudaErrorInvalidValue);
    CHECK(cudaMallocPitch(static_cast<void**>(nullptr), &pitch, 100, 7) == cudaErrorInvalidValue);
    CHECK(cudaFree(p) == cudaSuccess);
    CHECK(cudaMallocPitch(&p, &pitch, 0, 7) == cudaSuccess);
    CHECK(p == nullptr);
    CHECK(pitch == 0);
    clear_last_error();
}

TEST_CASE("copies in every direction") {
    const size_t count = 1000, bytes = count * sizeof(int);
    const auto values = counting(count);
    int* const a = device_array<int>(count);
    int* const b = device_array<int>(count);

    SECTION("with explicit kinds") {
        REQUIRE(cudaMemcpy(a, values.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess);
        REQUIRE(cudaMemcpy(b, a, bytes, cudaMemcpyDeviceToDevice) == cudaSuccess);
        CHECK(download(b, count) == values);
    }
    SECTION("with the kind inferred") {
        REQUIRE(cudaMemcpy(a, values.data(), bytes, cudaMemcpyDefault) == cudaSuccess);
        REQUIRE(cudaMemcpy(b, a, bytes, cudaMemcpyDefault) == cudaSuccess);
        std::vector<int> back(count, -1);
        REQUIRE(cudaMemcpy(back.data(), b, bytes, cudaMemcpyDefault) == cudaSuccess);
        CHECK(back == values);
    }
    SECTION("on the host") {
        std::vector<int> back(count, -1);
        REQUIRE(cudaMemcpy(back.data(), values.data(), bytes, cudaMemcpyHostToHost) == cudaSuccess);
        CHECK(back == values);
    }
    SECTION("of the inside of an allocation") {
        REQUIRE(cudaMemset(a, 0, bytes) == cudaSuccess);
        REQUIRE(cudaMemcpy(a + 10, values.data(), 5 * sizeof(int), cudaMemcpyHostToDevice) == cudaSuccess);
        const auto back = download(a, count);
        CHECK(back[9] == 0);
        CHECK(back[10] == 0);
        CHECK(back[14] == 4);
        CHECK(back[15] == 0);
    }
    SECTION("of nothing") {
        CHECK(cudaMemcpy(a, nullptr, 0, cudaMemcpyHostToDevice) == cudaSuccess);
        CHECK(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDefault) == cudaSuccess);
        CHECK(cudaMemset(nullptr, 0, 0) == cudaSuccess);
        CHECK(cudaMemcpy(a, b, 0, static_cast<cudaMemcpyKind>(17)) == cudaSuccess);
    }
    SECTION("asynchronously, on a stream") {
        cudaStream_t stream = nullptr;
        REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
        void* pinned = nullptr;
        REQUIRE(cudaMallocHost(&pinned, bytes) == cudaSuccess);
        std::memcpy(pinned, values.data(), bytes);
        REQUIRE(cudaMemcpyAsync(a, pinned, bytes, cudaMemcpyHostToDevice, stream) == cudaSuccess);
        REQUIRE(cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice, stream) == cudaSuccess);
        REQUIRE(cudaMemsetAsync(a, 0, bytes, stream) == cudaSuccess);
        REQUIRE(cudaMemcpyAsync(pinned, b, bytes, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
        REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
        CHECK(std::memcmp(pinned, values.data(), bytes) == 0);
        CHECK(download(a, count) == std::vector<int>(count, 0));
        CHECK(cudaFreeHost(pinned) == cudaSuccess);
        CHECK(cudaStreamDestroy(stream) == cudaSuccess);
    }
    CHECK(cudaFree(a) == cudaSuccess);
    CHECK(cudaFree(b) == cudaSuccess);
}

TEST_CASE("copies and fills refuse wrong arguments") {
    std::vector<int> host(16);
    int* const a = device_array<int>(16);
    CHECK(cudaMemcpy(nullptr, a, 64, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(a, nullptr, 64, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(a, host.data(), 64, static_cast<cudaMemcpyKind>(17)) == cudaErrorInvalidMemcpyDirection);
    CHECK(cudaMemset(nullptr, 0, 64) == cudaErrorInvalidValue);
    CHECK(cudaMemset(host.data(), 0, 64) == cudaErrorInvalidValue);
    CHECK(cudaFree(a) == cudaSuccess);
    clear_last_error();
}

TEST_CASE("host memory") {
    void* p = nullptr;
    CHECK(cudaMallocHost(&p, 0) == cudaSuccess);
    CHECK(p == nullptr);
    CHECK(cudaFreeHost(nullptr) == cudaSuccess);
    REQUIRE(cudaHostAlloc(&p, 1000, cudaHostAllocPortable) == cudaSuccess);
    std::memset(p, 1, 1000);
    CHECK(cudaFree(p) == cudaErrorInvalidValue);
    CHECK(cudaFreeHost(p) == cudaSuccess);
    CHECK(cudaFreeHost(p) == cudaErrorInvalidValue);
    CHECK(cudaHostAlloc(&p, 1000, 0x100) == cudaErrorInvalidValue);
    CHECK(cudaHostAlloc(static_cast<void**>(nullptr), 1000, 0) == cudaErrorInvalidValue);
    int* const device = device_array<int>(4);
    CHECK(cudaFreeHost(device) == cudaErrorInvalidValue);
    CHECK(cudaFree(device) == cudaSuccess);
    clear_last_error();
}

TEST_CASE("registered memory") {
    std::vector<char> memory(1 << 16);
    REQUIRE(cudaHostRegister(memory.data(), memory.size(), cudaHostRegisterDefault) == cudaSuccess);
    CHECK(cudaHostRegister(memory.data(), memory.size(), cudaHostRegisterDefault) ==
          cudaErrorHostMemoryAlreadyRegistered);
    CHECK(cudaHostRegister(memory.data() + 100, 100, cudaHostRegisterDefault) ==
          cudaErrorHostMemoryAlreadyRegistered);
    CHECK(cudaHostUnregister(memory.data() + 100) == cudaErrorInvalidValue);
    void* const device = device_array<char>(memory.size());
    CHECK(cudaMemcpy(device, memory.data(), memory.size(), cudaMemcpyHostToDevice) == cudaSuccess);
    CHECK(cudaFree(device) == cudaSuccess);
    CHECK(cudaHostUnregister(memory.data()) == cudaSuccess);
    CHECK(cudaHostUnregister(memory.data()) == cudaErrorHostMemoryNotRegistered);
    CHECK(cudaHostUnregister(nullptr) == cudaErrorInvalidValue);
    void* pinned = nullptr;
    REQUIRE(cudaMallocHost(&pinned, 4096) == cudaSuccess);
    CHECK(cudaHostRegister(pinned, 4096, 0) == cudaErrorInvalidValue);
    CHECK(cudaHostUnregister(pinned) == cudaErrorInvalidValue);
    CHECK(cudaFreeHost(pinned) == cudaSuccess);
    CHECK(cudaHostRegister(nullptr, 16, 0) == cudaErrorInvalidValue);
    CHECK(cudaHostRegister(memory.data(), 0, 0) == cudaErrorInvalidValue);
    CHECK(cudaHostRegister(memory.data(), SIZE_MAX, 0) == cudaErrorInvalidValue);
    clear_last_error();
}

TEST_CASE("managed memory, where the device has it") {
    cudaDeviceProp p;
    REQUIRE(cudaGetDeviceProperties(&p, 0) == cudaSuccess);
    int* values = nullptr;
    const cudaError_t status = cudaMallocManaged(&values, 100 * sizeof(int));
    CHECK(status == (p.managedMemory ? cudaSuccess : cudaErrorNotSupported));
    if (status == cudaSuccess) {
        values[99] = 7;
        CHECK(cudaMemset(values, 0, 99 * sizeof(int)) == cudaSuccess);
        CHECK(cudaDeviceSynchronize() == cudaSuccess);
        CHECK(values[98] == 0);
        CHECK(values[99] == 7);
        const cudaMemLocation host{cudaMemLocationTypeHost, 0};
        CHECK(cudaMemPrefetchAsync(values, 100 * sizeof(int), host, 0) == cudaSuccess);
        CHECK(cudaMemPrefetchAsync(values, 0, host, 0) == cudaErrorInvalidValue);
        CHECK(cudaFree(values) == cudaSuccess);
    }
    CHECK(cudaMallocManaged(&values, 0) == cudaSuccess);
    CHECK(values == nullptr);
    CHECK(cudaMallocManaged(&values, 16, 0x40) == cudaErrorInvalidValue);
    clear_last_error();
}

TEST_CASE("what is known of a pointer") {
    cudaPointerAttributes a;
    int* const device = device_array<int>(10);
    REQUIRE(cudaPointerGetAttributes(&a, device + 3) == cudaSuccess);
    CHECK(a.type == cudaMemoryTypeDevice);
    CHECK(a.device == 0);
    CHECK(a.devicePointer == device + 3);
    CHECK(a.hostPointer == nullptr);
    CHECK(cudaFree(device) == cudaSuccess);

    void* pinned = nullptr;
    REQUIRE(cudaMallocHost(&pinned, 64) == cudaSuccess);
    REQUIRE(cudaPointerGetAttributes(&a, pinned) == cudaSuccess);
    CHECK(a.type == cudaMemoryTypeHost);
    CHECK(a.hostPointer == pinned);
    CHECK(cudaFreeHost(pinned) == cudaSuccess);

    int plain = 0;
    REQUIRE(cudaPointerGetAttributes(&a, &plain) == cudaSuccess);
    CHECK(a.type == cudaMemoryTypeUnregistered);
    CHECK(a.device == cudaInvalidDeviceId);
    CHECK(a.devicePointer == nullptr);
    CHECK(a.hostPointer == &plain);
    REQUIRE(cudaPointerGetAttributes(&a, nullptr) == cudaSuccess);
    CHECK(a.type == cudaMemoryTypeUnregistered);
    CHECK(cudaPointerGetAttributes(nullptr, &plain) == cudaErrorInvalidValue);
    clear_last_error();
}

TEST_CASE("allocation in stream order") {
    cudaStream_t stream = nullptr;
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
    void* p = nullptr;
    REQUIRE(cudaMallocAsync(&p, 400, stream) == cudaSuccess);
    CHECK(cudaMemsetAsync(p, 0, 400, stream) == cudaSuccess);
    CHECK(cudaFreeAsync(p, stream) == cudaSuccess);
    CHECK(cudaFreeAsync(nullptr, stream) == cudaSuccess);
    CHECK(cudaMallocAsync(&p, 0, stream) == cudaSuccess);
    CHECK(p == nullptr);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
    clear_last_error();
}

TEST_CASE("streams") {
    cudaStream_t stream = nullptr, second = nullptr, third = nullptr;
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
    REQUIRE(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking) == cudaSuccess);
    REQUIRE(cudaStreamCreateWithPriority(&third, cudaStreamDefault, 0) == cudaSuccess);
    CHECK(stream != second);
    CHECK(stream != third);
    for (const cudaStream_t s :
         {stream, second, third, cudaStream_t{nullptr}, cudaStreamLegacy, cudaStreamPerThread}) {
        CHECK(cudaStreamSynchronize(s) == cudaSuccess);
        CHECK(cudaStreamQuery(s) == cudaSuccess);
    }
    constexpr size_t count = 1 << 20;
    int* const a = device_array<int>(count);
    for (const cudaStream_t s :
         {stream, second, third, cudaStream_t{nullptr}, cudaStreamLegacy, cudaStreamPerThread}) {
        CHECK(cudaMemsetAsync(a, 1, count * sizeof(int), s) == cudaSuccess);
        CHECK(becomes_idle(s));
        CHECK(cudaMemsetAsync(a, 2, count * sizeof(int), stream) == cudaSuccess);
        CHECK(becomes_idle(nullptr));
        CHECK(cudaStreamQuery(stream) == cudaSuccess);
        CHECK(download(a, count) == std::vector<int>(count, 0x02020202));
    }
    CHECK(cudaFree(a) == cudaSuccess);
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusActive;
    CHECK(cudaStreamIsCapturing(stream, &capture) == cudaSuccess);
    CHECK(capture == cudaStreamCaptureStatusNone);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
    CHECK(cudaStreamDestroy(second) == cudaSuccess);
    CHECK(cudaStreamDestroy(third) == cudaSuccess);
    CHECK(cudaStreamDestroy(nullptr) == cudaErrorInvalidResourceHandle);
    CHECK(cudaStreamCreate(nullptr) == cudaErrorInvalidValue);
    CHECK(cudaStreamCreateWithFlags(&stream, 0x80) == cudaErrorInvalidValue);
    clear_last_error();
}

TEST_CASE("events") {
    cudaEvent_t start = nullptr, end = nullptr, untimed = nullptr;
    REQUIRE(cudaEventCreate(&start) == cudaSuccess);
    REQUIRE(cudaEventCreateWithFlags(&end, cudaEventBlockingSync) == cudaSuccess);
    REQUIRE(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming) == cudaSuccess);
    cudaStream_t stream = nullptr;
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
    float ms = -1;

    SECTION("that were never recorded") {
        CHECK(cudaEventQuery(start) == cudaSuccess);
        CHECK(cudaEventSynchronize(start) == cudaSuccess);
        CHECK(cudaStreamWaitEvent(stream, start, 0) == cudaSuccess);
        CHECK(cudaEventElapsedTime(&ms, start, end) == cudaErrorInvalidResourceHandle);
    }
    SECTION("that measure time") {
        int* const a = device_array<int>(1 << 20);
        REQUIRE(cudaEventRecord(start, stream) == cudaSuccess);
        REQUIRE(cudaMemsetAsync(a, 0, sizeof(int) << 20, stream) == cudaSuccess);
        REQUIRE(cudaEventRecord(end, stream) == cudaSuccess);
        REQUIRE(cudaEventSynchronize(end) == cudaSuccess);
        CHECK(cudaEventQuery(end) == cudaSuccess);
        CHECK(cudaEventElapsedTime(&ms, start, end) == cudaSuccess);
        CHECK(ms >= 0);
        CHECK(ms < 60000);
        CHECK(cudaEventElapsedTime(&ms, end, end) == cudaSuccess);
        CHECK(ms == 0);
        CHECK(cudaFree(a) == cudaSuccess);
    }
    SECTION("without timing") {
        REQUIRE(cudaEventRecord(start) == cudaSuccess);
        REQUIRE(cudaEventRecord(untimed) == cudaSuccess);
        REQUIRE(cudaEventSynchronize(untimed) == cudaSuccess);
        CHECK(cudaEventElapsedTime(&ms, start, untimed) == cudaErrorInvalidResourceHandle);
    }
    SECTION("that another stream waits for") {
        const size_t count = 1 << 20;
        cudaStream_t other = nullptr;
        REQUIRE(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking) == cudaSuccess);
        int* const a = device_array<int>(count);
        int* const b = device_array<int>(count);
        REQUIRE(cudaMemsetAsync(a, 1, count * sizeof(int), stream) == cudaSuccess);
        REQUIRE(cudaEventRecord(untimed, stream) == cudaSuccess);
        REQUIRE(cudaStreamWaitEvent(other, untimed, 0) == cudaSuccess);
        REQUIRE(cudaMemcpyAsync(b, a, count * sizeof(int), cudaMemcpyDeviceToDevice, other) == cudaSuccess);
        REQUIRE(cudaStreamSynchronize(other) == cudaSuccess);
        CHECK(download(b, count) == std::vector<int>(count, 0x01010101));
        CHECK(cudaFree(a) == cudaSuccess);
        CHECK(cudaFree(b) == cudaSuccess);
        CHECK(cudaStreamDestroy(other) == cudaSuccess);
    }
    for (const cudaError_t status :
         {cudaEventRecord(nullptr), cudaEventQuery(nullptr), cudaEventSynchronize(nullptr),
          cudaEventDestroy(nullptr), cudaStreamWaitEvent(stream, nullptr, 0)})
        CHECK(status == cudaErrorInvalidResourceHandle);
    CHECK(cudaEventElapsedTime(nullptr, start, end) == cudaErrorInvalidValue);
    CHECK(cudaEventCreate(nullptr) == cudaErrorInvalidValue);
    CHECK(cudaEventCreateWithFlags(&start, 0x100) == cudaErrorInvalidValue);
    CHECK(cudaEventDestroy(start) == cudaSuccess);
    CHECK(cudaEventDestroy(end) == cudaSuccess);
    CHECK(cudaEventDestroy(untimed) == cudaSuccess);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
    clear_last_error();
}

TEST_CASE("the default stream and blocking streams do not overtake each other") {
    const size_t count = 1 << 20, bytes = count * sizeof(int);
    int* const a = device_array<int>(count);
    int* const b = device_array<int>(count);
    cudaStream_t stream = nullptr;
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
    for (int round = 1; round <= 20; ++round) {
        REQUIRE(cudaMemsetAsync(a, round, bytes, stream) == cudaSuccess);
        REQUIRE(cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice, nullptr) == cudaSuccess);
        REQUIRE(cudaMemsetAsync(a, 0, bytes, stream) == cudaSuccess);
        const auto back = download(b, count);
        CHECK(back.front() == 0x01010101 * round);
        CHECK(back.back() == 0x01010101 * round);
    }
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
    CHECK(cudaFree(a) == cudaSuccess);
    CHECK(cudaFree(b) == cudaSuccess);
}

TEST_CASE("many threads at once") {
    constexpr int threads = 8, rounds = 50;
    std::atomic<int> mistakes = 0;
    const auto work = [&](int number) {
        cudaStream_t stream = nullptr;
        cudaEvent_t event = nullptr;
        mistakes += cudaStreamCreate(&stream) != cudaSuccess;
        mistakes += cudaEventCreate(&event) != cudaSuccess;
        for (int round = 0; round < rounds; ++round) {
            void* p = nullptr;
            const int sent = number * rounds + round;
            int received = -1;
            mistakes += cudaMalloc(&p, sizeof sent) != cudaSuccess;
            mistakes += cudaMemcpyAsync(p, &sent, sizeof sent, cudaMemcpyHostToDevice, stream) != cudaSuccess;
            mistakes += cudaEventRecord(event, stream) != cudaSuccess;
            mistakes += cudaEventSynchronize(event) != cudaSuccess;
            mistakes += cudaMemcpy(&received, p, sizeof received, cudaMemcpyDeviceToHost) != cudaSuccess;
            mistakes += received != sent;
            mistakes += cudaFree(p) != cudaSuccess;
        }
        mistakes += cudaEventDestroy(event) != cudaSuccess;
        mistakes += cudaStreamDestroy(stream) != cudaSuccess;
    };
    std::vector<std::thread> team;
    for (int number = 0; number < threads; ++number) team.emplace_back(work, number);
    for (std::thread& t : team) t.join();
    CHECK(mistakes == 0);
}

TEST_CASE("a device starts anew after its reset") {
    int* const a = device_array<int>(10);
    CHECK(cudaMalloc(static_cast<void**>(nullptr), 8) == cudaErrorInvalidValue);
    CHECK(cudaDeviceReset() == cudaSuccess);
    clear_last_error();
    CHECK(cudaFree(a) == cudaErrorInvalidValue);
    clear_last_error();
    int* const b = device_array<int>(10);
    CHECK(cudaMemset(b, 0, 40) == cudaSuccess);
    CHECK(download(b, 10) == std::vector<int>(10, 0));
    CHECK(cudaFree(b) == cudaSuccess);
    CHECK(cudaDeviceReset() == cudaSuccess);
    CHECK(cudaDeviceReset() == cudaSuccess);
}

TEST_CASE("copies beyond an allocation or between the wrong sides are refused") {
    std::vector<int> host(16);
    int* const a = device_array<int>(16);
    CHECK(cudaMemcpy(a + 1, host.data(), 64, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(host.data(), a + 1, 64, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    CHECK(cudaMemset(a + 1, 0, 64) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy2D(a, 32, host.data(), 32, 32, 3, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy2D(a, ~size_t{0} / 2, host.data(), 32, 32, 4, cudaMemcpyHostToDevice) ==
          cudaErrorInvalidValue);
    CHECK(cudaMemcpy(host.data(), host.data() + 8, 32, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(host.data(), a, 32, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(a, host.data(), 32, cudaMemcpyDeviceToDevice) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(a, a + 8, 32, cudaMemcpyHostToDevice) == cudaSuccess);
    CHECK(cudaFree(a) == cudaSuccess);
    CHECK(cudaMemcpy(host.data(), a, 64, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    clear_last_error();
}

// From here on the answers are this runtime's own: NVIDIA's trusts the program, or can do what is asked.

TEST_CASE("streams and events that do not exist are refused", "[heron]") {
    char byte = 0;
    const auto stream = reinterpret_cast<cudaStream_t>(&byte);
    const auto event = reinterpret_cast<cudaEvent_t>(&byte);
    int* const a = device_array<int>(1);
    CHECK(cudaStreamSynchronize(stream) == cudaErrorInvalidResourceHandle);
    CHECK(cudaStreamQuery(stream) == cudaErrorInvalidResourceHandle);
    CHECK(cudaStreamDestroy(stream) == cudaErrorInvalidResourceHandle);
    CHECK(cudaMemsetAsync(a, 0, 4, stream) == cudaErrorInvalidResourceHandle);
    CHECK(cudaMemcpyAsync(a, a, 4, cudaMemcpyDefault, stream) == cudaErrorInvalidResourceHandle);
    CHECK(cudaEventRecord(event, nullptr) == cudaErrorInvalidResourceHandle);
    CHECK(cudaEventQuery(event) == cudaErrorInvalidResourceHandle);
    CHECK(cudaEventSynchronize(event) == cudaErrorInvalidResourceHandle);
    CHECK(cudaEventDestroy(event) == cudaErrorInvalidResourceHandle);
    CHECK(cudaStreamWaitEvent(nullptr, event, 0) == cudaErrorInvalidResourceHandle);

    cudaStream_t created = nullptr;
    REQUIRE(cudaStreamCreate(&created) == cudaSuccess);
    REQUIRE(cudaStreamDestroy(created) == cudaSuccess);
    CHECK(cudaStreamSynchronize(created) == cudaErrorInvalidResourceHandle);
    REQUIRE(cudaStreamCreate(&created) == cudaSuccess);
    REQUIRE(cudaDeviceReset() == cudaSuccess);
    CHECK(cudaStreamSynchronize(created) == cudaErrorInvalidResourceHandle);
    clear_last_error();
}

TEST_CASE("kernels and graphs are refused", "[heron]") {
    const auto kernel = reinterpret_cast<const void*>(&clear_last_error);
    int blocks = 0;
    CHECK(cudaLaunchKernel(kernel, dim3(1), dim3(1), nullptr, 0, nullptr) == cudaErrorNoKernelImageForDevice);
    CHECK(cudaPeekAtLastError() == cudaErrorNoKernelImageForDevice);
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1) ==
          cudaErrorNoKernelImageForDevice);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 32, 0) ==
          cudaErrorNoKernelImageForDevice);
    CHECK(cudaLaunchKernel(static_cast<const void*>(nullptr), dim3(1), dim3(1), nullptr, 0, nullptr) ==
          cudaErrorInvalidDeviceFunction);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    CHECK(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal) == cudaErrorNotSupported);
    CHECK(cudaStreamEndCapture(nullptr, &graph) == cudaErrorNotSupported);
    CHECK(cudaGraphInstantiate(&executable, graph, 0ULL) == cudaErrorNotSupported);
    CHECK(cudaGraphInstantiateWithFlags(&executable, graph, 0) == cudaErrorNotSupported);
    CHECK(cudaGraphLaunch(executable, nullptr) == cudaErrorNotSupported);
    clear_last_error();
}
