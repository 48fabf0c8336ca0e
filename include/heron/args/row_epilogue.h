/* An epilogue by rows as LTO-IR: what spmm_op does with the form LTO_IR where add_code and mul_code are
 * empty. A then stores nothing, C has one column with c_row_step 1, and
 *
 *   C(i) := spmvop_epilogue(i, C(i))
 *
 * with the function of that name in epilogue_code, whose row is an int and whose value has the compute type.
 */
#ifndef HERON_ARGS_ROW_EPILOGUE_H
#define HERON_ARGS_ROW_EPILOGUE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A variable of the code. */
typedef struct heron_code_global {
    const char* name;
    const void* data; /* on the host */
    size_t size;
} heron_code_global;

/* What args.context points to, or it is NULL. Code with variables is loaded once for each address of this
 * struct, so that each has values of its own. ANALYSE waits for the queue and copies them. */
typedef struct heron_code_globals {
    const heron_code_global* values;
    size_t count;
} heron_code_globals;

#ifdef __cplusplus
}
#endif
#endif
