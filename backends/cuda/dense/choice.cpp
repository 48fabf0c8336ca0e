#include "choice.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

namespace heron::cuda {
namespace {

constexpr std::array type_names{std::pair{"f32", HERON_R_32F}, std::pair{"f64", HERON_R_64F},
                                std::pair{"c32", HERON_C_32F}, std::pair{"c64", HERON_C_64F}};
constexpr std::array kind_names{
    std::pair{"NN", product_kind::nn},        std::pair{"NT", product_kind::nt},
    std::pair{"TN", product_kind::tn},        std::pair{"TT", product_kind::tt},
    std::pair{"rankN", product_kind::rank_n}, std::pair{"rankT", product_kind::rank_t},
    std::pair{"symmL", product_kind::left},   std::pair{"symmR", product_kind::right}};

template <class Names>
auto value_of(const Names& names, const std::string& name) {
    const auto found =
        std::find_if(names.begin(), names.end(), [&](const auto& entry) { return entry.first == name; });
    return found == names.end() ? std::nullopt : std::optional{found->second};
}

}  // namespace

gemm_choices::gemm_choices(const std::string& entries, char separator) {
    std::istringstream lines(entries);
    std::string line;
    while (std::getline(lines, line, separator)) {
        if (const auto parsed = parse(line))
            entries_.push_back(*parsed);
        else if (line.find_first_not_of(' ') != std::string::npos)
            ignored_.push_back(line);
    }
}

std::optional<gemm_choices::entry> gemm_choices::parse(const std::string& text) {
    std::istringstream words(text);
    std::string name, word;
    entry e{};
    words >> name >> word >> e.choice.rows >> e.choice.columns;
    if (words.fail() || word != "tile" || words >> word) return {};
    std::istringstream parts(name);
    std::string type, kind;
    std::getline(parts, type, '-');
    std::getline(parts, kind, '-');
    parts >> e.size;
    const auto known_type = value_of(type_names, type);
    const auto known_kind = kind.empty() ? product_kind::any : value_of(kind_names, kind);
    if (!known_type || !known_kind) return {};
    e.type = *known_type;
    e.kind = *known_kind;
    return e;
}

std::optional<tile_choice> gemm_choices::find(heron_type type, product_kind kind, int64_t m, int64_t n,
                                              int64_t k) const {
    if (entries_.empty()) return {};
    const std::string size = size_class(m, n, k);
    const entry* best = nullptr;
    const auto exactness = [](const entry& e) { return (e.kind != product_kind::any) + !e.size.empty(); };
    for (const entry& e : entries_) {
        const bool fits = e.type == type && (e.kind == product_kind::any || e.kind == kind) &&
                          (e.size.empty() || e.size == size);
        if (fits && (!best || exactness(e) > exactness(*best))) best = &e;
    }
    return best ? std::optional{best->choice} : std::nullopt;
}

std::string size_class(int64_t m, int64_t n, int64_t k) {
    const int64_t less = std::min(m, n), more = std::max(m, n);
    if (less <= 64 && more >= 16 * less) return m < n ? "low" : "narrow";
    if (k >= 8 * more) return "long";
    const double side = std::sqrt(static_cast<double>(m) * static_cast<double>(n));
    return std::to_string(int64_t{1} << std::lround(std::log2(side)));
}

}  // namespace heron::cuda
