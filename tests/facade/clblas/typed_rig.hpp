// What the tests of levels 1 and 2 share: vectors with gaps, a queue to run functions on, and expectations of
// what they leave.
#pragma once

#include "typed.hpp"
#include "rig.hpp"
#include <cmath>

namespace heron::test::cl {

using value = std::complex<double>;

// n elements with room around them and between them.
struct strided {
    std::size_t n, offset;
    int inc;

    std::size_t at(std::size_t i) const {
        const auto step = static_cast<std::size_t>(std::abs(inc));
        return offset + (inc > 0 ? i : n - 1 - i) * step;
    }
    std::size_t size() const { return offset + (n - 1) * static_cast<std::size_t>(std::abs(inc)) + 4; }
};

// Numbers that every type holds exactly.
class numbers {
  public:
    template <class F>
    std::vector<value> operator()(F, std::size_t count) {
        std::vector<value> result(count);
        for (value& v : result) {
            const double re = next(), im = next();
            v = F::is_complex ? value(re, im) : value(re, 0);
        }
        return result;
    }

  private:
    double next() { return static_cast<double>(engine_() >> 8) * 0x1p-24 - 0.5; }
    std::mt19937 engine_{4711};
};

template <class Number>
Number as_number(value v) {
    if constexpr (std::is_floating_point_v<Number>)
        return static_cast<Number>(v.real());
    else
        return Number(v);
}

class device_side {
  public:
    device_side() { REQUIRE(clblasSetup() == clblasSuccess); }
    ~device_side() { clblasTeardown(); }

    template <class Number>
    owned_buffer put(const std::vector<value>& values) const {
        std::vector<Number> typed(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) typed[i] = as_number<Number>(values[i]);
        return upload(context_.get(), typed);
    }

    template <class Number>
    std::vector<value> get(cl_mem memory, std::size_t count) const {
        const auto typed = download<Number>(queue_.get(), memory, count);
        return std::vector<value>(typed.begin(), typed.end());
    }

    // The function with the arguments at the end of all; waits for its event.
    template <class Function, class... A>
    void run(Function function, A... arguments) {
        cl_command_queue queues[] = {queue_.get()};
        cl_event done = nullptr;
        REQUIRE(invoke(function, arguments..., 1, queues, 0, nullptr, &done) == clblasSuccess);
        REQUIRE(done != nullptr);
        CHECK(clWaitForEvents(1, &done) == CL_SUCCESS);
        clReleaseEvent(done);
    }

    cl_context context() const { return context_.get(); }
    cl_command_queue queue() const { return queue_.get(); }

  private:
    owned_context context_ = make_context();
    owned_queue queue_ = make_queue(context_.get());
};

template <class F>
constexpr double epsilon = sizeof(typename F::real) == 4 ? 0x1p-23 : 0x1p-52;

// Elements that were to be written are right up to their tolerance; the rest is as before.
struct expectation {
    explicit expectation(std::vector<value> before)
        : values(std::move(before)), tolerances(values.size(), 0) {}

    void set(std::size_t at, value v, double tolerance) {
        values[at] = v;
        tolerances[at] = tolerance;
    }

    void check(const std::vector<value>& got) const {
        REQUIRE(got.size() == values.size());
        for (std::size_t i = 0; i < got.size(); ++i)
            if (!(std::abs(got[i] - values[i]) <= tolerances[i]) &&
                !(tolerances[i] == 0 && is_same_nan(got[i], values[i]))) {
                CAPTURE(i, got[i], values[i], tolerances[i]);
                FAIL_CHECK("wrong element");
                return;
            }
    }

    // What was not to be read and not to be written.
    static bool is_same_nan(value got, value expected) {
        return std::isnan(got.real()) && std::isnan(expected.real());
    }

    std::vector<value> values;
    std::vector<double> tolerances;
};

}  // namespace heron::test::cl
