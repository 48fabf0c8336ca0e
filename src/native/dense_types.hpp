#pragma once
// The types of the scalars of dense operations.
#include <heron/types.h>

namespace heron::core {

// 16-bit types are computed in single precision, the others in themselves.
inline heron_type type_of_scalars(heron_type type) {
    switch (type) {
        case HERON_R_16F:
        case HERON_R_16BF: return HERON_R_32F;
        case HERON_C_16F:
        case HERON_C_16BF: return HERON_C_32F;
        default: return type;
    }
}

inline heron_type real_type_of_scalars(heron_type type) {
    const heron_type scalars = type_of_scalars(type);
    return scalars == HERON_C_32F ? HERON_R_32F : scalars == HERON_C_64F ? HERON_R_64F : scalars;
}

}  // namespace heron::core
