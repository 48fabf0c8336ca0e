/* A thread's place in its launch: for kernels alone, which a host compiler does not compile. Programs include
 * this file by habit. */
#ifndef __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__

#include "vector_types.h"

#endif
