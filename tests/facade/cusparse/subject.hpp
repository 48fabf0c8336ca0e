#pragma once
// A function under test with valid arguments, each of which is then made invalid in turn.
#include "facade.hpp"
#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace heron::test {

// Names of the functions whose arguments were all tried.
inline std::set<std::string>& tried() {
    static std::set<std::string> names;
    return names;
}

// What an API answers to an argument that is invalid. Success is 0 in every API.
template <class Status>
inline constexpr Status invalid_of{};
template <>
inline constexpr cusparseStatus_t invalid_of<cusparseStatus_t> = CUSPARSE_STATUS_INVALID_VALUE;

// What is the same for all functions of an API, so that it is compiled once: a function has dozens of
// arguments to try.
template <class Status>
class subject_checks {
  public:
    subject_checks(const subject_checks&) = delete;
    subject_checks& operator=(const subject_checks&) = delete;

  protected:
    subject_checks(const char* name, size_t arguments) : name_(name), covered_(arguments) {}
    // Every argument must have been tried.
    ~subject_checks() {
        INFO(name_ << " has " << covered_.size() << " arguments; those tried: " << tried_arguments());
        CHECK(std::find(covered_.begin(), covered_.end(), false) == covered_.end());
        tried().insert(name_);
    }

    virtual Status call() const = 0;

    void cover(size_t i) { covered_[i] = true; }

    void add_watched(void* memory, size_t size) {
        watched_.emplace_back(static_cast<unsigned char*>(memory), size);
    }

    void check_success() {
        INFO(name_);
        CHECK(call() == Status{});
    }

    // With argument i replaced.
    void check_failure(size_t i, const char* argument, Status expected) {
        cover(i);
        INFO(name_ << ", argument " << i << " (" << argument << ")");
        for (const auto& [memory, size] : watched_) std::memset(memory, poison, size);
        log_capture log;
        CHECK(call() == expected);
        check_log(log.take(), argument);
        for (const auto& [memory, size] : watched_)
            CHECK(std::all_of(memory, memory + size, [](unsigned char byte) { return byte == poison; }));
    }

  private:
    static constexpr unsigned char poison = 0x5a;

    std::string tried_arguments() const {
        std::string text;
        for (const bool is_covered : covered_) text += is_covered ? '1' : '0';
        return text;
    }

    void check_log(const std::vector<log_line>& lines, const char* argument) {
        REQUIRE(lines.size() == 1);
        CHECK(lines[0].level == 1);
        CHECK(lines[0].function == name_);
        CAPTURE(lines[0].message);
        CHECK(lines[0].message.rfind(std::string(argument) + ": ", 0) == 0);
    }

    std::string name_;
    std::vector<std::pair<unsigned char*, size_t>> watched_;
    std::vector<bool> covered_;
};

template <class Status, class... A>
class subject final : subject_checks<Status> {
    using base = subject_checks<Status>;
    using argument_list = std::tuple<A...>;

  public:
    subject(const char* name, Status (*function)(A...), std::type_identity_t<A>... valid)
        : base(name, sizeof...(A)), function_(function), valid_(valid...) {}

    // Memory that a failing call must leave alone.
    subject& watch(void* memory, size_t size) {
        base::add_watched(memory, size);
        return *this;
    }

    subject& works() {
        base::check_success();
        return *this;
    }

    // With argument i replaced, the call fails with this status, writes nothing, and logs one line that names
    // the function and the argument at fault.
    template <size_t i>
    subject& bad(const char* argument, std::tuple_element_t<i, argument_list> value,
                 Status expected = invalid_of<Status>) {
        const auto valid = std::exchange(std::get<i>(valid_), value);
        base::check_failure(i, argument, expected);
        std::get<i>(valid_) = valid;
        return *this;
    }

    // Argument i has no invalid value, or none that the library can tell.
    template <size_t i>
    subject& any() {
        base::cover(i);
        return *this;
    }

  private:
    Status call() const override { return std::apply(function_, valid_); }

    Status (*function_)(A...);
    argument_list valid_;
};

}  // namespace heron::test

// A subject named as the function.
#define SUBJECT(variable, function, ...) heron::test::subject variable(#function, function, __VA_ARGS__)
