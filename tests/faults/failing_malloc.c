/* Memory that runs out for the libraries under test alone. Preloaded, it answers every allocation of the
 * process; those that Heron's libraries and the C++ library ask for are counted, kept in a list while they
 * live, and fail when a test wants it. (libgomp ends the process by itself where it gets no memory, and is
 * left out.) */
#define _GNU_SOURCE
#include "failing.h"
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);
extern void __libc_free(void*);

struct range {
    uintptr_t first, end;
};
static struct range ranges[64];
static int range_count;
static int lock;

/* Addresses of what the libraries hold, by open addressing. */
enum { table_size = 1 << 20 };
static void* table[table_size];
static long live;
static void* const removed = &table;

static void take_lock(void) {
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) continue;
}
static void give_lock(void) { __atomic_store_n(&lock, 0, __ATOMIC_RELEASE); }

static size_t place_of(const void* p) {
    return (size_t)(((uintptr_t)p >> 4) * 0x9e3779b97f4a7c15u >> 44) % table_size;
}

static void add(void* p) {
    take_lock();
    size_t k = place_of(p);
    while (table[k] && table[k] != removed) k = (k + 1) % table_size;
    table[k] = p;
    ++live;
    give_lock();
}

static void drop(void* p) {
    take_lock();
    for (size_t k = place_of(p); table[k]; k = (k + 1) % table_size)
        if (table[k] == p) {
            table[k] = removed;
            --live;
            break;
        }
    give_lock();
}

static int is_theirs(const void* caller) {
    for (int k = 0; k < range_count; ++k)
        if ((uintptr_t)caller >= ranges[k].first && (uintptr_t)caller < ranges[k].end) return 1;
    return 0;
}

static int add_range(struct dl_phdr_info* info, size_t size, void* data) {
    (void)size;
    (void)data;
    static const char* const names[] = {"/libheron", "/libcusparse", "/libstdc++"};
    for (int n = 0; n < 3; ++n) {
        if (!strstr(info->dlpi_name, names[n])) continue;
        for (int k = 0; k < info->dlpi_phnum && range_count < 64; ++k) {
            const ElfW(Phdr)* const part = &info->dlpi_phdr[k];
            if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
            ranges[range_count].first = info->dlpi_addr + part->p_vaddr;
            ranges[range_count++].end = info->dlpi_addr + part->p_vaddr + part->p_memsz;
        }
    }
    return 0;
}

/* Looks for the libraries anew. */
void heron_test_find_libraries(void) {
    range_count = 0;
    dl_iterate_phdr(&add_range, NULL);
}
/* What the libraries hold. */
long heron_test_live(void) { return live; }

static int fails(const void* caller) {
    if (left < 0 || !is_theirs(caller) || !fails_now()) return 0;
    errno = ENOMEM;
    return 1;
}

static void* kept(void* p, const void* caller) {
    if (p && is_theirs(caller)) add(p);
    return p;
}

void* malloc(size_t bytes) {
    const void* const caller = __builtin_return_address(0);
    return fails(caller) ? NULL : kept(__libc_malloc(bytes), caller);
}
void* calloc(size_t count, size_t bytes) {
    const void* const caller = __builtin_return_address(0);
    return fails(caller) ? NULL : kept(__libc_calloc(count, bytes), caller);
}
void* realloc(void* old, size_t bytes) {
    const void* const caller = __builtin_return_address(0);
    if (fails(caller)) return NULL;
    if (old) drop(old);
    return kept(__libc_realloc(old, bytes), caller);
}
void* memalign(size_t alignment, size_t bytes) {
    const void* const caller = __builtin_return_address(0);
    return fails(caller) ? NULL : kept(__libc_memalign(alignment, bytes), caller);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
    const void* const caller = __builtin_return_address(0);
    return fails(caller) ? NULL : kept(__libc_memalign(alignment, bytes), caller);
}
int posix_memalign(void** result, size_t alignment, size_t bytes) {
    const void* const caller = __builtin_return_address(0);
    if (fails(caller)) return ENOMEM;
    *result = kept(__libc_memalign(alignment, bytes), caller);
    return *result ? 0 : ENOMEM;
}
void free(void* p) {
    if (!p) return;
    drop(p);
    __libc_free(p);
}
void* mmap(void* at, size_t bytes, int protection, int flags, int file, off_t offset) {
    if (fails(__builtin_return_address(0))) return MAP_FAILED;
    return (void*)syscall(SYS_mmap, at, bytes, protection, flags, file, offset);
}
