// csr2csc and gebsr2gebsc: a sort by CUB.
#include "cuda/runtime/group_words.cuh"
#include "cuda/runtime/scan.hpp"
#include "cuda/runtime/sort.hpp"
#include "common/convert/sorted_transpose.hpp"
#include "tuned.hpp"

namespace heron::HERON_LEVEL {
namespace {

class radix_sorter {
  public:
    radix_sorter(workspace_layout& layout, int64_t n, u32* spare)
        : n_(n),
          bytes_(packed_sort_workspace(n)),
          keys_{{layout.take<u32>(n), spare}},
          packed_{{layout.take<u64>(n), layout.take<u64>(n)}},
          memory_(layout.take<unsigned char>(static_cast<int64_t>(bytes_))) {}

    plans::packed_arrays input() const { return {keys_.current(), packed_.current()}; }

    plans::packed_arrays sort(cuda_device& device, int bits) {
        sort_packed(device, memory_, bytes_, keys_, packed_, n_, bits);
        return {keys_.current(), packed_.current()};
    }

  private:
    int64_t n_;
    size_t bytes_;
    array_pair keys_;
    packed_pair packed_;
    void* memory_;
};

}  // namespace

void tuned_transpose(cuda_device& device, heron_phase phase, const heron_transpose_args& args,
                     heron_workspace& workspace) {
    plans::transpose_by_sorting<radix_sorter>(device, phase, args, workspace);
}

}  // namespace heron::HERON_LEVEL
