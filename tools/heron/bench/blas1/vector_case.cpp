#include "vector_case.hpp"

#include <heron/dense.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "typed_memory.hpp"

namespace heron::tools {
namespace {

// CBLAS takes real scalars by value and complex ones by address.
template <class T>
auto by_cblas(const T& v) {
    if constexpr (facts<T>::is_complex)
        return static_cast<const void*>(&v);
    else
        return v;
}
template <class T>
using cblas_scalar = decltype(by_cblas(std::declval<const T&>()));

// CBLAS's and cuBLAS's numbers of their enumerations.
constexpr int column_major = 102, cblas_none = 111, cblas_transpose = 112, cblas_lower = 122,
              cblas_non_unit = 131;
constexpr int cublas_lower = 0, cublas_non_unit = 0;

template <class T>
class typed_case : public vector_case {
    using R = typename facts<T>::real;

  public:
    typed_case(const device& where, std::string function, std::int64_t m, std::int64_t n)
        : where_(where),
          function_(std::move(function)),
          m_(m),
          n_(n),
          x_(numbers<T>(std::max(m, n))),
          y_(numbers<T>(std::max(m, n))) {
        if (is_matrix()) {
            a_ = numbers<T>(elements());
            // Triangles whose products and solutions stay as large as what they are made of.
            if (function_[0] == 't') {
                for (T& v : a_) v *= static_cast<R>(0.1 / static_cast<double>(n));
                for (std::int64_t i = 0; i < n; ++i) a_[place(i, i)] = T(1);
            }
        }
        x_device_ = sent(where_, x_);
        y_device_ = sent(where_, y_);
        a_device_ = sent(where_, a_);
        result_ = where_.allocate(2 * sizeof(double));
    }

    double bytes() const override {
        const double vector = static_cast<double>(m_) * sizeof(T),
                     matrix = static_cast<double>(elements()) * sizeof(T);
        if (function_ == "copy" || function_ == "scal" || function_ == "dot") return 2 * vector;
        if (function_ == "axpy") return 3 * vector;
        if (!is_matrix()) return vector;
        if (function_ == "ger") return 2 * matrix;
        if (is_band() || is_packed()) return matrix;
        return function_[0] == 'g' ? matrix : matrix / 2;
    }

    std::function<void()> heron_call() override {
        const heron_handle h = where_.handle();
        const heron_type type = facts<T>::type;
        void *const x = x_device_.get(), *const y = y_device_.get(), *const a = a_device_.get();
        check(heron_set_pointer_mode(h, reduces() ? HERON_POINTER_DEVICE : HERON_POINTER_HOST),
              "heron_set_pointer_mode");
        const auto column = HERON_ORDER_COLUMN;
        return heron_function(h, type, column, x, y, a);
    }

    std::function<void()> peer_call(const vector_peer& peer) override {
        return peer.is_cublas() ? cublas_call(peer) : cblas_call(peer);
    }

    std::string fault_of(const std::function<void()>& call) override {
        send(where_, x_device_, x_);
        send(where_, y_device_, y_);
        send(where_, a_device_, a_);
        call();
        where_.synchronize();
        if (reduces()) return fault_of_result();
        if (function_ == "ger") return fault_of_update();
        const bool writes_x = function_ == "scal" || function_[0] == 't';
        const std::vector<T> got = received<T>(where_, writes_x ? x_device_ : y_device_, x_.size());
        if (function_[0] == 't' && function_ != "trmv") return fault_of_solution(got);
        const std::int64_t outputs = function_ == "gemvT" ? n_ : m_;
        for (std::int64_t i = 0; i < outputs; ++i) {
            double size = 0;
            const std::complex<double> want = expected(i, size);
            const double error = std::abs(std::complex<double>(got[static_cast<std::size_t>(i)]) - want);
            if (!(error <= tolerance() * size)) return "element " + std::to_string(i) + " is wrong";
        }
        return {};
    }

  private:
    bool is_matrix() const {
        return function_.starts_with("ge") || function_.ends_with("v") || function_.ends_with("T");
    }
    bool is_transposed() const { return function_.ends_with("T"); }

