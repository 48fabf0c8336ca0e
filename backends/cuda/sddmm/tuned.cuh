#pragma once
// Launches the SDDMM kernels for one row of the table of data types. Small problems, short inner products and
// operands that would be used too seldom to be packed are read where they are; of others, those that are not
// contiguous along the inner dimension are packed into the workspace first.
#include "direct.cuh"
#include "common/sddmm/packing.hpp"
#include "tuned.hpp"
#include <algorithm>

namespace heron::HERON_LEVEL {

// A word of an element's size, to move it.
template <int bytes>
struct raw_of;
template <>
struct raw_of<2> {
    using type = raw16;
};
template <>
struct raw_of<4> {
    using type = raw32;
};
template <>
struct raw_of<8> {
    using type = raw64;
};
template <>
struct raw_of<16> {
    using type = raw128;
};

template <class VX, class VC, class CT, class IT>
class sddmm_launcher {
    using problem_type = sampling<VX, VC, CT>;
    static constexpr int64_t piece_size = plans::piece_size<VX>;
    static constexpr bool are_numbers = piece_size == 1;
    using piece = std::conditional_t<are_numbers, VX, vector_of<VX>>;

  public:
    sddmm_launcher(cuda_device& device, heron_phase phase, const heron_sddmm_args& args,
                   heron_workspace& workspace)
        : device_(device), phase_(phase), args_(args), layout_(phase, workspace) {}

    void apply() {
        if (is_direct() || cannot_be_packed()) return apply_directly();
        VX* const packed_a = packing_space(args_.a, args_.c.rows);
        VX* const packed_b = packing_space(args_.b, args_.c.cols);
        if (phase_ != HERON_PHASE_RUN || count() == 0) return;
        problem_type p = problem();
        pack(packed_a, packed_b);
        use(args_.a, args_.c.rows, packed_a, p.a, p.a_step, p.a_stride);
        use(args_.b, args_.c.cols, packed_b, p.b, p.b_step, p.b_stride);
        p.follows = packed_a || packed_b;
        p.pieces = static_cast<int>(padded() / piece_size);
        if (has_few_elements()) return sample_packed(p);
        constexpr int most_turns = 8;
        p.share(warp_size, device_.multiprocessors(), most_turns);
        sample(p);
    }

  private:
    problem_type problem() const {
        problem_type p{};
        p.set_matrix(args_.c, args_.c.batch_count);
        p.c = as<VC>(args_.c.values);
        p.a_vectors = args_.a;
        p.b_vectors = args_.b;
        p.k = args_.k;
        p.conjugate_a = args_.a.conjugate;
        p.conjugate_b = args_.b.conjugate;
        p.alpha = as_argument<CT>(args_.alpha);
        p.beta = as_argument<CT>(args_.beta);
        return p;
    }

    bool has_pieces_where_it_is() const {
        return plans::has_pieces<VX>(args_.a, args_.k) && plans::has_pieces<VX>(args_.b, args_.k);
    }

    // The same for SIZE and RUN: does not look at addresses. Pieces of 16 bytes are read where they are by
    // the kernels for many elements too, which two of them per vector would not keep busy. Strided operands
    // cost a sector of 32 bytes per number, as long as that is less than two copies are.
    bool is_direct() const {
        constexpr int64_t strided_bytes = 32, few_products = int64_t{1} << 20, fewest_uses = 4;
        constexpr double most_sectors = 7 << 17;  // that take as long as a launch that packs
        if (has_pieces_where_it_is()) return args_.k <= 2 * piece_size || has_few_elements();
        const auto is_seldom_used = [&](const heron_sddmm_vectors& v, int64_t vectors) {
            return !plans::has_pieces<VX>(v, args_.k) && count() * fewest_uses < vectors;
        };
        return args_.k * int64_t{sizeof(VX)} <= strided_bytes || elements() <= few_products / args_.k ||
               is_seldom_used(args_.a, args_.c.rows) || is_seldom_used(args_.b, args_.c.cols) ||
               plans::sectors_spared_by_packing<VX>(args_, device_.multiprocessors()) <= most_sectors;
    }

