#pragma once
// The one place where exceptions become statuses, at the edge of every C API.
#include "error.hpp"
#include "log.hpp"
#include "recorded_call.hpp"
#include <exception>
#include <new>
#include <utility>

namespace heron::core {

inline void log_call(const char* function) noexcept {
    if (log_enabled(log_level::api)) log(log_level::api, function, "called");
}

// Log what failed and return the status for it.
heron_status log_failure(const public_function& function, const error& e) noexcept;
heron_status log_failure(const public_function& function, heron_status status, const char* reason) noexcept;

// Runs f and returns the status of what it threw, with one error line, or HERON_SUCCESS. describe() is the
// public_function. Exceptions are caught in the facade itself: where each library carries a C++ runtime of
// its own, libheron's does not know of one that another library handles.
template <class Describe, class F>
heron_status logged(const Describe& describe, F&& f) noexcept {
    try {
        f();
        return HERON_SUCCESS;
    } catch (const error& e) {
        return log_failure(describe(), e);
    } catch (const std::bad_alloc&) {
        return log_failure(describe(), HERON_ALLOC_FAILED, "out of host memory");
    } catch (const std::exception& e) {
        return log_failure(describe(), HERON_INTERNAL_ERROR, e.what());
    } catch (...) {
        return log_failure(describe(), HERON_INTERNAL_ERROR, "unknown exception");
    }
}

// What is around a call: its line in the log, the scope of its other lines, its record in a report. Where
// nobody hears of it that is two loads.
class watched_call {
  public:
    explicit watched_call(const char* name) noexcept {
        if (is_logged() || reporting()) begin(name);
    }
    ~watched_call() {
        if (is_watched_) end();
    }
    watched_call(const watched_call&) = delete;
    watched_call& operator=(const watched_call&) = delete;

    void succeeded() noexcept {
        if (is_watched_) watch_.record.succeeded();
    }

  private:
    struct watch {
        explicit watch(const char* name) noexcept : record(name) {}
        const log_scope scope;
        recorded_call record;
    };

    static bool is_logged() noexcept { return log_watch.load(std::memory_order_relaxed) != 0; }
    void begin(const char* name) noexcept;
    void end() noexcept;

    union {
        watch watch_;
    };
    bool is_watched_ = false;
};

// Runs f for a public function: name, and describe() for what it calls its arguments.
template <class Status, class Describe, class F>
Status guard(const char* name, const Describe& describe, F&& f) noexcept {
    watched_call watched(name);
    const heron_status status = logged(describe, std::forward<F>(f));
    if (status == HERON_SUCCESS) watched.succeeded();
    return static_cast<Status>(status);
}
template <class Status, class F>
Status guard(const public_function& function, F&& f) noexcept {
    return guard<Status>(
        function.name, [&]() -> const public_function& { return function; }, std::forward<F>(f));
}

}  // namespace heron::core
