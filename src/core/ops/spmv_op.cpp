// z := epilogue(alpha*op(A)*x + beta*y): validation and composition of a copy, the product in place and an
// epilogue, which is a product of a matrix that stores nothing with operators of the caller's.
#include "spmv_op.hpp"
#include "core/element_types.hpp"
#include "core/submit.hpp"
#include <algorithm>

namespace heron::core {
namespace {

// Scalars that a phase does not look at.
constexpr double any_scalar[2] = {1, 0};

void require_type(const heron_dnvec& v, heron_type expected, argument operand) {
    if (v.type != expected)
        not_supported(operand[part::type], fmt::format("is {}, not {}", name_of(v.type), name_of(expected)));
}

void require_same(const heron_dnvec& v, const heron_dnvec& expected, argument operand) {
    if (v.size != expected.size)
        invalid(operand, fmt::format("size {} differs from the descriptor's {}", v.size, expected.size));
    require_type(v, expected.type, operand);
    require_arrays(v, operand);
}

void require_result(const spmv_op_problem& p) {
    if (p.z.size != p.y.size)
        invalid(role::c, fmt::format("size {} differs from vecY's {}", p.z.size, p.y.size));
    require_type(p.z, p.y.type, role::c);
}

void product(context& c, const phase_call& phase, const spmv_op_problem& p, analysis* kept) {
    require_result(p);
    spmv(c, phase, p.op, any_scalar, p.a, p.x, any_scalar, p.y, p.compute_type, {}, kept);
}

size_t size_of_product(context& c, const spmv_op_problem& p) {
    size_t bytes = 0;
    product(c, {HERON_PHASE_SIZE, &bytes}, p, nullptr);
    return bytes;
}

bool is_zero(const heron_scalar& s) { return !s.device && s.re == 0 && s.im == 0; }

void copy(context& c, const heron_dnvec& from, const heron_dnvec& to) {
    const size_t bytes = static_cast<size_t>(from.size) * size_of(from.type);
    c.with_queue(
        [&](heron_queue* queue) { check(c.table().copy(queue, to.values, from.values, bytes), "copy"); });
}

}  // namespace

void spmv_op_size(context& c, const phase_call& phase, const spmv_op_problem& problem) {
    product(c, phase, problem, nullptr);
}

spmv_op_product::spmv_op_product(context& c, const spmv_op_problem& problem, void* workspace)
    : problem_(problem), workspace_(workspace), kept_(operation::spmv) {
    analyse(c);
}

spmv_op_product::spmv_op_product(context& c, const spmv_op_problem& problem)
    : problem_(problem), workspace_(own_.at_least(size_of_product(c, problem), c)), kept_(operation::spmv) {
    analyse(c);
}

void spmv_op_product::analyse(context& c) {
    product(c, {HERON_PHASE_ANALYSE, nullptr, workspace_}, problem_, &kept_);
}

void spmv_op_product::run(context& c, const void* alpha, const heron_dnvec& x, const void* beta,
                          const heron_dnvec& y, const heron_dnvec& z) {
    require_same(x, problem_.x, role::x);
    require_same(y, problem_.y, role::y);
    require_same(z, problem_.z, role::c);
    scalar_argument(c, alpha, problem_.compute_type, role::alpha);
    const heron_scalar factor = scalar_argument(c, beta, problem_.compute_type, role::beta);
    c.exclusively([&] {
        if (z.size > 0 && z.values != y.values && !is_zero(factor)) copy(c, y, z);
        spmv(c, {HERON_PHASE_RUN, nullptr, workspace_}, problem_.op, alpha, problem_.a, x, beta, z,
             problem_.compute_type, {}, &kept_);
    });
}

spmv_op_plan::spmv_op_plan(context& c, std::shared_ptr<spmv_op_product> product,
                           const heron_spmm_op_args& operators)
    : product_(std::move(product)), operators_(operators) {
    const heron_operator_code& code = operators.epilogue_code;
    if (code.size > 0) epilogue_.assign(static_cast<const char*>(code.data), code.size);
    if (operators_.epilogue_kind == HERON_EPILOGUE_STORE) return;
    workspace_size<operation::spmm_op>(c, arguments(product_->problem().z));
}

void spmv_op_plan::set_global(context& c, const char* name, const void* data, size_t size) {
    if (operators_.form != HERON_OPERATORS_LTO_IR || operators_.epilogue_kind != HERON_EPILOGUE_CUSTOM)
        invalid(role::analysis, "has no epilogue with variables");
    std::list<global> changed = globals_;
    const auto known =
        std::find_if(changed.begin(), changed.end(), [&](const global& g) { return g.name == name; });
    global& g = known == changed.end() ? changed.emplace_back() : *known;
    g = {name, {static_cast<const char*>(data), size}};
    list(changed);
    try {
        heron_workspace none{};
        call_slot<operation::spmm_op>(c, HERON_PHASE_ANALYSE, arguments(product_->problem().z), none);
    } catch (...) {
        list(globals_);
        throw;
    }
    // Of lists, whose elements stay where they are.
    globals_.swap(changed);
}

void spmv_op_plan::list(const std::list<global>& globals) {
    values_.clear();
    for (const global& g : globals) values_.push_back({g.name.c_str(), g.data.data(), g.data.size()});
    listed_ = {values_.data(), values_.size()};
}

heron_spmm_op_args spmv_op_plan::arguments(const heron_dnvec& z) {
    heron_spmm_op_args args = operators_;
    args.a = {};
    args.a.format = HERON_FORMAT_COO;
    args.a.rows = z.size;
    args.a.type = z.type;
    args.a.batch_count = 1;
    args.c = z.values;
    args.c_type = z.type;
    args.c_row_step = 1;
    args.c_column_step = z.size;
    args.b_row_step = args.b_column_step = 1;
    args.columns = 1;
    args.compute_type = product_->problem().compute_type;
    args.epilogue_code = {epilogue_.data(), epilogue_.size()};
    if (operators_.form == HERON_OPERATORS_LTO_IR) args.context = values_.empty() ? nullptr : &listed_;
    return args;
}

void spmv_op_plan::run(context& c, const void* alpha, const heron_dnvec& x, const void* beta,
                       const heron_dnvec& y, const heron_dnvec& z) {
    c.exclusively([&] {
        product_->run(c, alpha, x, beta, y, z);
        if (operators_.epilogue_kind == HERON_EPILOGUE_STORE || z.size == 0) return;
        run_in<operation::spmm_op>(c, arguments(z), nullptr);
    });
}

}  // namespace heron::core
