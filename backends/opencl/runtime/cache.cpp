#include "cache.hpp"
#include "common/runtime/tuning_file.hpp"
#include "error.hpp"
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

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
    std::ifstream file(file_of(directory, key), std::ios::binary);
    if (!file) return {};
    std::ostringstream content;
    content << file.rdbuf();
    const std::string bytes = content.str();
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
    if (directory.empty()) return hint_once("neither XDG_CACHE_HOME nor HOME is set");
    std::error_code code;
    fs::create_directories(directory, code);
    std::string name = (directory / "new-XXXXXX").string();
    const int descriptor = mkstemp(name.data());
    if (descriptor < 0) return hint_once("cannot write in " + directory.string());
    const std::string bytes = pack(key, binary);
    const bool written = write(descriptor, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
    const bool closed = close(descriptor) == 0;
    if (written && closed && std::rename(name.c_str(), file_of(directory, key).c_str()) == 0) return;
    std::remove(name.c_str());
    hint_once("cannot write in " + directory.string());
}

}  // namespace heron::opencl
