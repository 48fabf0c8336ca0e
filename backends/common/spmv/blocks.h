// Products of BSR matrices with vectors and dense matrices. Types: CT elements. A group of GROUP items forms
// some rows of a block row of the product, for some of its columns; an item PACK of them.
HERON_PROGRAM(spmv_blocks, class CT, int GROUP, int PACK)

CONSTANT(batch, PACK > 1 ? 8 : 4);  // columns of A that an item takes at a time

// Element (r, c) of a block is at r*row_step + c*column_step. A group has `rows` rows of a block at most, and
// `sides` times PACK columns of the product; its items share a row's elements in `slots` parts.
typedef struct {
    heron_index base;
    int block_rows, block_cols;
    int row_step, column_step;
    int conjugate;
    int rows, sides, slots;
    int x_by_rows;
} block_tiles;

// C := alpha*A*X + beta*C, columns [0, sides). x: room for slots*batch rows of X of a group. alpha = 0 reads
// neither A nor X, beta = 0 does not read C.
HERON_GROUP_KERNEL(multiply_blocks, GROUP, GLOBAL const int* RESTRICT offsets,
                   GLOBAL const int* RESTRICT columns, GLOBAL const CT* RESTRICT values, block_tiles t,
                   GLOBAL const CT* RESTRICT from, heron_index from_row, heron_index from_column,
                   GLOBAL CT* c, heron_index c_row, heron_index c_column, int sides, CT alpha_value,
                   GLOBAL const CT* alpha_device, CT beta_value, GLOBAL const CT* beta_device, LOCAL CT* x) {
    LOCAL_ARRAY(CT, sums, GROUP);
    const int item = group_item();
    const int width = t.sides * PACK;
    const int tiles = (sides + width - 1) / width;
    const int parts = (t.block_rows + t.rows - 1) / t.rows;
    const int side = group_id() % tiles * width;
    const int part = group_id() / tiles % parts;
    const int block_row = group_id() / tiles / parts;
    const int r = item % t.rows;
    const int s = item / t.rows % t.sides;
    const int slot = item / t.rows / t.sides;
    const int row = part * t.rows + r;  // of the block
    const int is_worker = slot < t.slots && row < t.block_rows;

    const CT alpha = SCALAR(CT, alpha_value, alpha_device);
    const heron_index begin = (heron_index)offsets[block_row] - t.base;
    const heron_index end = EQUAL(CT, alpha, ZERO(CT)) ? begin : (heron_index)offsets[block_row + 1] - t.base;
    const int all = (int)(end - begin) * t.block_cols;
    const int taken = t.slots * batch;
    CT sum[PACK];
    UNROLL
    for (int p = 0; p < PACK; ++p) sum[p] = ZERO(CT);
    for (int q = 0; q < all; q += taken) {
        CT a[batch];
        UNROLL
        for (int i = 0; i < batch; ++i) {
            const int at = q + i * t.slots + slot;
            const int block = at / t.block_cols;
            const int place = row * t.row_step + (at - block * t.block_cols) * t.column_step;
            a[i] = ZERO(CT);
            if (is_worker && at < all)
                a[i] = LOAD_OFTEN(values + (begin + block) * t.block_rows * t.block_cols + place);
        }
        for (int e = item; e < taken * width; e += GROUP) {
            const int own = t.x_by_rows ? e / width : e % taken;
            const int own_side = t.x_by_rows ? e % width : e / taken;
            const int at = q + own;
            CT value = ZERO(CT);
            if (at < all && side + own_side < sides) {
                const int block = at / t.block_cols;
                const heron_index first = ((heron_index)columns[begin + block] - t.base) * t.block_cols;
                value = LOAD_OFTEN(from + (first + at - block * t.block_cols) * from_row +
                                   (side + own_side) * from_column);
            }
            x[own * width + own_side] = value;
        }
        sync_group();
        if (is_worker) {
            UNROLL
            for (int i = 0; i < batch; ++i) {
                const CT element = t.conjugate ? CONJ(CT, a[i]) : a[i];
                UNROLL
                for (int p = 0; p < PACK; ++p)
                    sum[p] = MAD(CT, element, x[(i * t.slots + slot) * width + p * t.sides + s], sum[p]);
            }
        }
        sync_group();
    }

    const CT beta = SCALAR(CT, beta_value, beta_device);
    const heron_index own_row = (heron_index)block_row * t.block_rows + row;
    UNROLL
    for (int p = 0; p < PACK; ++p) {
        CT total = sum[p];
        if (t.slots > 1) {
            sums[item] = total;
            sync_group();
            if (slot == 0)
                for (int i = 1; i < t.slots; ++i) total = ADD(CT, total, sums[i * t.rows * t.sides + item]);
            sync_group();
        }
        const int own_side = side + p * t.sides + s;
        if (is_worker && slot == 0 && own_side < sides) {
            GLOBAL CT* const to = c + own_row * c_row + own_side * c_column;
            total = MUL(CT, alpha, total);
            if (!EQUAL(CT, beta, ZERO(CT))) total = MAD(CT, beta, *to, total);
            *to = total;
        }
    }
}
HERON_CLOSE
HERON_CLOSE
