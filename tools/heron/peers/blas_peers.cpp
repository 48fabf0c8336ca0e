#include "blas_peers.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "opencl_blas_peers.hpp"
#include "shared_library.hpp"

namespace heron::tools {
namespace {

char letter(heron_type type) {
    switch (type) {
        case HERON_R_32F: return 's';
        case HERON_R_64F: return 'd';
        case HERON_C_32F: return 'c';
        default: return 'z';
    }
}

const char* stem(const dense_problem& p) {
    switch (p.operation) {
        case dense_operation::gemm: return "gemm";
        case dense_operation::rank_k: return p.is_complex() ? "herk" : "syrk";
        case dense_operation::rank_2k: return p.is_complex() ? "her2k" : "syr2k";
        case dense_operation::symmetric: return p.is_complex() ? "hemm" : "symm";
        case dense_operation::triangular: return "trmm";
        default: return "trsm";
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
        if (p.is_half()) return {};
        return p.is_single() ? typed<float>(p) : typed<double>(p);
    }

    // Its threads look for work for 2^26 ticks of the time-stamp counter before they sleep.
    void rest() const override { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }

  private:
    static constexpr int column_order = 102, no_transpose = 111, lower = 122, no_unit = 131, left = 141;

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
        if (p.operation != dense_operation::rank_2k) return structured<R>(p, name);
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

    // With a symmetric or triangular A.
    template <class R>
    std::function<void()> structured(const dense_problem& p, const std::string& name) const {
        const auto run = [this, p, name](auto alpha, auto beta) -> std::function<void()> {
            using T = decltype(alpha);
            if (p.operation == dense_operation::symmetric) {
                const auto f = library_.get<void(int, int, int, int, int, T, const void*, int, const void*,
                                                 int, T, void*, int)>(name);
                return [=] {
                    f(column_order, left, lower, p.m, p.n, alpha, p.a, p.m, p.b, p.m, beta, p.c, p.m);
                };
            }
            const auto f =
                library_.get<void(int, int, int, int, int, int, int, T, const void*, int, void*, int)>(name);
            return [=] {
                f(column_order, left, lower, no_transpose, no_unit, p.m, p.n, alpha, p.a, p.m, p.c, p.m);
            };
        };
        const R* const one = constants<R>::one;
        const R* const zero = constants<R>::zero;
        return p.is_complex() ? run(static_cast<const void*>(one), static_cast<const void*>(zero))
                              : run(R(1), R(0));
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
        if (p.is_half()) return half_product(p, one, zero);
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
        if (p.operation != dense_operation::rank_2k) return structured(p, name, one, zero);
        const auto f = library_.get<int(void*, int, int, int, int, const void*, const void*, int, const void*,
                                        int, const void*, void*, int)>(name);
        return [=] {
            check_status(f(handle, lower, no_transpose, p.n, p.k, one, p.a, p.n, p.b, p.n, zero, p.c, p.n),
                         name);
        };
    }

  private:
    std::function<void()> half_product(const dense_problem& p, const void* one, const void* zero) const {
        constexpr int half = 2, bfloat16 = 14, computes_in_single = 68, its_choice = -1;
        const int type = p.type == HERON_R_16F ? half : bfloat16;
        const std::string name = "cublasGemmStridedBatchedEx";
        const auto f = library_.get<int(void*, int, int, int, int, int, const void*, const void*, int, int,
                                        long long, const void*, int, int, long long, const void*, void*, int,
                                        int, long long, int, int, int)>(name);
        void* const handle = handle_;
        return [=] {
            check_status(f(handle, p.op_a, p.op_b, p.m, p.n, p.k, one, p.a, type, p.lda(), p.a_size(), p.b,
                           type, p.ldb(), p.b_size(), zero, p.c, type, p.m, p.c_size(), p.batch,
                           computes_in_single, its_choice),
                         name);
        };
    }

    // With a symmetric or triangular A.
    std::function<void()> structured(const dense_problem& p, const std::string& name, const void* one,
                                     const void* zero) const {
        constexpr int left = 0, lower = 0, no_transpose = 0, no_unit = 0;
        void* const handle = handle_;
        if (p.operation == dense_operation::symmetric) {
            const auto f = library_.get<int(void*, int, int, int, int, const void*, const void*, int,
                                            const void*, int, const void*, void*, int)>(name);
            return [=] {
                check_status(f(handle, left, lower, p.m, p.n, one, p.a, p.m, p.b, p.m, zero, p.c, p.m), name);
            };
        }
        if (p.operation == dense_operation::solve) {
            const auto f =
                library_
                    .get<int(void*, int, int, int, int, int, int, const void*, const void*, int, void*, int)>(
                        name);
            return [=] {
                check_status(f(handle, left, lower, no_transpose, no_unit, p.m, p.n, one, p.a, p.m, p.c, p.m),
                             name);
            };
        }
        const auto f = library_.get<int(void*, int, int, int, int, int, int, const void*, const void*, int,
                                        const void*, int, void*, int)>(name);
        return [=] {
            check_status(
                f(handle, left, lower, no_transpose, no_unit, p.m, p.n, one, p.a, p.m, p.c, p.m, p.c, p.m),
                name);
        };
    }

    static void check_status(int status, const std::string& what) {
        if (status != 0) throw std::runtime_error(fmt::format("{} returned {}", what, status));
    }

    shared_library library_;
    void* handle_ = nullptr;
};

// Heron's own clBLAS has the names of the other one.
std::vector<opencl_library> opencl_libraries(const std::vector<std::string>& against) {
    std::vector<opencl_library> found;
    for (const std::string& each : against) {
        const std::size_t equals = each.find('=');
        const std::string file = equals == std::string::npos ? each : each.substr(equals + 1);
        const std::string name = equals == std::string::npos ? std::filesystem::path(file).stem().string()
                                                             : each.substr(0, equals);
        const shared_library library(file);
        if (!library) throw std::runtime_error(fmt::format("{} cannot be loaded", file));
        found.push_back({name, library});
    }
    if (!found.empty()) return found;
    const shared_library clblast(std::array{"libclblast.so.1", "libclblast.so"});
    if (clblast) found.push_back({"clblast", clblast});
    const shared_library clblas(std::array{"libclBLAS.so.2", "libclBLAS.so"});
    if (clblas && !clblas.has("heron_create")) found.push_back({"clblas", clblas});
    return found;
}

}  // namespace

std::string dense_problem::function_stem() const { return letter(type) + std::string(stem(*this)); }

double dense_problem::operations() const {
    const double product = static_cast<double>(m) * n * k * (is_complex() ? 8 : 2) * batch;
    switch (operation) {
        case dense_operation::gemm: return product;
        case dense_operation::rank_k: return product / n * (n + 1) / 2;
        case dense_operation::rank_2k: return product / n * (n + 1);
        case dense_operation::symmetric: return product;
        default: return product / 2;
    }
}

std::vector<std::unique_ptr<blas_peer>> open_blas_peers(const device& where,
                                                        const std::vector<std::string>& against) {
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
    if (where.backend() == "opencl")
        for (auto& peer : open_opencl_peers(where, opencl_libraries(against)))
            peers.push_back(std::move(peer));
    return peers;
}

}  // namespace heron::tools
