#pragma once
// C := alpha*A*B + beta*C with sparse operands for any device: Gustavson's algorithm (ACM TOMS 4(3), 1978),
// each row in a hash table of its own. Items own rows, so nothing is atomic and the sums have one order. The
// tables take O(rows + nnz) memory however many products there are: long rows share few large tables, short
// rows many small ones.
#include "spadd.hpp"

namespace heron::HERON_LEVEL::kernels {
inline constexpr kernel_family spgemm_pattern{"scan_holder spgemm_pattern", "OT IT"};
#include "pattern.h"
inline constexpr kernel_family spgemm{"spgemm", "VT CT OT IT"};
#include "kernels.h"
}  // namespace heron::HERON_LEVEL::kernels

namespace heron::HERON_LEVEL::plans {

// A power of two near sqrt(n).
inline heron_index root_of(int64_t n) {
    heron_index length = 1;
    while (length * length < n) length *= 2;
    return length;
}

template <class Device, class OT, class IT>
class transpose_pattern_plan {
  public:
    transpose_pattern_plan(Device& device, const heron_transpose_pattern_args& args, workspace_layout& layout)
        : device_(device),
          args_(args),
          chunks_((args.a.nnz + chunk - 1) / chunk),
          other_(layout.take<OT>(args.a.nnz)),
          counts_(layout.take<i64>((chunks_ << digit_bits) + 1)),
          scan_(layout, chunks_ << digit_bits) {}

    void run() {
        const int passes = pass_count();
        for (int pass = 0; pass < passes; ++pass) {
            // The two arrays take turns, and the last pass writes the permutation.
            const bool ends_here = (passes - pass) % 2 == 1;
            OT* const to = ends_here ? permutation() : other_;
            OT* const from = ends_here ? other_ : permutation();
            sort_pass(pass, from, to);
        }
        launch<kernels::transpose_offset>(args_.a.cols + 1, columns(), base(), args_.a.nnz, order(),
                                          as<OT>(args_.offsets));
        launch<kernels::transpose_row>(args_.a.nnz, as<const OT>(args_.a.offsets), base(), args_.a.rows,
                                       order(), as<IT>(args_.indices));
    }

  private:
    // Neighbouring items of a GPU want many chunks, which are affordable where digits are small.
    static constexpr int digit_bits = Device::strided ? 4 : 8;
    static constexpr heron_index chunk = Device::strided ? 256 : 4096;

    template <template <class...> class Kernel, class... Args>
    void launch(int64_t count, Args... args) {
        device_.template launch<Kernel<OT, IT>>(kernels::spgemm_pattern, count, args...);
    }

    // At least one: the permutation is written even if there is but one column.
    int pass_count() const {
        int passes = 1;
        while (passes * digit_bits < 62 && (args_.a.cols - 1) >> (passes * digit_bits) > 0) ++passes;
        return passes;
    }

    void sort_pass(int pass, OT* from, OT* to) {
        const int shift = pass * digit_bits;
        const int first = pass == 0;
        launch<kernels::transpose_count>(
            chunks_, columns(), base(), args_.a.nnz, static_cast<const OT*>(from), first, shift,
            static_cast<int>(digit_bits), static_cast<heron_index>(chunk), chunks_, counts_);
        scan_.apply(device_, counts_, 0, counts_);
        launch<kernels::transpose_move>(chunks_, columns(), base(), args_.a.nnz, static_cast<const OT*>(from),
                                        first, shift, static_cast<int>(digit_bits),
                                        static_cast<heron_index>(chunk), chunks_, counts_, to);
    }

    const IT* columns() const { return as<const IT>(args_.a.indices); }
    heron_index base() const { return args_.a.base; }
    OT* permutation() const { return as<OT>(args_.permutation); }
    const OT* order() const { return permutation(); }

