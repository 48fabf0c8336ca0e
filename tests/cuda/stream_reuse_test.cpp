// A stream that is destroyed with work under way, and another one that gets its address: memory that a handle
// lends to one call after the other must not be used before that work is done.
#include "captured_stream.hpp"

#include <heron/heron.h>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace {

void expect(heron_status actual) {
    INFO(heron_status_string(actual));
    REQUIRE(actual == HERON_SUCCESS);
}

class numbers {
  public:
    explicit numbers(const std::vector<double>& values) : count_(values.size()) {
        expect(cudaMalloc(reinterpret_cast<void**>(&data_), bytes()));
        expect(cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice));
    }
    ~numbers() { cudaFree(data_); }
    numbers(const numbers&) = delete;
    numbers& operator=(const numbers&) = delete;

    double* data() const { return data_; }
    std::vector<double> get() const {
        std::vector<double> result(count_);
        expect(cudaMemcpy(result.data(), data_, bytes(), cudaMemcpyDeviceToHost));
        return result;
    }

  private:
    std::size_t bytes() const { return count_ * sizeof(double); }

    std::size_t count_;
    double* data_ = nullptr;
};

cudaStream_t new_stream() {
    cudaStream_t stream = nullptr;
    expect(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

// Streams until one has this address; NULL if none of a few has. A driver has been seen to make no end of
// this after some thirty, while work was held.
cudaStream_t stream_at(cudaStream_t address, std::vector<cudaStream_t>& all) {
    for (int i = 0; i < 16; ++i) {
        all.push_back(new_stream());
        if (all.back() == address) return address;
    }
    return nullptr;
}

// Work that a stream does not get past before it is told to; or before it gives up, because some call does
// not come back before the work is done.
class gate {
  public:
    void close(cudaStream_t stream) {
        is_open_ = false;
        expect(cudaLaunchHostFunc(
            stream, [](void* me) { static_cast<gate*>(me)->wait(); }, this));
    }
    void open() { is_open_ = true; }
    bool has_given_up() const { return has_given_up_; }
    ~gate() { open(); }

  private:
    void wait() {
        using clock = std::chrono::steady_clock;
        const auto end = clock::now() + std::chrono::seconds(20);
        while (!is_open_ && !has_given_up_) {
            std::this_thread::yield();
            has_given_up_ = clock::now() > end;
        }
    }

    std::atomic<bool> is_open_{true}, has_given_up_{false};
};

// multiply(handle, out) uses memory of the handle's. It gives `expected` again and again.
template <class Multiply>
void check(std::size_t outputs, const std::vector<double>& expected, Multiply&& multiply) {
    heron_handle handle = nullptr;
    expect(heron_create_on("cuda", 0, &handle));
    const std::vector<double> zeros(outputs);
    const numbers first(zeros), second(zeros);
    const cudaStream_t stream = new_stream();
    expect(heron_set_stream(handle, stream));
    multiply(handle, first.data());
    expect(cudaStreamSynchronize(stream));
    std::vector<cudaStream_t> streams;
    bool is_done = false, is_reused = false;
    {
        gate held;
        const auto did_not_wait = [&](const char* step) {
            INFO("these waited for work of a stream: " << step);
            REQUIRE_FALSE(held.has_given_up());
        };
        held.close(stream);
        multiply(handle, first.data());
        did_not_wait("a product");
        expect(cudaStreamDestroy(stream));
        did_not_wait("the stream's end");
        if (const cudaStream_t again = stream_at(stream, streams)) {
            did_not_wait("new streams");
            is_reused = true;
            expect(heron_set_stream(handle, again));
            did_not_wait("a handle's stream");
            multiply(handle, second.data());
            did_not_wait("a product after another stream's");
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
            is_done = cudaStreamQuery(again) == cudaSuccess;
        }
    }
    expect(cudaDeviceSynchronize());
    if (!is_reused) WARN("no stream got the address of one with work under way");
    CHECK_FALSE(is_done);
    const auto is_right = [&](const numbers& found) {
        const std::vector<double> values = found.get();
        for (std::size_t i = 0; i < values.size(); ++i)
            if (values[i] != expected[i % expected.size()]) return false;
        return true;
    };
    CHECK(is_right(first));
    CHECK((!is_reused || is_right(second)));
    for (const cudaStream_t s : streams) expect(cudaStreamDestroy(s));
    expect(heron_destroy(handle));
}

}  // namespace

TEST_CASE("a product whose inner dimension is cut into parts, on a stream at a destroyed one's address") {
    skip_without_device();
    constexpr int64_t n = 192, k = 20'000;
    const numbers ones(std::vector<double>(static_cast<std::size_t>(n * k), 1.0));
    check(static_cast<std::size_t>(n * n), {static_cast<double>(k)}, [&](heron_handle handle, double* c) {
        const double one = 1, zero = 0;
        expect(heron_gemm(handle, HERON_R_64F, HERON_ORDER_COLUMN, HERON_OP_TRANSPOSE, HERON_OP_NONE, n, n, k,
                          &one, ones.data(), k, ones.data(), k, &zero, c, n, HERON_GEMM_DEFAULT));
    });
}

TEST_CASE("a product by three, in the handle's scratch, on a stream at a destroyed one's address") {
    skip_without_device();
    constexpr int64_t n = 256;
    const numbers ones(std::vector<double>(static_cast<std::size_t>(2 * n * n), 1.0));
    check(static_cast<std::size_t>(2 * n * n), {2.0 * n, 0}, [&](heron_handle handle, double* c) {
        const double one[2] = {1, 0}, zero[2] = {};
        expect(heron_gemm(handle, HERON_C_64F, HERON_ORDER_COLUMN, HERON_OP_CONJUGATE_TRANSPOSE,
                          HERON_OP_NONE, n, n, n, one, ones.data(), n, ones.data(), n, zero, c, n,
                          HERON_GEMM_3M));
    });
}
