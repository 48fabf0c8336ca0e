// The matrix descriptor of the typed functions: type, fill mode, diagonal type and index base.
#include "mat_descr.hpp"
#include "cusparse/translate.hpp"

using namespace heron;
using namespace heron::cusparse;

namespace {

template <class E>
cusparseStatus_t set(const char* function, cusparseMatDescr_t descr, E cusparseMatDescr::*field, E value,
                     int last, const char* argument) {
    return guarded(function, [&] {
        if (!descr) throw core::error(HERON_NOT_INITIALIZED, "descrA", "is NULL");
        core::alive(descr, "descrA");
        core::require(static_cast<int>(value) >= 0 && static_cast<int>(value) <= last, argument,
                      "is not one of its values");
        descr->*field = value;
    });
}

template <class E>
E get(const cusparseMatDescr* descr, E cusparseMatDescr::*field) {
    return descr && core::is_alive(descr) ? descr->*field : static_cast<E>(-1);
}

}  // namespace

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t* descr) {
    return guarded(__func__, [&] {
        cusparseMatDescr_t& made = *core::required(descr, "descrA");
        made = new cusparseMatDescr;
    });
}

cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descr) {
    return guarded(__func__, [&] { core::destroy_opaque(descr, "descrA"); });
}

cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t descr, cusparseMatrixType_t type) {
    return set(__func__, descr, &cusparseMatDescr::type, type, CUSPARSE_MATRIX_TYPE_TRIANGULAR, "type");
}
cusparseStatus_t cusparseSetMatFillMode(cusparseMatDescr_t descr, cusparseFillMode_t fill) {
    return set(__func__, descr, &cusparseMatDescr::fill, fill, CUSPARSE_FILL_MODE_UPPER, "fillMode");
}
cusparseStatus_t cusparseSetMatDiagType(cusparseMatDescr_t descr, cusparseDiagType_t diag) {
    return set(__func__, descr, &cusparseMatDescr::diag, diag, CUSPARSE_DIAG_TYPE_UNIT, "diagType");
}
cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t descr, cusparseIndexBase_t base) {
    return set(__func__, descr, &cusparseMatDescr::base, base, CUSPARSE_INDEX_BASE_ONE, "base");
}

// NVIDIA's library answers -1 where there is no descriptor.
cusparseMatrixType_t cusparseGetMatType(const cusparseMatDescr_t descr) {
    return get(descr, &cusparseMatDescr::type);
}
cusparseFillMode_t cusparseGetMatFillMode(const cusparseMatDescr_t descr) {
    return get(descr, &cusparseMatDescr::fill);
}
cusparseDiagType_t cusparseGetMatDiagType(const cusparseMatDescr_t descr) {
    return get(descr, &cusparseMatDescr::diag);
}
cusparseIndexBase_t cusparseGetMatIndexBase(const cusparseMatDescr_t descr) {
    return get(descr, &cusparseMatDescr::base);
}
