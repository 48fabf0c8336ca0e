// Functions whose operands' types are arguments.
#include "extended.hpp"
#include "core/element_types.hpp"
#include "core/ops/blas1_calls.hpp"
#include <fmt/format.h>

namespace heron::cublas {

using core::role;

heron_type common_type(std::initializer_list<type_argument> arguments) {
    const heron_type common = type_from(arguments.begin()->type, arguments.begin()->name);
    for (const type_argument& a : arguments)
        if (type_from(a.type, a.name) != common)
            core::not_supported(a.name, fmt::format("differs from {}", arguments.begin()->name));
    return common;
}

void require_execution(heron_type type, cudaDataType execution, const char* name) {
    const heron_type given = type_from(execution, name);
    const heron_type built = core::compute_type_of(type, name);
    const bool is_precision = built == HERON_C_32F   ? given == HERON_R_32F
                              : built == HERON_C_64F ? given == HERON_R_64F
                                                     : false;
    if (given != built && !is_precision)
        core::not_supported(
            name, fmt::format("{} vectors are computed in {}", core::name_of(type), core::name_of(built)));
}

product_types product_types_of(const handle& h, heron_type type, int compute_type) {
    if (type == HERON_R_8I || type == HERON_R_32I)
        core::not_supported("Atype", fmt::format("{} matrices are not built", core::name_of(type)));
    const heron_type built = core::compute_type_of(type, "Atype");
    const bool is_double = built == HERON_R_64F || built == HERON_C_64F;
    const auto choice = [&](bool fits, heron_gemm_algorithm algorithm, bool short_scalars = false) {
        if (!fits)
            core::not_supported(role::compute_type, fmt::format("is not built for {}", core::name_of(type)));
        return product_types{type, built, algorithm, short_scalars};
    };
    const heron_gemm_algorithm rounded = type == HERON_R_32F ? HERON_GEMM_TF32 : HERON_GEMM_DEFAULT;
    switch (compute_type) {
        case CUDA_R_16F:
        case CUBLAS_COMPUTE_16F:
        case CUBLAS_COMPUTE_16F_PEDANTIC: return choice(type == HERON_R_16F, HERON_GEMM_DEFAULT, true);
        case CUDA_R_32F:
        case CUDA_C_32F:
        case CUBLAS_COMPUTE_32F: return choice(!is_double, h.algorithm_for(type));
        case CUBLAS_COMPUTE_32F_PEDANTIC:
        case CUBLAS_COMPUTE_32F_EMULATED_16BFX9: return choice(!is_double, HERON_GEMM_DEFAULT);
        case CUBLAS_COMPUTE_32F_FAST_16F:
        case CUBLAS_COMPUTE_32F_FAST_16BF:
        case CUBLAS_COMPUTE_32F_FAST_TF32: return choice(!is_double, rounded);
        case CUDA_R_64F:
        case CUDA_C_64F:
        case CUBLAS_COMPUTE_64F:
        case CUBLAS_COMPUTE_64F_PEDANTIC:
        case CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT: return choice(is_double, HERON_GEMM_DEFAULT);
        case CUDA_R_32I:
        case CUBLAS_COMPUTE_32I:
        case CUBLAS_COMPUTE_32I_PEDANTIC: return choice(false, HERON_GEMM_DEFAULT);
        default: core::invalid(role::compute_type, fmt::format("{} is not one of its values", compute_type));
    }
}

void require_algorithm(cublasGemmAlgo_t algorithm) {
    const int a = algorithm;
    const bool is_plain = a >= CUBLAS_GEMM_DEFAULT && a <= CUBLAS_GEMM_ALGO23;
    const bool is_tensor_op = a >= CUBLAS_GEMM_DEFAULT_TENSOR_OP && a <= CUBLAS_GEMM_ALGO15_TENSOR_OP;
    if (!is_plain && !is_tensor_op && a != CUBLAS_GEMM_AUTOTUNE)
        core::invalid("algo", fmt::format("{} is not one of its values", a));
}

product_scalars::product_scalars(const core::context& c, const product_types& types, const void* alpha,
                                 const void* beta)
    : alpha_(core::required(alpha, role::alpha)), beta_(core::required(beta, role::beta)) {
    if (!types.short_scalars) return;
    if (c.pointer_mode() == core::pointer_mode::device)
        core::not_supported(role::alpha, "scalars of 16 bits are taken from the host only");
    wide_alpha_ = __half2float(*static_cast<const __half*>(alpha));
    wide_beta_ = __half2float(*static_cast<const __half*>(beta));
    alpha_ = &wide_alpha_;
    beta_ = &wide_beta_;
}

void product(handle& h, const product_types& types, const product_shape& shape, const void* alpha,
             const array_operand& a, const array_operand& b, const void* beta, const array_operand& c) {
    const product_scalars scalars(h, types, alpha, beta);
    core::gemm(h, {types.type,
                   types.compute_type,
                   HERON_ORDER_COLUMN,
                   operation_from(shape.transa, role::operation_a),
                   operation_from(shape.transb, role::operation_b),
                   shape.m,
                   shape.n,
                   shape.k,
                   scalars.alpha(),
                   {a.memory, a.ld},
                   {b.memory, b.ld},
                   scalars.beta(),
                   {c.memory, c.ld},
                   types.algorithm});
}

void product(handle& h, const product_types& types, const product_shape& shape, const void* alpha,
             const batch_operand& a, const batch_operand& b, const void* beta, const batch_operand& c,
             int64_t count) {
    const product_scalars scalars(h, types, alpha, beta);
    core::gemm_batched(
        h,
        {types.type, types.compute_type, HERON_ORDER_COLUMN, operation_from(shape.transa, role::operation_a),
         operation_from(shape.transb, role::operation_b), shape.m, shape.n, shape.k, count, scalars.alpha(),
         a.items, a.ld, b.items, b.ld, scalars.beta(), c.items, c.ld, types.algorithm});
}

}  // namespace heron::cublas