    // A band has so many diagonals beside the main one, on both sides where the matrix is general. Of others
    // than general matrices the lower triangle is stored.
    static constexpr std::int64_t diagonals = 32;
    bool is_band() const { return function_.find('b') != std::string::npos; }
    bool is_packed() const { return function_ == "tpsv"; }
    bool is_general() const { return function_[0] == 'g'; }
    std::int64_t ld() const {
        if (!is_band()) return m_;
        return is_general() ? 2 * diagonals + 1 : diagonals + 1;
    }
    std::int64_t elements() const { return is_packed() ? n_ * (n_ + 1) / 2 : ld() * n_; }
    std::size_t place(std::int64_t i, std::int64_t j) const {
        if (is_packed()) return static_cast<std::size_t>(i + j * (2 * n_ - j - 1) / 2);
        if (!is_band()) return static_cast<std::size_t>(i + j * m_);
        return static_cast<std::size_t>(i - j + (is_general() ? diagonals : 0) + j * ld());
    }
    // The columns of row i that have elements, out of `length`.
    std::int64_t first_column(std::int64_t i) const {
        return is_band() ? std::max<std::int64_t>(i - diagonals, 0) : 0;
    }
    std::int64_t end_column(std::int64_t i, std::int64_t length) const {
        return is_band() ? std::min(i + diagonals + 1, length) : length;
    }
    bool reduces() const {
        return function_ == "dot" || function_ == "nrm2" || function_ == "asum" || function_ == "iamax";
    }
    double tolerance() const {
        return std::numeric_limits<R>::epsilon() *
               (16 + std::sqrt(static_cast<double>(std::max(m_, n_))) * 4);
    }

    // A call without another behind it, as the peers' are.
    template <class F>
    std::function<void()> checked(const F& call) const {
        return [this, call] {
            if (const heron_status status = call(); status != HERON_SUCCESS) check(status, function_.c_str());
        };
    }

    // Chosen by name here, so that a call is nothing but the function's.
    std::function<void()> heron_function(heron_handle h, heron_type type, heron_order order, void* x, void* y,
                                         void* a) const {
        const auto lower = HERON_FILL_LOWER;
        const auto none = HERON_OP_NONE;
        const auto keep = HERON_DIAG_NON_UNIT;
        void* const result = result_.get();
        if (function_ == "copy")
            return checked([=, this] { return heron_vector_copy(h, type, m_, x, 1, y, 1); });
        if (function_ == "scal")
            return checked([=, this] { return heron_scal(h, type, m_, type, &alpha_, x, 1); });
        if (function_ == "axpy")
            return checked([=, this] { return heron_axpy(h, type, m_, &alpha_, x, 1, y, 1); });
        if (function_ == "dot")
            return checked([=, this] { return heron_dotc(h, type, m_, x, 1, y, 1, result); });
        if (function_ == "nrm2") return checked([=, this] { return heron_nrm2(h, type, m_, x, 1, result); });
        if (function_ == "asum") return checked([=, this] { return heron_asum(h, type, m_, x, 1, result); });
        if (function_ == "iamax")
            return checked(
                [=, this] { return heron_iamax(h, type, m_, x, 1, static_cast<std::int64_t*>(result)); });
        if (function_ == "gemv" || function_ == "gemvT")
            return checked([=, this, op = function_ == "gemv" ? none : HERON_OP_TRANSPOSE] {
                return heron_gemv(h, type, order, op, m_, n_, &alpha_, a, m_, x, 1, &beta_, y, 1);
            });
        if (function_ == "gbmv" || function_ == "gbmvT")
            return checked([=, this, op = is_transposed() ? HERON_OP_TRANSPOSE : none] {
                return heron_gbmv(h, type, order, op, m_, n_, diagonals, diagonals, &alpha_, a, ld(), x, 1,
                                  &beta_, y, 1);
            });
        const auto storage = is_band()     ? HERON_STORAGE_BANDED
                             : is_packed() ? HERON_STORAGE_PACKED
                                           : HERON_STORAGE_FULL;
        if (function_ == "symv" || function_ == "sbmv")
            return checked([=, this] {
                return heron_symv(h, type, order, lower, storage, n_, diagonals, &alpha_, a, ld(), x, 1,
                                  &beta_, y, 1);
            });
        if (function_ == "ger")
            return checked(
                [=, this] { return heron_ger(h, type, order, m_, n_, &alpha_, x, 1, y, 1, a, m_); });
        const auto triangular = function_ == "trmv" ? &heron_trmv : &heron_trsv;
        return checked([=, this] {
            return triangular(h, type, order, lower, none, keep, storage, n_, diagonals, a, ld(), x, 1);
        });
    }

