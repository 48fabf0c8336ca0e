#include "trisolve_contenders.hpp"

#include <chrono>
#include <utility>

namespace heron::tools {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

cusparseOperation_t operation_of(char op) {
    if (op == 'N') return CUSPARSE_OPERATION_NON_TRANSPOSE;
    return op == 'T' ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
}

using dense_descriptor = std::unique_ptr<cusparseDnMatDescr, decltype(&cusparseDestroyDnMat)>;

dense_descriptor describe_dense(const cusparse_library& library, const trisolve_case& what, void* values) {
    cusparseDnMatDescr_t descriptor = nullptr;
    const std::int64_t n = what.matrix.rows;
    library.check(library.create_dn_mat(&descriptor, n, what.right_sides, what.by_rows ? what.right_sides : n,
                                        values, data_type_of(what.type),
                                        what.by_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL),
                  "cusparseCreateDnMat");
    return {descriptor, library.destroy_dn_mat};
}

// What SpSV and SpSM share: the matrix, and the order of the calls.
class cusparse_trisolve : public trisolve_contender {
  public:
    cusparse_trisolve(const cusparse_handle& handle, const trisolve_operands& operands,
                      const trisolve_case& what)
        : library_(handle.library()),
          handle_(handle.get()),
          where_(operands.where),
          operation_(operation_of(what.op)),
          type_(data_type_of(what.type)),
          is_fresh_(what.is_fresh),
          one_(encode(what.type, {.real = {1.0}})),
          matrix_(describe_matrix(library_, what.matrix, operands.matrix)) {
        cusparseFillMode_t fill = what.is_upper ? CUSPARSE_FILL_MODE_UPPER : CUSPARSE_FILL_MODE_LOWER;
        cusparseDiagType_t diag = CUSPARSE_DIAG_TYPE_NON_UNIT;
        library_.check(
            library_.sp_mat_set_attribute(matrix_.get(), CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill),
            "cusparseSpMatSetAttribute");
        library_.check(
            library_.sp_mat_set_attribute(matrix_.get(), CUSPARSE_SPMAT_DIAG_TYPE, &diag, sizeof diag),
            "cusparseSpMatSetAttribute");
    }

    double analyse() override {
        const std::size_t needed = renew();
        if (is_fresh_) buffer_ = device_buffer();
        if (needed > buffer_bytes || !buffer_.get()) buffer_ = where_.allocate(needed);
        buffer_bytes = needed;
        where_.synchronize();
        const auto start = std::chrono::steady_clock::now();
        run_analysis(buffer_.get());
        where_.synchronize();
        return seconds_since(start);
    }

  protected:
    // A new descriptor; returns what its analysis needs.
    virtual std::size_t renew() = 0;
    virtual void run_analysis(void* buffer) = 0;

    const cusparse_library& library_;
    cusparseHandle_t handle_;
    const device& where_;
    cusparseOperation_t operation_;
    cudaDataType type_;
    bool is_fresh_;
    std::vector<std::byte> one_;
    sparse_matrix_descriptor matrix_;
    device_buffer buffer_;
};

class cusparse_spsv : public cusparse_trisolve {
  public:
    cusparse_spsv(const cusparse_handle& handle, const trisolve_operands& operands, const trisolve_case& what)
        : cusparse_trisolve(handle, operands, what),
          x_(describe_vector(library_, what.matrix.rows, operands.b, what.type)),
          y_(describe_vector(library_, what.matrix.rows, operands.c, what.type)) {}
    ~cusparse_spsv() override { library_.spsv_destroy(descriptor_); }

    void solve() override {
        library_.check(library_.spsv_solve(handle_, operation_, one_.data(), matrix_.get(), x_.get(),
                                           y_.get(), type_, CUSPARSE_SPSV_ALG_DEFAULT, descriptor_),
                       "cusparseSpSV_solve");
    }

  private:
    std::size_t renew() override {
        library_.spsv_destroy(std::exchange(descriptor_, nullptr));
        library_.check(library_.spsv_create(&descriptor_), "cusparseSpSV_createDescr");
        std::size_t size = 0;
        library_.check(
            library_.spsv_buffer_size(handle_, operation_, one_.data(), matrix_.get(), x_.get(), y_.get(),
                                      type_, CUSPARSE_SPSV_ALG_DEFAULT, descriptor_, &size),
            "cusparseSpSV_bufferSize");
        return size;
    }
    void run_analysis(void* buffer) override {
        library_.check(
            library_.spsv_analysis(handle_, operation_, one_.data(), matrix_.get(), x_.get(), y_.get(), type_,
                                   CUSPARSE_SPSV_ALG_DEFAULT, descriptor_, buffer),
            "cusparseSpSV_analysis");
    }

