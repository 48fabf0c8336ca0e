/* Complex scalars of clAmdBlas: those of clBLAS. */
#ifndef CLAMDBLAS_COMPLEX_H_
#define CLAMDBLAS_COMPLEX_H_

#include "clBLAS-complex.h"

#endif