    Device& device_;
    const heron_transpose_pattern_args& args_;
    heron_index chunks_;
    OT* other_;
    i64* counts_;
    exclusive_scan<Device> scan_;
};

template <class Device>
void transpose_pattern(Device& device, heron_phase phase, const heron_transpose_pattern_args& args,
                       heron_workspace& workspace) {
    visit_offsets_and_indices(args.a.offset_type, args.a.index_type,
                              [&]<class OT, class IT>(type<OT>, type<IT>) {
                                  workspace_layout layout(phase, workspace);
                                  transpose_pattern_plan<Device, OT, IT> plan(device, args, layout);
                                  if (phase == HERON_PHASE_RUN) plan.run();
                              });
}

// Sum and maximum of n counts.
template <class Device, class OT, class IT>
class measurement {
  public:
    measurement(workspace_layout& layout, int64_t n)
        : n_(n),
          chunk_(root_of(n)),
          chunks_((n + chunk_ - 1) / chunk_),
          facts_(layout.take<i64>(2 * chunks_ + 2)) {}

    // Waits for the device.
    void run(Device& device, const i64* counts, int64_t most, int64_t& sum, int64_t& longest) const {
        i64 found[2] = {0, 0};
        if (n_ > 0) {
            device.template launch<kernels::measure_chunk<OT, IT>>(
                kernels::spgemm_pattern, chunks_, counts, n_, chunk_, static_cast<heron_index>(most), facts_);
            device.template launch<kernels::measure_all<OT, IT>>(kernels::spgemm_pattern, 1, facts_, chunks_);
            device.read(found, facts_, sizeof found);
        }
        sum = found[0];
        longest = found[1];
    }

  private:
    heron_index n_, chunk_, chunks_;
    i64* facts_;
};

// Which rows one launch takes, and their tables: `slots` of them with `capacity` places each.
struct table_level {
    heron_index low, high, capacity, slots;
};

// The launches that serve rows of more than `above` and up to `longest` elements.
template <class Device>
class table_ladder {
  public:
    explicit table_ladder(const heron_spgemm_args& args, int64_t above = 0)
        : rows_(args.a.matrix.rows), above_(above), longest_(args.longest), budget_(budget_of(args)) {}

    // Places that all levels fit into.
    int64_t places() const {
        int64_t most = 0;
        visit([&](const table_level& level) {
            const int64_t places = level.slots * level.capacity;
            most = places > most ? places : most;
        });
        return most;
    }

    template <class F>
    void visit(F&& f) const {
        for (heron_index low = above_, high = shortest; low < longest_; high *= growth) {
            if (high <= low) continue;
            if (high > longest_) high = longest_;
            const heron_index capacity = capacity_of(high);
            heron_index slots = budget_ / capacity;
            if (slots > most_slots) slots = most_slots;
            if (slots > rows_) slots = rows_;
            f(table_level{low, high, capacity, slots > 0 ? slots : 1});
            low = high;
        }
    }

  private:
    static constexpr heron_index shortest = 32;
    static constexpr heron_index growth = 8;
    static constexpr heron_index most_slots = Device::strided ? 16384 : 64;

    // As clear_table has it.
    static heron_index capacity_of(heron_index count) {
        heron_index places = 2;
        while (places < 2 * count) places *= 2;
        return places;
    }

    static int64_t budget_of(const heron_spgemm_args& args) {
        constexpr int64_t most = 1 << 21;
        const int64_t size = (args.a.matrix.rows + args.a.matrix.nnz + args.b.matrix.nnz) / 2;
        return size < most ? size : most;
    }

