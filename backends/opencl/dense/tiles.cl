// How a work-group of a GPU multiplies panels in local memory: WX x WY work-items with VW*MV x UW*NV sums
// each in registers (V. Volkov, J. Demmel, "Benchmarking GPUs to tune dense linear algebra", SC08). SLICES
// such teams share the steps of a part. MMA: doubles on NVIDIA's Tensor Cores.

#ifndef HERON_PTX
#undef MMA
#undef ASYNC
#endif

#define ROWS (VW * MV)
#define COLUMNS_OF_ITEM (UW * NV)
#define TEAM (WX * WY)
#define GROUP (TEAM * SLICES)
#define STEPS_OF_TEAM (KT / SLICES)
#define CHUNK_VECTOR VECTOR_NAME(RT_NAME, CHUNK_WIDTH)
#define REAL_PAIR VECTOR_NAME(RT_NAME, 2)
#define STORE_CHUNK VECTOR_NAME(vstore, CHUNK_WIDTH)

// In local memory a step of a panel is a line of so many reals. With the padding most lanes that store a
// turned operand meet different banks.
#if defined(DIRECT) && !defined(MMA)
#define PADDING 4
#else
#define PADDING 0
#endif
#define A_LINE (PA * PARTS + PADDING)
#define B_LINE (PB * PARTS + PADDING)
#define A_TILE (KT * A_LINE / CHUNK_WIDTH)
#define B_TILE (KT * B_LINE / CHUNK_WIDTH)

// From a line's real to the next line's, and from a real to its imaginary part.
#if defined(DIRECT) && !defined(MMA)
#define INTERLEAVED 1
#define BETWEEN_LINES PARTS
#define BETWEEN_PARTS(width) 1
#else
#define BETWEEN_LINES 1
#define BETWEEN_PARTS(width) (width)
#endif

// Where a line of the panel is in step k. On Tensor Cores the lanes that load together, 4 steps times 4
// lines, meet different banks.
HERON_FN int dense_place(int k, int line) {
#ifdef MMA
    return line ^ k % 4 * 4;
#else
    return line;
#endif
}

HERON_FN CT dense_number(RT re, RT im) {
#if PARTS == 2
    return (CT)(re, im);
#else
    return re;
#endif
}

HERON_FN void dense_start(RT sums[PARTS][COLUMNS_OF_ITEM][ROWS], dense_product p) {
#pragma unroll
    for (int part = 0; part < PARTS; ++part)
#pragma unroll
        for (int j = 0; j < COLUMNS_OF_ITEM; ++j)
#pragma unroll
            for (int i = 0; i < ROWS; ++i) sums[part][j][i] = START(j, i + 32 * part);
}

#ifdef MMA

// Warps hold 4 x 8 items; lane 4*g + t has, of every 16 x 8 block, elements (g + 8*(e/2), 2*t + e%2).
#define ROW_OF(lane, i) (ITEM_ROW(lane) + (i) / 4 * 16 + (i) % 4 / 2 * 8)
#define COLUMN_OF(lane, i, j) (WARP_COLUMN(lane) + (j)*8 + (lane) % 4 * 2 + (i) % 2)
#define ITEM_ROW(lane) ((lane) / 32 % (WX / 4) * 4 * ROWS + (lane) % 32 / 4)
#define WARP_COLUMN(lane) ((lane) / 32 / (WX / 4) * 8 * COLUMNS_OF_ITEM)
// What dense_place does to bits 2 and 3 of a lane's lines is the same in all its steps.
#define FIRST_PLACE(lane, line) ((line) ^ (lane) % 2 * 4)
#define FLIP(lane) ((lane) % 4 / 2 * 8)
#define ITEM_A(lane) (FIRST_PLACE(lane, ITEM_ROW(lane)) + (lane) % 4 * A_LINE)
#define ITEM_B(lane) (FIRST_PLACE(lane, WARP_COLUMN(lane) + (lane) % 32 / 4) + (lane) % 4 * B_LINE)

HERON_FN void dense_mma(RT* d, const RT* a, const RT* b) {
    __asm__(
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}

// ta and tb point to the item's first elements.
HERON_FN void dense_steps(RT sums[PARTS][COLUMNS_OF_ITEM][ROWS], __local const RT* ta, __local const RT* tb,
                          int lane) {
#pragma unroll
    for (int k = 0; k < STEPS_OF_TEAM; k += 8) {
        RT b[COLUMNS_OF_ITEM][PARTS][2];
#pragma unroll
        for (int j = 0; j < COLUMNS_OF_ITEM; ++j)
#pragma unroll
            for (int part = 0; part < PARTS; ++part)
#pragma unroll
                for (int e = 0; e < 2; ++e)
                    b[j][part][e] = tb[(k + e * 4) * B_LINE + part * PB + (j * 8 ^ FLIP(lane))];
#pragma unroll
        for (int block = 0; block < ROWS / 4; ++block) {
            RT a[PARTS][4], minus[4];
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int at = (k + e / 2 * 4) * A_LINE + block * 16 + (e % 2 * 8 ^ FLIP(lane));
                a[0][e] = ta[at];
                if (PARTS == 2) a[PARTS - 1][e] = ta[at + PA];
                minus[e] = -a[PARTS - 1][e];
            }
#pragma unroll
            for (int j = 0; j < COLUMNS_OF_ITEM; ++j) {
                dense_mma(&sums[0][j][block * 4], a[0], b[j][0]);
                if (PARTS == 1) continue;
                dense_mma(&sums[PARTS - 1][j][block * 4], a[0], b[j][PARTS - 1]);
                dense_mma(&sums[0][j][block * 4], minus, b[j][PARTS - 1]);
                dense_mma(&sums[PARTS - 1][j][block * 4], a[PARTS - 1], b[j][0]);
            }
        }
    }
}

