// Tridiagonal systems by teams of items that share their rows, with partial pivoting. CT: type of all
// numbers.
//
// An item has ROWS neighbouring rows. Of their unknowns all but the first and the last one stand in these
// rows alone: it eliminates them, and the pivot comes from any row that has the unknown. Two equations in
// four unknowns are left, the item's first and last and the ones beside these. Where two items meet, the last
// unknown of one and the first of the other stand in their four equations alone, and two equations are left
// again: so pairs of neighbours join until the team is one, and the unknowns come back the same way. All of
// it is Gaussian elimination with partial pivoting in another order of the unknowns. The blocks are those of
// Wright, "Stable parallel algorithms for two-point boundary value problems", SIAM J. Sci. Stat. Comput. 13,
// 1992; the partition is that of Klein and Strzodka, "Tridiagonal GPU solver with scaled partial pivoting at
// bandwidth speed", ICPP 2021.
//
// A system that is too long for a team is cut into chunks. reduce_rows leaves the two equations of each,
// solve_ends finds the first and the last unknown of all, and solve_rows the others.
HERON_PROGRAM(tridiag_teams, class CT, int GROUP, int ROWS)

CONSTANT(item_rows, ROWS);
CONSTANT(equation_parts, 5);
CONSTANT(pair_parts, 10);   // of an item's two equations
CONSTANT(joint_parts, 11);  // of what finds the two unknowns where items meet
// Numbers of an item in local memory: its equations or a joint, its first and its last unknown; or its rows,
// one place apart from the next item's.
CONSTANT(firsts, 11);
CONSTANT(lasts, 12);
CONSTANT(places, ROWS + 1 > 13 ? ROWS + 1 : 13);

// p*x[before] + q*x[first] + c*x[k] + e*x[k + 1] = f
typedef struct {
    CT p, q, c, e, f;
} equation;

// The same of two neighbours: c and e are of the right one's last unknown and of the one behind it, a and b
// of the two unknowns between them.
typedef struct {
    CT a, b, p, q, c, e, f;
} joint_equation;

HERON_FN CT less_product(CT v, CT a, CT b) { return SUB(CT, v, MUL(CT, a, b)); }

HERON_FN void enlarge(equation* r) {
    r->p = enlarged(r->p);
    r->q = enlarged(r->q);
    r->c = enlarged(r->c);
    r->e = enlarged(r->e);
    r->f = enlarged(r->f);
}

// Eliminates the unknowns 1 to ROWS - 2. Afterwards unknown j is f - p*x[before] - q*x[first] - e*x[j + 1] -
// g*x[j + 2], with p, q, e, g and f in l[j], s[j], d[j], u[j] and f[j].
HERON_FN void eliminate(CT* l, CT* d, CT* u, CT* f, CT* s, equation* top, equation* bottom) {
    equation a, b;
    a.p = l[0];
    a.q = d[0];
    a.c = u[0];
    a.e = ZERO(CT);
    a.f = f[0];
    b.p = ZERO(CT);
    b.q = l[1];
    b.c = d[1];
    b.e = u[1];
    b.f = f[1];
    UNROLL
    for (int j = 1; j < ROWS - 1; ++j) {
        equation n;
        n.p = ZERO(CT);
        n.q = ZERO(CT);
        n.c = l[j + 1];
        n.e = d[j + 1];
        n.f = f[j + 1];
        CT third = ZERO(CT);
        CT last = u[j + 1];
        if (exceeds(a.c, b.c)) {
            const equation t = a;
            a = b;
            b = t;
        }
        if (exceeds(n.c, b.c)) {
            const equation t = n;
            n = b;
            b = t;
            third = last;
            last = ZERO(CT);
        }
        if (is_tiny(b.c)) {
            enlarge(&b);
            third = enlarged(third);
        }
        const CT inverse = DIV(CT, ONE(CT), b.c);
        l[j] = MUL(CT, b.p, inverse);
        s[j] = MUL(CT, b.q, inverse);
        d[j] = MUL(CT, b.e, inverse);
        u[j] = MUL(CT, third, inverse);
        f[j] = MUL(CT, b.f, inverse);
        a.p = less_product(a.p, a.c, l[j]);
        a.q = less_product(a.q, a.c, s[j]);
        a.f = less_product(a.f, a.c, f[j]);
        const CT next = less_product(a.e, a.c, d[j]);
        a.e = less_product(ZERO(CT), a.c, u[j]);
        a.c = next;
        b.p = less_product(n.p, n.c, l[j]);
        b.q = less_product(n.q, n.c, s[j]);
        b.f = less_product(n.f, n.c, f[j]);
        b.c = less_product(n.e, n.c, d[j]);
        b.e = less_product(last, n.c, u[j]);
    }
    *top = a;
    *bottom = b;
}

