/* Functions of NVIDIA's library that Heron does not serve: callers pass arguments that are not looked at.
 * They lie in a section of their own, by which tools tell them from the others. */
#ifndef HERON_UNSUPPORTED_H
#define HERON_UNSUPPORTED_H

int heron_cublas_unsupported(const char* name);

#define HERON_UNSUPPORTED(name) \
    __attribute__((section("heron_unsupported"))) int name(void) { return heron_cublas_unsupported(#name); }

#endif
