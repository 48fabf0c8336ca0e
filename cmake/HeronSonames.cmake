# Names that a library had in older toolkits: libraries that hand every call on to one facade, so that a process that loads
# several has one state. Each has its functions in a version node of its own name; references without a version find them as
# well.

# Jumps are written for these processors.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|aarch64|arm64)$")
  set(HERON_SONAMES ON)
else()
  set(HERON_SONAMES OFF)
  message(STATUS "libraries with sonames of older toolkits: no, jumps are not written for ${CMAKE_SYSTEM_PROCESSOR}")
endif()

set(HERON_SONAMES_DIR ${CMAKE_CURRENT_LIST_DIR}/sonames)

# heron_add_jumps(<target> <facade> NODE <node> PATTERN <regex> [OMITTED <regex>]
# [FINISHED <regex> FINISH <function>] [ALIASES <new=name>...]):
# an object library with a jump for each function of the facade, see sonames/WriteJumps.cmake.
function(heron_add_jumps target facade)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "NODE;PATTERN;OMITTED;FINISHED;FINISH" "ALIASES")
  set(jumps ${CMAKE_CURRENT_BINARY_DIR}/${target}.c)
  set(script ${HERON_SONAMES_DIR}/WriteJumps.cmake)
  add_custom_command(
    OUTPUT ${jumps}
    COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DLIBRARY=$<TARGET_FILE:${facade}> -DNODE=${arg_NODE} "-DPATTERN=${arg_PATTERN}"
            "-DOMITTED=${arg_OMITTED}" "-DFINISHED=${arg_FINISHED}" "-DFINISH=${arg_FINISH}" "-DALIASES=${arg_ALIASES}"
            -DOUTPUT=${jumps} -P ${script}
    DEPENDS ${facade} ${script}
    VERBATIM)
  add_library(${target} OBJECT ${jumps})
  target_include_directories(${target} PRIVATE ${HERON_SONAMES_DIR})
  target_link_libraries(${target} PRIVATE heron-warnings)
endfunction()

# heron_add_soname(<soname> <facade> <global names> <object library>...): the library <soname> of these objects, beside the
# facade, which exports the names that match one of <global names> ("cusparse*").
function(heron_add_soname soname facade names)
  string(REGEX REPLACE "^lib(.*)([.]so[.])(.*)$" "\\1;\\2\\3;\\3" parts ${soname})
  list(GET parts 0 name)
  list(GET parts 1 suffix)
  list(GET parts 2 version)
  set(target ${name}-${version})
  set(map ${CMAKE_CURRENT_BINARY_DIR}/${soname}.map)
  list(JOIN names ";\n    " patterns)
  file(CONFIGURE OUTPUT ${map} CONTENT "${soname} {\n  global:\n    ${patterns};\n  local:\n    *;\n};\n")
  add_library(${target} SHARED)
  foreach(objects IN LISTS ARGN)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
  endforeach()
  target_link_libraries(${target} PRIVATE ${facade} heron heron-small)
  target_link_options(${target} PRIVATE LINKER:--version-script=${map} ${HERON_NO_UNDEFINED} LINKER:-z,noseparate-code
    LINKER:-soname,${soname})
  get_target_property(folder ${facade} LIBRARY_OUTPUT_DIRECTORY)
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${name}
    SUFFIX ${suffix}
    NO_SONAME ON
    LINKER_LANGUAGE CXX
    LINK_DEPENDS ${map}
    BUILD_RPATH "$ORIGIN;$ORIGIN/../.."
    BUILD_RPATH_USE_ORIGIN ON
    INSTALL_RPATH "$ORIGIN;$ORIGIN/../.."
    LIBRARY_OUTPUT_DIRECTORY ${folder})
  file(RELATIVE_PATH destination ${PROJECT_BINARY_DIR}/lib ${folder})
  install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/${destination} COMPONENT compat NAMELINK_SKIP)
  if(NOT TARGET ${name}-sonames)
    add_custom_target(${name}-sonames ALL)
  endif()
  add_dependencies(${name}-sonames ${target})
endfunction()
