#pragma once
// Facts about element and index types, and which combinations the operations accept.
#include "error.hpp"
#include <cstddef>

namespace heron::core {

size_t size_of(heron_type type);
size_t size_of(heron_index_type type);
const char* name_of(heron_type type);
bool is_complex(heron_type type);

// Largest value that an index of this type holds.
int64_t largest(heron_index_type type);

// The type in which an operation on vectors of one storage type computes (R_16F -> R_32F). Throws
// HERON_NOT_SUPPORTED for integers, which need an explicit compute type.
heron_type compute_type_of(heron_type storage, const subject& about);

// Throw HERON_NOT_SUPPORTED, naming the types, unless the combination is one that is built.
void require_dot_types(heron_type x, heron_type y, heron_type compute);
void require_product_types(heron_type a, heron_type x, heron_type y, heron_type compute);
void require_spmm_types(heron_type a, heron_type b, heron_type c, heron_type compute);
void require_sampled_product_types(heron_type a, heron_type b, heron_type c, heron_type compute);

}  // namespace heron::core
