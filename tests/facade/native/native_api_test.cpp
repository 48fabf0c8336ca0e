// heron.h as a whole, on the backend that HERON_BACKEND names.
#include "facade/cusparse/facade.hpp"
#include "skip_without_backend.hpp"
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

using namespace heron::test;

// The sanitizers' allocators stop the program on absurd sizes unless told otherwise.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
extern "C" const char* __tsan_default_options() { return "allocator_may_return_null=1"; }

namespace {

// A handle on the backend under test. Without one the whole program counts as skipped.
class native_handle {
  public:
    native_handle() {
        skip_without_backend();
        REQUIRE(heron_create_on(backend_under_test().c_str(), 0, &handle_) == HERON_SUCCESS);
    }
    ~native_handle() { heron_destroy(handle_); }
    native_handle(const native_handle&) = delete;
    native_handle& operator=(const native_handle&) = delete;
    operator heron_handle() const { return handle_; }

  private:
    heron_handle handle_ = nullptr;
};

// The call failed with this status, and the function logged one line, which names the argument.
void check_refused(log_capture& log, const char* function, const char* argument, heron_status status,
                   heron_status expected = HERON_INVALID_VALUE) {
    CAPTURE(function, argument);
    CHECK(status == expected);
    int own_lines = 0;
    for (const log_line& line : log.take()) {
        if (line.function != function) continue;
        own_lines += 1;
        CAPTURE(line.message);
        CHECK(line.message.find(argument) == 0);
    }
    CHECK(own_lines == 1);
}

}  // namespace

TEST_CASE("version and statuses") {
    CHECK(heron_version() == HERON_VERSION);
    CHECK(std::string(heron_status_name(HERON_SUCCESS)) == "HERON_SUCCESS");
    CHECK(std::string(heron_status_name(HERON_INSUFFICIENT_RESOURCES)) == "HERON_INSUFFICIENT_RESOURCES");
    for (int code = 0; code <= HERON_INSUFFICIENT_RESOURCES; ++code) {
        CHECK(std::strncmp(heron_status_name(static_cast<heron_status>(code)), "HERON_", 6) == 0);
        CHECK(std::strlen(heron_status_string(static_cast<heron_status>(code))) > 0);
    }
    CHECK(std::string(heron_status_name(static_cast<heron_status>(12))) == "unrecognized error code");
    CHECK(std::string(heron_status_string(static_cast<heron_status>(12))) == "unrecognized error code");
}

TEST_CASE("backends are listed in the order in which they are tried") {
    REQUIRE(heron_backend_count() == 3);
    CHECK(std::string(heron_backend_name(0)) == "cuda");
    CHECK(std::string(heron_backend_name(1)) == "opencl");
    CHECK(std::string(heron_backend_name(2)) == "host");
    CHECK(heron_backend_name(3) == nullptr);
    CHECK(heron_backend_name(-1) == nullptr);
    for (int i = 0; i < heron_backend_count(); ++i) {
        int available = -1;
        const char *reason = nullptr, *version = nullptr, *path = nullptr;
        REQUIRE(heron_backend_status(i, &available, &reason, &version, &path) == HERON_SUCCESS);
        CAPTURE(i, reason, version, path);
        CHECK(available == (std::strlen(reason) == 0));
        if (available) CHECK(std::strlen(version) > 0);
        if (available) CHECK(std::filesystem::exists(path));
        int count = -1;
        REQUIRE(heron_device_count(heron_backend_name(i), &count) == HERON_SUCCESS);
        CHECK((count > 0) == (available == 1));
        CHECK(heron_backend_status(i, nullptr, nullptr, nullptr, nullptr) == HERON_SUCCESS);
    }
    log_capture log;
    check_refused(log, "heron_backend_status", "i",
                  heron_backend_status(3, nullptr, nullptr, nullptr, nullptr));
    check_refused(log, "heron_backend_status", "i",
                  heron_backend_status(-1, nullptr, nullptr, nullptr, nullptr));
}