    int64_t rows_, above_, longest_, budget_;
};

inline bool is_empty_product(const heron_spgemm_args& args) {
    return args.a.matrix.nnz == 0 || args.b.matrix.nnz == 0;
}

// What a row of C can have at most.
inline int64_t row_limit(const heron_spgemm_args& args) {
    const heron_spmat& b = args.b.matrix;
    return b.nnz < b.cols ? b.nnz : b.cols;
}

template <class F>
void visit_spgemm_pattern(const heron_spgemm_args& args, F&& f) {
    visit_offsets_and_indices(args.a.matrix.offset_type, args.a.matrix.index_type, f);
}

inline void report(int64_t* to, int64_t value) {
    if (to) *to = value;
}

// Products of the rows, their sum, and the longest row that C can have.
template <class Device, class OT, class IT>
void estimate_products(Device& device, heron_phase phase, const heron_spgemm_args& args,
                       workspace_layout& layout) {
    const heron_spmat& a = args.a.matrix;
    const measurement<Device, OT, IT> measure(layout, a.rows);
    if (phase != HERON_PHASE_RUN) return;
    int64_t products = 0, longest = 0;
    if (is_empty_product(args)) {
        device.fill(args.row_products, 0, static_cast<size_t>(a.rows) * sizeof(i64));
    } else {
        device.template launch<kernels::count_products<OT, IT>>(
            kernels::spgemm_pattern, a.rows, as<const OT>(a.offsets), as<const IT>(a.indices),
            heron_index{a.base}, as<const OT>(args.b.matrix.offsets), static_cast<i64*>(args.row_products));
        measure.run(device, args.row_products, row_limit(args), products, longest);
    }
    report(args.products_found, products);
    report(args.longest_found, longest);
}

template <class Device>
void spgemm_estimate(Device& device, heron_phase phase, const heron_spgemm_args& args,
                     heron_workspace& workspace) {
    visit_spgemm_pattern(args, [&]<class OT, class IT>(type<OT>, type<IT>) {
        workspace_layout layout(phase, workspace);
        estimate_products<Device, OT, IT>(device, phase, args, layout);
    });
}

// c.offsets := row_offsets in C's own type and base.
template <class Device>
void write_product_offsets(Device& device, const heron_spgemm_args& args) {
    if (!args.c.offsets) return;
    visit_index(args.c.offset_type, [&]<class OT>(type<OT>) {
        device.template launch<kernels::write_offsets<OT, i32>>(
            kernels::spgemm_pattern, args.a.matrix.rows + 1, static_cast<const i64*>(args.row_offsets),
            heron_index{args.c.base}, as<OT>(args.c.offsets));
    });
}

// Throws if C's offsets cannot count so many elements.
inline void require_offsets_hold(const heron_spmat& c, int64_t nnz) {
    if (c.offset_type == HERON_INDEX_32 && nnz > INT32_MAX - c.base)
        throw plan_error{
            HERON_INSUFFICIENT_RESOURCES,
            "C has more elements than its 32-bit offsets can count: create it with 64-bit offsets"};
}

// Lengths of the rows of C that can have more than `above` elements.
template <class Device, class OT, class IT>
class length_count {
  public:
    length_count(Device& device, const heron_spgemm_args& args, workspace_layout& layout, int64_t above = 0)
        : device_(device), args_(args), ladder_(args, above), tables_(layout.take<IT>(ladder_.places())) {}

    void run() {
        ladder_.visit([&](const table_level& level) { count(level); });
    }

  private:
    void count(const table_level& level) {
        const heron_spmat& a = args_.a.matrix;
        const heron_spmat& b = args_.b.matrix;
        device_.template launch<kernels::count_rows<OT, IT>>(
            kernels::spgemm_pattern, level.slots, as<const OT>(a.offsets), as<const IT>(a.indices),
            heron_index{a.base}, as<const OT>(b.offsets), as<const IT>(b.indices), heron_index{b.base},
            static_cast<const i64*>(args_.row_products), heron_index{row_limit(args_)}, heron_index{a.rows},
            level.slots, level.low, level.high, tables_, level.capacity,
            static_cast<i64*>(args_.row_offsets));
    }

    Device& device_;
    const heron_spgemm_args& args_;
    table_ladder<Device> ladder_;
    IT* tables_;
};

template <class Device, class OT, class IT>
class spgemm_symbolic_plan {
  public:
    spgemm_symbolic_plan(Device& device, const heron_spgemm_args& args, workspace_layout& layout)
        : device_(device),
          args_(args),
          scan_(layout, args.a.matrix.rows),
          measure_(layout, args.a.matrix.rows),
          lengths_(device, args, layout) {}

    void run() {
        const int64_t rows = args_.a.matrix.rows;
        device_.fill(args_.row_offsets, 0, static_cast<size_t>(rows + 1) * sizeof(i64));
        if (!is_empty_product(args_)) lengths_.run();
        int64_t nnz = 0, longest = 0;
        measure_.run(device_, args_.row_offsets, row_limit(args_), nnz, longest);
        require_offsets_hold(args_.c, nnz);
        if (rows > 0) scan_.apply(device_, args_.row_offsets, 0, static_cast<i64*>(args_.row_offsets));
        write_product_offsets(device_, args_);
        report(args_.nnz_found, nnz);
        report(args_.longest_found, longest);
    }

