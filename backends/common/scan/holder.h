// Which of the ranges that offsets begin holds an element. Types: OT offsets.

// The last one of ranges [low, high] that does not begin behind element k.
HERON_TYPES(class OT)
HERON_FN heron_index holder_of(GLOBAL const OT* offsets, heron_index base, heron_index low, heron_index high,
                               heron_index k) {
    while (low < high) {
        const heron_index middle = low + (high - low + 1) / 2;
        if ((heron_index)offsets[middle] - base <= k)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}
