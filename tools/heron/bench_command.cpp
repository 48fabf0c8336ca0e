#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>

#include "commands.hpp"
#include "dense_bench.hpp"
#include "device.hpp"
#include "eigen_spmv.hpp"
#include "spgemm_bench.hpp"
#include "sddmm_bench.hpp"
#include "kron_bench.hpp"
#include "spmm_bench.hpp"
#include "spmv_bench.hpp"
#include "trisolve_bench.hpp"

namespace heron::tools {
namespace {

struct output_options {
    report_format format = report_format::table;
    std::string file;
    bool progress = false;
};

struct spmv_arguments {
    spmv_bench_options bench;
    output_options output;
    double round_milliseconds = 20;
};

const std::map<std::string, report_format>& report_formats() {
    static const std::map<std::string, report_format> formats{
        {"table", report_format::table}, {"csv", report_format::csv}, {"json", report_format::json}};
    return formats;
}

void add_output_options(CLI::App& command, output_options& output) {
    command.add_option("--output", output.format, "table, csv or json")
        ->transform(CLI::CheckedTransformer(report_formats()))
        ->option_text("FORMAT [table]");
    command.add_option("--file", output.file, "Write there instead of to standard output")
        ->option_text("FILE");
    command.add_flag("--progress", output.progress, "Show progress even if standard error is no terminal");
}

void add_list(CLI::App& command, const std::string& name, std::vector<std::string>& values,
              const std::string& what) {
    command.add_option(name, values, what)->delimiter(',')->capture_default_str();
}

void add_contestant_options(CLI::App& command, contestant_options& options) {
    add_list(command, "--backend", options.backends, "host, opencl, cuda; unset: every usable one");
    command
        .add_option("--against", options.against,
                    "Other libraries with cuSPARSE's interface to compare with on the CUDA device")
        ->option_text("[NAME=]FILE ...");
    if (has_eigen()) {
        command.add_flag("--eigen", options.eigen,
                         fmt::format("Compare with Eigen {} on the processor", eigen_version()));
    }
    command.add_option("--library", options.library, "Heron's libcusparse, if not the one found beside it")
        ->option_text("FILE");
}

void run_spmv(const spmv_arguments& arguments) {
    const reason_log reasons;
    progress steps(arguments.output.progress);
    spmv_bench_options options = arguments.bench;
    options.timing.round_seconds = arguments.round_milliseconds * 1e-3;
    if (options.matrices.empty()) {
        options.matrices = {"poisson2d:512", "poisson3d27:48", "rmat:15", "longrows:100000,4"};
    }
    const spmv_bench_result result = run_spmv_bench(options, steps);
    steps.clear();
    write_text(arguments.output.file, render(result.table, arguments.output.format));
    if (result.failures > 0) throw CLI::RuntimeError(1);
}

void add_spmv_command(CLI::App& bench) {
    const auto arguments = std::make_shared<spmv_arguments>();
    spmv_bench_options& options = arguments->bench;
    CLI::App* command = bench.add_subcommand("spmv", "y := alpha op(A) x + beta y with a sparse matrix A");
    command->add_option("--matrix", options.matrices, "Matrix Market files or families, see below")
        ->option_text("SPEC ...");
    add_contestant_options(*command, options.who);
    add_list(*command, "--type", options.types, "f32, f64, c32, c64, f16, bf16, i8");
    add_list(*command, "--op", options.ops, "N, T, C");
    add_list(*command, "--index", options.indices, "32, 64, 64/32");
    add_list(*command, "--format", options.formats, "csr, csc, coo, sell, bsr");
    add_list(*command, "--alg", options.algorithms, spmv_algorithm_names());
    command->add_option("--slice", options.slice, "Rows of a slice of sell")
        ->check(CLI::Range(1, 1 << 20))
        ->capture_default_str();
    command->add_option("--block", options.block, "Rows and columns of a block of bsr")
        ->check(CLI::Range(1, 1 << 10))
        ->capture_default_str();
    command->add_option("--alpha", options.alpha, "")->capture_default_str();
    command->add_option("--beta", options.beta, "")->capture_default_str();
    command->add_flag("--preprocess,!--no-preprocess", options.preprocess,
                      "Call cusparseSpMV_preprocess, on every side [yes]");
    command->add_flag("--warm", options.warm,
                      "Leave one copy of the operands, although it may stay in the cache");
    command->add_flag("--check-only", options.check_only, "Check the results and time nothing");
    command->add_option("--repeat", options.timing.rounds, "Rounds of each measurement")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
    command->add_option("--round-time", arguments->round_milliseconds, "Milliseconds of a round at least")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    command->add_option("--seed", options.seed, "Of matrices and values")->capture_default_str();
    add_output_options(*command, arguments->output);
    command->footer("Families of matrices:\n" + matrix_families());
    command->callback([arguments] { run_spmv(*arguments); });
}

struct spmm_arguments {
    spmm_bench_options bench;
    output_options output;
    double round_milliseconds = 20;
};

void run_spmm(const spmm_arguments& arguments) {
    const reason_log reasons;
    progress steps(arguments.output.progress);
    spmm_bench_options options = arguments.bench;
    options.timing.round_seconds = arguments.round_milliseconds * 1e-3;
    if (options.matrices.empty()) options.matrices = {"poisson2d:512", "poisson3d27:32", "rmat:14"};
    const spmm_bench_result result = run_spmm_bench(options, steps);
    steps.clear();
    write_text(arguments.output.file, render(result.table, arguments.output.format));
    if (result.failures > 0) throw CLI::RuntimeError(1);
}

void add_spmm_command(CLI::App& bench) {
    const auto arguments = std::make_shared<spmm_arguments>();
    spmm_bench_options& options = arguments->bench;
    CLI::App* command = bench.add_subcommand("spmm", "C := alpha op(A) B + beta C with a sparse matrix A");
    command->add_option("--matrix", options.matrices, "Matrix Market files or families, see below")
        ->option_text("SPEC ...");
    add_contestant_options(*command, options.who);
    add_list(*command, "--type", options.types, "f32, f64, c32, c64, f16, bf16, i8");
    add_list(*command, "--op", options.ops, "N, T, C");
    add_list(*command, "--index", options.indices, "32, 64, 64/32");
    add_list(*command, "--format", options.formats, "csr, csc, coo, bsr");
    add_list(*command, "--layout", options.layouts, "rr, rc, cr, cc: B and C by rows or by columns");
    add_list(*command, "--n", options.columns, "Columns of B and C");
    add_list(*command, "--alg", options.algorithms, spmm_algorithm_names());
    command->add_option("--block", options.block, "Rows and columns of a block of bsr")
        ->check(CLI::Range(1, 1 << 10))
        ->capture_default_str();
    command->add_option("--alpha", options.alpha, "")->capture_default_str();
    command->add_option("--beta", options.beta, "")->capture_default_str();
    command->add_flag("--preprocess,!--no-preprocess", options.preprocess,
                      "Call cusparseSpMM_preprocess, on every side [yes]");
    command->add_flag("--check-only", options.check_only, "Check the results and time nothing");
    command->add_option("--repeat", options.timing.rounds, "Rounds of each measurement")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
    command->add_option("--round-time", arguments->round_milliseconds, "Milliseconds of a round at least")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    command->add_option("--seed", options.seed, "Of matrices and values")->capture_default_str();
    add_output_options(*command, arguments->output);
    command->footer("Families of matrices:\n" + matrix_families());
    command->callback([arguments] { run_spmm(*arguments); });
}

struct spgemm_arguments {
    spgemm_bench_options bench;
    output_options output;
    double round_milliseconds = 20;
};

void run_spgemm(const spgemm_arguments& arguments) {
    const reason_log reasons;
    progress steps(arguments.output.progress);
    spgemm_bench_options options = arguments.bench;
    options.timing.round_seconds = arguments.round_milliseconds * 1e-3;
    options.timing.warm_up_calls = 3;
    if (options.matrices.empty()) options.matrices = {"poisson2d:512", "poisson3d27:32", "uniform:50000,8", "rmat:13,8"};
    const spgemm_bench_result result = run_spgemm_bench(options, steps);
    steps.clear();
    write_text(arguments.output.file, render(result.table, arguments.output.format));
    if (result.failures > 0) throw CLI::RuntimeError(1);
}

void add_spgemm_command(CLI::App& bench) {
    const auto arguments = std::make_shared<spgemm_arguments>();
    spgemm_bench_options& options = arguments->bench;
    CLI::App* command =
        bench.add_subcommand("spgemm", "C := A A, or A A^T where A is not square, with a sparse matrix A");
    command->add_option("--matrix", options.matrices, "Matrix Market files or families, see below")
        ->option_text("SPEC ...");
    add_contestant_options(*command, options.who);
    add_list(*command, "--type", options.types, "f32, f64");
    add_list(*command, "--alg", options.algorithms, spgemm_algorithm_names());
    command->add_option("--repeat", options.timing.rounds, "Rounds of each measurement")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
    command->add_option("--round-time", arguments->round_milliseconds, "Milliseconds of a round at least")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    command->add_option("--seed", options.seed, "Of matrices and values")->capture_default_str();
    add_output_options(*command, arguments->output);
    command->footer("Families of matrices:\n" + matrix_families());
    command->callback([arguments] { run_spgemm(*arguments); });
}

struct kron_arguments {
    kron_bench_options bench;
    output_options output;
    double round_milliseconds = 20;
};

void run_kron(const kron_arguments& arguments) {
    const reason_log reasons;
    progress steps(arguments.output.progress);
    kron_bench_options options = arguments.bench;
    options.timing.round_seconds = arguments.round_milliseconds * 1e-3;
    const kron_bench_result result = run_kron_bench(options, steps);
    steps.clear();
    write_text(arguments.output.file, render(result.table, arguments.output.format));
    if (result.failures > 0) throw CLI::RuntimeError(1);
}

void add_kron_command(CLI::App& bench) {
    const auto arguments = std::make_shared<kron_arguments>();
    kron_bench_options& options = arguments->bench;
    CLI::App* command = bench.add_subcommand("kron", "Y += kron(A1, ..., Ad) X for a batch of small factors");
    add_list(*command, "--backend", options.backends, "host, opencl, cuda; unset: every usable one");
    add_list(*command, "--n", options.sizes, "Rows and columns of a factor, or FIRST..LAST");
    add_list(*command, "--dims", options.dims, "Factors, or FIRST..LAST");
    add_list(*command, "--type", options.types, "f32, f64, c32, c64");
    add_list(*command, "--mode", options.modes, "store, add, atomic, grouped, deterministic");
    add_list(*command, "--alg", options.algorithms, "fused, forward, backward, recursive");
    command->add_option("--batch", options.batch, "Items; 0: enough to exceed the caches")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    command->add_option("--outputs", options.outputs, "Distinct outputs where they may overlap; 0: all")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    command->add_flag("--shared-factors", options.shared_factors, "All items have the same factors");
    command->add_option("--repeat", options.timing.rounds, "Rounds of each measurement")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
    command->add_option("--round-time", arguments->round_milliseconds, "Milliseconds of a round at least")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    command->add_option("--seed", options.seed, "Of the values")->capture_default_str();
    add_output_options(*command, arguments->output);
    command->callback([arguments] { run_kron(*arguments); });
}

struct trisolve_arguments {
    trisolve_bench_options bench;
    output_options output;
    double round_milliseconds = 20;
};

void run_trisolve(const trisolve_arguments& arguments) {
    const reason_log reasons;
    progress steps(arguments.output.progress);
    trisolve_bench_options options = arguments.bench;
    options.timing.round_seconds = arguments.round_milliseconds * 1e-3;
    if (options.matrices.empty()) options.matrices = {"poisson2d:512", "poisson3d:64", "poisson3d27:40", "uniform:200000,8"};
    const trisolve_bench_result result = run_trisolve_bench(options, steps);
    steps.clear();
    write_text(arguments.output.file, render(result.table, arguments.output.format));
    if (result.failures > 0) throw CLI::RuntimeError(1);
}

void add_trisolve_command(CLI::App& bench) {
    const auto arguments = std::make_shared<trisolve_arguments>();
    trisolve_bench_options& options = arguments->bench;
    CLI::App* command = bench.add_subcommand("trisolve", "op(A) C = B with a triangle A of a sparse matrix in CSR");
    command->add_option("--matrix", options.matrices, "Matrix Market files or families, see below")
        ->option_text("SPEC ...");
    add_contestant_options(*command, options.who);
    add_list(*command, "--type", options.types, "f32, f64, c32, c64");
    add_list(*command, "--op", options.ops, "N, T, C");
    add_list(*command, "--triangle", options.triangles, "lower, upper");
    command->add_option("--rhs", options.right_sides, "Right-hand sides: 1 is SpSV, more are SpSM")
        ->delimiter(',')
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    command->add_option("--order", options.order, "Of B and C: column or row")->capture_default_str();
    command->add_option("--analyses", options.analyses, "Analyses of each measurement")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command->add_option("--repeat", options.timing.rounds, "Rounds of each measurement")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
    command->add_option("--round-time", arguments->round_milliseconds, "Milliseconds of a round at least")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    command->add_option("--seed", options.seed, "Of matrices and values")->capture_default_str();
    add_output_options(*command, arguments->output);
    command->footer("Families of matrices:\n" + matrix_families());
    command->callback([arguments] { run_trisolve(*arguments); });
}

struct dense_arguments {
    dense_bench_options bench;
    output_options output;
    double round_milliseconds = 50;
};

void run_dense(const dense_arguments& arguments) {
    const reason_log reasons;
    progress steps(arguments.output.progress);
    dense_bench_options options = arguments.bench;
    options.timing.round_seconds = arguments.round_milliseconds * 1e-3;
    const dense_bench_result result = run_dense_bench(options, steps);
    steps.clear();
    write_text(arguments.output.file, render(result.table, arguments.output.format));
    if (result.failures > 0) throw CLI::RuntimeError(1);
}

void add_dense_command(CLI::App& bench, const char* name, const char* what, dense_operation operation) {
    const auto arguments = std::make_shared<dense_arguments>();
    dense_bench_options& options = arguments->bench;
    options.operation = operation;
    CLI::App* command = bench.add_subcommand(name, what);
    add_list(*command, "--backend", options.backends, "host, opencl, cuda; unset: every usable one");
    add_list(*command, "--n", options.sizes,
             operation == dense_operation::gemm ? "Sizes: N, or MxNxK" : "Sizes: N, or NxK");
    add_list(*command, "--type", options.types, "f32, f64, c32, c64");
    if (operation == dense_operation::gemm)
        add_list(*command, "--op", options.operations, "Of A and B: NN, NT, TN, CN, ...");
    if (operation == dense_operation::rank_2k)
        command->add_flag("--two-passes", options.two_passes, "Compare with two products one after the other");
    command->add_option("--repeat", options.timing.rounds, "Rounds of each measurement")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
    command->add_option("--round-time", arguments->round_milliseconds, "Milliseconds of a round at least")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    command->add_option("--seed", options.seed, "Of the values")->capture_default_str();
    add_output_options(*command, arguments->output);
    command->callback([arguments] { run_dense(*arguments); });
}

struct sddmm_arguments {
    sddmm_bench_options bench;
    output_options output;
    double round_milliseconds = 20;
};

void run_sddmm(const sddmm_arguments& arguments) {
    const reason_log reasons;
    progress steps(arguments.output.progress);
    sddmm_bench_options options = arguments.bench;
    options.timing.round_seconds = arguments.round_milliseconds * 1e-3;
    if (options.matrices.empty()) options.matrices = {"poisson3d27:32", "rmat:14"};
    const sddmm_bench_result result = run_sddmm_bench(options, steps);
    steps.clear();
    write_text(arguments.output.file, render(result.table, arguments.output.format));
    if (result.failures > 0) throw CLI::RuntimeError(1);
}

void add_sddmm_command(CLI::App& bench) {
    const auto arguments = std::make_shared<sddmm_arguments>();
    sddmm_bench_options& options = arguments->bench;
    CLI::App* command = bench.add_subcommand("sddmm", "C := alpha A B + beta C on the pattern of a sparse matrix C");
    command->add_option("--matrix", options.matrices, "Matrix Market files or families, see below")
        ->option_text("SPEC ...");
    add_contestant_options(*command, options.who);
    add_list(*command, "--type", options.types, "f32, f64, c32, c64, f16, bf16");
    add_list(*command, "--layout", options.layouts, "Orders of A and B, r or c each");
    command->add_option("--k", options.inner, "Columns of A")->delimiter(',')->capture_default_str();
    command->add_option("--alpha", options.alpha, "")->capture_default_str();
    command->add_option("--beta", options.beta, "")->capture_default_str();
    command->add_flag("--preprocess,!--no-preprocess", options.preprocess,
                      "Call cusparseSDDMM_preprocess, on every side [yes]");
    command->add_flag("--warm", options.warm, "Leave one copy of the operands, although it may stay in the cache");
    command->add_option("--repeat", options.timing.rounds, "Rounds of each measurement")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
    command->add_option("--round-time", arguments->round_milliseconds, "Milliseconds of a round at least")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    command->add_option("--seed", options.seed, "Of matrices and values")->capture_default_str();
    add_output_options(*command, arguments->output);
    command->footer("Families of matrices:\n" + matrix_families());
    command->callback([arguments] { run_sddmm(*arguments); });
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
    add_dense_command(*bench, "gemm", "C := op(A) op(B), dense", dense_operation::gemm);
    add_dense_command(*bench, "herk", "C := A A^H, one triangle (syrk for real types)", dense_operation::rank_k);
    add_dense_command(*bench, "her2k", "C := A B^H + B A^H, one triangle (syr2k for real types)",
                      dense_operation::rank_2k);
    add_kron_command(*bench);
    add_trisolve_command(*bench);
}

}  // namespace heron::tools
