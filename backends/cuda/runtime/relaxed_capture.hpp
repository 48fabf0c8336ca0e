#pragma once
// Memory may be allocated while a stream is being captured.
#include <cuda_runtime_api.h>

namespace heron::HERON_LEVEL {

// What this thread does in the scope spoils no capture.
class relaxed_capture {
  public:
    relaxed_capture() noexcept { cudaThreadExchangeStreamCaptureMode(&mode_); }
    ~relaxed_capture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
    relaxed_capture(const relaxed_capture&) = delete;
    relaxed_capture& operator=(const relaxed_capture&) = delete;

  private:
    cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

}  // namespace heron::HERON_LEVEL
