// The clBLAS headers in C++17, the newer generation first.
#include <clBLAS.h>
#include <clAmdBlas.h>
#include "no_family_macros.h"
#include <type_traits>

static_assert(std::is_same_v<FloatComplex, cl_float2> && std::is_same_v<DoubleComplex, cl_double2>);
// The functions of clBLAS have offsets; those of clAmdBlas have them under the name Ex.
static_assert(std::is_same_v<decltype(&clblasSetup), clblasStatus (*)()>);
static_assert(!std::is_same_v<decltype(&clAmdBlasDgemm), decltype(&clAmdBlasDgemmEx)>);
