// The helper functions of clBLAS against copies element by element, in both orders, and every argument of
// theirs made invalid.
#include "rig.hpp"
#include <chrono>
#include <cstring>
#include <thread>

using namespace heron::test::cl;

// No header of clBLAS declares it.
extern "C" clblasStatus clblasSelectImplementation(int implementation);

namespace {

using bytes = std::vector<unsigned char>;

// A matrix in memory, and a part of it.
struct layout {
    std::size_t offset, ld, rows, columns, x, y;

    std::size_t at(int order, std::size_t i, std::size_t j) const {
        return offset + (order == clblasColumnMajor ? x + i + (y + j) * ld : (x + i) * ld + y + j);
    }
    std::size_t elements(int order) const {
        return offset + ld * (order == clblasColumnMajor ? columns : rows);
    }
};

constexpr layout a_of(int order) {
    return order == clblasColumnMajor ? layout{3, 11, 9, 8, 2, 1} : layout{3, 11, 8, 9, 1, 2};
}
constexpr layout b_of(int order) {
    return order == clblasColumnMajor ? layout{5, 13, 12, 7, 4, 0} : layout{5, 13, 7, 12, 0, 4};
}
constexpr std::size_t nx = 5, ny = 6;

bytes random_bytes(std::size_t count, unsigned seed) {
    std::mt19937 engine(seed);
    bytes result(count);
    for (unsigned char& b : result) b = static_cast<unsigned char>(engine());
    return result;
}

// What the target is after the part of the source has been copied to it.
bytes copied(int order, std::size_t size, const bytes& source, const layout& from, bytes target,
             const layout& to) {
    for (std::size_t i = 0; i < nx; ++i)
        for (std::size_t j = 0; j < ny; ++j)
            std::memcpy(&target[to.at(order, i, j) * size], &source[from.at(order, i, j) * size], size);
    return target;
}

class helpers {
  public:
    explicit helpers(cl_command_queue_properties properties = 0)
        : queue_(make_queue(context_.get(), properties)) {}

    cl_context context() const { return context_.get(); }
    cl_command_queue queue() const { return queue_.get(); }
    owned_buffer put(const bytes& values) const { return upload(context(), values); }
    bytes get(cl_mem memory, std::size_t count) const {
        return download<unsigned char>(queue(), memory, count);
    }

  private:
    owned_context context_ = make_context();
    owned_queue queue_;
};

void wait_and_release(cl_event event) {
    REQUIRE(event != nullptr);
    CHECK(clWaitForEvents(1, &event) == CL_SUCCESS);
    clReleaseEvent(event);
}

constexpr int orders[] = {clblasRowMajor, clblasColumnMajor};
constexpr std::size_t sizes[] = {1, 3, 4, 8, 16};

}  // namespace