    std::function<void()> cublas_call(const vector_peer& peer) {
        using handle = void*;
        const shared_library& l = peer.library();
        const handle h = peer.handle();
        const std::string letter = capital(facts<T>::letter);
        T *const x = static_cast<T*>(x_device_.get()), *const y = static_cast<T*>(y_device_.get()),
                 *const a = static_cast<T*>(a_device_.get());
        void* const result = result_.get();
        const int m = static_cast<int>(m_), n = static_cast<int>(n_);
        require_cublas(l.get<int(handle, int)>("cublasSetPointerMode_v2")(
            h, reduces() ? pointers_on_device : pointers_on_host));
        const auto named = [&](const std::string& name) { return "cublas" + name + "_v2"; };
        // What a norm's name begins with says which type its result has.
        const std::string of_norm = facts<T>::is_complex ? (sizeof(R) == 4 ? "Sc" : "Dz") : letter;
        if (function_ == "copy") {
            const auto f = l.get<int(handle, int, const T*, int, T*, int)>(named(letter + "copy"));
            return [=] { require_cublas(f(h, m, x, 1, y, 1)); };
        }
        if (function_ == "scal") {
            const auto f = l.get<int(handle, int, const T*, T*, int)>(named(letter + "scal"));
            return [=, this] { require_cublas(f(h, m, &alpha_, x, 1)); };
        }
        if (function_ == "axpy") {
            const auto f = l.get<int(handle, int, const T*, const T*, int, T*, int)>(named(letter + "axpy"));
            return [=, this] { require_cublas(f(h, m, &alpha_, x, 1, y, 1)); };
        }
        if (function_ == "dot") {
            const auto f = l.get<int(handle, int, const T*, int, const T*, int, void*)>(
                named(letter + (facts<T>::is_complex ? "dotc" : "dot")));
            return [=] { require_cublas(f(h, m, x, 1, y, 1, result)); };
        }
        if (reduces()) {
            const std::string name =
                function_ == "iamax" ? "I" + std::string(facts<T>::letter) + "amax" : of_norm + function_;
            const auto f = l.get<int(handle, int, const T*, int, void*)>(named(name));
            return [=] { require_cublas(f(h, m, x, 1, result)); };
        }
        if (function_ == "gemv" || function_ == "gemvT") {
            const int op = function_ == "gemv" ? cublas_none : cublas_transpose;
            const auto f =
                l.get<int(handle, int, int, int, const T*, const T*, int, const T*, int, const T*, T*, int)>(
                    named(letter + "gemv"));
            return [=, this] { require_cublas(f(h, op, m, n, &alpha_, a, m, x, 1, &beta_, y, 1)); };
        }
        const int k = static_cast<int>(diagonals), lda = static_cast<int>(ld());
        if (function_ == "gbmv" || function_ == "gbmvT") {
            const int op = is_transposed() ? cublas_transpose : cublas_none;
            const auto f = l.get<int(handle, int, int, int, int, int, const T*, const T*, int, const T*, int,
                                     const T*, T*, int)>(named(letter + "gbmv"));
            return [=, this] { require_cublas(f(h, op, m, n, k, k, &alpha_, a, lda, x, 1, &beta_, y, 1)); };
        }
        if (function_ == "sbmv") {
            // BLAS has no complex symmetric bands.
            if (facts<T>::is_complex) return {};
            const auto f =
                l.get<int(handle, int, int, int, const T*, const T*, int, const T*, int, const T*, T*, int)>(
                    named(letter + "sbmv"));
            return
                [=, this] { require_cublas(f(h, cublas_lower, n, k, &alpha_, a, lda, x, 1, &beta_, y, 1)); };
        }
        if (function_ == "tbsv") {
            const auto f =
                l.get<int(handle, int, int, int, int, int, const T*, int, T*, int)>(named(letter + "tbsv"));
            return
                [=] { require_cublas(f(h, cublas_lower, cublas_none, cublas_non_unit, n, k, a, lda, x, 1)); };
        }
        if (function_ == "tpsv") {
            const auto f = l.get<int(handle, int, int, int, int, const T*, T*, int)>(named(letter + "tpsv"));
            return [=] { require_cublas(f(h, cublas_lower, cublas_none, cublas_non_unit, n, a, x, 1)); };
        }
        if (function_ == "symv") {
            const auto f =
                l.get<int(handle, int, int, const T*, const T*, int, const T*, int, const T*, T*, int)>(
                    named(letter + "symv"));
            return [=, this] { require_cublas(f(h, cublas_lower, n, &alpha_, a, m, x, 1, &beta_, y, 1)); };
        }
        if (function_ == "ger") {
            const auto f = l.get<int(handle, int, int, const T*, const T*, int, const T*, int, T*, int)>(
                named(letter + (facts<T>::is_complex ? "geru" : "ger")));
            return [=, this] { require_cublas(f(h, m, n, &alpha_, x, 1, y, 1, a, m)); };
        }
        const auto f =
            l.get<int(handle, int, int, int, int, const T*, int, T*, int)>(named(letter + function_));
        return [=] { require_cublas(f(h, cublas_lower, cublas_none, cublas_non_unit, n, a, m, x, 1)); };
    }

