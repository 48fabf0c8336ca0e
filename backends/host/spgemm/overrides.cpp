// Sparse products on the CPU, compiled once per instruction set level: Gustavson's algorithm with a dense
// accumulator and a bitmap of its columns per thread, which gives sorted rows without sorting. Rows go to
// threads in small portions; each is summed in the order of the factors' elements, so that the result does
// not depend on the threads.
#include "common/spgemm/plan.hpp"
#include "common/runtime/slot.hpp"
#include "host/runtime/most_threads.hpp"
#include "repeated_rows.hpp"

namespace heron::HERON_LEVEL::spgemm_host {

// How many threads a workspace has room for, of so many bytes each: as much in all as the factors take,
// about. 0 if not even one.
inline int room_for_threads(const heron_spgemm_args& args, int64_t bytes_each) {
    const heron_spmat& a = args.a.matrix;
    const heron_spmat& b = args.b.matrix;
    const int64_t limit = 32 * (a.rows + a.nnz + b.nnz) + (int64_t{4} << 20);
    const int64_t wanted = args.products + a.rows < smallest_parallel_work ? 1 : most_threads();
    const int64_t possible = limit / bytes_each;
    return static_cast<int>(possible < wanted ? possible : wanted);
}

inline int team_within(int room, const host_device& device, const heron_spgemm_args& args) {
    const int team = team_for(device, args.products + args.a.matrix.rows);
    return team < room ? team : room;
}

// Calls f(member, next) on every member of the team; next(range&) gives portions of the rows until none is
// left.
template <class F>
void share_rows(int team, int64_t rows, F&& f) {
    int64_t portion = rows / (int64_t{team} * 64);
    portion = team == 1 ? rows : portion < 1 ? 1 : portion > 1024 ? 1024 : portion;
    int64_t done = 0;
    run_team(team, [&](int member, int) {
        f(member, [&](range& r) {
            r.begin = __atomic_fetch_add(&done, portion, __ATOMIC_RELAXED);
            r.end = r.begin + portion < rows ? r.begin + portion : rows;
            return r.begin < rows;
        });
    });
}

// Whether what is found out about the rows of the factors is used often enough to pay.
inline bool has_many_products(const heron_spgemm_args& args) {
    return args.products > 2 * (args.a.matrix.rows + args.b.matrix.nnz);
}

// Whether C is probably full: each row has many more products than there are columns.
inline bool fills_up(const heron_spgemm_args& args) {
    return args.products / args.a.matrix.rows > 8 * args.b.matrix.cols;
}

// Values of an operand, possibly permuted and conjugated.
template <class VT, class CT, class OT>
struct operand_values {
    explicit operand_values(const heron_spgemm_operand& o)
        : values(as<const VT>(o.matrix.values)),
          permutation(as<const OT>(o.permutation)),
          conjugate(o.conjugate != 0) {}
    bool plain() const { return !permutation && !conjugate; }
    CT any(int64_t k) const {
        const CT v = load<CT>(values[permutation ? static_cast<int64_t>(permutation[k]) : k]);
        return conjugate ? conj(v) : v;
    }

    const VT* values;
    const OT* permutation;
    bool conjugate;
};

// ---- symbolic ----

template <class OT, class IT>
class symbolic {
  public:
    symbolic(host_device& device, const heron_spgemm_args& args, workspace_layout& layout)
        : device_(device),
          args_(args),
          slot_bytes_(column_set::bytes(args.b.matrix.cols, args.longest)),
          room_(room_for_threads(args, slot_bytes_)),
          team_(team_within(room_, device, args)),
          slots_(layout.take<char>(room_ * slot_bytes_)),
          compressed_(args.b.matrix, layout),
          repeated_(args.a.matrix, args.b.matrix, layout) {}

    static bool serves(const heron_spgemm_args& args) {
        return !plans::is_empty_product(args) && column_set::serves(args.b.matrix.cols) &&
               room_for_threads(args, column_set::bytes(args.b.matrix.cols, args.longest)) > 0;
    }

    void run() {
        const bool repeats = has_many_products(args_) && repeated_.build(team_);
        const bool compresses =
            !repeats && !fills_up(args_) && compressed_.build(team_, args_.b.matrix.nnz, args_.products);
        compresses ? count_rows<true>() : count_rows<false>();
        finish(args_.a.matrix.rows);
    }

