#pragma once
// What a cusparseColorInfo_t points to.
#define DISABLE_CUSPARSE_DEPRECATED
#include <cusparse.h>

// There is one colouring, whatever the algorithm.
struct cusparseColorInfo {
    cusparseColorAlg_t algorithm = CUSPARSE_COLOR_ALG0;
};
