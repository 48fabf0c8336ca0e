# heron_core_interface(<output.h> FILES <file>...) adds a build step that writes output.h, where HERON_CORE_INTERFACE is the
# version of Heron and a digest of the files as a text. The step is this file itself in script mode.

function(heron_core_interface output)
  cmake_parse_arguments(arg "" "" "FILES" ${ARGN})
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DVERSION=${PROJECT_VERSION} "-DFILES=${arg_FILES}"
            -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    DEPENDS ${arg_FILES} ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    VERBATIM)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  set(digests)
  foreach(file IN LISTS FILES)
    file(SHA256 ${file} digest)
    string(APPEND digests ${digest})
  endforeach()
  string(SHA256 digest "${digests}")
  string(SUBSTRING ${digest} 0 12 digest)
  file(WRITE ${OUTPUT} "#define HERON_CORE_INTERFACE \"${VERSION}-${digest}\"\n")
endif()
