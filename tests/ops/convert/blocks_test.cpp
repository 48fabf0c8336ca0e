// Conversions into blocks, out of them and from one size to another, in four types. Elements are moved and
// never computed with, so everything is compared bit for bit.
#include "ops/convert/format_matrices.hpp"
#include "typed_functions.hpp"

#include <optional>

using namespace heron::test;

namespace {

struct block_size {
    int rows, cols;
};

cusparseDirection_t direction_of(const block_layout& l) {
    return l.by_columns ? CUSPARSE_DIRECTION_COLUMN : CUSPARSE_DIRECTION_ROW;
}

// Where a count goes: nowhere, to the host, or to the device.
enum class counted { nowhere, on_host, on_device };

class count_operand {
  public:
    explicit count_operand(counted where)
        : where_(where),
          mode_(where == counted::on_device ? CUSPARSE_POINTER_MODE_DEVICE : CUSPARSE_POINTER_MODE_HOST),
          device_(std::vector<int>{-7}) {}
    int* data() {
        if (where_ == counted::nowhere) return nullptr;
        return where_ == counted::on_host ? &host_ : device_.data();
    }
    void check(int expected) const {
        if (where_ == counted::nowhere) return;
        CHECK((where_ == counted::on_host ? host_ : device_.download()[0]) == expected);
    }

  private:
    counted where_;
    pointer_mode_scope mode_;
    int host_ = -7;
    device_array<int> device_;
};

// The sizes that the two functions of a pair answer must agree.
template <class Size, class Extended>
std::size_t agreed_size(Size&& size, Extended&& extended) {
    int bytes = -1;
    std::size_t extended_bytes = 0;
    expect(size(&bytes));
    expect(extended(&extended_bytes));
    CHECK(static_cast<std::size_t>(bytes) == extended_bytes);
    return extended_bytes;
}

// csr2bsr for square blocks, or csr2gebsr.
template <class F>
class csr_to_blocks {
  public:
    csr_to_blocks(const element_list& elements, int base, const block_layout& layout, bool absent = false)
        : csr_(arranged(elements, sizeof(T), {1, 1, false, base})),
          m_(static_cast<int>(elements.rows)),
          n_(static_cast<int>(elements.cols)),
          expected_(arranged(elements, sizeof(T), layout)),
          from_(csr_, absent),
          descr_a_(general_descriptor(base)),
          descr_c_(general_descriptor(layout.base)) {}

    void run_square(counted where) {
        device_result to(expected_);
        const int dim = expected_.layout.rows;
        count(where, [&](int* nnz) {
            return cusparseXcsr2bsrNnz(cusparse(), direction(), m_, n_, descr_a_.get(), from_.offsets(),
                                       from_.indices(), dim, descr_c_.get(), to.offsets(), nnz);
        });
        check(to.offsets_differ());
        expect(F::csr2bsr(cusparse(), direction(), m_, n_, descr_a_.get(), from_.template values<T>(),
                          from_.offsets(), from_.indices(), dim, descr_c_.get(), to.values<T>(), to.offsets(),
                          to.indices()));
        check(to.differs());
    }

    void run(counted where, bool own_memory) {
        device_result to(expected_);
        const block_layout& l = expected_.layout;
        std::optional<workspace> buffer;
        if (own_memory) buffer.emplace(size(), 1);
        void* const memory = buffer ? buffer->data() : nullptr;
        count(where, [&](int* nnz) {
            return cusparseXcsr2gebsrNnz(cusparse(), direction(), m_, n_, descr_a_.get(), from_.offsets(),
                                         from_.indices(), descr_c_.get(), to.offsets(), l.rows, l.cols, nnz,
                                         memory);
        });
        check(to.offsets_differ());
        expect(F::csr2gebsr(cusparse(), direction(), m_, n_, descr_a_.get(), from_.template values<T>(),
                            from_.offsets(), from_.indices(), descr_c_.get(), to.values<T>(), to.offsets(),
                            to.indices(), l.rows, l.cols, memory));
        check(to.differs());
    }

  private:
    using T = typename F::scalar;

    cusparseDirection_t direction() const { return direction_of(expected_.layout); }
    std::size_t size() const {
        const auto with = [&](auto function) {
            return [this, function](auto* bytes) {
                return function(cusparse(), direction(), m_, n_, descr_a_.get(), from_.template values<T>(),
                                from_.offsets(), from_.indices(), expected_.layout.rows,
                                expected_.layout.cols, bytes);
            };
        };
        return agreed_size(with(F::csr2gebsr_bufferSize), with(F::csr2gebsr_bufferSizeExt));
    }

