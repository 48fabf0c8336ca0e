// Handle, version, errors, stream, pointer mode and logging. What the environment decides is tried in child
// processes: this program run again with one of the hidden tests named "child: ...".
#include "facade.hpp"
#include "child_process.hpp"
#include "scratch_folder.hpp"
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

using namespace heron::test;
namespace fs = std::filesystem;

namespace {

const bool host_chosen = setenv("HERON_BACKEND", "host", 0) == 0;

std::string contents(const fs::path& file) {
    std::ifstream in(file);
    REQUIRE(in);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

constexpr const char* error_line = "[Error][cusparseGetVersion] handle: is NULL";

}  // namespace

TEST_CASE("the version is that of CUDA 13.0's library") {
    REQUIRE(host_chosen);
    const handle h(cusparseCreate);
    int version = 0;
    REQUIRE(cusparseGetVersion(h, &version) == ok);
    CHECK(version == 12603);
    int major = 0, minor = 0, patch = 0;
    REQUIRE(cusparseGetProperty(MAJOR_VERSION, &major) == ok);
    REQUIRE(cusparseGetProperty(MINOR_VERSION, &minor) == ok);
    REQUIRE(cusparseGetProperty(PATCH_LEVEL, &patch) == ok);
    CHECK(major * 1000 + minor * 100 + patch == version);
}

TEST_CASE("every status has its own name and sentence") {
    const char* const names[] = {"CUSPARSE_STATUS_SUCCESS",
                                 "CUSPARSE_STATUS_NOT_INITIALIZED",
                                 "CUSPARSE_STATUS_ALLOC_FAILED",
                                 "CUSPARSE_STATUS_INVALID_VALUE",
                                 "CUSPARSE_STATUS_ARCH_MISMATCH",
                                 "CUSPARSE_STATUS_MAPPING_ERROR",
                                 "CUSPARSE_STATUS_EXECUTION_FAILED",
                                 "CUSPARSE_STATUS_INTERNAL_ERROR",
                                 "CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
                                 "CUSPARSE_STATUS_ZERO_PIVOT",
                                 "CUSPARSE_STATUS_NOT_SUPPORTED",
                                 "CUSPARSE_STATUS_INSUFFICIENT_RESOURCES"};
    std::set<std::string> sentences;
    int code = 0;
    for (const char* name : names) {
        const auto status = static_cast<cusparseStatus_t>(code++);
        CHECK(std::string(cusparseGetErrorName(status)) == name);
        sentences.insert(cusparseGetErrorString(status));
    }
    CHECK(sentences.size() == std::size(names));
    for (const int unknown : {12, 99, -1}) {
        CHECK(std::string(cusparseGetErrorName(static_cast<cusparseStatus_t>(unknown))) ==
              "unrecognized error code");
        CHECK(std::string(cusparseGetErrorString(static_cast<cusparseStatus_t>(unknown))) ==
              "unrecognized error code");
    }
}

TEST_CASE("a handle keeps its stream and pointer mode") {
    const handle h(cusparseCreate);
    const handle other(cusparseCreate);
    cusparsePointerMode_t mode;
    REQUIRE(cusparseGetPointerMode(h, &mode) == ok);
    CHECK(mode == CUSPARSE_POINTER_MODE_HOST);
    REQUIRE(cusparseSetPointerMode(h, CUSPARSE_POINTER_MODE_DEVICE) == ok);
    REQUIRE(cusparseGetPointerMode(h, &mode) == ok);
    CHECK(mode == CUSPARSE_POINTER_MODE_DEVICE);
    REQUIRE(cusparseGetPointerMode(other, &mode) == ok);
    CHECK(mode == CUSPARSE_POINTER_MODE_HOST);

    cudaStream_t stream = reinterpret_cast<cudaStream_t>(&mode);
    REQUIRE(cusparseGetStream(h, &stream) == ok);
    CHECK(stream == nullptr);
    heron_handle native = nullptr;
    REQUIRE(heron_create(&native) == HERON_SUCCESS);
    void* created = nullptr;
    REQUIRE(heron_stream_create(native, &created) == HERON_SUCCESS);
    REQUIRE(cusparseSetStream(h, static_cast<cudaStream_t>(created)) == ok);
    REQUIRE(cusparseGetStream(h, &stream) == ok);
    CHECK(stream == created);
    REQUIRE(cusparseSetStream(h, nullptr) == ok);
    REQUIRE(heron_stream_destroy(native, created) == HERON_SUCCESS);
    REQUIRE(heron_destroy(native) == HERON_SUCCESS);
}

TEST_CASE("destroying NULL succeeds") {
    CHECK(cusparseDestroy(nullptr) == ok);
    CHECK(cusparseDestroySpMat(nullptr) == ok);
    CHECK(cusparseDestroyMatDescr(nullptr) == ok);
}

TEST_CASE("the getters of a matrix descriptor answer -1 for NULL, as in cuSPARSE") {
    CHECK(static_cast<int>(cusparseGetMatType(nullptr)) == -1);
    CHECK(static_cast<int>(cusparseGetMatFillMode(nullptr)) == -1);
    CHECK(static_cast<int>(cusparseGetMatDiagType(nullptr)) == -1);
    CHECK(static_cast<int>(cusparseGetMatIndexBase(nullptr)) == -1);
}

TEST_CASE("level, mask and callback choose what is logged") {
    log_capture log(0);
    // One API line and one error line, if enabled.
    const auto levels_seen = [&] {
        log.take();
        cusparseGetVersion(nullptr, nullptr);
        std::vector<int> levels;
        for (const log_line& line : log.take())
            if (line.function == "cusparseGetVersion") levels.push_back(line.level);
        return levels;
    };
    CHECK(levels_seen().empty());
    REQUIRE(cusparseLoggerSetLevel(1) == ok);
    CHECK(levels_seen() == std::vector{1});
    REQUIRE(cusparseLoggerSetLevel(4) == ok);
    CHECK(levels_seen() == std::vector{1});
    REQUIRE(cusparseLoggerSetLevel(5) == ok);
    CHECK(levels_seen() == std::vector{5, 1});
    REQUIRE(cusparseLoggerSetMask(16) == ok);
    CHECK(levels_seen() == std::vector{5});
    REQUIRE(cusparseLoggerSetMask(1 + 16) == ok);
    CHECK(levels_seen() == std::vector{5, 1});
    REQUIRE(cusparseLoggerSetMask(2 + 4 + 8) == ok);
    CHECK(levels_seen().empty());
    // Levels and bits that do not exist are ignored, as in cuSPARSE.
    REQUIRE(cusparseLoggerSetMask(-1) == ok);
    CHECK(levels_seen() == std::vector{5, 1});
    REQUIRE(cusparseLoggerSetLevel(17) == ok);
    CHECK(levels_seen() == std::vector{5, 1});
    REQUIRE(cusparseLoggerSetLevel(0) == ok);
    CHECK(levels_seen().empty());
    REQUIRE(cusparseLoggerSetLevel(1) == ok);
    REQUIRE(cusparseLoggerSetCallback(nullptr) == ok);
    CHECK(levels_seen().empty());
}

TEST_CASE("the log goes to the file of LoggerOpenFile or LoggerSetFile") {
    const scratch_folder folder;
    REQUIRE(cusparseLoggerSetMask(1) == ok);
    const fs::path opened = folder.path / "log_%i.txt";
    REQUIRE(cusparseLoggerOpenFile(opened.c_str()) == ok);
    cusparseGetVersion(nullptr, nullptr);
    CHECK(
        contains(contents(folder.path / std::string("log_").append(std::to_string(getpid())).append(".txt")),
                 error_line));

    const fs::path given = folder.path / "given.txt";
    std::FILE* const file = std::fopen(given.c_str(), "w");
    REQUIRE(file);
    REQUIRE(cusparseLoggerSetFile(file) == ok);
    cusparseGetVersion(nullptr, nullptr);
    REQUIRE(cusparseLoggerSetFile(nullptr) == ok);
    REQUIRE(cusparseLoggerSetMask(0) == ok);
    // Still the caller's.
    CHECK(std::fputs("mine\n", file) >= 0);
    std::fclose(file);
    CHECK(contains(contents(given), error_line));
    CHECK(contains(contents(given), "mine"));
}

TEST_CASE("a log file that cannot be opened changes nothing") {
    log_capture log;
    CHECK(cusparseLoggerOpenFile("/no/such/folder/file") == invalid);
    const auto lines = log.take();
    REQUIRE(lines.size() == 1);
    CHECK(contains(lines[0].message, "/no/such/folder/file"));
}

TEST_CASE("child: one error", "[.]") { CHECK(cusparseGetVersion(nullptr, nullptr) == invalid); }

TEST_CASE("child: disabled for good", "[.]") {
    REQUIRE(cusparseLoggerForceDisable() == ok);
    REQUIRE(cusparseLoggerSetLevel(5) == ok);
    REQUIRE(cusparseLoggerSetMask(31) == ok);
    REQUIRE(cusparseLoggerSetCallback(&log_capture::collect) == ok);
    CHECK(cusparseGetVersion(nullptr, nullptr) == invalid);
}

TEST_CASE("the environment switches the log on") {
    const auto log_with = [](const std::string& environment) {
        const child_result child = run_child(environment, "child: one error");
        CHECK(child.status == 0);
        return child.output;
    };
    CHECK(!contains(log_with(""), "cusparseGetVersion"));
    CHECK(contains(log_with("CUSPARSE_LOG_LEVEL=1"), error_line));
    CHECK(!contains(log_with("CUSPARSE_LOG_LEVEL=1"), "[Api]"));
    CHECK(contains(log_with("CUSPARSE_LOG_LEVEL=5"), "[Api][cusparseGetVersion]"));
    CHECK(contains(log_with("CUSPARSE_LOG_MASK=1"), error_line));
    CHECK(!contains(log_with("CUSPARSE_LOG_MASK=16"), error_line));
    CHECK(contains(log_with("CUSPARSE_LOG_MASK=16"), "[Api][cusparseGetVersion]"));
    CHECK(contains(log_with("HERON_LOG_LEVEL=1"), error_line));
    CHECK(!contains(log_with("CUSPARSE_LOG_LEVEL=5 HERON_LOG_LEVEL=0"), "cusparseGetVersion"));
}

TEST_CASE("the environment's log file gets the process id for %i") {
    const scratch_folder folder;
    const std::string pattern = (folder.path / "log_%i.txt").string();
    const child_result child =
        run_child(std::string("CUSPARSE_LOG_LEVEL=1 CUSPARSE_LOG_FILE='").append(pattern).append("'"),
                  "child: one error");
    CHECK(child.status == 0);
    CHECK(!contains(child.output, error_line));
    std::vector<fs::path> files(fs::directory_iterator(folder.path), fs::directory_iterator{});
    REQUIRE(files.size() == 1);
    const std::string name = files[0].stem().string();
    REQUIRE(name.rfind("log_", 0) == 0);
    CHECK(name.find_first_not_of("0123456789", 4) == std::string::npos);
    const std::string text = contents(files[0]);
    CHECK(contains(text, error_line));
    CHECK(contains(text, std::string("[").append(name.substr(4)).append("]")));
}

TEST_CASE("an unusable log file in the environment is reported and does no harm") {
    const child_result child =
        run_child("CUSPARSE_LOG_LEVEL=1 CUSPARSE_LOG_FILE=/no/such/folder/file 2>&1", "child: one error");
    CHECK(child.status == 0);
    CHECK(contains(child.output, "/no/such/folder/file"));
}

TEST_CASE("LoggerForceDisable silences everything for good") {
    const child_result child = run_child("CUSPARSE_LOG_LEVEL=1", "child: disabled for good");
    CHECK(child.status == 0);
    CHECK(!contains(child.output, "[Error]"));
}