  private:
    template <bool compressed>
    void count_rows() {
        share_rows(team_, args_.a.matrix.rows, [&](int member, auto&& next) {
            column_set set(slots_ + member * slot_bytes_, args_.b.matrix.cols);
            for (range r{0, 0}; next(r);)
                for (int64_t row = r.begin; row < r.end; ++row)
                    args_.row_offsets[row] = row > r.begin && repeated_.repeats(row)
                                                 ? args_.row_offsets[row - 1]
                                                 : count<compressed>(set, row);
        });
    }

    // A row with many more products than there are columns has probably all of them, soon.
    bool is_filled_soon(int64_t row) const {
        const heron_spmat& b = args_.b.matrix;
        return (a_.begin(row + 1) - a_.begin(row)) * (b.nnz / b.rows) > 4 * b.cols;
    }
    int64_t count_until_full(column_set set, int64_t row) const {
        const int64_t end = a_.begin(row + 1), all = args_.b.matrix.cols;
        int64_t found = 0;
        for (int64_t k = a_.begin(row); k < end && found < all; ++k) {
            const int64_t inner = a_.column(k), inner_end = b_.begin(inner + 1);
            for (int64_t l = b_.begin(inner); l < inner_end; ++l) found += set.insert_new(b_.column(l));
        }
        return set.drain();
    }

    template <bool compressed>
    int64_t count(column_set set, int64_t row) const {
        if (args_.row_products[row] <= 1) return args_.row_products[row];
        const int64_t begin = a_.begin(row), end = a_.begin(row + 1);
        if (is_filled_soon(row)) return count_until_full(set, row);
        for (int64_t k = begin; k < end; ++k) {
            const int64_t inner = a_.column(k);
            if (compressed) {
                compressed_.unite(inner, set);
                continue;
            }
            const int64_t inner_end = b_.begin(inner + 1);
            for (int64_t l = b_.begin(inner); l < inner_end; ++l) set.insert(b_.column(l));
        }
        return set.drain();
    }

    // Lengths of rows into offsets.
    void finish(int64_t rows) {
        int64_t nnz = 0, longest = 0;
        for (int64_t row = 0; row < rows; ++row) {
            const int64_t length = args_.row_offsets[row];
            longest = length > longest ? length : longest;
            args_.row_offsets[row] = nnz;
            nnz += length;
        }
        args_.row_offsets[rows] = nnz;
        plans::require_offsets_hold(args_.c, nnz);
        plans::write_product_offsets(device_, args_);
        plans::report(args_.nnz_found, nnz);
        plans::report(args_.longest_found, longest);
    }

    host_device& device_;
    const heron_spgemm_args& args_;
    csr_pattern<OT, IT> a_{args_.a.matrix}, b_{args_.b.matrix};
    int64_t slot_bytes_;
    int room_, team_;
    char* slots_;
    compressed_rows<OT, IT> compressed_;
    repeated_products<OT, IT> repeated_;
};

inline void spgemm_symbolic(host_device& device, heron_phase phase, const heron_spgemm_args& args,
                            heron_workspace& workspace) {
    plans::visit_spgemm_pattern(args, [&]<class OT, class IT>(type<OT>, type<IT>) {
        using plan = symbolic<OT, IT>;
        if (!plan::serves(args)) return plans::spgemm_symbolic(device, phase, args, workspace);
        workspace_layout layout(phase, workspace);
        plan p(device, args, layout);
        if (phase == HERON_PHASE_RUN) p.run();
    });
}

// ---- numeric ----

template <class VT, class CT, class OT, class IT>
class numeric {
  public:
    numeric(host_device& device, const heron_spgemm_args& args, workspace_layout& layout)
        : device_(device),
          args_(args),
          slot_bytes_(bytes_each(args)),
          room_(room_for_threads(args, slot_bytes_)),
          team_(team_within(room_, device, args)),
          slots_(layout.take<char>(room_ * slot_bytes_)),
          compressed_(args.b.matrix, layout),
          repeated_(args.a.matrix, args.b.matrix, layout) {}

