# heron_add_plugin(<name> SOURCES...): the shared module libheron-<name>.so, built into lib/heron beside the library and
# installed there. It exports the one symbol heron_plugin.
function(heron_add_plugin name)
  set(target heron-${name})
  add_library(${target} MODULE ${ARGN})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_compile_definitions(${target} PRIVATE HERON_PLUGIN_VERSION="${PROJECT_VERSION}")
  target_link_libraries(${target} PRIVATE heron-warnings)
  set_target_properties(${target} PROPERTIES
    CXX_VISIBILITY_PRESET hidden
    CUDA_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    LINK_DEPENDS ${PROJECT_SOURCE_DIR}/backends/plugin.map
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/heron)
  target_link_options(${target} PRIVATE
    LINKER:--version-script=${PROJECT_SOURCE_DIR}/backends/plugin.map LINKER:--no-undefined)
  install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/heron)
endfunction()

# heron_generic_sources(<list> DEVICE <class> HEADER <file> SUFFIX <cpp|cu>): one generated source per family of operations
# with the slots that the shared plans fill for this class of device, declared in this header of the calling folder.
function(heron_generic_sources list)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DEVICE;HEADER;SUFFIX" "")
  set(common ${PROJECT_SOURCE_DIR}/backends/common)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${common}/families.def)
  file(STRINGS ${common}/families.def families REGEX "^HERON_FAMILY")
  set(device ${arg_DEVICE})
  set(header ${CMAKE_CURRENT_SOURCE_DIR}/${arg_HEADER})
  set(sources "")
  foreach(line IN LISTS families)
    string(REGEX REPLACE "^HERON_FAMILY.(.*).$" "\\1" family "${line}")
    set(source ${CMAKE_CURRENT_BINARY_DIR}/generic_${family}.${arg_SUFFIX})
    configure_file(${common}/generic_family.in ${source} @ONLY)
    list(APPEND sources ${source})
  endforeach()
  set(${list} ${sources} PARENT_SCOPE)
endfunction()
