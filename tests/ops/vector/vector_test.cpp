// Axpby, Gather, Scatter, Rot and SpVV.
#include "ops/spmv/spmv_problem.hpp"

#include <numeric>

using namespace heron::test;

namespace {

struct storage_row {
    cudaDataType storage, compute;
};

// Rows of Axpby and Rot; those of SpVV in addition.
std::vector<storage_row> uniform_rows() {
    std::vector<storage_row> rows;
    for (cudaDataType type :
         {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F, CUDA_R_16F, CUDA_R_16BF, CUDA_C_16F, CUDA_C_16BF})
        if (device_has(type)) rows.push_back({type, uniform(type).compute});
    return rows;
}
std::vector<storage_row> dot_rows() {
    std::vector<storage_row> rows = uniform_rows();
    rows.push_back({CUDA_R_8I, CUDA_R_32I});
    rows.push_back({CUDA_R_8I, CUDA_R_32F});
    return rows;
}

// Elements are moved and not computed with, so that every device has all of them.
constexpr cudaDataType moved_types[] = {CUDA_R_8I,  CUDA_R_16F,  CUDA_R_16BF, CUDA_R_32F, CUDA_R_64F,
                                        CUDA_C_16F, CUDA_C_16BF, CUDA_C_32F,  CUDA_C_64F};

struct shape {
    std::int64_t size, nnz;
};
constexpr shape shapes[] = {{0, 0}, {1, 0}, {1, 1}, {9, 0}, {9, 9}, {1000, 37}, {3000, 2999}};
constexpr shape large{100003, 40001};

constexpr cusparsePointerMode_t both_modes[] = {CUSPARSE_POINTER_MODE_HOST, CUSPARSE_POINTER_MODE_DEVICE};

sparse_vector describe(cudaDataType type, std::int64_t size, std::int64_t nnz, void* indices, void* values,
                       const index_choice& index) {
    cusparseSpVecDescr_t v = nullptr;
    expect(cusparseCreateSpVec(&v, size, nnz, indices, values, index.indices,
                               static_cast<cusparseIndexBase_t>(index.base), type));
    return sparse_vector(v);
}

// A sparse x with distinct indices in any order and a dense y, on the host and on the device.
struct operands {
    operands(cudaDataType t, shape s, const index_choice& index, std::uint64_t stream,
             std::size_t misalignment = 0)
        : random(stream),
          type(t),
          elements(make_elements(s)),
          y_start(random_values(type, static_cast<std::size_t>(s.size), random)),
          indices(index.indices, with_base(index.base), misalignment),
          x(type, elements.values, misalignment),
          y(type, y_start, misalignment),
          x_descriptor(describe(type, s.size, s.nnz, indices.data(), x.data(), index)),
          y_descriptor(heron::test::describe(type, y_start.size(), y)) {}

    sparse_elements make_elements(shape s) {
        std::vector<std::int64_t> places(static_cast<std::size_t>(s.size));
        std::iota(places.begin(), places.end(), std::int64_t{0});
        random.shuffle(places);
        places.resize(static_cast<std::size_t>(s.nnz));
        return {s.size, places, random_values(type, places.size(), random)};
    }
    std::vector<std::int64_t> with_base(int base) const {
        std::vector<std::int64_t> result = elements.indices;
        for (std::int64_t& i : result) i += base;
        return result;
    }

