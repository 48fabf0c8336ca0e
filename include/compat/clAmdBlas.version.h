/* The version of clAmdBlas whose interface this is. */
#ifndef CLAMDBLAS_VERSION_H_
#define CLAMDBLAS_VERSION_H_

#define clAmdBlasVersionMajor 1
#define clAmdBlasVersionMinor 10
#define clAmdBlasVersionPatch 321

#endif
