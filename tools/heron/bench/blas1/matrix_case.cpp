#include <heron/dense.h>

#include <array>
#include <cmath>
#include <limits>

#include "typed_memory.hpp"
#include "vector_case.hpp"

namespace heron::tools {
namespace {

constexpr int cublas_left = 0, cublas_right = 1;

// y := alpha*op(A)*x + beta*y for the items of a batch.
template <class T>
class batched_product : public vector_case {
    using R = typename facts<T>::real;

  public:
    batched_product(const device& where, const std::string& function, const matrix_extent& e)
        : where_(where),
          by_address_(function.starts_with("gemvBatched")),
          transposed_(function.ends_with("T")),
          e_(e),
          a_(numbers<T>(e.m * e.n * e.batch)),
          x_(numbers<T>(inputs() * e.batch)),
          y_(numbers<T>(outputs() * e.batch)),
          a_device_(sent(where, a_)),
          x_device_(sent(where, x_)),
          y_device_(sent(where, y_)),
          lists_{addresses(a_device_, e.m * e.n), addresses(x_device_, inputs()),
                 addresses(y_device_, outputs())} {}

    double bytes() const override {
        return static_cast<double>((e_.m * e_.n + inputs() + 2 * outputs()) * e_.batch) * sizeof(T);
    }

    std::function<void()> heron_call() override {
        const auto operand = [this](const device_buffer& memory, std::size_t list, std::int64_t stride) {
            if (!by_address_)
                return heron_batch_operand{
                    HERON_BATCH_STRIDED, HERON_INDEX_32, memory.get(), stride, nullptr, 0};
            return heron_batch_operand{
                HERON_BATCH_POINTERS, HERON_INDEX_32, nullptr, 0, lists_[list].get(), 1};
        };
        const auto op = transposed_ ? HERON_OP_TRANSPOSE : HERON_OP_NONE;
        return [=, this, a = operand(a_device_, 0, e_.m * e_.n), x = operand(x_device_, 1, inputs()),
                y = operand(y_device_, 2, outputs())] {
            check(heron_gemv_batched(where_.handle(), facts<T>::type, HERON_ORDER_COLUMN, op, e_.m, e_.n,
                                     &alpha_, a, e_.m, x, 1, &beta_, facts<T>::type, y, 1, e_.batch),
                  "heron_gemv_batched");
        };
    }

    std::function<void()> peer_call(const vector_peer& peer) override {
        if (!peer.is_cublas()) return {};
        const shared_library& l = peer.library();
        void* const h = peer.handle();
        require_cublas(l.get<int(void*, int)>("cublasSetPointerMode_v2")(h, pointers_on_host));
        const std::string name = "cublas" + capital(facts<T>::letter) + "gemv";
        const int op = transposed_ ? cublas_transpose : cublas_none;
        const int m = static_cast<int>(e_.m), n = static_cast<int>(e_.n), batch = static_cast<int>(e_.batch);
        if (by_address_) {
            const auto f = l.get<int(void*, int, int, int, const T*, const void*, int, const void*, int,
                                     const T*, const void*, int, int)>(name + "Batched");
            return [=, this] {
                require_cublas(f(h, op, m, n, &alpha_, lists_[0].get(), m, lists_[1].get(), 1, &beta_,
                                 lists_[2].get(), 1, batch));
            };
        }
        const auto f =
            l.get<int(void*, int, int, int, const T*, const void*, int, long long, const void*, int,
                      long long, const T*, void*, int, long long, int)>(name + "StridedBatched");
        return [=, this] {
            require_cublas(f(h, op, m, n, &alpha_, a_device_.get(), m, e_.m * e_.n, x_device_.get(), 1,
                             inputs(), &beta_, y_device_.get(), 1, outputs(), batch));
        };
    }

