#include "kept_factor.hpp"
#include "conversion.hpp"
#include "reorder.hpp"
#include "core/element_types.hpp"

namespace heron::core {
namespace {

// Arrays in one piece of memory, one after the other.
class pieces {
  public:
    explicit pieces(void* memory) : next_(static_cast<char*>(memory)) {}
    // NULL while the memory is only measured.
    void* take(int64_t count, size_t size) {
        constexpr size_t alignment = 16;
        void* const result = next_ ? next_ + bytes_ : nullptr;
        bytes_ += (static_cast<size_t>(count) * size + alignment - 1) / alignment * alignment;
        return result;
    }
    size_t bytes() const { return bytes_; }

  private:
    char* next_;
    size_t bytes_ = 0;
};

struct turned_arrays {
    void *offsets, *columns, *places, *values;
};
turned_arrays lay_out(pieces& memory, const heron_spmat& a) {
    constexpr size_t index = sizeof(int32_t);
    return {memory.take(a.rows + 1, index), memory.take(a.nnz, index), memory.take(a.nnz, index),
            memory.take(a.nnz, size_of(a.type))};
}

}  // namespace

void kept_factorisation::forget() {
    by_rows_.restart();
    by_columns_.restart();
}

void kept_factorisation::factor(context& c, factorisation& f, const heron_spmat& a) {
    if (!f.is_analysed) factorise(c, {HERON_PHASE_ANALYSE, nullptr, nullptr, true}, f, a, false);
    factorise(c, run_in_own_scratch, f, a, false);
}

void kept_factorisation::run(context& c, const heron_spmat& a) { factor(c, by_rows_, a); }

void kept_factorisation::run_turned(context& c, const heron_spmat& a) {
    require_square(a);
    require_arrays(a, role::a);
    if (a.nnz == 0) return factor(c, by_columns_, a);
    const heron_spmat b = turned(c, a);
    const heron_dnvec own{a.nnz, a.values, a.type};
    const heron_spvec others{a.nnz, a.nnz, places_, b.values, HERON_INDEX_32, 0, a.type};
    gather(c, own, others);
    factor(c, by_columns_, b);
    scatter(c, others, own);
}

// A^T without its values, which is made once.
heron_spmat kept_factorisation::turned(context& c, const heron_spmat& a) {
    pieces needed(nullptr);
    lay_out(needed, a);
    pieces memory(memory_.at_least(needed.bytes(), c));
    const turned_arrays arrays = lay_out(memory, a);
    heron_spmat b = a;
    b.offsets = arrays.offsets;
    b.indices = arrays.columns;
    b.values = arrays.values;
    places_ = static_cast<int32_t*>(arrays.places);
    if (!by_columns_.is_analysed) find_places(c, a, b);
    return b;
}

// By a transposition that carries each element's place.
void kept_factorisation::find_places(context& c, const heron_spmat& a, const heron_spmat& b) {
    heron_spmat from = a, to = b;
    from.type = to.type = HERON_R_32I;
    from.values = b.values;
    to.values = places_;
    identity_permutation(c, a.nnz, static_cast<int32_t*>(from.values));
    transpose(c, run_in_own_scratch, from, to, true);
}

}  // namespace heron::core
