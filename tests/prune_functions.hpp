#pragma once
// The functions that prune by their scalar type, for tests that are written once for all three.
#include <cusparse.h>

namespace heron::test {

template <class T>
struct prune_functions;

#define HERON_HALF
#define HERON_FAMILY "prune_functions.inc"
#include <cusparse/foreach_type.inc>

// Calls f(prune_functions<T>{}) for each type.
template <class F>
void for_each_prunable_type(F&& f) {
    f(prune_functions<__half>{});
    f(prune_functions<float>{});
    f(prune_functions<double>{});
}

}  // namespace heron::test