    static bool serves(const heron_spgemm_args& args) {
        return !plans::is_empty_product(args) && column_set::serves(args.b.matrix.cols) &&
               room_for_threads(args, bytes_each(args)) > 0;
    }

    void run() {
        alpha_ = scalar(args_.alpha);
        beta_ = scalar(args_.beta);
        const bool columns = args_.parts & HERON_SPGEMM_COLUMNS;
        const bool values = args_.parts & HERON_SPGEMM_VALUES;
        if (columns) plans::write_product_offsets(device_, args_);
        const bool sums = values && !equal(alpha_, CT{});
        const bool repeats = sums && has_many_products(args_) && repeated_.build(team_);
        const bool is_short = args_.b.matrix.nnz < 8 * args_.b.matrix.rows;
        is_compressed_ = !repeats && !(is_short && fills_up(args_)) &&
                         compressed_.build(team_, args_.b.matrix.nnz, args_.products);
        if (sums && b_values_.plain()) return columns ? rows<true, true, true>() : rows<true, true, false>();
        if (sums) return columns ? rows<true, false, true>() : rows<true, false, false>();
        columns ? rows<false, true, true>() : rows<false, true, false>();
    }

  private:
    static int64_t sums_bytes(const heron_spgemm_args& args) {
        return (args.b.matrix.cols * static_cast<int64_t>(sizeof(CT)) + 63) / 64 * 64;
    }
    static int64_t bytes_each(const heron_spgemm_args& args) {
        return sums_bytes(args) + product_places<CT>::bytes +
               column_set::bytes(args.b.matrix.cols, args.longest);
    }

    static CT scalar(const heron_scalar& s) {
        const scalar_argument<CT> argument = as_argument<CT>(s);
        return argument.device ? *argument.device : argument.value;
    }

    // with_columns: C's columns are found, else they are there. plain_b: B's values are used as they lie.
    template <bool with_sums, bool plain_b, bool with_columns>
    void rows() {
        share_rows(team_, args_.a.matrix.rows, [&](int member, auto&& next) {
            char* const slot = slots_ + member * slot_bytes_;
            CT* const sums = reinterpret_cast<CT*>(slot);
            __builtin_memset(static_cast<void*>(sums), 0, static_cast<size_t>(sums_bytes(args_)));
            product_places<CT> places(slot + sums_bytes(args_), repeated_.is_built());
            column_set set(slot + sums_bytes(args_) + product_places<CT>::bytes,
                           with_columns ? args_.b.matrix.cols : 0);
            for (range r{0, 0}; next(r);) {
                bool repeats = false;
                for (int64_t row = r.begin; row < r.end; ++row) {
                    if (length_of(row) <= 1) {
                        if (length_of(row) == 1) write_single<with_sums, plain_b, with_columns>(row);
                        repeats = false;
                        continue;
                    }
                    if (repeats && places.serve(length_of(row))) {
                        repeat_row<plain_b, with_columns>(row, places);
                        repeats = row + 1 < r.end && repeated_.repeats(row + 1);
                        continue;
                    }
                    sum_row<with_sums, plain_b, with_columns>(row, sums, set);
                    repeats = with_sums && row + 1 < r.end && repeated_.repeats(row + 1);
                    if (repeats) find_places(row, sums, places);
                }
            }
        });
    }

    template <bool with_sums, bool plain_b, bool with_columns>
    void sum_row(int64_t row, CT* sums, column_set& set) const {
        const auto add = [&]<bool finds_columns>(std::bool_constant<finds_columns>) {
            if (is_compressed_)
                add_products<with_sums, plain_b, finds_columns, true>(row, sums, set);
            else
                add_products<with_sums, plain_b, finds_columns, false>(row, sums, set);
        };
        // All columns need not be found.
        if constexpr (with_columns)
            if (length_of(row) != args_.b.matrix.cols) {
                add(std::true_type{});
                return write_row(row, sums, set);
            }
        add(std::false_type{});
        with_columns ? write_full_row(row, sums) : write_values(row, sums);
    }

