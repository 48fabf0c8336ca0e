// gtsvInterleavedBatch by its three algorithms and gpsvInterleavedBatch, in four types.
#include "banded_system.hpp"
#include "typed_functions.hpp"

using namespace heron::test;

namespace {

constexpr std::size_t as_size(std::int64_t n) { return static_cast<std::size_t>(n); }

struct shape {
    std::int64_t m, count;
};

std::vector<shape> shapes() {
    std::vector<shape> all{{1, 1},   {1, 70},  {2, 3},    {3, 1},    {4, 65},  {5, 1000}, {7, 33},
                           {16, 16}, {63, 40}, {64, 129}, {250, 17}, {257, 5}, {513, 3},  {1100, 2}};
    if (has_all_types()) all.insert(all.end(), {{256, 1000}, {40, 5000}, {3000, 40}});
    return all;
}

// Systems that take turns: element i of system k at i*count + k.
std::vector<number> interleaved(const std::vector<std::vector<number>>& parts) {
    std::vector<number> all;
    for (std::size_t i = 0; i < parts.front().size(); ++i)
        for (const std::vector<number>& part : parts) all.push_back(part[i]);
    return all;
}

// Many systems of a family on the device. All arrays may be overwritten.
template <class F>
struct batch {
    using T = typename F::scalar;

    batch(const matrix_family& family, const shape& s, double unit = 1) {
        random_source random(static_cast<std::uint64_t>(s.m * 1000 + s.count));
        std::vector<std::vector<number>> parts[5];
        for (std::int64_t k = 0; k < s.count; ++k) {
            a.push_back(rounded(F::type, times_number(family.make(s.m, random), unit)));
            b.push_back(random_vector(s.m, F::type, random));
            for (number& v : b.back()) v = rounded(F::type, v * unit);
            for (int which = 0; which < 5; ++which)
                parts[which].push_back(stored_diagonal(a.back(), which, F::type));
        }
        for (const auto& part : parts) arrays.emplace_back(F::type, interleaved(part), 1);
        arrays.emplace_back(F::type, interleaved(b), 1);
    }
    T* data(int which) const { return static_cast<T*>(arrays[as_size(which)].data()); }

    // The largest of all systems; not a number if one of them is.
    double worst() const {
        const std::vector<number> all = arrays[5].numbers();
        const std::size_t count = a.size();
        double most = 0;
        for (std::size_t k = 0; k < count; ++k) {
            std::vector<number> x;
            for (std::size_t i = k; i < all.size(); i += count) x.push_back(all[i]);
            const double error = backward_error(a[k], x, b[k]);
            if (!(error <= most)) most = error;
        }
        return most;
    }

    std::vector<banded_matrix> a;
    std::vector<std::vector<number>> b;
    std::vector<typed_array> arrays;  // the five diagonals and x
};

template <class F>
void solve(const batch<F>& systems, const shape& s, int algorithm) {
    const F f;
    const int m = static_cast<int>(s.m), count = static_cast<int>(s.count);
    std::size_t bytes = 0;
    expect(f.gtsvInterleavedBatch_bufferSizeExt(cusparse(), algorithm, m, systems.data(1), systems.data(2),
                                                systems.data(3), systems.data(5), count, &bytes));
    const workspace buffer(bytes);
    expect(f.gtsvInterleavedBatch(cusparse(), algorithm, m, systems.data(1), systems.data(2), systems.data(3),
                                  systems.data(5), count, buffer.data()));
}

template <class F>
void solve_pentadiagonal(const batch<F>& systems, const shape& s) {
    const F f;
    const int m = static_cast<int>(s.m), count = static_cast<int>(s.count);
    std::size_t bytes = 0;
    expect(f.gpsvInterleavedBatch_bufferSizeExt(cusparse(), 0, m, systems.data(0), systems.data(1),
                                                systems.data(2), systems.data(3), systems.data(4),
                                                systems.data(5), count, &bytes));
    const workspace buffer(bytes);
    expect(f.gpsvInterleavedBatch(cusparse(), 0, m, systems.data(0), systems.data(1), systems.data(2),
                                  systems.data(3), systems.data(4), systems.data(5), count, buffer.data()));
}

constexpr int thomas = 0, lu = 1, qr = 2;

}  // namespace

TEST_CASE("gtsvInterleavedBatch: Thomas's algorithm solves dominant matrices, LU and QR all") {
    for_each_type([]<class F>(F) {
        if (!device_has(F::type)) return;
        const std::vector<matrix_family> families = tridiagonal_families();
        for (const int algorithm : {thomas, lu, qr})
            for (const matrix_family& family : families) {
                if (algorithm == thomas && !family.dominant) continue;
                for (const shape& s : shapes()) {
                    if (s.m > family.longest) continue;
                    const bool few_families = is_short() || (!family.dominant && !has_all_types());
                    const std::int64_t elements = s.m * s.count, most = few_families ? 3000 : 100'000;
                    // One that needs pivoting, and one that does not, are enough of large batches.
                    if (elements > most && &family > &families[1]) continue;
                    INFO(facts(F::type).name << ", algorithm " << algorithm << ", " << family.name << ", m "
                                             << s.m << ", count " << s.count);
                    const batch<F> systems(family, s);
                    solve(systems, s, algorithm);
                    CHECK(systems.worst() < 40 * epsilon(F::type));
                }
            }
    });
}

