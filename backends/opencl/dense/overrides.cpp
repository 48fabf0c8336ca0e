#include "overrides.hpp"
#include "common/runtime/slot.hpp"
#include "common/dense/plan.hpp"
#include <algorithm>
#include <utility>

namespace heron::opencl {
namespace {

// These mirror dense_common.cl.
enum source_kind : int64_t { full, symmetric, hermitian, triangular };
struct source {
    int64_t offset, row_step, k_step, rows, depth, first_row, first_k, padded_rows, steps, total, begin,
        conjugate, kind, stores_lower, unit, scaled, has_real_scale;
};
struct product {
    int64_t m, n, total, offset, ld, triangle, hermitian, has_real_alpha, has_real_beta, range;
};
struct triangular_block {
    int64_t order, count, a_offset, a_row, a_column, conjugate, unit, offset, line, step;
};
constexpr int64_t solve_order = 32;
constexpr int64_t pack_tile = 32;
constexpr int64_t pack_steps = 128;
constexpr int64_t panels_per_item = 16;

// Parts of packed operands have these sizes as long as scratch memory lasts: enough steps that C's traffic
// counts little, and no more lines than the grids of all devices can have.
constexpr int64_t enough_steps = 512;
constexpr int64_t most_lines = int64_t{1} << 20;

int64_t up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }
int64_t quotient(int64_t n, int64_t unit) { return (n + unit - 1) / unit; }

// An operand before it is packed: element (r, k) of A', or of the transpose of B'.
struct operand {
    const void* memory = nullptr;
    source from{};
};

operand plain(const heron_dense_operand& x, int64_t row_step, int64_t k_step, bool conjugates) {
    operand o;
    o.memory = x.memory;
    o.from.offset = x.offset;
    o.from.row_step = row_step;
    o.from.k_step = k_step;
    o.from.conjugate = conjugates;
    return o;
}

// op(X) as A', and as B'.
operand left_operand(const heron_dense_operand& x, heron_operation op) {
    return plain(x, plans::dense_row_step(op, x.ld), plans::dense_column_step(op, x.ld),
                 plans::is_conjugated(op));
}
operand right_operand(const heron_dense_operand& x, heron_operation op) {
    return plain(x, plans::dense_column_step(op, x.ld), plans::dense_row_step(op, x.ld),
                 plans::is_conjugated(op));
}

// C := sum over the terms of alpha*a[t]*b[t] + beta*C.
template <class CT>
struct job {
    int64_t m = 0, n = 0, k = 0;
    int terms = 1;
    bool conjugate_second = false;
    operand a[2], b[2];
    heron_scalar alpha{}, beta{};
    // Where it is 0, what alpha multiplies is not read.
    heron_scalar gate{};
    heron_dense_operand c{};
    product update{};  // triangle, hermitian, has_real_alpha, has_real_beta, range
    int left_out = 0;  // HERON_GEMM_WITHOUT_...
};

template <class CT>
class engine {
  public:
    using RT = real_of<CT>;

    explicit engine(opencl_device& device, heron_type type, int left_out = 0)
        : device_(device),
          type_(type),
          left_out_(left_out & ~HERON_GEMM_WITHOUT_PACKING),
          kit_(&device.dense_kernels(type, false, left_out_)) {}

    void run(const job<CT>& j) {
        if (j.m == 0 || j.n == 0) return;
        kit_ = &kit_for(j);
        const int64_t total = j.k == 0 || is_zero(j.alpha) ? 0 : j.k * j.terms;
        const extent e = part_extent(j, total);
        for (int64_t column = 0; column < j.n; column += e.columns)
            for (int64_t row = 0; row < j.m; row += e.rows) {
                const int64_t rows = std::min(e.rows, j.m - row);
                const int64_t columns = std::min(e.columns, j.n - column);
                if (total == 0) multiply_packed(j, j.beta, row, rows, column, columns, 0);
                for (int64_t step = 0; step < total; step += e.steps)
                    part(j, row, rows, column, columns, step, std::min(e.steps, total - step));
            }
    }

    // B := alpha*B
    void scale(int64_t m, int64_t n, const heron_scalar& alpha, const heron_dense_operand& b) {
        job<CT> j;
        j.m = m;
        j.n = n;
        j.beta = alpha;
        j.c = b;
        run(j);
    }

