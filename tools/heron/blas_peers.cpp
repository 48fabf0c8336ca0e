#include "blas_peers.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <stdexcept>

namespace heron::tools {
namespace {

class shared_library {
  public:
    // The first of the names that the dynamic linker finds; it stays open.
    template <std::size_t count>
    explicit shared_library(const std::array<const char*, count>& names) {
        for (const char* name : names)
            if (!handle_) handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    explicit operator bool() const { return handle_ != nullptr; }

    template <class Function>
    Function* get(const std::string& name) const {
        void* const symbol = dlsym(handle_, name.c_str());
        if (!symbol) throw std::runtime_error(fmt::format("{} is missing", name));
        return reinterpret_cast<Function*>(symbol);
    }

  private:
    void* handle_ = nullptr;
};

char letter(heron_type type) {
    switch (type) {
        case HERON_R_32F:
            return 's';
        case HERON_R_64F:
            return 'd';
        case HERON_C_32F:
            return 'c';
        default:
            return 'z';
    }
}

const char* stem(const dense_problem& p) {
    switch (p.operation) {
        case dense_operation::gemm:
            return "gemm";
        case dense_operation::rank_k:
            return p.is_complex() ? "herk" : "syrk";
        default:
            return p.is_complex() ? "her2k" : "syr2k";
    }
}

// One and zero as every type takes them: the first number of a pair is the real one.
template <class R>
struct constants {
    static constexpr R one[2] = {1, 0};
    static constexpr R zero[2] = {0, 0};
};

const void* item_of(const void* base, std::int64_t elements, const dense_problem& p) {
    return static_cast<const char*>(base) + elements * p.element_bytes();
}

class openblas : public blas_peer {
  public:
    openblas(shared_library library, int threads) : library_(library) {
        library_.get<void(int)>("openblas_set_num_threads")(threads);
    }
    std::string name() const override { return "openblas"; }
    std::string version() const override { return library_.get<char*()>("openblas_get_config")(); }

    std::function<void()> call(const dense_problem& p) const override {
        return p.is_single() ? typed<float>(p) : typed<double>(p);
    }

  private:
    static constexpr int column_order = 102, no_transpose = 111, lower = 122;

    static int code(heron_operation op) { return no_transpose + static_cast<int>(op); }

    // Real scalars are passed by value, complex ones by address.
    template <class R>
    std::function<void()> typed(const dense_problem& p) const {
        const std::string name = fmt::format("cblas_{}{}", letter(p.type), stem(p));
        const R* const one = constants<R>::one;
        const R* const zero = constants<R>::zero;
        if (p.operation == dense_operation::gemm) {
            const auto run = [this, p, name](auto alpha, auto beta) -> std::function<void()> {
                using T = decltype(alpha);
                const auto f = library_.get<void(int, int, int, int, int, int, T, const void*, int,
                                                 const void*, int, T, void*, int)>(name);
                return [=] {
                    for (std::int64_t item = 0; item < p.batch; ++item)
                        f(column_order, code(p.op_a), code(p.op_b), p.m, p.n, p.k, alpha,
                          item_of(p.a, item * p.a_size(), p), p.lda(), item_of(p.b, item * p.b_size(), p),
                          p.ldb(), beta, const_cast<void*>(item_of(p.c, item * p.c_size(), p)), p.m);
                };
            };
            return p.is_complex() ? run(static_cast<const void*>(one), static_cast<const void*>(zero))
                                  : run(R(1), R(0));
        }
        if (p.operation == dense_operation::rank_k) {
            const auto f =
                library_.get<void(int, int, int, int, int, R, const void*, int, R, void*, int)>(name);
            return [=] { f(column_order, lower, no_transpose, p.n, p.k, R(1), p.a, p.n, R(0), p.c, p.n); };
        }
        const auto run = [this, p, name](auto alpha) -> std::function<void()> {
            using T = decltype(alpha);
            const auto f =
                library_
                    .get<void(int, int, int, int, int, T, const void*, int, const void*, int, R, void*, int)>(
                        name);
            return [=] {
                f(column_order, lower, no_transpose, p.n, p.k, alpha, p.a, p.n, p.b, p.n, R(0), p.c, p.n);
            };
        };
        return p.is_complex() ? run(static_cast<const void*>(one)) : run(R(1));
    }

