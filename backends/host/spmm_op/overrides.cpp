// Products with operators of the caller's on the CPU: callbacks here, named semirings by the shared plan.
#include "common/spmm_op/plan.hpp"
#include "common/runtime/slot.hpp"
#include "host/runtime/team.hpp"

namespace heron::HERON_LEVEL {

// One row of C after the other, every element by callbacks in the order of the plan.
template <class VA, class VC, class CT, class OT, class IT>
class callback_product {
  public:
    explicit callback_product(const heron_spmm_op_args& args)
        : args_(args), empty_(scalar_value<CT>(args.identity.re, args.identity.im)) {}

    void row(int64_t i) const {
        const bool stores = args_.a.format == HERON_FORMAT_CSR;
        const OT* const offsets = as<const OT>(args_.a.offsets);
        const int64_t begin = stores ? int64_t{offsets[i]} - args_.a.base : 0;
        const int64_t end = stores ? int64_t{offsets[i + 1]} - args_.a.base : 0;
        for (int64_t j = 0; j < args_.columns; ++j) {
            VC& c = as<VC>(args_.c)[i * args_.c_row_step + j * args_.c_column_step];
            store(c, finished(sum(begin, end, j), c));
        }
    }

  private:
    CT call(heron_operator_callback f, CT a, CT b) const {
        CT result{};
        f(args_.context, &a, &b, &result);
        return result;
    }

    CT sum(int64_t begin, int64_t end, int64_t j) const {
        const IT* const indices = as<const IT>(args_.a.indices);
        CT total = empty_;
        for (int64_t k = begin; k < end; ++k) {
            const int64_t at =
                (int64_t{indices[k]} - args_.a.base) * args_.b_row_step + j * args_.b_column_step;
            const CT term = call(args_.mul, load<CT>(as<const VA>(args_.a.values)[k]),
                                 load<CT>(as<const VA>(args_.b)[at]));
            total = k == begin ? term : call(args_.add, total, term);
        }
        return total;
    }

    CT finished(CT total, const VC& c) const {
        if (args_.epilogue_kind == HERON_EPILOGUE_STORE) return total;
        return call(args_.epilogue_kind == HERON_EPILOGUE_ADD ? args_.add : args_.epilogue, total,
                    load<CT>(c));
    }

    const heron_spmm_op_args& args_;
    const CT empty_;
};

static void host_spmm_op(host_device& device, heron_phase phase, const heron_spmm_op_args& args,
                         heron_workspace& workspace) {
    if (args.form != HERON_OPERATORS_CALLBACK) return plans::spmm_op(device, phase, args, workspace);
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    plans::visit_spmm_op(args, [&]<class VA, class VC, class CT, class OT, class IT>(
                                   type<VA>, type<VC>, type<CT>, type<OT>, type<IT>) {
        const callback_product<VA, VC, CT, OT, IT> product(args);
        const int64_t rows = args.a.rows;
        const int team = team_for(device, args.a.nnz * args.columns);
#pragma omp parallel for schedule(dynamic, 16) num_threads(team) if (team > 1)
        for (int64_t i = 0; i < rows; ++i) product.row(i);
    });
}

void override_spmm_op(heron_backend& table) {
    table.spmm_op = &slot<host_device, heron_spmm_op_args, &host_spmm_op, operation_names::spmm_op>;
}

}  // namespace heron::HERON_LEVEL
