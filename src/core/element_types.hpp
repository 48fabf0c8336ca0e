#pragma once
// Facts about element and index types, and which combinations the operations accept.
#include "error.hpp"
#include <cstddef>
#include <limits>

namespace heron::core {

struct type_facts {
    const char* name;
    size_t size;
    bool is_complex;
    // In which an operation on vectors of this type alone computes; integers need one that is told.
    bool computes;
    heron_type compute_type;
};

// Indexed by heron_type.
inline constexpr type_facts facts_of_types[] = {
    {"R_8I", 1, false, false, {}},          {"R_32I", 4, false, false, {}},
    {"R_16F", 2, false, true, HERON_R_32F}, {"R_16BF", 2, false, true, HERON_R_32F},
    {"R_32F", 4, false, true, HERON_R_32F}, {"R_64F", 8, false, true, HERON_R_64F},
    {"C_16F", 4, true, true, HERON_C_32F},  {"C_16BF", 4, true, true, HERON_C_32F},
    {"C_32F", 8, true, true, HERON_C_32F},  {"C_64F", 16, true, true, HERON_C_64F},
};

inline size_t size_of(heron_type type) { return facts_of_types[type].size; }
inline size_t size_of(heron_index_type type) { return type == HERON_INDEX_32 ? 4 : 8; }
inline const char* name_of(heron_type type) { return facts_of_types[type].name; }
inline bool is_complex(heron_type type) { return facts_of_types[type].is_complex; }

// Largest value that an index of this type holds.
inline int64_t largest(heron_index_type type) {
    return type == HERON_INDEX_32 ? std::numeric_limits<int32_t>::max() : std::numeric_limits<int64_t>::max();
}

[[noreturn]] void computes_not(heron_type storage, const subject& about);

// The type in which an operation on vectors of one storage type computes (R_16F -> R_32F). Throws
// HERON_NOT_SUPPORTED for integers, which need an explicit compute type.
inline heron_type compute_type_of(heron_type storage, const subject& about) {
    if (!facts_of_types[storage].computes) computes_not(storage, about);
    return facts_of_types[storage].compute_type;
}

// Throw HERON_NOT_SUPPORTED, naming the types, unless the combination is one that is built.
void require_dot_types(heron_type x, heron_type y, heron_type compute);
void require_product_types(heron_type a, heron_type x, heron_type y, heron_type compute);
void require_spmm_types(heron_type a, heron_type b, heron_type c, heron_type compute);
void require_sampled_product_types(heron_type a, heron_type b, heron_type c, heron_type compute);

}  // namespace heron::core
