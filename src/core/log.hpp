#pragma once
// Logging for the whole library. Off by default; CUSPARSE_LOG_LEVEL, CUSPARSE_LOG_MASK and CUSPARSE_LOG_FILE
// switch it on as in cuSPARSE, HERON_LOG_LEVEL, HERON_LOG_MASK and HERON_LOG_FILE do the same and win.
#include <atomic>
#include <cstdio>
#include <string>
#include <string_view>

namespace heron::core {

enum class log_level { off = 0, error = 1, trace = 2, hint = 3, info = 4, api = 5 };

using log_callback = void (*)(int level, const char* function, const char* message);

// What calls are watched for, as bits: the log levels that are on, in the order of their numbers, whether
// there is a callback, and, until somebody asks, that the environment was not read yet.
extern std::atomic<unsigned> log_watch;
constexpr unsigned log_calls_back = 1u << 5, log_is_unread = 1u << 6;

constexpr unsigned bit_of(log_level level) { return 1u << (static_cast<int>(level) - 1); }

// By the environment, too.
bool log_enabled_in_full(log_level level) noexcept;
inline bool log_enabled(log_level level) noexcept {
    const unsigned watch = log_watch.load(std::memory_order_relaxed);
    return (watch & (bit_of(level) | log_is_unread)) != 0 && log_enabled_in_full(level);
}

// Writes one line to the log file (standard output unless set) and the callback. Thread-safe, never throws.
// Within a log_scope the callback is called at its end.
void log(log_level level, const char* function, std::string_view message) noexcept;

// What a call of a public function opens: mutexes of handles, of the loader and inside plug-ins are held
// while lines are written, and the callback may itself call the library. So the callback hears of the lines
// of this thread, in their order, when the outermost scope ends and nothing is held any more. A callback that
// is set while a call is under way hears of that call's lines as they are written.
class log_scope {
  public:
    log_scope() noexcept {
        if (log_watch.load(std::memory_order_relaxed) & log_calls_back) open();
    }
    ~log_scope() {
        if (is_outermost_) close();
    }
    log_scope(const log_scope&) = delete;
    log_scope& operator=(const log_scope&) = delete;

    struct line {
        log_callback callback;
        int level;
        std::string function, message;
    };
    // False where this thread has no open scope.
    static bool keep(const line& l);

  private:
    void open() noexcept;
    void close() noexcept;

    bool is_outermost_ = false;
};

// level 0..5 enables itself and those below; mask bit (level - 1) enables one. Both throw on values out of
// range.
void set_log_level(int level);
void set_log_mask(int mask);
// "%i" becomes the process id. NULL: standard output.
void open_log_file(const char* path);
// The file stays the caller's. NULL: standard output.
void set_log_file(std::FILE* file) noexcept;
void set_log_callback(log_callback callback) noexcept;
// From now on nothing is logged, whatever is set later.
void disable_log_for_good() noexcept;

}  // namespace heron::core
