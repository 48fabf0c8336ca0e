// What the other tests rely on: canaries that notice a byte, and memory that starts as it should.
#include "rig.hpp"

#include <algorithm>

using namespace heron::test;

namespace {

void put(void* at, unsigned char byte) { expect(heron_fill(native(), at, byte, 1)); }

// `memory` may share its block with others.
void check_ends(const device_memory& memory) {
    auto* const first = static_cast<unsigned char*>(memory.data());
    for (unsigned char* const outside : {first - 1, first + memory.size()}) {
        unsigned char canary = 0;
        expect(heron_copy(native(), &canary, outside, 1));
        put(outside, static_cast<unsigned char>(canary ^ 1));
        CHECK(!memory.canaries_are_whole());
        put(outside, canary);
        CHECK(memory.canaries_are_whole());
    }
}

}  // namespace

TEST_CASE("a byte written right before or behind an array is noticed") {
    for (const std::size_t bytes : {0, 1, 13, 4096, 70000})
        for (const std::size_t misalignment : {0, 1, 24}) check_ends(device_memory(bytes, misalignment));
    const std::vector<unsigned char> content(5000, 1);
    for (const std::size_t large : {0, 5000, 200000})
        for (const device_memory& memory :
             device_memory::together({{7, 0, content.data()}, {0, 3}, {large}, {5000, 8, content.data()}}))
            check_ends(memory);
}

TEST_CASE("arrays of one block have their own contents, addresses and alignment") {
    const std::vector<unsigned char> ones(300, 1), twos(301, 2);
    const auto arrays = device_memory::together({{300, 0, ones.data()}, {301, 4, twos.data()}, {9, 1}});
    CHECK((arrays[0].bytes() == ones));
    CHECK((arrays[1].bytes() == twos));
    const std::size_t misalignments[] = {0, 4, 1};
    for (std::size_t k = 0; k < arrays.size(); ++k)
        CHECK(reinterpret_cast<std::uintptr_t>(arrays[k].data()) % device_memory::alignment ==
              misalignments[k]);
}

TEST_CASE("memory that had another use starts without its content") {
    const std::vector<unsigned char> noise(4000, 0x11);
    for (int use = 0; use < 3; ++use) {
        const device_memory fresh(4000);
        const std::vector<unsigned char> bytes = fresh.bytes();
        CHECK(std::count(bytes.begin(), bytes.end(), bytes[0]) == 4000);
        CHECK(bytes[0] != 0x11);
        const device_memory used(4000, 0, noise.data());
        CHECK((used.bytes() == noise));
    }
}
