#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <utility>

#include "commands.hpp"
#include "bench/tridiag/tridiag_bench.hpp"
#include "bench/convert/convert_case.hpp"
#include "bench/convert/convert_bench.hpp"
#include "bench/prune/prune_bench.hpp"
#include "bench/reorder/reorder_bench.hpp"
#include "bench/factor/factor_bench.hpp"
#include "bench/blas1/vector_bench.hpp"
#include "bench/bsr/bsr_bench.hpp"
#include "bench/dense/dense_bench.hpp"
#include "bench/dense/dense_study.hpp"
#include "measure/device.hpp"
#include "peers/eigen_spmv.hpp"
#include "bench/handle_bench.hpp"
#include "bench/kron/kron_bench.hpp"
#include "bench/sddmm/sddmm_bench.hpp"
#include "bench/spgemm/spgemm_bench.hpp"
#include "bench/spmm/spmm_bench.hpp"
#include "bench/spmv/spmv_bench.hpp"
#include "bench/survey/survey_bench.hpp"
#include "bench/survey/survey_plan.hpp"
#include "bench/trisolve/trisolve_bench.hpp"
#include "bench/vector/sparse_vector_bench.hpp"

namespace heron::tools {
namespace {

// Of items, columns or bytes.
constexpr double largest_count = 1e12;

struct output_options {
    std::string format = "table";
    std::string file;
    bool progress = false;
};

report_format format_of(const output_options& output) {
    return output.format == "csv"    ? report_format::csv
           : output.format == "json" ? report_format::json
                                     : report_format::table;
}

void add_output_options(CLI::App& command, output_options& output) {
    command.add_option("--output", output.format, "table, csv or json")
        ->check(CLI::IsMember({"table", "csv", "json"}))
        ->option_text("FORMAT [table]");
    command.add_option("--file", output.file, "Write there instead of to standard output")
        ->check(writable_file())
        ->option_text("FILE");
    command.add_flag("--progress", output.progress, "Show progress even if standard error is no terminal");
}

using texts = std::vector<std::string>;

// One subcommand of bench with its own options; those that all subcommands have come with run().
template <class Options>
class subcommand {
    struct state {
        Options options;
        output_options output;
        double round_milliseconds = 20;
        double pause_milliseconds = 0;
    };
    std::shared_ptr<state> state_ = std::make_shared<state>();

  public:
    subcommand(CLI::App& bench, const char* name, const char* what)
        : command(*bench.add_subcommand(name, what)), options(state_->options) {}

    CLI::App& command;
    Options& options;

    void list(const char* name, texts& values, const std::string& what) {
        command.add_option(name, values, what)->delimiter(',')->capture_default_str();
    }

    // Words of which each must be one of those that are known.
    void choices(const char* name, texts& values, const texts& known, const std::string& what = "") {
        command.add_option(name, values, what + fmt::format("{}", fmt::join(known, ", ")))
            ->delimiter(',')
            ->check(CLI::IsMember(known).description(""))
            ->capture_default_str();
    }

    // Which sparse matrices; `usual` unless others are named.
    void matrices(texts usual) {
        options.matrices = std::move(usual);
        command.add_option("--matrix", options.matrices, "Matrix Market files or families, see below")
            ->option_text("SPEC ...");
        command.footer("Families of matrices:\n" + matrix_families());
    }

    void contestants() {
        contestant_options& who = options.who;
        backends(who.backends);
        command
            .add_option("--against", who.against,
                        "Other libraries with cuSPARSE's interface to compare with on the CUDA device")
            ->option_text("[NAME=]FILE ...");
        if (has_eigen())
            command.add_flag("--eigen", who.eigen,
                             fmt::format("Compare with Eigen {} on the processor", eigen_version()));
        command
            .add_option(
                "--mkl", who.mkl,
                "Compare with the sparse BLAS of MKL on the processor: libmkl_rt.so.2, or a library that "
                "holds MKL, such as PyTorch's libtorch_cpu.so")
            ->option_text("FILE");
        command.add_option("--library", who.library, "Heron's libcusparse, if not the one found beside it")
            ->option_text("FILE");
    }

