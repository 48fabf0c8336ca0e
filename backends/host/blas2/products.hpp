#pragma once
#include <heron/backend.h>

namespace heron::HERON_LEVEL {

// gemv, trmv and symv.
void override_blas2_products(heron_backend& table);

}  // namespace heron::HERON_LEVEL