TEST_CASE("parts of matrices are written, read and copied") {
    const helpers h;
    for (const int o : orders)
        for (const std::size_t size : sizes)
            for (const bool waits : {true, false}) {
                CAPTURE(o, size, waits);
                const auto order = static_cast<clblasOrder>(o);
                const layout la = a_of(o), lb = b_of(o);
                const bytes a = random_bytes(la.elements(o) * size, 1);
                const bytes b = random_bytes(lb.elements(o) * size, 2);
                const bytes expected = copied(o, size, a, la, b, lb);
                const owned_buffer da = h.put(a), written = h.put(b), moved = h.put(b);
                bytes read = b;
                cl_event done[3] = {};
                if (waits) {
                    REQUIRE(clblasWriteSubMatrix(order, size, a.data(), la.offset, la.ld, la.rows, la.columns,
                                                 la.x, la.y, written.get(), lb.offset, lb.ld, lb.rows,
                                                 lb.columns, lb.x, lb.y, nx, ny, h.queue(), 0,
                                                 nullptr) == clblasSuccess);
                    REQUIRE(clblasReadSubMatrix(order, size, da.get(), la.offset, la.ld, la.rows, la.columns,
                                                la.x, la.y, read.data(), lb.offset, lb.ld, lb.rows,
                                                lb.columns, lb.x, lb.y, nx, ny, h.queue(), 0,
                                                nullptr) == clblasSuccess);
                    REQUIRE(clblasCopySubMatrix(order, size, da.get(), la.offset, la.ld, la.rows, la.columns,
                                                la.x, la.y, moved.get(), lb.offset, lb.ld, lb.rows,
                                                lb.columns, lb.x, lb.y, nx, ny, h.queue(), 0,
                                                nullptr) == clblasSuccess);
                } else {
                    REQUIRE(clblasWriteSubMatrixAsync(order, size, a.data(), la.offset, la.ld, la.rows,
                                                      la.columns, la.x, la.y, written.get(), lb.offset, lb.ld,
                                                      lb.rows, lb.columns, lb.x, lb.y, nx, ny, h.queue(), 0,
                                                      nullptr, &done[0]) == clblasSuccess);
                    REQUIRE(clblasReadSubMatrixAsync(order, size, da.get(), la.offset, la.ld, la.rows,
                                                     la.columns, la.x, la.y, read.data(), lb.offset, lb.ld,
                                                     lb.rows, lb.columns, lb.x, lb.y, nx, ny, h.queue(), 1,
                                                     &done[0], &done[1]) == clblasSuccess);
                    REQUIRE(clblasCopySubMatrixAsync(order, size, da.get(), la.offset, la.ld, la.rows,
                                                     la.columns, la.x, la.y, moved.get(), lb.offset, lb.ld,
                                                     lb.rows, lb.columns, lb.x, lb.y, nx, ny, h.queue(), 0,
                                                     nullptr, &done[2]) == clblasSuccess);
                    for (const cl_event event : done) wait_and_release(event);
                }
                CHECK((h.get(written.get(), b.size()) == expected));
                CHECK((read == expected));
                CHECK((h.get(moved.get(), b.size()) == expected));
            }
}

TEST_CASE("whole matrices and vectors") {
    const helpers h;
    constexpr std::size_t size = 8, rows = 6, columns = 4, count = 17;
    for (const int o : orders) {
        CAPTURE(o);
        const auto order = static_cast<clblasOrder>(o);
        const layout la{1, 9, rows, columns, 0, 0}, lb{2, 7, rows, columns, 0, 0};
        const bytes a = random_bytes(la.elements(o) * size, 3), b = random_bytes(lb.elements(o) * size, 4);
        bytes expected = b;
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = 0; j < columns; ++j)
                std::memcpy(&expected[lb.at(o, i, j) * size], &a[la.at(o, i, j) * size], size);
        for (const bool waits : {true, false}) {
            const owned_buffer da = h.put(a), written = h.put(b), moved = h.put(b);
            bytes read = b;
            cl_event done[3] = {};
            if (waits) {
                REQUIRE(clblasWriteMatrix(order, rows, columns, size, a.data(), la.offset, la.ld,
                                          written.get(), lb.offset, lb.ld, h.queue(), 0,
                                          nullptr) == clblasSuccess);
                REQUIRE(clblasReadMatrix(order, rows, columns, size, da.get(), la.offset, la.ld, read.data(),
                                         lb.offset, lb.ld, h.queue(), 0, nullptr) == clblasSuccess);
                REQUIRE(clblasCopyMatrix(order, rows, columns, size, da.get(), la.offset, la.ld, moved.get(),
                                         lb.offset, lb.ld, h.queue(), 0, nullptr) == clblasSuccess);
            } else {
                REQUIRE(clblasWriteMatrixAsync(order, rows, columns, size, a.data(), la.offset, la.ld,
                                               written.get(), lb.offset, lb.ld, h.queue(), 0, nullptr,
                                               &done[0]) == clblasSuccess);
                REQUIRE(clblasReadMatrixAsync(order, rows, columns, size, da.get(), la.offset, la.ld,
                                              read.data(), lb.offset, lb.ld, h.queue(), 0, nullptr,
                                              &done[1]) == clblasSuccess);
                REQUIRE(clblasCopyMatrixAsync(order, rows, columns, size, da.get(), la.offset, la.ld,
                                              moved.get(), lb.offset, lb.ld, h.queue(), 0, nullptr,
                                              &done[2]) == clblasSuccess);
                for (const cl_event event : done) wait_and_release(event);
            }
            CHECK((h.get(written.get(), b.size()) == expected));
            CHECK((read == expected));
            CHECK((h.get(moved.get(), b.size()) == expected));
        }
    }
    const bytes a = random_bytes((count + 5) * size, 5), b = random_bytes((count + 9) * size, 6);
    bytes expected = b;
    std::memcpy(&expected[7 * size], &a[3 * size], count * size);
    for (const bool waits : {true, false}) {
        const owned_buffer da = h.put(a), written = h.put(b), moved = h.put(b);
        bytes read = b;
        cl_event done[3] = {};
        if (waits) {
            REQUIRE(clblasWriteVector(count, size, a.data(), 3, written.get(), 7, h.queue(), 0, nullptr) ==
                    clblasSuccess);
            REQUIRE(clblasReadVector(count, size, da.get(), 3, read.data(), 7, h.queue(), 0, nullptr) ==
                    clblasSuccess);
            REQUIRE(clblasCopyVector(count, size, da.get(), 3, moved.get(), 7, h.queue(), 0, nullptr) ==
                    clblasSuccess);
        } else {
            REQUIRE(clblasWriteVectorAsync(count, size, a.data(), 3, written.get(), 7, h.queue(), 0, nullptr,
                                           &done[0]) == clblasSuccess);
            REQUIRE(clblasReadVectorAsync(count, size, da.get(), 3, read.data(), 7, h.queue(), 0, nullptr,
                                          &done[1]) == clblasSuccess);
            REQUIRE(clblasCopyVectorAsync(count, size, da.get(), 3, moved.get(), 7, h.queue(), 0, nullptr,
                                          &done[2]) == clblasSuccess);
            for (const cl_event event : done) wait_and_release(event);
        }
        CHECK((h.get(written.get(), b.size()) == expected));
        CHECK((read == expected));
        CHECK((h.get(moved.get(), b.size()) == expected));
    }
}