    std::function<void()> cblas_call(const vector_peer& peer) {
        const shared_library& l = peer.library();
        const std::string letter = facts<T>::letter;
        T *const x = static_cast<T*>(x_device_.get()), *const y = static_cast<T*>(y_device_.get()),
                 *const a = static_cast<T*>(a_device_.get());
        void* const result = result_.get();
        const int m = static_cast<int>(m_), n = static_cast<int>(n_);
        using S = cblas_scalar<T>;
        const std::string of_norm = facts<T>::is_complex ? (sizeof(R) == 4 ? "sc" : "dz") : letter;
        const auto named = [](const std::string& name) { return "cblas_" + name; };
        if (function_ == "copy") {
            const auto f = l.get<void(int, const T*, int, T*, int)>(named(letter + "copy"));
            return [=] { f(m, x, 1, y, 1); };
        }
        if (function_ == "scal") {
            const auto f = l.get<void(int, S, T*, int)>(named(letter + "scal"));
            return [=, this] { f(m, by_cblas(alpha_), x, 1); };
        }
        if (function_ == "axpy") {
            const auto f = l.get<void(int, S, const T*, int, T*, int)>(named(letter + "axpy"));
            return [=, this] { f(m, by_cblas(alpha_), x, 1, y, 1); };
        }
        if (function_ == "dot") {
            if constexpr (facts<T>::is_complex) {
                const auto f =
                    l.get<void(int, const T*, int, const T*, int, void*)>(named(letter + "dotc_sub"));
                return [=] { f(m, x, 1, y, 1, result); };
            } else {
                const auto f = l.get<T(int, const T*, int, const T*, int)>(named(letter + "dot"));
                return [=] { *static_cast<T*>(result) = f(m, x, 1, y, 1); };
            }
        }
        if (function_ == "iamax") {
            const auto f = l.get<std::size_t(int, const T*, int)>(named("i" + letter + "amax"));
            return [=] { *static_cast<std::int64_t*>(result) = static_cast<std::int64_t>(f(m, x, 1)) + 1; };
        }
        if (reduces()) {
            const auto f = l.get<R(int, const T*, int)>(named(of_norm + function_));
            return [=] { *static_cast<R*>(result) = f(m, x, 1); };
        }
        if (function_ == "gemv" || function_ == "gemvT") {
            const int op = function_ == "gemv" ? cblas_none : cblas_transpose;
            const auto f = l.get<void(int, int, int, int, S, const T*, int, const T*, int, S, T*, int)>(
                named(letter + "gemv"));
            return
                [=, this] { f(column_major, op, m, n, by_cblas(alpha_), a, m, x, 1, by_cblas(beta_), y, 1); };
        }
        const int k = static_cast<int>(diagonals), lda = static_cast<int>(ld());
        if (function_ == "gbmv" || function_ == "gbmvT") {
            const int op = is_transposed() ? cblas_transpose : cblas_none;
            const auto f =
                l.get<void(int, int, int, int, int, int, S, const T*, int, const T*, int, S, T*, int)>(
                    named(letter + "gbmv"));
            return [=, this] {
                f(column_major, op, m, n, k, k, by_cblas(alpha_), a, lda, x, 1, by_cblas(beta_), y, 1);
            };
        }
        if (function_ == "sbmv") {
            if (facts<T>::is_complex) return {};
            const auto f = l.get<void(int, int, int, int, S, const T*, int, const T*, int, S, T*, int)>(
                named(letter + "sbmv"));
            return [=, this] {
                f(column_major, cblas_lower, n, k, by_cblas(alpha_), a, lda, x, 1, by_cblas(beta_), y, 1);
            };
        }
        if (function_ == "tbsv") {
            const auto f =
                l.get<void(int, int, int, int, int, int, const T*, int, T*, int)>(named(letter + "tbsv"));
            return [=] { f(column_major, cblas_lower, cblas_none, cblas_non_unit, n, k, a, lda, x, 1); };
        }
        if (function_ == "tpsv") {
            const auto f = l.get<void(int, int, int, int, int, const T*, T*, int)>(named(letter + "tpsv"));
            return [=] { f(column_major, cblas_lower, cblas_none, cblas_non_unit, n, a, x, 1); };
        }
        if (function_ == "symv") {
            // CBLAS has no complex symmetric product.
            if (facts<T>::is_complex) return {};
            const auto f = l.get<void(int, int, int, S, const T*, int, const T*, int, S, T*, int)>(
                named(letter + "symv"));
            return [=, this] {
                f(column_major, cblas_lower, n, by_cblas(alpha_), a, m, x, 1, by_cblas(beta_), y, 1);
            };
        }
        if (function_ == "ger") {
            const auto f = l.get<void(int, int, int, S, const T*, int, const T*, int, T*, int)>(
                named(letter + (facts<T>::is_complex ? "geru" : "ger")));
            return [=, this] { f(column_major, m, n, by_cblas(alpha_), x, 1, y, 1, a, m); };
        }
        const auto f =
            l.get<void(int, int, int, int, int, const T*, int, T*, int)>(named(letter + function_));
        return [=] { f(column_major, cblas_lower, cblas_none, cblas_non_unit, n, a, m, x, 1); };
    }