    void backends(texts& names) {
        choices("--backend", names, {"host", "opencl", "cuda"}, "Unset: every usable one. Else ");
    }

    void scalars() {
        for (const auto& [name, scalar] :
             {std::pair{"--alpha", &options.alpha}, std::pair{"--beta", &options.beta}})
            command.add_option(name, *scalar, "")->check(number_between(-1e30, 1e30))->capture_default_str();
    }

    void preprocessing(const char* function) {
        command.add_flag("--preprocess,!--no-preprocess", options.preprocess,
                         fmt::format("Call {}, on every side [yes]", function));
    }

    void block() {
        command.add_option("--block", options.block, "Rows and columns of a block of bsr and ell")
            ->check(CLI::Range(1, 1 << 10))
            ->capture_default_str();
    }

    void warmth() {
        command.add_flag("--warm", options.warm,
                         "Leave one copy of the operands, although it may stay in the cache");
    }

    void checking() {
        command.add_flag("--check-only", options.check_only, "Check the results and time nothing");
    }

    // What the subcommand does: measure(options, steps) gives a table and how many results were wrong.
    template <class Measure>
    void run(Measure measure) {
        state& s = *state_;
        command.add_option("--repeat", s.options.timing.rounds, "Rounds of each measurement")
            ->check(CLI::Range(1, 10000))
            ->capture_default_str();
        command.add_option("--round-time", s.round_milliseconds, "Milliseconds of a round at least")
            ->check(number_between(1e-3, 1e6))
            ->capture_default_str();
        command
            .add_option("--pause", s.pause_milliseconds,
                        "Milliseconds before each round, in which the threads of libraries fall asleep")
            ->check(number_between(0, 1e4))
            ->capture_default_str();
        if constexpr (requires { s.options.seed; })
            command.add_option("--seed", s.options.seed, "Of matrices and values")->capture_default_str();
        add_output_options(command, s.output);
        command.callback([kept = state_, measure] {
            const reason_log reasons;
            progress steps(kept->output.progress);
            kept->options.timing.round_seconds = kept->round_milliseconds * 1e-3;
            kept->options.timing.pause_seconds = kept->pause_milliseconds * 1e-3;
            const auto result = measure(kept->options, steps);
            steps.clear();
            write_text(kept->output.file, render(result.table, format_of(kept->output)));
            if (result.failures > 0) throw CLI::RuntimeError(1);
        });
    }
};

void add_spmv_command(CLI::App& bench) {
    subcommand<spmv_bench_options> c(bench, "spmv", "y := alpha op(A) x + beta y with a sparse matrix A");
    c.matrices({"poisson2d:512", "poisson3d27:48", "rmat:15", "longrows:100000,4"});
    c.contestants();
    c.choices("--type", c.options.types, {"f32", "f64", "c32", "c64", "f16", "bf16", "i8"});
    c.choices("--op", c.options.ops, {"N", "T", "C"});
    c.choices("--index", c.options.indices, {"32", "64", "64/32"});
    c.choices("--format", c.options.formats, {"csr", "csc", "coo", "sell", "bsr"});
    c.list("--alg", c.options.algorithms, spmv_algorithm_names());
    c.command.add_option("--slice", c.options.slice, "Rows of a slice of sell")
        ->check(CLI::Range(1, 1 << 20))
        ->capture_default_str();
    c.block();
    c.scalars();
    c.preprocessing("cusparseSpMV_preprocess");
    c.warmth();
    c.checking();
    c.run(run_spmv_bench);
}

void add_spmm_command(CLI::App& bench) {
    subcommand<spmm_bench_options> c(bench, "spmm", "C := alpha op(A) B + beta C with a sparse matrix A");
    c.matrices({"poisson2d:512", "poisson3d27:32", "rmat:14"});
    c.contestants();
    c.choices("--type", c.options.types, {"f32", "f64", "c32", "c64", "f16", "bf16", "i8"});
    c.choices("--op", c.options.ops, {"N", "T", "C"});
    c.choices("--index", c.options.indices, {"32", "64", "64/32"});
    c.choices("--format", c.options.formats, {"csr", "csc", "coo", "bsr", "ell"}, "ell is Blocked-ELL: ");
    c.choices("--layout", c.options.layouts, {"rr", "rc", "cr", "cc"}, "B and C by rows or by columns: ");
    c.list("--n", c.options.columns, "Columns of B and C");
    c.list("--alg", c.options.algorithms, spmm_algorithm_names());
    c.block();
    c.scalars();
    c.preprocessing("cusparseSpMM_preprocess");
    c.checking();
    c.run(run_spmm_bench);
}

void add_sddmm_command(CLI::App& bench) {
    subcommand<sddmm_bench_options> c(bench, "sddmm",
                                      "C := alpha A B + beta C on the pattern of a sparse matrix C");
    c.matrices({"poisson3d27:32", "rmat:14"});
    c.contestants();
    c.choices("--type", c.options.types, {"f32", "f64", "c32", "c64", "f16", "bf16"});
    c.choices("--layout", c.options.layouts, {"rr", "rc", "cr", "cc"}, "Orders of A and B: ");
    c.command.add_option("--k", c.options.inner, "Columns of A")
        ->delimiter(',')
        ->check(number_between(1, largest_count))
        ->capture_default_str();
    c.scalars();
    c.preprocessing("cusparseSDDMM_preprocess");
    c.warmth();
    c.run(run_sddmm_bench);
}

void add_spgemm_command(CLI::App& bench) {
    subcommand<spgemm_bench_options> c(bench, "spgemm",
                                       "C := A A, or A A^T where A is not square, with a sparse matrix A");
    c.matrices({"poisson2d:512", "poisson3d27:32", "uniform:50000,8", "rmat:13,8"});
    c.contestants();
    c.choices("--type", c.options.types, {"f32", "f64"});
    c.list("--alg", c.options.algorithms, spgemm_algorithm_names());
    c.options.timing.warm_up_calls = 3;
    c.run(run_spgemm_bench);
}

void add_trisolve_command(CLI::App& bench) {
    subcommand<trisolve_bench_options> c(bench, "trisolve",
                                         "op(A) C = B with a triangle A of a sparse matrix in CSR");
    c.matrices({"poisson2d:512", "poisson3d:64", "poisson3d27:40", "uniform:200000,8"});
    c.contestants();
    c.choices("--type", c.options.types, {"f32", "f64", "c32", "c64"});
    c.choices("--op", c.options.ops, {"N", "T", "C"});
    c.choices("--triangle", c.options.triangles, {"lower", "upper"});
    c.command.add_option("--rhs", c.options.right_sides, "Right-hand sides: 1 is SpSV, more are SpSM")
        ->delimiter(',')
        ->check(number_between(1, largest_count))
        ->capture_default_str();
    c.command.add_option("--order", c.options.order, "Of B and C: column or row")
        ->check(CLI::IsMember({"column", "row"}).description(""))
        ->capture_default_str();
    c.command.add_option("--analyses", c.options.analyses, "Analyses of each measurement")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    c.command.add_flag("--fresh-workspace", c.options.fresh_workspace,
                       "Allocate the workspace before each analysis, as a first one finds it");
    c.run(run_trisolve_bench);
}

void add_bsr_command(CLI::App& bench) {
    subcommand<bsr_bench_options> c(bench, "bsr",
                                    "The legacy functions of BSR matrices; an element stands for a block");
    c.matrices({"poisson2d:64", "poisson2d:512", "poisson3d:64", "uniform:100000,8"});
    c.contestants();
    c.choices("--function", c.options.functions, {"bsrmv", "bsrmm", "bsrsv2", "bsrsm2"});
    c.choices("--type", c.options.types, {"f32", "f64", "c32", "c64"});
    c.choices("--op", c.options.ops, {"N", "T"}, "Of A in solves: ");
    c.choices("--triangle", c.options.triangles, {"lower", "upper"});
    c.command.add_option("--block", c.options.blocks, "Rows and columns of a block")
        ->delimiter(',')
        ->check(CLI::Range(1, 1 << 10))
        ->capture_default_str();
    c.choices("--direction", c.options.directions, {"row", "column"}, "How blocks are stored: ");
    c.choices("--op-b", c.options.dense_ops, {"N", "T"}, "Of bsrmm's B: ");
    c.command.add_option("--columns", c.options.columns, "Of the dense operands of bsrmm and bsrsm2")
        ->delimiter(',')
        ->check(CLI::Range(1, 1 << 16))
        ->capture_default_str();
    c.command.add_option("--analyses", c.options.analyses, "Analyses of each measurement")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    c.run(run_bsr_bench);
}

void add_factor_command(CLI::App& bench) {
    subcommand<factor_bench_options> c(bench, "factor",
                                       "Incomplete factorisations (ilu0, ic0) of a sparse matrix");
    c.matrices({"poisson2d:512", "poisson3d:64", "poisson3d27:40", "uniform:200000,8"});
    c.contestants();
    c.choices("--type", c.options.types, {"f32", "f64", "c32", "c64"});
    c.choices("--kind", c.options.kinds, {"ilu0", "ic0"});
    c.command.add_option("--block", c.options.blocks, "Rows of a block of BSR; 0: CSR")
        ->delimiter(',')
        ->check(number_between(0, 64))
        ->capture_default_str();
    c.command.add_option("--analyses", c.options.analyses, "Analyses of each measurement")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    c.run(run_factor_bench);
}

void add_vector_command(CLI::App& bench, const char* name, const char* what, const texts& functions,
                        const texts& sizes,
                        vector_bench_result (*measure)(const vector_bench_options&, progress&)) {
    subcommand<vector_bench_options> c(bench, name, what);
    c.options.functions = functions;
    c.options.sizes = sizes;
    c.backends(c.options.backends);
    c.list("--against", c.options.against, "cublas=FILE on cuda, cblas=FILE on host");
    c.choices("--function", c.options.functions, functions);
    c.choices("--type", c.options.types, {"f32", "f64", "c32", "c64"});
    c.list("--size", c.options.sizes, "N, or of a matrix MxN");
    c.command.add_option("--batch", c.options.batch, "Matrices of a batch; 0: 2^23 elements")
        ->check(number_between(0, largest_count))
        ->capture_default_str();
    c.run(measure);
}

void add_reorder_command(CLI::App& bench, const char* name, const char* what, const texts& functions,
                         const texts& matrices, const texts& types,
                         reorder_bench_result (*measure)(const reorder_bench_options&, progress&)) {
    subcommand<reorder_bench_options> c(bench, name, what);
    c.matrices(matrices);
    c.contestants();
    c.options.functions = functions;
    c.choices("--function", c.options.functions, functions);
    if (!types.empty()) {
        c.options.types = types;
        c.choices("--type", c.options.types, types);
    }
    c.options.timing.warm_up_calls = 3;
    c.run(measure);
}

void add_convert_command(CLI::App& bench) {
    subcommand<convert_bench_options> c(bench, "convert", "Conversions between sparse formats");
    c.matrices({"poisson2d:64", "poisson2d:1000", "poisson3d27:64", "blocks:400000,6,4", "rmat:18,16"});
    c.contestants();
    c.choices("--type", c.options.types, {"f32", "f64"});
    c.options.functions = convert_functions();
    c.choices("--function", c.options.functions, convert_functions());
    c.command.add_option("--block", c.options.blocks, "Rows and columns of a block")
        ->delimiter(',')
        ->check(CLI::Range(1, 1 << 10))
        ->capture_default_str();
    c.options.timing.warm_up_calls = 3;
    c.run(run_convert_bench);
}

void add_prune_command(CLI::App& bench) {
    subcommand<prune_bench_options> c(bench, "prune",
                                      "Elements of dense and CSR matrices that are counted or dropped");
    c.matrices({"poisson2d:1000", "uniform:100000,100", "rmat:18,16"});
    c.contestants();
    c.list("--size", c.options.sizes, "Dense matrices: rows x columns");
    c.choices("--type", c.options.types, {"f16", "f32", "f64"});
    c.options.functions = prune_function_names();
    c.choices("--function", c.options.functions, prune_function_names());
    c.choices("--format", c.options.formats, {"csr", "coo"}, "Of DenseToSparse and SparseToDense: ");
    c.choices("--order", c.options.orders, {"row", "col"}, "The same: ");
    c.command.add_option("--share", c.options.shares, "Of the elements that are kept")
        ->delimiter(',')
        ->check(number_between(0, 1))
        ->capture_default_str();
    c.options.timing.warm_up_calls = 3;
    c.run(run_prune_bench);
}

void add_tridiag_command(CLI::App& bench) {
    subcommand<tridiag_bench_options> c(bench, "tridiag", "Tridiagonal and pentadiagonal systems A X = B");
    c.contestants();
    c.choices("--function", c.options.functions, tridiag_function_names(), "All, or of ");
    c.choices("--type", c.options.types, {"f32", "f64", "c32", "c64"});
    c.list("--size", c.options.sizes, "Of gtsv2: rows x right-hand sides");
    c.list("--batch", c.options.batches, "Of the batches: rows x systems");
    c.run(run_tridiag_bench);
}

void add_sparse_vector_command(CLI::App& bench) {
    subcommand<sparse_vector_bench_options> c(bench, "vector", "A sparse vector and a dense one");
    c.contestants();
    c.list("--size", c.options.sizes, "Of the dense vector and elements of the sparse one: N:STORED");
    c.choices("--type", c.options.types, {"f32", "f64", "c32", "c64"});
    c.options.functions = sparse_vector_functions();
    c.choices("--function", c.options.functions, sparse_vector_functions());
    c.command.add_option("--beta", c.options.beta, "Of axpby; 1 or -1, since calls are repeated")
        ->check(number_between(-1, 1))
        ->capture_default_str();
    c.run(run_sparse_vector_bench);
}

void add_survey_command(CLI::App& bench) {
    subcommand<survey_bench_options> c(
        bench, "survey", "Every operation on many matrices; where Heron is slow beside others stands first");
    c.contestants();
    c.command
        .add_option("--against-backend", c.options.against_backend,
                    "Compare with this backend of Heron's; for OpenCL: cuda or host")
        ->check(CLI::IsMember({"host", "cuda"}).description(""));
    c.choices("--operation", c.options.operations, survey_operations(), "Unset: all. Else ");
    c.command.add_option("--data", c.options.folders, "Folders of Matrix Market files to measure, too")
        ->check(CLI::ExistingDirectory.description(""))
        ->envname("HERON_TEST_DATA")
        ->option_text("FOLDER ...");
    c.command.add_flag("--quick", c.options.quick, "Small matrices, short rounds");
    c.command.add_flag("--launches", c.options.launches,
                       "Count what a call launches on CUDA, where it can be captured");
    c.command
        .add_option("--minutes", c.options.minutes,
                    "Stop after so many; what was measured by then is of all operations and families")
        ->check(number_between(0.01, 1e5))
        ->option_text("M");
    c.command
        .add_option("--rows", c.options.rows_file,
                    "Keep rows there, as lines of JSON, and do not measure again what it has")
        ->check(writable_file())
        ->option_text("FILE");
    c.command
        .add_option("--piece", c.options.piece,
                    "Each N-th matrix from the K-th on, for one of N devices; the files of rows, one behind "
                    "the other, are the whole survey's")
        ->check(CLI::Validator(
            [](const std::string& text) {
                try {
                    survey_piece_from(text);
                    return std::string();
                } catch (const std::invalid_argument& error) {
                    return std::string(error.what());
                }
            },
            ""))
        ->option_text("K/N");
    c.command
        .add_option("--plot", c.options.plot, "Draw a performance profile (Dolan and More), .png or .svg")
        ->check(writable_file())
        ->check(CLI::Validator(
            [](const std::string& file) {
                return file.ends_with(".png") || file.ends_with(".svg")
                           ? ""
                           : file + " does not end with .png or .svg";
            },
            ""))
        ->option_text("FILE");
    c.command.add_option("--worst", c.options.worst, "Rows of the table")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    c.run(run_survey_bench);
}

void add_handle_command(CLI::App& bench) {
    subcommand<handle_bench_options> c(bench, "handle", "A first handle in a new process");
    c.backends(c.options.backends);
    c.command.add_option("--against", c.options.against, "Other libraries with cuSPARSE's interface")
        ->option_text("[NAME=]FILE ...");
    c.command
        .add_option("--library", c.options.library, "Heron's libcusparse, if not the one found beside it")
        ->option_text("FILE");
    c.run(run_handle_bench);
}

void add_kron_command(CLI::App& bench) {
    subcommand<kron_bench_options> c(bench, "kron", "Y += kron(A1, ..., Ad) X for a batch of small factors");
    c.backends(c.options.backends);
    c.list("--n", c.options.sizes, "Rows and columns of a factor, or FIRST..LAST");
    c.list("--dims", c.options.dims, "Factors, or FIRST..LAST");
    c.choices("--type", c.options.types, {"f32", "f64", "c32", "c64"});
    c.choices("--mode", c.options.modes, {"store", "add", "atomic", "grouped", "deterministic"});
    c.choices("--alg", c.options.algorithms, {"fused", "forward", "backward", "recursive"});
    c.command.add_option("--batch", c.options.batch, "Items; 0: by --batch-bytes")
        ->check(number_between(0, largest_count))
        ->capture_default_str();
    c.command
        .add_option("--batch-bytes", c.options.batch_bytes,
                    "Bytes of X and as large a Y; 0: more than the caches hold, on GPUs 1 GiB")
        ->check(number_between(0, largest_count))
        ->capture_default_str();
    c.command.add_option("--outputs", c.options.outputs, "Distinct outputs where they may overlap; 0: all")
        ->check(number_between(0, largest_count))
        ->capture_default_str();
    c.command
        .add_option("--operands", c.options.operands,
                    "How A, X and Y are found: strided, pointers or indexed")
        ->check(CLI::IsMember({"strided", "pointers", "indexed"}).description(""))
        ->capture_default_str();
    c.command.add_flag("--shared-factors", c.options.shared_factors, "All items have the same factors");
    c.run(run_kron_bench);
}

void add_dense_command(CLI::App& bench, const char* name, const char* what, dense_operation operation) {
    subcommand<dense_bench_options> c(bench, name, what);
    c.options.operation = operation;
    c.backends(c.options.backends);
    c.list("--n", c.options.sizes,
           operation == dense_operation::gemm ? "Sizes: N, or MxNxK"
           : operation == dense_operation::rank_k || operation == dense_operation::rank_2k
               ? "Sizes: N, or NxK"
               : "Sizes: N, or MxN");
    if (operation == dense_operation::gemm)
        c.choices("--type", c.options.types, {"f16", "bf16", "f32", "f64", "c32", "c64"});
    else
        c.choices("--type", c.options.types, {"f32", "f64", "c32", "c64"});
    c.command
        .add_option(
            "--against", c.options.against,
            "On OpenCL: these libraries with CLBlast's or clBLAS's functions, and not those installed")
        ->option_text("[NAME=]FILE ...");
    if (operation == dense_operation::gemm) {
        c.list("--op", c.options.operations, "Of A and B: NN, NT, TN, CN, ...");
        c.list("--alg", c.options.algorithms,
               "default, 3m (of complex types), tf32, 3xtf32 (of f32 on CUDA)");
        c.command.add_option("--batch", c.options.batch, "Products in one call")
            ->check(CLI::Range(1, 1 << 24))
            ->capture_default_str();
        c.command.add_flag("--study", c.options.study,
                           "Take the kernel apart: each part of its work left out, and alone");
        c.command.add_option("--plot", c.options.plot, "PNG picture of the study")
            ->check(writable_file())
            ->option_text("FILE")
            ->needs("--study");
    }
    if (operation == dense_operation::rank_2k)
        c.command.add_flag("--two-passes", c.options.two_passes,
                           "Compare with two products one after the other");
    c.run([](const dense_bench_options& options, progress& steps) {
        return options.study ? run_dense_study(options, steps) : run_dense_bench(options, steps);
    });
}

}  // namespace

void add_bench_command(CLI::App& app) {
    CLI::App* bench = app.add_subcommand(
        "bench", "Time operations, side by side with other libraries, and check their results");
    bench->require_subcommand(1);
    add_spmv_command(*bench);
    add_spmm_command(*bench);
    add_sddmm_command(*bench);
    add_spgemm_command(*bench);
    add_trisolve_command(*bench);
    add_bsr_command(*bench);
    add_factor_command(*bench);
    add_convert_command(*bench);
    add_prune_command(*bench);
    add_tridiag_command(*bench);
    add_reorder_command(
        *bench, "sort", "Elements of a sparse matrix, which come in any order", sort_functions(),
        {"poisson2d:64", "poisson3d27:64", "uniform:1000000,16", "rmat:20,16"}, {}, run_sort_bench);
    add_reorder_command(*bench, "color", "Rows of a sparse matrix, so that neighbours differ",
                        color_functions(), {"poisson2d:1000", "poisson3d:100", "poisson3d27:64", "rmat:17,8"},
                        {}, run_color_bench);
    add_reorder_command(*bench, "geam", "alpha A + beta B with sparse matrices", geam_functions(),
                        {"poisson2d:64", "poisson3d27:64", "uniform:1000000,16", "rmat:20,16"},
                        {"f32", "f64"}, run_geam_bench);
    add_vector_command(*bench, "blas1", "Dense vectors: the level 1 of BLAS", level1_functions(),
                       {"1e3", "1e5", "1e6", "1e7"}, run_level1_bench);
    add_vector_command(*bench, "gemv", "A dense matrix and vectors: the level 2 of BLAS", level2_functions(),
                       {"100", "1000", "4000", "100000x32", "32x100000"}, run_level2_bench);
    add_vector_command(*bench, "batched", "Batches of products with vectors, and sums of dense matrices",
                       matrix_functions(), {"16", "64", "300", "1000", "4000"}, run_matrix_bench);
    add_sparse_vector_command(*bench);
    add_survey_command(*bench);
    add_kron_command(*bench);
    add_handle_command(*bench);
    add_dense_command(*bench, "gemm", "C := op(A) op(B), dense", dense_operation::gemm);
    add_dense_command(*bench, "herk", "C := A A^H, one triangle (syrk for real types)",
                      dense_operation::rank_k);
    add_dense_command(*bench, "her2k", "C := A B^H + B A^H, one triangle (syr2k for real types)",
                      dense_operation::rank_2k);
    add_dense_command(*bench, "hemm", "C := A B with a Hermitian A (symm for real types)",
                      dense_operation::symmetric);
    add_dense_command(*bench, "trmm", "C := A C with a triangular A", dense_operation::triangular);
    add_dense_command(*bench, "trsm", "C := A^-1 C with a triangular A", dense_operation::solve);
}

}  // namespace heron::tools