    // For the kernels that take 32 of them per warp.
    bool has_few_elements() const { return elements() <= int64_t{256} * device_.multiprocessors(); }

    // Neither read in pieces nor packed: SIZE knows no addresses, and the kernels for many elements step by
    // 32 bits.
    bool cannot_be_packed() const {
        const auto is_far = [&](const heron_sddmm_vectors& v) {
            return plans::has_pieces<VX>(v, args_.k) && v.vector_step > INT32_MAX / 16;
        };
        return is_far(args_.a) || is_far(args_.b) ||
               (phase_ == HERON_PHASE_RUN &&
                (plans::is_misaligned<VX>(args_.a, args_.k) || plans::is_misaligned<VX>(args_.b, args_.k)));
    }

    void apply_directly() {
        if (phase_ != HERON_PHASE_RUN || count() == 0) return;
        problem_type p = problem();
        p.has_whole_a =
            plans::has_pieces<VX>(args_.a, args_.k) && !plans::is_misaligned<VX>(args_.a, args_.k);
        p.has_whole_b =
            plans::has_pieces<VX>(args_.b, args_.k) && !plans::is_misaligned<VX>(args_.b, args_.k);
        args_.k % piece_size == 0 ? sample_pieces(p) : sample_directly_by<VX, false>(p, args_.k);
    }

    void sample_pieces(const problem_type& p) {
        if (p.has_whole_a && p.has_whole_b) return sample_whole_pieces(p, args_.k / piece_size);
        sample_directly_by<piece, false>(p, args_.k / piece_size);
    }

    // Numbers of 16 bytes are read alike wherever they are.
    void sample_whole_pieces(const problem_type& p, int64_t pieces) {
        sample_directly_by<piece, !are_numbers>(p, pieces);
    }

    void sample_packed(problem_type p) {
        p.a_vectors = packed_vectors(args_.a, p.a, p.a_step, p.a_stride);
        p.b_vectors = packed_vectors(args_.b, p.b, p.b_step, p.b_stride);
        sample_whole_pieces(p, p.pieces);
    }

    static heron_sddmm_vectors packed_vectors(heron_sddmm_vectors v, const vector_of<VX>* from, unsigned step,
                                              int64_t stride) {
        v.values = from;
        v.vector_step = step / sizeof(VX);
        v.element_step = 1;
        v.batch_stride = stride * piece_size;
        return v;
    }

    template <class Part, bool are_whole>
    void sample_directly_by(problem_type p, int64_t parts) {
        constexpr int most_turns = 16;
        p.pieces = static_cast<int>(parts);
        p.lane_bits = plans::lane_bits_of(elements(), parts, device_.multiprocessors());
        p.share(warp_size >> p.lane_bits, device_.multiprocessors(), most_turns);
        launch_kernel(p.is_lone_csr() ? sample_elements_directly<Part, are_whole, true, IT, VX, VC, CT>
                                      : sample_elements_directly<Part, are_whole, false, IT, VX, VC, CT>,
                      direct_threads, p);
    }

    void sample(const problem_type& p) {
        switch (p.pieces) {
            case 4: return launch<sddmm_shape<4, 1, true>>(p);
            case 8: return launch<sddmm_shape<4, 2, true>>(p);
            case 16: return launch<sddmm_shape<4, 4, true>>(p);
            case 32: return launch<sddmm_shape<8, 4, true>>(p);
            case 64: return launch<sddmm_shape<8, 8, true>>(p);
        }
        if (p.pieces <= 16) return launch<sddmm_shape<8, 2, false>>(p);
        if (p.pieces <= 32) return launch<sddmm_shape<8, 4, false>>(p);
        launch<sddmm_shape<8, 8, false>>(p);
    }

