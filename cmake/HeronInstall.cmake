# Install rules: libraries, headers, the CMake package and the pkg-config files. The compat libraries and headers go off the
# default search path.
include(CMakePackageConfigHelpers)

set_target_properties(heron PROPERTIES EXPORT_NAME heron)
set_target_properties(cusparse PROPERTIES EXPORT_NAME cusparse)
set_target_properties(cublas PROPERTIES EXPORT_NAME cublas)
install(TARGETS heron EXPORT HeronTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  COMPONENT runtime NAMELINK_COMPONENT dev)
install(TARGETS cusparse EXPORT HeronTargets LIBRARY DESTINATION ${HERON_COMPAT_LIBDIR}
  COMPONENT compat NAMELINK_COMPONENT dev)
if(HERON_OPENCL)
  install(TARGETS clblas clamdblas EXPORT HeronTargets LIBRARY DESTINATION ${HERON_COMPAT_LIBDIR}
    COMPONENT compat NAMELINK_COMPONENT dev)
endif()
install(DIRECTORY include/heron DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/compat/ DESTINATION ${HERON_COMPAT_INCLUDEDIR})
install(EXPORT HeronTargets NAMESPACE Heron:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Heron)

set(HERON_CUDA_INCLUDEDIR ${HERON_COMPAT_INCLUDEDIR}/cuda)
configure_package_config_file(cmake/HeronConfig.cmake.in ${PROJECT_BINARY_DIR}/HeronConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Heron PATH_VARS HERON_CUDA_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/HeronConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/HeronConfig.cmake ${PROJECT_BINARY_DIR}/HeronConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Heron)

# Relative, so that the installed tree may be moved.
file(RELATIVE_PATH up_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
foreach(package heron heron-cublas heron-cusparse)
  configure_file(cmake/${package}.pc.in ${PROJECT_BINARY_DIR}/${package}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
if(HERON_OPENCL)
  # Programs that were written for clBLAS look for its own package.
  configure_file(cmake/clBLAS.pc.in ${PROJECT_BINARY_DIR}/clBLAS.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/clBLAS.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  configure_package_config_file(cmake/clBLASConfig.cmake.in ${PROJECT_BINARY_DIR}/clBLASConfig.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/clBLAS PATH_VARS HERON_COMPAT_INCLUDEDIR)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/clBLASConfigVersion.cmake
    VERSION 2.12.0 COMPATIBILITY SameMajorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/clBLASConfig.cmake ${PROJECT_BINARY_DIR}/clBLASConfigVersion.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/clBLAS)
endif()
