#pragma once
// The rows of a regular grid, numbered line by line and plane by plane, need no search for their levels: with
// the right factors a and b the row at (x, y, z) belongs to level x + a y + b z. The shape is guessed from
// where chains of rows break off, the factors from some rows; then every element is checked. The chains also
// prove that the levels are not many more than there must be.
#include "pattern.hpp"
#include "sweep.cuh"

namespace heron::HERON_LEVEL {

// In the order in which rows can be solved one after the other, counted from there.
struct grid_point {
    int x, y, z;
};

struct row_grid {
    int line, lines, planes;            // rows of a line, lines of a plane, planes
    int line_step = 1, plane_step = 1;  // levels from one line to the next, from one plane to the next

    __device__ grid_point at(int number) const {
        const int y = number / line;
        const int z = y / lines;
        return {number - y * line, y - z * lines, z};
    }
    __device__ int level_in_plane(grid_point p) const { return p.x + line_step * p.y; }
    __device__ int level(grid_point p) const { return level_in_plane(p) + plane_step * p.z; }
    __device__ int64_t levels() const {
        return int64_t{line} + int64_t{line_step} * (lines - 1) + int64_t{plane_step} * (planes - 1);
    }
    // The lines of a plane that have a row of a level; the first one and the one after the last.
    __device__ int first_line(int level_in_plane) const {
        return level_in_plane < line ? 0 : (level_in_plane - line) / line_step + 1;
    }
    __device__ int end_line(int level_in_plane) const {
        return level_in_plane < 0 ? 0 : min(level_in_plane / line_step + 1, lines);
    }
    __device__ int rows_of(int level_in_plane) const {
        return max(end_line(level_in_plane) - first_line(level_in_plane), 0);
    }
};

// How the rows get their order.
enum class order_source : unsigned { search, grid, number };

struct grid_guess {
    order_source source;
    row_grid grid;
};

// Levels with fewer rows leave most of the device idle anyway; neighbours then gain more by being in one
// block.
constexpr int narrowest_level = 64;
constexpr int guess_threads = 1024;

template <class OT, class IT>
class grid_finder {
  public:
    __device__ explicit grid_finder(const triangle_rows<OT, IT>& triangle)
        : triangle_(triangle), n_(static_cast<int>(triangle.n)) {}

    // By all threads of a block.
    __device__ grid_guess guess(int64_t room) const {
        const int line = chain_length(1, n_);
        if (line == 1) return {order_source::search, {}};
        const int lines = chain_length(line, n_ / line);
        const int planes = chain_length(line * lines, n_ / (line * lines));
        const int longest_chain = max(line, max(lines, planes));
        if (n_ / longest_chain < narrowest_level) return {order_source::number, {}};
        row_grid grid{line, lines, planes};
        if (int64_t{line} * lines * planes != n_) return {order_source::search, {}};
        grid.line_step = highest_of_some_rows(grid, [&](grid_point p, grid_point q) {
            return p.z == q.z && p.y > q.y ? levels_apart(p.y - q.y, p.x - q.x) : 1;
        });
        grid.plane_step = highest_of_some_rows(grid, [&](grid_point p, grid_point q) {
            return p.z > q.z ? levels_apart(p.z - q.z, grid.level_in_plane(p) - grid.level_in_plane(q)) : 1;
        });
        // A matter of stencils: those of next neighbours need seven times the longest chain at most.
        constexpr int most_per_chain = 8;
        const int64_t levels = grid.levels();
        const bool is_good = levels <= int64_t{most_per_chain} * longest_chain &&
                             n_ / levels >= narrowest_level && levels * planes <= room;
        return {is_good ? order_source::grid : order_source::search, grid};
    }

  private:
    __device__ int turned(int i) const { return static_cast<int>(triangle_.turned(i)); }

    // Whether the row with number i needs the one with number j. Long rows belong to no grid.
    __device__ bool needs(int i, int j) const {
        const row_record record = record_of(triangle_, turned(i));
        if (record.end - record.begin > triangle_.longest) return false;
        const int wanted = turned(j);
        bool found = false;
        for (unsigned k = record.begin; k < record.end; ++k)
            found |= static_cast<int>(triangle_.column(k)) == wanted;
        return found;
    }

    // How many of `count` rows, `step` apart, need the one before each, from the first on; so many at least
    // if there are very many.
    __device__ int chain_length(int step, int count) const {
        constexpr int very_many = 32 * guess_threads;
        __shared__ int shortest;
        for (int first = 1; first < min(count, very_many); first += guess_threads) {
            if (threadIdx.x == 0) shortest = count;
            __syncthreads();
            const int k = first + static_cast<int>(threadIdx.x);
            if (k < count && !needs(k * step, (k - 1) * step)) atomicMin(&shortest, k);
            __syncthreads();
            const int length = shortest;
            __syncthreads();
            if (length < count) return length;
        }
        return min(count, very_many);
    }

    // Levels per step, where so many steps are to be worth a level in spite of those that are lost or won.
    static __device__ int levels_apart(int steps, int won) { return max((steps - won) / steps, 1); }

    // The highest value for an element of some rows and what it needs, not less than 1.
    template <class F>
    __device__ int highest_of_some_rows(const row_grid& grid, F&& value) const {
        __shared__ int highest;
        if (threadIdx.x == 0) highest = 1;
        __syncthreads();
        const int i = static_cast<int>(static_cast<int64_t>(threadIdx.x) * n_ / guess_threads);
        const int row = turned(i);
        const row_record record = record_of(triangle_, row);
        const grid_point p = grid.at(i);
        if (record.end - record.begin <= triangle_.longest)
            for (unsigned k = record.begin; k < record.end; ++k) {
                const int column = static_cast<int>(triangle_.column(k));
                if (triangle_.needs(row, column)) atomicMax(&highest, value(p, grid.at(turned(column))));
            }
        __syncthreads();
        const int result = highest;
        __syncthreads();
        return result;
    }

    const triangle_rows<OT, IT>& triangle_;
    int n_;
};

}  // namespace heron::HERON_LEVEL
