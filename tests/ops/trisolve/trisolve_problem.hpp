// One sparse triangular system on the device, with everything that a test may vary.
#pragma once

#include "ops/operands.hpp"

namespace heron::test {

using spsv_descriptor = std::unique_ptr<cusparseSpSVDescr, destroyer<&cusparseSpSV_destroyDescr>>;
using spsm_descriptor = std::unique_ptr<cusparseSpSMDescr, destroyer<&cusparseSpSM_destroyDescr>>;
spsv_descriptor make_spsv_descriptor();
spsm_descriptor make_spsm_descriptor();

// Which triangle of the matrix is named, and how it is used.
struct triangle {
    cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
    cusparseDiagType_t diag = CUSPARSE_DIAG_TYPE_NON_UNIT;
    std::string name() const;
};

// All operations (without C for real types), triangles and diagonal types.
std::vector<triangle> all_triangles(cudaDataType type);

// A square pattern with numbers that make a well-conditioned system of the named triangle. What must not be
// read is NaN: the other triangle, and a unit diagonal.
entries triangular_values(entries pattern, const triangle& t, cudaDataType type, random_source& random);

// The pattern with such numbers, stored in a layout. Another stream gives other numbers at the same places.
sparse_arrays make_system(const entries& pattern, const layout& l, const index_choice& index,
                          const triangle& t, cudaDataType type, std::uint64_t stream = 1);

// ---- patterns: both triangles and the diagonal ----

entries chain_pattern(std::int64_t n);
entries arrow_pattern(std::int64_t n);
entries dense_pattern(std::int64_t n);
entries diagonal_pattern(std::int64_t n);
// About `per_row` elements per row in any place, and the diagonal.
entries scattered_pattern(std::int64_t n, std::int64_t per_row, random_source& random);

// ---- dense matrices ----

// How a dense operand lies in memory: column or row order, and how much longer than needed a line is.
struct dense_layout {
    cusparseOrder_t order = CUSPARSE_ORDER_COL;
    std::int64_t padding = 0;
};

// What one solve has apart from the matrix. Without SpSM one column goes through SpSV.
struct solve_call {
    std::int64_t columns = 1;
    bool as_matrix = true;
    cusparseOperation_t op_b = CUSPARSE_OPERATION_NON_TRANSPOSE;
    dense_layout b{}, c{};
    bool in_place = false;
    number alpha = 1.0;
    cusparsePointerMode_t mode = CUSPARSE_POINTER_MODE_HOST;
    std::uint64_t stream = 1;  // other right-hand sides
    std::string name() const;
};

// A matrix with its descriptors and workspace. Functions fail the test unless they succeed.
class trisolve_problem {
  public:
    trisolve_problem(const sparse_arrays& arrays, const triangle& t, std::size_t misalignment = 0);

    std::size_t buffer_size(const solve_call& call);
    // With the problem's own workspace, of exactly the size that buffer_size says.
    void analyse(const solve_call& call, std::size_t workspace_misalignment = 0);
    // Solves with random right-hand sides and compares; the elements of C between its lines must stay.
    void solve(const solve_call& call);
    // Everything, from bufferSize on.
    void run(const solve_call& call) {
        analyse(call);
        solve(call);
    }

    // The solution's bytes after the last solve.
    const std::vector<unsigned char>& solution() const { return solution_; }

    // New numbers for all stored elements: at another address, over the old ones, or through updateMatrix.
    void set_values(const std::vector<number>& values);
    void overwrite_values(const std::vector<number>& values);
    void update_values(const std::vector<number>& values, bool as_matrix);
    // n new numbers for the diagonal, through updateMatrix.
    void update_diagonal(const std::vector<number>& diagonal, bool as_matrix);

    cusparseStatus_t try_analyse(const solve_call& call, void* buffer);
    cusparseStatus_t try_solve(const solve_call& call);
    const workspace& buffer() const { return *workspace_; }
    cusparseSpMatDescr_t matrix() const { return a_.get(); }

  private:
    struct operands;
    template <class F>
    auto with_operands(const solve_call& call, const operands& o, F&& f);
    void expect_values(const std::vector<number>& values);
    void check(const solve_call& call, const operands& o);

    sparse_arrays arrays_;
    triangle triangle_;
    entries elements_;                  // of the named triangle
    std::vector<number> new_diagonal_;  // if it has been replaced
    device_matrix a_;
    spsv_descriptor spsv_;
    spsm_descriptor spsm_;
    std::unique_ptr<workspace> workspace_;
    std::vector<typed_array> new_values_;
    std::vector<unsigned char> solution_;
};

}  // namespace heron::test
