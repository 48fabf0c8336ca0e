// Between sparse and dense matrices. A CSC matrix is handled as the CSR matrix of the transposes.
#include "core/element_types.hpp"
#include "core/submit.hpp"

namespace heron::core {
namespace {

void require_matching(const heron_spmat& sparse, const heron_dnmat& dense, argument operand) {
    if (sparse.rows != dense.rows || sparse.cols != dense.cols)
        invalid(operand, fmt::format("size {} x {} differs from {} x {}", dense.rows, dense.cols, sparse.rows,
                                     sparse.cols));
    if (sparse.type != dense.type)
        not_supported(operand,
                      fmt::format("types {} and {} differ", name_of(sparse.type), name_of(dense.type)));
    if (sparse.batch_count != dense.batch_count)
        invalid(operand, fmt::format("batch counts {} and {} differ", sparse.batch_count, dense.batch_count));
}

}  // namespace

void sparse_to_dense(context& c, const phase_call& phase, const heron_spmat& a, const heron_dnmat& b) {
    require_matching(a, b, role::b);
    if (phase.phase != HERON_PHASE_SIZE) {
        require_arrays(a, role::a);
        require_arrays(b, role::b);
        validate_contents(c, a, role::a);
    }
    heron_operation op = HERON_OP_NONE;
    heron_sparse_to_dense_args args{canonical(a, op), b};
    if (op == HERON_OP_TRANSPOSE) args.b = transposed(args.b);
    submit<operation::sparse_to_dense>(c, phase, args, least_workspace);
}

void dense_to_sparse(context& c, const phase_call& phase, const heron_dnmat& a, heron_spmat& b) {
    require_matching(b, a, role::a);
    if (a.batch_count > 1) not_supported(role::a, "conversion to a sparse matrix takes no batches");
    if (phase.phase != HERON_PHASE_SIZE) {
        require_arrays(a, role::a);
        require_offsets(b, role::b);
    }
    if (phase.phase == HERON_PHASE_RUN) require_arrays(b, role::b);
    int64_t nnz = b.nnz;
    int64_t values_size = b.values_size;
    heron_dense_to_sparse_args args{a, b, &nnz, &values_size, false};
    if (b.format == HERON_FORMAT_CSC) {
        args.b.format = HERON_FORMAT_CSR;
        std::swap(args.b.rows, args.b.cols);
        args.a = transposed(args.a);
    }
    submit<operation::dense_to_sparse>(c, phase, args);
    if (phase.phase != HERON_PHASE_ANALYSE) return;
    b.nnz = nnz;
    b.values_size = values_size;
}

}  // namespace heron::core
