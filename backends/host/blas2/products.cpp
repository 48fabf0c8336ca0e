// Products of a matrix and a vector on the CPU. Tiles of the result, and where there are few of these also
// parts of the sums, are shared out; both are cut by the sizes alone, and the parts are added up in their
// order: the same bits on every run, with any number of threads.
#include "products.hpp"
#include "groups.hpp"
#include "mirrored.hpp"
#include "vectors.hpp"
#include "common/runtime/slot.hpp"

namespace heron::HERON_LEVEL {
namespace {

// Results that are put together on the stack: as many as leave room in the first-level cache, because short
// pieces of columns come slowly from memory (results: blas-11).
template <class CT>
constexpr int64_t rows_of_tile = 16384 / static_cast<int64_t>(sizeof(CT));
constexpr int64_t columns_together = 8;
constexpr int64_t tasks_wanted = 64;

struct product_shares {
    // Of a matrix or, with by_columns, of its transpose. stored: elements of an output.
    product_shares(int64_t all_outputs, int64_t all_length, int64_t stored, bool by_columns, int64_t tile,
                   size_t element)
        : outputs(all_outputs), length(all_length), outputs_of_tile(tile), work(all_outputs * stored) {
        const int64_t least_work = 262144 / static_cast<int64_t>(element);
        if (length < 2 * least_work && work < 2 * least_work) {
            outputs_of_tile = outputs;
            return;
        }
        // Of a band the outputs alone are cut.
        if (2 * stored < length) {
            constexpr int64_t least_outputs = 512;
            outputs_of_tile = columns_together * (1 + outputs / (tasks_wanted * columns_together));
            if (outputs_of_tile < least_outputs) outputs_of_tile = least_outputs;
            tiles = (outputs + outputs_of_tile - 1) / outputs_of_tile;
            return;
        }
        if (by_columns)
            outputs_of_tile = columns_together * (1 + outputs / (4 * tasks_wanted * columns_together));
        tiles = (outputs + outputs_of_tile - 1) / outputs_of_tile;
        // Powers of two, which every small number of threads shares equally.
        const int64_t of_tile = length * (outputs < outputs_of_tile ? outputs : outputs_of_tile);
        while (2 * parts * tiles <= tasks_wanted && 2 * parts * least_work <= of_tile && 2 * parts <= length)
            parts *= 2;
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
        const range own{groups * part / parts * columns_together,
                        groups * (part + 1) / parts * columns_together};
        return {own.begin < length ? own.begin : length, own.end < length ? own.end : length};
    }

