#include "opencl_dense_shape.hpp"
#include "opencl_cache.hpp"
#include "opencl_dense_kit.hpp"
#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>

namespace heron::opencl {
namespace {

bool is_double(heron_type type) { return type == HERON_R_64F || type == HERON_C_64F; }
bool is_complex(heron_type type) { return type == HERON_C_32F || type == HERON_C_64F; }
int parts(heron_type type) { return is_complex(type) ? 2 : 1; }
int real_bytes(heron_type type) { return is_double(type) ? 8 : 4; }

bool is_vector_width(int n) { return n == 2 || n == 4 || n == 8 || n == 16; }
bool is_between(int low, int n, int high) { return low <= n && n <= high; }

bool is_good(const dense_shape& s, heron_type type) {
    if (!is_vector_width(s.vw) || !is_between(1, s.mv, 8)) return false;
    if (s.columns) return is_between(1, s.nr, 32);
    const int group = s.wx * s.wy;
    const int chunk = 16 / real_bytes(type);
    return is_between(1, s.wx, 64) && is_between(1, s.wy, 64) && is_between(16, group, 1024) &&
           is_between(1, s.uw, 8) && is_between(1, s.nv, 8) && is_between(1, s.kt, 64) &&
           s.kt * s.rows() * parts(type) % chunk == 0 && s.kt * s.cols() * parts(type) % chunk == 0;
}

struct known_device {
    const char* name;  // a part of it
    heron_type type;
    bool is_small;
    const char* shape;
};

// Measured ones only; "NVIDIA H" on an H200, whose multiprocessors all of that generation have.
constexpr known_device known_devices[] = {
    {"skylake-avx512", HERON_R_32F, false, "columns 16 2 12"},
    {"skylake-avx512", HERON_R_64F, false, "columns 8 2 12"},
    {"skylake-avx512", HERON_C_32F, false, "columns 16 1 12"},
    {"skylake-avx512", HERON_C_64F, false, "columns 8 1 12"},
    {"NVIDIA H", HERON_R_32F, false, "tiles 16 16 4 2 4 2 16"},
    {"NVIDIA H", HERON_R_32F, true, "tiles 8 8 4 2 4 2 16"},
    {"NVIDIA H", HERON_C_32F, false, "tiles 16 16 4 2 4 1 8"},
    {"NVIDIA H", HERON_C_32F, true, "tiles 16 16 4 1 4 1 8"},
    {"NVIDIA H", HERON_R_64F, false, "tiles 16 16 2 4 2 2 8"},
    {"NVIDIA H", HERON_R_64F, true, "tiles 8 16 2 4 2 2 8"},
    {"NVIDIA H", HERON_C_64F, false, "tiles 8 16 2 4 2 2 8"},
    {"NVIDIA H", HERON_C_64F, true, "tiles 8 16 2 4 2 1 8"},
};

// The first of the entries "type shape" or "type-small shape" between separators that is for the type.
std::optional<dense_shape> find_entry(const std::string& entries, char separator, heron_type type,
                                      bool is_small) {
    const std::string wanted = dense_type_name(type) + std::string(is_small ? "-small" : "");
    std::istringstream lines(entries);
    std::string line;
    while (std::getline(lines, line, separator)) {
        std::istringstream words(line);
        std::string name, shape;
        words >> name >> std::ws;
        std::getline(words, shape);
        if (name == wanted)
            if (const auto parsed = parse_dense_shape(shape, type)) return parsed;
    }
    return {};
}

dense_shape processor_default(const device_traits& traits, heron_type type) {
    dense_shape s;
    s.columns = true;
    const int floats = static_cast<int>(std::clamp<uint32_t>(traits.float_vector, 4, 16));
    s.vw = is_double(type) ? floats / 2 : floats;
    // Processors with vectors of 512 bits have 32 registers, others 16.
    const bool has_many = floats == 16;
    s.mv = is_complex(type) ? 1 : 2;
    s.nr = has_many ? 12 : 6;
    return s;
}

// Sums in registers of 256 work-items, as long as local memory holds two steps of both panels.
const char* gpu_default_text(heron_type type, bool is_small) {
    switch (type) {
        case HERON_R_32F:
            return is_small ? "tiles 16 16 4 1 4 1 16" : "tiles 16 16 4 2 4 2 16";
        case HERON_C_32F:
            return is_small ? "tiles 16 16 2 1 2 1 16" : "tiles 16 16 4 2 4 1 8";
        case HERON_R_64F:
            return is_small ? "tiles 16 16 2 1 2 1 16" : "tiles 16 16 2 4 2 2 8";
        default:
            return is_small ? "tiles 8 8 2 1 2 1 8" : "tiles 16 16 2 2 2 1 8";
    }
}

dense_shape gpu_default(const device_traits& traits, heron_type type, bool is_small) {
    const dense_shape s = *parse_dense_shape(gpu_default_text(type, is_small), type);
    const auto local =
        static_cast<uint64_t>(2 * s.kt * (s.rows() + s.cols()) * parts(type) * real_bytes(type));
    if (local <= traits.local_bytes && static_cast<size_t>(s.wx * s.wy) <= traits.largest_group) return s;
    return *parse_dense_shape("tiles 8 8 2 1 2 1 8", type);
}

// For tiles of 16, 32 and 64 rows and columns.
std::array<const char*, 3> batch_shapes(heron_type type) {
    if (type == HERON_C_64F) return {"tiles 8 8 2 1 2 1 16", "tiles 8 8 2 2 2 2 8", "tiles 16 16 2 2 2 2 8"};
    return {"tiles 8 8 2 1 2 1 16", "tiles 8 8 4 1 4 1 16",
            type == HERON_R_32F ? "tiles 8 8 4 2 4 2 16" : "tiles 16 16 4 1 4 1 8"};
}

// What NVIDIA's devices have beyond OpenCL C, for the kernels of GPUs.
std::string definitions_on(const device_traits& traits, const dense_shape& shape, heron_type type) {
    std::string text = shape.definitions(type);
    if (shape.columns) return text;
    const bool has_mma = traits.nvidia_major >= 9 && is_double(type) && shape.kt % 8 == 0 &&
                         shape.wx % 4 == 0 && shape.wy % 8 == 0 && shape.vw * shape.mv % 4 == 0 &&
                         shape.uw * shape.nv % 2 == 0;
    if (has_mma) text += "#define MMA 1\n";
    const auto part =
        static_cast<uint64_t>(shape.kt * (shape.rows() + shape.cols()) * parts(type) * real_bytes(type));
    constexpr uint64_t most_stages = 3;
    const uint64_t stages = std::min(most_stages, traits.local_bytes / part);
    if (traits.nvidia_major >= 8 && stages >= 2)
        text += "#define ASYNC 1\n#define STAGES " + std::to_string(stages) + '\n';
    return text;
}

std::string left_out_definitions(int left_out) {
    std::string text;
    if ((left_out & HERON_GEMM_WITHOUT_LOADS) != 0) text += "#define WITHOUT_LOADS 1\n";
    if ((left_out & HERON_GEMM_WITHOUT_ARITHMETIC) != 0) text += "#define WITHOUT_ARITHMETIC 1\n";
    if ((left_out & HERON_GEMM_WITHOUT_STORES) != 0) text += "#define WITHOUT_STORES 1\n";
    return text;
}

std::optional<dense_shape> known_shape(const device_traits& traits, heron_type type, bool is_small) {
    for (const known_device& known : known_devices)
        if (known.type == type && known.is_small == is_small &&
            traits.name.find(known.name) != std::string::npos)
            return parse_dense_shape(known.shape, type);
    return {};
}

}  // namespace

const char* dense_type_name(heron_type type) {
    switch (type) {
        case HERON_R_32F:
            return "f32";
        case HERON_R_64F:
            return "f64";
        case HERON_C_32F:
            return "c32";
        default:
            return "c64";
    }
}

std::string dense_shape::text() const {
    std::ostringstream out;
    if (columns)
        out << "columns " << vw << ' ' << mv << ' ' << nr;
    else
        out << "tiles " << wx << ' ' << wy << ' ' << vw << ' ' << mv << ' ' << uw << ' ' << nv << ' ' << kt;
    return out.str();
}

std::string dense_shape::definitions(heron_type type) const {
    std::ostringstream out;
    out << "#define CT " << dense_type_name(type) << "\n#define RT " << (is_double(type) ? "f64" : "f32")
        << "\n#define RT_NAME " << (is_double(type) ? "double" : "float") << "\n#define PARTS " << parts(type)
        << "\n#define CHUNK_WIDTH " << 16 / real_bytes(type) << "\n#define VW " << vw << "\n#define MV " << mv
        << '\n';
    if (columns)
        out << "#define COLUMNS 1\n#define NR " << nr << '\n';
    else
        out << "#define WX " << wx << "\n#define WY " << wy << "\n#define UW " << uw << "\n#define NV " << nv
            << "\n#define KT " << kt << '\n';
    return out.str();
}

std::optional<dense_shape> parse_dense_shape(const std::string& text, heron_type type) {
    std::istringstream words(text);
    std::string kind;
    dense_shape s;
    words >> kind;
    s.columns = kind == "columns";
    if (s.columns)
        words >> s.vw >> s.mv >> s.nr;
    else if (kind == "tiles")
        words >> s.wx >> s.wy >> s.vw >> s.mv >> s.uw >> s.nv >> s.kt;
    else
        return {};
    if (words.fail() || !is_good(s, type)) return {};
    return s;
}

dense_shape dense_shape_of(const device_traits& traits, heron_type type, bool is_small) {
    if (const char* const wanted = std::getenv("HERON_OPENCL_GEMM")) {
        if (const auto shape = find_entry(wanted, ';', type, is_small)) return *shape;
        if (const auto shape = find_entry(wanted, ';', type, false)) return *shape;
    }
    if (const auto shape = find_entry(read_tuning(traits.name), '\n', type, is_small)) return *shape;
    if (const auto shape = known_shape(traits, type, is_small)) return *shape;
    if (traits.is_cpu)
        return is_small ? dense_shape_of(traits, type, false) : processor_default(traits, type);
    return gpu_default(traits, type, is_small);
}

const dense_kit& dense_kits::get(const device_traits& traits, heron_type type, bool is_small, int left_out) {
    const std::lock_guard lock(mutex_);
    const std::tuple name{type, is_small, left_out};
    const auto found = kits_.find(name);
    if (found != kits_.end()) return found->second;
    dense_kit& kit = kits_[name];
    kit.shape = dense_shape_of(traits, type, is_small);
    if (const char* const bytes = std::getenv("HERON_OPENCL_SCRATCH"))
        kit.scratch_bytes = std::max<int64_t>(std::atoll(bytes), 4096);
    const std::string definitions = definitions_on(traits, kit.shape, type) + left_out_definitions(left_out);
    kit.products = {
        kit.shape.columns ? "dense_common dense_columns" : "dense_common dense_tiles dense_packed",
        definitions};
    kit.solves = {"dense_common dense_solve", definitions};
    if (kit.shape.columns) {
        kit.batches.push_back({kit.shape, kit.products, 0});
    } else {
        for (const char* const text : batch_shapes(type)) {
            const dense_shape shape = *parse_dense_shape(text, type);
            kit.batches.push_back({shape,
                                   {"dense_common dense_tiles dense_direct",
                                    definitions_on(traits, shape, type) + "#define DIRECT 1\n"},
                                   0});
        }
    }
    return kit;
}

}  // namespace heron::opencl