    template <class Shape>
    void launch(const problem_type& p) {
        launch_kernel(sample_elements<Shape, IT, VX, VC, CT>, sddmm_threads, p);
    }

    void launch_kernel(void (*kernel)(problem_type), int threads, const problem_type& p) {
        const int64_t blocks = p.blocks_of_item(threads) * p.batches;
        launch_early(device_, kernel, blocks, threads, p);
    }

    int64_t items_of(const heron_sddmm_vectors& v) const {
        return v.batch_stride == 0 ? 1 : args_.c.batch_count;
    }

    VX* packing_space(const heron_sddmm_vectors& v, int64_t vectors) {
        if (args_.k == 0 || plans::has_pieces<VX>(v, args_.k)) return nullptr;
        return layout_.template take<VX>(items_of(v) * vectors * padded());
    }

    void use(const heron_sddmm_vectors& v, int64_t vectors, VX* packed, const vector_of<VX>*& from,
             unsigned& step, int64_t& stride) {
        const VX* const values = packed ? packed : as<const VX>(v.values);
        from = reinterpret_cast<const vector_of<VX>*>(values);
        step = static_cast<unsigned>((packed ? padded() : v.vector_step) * int64_t{sizeof(VX)});
        stride = v.batch_stride == 0 ? 0 : (packed ? vectors * padded() : v.batch_stride) / piece_size;
    }

    // Whichever has memory to be packed into.
    void pack(VX* packed_a, VX* packed_b) {
        using RT = typename raw_of<sizeof(VX)>::type;
        const auto a = turn<RT>(args_.a, args_.c.rows, packed_a);
        const auto b = turn<RT>(args_.b, args_.c.cols, packed_b);
        launch_early(device_, turn_two<RT>, a.tiles() + b.tiles(), turn_threads, a, b);
    }

    template <class RT>
    dense_turn<RT> turn(const heron_sddmm_vectors& v, int64_t vectors, VX* packed) const {
        return {static_cast<const RT*>(v.values),
                vectors,
                args_.k,
                v.vector_step,
                v.element_step,
                v.batch_stride,
                reinterpret_cast<RT*>(packed),
                padded(),
                items_of(v)};
    }

    int64_t padded() const { return (args_.k + piece_size - 1) / piece_size * piece_size; }
    int64_t count() const { return plans::elements_of(args_.c); }
    int64_t elements() const { return count() * args_.c.batch_count; }

    cuda_device& device_;
    const heron_phase phase_;
    const heron_sddmm_args& args_;
    workspace_layout layout_;
};

// Sizes that the kernels count in 32 bits.
inline bool is_counted_in_32_bits(const heron_sddmm_args& args) {
    constexpr int64_t most = INT32_MAX / 16;
    const heron_spmat& c = args.c;
    const int64_t block_size = c.format == HERON_FORMAT_BSR ? c.block_rows * c.block_cols : 1;
    return args.k <= most && block_size <= most && c.nnz * block_size <= warp_size * most &&
           c.rows <= INT32_MAX / 2 && c.cols <= INT32_MAX / 2;
}

template <class VX, class VC, class CT>
void tuned_sddmm(cuda_device& device, heron_phase phase, const heron_sddmm_args& args,
                 heron_workspace& workspace) {
    if (is_counted_in_32_bits(args))
        return visit_index(args.c.index_type, [&]<class IT>(type<IT>) {
            sddmm_launcher<VX, VC, CT, IT>(device, phase, args, workspace).apply();
        });
    workspace_layout(phase, workspace);
    if (phase != HERON_PHASE_RUN) return;
    visit_offsets_and_indices(offset_type_of(args.c), args.c.index_type,
                              [&]<class OT, class IT>(type<OT>, type<IT>) {
                                  plans::sddmm_plan<cuda_device, VX, VC, CT, OT, IT>(device, args).apply();
                              });
}

}  // namespace heron::HERON_LEVEL
