#include "translate.hpp"
#include <fmt/format.h>

namespace heron::cusparse {
namespace {

struct type_pair {
    cudaDataType cuda;
    heron_type heron;
};

constexpr type_pair types[] = {
    {CUDA_R_8I, HERON_R_8I},     {CUDA_R_32I, HERON_R_32I},   {CUDA_R_16F, HERON_R_16F},
    {CUDA_R_16BF, HERON_R_16BF}, {CUDA_R_32F, HERON_R_32F},   {CUDA_R_64F, HERON_R_64F},
    {CUDA_C_16F, HERON_C_16F},   {CUDA_C_16BF, HERON_C_16BF}, {CUDA_C_32F, HERON_C_32F},
    {CUDA_C_64F, HERON_C_64F},
};

[[noreturn]] void out_of_range(const core::subject& about, int value) {
    core::invalid(about, fmt::format("{} is not one of its values", value));
}

constexpr core::argument_name names[] = {
    {core::role::handle, "handle"},
    {core::role::a, "matA"},
    {core::role::b, "matB"},
    {core::role::c, "matC"},
    {core::role::x, "vecX"},
    {core::role::y, "vecY"},
    {core::role::alpha, "alpha"},
    {core::role::beta, "beta"},
    {core::role::cosine, "c_coeff"},
    {core::role::sine, "s_coeff"},
    {core::role::result, "result"},
    {core::role::operation_a, "opA"},
    {core::role::operation_b, "opB"},
    {core::role::compute_type, "computeType"},
    {core::role::algorithm, "alg"},
    {core::role::workspace, "externalBuffer"},
    {core::role::workspace_size, "bufferSize"},
    {core::role::new_values, "newValues"},
    {core::role::log_level, "level"},
    {core::role::log_file, "logFile"},
};

}  // namespace

constinit const core::argument_names generic_names = names;

heron_type type_from(cudaDataType type, const core::subject& about) {
    for (const type_pair& pair : types)
        if (pair.cuda == type) return pair.heron;
    if (type < 0 || type > CUDA_R_4F_E2M1) out_of_range(about, type);
    core::not_supported(about, fmt::format("cudaDataType {} is not supported", static_cast<int>(type)));
}

cudaDataType to_cuda(heron_type type) {
    for (const type_pair& pair : types)
        if (pair.heron == type) return pair.cuda;
    out_of_range("valueType", type);
}

heron_index_type index_type_from(cusparseIndexType_t type, const core::subject& about) {
    switch (type) {
        case CUSPARSE_INDEX_32I: return HERON_INDEX_32;
        case CUSPARSE_INDEX_64I: return HERON_INDEX_64;
        case CUSPARSE_INDEX_16U: core::not_supported(about, "16-bit indices are not supported");
    }
    out_of_range(about, type);
}

cusparseIndexType_t to_cusparse(heron_index_type type) {
    return type == HERON_INDEX_32 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;
}

int32_t base_from(cusparseIndexBase_t base, const core::subject& about) {
    if (base != CUSPARSE_INDEX_BASE_ZERO && base != CUSPARSE_INDEX_BASE_ONE) out_of_range(about, base);
    return base == CUSPARSE_INDEX_BASE_ONE;
}

heron_order order_from(cusparseOrder_t order, const core::subject& about) {
    if (order != CUSPARSE_ORDER_COL && order != CUSPARSE_ORDER_ROW) out_of_range(about, order);
    return order == CUSPARSE_ORDER_ROW ? HERON_ORDER_ROW : HERON_ORDER_COLUMN;
}

cusparseOrder_t to_cusparse(heron_order order) {
    return order == HERON_ORDER_ROW ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
}

heron_operation operation_from(cusparseOperation_t operation, const core::subject& about) {
    switch (operation) {
        case CUSPARSE_OPERATION_NON_TRANSPOSE: return HERON_OP_NONE;
        case CUSPARSE_OPERATION_TRANSPOSE: return HERON_OP_TRANSPOSE;
        case CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE: return HERON_OP_CONJUGATE_TRANSPOSE;
    }
    out_of_range(about, operation);
}

cusparseFormat_t to_cusparse(heron_format format) {
    switch (format) {
        case HERON_FORMAT_COO: return CUSPARSE_FORMAT_COO;
        case HERON_FORMAT_CSR: return CUSPARSE_FORMAT_CSR;
        case HERON_FORMAT_CSC: return CUSPARSE_FORMAT_CSC;
        case HERON_FORMAT_BSR: return CUSPARSE_FORMAT_BSR;
        case HERON_FORMAT_SELL: return CUSPARSE_FORMAT_SLICED_ELLPACK;
        case HERON_FORMAT_BLOCKED_ELL: return CUSPARSE_FORMAT_BLOCKED_ELL;
    }
    out_of_range("format", format);
}

}  // namespace heron::cusparse
