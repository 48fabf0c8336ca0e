// Sparse triangular solves in one launch, for devices on which a group that has begun goes on whatever others
// do. Types: CT elements, OT offsets, IT indices. GROUP: work-items per group; PACK: right-hand sides of an
// item; BATCH: elements of a row that an item waits for together; IS_REAL: CT is no complex type.
//
// Solutions are handed over through memory all of whose bits are set before: whoever reads anything else
// there reads the solution. Row number `place` of the order is records[place] = (row, begin, end), and
// places[row] is the place.

// BOX is what an item hands over at a time: words that are written and read as a whole.
#define BOX_NAME(name) HERON_NAME1(name, BOX)
HERON_FN int is_set_uint(uint v) { return v != UINT_MAX; }
HERON_FN int is_set_ulong(ulong v) { return v != ULONG_MAX; }
HERON_FN int is_set_ulong2(ulong2 v) { return v.x != ULONG_MAX && v.y != ULONG_MAX; }
// The bits that say "not yet" are those of a NaN, in whose place another one is handed over.
HERON_FN uint marked_uint(uint v) { return v == UINT_MAX ? UINT_MAX >> 1 : v; }
HERON_FN ulong marked_ulong(ulong v) { return v == ULONG_MAX ? ULONG_MAX >> 1 : v; }
HERON_FN ulong2 marked_ulong2(ulong2 v) { return (ulong2)(marked_ulong(v.x), marked_ulong(v.y)); }
#define UNPACK(box, to) HERON_NAME2(unpack, CT, BOX)(box, to)
#define PACK_UP(from) HERON_NAME2(pack, CT, BOX)(from)
HERON_FN void unpack_f32_uint(uint v, f32* to) { to[0] = as_float(v); }
HERON_FN uint pack_f32_uint(const f32* from) { return as_uint(from[0]); }
HERON_FN void unpack_f32_ulong2(ulong2 v, f32* to) { vstore4(as_float4(v), 0, to); }
HERON_FN ulong2 pack_f32_ulong2(const f32* from) { return as_ulong2(vload4(0, from)); }
HERON_FN void unpack_c32_ulong(ulong v, c32* to) { to[0] = as_float2(v); }
HERON_FN ulong pack_c32_ulong(const c32* from) { return as_ulong(from[0]); }
HERON_FN void unpack_c32_ulong2(ulong2 v, c32* to) {
    to[0] = as_float2(v.x);
    to[1] = as_float2(v.y);
}
HERON_FN ulong2 pack_c32_ulong2(const c32* from) { return (ulong2)(as_ulong(from[0]), as_ulong(from[1])); }
#if defined(cl_khr_fp64) && defined(cl_khr_int64_base_atomics)
HERON_FN void unpack_f64_ulong(ulong v, f64* to) { to[0] = as_double(v); }
HERON_FN ulong pack_f64_ulong(const f64* from) { return as_ulong(from[0]); }
HERON_FN void unpack_f64_ulong2(ulong2 v, f64* to) {
    to[0] = as_double(v.x);
    to[1] = as_double(v.y);
}
HERON_FN ulong2 pack_f64_ulong2(const f64* from) { return (ulong2)(as_ulong(from[0]), as_ulong(from[1])); }
HERON_FN void unpack_c64_ulong2(ulong2 v, c64* to) { to[0] = as_double2(v); }
HERON_FN ulong2 pack_c64_ulong2(const c64* from) { return as_ulong2(from[0]); }
#endif

// What is divided by. Most of a division can be done before there is anything to divide: Newton's step for
// the quotient, with the remainder of a fused operation, then rounds it as a division does. Where that
// overflows or divides by zero, the result is that of a division.
#if IS_REAL
HERON_FN CT inverse_of(CT pivot) { return ONE(CT) / pivot; }
HERON_FN CT quotient(CT right, CT pivot, CT inverse) {
    const CT rough = right * inverse;
    const CT result = fma(fma(-rough, pivot, right), inverse, rough);
    return isfinite(result) ? result : right / pivot;
}
#else
HERON_FN CT inverse_of(CT pivot) { return pivot; }
HERON_FN CT quotient(CT right, CT pivot, CT inverse) { return DIV(CT, right, pivot); }
#endif

// Before each solve: no solution is there, no ticket drawn, and no pivot found that is zero.
HERON_KERNEL(begin_solve, GLOBAL ulong2* solved, GLOBAL int* control, GLOBAL int* zero_pivot) {
    solved[item] = (ulong2)(ULONG_MAX);
    if (item == 0) *control = 0;
    if (item == 0 && zero_pivot) *zero_pivot = INT_MAX;
}
HERON_END

// Of a row that has been solved by its own pivot. zero_pivot: the first row whose pivot is zero; or NULL.
HERON_FN void look_at_pivot(int row, CT pivot, GLOBAL int* zero_pivot) {
    if (zero_pivot && EQUAL(CT, pivot, ZERO(CT))) ATOMIC_MIN(zero_pivot, row);
}
