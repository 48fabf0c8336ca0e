# Cross-compiling for 64-bit ARM with the distribution's compiler (g++-aarch64-linux-gnu), and running what comes out under qemu-user.
# Only what needs no library of that architecture: the core, cuSPARSE's and the BLAS facades, the host plug-in and their tests.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# fmt and Catch2 2 as headers alone, which are the same for every architecture.
set(fmt_DIR ${CMAKE_CURRENT_LIST_DIR}/packages)
set(Catch2_DIR ${CMAKE_CURRENT_LIST_DIR}/packages)

set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64;-L;/usr/aarch64-linux-gnu)
