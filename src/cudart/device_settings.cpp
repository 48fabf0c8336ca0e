// What programs set on a device and read back, though nothing here depends on it; names of devices; peers;
// the profiler.
#include "runtime.hpp"
#include <fmt/format.h>
#include <cstdio>

using namespace heron;
using namespace heron::cudart;

namespace {

std::atomic<size_t>& limit_of(device& d, cudaLimit limit) {
    const auto index = static_cast<size_t>(limit);
    if (index >= d.limits.size())
        fail(cudaErrorUnsupportedLimit, fmt::format("limit: {} is no limit", static_cast<int>(limit)));
    return d.limits[index];
}

// Devices of this runtime are the buses of domain 0.
constexpr int pci_name_size = 13;  // "0000:00:00.0" and its end

int ordinal_of_pci_name(const char* name) {
    unsigned domain = 0, bus = 0, slot = 0, function = 0;
    if (std::sscanf(name, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3) {
        domain = 0;
        require(std::sscanf(name, "%x:%x.%x", &bus, &slot, &function) == 3, cudaErrorInvalidValue,
                "pciBusId: is no name of a PCI device");
    }
    require(domain == 0 && slot == 0 && function == 0, cudaErrorInvalidDevice,
            "pciBusId: is none of the devices");
    return static_cast<int>(bus);
}

void check_peer(int peer) {
    const auto target = runtime::get().at(peer);
    require(target->ordinal != runtime::get().current_ordinal(), cudaErrorInvalidDevice,
            "peerDevice: is the current device");
}

}  // namespace

cudaError_t cudaDeviceGetPCIBusId(char* name, int length, int device) {
    return guarded(__func__, [&] {
        required(name, "pciBusId");
        require(length >= pci_name_size, cudaErrorInvalidValue, "len: is less than 13");
        const auto target = runtime::get().at(device);
        std::snprintf(name, static_cast<size_t>(length), "0000:%02x:00.0",
                      static_cast<unsigned>(target->ordinal));
    });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* name) {
    return guarded(__func__, [&] {
        required(device, "device");
        *device = runtime::get().at(ordinal_of_pci_name(required(name, "pciBusId")))->ordinal;
    });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
    return guarded(__func__, [&] { limit_of(*runtime::get().current(), limit) = value; });
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
    return guarded(__func__,
                   [&] { *required(value, "pValue") = limit_of(*runtime::get().current(), limit); });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
    return guarded(__func__, [&] {
        require(config >= cudaFuncCachePreferNone && config <= cudaFuncCachePreferEqual,
                cudaErrorInvalidValue, "cacheConfig: is no preference");
        runtime::get().current()->cache_config = config;
    });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
    return guarded(__func__,
                   [&] { *required(config, "pCacheConfig") = runtime::get().current()->cache_config; });
}

// As on GPUs of today, which have one size of banks.
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
    return guarded(__func__, [&] {
        require(config >= cudaSharedMemBankSizeDefault && config <= cudaSharedMemBankSizeEightByte,
                cudaErrorInvalidValue, "config: is no size of banks");
        runtime::get().current();
    });
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
    return guarded(__func__, [&] {
        required(config, "pConfig");
        runtime::get().current();
        *config = cudaSharedMemBankSizeFourByte;
    });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    return guarded(__func__, [&] {
        required(can, "canAccessPeer");
        runtime::get().at(device);
        runtime::get().at(peer);
        *can = 0;
    });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    return guarded(__func__, [&] {
        require(flags == cudaPeerAccessDefault, cudaErrorInvalidValue, "flags: must be 0");
        check_peer(peer);
        fail(cudaErrorPeerAccessUnsupported, "peerDevice: devices cannot use the memory of each other");
    });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    return guarded(__func__, [&] {
        check_peer(peer);
        fail(cudaErrorPeerAccessNotEnabled, "peerDevice: its memory is not accessible");
    });
}

cudaError_t cudaProfilerStart() {
    return guarded(__func__, [] { runtime::get().current(); });
}

cudaError_t cudaProfilerStop() {
    return guarded(__func__, [] { runtime::get().current(); });
}
