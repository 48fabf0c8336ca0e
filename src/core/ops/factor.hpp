#pragma once
// Incomplete factorisations without fill, in place: ilu0 and ic0 of CSR matrices and of BSR matrices with
// square blocks.
#include "pivoted_analysis.hpp"

namespace heron::core {

// What the phases of one factorisation share.
class factorisation final : public pivoted_analysis {
  public:
    // kind: operation::ilu0 or operation::ic0.
    explicit factorisation(operation kind) : pivoted_analysis(kind) {}

    // Of ilu0: what takes the place of small pivots.
    bool boosts = false;
    heron_scalar tolerance{}, boost_value{};
    heron_type boost_type{};
};

// SIZE, ANALYSE and RUN. with_levels: the caller's policy; RUN with levels needs an analysis with them. SIZE
// allocates what the first analysis needs.
void factorise(context& c, const phase_call& phase, factorisation& f, const heron_spmat& a, bool with_levels);

// From the next factorisation on, a pivot d with |d| <= *tolerance is replaced by *value. Both are read in
// the handle's pointer mode, those in device memory when the factorisation runs. Without `enable` nothing is
// replaced and both are ignored.
void set_boost(context& c, factorisation& f, bool enable, const double* tolerance, const void* value,
               heron_type type);

}  // namespace heron::core
