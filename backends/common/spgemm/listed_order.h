// The entries of a list of products within their tiles (listed_sums.h): in the order of A's and B's elements,
// so that neighbours read neighbours, each with its position among the products of the tile by the elements
// of C.
HERON_PROGRAM(spgemm_listed_order, int GROUP)

CONSTANT(each, 8);
CONSTANT(tile, GROUP* each);

// Whether product p is the first at its place.
HERON_FN int begins_place(GLOBAL const i32* places, heron_index p) {
    return p == 0 || places[p - 1] != places[p];
}

// From sorted places and the numbers of the products there: list entry = number of the product and its
// position in 11 bits above the lowest. That tells of the position whose sum the item of entry u*GROUP + i
// has as its u-th one, i*each + u, whether its product is the first at its place; so the list goes on to the
// end of the last tile. firsts[t] := the place at the beginning of the tile, or -1 - place if it begins
// before. Bitonic sort (Batcher, AFIPS 1968).
HERON_GROUP_KERNEL(order_tiles, GROUP, GLOBAL const i32* RESTRICT places, GLOBAL const i32* RESTRICT numbers,
                   heron_index products, GLOBAL i64* list, GLOBAL i32* firsts) {
    LOCAL_ARRAY(i64, keys, tile);
    const int own = group_item();
    const heron_index first = (heron_index)group_id() * tile;
    const int count = products - first < tile ? (int)(products - first) : tile;
    const i64 behind_all = (i64)1 << 62;
    for (int at = own; at < tile; at += GROUP)
        keys[at] = at < count ? (i64)numbers[first + at] << 12 | (i64)at << 1 : behind_all;
    if (own == 0) firsts[group_id()] = begins_place(places, first) ? places[first] : -1 - places[first];
    sync_group();
    for (int size = 2; size <= tile; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            for (int i = own; i < tile / 2; i += GROUP) {
                const int low = 2 * i - (i & (stride - 1));
                const i64 a = keys[low];
                const i64 b = keys[low + stride];
                if ((a > b) == ((low & size) == 0)) {
                    keys[low] = b;
                    keys[low + stride] = a;
                }
            }
            sync_group();
        }
    for (int at = own; at < tile; at += GROUP) {
        const int position = at % GROUP * each + at / GROUP;
        const i64 begins = position < count && begins_place(places, first + position);
        list[first + at] = (at < count ? keys[at] : 0) | begins;
    }
}
HERON_CLOSE

HERON_CLOSE
