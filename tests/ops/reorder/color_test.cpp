// csrcolor: every colouring is checked for what makes it one.
#include "compressed.hpp"
#include "ops/operands.hpp"
#include "typed_functions.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>

using namespace heron::test;

namespace {

using edges = std::vector<std::pair<int, int>>;

struct graph {
    std::string name;
    int rows;
    edges list;
    bool both_ways = true;
};

graph grid(std::string name, int nx, int ny, int nz) {
    graph g{std::move(name), nx * ny * nz, {}};
    const auto at = [&](int x, int y, int z) { return (z * ny + y) * nx + x; };
    for (int z = 0; z < nz; ++z)
        for (int y = 0; y < ny; ++y)
            for (int x = 0; x < nx; ++x) {
                g.list.emplace_back(at(x, y, z), at(x, y, z));
                if (x > 0) g.list.emplace_back(at(x, y, z), at(x - 1, y, z));
                if (y > 0) g.list.emplace_back(at(x, y, z), at(x, y - 1, z));
                if (z > 0) g.list.emplace_back(at(x, y, z), at(x, y, z - 1));
            }
    return g;
}

// Every point beside all those around it, 27 with itself.
graph full_grid(std::string name, int nx, int ny, int nz) {
    graph g{std::move(name), nx * ny * nz, {}};
    for (int i = 0; i < g.rows; ++i)
        for (int j = 0; j <= i; ++j) {
            const int dx = i % nx - j % nx, dy = i / nx % ny - j / nx % ny,
                      dz = i / (nx * ny) - j / (nx * ny);
            if (std::max({std::abs(dx), std::abs(dy), std::abs(dz)}) < 2) g.list.emplace_back(i, j);
        }
    return g;
}

graph random_graph(std::string name, int rows, int count, bool both_ways) {
    random_source random{12};
    graph g{std::move(name), rows, {}, both_ways};
    for (int k = 0; k < count; ++k)
        g.list.emplace_back(static_cast<int>(random.below(rows)), static_cast<int>(random.below(rows)));
    return g;
}

std::vector<graph> all_graphs() {
    graph complete{"complete", 90, {}}, star{"star", 500, {}}, ways{"one way", 400, {}, false};
    for (int i = 0; i < complete.rows; ++i)
        for (int j = 0; j < i; ++j) complete.list.emplace_back(i, j);
    for (int i = 1; i < star.rows; ++i) star.list.emplace_back(0, i);
    for (int i = 0; i + 1 < ways.rows; ++i) ways.list.emplace_back(i, i + 1);
    for (int i = 0; i < 70; ++i) ways.list.emplace_back(5, 10 + i);
    return {{"no elements", 5, {}},
            {"one row", 1, {{0, 0}}},
            {"diagonal", 100, {{3, 3}, {4, 4}}},
            complete,
            star,
            ways,
            grid("grid 2D", 40, 30, 1),
            grid("grid 3D", 12, 11, 10),
            full_grid("27 points", 9, 8, 7),
            random_graph("random", 3000, 15000, true),
            random_graph("random, one way", 3000, 15000, false),
            random_graph("dense", 200, 12000, true)};
}

compressed_pattern pattern_of(const graph& g, int base) {
    std::vector<std::set<int>> rows(static_cast<std::size_t>(g.rows));
    for (const auto& [i, j] : g.list) {
        rows[static_cast<std::size_t>(i)].insert(j);
        if (g.both_ways) rows[static_cast<std::size_t>(j)].insert(i);
    }
    compressed_pattern p{g.name, g.rows, g.rows, base, {base}, {}};
    for (const auto& row : rows) {
        for (const int j : row) p.indices.push_back(j + base);
        p.offsets.push_back(p.offsets.back() + static_cast<int>(row.size()));
    }
    return p;
}

struct coloring {
    int count = -1;
    std::vector<int> colors, order;
};

template <class F>
coloring color(const compressed_pattern& p, double fraction, cusparsePointerMode_t mode,
               bool with_reordering = true) {
    const pointer_mode_scope scope(mode);
    constexpr cudaDataType real = F::is_single ? CUDA_R_32F : CUDA_R_64F;
    const scalar_operand share(real, fraction, mode);
    cusparseMatDescr_t descr = nullptr;
    expect(cusparseCreateMatDescr(&descr));
    expect(cusparseSetMatIndexBase(descr, static_cast<cusparseIndexBase_t>(p.base)));
    cusparseColorInfo_t info = nullptr;
    expect(cusparseCreateColorInfo(&info));
    const device_array<int> offsets(p.offsets, 1), indices(p.indices, 1);
    // Nobody reads the values.
    const typed_array values(F::type, std::vector<number>(p.indices.size(), poison(F::type)));
    const auto rows = static_cast<std::size_t>(p.rows);
    const device_array<int> colors(rows, 1), numbers(rows, 1);
    coloring result;
    expect(F::csrcolor(cusparse(), p.rows, p.nnz(), descr,
                       static_cast<const typename F::scalar*>(values.data()), offsets.data(), indices.data(),
                       static_cast<const typename F::real*>(share.data()), &result.count, colors.data(),
                       with_reordering ? numbers.data() : nullptr, info));
    expect(cusparseDestroyColorInfo(info));
    expect(cusparseDestroyMatDescr(descr));
    result.colors = colors.download();
    result.order = numbers.download();
    return result;
}

void check_valid(const compressed_pattern& p, const coloring& c) {
    int conflicts = 0;
    for (int i = 0; i < p.rows; ++i)
        for (int k = p.begin(i); k < p.end(i); ++k) {
            const int j = p.indices[static_cast<std::size_t>(k)] - p.base;
            conflicts +=
                i != j && c.colors[static_cast<std::size_t>(i)] == c.colors[static_cast<std::size_t>(j)];
        }
    CHECK(conflicts == 0);
    const std::set<int> used(c.colors.begin(), c.colors.end());
    CHECK(static_cast<int>(used.size()) == c.count);
    if (!used.empty()) {
        CHECK(*used.begin() == 0);
        CHECK(*used.rbegin() == c.count - 1);
    }
}

// Rows of one colour come together in their order, colours ascending.
void check_reordering(const coloring& c) {
    std::vector<int> rows(c.colors.size());
    std::iota(rows.begin(), rows.end(), 0);
    std::stable_sort(rows.begin(), rows.end(), [&](int a, int b) {
        return c.colors[static_cast<std::size_t>(a)] < c.colors[static_cast<std::size_t>(b)];
    });
    CHECK((c.order == rows));
}

int longest_neighbourhood(const graph& g) {
    std::vector<std::set<int>> neighbours(static_cast<std::size_t>(g.rows));
    for (const auto& [i, j] : g.list)
        if (i != j) {
            neighbours[static_cast<std::size_t>(i)].insert(j);
            neighbours[static_cast<std::size_t>(j)].insert(i);
        }
    std::size_t longest = 0;
    for (const auto& n : neighbours) longest = std::max(longest, n.size());
    return static_cast<int>(longest);
}

using single = typed_functions<float>;

}  // namespace

