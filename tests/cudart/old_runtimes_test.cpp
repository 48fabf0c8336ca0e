// libcudart.so.8.0 to .11.0: what programs of these versions expect of structs and error numbers, nothing
// written beyond their structs, and one state for all.
#include "catch.hpp"
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <vector>

namespace {

class library {
  public:
    explicit library(const std::string& version)
        : node_("libcudart.so." + version),
          handle_(dlopen((std::string(HERON_CUDART_DIR "/") + node_).c_str(), RTLD_NOW | RTLD_LOCAL)) {
        if (!handle_) FAIL(dlerror());
    }
    ~library() { dlclose(handle_); }
    library(const library&) = delete;
    library& operator=(const library&) = delete;

    // The function at the node of the library's own name.
    template <class... A>
    int call(const char* name, A... arguments) const {
        void* const found = dlvsym(handle_, name, node_.c_str());
        if (!found) FAIL(name << " is missing in " << node_);
        return reinterpret_cast<int (*)(A...)>(found)(arguments...);
    }
    std::string text(int error) const {
        void* const found = dlvsym(handle_, "cudaGetErrorName", node_.c_str());
        REQUIRE(found != nullptr);
        return reinterpret_cast<const char* (*)(int)>(found)(error);
    }

  private:
    std::string node_;
    void* handle_;
};

struct era {
    const char* version;
    int number;
    std::size_t properties_bytes;  // up to the last field
    std::size_t attributes_bytes;
    bool has_uuid;
    int invalid_value, invalid_device;
};

constexpr era eras[] = {
    {"8.0", 8000, 648, 32, false, 11, 10},  {"9.0", 9000, 672, 32, false, 11, 10},
    {"9.1", 9010, 672, 32, false, 11, 10},  {"9.2", 9020, 680, 32, false, 11, 10},
    {"10.0", 10000, 712, 40, true, 11, 10}, {"10.1", 10010, 712, 40, true, 1, 101},
    {"10.2", 10020, 712, 40, true, 1, 101}, {"11.0", 11000, 728, 24, true, 1, 101},
};

constexpr unsigned char untouched = 0xa5;
using buffer = std::vector<unsigned char>;

template <class T>
T at(const buffer& bytes, std::size_t offset) {
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

// Whether nothing is written from there on.
bool is_untouched_from(const buffer& bytes, std::size_t offset) {
    for (std::size_t i = offset; i < bytes.size(); ++i)
        if (bytes[i] != untouched) return false;
    return true;
}

}  // namespace

TEST_CASE("versions and error numbers of old runtimes") {
    for (const era& e : eras) {
        INFO(e.version);
        const library cudart(e.version);
        int version = 0;
        CHECK(cudart.call("cudaRuntimeGetVersion", &version) == 0);
        CHECK(version == e.number);
        CHECK(cudart.call("cudaRuntimeGetVersion", static_cast<int*>(nullptr)) == e.invalid_value);
        CHECK(cudart.call("cudaSetDevice", 999) == e.invalid_device);
        CHECK(cudart.call("cudaGetLastError") == e.invalid_device);
        CHECK(cudart.call("cudaGetLastError") == 0);
        CHECK(cudart.text(e.invalid_device) == "cudaErrorInvalidDevice");
        CHECK(cudart.text(e.invalid_value) == "cudaErrorInvalidValue");
        CHECK(cudart.text(0) == "cudaSuccess");
        // Seven arguments, of which one is on the stack.
        char from[4] = "abc", to[4] = "";
        constexpr std::size_t four = 4, one = 1;
        CHECK(cudart.call("cudaMemcpy2D", static_cast<void*>(to), four, static_cast<const void*>(from), four,
                          four, one, 0) == 0);
        CHECK(std::string(to) == "abc");
        CHECK(cudart.call("cudaMemcpy2D", static_cast<void*>(to), four, static_cast<const void*>(nullptr),
                          four, four, one, 0) == e.invalid_value);
        cudart.call("cudaGetLastError");
    }
}

TEST_CASE("launches and texture references of old compilers load, and are refused") {
    struct extents {
        unsigned x, y, z;
    };
    static const char kernel = 0;
    for (const era& e : eras) {
        INFO(e.version);
        const library cudart(e.version);
        const bool is_numbered = e.number < 10010;
        const int no_configuration = is_numbered ? 1 : 52, no_image = is_numbered ? 48 : 209,
                  not_supported = is_numbered ? 71 : 801;
        const int argument = 7;
        CHECK(cudart.call("cudaConfigureCall", extents{1, 1, 1}, extents{32, 1, 1}, std::size_t{0},
                          static_cast<void*>(nullptr)) == 0);
        CHECK(cudart.call("cudaSetupArgument", static_cast<const void*>(&argument), sizeof argument,
                          std::size_t{0}) == 0);
        CHECK(cudart.call("cudaLaunch", static_cast<const void*>(&kernel)) == no_image);
        CHECK(cudart.call("cudaGetLastError") == no_image);
        CHECK(cudart.call("cudaLaunch", static_cast<const void*>(&kernel)) == no_configuration);
        CHECK(cudart.call("cudaGetLastError") == no_configuration);
        CHECK(cudart.call("cudaUnbindTexture", static_cast<const void*>(&kernel)) == not_supported);
        CHECK(cudart.call("cudaGetLastError") == not_supported);
        std::size_t limit = 0;
        CHECK(cudart.call("cudaThreadGetLimit", &limit, 0) == 0);
        double number = 1;
        CHECK(cudart.call("cudaSetDoubleForDevice", &number) == 0);
    }
}

TEST_CASE("properties of devices end where the version's do") {
    const library newest("12");
    buffer expected(2048, untouched);
    REQUIRE(newest.call("cudaGetDeviceProperties_v2", static_cast<void*>(expected.data()), 0) == 0);
    for (const era& e : eras) {
        INFO(e.version);
        const library cudart(e.version);
        buffer found(2048, untouched);
        REQUIRE(cudart.call("cudaGetDeviceProperties", static_cast<void*>(found.data()), 0) == 0);
        CHECK(is_untouched_from(found, e.properties_bytes));
        CHECK_FALSE(is_untouched_from(found, e.properties_bytes - 4));
        CHECK(at<int>(expected, 624) == 2048);
        CHECK(std::strcmp(reinterpret_cast<const char*>(found.data()),
                          reinterpret_cast<const char*>(expected.data())) == 0);
        const std::size_t shift = e.has_uuid ? 0 : 32;
        CHECK(at<std::size_t>(found, 288 - shift) == at<std::size_t>(expected, 288));  // totalGlobalMem
        CHECK(at<int>(found, 308 - shift) == 32);                                      // warpSize
        CHECK(at<int>(found, 360 - shift) == at<int>(expected, 360));                  // major
        CHECK(at<int>(found, 616 - shift) == at<int>(expected, 616));                  // l2CacheSize
        const std::size_t threads = e.number < 11000 ? 620 - shift : 624;  // maxThreadsPerMultiProcessor
        CHECK(at<int>(found, threads) == at<int>(expected, 624));
        CHECK(at<std::size_t>(found, 640 - shift) ==
              at<std::size_t>(expected, 640));                         // sharedMemPerMultiprocessor
        CHECK(at<int>(found, 676 - shift) == at<int>(expected, 676));  // concurrentManagedAccess
        CHECK(cudart.call("cudaGetDeviceProperties", static_cast<void*>(found.data()), 999) ==
              e.invalid_device);
        cudart.call("cudaGetLastError");
    }
}

TEST_CASE("memory of one runtime is known to the others, with the attributes of their time") {
    const library first("9.2"), last("11.0");
    void* memory = nullptr;
    REQUIRE(first.call("cudaMalloc", &memory, std::size_t{64}) == 0);
    for (const era& e : eras) {
        INFO(e.version);
        const library cudart(e.version);
        buffer found(128, untouched);
        REQUIRE(cudart.call("cudaPointerGetAttributes", static_cast<void*>(found.data()),
                            static_cast<const void*>(memory)) == 0);
        CHECK(is_untouched_from(found, e.attributes_bytes));
        CHECK(at<int>(found, 0) == 2);  // of the device
        const bool two_types = e.number >= 10000 && e.number < 11000;
        if (two_types) CHECK(at<int>(found, 4) == 2);
        CHECK(at<int>(found, two_types ? 8 : 4) == 0);
        CHECK(at<void*>(found, two_types ? 16 : 8) == memory);
        // Until 10.2 memory that nobody had registered was an error.
        int local = 0;
        CHECK(cudart.call("cudaPointerGetAttributes", static_cast<void*>(found.data()),
                          static_cast<const void*>(&local)) == (e.number < 11000 ? e.invalid_value : 0));
    }
    CHECK(last.call("cudaFree", memory) == 0);
}