    vector_descriptor x_, y_;
    cusparseSpSVDescr_t descriptor_ = nullptr;
};

class cusparse_spsm : public cusparse_trisolve {
  public:
    cusparse_spsm(const cusparse_handle& handle, const trisolve_operands& operands, const trisolve_case& what)
        : cusparse_trisolve(handle, operands, what),
          b_(describe_dense(library_, what, operands.b)),
          c_(describe_dense(library_, what, operands.c)) {}
    ~cusparse_spsm() override { library_.spsm_destroy(descriptor_); }

    void solve() override {
        library_.check(library_.spsm_solve(handle_, operation_, plain, one_.data(), matrix_.get(), b_.get(),
                                           c_.get(), type_, CUSPARSE_SPSM_ALG_DEFAULT, descriptor_),
                       "cusparseSpSM_solve");
    }

  private:
    static constexpr cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;

    std::size_t renew() override {
        library_.spsm_destroy(std::exchange(descriptor_, nullptr));
        library_.check(library_.spsm_create(&descriptor_), "cusparseSpSM_createDescr");
        std::size_t size = 0;
        library_.check(
            library_.spsm_buffer_size(handle_, operation_, plain, one_.data(), matrix_.get(), b_.get(),
                                      c_.get(), type_, CUSPARSE_SPSM_ALG_DEFAULT, descriptor_, &size),
            "cusparseSpSM_bufferSize");
        return size;
    }
    void run_analysis(void* buffer) override {
        library_.check(
            library_.spsm_analysis(handle_, operation_, plain, one_.data(), matrix_.get(), b_.get(), c_.get(),
                                   type_, CUSPARSE_SPSM_ALG_DEFAULT, descriptor_, buffer),
            "cusparseSpSM_analysis");
    }

    dense_descriptor b_, c_;
    cusparseSpSMDescr_t descriptor_ = nullptr;
};

class eigen_trisolve : public trisolve_contender {
  public:
    explicit eigen_trisolve(std::function<void()> solve) : solve_(std::move(solve)) {}
    double analyse() override { return 0; }
    void solve() override { solve_(); }

  private:
    std::function<void()> solve_;
};

}  // namespace

trisolve_operands::trisolve_operands(const device& d, const trisolve_case& what,
                                     const std::vector<std::byte>& right_sides)
    : where(d) {
    const auto up = [](std::size_t bytes) { return (bytes + 255) / 256 * 256; };
    const packed_matrix& m = what.matrix;
    const std::size_t dense = up(right_sides.size());
    memory = where.allocate(up(m.offsets.size()) + up(m.indices.size()) + up(m.values.size()) + 2 * dense);
    std::size_t used = 0;
    const auto place = [&](const std::vector<std::byte>& from) {
        void* const to = memory.at(used);
        where.copy(to, from.data(), from.size());
        used += up(from.size());
        return to;
    };
    matrix.offsets = place(m.offsets);
    matrix.indices = place(m.indices);
    matrix.values = place(m.values);
    b = place(right_sides);
    c = memory.at(used);
    where.fill(c, 0xff, right_sides.size());
    where.synchronize();
}

std::unique_ptr<trisolve_contender> make_cusparse_trisolve(const cusparse_handle& handle,
                                                           const trisolve_operands& operands,
                                                           const trisolve_case& what) {
    if (!handle.library().spsv_solve || !handle.library().spsm_solve)
        throw cusparse_error(CUSPARSE_STATUS_NOT_SUPPORTED,
                             handle.library().path() + " has no triangular solves");
    if (what.right_sides == 1) return std::make_unique<cusparse_spsv>(handle, operands, what);
    return std::make_unique<cusparse_spsm>(handle, operands, what);
}

std::unique_ptr<trisolve_contender> make_eigen_trisolve(const trisolve_operands& operands,
                                                        const trisolve_case& what) {
    auto solve = eigen_triangular_solve(operands, what);
    return solve ? std::make_unique<eigen_trisolve>(std::move(solve)) : nullptr;
}

}  // namespace heron::tools
