#pragma once
// The families whose arguments bad_arguments_test tries from files of their own.

namespace heron::test {

void try_bsr_functions();
void try_csr_solves();
void try_format_conversions();
void try_hyb();
void try_pruning();
void try_removed_functions();
void try_removed_helpers();
void try_reorder();
void try_factorisations();
void try_sddmm();
void try_solve_analysis();
void try_spgeam();
void try_spgemm();
void try_spgemm_reuse();
void try_spmm();
void try_tridiagonal();
void try_trisolve();
void try_typed_functions();
void try_spmm_op();
void try_spmv_op();

}  // namespace heron::test
