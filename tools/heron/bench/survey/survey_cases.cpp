#include "survey_cases.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/convert/convert_bench.hpp"
#include "bench/convert/convert_case.hpp"
#include "bench/factor/factor_bench.hpp"
#include "bench/prune/prune_bench.hpp"
#include "bench/reorder/reorder_bench.hpp"
#include "bench/sddmm/sddmm_bench.hpp"
#include "bench/spgemm/spgemm_bench.hpp"
#include "bench/spmm/spmm_bench.hpp"
#include "bench/spmv/spmv_bench.hpp"
#include "bench/trisolve/trisolve_bench.hpp"
#include "bench/vector/sparse_vector_bench.hpp"

namespace heron::tools {
namespace {

using texts = std::vector<std::string>;

bool always(const csr_matrix&, const survey_limits&) { return true; }

bool is_square(const csr_matrix& m, const survey_limits&) { return m.rows == m.cols; }

// Of A A, or of A A^T where A is not square.
bool has_few_products(const csr_matrix& m, const survey_limits& limits) {
    const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
    std::vector<double> lengths(at(m.cols));
    if (m.rows == m.cols) {
        for (std::int64_t row = 0; row < m.rows; ++row)
            lengths[at(row)] = static_cast<double>(m.offsets[at(row + 1)] - m.offsets[at(row)]);
    } else {
        for (const std::int64_t column : m.columns) lengths[at(column)] += 1;
    }
    double products = 0;
    for (const std::int64_t column : m.columns) products += lengths[at(column)];
    return products <= limits.products;
}

// For Blocked-ELL, all of whose rows are as long as the longest one.
bool has_little_padding(const csr_matrix& m, const survey_limits& limits) {
    return static_cast<double>(measure_rows(m).max) * static_cast<double>(m.rows) <= limits.elements;
}

// For blocks, where each element may fill one of its own.
bool fits_in_blocks(const csr_matrix& m, const survey_limits& limits) {
    return 16 * static_cast<double>(m.nnz()) <= limits.elements;
}

// Eliminating a row costs about the products of the rows that it names, and rows of many thousands of
// elements take minutes on a GPU: a short survey would end there.
bool is_factored_soon(const csr_matrix& m, const survey_limits& limits) {
    return is_square(m, limits) && has_few_products(m, limits) &&
           static_cast<double>(measure_rows(m).max) <= 1e-3 * limits.elements;
}

class case_list {
  public:
    // Measured by what a benchmark makes of its options. The input becomes their matrices, or their sizes.
    template <class Options, class Result>
    survey_case& add(const char* operation, std::string variant, const Options& options,
                     Result (*bench)(const Options&, progress&)) {
        survey_case& made = cases.emplace_back();
        made.operation = operation;
        made.variant = std::move(variant);
        made.takes = always;
        made.run = [options, bench](const survey_settings& how, const std::string& spec) {
            Options own = options;
            own.who = how.who;
            own.timing = how.timing;
            own.seed = how.seed;
            if constexpr (requires { own.matrices; }) own.matrices = {spec};
            if constexpr (requires { own.sizes; }) own.sizes = {spec};
            progress silent = progress::silent();
            return bench(own, silent).table.rows;
        };
        return made;
    }

