// Lives of the library that are no program's usual one: closed and opened again, in a child of fork, at an
// exit that waits for nothing, twice in one process. Every case runs in a child of its own, which opens the
// libraries itself.
#define DISABLE_CUSPARSE_DEPRECATED
#include "catch.hpp"
#include "child_process.hpp"
#include <cusparse.h>
#include <heron/heron.h>
#include <dlfcn.h>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace heron::test;

namespace {

constexpr int skipped = 77;

// The functions of one opening of libcusparse and of the libheron that it uses.
struct library {
    explicit library(Lmid_t space = LM_ID_BASE)
        : sparse(dlmopen(space, HERON_CUSPARSE_LIBRARY, RTLD_NOW | RTLD_LOCAL)) {
        if (!sparse) FAIL(dlerror());
        Lmid_t own = 0;
        REQUIRE(dlinfo(sparse, RTLD_DI_LMID, &own) == 0);
        core = dlmopen(own, HERON_LIBRARY, RTLD_NOW | RTLD_LOCAL);
        if (!core) FAIL(dlerror());
    }
    void close() {
        REQUIRE(dlclose(core) == 0);
        REQUIRE(dlclose(sparse) == 0);
    }
    template <class F>
    F* of_core(F*, const char* name) const {
        return reinterpret_cast<F*>(dlsym(core, name));
    }
    template <class F>
    F* of_sparse(F*, const char* name) const {
        return reinterpret_cast<F*>(dlsym(sparse, name));
    }
    void* sparse;
    void* core;
};
#define CORE(name) of_core(static_cast<decltype(&name)>(nullptr), #name)
#define SPARSE(name) of_sparse(static_cast<decltype(&name)>(nullptr), #name)

// Ends the process as skipped where the backend has no device.
class session {
  public:
    explicit session(const library& from) : from_(from) {
        if (from.CORE(heron_create)(&native) != HERON_SUCCESS) std::exit(skipped);
        REQUIRE(from.SPARSE(cusparseCreate)(&handle) == CUSPARSE_STATUS_SUCCESS);
    }
    void end() {
        REQUIRE(from_.SPARSE(cusparseDestroy)(handle) == CUSPARSE_STATUS_SUCCESS);
        REQUIRE(from_.CORE(heron_destroy)(native) == HERON_SUCCESS);
    }
    template <class T>
    T* upload(const std::vector<T>& values) {
        void* memory = nullptr;
        REQUIRE(from_.CORE(heron_alloc)(native, values.size() * sizeof(T), HERON_MEMORY_DEVICE, &memory) ==
                HERON_SUCCESS);
        REQUIRE(from_.CORE(heron_copy)(native, memory, values.data(), values.size() * sizeof(T)) ==
                HERON_SUCCESS);
        return static_cast<T*>(memory);
    }

    heron_handle native = nullptr;
    cusparseHandle_t handle = nullptr;

  private:
    const library& from_;
};

// y := A x for the matrix of n rows with twos on its diagonal.
class problem {
  public:
    problem(const library& from, session& on, int n) : from_(from), on_(on), n_(n) {
        std::vector<int> numbers;
        for (int k = 0; k <= n; ++k) numbers.push_back(k);
        const auto size = static_cast<size_t>(n);
        memory_ = {on.upload(numbers), on.upload(numbers), on.upload(std::vector<float>(size, 2)),
                   on.upload(std::vector<float>(size, 3)), on.upload(std::vector<float>(size, -1))};
        REQUIRE(from.SPARSE(cusparseCreateCsr)(
                    &a_, n, n, n, memory_[0], memory_[1], memory_[2], CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                    CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F) == CUSPARSE_STATUS_SUCCESS);
        REQUIRE(from.SPARSE(cusparseCreateDnVec)(&x_, n, memory_[3], CUDA_R_32F) == CUSPARSE_STATUS_SUCCESS);
        REQUIRE(from.SPARSE(cusparseCreateDnVec)(&y_, n, memory_[4], CUDA_R_32F) == CUSPARSE_STATUS_SUCCESS);
        size_t bytes = 0;
        REQUIRE(with([&](auto... all) { return from.SPARSE(cusparseSpMV_bufferSize)(all..., &bytes); }) ==
                CUSPARSE_STATUS_SUCCESS);
        buffer_ = on.upload(std::vector<char>(bytes + 1));
        memory_.push_back(buffer_);
    }
    cusparseStatus_t submit() const {
        return with([&](auto... all) { return from_.SPARSE(cusparseSpMV)(all..., buffer_); });
    }
    bool is_right() const {
        std::vector<float> y(static_cast<size_t>(n_));
        if (from_.CORE(heron_copy)(on_.native, y.data(), memory_[4], y.size() * sizeof(float)) !=
            HERON_SUCCESS)
            return false;
        return y == std::vector<float>(y.size(), 6);
    }
    void end() {
        REQUIRE(from_.SPARSE(cusparseDestroySpMat)(a_) == CUSPARSE_STATUS_SUCCESS);
        REQUIRE(from_.SPARSE(cusparseDestroyDnVec)(x_) == CUSPARSE_STATUS_SUCCESS);
        REQUIRE(from_.SPARSE(cusparseDestroyDnVec)(y_) == CUSPARSE_STATUS_SUCCESS);
        for (void* const memory : memory_)
            REQUIRE(from_.CORE(heron_free)(on_.native, memory) == HERON_SUCCESS);
    }

