// The results of every level 3 function of both generations against plain sums in double precision, in both
// orders, with offsets and padding, NaN in what must not be read, and everything around C unchanged.
#include "rig.hpp"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace heron::test::cl;

namespace {

using number = std::complex<double>;

struct shape {
    std::size_t rows, columns;
};

// A matrix as a buffer holds it.
struct stored {
    int order = clblasColumnMajor;
    std::size_t offset = 0, ld = 0;
    std::vector<number> cells;

    std::size_t at(std::size_t i, std::size_t j) const {
        return offset + (order == clblasColumnMajor ? i + j * ld : i * ld + j);
    }
    number operator()(std::size_t i, std::size_t j) const { return cells[at(i, j)]; }
};

template <class T>
constexpr bool is_complex = false;
template <>
constexpr bool is_complex<std::complex<float>> = true;
template <>
constexpr bool is_complex<std::complex<double>> = true;

template <class T>
std::vector<T> as(const std::vector<number>& cells) {
    std::vector<T> result(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if constexpr (is_complex<T>)
            result[i] = T(cells[i]);
        else
            result[i] = static_cast<T>(cells[i].real());
    }
    return result;
}

struct problem {
    operation op;
    int order, side, uplo, trans_a, trans_b, diag;
    std::size_t m, n, k;
    std::size_t offset = 0;
    number alpha{}, beta{};
};

class tester {
  public:
    tester(const problem& p, bool is_complex_type, bool is_single)
        : p_(p), complex_(is_complex_type), single_(is_single) {
        const bool update = p.op == operation::syrk || p.op == operation::syr2k || p.op == operation::herk ||
                            p.op == operation::her2k;
        if (update) p_.m = p_.n;
        const std::size_t inner = p_.k;
        const bool turned = p_.trans_a != clblasNoTrans;
        if (p_.op == operation::gemm) {
            a_ = make(turned ? shape{inner, p_.m} : shape{p_.m, inner});
            b_ = make(p_.trans_b != clblasNoTrans ? shape{p_.n, inner} : shape{inner, p_.n});
        } else if (update) {
            a_ = make(turned ? shape{inner, p_.n} : shape{p_.n, inner});
            b_ = make(turned ? shape{inner, p_.n} : shape{p_.n, inner});
        } else {
            const std::size_t order = p_.side == clblasLeft ? p_.m : p_.n;
            a_ = make({order, order});
            b_ = make({p_.m, p_.n});
            if (p_.op == operation::trsm)
                for (std::size_t i = 0; i < order; ++i) a_.cells[a_.at(i, i)] += 4.0;
            spoil_other_triangle(a_, order);
        }
        c_ = make({p_.m, p_.n});
        if (!is_triangular(p_.op) && p_.beta == 0.0 && !update) poison(c_, p_.m, p_.n);
    }

    const problem& p() const { return p_; }
    const stored& a() const { return a_; }
    const stored& b() const { return b_; }
    const stored& c() const { return c_; }

    void check(const std::vector<number>& result) {
        if (p_.op == operation::trsm) return check_solution(result);
        const stored& before = is_triangular(p_.op) ? b_ : c_;
        std::vector<bool> written(before.cells.size(), false);
        for (std::size_t i = 0; i < p_.m; ++i)
            for (std::size_t j = 0; j < p_.n; ++j) {
                if (!is_updated(i, j)) continue;
                number sum = 0;
                double size = 0;
                element(i, j, sum, size);
                written[before.at(i, j)] = true;
                const number got = result[before.at(i, j)];
                if (!(std::abs(got - sum) <= tolerance(size))) {
                    CAPTURE(i, j, got, sum);
                    FAIL_CHECK("wrong element");
                    return;
                }
            }
        for (std::size_t cell = 0; cell < written.size(); ++cell)
            if (!written[cell] && result[cell] != before.cells[cell] &&
                !std::isnan(before.cells[cell].real()))
                FAIL_CHECK("cell " << cell << " was overwritten");
    }

  private:
    stored make(shape s) {
        stored x;
        x.order = p_.order;
        x.offset = p_.offset;
        x.ld = (p_.order == clblasColumnMajor ? s.rows : s.columns) + 3;
        const std::size_t lines = p_.order == clblasColumnMajor ? s.columns : s.rows;
        x.cells.resize(x.offset + x.ld * std::max<std::size_t>(lines, 1));
        for (number& cell : x.cells) {
            const float re = next(), im = next();
            cell = complex_ ? number(re, im) : number(re, 0);
        }
        return x;
    }

    float next() { return static_cast<float>(engine_() >> 8) * 0x1p-24f - 0.5f; }

    static void poison(stored& x, std::size_t rows, std::size_t columns) {
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = 0; j < columns; ++j)
                x.cells[x.at(i, j)] = std::numeric_limits<double>::quiet_NaN();
    }

