/* HERON_JUMP(exported, name): a function that goes on in libcusparse.so.12's function `name` with the
 * arguments that it was called with, whatever these are. The reference names the version, because `exported`
 * may have the same name. */
#ifndef HERON_JUMP_H
#define HERON_JUMP_H

#if defined(__x86_64__)
#define HERON_JUMP_TO(target) "jmp *" target "@GOTPCREL(%rip)\n"
#elif defined(__aarch64__)
#define HERON_JUMP_TO(target) "adrp x16, :got:" target "\nldr x16, [x16, :got_lo12:" target "]\nbr x16\n"
#endif

#define HERON_JUMP_LABEL(name) ".globl " name "\n.type " name ", %function\n" name ":\n"
#define HERON_JUMP_END(name) ".size " name ", .-" name "\n"
#define HERON_JUMP_IMPORT(name) ".symver in12_" name ", " name "@libcusparse.so.12\n"
#define HERON_JUMP(exported, name)                                                                      \
    __asm__(".text\n" HERON_JUMP_IMPORT(#name) HERON_JUMP_LABEL(#exported) HERON_JUMP_TO("in12_" #name) \
                HERON_JUMP_END(#exported))

#endif
