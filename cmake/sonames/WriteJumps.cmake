# Writes OUTPUT, a C file with a jump for each function that LIBRARY exports in the version node NODE and whose name matches
# PATTERN. Names that match RENAMED become NAME_v2, those that match OMITTED have none, and each NEW=NAME of ALIASES is one
# jump more. A script of CMake's.
execute_process(COMMAND ${NM} -D --defined-only ${LIBRARY} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[ \n](${PATTERN})[A-Za-z0-9_]+" names "${symbols}")
list(TRANSFORM names STRIP)
list(SORT names)

set(jumps "#include \"jump.h\"\n\n")
foreach(name IN LISTS names)
  if(OMITTED AND name MATCHES "${OMITTED}")
    continue()
  endif()
  set(exported ${name})
  if(RENAMED AND name MATCHES "${RENAMED}")
    set(exported ${name}_v2)
  endif()
  string(APPEND jumps "HERON_JUMP(\"${NODE}\", ${exported}, ${name});\n")
endforeach()
foreach(alias IN LISTS ALIASES)
  string(REPLACE "=" ", " pair ${alias})
  string(APPEND jumps "HERON_JUMP(\"${NODE}\", ${pair});\n")
endforeach()
file(WRITE ${OUTPUT} "${jumps}")
