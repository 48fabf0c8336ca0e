#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>

#include "commands.hpp"
#include "device.hpp"
#include "eigen_spmv.hpp"
#include "kron_bench.hpp"
#include "spgemm_bench.hpp"
#include "spmv_bench.hpp"

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

}  // namespace

void add_bench_command(CLI::App& app) {
    CLI::App* bench = app.add_subcommand(
        "bench", "Time operations, side by side with other libraries, and check their results");
    bench->require_subcommand(1);
    add_spmv_command(*bench);
    add_spgemm_command(*bench);
    add_kron_command(*bench);
}

}  // namespace heron::tools
