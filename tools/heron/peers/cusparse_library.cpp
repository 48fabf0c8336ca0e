#include "cusparse_library.hpp"

#include <fmt/format.h>

#include <dlfcn.h>

#include <filesystem>
#include <utility>

#include "measure/device.hpp"

namespace heron::tools {
namespace {

void* open_library(const std::string& file) {
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) throw std::runtime_error(fmt::format("cannot load {}", dlerror()));
    return library;
}

std::string file_of(const void* symbol) {
    Dl_info info{};
    return dladdr(symbol, &info) && info.dli_fname ? info.dli_fname : "";
}

template <class F>
void look_up(void* library, F& function, const char* name) {
    function = reinterpret_cast<F>(dlsym(library, name));
}

template <class F>
void require(void* library, F& function, const char* name) {
    look_up(library, function, name);
    if (!function) {
        throw std::runtime_error(fmt::format("no library with cuSPARSE's functions: {}", dlerror()));
    }
}

cusparseIndexType_t index_type_of(int width) { return width == 4 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I; }

template <class F>
F available(F function, const cusparse_library& library, const char* name) {
    if (function) return function;
    throw cusparse_error(CUSPARSE_STATUS_NOT_SUPPORTED, fmt::format("{} has no {}", library.path(), name));
}

}  // namespace

cusparse_library::cusparse_library(std::string name, const std::string& file)
    : name_(std::move(name)), library_(open_library(file)) {
    require(library_, create, "cusparseCreate");
    require(library_, destroy, "cusparseDestroy");
    require(library_, get_version, "cusparseGetVersion");
    require(library_, get_error_string, "cusparseGetErrorString");
    require(library_, create_dn_vec, "cusparseCreateDnVec");
    require(library_, destroy_dn_vec, "cusparseDestroyDnVec");
    require(library_, create_csr, "cusparseCreateCsr");
    require(library_, create_csc, "cusparseCreateCsc");
    require(library_, create_coo, "cusparseCreateCoo");
    require(library_, destroy_sp_mat, "cusparseDestroySpMat");
    require(library_, spmv_buffer_size, "cusparseSpMV_bufferSize");
    require(library_, spmv, "cusparseSpMV");
    look_up(library_, create_sliced_ell, "cusparseCreateSlicedEll");
    look_up(library_, create_bsr, "cusparseCreateBsr");
    look_up(library_, create_blocked_ell, "cusparseCreateBlockedEll");
    look_up(library_, spmv_preprocess, "cusparseSpMV_preprocess");
    look_up(library_, csr_set_pointers, "cusparseCsrSetPointers");
    look_up(library_, sp_mat_get_size, "cusparseSpMatGetSize");
    look_up(library_, spgemm.create_descr, "cusparseSpGEMM_createDescr");
    look_up(library_, spgemm.destroy_descr, "cusparseSpGEMM_destroyDescr");
    look_up(library_, spgemm.work_estimation, "cusparseSpGEMM_workEstimation");
    look_up(library_, spgemm.get_num_products, "cusparseSpGEMM_getNumProducts");
    look_up(library_, spgemm.estimate_memory, "cusparseSpGEMM_estimateMemory");
    look_up(library_, spgemm.compute, "cusparseSpGEMM_compute");
    look_up(library_, spgemm.copy, "cusparseSpGEMM_copy");
    look_up(library_, spgemm.reuse_work_estimation, "cusparseSpGEMMreuse_workEstimation");
    look_up(library_, spgemm.reuse_nnz, "cusparseSpGEMMreuse_nnz");
    look_up(library_, spgemm.reuse_copy, "cusparseSpGEMMreuse_copy");
    look_up(library_, spgemm.reuse_compute, "cusparseSpGEMMreuse_compute");
    look_up(library_, create_dn_mat, "cusparseCreateDnMat");
    look_up(library_, destroy_dn_mat, "cusparseDestroyDnMat");
    look_up(library_, spmm_buffer_size, "cusparseSpMM_bufferSize");
    look_up(library_, spmm_preprocess, "cusparseSpMM_preprocess");
    look_up(library_, spmm, "cusparseSpMM");
    look_up(library_, sp_mat_set_attribute, "cusparseSpMatSetAttribute");
    look_up(library_, spsv_create, "cusparseSpSV_createDescr");
    look_up(library_, spsv_destroy, "cusparseSpSV_destroyDescr");
    look_up(library_, spsv_buffer_size, "cusparseSpSV_bufferSize");
    look_up(library_, spsv_analysis, "cusparseSpSV_analysis");
    look_up(library_, spsv_solve, "cusparseSpSV_solve");
    look_up(library_, spsm_create, "cusparseSpSM_createDescr");
    look_up(library_, spsm_destroy, "cusparseSpSM_destroyDescr");
    look_up(library_, spsm_buffer_size, "cusparseSpSM_bufferSize");
    look_up(library_, spsm_analysis, "cusparseSpSM_analysis");
    look_up(library_, spsm_solve, "cusparseSpSM_solve");
    look_up(library_, sddmm_buffer_size, "cusparseSDDMM_bufferSize");
    look_up(library_, sddmm_preprocess, "cusparseSDDMM_preprocess");
    look_up(library_, sddmm, "cusparseSDDMM");
    path_ = file_of(reinterpret_cast<const void*>(create));
}

