#pragma once
// Incomplete factorisations for functions without phases: what they need is found out when they first run,
// and kept.
#include "factor.hpp"

namespace heron::core {

class kept_factorisation {
  public:
    // kind: operation::ilu0 or operation::ic0.
    explicit kept_factorisation(operation kind) : by_rows_(kind), by_columns_(kind) {}

    // The next matrix is another one.
    void forget();
    // In place on A's values, which may be new ones of the same pattern.
    void run(context& c, const heron_spmat& a);
    // The factors of A^T, in the places of their transposes in A's arrays: of ic0 the upper triangle.
    void run_turned(context& c, const heron_spmat& a);

  private:
    heron_spmat turned(context& c, const heron_spmat& a);
    void find_places(context& c, const heron_spmat& a, const heron_spmat& b);
    static void factor(context& c, factorisation& f, const heron_spmat& a);

    factorisation by_rows_, by_columns_;
    kept_memory memory_;         // of by_columns_'s matrix
    int32_t* places_ = nullptr;  // where A has the elements of A^T
};

}  // namespace heron::core
