// Sparse times sparse: validation, the buffers of the phases, and their composition from the plug-ins'
// operations.
#include "spgemm.hpp"
#include "core/element_types.hpp"
#include "core/submit.hpp"
#include <algorithm>

namespace heron::core {

// Hands out aligned parts of a buffer; without memory only the sum counts.
class part_layout {
  public:
    explicit part_layout(void* memory) {
        if (!memory) return;
        const auto address = reinterpret_cast<uintptr_t>(memory);
        base_ = reinterpret_cast<char*>((address + alignment - 1) / alignment * alignment);
    }

    void* take(size_t bytes) {
        void* const part = here();
        used_ += (bytes + alignment - 1) / alignment * alignment;
        return part;
    }
    int64_t* take_counts(int64_t count) {
        return static_cast<int64_t*>(take(static_cast<size_t>(count) * sizeof(int64_t)));
    }

    void* here() const { return base_ ? base_ + used_ : nullptr; }
    size_t used() const { return used_; }
    // Never 0, because NULL, which is what an allocation of no bytes gives, asks for the size.
    size_t size() const { return used_ + alignment; }

  private:
    static constexpr size_t alignment = 256;
    char* base_ = nullptr;
    size_t used_ = 0;
};

namespace {

void require_operand(const heron_spmat& m, const heron_spmat& a, role operand) {
    if (m.format != HERON_FORMAT_CSR && m.format != HERON_FORMAT_CSC)
        not_supported(operand, "is neither CSR nor CSC");
    if (m.batch_count > 1) not_supported(operand, "SpGEMM takes no batches");
    if (m.type != a.type)
        not_supported(operand, fmt::format("type {} differs from @'s {}", name_of(m.type), name_of(a.type)),
                      role::a);
    if (m.index_type != a.index_type) not_supported(operand, "has another index type than @", role::a);
}

void require_operands(const spgemm_operands& x) {
    compute_type_of(x.a.type, role::a);
    require_operand(x.a, x.a, role::a);
    require_operand(x.b, x.a, role::b);
    require_operand(x.c, x.a, role::c);
    if (x.b.offset_type != x.a.offset_type) not_supported(role::b, "has another offset type than @", role::a);
    const int64_t inner = cols_of(x.op_a, x.a), rows = rows_of(x.op_a, x.a), cols = cols_of(x.op_b, x.b);
    if (rows_of(x.op_b, x.b) != inner)
        invalid(role::b,
                fmt::format("op(B) has {} rows, but op(A) has {} columns", rows_of(x.op_b, x.b), inner));
    if (x.c.rows != rows || x.c.cols != cols)
        invalid(role::c,
                fmt::format("is {} x {}, but the product is {} x {}", x.c.rows, x.c.cols, rows, cols));
}

void require_input(context& c, const heron_spmat& m, role operand, bool is_pattern) {
    is_pattern ? require_pattern(m, operand) : require_arrays(m, operand);
    validate_contents(c, m, operand);
}

void require_inputs(context& c, const spgemm_operands& x) {
    require_input(c, x.a, role::a, x.are_patterns);
    require_input(c, x.b, role::b, x.are_patterns);
}

// A factor of the product as the plug-ins see it: CSR with an operation.
struct factor {
    factor(const heron_spmat& m, heron_operation o) : op(o), stored(canonical(m, op)) {}

    bool transposed() const { return stored.nnz > 0 && transposes(op); }
    bool conjugated() const { return is_complex(stored.type) && conjugates(op); }

    heron_operation op;
    heron_spmat stored;
};

// The two factors of C as a CSR matrix. A C in CSC is the CSR matrix of op(B)^T * op(A)^T.
struct factors {
    explicit factors(const spgemm_operands& x)
        : a(by_columns(x) ? factor(x.b, of_the_transpose(x.op_b)) : factor(x.a, x.op_a)),
          b(by_columns(x) ? factor(x.a, of_the_transpose(x.op_a)) : factor(x.b, x.op_b)) {}

