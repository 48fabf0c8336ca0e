// The entry points of heron/kronmult.h against the explicit product.
#include "kron_problem.hpp"
#include <heron/kronmult.h>
#include <fmt/format.h>
#include <cstdlib>
#include <thread>
#include <tuple>

using namespace heron::test;

namespace {

// The library reads the variable at its first use.
const bool validating = setenv("HERON_VALIDATE", "1", 1) == 0;

template <class T>
constexpr heron_type type_of = sizeof(T) == 4 ? HERON_R_32F : HERON_R_64F;

// The addresses of a problem's operands on the device.
template <class T>
std::vector<std::int64_t> addresses(const device_memory& memory, const std::vector<std::int64_t>& offsets) {
    std::vector<std::int64_t> result;
    for (const std::int64_t o : offsets)
        result.push_back(
            static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(static_cast<T*>(memory.data()) + o)));
    return result;
}

// A problem, its arrays in device memory, and the comparison.
template <class T>
struct batch {
    kron_problem p;
    device_memory x, y;
    std::vector<device_memory> factors;
    std::vector<device_array<std::int64_t>> lists;

    explicit batch(const kron_problem& problem)
        : p(problem), x(p.x.size() * sizeof(T)), y(p.y.size() * sizeof(T)) {
        x.upload(encode(p.data_type(), p.x).data());
        y.upload(encode(p.data_type(), p.y).data());
        for (const kron_factor_case& f : p.factors) {
            factors.emplace_back(f.stored.size() * sizeof(T));
            factors.back().upload(encode(p.data_type(), f.stored).data());
        }
    }

    T* const* list(const std::vector<std::int64_t>& entries) {
        lists.emplace_back(entries);
        return reinterpret_cast<T* const*>(lists.back().data());
    }
    T* const* x_list() { return list(addresses<T>(x, p.x_places.offsets)); }
    T* const* y_list() { return list(addresses<T>(y, p.y_places.offsets)); }
    // d addresses per item.
    const T* const* factor_list() {
        std::vector<std::int64_t> entries;
        for (std::size_t k = 0; k < static_cast<std::size_t>(p.count); ++k)
            for (std::size_t i = 0; i < factors.size(); ++i)
                entries.push_back(addresses<T>(factors[i], {p.factors[i].places.offsets[k]})[0]);
        return list(entries);
    }

    void compare() {
        expect(heron_synchronize(native()));
        std::vector<bool> checked;
        CHECK(difference(decode(p.data_type(), y.bytes()), expected_kron(p, checked)) == "");
        CHECK(x.bytes() == encode(p.data_type(), p.x));
    }
};

template <class T>
heron_status call_batched(int d, int n, const T* a, T* x, T* y, std::int64_t count) {
    switch (d) {
        case 1: return kronmult1_batched(n, a, x, y, static_cast<T*>(nullptr), count);
        case 2: return kronmult2_batched(n, a, x, y, static_cast<T*>(nullptr), count);
        case 3: return kronmult3_batched(n, a, x, y, static_cast<T*>(nullptr), count);
        case 4: return kronmult4_batched(n, a, x, y, static_cast<T*>(nullptr), count);
        case 5: return kronmult5_batched(n, a, x, y, static_cast<T*>(nullptr), count);
        default: return kronmult6_batched(n, a, x, y, static_cast<T*>(nullptr), count);
    }
}

template <class T>
heron_status call_pbatched(int d, int n, const T* a, T* const* x, T* const* y, std::int64_t count) {
    T* const* const none = nullptr;
    switch (d) {
        case 1: return kronmult1_pbatched(n, a, x, y, none, count);
        case 2: return kronmult2_pbatched(n, a, x, y, none, count);
        case 3: return kronmult3_pbatched(n, a, x, y, none, count);
        case 4: return kronmult4_pbatched(n, a, x, y, none, count);
        case 5: return kronmult5_pbatched(n, a, x, y, none, count);
        default: return kronmult6_pbatched(n, a, x, y, none, count);
    }
}

