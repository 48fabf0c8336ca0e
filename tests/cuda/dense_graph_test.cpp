// Dense operations and Kronecker products are captured in a CUDA graph and replayed on other values, after
// the handle is gone: no call may allocate or wait while it is captured, nor leave an address of the handle's
// own memory in the graph.
#include "captured_stream.hpp"

#include <heron/heron.h>
#include <algorithm>
#include <vector>

namespace {

void expect(heron_status actual) {
    INFO(heron_status_string(actual));
    REQUIRE(actual == HERON_SUCCESS);
}

// A handle on a stream of its own.
class session : public captured_stream {
  public:
    session() {
        expect(heron_create_on("cuda", 0, &handle_));
        expect(heron_set_stream(handle_, get()));
    }
    ~session() { close(); }

    heron_handle handle() const { return handle_; }
    void close() {
        if (handle_) expect(heron_destroy(handle_));
        handle_ = nullptr;
    }

  private:
    heron_handle handle_ = nullptr;
};

class array {
  public:
    explicit array(std::size_t count) : count_(count) {
        expect(cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(double)));
    }
    ~array() { cudaFree(data_); }
    array(const array&) = delete;
    array& operator=(const array&) = delete;

    // Small whole numbers: every sum of products is exact, in any order.
    template <class T>
    void fill(int seed) {
        std::vector<T> values(count_ * sizeof(double) / sizeof(T));
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<T>(
                static_cast<int>((i * 7 + i / 5 + static_cast<std::size_t>(seed) * 13) % 5) - 2);
        expect(cudaMemcpy(data_, values.data(), count_ * sizeof(double), cudaMemcpyHostToDevice));
    }
    std::vector<unsigned char> bytes() const {
        std::vector<unsigned char> result(count_ * sizeof(double));
        expect(cudaMemcpy(result.data(), data_, result.size(), cudaMemcpyDeviceToHost));
        return result;
    }
    double* data() const { return data_; }

  private:
    std::size_t count_;
    double* data_ = nullptr;
};

struct operands {
    array a, b, c;
    explicit operands(std::size_t count) : a(count), b(count), c(count) {}
    template <class T>
    void fill(int seed) {
        a.fill<T>(seed);
        b.fill<T>(seed + 1);
        c.fill<T>(seed + 2);
    }
};

// The result of call(handle, operands), replayed on other values, is that of a call on these without a graph.
template <class T>
void check(std::size_t count, const std::function<heron_status(heron_handle, const operands&)>& call) {
    session s;
    operands o(count);
    o.fill<T>(3);
    expect(call(s.handle(), o));
    s.wait();
    const auto expected = o.c.bytes();
    o.fill<T>(0);
    const cudaGraphExec_t graph = s.capture([&] { expect(call(s.handle(), o)); });
    s.close();
    for (int round = 0; round < 2; ++round) {
        o.fill<T>(3);
        s.replay(graph);
        const bool is_equal = o.c.bytes() == expected;
        CHECK(is_equal);
    }
    expect(cudaGraphExecDestroy(graph));
}

template <class T>
struct element {
    heron_type type;
    int parts;  // numbers of an element
    T alpha[2], beta[2];
};

// Calls f once per element type. alpha/conj(alpha), of which her2k makes use, is a whole number too.
template <class F>
void for_all_types(F&& f) {
    f(element<float>{HERON_R_32F, 1, {2, 0}, {-1, 0}});
    f(element<double>{HERON_R_64F, 1, {2, 0}, {-1, 0}});
    f(element<float>{HERON_C_32F, 2, {0, 2}, {-1, 0}});
    f(element<double>{HERON_C_64F, 2, {0, 2}, {-1, 0}});
}

}  // namespace

TEST_CASE("products are replayed from a graph") {
    struct shape {
        int64_t m, n, k;
    };
    for (const auto& [m, n, k] :
         {shape{7, 9, 11}, shape{64, 64, 4000}, shape{200, 130, 77}, shape{384, 256, 512}})
        for_all_types([&, m = m, n = n, k = k]<class T>(const element<T>& e) {
            CAPTURE(m, n, k, e.type);
            const auto count = static_cast<std::size_t>(e.parts * std::max({m * n, m * k, n * k}));
            for (const heron_operation op : {HERON_OP_NONE, HERON_OP_TRANSPOSE})
                check<T>(count, [&](heron_handle handle, const operands& o) {
                    return heron_gemm(handle, e.type, HERON_ORDER_COLUMN, op, op, m, n, k, e.alpha,
                                      o.a.data(), op == HERON_OP_NONE ? m : k, o.b.data(),
                                      op == HERON_OP_NONE ? k : n, e.beta, o.c.data(), m, HERON_GEMM_DEFAULT);
                });
        });
}

TEST_CASE("batches of products are replayed from a graph") {
    for (const int64_t n : {4, 16, 48, 100})
        for_all_types([&]<class T>(const element<T>& e) {
            CAPTURE(n, e.type);
            constexpr int64_t items = 150;
            const heron_operation none = HERON_OP_NONE;
            check<T>(static_cast<std::size_t>(e.parts * n * n * items), [&](heron_handle handle,
                                                                            const operands& o) {
                return heron_gemm_batched(
                    handle, e.type, HERON_ORDER_COLUMN, none, none, n, n, n, e.alpha,
                    heron_batch_strided(o.a.data(), n * n), n, heron_batch_strided(o.b.data(), n * n), n,
                    e.beta, heron_batch_strided(o.c.data(), n * n), n, items, HERON_GEMM_DEFAULT);
            });
        });
}

