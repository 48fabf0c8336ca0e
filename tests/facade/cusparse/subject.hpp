#pragma once
// A function under test with valid arguments, each of which is then made invalid in turn.
#include "facade.hpp"
#include <algorithm>
#include <bitset>
#include <cstring>
#include <set>
#include <tuple>
#include <type_traits>

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

template <class Status, class... A>
class subject {
  public:
    subject(const char* name, Status (*function)(A...), std::type_identity_t<A>... valid)
        : name_(name), function_(function), valid_(valid...) {}
    // Every argument must have been tried.
    ~subject() {
        INFO(name_ << " has " << sizeof...(A) << " arguments; those tried: " << covered_);
        CHECK(covered_.all());
        tried().insert(name_);
    }
    subject(const subject&) = delete;
    subject& operator=(const subject&) = delete;

    // Memory that a failing call must leave alone.
    subject& watch(void* memory, size_t size) {
        watched_.emplace_back(static_cast<unsigned char*>(memory), size);
        return *this;
    }

    subject& works() {
        INFO(name_);
        CHECK(std::apply(function_, valid_) == Status{});
        return *this;
    }

    // With argument i replaced, the call fails with this status, writes nothing, and logs one line that names
    // the function and the argument at fault.
    template <size_t i>
    subject& bad(const char* argument, std::tuple_element_t<i, std::tuple<A...>> value,
                 Status expected = invalid_of<Status>) {
        covered_.set(i);
        auto arguments = valid_;
        std::get<i>(arguments) = value;
        INFO(name_ << ", argument " << i << " (" << argument << ")");
        for (const auto& [memory, size] : watched_) std::memset(memory, poison, size);
        log_capture log;
        CHECK(std::apply(function_, arguments) == expected);
        check_log(log.take(), argument);
        for (const auto& [memory, size] : watched_)
            CHECK(std::all_of(memory, memory + size, [](unsigned char byte) { return byte == poison; }));
        return *this;
    }

    // Argument i has no invalid value, or none that the library can tell.
    template <size_t i>
    subject& any() {
        covered_.set(i);
        return *this;
    }

  private:
    static constexpr unsigned char poison = 0x5a;

    void check_log(const std::vector<log_line>& lines, const char* argument) {
        REQUIRE(lines.size() == 1);
        CHECK(lines[0].level == 1);
        CHECK(lines[0].function == name_);
        CAPTURE(lines[0].message);
        CHECK(lines[0].message.rfind(std::string(argument) + ": ", 0) == 0);
    }

    std::string name_;
    Status (*function_)(A...);
    std::tuple<A...> valid_;
    std::vector<std::pair<unsigned char*, size_t>> watched_;
    std::bitset<sizeof...(A)> covered_;
};

}  // namespace heron::test

// A subject named as the function.
#define SUBJECT(variable, function, ...) heron::test::subject variable(#function, function, __VA_ARGS__)
