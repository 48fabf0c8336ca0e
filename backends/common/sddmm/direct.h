// SDDMM that reads both operands where they are, whatever their layout, in one launch. 1 << lane_bits items
// form the inner product of an element, and have several parts of its vectors on their way at a time: of
// WIDE numbers each, which then have the type CT. Types as in kernels.h. Behind sample.h and places.h.
HERON_PROGRAM(sddmm_direct, class VX, class VC, class CT, class IT, int GROUP, int WIDE)

CONSTANT(most_at_once, 4);  // parts of a vector

typedef struct {
    CT at[WIDE];
} __attribute__((aligned(WIDE * sizeof(CT)))) piece;

typedef struct {
    heron_index vector_step, element_step, batch_stride;
    int conjugate;
} sampled_vectors;

HERON_FN void load_part(CT part[WIDE], GLOBAL const VX* from) {
    if (WIDE == 1) {
        part[0] = LOAD(CT, VX, from, 0);
    } else {
        const piece v = LOAD_OFTEN((GLOBAL const piece*)from);
        UNROLL
        for (int j = 0; j < WIDE; ++j) part[j] = v.at[j];
    }
}

// Adds the products of the parts from `first` on, `lanes` apart and `depth` of them, all of which are loaded
// before one is used. No load is under a condition: behind the last part it is read again.
HERON_FN CT add_parts(int depth, CT sum, GLOBAL const VX* a, sampled_vectors of_a, GLOBAL const VX* b,
                      sampled_vectors of_b, int first, int lanes, int parts) {
    CT as[most_at_once][WIDE], bs[most_at_once][WIDE];
    UNROLL
    for (int i = 0; i < most_at_once; ++i)
        if (i < depth) {
            const heron_index at = (heron_index)min(first + i * lanes, parts - 1) * WIDE;
            load_part(as[i], a + at * of_a.element_step);
            load_part(bs[i], b + at * of_b.element_step);
        }
    UNROLL
    for (int i = 0; i < most_at_once; ++i)
        if (i < depth && first + i * lanes < parts) {
            UNROLL
            for (int j = 0; j < WIDE; ++j)
                sum = MAD(CT, of_a.conjugate ? CONJ(CT, as[i][j]) : as[i][j],
                          of_b.conjugate ? CONJ(CT, bs[i][j]) : bs[i][j], sum);
        }
    return sum;
}

HERON_FN CT share_of_product(GLOBAL const VX* a, sampled_vectors of_a, GLOBAL const VX* b,
                             sampled_vectors of_b, int lane, int lanes, int parts) {
    CT sum = ZERO(CT);
    int done = 0;
    for (; parts - done > 2 * lanes; done += most_at_once * lanes)
        sum = add_parts(most_at_once, sum, a, of_a, b, of_b, done + lane, lanes, parts);
    if (parts - done > lanes)
        sum = add_parts(2, sum, a, of_a, b, of_b, done + lane, lanes, parts);
    else if (parts > done)
        sum = add_parts(1, sum, a, of_a, b, of_b, done + lane, lanes, parts);
    return sum;
}

// `groups` groups are on an item of the batch, and `parts` parts in a vector.
HERON_GROUP_KERNEL(sample_directly, GROUP, sampled_matrix m, GLOBAL const u32* offsets, GLOBAL const IT* rows,
                   GLOBAL const IT* columns, GLOBAL VC* c, heron_index c_stride, int groups, int lane_bits,
                   GLOBAL const VX* a, sampled_vectors of_a, GLOBAL const VX* b, sampled_vectors of_b,
                   int parts, CT alpha_value, GLOBAL const CT* alpha_device, CT beta_value,
                   GLOBAL const CT* beta_device) {
    LOCAL_ARRAY(int, found, 2);
    LOCAL_ARRAY(u32, begins, GROUP);
    BOARD_ARRAY(CT, board, GROUP);
    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const CT beta = SCALAR(CT, beta_value, beta_device);
    const int lanes = 1 << lane_bits;
    const int lane = group_item() & (lanes - 1);
    const heron_index batch = group_id() / groups;
    const int first = group_id() % groups * (GROUP >> lane_bits);
    const int own = first + (group_item() >> lane_bits);
    CT sum = ZERO(CT);
    if (!EQUAL(CT, alpha, ZERO(CT))) {
        // Items behind the last element do as the last one does.
        const sampled_place place = place_of_element(m, offsets, rows, columns, batch, first,
                                                     min(own, m.count - 1), GROUP, found, begins);
        sum = share_of_product(a + batch * of_a.batch_stride + place.row * of_a.vector_step, of_a,
                               b + batch * of_b.batch_stride + place.column * of_b.vector_step, of_b, lane,
                               lanes, parts);
        ROLLED
        for (int mask = lanes / 2; mask > 0; mask /= 2) {
            SYNC_BOARD();
            PUT(CT, board, sum);
            SYNC_BOARD();
            sum = ADD(CT, sum, GET_ACROSS(CT, board, 32, sum, mask));
        }
    }
    if (lane == 0 && own < m.count) update_sample(c, batch * c_stride + own, sum, alpha, beta);
}
HERON_CLOSE

HERON_CLOSE