// f := the unknowns.
HERON_FN void substitute(const CT* l, const CT* d, const CT* u, CT* f, const CT* s, CT before, CT first,
                         CT last, CT after) {
    f[0] = first;
    f[ROWS - 1] = last;
    CT next = last;
    CT next_but_one = after;
    UNROLL
    for (int j = ROWS - 2; j > 0; --j) {
        const CT known = less_product(less_product(f[j], l[j], before), s[j], first);
        f[j] = less_product(less_product(known, u[j], next_but_one), d[j], next);
        next_but_one = next;
        next = f[j];
    }
}

HERON_FN void take_out_first(joint_equation* r, const joint_equation* pivot) {
    r->b = less_product(r->b, r->a, pivot->b);
    r->p = less_product(r->p, r->a, pivot->p);
    r->q = less_product(r->q, r->a, pivot->q);
    r->c = less_product(r->c, r->a, pivot->c);
    r->e = less_product(r->e, r->a, pivot->e);
    r->f = less_product(r->f, r->a, pivot->f);
}
HERON_FN void take_out_second(joint_equation* r, const joint_equation* pivot) {
    r->p = less_product(r->p, r->b, pivot->p);
    r->q = less_product(r->q, r->b, pivot->q);
    r->c = less_product(r->c, r->b, pivot->c);
    r->e = less_product(r->e, r->b, pivot->e);
    r->f = less_product(r->f, r->b, pivot->f);
}
HERON_FN void divide_by(joint_equation* r, CT pivot) {
    if (is_tiny(pivot)) {
        pivot = enlarged(pivot);
        r->b = enlarged(r->b);
        r->p = enlarged(r->p);
        r->q = enlarged(r->q);
        r->c = enlarged(r->c);
        r->e = enlarged(r->e);
        r->f = enlarged(r->f);
    }
    const CT inverse = DIV(CT, ONE(CT), pivot);
    r->b = MUL(CT, r->b, inverse);
    r->p = MUL(CT, r->p, inverse);
    r->q = MUL(CT, r->q, inverse);
    r->c = MUL(CT, r->c, inverse);
    r->e = MUL(CT, r->e, inverse);
    r->f = MUL(CT, r->f, inverse);
}
// The one with the larger element becomes the pivot.
HERON_FN void prefer_first(joint_equation* pivot, joint_equation* other) {
    if (exceeds(other->a, pivot->a)) {
        const joint_equation t = *pivot;
        *pivot = *other;
        *other = t;
    }
}
HERON_FN void prefer_second(joint_equation* pivot, joint_equation* other) {
    if (exceeds(other->b, pivot->b)) {
        const joint_equation t = *pivot;
        *pivot = *other;
        *other = t;
    }
}
HERON_FN joint_equation from_left(const equation* r) {
    joint_equation result;
    result.a = r->c;
    result.b = r->e;
    result.p = r->p;
    result.q = r->q;
    result.c = ZERO(CT);
    result.e = ZERO(CT);
    result.f = r->f;
    return result;
}
HERON_FN joint_equation from_right(const equation* r) {
    joint_equation result;
    result.a = r->p;
    result.b = r->q;
    result.p = ZERO(CT);
    result.q = ZERO(CT);
    result.c = r->c;
    result.e = r->e;
    result.f = r->f;
    return result;
}
HERON_FN equation without_joint(const joint_equation* r) {
    equation result;
    result.p = r->p;
    result.q = r->q;
    result.c = r->c;
    result.e = r->e;
    result.f = r->f;
    return result;
}

