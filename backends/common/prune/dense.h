// The elements of a dense matrix that are kept, on GPUs: B's rows are its lines, element k of line l is
// a[l*step + k] for kernels that go along lines, and a[l + k*step] for those that go across. Lines are cut
// into strips of elements. A group takes a strip of a few lines.
//
// Kept is what has first <= word & mask <= last; the word of an element of two is both of them. With a
// threshold on the device its size takes the place of what precedes first. Types: OT and IT are B's.
HERON_PROGRAM(prune_dense, class RT, class WT, class OT, class IT, int GROUP, int LANES)

CONSTANT(words, sizeof(RT) / sizeof(WT));
CONSTANT(teams, GROUP / LANES);
CONSTANT(band, 32);                         // lines across which a group goes, a lane each
CONSTANT(width, sizeof(RT) > 8 ? 32 : 64);  // elements of each at a time
CONSTANT(padded, width + 1);  // so that elements of neighbouring lines are in banks of their own
CONSTANT(each, width / teams);
CONSTANT(loads, 8);  // that are on their way at a time

HERON_FN WT first_kept(WT first, WT last, WT mask, GLOBAL const WT* threshold) {
    if (!threshold) return first;
    const WT bits = *threshold;
    const WT size = (WT)(bits & mask);
    if (size > last) return (WT)(last + 1);
    return size != 0 && size != bits ? (WT)0 : (WT)(size + 1);
}

HERON_FN int is_kept(RT element, WT mask, WT first, WT last) {
    const WT* parts = (const WT*)&element;
    const WT word = (WT)((parts[0] | parts[words - 1]) & mask);
    return word >= first && word <= last;
}

// How many elements are kept of own[from*step], own[(from + apart)*step], ... before element `end`.
HERON_FN u32 kept_among(GLOBAL const RT* own, heron_index from, heron_index end, int apart, heron_index step,
                        WT mask, WT first, WT last) {
    u32 count = 0;
    RT held[loads];
    heron_index k = from;
    for (; k + (loads - 1) * apart < end; k += loads * apart) {
        GLOBAL const RT* at = own + k * step;
        UNROLL
        for (int i = 0; i < loads; ++i) held[i] = at[i * apart * step];
        UNROLL
        for (int i = 0; i < loads; ++i) count += (u32)is_kept(held[i], mask, first, last);
    }
    if (k >= end) return count;
    UNROLL
    for (int i = 0; i < loads; ++i) held[i] = own[min(k + i * apart, end - 1) * step];
    UNROLL
    for (int i = 0; i < loads; ++i)
        count += (u32)(k + i * apart < end && is_kept(held[i], mask, first, last));
    return count;
}

// The same of `count` elements that were read.
HERON_FN u32 kept_of(const RT* held, int count, heron_index from, heron_index end, int apart, WT mask,
                     WT first, WT last) {
    u32 kept = 0;
    UNROLL
    for (int i = 0; i < count; ++i)
        kept += (u32)(from + i * apart < end && is_kept(held[i], mask, first, last));
    return kept;
}

// counts[strip*lines + line] := elements of the line that are kept in the strip, or totals[line] where there
// is one strip and totals are wanted.
HERON_FN void write_line_count(u32 count, heron_index line, heron_index lines, int strip, GLOBAL u32* counts,
                               GLOBAL i64* totals) {
    if (totals)
        totals[line] = count;
    else
        counts[strip * lines + line] = count;
}

HERON_GROUP_KERNEL(count_along, GROUP, GLOBAL const RT* RESTRICT a, heron_index lines, heron_index length,
                   heron_index step, heron_index strip, int strips, WT mask, WT first_value, WT last,
                   GLOBAL const WT* threshold, GLOBAL u32* RESTRICT counts, GLOBAL i64* RESTRICT totals) {
    BOARD_ARRAY(u32, board, GROUP);
    const int lane = group_item() % LANES;
    const heron_index line = (heron_index)(group_id() / strips) * teams + group_item() / LANES;
    const heron_index begin = group_id() % strips * strip;
    const heron_index end = min(begin + strip, length);
    const WT first = first_kept(first_value, last, mask, threshold);
    GLOBAL const RT* own = a + min(line, lines - 1) * step;
    const u32 count =
        SCAN_TEAM(u32, board, LANES, kept_among(own, begin + lane, end, LANES, 1, mask, first, last));
    if (lane == LANES - 1 && line < lines)
        write_line_count(count, line, lines, group_id() % strips, counts, totals);
}
HERON_CLOSE

