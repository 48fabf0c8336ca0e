// One call of a vector or matrix-vector function: operands on a device, what it must give, and how Heron and
// others are called.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "measure/device.hpp"
#include "peers/shared_library.hpp"

namespace heron::tools {

// A library with cuBLAS's or CBLAS's interface, opened by its file.
class vector_peer {
  public:
    // Throws std::exception where the library or what it needs is missing.
    vector_peer(const std::string& kind, const std::string& file);
    ~vector_peer();
    vector_peer(const vector_peer&) = delete;
    vector_peer& operator=(const vector_peer&) = delete;

    bool is_cublas() const { return is_cublas_; }
    const std::string& name() const { return name_; }
    const shared_library& library() const { return library_; }
    void* handle() const { return handle_; }

  private:
    std::string name_;
    bool is_cublas_;
    shared_library library_;
    void* handle_ = nullptr;  // of cuBLAS
};

class vector_case {
  public:
    virtual ~vector_case() = default;
    // Bytes that must be read and written.
    virtual double bytes() const = 0;
    virtual std::function<void()> heron_call() = 0;
    // Empty where the library has no such function.
    virtual std::function<void()> peer_call(const vector_peer& peer) = 0;
    // Operands as they were, one call, and the first fault of its result, or "".
    virtual std::string fault_of(const std::function<void()>& call) = 0;
};

// type: f32, f64, c32 or c64. m and n: rows and columns; of vectors m alone.
std::unique_ptr<vector_case> make_vector_case(const device& where, const std::string& function,
                                              const std::string& type, std::int64_t m, std::int64_t n);

struct matrix_extent {
    std::int64_t m, n;
    std::int64_t batch = 1;
};

// Of what reads every element of matrices once: geam, geamT, dgmm, dgmmR; and of batches of products, strided
// or by addresses: gemvStrided, gemvStridedT, gemvBatched, gemvBatchedT.
std::unique_ptr<vector_case> make_matrix_case(const device& where, const std::string& function,
                                              const std::string& type, const matrix_extent& e);

}  // namespace heron::tools
