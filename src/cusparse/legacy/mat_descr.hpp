#pragma once
// What a cusparseMatDescr_t points to.
#include "core/opaque.hpp"
#define DISABLE_CUSPARSE_DEPRECATED
#include <cusparse.h>

struct cusparseMatDescr : heron::core::opaque<cusparseMatDescr> {
    cusparseMatrixType_t type = CUSPARSE_MATRIX_TYPE_GENERAL;
    cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
    cusparseDiagType_t diag = CUSPARSE_DIAG_TYPE_NON_UNIT;
    cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
};
