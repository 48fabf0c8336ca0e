// The phases of SpGEMM: order, buffers that are too small, and large or awkward products.
#include "spgemm_problem.hpp"

#include <algorithm>
#include <cstdio>
#include <thread>

using namespace heron::test;

namespace {

constexpr auto N = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr auto T = CUSPARSE_OPERATION_TRANSPOSE;
constexpr auto invalid = CUSPARSE_STATUS_INVALID_VALUE;
constexpr auto insufficient = CUSPARSE_STATUS_INSUFFICIENT_RESOURCES;

const layout csr{"CSR", CUSPARSE_FORMAT_CSR};

sparse_arrays random_matrix(std::int64_t rows, std::int64_t cols, std::int64_t sparsity,
                            cudaDataType type = CUDA_R_32F) {
    random_source random(static_cast<std::uint64_t>(rows * 3 + cols));
    return arrange(with_values(random_pattern(rows, cols, sparsity, random), type, random), csr, {}, type,
                   random);
}

// A processor has sums of a row of some hundred elements for each of its threads.
std::size_t bytes_of_threads() { return std::size_t{32768} * std::thread::hardware_concurrency(); }

spgemm_call plain_call(cudaDataType type = CUDA_R_32F) {
    spgemm_call call;
    call.compute = sum_type(type);
    return call;
}

// A work estimation that has run, what comes next, and the workspaces of both.
class estimated {
  public:
    estimated(spgemm_problem& problem, const spgemm_call& call, cusparseSpGEMMDescr_t d)
        : problem_(problem), call_(call), descriptor_(d) {
        std::size_t size = 0;
        expect(problem_.work_estimation(descriptor_, call_, &size, nullptr));
        estimation_ = std::make_unique<workspace>(size);
        expect(problem_.work_estimation(descriptor_, call_, &size, estimation_->data()));
        bytes_ = size;
    }
    void find_size() {
        expect(problem_.compute(descriptor_, call_, &compute_size_, nullptr));
        bytes_ += compute_size_;
    }
    // With the workspace whose size was found.
    cusparseStatus_t compute() {
        compute_ = std::make_unique<workspace>(compute_size_);
        return problem_.compute(descriptor_, call_, &compute_size_, compute_->data());
    }
    std::size_t bytes() const { return bytes_; }

  private:
    spgemm_problem& problem_;
    const spgemm_call& call_;
    cusparseSpGEMMDescr_t descriptor_;
    std::unique_ptr<workspace> estimation_, compute_;
    std::size_t compute_size_ = 0, bytes_ = 0;
};

// The phases of the reuse interface that count, and their workspaces.
class counted_for_reuse {
  public:
    counted_for_reuse(spgemm_problem& problem, const spgemm_call& call, cusparseSpGEMMDescr_t d) {
        std::size_t size = 0;
        expect(problem.reuse_work_estimation(d, call, &size, nullptr));
        expect(problem.reuse_work_estimation(d, call, &size, add(size)));
        spgemm_problem::three_buffers buffers;
        expect(problem.reuse_nnz(d, call, buffers));
        for (int i = 0; i < 3; ++i) buffers.memory[i] = add(buffers.size[i]);
        expect(problem.reuse_nnz(d, call, buffers));
    }

  private:
    void* add(std::size_t bytes) {
        return workspaces_.emplace_back(std::make_unique<workspace>(bytes))->data();
    }

    std::vector<std::unique_ptr<workspace>> workspaces_;
};

// The host's threads for this handle, as they were before in the end. Other backends have none.
class threads_scope {
  public:
    ~threads_scope() { heron_set_threads(handle_, 0); }
    void set(int threads) const { expect(heron_set_threads(handle_, threads)); }

  private:
    heron_handle handle_ = reinterpret_cast<heron_handle>(cusparse());
};

}  // namespace

