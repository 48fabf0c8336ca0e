// Dense matrix descriptors.
#include "cusparse/translate.hpp"

using namespace heron;
using namespace heron::cusparse;

namespace {

core::dense_matrix& dense(cusparseDnMatDescr_t m) {
    return core::descriptor<core::dense_matrix>(m, "dnMatDescr");
}
const core::dense_matrix& dense(cusparseConstDnMatDescr_t m) {
    return core::descriptor<core::dense_matrix>(m, "dnMatDescr");
}

template <class Descr, class Void>
void create(Descr* descr, int64_t rows, int64_t cols, int64_t ld, Void* values, cudaDataType type,
            cusparseOrder_t order) {
    core::required(descr, "dnMatDescr");
    heron_dnmat m{};
    m.rows = rows;
    m.cols = cols;
    m.ld = ld;
    m.values = const_cast<void*>(static_cast<const void*>(values));
    m.type = type_from(type, "valueType");
    m.order = order_from(order, "order");
    *descr = reinterpret_cast<Descr>(new core::dense_matrix(m, access_of(values)));
}

template <class Descr, class Void>
void get(Descr descr, int64_t* rows, int64_t* cols, int64_t* ld, Void** values, cudaDataType* type,
         cusparseOrder_t* order) {
    const heron_dnmat& m = dense(descr).value;
    core::required(rows, "rows");
    core::required(cols, "cols");
    core::required(ld, "ld");
    core::required(values, "values");
    core::required(type, "type");
    core::required(order, "order");
    *rows = m.rows;
    *cols = m.cols;
    *ld = m.ld;
    *values = m.values;
    *type = to_cuda(m.type);
    *order = to_cusparse(m.order);
}

}  // namespace

cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t* descr, int64_t rows, int64_t cols, int64_t ld,
                                     void* values, cudaDataType type, cusparseOrder_t order) {
    return guarded(__func__, [&] { create(descr, rows, cols, ld, values, type, order); });
}
cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t* descr, int64_t rows, int64_t cols,
                                          int64_t ld, const void* values, cudaDataType type,
                                          cusparseOrder_t order) {
    return guarded(__func__, [&] { create(descr, rows, cols, ld, values, type, order); });
}
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t descr) {
    return guarded(__func__, [&] { destroy<core::dense_matrix>(descr); });
}
cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t descr, int64_t* rows, int64_t* cols, int64_t* ld,
                                  void** values, cudaDataType* type, cusparseOrder_t* order) {
    return guarded(__func__, [&] { get(descr, rows, cols, ld, values, type, order); });
}
cusparseStatus_t cusparseConstDnMatGet(cusparseConstDnMatDescr_t descr, int64_t* rows, int64_t* cols,
                                       int64_t* ld, const void** values, cudaDataType* type,
                                       cusparseOrder_t* order) {
    return guarded(__func__, [&] { get(descr, rows, cols, ld, values, type, order); });
}
cusparseStatus_t cusparseDnMatGetValues(cusparseDnMatDescr_t descr, void** values) {
    return guarded(__func__, [&] {
        const auto& m = dense(descr);
        *core::required(values, "values") = m.value.values;
    });
}
cusparseStatus_t cusparseConstDnMatGetValues(cusparseConstDnMatDescr_t descr, const void** values) {
    return guarded(__func__, [&] {
        const auto& m = dense(descr);
        *core::required(values, "values") = m.value.values;
    });
}
cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t descr, void* values) {
    return guarded(__func__, [&] { dense(descr).set_values(values); });
}
cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t descr, int count, int64_t stride) {
    return guarded(__func__, [&] { dense(descr).set_batch(count, stride); });
}
cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t descr, int* count, int64_t* stride) {
    return guarded(__func__, [&] {
        const auto& m = dense(descr);
        core::required(count, "batchCount");
        core::required(stride, "batchStride");
        *count = m.value.batch_count;
        *stride = m.value.batch_stride;
    });
}
