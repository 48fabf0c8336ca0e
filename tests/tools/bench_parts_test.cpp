#include "catch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "measure/bench_values.hpp"
#include "measure/measure.hpp"
#include "matrix/packed_matrix.hpp"
#include "measure/report.hpp"
#include "bench/spmv/spmv_reference.hpp"
#include "bench/survey/survey_inputs.hpp"
#include "bench/survey/survey_plan.hpp"
#include "bench/survey/survey_report.hpp"
#include "matrix/shared_matrix.hpp"

using namespace heron::tools;

namespace {

double through(scalar_type type, double value) {
    return decode(type, encode(type, {.real = {value}})).real[0];
}

std::int64_t index_at(const std::vector<std::byte>& bytes, int width, std::int64_t i) {
    if (width == 8) {
        std::int64_t index = 0;
        std::memcpy(&index, &bytes[static_cast<std::size_t>(i) * 8], 8);
        return index;
    }
    std::int32_t index = 0;
    std::memcpy(&index, &bytes[static_cast<std::size_t>(i) * 4], 4);
    return index;
}

using entries = std::map<std::pair<std::int64_t, std::int64_t>, double>;

entries entries_of(const csr_matrix& pattern, const number_array& values) {
    entries result;
    for (std::int64_t row = 0; row < pattern.rows; ++row) {
        for (std::int64_t k = pattern.offsets[static_cast<std::size_t>(row)];
             k < pattern.offsets[static_cast<std::size_t>(row) + 1]; ++k) {
            const auto at = static_cast<std::size_t>(k);
            result[{row, pattern.columns[at]}] = values.real[at];
        }
    }
    return result;
}

// Reads the arrays as the formats are defined; padding, which is zero, is left out.
class unpacker {
  public:
    explicit unpacker(const packed_matrix& m) : m_(m), values_(decode(m.how.type, m.values)) {}

    entries take() {
        switch (m_.how.format) {
            case sparse_format::csr:
            case sparse_format::csc: compressed(); break;
            case sparse_format::coo:
                for (std::int64_t k = 0; k < m_.nnz; ++k) {
                    add(index_at(m_.row_indices, m_.how.widths.indices, k), index(k), k);
                }
                break;
            case sparse_format::sell: sliced(); break;
            case sparse_format::bsr: blocked(); break;
            case sparse_format::ell: blocked_ell(); break;
        }
        return result_;
    }

  private:
    std::int64_t offset(std::int64_t i) const { return index_at(m_.offsets, m_.how.widths.offsets, i); }
    std::int64_t index(std::int64_t i) const { return index_at(m_.indices, m_.how.widths.indices, i); }

    void add(std::int64_t row, std::int64_t col, std::int64_t at) {
        const double value = values_.real[static_cast<std::size_t>(at)];
        if (value != 0) result_[{row, col}] = value;
    }

    void compressed() {
        const bool by_rows = m_.how.format == sparse_format::csr;
        for (std::int64_t i = 0; i < (by_rows ? m_.rows : m_.cols); ++i) {
            for (std::int64_t k = offset(i); k < offset(i + 1); ++k) {
                add(by_rows ? i : index(k), by_rows ? index(k) : i, k);
            }
        }
    }

    void sliced() {
        const std::int64_t slice = m_.how.slice;
        for (std::int64_t s = 0; s * slice < m_.rows; ++s) {
            for (std::int64_t k = offset(s); k < offset(s + 1); ++k) {
                if (index(k) >= 0) add(s * slice + (k - offset(s)) % slice, index(k), k);
            }
        }
    }

    void blocked() {
        const std::int64_t b = m_.how.block;
        for (std::int64_t i = 0; i < m_.rows / b; ++i) {
            for (std::int64_t k = offset(i); k < offset(i + 1); ++k) {
                for (std::int64_t e = 0; e < b * b; ++e) {
                    add(i * b + e / b, index(k) * b + e % b, k * b * b + e);
                }
            }
        }
    }

