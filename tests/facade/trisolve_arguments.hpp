#pragma once

namespace heron::test {

// Tries every argument of SpSV and SpSM.
void try_trisolve();

}  // namespace heron::test
