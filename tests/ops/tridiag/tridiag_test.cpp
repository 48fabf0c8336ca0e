// gtsv2, gtsv2_nopivot and gtsv2StridedBatch in four types. Solutions must leave as small a residual as
// elimination with partial pivoting does, and on hard matrices be no farther from the truth.
#include "banded_system.hpp"
#include "typed_functions.hpp"

using namespace heron::test;

namespace {

constexpr std::size_t as_size(std::int64_t n) { return static_cast<std::size_t>(n); }

// Around the sizes of rows per item, of a warp's and of a group's rows, and past several groups.
std::vector<std::int64_t> sizes() {
    std::vector<std::int64_t> all{3,  4,  5,   7,   8,   9,    16,   17,   63,
                                  64, 65, 250, 511, 513, 1000, 1027, 2050, 5003};
    if (has_all_types()) all.insert(all.end(), {20000, 40001});
    return all;
}

// Of elimination with partial pivoting it is a few epsilon.
double allowed_backward_error(cudaDataType type) { return 40 * epsilon(type); }

struct right_hand_sides {
    std::int64_t count, ld;
    std::vector<std::vector<number>> columns;

    // As memory holds them: poison behind each column.
    std::vector<number> stored(cudaDataType type) const {
        std::vector<number> all(as_size(count > 0 ? ld * (count - 1) : 0), poison(type));
        for (std::int64_t j = 0; j < count; ++j) {
            const auto& column = columns[as_size(j)];
            if (j + 1 == count) all.resize(as_size(ld * j) + column.size());
            std::copy(column.begin(), column.end(), all.begin() + ld * j);
        }
        return all;
    }
};

bool same_bits(cudaDataType type, const std::vector<number>& a, const std::vector<number>& b) {
    return encode(type, a) == encode(type, b);
}

// The diagonals of a system, or of several, on the device.
template <class F>
struct diagonals {
    using T = typename F::scalar;

    diagonals(std::vector<number> l, std::vector<number> d, std::vector<number> u)
        : lower(F::type, l, 1), main(F::type, d, 1), upper(F::type, u, 1), values{l, d, u} {}
    explicit diagonals(const banded_matrix& a)
        : diagonals(stored_diagonal(a, 1, F::type), stored_diagonal(a, 2, F::type),
                    stored_diagonal(a, 3, F::type)) {}

    void check_unchanged() const {
        CHECK(same_bits(F::type, lower.numbers(), values[0]));
        CHECK(same_bits(F::type, main.numbers(), values[1]));
        CHECK(same_bits(F::type, upper.numbers(), values[2]));
    }
    const T* l() const { return static_cast<const T*>(lower.data()); }
    const T* d() const { return static_cast<const T*>(main.data()); }
    const T* u() const { return static_cast<const T*>(upper.data()); }

    typed_array lower, main, upper;
    std::vector<number> values[3];
};

// X, a column each. What lies between the columns must be as before.
template <class F>
std::vector<std::vector<number>> solve(const banded_matrix& a, const right_hand_sides& b, bool pivoting) {
    using T = typename F::scalar;
    const F f;
    const int m = static_cast<int>(a.m), n = static_cast<int>(b.count), ld = static_cast<int>(b.ld);
    const diagonals<F> device(a);
    const std::vector<number> before = b.stored(F::type);
    const typed_array x(F::type, before, 1);
    T* const values = static_cast<T*>(x.data());
    std::size_t bytes = 0;
    const auto size = pivoting ? f.gtsv2_bufferSizeExt : f.gtsv2_nopivot_bufferSizeExt;
    const auto run = pivoting ? f.gtsv2 : f.gtsv2_nopivot;
    expect(size(cusparse(), m, n, device.l(), device.d(), device.u(), values, ld, &bytes));
    const workspace buffer(bytes);
    expect(run(cusparse(), m, n, device.l(), device.d(), device.u(), values, ld, buffer.data()));
    device.check_unchanged();
    const std::vector<number> after = x.numbers();
    std::vector<std::vector<number>> result;
    std::vector<number> around = after;
    for (std::int64_t j = 0; j < b.count; ++j) {
        result.emplace_back(after.begin() + b.ld * j, after.begin() + b.ld * j + a.m);
        std::copy_n(before.begin() + b.ld * j, a.m, around.begin() + b.ld * j);
    }
    CHECK(same_bits(F::type, around, before));
    return result;
}

right_hand_sides random_sides(std::int64_t m, std::int64_t count, cudaDataType type, random_source& random) {
    right_hand_sides b{count, m + 3, {}};
    for (std::int64_t j = 0; j < count; ++j) b.columns.push_back(random_vector(m, type, random));
    return b;
}

template <class F>
void check_family(const matrix_family& family, std::int64_t m, std::int64_t count, bool pivoting) {
    if (m > family.longest) return;
    INFO(facts(F::type).name << ", " << family.name << ", m " << m << ", n " << count << ", pivoting "
                             << pivoting);
    random_source random(static_cast<std::uint64_t>(m));
    const banded_matrix a = rounded(F::type, family.make(m, random));
    const right_hand_sides b = random_sides(m, count, F::type, random);
    const auto x = solve<F>(a, b, pivoting);
    for (std::size_t j = 0; j < x.size(); ++j) {
        CAPTURE(j);
        CHECK(backward_error(a, x[j], b.columns[j]) < allowed_backward_error(F::type));
    }
}

}  // namespace

