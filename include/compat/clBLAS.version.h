/* The version of clBLAS whose interface this is. */
#ifndef CLBLAS_VERSION_H_
#define CLBLAS_VERSION_H_

#define clblasVersionMajor 2
#define clblasVersionMinor 12
#define clblasVersionPatch 0

#endif
