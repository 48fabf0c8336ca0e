#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>

#include "commands.hpp"

namespace {

int report(const char* reason) {
    fmt::print(stderr, "heron: {}\n", reason);
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        CLI::App app{"Heron: sparse and dense linear algebra on NVIDIA GPUs, OpenCL devices and CPUs",
                     "heron"};
        app.require_subcommand(1);
        heron::tools::add_info_command(app);
        heron::tools::add_bench_command(app);
        heron::tools::add_spy_command(app);
        heron::tools::add_tune_command(app);
        CLI11_PARSE(app, argc, argv);
        return 0;
    } catch (const std::bad_alloc&) {
        return report("not enough memory");
    } catch (const std::length_error&) {
        return report("not enough memory");
    } catch (const std::exception& error) {
        return report(error.what());
    }
}
