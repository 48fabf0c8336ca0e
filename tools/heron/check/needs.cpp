#include "needs.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <tuple>

namespace heron::tools {
namespace {

namespace fs = std::filesystem;

class needs_reader {
  public:
    explicit needs_reader(const library_search& search) : search_(search) {}

    // A library of NVIDIA's is named, which says that it needs an NVIDIA GPU: what it holds says no more, and
    // it may be half a gigabyte.
    void read(const std::string& path, const std::vector<const elf_file*>& chain,
              elf_part part = elf_part::all) {
        std::error_code ignored;
        const fs::path canonical = fs::canonical(path, ignored);
        if (!seen_.insert(canonical.empty() ? path : canonical.string()).second) return;
        auto elf = read_elf(path, part);
        if (!elf) return;
        files_.push_back(std::make_unique<elf_file>(std::move(*elf)));
        const elf_file& file = *files_.back();
        needs_.files.push_back(path);
        add_imports(file);
        needs_.has_old_run_paths = needs_.has_old_run_paths || !file.rpath.empty();
        if (part == elf_part::all) add_contents(path, file);
        std::vector<const elf_file*> longer{&file};
        longer.insert(longer.end(), chain.begin(), chain.end());
        for (const std::string& soname : file.needed) follow(soname, longer);
    }

    program_needs take() {
        for (auto& [key, function] : functions_) needs_.functions.push_back(std::move(function));
        return std::move(needs_);
    }

  private:
    void follow(const std::string& soname, const std::vector<const elf_file*>& chain) {
        if (api_of_library(soname) != api::none) {
            needs_.libraries.insert(soname);
            return;
        }
        const std::string path = search_.find(soname, chain);
        if (is_other_of_nvidia(soname)) needs_.others_of_nvidia.insert(soname);
        if (path.empty())
            needs_.not_found.insert(soname);
        else
            read(path, chain, is_other_of_nvidia(soname) ? elf_part::links : elf_part::all);
    }

    void add(api a, const std::string& name, const std::string& library, const std::string& version,
             found_as how, const elf_file& file) {
        // What is imported need not be looked up.
        if (how == found_as::looked_up)
            for (const auto& [key, other] : functions_)
                if (other.name == name) return;
        needed_function& f = functions_[{name, library, version}];
        if (f.files.empty()) f = {a, name, library, version, how, {}};
        f.how = std::min(f.how, how);
        f.files.insert(file.path);
    }

    // The library of the interface that the file needs, for a reference without a version.
    static std::string library_of(api a, const elf_file& file) {
        for (const std::string& soname : file.needed)
            if (api_of_library(soname) == a) return soname;
        return {};
    }

    void add_contents(const std::string& path, const elf_file& file) {
        add_texts(file);
        add_static(file);
        if (file.has_device_code) needs_.device.push_back({path, file.kernels});
    }

    void add_imports(const elf_file& file) {
        for (const elf_symbol& s : file.undefined) {
            // A version node tells more than a name: libcublasLt's functions are no functions of libcublas.
            if (!s.library.empty() && api_of_library(s.library) == api::none) continue;
            const api a = api_of_function(s.name);
            if (a == api::none) continue;
            add(a, s.name, s.library.empty() ? library_of(a, file) : s.library, s.version,
                s.is_weak ? found_as::weakly_imported : found_as::imported, file);
        }
    }

    void add_texts(const elf_file& file) {
        if (!file.imports("dlopen") && !file.imports("dlsym") && !file.imports("dlvsym")) return;
        for (const std::string& text : file.texts) {
            const fs::path path = text;
            if (api_of_library(path.filename().string()) != api::none) {
                if (path.is_absolute())
                    needs_.absolute_paths.insert(text);
                else if (std::find(file.needed.begin(), file.needed.end(), text) == file.needed.end())
                    needs_.opened_libraries.insert(text);
            }
            if (const api a = api_of_function(text); a != api::none && !defines(file, text))
                add(a, text, "", "", found_as::looked_up, file);
        }
    }

    static bool defines(const elf_file& file, const std::string& name) {
        return std::any_of(file.defined.begin(), file.defined.end(),
                           [&](const elf_symbol& s) { return s.name == name; });
    }

    // The static runtime of CUDA names the driver's library and, even where it is stripped, its own errors.
    static bool has_static_runtime(const elf_file& file) {
        const auto has = [&](const char* text) {
            return std::binary_search(file.texts.begin(), file.texts.end(), text);
        };
        return has("libcuda.so.1") && has("cudaErrorInvalidValue") && has("cudaErrorInsufficientDriver");
    }

    void add_static(const elf_file& file) {
        std::set<api> defined;
        for (const std::string& name : file.static_functions)
            if (name == "cusparseCreate" || name == "cublasCreate_v2" || name == "cudaMalloc")
                defined.insert(api_of_function(name));
        if (has_static_runtime(file)) defined.insert(api::cudart);
        if (api_of_library(file.soname) != api::none) return;
        for (const api a : defined)
            if (!defines(file, a == api::cusparse ? "cusparseCreate"
                               : a == api::cublas ? "cublasCreate_v2"
                                                  : "cudaMalloc"))
                needs_.statically_linked.insert(title_of(a));
    }

    const library_search& search_;
    program_needs needs_;
    std::set<std::string> seen_;
    std::vector<std::unique_ptr<elf_file>> files_;
    std::map<std::tuple<std::string, std::string, std::string>, needed_function> functions_;
};

}  // namespace

program_needs needs_of(const std::vector<std::string>& files, const library_search& search) {
    needs_reader reader(search);
    for (const std::string& file : files) reader.read(file, {});
    return reader.take();
}

std::vector<std::string> elf_files_below(const std::string& folder) {
    std::vector<std::string> files;
    std::error_code ignored;
    for (const auto& entry :
         fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, ignored))
        if (entry.is_regular_file(ignored) && is_elf(entry.path().string()))
            files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace heron::tools
