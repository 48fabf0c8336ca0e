// Every argument of the vector operations made wrong in turn: the status, a log line that names it, and
// operands that stay as they are.
#include "vector_problem.hpp"

using namespace heron::test;

namespace {

struct arguments {
    heron_handle handle = native();
    heron_type type = HERON_R_32F, alpha_type = HERON_R_32F;
    std::int64_t n = 3, incx = 2, incy = -1;
    void* x;
    void* y;
    float scalar = 2, sine = 0.5f;
    float parameters[5] = {-1, 1, 2, 3, 4};
    const void* alpha = &scalar;
    const void* s = &sine;
    void* result = parameters;
};

using call = heron_status (*)(arguments&);
struct function {
    const char* name;
    bool has_y, has_alpha, has_result;
    call run;
};

const function functions[] = {
    {"heron_vector_copy", true, false, false,
     [](arguments& a) { return heron_vector_copy(a.handle, a.type, a.n, a.x, a.incx, a.y, a.incy); }},
    {"heron_vector_swap", true, false, false,
     [](arguments& a) { return heron_vector_swap(a.handle, a.type, a.n, a.x, a.incx, a.y, a.incy); }},
    {"heron_scal", false, true, false,
     [](arguments& a) { return heron_scal(a.handle, a.type, a.n, a.alpha_type, a.alpha, a.x, a.incx); }},
    {"heron_axpy", true, true, false,
     [](arguments& a) { return heron_axpy(a.handle, a.type, a.n, a.alpha, a.x, a.incx, a.y, a.incy); }},
    {"heron_dot", true, false, true,
     [](arguments& a) { return heron_dot(a.handle, a.type, a.n, a.x, a.incx, a.y, a.incy, a.result); }},
    {"heron_dotc", true, false, true,
     [](arguments& a) { return heron_dotc(a.handle, a.type, a.n, a.x, a.incx, a.y, a.incy, a.result); }},
    {"heron_nrm2", false, false, true,
     [](arguments& a) { return heron_nrm2(a.handle, a.type, a.n, a.x, a.incx, a.result); }},
    {"heron_asum", false, false, true,
     [](arguments& a) { return heron_asum(a.handle, a.type, a.n, a.x, a.incx, a.result); }},
    {"heron_iamax", false, false, true,
     [](arguments& a) {
         return heron_iamax(a.handle, a.type, a.n, a.x, a.incx, static_cast<std::int64_t*>(a.result));
     }},
    {"heron_iamin", false, false, true,
     [](arguments& a) {
         return heron_iamin(a.handle, a.type, a.n, a.x, a.incx, static_cast<std::int64_t*>(a.result));
     }},
    {"heron_rot", true, false, false,
     [](arguments& a) {
         return heron_rot(a.handle, a.type, a.n, a.x, a.incx, a.y, a.incy, a.alpha, a.alpha_type, a.s);
     }},
    {"heron_rotm", true, false, false,
     [](arguments& a) { return heron_rotm(a.handle, a.type, a.n, a.x, a.incx, a.y, a.incy, a.result); }},
};

void* behind(void* p, std::size_t bytes) { return static_cast<char*>(p) + bytes; }

}  // namespace