void* cusparse_library::find(const char* name) const {
    if (void* const found = dlsym(library_, name)) return found;
    throw cusparse_error(CUSPARSE_STATUS_NOT_SUPPORTED, fmt::format("{} has no {}", path_, name));
}

void cusparse_library::check(cusparseStatus_t status, const char* function) const {
    if (status == CUSPARSE_STATUS_SUCCESS) return;
    const std::string reason = reason_log::take();
    throw cusparse_error(status,
                         reason.empty() ? fmt::format("{}: {}", function, get_error_string(status)) : reason);
}

std::string heron_cusparse_file() {
    // By name: an address taken in the program itself may be that of a jump into the library.
    const std::string library = file_of(dlsym(RTLD_DEFAULT, "heron_version"));
    return (std::filesystem::absolute(library).parent_path() / "heron/compat/libcusparse.so.12").string();
}

cudaDataType data_type_of(scalar_type type) {
    switch (type) {
        case scalar_type::i8: return CUDA_R_8I;
        case scalar_type::i32: return CUDA_R_32I;
        case scalar_type::f16: return CUDA_R_16F;
        case scalar_type::bf16: return CUDA_R_16BF;
        case scalar_type::f32: return CUDA_R_32F;
        case scalar_type::f64: return CUDA_R_64F;
        case scalar_type::c32: return CUDA_C_32F;
        case scalar_type::c64: break;
    }
    return CUDA_C_64F;
}

cusparse_handle::cusparse_handle(const cusparse_library& library) : library_(library) {
    library.check(library.create(&handle_), "cusparseCreate");
}

std::string cusparse_handle::version() const {
    int version = 0;
    library_.check(library_.get_version(handle_, &version), "cusparseGetVersion");
    return fmt::format("{}.{}.{}", version / 1000, version / 100 % 10, version % 100);
}

sparse_matrix_descriptor describe_matrix(const cusparse_library& library, const packed_matrix& m,
                                         const matrix_addresses& at) {
    const cusparseIndexType_t offsets = index_type_of(m.how.widths.offsets);
    const cusparseIndexType_t indices = index_type_of(m.how.widths.indices);
    const cudaDataType type = data_type_of(m.how.type);
    constexpr cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
    cusparseSpMatDescr_t matrix = nullptr;
    switch (m.how.format) {
        case sparse_format::csr:
            library.check(library.create_csr(&matrix, m.rows, m.cols, m.nnz, at.offsets, at.indices,
                                             at.values, offsets, indices, base, type),
                          "cusparseCreateCsr");
            break;
        case sparse_format::csc:
            library.check(library.create_csc(&matrix, m.rows, m.cols, m.nnz, at.offsets, at.indices,
                                             at.values, offsets, indices, base, type),
                          "cusparseCreateCsc");
            break;
        case sparse_format::coo:
            library.check(library.create_coo(&matrix, m.rows, m.cols, m.nnz, at.row_indices, at.indices,
                                             at.values, indices, base, type),
                          "cusparseCreateCoo");
            break;
        case sparse_format::sell: {
            const auto create = available(library.create_sliced_ell, library, "cusparseCreateSlicedEll");
            library.check(create(&matrix, m.rows, m.cols, m.nnz, m.stored, m.how.slice, at.offsets,
                                 at.indices, at.values, offsets, indices, base, type),
                          "cusparseCreateSlicedEll");
            break;
        }
        case sparse_format::bsr: {
            const auto create = available(library.create_bsr, library, "cusparseCreateBsr");
            const std::int64_t block = m.how.block;
            library.check(create(&matrix, m.rows / block, m.cols / block, m.nnz, block, block, at.offsets,
                                 at.indices, at.values, offsets, indices, base, type, CUSPARSE_ORDER_ROW),
                          "cusparseCreateBsr");
            break;
        }
        case sparse_format::ell: {
            const auto create = available(library.create_blocked_ell, library, "cusparseCreateBlockedEll");
            library.check(create(&matrix, m.rows, m.cols, m.how.block, m.ell_cols, at.indices, at.values,
                                 indices, base, type),
                          "cusparseCreateBlockedEll");
            break;
        }
    }
    return {matrix, library.destroy_sp_mat};
}

vector_descriptor describe_vector(const cusparse_library& library, std::int64_t size, void* values,
                                  scalar_type type) {
    cusparseDnVecDescr_t vector = nullptr;
    library.check(library.create_dn_vec(&vector, size, values, data_type_of(type)), "cusparseCreateDnVec");
    return {vector, library.destroy_dn_vec};
}

}  // namespace heron::tools
