#pragma once
// What a cusparseColorInfo_t points to.
#include "core/opaque.hpp"
#define DISABLE_CUSPARSE_DEPRECATED
#include <cusparse.h>

// There is one colouring, whatever the algorithm.
struct cusparseColorInfo : heron::core::opaque<cusparseColorInfo> {
    cusparseColorAlg_t algorithm = CUSPARSE_COLOR_ALG0;
};
