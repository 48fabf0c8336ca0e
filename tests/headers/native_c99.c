/* Every public header of Heron's own compiles alone in C99. */
#include <heron/semiring.h>
#include <heron/backend.h>
#include <heron/heron.h>

typedef char version_is_positive[HERON_VERSION > 0 ? 1 : -1];

heron_status (*const create)(heron_handle*) = heron_create;
const size_t table_size = sizeof(heron_backend);
