# Packages: `cpack -G DEB` makes one for each component, `cpack -G TGZ` one folder that may stand anywhere. Debian 12 and
# Ubuntu 24.04 name the libraries that they depend on differently, so that packages are made on the system that they are for.
set(CPACK_PACKAGE_NAME heron)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_VENDOR Heron)
set(CPACK_PACKAGE_CONTACT "The Heron developers <noreply@heron.invalid>" CACHE STRING "Maintainer of the packages")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)
set(CPACK_PACKAGE_FILE_NAME heron-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# libheron comes with a package that does not exist yet when the others' libraries are looked up.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)
foreach(folder compat cublas cudart)
  list(APPEND CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib/heron/${folder})
endforeach()

# What Debian's policy wants in every package, of which an installation by hand has no use.
set(documents ${PROJECT_BINARY_DIR}/package-documents)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${documents}/changelog "heron (${PROJECT_VERSION}) unstable; urgency=medium\n\n"
  "  * CHANGELOG.md of the sources tells what is new.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
file(WRITE ${documents}/copyright "Copyright 2026 the Heron developers\n\n"
  "Licensed under the Apache License, Version 2.0; on Debian systems its text is in /usr/share/common-licenses/Apache-2.0.\n")
file(WRITE ${documents}/heron-compat "# The libraries of older sonames hold jumps into libcusparse.so.12 and call nothing else.\n"
  "heron-compat: library-not-linked-against-libc\n")
file(WRITE ${documents}/shlibs "libheron 0 libheron0 (>= ${PROJECT_VERSION})\n")
file(WRITE ${documents}/triggers "activate-noawait ldconfig\n")
find_program(HERON_GZIP gzip)
mark_as_advanced(HERON_GZIP)
if(HERON_GZIP)
  execute_process(COMMAND ${HERON_GZIP} -9nf ${documents}/changelog)
endif()
install(FILES ${documents}/heron-compat DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides COMPONENT compat EXCLUDE_FROM_ALL)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${documents}/shlibs ${documents}/triggers)

# heron_package(<component> <name> <summary> DEPENDS ... TEXT ... [SECTION ...]): a Debian package of a component.
set(CPACK_COMPONENTS_ALL)
macro(heron_package component name summary)
  cmake_parse_arguments(package "" "SECTION" "DEPENDS;TEXT" ${ARGN})
  string(TOUPPER ${component} upper)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  list(JOIN package_DEPENDS ", " depends)
  list(JOIN package_TEXT "\n" text)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}")
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}\n${text}")
  if(package_SECTION)
    set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${package_SECTION})
  endif()
  install(DIRECTORY ${documents}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${component} EXCLUDE_FROM_ALL
    FILES_MATCHING PATTERN "copyright" PATTERN "changelog*")
endmacro()

set(same "(= ${PROJECT_VERSION})")
heron_package(runtime libheron0 "sparse and dense linear algebra on CPUs and OpenCL devices"
  TEXT "Heron's core with its own C interface, and its backends for CPUs and"
       "OpenCL devices. The backend for NVIDIA GPUs is in heron-cuda.")
heron_package(compat heron-compat "runs programs of cuSPARSE and clBLAS on Heron"
  DEPENDS "libheron0 ${same}"
  TEXT "Libraries with the names of cuSPARSE (all sonames since CUDA 4), clBLAS,"
       "clAmdBlas and, where it was built, the CUDA runtime. They are off the"
       "default search path: 'heron run' of heron-tools starts programs with them.")
heron_package(dev libheron-dev "headers and CMake package of Heron"
  DEPENDS "libheron0 ${same}" "heron-compat ${same}" SECTION libdevel
  TEXT "What programs are compiled with: headers, links, and the files for CMake"
       "and pkg-config.")
if(HERON_TOOLS)
  heron_package(tools heron-tools "checks and runs programs on Heron, and measures it"
    DEPENDS "libheron0 ${same}" "heron-compat ${same}" SECTION utils
    TEXT "The command heron: whether a program will run on Heron (check), running"
         "it (run), what it called (report), devices (info) and measurements (bench).")
endif()
if(HERON_CUDA)
  # The driver's libcuda is found when it is needed, and the machine that builds the package may have none.
  heron_package(cuda heron-cuda "Heron's backend for NVIDIA GPUs"
    DEPENDS "libheron0 ${same}" "libc6" "libstdc++6"
    TEXT "Needs an NVIDIA driver, and nothing of the CUDA toolkit.")
  set(CPACK_DEBIAN_CUDA_PACKAGE_SHLIBDEPS OFF)
endif()
# Install rules that name the component `fortran` set this property.
get_property(has_fortran GLOBAL PROPERTY HERON_FORTRAN_COMPONENT)
if(has_fortran)
  heron_package(fortran libheron-fortran "Fortran interface of Heron"
    DEPENDS "libheron-dev ${same}" SECTION libdevel
    TEXT "Modules for cuSPARSE, cuBLAS, clBLAS and Heron's own interface.")
  file(WRITE ${documents}/fortran/shlibs "libheron_fortran 0 libheron-fortran (>= ${PROJECT_VERSION})\n")
  set(CPACK_DEBIAN_FORTRAN_PACKAGE_CONTROL_EXTRA ${documents}/fortran/shlibs ${documents}/triggers)
endif()
include(CPack)