TEST_CASE("neighbours differ, colours are counted, and rows of one colour come together") {
    for (const int base : {0, 1})
        for (const graph& g : all_graphs()) {
            INFO(g.name << ", base " << base);
            const compressed_pattern p = pattern_of(g, base);
            const coloring c = color<single>(p, 1, CUSPARSE_POINTER_MODE_HOST);
            check_valid(p, c);
            check_reordering(c);
            // Greedy colouring needs no more than this.
            CHECK(c.count <= longest_neighbourhood(g) + 1);
        }
}

TEST_CASE("rows of hundreds of neighbours") {
    graph complete{"complete", 130, {}};
    for (int i = 0; i < complete.rows; ++i)
        for (int j = 0; j < i; ++j) complete.list.emplace_back(i, j);
    const compressed_pattern p = pattern_of(complete, 0);
    const coloring c = color<single>(p, 1, CUSPARSE_POINTER_MODE_HOST);
    check_valid(p, c);
    CHECK(c.count == complete.rows);
}

TEST_CASE("few colours do for grids") {
    const coloring flat = color<single>(pattern_of(grid("2D", 60, 50, 1), 0), 1, CUSPARSE_POINTER_MODE_HOST);
    CHECK(flat.count <= 5);
    const coloring solid =
        color<single>(pattern_of(grid("3D", 16, 16, 16), 0), 1, CUSPARSE_POINTER_MODE_HOST);
    CHECK(solid.count <= 7);
}

TEST_CASE("all types, both pointer modes and every run give the same") {
    const compressed_pattern p = pattern_of(random_graph("random", 1000, 6000, false), 1);
    const coloring first = color<single>(p, 1, CUSPARSE_POINTER_MODE_HOST);
    for_each_type([&]<class F>(F) {
        if (!device_has(F::type)) return;
        for (const auto mode : {CUSPARSE_POINTER_MODE_HOST, CUSPARSE_POINTER_MODE_DEVICE}) {
            INFO(facts(F::type).name << ", mode " << mode);
            const coloring again = color<F>(p, 1, mode);
            CHECK(again.count == first.count);
            CHECK((again.colors == first.colors));
            CHECK((again.order == first.order));
        }
    });
}

TEST_CASE("rows behind the fraction may have colours of their own") {
    for (const graph& g : all_graphs())
        for (const double fraction : {0.0, 0.25, 0.8}) {
            INFO(g.name << ", fraction " << fraction);
            const compressed_pattern p = pattern_of(g, 0);
            const coloring c = color<single>(p, fraction, CUSPARSE_POINTER_MODE_HOST);
            check_valid(p, c);
            check_reordering(c);
        }
    const coloring none = color<single>(pattern_of(grid("2D", 9, 9, 1), 0), 0, CUSPARSE_POINTER_MODE_DEVICE);
    CHECK(none.count == 81);
}

TEST_CASE("reordering may be NULL, and is then left alone") {
    const compressed_pattern p = pattern_of(grid("2D", 20, 20, 1), 0);
    const coloring c = color<single>(p, 1, CUSPARSE_POINTER_MODE_HOST, false);
    check_valid(p, c);
    const std::vector<int> untouched = device_array<int>(c.order.size(), 1).download();
    CHECK((c.order == untouched));
}

TEST_CASE("a matrix without rows has no colours") {
    const coloring c = color<single>({"none", 0, 0, 0, {0}, {}}, 1, CUSPARSE_POINTER_MODE_HOST);
    CHECK(c.count == 0);
}