TEST_CASE("wrong arguments of vector operations") {
    random_source random(41);
    const vector_case x = random_vector(random, HERON_R_32F, 3, 2),
                      y = random_vector(random, HERON_R_32F, 3, -1);
    for (const function& f : functions) {
        CAPTURE(f.name);
        const device_vector dx(x), dy(y);
        const auto refused = [&](const std::string& argument, heron_status status, auto&& change) {
            arguments a;
            a.x = dx.data();
            a.y = dy.data();
            change(a);
            const log_capture log;
            CAPTURE(argument);
            expect(f.run(a), status);
            CHECK(log.contains(argument));
            CHECK(difference(dx.download(), x, 0) == "");
            CHECK(difference(dy.download(), y, 0) == "");
        };
        refused("handle", HERON_NOT_INITIALIZED, [](arguments& a) { a.handle = nullptr; });
        refused("type", HERON_INVALID_VALUE, [](arguments& a) { a.type = static_cast<heron_type>(99); });
        refused("x", HERON_INVALID_VALUE, [](arguments& a) { a.x = nullptr; });
        refused("x", HERON_INVALID_VALUE, [](arguments& a) { a.x = behind(a.x, 2); });
        refused("x", HERON_INVALID_VALUE, [](arguments& a) { a.incx = INT64_MAX; });
        refused("incx", HERON_INVALID_VALUE, [](arguments& a) { a.incx = INT64_MIN; });
        if (std::string(f.name) != "heron_vector_copy" && std::string(f.name) != "heron_vector_swap")
            refused("type", HERON_NOT_SUPPORTED, [](arguments& a) { a.type = HERON_R_32I; });
        if (f.has_y) {
            refused("y", HERON_INVALID_VALUE, [](arguments& a) { a.y = nullptr; });
            refused("y", HERON_INVALID_VALUE, [](arguments& a) { a.y = behind(a.y, 1); });
            refused("y", HERON_INVALID_VALUE, [](arguments& a) { a.incy = -INT64_MAX; });
        }
        if (f.has_alpha) refused("alpha", HERON_INVALID_VALUE, [](arguments& a) { a.alpha = nullptr; });
        if (f.has_result) refused("result", HERON_INVALID_VALUE, [](arguments& a) { a.result = nullptr; });
        // On the device a scalar has its alignment.
        expect(heron_set_pointer_mode(native(), HERON_POINTER_DEVICE));
        if (f.has_result)
            refused("result", HERON_INVALID_VALUE, [](arguments& a) { a.result = behind(a.x, 1); });
        if (f.has_alpha)
            refused("alpha", HERON_INVALID_VALUE, [](arguments& a) { a.alpha = behind(a.x, 1); });
        expect(heron_set_pointer_mode(native(), HERON_POINTER_HOST));
    }
    const device_vector dx(x), dy(y);
    arguments a;
    const auto named = [&](const char* argument, heron_status status, heron_status got,
                           const log_capture& log) {
        expect(got, status);
        CHECK(log.contains(argument));
    };
    {
        const log_capture log;
        named("alpha", HERON_NOT_SUPPORTED,
              heron_scal(native(), HERON_R_32F, 3, HERON_R_64F, a.alpha, dx.data(), 2), log);
    }
    {
        const log_capture log;
        named("c", HERON_INVALID_VALUE,
              heron_rot(native(), HERON_R_32F, 3, dx.data(), 2, dy.data(), 1, nullptr, HERON_R_32F, a.s),
              log);
    }
    {
        const log_capture log;
        named("s", HERON_INVALID_VALUE,
              heron_rot(native(), HERON_R_32F, 3, dx.data(), 2, dy.data(), 1, a.alpha, HERON_R_32F, nullptr),
              log);
    }
    {
        const log_capture log;
        named("s", HERON_NOT_SUPPORTED,
              heron_rot(native(), HERON_R_32F, 3, dx.data(), 2, dy.data(), 1, a.alpha, HERON_C_32F, a.s),
              log);
    }
    {
        const log_capture log;
        named("parameters", HERON_INVALID_VALUE,
              heron_rotm(native(), HERON_R_32F, 3, dx.data(), 2, dy.data(), 1, nullptr), log);
    }
    {
        const log_capture log;
        named("type", HERON_INVALID_VALUE,
              heron_rotm(native(), HERON_C_32F, 3, dx.data(), 2, dy.data(), 1, a.parameters), log);
    }
}

TEST_CASE("wrong arguments of rotations' makers") {
    float v[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const auto refused = [](const char* argument, auto&& run) {
        const log_capture log;
        CAPTURE(argument);
        expect(run(), HERON_INVALID_VALUE);
        CHECK(log.contains(argument));
    };
    const auto rotg = [&](void* a, void* b, void* c, void* s) {
        return heron_rotg(native(), HERON_R_32F, a, b, c, s);
    };
    refused("a", [&] { return rotg(nullptr, v, v, v); });
    refused("b", [&] { return rotg(v, nullptr, v, v); });
    refused("c", [&] { return rotg(v, v, nullptr, v); });
    refused("s", [&] { return rotg(v, v, v, nullptr); });
    refused("type", [&] { return heron_rotg(native(), static_cast<heron_type>(-1), v, v, v, v); });
    const auto rotmg = [&](void* d1, void* d2, void* x1, void* y1, void* h) {
        return heron_rotmg(native(), HERON_R_32F, d1, d2, x1, y1, h);
    };
    refused("d1", [&] { return rotmg(nullptr, v, v, v, v); });
    refused("d2", [&] { return rotmg(v, nullptr, v, v, v); });
    refused("x1", [&] { return rotmg(v, v, nullptr, v, v); });
    refused("y1", [&] { return rotmg(v, v, v, nullptr, v); });
    refused("parameters", [&] { return rotmg(v, v, v, v, nullptr); });
    refused("type", [&] { return heron_rotmg(native(), HERON_C_32F, v, v, v, v, v); });
    CHECK(v[0] == 1);
}

TEST_CASE("vector operations on nothing read and write nothing") {
    float alpha = 2, result = 7;
    std::int64_t place = 7;
    for (const std::int64_t n : {std::int64_t{0}, std::int64_t{-5}}) {
        expect(heron_vector_copy(native(), HERON_R_32F, n, nullptr, 1, nullptr, 1));
        expect(heron_axpy(native(), HERON_R_32F, n, &alpha, nullptr, 1, nullptr, 1));
        expect(heron_scal(native(), HERON_R_32F, n, HERON_R_32F, &alpha, nullptr, 1));
        expect(heron_dot(native(), HERON_R_32F, n, nullptr, 1, nullptr, 1, &result));
        CHECK(result == 0);
        result = 7;
        expect(heron_nrm2(native(), HERON_R_32F, n, nullptr, 1, &result));
        CHECK(result == 0);
        expect(heron_iamax(native(), HERON_R_32F, n, nullptr, 1, &place));
        CHECK(place == 0);
    }
}
