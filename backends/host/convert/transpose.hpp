#pragma once
// B := A^T on the CPU. Where columns come in no order elements go into buckets of neighbouring columns first,
// in their order, so that what a bucket becomes stays in a core's cache while its elements are counted and
// put into their columns.
#include "host/runtime/team.hpp"
#include "common/convert/blocks.hpp"
#include "common/runtime/dispatch.hpp"

namespace heron::HERON_LEVEL::transpose_host {

// What goes along with an element: its value, the number of a block that is copied at the end, or nothing.
template <class RT>
struct carried_value {
    struct record {
        uint32_t column;
        i32 row;
        RT value;
    };
    const RT* from;
    RT* to;
    record pack(uint32_t column, i32 row, int64_t k) const { return {column, row, from[k]}; }
    void unpack(const record& r, int64_t at) const { to[at] = r.value; }
    void ask_for(int64_t at) const { __builtin_prefetch(to + at, 1); }
};
template <class RT>
struct block_number {
    struct record {
        uint32_t column;
        i32 row;
        i32 block;
    };
    const RT* from;
    RT* to;
    int64_t size;
    record pack(uint32_t column, i32 row, int64_t k) const { return {column, row, static_cast<i32>(k)}; }
    void unpack(const record& r, int64_t at) const {
        for (int64_t i = 0; i < size; ++i) to[at * size + i] = from[r.block * size + i];
    }
    void ask_for(int64_t at) const { __builtin_prefetch(to + at * size, 1); }
};
struct no_value {
    struct record {
        uint32_t column;
        i32 row;
    };
    record pack(uint32_t column, i32 row, int64_t) const { return {column, row}; }
    void unpack(const record&, int64_t) const {}
    void ask_for(int64_t) const {}
};

// The last row that does not begin behind element k.
inline int64_t row_of_element(const heron_spmat& a, int64_t rows, int64_t k) {
    const i32* const offsets = as<const i32>(a.offsets);
    int64_t low = 0, high = rows - 1;
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        if (offsets[middle] - a.base <= k)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// Puts elements [k, end) into their columns: places[c] is where the next element of column c goes, counted
// from A's base. Where that is some elements later is asked for before, if `asks`. What loops read of the
// arguments they copy: what they write might lie there, for all that the compiler knows.
template <bool asks, class Carried>
void put_elements(const heron_transpose_args& args, const Carried& given, int64_t lines, range elements,
                  i32* places) {
    constexpr int64_t ahead = 16;
    const Carried carried = given;
    const i32 base = args.a.base, to_base = args.b.base;
    const i32* const offsets = as<const i32>(args.a.offsets);
    const i32* const columns = as<const i32>(args.a.indices);
    i32* const rows = as<i32>(args.b.indices);
    int64_t k = elements.begin;
    if (k == elements.end) return;
    for (int64_t row = row_of_element(args.a, lines, k); k < elements.end; ++row) {
        const int64_t next = row + 1 < lines ? offsets[row + 1] - base : elements.end;
        for (const int64_t end = next < elements.end ? next : elements.end; k < end; ++k) {
            if (asks && k + ahead < elements.end) {
                const int64_t later = places[columns[k + ahead]];
                __builtin_prefetch(rows + later, 1);
                carried.ask_for(later);
            }
            const i32 column = columns[k];
            const int64_t to = places[column]++;
            rows[to] = static_cast<i32>(row) + to_base;
            carried.unpack(carried.pack(static_cast<uint32_t>(column), static_cast<i32>(row), k), to);
        }
    }
}

// So few columns that a core's cache holds a number for each, wherever the elements are.
inline bool has_few_columns(int64_t columns) { return columns <= int64_t{1} << 18; }

// One thread counts the elements and puts them into their columns at once.
template <class Carried>
void transpose_at_once(const heron_transpose_args& args, const Carried& carried) {
    constexpr int64_t cached = 4096;
    const plans::blocks_of a(args.a);
    const int64_t nnz = args.a.nnz;
    const i32 base = args.a.base, to_base = args.b.base;
    const i32* const columns = as<const i32>(args.a.indices);
    // at[c + 1] is where the next element of column c goes, and at the end where column c + 1 begins.
    i32* const at = as<i32>(args.b.offsets);
    __builtin_memset(at, 0, static_cast<size_t>(a.columns + 1) * sizeof(i32));
    for (int64_t k = 0; k < nnz; ++k) ++at[columns[k] - base + 1];
    i32 begin = 0;
    for (int64_t c = 1; c <= a.columns; ++c) {
        const i32 elements = at[c];
        at[c] = begin;
        begin += elements;
    }
    nnz > cached ? put_elements<true>(args, carried, a.lines, {0, nnz}, at + 1 - base)
                 : put_elements<false>(args, carried, a.lines, {0, nnz}, at + 1 - base);
    for (int64_t c = 0; to_base != 0 && c <= a.columns; ++c) at[c] += to_base;
}

// A part of the elements counts those of each column between its first and its last one, and puts them
// straight into their places: where columns are long, by a part for each thread, or where elements that
// follow each other have columns that lie close together, as in meshes and bands.
template <class Carried>
class straight_transpose {
  public:
    // memory: of room counts.
    straight_transpose(int team, const heron_transpose_args& args, const Carried& carried, void* memory,
                       int64_t room)
        : team_(team),
          args_(args),
          a_(args.a),
          parts_(parts_for(team, args.a.nnz, a_.columns)),
          carried_(carried),
          counts_(static_cast<i32*>(memory)) {
        for_parts([&](int part) { find_columns(part); });
        for (int part = 0; part < parts_; ++part) {
            own_columns& own = own_[part];
            own.counts = counts_ + used_ - own.first;
            used_ += own.end - own.first;
        }
        fits_ =
            used_ <= room && (used_ <= 4 * a_.columns || has_long_columns(parts_, args.a.nnz, a_.columns));
    }

    // Whether the parts have few columns in common, or few at all.
    bool fits() const { return fits_; }

    void run() {
        __builtin_memset(counts_, 0, static_cast<size_t>(used_) * sizeof(i32));
        for_parts([&](int part) {
            const i32* const columns = as<const i32>(args_.a.indices);
            i32* const counts = own_[part].counts - args_.a.base;
            const int64_t end = part_begin(part + 1);
            for (int64_t k = part_begin(part); k < end; ++k) ++counts[columns[k]];
        });
        int64_t totals[blocks + 1];
        for_blocks_of_columns([&](int block) { totals[block + 1] = elements_of(block); });
        totals[0] = 0;
        for (int block = 0; block < blocks; ++block) totals[block + 1] += totals[block];
        for_blocks_of_columns([&](int block) { place(block, totals[block]); });
        as<i32>(args_.b.offsets)[a_.columns] = static_cast<i32>(args_.a.nnz + args_.b.base);
        for_parts([&](int part) { put(part); });
    }

  private:
    static constexpr int most_parts = 16;
    static constexpr int blocks = 64;  // of columns, whose places are found together

    // So many elements in a column that the parts seldom write to the same lines.
    static bool has_long_columns(int parts, int64_t nnz, int64_t columns) {
        return nnz >= 16 * columns * parts;
    }
    static int parts_for(int team, int64_t nnz, int64_t columns) {
        return team < most_parts && has_long_columns(team, nnz, columns) ? team : most_parts;
    }

    // Of a part. counts: by column.
    struct own_columns {
        int64_t first, end;
        i32* counts;
    };

    template <class F>
    void for_parts(const F& f) const {
        share_parts(team_, (parts_ + team_ - 1) / team_, [&](int part, int) {
            if (part < parts_) f(part);
        });
    }
    template <class F>
    void for_blocks_of_columns(const F& f) const {
        share_parts(team_, (blocks + team_ - 1) / team_, [&](int block, int) {
            if (block < blocks) f(block);
        });
    }

    int64_t part_begin(int part) const { return args_.a.nnz * part / parts_; }

    void find_columns(int part) {
        const i32* const columns = as<const i32>(args_.a.indices);
        i32 low = INT32_MAX, high = INT32_MIN;
        const int64_t end = part_begin(part + 1);
        for (int64_t k = part_begin(part); k < end; ++k) {
            low = columns[k] < low ? columns[k] : low;
            high = columns[k] > high ? columns[k] : high;
        }
        own_[part] = {0, 0, nullptr};
        if (low <= high)
            own_[part] = {int64_t{low} - args_.a.base, int64_t{high} - args_.a.base + 1, nullptr};
    }

    range columns_of(int block) const { return equal_part(a_.columns, block, blocks); }
    range common_columns(const own_columns& own, range columns) const {
        return {own.first > columns.begin ? own.first : columns.begin,
                own.end < columns.end ? own.end : columns.end};
    }

    int64_t elements_of(int block) const {
        int64_t sum = 0;
        for (int part = 0; part < parts_; ++part) {
            const own_columns& own = own_[part];
            const range columns = common_columns(own, columns_of(block));
            for (int64_t c = columns.begin; c < columns.end; ++c) sum += own.counts[c];
        }
        return sum;
    }

    // The counts of a block's columns become places: by columns, and within these by parts.
    void place(int block, int64_t first) {
        own_columns* with[most_parts];
        int count = 0;
        const range columns = columns_of(block);
        for (int part = 0; part < parts_; ++part) {
            const range common = common_columns(own_[part], columns);
            if (common.begin < common.end) with[count++] = &own_[part];
        }
        auto at = static_cast<i32>(first);
        for (int64_t c = columns.begin; c < columns.end; ++c) {
            as<i32>(args_.b.offsets)[c] = at + args_.b.base;
            for (int i = 0; i < count; ++i) {
                if (c < with[i]->first || c >= with[i]->end) continue;
                const i32 elements = with[i]->counts[c];
                with[i]->counts[c] = at;
                at += elements;
            }
        }
    }

    void put(int part) const {
        put_elements<true>(args_, carried_, a_.lines, {part_begin(part), part_begin(part + 1)},
                           own_[part].counts - args_.a.base);
    }

    const int team_;
    const heron_transpose_args& args_;
    const plans::blocks_of a_;
    const int parts_;
    const Carried carried_;
    i32* counts_;
    int64_t used_ = 0;
    bool fits_ = false;
    own_columns own_[most_parts];
};

template <class Carried>
class bucketed_transpose {
  public:
    bucketed_transpose(host_device& device, const heron_transpose_args& args, workspace_layout& layout,
                       const Carried& carried)
        : device_(device),
          args_(args),
          a_(args.a),
          carried_(carried),
          shift_(shift_for(args.a.nnz, a_.columns)),
          buckets_(((a_.columns - 1) >> shift_) + 1),
          records_(layout.take<record>(args.a.nnz)),
          places_(layout.take<int64_t>(parts * buckets_)),
          begins_(layout.take<int64_t>(buckets_ + 1)) {}

    void run() {
        const int team = team_for(device_, args_.a.nnz);
        if (team == 1 && has_few_columns(a_.columns)) return transpose_at_once(args_, carried_);
        const int64_t counts = args_.a.nnz * static_cast<int64_t>(sizeof(record) / sizeof(i32));
        straight_transpose<Carried> straight(team, args_, carried_, records_, counts);
        if (straight.fits()) return straight.run();
        share_parts(team, quotient_up(parts, team), [&](int part, int) {
            if (part < parts) count(part);
        });
        place();
        share_parts(team, quotient_up(parts, team), [&](int part, int) {
            if (part < parts) distribute(part);
        });
        const int pieces = static_cast<int>((buckets_ + team - 1) / team);
        share_parts(team, pieces, [&](int bucket, int) {
            if (bucket < buckets_) finish(bucket);
        });
        offsets()[a_.columns] = static_cast<i32>(args_.a.nnz + args_.b.base);
    }

  private:
    using record = typename Carried::record;
    // Of the elements, whatever the number of threads, so that the workspace is the same.
    static constexpr int parts = 16;
    static constexpr int64_t most_buckets = 256;  // whose ends stay in the cache and its table of pages
    static constexpr int64_t bucket_elements = 16384;

    static int quotient_up(int a, int b) { return (a + b - 1) / b; }

    static int shift_for(int64_t nnz, int64_t columns) {
        int64_t wanted = nnz / bucket_elements + 1;
        if (wanted > most_buckets) wanted = most_buckets;
        int shift = 0;
        while ((columns - 1) >> shift >= wanted) ++shift;
        return shift;
    }

    const i32* columns() const { return as<const i32>(args_.a.indices); }
    const i32* row_offsets() const { return as<const i32>(args_.a.offsets); }
    i32* offsets() const { return as<i32>(args_.b.offsets); }
    int64_t part_begin(int part) const { return args_.a.nnz * part / parts; }
    uint32_t column_of(int64_t k) const { return static_cast<uint32_t>(columns()[k] - args_.a.base); }

    void count(int part) {
        int64_t* const own = places_ + part * buckets_;
        for (int64_t b = 0; b < buckets_; ++b) own[b] = 0;
        const int64_t end = part_begin(part + 1);
        for (int64_t k = part_begin(part); k < end; ++k) ++own[column_of(k) >> shift_];
    }

    // The counts become places: by buckets, and within these by parts.
    void place() {
        int64_t at = 0;
        for (int64_t b = 0; b < buckets_; ++b) {
            begins_[b] = at;
            for (int part = 0; part < parts; ++part) {
                const int64_t elements = places_[part * buckets_ + b];
                places_[part * buckets_ + b] = at;
                at += elements;
            }
        }
        begins_[buckets_] = at;
    }

    void distribute(int part) {
        int64_t* const own = places_ + part * buckets_;
        const int64_t end = part_begin(part + 1);
        int64_t k = part_begin(part);
        if (k == end) return;
        for (int64_t row = row_of_element(args_.a, a_.lines, k); k < end; ++row) {
            const int64_t next = row + 1 < a_.lines ? row_offsets()[row + 1] - args_.a.base : end;
            for (const int64_t row_end = next < end ? next : end; k < row_end; ++k) {
                const uint32_t column = column_of(k);
                records_[own[column >> shift_]++] = carried_.pack(column, static_cast<i32>(row), k);
            }
        }
    }

    void finish(int64_t bucket) {
        const int64_t first = bucket << shift_;
        const int64_t behind = (bucket + 1) << shift_;
        const int64_t last = behind < a_.columns ? behind : a_.columns;
        const int64_t begin = begins_[bucket], end = begins_[bucket + 1];
        i32* const at = offsets();
        for (int64_t c = first; c < last; ++c) at[c] = 0;
        for (int64_t k = begin; k < end; ++k) ++at[records_[k].column];
        i32 sum = static_cast<i32>(begin);
        for (int64_t c = first; c < last; ++c) {
            const i32 elements = at[c];
            at[c] = sum;
            sum += elements;
        }
        i32* const rows = as<i32>(args_.b.indices);
        for (int64_t k = begin; k < end; ++k) {
            const record r = records_[k];
            const int64_t to = at[r.column]++;
            rows[to] = r.row + args_.b.base;
            carried_.unpack(r, to);
        }
        // Each is where the next one begins now.
        for (int64_t c = last - 1; c > first; --c) at[c] = at[c - 1] + args_.b.base;
        at[first] = static_cast<i32>(begin + args_.b.base);
    }

    host_device& device_;
    const heron_transpose_args& args_;
    const plans::blocks_of a_;
    const Carried carried_;
    const int shift_;
    const int64_t buckets_;
    record* records_;
    int64_t* places_;
    int64_t* begins_;
};

}  // namespace heron::HERON_LEVEL::transpose_host