    void spoil_other_triangle(stored& x, std::size_t order) const {
        for (std::size_t i = 0; i < order; ++i)
            for (std::size_t j = 0; j < order; ++j) {
                const bool kept = p_.uplo == clblasLower ? i >= j : i <= j;
                if (!kept || (i == j && is_triangular(p_.op) && p_.diag == clblasUnit))
                    x.cells[x.at(i, j)] = std::numeric_limits<double>::quiet_NaN();
            }
    }

    bool is_updated(std::size_t i, std::size_t j) const {
        switch (p_.op) {
            case operation::syrk:
            case operation::syr2k:
            case operation::herk:
            case operation::her2k: return p_.uplo == clblasLower ? i >= j : i <= j;
            default: return true;
        }
    }

    static number turned(const stored& x, int trans, std::size_t i, std::size_t j) {
        if (trans == clblasNoTrans) return x(i, j);
        return trans == clblasTrans ? x(j, i) : std::conj(x(j, i));
    }

    // The element (i, j) of the operand A that is symmetric, Hermitian or triangular.
    number structured(std::size_t i, std::size_t j) const {
        if (is_triangular(p_.op)) {
            if (i == j && p_.diag == clblasUnit) return 1;
            const bool is_lower = (p_.uplo == clblasLower) != (p_.trans_a != clblasNoTrans);
            if (is_lower ? i < j : i > j) return 0;
            return turned(a_, p_.trans_a, i, j);
        }
        const bool kept = p_.uplo == clblasLower ? i >= j : i <= j;
        if (p_.op == operation::hemm && i == j) return a_(i, j).real();
        if (kept) return a_(i, j);
        return p_.op == operation::hemm ? std::conj(a_(j, i)) : a_(j, i);
    }

    void add(number& sum, double& size, number scale, number x, number y) const {
        sum += scale * x * y;
        size += std::abs(scale) * std::abs(x) * std::abs(y);
    }

    void element(std::size_t i, std::size_t j, number& sum, double& size) const {
        const bool hermitian = p_.op == operation::herk || p_.op == operation::her2k;
        const bool update = hermitian || p_.op == operation::syrk || p_.op == operation::syr2k;
        const bool two = p_.op == operation::syr2k || p_.op == operation::her2k;
        if (p_.op == operation::gemm) {
            for (std::size_t k = 0; k < p_.k; ++k)
                add(sum, size, p_.alpha, turned(a_, p_.trans_a, i, k), turned(b_, p_.trans_b, k, j));
        } else if (update) {
            const auto other = [&](number z) { return hermitian ? std::conj(z) : z; };
            const stored& second = two ? b_ : a_;
            for (std::size_t k = 0; k < p_.k; ++k) {
                add(sum, size, p_.alpha, turned(a_, p_.trans_a, i, k),
                    other(turned(second, p_.trans_a, j, k)));
                if (two)
                    add(sum, size, other(p_.alpha), turned(b_, p_.trans_a, i, k),
                        other(turned(a_, p_.trans_a, j, k)));
            }
        } else if (p_.side == clblasLeft) {
            for (std::size_t k = 0; k < p_.m; ++k) add(sum, size, p_.alpha, structured(i, k), b_(k, j));
        } else {
            for (std::size_t k = 0; k < p_.n; ++k) add(sum, size, p_.alpha, b_(i, k), structured(k, j));
        }
        if (is_triangular(p_.op) || p_.beta == 0.0) return;
        number old = c_(i, j);
        if (hermitian && i == j) old = old.real();
        add(sum, size, p_.beta, old, 1);
        if (hermitian && i == j) sum = sum.real();
    }

    // op(A)*X = alpha*B up to rounding, and nothing else changed.
    void check_solution(const std::vector<number>& result) {
        stored x = b_;
        x.cells = result;
        for (std::size_t i = 0; i < p_.m; ++i)
            for (std::size_t j = 0; j < p_.n; ++j) {
                number sum = 0;
                double size = std::abs(p_.alpha * b_(i, j));
                const std::size_t order = p_.side == clblasLeft ? p_.m : p_.n;
                for (std::size_t k = 0; k < order; ++k) {
                    if (p_.side == clblasLeft)
                        add(sum, size, 1, structured(i, k), x(k, j));
                    else
                        add(sum, size, 1, x(i, k), structured(k, j));
                }
                // The tolerance is no bound where the solution is infinite.
                if (!(std::abs(sum - p_.alpha * b_(i, j)) <= tolerance(size)) || !std::isfinite(size)) {
                    CAPTURE(i, j, sum);
                    FAIL_CHECK("wrong solution");
                    return;
                }
            }
    }

