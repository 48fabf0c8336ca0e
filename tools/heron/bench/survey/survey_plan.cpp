#include "survey_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <stdexcept>
#include <tuple>

#include "matrix/generators.hpp"

namespace heron::tools {
namespace {

// The same on every platform.
std::uint64_t draw(const std::string& text, std::uint64_t seed) {
    for (const char c : text) seed = splitmix64(seed ^ static_cast<unsigned char>(c)).next();
    return seed;
}

}  // namespace

std::vector<survey_item> in_survey_order(std::vector<survey_item> items, std::uint64_t seed) {
    const auto cell_of = [](const survey_item& item) { return item.operation + " | " + item.family; };
    std::stable_sort(items.begin(), items.end(), [&](const survey_item& a, const survey_item& b) {
        return draw(a.key(), seed) < draw(b.key(), seed);
    });
    struct ranked {
        std::size_t turn;
        std::uint64_t cell;
        survey_item item;
    };
    std::map<std::string, std::size_t> turns;
    std::vector<ranked> order;
    for (survey_item& item : items) {
        const std::string cell = cell_of(item);
        const std::size_t turn = turns[cell]++;
        order.push_back({turn, draw(cell, seed + turn), std::move(item)});
    }
    std::stable_sort(order.begin(), order.end(), [](const ranked& a, const ranked& b) {
        return std::tie(a.turn, a.cell) < std::tie(b.turn, b.cell);
    });
    std::vector<survey_item> result;
    for (ranked& each : order) result.push_back(std::move(each.item));
    return result;
}

survey_piece survey_piece_from(const std::string& text) {
    survey_piece piece;
    const char* const end = text.data() + text.size();
    const auto [slash, number_error] = std::from_chars(text.data(), end, piece.number);
    if (number_error == std::errc{} && slash != end && *slash == '/') {
        const auto [stop, count_error] = std::from_chars(slash + 1, end, piece.count);
        if (count_error == std::errc{} && stop == end && piece.number >= 1 && piece.number <= piece.count)
            return piece;
    }
    throw std::invalid_argument(fmt::format("'{}' is no piece K/N, 1 <= K <= N", text));
}

std::vector<survey_item> items_of(survey_piece piece, std::vector<survey_item> items) {
    std::erase_if(
        items, [&](const survey_item& each) { return each.which_input % piece.count != piece.number - 1; });
    return items;
}

}  // namespace heron::tools