template <class T>
heron_status call_xbatched(int d, int n, const T* const* a, int lda, T* const* x, T* const* y,
                           std::int64_t count) {
    T* const* const none = nullptr;
    switch (d) {
        case 1: return kronmult1_xbatched(n, a, lda, x, y, none, count);
        case 2: return kronmult2_xbatched(n, a, lda, x, y, none, count);
        case 3: return kronmult3_xbatched(n, a, lda, x, y, none, count);
        case 4: return kronmult4_xbatched(n, a, lda, x, y, none, count, 1);
        case 5: return kronmult5_xbatched(n, a, lda, x, y, none, count);
        default: return kronmult6_xbatched(n, a, lda, x, y, none, count);
    }
}

template <class T>
heron_status call_vbatched(const kron_problem& p, const T* const* a, T* const* x, T* const* y) {
    int m[6] = {}, n[6] = {};
    for (std::size_t i = 0; i < p.factors.size(); ++i) {
        m[i] = static_cast<int>(p.factors[i].m);
        n[i] = static_cast<int>(p.factors[i].n);
    }
    T* const none = nullptr;
    switch (p.factors.size()) {
        case 1: return kronmult1_vbatched(m[0], n[0], a, x, y, none, 0, p.count);
        case 2: return kronmult2_vbatched(m[0], n[0], m[1], n[1], a, x, y, none, 0, p.count);
        case 3: return kronmult3_vbatched(m[0], n[0], m[1], n[1], m[2], n[2], a, x, y, none, 0, p.count);
        case 4:
            return kronmult4_vbatched(m[0], n[0], m[1], n[1], m[2], n[2], m[3], n[3], a, x, y, none, 0,
                                      p.count);
        case 5:
            return kronmult5_vbatched(m[0], n[0], m[1], n[1], m[2], n[2], m[3], n[3], m[4], n[4], a, x, y,
                                      none, 0, p.count);
        default:
            return kronmult6_vbatched(m[0], n[0], m[1], n[1], m[2], n[2], m[3], n[3], m[4], n[4], m[5], n[5],
                                      a, x, y, none, 0, p.count);
    }
}

// All outputs anywhere in the room of two, so that they overlap wholly and partly.
void overlap_outputs(kron_problem& p, random_source& random) {
    for (std::int64_t& offset : p.y_places.offsets) offset = random.below(p.rows() + 1);
}

template <class T>
void check_all(int d, random_source& random) {
    const int n = d > 4 ? 2 : 3;
    kron_problem p = square_kron(type_of<T>, d, n, 9, random);
    p.output = HERON_KRON_ADD_ATOMIC;
    p.fill(random);

    // A(n, n, d, count)
    std::vector<number> a(static_cast<std::size_t>(n * n * d * 9));
    for (int k = 0; k < 9; ++k)
        for (int i = 0; i < d; ++i)
            for (int e = 0; e < n * n; ++e)
                a[static_cast<std::size_t>((k * d + i) * n * n + e)] =
                    p.factors[static_cast<std::size_t>(i)].stored[static_cast<std::size_t>(k * n * n + e)];
    device_memory factors(a.size() * sizeof(T));
    factors.upload(encode(p.data_type(), a).data());
    {
        batch<T> b(p);
        expect(call_batched<T>(d, n, static_cast<T*>(factors.data()), static_cast<T*>(b.x.data()),
                               static_cast<T*>(b.y.data()), 9));
        b.compare();
    }
    overlap_outputs(p, random);
    {
        batch<T> b(p);
        expect(call_pbatched<T>(d, n, static_cast<T*>(factors.data()), b.x_list(), b.y_list(), 9));
        b.compare();
    }
    for (kron_factor_case& f : p.factors) f.ld = n + 3, f.places.unit = 1;
    p.fill(random);
    {
        batch<T> b(p);
        expect(call_xbatched<T>(d, n, b.factor_list(), n + 3, b.x_list(), b.y_list(), 9));
        b.compare();
    }
    for (kron_factor_case& f : p.factors) {
        f.m = f.ld = 1 + random.below(4);
        f.n = 1 + random.below(4);
    }
    p.ldx = p.columns();
    p.ldy = p.rows();
    for (std::size_t k = 0; k < 9; ++k) p.x_places.offsets[k] = static_cast<std::int64_t>(k) * p.columns();
    overlap_outputs(p, random);
    p.fill(random);
    batch<T> b(p);
    expect(call_vbatched<T>(p, b.factor_list(), b.x_list(), b.y_list()));
    b.compare();
}

