// y := alpha*op(A)*x + beta*y on the CPU. Bound by memory: what counts is that every thread streams an equal
// share of the matrix, with its loads issued early enough. Deterministic for one number of threads in every
// format and direction.
#include "common/spmv/plan.hpp"
#include "common/runtime/slot.hpp"
#include "bsr.hpp"

namespace heron::HERON_LEVEL {

// y[row] := alpha*sum + beta*y[row]. A value, so that loops keep it in registers.
template <class VY, class CT>
struct row_writer {
    VY* y;
    CT alpha, beta;
    void operator()(int64_t row, CT sum) const { kernels::update_y(y, row, sum, alpha, beta); }
};

// What does not depend on the matrix is compiled apart, once for all formats.
template <class VY, class CT>
[[gnu::noinline]] void add_up_by_all(int team, const accumulator<CT>* accumulators, int count, int64_t n,
                                     VY* y, CT beta) {
    run_team(team, [&](int member, int members) {
        add_up(accumulators, count, equal_part(n, member, members), y, beta);
    });
}

template <class VY, class CT>
[[gnu::noinline]] void scale_by_all(int team, int64_t n, VY* y, CT beta) {
    run_team(team, [&](int member, int members) { scale_part(equal_part(n, member, members), y, beta); });
}

template <class VA, class VX, class VY, class CT, class IT>
class host_spmv_plan {
  public:
    host_spmv_plan(const host_device& device, heron_phase phase, const heron_spmv_args& args,
                   heron_workspace& workspace)
        : device_(device), phase_(phase), args_(args), layout_(phase, workspace) {}

    void apply() {
        if (is_complex_type<VA> && plans::is_conjugated(args_.op)) return visit_format<true>();
        visit_format<false>();
    }

  private:
    template <bool conjugate>
    void visit_format() {
        const heron_spmat& a = args_.a;
        const bool transposed = plans::is_transposed(args_.op);
        switch (a.format) {
            case HERON_FORMAT_COO:
                return add_up_rows(
                    a.nnz, coo_source<VA, VX, CT, IT, conjugate>(a, transposed, x(), alpha(), walk()));
            case HERON_FORMAT_CSR:
                return visit_direction(csr_source<VA, VX, CT, IT, conjugate>(a, x(), alpha(), walk()));
            case HERON_FORMAT_SELL:
                return visit_direction(sell_source<VA, VX, CT, IT, conjugate>(a, x(), alpha()));
            case HERON_FORMAT_BSR:
                return visit_direction(bsr_source<VA, VX, CT, IT, conjugate>(a, x(), alpha(), streams()));
            default: throw plan_error{HERON_NOT_SUPPORTED, "SpMV is not built for this format"};
        }
    }

    template <class Source>
    void visit_direction(const Source& source) {
        if (plans::is_transposed(args_.op)) return add_up_rows(elements(), source);
        if (phase_ == HERON_PHASE_RUN) sum_rows(source);
    }

    // op = N: every row of y is written once, by the thread that sums the row.
    template <class Source>
    void sum_rows(const Source& source) {
        const CT alpha = this->alpha();
        const CT beta = this->beta();
        const int team = team_for(device_, elements() + args_.y.size);
        if (equal(alpha, CT{})) return scale(team, beta);
        const int pieces = pieces_of(team);
        // As many as there are parts: all that there may be are more memory than many a matrix.
        auto* const fragments = static_cast<row_fragment<CT>*>(
            __builtin_alloca(sizeof(row_fragment<CT>) * static_cast<size_t>(2 * team * pieces)));
        for (int i = 0; i < 2 * team * pieces; ++i) fragments[i] = {-1, CT{}};
        const row_writer<VY, CT> write{y(), alpha, beta};
        share_parts(team, pieces,
                    [&](int part, int parts) { source.sum_rows(part, parts, write, fragments + 2 * part); });
        join(fragments, fragments + 2 * team * pieces, write);
    }

    // In how many parts a thread's share is cut.
    int pieces_of(int team) const {
        constexpr int most = 4;
        constexpr int64_t smallest = 20000;
        const bool is_long = elements() + args_.y.size >= smallest * most * team;
        return team > 1 && is_long && team * most <= largest_team ? most : 1;
    }

    // Rows that were split between threads.
    static void join(const row_fragment<CT>* fragment, const row_fragment<CT>* end,
                     row_writer<VY, CT> write) {
        while (fragment != end) {
            const int64_t row = fragment->row;
            CT sum{};
            for (; fragment != end && (fragment->row == row || fragment->row < 0); ++fragment)
                sum = add(sum, fragment->sum);
            if (row >= 0) write(row, sum);
        }
    }

    // Elements of A are added to places of y in any order.
    template <class Source>
    void add_up_rows(int64_t nnz, const Source& source) {
        constexpr bool in_place = same_type<VY, CT>;
        const int64_t n = args_.y.size;
        const int count = accumulator_count(nnz, n);
        CT* const memory = in_place && count == 1 ? nullptr : layout_.take<CT>(count * accumulator_length(n));
        if (phase_ != HERON_PHASE_RUN) return;
        const int team = team_for(device_, nnz + n);
        const int adders = count < team ? count : team;
        if (equal(alpha(), CT{})) return scale(team, beta());
        if constexpr (in_place) {
            if (adders == 1) {
                scale(team, beta());
                whole_vector<CT> to{y()};
                return source.add_rows(0, 1, to);
            }
        }
        add_up_rows(source, memory, team, adders);
    }

