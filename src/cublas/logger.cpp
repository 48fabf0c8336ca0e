// The logging API, on the log that all of Heron shares.
#include "translate.hpp"
#include "core/log.hpp"
#include <atomic>
#include <string>

using namespace heron;
using namespace heron::cublas;

namespace {

std::atomic<cublasLogCallback> user_callback = nullptr;

void tell_user(int, const char* function, const char* message) {
    const cublasLogCallback callback = user_callback;
    if (callback) callback((std::string(function) + ": " + message + "\n").c_str());
}

constexpr int everything = 5, nothing = 0;

}  // namespace

cublasStatus_t cublasLoggerConfigure(int is_on, int to_output, int to_errors, const char* file) {
    return guarded({__func__, {}}, [&] {
        if (is_on && file)
            core::open_log_file(file);
        else if (is_on && to_errors)
            core::set_log_file(stderr);
        else if (is_on)
            to_output ? core::set_log_file(stdout) : core::open_log_file("/dev/null");
        core::set_log_level(is_on ? everything : nothing);
    });
}

cublasStatus_t cublasSetLoggerCallback(cublasLogCallback callback) {
    return guarded(__func__, [&] {
        user_callback = callback;
        core::set_log_callback(callback ? &tell_user : nullptr);
    });
}

cublasStatus_t cublasGetLoggerCallback(cublasLogCallback* callback) {
    return guarded(__func__, [&] { *core::required(callback, "userCallback") = user_callback; });
}
