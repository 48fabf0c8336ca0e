// Tuning entries of the environment and of tuning files: understood or ignored. What is understood is a shape
// that reads back as itself.
#include "input.hpp"
#include "bench/dense/gemm_shapes.hpp"
#include "cuda/dense/choice.hpp"
#include "opencl/dense/shape.hpp"
#include "opencl/runtime/error.hpp"

using namespace heron::fuzz;

namespace heron::opencl {
void log(log_level, const char*, const char*) noexcept {}
}  // namespace heron::opencl

namespace {

constexpr heron_type types[] = {HERON_R_32F, HERON_R_64F, HERON_C_32F, HERON_C_64F};

void read_shape(const std::string& text) {
    for (const heron_type type : types) {
        const auto shape = heron::opencl::parse_dense_shape(text, type);
        if (!shape) continue;
        must(shape->rows() > 0 && shape->cols() > 0 && shape->kt > 0, "a shape without an extent");
        const auto again = heron::opencl::parse_dense_shape(shape->text(), type);
        must(again && again->text() == shape->text(), "a shape that does not read back");
        must(!shape->definitions(type).empty(), "a shape without definitions");
    }
}

void read_choices(const std::string& text, char separator) {
    const heron::cuda::gemm_choices choices(text, separator);
    for (const heron_type type : types)
        choices.find(type, heron::cuda::product_kind::nn, 1000, 20, int64_t{1} << 40);
}

// The entry is there afterwards, once, and a second time changes nothing.
void add_entry(const std::string& file) {
    const std::string once = heron::tools::with_shape(file, "f32", "columns 16 2 12");
    must(once.find("f32 columns 16 2 12") != std::string::npos, "an entry that is not written");
    must(heron::tools::with_shape(once, "f32", "columns 16 2 12") == once, "an entry that is written twice");
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string text = input(data, size).rest();
    read_shape(text);
    read_choices(text, '\n');
    read_choices(text, ';');
    add_entry(text);
    return 0;
}
