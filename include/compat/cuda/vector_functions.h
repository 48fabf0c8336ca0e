/* make_<vector> for each type of vector_types.h. */
#ifndef __VECTOR_FUNCTIONS_H__
#define __VECTOR_FUNCTIONS_H__

#include "vector_types.h"

static __inline__ int1 make_int1(int x) {
    int1 v = {x};
    return v;
}

static __inline__ int2 make_int2(int x, int y) {
    int2 v = {x, y};
    return v;
}

static __inline__ int3 make_int3(int x, int y, int z) {
    int3 v = {x, y, z};
    return v;
}

static __inline__ int4 make_int4(int x, int y, int z, int w) {
    int4 v = {x, y, z, w};
    return v;
}

static __inline__ uint1 make_uint1(unsigned int x) {
    uint1 v = {x};
    return v;
}

static __inline__ uint2 make_uint2(unsigned int x, unsigned int y) {
    uint2 v = {x, y};
    return v;
}

static __inline__ uint3 make_uint3(unsigned int x, unsigned int y, unsigned int z) {
    uint3 v = {x, y, z};
    return v;
}

static __inline__ uint4 make_uint4(unsigned int x, unsigned int y, unsigned int z, unsigned int w) {
    uint4 v = {x, y, z, w};
    return v;
}

static __inline__ longlong1 make_longlong1(long long int x) {
    longlong1 v = {x};
    return v;
}

static __inline__ longlong2 make_longlong2(long long int x, long long int y) {
    longlong2 v = {x, y};
    return v;
}

static __inline__ longlong3 make_longlong3(long long int x, long long int y, long long int z) {
    longlong3 v = {x, y, z};
    return v;
}

static __inline__ longlong4 make_longlong4(long long int x, long long int y, long long int z,
                                           long long int w) {
    longlong4 v = {x, y, z, w};
    return v;
}

static __inline__ ulonglong1 make_ulonglong1(unsigned long long int x) {
    ulonglong1 v = {x};
    return v;
}

static __inline__ ulonglong2 make_ulonglong2(unsigned long long int x, unsigned long long int y) {
    ulonglong2 v = {x, y};
    return v;
}

static __inline__ ulonglong3 make_ulonglong3(unsigned long long int x, unsigned long long int y,
                                             unsigned long long int z) {
    ulonglong3 v = {x, y, z};
    return v;
}

static __inline__ ulonglong4 make_ulonglong4(unsigned long long int x, unsigned long long int y,
                                             unsigned long long int z, unsigned long long int w) {
    ulonglong4 v = {x, y, z, w};
    return v;
}

static __inline__ float1 make_float1(float x) {
    float1 v = {x};
    return v;
}

static __inline__ float2 make_float2(float x, float y) {
    float2 v = {x, y};
    return v;
}

static __inline__ float3 make_float3(float x, float y, float z) {
    float3 v = {x, y, z};
    return v;
}

static __inline__ float4 make_float4(float x, float y, float z, float w) {
    float4 v = {x, y, z, w};
    return v;
}

static __inline__ double1 make_double1(double x) {
    double1 v = {x};
    return v;
}

static __inline__ double2 make_double2(double x, double y) {
    double2 v = {x, y};
    return v;
}

static __inline__ double3 make_double3(double x, double y, double z) {
    double3 v = {x, y, z};
    return v;
}

static __inline__ double4 make_double4(double x, double y, double z, double w) {
    double4 v = {x, y, z, w};
    return v;
}

#endif
