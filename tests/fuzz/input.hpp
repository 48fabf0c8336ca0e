#pragma once
// What the fuzz targets share: an input read piece by piece, and a way to end on what must not be.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace heron::fuzz {

// Ends the process, which the fuzzer takes for a finding.
inline void must(bool condition, const char* what) {
    if (condition) return;
    std::fprintf(stderr, "finding: %s\n", what);
    std::abort();
}

// Bytes in their order; zeros when there are no more.
class input {
  public:
    input(const uint8_t* data, size_t size) : next_(data), left_(size) {}

    bool is_empty() const { return left_ == 0; }
    uint8_t byte() {
        if (left_ == 0) return 0;
        --left_;
        return *next_++;
    }
    // In [0, bound).
    int below(int bound) { return byte() % bound; }
    template <class T>
    T value() {
        T result{};
        char bytes[sizeof(T)];
        for (char& b : bytes) b = static_cast<char>(byte());
        std::memcpy(&result, bytes, sizeof result);
        return result;
    }
    std::string rest() {
        const std::string text(reinterpret_cast<const char*>(next_), left_);
        left_ = 0;
        return text;
    }

  private:
    const uint8_t* next_;
    size_t left_;
};

}  // namespace heron::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
