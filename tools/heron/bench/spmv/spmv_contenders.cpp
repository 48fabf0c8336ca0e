#include "spmv_contenders.hpp"

#include <chrono>
#include <complex>
#include <functional>
#include <vector>

#include "peers/eigen_spmv.hpp"

namespace heron::tools {
namespace {

cusparseOperation_t operation_of(char op) {
    if (op == 'N') return CUSPARSE_OPERATION_NON_TRANSPOSE;
    return op == 'T' ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
}

class cusparse_contender : public spmv_contender {
  public:
    cusparse_contender(const cusparse_handle& handle, const spmv_operands& operands, const spmv_case& what)
        : library_(handle.library()),
          handle_(handle.get()),
          operation_(operation_of(what.problem.op)),
          compute_(data_type_of(what.type.compute)),
          algorithm_(what.algorithm),
          alpha_(encode(what.type.compute, {.real = {what.problem.alpha}})),
          beta_(encode(what.type.compute, {.real = {what.problem.beta}})) {
        const bool transposed = what.problem.op != 'N';
        const std::int64_t inner = transposed ? what.matrix.rows : what.matrix.cols;
        const std::int64_t outer = transposed ? what.matrix.cols : what.matrix.rows;
        for (const spmv_operands::copy& copy : operands.copies()) {
            instances_.push_back({describe_matrix(library_, what.matrix, copy.matrix),
                                  describe_vector(library_, inner, copy.x, what.type.input),
                                  describe_vector(library_, outer, copy.y, what.type.output),
                                  {}});
            set_up(instances_.back(), operands.where(), what.preprocess);
        }
        preprocess_seconds /= static_cast<double>(instances_.size());
    }

    void call(std::size_t copy) override {
        const instance& i = instances_[copy];
        library_.check(library_.spmv(handle_, operation_, alpha_.data(), i.matrix.get(), i.x.get(),
                                     beta_.data(), i.y.get(), compute_, algorithm_, i.buffer.get()),
                       "cusparseSpMV");
    }

  private:
    // The buffer of a preprocessed matrix must stay with it, so that each copy has its own.
    struct instance {
        sparse_matrix_descriptor matrix;
        vector_descriptor x;
        vector_descriptor y;
        device_buffer buffer;
    };

    void set_up(instance& i, const device& where, bool preprocess) {
        library_.check(
            library_.spmv_buffer_size(handle_, operation_, alpha_.data(), i.matrix.get(), i.x.get(),
                                      beta_.data(), i.y.get(), compute_, algorithm_, &buffer_bytes),
            "cusparseSpMV_bufferSize");
        i.buffer = where.allocate(buffer_bytes);
        if (!preprocess || !library_.spmv_preprocess) return;
        const auto start = std::chrono::steady_clock::now();
        library_.check(
            library_.spmv_preprocess(handle_, operation_, alpha_.data(), i.matrix.get(), i.x.get(),
                                     beta_.data(), i.y.get(), compute_, algorithm_, i.buffer.get()),
            "cusparseSpMV_preprocess");
        where.synchronize();
        preprocess_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

    const cusparse_library& library_;
    cusparseHandle_t handle_;
    cusparseOperation_t operation_;
    cudaDataType compute_;
    cusparseSpMVAlg_t algorithm_;
    std::vector<std::byte> alpha_;
    std::vector<std::byte> beta_;
    std::vector<instance> instances_;
};

class eigen_contender : public spmv_contender {
  public:
    void add(std::function<void()> product) { products_.push_back(std::move(product)); }
    void call(std::size_t copy) override { products_[copy](); }

  private:
    std::vector<std::function<void()>> products_;
};

}  // namespace

std::unique_ptr<spmv_contender> make_cusparse_contender(const cusparse_handle& handle,
                                                        const spmv_operands& operands,
                                                        const spmv_case& what) {
    return std::make_unique<cusparse_contender>(handle, operands, what);
}

std::unique_ptr<spmv_contender> make_eigen_contender(int threads, const spmv_operands& operands,
                                                     const spmv_case& what) {
    const packed_matrix& matrix = what.matrix;
    if (matrix.how.format != sparse_format::csr) return nullptr;
    auto contender = std::make_unique<eigen_contender>();
    for (const spmv_operands::copy& copy : operands.copies()) {
        auto product = make_eigen_spmv(what.type, matrix.how.widths, what.problem, threads,
                                       {matrix.rows, matrix.cols, matrix.nnz, copy.matrix.offsets,
                                        copy.matrix.indices, copy.matrix.values, copy.x, copy.y});
        if (!product) return nullptr;
        contender->add(std::move(product));
    }
    return contender;
}

}  // namespace heron::tools