TEST_CASE("devices are counted and described") {
    const native_handle h;
    const std::string name = backend_under_test();
    int count = 0;
    REQUIRE(heron_device_count(name.c_str(), &count) == HERON_SUCCESS);
    REQUIRE(count > 0);
    for (int device = 0; device < count; ++device) {
        heron_device_info info;
        REQUIRE(heron_device_query(name.c_str(), device, &info) == HERON_SUCCESS);
        CHECK(std::strlen(info.name) > 0);
        CHECK(std::strlen(info.isa) > 0);
        CHECK(info.memory_bytes > 0);
        CHECK(info.compute_units > 0);
    }
    log_capture log;
    heron_device_info info, untouched;
    std::memset(&info, 0x5a, sizeof info);
    std::memset(&untouched, 0x5a, sizeof untouched);
    check_refused(log, "heron_device_query", "device", heron_device_query(name.c_str(), count, &info));
    check_refused(log, "heron_device_query", "device", heron_device_query(name.c_str(), -1, &info));
    check_refused(log, "heron_device_query", "backend", heron_device_query("abacus", 0, &info));
    check_refused(log, "heron_device_query", "backend", heron_device_query(nullptr, 0, &info));
    check_refused(log, "heron_device_query", "info", heron_device_query(name.c_str(), 0, nullptr));
    CHECK(std::memcmp(&info, &untouched, sizeof info) == 0);
    count = -5;
    check_refused(log, "heron_device_count", "backend", heron_device_count("abacus", &count));
    check_refused(log, "heron_device_count", "backend", heron_device_count(nullptr, &count));
    check_refused(log, "heron_device_count", "count", heron_device_count(name.c_str(), nullptr));
    CHECK(count == -5);
}

TEST_CASE("handles know their backend and device") {
    const native_handle h;
    const char* name = nullptr;
    int device = -1;
    REQUIRE(heron_get_backend(h, &name, &device) == HERON_SUCCESS);
    CHECK(name == backend_under_test());
    CHECK(device == 0);
    CHECK(heron_get_backend(h, nullptr, nullptr) == HERON_SUCCESS);
    heron_handle chosen = nullptr;
    REQUIRE(heron_create(&chosen) == HERON_SUCCESS);
    CHECK(heron_destroy(chosen) == HERON_SUCCESS);

    log_capture log;
    int count = 0;
    REQUIRE(heron_device_count(backend_under_test().c_str(), &count) == HERON_SUCCESS);
    heron_handle made = h;
    check_refused(log, "heron_create", "handle", heron_create(nullptr));
    check_refused(log, "heron_create_on", "backend", heron_create_on("abacus", 0, &made));
    check_refused(log, "heron_create_on", "backend", heron_create_on(nullptr, 0, &made));
    check_refused(log, "heron_create_on", "handle", heron_create_on("host", 0, nullptr));
    check_refused(log, "heron_create_on", "device",
                  heron_create_on(backend_under_test().c_str(), count, &made));
    check_refused(log, "heron_create_on", "device", heron_create_on(backend_under_test().c_str(), -1, &made));
    CHECK(made == h);
    check_refused(log, "heron_destroy", "handle", heron_destroy(nullptr), HERON_NOT_INITIALIZED);
    check_refused(log, "heron_get_backend", "handle", heron_get_backend(nullptr, &name, &device),
                  HERON_NOT_INITIALIZED);
}

TEST_CASE("memory of every kind is copied and filled") {
    const native_handle h;
    constexpr int n = 1000;
    std::vector<int> source(n), result(n);
    for (int i = 0; i < n; ++i) source[static_cast<size_t>(i)] = i * i;
    for (const heron_memory kind : {HERON_MEMORY_DEVICE, HERON_MEMORY_HOST, HERON_MEMORY_MANAGED}) {
        CAPTURE(kind);
        void *a = nullptr, *b = nullptr;
        const heron_status allocated = heron_alloc(h, n * sizeof(int), kind, &a);
        // OpenCL devices without fine-grained shared memory have no managed memory.
        if (kind == HERON_MEMORY_MANAGED && allocated == HERON_NOT_SUPPORTED &&
            backend_under_test() == "opencl")
            continue;
        REQUIRE(allocated == HERON_SUCCESS);
        REQUIRE(heron_alloc(h, n * sizeof(int), HERON_MEMORY_DEVICE, &b) == HERON_SUCCESS);
        REQUIRE(heron_copy(h, a, source.data(), n * sizeof(int)) == HERON_SUCCESS);
        REQUIRE(heron_copy(h, b, a, n * sizeof(int)) == HERON_SUCCESS);
        // The second quarter: interior pointers are good.
        REQUIRE(heron_fill(h, static_cast<int*>(b) + n / 4, 0xff, n / 4 * sizeof(int)) == HERON_SUCCESS);
        REQUIRE(heron_copy(h, result.data(), b, n * sizeof(int)) == HERON_SUCCESS);
        REQUIRE(heron_synchronize(h) == HERON_SUCCESS);
        bool equal = true;
        for (int i = 0; i < n; ++i)
            equal = equal && result[static_cast<size_t>(i)] == (i / (n / 4) == 1 ? -1 : i * i);
        CHECK(equal);
        if (kind != HERON_MEMORY_DEVICE) CHECK(std::memcmp(a, source.data(), n * sizeof(int)) == 0);
        CHECK(heron_free(h, a) == HERON_SUCCESS);
        CHECK(heron_free(h, b) == HERON_SUCCESS);
    }
    void* nothing = &source;
    REQUIRE(heron_alloc(h, 0, HERON_MEMORY_DEVICE, &nothing) == HERON_SUCCESS);
    CHECK(nothing == nullptr);
    CHECK(heron_free(h, nullptr) == HERON_SUCCESS);
    CHECK(heron_copy(h, nullptr, nullptr, 0) == HERON_SUCCESS);
    CHECK(heron_fill(h, nullptr, 0, 0) == HERON_SUCCESS);
}

