#include <fmt/format.h>

#include <memory>
#include <string>

#include "commands.hpp"
#include "matrix/generators.hpp"
#include "picture/spy.hpp"

namespace heron::tools {
namespace {

struct spy_arguments {
    std::string matrix;
    std::string output = "spy.png";
    std::string title;
    std::int64_t longest_side = 800;
};

void run_spy(const spy_arguments& arguments) {
    require_picture_name(arguments.output);
    const csr_matrix matrix = load_matrix(arguments.matrix);
    const std::string title = arguments.title.empty() ? matrix_name(arguments.matrix) : arguments.title;
    const drawing picture = draw_spy(matrix, {.title = title, .longest_side = arguments.longest_side});
    write_picture(arguments.output, picture);
    fmt::print("{}: {} x {} pixels\n", arguments.output, picture.width, picture.height);
}

}  // namespace

void add_spy_command(CLI::App& app) {
    const auto arguments = std::make_shared<spy_arguments>();
    CLI::App* command = app.add_subcommand("spy", "Draw the density of a matrix's pattern, as PNG or SVG");
    command
        ->add_option("matrix", arguments->matrix, "Matrix Market file (.mtx, .mtx.gz) or a family, see below")
        ->required();
    command->add_option("-o,--output", arguments->output, "Picture to write, .png or .svg")
        ->check(writable_file())
        ->capture_default_str();
    command->add_option("--title", arguments->title, "Title instead of the matrix's name");
    command->add_option("--size", arguments->longest_side, "Longest side of the pattern in pixels")
        ->check(CLI::Range(16, 8192))
        ->capture_default_str();
    command->footer("Families of matrices:\n" + matrix_families());
    command->callback([arguments] { run_spy(*arguments); });
}

}  // namespace heron::tools
