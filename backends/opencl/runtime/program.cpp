#include "program.hpp"
#include "cache.hpp"
#include "dialect.hpp"
#include "platform.hpp"
#include "sources.hpp"
#include <memory>
#include <sstream>

namespace heron::opencl {
namespace {

void append(std::string& text, const std::string& name) {
    for (size_t i = 0; i < source_count; ++i) {
        if (name != sources[i].name) continue;
        for (size_t part = 0; part < sources[i].part_count; ++part) text += sources[i].parts[part];
        return;
    }
    fail(HERON_INTERNAL_ERROR, "the plug-in holds no kernel source named " + name);
}

std::string families_of(const program_key& key) {
    std::string text;
    std::istringstream names(key.family);
    for (std::string name; names >> name;) append(text, name);
    return text;
}

// Whether launch shapes on NVIDIA's GPUs count on lanes, which their programs have by PTX alone.
bool needs_lanes(const program_key& key) {
    const std::string families = families_of(key);
    return has_group_kernels(families) || families.find("LANES") != std::string::npos;
}

// The definitions come as text, not as -D options: a driver's own headers must not see them.
std::string source_of(const program_key& key, const device_traits& traits, bool with_ptx) {
    std::string text = with_ptx ? "#define HERON_PTX " + std::to_string(traits.nvidia_major) + "\n" : "";
    if (traits.is_gpu) text += "#define HERON_GPU 1\n";
    append(text, "dialect");
    const std::string families = families_of(key);
    if (has_group_kernels(families)) append(text, "dialect_group");
    text += key.definitions;
    return text + to_opencl_c(families);
}

struct program_text {
    std::string source, options;
};

program_text text_of(const program_key& key, const device_traits& traits, bool with_ptx) {
    std::string options = "-cl-std=CL1.2";
    if (with_ptx && key.most_registers > 0)
        options += " -cl-nv-maxrregcount=" + std::to_string(key.most_registers);
    return {source_of(key, traits, with_ptx), options};
}

std::string cache_key(const device_traits& t, const program_text& text) {
    return t.platform_name + '\n' + t.platform_version + '\n' + t.name + '\n' + t.driver + '\n' +
           text.options + '\n' + text.source;
}

std::string build_log(cl_program program, cl_device_id id) {
    constexpr size_t longest = 1500;
    size_t size = 0;
    if (clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) != CL_SUCCESS) return {};
    std::string text(size, '\0');
    if (clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, size, text.data(), nullptr) != CL_SUCCESS)
        return {};
    return text.substr(0, longest).c_str();
}

// NULL when the driver does not take the binary.
cl_program from_binary(device& owner, const std::string& binary, const std::string& options) {
    cl_device_id id = owner.id();
    const size_t size = binary.size();
    const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
    cl_int code = CL_SUCCESS;
    cl_int loaded = CL_SUCCESS;
    cl_program program = clCreateProgramWithBinary(owner.context(), 1, &id, &size, &bytes, &loaded, &code);
    if (!program) return nullptr;
    if (code == CL_SUCCESS && loaded == CL_SUCCESS &&
        clBuildProgram(program, 1, &id, options.c_str(), nullptr, nullptr) == CL_SUCCESS)
        return program;
    clReleaseProgram(program);
    return nullptr;
}

// *failure gets the error and the first lines of the compiler's log; the result is then NULL.
cl_program from_source(device& owner, const program_text& text, std::string* failure) {
    cl_device_id id = owner.id();
    const char* source = text.source.c_str();
    cl_int code = CL_SUCCESS;
    cl_program program = clCreateProgramWithSource(owner.context(), 1, &source, nullptr, &code);
    check(code, "clCreateProgramWithSource");
    code = clBuildProgram(program, 1, &id, text.options.c_str(), nullptr, nullptr);
    if (code == CL_SUCCESS) return program;
    *failure = std::string(error_name(code)) + "\n" + build_log(program, id);
    clReleaseProgram(program);
    return nullptr;
}

std::string binary_of(cl_program program) {
    size_t size = 0;
    if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr) != CL_SUCCESS)
        return {};
    std::string binary(size, '\0');
    auto* bytes = reinterpret_cast<unsigned char*>(binary.data());
    if (clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, nullptr) != CL_SUCCESS)
        return {};
    return binary;
}

cl_program cached_or_built(device& owner, const program_text& text, std::string* failure) {
    const std::string key = cache_key(owner.traits(), text);
    if (const std::string binary = read_cached_binary(key); !binary.empty())
        if (cl_program program = from_binary(owner, binary, text.options)) return program;
    cl_program program = from_source(owner, text, failure);
    if (!program) return nullptr;
    if (const std::string binary = binary_of(program); !binary.empty()) write_cached_binary(key, binary);
    return program;
}

bool needs_fp64(const program_key& key) {
    return key.definitions.find(" f64\n") != std::string::npos ||
           key.definitions.find(" c64\n") != std::string::npos;
}

}  // namespace

const kept_program& keep_program(program_key key) {
    static std::mutex mutex;
    static std::map<program_key, std::unique_ptr<const kept_program>> programs;
    const std::lock_guard lock(mutex);
    const auto found = programs.find(key);
    if (found != programs.end()) return *found->second;
    auto kept = std::make_unique<const kept_program>(kept_program{key});
    return *programs.emplace(std::move(key), std::move(kept)).first->second;
}

cl_program program_store::get(const program_key& key) {
    const std::lock_guard lock(mutex_);
    const auto found = programs_.find(key);
    if (found != programs_.end()) return found->second;
    return programs_.emplace(key, build(key)).first->second;
}

void program_store::clear() {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, program] : programs_) clReleaseProgram(program);
    programs_.clear();
}

cl_program program_store::build(const program_key& key) const {
    const device_traits& t = device_.traits();
    if (needs_fp64(key) && !t.has_fp64)
        fail(HERON_ARCH_MISMATCH, t.name + " has no double precision with 64-bit atomics");
    std::string failure;
    const auto try_with = [&](bool ptx) { return cached_or_built(device_, text_of(key, t, ptx), &failure); };
    if (cl_program program = try_with(t.is_nvidia_gpu())) return program;
    if (t.is_nvidia_gpu() && !needs_lanes(key)) {
        log(log_level::hint, "program build", ("rebuilding without PTX: " + failure).c_str());
        if (cl_program program = try_with(false)) return program;
    }
    fail(HERON_INTERNAL_ERROR, "building the " + key.family + " kernels failed: " + failure);
}

}  // namespace heron::opencl