// left, two equations, becomes what is left of left and right. joint: how the two unknowns between them
// follow from those around.
HERON_FN void join(equation* left, const equation* right, CT* joint) {
    joint_equation first = from_left(left);
    joint_equation second = from_left(left + 1);
    joint_equation third = from_right(right);
    joint_equation fourth = from_right(right + 1);
    prefer_first(&first, &second);
    prefer_first(&first, &third);
    prefer_first(&first, &fourth);
    divide_by(&first, first.a);
    take_out_first(&second, &first);
    take_out_first(&third, &first);
    take_out_first(&fourth, &first);
    prefer_second(&second, &third);
    prefer_second(&second, &fourth);
    divide_by(&second, second.b);
    take_out_second(&third, &second);
    take_out_second(&fourth, &second);
    left[0] = without_joint(&third);
    left[1] = without_joint(&fourth);
    joint[0] = first.p;
    joint[1] = first.q;
    joint[2] = first.c;
    joint[3] = first.e;
    joint[4] = first.f;
    joint[5] = second.p;
    joint[6] = second.q;
    joint[7] = second.c;
    joint[8] = second.e;
    joint[9] = second.f;
    joint[10] = first.b;
}

// The unknowns between two neighbours, from those beside the left one and beside the right one.
HERON_FN void open_joint(const CT* joint, CT before, CT first, CT last, CT after, CT* left, CT* right) {
    CT known[2];
    UNROLL
    for (int i = 0; i < 2; ++i) {
        const CT* const k = joint + i * equation_parts;
        known[i] = less_product(less_product(k[4], k[0], before), k[1], first);
        known[i] = less_product(less_product(known[i], k[2], last), k[3], after);
    }
    *right = known[1];
    *left = less_product(known[0], joint[10], known[1]);
}

HERON_FN void put_pair(LOCAL CT* nodes, const equation* pair) {
    UNROLL
    for (int i = 0; i < 2; ++i) {
        LOCAL CT* const to = nodes + i * equation_parts * GROUP;
        to[0] = pair[i].p;
        to[GROUP] = pair[i].q;
        to[2 * GROUP] = pair[i].c;
        to[3 * GROUP] = pair[i].e;
        to[4 * GROUP] = pair[i].f;
    }
}
HERON_FN void get_pair(LOCAL const CT* nodes, equation* pair) {
    UNROLL
    for (int i = 0; i < 2; ++i) {
        LOCAL const CT* const from = nodes + i * equation_parts * GROUP;
        pair[i].p = from[0];
        pair[i].q = from[GROUP];
        pair[i].c = from[2 * GROUP];
        pair[i].e = from[3 * GROUP];
        pair[i].f = from[4 * GROUP];
    }
}

// Member `place` of `team` items has its node at `nodes`, and the next one's is `gap` behind it. Members that
// there are not have place team. Where a node has joined another, it keeps the joint of the two.
HERON_FN void join_team(LOCAL CT* nodes, int place, int team, int gap) {
    ROLLED
    for (int step = 1; step < team; step *= 2) {
        sync_group();
        if (place % (2 * step) == 0 && place + step < team) {
            LOCAL CT* const neighbour = nodes + step * gap;
            equation left[2], right[2];
            CT joint[joint_parts];
            get_pair(nodes, left);
            get_pair(neighbour, right);
            join(left, right, joint);
            put_pair(nodes, left);
            UNROLL
            for (int k = 0; k < joint_parts; ++k) neighbour[k * GROUP] = joint[k];
        }
    }
    sync_group();
}

// The first and the last unknown of a team from its two equations alone.
HERON_FN void solve_pair(const equation* pair, CT* first, CT* last) {
    const int swapped = exceeds(pair[1].q, pair[0].q);
    equation a = swapped ? pair[1] : pair[0];
    const equation b = swapped ? pair[0] : pair[1];
    if (is_tiny(a.q)) enlarge(&a);
    const CT inverse = DIV(CT, ONE(CT), a.q);
    const CT c = MUL(CT, a.c, inverse);
    const CT f = MUL(CT, a.f, inverse);
    *last = DIV(CT, less_product(b.f, b.q, f), less_product(b.c, b.q, c));
    *first = less_product(f, c, *last);
}

// The first and the last unknown of every member, from those of the team, which its first member has put in
// place. before and after: the unknowns beside the team's.
HERON_FN void open_team(LOCAL CT* nodes, int place, int team, int gap, CT before, CT after) {
    LOCAL CT* const first = nodes + firsts * GROUP;
    LOCAL CT* const last = nodes + lasts * GROUP;
    int step = 1;
    while (2 * step < team) step *= 2;
    ROLLED
    for (; step > 0; step /= 2) {
        sync_group();
        if (place % (2 * step) == 0 && place + step < team) {
            const int end = min(place + 2 * step, team) - place;
            CT joint[joint_parts];
            UNROLL
            for (int k = 0; k < joint_parts; ++k) joint[k] = nodes[step * gap + k * GROUP];
            CT left, right;
            open_joint(joint, place > 0 ? last[-gap] : before, *first, last[(end - 1) * gap],
                       place + end < team ? first[end * gap] : after, &left, &right);
            last[(step - 1) * gap] = left;
            first[step * gap] = right;
        }
    }
    sync_group();
}

