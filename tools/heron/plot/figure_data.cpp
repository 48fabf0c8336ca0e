#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

#include "figure.hpp"

namespace heron::tools {
namespace {

double number_at(const record& row, const std::string& pointer) {
    const record::json_pointer place(pointer);
    if (!row.contains(place) || !row.at(place).is_number()) return 0;
    return row.at(place).get<double>();
}

// Measured, and right.
bool is_usable(const record& row) {
    return number_at(row, "/seconds") > 0 && row.value("result", "right") != "wrong";
}

std::vector<record> rows_of(const record& results) {
    if (!results.contains("results") || !results["results"].is_array())
        throw std::runtime_error("the file holds no results of heron bench");
    std::vector<record> rows;
    for (const record& row : results["results"])
        if (is_usable(row)) rows.push_back(row);
    if (rows.empty()) throw std::runtime_error("no result in the file is usable");
    return rows;
}

std::string contender_of(const record& row) { return row.value("contender", "heron"); }

// What was measured: all words and whole numbers of the record but who did it and how it went.
std::string problem_of(const record& row) {
    static const std::set<std::string> others = {
        "contender", "result",       "message",    "samples",  "rounds",        "error", "calls", "copies",
        "device",    "buffer_bytes", "work_bytes", "launches", "peer_launches", "peer",  "colors"};
    std::string problem;
    for (const auto& [key, value] : row.items())
        if (!others.contains(key) && (value.is_string() || value.is_number_integer()))
            problem += key + "=" + value.dump() + " ";
    return problem;
}

std::string short_name(const record& row) {
    std::string name = row.value("matrix", row.value("size", "case"));
    for (const char* key : {"type", "op"})
        if (row.contains(key) && row[key].is_string()) name += " " + row[key].get<std::string>();
    return name;
}

std::string benchmark_of(const record& results) { return results.value("benchmark", "heron bench"); }

// Powers of ten, and between them what there is room for.
std::vector<double> steps_for(double range) {
    if (range > 200) return {1};
    return range > 8 ? std::vector<double>{1, 2, 5}
                     : std::vector<double>{1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8};
}

// Room around the values of all series.
void fit_logarithmic(axis& a, const std::vector<double>& values) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    a.is_logarithmic = true;
    a.least = *least / 1.25;
    a.most = *most * 1.25;
    const std::vector<double> steps = steps_for(a.most / a.least);
    for (double decade = std::pow(10, std::floor(std::log10(a.least))); decade <= a.most; decade *= 10)
        for (const double step : steps)
            if (const double tick = decade * step; tick >= a.least && tick <= a.most)
                a.ticks.emplace_back(tick, fmt::format("{:g}", tick));
}

std::vector<double> all(const std::vector<series>& data, double point::*coordinate) {
    std::vector<double> values;
    for (const series& s : data)
        for (const point& p : s.points) values.push_back(p.*coordinate);
    return values;
}

std::vector<series> listed(const std::map<std::string, series>& by_name) {
    std::vector<series> result;
    for (const auto& [name, s] : by_name) {
        result.push_back(s);
        result.back().name = name;
    }
    return result;
}

}  // namespace

figure ratio_figure(const record& results) {
    figure f;
    std::map<std::string, series> by_peer;
    std::map<std::string, double> places;
    for (const record& row : rows_of(results)) {
        if (!row.contains("ratio") || !row["ratio"].is_object()) continue;
        for (const auto& [peer, ratio] : row["ratio"].items()) {
            if (!ratio.is_number() || !(ratio.get<double>() > 0)) continue;
            const auto [place, is_new] =
                places.try_emplace(problem_of(row), static_cast<double>(places.size()));
            if (is_new) f.x.ticks.emplace_back(place->second, short_name(row));
            by_peer[fmt::format("{} / {}", contender_of(row), peer)].points.push_back(
                {place->second, ratio.get<double>()});
        }
    }
    if (by_peer.empty())
        throw std::runtime_error(
            "no result has a ratio: heron bench needs a peer, such as --eigen or --against");
    f.title = benchmark_of(results) + ": times as fast as";
    f.data = listed(by_peer);
    f.x.least = -0.6;
    f.x.most = static_cast<double>(places.size()) - 0.4;
    f.y.title = "ratio (above 1 is faster)";
    std::vector<double> values = all(f.data, &point::y);
    values.push_back(1);
    fit_logarithmic(f.y, values);
    f.guides.push_back({"", {{f.x.least, 1}, {f.x.most, 1}}, true});
    return f;
}