TEST_CASE("gtsv2 solves every family with the residual of partial pivoting") {
    for_each_type([]<class F>(F) {
        if (!device_has(F::type)) return;
        for (const matrix_family& family : tridiagonal_families())
            for (const std::int64_t m : sizes()) check_family<F>(family, m, m < 100 ? 3 : 1, true);
    });
}

TEST_CASE("gtsv2_nopivot solves dominant matrices") {
    for_each_type([]<class F>(F) {
        if (!device_has(F::type)) return;
        for (const matrix_family& family : tridiagonal_families()) {
            if (!family.dominant) continue;
            for (const std::int64_t m : sizes()) check_family<F>(family, m, m < 100 ? 3 : 1, false);
        }
    });
}

namespace {

// How far solutions move when every element moves by an epsilon of the largest one: what the guarantee of
// partial pivoting allows.
double sensitivity(const banded_matrix& a, const std::vector<number>& b, const std::vector<number>& truth,
                   cudaDataType type, random_source& random) {
    double largest = 0;
    for (const auto& diagonal : a.diagonals)
        for (const number& v : diagonal) largest = std::max(largest, std::abs(v));
    banded_matrix moved = a;
    for (std::size_t which = 1; which < 4; ++which)
        for (number& v : moved.diagonals[which]) v += largest * epsilon(type) * random.symmetric_unit();
    return difference_of(eliminated(moved, b, is_complex(type) ? CUDA_C_64F : CUDA_R_64F), truth);
}

}  // namespace

TEST_CASE("gtsv2 is as far from the solution as LAPACK's elimination is, or may be") {
    for_each_type([]<class F>(F) {
        if (!device_has(F::type)) return;
        for (const matrix_family& family : tridiagonal_families())
            for (const std::int64_t m : {512, 3000}) {
                if (m > family.longest) continue;
                INFO(facts(F::type).name << ", " << family.name << ", m " << m);
                random_source random(7);
                const banded_matrix a = rounded(F::type, family.make(m, random));
                const std::vector<number> truth = random_vector(m, F::type, random);
                const std::vector<number> b = rounded(F::type, times(a, truth));
                // What rounding the right-hand side alone costs is in all of them.
                const double reference = difference_of(eliminated(a, b, F::type), truth);
                const double allowed = sensitivity(a, b, truth, F::type, random);
                const auto x = solve<F>(a, {1, m, {b}}, true);
                const double found = difference_of(x[0], truth);
                CAPTURE(reference, allowed, found);
                CHECK(found <= 10 * (reference + allowed) + 10 * epsilon(F::type));
            }
    });
}

