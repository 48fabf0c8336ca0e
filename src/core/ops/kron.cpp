// Batched Kronecker products: validation, and the translation of layouts into steps.
#include "kron.hpp"
#include "core/element_types.hpp"
#include "core/submit.hpp"
#include <heron/heron.h>
#include <algorithm>

namespace heron::core {
namespace {

constexpr int most_factors = 8;
constexpr argument x_ld{role::x, part::ld}, y_ld{role::y, part::ld}, groups{role::groups};

argument factor(int i) { return {role::factors, part::whole, i}; }

int64_t product(int64_t m, int64_t n, argument a) {
    int64_t result = 0;
    if (__builtin_mul_overflow(m, n, &result))
        throw error(HERON_INSUFFICIENT_RESOURCES, a, "the size exceeds 63 bits");
    return result;
}

int64_t sum(int64_t m, int64_t n, argument a) {
    int64_t result = 0;
    if (__builtin_add_overflow(m, n, &result))
        throw error(HERON_INSUFFICIENT_RESOURCES, a, "the size exceeds 63 bits");
    return result;
}

void require_size(int64_t n, argument a) {
    if (n < 0) invalid(a, fmt::format("is negative ({})", n));
}

void require_element_type(heron_type type) {
    if (type < HERON_R_8I || type > HERON_C_64F) invalid(role::type, "is not an element type");
    if (type != HERON_R_32F && type != HERON_R_64F && type != HERON_C_32F && type != HERON_C_64F)
        not_supported(role::type, fmt::format("{} is not one of R_32F, R_64F, C_32F, C_64F", name_of(type)));
}

void require_order(heron_order order, argument a) {
    if (order != HERON_ORDER_COLUMN && order != HERON_ORDER_ROW) invalid(a, "is not an order");
}

// reads: the arrays will be used. items: how many operands there are; extent: elements of one, of `size`
// bytes each.
void require_operand(const heron_batch_operand& o, argument a, int64_t items, int64_t extent, size_t size,
                     bool reads) {
    if (o.kind < HERON_BATCH_STRIDED || o.kind > HERON_BATCH_INDEXED)
        invalid(a[part::kind], "is not a kind of operand");
    const bool listed = o.kind != HERON_BATCH_STRIDED;
    const bool based = o.kind != HERON_BATCH_POINTERS;
    if (listed) require_size(o.list_step, a[part::list_step]);
    if (based) require_size(o.stride, a[part::stride]);
    if (o.kind == HERON_BATCH_INDEXED && o.index_type != HERON_INDEX_32 && o.index_type != HERON_INDEX_64)
        invalid(a[part::index_type], "is not an index type");
    if (!listed && items > 0) sum(product(items - 1, o.stride, a), extent, a);
    if (!reads || items == 0 || extent == 0) return;
    const auto require_there = [&](const void* p, argument name, size_t alignment) {
        if (!p) invalid(name, fmt::format("is NULL, but {} items need it", items));
        require_aligned(p, alignment, name);
    };
    if (listed) require_there(o.list, a[part::list], based ? size_of(o.index_type) : sizeof(void*));
    if (based) require_there(o.base, a[part::base], size);
}

heron_kron_factor_args factor_args(const heron_kronmult_desc& desc, int i) {
    const heron_kron_factor& f = desc.factors[i];
    require_size(f.m, factor(i)[part::rows]);
    require_size(f.n, factor(i)[part::cols]);
    if (f.op < HERON_OP_NONE || f.op > HERON_OP_CONJUGATE)
        invalid(factor(i)[part::operation], "is not an operation");
    const bool transposed = transposes(f.op);
    const bool by_rows = desc.factor_order == HERON_ORDER_ROW;
    const int64_t line = transposed == by_rows ? f.m : f.n;
    if (f.ld < std::max<int64_t>(line, 1))
        invalid(factor(i)[part::ld],
                fmt::format("is {}, but at least {} are needed", f.ld, std::max<int64_t>(line, 1)));
    heron_kron_factor_args args{};
    args.m = f.m;
    args.n = f.n;
    args.row_step = transposed == by_rows ? 1 : f.ld;
    args.column_step = transposed == by_rows ? f.ld : 1;
    args.conjugate = is_complex(desc.type) && conjugates(f.op);
    args.a = f.a;
    return args;
}

int64_t rows(const heron_kronmult_desc& desc) {
    int64_t size = 1;
    for (int i = 0; i < desc.ndim; ++i) size = product(size, desc.factors[i].m, role::factors);
    return size;
}

int64_t columns(const heron_kronmult_desc& desc) {
    int64_t size = 1;
    for (int i = 0; i < desc.ndim; ++i) size = product(size, desc.factors[i].n, role::factors);
    return size;
}

// No partial result is larger than the product of the larger sides, whatever the order.
void require_countable(const heron_kronmult_desc& desc) {
    int64_t largest = 2;
    for (int i = 0; i < desc.ndim; ++i)
        largest =
            product(largest, std::max<int64_t>({desc.factors[i].m, desc.factors[i].n, 1}), role::factors);
    const int64_t per_item = product(largest, std::max<int64_t>(desc.vectors, 1), role::vectors);
    product(product(per_item, std::max<int64_t>(desc.count, 1), role::count),
            static_cast<int64_t>(size_of(desc.type)), role::count);
}

struct vector_steps {
    int64_t element, column, extent;
};

vector_steps steps_of(const heron_kronmult_desc& desc, int64_t size, int64_t ld, argument a) {
    const bool by_rows = desc.vector_order == HERON_ORDER_ROW;
    const int64_t line = std::max<int64_t>(by_rows ? desc.vectors : size, 1);
    // One vector in column order has no use for a leading dimension.
    const bool unused = !by_rows && desc.vectors <= 1;
    if (ld < line && !unused) invalid(a, fmt::format("is {}, but at least {} are needed", ld, line));
    if (size == 0 || desc.vectors == 0) return {1, 1, 0};
    const int64_t element = by_rows ? ld : 1;
    const int64_t column = by_rows || unused ? 1 : ld;
    const int64_t last = sum(product(size - 1, element, a), product(desc.vectors - 1, column, a), a);
    return {element, column, sum(last, 1, a)};
}

void require_enums(const heron_kronmult_desc& desc) {
    require_order(desc.factor_order, argument{role::factors, part::order});
    require_order(desc.vector_order, argument{role::vectors, part::order});
    if (desc.output < HERON_KRON_STORE || desc.output > HERON_KRON_ADD_DETERMINISTIC)
        invalid(role::output, "is not an output mode");
    if (desc.algorithm < HERON_KRON_FUSED || desc.algorithm > HERON_KRON_RECURSIVE)
        invalid(role::algorithm, "is not an algorithm");
}

void set_groups(const heron_kronmult_desc& desc, heron_kronmult_args& args, bool reads) {
    if (desc.output != HERON_KRON_ADD_GROUPED) return;
    require_size(desc.group_count, groups[part::size]);
    if (desc.group_type != HERON_INDEX_32 && desc.group_type != HERON_INDEX_64)
        invalid(groups[part::index_type], "is not an index type");
    if (reads && desc.count > 0 && desc.group_count > 0 && !desc.group_offsets)
        invalid(groups[part::offsets], "is NULL");
    args.group_count = desc.group_count;
    args.group_offsets = desc.group_offsets;
    args.group_items = desc.group_items;
    args.group_type = desc.group_type;
}

// alpha and beta are set apart. zero: the product is known to be zero, so factors and X may be missing.
heron_kronmult_args translate(const heron_kronmult_desc& desc, bool reads, bool zero) {
    if (desc.ndim < 1 || desc.ndim > most_factors)
        invalid(role::dimensions, fmt::format("is {}, not 1 to {}", desc.ndim, most_factors));
    require_element_type(desc.type);
    require_enums(desc);
    require_size(desc.count, role::count);
    require_size(desc.vectors, role::vectors);
    heron_kronmult_args args{};
    args.type = desc.type;
    args.ndim = desc.ndim;
    args.count = desc.count;
    args.vectors = desc.vectors;
    args.output = desc.output;
    args.algorithm = desc.algorithm;
    for (int i = 0; i < desc.ndim; ++i) args.factors[i] = factor_args(desc, i);
    require_countable(desc);
    const int64_t m = rows(desc);
    const int64_t n = columns(desc);
    const vector_steps x = steps_of(desc, n, desc.ldx, x_ld);
    const vector_steps y = steps_of(desc, m, desc.ldy, y_ld);
    set_groups(desc, args, reads);
    const bool works = reads && m > 0 && desc.vectors > 0;
    const bool reads_inputs = works && n > 0 && !zero;
    for (int i = 0; i < desc.ndim; ++i) {
        const heron_kron_factor& f = desc.factors[i];
        require_operand(f.a, factor(i), desc.count, f.m > 0 && f.n > 0 ? 1 : 0, size_of(desc.type),
                        reads_inputs);
    }
    require_operand(desc.x, role::x, desc.count, x.extent, size_of(desc.type), reads_inputs);
    const int64_t outputs = desc.output == HERON_KRON_ADD_GROUPED ? desc.group_count : desc.count;
    require_operand(desc.y, role::y, outputs, y.extent, size_of(desc.type), works && desc.count > 0);
    args.x = desc.x;
    args.y = desc.y;
    args.x_step = x.element;
    args.x_column_step = x.column;
    args.y_step = y.element;
    args.y_column_step = y.column;
    return args;
}

// One number per item, in device memory.
void check_leading_dimensions(context& c, const int32_t* ld, int64_t count, int64_t rows, argument a) {
    const std::vector<int64_t> numbers = download(c, ld, count, HERON_INDEX_32);
    for (size_t item = 0; item < numbers.size(); ++item)
        if (numbers[item] < rows)
            invalid(a, fmt::format("item {}: is {}, but at least {} are needed", item, numbers[item], rows));
}

void check_contents(context& c, const heron_kron_gemm_args& args, bool reads) {
    if (reads) {
        check_leading_dimensions(c, args.lda, args.count, args.transpose_a ? args.k : args.m,
                                 argument{role::a, part::ld});
        check_leading_dimensions(c, args.ldb, args.count, args.transpose_b ? args.n : args.k,
                                 argument{role::b, part::ld});
    }
    check_leading_dimensions(c, args.ldc, args.count, args.m, argument{role::c, part::ld});
}

heron_scalar constant(double value) { return {nullptr, value, 0}; }

// A product that is about to run, and the workspace that it needs.
struct kron_call {
    heron_kronmult_args args;
    size_t bytes;
};

// The workspace does for any alpha.
kron_call prepare(context& c, const heron_kronmult_desc& desc, const void* alpha, bool running) {
    require_element_type(desc.type);
    const heron_scalar a = alpha ? scalar_argument(c, alpha, desc.type, role::alpha) : constant(1);
    heron_kronmult_args args = translate(desc, running, !a.device && a.re == 0 && a.im == 0);
    args.alpha = constant(1);
    args.beta = constant(desc.output == HERON_KRON_STORE ? 0 : 1);
    const size_t bytes = workspace_size<operation::kronmult>(c, args);
    args.alpha = a;
    return {args, bytes};
}

}  // namespace

void kronmult(context& c, const phase_call& phase, const heron_kronmult_desc& desc, const void* alpha,
              const void* beta, size_t bytes) {
    const bool running = phase.phase == HERON_PHASE_RUN;
    kron_call call = prepare(c, desc, alpha, running);
    if (!running) {
        *required(phase.size, role::workspace_size) = call.bytes;
        return;
    }
    if (desc.output == HERON_KRON_AXPBY) call.args.beta = scalar_argument(c, beta, desc.type, role::beta);
    if (bytes < call.bytes)
        throw error(HERON_INSUFFICIENT_RESOURCES, role::workspace_size,
                    fmt::format("is {}, but {} are needed", bytes, call.bytes));
    if (call.bytes > 0) required(phase.memory, role::workspace);
    require_distinct_outputs(c, call.args);
    run_in<operation::kronmult>(c, call.args, phase.memory);
}

void kronmult_in_scratch(context& c, const heron_kronmult_desc& desc) {
    const kron_call call = prepare(c, desc, nullptr, true);
    require_distinct_outputs(c, call.args);
    run_in_scratch<operation::kronmult>(c, call.args, call.bytes);
}

void kronmult_cost(const heron_kronmult_desc& desc, double* operations, double* bytes) {
    translate(desc, false, false);
    double size = 1;
    for (int i = 0; i < desc.ndim; ++i) size *= static_cast<double>(desc.factors[i].n);
    int order[most_factors];
    for (int i = 0; i < desc.ndim; ++i) order[i] = i;
    if (desc.algorithm == HERON_KRON_993_BACKWARD) std::reverse(order, order + desc.ndim);
    if (desc.algorithm == HERON_KRON_FUSED)
        std::stable_sort(order, order + desc.ndim, [&](int i, int k) {
            const auto growth = [&](int f) {
                return 1.0 / static_cast<double>(desc.factors[f].n) -
                       1.0 / static_cast<double>(desc.factors[f].m);
            };
            return growth(i) < growth(k);
        });
    const double items = static_cast<double>(desc.count) * static_cast<double>(desc.vectors);
    double multiplications = 0;
    double elements = size;
    for (int i = 0; i < desc.ndim && elements > 0; ++i) {
        const heron_kron_factor& f = desc.factors[order[i]];
        elements = elements / static_cast<double>(f.n) * static_cast<double>(f.m);
        multiplications += elements * static_cast<double>(f.n);
    }
    const bool reads_y = desc.output != HERON_KRON_STORE;
    const double outputs = desc.output == HERON_KRON_ADD_GROUPED
                               ? static_cast<double>(desc.group_count) * static_cast<double>(desc.vectors)
                               : items;
    double rows_of_y = 1;
    for (int i = 0; i < desc.ndim; ++i) rows_of_y *= static_cast<double>(desc.factors[i].m);
    if (operations) *operations = multiplications * items * (is_complex(desc.type) ? 8 : 2);
    if (bytes)
        *bytes = static_cast<double>(size_of(desc.type)) *
                 (size * items + rows_of_y * outputs * (reads_y ? 2 : 1));
}

void kron_gemm(context& c, heron_kron_gemm_args args) {
    require_element_type(args.type);
    require_size(args.m, role::rows);
    require_size(args.n, role::columns);
    require_size(args.k, role::inner);
    require_size(args.count, role::count);
    product(product(product(std::max<int64_t>(args.m, 1), std::max<int64_t>(args.n, 1), role::rows),
                    std::max<int64_t>(args.k, 1), role::inner),
            args.count, role::count);
    if (args.m == 0 || args.n == 0 || args.count == 0) return;
    const bool reads = args.k > 0 && (args.alpha.device || args.alpha.re != 0 || args.alpha.im != 0);
    require_operand(args.a, role::a, args.count, 1, size_of(args.type), reads);
    require_operand(args.b, role::b, args.count, 1, size_of(args.type), reads);
    require_operand(args.c, role::c, args.count, 1, size_of(args.type), true);
    if (reads) required(args.lda, argument{role::a, part::ld});
    if (reads) required(args.ldb, argument{role::b, part::ld});
    required(args.ldc, argument{role::c, part::ld});
    if (validating()) check_contents(c, args, reads);
    if (!reads) args.k = 0;
    run_in<operation::kron_gemm>(c, args, nullptr);
}

}  // namespace heron::core
