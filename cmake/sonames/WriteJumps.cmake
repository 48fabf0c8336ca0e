# Writes OUTPUT, a C file with a jump for each function that LIBRARY exports in the version node NODE and whose name matches
# PATTERN. Names that match OMITTED have none, what those that match FINISHED return goes through the function FINISH, and each
# NEW=NAME of ALIASES is one jump more. A script of CMake's.
execute_process(COMMAND ${NM} -D --defined-only ${LIBRARY} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[ \n](${PATTERN})[A-Za-z0-9_]+" names "${symbols}")
list(TRANSFORM names STRIP)
list(SORT names)

set(jumps "#include \"jump.h\"\n\n")
foreach(name IN LISTS names)
  if(OMITTED AND name MATCHES "${OMITTED}")
    continue()
  endif()
  if(FINISHED AND name MATCHES "${FINISHED}")
    string(APPEND jumps "HERON_CALL(\"${NODE}\", ${name}, ${name}, ${FINISH});\n")
  else()
    string(APPEND jumps "HERON_JUMP(\"${NODE}\", ${name}, ${name});\n")
  endif()
endforeach()
foreach(alias IN LISTS ALIASES)
  string(REPLACE "=" ", " pair ${alias})
  string(APPEND jumps "HERON_JUMP(\"${NODE}\", ${pair});\n")
endforeach()
file(WRITE ${OUTPUT} "${jumps}")