    void blocked_ell() {
        const std::int64_t b = m_.how.block;
        for (std::int64_t row = 0; row < m_.rows; ++row) {
            for (std::int64_t k = 0; k < m_.ell_cols; ++k) {
                const std::int64_t block_column = index((row / b * m_.ell_cols + k) / b);
                if (block_column >= 0) add(row, block_column * b + k % b, row * m_.ell_cols + k);
            }
        }
    }

    const packed_matrix& m_;
    number_array values_;
    entries result_;
};

}  // namespace

TEST_CASE("half and bfloat16 round to nearest even") {
    CHECK(through(scalar_type::f16, 0.0) == 0.0);
    CHECK(through(scalar_type::f16, -1.0) == -1.0);
    CHECK(through(scalar_type::f16, 1 + 0x1p-11) == 1.0);
    CHECK(through(scalar_type::f16, 1 + 3 * 0x1p-11) == 1 + 0x1p-9);
    CHECK(through(scalar_type::f16, 1 + 1.01 * 0x1p-11) == 1 + 0x1p-10);
    CHECK(through(scalar_type::f16, 65504.0) == 65504.0);
    CHECK(std::isinf(through(scalar_type::f16, 65520.0)));
    CHECK(through(scalar_type::f16, 0x1p-24) == 0x1p-24);
    CHECK(through(scalar_type::f16, 0x1p-14 - 0x1p-26) == 0x1p-14);
    CHECK(through(scalar_type::f16, 0x1p-26) == 0.0);
    CHECK(std::isnan(through(scalar_type::f16, std::numeric_limits<double>::quiet_NaN())));
    CHECK(through(scalar_type::bf16, 1 + 0x1p-8) == 1.0);
    CHECK(through(scalar_type::bf16, 1 + 3 * 0x1p-8) == 1 + 0x1p-6);
    CHECK(through(scalar_type::bf16, -0x1p100) == -0x1p100);
    CHECK(std::isnan(through(scalar_type::bf16, std::numeric_limits<double>::quiet_NaN())));
}

TEST_CASE("Every half survives the way to double and back") {
    std::vector<std::byte> all(2 * 65536);
    for (unsigned bits = 0; bits < 65536; ++bits) {
        const auto half = static_cast<std::uint16_t>(bits);
        std::memcpy(&all[2 * bits], &half, 2);
    }
    const number_array numbers = decode(scalar_type::f16, all);
    const std::vector<std::byte> again = encode(scalar_type::f16, numbers);
    for (unsigned bits = 0; bits < 65536; ++bits) {
        if (std::isnan(numbers.real[bits])) continue;
        CAPTURE(bits);
        REQUIRE(std::memcmp(&all[2 * bits], &again[2 * bits], 2) == 0);
    }
}

TEST_CASE("Random numbers are never zero and their type represents them") {
    for (const scalar_type type : {scalar_type::i8, scalar_type::i32, scalar_type::f16, scalar_type::bf16,
                                   scalar_type::f32, scalar_type::f64, scalar_type::c32, scalar_type::c64}) {
        splitmix64 random(7);
        const number_array numbers = random_numbers(type, 1000, random);
        REQUIRE(numbers.size() == 1000);
        CHECK(numbers.imag.empty() != traits_of(type).is_complex);
        const number_array again = decode(type, encode(type, numbers));
        CHECK(again.real == numbers.real);
        CHECK(again.imag == numbers.imag);
        std::set<bool> signs;
        for (const double value : numbers.real) {
            REQUIRE(value != 0);
            signs.insert(value < 0);
        }
        CHECK(signs.size() == 2);
    }
}

