#pragma once
// Files of the user's own, in the cache directory. What lies there becomes code, so nothing is read that
// another user may have written, and nothing there is written through a link.
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace heron {

// $XDG_CACHE_HOME/heron/<backend> or ~/.cache/heron/<backend>; empty where the environment names no home, and
// in a program with more rights than its user, whose environment does not count.
inline std::filesystem::path cache_directory(const char* backend) {
    const char* const xdg = secure_getenv("XDG_CACHE_HOME");
    if (xdg && *xdg) return std::filesystem::path(xdg) / "heron" / backend;
    const char* const home = secure_getenv("HOME");
    if (home && *home) return std::filesystem::path(home) / ".cache" / "heron" / backend;
    return {};
}

// Why the directory is not used, or an empty string; one that does not exist yet is good.
inline std::string refusal_of(const std::filesystem::path& directory) {
    struct stat found;
    if (stat(directory.c_str(), &found) != 0) return {};
    if (found.st_uid != geteuid()) return directory.string() + " belongs to another user";
    if (found.st_mode & S_IWOTH) return "everybody may write in " + directory.string();
    return {};
}

class file_descriptor {
  public:
    explicit file_descriptor(int number) : number_(number) {}
    ~file_descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    file_descriptor(const file_descriptor&) = delete;
    file_descriptor& operator=(const file_descriptor&) = delete;

    operator int() const { return number_; }
    bool close() {
        const int closed = number_;
        number_ = -1;
        return ::close(closed) == 0;
    }

  private:
    int number_;
};

// A file's content; empty where there is none, and where it is a link, no plain file, or not this user's
// alone to write.
inline std::string read_private_file(const std::filesystem::path& file) {
    if (!refusal_of(file.parent_path()).empty()) return {};
    // A pipe must not wait for somebody to write.
    const file_descriptor in(open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat found;
    if (in < 0 || fstat(in, &found) != 0) return {};
    if (!S_ISREG(found.st_mode) || found.st_uid != geteuid() || (found.st_mode & (S_IWGRP | S_IWOTH)))
        return {};
    std::string content;
    char block[1 << 16];
    for (ssize_t n; (n = read(in, block, sizeof block)) > 0;) content.append(block, static_cast<size_t>(n));
    return content;
}

inline bool write_all(int descriptor, const std::string& content) {
    size_t done = 0;
    while (done < content.size()) {
        const ssize_t n = write(descriptor, content.data() + done, content.size() - done);
        if (n <= 0) return false;
        done += static_cast<size_t>(n);
    }
    return true;
}

// The directory and those above it, for this user alone where they are new.
inline void make_private_directory(const std::filesystem::path& directory) {
    if (directory.empty() || mkdir(directory.c_str(), 0700) == 0 || errno != ENOENT) return;
    make_private_directory(directory.parent_path());
    mkdir(directory.c_str(), 0700);
}

// Writes the file as a whole or not at all, whoever else writes it at the same time. Returns why it could
// not, or an empty string.
inline std::string write_private_file(const std::filesystem::path& file, const std::string& content) {
    const std::filesystem::path directory = file.parent_path();
    make_private_directory(directory);
    if (std::string refusal = refusal_of(directory); !refusal.empty()) return refusal;
    std::string fresh = (directory / "new-XXXXXX").string();
    file_descriptor out(mkostemp(fresh.data(), O_CLOEXEC));
    if (out >= 0) {
        const bool written = write_all(out, content), closed = out.close();
        if (written && closed && rename(fresh.c_str(), file.c_str()) == 0) return {};
        unlink(fresh.c_str());
    }
    return "cannot write in " + directory.string();
}

}  // namespace heron
