// SpMVOp: the product and what follows it against the oracle, on every backend.
#include "ops/spmv/spmv_problem.hpp"

#include <heron/semiring.h>

using namespace heron::test;

namespace {

constexpr auto N = CUSPARSE_OPERATION_NON_TRANSPOSE;
const layout csr{"CSR", CUSPARSE_FORMAT_CSR};

using description = std::unique_ptr<cusparseSpMVOpDescr, destroyer<&cusparseSpMVOp_destroyDescr>>;
using plan = std::unique_ptr<cusparseSpMVOpPlan, destroyer<&cusparseSpMVOp_destroyPlan>>;

// A product with plans of any epilogue.
class problem {
  public:
    problem(const entries& pattern, cudaDataType type, index_choice index = {})
        : type_(type),
          entries_(with_values(pattern, type, random_)),
          arrays_(arrange(entries_, csr, index, type, random_)),
          x_(random_values(type, static_cast<std::size_t>(pattern.cols), random_)),
          y_(random_values(type, static_cast<std::size_t>(pattern.rows), random_)),
          a_(arrays_, 1),
          on_x_(type, x_, 1),
          on_y_(type, y_, 1),
          on_z_(type, std::vector<number>(y_.size(), poison(type)), 1),
          x_descriptor_(describe(type, x_.size(), on_x_)),
          y_descriptor_(describe(type, y_.size(), on_y_)),
          z_descriptor_(describe(type, y_.size(), on_z_)),
          buffer_(buffer_size()) {
        cusparseSpMVOpDescr_t made = nullptr;
        expect(cusparseSpMVOp_createDescr(cusparse(), &made, N, a_.get(), x_descriptor_.get(),
                                          y_descriptor_.get(), z_descriptor_.get(), type,
                                          CUSPARSE_SPMVOP_ALG1, buffer_.data()));
        description_.reset(made);
    }

    cusparseStatus_t try_plan(const void* code, std::size_t size, plan& to) {
        cusparseSpMVOpPlan_t made = nullptr;
        const cusparseStatus_t status =
            cusparseSpMVOp_createPlan(cusparse(), description_.get(), &made, code, size);
        to.reset(made);
        return status;
    }
    plan make_plan(const heron_operators* operators = nullptr) {
        plan made;
        expect(try_plan(operators, operators ? sizeof *operators : 0, made));
        return made;
    }

    void run(const plan& p, number alpha, number beta, cusparsePointerMode_t mode, bool in_place = false) {
        const pointer_mode_scope scope(mode);
        const scalar_operand a(type_, alpha, mode), b(type_, beta, mode);
        const bool reads_y = beta != 0.0;
        on_y_.upload(reads_y || in_place ? y_ : std::vector<number>(y_.size(), poison(type_)));
        on_z_.upload(std::vector<number>(y_.size(), poison(type_)));
        const dense_vector& z = in_place ? y_descriptor_ : z_descriptor_;
        expect(cusparseSpMVOp(cusparse(), p.get(), a.data(), b.data(), x_descriptor_.get(),
                              y_descriptor_.get(), z.get()));
    }
    std::vector<number> found(bool in_place = false) const { return (in_place ? on_y_ : on_z_).numbers(); }
    std::vector<unsigned char> found_bytes() const { return on_z_.bytes(); }
    expectation expected(number alpha, number beta) const {
        return spmv(entries_, N, alpha, x_, beta, y_, type_, type_);
    }

    // What SpMV makes of the same, in the same workspace.
    std::vector<unsigned char> by_spmv(number alpha, number beta) {
        const typed_array y(type_, y_, 1);
        const dense_vector descriptor = describe(type_, y_.size(), y);
        const scalar_operand a(type_, alpha, CUSPARSE_POINTER_MODE_HOST),
            b(type_, beta, CUSPARSE_POINTER_MODE_HOST);
        workspace own(buffer_.size());
        for (const auto call : {&cusparseSpMV_preprocess, &cusparseSpMV})
            expect(call(cusparse(), N, a.data(), a_.get(), x_descriptor_.get(), b.data(), descriptor.get(),
                        type_, CUSPARSE_SPMV_ALG_DEFAULT, own.data()));
        return y.bytes();
    }

    // Other values at the same place.
    void change_values() {
        for (number& v : arrays_.values) v = representable(type_, -0.5 * v);
        a_.values().upload(arrays_.values);
        entries_ = expand(arrays_);
    }
    void drop_description() { description_.reset(); }

  private:
    std::size_t buffer_size() {
        std::size_t bytes = 0;
        expect(cusparseSpMVOp_bufferSize(cusparse(), N, a_.get(), x_descriptor_.get(), y_descriptor_.get(),
                                         z_descriptor_.get(), type_, CUSPARSE_SPMVOP_ALG1, &bytes));
        return bytes;
    }

    random_source random_{61};
    cudaDataType type_;
    entries entries_;
    sparse_arrays arrays_;
    std::vector<number> x_, y_;
    device_matrix a_;
    typed_array on_x_, on_y_, on_z_;
    dense_vector x_descriptor_, y_descriptor_, z_descriptor_;
    workspace buffer_;
    description description_;
};

void check(const std::vector<number>& found, const expectation& expected) {
    const std::string wrong = difference(found, expected);
    if (!wrong.empty()) FAIL_CHECK(wrong);
}

constexpr cudaDataType all_types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F};
constexpr auto on_host = CUSPARSE_POINTER_MODE_HOST, on_device = CUSPARSE_POINTER_MODE_DEVICE;