HERON_GROUP_KERNEL(count_across, GROUP, GLOBAL const RT* RESTRICT a, heron_index lines, heron_index length,
                   heron_index step, heron_index strip, int strips, WT mask, WT first_value, WT last,
                   GLOBAL const WT* threshold, GLOBAL u32* RESTRICT counts, GLOBAL i64* RESTRICT totals) {
    LOCAL_ARRAY(u32, sums, band);
    const int lane = group_item() % LANES;
    const int team = group_item() / LANES;
    const heron_index line = (heron_index)(group_id() / strips) * band + lane;
    const heron_index begin = group_id() % strips * strip;
    const heron_index end = min(begin + strip, length);
    const WT first = first_kept(first_value, last, mask, threshold);
    GLOBAL const RT* own = a + min(line, lines - 1);
    if (team == 0) sums[lane] = 0;
    sync_group();
    FETCH_ADD(sums + lane, kept_among(own, begin + team, end, teams, step, mask, first, last));
    sync_group();
    if (team == 0 && line < lines)
        write_line_count(sums[lane], line, lines, group_id() % strips, counts, totals);
}
HERON_CLOSE

// Many short lines that are read across: an item takes a line.
HERON_GROUP_KERNEL(count_by_items, GROUP, GLOBAL const RT* RESTRICT a, heron_index lines, heron_index length,
                   heron_index step, WT mask, WT first_value, WT last, GLOBAL const WT* threshold,
                   GLOBAL u32* RESTRICT counts, GLOBAL i64* RESTRICT totals) {
    const heron_index line = group_id() * (heron_index)GROUP + group_item();
    const WT first = first_kept(first_value, last, mask, threshold);
    if (line < lines)
        write_line_count(kept_among(a + line, 0, length, 1, step, mask, first, last), line, lines, 0, counts,
                         totals);
}
HERON_CLOSE

// counts becomes what precedes each strip in its line, totals[line] the sum.
HERON_GROUP_KERNEL(add_strips, GROUP, heron_index lines, int strips, GLOBAL u32* RESTRICT counts,
                   GLOBAL i64* RESTRICT totals) {
    const heron_index line = group_id() * (heron_index)GROUP + group_item();
    if (line >= lines) return;
    u32 before = 0;
    for (int strip = 0; strip < strips; strip += loads) {
        u32 held[loads];
        UNROLL
        for (int i = 0; i < loads; ++i) held[i] = strip + i < strips ? counts[(strip + i) * lines + line] : 0;
        UNROLL
        for (int i = 0; i < loads; ++i) {
            if (strip + i < strips) counts[(strip + i) * lines + line] = before;
            before += held[i];
        }
    }
    totals[line] = before;
}
HERON_CLOSE

// Where the first kept element of a line in a strip goes, and where the line ends: before everything where
// offsets are less than their base. `before` is what add_strips has left, or NULL with one strip.
HERON_FN heron_index first_place(GLOBAL const OT* offsets, heron_index base, GLOBAL const u32* before,
                                 heron_index line, heron_index lines, int strip) {
    const heron_index begin = (heron_index)offsets[line] - base;
    return before ? begin + before[strip * lines + line] : begin;
}
HERON_FN heron_index end_of_line(GLOBAL const OT* offsets, heron_index base, heron_index nnz,
                                 heron_index line) {
    if ((heron_index)offsets[line] < base) return 0;
    return min((heron_index)offsets[line + 1] - base, nnz);
}

// Without counts before it a group counts its strips itself, tells the groups of the next ones, and waits for
// those of the strips before, which have drawn their tickets earlier. published: zeros, for a count plus 1
// for each line of each strip, and for the tickets.
HERON_FN int drawn_ticket(LOCAL u32* ticket, GLOBAL u32* tickets) {
    if (group_item() == 0) *ticket = FETCH_ADD(tickets, 1u);
    sync_group();
    return (int)*ticket;
}
HERON_FN u32 published_count(GLOBAL const u32* from) {
    u32 word = POLL(u32, from);
    while (word == 0) word = POLL(u32, from);
    return word - 1;
}

HERON_FN void load_elements(RT* held, GLOBAL const RT* own, heron_index from, heron_index end) {
    UNROLL
    for (int i = 0; i < loads; ++i) held[i] = own[min(from + i * LANES, end - 1)];
}

