#include "rig.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

namespace heron::test {
namespace {

struct captured_log {
    std::mutex mutex;
    std::vector<std::string> lines;
};

captured_log& captured() {
    static captured_log log;
    return log;
}

void capture_line(int, const char* function, const char* message) {
    const std::lock_guard lock(captured().mutex);
    captured().lines.push_back(fmt::format("{}: {}", function, message));
}

std::string last_line() {
    const std::lock_guard lock(captured().mutex);
    return captured().lines.empty() ? "(nothing logged)" : captured().lines.back();
}

[[noreturn]] void skip(const std::string& reason) {
    std::printf("skipped: %s\n", reason.c_str());
    std::fflush(nullptr);
    std::_Exit(77);
}

// Why the backend that HERON_BACKEND names cannot be used.
std::string reason_of_absence() {
    const char* const wanted = std::getenv("HERON_BACKEND");
    for (int i = 0; wanted && i < heron_backend_count(); ++i) {
        int available = 0;
        const char* reason = nullptr;
        if (std::strcmp(heron_backend_name(i), wanted) != 0) continue;
        if (heron_backend_status(i, &available, &reason, nullptr, nullptr) == HERON_SUCCESS && !available)
            return fmt::format("{}: {}", wanted, reason ? reason : "no reason given");
    }
    return last_line();
}

// Error lines go to the capture alone.
void start_log() {
    static std::FILE* const nowhere = std::fopen("/dev/null", "w");
    cusparseLoggerSetFile(nowhere);
    cusparseLoggerSetCallback(&capture_line);
    cusparseLoggerSetLevel(1);
}

struct both_handles {
    heron_handle native = nullptr;
    cusparseHandle_t cusparse = nullptr;
    std::string backend{};
    heron_device_info info{};

    both_handles() {
        start_log();
        // Threads that spin between thousands of tiny calls starve each other on a busy machine.
        setenv("OMP_WAIT_POLICY", "passive", 0);
        if (heron_create(&native) != HERON_SUCCESS) skip(reason_of_absence());
        if (cusparseCreate(&cusparse) != CUSPARSE_STATUS_SUCCESS) skip(last_line());
        const char* name = nullptr;
        int device = 0;
        heron_get_backend(native, &name, &device);
        backend = name;
        heron_device_query(name, device, &info);
        std::printf("backend %s, device %s\n", name, info.name);
    }
    ~both_handles() {
        cusparseDestroy(cusparse);
        heron_destroy(native);
        cusparseLoggerSetCallback(nullptr);
    }
    both_handles(const both_handles&) = delete;
    both_handles& operator=(const both_handles&) = delete;
};

both_handles& handles() {
    // The log outlives the handles.
    captured();
    static both_handles both;
    return both;
}

std::string describe(const char* actual, const char* expected, const std::source_location& where) {
    return fmt::format("{}:{}: {} instead of {}; {}", where.file_name(), where.line(), actual, expected,
                       last_line());
}

constexpr unsigned char canary = 0xf7;
constexpr std::size_t guard = 1024;

bool all_canary(const unsigned char* bytes, std::size_t count) {
    return std::all_of(bytes, bytes + count, [](unsigned char b) { return b == canary; });
}

}  // namespace

heron_handle native() { return handles().native; }
cusparseHandle_t cusparse() { return handles().cusparse; }
std::string backend_name() { return handles().backend; }
const heron_device_info& device_info() { return handles().info; }

void expect(cusparseStatus_t actual, cusparseStatus_t expected, std::source_location where) {
    if (actual == expected) return;
    FAIL(describe(cusparseGetErrorName(actual), cusparseGetErrorName(expected), where));
}

void expect(heron_status actual, heron_status expected, std::source_location where) {
    if (actual == expected) return;
    FAIL(describe(heron_status_name(actual), heron_status_name(expected), where));
}

pointer_mode_scope::pointer_mode_scope(cusparsePointerMode_t mode) {
    expect(cusparseSetPointerMode(cusparse(), mode));
}
pointer_mode_scope::~pointer_mode_scope() { cusparseSetPointerMode(cusparse(), CUSPARSE_POINTER_MODE_HOST); }

log_capture::log_capture() : first_(0) {
    handles();
    const std::lock_guard lock(captured().mutex);
    first_ = captured().lines.size();
}

std::vector<std::string> log_capture::lines() const {
    const std::lock_guard lock(captured().mutex);
    return {captured().lines.begin() + static_cast<std::ptrdiff_t>(first_), captured().lines.end()};
}

bool log_capture::contains(const std::string& text) const {
    const std::vector<std::string> all = lines();
    return std::any_of(all.begin(), all.end(),
                       [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

device_memory::device_memory(std::size_t bytes, std::size_t misalignment) : bytes_(bytes) {
    const std::size_t total = guard + misalignment + bytes + guard;
    expect(heron_alloc(native(), total, HERON_MEMORY_DEVICE, &allocation_));
    data_ = static_cast<unsigned char*>(allocation_) + guard + misalignment;
    expect(heron_fill(native(), allocation_, canary, total));
}

device_memory::device_memory(device_memory&& other) noexcept
    : bytes_(other.bytes_), allocation_(std::exchange(other.allocation_, nullptr)), data_(other.data_) {}

device_memory::~device_memory() {
    if (!allocation_) return;
    if (!canaries_are_whole()) FAIL_CHECK("device memory before or behind an array was overwritten");
    heron_free(native(), allocation_);
}

void device_memory::upload(const void* from) {
    if (bytes_ > 0) expect(heron_copy(native(), data_, from, bytes_));
}

void device_memory::download(void* to) const {
    if (bytes_ > 0) expect(heron_copy(native(), to, data_, bytes_));
}

std::vector<unsigned char> device_memory::bytes() const {
    std::vector<unsigned char> result(bytes_);
    download(result.data());
    return result;
}

void device_memory::fill(unsigned char byte) {
    if (bytes_ > 0) expect(heron_fill(native(), data_, byte, bytes_));
}

bool device_memory::canaries_are_whole() const {
    const std::size_t before = static_cast<std::size_t>(data_ - static_cast<unsigned char*>(allocation_));
    std::vector<unsigned char> seen(std::max(before, guard));
    if (heron_copy(native(), seen.data(), allocation_, before) != HERON_SUCCESS) return false;
    if (!all_canary(seen.data(), before)) return false;
    if (heron_copy(native(), seen.data(), data_ + bytes_, guard) != HERON_SUCCESS) return false;
    return all_canary(seen.data(), guard);
}

std::uint64_t seed() {
    static const std::uint64_t value = [] {
        const char* const given = std::getenv("HERON_TEST_SEED");
        const std::uint64_t chosen = given ? std::strtoull(given, nullptr, 0) : 20240611;
        std::printf("HERON_TEST_SEED=%llu\n", static_cast<unsigned long long>(chosen));
        return chosen;
    }();
    return value;
}

}  // namespace heron::test
