# Compiles go through ccache where it is installed, unless CMAKE_<LANG>_COMPILER_LAUNCHER is set, to nothing or to another.
# Copies of the tree in other folders share what is cached.
find_program(HERON_CCACHE ccache)
mark_as_advanced(HERON_CCACHE)

function(heron_use_compiler_cache language)
  set(launcher CMAKE_${language}_COMPILER_LAUNCHER)
  if(HERON_CCACHE AND NOT DEFINED ${launcher} AND NOT DEFINED ENV{${launcher}})
    set(${launcher} env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=true ${HERON_CCACHE} PARENT_SCOPE)
  endif()
endfunction()
heron_use_compiler_cache(C)
heron_use_compiler_cache(CXX)
