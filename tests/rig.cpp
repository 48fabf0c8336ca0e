#include "rig.hpp"
#include "pocl_below.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
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

// Device memory that was given back, for the next that wants about as much. OpenCL's drivers take many times
// as long to allocate as a small product does; elsewhere sanitizers are to see every block by itself.
class block_pool {
  public:
    void open(heron_handle owner, bool keeps_blocks) {
        owner_ = owner;
        keeps_blocks_ = keeps_blocks;
    }
    void close() {
        for (const auto& [bytes, blocks] : free_)
            for (void* block : blocks) heron_free(owner_, block);
    }

    void* take(std::size_t bytes) {
        std::vector<void*>* const kept = class_of(bytes);
        void* block = nullptr;
        if (kept && !kept->empty()) {
            block = kept->back();
            kept->pop_back();
        } else {
            expect(heron_alloc(owner_, kept ? std::bit_ceil(bytes) : bytes, HERON_MEMORY_DEVICE, &block));
        }
        return block;
    }

    void give_back(void* block, std::size_t bytes) {
        if (std::vector<void*>* const kept = class_of(bytes))
            kept->push_back(block);
        else
            heron_free(owner_, block);
    }

  private:
    static constexpr std::size_t largest = std::size_t{1} << 24;

    // NULL for blocks that are not kept.
    std::vector<void*>* class_of(std::size_t bytes) {
        return keeps_blocks_ && bytes <= largest ? &free_[std::bit_ceil(bytes)] : nullptr;
    }

    heron_handle owner_ = nullptr;
    bool keeps_blocks_ = false;
    std::map<std::size_t, std::vector<void*>> free_{};
};

void skip_where_compilers_fail(const heron_device_info& info) {
    if (info.is_gpu || !is_too_new_for_these_kernels(info.driver)) return;
    skip(fmt::format("the compiler of driver {} cannot compile these kernels for GPUs", info.driver));
}

struct both_handles {
    heron_handle native = nullptr;
    cusparseHandle_t cusparse = nullptr;
    std::string backend{};
    heron_device_info info{};
    block_pool blocks{};

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
        skip_where_compilers_fail(info);
        blocks.open(native, backend == "opencl");
        std::printf("backend %s, device %s\n", name, info.name);
    }
    ~both_handles() {
        blocks.close();
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
constexpr std::size_t alignment = device_memory::alignment;

std::size_t aligned_up(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

}  // namespace

// One allocation with canaries before, between and behind its arrays.
class device_block {
  public:
    explicit device_block(const std::vector<memory_extent>& extents);
    ~device_block();
    device_block(const device_block&) = delete;
    device_block& operator=(const device_block&) = delete;

    unsigned char* array(std::size_t k) const { return start_ + arrays_[k].begin; }
    std::size_t bytes(std::size_t k) const { return arrays_[k].end - arrays_[k].begin; }
    bool canaries_are_whole() const;

  private:
    struct range {
        std::size_t begin, end;
    };
    // The canaries before array k, or behind the last one.
    range gap(std::size_t k) const {
        return {k == 0 ? 0 : arrays_[k - 1].end, k == arrays_.size() ? total_ : arrays_[k].begin};
    }
    void write(const std::vector<memory_extent>& extents) const;

    std::vector<range> arrays_;
    std::size_t total_ = 0;
    unsigned char* start_ = nullptr;
};

device_block::device_block(const std::vector<memory_extent>& extents) {
    for (const memory_extent& e : extents) {
        const std::size_t begin = aligned_up(total_ + guard) + e.misalignment;
        arrays_.push_back({begin, begin + e.bytes});
        total_ = begin + e.bytes;
    }
    total_ += guard;
    start_ = static_cast<unsigned char*>(handles().blocks.take(total_));
    write(extents);
}

device_block::~device_block() {
    if (!canaries_are_whole()) FAIL_CHECK("device memory before or behind an array was overwritten");
    handles().blocks.give_back(start_, total_);
}

void device_block::write(const std::vector<memory_extent>& extents) const {
    const bool has_content =
        std::any_of(extents.begin(), extents.end(), [](const memory_extent& e) { return e.content; });
    if (!has_content) return expect(heron_fill(native(), start_, canary, total_));
    std::vector<unsigned char> image(total_, canary);
    for (std::size_t k = 0; k < extents.size(); ++k)
        if (extents[k].bytes > 0 && extents[k].content)
            std::memcpy(image.data() + arrays_[k].begin, extents[k].content, extents[k].bytes);
    expect(heron_copy(native(), start_, image.data(), total_));
}

bool device_block::canaries_are_whole() const {
    // One copy of all is faster than one per gap, where the arrays are small.
    constexpr std::size_t small = 1 << 16;
    const auto is_whole = [](const unsigned char* bytes, std::size_t count) {
        return std::all_of(bytes, bytes + count, [](unsigned char b) { return b == canary; });
    };
    std::vector<unsigned char> seen(total_ <= small ? total_ : 0);
    if (!seen.empty() && heron_copy(native(), seen.data(), start_, total_) != HERON_SUCCESS) return false;
    std::vector<unsigned char> part;
    for (std::size_t k = 0; k <= arrays_.size(); ++k) {
        const range r = gap(k);
        if (seen.empty()) {
            part.resize(r.end - r.begin);
            if (heron_copy(native(), part.data(), start_ + r.begin, part.size()) != HERON_SUCCESS)
                return false;
        }
        if (!is_whole(seen.empty() ? part.data() : seen.data() + r.begin, r.end - r.begin)) return false;
    }
    return true;
}

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

device_memory::device_memory(std::size_t bytes, std::size_t misalignment, const void* content)
    : device_memory(
          std::make_shared<const device_block>(std::vector{memory_extent{bytes, misalignment, content}}), 0) {
}

device_memory::device_memory(std::shared_ptr<const device_block> block, std::size_t k)
    : block_(std::move(block)), data_(block_->array(k)), bytes_(block_->bytes(k)) {}

std::vector<device_memory> device_memory::together(const std::vector<memory_extent>& extents) {
    const auto block = std::make_shared<const device_block>(extents);
    std::vector<device_memory> arrays;
    for (std::size_t k = 0; k < extents.size(); ++k) arrays.push_back(device_memory(block, k));
    return arrays;
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

bool device_memory::canaries_are_whole() const { return block_->canaries_are_whole(); }

bool is_short() {
    static const bool value = std::getenv("HERON_TEST_SHORT") != nullptr;
    return value;
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
