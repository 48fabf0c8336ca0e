// The native API of the batched Kronecker products.
#include <heron/heron.h>
#include "names.hpp"
#include "core/context.hpp"
#include "core/operations.hpp"

using namespace heron::core;

namespace {

constexpr argument_name names[] = {
    {role::dimensions, "ndim"},
    {{role::factors, part::order}, "factor_order"},
    {{role::vectors, part::order}, "vector_order"},
    {role::factors, "factors[#]"},
    {{role::factors, part::rows}, "factors[#].m"},
    {{role::factors, part::cols}, "factors[#].n"},
    {{role::factors, part::base}, "factors[#].a.base"},
    {{role::factors, part::stride}, "factors[#].a.stride"},
    {{role::factors, part::list}, "factors[#].a.list"},
    {{role::factors, part::list_step}, "factors[#].a.list_step"},
    {{role::factors, part::index_type}, "factors[#].a.index_type"},
    {{role::factors, part::kind}, "factors[#].a.kind"},
    {role::vectors, "vectors"},
    {{role::x, part::ld}, "ldx"},
    {{role::y, part::ld}, "ldy"},
    {role::output, "output"},
    {{role::groups, part::size}, "group_count"},
    {{role::groups, part::index_type}, "group_type"},
    {{role::groups, part::offsets}, "group_offsets"},
    {{role::groups, part::indices}, "group_items"},
};

void require_there(const heron_kronmult_desc* desc) {
    if (!desc) throw error(HERON_NOT_INITIALIZED, "desc", "is NULL");
}

// With the way in which overlapping outputs are added up.
heron_kronmult_desc checked(const heron_kronmult_desc* desc) {
    require_there(desc);
    heron_kronmult_desc d = *desc;
    if (d.output == HERON_KRON_ADD_OVERLAPPING)
        d.output = d.group_offsets ? HERON_KRON_ADD_GROUPED : HERON_KRON_ADD_ATOMIC;
    return d;
}

void* as_stored(const void* address) { return const_cast<void*>(address); }

// A size that no operand can have is left for the call that uses the descriptor to refuse.
int64_t product(int64_t a, int64_t b) {
    int64_t result = 0;
    return __builtin_mul_overflow(a, b, &result) ? INT64_MAX : result;
}

int64_t at_least_one(int64_t n) { return n > 0 ? n : 1; }

}  // namespace

heron_batch_operand heron_batch_strided(const void* base, int64_t stride) {
    return {HERON_BATCH_STRIDED, HERON_INDEX_64, as_stored(base), stride, nullptr, 0};
}

heron_batch_operand heron_batch_pointers(const void* const* addresses) {
    return {HERON_BATCH_POINTERS, HERON_INDEX_64, nullptr, 0, addresses, 1};
}

heron_batch_operand heron_batch_indexed(const void* base, int64_t unit, const void* indices,
                                        heron_index_type index_type) {
    return {HERON_BATCH_INDEXED, index_type, as_stored(base), unit, indices, 1};
}

heron_status heron_kronmult_init(heron_kronmult_desc* desc, heron_type type, int32_t ndim, const int64_t* m,
                                 const int64_t* n, int64_t count) {
    return guard<heron_status>(native(__func__, names), [&] {
        require_there(desc);
        required(m, "m");
        required(n, "n");
        require(ndim >= 1 && ndim <= 8, "ndim", "is not 1 to 8");
        heron_kronmult_desc d{};
        d.type = type;
        d.ndim = ndim;
        d.count = count;
        d.vectors = 1;
        d.ldx = d.ldy = 1;
        for (int i = 0; i < ndim; ++i) {
            d.factors[i] = {m[i], n[i], at_least_one(m[i]), HERON_OP_NONE,
                            heron_batch_strided(nullptr, product(m[i], n[i]))};
            d.ldx = product(d.ldx, n[i]);
            d.ldy = product(d.ldy, m[i]);
        }
        d.x = heron_batch_strided(nullptr, d.ldx);
        d.y = heron_batch_strided(nullptr, d.ldy);
        d.ldx = at_least_one(d.ldx);
        d.ldy = at_least_one(d.ldy);
        *desc = d;
    });
}

heron_status heron_kronmult_cost(const heron_kronmult_desc* desc, double* operations, double* bytes) {
    return guard<heron_status>(native(__func__, names),
                               [&] { kronmult_cost(checked(desc), operations, bytes); });
}

heron_status heron_kronmult_workspace(heron_handle handle, const heron_kronmult_desc* desc, size_t* bytes) {
    return guard<heron_status>(native(__func__, names), [&] {
        context& c = context::from(handle);
        required(bytes, "bytes");
        kronmult(c, {HERON_PHASE_SIZE, bytes}, checked(desc), nullptr, nullptr, 0);
    });
}

heron_status heron_kronmult(heron_handle handle, const void* alpha, const heron_kronmult_desc* desc,
                            const void* beta, void* workspace, size_t workspace_bytes) {
    return guard<heron_status>(native(__func__, names), [&] {
        context& c = context::from(handle);
        kronmult(c, {HERON_PHASE_RUN, nullptr, workspace}, checked(desc), alpha, beta, workspace_bytes);
    });
}
