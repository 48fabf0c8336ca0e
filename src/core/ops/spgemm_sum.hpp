#pragma once
// Products of CSR matrices with 32-bit offsets and indices for functions that have no buffers of known sizes:
// C := op(A)*op(B) in the handle's scratch, and C := alpha*A*B + beta*D.
#include "core/kept_memory.hpp"
#include "spgemm.hpp"
#include <optional>
#include <utility>

namespace heron::core {

// In two calls that leave nothing between them: the first writes C's offsets and, unless it is NULL, *total
// in the handle's pointer mode; the second reads them and writes C's indices and values. Both wait for the
// stream.
void product_count(context& c, const spgemm_operands& x, int32_t* total);
void product(context& c, const spgemm_operands& x);

// Either term may be missing: its matrices are NULL then. All that is asked of D is a sorted pattern.
struct product_sum_operands {
    const heron_spmat* a;
    const heron_spmat* b;
    const heron_spmat* d;
    heron_spmat c;
};

// What the phases of the sum share: size, then count, then compute any number of times with the same
// patterns. D's sum is of a product that the object keeps; without D the caller's buffer stays as it is
// between the last two.
class product_sum {
  public:
    void size(context& c, const product_sum_operands& x, size_t* bytes);
    // Which terms the sum has, and its type. Throws before the first phase.
    bool has_product() const { return asked().product; }
    bool has_summand() const { return asked().summand; }
    heron_type type() const { return asked().type; }

    // C's offsets and, unless it is NULL, *total in the handle's pointer mode. Waits for the stream.
    void count(context& c, const product_sum_operands& x, void* buffer, int32_t* total);
    void compute(context& c, const product_sum_operands& x, const void* alpha, const void* beta,
                 void* buffer);

  private:
    struct terms {
        bool product, summand;
        heron_type type;
    };
    const terms& asked() const;

    void estimate(context& c, const spgemm_operands& x, const sized_buffer& buffer);
    bool is_estimated(const spgemm_operands& x) const;
    bool count_in_place(context& c, const spgemm_operands& x, void* buffer);
    void count_again(context& c, const spgemm_operands& x, bool is_known, void* buffer);
    size_t estimate_size(context& c, const spgemm_operands& x);
    size_t count_size(context& c, const spgemm_operands& x);
    void* memory_for_count(context& c, const spgemm_operands& x, void* buffer);
    void count_product(context& c, const product_sum_operands& x, void* buffer);
    void count_sum(context& c, const product_sum_operands& x, void* buffer, int32_t* total);
    heron_spmat kept_product(const heron_spmat& c) const;

    std::optional<terms> sized_by_;
    spgemm_description description_;
    // The factors of an estimate that no count has used yet.
    std::optional<std::pair<heron_spmat, heron_spmat>> estimated_;
    size_t estimate_bytes_ = 0;
    const void* estimated_in_ = nullptr;  // the handle's scratch
    uint64_t estimated_at_ = 0;           // of scratch_uses
    size_t promised_ = 0;                 // bytes of the caller's buffer
    void* buffer_ = nullptr;
    int64_t nnz_ = -1;  // of the product, once it is counted
    kept_memory estimate_, counting_, counts_, numeric_, offsets_, indices_, values_;
};

}  // namespace heron::core