    factor a, b;

  private:
    static bool by_columns(const spgemm_operands& x) { return x.c.format == HERON_FORMAT_CSC; }
};

heron_spmat result_of(const spgemm_operands& x) {
    heron_spmat c = x.c;
    if (c.format == HERON_FORMAT_CSC) std::swap(c.rows, c.cols);
    c.format = HERON_FORMAT_CSR;
    return c;
}

bool is_question(const sized_buffer& b) { return !b.memory; }

argument size_argument(const sized_buffer& b) { return {role::workspace_size, part::whole, b.number}; }

void require_enough(const sized_buffer& b, size_t needed) {
    if (*b.size < needed)
        throw error(HERON_INSUFFICIENT_RESOURCES, size_argument(b),
                    fmt::format("{} bytes are too few, {} are needed", *b.size, needed));
    if (needed > 0 && !b.memory)
        invalid(size_argument(b), fmt::format("the buffer is NULL, but {} bytes are needed", needed));
}

// In a question writes the size, else compares it with what there is.
void settle(const sized_buffer& b, size_t needed) {
    required(b.size, size_argument(b));
    if (is_question(b))
        *b.size = needed;
    else
        require_enough(b, needed);
}

bool are_short_on_device(const context& c, const spgemm_scalars& s, heron_type storage) {
    return c.pointer_mode() == pointer_mode::device && s.compute_type != compute_type_of(storage, role::c);
}

// Scalars of a 16-bit compute type in device memory are still to be widened.
void set_scalars(const context& c, const spgemm_scalars& s, heron_spgemm_args& args) {
    const heron_type storage = args.c.type;
    args.compute_type = compute_type_of(storage, role::c);
    if (s.compute_type != args.compute_type && s.compute_type != storage)
        not_supported(role::compute_type, fmt::format("{} does not go with values of type {}",
                                                      name_of(s.compute_type), name_of(storage)));
    const auto scalar = [&](const void* pointer, role r, double otherwise) -> heron_scalar {
        if (s.has_defaults && !pointer) return {nullptr, otherwise, 0};
        if (are_short_on_device(c, s, storage)) {
            require_element(pointer, size_of(storage), r);
            return {pointer, 0, 0};
        }
        return s.compute_type == args.compute_type ? scalar_argument(c, pointer, s.compute_type, r)
                                                   : short_scalar_argument(c, pointer, storage, r);
    };
    args.alpha = scalar(s.alpha, role::alpha, 1);
    args.beta = scalar(s.beta, role::beta, 0);
}

void require_scalars(const context& c, const spgemm_scalars& s, const spgemm_operands& x) {
    heron_spgemm_args args{};
    args.c = x.c;
    set_scalars(c, s, args);
}

size_t symbolic_size(context& c, const heron_spgemm_args& args) {
    return workspace_size<operation::spgemm_symbolic>(c, args);
}
size_t numeric_size(context& c, const heron_spgemm_args& args) {
    return workspace_size<operation::spgemm_numeric>(c, args);
}

heron_spvv_args product_with_one(const widening& w, heron_type storage, const void* scalar, void* result) {
    heron_spvv_args args{};
    args.op = HERON_OP_NONE;
    args.x.size = args.x.nnz = args.y.size = 1;
    args.x.indices = w.index;
    args.x.values = const_cast<void*>(scalar);
    args.y.values = w.one;
    args.x.type = args.y.type = storage;
    args.result = result;
    args.result_on_device = 1;
    args.compute_type = compute_type_of(storage, role::c);
    return args;
}

widening place_widening(context& c, heron_type storage, part_layout& layout) {
    widening w;
    if (compute_type_of(storage, role::c) == storage) return w;
    w.index = layout.take(sizeof(int32_t));
    w.one = layout.take(size_of(storage));
    for (void*& scalar : w.scalars) scalar = layout.take(size_of(HERON_C_32F));
    w.scratch =
        layout.take(workspace_size<operation::spvv>(c, product_with_one(w, storage, w.one, w.scalars[0])));
    return w;
}

// What the products need in memory.
void prepare(context& c, const widening& w, heron_type storage) {
    if (!w.index) return;
    static constexpr uint16_t half[] = {0x3c00, 0}, brain[] = {0x3f80, 0};
    const bool is_brain = storage == HERON_R_16BF || storage == HERON_C_16BF;
    c.with_queue([&](heron_queue* queue) {
        check(c.table().fill(queue, w.index, 0, sizeof(int32_t)), "widening scalars");
        check(c.table().copy(queue, w.one, is_brain ? brain : half, size_of(storage)), "widening scalars");
    });
}

heron_scalar widened(context& c, const widening& w, heron_type storage, const heron_scalar& scalar,
                     void* to) {
    run_in<operation::spvv>(c, product_with_one(w, storage, scalar.device, to), w.scratch);
    return {to, 0, 0};
}

heron_transpose_pattern_args transposition(const factor& f, void* offsets, void* indices, void* permutation) {
    return {f.stored, offsets, indices, permutation};
}

size_t transposition_size(context& c, const factor& f) {
    if (!f.transposed()) return 0;
    return workspace_size<operation::transpose_pattern>(c, transposition(f, nullptr, nullptr, nullptr));
}

}  // namespace

spgemm_description::patterns spgemm_description::place_patterns(part_layout& layout,
                                                                const spgemm_operands& x) {
    const auto place = [&](const factor& f) -> pattern {
        if (!f.transposed()) return {};
        const size_t offset = size_of(f.stored.offset_type), index = size_of(f.stored.index_type);
        const auto elements = static_cast<size_t>(f.stored.nnz);
        pattern p;
        p.offsets = layout.take((static_cast<size_t>(f.stored.cols) + 1) * offset);
        p.indices = layout.take(elements * index);
        p.permutation = layout.take(elements * offset);
        return p;
    };
    const factors f(x);
    patterns result;
    result.begin = layout.here();
    const size_t before = layout.used();
    result.a = place(f.a);
    result.b = place(f.b);
    result.bytes = layout.used() - before;
    return result;
}

heron_spgemm_args spgemm_description::compose(const spgemm_operands& x) const {
    const auto operand = [](const factor& f, const pattern& p) {
        heron_spgemm_operand o{f.stored, nullptr, f.conjugated()};
        if (transposes(f.op)) std::swap(o.matrix.rows, o.matrix.cols);
        if (!f.transposed()) return o;
        o.matrix.offsets = p.offsets;
        o.matrix.indices = p.indices;
        o.matrix.base = 0;
        o.permutation = p.permutation;
        return o;
    };
    const factors f(x);
    heron_spgemm_args args{};
    args.a = operand(f.a, patterns_.a);
    args.b = operand(f.b, patterns_.b);
    args.c = result_of(x);
    args.compute_type = compute_type_of(args.c.type, role::c);
    args.parts = HERON_SPGEMM_COLUMNS | HERON_SPGEMM_VALUES;
    args.row_products = row_products_;
    args.row_offsets = row_offsets_;
    args.products = products_;
    args.row_sizes = row_sizes_;
    args.longest = bound_;
    args.scratch_stays = interface_ == interface::products;
    return args;
}

// Whether the call belongs to what the description has seen so far.
void spgemm_description::require_phase(interface i, phase p, const spgemm_operands& x) const {
    static constexpr role phases[] = {role::none, role::estimate_phase, role::count_phase, role::copy_phase};
    if (phase_ == phase::none || interface_ != i)
        invalid(role::analysis, "@ has not been called yet with this descriptor and a buffer",
                role::estimate_phase);
    if (phase_ < p)
        invalid(role::analysis,
                p == phase::counted || i == interface::reuse
                    ? "@ has not been called yet with this descriptor and a buffer"
                    : "@ has not been called yet with this descriptor",
                phases[static_cast<int>(p)]);
    const auto differs = [](const heron_spmat& m, const heron_spmat& n) {
        return m.format != n.format || m.rows != n.rows || m.cols != n.cols || m.base != n.base ||
               m.type != n.type || m.offset_type != n.offset_type || m.index_type != n.index_type;
    };
    const auto require_same = [&](const heron_spmat& m, const heron_spmat& n, bool same_nnz, role operand) {
        if (differs(m, n) || (same_nnz && m.nnz != n.nnz))
            invalid(operand, "is not the matrix that @ was called with", role::estimate_phase);
    };
    require_same(x.a, shape_.a, true, role::a);
    require_same(x.b, shape_.b, true, role::b);
    require_same(x.c, shape_.c, false, role::c);
    if (x.op_a != shape_.op_a) invalid(role::operation_a, "is not the operation of the phase before");
    if (x.op_b != shape_.op_b) invalid(role::operation_b, "is not the operation of the phase before");
}

void spgemm_description::require_result(const spgemm_operands& x) const {
    const heron_spmat& c = x.c;
    if (c.nnz != nnz_) invalid(role::c, fmt::format("has {} elements, but the product has {}", c.nnz, nnz_));
    if (c.rows > 0 && c.cols > 0) require_offsets(c, role::c);
    require_arrays(c, role::c);
}

// The phases that both interfaces share.

void spgemm_description::move_patterns(context& c, const patterns& to) {
    if (to.bytes == 0 || patterns_.begin == to.begin) return;
    c.with_queue([&](heron_queue* queue) {
        check(c.table().copy(queue, to.begin, patterns_.begin, to.bytes), "copying the patterns");
    });
    patterns_ = to;
}

void spgemm_description::build_patterns(context& c, const spgemm_operands& x, void* scratch) const {
    const factors f(x);
    const auto build = [&](const factor& of, const pattern& p) {
        if (!of.transposed()) return;
        run_in<operation::transpose_pattern>(c, transposition(of, p.offsets, p.indices, p.permutation),
                                             scratch);
    };
    build(f.a, patterns_.a);
    build(f.b, patterns_.b);
}

void spgemm_description::estimate(context& c, interface i, const spgemm_operands& x,
                                  const sized_buffer& buffer, bool is_known) {
    const factors f(x);
    part_layout layout(buffer.memory);
    spgemm_description next;
    next.interface_ = i;
    next.shape_ = {x.op_a, x.op_b, x.a, x.b, x.c};
    next.patterns_ = place_patterns(layout, x);
    next.row_products_ = layout.take_counts(result_of(x).rows);
    heron_spgemm_args args = next.compose(x);
    if (is_known) {
        next.products_ = products_;
        next.row_sizes_ = row_sizes_;
        next.bound_ = bound_;
    } else {
        args.products_found = &next.products_;
        args.row_sizes_found = &next.row_sizes_;
        args.longest_found = &next.bound_;
    }
    const size_t estimate_bytes = workspace_size<operation::spgemm_estimate>(c, args);
    void* const scratch =
        layout.take(std::max({estimate_bytes, transposition_size(c, f.a), transposition_size(c, f.b)}));
    settle(buffer, layout.size());
    if (is_question(buffer)) return;
    require_inputs(c, x);
    next.build_patterns(c, x, scratch);
    run_in<operation::spgemm_estimate>(c, args, scratch);
    next.phase_ = phase::estimated;
    *this = next;
}

void spgemm_description::count(context& c, const spgemm_operands& x, void* scratch) {
    require_inputs(c, x);
    phase_ = phase::estimated;
    heron_spgemm_args args = compose(x);
    args.nnz_found = &nnz_;
    args.longest_found = &longest_;
    run_in<operation::spgemm_symbolic>(c, args, scratch);
    x.c.nnz = nnz_;
    phase_ = phase::counted;
}

// The reuse interface asks for its last buffer when C's rows are known exactly; the other one before.
heron_spgemm_args spgemm_description::compose_result(const spgemm_operands& x) const {
    heron_spgemm_args args = compose(x);
    if (interface_ == interface::reuse) args.longest = longest_;
    args.longest_counted = longest_;
    return args;
}

void spgemm_description::compute_result(context& c, const spgemm_operands& x, const spgemm_scalars& s,
                                        int parts, bool with_offsets) {
    require_result(x);
    require_inputs(c, x);
    heron_spgemm_args args = compose_result(x);
    if (!with_offsets) args.c.offsets = nullptr;
    if (parts & HERON_SPGEMM_VALUES) set_scalars(c, s, args);
    if ((parts & HERON_SPGEMM_VALUES) && are_short_on_device(c, s, args.c.type)) {
        args.alpha = widened(c, widening_, args.c.type, args.alpha, widening_.scalars[0]);
        args.beta = widened(c, widening_, args.c.type, args.beta, widening_.scalars[1]);
    }
    args.parts = parts;
    run_in<operation::spgemm_numeric>(c, args, scratch_,
                                      parts == HERON_SPGEMM_VALUES ? plan_.get() : nullptr);
}

// The interface without reuse.

void spgemm_description::work_estimation(context& c, const spgemm_operands& x, const spgemm_scalars& s,
                                         const sized_buffer& buffer) {
    require_operands(x);
    require_scalars(c, s, x);
    estimate(c, interface::products, x, buffer);
}

void spgemm_description::estimate_again(context& c, const spgemm_operands& x, const sized_buffer& buffer) {
    estimate(c, interface::products, x, buffer, true);
}

void spgemm_description::adopt_estimate(const spgemm_operands& x) {
    shape_ = {x.op_a, x.op_b, x.a, x.b, x.c};
    phase_ = phase::estimated;
}

void spgemm_description::move_estimate(context& c, const spgemm_operands& x, void* memory) {
    part_layout layout(memory);
    move_patterns(c, place_patterns(layout, x));
    const int64_t rows = result_of(x).rows;
    int64_t* const row_products = layout.take_counts(rows);
    if (rows > 0)
        c.with_queue([&](heron_queue* queue) {
            const size_t bytes = static_cast<size_t>(rows) * sizeof(int64_t);
            check(c.table().copy(queue, row_products, row_products_, bytes), "copying the rows' products");
        });
    row_products_ = row_products;
}

int64_t spgemm_description::products() const {
    if (phase_ == phase::none)
        invalid(role::analysis, "@ has not been called yet with this descriptor and a buffer",
                role::estimate_phase);
    return products_;
}

void spgemm_description::estimate_memory(context& c, const spgemm_operands& x, const spgemm_scalars& s,
                                         float fraction, const sized_buffer& own,
                                         size_t* compute_bytes) const {
    require_operands(x);
    require_scalars(c, s, x);
    require_phase(interface::products, phase::estimated, x);
    if (!(fraction > 0 && fraction <= 1))
        invalid(role::fraction, fmt::format("{} is not in (0, 1]", fraction));
    if (!is_question(own)) required(compute_bytes, argument(role::workspace_size, part::whole, 2));
    settle(own, 0);
    if (compute_bytes) *compute_bytes = place_compute(c, x, nullptr).size;
}

// The offsets of C stay until the copy; counting and computing share their scratch memory, whose size follows
// from the bound that the estimate gave.
spgemm_description::compute_parts spgemm_description::place_compute(context& c, const spgemm_operands& x,
                                                                    void* memory) const {
    const heron_spgemm_args args = compose(x);
    part_layout layout(memory);
    compute_parts parts;
    parts.row_offsets = layout.take_counts(args.c.rows + 1);
    parts.widening = place_widening(c, args.c.type, layout);
    parts.scratch = layout.take(std::max(symbolic_size(c, args), numeric_size(c, args)));
    parts.size = layout.size();
    return parts;
}

void spgemm_description::compute(context& c, const spgemm_operands& x, const spgemm_scalars& s,
                                 const sized_buffer& buffer) {
    require_operands(x);
    require_scalars(c, s, x);
    require_phase(interface::products, phase::estimated, x);
    const compute_parts parts = place_compute(c, x, buffer.memory);
    settle(buffer, parts.size);
    if (is_question(buffer)) return;
    row_offsets_ = parts.row_offsets;
    scratch_ = parts.scratch;
    widening_ = parts.widening;
    prepare(c, widening_, x.c.type);
    count(c, x, scratch_);
}

void spgemm_description::copy(context& c, const spgemm_operands& x, const spgemm_scalars& s,
                              bool with_offsets) {
    require_operands(x);
    require_scalars(c, s, x);
    require_phase(interface::products, phase::counted, x);
    compute_result(c, x, s, HERON_SPGEMM_COLUMNS | HERON_SPGEMM_VALUES, with_offsets);
    phase_ = phase::copied;
}

// The reuse interface.

void spgemm_description::reuse_work_estimation(context& c, const spgemm_operands& x,
                                               const sized_buffer& buffer) {
    require_operands(x);
    estimate(c, interface::reuse, x, buffer);
}

void spgemm_description::reuse_nnz(context& c, const spgemm_operands& x, const sized_buffer& scratch,
                                   const sized_buffer& unused, const sized_buffer& kept) {
    require_operands(x);
    require_phase(interface::reuse, phase::estimated, x);
    // The patterns move from the first buffer, which may go after this call.
    part_layout layout(kept.memory);
    const patterns moved = place_patterns(layout, x);
    int64_t* const row_offsets = layout.take_counts(result_of(x).rows + 1);
    const heron_spgemm_args args = compose(x);
    const sized_buffer all[] = {scratch, unused, kept};
    const size_t sizes[] = {symbolic_size(c, args), 0, layout.size()};
    for (const sized_buffer& b : all) required(b.size, size_argument(b));
    if (is_question(kept)) {
        for (int i = 0; i < 3; ++i) *all[i].size = sizes[i];
        return;
    }
    for (int i = 0; i < 3; ++i) require_enough(all[i], sizes[i]);
    move_patterns(c, moved);
    row_offsets_ = row_offsets;
    count(c, x, scratch.memory);
}

size_t spgemm_description::reuse_size(context& c, const spgemm_operands& x, bool prepares) const {
    heron_spgemm_args args = compose_result(x);
    const size_t bytes = numeric_size(c, args);
    args.parts = HERON_SPGEMM_VALUES;
    return prepares ? std::max(bytes, numeric_size(c, args)) : bytes;
}

void spgemm_description::prepare_values(context& c, const spgemm_operands& x) {
    heron_spgemm_args args = compose_result(x);
    args.parts = HERON_SPGEMM_VALUES;
    heron_workspace workspace{0, scratch_, nullptr};
    call_slot<operation::spgemm_numeric>(c, HERON_PHASE_ANALYSE, args, workspace);
    plan_ = {workspace.plan, [&table = c.table()](heron_plan* plan) {
                 if (plan) table.plan_destroy(plan);
             }};
}

void spgemm_description::reuse_copy(context& c, const spgemm_operands& x, const sized_buffer& buffer,
                                    bool prepares) {
    require_operands(x);
    require_phase(interface::reuse, phase::counted, x);
    part_layout layout(buffer.memory);
    const widening widening = place_widening(c, x.c.type, layout);
    void* const scratch = layout.take(reuse_size(c, x, prepares));
    settle(buffer, layout.size());
    if (is_question(buffer)) return;
    plan_.reset();
    scratch_ = scratch;
    widening_ = widening;
    prepare(c, widening_, x.c.type);
    compute_result(c, x, {}, HERON_SPGEMM_COLUMNS);
    if (prepares) prepare_values(c, x);
    phase_ = phase::copied;
}

void spgemm_description::reuse_compute(context& c, const spgemm_operands& x, const spgemm_scalars& s) {
    require_operands(x);
    require_scalars(c, s, x);
    require_phase(interface::reuse, phase::copied, x);
    compute_result(c, x, s, HERON_SPGEMM_VALUES);
}

}  // namespace heron::core