// LAPACK divides by a pivot and never multiplies by one over it.
TEST_CASE("gtsv2 and gtsv2_nopivot where one over a pivot overflows") {
    for_each_type([]<class F>(F) {
        if (!device_has(F::type)) return;
        const double unit = tiny_unit(F::type);
        for (const matrix_family& family : tridiagonal_families()) {
            // Those whose elements do not differ in size.
            const std::string name = family.name;
            if (name != "random" && name != "-1 4 -1" && name != "half zeros" && name != "zero diagonal")
                continue;
            for (const std::int64_t m : {3, 4, 17, 64, 300, 1025, 5003}) {
                // Its pivots shrink to zero: LAPACK's elimination finds it singular, too.
                if (name == "zero diagonal" && m > 300) continue;
                for (const std::int64_t count : {1, 3})
                    for (const bool pivoting : {true, false}) {
                        if (!pivoting && !family.dominant) continue;
                        INFO(facts(F::type).name << ", " << name << ", m " << m << ", n " << count
                                                 << ", pivoting " << pivoting);
                        random_source random(static_cast<std::uint64_t>(m));
                        const banded_matrix a = rounded(F::type, times_number(family.make(m, random), unit));
                        right_hand_sides b = random_sides(m, count, F::type, random);
                        for (auto& column : b.columns) {
                            for (number& v : column) v *= unit;
                            column = rounded(F::type, column);
                        }
                        const auto x = solve<F>(a, b, pivoting);
                        for (std::size_t j = 0; j < x.size(); ++j)
                            CHECK(backward_error(a, x[j], b.columns[j]) < 40 * tiny_epsilon(F::type));
                    }
            }
        }
    });
}

TEST_CASE("gtsv2 where one over some pivots overflows") {
    for_each_type([]<class F>(F) {
        if (!device_has(F::type)) return;
        const double unit = tiny_unit(F::type);
        for (const std::int64_t m : {3, 17, 300, 1025, 5003}) {
            INFO(facts(F::type).name << ", m " << m);
            random_source random(static_cast<std::uint64_t>(m));
            banded_matrix a = tridiagonal_families()[9].make(m, random);  // -1 4 -1
            for (std::int64_t i = 0; i < m; ++i)
                if (i % 7 > 2)
                    for (auto& diagonal : a.diagonals) diagonal[static_cast<std::size_t>(i)] *= unit;
            a = rounded(F::type, a);
            const std::vector<number> truth = random_vector(m, F::type, random);
            const std::vector<number> b = rounded(F::type, times(a, truth));
            const double reference = difference_of(eliminated(a, b, F::type), truth);
            const auto x = solve<F>(a, {1, m, {b}}, true);
            CAPTURE(reference);
            CHECK(difference_of(x[0], truth) <= 10 * reference + 40 * tiny_epsilon(F::type));
        }
    });
}

TEST_CASE("gtsv2 of many right-hand sides") {
    for_each_type([]<class F>(F) {
        if (!device_has(F::type)) return;
        const matrix_family& family = tridiagonal_families().front();
        check_family<F>(family, 37, 150, true);
        check_family<F>(family, 1500, 9, true);
    });
}

