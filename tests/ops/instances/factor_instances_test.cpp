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

// Where a device has far more rows than it works on at a time, fewer lanes share a row.
TEST_CASE("factorisations of every type of more rows than are worked on at a time") {
    constexpr std::int64_t size = 4;
    const std::int64_t blocks = backend_name() == "cuda" ? 256 * device_info().compute_units / size + 10 : 30;
    // The second has elements in each row that nothing that the row hands over depends on.
    for (const entries& pattern : {scattered_blocks_pattern(blocks / 5 + 1, 5 * size, 0, 1),
                                   scattered_blocks_pattern(blocks, size, 5, 2)})
        for_each_type([&]<class F>(F) {
            for (const bool lu : {true, false}) {
                const factor_choice choice{lu, 0};
                const sparse_arrays arrays = factor_arrays(pattern, choice, F::type);
                factor_problem<F> problem(arrays, choice);
                problem.analyse();
                problem.factor();
                problem.check();
            }
        });
}