// The nearest to 0 that is at least `least`, of real parts; bounds are the product's.
expectation at_least(double least, expectation e) {
    for (number& v : e.value) v = std::max(least, v.real());
    return e;
}

}  // namespace

TEST_CASE("SpMVOp of every shape and type without an epilogue") {
    for (const cudaDataType type : all_types) {
        if (!device_has(type)) continue;
        for (const auto& [name, pattern] : small_patterns()) {
            INFO(name << ", " << facts(type).name);
            problem p(pattern, type);
            const plan none = p.make_plan();
            const number alpha = representable(type, {0.75, -0.5}), beta = representable(type, {-1.5, 0.25});
            for (const auto mode : {on_host, on_device})
                for (const number factor : {beta, number(0.0)}) {
                    INFO("mode " << mode << ", beta " << factor);
                    p.run(none, alpha, factor, mode);
                    // A factor on the device may be 0 without anyone knowing: then Y is copied, and not used.
                    check(p.found(), p.expected(alpha, factor));
                }
            p.run(none, alpha, beta, on_host, true);
            check(p.found(true), p.expected(alpha, beta));
        }
    }
}

TEST_CASE("SpMVOp is SpMV bit for bit, in its place and after new values") {
    problem p(irregular_pattern(), CUDA_R_32F);
    const plan none = p.make_plan();
    p.drop_description();
    p.run(none, 2.0, -0.5, on_host);
    CHECK((p.found_bytes() == p.by_spmv(2.0, -0.5)));
    p.change_values();
    p.run(none, 2.0, -0.5, on_host);
    check(p.found(), p.expected(2.0, -0.5));
    CHECK((p.found_bytes() == p.by_spmv(2.0, -0.5)));
}

TEST_CASE("SpMVOp with 64-bit offsets") {
    problem p(irregular_pattern(), CUDA_R_32F, {CUSPARSE_INDEX_64I, CUSPARSE_INDEX_32I, 1});
    p.run(p.make_plan(), 1.0, 1.0, on_device);
    check(p.found(), p.expected(1.0, 1.0));
}

TEST_CASE("SpMVOp with epilogues by name") {
    for (const cudaDataType type : {CUDA_R_32F, CUDA_R_64F}) {
        if (!device_has(type)) continue;
        problem p(irregular_pattern(), type);
        heron_operators operators{};
        const float zero_f = 0, half_f = 0.5f;
        const double zero_d = 0, half_d = 0.5;
        const bool single = type == CUDA_R_32F;
        operators.semiring = HERON_MAX_TIMES;
        operators.epilogue_kind = HERON_EPILOGUE_ADD;
        operators.identity = single ? static_cast<const void*>(&zero_f) : &zero_d;
        const plan relu = p.make_plan(&operators);
        operators.identity = single ? static_cast<const void*>(&half_f) : &half_d;
        const plan at_least_half = p.make_plan(&operators);
        for (const auto mode : {on_host, on_device}) {
            p.run(relu, 1.0, -1.0, mode);
            check(p.found(), at_least(0, p.expected(1.0, -1.0)));
            p.run(at_least_half, 1.0, -1.0, mode);
            check(p.found(), at_least(0.5, p.expected(1.0, -1.0)));
        }
        operators = {};
        operators.semiring = HERON_MIN_PLUS;  // STORE leaves the product as it is
        p.run(p.make_plan(&operators), 1.0, -1.0, on_host);
        check(p.found(), p.expected(1.0, -1.0));
    }
}

TEST_CASE("SpMVOp with an epilogue as text or as a callback, where the backend takes it") {
    problem p(irregular_pattern(), CUDA_R_32F);
    heron_operators operators{};
    operators.epilogue_kind = HERON_EPILOGUE_CUSTOM;
    const bool is_host = backend_name() == "host";
    operators.form = HERON_OPERATORS_SOURCE;
    operators.epilogue_source =
        "HERON_OPERATOR heron_value epilogue(heron_value sum, heron_value c) { return sum + 2 * c; }";
    plan by_text, by_callback;
    const auto refused = CUSPARSE_STATUS_NOT_SUPPORTED;
    expect(p.try_plan(&operators, sizeof operators, by_text), is_host ? refused : CUSPARSE_STATUS_SUCCESS);
    operators.form = HERON_OPERATORS_CALLBACK;
    operators.context = nullptr;
    operators.epilogue = [](void*, const void* sum, const void* c, void* result) {
        *static_cast<float*>(result) = *static_cast<const float*>(sum) + 2 * *static_cast<const float*>(c);
    };
    expect(p.try_plan(&operators, sizeof operators, by_callback),
           is_host ? CUSPARSE_STATUS_SUCCESS : refused);
    p.run(is_host ? by_callback : by_text, 1.0, -1.0, on_host);
    expectation e = p.expected(1.0, -1.0);
    for (std::size_t i = 0; i < e.value.size(); ++i) {
        e.value[i] *= 2.0;
        e.bound[i] *= 2.0;
    }
    check(p.found(), e);
}

TEST_CASE("LTO-IR is for CUDA alone") {
    if (backend_name() == "cuda") return;
    problem p(irregular_pattern(), CUDA_R_32F);
    plan made;
    expect(p.try_plan("no code", 8, made), CUSPARSE_STATUS_NOT_SUPPORTED);
    CHECK(made == nullptr);
}
