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

// Rows of a square of products.
factors rows_of(std::int64_t each) {
    return {fmt::format("{} x {} products", each, each), rows_alike(200, 300, each),
            rows_alike(300, 500, each)};
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

// Each of the numbers that kernels are made for.
TEST_CASE("SpGEMM of rows of 4 and 16 products of every type and index type") {
    check_instances({rows_of(2), rows_of(4)});
}
TEST_CASE("SpGEMM of rows of 36 and 144 products of every type and index type") {
    check_instances({rows_of(6), rows_of(12)});
}
TEST_CASE("SpGEMM of rows of 576 and 1600 products of every type and index type") {
    check_instances({rows_of(24), rows_of(40)});
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

namespace {

// Of single precision alone: what differs has to do with indices.
void check_patterns(const factors& f, const index_choice& index) {
    const layout csr{"CSR", CUSPARSE_FORMAT_CSR};
    INFO(f.name);
    random_source random(58);
    const sparse_arrays a = arrange(with_values(f.left, CUDA_R_32F, random), csr, index, CUDA_R_32F, random);
    const sparse_arrays b = arrange(with_values(f.right, CUDA_R_32F, random), csr, index, CUDA_R_32F, random);
    spgemm_options options;
    options.c_index = index;
    spgemm_problem(a, N, b, N, options).run(plain_call(CUDA_R_32F));
}

}  // namespace

// Columns that take more than 24 bits, with few and many elements in B's rows.
TEST_CASE("SpGEMM of rows of every number of products and a very wide B") {
    constexpr std::int64_t cols = (1 << 24) + 5;
    constexpr std::int64_t lengths[][2] = {{4, 4},  {6, 6},  {10, 10}, {1, 20},
                                           {3, 20}, {6, 20}, {10, 20}, {20, 20}};
    for (const index_choice& index : index_pairs())
        for (const auto& [of_a, of_b] : lengths)
            check_patterns({fmt::format("{} x {} products", of_a, of_b), rows_alike(40, 60, of_a),
                            rows_alike(60, cols, of_b)},
                           index);
}

// Too wide for a bit per column.
TEST_CASE("SpGEMM of rows of many products and a wide B") {
    for (const index_choice& index : index_pairs())
        check_patterns({"many products", rows_alike(6, 30, 25), rows_alike(30, 300'000, 60)}, index);
}

TEST_CASE("SpGEMM of long rows of long ones of every type and index type") {
    check_instances({{"long rows", rows_alike(6, 20, 6), rows_alike(20, 5000, 150)}});
}

TEST_CASE("SpGEMM of matrices that store nothing, of every index type") {
    for (const index_choice& index : index_pairs())
        check_patterns({"nothing", {7, 5, {}}, {5, 9, {}}}, index);
}

namespace {

spgemm_problem problem_of_ones(const entries& left, const entries& right, cudaDataType type,
                               const index_choice& index) {
    const layout csr{"CSR", CUSPARSE_FORMAT_CSR};
    random_source random(59);
    spgemm_options options;
    options.c_index = index;
    return {arrange(left, csr, index, type, random), N, arrange(right, csr, index, type, random), N, options};
}

// By the reuse interface, which has the values computed alone.
void check_product_of_ones(spgemm_problem& problem, cudaDataType type, double expected) {
    const spgemm_call call = plain_call(type);
    const spgemm_descriptor d = make_spgemm_descriptor();
    problem.make_c();
    std::size_t size1 = 0, size5 = 0;
    expect(problem.reuse_work_estimation(d.get(), call, &size1, nullptr));
    const workspace buffer1(size1);
    expect(problem.reuse_work_estimation(d.get(), call, &size1, buffer1.data()));
    spgemm_problem::three_buffers buffers;
    expect(problem.reuse_nnz(d.get(), call, buffers));
    std::vector<workspace> memory;
    for (int i = 0; i < 3; ++i) {
        memory.emplace_back(buffers.size[i]);
        buffers.memory[i] = memory.back().data();
    }
    expect(problem.reuse_nnz(d.get(), call, buffers));
    problem.give_c_arrays(call);
    expect(problem.reuse_copy(d.get(), call, &size5, nullptr));
    const workspace buffer5(size5);
    expect(problem.reuse_copy(d.get(), call, &size5, buffer5.data()));
    expect(problem.reuse_compute(d.get(), call));
    const auto elements = static_cast<std::size_t>(problem.c_nnz());
    CHECK((problem.value_bytes() == encode(type, std::vector<number>(elements, expected))));
}

constexpr cudaDataType tuned_types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F};

// More products than CUDA makes a list of.
void check_dense(cudaDataType type) {
    if (!device_has(type)) return;
    const std::int64_t n = backend_name() == "cuda" ? 330 : 40;
    const entries all = dense_pattern(n, n);
    for (const index_choice& index : index_pairs()) {
        spgemm_problem problem = problem_of_ones(all, all, type, index);
        check_product_of_ones(problem, type, static_cast<double>(n));
    }
}

}  // namespace

TEST_CASE("SpGEMM of full matrices by the reuse interface, f32") { check_dense(CUDA_R_32F); }
TEST_CASE("SpGEMM of full matrices by the reuse interface, f64") { check_dense(CUDA_R_64F); }
TEST_CASE("SpGEMM of full matrices by the reuse interface, c32") { check_dense(CUDA_C_32F); }
TEST_CASE("SpGEMM of full matrices by the reuse interface, c64") { check_dense(CUDA_C_64F); }

// Parts of it are added up by groups of their own.
TEST_CASE("SpGEMM of one element of so many products of every type that they are cut into slices") {
    const std::int64_t n = backend_name() == "cuda" ? 140'000 : 1000;
    for (const cudaDataType type : tuned_types) {
        if (!device_has(type)) continue;
        spgemm_problem problem = problem_of_ones(full_rows(1, n, 1), rows_alike(n, 1, 1), type, {});
        check_product_of_ones(problem, type, static_cast<double>(n));
    }
}
