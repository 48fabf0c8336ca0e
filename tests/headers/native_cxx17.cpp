// Every public header of Heron's own compiles alone in C++17.
#include <heron/backend.h>
#include <heron/heron.h>
#include <heron/kronmult.h>

static_assert(HERON_VERSION > 0);
extern heron_status (*const create_from_cxx)(heron_handle*);
heron_status (*const create_from_cxx)(heron_handle*) = heron_create;

// The names of KRONMULT with their type as a template argument.
template <class T>
struct named_kronmult {
    heron_status (*const batched[6])(int, const T*, T*, T*, T*, int64_t) = {
        kronmult1_batched<T>, kronmult2_batched<T>, kronmult3_batched<T>,
        kronmult4_batched<T>, kronmult5_batched<T>, kronmult6_batched<T>};
    heron_status (*const pbatched[6])(int, const T*, T* const*, T* const*, T* const*, int64_t) = {
        kronmult1_pbatched<T>, kronmult2_pbatched<T>, kronmult3_pbatched<T>,
        kronmult4_pbatched<T>, kronmult5_pbatched<T>, kronmult6_pbatched<T>};
    heron_status (*const xbatched[6])(int, const T* const*, int, T* const*, T* const*, T* const*, int64_t,
                                      int64_t) = {kronmult1_xbatched<T>, kronmult2_xbatched<T>,
                                                  kronmult3_xbatched<T>, kronmult4_xbatched<T>,
                                                  kronmult5_xbatched<T>, kronmult6_xbatched<T>};
    heron_status (*const kgemm[3])(int, int, int, T, T* const*, const int*, T* const*, const int*, T,
                                   T* const*, const int*,
                                   int64_t) = {kgemm_nn_batched<T>, kgemm_nt_batched<T>, kgemm_tt_batched<T>};

    // Any arguments that convert will do, as to a function without overloads.
    static heron_status rectangular(const T* const* a, T** x) {
        const heron_status all[] = {
            kronmult1_vbatched<T>(1, 2, a, x, x, nullptr, 0, 1),
            kronmult2_vbatched<T>(1, 2, 3, 4, a, x, x, nullptr, 0, 1),
            kronmult3_vbatched<T>(1, 2, 3, 4, 5, 6, a, x, x, nullptr, 0, 1),
            kronmult4_vbatched<T>(1, 2, 3, 4, 5, 6, 7, 8, a, x, x, nullptr, 0, 1),
            kronmult5_vbatched<T>(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, a, x, x, nullptr, 0, 1),
            kronmult6_vbatched<T>(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, a, x, x, nullptr, 0, 1)};
        return all[0];
    }
};
template struct named_kronmult<float>;
template struct named_kronmult<double>;
