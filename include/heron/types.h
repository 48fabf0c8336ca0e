/* Types shared by the native API, the plug-in ABI and every layer between. Plain C99; values are part of the
 * ABI. */
#ifndef HERON_TYPES_H
#define HERON_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Outcome of a call. Everything but HERON_SUCCESS is accompanied by a log line that names function and
 * argument. */
typedef enum heron_status {
    HERON_SUCCESS = 0,
    HERON_NOT_INITIALIZED = 1,           /* no handle, or no backend could be loaded */
    HERON_ALLOC_FAILED = 2,              /* host or device memory exhausted */
    HERON_INVALID_VALUE = 3,             /* an argument is wrong; the log line names it */
    HERON_ARCH_MISMATCH = 4,             /* the device lacks a feature that the call needs (fp64, say) */
    HERON_MAPPING_ERROR = 5,             /* device memory could not be mapped */
    HERON_EXECUTION_FAILED = 6,          /* a kernel or copy failed on the device */
    HERON_INTERNAL_ERROR = 7,            /* a fault of Heron, its plug-in or the driver */
    HERON_MATRIX_TYPE_NOT_SUPPORTED = 8, /* the matrix descriptor's type is not supported */
    HERON_ZERO_PIVOT = 9,                /* structural or numerical zero on the diagonal */
    HERON_NOT_SUPPORTED = 10,            /* a legal combination that is not built */
    HERON_INSUFFICIENT_RESOURCES = 11    /* the workspace or an index type is too small for the result */
} heron_status;

/* Element types. R is real, C complex (interleaved re, im); the number is the width of one real component. */
typedef enum heron_type {
    HERON_R_8I = 0,
    HERON_R_32I = 1,
    HERON_R_16F = 2,  /* IEEE binary16; storage only, computed in R_32F */
    HERON_R_16BF = 3, /* bfloat16; storage only, computed in R_32F */
    HERON_R_32F = 4,
    HERON_R_64F = 5,
    HERON_C_16F = 6,
    HERON_C_16BF = 7,
    HERON_C_32F = 8,
    HERON_C_64F = 9
} heron_type;

typedef enum heron_index_type { HERON_INDEX_32 = 0, HERON_INDEX_64 = 1 } heron_index_type;

typedef enum heron_format {
    HERON_FORMAT_COO = 0,
    HERON_FORMAT_CSR = 1,
    HERON_FORMAT_CSC = 2,
    HERON_FORMAT_BSR = 3,
    HERON_FORMAT_SELL = 4,
    HERON_FORMAT_BLOCKED_ELL = 5
} heron_format;

/* op(A). CONJUGATE (no transpose) has no name in the public APIs; it is what a conjugate-transposed CSC
 * matrix is as CSR. */
typedef enum heron_operation {
    HERON_OP_NONE = 0,
    HERON_OP_TRANSPOSE = 1,
    HERON_OP_CONJUGATE_TRANSPOSE = 2,
    HERON_OP_CONJUGATE = 3
} heron_operation;

typedef enum heron_order { HERON_ORDER_COLUMN = 0, HERON_ORDER_ROW = 1 } heron_order;
typedef enum heron_fill_mode { HERON_FILL_LOWER = 0, HERON_FILL_UPPER = 1 } heron_fill_mode;
/* How a dense matrix lies in memory: with every element, as a band, or as a triangle without gaps. */
typedef enum heron_matrix_storage {
    HERON_STORAGE_FULL = 0,
    HERON_STORAGE_BANDED = 1,
    HERON_STORAGE_PACKED = 2
} heron_matrix_storage;
typedef enum heron_side { HERON_SIDE_LEFT = 0, HERON_SIDE_RIGHT = 1 } heron_side;
typedef enum heron_diag_type { HERON_DIAG_NON_UNIT = 0, HERON_DIAG_UNIT = 1 } heron_diag_type;

/* How much freedom an operation has: DEFAULT may differ in the last bits from run to run, DETERMINISTIC may
 * not. */
typedef enum heron_reproducibility { HERON_DEFAULT = 0, HERON_DETERMINISTIC = 1 } heron_reproducibility;

