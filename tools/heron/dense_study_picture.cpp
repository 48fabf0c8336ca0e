#include <fmt/format.h>

#include <algorithm>

#include "dense_study.hpp"

namespace heron::tools {
namespace {

constexpr std::int64_t margin = 20;
constexpr std::int64_t line_height = 24;
constexpr std::int64_t name_width = 150;
constexpr std::int64_t bar_width = 560;  // of the longest time
constexpr std::int64_t bar_height = 7;
constexpr std::int64_t figure_width = 150;

constexpr rgb without_colour{150, 180, 220};
constexpr rgb alone_colour{40, 90, 170};
constexpr rgb limit_colour{205, 70, 50};

double longest_time(const dense_study& study) {
    double longest = study.whole;
    for (const study_part& part : study.parts)
        longest = std::max({longest, part.alone, part.without, part.limit});
    return longest;
}

std::int64_t height_of(const dense_study& study) {
    return line_height * static_cast<std::int64_t>(study.parts.size() + 2) + margin;
}

class study_picture {
  public:
    study_picture(canvas& out, const dense_study& study, std::int64_t top)
        : out_(out), study_(study), longest_(longest_time(study)), top_(top) {}

    void draw() {
        out_.text({margin, top_}, render_text(study_.title), text_colour);
        next_line();
        label("all", study_.whole);
        out_.fill({margin + name_width, top_ + 4}, length(study_.whole), 2 * bar_height, alone_colour);
        next_line();
        for (const study_part& part : study_.parts) {
            label(part.name, part.alone);
            bar(0, part.alone, alone_colour);
            bar(1, part.without, without_colour);
            if (part.limit > 0)
                out_.fill({margin + name_width + length(part.limit), top_ + 2}, 2, 2 * bar_height + 4,
                          limit_colour);
            next_line();
        }
    }

  private:
    void next_line() { top_ += line_height; }

    void label(const std::string& name, double seconds) {
        out_.text({margin, top_}, render_text(name), text_colour);
        out_.text({margin + name_width + bar_width + margin, top_},
                  render_text(fmt::format("{:.3g} ms", seconds * 1e3)), faint_text_colour);
    }

    void bar(int number, double seconds, rgb colour) {
        out_.fill({margin + name_width, top_ + 4 + number * bar_height}, length(seconds), bar_height, colour);
    }

    std::int64_t length(double seconds) const {
        return std::max<std::int64_t>(
            1, static_cast<std::int64_t>(static_cast<double>(bar_width) * seconds / longest_));
    }

    canvas& out_;
    const dense_study& study_;
    double longest_;
    std::int64_t top_;
};

struct key_entry {
    const char* text;
    rgb colour;
};
constexpr key_entry key[] = {{"this part alone", alone_colour},
                             {"all without it", without_colour},
                             {"limit of the device", limit_colour}};

void draw_key(canvas& out, std::int64_t top) {
    std::int64_t left = margin;
    for (const key_entry& entry : key) {
        const bitmap letters = render_text(entry.text);
        out.fill({left, top + 4}, 2 * bar_height, 2 * bar_height, entry.colour);
        out.text({left + 3 * bar_height, top}, letters, faint_text_colour);
        left += 3 * bar_height + width_of(letters) + 2 * margin;
    }
}

}  // namespace

rgb_image draw_studies(const std::vector<dense_study>& studies) {
    std::int64_t height = 2 * margin + line_height;
    for (const dense_study& study : studies) height += height_of(study);
    canvas out(margin + name_width + bar_width + margin + figure_width, height);
    std::int64_t top = margin;
    for (const dense_study& study : studies) {
        study_picture(out, study, top).draw();
        top += height_of(study);
    }
    draw_key(out, top);
    return out.take();
}

}  // namespace heron::tools
