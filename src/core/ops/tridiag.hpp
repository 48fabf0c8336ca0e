#pragma once
// Tridiagonal and pentadiagonal systems of linear equations. Arrays are elements of args.type; SIZE needs
// none of them, and a problem without equations or right-hand sides none either.
#include "core/operations.hpp"

namespace heron::core {

// A*X = B, X in place of B. The system has three equations at least.
void solve_tridiagonal(context& c, const phase_call& phase, const heron_gtsv_args& args);
// One right-hand side for each of many matrices.
void solve_tridiagonal_batch(context& c, const phase_call& phase, const heron_gtsv_batch_args& args);
// The same with any number of equations, interleaved.
void solve_interleaved(context& c, const phase_call& phase, const heron_gtsv_interleaved_args& args);
void solve_pentadiagonal_interleaved(context& c, const phase_call& phase,
                                     const heron_gpsv_interleaved_args& args);

}  // namespace heron::core
