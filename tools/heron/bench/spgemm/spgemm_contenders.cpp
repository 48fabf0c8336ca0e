#include "spgemm_contenders.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace heron::tools {
namespace {

// Grows on demand, so that allocations are not part of the times.
class kept_buffer {
  public:
    explicit kept_buffer(const device& where) : where_(where) {}
    void* get(std::size_t bytes) {
        if (bytes > bytes_) {
            memory_ = device_buffer();
            memory_ = where_.allocate(bytes);
            bytes_ = bytes;
        }
        return bytes > 0 ? memory_.get() : nullptr;
    }

  private:
    const device& where_;
    device_buffer memory_;
    std::size_t bytes_ = 0;
};

struct device_csr {
    device_csr(const device& where, const packed_matrix& m)
        : offsets(upload(where, m.offsets)),
          indices(upload(where, m.indices)),
          values(upload(where, m.values)) {}

    static device_buffer upload(const device& where, const std::vector<std::byte>& bytes) {
        device_buffer buffer = where.allocate(std::max<std::size_t>(bytes.size(), 1));
        where.copy(buffer.get(), bytes.data(), bytes.size());
        return buffer;
    }

    matrix_addresses addresses() const { return {offsets.get(), nullptr, indices.get(), values.get()}; }

    device_buffer offsets, indices, values;
};

class cusparse_spgemm : public spgemm_contender {
  public:
    cusparse_spgemm(const cusparse_handle& handle, const device& where, const spgemm_case& what)
        : library_(handle.library()),
          f_(library_.spgemm),
          handle_(handle.get()),
          where_(where),
          what_(what),
          a_memory_(where, what.a),
          b_memory_(where, what.b),
          a_(describe_matrix(library_, what.a, a_memory_.addresses())),
          b_(describe_matrix(library_, what.b, b_memory_.addresses())),
          c_(nullptr, library_.destroy_sp_mat),
          descriptor_(nullptr, f_.destroy_descr),
          c_offsets_(where.allocate((static_cast<std::size_t>(what.a.rows) + 1) * sizeof(std::int32_t))),
          compute_(data_type_of(what.a.how.type)) {
        const bool complete = what.reuse ? f_.reuse_compute != nullptr : f_.estimate_memory || !chunked();
        if (!complete || !f_.create_descr || !library_.csr_set_pointers)
            throw cusparse_error(CUSPARSE_STATUS_NOT_SUPPORTED,
                                 fmt::format("{} lacks SpGEMM", library_.path()));
        if (what.reuse) prepare_reuse();
    }

    void call() override {
        if (what_.reuse) {
            check(f_.reuse_compute(handle_, none, none, one(), a_.get(), b_.get(), zero(), c_.get(), compute_,
                                   what_.algorithm, descriptor_.get()),
                  "cusparseSpGEMMreuse_compute");
        } else {
            whole_product();
        }
    }

    spgemm_output output() const override {
        const auto nnz = static_cast<std::size_t>(nnz_);
        spgemm_output result;
        result.offsets.resize(static_cast<std::size_t>(what_.a.rows) + 1);
        result.columns.resize(nnz);
        result.values.resize(nnz * element());
        where_.copy(result.offsets.data(), c_offsets_.get(), result.offsets.size() * sizeof(std::int32_t));
        where_.copy(result.columns.data(), c_columns_, nnz * sizeof(std::int32_t));
        where_.copy(result.values.data(), c_values_, nnz * element());
        return result;
    }

  private:
    static constexpr auto none = CUSPARSE_OPERATION_NON_TRANSPOSE;
    static constexpr float chunk = 0.2f;  // as NVIDIA's sample has it

    bool chunked() const { return what_.algorithm >= CUSPARSE_SPGEMM_ALG2; }
    std::size_t element() const { return traits_of(what_.a.how.type).size; }
    const void* one() const { return element() == 4 ? static_cast<const void*>(&one32_) : &one64_; }
    const void* zero() const { return element() == 4 ? static_cast<const void*>(&zero32_) : &zero64_; }
    void check(cusparseStatus_t status, const char* function) const { library_.check(status, function); }

    void start() {
        cusparseSpMatDescr_t c = nullptr;
        check(library_.create_csr(&c, what_.a.rows, what_.b.cols, 0, c_offsets_.get(), nullptr, nullptr,
                                  CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, compute_),
              "cusparseCreateCsr");
        c_.reset(c);
        cusparseSpGEMMDescr_t d = nullptr;
        check(f_.create_descr(&d), "cusparseSpGEMM_createDescr");
        descriptor_.reset(d);
    }

