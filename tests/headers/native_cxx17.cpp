// Every public header of Heron's own compiles alone in C++17.
#include <heron/backend.h>
#include <heron/heron.h>

static_assert(HERON_VERSION > 0);
extern heron_status (*const create_from_cxx)(heron_handle*);
heron_status (*const create_from_cxx)(heron_handle*) = heron_create;
