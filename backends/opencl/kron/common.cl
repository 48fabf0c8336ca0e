// What the kernels for Kronecker products of factors N x N are told, and where operands are. Defined are CT,
// the element, and N.

#define MOST_MODES 8

// These mirror opencl_kron.cpp. Addresses are numbers, since a structure among a kernel's arguments holds no
// pointers.
typedef struct {
    long base, list, kind, stride, list_step;
} kron_operand;
typedef struct {
    kron_operand a;
    long row_step, column_step, conjugate;
} kron_factor;
typedef struct {
    kron_factor factors[MOST_MODES];  // of the pass, the last one first
    kron_operand in, out;
    long in_is_chunk, out_is_chunk, in_step, in_vector, out_step, out_vector;
    long modes, n, first, units, vectors, size, atomic;
    long dense_in, dense_out, dense_factors, factor_stride;  // for DENSE tiles
    long alpha, beta;                                        // addresses of scalars on the device, or 0
} kron_parameters;

HERON_FN GLOBAL CT* kron_locate(kron_operand o, long k) {
    if (o.kind == 1) return (GLOBAL CT*)((GLOBAL const long*)o.list)[k * o.list_step];
    if (o.kind == 2) k = ((GLOBAL const int*)o.list)[k * o.list_step];
    if (o.kind == 3) k = ((GLOBAL const long*)o.list)[k * o.list_step];
    return (GLOBAL CT*)o.base + k * o.stride;
}

// alpha*w; alpha = 0 does not look at w, which may be no number.
HERON_FN CT kron_scaled(CT alpha, CT w) { return EQUAL(CT, alpha, ZERO(CT)) ? ZERO(CT) : MUL(CT, alpha, w); }

HERON_FN void kron_finish_element(GLOBAL CT* to, CT w, CT alpha, CT beta, int atomic) {
    const CT value = kron_scaled(alpha, w);
    if (atomic) {
        ATOMIC_ADD(CT, to, 0, value);
    } else if (EQUAL(CT, beta, ZERO(CT))) {
        *to = value;
    } else {
        *to = MAD(CT, beta, *to, value);
    }
}

HERON_FN CT kron_scalar(CT value, long address) { return address ? *(GLOBAL const CT*)address : value; }
