// Products of a matrix and a vector on the CPU. Tiles of the result, and where there are few of these also
// parts of the sums, are shared out; both are cut by the sizes alone, and the parts are added up in their
// order: the same bits on every run, with any number of threads.
#include "products.hpp"
#include "columns.hpp"
#include "common/runtime/slot.hpp"

namespace heron::HERON_LEVEL {
namespace {

constexpr int64_t rows_of_tile = 1024;
// Of a triangle columns are taken several at a time only beside the tiles on the diagonal.
constexpr int64_t rows_of_triangle_tile = 128;
constexpr int64_t tasks_wanted = 64;

struct product_shares {
    product_shares(int64_t all_outputs, int64_t length, bool by_columns, int64_t tile = rows_of_tile)
        : outputs(all_outputs) {
        outputs_of_tile = by_columns ? 1 + outputs / (4 * tasks_wanted) : tile;
        tiles = (outputs + outputs_of_tile - 1) / outputs_of_tile;
        constexpr int64_t least_work = 32768;
        const int64_t useful = length * (outputs < outputs_of_tile ? outputs : outputs_of_tile) / least_work;
        const int64_t wanted = tasks_wanted / tiles;
        parts = useful < wanted ? useful : wanted;
        if (parts < 1) parts = 1;
        if (parts > length) parts = length;
    }
    int64_t partial_size() const { return parts > 1 ? parts * outputs : 0; }
    int64_t outputs, outputs_of_tile, tiles, parts;
};

// Calls put(i, sum) for every element of op(A)*x, where A has `length` columns, or with by_columns rows.
template <class CT, class Put>
void multiply(const host_device& device, const stored_columns<CT>& a, const product_shares& shares,
              int64_t length, bool by_columns, bool conjugate, const CT* x, CT* partial, const Put& put) {
    const int team = team_for(device, shares.outputs * length);
    run_team(team, [&](int member, int members) {
        const range own = equal_part(shares.tiles * shares.parts, member, members);
        for (int64_t task = own.begin; task < own.end; ++task) {
            const int64_t part = task % shares.parts, first = task / shares.parts * shares.outputs_of_tile;
            const int64_t end = first + shares.outputs_of_tile < shares.outputs
                                    ? first + shares.outputs_of_tile
                                    : shares.outputs;
            const range along{length * part / shares.parts, length * (part + 1) / shares.parts};
            const auto done = [&](int64_t i, CT sum) {
                if (shares.parts > 1)
                    partial[part * shares.outputs + i] = sum;
                else
                    put(i, sum);
            };
            if (by_columns) {
                constexpr int together = 4;
                int64_t j = first;
                while (j < end) {
                    if (j + together <= end && are_whole<together>(a, j, along)) {
                        CT sums[together];
                        column_dots<together>(a, j, along, x, conjugate, sums);
                        for (int k = 0; k < together; ++k) done(j + k, sums[k]);
                        j += together;
                    } else {
                        done(j, column_dot(a, j, along, x, conjugate));
                        ++j;
                    }
                }
                continue;
            }
            CT sums[rows_of_tile];
            for (int64_t i = first; i < end; ++i) sums[i - first] = CT{};
            add_columns(a, along, {first, end}, x, sums);
            for (int64_t i = first; i < end; ++i)
                done(i, conjugate ? conj(sums[i - first]) : sums[i - first]);
        }
    });
    if (shares.parts == 1) return;
    run_team(team, [&](int member, int members) {
        const range own = equal_part(shares.outputs, member, members);
        for (int64_t i = own.begin; i < own.end; ++i) {
            CT sum = partial[i];
            for (int64_t part = 1; part < shares.parts; ++part)
                sum = add(sum, partial[part * shares.outputs + i]);
            put(i, sum);
        }
    });
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
            for (int64_t i = 0; i < outputs; ++i) update(a.y, i, CT{}, beta);
            return;
        }
        const CT* const x = without_gaps(a.x, length, conjugates_x, copy);
        multiply(device, stored_columns<CT>(a.a, a.m), shares, length, turned, conjugate, x, partial,
                 [&](int64_t i, CT sum) { update(a.y, i, mul(alpha, sum), beta); });
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
        multiply(device, stored_columns<CT>(a.a, a.n, a.fill, !unit), shares, a.n, turned, conjugate,
                 static_cast<const CT*>(x), partial, [&](int64_t i, CT sum) {
                     const CT own = conjugates_x ? conj(x[i]) : x[i];
                     update(a.x, i, unit ? add(sum, own) : sum, CT{});
                 });
    });
}

// A column of the stored triangle is read once, for the rows that it adds to and for its own row of the
// result.
template <class CT>
void add_both_ways(const stored_columns<CT>& triangle, const heron_symv_args& a, int64_t j, const CT* x,
                   CT* sums) {
    CT diagonal = triangle.diagonal(j);
    if (a.hermitian) diagonal = real_part(diagonal);
    sums[j] = mad(diagonal, x[j], sums[j]);
    const range rows = triangle.rows(j);
    product_sums<CT> own;
    own.add_and_update(triangle.column(j) + rows.begin, x + rows.begin, sums + rows.begin, x[j],
                       rows.end - rows.begin);
    sums[j] = add(sums[j], own.total(a.hermitian));
}

void symv(host_device& device, heron_phase phase, const heron_symv_args& a, heron_workspace& workspace) {
    constexpr int64_t columns_at_a_time = 64;
    const int64_t blocks = (a.n + columns_at_a_time - 1) / columns_at_a_time;
    const int64_t parts = blocks < 16 ? blocks : 16;
    visit_full(a.type, [&]<class CT>(type<CT>) {
        workspace_layout layout(phase, workspace);
        CT* const partial = layout.take<CT>(parts * a.n);
        CT* const copy = layout.take<CT>(lies_apart<CT>(a.x, a.conjugate) ? a.n : 0);
        if (phase != HERON_PHASE_RUN) return;
        const CT alpha = number_of<CT>(a.alpha), beta = number_of<CT>(a.beta);
        if (equal(alpha, CT{})) {
            for (int64_t i = 0; i < a.n; ++i) update(a.y, i, CT{}, beta);
            return;
        }
        const CT* const x = without_gaps(a.x, a.n, a.conjugate, copy);
        const stored_columns<CT> triangle(a.a, a.n, a.fill, false);
        const int team = team_for(device, a.n * a.n / 2);
        run_team(team, [&](int member, int members) {
            const range own = equal_part(parts, member, members);
            for (int64_t part = own.begin; part < own.end; ++part) {
                CT* const sums = partial + part * a.n;
                for (int64_t i = 0; i < a.n; ++i) sums[i] = CT{};
                // Columns are of different lengths: every part has some of each.
                for (int64_t block = part; block < blocks; block += parts)
                    for (int64_t j = block * columns_at_a_time;
                         j < a.n && j < (block + 1) * columns_at_a_time; ++j)
                        add_both_ways(triangle, a, j, x, sums);
            }
        });
        run_team(team, [&](int member, int members) {
            const range own = equal_part(a.n, member, members);
            for (int64_t i = own.begin; i < own.end; ++i) {
                CT sum = partial[i];
                for (int64_t part = 1; part < parts; ++part) sum = add(sum, partial[part * a.n + i]);
                update(a.y, i, mul(alpha, a.conjugate ? conj(sum) : sum), beta);
            }
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
