#pragma once
// Programs of one device: a family's kernels built for one choice of types, at first use.
#include "opencl_error.hpp"
#include <map>
#include <mutex>
#include <string>

namespace heron::opencl {

class device;

// A kernel family, or several that follow each other ("a b"), and what the type parameters stand for:
// "#define VA f32\n#define CT f32\n".
struct program_key {
    std::string family;
    std::string definitions;
    auto operator<=>(const program_key&) const = default;
};

class program_store {
  public:
    explicit program_store(device& owner) : device_(owner) {}

    // Builds the program or takes it from the disk cache. Threads that ask for one device's programs wait for
    // each other.
    cl_program get(const program_key& key);

    // Releases all programs. Kernels that were made of them stay good.
    void clear();

  private:
    cl_program build(const program_key& key) const;

    device& device_;
    std::mutex mutex_;
    std::map<program_key, cl_program> programs_;
};

}  // namespace heron::opencl
