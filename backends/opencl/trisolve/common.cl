// What the solves of triangular systems share.
//
// Rows draw tickets in an order in which each comes after all that it needs, and wait for what these find out
// (Liu et al., "A synchronization-free algorithm for parallel sparse triangular solves", Euro-Par 2016).
// Every look at another row's result is one try, so that no item stands still for another one beside it.

// The number of this group in the order in which groups begin.
HERON_FN int draw_ticket(GLOBAL int* control, __local int* ticket) {
    if (get_local_id(0) == 0) *ticket = atomic_inc(control);
    barrier(CLK_LOCAL_MEM_FENCE);
    return *ticket;
}

// *x := *p, as others have written it, if that is wanted: on NVIDIA's GPUs without a branch, so that several
// loads are on their way at a time.
#ifdef HERON_PTX
HERON_FN void load_uint(int is_wanted, GLOBAL const uint* p, uint* x) {
    __asm__ volatile("{.reg .pred q; setp.ne.s32 q, %1, 0;\n @q ld.relaxed.gpu.global.u32 %0, [%2];}"
                     : "+r"(*x)
                     : "r"(is_wanted), "l"((ulong)p)
                     : "memory");
}
HERON_FN void load_ulong(int is_wanted, GLOBAL const ulong* p, ulong* x) {
    __asm__ volatile("{.reg .pred q; setp.ne.s32 q, %1, 0;\n @q ld.relaxed.gpu.global.u64 %0, [%2];}"
                     : "+l"(*x)
                     : "r"(is_wanted), "l"((ulong)p)
                     : "memory");
}
HERON_FN void load_ulong2(int is_wanted, GLOBAL const ulong2* p, ulong2* x) {
    ulong low = x->x;
    ulong high = x->y;
    __asm__ volatile("{.reg .pred q; setp.ne.s32 q, %2, 0;\n @q ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%3];}"
                     : "+l"(low), "+l"(high)
                     : "r"(is_wanted), "l"((ulong)p)
                     : "memory");
    *x = (ulong2)(low, high);
}
#else
HERON_FN void load_uint(int is_wanted, GLOBAL const uint* p, uint* x) {
    if (is_wanted) *x = *(volatile GLOBAL const uint*)p;
}
HERON_FN void load_ulong(int is_wanted, GLOBAL const ulong* p, ulong* x) {
    if (is_wanted) *x = *(volatile GLOBAL const ulong*)p;
}
HERON_FN void load_ulong2(int is_wanted, GLOBAL const ulong2* p, ulong2* x) {
    if (is_wanted) *x = *(volatile GLOBAL const ulong2*)p;
}
#endif
