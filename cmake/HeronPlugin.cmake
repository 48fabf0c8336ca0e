# heron_add_plugin(<name>): the shared module libheron-<name>.so, built into lib/heron beside the library and
# installed there. It exports the one symbol heron_plugin. The folders below the calling one add its sources.
function(heron_add_plugin name)
  set(target heron-${name})
  add_library(${target} MODULE)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/backends)
  target_compile_definitions(${target} PRIVATE HERON_PLUGIN_VERSION="${PROJECT_VERSION}")
  target_link_libraries(${target} PRIVATE heron-warnings)
  set_target_properties(${target} PROPERTIES
    CXX_VISIBILITY_PRESET hidden
    CUDA_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    LINK_DEPENDS ${PROJECT_SOURCE_DIR}/backends/plugin.map
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/heron)
  target_link_options(${target} PRIVATE
    LINKER:--version-script=${PROJECT_SOURCE_DIR}/backends/plugin.map ${HERON_NO_UNDEFINED}
    # Names of instances of templates are a quarter of the file.
    $<$<CONFIG:Release>:LINKER:--strip-all>)
  # The one for CUDA is a package of its own.
  set(component runtime)
  if(name STREQUAL cuda)
    set(component cuda)
  endif()
  install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/heron COMPONENT ${component})
  heron_operation_targets(${name} ${target})
endfunction()

# heron_operation_targets(<backend> <target>...): the targets that the backend's operations are compiled for. The host has one
# for each instruction set level.
function(heron_operation_targets backend)
  set_property(GLOBAL PROPERTY HERON_${backend}_TARGETS ${ARGN})
endfunction()

# heron_add_folders(): every folder below this one that has a CMakeLists.txt.
function(heron_add_folders)
  file(GLOB lists CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt)
  foreach(list IN LISTS lists)
    get_filename_component(folder ${list} DIRECTORY)
    add_subdirectory(${folder})
  endforeach()
endfunction()

# heron_target_families(<target> <family>...): the families that are compiled for this target; without a call, all.
function(heron_target_families target)
  set_property(GLOBAL PROPERTY HERON_${target}_FAMILIES ${ARGN})
endfunction()

# Whether the target has the family.
function(heron_target_has_family target family result)
  get_property(families GLOBAL PROPERTY HERON_${target}_FAMILIES)
  set(has TRUE)
  if(families AND NOT family IN_LIST families)
    set(has FALSE)
  endif()
  set(${result} ${has} PARENT_SCOPE)
endfunction()

# heron_backend_sources(<backend> <file>...): sources of the calling folder that are compiled for the backend's operations.
function(heron_backend_sources backend)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
  get_property(targets GLOBAL PROPERTY HERON_${backend}_TARGETS)
  get_filename_component(family ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  foreach(target IN LISTS targets)
    heron_target_has_family(${target} ${family} has)
    if(has)
      target_sources(${target} PRIVATE ${sources})
    endif()
  endforeach()
endfunction()

# heron_backend_family(<backend> <family> OVERRIDES <operation>... SOURCES <file>...): the calling folder defines
# override_<family>(table), which sets the slots of these operations. The shared plans fill the family's other slots.
function(heron_backend_family backend family)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "OVERRIDES;SOURCES")
  set_property(GLOBAL PROPERTY HERON_${backend}_${family}_OVERRIDES ${arg_OVERRIDES})
  heron_backend_sources(${backend} ${arg_SOURCES})
endfunction()

# heron_kernel_texts(<file>...): texts that the OpenCL plug-in carries. The name of FOLDER/kernels.h is FOLDER, that of
# FOLDER/FILE.* is FOLDER_FILE, and in the folders runtime and dialect FILE.
function(heron_kernel_texts)
  get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  foreach(file IN LISTS ARGN)
    get_filename_component(name ${file} NAME_WE)
    if(name STREQUAL kernels)
      set(name ${folder})
    elseif(NOT folder MATCHES "^(runtime|dialect)$")
      set(name ${folder}_${name})
    endif()
    set_property(GLOBAL APPEND PROPERTY HERON_KERNEL_TEXTS ${name}=${CMAKE_CURRENT_SOURCE_DIR}/${file})
  endforeach()
endfunction()

# heron_add_slots(<backend> DEVICE <class> HEADER <file> SUFFIX <cpp|cu>): fill_slots(table), which fills the slots of the
# target's families from the shared plans and then lets the families override what they have tuned. One generated source holds what one family takes from
# its plans for this class of device, which the header declares: an operation with neither a plan nor an override does not
# compile, and a plan that is overridden is not compiled.
function(heron_add_slots backend)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DEVICE;HEADER;SUFFIX" "")
  set(operations_file ${PROJECT_SOURCE_DIR}/include/heron/ops.def)
  set(runtime ${PROJECT_SOURCE_DIR}/backends/common/runtime)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${operations_file})
  file(STRINGS ${operations_file} operations REGEX "^HERON_OP")
  list(TRANSFORM operations REPLACE "^HERON_OP.([a-z0-9_]+), ([a-z0-9_]+).*$" "\\1/\\2")
  set(families ${operations})
  list(TRANSFORM families REPLACE "/.*" "")
  list(REMOVE_DUPLICATES families)

  set(device ${arg_DEVICE})
  set(header ${arg_HEADER})
  foreach(family IN LISTS families)
    get_property(overrides GLOBAL PROPERTY HERON_${backend}_${family}_OVERRIDES)
    set(slots "")
    foreach(operation IN LISTS operations)
      string(REGEX MATCH "^(.*)/(.*)$" matched ${operation})
      set(op ${CMAKE_MATCH_2})
      if(CMAKE_MATCH_1 STREQUAL family AND NOT op IN_LIST overrides)
        string(APPEND slots "    table.${op} = &slot<${device}, heron_${op}_args, &plans::${op}<${device}>, operation_names::${op}>;\n")
      endif()
    endforeach()
    set(${family}_functions "")
    if(slots)
      configure_file(${runtime}/generic_family.in ${CMAKE_CURRENT_BINARY_DIR}/generic_${family}.${arg_SUFFIX} @ONLY)
      list(APPEND ${family}_functions generic_${family})
    endif()
    if(overrides)
      list(APPEND ${family}_functions override_${family})
    endif()
  endforeach()

  get_property(targets GLOBAL PROPERTY HERON_${backend}_TARGETS)
  foreach(target IN LISTS targets)
    set(declarations "")
    set(calls "")
    foreach(family IN LISTS families)
      heron_target_has_family(${target} ${family} has)
      if(NOT has)
        continue()
      endif()
      foreach(function IN LISTS ${family}_functions)
        string(APPEND declarations "void ${function}(heron_backend& table);\n")
        string(APPEND calls "    ${function}(table);\n")
      endforeach()
      if(generic_${family} IN_LIST ${family}_functions)
        target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/generic_${family}.${arg_SUFFIX})
      endif()
    endforeach()
    configure_file(${runtime}/slots.in ${CMAKE_CURRENT_BINARY_DIR}/${target}/slots.cpp @ONLY)
    target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${target}/slots.cpp)
  endforeach()
endfunction()
