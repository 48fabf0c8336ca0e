# Install rules of src/fortran: libheron_fortran, the modules of this compiler, and their sources for others.
include(CMakePackageConfigHelpers)
set(HERON_FORTRAN_LIBDIR ${CMAKE_INSTALL_LIBDIR}/heron/fortran/${HERON_FORTRAN_FOLDER})
set(HERON_FORTRAN_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR}/heron/fortran)
install(TARGETS heron_fortran heron_fortran_static EXPORT HeronFortranTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT fortran
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT fortran)
set_property(GLOBAL PROPERTY HERON_FORTRAN_COMPONENT ON)
install(FILES $<TARGET_FILE:heron_fortran_modules> DESTINATION ${HERON_FORTRAN_LIBDIR} COMPONENT fortran)
install(DIRECTORY ${module_folder}/ DESTINATION ${HERON_FORTRAN_INCLUDEDIR}/${HERON_FORTRAN_FOLDER} COMPONENT fortran FILES_MATCHING PATTERN "*.mod")
install(FILES ${module_sources} DESTINATION ${HERON_FORTRAN_INCLUDEDIR}/source COMPONENT fortran)
install(EXPORT HeronFortranTargets NAMESPACE Heron:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Heron COMPONENT fortran)

set(HERON_FORTRAN_SOURCES ${modules})
list(TRANSFORM HERON_FORTRAN_SOURCES APPEND .f90)
set(HERON_FORTRAN_LINKED heron cusparse)
set(HERON_FORTRAN_FLAGS "-lheron_fortran_modules -lheron_fortran -lcusparse")
if(HERON_OPENCL)
  list(APPEND HERON_FORTRAN_LINKED clblas clamdblas)
  string(APPEND HERON_FORTRAN_FLAGS " -lclBLAS -lclAmdBlas")
endif()
if(TARGET cublas)
  list(APPEND HERON_FORTRAN_LINKED cublas)
  string(APPEND HERON_FORTRAN_FLAGS " -L\${libdir}/heron/cublas -lcublas")
endif()
if(HERON_CUDART)
  list(APPEND HERON_FORTRAN_LINKED cudart)
  set(HERON_FORTRAN_CUDART "-L\${libdir}/heron/cudart")
else()
  set(HERON_FORTRAN_CUDART "-L${CUDAToolkit_LIBRARY_DIR}")
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/HeronFortran.cmake.in ${PROJECT_BINARY_DIR}/HeronFortran.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Heron PATH_VARS HERON_FORTRAN_LIBDIR HERON_FORTRAN_INCLUDEDIR
  NO_CHECK_REQUIRED_COMPONENTS_MACRO)
install(FILES ${PROJECT_BINARY_DIR}/HeronFortran.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Heron COMPONENT fortran)

file(RELATIVE_PATH up_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/cmake/heron-fortran.pc.in ${PROJECT_BINARY_DIR}/heron-fortran.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/heron-fortran.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT fortran)