// B's elements, their columns and, unless NULL, rows. published: NULL after a count. Never writes outside
// what the offsets and nnz allow, whatever has become of A since it was counted.
HERON_GROUP_KERNEL(keep_along, GROUP, GLOBAL const RT* RESTRICT a, heron_index lines, heron_index length,
                   heron_index step, heron_index strip, int strips, WT mask, WT first_value, WT last,
                   GLOBAL const WT* threshold, GLOBAL const OT* RESTRICT offsets, heron_index offsets_base,
                   GLOBAL const u32* RESTRICT before, GLOBAL u32* published, heron_index nnz,
                   heron_index base, GLOBAL IT* RESTRICT rows, GLOBAL IT* RESTRICT columns,
                   GLOBAL RT* RESTRICT values) {
    BOARD_ARRAY(i32, board, GROUP);
    LOCAL_ARRAY(u32, ticket, 1);
    const int id = published ? drawn_ticket(ticket, published + lines * strips) : group_id();
    const int own_strip = id % strips;
    const int lane = group_item() % LANES;
    const heron_index line = (heron_index)(id / strips) * teams + group_item() / LANES;
    const heron_index begin = own_strip * strip;
    const heron_index end = min(begin + strip, length);
    const WT first = first_kept(first_value, last, mask, threshold);
    GLOBAL const RT* own = a + min(line, lines - 1) * step;
    RT held[loads];
    load_elements(held, own, begin + lane, end);
    heron_index to = 0;
    heron_index limit = 0;
    if (line < lines) {
        to = first_place(offsets, offsets_base, before, line, lines, own_strip);
        limit = end_of_line(offsets, offsets_base, nnz, line);
    }
    if (published) {
        const u32 more = kept_among(own, begin + lane + loads * LANES, end, LANES, 1, mask, first, last);
        const u32 kept = kept_of(held, loads, begin + lane, end, LANES, mask, first, last) + more;
        const i32 count = SCAN_TEAM(i32, board, LANES, (i32)kept);
        if (lane == LANES - 1 && line < lines)
            POST(u32, published + own_strip * lines + line, (u32)count + 1u);
        i32 preceding = 0;
        for (int i = lane; i < own_strip && line < lines; i += LANES)
            preceding += (i32)published_count(published + i * lines + line);
        preceding = SCAN_TEAM(i32, board, LANES, preceding);
        SYNC_BOARD();
        PUT(i32, board, preceding);
        SYNC_BOARD();
        to += GET(i32, board, LANES, preceding, LANES - 1);
    }
    for (heron_index k = begin + lane; k - lane < end; k += loads * LANES) {
        UNROLL_LANES
        for (int i = 0; i < loads; ++i) {
            const heron_index column = k + i * LANES;
            if (column - lane >= end) continue;
            const int keeps = column < end && is_kept(held[i], mask, first, last);
            const u32 kept = BALLOT(board, keeps);
            const heron_index place = to + popcount(kept & ((1u << lane) - 1u));
            if (keeps && place < limit) {
                if (rows) rows[place] = (IT)(line + base);
                columns[place] = (IT)(column + base);
                values[place] = held[i];
            }
            to += popcount(kept);
        }
        if (k - lane + loads * LANES < end) load_elements(held, own, k + loads * LANES, end);
    }
}
HERON_CLOSE

HERON_FN void load_columns(RT* held, GLOBAL const RT* own, heron_index from, heron_index end,
                           heron_index step) {
    UNROLL
    for (int i = 0; i < each; ++i) held[i] = own[min(from + i * teams, end - 1) * step];
}

