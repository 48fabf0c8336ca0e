#pragma once
// What the host knows of scalars that may lie on the device.
#include "device.hpp"

namespace heron::HERON_LEVEL {

template <class CT>
bool is_known_zero(const scalar_argument<CT>& s) {
    const CT zero = scalar_value<CT>(0, 0);
    return !s.device && __builtin_memcmp(&s.value, &zero, sizeof zero) == 0;
}

template <class CT>
bool is_known_one(const scalar_argument<CT>& s) {
    const CT unit = scalar_value<CT>(1, 0);
    return !s.device && __builtin_memcmp(&s.value, &unit, sizeof unit) == 0;
}

}  // namespace heron::HERON_LEVEL
