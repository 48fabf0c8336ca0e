#pragma once
// The typed functions by their scalar type, for tests that are written once for all four.
#include <cusparse.h>

namespace heron::test {

template <class T>
struct typed_functions;

#define HERON_FAMILY "typed_functions.inc"
#include <cusparse/foreach_type.inc>

// Calls f(typed_functions<T>{}) for each type.
template <class F>
void for_each_type(F&& f) {
    f(typed_functions<float>{});
    f(typed_functions<double>{});
    f(typed_functions<cuComplex>{});
    f(typed_functions<cuDoubleComplex>{});
}

}  // namespace heron::test