    double tolerance(double size) const {
        const double epsilon = single_ ? 0x1p-23 : 0x1p-52;
        return epsilon * (static_cast<double>(p_.m + p_.n + 2 * p_.k) + 8) * size;
    }

    problem p_;
    bool complex_, single_;
    std::mt19937 engine_{12345};
    stored a_, b_, c_;
};

class device_side {
  public:
    device_side() {
        REQUIRE(clblasSetup() == clblasSuccess);
        queues_[0] = queue_.get();
    }
    ~device_side() { clblasTeardown(); }

    template <class T>
    void run_and_check(const problem& p, generation g, scalar s) {
        INFO(name_of(p.op) << " generation " << static_cast<int>(g) << " scalar " << static_cast<int>(s)
                           << " order " << p.order << " side " << p.side << " uplo " << p.uplo << " trans "
                           << p.trans_a << p.trans_b << " diag " << p.diag << " size " << p.m << ' ' << p.n
                           << ' ' << p.k);
        tester t(p, is_complex<T>, s == scalar::s || s == scalar::c);
        const owned_buffer a = upload(context_.get(), as<T>(t.a().cells));
        const owned_buffer b = upload(context_.get(), as<T>(t.b().cells));
        const owned_buffer c = upload(context_.get(), as<T>(t.c().cells));
        owned_event done;
        arguments x;
        x.order = p.order;
        x.side = p.side;
        x.uplo = p.uplo;
        x.trans_a = p.trans_a;
        x.trans_b = p.trans_b;
        x.diag = p.diag;
        x.m = t.p().m;
        x.n = p.n;
        x.k = p.k;
        x.alpha = p.alpha;
        x.beta = p.beta;
        x.a = a.get();
        x.b = b.get();
        x.c = c.get();
        x.off_a = x.off_b = x.off_c = p.offset;
        x.lda = t.a().ld;
        x.ldb = t.b().ld;
        x.ldc = t.c().ld;
        x.queue_count = 1;
        x.queues = queues_;
        x.events = done.out();
        REQUIRE(run(g, p.op, s, x) == clblasSuccess);
        const bool in_place = is_triangular(p.op);
        const std::size_t count = in_place ? t.b().cells.size() : t.c().cells.size();
        const std::vector<T> got = download<T>(queue_.get(), in_place ? b.get() : c.get(), count, done.get());
        t.check(std::vector<number>(got.begin(), got.end()));
    }

    cl_context context() const { return context_.get(); }
    cl_command_queue queue() const { return queue_.get(); }
    cl_command_queue* queues() { return queues_; }

  private:
    owned_context context_ = make_context();
    owned_queue queue_ = make_queue(context_.get());
    cl_command_queue queues_[1] = {};
};

// All options of one operation at one size.
template <class T>
void all_options(device_side& side, operation op, generation g, scalar s, std::size_t m, std::size_t n,
                 std::size_t k) {
    const bool hermitian = op == operation::herk || op == operation::her2k;
    const bool update = hermitian || op == operation::syrk || op == operation::syr2k;
    const bool sided = is_triangular(op) || op == operation::symm || op == operation::hemm;
    for (int order = 0; order < 2; ++order)
        for (int where = 0; where < (sided ? 2 : 1); ++where)
            for (int uplo = 0; uplo < (op == operation::gemm ? 1 : 2); ++uplo)
                for (int trans = 0; trans < 3; ++trans)
                    for (int other = 0; other < (op == operation::gemm ? 3
                                                 : is_triangular(op)   ? 2
                                                                       : 1);
                         ++other) {
                        if (trans > 0 && (op == operation::symm || op == operation::hemm)) continue;
                        if (hermitian && trans == clblasTrans) continue;
                        if (update && !hermitian && is_complex<T> && trans == clblasConjTrans) continue;
                        problem p{op,        order, where, uplo, trans, op == operation::gemm ? other : 0,
                                  other % 2, m,     n,     k};
                        p.offset = has_offsets(op, g) ? 5 : 0;
                        p.alpha =
                            is_complex<T> && op != operation::herk ? number(0.75, -0.5) : number(0.75, 0);
                        p.beta = uplo                          ? number(0, 0)
                                 : is_complex<T> && !hermitian ? number(-0.5, 0.25)
                                                               : number(-0.5, 0);
                        side.run_and_check<T>(p, g, s);
                    }
}

constexpr operation real_operations[] = {operation::gemm, operation::trmm,  operation::trsm,
                                         operation::syrk, operation::syr2k, operation::symm};
constexpr operation hermitian_operations[] = {operation::hemm, operation::herk, operation::her2k};

}  // namespace

TEST_CASE("clBLAS in single precision") {
    device_side side;
    for (const operation op : real_operations)
        all_options<float>(side, op, generation::clblas, scalar::s, 37, 29, 18);
}

