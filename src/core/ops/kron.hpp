#pragma once
// What the files of the Kronecker products share.
#include "core/context.hpp"
#include <heron/args.h>

namespace heron::core {

// Throws INVALID_VALUE unless the outputs of a batch are distinct. Strided outputs are always checked where
// it can be told from the strides; anything else only with HERON_VALIDATE=1, by reading the addresses and the
// groups.
void require_distinct_outputs(context& c, const heron_kronmult_args& args);

}  // namespace heron::core
