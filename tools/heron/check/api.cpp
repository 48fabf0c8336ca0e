#include "api.hpp"

#include <algorithm>

namespace heron::tools {
namespace {

struct api_entry {
    api what;
    const char* title;
    const char* library;
    const char* prefix;
};

constexpr api_entry apis[] = {{api::cusparse, "cuSPARSE", "libcusparse", "cusparse"},
                              {api::cublas, "cuBLAS", "libcublas", "cublas"},
                              {api::clblas, "clBLAS", "libclBLAS", "clblas"},
                              {api::clamdblas, "clAmdBlas", "libclAmdBlas", "clAmdBlas"},
                              {api::cudart, "CUDA runtime", "libcudart", "cuda"},
                              {api::cudart, "CUDA runtime", "libcudart", "__cuda"}};

constexpr const char* others_of_nvidia[] = {
    "libcublasLt",  "libcufft",    "libcufftw",     "libcurand",    "libcusolver", "libcusolverMg",
    "libcudnn",     "libcutensor", "libnccl",       "libnpp",       "libnvrtc",    "libcuda",
    "libnvJitLink", "libcupti",    "libnvToolsExt", "libcusparseLt"};

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_part(char c) { return is_upper(c) || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

// The library's name before ".so".
std::string_view stem_of(std::string_view soname) {
    const std::size_t end = soname.find(".so");
    return end == std::string_view::npos ? std::string_view() : soname.substr(0, end);
}

// In the shape of a function's name, but none.
bool is_other_name(std::string_view name) {
    return name.ends_with("_t") || name.starts_with("cudaError") || name == "cudaSuccess" ||
           name.starts_with("cublasLt");
}

}  // namespace

const char* title_of(api a) {
    for (const api_entry& e : apis)
        if (e.what == a) return e.title;
    return "other";
}

api api_of_library(std::string_view soname) {
    for (const api_entry& e : apis)
        if (stem_of(soname) == e.library) return e.what;
    return api::none;
}

api api_of_function(std::string_view name) {
    if (is_other_name(name)) return api::none;
    if (!std::all_of(name.begin(), name.end(), is_part)) return api::none;
    for (const api_entry& e : apis) {
        const std::string_view prefix = e.prefix;
        if (name.size() > prefix.size() + 1 && name.starts_with(prefix) && is_upper(name[prefix.size()]))
            return e.what;
    }
    return api::none;
}

bool is_other_of_nvidia(std::string_view soname) {
    const std::string_view stem = stem_of(soname);
    return std::any_of(std::begin(others_of_nvidia), std::end(others_of_nvidia),
                       [&](const char* other) { return stem == other; });
}

}  // namespace heron::tools