TEST_CASE("Packing keeps every entry in its place") {
    for (const char* spec : {"poisson2d:7", "longrows:41,2", "rmat:6", "uniform:33,4", "diag:1", "dense:5,17",
                             "hypersparse:50,3"}) {
        for (const sparse_format format : {sparse_format::csr, sparse_format::csc, sparse_format::coo,
                                           sparse_format::sell, sparse_format::bsr, sparse_format::ell}) {
            for (const char* widths : {"32", "64", "64/32"}) {
                CAPTURE(spec, name_of(format), widths);
                const packing how{.format = format,
                                  .widths = find_index_widths(widths),
                                  .type = scalar_type::f32,
                                  .slice = 4,
                                  .block = 3};
                csr_matrix pattern = load_matrix(spec);
                if (how.has_blocks()) pattern = padded_to_blocks(pattern, how.block);
                splitmix64 random(1);
                const number_array values =
                    random_numbers(how.type, static_cast<std::size_t>(pattern.nnz()), random);
                const packed_matrix packed = pack(pattern, values, how);
                CHECK(unpacker(packed).take() == entries_of(pattern, values));
                CHECK(packed.stored * 4 == static_cast<std::int64_t>(packed.values.size()));
                CHECK(packed.compulsory_bytes() > 0);
            }
        }
    }
}

TEST_CASE("The reference product and what it tolerates") {
    // [1 2; 0 3; 0 0] in CSR
    const csr_matrix pattern{.rows = 3, .cols = 2, .offsets = {0, 2, 3, 3}, .columns = {0, 1, 1}};
    const number_array a{.real = {1, 2, 3}};
    const product_type& type = find_product_type("f64");
    const spmv_reference plain =
        compute_reference({}, type, pattern, a, {.real = {10, 100}}, {.real = {1, 1, 1}});
    CHECK(plain.y.real == std::vector<double>{210, 300, 0});
    CHECK(worst_error(plain, {.real = {210, 300, 0}}) == 0);
    CHECK(worst_error(plain, {.real = {210 * (1 + 1e-15), 300, 0}}) <= 1);
    CHECK(worst_error(plain, {.real = {210 * (1 + 1e-12), 300, 0}}) > 1);
    CHECK(std::isinf(worst_error(plain, {.real = {210, 300, 1e-300}})));
    CHECK(std::isinf(worst_error(plain, {.real = {std::nan(""), 300, 0}})));
    const spmv_reference transposed = compute_reference({.op = 'T', .alpha = 2, .beta = -1}, type, pattern, a,
                                                        {.real = {1, 10, 100}}, {.real = {5, 7}});
    CHECK(transposed.y.real == std::vector<double>{-3, 57});
    const spmv_reference conjugated =
        compute_reference({.op = 'C'}, find_product_type("c64"), pattern,
                          {.real = {1, 2, 3}, .imag = {1, 0, 0}}, {.real = {1, 0, 0}, .imag = {0, 1, 0}}, {});
    CHECK(conjugated.y.real == std::vector<double>{1, 2});
    CHECK(conjugated.y.imag == std::vector<double>{-1, 3});
}

TEST_CASE("Measuring takes medians, adapts the calls and survives a task that throws") {
    std::int64_t calls = 0;
    const std::vector<timed_task> tasks{{[&](std::int64_t n) {
                                            calls += n;
                                            return 1e-3 * static_cast<double>(n);
                                        }},
                                        {[](std::int64_t) -> double { throw std::runtime_error("broken"); }}};
    const std::vector<timing> timings = measure_interleaved(tasks, {.rounds = 5, .round_seconds = 0.01});
    REQUIRE(timings.size() == 2);
    CHECK(std::fabs(timings[0].median - 1e-3) < 1e-12);
    CHECK(timings[0].rounds == 5);
    CHECK(timings[0].calls >= 10);
    CHECK(calls >= 20 + 5 * 10);
    CHECK(timings[1].error == "broken");
    CHECK(median_of({3, 1, 2}) == 2);
    CHECK(median_of({4, 1, 2, 3}) == 2.5);
    CHECK(median_of({}) == 0);
}

