#pragma once
#include "catch.hpp"
#include <cstdlib>
#include <filesystem>
#include <string>

namespace heron::test {

// A new folder that goes away with its contents.
struct scratch_folder {
    scratch_folder() {
        std::string name = (std::filesystem::temp_directory_path() / "heron-test-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()));
        path = name;
    }
    ~scratch_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;
    std::filesystem::path path;
};

}  // namespace heron::test