// Between rows as neighbouring items touch neighbouring elements and rows as items own them.
HERON_FN void to_owners(CT* values, LOCAL CT* memory) {
    sync_group();
    UNROLL
    for (int i = 0; i < ROWS; ++i) {
        const int element = i * GROUP + group_item();
        memory[element + element / ROWS] = values[i];
    }
    sync_group();
    UNROLL
    for (int i = 0; i < ROWS; ++i) values[i] = memory[group_item() * (ROWS + 1) + i];
}
HERON_FN void from_owners(CT* values, LOCAL CT* memory) {
    sync_group();
    UNROLL
    for (int i = 0; i < ROWS; ++i) memory[group_item() * (ROWS + 1) + i] = values[i];
    sync_group();
    UNROLL
    for (int i = 0; i < ROWS; ++i) {
        const int element = i * GROUP + group_item();
        values[i] = memory[element + element / ROWS];
    }
}

// Where the rows of the items of a group begin in an array, and how many of them there are.
HERON_FN void load_rows(GLOBAL const CT* RESTRICT array, LOCAL const heron_index* begins,
                        LOCAL const int* counts, CT* values) {
    UNROLL
    for (int i = 0; i < ROWS; ++i) {
        const int element = i * GROUP + group_item();
        const int owner = element / ROWS;
        const int row = element % ROWS;
        values[i] = row < counts[owner] ? array[begins[owner] + row] : ZERO(CT);
    }
}

// Rows behind the last one ask for nothing but 0 = 0 in their own unknowns, and what lies outside of the
// matrix is no part of it.
HERON_FN void trim_rows(CT* l, CT* d, CT* u, heron_index row, heron_index m) {
    if (row == 0) l[0] = ZERO(CT);
    UNROLL
    for (int i = 0; i < ROWS; ++i) {
        if (row + i >= m) d[i] = ONE(CT);
        if (row + i + 1 >= m) u[i] = ZERO(CT);
    }
}

// The place of an item in its team; the rows of a system are those of `chunks` teams. Rows that there are not
// come behind the last one.
typedef struct {
    int place;
    heron_index row;
} seat;

HERON_FN seat find_seat(heron_index m, heron_index stride, heron_index x_stride, heron_index systems,
                        int team, int teams, int chunks, LOCAL heron_index* begins,
                        LOCAL heron_index* x_begins, LOCAL int* counts) {
    const int id = group_item();
    const heron_index system = (heron_index)(group_id() / chunks) * teams + id / team;
    const int is_there = id / team < teams && system < systems;
    seat s;
    s.place = is_there ? id % team : team;
    s.row = is_there ? ((heron_index)(group_id() % chunks) * team + s.place) * ROWS : m;
    begins[id] = system * stride + s.row;
    x_begins[id] = system * x_stride + s.row;
    counts[id] = (int)max((heron_index)0, min(m - s.row, (heron_index)ROWS));
    sync_group();
    return s;
}

// The two equations of each chunk of each system, their parts `total` apart.
HERON_GROUP_KERNEL(reduce_rows, GROUP, GLOBAL const CT* RESTRICT lower, GLOBAL const CT* RESTRICT main,
                   GLOBAL const CT* RESTRICT upper, GLOBAL const CT* RESTRICT x, heron_index m,
                   heron_index stride, heron_index x_stride, heron_index systems, int chunks,
                   GLOBAL CT* pairs, heron_index total) {
    LOCAL_ARRAY(CT, memory, GROUP * places);
    LOCAL_ARRAY(heron_index, begins, GROUP);
    LOCAL_ARRAY(heron_index, x_begins, GROUP);
    LOCAL_ARRAY(int, counts, GROUP);
    const seat s = find_seat(m, stride, x_stride, systems, GROUP, 1, chunks, begins, x_begins, counts);
    CT l[ROWS], d[ROWS], u[ROWS], f[ROWS], p[ROWS];
    load_rows(lower, begins, counts, l);
    load_rows(main, begins, counts, d);
    load_rows(upper, begins, counts, u);
    load_rows(x, x_begins, counts, f);
    to_owners(l, memory);
    to_owners(d, memory);
    to_owners(u, memory);
    to_owners(f, memory);
    trim_rows(l, d, u, s.row, m);
    equation pair[2];
    eliminate(l, d, u, f, p, pair, pair + 1);
    sync_group();
    put_pair(memory + group_item(), pair);
    join_team(memory + group_item(), s.place, GROUP, 1);
    if (group_item() < pair_parts) pairs[group_item() * total + group_id()] = memory[group_item() * GROUP];
}
HERON_CLOSE