// The calls as KRONMULT's own programs write them.
template <class T>
void check_all_named(random_source& random) {
    constexpr int n = 3, items = 4;
    kron_problem p = square_kron(type_of<T>, 2, n, items, random);
    p.output = HERON_KRON_ADD_ATOMIC;
    overlap_outputs(p, random);
    p.fill(random);
    {
        batch<T> b(p);
        expect(kronmult2_xbatched<T>(n, b.factor_list(), n, b.x_list(), b.y_list(), nullptr, items));
        b.compare();
    }
    batch<T> b(p);
    expect(kronmult2_vbatched<T>(n, n, n, n, b.factor_list(), b.x_list(), b.y_list(), nullptr, 0, items));
    b.compare();
}

template <class T>
void check_gemm(bool transpose_a, bool transpose_b, T alpha, T beta, random_source& random) {
    constexpr int m = 5, n = 3, k = 4, items = 7;
    const int lda = (transpose_a ? k : m) + 2, ldb = (transpose_b ? n : k) + 1, ldc = m + 1;
    const cudaDataType type = sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F;
    const auto numbers = [&](int count) {
        std::vector<number> v(static_cast<std::size_t>(count));
        for (number& x : v) x = random.symmetric_unit();
        return rounded(type, v);
    };
    const auto upload = [&](const std::vector<number>& v) {
        device_memory memory(v.size() * sizeof(T));
        memory.upload(encode(type, v).data());
        return memory;
    };
    const std::vector<number> a = numbers(items * lda * 8), b = numbers(items * ldb * 8),
                              c = numbers(items * ldc * n);
    device_memory da = upload(a), db = upload(b), dc = upload(c);
    const auto list = [&](const device_memory& memory, int step) {
        std::vector<std::int64_t> offsets;
        for (int i = 0; i < items; ++i) offsets.push_back(i * step);
        return device_array<std::int64_t>(addresses<T>(memory, offsets));
    };
    const auto same = [&](int ld) { return device_array<int>(std::vector<int>(items, ld)); };
    // beta = 1 adds: all items share one C.
    const int c_step = beta == T(1) ? 0 : ldc * n;
    auto la = list(da, lda * 8), lb = list(db, ldb * 8), lc = list(dc, c_step);
    auto da_ld = same(lda), db_ld = same(ldb), dc_ld = same(ldc);
    const auto at = [](device_array<std::int64_t>& l) { return reinterpret_cast<T* const*>(l.data()); };
    if (transpose_a)
        expect(kgemm_tt_batched(m, n, k, alpha, at(la), da_ld.data(), at(lb), db_ld.data(), beta, at(lc),
                                dc_ld.data(), items));
    else if (transpose_b)
        expect(kgemm_nt_batched(m, n, k, alpha, at(la), da_ld.data(), at(lb), db_ld.data(), beta, at(lc),
                                dc_ld.data(), items));
    else
        expect(kgemm_nn_batched(m, n, k, alpha, at(la), da_ld.data(), at(lb), db_ld.data(), beta, at(lc),
                                dc_ld.data(), items));
    expect(heron_synchronize(native()));
    expectation expected{c, std::vector<double>(c.size(), 1e-30)};
    for (int item = 0; item < items; ++item)
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < m; ++i) {
                number sum = 0.0;
                for (int l = 0; l < k; ++l)
                    sum += product(a[static_cast<std::size_t>(item * lda * 8 +
                                                              (transpose_a ? l + i * lda : i + l * lda))],
                                   b[static_cast<std::size_t>(item * ldb * 8 +
                                                              (transpose_b ? j + l * ldb : l + j * ldb))]);
                const auto to = static_cast<std::size_t>(item * c_step + i + j * ldc);
                expected.value[to] = product(double(alpha), sum) +
                                     (c_step == 0 ? expected.value[to] : product(double(beta), c[to]));
                expected.bound[to] = 40 * epsilon(type) * 12;
            }
    CHECK(difference(decode(type, dc.bytes()), expected) == "");
}

}  // namespace

TEST_CASE("KRONMULT's entry points in one to six dimensions") {
    random_source random(20);
    expect(heron_kronmult_set_handle(native()));
    for (int d = 1; d <= 6; ++d) {
        CAPTURE(d);
        check_all<float>(d, random);
        check_all<double>(d, random);
    }
    expect(heron_kronmult_set_handle(nullptr));
}