using namespace heron;
using namespace heron::cublas;
using core::role;

namespace {

constexpr core::argument_name product_names[] = {{role::operation_a, "transa"}};
constexpr core::argument_name product_array_names[] = {
    {role::operation_a, "transa"}, {role::a, "Aarray"}, {role::b, "Barray"}, {role::c, "Carray"}};
constexpr core::argument_name norm_names[] = {{role::type, "xType"}, {role::result_type, "resultType"}};

// What is nothing for an increment that is not positive, as in BLAS.
constexpr int64_t counted(int64_t n, int64_t increment) { return increment > 0 ? n : 0; }

constexpr product_types half_products{HERON_R_16F, HERON_R_32F, HERON_GEMM_DEFAULT, true};

// Of the functions with complex matrices, which are built for single precision alone.
void require_single_complex(std::initializer_list<type_argument> arguments) {
    for (const type_argument& a : arguments)
        if (type_from(a.type, a.name) != HERON_C_32F) core::not_supported(a.name, "is not CUDA_C_32F");
}

struct typed_operand {
    const void* memory;
    cudaDataType type;
    int64_t ld;
};

// syrk or herk of single precision complex matrices.
cublasStatus_t update(const char* called, void (*operation)(core::context&, const core::rank_k_call&),
                      heron_operation turned, cublasHandle_t handle, cublasFillMode_t uplo,
                      cublasOperation_t trans, int64_t n, int64_t k, const void* alpha,
                      const typed_operand& a, const void* beta, const typed_operand& c) {
    return guarded(called, [&] {
        core::context& context = context_of(handle);
        require_single_complex({{a.type, "Atype"}, {c.type, "Ctype"}});
        operation(context, {HERON_C_32F,
                            HERON_ORDER_COLUMN,
                            fill_from(uplo),
                            update_operation_from(trans, turned),
                            n,
                            k,
                            alpha,
                            {a.memory, a.ld},
                            beta,
                            {c.memory, c.ld}});
    });
}

// The real type of c where c and s are given as complex numbers.
heron_type cosine_type(heron_type type) {
    switch (type) {
        case HERON_C_32F: return HERON_R_32F;
        case HERON_C_64F: return HERON_R_64F;
        case HERON_C_16F: return HERON_R_16F;
        case HERON_C_16BF: return HERON_R_16BF;
        default: return type;
    }
}

template <class Integer>
void find_extreme(core::context& c, int64_t n, const void* x, cudaDataType type, int64_t inc, Integer* result,
                  bool smallest) {
    core::iamax(
        c,
        {common_type({{type, "xType"}}), counted(n, inc), smallest, {x, inc}, index_type_of(result), result});
}

}  // namespace

#define HERON_FAMILY "cublas/extended_functions.inc"
#include <cublas/foreach_integer.inc>
#define HERON_FAMILY "cublas/extended_products_functions.inc"
#include <cublas/foreach_integer.inc>
#define HERON_FAMILY "cublas/half_functions.inc"
#include <cublas/foreach_integer.inc>
