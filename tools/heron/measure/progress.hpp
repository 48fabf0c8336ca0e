// What a long command is doing, on standard error.
#pragma once

#include <string_view>

namespace heron::tools {

class progress {
  public:
    // Shows lines if standard error is a terminal, where each overwrites the last, or if `always`.
    explicit progress(bool always);
    // Shows nothing at all.
    static progress silent() { return {}; }
    ~progress() { clear(); }
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;

    void step(std::string_view text);
    // A line that stays.
    void keep(std::string_view line);
    void clear();

  private:
    progress() : is_terminal_(false), shown_(false) {}

    bool is_terminal_;
    bool shown_;
};

}  // namespace heron::tools
