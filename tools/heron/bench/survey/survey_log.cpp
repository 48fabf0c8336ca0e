#include "survey_log.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace heron::tools {

survey_log::survey_log(const std::string& file, const record& measured_with) : name_(file) {
    if (file.empty()) return;
    const auto is_empty = [&] {
        std::error_code error;
        const auto size = std::filesystem::file_size(file, error);
        return error || size == 0;
    };
    if (!is_empty()) read(file, measured_with);
    const bool is_new = is_empty();
    file_.reset(std::fopen(file.c_str(), "a"));
    if (!file_) throw std::runtime_error(fmt::format("cannot write {}", file));
    if (is_new) write({{"survey", measured_with}});
}

void survey_log::read(const std::string& file, const record& measured_with) {
    std::ifstream stream(file);
    std::string text;
    bool is_first = true;
    std::size_t kept = 0;
    while (std::getline(stream, text)) {
        const record line = record::parse(text, nullptr, false);
        if (is_first && !(line.is_object() && line.contains("survey")))
            throw std::runtime_error(fmt::format("{} holds no rows of heron bench survey", file));
        if (is_first && line["survey"] != measured_with)
            throw std::runtime_error(fmt::format("{} was measured with {}, not with {}", file,
                                                 line["survey"].dump(), measured_with.dump()));
        // The last line of a run that was killed may be cut off.
        if (stream.eof() || !line.is_object()) break;
        kept += text.size() + 1;
        if (!is_first && line.contains("key") && line.contains("rows"))
            done_[line["key"].get<std::string>()] = line["rows"].get<std::vector<record>>();
        is_first = false;
    }
    stream.close();
    std::filesystem::resize_file(file, kept);
}

void survey_log::add(const std::string& key, const std::vector<record>& rows, double seconds) {
    done_[key] = rows;
    if (file_) write({{"key", key}, {"took", seconds}, {"rows", rows}});
}

void survey_log::write(const record& line) {
    const std::string text = line.dump() + '\n';
    if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() || std::fflush(file_.get()) != 0)
        throw std::runtime_error(fmt::format("cannot write {}", name_));
}

std::vector<record> survey_log::rows() const {
    std::vector<record> all;
    for (const auto& [key, rows] : done_) all.insert(all.end(), rows.begin(), rows.end());
    return all;
}

}  // namespace heron::tools
