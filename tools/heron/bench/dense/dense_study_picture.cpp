#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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
constexpr rgb grid_colour{222, 222, 228};

double longest_time(const dense_study& study) {
    double longest = study.whole;
    for (const study_part& part : study.parts)
        longest = std::max({longest, part.alone, part.without, part.limit});
    return longest;
}

std::int64_t height_of(const dense_study& study) {
    return line_height * static_cast<std::int64_t>(study.parts.size() + 3) + margin;
}

// 1, 2 or 5 times a power of ten, a few of which make up the longest time.
double tick_step(double longest) {
    constexpr double most_ticks = 6;
    const double power = std::pow(10, std::floor(std::log10(longest)));
    for (const double factor : {0.2, 0.5, 1.0})
        if (longest / (factor * power) <= most_ticks) return factor * power;
    return 2 * power;
}

class study_picture {
  public:
    study_picture(canvas& out, const dense_study& study, std::int64_t top)
        : out_(out), study_(study), longest_(longest_time(study)), top_(top) {}

    void draw() {
        out_.text({margin, top_}, study_.title, text_colour);
        out_.text({figures, top_}, "alone", faint_text_colour);
        next_line();
        draw_grid();
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
    static constexpr std::int64_t figures = margin + name_width + bar_width + margin;

    void next_line() { top_ += line_height; }

    // Behind the bars, with its figures below them.
    void draw_grid() {
        const std::int64_t height = line_height * static_cast<std::int64_t>(study_.parts.size() + 1);
        const double step = tick_step(longest_ * 1e3);
        out_.text({margin, top_ + height}, "ms", faint_text_colour);
        for (int tick = 0; tick * step <= longest_ * 1e3; ++tick) {
            const std::int64_t x = margin + name_width + length(tick * step * 1e-3);
            const std::string figure = fmt::format("{:g}", tick * step);
            out_.fill({x, top_}, 1, height, grid_colour);
            out_.text({x - width_of(figure) / 2, top_ + height}, figure, faint_text_colour);
        }
    }

    void label(const std::string& name, double seconds) {
        out_.text({margin, top_}, name, text_colour);
        out_.text({figures, top_}, fmt::format("{:.3g} ms", seconds * 1e3), faint_text_colour);
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
        const std::string letters = entry.text;
        out.fill({left, top + 4}, 2 * bar_height, 2 * bar_height, entry.colour);
        out.text({left + 3 * bar_height, top}, letters, faint_text_colour);
        left += 3 * bar_height + width_of(letters) + 2 * margin;
    }
}

}  // namespace

drawing draw_studies(const std::vector<dense_study>& studies) {
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
