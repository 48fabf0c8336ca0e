#include "opencl_dense_shape.hpp"
#include "opencl_cache.hpp"
#include "opencl_dense_kit.hpp"
#include <algorithm>
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
    const char* shape;
};

// Measured ones only.
constexpr known_device known_devices[] = {
    {"skylake-avx512", HERON_R_32F, "columns 16 2 12"},
    {"skylake-avx512", HERON_R_64F, "columns 8 2 12"},
    {"skylake-avx512", HERON_C_32F, "columns 16 1 12"},
    {"skylake-avx512", HERON_C_64F, "columns 8 1 12"},
};

// The first of the entries "type shape" between separators that is for the type.
std::optional<dense_shape> find_entry(const std::string& entries, char separator, heron_type type) {
    std::istringstream lines(entries);
    std::string line;
    while (std::getline(lines, line, separator)) {
        std::istringstream words(line);
        std::string name, shape;
        words >> name >> std::ws;
        std::getline(words, shape);
        if (name == dense_type_name(type))
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

// 128 x 128 or 64 x 64 elements in registers of 256 work-items, as long as local memory holds two steps of
// both panels.
dense_shape gpu_default(const device_traits& traits, heron_type type) {
    const char* const text = type == HERON_R_32F   ? "tiles 16 16 4 2 4 2 16"
                             : type == HERON_C_64F ? "tiles 16 16 2 1 2 1 8"
                                                   : "tiles 16 16 2 2 2 2 16";
    const dense_shape s = *parse_dense_shape(text, type);
    const auto local =
        static_cast<uint64_t>(2 * s.kt * (s.rows() + s.cols()) * parts(type) * real_bytes(type));
    if (local <= traits.local_bytes && static_cast<size_t>(s.wx * s.wy) <= traits.largest_group) return s;
    return *parse_dense_shape("tiles 8 8 2 1 2 1 8", type);
}

std::string left_out_definitions(int left_out) {
    std::string text;
    if ((left_out & HERON_GEMM_WITHOUT_LOADS) != 0) text += "#define WITHOUT_LOADS 1\n";
    if ((left_out & HERON_GEMM_WITHOUT_ARITHMETIC) != 0) text += "#define WITHOUT_ARITHMETIC 1\n";
    if ((left_out & HERON_GEMM_WITHOUT_STORES) != 0) text += "#define WITHOUT_STORES 1\n";
    return text;
}

std::optional<dense_shape> known_shape(const device_traits& traits, heron_type type) {
    for (const known_device& known : known_devices)
        if (known.type == type && traits.name.find(known.name) != std::string::npos)
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

dense_shape dense_shape_of(const device_traits& traits, heron_type type) {
    if (const char* const wanted = std::getenv("HERON_OPENCL_GEMM"))
        if (const auto shape = find_entry(wanted, ';', type)) return *shape;
    if (const auto shape = find_entry(read_tuning(traits.name), '\n', type)) return *shape;
    if (const auto shape = known_shape(traits, type)) return *shape;
    return traits.is_cpu ? processor_default(traits, type) : gpu_default(traits, type);
}

const dense_kit& dense_kits::get(const device_traits& traits, heron_type type, int left_out) {
    const std::lock_guard lock(mutex_);
    const auto found = kits_.find({type, left_out});
    if (found != kits_.end()) return found->second;
    dense_kit& kit = kits_[{type, left_out}];
    kit.shape = dense_shape_of(traits, type);
    if (const char* const bytes = std::getenv("HERON_OPENCL_SCRATCH"))
        kit.scratch_bytes = std::max<int64_t>(std::atoll(bytes), 4096);
    kit.key = {"dense_tuned", kit.shape.definitions(type) + left_out_definitions(left_out)};
    return kit;
}

}  // namespace heron::opencl
