#pragma once
// The CUDA execution context of one handle, and what every file of the plug-in needs around a runtime call.
#include "common/runtime/plan_record.hpp"
#include "cuda/dense/choice.hpp"
#include <heron/backend.h>
#include <cuda_runtime_api.h>

// Memory of a queue's own, made with it. Streams that the queue is bound to use it one after the other: the
// event is recorded after the last use. A stream that is bound may be another one than the last even where it
// has the same address, because the last was destroyed with work under way.
struct scratch_memory {
    void* bytes = nullptr;
    size_t size = 0;
    cudaEvent_t used = nullptr;
    bool is_in_order = true;  // the queue's stream comes after the last use
};

struct heron_queue {
    int device = 0;
    cudaStream_t stream = nullptr;  // NULL is the device's legacy default stream
    int multiprocessors = 1;
    int shared_bytes = 48 * 1024;  // that a block of a kernel can have when it asks for them
    int64_t cache_bytes = 0;       // of the second-level cache
    bool has_clusters = false;     // blocks can share their memory
    scratch_memory scratch;
    std::optional<heron::cuda::gemm_choices> choices;  // once a dense product has asked for them
};

namespace heron::cuda {

// Sends a reason to the core's log.
void log_error(const char* function, const char* reason) noexcept;

// The status that stands for a CUDA error.
heron_status status_of(cudaError_t error) noexcept;

// True while work submitted to the stream is recorded into a graph instead of run.
bool is_capturing(cudaStream_t stream) noexcept;

// Makes a device current for a scope. Programs with several devices choose their own, which is put back.
class current_device {
  public:
    explicit current_device(int device) noexcept {
        error_ = cudaGetDevice(&previous_);
        if (error_ != cudaSuccess || previous_ == device) return;
        error_ = cudaSetDevice(device);
        changed_ = error_ == cudaSuccess;
    }
    ~current_device() {
        if (changed_) cudaSetDevice(previous_);
    }
    current_device(const current_device&) = delete;
    current_device& operator=(const current_device&) = delete;

    cudaError_t error() const noexcept { return error_; }

  private:
    int previous_ = 0;
    cudaError_t error_ = cudaSuccess;
    bool changed_ = false;
};

}  // namespace heron::cuda
