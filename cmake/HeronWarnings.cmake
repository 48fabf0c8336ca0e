# heron-warnings: what every C and C++ target is compiled with. HERON_WERROR turns warnings into errors (the ci preset does).
option(HERON_WERROR "Treat warnings as errors" OFF)
add_library(heron-warnings INTERFACE)
target_compile_options(heron-warnings INTERFACE
  $<$<COMPILE_LANGUAGE:C,CXX>:-Wall -Wextra -Wpedantic>
  $<$<COMPILE_LANGUAGE:CXX>:-Wshadow>
  $<$<AND:$<BOOL:${HERON_WERROR}>,$<COMPILE_LANGUAGE:C,CXX>>:-Werror>
  # GCC 12's flow analysis has false positives that differ with every inlining decision: they stay warnings.
  $<$<AND:$<BOOL:${HERON_WERROR}>,$<CXX_COMPILER_ID:GNU>,$<COMPILE_LANGUAGE:CXX>>:-Wno-error=restrict;-Wno-error=maybe-uninitialized;-Wno-error=array-bounds;-Wno-error=stringop-overflow;-Wno-error=dangling-pointer;-Wno-error=stringop-overread>
  # Words of the dialect leave parameters unused on some devices, kernels are texts of many parts, and lanes are wider than registers
  # only in functions that are inlined; clang has another word for ivdep, and says where it does without SIMD.
  $<$<AND:$<CXX_COMPILER_ID:Clang>,$<COMPILE_LANGUAGE:C,CXX>>:-Wno-unused-parameter;-Wno-string-concatenation;-Wno-psabi;-Wno-unknown-pragmas;-Wno-pass-failed>
  # GCC 13 takes the reference that a function returns for one to its temporary arguments; GCC 14 leaves that out of -Wall.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>,$<COMPILE_LANGUAGE:CXX>>:-Wno-dangling-reference>)
