// What cases of vectors and matrices share: the facts of a type, and numbers in a device's memory.
#pragma once

#include <heron/heron.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "matrix/generators.hpp"
#include "measure/device.hpp"

namespace heron::tools {

template <class T>
struct facts {
    using real = T;
    static constexpr bool is_complex = false;
    static constexpr heron_type type = sizeof(T) == 4 ? HERON_R_32F : HERON_R_64F;
    static constexpr const char* letter = sizeof(T) == 4 ? "s" : "d";
};
template <class R>
struct facts<std::complex<R>> {
    using real = R;
    static constexpr bool is_complex = true;
    static constexpr heron_type type = sizeof(R) == 4 ? HERON_C_32F : HERON_C_64F;
    static constexpr const char* letter = sizeof(R) == 4 ? "c" : "z";
};

inline std::string capital(std::string letter) {
    letter[0] = static_cast<char>(letter[0] - 'a' + 'A');
    return letter;
}

// cuBLAS's numbers of its enumerations.
inline constexpr int cublas_none = 0, cublas_transpose = 1;
inline constexpr int pointers_on_host = 0, pointers_on_device = 1;

inline void require_cublas(int status) {
    if (status != 0) throw std::runtime_error("cuBLAS answered " + std::to_string(status));
}

template <class T>
std::vector<T> numbers(std::int64_t count) {
    using R = typename facts<T>::real;
    splitmix64 random(static_cast<std::uint64_t>(count));
    std::vector<T> values(static_cast<std::size_t>(count));
    for (T& v : values) {
        if constexpr (facts<T>::is_complex)
            v = T(static_cast<R>(random.symmetric_unit()), static_cast<R>(random.symmetric_unit()));
        else
            v = static_cast<T>(random.symmetric_unit());
    }
    return values;
}

template <class T>
void send(const device& where, const device_buffer& to, const std::vector<T>& values) {
    if (!values.empty()) where.copy(to.get(), values.data(), values.size() * sizeof(T));
    where.synchronize();
}

template <class T>
device_buffer sent(const device& where, const std::vector<T>& values) {
    device_buffer memory = where.allocate(std::max<std::size_t>(values.size(), 1) * sizeof(T));
    send(where, memory, values);
    return memory;
}

template <class T>
std::vector<T> received(const device& where, const device_buffer& from, std::size_t count) {
    std::vector<T> values(count);
    where.copy(values.data(), from.get(), count * sizeof(T));
    where.synchronize();
    return values;
}

}  // namespace heron::tools