    // Nothing is solved where alpha is 0 in device memory.
    void solve(const triangular_block& block, const void* a, void* b, const void* alpha) {
        const size_t local = 64;
        launch(kit_->ids.solve, "dense_solve", {static_cast<size_t>(quotient(block.count, 64)), 1},
               {local, 1}, block, static_cast<const CT*>(a), static_cast<CT*>(b),
               static_cast<const RT*>(alpha));
    }

  private:
    struct extent {
        int64_t rows, columns, steps;
    };

    const dense_shape& shape() const { return kit_->shape; }

    // How long the compute units that get most tiles are busy, in elements.
    int64_t busiest(const job<CT>& j, const dense_shape& s) const {
        const int64_t all = quotient(j.m, s.rows()) * quotient(j.n, s.cols());
        const int64_t tiles = j.update.triangle != 0 ? quotient(all, 2) : all;
        return quotient(tiles, device_.traits().compute_units) * s.rows() * s.cols();
    }

    // Large tiles, unless they leave much of the device idle.
    const dense_kit& kit_for(const job<CT>& j) const {
        const dense_kit& large = device_.dense_kernels(type_, false, left_out_);
        if (large.shape.columns) return large;
        const dense_kit& small = device_.dense_kernels(type_, true, left_out_);
        return 10 * busiest(j, small.shape) < 9 * busiest(j, large.shape) ? small : large;
    }

    // What is packed at once. Triangles of C, and triangular operands of products in place with all their
    // steps, stay whole.
    extent part_extent(const job<CT>& j, int64_t total) const {
        const bool is_triangle = j.update.triangle != 0;
        const bool has_range = j.update.range != 0;
        const bool splits_rows = !is_triangle && !reads_rows_in_place(j);
        const bool splits_columns = !is_triangle && !reads_columns_in_place(j);
        const int64_t budget = kit_->scratch_bytes / static_cast<int64_t>(sizeof(CT));
        extent e{splits_rows ? std::min(j.m, most_lines) : j.m,
                 splits_columns ? std::min(j.n, most_lines) : j.n, total};
        if (total == 0 || (e.rows + e.columns) * total <= budget) return e;
        const int64_t fewest = std::clamp<int64_t>(budget / 256, 1, enough_steps);
        if (!has_range) e.steps = std::min(total, std::max(fewest, budget / (e.rows + e.columns)));
        const int64_t lines = std::max<int64_t>(budget / e.steps / 2, 1);
        if (splits_rows) e.rows = std::min(e.rows, up(lines, shape().rows()));
        if (splits_columns) e.columns = std::min(e.columns, up(lines, shape().cols()));
        return e;
    }

    static bool is_zero(const heron_scalar& s) { return !s.device && s.re == 0 && s.im == 0; }
    static bool is_one(const heron_scalar& s) { return !s.device && s.re == 1 && s.im == 0; }
    static bool reads_rows_in_place(const job<CT>& j) { return j.update.range == 1 || j.update.range == 2; }
    static bool reads_columns_in_place(const job<CT>& j) {
        return j.update.range == 3 || j.update.range == 4;
    }

    template <class... Args>
    void launch(const char& id, const char* name, const size_t (&groups)[2], const size_t (&local)[2],
                Args... args) {
        const program_key& key = &id == &kit_->ids.solve ? kit_->solves : kit_->products;
        device_.launch_program(&id, name, key, groups, local, args...);
    }

    // Steps [step, step + steps) of the terms one after the other, for one block of C.
    void part(const job<CT>& j, int64_t row, int64_t rows, int64_t column, int64_t columns, int64_t step,
              int64_t steps) {
        const int64_t total = up(steps, shape().kt);
        reserve(a_, a_bytes_, up(rows, shape().rows()) * total);
        reserve(b_, b_bytes_, up(columns, shape().cols()) * total);
        for (int t = 0; t < j.terms; ++t) {
            const int64_t first = std::max(step, t * j.k);
            const int64_t last = std::min(step + steps, (t + 1) * j.k);
            if (first >= last) continue;
            source chunk{};
            chunk.first_k = first - t * j.k;
            chunk.depth = last - first;
            chunk.begin = first - step;
            chunk.total = total;
            chunk.steps = last == step + steps ? total - chunk.begin : chunk.depth;
            if ((j.left_out & HERON_GEMM_WITHOUT_PACKING) != 0) continue;
            source a = placed(j.a[t].from, chunk, row, rows, shape().rows());
            a.scaled = scaling(j, t);
            a.has_real_scale = j.update.has_real_alpha;
            pack(j, t, a, placed(j.b[t].from, chunk, column, columns, shape().cols()));
        }
        heron_scalar one{};
        one.re = 1;
        multiply_packed(j, step == 0 ? j.beta : one, row, rows, column, columns, total);
    }

