/* Headers of typed functions leave nothing defined that their families use. */
#if defined(HERON_FAMILY) || defined(HERON_HALF) || defined(HERON_NAMED) || defined(HERON_FN) ||        \
    defined(HERON_T) || defined(HERON_LETTER) || defined(HERON_INT) || defined(HERON_INT_FN) ||         \
    defined(HERON_SHORT_FN) || defined(HERON_Y) || defined(HERON_R) || defined(HERON_IS_COMPLEX) ||     \
    defined(HERON_TYPE_H) || defined(HERON_TYPE_S) || defined(HERON_TYPE_D) || defined(HERON_TYPE_C) || \
    defined(HERON_TYPE_Z)
#error "a macro of the typed families is left defined"
#endif
