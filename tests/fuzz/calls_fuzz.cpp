// Sequences of calls in any order, on the host: objects are made, used, changed, destroyed and used again
// afterwards. A small model says what must succeed, with which result, and what must be refused; a call that
// is refused leaves its output alone.
#include "input.hpp"
#define DISABLE_CUSPARSE_DEPRECATED
#include <cusparse.h>
#include <array>
#include <cmath>
#include <vector>

using namespace heron::fuzz;

namespace {

constexpr auto ok = CUSPARSE_STATUS_SUCCESS;
constexpr auto invalid = CUSPARSE_STATUS_INVALID_VALUE;
constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;

// The lower bidiagonal matrix of n rows, with twos on the diagonal and ones below it.
struct pattern {
    explicit pattern(int n) {
        for (int row = 0; row < n; ++row) {
            offsets.push_back(static_cast<int>(columns.size()));
            if (row > 0) add(row, row - 1);
            add(row, row);
        }
        offsets.push_back(static_cast<int>(columns.size()));
    }
    void add(int row, int column) {
        rows.push_back(row);
        columns.push_back(column);
    }
    std::vector<int> offsets, rows, columns;
};

struct matrix {
    cusparseSpMatDescr_t object = nullptr;
    int n = 0, made = 0;  // made: counts the matrices
    bool is_coo = false;
    std::vector<double> values;
};
struct vector {
    cusparseDnVecDescr_t object = nullptr;
    int n = 0;
    std::vector<double> values;
};
struct solve {
    cusparseSpSVDescr_t object = nullptr;
    bool is_sized = false, is_analysed = false;
    int matrix = 0;  // its number
    std::vector<char> buffer;
};

// Whether the library computes, or only records (tests/facade/recording_backend.cpp).
bool computes(cusparseHandle_t handle) {
    float value[1] = {3}, gathered[1] = {0};
    const int index[1] = {0};
    cusparseSpVecDescr_t sparse = nullptr;
    cusparseDnVecDescr_t dense = nullptr;
    cusparseCreateSpVec(&sparse, 1, 1, const_cast<int*>(index), gathered, CUSPARSE_INDEX_32I,
                        CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    cusparseCreateDnVec(&dense, 1, value, CUDA_R_32F);
    must(cusparseGather(handle, dense, sparse) == ok, "a gather that fails");
    cusparseDestroySpVec(sparse);
    cusparseDestroyDnVec(dense);
    return gathered[0] == 3;
}

class session {
  public:
    explicit session(input& in) : in_(in) {}
    ~session() {
        for (auto& h : handles_)
            if (h) must(cusparseDestroy(h) == ok, "a handle that cannot be destroyed");
        for (auto& m : matrices_)
            if (m.object) must(cusparseDestroySpMat(m.object) == ok, "a matrix that cannot be destroyed");
        for (auto& v : vectors_)
            if (v.object) must(cusparseDestroyDnVec(v.object) == ok, "a vector that cannot be destroyed");
        for (auto& s : solves_)
            if (s.object) must(cusparseSpSV_destroyDescr(s.object) == ok, "a solve that cannot be destroyed");
    }

    void step() {
        switch (in_.below(14)) {
            case 0: return create_handle();
            case 1: return destroy_handle();
            case 2: return create_matrix();
            case 3: return destroy(pick(matrices_), &cusparseDestroySpMat);
            case 4: return create_vector();
            case 5: return destroy(pick(vectors_), &cusparseDestroyDnVec);
            case 6: return create_solve();
            case 7: return destroy(pick(solves_), &cusparseSpSV_destroyDescr);
            case 8: return multiply();
            case 9: return ask_size();
            case 10: return analyse();
            case 11: return run_solve();
            case 12: return set_values();
            case 13: return use_what_was_destroyed();
        }
    }

  private:
    template <class T>
    typename T::value_type& pick(T& slots) {
        return slots[static_cast<size_t>(in_.below(static_cast<int>(slots.size())))];
    }

    void create_handle() {
        auto& h = pick(handles_);
        if (!h) must(cusparseCreate(&h) == ok, "no handle");
    }
    void destroy_handle() {
        auto& h = pick(handles_);
        must(cusparseDestroy(h) == ok, "a handle that cannot be destroyed");
        if (h) old_handle_ = h;
        h = nullptr;
    }
    template <class T, class F>
    void destroy(T& slot, F* function) {
        must(function(slot.object) == ok, "an object that cannot be destroyed");
        if (slot.object) remember(slot.object);
        slot = T();
    }
    void remember(cusparseSpMatDescr_t m) { old_matrix_ = m; }
    void remember(cusparseDnVecDescr_t v) { old_vector_ = v; }
    void remember(cusparseSpSVDescr_t s) { old_solve_ = s; }

    void create_matrix() {
        matrix& m = pick(matrices_);
        if (m.object) return;
        m.n = 1 + in_.below(3);
        m.made = ++count_;
        m.is_coo = in_.below(2);
        pattern& p = patterns_[static_cast<size_t>(m.n - 1)];
        const auto nnz = static_cast<int64_t>(p.columns.size());
        for (size_t k = 0; k < p.columns.size(); ++k) m.values.push_back(p.rows[k] == p.columns[k] ? 2 : 1);
        const auto status =
            m.is_coo
                ? cusparseCreateCoo(&m.object, m.n, m.n, nnz, p.rows.data(), p.columns.data(),
                                    m.values.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F)
                : cusparseCreateCsr(&m.object, m.n, m.n, nnz, p.offsets.data(), p.columns.data(),
                                    m.values.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                    CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
        must(status == ok, "no matrix");
        int lower = CUSPARSE_FILL_MODE_LOWER;
        must(cusparseSpMatSetAttribute(m.object, CUSPARSE_SPMAT_FILL_MODE, &lower, sizeof lower) == ok,
             "an attribute that cannot be set");
    }
    void create_vector() {
        vector& v = pick(vectors_);
        if (v.object) return;
        v.n = 1 + in_.below(3);
        for (int k = 0; k < v.n; ++k) v.values.push_back(in_.below(16));
        must(cusparseCreateDnVec(&v.object, v.n, v.values.data(), CUDA_R_64F) == ok, "no vector");
    }
    void create_solve() {
        solve& s = pick(solves_);
        if (!s.object) must(cusparseSpSV_createDescr(&s.object) == ok, "no solve");
    }

    // What every operation on a matrix and two vectors must answer, if it can be told.
    struct operands {
        cusparseHandle_t h;
        matrix& a;
        vector &x, &y;
        bool has_null() const { return !h || !a.object || !x.object || !y.object; }
        // Until the solution is asked for, the vectors of a solve may be missing.
        bool has_null_before_solution() const { return !h || !a.object; }
        bool fits() const { return a.n == x.n && a.n == y.n; }
    };
    operands pick_operands() { return {pick(handles_), pick(matrices_), pick(vectors_), pick(vectors_)}; }

    // Runs a call; where it is refused y is as it was.
    template <class F>
    cusparseStatus_t checked(const operands& o, bool has_null, F&& f) {
        const std::vector<double> before = o.y.values;
        const cusparseStatus_t status = f();
        if (has_null) must(status == invalid, "NULL is not refused");
        const bool is_whole = !o.has_null() && !has_null;
        if (is_whole && !o.fits()) must(status != ok, "sizes that do not fit are accepted");
        if (status != ok) must(o.y.values == before, "a refused call has written");
        return status;
    }

    void multiply() {
        const operands o = pick_operands();
        if (o.x.object && o.x.object == o.y.object) return;
        char buffer[4096];
        const std::vector<double> x = o.x.values;
        const auto status = checked(o, o.has_null(), [&] {
            return cusparseSpMV(o.h, plain, &one_, o.a.object, o.x.object, &zero_, o.y.object, CUDA_R_64F,
                                CUSPARSE_SPMV_ALG_DEFAULT, buffer);
        });
        if (o.has_null() || !o.fits()) return;
        must(status == ok, "a product fails");
        if (!computes(o.h)) return;
        for (int row = 0; row < o.a.n; ++row)
            must(near(o.y.values, row, product(x, row)), "a product is wrong");
    }

    void ask_size() {
        const operands o = pick_operands();
        solve& s = pick(solves_);
        const bool has_null = o.has_null_before_solution() || !s.object;
        size_t bytes = 0;
        const auto status = checked(o, has_null, [&] {
            return cusparseSpSV_bufferSize(o.h, plain, &one_, o.a.object, o.x.object, o.y.object, CUDA_R_64F,
                                           CUSPARSE_SPSV_ALG_DEFAULT, s.object, &bytes);
        });
        if (!o.has_null() && !has_null && o.fits()) must(status == ok, "a size that cannot be told");
        if (has_null || status != ok || s.is_analysed) return;  // the buffer is in use
        s.is_sized = true;
        s.matrix = o.a.made;
        s.buffer.assign(bytes, 0);
    }

    void analyse() {
        const operands o = pick_operands();
        solve& s = pick(solves_);
        const bool has_null = o.has_null_before_solution() || !s.object;
        if (!has_null && s.is_sized && s.matrix != o.a.made) return;  // another matrix needs another buffer
        const auto status = checked(o, has_null, [&] {
            return cusparseSpSV_analysis(o.h, plain, &one_, o.a.object, o.x.object, o.y.object, CUDA_R_64F,
                                         CUSPARSE_SPSV_ALG_DEFAULT, s.object, s.buffer.data());
        });
        if (has_null || o.has_null()) {
            s.is_analysed |= status == ok;
            return;
        }
        if (!s.is_sized) must(status != ok, "an analysis without a size");
        if (s.is_sized && o.fits()) {
            must(status == ok, "an analysis fails");
            s.is_analysed = true;
        }
    }

    void run_solve() {
        const operands o = pick_operands();
        solve& s = pick(solves_);
        const bool has_null = o.has_null() || !s.object;
        const bool is_of_matrix = s.is_analysed && s.matrix == o.a.made;
        if (!has_null && s.is_analysed && !is_of_matrix) return;
        const std::vector<double> x = o.x.values;
        const auto status = checked(o, has_null, [&] {
            return cusparseSpSV_solve(o.h, plain, &one_, o.a.object, o.x.object, o.y.object, CUDA_R_64F,
                                      CUSPARSE_SPSV_ALG_DEFAULT, s.object);
        });
        if (has_null) return;
        if (!s.is_analysed) must(status != ok, "a solve without an analysis");
        if (!is_of_matrix || !o.fits()) return;
        must(status == ok, "a solve fails");
        if (!computes(o.h)) return;
        for (int row = 0; row < o.a.n; ++row)
            must(near(x, row, product(o.y.values, row)), "a solution is wrong");
    }

    void set_values() {
        matrix& m = pick(matrices_);
        vector& v = pick(vectors_);
        must(cusparseSpMatSetValues(m.object, m.values.data()) ==
                 (m.object && !m.values.empty() ? ok : invalid),
             "values are set wrongly");
        must(cusparseDnVecSetValues(v.object, v.values.data()) == (v.object ? ok : invalid),
             "values are set wrongly");
    }

    // Its memory may hold another object by now; no call ends the process.
    void use_what_was_destroyed() {
        const int which = in_.below(4);
        const operands o = pick_operands();
        solve& s = pick(solves_);
        size_t bytes = 0;
        cusparseSpSV_bufferSize(which == 0 ? old_handle_ : o.h, plain, &one_,
                                which == 1 ? old_matrix_ : o.a.object, which == 2 ? old_vector_ : o.x.object,
                                o.y.object, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT,
                                which == 3 ? old_solve_ : nullptr, &bytes);
        if (s.object && old_solve_ != s.object)
            cusparseSpSV_bufferSize(o.h, plain, &one_, old_matrix_, o.x.object, o.y.object, CUDA_R_64F,
                                    CUSPARSE_SPSV_ALG_DEFAULT, nullptr, &bytes);
    }

    static double product(const std::vector<double>& x, int row) {
        const auto r = static_cast<size_t>(row);
        return 2 * x[r] + (row > 0 ? x[r - 1] : 0);
    }
    static bool near(const std::vector<double>& values, int k, double expected) {
        const double scale = std::fabs(expected) + 1;
        return std::fabs(values[static_cast<size_t>(k)] - expected) <= 1e-9 * scale ||
               !std::isfinite(expected);
    }

    input& in_;
    std::array<cusparseHandle_t, 2> handles_{};
    std::array<matrix, 3> matrices_;
    std::array<vector, 4> vectors_;
    std::array<solve, 2> solves_;
    std::array<pattern, 3> patterns_{pattern(1), pattern(2), pattern(3)};
    cusparseHandle_t old_handle_ = nullptr;
    cusparseSpMatDescr_t old_matrix_ = nullptr;
    cusparseDnVecDescr_t old_vector_ = nullptr;
    cusparseSpSVDescr_t old_solve_ = nullptr;
    int count_ = 0;
    const double one_ = 1, zero_ = 0;
};

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const bool is_set = setenv("HERON_BACKEND", "host", 1) == 0;
    must(is_set, "no environment");
    input in(data, size);
    session s(in);
    while (!in.is_empty()) s.step();
    return 0;
}
