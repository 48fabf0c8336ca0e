// Catch2 3 and Catch2 2 behind one include. Tests use only what both have: TEST_CASE, SECTION, CHECK, REQUIRE
// and their _THROWS forms, INFO, CAPTURE, WARN, SUCCEED, FAIL.
#pragma once

#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_test_macros.hpp>
#else
#include <catch2/catch.hpp>
#endif