    random_source random;
    cudaDataType type;
    sparse_elements elements;
    std::vector<number> y_start;
    index_array indices;
    typed_array x, y;
    sparse_vector x_descriptor;
    dense_vector y_descriptor;
};

std::string describe_case(cudaDataType type, shape s, const index_choice& index) {
    return fmt::format("{}, size {}, nnz {}, {}-bit indices from {}", facts(type).name, s.size, s.nnz,
                       index.indices == CUSPARSE_INDEX_32I ? 32 : 64, index.base);
}

// Calls f(type, shape, index choice) for the shapes and index choices of one type.
template <class F>
void for_each_case(cudaDataType type, F&& f) {
    for (const shape s : shapes)
        for (const index_choice& index : index_choices()) {
            if (index.offsets != index.indices || (is_short() && s.size < 1000)) continue;
            INFO(describe_case(type, s, index));
            f(s, index);
        }
    f(large, index_choice{});
}

void check_axpby(operands& o, cudaDataType compute, number alpha, number beta, cusparsePointerMode_t mode) {
    INFO("alpha " << alpha << ", beta " << beta << ", mode " << mode);
    o.y.upload(beta == 0.0 ? std::vector<number>(o.y_start.size(), poison(o.type)) : o.y_start);
    const std::vector<unsigned char> before = o.y.bytes();
    const pointer_mode_scope scope(mode);
    const scalar_operand a(compute, alpha, mode), b(compute, beta, mode);
    expect(cusparseAxpby(cusparse(), a.data(), o.x_descriptor.get(), b.data(), o.y_descriptor.get()));
    const std::string wrong =
        difference(o.y.numbers(), axpby(alpha, o.elements, beta, o.y_start, compute, o.type));
    if (!wrong.empty()) FAIL_CHECK(wrong);
    if (alpha == 0.0 && beta == 1.0) CHECK((o.y.bytes() == before));
}

// The elements at `places`, as they lie in memory.
std::vector<unsigned char> picked(const std::vector<unsigned char>& bytes,
                                  const std::vector<std::int64_t>& places, std::size_t size) {
    std::vector<unsigned char> result;
    for (const std::int64_t i : places) {
        const auto from = bytes.begin() + i * static_cast<std::ptrdiff_t>(size);
        result.insert(result.end(), from, from + static_cast<std::ptrdiff_t>(size));
    }
    return result;
}

std::vector<std::int64_t> all_others(const sparse_elements& x) {
    std::vector<bool> used(static_cast<std::size_t>(x.size));
    for (const std::int64_t i : x.indices) used[static_cast<std::size_t>(i)] = true;
    std::vector<std::int64_t> result;
    for (std::int64_t i = 0; i < x.size; ++i)
        if (!used[static_cast<std::size_t>(i)]) result.push_back(i);
    return result;
}

// Arbitrary bits: NaNs with payloads, subnormal numbers, negative zeros.
void fill_with_noise(device_array<unsigned char>& memory, random_source& random) {
    std::vector<unsigned char> bytes(memory.size());
    for (unsigned char& b : bytes) b = static_cast<unsigned char>(random.below(256));
    memory.upload(bytes);
}

// A sparse and a dense vector of noise.
struct noise {
    noise(cudaDataType type, shape s, const index_choice& index)
        : o(type, s, index, 21),
          x(static_cast<std::size_t>(s.nnz) * size_of(type)),
          y(static_cast<std::size_t>(s.size) * size_of(type)) {
        fill_with_noise(x, o.random);
        fill_with_noise(y, o.random);
        expect(cusparseSpVecSetValues(o.x_descriptor.get(), x.data()));
        expect(cusparseDnVecSetValues(o.y_descriptor.get(), y.data()));
    }
    operands o;
    device_array<unsigned char> x, y;
};

number run_spvv(operands& o, cudaDataType compute, cusparseOperation_t op, cusparsePointerMode_t mode,
                std::size_t misalignment) {
    const pointer_mode_scope scope(mode);
    const typed_array device_result(compute, {poison(compute)}, 1);
    alignas(16) unsigned char host_result[16];
    const bool on_host = mode == CUSPARSE_POINTER_MODE_HOST;
    void* const result = on_host ? host_result : device_result.data();
    std::size_t size = 0;
    expect(cusparseSpVV_bufferSize(cusparse(), op, o.x_descriptor.get(), o.y_descriptor.get(), result,
                                   compute, &size));
    const workspace buffer(size, misalignment);
    expect(cusparseSpVV(cusparse(), op, o.x_descriptor.get(), o.y_descriptor.get(), result, compute,
                        buffer.data()));
    if (!on_host) return device_result.numbers()[0];
    return decode(compute, {host_result, host_result + size_of(compute)})[0];
}

bool same_bits(number a, number b) { return std::memcmp(&a, &b, sizeof a) == 0; }

void check_spvv(operands& o, cudaDataType compute, cusparseOperation_t op, cusparsePointerMode_t mode) {
    INFO("operation " << op << ", mode " << mode);
    const number actual = run_spvv(o, compute, op, mode, 0);
    const bool conjugate = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
    const std::string wrong = difference({actual}, spvv(o.elements, conjugate, o.y_start, compute));
    if (!wrong.empty()) FAIL_CHECK(wrong);
    CHECK(same_bits(actual, run_spvv(o, compute, op, mode, 1)));
}

}  // namespace

TEST_CASE("Axpby") {
    for (const storage_row& row : uniform_rows())
        for_each_case(row.storage, [&](shape s, const index_choice& index) {
            operands o(row.storage, s, index, 12, static_cast<std::size_t>(index.base));
            const number other_alpha = representable(row.compute, {0.75, -0.5});
            const number other_beta = representable(row.compute, {-1.25, 0.625});
            for (const number alpha : {number{0.0}, number{1.0}, other_alpha})
                for (const number beta : {number{0.0}, number{1.0}, other_beta})
                    for (const cusparsePointerMode_t mode : both_modes)
                        check_axpby(o, row.compute, alpha, beta, mode);
        });
}

