// Symmetric and triangular products and triangular solves by recursion: the blocks on the diagonal are a
// kernel's of their own, and all others products. What is in place is so without a workspace, because a block
// of B is overwritten only when no later product needs it.
#include "bands.cuh"
#include "launch.cuh"
#include "strips.cuh"
#include "triangular.cuh"
#include <cstdlib>

namespace heron::HERON_LEVEL {
namespace dense_cuda {

template <class CT>
struct leaf_of {
    using tile = leaf_tile<CT, 128, 32, 256>;
};
template <>
struct leaf_of<c64> {
    using tile = leaf_tile<c64, 64, 32, 256>;
};

template <class CT>
struct bands_of;
template <>
struct bands_of<f32> {
    using tile = band_tile<large_thread_tile<f32, 128, 32, 32, 3, 8, 8, 1, 4>, strip_tile<f32, 4>>;
};
template <>
struct bands_of<f64> {
    using tile = band_tile<large_real_tile<128, 32, 16, 4, 32, 16, 1>, strip_tile<f64, 4>>;
};
template <>
struct bands_of<c32> {
    using tile = band_tile<large_thread_tile<c32, 128, 32, 16, 3, 4, 4, 1>, strip_tile<c32, 4>>;
};
template <class CT>
constexpr bool has_bands = !std::is_same_v<CT, c64>;  // which would gain nothing

// A structured matrix M and vectors x and y, the columns or rows of matrices. The rows of M are counted so
// that its lower triangle counts: from the end if the upper one is stored.
template <class CT>
class structured {
  public:
    using tile = typename leaf_of<CT>::tile;
    struct range {
        int64_t begin, end;
        int64_t size() const { return end - begin; }
    };

    structured(cuda_device& device, const plans::triangular_vectors& v, const CT* a, structure form,
               bool conjugates, bool is_unit, const heron_scalar& alpha)
        : device_(device),
          v_(v),
          a_(a),
          form_(form),
          conjugates_(conjugates),
          is_unit_(is_unit),
          alpha_(as_scalar<CT>(alpha, false)),
          is_zero_(!alpha.device && alpha.re == 0 && alpha.im == 0) {}

    void operands(const CT* x, int64_t ldx, CT* y, int64_t ldy) {
        x_ = x;
        ldx_ = ldx;
        y_ = y;
        ldy_ = ldy;
    }

    int64_t order() const { return v_.order; }

    // x with M*x = alpha*y in place of y, for some rows. scales: they have not been multiplied by alpha yet.
    void solve(range rows, bool scales) {
        const scalar<CT> factor = scales ? alpha_ : number(1);
        if (rows.size() <= strip_rows) return launch_strips<true>(leaf_at(rows, 1, factor));
        const int64_t middle = rows.begin + half_of(rows.size());
        solve({rows.begin, middle}, scales);
        update({middle, rows.end}, {rows.begin, middle}, 1, number(-1), factor, false);
        solve({middle, rows.end}, false);
    }

    // y := alpha*M*y for some rows.
    void multiply(range rows) {
        if (rows.size() <= strip_rows) return launch_strips<false>(leaf_at(rows, 1, number(0)));
        if (launch_bands(rows)) return;
        const int64_t middle = rows.begin + half_of(rows.size());
        multiply({middle, rows.end});
        update({middle, rows.end}, {rows.begin, middle}, 1, alpha_, number(1), false);
        multiply({rows.begin, middle});
    }

    // y := alpha*M*x + beta*y with M symmetric: first the diagonal's blocks, then pairs of blocks beside it,
    // ever larger ones.
    void multiply_symmetric(scalar<CT> beta) {
        const int64_t whole = order() / tile::rows, rest = whole * tile::rows;
        if (whole > 0) launch(&multiply_leaf<tile>, leaf_at({0, tile::rows}, whole, beta));
        if (rest < order()) launch(&multiply_leaf<tile>, leaf_at({rest, order()}, 1, beta));
        for (int64_t h = tile::rows; h < order(); h *= 2) {
            const int64_t pairs = order() / (2 * h), last = pairs * 2 * h;
            if (pairs > 0) update_pairs({h, 2 * h}, {0, h}, pairs);
            if (last + h < order()) update_pairs({last + h, order()}, {last, last + h}, 1);
        }
    }

  private:
    static scalar<CT> number(int value) { return {scalar_value<CT>(value, 0), nullptr, nullptr}; }

    static constexpr int strip_rows = strip_tile<CT, 1>::rows;

