/* Every public header of Heron's own compiles alone in C99. */
#include <heron/semiring.h>
#include <heron/backend.h>
#include <heron/heron.h>
#include <heron/kronmult.h>

typedef char version_is_positive[HERON_VERSION > 0 ? 1 : -1];

heron_status (*const create)(heron_handle*) = heron_create;
heron_status (*const multiply)(int, const float*, float*, float*, float*, int64_t) = heron_skronmult6_batched;
const size_t table_size = sizeof(heron_backend);