    std::vector<survey_case> cases;
};

const texts real_types{"f32", "f64"}, all_types{"f32", "f64", "c32", "c64"};

texts ops_of(const std::string& type) { return type[0] == 'c' ? texts{"N", "T", "C"} : texts{"N", "T"}; }

const char* preprocess_text(bool preprocess) { return preprocess ? "preprocessed" : "direct"; }

void add_spmv(case_list& list, const spmv_bench_options& o, const char* more = "") {
    const std::string& format = o.formats[0];
    survey_case& made = list.add("SpMV",
                                 fmt::format("{} {} {} {} {}{}", o.types[0], o.ops[0], format,
                                             preprocess_text(o.preprocess), o.warm ? "warm" : "cold", more),
                                 o, run_spmv_bench);
    if (format == "bsr") made.takes = fits_in_blocks;
}

void add_all_spmv(case_list& list) {
    for (const std::string& type : all_types)
        for (const std::string& op : ops_of(type))
            for (const bool preprocess : {true, false})
                for (const bool warm : {false, true}) {
                    spmv_bench_options o;
                    o.types = {type};
                    o.ops = {op};
                    o.preprocess = preprocess;
                    o.warm = warm;
                    for (const char* format : {"csr", "csc", "coo", "sell", "bsr"}) {
                        // Formats other than CSR come without the cache's help.
                        if (warm && format != std::string("csr")) continue;
                        o.formats = {format};
                        add_spmv(list, o);
                    }
                    if (warm) continue;
                    o.formats = {"csr"};
                    o.beta = 1;
                    add_spmv(list, o, " beta=1");
                }
    spmv_bench_options o;
    for (const char* type : {"f16", "bf16", "i8"}) {
        o.types = {type};
        add_spmv(list, o);
    }
    o.types = {"f64"};
    for (const char* index : {"64", "64/32"}) {
        o.indices = {index};
        add_spmv(list, o, fmt::format(" index={}", index).c_str());
    }
}

void add_spmm(case_list& list, const spmm_bench_options& o, const char* more = "") {
    const std::string& format = o.formats[0];
    survey_case& made = list.add("SpMM",
                                 fmt::format("{} {} {} {} n={} {}{}", o.types[0], o.ops[0], format,
                                             o.layouts[0], o.columns[0], preprocess_text(o.preprocess), more),
                                 o, run_spmm_bench);
    made.columns = std::stod(o.columns[0]);
    if (format == "bsr") made.takes = fits_in_blocks;
    if (format == "ell") made.takes = has_little_padding;
}

void add_all_spmm(case_list& list) {
    for (const std::string& type : all_types)
        for (const std::string& op : ops_of(type))
            for (const char* format : {"csr", "csc", "coo", "bsr", "ell"})
                for (const char* layout : {"rr", "cc", "rc", "cr"})
                    for (const char* n : {"1", "2", "8", "32", "128", "512"})
                        for (const bool preprocess : {true, false}) {
                            // What few programs ask for is looked at in one size.
                            const bool is_usual = layout[0] == layout[1] && format != std::string("ell") &&
                                                  type[0] != 'c' && preprocess;
                            if (!is_usual && n != std::string("32")) continue;
                            spmm_bench_options o;
                            o.types = {type};
                            o.ops = {op};
                            o.formats = {format};
                            o.layouts = {layout};
                            o.columns = {n};
                            o.preprocess = preprocess;
                            add_spmm(list, o);
                        }
    spmm_bench_options o;
    o.columns = {"64"};
    for (const char* type : {"f16", "bf16"}) {
        o.types = {type};
        add_spmm(list, o);
    }
    o.types = {"f32"};
    o.beta = 1;
    add_spmm(list, o, " beta=1");
}

void add_sddmm(case_list& list) {
    for (const std::string& type : all_types)
        for (const char* layout : {"rc", "rr", "cc", "cr"})
            for (const std::int64_t k : {1, 4, 16, 64, 128, 512})
                for (const bool preprocess : {true, false})
                    for (const bool warm : {false, true}) {
                        const bool is_usual = type[0] != 'c' && preprocess && !warm;
                        if (!is_usual && k != 64) continue;
                        sddmm_bench_options o;
                        o.types = {type};
                        o.layouts = {layout};
                        o.inner = {k};
                        o.preprocess = preprocess;
                        o.warm = warm;
                        list.add("SDDMM",
                                 fmt::format("{} {} k={} {} {}", type, layout, k, preprocess_text(preprocess),
                                             warm ? "warm" : "cold"),
                                 o, run_sddmm_bench)
                            .columns = static_cast<double>(k);
                    }
}

void add_spgemm(case_list& list) {
    for (const std::string& type : real_types)
        for (const char* algorithm : {"default", "alg1", "alg2", "alg3", "reuse"}) {
            spgemm_bench_options o;
            o.types = {type};
            o.algorithms = {algorithm};
            const bool reuse = algorithm == std::string("reuse");
            list.add(reuse ? "SpGEMM reuse" : "SpGEMM", fmt::format("{} {}", type, algorithm), o,
                     run_spgemm_bench)
                .takes = has_few_products;
        }
}

void add_trisolve(case_list& list) {
    for (const std::string& type : all_types)
        for (const std::string& op : ops_of(type))
            for (const char* triangle : {"lower", "upper"})
                for (const std::int64_t n : {1, 2, 8, 32, 128})
                    for (const char* order : {"column", "row"}) {
                        if (n == 1 && order == std::string("row")) continue;
                        if (type[0] == 'c' && n != 1 && n != 8) continue;
                        trisolve_bench_options o;
                        o.types = {type};
                        o.ops = {op};
                        o.triangles = {triangle};
                        o.right_sides = {n};
                        o.order = order;
                        o.analyses = 1;
                        survey_case& made = list.add(
                            n == 1 ? "SpSV" : "SpSM",
                            n == 1 ? fmt::format("{} {} {}", type, op, triangle)
                                   : fmt::format("{} {} {} n={} by {}s", type, op, triangle, n, order),
                            o, run_trisolve_bench);
                        made.columns = static_cast<double>(n);
                        made.takes = is_square;
                    }
}

void add_factor(case_list& list) {
    for (const std::string& type : all_types)
        for (const char* kind : {"ilu0", "ic0"}) {
            factor_bench_options o;
            o.types = {type};
            o.kinds = {kind};
            o.analyses = 1;
            list.add("factor", fmt::format("{} {}", type, kind), o, run_factor_bench).takes =
                is_factored_soon;
        }
}

void add_conversions(case_list& list) {
    for (const std::string& type : real_types)
        for (const std::string& function : convert_functions()) {
            convert_bench_options o;
            o.types = {type};
            o.functions = {function};
            list.add("convert", fmt::format("{} {}", type, function), o, run_convert_bench).takes =
                has_blocks(function) ? fits_in_blocks : always;
        }
}

void add_dense_conversions(case_list& list) {
    for (const std::string& type : real_types)
        for (const char* function : {"DenseToSparse_analysis", "DenseToSparse_convert", "SparseToDense"})
            for (const char* format : {"csr", "coo"})
                for (const char* order : {"row", "col"})
                    for (const double share : {0.001, 0.05}) {
                        prune_bench_options o;
                        o.types = {type};
                        o.functions = {function};
                        o.formats = {format};
                        o.orders = {order};
                        o.shares = {share};
                        list.add(function, fmt::format("{} {} {} share={}", type, format, order, share), o,
                                 run_prune_bench)
                            .kind = survey_kind::dense;
                    }
}

void add_reordering(case_list& list) {
    reorder_bench_options o;
    for (const std::string& function : sort_functions()) {
        o.functions = {function};
        list.add("sort", function, o, run_sort_bench);
    }
    for (const std::string& function : geam_functions())
        for (const std::string& type : real_types) {
            o.functions = {function};
            o.types = {type};
            list.add("geam", fmt::format("{} {}", type, function), o, run_geam_bench);
        }
}

void add_vectors(case_list& list) {
    for (const std::string& type : all_types)
        for (const std::string& function : sparse_vector_functions())
            for (const double beta : {1.0, -1.0}) {
                if (function != "axpby" && beta != 1) continue;
                sparse_vector_bench_options o;
                o.types = {type};
                o.functions = {function};
                o.beta = beta;
                list.add("vector",
                         fmt::format("{} {}{}", type, function,
                                     function == "axpby" ? fmt::format(" beta={}", beta) : ""),
                         o, run_sparse_vector_bench)
                    .kind = survey_kind::vector;
            }
}

}  // namespace

std::vector<survey_case> survey_cases() {
    case_list list;
    for (const auto add : {add_all_spmv, add_all_spmm, add_sddmm, add_spgemm, add_trisolve, add_factor,
                           add_conversions, add_dense_conversions, add_reordering, add_vectors})
        add(list);
    return std::move(list.cases);
}

}  // namespace heron::tools
