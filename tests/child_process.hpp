#pragma once
// Runs this test program again, for what is decided once per process: with other environment variables and
// one hidden test.
#include "catch.hpp"
#include <cstdio>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace heron::test {

struct child_result {
    int status;          // exit status, or 128 + the signal
    std::string output;  // standard output
};

inline std::string this_program() {
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    REQUIRE(length > 0);
    return {path, static_cast<size_t>(length)};
}

// environment: shell assignments, "A=1 B='two words'", and redirections.
inline child_result run_child(const std::string& environment, const std::string& test) {
    const std::string command = environment + " '" + this_program() + "' '" + test + "'";
    std::FILE* const pipe = popen(command.c_str(), "r");
    REQUIRE(pipe);
    child_result result{};
    char block[4096];
    for (size_t n; (n = std::fread(block, 1, sizeof block, pipe)) > 0;) result.output.append(block, n);
    const int status = pclose(pipe);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
}

inline void check_contains(const std::string& output, const std::string& part) {
    CAPTURE(output, part);
    CHECK(output.find(part) != std::string::npos);
}

}  // namespace heron::test
