#pragma once
// What the public APIs' opaque descriptors point to: the ABI structs, validated when made, and for a sparse
// matrix the analyses that belong to it. Errors carry the name that the public API gives the argument. An
// array may be NULL until an operation reads or writes it.
#include "error.hpp"
#include "plan_cache.hpp"
#include <heron/args.h>
#include <memory>

namespace heron::core {

// Descriptors made by a ...Const... function refuse to hand out or serve as writable memory.
enum class access { read_write, read_only };

struct dense_vector {
    dense_vector(const heron_dnvec& v, core::access a);
    void set_values(void* values);
    heron_dnvec value;
    core::access access;
};

struct sparse_vector {
    sparse_vector(const heron_spvec& v, core::access a);
    void set_values(void* values);
    heron_spvec value;
    core::access access;
};

struct dense_matrix {
    dense_matrix(const heron_dnmat& m, core::access a);
    void set_values(void* values);
    void set_batch(int count, int64_t stride);
    heron_dnmat value;
    core::access access;
};

struct sparse_matrix {
    sparse_matrix(const heron_spmat& m, core::access a);
    void set_batch(int count, int64_t offsets_stride, int64_t indices_stride, int64_t values_stride);
    // New arrays of the same shape; analyses of the old pattern are dropped.
    void set_pattern(void* offsets, void* row_indices, void* indices, void* values);
    void set_values(void* values);

    heron_spmat value;
    core::access access;
    // When set_values or set_pattern was called last, in next_stamp's time; 0: never.
    uint64_t values_stamp = 0;
    // Analyses are a cache, not part of the matrix's value.
    mutable plan_cache plans;
};

// Larger with every call of the process: tells which of two changes came later.
uint64_t next_stamp();

// Throw HERON_INVALID_VALUE unless p may address elements of `size` bytes. NULL is aligned, but no element.
void require_aligned(const void* p, size_t size, const char* argument);
void require_element(const void* p, size_t size, const char* argument);

// The descriptor behind a public handle; HERON_INVALID_VALUE when it is NULL.
template <class T, class Handle>
T& descriptor(Handle* handle, const char* argument) {
    if (!handle) throw error(HERON_INVALID_VALUE, argument, "is NULL");
    return *reinterpret_cast<T*>(const_cast<std::remove_const_t<Handle>*>(handle));
}

// The same, for an argument that is written.
template <class T, class Handle>
T& writable(Handle* handle, const char* argument) {
    T& d = descriptor<T>(handle, argument);
    if (d.access == access::read_only)
        invalid(argument, "was created as a constant descriptor and cannot be written");
    return d;
}

}  // namespace heron::core
