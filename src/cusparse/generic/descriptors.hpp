#pragma once
// What cuSPARSE's opaque descriptors point to: a view that was valid when it was set, and for a sparse matrix
// the analyses that preprocess functions leave.
#include "core/opaque.hpp"
#include "core/operations.hpp"

namespace heron::cusparse {

// Descriptors made by a ...Const... function refuse to hand out or serve as writable memory.
enum class access { read_write, read_only };

inline access access_of(const void*) { return access::read_only; }
inline access access_of(void*) { return access::read_write; }

// What their functions' arguments are, for the names in messages.
constexpr core::role role_of(const heron_dnvec&) { return core::role::x; }
constexpr core::role role_of(const heron_spvec&) { return core::role::x; }
constexpr core::role role_of(const heron_dnmat&) { return core::role::a; }
constexpr core::role role_of(const heron_spmat&) { return core::role::a; }

template <class View>
struct descriptor : core::opaque<descriptor<View>> {
    descriptor(const View& v, cusparse::access a) : value(core::checked(v, role_of(v))), access(a) {}

    // Takes what f makes of the view, if that is valid.
    template <class F>
    void change(F&& f) {
        View changed = value;
        f(changed);
        value = core::checked(changed, role_of(changed));
    }
    void set_values(void* values) {
        change([&](View& v) { v.values = values; });
    }

    View value;
    cusparse::access access;
};

using dense_vector = descriptor<heron_dnvec>;
using sparse_vector = descriptor<heron_spvec>;
using dense_matrix = descriptor<heron_dnmat>;

struct sparse_matrix : descriptor<heron_spmat> {
    using descriptor::descriptor;

    // New arrays of the same shape; analyses of the old pattern are dropped.
    void set_pattern(void* offsets, void* row_indices, void* indices, void* values) {
        change([&](heron_spmat& m) {
            m.offsets = offsets;
            m.row_indices = row_indices;
            m.indices = indices;
            m.values = values;
        });
        values_changed = core::next_stamp();
        analyses.clear();
    }
    void set_values(void* values) {
        descriptor::set_values(values);
        values_changed = core::next_stamp();
    }
    void set_batch(int count, int64_t offsets_stride, int64_t indices_stride, int64_t values_stride) {
        change([&](heron_spmat& m) {
            m.batch_count = count;
            m.offsets_stride = offsets_stride;
            m.indices_stride = indices_stride;
            m.values_stride = values_stride;
        });
    }

    // COO whose indices are pairs of a row and a column (array of structures). No operation knows it.
    bool is_aos = false;
    // In core::next_stamp's time; 0: never.
    uint64_t values_changed = 0;
    // Analyses are a cache, not part of the matrix's value.
    mutable core::analysis_cache analyses;
};

// The object behind a public handle; INVALID_VALUE when it is NULL or was destroyed.
template <class T, class Handle>
T& object(Handle* handle, const core::subject& about) {
    return *core::alive(reinterpret_cast<T*>(const_cast<std::remove_const_t<Handle>*>(handle)), about);
}

// The same, for an argument that is written.
template <class T, class Handle>
T& writable(Handle* handle, const core::subject& about) {
    T& d = object<T>(handle, about);
    if (d.access == access::read_only)
        core::invalid(about, "was created as a constant descriptor and cannot be written");
    return d;
}

}  // namespace heron::cusparse
