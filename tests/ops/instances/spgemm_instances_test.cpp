// SpGEMM of every type and index type by rows of all numbers of products.
#include "ops/spgemm/spgemm_problem.hpp"
#include "patterns.hpp"

using namespace heron::test;

namespace {

constexpr auto N = CUSPARSE_OPERATION_NON_TRANSPOSE;

struct factors {
    std::string name;
    entries left, right;
};

entries joined(const entries& some, const entries& others) {
    std::map<std::pair<std::int64_t, std::int64_t>, number> places;
    for (const entries* m : {&some, &others})
        for (const entry& e : m->list) places[{e.row, e.col}] = e.value;
    entries all{some.rows, some.cols, {}};
    for (const auto& [place, value] : places) all.list.push_back({place.first, place.second, value});
    return all;
}

// Rows 0, step, 2*step, ... of all columns.
entries full_rows(std::int64_t rows, std::int64_t cols, std::int64_t step) {
    entries m{rows, cols, {}};
    for (std::int64_t i = 0; i < rows; i += step)
        for (std::int64_t j = 0; j < cols; ++j) m.list.push_back({i, j, 1.0});
    return m;
}

// Products of rows for each of the lengths that kernels are made for.
std::vector<factors> rows_of_every_length() {
    std::vector<factors> all;
    for (const std::int64_t each : {2, 4, 6, 12, 24, 40})
        all.push_back({fmt::format("{} x {} products", each, each), rows_alike(200, 300, each),
                       rows_alike(300, 500, each)});
    return all;
}

factors heavy_rows() {
    random_source random(55);
    const entries wide = random_pattern(40, 2000, 3, random);
    entries turned{wide.cols, wide.rows, {}};
    for (const entry& e : wide.list) turned.list.push_back({e.col, e.row, e.value});
    return {"all rows are heavy", wide, turned};
}

factors few_heavy_rows() {
    random_source random(57);
    return {"few heavy rows", joined(full_rows(300, 1500, 150), random_pattern(300, 1500, 700, random)),
            random_pattern(1500, 2700, 150, random)};
}

spgemm_call plain_call(cudaDataType type) {
    spgemm_call call;
    call.compute = sum_type(type);
    return call;
}

void check_instances(const std::vector<factors>& all) {
    const layout csr{"CSR", CUSPARSE_FORMAT_CSR};
    for (const factors& f : all)
        for (const cudaDataType type : spgemm_types()) {
            // Products of 16-bit numbers go one way, whatever their number.
            if (sum_type(type) != type && f.left.cols > 300) continue;
            for (const index_choice& index : index_pairs()) {
                INFO(f.name << ", " << facts(type).name);
                random_source random(56);
                const sparse_arrays a = arrange(with_values(f.left, type, random), csr, index, type, random);
                const sparse_arrays b = arrange(with_values(f.right, type, random), csr, index, type, random);
                spgemm_options options;
                options.c_index = index;
                spgemm_problem problem(a, N, b, N, options);
                problem.run(plain_call(type));
                if (f.right.cols < 1000) problem.run_reuse(plain_call(type));
            }
        }
}

}  // namespace

TEST_CASE("SpGEMM of rows of every number of products, type and index type") {
    check_instances(rows_of_every_length());
}

TEST_CASE("SpGEMM of heavy rows of every type and index type") { check_instances({heavy_rows()}); }

TEST_CASE("SpGEMM of a few heavy rows of every type and index type") { check_instances({few_heavy_rows()}); }

TEST_CASE("SpGEMM of long rows of short ones of every type and index type") {
    random_source random(55);
    const entries left = joined(full_rows(90, 200, 9), random_pattern(90, 200, 9, random));
    check_instances(
        {{"of few columns", left, rows_alike(200, 240, 4)}, {"of many", left, rows_alike(200, 900, 4)}});
}

TEST_CASE("SpGEMM of long rows and columns of every type and index type") {
    check_instances({{"long rows of short ones", joined(full_rows(60, 1500, 20), rows_alike(60, 1500, 3)),
                      rows_alike(1500, 40000, 6)},
                     {"one element of very many products", full_rows(1, 9000, 1), rows_alike(9000, 1, 1)}});
}
