// The names of heron/kronmult.h: every call is one batched Kronecker product or product of matrices, added
// atomically.
#include <heron/kronmult.h>
#include "names.hpp"
#include "core/context.hpp"
#include "core/operations.hpp"
#include <heron/args.h>
#include <type_traits>

using namespace heron::core;

namespace {

constexpr argument_name product_names[] = {
    {role::rows, "mm"},
    {role::columns, "nn"},
    {role::inner, "kk"},
    {role::count, "batchCount"},
    {role::a, "Aarray"},
    {role::b, "Barray"},
    {role::c, "Carray"},
    {{role::a, part::ld}, "ldAarray"},
    {{role::b, part::ld}, "ldBarray"},
    {{role::c, part::ld}, "ldCarray"},
};
// A is one array of addresses or of numbers, whichever factor they are of.
constexpr argument_name names[] = {
    {role::count, "batchCount"},        {role::factors, "A"},
    {{role::factors, part::ld}, "lda"}, {{role::factors, part::rows}, "m"},
    {{role::factors, part::cols}, "n"},
};

// The handle in use.
class library_state {
  public:
    // Never destroyed: plug-ins may be gone before static objects are.
    static library_state& instance() {
        static library_state& state = *new library_state;
        return state;
    }

    void use(heron_handle handle) {
        context* const wanted = handle ? &context::from(handle) : nullptr;
        const std::lock_guard lock(mutex_);
        used_ = wanted;
    }

    // f(context), while the handle stays the one in use.
    template <class F>
    void with_context(F&& f) {
        const std::lock_guard lock(mutex_);
        if (!used_ && !own_) own_ = new context;
        f(used_ ? *used_ : *own_);
    }

  private:
    std::mutex mutex_;
    context* used_ = nullptr;
    context* own_ = nullptr;
};

template <class T>
constexpr heron_type type_of = std::is_same_v<T, float> ? HERON_R_32F : HERON_R_64F;

void multiply(const heron_kronmult_desc& desc) {
    library_state::instance().with_context([&](context& c) { kronmult_in_scratch(c, desc); });
}

// Overlapping outputs are added up, without gaps in X and Y.
template <class T>
heron_kronmult_desc describe(int d, const int (&m)[6], const int (&n)[6], int64_t count) {
    int64_t rows[6], columns[6];
    for (int i = 0; i < d; ++i) rows[i] = m[i], columns[i] = n[i];
    heron_kronmult_desc desc{};
    if (heron_kronmult_init(&desc, type_of<T>, d, rows, columns, count) != HERON_SUCCESS)
        invalid("n", "is not a size");
    desc.output = HERON_KRON_ADD_ATOMIC;
    return desc;
}

template <class T>
heron_batch_operand addresses(T* const* list) {
    return heron_batch_pointers(reinterpret_cast<const void* const*>(list));
}

template <class T>
heron_kronmult_desc describe_square(int d, int n, const T* a, int64_t count) {
    const int sizes[6] = {n, n, n, n, n, n};
    heron_kronmult_desc desc = describe<T>(d, sizes, sizes, count);
    const int64_t factor = static_cast<int64_t>(n) * n;
    for (int i = 0; i < d; ++i)
        desc.factors[i].a = heron_batch_strided(a ? a + i * factor : nullptr, d * factor);
    return desc;
}

template <class T>
heron_status batched(int d, int n, const T* a, const T* x, T* y, int64_t count, const char* function) {
    return guard<heron_status>(native(function, names), [&] {
        heron_kronmult_desc desc = describe_square(d, n, a, count);
        desc.x.base = const_cast<T*>(x);
        desc.y.base = y;
        // Without gaps nothing overlaps.
        desc.output = HERON_KRON_ADD;
        multiply(desc);
    });
}

template <class T>
heron_status pbatched(int d, int n, const T* a, T* const* x, T* const* y, int64_t count,
                      const char* function) {
    return guard<heron_status>(native(function, names), [&] {
        heron_kronmult_desc desc = describe_square(d, n, a, count);
        desc.x = addresses(x);
        desc.y = addresses(y);
        multiply(desc);
    });
}

// The addresses of an item's d factors follow each other.
template <class T>
void set_factors(heron_kronmult_desc& desc, const T* const* a) {
    for (int i = 0; i < desc.ndim; ++i) {
        desc.factors[i].a = addresses(a ? a + i : nullptr);
        desc.factors[i].a.list_step = desc.ndim;
    }
}

template <class T>
heron_status xbatched(int d, int n, const T* const* a, int lda, T* const* x, T* const* y, int64_t count,
                      const char* function) {
    return guard<heron_status>(native(function, names), [&] {
        heron_kronmult_desc desc = describe_square<T>(d, n, nullptr, count);
        set_factors(desc, a);
        for (int i = 0; i < d; ++i) desc.factors[i].ld = lda;
        desc.x = addresses(x);
        desc.y = addresses(y);
        multiply(desc);
    });
}

template <class T>
heron_status vbatched(int d, const int (&m)[6], const int (&n)[6], const T* const* a, T* const* x,
                      T* const* y, int64_t count, const char* function) {
    return guard<heron_status>(native(function, names), [&] {
        heron_kronmult_desc desc = describe<T>(d, m, n, count);
        set_factors(desc, a);
        desc.x = addresses(x);
        desc.y = addresses(y);
        multiply(desc);
    });
}

struct gemm_sizes {
    int m, n, k;
};

template <class T>
struct gemm_matrix {
    T* const* addresses;
    const int* ld;
};

template <class T>
heron_status kgemm(int transpose_a, int transpose_b, const gemm_sizes& sizes, T alpha,
                   const std::type_identity_t<gemm_matrix<T>>& a,
                   const std::type_identity_t<gemm_matrix<T>>& b, T beta,
                   const std::type_identity_t<gemm_matrix<T>>& c, int64_t count, const char* function) {
    return guard<heron_status>(native(function, product_names), [&] {
        heron_kron_gemm_args args{};
        args.type = type_of<T>;
        args.transpose_a = transpose_a;
        args.transpose_b = transpose_b;
        args.m = sizes.m;
        args.n = sizes.n;
        args.k = sizes.k;
        args.alpha = {nullptr, alpha, 0};
        args.beta = {nullptr, beta, 0};
        args.a = addresses(a.addresses);
        args.b = addresses(b.addresses);
        args.c = addresses(c.addresses);
        args.lda = a.ld;
        args.ldb = b.ld;
        args.ldc = c.ld;
        args.count = count;
        library_state::instance().with_context([&](context& context) { kron_gemm(context, args); });
    });
}

}  // namespace

heron_status heron_kronmult_set_handle(heron_handle handle) {
    return guard<heron_status>(native(__func__), [&] { library_state::instance().use(handle); });
}

#define HERON_KRON_T float
#define HERON_KRON_NAME(name) heron_s##name
#include "kronmult_batched.inc"
#undef HERON_KRON_T
#undef HERON_KRON_NAME
#define HERON_KRON_T double
#define HERON_KRON_NAME(name) heron_d##name
#include "kronmult_batched.inc"
#undef HERON_KRON_T
#undef HERON_KRON_NAME