    // How the packed elements of a term of A are scaled.
    static int64_t scaling(const job<CT>& j, int term) {
        if (is_one(j.alpha)) return 0;
        return term == 1 && j.conjugate_second ? 2 : 1;
    }

    void reserve(cl_mem& memory, int64_t& bytes, int64_t elements) {
        const int64_t needed = elements * static_cast<int64_t>(sizeof(CT));
        if (needed <= bytes) return;
        memory = device_.take_scratch(static_cast<size_t>(needed));
        bytes = needed;
    }

    // `count` lines from `first` on of an operand, the steps of `chunk`, in panels of `width` lines.
    static source placed(source s, const source& chunk, int64_t first, int64_t count, int64_t width) {
        s.rows = count;
        s.first_row = first;
        s.padded_rows = up(count, width);
        s.first_k = chunk.first_k;
        s.depth = chunk.depth;
        s.steps = chunk.steps;
        s.total = chunk.total;
        s.begin = chunk.begin;
        return s;
    }

    void pack(const job<CT>& j, int term, const source& a, const source& b) {
        const bool columns = shape().columns;
        const auto alpha = as_argument<CT>(j.alpha);
        const int64_t lines_of_a = quotient(a.padded_rows, columns ? shape().rows() : pack_tile);
        const int64_t lines_of_b = quotient(b.padded_rows, columns ? shape().cols() : pack_tile);
        const size_t groups[] = {static_cast<size_t>(quotient(a.steps, columns ? pack_steps : pack_tile)),
                                 static_cast<size_t>(lines_of_a + lines_of_b)};
        const size_t local[] = {columns ? 1u : static_cast<size_t>(pack_tile), columns ? 1u : 8u};
        launch(kit_->ids.pack, "dense_pack", groups, local, a, static_cast<const CT*>(j.a[term].memory),
               alpha.value, reinterpret_cast<const RT*>(alpha.device), a_, b,
               static_cast<const CT*>(j.b[term].memory), b_, lines_of_a);
    }

    void multiply_packed(const job<CT>& j, const heron_scalar& beta, int64_t row, int64_t rows,
                         int64_t column, int64_t columns, int64_t total) {
        product p = j.update;
        p.m = rows;
        p.n = columns;
        p.total = total;
        p.offset = j.c.offset + row + column * j.c.ld;
        p.ld = j.c.ld;
        const auto gate = as_argument<CT>(j.gate);
        const auto scale = as_argument<CT>(beta);
        const int64_t rows_of_tiles = quotient(rows, shape().rows());
        size_t groups[] = {static_cast<size_t>(rows_of_tiles),
                           static_cast<size_t>(quotient(columns, shape().cols()))};
        if (shape().columns) {
            groups[1] = static_cast<size_t>(quotient(columns, shape().cols() * panels_per_item));
        } else if (p.triangle != 0 && shape().rows() == shape().cols()) {
            groups[0] = static_cast<size_t>(rows_of_tiles * (rows_of_tiles + 1) / 2);
            groups[1] = 1;
        }
        launch(kit_->ids.product, "dense_product", groups,
               {static_cast<size_t>(shape().wx), static_cast<size_t>(shape().wy)}, p,
               static_cast<CT*>(j.c.memory), gate.value, reinterpret_cast<const RT*>(gate.device),
               scale.value, reinterpret_cast<const RT*>(scale.device), a_, b_);
    }

