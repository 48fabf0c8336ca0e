#pragma once
// The kernel of products with operators of the caller's, as text that NVRTC compiles without any header.
// Before it come definitions of VA, VC, heron_value, OT and IT; operators are declared or defined as add_op,
// mul_op and epilogue.

namespace heron::cuda {

// Element types and what converts them; load<VA> and store<VC> are told apart by their types.
inline constexpr const char* spmm_op_types = R"(
typedef long long int64;
struct f16 { unsigned short bits; };
struct bf16 { unsigned short bits; };
typedef signed char i8;
typedef int i32;
typedef int64 i64;
typedef float f32;
typedef double f64;
typedef float2 c32;
typedef double2 c64;
__device__ inline f32 widen(f16 v) { f32 r; asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(v.bits)); return r; }
__device__ inline f32 widen(bf16 v) { return __uint_as_float((unsigned)v.bits << 16); }
__device__ inline i32 widen(i32 v) { return v; }
__device__ inline f32 widen(f32 v) { return v; }
__device__ inline f64 widen(f64 v) { return v; }
__device__ inline c32 widen(c32 v) { return v; }
__device__ inline c64 widen(c64 v) { return v; }
__device__ inline i32 widen(i8 v) { return v; }
template <class T> __device__ inline void narrow(T& to, T v) { to = v; }
__device__ inline void narrow(f16& to, f32 v) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to.bits) : "f"(v)); }
__device__ inline void narrow(bf16& to, f32 v) {
    const unsigned u = __float_as_uint(v);
    to.bits = (u & 0x7fffffffu) > 0x7f800000u ? (u >> 16) | 0x40u : (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
}
)";

// What the shared plan's spmm_op_element does, with a grid that may be smaller than the number of items.
inline constexpr const char* spmm_op_kernel = R"(
extern "C" __global__ void spmm_op_items(int64 count, const OT* offsets, const IT* indices, const VA* a, int64 base,
                                         const VA* b, int64 b_row_step, int64 b_column_step, VC* c, int64 c_row_step,
                                         int64 c_column_step, int64 rows, int64 columns, int by_columns, int reads_c,
                                         heron_value empty_sum) {
    const int64 step = (int64)gridDim.x * blockDim.x;
    for (int64 item = (int64)blockIdx.x * blockDim.x + threadIdx.x; item < count; item += step) {
        const int64 i = by_columns ? item % rows : item / columns;
        const int64 j = by_columns ? item / rows : item % columns;
        const int64 begin = offsets ? (int64)offsets[i] - base : 0;
        const int64 end = offsets ? (int64)offsets[i + 1] - base : 0;
        heron_value sum = empty_sum;
        for (int64 k = begin; k < end; ++k) {
            const heron_value ak = (heron_value)widen(a[k]);
            const heron_value bk = (heron_value)widen(b[((int64)indices[k] - base) * b_row_step + j * b_column_step]);
            const heron_value term = mul_op(ak, bk);
            sum = k == begin ? term : add_op(sum, term);
        }
        VC* const to = c + i * c_row_step + j * c_column_step;
        if (reads_c) sum = FINISH(sum, (heron_value)widen(*to));
        narrow(*to, sum);
    }
}
)";

// An epilogue by rows (heron/args/row_epilogue.h), which is declared before it.
inline constexpr const char* row_epilogue_kernel = R"(
extern "C" __global__ void row_epilogue_items(int64 count, VC* c) {
    const int64 step = (int64)gridDim.x * blockDim.x;
    for (int64 i = (int64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
        narrow(c[i], spmvop_epilogue((int)i, (heron_value)widen(c[i])));
}
)";

}  // namespace heron::cuda
