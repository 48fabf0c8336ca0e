#include "spgemm_problem.hpp"

namespace heron::test {

spgemm_descriptor make_spgemm_descriptor() {
    cusparseSpGEMMDescr_t d = nullptr;
    expect(cusparseSpGEMM_createDescr(&d));
    return spgemm_descriptor(d);
}

cudaDataType sum_type(cudaDataType type) {
    switch (type) {
        case CUDA_R_16F:
        case CUDA_R_16BF: return CUDA_R_32F;
        case CUDA_C_16F:
        case CUDA_C_16BF: return CUDA_C_32F;
        default: return type;
    }
}

std::vector<cudaDataType> spgemm_types() {
    std::vector<cudaDataType> types{CUDA_R_32F, CUDA_C_32F, CUDA_R_16F, CUDA_R_16BF, CUDA_C_16F, CUDA_C_16BF};
    if (device_has(CUDA_R_64F)) types.insert(types.end(), {CUDA_R_64F, CUDA_C_64F});
    return types;
}

spgemm_problem::spgemm_problem(const sparse_arrays& a, cusparseOperation_t op_a, const sparse_arrays& b,
                               cusparseOperation_t op_b, const spgemm_options& options)
    : a_arrays_(a),
      b_arrays_(b),
      op_a_(op_a),
      op_b_(op_b),
      options_(options),
      a_entries_(expand(a)),
      b_entries_(expand(b)),
      a_(a, options.misalignment, options.absent_arrays),
      b_(b, options.misalignment, options.absent_arrays) {
    make_c();
}

std::int64_t spgemm_problem::c_lines() const {
    return options_.c_format == CUSPARSE_FORMAT_CSC ? cols_of(b_entries_, op_b_) : rows_of(a_entries_, op_a_);
}

void spgemm_problem::make_c() {
    c_.reset();
    const std::int64_t rows = rows_of(a_entries_, op_a_), cols = cols_of(b_entries_, op_b_);
    const index_choice& i = options_.c_index;
    c_offset_array_.emplace(i.offsets,
                            std::vector<std::int64_t>(static_cast<std::size_t>(c_lines() + 1), -7));
    void* const offsets = options_.early_offsets ? c_offset_array_->data() : nullptr;
    const auto create = options_.c_format == CUSPARSE_FORMAT_CSC ? cusparseCreateCsc : cusparseCreateCsr;
    cusparseSpMatDescr_t c = nullptr;
    expect(create(&c, rows, cols, 0, offsets, nullptr, nullptr, i.offsets, i.indices,
                  static_cast<cusparseIndexBase_t>(i.base), a_arrays_.type));
    c_.reset(c);
}

std::int64_t spgemm_problem::c_nnz() const {
    std::int64_t rows = 0, cols = 0, nnz = 0;
    expect(cusparseSpMatGetSize(c_.get(), &rows, &cols, &nnz));
    return nnz;
}

void spgemm_problem::give_c_arrays(const spgemm_call& call) {
    const auto nnz = static_cast<std::size_t>(c_nnz());
    c_index_array_.emplace(options_.c_index.indices, std::vector<std::int64_t>(nnz, -7));
    c_values_.emplace(a_arrays_.type, std::vector<number>(nnz));
    refill_c(call);
    const auto set =
        options_.c_format == CUSPARSE_FORMAT_CSC ? cusparseCscSetPointers : cusparseCsrSetPointers;
    expect(set(c_.get(), c_offset_array_->data(), c_index_array_->data(), c_values_->data()));
}

void spgemm_problem::refill_c(const spgemm_call& call) {
    const auto nnz = static_cast<std::size_t>(c_nnz());
    c_start_ = random_values(a_arrays_.type, nnz, random_);
    c_values_->upload(call.beta == 0.0 ? std::vector<number>(nnz, poison(a_arrays_.type)) : c_start_);
}

void spgemm_problem::set_new_values() {
    const auto change = [&](sparse_arrays& arrays, device_matrix& m) {
        arrays.values = random_values(arrays.type, arrays.values.size(), random_);
        new_values_.push_back(std::make_unique<typed_array>(arrays.type, arrays.values));
        expect(cusparseSpMatSetValues(m.get(), new_values_.back()->data()));
        return expand(arrays);
    };
    a_entries_ = change(a_arrays_, a_);
    b_entries_ = change(b_arrays_, b_);
}

void spgemm_problem::check(const spgemm_call& call) const {
    const bool by_columns = options_.c_format == CUSPARSE_FORMAT_CSC;
    const auto flipped = [](cusparseOperation_t op) {
        return op == CUSPARSE_OPERATION_NON_TRANSPOSE ? CUSPARSE_OPERATION_TRANSPOSE
                                                      : CUSPARSE_OPERATION_NON_TRANSPOSE;
    };
    const auto conjugated = [](entries m, cusparseOperation_t op) {
        if (op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE)
            for (entry& e : m.list) e.value = std::conj(e.value);
        return m;
    };
    const auto cdf = sum_type(a_arrays_.type);
    const sparse_expectation expected =
        by_columns ? spgemm(conjugated(b_entries_, op_b_), flipped(op_b_), conjugated(a_entries_, op_a_),
                            flipped(op_a_), call.alpha, call.beta, c_start_, cdf, a_arrays_.type)
                   : spgemm(a_entries_, op_a_, b_entries_, op_b_, call.alpha, call.beta, c_start_, cdf,
                            a_arrays_.type);
    const std::int64_t base = options_.c_index.base;
    std::vector<std::int64_t> offsets = c_offset_array_->numbers(), columns = c_index_array_->numbers();
    for (std::int64_t& offset : offsets) offset -= base;
    for (std::int64_t& column : columns) column -= base;
    CHECK((offsets == expected.offsets));
    CHECK((columns == expected.columns));
    const std::string wrong = difference(c_values_->numbers(), expected.values);
    if (!wrong.empty()) FAIL_CHECK(wrong);
}

// ---- phases ----

namespace {

struct scalars {
    explicit scalars(const spgemm_call& call)
        : scope(call.mode),
          alpha(call.compute, call.alpha, call.mode),
          beta(call.compute, call.beta, call.mode) {}
    pointer_mode_scope scope;
    scalar_operand alpha, beta;
};

}  // namespace

cusparseStatus_t spgemm_problem::work_estimation(cusparseSpGEMMDescr_t d, const spgemm_call& call,
                                                 std::size_t* size, void* buffer) {
    const scalars s(call);
    return cusparseSpGEMM_workEstimation(cusparse(), op_a_, op_b_, s.alpha.data(), a_.get(), b_.get(),
                                         s.beta.data(), c_.get(), call.compute, call.algorithm, d, size,
                                         buffer);
}

cusparseStatus_t spgemm_problem::compute(cusparseSpGEMMDescr_t d, const spgemm_call& call, std::size_t* size,
                                         void* buffer) {
    const scalars s(call);
    return cusparseSpGEMM_compute(cusparse(), op_a_, op_b_, s.alpha.data(), a_.get(), b_.get(), s.beta.data(),
                                  c_.get(), call.compute, call.algorithm, d, size, buffer);
}

cusparseStatus_t spgemm_problem::copy(cusparseSpGEMMDescr_t d, const spgemm_call& call) {
    const scalars s(call);
    return cusparseSpGEMM_copy(cusparse(), op_a_, op_b_, s.alpha.data(), a_.get(), b_.get(), s.beta.data(),
                               c_.get(), call.compute, call.algorithm, d);
}

cusparseStatus_t spgemm_problem::reuse_work_estimation(cusparseSpGEMMDescr_t d, const spgemm_call& call,
                                                       std::size_t* size, void* buffer) {
    return cusparseSpGEMMreuse_workEstimation(cusparse(), op_a_, op_b_, a_.get(), b_.get(), c_.get(),
                                              call.algorithm, d, size, buffer);
}

cusparseStatus_t spgemm_problem::reuse_nnz(cusparseSpGEMMDescr_t d, const spgemm_call& call,
                                           three_buffers& b) {
    return cusparseSpGEMMreuse_nnz(cusparse(), op_a_, op_b_, a_.get(), b_.get(), c_.get(), call.algorithm, d,
                                   &b.size[0], b.memory[0], &b.size[1], b.memory[1], &b.size[2], b.memory[2]);
}

cusparseStatus_t spgemm_problem::reuse_copy(cusparseSpGEMMDescr_t d, const spgemm_call& call,
                                            std::size_t* size, void* buffer) {
    return cusparseSpGEMMreuse_copy(cusparse(), op_a_, op_b_, a_.get(), b_.get(), c_.get(), call.algorithm, d,
                                    size, buffer);
}

cusparseStatus_t spgemm_problem::reuse_compute(cusparseSpGEMMDescr_t d, const spgemm_call& call) {
    const scalars s(call);
    return cusparseSpGEMMreuse_compute(cusparse(), op_a_, op_b_, s.alpha.data(), a_.get(), b_.get(),
                                       s.beta.data(), c_.get(), call.compute, call.algorithm, d);
}

// ---- whole products ----

void spgemm_problem::run(const spgemm_call& call) {
    const spgemm_descriptor d = make_spgemm_descriptor();
    make_c();
    std::size_t size1 = 0, size2 = 0, size3 = 0;
    expect(work_estimation(d.get(), call, &size1, nullptr));
    const workspace buffer1(size1, call.misalignment);
    expect(work_estimation(d.get(), call, &size1, buffer1.data()));
    expect(cusparseSpGEMM_getNumProducts(d.get(), &products_));
    if (call.estimate_memory) {
        const scalars s(call);
        const auto ask = [&](void* buffer, std::size_t* compute_size) {
            expect(cusparseSpGEMM_estimateMemory(cusparse(), op_a_, op_b_, s.alpha.data(), a_.get(), b_.get(),
                                                 s.beta.data(), c_.get(), call.compute, call.algorithm,
                                                 d.get(), 0.2f, &size3, buffer, compute_size));
        };
        ask(nullptr, nullptr);
        const workspace buffer3(size3);
        ask(buffer3.data(), &size2);
    } else {
        expect(compute(d.get(), call, &size2, nullptr));
    }
    const workspace buffer2(size2, call.misalignment);
    expect(compute(d.get(), call, &size2, buffer2.data()));
    give_c_arrays(call);
    expect(copy(d.get(), call));
    workspace_bytes_ = size1 + size2;
    check(call);
    CHECK(buffer1.canaries_are_whole());
    CHECK(buffer2.canaries_are_whole());
}

void spgemm_problem::run_reuse(const spgemm_call& call) {
    const spgemm_descriptor d = make_spgemm_descriptor();
    make_c();
    std::size_t size1 = 0, size5 = 0;
    expect(reuse_work_estimation(d.get(), call, &size1, nullptr));
    workspace buffer1(size1, call.misalignment);
    expect(reuse_work_estimation(d.get(), call, &size1, buffer1.data()));
    three_buffers buffers;
    expect(reuse_nnz(d.get(), call, buffers));
    workspace first(buffers.size[0], call.misalignment), second(buffers.size[1], call.misalignment);
    const workspace third(buffers.size[2], call.misalignment);
    buffers.memory[0] = first.data();
    buffers.memory[1] = second.data();
    buffers.memory[2] = third.data();
    expect(reuse_nnz(d.get(), call, buffers));
    buffer1.overwrite(0xff);
    first.overwrite(0xff);
    give_c_arrays(call);
    expect(reuse_copy(d.get(), call, &size5, nullptr));
    const workspace buffer5(size5, call.misalignment);
    expect(reuse_copy(d.get(), call, &size5, buffer5.data()));
    second.overwrite(0xff);
    for (int round = 0; round < 3; ++round) {
        expect(reuse_compute(d.get(), call));
        check(call);
        if (call.beta == 0.0) {
            const std::vector<unsigned char> first_time = value_bytes();
            expect(reuse_compute(d.get(), call));
            CHECK((value_bytes() == first_time));
        }
        set_new_values();
        refill_c(call);
    }
    CHECK(first.canaries_are_whole());
    CHECK(third.canaries_are_whole());
    CHECK(buffer5.canaries_are_whole());
}

}  // namespace heron::test