TEST_CASE("parts of matrices are filled") {
    const helpers in_order, out_of_order(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    for (const helpers* const h : {&in_order, &out_of_order})
        for (const int o : orders)
            for (const std::size_t size : {1u, 2u, 4u, 8u, 16u, 64u})
                for (std::size_t rows = 1; rows <= 7; ++rows)
                    for (const bool waits : {true, false}) {
                        CAPTURE(o, size, rows, waits);
                        const auto order = static_cast<clblasOrder>(o);
                        const layout l{3, 11, 9, 8, 2, 1};
                        const bytes before = random_bytes(l.elements(o) * size, 7);
                        const bytes pattern = random_bytes(size, 8);
                        bytes expected = before;
                        for (std::size_t i = 0; i < rows; ++i)
                            for (std::size_t j = 0; j < 7; ++j)
                                std::memcpy(&expected[l.at(o, i, j) * size], pattern.data(), size);
                        const owned_buffer memory = h->put(before);
                        if (waits) {
                            REQUIRE(clblasFillSubMatrix(order, size, memory.get(), l.offset, l.ld, l.rows,
                                                        l.columns, l.x, l.y, rows, 7, pattern.data(),
                                                        h->queue(), 0, nullptr) == clblasSuccess);
                        } else {
                            cl_event done = nullptr;
                            REQUIRE(clblasFillSubMatrixAsync(order, size, memory.get(), l.offset, l.ld,
                                                             l.rows, l.columns, 2, 1, rows, 7, pattern.data(),
                                                             h->queue(), 0, nullptr, &done) == clblasSuccess);
                            wait_and_release(done);
                        }
                        CHECK((h->get(memory.get(), before.size()) == expected));
                    }
}

TEST_CASE("whole matrices and vectors are filled") {
    const helpers h;
    constexpr std::size_t size = 4, rows = 5, columns = 3;
    const bytes before = random_bytes(40 * size, 9), pattern = random_bytes(size, 10);
    for (const int o : orders)
        for (const std::size_t ld : {rows, rows + 2}) {
            const auto order = static_cast<clblasOrder>(o);
            const layout l{1, ld, rows, columns, 0, 0};
            bytes expected = before;
            for (std::size_t i = 0; i < rows; ++i)
                for (std::size_t j = 0; j < columns; ++j)
                    std::memcpy(&expected[l.at(o, i, j) * size], pattern.data(), size);
            const owned_buffer first = h.put(before), second = h.put(before);
            cl_event done = nullptr;
            REQUIRE(clblasFillMatrix(order, size, first.get(), 1, ld, rows, columns, pattern.data(),
                                     h.queue(), 0, nullptr) == clblasSuccess);
            REQUIRE(clblasFillMatrixAsync(order, size, second.get(), 1, ld, rows, columns, pattern.data(),
                                          h.queue(), 0, nullptr, &done) == clblasSuccess);
            wait_and_release(done);
            CHECK((h.get(first.get(), before.size()) == expected));
            CHECK((h.get(second.get(), before.size()) == expected));
        }
    bytes expected = before;
    for (std::size_t i = 0; i < 11; ++i) std::memcpy(&expected[(i + 6) * size], pattern.data(), size);
    const owned_buffer first = h.put(before), second = h.put(before);
    cl_event done = nullptr;
    REQUIRE(clblasFillVector(11, size, first.get(), 6, pattern.data(), h.queue(), 0, nullptr) ==
            clblasSuccess);
    REQUIRE(clblasFillVectorAsync(11, size, second.get(), 6, pattern.data(), h.queue(), 0, nullptr, &done) ==
            clblasSuccess);
    wait_and_release(done);
    CHECK((h.get(first.get(), before.size()) == expected));
    CHECK((h.get(second.get(), before.size()) == expected));
}

TEST_CASE("the functions that do not wait wait for their lists") {
    for (const cl_command_queue_properties properties : {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}) {
        const helpers h(properties);
        const owned_queue reader = make_queue(h.context());
        const bytes source = random_bytes(64, 11), before(64, 0);
        const unsigned char one = 0x5a;
        const owned_buffer memory = h.put(before);
        const owned_event gate = make_user_event(h.context());
        const cl_event waits[] = {gate.get()};
        owned_event written, filled;
        REQUIRE(clblasWriteVectorAsync(64, 1, source.data(), 0, memory.get(), 0, h.queue(), 1, waits,
                                       written.out()) == clblasSuccess);
        const cl_event after[] = {written.get()};
        REQUIRE(clblasFillVectorAsync(3, 1, memory.get(), 2, &one, h.queue(), 1, after, filled.out()) ==
                clblasSuccess);
        clFlush(h.queue());
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        CHECK_FALSE(is_complete(written.get()));
        CHECK((download<unsigned char>(reader.get(), memory.get(), 64) == before));
        REQUIRE(clSetUserEventStatus(gate.get(), CL_COMPLETE) == CL_SUCCESS);
        bytes expected = source;
        expected[2] = expected[3] = expected[4] = one;
        CHECK((download<unsigned char>(reader.get(), memory.get(), 64, filled.get()) == expected));
    }
}

TEST_CASE("nothing to do is a success, with an event") {
    const helpers h;
    const bytes before = random_bytes(16, 12);
    const owned_buffer memory = h.put(before);
    cl_event done = nullptr;
    CHECK(clblasWriteVectorAsync(0, 1, before.data(), 0, memory.get(), 0, h.queue(), 0, nullptr, &done) ==
          clblasSuccess);
    wait_and_release(done);
    CHECK(clblasFillVector(0, 4, memory.get(), 0, before.data(), h.queue(), 0, nullptr) == clblasSuccess);
    CHECK(clblasReadVector(0, 1, memory.get(), 0, nullptr, 0, h.queue(), 0, nullptr) == clblasSuccess);
    CHECK((h.get(memory.get(), 16) == before));
}

TEST_CASE("sizes of matrices") {
    std::size_t ld = 0, all = 0;
    CHECK(clblasMatrixSizeInfo(clblasRowMajor, 3, 5, 8, 2, &ld, &all) == clblasSuccess);
    CHECK(ld == 7);
    CHECK(all == 7 * 3 * 8);
    CHECK(clblasMatrixSizeInfo(clblasColumnMajor, 3, 5, 8, 2, &ld, &all) == clblasSuccess);
    CHECK(ld == 5);
    CHECK(all == 5 * 5 * 8);
    CHECK(clblasMatrixSizeInfo(clblasColumnMajor, 3, 5, 8, 2, nullptr, nullptr) == clblasSuccess);
    CHECK(clblasMatrixSizeInfo(clblasColumnMajor, 3, 5, 0, 2, &ld, &all) == clblasInvalidValue);
    CHECK(clblasMatrixSizeInfo(clblasColumnMajor, 0, 0, 8, 2, &ld, &all) == clblasInvalidValue);
    CHECK(clblasMatrixSizeInfo(static_cast<clblasOrder>(7), 3, 5, 8, 2, &ld, &all) == clblasInvalidValue);
    CHECK(clblasMatrixSizeInfo(clblasColumnMajor, SIZE_MAX, 5, 8, 2, &ld, &all) == clblasInvalidValue);
    CHECK(clblasMatrixSizeInfo(clblasColumnMajor, SIZE_MAX / 8, 5, 8, 2, &ld, &all) == clblasInvalidValue);
    CHECK(ld == 5);
    CHECK(all == 5 * 5 * 8);
}

TEST_CASE("buffers for matrices") {
    const helpers h;
    const auto bytes_of = [](cl_mem memory) {
        std::size_t count = 0;
        REQUIRE(clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof count, &count, nullptr) == CL_SUCCESS);
        return count;
    };
    std::size_t ld = 0, all = 0;
    cl_int code = 1;
    {
        const owned_buffer made(
            clblasCreateMatrix(h.context(), clblasColumnMajor, 3, 5, 8, 2, &ld, &all, &code));
        REQUIRE(code == CL_SUCCESS);
        CHECK(ld == 5);
        CHECK(all == 200);
        CHECK(bytes_of(made.get()) == 200);
    }
    {
        const owned_buffer made(
            clblasCreateMatrixWithLd(h.context(), clblasRowMajor, 3, 5, 8, 6, &all, &code));
        REQUIRE(code == CL_SUCCESS);
        CHECK(all == 144);
        CHECK(bytes_of(made.get()) == 144);
    }
    const owned_buffer unasked(
        clblasCreateMatrixWithLd(h.context(), clblasRowMajor, 3, 5, 8, 6, nullptr, nullptr));
    CHECK(unasked.get() != nullptr);
    CHECK(clblasCreateMatrixWithLd(h.context(), clblasRowMajor, 3, 5, 8, 4, &all, &code) == nullptr);
    CHECK(code == clblasInvalidValue);
    CHECK(clblasCreateMatrixWithLd(h.context(), clblasColumnMajor, 3, 5, 8, 2, &all, &code) == nullptr);
    CHECK(code == clblasInvalidValue);
    CHECK(clblasCreateMatrix(nullptr, clblasRowMajor, 3, 5, 8, 0, &ld, &all, &code) == nullptr);
    CHECK(code == CL_INVALID_CONTEXT);
    CHECK(clblasCreateMatrix(h.context(), clblasRowMajor, 0, 5, 8, 0, &ld, &all, &code) == nullptr);
    CHECK(code == CL_INVALID_BUFFER_SIZE);
    CHECK(clblasCreateMatrix(h.context(), clblasRowMajor, SIZE_MAX / 16, 1, 8, 0, &ld, &all, &code) ==
          nullptr);
    CHECK(code == CL_MEM_OBJECT_ALLOCATION_FAILURE);
    CHECK(clblasCreateMatrix(h.context(), static_cast<clblasOrder>(9), 3, 5, 8, 0, &ld, &all, &code) ==
          nullptr);
    CHECK(code == clblasInvalidValue);
}

