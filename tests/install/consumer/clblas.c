/* C := A*B for 1 x 1 matrices with both generations of the API, through the installed library. Prints "spmv
 * ok" as the other consumer does, also where there is no OpenCL device: linking and loading are what this is
 * about. */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <clAmdBlas.h>
#include <clBLAS.h>
#include <stdio.h>

int main(void) {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_mem buffer;
    cl_int error = CL_SUCCESS;
    float values[] = {3, 4, 0};
    cl_uint major = 0;
    if (clblasGetVersion(&major, NULL, NULL) != clblasSuccess || major != 2) return 1;
    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) {
        printf("no OpenCL device: spmv ok\n");
        return 0;
    }
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    queue = clCreateCommandQueue(context, device, 0, &error);
    buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof values, values, &error);
    if (error || clblasSetup() != clblasSuccess || clAmdBlasSetup() != clAmdBlasSuccess) return 2;
    if (clblasSgemm(clblasRowMajor, clblasNoTrans, clblasNoTrans, 1, 1, 1, 1, buffer, 0, 1, buffer, 1, 1, 0,
                    buffer, 2, 1, 1, &queue, 0, NULL, NULL))
        return 3;
    if (clAmdBlasSgemmEx(clAmdBlasRowMajor, clAmdBlasNoTrans, clAmdBlasNoTrans, 1, 1, 1, 1, buffer, 0, 1,
                         buffer, 1, 1, 1, buffer, 2, 1, 1, &queue, 0, NULL, NULL))
        return 4;
    if (clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL) ||
        values[2] != 24)
        return 5;
    clblasTeardown();
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    printf("spmv ok\n");
    return 0;
}
