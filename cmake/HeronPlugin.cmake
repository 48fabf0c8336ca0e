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
