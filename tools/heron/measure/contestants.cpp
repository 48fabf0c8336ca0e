#include "contestants.hpp"

#include <fmt/format.h>

#include <omp.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "device_record.hpp"
#include "peers/eigen_spmv.hpp"

namespace heron::tools {

contestants::contestants(const contestant_options& options) {
    open_devices(options);
    open_libraries(options);
    if (options.eigen) open_eigen();
    if (contestants_.empty()) throw std::runtime_error("there is nobody to measure");
}

bandwidth_probe& contestants::probe(const device& where) {
    auto& found = probes_[&where];
    if (!found) found = make_bandwidth_probe(where);
    return *found;
}

record contestants::names_record() const {
    record result = record::array();
    for (const contestant& each : contestants_) {
        record entry;
        entry["name"] = each.name;
        entry["backend"] = each.where->backend();
        entry["version"] = each.handle ? each.handle->version() : eigen_version();
        if (each.handle) entry["file"] = each.handle->library().path();
        result.push_back(std::move(entry));
    }
    return result;
}

record contestants::devices_record() const {
    record result = record::array();
    for (const auto& device : devices_) {
        record entry = device_record(device->info());
        entry["backend"] = device->backend();
        result.push_back(std::move(entry));
    }
    return result;
}

std::vector<std::string> contestants::heading() const {
    std::vector<std::string> lines;
    for (const auto& device : devices_) {
        const heron_device_info& info = device->info();
        lines.push_back(fmt::format("{}: {}, {}, {} compute units, cache {}", device->backend(), info.name,
                                    info.isa, info.compute_units, size_text(info.cache_bytes)));
    }
    for (const contestant& each : contestants_) {
        lines.push_back(each.handle ? fmt::format("{}: version {}, {}", each.name, each.handle->version(),
                                                  each.handle->library().path())
                                    : fmt::format("{}: version {}", each.name, eigen_version()));
    }
    return lines;
}

std::vector<std::string> contestants::ratio_keys() const {
    std::vector<std::string> keys;
    for (const contestant& peer : contestants_) {
        const bool is_used = std::any_of(contestants_.begin(), contestants_.end(),
                                         [&](const contestant& of) { return is_baseline(of, peer); });
        if (is_used) keys.push_back("/ratio/" + peer.name);
    }
    return keys;
}

void contestants::add_ratio_columns(std::vector<report_column>& columns) const {
    for (const std::string& key : ratio_keys())
        columns.push_back({.key = key, .title = "vs " + key.substr(7), .format = "{:.2f}"});
}

void contestants::add_mean_ratio_columns(std::vector<report_column>& columns) const {
    for (const std::string& key : ratio_keys()) {
        columns.push_back({.key = key, .title = "vs " + key.substr(7), .format = "{:.2f}"});
        columns.push_back({.key = "/smallest" + key, .title = "least", .format = "{:.2f}"});
    }
}

const device& contestants::open(const std::string& backend) {
    const auto found = std::find_if(devices_.begin(), devices_.end(),
                                    [&](const auto& opened) { return opened->backend() == backend; });
    return found != devices_.end() ? **found : *devices_.emplace_back(std::make_unique<device>(backend));
}

void contestants::open_devices(const contestant_options& options) {
    backends_ = usable_backends(options.backends);
    for (const std::string& backend : backends_) open(backend);
}

void contestants::open_libraries(const contestant_options& options) {
    // Others first: the linker takes a plain name for a library that it has loaded under that name before.
    for (const std::string& against : options.against) open_peer(against);
    if (!options.mkl.empty()) open_mkl(options.mkl);
    const std::string file = options.library.empty() ? heron_cusparse_file() : options.library;
    const auto& own = *libraries_.emplace_back(
        std::make_unique<cusparse_library>("heron", std::filesystem::absolute(file)));
    for (const auto& library : libraries_) {
        if (library.get() != &own && library->is_same_file(own)) {
            throw std::runtime_error(
                fmt::format("{} is Heron's own libcusparse ({}): give the other library's full path",
                            library->name(), own.path()));
        }
    }
    for (const std::string& backend : backends_) {
        setenv("HERON_BACKEND", backend.c_str(), 1);
        add("heron-" + backend, open(backend), own, true);
    }
    for (const auto& library : libraries_) {
        if (library.get() == &own) continue;
        const bool is_mkl = library.get() == mkl_;
        add(library->name(), open(is_mkl ? "host" : "cuda"), *library, false);
        contestants_.back().allocates = is_mkl;
    }
}

void contestants::open_peer(const std::string& against) {
    const char* const number = std::getenv("HERON_DEVICE");
    if (number && std::atoi(number) != 0) {
        throw std::runtime_error(
            "other libraries run on the first device: choose it by CUDA_VISIBLE_DEVICES, not by "
            "HERON_DEVICE");
    }
    try {
        open("cuda");
    } catch (const heron_error& error) {
        throw std::runtime_error(fmt::format("--against compares on the cuda backend: {}", error.what()));
    }
    const std::size_t equals = against.find('=');
    const std::string file = equals == std::string::npos ? against : against.substr(equals + 1);
    std::string name = equals == std::string::npos ? std::filesystem::path(file).filename().string()
                                                   : against.substr(0, equals);
    const bool is_taken = std::any_of(libraries_.begin(), libraries_.end(),
                                      [&](const auto& library) { return library->name() == name; });
    if (is_taken) throw std::runtime_error(fmt::format("two libraries are named {}: use NAME=FILE", name));
    libraries_.push_back(std::make_unique<cusparse_library>(std::move(name), file));
}

// The library beside the program that has cuSPARSE's interface looks for MKL by this variable.
void contestants::open_mkl(const std::string& file) {
    setenv("HERON_BENCH_MKL", file.c_str(), 1);
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
    mkl_ = libraries_
               .emplace_back(std::make_unique<cusparse_library>(
                   "mkl", (program.parent_path() / "libcusparse-mkl.so").string()))
               .get();
}

void contestants::add(const std::string& name, const device& where, const cusparse_library& library,
                      bool is_heron) {
    const auto& handle = *handles_.emplace_back(std::make_unique<cusparse_handle>(library));
    contestants_.push_back({.name = name, .where = &where, .handle = &handle, .is_heron = is_heron});
}

void contestants::open_eigen() {
    std::vector<int> counts{1};
    if (omp_get_max_threads() > 1) counts.push_back(omp_get_max_threads());
    for (const int count : counts) {
        contestants_.push_back({.name = fmt::format("eigen-{}t", count),
                                .where = &open("host"),
                                .eigen_threads = count,
                                .allocates = true});
    }
}

std::shared_ptr<contestants> contestants_of(const contestant_options& options) {
    return options.opened ? options.opened : std::make_shared<contestants>(options);
}

bool is_baseline(const contestant& of, const contestant& peer) {
    if (&of == &peer || !of.is_heron || of.where->is_processor() != peer.where->is_processor()) return false;
    return !peer.is_heron || (of.where->backend() == "opencl" && peer.where->backend() != "opencl");
}

}  // namespace heron::tools