TEST_CASE("KRONMULT's entry points on a handle of their own") {
    random_source random(21);
    check_all<double>(3, random);
}

TEST_CASE("KRONMULT's entry points are called with their type as a template argument") {
    random_source random(25);
    expect(heron_kronmult_set_handle(native()));
    check_all_named<float>(random);
    check_all_named<double>(random);
    expect(heron_kronmult_set_handle(nullptr));
}

namespace {

// A batch of cubes with the factors of its items one after the other, ready to be multiplied.
struct cube_batch {
    static constexpr std::int64_t items = 6;

    cube_batch(std::int64_t n, random_source& random) : b(problem(n, random)), a(factors_of(b.p)) {}

    heron_status multiply() {
        return kronmult3_batched(static_cast<int>(b.p.factors[0].n), static_cast<const double*>(a.data()),
                                 static_cast<double*>(b.x.data()), static_cast<double*>(b.y.data()),
                                 static_cast<double*>(nullptr), items);
    }

    batch<double> b;
    device_memory a;

  private:
    static kron_problem problem(std::int64_t n, random_source& random) {
        kron_problem p = square_kron(HERON_R_64F, 3, n, items, random);
        p.output = HERON_KRON_ADD;
        p.fill(random);
        return p;
    }
    static device_memory factors_of(const kron_problem& p) {
        std::vector<number> numbers;
        for (std::size_t k = 0; k < items; ++k)
            for (const kron_factor_case& f : p.factors) {
                const auto begin = f.stored.begin() + f.places.offsets[k];
                numbers.insert(numbers.end(), begin, begin + f.m * f.n);
            }
        const std::vector<unsigned char> bytes = encode(p.data_type(), numbers);
        return device_memory(bytes.size(), 0, bytes.data());
    }
};

}  // namespace

TEST_CASE("KRONMULT's entry points are called from several threads") {
    // Workspaces of different sizes, which the calls share.
    random_source random(24);
    constexpr int threads = 4;
    std::vector<std::unique_ptr<cube_batch>> batches;
    for (int t = 0; t < threads; ++t) batches.push_back(std::make_unique<cube_batch>(2 + 2 * t, random));
    expect(heron_kronmult_set_handle(native()));
    std::vector<heron_status> statuses(threads, HERON_SUCCESS);
    std::vector<std::thread> workers;
    for (std::size_t t = 0; t < threads; ++t)
        workers.emplace_back([&, t] { statuses[t] = batches[t]->multiply(); });
    for (std::thread& worker : workers) worker.join();
    for (std::size_t t = 0; t < threads; ++t) {
        expect(statuses[t]);
        batches[t]->b.compare();
    }
    expect(heron_kronmult_set_handle(nullptr));
}

TEST_CASE("KRONMULT's entry points share their memory in order when the stream changes") {
    random_source random(26);
    std::vector<std::unique_ptr<cube_batch>> batches;
    for (int k = 0; k < 24; ++k) batches.push_back(std::make_unique<cube_batch>(4 + k % 3 * 2, random));
    void* streams[2] = {};
    for (void*& stream : streams) expect(heron_stream_create(native(), &stream));
    expect(heron_kronmult_set_handle(native()));
    for (std::size_t k = 0; k < batches.size(); ++k) {
        expect(heron_set_stream(native(), streams[k % 2]));
        expect(batches[k]->multiply());
    }
    for (void* const stream : streams) {
        expect(heron_set_stream(native(), stream));
        expect(heron_synchronize(native()));
    }
    expect(heron_set_stream(native(), nullptr));
    for (const auto& batch : batches) batch->b.compare();
    expect(heron_kronmult_set_handle(nullptr));
    for (void* const stream : streams) expect(heron_stream_destroy(native(), stream));
}

TEST_CASE("scalars that are passed by value do not depend on the handle's pointer mode") {
    random_source random(23);
    expect(heron_kronmult_set_handle(native()));
    expect(heron_set_pointer_mode(native(), HERON_POINTER_DEVICE));
    check_gemm<double>(false, true, 0.5, 2.0, random);
    check_gemm<float>(false, false, -1.0f, 1.0f, random);
    check_all<double>(2, random);
    expect(heron_set_pointer_mode(native(), HERON_POINTER_HOST));
    expect(heron_kronmult_set_handle(nullptr));
}