TEST_CASE("bad arguments of the memory functions") {
    const native_handle h;
    log_capture log;
    char bytes[8] = {};
    void* p = bytes;
    check_refused(log, "heron_alloc", "handle", heron_alloc(nullptr, 8, HERON_MEMORY_DEVICE, &p),
                  HERON_NOT_INITIALIZED);
    check_refused(log, "heron_alloc", "kind", heron_alloc(h, 8, static_cast<heron_memory>(3), &p));
    check_refused(log, "heron_alloc", "pointer", heron_alloc(h, 8, HERON_MEMORY_DEVICE, nullptr));
    for (const size_t huge : {SIZE_MAX, SIZE_MAX / 2})
        check_refused(log, "heron_alloc", "allocation", heron_alloc(h, huge, HERON_MEMORY_DEVICE, &p),
                      HERON_ALLOC_FAILED);
    CHECK(p == bytes);
    check_refused(log, "heron_free", "handle", heron_free(nullptr, nullptr), HERON_NOT_INITIALIZED);
    check_refused(log, "heron_free", "pointer", heron_free(h, bytes));
    check_refused(log, "heron_copy", "handle", heron_copy(nullptr, bytes, bytes, 1), HERON_NOT_INITIALIZED);
    check_refused(log, "heron_copy", "destination", heron_copy(h, nullptr, bytes, 1));
    check_refused(log, "heron_copy", "source", heron_copy(h, bytes, nullptr, 1));
    check_refused(log, "heron_fill", "handle", heron_fill(nullptr, bytes, 1, 1), HERON_NOT_INITIALIZED);
    check_refused(log, "heron_fill", "destination", heron_fill(h, nullptr, 1, 1));
}

TEST_CASE("streams and events order and time the work") {
    const native_handle h;
    constexpr size_t bytes = 1 << 20;
    void *stream = nullptr, *seen = nullptr, *start = nullptr, *stop = nullptr, *memory = nullptr;
    REQUIRE(heron_get_stream(h, &seen) == HERON_SUCCESS);
    CHECK(seen == nullptr);
    REQUIRE(heron_stream_create(h, &stream) == HERON_SUCCESS);
    REQUIRE(heron_set_stream(h, stream) == HERON_SUCCESS);
    REQUIRE(heron_get_stream(h, &seen) == HERON_SUCCESS);
    CHECK(seen == stream);
    REQUIRE(heron_event_create(h, &start) == HERON_SUCCESS);
    REQUIRE(heron_event_create(h, &stop) == HERON_SUCCESS);
    REQUIRE(heron_alloc(h, bytes, HERON_MEMORY_DEVICE, &memory) == HERON_SUCCESS);
    REQUIRE(heron_event_record(h, start) == HERON_SUCCESS);
    REQUIRE(heron_fill(h, memory, 7, bytes) == HERON_SUCCESS);
    REQUIRE(heron_event_record(h, stop) == HERON_SUCCESS);
    REQUIRE(heron_event_synchronize(h, stop) == HERON_SUCCESS);
    float milliseconds = -1;
    REQUIRE(heron_event_elapsed(h, start, stop, &milliseconds) == HERON_SUCCESS);
    CHECK(milliseconds >= 0);
    CHECK(milliseconds < 60000);
    char last = 0;
    REQUIRE(heron_copy(h, &last, static_cast<char*>(memory) + bytes - 1, 1) == HERON_SUCCESS);
    CHECK(last == 7);
    REQUIRE(heron_set_stream(h, nullptr) == HERON_SUCCESS);
    CHECK(heron_free(h, memory) == HERON_SUCCESS);
    CHECK(heron_event_destroy(h, start) == HERON_SUCCESS);
    CHECK(heron_event_destroy(h, stop) == HERON_SUCCESS);
    CHECK(heron_stream_destroy(h, stream) == HERON_SUCCESS);
}

