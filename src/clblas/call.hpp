#pragma once
// What all functions share: the queues and events at the end of their arguments, and exceptions turned into
// clBLAS's statuses.
#include "core/context.hpp"
#include "core/facade_check.hpp"
#include "core/guard.hpp"
#include "core/log.hpp"
#include "core/ops/blas2.hpp"
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

struct vector {
    cl_mem memory;
    size_t offset;
    int inc;
};

// Where one number, or an array of a few, lies.
struct number {
    cl_mem memory;
    size_t offset;
};

// The operation runs on the first queue.
class call {
  public:
    // Checks queues and wait list. Nothing is enqueued before the operation itself.
    explicit call(const tail& t);

    core::context& context() { return *queues_[0]; }
    // The bytes of a buffer of the queues' context. Fails with that status for what is none.
    size_t bytes_of(const char* name, cl_mem memory, clblasStatus if_none);
    // name: 'A', 'B' or 'C'.
    core::dense_matrix_operand operand(char name, const matrix& m, size_t element_bytes);
    // name: 'X' or 'Y'. Its increment may not be 0.
    core::dense_vector_operand operand(char name, const vector& v, size_t element_bytes);
    // From now on the operation's numbers are on the device. name: what the function calls it; counts_as: 'X'
    // or 'Y', whose statuses it has.
    core::number_operand operand(const char* name, char counts_as, const number& n, size_t element_bytes);
    // Fills the caller's events.
    void finish();

  private:
    const tail tail_;
    std::vector<std::unique_ptr<core::context>> queues_;
};

clblasStatus status_of(heron_status status);
clblasStatus status_of(const core::error& e);
// The same where the argument at fault has the statuses of another.
clblasStatus status_of(const core::error& e, core::role as);

// What the functions call their arguments.
extern const core::argument_names names;

// A function of the API, with what it calls arguments that others call otherwise, and the statuses of its own
// that it gives for arguments at fault.
struct function {
    function(const char* n, core::argument_names own = {},
             clblasStatus (*status)(const core::error&) = &status_of)
        : called{n, own, names}, status_of_error(status) {}

    core::public_function called;
    clblasStatus (*status_of_error)(const core::error&);
};

// Runs f and turns what it throws into a status and a log line.
template <class F>
clblasStatus guarded(const function& function, F&& f) noexcept {
    if (!core::fits_core()) return clblasNotInitialized;
    const auto failed = [&](clblasStatus status, const char* reason) {
        core::log(core::log_level::error, function.called.name, reason);
        return status;
    };
    core::log_call(function.called.name);
    const core::log_scope scope;
    core::recorded_call record(function.called.name);
    try {
        f();
        record.succeeded();
        return clblasSuccess;
    } catch (const failure& e) {
        return failed(e.status(), e.what());
    } catch (const core::error& e) {
        core::log_failure(function.called, e);
        return function.status_of_error(e);
    } catch (const std::bad_alloc&) {
        return failed(clblasOutOfHostMemory, "out of host memory");
    } catch (const std::exception& e) {
        return failed(clblasInvalidOperation, e.what());
    } catch (...) {
        return failed(clblasInvalidOperation, "unknown exception");
    }
}

}  // namespace heron::clblas
