#pragma once
// What all functions share: the queues and events at the end of their arguments, and exceptions turned into
// clBLAS's statuses.
#include "core/context.hpp"
#include "core/facade_check.hpp"
#include "core/guard.hpp"
#include "core/log.hpp"
#include "core/ops/dense.hpp"
#include "core/recorded_call.hpp"
#include <clBLAS.h>
#include <memory>
#include <vector>

namespace heron::clblas {

class failure : public std::exception {
  public:
    failure(clblasStatus status, std::string message) : status_(status), message_(std::move(message)) {}
    clblasStatus status() const noexcept { return status_; }
    const char* what() const noexcept override { return message_.c_str(); }

  private:
    clblasStatus status_;
    std::string message_;
};

[[noreturn]] inline void fail(clblasStatus status, std::string message) {
    throw failure(status, std::move(message));
}

// The last five arguments of every function.
struct tail {
    cl_uint queue_count;
    const cl_command_queue* queues;
    cl_uint wait_count;
    const cl_event* waits;
    cl_event* events;
};

struct matrix {
    cl_mem memory;
    size_t offset, ld;
};

// The operation runs on the first queue.
class call {
  public:
    // Checks queues and wait list. Nothing is enqueued before the operation itself.
    explicit call(const tail& t);

    core::context& context() { return *queues_[0]; }
    // name: 'A', 'B' or 'C'. Throws for what is no buffer of the queues' context.
    core::dense_matrix_operand operand(char name, const matrix& m, size_t element_bytes);
    // Fills the caller's events.
    void finish();

  private:
    const tail tail_;
    std::vector<std::unique_ptr<core::context>> queues_;
};

clblasStatus status_of(heron_status status);
clblasStatus status_of(const core::error& e);

// What the functions call their arguments.
extern const core::argument_names names;

// Runs f and turns what it throws into a status and a log line.
template <class F>
clblasStatus guarded(const char* function, F&& f) noexcept {
    if (!core::fits_core()) return clblasNotInitialized;
    const auto failed = [&](clblasStatus status, const char* reason) {
        core::log(core::log_level::error, function, reason);
        return status;
    };
    core::log_call({function, {}, names});
    const core::log_scope scope;
    core::recorded_call record(function);
    try {
        f();
        record.succeeded();
        return clblasSuccess;
    } catch (const failure& e) {
        return failed(e.status(), e.what());
    } catch (const core::error& e) {
        core::log_failure({function, {}, names}, e);
        return status_of(e);
    } catch (const std::bad_alloc&) {
        return failed(clblasOutOfHostMemory, "out of host memory");
    } catch (const std::exception& e) {
        return failed(clblasInvalidOperation, e.what());
    } catch (...) {
        return failed(clblasInvalidOperation, "unknown exception");
    }
}

}  // namespace heron::clblas
