// Libraries with cuSPARSE's ABI, Heron's own and others, side by side in one process: each is opened by
// dlopen with its symbols kept to itself and called through a table.
#pragma once

#include <cusparse.h>

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>

#include "measure/bench_values.hpp"
#include "matrix/packed_matrix.hpp"

// A function of a library by the type of Heron's own; the name may be a macro's.
#define HERON_PEER(library, name) HERON_PEER_NAMED(library, name)
#define HERON_PEER_NAMED(library, name) (library).template function<decltype(&name)>(#name)

namespace heron::tools {

class cusparse_error : public std::runtime_error {
  public:
    cusparse_error(cusparseStatus_t status, const std::string& what)
        : std::runtime_error(what), status_(status) {}
    // The library does not do what was asked for, or not on this device.
    bool is_unsupported() const {
        return status_ == CUSPARSE_STATUS_NOT_SUPPORTED || status_ == CUSPARSE_STATUS_ARCH_MISMATCH ||
               status_ == CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
    }

  private:
    cusparseStatus_t status_;
};

class cusparse_library {
  public:
    // A file, or a name that the dynamic linker finds. Throws std::runtime_error with the linker's reason.
    cusparse_library(std::string name, const std::string& file);

    const std::string& name() const { return name_; }  // for reports
    const std::string& path() const { return path_; }  // of the file that was loaded
    bool is_same_file(const cusparse_library& other) const { return library_ == other.library_; }

    // Throws cusparse_error unless the status is success.
    void check(cusparseStatus_t status, const char* function) const;

    // A function that not every library need have. Throws cusparse_error, not supported, where it is missing.
    template <class F>
    F function(const char* name) const {
        return reinterpret_cast<F>(find(name));
    }

    decltype(&cusparseCreate) create;
    decltype(&cusparseDestroy) destroy;
    decltype(&cusparseGetVersion) get_version;
    decltype(&cusparseGetErrorString) get_error_string;
    decltype(&cusparseCreateDnVec) create_dn_vec;
    decltype(&cusparseDestroyDnVec) destroy_dn_vec;
    decltype(&cusparseCreateCsr) create_csr;
    decltype(&cusparseCreateCsc) create_csc;
    decltype(&cusparseCreateCoo) create_coo;
    decltype(&cusparseDestroySpMat) destroy_sp_mat;
    decltype(&cusparseSpMV_bufferSize) spmv_buffer_size;
    decltype(&cusparseSpMV) spmv;
    // Null where the library is too old to have them.
    decltype(&cusparseCreateSlicedEll) create_sliced_ell;
    decltype(&cusparseCreateBsr) create_bsr;
    decltype(&cusparseCreateBlockedEll) create_blocked_ell;
    decltype(&cusparseSpMV_preprocess) spmv_preprocess;
    decltype(&cusparseCsrSetPointers) csr_set_pointers;
    decltype(&cusparseSpMatGetSize) sp_mat_get_size;
    struct spgemm_functions {
        decltype(&cusparseSpGEMM_createDescr) create_descr;
        decltype(&cusparseSpGEMM_destroyDescr) destroy_descr;
        decltype(&cusparseSpGEMM_workEstimation) work_estimation;
        decltype(&cusparseSpGEMM_getNumProducts) get_num_products;
        decltype(&cusparseSpGEMM_estimateMemory) estimate_memory;
        decltype(&cusparseSpGEMM_compute) compute;
        decltype(&cusparseSpGEMM_copy) copy;
        decltype(&cusparseSpGEMMreuse_workEstimation) reuse_work_estimation;
        decltype(&cusparseSpGEMMreuse_nnz) reuse_nnz;
        decltype(&cusparseSpGEMMreuse_copy) reuse_copy;
        decltype(&cusparseSpGEMMreuse_compute) reuse_compute;
    } spgemm;
    decltype(&cusparseCreateDnMat) create_dn_mat;
    decltype(&cusparseDestroyDnMat) destroy_dn_mat;
    decltype(&cusparseSpMM_bufferSize) spmm_buffer_size;
    decltype(&cusparseSpMM_preprocess) spmm_preprocess;
    decltype(&cusparseSpMM) spmm;
    decltype(&cusparseSpMatSetAttribute) sp_mat_set_attribute;
    decltype(&cusparseSpSV_createDescr) spsv_create;
    decltype(&cusparseSpSV_destroyDescr) spsv_destroy;
    decltype(&cusparseSpSV_bufferSize) spsv_buffer_size;
    decltype(&cusparseSpSV_analysis) spsv_analysis;
    decltype(&cusparseSpSV_solve) spsv_solve;
    decltype(&cusparseSpSM_createDescr) spsm_create;
    decltype(&cusparseSpSM_destroyDescr) spsm_destroy;
    decltype(&cusparseSpSM_bufferSize) spsm_buffer_size;
    decltype(&cusparseSpSM_analysis) spsm_analysis;
    decltype(&cusparseSpSM_solve) spsm_solve;
    decltype(&cusparseSDDMM_bufferSize) sddmm_buffer_size;
    decltype(&cusparseSDDMM_preprocess) sddmm_preprocess;
    decltype(&cusparseSDDMM) sddmm;

  private:
    void* find(const char* name) const;

    std::string name_;
    std::string path_;
    void* library_ = nullptr;  // stays open: plug-ins and drivers do not survive being unloaded
};

// The file of Heron's own libcusparse that belongs to the Heron library in this process.
std::string heron_cusparse_file();

cudaDataType data_type_of(scalar_type type);

class cusparse_handle {
  public:
    explicit cusparse_handle(const cusparse_library& library);
    ~cusparse_handle() { library_.destroy(handle_); }
    cusparse_handle(const cusparse_handle&) = delete;
    cusparse_handle& operator=(const cusparse_handle&) = delete;

    const cusparse_library& library() const { return library_; }
    cusparseHandle_t get() const { return handle_; }
    std::string version() const;  // such as "12.6.3"

  private:
    const cusparse_library& library_;
    cusparseHandle_t handle_ = nullptr;
};

// The addresses of a packed matrix's arrays on a device.
struct matrix_addresses {
    void* offsets = nullptr;
    void* row_indices = nullptr;
    void* indices = nullptr;
    void* values = nullptr;
};

using sparse_matrix_descriptor = std::unique_ptr<cusparseSpMatDescr, decltype(&cusparseDestroySpMat)>;
using vector_descriptor = std::unique_ptr<cusparseDnVecDescr, decltype(&cusparseDestroyDnVec)>;

sparse_matrix_descriptor describe_matrix(const cusparse_library& library, const packed_matrix& matrix,
                                         const matrix_addresses& at);
vector_descriptor describe_vector(const cusparse_library& library, std::int64_t size, void* values,
                                  scalar_type type);

}  // namespace heron::tools
