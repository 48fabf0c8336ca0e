// The numbers that errors had before CUDA 10.1, and the functions whose statuses need them and that the jumps
// leave out.
#include "old_runtime.hpp"

namespace {

struct numbers {
    int now, then;
};

// Those that are not here have had the same number, or none.
constexpr numbers all[] = {
    {1, 11},   {4, 29},   {5, 55},   {6, 56},   {7, 57},   {8, 58},   {46, 46},  {52, 1},   {53, 5},
    {98, 8},   {100, 38}, {101, 10}, {200, 47}, {205, 14}, {206, 15}, {209, 48}, {214, 39}, {215, 42},
    {216, 54}, {217, 64}, {218, 78}, {219, 79}, {220, 80}, {221, 81}, {302, 40}, {303, 41}, {304, 63},
    {400, 33}, {500, 13}, {600, 34}, {700, 77}, {701, 7},  {702, 6},  {704, 50}, {705, 51}, {708, 36},
    {709, 49}, {710, 59}, {711, 60}, {712, 61}, {713, 62}, {714, 72}, {715, 73}, {716, 74}, {717, 75},
    {718, 76}, {719, 4},  {720, 82}, {800, 70}, {801, 71},
};
constexpr int last_old = 127, unknown_then = 30;

}  // namespace

extern "C" int heron_old_error(int status) {
    for (const numbers& n : all)
        if (n.now == status) return n.then;
    return status <= last_old ? status : unknown_then;
}

#if HERON_OLD_CUDART < 10010

static cudaError_t now(cudaError_t then) {
    for (const numbers& n : all)
        if (n.then == then) return static_cast<cudaError_t>(n.now);
    return then == unknown_then ? cudaErrorUnknown : then;
}

static cudaError_t then(cudaError_t status) { return static_cast<cudaError_t>(heron_old_error(status)); }

extern "C" {

const char* name_in_12(cudaError_t) HERON_OF_12(cudaGetErrorName);
const char* text_in_12(cudaError_t) HERON_OF_12(cudaGetErrorString);
cudaError_t copy_2d_in_12(void*, size_t, const void*, size_t, size_t, size_t, cudaMemcpyKind)
    HERON_OF_12(cudaMemcpy2D);
cudaError_t copy_2d_async_in_12(void*, size_t, const void*, size_t, size_t, size_t, cudaMemcpyKind,
                                cudaStream_t) HERON_OF_12(cudaMemcpy2DAsync);
cudaError_t launch_in_12(const void*, dim3, dim3, void**, size_t, cudaStream_t) HERON_OF_12(cudaLaunchKernel);
cudaError_t launch_cooperative_in_12(const void*, dim3, dim3, void**, size_t, cudaStream_t)
    HERON_OF_12(cudaLaunchCooperativeKernel);
HERON_IMPORT_OF_12(cudaGetErrorName);
HERON_IMPORT_OF_12(cudaGetErrorString);
HERON_IMPORT_OF_12(cudaMemcpy2D);
HERON_IMPORT_OF_12(cudaMemcpy2DAsync);
HERON_IMPORT_OF_12(cudaLaunchKernel);
HERON_IMPORT_OF_12(cudaLaunchCooperativeKernel);

}  // extern "C"

const char* cudaGetErrorName(cudaError_t error) { return name_in_12(now(error)); }
const char* cudaGetErrorString(cudaError_t error) { return text_in_12(now(error)); }

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
    return then(copy_2d_in_12(to, to_pitch, from, from_pitch, width, height, kind));
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    return then(copy_2d_async_in_12(to, to_pitch, from, from_pitch, width, height, kind, stream));
}
cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                             cudaStream_t stream) {
    return then(launch_in_12(function, grid, block, arguments, shared, stream));
}
cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                        size_t shared, cudaStream_t stream) {
    return then(launch_cooperative_in_12(function, grid, block, arguments, shared, stream));
}

#endif