    template <class Call>
    void count(counted where, Call&& call) {
        count_operand nnz(where);
        expect(call(nnz.data()));
        nnz.check(expected_.nnz());
    }
    void check(const std::string& wrong) const {
        if (!wrong.empty()) FAIL_CHECK(wrong);
    }

    block_arrays csr_;
    int m_, n_;
    block_arrays expected_;
    device_blocks from_;
    matrix_descriptor descr_a_, descr_c_;
};

// The CSR matrix with every element of the blocks, in their order.
block_arrays unblocked(const block_arrays& a, int base) {
    return arranged(all_elements(a), a.element_size, {1, 1, false, base});
}

template <class F>
void check_blocks_to_csr(const block_arrays& a, int base, bool absent = false) {
    using T = typename F::scalar;
    const block_arrays expected = unblocked(a, base);
    const device_blocks from(a, absent);
    const block_layout& l = a.layout;
    const matrix_descriptor descr_a = general_descriptor(l.base), descr_c = general_descriptor(base);
    const auto check = [](const std::string& wrong) {
        if (!wrong.empty()) FAIL_CHECK(wrong);
    };
    device_result general(expected), pattern(expected);
    expect(F::gebsr2csr(cusparse(), direction_of(l), a.mb, a.nb, descr_a.get(), from.values<T>(),
                        from.offsets(), from.indices(), l.rows, l.cols, descr_c.get(), general.values<T>(),
                        general.offsets(), general.indices()));
    check(general.differs());
    expect(cusparseXgebsr2csr(cusparse(), direction_of(l), a.mb, a.nb, descr_a.get(), from.offsets(),
                              from.indices(), l.rows, l.cols, descr_c.get(), pattern.offsets(),
                              pattern.indices()));
    check(pattern.pattern_differs());
    if (l.rows != l.cols) return;
    device_result square(expected);
    expect(F::bsr2csr(cusparse(), direction_of(l), a.mb, a.nb, descr_a.get(), from.values<T>(),
                      from.offsets(), from.indices(), l.rows, descr_c.get(), square.values<T>(),
                      square.offsets(), square.indices()));
    check(square.differs());
}

template <class F>
class blocks_to_blocks {
  public:
    blocks_to_blocks(const block_arrays& a, const block_layout& layout)
        : a_(a),
          expected_(arranged(all_elements(a), a.element_size, layout)),
          from_(a),
          descr_a_(general_descriptor(a.layout.base)),
          descr_c_(general_descriptor(layout.base)) {}

    void run(counted where, bool own_memory) {
        const block_layout &la = a_.layout, &lc = expected_.layout;
        device_result to(expected_);
        std::optional<workspace> buffer;
        if (own_memory) buffer.emplace(size(), 1);
        void* const memory = buffer ? buffer->data() : nullptr;
        {
            count_operand nnz(where);
            expect(cusparseXgebsr2gebsrNnz(cusparse(), direction_of(la), a_.mb, a_.nb, a_.nnz(),
                                           descr_a_.get(), from_.offsets(), from_.indices(), la.rows, la.cols,
                                           descr_c_.get(), to.offsets(), lc.rows, lc.cols, nnz.data(),
                                           memory));
            nnz.check(expected_.nnz());
        }
        const std::string wrong_offsets = to.offsets_differ();
        if (!wrong_offsets.empty()) FAIL_CHECK(wrong_offsets);
        to.upload_offsets();
        expect(F::gebsr2gebsr(cusparse(), direction_of(la), a_.mb, a_.nb, a_.nnz(), descr_a_.get(),
                              from_.template values<T>(), from_.offsets(), from_.indices(), la.rows, la.cols,
                              descr_c_.get(), to.values<T>(), to.offsets(), to.indices(), lc.rows, lc.cols,
                              memory));
        const std::string wrong = to.differs();
        if (!wrong.empty()) FAIL_CHECK(wrong);
    }

  private:
    using T = typename F::scalar;
    std::size_t size() const {
        const auto with = [&](auto function) {
            return [this, function](auto* bytes) {
                return function(cusparse(), direction_of(a_.layout), a_.mb, a_.nb, a_.nnz(), descr_a_.get(),
                                from_.template values<T>(), from_.offsets(), from_.indices(), a_.layout.rows,
                                a_.layout.cols, expected_.layout.rows, expected_.layout.cols, bytes);
            };
        };
        return agreed_size(with(F::gebsr2gebsr_bufferSize), with(F::gebsr2gebsr_bufferSizeExt));
    }

