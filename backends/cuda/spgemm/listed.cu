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
    sorted_by_cub(workspace_layout& layout, int64_t n, int64_t room)
        : n_(n),
          halves_{layout.take<i64>(room), layout.take<i64>(room)},
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

// The tiles of a list. Whichever block is the last of a segment in several tiles joins what they have of it,
// in the order of the tiles: a second launch would cost small products as much again.
template <class Program, class CT>
__global__ void __launch_bounds__(Program::sum_tiles::group, sizeof(CT) == 16 ? 3 : 4)
    sum_and_join(const i64* list, int64_t products, int64_t tiles, const i32* firsts, const i32* targets,
                 const i32* owners, const i32* spans, u32* arrived, const CT* a_values, int a_conjugate,
                 const CT* b_values, int b_conjugate, CT* c_values, int64_t most, scalar_argument<CT> alpha,
                 scalar_argument<CT> beta, CT* edges) {
    const int64_t t = blockIdx.x;
    // Thread 0 sees to the segment at the beginning of the tile, that of another warp to the one at its end.
    int64_t owner = -1;
    if (threadIdx.x == 0 && firsts[t] < 0) owner = owners[t];
    if (threadIdx.x == warp_size && t + 1 < tiles && firsts[t + 1] < 0 && owners[t + 1] == t) owner = t;
    Program::sum_tiles::run(list, products, firsts, targets, a_values, a_conjugate, b_values, b_conjugate,
                            c_values, most, alpha.value, alpha.device, beta.value, beta.device, edges);
    __threadfence();
    __syncthreads();
    if (owner < 0) return;
    const int span = spans[owner + 1];
    if (atomicAdd(arrived + owner, 1u) + 1 < static_cast<unsigned>(span)) return;
    arrived[owner] = 0;  // for the next launch
    __threadfence();
    Program::write_joined(firsts, targets, owner, Program::joined(edges, owner, span), c_values,
                          alpha.device ? *alpha.device : alpha.value,
                          beta.device ? *beta.device : beta.value);
}

struct joined_at_once {
    template <class Program, class CT>
    static void run(cuda_device& device, const plans::listed_pass<CT>& p) {
        device.launch_blocks(sum_and_join<Program, CT>, p.tiles, Program::sum_tiles::group, 0, p.plan.list,
                             p.args.products, p.tiles, p.plan.firsts, p.plan.targets, p.plan.owners,
                             p.plan.spans, p.plan.arrived, p.a_values(), p.args.a.conjugate, p.b_values(),
                             p.args.b.conjugate, p.values, p.most, p.alpha, p.beta, p.edges);
    }
};

}  // namespace

bool listed_spgemm_numeric(cuda_device& device, heron_phase phase, const heron_spgemm_args& args,
                           heron_workspace& workspace) {
    return plans::listed_product<cuda_device, sorted_by_cub, joined_at_once>(device, args)
        .serve(phase, workspace);
}

}  // namespace heron::HERON_LEVEL
