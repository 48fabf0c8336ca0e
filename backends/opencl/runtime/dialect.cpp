#include "dialect.hpp"
#include "error.hpp"
#include <algorithm>
#include <string_view>

namespace heron::opencl {
namespace {

constexpr std::string_view types_word = "HERON_TYPES(";
constexpr std::string_view kernel_word = "HERON_KERNEL(";

// Position after the parenthesis that closes the one before `from`.
size_t after_closing(const std::string& text, size_t from) {
    int depth = 1;
    for (size_t i = from; i < text.size(); ++i) {
        depth += (text[i] == '(') - (text[i] == ')');
        if (depth == 0) return i + 1;
    }
    fail(HERON_INTERNAL_ERROR, "a kernel source has an unbalanced parenthesis");
}

// "name, args)" of a kernel's head -> the head of an OpenCL kernel, up to and without the body's brace.
std::string kernel_head(const std::string& inside) {
    const size_t comma = inside.find(',');
    return "__kernel void heron_" + inside.substr(0, comma) + "(const ulong heron_count" +
           inside.substr(comma) +
           " { const heron_index item = get_global_id(0); if (item < (heron_index)heron_count)";
}

}  // namespace

std::string to_opencl_c(const std::string& text) {
    std::string result;
    size_t done = 0;
    while (true) {
        const size_t types = text.find(types_word, done);
        const size_t kernel = text.find(kernel_word, done);
        const size_t next = std::min(types, kernel);
        result.append(text, done, next == std::string::npos ? next : next - done);
        if (next == std::string::npos) return result;
        const size_t inside = next + (next == types ? types_word : kernel_word).size();
        done = after_closing(text, inside);
        if (next == kernel) result += kernel_head(text.substr(inside, done - inside));
    }
}

}  // namespace heron::opencl