TEST_CASE("Axpby with alpha = 0 does not read x, and with beta = 1 leaves the rest of y as it is") {
    for (const storage_row& row : uniform_rows()) {
        operands o(row.storage, {1000, 300}, {}, 13);
        o.x.upload(std::vector<number>(300, poison(row.storage)));
        check_axpby(o, row.compute, 0.0, representable(row.compute, {-1.25, 0.625}),
                    CUSPARSE_POINTER_MODE_HOST);
        check_axpby(o, row.compute, 0.0, 0.0, CUSPARSE_POINTER_MODE_DEVICE);

        noise n(row.storage, {1000, 300}, {});
        const std::vector<unsigned char> before = n.y.download();
        const scalar_operand one(row.compute, 1.0, CUSPARSE_POINTER_MODE_HOST);
        expect(cusparseAxpby(cusparse(), one.data(), n.o.x_descriptor.get(), one.data(),
                             n.o.y_descriptor.get()));
        const std::vector<std::int64_t> others = all_others(n.o.elements);
        CHECK(picked(n.y.download(), others, size_of(row.storage)) ==
              picked(before, others, size_of(row.storage)));
    }
}

// Products of a half and an fp32 scalar are exact in double, so that both roundings are known bit for bit.
TEST_CASE("halves and bfloat16 are read exactly and rounded to nearest, ties to even") {
    for (const cudaDataType type : {CUDA_R_16F, CUDA_R_16BF})
        for (const double factor : {1.0, 1.0 + 0x1p-11, 1.0 / 3, 0x1p-9, -0.7, 1.0 + 0x1p-8 + 0x1p-20}) {
            const number alpha = rounded(CUDA_R_32F, factor);
            std::vector<unsigned char> patterns;
            std::vector<std::int64_t> places;
            for (int bits = 0; bits < 0x10000; ++bits) {
                patterns.push_back(static_cast<unsigned char>(bits));
                patterns.push_back(static_cast<unsigned char>(bits >> 8));
                places.push_back(bits);
            }
            const std::vector<number> halves = decode(type, patterns);
            const typed_array x(type, halves), y(type, std::vector<number>(halves.size(), poison(type)));
            const index_array indices(CUSPARSE_INDEX_32I, places);
            const sparse_vector vx = describe(type, 0x10000, 0x10000, indices.data(), x.data(), {});
            const dense_vector vy = describe(type, halves.size(), y);
            const scalar_operand a(CUDA_R_32F, alpha, CUSPARSE_POINTER_MODE_HOST);
            const scalar_operand zero(CUDA_R_32F, 0.0, CUSPARSE_POINTER_MODE_HOST);
            expect(cusparseAxpby(cusparse(), a.data(), vx.get(), zero.data(), vy.get()));

            const std::vector<number> actual = y.numbers();
            std::size_t wrong = 0;
            for (std::size_t k = 0; k < halves.size(); ++k) {
                const double exact = halves[k].real() * alpha.real();
                // A device may flush subnormal numbers of fp32, which are those of bfloat16 too.
                if (std::abs(exact) < 0x1p-125 && type == CUDA_R_16BF) continue;
                const double expected = rounded(type, rounded(CUDA_R_32F, exact)).real();
                const bool same =
                    std::isnan(expected) ? std::isnan(actual[k].real()) : actual[k].real() == expected;
                wrong += !same;
            }
            INFO(facts(type).name << " times " << factor);
            CHECK(wrong == 0);
        }
}

TEST_CASE("Gather copies bits") {
    for (const cudaDataType type : moved_types)
        for_each_case(type, [&](shape s, const index_choice& index) {
            noise n(type, s, index);
            const std::vector<unsigned char> y = n.y.download();
            expect(cusparseGather(cusparse(), n.o.y_descriptor.get(), n.o.x_descriptor.get()));
            CHECK((n.x.download() == picked(y, n.o.elements.indices, size_of(type))));
            CHECK((n.y.download() == y));
        });
}

TEST_CASE("Scatter copies bits and leaves the rest alone") {
    for (const cudaDataType type : moved_types)
        for_each_case(type, [&](shape s, const index_choice& index) {
            noise n(type, s, index);
            const std::vector<unsigned char> x = n.x.download(), before = n.y.download();
            expect(cusparseScatter(cusparse(), n.o.x_descriptor.get(), n.o.y_descriptor.get()));
            const std::vector<unsigned char> after = n.y.download();
            CHECK((picked(after, n.o.elements.indices, size_of(type)) == x));
            const std::vector<std::int64_t> others = all_others(n.o.elements);
            CHECK((picked(after, others, size_of(type)) == picked(before, others, size_of(type))));
            CHECK((n.x.download() == x));
        });
}