    std::string fault_of(const std::function<void()>& call) override {
        send(where_, y_device_, y_);
        call();
        const std::vector<T> got = received<T>(where_, y_device_, y_.size());
        // Each item of small batches, and of others some.
        const std::int64_t step = e_.batch / 100 + 1;
        for (std::int64_t k = 0; k < e_.batch; k += step)
            for (std::int64_t i = 0; i < outputs(); ++i)
                if (!is_right(k, i, got[static_cast<std::size_t>(k * outputs() + i)]))
                    return "element " + std::to_string(i) + " of item " + std::to_string(k) + " is wrong";
        return {};
    }

  private:
    std::int64_t inputs() const { return transposed_ ? e_.m : e_.n; }
    std::int64_t outputs() const { return transposed_ ? e_.n : e_.m; }

    device_buffer addresses(const device_buffer& memory, std::int64_t apart) const {
        std::vector<void*> list;
        for (std::int64_t k = 0; k < e_.batch; ++k)
            list.push_back(memory.at(static_cast<std::size_t>(k * apart) * sizeof(T)));
        return sent(where_, list);
    }

    bool is_right(std::int64_t k, std::int64_t i, T got) const {
        using wide = std::complex<double>;
        const auto at = [](const std::vector<T>& v, std::int64_t place) {
            return wide(v[static_cast<std::size_t>(place)]);
        };
        wide sum = wide(beta_) * at(y_, k * outputs() + i);
        double size = std::abs(sum);
        for (std::int64_t j = 0; j < inputs(); ++j) {
            const std::int64_t place = transposed_ ? j + i * e_.m : i + j * e_.m;
            const wide term = wide(alpha_) * at(a_, k * e_.m * e_.n + place) * at(x_, k * inputs() + j);
            sum += term;
            size += std::abs(term);
        }
        return std::abs(wide(got) - sum) <=
               std::numeric_limits<R>::epsilon() * (16 + 4 * std::sqrt(static_cast<double>(inputs()))) * size;
    }

    const device& where_;
    bool by_address_, transposed_;
    matrix_extent e_;
    std::vector<T> a_, x_, y_;
    device_buffer a_device_, x_device_, y_device_;
    std::array<device_buffer, 3> lists_;
    // cuBLAS takes complex numbers that are aligned to their size, which std::complex is not.
    alignas(2 * sizeof(R)) T alpha_ = T(-1);
    alignas(2 * sizeof(R)) T beta_ = T(static_cast<R>(0.5));
};

// geam: C := alpha*A + beta*B; geamT: alpha*A^T + beta*B. dgmm: C := diag(x)*A; dgmmR: A*diag(x).
template <class T>
class element_case : public vector_case {
    using R = typename facts<T>::real;

  public:
    element_case(const device& where, std::string function, const matrix_extent& e)
        : where_(where),
          function_(std::move(function)),
          e_(e),
          a_(numbers<T>(e.m * e.n)),
          b_(numbers<T>(is_sum() ? e.m * e.n : std::max(e.m, e.n))),
          a_device_(sent(where, a_)),
          b_device_(sent(where, b_)),
          c_device_(sent(where, a_)) {}

    double bytes() const override {
        return static_cast<double>(e_.m * e_.n) * (is_sum() ? 3 : 2) * sizeof(T);
    }

    std::function<void()> heron_call() override {
        const heron_handle h = where_.handle();
        const heron_type type = facts<T>::type;
        const void *const a = a_device_.get(), *const b = b_device_.get();
        void* const c = c_device_.get();
        if (is_sum()) {
            const auto op = is_transposed() ? HERON_OP_TRANSPOSE : HERON_OP_NONE;
            return [=, this] {
                check(heron_geam(h, type, HERON_ORDER_COLUMN, op, HERON_OP_NONE, e_.m, e_.n, &alpha_, a,
                                 lda(), &beta_, b, e_.m, c, e_.m),
                      "heron_geam");
            };
        }
        const auto side = is_left() ? HERON_SIDE_LEFT : HERON_SIDE_RIGHT;
        return [=, this] {
            check(heron_dgmm(h, type, HERON_ORDER_COLUMN, side, e_.m, e_.n, a, e_.m, b, 1, c, e_.m),
                  "heron_dgmm");
        };
    }

