/* One process with the libraries of two toolkits: a handle of one serves the other. Arguments: their sonames.
 */
#include <dlfcn.h>
#include <stdio.h>

typedef int (*create_function)(void**);
typedef int (*version_function)(void*, int*);
typedef int (*destroy_function)(void*);

int main(int count, char** sonames) {
    void *first, *second, *handle = NULL;
    create_function create;
    version_function get_version;
    destroy_function destroy;
    int version = 0;
    if (count != 3) return 2;
    first = dlopen(sonames[1], RTLD_NOW | RTLD_LOCAL);
    second = dlopen(sonames[2], RTLD_NOW | RTLD_LOCAL);
    if (!first || !second) {
        puts(dlerror());
        return 1;
    }
    /* dlsym's result as a function, the way that POSIX recommends. */
    *(void**)&create = dlsym(first, "cusparseCreate");
    *(void**)&get_version = dlsym(second, "cusparseGetVersion");
    *(void**)&destroy = dlsym(second, "cusparseDestroy");
    if (!create || !get_version || !destroy) return 1;
    if (create(&handle) != 0 || get_version(handle, &version) != 0 || destroy(handle) != 0) return 1;
    if (version > 0) puts("ok");
    return 0;
}
