// A program of nvcc's with a kernel and a managed variable: it loads and uses memory, and learns that kernels
// cannot run.
#include <cstdio>

__managed__ int counter;
__device__ int offset = 3;

__global__ void add(int* values, int amount) { values[threadIdx.x] += amount + offset; }

static int mistakes = 0;

static void expect(cudaError_t found, cudaError_t wanted, const char* what) {
    if (found == wanted) return;
    std::printf("%s: %s instead of %s\n", what, cudaGetErrorName(found), cudaGetErrorName(wanted));
    ++mistakes;
}

int main() {
    int sent[4] = {1, 2, 3, 4}, received[4] = {};
    int* values = nullptr;
    cudaDeviceProp properties{};
    expect(cudaGetDeviceProperties(&properties, 0), cudaSuccess, "cudaGetDeviceProperties");
    expect(cudaMalloc(&values, sizeof sent), cudaSuccess, "cudaMalloc");
    expect(cudaMemcpy(values, sent, sizeof sent, cudaMemcpyHostToDevice), cudaSuccess, "cudaMemcpy");
    counter = 5;
    add<<<1, 4>>>(values, 10);
    expect(cudaPeekAtLastError(), cudaErrorNoKernelImageForDevice, "the launch");
    expect(cudaGetLastError(), cudaErrorNoKernelImageForDevice, "the launch");
    cudaLaunchConfig_t config{};
    config.gridDim = 1;
    config.blockDim = 4;
    expect(cudaLaunchKernelEx(&config, add, values, 10), cudaErrorNoKernelImageForDevice,
           "cudaLaunchKernelEx");
    cudaFuncAttributes attributes{};
    expect(cudaFuncGetAttributes(&attributes, add), cudaErrorNoKernelImageForDevice, "cudaFuncGetAttributes");
    int* address = nullptr;
    expect(cudaMemcpyToSymbol(offset, sent, sizeof offset), cudaErrorNoKernelImageForDevice,
           "cudaMemcpyToSymbol");
    expect(cudaMemcpyFromSymbol(received, offset, sizeof offset), cudaErrorNoKernelImageForDevice,
           "cudaMemcpyFromSymbol");
    expect(cudaGetSymbolAddress(reinterpret_cast<void**>(&address), offset), cudaErrorNoKernelImageForDevice,
           "cudaGetSymbolAddress");
    expect(cudaGetLastError(), cudaErrorNoKernelImageForDevice, "the last error");
    expect(cudaDeviceSynchronize(), cudaSuccess, "cudaDeviceSynchronize");
    expect(cudaMemcpy(received, values, sizeof sent, cudaMemcpyDeviceToHost), cudaSuccess, "cudaMemcpy");
    expect(cudaFree(values), cudaSuccess, "cudaFree");
    for (int i = 0; i < 4; ++i) mistakes += received[i] != sent[i];
    mistakes += counter != 5;
    std::printf("%s: %d mistake(s)\n", properties.name, mistakes);
    return mistakes != 0;
}