    // A warp has as few vectors as let the device work on all of them at a time.
    template <bool solves, int per_warp = 1>
    void launch_strips(const leaf_parameters<CT>& p) {
        constexpr int most_per_warp = 4;
        using strip = strip_tile<CT, per_warp>;
        const auto kernel = &work_on_strips<strip, solves>;
        const int64_t blocks = tiles_of(p.count, strip::vectors);
        if constexpr (per_warp < most_per_warp)
            if (blocks > device_.blocks_at_once(kernel, strip::threads, strip::shared_bytes))
                return launch_strips<solves, 2 * per_warp>(p);
        device_.launch_blocks(kernel, blocks, strip::threads, strip::shared_bytes, p);
    }

    // A few bands of rows at once; false where there are too many, too few vectors for all multiprocessors,
    // or they lie in memory in ways that they seldom do.
    bool launch_bands(range rows) {
        if constexpr (has_bands<CT>) {
            using tile = typename bands_of<CT>::tile;
            constexpr int64_t most_bands = 4;
            const bool is_worth = v_.count >= device_.multiprocessors() * tile::vectors * 3 / 4;
            if (rows.size() > most_bands * tile::rows || !is_worth || !v_.left || is_zero_) return false;
            band_parameters<CT> p{};
            p.triangle = leaf_at(rows, 1, number(1));
            p.product = product_of(rows, rows, 1, alpha_, number(1), false);
            p.product.conjugate_sum = conjugates_;
            p.is_lower = v_.lower;
            if (!is_usable<typename tile::large>(device_, p.product)) return false;
            constexpr bool keeps_depth = tile::large::keeps_depth;
            const layout how = layout_of<CT, keeps_depth>(p.product.a[0], rows.size());
            if (layout_of<CT, keeps_depth>(p.product.b[0], v_.count) != layout::depth) return false;
            if (how == layout::lines) return launch_bands<layout::lines>(p);
            return how == layout::depth && launch_bands<layout::depth>(p);
        }
        return false;
    }

    // A triangle that is conjugated is transposed too, and so lies by depth.
    template <layout How>
    bool launch_bands(const band_parameters<CT>& p) {
        if (!conjugates_) return launch_bands<How, false>(p);
        if constexpr (!std::is_same_v<CT, real_of<CT>> && How == layout::depth)
            return launch_bands<How, true>(p);
        return false;
    }

    template <layout How, bool conjugates>
    bool launch_bands(const band_parameters<CT>& p) {
        using tile = typename bands_of<CT>::tile;
        constexpr int bytes = triangle_bands<tile, How, conjugates>::shared_bytes;
        if (bytes + cuda_device::declared_at_most > device_.shared_bytes()) return false;
        device_.launch_blocks(&work_on_bands<tile, How, conjugates>, tiles_of(v_.count, tile::vectors),
                              tile::threads, bytes, p);
        return true;
    }

    static int64_t half_of(int64_t size) {
        int64_t half = strip_rows;
        while (2 * half < size) half *= 2;
        return half;
    }

    int64_t first_of(range r) const { return v_.lower ? r.begin : order() - r.end; }
    int64_t step_x() const { return v_.left ? 1 : ldx_; }
    int64_t step_y() const { return v_.left ? 1 : ldy_; }

    // The kernels of the leaves go backwards where rows are counted so.
    leaf_parameters<CT> leaf_at(range rows, int64_t items, scalar<CT> beta) const {
        const int64_t sign = v_.lower ? 1 : -1, first = v_.lower ? rows.begin : order() - 1 - rows.begin;
        leaf_parameters<CT> p{};
        p.order = rows.size();
        p.count = v_.count;
        p.items = items;
        p.row = sign * v_.a_row;
        p.column = sign * v_.a_column;
        p.a = is_zero_ ? nullptr : a_ + first * (v_.a_row + v_.a_column);
        p.a_item = rows.size() * (p.row + p.column);
        p.conjugates = conjugates_;
        p.is_unit = is_unit_;
        p.form = form_;
        p.step = sign * step_x();
        p.line = v_.left ? ldx_ : 1;
        p.x = is_zero_ && x_ != y_ ? nullptr : x_ + first * step_x();
        p.x_item = rows.size() * p.step;
        p.y_step = sign * step_y();
        p.y_line = v_.left ? ldy_ : 1;
        p.y = y_ + first * step_y();
        p.y_item = rows.size() * p.y_step;
        p.alpha = alpha_;
        p.beta = beta;
        return p;
    }

    void launch(void (*kernel)(leaf_parameters<CT>), const leaf_parameters<CT>& p) {
        device_.launch_blocks(kernel, tiles_of(p.count, tile::vectors) * p.items, tile::threads,
                              tile::shared_bytes, p);
    }

    void update_pairs(range low, range high, int64_t pairs) {
        update(low, high, pairs, alpha_, number(1), false);
        update(high, low, pairs, alpha_, number(1), true);
    }