    opencl_device& device_;
    heron_type type_;
    int left_out_;
    const dense_kit* kit_;
    cl_mem a_ = nullptr;
    cl_mem b_ = nullptr;
    int64_t a_bytes_ = 0;
    int64_t b_bytes_ = 0;
};

template <class CT>
void run_gemm(opencl_device& device, const heron_gemm_args& g) {
    job<CT> j;
    j.m = g.m;
    j.n = g.n;
    j.k = g.k;
    j.a[0] = left_operand(g.a, g.op_a);
    j.b[0] = right_operand(g.b, g.op_b);
    j.alpha = j.gate = g.alpha;
    j.beta = g.beta;
    j.c = g.c;
    j.left_out = plans::parts_left_out(g);
    engine<CT>(device, g.type, j.left_out).run(j);
}

template <class CT>
void run_gemmt(opencl_device& device, const heron_gemmt_args& g) {
    job<CT> j;
    j.m = j.n = g.n;
    j.k = g.k;
    j.terms = g.terms;
    j.conjugate_second = g.conjugate_second;
    for (int t = 0; t < g.terms; ++t) {
        j.a[t] = left_operand(g.a[t], g.op_a);
        j.b[t] = right_operand(g.b[t], g.op_b);
    }
    j.alpha = j.gate = g.alpha;
    j.beta = g.beta;
    j.c = g.c;
    j.update.triangle = g.fill == HERON_FILL_LOWER ? 1 : 2;
    j.update.hermitian = g.hermitian != 0;
    j.update.has_real_alpha = plans::has_real_alpha(g);
    j.update.has_real_beta = g.hermitian != 0;
    engine<CT>(device, g.type).run(j);
}

template <class CT>
void run_symm(opencl_device& device, const heron_symm_args& g) {
    const bool left = g.side == HERON_SIDE_LEFT;
    job<CT> j;
    j.m = g.m;
    j.n = g.n;
    j.k = left ? g.m : g.n;
    operand& stored = left ? j.a[0] : j.b[0];
    stored = left ? left_operand(g.a, HERON_OP_NONE) : right_operand(g.a, HERON_OP_NONE);
    stored.from.kind = g.hermitian ? hermitian : symmetric;
    // B' is packed as its transpose.
    stored.from.stores_lower = (g.fill == HERON_FILL_LOWER) == left;
    (left ? j.b[0] : j.a[0]) = left ? right_operand(g.b, HERON_OP_NONE) : left_operand(g.b, HERON_OP_NONE);
    j.alpha = j.gate = g.alpha;
    j.beta = g.beta;
    j.c = g.c;
    engine<CT>(device, g.type).run(j);
}

bool is_lower(const heron_triangular_args& g) {
    return (g.fill == HERON_FILL_LOWER) != plans::is_transposed(g.op_a);
}

template <class CT>
void run_trmm(opencl_device& device, const heron_triangular_args& g) {
    const bool left = g.side == HERON_SIDE_LEFT;
    job<CT> j;
    j.m = g.m;
    j.n = g.n;
    j.k = left ? g.m : g.n;
    operand& stored = left ? j.a[0] : j.b[0];
    stored = left ? left_operand(g.a, g.op_a) : right_operand(g.a, g.op_a);
    stored.from.kind = triangular;
    stored.from.stores_lower = is_lower(g) == left;
    stored.from.unit = g.diag == HERON_DIAG_UNIT;
    (left ? j.b[0] : j.a[0]) = left ? right_operand(g.b, HERON_OP_NONE) : left_operand(g.b, HERON_OP_NONE);
    j.alpha = j.gate = g.alpha;
    j.c = g.b;
    j.update.range = left ? (is_lower(g) ? 1 : 2) : (is_lower(g) ? 3 : 4);
    engine<CT>(device, g.type).run(j);
}

// M*X = B for the columns of B (LEFT: M = op(A)) or for its rows (RIGHT: M = op(A)^T), by halves: solve one,
// subtract its part from the other, solve that (J. Dongarra et al., "Recursive blocked algorithms and hybrid
// data structures for dense matrix library software", SIAM Review 46(1), 2004).
template <class CT>
class triangular_solver {
  public:
    triangular_solver(opencl_device& device, const heron_triangular_args& g)
        : args_(g), vectors_(g), engine_(device, g.type) {}

    void run() {
        if (vectors_.order == 0 || vectors_.count == 0) return;
        const heron_scalar& alpha = args_.alpha;
        if (alpha.device || alpha.re != 1 || alpha.im != 0) engine_.scale(args_.m, args_.n, alpha, args_.b);
        const bool is_zero = !alpha.device && alpha.re == 0 && alpha.im == 0;
        if (!is_zero) solve(0, vectors_.order);
    }

  private:
    void solve(int64_t first, int64_t last) {
        if (last - first <= solve_order) return solve_block(first, last);
        const int64_t middle = first + up((last - first) / 2, solve_order);
        if (vectors_.lower) {
            solve(first, middle);
            subtract(first, middle, middle, last);
            solve(middle, last);
        } else {
            solve(middle, last);
            subtract(middle, last, first, middle);
            solve(first, middle);
        }
    }