    block_arrays a_, expected_;
    device_blocks from_;
    matrix_descriptor descr_a_, descr_c_;
};

template <class F>
void check_gebsc(const block_arrays& a, cusparseAction_t action, bool own_memory) {
    using T = typename F::scalar;
    const device_blocks from(a);
    device_result to(turned(a));
    const block_layout& l = a.layout;
    const auto with = [&](auto function) {
        return [&, function](auto* bytes) {
            return function(cusparse(), a.mb, a.nb, a.nnz(), from.values<T>(), from.offsets(), from.indices(),
                            l.rows, l.cols, bytes);
        };
    };
    const std::size_t bytes =
        agreed_size(with(F::gebsr2gebsc_bufferSize), with(F::gebsr2gebsc_bufferSizeExt));
    std::optional<workspace> buffer;
    if (own_memory) buffer.emplace(bytes, 1);
    expect(F::gebsr2gebsc(cusparse(), a.mb, a.nb, a.nnz(), from.values<T>(), from.offsets(), from.indices(),
                          l.rows, l.cols, to.values<T>(), to.indices(), to.offsets(), action,
                          static_cast<cusparseIndexBase_t>(l.base), buffer ? buffer->data() : nullptr));
    const std::string wrong = action == CUSPARSE_ACTION_NUMERIC ? to.differs() : to.pattern_differs();
    if (!wrong.empty()) FAIL_CHECK(wrong);
}

constexpr block_size sizes[] = {{1, 1}, {2, 2}, {3, 3}, {5, 5},  {16, 16}, {33, 33},
                                {1, 4}, {4, 1}, {2, 5}, {17, 3}, {3, 40},  {70, 2}};

// A few thousand elements: rows that cross many blocks, and one that is full.
entries large_pattern(random_source& random) {
    entries pattern = random_pattern(400, 3000, 400, random);
    for (int j = 0; j < 3000; ++j) pattern.list.push_back({77, j, 1.0});
    for (int j = 0; j < 3000; j += 3) pattern.list.push_back({79, j, 1.0});
    return pattern;
}

std::vector<named_pattern> patterns(random_source& random) {
    std::vector<named_pattern> all = small_patterns();
    all.push_back({"large", large_pattern(random)});
    // Long rows whose blocks lie far apart.
    entries wide{4, 150000, {}};
    for (int k = 0; k < 400; ++k) wide.list.push_back({k % 4 == 0 ? 2 : 1, random.below(150000), 1.0});
    all.push_back({"very wide", wide});
    return all;
}

std::string text_of(const block_layout& l) {
    return fmt::format("{} x {} by {}, base {}", l.rows, l.cols, l.by_columns ? "columns" : "rows", l.base);
}

// Calls f(functions, name, elements) for every pattern in every type.
template <class Body>
void for_each_matrix(unsigned stream, Body&& f) {
    for_each_type([&]<class F>(F functions) {
        random_source random(stream);
        for (const named_pattern& pattern : patterns(random)) {
            INFO(facts(F::type).name << ", " << pattern.name);
            f(functions, noisy(pattern.matrix, sizeof(typename F::scalar), random));
        }
    });
}

}  // namespace

TEST_CASE("csr2bsr and csr2gebsr: blocks of every size, both directions and all bases") {
    int pass = 0;
    for_each_matrix(71, [&]<class F>(F, const element_list& elements) {
        int turn = 0;
        for (const block_size& size : sizes)
            for (const bool by_columns : {false, true}) {
                if (is_short() && pass++ % 5 != 0) continue;
                const int base = turn % 2, c_base = turn / 2 % 2;
                const auto where = static_cast<counted>(turn % 3);
                const block_layout layout{size.rows, size.cols, by_columns, c_base};
                INFO(text_of(layout) << ", base " << base << " before");
                csr_to_blocks<F> problem(elements, base, layout);
                problem.run(where, turn % 5 < 3);
                if (size.rows == size.cols) problem.run_square(where);
                ++turn;
            }
    });
}

// Block rows without elements, with few and with some, one in the middle and the last one long.
TEST_CASE("csr2bsr and csr2gebsr of more block rows than a device takes at once") {
    using F = typed_functions<float>;
    struct blocks_of_rows {
        std::int64_t rows, elements;
        block_size size;
        bool by_columns;
    };
    for (const auto& [rows, elements, size, by_columns] : {blocks_of_rows{9000, 900, {3, 3}, true},
                                                           {9000, 900, {4, 1}, false},
                                                           {9000, 900, {2, 40}, true},
                                                           {9000, 9000, {3, 5}, false},
                                                           {40000, 4000, {2, 2}, true},
                                                           {40000, 80000, {2, 8}, false},
                                                           {150000, 15000, {2, 2}, false}}) {
        random_source random(75);
        entries pattern = random_pattern(rows, 3000, elements, random);
        for (int j = 0; j < 3000; j += 2) pattern.list.push_back({4321, j, 1.0});
        for (int j = 0; j < 3000; ++j) pattern.list.push_back({rows - 1, j, 1.0});
        const block_layout layout{size.rows, size.cols, by_columns, 1};
        INFO(rows << " rows, " << text_of(layout));
        csr_to_blocks<F> problem(noisy(pattern, sizeof(float), random), 0, layout);
        problem.run(counted::on_host, true);
        if (size.rows == size.cols) problem.run_square(counted::on_host);
    }
}