TEST_CASE("a phase that comes too early names the missing one") {
    const sparse_arrays m = random_matrix(40, 40, 5);
    spgemm_problem problem(m, T, m, N);
    const spgemm_call call = plain_call();
    const spgemm_descriptor d = make_spgemm_descriptor();
    std::size_t size = 0;
    std::int64_t products = -1;
    const auto refuses = [](cusparseStatus_t status, const char* missing) {
        expect(status, invalid);
        return missing;
    };
    {
        const log_capture log;
        const char* const missing =
            refuses(problem.compute(d.get(), call, &size, nullptr), "SpGEMM_workEstimation");
        expect(problem.copy(d.get(), call), invalid);
        expect(cusparseSpGEMM_getNumProducts(d.get(), &products), invalid);
        CHECK(products == -1);
        CHECK(log.contains(missing));
    }
    expect(problem.work_estimation(d.get(), call, &size, nullptr));
    {
        const log_capture log;
        std::size_t question = 0;
        expect(problem.compute(d.get(), call, &question, nullptr), invalid);
        CHECK(log.contains("SpGEMM_workEstimation"));
    }
    const workspace buffer1(size);
    expect(problem.work_estimation(d.get(), call, &size, buffer1.data()));
    {
        const log_capture log;
        expect(problem.copy(d.get(), call), invalid);
        CHECK(log.contains("SpGEMM_compute"));
    }
    // The other interface has seen nothing.
    const log_capture log;
    expect(problem.reuse_copy(d.get(), call, &size, nullptr), invalid);
    CHECK(log.contains("SpGEMMreuse_workEstimation"));
}

TEST_CASE("a phase of the reuse interface that comes too early names the missing one") {
    const sparse_arrays m = random_matrix(40, 40, 5);
    spgemm_problem problem(m, T, m, N);
    const spgemm_call call = plain_call();
    const spgemm_descriptor d = make_spgemm_descriptor();
    std::size_t size = 0;
    spgemm_problem::three_buffers buffers;
    {
        const log_capture log;
        expect(problem.reuse_nnz(d.get(), call, buffers), invalid);
        CHECK(log.contains("SpGEMMreuse_workEstimation"));
    }
    expect(problem.reuse_work_estimation(d.get(), call, &size, nullptr));
    const workspace buffer1(size);
    expect(problem.reuse_work_estimation(d.get(), call, &size, buffer1.data()));
    {
        const log_capture log;
        expect(problem.reuse_copy(d.get(), call, &size, nullptr), invalid);
        CHECK(log.contains("SpGEMMreuse_nnz"));
    }
    expect(problem.reuse_nnz(d.get(), call, buffers));
    const workspace first(buffers.size[0]), third(buffers.size[2]);
    buffers.memory[0] = first.data();
    buffers.memory[2] = third.data();
    expect(problem.reuse_nnz(d.get(), call, buffers));
    problem.give_c_arrays(call);
    const log_capture log;
    expect(problem.reuse_compute(d.get(), call), invalid);
    CHECK(log.contains("SpGEMMreuse_copy"));
}

TEST_CASE("buffers that are too small are refused") {
    const sparse_arrays m = random_matrix(200, 200, 9);
    spgemm_problem problem(m, T, m, N);
    const spgemm_call call = plain_call();
    const spgemm_descriptor d = make_spgemm_descriptor();
    std::size_t size1 = 0, size2 = 0;
    expect(problem.work_estimation(d.get(), call, &size1, nullptr));
    const workspace buffer1(size1);
    std::size_t small = size1 - 1;
    const log_capture log;
    expect(problem.work_estimation(d.get(), call, &small, buffer1.data()), insufficient);
    CHECK(log.contains("bufferSize1"));
    expect(problem.work_estimation(d.get(), call, &size1, buffer1.data()));
    expect(problem.compute(d.get(), call, &size2, nullptr));
    const workspace buffer2(size2);
    small = size2 - 1;
    expect(problem.compute(d.get(), call, &small, buffer2.data()), insufficient);
    CHECK(log.contains("bufferSize2"));
    CHECK(problem.c_nnz() == 0);
    expect(problem.compute(d.get(), call, &size2, buffer2.data()));
    problem.give_c_arrays(call);
    expect(problem.copy(d.get(), call));
    problem.check(call);
}

