#pragma once
// What a cusparseSolveAnalysisInfo_t points to: all that is found out about one matrix and one operation.
#include "core/ops/kept_factor.hpp"
#include "core/ops/pivoted_solve.hpp"
#include "core/ops/row_levels.hpp"

struct cusparseSolveAnalysisInfo : heron::core::opaque<cusparseSolveAnalysisInfo> {
    heron::core::pivoted_solve solve;
    heron::core::kept_factorisation ilu0{heron::core::operation::ilu0};
    heron::core::kept_factorisation ic0{heron::core::operation::ic0};
    heron::core::row_levels levels;

    // Forgets what follows from an analysis, which is about to be made anew.
    void restart() {
        ilu0.forget();
        ic0.forget();
        levels.forget();
    }
};
