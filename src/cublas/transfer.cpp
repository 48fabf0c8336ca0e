// Vectors and matrices between host and device. Without a handle: each call makes a context of its own.
#include "translate.hpp"
#include "core/ops/blas1_calls.hpp"
#include <algorithm>
#include <cstring>
#include <vector>

using namespace heron;
using namespace heron::cublas;

namespace {

using bytes = std::vector<char>;

void copy(core::context& c, void* to, const void* from, int64_t size) {
    c.with_queue([&](heron_queue* queue) {
        core::check(c.table().copy(queue, to, from, static_cast<size_t>(size)), "copying");
    });
}

void wait(core::context& c) {
    c.with_queue([&](heron_queue* queue) { core::check(c.table().queue_sync(queue), "waiting"); });
}

char* moved(void* p, int64_t by) { return static_cast<char*>(p) + by; }
const char* moved(const void* p, int64_t by) { return static_cast<const char*>(p) + by; }

// Elements in device memory, `inc` of them apart.
struct device_vector {
    void* memory;
    int64_t n, size, inc;
};

// A type that moves elements of this size and address, if there is one.
const heron_type* type_that_moves(const device_vector& v) {
    static constexpr struct {
        int64_t size;
        heron_type type;
    } movers[] = {{2, HERON_R_16F}, {4, HERON_R_32F}, {8, HERON_R_64F}, {16, HERON_C_64F}};
    for (const auto& m : movers)
        if (m.size == v.size && reinterpret_cast<uintptr_t>(v.memory) % static_cast<uintptr_t>(m.size) == 0)
            return &m.type;
    return nullptr;
}

// Elements without gaps to or from ones with gaps: by way of the device where it can move them.
void scatter(core::context& c, const device_vector& to, const void* from) {
    if (to.inc == 1 || to.n == 1) return copy(c, to.memory, from, to.n * to.size);
    if (const heron_type* const type = type_that_moves(to))
        return c.with_scratch(static_cast<size_t>(to.n * to.size), [&](heron_queue*, void* scratch) {
            copy(c, scratch, from, to.n * to.size);
            core::copy(c, {*type, to.n, {scratch, 1}, {to.memory, to.inc}});
        });
    for (int64_t i = 0; i < to.n; ++i)
        copy(c, moved(to.memory, i * to.inc * to.size), moved(from, i * to.size), to.size);
}

void gather(core::context& c, void* to, const device_vector& from) {
    if (from.inc == 1 || from.n == 1) return copy(c, to, from.memory, from.n * from.size);
    if (const heron_type* const type = type_that_moves(from))
        return c.with_scratch(static_cast<size_t>(from.n * from.size), [&](heron_queue*, void* scratch) {
            core::copy(c, {*type, from.n, {from.memory, from.inc}, {scratch, 1}});
            copy(c, to, scratch, from.n * from.size);
        });
    for (int64_t i = 0; i < from.n; ++i)
        copy(c, moved(to, i * from.size), moved(from.memory, i * from.inc * from.size), from.size);
}

void set_vector(core::context& c, const device_vector& to, const void* from, int64_t inc) {
    if (inc == 1) return scatter(c, to, from);
    bytes packed(static_cast<size_t>(to.n * to.size));
    for (int64_t i = 0; i < to.n; ++i)
        std::memcpy(moved(packed.data(), i * to.size), moved(from, i * inc * to.size),
                    static_cast<size_t>(to.size));
    scatter(c, to, packed.data());
    wait(c);
}

void get_vector(core::context& c, void* to, int64_t inc, const device_vector& from) {
    if (inc == 1) return gather(c, to, from);
    bytes packed(static_cast<size_t>(from.n * from.size));
    gather(c, packed.data(), from);
    wait(c);
    for (int64_t i = 0; i < from.n; ++i)
        std::memcpy(moved(to, i * inc * from.size), moved(packed.data(), i * from.size),
                    static_cast<size_t>(from.size));
}

void require_positive(int64_t value, const char* name) { core::require(value > 0, name, "is not positive"); }

// The bytes of elements that are so many apart, which must fit 63 bits.
int64_t checked_bytes(int64_t n, int64_t apart, int64_t size, const char* name) {
    int64_t result = 0;
    if (__builtin_mul_overflow(n, apart, &result) || __builtin_mul_overflow(result, size, &result))
        core::invalid(name, "the size exceeds 63 bits");
    return result;
}

// Which of the two pointers of a transfer lies in device memory.
enum class direction { to_device, to_host };

struct transfer_names {
    const char* from;
    const char* to;
};
constexpr transfer_names set_names{"x", "devicePtr"}, get_names{"x", "y"},
    set_async_names{"hostPtr", "devicePtr"}, get_async_names{"devicePtr", "hostPtr"};

void move_vector(direction way, const transfer_names& names, int64_t n, int64_t size, const void* from,
                 int64_t from_inc, void* to, int64_t to_inc, cudaStream_t stream, bool waits) {
    core::require(n >= 0, "n", "is negative");
    require_positive(size, "elemSize");
    require_positive(from_inc, "incx");
    require_positive(to_inc, "incy");
    checked_bytes(n, std::max(from_inc, to_inc), size, "n");
    if (n == 0) return;
    core::required(from, names.from);
    core::required(to, names.to);
    core::context c;
    c.set_stream(stream);
    if (way == direction::to_device)
        set_vector(c, {to, n, size, to_inc}, from, from_inc);
    else
        get_vector(c, to, to_inc, {const_cast<void*>(from), n, size, from_inc});
    if (waits) wait(c);
}

void move_matrix(int64_t rows, int64_t cols, int64_t size, const void* a, int64_t lda, void* b, int64_t ldb,
                 cudaStream_t stream, bool waits) {
    core::require(rows >= 0, "rows", "is negative");
    core::require(cols >= 0, "cols", "is negative");
    require_positive(size, "elemSize");
    core::require(lda >= std::max<int64_t>(rows, 1), "lda", "is less than rows");
    core::require(ldb >= std::max<int64_t>(rows, 1), "ldb", "is less than rows");
    checked_bytes(cols, std::max(lda, ldb), size, "cols");
    if (rows == 0 || cols == 0) return;
    core::required(a, "A");
    core::required(b, "B");
    core::context c;
    c.set_stream(stream);
    if (lda == rows && ldb == rows) {
        copy(c, b, a, rows * cols * size);
    } else {
        for (int64_t j = 0; j < cols; ++j)
            copy(c, moved(b, j * ldb * size), moved(a, j * lda * size), rows * size);
    }
    if (waits) wait(c);
}

}  // namespace

#define HERON_FAMILY "cublas/transfer_functions.inc"
#include <cublas/foreach_integer.inc>