TEST_CASE("a phase with other matrices is refused") {
    const sparse_arrays m = random_matrix(50, 50, 5), other = random_matrix(50, 50, 7);
    spgemm_problem problem(m, N, m, N), different(other, N, m, N);
    const spgemm_call call = plain_call();
    const spgemm_descriptor d = make_spgemm_descriptor();
    std::size_t size1 = 0, size2 = 0;
    expect(problem.work_estimation(d.get(), call, &size1, nullptr));
    const workspace buffer1(size1);
    expect(problem.work_estimation(d.get(), call, &size1, buffer1.data()));
    const log_capture log;
    expect(different.compute(d.get(), call, &size2, nullptr), invalid);
    CHECK(log.contains("matA"));
}

TEST_CASE("C's offsets are there after the phase that counts") {
    const sparse_arrays m = random_matrix(60, 60, 5);
    spgemm_problem problem(m, N, m, N);
    const spgemm_call call = plain_call();
    const spgemm_descriptor d = make_spgemm_descriptor();
    const counted_for_reuse counted(problem, call, d.get());
    CHECK(problem.c_offsets().back() == problem.c_nnz());
}

TEST_CASE("C without room for the product is refused") {
    const sparse_arrays m = random_matrix(60, 60, 5);
    spgemm_problem problem(m, N, m, N);
    const spgemm_call call = plain_call();
    const spgemm_descriptor d = make_spgemm_descriptor();
    estimated phases(problem, call, d.get());
    phases.find_size();
    expect(phases.compute());
    const log_capture log;
    expect(problem.copy(d.get(), call), invalid);
    CHECK(log.contains("matC"));
    problem.make_c();
    expect(problem.copy(d.get(), call), invalid);
}

// A tall X with 5 % elements: NVIDIA's default algorithm runs out of memory for X^T*X, or returns zeros.
TEST_CASE("X^T X of a tall matrix") {
    const cudaDataType type = device_has(CUDA_R_64F) ? CUDA_R_64F : CUDA_R_32F;
    const sparse_arrays x = random_matrix(2000, 300, 20, type);
    spgemm_problem problem(x, T, x, N);
    problem.run(plain_call(type));
    problem.run_reuse(plain_call(type));
    CHECK(problem.c_nnz() > 80000);
    CHECK(problem.workspace_bytes() < 40 * x.values.size() + 64 * 300 + 100000 + bytes_of_threads());
}

TEST_CASE("workspaces that were sized with one thread serve several") {
    const threads_scope threads;
    const sparse_arrays m = random_matrix(600, 600, 20);
    const spgemm_call call = plain_call();
    spgemm_problem problem(m, N, m, N);
    const spgemm_descriptor d = make_spgemm_descriptor();
    threads.set(1);
    estimated phases(problem, call, d.get());
    phases.find_size();
    threads.set(8);
    expect(phases.compute());
    problem.give_c_arrays(call);
    expect(problem.copy(d.get(), call));
    problem.check(call);

    spgemm_problem reused(m, N, m, N);
    const spgemm_descriptor kept = make_spgemm_descriptor();
    threads.set(1);
    const counted_for_reuse counted(reused, call, kept.get());
    reused.give_c_arrays(call);
    std::size_t size5 = 0;
    expect(reused.reuse_copy(kept.get(), call, &size5, nullptr));
    const workspace buffer5(size5);
    expect(reused.reuse_copy(kept.get(), call, &size5, buffer5.data()));
    threads.set(8);
    expect(reused.reuse_compute(kept.get(), call));
    reused.check(call);
}