TEST_CASE("KRONMULT's slender products of matrices") {
    random_source random(22);
    for (const bool a : {false, true})
        for (const bool b : {false, true}) {
            if (a && !b) continue;
            for (const auto& [alpha, beta] :
                 {std::pair{1.0, 1.0}, std::pair{0.5, 0.0}, std::pair{-1.0, 2.0}}) {
                check_gemm<double>(a, b, alpha, beta, random);
                check_gemm<float>(a, b, static_cast<float>(alpha), static_cast<float>(beta), random);
            }
        }
}

TEST_CASE("leading dimensions that are too small are named") {
    REQUIRE(validating);
    expect(heron_kronmult_set_handle(native()));
    constexpr int m = 5, n = 3, k = 4, items = 2, size = 25;
    const device_array<double> inputs(std::vector<double>(items * size, 1.0)), outputs(items * size);
    const auto list = [](const device_array<double>& numbers) {
        std::vector<std::int64_t> entries;
        for (int item = 0; item < items; ++item)
            entries.push_back(
                static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(numbers.data() + item * size)));
        return device_array<std::int64_t>(entries);
    };
    const auto input_list = list(inputs), output_list = list(outputs);
    auto* const a = reinterpret_cast<double* const*>(input_list.data());
    auto* const c = reinterpret_cast<double* const*>(output_list.data());
    // What is logged when item 1 has this leading dimension in one of the arrays.
    const auto complaint = [&](auto* multiply, int array, int ld) {
        std::vector<int> of[3] = {{5, 5}, {5, 5}, {5, 5}};
        of[array][1] = ld;
        const device_array<int> lda(of[0]), ldb(of[1]), ldc(of[2]);
        const log_capture log;
        const heron_status status =
            multiply(m, n, k, 1.0, a, lda.data(), a, ldb.data(), 0.0, c, ldc.data(), items);
        expect(heron_synchronize(native()));
        if (status == HERON_SUCCESS) return std::string("none");
        CHECK(status == HERON_INVALID_VALUE);
        return log.lines().back();
    };
    for (const auto& [name, multiply, rows_of_a, rows_of_b] :
         {std::tuple{"heron_dkgemm_nn_batched", &heron_dkgemm_nn_batched, m, k},
          std::tuple{"heron_dkgemm_nt_batched", &heron_dkgemm_nt_batched, m, n},
          std::tuple{"heron_dkgemm_tt_batched", &heron_dkgemm_tt_batched, k, n}}) {
        const int rows[] = {rows_of_a, rows_of_b, m};
        const char* const arguments[] = {"ldAarray", "ldBarray", "ldCarray"};
        for (int array = 0; array < 3; ++array) {
            CHECK(complaint(multiply, array, rows[array]) == "none");
            for (const int ld : {rows[array] - 1, -1})
                CHECK(complaint(multiply, array, ld) ==
                      fmt::format("{}: {}: item 1: is {}, but at least {} are needed", name, arguments[array],
                                  ld, rows[array]));
        }
    }
    expect(heron_kronmult_set_handle(nullptr));
}

TEST_CASE("KRONMULT's entry points refuse bad arguments") {
    double one = 1;
    expect(kronmult2_batched(-1, &one, &one, &one, static_cast<double*>(nullptr), 1), HERON_INVALID_VALUE);
    expect(kronmult2_batched(2, static_cast<const double*>(nullptr), &one, &one,
                             static_cast<double*>(nullptr), 1),
           HERON_INVALID_VALUE);
    expect(kronmult2_batched(2, &one, &one, &one, static_cast<double*>(nullptr), -1), HERON_INVALID_VALUE);
    double* const* const none = nullptr;
    expect(kronmult2_xbatched(2, static_cast<const double* const*>(nullptr), 1, none, none, none, 1),
           HERON_INVALID_VALUE);
    expect(kgemm_nn_batched(2, 2, 2, 1.0, none, static_cast<const int*>(nullptr), none,
                            static_cast<const int*>(nullptr), 1.0, none, static_cast<const int*>(nullptr), 1),
           HERON_INVALID_VALUE);
    expect(kronmult2_batched(2, static_cast<const double*>(nullptr), static_cast<double*>(nullptr),
                             static_cast<double*>(nullptr), static_cast<double*>(nullptr), 0));
}
