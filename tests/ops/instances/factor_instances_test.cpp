// Incomplete factorisations of every type by rows of every length.
#include "ops/factor/factor_problem.hpp"

using namespace heron::test;

TEST_CASE("factorisations of every type and length of rows") {
    for_each_type([&]<class F>(F) {
        for (const std::int64_t length : {1, 2, 4, 8, 16, 40})
            for (const bool lu : {true, false}) {
                std::vector<std::int64_t> distances;
                for (std::int64_t k = 0; k < length; ++k) distances.push_back(k);
                const factor_choice choice{lu, 0};
                const sparse_arrays arrays = factor_arrays(banded_pattern(100, distances), choice, F::type);
                factor_problem<F> problem(arrays, choice);
                problem.analyse();
                problem.factor();
                problem.check();
            }
    });
}
