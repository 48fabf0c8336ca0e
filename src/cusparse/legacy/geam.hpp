#pragma once
// What the sums of CSR matrices call their arguments.
#include "typed.hpp"

namespace heron::cusparse {

inline constexpr core::argument_name geam_names[] = {
    {{core::role::a, core::part::rows}, "m"},
    {{core::role::a, core::part::cols}, "n"},
    {{core::role::a, core::part::nnz}, "nnzA"},
    {{core::role::a, core::part::kind}, "descrA"},
    {{core::role::a, core::part::values}, "csrSortedValA"},
    {{core::role::a, core::part::offsets}, "csrSortedRowPtrA"},
    {{core::role::a, core::part::indices}, "csrSortedColIndA"},
    {{core::role::b, core::part::nnz}, "nnzB"},
    {{core::role::b, core::part::kind}, "descrB"},
    {{core::role::b, core::part::values}, "csrSortedValB"},
    {{core::role::b, core::part::offsets}, "csrSortedRowPtrB"},
    {{core::role::b, core::part::indices}, "csrSortedColIndB"},
    {{core::role::c, core::part::kind}, "descrC"},
    {{core::role::c, core::part::values}, "csrSortedValC"},
    {{core::role::c, core::part::offsets}, "csrSortedRowPtrC"},
    {{core::role::c, core::part::indices}, "csrSortedColIndC"},
};

}  // namespace heron::cusparse
