// One function of one library on one matrix.
#pragma once

// NVIDIA calls most of these functions deprecated.
#ifndef DISABLE_CUSPARSE_DEPRECATED
#define DISABLE_CUSPARSE_DEPRECATED
#endif

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "matrix/sparse_matrix.hpp"
#include "measure/contestants.hpp"

namespace heron::tools {

class reorder_contender {
  public:
    virtual ~reorder_contender() = default;
    // Makes the operands what they are before a call, where a call changes them. It takes part in what is
    // measured, and its own time is taken off.
    virtual void restore() {}
    virtual void call() = 0;
    // What is wrong with the results of the call before; empty where nothing is. May add facts to the row.
    virtual std::string check(record& row) = 0;
};

// What all functions of a matrix share.
struct reorder_case {
    const csr_matrix& matrix;
    std::string function;
    std::string type;  // of geam
    std::uint64_t seed;
};

std::unique_ptr<reorder_contender> make_sort(const contestant& who, const reorder_case& what);
std::unique_ptr<reorder_contender> make_color(const contestant& who, const reorder_case& what);
std::unique_ptr<reorder_contender> make_geam(const contestant& who, const reorder_case& what);
// NULL unless the function sorts a COO matrix.
std::unique_ptr<reorder_contender> make_standard_sort(const reorder_case& what);

// A function of a library by the type of Heron's own.
#define HERON_PEER(library, name) (library).template function<decltype(&name)>(#name)

// Elements of a device.
template <class T>
class device_list {
  public:
    device_list(const device& where, std::size_t count)
        : where_(where),
          count_(count),
          memory_(where.allocate(std::max<std::size_t>(count, 1) * sizeof(T))) {}
    device_list(const device& where, const std::vector<T>& values) : device_list(where, values.size()) {
        where.copy(get(), values.data(), values.size() * sizeof(T));
    }
    T* get() const { return static_cast<T*>(memory_.get()); }
    void copy_from(const device_list& other) const { where_.copy(get(), other.get(), count_ * sizeof(T)); }
    std::vector<T> download() const {
        std::vector<T> values(count_);
        where_.copy(values.data(), get(), count_ * sizeof(T));
        where_.synchronize();
        return values;
    }

  private:
    const device& where_;
    std::size_t count_;
    device_buffer memory_;
};

}  // namespace heron::tools