TEST_CASE("buffers with a matrix of the host") {
    const helpers h;
    constexpr std::size_t size = 4, rows = 4, columns = 6, ld = 7;
    for (const int o : orders) {
        const auto order = static_cast<clblasOrder>(o);
        const layout host{2, 9, rows, columns, 0, 0}, target{0, ld, rows, columns, 0, 0};
        bytes source = random_bytes(host.elements(o) * size, 13);
        cl_int code = 1;
        const owned_buffer made(clblasCreateMatrixFromHost(h.context(), order, rows, columns, size, ld,
                                                           source.data(), host.offset, host.ld, h.queue(), 0,
                                                           nullptr, &code));
        REQUIRE(code == CL_SUCCESS);
        const bytes got = h.get(made.get(), target.elements(o) * size);
        for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t j = 0; j < columns; ++j)
                if (std::memcmp(&got[target.at(o, i, j) * size], &source[host.at(o, i, j) * size], size) != 0)
                    FAIL("element (" << i << ", " << j << ") is wrong");
        CHECK(clblasCreateMatrixFromHost(h.context(), order, rows, columns, size, ld, nullptr, host.offset,
                                         host.ld, h.queue(), 0, nullptr, &code) == nullptr);
        CHECK(code == clblasInvalidValue);
        CHECK(clblasCreateMatrixFromHost(h.context(), order, rows, columns, size, ld, source.data(),
                                         host.offset, 3, h.queue(), 0, nullptr, &code) == nullptr);
        CHECK(code == clblasInvalidValue);
        CHECK(clblasCreateMatrixFromHost(h.context(), order, rows, columns, size, ld, source.data(),
                                         host.offset, host.ld, nullptr, 0, nullptr, &code) == nullptr);
        CHECK(code == clblasInvalidCommandQueue);
    }
}

