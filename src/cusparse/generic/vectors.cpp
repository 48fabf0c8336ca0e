// Dense and sparse vector descriptors.
#include "descriptors.hpp"
#include "cusparse/translate.hpp"

using namespace heron;
using namespace heron::cusparse;

namespace {

constexpr core::argument_name names[] = {
    {{core::role::x, core::part::size}, "size"},
    {{core::role::x, core::part::nnz}, "nnz"},
    {{core::role::x, core::part::indices}, "indices"},
    {{core::role::x, core::part::values}, "values"},
};

dense_vector& dense(cusparseDnVecDescr_t v) { return object<dense_vector>(v, "dnVecDescr"); }
const dense_vector& dense(cusparseConstDnVecDescr_t v) { return object<dense_vector>(v, "dnVecDescr"); }
sparse_vector& sparse(cusparseSpVecDescr_t v) { return object<sparse_vector>(v, "spVecDescr"); }
const sparse_vector& sparse(cusparseConstSpVecDescr_t v) { return object<sparse_vector>(v, "spVecDescr"); }

// Descr: the const or the non-const handle; Void: const void or void, which decides the access.
template <class Descr, class Void>
void create_dense(Descr* descr, int64_t size, Void* values, cudaDataType type) {
    core::required(descr, "dnVecDescr");
    const heron_dnvec v{size, const_cast<void*>(static_cast<const void*>(values)),
                        type_from(type, "valueType")};
    *descr = reinterpret_cast<Descr>(new dense_vector(v, access_of(values)));
}

template <class Descr, class Void>
void get_dense(Descr descr, int64_t* size, Void** values, cudaDataType* type) {
    const heron_dnvec& v = dense(descr).value;
    core::required(size, "size");
    core::required(values, "values");
    core::required(type, "valueType");
    *size = v.size;
    *values = v.values;
    *type = to_cuda(v.type);
}

template <class Descr, class Void>
void create_sparse(Descr* descr, int64_t size, int64_t nnz, Void* indices, Void* values,
                   cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type) {
    core::required(descr, "spVecDescr");
    const heron_spvec v{size,
                        nnz,
                        const_cast<void*>(static_cast<const void*>(indices)),
                        const_cast<void*>(static_cast<const void*>(values)),
                        index_type_from(index_type, "idxType"),
                        base_from(base, "idxBase"),
                        type_from(type, "valueType")};
    *descr = reinterpret_cast<Descr>(new sparse_vector(v, access_of(values)));
}

template <class Descr, class Void>
void get_sparse(Descr descr, int64_t* size, int64_t* nnz, Void** indices, Void** values,
                cusparseIndexType_t* index_type, cusparseIndexBase_t* base, cudaDataType* type) {
    const heron_spvec& v = sparse(descr).value;
    core::required(size, "size");
    core::required(nnz, "nnz");
    core::required(indices, "indices");
    core::required(values, "values");
    core::required(index_type, "idxType");
    core::required(base, "idxBase");
    core::required(type, "valueType");
    *size = v.size;
    *nnz = v.nnz;
    *indices = v.indices;
    *values = v.values;
    *index_type = to_cusparse(v.index_type);
    *base = static_cast<cusparseIndexBase_t>(v.base);
    *type = to_cuda(v.type);
}

}  // namespace

cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t* descr, int64_t size, void* values,
                                     cudaDataType type) {
    return guarded({__func__, names}, [&] { create_dense(descr, size, values, type); });
}
cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t* descr, int64_t size, const void* values,
                                          cudaDataType type) {
    return guarded({__func__, names}, [&] { create_dense(descr, size, values, type); });
}
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t descr) {
    return guarded(__func__, [&] { destroy<dense_vector>(descr); });
}
cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t descr, int64_t* size, void** values,
                                  cudaDataType* type) {
    return guarded(__func__, [&] { get_dense(descr, size, values, type); });
}
cusparseStatus_t cusparseConstDnVecGet(cusparseConstDnVecDescr_t descr, int64_t* size, const void** values,
                                       cudaDataType* type) {
    return guarded(__func__, [&] { get_dense(descr, size, values, type); });
}
cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t descr, void** values) {
    return guarded(__func__, [&] {
        const auto& v = dense(descr);
        *core::required(values, "values") = v.value.values;
    });
}
cusparseStatus_t cusparseConstDnVecGetValues(cusparseConstDnVecDescr_t descr, const void** values) {
    return guarded(__func__, [&] {
        const auto& v = dense(descr);
        *core::required(values, "values") = v.value.values;
    });
}
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t descr, void* values) {
    return guarded({__func__, names}, [&] { dense(descr).set_values(values); });
}

cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t* descr, int64_t size, int64_t nnz, void* indices,
                                     void* values, cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                     cudaDataType type) {
    return guarded({__func__, names},
                   [&] { create_sparse(descr, size, nnz, indices, values, index_type, base, type); });
}
cusparseStatus_t cusparseCreateConstSpVec(cusparseConstSpVecDescr_t* descr, int64_t size, int64_t nnz,
                                          const void* indices, const void* values,
                                          cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                          cudaDataType type) {
    return guarded({__func__, names},
                   [&] { create_sparse(descr, size, nnz, indices, values, index_type, base, type); });
}
cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t descr) {
    return guarded(__func__, [&] { destroy<sparse_vector>(descr); });
}
cusparseStatus_t cusparseSpVecGet(cusparseSpVecDescr_t descr, int64_t* size, int64_t* nnz, void** indices,
                                  void** values, cusparseIndexType_t* index_type, cusparseIndexBase_t* base,
                                  cudaDataType* type) {
    return guarded(__func__, [&] { get_sparse(descr, size, nnz, indices, values, index_type, base, type); });
}
cusparseStatus_t cusparseConstSpVecGet(cusparseConstSpVecDescr_t descr, int64_t* size, int64_t* nnz,
                                       const void** indices, const void** values,
                                       cusparseIndexType_t* index_type, cusparseIndexBase_t* base,
                                       cudaDataType* type) {
    return guarded(__func__, [&] { get_sparse(descr, size, nnz, indices, values, index_type, base, type); });
}
cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t descr, cusparseIndexBase_t* base) {
    return guarded(__func__, [&] {
        const auto& v = sparse(descr);
        *core::required(base, "idxBase") = static_cast<cusparseIndexBase_t>(v.value.base);
    });
}
cusparseStatus_t cusparseSpVecGetValues(cusparseSpVecDescr_t descr, void** values) {
    return guarded(__func__, [&] {
        const auto& v = sparse(descr);
        *core::required(values, "values") = v.value.values;
    });
}
cusparseStatus_t cusparseConstSpVecGetValues(cusparseConstSpVecDescr_t descr, const void** values) {
    return guarded(__func__, [&] {
        const auto& v = sparse(descr);
        *core::required(values, "values") = v.value.values;
    });
}
cusparseStatus_t cusparseSpVecSetValues(cusparseSpVecDescr_t descr, void* values) {
    return guarded({__func__, names}, [&] { sparse(descr).set_values(values); });
}
