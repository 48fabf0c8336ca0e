// Log files: appended to, readable for their user alone, and never opened through a link that somebody made.
#include "catch.hpp"
#include "child_process.hpp"
#include "scratch_folder.hpp"
#define DISABLE_CUSPARSE_DEPRECATED
#include <cusparse.h>
#include <algorithm>
#include <fstream>
#include <sstream>

using namespace heron::test;
namespace fs = std::filesystem;

namespace {

std::string read(const fs::path& file) {
    std::ostringstream content;
    content << std::ifstream(file).rdbuf();
    return content.str();
}

// Puts one line into the log.
void fail_once() { CHECK(cusparseGetProperty(MAJOR_VERSION, nullptr) == CUSPARSE_STATUS_INVALID_VALUE); }

}  // namespace

TEST_CASE("child: one line", "[.]") { fail_once(); }

TEST_CASE("a log file is its user's alone and is appended to") {
    const scratch_folder scratch;
    const fs::path file = scratch.path / "log";
    REQUIRE(cusparseLoggerSetLevel(1) == CUSPARSE_STATUS_SUCCESS);
    for (int turn = 0; turn < 2; ++turn) {
        REQUIRE(cusparseLoggerOpenFile(file.c_str()) == CUSPARSE_STATUS_SUCCESS);
        fail_once();
    }
    const std::string content = read(file);
    CHECK(std::count(content.begin(), content.end(), '\n') == 2);
    CHECK(static_cast<int>(fs::status(file).permissions()) == 0600);
    REQUIRE(cusparseLoggerOpenFile(nullptr) == CUSPARSE_STATUS_SUCCESS);
}

TEST_CASE("a log file is not opened through a link") {
    const scratch_folder scratch;
    const fs::path target = scratch.path / "target", link = scratch.path / "link";
    std::ofstream(target) << "mine\n";
    fs::create_symlink(target, link);
    CHECK(cusparseLoggerOpenFile(link.c_str()) == CUSPARSE_STATUS_INVALID_VALUE);
    const child_result child =
        run_child(std::string("exec 2>&1; HERON_LOG_LEVEL=1 HERON_LOG_FILE='").append(link).append("'"),
                  "child: one line");
    CHECK(child.status == 0);
    check_contains(child.output, "heron: cannot open the log file");
    CHECK(read(target) == "mine\n");
}

TEST_CASE("standard error is a log file, though it is a link") {
    for (const char* const name : {"/dev/stderr", "/dev/fd/2"}) {
        const child_result child = run_child(
            std::string("exec 2>&1; HERON_LOG_LEVEL=1 HERON_LOG_FILE=").append(name), "child: one line");
        CHECK(child.status == 0);
        check_contains(child.output, "[Error][cusparseGetProperty]");
    }
}
