// Files of the cache: for their user alone, whole or not there, and never read where another user may have
// written them.
#include "catch.hpp"
#include "scratch_folder.hpp"
#include "common/runtime/private_files.hpp"
#include <csignal>
#include <fstream>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>

using namespace heron;
using heron::test::scratch_folder;
namespace fs = std::filesystem;

namespace {

void write_by_hand(const fs::path& file, const std::string& content) { std::ofstream(file) << content; }

std::string read_by_hand(const fs::path& file) {
    std::ostringstream content;
    content << std::ifstream(file).rdbuf();
    return content.str();
}

int mode_of(const fs::path& file) { return static_cast<int>(fs::status(file).permissions()); }

size_t entries_of(const fs::path& folder) {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder), {}));
}

bool is_root() { return geteuid() == 0; }

// f() in a process of its own, which has to answer true.
template <class F>
pid_t start(F&& f) {
    const pid_t child = fork();
    if (child == 0) _exit(f() ? 0 : 1);
    return child;
}
void expect_success(pid_t child) {
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
}

}  // namespace

TEST_CASE("files and folders are made for their user alone") {
    const scratch_folder scratch;
    const fs::path file = scratch.path / "new" / "folder" / "entry";
    const mode_t before = umask(0);
    const std::string problem = write_private_file(file, "content");
    umask(before);
    CHECK(problem.empty());
    CHECK(read_private_file(file) == "content");
    CHECK(mode_of(file) == 0600);
    CHECK(mode_of(scratch.path / "new") == 0700);
    CHECK(mode_of(scratch.path / "new" / "folder") == 0700);
    CHECK(entries_of(file.parent_path()) == 1);
}

TEST_CASE("links, pipes and folders are no files of the cache") {
    const scratch_folder scratch;
    const fs::path target = scratch.path / "target", link = scratch.path / "link",
                   pipe = scratch.path / "pipe";
    write_by_hand(target, "kept");
    fs::create_symlink(target, link);
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(read_private_file(target) == "kept");
    CHECK(read_private_file(link).empty());
    CHECK(read_private_file(pipe).empty());
    CHECK(read_private_file(scratch.path).empty());
    CHECK(read_private_file(scratch.path / "missing").empty());
    // Writing takes the link's place and leaves what it leads to.
    CHECK(write_private_file(link, "new").empty());
    CHECK(read_by_hand(target) == "kept");
    CHECK(!fs::is_symlink(link));
    CHECK(read_private_file(link) == "new");
}

TEST_CASE("what others may write is not read") {
    const scratch_folder scratch;
    const fs::path folder = scratch.path / "cache", file = folder / "entry";
    REQUIRE(write_private_file(file, "content").empty());
    for (const auto writer : {fs::perms::group_write, fs::perms::others_write}) {
        fs::permissions(file, writer, fs::perm_options::add);
        CHECK(read_private_file(file).empty());
        fs::permissions(file, writer, fs::perm_options::remove);
    }
    CHECK(read_private_file(file) == "content");
    fs::permissions(folder, fs::perms::others_write, fs::perm_options::add);
    CHECK(read_private_file(file).empty());
    CHECK(write_private_file(file, "other").find("everybody may write") != std::string::npos);
    fs::permissions(folder, fs::perms::others_write, fs::perm_options::remove);
    CHECK(read_private_file(file) == "content");
}

TEST_CASE("what belongs to another user is not read") {
    if (!is_root()) {
        WARN("only root gives files away");
        return;
    }
    const scratch_folder scratch;
    const fs::path folder = scratch.path / "cache", file = folder / "entry";
    REQUIRE(write_private_file(file, "content").empty());
    REQUIRE(chown(file.c_str(), 65534, 65534) == 0);
    CHECK(read_private_file(file).empty());
    REQUIRE(chown(file.c_str(), 0, 0) == 0);
    CHECK(read_private_file(file) == "content");
    REQUIRE(chown(folder.c_str(), 65534, 65534) == 0);
    CHECK(read_private_file(file).empty());
    CHECK(write_private_file(file, "other").find("belongs to another user") != std::string::npos);
    CHECK(read_by_hand(file) == "content");
}

TEST_CASE("a full disk leaves the entry that was there and nothing else") {
    const scratch_folder scratch;
    const fs::path file = scratch.path / "cache" / "entry";
    REQUIRE(write_private_file(file, "before").empty());
    expect_success(start([&] {
        // A file that may not grow fails in the middle, as on a full disk.
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{1000, 1000};
        setrlimit(RLIMIT_FSIZE, &limit);
        return write_private_file(file, std::string(5000, 'x')).find("cannot write") != std::string::npos;
    }));
    CHECK(read_private_file(file) == "before");
    CHECK(entries_of(file.parent_path()) == 1);
}

TEST_CASE("a folder that cannot be made costs a reason") {
    CHECK(write_private_file("/dev/null/cache/entry", "x") == "cannot write in /dev/null/cache");
    CHECK(write_private_file("/proc/no/such/folder/entry", "x") == "cannot write in /proc/no/such/folder");
    CHECK(read_private_file("/dev/null/cache/entry").empty());
}

TEST_CASE("processes that write one entry at the same time leave one of their entries, whole") {
    const scratch_folder scratch;
    const fs::path file = scratch.path / "cache" / "entry";
    const auto content = [](int writer) { return std::string(200000, static_cast<char>('a' + writer)); };
    const auto is_whole = [&](const std::string& found) {
        return found.size() == 200000 && found.find_first_not_of(found[0]) == std::string::npos;
    };
    REQUIRE(write_private_file(file, content(0)).empty());
    std::vector<pid_t> children;
    for (int writer = 0; writer < 3; ++writer)
        children.push_back(start([&] {
            for (int turn = 0; turn < 30; ++turn)
                if (!write_private_file(file, content(writer)).empty()) return false;
            return true;
        }));
    for (int reader = 0; reader < 2; ++reader)
        children.push_back(start([&] {
            for (int turn = 0; turn < 60; ++turn)
                if (!is_whole(read_private_file(file))) return false;
            return true;
        }));
    for (const pid_t child : children) expect_success(child);
    CHECK(is_whole(read_private_file(file)));
    CHECK(entries_of(file.parent_path()) == 1);
}