TEST_CASE("gtsv2 of systems with more chunks than a group has items") {
    for_each_type([]<class F>(F) {
        if (!device_has(F::type)) return;
        const std::int64_t m = (F::is_complex && !F::is_single   ? 150'000
                                : F::is_complex || !F::is_single ? 270'000
                                                                 : 530'000);
        for (const char* name : {"random", "-1 4 -1"})
            for (const matrix_family& family : tridiagonal_families())
                if (family.name == std::string(name)) check_family<F>(family, m, 1, true);
    });
}

TEST_CASE("gtsv2 gives the same bits every time, and a singular matrix no crash") {
    using F = typed_functions<float>;
    random_source random(11);
    const banded_matrix a = rounded(F::type, tridiagonal_families().front().make(2500, random));
    const right_hand_sides b = random_sides(a.m, 2, F::type, random);
    CHECK((solve<F>(a, b, true) == solve<F>(a, b, true)));
    banded_matrix zero = a;
    for (auto& diagonal : zero.diagonals) std::fill(diagonal.begin(), diagonal.end(), number(0));
    solve<F>(zero, b, true);
    solve<F>(zero, b, false);
}

TEST_CASE("no right-hand side, no work") {
    for_each_type([]<class F>(F f) {
        std::size_t bytes = 0;
        expect(f.gtsv2_bufferSizeExt(cusparse(), 3, 0, nullptr, nullptr, nullptr, nullptr, 3, &bytes));
        CHECK(bytes > 0);
        expect(f.gtsv2(cusparse(), 3, 0, nullptr, nullptr, nullptr, nullptr, 3, nullptr));
        expect(f.gtsv2_nopivot(cusparse(), 3, 0, nullptr, nullptr, nullptr, nullptr, 3, nullptr));
        expect(f.gtsv2StridedBatch(cusparse(), 3, nullptr, nullptr, nullptr, nullptr, 0, 3, nullptr));
    });
}

namespace {

struct batch_shape {
    std::int64_t m, count, stride;
};

std::vector<batch_shape> batch_shapes() {
    std::vector<batch_shape> all{{3, 1, 3},       {3, 200, 5},    {8, 33, 8},     {9, 100, 9},
                                 {64, 40, 70},    {100, 7, 101},  {256, 64, 256}, {700, 3, 700},
                                 {1025, 5, 1030}, {2100, 3, 2100}};
    if (has_all_types()) all.insert(all.end(), {{20000, 3, 20001}, {4096, 40, 4096}});
    return all;
}

// Systems one after the other, with poison between them.
std::vector<number> strided(const std::vector<std::vector<number>>& parts, std::int64_t stride,
                            cudaDataType type) {
    std::vector<number> all(as_size(stride) * (parts.size() - 1) + parts.back().size(), poison(type));
    for (std::size_t k = 0; k < parts.size(); ++k)
        std::copy(parts[k].begin(), parts[k].end(), all.begin() + stride * static_cast<std::int64_t>(k));
    return all;
}

template <class F>
void check_batch(const matrix_family& family, const batch_shape& s) {
    using T = typename F::scalar;
    const F f;
    INFO(facts(F::type).name << ", " << family.name << ", m " << s.m << ", count " << s.count << ", stride "
                             << s.stride);
    random_source random(static_cast<std::uint64_t>(s.m + s.count));
    std::vector<banded_matrix> a;
    std::vector<std::vector<number>> b, parts[3];
    for (std::int64_t k = 0; k < s.count; ++k) {
        a.push_back(rounded(F::type, family.make(s.m, random)));
        b.push_back(random_vector(s.m, F::type, random));
        for (int which = 0; which < 3; ++which)
            parts[which].push_back(stored_diagonal(a.back(), which + 1, F::type));
    }
    const diagonals<F> device(strided(parts[0], s.stride, F::type), strided(parts[1], s.stride, F::type),
                              strided(parts[2], s.stride, F::type));
    const std::vector<number> before = strided(b, s.stride, F::type);
    const typed_array x(F::type, before, 1);
    T* const values = static_cast<T*>(x.data());
    const int m = static_cast<int>(s.m), count = static_cast<int>(s.count),
              stride = static_cast<int>(s.stride);
    std::size_t bytes = 0;
    expect(f.gtsv2StridedBatch_bufferSizeExt(cusparse(), m, device.l(), device.d(), device.u(), values, count,
                                             stride, &bytes));
    const workspace buffer(bytes);
    expect(f.gtsv2StridedBatch(cusparse(), m, device.l(), device.d(), device.u(), values, count, stride,
                               buffer.data()));
    device.check_unchanged();
    const std::vector<number> after = x.numbers();
    std::vector<number> around = after;
    double worst = 0;
    for (std::int64_t k = 0; k < s.count; ++k) {
        const auto begin = after.begin() + s.stride * k;
        const double error = backward_error(a[as_size(k)], {begin, begin + s.m}, b[as_size(k)]);
        if (!(error <= worst)) worst = error;
        std::copy_n(before.begin() + s.stride * k, s.m, around.begin() + s.stride * k);
    }
    CHECK(worst < allowed_backward_error(F::type));
    CHECK(same_bits(F::type, around, before));
}

}  // namespace

TEST_CASE("gtsv2StridedBatch solves its systems and leaves what lies between them") {
    for_each_type([]<class F>(F) {
        if (!device_has(F::type)) return;
        for (const matrix_family& family : tridiagonal_families())
            if (family.dominant)
                for (const batch_shape& s : batch_shapes()) check_batch<F>(family, s);
    });
}
