// Products on the Tensor Cores of compute capability 9.0 of numbers with 16 bits, and of single precision
// numbers that may be rounded to TF32. An operand that bulk copies cannot read as it lies is turned into the
// workspace before, in strips where it is large, and so is one of two that lie by lines where TF32 wants one
// by depth.
#include "tuned.hpp"
#include "wgmma_kernel.cuh"
#include <algorithm>
#include <optional>

namespace heron::HERON_LEVEL {
namespace dense_cuda {
namespace {

#ifdef HERON_CUDA_WARP_GROUPS
constexpr bool built_for_warp_groups = true;
#else
constexpr bool built_for_warp_groups = false;
#endif

// Of an operand at most, in bytes.
constexpr int64_t most_turned_bytes = int64_t{64} << 20;
constexpr int64_t bulk_alignment = 16;

struct wgmma_call {
    int64_t m, n, k, count;
    operand a, b;  // lines are rows of op(A) and columns of op(B)
    places c;
    int64_t ldc;
    scalar<f32> alpha, beta;
};

template <class VT>
int64_t packed_length(int64_t depth) {
    constexpr int64_t unit = bulk_alignment / static_cast<int64_t>(sizeof(VT));
    return (depth + unit - 1) / unit * unit;
}

bool lies_by_lines(const operand& o) { return o.depth_step != 1; }

// Elements between neighbours of the dimension that is not contiguous.
int64_t apart(const operand& o) { return lies_by_lines(o) ? o.depth_step : o.line_step; }

// Whether bulk copies can read an operand where it is.
template <class Input>
bool is_direct(const operand& o, int64_t count) {
    constexpr int64_t size = sizeof(typename Input::storage), most_apart = int64_t{1} << 39;
    const bool is_placed = o.at.kind == 0 && reinterpret_cast<uintptr_t>(o.at.base) % bulk_alignment == 0;
    const bool has_stride = count == 1 || (o.at.stride >= 0 && o.at.stride * size % bulk_alignment == 0 &&
                                           o.at.stride * size < most_apart);
    return is_placed && has_stride && apart(o) * size % bulk_alignment == 0 && apart(o) * size < most_apart;
}

// How an operand is turned: all lines of several items at a time, or one item by strips. No lines: not at
// all.
struct turning {
    int64_t items, lines, length;
    int64_t bytes;
};

// Nothing where a strip would have too few lines.
template <class VT>
std::optional<turning> turning_of(int64_t lines, int64_t depth, int64_t count) {
    constexpr int64_t least_strip = 256;
    const int64_t length = packed_length<VT>(depth), line_bytes = length * static_cast<int64_t>(sizeof(VT));
    const int64_t most_lines = most_turned_bytes / line_bytes;
    if (lines <= most_lines) {
        const int64_t items = std::min(count, most_lines / lines);
        return turning{items, lines, length, items * lines * line_bytes};
    }
    if (most_lines < least_strip) return {};
    const int64_t strip = most_lines / least_strip * least_strip;
    return turning{1, strip, length, strip * line_bytes};
}

using encode_map = CUresult(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                            const cuuint64_t*, const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave,
                            CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

// The plug-in must load on machines without libcuda.
encode_map* driver_encoder() {
    void* address = nullptr;
    cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
    const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &address, 12000,
                                                               cudaEnableDefault, &found);
#else
    const cudaError_t error =
        cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &address, cudaEnableDefault, &found);
#endif
    if (error == cudaSuccess && found == cudaDriverEntryPointSuccess)
        return reinterpret_cast<encode_map*>(address);
    cudaGetLastError();
    return nullptr;
}

encode_map* encoder() {
    static encode_map* const found = driver_encoder();
    return found;
}

bool has_warp_groups(const cuda_device& device) {
    int major = 0, minor = 0;
    check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device.number()));
    check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device.number()));
    return built_for_warp_groups && major == 9 && minor == 0 && encoder();
}

template <class Input>
constexpr CUtensorMapDataType map_type =
    std::is_same_v<Input, tf32_input>  ? CU_TENSOR_MAP_DATA_TYPE_TFLOAT32
    : std::is_same_v<Input, f16_input> ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
                                       : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;

