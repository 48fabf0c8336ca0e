// csru2csr and csr2csru in four types: there and back, with the order that the info keeps.
#include "compressed.hpp"
#include "ops/operands.hpp"
#include "typed_functions.hpp"

using namespace heron::test;

namespace {

using descriptor = std::unique_ptr<cusparseMatDescr, destroyer<&cusparseDestroyMatDescr>>;

descriptor describe_base(int base) {
    cusparseMatDescr_t made = nullptr;
    expect(cusparseCreateMatDescr(&made));
    expect(cusparseSetMatIndexBase(made, static_cast<cusparseIndexBase_t>(base)));
    return descriptor(made);
}

class sorting_info {
  public:
    sorting_info() { expect(cusparseCreateCsru2csrInfo(&info_)); }
    ~sorting_info() {
        if (cusparseDestroyCsru2csrInfo(info_) != CUSPARSE_STATUS_SUCCESS) FAIL_CHECK("not destroyed");
    }
    sorting_info(const sorting_info&) = delete;
    sorting_info& operator=(const sorting_info&) = delete;
    csru2csrInfo_t get() const { return info_; }

  private:
    csru2csrInfo_t info_ = nullptr;
};

// A matrix in its unsorted form on the device.
template <class F>
struct problem {
    using T = typename F::scalar;

    explicit problem(const compressed_pattern& p)
        : pattern(p),
          start(random_values(F::type, p.indices.size(), random)),
          descr(describe_base(p.base)),
          offsets(p.offsets, 1),
          indices(p.indices, 1),
          values(F::type, start, 1) {}

    workspace make_buffer(const sorting_info& info) const {
        std::size_t bytes = 0;
        expect(F::csru2csr_bufferSizeExt(cusparse(), pattern.rows, pattern.cols, pattern.nnz(), data(),
                                         offsets.data(), indices.data(), info.get(), &bytes));
        return workspace(bytes);
    }
    template <class Function>
    cusparseStatus_t call(Function function, const sorting_info& info, const workspace& buffer) const {
        return function(cusparse(), pattern.rows, pattern.cols, pattern.nnz(), descr.get(), data(),
                        offsets.data(), indices.data(), info.get(), buffer.data());
    }
    void check_sorted() const {
        const std::vector<int> order = sorted_order(pattern);
        CHECK((indices.download() == picked(pattern.indices, order)));
        CHECK((values.numbers() == picked(start, order)));
    }
    void check_unsorted() const {
        CHECK((indices.download() == pattern.indices));
        CHECK((values.numbers() == start));
    }
    T* data() const { return static_cast<T*>(values.data()); }

    random_source random{9};
    compressed_pattern pattern;
    std::vector<number> start;
    descriptor descr;
    device_array<int> offsets, indices;
    typed_array values;
};

template <class Call>
void for_each_case(Call&& call) {
    for_each_type([&]<class F>(F functions) {
        if (!device_has(F::type)) return;
        for (const int base : {0, 1})
            for (const compressed_pattern& p : shuffled_patterns(base)) {
                INFO(facts(F::type).name << ", " << p.name << ", base " << base);
                problem<F> there(p);
                call(functions, there);
            }
    });
}

}  // namespace

TEST_CASE("csru2csr sorts values too and csr2csru undoes it, again and again") {
    for_each_case([]<class F>(F f, problem<F>& p) {
        const sorting_info info;
        workspace buffer = p.make_buffer(info);
        for (int time = 0; time < 3; ++time) {
            expect(p.call(f.csru2csr, info, buffer));
            p.check_sorted();
            buffer.overwrite(0x5a);
            expect(p.call(f.csr2csru, info, buffer));
            p.check_unsorted();
        }
    });
}

TEST_CASE("the order once found serves new values") {
    for_each_case([]<class F>(F f, problem<F>& p) {
        const sorting_info info;
        const workspace buffer = p.make_buffer(info);
        expect(p.call(f.csru2csr, info, buffer));
        expect(p.call(f.csr2csru, info, buffer));
        p.start = random_values(F::type, p.start.size(), p.random);
        p.values.upload(p.start);
        expect(p.call(f.csru2csr, info, buffer));
        p.check_sorted();
    });
}

TEST_CASE("a size asked for in between leaves csr2csru its order, and the next csru2csr finds its own") {
    for_each_case([]<class F>(F f, problem<F>& p) {
        const sorting_info info;
        const workspace buffer = p.make_buffer(info);
        expect(p.call(f.csru2csr, info, buffer));
        const workspace for_undoing = p.make_buffer(info);
        expect(p.call(f.csr2csru, info, for_undoing));
        p.check_unsorted();

        const auto start = p.pattern.indices.begin();
        for (int row = 0; row < p.pattern.rows; ++row)
            std::reverse(start + p.pattern.begin(row), start + p.pattern.end(row));
        p.indices.upload(p.pattern.indices);
        const workspace for_others = p.make_buffer(info);
        expect(p.call(f.csru2csr, info, for_others));
        p.check_sorted();
        expect(p.call(f.csr2csru, info, for_others));
        p.check_unsorted();
    });
}

TEST_CASE("two matrices alternate, each with its info, and one info goes on to another matrix") {
    using F = typed_functions<float>;
    random_source random{10};
    const problem<F> a(shuffled_pattern("a", std::vector<int>(30, 20), 50, 0, random));
    const problem<F> b(shuffled_pattern("b", std::vector<int>(25, 24), 50, 1, random));
    const sorting_info info_a, info_b;
    const workspace buffer_a = a.make_buffer(info_a), buffer_b = b.make_buffer(info_b);
    for (int time = 0; time < 2; ++time) {
        expect(a.call(F::csru2csr, info_a, buffer_a));
        expect(b.call(F::csru2csr, info_b, buffer_b));
        a.check_sorted();
        b.check_sorted();
        expect(a.call(F::csr2csru, info_a, buffer_a));
        expect(b.call(F::csr2csru, info_b, buffer_b));
        a.check_unsorted();
        b.check_unsorted();
    }
    expect(b.call(F::csru2csr, info_a, buffer_b));
    b.check_sorted();
    expect(b.call(F::csr2csru, info_a, buffer_b));
    b.check_unsorted();
}

TEST_CASE("csr2csru needs an order of a matrix of that size") {
    using F = typed_functions<double>;
    if (!device_has(F::type)) return;
    random_source random{11};
    const problem<F> a(shuffled_pattern("a", {4, 5, 6}, 8, 0, random));
    const problem<F> b(shuffled_pattern("b", {4, 5}, 8, 0, random));
    const sorting_info info;
    const workspace buffer = a.make_buffer(info);
    expect(a.call(F::csr2csru, info, buffer), CUSPARSE_STATUS_INVALID_VALUE);
    expect(a.call(F::csru2csr, info, buffer));
    expect(b.call(F::csr2csru, info, buffer), CUSPARSE_STATUS_INVALID_VALUE);
    b.check_unsorted();
    a.check_sorted();
}

TEST_CASE("destroying NULL succeeds") { expect(cusparseDestroyCsru2csrInfo(nullptr)); }