TEST_CASE("Reports") {
    report what;
    what.run["benchmark"] = "x";
    what.columns = {{.key = "/name", .title = "name"},
                    {.key = "/kind", .title = "kind", .fold = true},
                    {.key = "/time", .title = "us", .format = "{:.1f}", .scale = 1e6},
                    {.key = "/ratio/a", .title = "vs a", .format = "{:.2f}"},
                    {.key = "/absent", .title = "absent"}};
    what.heading = {"head"};
    what.notes = {"note"};
    what.rows.push_back({{"name", "one, \"two\""}, {"kind", "k"}, {"time", 2e-6}, {"ratio", {{"a", 2.0}}}});
    what.rows.push_back({{"name", "b"}, {"kind", "k"}, {"time", 8e-6}, {"ratio", {{"a", 0.5}}}});

    SECTION("table") {
        CHECK(render(what, report_format::table) ==
              "head\n\nkind k\n"
              "name         us  vs a\n"
              "one, \"two\"  2.0  2.00\n"
              "b           8.0  0.50\n"
              "\nnote\n");
    }
    SECTION("CSV") {
        CHECK(render(what, report_format::csv) ==
              "name,kind,time,ratio.a\n"
              "\"one, \"\"two\"\"\",k,2e-06,2.0\n"
              "b,k,8e-06,0.5\n");
    }
    SECTION("a line") {
        const record row{{"matrix", "a"},        {"nnz", 9},        {"n", 32},
                         {"device", "d"},        {"seconds", 2e-6}, {"gflops", 1.23456},
                         {"ratio", {{"e", 0.5}}}};
        CHECK(summary_of(row) == "a n 32 seconds 2 us gflops 1.235 ratio/e 0.5");
    }
    SECTION("JSON") {
        const record parsed = record::parse(render(what, report_format::json));
        CHECK(parsed["benchmark"] == "x");
        CHECK(parsed["results"].size() == 2);
    }
    SECTION("geometric means") {
        const std::vector<std::string> group{"/kind"};
        const std::vector<std::string> values{"/time", "/ratio/a", "/absent"};
        const std::vector<record> means = geometric_means(what.rows, group, values);
        REQUIRE(means.size() == 1);
        CHECK(means[0]["kind"] == "k");
        CHECK(means[0]["count"] == 2);
        CHECK(std::fabs(means[0]["time"].get<double>() - 4e-6) < 1e-15);
        CHECK(std::fabs(means[0]["ratio"]["a"].get<double>() - 1) < 1e-12);
        CHECK(means[0]["smallest"]["ratio"]["a"] == 0.5);
        CHECK(!means[0].contains("absent"));
    }
}

TEST_CASE("a survey sees every operation with every family before any of them twice") {
    std::vector<survey_item> items;
    const auto add = [&](const char* operation, int variants, const char* family, int inputs) {
        for (int v = 0; v < variants; ++v)
            for (int i = 0; i < inputs; ++i)
                items.push_back(
                    {operation, std::to_string(v), family, std::string(family) + std::to_string(i)});
    };
    add("a", 100, "f", 2);
    add("a", 100, "g", 1);
    add("b", 2, "f", 2);
    add("b", 2, "g", 1);
    const std::vector<survey_item> order = in_survey_order(items, 42);
    REQUIRE(order.size() == items.size());
    std::set<std::string> keys;
    for (const survey_item& item : order) keys.insert(item.key());
    CHECK(keys.size() == items.size());
    for (const std::size_t turn : {0, 1}) {
        std::set<std::string> cells;
        for (std::size_t i = 0; i < 4; ++i)
            cells.insert(order[4 * turn + i].operation + order[4 * turn + i].family);
        CHECK(cells.size() == 4);
    }
    const std::vector<survey_item> again = in_survey_order(items, 42), other = in_survey_order(items, 43);
    const auto same_keys = [](const std::vector<survey_item>& a, const std::vector<survey_item>& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                          [](const survey_item& x, const survey_item& y) { return x.key() == y.key(); });
    };
    CHECK(same_keys(order, again));
    CHECK(!same_keys(order, other));
}

TEST_CASE("the pieces of a survey are the whole, each with all of its inputs' items") {
    std::vector<survey_item> items;
    for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t i = 0; i < 7; ++i)
            items.push_back({std::to_string(c), "", "f", std::to_string(i), c, i});
    std::set<std::string> keys;
    for (const char* text : {"1/3", "2/3", "3/3"}) {
        std::set<std::string> inputs;
        const std::vector<survey_item> piece = items_of(survey_piece_from(text), items);
        for (const survey_item& item : piece) {
            CHECK(keys.insert(item.key()).second);
            inputs.insert(item.spec);
        }
        CHECK(piece.size() == 3 * inputs.size());
    }
    CHECK(keys.size() == items.size());
    for (const char* text : {"", "1", "0/3", "4/3", "1/0", "1/3x", "-1/3", "a/b"})
        CHECK_THROWS_AS(survey_piece_from(text), std::invalid_argument);
}