// An operand of `items` items in boxes of 128 bytes of depth and `box_lines` lines, or, where it lies by
// lines, of 128 bytes of lines and as many steps. Bulk copies round to TF32.
template <class Input>
void describe(CUtensorMap& map, const operand& o, int64_t lines, int64_t depth, int64_t items,
              int box_lines) {
    using VT = typename Input::storage;
    constexpr int64_t size = sizeof(VT), steps = 128 / size;
    const bool by_lines = lies_by_lines(o);
    const auto wide = [](int64_t v) { return static_cast<cuuint64_t>(v); };
    const cuuint64_t sizes[] = {wide(by_lines ? lines : depth), wide(by_lines ? depth : lines), wide(items)};
    const int64_t item_bytes = items > 1 ? o.at.stride * size : bulk_alignment;
    const cuuint64_t strides[] = {wide(apart(o) * size), wide(item_bytes)};
    const cuuint32_t box[] = {static_cast<cuuint32_t>(steps),
                              static_cast<cuuint32_t>(by_lines ? steps : box_lines), 1};
    const cuuint32_t ones[] = {1, 1, 1};
    if (encoder()(&map, map_type<Input>, 3, const_cast<void*>(o.at.base), sizes, strides, box, ones,
                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                  CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        throw plan_error{HERON_INTERNAL_ERROR, "a matrix cannot be described for bulk copies"};
}

template <class Tile>
void launch_groups(cuda_device& device, const wgmma_call& call) {
    using input = typename Tile::input;
    const operand &first = Tile::first_is_a ? call.a : call.b, &second = Tile::first_is_a ? call.b : call.a;
    wgmma_product p{};
    p.first_lines = Tile::first_is_a ? call.m : call.n;
    p.second_lines = Tile::first_is_a ? call.n : call.m;
    p.k = call.k;
    p.count = call.count;
    const int64_t first_items = first.at.stride == 0 ? 1 : call.count,
                  second_items = second.at.stride == 0 ? 1 : call.count;
    describe<input>(p.first, first, p.first_lines, call.k, first_items, Tile::first_lines);
    describe<input>(p.second, second, p.second_lines, call.k, second_items, Tile::second_lines);
    p.first_items = first_items > 1 ? 1 : 0;
    p.second_items = second_items > 1 ? 1 : 0;
    p.alpha = call.alpha;
    p.beta = call.beta;
    p.c = call.c;
    p.ldc = call.ldc;
    const int64_t tiles = tiles_of(p.first_lines, Tile::first_lines) *
                          tiles_of(p.second_lines, Tile::second_lines) * call.count;
    const int64_t blocks = std::min<int64_t>(tiles, int64_t{device.multiprocessors()} * Tile::blocks);
    device.launch_blocks(&multiply_by_groups<Tile>, blocks, Tile::threads, Tile::shared_bytes, p);
}

// Of TF32's operands one may lie by lines, and comes first then: it goes through registers.
template <class Input, int Groups, int SecondLines, int Stages, int Blocks>
void launch_layouts(cuda_device& device, const wgmma_call& call) {
    using enum wgmma_layout;
    const auto launch = [&]<wgmma_layout First, wgmma_layout Second, bool FirstIsA>() {
        launch_groups<wgmma_tile<Input, Groups, SecondLines, Stages, Blocks, First, Second, FirstIsA>>(device,
                                                                                                       call);
    };
    const bool a_by_lines = lies_by_lines(call.a), b_by_lines = lies_by_lines(call.b);
    if constexpr (Input::takes_lines) {
        if (a_by_lines && b_by_lines) return launch.template operator()<lines, lines, false>();
        if (a_by_lines) return launch.template operator()<depth, lines, false>();
        if (b_by_lines) return launch.template operator()<lines, depth, false>();
    } else {
        if (a_by_lines) return launch.template operator()<registers, depth, true>();
        if (b_by_lines) return launch.template operator()<registers, depth, false>();
    }
    launch.template operator()<depth, depth, false>();
}

// Percent of the peak of a multiprocessor that is full of a tile's blocks (TF32, dense-17).
struct group_tile {
    int first_lines, second_lines, speed;
};
constexpr group_tile group_tiles[] = {{128, 256, 85}, {128, 128, 68}, {64, 128, 45}};

// How long the busiest multiprocessor works on a step, relative to the others.
double duration(const group_tile& tile, int64_t first_lines, int64_t second_lines, int64_t count,
                int multiprocessors) {
    const int64_t tiles =
        tiles_of(first_lines, tile.first_lines) * tiles_of(second_lines, tile.second_lines) * count;
    return static_cast<double>(tiles_of(tiles, multiprocessors)) * tile.first_lines * tile.second_lines /
           tile.speed;
}

template <class Input>
int fastest_tile(const wgmma_call& call, int multiprocessors) {
    const bool turns = !Input::takes_lines && lies_by_lines(call.a);
    const int64_t first = turns ? call.m : call.n, second = turns ? call.n : call.m;
    const auto time = [&](int t) {
        return duration(group_tiles[t], first, second, call.count, multiprocessors);
    };
    int best = 0;
    for (int t = 1; t < 3; ++t)
        if (time(t) < time(best)) best = t;
    return best;
}

template <class Input>
void multiply_direct(cuda_device& device, const wgmma_call& call) {
    switch (fastest_tile<Input>(call, device.multiprocessors())) {
        case 0: return launch_layouts<Input, 2, 256, 4, 1>(device, call);
        case 1: return launch_layouts<Input, 2, 128, 6, 1>(device, call);
        default: return launch_layouts<Input, 1, 128, 4, 2>(device, call);
    }
}

// Some items of an operand, some lines of each, as they come to be multiplied.
template <class VT>
operand turned(cuda_device& device, const operand& o, const turning& how, int64_t first_item, int64_t items,
               int64_t first_line, int64_t lines, int64_t depth, void* memory) {
    const turned_lines t{o, first_item, items, first_line, lines, depth, how.length};
    const int64_t blocks = tiles_of(lines, turned_at_once) * tiles_of(depth, turned_at_once) * items;
    device.launch_blocks(&turn_lines<VT>, blocks, turning_threads, 0, t, static_cast<VT*>(memory));
    return {{memory, nullptr, lines * how.length, 0, 0}, how.length, 1, 0};
}

template <class Input>
class wgmma_run {
  public:
    using VT = typename Input::storage;

    wgmma_run(cuda_device& device, const wgmma_call& call, const turning& a, const turning& b, void* a_memory,
              void* b_memory)
        : device_(device), call_(call), a_(a), b_(b), a_memory_(a_memory), b_memory_(b_memory) {}

    void run() const {
        const int64_t at_once = std::min(a_.items, b_.items);
        for (int64_t item = 0; item < call_.count; item += at_once)
            run_items(item, std::min(at_once, call_.count - item));
    }

  private:
    void run_items(int64_t item, int64_t items) const {
        const int64_t strip = b_.lines > 0 ? b_.lines : call_.n;
        for (int64_t column = 0; column < call_.n; column += strip) {
            const int64_t columns = std::min(strip, call_.n - column);
            const operand b = b_.lines > 0 ? turned<VT>(device_, call_.b, b_, item, items, column, columns,
                                                        call_.k, b_memory_)
                                           : part_of(call_.b, item);
            run_columns(item, items, column, columns, b);
        }
    }

    void run_columns(int64_t item, int64_t items, int64_t column, int64_t columns, const operand& b) const {
        const int64_t strip = a_.lines > 0 ? a_.lines : call_.m;
        for (int64_t row = 0; row < call_.m; row += strip) {
            wgmma_call part = call_;
            part.m = std::min(strip, call_.m - row);
            part.n = columns;
            part.count = items;
            part.a = a_.lines > 0
                         ? turned<VT>(device_, call_.a, a_, item, items, row, part.m, call_.k, a_memory_)
                         : part_of(call_.a, item);
            part.b = b;
            part.c = c_from(item, row + column * call_.ldc);
            multiply_direct<Input>(device_, part);
        }
    }

    operand part_of(operand o, int64_t item) const {
        o.at.base = static_cast<const VT*>(o.at.base) + item * o.at.stride;
        return o;
    }

    places c_from(int64_t item, int64_t elements) const {
        places c = call_.c;
        if (c.kind == 0) {
            c.base = static_cast<const VT*>(c.base) + item * c.stride + elements;
        } else {
            const int64_t index_size = c.kind == 2 ? 4 : 8;
            c.list = static_cast<const char*>(c.list) + item * c.list_step * index_size;
        }
        return c;
    }

    cuda_device& device_;
    const wgmma_call& call_;
    const turning &a_, &b_;
    void *a_memory_, *b_memory_;
};

// Which operands are turned; nothing where they cannot be.
template <class Input>
std::optional<std::pair<turning, turning>> turnings_of(const wgmma_call& call) {
    using VT = typename Input::storage;
    const turning none{call.count, 0, 0, 0};
    bool turns_a = !is_direct<Input>(call.a, call.count), turns_b = !is_direct<Input>(call.b, call.count);
    const bool both_by_lines = lies_by_lines(call.a) && lies_by_lines(call.b);
    if (!Input::takes_lines && both_by_lines && !turns_a && !turns_b)
        (call.m < call.n ? turns_a : turns_b) = true;
    const auto a = turns_a ? turning_of<VT>(call.m, call.k, call.count) : std::optional(none);
    const auto b = turns_b ? turning_of<VT>(call.n, call.k, call.count) : std::optional(none);
    if (!a || !b) return {};
    const bool has_strips = (turns_a && a->lines < call.m) || (turns_b && b->lines < call.n);
    // Items that are found by a list cannot be moved by a strip.
    if (has_strips && call.c.kind != 0) return {};
    return std::pair{*a, *b};
}

// True where the product is done, or its workspace known.
template <class Input>
bool run_phase(cuda_device& device, heron_phase phase, const wgmma_call& call, heron_workspace& workspace) {
    const auto turnings = turnings_of<Input>(call);
    if (!turnings) return false;
    const auto& [a, b] = *turnings;
    if (phase == HERON_PHASE_RUN && a.bytes + b.bytes > 0 && !workspace.memory) return false;
    workspace_layout layout(phase, workspace);
    char* const a_memory = a.bytes > 0 ? layout.take<char>(a.bytes) : nullptr;
    char* const b_memory = b.bytes > 0 ? layout.take<char>(b.bytes) : nullptr;
    if (phase == HERON_PHASE_RUN) wgmma_run<Input>(device, call, a, b, a_memory, b_memory).run();
    return true;
}

// What small products in single precision gain does not pay for what is done before.
bool is_worth_turning(const wgmma_call& call) {
    constexpr double least_work = 256.0 * 256 * 256;
    return static_cast<double>(call.m) * static_cast<double>(call.n) * static_cast<double>(call.k) *
               static_cast<double>(call.count) >=
           least_work;
}

bool fits_warp_groups(const wgmma_call& call) {
    constexpr int64_t most = INT32_MAX / 4;
    return call.m < most && call.n < most && call.k > 0 && call.k < most && call.count < most &&
           tiles_of(call.m, 64) * tiles_of(call.n, 64) * call.count < most;
}

bool run_type(cuda_device& device, heron_phase phase, heron_type type, heron_gemm_algorithm algorithm,
              const wgmma_call& call, heron_workspace& workspace) {
    const bool is_single = type == HERON_R_32F && algorithm == HERON_GEMM_TF32;
    const bool is_short = (type == HERON_R_16F || type == HERON_R_16BF) && algorithm == HERON_GEMM_DEFAULT;
    const bool reads = call.alpha.device || call.alpha.value != 0;
    if ((!is_single && !is_short) || !reads || !fits_warp_groups(call) || !has_warp_groups(device))
        return false;
    if (is_single && !is_worth_turning(call)) return false;
    if (type == HERON_R_16F) return run_phase<f16_input>(device, phase, call, workspace);
    if (type == HERON_R_16BF) return run_phase<bf16_input>(device, phase, call, workspace);
    return run_phase<tf32_input>(device, phase, call, workspace);
}

scalar<f32> scalar_of(const heron_scalar& s) {
    return {static_cast<f32>(s.re), static_cast<const f32*>(s.device), nullptr};
}

places place_of(const heron_dense_operand& o, int64_t size) {
    return {static_cast<const char*>(o.memory) + o.offset * size, nullptr, 0, 0, 0};
}
places place_of(const heron_batch_operand& o) {
    return {o.base, o.list, o.stride, o.list_step, plans::dense_kind(o)};
}

operand rows_of(const places& at, heron_operation op, int64_t ld) {
    return {at, plans::dense_row_step(op, ld), plans::dense_column_step(op, ld), 0};
}
operand columns_of(const places& at, heron_operation op, int64_t ld) {
    return {at, plans::dense_column_step(op, ld), plans::dense_row_step(op, ld), 0};
}

}  // namespace
}  // namespace dense_cuda

