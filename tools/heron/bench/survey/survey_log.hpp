// What a survey has measured, kept in a file from one run to the next: one JSON object per line, the first
// of which says what the rows were measured with.
#pragma once

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "measure/report.hpp"

namespace heron::tools {

class survey_log {
  public:
    // Without a file it only remembers. Throws std::runtime_error where the file cannot be written, or where
    // what it holds was measured with something else.
    survey_log(const std::string& file, const record& measured_with);

    bool has(const std::string& key) const { return done_.contains(key); }
    // `rows` may be none, for what was left out. seconds: that it took in all.
    void add(const std::string& key, const std::vector<record>& rows, double seconds);
    std::vector<record> rows() const;

  private:
    void read(const std::string& file, const record& measured_with);
    void write(const record& line);

    struct close_file {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::unique_ptr<std::FILE, close_file> file_;
    std::string name_;
    std::map<std::string, std::vector<record>> done_;
};

}  // namespace heron::tools
