// gtsv, gtsv_nopivot and gtsvStridedBatch in four types: small residuals, and the bits of gtsv2,
// gtsv2_nopivot and gtsv2StridedBatch.
#include "banded_system.hpp"
#include "typed_functions.hpp"

using namespace heron::test;

namespace {

constexpr std::size_t as_size(std::int64_t n) { return static_cast<std::size_t>(n); }

struct batch_shape {
    std::int64_t m, count, stride;
};

// Systems of m equations, `stride` elements apart, with poison between them.
template <class F>
struct stored_systems {
    using T = typename F::scalar;

    stored_systems(const matrix_family& family, const batch_shape& s)
        : m(s.m), count(s.count), stride(s.stride) {
        random_source random(static_cast<std::uint64_t>(m + count));
        for (std::int64_t k = 0; k < count; ++k) {
            matrices.push_back(rounded(F::type, family.make(m, random)));
            right_sides.push_back(random_vector(m, F::type, random));
            for (int which = 0; which < 3; ++which)
                append(diagonals[which], stored_diagonal(matrices.back(), which + 1, F::type));
            append(b, right_sides.back());
        }
    }

    void append(std::vector<number>& to, const std::vector<number>& part) const {
        to.insert(to.end(), part.begin(), part.end());
        to.resize(to.size() + as_size(stride - m), poison(F::type));
    }
    // The worst residual of the systems, each with its own matrix or all with the first one's.
    double error_of(const std::vector<number>& x, bool shared) const {
        double worst = 0;
        for (std::int64_t k = 0; k < count; ++k) {
            const auto begin = x.begin() + stride * k;
            const double error = backward_error(matrices[shared ? 0 : as_size(k)], {begin, begin + m},
                                                right_sides[as_size(k)]);
            if (!(error <= worst)) worst = error;
        }
        return worst;
    }

    std::int64_t m, count, stride;
    std::vector<banded_matrix> matrices;
    std::vector<std::vector<number>> right_sides;
    std::vector<number> diagonals[3], b;
};

// What call(dl, d, du, x) leaves in x.
template <class F, class Call>
std::vector<unsigned char> solved(const stored_systems<F>& s, Call&& call) {
    using T = typename F::scalar;
    const typed_array lower(F::type, s.diagonals[0], 1), main(F::type, s.diagonals[1], 1),
        upper(F::type, s.diagonals[2], 1), x(F::type, s.b, 1);
    const auto at = [](const typed_array& a) { return static_cast<T*>(a.data()); };
    expect(call(at(lower), at(main), at(upper), at(x)));
    CHECK(lower.bytes() == encode(F::type, s.diagonals[0]));
    CHECK(main.bytes() == encode(F::type, s.diagonals[1]));
    CHECK(upper.bytes() == encode(F::type, s.diagonals[2]));
    return x.bytes();
}

std::vector<batch_shape> shapes() {
    return {{3, 1, 3}, {3, 40, 5}, {64, 9, 70}, {257, 3, 257}, {1025, 5, 1030}, {5003, 2, 5003}};
}

template <class F>
void check_sides(const matrix_family& family, const batch_shape& shape, bool pivoting) {
    const F f;
    const stored_systems<F> s(family, shape);
    const int m = static_cast<int>(s.m), n = static_cast<int>(s.count), ld = static_cast<int>(s.stride);
    INFO(facts(F::type).name << ", " << family.name << ", m " << m << ", n " << n << ", pivoting "
                             << pivoting);
    const auto found = solved<F>(s, [&](auto* l, auto* d, auto* u, auto* x) {
        return (pivoting ? f.gtsv : f.gtsv_nopivot)(cusparse(), m, n, l, d, u, x, ld);
    });
    CHECK(s.error_of(decode(F::type, found), true) < 40 * epsilon(F::type));
    const auto expected = solved<F>(s, [&](auto* l, auto* d, auto* u, auto* x) {
        std::size_t bytes = 0;
        const auto size = pivoting ? f.gtsv2_bufferSizeExt : f.gtsv2_nopivot_bufferSizeExt;
        expect(size(cusparse(), m, n, l, d, u, x, ld, &bytes));
        const workspace buffer(bytes);
        const auto status =
            (pivoting ? f.gtsv2 : f.gtsv2_nopivot)(cusparse(), m, n, l, d, u, x, ld, buffer.data());
        expect(heron_synchronize(native()));
        return status;
    });
    CHECK(found == expected);
}

template <class F>
void check_batch(const matrix_family& family, const batch_shape& shape) {
    const F f;
    const stored_systems<F> s(family, shape);
    const int m = static_cast<int>(s.m), count = static_cast<int>(s.count),
              stride = static_cast<int>(s.stride);
    INFO(facts(F::type).name << ", " << family.name << ", m " << m << ", count " << count);
    const auto found = solved<F>(s, [&](auto* l, auto* d, auto* u, auto* x) {
        return f.gtsvStridedBatch(cusparse(), m, l, d, u, x, count, stride);
    });
    CHECK(s.error_of(decode(F::type, found), false) < 40 * epsilon(F::type));
    const auto expected = solved<F>(s, [&](auto* l, auto* d, auto* u, auto* x) {
        std::size_t bytes = 0;
        expect(f.gtsv2StridedBatch_bufferSizeExt(cusparse(), m, l, d, u, x, count, stride, &bytes));
        const workspace buffer(bytes);
        const auto status = f.gtsv2StridedBatch(cusparse(), m, l, d, u, x, count, stride, buffer.data());
        expect(heron_synchronize(native()));
        return status;
    });
    CHECK(found == expected);
}

}  // namespace

TEST_CASE("gtsv and gtsv_nopivot solve what gtsv2 and gtsv2_nopivot do, and alike") {
    for_each_type([]<class F>(F) {
        if (!device_has(F::type)) return;
        for (const matrix_family& family : tridiagonal_families())
            for (const batch_shape& shape : shapes()) {
                if (shape.m > family.longest) continue;
                check_sides<F>(family, shape, true);
                if (family.dominant) check_sides<F>(family, shape, false);
            }
    });
}

TEST_CASE("gtsvStridedBatch solves what gtsv2StridedBatch does, and alike") {
    for_each_type([]<class F>(F) {
        if (!device_has(F::type)) return;
        for (const matrix_family& family : tridiagonal_families())
            if (family.dominant)
                for (const batch_shape& shape : shapes()) check_batch<F>(family, shape);
    });
}

TEST_CASE("gtsv without right-hand sides needs no arrays") {
    for_each_type([]<class F>(F f) {
        expect(f.gtsv(cusparse(), 3, 0, nullptr, nullptr, nullptr, nullptr, 3));
        expect(f.gtsv_nopivot(cusparse(), 3, 0, nullptr, nullptr, nullptr, nullptr, 3));
        expect(f.gtsvStridedBatch(cusparse(), 3, nullptr, nullptr, nullptr, nullptr, 0, 3));
    });
}