TEST_CASE("rank updates and products with symmetric and triangular matrices are replayed from a graph") {
    for (const int64_t n : {30, 200})
        for_all_types([&]<class T>(const element<T>& e) {
            CAPTURE(n, e.type);
            const int64_t k = 3000;
            const heron_order order = HERON_ORDER_COLUMN;
            const heron_fill_mode fill = HERON_FILL_LOWER;
            const auto long_count = static_cast<std::size_t>(e.parts * n * k);
            const auto count = static_cast<std::size_t>(e.parts * n * n);
            check<T>(long_count, [&](heron_handle handle, const operands& o) {
                return heron_syrk(handle, e.type, order, fill, HERON_OP_NONE, n, k, e.alpha, o.a.data(), n,
                                  e.beta, o.c.data(), n);
            });
            check<T>(long_count, [&](heron_handle handle, const operands& o) {
                return (e.parts == 2 ? heron_her2k : heron_syr2k)(handle, e.type, order, fill, HERON_OP_NONE,
                                                                  n, k, e.alpha, o.a.data(), n, o.b.data(), n,
                                                                  e.beta, o.c.data(), n, HERON_RANK_2K_FUSED);
            });
            check<T>(count, [&](heron_handle handle, const operands& o) {
                return heron_symm(handle, e.type, order, HERON_SIDE_LEFT, fill, n, n, e.alpha, o.a.data(), n,
                                  o.b.data(), n, e.beta, o.c.data(), n);
            });
            check<T>(count, [&](heron_handle handle, const operands& o) {
                return heron_trmm(handle, e.type, order, HERON_SIDE_RIGHT, fill, HERON_OP_TRANSPOSE,
                                  HERON_DIAG_NON_UNIT, n, n, e.alpha, o.a.data(), n, o.c.data(), n);
            });
        });
}

TEST_CASE("triangular solves are replayed from a graph") {
    // With ones on and below the diagonal the solutions are differences, and exact.
    for (const int64_t n : {30, 200}) {
        CAPTURE(n);
        session s;
        array a(static_cast<std::size_t>(n * n)), b(static_cast<std::size_t>(n * n));
        const std::vector<double> ones(static_cast<std::size_t>(n * n), 1.0);
        expect(cudaMemcpy(a.data(), ones.data(), ones.size() * sizeof(double), cudaMemcpyHostToDevice));
        const double alpha = 2;
        const auto call = [&] {
            expect(heron_trsm(s.handle(), HERON_R_64F, HERON_ORDER_COLUMN, HERON_SIDE_LEFT, HERON_FILL_LOWER,
                              HERON_OP_NONE, HERON_DIAG_NON_UNIT, n, n, &alpha, a.data(), n, b.data(), n));
        };
        b.fill<double>(3);
        call();
        s.wait();
        const auto expected = b.bytes();
        const cudaGraphExec_t graph = s.capture(call);
        s.close();
        b.fill<double>(3);
        s.replay(graph);
        const bool is_equal = b.bytes() == expected;
        CHECK(is_equal);
        expect(cudaGraphExecDestroy(graph));
    }
}

TEST_CASE("Kronecker products are replayed from a graph") {
    struct shape {
        int d;
        int64_t n, count;
    };
    for (const auto& [d, n, items] : {shape{3, 2, 1000}, shape{2, 5, 300}, shape{3, 8, 100}, shape{6, 6, 3}})
        for (const heron_kron_output output :
             {HERON_KRON_STORE, HERON_KRON_ADD, HERON_KRON_ADD_ATOMIC, HERON_KRON_ADD_DETERMINISTIC}) {
            CAPTURE(d, n, items, output);
            const std::vector<int64_t> sizes(static_cast<std::size_t>(d), n);
            heron_kronmult_desc desc;
            expect(heron_kronmult_init(&desc, HERON_R_64F, d, sizes.data(), sizes.data(), items));
            desc.output = output;
            const int64_t size = desc.x.stride, factors = d * n * n;
            // The outputs are four where they may overlap.
            std::vector<int32_t> places(static_cast<std::size_t>(items));
            for (std::size_t k = 0; k < places.size(); ++k) places[k] = static_cast<int32_t>(k % 4);
            const array list(places.size());
            expect(cudaMemcpy(list.data(), places.data(), places.size() * sizeof(int32_t),
                              cudaMemcpyHostToDevice));
            const auto set = [&](const operands& o) {
                for (int i = 0; i < d; ++i)
                    desc.factors[i].a = heron_batch_strided(o.a.data() + i * n * n, factors);
                desc.x = heron_batch_strided(o.b.data(), size);
                desc.y = output < HERON_KRON_ADD_ATOMIC
                             ? heron_batch_strided(o.c.data(), size)
                             : heron_batch_indexed(o.c.data(), size, list.data(), HERON_INDEX_32);
            };
            const auto count = static_cast<std::size_t>(std::max(size, factors) * items);
            std::size_t bytes = 0;
            {
                const session s;
                set(operands(1));
                expect(heron_kronmult_workspace(s.handle(), &desc, &bytes));
            }
            const array workspace(bytes / sizeof(double) + 1);
            check<double>(count, [&](heron_handle handle, const operands& o) {
                set(o);
                return heron_kronmult(handle, nullptr, &desc, nullptr, workspace.data(), bytes);
            });
        }
}