TEST_CASE("gtsvInterleavedBatch: many systems of few rows") {
    for_each_type([]<class F>(F) {
        if (!device_has(F::type)) return;
        for (const matrix_family& family : tridiagonal_families())
            for (const shape& s : {shape{1, 16384}, shape{2, 16390}, shape{11, 16385}, shape{25, 16390}}) {
                if (s.m > family.longest || (s.m < 11 && !family.dominant)) continue;
                INFO(facts(F::type).name << ", " << family.name << ", m " << s.m << ", count " << s.count);
                const batch<F> systems(family, s);
                solve(systems, s, lu);
                CHECK(systems.worst() < 40 * epsilon(F::type));
            }
    });
}

TEST_CASE("gtsvInterleavedBatch: many systems of more rows") {
    for_each_type([]<class F>(F) {
        if (!device_has(F::type)) return;
        const std::vector<matrix_family> families = tridiagonal_families();
        for (const matrix_family& family : families)
            // Of more than 32 to 128 rows, by type, a group's systems have no room on chip.
            for (const shape& s : {shape{45, 16390}, shape{165, 16385}}) {
                const bool is_thorough = backend_name() == "cuda" && !is_short();
                if (s.m > family.longest || (!is_thorough && (s.m > 45 || &family > &families[1]))) continue;
                INFO(facts(F::type).name << ", " << family.name << ", m " << s.m << ", count " << s.count);
                const batch<F> systems(family, s);
                solve(systems, s, lu);
                CHECK(systems.worst() < 40 * epsilon(F::type));
            }
    });
}

TEST_CASE("gpsvInterleavedBatch solves pentadiagonal systems") {
    for_each_type([]<class F>(F) {
        if (!device_has(F::type)) return;
        for (const matrix_family& family : pentadiagonal_families())
            for (const shape& s : shapes()) {
                INFO(facts(F::type).name << ", " << family.name << ", m " << s.m << ", count " << s.count);
                const batch<F> systems(family, s);
                solve_pentadiagonal(systems, s);
                CHECK(systems.worst() < 40 * epsilon(F::type));
            }
    });
}

TEST_CASE("interleaved systems whose squares overflow or vanish") {
    using F = typed_functions<float>;
    for (const double size : {1e-25, 1e25}) {
        const shape s{20, 5};
        matrix_family family = tridiagonal_families().front();
        batch<F> systems(family, s);
        for (std::size_t which = 0; which < systems.arrays.size(); ++which) {
            std::vector<number> values = systems.arrays[which].numbers();
            for (number& v : values) v = rounded(F::type, v * size);
            systems.arrays[which].upload(values);
        }
        for (auto& a : systems.a)
            for (auto& diagonal : a.diagonals)
                for (number& v : diagonal) v = rounded(F::type, v * size);
        for (auto& b : systems.b)
            for (number& v : b) v = rounded(F::type, v * size);
        solve(systems, s, qr);
        CHECK(systems.worst() < 40 * epsilon(F::type));
    }
}

TEST_CASE("interleaved systems where one over a pivot overflows") {
    for_each_type([]<class F>(F) {
        if (!device_has(F::type)) return;
        const double unit = tiny_unit(F::type);
        for (const shape& s :
             {shape{1, 70}, shape{5, 100}, shape{64, 33}, shape{300, 5}, shape{1100, 2}, shape{11, 16385}}) {
            INFO(facts(F::type).name << ", m " << s.m << ", count " << s.count);
            for (const int algorithm : {thomas, lu, qr}) {
                CAPTURE(algorithm);
                const batch<F> systems(tridiagonal_families()[9], s, unit);  // -1 4 -1
                solve(systems, s, algorithm);
                CHECK(systems.worst() < 40 * tiny_epsilon(F::type));
            }
            const batch<F> systems(pentadiagonal_families()[1], s, unit);  // dominant
            solve_pentadiagonal(systems, s);
            CHECK(systems.worst() < 40 * tiny_epsilon(F::type));
        }
    });
}

TEST_CASE("interleaved systems that are none") {
    for_each_type([]<class F>(F f) {
        for (const shape& s : {shape{0, 5}, shape{5, 0}}) {
            const int m = static_cast<int>(s.m), count = static_cast<int>(s.count);
            std::size_t bytes = 0;
            expect(f.gtsvInterleavedBatch_bufferSizeExt(cusparse(), 1, m, nullptr, nullptr, nullptr, nullptr,
                                                        count, &bytes));
            CHECK(bytes > 0);
            expect(
                f.gtsvInterleavedBatch(cusparse(), 1, m, nullptr, nullptr, nullptr, nullptr, count, nullptr));
            expect(f.gpsvInterleavedBatch(cusparse(), 0, m, nullptr, nullptr, nullptr, nullptr, nullptr,
                                          nullptr, count, nullptr));
        }
    });
}
