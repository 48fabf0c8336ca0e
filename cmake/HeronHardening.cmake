# What makes most errors in memory an end of the process and no way into it: for every C and C++ target (heron-warnings) checked
# string functions, stacks that cannot jump over their guard and landing pads for indirect jumps; for everything that is linked
# relocations that are resolved at load and then read-only. tests/faults/hardening_test.py reads it from the built libraries.
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-fstack-clash-protection HERON_HAS_STACK_CLASH_PROTECTION)
check_cxx_compiler_flag(-fcf-protection=full HERON_HAS_CF_PROTECTION)

target_compile_options(heron-warnings INTERFACE
  # Without optimisation there is nothing to check by. Distributions may have set a lower level.
  $<$<AND:$<CONFIG:Release,RelWithDebInfo,MinSizeRel>,$<COMPILE_LANGUAGE:C,CXX>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=3>
  $<$<AND:$<BOOL:${HERON_HAS_STACK_CLASH_PROTECTION}>,$<COMPILE_LANGUAGE:C,CXX>>:-fstack-clash-protection>
  $<$<AND:$<BOOL:${HERON_HAS_CF_PROTECTION}>,$<COMPILE_LANGUAGE:C,CXX>>:-fcf-protection=full>)
add_link_options(LINKER:-z,relro,-z,now,-z,noexecstack)

# Libraries name all that they link with; but what clang's sanitizers call is in the program alone.
set(HERON_NO_UNDEFINED LINKER:--no-undefined)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  set(HERON_NO_UNDEFINED)
endif()
