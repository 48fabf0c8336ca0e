// axpyi, doti, dotci, gthr, gthrz, sctr and roti.
#include "cusparse/legacy/typed.hpp"

using namespace heron;
using namespace heron::cusparse;

namespace {

// Calls f(context, x, y) as the function: x from its arrays, and of y as much as x's indices reach.
template <class T, class F>
cusparseStatus_t with_vectors(const char* function, cusparseHandle_t handle, int nnz, const T* values,
                              const int* indices, const T* y, cusparseIndexBase_t base, F&& f) {
    return guarded({function, {}, typed_names}, [&] {
        core::context& c = typed_context_of(handle);
        const heron_spvec x = sparse_x(nnz, values, indices, base);
        const heron_dnvec dense = dense_vector_of(x.size, y, core::role::y);
        f(c, x, dense);
    });
}

}  // namespace

#define HERON_FAMILY "cusparse/removed/vector.inc"
#include <cusparse/foreach_type.inc>
