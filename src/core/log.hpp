#pragma once
// Logging for the whole library. Off by default; CUSPARSE_LOG_LEVEL, CUSPARSE_LOG_MASK and CUSPARSE_LOG_FILE
// switch it on as in cuSPARSE, HERON_LOG_LEVEL, HERON_LOG_MASK and HERON_LOG_FILE do the same and win.
#include <cstdio>
#include <string>

namespace heron::core {

enum class log_level { off = 0, error = 1, trace = 2, hint = 3, info = 4, api = 5 };

using log_callback = void (*)(int level, const char* function, const char* message);

bool log_enabled(log_level level) noexcept;

// Writes one line to the log file (standard output unless set) and the callback. Thread-safe, never throws.
void log(log_level level, const char* function, const std::string& message) noexcept;

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