    // Element i of what is written, and the sum of the sizes of what it is made of.
    std::complex<double> expected(std::int64_t i, double& size) const {
        using wide = std::complex<double>;
        const auto at = [](const std::vector<T>& v, std::int64_t k) {
            return wide(v[static_cast<std::size_t>(k)]);
        };
        const wide alpha(alpha_), beta(beta_);
        wide sum = 0;
        const auto add = [&](wide term) {
            sum += term;
            size += std::abs(term);
        };
        if (function_ == "copy") add(at(x_, i));
        if (function_ == "scal") add(alpha * at(x_, i));
        if (function_ == "axpy") {
            add(at(y_, i));
            add(alpha * at(x_, i));
        }
        if (!is_matrix()) return sum;
        if (function_ == "trmv") {
            for (std::int64_t j = 0; j <= i; ++j) add(at(a_, i + j * m_) * at(x_, j));
            return sum;
        }
        add(beta * at(y_, i));
        const std::int64_t end = end_column(i, is_transposed() ? m_ : n_);
        for (std::int64_t j = first_column(i); j < end; ++j) {
            const bool turned = is_transposed() || (!is_general() && j > i);
            add(alpha * wide(a_[turned ? place(j, i) : place(i, j)]) * at(x_, j));
        }
        return sum;
    }

    std::string fault_of_solution(const std::vector<T>& got) const {
        for (std::int64_t i = 0; i < n_; ++i) {
            std::complex<double> sum = 0;
            double size = 0;
            for (std::int64_t j = first_column(i); j <= i; ++j) {
                const auto term = std::complex<double>(a_[place(i, j)]) *
                                  std::complex<double>(got[static_cast<std::size_t>(j)]);
                sum += term;
                size += std::abs(term);
            }
            if (!(std::abs(sum - std::complex<double>(x_[static_cast<std::size_t>(i)])) <=
                  tolerance() * size))
                return "the residual " + std::to_string(i) + " is too large";
        }
        return {};
    }

