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
#include <utility>
#include <vector>
#include <fcntl.h>
#include <unistd.h>

namespace heron::core {
namespace {

constexpr unsigned all_levels = 0x1f;

unsigned mask_of_level(int level) { return (1u << level) - 1; }

// Of this thread: whether a scope is open, and the lines that its callback has yet to hear of.
thread_local bool has_open_scope = false;
thread_local std::vector<log_scope::line> kept_lines;

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
        unsigned mask = 0;
        if (const char* level = setting("LOG_LEVEL")) mask = mask_of_level(clamp(std::atoi(level), 0, 5));
        if (const char* text = setting("LOG_MASK"))
            mask = static_cast<unsigned>(std::atoi(text)) & all_levels;
        if (const char* path = setting("LOG_FILE")) {
            try {
                open(path);
            } catch (const error&) {
                std::fprintf(stderr, "heron: cannot open the log file %s\n", path);
            }
        }
        log_watch = mask;
    }

    void set_mask(unsigned mask) {
        const std::lock_guard lock(mutex_);
        if (!is_disabled_) watch(all_levels, mask);
    }
    void disable() {
        const std::lock_guard lock(mutex_);
        is_disabled_ = true;
        watch(all_levels, 0);
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
        watch(log_calls_back, callback ? log_calls_back : 0);
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
    // Changes some of the bits; the mutex is held.
    static void watch(unsigned which, unsigned bits) { log_watch = (log_watch & ~which) | bits; }
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

    std::mutex mutex_;
    bool is_disabled_ = false;
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

constinit std::atomic<unsigned> log_watch = log_is_unread;

bool log_enabled_in_full(log_level level) noexcept {
    the_logger();
    return log_watch & bit_of(level);
}

void log(log_level level, const char* function, std::string_view message) noexcept {
    if (level == log_level::error && reporting()) note_reason(message);
    try {
        if (level == log_level::error) latest_error.assign(function).append(": ").append(message);
        if (log_enabled(level)) the_logger().write(level, function, message);
    } catch (...) {
        // A line that cannot be written is lost; the call that wrote it goes on.
    }
}

const char* last_error() noexcept { return latest_error.c_str(); }

void log_scope::open() noexcept {
    is_outermost_ = !has_open_scope;
    has_open_scope = true;
}

void log_scope::close() noexcept {
    // What the callback calls opens scopes of its own.
    has_open_scope = false;
    try {
        const auto lines = std::move(kept_lines);
        kept_lines.clear();
        for (const line& l : lines) l.callback(l.level, l.function.c_str(), l.message.c_str());
    } catch (...) {
        // The callback's own affair; the call that logged has ended.
    }
}

bool log_scope::keep(const line& l) {
    if (has_open_scope) kept_lines.push_back(l);
    return has_open_scope;
}

void set_log_level(int level) {
    require(level >= 0 && level <= 5, role::log_level, "must be 0 to 5");
    the_logger().set_mask(mask_of_level(level));
}

void set_log_mask(int mask) {
    require(mask >= 0 && mask <= static_cast<int>(all_levels), role::log_mask,
            "must be a sum of 1, 2, 4, 8 and 16");
    the_logger().set_mask(static_cast<unsigned>(mask));
}

void open_log_file(const char* path) { path ? the_logger().open(path) : the_logger().use(nullptr); }
void set_log_file(std::FILE* file) noexcept { the_logger().use(file); }
void set_log_callback(log_callback callback) noexcept { the_logger().call(callback); }
void disable_log_for_good() noexcept { the_logger().disable(); }

}  // namespace heron::core
