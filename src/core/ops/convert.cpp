// Between sparse and dense matrices. A CSC matrix is handled as the CSR matrix of the transposes.
#include "core/element_types.hpp"
#include "core/submit.hpp"

namespace heron::core {
namespace {

void require_matching(const heron_spmat& sparse, const heron_dnmat& dense, const char* argument) {
    if (sparse.rows != dense.rows || sparse.cols != dense.cols)
        invalid(argument, fmt::format("size {} x {} differs from {} x {}", dense.rows, dense.cols,
                                      sparse.rows, sparse.cols));
    if (sparse.type != dense.type)
        not_supported(argument,
                      fmt::format("types {} and {} differ", name_of(sparse.type), name_of(dense.type)));
    if (sparse.batch_count != dense.batch_count)
        invalid(argument,
                fmt::format("batch counts {} and {} differ", sparse.batch_count, dense.batch_count));
}

bool has_offsets(heron_format format) {
    return format != HERON_FORMAT_COO && format != HERON_FORMAT_BLOCKED_ELL;
}

void transpose(heron_dnmat& m) {
    std::swap(m.rows, m.cols);
    m.order = m.order == HERON_ORDER_ROW ? HERON_ORDER_COLUMN : HERON_ORDER_ROW;
}

}  // namespace

void sparse_to_dense(context& c, const phase_call& phase, const sparse_matrix& a, dense_matrix& b) {
    require_matching(a.value, b.value, "matB");
    if (phase.phase != HERON_PHASE_SIZE) {
        require_arrays(a.value, "matA");
        require_arrays(b.value, "matB");
        validate_contents(c, a.value, "matA");
    }
    heron_operation op = HERON_OP_NONE;
    heron_sparse_to_dense_args args{canonical(a.value, op), b.value};
    if (op == HERON_OP_TRANSPOSE) transpose(args.b);
    submit(c, "sparse_to_dense", c.table().sparse_to_dense, phase, args, nullptr, least_workspace);
}

void dense_to_sparse(context& c, const phase_call& phase, const dense_matrix& a, sparse_matrix& b) {
    require_matching(b.value, a.value, "matA");
    if (a.value.batch_count > 1) not_supported("matA", "conversion to a sparse matrix takes no batches");
    if (phase.phase != HERON_PHASE_SIZE) {
        require_arrays(a.value, "matA");
        if (has_offsets(b.value.format) && !b.value.offsets) invalid("matB", "has NULL offsets");
    }
    if (phase.phase == HERON_PHASE_RUN) require_arrays(b.value, "matB");
    int64_t nnz = b.value.nnz;
    int64_t values_size = b.value.values_size;
    heron_dense_to_sparse_args args{a.value, b.value, &nnz, &values_size};
    if (b.value.format == HERON_FORMAT_CSC) {
        args.b.format = HERON_FORMAT_CSR;
        std::swap(args.b.rows, args.b.cols);
        transpose(args.a);
    }
    submit(c, "dense_to_sparse", c.table().dense_to_sparse, phase, args);
    if (phase.phase != HERON_PHASE_ANALYSE) return;
    b.value.nnz = nnz;
    b.value.values_size = values_size;
}

}  // namespace heron::core
