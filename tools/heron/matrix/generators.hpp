// Test matrices by name: a Matrix Market file, or a family with its sizes, such as "poisson3d:100".
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sparse_matrix.hpp"

namespace heron::tools {

inline constexpr std::uint64_t default_seed = 42;

// A matrix spec that names neither a file nor a family, or gives a family wrong sizes.
class matrix_spec_error : public std::invalid_argument {
  public:
    using std::invalid_argument::invalid_argument;
};

// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014). It and
// everything drawn from it are the same on every platform, which the standard library's distributions are
// not.
class splitmix64 {
  public:
    explicit splitmix64(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

    // In [0, 1), [-1, 1) and [0, bound); the last favours small numbers by less than bound / 2^64.
    double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
    double symmetric_unit() { return static_cast<double>(next() >> 11) * 0x1p-52 - 1.0; }
    std::int64_t below(std::int64_t bound) {
        return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(bound));
    }
    // Leaves out the next `count` numbers.
    void skip(std::uint64_t count) { state_ += count * 0x9e3779b97f4a7c15u; }

  private:
    std::uint64_t state_;
};

// Reads the file or generates the matrix. A family's entries depend on its sizes and the seed only. Throws
// matrix_spec_error with the list of what is known, or matrix_market_error.
csr_matrix load_matrix(std::string_view spec, std::uint64_t seed = default_seed);

// A short name for tables and titles: the file's name without folder and ending, or the spec itself.
std::string matrix_name(std::string_view spec);

// The list of families, one per line with two blanks in front, for help texts.
std::string matrix_families();

}  // namespace heron::tools