figure roofline_figure(const record& results) {
    figure f;
    std::map<std::string, series> by_contender;
    double bandwidth = 0;
    for (const record& row : rows_of(results)) {
        const double flops = number_at(row, "/gflops"), bytes = number_at(row, "/gbytes_per_second");
        if (!(flops > 0) || !(bytes > 0)) continue;
        by_contender[contender_of(row)].points.push_back({flops / bytes, flops});
        bandwidth = std::max(bandwidth, number_at(row, "/bandwidth/gbytes_per_second"));
    }
    if (by_contender.empty()) throw std::runtime_error("no result has both flops and bytes");
    f.title = benchmark_of(results) + ": roofline";
    f.data = listed(by_contender);
    f.x.title = "flops per byte";
    f.y.title = "Gflop/s";
    std::vector<double> rates = all(f.data, &point::y);
    fit_logarithmic(f.x, all(f.data, &point::x));
    if (bandwidth > 0) {
        f.guides.push_back({fmt::format("memory: {:.0f} GB/s", bandwidth),
                            {{f.x.least, bandwidth * f.x.least}, {f.x.most, bandwidth * f.x.most}},
                            true});
        rates.push_back(bandwidth * f.x.least);
        rates.push_back(bandwidth * f.x.most);
    }
    fit_logarithmic(f.y, rates);
    return f;
}

figure profile_figure(const record& results) {
    std::map<std::string, std::map<std::string, double>> seconds;  // by problem and contender
    std::set<std::string> contenders;
    for (const record& row : rows_of(results)) {
        double& best =
            seconds[problem_of(row)].try_emplace(contender_of(row), number_at(row, "/seconds")).first->second;
        best = std::min(best, number_at(row, "/seconds"));
        contenders.insert(contender_of(row));
    }
    if (contenders.size() < 2) throw std::runtime_error("a profile compares contenders, and there is one");
    figure f;
    double largest = 2;
    for (const std::string& contender : contenders) {
        std::vector<double> factors;
        for (const auto& [problem, times] : seconds) {
            const auto own = times.find(contender);
            if (own == times.end()) continue;
            double fastest = own->second;
            for (const auto& [other, time] : times) fastest = std::min(fastest, time);
            factors.push_back(own->second / fastest);
        }
        std::sort(factors.begin(), factors.end());
        series s{contender, {}, true};
        double share = 0;
        for (const double factor : factors) {
            s.points.push_back({factor, share});
            share += 1.0 / static_cast<double>(seconds.size());
            s.points.push_back({factor, share});
            largest = std::max(largest, factor);
        }
        f.data.push_back(s);
    }
    fit_logarithmic(f.x, {1.25, largest});
    for (series& s : f.data) s.points.push_back({f.x.most, s.points.back().y});
    f.title = benchmark_of(results) + fmt::format(": performance profile of {} problems", seconds.size());
    f.x.title = "factor of the fastest";
    f.y = {"share of problems",
           false,
           -0.02,
           1.02,
           {{0, "0"}, {0.25, "0.25"}, {0.5, "0.5"}, {0.75, "0.75"}, {1, "1"}}};
    return f;
}

figure scaling_figure(const record& results, const std::string& over) {
    figure f;
    std::map<std::string, series> by_contender;
    for (const record& row : rows_of(results))
        if (const double x = number_at(row, "/" + over); x > 0)
            by_contender[contender_of(row)].points.push_back({x, number_at(row, "/seconds") * 1e6});
    if (by_contender.empty()) throw std::runtime_error(fmt::format("no result has a number '{}'", over));
    f.title = benchmark_of(results) + ": time over " + over;
    f.data = listed(by_contender);
    for (series& s : f.data) {
        std::sort(s.points.begin(), s.points.end(), [](const point& a, const point& b) { return a.x < b.x; });
        s.is_line = true;
    }
    f.x.title = over;
    f.y.title = "microseconds";
    fit_logarithmic(f.x, all(f.data, &point::x));
    fit_logarithmic(f.y, all(f.data, &point::y));
    return f;
}

}  // namespace heron::tools
