// What every operation test stands on: handles on the backend under test, device memory between canaries,
// descriptors that destroy themselves, readable status checks, the library's log, and reproducible
// randomness.
#pragma once

#include "catch.hpp"

#include <cusparse.h>
#include <heron/heron.h>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <source_location>
#include <string>
#include <vector>

namespace heron::test {

// Handles of the native API and of the cuSPARSE facade on the backend that HERON_BACKEND names (or the
// default one), both on the default stream. The first use of either ends the process with status 77, which
// ctest counts as skipped, and prints the reason when that backend cannot be used.
heron_handle native();
cusparseHandle_t cusparse();

std::string backend_name();
const heron_device_info& device_info();

// Fail the running test, with both names and the library's last error line, unless the status is the
// expected.
void expect(cusparseStatus_t actual, cusparseStatus_t expected = CUSPARSE_STATUS_SUCCESS,
            std::source_location where = std::source_location::current());
void expect(heron_status actual, heron_status expected = HERON_SUCCESS,
            std::source_location where = std::source_location::current());

// Sets the facade's pointer mode and restores host mode at the end of the scope.
class pointer_mode_scope {
  public:
    explicit pointer_mode_scope(cusparsePointerMode_t mode);
    ~pointer_mode_scope();
    pointer_mode_scope(const pointer_mode_scope&) = delete;
    pointer_mode_scope& operator=(const pointer_mode_scope&) = delete;
};

// The error lines that the library logs during the life of this object, as "function: message".
class log_capture {
  public:
    log_capture();
    std::vector<std::string> lines() const;
    bool contains(const std::string& text) const;

  private:
    std::size_t first_;
};

class device_block;

// What an array in device memory is made from. Its address is a multiple of device_memory::alignment plus
// `misalignment`. Without content it is filled with the canaries' byte: as a number that is large and
// negative in every type, so that reading what was never written shows.
struct memory_extent {
    std::size_t bytes;
    std::size_t misalignment = 0;
    const void* content = nullptr;
};

// Exactly `bytes` of device memory between two canaries. Destruction fails the running test if a canary has
// been overwritten.
class device_memory {
  public:
    // What every backend's allocations have: OpenCL promises that of its largest type, and no more.
    static constexpr std::size_t alignment = 128;

    explicit device_memory(std::size_t bytes, std::size_t misalignment = 0, const void* content = nullptr);
    // Several, each between canaries of its own, in one allocation: one copy brings their contents, and one
    // looks at their canaries, when the last of them is destroyed.
    static std::vector<device_memory> together(const std::vector<memory_extent>& extents);

    device_memory(device_memory&&) = default;
    device_memory& operator=(device_memory&&) = delete;

    void* data() const { return data_; }
    std::size_t size() const { return bytes_; }

    void upload(const void* from);
    void download(void* to) const;
    std::vector<unsigned char> bytes() const;
    void fill(unsigned char byte);
    // False when what lies before or behind the memory has been overwritten.
    bool canaries_are_whole() const;

  private:
    device_memory(std::shared_ptr<const device_block> block, std::size_t k);

    std::shared_ptr<const device_block> block_;
    unsigned char* data_;
    std::size_t bytes_;
};

// An array of `count` elements whose address is `misalignment` elements past a multiple of
// device_memory::alignment.
template <class T>
class device_array {
  public:
    explicit device_array(std::size_t count, std::size_t misalignment = 0)
        : memory_(count * sizeof(T), misalignment * sizeof(T)) {}
    explicit device_array(const std::vector<T>& values, std::size_t misalignment = 0)
        : memory_(values.size() * sizeof(T), misalignment * sizeof(T), values.data()) {}

    T* data() const { return static_cast<T*>(memory_.data()); }
    std::size_t size() const { return memory_.size() / sizeof(T); }
    void upload(const std::vector<T>& values) {
        REQUIRE(values.size() == size());
        memory_.upload(values.data());
    }
    std::vector<T> download() const {
        std::vector<T> values(size());
        memory_.download(values.data());
        return values;
    }
    device_memory& memory() { return memory_; }

  private:
    device_memory memory_;
};

// A workspace of exactly the size that the library asked for; data() is NULL when that is 0.
class workspace {
  public:
    explicit workspace(std::size_t bytes, std::size_t misalignment = 0) : memory_(bytes, misalignment) {}
    void* data() const { return memory_.size() > 0 ? memory_.data() : nullptr; }
    std::size_t size() const { return memory_.size(); }
    void overwrite(unsigned char byte) { memory_.fill(byte); }
    bool canaries_are_whole() const { return memory_.canaries_are_whole(); }

  private:
    device_memory memory_;
};

template <auto destroy>
struct destroyer {
    template <class T>
    void operator()(T* descriptor) const {
        if (destroy(descriptor) != CUSPARSE_STATUS_SUCCESS) FAIL_CHECK("a descriptor could not be destroyed");
    }
};
using sparse_vector = std::unique_ptr<cusparseSpVecDescr, destroyer<&cusparseDestroySpVec>>;
using dense_vector = std::unique_ptr<cusparseDnVecDescr, destroyer<&cusparseDestroyDnVec>>;
using sparse_matrix = std::unique_ptr<cusparseSpMatDescr, destroyer<&cusparseDestroySpMat>>;
using dense_matrix = std::unique_ptr<cusparseDnMatDescr, destroyer<&cusparseDestroyDnMat>>;

// HERON_TEST_SHORT, as tools/sanitize sets it: of cases that differ in nothing that chooses between kernels a
// few are enough.
bool is_short();

// HERON_TEST_SEED, or a fixed number. Printed when it is first asked for.
std::uint64_t seed();

// The same sequence on every platform, which the standard library's distributions do not promise.
class random_source {
  public:
    explicit random_source(std::uint64_t stream = 0) : engine_(seed() + stream * 0x9e3779b97f4a7c15u) {}
    // In [0, bound) and [-1, 1).
    std::int64_t below(std::int64_t bound) {
        return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(bound));
    }
    double symmetric_unit() { return static_cast<double>(engine_() >> 11) * 0x1p-52 - 1.0; }

    template <class T>
    void shuffle(std::vector<T>& values) {
        for (std::size_t k = values.size(); k > 1; --k)
            std::swap(values[k - 1], values[static_cast<std::size_t>(below(static_cast<std::int64_t>(k)))]);
    }

  private:
    std::mt19937_64 engine_;
};

}  // namespace heron::test
