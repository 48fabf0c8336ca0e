#include "kept_matrix.hpp"
#include "conversion.hpp"
#include "products.hpp"
#include "core/element_types.hpp"
#include <climits>

namespace heron::core {

struct kept_matrix::contents {
    // Without elements.
    contents(context& c, int64_t rows, int64_t cols, heron_type type) : workspace(c.table(), c.device()) {
        matrix.format = HERON_FORMAT_CSR;
        matrix.rows = rows;
        matrix.cols = cols;
        matrix.offset_type = matrix.index_type = HERON_INDEX_32;
        matrix.type = type;
        matrix.batch_count = 1;
        matrix.offsets = offsets.at_least(static_cast<size_t>(rows + 1) * sizeof(int32_t), c);
    }

    void make_room(context& c, int64_t nnz) {
        require(nnz >= 0 && nnz <= INT_MAX, argument{role::a, part::offsets}, "do not ascend");
        matrix.nnz = nnz;
        matrix.indices = indices.at_least(static_cast<size_t>(nnz) * sizeof(int32_t), c);
        matrix.values = values.at_least(static_cast<size_t>(nnz) * size_of(matrix.type), c);
    }

    // What the products with the matrix as it is may use. Reads its pattern alone.
    void analyse(context& c) {
        heron_spmv_args args{};
        args.alpha.re = 1;
        args.a = canonical(matrix, args.op);
        args.x = {matrix.cols, nullptr, matrix.type};
        args.y = {matrix.rows, nullptr, matrix.type};
        args.compute_type = matrix.type;
        workspace_bytes = std::max(workspace_size<operation::spmv>(c, args), least_workspace);
        void* const memory = workspace.acquire(workspace_bytes, c.bound());
        submit_product(c, {HERON_PHASE_ANALYSE, nullptr, memory}, args, 0, &products);
        workspace.release(c.bound());
    }

    kept_memory offsets, indices, values;
    heron_spmat matrix{};
    // Products on several streams share the workspace, and so follow each other.
    std::mutex mutex;
    scratch workspace;
    size_t workspace_bytes = 0;
    analysis products{operation::spmv};
};

kept_matrix::kept_matrix() = default;
kept_matrix::~kept_matrix() = default;

void kept_matrix::take(context& c, std::unique_ptr<contents> made) {
    made->analyse(c);
    contents_ = std::move(made);
}

void kept_matrix::copy_csr(context& c, const heron_spmat& a) {
    auto made = std::make_unique<contents>(c, a.rows, a.cols, a.type);
    if (a.rows > 0 && a.cols > 0) {
        require_offsets(a, role::a);
        made->make_room(c, stored(c, a));
    }
    reblock(c, run_in_own_scratch, a, made->matrix);
    take(c, std::move(made));
}

void kept_matrix::copy_transposed(context& c, const heron_spmat& a) {
    auto made = std::make_unique<contents>(c, a.cols, a.rows, a.type);
    heron_spmat from = a;
    if (a.rows > 0 && a.cols > 0) {
        require_offsets(a, role::a);
        made->make_room(c, from.nnz = stored(c, a));
    }
    transpose(c, run_in_own_scratch, from, made->matrix, true);
    take(c, std::move(made));
}

void kept_matrix::copy_nonzeros(context& c, const heron_dnmat& a) {
    auto made = std::make_unique<contents>(c, a.rows, a.cols, a.type);
    size_t bytes = 0;
    dense_to_sparse(c, {HERON_PHASE_SIZE, &bytes}, a, made->matrix);
    kept_memory workspace;
    void* const memory = workspace.at_least(bytes, c);
    dense_to_sparse(c, {HERON_PHASE_ANALYSE, nullptr, memory}, a, made->matrix);
    made->make_room(c, made->matrix.nnz);
    dense_to_sparse(c, {HERON_PHASE_RUN, nullptr, memory}, a, made->matrix);
    take(c, std::move(made));
}

const heron_spmat& kept_matrix::view(const context& c, heron_type type, argument operand) const {
    require(contents_ != nullptr, operand, "holds no matrix yet");
    require(contents_->offsets.on(c) != nullptr, operand, "is on another device than the handle");
    if (contents_->matrix.type != type)
        invalid(operand, fmt::format("holds elements of {}, not of {}", name_of(contents_->matrix.type),
                                     name_of(type)));
    return contents_->matrix;
}

void kept_matrix::multiply(context& c, heron_operation op, const void* alpha, const heron_dnvec& x,
                           const void* beta, const heron_dnvec& y) {
    contents& kept = *contents_;
    const heron_type type = kept.matrix.type;
    if (op != HERON_OP_NONE) return spmv(c, run_in_own_scratch, op, alpha, kept.matrix, x, beta, y, type);
    const std::lock_guard lock(kept.mutex);
    void* const memory = kept.workspace.acquire(kept.workspace_bytes, c.bound());
    spmv(c, {HERON_PHASE_RUN, nullptr, memory}, op, alpha, kept.matrix, x, beta, y, type, {}, &kept.products);
    kept.workspace.release(c.bound());
}

}  // namespace heron::core
