// Every facade refuses a libheron of another build: a clear line and a status, instead of calls into what may
// have changed. Which libheron a facade gets is decided once per process, so that every case runs in a child
// of its own.
#include "catch.hpp"
#include "child_process.hpp"
#include <cstdlib>
#include <dlfcn.h>
#include <utility>

using namespace heron::test;

namespace {

template <class Function>
Function* find(const char* name) {
    const char* const file = std::getenv("FACADE");
    REQUIRE(file);
    void* const library = dlopen(file, RTLD_NOW);
    if (!library) FAIL(dlerror());
    void* const found = dlsym(library, name);
    REQUIRE(found);
    return reinterpret_cast<Function*>(found);
}

// What the child prints, on both outputs.
std::string output_with(const std::string& libheron, const std::string& facade, const std::string& test) {
    const child_result child =
        run_child("HERON_BACKEND=host LD_LIBRARY_PATH='" + libheron + "' FACADE='" + facade + "' 2>&1", test);
    CHECK(child.status == 0);
    return child.output;
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

// Two calls answer with the status, and one line says why.
void check_refused(const std::string& facade, const std::string& test, int status) {
    for (const auto& [libheron, found] :
         {std::pair{ANOTHER_BUILD_DIR, "(0.0.9-other)"}, std::pair{OLDER_BUILD_DIR, "(an older one)"}}) {
        const std::string output = output_with(libheron, facade, test);
        CAPTURE(output);
        CHECK(count(output, "status " + std::to_string(status) + "\n") == 2);
        CHECK(count(output, "heron: ") == 1);
        CHECK(count(output, facade) == 1);
        CHECK(count(output, std::string(libheron) + "/libheron.so.0") == 1);
        CHECK(count(output, found) == 1);
    }
}

void check_accepted(const std::string& facade, const std::string& test) {
    const std::string output = output_with(OWN_BUILD_DIR, facade, test);
    CAPTURE(output);
    CHECK(count(output, "status 0\n") == 2);
    CHECK(count(output, "heron: ") == 0);
}

}  // namespace

TEST_CASE("child: cusparse", "[.]") {
    void* handle = nullptr;
    std::printf("status %d\n", find<int(void**)>("cusparseCreate")(&handle));
    std::printf("status %d\n", find<int(void**)>("cusparseCreateMatDescr")(&handle));
}

TEST_CASE("child: bad arguments", "[.]") {
    std::printf("status %d\n", find<int(void**)>("cusparseCreate")(nullptr));
    std::printf("status %d\n", find<int(void**)>("cusparseCreateMatDescr")(nullptr));
}

TEST_CASE("child: clblas", "[.]") {
    std::printf("status %d\n", find<int()>("clblasSetup")());
    std::printf("status %d\n", find<int()>("clAmdBlasSetup")());
}

TEST_CASE("child: cudart", "[.]") {
    int count = 0;
    std::printf("status %d\n", find<int(int*)>("cudaGetDeviceCount")(&count));
    std::printf("status %d\n", find<int()>("cudaGetLastError")());
}

TEST_CASE("libcusparse and a libheron of another build") {
    constexpr int not_initialized = 1;
    check_refused(CUSPARSE_LIBRARY, "child: cusparse", not_initialized);
    check_accepted(CUSPARSE_LIBRARY, "child: cusparse");
}

// An exception of libheron's is caught by libcusparse.
TEST_CASE("libcusparse and libheron with a C++ runtime each") {
    const std::string output = output_with(OWN_RUNTIME_DIR, OWN_RUNTIME_CUSPARSE, "child: bad arguments");
    CAPTURE(output);
    constexpr int invalid_value = 3;
    CHECK(count(output, "status " + std::to_string(invalid_value) + "\n") == 2);
}

#ifdef CLBLAS_LIBRARY
TEST_CASE("libclBLAS, libclAmdBlas and a libheron of another build") {
    constexpr int not_initialized = -1023;
    check_refused(CLBLAS_LIBRARY, "child: clblas", not_initialized);
    check_refused(CLAMDBLAS_LIBRARY, "child: clblas", not_initialized);
}
#endif

#ifdef CUDART_LIBRARY
TEST_CASE("libcudart and a libheron of another build") {
    constexpr int initialization_error = 3;
    check_refused(CUDART_LIBRARY, "child: cudart", initialization_error);
    check_accepted(CUDART_LIBRARY, "child: cudart");
}
#endif
