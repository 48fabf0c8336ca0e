// csrmv.
#include "cusparse/legacy/typed.hpp"

using namespace heron;
using namespace heron::cusparse;
using core::cols_of, core::rows_of, core::role;

#define HERON_FAMILY "cusparse/removed/csrmv.inc"
#include <cusparse/foreach_type.inc>
