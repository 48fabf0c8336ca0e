// csrgemm and csrgemm2.
#include "core/ops/spgemm_sum.hpp"
#include "cusparse/legacy/geam.hpp"
#include <optional>

using namespace heron;
using namespace heron::cusparse;
using core::part, core::role;

// What a csrgemm2Info_t points to.
struct csrgemm2Info : core::opaque<csrgemm2Info> {
    core::product_sum sum;
};

namespace {

constexpr core::argument_name product_names[] = {
    {role::handle, "handle"},
    {role::operation_a, "transA"},
    {role::operation_b, "transB"},
    {role::result, "nnzTotalDevHostPtr"},
};

// D is the core's x.
constexpr core::argument_name sum_names[] = {
    {role::handle, "handle"},
    {role::alpha, "alpha"},
    {role::beta, "beta"},
    {role::info, "info"},
    {role::result, "nnzTotalDevHostPtr"},
    {role::workspace, "pBuffer"},
    {role::workspace_size, "pBufferSizeInBytes"},
    {role::size_phase, "csrgemm2_bufferSizeExt"},
    {role::count_phase, "Xcsrgemm2Nnz"},
    {{role::x, part::kind}, "descrD"},
    {{role::x, part::nnz}, "nnzD"},
    {{role::x, part::values}, "csrSortedValD"},
    {{role::x, part::offsets}, "csrSortedRowPtrD"},
    {{role::x, part::indices}, "csrSortedColIndD"},
};

// The arguments that a matrix comes as.
struct matrix_arguments {
    cusparseMatDescr_t descr;
    int nnz;
    matrix_arrays arrays;
};

heron_spmat matrix(const matrix_arguments& m, int rows, int cols, role operand) {
    return csr_matrix(m.arrays.type, m.descr, rows, cols, m.nnz, m.arrays.values, m.arrays.offsets,
                      m.arrays.indices, operand);
}

heron_spmat empty_result(int m, int n, heron_type type) {
    return core::checked(matrix_of(HERON_FORMAT_CSR, m, n, 0, 0, {type, nullptr, nullptr, nullptr}), role::c);
}

void require_sizes(int m, int n, int k) {
    core::require_count(m, "m");
    core::require_count(n, "n");
    core::require_count(k, "k");
}

// op(A) is m x k, op(B) k x n.
class factors {
  public:
    factors(cusparseOperation_t transA, cusparseOperation_t transB, int m, int n, int k,
            const matrix_arguments& a, const matrix_arguments& b, const matrix_arguments& c)
        : op_a_(operation_from(transA, role::operation_a)), op_b_(operation_from(transB, role::operation_b)) {
        require_sizes(m, n, k);
        const bool turned_a = core::transposes(op_a_), turned_b = core::transposes(op_b_);
        a_ = matrix(a, turned_a ? k : m, turned_a ? m : k, role::a);
        b_ = matrix(b, turned_b ? n : k, turned_b ? k : n, role::b);
        c_ = matrix(c, m, n, role::c);
    }
    core::spgemm_operands operands() { return {op_a_, op_b_, a_, b_, c_}; }

  private:
    heron_operation op_a_, op_b_;
    heron_spmat a_, b_, c_;
};

// The matrices of A*B, m x k times k x n, and D; those of a missing term are not looked at.
class terms {
  public:
    terms(bool has_product, bool has_summand, int m, int n, int k, const matrix_arguments& a,
          const matrix_arguments& b, const matrix_arguments& d) {
        require_sizes(m, n, k);
        if (has_product) {
            a_ = matrix(a, m, k, role::a);
            b_ = matrix(b, k, n, role::b);
        }
        if (has_summand) d_ = matrix(d, m, n, role::x);
        if (d_ && d_->nnz > 0) {
            core::required(d_->offsets, core::argument{role::x, part::offsets});
            core::required(d_->indices, core::argument{role::x, part::indices});
        }
    }
    core::product_sum_operands with_result(const heron_spmat& c) const {
        return {a_ ? &*a_ : nullptr, b_ ? &*b_ : nullptr, d_ ? &*d_ : nullptr, c};
    }

  private:
    std::optional<heron_spmat> a_, b_, d_;
};

// The factors that are NULL are those that were NULL when the size was asked.
void require_terms(const core::product_sum& sum, const void* alpha, const void* beta) {
    core::require((alpha != nullptr) == sum.has_product(), role::alpha,
                  "is NULL in one of the functions and not in the other");
    core::require((beta != nullptr) == sum.has_summand(), role::beta,
                  "is NULL in one of the functions and not in the other");
}

}  // namespace

cusparseStatus_t cusparseXcsrgemmNnz(cusparseHandle_t handle, cusparseOperation_t transA,
                                     cusparseOperation_t transB, int m, int n, int k,
                                     const cusparseMatDescr_t descr_a, const int nnz_a, const int* offsets_a,
                                     const int* indices_a, const cusparseMatDescr_t descr_b, const int nnz_b,
                                     const int* offsets_b, const int* indices_b,
                                     const cusparseMatDescr_t descr_c, int* offsets_c, int* nnz) {
    constexpr heron_type any = HERON_R_32F;
    return guarded({__func__, product_names, geam_names}, [&] {
        core::context& c = typed_context_of(handle);
        factors f(transA, transB, m, n, k, {descr_a, nnz_a, {any, nullptr, offsets_a, indices_a}},
                  {descr_b, nnz_b, {any, nullptr, offsets_b, indices_b}},
                  {descr_c, 0, {any, nullptr, offsets_c, nullptr}});
        core::product_count(c, f.operands(), nnz);
    });
}

cusparseStatus_t cusparseCreateCsrgemm2Info(csrgemm2Info_t* info) { return create_info(__func__, info); }
cusparseStatus_t cusparseDestroyCsrgemm2Info(csrgemm2Info_t info) { return destroy_info(__func__, info); }

cusparseStatus_t cusparseXcsrgemm2Nnz(cusparseHandle_t handle, int m, int n, int k,
                                      const cusparseMatDescr_t descr_a, int nnz_a, const int* offsets_a,
                                      const int* indices_a, const cusparseMatDescr_t descr_b, int nnz_b,
                                      const int* offsets_b, const int* indices_b,
                                      const cusparseMatDescr_t descr_d, int nnz_d, const int* offsets_d,
                                      const int* indices_d, const cusparseMatDescr_t descr_c, int* offsets_c,
                                      int* nnz, const csrgemm2Info_t info, void* buffer) {
    return guarded({__func__, sum_names, geam_names}, [&] {
        core::context& c = typed_context_of(handle);
        core::product_sum& sum = core::alive(info, role::info)->sum;
        const heron_type type = sum.type();
        const terms t(sum.has_product(), sum.has_summand(), m, n, k,
                      {descr_a, nnz_a, {type, nullptr, offsets_a, indices_a}},
                      {descr_b, nnz_b, {type, nullptr, offsets_b, indices_b}},
                      {descr_d, nnz_d, {type, nullptr, offsets_d, indices_d}});
        const heron_spmat result = matrix({descr_c, 0, {type, nullptr, offsets_c, nullptr}}, m, n, role::c);
        sum.count(c, t.with_result(result), buffer, nnz);
    });
}

#define HERON_FAMILY "cusparse/removed/csrgemm.inc"
#include <cusparse/foreach_type.inc>