    void update(range rows, range columns, int64_t items, scalar<CT> alpha, scalar<CT> beta, bool mirrored) {
        if (is_zero_) return;
        const bool conjugates = conjugates_ || (mirrored && form_ == structure::hermitian);
        tuned_product(device_, product_of(rows, columns, items, alpha, beta, mirrored), v_.left && conjugates,
                      !v_.left && conjugates);
    }

    // y(rows) := alpha*M(rows, columns)*x(columns) + beta*y(rows). mirrored: by M(columns, rows) instead,
    // which is stored. The same for more items, which lie behind each other on M's diagonal.
    parameters<CT> product_of(range rows, range columns, int64_t items, scalar<CT> alpha, scalar<CT> beta,
                              bool mirrored) const {
        const int64_t to_next = (v_.lower ? 1 : -1) * (rows.size() + columns.size());
        const auto place = [&](const CT* p, int64_t step) {
            return places{p, nullptr, items > 1 ? to_next * step : 0, 0, 0};
        };
        const range& i = mirrored ? columns : rows;
        const range& l = mirrored ? rows : columns;
        const places m =
            place(a_ + first_of(i) * v_.a_row + first_of(l) * v_.a_column, v_.a_row + v_.a_column);
        const places x = place(x_ + first_of(columns) * step_x(), step_x());
        const operand of_m =
            as_operand<CT>(m, mirrored ? v_.a_column : v_.a_row, mirrored ? v_.a_row : v_.a_column);
        const operand of_x = as_operand<CT>(x, v_.left ? ldx_ : 1, step_x());
        parameters<CT> p{};
        p.m = v_.left ? rows.size() : v_.count;
        p.n = v_.left ? v_.count : rows.size();
        p.k = columns.size();
        p.count = items;
        p.terms = p.splits = 1;
        p.a[0] = v_.left ? of_m : of_x;
        p.b[0] = v_.left ? of_x : of_m;
        p.alpha = alpha;
        p.guard = alpha_.device;
        p.beta = beta;
        p.c = place(y_ + first_of(rows) * step_y(), step_y());
        p.ldc = ldy_;
        p.c_step = 1;
        return p;
    }

    cuda_device& device_;
    plans::triangular_vectors v_;
    const CT* a_;
    structure form_;
    bool conjugates_, is_unit_;
    scalar<CT> alpha_;
    bool is_zero_;  // alpha, as the host knows: A and x are not read and may be missing
    const CT* x_ = nullptr;
    CT* y_ = nullptr;
    int64_t ldx_ = 0, ldy_ = 0;
};

template <class CT>
const CT* begin_of(const heron_dense_operand& o) {
    return static_cast<const CT*>(o.memory) + o.offset;
}

template <class CT>
structured<CT> triangular_of(cuda_device& device, const heron_triangular_args& t) {
    structured<CT> result(device, plans::triangular_vectors(t), begin_of<CT>(t.a), structure::triangular,
                          plans::is_conjugated(t.op_a), t.diag == HERON_DIAG_UNIT, t.alpha);
    CT* const b = const_cast<CT*>(begin_of<CT>(t.b));
    result.operands(b, t.b.ld, b, t.b.ld);
    return result;
}

// A symmetric matrix as the triangle of it that is stored.
inline plans::triangular_vectors vectors_of(const heron_symm_args& s) {
    heron_triangular_args t{};
    t.side = s.side;
    t.fill = s.fill;
    t.op_a = HERON_OP_NONE;
    t.m = s.m;
    t.n = s.n;
    t.a = s.a;
    t.b = s.b;
    return plans::triangular_vectors(t);
}

}  // namespace dense_cuda

namespace plans {

void cuda_symm(cuda_device& device, heron_phase phase, const heron_symm_args& s, heron_workspace& workspace) {
    using namespace dense_cuda;
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_full(s.type, [&]<class CT>(type<CT>) {
        if (tuned_symm<CT>(device, s)) return;
        structured<CT> m(device, vectors_of(s), begin_of<CT>(s.a),
                         s.hermitian ? structure::hermitian : structure::symmetric, false, false, s.alpha);
        m.operands(begin_of<CT>(s.b), s.b.ld, const_cast<CT*>(begin_of<CT>(s.c)), s.c.ld);
        m.multiply_symmetric(as_scalar<CT>(s.beta, false));
    });
}

void cuda_trmm(cuda_device& device, heron_phase phase, const heron_trmm_args& t, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_full(t.type, [&]<class CT>(type<CT>) {
        auto m = dense_cuda::triangular_of<CT>(device, t);
        m.multiply({0, m.order()});
    });
}

void cuda_trsm(cuda_device& device, heron_phase phase, const heron_trsm_args& t, heron_workspace& workspace) {
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_full(t.type, [&]<class CT>(type<CT>) {
        auto m = dense_cuda::triangular_of<CT>(device, t);
        m.solve({0, m.order()}, true);
    });
}

}  // namespace plans
}  // namespace heron::HERON_LEVEL
