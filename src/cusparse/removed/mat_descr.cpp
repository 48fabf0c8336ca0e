// CopyMatDescr and SetMatFullPrecision.
#include "cusparse/legacy/mat_descr.hpp"
#include "cusparse/translate.hpp"

using namespace heron;
using namespace heron::cusparse;

cusparseStatus_t cusparseCopyMatDescr(cusparseMatDescr_t dest, const cusparseMatDescr_t src) {
    return guarded(__func__, [&] {
        core::alive(dest, "dest");
        *dest = *core::alive(src, "src");
    });
}

cusparseStatus_t cusparseSetMatFullPrecision(cusparseMatDescr_t descr, bool) {
    return guarded(__func__, [&] {
        if (!descr) throw core::error(HERON_NOT_INITIALIZED, "descrA", "is NULL");
        core::alive(descr, "descrA");
    });
}
