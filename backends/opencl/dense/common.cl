// What the dense kernels share: operands, scalars and the update of C. The other files dense_*.cl follow this
// one, for one type and one shape of kernel.
//
// Packing applies op, the scalar alpha and what is known of a symmetric or triangular operand, so that one
// kernel serves every operation, and a sum of two products is a longer k. A panel holds P rows of A' (or
// columns of B'), its k-th step is P contiguous reals, of complex matrices P real parts and P imaginary
// parts. Rows beyond the matrix are zero.
//
// Parameters: CT element, RT its real type, PARTS 1 or 2; COLUMNS: VW MV NR; otherwise WX WY VW MV UW NV KT.
//
// For studies WITHOUT_LOADS, WITHOUT_ARITHMETIC and WITHOUT_STORES leave out a part of the product's work, in
// a way that the compiler cannot see through.

#define VECTOR_NAME2(type, width) type##width
#define VECTOR_NAME(type, width) VECTOR_NAME2(type, width)
#define REAL_VECTOR VECTOR_NAME(RT_NAME, VW)
#define LOAD_VECTOR VECTOR_NAME(vload, VW)
#define STORE_VECTOR VECTOR_NAME(vstore, VW)

#ifdef COLUMNS
#define PA (VW * MV)
#define PB NR
#else
#define PA (WX * VW * MV)
#define PB (WY * UW * NV)
#endif

#ifdef WITHOUT_LOADS
#define FROM_PANEL(load, i) (p.ld + (i))
#define START(j, i) (p.m + (j)*64 + (i))
#else
#define FROM_PANEL(load, i) load
#define START(j, i) 0
#endif

#ifdef WITHOUT_STORES
#define STORES (p.ld < 0)
#else
#define STORES 1
#endif

// These mirror opencl_dense.cpp. Element (r, k) of op(X) lies at offset + r*row_step + k*k_step if X is full.
typedef struct {
    long offset, row_step, k_step;
    long rows, depth;  // of this chunk of op(X), which begins at first_row, first_k
    long first_row, first_k;
    long padded_rows, steps;  // what is written: zeros beyond rows and depth
    long total, begin;        // steps of a panel, and the one where this chunk begins
    long conjugate;
    long kind;          // 0 full, 1 symmetric, 2 Hermitian, 3 triangular
    long stores_lower;  // of op(X)
    long unit;
    long scaled;          // 1: times alpha, 2: times its conjugate
    long has_real_scale;  // in device memory
} dense_source;

// A scalar of the host's or the device's; the latter may be a real one.
HERON_FN CT dense_scalar(CT value, GLOBAL const RT* pointer, long is_real) {
    if (!pointer) return value;
#if PARTS == 2
    return (CT)(pointer[0], is_real ? 0 : pointer[1]);
#else
    return *pointer;
#endif
}

HERON_FN CT dense_element(dense_source s, GLOBAL const CT* x, long r, long k) {
    long row = s.first_row + r, column = s.first_k + k;
    int conjugate = (int)s.conjugate;
    if (s.kind != 0) {
        const int is_stored = s.stores_lower ? row >= column : row <= column;
        if (s.kind == 3) {
            if (!is_stored) return ZERO(CT);
            if (s.unit && row == column) return ONE(CT);
        } else if (!is_stored) {
            const long other = row;
            row = column;
            column = other;
            conjugate = s.kind == 2 ? !conjugate : conjugate;
        }
    }
    CT v = x[s.offset + row * s.row_step + column * s.k_step];
#if PARTS == 2
    if (s.kind == 2 && row == column) v.y = 0;
    if (conjugate) v.y = -v.y;
#endif
    return v;
}

HERON_FN int dense_is_zero(CT value, GLOBAL const RT* pointer, long is_real) {
    const CT v = dense_scalar(value, pointer, is_real);
    return EQUAL(CT, v, ZERO(CT));
}

HERON_FN CT dense_scale(dense_source s, CT value, GLOBAL const RT* pointer) {
    const CT scale = dense_scalar(value, pointer, s.has_real_scale);
    return s.scaled == 2 ? CONJ(CT, scale) : scale;
}

HERON_FN void dense_put(GLOBAL RT* to, int width, CT v) {
#if PARTS == 2
    to[0] = v.x;
    to[width] = v.y;
#else
    *to = v;
#endif
}

typedef struct {
    long m, n, total;
    long offset, ld;  // of C
    long triangle;    // 0 all of C, 1 lower, 2 upper
    long hermitian;
    long has_real_alpha, has_real_beta;  // in device memory
    long range;  // which k count: 0 all, 1 up to the row, 2 from the row on, 3 from the column on, 4 up to
                 // the column
} dense_product;

HERON_FN int dense_is_outside(dense_product p, long row, long column) {
    return (p.triangle == 1 && row + PA <= column) || (p.triangle == 2 && row >= column + PB);
}

HERON_FN long dense_first_step(dense_product p, long row, long column) {
    return p.range == 2 ? row : p.range == 3 ? column : 0;
}

HERON_FN long dense_last_step(dense_product p, long row, long column) {
    return p.range == 1 ? min(p.total, row + PA) : p.range == 4 ? min(p.total, column + PB) : p.total;
}

HERON_FN void dense_finish(dense_product p, GLOBAL CT* c, CT beta, long row, long column, CT sum) {
    if (row >= p.m || column >= p.n) return;
    if ((p.triangle == 1 && row < column) || (p.triangle == 2 && row > column)) return;
    GLOBAL CT* const to = c + p.offset + row + column * p.ld;
    CT v = sum;
    if (!EQUAL(CT, beta, ZERO(CT))) {
        CT old = *to;
#if PARTS == 2
        if (p.hermitian && row == column) old.y = 0;
#endif
        v = MAD(CT, beta, old, sum);
    }
#if PARTS == 2
    if (p.hermitian && row == column) v.y = 0;
#endif
    *to = v;
}

// ---- batches ----

// The operands of a batch; where those of an item begin, dense.h says.
typedef struct {
    long kind, stride, list_step;
} dense_items;

HERON_FN GLOBAL const CT* dense_item(dense_items of, GLOBAL const CT* base, GLOBAL const void* list,
                                     long item) {
    const long entry = item * of.list_step;
    if (of.kind == 0) return base + item * of.stride;
    if (of.kind == 1) return (GLOBAL const CT*)((GLOBAL const long*)list)[entry];
    return base +
           (of.kind == 2 ? ((GLOBAL const int*)list)[entry] : ((GLOBAL const long*)list)[entry]) * of.stride;
}

typedef struct {
    long m, n, k, count;
    long a_row, a_step, b_row, b_step;  // op(A), and the transpose of op(B)
    long conjugate_a, conjugate_b;
    dense_items a, b, c;
    long a_offset, b_offset, c_offset;
    long ldc;
} dense_batch;