/* Every operation runs in up to three phases with the same arguments:
 * SIZE      sets workspace.size to the bytes that ANALYSE and RUN need (pointers of the operands are not
 * read); ANALYSE   optional; may synchronise; leaves what later runs can reuse in the workspace and in
 * workspace.plan; RUN       does the work; never allocates and never waits for the device, except where
 * backend.h says so. */
typedef enum heron_phase { HERON_PHASE_SIZE = 0, HERON_PHASE_ANALYSE = 1, HERON_PHASE_RUN = 2 } heron_phase;

/* Where memory lives. MANAGED is readable and writable by host and device without a copy. */
typedef enum heron_memory {
    HERON_MEMORY_DEVICE = 0,
    HERON_MEMORY_HOST = 1,
    HERON_MEMORY_MANAGED = 2
} heron_memory;

/* How the items k = 0 ... count-1 of a batch find their operand. */
typedef enum heron_batch_kind {
    HERON_BATCH_STRIDED = 0,  /* base + k*stride; stride 0: all items share one operand */
    HERON_BATCH_POINTERS = 1, /* the address list[k*list_step] */
    HERON_BATCH_INDEXED = 2   /* base + list[k*list_step]*stride: indices in units of stride elements */
} heron_batch_kind;

/* One operand of a batched operation. Addresses and lists lie in device memory; strides and units count
 * elements. */
typedef struct heron_batch_operand {
    heron_batch_kind kind;
    heron_index_type index_type; /* INDEXED: type of the list's entries */
    void* base;                  /* STRIDED, INDEXED; only read where the operand is an input */
    int64_t stride;              /* STRIDED, INDEXED */
    const void* list;            /* POINTERS: device addresses; INDEXED: 32- or 64-bit indices */
    int64_t list_step; /* entries from one item's entry to the next one's; 0: all items use the first */
} heron_batch_operand;

/* What a batched Kronecker product does with the product P of an item and the item's output Y. The outputs of
 * different items may overlap only from ADD_ATOMIC on. */
typedef enum heron_kron_output {
    HERON_KRON_STORE = 0,       /* Y := alpha*P; Y is not read */
    HERON_KRON_AXPBY = 1,       /* Y := alpha*P + beta*Y */
    HERON_KRON_ADD = 2,         /* Y := Y + alpha*P, outputs distinct */
    HERON_KRON_ADD_ATOMIC = 3,  /* Y := Y + alpha*P, any overlap; sums in any order */
    HERON_KRON_ADD_GROUPED = 4, /* Y_g := Y_g + alpha * sum of P over the items of group g; reproducible */
    HERON_KRON_ADD_DETERMINISTIC =
        5, /* Y := Y + alpha*P, any overlap; the library finds the groups; reproducible */
    HERON_KRON_ADD_OVERLAPPING =
        6 /* ADD_GROUPED where groups are given, else ADD_ATOMIC; plug-ins see one of these */
} heron_kron_output;

/* How the factors are applied. All give the same result within rounding. */
typedef enum heron_kron_algorithm {
    HERON_KRON_FUSED = 0, /* fewest operations, as many factors at once as the device holds; the default */
    HERON_KRON_993_FORWARD = 1,  /* one factor after the other from the first, the result turned each time */
    HERON_KRON_993_BACKWARD = 2, /* the same from the last */
    HERON_KRON_RECURSIVE = 3     /* the first factor, then the rest by recursion */
} heron_kron_algorithm;

/* What the numeric phase of a sparse product writes. */
typedef enum heron_spgemm_part {
    HERON_SPGEMM_COLUMNS = 1, /* C's offsets and columns */
    HERON_SPGEMM_VALUES = 2
} heron_spgemm_part;

/* How a dense product is computed. All but DEFAULT are a choice of the caller's. A backend without TF32
 * computes DEFAULT; 3M takes memory of the handle's, see heron_set_workspace. */