TEST_CASE("bad arguments of the stream and event functions") {
    const native_handle h;
    log_capture log;
    void* out = &log;
    const auto no_handle = HERON_NOT_INITIALIZED;
    check_refused(log, "heron_stream_create", "handle", heron_stream_create(nullptr, &out), no_handle);
    check_refused(log, "heron_stream_create", "stream", heron_stream_create(h, nullptr));
    check_refused(log, "heron_stream_destroy", "handle", heron_stream_destroy(nullptr, &out), no_handle);
    check_refused(log, "heron_stream_destroy", "stream", heron_stream_destroy(h, nullptr));
    check_refused(log, "heron_set_stream", "handle", heron_set_stream(nullptr, nullptr), no_handle);
    check_refused(log, "heron_get_stream", "handle", heron_get_stream(nullptr, &out), no_handle);
    check_refused(log, "heron_get_stream", "stream", heron_get_stream(h, nullptr));
    check_refused(log, "heron_synchronize", "handle", heron_synchronize(nullptr), no_handle);
    check_refused(log, "heron_event_create", "handle", heron_event_create(nullptr, &out), no_handle);
    check_refused(log, "heron_event_create", "event", heron_event_create(h, nullptr));
    check_refused(log, "heron_event_destroy", "handle", heron_event_destroy(nullptr, &out), no_handle);
    check_refused(log, "heron_event_destroy", "event", heron_event_destroy(h, nullptr));
    check_refused(log, "heron_event_record", "handle", heron_event_record(nullptr, &out), no_handle);
    check_refused(log, "heron_event_record", "event", heron_event_record(h, nullptr));
    check_refused(log, "heron_event_synchronize", "handle", heron_event_synchronize(nullptr, &out),
                  no_handle);
    check_refused(log, "heron_event_synchronize", "event", heron_event_synchronize(h, nullptr));
    CHECK(out == &log);

    void *start = nullptr, *stop = nullptr;
    REQUIRE(heron_event_create(h, &start) == HERON_SUCCESS);
    REQUIRE(heron_event_create(h, &stop) == HERON_SUCCESS);
    float milliseconds = -3;
    check_refused(log, "heron_event_elapsed", "handle",
                  heron_event_elapsed(nullptr, start, stop, &milliseconds), no_handle);
    check_refused(log, "heron_event_elapsed", "start", heron_event_elapsed(h, nullptr, stop, &milliseconds));
    check_refused(log, "heron_event_elapsed", "stop", heron_event_elapsed(h, start, nullptr, &milliseconds));
    check_refused(log, "heron_event_elapsed", "milliseconds", heron_event_elapsed(h, start, stop, nullptr));
    // Never recorded.
    check_refused(log, "heron_event_elapsed", "event", heron_event_elapsed(h, start, stop, &milliseconds));
    CHECK(milliseconds == -3);
    CHECK(heron_event_destroy(h, start) == HERON_SUCCESS);
    CHECK(heron_event_destroy(h, stop) == HERON_SUCCESS);
}

TEST_CASE("thread counts") {
    const native_handle h;
    int threads = -1;
    REQUIRE(heron_get_threads(h, &threads) == HERON_SUCCESS);
    CHECK(threads == 0);
    REQUIRE(heron_set_threads(h, 3) == HERON_SUCCESS);
    REQUIRE(heron_get_threads(h, &threads) == HERON_SUCCESS);
    CHECK(threads == 3);
    log_capture log;
    check_refused(log, "heron_set_threads", "handle", heron_set_threads(nullptr, 1), HERON_NOT_INITIALIZED);
    check_refused(log, "heron_set_threads", "threads", heron_set_threads(h, -1));
    check_refused(log, "heron_get_threads", "handle", heron_get_threads(nullptr, &threads),
                  HERON_NOT_INITIALIZED);
    check_refused(log, "heron_get_threads", "threads", heron_get_threads(h, nullptr));
    REQUIRE(heron_get_threads(h, &threads) == HERON_SUCCESS);
    CHECK(threads == 3);
    REQUIRE(heron_set_threads(h, 0) == HERON_SUCCESS);
}

TEST_CASE("the latest error is known without a log") {
    const native_handle h;
    CHECK(heron_free(nullptr, nullptr) == HERON_NOT_INITIALIZED);
    CHECK(std::string(heron_last_error()).find("heron_free: handle: ") == 0);
    CHECK(heron_synchronize(h) == HERON_SUCCESS);
    CHECK(std::string(heron_last_error()).find("heron_free: handle: ") == 0);
    std::string elsewhere = "not asked";
    std::thread([&] { elsewhere = heron_last_error(); }).join();
    CHECK(elsewhere.empty());
}

TEST_CASE("bad arguments of the log functions") {
    log_capture log;
    check_refused(log, "heron_log_set_level", "level", heron_log_set_level(-1));
    check_refused(log, "heron_log_set_level", "level", heron_log_set_level(6));
    check_refused(log, "heron_log_set_mask", "mask", heron_log_set_mask(-1));
    check_refused(log, "heron_log_set_mask", "mask", heron_log_set_mask(32));
    check_refused(log, "heron_log_open_file", "path", heron_log_open_file("/no/such/folder/file"));
}