    void solve_block(int64_t first, int64_t last) {
        const int sign = vectors_.lower ? 1 : -1;
        const int64_t start = vectors_.lower ? first : last - 1;
        triangular_block block{};
        block.order = last - first;
        block.count = vectors_.count;
        block.a_row = sign * vectors_.a_row;
        block.a_column = sign * vectors_.a_column;
        block.a_offset = args_.a.offset + start * (vectors_.a_row + vectors_.a_column);
        block.conjugate = plans::is_conjugated(args_.op_a);
        block.unit = args_.diag == HERON_DIAG_UNIT;
        block.offset = args_.b.offset + start * vectors_.step;
        block.line = vectors_.line;
        block.step = sign * vectors_.step;
        engine_.solve(block, args_.a.memory, args_.b.memory, args_.alpha.device);
    }

    // The solved elements are [first, last), the others [from, to).
    void subtract(int64_t first, int64_t last, int64_t from, int64_t to) {
        const bool left = vectors_.left;
        heron_dense_operand solved = args_.b;
        solved.offset += first * vectors_.step;
        heron_dense_operand m = args_.a;
        m.offset += from * vectors_.a_row + first * vectors_.a_column;
        job<CT> j;
        j.m = left ? to - from : vectors_.count;
        j.n = left ? vectors_.count : to - from;
        j.k = last - first;
        operand& known = left ? j.a[0] : j.b[0];
        known = left ? left_operand(m, args_.op_a) : right_operand(m, args_.op_a);
        (left ? j.b[0] : j.a[0]) =
            left ? right_operand(solved, HERON_OP_NONE) : left_operand(solved, HERON_OP_NONE);
        j.alpha.re = -1;
        j.beta.re = 1;
        j.gate = args_.alpha;
        j.c = args_.b;
        j.c.offset += from * vectors_.step;
        engine_.run(j);
    }

    const heron_triangular_args& args_;
    plans::triangular_vectors vectors_;
    engine<CT> engine_;
};

}  // namespace

bool has_dense_kernels(heron_type type) {
    return type == HERON_R_32F || type == HERON_R_64F || type == HERON_C_32F || type == HERON_C_64F;
}

void gemm(opencl_device& device, heron_phase phase, const heron_gemm_args& args, heron_workspace& workspace) {
    if (args.algorithm == HERON_GEMM_3M) return plans::gemm_3m(device, phase, args, workspace, &gemm);
    if (!has_dense_kernels(args.type)) return plans::gemm(device, phase, args, workspace);
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    if (plans::parts_left_out(args) == 0 && multiply_unpacked(device, args)) return;
    visit_full(args.type, [&]<class CT>(type<CT>) { run_gemm<CT>(device, args); });
}

void gemmt(opencl_device& device, heron_phase phase, const heron_gemmt_args& args,
           heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_full(args.type, [&]<class CT>(type<CT>) { run_gemmt<CT>(device, args); });
}

void symm(opencl_device& device, heron_phase phase, const heron_symm_args& args, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_full(args.type, [&]<class CT>(type<CT>) { run_symm<CT>(device, args); });
}

void trmm(opencl_device& device, heron_phase phase, const heron_trmm_args& args, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_full(args.type, [&]<class CT>(type<CT>) { run_trmm<CT>(device, args); });
}

void trsm(opencl_device& device, heron_phase phase, const heron_trsm_args& args, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_full(args.type, [&]<class CT>(type<CT>) { triangular_solver<CT>(device, args).run(); });
}

void override_dense(heron_backend& table) {
    table.gemm = &slot<opencl_device, heron_gemm_args, &gemm, operation_names::gemm>;
    table.gemm_batched =
        &slot<opencl_device, heron_gemm_batched_args, &gemm_batched, operation_names::gemm_batched>;
    table.gemmt = &slot<opencl_device, heron_gemmt_args, &gemmt, operation_names::gemmt>;
    table.symm = &slot<opencl_device, heron_symm_args, &symm, operation_names::symm>;
    table.trmm = &slot<opencl_device, heron_trmm_args, &trmm, operation_names::trmm>;
    table.trsm = &slot<opencl_device, heron_trsm_args, &trsm, operation_names::trsm>;
}

}  // namespace heron::opencl