    shared_library library_;
};

class cublas : public blas_peer {
  public:
    explicit cublas(shared_library library) : library_(library) {
        check_status(library_.get<int(void**)>("cublasCreate_v2")(&handle_), "cublasCreate");
    }
    ~cublas() override { library_.get<int(void*)>("cublasDestroy_v2")(handle_); }
    cublas(const cublas&) = delete;
    cublas& operator=(const cublas&) = delete;

    std::string name() const override { return "cublas"; }
    std::string version() const override {
        int number = 0;
        library_.get<int(void*, int*)>("cublasGetVersion_v2")(handle_, &number);
        return std::to_string(number);
    }

    std::function<void()> call(const dense_problem& p) const override {
        constexpr int no_transpose = 0, lower = 0;
        const std::string name =
            fmt::format("cublas{}{}_v2", static_cast<char>(letter(p.type) - 'a' + 'A'), stem(p));
        const void* const one =
            p.is_single() ? static_cast<const void*>(constants<float>::one) : constants<double>::one;
        const void* const zero =
            p.is_single() ? static_cast<const void*>(constants<float>::zero) : constants<double>::zero;
        void* const handle = handle_;
        constexpr int default_math = 0, tf32_math = 3;
        check_status(library_.get<int(void*, int)>("cublasSetMathMode")(
                         handle_, p.algorithm == HERON_GEMM_TF32 ? tf32_math : default_math),
                     "cublasSetMathMode");
        if (p.batch > 1) {
            const std::string batched =
                fmt::format("cublas{}gemmStridedBatched", static_cast<char>(letter(p.type) - 'a' + 'A'));
            const auto f =
                library_.get<int(void*, int, int, int, int, int, const void*, const void*, int, long long,
                                 const void*, int, long long, const void*, void*, int, long long, int)>(
                    batched);
            return [=] {
                check_status(f(handle, p.op_a, p.op_b, p.m, p.n, p.k, one, p.a, p.lda(), p.a_size(), p.b,
                               p.ldb(), p.b_size(), zero, p.c, p.m, p.c_size(), p.batch),
                             batched);
            };
        }
        if (p.operation == dense_operation::gemm) {
            const auto f = library_.get<int(void*, int, int, int, int, int, const void*, const void*, int,
                                            const void*, int, const void*, void*, int)>(name);
            return [=] {
                check_status(
                    f(handle, p.op_a, p.op_b, p.m, p.n, p.k, one, p.a, p.lda(), p.b, p.ldb(), zero, p.c, p.m),
                    name);
            };
        }
        if (p.operation == dense_operation::rank_k) {
            const auto f = library_.get<int(void*, int, int, int, int, const void*, const void*, int,
                                            const void*, void*, int)>(name);
            return [=] {
                check_status(f(handle, lower, no_transpose, p.n, p.k, one, p.a, p.n, zero, p.c, p.n), name);
            };
        }
        const auto f = library_.get<int(void*, int, int, int, int, const void*, const void*, int, const void*,
                                        int, const void*, void*, int)>(name);
        return [=] {
            check_status(f(handle, lower, no_transpose, p.n, p.k, one, p.a, p.n, p.b, p.n, zero, p.c, p.n),
                         name);
        };
    }

  private:
    static void check_status(int status, const std::string& what) {
        if (status != 0) throw std::runtime_error(fmt::format("{} returned {}", what, status));
    }

    shared_library library_;
    void* handle_ = nullptr;
};

}  // namespace

double dense_problem::operations() const {
    const double product = static_cast<double>(m) * n * k * (is_complex() ? 8 : 2) * batch;
    switch (operation) {
        case dense_operation::gemm:
            return product;
        case dense_operation::rank_k:
            return product / n * (n + 1) / 2;
        default:
            return product / n * (n + 1);
    }
}

std::vector<std::unique_ptr<blas_peer>> open_blas_peers(const device& where) {
    std::vector<std::unique_ptr<blas_peer>> peers;
    if (where.is_processor() && where.info().is_host_accessible) {
        const shared_library library(std::array{"libopenblas.so.0", "libopenblas.so"});
        if (library)
            peers.push_back(
                std::make_unique<openblas>(library, static_cast<int>(where.info().compute_units)));
    }
    if (where.backend() == "cuda") {
        const shared_library library(std::array{"libcublas.so.13", "libcublas.so.12", "libcublas.so"});
        if (library) peers.push_back(std::make_unique<cublas>(library));
    }
    return peers;
}

}  // namespace heron::tools