// On GPUs 32 lanes have 1, 4 or 8 elements each.
TEST_CASE("csr2bsr and csr2gebsr of block rows about as long as lanes can hold") {
    for_each_type([]<class F>(F) {
        random_source random(76);
        for (const block_size size : {block_size{4, 4}, {3, 7}, {31, 2}, {33, 1}}) {
            entries pattern{0, 700, {}};
            for (const int elements : {0, 1, 31, 32, 33, 127, 128, 129, 255, 256, 257}) {
                for (int k = 0; k < elements; ++k)
                    pattern.list.push_back({pattern.rows + k % size.rows, 2 * (k / size.rows), 1.0});
                pattern.rows += size.rows;
            }
            for (const bool by_columns : {false, true}) {
                const block_layout layout{size.rows, size.cols, by_columns, 1};
                INFO(text_of(layout));
                csr_to_blocks<F> problem(noisy(pattern, sizeof(typename F::scalar), random), 0, layout);
                problem.run(counted::on_host, true);
                if (size.rows == size.cols) problem.run_square(counted::on_host);
            }
        }
    });
}

TEST_CASE("bsr2csr and gebsr2csr: every element of the blocks") {
    for_each_matrix(72, []<class F>(F, const element_list& elements) {
        int turn = 0;
        for (const block_size& size : sizes)
            for (const bool by_columns : {false, true}) {
                const block_layout layout{size.rows, size.cols, by_columns, turn % 2};
                const int base = turn / 2 % 2;
                INFO(text_of(layout) << ", base " << base << " afterwards");
                check_blocks_to_csr<F>(arranged(elements, sizeof(typename F::scalar), layout), base);
                ++turn;
            }
    });
}

TEST_CASE("gebsr2gebsr: from blocks of one size to another") {
    constexpr std::array<block_size, 2> pairs[] = {
        {{{2, 2}, {4, 4}}}, {{{4, 4}, {2, 2}}}, {{{3, 2}, {2, 3}}},   {{{5, 7}, {3, 16}}},
        {{{1, 1}, {3, 3}}}, {{{3, 3}, {1, 1}}}, {{{33, 2}, {5, 40}}}, {{{2, 33}, {40, 5}}}};
    for_each_matrix(73, [&]<class F>(F, const element_list& elements) {
        int turn = 0;
        for (const auto& [a_size, c_size] : pairs)
            for (const bool by_columns : {false, true}) {
                const block_layout a{a_size.rows, a_size.cols, by_columns, turn % 2};
                const block_layout c{c_size.rows, c_size.cols, by_columns, turn / 2 % 2};
                INFO(text_of(a) << " to " << text_of(c));
                blocks_to_blocks<F> problem(arranged(elements, sizeof(typename F::scalar), a), c);
                problem.run(static_cast<counted>(turn % 3), turn % 5 < 3);
                ++turn;
            }
    });
}

TEST_CASE("gebsr2gebsc: blocks by columns, each as it is") {
    for_each_matrix(74, []<class F>(F, const element_list& elements) {
        int turn = 0;
        for (const block_size& size : {block_size{1, 1}, {2, 2}, {3, 2}, {5, 16}, {33, 1}}) {
            const block_layout layout{size.rows, size.cols, false, turn % 2};
            INFO(text_of(layout));
            const block_arrays a = arranged(elements, sizeof(typename F::scalar), layout);
            check_gebsc<F>(a, CUSPARSE_ACTION_NUMERIC, turn % 3 < 2);
            check_gebsc<F>(a, CUSPARSE_ACTION_SYMBOLIC, turn % 3 == 0);
            ++turn;
        }
    });
}

TEST_CASE("conversions of matrices without elements take NULL for their arrays") {
    using F = typed_functions<double>;
    for (const auto& [m, n] : {std::pair{7, 4}, std::pair{0, 4}, std::pair{7, 0}, std::pair{0, 0}})
        for (const counted where : {counted::nowhere, counted::on_host, counted::on_device}) {
            INFO(m << " x " << n);
            const element_list nothing{m, n, {}};
            csr_to_blocks<F> problem(nothing, 1, {2, 2, false, 0}, true);
            problem.run_square(where);
            problem.run(where, false);
            check_blocks_to_csr<F>(arranged(nothing, sizeof(double), {2, 2, false, 1}), 0, true);
        }
}
