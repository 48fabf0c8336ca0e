#pragma once
// What libcudart.so.8.0 to .11.0 define themselves. HERON_OLD_CUDART is the version, such as 9020.
#include <cuda_runtime_api.h>
#include <cuda12_abi.h>

// A function of libcudart.so.12 by another name in this file: the library that is built has one of its own.
#define HERON_OF_12(name) __asm__(#name "_in_12")
#define HERON_IMPORT_OF_12(name) __asm__(".symver " #name "_in_12, " #name "@libcudart.so.12")

// Before CUDA 10.1 errors had other numbers.
constexpr bool has_old_errors = HERON_OLD_CUDART < 10010;

// The number that an error of today had.
extern "C" int heron_old_error(int status);
