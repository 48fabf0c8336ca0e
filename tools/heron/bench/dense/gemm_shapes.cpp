#include "gemm_shapes.hpp"

#include <algorithm>
#include <sstream>

namespace heron::tools {
namespace {

bool is_double(const std::string& type) { return type == "f64" || type == "c64"; }
bool is_complex(const std::string& type) { return type == "c32" || type == "c64"; }

// The accumulators of a tile, in vectors of the processor, fit the 32 registers of the largest.
std::vector<gemm_shape> processor_shapes(const std::string& type) {
    std::vector<gemm_shape> shapes;
    const int parts = is_complex(type) ? 2 : 1;
    for (const int width : {2, 4, 8, 16})
        for (int vectors = 1; vectors <= 4; ++vectors)
            for (const int columns : {2, 3, 4, 6, 8, 10, 12, 14}) {
                const int accumulators = vectors * columns * parts;
                const bool fits = (is_double(type) ? 8 : 4) * width <= 64;
                if (fits && accumulators >= 4 && accumulators <= 28)
                    shapes.push_back({true, {width, vectors, columns}});
            }
    return shapes;
}

bool fits_gpu(const std::string& type, int wx, int wy, int rows, int columns, int depth) {
    const int bytes = (is_double(type) ? 8 : 4) * (is_complex(type) ? 2 : 1);
    const int chunk = 16 * (is_complex(type) ? 2 : 1);
    const int registers = rows * columns * bytes / 4;
    const int local = 2 * depth * (wx * rows + wy * columns) * bytes;
    return wx * wy >= 64 && wx * wy <= 256 && registers >= 16 && registers <= 128 && local <= 48 * 1024 &&
           depth * wx * rows * bytes % chunk == 0 && depth * wy * columns * bytes % chunk == 0;
}

std::vector<gemm_shape> gpu_shapes(const std::string& type) {
    std::vector<gemm_shape> shapes;
    const int widest = is_double(type) ? 2 : 4;
    for (const int wx : {8, 16, 32})
        for (const int wy : {8, 16})
            for (const int mv : {1, 2, 4})
                for (const int nv : {1, 2, 4})
                    for (const int depth : {8, 16})
                        if (fits_gpu(type, wx, wy, widest * mv, widest * nv, depth))
                            shapes.push_back({false, {wx, wy, widest, mv, widest, nv, depth}});
    return shapes;
}

}  // namespace

std::string gemm_shape::text() const {
    std::string result = columns ? "columns" : "tiles";
    for (const int parameter : parameters) result += ' ' + std::to_string(parameter);
    return result;
}

std::vector<gemm_shape> gemm_shapes(const std::string& type, bool is_processor) {
    return is_processor ? processor_shapes(type) : gpu_shapes(type);
}

std::vector<gemm_shape> promising_shapes(const std::string& type, bool is_processor) {
    const bool doubles = is_double(type), complex = is_complex(type);
    if (is_processor) {
        const int vectors = complex ? 1 : 2;
        return {{true, {doubles ? 8 : 16, vectors, 12}}, {true, {doubles ? 4 : 8, vectors, 6}}};
    }
    if (type == "f32") return {{false, {16, 16, 4, 2, 4, 2, 16}}, {false, {8, 8, 4, 2, 4, 2, 16}}};
    if (type == "c32") return {{false, {16, 16, 4, 2, 4, 1, 8}}, {false, {16, 16, 4, 1, 4, 1, 8}}};
    if (type == "f64") return {{false, {16, 16, 2, 4, 2, 2, 8}}, {false, {8, 16, 2, 4, 2, 2, 8}}};
    return {{false, {8, 16, 2, 4, 2, 2, 8}}, {false, {8, 16, 2, 4, 2, 1, 8}}};
}

std::vector<std::array<int, 2>> gemm_tiles(const std::string& type) {
    if (type == "c64") return {{64, 64}, {32, 64}, {32, 32}, {64, 16}};
    std::vector<std::array<int, 2>> tiles{{128, 128}, {128, 64}, {64, 64}, {32, 32}, {64, 16}};
    tiles.insert(tiles.begin(), type == "f32" ? std::array{256, 128} : std::array{96, 96});
    return tiles;
}

int distance(const gemm_shape& a, const gemm_shape& b) {
    if (a.columns != b.columns) return static_cast<int>(a.parameters.size() + b.parameters.size());
    int result = 0;
    for (std::size_t i = 0; i < a.parameters.size(); ++i) result += a.parameters[i] != b.parameters[i];
    return result;
}

std::string with_shape(const std::string& file, const std::string& type, const std::string& shape) {
    std::istringstream lines(file);
    std::string line, result;
    while (std::getline(lines, line))
        if (line.rfind(type + ' ', 0) != 0 && !line.empty()) result += line + '\n';
    return result + type + ' ' + shape + '\n';
}

}  // namespace heron::tools
