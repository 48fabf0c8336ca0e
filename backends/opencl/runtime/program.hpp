#pragma once
// Programs of one device: a family's kernels built for one choice of types, at first use.
#include "error.hpp"
#include <atomic>
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
    int most_registers = 0;  // of a work-item, for NVIDIA's compiler; 0: as many as it likes
    auto operator<=>(const program_key&) const = default;
};

// A program put together at run time. It stays as long as the process, so that its address stands for it.
struct kept_program {
    program_key key;
};

// The same for equal keys.
const kept_program& keep_program(program_key key);

// Kept programs by all that makes a difference between them. To find one costs neither text nor a lock.
template <class Shape>
class program_list {
  public:
    template <class MakeKey>
    const kept_program& get(const Shape& shape, MakeKey&& make_key) {
        for (const node* n = first_.load(std::memory_order_acquire); n; n = n->next)
            if (n->shape == shape) return *n->program;
        // Threads that come here at once leave two nodes for one program.
        auto* const added = new node{shape, &keep_program(make_key()), first_.load()};
        while (!first_.compare_exchange_weak(added->next, added)) {
        }
        return *added->program;
    }

  private:
    struct node {
        Shape shape;
        const kept_program* program;
        const node* next;
    };
    std::atomic<const node*> first_ = nullptr;
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
