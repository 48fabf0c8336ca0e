// Who takes part in a benchmark: Heron on its backends, other libraries with cuSPARSE's interface, MKL,
// Eigen.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bandwidth.hpp"
#include "peers/cusparse_library.hpp"
#include "device.hpp"
#include "report.hpp"

namespace heron::tools {

class contestants;

struct contestant_options {
    std::vector<std::string> backends{};  // empty: every usable one
    std::vector<std::string> against{};   // FILE or NAME=FILE: other libraries with cuSPARSE's ABI
    std::string library{};                // Heron's libcusparse, if not the one beside the Heron library
    bool eigen = false;
    std::string mkl{};  // a file, or a name that the dynamic linker finds: compare with its sparse BLAS
    std::shared_ptr<contestants> opened{};  // these are taken where they are open already
};

struct contestant {
    std::string name;
    const device* where = nullptr;
    const cusparse_handle* handle = nullptr;  // null for Eigen
    int eigen_threads = 0;
    bool is_heron = false;
    bool allocates = false;  // workspaces, for itself
};

// Opens devices and libraries and keeps them open.
class contestants {
  public:
    // Throws std::exception where one of those that were asked for cannot be had.
    explicit contestants(const contestant_options& options);

    const std::vector<contestant>& all() const { return contestants_; }
    const std::vector<std::unique_ptr<device>>& devices() const { return devices_; }
    bandwidth_probe& probe(const device& where);

    // Names, versions and files; devices; for the head of a report.
    record names_record() const;
    record devices_record() const;
    std::vector<std::string> heading() const;

    // JSON pointers "/ratio/NAME" of those with whom somebody is compared.
    std::vector<std::string> ratio_keys() const;
    // Columns for these, and for the means over the matrices the smallest ratio too.
    void add_ratio_columns(std::vector<report_column>& columns) const;
    void add_mean_ratio_columns(std::vector<report_column>& columns) const;

  private:
    const device& open(const std::string& backend);
    void open_devices(const contestant_options& options);
    void open_libraries(const contestant_options& options);
    void open_peer(const std::string& against);
    void open_mkl(const std::string& file);
    void open_eigen();
    void add(const std::string& name, const device& where, const cusparse_library& library, bool is_heron);

    std::vector<std::string> backends_;
    std::vector<std::unique_ptr<device>> devices_;
    std::vector<std::unique_ptr<cusparse_library>> libraries_;
    const cusparse_library* mkl_ = nullptr;
    std::vector<std::unique_ptr<cusparse_handle>> handles_;
    std::vector<contestant> contestants_;
    std::map<const device*, std::unique_ptr<bandwidth_probe>> probes_;
};

// Those that are open already, or what the other options name.
std::shared_ptr<contestants> contestants_of(const contestant_options& options);

// What Heron is to be compared with: others on the same kind of device, and for OpenCL also Heron's plug-in
// that is native to that kind.
bool is_baseline(const contestant& of, const contestant& peer);

}  // namespace heron::tools