    template <class Source>
    void add_up_rows(const Source& source, CT* memory, int team, int adders) {
        const int64_t n = args_.y.size;
        const CT beta = this->beta();
        accumulator<CT> accumulators[largest_team];
        for (int i = 0; i < adders; ++i) accumulators[i] = {memory + i * accumulator_length(n), 0, 0};
        run_team(team, [&](int member, int members) {
            const int last = adders < members ? adders : members;
            if (member >= last) return;
            if (covers_all(elements(), n, last)) accumulators[member].cover_all(n);
            source.add_rows(member, last, accumulators[member]);
        });
        add_up_by_all(team, accumulators, adders, n, y(), beta);
    }

    // In whole lines, two of which the hardware asks for together: no two threads add to one of them.
    static int64_t accumulator_length(int64_t n) {
        constexpr int64_t lines = 128 / static_cast<int64_t>(sizeof(CT));
        return (n + lines - 1) / lines * lines;
    }

    void scale(int team, CT beta) { scale_by_all(team, args_.y.size, y(), beta); }

    int64_t elements() const {
        const heron_spmat& a = args_.a;
        if (a.format == HERON_FORMAT_SELL) return a.values_size;
        return a.format == HERON_FORMAT_BSR ? a.nnz * a.block_rows * a.block_cols : a.nnz;
    }

    // Larger than what the caches are likely to hold.
    bool streams() const {
        constexpr int64_t cached_bytes = 16 << 20;
        return elements() * static_cast<int64_t>(sizeof(VA) + sizeof(IT)) > cached_bytes;
    }

    row_walk walk() const {
        constexpr int64_t shortest_in_lanes = 12;
        const bool in_lanes = args_.a.nnz >= shortest_in_lanes * args_.a.rows;
        const row_way in_registers = in_lanes ? row_way::in_lanes : row_way::in_order;
        if (!gathers_fast()) return {nearby() && streams(), in_registers};
        if (gathers()) return {streams(), row_way::gathered};
        return {(plans::is_transposed(args_.op) || nearby()) && streams(), in_registers};
    }

    // Whether x is gathered. Of short rows, where their lengths differ: a gather takes as long for one
    // element as for eight, but for a loop the end of each row is hard to predict.
    bool gathers() const {
        constexpr int64_t shortest = sizeof(VA) <= 4 ? 3 : 4;
        constexpr int64_t shortest_alike = 7;
        const heron_spmat& a = args_.a;
        if (!can_gather<VA, VX, CT> || a.nnz < shortest * a.rows) return false;
        if (a.nnz >= shortest_alike * a.rows || a.format != HERON_FORMAT_CSR) return true;
        return phase_ != HERON_PHASE_RUN || !rows_are_alike(offset_array(a.offsets, a.offset_type), a.rows);
    }

    // Whether x will come from the caches.
    bool nearby() const {
        constexpr int64_t cached_bytes = 1 << 19;
        const heron_spmat& a = args_.a;
        if (a.format != HERON_FORMAT_CSR || phase_ != HERON_PHASE_RUN || a.rows < 3) return true;
        if (a.cols * static_cast<int64_t>(sizeof(VX)) <= cached_bytes) return true;
        bool result = true;
        offset_array(a.offsets, a.offset_type).visit([&](const auto* offsets) {
            result = reads_nearby(offsets, as<const IT>(a.indices), a.rows, a.base);
        });
        return result;
    }

    CT alpha() const { return phase_ == HERON_PHASE_RUN ? scalar(args_.alpha) : CT{}; }
    CT beta() const { return scalar(args_.beta); }
    static CT scalar(const heron_scalar& s) {
        const scalar_argument<CT> argument = as_argument<CT>(s);
        return argument.device ? *argument.device : argument.value;
    }
    const VX* x() const { return as<const VX>(args_.x.values); }
    VY* y() const { return as<VY>(args_.y.values); }

    const host_device& device_;
    heron_phase phase_;
    const heron_spmv_args& args_;
    workspace_layout layout_;
};

static void host_spmv(host_device& device, heron_phase phase, const heron_spmv_args& a,
                      heron_workspace& workspace) {
    visit_product(a.a.type, a.x.type, a.y.type, a.compute_type,
                  [&]<class VA, class VX, class VY, class CT>(type<VA>, type<VX>, type<VY>, type<CT>) {
                      visit_index(a.a.index_type, [&]<class IT>(type<IT>) {
                          host_spmv_plan<VA, VX, VY, CT, IT>(device, phase, a, workspace).apply();
                      });
                  });
}

void override_spmv(heron_backend& table) {
    table.spmv = &slot<host_device, heron_spmv_args, &host_spmv, operation_names::spmv>;
}

}  // namespace heron::HERON_LEVEL
