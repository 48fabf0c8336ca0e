/* HERON_JUMP(node, exported, name): a function that goes on in the function `name` of the library with the
 * version node `node`, with the arguments that it was called with, whatever these are. The reference names
 * the version, because `exported` may have the same name.
 *
 * HERON_CALL(node, exported, name, finish): the same for functions without arguments on the stack, with an
 * int that the C function `finish` makes another one of. */
#ifndef HERON_JUMP_H
#define HERON_JUMP_H

#if defined(__x86_64__)
#define HERON_JUMP_TO(target) "jmp *" target "@GOTPCREL(%rip)\n"
#define HERON_CALL_TO(target, finish)                                                              \
    "subq $8, %rsp\ncall *" target "@GOTPCREL(%rip)\naddq $8, %rsp\nmovl %eax, %edi\njmp *" finish \
    "@GOTPCREL(%rip)\n"
#elif defined(__aarch64__)
#define HERON_JUMP_TO(target) "adrp x16, :got:" target "\nldr x16, [x16, :got_lo12:" target "]\nbr x16\n"
#define HERON_CALL_TO(target, finish)                                                       \
    "stp x29, x30, [sp, -16]!\nadrp x16, :got:" target "\nldr x16, [x16, :got_lo12:" target \
    "]\nblr x16\nldp x29, x30, [sp], 16\n" HERON_JUMP_TO(finish)
#endif

#define HERON_JUMP_LABEL(name) ".globl " name "\n.type " name ", %function\n" name ":\n"
#define HERON_JUMP_END(name) ".size " name ", .-" name "\n"
#define HERON_JUMP_IMPORT(name, node) ".symver target_" name ", " name "@" node "\n"
#define HERON_JUMP(node, exported, name)                                         \
    __asm__(".text\n" HERON_JUMP_IMPORT(#name, node) HERON_JUMP_LABEL(#exported) \
                HERON_JUMP_TO("target_" #name) HERON_JUMP_END(#exported))
#define HERON_CALL(node, exported, name, finish)                                 \
    __asm__(".text\n" HERON_JUMP_IMPORT(#name, node) HERON_JUMP_LABEL(#exported) \
                HERON_CALL_TO("target_" #name, #finish) HERON_JUMP_END(#exported))

#endif
