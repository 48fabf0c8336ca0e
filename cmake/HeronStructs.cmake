# How structs of arguments are cleared and copied on their way from a public function to a kernel, which is most of what a short
# call takes (results: blas-23). heron-clears: GCC clears structs by an instruction that takes some 40 cycles to begin.
# heron-copies, where nothing is computed: it copies fields that were just stored one by one as vectors, and such a load waits
# until the stores have reached the cache.
include(CheckCXXCompilerFlag)
add_library(heron-clears INTERFACE)
add_library(heron-copies INTERFACE)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(clearing -mmemset-strategy=vector_loop:512:noalign,libcall:-1:noalign)
  set(copying -mtune-ctrl=^sse_unaligned_load_optimal)
  check_cxx_compiler_flag(${clearing} HERON_HAS_MEMSET_STRATEGY)
  check_cxx_compiler_flag(${copying} HERON_HAS_TUNE_CTRL)
  target_compile_options(heron-clears INTERFACE
    $<$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<BOOL:${HERON_HAS_MEMSET_STRATEGY}>>:${clearing}>)
  target_compile_options(heron-copies INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-fno-tree-slp-vectorize>
    $<$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<BOOL:${HERON_HAS_TUNE_CTRL}>>:${copying}>)
endif()