TEST_CASE("Rot turns x and y on x's pattern") {
    for (const storage_row& row : uniform_rows())
        for_each_case(row.storage, [&](shape s, const index_choice& index) {
            const number cosine = representable(row.compute, {0.8, 0.1}),
                         sine = representable(row.compute, {0.6, -0.2});
            for (const cusparsePointerMode_t mode : both_modes) {
                operands o(row.storage, s, index, 14, static_cast<std::size_t>(index.base));
                const std::vector<unsigned char> before = o.y.bytes();
                const pointer_mode_scope scope(mode);
                const scalar_operand c(row.compute, cosine, mode), sn(row.compute, sine, mode);
                expect(
                    cusparseRot(cusparse(), c.data(), sn.data(), o.x_descriptor.get(), o.y_descriptor.get()));

                expectation x, y;
                const auto add = [&](expectation& e, number p, number q) {
                    e.value.push_back(p + q);
                    e.bound.push_back(
                        error_bound(row.compute, row.storage, 2, std::abs(p) + std::abs(q), p + q));
                };
                std::vector<number> actual_y;
                const std::vector<number> all_y = o.y.numbers();
                for (std::size_t k = 0; k < o.elements.indices.size(); ++k) {
                    const auto at = static_cast<std::size_t>(o.elements.indices[k]);
                    const number xk = o.elements.values[k], yk = o.y_start[at];
                    add(x, product(cosine, xk), product(sine, yk));
                    add(y, product(cosine, yk), -product(sine, xk));
                    actual_y.push_back(all_y[at]);
                }
                CHECK(difference(o.x.numbers(), x).empty());
                CHECK(difference(actual_y, y).empty());
                const std::vector<std::int64_t> others = all_others(o.elements);
                CHECK(picked(o.y.bytes(), others, size_of(o.type)) ==
                      picked(before, others, size_of(o.type)));
            }
        });
}

TEST_CASE("SpVV, the same bits every time") {
    for (const storage_row& row : dot_rows())
        for_each_case(row.storage, [&](shape s, const index_choice& index) {
            operands o(row.storage, s, index, 15, static_cast<std::size_t>(index.base));
            for (const cusparseOperation_t op : all_operations)
                for (const cusparsePointerMode_t mode : both_modes) check_spvv(o, row.compute, op, mode);
        });
}

TEST_CASE("SpVV of a vector that stores nothing is zero, with NULL arrays too") {
    for (const storage_row& row : dot_rows()) {
        operands o(row.storage, {50, 0}, {}, 16);
        o.x_descriptor = describe(row.storage, 50, 0, nullptr, nullptr, {});
        for (const cusparsePointerMode_t mode : both_modes)
            CHECK(run_spvv(o, row.compute, CUSPARSE_OPERATION_NON_TRANSPOSE, mode, 0) == 0.0);
    }
}

TEST_CASE("scalars and results on the host need no alignment") {
    for (const storage_row& row : uniform_rows()) {
        operands o(row.storage, {100, 40}, {}, 17);
        const number alpha = representable(row.compute, {0.75, -0.5});
        std::vector<unsigned char> bytes = encode(row.compute, {1.0, alpha, 1.0});
        const std::size_t size = size_of(row.compute);
        // Complex numbers of the standard library are aligned like their parts.
        const std::size_t part = facts(row.compute).part_size;
        std::vector<unsigned char> moved(bytes.size() + part);
        std::copy(bytes.begin(), bytes.end(), moved.begin() + static_cast<std::ptrdiff_t>(part));
        for (const std::size_t shift : {std::size_t{0}, part}) {
            const unsigned char* const scalars = (shift ? moved.data() : bytes.data()) + shift;
            o.y.upload(o.y_start);
            expect(cusparseAxpby(cusparse(), scalars + size, o.x_descriptor.get(), scalars,
                                 o.y_descriptor.get()));
            const std::string wrong =
                difference(o.y.numbers(), axpby(alpha, o.elements, 1.0, o.y_start, row.compute, row.storage));
            CHECK(wrong == "");
        }
        o.y.upload(o.y_start);
        std::size_t needed = 0;
        unsigned char* const result = moved.data() + part;
        expect(cusparseSpVV_bufferSize(cusparse(), all_operations[0], o.x_descriptor.get(),
                                       o.y_descriptor.get(), result, row.compute, &needed));
        const workspace buffer(needed);
        expect(cusparseSpVV(cusparse(), all_operations[0], o.x_descriptor.get(), o.y_descriptor.get(), result,
                            row.compute, buffer.data()));
        CHECK(difference(decode(row.compute, {result, result + size}),
                         spvv(o.elements, false, o.y_start, row.compute)) == "");
    }
}
