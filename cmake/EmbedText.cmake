# Text files as C++: heron_embed_text(<output.cpp> HEADER <h> NAMESPACE <ns> TEXTS <name>=<file>...) adds a build step that
# writes output.cpp, where the header's array `sources` holds one entry {name, parts, part_count} per text. A text is cut at
# line ends into parts, so that no compiler's limit on the length of a string literal matters; the parts in a row are the
# text. The step is this file itself in script mode.

function(heron_embed_text output)
  cmake_parse_arguments(arg "" "HEADER;NAMESPACE" "TEXTS" ${ARGN})
  set(files ${arg_TEXTS})
  list(TRANSFORM files REPLACE "^[^=]*=" "")
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DHEADER=${arg_HEADER} -DNAMESPACE=${arg_NAMESPACE}
            "-DTEXTS=${arg_TEXTS}" -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    DEPENDS ${files} ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    VERBATIM)
endfunction()

# Appends the text to the variable `parts_variable` as string literals with a comma behind each.
function(heron_write_parts text parts_variable count_variable)
  set(longest 2000)
  set(parts "")
  set(count 0)
  string(LENGTH "${text}" rest)
  while(rest GREATER 0)
    string(SUBSTRING "${text}" 0 ${longest} part)
    string(FIND "${part}" "\n" line_end REVERSE)
    if(rest GREATER longest AND line_end GREATER -1)
      math(EXPR length "${line_end} + 1")
      string(SUBSTRING "${text}" 0 ${length} part)
    endif()
    string(LENGTH "${part}" length)
    string(SUBSTRING "${text}" ${length} -1 text)
    string(LENGTH "${text}" rest)
    string(REPLACE "\\" "\\\\" part "${part}")
    string(REPLACE "\"" "\\\"" part "${part}")
    string(REPLACE "\n" "\\n\"\n    \"" part "${part}")
    string(APPEND parts "    \"${part}\",\n")
    math(EXPR count "${count} + 1")
  endwhile()
  set(${parts_variable} "${parts}" PARENT_SCOPE)
  set(${count_variable} ${count} PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  set(code "#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n\n")
  set(entries "")
  set(file_count 0)
  foreach(entry IN LISTS TEXTS)
    string(REGEX MATCH "^([^=]*)=(.*)$" matched "${entry}")
    set(name ${CMAKE_MATCH_1})
    file(READ ${CMAKE_MATCH_2} text)
    heron_write_parts("${text}" parts count)
    string(APPEND code "static const char* const ${name}_parts[] = {\n${parts}};\n\n")
    string(APPEND entries "    {\"${name}\", ${name}_parts, ${count}},\n")
    math(EXPR file_count "${file_count} + 1")
  endforeach()
  string(APPEND code "const source_text sources[] = {\n${entries}};\nconst size_t source_count = ${file_count};\n\n}\n")
  file(WRITE ${OUTPUT} "${code}")
endif()