// The first and the last unknown of each chunk of a system: ends[2*chunk] and ends[2*chunk + 1]. A group has
// a system, an item several chunks. joints has room for joint_parts numbers of each chunk.
HERON_GROUP_KERNEL(solve_ends, GROUP, GLOBAL const CT* pairs, GLOBAL CT* joints, GLOBAL CT* ends, int chunks,
                   heron_index total) {
    LOCAL_ARRAY(CT, memory, GROUP * places);
    const int each = (chunks + GROUP - 1) / GROUP;
    const int team = (chunks + each - 1) / each;
    const int place = min(group_item(), team);
    const int begin = place * each;
    const int end = min(begin + each, chunks);
    LOCAL CT* const nodes = memory + group_item();
    const heron_index of_system = (heron_index)group_id() * chunks;
    pairs += of_system;
    joints += of_system;
    ends += 2 * of_system;
    if (place < team) {
        equation pair[2];
        for (int chunk = begin; chunk < end; ++chunk) {
            equation next[2];
            UNROLL
            for (int i = 0; i < 2; ++i) {
                GLOBAL const CT* const from = pairs + i * equation_parts * total + chunk;
                next[i].p = from[0];
                next[i].q = from[total];
                next[i].c = from[2 * total];
                next[i].e = from[3 * total];
                next[i].f = from[4 * total];
            }
            if (chunk == begin) {
                pair[0] = next[0];
                pair[1] = next[1];
            } else {
                CT joint[joint_parts];
                join(pair, next, joint);
                UNROLL
                for (int k = 0; k < joint_parts; ++k) joints[k * total + chunk] = joint[k];
            }
        }
        put_pair(nodes, pair);
    }
    join_team(nodes, place, team, 1);
    if (place == 0) {
        equation pair[2];
        CT first, last;
        get_pair(nodes, pair);
        solve_pair(pair, &first, &last);
        nodes[firsts * GROUP] = first;
        nodes[lasts * GROUP + team - 1] = last;
    }
    open_team(nodes, place, team, 1, ZERO(CT), ZERO(CT));
    if (place < team) {
        const CT first = nodes[firsts * GROUP];
        const CT before = place > 0 ? nodes[lasts * GROUP - 1] : ZERO(CT);
        CT last = nodes[lasts * GROUP];
        CT after = place + 1 < team ? nodes[firsts * GROUP + 1] : ZERO(CT);
        for (int chunk = end - 1; chunk > begin; --chunk) {
            CT joint[joint_parts];
            UNROLL
            for (int k = 0; k < joint_parts; ++k) joint[k] = joints[k * total + chunk];
            CT left, right;
            open_joint(joint, before, first, last, after, &left, &right);
            ends[2 * chunk] = right;
            ends[2 * chunk + 1] = last;
            last = left;
            after = right;
        }
        ends[2 * begin] = first;
        ends[2 * begin + 1] = last;
    }
}
HERON_CLOSE