    template <bool with_sums, bool plain_b, bool with_columns, bool compressed>
    void add_products(int64_t row, CT* sums, column_set& columns) const {
        if (!with_sums && !with_columns) return;
        column_set set = columns;
        const int64_t end = a_.begin(row + 1);
        for (int64_t k = a_.begin(row); k < end; ++k) {
            const int64_t inner = a_.column(k);
            const CT ak = with_sums ? a_values_.any(k) : CT{};
            if (compressed && with_columns) compressed_.unite(inner, set);
            if (compressed && !with_sums) continue;
            const int64_t first = b_.begin(inner), inner_end = b_.begin(inner + 1);
            if (compressed && plain_b && compressed_.is_contiguous(inner)) {
                add_contiguous(ak, b_values_.values + first, inner_end - first, sums + b_.column(first));
                continue;
            }
            for (int64_t l = first; l < inner_end; ++l) {
                const int64_t column = b_.column(l);
                if (!compressed && with_columns) set.insert(column);
                if (with_sums) {
                    const CT bl = plain_b ? load<CT>(b_values_.values[l]) : b_values_.any(l);
                    sums[column] = mad(ak, bl, sums[column]);
                }
            }
        }
        columns = set;
    }

    // A row with one element, which all its products add to.
    template <bool with_sums, bool plain_b, bool with_columns>
    void write_single(int64_t row) const {
        CT sum{};
        int64_t column = 0;
        const int64_t end = a_.begin(row + 1);
        for (int64_t k = a_.begin(row); k < end; ++k) {
            const int64_t inner = a_.column(k), inner_end = b_.begin(inner + 1);
            for (int64_t l = b_.begin(inner); l < inner_end; ++l) {
                column = b_.column(l);
                if (with_sums)
                    sum = mad(a_values_.any(k), plain_b ? load<CT>(b_values_.values[l]) : b_values_.any(l),
                              sum);
            }
        }
        const int64_t to = args_.row_offsets[row];
        if (with_columns) as<IT>(args_.c.indices)[to] = static_cast<IT>(column + args_.c.base);
        if (args_.parts & HERON_SPGEMM_VALUES) write_value(to, sum);
    }

    int64_t length_of(int64_t row) const { return args_.row_offsets[row + 1] - args_.row_offsets[row]; }

    // Finds the places of a finished row's products, for the rows that repeat it; for none if there are too
    // many. The sums serve as a table of the places.
    void find_places(int64_t row, CT* sums, product_places<CT>& places) const {
        places.forget();
        int64_t products = 0;
        for (int64_t k = a_.begin(row); k < a_.begin(row + 1); ++k)
            products += b_.begin(a_.column(k) + 1) - b_.begin(a_.column(k));
        const int64_t length = length_of(row);
        if (products > product_places<CT>::most || length > product_places<CT>::most) return;
        const IT* const columns = as<const IT>(args_.c.indices) + args_.row_offsets[row];
        for (int32_t i = 0; i < length; ++i)
            __builtin_memcpy(&sums[static_cast<int64_t>(columns[i]) - args_.c.base], &i, sizeof i);
        uint16_t* next = places.places();
        for (int64_t k = a_.begin(row); k < a_.begin(row + 1); ++k)
            for (int64_t l = b_.begin(a_.column(k)); l < b_.begin(a_.column(k) + 1); ++l) {
                int32_t place;
                __builtin_memcpy(&place, &sums[b_.column(l)], sizeof place);
                // A column that C has not, because the factors have changed since it was counted, has none.
                *next++ = static_cast<uint16_t>(static_cast<uint32_t>(place) % product_places<CT>::most);
            }
        for (int64_t i = 0; i < length; ++i) sums[static_cast<int64_t>(columns[i]) - args_.c.base] = CT{};
        places.set(length);
    }

    // A row whose products go where those of the row before went.
    template <bool plain_b, bool with_columns>
    void repeat_row(int64_t row, const product_places<CT>& places) const {
        const uint16_t* place = places.first();
        const int64_t end = a_.begin(row + 1);
        for (int64_t k = a_.begin(row); k < end; ++k) {
            const int64_t first = b_.begin(a_.column(k)), count = b_.begin(a_.column(k) + 1) - first;
            place = places.add(place, a_values_.any(k), count, [&](int64_t i) {
                return plain_b ? load<CT>(b_values_.values[first + i]) : b_values_.any(first + i);
            });
        }
        const int64_t to = args_.row_offsets[row], length = length_of(row);
        IT* const columns = as<IT>(args_.c.indices) + to;
        if (with_columns)
            for (int64_t i = 0; i < length; ++i) columns[i] = columns[i - length] + 1;
        for (int64_t i = 0; i < length; ++i) write_value(to + i, places.sums()[i]);
    }

