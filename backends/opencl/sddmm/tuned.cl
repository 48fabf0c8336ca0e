// SDDMM on a CSR matrix for GPUs, both operands contiguous along the inner dimension. Types as in
// kernels/sddmm.h.
//
// Every work-item owns one element of C, finds its row and column and writes it in the end; eight neighbours
// form the inner products of their eight elements together, so that they read the vectors by whole lines.
// Partial sums meet in local memory and are added up in a fixed order: the result is the same on every run.

#define GROUP 256                                 // work-items per group
#define LANES 8                                   // work-items per inner product
#define PACKED ((int)(sizeof(VX) > 8 ? 32 : 64))  // vectors and elements of a tile that is packed

// An operand that is packed tile by tile: `tiles` of them lie along a vector, and `lines` times as many in an
// item of the batch; `groups` in all, none where it is not packed.
typedef struct {
    heron_index vectors, k, vector_step, element_step, batch_stride, tiles, lines, groups;
} packed_operand;

// to[(b*vectors + v)*k + l] := element l of vector v of batch item b, for tile number `number`. Both sides
// are touched in whole lines, with local memory between them.
HERON_FN void pack_tile(GLOBAL const VX* restrict values, packed_operand p, heron_index number,
                        GLOBAL VX* restrict to, __local VX* tile) {
    const heron_index batch = number / (p.tiles * p.lines);
    const heron_index first_vector = number / p.tiles % p.lines * PACKED;
    const heron_index first_element = number % p.tiles * PACKED;
    const int reads_vectors = p.vector_step < p.element_step;
    const int lane = get_local_id(0) % PACKED;
    const int line = get_local_id(0) / PACKED;
    VX taken[PACKED * PACKED / GROUP];
#pragma unroll
    for (int i = 0; i < PACKED * PACKED / GROUP; ++i) {
        const int across = line + i * (GROUP / PACKED);
        const heron_index v = first_vector + (reads_vectors ? lane : across);
        const heron_index l = first_element + (reads_vectors ? across : lane);
        if (v < p.vectors && l < p.k)
            taken[i] = values[batch * p.batch_stride + v * p.vector_step + l * p.element_step];
    }
#pragma unroll
    for (int i = 0; i < PACKED * PACKED / GROUP; ++i) {
        const int across = line + i * (GROUP / PACKED);
        tile[(reads_vectors ? lane : across) * (PACKED + 1) + (reads_vectors ? across : lane)] = taken[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int i = 0; i < PACKED * PACKED / GROUP; ++i) {
        const int across = line + i * (GROUP / PACKED);
        const heron_index v = first_vector + across;
        const heron_index l = first_element + lane;
        if (v < p.vectors && l < p.k)
            to[(batch * p.vectors + v) * p.k + l] = tile[across * (PACKED + 1) + lane];
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_pack_vectors(
    GLOBAL const VX* restrict a, packed_operand of_a, GLOBAL VX* restrict to_a, GLOBAL const VX* restrict b,
    packed_operand of_b, GLOBAL VX* restrict to_b) {
    __local VX tile[PACKED * (PACKED + 1)];
    const heron_index number = get_group_id(0);
    const int is_a = number < of_a.groups;
    pack_tile(is_a ? a : b, is_a ? of_a : of_b, is_a ? number : number - of_a.groups, is_a ? to_a : to_b,
              tile);
}

// Every LANES-th product of two vectors, from the lane's first one on.
HERON_FN CT share_of_product(GLOBAL const VX* restrict a, int conjugate_a, GLOBAL const VX* restrict b,
                             int conjugate_b, heron_index k, int lane) {
    CT sum = ZERO(CT);
    for (heron_index l = lane; l < k; l += LANES) {
        const CT al = LOAD(CT, VX, a, l);
        const CT bl = LOAD(CT, VX, b, l);
        sum = MAD(CT, conjugate_a ? CONJ(CT, al) : al, conjugate_b ? CONJ(CT, bl) : bl, sum);
    }
    return sum;
}

// A group works on GROUP elements of one batch item; `groups` groups on all of an item.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void heron_sample_csr(
    GLOBAL const OT* restrict offsets, GLOBAL const IT* restrict indices, GLOBAL VC* restrict c,
    heron_index rows, heron_index count, heron_index groups, heron_index base, heron_index offsets_stride,
    heron_index indices_stride, heron_index c_stride, GLOBAL const VX* restrict a, heron_index a_step,
    heron_index a_stride, int conjugate_a, GLOBAL const VX* restrict b, heron_index b_step,
    heron_index b_stride, int conjugate_b, heron_index k, CT alpha_value, GLOBAL const CT* alpha_device,
    CT beta_value, GLOBAL const CT* beta_device) {
    __local heron_index row_of[GROUP];
    __local heron_index column_of[GROUP];
    __local CT partial[LANES * GROUP];
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const CT beta = SCALAR(CT, beta_value, beta_device);
    const int id = get_local_id(0);
    const int lane = id % LANES;
    const int first = id - lane;
    const heron_index batch = get_group_id(0) / groups;
    const heron_index element = (get_group_id(0) - batch * groups) * GROUP + id;
    CT sum = ZERO(CT);
    if (!EQUAL(CT, alpha, ZERO(CT))) {
        // Items behind the last element do as the last one does.
        const heron_index known = min(element, count - 1);
        row_of[id] = holder_of(offsets + batch * offsets_stride, base, 0, rows - 1, known);
        column_of[id] = (heron_index)indices[batch * indices_stride + known] - base;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < LANES; ++i)
            partial[i * GROUP + id] =
                share_of_product(a + batch * a_stride + row_of[first + i] * a_step, conjugate_a,
                                 b + batch * b_stride + column_of[first + i] * b_step, conjugate_b, k, lane);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < LANES; ++i) sum = ADD(CT, sum, partial[lane * GROUP + first + i]);
    }
    if (element >= count) return;
    update_sample(c, batch * c_stride + element, sum, alpha, beta);
}
