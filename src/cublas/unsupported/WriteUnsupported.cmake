# Writes OUTPUT, a C file with a function for each name in the file NAMES that none of OBJECTS defines: it logs its name and
# answers NOT_SUPPORTED. A script of CMake's.
file(STRINGS ${NAMES} names)
execute_process(COMMAND ${NM} -g --defined-only ${OBJECTS} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "cublas[A-Za-z0-9_]+" defined "${symbols}")
list(REMOVE_ITEM names ${defined})

set(functions "#include \"unsupported.h\"\n\n")
foreach(name IN LISTS names)
  string(APPEND functions "HERON_UNSUPPORTED(${name})\n")
endforeach()
file(WRITE ${OUTPUT} "${functions}")
