// Products of a matrix and a vector on the CPU. Tiles of the result, and where there are few of these also
// parts of the sums, are shared out; both are cut by the sizes alone, and the parts are added up in their
// order: the same bits on every run, with any number of threads.
#include "products.hpp"
#include "columns.hpp"
#include "common/runtime/slot.hpp"

namespace heron::HERON_LEVEL {
namespace {

// Results that are put together on the stack.
constexpr int64_t rows_of_tile = 512;
constexpr int64_t rows_of_triangle_tile = 256;
constexpr int64_t columns_together = 8;
constexpr int64_t tasks_wanted = 64;

struct product_shares {
    product_shares(int64_t all_outputs, int64_t all_length, bool by_columns, int64_t tile = rows_of_tile)
        : outputs(all_outputs), length(all_length), outputs_of_tile(tile) {
        constexpr int64_t least_work = 32768;
        if (by_columns)
            outputs_of_tile = columns_together * (1 + outputs / (4 * tasks_wanted * columns_together));
        if (outputs <= outputs_of_tile && outputs * length < 2 * least_work) return;
        tiles = (outputs + outputs_of_tile - 1) / outputs_of_tile;
        const int64_t useful = length * (outputs < outputs_of_tile ? outputs : outputs_of_tile) / least_work;
        const int64_t wanted = tasks_wanted / tiles;
        parts = useful < wanted ? useful : wanted;
        if (parts < 1) parts = 1;
        if (parts > length) parts = length;
    }
    int64_t partial_size() const { return parts > 1 ? parts * outputs : 0; }

    range tile(int64_t number) const {
        const int64_t first = number * outputs_of_tile;
        return {first, first + outputs_of_tile < outputs ? first + outputs_of_tile : outputs};
    }
    // In whole groups of columns.
    range along(int64_t part) const {
        if (parts == 1) return {0, length};
        const int64_t groups = (length + columns_together - 1) / columns_together;
        const range own{groups * part / parts * columns_together, groups * (part + 1) / parts * columns_together};
        return {own.begin < length ? own.begin : length, own.end < length ? own.end : length};
    }