    static void add_contiguous(CT ak, const VT* __restrict b, int64_t count, CT* __restrict sums) {
        if (count == 0) return;
        for (int64_t i = 0; i < count; ++i) sums[i] = mad(ak, load<CT>(b[i]), sums[i]);
    }

    void write_value(int64_t k, CT& sum) const {
        CT result = mul(alpha_, sum);
        sum = CT{};
        VT* const values = as<VT>(args_.c.values);
        if (!equal(beta_, CT{})) result = mad(beta_, load<CT>(values[k]), result);
        store(values[k], result);
    }

    // Never writes behind the row, even if the factors have changed since it was counted.
    void write_row(int64_t row, CT* sums, column_set& set) const {
        int64_t next = args_.row_offsets[row];
        const int64_t end = args_.row_offsets[row + 1];
        const bool values = args_.parts & HERON_SPGEMM_VALUES;
        set.drain([&](const int64_t* columns, int64_t found) {
            const int64_t count = found < end - next ? found : end - next;
            IT* const to = as<IT>(args_.c.indices) + next;
            for (int64_t i = 0; i < count; ++i) to[i] = static_cast<IT>(columns[i] + args_.c.base);
            for (int64_t i = 0; values && i < count; ++i) write_value(next + i, sums[columns[i]]);
            next += count;
        });
    }

    void write_full_row(int64_t row, CT* sums) const {
        const int64_t first = args_.row_offsets[row], columns = args_.b.matrix.cols;
        IT* const to = as<IT>(args_.c.indices) + first;
        for (int64_t i = 0; i < columns; ++i) to[i] = static_cast<IT>(i + args_.c.base);
        if ((args_.parts & HERON_SPGEMM_VALUES) == 0) return;
        for (int64_t i = 0; i < columns; ++i) write_value(first + i, sums[i]);
    }

    void write_values(int64_t row, CT* sums) const {
        const IT* const columns = as<const IT>(args_.c.indices);
        for (int64_t k = args_.row_offsets[row]; k < args_.row_offsets[row + 1]; ++k)
            write_value(k, sums[static_cast<int64_t>(columns[k]) - args_.c.base]);
    }

    host_device& device_;
    const heron_spgemm_args& args_;
    csr_pattern<OT, IT> a_{args_.a.matrix}, b_{args_.b.matrix};
    operand_values<VT, CT, OT> a_values_{args_.a}, b_values_{args_.b};
    int64_t slot_bytes_;
    int room_, team_;
    char* slots_;
    compressed_rows<OT, IT> compressed_;
    repeated_products<OT, IT> repeated_;
    bool is_compressed_ = false;
    CT alpha_{}, beta_{};
};

inline void spgemm_numeric(host_device& device, heron_phase phase, const heron_spgemm_args& args,
                           heron_workspace& workspace) {
    visit_uniform(args.c.type, args.compute_type, [&]<class VT, class CT>(type<VT>, type<CT>) {
        plans::visit_spgemm_pattern(args, [&]<class OT, class IT>(type<OT>, type<IT>) {
            using plan = numeric<VT, CT, OT, IT>;
            if (!plan::serves(args)) return plans::spgemm_numeric(device, phase, args, workspace);
            workspace_layout layout(phase, workspace);
            plan p(device, args, layout);
            if (phase == HERON_PHASE_RUN) p.run();
        });
    });
}

}  // namespace heron::HERON_LEVEL::spgemm_host

namespace heron::HERON_LEVEL {

void override_spgemm(heron_backend& table) {
    table.spgemm_symbolic = &slot<host_device, heron_spgemm_args, &spgemm_host::spgemm_symbolic,
                                  operation_names::spgemm_symbolic>;
    table.spgemm_numeric =
        &slot<host_device, heron_spgemm_args, &spgemm_host::spgemm_numeric, operation_names::spgemm_numeric>;
}

}  // namespace heron::HERON_LEVEL
