// axpyi, doti, dotci, gthr, gthrz, sctr and roti in four types against the oracle.
#include "ops/operands.hpp"
#include "typed_functions.hpp"

#include <numeric>

using namespace heron::test;

namespace {

struct shape {
    std::int64_t size, nnz;
};
constexpr shape shapes[] = {{9, 0}, {1, 1}, {1000, 37}, {3000, 2999}, {100003, 40001}};
constexpr cusparsePointerMode_t both_modes[] = {CUSPARSE_POINTER_MODE_HOST, CUSPARSE_POINTER_MODE_DEVICE};

// A sparse x with distinct indices in any order and a dense y. The functions are told nothing of y's size:
// the canaries around it must survive.
template <class F>
struct operands {
    using T = typename F::scalar;

    operands(shape s, int index_base)
        : base(static_cast<cusparseIndexBase_t>(index_base)),
          nnz(static_cast<int>(s.nnz)),
          elements(make_elements(s)),
          y_start(random_values(F::type, static_cast<std::size_t>(s.size), random)),
          index_memory(CUSPARSE_INDEX_32I, with_base(index_base)),
          x_memory(F::type, elements.values, 1),
          y_memory(F::type, y_start, 1) {}

    sparse_elements make_elements(shape s) {
        std::vector<std::int64_t> places(static_cast<std::size_t>(s.size));
        std::iota(places.begin(), places.end(), std::int64_t{0});
        random.shuffle(places);
        places.resize(static_cast<std::size_t>(s.nnz));
        return {s.size, places, random_values(F::type, places.size(), random)};
    }
    std::vector<std::int64_t> with_base(int index_base) const {
        std::vector<std::int64_t> result = elements.indices;
        for (std::int64_t& i : result) i += index_base;
        return result;
    }
    T* x() const { return static_cast<T*>(x_memory.data()); }
    T* y() const { return static_cast<T*>(y_memory.data()); }
    const int* indices() const { return static_cast<const int*>(index_memory.data()); }

    random_source random{31};
    cusparseIndexBase_t base;
    int nnz;
    sparse_elements elements;
    std::vector<number> y_start;
    index_array index_memory;
    typed_array x_memory, y_memory;
};

// y's elements at x's indices.
template <class F>
std::vector<number> picked(const operands<F>& o) {
    std::vector<number> result;
    for (const std::int64_t i : o.elements.indices) result.push_back(o.y_start[static_cast<std::size_t>(i)]);
    return result;
}

// y with other elements at x's indices.
template <class F>
std::vector<number> replaced(const operands<F>& o, const std::vector<number>& values) {
    std::vector<number> result = o.y_start;
    for (std::size_t k = 0; k < values.size(); ++k)
        result[static_cast<std::size_t>(o.elements.indices[k])] = values[k];
    return result;
}

template <class T>
const T* as(const scalar_operand& s) {
    return static_cast<const T*>(s.data());
}

void check(const std::vector<number>& actual, const expectation& expected) {
    const std::string wrong = difference(actual, expected);
    if (!wrong.empty()) FAIL_CHECK(wrong);
}

// Calls f(functions, operands) for the types that the device has, all shapes and both bases.
template <class Call>
void for_each_case(Call&& call) {
    for_each_type([&]<class F>(F functions) {
        if (!device_has(F::type)) return;
        for (const shape s : shapes)
            for (const int base : {0, 1}) {
                INFO(facts(F::type).name << ", size " << s.size << ", nnz " << s.nnz << ", base " << base);
                operands<F> o(s, base);
                call(functions, o);
            }
    });
}

template <class F, class Dot>
number run_dot(const operands<F>& o, Dot dot, cusparsePointerMode_t mode) {
    using T = typename F::scalar;
    const pointer_mode_scope scope(mode);
    const typed_array on_device(F::type, {poison(F::type)}, 1);
    T on_host{};
    const bool is_host = mode == CUSPARSE_POINTER_MODE_HOST;
    expect(dot(cusparse(), o.nnz, o.x(), o.indices(), o.y(),
               is_host ? &on_host : static_cast<T*>(on_device.data()), o.base));
    if (!is_host) return on_device.numbers()[0];
    std::vector<unsigned char> bytes(sizeof on_host);
    std::memcpy(bytes.data(), &on_host, sizeof on_host);
    return decode(F::type, bytes)[0];
}

}  // namespace

