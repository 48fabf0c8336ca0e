#pragma once
// The OpenCL headers at the version that the plug-in needs: 2.0 brought shared virtual memory.
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
