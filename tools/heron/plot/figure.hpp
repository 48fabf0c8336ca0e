// A figure as data: what is drawn, apart from how.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "measure/report.hpp"

namespace heron::tools {

struct point {
    double x, y;
};

struct series {
    std::string name;
    std::vector<point> points;
    bool is_line = false;  // else markers
};

struct axis {
    std::string title;
    bool is_logarithmic = false;
    double least = 0, most = 1;
    std::vector<std::pair<double, std::string>> ticks;
};

struct figure {
    std::string title;
    axis x, y;
    std::vector<series> data;
    std::vector<series> guides;  // dashed lines: limits, and what a result is compared with
};

// From the results that heron bench wrote as JSON. Each throws std::runtime_error where these do not have
// what it needs.

// How many times as fast as each peer, by matrix.
figure ratio_figure(const record& results);
// Rates over flops per byte, below the memory's bandwidth.
figure roofline_figure(const record& results);
// Dolan and More's performance profiles (Math. Program. 91, 2002): the share of problems on which a contender
// is within a factor of the fastest.
figure profile_figure(const record& results);
// Times over a number of the results, such as "nnz" or "n".
figure scaling_figure(const record& results, const std::string& over);

// PNG or SVG by the name's ending.
void draw(const figure& what, const std::string& file, int width, int height);

}  // namespace heron::tools
