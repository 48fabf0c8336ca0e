// Triangular solves of every type and index type by rows of all lengths, for one and for many right-hand
// sides.
#include "ops/trisolve/trisolve_problem.hpp"
#include "patterns.hpp"

using namespace heron::test;

namespace {

// With rows of which a few are long, for which a whole block is waited for; without, where there are not
// more rows than a long row has elements.
std::vector<named_pattern> patterns() {
    random_source random(54);
    entries long_rows = scattered_pattern(700, 8, random);
    for (std::int64_t j = 0; j < 699; j += 2) long_rows.list.push_back({699, j, 1.0});
    const auto place = [](const entry& e) { return std::pair(e.row, e.col); };
    std::sort(long_rows.list.begin(), long_rows.list.end(),
              [&](const entry& a, const entry& b) { return place(a) < place(b); });
    long_rows.list.erase(std::unique(long_rows.list.begin(), long_rows.list.end(),
                                     [&](const entry& a, const entry& b) { return place(a) == place(b); }),
                         long_rows.list.end());
    // Each element on the diagonal, and the last row.
    entries long_row{900, 900, {}};
    for (std::int64_t i = 0; i < 899; ++i) long_row.list.push_back({i, i, 1.0});
    for (std::int64_t j = 0; j < 900; ++j) long_row.list.push_back({899, j, 1.0});
    return {{"chain", chain_pattern(60)},
            {"many rows of few elements", scattered_pattern(1500, 1, random)},
            {"one long row among the shortest", long_row},
            {"some elements in a row", scattered_pattern(90, 8, random)},
            {"dense", dense_pattern(60)},
            {"arrow", arrow_pattern(700)},
            {"long rows", long_rows}};
}

}  // namespace

TEST_CASE("triangular solves of every type, index type, length of rows and number of right-hand sides") {
    const layout csr{"CSR", CUSPARSE_FORMAT_CSR};
    const triangle lower;
    for (const cudaDataType type : {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F})
        for (const named_pattern& pattern : patterns())
            for (const index_choice& index : index_pairs()) {
                INFO(facts(type).name << ", " << pattern.name);
                trisolve_problem problem(make_system(pattern.matrix, csr, index, lower, type), lower);
                problem.run({1, false});
                for (const std::int64_t columns : {2, 8, 33}) problem.run({columns, true});
            }
}

// Where the right-hand sides would be overwritten before they are read they are copied first.
TEST_CASE("triangular solves in place into another layout, of every type") {
    const layout csr{"CSR", CUSPARSE_FORMAT_CSR};
    const triangle lower;
    for (const cudaDataType type : {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F}) {
        if (!device_has(type)) continue;
        INFO(facts(type).name);
        trisolve_problem problem(make_system(chain_pattern(60), csr, {}, lower, type), lower);
        problem.run({4,
                     true,
                     CUSPARSE_OPERATION_NON_TRANSPOSE,
                     {CUSPARSE_ORDER_COL, 0},
                     {CUSPARSE_ORDER_ROW, 0},
                     true});
    }
}