TEST_CASE("the inputs of a survey are about what their table says") {
    int matrices = 0;
    std::set<std::string> families;
    for (const survey_input& input : survey_inputs({})) {
        if (input.kind != survey_kind::matrix) continue;
        ++matrices;
        families.insert(input.family);
        // The others take too long for a test.
        if (input.nnz > 1e5 || input.rows > 1e5) continue;
        CAPTURE(input.spec);
        const csr_matrix m = *shared_matrix(input.spec, 42);
        const auto longer = static_cast<double>(std::max(m.rows, m.cols)), nnz = static_cast<double>(m.nnz());
        CHECK(longer > 0.7 * input.rows);
        CHECK(longer < 1.3 * input.rows);
        CHECK(nnz > 0.7 * input.nnz);
        CHECK(nnz < 1.3 * input.nnz);
    }
    CHECK(matrices >= 60);
    CHECK(families.size() >= 15);
    CHECK_THROWS_AS(survey_inputs({"/no/such/folder"}), std::runtime_error);
}

TEST_CASE("the summary of a survey compares ratios and workspaces") {
    const auto row = [](const char* key, const char* operation, const char* who, double bytes) {
        return record{{"key", key}, {"operation", operation}, {"contender", who}, {"buffer_bytes", bytes}};
    };
    const double mebibyte = 1 << 20;
    std::vector<record> rows{row("1", "a", "heron", mebibyte), row("1", "a", "peer", 7 * mebibyte),
                             row("2", "a", "heron", 0),        row("2", "a", "peer", 0),
                             row("3", "b", "heron", 0),        row("3", "b", "other", 0)};
    rows[0]["ratio"]["peer"] = 2;
    rows[2]["ratio"]["peer"] = 0.5;
    rows[4]["ratio"]["peer"] = 3;
    rows[4]["ratio"]["other"] = 1.5;
    add_comparisons(rows);
    sort_by_worst(rows);
    CHECK(rows[0]["key"] == "2");
    CHECK(rows[1]["key"] == "3");
    CHECK(rows[1]["worst"] == 1.5);
    CHECK(rows[1]["peer"] == "other");
    CHECK(rows[2]["key"] == "1");
    CHECK(rows[2]["workspace_ratio"]["peer"] == 4);
    CHECK(!rows[3].contains("worst"));
    const std::vector<record> means = survey_means(rows, {"peer", "other"}, 0.9);
    REQUIRE(means.size() == 2);
    CHECK(means[0]["operation"] == "a");
    CHECK(means[0]["count"] == 2);
    CHECK(means[0]["below"] == 1);
    CHECK(std::abs(means[0]["ratio"]["peer"].get<double>() - 1) < 1e-12);
    CHECK(means[0]["smallest"]["ratio"]["peer"] == 0.5);
    CHECK(std::abs(means[0]["workspace_ratio"]["peer"].get<double>() - 2) < 1e-12);
    CHECK(means[1]["below"] == 0);
}

TEST_CASE("matrices are kept while there is a keeper") {
    CHECK(shared_matrix("diag:5", 1) != shared_matrix("diag:5", 1));
    const std::size_t bytes_of_diag_100 = 8 * (101 + 100 + 100);
    const matrix_keeper keeper(2 * bytes_of_diag_100);
    const auto first = shared_matrix("diag:100", 1);
    CHECK(shared_matrix("diag:100", 1) == first);
    const auto second = shared_matrix("diag:100", 2);
    CHECK(second != first);
    CHECK(shared_matrix("diag:100", 1) == first);
    // The one that was not asked for the longest time has to go.
    shared_matrix("diag:100", 3);
    CHECK(shared_matrix("diag:100", 1) == first);
    CHECK(shared_matrix("diag:100", 2) != second);
}