    std::string fault_of_update() const {
        const std::vector<T> got = received<T>(where_, a_device_, a_.size());
        for (std::int64_t j = 0; j < n_; ++j)
            for (std::int64_t i = 0; i < m_; ++i) {
                const auto k = static_cast<std::size_t>(i + j * m_);
                const T want =
                    a_[k] + alpha_ * x_[static_cast<std::size_t>(i)] * y_[static_cast<std::size_t>(j)];
                if (!(std::abs(got[k] - want) <= tolerance() * 4))
                    return "element " + std::to_string(k) + " is wrong";
            }
        return {};
    }

    std::string fault_of_result() const {
        std::complex<double> sum = 0;
        double size = 0;
        std::int64_t place = 0;
        const auto magnitude = [](T v) { return std::abs(std::real(v)) + std::abs(std::imag(v)); };
        for (std::size_t i = 0; i < static_cast<std::size_t>(m_); ++i) {
            const std::complex<double> x(x_[i]), y(y_[i]);
            const std::complex<double> term = function_ == "dot"    ? std::conj(x) * y
                                              : function_ == "nrm2" ? std::norm(x)
                                                                    : std::abs(x.real()) + std::abs(x.imag());
            sum += term;
            size += std::abs(term);
            if (magnitude(x_[i]) > magnitude(x_[static_cast<std::size_t>(place)]))
                place = static_cast<std::int64_t>(i);
        }
        unsigned char bytes[2 * sizeof(double)];
        where_.copy(bytes, result_.get(), sizeof bytes);
        where_.synchronize();
        if (function_ == "iamax") {
            std::int32_t number = 0;
            std::memcpy(&number, bytes, sizeof number);
            return number == static_cast<std::int32_t>(place + 1) ? "" : "the place is wrong";
        }
        std::complex<double> got;
        if (function_ == "dot") {
            T value;
            std::memcpy(&value, bytes, sizeof value);
            got = std::complex<double>(value);
        } else {
            R value;
            std::memcpy(&value, bytes, sizeof value);
            got = static_cast<double>(value);
        }
        if (function_ == "nrm2") sum = size = std::sqrt(size);
        return std::abs(got - sum) <= tolerance() * size ? "" : "the result is wrong";
    }

    const device& where_;
    std::string function_;
    std::int64_t m_, n_;
    std::vector<T> x_, y_, a_{};
    device_buffer x_device_, y_device_, a_device_, result_;
    // A number of size 1 does not let vectors grow from call to call.
    // cuBLAS takes complex numbers that are aligned to their size, which std::complex is not.
    alignas(2 * sizeof(R)) T alpha_ = T(-1);
    alignas(2 * sizeof(R)) T beta_ = T(static_cast<R>(0.5));
};

}  // namespace

vector_peer::vector_peer(const std::string& kind, const std::string& file)
    : name_(kind), is_cublas_(kind == "cublas"), library_(file) {
    if (!is_cublas_ && kind != "cblas")
        throw std::invalid_argument("--against takes cublas=FILE and cblas=FILE");
    if (!library_) throw std::runtime_error(file + " cannot be opened");
    if (is_cublas_ && library_.get<int(void**)>("cublasCreate_v2")(&handle_) != 0)
        throw std::runtime_error("cublasCreate failed");
}

vector_peer::~vector_peer() {
    if (handle_) library_.get<int(void*)>("cublasDestroy_v2")(handle_);
}

std::unique_ptr<vector_case> make_vector_case(const device& where, const std::string& function,
                                              const std::string& type, std::int64_t m, std::int64_t n) {
    if (type == "f32") return std::make_unique<typed_case<float>>(where, function, m, n);
    if (type == "f64") return std::make_unique<typed_case<double>>(where, function, m, n);
    if (type == "c32") return std::make_unique<typed_case<std::complex<float>>>(where, function, m, n);
    return std::make_unique<typed_case<std::complex<double>>>(where, function, m, n);
}

}  // namespace heron::tools