    int64_t outputs, length, outputs_of_tile, work, tiles = 1, parts = 1;
};

// Elements that a row or column of a stored matrix has, at most.
int64_t stored_length(const heron_stored_matrix& a, int64_t length, int64_t lower, int64_t upper) {
    const bool is_band = a.storage == HERON_STORAGE_BANDED && lower + upper < length;
    return is_band ? lower + upper + 1 : length;
}

// The tasks of a member of a team, which gets a later one after an earlier one: those of triangles have more
// and more work, or less and less.
template <class F>
void for_tasks(int64_t tasks, int member, int members, const F& f) {
    for (int64_t first = 0, round = 0; first < tasks; first += members, ++round) {
        const int64_t task = first + (round % 2 ? members - 1 - member : member);
        if (task < tasks) f(task);
    }
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

// Calls put(first, sums, count) for all elements of a product, which sum(rows, along, sums) writes a part of.
template <class CT, class Sum, class Put>
void for_sums(const host_device& device, const product_shares& shares, CT* partial, const Sum& sum,
              const Put& put) {
    const bool is_one = shares.tiles * shares.parts == 1;
    const int team = is_one ? 1 : team_for(device, shares.work);
    run_team(team, [&](int member, int members) {
        for_tasks(shares.tiles * shares.parts, member, members, [&](int64_t task) {
            const int64_t part = shares.parts == 1 ? 0 : task % shares.parts;
            const int64_t tile = shares.parts == 1 ? task : task / shares.parts;
            const range along = shares.along(part);
            for_blocks(shares.tile(tile), rows_of_tile<CT>, [&](int64_t first, int64_t count) {
                alignas(64) CT sums[rows_of_tile<CT>];
                sum(range{first, first + count}, along, sums);
                if (shares.parts > 1)
                    __builtin_memcpy(partial + part * shares.outputs + first, sums,
                                     static_cast<size_t>(count) * sizeof(CT));
                else
                    put(first, sums, count);
            });
        });
    });
    if (shares.parts == 1) return;
    run_team(team_for(device, shares.outputs * shares.parts), [&](int member, int members) {
        for_blocks(equal_part(shares.outputs, member, members), rows_of_tile<CT>,
                   [&](int64_t first, int64_t count) {
                       CT sums[rows_of_tile<CT>];
                       add_parts(partial, shares, first, count, sums);
                       put(first, sums, count);
                   });
    });
}

// The same of op(A)*x.
template <class CT, class Put>
void multiply(const host_device& device, const stored_columns<CT>& a, const product_shares& shares,
              bool by_columns, bool conjugate, const CT* x, CT* partial, const Put& put) {
    const auto sum = [&](range own, range along, CT* sums) {
        if (by_columns) return column_dots(a, own, along, x, conjugate, sums);
        for (int64_t i = 0; i < own.end - own.begin; ++i) sums[i] = CT{};
        add_columns(a, along, own, x, sums);
    };
    for_sums<CT>(device, shares, partial, sum, put);
}

template <class CT>
void conjugate_all(CT* v, int64_t count, bool conjugate) {
    if (conjugate)
        for (int64_t i = 0; i < count; ++i) v[i] = conj(v[i]);
}

// A full matrix of so few rows and columns is one share, without a workspace; to find that out would take
// longer than many a product of them.
constexpr int64_t few_rows = 128;

bool is_small(const heron_gemv_args& a) {
    return a.a.storage == HERON_STORAGE_FULL && a.x.inc == 1 && a.op != HERON_OP_CONJUGATE &&
           a.m <= few_rows && a.n <= few_rows;
}

template <class CT>
[[gnu::noinline]] void multiply_small(const heron_gemv_args& a) {
    const bool turned = plans::is_transposed(a.op);
    const int64_t outputs = turned ? a.n : a.m, length = turned ? a.m : a.n;
    const CT alpha = number_of<CT>(a.alpha), beta = number_of<CT>(a.beta);
    if (equal(alpha, CT{})) return scale(a.y, outputs, beta);
    const stored_columns<CT> matrix(a.a, a.m);
    const CT* const x = as<const CT>(a.x.memory) + a.x.offset;
    alignas(64) CT sums[few_rows];
    if (turned) {
        column_dots(matrix, {0, outputs}, {0, length}, x, plans::is_conjugated(a.op), sums);
    } else {
        for (int64_t i = 0; i < outputs; ++i) sums[i] = CT{};
        const CT* const first[] = {matrix.column(0)};
        if (!add_small(matrix, {0, length}, {0, outputs}, x, sums)) add_columns<1>(sums, first, x, outputs);
    }
    update(a.y, 0, sums, outputs, alpha, beta);
}

void gemv(host_device& device, heron_phase phase, const heron_gemv_args& a, heron_workspace& workspace) {
    if (is_small(a)) {
        workspace_layout(phase, workspace);
        if (phase == HERON_PHASE_RUN) visit_full(a.type, [&]<class CT>(type<CT>) { multiply_small<CT>(a); });
        return;
    }
    const bool turned = plans::is_transposed(a.op), conjugate = plans::is_conjugated(a.op);
    const int64_t outputs = turned ? a.n : a.m, length = turned ? a.m : a.n;
    // conj(A)*x is conj(A*conj(x)).
    const bool conjugates_x = conjugate && !turned;
    visit_full(a.type, [&]<class CT>(type<CT>) {
        const int64_t stored = stored_length(a.a, length, a.a.lower, a.a.upper);
        const product_shares shares(outputs, length, stored, turned, rows_of_tile<CT>, sizeof(CT));
        workspace_layout layout(phase, workspace);
        CT* const partial = some_of<CT>(layout, shares.partial_size());
        CT* const copy = some_of<CT>(layout, lies_apart<CT>(a.x, conjugates_x) ? length : 0);
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
    const bool conjugates_x = conjugate && !turned;
    visit_full(a.type, [&]<class CT>(type<CT>) {
        const int64_t stored = stored_length(a.a, a.n, 0, plans::triangle_band(a.a, a.n));
        const product_shares shares(a.n, a.n, stored, turned, rows_of_tile<CT>, sizeof(CT));
        workspace_layout layout(phase, workspace);
        CT* const partial = some_of<CT>(layout, shares.partial_size());
        constexpr int64_t short_x = 4096 / static_cast<int64_t>(sizeof(CT));
        CT* x = some_of<CT>(layout, a.n > short_x ? a.n : 0);
        if (phase != HERON_PHASE_RUN) return;
        CT copy[short_x];
        if (a.n <= short_x) x = copy;
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

// sums[i - rows.begin] := what a band and its mirror image have in these rows, each on its own: columns of
// few elements stay in the first-level cache.
template <class CT>
void sum_band_both_ways(const stored_columns<CT>& triangle, const heron_symv_args& a, range rows, const CT* x,
                        CT* sums) {
    column_dots(triangle, rows, {0, a.n}, x, static_cast<bool>(a.hermitian), sums);
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        const CT diagonal = triangle.diagonal(i);
        CT& sum = sums[i - rows.begin];
        sum = mad(a.hermitian ? real_part(diagonal) : diagonal, x[i], sum);
    }
    add_columns(triangle, {0, a.n}, rows, x, sums);
}

// What is worked on at a time: rows whose sums and part of x stay in the first-level cache.
template <class CT>
constexpr int64_t mirrored_rows = 8192 / static_cast<int64_t>(sizeof(CT));
constexpr int64_t mirrored_at_a_time = 64;

// sums[i] += what a wide band has in these columns, without its diagonal, both ways.
template <class CT>
void add_band_both_ways(const stored_columns<CT>& triangle, const heron_symv_args& a, range columns,
                        range wanted, const CT* x, CT* sums) {
    for_groups<4>(triangle, columns, wanted,
                  [&]<int K>(int64_t j, std::integral_constant<int, K>, range rows) {
                      const column_pointers<K, CT> own(triangle, j, rows.begin);
                      CT dots[K];
                      add_columns_and_dots<K>(sums + rows.begin, own.at, x + j, x + rows.begin,
                                              rows.end - rows.begin, a.hermitian, dots);
                      for_others<K>(triangle, j, rows, wanted, [&](int k, int64_t i) {
                          const CT element = triangle.column(j + k)[i];
                          sums[i] = mad(element, x[j + k], sums[i]);
                          dots[k] = mad(a.hermitian ? conj(element) : element, x[i], dots[k]);
                      });
                      for (int k = 0; k < K; ++k) sums[j + k] = add(sums[j + k], dots[k]);
                  });
}

// sums[i] += up to mirrored_at_a_time columns of the stored triangle and their mirror images, by x.
template <class CT>
void add_both_ways(const stored_columns<CT>& triangle, const heron_symv_args& a, range columns, const CT* x,
                   CT* sums) {
    constexpr int together = mirrored_together<CT>;
    CT dots[mirrored_at_a_time];
    for (int64_t j = columns.begin; j < columns.end; ++j) {
        const CT diagonal = triangle.diagonal(j);
        dots[j - columns.begin] = mul(a.hermitian ? real_part(diagonal) : diagonal, x[j]);
    }
    const bool is_lower = a.fill == HERON_FILL_LOWER;
    const range stored{is_lower ? columns.begin : 0, is_lower ? a.n : columns.end};
    for_blocks(stored, mirrored_rows<CT>, [&](int64_t first, int64_t count) {
        const range rows{first, first + count};
        if (a.a.storage == HERON_STORAGE_BANDED)
            add_band_both_ways(triangle, a, columns, rows, x, sums);
        else if (is_lower)
            add_mirrored<together, true>(triangle, columns, rows, x, a.hermitian, sums, dots);
        else
            add_mirrored<together, false>(triangle, columns, rows, x, a.hermitian, sums, dots);
    });
    for (int64_t j = columns.begin; j < columns.end; ++j) sums[j] = add(sums[j], dots[j - columns.begin]);
}

// Parts of the columns, each with sums for all rows.
template <class CT>
product_shares symv_shares(const heron_stored_matrix& a, int64_t n) {
    const int64_t stored = stored_length(a, n / 2, 0, plans::triangle_band(a, n));
    product_shares shares(n, stored, stored, false, n + 1, sizeof(CT));
    constexpr int64_t most = 16;
    if (shares.parts > most) shares.parts = most;
    return shares;
}

template <class CT>
void multiply_triangle(host_device& device, heron_phase phase, const heron_symv_args& a,
                       const stored_columns<CT>& triangle, heron_workspace& workspace) {
    const int64_t blocks = (a.n + mirrored_at_a_time - 1) / mirrored_at_a_time;
    const product_shares shares = symv_shares<CT>(a.a, a.n);
    workspace_layout layout(phase, workspace);
    constexpr int64_t short_y = 4096 / static_cast<int64_t>(sizeof(CT));
    const bool is_short = shares.parts == 1 && a.n <= short_y;
    CT* partial = some_of<CT>(layout, is_short ? 0 : shares.parts * a.n);
    CT* const copy = some_of<CT>(layout, lies_apart<CT>(a.x, a.conjugate) ? a.n : 0);
    if (phase != HERON_PHASE_RUN) return;
    alignas(64) CT sums_of_short[short_y];
    if (is_short) partial = sums_of_short;
    const CT alpha = number_of<CT>(a.alpha), beta = number_of<CT>(a.beta);
    if (equal(alpha, CT{})) {
        scale(a.y, a.n, beta);
        return;
    }
    const CT* const x = without_gaps(a.x, a.n, a.conjugate, copy);
    const auto sum_part = [&](int64_t part, CT* sums) {
        for (int64_t i = 0; i < a.n; ++i) sums[i] = CT{};
        // Columns are of different lengths: every part has some of each.
        for (int64_t block = part; block < blocks; block += shares.parts) {
            const int64_t first = block * mirrored_at_a_time, end = first + mirrored_at_a_time;
            add_both_ways(triangle, a, {first, end < a.n ? end : a.n}, x, sums);
        }
    };
    const auto put = [&](int64_t first, CT* sums, int64_t count) {
        conjugate_all(sums, count, a.conjugate);
        update(a.y, first, sums, count, alpha, beta);
    };
    if (shares.parts == 1) {
        sum_part(0, partial);
        return put(0, partial, a.n);
    }
    const int team = team_for(device, a.n * a.n / 2);
    run_team(team, [&](int member, int members) {
        const range own = equal_part(shares.parts, member, members);
        for (int64_t part = own.begin; part < own.end; ++part) sum_part(part, partial + part * a.n);
    });
    run_team(team, [&](int member, int members) {
        for_blocks(equal_part(a.n, member, members), rows_of_tile<CT>, [&](int64_t first, int64_t count) {
            CT sums[rows_of_tile<CT>];
            add_parts<CT>(partial, shares, first, count, sums);
            put(first, sums, count);
        });
    });
}

template <class CT>
void multiply_band(host_device& device, heron_phase phase, const heron_symv_args& a,
                   const stored_columns<CT>& triangle, heron_workspace& workspace) {
    const int64_t stored = stored_length(a.a, a.n, a.a.lower + a.a.upper, a.a.lower + a.a.upper);
    product_shares shares(a.n, a.n, stored, false, rows_of_tile<CT>, sizeof(CT));
    shares.parts = 1;
    workspace_layout layout(phase, workspace);
    CT* const copy = some_of<CT>(layout, lies_apart<CT>(a.x, a.conjugate) ? a.n : 0);
    if (phase != HERON_PHASE_RUN) return;
    const CT alpha = number_of<CT>(a.alpha), beta = number_of<CT>(a.beta);
    if (equal(alpha, CT{})) {
        scale(a.y, a.n, beta);
        return;
    }
    const CT* const x = without_gaps(a.x, a.n, a.conjugate, copy);
    for_sums<CT>(
        device, shares, nullptr,
        [&](range rows, range, CT* sums) { sum_band_both_ways(triangle, a, rows, x, sums); },
        [&](int64_t first, CT* sums, int64_t count) {
            conjugate_all(sums, count, a.conjugate);
            update(a.y, first, sums, count, alpha, beta);
        });
}

void symv(host_device& device, heron_phase phase, const heron_symv_args& a, heron_workspace& workspace) {
    visit_full(a.type, [&]<class CT>(type<CT>) {
        const stored_columns<CT> triangle(a.a, a.n, a.fill, false);
        triangle.is_narrow() ? multiply_band(device, phase, a, triangle, workspace)
                             : multiply_triangle(device, phase, a, triangle, workspace);
    });
}

}  // namespace

void override_blas2_products(heron_backend& table) {
    table.gemv = &slot<host_device, heron_gemv_args, &gemv, operation_names::gemv>;
    table.trmv = &slot<host_device, heron_trmv_args, &trmv, operation_names::trmv>;
    table.symv = &slot<host_device, heron_symv_args, &symv, operation_names::symv>;
}

}  // namespace heron::HERON_LEVEL
