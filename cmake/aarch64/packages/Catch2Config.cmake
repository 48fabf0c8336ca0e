# Catch2 3 is a library, of which distributions have none for another architecture.
if(NOT EXISTS /usr/include/catch2/catch.hpp)
  set(Catch2_FOUND FALSE)
  set(Catch2_NOT_FOUND_MESSAGE "there is no Catch2 2, whose headers are all of it")
  return()
endif()
include(${CMAKE_CURRENT_LIST_DIR}/headers.cmake)
heron_headers_alone(Catch2::Catch2 catch2)
