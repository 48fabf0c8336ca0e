// Dense to sparse and back by groups.
#include "cuda/runtime/group_words.cuh"
#include "cuda/runtime/prompt.hpp"
#include "cuda/runtime/scan.hpp"
#include "common/convert/tiled_dense.hpp"
#include "common/convert/tiled_rows.hpp"
#include "tuned.hpp"

namespace heron::HERON_LEVEL {

static plans::tile_policy tiles_on(cuda_device& device) {
    return {true, 8 * int64_t{device.multiprocessors()}, true};
}

void tuned_dense_to_sparse(cuda_device& device, heron_phase phase, const heron_dense_to_sparse_args& args,
                           heron_workspace& workspace) {
    plans::dense_to_sparse_by<plans::rows_by_tiles<true>>(device, phase, args, workspace);
}

void tuned_sparse_to_dense(cuda_device& device, heron_phase phase, const heron_sparse_to_dense_args& args,
                           heron_workspace& workspace) {
    plans::sparse_to_dense_by<plans::dense_by_tiles>(device, phase, args, workspace);
}

}  // namespace heron::HERON_LEVEL