  private:
    Device& device_;
    const heron_spgemm_args& args_;
    exclusive_scan<Device> scan_;
    measurement<Device, OT, IT> measure_;
    length_count<Device, OT, IT> lengths_;
};

template <class Device>
void spgemm_symbolic(Device& device, heron_phase phase, const heron_spgemm_args& args,
                     heron_workspace& workspace) {
    visit_spgemm_pattern(args, [&]<class OT, class IT>(type<OT>, type<IT>) {
        workspace_layout layout(phase, workspace);
        spgemm_symbolic_plan<Device, OT, IT> plan(device, args, layout);
        if (phase == HERON_PHASE_RUN) plan.run();
    });
}

template <class Device, class VT, class CT, class OT, class IT>
class spgemm_numeric_plan {
  public:
    // Of the rows of C that have more than `above` elements.
    spgemm_numeric_plan(Device& device, const heron_spgemm_args& args, workspace_layout& layout,
                        int64_t above = 0)
        : device_(device),
          args_(args),
          ladder_(args, above),
          keys_(layout.take<IT>(ladder_.places())),
          sums_(layout.take<CT>(ladder_.places())) {}

    void run() {
        if (args_.parts & HERON_SPGEMM_COLUMNS) write_product_offsets(device_, args_);
        if (!is_empty_product(args_)) compute_rows();
    }

    void compute_rows() {
        ladder_.visit([&](const table_level& level) { compute(level); });
    }

  private:
    // An operand's permutation, or something of its type where there is none.
    static const OT* permutation(const heron_spgemm_operand& o) {
        return as<const OT>(o.permutation ? o.permutation : o.matrix.offsets);
    }

    void compute(const table_level& level) {
        const heron_spmat& a = args_.a.matrix;
        const heron_spmat& b = args_.b.matrix;
        const scalar_argument<CT> alpha = as_argument<CT>(args_.alpha);
        const scalar_argument<CT> beta = as_argument<CT>(args_.beta);
        device_.template launch<kernels::compute_rows<VT, CT, OT, IT>>(
            kernels::spgemm, level.slots, as<const OT>(a.offsets), as<const IT>(a.indices),
            as<const VT>(a.values), permutation(args_.a), heron_index{a.base},
            static_cast<int>(args_.a.permutation != nullptr), static_cast<int>(args_.a.conjugate),
            as<const OT>(b.offsets), as<const IT>(b.indices), as<const VT>(b.values), permutation(args_.b),
            heron_index{b.base}, static_cast<int>(args_.b.permutation != nullptr),
            static_cast<int>(args_.b.conjugate), static_cast<const i64*>(args_.row_offsets),
            as<IT>(args_.c.indices), as<VT>(args_.c.values), heron_index{args_.c.base},
            static_cast<int>((args_.parts & HERON_SPGEMM_COLUMNS) != 0),
            static_cast<int>((args_.parts & HERON_SPGEMM_VALUES) != 0), heron_index{a.rows}, level.slots,
            level.low, level.high, keys_, sums_, level.capacity, alpha.value, alpha.device, beta.value,
            beta.device);
    }

    Device& device_;
    const heron_spgemm_args& args_;
    table_ladder<Device> ladder_;
    IT* keys_;
    CT* sums_;
};

template <class Device>
void compute_products(Device& device, heron_phase phase, const heron_spgemm_args& args,
                      heron_workspace& workspace) {
    visit_uniform(args.c.type, args.compute_type, [&]<class VT, class CT>(type<VT>, type<CT>) {
        visit_spgemm_pattern(args, [&]<class OT, class IT>(type<OT>, type<IT>) {
            workspace_layout layout(phase, workspace);
            spgemm_numeric_plan<Device, VT, CT, OT, IT> plan(device, args, layout);
            if (phase == HERON_PHASE_RUN) plan.run();
        });
    });
}

template <class Device>
void spgemm_numeric(Device& device, heron_phase phase, const heron_spgemm_args& args,
                    heron_workspace& workspace) {
    compute_products(device, phase, args, workspace);
}

}  // namespace heron::HERON_LEVEL::plans
