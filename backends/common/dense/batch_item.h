// Where the operand of item k of a batch begins; its elements have `size` bytes. kind: 0 k*stride elements
// behind the base; 1 at the address that the list holds; 2 and 3 index*stride elements behind the base, by
// indices of 32 and 64 bits.
HERON_FN GLOBAL void* batch_item(GLOBAL const void* base, int size, GLOBAL const void* list, int kind,
                                 heron_index stride, heron_index list_step, heron_index k) {
    if (kind == 1) return (GLOBAL void*)((GLOBAL const i64*)list)[k * list_step];
    if (kind == 2) k = ((GLOBAL const i32*)list)[k * list_step];
    if (kind == 3) k = ((GLOBAL const i64*)list)[k * list_step];
    return (GLOBAL char*)base + k * stride * size;
}