    void work_estimation(std::size_t* size, void* buffer) {
        check(f_.work_estimation(handle_, none, none, one(), a_.get(), b_.get(), zero(), c_.get(), compute_,
                                 what_.algorithm, descriptor_.get(), size, buffer),
              "cusparseSpGEMM_workEstimation");
    }
    void estimate_memory(std::size_t* size, void* buffer, std::size_t* compute_size) {
        check(f_.estimate_memory(handle_, none, none, one(), a_.get(), b_.get(), zero(), c_.get(), compute_,
                                 what_.algorithm, descriptor_.get(), chunk, size, buffer, compute_size),
              "cusparseSpGEMM_estimateMemory");
    }
    void compute(std::size_t* size, void* buffer) {
        check(f_.compute(handle_, none, none, one(), a_.get(), b_.get(), zero(), c_.get(), compute_,
                         what_.algorithm, descriptor_.get(), size, buffer),
              "cusparseSpGEMM_compute");
    }

    void whole_product() {
        start();
        std::size_t size1 = 0, size2 = 0, size3 = 0;
        work_estimation(&size1, nullptr);
        work_estimation(&size1, buffers_[0].get(size1));
        if (chunked()) {
            estimate_memory(&size3, nullptr, nullptr);
            estimate_memory(&size3, buffers_[2].get(size3), &size2);
        } else {
            compute(&size2, nullptr);
        }
        compute(&size2, buffers_[1].get(size2));
        place_c();
        check(f_.copy(handle_, none, none, one(), a_.get(), b_.get(), zero(), c_.get(), compute_,
                      what_.algorithm, descriptor_.get()),
              "cusparseSpGEMM_copy");
        work_bytes = size1 + std::max(size2, size3);
    }

    void prepare_reuse() {
        start();
        std::size_t size1 = 0, size2 = 0, size3 = 0, size4 = 0, size5 = 0;
        const auto estimate = [&](void* buffer) {
            check(f_.reuse_work_estimation(handle_, none, none, a_.get(), b_.get(), c_.get(), what_.algorithm,
                                           descriptor_.get(), &size1, buffer),
                  "cusparseSpGEMMreuse_workEstimation");
        };
        const auto count = [&](void* buffer2, void* buffer3, void* buffer4) {
            check(f_.reuse_nnz(handle_, none, none, a_.get(), b_.get(), c_.get(), what_.algorithm,
                               descriptor_.get(), &size2, buffer2, &size3, buffer3, &size4, buffer4),
                  "cusparseSpGEMMreuse_nnz");
        };
        const auto copy = [&](void* buffer) {
            check(f_.reuse_copy(handle_, none, none, a_.get(), b_.get(), c_.get(), what_.algorithm,
                                descriptor_.get(), &size5, buffer),
                  "cusparseSpGEMMreuse_copy");
        };
        estimate(nullptr);
        estimate(buffers_[0].get(size1));
        count(nullptr, nullptr, nullptr);
        count(buffers_[1].get(size2), buffers_[2].get(size3), buffers_[3].get(size4));
        place_c();
        copy(nullptr);
        copy(buffers_[4].get(size5));
        work_bytes = std::max(size1 + size2 + size3 + size4, size3 + size4 + size5);
    }

    void place_c() {
        std::int64_t rows = 0, cols = 0;
        check(library_.sp_mat_get_size(c_.get(), &rows, &cols, &nnz_), "cusparseSpMatGetSize");
        const auto nnz = static_cast<std::size_t>(nnz_);
        c_columns_ = buffers_[5].get(nnz * sizeof(std::int32_t));
        c_values_ = buffers_[6].get(nnz * element());
        check(library_.csr_set_pointers(c_.get(), c_offsets_.get(), c_columns_, c_values_),
              "cusparseCsrSetPointers");
    }

    const cusparse_library& library_;
    const cusparse_library::spgemm_functions& f_;
    cusparseHandle_t handle_;
    const device& where_;
    spgemm_case what_;
    device_csr a_memory_, b_memory_;
    sparse_matrix_descriptor a_, b_, c_;
    std::unique_ptr<cusparseSpGEMMDescr, decltype(&cusparseSpGEMM_destroyDescr)> descriptor_;
    device_buffer c_offsets_;
    cudaDataType compute_;
    kept_buffer buffers_[7]{kept_buffer(where_), kept_buffer(where_), kept_buffer(where_),
                            kept_buffer(where_), kept_buffer(where_), kept_buffer(where_),
                            kept_buffer(where_)};
    void* c_columns_ = nullptr;
    void* c_values_ = nullptr;
    std::int64_t nnz_ = 0;
    float one32_ = 1, zero32_ = 0;
    double one64_ = 1, zero64_ = 0;
};

}  // namespace

std::unique_ptr<spgemm_contender> make_cusparse_spgemm(const cusparse_handle& handle, const device& where,
                                                       const spgemm_case& what) {
    return std::make_unique<cusparse_spgemm>(handle, where, what);
}

}  // namespace heron::tools
