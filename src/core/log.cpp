#include "log.hpp"
#include "error.hpp"
#include "last_error.hpp"
#include "recorded_call.hpp"
// Times are more than the library's copy of fmt formats.
#define FMT_HEADER_ONLY
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <mutex>
#include <string>
#include <fcntl.h>
#include <unistd.h>

namespace heron::core {
namespace {

constexpr int all_levels = 0x1f;

int mask_of_level(int level) { return (1 << level) - 1; }

// The outermost open one of this thread.
thread_local log_scope* open_scope = nullptr;

thread_local std::string latest_error;

struct close_file {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

// Standard output and the like are links, which nobody but the system makes.
bool is_link_of_the_system(std::string_view path) {
    return path == "/dev/stdout" || path == "/dev/stderr" || path.starts_with("/dev/fd/");
}

// To append to a file that only its user may read. Links are not followed: in a folder that others write to,
// one may lead to a file of this user's.
std::FILE* open_to_append(const std::string& path) {
    const int follow = is_link_of_the_system(path) ? 0 : O_NOFOLLOW;
    const int descriptor = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | follow, 0600);
    if (descriptor < 0) return nullptr;
    std::FILE* const file = fdopen(descriptor, "a");
    if (!file) close(descriptor);
    return file;
}

class logger {
  public:
    logger() {
        if (const char* level = setting("LOG_LEVEL")) mask_ = mask_of_level(clamp(std::atoi(level), 0, 5));
        if (const char* mask = setting("LOG_MASK")) mask_ = std::atoi(mask) & all_levels;
        if (const char* path = setting("LOG_FILE")) {
            try {
                open(path);
            } catch (const error&) {
                std::fprintf(stderr, "heron: cannot open the log file %s\n", path);
            }
        }
    }

    bool enabled(log_level level) const { return mask_ & bit(level); }
    void set_mask(int mask) {
        if (!disabled_) mask_ = mask;
    }
    void disable() {
        disabled_ = true;
        mask_ = 0;
    }

    void open(const char* path) {
        std::FILE* const file = open_to_append(with_process_id(path));
        if (!file)
            throw error(HERON_INVALID_VALUE, role::log_file,
                        fmt::format("cannot open {}: {}", path, std::strerror(errno)));
        const std::lock_guard lock(mutex_);
        own_file_.reset(file);
        file_ = file;
    }

    void use(std::FILE* file) {
        const std::lock_guard lock(mutex_);
        own_file_.reset();
        file_ = file ? file : stdout;
    }

    void call(log_callback callback) {
        const std::lock_guard lock(mutex_);
        callback_ = callback;
    }

    void write(log_level level, const char* function, std::string_view message) {
        static constexpr const char* names[] = {"", "Error", "Trace", "Hint", "Info", "Api"};
        const auto index = static_cast<int>(level);
        log_callback callback;
        {
            const std::lock_guard lock(mutex_);
            callback = callback_;
            const std::string line =
                fmt::format("[{:%Y-%m-%d %H:%M:%S}][heron][{}][{}][{}] {}\n",
                            fmt::localtime(std::time(nullptr)), getpid(), names[index], function, message);
            std::fputs(line.c_str(), file_);
            std::fflush(file_);
        }
        if (!callback) return;
        const log_scope::line line{callback, index, function, std::string(message)};
        if (!log_scope::keep(line)) callback(index, function, line.message.c_str());
    }

  private:
    static int bit(log_level level) { return 1 << (static_cast<int>(level) - 1); }
    static int clamp(int v, int low, int high) { return v < low ? low : v > high ? high : v; }

    static const char* setting(const char* name) {
        const char* const own = secure_getenv(fmt::format("HERON_{}", name).c_str());
        return own ? own : secure_getenv(fmt::format("CUSPARSE_{}", name).c_str());
    }

    static std::string with_process_id(std::string path) {
        for (size_t at; (at = path.find("%i")) != std::string::npos;)
            path.replace(at, 2, std::to_string(getpid()));
        return path;
    }

    std::atomic<int> mask_ = 0;
    std::atomic<bool> disabled_ = false;
    std::mutex mutex_;
    std::FILE* file_ = stdout;
    std::unique_ptr<std::FILE, close_file> own_file_;
    log_callback callback_ = nullptr;
};

// Never destroyed: plug-ins and other libraries may log while the process exits.
logger& the_logger() {
    static logger* const instance = new logger;
    return *instance;
}

}  // namespace

bool log_enabled(log_level level) noexcept { return the_logger().enabled(level); }

void log(log_level level, const char* function, std::string_view message) noexcept {
    if (level == log_level::error && reporting()) note_reason(message);
    try {
        if (level == log_level::error) latest_error.assign(function).append(": ").append(message);
        if (the_logger().enabled(level)) the_logger().write(level, function, message);
    } catch (...) {
        // A line that cannot be written is lost; the call that wrote it goes on.
    }
}

const char* last_error() noexcept { return latest_error.c_str(); }

log_scope::log_scope() noexcept : outer_(open_scope) {
    if (!outer_) open_scope = this;
}

log_scope::~log_scope() {
    if (outer_) return;
    // What the callback calls opens scopes of its own.
    open_scope = nullptr;
    try {
        for (const line& l : lines_) l.callback(l.level, l.function.c_str(), l.message.c_str());
    } catch (...) {
        // The callback's own affair; the call that logged has ended.
    }
}

bool log_scope::keep(const line& l) {
    if (open_scope) open_scope->lines_.push_back(l);
    return open_scope;
}

void set_log_level(int level) {
    require(level >= 0 && level <= 5, role::log_level, "must be 0 to 5");
    the_logger().set_mask(mask_of_level(level));
}

void set_log_mask(int mask) {
    require(mask >= 0 && mask <= all_levels, role::log_mask, "must be a sum of 1, 2, 4, 8 and 16");
    the_logger().set_mask(mask);
}

void open_log_file(const char* path) { path ? the_logger().open(path) : the_logger().use(nullptr); }
void set_log_file(std::FILE* file) noexcept { the_logger().use(file); }
void set_log_callback(log_callback callback) noexcept { the_logger().call(callback); }
void disable_log_for_good() noexcept { the_logger().disable(); }

}  // namespace heron::core
