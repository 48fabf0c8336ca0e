/* CUDA's short vectors, as far as sparse programs use them, and dim3. Alignments are part of the ABI. */
#ifndef __VECTOR_TYPES_H__
#define __VECTOR_TYPES_H__

#include "host_defines.h"

typedef struct int1 {
    int x;
} int1;

typedef struct __builtin_align__(8) int2 {
    int x, y;
}
int2;

typedef struct int3 {
    int x, y, z;
} int3;

typedef struct __builtin_align__(16) int4 {
    int x, y, z, w;
}
int4;

typedef struct uint1 {
    unsigned int x;
} uint1;

typedef struct __builtin_align__(8) uint2 {
    unsigned int x, y;
}
uint2;

typedef struct uint3 {
    unsigned int x, y, z;
} uint3;

typedef struct __builtin_align__(16) uint4 {
    unsigned int x, y, z, w;
}
uint4;

typedef struct longlong1 {
    long long int x;
} longlong1;

typedef struct __builtin_align__(16) longlong2 {
    long long int x, y;
}
longlong2;

typedef struct longlong3 {
    long long int x, y, z;
} longlong3;

typedef struct __builtin_align__(16) longlong4 {
    long long int x, y, z, w;
}
longlong4;

typedef struct ulonglong1 {
    unsigned long long int x;
} ulonglong1;

typedef struct __builtin_align__(16) ulonglong2 {
    unsigned long long int x, y;
}
ulonglong2;

typedef struct ulonglong3 {
    unsigned long long int x, y, z;
} ulonglong3;

typedef struct __builtin_align__(16) ulonglong4 {
    unsigned long long int x, y, z, w;
}
ulonglong4;

typedef struct float1 {
    float x;
} float1;

typedef struct __builtin_align__(8) float2 {
    float x, y;
}
float2;

typedef struct float3 {
    float x, y, z;
} float3;

typedef struct __builtin_align__(16) float4 {
    float x, y, z, w;
}
float4;

typedef struct double1 {
    double x;
} double1;

typedef struct __builtin_align__(16) double2 {
    double x, y;
}
double2;

typedef struct double3 {
    double x, y, z;
} double3;

typedef struct __builtin_align__(16) double4 {
    double x, y, z, w;
}
double4;

typedef struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
} dim3;

#endif