// Systems of `team` items each, `teams` of them in a group; or, with the ends of their chunks, of `chunks`
// groups.
HERON_GROUP_KERNEL(solve_rows, GROUP, GLOBAL const CT* RESTRICT lower, GLOBAL const CT* RESTRICT main,
                   GLOBAL const CT* RESTRICT upper, GLOBAL CT* x, heron_index m, heron_index stride,
                   heron_index x_stride, heron_index systems, int team, int teams, int chunks,
                   GLOBAL const CT* ends) {
    LOCAL_ARRAY(CT, memory, GROUP * places);
    LOCAL_ARRAY(heron_index, begins, GROUP);
    LOCAL_ARRAY(heron_index, x_begins, GROUP);
    LOCAL_ARRAY(int, counts, GROUP);
    const seat s = find_seat(m, stride, x_stride, systems, team, teams, chunks, begins, x_begins, counts);
    CT l[ROWS], d[ROWS], u[ROWS], f[ROWS], p[ROWS];
    load_rows(lower, begins, counts, l);
    load_rows(main, begins, counts, d);
    load_rows(upper, begins, counts, u);
    load_rows(x, x_begins, counts, f);
    to_owners(l, memory);
    to_owners(d, memory);
    to_owners(u, memory);
    to_owners(f, memory);
    trim_rows(l, d, u, s.row, m);
    equation pair[2];
    eliminate(l, d, u, f, p, pair, pair + 1);
    sync_group();
    LOCAL CT* const nodes = memory + group_item();
    put_pair(nodes, pair);
    join_team(nodes, s.place, team, 1);
    CT before = ZERO(CT);
    CT after = ZERO(CT);
    if (ends) {
        const int chunk = group_id() % chunks;
        ends += 2 * (heron_index)group_id();
        if (chunk > 0) before = ends[-1];
        if (chunk + 1 < chunks) after = ends[2];
    }
    if (s.place == 0) {
        CT first, last;
        if (ends) {
            first = ends[0];
            last = ends[1];
        } else {
            get_pair(nodes, pair);
            solve_pair(pair, &first, &last);
        }
        nodes[firsts * GROUP] = first;
        nodes[lasts * GROUP + team - 1] = last;
    }
    open_team(nodes, s.place, team, 1, before, after);
    if (s.place < team) {
        if (s.place > 0) before = nodes[lasts * GROUP - 1];
        if (s.place + 1 < team) after = nodes[firsts * GROUP + 1];
        substitute(l, d, u, f, p, before, nodes[firsts * GROUP], nodes[lasts * GROUP], after);
    }
    from_owners(f, memory);
    UNROLL
    for (int i = 0; i < ROWS; ++i) {
        const int element = i * GROUP + group_item();
        const int owner = element / ROWS;
        const int row = element % ROWS;
        if (row < counts[owner]) x[x_begins[owner] + row] = f[i];
    }
}
HERON_CLOSE

// Interleaved systems of `team` items each, `width` of them side by side in a group.
HERON_GROUP_KERNEL(solve_interleaved, GROUP, GLOBAL const CT* RESTRICT lower, GLOBAL const CT* RESTRICT main,
                   GLOBAL const CT* RESTRICT upper, GLOBAL CT* x, heron_index m, heron_index systems,
                   int team, int width) {
    LOCAL_ARRAY(CT, memory, GROUP * places);
    const heron_index system = (heron_index)group_id() * width + group_item() % width;
    const int is_there = group_item() / width < team && system < systems;
    const int place = is_there ? group_item() / width : team;
    const heron_index row = is_there ? (heron_index)place * ROWS : m;
    CT l[ROWS], d[ROWS], u[ROWS], f[ROWS], p[ROWS];
    UNROLL
    for (int i = 0; i < ROWS; ++i) {
        const heron_index at = (row + i) * systems + system;
        const int is_row = row + i < m;
        l[i] = is_row ? lower[at] : ZERO(CT);
        d[i] = is_row ? main[at] : ZERO(CT);
        u[i] = is_row ? upper[at] : ZERO(CT);
        f[i] = is_row ? x[at] : ZERO(CT);
    }
    trim_rows(l, d, u, row, m);
    equation pair[2];
    eliminate(l, d, u, f, p, pair, pair + 1);
    LOCAL CT* const nodes = memory + group_item();
    put_pair(nodes, pair);
    join_team(nodes, place, team, width);
    if (place == 0) {
        CT first, last;
        get_pair(nodes, pair);
        solve_pair(pair, &first, &last);
        nodes[firsts * GROUP] = first;
        nodes[lasts * GROUP + (team - 1) * width] = last;
    }
    open_team(nodes, place, team, width, ZERO(CT), ZERO(CT));
    if (place < team) {
        const CT before = place > 0 ? nodes[lasts * GROUP - width] : ZERO(CT);
        const CT after = place + 1 < team ? nodes[firsts * GROUP + width] : ZERO(CT);
        substitute(l, d, u, f, p, before, nodes[firsts * GROUP], nodes[lasts * GROUP], after);
        UNROLL
        for (int i = 0; i < ROWS; ++i)
            if (row + i < m) x[(row + i) * systems + system] = f[i];
    }
}
HERON_CLOSE

HERON_CLOSE