TEST_CASE("workspaces do not grow with the number of products") {
    // Each row of C takes 150 x 150 products and has 150 elements.
    const sparse_arrays dense = random_matrix(150, 150, 1);
    spgemm_problem problem(dense, N, dense, N);
    problem.run(plain_call());
    CHECK(problem.products() == 150 * 150 * 150);
    CHECK(problem.workspace_bytes() < 1000000 + bytes_of_threads());
}

// A list of products may lie there, but not of very many for each element.
TEST_CASE("the last buffer of the reuse interface is bounded") {
    for (const std::int64_t n : {100, 400}) {
        const sparse_arrays dense = random_matrix(n, n, 1);
        spgemm_problem problem(dense, N, dense, N);
        const spgemm_call call = plain_call();
        const spgemm_descriptor d = make_spgemm_descriptor();
        const counted_for_reuse counted(problem, call, d.get());
        std::int64_t products = 0;
        expect(cusparseSpGEMM_getNumProducts(d.get(), &products));
        REQUIRE(products == n * n * n);
        problem.give_c_arrays(call);
        std::size_t size = 0;
        expect(problem.reuse_copy(d.get(), call, &size, nullptr));
        const auto listed = n == 100 ? static_cast<std::size_t>(products) : 0;
        CHECK(size < 32 * listed + 96 * dense.values.size() + 1000000);
    }
}

TEST_CASE("more than 2^31 products are counted, and elements that 32-bit offsets cannot count are refused") {
    // 70 000 rows that name one row of 70 000 elements: C would have 4.9e9 elements.
    constexpr std::int64_t n = 70000;
    entries left{n, 1, {}}, right{1, n, {}};
    for (std::int64_t i = 0; i < n; ++i) {
        left.list.push_back({i, 0, 1.0});
        right.list.push_back({0, i, 1.0});
    }
    random_source random;
    spgemm_problem problem(arrange(left, csr, {}, CUDA_R_32F, random), N,
                           arrange(right, csr, {}, CUDA_R_32F, random), N);
    const spgemm_call call = plain_call();
    const spgemm_descriptor d = make_spgemm_descriptor();
    estimated phases(problem, call, d.get());
    std::int64_t products = 0;
    expect(cusparseSpGEMM_getNumProducts(d.get(), &products));
    CHECK(products == n * n);
    if (backend_name() != "cuda") {
        std::puts("SKIPPED: elements that 32-bit offsets cannot count; a processor takes too long");
        return;
    }
    phases.find_size();
    const log_capture log;
    expect(phases.compute(), insufficient);
    CHECK(log.contains("create it with 64-bit offsets"));
}

TEST_CASE("more than 2^31 products add up") {
    if (backend_name() == "opencl") {
        std::puts("SKIPPED: more than 2^31 products add up; OpenCL on a processor takes too long");
        return;
    }
    constexpr std::int64_t rows = 2048, inner = 1100, cols = 1024;
    const auto ones = [](std::int64_t m, std::int64_t n) {
        entries result{m, n, {}};
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = 0; j < n; ++j) result.list.push_back({i, j, 1.0});
        random_source random;
        return arrange(result, csr, {}, CUDA_R_32F, random);
    };
    spgemm_problem problem(ones(rows, inner), N, ones(inner, cols), N);
    const spgemm_call call = plain_call();
    const spgemm_descriptor d = make_spgemm_descriptor();
    estimated phases(problem, call, d.get());
    std::int64_t products = 0;
    expect(cusparseSpGEMM_getNumProducts(d.get(), &products));
    CHECK(products == rows * inner * cols);
    phases.find_size();
    CHECK(phases.bytes() < 64 * static_cast<std::size_t>(rows * inner + inner * cols));
    expect(phases.compute());
    REQUIRE(problem.c_nnz() == rows * cols);
    problem.give_c_arrays(call);
    expect(problem.copy(d.get(), call));
    const std::vector<number> values = decode(CUDA_R_32F, problem.value_bytes());
    CHECK(std::count(values.begin(), values.end(), number{static_cast<double>(inner)}) == rows * cols);
}