bool wgmma_gemm(cuda_device& device, heron_phase phase, const heron_gemm_args& g,
                heron_workspace& workspace) {
    using namespace dense_cuda;
    const int64_t size = g.type == HERON_R_32F ? sizeof(f32) : sizeof(f16);
    const wgmma_call call{g.m,
                          g.n,
                          g.k,
                          1,
                          rows_of(place_of(g.a, size), g.op_a, g.a.ld),
                          columns_of(place_of(g.b, size), g.op_b, g.b.ld),
                          place_of(g.c, size),
                          g.c.ld,
                          scalar_of(g.alpha),
                          scalar_of(g.beta)};
    return run_type(device, phase, g.type, g.algorithm, call, workspace);
}

bool wgmma_gemm_batched(cuda_device& device, heron_phase phase, const heron_gemm_batched_args& g,
                        heron_workspace& workspace) {
    using namespace dense_cuda;
    const wgmma_call call{g.m,
                          g.n,
                          g.k,
                          g.count,
                          rows_of(place_of(g.a), g.op_a, g.lda),
                          columns_of(place_of(g.b), g.op_b, g.ldb),
                          place_of(g.c),
                          g.ldc,
                          scalar_of(g.alpha),
                          scalar_of(g.beta)};
    return run_type(device, phase, g.type, g.algorithm, call, workspace);
}

}  // namespace heron::HERON_LEVEL
