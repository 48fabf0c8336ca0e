// Exclusive scan of 64-bit counts in chunks. Types: OT result.

// sums[item] := sum of the counts of chunk item.
HERON_TYPES(class OT)
HERON_KERNEL(scan_add_chunks, GLOBAL const i64* counts, heron_index n, heron_index chunk, GLOBAL i64* sums) {
    const heron_index begin = item * chunk;
    const heron_index end = begin + chunk < n ? begin + chunk : n;
    i64 sum = 0;
    for (heron_index k = begin; k < end; ++k) sum += counts[k];
    sums[item] = sum;
}
HERON_END

// Turns the sums into what precedes each chunk, with the total behind the last one. One item per scan.
HERON_TYPES(class OT)
HERON_KERNEL(scan_chunk_sums, GLOBAL i64* sums, heron_index chunks) {
    GLOBAL i64* own = sums + item * (chunks + 1);
    i64 before = 0;
    for (heron_index c = 0; c < chunks; ++c) {
        const i64 sum = own[c];
        own[c] = before;
        before += sum;
    }
    own[chunks] = before;
}
HERON_END

// Chunk item of out, which may be counts itself. The item behind the last chunk writes out[n].
HERON_TYPES(class OT)
HERON_KERNEL(scan_write, GLOBAL const i64* counts, heron_index n, heron_index chunk, heron_index chunks,
             GLOBAL const i64* sums, heron_index base, GLOBAL OT* out) {
    const heron_index begin = item * chunk;
    const heron_index end = begin + chunk < n ? begin + chunk : n;
    i64 before = sums[item] + base;
    for (heron_index k = begin; k < end; ++k) {
        const i64 count = counts[k];
        out[k] = (OT)before;
        before += count;
    }
    if (item == chunks) out[n] = (OT)before;
}
HERON_END
