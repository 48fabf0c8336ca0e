#pragma once
// What the products of a sparse matrix with a vector and with a matrix share.
#include "core/submit.hpp"
#include <algorithm>

namespace heron::core {

// Throws unless the algorithm is for the matrix's format.
inline void require_format(const heron_spmat& a, const product_algorithm& algorithm) {
    const heron_format* const end = algorithm.formats + algorithm.format_count;
    if (algorithm.formats && std::find(algorithm.formats, end, a.format) == end)
        not_supported(role::algorithm, fmt::format("is not for {} matrices", name_of(a.format)));
}

inline analysed_problem problem_of(const heron_spmv_args& args) {
    return {operation::spmv,
            args.op,
            args.reproducibility,
            {args.a.type, args.x.type, args.y.type, args.compute_type},
            args.a};
}
inline analysed_problem problem_of(const heron_spmm_args& args) {
    return {operation::spmm,
            args.op,
            args.reproducibility,
            {args.a.type, args.b.type, args.c.type, args.compute_type},
            args.a};
}

inline void submit_product(context& c, const phase_call& phase, const heron_spmv_args& args, size_t least,
                           analysis* kept) {
    submit<operation::spmv>(c, phase, args, least, kept, [&] { return problem_of(args); });
}

inline void submit_product(context& c, const phase_call& phase, const heron_spmm_args& args, analysis* kept) {
    submit<operation::spmm>(c, phase, args, 0, kept, [&] { return problem_of(args); });
}

}  // namespace heron::core
