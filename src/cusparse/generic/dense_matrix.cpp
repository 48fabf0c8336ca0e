// Dense matrix descriptors.
#include "descriptors.hpp"
#include "cusparse/translate.hpp"

using namespace heron;
using namespace heron::cusparse;

namespace {

constexpr core::argument_name names[] = {
    {{core::role::a, core::part::rows}, "rows"},
    {{core::role::a, core::part::cols}, "cols"},
    {{core::role::a, core::part::ld}, "ld"},
    {{core::role::a, core::part::values}, "values"},
    {{core::role::a, core::part::batch_count}, "batchCount"},
    {{core::role::a, core::part::stride}, "batchStride"},
};

dense_matrix& dense(cusparseDnMatDescr_t m) { return object<dense_matrix>(m, "dnMatDescr"); }
const dense_matrix& dense(cusparseConstDnMatDescr_t m) { return object<dense_matrix>(m, "dnMatDescr"); }

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
    m.batch_count = 1;
    *descr = reinterpret_cast<Descr>(new dense_matrix(m, access_of(values)));
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
    return guarded({__func__, names}, [&] { create(descr, rows, cols, ld, values, type, order); });
}
cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t* descr, int64_t rows, int64_t cols,
                                          int64_t ld, const void* values, cudaDataType type,
                                          cusparseOrder_t order) {
    return guarded({__func__, names}, [&] { create(descr, rows, cols, ld, values, type, order); });
}
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t descr) {
    return guarded(__func__, [&] { destroy<dense_matrix>(descr); });
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
    return guarded({__func__, names}, [&] { dense(descr).set_values(values); });
}
cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t descr, int count, int64_t stride) {
    return guarded({__func__, names}, [&] {
        dense(descr).change([&](heron_dnmat& m) {
            m.batch_count = count;
            m.batch_stride = stride;
        });
    });
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
