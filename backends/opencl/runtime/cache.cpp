#include "cache.hpp"
#include "common/runtime/private_files.hpp"
#include "error.hpp"
#include <atomic>
#include <cstdio>
#include <cstring>

namespace heron::opencl {
namespace {

namespace fs = std::filesystem;

// A file is this header, the key, the binary. Drivers may crash on a damaged binary, so its checksum is
// tested first.
struct file_header {
    char magic[8];
    uint64_t key_bytes, binary_bytes, checksum;
};

constexpr char magic[8] = {'H', 'E', 'R', 'O', 'N', 'C', 'L', '1'};

// FNV-1a.
uint64_t hash(const std::string& text) {
    uint64_t h = 0xcbf29ce484222325u;
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return h;
}

fs::path file_of(const fs::path& directory, const std::string& key) {
    char name[32];
    std::snprintf(name, sizeof name, "%016llx.bin", static_cast<unsigned long long>(hash(key)));
    return directory / name;
}

void hint_once(const std::string& reason) {
    static std::atomic<bool> said{false};
    if (said.exchange(true)) return;
    log(log_level::hint, "program cache", ("kernels are rebuilt by every process: " + reason).c_str());
}

std::string pack(const std::string& key, const std::string& binary) {
    file_header header{{}, key.size(), binary.size(), hash(binary)};
    std::memcpy(header.magic, magic, sizeof magic);
    return std::string(reinterpret_cast<const char*>(&header), sizeof header) + key + binary;
}

}  // namespace

std::string read_cached_binary(const std::string& key) {
    const fs::path directory = cache_directory("opencl");
    if (directory.empty()) return {};
    const std::string bytes = read_private_file(file_of(directory, key));
    file_header header;
    if (bytes.size() < sizeof header + key.size()) return {};
    std::memcpy(&header, bytes.data(), sizeof header);
    if (bytes.compare(sizeof header, key.size(), key) != 0) return {};
    std::string binary = bytes.substr(sizeof header + key.size());
    const bool intact = std::memcmp(header.magic, magic, sizeof magic) == 0 &&
                        header.key_bytes == key.size() && header.binary_bytes == binary.size() &&
                        header.checksum == hash(binary);
    return intact ? binary : std::string{};
}

void write_cached_binary(const std::string& key, const std::string& binary) {
    const fs::path directory = cache_directory("opencl");
    if (directory.empty()) return hint_once("the environment names no cache directory");
    const std::string problem = write_private_file(file_of(directory, key), pack(key, binary));
    if (!problem.empty()) hint_once(problem);
}

}  // namespace heron::opencl