    int64_t outputs, length, outputs_of_tile, tiles = 1, parts = 1;
};

// Calls f(first, count) for pieces of a range that fit the stack.
template <class F>
void for_pieces(range all, const F& f) {
    for_blocks(all, rows_of_tile, f);
}

// sums[i] := the sum of the parts of output first + i.
template <class CT>
void add_parts(const CT* partial, const product_shares& shares, int64_t first, int64_t count, CT* sums) {
    using R = real_of<CT>;
    R* const to = reinterpret_cast<R*>(sums);
    count *= parts_of<CT>::count;
    __builtin_memcpy(to, partial + first, static_cast<size_t>(count) * sizeof(R));
    for (int64_t part = 1; part < shares.parts; ++part) {
        const R* const from = reinterpret_cast<const R*>(partial + part * shares.outputs + first);
        for (int64_t i = 0; i < count; ++i) to[i] += from[i];
    }
}

// Calls put(first, sums, count) for all elements of op(A)*x.
template <class CT, class Put>
void multiply(const host_device& device, const stored_columns<CT>& a, const product_shares& shares,
              bool by_columns, bool conjugate, const CT* x, CT* partial, const Put& put) {
    const int team = team_for(device, shares.outputs * shares.length);
    run_team(team, [&](int member, int members) {
        // One after the other to each: tiles of triangles have different amounts of work.
        for (int64_t task = member; task < shares.tiles * shares.parts; task += members) {
            const int64_t part = shares.parts == 1 ? 0 : task % shares.parts;
            const int64_t tile = shares.parts == 1 ? task : task / shares.parts;
            const range along = shares.along(part);
            for_pieces(shares.tile(tile), [&](int64_t first, int64_t count) {
                CT sums[rows_of_tile];
                const range own{first, first + count};
                if (by_columns) {
                    column_dots(a, own, along, x, conjugate, sums);
                } else {
                    for (int64_t i = 0; i < count; ++i) sums[i] = CT{};
                    add_columns(a, along, own, x, sums);
                }
                if (shares.parts > 1)
                    __builtin_memcpy(partial + part * shares.outputs + first, sums,
                                     static_cast<size_t>(count) * sizeof(CT));
                else
                    put(first, sums, count);
            });
        }
    });
    if (shares.parts == 1) return;
    run_team(team_for(device, shares.outputs * shares.parts), [&](int member, int members) {
        for_pieces(equal_part(shares.outputs, member, members), [&](int64_t first, int64_t count) {
            CT sums[rows_of_tile];
            add_parts(partial, shares, first, count, sums);
            put(first, sums, count);
        });
    });
}

template <class CT>
void conjugate_all(CT* v, int64_t count, bool conjugate) {
    if (conjugate)
        for (int64_t i = 0; i < count; ++i) v[i] = conj(v[i]);
}

void gemv(host_device& device, heron_phase phase, const heron_gemv_args& a, heron_workspace& workspace) {
    const bool turned = plans::is_transposed(a.op), conjugate = plans::is_conjugated(a.op);
    const int64_t outputs = turned ? a.n : a.m, length = turned ? a.m : a.n;
    const product_shares shares(outputs, length, turned);
    // conj(A)*x is conj(A*conj(x)).
    const bool conjugates_x = conjugate && !turned;
    visit_full(a.type, [&]<class CT>(type<CT>) {
        workspace_layout layout(phase, workspace);
        CT* const partial = layout.take<CT>(shares.partial_size());
        CT* const copy = layout.take<CT>(lies_apart<CT>(a.x, conjugates_x) ? length : 0);
        if (phase != HERON_PHASE_RUN) return;
        const CT alpha = number_of<CT>(a.alpha), beta = number_of<CT>(a.beta);
        if (equal(alpha, CT{})) {
            scale(a.y, outputs, beta);
            return;
        }
        const CT* const x = without_gaps(a.x, length, conjugates_x, copy);
        multiply(device, stored_columns<CT>(a.a, a.m), shares, turned, conjugate, x, partial,
                 [&](int64_t first, CT* sums, int64_t count) {
                     conjugate_all(sums, count, conjugates_x);
                     update(a.y, first, sums, count, alpha, beta);
                 });
    });
}

void trmv(host_device& device, heron_phase phase, const heron_trmv_args& a, heron_workspace& workspace) {
    const bool turned = plans::is_transposed(a.op), conjugate = plans::is_conjugated(a.op);
    const bool unit = a.diag == HERON_DIAG_UNIT;
    const product_shares shares(a.n, a.n, turned, rows_of_triangle_tile);
    const bool conjugates_x = conjugate && !turned;
    visit_full(a.type, [&]<class CT>(type<CT>) {
        workspace_layout layout(phase, workspace);
        CT* const partial = layout.take<CT>(shares.partial_size());
        CT* const x = layout.take<CT>(a.n);
        if (phase != HERON_PHASE_RUN) return;
        const CT* const first = as<const CT>(a.x.memory) + a.x.offset;
        for (int64_t i = 0; i < a.n; ++i) x[i] = conjugates_x ? conj(first[i * a.x.inc]) : first[i * a.x.inc];
        multiply(device, stored_columns<CT>(a.a, a.n, a.fill, !unit), shares, turned, conjugate,
                 static_cast<const CT*>(x), partial, [&](int64_t first_row, CT* sums, int64_t count) {
                     if (unit)
                         for (int64_t i = 0; i < count; ++i) sums[i] = add(sums[i], x[first_row + i]);
                     conjugate_all(sums, count, conjugates_x);
                     update(a.x, first_row, sums, count, one<CT>(), CT{});
                 });
    });
}

// Columns of the stored triangle are read once, for the rows that they add to and for their own rows of the
// result.
template <class CT>
void add_both_ways(const stored_columns<CT>& triangle, const heron_symv_args& a, range columns, const CT* x,
                   CT* sums) {
    for (int64_t j = columns.begin; j < columns.end; ++j) {
        const CT diagonal = triangle.diagonal(j);
        sums[j] = mad(a.hermitian ? real_part(diagonal) : diagonal, x[j], sums[j]);
    }
    const range all{0, a.n};
    for_groups<4>(triangle, columns, all, [&]<int K>(int64_t j, std::integral_constant<int, K>, range rows) {
        const column_pointers<K, CT> own(triangle, j, rows.begin);
        CT dots[K];
        add_columns_and_dots<K>(sums + rows.begin, own.at, x + j, x + rows.begin, rows.end - rows.begin,
                                a.hermitian, dots);
        for_others<K>(triangle, j, rows, all, [&](int k, int64_t i) {
            const CT element = triangle.column(j + k)[i];
            sums[i] = mad(element, x[j + k], sums[i]);
            dots[k] = mad(a.hermitian ? conj(element) : element, x[i], dots[k]);
        });
        for (int k = 0; k < K; ++k) sums[j + k] = add(sums[j + k], dots[k]);
    });
}

// Parts of the columns, each with sums for all rows.
product_shares symv_shares(int64_t n) {
    product_shares shares(n, n, false, n + 1);
    constexpr int64_t least_work = 65536, most = 16;
    const int64_t useful = n < 65536 ? n * n / 2 / least_work : most;
    shares.tiles = 1;
    shares.parts = useful < 1 ? 1 : useful < most ? useful : most;
    return shares;
}

void symv(host_device& device, heron_phase phase, const heron_symv_args& a, heron_workspace& workspace) {
    constexpr int64_t columns_at_a_time = 64;
    const int64_t blocks = (a.n + columns_at_a_time - 1) / columns_at_a_time;
    const product_shares shares = symv_shares(a.n);
    visit_full(a.type, [&]<class CT>(type<CT>) {
        workspace_layout layout(phase, workspace);
        CT* const partial = layout.take<CT>(shares.parts * a.n);
        CT* const copy = layout.take<CT>(lies_apart<CT>(a.x, a.conjugate) ? a.n : 0);
        if (phase != HERON_PHASE_RUN) return;
        const CT alpha = number_of<CT>(a.alpha), beta = number_of<CT>(a.beta);
        if (equal(alpha, CT{})) {
            scale(a.y, a.n, beta);
            return;
        }
        const CT* const x = without_gaps(a.x, a.n, a.conjugate, copy);
        const stored_columns<CT> triangle(a.a, a.n, a.fill, false);
        const int team = team_for(device, a.n * a.n / 2);
        run_team(team, [&](int member, int members) {
            const range own = equal_part(shares.parts, member, members);
            for (int64_t part = own.begin; part < own.end; ++part) {
                CT* const sums = partial + part * a.n;
                for (int64_t i = 0; i < a.n; ++i) sums[i] = CT{};
                // Columns are of different lengths: every part has some of each.
                for (int64_t block = part; block < blocks; block += shares.parts) {
                    const int64_t first = block * columns_at_a_time, end = first + columns_at_a_time;
                    add_both_ways(triangle, a, {first, end < a.n ? end : a.n}, x, sums);
                }
            }
        });
        run_team(team, [&](int member, int members) {
            for_pieces(equal_part(a.n, member, members), [&](int64_t first, int64_t count) {
                CT sums[rows_of_tile];
                add_parts<CT>(partial, shares, first, count, sums);
                conjugate_all(sums, count, a.conjugate);
                update(a.y, first, sums, count, alpha, beta);
            });
        });
    });
}

}  // namespace

void override_blas2_products(heron_backend& table) {
    table.gemv = &slot<host_device, heron_gemv_args, &gemv, operation_names::gemv>;
    table.trmv = &slot<host_device, heron_trmv_args, &trmv, operation_names::trmv>;
    table.symv = &slot<host_device, heron_symv_args, &symv, operation_names::symv>;
}

}  // namespace heron::HERON_LEVEL
