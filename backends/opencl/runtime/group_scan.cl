// In place of own[id] the sum of own[0], ..., own[id]. All items of a group of `size`.
#define SCAN_GROUP 256

HERON_FN void scan_group(__local i64* own, const int size) {
    const int id = get_local_id(0);
    for (int distance = 1; distance < size; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const i64 before = id >= distance ? own[id - distance] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        own[id] += before;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}
