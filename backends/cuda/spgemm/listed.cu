// Values of sparse products again and again, from a list that CUB sorts.
#include "cuda/runtime/group_words.cuh"
#include "cuda/runtime/scan.hpp"
#include "cuda/runtime/sort.hpp"
#include "common/spgemm/listed.hpp"
#include "tuned.hpp"

namespace heron::HERON_LEVEL {
namespace {

// As sorted_in_pairs. The list takes the place of what a sort leaves behind.
class sorted_by_cub {
  public:
    sorted_by_cub(workspace_layout& layout, int64_t n)
        : n_(n),
          halves_{layout.take<i64>(n), layout.take<i64>(n)},
          bytes_(sort_workspace(n)),
          memory_(layout.take<unsigned char>(static_cast<int64_t>(bytes_))) {}

    i32* places() const { return reinterpret_cast<i32*>(halves_[sorted_]); }
    i32* numbers() const { return places() + n_; }
    i64* list() const { return halves_[1 - sorted_]; }

    void sort(cuda_device& device, int64_t nnz) {
        int bits = 0;
        while (bits < 31 && (nnz - 1) >> bits > 0) ++bits;
        if (bits == 0) return;
        array_pair keys{{words(0), words(1)}}, values{{words(0) + n_, words(1) + n_}};
        sort_pairs(device, memory_, bytes_, keys, values, n_, bits);
        sorted_ = keys.at;
    }

  private:
    unsigned* words(int half) const { return reinterpret_cast<unsigned*>(halves_[half]); }

    int64_t n_;
    i64* halves_[2];
    size_t bytes_;
    void* memory_;
    int sorted_ = 0;
};

}  // namespace

bool listed_spgemm_numeric(cuda_device& device, heron_phase phase, const heron_spgemm_args& args,
                           heron_workspace& workspace) {
    return plans::listed_product<cuda_device, sorted_by_cub>(device, args).serve(phase, workspace);
}

}  // namespace heron::HERON_LEVEL