TEST_CASE("axpyi adds to y at x's indices and leaves the rest as it is") {
    for_each_case([]<class F>(F f, operands<F>& o) {
        for (const number value : {number{0.0}, number{1.0}, representable(F::type, {0.75, -0.5})})
            for (const cusparsePointerMode_t mode : both_modes) {
                INFO("alpha " << value << ", mode " << mode);
                o.y_memory.upload(o.y_start);
                const pointer_mode_scope scope(mode);
                const scalar_operand alpha(F::type, value, mode);
                expect(f.axpyi(cusparse(), o.nnz, as<typename F::scalar>(alpha), o.x(), o.indices(), o.y(),
                               o.base));
                check(o.y_memory.numbers(), axpby(value, o.elements, 1.0, o.y_start, F::type, F::type));
            }
    });
}

TEST_CASE("doti and dotci") {
    for_each_case([]<class F>(F f, operands<F>& o) {
        for (const cusparsePointerMode_t mode : both_modes) {
            INFO("mode " << mode);
            check({run_dot(o, f.doti, mode)}, spvv(o.elements, false, o.y_start, F::type));
            if constexpr (F::is_complex)
                check({run_dot(o, f.dotci, mode)}, spvv(o.elements, true, o.y_start, F::type));
        }
    });
}

TEST_CASE("gthr and sctr move elements and nothing else") {
    for_each_case([]<class F>(F f, operands<F>& o) {
        expect(f.sctr(cusparse(), o.nnz, o.x(), o.indices(), o.y(), o.base));
        CHECK((o.y_memory.numbers() == replaced(o, o.elements.values)));
        CHECK((o.x_memory.numbers() == o.elements.values));

        o.y_memory.upload(o.y_start);
        expect(f.gthr(cusparse(), o.nnz, o.y(), o.x(), o.indices(), o.base));
        CHECK((o.x_memory.numbers() == picked(o)));
        CHECK((o.y_memory.numbers() == o.y_start));
    });
}

TEST_CASE("gthrz moves elements of y to x and leaves zeros, infinities too") {
    for_each_case([]<class F>(F f, operands<F>& o) {
        if (o.nnz > 0)
            o.y_start[static_cast<std::size_t>(o.elements.indices[0])] =
                std::numeric_limits<double>::infinity();
        o.y_memory.upload(o.y_start);
        // Leaves sums in the handle's scratch, which are no zeros by chance.
        run_dot(o, f.doti, CUSPARSE_POINTER_MODE_HOST);
        expect(f.gthrz(cusparse(), o.nnz, o.y(), o.x(), o.indices(), o.base));
        CHECK((o.x_memory.numbers() == picked(o)));
        CHECK((o.y_memory.numbers() == replaced(o, std::vector<number>(static_cast<std::size_t>(o.nnz)))));
    });
}

TEST_CASE("roti turns x and y") {
    for_each_case([]<class F>(F f, operands<F>& o) {
        if constexpr (!F::is_complex) {
            using T = typename F::scalar;
            const number cosine = 0.75, sine = -0.5;
            for (const cusparsePointerMode_t mode : both_modes) {
                INFO("mode " << mode);
                o.x_memory.upload(o.elements.values);
                o.y_memory.upload(o.y_start);
                const pointer_mode_scope scope(mode);
                const scalar_operand c(F::type, cosine, mode), s(F::type, sine, mode);
                expect(f.roti(cusparse(), o.nnz, o.x(), o.indices(), o.y(), as<T>(c), as<T>(s), o.base));
                expectation x, y{o.y_start, std::vector<double>(o.y_start.size())};
                const std::vector<number> old_y = picked(o);
                for (std::size_t k = 0; k < old_y.size(); ++k) {
                    const number xk = o.elements.values[k], yk = old_y[k];
                    const auto at = static_cast<std::size_t>(o.elements.indices[k]);
                    const double magnitude = std::abs(xk) + std::abs(yk);
                    x.value.push_back(cosine * xk + sine * yk);
                    x.bound.push_back(error_bound(F::type, F::type, 2, magnitude, x.value.back()));
                    y.value[at] = cosine * yk - sine * xk;
                    y.bound[at] = error_bound(F::type, F::type, 2, magnitude, y.value[at]);
                }
                check(o.x_memory.numbers(), x);
                check(o.y_memory.numbers(), y);
            }
        }
    });
}
