// Substitutions and updates of a matrix on the CPU, by columns.
#include "products.hpp"
#include "substitution.hpp"
#include "vectors.hpp"
#include "common/runtime/slot.hpp"

namespace heron::HERON_LEVEL {
namespace {

constexpr int64_t most_unknowns = 128;

// Calls solve(first, end) for the blocks of unknowns, whose columns are then taken from all rows behind.
template <class CT, class Solve>
void substitute(const host_device& device, const stored_columns<CT>& triangle, const heron_trsv_args& a,
                int64_t size, CT* x, const Solve& solve) {
    plans::substitute(a, size, solve, [&](int64_t rows, int64_t count, int64_t first, int64_t end) {
        CT factors[most_unknowns];
        for (int64_t j = first; j < end; ++j) factors[j - first] = sub(CT{}, x[j]);
        run_team(team_for(device, count * (end - first)), [&](int member, int members) {
            const range own = equal_part(count, member, members);
            const range part{rows + own.begin, rows + own.end};
            add_columns(triangle, {first, end}, part, static_cast<const CT*>(factors - first),
                        x + part.begin);
        });
    });
}

// The same with the transpose: a block loses what all unknowns before it contribute, whose rows are long
// pieces of its columns.
template <class CT, class Solve>
void substitute_turned(const host_device& device, const stored_columns<CT>& triangle,
                       const heron_trsv_args& a, int64_t size, CT* x, const Solve& solve) {
    constexpr int64_t together = 8;
    const bool lower = plans::is_lower(a);
    const int64_t band = plans::triangle_band(a.a, a.n);
    for (int64_t done = 0; done < a.n; done += size) {
        const int64_t count = a.n - done < size ? a.n - done : size;
        const int64_t first = lower ? done : a.n - done - count, end = first + count;
        const int64_t reached = done < band ? done : band;
        const range solved = lower ? range{first - reached, first} : range{end, end + reached};
        const int64_t groups = (count + together - 1) / together;
        if (reached > 0)
            run_team(team_for(device, count * reached), [&](int member, int members) {
                const range own = equal_part(groups, member, members);
                CT dots[most_unknowns];
                const range columns{first + own.begin * together,
                                    own.end == groups ? end : first + own.end * together};
                column_dots(triangle, columns, solved, static_cast<const CT*>(x), false, dots);
                for (int64_t j = columns.begin; j < columns.end; ++j)
                    x[j] = sub(x[j], dots[j - columns.begin]);
            });
        solve(first, end);
    }
}

void trsv(host_device& device, heron_phase phase, const heron_trsv_args& a, heron_workspace& workspace) {
    // Of a block of unknowns: the last ones of few are not worth a block of their own (results: blas-17).
    const int64_t size = a.n <= most_unknowns ? most_unknowns : most_unknowns / 2;
    const bool turned = plans::is_transposed(a.op), conjugate = plans::is_conjugated(a.op);
    visit_full(a.type, [&]<class CT>(type<CT>) {
        workspace_layout layout(phase, workspace);
        // conj(A)*x = b is A*conj(x) = conj(b).
        const bool is_apart = lies_apart<CT>(a.x, conjugate);
        CT* const copy = some_of<CT>(layout, is_apart ? a.n : 0);
        if (phase != HERON_PHASE_RUN) return;
        CT* const x = const_cast<CT*>(without_gaps(a.x, a.n, conjugate, copy));
        const stored_columns<CT> triangle(a.a, a.n, a.fill, false);
        const auto solve = [&](int64_t first, int64_t end) { solve_block(triangle, a, {first, end}, x); };
        if (turned)
            substitute_turned(device, triangle, a, size, x, solve);
        else
            substitute(device, triangle, a, size, x, solve);
        CT* const to = as<CT>(a.x.memory) + a.x.offset;
        if (is_apart)
            for (int64_t i = 0; i < a.n; ++i) to[i * a.x.inc] = conjugate ? conj(x[i]) : x[i];
    });
}

void ger(host_device& device, heron_phase phase, const heron_ger_args& a, heron_workspace& workspace) {
    visit_full(a.type, [&]<class CT>(type<CT>) {
        if (phase != HERON_PHASE_RUN) {
            workspace_layout(phase, workspace);
            return;
        }
        const CT alpha = number_of<CT>(a.alpha);
        if (equal(alpha, CT{})) return;
        const heron_vector_operand& y = a.y;
        const stored_columns<CT> matrix(a.a, a.m);
        // Of x what stays in the first-level cache.
        constexpr int64_t rows = 16384 / static_cast<int64_t>(sizeof(CT));
        run_team(team_for(device, a.m * a.n), [&](int member, int members) {
            const range own = equal_part(a.n, member, members);
            vector_blocks<CT, CT> xs(a.x);
            // A block that is conjugated is a copy.
            const int64_t most = a.conjugate_x || xs.longest() < rows ? vector_block : rows;
            for_blocks({0, a.m}, most, [&](int64_t begin, int64_t count) {
                CT turned[vector_block];
                const CT* x = xs.read(begin, count);
                if (a.conjugate_x) {
                    for (int64_t i = 0; i < count; ++i) turned[i] = conj(x[i]);
                    x = turned;
                }
                for (int64_t j = own.begin; j < own.end; ++j) {
                    const CT yj = as<const CT>(y.memory)[y.offset + j * y.inc];
                    const CT factor = mul(alpha, a.conjugate_y ? conj(yj) : yj);
                    add_columns<1>(matrix.column(j) + begin, &x, &factor, count);
                }
            });
        });
    });
}

// With a conjugate triangle x and y are conjugated first: then both forms are the same.
void rank_update(host_device& device, heron_phase phase, const heron_rank_update_args& a,
                 heron_workspace& workspace, int terms) {
    visit_full(a.type, [&]<class CT>(type<CT>) {
        workspace_layout layout(phase, workspace);
        const bool conjugates = a.hermitian && a.conjugate;
        CT* const x_copy = some_of<CT>(layout, lies_apart<CT>(a.x, conjugates) ? a.n : 0);
        CT* const y_copy = some_of<CT>(layout, terms > 1 && lies_apart<CT>(a.y, conjugates) ? a.n : 0);
        if (phase != HERON_PHASE_RUN) return;
        CT alpha = CT{};
        if (a.hermitian && terms == 1)
            alpha = load<CT>(number_of<real_of<CT>>(a.alpha));
        else
            alpha = number_of<CT>(a.alpha);
        if (equal(alpha, CT{})) return;
        const CT* const x = without_gaps(a.x, a.n, conjugates, x_copy);
        const CT* const y = terms > 1 ? without_gaps(a.y, a.n, conjugates, y_copy) : x;
        const stored_columns<CT> triangle(a.a, a.n, a.fill, true);
        const auto turned = [&](CT v) { return a.hermitian ? conj(v) : v; };
        run_team(team_for(device, a.n * a.n / 2), [&](int member, int members) {
            // Columns are of different lengths.
            for (int64_t j = member; j < a.n; j += members) {
                const range rows = triangle.rows(j);
                CT* const column = triangle.column(j);
                const CT factors[] = {mul(alpha, turned(y[j])), mul(turned(alpha), turned(x[j]))};
                const CT* const sources[] = {x + rows.begin, y + rows.begin};
                if (terms > 1)
                    add_columns<2>(column + rows.begin, sources, factors, rows.end - rows.begin);
                else
                    add_columns<1>(column + rows.begin, sources, factors, rows.end - rows.begin);
                if (a.hermitian) column[j] = real_part(column[j]);
            }
        });
    });
}

void syr(host_device& device, heron_phase phase, const heron_syr_args& a, heron_workspace& workspace) {
    rank_update(device, phase, a, workspace, 1);
}
void syr2(host_device& device, heron_phase phase, const heron_syr2_args& a, heron_workspace& workspace) {
    rank_update(device, phase, a, workspace, 2);
}

}  // namespace

void override_blas2(heron_backend& table) {
    override_blas2_products(table);
    table.trsv = &slot<host_device, heron_trsv_args, &trsv, operation_names::trsv>;
    table.ger = &slot<host_device, heron_ger_args, &ger, operation_names::ger>;
    table.syr = &slot<host_device, heron_syr_args, &syr, operation_names::syr>;
    table.syr2 = &slot<host_device, heron_syr2_args, &syr2, operation_names::syr2>;
}

}  // namespace heron::HERON_LEVEL
