#include "shape.hpp"
#include "common/runtime/tuning_file.hpp"
#include "kit.hpp"
#include "opencl/runtime/error.hpp"
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace heron::opencl {
namespace {

constexpr bool is_double(heron_type type) { return type == HERON_R_64F || type == HERON_C_64F; }
constexpr bool is_complex(heron_type type) { return type == HERON_C_32F || type == HERON_C_64F; }
constexpr int parts(heron_type type) { return is_complex(type) ? 2 : 1; }
constexpr int real_bytes(heron_type type) { return is_double(type) ? 8 : 4; }

constexpr bool is_vector_width(int n) { return n == 2 || n == 4 || n == 8 || n == 16; }
constexpr bool is_between(int low, int n, int high) { return low <= n && n <= high; }

constexpr bool is_good(const dense_shape& s, heron_type type) {
    if (!is_vector_width(s.vw) || !is_between(1, s.mv, 8)) return false;
    if (s.columns) return is_between(1, s.nr, 32);
    const int chunk = 16 / real_bytes(type);
    // No product of what is between these overflows.
    return is_between(1, s.wx, 64) && is_between(1, s.wy, 64) && is_between(1, s.slices, 1024) &&
           is_between(16, s.wx * s.wy * s.slices, 1024) && is_between(1, s.uw, 8) && is_between(1, s.nv, 8) &&
           is_between(1, s.kt, 64) && s.kt * s.rows() * parts(type) % chunk == 0 &&
           s.kt * s.cols() * parts(type) % chunk == 0;
}

std::optional<dense_shape> parse_any(const std::string& text, heron_type type) {
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
    if (words.fail()) return {};
    if (!(words >> s.slices)) s.slices = 1;
    words.clear();
    std::string rest;
    if (words >> rest || !is_good(s, type)) return {};
    return s;
}

constexpr bool is_power_of_two(int n) { return n > 0 && (n & (n - 1)) == 0; }

// What dense_direct.cl asks for.
constexpr bool can_be_direct(const dense_shape& s, heron_type type) {
    if (!is_good(s, type) || s.columns || !is_power_of_two(s.slices) || s.slices > 16) return false;
    const int group = s.wx * s.wy * s.slices;
    const int sums = s.vw * s.mv * s.uw * s.nv;
    const bool is_divided = sums % s.slices == 0 && s.kt % s.slices == 0;
    const bool has_whole_loads = s.kt * s.rows() % group == 0 && s.kt * s.cols() % group == 0;
    const bool has_even_strides = group % s.rows() == 0 && group % s.cols() == 0 && group % (4 * s.kt) == 0;
    return is_divided && has_whole_loads && has_even_strides && s.kt % 8 == 0;
}

std::optional<dense_shape> parse_direct(const std::string& text, heron_type type) {
    const auto s = parse_any(text, type);
    return s && can_be_direct(*s, type) ? s : std::nullopt;
}

struct known_device {
    const char* name;  // a part of it
    heron_type type;
    bool is_small;
    dense_shape shape;
};

// Measured ones only (dense-11, dense-12, dense-13); "NVIDIA H" on an H200, whose multiprocessors all of that
// generation have.
constexpr known_device known_devices[] = {
    {"skylake-avx512", HERON_R_32F, false, {.columns = true, .vw = 16, .mv = 2, .nr = 12}},
    {"skylake-avx512", HERON_R_64F, false, {.columns = true, .vw = 8, .mv = 2, .nr = 12}},
    {"skylake-avx512", HERON_C_32F, false, {.columns = true, .vw = 16, .mv = 1, .nr = 12}},
    {"skylake-avx512", HERON_C_64F, false, {.columns = true, .vw = 8, .mv = 1, .nr = 12}},
    {"NVIDIA H", HERON_R_32F, false, {.vw = 4, .mv = 2, .wx = 16, .wy = 16, .uw = 4, .nv = 2, .kt = 16}},
    {"NVIDIA H", HERON_R_32F, true, {.vw = 4, .mv = 2, .wx = 8, .wy = 8, .uw = 4, .nv = 2, .kt = 16}},
    {"NVIDIA H", HERON_C_32F, false, {.vw = 4, .mv = 2, .wx = 16, .wy = 16, .uw = 4, .nv = 1, .kt = 8}},
    {"NVIDIA H", HERON_C_32F, true, {.vw = 4, .mv = 1, .wx = 16, .wy = 16, .uw = 4, .nv = 1, .kt = 8}},
    {"NVIDIA H", HERON_R_64F, false, {.vw = 2, .mv = 4, .wx = 16, .wy = 16, .uw = 2, .nv = 2, .kt = 8}},
    {"NVIDIA H", HERON_R_64F, true, {.vw = 2, .mv = 4, .wx = 8, .wy = 16, .uw = 2, .nv = 2, .kt = 8}},
    {"NVIDIA H", HERON_C_64F, false, {.vw = 2, .mv = 4, .wx = 8, .wy = 16, .uw = 2, .nv = 2, .kt = 8}},
    {"NVIDIA H", HERON_C_64F, true, {.vw = 2, .mv = 4, .wx = 8, .wy = 16, .uw = 2, .nv = 1, .kt = 8}},
};

// The text of the first of the entries "name shape" between separators that is for the name.
std::string find_entry(const std::string& entries, char separator, const std::string& wanted) {
    std::istringstream lines(entries);
    std::string line;
    while (std::getline(lines, line, separator)) {
        std::istringstream words(line);
        std::string name, shape;
        words >> name >> std::ws;
        std::getline(words, shape);
        if (name == wanted) return shape;
    }
    return {};
}

std::string setting() {
    const char* const text = std::getenv("HERON_OPENCL_GEMM");
    return text ? text : "";
}

bool is_understood(const std::string& entry) {
    for (const heron_type type : {HERON_R_32F, HERON_R_64F, HERON_C_32F, HERON_C_64F}) {
        const std::string name = dense_type_name(type);
        if (parse_dense_shape(find_entry(entry, ';', name), type) ||
            parse_dense_shape(find_entry(entry, ';', name + "-small"), type) ||
            parse_direct(find_entry(entry, ';', name + "-direct"), type))
            return true;
    }
    return false;
}

void report_what_is_ignored() {
    std::istringstream entries(setting());
    std::string entry;
    while (std::getline(entries, entry, ';'))
        if (entry.find_first_not_of(' ') != std::string::npos && !is_understood(entry))
            log(log_level::hint, "HERON_OPENCL_GEMM",
                ("\"" + entry + "\" is no type with a shape that the kernels can have; it is ignored")
                    .c_str());
}

// Of HERON_OPENCL_SCRATCH, or `usual`.
int64_t scratch_bytes(int64_t usual) {
    const char* const text = std::getenv("HERON_OPENCL_SCRATCH");
    if (!text) return usual;
    int64_t bytes = 0;
    const char* const end = text + std::strlen(text);
    const auto read = std::from_chars(text, end, bytes);
    if (read.ec == std::errc() && read.ptr == end && bytes >= 0) return std::max<int64_t>(bytes, 4096);
    log(log_level::hint, "HERON_OPENCL_SCRATCH", "is no number of bytes; it is ignored");
    return usual;
}

// Bytes of local memory for KT steps of both operands, whose lines have `padding` more reals together.
uint64_t stage_bytes(const dense_shape& shape, heron_type type, int padding) {
    return static_cast<uint64_t>(shape.kt * ((shape.rows() + shape.cols()) * parts(type) + padding) *
                                 real_bytes(type));
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
struct usual_shape {
    heron_type type;
    dense_shape large, small;
};
constexpr usual_shape usual_gpu_shapes[] = {
    {HERON_R_32F,
     {.vw = 4, .mv = 2, .wx = 16, .wy = 16, .uw = 4, .nv = 2, .kt = 16},
     {.vw = 4, .mv = 1, .wx = 16, .wy = 16, .uw = 4, .nv = 1, .kt = 16}},
    {HERON_C_32F,
     {.vw = 4, .mv = 2, .wx = 16, .wy = 16, .uw = 4, .nv = 1, .kt = 8},
     {.vw = 2, .mv = 1, .wx = 16, .wy = 16, .uw = 2, .nv = 1, .kt = 16}},
    {HERON_R_64F,
     {.vw = 2, .mv = 4, .wx = 16, .wy = 16, .uw = 2, .nv = 2, .kt = 8},
     {.vw = 2, .mv = 1, .wx = 16, .wy = 16, .uw = 2, .nv = 1, .kt = 16}},
    {HERON_C_64F,
     {.vw = 2, .mv = 2, .wx = 16, .wy = 16, .uw = 2, .nv = 1, .kt = 8},
     {.vw = 2, .mv = 1, .wx = 8, .wy = 8, .uw = 2, .nv = 1, .kt = 8}},
};
constexpr dense_shape least_gpu_shape = {.vw = 2, .mv = 1, .wx = 8, .wy = 8, .uw = 2, .nv = 1, .kt = 8};

dense_shape gpu_default(const device_traits& traits, heron_type type, bool is_small) {
    for (const usual_shape& usual : usual_gpu_shapes) {
        const dense_shape& s = is_small ? usual.small : usual.large;
        if (usual.type == type && 2 * stage_bytes(s, type, 0) <= traits.local_bytes &&
            static_cast<size_t>(s.wx * s.wy) <= traits.largest_group)
            return s;
    }
    return least_gpu_shape;
}

struct direct_row {
    heron_type type;
    direct_shape direct;
};

// From times on an H200 of cubes from 256 to 1536, in ns (dense-11).
constexpr direct_row direct_rows[] = {
    {HERON_R_32F, {{.vw = 4, .mv = 1, .wx = 8, .wy = 8, .uw = 4, .nv = 1, .kt = 32, .slices = 4}, 1.5, 11.1}},
    {HERON_R_32F, {{.vw = 4, .mv = 2, .wx = 8, .wy = 8, .uw = 4, .nv = 1, .kt = 32, .slices = 4}, 4.0, 17.9}},
    {HERON_R_32F, {{.vw = 4, .mv = 2, .wx = 8, .wy = 8, .uw = 4, .nv = 1, .kt = 16, .slices = 2}, 9.5, 14.3}},
    {HERON_R_32F, {{.vw = 4, .mv = 2, .wx = 8, .wy = 8, .uw = 4, .nv = 2, .kt = 32, .slices = 4}, 0.0, 34.5}},
    {HERON_R_32F,
     {{.vw = 4, .mv = 2, .wx = 8, .wy = 8, .uw = 4, .nv = 2, .kt = 16, .slices = 2}, 10.8, 27.2}},
    {HERON_C_32F, {{.vw = 2, .mv = 2, .wx = 8, .wy = 4, .uw = 4, .nv = 1, .kt = 32, .slices = 8}, 4.0, 15.2}},
    {HERON_C_32F, {{.vw = 2, .mv = 4, .wx = 8, .wy = 8, .uw = 4, .nv = 1, .kt = 16, .slices = 4}, 0.0, 53.5}},
    {HERON_C_32F,
     {{.vw = 2, .mv = 4, .wx = 8, .wy = 8, .uw = 4, .nv = 1, .kt = 16, .slices = 2}, 12.6, 45.0}},
    {HERON_C_32F,
     {{.vw = 2, .mv = 4, .wx = 8, .wy = 16, .uw = 4, .nv = 1, .kt = 16, .slices = 2}, 0.0, 94.6}},
    {HERON_R_64F, {{.vw = 2, .mv = 2, .wx = 8, .wy = 8, .uw = 2, .nv = 2, .kt = 16, .slices = 2}, 1.5, 10.0}},
    {HERON_R_64F, {{.vw = 2, .mv = 4, .wx = 8, .wy = 8, .uw = 2, .nv = 2, .kt = 16, .slices = 2}, 3.5, 16.0}},
    {HERON_R_64F,
     {{.vw = 2, .mv = 4, .wx = 8, .wy = 16, .uw = 2, .nv = 2, .kt = 8, .slices = 1}, 21.0, 15.0}},
    {HERON_C_64F,
     {{.vw = 2, .mv = 2, .wx = 8, .wy = 8, .uw = 2, .nv = 1, .kt = 16, .slices = 2}, 10.0, 14.0}},
    {HERON_C_64F, {{.vw = 2, .mv = 2, .wx = 8, .wy = 8, .uw = 2, .nv = 2, .kt = 16, .slices = 2}, 2.0, 26.0}},
};
static_assert(std::all_of(std::begin(direct_rows), std::end(direct_rows),
                          [](const direct_row& row) { return can_be_direct(row.direct.shape, row.type); }));

// For tiles of 16, 32 and 64 rows and columns.
std::array<dense_shape, 3> batch_shapes(heron_type type) {
    constexpr dense_shape small = {.vw = 2, .mv = 1, .wx = 8, .wy = 8, .uw = 2, .nv = 1, .kt = 16};
    if (type == HERON_C_64F)
        return {small, dense_shape{.vw = 2, .mv = 2, .wx = 8, .wy = 8, .uw = 2, .nv = 2, .kt = 8},
                dense_shape{.vw = 2, .mv = 2, .wx = 16, .wy = 16, .uw = 2, .nv = 2, .kt = 8}};
    return {small, dense_shape{.vw = 4, .mv = 1, .wx = 8, .wy = 8, .uw = 4, .nv = 1, .kt = 16},
            type == HERON_R_32F
                ? dense_shape{.vw = 4, .mv = 2, .wx = 8, .wy = 8, .uw = 4, .nv = 2, .kt = 16}
                : dense_shape{.vw = 4, .mv = 1, .wx = 16, .wy = 16, .uw = 4, .nv = 1, .kt = 8}};
}

bool has_mma(const device_traits& traits, const dense_shape& shape, heron_type type) {
    return traits.nvidia_major >= 9 && is_double(type) && shape.kt / shape.slices % 8 == 0 &&
           shape.wx % 4 == 0 && shape.wy % 8 == 0 && shape.vw * shape.mv % 4 == 0 &&
           shape.uw * shape.nv % 2 == 0;
}

constexpr int direct_padding = 8;  // mirrors dense_tiles.cl

bool fits(const device_traits& traits, const dense_shape& shape, heron_type type) {
    const auto exchanged = static_cast<uint64_t>(shape.rows() * shape.cols() * shape.slices * parts(type) *
                                                 real_bytes(type) / 2);
    return static_cast<size_t>(shape.wx * shape.wy * shape.slices) <= traits.largest_group &&
           2 * stage_bytes(shape, type, direct_padding) <= traits.local_bytes &&
           exchanged <= traits.local_bytes;
}

// What NVIDIA's devices have beyond OpenCL C, for the kernels of GPUs.
std::string definitions_on(const device_traits& traits, const dense_shape& shape, heron_type type,
                           bool is_direct) {
    std::string text = shape.definitions(type);
    if (shape.columns) return text;
    if (is_direct) text += "#define DIRECT 1\n";
    const bool uses_mma = has_mma(traits, shape, type);
    if (uses_mma) text += "#define MMA 1\n";
    constexpr uint64_t most_stages = 3;
    const int padding = is_direct && !uses_mma ? direct_padding : 0;
    const uint64_t stages = std::min(most_stages, traits.local_bytes / stage_bytes(shape, type, padding));
    if (traits.nvidia_major >= 8 && stages >= 2)
        text += "#define ASYNC 1\n#define STAGES " + std::to_string(stages) + '\n';
    return text;
}

program_key direct_program(const device_traits& traits, const dense_shape& shape, heron_type type) {
    return {"dense_common dense_tiles dense_direct", definitions_on(traits, shape, type, true)};
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
            return known.shape;
    return {};
}

}  // namespace

const char* dense_type_name(heron_type type) {
    switch (type) {
        case HERON_R_32F: return "f32";
        case HERON_R_64F: return "f64";
        case HERON_C_32F: return "c32";
        default: return "c64";
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
            << "\n#define KT " << kt << "\n#define SLICES " << slices << '\n';
    return out.str();
}

std::optional<dense_shape> parse_dense_shape(const std::string& text, heron_type type) {
    const auto shape = parse_any(text, type);
    return shape && shape->slices == 1 ? shape : std::nullopt;
}

std::vector<direct_shape> direct_shapes_of(const device_traits& traits, heron_type type) {
    const std::string name = dense_type_name(type);
    if (const auto wanted = parse_direct(find_entry(setting(), ';', name + "-direct"), type))
        return {{*wanted, 0, 1}};
    if (traits.is_cpu || parse_dense_shape(find_entry(setting(), ';', name), type)) return {};
    std::vector<direct_shape> found;
    for (const direct_row& row : direct_rows)
        if (row.type == type && fits(traits, row.direct.shape, type)) found.push_back(row.direct);
    return found;
}

dense_shape dense_shape_of(const device_traits& traits, heron_type type, bool is_small) {
    const std::string large = dense_type_name(type);
    const std::string name = is_small ? large + "-small" : large;
    if (const auto shape = parse_dense_shape(find_entry(setting(), ';', name), type)) return *shape;
    if (const auto shape = parse_dense_shape(find_entry(setting(), ';', large), type)) return *shape;
    if (const auto shape =
            parse_dense_shape(find_entry(read_tuning("opencl", traits.name), '\n', name), type))
        return *shape;
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
    if (kits_.empty()) report_what_is_ignored();
    dense_kit& kit = kits_[name];
    kit.shape = dense_shape_of(traits, type, is_small);
    kit.scratch_bytes = scratch_bytes(kit.scratch_bytes);
    const std::string definitions =
        definitions_on(traits, kit.shape, type, false) + left_out_definitions(left_out);
    kit.products = {
        kit.shape.columns ? "dense_common dense_columns" : "dense_common dense_tiles dense_packed",
        definitions};
    kit.solves = {"dense_common dense_solve", definitions};
    if (kit.shape.columns) {
        kit.batches.push_back({kit.shape, kit.products, 0});
    } else {
        for (const dense_shape& shape : batch_shapes(type))
            kit.batches.push_back({shape, direct_program(traits, shape, type), 0});
    }
    for (const direct_shape& each : direct_shapes_of(traits, type))
        kit.singles.push_back(
            {{each.shape, direct_program(traits, each.shape, type), 0}, each.start, each.wave});
    return kit;
}

}  // namespace heron::opencl
