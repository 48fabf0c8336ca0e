#include "vector_problem.hpp"

namespace heron::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

vector_case random_vector(random_source& random, heron_type type, std::int64_t n, std::int64_t inc) {
    vector_case v{type, n, inc};
    if (n <= 0) return v;
    v.memory.assign(static_cast<std::size_t>((n - 1) * std::abs(inc) + 1),
                    number{nan, is_complex(type) ? nan : 0});
    for (std::int64_t i = 0; i < n; ++i) v.at(i) = random_number(random, type);
    return v;
}

void poison(vector_case& v) {
    for (number& e : v.memory) e = number{nan, is_complex(v.type) ? nan : 0};
}

device_vector::device_vector(const vector_case& v)
    : shape_(v), memory_(v.memory.size() * size_of(cuda_type(v.type)), size_of(cuda_type(v.type))) {
    if (memory_.size() > 0) memory_.upload(encode(cuda_type(v.type), v.memory).data());
}

vector_case device_vector::download() const {
    vector_case v = shape_;
    if (memory_.size() > 0) v.memory = decode(cuda_type(v.type), memory_.bytes());
    return v;
}

std::int64_t device_vector::lead(bool aligned) const {
    const auto over = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(data()) % 16);
    const std::int64_t lead = (16 - over) % 16 / static_cast<std::int64_t>(size_of(cuda_type(shape_.type)));
    return aligned ? lead : (lead + 1) % 4;
}

char* device_vector::element(std::int64_t at) const {
    return static_cast<char*>(data()) + at * static_cast<std::int64_t>(size_of(cuda_type(shape_.type)));
}

std::string difference(const vector_case& actual, const vector_case& expected, double bound) {
    for (std::size_t k = 0; k < expected.memory.size(); ++k) {
        const number a = actual.memory[k], e = expected.memory[k];
        const bool both_nan = std::isnan(a.real()) == std::isnan(e.real()) &&
                              std::isnan(a.imag()) == std::isnan(e.imag()) &&
                              (std::isnan(e.real()) || std::isnan(e.imag()));
        if (both_nan || a == e || is_within(std::abs(a - e), bound)) continue;
        return fmt::format("memory[{}] is {}+{}i, expected {}+{}i", k, a.real(), a.imag(), e.real(),
                           e.imag());
    }
    return "";
}

scalar_place::scalar_place(bool on_device, heron_type type, std::vector<number> values)
    : on_device_(on_device), type_(type), host_(encode(cuda_type(type), values)), device_(host_) {
    if (on_device) expect(heron_set_pointer_mode(native(), HERON_POINTER_DEVICE));
}

scalar_place::~scalar_place() { heron_set_pointer_mode(native(), HERON_POINTER_HOST); }

void* scalar_place::data() { return on_device_ ? static_cast<void*>(device_.data()) : host_.data(); }

std::vector<number> scalar_place::read() {
    return decode(cuda_type(type_), on_device_ ? device_.download() : host_);
}

heron_type scalar_type(heron_type type) {
    switch (type) {
        case HERON_R_16F:
        case HERON_R_16BF: return HERON_R_32F;
        case HERON_C_16F:
        case HERON_C_16BF: return HERON_C_32F;
        default: return type;
    }
}

heron_type real_type(heron_type type) {
    const heron_type scalar = scalar_type(type);
    return scalar == HERON_C_32F ? HERON_R_32F : scalar == HERON_C_64F ? HERON_R_64F : scalar;
}

double unit(heron_type type) { return epsilon(cuda_type(type)); }

std::vector<heron_type> vector_types() {
    if (backend_name() == "opencl") return {HERON_R_32F, HERON_C_64F, HERON_C_16F};
    return {HERON_R_32F, HERON_R_64F,  HERON_C_32F, HERON_C_64F,
            HERON_R_16F, HERON_R_16BF, HERON_C_16F, HERON_C_16BF};
}

std::vector<heron_type> matrix_types() {
    if (backend_name() == "opencl") return {HERON_R_32F, HERON_C_64F};
    return {HERON_R_32F, HERON_R_64F, HERON_C_32F, HERON_C_64F};
}

}  // namespace heron::test
