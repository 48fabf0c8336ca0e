// COO in the layout of structures, and batches of matrices that lie one behind the other.
#include "cusparse/generic/descriptors.hpp"
#include "cusparse/translate.hpp"

using namespace heron;
using namespace heron::cusparse;

namespace {

using core::part;
using core::role;

constexpr core::argument_name names[] = {
    {{role::a, part::rows}, "rows"},        {{role::a, part::cols}, "cols"},
    {{role::a, part::nnz}, "nnz"},          {{role::a, part::indices}, "cooInd"},
    {{role::a, part::values}, "cooValues"}, {{role::a, part::batch_count}, "batchCount"},
};

void set_batch(cusparseSpMatDescr_t descr, int count) {
    auto& m = object<sparse_matrix>(descr, "spMatDescr");
    const heron_spmat& v = m.value;
    if (m.is_aos || (v.format != HERON_FORMAT_COO && v.format != HERON_FORMAT_CSR))
        core::invalid("spMatDescr", "is neither COO nor CSR");
    m.set_batch(count, v.format == HERON_FORMAT_CSR ? v.rows + 1 : 0, v.nnz, v.nnz);
}

}  // namespace

cusparseStatus_t cusparseCreateCooAoS(cusparseSpMatDescr_t* descr, int64_t rows, int64_t cols, int64_t nnz,
                                      void* indices, void* values, cusparseIndexType_t index_type,
                                      cusparseIndexBase_t base, cudaDataType type) {
    return guarded({__func__, names}, [&] {
        core::required(descr, "spMatDescr");
        heron_spmat m{};
        m.format = HERON_FORMAT_COO;
        m.rows = rows;
        m.cols = cols;
        m.nnz = nnz;
        m.indices = indices;
        m.values = values;
        m.index_type = m.offset_type = index_type_from(index_type, "cooIdxType");
        m.base = base_from(base, "idxBase");
        m.type = type_from(type, "valueType");
        m.batch_count = 1;
        auto made = std::make_unique<sparse_matrix>(m, access::read_write);
        made->is_aos = true;
        *descr = reinterpret_cast<cusparseSpMatDescr_t>(made.release());
    });
}

cusparseStatus_t cusparseCooAoSGet(cusparseSpMatDescr_t descr, int64_t* rows, int64_t* cols, int64_t* nnz,
                                   void** indices, void** values, cusparseIndexType_t* index_type,
                                   cusparseIndexBase_t* base, cudaDataType* type) {
    return guarded(__func__, [&] {
        const auto& m = object<sparse_matrix>(descr, "spMatDescr");
        core::require(m.is_aos, "spMatDescr", "has another format");
        core::required(rows, "rows");
        core::required(cols, "cols");
        core::required(nnz, "nnz");
        core::required(indices, "cooInd");
        core::required(values, "cooValues");
        core::required(index_type, "idxType");
        core::required(base, "idxBase");
        core::required(type, "valueType");
        *rows = m.value.rows;
        *cols = m.value.cols;
        *nnz = m.value.nnz;
        *indices = m.value.indices;
        *values = m.value.values;
        *index_type = to_cusparse(m.value.index_type);
        *base = static_cast<cusparseIndexBase_t>(m.value.base);
        *type = to_cuda(m.value.type);
    });
}

cusparseStatus_t cusparseSpMatSetStridedBatch(cusparseSpMatDescr_t descr, int count) {
    return guarded({__func__, names}, [&] { set_batch(descr, count); });
}
cusparseStatus_t cusparseSpMatSetNumBatches(cusparseSpMatDescr_t descr, int count) {
    return guarded({__func__, names}, [&] { set_batch(descr, count); });
}
cusparseStatus_t cusparseSpMatGetNumBatches(cusparseSpMatDescr_t descr, int* count) {
    return guarded(__func__, [&] {
        const auto& m = object<sparse_matrix>(descr, "spMatDescr");
        *core::required(count, "batchCount") = m.value.batch_count;
    });
}
