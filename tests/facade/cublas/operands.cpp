#include "operands.hpp"
#include <algorithm>
#include <sstream>

namespace heron::test {
namespace {

constexpr unsigned char poison = 0x5a;
alignas(16) char memory[1024];
// Small numbers in every type.
alignas(16) char scalars[17] = "<<<<<<<<<<<<<<<<";
char* list[4] = {memory, memory, memory, memory};

argument_value address(const void* p) { return reinterpret_cast<argument_value>(p); }

bool is_one_of(const std::string& name, const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

// A value that is refused, by which name, and how.
struct bad_value {
    argument_value value;
    std::string name;
    cublasStatus_t status = blas_invalid;
};

std::vector<bad_value> bad_enumerators(const std::string& name) {
    std::vector<bad_value> bad = {{99'999, name}, {-2, name}};
    if (is_one_of(name, {"uplo", "side", "mode", "diag"})) bad.push_back({2, name});
    if (name.starts_with("trans")) bad.push_back({3, name});
    return bad;
}

// Which numbers are valid whatever they are.
struct freedom {
    bool sizes, increments;
};

std::vector<bad_value> bad_numbers(const std::string& name, const freedom& free) {
    // The stride of an operand is named as the operand.
    if (name.starts_with("stride")) return {{-1, name.substr(6)}};
    if (name.starts_with("ld")) return {{1, name}, {-4, name}};
    if (name.starts_with("inc"))
        return free.increments ? std::vector<bad_value>{} : std::vector<bad_value>{{0, name}};
    return free.sizes ? std::vector<bad_value>{} : std::vector<bad_value>{{-1, name}};
}

std::vector<bad_value> bad_values(argument_kind kind, const std::string& name, const freedom& free) {
    switch (kind) {
        case argument_kind::library_handle: return {{0, "handle", blas_not_initialized}};
        case argument_kind::data_type: return {{99, name}, {CUDA_R_8U, name, blas_not_supported}};
        case argument_kind::compute_type:
        case argument_kind::enumerator: return bad_enumerators(name);
        case argument_kind::list: return {{0, name}};
        case argument_kind::integer: return bad_numbers(name, free);
        case argument_kind::pointer: break;
    }
    if (is_one_of(name, {"A", "AP", "B", "C", "x", "y"})) return {{0, name}, {address(memory + 1), name}};
    return {{0, name}};
}

// The call fails with this status, writes nothing, and logs one line that names function and argument.
void expect_refused(const tried_function& f, const std::vector<argument_value>& values,
                    const bad_value& bad) {
    std::memset(memory, poison, sizeof memory);
    log_capture log;
    CHECK(f.call(values.data()) == bad.status);
    const std::vector<log_line> lines = log.take();
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].level == 1);
    CHECK(lines[0].function == f.name);
    CAPTURE(lines[0].message);
    CHECK(lines[0].message.rfind(bad.name + ": ", 0) == 0);
    CHECK(std::all_of(memory, memory + sizeof memory,
                      [](char byte) { return byte == static_cast<char>(poison); }));
}

}  // namespace

argument_value operands::valid(argument_kind kind, const std::string& name) const {
    switch (kind) {
        case argument_kind::library_handle: return address(static_cast<cublasHandle_t>(handle_));
        case argument_kind::data_type: return type_;
        case argument_kind::compute_type: return CUBLAS_COMPUTE_32F;
        case argument_kind::enumerator: return 0;
        case argument_kind::list: return address(list);
        case argument_kind::pointer: return address(is_one_of(name, {"alpha", "beta"}) ? scalars : memory);
        case argument_kind::integer: break;
    }
    if (name.starts_with("ld")) return 4;
    if (name.starts_with("inc") || is_one_of(name, {"kl", "ku", "batchCount"})) return 1;
    return name.starts_with("stride") ? 16 : 2;
}

void operands::try_function(const tried_function& f, const char* arguments, bool vectors) const {
    INFO(f.name);
    std::vector<std::string> names;
    std::istringstream text(arguments);
    for (std::string name; text >> name;) names.push_back(name);
    REQUIRE(names.size() == f.kinds.size());
    std::vector<argument_value> values;
    for (size_t i = 0; i < names.size(); ++i) values.push_back(valid(f.kinds[i], names[i]));
    std::memset(memory, 0, sizeof memory);
    CHECK(f.call(values.data()) == blas_ok);
    // dgmm, the one with a mode, takes a vector that repeats one element.
    const freedom free{vectors, vectors || is_one_of("mode", names)};
    for (size_t i = 0; i < names.size(); ++i)
        for (const bad_value& bad : bad_values(f.kinds[i], names[i], free)) {
            INFO("argument " << i << " (" << names[i] << ") is " << bad.value);
            std::vector<argument_value> changed = values;
            changed[i] = bad.value;
            expect_refused(f, changed, bad);
        }
    tried().insert(f.name);
}

}  // namespace heron::test