// Tiles of the band are turned in local memory, while the next one is on its way.
HERON_GROUP_KERNEL(keep_across, GROUP, GLOBAL const RT* RESTRICT a, heron_index lines, heron_index length,
                   heron_index step, heron_index strip, int strips, WT mask, WT first_value, WT last,
                   GLOBAL const WT* threshold, GLOBAL const OT* RESTRICT offsets, heron_index offsets_base,
                   GLOBAL const u32* RESTRICT before, GLOBAL u32* published, heron_index nnz,
                   heron_index base, GLOBAL IT* RESTRICT rows, GLOBAL IT* RESTRICT columns,
                   GLOBAL RT* RESTRICT values) {
    LOCAL_ARRAY(RT, tile, band * padded);
    LOCAL_ARRAY(u32, sums, 2 * band);
    LOCAL_ARRAY(u32, ticket, 1);
    LOCAL_ARRAY(i64, next, band);
    LOCAL_ARRAY(i64, limits, band);
    BOARD_ARRAY(i32, board, GROUP);
    const int id = published ? drawn_ticket(ticket, published + lines * strips) : group_id();
    const int own_strip = id % strips;
    const int lane = group_item() % LANES;
    const int team = group_item() / LANES;
    const heron_index first_line = (heron_index)(id / strips) * band;
    const heron_index begin = own_strip * strip;
    const heron_index end = min(begin + strip, length);
    const WT first = first_kept(first_value, last, mask, threshold);
    GLOBAL const RT* own = a + min(first_line + lane, lines - 1);
    RT held[each];
    load_columns(held, own, begin + team, end, step);
    if (team == 0) {
        next[lane] = 0;
        limits[lane] = 0;
        if (first_line + lane < lines) {
            next[lane] = first_place(offsets, offsets_base, before, first_line + lane, lines, own_strip);
            limits[lane] = end_of_line(offsets, offsets_base, nnz, first_line + lane);
        }
    }
    if (published) {
        GLOBAL u32* const of_line = published + min(first_line + lane, lines - 1);
        if (team == 0) sums[lane] = sums[band + lane] = 0;
        sync_group();
        const u32 more = kept_among(own, begin + width + team, end, teams, step, mask, first, last);
        FETCH_ADD(sums + lane, kept_of(held, each, begin + team, end, teams, mask, first, last) + more);
        sync_group();
        if (team == 0 && first_line + lane < lines) POST(u32, of_line + own_strip * lines, sums[lane] + 1u);
        u32 preceding = 0;
        for (int i = team; i < own_strip; i += teams) preceding += published_count(of_line + i * lines);
        FETCH_ADD(sums + band + lane, preceding);
        sync_group();
        if (team == 0) next[lane] += sums[band + lane];
    }
    for (heron_index k = begin; k < end; k += width) {
        UNROLL
        for (int i = 0; i < each; ++i) tile[lane * padded + team + i * teams] = held[i];
        sync_group();
        if (k + width < end) load_columns(held, own, k + width + team, end, step);
        for (int row = team; row < band; row += teams) {
            const heron_index limit = limits[row];
            heron_index to = next[row];
            UNROLL_LANES
            for (int i = 0; i < width; i += LANES) {
                const heron_index column = k + i + lane;
                const RT element = tile[row * padded + i + lane];
                const int keeps = column < end && is_kept(element, mask, first, last);
                const u32 kept = BALLOT(board, keeps);
                const heron_index place = to + popcount(kept & ((1u << lane) - 1u));
                if (keeps && place < limit) {
                    if (rows) rows[place] = (IT)(first_line + row + base);
                    columns[place] = (IT)(column + base);
                    values[place] = element;
                }
                to += popcount(kept);
            }
            sync_together();
            if (lane == 0) next[row] = to;
        }
        sync_group();
    }
}
HERON_CLOSE

// The same for an item per line, where there are no strips.
HERON_GROUP_KERNEL(keep_by_items, GROUP, GLOBAL const RT* RESTRICT a, heron_index lines, heron_index length,
                   heron_index step, WT mask, WT first_value, WT last, GLOBAL const WT* threshold,
                   GLOBAL const OT* RESTRICT offsets, heron_index offsets_base, heron_index nnz,
                   heron_index base, GLOBAL IT* RESTRICT rows, GLOBAL IT* RESTRICT columns,
                   GLOBAL RT* RESTRICT values) {
    const heron_index line = group_id() * (heron_index)GROUP + group_item();
    if (line >= lines) return;
    const WT first = first_kept(first_value, last, mask, threshold);
    const heron_index limit = end_of_line(offsets, offsets_base, nnz, line);
    heron_index to = first_place(offsets, offsets_base, 0, line, lines, 0);
    for (heron_index k = 0; k < length; k += loads) {
        RT held[loads];
        UNROLL
        for (int i = 0; i < loads; ++i) held[i] = a[line + min(k + i, length - 1) * step];
        UNROLL
        for (int i = 0; i < loads; ++i) {
            if (k + i >= length || to >= limit || !is_kept(held[i], mask, first, last)) continue;
            if (rows) rows[to] = (IT)(line + base);
            columns[to] = (IT)(k + i + base);
            values[to] = held[i];
            ++to;
        }
    }
}
HERON_CLOSE

HERON_CLOSE
