#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <stdexcept>

#include "commands.hpp"
#include "figure.hpp"
#include "picture/canvas.hpp"

namespace heron::tools {
namespace {

struct plot_arguments {
    std::string file, kind = "ratios", output = "plot.png", over = "nnz";
    int width = 900, height = 520;
};

record read_results(const std::string& file) {
    std::ifstream stream(file);
    if (!stream) throw std::runtime_error(fmt::format("cannot read {}", file));
    const record results = record::parse(stream, nullptr, false);
    if (!results.is_object()) throw std::runtime_error(fmt::format("{} is no JSON of heron bench", file));
    return results;
}

figure figure_of(const plot_arguments& arguments, const record& results) {
    if (arguments.kind == "roofline") return roofline_figure(results);
    if (arguments.kind == "profile") return profile_figure(results);
    if (arguments.kind == "scaling") return scaling_figure(results, arguments.over);
    return ratio_figure(results);
}

void run_plot(const plot_arguments& arguments) {
    require_picture_name(arguments.output);
    draw(figure_of(arguments, read_results(arguments.file)), arguments.output, arguments.width,
         arguments.height);
    fmt::print("{}: {} x {}\n", arguments.output, arguments.width, arguments.height);
}

}  // namespace

void add_plot_command(CLI::App& app) {
    const auto arguments = std::make_shared<plot_arguments>();
    CLI::App* command = app.add_subcommand("plot", "Draw what heron bench measured");
    command->add_option("file", arguments->file, "JSON that heron bench wrote with --output json")
        ->required();
    command->add_option("--kind", arguments->kind, "ratios, roofline, profile or scaling")
        ->check(CLI::IsMember({"ratios", "roofline", "profile", "scaling"}))
        ->capture_default_str();
    command->add_option("--over", arguments->over, "With scaling: the number of the results along the axis")
        ->capture_default_str();
    command->add_option("-o,--output", arguments->output, "Picture to write, .png or .svg")
        ->check(writable_file())
        ->capture_default_str();
    command->add_option("--width", arguments->width, "Width in pixels")
        ->check(CLI::Range(200, 8192))
        ->capture_default_str();
    command->add_option("--height", arguments->height, "Height in pixels")
        ->check(CLI::Range(200, 8192))
        ->capture_default_str();
    command->callback([arguments] { run_plot(*arguments); });
}

}  // namespace heron::tools