typedef enum heron_gemm_algorithm {
    HERON_GEMM_DEFAULT = 0,
    HERON_GEMM_3M =
        1, /* complex by three real products (Gauss); error bound in the norm, not per component */
    HERON_GEMM_TF32 = 2,   /* f32 operands rounded to TF32 on Tensor Cores */
    HERON_GEMM_3XTF32 = 3, /* f32 by three TF32 products: close to f32's accuracy */
    /* For studies of the kernels alone, added up in any combination: what is left out of the work. C is
     * garbage then. A kernel that cannot be taken apart so (for 16-bit types, and on cuda for all but aligned
     * matrices that are not transposed) answers NOT_SUPPORTED. */
    HERON_GEMM_WITHOUT_PACKING = 16,    /* of A and B into panels */
    HERON_GEMM_WITHOUT_LOADS = 32,      /* of panels */
    HERON_GEMM_WITHOUT_ARITHMETIC = 64, /* multiply-adds; one addition per loaded vector remains */
    HERON_GEMM_WITHOUT_STORES = 128     /* of C */
} heron_gemm_algorithm;

/* Where the scalars alpha and beta of a handle's calls lie. */
typedef enum heron_pointer_mode { HERON_POINTER_HOST = 0, HERON_POINTER_DEVICE = 1 } heron_pointer_mode;

/* How SYR2K and HER2K add their two products. */
typedef enum heron_rank_2k_algorithm {
    HERON_RANK_2K_FUSED = 0, /* both in one kernel, which reads and writes C once; the default */
    HERON_RANK_2K_TWO_PASSES =
        1 /* one kernel after the other, each with its pass over C: the textbook's, for comparison */
} heron_rank_2k_algorithm;
/* The operators of a sparse product: how they are given, which ones, and what becomes of C. */
typedef enum heron_operator_form {
    HERON_OPERATORS_NAMED = 0,
    HERON_OPERATORS_SOURCE = 1,   /* text in the device's C */
    HERON_OPERATORS_CALLBACK = 2, /* host functions */
    HERON_OPERATORS_LTO_IR = 3    /* NVIDIA's intermediate code, through cuSPARSE's SpMMOp alone */
} heron_operator_form;

/* add and mul, and what a sum without terms is. */
typedef enum heron_semiring {
    HERON_PLUS_TIMES = 0, /* a + b, a*b, 0 */
    HERON_MIN_PLUS = 1,   /* min, a + b, +infinity or the largest integer */
    HERON_MAX_TIMES = 2,  /* max, a*b, -infinity or the smallest integer */
    HERON_OR_AND = 3      /* 1 or 0 for a != 0 or b != 0; for a != 0 and b != 0; 0 */
} heron_semiring;

typedef enum heron_epilogue {
    HERON_EPILOGUE_STORE = 0, /* C := sum; C is not read */
    HERON_EPILOGUE_ADD = 1,   /* C := add(sum, C) */
    HERON_EPILOGUE_CUSTOM = 2 /* C := epilogue(sum, C); not with NAMED operators */
} heron_epilogue;

/* *result := a o b, all of the compute type. result overlaps neither a nor b. */
typedef void (*heron_operator_callback)(void* context, const void* a, const void* b, void* result);

/* What heron_info, the facades and users may ask of a device. Strings are NUL-terminated. */
typedef struct heron_device_info {
    char name[256];
    char vendor[128];
    char driver[128];      /* version of the driver or runtime that serves the device */
    char isa[64];          /* "x86-64-v4", "sm_90", "OpenCL C 1.2": what the kernels are built for */
    uint64_t memory_bytes; /* total device memory */
    uint64_t memory_free;  /* free at the time of the query; 0 when the device cannot tell */
    uint64_t cache_bytes;  /* last-level cache; 0 when unknown */
    uint32_t compute_units;
    uint32_t clock_mhz;
    uint32_t has_fp64; /* 1: double precision works */
    uint32_t is_gpu;
    uint32_t is_host_accessible; /* 1: the host may dereference device pointers without a copy or a map */
    uint32_t major, minor;       /* compute capability on CUDA, else the version of the device API */
} heron_device_info;

#ifdef __cplusplus
}
#endif
#endif