  private:
    template <class F>
    cusparseStatus_t with(F&& call) const {
        const float one = 1, zero = 0;
        return call(on_.handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a_, x_, &zero, y_, CUDA_R_32F,
                    CUSPARSE_SPMV_CSR_ALG1);
    }

    const library& from_;
    session& on_;
    int n_;
    std::vector<void*> memory_;
    void* buffer_ = nullptr;
    cusparseSpMatDescr_t a_ = nullptr;
    cusparseDnVecDescr_t x_ = nullptr, y_ = nullptr;
};

// Makes everything, computes, and takes it down again.
void use(const library& from, int n) {
    session on(from);
    problem p(from, on, n);
    REQUIRE(p.submit() == CUSPARSE_STATUS_SUCCESS);
    REQUIRE(p.is_right());
    p.end();
    on.end();
}

// The case ends well; where its child is skipped, so is the program.
void check_child(const std::string& test) {
    const child_result child = run_child("", test);
    if (child.status == skipped) {
        std::printf("skipped: the backend cannot be used here\n");
        std::fflush(stdout);
        std::_Exit(skipped);
    }
    INFO(child.output);
    CHECK(child.status == 0);
}

}  // namespace

TEST_CASE("child: closes and opens", "[.]") {
    for (int round = 0; round < 5; ++round) {
        library it;
        use(it, 1000);
        it.close();
    }
}
TEST_CASE("the library can be closed and opened again") { check_child("child: closes and opens"); }

TEST_CASE("child: exits with work in flight", "[.]") {
    const library it;
    session on(it);
    const problem p(it, on, 500000);
    for (int k = 0; k < 50; ++k) REQUIRE(p.submit() == CUSPARSE_STATUS_SUCCESS);
    std::exit(0);
}
TEST_CASE("child: exits while another thread is in a call", "[.]") {
    const library it;
    session on(it);
    const problem p(it, on, 20000);
    REQUIRE(p.submit() == CUSPARSE_STATUS_SUCCESS);
    std::thread([&] {
        while (p.submit() == CUSPARSE_STATUS_SUCCESS) {
        }
    }).detach();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::exit(0);
}
TEST_CASE("a program may exit with work in flight") {
    for (int round = 0; round < 3; ++round) {
        check_child("child: exits with work in flight");
        check_child("child: exits while another thread is in a call");
    }
}

namespace {

// Whether the child that does this ends with 0, within some seconds.
template <class F>
bool forked(F&& work) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        work();
        std::exit(0);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TEST_CASE("child: forks", "[.]") {
    const library it;
    session on(it);
    problem p(it, on, 300000);
    REQUIRE(p.submit() == CUSPARSE_STATUS_SUCCESS);
    REQUIRE(p.is_right());
    CHECK(forked([] {}));
    // Devices do not go along with a fork; the processor does.
    const char* const backend = std::getenv("HERON_BACKEND");
    if (!backend || backend == std::string("host")) {
        CHECK(forked([&] {
            if (p.submit() != CUSPARSE_STATUS_SUCCESS || !p.is_right()) std::_Exit(1);
            session another(it);
            problem q(it, another, 50);
            if (q.submit() != CUSPARSE_STATUS_SUCCESS || !q.is_right()) std::_Exit(2);
            q.end();
            another.end();
            on.end();
        }));
    }
    // The parent's is as it was.
    REQUIRE(p.submit() == CUSPARSE_STATUS_SUCCESS);
    CHECK(p.is_right());
    p.end();
    on.end();
}
TEST_CASE("a program that has made handles may fork") { check_child("child: forks"); }

TEST_CASE("child: has two", "[.]") {
    const library first, second(LM_ID_NEWLM);
    REQUIRE(first.core != second.core);
    session on(first), also_on(second);
    problem p(first, on, 1000), q(second, also_on, 700);
    for (int k = 0; k < 3; ++k) {
        REQUIRE(p.submit() == CUSPARSE_STATUS_SUCCESS);
        REQUIRE(q.submit() == CUSPARSE_STATUS_SUCCESS);
    }
    CHECK(p.is_right());
    CHECK(q.is_right());
    q.end();
    also_on.end();
    REQUIRE(p.submit() == CUSPARSE_STATUS_SUCCESS);
    CHECK(p.is_right());
    p.end();
    on.end();
}
TEST_CASE("two copies of the library serve one process") { check_child("child: has two"); }
