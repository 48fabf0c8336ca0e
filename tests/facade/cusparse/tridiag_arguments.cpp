// The arguments of the tridiagonal and pentadiagonal solves, for all types.
#include "families.hpp"
#include "subject.hpp"

namespace heron::test {
namespace {

template <class T>
T* misaligned(T* p) {
    return reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(p) + 1);
}

constexpr int rows = 4;
constexpr int systems = 2;

template <class T>
struct tridiagonal_operands {
    tridiagonal_operands() { std::fill_n(main, rows * systems, one()); }
    static T one() {
        if constexpr (std::is_floating_point_v<T>)
            return 1;
        else
            return {1, 0};
    }

    handle h{cusparseCreate};
    alignas(16) T far[rows * systems] = {}, farther[rows * systems] = {}, lower[rows * systems] = {},
                             main[rows * systems] = {}, upper[rows * systems] = {}, x[rows * systems] = {};
    alignas(128) char memory[16384];
    size_t bytes = 0;
};

// The arrays of a function that reads them, and its workspace.
template <size_t first, size_t buffer, class Subject, class T>
void try_arrays(Subject& f, const char* (&names)[4], T* odd, void* memory) {
    f.template bad<first>(names[0], nullptr).template bad<first>(names[0], odd);
    f.template bad<first + 1>(names[1], nullptr).template bad<first + 1>(names[1], odd);
    f.template bad<first + 2>(names[2], nullptr).template bad<first + 2>(names[2], odd);
    f.template bad<first + 3>(names[3], nullptr).template bad<first + 3>(names[3], odd);
    f.template bad<buffer>("pBuffer", nullptr);
    f.template bad<buffer>("pBuffer", static_cast<char*>(memory) + 64);
}

// The sizes of A*X = B, which those who ask for a workspace give, too.
template <class Subject>
Subject& try_gtsv2_sizes(Subject& f) {
    f.works().template bad<0>("handle", nullptr, not_initialized);
    f.template bad<1>("m", 2).template bad<1>("m", 0).template bad<1>("m", -1).template bad<2>("n", -1);
    return f.template bad<7>("ldb", rows - 1);
}
template <class Subject>
Subject& try_batch_sizes(Subject& f) {
    f.works().template bad<0>("handle", nullptr, not_initialized);
    f.template bad<1>("m", 2).template bad<1>("m", -1).template bad<6>("batchCount", -1);
    return f.template bad<7>("batchStride", rows - 1);
}
template <size_t count, class Subject>
Subject& try_interleaved_sizes(Subject& f, int no_algorithm) {
    f.works().template bad<0>("handle", nullptr, not_initialized);
    f.template bad<1>("algo", no_algorithm).template bad<1>("algo", -1).template bad<2>("m", -1);
    return f.template bad<count>("batchCount", -1);
}

const char* b_names[] = {"dl", "d", "du", "B"};
const char* x_names[] = {"dl", "d", "du", "x"};

#define TEXT(name) #name
#define TEXT_OF(name) TEXT(name)
#define NAME(name) TEXT_OF(HERON_FN(name))
#define HERON_FAMILY "facade/cusparse/tridiag_arguments.inc"
#include <cusparse/foreach_type.inc>
#undef NAME
#undef TEXT_OF
#undef TEXT

}  // namespace

void try_tridiagonal() {
    try_tridiagonal_of(float{});
    try_tridiagonal_of(double{});
    try_tridiagonal_of(cuComplex{});
    try_tridiagonal_of(cuDoubleComplex{});
}

}  // namespace heron::test