namespace {

// The arguments of clblasCopySubMatrix, good ones.
struct copy_arguments {
    int order = clblasColumnMajor;
    std::size_t size = 4;
    cl_mem a = nullptr, b = nullptr;
    layout from = a_of(clblasColumnMajor), to = b_of(clblasColumnMajor);
    std::size_t rows = nx, columns = ny;
    cl_command_queue queue = nullptr;
    cl_uint wait_count = 0;
    const cl_event* waits = nullptr;

    int call() const {
        return clblasCopySubMatrix(static_cast<clblasOrder>(order), size, a, from.offset, from.ld, from.rows,
                                   from.columns, from.x, from.y, b, to.offset, to.ld, to.rows, to.columns,
                                   to.x, to.y, rows, columns, queue, wait_count, waits);
    }
};

}  // namespace

TEST_CASE("bad arguments of the helpers") {
    const helpers h;
    const bytes values = random_bytes(4 * 120, 14);
    const owned_buffer a = h.put(values), b = h.put(values);
    const auto status = [&](const std::function<void(copy_arguments&)>& spoil) {
        copy_arguments x;
        x.a = a.get();
        x.b = b.get();
        x.queue = h.queue();
        spoil(x);
        const int result = x.call();
        if (result != clblasSuccess) {
            CHECK((h.get(a.get(), values.size()) == values));
            CHECK((h.get(b.get(), values.size()) == values));
        }
        return result;
    };
    CHECK(status([](copy_arguments& x) { x.order = 5; }) == clblasInvalidValue);
    CHECK(status([](copy_arguments& x) { x.size = 0; }) == clblasInvalidValue);
    CHECK(status([](copy_arguments& x) { x.a = nullptr; }) == clblasInvalidMemObject);
    CHECK(status([](copy_arguments& x) { x.b = nullptr; }) == clblasInvalidMemObject);
    CHECK(status([](copy_arguments& x) { x.queue = nullptr; }) == clblasInvalidCommandQueue);
    CHECK(status([](copy_arguments& x) { x.wait_count = 1; }) == clblasInvalidEventWaitList);
    for (const std::size_t bad : {std::size_t{200}, SIZE_MAX, SIZE_MAX / 4}) {
        CHECK(status([&](copy_arguments& x) { x.from.offset = bad; }) == clblasInvalidValue);
        CHECK(status([&](copy_arguments& x) { x.to.offset = bad; }) == clblasInvalidValue);
        CHECK(status([&](copy_arguments& x) { x.from.x = bad; }) == clblasInvalidValue);
        CHECK(status([&](copy_arguments& x) { x.from.y = bad; }) == clblasInvalidValue);
        CHECK(status([&](copy_arguments& x) { x.to.x = bad; }) == clblasInvalidValue);
        CHECK(status([&](copy_arguments& x) { x.to.y = bad; }) == clblasInvalidValue);
        CHECK(status([&](copy_arguments& x) { x.rows = bad; }) == clblasInvalidValue);
        CHECK(status([&](copy_arguments& x) { x.columns = bad; }) == clblasInvalidValue);
        CHECK(status([&](copy_arguments& x) { x.from.ld = bad; }) == clblasInvalidValue);
        CHECK(status([&](copy_arguments& x) { x.to.ld = bad; }) == clblasInvalidValue);
    }
    CHECK(status([](copy_arguments& x) { x.from.ld = nx - 1; }) == clblasInvalidValue);
    CHECK(status([](copy_arguments& x) { x.to.ld = nx - 1; }) == clblasInvalidValue);
    CHECK(status([](copy_arguments& x) { x.from.rows = 6; }) == clblasInvalidValue);
    CHECK(status([](copy_arguments& x) { x.from.columns = 6; }) == clblasInvalidValue);
    CHECK(status([](copy_arguments& x) { x.to.rows = 8; }) == clblasInvalidValue);
    CHECK(status([](copy_arguments& x) { x.to.columns = 5; }) == clblasInvalidValue);
    // The parts of one buffer overlap.
    CHECK(status([](copy_arguments& x) { x.b = x.a, x.to = x.from, x.to.x += 1; }) == clblasInvalidValue);

    const owned_context other = make_context();
    const owned_buffer foreign = upload(other.get(), values);
    CHECK(status([&](copy_arguments& x) { x.b = foreign.get(); }) == clblasInvalidContext);
    CHECK(status([](copy_arguments&) {}) == clblasSuccess);

    const unsigned char pattern[256] = {};
    const auto fill = [&](std::size_t size, int x, int y, const void* p) {
        return clblasFillSubMatrixAsync(clblasColumnMajor, size, a.get(), 0, 9, 8, 4, x, y, 2, 2, p,
                                        h.queue(), 0, nullptr, nullptr);
    };
    CHECK(fill(4, -1, 0, pattern) == clblasInvalidValue);
    CHECK(fill(4, 0, -1, pattern) == clblasInvalidValue);
    CHECK(fill(4, 7, 0, pattern) == clblasInvalidValue);
    CHECK(fill(4, 0, 3, pattern) == clblasInvalidValue);
    CHECK(fill(4, 0, 0, nullptr) == clblasInvalidValue);
    CHECK(fill(3, 0, 0, pattern) == clblasInvalidValue);
    CHECK(fill(0, 0, 0, pattern) == clblasInvalidValue);
    CHECK((h.get(a.get(), values.size()) == values));
    CHECK(clblasWriteVector(4, 4, nullptr, 0, a.get(), 0, h.queue(), 0, nullptr) == clblasInvalidValue);
    CHECK(clblasReadVector(4, 4, a.get(), 0, nullptr, 0, h.queue(), 0, nullptr) == clblasInvalidValue);
    CHECK(clblasFillVector(4, 4, nullptr, 0, pattern, h.queue(), 0, nullptr) == clblasInvalidMemObject);
}

TEST_CASE("implementations choose nothing") {
    CHECK(clblasSelectImplementation(0) == clblasSuccess);
    CHECK(clblasSelectImplementation(14) == clblasSuccess);
    CHECK(clblasSelectImplementation(4) == clblasInvalidValue);
    CHECK(clblasSelectImplementation(-1) == clblasInvalidValue);
    CHECK(clblasSelectImplementation(99) == clblasInvalidValue);
}
