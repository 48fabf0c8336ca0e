// Files of the program cache with any content: the binary that was stored, or nothing.
#include "input.hpp"
#include "common/runtime/private_files.hpp"
#include "opencl/runtime/cache.hpp"
#include "opencl/runtime/error.hpp"

using namespace heron::fuzz;
namespace fs = std::filesystem;

namespace heron::opencl {
void log(log_level, const char*, const char*) noexcept {}
}  // namespace heron::opencl

namespace {

const std::string key = "key";

// The one file of a cache of this process, which lies in memory.
fs::path cache_file() {
    std::string folder = "/dev/shm/heron-fuzz-XXXXXX";
    must(mkdtemp(folder.data()), "no folder for the cache");
    setenv("XDG_CACHE_HOME", folder.c_str(), 1);
    std::atexit([] { fs::remove_all(std::getenv("XDG_CACHE_HOME")); });
    heron::opencl::write_cached_binary(key, "binary");
    must(heron::opencl::read_cached_binary(key) == "binary", "a cache that keeps nothing");
    return fs::directory_iterator(folder + "/heron/opencl")->path();
}

}  // namespace

// The first byte says how the stored file is changed, so that whole headers are met: where, and to what; or
// the input is the file.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const fs::path file = cache_file();
    static const std::string good = heron::read_private_file(file);
    input in(data, size);
    std::string content = good;
    if (in.byte() % 2 == 0) {
        while (!in.is_empty()) {
            const size_t at = in.value<uint16_t>() % (content.size() + 1);
            if (at < content.size())
                content[at] = static_cast<char>(in.byte());
            else
                content.resize(in.byte() % (good.size() + 8));
            if (content.empty()) content = good;
        }
    } else {
        content = in.rest();
    }
    const int out = open(file.c_str(), O_WRONLY | O_TRUNC);
    must(out >= 0 && heron::write_all(out, content), "no file for the input");
    close(out);
    const std::string found = heron::opencl::read_cached_binary(key);
    must(found.empty() || content == good || found.size() < content.size(), "more than there is");
    if (content == good) must(found == "binary", "a good file that is not read");
    return 0;
}