#else

// Warps of 8 x 4 items load less than longer ones do.
#if WX % 8 == 0 && WY % 4 == 0
#define ITEM_X(lane) ((lane) / 32 % (WX / 8) * 8 + (lane) % 8)
#define ITEM_Y(lane) ((lane) / 32 / (WX / 8) * 4 + (lane) % 32 / 8)
#else
#define ITEM_X(lane) ((lane) % WX)
#define ITEM_Y(lane) ((lane) / WX)
#endif
#define ROW_OF(lane, i) (((i) / VW * WX + ITEM_X(lane)) * VW + (i) % VW)
#define COLUMN_OF(lane, i, j) (((j) / UW * WY + ITEM_Y(lane)) * UW + (j) % UW)
#define ITEM_A(lane) (ITEM_X(lane) * VW * BETWEEN_LINES)
#define ITEM_B(lane) (ITEM_Y(lane) * UW * BETWEEN_LINES)

// In the longest loads that n elements allow.
HERON_FN void dense_load(RT* to, __local const RT* from, const int n) {
    if (n % CHUNK_WIDTH == 0) {
#pragma unroll
        for (int i = 0; i < n / CHUNK_WIDTH; ++i) STORE_CHUNK(((__local const CHUNK_VECTOR*)from)[i], i, to);
    } else if (n % 2 == 0) {
#pragma unroll
        for (int i = 0; i < n / 2; ++i) vstore2(((__local const REAL_PAIR*)from)[i], i, to);
    } else {
#pragma unroll
        for (int i = 0; i < n; ++i) to[i] = from[i];
    }
}

#define LONGEST (VW > UW ? VW : UW)

// n lines of a step; the imaginary parts lie `width` behind the real ones, unless they are interleaved.
HERON_FN void dense_load_lines(RT* re, RT* im, __local const RT* from, const int n, const int width) {
#if PARTS == 2 && defined(INTERLEAVED)
    RT both[2 * LONGEST];
    dense_load(both, from, 2 * n);
#pragma unroll
    for (int i = 0; i < LONGEST; ++i) {
        if (i >= n) continue;
        re[i] = both[2 * i];
        im[i] = both[2 * i + 1];
    }
#else
    dense_load(re, from, n);
    if (PARTS == 2) dense_load(im, from + width, n);
#endif
}

// ta and tb point to the item's first elements.
HERON_FN void dense_steps(RT sums[PARTS][COLUMNS_OF_ITEM][ROWS], __local const RT* ta, __local const RT* tb,
                          int lane) {
#pragma unroll
    for (int k = 0; k < STEPS_OF_TEAM; ++k) {
        RT a[PARTS][ROWS], b[PARTS][COLUMNS_OF_ITEM];
#pragma unroll
        for (int i = 0; i < MV; ++i)
            dense_load_lines(a[0] + i * VW, a[PARTS - 1] + i * VW,
                             ta + k * A_LINE + i * WX * VW * BETWEEN_LINES, VW, PA);
#pragma unroll
        for (int j = 0; j < NV; ++j)
            dense_load_lines(b[0] + j * UW, b[PARTS - 1] + j * UW,
                             tb + k * B_LINE + j * WY * UW * BETWEEN_LINES, UW, PB);
#pragma unroll
        for (int j = 0; j < COLUMNS_OF_ITEM; ++j)
#pragma unroll
            for (int i = 0; i < ROWS; ++i) {
                sums[0][j][i] = fma(a[0][i], b[0][j], sums[0][j][i]);
                if (PARTS == 2) sums[PARTS - 1][j][i] = fma(a[0][i], b[PARTS - 1][j], sums[PARTS - 1][j][i]);
            }
        if (PARTS == 1) continue;
#pragma unroll
        for (int j = 0; j < COLUMNS_OF_ITEM; ++j)
#pragma unroll
            for (int i = 0; i < ROWS; ++i) {
                sums[0][j][i] = fma(-a[PARTS - 1][i], b[PARTS - 1][j], sums[0][j][i]);
                sums[PARTS - 1][j][i] = fma(a[PARTS - 1][i], b[0][j], sums[PARTS - 1][j][i]);
            }
    }
}

#endif

HERON_FN void dense_multiply(RT sums[PARTS][COLUMNS_OF_ITEM][ROWS], __local const CHUNK_VECTOR* ta,
                             __local const CHUNK_VECTOR* tb, int lane) {
    const int step = lane / TEAM * STEPS_OF_TEAM, item = lane % TEAM;
    __local const RT* const a = (__local const RT*)ta + step * A_LINE + ITEM_A(item);
    __local const RT* const b = (__local const RT*)tb + step * B_LINE + ITEM_B(item);
#ifdef WITHOUT_ARITHMETIC
    sums[0][0][0] += *a + *b;
#else
    dense_steps(sums, a, b, item);
#endif
}
