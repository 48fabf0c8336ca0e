# heron-warnings: what every C and C++ target is compiled with. HERON_WERROR turns warnings into errors (the ci preset does).
option(HERON_WERROR "Treat warnings as errors" OFF)
add_library(heron-warnings INTERFACE)
target_compile_options(heron-warnings INTERFACE
  $<$<COMPILE_LANGUAGE:C,CXX>:-Wall -Wextra -Wpedantic>
  $<$<COMPILE_LANGUAGE:CXX>:-Wshadow>
  $<$<AND:$<BOOL:${HERON_WERROR}>,$<COMPILE_LANGUAGE:C,CXX>>:-Werror>)
