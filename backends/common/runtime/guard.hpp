#pragma once
// The guard between a plug-in and the core: every function of the table goes through it, so that no exception
// crosses the ABI and memory that runs out has its own status.
#include <heron/backend.h>
#include <exception>
#include <new>
#include <type_traits>

namespace heron {

// Thrown inside a plug-in, turned into a status and a log line where the table is entered.
struct plan_error {
    heron_status status;
    const char* reason;
};

// Runs f, which returns a status or nothing, and turns what it throws into a status. Log has a static,
// noexcept log_failure(function, reason).
template <class Log, class F>
heron_status guarded(const char* function, F&& f) noexcept {
    const auto failed = [&](heron_status status, const char* reason) {
        Log::log_failure(function, reason);
        return status;
    };
    try {
        if constexpr (std::is_same_v<decltype(f()), heron_status>)
            return f();
        else
            f();
        return HERON_SUCCESS;
    } catch (const plan_error& e) {
        return failed(e.status, e.reason);
    } catch (const std::bad_alloc&) {
        return failed(HERON_ALLOC_FAILED, "out of host memory");
    } catch (const std::exception& e) {
        return failed(HERON_INTERNAL_ERROR, e.what());
    } catch (...) {
        return failed(HERON_INTERNAL_ERROR, "unknown exception");
    }
}

// f, which returns a status or nothing, behind the guard: &table_entry<Log, name, &f>::call.
template <class Log, const char* name, auto f>
struct table_entry;
template <class Log, const char* name, class Result, class... Arguments, Result (*f)(Arguments...)>
struct table_entry<Log, name, f> {
    static heron_status call(Arguments... arguments) noexcept {
        return guarded<Log>(name, [&] { return f(arguments...); });
    }
};

// The names of the table's functions, for the log.
namespace table_names {
#define HERON_ENTRY(name) inline constexpr char name[] = #name;
#define HERON_OPTIONAL_ENTRY(name) HERON_ENTRY(name)
#include "table_entries.def"
#undef HERON_OPTIONAL_ENTRY
#undef HERON_ENTRY
}  // namespace table_names

}  // namespace heron
