// The long rows of an order.

// Lists the places with more than `longest` elements, in any order. *count is 0 before.
typedef struct {
    int place, length;
} long_row;

HERON_KERNEL(find_long_rows, GLOBAL const int4* records, int longest, GLOBAL int* count,
             GLOBAL long_row* found) {
    const int4 record = records[item];
    const int length = record.z - record.y;
    if (length > longest) found[atomic_inc(count)] = (long_row){(int)item, length};
}
HERON_END
