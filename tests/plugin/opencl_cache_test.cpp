// OpenCL programs on disk: found again by the next process, rebuilt where a file is damaged, and missed by
// nobody where the folder cannot be written.
#define DISABLE_CUSPARSE_DEPRECATED
#include "catch.hpp"
#include "child_process.hpp"
#include "scratch_folder.hpp"
#include "skip_without_backend.hpp"
#include <cusparse.h>
#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

using namespace heron::test;
namespace fs = std::filesystem;

namespace {

void expect(cusparseStatus_t actual) { REQUIRE(actual == CUSPARSE_STATUS_SUCCESS); }
void expect(heron_status actual) { REQUIRE(actual == HERON_SUCCESS); }

struct file_state {
    std::string content;
    fs::file_time_type written;
    bool operator==(const file_state&) const = default;
};
using folder_state = std::map<std::string, file_state>;

folder_state programs_in(const fs::path& folder) {
    folder_state state;
    for (const auto& file : fs::directory_iterator(folder)) {
        std::ostringstream content;
        content << std::ifstream(file.path(), std::ios::binary).rdbuf();
        state[file.path().filename().string()] = {content.str(), file.last_write_time()};
    }
    return state;
}

// The scatter of another process, which has to say that its result is right. PoCL has a cache of its own,
// without which it does not work.
std::string scatter_with_cache(const std::string& folder) {
    static const scratch_folder pocl;
    const std::string environment = std::string("CUSPARSE_LOG_LEVEL=3 POCL_CACHE_DIR='")
                                        .append(pocl.path)
                                        .append("' XDG_CACHE_HOME='")
                                        .append(folder)
                                        .append("'");
    const child_result child = run_child(environment, "child: scatter");
    CHECK(child.status == 0);
    check_contains(child.output, "scatter ok");
    return child.output;
}

}  // namespace

TEST_CASE("child: scatter", "[.]") {
    heron_handle native = nullptr;
    cusparseHandle_t handle = nullptr;
    void* memory = nullptr;
    expect(heron_create(&native));
    expect(cusparseCreate(&handle));
    expect(heron_alloc(native, 96, HERON_MEMORY_DEVICE, &memory));
    const int indices[4] = {6, 1, 4, 3};
    const float values[4] = {1, 2, 3, 4}, zeros[8] = {};
    auto* const place = static_cast<char*>(memory);
    expect(heron_copy(native, place, indices, sizeof indices));
    expect(heron_copy(native, place + 32, values, sizeof values));
    expect(heron_copy(native, place + 64, zeros, sizeof zeros));
    cusparseSpVecDescr_t x = nullptr;
    cusparseDnVecDescr_t y = nullptr;
    expect(cusparseCreateSpVec(&x, 8, 4, place, place + 32, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                               CUDA_R_32F));
    expect(cusparseCreateDnVec(&y, 8, place + 64, CUDA_R_32F));
    expect(cusparseScatter(handle, x, y));
    float result[8];
    expect(heron_synchronize(native));
    expect(heron_copy(native, result, place + 64, sizeof result));
    const float expected[8] = {0, 2, 0, 4, 3, 0, 1, 0};
    std::puts(std::equal(result, result + 8, expected) ? "scatter ok" : "scatter wrong");
    cusparseDestroySpVec(x);
    cusparseDestroyDnVec(y);
    cusparseDestroy(handle);
    heron_free(native, memory);
    heron_destroy(native);
}

TEST_CASE("OpenCL programs are kept on disk and rebuilt where a file is damaged") {
    skip_without_backend();
    const scratch_folder scratch;
    const fs::path folder = scratch.path / "heron" / "opencl";
    scatter_with_cache(scratch.path);
    const folder_state first = programs_in(folder);
    REQUIRE(!first.empty());

    scatter_with_cache(scratch.path);
    CHECK((programs_in(folder) == first));

    const auto rewrite = [&](const std::string& name, const std::string& content) {
        std::ofstream(folder / name, std::ios::binary | std::ios::trunc) << content;
    };
    for (const auto& [name, state] : first) {
        std::string damaged = state.content;
        damaged[damaged.size() - damaged.size() / 4] ^= 0x55;
        rewrite(name, damaged);
    }
    const folder_state damaged_state = programs_in(folder);
    scatter_with_cache(scratch.path);
    const folder_state repaired = programs_in(folder);
    for (const auto& [name, state] : first) CHECK((repaired.at(name) != damaged_state.at(name)));
    scatter_with_cache(scratch.path);
    CHECK((programs_in(folder) == repaired));

    for (const auto& [name, state] : first) rewrite(name, state.content.substr(0, state.content.size() / 2));
    scatter_with_cache(scratch.path);
    for (const auto& [name, state] : first) rewrite(name, "");
    scatter_with_cache(scratch.path);
}

TEST_CASE("a folder for OpenCL programs that cannot be written costs a hint") {
    skip_without_backend();
    const std::string output = scatter_with_cache("/dev/null");
    check_contains(output, "[Hint][program cache] kernels are rebuilt by every process");
}
