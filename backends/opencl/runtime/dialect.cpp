#include "dialect.hpp"
#include "error.hpp"
#include <algorithm>
#include <string_view>

namespace heron::opencl {
namespace {

constexpr std::string_view types_word = "HERON_TYPES(";
constexpr std::string_view program_word = "HERON_PROGRAM(";
constexpr std::string_view kernel_word = "HERON_KERNEL(";
constexpr std::string_view group_kernel_word = "HERON_GROUP_KERNEL(";

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

// "name, items, args)" -> the head of a kernel for groups of so many items.
std::string group_kernel_head(const std::string& inside) {
    const size_t items = inside.find(',');
    const size_t arguments = inside.find(',', items + 1);
    return "__kernel __attribute__((reqd_work_group_size(" + inside.substr(items + 1, arguments - items - 1) +
           ", 1, 1))) void heron_" + inside.substr(0, items) + "(" + inside.substr(arguments + 1);
}

// What stands for a word and what its parentheses hold, the closing one included.
std::string written_in_c(std::string_view word, const std::string& inside) {
    if (word == kernel_word) return kernel_head(inside);
    if (word == group_kernel_word) return group_kernel_head(inside);
    return {};
}

}  // namespace

std::string to_opencl_c(const std::string& text) {
    constexpr std::string_view words[] = {types_word, program_word, kernel_word, group_kernel_word};
    std::string result;
    size_t done = 0;
    while (true) {
        size_t next = std::string::npos;
        std::string_view found;
        for (const std::string_view word : words)
            if (const size_t at = text.find(word, done); at < next) {
                next = at;
                found = word;
            }
        result.append(text, done, next == std::string::npos ? next : next - done);
        if (next == std::string::npos) return result;
        const size_t inside = next + found.size();
        done = after_closing(text, inside);
        result += written_in_c(found, text.substr(inside, done - inside));
    }
}

bool has_group_kernels(const std::string& text) { return text.find(program_word) != std::string::npos; }

}  // namespace heron::opencl