    std::function<void()> peer_call(const vector_peer& peer) override {
        if (!peer.is_cublas()) return {};
        const shared_library& l = peer.library();
        void* const h = peer.handle();
        require_cublas(l.get<int(void*, int)>("cublasSetPointerMode_v2")(h, pointers_on_host));
        const std::string name = "cublas" + capital(facts<T>::letter);
        const int m = static_cast<int>(e_.m), n = static_cast<int>(e_.n), of_a = static_cast<int>(lda());
        const void *const a = a_device_.get(), *const b = b_device_.get();
        void* const c = c_device_.get();
        if (is_sum()) {
            const int op = is_transposed() ? cublas_transpose : cublas_none;
            const auto f = l.get<int(void*, int, int, int, int, const T*, const void*, int, const T*,
                                     const void*, int, void*, int)>(name + "geam");
            return [=, this] {
                require_cublas(f(h, op, cublas_none, m, n, &alpha_, a, of_a, &beta_, b, m, c, m));
            };
        }
        const int side = is_left() ? cublas_left : cublas_right;
        const auto f =
            l.get<int(void*, int, int, int, const void*, int, const void*, int, void*, int)>(name + "dgmm");
        return [=] { require_cublas(f(h, side, m, n, a, m, b, 1, c, m)); };
    }

    std::string fault_of(const std::function<void()>& call) override {
        where_.fill(c_device_.get(), 0xff, a_.size() * sizeof(T));
        call();
        const std::vector<T> got = received<T>(where_, c_device_, a_.size());
        const auto at = [](const std::vector<T>& v, std::int64_t place) {
            return v[static_cast<std::size_t>(place)];
        };
        for (std::int64_t j = 0; j < e_.n; ++j)
            for (std::int64_t i = 0; i < e_.m; ++i) {
                const std::int64_t place = i + j * e_.m;
                const T element = at(a_, is_transposed() ? j + i * e_.n : place);
                const T want =
                    is_sum() ? alpha_ * element + beta_ * at(b_, place) : element * at(b_, is_left() ? i : j);
                if (!(std::abs(at(got, place) - want) <= std::numeric_limits<R>::epsilon() * 8))
                    return "element " + std::to_string(place) + " is wrong";
            }
        return {};
    }

  private:
    bool is_sum() const { return function_.starts_with("geam"); }
    bool is_transposed() const { return function_ == "geamT"; }
    bool is_left() const { return function_ == "dgmm"; }
    std::int64_t lda() const { return is_transposed() ? e_.n : e_.m; }

    const device& where_;
    std::string function_;
    matrix_extent e_;
    std::vector<T> a_, b_;
    device_buffer a_device_, b_device_, c_device_;
    // cuBLAS takes complex numbers that are aligned to their size, which std::complex is not.
    alignas(2 * sizeof(R)) T alpha_ = T(-1);
    alignas(2 * sizeof(R)) T beta_ = T(static_cast<R>(0.5));
};

template <class T>
std::unique_ptr<vector_case> make_typed(const device& where, const std::string& function,
                                        const matrix_extent& e) {
    if (function.starts_with("gemv")) return std::make_unique<batched_product<T>>(where, function, e);
    return std::make_unique<element_case<T>>(where, function, e);
}

}  // namespace

std::unique_ptr<vector_case> make_matrix_case(const device& where, const std::string& function,
                                              const std::string& type, const matrix_extent& e) {
    if (type == "f32") return make_typed<float>(where, function, e);
    if (type == "f64") return make_typed<double>(where, function, e);
    if (type == "c32") return make_typed<std::complex<float>>(where, function, e);
    return make_typed<std::complex<double>>(where, function, e);
}

}  // namespace heron::tools