TEST_CASE("clBLAS in complex double precision") {
    device_side side;
    for (const operation op : real_operations)
        all_options<std::complex<double>>(side, op, generation::clblas, scalar::z, 17, 35, 13);
    for (const operation op : hermitian_operations)
        all_options<std::complex<double>>(side, op, generation::clblas, scalar::z, 35, 17, 13);
}

TEST_CASE("clAmdBlas with and without offsets") {
    device_side side;
    for (const generation g : {generation::amd, generation::amd_with_offsets}) {
        for (const operation op : real_operations) all_options<float>(side, op, g, scalar::s, 9, 13, 5);
        for (const operation op : hermitian_operations)
            all_options<std::complex<double>>(side, op, g, scalar::z, 9, 13, 5);
    }
}

TEST_CASE("sizes around the tiles, and one") {
    device_side side;
    for (const std::size_t n : {1u, 2u, 31u, 32u, 33u, 97u}) {
        problem p{
            operation::gemm, clblasColumnMajor, 0, 0, clblasNoTrans, clblasTrans, 0, n, 2 * n - 1, n + 1};
        p.alpha = 1;
        side.run_and_check<float>(p, generation::clblas, scalar::s);
        p.op = operation::trsm;
        p.diag = clblasNonUnit;
        side.run_and_check<float>(p, generation::clblas, scalar::s);
        p.op = operation::her2k;
        p.alpha = {0.5, 1};
        side.run_and_check<std::complex<double>>(p, generation::amd, scalar::z);
    }
}

TEST_CASE("without an inner dimension C is scaled") {
    device_side side;
    for (const operation op :
         {operation::gemm, operation::syrk, operation::syr2k, operation::herk, operation::her2k})
        for (const generation g : {generation::clblas, generation::amd})
            for (int order = 0; order < 2; ++order) {
                problem p{op, order, 0, clblasUpper, clblasNoTrans, clblasNoTrans, 0, 7, 9, 0};
                p.alpha = 2;
                p.beta = -1.5;
                side.run_and_check<std::complex<float>>(p, g, scalar::c);
                if (!is_hermitian(op)) side.run_and_check<double>(p, g, scalar::d);
            }
}

TEST_CASE("double precision and single complex") {
    device_side side;
    problem p{operation::gemm, clblasRowMajor, 0, 0, clblasTrans, clblasNoTrans, 0, 21, 34, 55};
    p.alpha = 2;
    p.beta = -1;
    p.offset = 7;
    side.run_and_check<double>(p, generation::amd_with_offsets, scalar::d);
    side.run_and_check<std::complex<float>>(p, generation::clblas, scalar::c);
    p.side = clblasRight;
    p.diag = clblasNonUnit;
    for (const generation g : {generation::clblas, generation::amd_with_offsets})
        for (const operation op : real_operations) {
            p.op = op;
            side.run_and_check<double>(p, g, scalar::d);
            side.run_and_check<std::complex<float>>(p, g, scalar::c);
        }
    p.trans_a = clblasConjTrans;
    for (const operation op : hermitian_operations) {
        p.op = op;
        side.run_and_check<std::complex<float>>(p, generation::clblas, scalar::c);
    }
}

TEST_CASE("sub-buffers") {
    device_side side;
    cl_uint bits = 0;
    clGetDeviceInfo(device(), CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, nullptr);
    const std::size_t start = bits / 8 / sizeof(float), n = 10;
    const std::vector<float> ones(start + n * n + 2, 1.0f);
    const owned_buffer a = upload(side.context(), ones), c = upload(side.context(), ones);
    const cl_buffer_region region{start * sizeof(float), (n * n + 1) * sizeof(float)};
    cl_int code = CL_SUCCESS;
    const owned_buffer sub_a(clCreateSubBuffer(a.get(), 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code));
    const owned_buffer sub_c(clCreateSubBuffer(c.get(), 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code));
    REQUIRE(code == CL_SUCCESS);
    const auto multiply = [&](std::size_t offset) {
        return clblasSgemm(clblasColumnMajor, clblasNoTrans, clblasNoTrans, n, n, n, 1, sub_a.get(), 0, n,
                           sub_a.get(), 1, n, 0, sub_c.get(), offset, n, 1, side.queues(), 0, nullptr,
                           nullptr);
    };
    REQUIRE(multiply(1) == clblasSuccess);
    // The parent has room, the sub-buffer has not.
    CHECK(multiply(2) == clblasInsufficientMemMatC);
    std::vector<float> expected = ones;
    for (std::size_t i = 0; i < n * n; ++i) expected[start + 1 + i] = static_cast<float>(n);
    CHECK(download<float>(side.queue(), c.get(), expected.size()) == expected);
}
