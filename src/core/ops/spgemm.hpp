#pragma once
// C := alpha*op(A)*op(B) + beta*C with sparse operands, in the phases of two interfaces. The
// description is what lives between the phases: which were reached, what they counted, and the caller's
// buffers that later phases read.
//
//   products: work_estimation, [estimate_memory,] compute, copy
//   reuse:    reuse_work_estimation, reuse_nnz, reuse_copy, reuse_compute any number of times, with any
//   values
//
// The first phase transposes the pattern of an operand where its operation or format wants it, and counts
// products; the second counts the elements of C. Buffers are as large as the operands and C's rows,
// never as the number of products, but for the last one of the reuse interface: it may hold a list of these,
// which the copy makes, so that computing is one pass over it.
#include "core/analysis.hpp"
#include "core/views.hpp"
#include <memory>

namespace heron::core {

// The operands. Their shapes are the same in every phase, their values may change.
struct spgemm_operands {
    heron_operation op_a, op_b;
    const heron_spmat& a;
    const heron_spmat& b;
    heron_spmat& c;             // the counting phase writes its number of elements
    bool are_patterns = false;  // the values are there from the first phase that reads them
};

// Not known to the phases of the reuse interface before reuse_compute.
struct spgemm_scalars {
    const void* alpha;
    const void* beta;
    heron_type compute_type;
    bool has_defaults = false;  // NULL is the number 1 for alpha, 0 for beta
};

// A buffer of the caller's. Without memory the call asks for the size, which goes to *size; with memory *size
// is what the memory has, and INSUFFICIENT_RESOURCES is thrown if that is too little.
struct sized_buffer {
    size_t* size;
    void* memory;
    int number;  // among the function's buffers
};

class part_layout;

// Where 16-bit scalars in device memory become 32-bit ones: each is the inner product of itself with one.
// Nothing for other types.
struct widening {
    void* index = nullptr;
    void* one = nullptr;
    void* scalars[2] = {};
    void* scratch = nullptr;
};

class spgemm_description {
  public:
    void work_estimation(context& c, const spgemm_operands& x, const spgemm_scalars& s,
                         const sized_buffer& buffer);
    // The same in other memory, where the patterns are those of the last estimate: it does not wait for what
    // is known.
    void estimate_again(context& c, const spgemm_operands& x, const sized_buffer& buffer);
    // Takes an estimate for that of equal patterns that other views describe.
    void adopt_estimate(const spgemm_operands& x);
    // Moves what the estimate has left, if it is still there, to memory of the same size, also after the
    // count.
    void move_estimate(context& c, const spgemm_operands& x, void* memory);
    int64_t products() const;
    // Takes no memory, for any fraction in (0, 1]; compute_size may be NULL in a question about the own size.
    void estimate_memory(context& c, const spgemm_operands& x, const spgemm_scalars& s, float fraction,
                         const sized_buffer& own, size_t* compute_size) const;
    void compute(context& c, const spgemm_operands& x, const spgemm_scalars& s, const sized_buffer& buffer);
    // with_offsets: C's offsets are written too, not only its columns and values.
    void copy(context& c, const spgemm_operands& x, const spgemm_scalars& s, bool with_offsets = true);

    void reuse_work_estimation(context& c, const spgemm_operands& x, const sized_buffer& buffer);
    // scratch may go after the call, unused is never needed, kept stays until the last reuse_compute.
    void reuse_nnz(context& c, const spgemm_operands& x, const sized_buffer& scratch,
                   const sized_buffer& unused, const sized_buffer& kept);
    // prepares: the values are computed often enough to prepare it.
    void reuse_copy(context& c, const spgemm_operands& x, const sized_buffer& buffer, bool prepares = true);
    void reuse_compute(context& c, const spgemm_operands& x, const spgemm_scalars& s);

  private:
    enum class interface { products, reuse };
    enum class phase { none, estimated, counted, copied };

    // What must not change between the phases.
    struct shape {
        heron_operation op_a, op_b;
        heron_spmat a, b, c;
    };

    // The transposed pattern of an operand, in a buffer of the caller's; nothing where none is needed.
    struct pattern {
        void* offsets = nullptr;
        void* indices = nullptr;
        void* permutation = nullptr;
    };

    struct patterns {
        pattern a, b;
        void* begin = nullptr;
        size_t bytes = 0;
    };

    struct compute_parts {
        int64_t* row_offsets;
        core::widening widening;
        void* scratch;
        size_t size;
    };

    void require_phase(interface i, phase p, const spgemm_operands& x) const;
    void require_result(const spgemm_operands& x) const;
    heron_spgemm_args compose(const spgemm_operands& x) const;
    heron_spgemm_args compose_result(const spgemm_operands& x) const;
    static patterns place_patterns(part_layout& layout, const spgemm_operands& x);
    void estimate(context& c, interface i, const spgemm_operands& x, const sized_buffer& buffer,
                  bool is_known = false);
    void move_patterns(context& c, const patterns& to);
    void build_patterns(context& c, const spgemm_operands& x, void* scratch) const;
    void count(context& c, const spgemm_operands& x, void* scratch);
    compute_parts place_compute(context& c, const spgemm_operands& x, void* memory) const;
    size_t reuse_size(context& c, const spgemm_operands& x, bool prepares) const;
    void prepare_values(context& c, const spgemm_operands& x);
    void compute_result(context& c, const spgemm_operands& x, const spgemm_scalars& s, int parts,
                        bool with_offsets = true);

    interface interface_ = interface::products;
    phase phase_ = phase::none;
    shape shape_{};
    patterns patterns_;
    int64_t* row_products_ = nullptr;
    int64_t* row_offsets_ = nullptr;
    void* scratch_ = nullptr;  // of the numeric operation
    std::shared_ptr<heron_plan> plan_;
    widening widening_;
    int64_t products_ = 0;
    int64_t row_sizes_ = 0;
    int64_t bound_ = 0;    // of the longest row of C
    int64_t longest_ = 0;  // exactly
    int64_t nnz_ = 0;
};

// What the phases share, for a public API's opaque object.
struct spgemm_analysis final : analysis, opaque<spgemm_analysis> {
    static constexpr operation kind_of_all = operation::spgemm_numeric;
    spgemm_analysis() : analysis(kind_of_all) {}

    spgemm_description description;
};

}  // namespace heron::core
